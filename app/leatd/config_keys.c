/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table of keys, and what can be asked of it. The order is that of --help and
 * of the reference page; the keys of "listen" stand in the order in which --listen
 * takes its first four items.
 */

#include <errno.h>
#include <string.h>

#include <leat_common.h>

#include "config.h"

#define MAX_WORD 48 /* letters that are compared when a word is looked for */

static const char *const idle_choices[] = { "poll", "adaptive", NULL };

static_assert(LEAT_DIM(idle_choices) == LEATD_IDLES + 1, "one word for each idle mode");

static const char *const congestion_choices[] = { "cubic", "newreno", NULL };

static_assert(LEAT_DIM(congestion_choices) == LEATD_CONGESTIONS + 1, "one word for each");

static const char *const cookie_choices[] = { "auto", "always", "never", NULL };

static_assert(LEAT_DIM(cookie_choices) == LEATD_COOKIES + 1, "one word for each use of cookies");

static const char *const zap_headers_choices[] = { "binary", "json", NULL };

static_assert(LEAT_DIM(zap_headers_choices) == LEATD_ZAP_HEADERS + 1, "one word for each way");

static const char *const offload_choices[] = { "tx-ip-cksum", "tx-tcp-cksum", "rx-ip-cksum",
	"rx-tcp-cksum", "tx-multi-seg", "tx-tso", NULL };

static_assert(LEAT_DIM(offload_choices) == LEATD_OFFLOADS + 1, "one word for each offload");

static const char *const method_choices[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS",
	"TRACE", "PATCH", "any", NULL };

static_assert(LEAT_DIM(method_choices) == LEATD_METHODS + 1, "one word for each method");

const char *const leatd_builtin_words[] = {
	[LEATD_BUILTIN_NONE] = "none",
	[LEATD_BUILTIN_ECHO] = "echo",
	[LEATD_BUILTIN_HEADERS] = "headers",
	[LEATD_BUILTIN_HEALTH] = "health",
	[LEATD_BUILTIN_KV] = "kv",
	[LEATD_BUILTIN_RPC] = "rpc",
	[LEATD_BUILTINS] = NULL,
};

#define PORT(field)   offsetof(struct leatd_port_conf, field)
#define LISTEN(field) offsetof(struct leatd_listen_conf, field)
#define ROUTE(field)  offsetof(struct leatd_route_conf, field)
#define CONF(field)   offsetof(struct leatd_conf, field)

