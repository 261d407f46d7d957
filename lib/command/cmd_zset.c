/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Commands on sorted sets.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "command_priv.h"
#include "command_run.h"

#define SCORE_TEXT_MAX 255u /* bytes of a score in a request */

/* Beside LEAT_ZSET_NX, _XX, _GT and _LT. */
#define ZADD_CH          0x100u
#define ZADD_INCR        0x200u

#define ZADD_STORE_FLAGS (LEAT_ZSET_NX | LEAT_ZSET_XX | LEAT_ZSET_GT | LEAT_ZSET_LT)

/* A score as strtod() reads it, which is what Redis takes: hexadecimal and "inf" too. */
static bool
score_parse(struct leat_slice arg, double *score)
{
	char text[SCORE_TEXT_MAX + 1];
	char *end;

	if (arg.len == 0 || arg.len > SCORE_TEXT_MAX)
		return false;
	if (arg.data[0] == ' ' || (arg.data[0] >= '\t' && arg.data[0] <= '\r'))
		return false;
	memcpy(text, arg.data, arg.len);
	text[arg.len] = '\0';
	errno = 0;
	*score = strtod(text, &end);
	if (end != text + arg.len || isnan(*score))
		return false;
	return errno != ERANGE || (!isinf(*score) && *score != 0);
}

/* Read the options; returns the index of the first score. */
static uint32_t
zadd_parse_flags(const struct leat_request *req, uint32_t *flags)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} words[] = { { "nx", LEAT_ZSET_NX }, { "xx", LEAT_ZSET_XX }, { "gt", LEAT_ZSET_GT },
		{ "lt", LEAT_ZSET_LT }, { "ch", ZADD_CH }, { "incr", ZADD_INCR } };
	uint32_t i = 2;

	*flags = 0;
	for (; i < req->argc; i++) {
		unsigned int j = 0;

		while (j < LEAT_DIM(words) && !command_arg_is(req->argv[i], words[j].word))
			j++;
		if (j == LEAT_DIM(words))
			break;
		*flags |= words[j].flag;
	}
	return i;
}

/* Returns the words of the first fault, or NULL. */
static const char *
zadd_check(uint32_t flags, uint32_t nb_args)
{
	bool has_nx = (flags & LEAT_ZSET_NX) != 0;
	bool has_gt = (flags & LEAT_ZSET_GT) != 0;
	bool has_lt = (flags & LEAT_ZSET_LT) != 0;

	if (nb_args == 0 || nb_args % 2 != 0)
		return "ERR syntax error";
	if (has_nx && (flags & LEAT_ZSET_XX) != 0)
		return "ERR XX and NX options at the same time are not compatible";
	if ((has_gt && has_nx) || (has_lt && has_nx) || (has_gt && has_lt))
		return "ERR GT, LT, and/or NX options at the same time are not compatible";
	if ((flags & ZADD_INCR) != 0 && nb_args > 2)
		return "ERR INCR option supports a single increment-element pair";
	return NULL;
}

/* ZADD with INCR: the score is added to the one that is there. */
static void
zadd_increment(struct leat_command_ctx *ctx, const struct leat_request *req, uint32_t flags,
	const struct leat_slice *pair, double increment, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	struct leat_store_entry *entry = command_find_key(ctx, req);
	struct leat_store_zset_counts counts;
	double current = 0;
	double sum = increment;
	bool is_member;
	int ret;

	if (entry != NULL && leat_store_entry_type(entry) != LEAT_STORE_ZSET) {
		command_error_store(ctx, reply, -EPROTOTYPE);
		return;
	}
	is_member = entry != NULL && leat_store_zset_score(ctx->store, entry, pair[1], &current);
	if (is_member)
		sum = current + increment;
	if ((flags & (is_member ? LEAT_ZSET_NX : LEAT_ZSET_XX)) != 0) {
		leat_reply_null(reply);
		return;
	}
	if (isnan(sum)) {
		command_error(ctx, reply, "ERR resulting score is not a number (NaN)");
		return;
	}
	if (is_member && (((flags & LEAT_ZSET_GT) != 0 && sum <= current) ||
				 ((flags & LEAT_ZSET_LT) != 0 && sum >= current))) {
		leat_reply_null(reply);
		return;
	}
	ret = leat_store_zset_stage(ctx->store, sum, pair[1]);
	if (ret == 0)
		ret = leat_store_zset_commit(
			ctx->store, req->argv[1], &hint, 0, &counts, ctx->now_us);
	if (ret < 0)
		command_error_store(ctx, reply, ret);
	else
		leat_reply_score(reply, sum);
}

/* Returns 0, or what leat_store_zset_stage() returned. Every score is valid. */
static int
zadd_stage(struct leat_command_ctx *ctx, const struct leat_slice *pairs, uint32_t nb_pairs)
{
	for (uint32_t i = 0; i < nb_pairs; i++) {
		double score;
		bool is_valid = score_parse(pairs[2 * i], &score);
		int ret;

		LEAT_VERIFY(is_valid);
		ret = leat_store_zset_stage(ctx->store, score, pairs[2 * i + 1]);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void
zadd_add(struct leat_command_ctx *ctx, const struct leat_request *req, uint32_t flags,
	uint32_t first, struct leat_reply *reply)
{
	struct leat_store_hint hint = req->hint;
	struct leat_store_entry *entry = command_find_key(ctx, req);
	struct leat_store_zset_counts counts = { 0, 0 };
	int ret = 0;

	if (entry != NULL && leat_store_entry_type(entry) != LEAT_STORE_ZSET)
		ret = -EPROTOTYPE; /* before memory is taken for nothing */
	if (ret == 0)
		ret = zadd_stage(ctx, req->argv + first, (req->argc - first) / 2);
	if (ret == 0)
		ret = leat_store_zset_commit(ctx->store, req->argv[1], &hint,
			flags & ZADD_STORE_FLAGS, &counts, ctx->now_us);
	if (ret < 0)
		command_error_store(ctx, reply, ret);
	else
		leat_reply_integer(reply, (int64_t)counts.nb_added +
						  ((flags & ZADD_CH) != 0 ? counts.nb_updated : 0));
}

void
cmd_zadd(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	uint32_t flags;
	uint32_t first = zadd_parse_flags(req, &flags);
	const char *fault = zadd_check(flags, req->argc - first);
	double score = 0;

	if (fault != NULL) {
		command_error(ctx, reply, fault);
		return;
	}
	for (uint32_t i = first; i < req->argc; i += 2) {
		if (!score_parse(req->argv[i], &score)) {
			command_error(ctx, reply, "ERR value is not a valid float");
			return;
		}
	}
	if ((flags & ZADD_INCR) != 0)
		zadd_increment(ctx, req, flags, req->argv + first, score, reply);
	else
		zadd_add(ctx, req, flags, first, reply);
}

void
cmd_zscore(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry;
	double score;

	if (command_read_key(ctx, req, LEAT_STORE_ZSET, reply, &entry) < 0)
		return;
	if (entry != NULL && leat_store_zset_score(ctx->store, entry, req->argv[2], &score))
		leat_reply_score(reply, score);
	else
		leat_reply_null(reply);
}

void
cmd_zcard(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_store_entry *entry;

	if (command_read_key(ctx, req, LEAT_STORE_ZSET, reply, &entry) < 0)
		return;
	leat_reply_integer(
		reply, entry != NULL ? (int64_t)leat_zset_len(leat_store_zset(entry)) : 0);
}
