/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A request is read line by line: a line that is whole is judged at once and leaves
 * what matters of it in the parser. What is waited for is one line's end, or the body.
 *
 * What is inline has two callers: one stops behind the head, the other one reads on.
 */

#include <errno.h>

#include "http_priv.h"
#include "http_scan.h"

static_assert(LEAT_HTTP_HEAD_MAX + HTTP_EOL_LEN * LEAT_HTTP_EMPTY_LINES_MAX <= UINT16_MAX,
	"offsets of the head are 16 bits");
static_assert(LEAT_HTTP_FIELDS_MAX <= UINT8_MAX, "so is the number of fields");
static_assert(LEAT_HTTP_TRAILERS_MAX <= UINT16_MAX, "and the length of the trailers");
static_assert(sizeof(struct leat_http_parser) <= 64, "it is one of a connection's few bytes");

static const struct leat_slice methods[LEAT_HTTP_METHOD_OTHER] = {
	[LEAT_HTTP_GET] = { (const uint8_t *)"GET", 3 },
	[LEAT_HTTP_HEAD] = { (const uint8_t *)"HEAD", 4 },
	[LEAT_HTTP_POST] = { (const uint8_t *)"POST", 4 },
	[LEAT_HTTP_PUT] = { (const uint8_t *)"PUT", 3 },
	[LEAT_HTTP_DELETE] = { (const uint8_t *)"DELETE", 6 },
	[LEAT_HTTP_CONNECT] = { (const uint8_t *)"CONNECT", 7 },
	[LEAT_HTTP_OPTIONS] = { (const uint8_t *)"OPTIONS", 7 },
	[LEAT_HTTP_TRACE] = { (const uint8_t *)"TRACE", 5 },
	[LEAT_HTTP_PATCH] = { (const uint8_t *)"PATCH", 5 },
};

enum leat_http_method
leat_http_method_find(struct leat_slice name)
{
	for (size_t i = 0; i < LEAT_DIM(methods); i++) {
		if (leat_slice_is_equal(name, methods[i]))
			return (enum leat_http_method)i;
	}
	return LEAT_HTTP_METHOD_OTHER;
}

struct leat_slice
leat_http_method_name(enum leat_http_method method)
{
	return method < LEAT_HTTP_METHOD_OTHER ? methods[method] : LEAT_SLICE("");
}

/* Bytes of "http://" or "https://" at the start, in any case; 0: neither. */
static size_t
target_scheme_len(struct leat_slice target)
{
	static const struct leat_slice schemes[] = {
		{ (const uint8_t *)"http://", 7 },
		{ (const uint8_t *)"https://", 8 },
	};

	for (size_t i = 0; i < LEAT_DIM(schemes); i++) {
		struct leat_slice start = { target.data, schemes[i].len };

		if (target.len >= start.len && leat_slice_is_equal_nocase(start, schemes[i]))
			return start.len;
	}
	return 0;
}

/* RFC 9112 section 3.2.3: a host and a port, both of them. */
static int
target_parse_authority(struct leat_http_parser *parser, struct leat_slice target)
{
	size_t host_len;

	/* Behind the host are ":" and the port. */
	if (!http_parse_host(target, &host_len) || host_len == 0 || target.len - host_len < 2)
		return -HTTP_BAD_REQUEST;
	parser->form = LEAT_HTTP_FORM_AUTHORITY;
	return 0;
}

/* RFC 9112 section 3.2.2. An empty host is no http URI; "user@host" does not pass for one. */
static int
target_parse_absolute(struct leat_http_parser *parser, struct leat_slice target)
{
	size_t scheme_len = target_scheme_len(target);
	struct leat_slice host = { target.data + scheme_len, 0 };
	size_t name_len;

	if (scheme_len == 0)
		return -HTTP_BAD_REQUEST;
	while (host.len < target.len - scheme_len) {
		if (host.data[host.len] == '/' || host.data[host.len] == '?')
			break;
		host.len++;
	}
	if (!http_parse_host(host, &name_len) || name_len == 0)
		return -HTTP_BAD_REQUEST;
	parser->form = LEAT_HTTP_FORM_ABSOLUTE;
	parser->path_off = (uint16_t)(parser->path_off + scheme_len + host.len);
	parser->path_len = (uint16_t)(parser->path_len - scheme_len - host.len);
	return 0;
}

/* RFC 9112 section 3.2: each form with the methods that it belongs to. */
static int
target_parse_form(struct leat_http_parser *parser, struct leat_slice target)
{
	if (parser->method == LEAT_HTTP_CONNECT)
		return target_parse_authority(parser, target);
	if (target.len != 1 || target.data[0] != '*')
		return target_parse_absolute(parser, target);
	if (parser->method != LEAT_HTTP_OPTIONS)
		return -HTTP_BAD_REQUEST;
	parser->form = LEAT_HTTP_FORM_ASTERISK;
	return 0;
}

/*
 * Take the target off a line whose rest begins at @p p; its path is all up to the first "?"
 * unless its form says otherwise. Behind it stands a byte that is of no target.
 */