/* clang-format off */
static const struct leatd_key keys[] = {
	{ "port", "dev", LEATD_KEY_DEVICE, 1, LEATD_DEV_LEN - 1, NULL, NULL, "DEVICE",
		"the NIC's PCI address, or the name of a virtual device", PORT(dev) },
	{ "port", "addr", LEATD_KEY_PREFIX, 1, LEATD_ADDRS_MAX, NULL, NULL, "A/LEN",
		"an IPv4 or IPv6 address of the port and its prefix length; may be repeated", PORT(addrs) },
	{ "port", "gw", LEATD_KEY_IPV4, 0, 0, NULL, "", "A",
		"the router for all that is not on the port's own networks", PORT(gateway) },
	{ "port", "gw6", LEATD_KEY_IPV6, 0, 0, NULL, "", "A",
		"the same for IPv6; may be a link-local address", PORT(gateway6) },
	{ "port", "vlan", LEATD_KEY_NUMBER, 1, 4094, NULL, "", "N",
		"the 802.1Q VLAN of the port's addresses; without it frames are untagged",
		PORT(vlan_id) },
	{ "port", "mtu", LEATD_KEY_NUMBER, 576, 9216, NULL, "", "N",
		"bytes of the largest IP packet; without it the device's own MTU, up to 1500",
		PORT(mtu) },
	{ "port", "no-offload", LEATD_KEY_SET, 0, 0, offload_choices, "", "WORD",
		"work that the device must not do for us; may be repeated", PORT(refused) },
	{ "port", "args", LEATD_KEY_TEXT, 0, LEATD_ARGS_LEN - 1, NULL, "", "ARGS",
		"the device's own arguments; in --port they follow a ';'", PORT(args) },

	{ "listen", "protocol", LEATD_KEY_TEXT, 1, LEATD_WORD_LEN - 1, NULL, NULL, "PROTOCOL",
		"what is spoken: resp, http, zap, zap-rpc, sbe, or auto (resp and sbe)", LISTEN(protocol) },
	{ "listen", "transport", LEATD_KEY_TEXT, 1, LEATD_WORD_LEN - 1, NULL, NULL, "TRANSPORT",
		"what carries it: dpdk", LISTEN(transport) },
	{ "listen", "address", LEATD_KEY_TEXT, 1, LEATD_ADDRESS_LEN - 1, NULL, NULL, "ADDRESS",
		"an address of a port; 0.0.0.0 for every one of IPv4, :: for every one of IPv6", LISTEN(address) },
	{ "listen", "port", LEATD_KEY_NUMBER, 0, 65535, NULL, NULL, "PORT",
		"the TCP port; 0 is for transports that have none", LISTEN(port) },
	{ "listen", "keepalive-idle", LEATD_KEY_NUMBER, 1, 86400, NULL, "", "SECONDS",
		"silence after which a peer is asked whether it is there; without it none is",
		LISTEN(keep_idle_s) },
	{ "listen", "keepalive-interval", LEATD_KEY_NUMBER, 1, 86400, NULL, "", "SECONDS",
		"how long a keep-alive waits for its answer; without it 75", LISTEN(keep_interval_s) },
	{ "listen", "keepalive-probes", LEATD_KEY_NUMBER, 1, 255, NULL, "", "N",
		"keep-alives without an answer that end a connection; without it 9", LISTEN(nb_keep_probes) },
	{ "listen", "zap-headers", LEATD_KEY_CHOICE, 0, 0, zap_headers_choices, "", "HOW",
		"how clients of zap write header fields, and want them; without it binary", LISTEN(zap_headers) },
	{ "listen", "builtin-route", LEATD_KEY_SET, 0, 0, leatd_builtin_words, "", "NAME",
		"a route that leatd has by itself, or none; may be repeated; without it all of them",
		LISTEN(builtins) },

	{ "listen", "timeout", LEATD_KEY_NUMBER, 0, 31536000, NULL, "", "SECONDS",
		"silence after which a client is closed, subscribers excepted; without it none is",
		LISTEN(idle_timeout_s) },
	{ "listen", "head-timeout", LEATD_KEY_NUMBER, 0, 86400, NULL, "60", "SECONDS",
		"how long the head of a request of HTTP may take from its first byte; 0: any time",
		LISTEN(head_timeout_s) },
	{ "listen", "body-timeout", LEATD_KEY_NUMBER, 0, 86400, NULL, "60", "SECONDS",
		"silence in the middle of a body of HTTP after which it is given up; 0: any",
		LISTEN(body_timeout_s) },
	{ "listen", "choice-timeout", LEATD_KEY_NUMBER, 0, 86400, NULL, "", "SECONDS",
		"how long the first request of an auto connection may take; without it any time",
		LISTEN(choice_timeout_s) },

	{ "route", "path", LEATD_KEY_TEXT, 1, LEATD_PATH_LEN - 1, NULL, NULL, "PATTERN",
		"a path such as /about or /users/{name}; one that ends in / and * is a prefix", ROUTE(path) },
	{ "route", "method", LEATD_KEY_SET, 0, 0, method_choices, "", "METHOD",
		"a method that it has; may be repeated; without it those of the handler, or GET",
		ROUTE(methods) },
	{ "route", "listen", LEATD_KEY_TEXT, 1, LEATD_NAME_LEN - 1, NULL, "", "NAME",
		"the listener that has it; without it all of HTTP", ROUTE(listen) },
	{ "route", "handler", LEATD_KEY_TEXT, 1, LEATD_WORD_LEN - 1, NULL, "", "NAME",
		"what answers; without it the answer is what the next keys say", ROUTE(handler) },
	{ "route", "status", LEATD_KEY_NUMBER, 200, 599, NULL, "", "N",
		"the status of the answer; without it 200", ROUTE(status) },
	{ "route", "header", LEATD_KEY_FIELD, 1, LEATD_FIELDS_MAX, NULL, "", "FIELD",
		"a header field of the answer, such as Content-Type: text/html; may be repeated",
		ROUTE(headers) },
	{ "route", "body", LEATD_KEY_TEXT, 1, LEATD_PATH_LEN - 1, NULL, "", "FILE",
		"the file with its body, read at start, up to 64 MiB; without it there is none",
		ROUTE(body) },

	{ "worker", "workers", LEATD_KEY_NUMBER, 1, LEATD_CPUS_MAX, NULL, "1", "N",
		"how many workers run, one CPU each; this release runs one", CONF(nb_workers) },
	{ "worker", "cpus", LEATD_KEY_CPUS, 0, LEATD_CPU_ID_MAX, NULL, "", "LIST",
		"the CPUs of the workers in order; without it the last ones allowed", CONF(cpus) },
	{ "worker", "idle", LEATD_KEY_CHOICE, 0, 0, idle_choices, "adaptive", "MODE",
		"what a worker without work does: spin, or sleep a little", CONF(idle) },

	{ "memory", "memory", LEATD_KEY_NUMBER, 64, 1048576, NULL, "512", "MB",
		"memory of the whole appliance, taken at start", CONF(memory_mb) },
	{ "memory", "no-huge", LEATD_KEY_BOOL, 0, 0, NULL, "no", "",
		"use ordinary memory instead of hugepages", CONF(no_huge) },
	{ "memory", "rx-mbufs", LEATD_KEY_NUMBER, 256, 4194304, NULL, "8192", "N",
		"packet buffers of each port for text received, beside those of its queues",
		CONF(nb_rx_mbufs) },
	{ "memory", "tx-mbufs", LEATD_KEY_NUMBER, 256, 4194304, NULL, "16384", "N",
		"packet buffers of each port for what is sent, beside those of its queues",
		CONF(nb_tx_mbufs) },
	{ "memory", "store-memory", LEATD_KEY_NUMBER, 1, 1048576, NULL, "64", "MB",
		"memory for keys and values", CONF(store_mb) },
	{ "memory", "carry-memory", LEATD_KEY_NUMBER, 1, 65536, NULL, "32", "MB",
		"memory for requests that lie in several packets", CONF(carry_mb) },

	{ "limits", "conns-max", LEATD_KEY_NUMBER, 1, 16777216, NULL, "4096", "N",
		"connections at one time", CONF(nb_conns_max) },
	{ "limits", "keys-max", LEATD_KEY_NUMBER, 8, 268435456, NULL, "262144", "N",
		"keys at one time", CONF(nb_keys_max) },
	{ "limits", "channels-max", LEATD_KEY_NUMBER, 1, 1048576, NULL, "4096", "N",
		"channels with a subscriber at one time", CONF(nb_channels_max) },
	{ "limits", "subscriptions-max", LEATD_KEY_NUMBER, 1, 4194304, NULL, "16384", "N",
		"subscriptions of all connections at one time", CONF(nb_subscriptions_max) },
	{ "limits", "pipelines-max", LEATD_KEY_NUMBER, 0, 65536, NULL, "256", "N",
		"connections of zap-rpc at one time whose calls may name the answers of others",
		CONF(nb_pipelines_max) },
	{ "limits", "request-max", LEATD_KEY_SIZE, 1024, 64u << 20, NULL, "16M", "BYTES",
		"the largest request, head and body", CONF(request_max) },
	{ "limits", "proto-max-bulk-len", LEATD_KEY_SIZE, 1u << 20, 64ull << 30, NULL, "512M", "BYTES",
		"the largest argument of a request of RESP", CONF(bulk_max) },
	{ "limits", "client-query-buffer-limit", LEATD_KEY_SIZE, 1u << 20, 64ull << 30, NULL, "1G", "BYTES",
		"the largest request of RESP; a larger one ends its connection", CONF(query_max) },
	{ "limits", "drain-timeout", LEATD_KEY_NUMBER, 0, 3600, NULL, "5", "SECONDS",
		"how long open connections may take to finish when leatd is told to end",
		CONF(drain_timeout_s) },

	{ "server", "requirepass", LEATD_KEY_SECRET, 0, LEATD_PASSWORD_LEN - 1, NULL, "", "PASSWORD",
		"what clients must give before anything else", CONF(requirepass) },

	{ "control", "record-segments", LEATD_KEY_NUMBER, 0, 4096, NULL, "512", "N",
		"segments of each class that the flight recorder keeps; 0 turns it off",
		CONF(nb_record_segs) },
	{ "control", "record-dir", LEATD_KEY_TEXT, 1, LEATD_DIR_LEN - 1, NULL, "/var/lib/leat", "DIR",
		"where it writes its files, or none", CONF(record_dir) },
	{ "control", "record-files", LEATD_KEY_NUMBER, 0, 100000, NULL, "32", "N",
		"files that it writes by itself in one run, of connections that end badly",
		CONF(nb_records_max) },

	{ "tcp", "congestion", LEATD_KEY_CHOICE, 0, 0, congestion_choices, "cubic", "NAME",
		"how fast a connection sends on a path that loses", CONF(tcp.congestion) },
	{ "tcp", "receive-window", LEATD_KEY_SIZE, 4096, 512u << 20, NULL, "256K", "BYTES",
		"what a connection takes before it is read", CONF(tcp.rcv_wnd) },
	{ "tcp", "send-buffer", LEATD_KEY_SIZE, 4096, 512u << 20, NULL, "256K", "BYTES",
		"what a connection keeps to be sent, or until it is acknowledged", CONF(tcp.snd_len) },
	{ "tcp", "rto-min", LEATD_KEY_NUMBER, 10, 10000, NULL, "200", "MS",
		"the least time before something is sent again", CONF(tcp.rto_min_ms) },
	{ "tcp", "ack-delay", LEATD_KEY_NUMBER, 0, 499, NULL, "40", "MS",
		"how long an acknowledgment waits for something to ride on; 0: not at all",
		CONF(tcp.ack_delay_ms) },
	{ "tcp", "retries", LEATD_KEY_NUMBER, 1, 255, NULL, "15", "N",
		"how often the same text is sent again before the connection ends",
		CONF(tcp.nb_retries) },
	{ "tcp", "syn-retries", LEATD_KEY_NUMBER, 1, 255, NULL, "6", "N",
		"how often a SYN of ours is sent again", CONF(tcp.nb_syn_retries) },
	{ "tcp", "synack-retries", LEATD_KEY_NUMBER, 1, 255, NULL, "5", "N",
		"how often the answer to a SYN is sent again", CONF(tcp.nb_synack_retries) },
	{ "tcp", "syn-cookies", LEATD_KEY_CHOICE, 0, 0, cookie_choices, "auto", "WHEN",
		"when a SYN is answered without keeping anything of it", CONF(tcp.cookies) },
	{ "tcp", "time-wait", LEATD_KEY_NUMBER, 1, 3600, NULL, "30", "SECONDS",
		"how long the ends of a connection that we closed first are remembered",
		CONF(tcp.time_wait_s) },
	{ "tcp", "fin-timeout", LEATD_KEY_NUMBER, 1, 3600, NULL, "60", "SECONDS",
		"how long a peer may be silent once we have closed", CONF(tcp.fin_timeout_s) },
};
/* clang-format on */

