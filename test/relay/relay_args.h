/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RELAY_ARGS_H
#define RELAY_ARGS_H

/**
 * @file
 * The command line of leat-relay.
 */

#include <stdio.h>

#include <leat_error.h>

#include "relay_link.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The two ends, and the directions away from them. */
enum relay_side {
	RELAY_A,
	RELAY_B,
	RELAY_SIDES,
};

/** What to do. */
struct relay_args {
	bool is_help;                              /**< print it and end; nothing else is set */
	const char *devs[RELAY_SIDES];             /**< as in leat_dpdk_port_conf::dev */
	uint16_t vlan_ids[RELAY_SIDES];            /**< of the tag on that side, 0: no change */
	struct relay_link_conf links[RELAY_SIDES]; /**< of what comes in at that side */
	uint64_t seed;
};

/**
 * Read a command line.
 *
 * @param argv
 *   Borrowed by @p args.
 * @return
 *   0, or -EINVAL with the sentence in @p error.
 */
int relay_args_parse(int argc, char **argv, struct relay_args *args, struct leat_error *error);

/** Print what the options are. */
void relay_args_help(FILE *out);

#ifdef __cplusplus
}
#endif

#endif /* RELAY_ARGS_H */
