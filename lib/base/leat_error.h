/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ERROR_H
#define LEAT_ERROR_H

/**
 * @file
 * One clear sentence for a person: what failed, where, and how to mend it.
 *
 * Set-up functions return -errno for the program and fill one of these for the
 * person. Nothing below app/ prints.
 */

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ERROR_TEXT_MAX 512 /**< bytes, the terminating zero included */

struct leat_error {
	char text[LEAT_ERROR_TEXT_MAX]; /**< lower case, no newline, no full stop; "" if none */
};

/**
 * Fill @p error unless it is NULL or already tells of an earlier, deeper cause.
 *
 * @return
 *   @p ret, so that a caller can write: return leat_error_set(error, -EINVAL, "...");
 */
int leat_error_set(struct leat_error *error, int ret, const char *fmt, ...) LEAT_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ERROR_H */