static_assert(LEAT_DIM(keys) <= 64, "a mask of 64 bits holds one bit for each key");

const struct leatd_key *
leatd_key_table(uint32_t *nb)
{
	*nb = LEAT_DIM(keys);
	return keys;
}

const struct leatd_key *
leatd_key_find(const char *section, const char *name)
{
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

bool
leatd_key_may_repeat(const struct leatd_key *key)
{
	return key->type == LEATD_KEY_PREFIX || key->type == LEATD_KEY_SET ||
	       key->type == LEATD_KEY_FIELD;
}

bool
leatd_section_exists(const char *section)
{
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (strcmp(keys[i].section, section) == 0)
			return true;
	return false;
}

bool
leatd_section_has_name(const char *section)
{
	return strcmp(section, "port") == 0 || strcmp(section, "listen") == 0 ||
	       strcmp(section, "route") == 0;
}

uint64_t
leatd_key_bit(const struct leatd_key *key)
{
	LEAT_VERIFY(key >= keys && key < keys + LEAT_DIM(keys));
	return UINT64_C(1) << (key - keys);
}

int
leatd_section_check(const char *section, uint64_t seen, const char *where, struct leat_error *error)
{
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (strcmp(keys[i].section, section) == 0 && keys[i].default_text == NULL &&
			(seen & leatd_key_bit(&keys[i])) == 0)
			return leat_error_set(error, -EINVAL, "%s: %s is missing: %s", where,
				keys[i].name, keys[i].help);
	return 0;
}

void
leatd_section_init(const char *section, void *base)
{
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++) {
		const struct leatd_key *key = &keys[i];

		if (strcmp(key->section, section) != 0)
			continue;
		if (key->default_text == NULL || key->default_text[0] == '\0')
			continue;
		LEAT_VERIFY(leatd_key_set(key, base, "default", key->default_text, NULL) == 0);
	}
}

