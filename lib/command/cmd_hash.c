/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands on hashes.
 */

#include <errno.h>

#include "command_priv.h"
#include "command_run.h"

void
cmd_hset(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	int64_t ret;

	if (req->argc % 2 != 0) { /* a field without a value */
		command_error_arity(ctx, reply, req->command->name);
		return;
	}
	ret = leat_store_hash_set(
		ctx->store, req->argv[1], &hint, req->argv + 2, (req->argc - 2) / 2, ctx->now_us);
	if (ret < 0)
		command_error_store(ctx, reply, ret);
	else
		leat_reply_integer(reply, ret);
}

void
cmd_hget(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry;
	struct leat_slice value;

	if (command_read_key(ctx, req, LEAT_STORE_HASH, reply, &entry) < 0)
		return;
	if (entry != NULL && leat_store_hash_get(ctx->store, entry, req->argv[2], &value))
		leat_reply_bytes(reply, value);
	else
		leat_reply_null(reply);
}

void
cmd_hdel(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry = command_find_key(ctx, req);

	if (entry == NULL) {
		leat_reply_integer(reply, 0);
		return;
	}
	if (leat_store_entry_type(entry) != LEAT_STORE_HASH) {
		command_error_store(ctx, reply, -EPROTOTYPE);
		return;
	}
	leat_reply_integer(
		reply, leat_store_hash_remove(ctx->store, entry, req->argv + 2, req->argc - 2));
}

void
cmd_hlen(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry;

	if (command_read_key(ctx, req, LEAT_STORE_HASH, reply, &entry) < 0)
		return;
	leat_reply_integer(
		reply, entry != NULL ? (int64_t)leat_dict_len(leat_store_dict(entry)) : 0);
}

void
cmd_hgetall(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry;
	const struct leat_dict *dict;
	struct leat_dict_node *node;
	struct leat_dict_iter iter;

	if (command_read_key(ctx, req, LEAT_STORE_HASH, reply, &entry) < 0)
		return;
	if (entry == NULL) {
		leat_reply_map(reply, 0);
		return;
	}
	dict = leat_store_dict(entry);
	LEAT_VERIFY(leat_dict_len(dict) <= UINT32_MAX);
	leat_reply_map(reply, (uint32_t)leat_dict_len(dict));
	leat_dict_iter_init(&iter, dict);
	for (node = leat_dict_iter_next(&iter, dict); node != NULL;
		node = leat_dict_iter_next(&iter, dict)) {
		leat_reply_bytes(reply, leat_dict_node_field(node));
		leat_reply_bytes(reply, leat_dict_node_value(node));
	}
}
