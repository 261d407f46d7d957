/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * getopt_long over a table that is made from the key table. The command line is read
 * twice: once to find what to do and which file to load, once to apply the options
 * on top of the file.
 */

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include <leat_common.h>

#include "args.h"

#define OPTIONS_MAX 64
#define OPTION_KEYS 256 /* getopt's value of the first key's option */
#define HELP_COLUMN 28

enum option_id {
	OPTION_CONFIG = 1,
	OPTION_CHECK,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_PORT,
	OPTION_LISTEN,
};

struct option_text {
	const char *name;
	enum option_id id;
	const char *meta; /* NULL: takes no value */
	const char *help;
};

static const struct option_text fixed_options[] = {
	{ "config", OPTION_CONFIG, "FILE", "read this configuration file; options override it" },
	{ "check", OPTION_CHECK, NULL, "say whether the configuration is good, and end" },
	{ "version", OPTION_VERSION, NULL, "print the version, and end" },
	{ "help", OPTION_HELP, NULL, "print this, and end" },
	{ "port", OPTION_PORT, "NAME,dev=DEVICE,addr=A/LEN[,key=value...][;ARGS]",
		"add a port; may be repeated" },
	{ "listen", OPTION_LISTEN, "PROTOCOL,TRANSPORT,ADDRESS,PORT[,key=value...]",
		"add a listener; may be repeated" },
};

/* Fill getopt's table; the entry after the last is all zero. */
static void
options_fill(struct option options[OPTIONS_MAX])
{
	const struct leatd_key *keys;
	uint32_t nb_keys, nb = 0;

	memset(options, 0, sizeof(options[0]) * OPTIONS_MAX);
	for (; nb < LEAT_DIM(fixed_options); nb++) {
		options[nb].name = fixed_options[nb].name;
		options[nb].has_arg =
			fixed_options[nb].meta != NULL ? required_argument : no_argument;
		options[nb].val = (int)fixed_options[nb].id;
	}
	keys = leatd_key_table(&nb_keys);
	for (uint32_t i = 0; i < nb_keys; i++) {
		if (leatd_section_has_name(keys[i].section))
			continue;
		LEAT_VERIFY(nb < OPTIONS_MAX - 1);
		options[nb].name = keys[i].name;
		options[nb].has_arg =
			keys[i].type == LEATD_KEY_BOOL ? no_argument : required_argument;
		options[nb].val = OPTION_KEYS + (int)i;
		nb++;
	}
}

/* Candidates for leatd_nearest(): the names of getopt's table. */
static const char *
option_next(const void *arg, uint32_t idx)
{
	const struct option *options = arg;

	return options[idx].name;
}

/* getopt_long() did not like argv[optind - 1]. */
static int
option_bad(char **argv, struct option *options, struct leat_error *error)
{
	const char *word = argv[optind - 1];
	size_t len = strcspn(word, "=");
	const struct leatd_key *keys;
	uint32_t nb_keys;
	const char *near;
	char name[64];

	(void)snprintf(name, sizeof(name), "%.*s", (int)LEAT_MIN(len, sizeof(name) - 1), word);
	if (strncmp(name, "--", 2) != 0)
		return leat_error_set(
			error, -EINVAL, "unknown option '%s'; see leatd --help", name);
	for (struct option *o = options; o->name != NULL; o++)
		if (strcmp(o->name, name + 2) == 0)
			return leat_error_set(error, -EINVAL, "option %s takes no value", name);
	keys = leatd_key_table(&nb_keys);
	for (uint32_t i = 0; i < nb_keys; i++) /* those of plain sections are options */
		if (strcmp(keys[i].section, "route") == 0 && strcmp(keys[i].name, name + 2) == 0)
			return leat_error_set(error, -EINVAL,
				"unknown option '%s'; it is a key of [route NAME], in the file",
				name);
		else if (strcmp(keys[i].name, name + 2) == 0)
			return leat_error_set(error, -EINVAL,
				"unknown option '%s'; it is a key of --%s, such as --%s ...,%s=%s",
				name, keys[i].section, keys[i].section, keys[i].name, keys[i].meta);
	near = leatd_nearest(name + 2, option_next, options);
	if (near != NULL)
		return leat_error_set(
			error, -EINVAL, "unknown option '%s'; did you mean '--%s'?", name, near);
	return leat_error_set(error, -EINVAL, "unknown option '%s'; see leatd --help", name);
}

/* Apply an option of the key table. */
static int
option_key(struct leatd_conf *conf, uint32_t idx, const char *value, struct leat_error *error)
{
	const struct leatd_key *keys;
	char where[LEATD_WORD_LEN + 2];
	uint32_t nb;

	keys = leatd_key_table(&nb);
	LEAT_VERIFY(idx < nb);
	(void)snprintf(where, sizeof(where), "--%s", keys[idx].name);
	return leatd_key_set(&keys[idx], conf, where, value != NULL ? value : "yes", error);
}

