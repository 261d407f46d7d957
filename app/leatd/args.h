/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_ARGS_H
#define LEATD_ARGS_H

/**
 * @file
 * The command line: the options of the key table, --port, --listen, and what leatd
 * is to do.
 */

#include <stdio.h>

#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

enum leatd_action {
	LEATD_RUN,
	LEATD_CHECK,   /**< validate and end */
	LEATD_VERSION, /**< print the version and end */
	LEATD_HELP,    /**< print the options and end */
	LEATD_ACTIONS,
};

struct leatd_args {
	enum leatd_action action;
	const char *config_path; /**< of argv; NULL: no file */
};

/**
 * Read the command line, and the file that it names, into @p conf: defaults, then
 * the file, then the options. With --help or --version @p conf and the file are
 * left alone.
 *
 * @return
 *   0, or -errno with the sentence in @p error: a usage error.
 */
int leatd_args_parse(int argc, char **argv, struct leatd_args *args, struct leatd_conf *conf,
	struct leat_error *error);

/** Print what --help prints. */
void leatd_args_help(FILE *out);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_ARGS_H */
