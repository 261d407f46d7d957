/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A request is read line by line: a line that is whole is judged at once and leaves
 * what matters of it in the parser. What is waited for is one line's end, or the body.
 */

#include <errno.h>

#include "http_priv.h"

#define HTTP_EOL_LEN     2 /* CR LF */
#define HTTP_VERSION_LEN 8 /* "HTTP/1.1" */

static_assert(LEAT_HTTP_HEAD_MAX + HTTP_EOL_LEN * LEAT_HTTP_EMPTY_LINES_MAX <= UINT16_MAX,
	"offsets of the head are 16 bits");

static const struct {
	struct leat_slice name;
	enum leat_http_method method;
} methods[] = {
	{ { (const uint8_t *)"GET", 3 }, LEAT_HTTP_GET },
	{ { (const uint8_t *)"HEAD", 4 }, LEAT_HTTP_HEAD },
	{ { (const uint8_t *)"POST", 4 }, LEAT_HTTP_POST },
	{ { (const uint8_t *)"PUT", 3 }, LEAT_HTTP_PUT },
	{ { (const uint8_t *)"DELETE", 6 }, LEAT_HTTP_DELETE },
	{ { (const uint8_t *)"OPTIONS", 7 }, LEAT_HTTP_OPTIONS },
	{ { (const uint8_t *)"TRACE", 5 }, LEAT_HTTP_TRACE },
	{ { (const uint8_t *)"PATCH", 5 }, LEAT_HTTP_PATCH },
};

static enum leat_http_method
method_find(struct leat_slice name)
{
	for (size_t i = 0; i < LEAT_DIM(methods); i++) {
		if (leat_slice_is_equal(name, methods[i].name))
			return methods[i].method;
	}
	return LEAT_HTTP_METHOD_OTHER;
}

/* Take bytes up to a space, and the space. False: there is none. */
static bool
line_take_word(struct leat_slice *line, struct leat_slice *word)
{
	const uint8_t *space = memchr(line->data, ' ', line->len);

	if (space == NULL)
		return false;
	word->data = line->data;
	word->len = (size_t)(space - line->data);
	line->data = space + 1;
	line->len -= word->len + 1;
	return true;
}

/* RFC 9112 section 2.3: "HTTP/" DIGIT "." DIGIT; a higher minor version counts as 1. */
static int
line_parse_version(struct leat_http_parser *parser, struct leat_slice version)
{
	uint8_t major;
	uint8_t minor;

	if (version.len != HTTP_VERSION_LEN || memcmp(version.data, "HTTP/", 5) != 0 ||
		version.data[6] != '.')
		return -HTTP_BAD_REQUEST;
	major = (uint8_t)(version.data[5] - '0');
	minor = (uint8_t)(version.data[7] - '0');
	if (major > 9 || minor > 9)
		return -HTTP_BAD_REQUEST;
	if (major != 1)
		return -HTTP_VERSION_UNSUPPORTED;
	parser->minor = LEAT_MIN(minor, 1);
	return 0;
}

