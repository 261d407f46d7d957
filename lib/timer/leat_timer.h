/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TIMER_H
#define LEAT_TIMER_H

/**
 * @file
 * A hierarchical timing wheel. Time is an argument: microseconds of one monotonic
 * clock. Setting, moving and cancelling take constant time and no memory.
 *
 * A timer never fires early; it fires at most one tick (LEAT_TIMER_TICK_US) late
 * plus the time until leat_timer_expire() is called.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_TIMER_TICK_SHIFT 7 /**< 128 us */
#define LEAT_TIMER_TICK_US    (1u << LEAT_TIMER_TICK_SHIFT)
#define LEAT_TIMER_NEVER      UINT64_MAX

/** Embedded in what shall be woken; all zero is a timer that is not set. */
struct leat_timer {
	struct leat_timer *next;
	struct leat_timer **pprev; /**< NULL: not set */
	uint64_t expires_tick;
};

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TIMER_H */
