/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands about the connection that asks.
 */

#include <errno.h>
#include <stdio.h>

#include "command_priv.h"
#include "command_run.h"

#define CLIENT_LINE_MAX 768 /* bytes of CLIENT INFO */

static bool
server_has_password(const struct leat_command_server *server)
{
	return server->requirepass != NULL && server->requirepass[0] != '\0';
}

static struct leat_slice
client_name(const struct leat_client *client)
{
	return (struct leat_slice){ client->name, client->name_len };
}

/* Names go into lines of text, so that only printable bytes may be in one. */
static bool
name_is_printable(struct leat_slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.data[i] < '!' || name.data[i] > '~')
			return false;
	}
	return true;
}

/* Returns 0, or -EINVAL after having answered. */
static int
client_set_name(struct leat_command_ctx *ctx, struct leat_slice name, struct leat_reply *reply)
{
	if (!name_is_printable(name)) {
		command_error(ctx, reply,
			"ERR Client names cannot contain spaces, newlines or special characters.");
		return -EINVAL;
	}
	if (name.len > LEAT_CLIENT_NAME_MAX) {
		command_errorf(ctx, reply, "ERR Client names cannot be longer than %d bytes.",
			LEAT_CLIENT_NAME_MAX);
		return -EINVAL;
	}
	if (name.len > 0)
		memcpy(ctx->client->name, name.data, name.len);
	ctx->client->name_len = (uint16_t)name.len;
	return 0;
}

void
cmd_ping(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_slice message = req->argc > 1 ? req->argv[1] : LEAT_SLICE("");

	if (req->argc > 2) {
		command_error_arity(ctx, reply, req->command->name);
	} else if (leat_pubsub_nb_subscriptions(&ctx->client->subscriber) > 0 &&
		   ctx->client->resp == 2 && !req->has_marked_pushes) {
		leat_reply_array(reply, 2);
		leat_reply_bytes(reply, LEAT_SLICE("pong"));
		leat_reply_bytes(reply, message);
	} else if (req->argc > 1) {
		leat_reply_bytes(reply, message);
	} else {
		leat_reply_status(reply, LEAT_SLICE("PONG"));
	}
}

void
cmd_echo(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* as every command takes it */
	leat_reply_bytes(reply, req->argv[1]);
}

void
cmd_select(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int64_t db;

	if (!leat_slice_to_int64(req->argv[1], &db))
		command_error_integer(ctx, reply);
	else if (db < INT32_MIN || db > INT32_MAX)
		command_errorf(ctx, reply,
			"ERR value is out of range, value must between %d and %d", INT32_MIN,
			INT32_MAX);
	else if (db != 0)
		command_error(ctx, reply, "ERR DB index is out of range");
	else
		command_ok(reply);
}

void
cmd_quit(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* whatever else it says */
	ctx->client->close = true;
	command_ok(reply);
}

void
cmd_reset(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* has no arguments */
	leat_pubsub_unsubscribe_all(ctx->pubsub, &ctx->client->subscriber);
	ctx->client->name_len = 0;
	ctx->client->resp = 2;
	ctx->client->is_authenticated = false;
	leat_reply_status(reply, LEAT_SLICE("RESET"));
}

static void
hello_reply(const struct leat_client *client, struct leat_reply *reply)
{
	leat_reply_map(reply, 7);
	leat_reply_bytes(reply, LEAT_SLICE("server"));
	leat_reply_bytes(reply, LEAT_SLICE("redis"));
	leat_reply_bytes(reply, LEAT_SLICE("version"));
	leat_reply_bytes(reply, LEAT_SLICE(LEAT_COMMAND_REDIS_VERSION));
	leat_reply_bytes(reply, LEAT_SLICE("proto"));
	leat_reply_integer(reply, client->resp);
	leat_reply_bytes(reply, LEAT_SLICE("id"));
	leat_reply_integer(reply, (int64_t)client->id);
	leat_reply_bytes(reply, LEAT_SLICE("mode"));
	leat_reply_bytes(reply, LEAT_SLICE("standalone"));
	leat_reply_bytes(reply, LEAT_SLICE("role"));
	leat_reply_bytes(reply, LEAT_SLICE("master"));
	leat_reply_bytes(reply, LEAT_SLICE("modules"));
	leat_reply_array(reply, 0);
}