static bool
target_is_clean(struct leat_slice target)
{
	for (size_t i = 0; i < target.len; i++) {
		uint8_t c = target.data[i];

		if (c <= ' ' || c >= 0x7f || c == '#')
			return false;
	}
	return target.len > 0;
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

/*
 * RFC 9112 section 3.2: the four forms of a target. @p authority_len receives how many
 * bytes stand before the path. 0, or -status.
 */
static int
target_split(enum leat_http_method method, struct leat_slice target, size_t *authority_len)
{
	struct leat_slice host;
	size_t scheme_len;

	*authority_len = 0;
	if (target.data[0] == '/' || method == LEAT_HTTP_METHOD_OTHER)
		return 0; /* CONNECT has a form of its own, but no method of ours */
	if (target.len == 1 && target.data[0] == '*')
		return method == LEAT_HTTP_OPTIONS ? 0 : -HTTP_BAD_REQUEST;
	scheme_len = target_scheme_len(target);
	if (scheme_len == 0)
		return -HTTP_BAD_REQUEST;
	host.data = target.data + scheme_len;
	for (host.len = 0; host.len < target.len - scheme_len; host.len++) {
		if (host.data[host.len] == '/' || host.data[host.len] == '?')
			break;
	}
	/* An empty host is no http URI; "user@host" does not pass for a host. */
	if (host.len == 0 || !http_is_host(host))
		return -HTTP_BAD_REQUEST;
	*authority_len = scheme_len + host.len;
	return 0;
}

static int
head_parse_request_line(struct leat_http_parser *parser, struct leat_slice line)
{
	const uint8_t *start = line.data;
	struct leat_slice method;
	struct leat_slice target;
	struct leat_slice path;
	const uint8_t *query;
	size_t authority_len;
	int ret;

	if (!line_take_word(&line, &method) || !http_is_token(method))
		return -HTTP_BAD_REQUEST;
	if (!line_take_word(&line, &target) || !target_is_clean(target))
		return -HTTP_BAD_REQUEST;
	parser->method = (uint8_t)method_find(method);
	ret = line_parse_version(parser, line);
	if (ret < 0)
		return ret;
	ret = target_split(parser->method, target, &authority_len);
	if (ret < 0)
		return ret;
	path.data = target.data + authority_len;
	path.len = target.len - authority_len;
	query = memchr(path.data, '?', path.len);
	if (query != NULL)
		path.len = (size_t)(query - path.data);
	parser->target_off = (uint16_t)(parser->start + (target.data - start));
	parser->target_len = (uint16_t)target.len;
	parser->path_off = (uint16_t)(parser->target_off + authority_len);
	parser->path_len = (uint16_t)path.len;
	return 0;
}

/* A request line that may not get longer: say that its target is, if it looks like one. */
static int
refuse_long_line(struct leat_slice line)
{
	struct leat_slice method;

	if (!line_take_word(&line, &method) || !http_is_token(method))
		return -HTTP_BAD_REQUEST;
	return -HTTP_URI_TOO_LONG;
}

/* The line at parser->pos has no end in what came. 0: wait for it; or -status. */
static int
head_wait_for_line(
	struct leat_http_parser *parser, struct leat_slice seen, bool is_full, bool is_line_limit)
{
	bool is_first = parser->target_off == 0;

	/* What does not begin as a request, such as a TLS record, may never have an end. */
	if (is_first && seen.len > 0 && seen.data[0] != '\r' && !http_is_token_byte(seen.data[0]))
		return -HTTP_BAD_REQUEST;
	parser->nb_seen = seen.len;
	if (!is_full)
		return 0;
	return is_line_limit ? refuse_long_line(seen) : -HTTP_FIELDS_TOO_LARGE;
}

/*
 * Take the line at parser->pos. > 0: @p line is it, without CR LF; 0: incomplete;
 * or -status.
 */
static int
head_take_line(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_slice *line)
{
	size_t head_end = LEAT_MIN(parser->start + (size_t)LEAT_HTTP_HEAD_MAX, limits->request_max);
	size_t line_end = parser->pos + LEAT_HTTP_LINE_MAX + HTTP_EOL_LEN;
	bool is_line_limit = parser->target_off == 0 && line_end < head_end;
	size_t end_max = is_line_limit ? line_end : head_end;
	struct leat_slice seen = { in.data + parser->pos, LEAT_MIN(in.len, end_max) - parser->pos };
	const uint8_t *lf = NULL;

	if (seen.len > parser->nb_seen)
		lf = memchr(seen.data + parser->nb_seen, '\n', seen.len - parser->nb_seen);
	if (lf == NULL)
		return head_wait_for_line(parser, seen, in.len >= end_max, is_line_limit);
	if (lf == seen.data || lf[-1] != '\r')
		return -HTTP_BAD_REQUEST;
	line->data = seen.data;
	line->len = (size_t)(lf - seen.data) - 1;
	parser->pos += line->len + HTTP_EOL_LEN;
	parser->nb_seen = 0;
	return 1;
}

/* RFC 9112 section 2.2: empty lines before a request are skipped, but not for ever. */
static int
head_skip_empty_line(struct leat_http_parser *parser)
{
	if (parser->nb_empty_lines == LEAT_HTTP_EMPTY_LINES_MAX)
		return -HTTP_BAD_REQUEST;
	parser->nb_empty_lines++;
	parser->start = (uint16_t)parser->pos;
	return 1;
}

static int
head_end(struct leat_http_parser *parser, const struct leat_http_limits *limits)
{
	int ret = http_end_fields(parser);

	if (ret < 0)
		return ret;
	LEAT_VERIFY(parser->pos <= limits->request_max);
	if (parser->body_len > limits->request_max - parser->pos)
		return -HTTP_CONTENT_TOO_LARGE;
	parser->is_body = true;
	return 1;
}

/* One line of the head. > 0: go on; 0: incomplete; or -status. */
static int
head_parse_line(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	struct leat_slice line;
	int ret = head_take_line(parser, limits, in, &line);

	if (ret <= 0)
		return ret;
	if (parser->target_off == 0) {
		if (line.len == 0)
			return head_skip_empty_line(parser);
		ret = head_parse_request_line(parser, line);
	} else {
		if (line.len == 0)
			return head_end(parser, limits);
		ret = http_parse_field(parser, line);
	}
	return ret < 0 ? ret : 1;
}

static ssize_t
request_refuse(
	const struct leat_http_parser *parser, uint16_t status, struct leat_http_request *req)
{
	*req = (struct leat_http_request){ 0 };
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

/* RFC 9112 section 9.3. */
static bool
request_is_keep_alive(const struct leat_http_parser *parser)
{
	if (parser->has_close)
		return false;
	return parser->minor > 0 || parser->has_keep_alive;
}

static void
request_fill(
	const struct leat_http_parser *parser, struct leat_slice in, struct leat_http_request *req)
{
	size_t target_end = (size_t)parser->target_off + parser->target_len;
	size_t path_end = (size_t)parser->path_off + parser->path_len;

	*req = (struct leat_http_request){ 0 };
	req->method = parser->method;
	req->minor = parser->minor;
	req->is_keep_alive = request_is_keep_alive(parser);
	req->target = (struct leat_slice){ in.data + parser->target_off, parser->target_len };
	req->path = (struct leat_slice){ in.data + parser->path_off, parser->path_len };
	if (req->path.len == 0)
		req->path = LEAT_SLICE("/"); /* RFC 9110 section 4.2.3 */
	if (path_end < target_end) {
		req->query.data = in.data + path_end + 1;
		req->query.len = target_end - path_end - 1;
	}
	req->body = (struct leat_slice){ in.data + parser->pos, parser->body_len };
}

ssize_t
leat_http_parse_request(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_http_request *req)
{
	size_t len;
	int ret;

	LEAT_VERIFY(in.len >= parser->pos);
	LEAT_VERIFY(in.len - parser->pos >= parser->nb_seen);
	if (in.len == 0)
		return 0;
	while (!parser->is_body) {
		ret = head_parse_line(parser, limits, in);
		if (ret < 0)
			return request_refuse(parser, (uint16_t)-ret, req);
		if (ret == 0)
			return 0;
	}
	if (in.len - parser->pos < parser->body_len) {
		parser->is_continue_due = parser->expects_continue && in.len == parser->pos &&
					  !parser->is_continue_taken;
		return 0;
	}
	request_fill(parser, in, req);
	len = parser->pos + parser->body_len;
	*parser = (struct leat_http_parser){ 0 };
	return (ssize_t)len;
}

bool
leat_http_take_continue(struct leat_http_parser *parser)
{
	bool is_due = parser->is_continue_due;

	parser->is_continue_due = false;
	parser->is_continue_taken = parser->is_continue_taken || is_due;
	return is_due;
}
