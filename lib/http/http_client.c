/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "http_priv.h"
#include "http_scan.h"
#include "leat_http_client.h"

#define STATUS_LEN          3
#define SWITCHING_PROTOCOLS 101
#define BAD_RESPONSE        HTTP_BAD_REQUEST /* whatever is not a limit; there is no one to tell */

static bool
is_target(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!http_is(s.data[i], HTTP_TARGET))
			return false;
	}
	return s.len > 0;
}

void
leat_http_emit_request(struct leat_writer *w, const struct leat_http_client_request *req)
{
	struct leat_http_field host = { LEAT_SLICE("Host"), req->host };

	LEAT_VERIFY(http_is_token(req->method));
	LEAT_VERIFY(is_target(req->target));
	LEAT_VERIFY(req->has_content || (!req->is_chunked && req->content_len == 0));
	leat_writer_put_slice(w, req->method);
	leat_writer_put_u8(w, ' ');
	leat_writer_put_slice(w, req->target);
	leat_writer_put(w, " HTTP/1.1\r\n", 11);
	http_emit_fields(w, &host, 1);
	if (req->is_chunked)
		http_emit_field(w, LEAT_SLICE("Transfer-Encoding"), LEAT_SLICE("chunked"));
	else if (req->has_content)
		http_emit_content_len(w, req->content_len);
	if (req->expects_continue)
		http_emit_field(w, LEAT_SLICE("Expect"), LEAT_SLICE("100-continue"));
	http_emit_fields(w, req->fields, req->nb_fields);
	http_emit_connection(w, req->connection);
	leat_writer_put(w, "\r\n", 2);
}

void
leat_http_begin_response(struct leat_http_parser *parser, enum leat_http_method method)
{
	*parser = (struct leat_http_parser){ 0 };
	parser->is_response = true;
	parser->method = (uint8_t)method;
}

/* RFC 9112 section 4: version SP 3DIGIT SP [ reason ]. */
static int
response_parse_line(struct leat_http_parser *parser, struct leat_slice in, struct leat_slice line)
{
	const size_t status_off = HTTP_VERSION_LEN + 1;
	const size_t status_end = status_off + STATUS_LEN;
	uint16_t status = 0;

	if (line.len < status_end || line.data[HTTP_VERSION_LEN] != ' ')
		return -BAD_RESPONSE;
	if (http_parse_version(parser, (struct leat_slice){ line.data, HTTP_VERSION_LEN }) < 0)
		return -BAD_RESPONSE;
	for (size_t i = status_off; i < status_end; i++) {
		uint8_t digit = (uint8_t)(line.data[i] - '0');

		if (digit > 9)
			return -BAD_RESPONSE;
		status = (uint16_t)(status * 10 + digit);
	}
	if (status < 100 || (line.len > status_end && line.data[status_end] != ' '))
		return -BAD_RESPONSE;
	parser->status = status;
	parser->target_off = (uint16_t)(line.data - in.data + status_end);
	if (line.len > status_end) {
		parser->target_off++;
		parser->target_len = (uint16_t)(line.len - status_end - 1);
	}
	parser->fields_off = (uint16_t)parser->pos;
	parser->stage = HTTP_STAGE_FIELDS;
	return 0;
}

/* Empty lines stand before a request at the most. > 0: go on; 0: incomplete; or -status. */
static int
response_read_start(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	size_t end_max = LEAT_MIN(LEAT_HTTP_LINE_MAX + HTTP_EOL_LEN, limits->message_max);
	struct leat_slice line;
	int ret = http_take_line(parser, in, end_max, &line);

	if (ret < 0)
		return ret;
	if (ret == 0)
		return in.len >= end_max ? -HTTP_FIELDS_TOO_LARGE : 0;
	ret = response_parse_line(parser, in, line);
	return ret < 0 ? ret : 1;
}

/* RFC 9112 section 6.3, numbers 1 and 2. */
static bool
response_has_body(const struct leat_http_parser *parser)
{
	if (parser->method == LEAT_HTTP_HEAD || !leat_http_status_has_content(parser->status))
		return false;
	return parser->method != LEAT_HTTP_CONNECT || parser->status >= 300;
}

/* The head is whole: how long is the body? 0, or -status. */
static int
response_end_head(struct leat_http_parser *parser, const struct leat_http_limits *limits)
{
	parser->body_off = (uint16_t)parser->pos;
	if (!response_has_body(parser)) {
		parser->body_len = 0; /* what Content-Length tells is of another response */
		return http_begin_length(parser, limits);
	}
	if (parser->coding != HTTP_CODING_NONE) {
		if (parser->coding != HTTP_CODING_CHUNKED || parser->has_content_length ||
			parser->minor == 0)
			return -BAD_RESPONSE;
		http_begin_chunked(parser);
		return 0;
	}
	if (parser->has_content_length)
		return http_begin_length(parser, limits);
	parser->stage = HTTP_STAGE_UNTIL_CLOSE;
	return 0;
}

/* A tunnel, or another protocol, takes the connection over. */
static bool
response_is_last(const struct leat_http_parser *parser)
{
	if (parser->status == SWITCHING_PROTOCOLS || parser->stage == HTTP_STAGE_UNTIL_CLOSE)
		return true;
	return parser->method == LEAT_HTTP_CONNECT && parser->status >= 200 && parser->status < 300;
}

static ssize_t
response_fill(struct leat_http_parser *parser, struct leat_slice in,
	struct leat_http_client_response *res)
{
	size_t len = parser->pos;

	if (http_fill_body(parser, in, &res->body) < 0)
		return -ENOBUFS;
	res->status = parser->status;
	res->minor = parser->minor;
	res->is_keep_alive = http_is_keep_alive(parser) && !response_is_last(parser);
	res->reason = (struct leat_slice){ in.data + parser->target_off, parser->target_len };
	res->fields = http_head_fields(parser, in);
	leat_http_begin_response(parser, (enum leat_http_method)parser->method);
	return (ssize_t)len;
}

ssize_t
leat_http_parse_response(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_http_client_response *res)
{
	int ret;

	LEAT_VERIFY(parser->is_response);
	if (in.len == 0)
		return 0;
	ret = http_read_message(parser, limits, in, response_read_start, response_end_head);
	if (ret == 0)
		return 0;
	if (ret > 0)
		return response_fill(parser, in, res);
	return ret == -BAD_RESPONSE ? -EBADMSG : -EMSGSIZE;
}

ssize_t
leat_http_end_response(struct leat_http_parser *parser, struct leat_slice in,
	struct leat_http_client_response *res)
{
	LEAT_VERIFY(parser->is_response);
	if (parser->stage != HTTP_STAGE_UNTIL_CLOSE)
		return -EBADMSG;
	LEAT_VERIFY(in.len >= parser->body_off);
	parser->pos = in.len;
	parser->body_len = in.len - parser->body_off;
	return response_fill(parser, in, res);
}