/* The first reading: everything is well formed; what to do, and the file. */
static int
option_note(struct leatd_args *args, int id, const char *value)
{
	switch (id) {
	case OPTION_CONFIG:
		args->config_path = value;
		break;
	case OPTION_CHECK:
		args->action = LEATD_CHECK;
		break;
	case OPTION_VERSION:
		args->action = LEATD_VERSION;
		return 1;
	case OPTION_HELP:
		args->action = LEATD_HELP;
		return 1;
	default: /* for the second reading */
		break;
	}
	return 0;
}

/* The second reading: what overrides the file. */
static int
option_apply(struct leatd_conf *conf, int id, const char *value, struct leat_error *error)
{
	switch (id) {
	case OPTION_PORT:
		return leatd_conf_port_option(conf, value, error);
	case OPTION_LISTEN:
		return leatd_conf_listen_option(conf, value, error);
	case OPTION_CONFIG:
	case OPTION_CHECK:
		return 0;
	default:
		return option_key(conf, (uint32_t)id - OPTION_KEYS, value, error);
	}
}

/* One reading of argv: into args, or where that is NULL into conf. */
static int
args_read(int argc, char **argv, struct leatd_args *args, struct leatd_conf *conf,
	struct leat_error *error)
{
	struct option options[OPTIONS_MAX];
	int id, ret;

	options_fill(options);
	optind = 0; /* glibc: start anew */
	while ((id = getopt_long(argc, argv, "+:", options, NULL)) != -1) {
		if (id == ':')
			return leat_error_set(
				error, -EINVAL, "option %s needs a value", argv[optind - 1]);
		if (id == '?')
			return option_bad(argv, options, error);
		ret = args != NULL ? option_note(args, id, optarg)
				   : option_apply(conf, id, optarg, error);
		if (ret != 0)
			return ret < 0 ? ret : 0;
	}
	if (optind < argc)
		return leat_error_set(error, -EINVAL, "unexpected argument '%.64s'", argv[optind]);
	return 0;
}

int
leatd_args_parse(int argc, char **argv, struct leatd_args *args, struct leatd_conf *conf,
	struct leat_error *error)
{
	int ret;

	args->action = LEATD_RUN;
	args->config_path = NULL;
	ret = args_read(argc, argv, args, NULL, error);
	if (ret < 0 || args->action == LEATD_VERSION || args->action == LEATD_HELP)
		return ret;
	leatd_conf_init(conf);
	if (args->config_path != NULL) {
		ret = leatd_conf_load(conf, args->config_path, error);
		if (ret < 0)
			return ret;
	}
	return args_read(argc, argv, NULL, conf, error);
}

/* "  --name META" padded to HELP_COLUMN, or a line of its own where it is longer. */
static void
help_option(FILE *out, const char *dashes, const char *name, const char *glue, const char *meta)
{
	int len = fprintf(out, "  %s%s%s%s", dashes, name, *meta != '\0' ? glue : "", meta);

	if (len < HELP_COLUMN)
		(void)fprintf(out, "%*s", HELP_COLUMN - len, "");
	else
		(void)fprintf(out, "\n%*s", HELP_COLUMN, "");
}

static void
help_key(FILE *out, const struct leatd_key *key)
{
	char allowed[LEATD_VALUE_LEN];

	if (leatd_section_has_name(key->section)) /* a part of --port or --listen, or of the file */
		help_option(out, "", key->name, "=", key->meta);
	else
		help_option(out, "--", key->name, " ", key->meta);
	(void)fprintf(out, "%s\n%*s(", key->help, HELP_COLUMN, "");
	(void)fprintf(out, "%s", leatd_key_allowed(key, allowed));
	if (key->default_text == NULL)
		(void)fprintf(out, "; must be given)\n");
	else if (key->default_text[0] == '\0')
		(void)fprintf(out, ")\n");
	else
		(void)fprintf(out, "; default %s)\n", key->default_text);
}

void
leatd_args_help(FILE *out)
{
	const struct leatd_key *keys;
	uint32_t nb;

	(void)fprintf(out,
		"usage: leatd [OPTION...]\n\n"
		"A network appliance on ports of its own. The same keys stand in the file, as\n"
		"'key = value' under [port NAME], [listen NAME], [route NAME], [worker], "
		"[memory],\n[limits], [server], [control], [tcp].\n\n");
	for (uint32_t i = 0; i < LEAT_DIM(fixed_options); i++) {
		const struct option_text *o = &fixed_options[i];

		help_option(out, "--", o->name, " ", o->meta != NULL ? o->meta : "");
		(void)fprintf(out, "%s\n", o->help);
	}
	keys = leatd_key_table(&nb);
	for (uint32_t i = 0; i < nb; i++) {
		if (i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0)
			(void)fprintf(out, "\n%s%s:\n", keys[i].section,
				leatd_section_has_name(keys[i].section) ? " keys" : "");
		help_key(out, &keys[i]);
	}
	(void)fprintf(out, "\nExample:\n"
			   "  leatd --no-huge --port "
			   "'p0,dev=net_af_packet0,addr=10.77.0.1/24;iface=veth1' \\\n"
			   "    --listen resp,dpdk,10.77.0.1,6379\n");
}
