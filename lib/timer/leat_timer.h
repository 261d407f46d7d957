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
 *
 * A timer that is far away lies in a coarse slot. It moves to a finer one when the
 * time of that slot comes, at most once for each level. No call moves more than
 * LEAT_TIMER_MOVES_MAX timers, so that a slot with a million of them does not
 * stop a worker; then the next calls go on with it.
 *
 * A wheel belongs to one lcore.
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

#define LEAT_TIMER_SLOT_SHIFT 6 /**< so that one word tells which slots are in use */
#define LEAT_TIMER_SLOTS      (1u << LEAT_TIMER_SLOT_SHIFT)
#define LEAT_TIMER_LEVELS     8u
/** The last tick of the clock, after more than a thousand years. Later ones count as this. */
#define LEAT_TIMER_TICK_MAX  ((UINT64_C(1) << (LEAT_TIMER_SLOT_SHIFT * LEAT_TIMER_LEVELS)) - 1)
#define LEAT_TIMER_MOVES_MAX 256u /**< timers moved to a finer level in one call */

/** Embedded in what shall be woken; all zero is a timer that is not set. */
struct leat_timer {
	struct leat_timer *next;
	struct leat_timer **pprev; /**< NULL: not set */
	uint64_t expires_tick;
};

/** The wheel; initialised by leat_timer_wheel_init(), its fields are private. */
struct leat_timer_wheel {
	uint64_t now_tick;         /**< all timers before it have fired */
	struct leat_timer *moving; /**< of the slot that now_tick has reached, to be moved down */
	uint64_t used[LEAT_TIMER_LEVELS]; /**< bit per slot: has timers */
	struct leat_timer *slots[LEAT_TIMER_LEVELS][LEAT_TIMER_SLOTS];
};

/**
 * Start a wheel without timers.
 *
 * @param wheel
 *   Written over; timers of an earlier life are forgotten, not unset.
 * @param now_us
 *   The time from which the wheel counts.
 */
void leat_timer_wheel_init(struct leat_timer_wheel *wheel, uint64_t now_us);

/** @return whether @p timer waits in a wheel. */
static inline bool
leat_timer_is_set(const struct leat_timer *timer)
{
	return timer->pprev != NULL;
}

/** @return whether @p timer fires no later than one that is set to @p at_us now. */
static inline bool
leat_timer_is_set_by(const struct leat_timer *timer, uint64_t at_us)
{
	uint64_t tick =
		(at_us >> LEAT_TIMER_TICK_SHIFT) + ((at_us & (LEAT_TIMER_TICK_US - 1)) != 0);

	return leat_timer_is_set(timer) && timer->expires_tick <= tick;
}

/**
 * Set or move a timer.
 *
 * @param wheel
 *   The wheel; the same one while the timer is set.
 * @param timer
 *   Set or not. It stays with the caller, must not move in memory while it is set,
 *   and must be all zero before its first use.
 * @param at_us
 *   When it shall fire. What is past already fires in the next leat_timer_expire();
 *   who sets it to the present from within his loop over expired timers does not end.
 *   LEAT_TIMER_NEVER cancels it.
 */
void leat_timer_set(struct leat_timer_wheel *wheel, struct leat_timer *timer, uint64_t at_us);

/** Unset a timer; one that is not set stays so. */
void leat_timer_cancel(struct leat_timer_wheel *wheel, struct leat_timer *timer);

/**
 * Take one timer that is due. Called until it returns NULL.
 *
 * @param now_us
 *   The time; one before that of an earlier call is taken as no progress.
 * @return
 *   A timer that is unset already, the order within one tick is not defined; or NULL:
 *   none is due, or LEAT_TIMER_MOVES_MAX timers were moved and the rest, which
 *   leat_timer_next_us() tells, waits for the next round of calls.
 */
struct leat_timer *leat_timer_expire(struct leat_timer_wheel *wheel, uint64_t now_us);

/**
 * When to call leat_timer_expire() next.
 *
 * @return
 *   A time not after that of the next timer and perhaps before it, when the wheel has
 *   moving to do; LEAT_TIMER_NEVER when no timer is set.
 */
uint64_t leat_timer_next_us(const struct leat_timer_wheel *wheel);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TIMER_H */
