/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RELAY_LINK_H
#define RELAY_LINK_H

/**
 * @file
 * One direction of a link: a line of a finite rate with a finite queue before it, then
 * the delay, on which frames are lost, doubled, overtaken and damaged. Time is an
 * argument. Frames lie in a heap by the time at which they are due.
 *
 * A lost frame has taken its time on the line. Jitter does not change the order of
 * frames; only those that are reordered come behind later ones.
 */

#include <stdbool.h>
#include <stdint.h>

#include "relay_impair.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RELAY_FRAMES_MAX    4096u                  /**< under way in one direction */
#define RELAY_DELAY_MAX_US  10000000u              /**< also of jitter and reorder_us */
#define RELAY_RATE_MIN      1000u                  /**< bytes per second */
#define RELAY_RATE_MAX      UINT64_C(100000000000) /**< bytes per second */
#define RELAY_QUEUE_MAX     (UINT32_C(1) << 30)    /**< bytes */
#define RELAY_QUEUE_DEFAULT (UINT32_C(256) << 10)  /**< bytes, of a line that has a rate */
#define RELAY_NEVER         UINT64_MAX

/** The figures of one direction. */
struct relay_link_conf {
	struct relay_impair_conf impair;
	uint32_t delay_us;  /**< up to RELAY_DELAY_MAX_US */
	uint64_t rate;      /**< bytes of frames per second, 0: no limit */
	uint32_t queue_len; /**< bytes that may wait for the line; of no use without a rate */
};

/** What happened; each frame that was received is forwarded or in one of the drops. */
struct relay_link_stats {
	uint64_t nb_received;
	uint64_t nb_forwarded; /**< sent, copies included */
	uint64_t nb_lost;      /**< as the figures want it */
	uint64_t nb_doubled;   /**< copies made */
	uint64_t nb_reordered;
	uint64_t nb_corrupted;  /**< frames with a bit flipped */
	uint64_t nb_delayed;    /**< frames that had to wait */
	uint64_t nb_overflowed; /**< the queue was full: dropped */
	uint64_t nb_crowded;    /**< RELAY_FRAMES_MAX were under way: dropped */
	uint64_t nb_foreign;    /**< of another VLAN, or no frame: dropped, without a number */
	uint64_t nb_refused;    /**< the device did not take them: dropped */
	uint64_t nb_missed;     /**< came while the device's ring was full: never seen */
};

/** A frame under way. */
struct relay_entry {
	uint64_t due_ns;
	uint64_t idx; /**< of two that are due at once the first to come goes first */
	void *frame;
};

/** One direction. */
struct relay_link {
	struct relay_link_conf conf;
	struct relay_link_stats stats;
	uint64_t seed;
	uint32_t direction;
	uint64_t ns_per_byte; /**< as a fraction of 2^16; 0: no limit */
	uint64_t queue_ns;    /**< time that a full queue takes on the line */
	uint64_t busy_ns;     /**< the line has sent all that it was given */
	uint64_t last_due_ns; /**< of frames in order */
	uint64_t nb_pushed;
	uint32_t nb_entries;
	struct relay_entry entries[RELAY_FRAMES_MAX]; /**< a heap, the next one first */
};

/** Start a direction without frames; @p conf is within the limits above. */
void relay_link_init(struct relay_link *link, const struct relay_link_conf *conf, uint64_t seed,
	uint32_t direction);

/**
 * Give the next frame's number to a frame that has come, and decide over it.
 *
 * @param now_ns
 *   Never goes back.
 * @param len
 *   Bytes of the frame.
 * @param fate
 *   What is left to do when it goes on: to damage it, to double it.
 * @return
 *   When it is due, for relay_link_push(); RELAY_NEVER: drop it, it is counted.
 */
uint64_t relay_link_admit(
	struct relay_link *link, uint64_t now_ns, uint32_t len, struct relay_fate *fate);

/**
 * Send a frame on its way.
 *
 * @param frame
 *   The link's until it is popped.
 * @return
 *   false: RELAY_FRAMES_MAX are under way; it is counted, and the frame stays the caller's.
 */
bool relay_link_push(struct relay_link *link, uint64_t due_ns, void *frame);

/** @return the next frame that is due at @p now_ns, now the caller's, or NULL. */
void *relay_link_pop(struct relay_link *link, uint64_t now_ns);

/** @return when the next frame is due, or RELAY_NEVER. */
uint64_t relay_link_next(const struct relay_link *link);

#ifdef __cplusplus
}
#endif

#endif /* RELAY_LINK_H */
