/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_ROUTES_H
#define LEATD_ROUTES_H

/**
 * @file
 * The routes of each listener, and the files that they answer with.
 */

#include <leat_error.h>
#include <leat_route.h>

#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LEATD_BODY_MAX (64u << 20) /**< bytes of a file */

struct leatd_routes;

/**
 * Check paths, and that the files can be read; nothing is kept.
 *
 * @param conf
 *   As leatd_conf_check() left it.
 * @return
 *   0, or -errno with the sentence in @p error.
 */
int leatd_routes_check(const struct leatd_conf *conf, struct leat_error *error);

/**
 * Read the files and make a table for each listener of whose routes the configuration says
 * something.
 *
 * Those that are configured come before those that leatd has by itself.
 *
 * @param conf
 *   Must outlive the routes.
 * @param out
 *   Receives them; the EAL runs until they are closed.
 * @return
 *   0, or -errno with the sentence in @p error.
 */
int leatd_routes_open(
	const struct leatd_conf *conf, struct leatd_routes **out, struct leat_error *error);

/** @return the table of listener @p idx of the configuration; NULL: leat_route_builtin. */
const struct leat_route_table *leatd_routes_table(const struct leatd_routes *routes, uint32_t idx);

/** Free all. No device may still send a file. @p routes may be NULL. */
void leatd_routes_close(struct leatd_routes *routes);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_ROUTES_H */
