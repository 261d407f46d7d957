/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_COMMON_H
#define LEAT_COMMON_H

/**
 * @file
 * Compiler helpers and the two kinds of assertion.
 */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Inline although it has several callers: where a count of instructions says so. */
#define LEAT_ALWAYS_INLINE    inline __attribute__((always_inline))

#define LEAT_LIKELY(x)        __builtin_expect(!!(x), 1)
#define LEAT_UNLIKELY(x)      __builtin_expect(!!(x), 0)
#define LEAT_DIM(a)           (sizeof(a) / sizeof((a)[0]))
#define LEAT_MIN(a, b)        ((a) < (b) ? (a) : (b)) /**< arguments without side effects */
#define LEAT_MAX(a, b)        ((a) > (b) ? (a) : (b)) /**< arguments without side effects */
#define LEAT_CACHE_LINE_LEN   64
#define LEAT_CACHE_ALIGNED    __attribute__((aligned(LEAT_CACHE_LINE_LEN)))
#define LEAT_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))

/** The struct of @p type whose @p member is at @p ptr. */
#define LEAT_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/** Say on stderr which condition failed where, and stop the process with SIGABRT. */
__attribute__((noreturn, cold)) void leat_verify_failed(
	const char *condition, const char *file, int line);

/** Our own state is wrong: stop, in every build. Never used on input from a peer. */
#define LEAT_VERIFY(cond)                                                                          \
	do {                                                                                       \
		if (LEAT_UNLIKELY(!(cond)))                                                        \
			leat_verify_failed(#cond, __FILE__, __LINE__);                             \
	} while (0)

/** As LEAT_VERIFY, for checks too dear for a release build. */
#ifdef NDEBUG
#define LEAT_ASSERT(cond)                                                                          \
	do {                                                                                       \
	} while (0)
#else
#define LEAT_ASSERT(cond) LEAT_VERIFY(cond)
#endif

#ifdef __cplusplus
}
#endif

#endif /* LEAT_COMMON_H */
