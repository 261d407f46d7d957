/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RELAY_IMPAIR_H
#define RELAY_IMPAIR_H

/**
 * @file
 * What becomes of a frame on a bad link, as a function of nothing but the seed, the
 * direction, the frame's number and the figures. The same seed loses the same frames,
 * whoever sends them. Each fate is drawn by itself: a link that also doubles frames
 * loses the same ones as a link that does not.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RELAY_PPM 1000000u /**< shares of frames are parts of this */

/** How bad a link is, in one direction. */
struct relay_impair_conf {
	uint32_t loss_ppm;    /**< frames that vanish, up to RELAY_PPM as all shares */
	uint32_t dup_ppm;     /**< frames that arrive twice */
	uint32_t reorder_ppm; /**< frames that later ones overtake */
	uint32_t corrupt_ppm; /**< frames that arrive with one bit flipped */
	uint32_t jitter_us;   /**< most that is added to the delay; frames keep their order */
	uint32_t reorder_us;  /**< most by which a reordered frame comes late, at least 1 */
};

/** What becomes of one frame. */
struct relay_fate {
	bool is_lost; /**< then the rest does not matter */
	bool is_doubled;
	bool is_corrupted;
	uint32_t jitter_us; /**< 0 to the figure */
	uint32_t late_us;   /**< 1 to the figure for a reordered frame, else 0 */
	uint64_t bit_draw;  /**< for relay_flip_bit() */
};

/**
 * Decide over one frame.
 *
 * @param direction
 *   Two directions with one seed are two different links.
 * @param frame_no
 *   The frame's number in its direction, from 0.
 */
void relay_impair(uint64_t seed, uint32_t direction, uint64_t frame_no,
	const struct relay_impair_conf *conf, struct relay_fate *fate);

/**
 * Flip exactly one bit.
 *
 * @param len
 *   Bytes at @p data, at least 1.
 * @param drawn
 *   Says which bit; every bit is as likely.
 */
void relay_flip_bit(uint8_t *data, size_t len, uint64_t drawn);

#ifdef __cplusplus
}
#endif

#endif /* RELAY_IMPAIR_H */
