/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>

#include <leat_heap.h>
#include <leat_siphash.h>

#include "leat_pubsub.h"

#define PUBSUB_TABLE_MIN  8u  /* entries of the smallest rte_hash */
#define PUBSUB_TABLE_NAME 32  /* bytes of a table's name, with its suffix and zero */
#define PUBSUB_CHANNELS   'c' /* suffixes of the tables' names */
#define PUBSUB_PAIRS      's'

TAILQ_HEAD(pubsub_subscriptions, leat_pubsub_subscription);

struct leat_pubsub_channel {
	struct pubsub_subscriptions subscriptions;
	uint32_t nb_subscribers;
	uint32_t hash;
	uint32_t name_len;
	uint8_t name[];
};

struct leat_pubsub_subscription {
	TAILQ_ENTRY(leat_pubsub_subscription) of_channel;
	struct leat_pubsub_subscription *next; /* of the same subscriber; or the next free one */
	struct leat_pubsub_subscription *prev; /* of the same subscriber */
	struct leat_pubsub_channel *channel;
	struct leat_pubsub_subscriber *subscriber;
	uint32_t hash; /* of the pair */
};

/* Key of the table of subscriptions. */
struct pubsub_pair {
	const struct leat_pubsub_subscriber *subscriber;
	const struct leat_pubsub_channel *channel;
};

struct leat_pubsub {
	struct rte_hash *channels; /* by a slice: the name */
	struct rte_hash *pairs;
	struct leat_siphash_key key;
	uint32_t nb_channels;
	uint32_t nb_channels_max;
	struct leat_pubsub_subscription *free; /* those that are not in use */
	struct leat_pubsub_subscription *subscriptions;
	struct leat_heap *heap; /* of the channels */
	void *region;
};

static_assert(sizeof(struct leat_slice) == 16, "no padding in a key");
static_assert(sizeof(struct pubsub_pair) == 16, "no padding in a key");

static int
name_compare(const void *a, const void *b, size_t key_len)
{
	const struct leat_slice *x = a;
	const struct leat_slice *y = b;

	(void)key_len; /* of the slices, not of their bytes */
	return leat_slice_is_equal(*x, *y) ? 0 : 1;
}

static uint32_t
pubsub_hash(const struct leat_pubsub *pubsub, const void *data, size_t len)
{
	return (uint32_t)leat_siphash(&pubsub->key, data, len);
}

static struct leat_slice
channel_name(const struct leat_pubsub_channel *channel)
{
	return (struct leat_slice){ channel->name, channel->name_len };
}

static struct leat_pubsub_channel *
channel_find(const struct leat_pubsub *pubsub, struct leat_slice name, uint32_t hash)
{
	void *channel = NULL;

	if (rte_hash_lookup_with_hash_data(pubsub->channels, &name, hash, &channel) < 0)
		return NULL;
	return channel;
}

/* Make a channel that nobody is subscribed to yet, or NULL: no room. */
static struct leat_pubsub_channel *
channel_add(struct leat_pubsub *pubsub, struct leat_slice name, uint32_t hash)
{
	struct leat_pubsub_channel *channel;
	struct leat_slice own_name;

	if (pubsub->nb_channels == pubsub->nb_channels_max)
		return NULL;
	channel = leat_heap_alloc(
		pubsub->heap, offsetof(struct leat_pubsub_channel, name) + name.len);
	if (channel == NULL)
		return NULL;
	TAILQ_INIT(&channel->subscriptions);
	channel->nb_subscribers = 0;
	channel->hash = hash;
	channel->name_len = (uint32_t)name.len;
	if (name.len > 0)
		memcpy(channel->name, name.data, name.len);
	own_name = channel_name(channel);
	if (rte_hash_add_key_with_hash_data(pubsub->channels, &own_name, hash, channel) < 0) {
		leat_heap_free(pubsub->heap, channel);
		return NULL;
	}
	pubsub->nb_channels++;
	return channel;
}

