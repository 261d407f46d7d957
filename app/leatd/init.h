/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_INIT_H
#define LEATD_INIT_H

/**
 * @file
 * From a checked configuration to a running appliance and back: a table of steps, each
 * with its undoing.
 */

#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return the protocols and transports that this leatd was built with. */
const struct leatd_parts *leatd_parts(void);

/**
 * Start, serve until told to end, drain, and give everything back.
 *
 * Once in a process' life: DPDK starts only once.
 *
 * @param conf
 *   Checked by leatd_conf_check(). Borrowed for the call.
 * @param config_path
 *   The file that was read, NULL without one; for INFO.
 * @return
 *   0: told to end, and every connection ended in order. Else -errno with the sentence
 *   in @p error: it did not start, or connections had to be aborted (-ETIME).
 */
int leatd_run(const struct leatd_conf *conf, const char *config_path, struct leat_error *error);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_INIT_H */
