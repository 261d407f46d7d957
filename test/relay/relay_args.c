/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Figures are whole numbers in steps of their smallest unit: a share of frames in parts
 * of a million, a time in microseconds, a rate in bytes per second.
 */

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include <leat_common.h>
#include <leat_time.h>

#include "relay_args.h"

#define ARGS_REORDER_US_DEFAULT 500u
#define ARGS_WORD_MAX           64u
#define ARGS_VLAN_MAX           4094u

enum figure_kind {
	FIGURE_SHARE, /* "0.01": parts of a million */
	FIGURE_TIME,  /* "1ms": microseconds */
	FIGURE_BYTES, /* "64k": bytes */
};

/* A word behind a number, and what one of it is in the figure's smallest unit. */
struct figure_unit {
	enum figure_kind kind;
	const char *name;
	uint64_t scale;
};

static const struct figure_unit figure_units[] = {
	{ FIGURE_SHARE, "", RELAY_PPM },
	{ FIGURE_TIME, "us", 1 },
	{ FIGURE_TIME, "ms", LEAT_US_PER_MS },
	{ FIGURE_TIME, "s", LEAT_US_PER_S },
	{ FIGURE_BYTES, "", 1 },
	{ FIGURE_BYTES, "k", 1000 },
	{ FIGURE_BYTES, "M", 1000000 },
	{ FIGURE_BYTES, "G", 1000000000 },
};

static const char *const figure_texts[] = {
	[FIGURE_SHARE] = "a share of frames from 0 to 1, such as 0.01",
	[FIGURE_TIME] = "a time of at most 10 s, with its unit, such as 500us or 1ms",
	[FIGURE_BYTES] = "a number of bytes within its limits, such as 65536, 64k or 12.5M",
};

/* One figure of a direction. */
struct figure {
	const char *name;
	enum figure_kind kind;
	uint64_t min;
	uint64_t max;
	size_t offset;
	bool is_wide; /* 64 bits, else 32 */
	const char *help;
};

#define LINK_OFFSET(field) offsetof(struct relay_link_conf, field)

static const struct figure figures[] = {
	{ "loss", FIGURE_SHARE, 0, RELAY_PPM, LINK_OFFSET(impair.loss_ppm), false,
		"share of frames that vanish" },
	{ "dup", FIGURE_SHARE, 0, RELAY_PPM, LINK_OFFSET(impair.dup_ppm), false,
		"share of frames that come twice" },
	{ "reorder", FIGURE_SHARE, 0, RELAY_PPM, LINK_OFFSET(impair.reorder_ppm), false,
		"share of frames that later ones overtake" },
	{ "reorder-by", FIGURE_TIME, 1, RELAY_DELAY_MAX_US, LINK_OFFSET(impair.reorder_us), false,
		"most by which those come late (default 500us)" },
	{ "corrupt", FIGURE_SHARE, 0, RELAY_PPM, LINK_OFFSET(impair.corrupt_ppm), false,
		"share of frames with one bit flipped behind the Ethernet header; IP only" },
	{ "delay", FIGURE_TIME, 0, RELAY_DELAY_MAX_US, LINK_OFFSET(delay_us), false,
		"delay of each frame" },
	{ "jitter", FIGURE_TIME, 0, RELAY_DELAY_MAX_US, LINK_OFFSET(impair.jitter_us), false,
		"most that is added to the delay; frames keep their order" },
	{ "rate", FIGURE_BYTES, RELAY_RATE_MIN, RELAY_RATE_MAX, LINK_OFFSET(rate), true,
		"bytes per second (default no limit)" },
	{ "queue", FIGURE_BYTES, 0, RELAY_QUEUE_MAX, LINK_OFFSET(queue_len), false,
		"bytes that may wait for the rate (default 256 KiB)" },
};

enum option_id {
	OPTION_HELP,
	OPTION_A,
	OPTION_B,
	OPTION_A_TO_B,
	OPTION_B_TO_A,
	OPTION_VLAN_A,
	OPTION_VLAN_B,
	OPTION_SEED,
};

static const struct option options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "a", required_argument, NULL, OPTION_A },
	{ "b", required_argument, NULL, OPTION_B },
	{ "a-to-b", required_argument, NULL, OPTION_A_TO_B },
	{ "b-to-a", required_argument, NULL, OPTION_B_TO_A },
	{ "vlan-a", required_argument, NULL, OPTION_VLAN_A },
	{ "vlan-b", required_argument, NULL, OPTION_VLAN_B },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ NULL, 0, NULL, 0 },
};

/* A number without sign; -EINVAL: none, or more than 64 bits. */
static int
read_number(const char **text, uint64_t *value)
{
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (*value = 0; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(*value, 10u, value) ||
			__builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
			return -EINVAL;
	}
	*text = p;
	return 0;
}

/* "12.5M" in units of the kind; digits that make less than one unit are an error. */
static int
read_figure(const char *text, enum figure_kind kind, uint64_t *value)
{
	const char *digits;
	uint64_t scale = 0, part;

	if (read_number(&text, value) < 0)
		return -EINVAL;
	digits = text;
	if (*text == '.') {
		text++;
		digits = text;
		while (isdigit((unsigned char)*text))
			text++;
		if (text == digits)
			return -EINVAL;
	}
	for (size_t i = 0; i < LEAT_DIM(figure_units); i++) {
		if (figure_units[i].kind == kind && strcmp(figure_units[i].name, text) == 0)
			scale = figure_units[i].scale;
	}
	if (scale == 0 || __builtin_mul_overflow(*value, scale, value))
		return -EINVAL;
	for (part = scale; digits < text; digits++) {
		if (part % 10 != 0 && *digits != '0')
			return -EINVAL;
		part /= 10;
		if (__builtin_add_overflow(*value, (uint64_t)(*digits - '0') * part, value))
			return -EINVAL;
	}
	return 0;
}

