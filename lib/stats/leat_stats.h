/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_STATS_H
#define LEAT_STATS_H

/**
 * @file
 * Counters and gauges by name. Whoever has a struct of them describes it in one table,
 * and whoever tells people about them needs to know no struct.
 */

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A number with a name. */
struct leat_stat {
	const char *name; /**< of a-z, 0-9 and _; lives as long as the program */
	uint64_t value;
};

/** One field of a struct: bool, uint32_t or uint64_t. */
struct leat_stat_def {
	const char *name;
	uint32_t offset;
	uint32_t len;
};

/** A struct of counters and its table. */
struct leat_stat_set {
	const char *name; /**< "inet", for example; as those of its fields */
	const struct leat_stat_def *defs;
	uint32_t nb_defs;
	const void *base; /**< the struct; its owner writes, any thread reads stale values */
};

/** The entry of @p field of @p type. */
#define LEAT_STAT_DEF(type, field)                                                                 \
	{                                                                                          \
		.name = #field, .offset = (uint32_t)offsetof(type, field),                         \
		.len = (uint32_t)sizeof(((type *)0)->field)                                        \
	}

/** A struct of nothing but uint64_t has as many entries as fields: none was forgotten. */
#define LEAT_STAT_CHECK(type, defs)                                                                \
	static_assert(LEAT_DIM(defs) * sizeof(uint64_t) == sizeof(type),                           \
		"each counter of " #type " stands in its table of names")

/** @return the value of @p def in @p set now, one of its defs. From any thread. */
uint64_t leat_stat_read(const struct leat_stat_set *set, const struct leat_stat_def *def);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_STATS_H */
