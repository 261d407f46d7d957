/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands about the server and its whole key space.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <leat_time.h>

#include "command_priv.h"
#include "command_run.h"

#define S_PER_DAY 86400u
#define INFO_MAX  4096 /* bytes of all sections */

/* A text that is put together line by line. */
struct info_text {
	size_t len;
	char bytes[INFO_MAX];
};

static void info_add(struct info_text *text, const char *fmt, ...) LEAT_PRINTF(2, 3);

static void
info_add(struct info_text *text, const char *fmt, ...)
{
	size_t left = sizeof(text->bytes) - text->len;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(text->bytes + text->len, left, fmt, args);
	va_end(args);
	LEAT_VERIFY(ret >= 0);
	text->len += LEAT_MIN((size_t)ret, left - 1); /* a configuration path may be very long */
}

void
cmd_dbsize(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* has no arguments */
	leat_reply_integer(reply, leat_store_nb_keys(ctx->store));
}

void
cmd_flushall(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	if (req->argc > 2 || (req->argc == 2 && !command_arg_is(req->argv[1], "sync") &&
				     !command_arg_is(req->argv[1], "async"))) {
		command_error_syntax(ctx, reply);
		return;
	}
	leat_store_flush_all(ctx->store);
	command_ok(reply);
}

void
cmd_flushdb(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	cmd_flushall(ctx, req, reply); /* there is one data base */
}

static void
info_server(const struct leat_command_ctx *ctx, struct info_text *text)
{
	const struct leat_command_server *server = ctx->server;
	uint64_t uptime_s = (ctx->now_us - server->start_us) / LEAT_US_PER_S;

	info_add(text,
		"# Server\r\nredis_version:%s\r\nleat_version:%s\r\nredis_mode:standalone\r\n"
		"arch_bits:%zu\r\nprocess_id:%" PRIu32 "\r\nrun_id:%s\r\ntcp_port:%" PRIu16 "\r\n",
		LEAT_COMMAND_REDIS_VERSION, server->version, sizeof(void *) * 8, server->pid,
		server->run_id, server->tcp_port);
	info_add(text,
		"server_time_usec:%" PRIu64 "\r\nuptime_in_seconds:%" PRIu64
		"\r\nuptime_in_days:%" PRIu64 "\r\nnb_workers:%" PRIu16 "\r\nconfig_file:%s\r\n",
		ctx->wall_ms * 1000, uptime_s, uptime_s / S_PER_DAY, server->nb_workers,
		server->config_path);
}

static void
info_clients(const struct leat_command_ctx *ctx, struct info_text *text)
{
	info_add(text,
		"# Clients\r\nconnected_clients:%" PRIu64 "\r\nmaxclients:%" PRIu32
		"\r\nblocked_clients:0\r\n",
		ctx->stats->nb_conns, ctx->server->nb_conns_max);
}

static void
info_memory(const struct leat_command_ctx *ctx, struct info_text *text)
{
	info_add(text,
		"# Memory\r\nused_memory:%zu\r\nmaxmemory:%zu\r\nmaxmemory_policy:noeviction\r\n",
		leat_store_mem_used(ctx->store), leat_store_mem_len(ctx->store));
}

/* Some clients wait until loading is 0. */
static void
info_persistence(const struct leat_command_ctx *ctx, struct info_text *text)
{
	(void)ctx; /* nothing is kept on disk */
	info_add(text, "# Persistence\r\nloading:0\r\naof_enabled:0\r\n");
}

static void
info_stats(const struct leat_command_ctx *ctx, struct info_text *text)
{
	const struct leat_command_stats *stats = ctx->stats;

	info_add(text,
		"# Stats\r\ntotal_connections_received:%" PRIu64
		"\r\ntotal_commands_processed:%" PRIu64 "\r\nkeyspace_hits:%" PRIu64
		"\r\nkeyspace_misses:%" PRIu64 "\r\npubsub_channels:%" PRIu32
		"\r\npubsub_patterns:0\r\ntotal_error_replies:%" PRIu64 "\r\n",
		stats->nb_conns_accepted, stats->nb_commands, stats->nb_key_hits,
		stats->nb_key_misses, leat_pubsub_nb_channels(ctx->pubsub), stats->nb_errors);
}

static void
info_replication(const struct leat_command_ctx *ctx, struct info_text *text)
{
	(void)ctx; /* nothing is replicated */
	info_add(text, "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n");
}

static void
info_keyspace(const struct leat_command_ctx *ctx, struct info_text *text)
{
	uint32_t nb_keys = leat_store_nb_keys(ctx->store);

	info_add(text, "# Keyspace\r\n");
	if (nb_keys > 0)
		info_add(text, "db0:keys=%" PRIu32 ",expires=%" PRIu32 ",avg_ttl=0\r\n", nb_keys,
			leat_store_nb_expiring(ctx->store));
}

/* Whether an INFO with these arguments asks for a section. */
static bool
info_is_asked(const struct leat_request *req, const char *section)
{
	for (uint32_t i = 1; i < req->argc; i++) {
		if (command_arg_is(req->argv[i], section) ||
			command_arg_is(req->argv[i], "default") ||
			command_arg_is(req->argv[i], "all") ||
			command_arg_is(req->argv[i], "everything"))
			return true;
	}
	return req->argc == 1;
}

