/* SPDX-License-Identifier: BSD-3-Clause */

/* leatd: what the command line asks for, and the exit status. */

#include <stdio.h>

#include <leat_common.h>
#include <leat_error.h>

#include "args.h"
#include "init.h"
#include "log.h"
#include "routes.h"

enum exit_status {
	EXIT_GOOD = 0,
	EXIT_RUN = 1,   /* it could not start, or could not end in order */
	EXIT_USAGE = 2, /* it was told something wrong */
};

static int
usage_error(const struct leat_error *error)
{
	leatd_log(LEATD_LOG_ERROR, "%s", error->text);
	return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	static struct leatd_conf conf; /* too large for a stack */
	struct leat_error error = { 0 };
	struct leatd_args args;

	if (leatd_args_parse(argc, argv, &args, &conf, &error) < 0)
		return usage_error(&error);
	switch (args.action) {
	case LEATD_HELP:
		leatd_args_help(stdout);
		return EXIT_GOOD;
	case LEATD_VERSION:
		(void)printf("leatd %s\n", LEAT_VERSION);
		return EXIT_GOOD;
	case LEATD_CHECK:
	case LEATD_RUN:
		break;
	case LEATD_ACTIONS:
		LEAT_VERIFY(false);
	}
	if (leatd_conf_check(&conf, leatd_parts(), &error) < 0 ||
		leatd_routes_check(&conf, &error) < 0)
		return usage_error(&error);
	if (args.action == LEATD_CHECK) {
		(void)printf("configuration is good\n");
		leatd_conf_print(&conf, stdout);
		return EXIT_GOOD;
	}
	if (leatd_run(&conf, args.config_path, &error) < 0) {
		leatd_log(LEATD_LOG_ERROR, "%s", error.text);
		return EXIT_RUN;
	}
	return EXIT_GOOD;
}
