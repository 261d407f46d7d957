/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The reply parser of lib/resp, and what writes replies. The first bytes of an input choose
 * limits and pieces; the rest is a stream of replies. What is read is written again, and
 * must read the same.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <leat_resp_client.h>

#include "fuzz_support.h"

#define HEAD_LEN    3u
#define TOKENS_MAX  4096u
#define PIECES_MAX  64u /* of one token, nearly */
#define TOKEN_EXTRA 64u /* bytes that a token may need beyond those it was read from */

static void
check_lies_in(struct leat_slice s, struct leat_slice in)
{
	if (s.data == NULL)
		return;
	LEAT_VERIFY(s.data >= in.data);
	LEAT_VERIFY(s.data <= in.data + in.len);
	LEAT_VERIFY(s.len <= (size_t)(in.data + in.len - s.data));
}

static ssize_t
parse_step(struct leat_resp_reply_parser *parser, const struct leat_resp_reply_limits *limits,
	struct leat_slice in, struct leat_resp_token *token)
{
	ssize_t ret = leat_resp_parse_reply(parser, limits, in, token);

	LEAT_VERIFY(ret <= (ssize_t)in.len);
	LEAT_VERIFY(parser->depth <= LEAT_RESP_DEPTH_MAX);
	if (ret <= 0)
		return ret;
	in.len = (size_t)ret;
	check_lies_in(token->text, in);
	check_lies_in(token->format, in);
	LEAT_VERIFY(token->type < LEAT_RESP_TYPES);
	LEAT_VERIFY(token->text.len <= LEAT_MAX(limits->bulk_max, (size_t)LEAT_RESP_LINE_MAX));
	LEAT_VERIFY(!token->ends_reply || parser->depth == 0);
	return ret;
}

/* One token, its bytes coming in pieces, each time elsewhere in memory. */
static ssize_t
parse_in_pieces(struct leat_resp_reply_parser *parser, const struct leat_resp_reply_limits *limits,
	struct leat_slice in, uint8_t seed, enum leat_resp_type *type)
{
	struct fuzz_pieces pieces = {
		.in = in, .nb_max = PIECES_MAX, .seed = seed, .random = seed
	};
	ssize_t ret;

	do {
		struct leat_resp_token token;
		uint8_t *copy = fuzz_pieces_copy(&pieces);

		ret = parse_step(parser, limits, (struct leat_slice){ copy, pieces.len }, &token);
		*type = token.type;
		if (ret == 0) /* and so for ever, until more comes */
			LEAT_VERIFY(parse_step(parser, limits,
					    (struct leat_slice){ copy, pieces.len }, &token) == 0);
		free(copy);
	} while (ret == 0 && fuzz_pieces_next(&pieces));
	return ret;
}

static void
emit_head(struct leat_writer *w, const struct leat_resp_token *token)
{
	uint32_t nb = (uint32_t)token->integer;

	if (token->type == LEAT_RESP_ARRAY)
		leat_resp_emit_array(w, nb);
	else if (token->type == LEAT_RESP_SET)
		leat_resp3_emit_set(w, nb);
	else if (token->type == LEAT_RESP_PUSH)
		leat_resp3_emit_push(w, nb);
	else if (token->type == LEAT_RESP_MAP)
		leat_resp3_emit_map(w, nb);
	else
		leat_resp3_emit_attribute(w, nb);
}

/* Write a token. Returns false for what is never written. */
static bool
emit_token(struct leat_writer *w, const struct leat_resp_token *token)
{
	switch (token->type) {
	case LEAT_RESP_STATUS:
		leat_resp_emit_status(w, token->text);
		return true;
	case LEAT_RESP_ERROR:
		leat_resp_emit_error(w, token->text);
		return true;
	case LEAT_RESP_INTEGER:
		leat_resp_emit_integer(w, token->integer);
		return true;
	case LEAT_RESP_BULK:
		leat_resp_emit_bulk(w, token->text);
		return true;
	case LEAT_RESP_NULL:
		leat_resp3_emit_null(w);
		return true;
	case LEAT_RESP_BOOLEAN:
		leat_resp3_emit_boolean(w, token->integer != 0);
		return true;
	case LEAT_RESP_DOUBLE:
		if (!isnan(token->real))
			leat_resp3_emit_double(w, token->real);
		return !isnan(token->real);
	case LEAT_RESP_BIG_NUMBER:
		leat_resp3_emit_big_number(w, token->text);
		return true;
	case LEAT_RESP_BULK_ERROR:
		leat_resp3_emit_bulk_error(w, token->text);
		return true;
	case LEAT_RESP_VERBATIM:
		leat_resp3_emit_verbatim(w, (const char *)token->format.data, token->text);
		return true;
	case LEAT_RESP_STREAM:
	case LEAT_RESP_CHUNK:
	case LEAT_RESP_END:
		return false;
	default: /* the aggregates */
		if (!token->is_streamed)
			emit_head(w, token);
		return !token->is_streamed;
	}
}

