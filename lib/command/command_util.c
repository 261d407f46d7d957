/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the commands share: error lines, the first key, and the two clocks.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <leat_time.h>

#include "command_priv.h"
#include "command_run.h"

struct leat_slice
command_arg_text(struct leat_slice arg, size_t len_max)
{
	size_t len = LEAT_MIN(arg.len, len_max);
	const uint8_t *zero = len > 0 ? memchr(arg.data, '\0', len) : NULL;

	if (zero != NULL)
		len = (size_t)(zero - arg.data);
	return (struct leat_slice){ arg.data, len };
}

void
command_error(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *text)
{
	ctx->stats->nb_errors++;
	leat_reply_error(reply, leat_slice_str(text));
}

void
command_errorf(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *fmt, ...)
{
	char text[LEAT_REPLY_ERROR_MAX];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* a cut line still tells */
	va_end(args);
	ctx->stats->nb_errors++;
	leat_reply_errorf(reply, "%s", text);
}

void
command_error_syntax(struct leat_command_ctx *ctx, struct leat_reply *reply)
{
	command_error(ctx, reply, "ERR syntax error");
}

void
command_error_integer(struct leat_command_ctx *ctx, struct leat_reply *reply)
{
	command_error(ctx, reply, "ERR value is not an integer or out of range");
}

void
command_error_arity(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *name)
{
	command_errorf(ctx, reply, "ERR wrong number of arguments for '%s' command", name);
}

void
command_error_store(struct leat_command_ctx *ctx, struct leat_reply *reply, int64_t ret)
{
	switch (ret) {
	case -EPROTOTYPE:
		command_error(ctx, reply,
			"WRONGTYPE Operation against a key holding the wrong kind of value");
		break;
	case -EMSGSIZE:
		command_error(
			ctx, reply, "ERR string exceeds maximum allowed size (proto-max-bulk-len)");
		break;
	default: /* -ENOMEM: the shard is full */
		command_error(
			ctx, reply, "OOM command not allowed when used memory > 'maxmemory'.");
	}
}

/* A command that is nothing without its subcommand. */
void
cmd_container(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	command_error_arity(ctx, reply, req->command->name);
}

struct leat_store_entry *
command_find_key(struct leat_command_ctx *ctx, const struct leat_request *req)
{
	struct leat_store_hint hint = req->hint;

	return leat_store_find(ctx->store, req->argv[req->command->first_key], &hint, ctx->now_us);
}

int
command_read_entry(struct leat_command_ctx *ctx, const struct leat_store_entry *entry,
	enum leat_store_type type, struct leat_reply *reply)
{
	if (entry == NULL) {
		ctx->stats->nb_key_misses++;
		return 0;
	}
	ctx->stats->nb_key_hits++;
	if (leat_store_entry_type(entry) != type) {
		command_error_store(ctx, reply, -EPROTOTYPE);
		return -EPROTOTYPE;
	}
	return 0;
}

int
command_read_key(struct leat_command_ctx *ctx, const struct leat_request *req,
	enum leat_store_type type, struct leat_reply *reply, struct leat_store_entry **entry)
{
	*entry = command_find_key(ctx, req);
	return command_read_entry(ctx, *entry, type, reply);
}

bool
command_unix_ms(int64_t value, bool is_seconds, int64_t base_ms, int64_t *unix_ms)
{
	if (is_seconds && (value > INT64_MAX / LEAT_MS_PER_S || value < INT64_MIN / LEAT_MS_PER_S))
		return false;
	if (is_seconds)
		value *= LEAT_MS_PER_S;
	if (value > INT64_MAX - base_ms)
		return false;
	*unix_ms = value + base_ms;
	return true;
}

uint64_t
command_expires_us(const struct leat_command_ctx *ctx, int64_t unix_ms)
{
	uint64_t us_max = LEAT_MIN(LEAT_STORE_NO_EXPIRY, LEAT_STORE_KEEP_EXPIRY) - 1;
	uint64_t left_ms;

	if (unix_ms < 0 || (uint64_t)unix_ms <= ctx->wall_ms)
		return ctx->now_us;
	left_ms = (uint64_t)unix_ms - ctx->wall_ms;
	if (left_ms > (us_max - ctx->now_us) / LEAT_US_PER_MS)
		return us_max;
	return ctx->now_us + left_ms * LEAT_US_PER_MS;
}

int64_t
command_expires_ms(const struct leat_command_ctx *ctx, const struct leat_store_entry *entry)
{
	uint64_t expires_us = leat_store_entry_expires_us(entry);
	uint64_t left_us = expires_us > ctx->now_us ? expires_us - ctx->now_us : 0;

	/* Up to the next millisecond: what was just set to last 1,000 ms has that much left. */
	return (int64_t)(ctx->wall_ms + (left_us + LEAT_US_PER_MS - 1) / LEAT_US_PER_MS);
}

/* Match one byte against the set behind a '[' and step over the set. */
static bool
glob_match_set(struct leat_reader *p, uint8_t c)
{
	bool is_negated = p->pos < p->end && *p->pos == '^';
	bool is_in = false;

	p->pos += is_negated;
	while (p->pos < p->end && *p->pos != ']') {
		uint8_t low;
		uint8_t high;

		if (*p->pos == '\\' && leat_reader_left(p) >= 2)
			p->pos++;
		low = *p->pos++;
		high = low;
		if (leat_reader_left(p) >= 2 && p->pos[0] == '-' && p->pos[1] != ']') {
			high = p->pos[1];
			p->pos += 2;
		}
		if ((c >= low && c <= high) || (c >= high && c <= low))
			is_in = true;
	}
	p->pos += p->pos < p->end;
	return is_in != is_negated;
}

/* Match one byte against one element that is no '*', and step over the element. */
static bool
glob_match_one(struct leat_reader *p, uint8_t c)
{
	uint8_t element = *p->pos++;

	if (element == '?')
		return true;
	if (element == '[')
		return glob_match_set(p, c);
	if (element == '\\' && p->pos < p->end)
		element = *p->pos++;
	return leat_slice_is_equal_nocase(
		(struct leat_slice){ &element, 1 }, (struct leat_slice){ &c, 1 });
}

/*
 * Only the last '*' is ever widened: what an earlier one could give, the last one can
 * give too. So the time is at most the product of the two lengths.
 */
bool
command_glob_match(struct leat_slice pattern, struct leat_slice text)
{
	struct leat_reader p = { pattern.data, pattern.data + pattern.len };
	struct leat_reader t = { text.data, text.data + text.len };
	struct leat_reader star = { NULL, p.end };
	const uint8_t *star_text = NULL;

	if (pattern.len > LEAT_COMMAND_PATTERN_MAX)
		return false;
	while (t.pos < t.end) {
		if (p.pos < p.end && *p.pos == '*') {
			p.pos++;
			star = p;
			star_text = t.pos;
		} else if (p.pos < p.end && glob_match_one(&p, *t.pos)) {
			t.pos++;
		} else if (star_text != NULL) {
			p = star;
			t.pos = ++star_text;
		} else {
			return false;
		}
	}
	while (p.pos < p.end && *p.pos == '*')
		p.pos++;
	return p.pos == p.end;
}
