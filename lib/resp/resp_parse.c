/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The request parser. The parser's pos and nb_seen only grow while a request
 * comes in, which is why a long request costs no more when it comes in pieces.
 */

#include <errno.h>

#include "leat_resp.h"
#include "resp_priv.h"

/* Of counts that are read in one go. */
#define RESP_SHORT_DIGITS 4u

static int
parser_refuse(struct leat_resp_request *req, int ret, enum leat_resp_refusal refusal)
{
	req->refusal = refusal;
	return ret;
}

/*
 * Look for the end of the line at pos. Returns 1 and the length before @p end_byte,
 * 0 when the line is not all there, -EMSGSIZE when it is over LEAT_RESP_LINE_MAX.
 */
static int
parser_find_end(
	struct leat_resp_parser *parser, struct leat_slice in, uint8_t end_byte, size_t *len)
{
	const uint8_t *line = in.data + parser->pos;
	size_t nb_in_reach = LEAT_MIN(in.len - parser->pos, (size_t)LEAT_RESP_LINE_MAX + 1);
	const uint8_t *end;

	if (parser->nb_seen == nb_in_reach)
		return 0;
	end = memchr(line + parser->nb_seen, end_byte, nb_in_reach - parser->nb_seen);
	if (end == NULL) {
		parser->nb_seen = nb_in_reach;
		return nb_in_reach > LEAT_RESP_LINE_MAX ? -EMSGSIZE : 0;
	}
	*len = (size_t)(end - line);
	parser->nb_seen = *len;
	return 1;
}

/*
 * Read a count line as nearly all are: whole, at most RESP_SHORT_DIGITS digits, no sign.
 * Returns its length with CR LF, or 0: look closer.
 */
static inline size_t
line_read_short(const uint8_t *line, size_t len, int64_t *value)
{
	size_t nb_digits = 0;
	int64_t sum = 0;

	if (len < 1 + RESP_SHORT_DIGITS + RESP_CRLF_LEN)
		return 0;
	line++;
	while (nb_digits < RESP_SHORT_DIGITS && line[nb_digits] >= '0' && line[nb_digits] <= '9')
		sum = sum * 10 + (line[nb_digits++] - '0');
	if (nb_digits == 0 || line[nb_digits] != '\r' || line[nb_digits + 1] != '\n')
		return 0;
	if (line[0] == '0' && nb_digits > 1)
		return 0;
	*value = sum;
	return 1 + nb_digits + RESP_CRLF_LEN;
}

/*
 * Read the count line at pos, such as "*3\r\n" or "$5\r\n", but for its first byte,
 * and step over it. Returns 1, 0 when it is not all there, -EMSGSIZE when it is too
 * long, -EBADMSG when it is no number or has no end.
 */
static int
parser_read_count(struct leat_resp_parser *parser, struct leat_slice in, int64_t *value)
{
	const uint8_t *line = in.data + parser->pos;
	size_t len = 0;
	int ret;

	if (parser->nb_seen == 0)
		len = line_read_short(line, in.len - parser->pos, value);
	if (len > 0) {
		parser->pos += len;
		return 1;
	}
	ret = parser_find_end(parser, in, '\r', &len);
	if (ret <= 0)
		return ret;
	if (in.len - parser->pos < len + RESP_CRLF_LEN)
		return 0;
	if (len == 0 || line[len + 1] != '\n')
		return -EBADMSG;
	if (!leat_slice_to_int64((struct leat_slice){ line + 1, len - 1 }, value))
		return -EBADMSG;
	parser->pos += len + RESP_CRLF_LEN;
	parser->nb_seen = 0;
	return 1;
}

/* Read "*<argc>\r\n". Returns as leat_resp_parse_request(), 1 to read on. */
static int
parser_read_head(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_resp_request *req)
{
	int64_t argc;
	int ret = parser_read_count(parser, in, &argc);

	if (ret == 0)
		return 0;
	if (ret == -EMSGSIZE)
		return parser_refuse(req, ret, LEAT_RESP_BIG_MULTIBULK_LINE);
	if (ret < 0)
		return parser_refuse(req, ret, LEAT_RESP_BAD_MULTIBULK_LEN);
	if (argc > (int64_t)limits->argc_max)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BAD_MULTIBULK_LEN);
	if (limits->is_guest && argc > LEAT_RESP_GUEST_ARGC_MAX)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_GUEST_MULTIBULK_LEN);
	parser->argc = argc > 0 ? (uint32_t)argc : 0;
	return 1;
}

