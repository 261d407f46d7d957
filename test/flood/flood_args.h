/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOOD_ARGS_H
#define FLOOD_ARGS_H

/**
 * @file
 * The command line of leat-flood.
 */

#include <stdio.h>

#include <leat_error.h>

#include "flood_frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLOOD_RATE_MAX    10000000u /**< frames per second */
#define FLOOD_SECONDS_MAX 3600u

/** What to send, where and how fast. */
struct flood_args {
	bool is_help;           /**< print it and end; nothing else is set */
	const char *iface;      /**< borrowed from argv */
	uint32_t rate;          /**< frames per second */
	uint32_t seconds;       /**< how long */
	struct flood_conf conf; /**< all but src_mac */
};

/**
 * Read a command line.
 *
 * @return
 *   0, or -EINVAL with the sentence in @p error.
 */
int flood_args_parse(int argc, char **argv, struct flood_args *args, struct leat_error *error);

/** Print what the options are. */
void flood_args_help(FILE *out);

#ifdef __cplusplus
}
#endif

#endif /* FLOOD_ARGS_H */