static void
channel_remove(struct leat_pubsub *pubsub, struct leat_pubsub_channel *channel)
{
	struct leat_slice name = channel_name(channel);
	int ret = rte_hash_del_key_with_hash(pubsub->channels, &name, channel->hash);

	LEAT_VERIFY(ret >= 0 && pubsub->nb_channels > 0);
	leat_heap_free(pubsub->heap, channel);
	pubsub->nb_channels--;
}

static struct leat_pubsub_subscription *
pair_find(const struct leat_pubsub *pubsub, const struct pubsub_pair *pair, uint32_t hash)
{
	void *subscription = NULL;

	if (rte_hash_lookup_with_hash_data(pubsub->pairs, pair, hash, &subscription) < 0)
		return NULL;
	return subscription;
}

/* Append to the lists of the channel and of the subscriber. */
static void
subscription_link(struct leat_pubsub_subscription *subscription)
{
	struct leat_pubsub_subscriber *subscriber = subscription->subscriber;
	struct leat_pubsub_channel *channel = subscription->channel;

	TAILQ_INSERT_TAIL(&channel->subscriptions, subscription, of_channel);
	channel->nb_subscribers++;
	subscription->next = NULL;
	subscription->prev = subscriber->last;
	if (subscriber->last == NULL)
		subscriber->first = subscription;
	else
		subscriber->last->next = subscription;
	subscriber->last = subscription;
	subscriber->nb_subscriptions++;
}

static void
subscription_unlink(struct leat_pubsub_subscription *subscription)
{
	struct leat_pubsub_subscriber *subscriber = subscription->subscriber;
	struct leat_pubsub_channel *channel = subscription->channel;

	TAILQ_REMOVE(&channel->subscriptions, subscription, of_channel);
	channel->nb_subscribers--;
	if (subscription->prev == NULL)
		subscriber->first = subscription->next;
	else
		subscription->prev->next = subscription->next;
	if (subscription->next == NULL)
		subscriber->last = subscription->prev;
	else
		subscription->next->prev = subscription->prev;
	subscriber->nb_subscriptions--;
}

static void
subscription_end(struct leat_pubsub *pubsub, struct leat_pubsub_subscription *subscription)
{
	struct leat_pubsub_channel *channel = subscription->channel;
	struct pubsub_pair pair = { subscription->subscriber, channel };
	int ret = rte_hash_del_key_with_hash(pubsub->pairs, &pair, subscription->hash);

	LEAT_VERIFY(ret >= 0);
	subscription_unlink(subscription);
	subscription->next = pubsub->free;
	pubsub->free = subscription;
	if (channel->nb_subscribers == 0)
		channel_remove(pubsub, channel);
}

static int
conf_check(const struct leat_pubsub_conf *conf, struct leat_error *error)
{
	size_t name_len = conf->name == NULL ? 0 : strlen(conf->name);

	if (name_len == 0 || name_len > LEAT_PUBSUB_NAME_MAX)
		return leat_error_set(error, -EINVAL, "pubsub: a name has 1 to %u bytes, not %zu",
			LEAT_PUBSUB_NAME_MAX, name_len);
	if (conf->nb_channels_max == 0 || conf->nb_channels_max > LEAT_PUBSUB_CHANNELS_MAX)
		return leat_error_set(error, -EINVAL,
			"pubsub %s: the number of channels must be 1 to %u, not %u", conf->name,
			LEAT_PUBSUB_CHANNELS_MAX, conf->nb_channels_max);
	if (conf->nb_subscriptions_max == 0 ||
		conf->nb_subscriptions_max > LEAT_PUBSUB_SUBSCRIPTIONS_MAX)
		return leat_error_set(error, -EINVAL,
			"pubsub %s: the number of subscriptions must be 1 to %u, not %u",
			conf->name, LEAT_PUBSUB_SUBSCRIPTIONS_MAX, conf->nb_subscriptions_max);
	return 0;
}