bool
leat_command_is_password(const struct leat_command_server *server, struct leat_slice given)
{
	struct leat_slice password = leat_slice_str(server->requirepass);
	uint8_t difference = given.len != password.len;

	for (size_t i = 0; i < given.len; i++)
		difference |= given.data[i] ^ password.data[i < password.len ? i : 0];
	return difference == 0;
}

/*
 * There is one user, "default"; without a password of his any is right, as in Redis.
 * Returns 0, or -EINVAL after having answered.
 */
static int
client_authenticate(struct leat_command_ctx *ctx, struct leat_slice user, struct leat_slice given,
	struct leat_reply *reply)
{
	bool is_right = leat_slice_is_equal(user, LEAT_SLICE("default"));

	if (server_has_password(ctx->server))
		is_right &= leat_command_is_password(ctx->server, given);
	if (!is_right) {
		command_error(ctx, reply,
			"WRONGPASS invalid username-password pair or user is disabled.");
		return -EINVAL;
	}
	ctx->client->is_authenticated = true;
	return 0;
}

void
cmd_auth(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	bool has_user = req->argc == 3;
	struct leat_slice user = has_user ? req->argv[1] : LEAT_SLICE("default");

	if (req->argc > 3)
		command_error_syntax(ctx, reply);
	else if (!has_user && !server_has_password(ctx->server))
		command_error(ctx, reply,
			"ERR AUTH <password> called without any password configured for the "
			"default user. Are you sure your configuration is correct?");
	else if (client_authenticate(ctx, user, req->argv[req->argc - 1], reply) == 0)
		command_ok(reply);
}

/* Do what AUTH and SETNAME say, one after the other. Returns 0, or -EINVAL when answered. */
static int
hello_options(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int ret = 0;

	for (uint32_t i = 2; i < req->argc && ret == 0; i++) {
		uint32_t nb_more = req->argc - 1 - i;

		if (command_arg_is(req->argv[i], "auth") && nb_more >= 2) {
			ret = client_authenticate(ctx, req->argv[i + 1], req->argv[i + 2], reply);
			i += 2;
		} else if (command_arg_is(req->argv[i], "setname") && nb_more >= 1) {
			ret = client_set_name(ctx, req->argv[i + 1], reply);
			i++;
		} else {
			struct leat_slice option = command_arg_text(req->argv[i], 128);

			command_errorf(ctx, reply, "ERR Syntax error in HELLO option '%.*s'",
				COMMAND_TEXT_ARGS(option));
			ret = -EINVAL;
		}
	}
	return ret;
}

void
cmd_hello(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int64_t version = ctx->client->resp;

	if (req->argc > 1 && !leat_slice_to_int64(req->argv[1], &version)) {
		command_error(ctx, reply, "ERR Protocol version is not an integer or out of range");
		return;
	}
	if (version != 2 && version != 3) {
		command_error(ctx, reply, "NOPROTO unsupported protocol version");
		return;
	}
	if (hello_options(ctx, req, reply) < 0)
		return;
	if (leat_client_is_guest(ctx->client, ctx->server)) {
		command_error(ctx, reply,
			"NOAUTH HELLO must be called with the client already authenticated, "
			"otherwise the HELLO AUTH <user> <pass> option can be used to "
			"authenticate the client and select the RESP protocol version at the "
			"same time");
		return;
	}
	ctx->client->resp = (uint8_t)version;
	reply->resp = ctx->client->resp; /* the answer is the first in the new version */
	hello_reply(ctx->client, reply);
}

void
cmd_client_id(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* has no arguments */
	leat_reply_integer(reply, (int64_t)ctx->client->id);
}

void
cmd_client_getname(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* has no arguments */
	if (ctx->client->name_len > 0)
		leat_reply_bytes(reply, client_name(ctx->client));
	else
		leat_reply_null(reply);
}

void
cmd_client_setname(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	if (client_set_name(ctx, req->argv[2], reply) == 0)
		command_ok(reply);
}

void
cmd_client_setinfo(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	bool is_name = command_arg_is(req->argv[2], "lib-name");
	const char *attribute = is_name ? "lib-name" : "lib-ver";
	struct leat_slice value = req->argv[3];

	if (!is_name && !command_arg_is(req->argv[2], "lib-ver")) {
		struct leat_slice option = command_arg_text(req->argv[2], 128);

		command_errorf(
			ctx, reply, "ERR Unrecognized option '%.*s'", COMMAND_TEXT_ARGS(option));
		return;
	}
	if (!name_is_printable(value) || value.len > LEAT_CLIENT_NAME_MAX) {
		command_errorf(ctx, reply,
			"ERR %s cannot contain spaces, newlines or special characters.", attribute);
		return;
	}
	if (value.len > 0)
		memcpy(is_name ? ctx->client->lib_name : ctx->client->lib_ver, value.data,
			value.len);
	if (is_name)
		ctx->client->lib_name_len = (uint16_t)value.len;
	else
		ctx->client->lib_ver_len = (uint16_t)value.len;
	command_ok(reply);
}