/* Read "$<length>\r\n". Returns as leat_resp_parse_request(), 1 to read on. */
static int
parser_read_bulk_len(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_resp_request *req)
{
	size_t line_pos = parser->pos;
	int64_t len;
	int ret = parser_read_count(parser, in, &len);

	if (ret == 0)
		return 0;
	if (ret == -EMSGSIZE)
		return parser_refuse(req, ret, LEAT_RESP_BIG_BULK_LINE);
	if (in.data[line_pos] != '$') {
		req->got = in.data[line_pos];
		return parser_refuse(req, -EBADMSG, LEAT_RESP_BAD_BULK_TYPE);
	}
	if (ret < 0 || len < 0)
		return parser_refuse(req, -EBADMSG, LEAT_RESP_BAD_BULK_LEN);
	if (limits->request_max - parser->pos < RESP_CRLF_LEN ||
		(uint64_t)len > limits->request_max - parser->pos - RESP_CRLF_LEN)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BAD_BULK_LEN);
	if (limits->bulk_max != 0 && (uint64_t)len > limits->bulk_max)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BAD_BULK_LEN);
	if (limits->is_guest && len > LEAT_RESP_GUEST_BULK_MAX)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_GUEST_BULK_LEN);
	parser->bulk_len = (size_t)len;
	parser->has_bulk_len = true;
	return 1;
}

/* Read one argument. Returns as leat_resp_parse_request(), 1 to read on. */
static int
parser_read_bulk(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_slice *arg, struct leat_resp_request *req)
{
	const uint8_t *end;

	if (!parser->has_bulk_len) {
		int ret = parser_read_bulk_len(parser, limits, in, req);

		if (ret <= 0)
			return ret;
	}
	if (in.len - parser->pos < parser->bulk_len + RESP_CRLF_LEN)
		return 0;
	*arg = (struct leat_slice){ in.data + parser->pos, parser->bulk_len };
	end = arg->data + arg->len;
	if (end[0] != '\r' || end[1] != '\n')
		return parser_refuse(req, -EBADMSG, LEAT_RESP_BAD_BULK_LEN);
	parser->pos += parser->bulk_len + RESP_CRLF_LEN;
	parser->has_bulk_len = false;
	parser->arg_idx++;
	return 1;
}

/* Read arguments until there are no more; those that argv has no room for are counted only. */
static int
parser_read_args(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req)
{
	struct leat_slice arg;

	while (parser->arg_idx < parser->argc) {
		int ret = parser_read_bulk(parser, limits, in, &arg, req);

		if (ret <= 0)
			return ret;
		if (parser->arg_idx <= argv_max)
			argv[parser->arg_idx - 1] = arg;
	}
	return 1;
}

static ssize_t
parser_multibulk(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req)
{
	bool came_at_once = parser->pos == 0;
	int ret;

	if (parser->pos == 0) {
		ret = parser_read_head(parser, limits, in, req);
		if (ret <= 0)
			return ret;
	}
	ret = parser_read_args(parser, limits, in, argv, argv_max, req);
	if (ret <= 0)
		return ret;
	if (parser->argc > argv_max)
		return -ENOBUFS;
	if (!came_at_once) { /* the slices of earlier calls are gone: read the counts again */
		struct leat_resp_parser again = { 0 };

		ret = parser_read_head(&again, limits, in, req);
		LEAT_VERIFY(ret == 1);
		ret = parser_read_args(&again, limits, in, argv, argv_max, req);
		LEAT_VERIFY(ret == 1);
		LEAT_VERIFY(again.pos == parser->pos);
	}
	req->argc = parser->argc;
	req->argv_len = parser->argc;
	return (ssize_t)parser->pos;
}

