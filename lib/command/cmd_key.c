/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands on keys, whatever their value is.
 */

#include <errno.h>

#include <leat_time.h>

#include "command_priv.h"
#include "command_run.h"

#define EXPIRE_NX 0x1u
#define EXPIRE_XX 0x2u
#define EXPIRE_GT 0x4u
#define EXPIRE_LT 0x8u

void
cmd_del(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	int64_t nb_removed = 0;

	for (uint32_t i = 1; i < req->argc; i++)
		nb_removed += leat_store_remove(
			ctx->store, req->argv[i], i == 1 ? &hint : NULL, ctx->now_us);
	leat_reply_integer(reply, nb_removed);
}

void
cmd_exists(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	int64_t nb_found = 0;

	for (uint32_t i = 1; i < req->argc; i++)
		nb_found += leat_store_find(ctx->store, req->argv[i], i == 1 ? &hint : NULL,
				    ctx->now_us) != NULL;
	ctx->stats->nb_key_hits += (uint64_t)nb_found;
	ctx->stats->nb_key_misses += req->argc - 1 - (uint64_t)nb_found;
	leat_reply_integer(reply, nb_found);
}

/* Returns 0 and the flags, or -EINVAL after having answered. */
static int
expire_parse_flags(struct leat_command_ctx *ctx, const struct leat_request *req,
	struct leat_reply *reply, uint32_t *flags)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} words[] = { { "nx", EXPIRE_NX }, { "xx", EXPIRE_XX }, { "gt", EXPIRE_GT },
		{ "lt", EXPIRE_LT } };

	*flags = 0;
	for (uint32_t i = 3; i < req->argc; i++) {
		unsigned int j = 0;

		while (j < LEAT_DIM(words) && !command_arg_is(req->argv[i], words[j].word))
			j++;
		if (j == LEAT_DIM(words)) {
			struct leat_slice option = command_arg_text(req->argv[i], 128);

			command_errorf(ctx, reply, "ERR Unsupported option %.*s",
				COMMAND_TEXT_ARGS(option));
			return -EINVAL;
		}
		*flags |= words[j].flag;
	}
	if ((*flags & EXPIRE_NX) != 0 && *flags != EXPIRE_NX) {
		command_error(ctx, reply,
			"ERR NX and XX, GT or LT options at the same time are not compatible");
		return -EINVAL;
	}
	if ((*flags & EXPIRE_GT) != 0 && (*flags & EXPIRE_LT) != 0) {
		command_error(
			ctx, reply, "ERR GT and LT options at the same time are not compatible");
		return -EINVAL;
	}
	return 0;
}

/* Returns 0 and the Unix time in milliseconds, or -EINVAL after having answered. */
static int
expire_parse_time(struct leat_command_ctx *ctx, const struct leat_request *req, bool is_seconds,
	int64_t base_ms, struct leat_reply *reply, int64_t *unix_ms)
{
	int64_t value;

	if (!leat_slice_to_int64(req->argv[2], &value)) {
		command_error_integer(ctx, reply);
		return -EINVAL;
	}
	if (command_unix_ms(value, is_seconds, base_ms, unix_ms))
		return 0;
	command_errorf(ctx, reply, "ERR invalid expire time in '%s' command", req->command->name);
	return -EINVAL;
}

/* Whether the flags let a key's expiry be changed; a key that never expires has the latest. */
static bool
expire_may_change(const struct leat_command_ctx *ctx, const struct leat_store_entry *entry,
	uint32_t flags, int64_t unix_ms)
{
	bool has_expiry = leat_store_entry_expires_us(entry) != LEAT_STORE_NO_EXPIRY;
	int64_t current_ms = has_expiry ? command_expires_ms(ctx, entry) : 0;

	if ((flags & EXPIRE_NX) != 0 && has_expiry)
		return false;
	if ((flags & EXPIRE_XX) != 0 && !has_expiry)
		return false;
	if ((flags & EXPIRE_GT) != 0 && (!has_expiry || unix_ms <= current_ms))
		return false;
	if ((flags & EXPIRE_LT) != 0 && has_expiry && unix_ms >= current_ms)
		return false;
	return true;
}

/* The four commands: the unit, and the moment from which it counts. */
static void
key_expire(struct leat_command_ctx *ctx, const struct leat_request *req, bool is_seconds,
	int64_t base_ms, struct leat_reply *reply)
{
	struct leat_store_entry *entry;
	uint32_t flags;
	int64_t unix_ms;

	if (expire_parse_flags(ctx, req, reply, &flags) < 0 ||
		expire_parse_time(ctx, req, is_seconds, base_ms, reply, &unix_ms) < 0)
		return;
	entry = command_find_key(ctx, req);
	if (entry == NULL || !expire_may_change(ctx, entry, flags, unix_ms)) {
		leat_reply_integer(reply, 0);
		return;
	}
	if (unix_ms <= (int64_t)ctx->wall_ms) {
		(void)leat_store_remove(ctx->store, req->argv[1], NULL, ctx->now_us); /* is there */
	} else {
		int ret = leat_store_expire(ctx->store, entry, command_expires_us(ctx, unix_ms));

		if (ret < 0) {
			command_error_store(ctx, reply, ret);
			return;
		}
	}
	leat_reply_integer(reply, 1);
}

void
cmd_expire(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	key_expire(ctx, req, true, (int64_t)ctx->wall_ms, reply);
}

void
cmd_pexpire(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	key_expire(ctx, req, false, (int64_t)ctx->wall_ms, reply);
}

void
cmd_expireat(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	key_expire(ctx, req, true, 0, reply);
}

void
cmd_pexpireat(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	key_expire(ctx, req, false, 0, reply);
}

/* Returns milliseconds left, -1 without an expiry, -2 without the key. */
static int64_t
key_left_ms(struct leat_command_ctx *ctx, const struct leat_request *req)
{
	struct leat_store_entry *entry = command_find_key(ctx, req);

	if (entry == NULL) {
		ctx->stats->nb_key_misses++;
		return -2;
	}
	ctx->stats->nb_key_hits++;
	if (leat_store_entry_expires_us(entry) == LEAT_STORE_NO_EXPIRY)
		return -1;
	return command_expires_ms(ctx, entry) - (int64_t)ctx->wall_ms;
}

void
cmd_ttl(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int64_t left_ms = key_left_ms(ctx, req);

	leat_reply_integer(
		reply, left_ms < 0 ? left_ms : (left_ms + LEAT_MS_PER_S / 2) / LEAT_MS_PER_S);
}

void
cmd_pttl(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	leat_reply_integer(reply, key_left_ms(ctx, req));
}

void
cmd_persist(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry = command_find_key(ctx, req);
	bool has_expiry =
		entry != NULL && leat_store_entry_expires_us(entry) != LEAT_STORE_NO_EXPIRY;

	if (has_expiry)
		(void)leat_store_expire(ctx->store, entry, LEAT_STORE_NO_EXPIRY); /* cannot fail */
	leat_reply_integer(reply, has_expiry);
}

void
cmd_type(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	static const char *const names[LEAT_STORE_TYPES] = {
		[LEAT_STORE_STRING] = "string",
		[LEAT_STORE_HASH] = "hash",
		[LEAT_STORE_ZSET] = "zset",
	};
	struct leat_store_entry *entry = command_find_key(ctx, req);

	leat_reply_status(reply,
		leat_slice_str(entry != NULL ? names[leat_store_entry_type(entry)] : "none"));
}
