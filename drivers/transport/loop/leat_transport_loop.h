/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TRANSPORT_LOOP_H
#define LEAT_TRANSPORT_LOOP_H

/**
 * @file
 * The loop transport: connections inside one process, for tests of everything above
 * waist 1.
 *
 * - Two transports joined back to back (peer names the other), or one alone whose
 *   connects reach its own listeners. A transport closes before or after its peer.
 * - Bytes are handed over in the sender's mbufs, one DATA event per send, unless the
 *   window or a fault cuts or joins them. Nothing is lost or reordered.
 * - What was sent or shut down reaches the peer at the sender's tx_flush, so that a
 *   forgotten flush is seen.
 * - Faults are drawn from a seeded generator: the same calls give the same events.
 * - A caller that breaks the contract (an empty segment, a send before OPEN or after
 *   shutdown, more consumed than delivered, a dead connection) is stopped by LEAT_VERIFY.
 * - A local abort closes with -ECONNABORTED, the peer's with -ECONNRESET, a connect
 *   that nobody listens to, or whose other end has no room, with -ECONNREFUSED.
 *
 * Single threaded: joined transports are driven by one thread. wait() returns at once,
 * since nothing can happen meanwhile. Time is not used.
 */

#include <leat_transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_LOOP_LISTENERS_MAX 16
#define LEAT_LOOP_CHAINS_MAX    64           /**< sent chains that wait for one receiver */
#define LEAT_LOOP_WINDOW        (64u << 10)  /**< bytes, where the configuration says 0 */
#define LEAT_LOOP_SENDQ_LEN     (256u << 10) /**< bytes, where the configuration says 0 */

/** The driver_conf of a loop transport; all zero or NULL: alone and without faults. */
struct leat_loop_conf {
	struct leat_transport *peer; /**< an open loop transport to be joined to, or NULL */
	uint64_t seed;               /**< of the faults */
	uint32_t window;             /**< received bytes not yet consumed, 0: LEAT_LOOP_WINDOW */
	uint32_t sendq_len; /**< sent bytes not yet received, 0: LEAT_LOOP_SENDQ_LEN; a longer
				 chain is taken when nothing else waits */

	/* Faults, each in chances out of 1000 per occasion. */
	uint16_t split_per_1000;      /**< a delivery is cut short; a segment becomes two */
	uint16_t join_per_1000;       /**< the next send is delivered with this one */
	uint16_t delay_per_1000;      /**< a connection has no event in this burst */
	uint16_t nobufs_per_1000;     /**< a send is refused although there is room */
	uint16_t alloc_fail_per_1000; /**< tx_alloc() gives NULL */
	uint16_t reset_per_1000;      /**< instead of a delivery both ends are reset */
};

/** Named "loop". open() adds -EINVAL (no pool, no connections, a chance over 1000), -EBUSY
 * (the peer has a peer) and -ENOMEM to the contract; listen() adds -ENOSPC. */
extern const struct leat_transport_ops leat_transport_loop_ops;

/** @return connections of @p xp that have not reported CLOSED, for checks at the end. */
uint32_t leat_transport_loop_nb_conns(const struct leat_transport *xp);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TRANSPORT_LOOP_H */