static int
table_create(const struct leat_pubsub_conf *conf, char suffix, uint32_t nb_entries,
	struct rte_hash **table, struct leat_error *error)
{
	char name[PUBSUB_TABLE_NAME];
	struct rte_hash_parameters params = {
		.name = name,
		.entries = LEAT_MAX(nb_entries, PUBSUB_TABLE_MIN),
		.key_len = sizeof(struct leat_slice), /* as long as a pair */
		.socket_id = conf->socket_id,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	(void)snprintf(name, sizeof(name), "%s.%c", conf->name, suffix); /* fits */
	rte_errno = 0;
	*table = rte_hash_create(&params);
	if (*table != NULL)
		return 0;
	if (rte_errno == EEXIST)
		return leat_error_set(
			error, -EEXIST, "pubsub: there is one named %s already", conf->name);
	/* rte_errno does not always tell, but nothing else is left. */
	return leat_error_set(error, -ENOMEM,
		"pubsub %s: no memory for a table of %u entries on NUMA node %d; give leatd more "
		"memory",
		conf->name, nb_entries, conf->socket_id);
}

/* The memory of channels and subscriptions. */
static int
pubsub_alloc(
	struct leat_pubsub *pubsub, const struct leat_pubsub_conf *conf, struct leat_error *error)
{
	size_t region_len = LEAT_HEAP_CONTROL_MAX + LEAT_HEAP_LEN_MIN +
			    (size_t)conf->nb_channels_max * LEAT_PUBSUB_CHANNEL_MEM_LEN;
	size_t subscriptions_len =
		conf->nb_subscriptions_max * sizeof(struct leat_pubsub_subscription);

