/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands on strings.
 */

#include <errno.h>

#include "command_priv.h"
#include "command_run.h"

#define SET_NX      0x01u
#define SET_XX      0x02u
#define SET_GET     0x04u
#define SET_KEEPTTL 0x08u
#define SET_EX      0x10u
#define SET_PX      0x20u
#define SET_EXAT    0x40u
#define SET_PXAT    0x80u

/* How the key's expiry is to be; one of them at most. */
#define SET_TIMES (SET_KEEPTTL | SET_EX | SET_PX | SET_EXAT | SET_PXAT)

struct set_options {
	uint32_t flags;
	struct leat_slice time; /* if flags has one of SET_EX, _PX, _EXAT, _PXAT */
};

struct set_word {
	const char *word;
	uint32_t flag;
	uint32_t excludes;
	bool has_value;
};

/* The same option may come again; then the last one counts. */
static const struct set_word set_words[] = {
	{ "nx", SET_NX, SET_XX, false },
	{ "xx", SET_XX, SET_NX, false },
	{ "get", SET_GET, 0, false },
	{ "keepttl", SET_KEEPTTL, SET_TIMES & ~SET_KEEPTTL, false },
	{ "ex", SET_EX, SET_TIMES & ~SET_EX, true },
	{ "px", SET_PX, SET_TIMES & ~SET_PX, true },
	{ "exat", SET_EXAT, SET_TIMES & ~SET_EXAT, true },
	{ "pxat", SET_PXAT, SET_TIMES & ~SET_PXAT, true },
};

static const struct set_word *
set_find_word(struct leat_slice arg)
{
	for (unsigned int i = 0; i < LEAT_DIM(set_words); i++) {
		if (command_arg_is(arg, set_words[i].word))
			return &set_words[i];
	}
	return NULL;
}

/* Returns 0 or -EINVAL: a syntax error. */
static int
set_parse(const struct leat_request *req, struct set_options *options)
{
	options->flags = 0;
	for (uint32_t i = 3; i < req->argc; i++) {
		const struct set_word *word = set_find_word(req->argv[i]);

		if (word == NULL || (options->flags & word->excludes) != 0)
			return -EINVAL;
		if (word->has_value && ++i == req->argc)
			return -EINVAL;
		if (word->has_value)
			options->time = req->argv[i];
		options->flags |= word->flag;
	}
	return 0;
}

/* Returns 0 and the Unix time in milliseconds, or -EINVAL after having answered. */
static int
set_parse_time(struct leat_command_ctx *ctx, const struct set_options *options,
	struct leat_reply *reply, int64_t *unix_ms)
{
	bool is_seconds = (options->flags & (SET_EX | SET_EXAT)) != 0;
	bool is_relative = (options->flags & (SET_EX | SET_PX)) != 0;
	int64_t base_ms = is_relative ? (int64_t)ctx->wall_ms : 0;
	int64_t value;

	if (!leat_slice_to_int64(options->time, &value)) {
		command_error_integer(ctx, reply);
		return -EINVAL;
	}
	if (value > 0 && command_unix_ms(value, is_seconds, base_ms, unix_ms))
		return 0;
	command_error(ctx, reply, "ERR invalid expire time in 'set' command");
	return -EINVAL;
}

/* Returns 0 and when the key expires, or -EINVAL after having answered. */
static int
set_expires_us(struct leat_command_ctx *ctx, const struct set_options *options,
	struct leat_reply *reply, uint64_t *expires_us)
{
	int64_t unix_ms;
	int ret;

	*expires_us = LEAT_STORE_NO_EXPIRY;
	if ((options->flags & SET_KEEPTTL) != 0)
		*expires_us = LEAT_STORE_KEEP_EXPIRY;
	if ((options->flags & SET_TIMES & ~SET_KEEPTTL) == 0)
		return 0;
	ret = set_parse_time(ctx, options, reply, &unix_ms);
	if (ret == 0)
		*expires_us = command_expires_us(ctx, unix_ms);
	return ret;
}

static void
reply_long_string(struct leat_command_ctx *ctx, struct leat_reply *reply, struct leat_slice value)
{
	struct leat_loan loan = leat_store_lend(ctx->store, value);

	leat_reply_bytes_lent(reply, &loan);
}

