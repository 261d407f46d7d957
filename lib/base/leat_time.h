/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TIME_H
#define LEAT_TIME_H

/**
 * @file
 * From ticks of a cycle counter to microseconds, without a division. Nothing here
 * reads a clock: the ticks are an argument.
 */

#include <stdint.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_MS_PER_S  1000u
#define LEAT_US_PER_S  1000000u
#define LEAT_US_PER_MS 1000u
#define LEAT_NS_PER_US 1000u
#define LEAT_NS_PER_MS 1000000
#define LEAT_NS_PER_S  1000000000

/** Microseconds of a cycle counter since its base. */
struct leat_clock {
	uint64_t base_tsc;
	uint64_t us_per_tick; /**< as a fraction of 2^64 */
};

/**
 * @param tsc
 *   Ticks that count as microsecond 0.
 * @param tsc_hz
 *   Ticks in a second, more than 1,000,000.
 */
static inline void
leat_clock_init(struct leat_clock *clock, uint64_t tsc, uint64_t tsc_hz)
{
	LEAT_VERIFY(tsc_hz > LEAT_US_PER_S);
	clock->base_tsc = tsc;
	clock->us_per_tick = (uint64_t)(((unsigned __int128)LEAT_US_PER_S << 64) / tsc_hz);
}

/** @param tsc  Ticks, not before the base. @return microseconds since the base. */
static inline uint64_t
leat_clock_us(const struct leat_clock *clock, uint64_t tsc)
{
	uint64_t ticks = tsc - clock->base_tsc;

	return (uint64_t)(((unsigned __int128)ticks * clock->us_per_tick) >> 64);
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TIME_H */