static ssize_t
parser_inline(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req)
{
	struct leat_slice line = { .data = in.data };
	int ret = parser_find_end(parser, in, '\n', &line.len);
	size_t nb_consumed;

	if (ret < 0)
		return parser_refuse(req, ret, LEAT_RESP_BIG_INLINE);
	if (ret == 0)
		return 0;
	nb_consumed = line.len + 1;
	if (line.len > 0 && line.data[line.len - 1] == '\r')
		line.len--;
	ret = resp_split_line(line, argv, argv_max, req);
	if (ret == -EBADMSG)
		return parser_refuse(req, ret, LEAT_RESP_BAD_QUOTES);
	if (req->argv_len > limits->argc_max)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BIG_INLINE);
	return ret < 0 ? ret : (ssize_t)nb_consumed;
}

/* Not whole within request_max bytes: waiting for more would be for ever. */
static int
parser_refuse_length(
	const struct leat_resp_parser *parser, bool is_inline, struct leat_resp_request *req)
{
	if (is_inline)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BIG_INLINE);
	if (parser->pos == 0)
		return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BIG_MULTIBULK_LINE);
	return parser_refuse(req, -EMSGSIZE, LEAT_RESP_BAD_BULK_LEN);
}

static size_t
limits_query_max(const struct leat_resp_limits *limits)
{
	size_t max = limits->query_max != 0 ? limits->query_max : limits->request_max;

	return LEAT_MIN(max, limits->request_max);
}

ssize_t
leat_resp_parse_request(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req)
{
	size_t query_max = limits_query_max(limits);
	bool is_over = in.len > query_max;
	bool is_inline;
	ssize_t ret;

	/* Never looking further, one and the same stream ends the same in any pieces. */
	in.len = LEAT_MIN(in.len, query_max);
	LEAT_VERIFY(parser->pos <= in.len);
	LEAT_VERIFY(parser->nb_seen <= in.len - parser->pos);
	memset(req, 0, sizeof(*req));
	if (in.len == 0)
		return 0;
	is_inline = in.data[0] != '*';
	if (is_inline)
		ret = parser_inline(parser, limits, in, argv, argv_max, req);
	else
		ret = parser_multibulk(parser, limits, in, argv, argv_max, req);
	if (ret == 0 && in.len == limits->request_max)
		ret = parser_refuse_length(parser, is_inline, req);
	else if (ret == 0 && is_over)
		ret = parser_refuse(req, -EMSGSIZE, LEAT_RESP_BIG_QUERY);
	if (ret != 0 && ret != -ENOBUFS)
		memset(parser, 0, sizeof(*parser));
	return ret;
}

size_t
leat_resp_refusal_text(
	enum leat_resp_refusal refusal, uint8_t got, char text[LEAT_RESP_REFUSAL_TEXT_MAX])
{
	static const char *const words[LEAT_RESP_REFUSALS] = {
		[LEAT_RESP_OK] = "",
		[LEAT_RESP_BAD_MULTIBULK_LEN] = "invalid multibulk length",
		[LEAT_RESP_BAD_BULK_TYPE] = "expected '$', got 'x'",
		[LEAT_RESP_BAD_BULK_LEN] = "invalid bulk length",
		[LEAT_RESP_BIG_INLINE] = "too big inline request",
		[LEAT_RESP_BIG_MULTIBULK_LINE] = "too big mbulk count string",
		[LEAT_RESP_BIG_BULK_LINE] = "too big bulk count string",
		[LEAT_RESP_BAD_QUOTES] = "unbalanced quotes in request",
		[LEAT_RESP_GUEST_MULTIBULK_LEN] = "unauthenticated multibulk length",
		[LEAT_RESP_GUEST_BULK_LEN] = "unauthenticated bulk length",
		[LEAT_RESP_BIG_QUERY] = "",
	};
	static const char prefix[] = "Protocol error: ";
	size_t prefix_len = sizeof(prefix) - 1;
	size_t len = strlen(words[refusal]);

	if (len == 0)
		return 0;
	LEAT_VERIFY(prefix_len + len <= LEAT_RESP_REFUSAL_TEXT_MAX);
	memcpy(text, prefix, prefix_len);
	memcpy(text + prefix_len, words[refusal], len);
	len += prefix_len;
	if (refusal == LEAT_RESP_BAD_BULK_TYPE)
		text[len - 2] = (char)(got == '\r' || got == '\n' ? ' ' : got); /* the 'x' */
	return len;
}