	pubsub->region = rte_malloc_socket(NULL, region_len, LEAT_CACHE_LINE_LEN, conf->socket_id);
	pubsub->subscriptions =
		rte_malloc_socket(NULL, subscriptions_len, LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (pubsub->region == NULL || pubsub->subscriptions == NULL) {
		rte_free(pubsub->region);
		rte_free(pubsub->subscriptions);
		return leat_error_set(error, -ENOMEM,
			"pubsub %s: no memory for %u channels and %u subscriptions on NUMA node "
			"%d; give leatd more memory",
			conf->name, conf->nb_channels_max, conf->nb_subscriptions_max,
			conf->socket_id);
	}
	pubsub->heap = leat_heap_init(pubsub->region, region_len);
	LEAT_VERIFY(pubsub->heap != NULL);
	for (uint32_t i = conf->nb_subscriptions_max; i-- > 0;) {
		pubsub->subscriptions[i].next = pubsub->free;
		pubsub->free = &pubsub->subscriptions[i];
	}
	return 0;
}

static void
pubsub_free(struct leat_pubsub *pubsub)
{
	leat_heap_fini(pubsub->heap);
	rte_free(pubsub->region);
	rte_free(pubsub->subscriptions);
}

int
leat_pubsub_open(
	const struct leat_pubsub_conf *conf, struct leat_pubsub **out, struct leat_error *error)
{
	struct leat_pubsub *pubsub;
	int ret = conf_check(conf, error);

	if (ret < 0)
		return ret;
	pubsub = rte_zmalloc_socket(NULL, sizeof(*pubsub), LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (pubsub == NULL)
		return leat_error_set(error, -ENOMEM, "pubsub %s: no memory on NUMA node %d",
			conf->name, conf->socket_id);
	ret = pubsub_alloc(pubsub, conf, error);
	if (ret < 0)
		goto free_pubsub;
	ret = table_create(conf, PUBSUB_CHANNELS, conf->nb_channels_max, &pubsub->channels, error);
	if (ret < 0)
		goto free_memory;
	ret = table_create(conf, PUBSUB_PAIRS, conf->nb_subscriptions_max, &pubsub->pairs, error);
	if (ret < 0)
		goto free_channels;
	rte_hash_set_cmp_func(pubsub->channels, name_compare);
	pubsub->key = (struct leat_siphash_key){ conf->seed[0], conf->seed[1] };
	pubsub->nb_channels_max = conf->nb_channels_max;
	*out = pubsub;
	return 0;

free_channels:
	rte_hash_free(pubsub->channels);
free_memory:
	pubsub_free(pubsub);
free_pubsub:
	rte_free(pubsub);
	return ret;
}

void
leat_pubsub_close(struct leat_pubsub *pubsub)
{
	if (pubsub == NULL)
		return;
	rte_hash_free(pubsub->pairs);
	rte_hash_free(pubsub->channels);
	pubsub_free(pubsub);
	rte_free(pubsub);
}

int
leat_pubsub_subscribe(struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber,
	struct leat_slice channel)
{
	struct leat_pubsub_subscription *subscription = pubsub->free;
	struct pubsub_pair pair = { subscriber, NULL };
	struct leat_pubsub_channel *found;
	uint32_t name_hash;
	uint32_t pair_hash = 0;
	int ret;

	if (channel.len > LEAT_PUBSUB_CHANNEL_LEN_MAX)
		return -EMSGSIZE;
	name_hash = pubsub_hash(pubsub, channel.data, channel.len);
	found = channel_find(pubsub, channel, name_hash);
	if (found != NULL) {
		pair.channel = found;
		pair_hash = pubsub_hash(pubsub, &pair, sizeof(pair));
		if (pair_find(pubsub, &pair, pair_hash) != NULL)
			return 0;
	}
	if (subscription == NULL || subscriber->nb_subscriptions == LEAT_PUBSUB_PER_CLIENT_MAX)
		return -ENOBUFS;
	if (found == NULL) {
		found = channel_add(pubsub, channel, name_hash);
		if (found == NULL)
			return -ENOBUFS;
		pair.channel = found;
		pair_hash = pubsub_hash(pubsub, &pair, sizeof(pair));
	}
	ret = rte_hash_add_key_with_hash_data(pubsub->pairs, &pair, pair_hash, subscription);
	LEAT_VERIFY(ret == 0); /* it has an entry for each subscription that there can be */
	pubsub->free = subscription->next;
	subscription->channel = found;
	subscription->subscriber = subscriber;
	subscription->hash = pair_hash;
	subscription_link(subscription);
	return 1;
}

bool
leat_pubsub_unsubscribe(struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber,
	struct leat_slice channel)
{
	struct pubsub_pair pair = { subscriber, NULL };
	struct leat_pubsub_subscription *subscription;

	pair.channel =
		channel_find(pubsub, channel, pubsub_hash(pubsub, channel.data, channel.len));
	if (pair.channel == NULL)
		return false;
	subscription = pair_find(pubsub, &pair, pubsub_hash(pubsub, &pair, sizeof(pair)));
	if (subscription == NULL)
		return false;
	subscription_end(pubsub, subscription);
	return true;
}

void
leat_pubsub_unsubscribe_all(struct leat_pubsub *pubsub, struct leat_pubsub_subscriber *subscriber)
{
	while (subscriber->first != NULL)
		subscription_end(pubsub, subscriber->first);
	LEAT_VERIFY(subscriber->last == NULL && subscriber->nb_subscriptions == 0);
}

struct leat_pubsub_subscription *
leat_pubsub_next_of_subscriber(const struct leat_pubsub_subscription *subscription)
{
	return subscription->next;
}

struct leat_pubsub_subscription *
leat_pubsub_first_of_channel(const struct leat_pubsub *pubsub, struct leat_slice channel)
{
	const struct leat_pubsub_channel *found;

	found = channel_find(pubsub, channel, pubsub_hash(pubsub, channel.data, channel.len));
	return found == NULL ? NULL : TAILQ_FIRST(&found->subscriptions);
}

struct leat_pubsub_subscription *
leat_pubsub_next_of_channel(const struct leat_pubsub_subscription *subscription)
{
	return TAILQ_NEXT(subscription, of_channel);
}

struct leat_pubsub_subscriber *
leat_pubsub_subscription_subscriber(const struct leat_pubsub_subscription *subscription)
{
	return subscription->subscriber;
}

struct leat_slice
leat_pubsub_subscription_channel(const struct leat_pubsub_subscription *subscription)
{
	return channel_name(subscription->channel);
}

uint32_t
leat_pubsub_nb_subscribers(const struct leat_pubsub *pubsub, struct leat_slice channel)
{
	const struct leat_pubsub_channel *found;

	found = channel_find(pubsub, channel, pubsub_hash(pubsub, channel.data, channel.len));
	return found == NULL ? 0 : found->nb_subscribers;
}

uint32_t
leat_pubsub_nb_channels(const struct leat_pubsub *pubsub)
{
	return pubsub->nb_channels;
}