static int
set_figure(struct relay_link_conf *conf, const char *option, const char *word,
	struct leat_error *error)
{
	const char *text = strchr(word, '=');
	uint64_t value;

	for (size_t i = 0; text != NULL && i < LEAT_DIM(figures); i++) {
		const struct figure *f = &figures[i];
		char *field = (char *)conf + f->offset;

		if (strlen(f->name) != (size_t)(text - word) ||
			strncmp(f->name, word, (size_t)(text - word)) != 0)
			continue;
		if (read_figure(text + 1, f->kind, &value) < 0 || value < f->min || value > f->max)
			return leat_error_set(error, -EINVAL, "--%s: \"%s\": %s is %s", option,
				word, f->name, figure_texts[f->kind]);
		if (f->is_wide)
			memcpy(field, &value, sizeof(uint64_t));
		else
			memcpy(field, &(uint32_t){ (uint32_t)value }, sizeof(uint32_t));
		return 0;
	}
	return leat_error_set(error, -EINVAL,
		"--%s: \"%s\" is not one of loss=, dup=, reorder=, reorder-by=, corrupt=, delay=, "
		"jitter=, rate=, queue=",
		option, word);
}

static int
read_link(const char *option, const char *list, struct relay_link_conf *conf,
	struct leat_error *error)
{
	char word[ARGS_WORD_MAX];
	int ret = 0;

	while (ret == 0 && *list != '\0') {
		size_t len = strcspn(list, ",");

		if (len >= sizeof(word))
			return leat_error_set(
				error, -EINVAL, "--%s: \"%.20s...\" is too long", option, list);
		memcpy(word, list, len);
		word[len] = '\0';
		ret = set_figure(conf, option, word, error);
		list += len + (list[len] == ',');
	}
	return ret;
}

static int
read_whole(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct leat_error *error)
{
	const char *end = text;

	if (read_number(&end, value) < 0 || *end != '\0' || *value < min || *value > max)
		return leat_error_set(error, -EINVAL,
			"--%s: \"%s\" is not a whole number from %llu to %llu", option, text,
			(unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int
take_option(struct relay_args *args, int id, const char *text, struct leat_error *error)
{
	uint64_t value = 0;
	int ret = 0;

	switch ((enum option_id)id) {
	case OPTION_HELP:
		args->is_help = true;
		break;
	case OPTION_A:
	case OPTION_B:
		args->devs[id - OPTION_A] = text;
		break;
	case OPTION_A_TO_B:
		return read_link("a-to-b", text, &args->links[RELAY_A], error);
	case OPTION_B_TO_A:
		return read_link("b-to-a", text, &args->links[RELAY_B], error);
	case OPTION_VLAN_A:
	case OPTION_VLAN_B:
		ret = read_whole(id == OPTION_VLAN_A ? "vlan-a" : "vlan-b", text, 1, ARGS_VLAN_MAX,
			&value, error);
		args->vlan_ids[id - OPTION_VLAN_A] = (uint16_t)value;
		break;
	case OPTION_SEED:
		return read_whole("seed", text, 0, UINT64_MAX, &args->seed, error);
	}
	return ret;
}

int
relay_args_parse(int argc, char **argv, struct relay_args *args, struct leat_error *error)
{
	int id, ret;

	memset(args, 0, sizeof(*args));
	args->seed = 1;
	for (size_t i = 0; i < RELAY_SIDES; i++) {
		args->links[i].impair.reorder_us = ARGS_REORDER_US_DEFAULT;
		args->links[i].queue_len = RELAY_QUEUE_DEFAULT;
	}
	optind = 0; /* glibc: start anew */
	while ((id = getopt_long(argc, argv, "+:", options, NULL)) != -1) {
		if (id == ':')
			return leat_error_set(
				error, -EINVAL, "option %s needs a value", argv[optind - 1]);
		if (id == '?')
			return leat_error_set(error, -EINVAL,
				"unknown option '%.64s'; see leat-relay --help", argv[optind - 1]);
		ret = take_option(args, id, optarg, error);
		if (ret < 0 || args->is_help)
			return ret;
	}
	if (optind < argc)
		return leat_error_set(error, -EINVAL, "unexpected argument '%.64s'", argv[optind]);
	for (size_t i = 0; i < RELAY_SIDES; i++) {
		if (args->devs[i] == NULL)
			return leat_error_set(error, -EINVAL,
				"--%c is missing: name the device of that side, such as "
				"net_af_packet0,iface=veth1",
				(char)('a' + i));
	}
	return 0;
}

void
relay_args_help(FILE *out)
{
	(void)fprintf(out,
		"usage: leat-relay --a DEVICE --b DEVICE [OPTION...]\n\n"
		"Forwards frames between two DPDK devices as a bad link would. It prints "
		"\"ready\"\n"
		"when it forwards, and its counters as JSON when SIGTERM ends it.\n\n"
		"  --a DEVICE, --b DEVICE    the two ends, such as net_af_packet0,iface=veth1\n"
		"  --a-to-b FIGURE=VALUE,... what happens to frames that come in at a\n"
		"  --b-to-a FIGURE=VALUE,... and at b\n"
		"  --vlan-a ID, --vlan-b ID  frames have this 802.1Q tag on that side, and on the\n"
		"                            other one none; others are dropped (1 to 4094)\n"
		"  --seed N                  the same seed, the same losses (default 1)\n"
		"  --help                    print this, and end\n\n"
		"figures:\n");
	for (size_t i = 0; i < LEAT_DIM(figures); i++)
		(void)fprintf(out, "  %-25s %s\n", figures[i].name, figures[i].help);
}
