/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/ether.h>

#include <leat_common.h>

#include "flood_args.h"

#define ARGS_RATE_DEFAULT    100000u
#define ARGS_SECONDS_DEFAULT 1u
#define ARGS_ADDR_TEXT_MAX   64u

enum option_id {
	OPTION_HELP,
	OPTION_IFACE,
	OPTION_KIND,
	OPTION_MAC,
	OPTION_DST,
	OPTION_PORT,
	OPTION_SOURCES,
	OPTION_RATE,
	OPTION_SECONDS,
	OPTION_SEED,
};

static const struct option options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "iface", required_argument, NULL, OPTION_IFACE },
	{ "kind", required_argument, NULL, OPTION_KIND },
	{ "mac", required_argument, NULL, OPTION_MAC },
	{ "dst", required_argument, NULL, OPTION_DST },
	{ "port", required_argument, NULL, OPTION_PORT },
	{ "sources", required_argument, NULL, OPTION_SOURCES },
	{ "rate", required_argument, NULL, OPTION_RATE },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ NULL, 0, NULL, 0 },
};

static int
read_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct leat_error *error)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *value < min ||
		*value > max)
		return leat_error_set(error, -EINVAL,
			"--%s: \"%s\" is not a whole number from %llu to %llu", option, text,
			(unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int
read_kind(const char *text, enum flood_kind *kind, struct leat_error *error)
{
	for (*kind = 0; *kind < FLOOD_KINDS; (*kind)++) {
		if (strcmp(flood_kind_name(*kind), text) == 0)
			return 0;
	}
	return leat_error_set(
		error, -EINVAL, "--kind: \"%s\" is none; see leat-flood --help", text);
}

static int
read_addr(const char *option, const char *text, bool *is_ipv6, uint8_t addr[16],
	struct leat_error *error)
{
	*is_ipv6 = strchr(text, ':') != NULL;
	if (inet_pton(*is_ipv6 ? AF_INET6 : AF_INET, text, addr) == 1)
		return 0;
	return leat_error_set(error, -EINVAL, "--%s: \"%s\" is no address", option, text);
}

/* "198.18.0.0/15"; without a length one address. */
static int
read_sources(struct flood_args *args, const char *text, bool *is_ipv6, struct leat_error *error)
{
	size_t len = strcspn(text, "/");
	char addr[ARGS_ADDR_TEXT_MAX];
	uint64_t bits;
	int ret;

	if (len >= sizeof(addr))
		return leat_error_set(error, -EINVAL, "--sources: \"%s\" is too long", text);
	memcpy(addr, text, len);
	addr[len] = '\0';
	ret = read_addr("sources", addr, is_ipv6, args->conf.src, error);
	bits = *is_ipv6 ? 128 : 32;
	if (ret == 0 && text[len] == '/')
		ret = read_number("sources", text + len + 1, 0, bits, &bits, error);
	args->conf.src_prefix_len = (uint8_t)bits;
	return ret;
}

static int
read_mac(const char *text, uint8_t mac[6], struct leat_error *error)
{
	struct ether_addr addr;

	if (ether_aton_r(text, &addr) == NULL)
		return leat_error_set(error, -EINVAL, "--mac: \"%s\" is no MAC address", text);
	memcpy(mac, addr.ether_addr_octet, 6);
	return 0;
}

static int
take_option(struct flood_args *args, int id, const char *text, bool *is_src_ipv6,
	struct leat_error *error)
{
	uint64_t value = 0;
	int ret = 0;

	switch ((enum option_id)id) {
	case OPTION_HELP:
		args->is_help = true;
		break;
	case OPTION_IFACE:
		args->iface = text;
		break;
	case OPTION_KIND:
		return read_kind(text, &args->conf.kind, error);
	case OPTION_MAC:
		return read_mac(text, args->conf.dst_mac, error);
	case OPTION_DST:
		return read_addr("dst", text, &args->conf.is_ipv6, args->conf.dst, error);
	case OPTION_SOURCES:
		return read_sources(args, text, is_src_ipv6, error);
	case OPTION_PORT:
		ret = read_number("port", text, 1, UINT16_MAX, &value, error);
		args->conf.port = (uint16_t)value;
		break;
	case OPTION_RATE:
		ret = read_number("rate", text, 1, FLOOD_RATE_MAX, &value, error);
		args->rate = (uint32_t)value;
		break;
	case OPTION_SECONDS:
		ret = read_number("seconds", text, 1, FLOOD_SECONDS_MAX, &value, error);
		args->seconds = (uint32_t)value;
		break;
	case OPTION_SEED:
		return read_number("seed", text, 0, UINT64_MAX, &args->conf.seed, error);
	}
	return ret;
}

static int
check(const struct flood_args *args, bool has_mac, bool has_dst, bool has_src, bool is_src_ipv6,
	struct leat_error *error)
{
	if (args->iface == NULL)
		return leat_error_set(error, -EINVAL, "--iface is missing: where to send");
	if (!has_mac)
		return leat_error_set(error, -EINVAL, "--mac is missing: whom to send to");
	if (!has_dst || !has_src || args->conf.port == 0)
		return leat_error_set(error, -EINVAL,
			"--dst, --port and --sources are needed: the target, and who seems to "
			"send");
	if (args->conf.is_ipv6 != is_src_ipv6)
		return leat_error_set(
			error, -EINVAL, "--dst and --sources are not of the same family");
	return 0;
}

int
flood_args_parse(int argc, char **argv, struct flood_args *args, struct leat_error *error)
{
	bool has[OPTION_SEED + 1] = { false };
	bool is_src_ipv6 = false;
	int id, ret;

	memset(args, 0, sizeof(*args));
	args->rate = ARGS_RATE_DEFAULT;
	args->seconds = ARGS_SECONDS_DEFAULT;
	args->conf.seed = 1;
	optind = 0; /* glibc: start anew */
	while ((id = getopt_long(argc, argv, "+:", options, NULL)) != -1) {
		if (id == ':')
			return leat_error_set(
				error, -EINVAL, "option %s needs a value", argv[optind - 1]);
		if (id == '?')
			return leat_error_set(error, -EINVAL,
				"unknown option '%.64s'; see leat-flood --help", argv[optind - 1]);
		has[id] = true;
		ret = take_option(args, id, optarg, &is_src_ipv6, error);
		if (ret < 0 || args->is_help)
			return ret;
	}
	if (optind < argc)
		return leat_error_set(error, -EINVAL, "unexpected argument '%.64s'", argv[optind]);
	return check(
		args, has[OPTION_MAC], has[OPTION_DST], has[OPTION_SOURCES], is_src_ipv6, error);
}

void
flood_args_help(FILE *out)
{
	(void)fprintf(out,
		"usage: leat-flood --iface IFACE --mac MAC --dst ADDRESS --port PORT "
		"--sources ADDRESS/LEN [OPTION...]\n\n"
		"Sends frames of one kind at a steady pace, and prints what it sent as JSON.\n\n"
		"  --iface IFACE       by this interface, past its queueing discipline\n"
		"  --mac MAC           to this station\n"
		"  --dst ADDRESS       to this IPv4 or IPv6 address\n"
		"  --port PORT         and this port\n"
		"  --sources ADDR/LEN  from random addresses of this network, or from one\n"
		"  --kind KIND         what the frames are (default syn)\n"
		"  --rate N            frames per second (default %u)\n"
		"  --seconds N         for so long (default %u)\n"
		"  --seed N            the same seed, the same frames (default 1)\n"
		"  --help              print this, and end\n\n"
		"kinds:",
		ARGS_RATE_DEFAULT, ARGS_SECONDS_DEFAULT);
	for (enum flood_kind kind = 0; kind < FLOOD_KINDS; kind++)
		(void)fprintf(out, " %s", flood_kind_name(kind));
	(void)fprintf(out, "\n");
}