/* A string of the store. */
static void
reply_string(struct leat_command_ctx *ctx, struct leat_reply *reply, struct leat_slice value)
{
	if (LEAT_UNLIKELY(value.len >= LEAT_WRITER_REF_MIN))
		reply_long_string(ctx, reply, value);
	else
		leat_reply_bytes(reply, value);
}

/* Likewise, or null where there was none. */
static void
reply_old(struct leat_command_ctx *ctx, struct leat_reply *reply, struct leat_slice old)
{
	if (old.data == NULL)
		leat_reply_null(reply);
	else
		reply_string(ctx, reply, old);
}

void
cmd_set(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	struct leat_store_entry *entry = NULL;
	struct leat_slice old = { NULL, 0 };
	struct set_options options;
	uint64_t expires_us;
	bool has_get;
	int ret;

	if (set_parse(req, &options) < 0) {
		command_error_syntax(ctx, reply);
		return;
	}
	if (set_expires_us(ctx, &options, reply, &expires_us) < 0)
		return;
	has_get = (options.flags & SET_GET) != 0;
	if (has_get && command_read_key(ctx, req, LEAT_STORE_STRING, reply, &entry) < 0)
		return;
	if ((options.flags & (SET_NX | SET_XX)) != 0) {
		entry = leat_store_find(ctx->store, req->argv[1], &hint, ctx->now_us);
		if ((entry != NULL) == ((options.flags & SET_NX) != 0)) {
			reply_old(ctx, reply,
				has_get && entry != NULL ? leat_store_string(entry) : old);
			return;
		}
	}
	ret = leat_store_set_string(ctx->store, req->argv[1], &hint, req->argv[2], expires_us,
		has_get ? &old : NULL, ctx->now_us);
	if (ret < 0)
		command_error_store(ctx, reply, ret);
	else if (has_get)
		reply_old(ctx, reply, old);
	else
		command_ok(reply);
}

void
leat_command_get(struct leat_command_ctx *ctx, struct leat_slice key, struct leat_store_hint hint,
	struct leat_reply *reply)
{
	struct leat_store_entry *entry = leat_store_find(ctx->store, key, &hint, ctx->now_us);

	if (command_read_entry(ctx, entry, LEAT_STORE_STRING, reply) < 0)
		return;
	if (entry == NULL)
		leat_reply_null(reply);
	else
		reply_string(ctx, reply, leat_store_string(entry));
}

void
cmd_get(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	leat_command_get(ctx, req->argv[1], req->hint, reply);
}

/* Add to the integer at the first key, which counts as zero if it is missing. */
static void
string_add(struct leat_command_ctx *ctx, const struct leat_request *req, int64_t increment,
	struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	struct leat_store_entry *entry;
	char text[LEAT_INT64_TEXT_MAX];
	struct leat_slice sum_text = { .data = (const uint8_t *)text };
	int64_t value = 0;
	int64_t sum;
	int ret;

	entry = leat_store_find(ctx->store, req->argv[1], &hint, ctx->now_us);
	if (entry != NULL && leat_store_entry_type(entry) != LEAT_STORE_STRING) {
		command_error_store(ctx, reply, -EPROTOTYPE);
		return;
	}
	if (entry != NULL && !leat_slice_to_int64(leat_store_string(entry), &value)) {
		command_error_integer(ctx, reply);
		return;
	}
	if (__builtin_add_overflow(value, increment, &sum)) {
		command_error(ctx, reply, "ERR increment or decrement would overflow");
		return;
	}
	sum_text.len = leat_format_int64(sum, text);
	ret = leat_store_set_string(ctx->store, req->argv[1], &hint, sum_text,
		LEAT_STORE_KEEP_EXPIRY, NULL, ctx->now_us);
	if (ret < 0)
		command_error_store(ctx, reply, ret);
	else
		leat_reply_integer(reply, sum);
}

void
cmd_incr(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	string_add(ctx, req, 1, reply);
}

void
cmd_decr(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	string_add(ctx, req, -1, reply);
}

void
cmd_incrby(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int64_t increment;

	if (!leat_slice_to_int64(req->argv[2], &increment))
		command_error_integer(ctx, reply);
	else
		string_add(ctx, req, increment, reply);
}

void
cmd_decrby(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	int64_t decrement;

	if (!leat_slice_to_int64(req->argv[2], &decrement))
		command_error_integer(ctx, reply);
	else if (decrement == INT64_MIN) /* has no positive counterpart */
		command_error(ctx, reply, "ERR decrement would overflow");
	else
		string_add(ctx, req, -decrement, reply);
}
