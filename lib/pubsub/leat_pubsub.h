/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_PUBSUB_H
#define LEAT_PUBSUB_H

/**
 * @file
 * Channels and subscribers of one worker.
 *
 * A subscription is one node in two lists: of its channel, in the order of
 * subscribing, and of its subscriber. Channels are found by name and subscriptions by
 * (subscriber, channel) in two rte_hash tables under SipHash, so that neither a
 * popular channel nor a subscriber of many is searched. All memory is taken at open.
 * A channel exists while it has a subscriber.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_PUBSUB_NAME_MAX          18u        /**< bytes of conf.name */
#define LEAT_PUBSUB_CHANNELS_MAX      (1u << 24) /**< largest conf.nb_channels_max */
#define LEAT_PUBSUB_SUBSCRIPTIONS_MAX (1u << 28) /**< largest conf.nb_subscriptions_max */
#define LEAT_PUBSUB_CHANNEL_LEN_MAX   65536u     /**< bytes of a channel's name */
#define LEAT_PUBSUB_PER_CLIENT_MAX    16384u     /**< subscriptions of one subscriber */
/** Bytes of memory for each channel, its name included: longer names leave less for others. */
#define LEAT_PUBSUB_CHANNEL_MEM_LEN 256u

struct leat_pubsub;
struct leat_pubsub_channel;
struct leat_pubsub_subscription;

/** Embedded in a client; all zero is a subscriber of nothing. */
struct leat_pubsub_subscriber {
	struct leat_pubsub_subscription *first; /**< in the order of subscribing */
	struct leat_pubsub_subscription *last;
	uint32_t nb_subscriptions;
};

struct leat_pubsub_conf {
	const char *name;         /**< unique in the process; 1 to LEAT_PUBSUB_NAME_MAX bytes */
	int socket_id;            /**< NUMA node of the memory */
	uint32_t nb_channels_max; /**< 1 to LEAT_PUBSUB_CHANNELS_MAX */
	uint32_t nb_subscriptions_max; /**< 1 to LEAT_PUBSUB_SUBSCRIPTIONS_MAX */
	uint64_t seed[2];              /**< secret randomness for the hashes */
};

/**
 * Open.
 *
 * @param conf
 *   Not kept.
 * @param out
 *   Written on success; the caller closes it.
 * @param error
 *   Receives the sentence for a person on failure; may be NULL.
 * @return
 *   0; -EINVAL: a value of @p conf out of its limits; -EEXIST: the name is in use;
 *   -ENOMEM.
 */
int leat_pubsub_open(
	const struct leat_pubsub_conf *conf, struct leat_pubsub **out, struct leat_error *error);

/** Close. The subscribers are not touched and must not be used again. May be NULL. */
void leat_pubsub_close(struct leat_pubsub *pubsub);

/**
 * Subscribe to a channel.
 *
 * @param subscriber
 *   Must stay where it is until it has no subscription.
 * @param channel
 *   Its name, any bytes; copied.
 * @return
 *   - 1: subscribed. 0: was subscribed before.
 *   - -ENOBUFS: too many channels or subscriptions, or no room for the name.
 *   - -EMSGSIZE: the name is over LEAT_PUBSUB_CHANNEL_LEN_MAX.
 */
int leat_pubsub_subscribe(struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber,
	struct leat_slice channel);

/**
 * End a subscription. The name that leat_pubsub_subscription_channel() gave may be
 * passed here, and is dead afterwards.
 *
 * @return
 *   true: ended. false: was not subscribed.
 */
bool leat_pubsub_unsubscribe(struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber,
	struct leat_slice channel);

/** End all subscriptions of a subscriber, at most LEAT_PUBSUB_PER_CLIENT_MAX. */
void leat_pubsub_unsubscribe_all(
	struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber);

/** @return how many channels a subscriber is subscribed to. */
static inline uint32_t
leat_pubsub_nb_subscriptions(const struct leat_pubsub_subscriber *subscriber)
{
	return subscriber->nb_subscriptions;
}

/** @return the oldest subscription of a subscriber, or NULL. */
static inline struct leat_pubsub_subscription *
leat_pubsub_first_of_subscriber(const struct leat_pubsub_subscriber *subscriber)
{
	return subscriber->first;
}

/** @return the next subscription of the same subscriber, or NULL. */
struct leat_pubsub_subscription *leat_pubsub_next_of_subscriber(
	const struct leat_pubsub_subscription *subscription);

/**
 * @return
 *   The oldest subscription to a channel, or NULL: nobody listens. Walk with
 *   leat_pubsub_next_of_channel(), and change no subscription on the way.
 */
struct leat_pubsub_subscription *leat_pubsub_first_of_channel(
	const struct leat_pubsub *pubsub, struct leat_slice channel);

/** @return the next subscription to the same channel, or NULL. */
struct leat_pubsub_subscription *leat_pubsub_next_of_channel(
	const struct leat_pubsub_subscription *subscription);

/** @return who subscribed. */
struct leat_pubsub_subscriber *leat_pubsub_subscription_subscriber(
	const struct leat_pubsub_subscription *subscription);

/** @return the channel's name; it stays pubsub's, valid while the channel has a subscriber. */
struct leat_slice leat_pubsub_subscription_channel(
	const struct leat_pubsub_subscription *subscription);

/** @return how many subscribe to a channel; 0 if there is no such channel. */
uint32_t leat_pubsub_nb_subscribers(const struct leat_pubsub *pubsub, struct leat_slice channel);

/** @return channels that have a subscriber. */
uint32_t leat_pubsub_nb_channels(const struct leat_pubsub *pubsub);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_PUBSUB_H */