/* One line about who asks, of the fields of Redis those that have a meaning here. */
static void
client_reply_line(struct leat_command_ctx *ctx, const char *command, struct leat_reply *reply)
{
	const struct leat_client *client = ctx->client;
	char line[CLIENT_LINE_MAX], local[LEAT_CLIENT_END_MAX], peer[LEAT_CLIENT_END_MAX];
	uint32_t nb_subs = leat_pubsub_nb_subscriptions(&client->subscriber);
	int len;

	ctx->client_ends(ctx, client, local, peer);
	len = snprintf(line, sizeof(line),
		"id=%llu addr=%s laddr=%s name=%.*s age=%llu idle=0 flags=%s db=0 sub=%u psub=0 "
		"ssub=0 multi=-1 cmd=%s user=default redir=-1 resp=%u lib-name=%.*s lib-ver=%.*s\n",
		(unsigned long long)client->id, peer, local, (int)client->name_len,
		(const char *)client->name,
		(unsigned long long)((ctx->now_us - client->opened_us) / 1000000u),
		nb_subs > 0 ? "P" : "N", nb_subs, command, client->resp, (int)client->lib_name_len,
		(const char *)client->lib_name, (int)client->lib_ver_len,
		(const char *)client->lib_ver);
	LEAT_VERIFY(len > 0);
	LEAT_VERIFY((size_t)len < sizeof(line)); /* the longest names and ends fit */
	leat_reply_verbatim(reply, (struct leat_slice){ (const uint8_t *)line, (size_t)len });
}

void
cmd_client_info(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)req; /* has no arguments */
	client_reply_line(ctx, "client|info", reply);
}

/* CLIENT LIST TYPE <type>. Returns whether a normal client is of that type, or -EINVAL. */
static int
list_has_type(struct leat_slice type, bool is_subscriber)
{
	if (command_arg_is(type, "normal"))
		return !is_subscriber;
	if (command_arg_is(type, "pubsub"))
		return is_subscriber;
	if (command_arg_is(type, "master") || command_arg_is(type, "replica") ||
		command_arg_is(type, "slave"))
		return 0;
	return -EINVAL;
}

/* CLIENT LIST ID <id>... Returns whether the client is among them, or -EINVAL. */
static int
list_has_id(const struct leat_request *req, uint64_t id)
{
	int has_id = 0;

	for (uint32_t i = 3; i < req->argc; i++) {
		int64_t value;

		if (!leat_slice_to_int64(req->argv[i], &value))
			return -EINVAL;
		if ((uint64_t)value == id)
			has_id = 1;
	}
	return has_id;
}

void
cmd_client_list(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	bool is_subscriber = leat_pubsub_nb_subscriptions(&ctx->client->subscriber) > 0;
	int is_listed = 1;

	if (req->argc == 4 && command_arg_is(req->argv[2], "type")) {
		struct leat_slice type = command_arg_text(req->argv[3], 128);

		is_listed = list_has_type(req->argv[3], is_subscriber);
		if (is_listed < 0)
			command_errorf(ctx, reply, "ERR Unknown client type '%.*s'",
				COMMAND_TEXT_ARGS(type));
	} else if (req->argc > 3 && command_arg_is(req->argv[2], "id")) {
		is_listed = list_has_id(req, ctx->client->id);
		if (is_listed < 0)
			command_error(ctx, reply, "ERR Invalid client ID");
	} else if (req->argc != 2) {
		command_error_syntax(ctx, reply);
		return;
	}
	if (is_listed > 0)
		client_reply_line(ctx, "client|list", reply);
	else if (is_listed == 0)
		leat_reply_verbatim(reply, LEAT_SLICE(""));
}

void
cmd_client_no_evict(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	if (command_arg_is(req->argv[2], "on") || command_arg_is(req->argv[2], "off"))
		command_ok(reply);
	else
		command_error_syntax(ctx, reply);
}