static struct leat_slice
target_take(struct leat_http_parser *parser, struct leat_slice in, const uint8_t *p)
{
	struct leat_slice target = { p, 0 };

	while (http_is(*p, HTTP_PATH))
		p++;
	parser->target_off = (uint16_t)(target.data - in.data);
	parser->path_off = parser->target_off;
	parser->path_len = (uint16_t)(p - target.data);
	while (http_is(*p, HTTP_TARGET))
		p++;
	target.len = (size_t)(p - target.data);
	parser->target_len = (uint16_t)target.len;
	return target;
}

/* RFC 9112 section 3. Behind the line stands a CR, which is of no class. */
static int
request_parse_line(struct leat_http_parser *parser, struct leat_slice in, struct leat_slice line)
{
	struct leat_slice method = { line.data, 0 };
	const uint8_t *p = line.data;
	struct leat_slice target;
	struct leat_slice version;
	int ret;

	while (http_is(*p, HTTP_TOKEN))
		p++;
	method.len = (size_t)(p - method.data);
	if (method.len == 0 || *p != ' ')
		return -HTTP_BAD_REQUEST;
	target = target_take(parser, in, p + 1);
	p = target.data + target.len;
	if (target.len == 0 || *p != ' ')
		return -HTTP_BAD_REQUEST;
	parser->method = (uint8_t)leat_http_method_find(method);
	version.data = p + 1;
	version.len = line.len - method.len - target.len - 2;
	ret = http_parse_version(parser, version);
	if (ret < 0)
		return ret;
	parser->fields_off = (uint16_t)parser->pos;
	parser->stage = HTTP_STAGE_FIELDS;
	if (target.data[0] == '/' && parser->method != LEAT_HTTP_CONNECT)
		return 0;
	return target_parse_form(parser, target);
}

/* A request line that may not get longer: say that its target is, if it looks like one. */
static int
refuse_long_line(struct leat_slice line)
{
	size_t len = 0;

	while (len < line.len && http_is(line.data[len], HTTP_TOKEN))
		len++;
	if (len == 0 || len == line.len || line.data[len] != ' ')
		return -HTTP_BAD_REQUEST;
	return -HTTP_URI_TOO_LONG;
}

/* The first line has no end in what came. 0: wait for it; or -status. */
static int
request_wait_for_line(struct leat_slice seen, bool is_full, bool is_line_limit)
{
	/* What does not begin as a request may never have an end. */
	if (seen.len > 0 && seen.data[0] != '\r' && !http_is(seen.data[0], HTTP_TOKEN))
		return -HTTP_BAD_REQUEST;
	if (!is_full)
		return 0;
	return is_line_limit ? refuse_long_line(seen) : -HTTP_FIELDS_TOO_LARGE;
}

/*
 * The request line, or an empty line before it, which is skipped, but not for ever (RFC
 * 9112 section 2.2). > 0: go on; 0: incomplete; or -status.
 */
static LEAT_ALWAYS_INLINE int
request_read_start(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	size_t head_end = LEAT_MIN(parser->start + (size_t)LEAT_HTTP_HEAD_MAX, limits->message_max);
	size_t line_end = parser->pos + LEAT_HTTP_LINE_MAX + HTTP_EOL_LEN;
	size_t end_max = LEAT_MIN(line_end, head_end);
	struct leat_slice line;
	int ret = http_take_line(parser, in, end_max, &line);

	if (ret < 0)
		return ret;
	if (ret == 0) {
		line.data = in.data + parser->pos;
		line.len = LEAT_MIN(in.len, end_max) - parser->pos;
		return request_wait_for_line(line, in.len >= end_max, line_end < head_end);
	}
	if (line.len > 0) {
		ret = request_parse_line(parser, in, line);
		return ret < 0 ? ret : 1;
	}
	if (parser->nb_empty_lines == LEAT_HTTP_EMPTY_LINES_MAX)
		return -HTTP_BAD_REQUEST;
	parser->nb_empty_lines++;
	parser->start = (uint16_t)parser->pos;
	return 1;
}

/* RFC 9112 sections 6.1 and 6.3. Whatever it says, the connection ends. */
static int
request_judge_coding(const struct leat_http_parser *parser)
{
	/* Two lengths, or a client that cannot mean it. */
	if (parser->has_content_length || parser->minor == 0)
		return -HTTP_BAD_REQUEST;
	switch ((enum http_coding)parser->coding) {
	case HTTP_CODING_CHUNKED:
		return 0;
	case HTTP_CODING_OTHER_CHUNKED:
		return -HTTP_NOT_IMPLEMENTED;
	default: /* a body without an end, or nobody knows with which */
		return -HTTP_BAD_REQUEST;
	}
}