void
cmd_info(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	static const struct {
		const char *name;
		void (*add)(const struct leat_command_ctx *ctx, struct info_text *text);
	} sections[] = {
		{ "server", info_server },
		{ "clients", info_clients },
		{ "memory", info_memory },
		{ "persistence", info_persistence },
		{ "stats", info_stats },
		{ "replication", info_replication },
		{ "keyspace", info_keyspace },
	};
	struct info_text text = { .len = 0 };

	for (unsigned int i = 0; i < LEAT_DIM(sections); i++) {
		if (!info_is_asked(req, sections[i].name))
			continue;
		if (text.len > 0)
			info_add(&text, "\r\n");
		sections[i].add(ctx, &text);
	}
	leat_reply_verbatim(reply, (struct leat_slice){ (const uint8_t *)text.bytes, text.len });
}

/* One of the three tells the value: it never changes, it is a word or a number. */
struct config_parameter {
	const char *name;
	const char *text;
	const char *(*word)(const struct leat_command_ctx *ctx);
	uint64_t (*value)(const struct leat_command_ctx *ctx);
};

static uint64_t
config_maxclients(const struct leat_command_ctx *ctx)
{
	return ctx->server->nb_conns_max;
}

static uint64_t
config_maxmemory(const struct leat_command_ctx *ctx)
{
	return leat_store_mem_len(ctx->store);
}

static uint64_t
config_port(const struct leat_command_ctx *ctx)
{
	return ctx->server->tcp_port;
}

static uint64_t
config_bulk_max(const struct leat_command_ctx *ctx)
{
	const struct leat_command_server *server = ctx->server;

	return server->bulk_max != 0 ? server->bulk_max : server->request_max;
}

static uint64_t
config_query_max(const struct leat_command_ctx *ctx)
{
	const struct leat_command_server *server = ctx->server;

	return server->query_max != 0 ? server->query_max : server->request_max;
}

static const char *
config_requirepass(const struct leat_command_ctx *ctx)
{
	return ctx->server->requirepass != NULL ? ctx->server->requirepass : "";
}

/* What redis-benchmark, redis-cli and client libraries ask for. */
static const struct config_parameter config_parameters[] = {
	{ .name = "appendonly", .text = "no" },
	{ .name = "client-query-buffer-limit", .value = config_query_max },
	{ .name = "cluster-enabled", .text = "no" },
	{ .name = "databases", .text = "1" },
	{ .name = "io-threads", .text = "1" },
	{ .name = "maxclients", .value = config_maxclients },
	{ .name = "maxmemory", .value = config_maxmemory },
	{ .name = "maxmemory-policy", .text = "noeviction" },
	{ .name = "notify-keyspace-events", .text = "" },
	{ .name = "port", .value = config_port },
	{ .name = "proto-max-bulk-len", .value = config_bulk_max },
	{ .name = "requirepass", .word = config_requirepass },
	{ .name = "save", .text = "" },
	{ .name = "timeout", .text = "0" },
};

static bool
config_is_pattern(struct leat_slice arg)
{
	for (size_t i = 0; i < arg.len; i++) {
		if (strchr("*?[\\", arg.data[i]) != NULL)
			return true;
	}
	return false;
}

/*
 * Returns whether a parameter is asked for, and the name to tell: a name that was
 * spelt out comes back as it was spelt.
 */
static bool
config_is_asked(const struct leat_request *req, struct leat_slice *name)
{
	for (uint32_t i = 2; i < req->argc; i++) {
		if (!command_glob_match(req->argv[i], *name))
			continue;
		if (!config_is_pattern(req->argv[i]))
			*name = req->argv[i];
		return true;
	}
	return false;
}

static void
config_reply_value(struct leat_command_ctx *ctx, const struct config_parameter *parameter,
	struct leat_reply *reply)
{
	char number[LEAT_INT64_TEXT_MAX + 1];
	const char *text = parameter->text;

	if (parameter->word != NULL) {
		text = parameter->word(ctx);
	} else if (parameter->value != NULL) {
		(void)snprintf(number, sizeof(number), "%" PRIu64, /* 20 digits fit */
			parameter->value(ctx));
		text = number;
	}
	leat_reply_bytes(reply, leat_slice_str(text));
}

void
cmd_config_get(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	uint32_t nb_asked = 0;

	if (command_has_too_many(req)) {
		command_error_arity(ctx, reply, "config|get");
		return;
	}
	for (unsigned int i = 0; i < LEAT_DIM(config_parameters); i++) {
		struct leat_slice name = leat_slice_str(config_parameters[i].name);

		nb_asked += config_is_asked(req, &name);
	}
	leat_reply_map(reply, nb_asked);
	for (unsigned int i = 0; i < LEAT_DIM(config_parameters); i++) {
		const struct config_parameter *parameter = &config_parameters[i];
		struct leat_slice name = leat_slice_str(parameter->name);

		if (!config_is_asked(req, &name))
			continue;
		leat_reply_bytes(reply, name);
		config_reply_value(ctx, parameter, reply);
	}
}
