/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A tick is a number of LEAT_TIMER_LEVELS digits in base LEAT_TIMER_SLOTS. A timer
 * lies on the level of the highest digit in which its tick differs from now_tick,
 * in the slot of its own digit there. Three things follow. On each level all timers
 * share the higher digits with now_tick, so a slot is one span of time and not
 * several rounds. The slots in use lie at or after the present one, so the lowest
 * bit is the next. And every timer of a level comes before every timer of the levels
 * above, so the first level in use has the next slot.
 */

#include "leat_timer.h"

static uint64_t
tick_of_now(uint64_t now_us)
{
	return LEAT_MIN(now_us >> LEAT_TIMER_TICK_SHIFT, LEAT_TIMER_TICK_MAX);
}

/* Rounded up: a timer never fires early. */
static uint64_t
tick_of_expiry(uint64_t at_us)
{
	uint64_t tick = at_us >> LEAT_TIMER_TICK_SHIFT;

	tick += (at_us & (LEAT_TIMER_TICK_US - 1)) != 0;
	return LEAT_MIN(tick, LEAT_TIMER_TICK_MAX);
}

static void
list_push(struct leat_timer **head, struct leat_timer *timer)
{
	timer->next = *head;
	timer->pprev = head;
	if (*head != NULL)
		(*head)->pprev = &timer->next;
	*head = timer;
}

static void
list_remove(struct leat_timer *timer)
{
	*timer->pprev = timer->next;
	if (timer->next != NULL)
		timer->next->pprev = timer->pprev;
	timer->next = NULL;
	timer->pprev = NULL;
}

static unsigned int
wheel_level_of(const struct leat_timer_wheel *wheel, uint64_t tick)
{
	uint64_t differs = tick ^ wheel->now_tick;

	if (differs == 0)
		return 0;
	return (63u - (unsigned int)__builtin_clzll(differs)) / LEAT_TIMER_SLOT_SHIFT;
}

static void
wheel_insert(struct leat_timer_wheel *wheel, struct leat_timer *timer)
{
	unsigned int level = wheel_level_of(wheel, timer->expires_tick);
	unsigned int slot = (unsigned int)(timer->expires_tick >> (level * LEAT_TIMER_SLOT_SHIFT)) &
			    (LEAT_TIMER_SLOTS - 1);

	list_push(&wheel->slots[level][slot], timer);
	wheel->used[level] |= UINT64_C(1) << slot;
}

/* The first level in use, or LEAT_TIMER_LEVELS. */
static unsigned int
wheel_first_level(const struct leat_timer_wheel *wheel)
{
	unsigned int level = 0;

	while (level < LEAT_TIMER_LEVELS && wheel->used[level] == 0)
		level++;
	return level;
}

static unsigned int
wheel_first_slot(const struct leat_timer_wheel *wheel, unsigned int level)
{
	return (unsigned int)__builtin_ctzll(wheel->used[level]);
}

/* The first tick of a slot: the higher digits of now_tick, its own, then zeros. */
static uint64_t
wheel_slot_tick(const struct leat_timer_wheel *wheel, unsigned int level, unsigned int slot)
{
	unsigned int shift = level * LEAT_TIMER_SLOT_SHIFT;
	uint64_t higher = wheel->now_tick >> (shift + LEAT_TIMER_SLOT_SHIFT);

	return ((higher << LEAT_TIMER_SLOT_SHIFT) | slot) << shift;
}

/* Hand the timers of a coarse slot to the moving list; now_tick has reached it. */
static void
wheel_start_moving(struct leat_timer_wheel *wheel, unsigned int level, unsigned int slot)
{
	struct leat_timer **head = &wheel->slots[level][slot];

	LEAT_ASSERT(wheel->moving == NULL);
	wheel->moving = *head;
	wheel->moving->pprev = &wheel->moving;
	*head = NULL;
	wheel->used[level] &= ~(UINT64_C(1) << slot);
}

void
leat_timer_wheel_init(struct leat_timer_wheel *wheel, uint64_t now_us)
{
	*wheel = (struct leat_timer_wheel){ 0 };
	wheel->now_tick = tick_of_now(now_us);
}

void
leat_timer_set(struct leat_timer_wheel *wheel, struct leat_timer *timer, uint64_t at_us)
{
	leat_timer_cancel(wheel, timer);
	if (at_us == LEAT_TIMER_NEVER)
		return;
	timer->expires_tick = LEAT_MAX(tick_of_expiry(at_us), wheel->now_tick);
	wheel_insert(wheel, timer);
}

void
leat_timer_cancel(struct leat_timer_wheel *wheel, struct leat_timer *timer)
{
	struct leat_timer **first = &wheel->slots[0][0];
	struct leat_timer **pprev = timer->pprev;

	if (pprev == NULL)
		return;
	list_remove(timer);
	/* It was the head of a slot, and the only one: the slot is free. */
	if (*pprev == NULL && pprev >= first &&
		pprev < first + (size_t)LEAT_TIMER_LEVELS * LEAT_TIMER_SLOTS) {
		size_t idx = (size_t)(pprev - first);

		wheel->used[idx >> LEAT_TIMER_SLOT_SHIFT] &=
			~(UINT64_C(1) << (idx & (LEAT_TIMER_SLOTS - 1)));
	}
}

struct leat_timer *
leat_timer_expire(struct leat_timer_wheel *wheel, uint64_t now_us)
{
	uint64_t now_tick = tick_of_now(now_us);
	unsigned int nb_moves = 0;

	for (;;) {
		struct leat_timer *timer;
		unsigned int level;
		unsigned int slot;
		uint64_t tick;

		while (wheel->moving != NULL) {
			if (nb_moves++ == LEAT_TIMER_MOVES_MAX)
				return NULL;
			timer = wheel->moving;
			list_remove(timer);
			wheel_insert(wheel, timer);
		}
		level = wheel_first_level(wheel);
		if (level == LEAT_TIMER_LEVELS) {
			wheel->now_tick = LEAT_MAX(wheel->now_tick, now_tick);
			return NULL;
		}
		slot = wheel_first_slot(wheel, level);
		tick = wheel_slot_tick(wheel, level, slot);
		if (tick > now_tick) { /* no slot in use is passed over */
			wheel->now_tick = LEAT_MAX(wheel->now_tick, now_tick);
			return NULL;
		}
		wheel->now_tick = tick;
		if (level > 0) {
			wheel_start_moving(wheel, level, slot);
			continue;
		}
		timer = wheel->slots[0][slot];
		leat_timer_cancel(wheel, timer);
		return timer;
	}
}

uint64_t
leat_timer_next_us(const struct leat_timer_wheel *wheel)
{
	unsigned int level = wheel_first_level(wheel);
	uint64_t tick;

	if (wheel->moving != NULL)
		return wheel->now_tick << LEAT_TIMER_TICK_SHIFT;
	if (level == LEAT_TIMER_LEVELS)
		return LEAT_TIMER_NEVER;
	tick = wheel_slot_tick(wheel, level, wheel_first_slot(wheel, level));
	return tick << LEAT_TIMER_TICK_SHIFT;
}