/* RESP2 has other forms for two types: no value, and a number that is a bulk string there. */
static void
check_resp2_form(const struct leat_resp_token *token)
{
	const struct leat_resp_reply_limits limits = { TOKEN_EXTRA, 0 };
	bool is_double = token->type == LEAT_RESP_DOUBLE && !isnan(token->real);
	struct leat_resp_reply_parser parser = { 0 };
	struct leat_resp_token again;
	uint8_t buf[TOKEN_EXTRA];
	struct leat_writer w;
	size_t len;

	if (!is_double && token->type != LEAT_RESP_NULL)
		return;
	leat_writer_init(&w, buf, sizeof(buf));
	if (is_double)
		leat_resp_emit_double(&w, token->real);
	else
		leat_resp_emit_null(&w);
	len = (size_t)(w.pos - buf);
	LEAT_VERIFY(parse_step(&parser, &limits, (struct leat_slice){ buf, len }, &again) ==
		    (ssize_t)len);
	LEAT_VERIFY(again.type == (is_double ? LEAT_RESP_BULK : LEAT_RESP_NULL));
}

/* What is written of a token reads as that token. */
static void
check_round_trip(const struct leat_resp_token *token)
{
	const struct leat_resp_reply_limits limits = { SIZE_MAX >> 1, UINT32_MAX };
	struct leat_resp_reply_parser parser = { 0 };
	size_t room = token->text.len + TOKEN_EXTRA;
	uint8_t *buf = malloc(room);
	struct leat_resp_token again;
	struct leat_writer w;
	size_t len;

	LEAT_VERIFY(buf != NULL);
	leat_writer_init(&w, buf, room);
	if (emit_token(&w, token)) {
		LEAT_VERIFY(!w.failed);
		len = (size_t)(w.pos - buf);
		LEAT_VERIFY(parse_step(&parser, &limits, (struct leat_slice){ buf, len }, &again) ==
			    (ssize_t)len);
		LEAT_VERIFY(again.type == token->type);
		LEAT_VERIFY(again.integer == token->integer);
		LEAT_VERIFY(token->type != LEAT_RESP_DOUBLE || again.real == token->real);
		LEAT_VERIFY(token->type == LEAT_RESP_DOUBLE || token->type == LEAT_RESP_ERROR ||
			    leat_slice_is_equal(again.text, token->text));
	}
	free(buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_resp_reply_parser at_once = { 0 };
	struct leat_resp_reply_parser pieces = { 0 };
	struct leat_resp_reply_limits limits;
	struct leat_slice in;

	if (len < HEAD_LEN)
		return 0;
	limits.bulk_max = data[0] == 0 ? 1u << 20 : data[0];
	limits.count_max = data[1] == 0 ? UINT32_MAX : data[1];
	in = (struct leat_slice){ data + HEAD_LEN, len - HEAD_LEN };
	for (unsigned int i = 0; i < TOKENS_MAX; i++) {
		enum leat_resp_type type;
		struct leat_resp_token token;
		ssize_t ret = parse_step(&at_once, &limits, in, &token);

		LEAT_VERIFY(ret == parse_in_pieces(&pieces, &limits, in, data[2], &type));
		if (ret <= 0)
			break;
		LEAT_VERIFY(type == token.type);
		LEAT_VERIFY(at_once.depth == pieces.depth);
		check_round_trip(&token);
		check_resp2_form(&token);
		in.data += ret;
		in.len -= (size_t)ret;
	}
	return 0;
}
