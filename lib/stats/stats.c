/* SPDX-License-Identifier: BSD-3-Clause */

#include "leat_stats.h"

uint64_t
leat_stat_read(const struct leat_stat_set *set, const struct leat_stat_def *def)
{
	const uint8_t *field = (const uint8_t *)set->base + def->offset;

	LEAT_VERIFY(def->len == sizeof(bool) || def->len == sizeof(uint32_t) ||
		    def->len == sizeof(uint64_t));
	/* Relaxed: a counter stands for itself, and the owner's plain writes are not torn. */
	if (def->len == sizeof(bool))
		return __atomic_load_n((const bool *)(const void *)field, __ATOMIC_RELAXED);
	if (def->len == sizeof(uint32_t))
		return __atomic_load_n((const uint32_t *)(const void *)field, __ATOMIC_RELAXED);
	return __atomic_load_n((const uint64_t *)(const void *)field, __ATOMIC_RELAXED);
}
