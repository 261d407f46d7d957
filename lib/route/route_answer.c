/* SPDX-License-Identifier: BSD-3-Clause */

/* Answers that handlers share, and values of commands as answers. */

#include <leat_resp.h>

#include "route_priv.h"

static_assert(LEAT_HTTP_METHODS == 10, "each has its word in leat_route_methods_text()");

struct leat_slice
leat_route_methods_text(uint32_t methods, char text[LEAT_ROUTE_METHODS_TEXT_MAX])
{
	struct leat_writer w;

	leat_writer_init(&w, (uint8_t *)text, LEAT_ROUTE_METHODS_TEXT_MAX);
	for (uint32_t i = 0; i < LEAT_HTTP_METHOD_OTHER; i++) {
		if ((methods & (1u << i)) == 0)
			continue;
		if (w.pos != (uint8_t *)text)
			leat_writer_put(&w, ", ", 2);
		leat_writer_put_slice(&w, leat_http_method_name((enum leat_http_method)i));
	}
	LEAT_VERIFY(!w.failed);
	return (struct leat_slice){ (const uint8_t *)text, (size_t)(w.pos - (uint8_t *)text) };
}

static void
answer_text(struct leat_reply *reply, uint16_t status, struct leat_slice content_type,
	const struct leat_slice *body, uint32_t nb_slices)
{
	const struct leat_web_answer answer = {
		.status = status,
		.content_type = content_type,
		.body = body,
		.nb_slices = nb_slices,
	};

	leat_reply_answer(reply, &answer);
}

void
leat_web_answer_line(struct leat_reply *reply, uint16_t status, struct leat_slice text)
{
	struct leat_slice line[2] = { text, LEAT_SLICE("\n") };

	answer_text(reply, status, LEAT_SLICE("text/plain"), line, LEAT_DIM(line));
}

void
leat_web_answer_status(struct leat_reply *reply, uint16_t status)
{
	if (status == ROUTE_UNAUTHORIZED)
		route_answer_unauthorized(reply);
	else
		leat_web_answer_line(reply, status, leat_http_reason(status));
}

void
leat_web_answer_bytes(
	struct leat_reply *reply, struct leat_slice content_type, struct leat_slice bytes)
{
	answer_text(reply, ROUTE_OK, content_type, &bytes, 1);
}

void
leat_route_fixed_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	(void)ctx; /* whoever asks */
	leat_reply_answer(reply, web->route->arg);
}

void
leat_route_reply_null(struct leat_reply *reply)
{
	leat_web_answer_status(reply, ROUTE_NOT_FOUND);
}

void
leat_route_reply_status(struct leat_reply *reply, struct leat_slice text)
{
	leat_web_answer_bytes(reply, LEAT_SLICE("text/plain"), text);
}

void
leat_route_reply_integer(struct leat_reply *reply, int64_t value)
{
	char text[LEAT_INT64_TEXT_MAX];
	struct leat_slice s = { (const uint8_t *)text, leat_format_int64(value, text) };

	leat_web_answer_bytes(reply, LEAT_SLICE("text/plain"), s);
}

void
leat_route_reply_score(struct leat_reply *reply, double value)
{
	char text[LEAT_RESP_DOUBLE_TEXT_MAX];
	struct leat_slice s = { (const uint8_t *)text, leat_resp_format_double(value, text) };

	leat_web_answer_bytes(reply, LEAT_SLICE("text/plain"), s);
}

void
leat_route_reply_bytes(struct leat_reply *reply, struct leat_slice value)
{
	leat_web_answer_bytes(reply, LEAT_SLICE("application/octet-stream"), value);
}

void
leat_route_reply_aggregate(struct leat_reply *reply, uint32_t nb_values)
{
	/* A route to such a command is our own mistake: one request would get many replies. */
	(void)reply;
	(void)nb_values;
	LEAT_VERIFY(false);
}

/* Errors that are not the request's form, by their first word. */
static uint16_t
error_status(struct leat_slice text)
{
	static const struct {
		struct leat_slice kind;
		uint16_t status;
	} kinds[] = {
		{ { (const uint8_t *)"OOM ", 4 }, ROUTE_INSUFFICIENT_STORAGE },
		{ { (const uint8_t *)"WRONGTYPE ", 10 }, ROUTE_CONFLICT },
	};

	for (size_t i = 0; i < LEAT_DIM(kinds); i++) {
		struct leat_slice start = { text.data, LEAT_MIN(text.len, kinds[i].kind.len) };

		if (leat_slice_is_equal(start, kinds[i].kind))
			return kinds[i].status;
	}
	return ROUTE_BAD_REQUEST;
}

void
leat_route_reply_error(struct leat_reply *reply, struct leat_slice text)
{
	leat_web_answer_line(reply, error_status(text), text);
}
