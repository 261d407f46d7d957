/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * POST /rpc: the call of lib/rpc. The media type of the body says how it is encoded, and the answer
 * has the same. A body without a type could be either, so it is refused as one of another type is.
 */

#include <errno.h>

#include <leat_rpc.h>

#include "route_priv.h"

#define CONTENT_TYPE_MAX 128u /* bytes of a value whose escapes are undone; ours are shorter */

/* One way to write the record. */
struct encoding {
	struct leat_slice media_type;
	int (*call)(struct leat_slice body, struct leat_writer *out);
	struct leat_slice refusal; /* what is said of a body that is not so */
};

#define SLICE(literal)                                                                             \
	{                                                                                          \
		(const uint8_t *)(literal), sizeof(literal) - 1                                    \
	}

static const struct encoding encodings[] = {
	{ SLICE("application/json"), leat_rpc_call_json, SLICE("bad json body") },
	{ SLICE("application/zap"), leat_rpc_call_zap, SLICE("bad zap body") },
};

static bool
is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

/*
 * The type and subtype of a value, without blanks. Parameters say nothing about either encoding
 * (RFC 8259 section 11), so they are not looked at.
 */
static struct leat_slice
media_type_of(struct leat_slice value)
{
	const uint8_t *semicolon = value.len == 0 ? NULL : memchr(value.data, ';', value.len);

	if (semicolon != NULL)
		value.len = (size_t)(semicolon - value.data);
	while (value.len > 0 && is_blank(value.data[value.len - 1]))
		value.len--;
	while (value.len > 0 && is_blank(value.data[0])) {
		value.data++;
		value.len--;
	}
	return value;
}

static const struct encoding *
encoding_find(const struct leat_web_request *web)
{
	uint8_t buf[CONTENT_TYPE_MAX];
	struct leat_slice value;

	if (!leat_web_find(web, LEAT_SLICE("content-type"), buf, sizeof(buf), &value))
		return NULL;
	value = media_type_of(value);
	for (size_t i = 0; i < LEAT_DIM(encodings); i++) {
		if (leat_slice_is_equal_nocase(value, encodings[i].media_type))
			return &encodings[i];
	}
	return NULL;
}

/* The body as one slice: where it came in several pieces, they are put together in room. */
static struct leat_slice
body_join(const struct leat_web_request *web, uint8_t room[LEAT_RPC_BODY_MAX])
{
	struct leat_slice body = { room, 0 };

	if (web->nb_pieces == 1)
		return web->pieces[0];
	LEAT_VERIFY(web->body_len <= LEAT_RPC_BODY_MAX);
	for (uint32_t i = 0; i < web->nb_pieces; i++) {
		if (web->pieces[i].len > 0)
			memcpy(room + body.len, web->pieces[i].data, web->pieces[i].len);
		body.len += web->pieces[i].len;
	}
	return body;
}

/* Say which types there are (RFC 9110 sections 15.5.16 and 12.5.1). */
static void
answer_unsupported(struct leat_reply *reply)
{
	const struct leat_web_field accept = {
		.name = LEAT_SLICE("Accept"),
		.value = LEAT_SLICE("application/json, application/zap"),
	};
	const struct leat_slice line[] = { leat_http_reason(ROUTE_UNSUPPORTED_TYPE),
		LEAT_SLICE("\n") };
	const struct leat_web_answer answer = {
		.status = ROUTE_UNSUPPORTED_TYPE,
		.content_type = LEAT_SLICE("text/plain"),
		.fields = &accept,
		.nb_fields = 1,
		.body = line,
		.nb_slices = LEAT_DIM(line),
	};

	leat_reply_answer(reply, &answer);
}

/* These words are what clients of other servers know, so no newline is behind them. */
static void
answer_refusal(struct leat_reply *reply, const struct encoding *encoding)
{
	const struct leat_web_answer answer = {
		.status = ROUTE_BAD_REQUEST,
		.content_type = LEAT_SLICE("text/plain"),
		.body = &encoding->refusal,
		.nb_slices = 1,
	};

	leat_reply_answer(reply, &answer);
}

void
route_rpc_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	const struct encoding *encoding = encoding_find(web);
	uint8_t answer[LEAT_RPC_ANSWER_MAX];
	uint8_t room[LEAT_RPC_BODY_MAX];
	struct leat_writer w;
	int ret = -EMSGSIZE;

	(void)ctx; /* nothing of the store */
	if (encoding == NULL) {
		answer_unsupported(reply);
		return;
	}
	leat_writer_init(&w, answer, sizeof(answer));
	if (web->body_len <= LEAT_RPC_BODY_MAX)
		ret = encoding->call(body_join(web, room), &w);
	LEAT_VERIFY(!w.failed);
	if (ret == 0)
		leat_web_answer_bytes(reply, encoding->media_type,
			(struct leat_slice){ answer, (size_t)(w.pos - answer) });
	else if (ret == -EMSGSIZE)
		leat_web_answer_status(reply, ROUTE_CONTENT_TOO_LARGE);
	else
		answer_refusal(reply, encoding);
}