void
leatd_conf_init(struct leatd_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (!leatd_section_has_name(keys[i].section) &&
			(i == 0 || strcmp(keys[i].section, keys[i - 1].section) != 0))
			leatd_section_init(keys[i].section, conf);
}

/* How many letters to add, drop, change or swap with the next, Damerau's distance. */
static uint32_t
word_distance(const char *a, const char *b)
{
	uint32_t rows[3][MAX_WORD + 1];
	uint32_t *before = rows[0], *above = rows[1], *row = rows[2];
	uint32_t a_len = (uint32_t)strnlen(a, MAX_WORD);
	uint32_t b_len = (uint32_t)strnlen(b, MAX_WORD);

	for (uint32_t j = 0; j <= b_len; j++)
		above[j] = j;
	memset(before, 0, sizeof(rows[0]));
	for (uint32_t i = 1; i <= a_len; i++) {
		uint32_t *free_row = before;

		row[0] = i;
		for (uint32_t j = 1; j <= b_len; j++) {
			uint32_t cost = a[i - 1] != b[j - 1];

			row[j] = LEAT_MIN(
				LEAT_MIN(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = LEAT_MIN(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = free_row;
	}
	return above[b_len];
}

const char *
leatd_nearest(const char *word, const char *(*next)(const void *arg, uint32_t idx), const void *arg)
{
	uint32_t best = strlen(word) <= 3 ? 2 : 3; /* one more than is allowed */
	const char *found = NULL;

	for (uint32_t i = 0;; i++) {
		const char *candidate = next(arg, i);
		uint32_t distance;

		if (candidate == NULL)
			return found;
		distance = word_distance(word, candidate);
		if (distance < best) {
			best = distance;
			found = candidate;
		}
	}
}

/* Candidates for leatd_nearest(): the keys of one section. */
static const char *
key_next(const void *arg, uint32_t idx)
{
	const char *section = arg;

	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (strcmp(keys[i].section, section) == 0 && idx-- == 0)
			return keys[i].name;
	return NULL;
}

int
leatd_key_unknown(const char *section, const char *name, const char *where, const char *place,
	struct leat_error *error)
{
	const char *near = leatd_nearest(name, key_next, section);

	if (near != NULL)
		return leat_error_set(error, -EINVAL,
			"%s: unknown key '%.40s'%s; did you mean '%s'?", where, name, place, near);
	for (uint32_t i = 0; i < LEAT_DIM(keys); i++)
		if (strcmp(keys[i].name, name) == 0)
			return leat_error_set(error, -EINVAL,
				"%s: unknown key '%s'%s; it belongs to section [%s]", where, name,
				place, keys[i].section);
	return leat_error_set(
		error, -EINVAL, "%s: unknown key '%.40s'%s; see leatd --help", where, name, place);
}
