/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RESP to commands and back. Requests are the same in RESP2 and RESP3; how replies look is
 * up to the version that the reply carries.
 */

#include <errno.h>

#include <leat_resp.h>

#include "protocol_priv.h"

/* A refusal in a request: the reason, and above it the byte in the place of '$'. */
#define RESP_REFUSAL_BITS 8

static_assert(LEAT_RESP_REFUSALS <= 1 << RESP_REFUSAL_BITS, "a reason fits below the byte");
static_assert(sizeof(struct leat_resp_parser) <= LEAT_PROTOCOL_STATE_LEN, "a parser fits");

static ssize_t
resp_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	struct leat_resp_limits resp_limits = {
		.request_max = limits->request_max,
		.argc_max = limits->argc_max != 0 ? limits->argc_max : LEAT_RESP_ARGC_MAX,
		.bulk_max = limits->bulk_max,
		.query_max = limits->query_max,
		.is_guest = limits->is_guest,
	};
	struct leat_resp_request resp_req;
	struct leat_resp_parser parser;
	ssize_t ret;

	/* Copied, since the state's words may not be read as another type. */
	memcpy(&parser, state->words, sizeof(parser));
	ret = leat_resp_parse_request(&parser, &resp_limits, in, argv, argv_max, &resp_req);
	memcpy(state->words, &parser, sizeof(parser));
	if (ret == 0 || ret == -ENOBUFS)
		return ret;
	memset(req, 0, sizeof(*req));
	if (ret < 0) {
		req->refusal = (int32_t)resp_req.refusal | (int32_t)resp_req.got
								   << RESP_REFUSAL_BITS;
		req->close = true;
		return ret;
	}
	if (resp_req.argc == 0)
		return ret;
	req->command = leat_command_find(argv[0]);
	req->argc = resp_req.argc;
	req->argv_len = resp_req.argv_len;
	req->argv = argv;
	return ret;
}

static void
resp_rewind(struct leat_protocol_state *state)
{
	memset(state, 0, sizeof(*state));
}

static void
resp_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	static const char prefix[] = "ERR ";
	size_t prefix_len = sizeof(prefix) - 1;
	char line[sizeof(prefix) + LEAT_RESP_REFUSAL_TEXT_MAX];
	enum leat_resp_refusal refusal = req->refusal & ((1 << RESP_REFUSAL_BITS) - 1);
	uint8_t got = (uint8_t)(req->refusal >> RESP_REFUSAL_BITS);
	size_t len;

	memcpy(line, prefix, prefix_len);
	len = leat_resp_refusal_text(refusal, got, line + prefix_len);
	if (len == 0)
		return;
	len += prefix_len;
	leat_resp_emit_error(reply->writer, (struct leat_slice){ (const uint8_t *)line, len });
}

static bool
is_resp3(const struct leat_reply *reply)
{
	return reply->resp == 3;
}

static void
resp_null(struct leat_reply *reply)
{
	if (is_resp3(reply))
		leat_resp3_emit_null(reply->writer);
	else
		leat_resp_emit_null(reply->writer);
}

static void
resp_status(struct leat_reply *reply, struct leat_slice text)
{
	leat_resp_emit_status(reply->writer, text);
}

static void
resp_integer(struct leat_reply *reply, int64_t value)
{
	leat_resp_emit_integer(reply->writer, value);
}

static void
resp_score(struct leat_reply *reply, double value)
{
	if (is_resp3(reply))
		leat_resp3_emit_double(reply->writer, value);
	else
		leat_resp_emit_double(reply->writer, value);
}

static void
resp_bytes(struct leat_reply *reply, struct leat_slice value)
{
	leat_resp_emit_bulk(reply->writer, value);
}

static void
resp_verbatim(struct leat_reply *reply, struct leat_slice text)
{
	if (is_resp3(reply))
		leat_resp3_emit_verbatim(reply->writer, "txt", text);
	else
		leat_resp_emit_bulk(reply->writer, text);
}

static void
resp_array(struct leat_reply *reply, uint32_t nb_values)
{
	leat_resp_emit_array(reply->writer, nb_values);
}

/* RESP2 has no maps: there keys and values follow each other in an array. */
static void
resp_map(struct leat_reply *reply, uint32_t nb_pairs)
{
	LEAT_VERIFY(nb_pairs <= UINT32_MAX / 2);
	if (is_resp3(reply))
		leat_resp3_emit_map(reply->writer, nb_pairs);
	else
		leat_resp_emit_array(reply->writer, 2 * nb_pairs);
}

static void
resp_set(struct leat_reply *reply, uint32_t nb_values)
{
	if (is_resp3(reply))
		leat_resp3_emit_set(reply->writer, nb_values);
	else
		leat_resp_emit_array(reply->writer, nb_values);
}

/* RESP2 has no pushes: there a subscriber's connection carries little else. */
static void
resp_push(struct leat_reply *reply, uint32_t nb_values)
{
	if (is_resp3(reply))
		leat_resp3_emit_push(reply->writer, nb_values);
	else
		leat_resp_emit_array(reply->writer, nb_values);
}

static void
resp_error(struct leat_reply *reply, struct leat_slice text)
{
	leat_resp_emit_error(reply->writer, text);
}

static struct leat_slice
resp_interim(struct leat_protocol_state *state)
{
	(void)state; /* a client of RESP never waits in the middle of a request */
	return (struct leat_slice){ NULL, 0 };
}

static void
resp_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	/* No request of this codec leads to a route. */
	(void)reply;
	(void)answer;
	LEAT_VERIFY(false);
}

static const struct leat_reply_ops resp_reply_ops = {
	.null = resp_null,
	.status = resp_status,
	.integer = resp_integer,
	.score = resp_score,
	.bytes = resp_bytes,
	.verbatim = resp_verbatim,
	.array = resp_array,
	.map = resp_map,
	.set = resp_set,
	.push = resp_push,
	.error = resp_error,
	.answer = resp_answer,
};

const struct leat_protocol protocol_resp = {
	.name = "resp",
	.has_login = true,
	.decode = resp_decode,
	.rewind = resp_rewind,
	.interim = resp_interim,
	.waits_for = protocol_waits_for_more,
	.refuse = resp_refuse,
	.reply = &resp_reply_ops,
};