/* The head is whole: what its fields say together. 0, or -status. */
static inline int
request_end_head(struct leat_http_parser *parser, const struct leat_http_limits *limits)
{
	bool has_coding = parser->coding != HTTP_CODING_NONE;
	int ret;

	parser->body_off = (uint16_t)parser->pos;
	if (!parser->has_host && parser->minor > 0)
		return -HTTP_BAD_REQUEST;
	/*
	 * RFC 9110 sections 9.3.6 and 9.3.8: neither has content. To another hop the bytes
	 * behind it may be a tunnel's, or the next request.
	 */
	if ((has_coding || parser->has_content_length) &&
		(parser->method == LEAT_HTTP_CONNECT || parser->method == LEAT_HTTP_TRACE))
		return -HTTP_BAD_REQUEST;
	ret = has_coding ? request_judge_coding(parser) : 0;
	if (ret < 0)
		return ret;
	/* RFC 9110 section 10.1.1: HTTP/1.0 does not know 100 (Continue). */
	if (parser->minor == 0)
		parser->expects_continue = false;
	else if (parser->expects_other)
		return -HTTP_EXPECTATION_FAILED;
	if (!has_coding)
		return http_begin_length(parser, limits);
	http_begin_chunked(parser);
	return 0;
}

static ssize_t
request_refuse(
	const struct leat_http_parser *parser, uint16_t status, struct leat_http_request *req)
{
	*req = (struct leat_http_request){ .body = { .pieces = req->body.pieces,
						   .pieces_max = req->body.pieces_max } };
	req->method = parser->method;
	req->minor = parser->minor;
	req->status = status;
	switch (status) {
	case HTTP_CONTENT_TOO_LARGE:
	case HTTP_URI_TOO_LONG:
	case HTTP_FIELDS_TOO_LARGE:
		return -EMSGSIZE;
	default: /* not a limit */
		return -EBADMSG;
	}
}

/* RFC 9112 section 3.3: which host is asked. */
static struct leat_slice
request_host(const struct leat_http_parser *parser, struct leat_slice in)
{
	struct leat_slice host = { in.data + parser->host_off, parser->host_len };

	switch ((enum leat_http_form)parser->form) {
	case LEAT_HTTP_FORM_ABSOLUTE:
		host.data = in.data + parser->target_off;
		host.len = (size_t)parser->path_off - parser->target_off;
		host.data += target_scheme_len(host);
		host.len -= (size_t)(host.data - (in.data + parser->target_off));
		return host;
	case LEAT_HTTP_FORM_AUTHORITY:
		return (struct leat_slice){ in.data + parser->target_off, parser->target_len };
	default: /* ORIGIN, ASTERISK: the Host field */
		return host;
	}
}

static inline void
request_fill(
	const struct leat_http_parser *parser, struct leat_slice in, struct leat_http_request *req)
{
	size_t target_end = (size_t)parser->target_off + parser->target_len;
	size_t path_end = (size_t)parser->path_off + parser->path_len;

	req->method = parser->method;
	req->form = parser->form;
	req->minor = parser->minor;
	/* What follows CONNECT is for a tunnel that we are not. */
	req->is_keep_alive = http_is_keep_alive(parser) && parser->method != LEAT_HTTP_CONNECT;
	req->status = 0;
	req->method_name.data = in.data + parser->start;
	req->method_name.len = (size_t)parser->target_off - parser->start - 1;
	req->target = (struct leat_slice){ in.data + parser->target_off, parser->target_len };
	req->path = (struct leat_slice){ in.data + parser->path_off, parser->path_len };
	if (parser->path_len == 0)
		req->path = LEAT_SLICE("/"); /* RFC 9110 section 4.2.3 */
	req->query = (struct leat_slice){ NULL, 0 };
	if (path_end < target_end) {
		req->query.data = in.data + path_end + 1;
		req->query.len = target_end - path_end - 1;
	}
	req->host = request_host(parser, in);
	req->fields = http_head_fields(parser, in);
}

ssize_t
leat_http_parse_request(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_http_request *req)
{
	size_t len;
	int ret;

	if (in.len == 0)
		return 0;
	ret = http_read_message(parser, limits, in, request_read_start, request_end_head);
	if (ret < 0)
		return request_refuse(parser, (uint16_t)-ret, req);
	if (ret == 0) {
		parser->is_continue_due = parser->expects_continue && !parser->is_continue_taken &&
					  parser->body_off > 0 && in.len == parser->body_off;
		return 0;
	}
	if (http_fill_body(parser, in, &req->body) < 0)
		return -ENOBUFS;
	request_fill(parser, in, req);
	len = parser->pos;
	*parser = (struct leat_http_parser){ 0 };
	return (ssize_t)len;
}

ssize_t
leat_http_parse_head(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_http_request *req)
{
	int ret;

	LEAT_VERIFY(parser->body_off == 0);
	if (in.len == 0)
		return 0;
	ret = http_read_head(parser, limits, in, request_read_start, request_end_head);
	if (ret < 0)
		return request_refuse(parser, (uint16_t)-ret, req);
	if (ret == 0)
		return 0;
	request_fill(parser, in, req);
	req->body = (struct leat_http_body){
		.pieces = req->body.pieces,
		.pieces_max = req->body.pieces_max,
		.len = parser->body_len,
		.is_chunked = parser->coding != HTTP_CODING_NONE,
	};
	return parser->body_off;
}

bool
leat_http_take_continue(struct leat_http_parser *parser)
{
	bool is_due = parser->is_continue_due;

	parser->is_continue_due = false;
	parser->is_continue_taken = parser->is_continue_taken || is_due;
	return is_due;
}
