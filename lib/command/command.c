/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Finding and executing a command. The checks and their order are those of Redis.
 */

#include <errno.h>
#include <stdio.h>

#include "command_priv.h"

#define COMMAND_QUOTED_MAX 128u /* bytes of a peer's words in an error line */

/* ORed into a name's bytes: letters to lower case; leat_command_find() compares them all. */
#define COMMAND_HASH_CASE 0x2020202020202020u

static_assert(LEAT_COMMAND_NAME_MAX >= sizeof(uint64_t), "a short name fits in one word");

/* As name_hash() in gen_commands.py, which found a multiplier without collisions. */
static uint32_t
name_hash(struct leat_slice name)
{
	size_t len = LEAT_MIN(name.len, sizeof(uint64_t));
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)name.data[i] << (8 * i);
	word = (word | COMMAND_HASH_CASE) ^ (uint64_t)name.len << 56;
	return (uint32_t)(word * command_hash_multiplier >> (64 - COMMAND_HASH_BITS));
}

const struct leat_command *
leat_command_find(struct leat_slice name)
{
	uint8_t slot = command_slots[name_hash(name)];

	if (slot == COMMAND_NO_SLOT)
		return NULL;
	return command_arg_is(name, command_table[slot].name) ? &command_table[slot] : NULL;
}

const struct leat_command *
leat_command_table(uint32_t *nb)
{
	*nb = command_table_len;
	return command_table;
}

const struct leat_command *
command_find_sub(const struct leat_command *command, struct leat_slice name)
{
	size_t prefix_len = strlen(command->name) + 1; /* "client|" */

	for (uint32_t i = 0; i < command->nb_subcommands; i++) {
		if (command_arg_is(name, command->subcommands[i].name + prefix_len))
			return &command->subcommands[i];
	}
	return NULL;
}

/*
 * The first words of an HTTP request with a body. A web page can make a browser send one to
 * us, and its lines of text could be commands.
 */
static bool
execute_is_http(const struct leat_request *req)
{
	return command_arg_is(req->argv[0], "post") || command_arg_is(req->argv[0], "host:");
}

/* Redis quotes arguments as long as what it quoted is under 128 bytes. */
static void
execute_unknown(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_slice name = command_arg_text(req->argv[0], COMMAND_QUOTED_MAX);
	char args[COMMAND_QUOTED_MAX * 2];
	size_t len = 0;

	args[0] = '\0';
	for (uint32_t i = 1; i < req->argc && len < COMMAND_QUOTED_MAX; i++) {
		struct leat_slice arg = command_arg_text(req->argv[i], COMMAND_QUOTED_MAX - len);
		int ret =
			snprintf(args + len, sizeof(args) - len, "'%.*s' ", COMMAND_TEXT_ARGS(arg));

		LEAT_VERIFY(ret > 0);
		LEAT_VERIFY((size_t)ret < sizeof(args) - len);
		len += (size_t)ret;
	}
	command_errorf(ctx, reply, "ERR unknown command '%.*s', with args beginning with: %s",
		COMMAND_TEXT_ARGS(name), args);
}

static void
execute_unknown_sub(struct leat_command_ctx *ctx, const struct leat_command *command,
	const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_slice sub = command_arg_text(req->argv[1], COMMAND_QUOTED_MAX);
	char upper[LEAT_COMMAND_NAME_MAX + 1];
	size_t len = strlen(command->name);

	LEAT_VERIFY(len < sizeof(upper));
	for (size_t i = 0; i <= len; i++) {
		char c = command->name[i];

		upper[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
	}
	command_errorf(ctx, reply, "ERR unknown subcommand '%.*s'. Try %s HELP.",
		COMMAND_TEXT_ARGS(sub), upper);
}

static bool
execute_has_arity(const struct leat_command *command, uint32_t argc)
{
	if (command->arity >= 0)
		return argc == (uint32_t)command->arity;
	return argc >= (uint32_t)-command->arity;
}

/* In RESP2 a subscriber's connection carries messages, so that replies would be mistaken. */
static bool
execute_may_run(const struct leat_command_ctx *ctx, const struct leat_command *command,
	const struct leat_request *req)
{
	return (command->flags & LEAT_COMMAND_IN_SUBS) != 0 || ctx->client->resp != 2 ||
	       req->has_marked_pushes ||
	       leat_pubsub_nb_subscriptions(&ctx->client->subscriber) == 0;
}

void
leat_command_execute(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	const struct leat_command *command = req->command;

	LEAT_VERIFY(req->argc >= 1);
	ctx->stats->nb_commands++;
	reply->resp = ctx->client->resp;
	if (command == NULL) {
		if (execute_is_http(req))
			ctx->client->close = true;
		else
			execute_unknown(ctx, req, reply);
		return;
	}
	if (command->nb_subcommands > 0 && req->argc > 1) {
		const struct leat_command *sub = command_find_sub(command, req->argv[1]);

		if (sub == NULL) {
			execute_unknown_sub(ctx, command, req, reply);
			return;
		}
		command = sub;
	}
	if (!execute_has_arity(command, req->argc)) {
		command_error_arity(ctx, reply, command->name);
		return;
	}
	if ((command->flags & LEAT_COMMAND_NO_AUTH) == 0 &&
		leat_client_is_guest(ctx->client, ctx->server)) {
		command_error(ctx, reply, "NOAUTH Authentication required.");
		return;
	}
	if (!execute_may_run(ctx, command, req)) {
		command_errorf(ctx, reply,
			"ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
			"QUIT / RESET are allowed in this context",
			command->name);
		return;
	}
	command->run(ctx, req, reply);
}

void
leat_client_init(struct leat_client *client, uint64_t id, uint64_t now_us)
{
	memset(client, 0, sizeof(*client));
	client->id = id;
	client->opened_us = now_us;
	client->resp = 2;
}

void
leat_client_fini(struct leat_client *client, struct leat_pubsub *pubsub)
{
	leat_pubsub_unsubscribe_all(pubsub, &client->subscriber);
}
