/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_LOG_H
#define LEATD_LOG_H

/**
 * @file
 * Lines for a person on stderr. Start, stop and the control thread only; nothing of
 * the datapath logs.
 */

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

enum leatd_log_level {
	LEATD_LOG_ERROR,
	LEATD_LOG_WARNING,
	LEATD_LOG_INFO,
	LEATD_LOG_LEVELS,
};

#define LEATD_LOG_LINE_MAX 1024 /**< bytes of a line; a longer one is cut */

/** Write "leatd: text" for an error, else "leatd: level: text", in one piece. */
void leatd_log(enum leatd_log_level level, const char *fmt, ...) LEAT_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_LOG_H */
