/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The reply parser. A token is read by what its first byte says, then placed among the
 * aggregates that are open: the two do not know of each other.
 */

#include <errno.h>
#include <stdlib.h>

#include "leat_resp_client.h"
#include "resp_priv.h"

/* What an aggregate or a bulk string tells of its size. */
enum reply_count {
	REPLY_COUNTED,
	REPLY_ABSENT,   /* -1 */
	REPLY_STREAMED, /* ? */
};

/*
 * Find the token's first line. Returns 1 and the bytes between the type and CR LF, 0 when
 * it is not all there, -EMSGSIZE, or -EBADMSG when LF does not follow CR.
 */
static int
reply_read_line(
	struct leat_resp_reply_parser *parser, struct leat_slice in, struct leat_slice *line)
{
	static const char types[] = "+-:_#,(.$!=;*~>%|";
	size_t nb_in_reach = LEAT_MIN(in.len, (size_t)LEAT_RESP_LINE_MAX + 1);
	const uint8_t *end;

	if (memchr(types, in.data[0], sizeof(types) - 1) == NULL)
		return -EBADMSG;
	if (parser->nb_seen == nb_in_reach)
		return 0;
	end = memchr(in.data + parser->nb_seen, '\r', nb_in_reach - parser->nb_seen);
	if (end == NULL) {
		parser->nb_seen = nb_in_reach;
		return nb_in_reach > LEAT_RESP_LINE_MAX ? -EMSGSIZE : 0;
	}
	parser->nb_seen = (size_t)(end - in.data);
	if (in.len - parser->nb_seen < RESP_CRLF_LEN)
		return 0;
	if (end[1] != '\n')
		return -EBADMSG;
	*line = (struct leat_slice){ in.data + 1, parser->nb_seen - 1 };
	return 1;
}

static bool
line_is(struct leat_slice line, char c)
{
	return line.len == 1 && line.data[0] == (uint8_t)c;
}

/* As leat_slice_to_int64(), but for a plus sign, which RESP allows. */
static bool
line_to_int64(struct leat_slice line, int64_t *value)
{
	if (line.len > 1 && line.data[0] == '+' && line.data[1] != '-') {
		line.data++;
		line.len--;
	}
	return leat_slice_to_int64(line, value);
}

/* Step over decimal digits. Returns how many. */
static size_t
reader_skip_digits(struct leat_reader *r)
{
	const uint8_t *start = r->pos;

	while (r->pos < r->end && *r->pos >= '0' && *r->pos <= '9')
		r->pos++;
	return (size_t)(r->pos - start);
}

static void
reader_skip_sign(struct leat_reader *r)
{
	if (r->pos < r->end && (*r->pos == '-' || *r->pos == '+'))
		r->pos++;
}

/* "[sign]digits[.digits][e[sign]digits]": strtod() would take more, such as "0x1p3". */
static bool
line_is_decimal(struct leat_slice line)
{
	struct leat_reader r = { line.data, line.data + line.len };

	reader_skip_sign(&r);
	if (reader_skip_digits(&r) == 0)
		return false;
	if (r.pos < r.end && *r.pos == '.') {
		r.pos++;
		if (reader_skip_digits(&r) == 0)
			return false;
	}
	if (r.pos < r.end && (*r.pos == 'e' || *r.pos == 'E')) {
		r.pos++;
		reader_skip_sign(&r);
		if (reader_skip_digits(&r) == 0)
			return false;
	}
	return r.pos == r.end;
}

/* Returns 0, -EBADMSG or -EMSGSIZE. */
static int
token_read_double(struct leat_resp_token *token, struct leat_slice line)
{
	char text[LEAT_RESP_DOUBLE_LINE_MAX + 1];
	bool is_word = leat_slice_is_equal(line, LEAT_SLICE("inf")) ||
		       leat_slice_is_equal(line, LEAT_SLICE("-inf")) ||
		       leat_slice_is_equal(line, LEAT_SLICE("nan"));

	if (line.len > LEAT_RESP_DOUBLE_LINE_MAX)
		return -EMSGSIZE;
	if (!is_word && !line_is_decimal(line))
		return -EBADMSG;
	memcpy(text, line.data, line.len);
	text[line.len] = '\0';
	token->type = LEAT_RESP_DOUBLE;
	token->text = line;
	token->real = strtod(text, NULL);
	return 0;
}

/* Returns 0 or -EBADMSG. */
static int
token_read_big_number(struct leat_resp_token *token, struct leat_slice line)
{
	struct leat_reader r = { line.data, line.data + line.len };

	reader_skip_sign(&r);
	if (reader_skip_digits(&r) == 0 || r.pos != r.end)
		return -EBADMSG;
	token->type = LEAT_RESP_BIG_NUMBER;
	token->text = line;
	return 0;
}

/* Read the values that stand in their first line. Returns 0, -EBADMSG or -EMSGSIZE. */
static int
token_read_line(struct leat_resp_token *token, uint8_t type, struct leat_slice line)
{
	switch (type) {
	case '+':
	case '-':
		token->type = type == '+' ? LEAT_RESP_STATUS : LEAT_RESP_ERROR;
		token->text = line;
		return 0;
	case ':':
		token->type = LEAT_RESP_INTEGER;
		return line_to_int64(line, &token->integer) ? 0 : -EBADMSG;
	case '_':
		token->type = LEAT_RESP_NULL;
		return line.len == 0 ? 0 : -EBADMSG;
	case '#':
		token->type = LEAT_RESP_BOOLEAN;
		token->integer = line_is(line, 't');
		return token->integer != 0 || line_is(line, 'f') ? 0 : -EBADMSG;
	case ',':
		return token_read_double(token, line);
	case '(':
		return token_read_big_number(token, line);
	case '.':
		token->type = LEAT_RESP_END;
		return line.len == 0 ? 0 : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

/* Read a count. Returns an enum reply_count, -EBADMSG or -EMSGSIZE. */
static int
token_read_count(struct leat_slice line, uint64_t max, int64_t *count)
{
	*count = 0;
	if (line_is(line, '?'))
		return REPLY_STREAMED;
	if (!leat_slice_to_int64(line, count) || *count < -1)
		return -EBADMSG;
	if (*count == -1)
		return REPLY_ABSENT;
	return (uint64_t)*count > max ? -EMSGSIZE : REPLY_COUNTED;
}

/* Returns 0, -EBADMSG or -EMSGSIZE. */
static int
token_read_aggregate(struct leat_resp_token *token, enum leat_resp_type type,
	struct leat_slice line, uint32_t count_max)
{
	int ret = token_read_count(line, count_max, &token->integer);

	if (ret < 0)
		return ret;
	token->type = type;
	if (ret == REPLY_STREAMED) {
		token->is_streamed = true;
		return type == LEAT_RESP_PUSH || type == LEAT_RESP_ATTRIBUTE ? -EBADMSG : 0;
	}
	if (ret == REPLY_ABSENT) { /* the null array of RESP2; nothing else can be absent */
		token->type = LEAT_RESP_NULL;
		token->integer = 0;
		return type == LEAT_RESP_ARRAY ? 0 : -EBADMSG;
	}
	return 0;
}

/*
 * Read a bulk string, an error, a verbatim string or a chunk, whose length is @p line.
 * Returns bytes of the whole token, 0 when they are not all there, -EBADMSG or -EMSGSIZE.
 */
static ssize_t
token_read_bulk(struct leat_resp_reply_parser *parser, struct leat_resp_token *token,
	struct leat_slice in, struct leat_slice line, size_t bulk_max)
{
	size_t head_len = 1 + line.len + RESP_CRLF_LEN;
	int64_t len;
	int ret = token_read_count(line, bulk_max, &len);

	if (ret < 0)
		return ret;
	if (ret != REPLY_COUNTED) {
		token->type = ret == REPLY_ABSENT ? LEAT_RESP_NULL : LEAT_RESP_STREAM;
		token->is_streamed = ret == REPLY_STREAMED;
		return in.data[0] == '$' ? (ssize_t)head_len : -EBADMSG;
	}
	if (in.data[0] == ';' && len == 0) {
		token->type = LEAT_RESP_END;
		return (ssize_t)head_len;
	}
	parser->nb_need = head_len + (size_t)len + RESP_CRLF_LEN;
	if (in.len < parser->nb_need)
		return 0;
	token->text = (struct leat_slice){ in.data + head_len, (size_t)len };
	if (memcmp(token->text.data + len, "\r\n", RESP_CRLF_LEN) != 0)
		return -EBADMSG;
	return (ssize_t)parser->nb_need;
}

/* Take the format off the text. Returns 0 or -EBADMSG. */
static int
token_split_verbatim(struct leat_resp_token *token)
{
	const size_t head_len = LEAT_RESP_FORMAT_LEN + 1;

	if (token->text.len < head_len || token->text.data[LEAT_RESP_FORMAT_LEN] != ':')
		return -EBADMSG;
	token->format = (struct leat_slice){ token->text.data, LEAT_RESP_FORMAT_LEN };
	token->text.data += head_len;
	token->text.len -= head_len;
	return 0;
}

/* As leat_resp_parse_reply(), but for the token's place. */
static ssize_t
token_read(struct leat_resp_reply_parser *parser, const struct leat_resp_reply_limits *limits,
	struct leat_slice in, struct leat_slice line, struct leat_resp_token *token)
{
	static const struct {
		uint8_t byte;
		enum leat_resp_type type;
	} aggregates[] = { { '*', LEAT_RESP_ARRAY }, { '~', LEAT_RESP_SET },
		{ '>', LEAT_RESP_PUSH }, { '%', LEAT_RESP_MAP }, { '|', LEAT_RESP_ATTRIBUTE } };
	ssize_t line_len = (ssize_t)(1 + line.len + RESP_CRLF_LEN);
	uint8_t byte = in.data[0];
	ssize_t ret;

	if (byte == '$' || byte == '!' || byte == '=' || byte == ';') {
		token->type = byte == '$'   ? LEAT_RESP_BULK
			      : byte == '!' ? LEAT_RESP_BULK_ERROR
			      : byte == '=' ? LEAT_RESP_VERBATIM
					    : LEAT_RESP_CHUNK;
		ret = token_read_bulk(parser, token, in, line, limits->bulk_max);
		if (ret > 0 && token->type == LEAT_RESP_VERBATIM && token_split_verbatim(token) < 0)
			return -EBADMSG;
		return ret;
	}
	for (unsigned int i = 0; i < LEAT_DIM(aggregates); i++) {
		if (aggregates[i].byte != byte)
			continue;
		ret = token_read_aggregate(token, aggregates[i].type, line, limits->count_max);
		return ret < 0 ? ret : line_len;
	}
	ret = token_read_line(token, byte, line);
	return ret < 0 ? ret : line_len;
}

/* The level around the next token, or NULL. */
static struct leat_resp_level *
parser_level(struct leat_resp_reply_parser *parser)
{
	return parser->depth > 0 ? &parser->levels[parser->depth - 1] : NULL;
}

/* A value is whole: so may be the aggregates that it is the last of. */
static void
parser_end_value(struct leat_resp_reply_parser *parser)
{
	struct leat_resp_level *level;

	while ((level = parser_level(parser)) != NULL) {
		if (level->is_streamed) {
			level->nb_values++;
			return;
		}
		if (--level->nb_values > 0)
			return;
		parser->depth--;
		if (level->type == LEAT_RESP_ATTRIBUTE) { /* is no value, but about the next */
			parser->is_attributed = true;
			return;
		}
	}
}

/* Whether a token may come at this place. */
static bool
parser_takes(struct leat_resp_reply_parser *parser, const struct leat_resp_token *token,
	bool is_chunk, bool is_attributed)
{
	const struct leat_resp_level *level = parser_level(parser);
	bool is_in_string = level != NULL && level->type == LEAT_RESP_STREAM;

	if (is_chunk || is_in_string)
		return is_chunk && is_in_string;
	if (token->type == LEAT_RESP_PUSH)
		return parser->depth == 0 && !is_attributed;
	if (token->type != LEAT_RESP_END)
		return true;
	if (level == NULL || !level->is_streamed || is_attributed)
		return false;
	return level->type != LEAT_RESP_MAP || level->nb_values % 2 == 0;
}

/* Returns 0, -EBADMSG or -EMSGSIZE. */
static int
parser_place(struct leat_resp_reply_parser *parser, struct leat_resp_token *token, bool is_chunk)
{
	bool is_pairs = token->type == LEAT_RESP_MAP || token->type == LEAT_RESP_ATTRIBUTE;
	bool is_attributed = parser->is_attributed;

	if (!parser_takes(parser, token, is_chunk, is_attributed))
		return -EBADMSG;
	parser->is_attributed = false;
	if (token->type == LEAT_RESP_END)
		parser->depth--;
	token->depth = parser->depth;
	if (token->is_streamed ||
		(token->type >= LEAT_RESP_ARRAY && token->type <= LEAT_RESP_ATTRIBUTE &&
			token->integer > 0)) {
		if (parser->depth == LEAT_RESP_DEPTH_MAX)
			return -EMSGSIZE;
		parser->levels[parser->depth++] = (struct leat_resp_level){
			.nb_values = (uint64_t)token->integer * (is_pairs ? 2 : 1),
			.type = token->type,
			.is_streamed = token->is_streamed,
		};
		return 0;
	}
	if (token->type == LEAT_RESP_ATTRIBUTE) /* without pairs */
		parser->is_attributed = true;
	else if (token->type != LEAT_RESP_CHUNK)
		parser_end_value(parser);
	token->ends_reply = parser->depth == 0 && !parser->is_attributed;
	return 0;
}

ssize_t
leat_resp_parse_reply(struct leat_resp_reply_parser *parser,
	const struct leat_resp_reply_limits *limits, struct leat_slice in,
	struct leat_resp_token *token)
{
	struct leat_slice line;
	ssize_t nb_consumed;
	int ret;

	memset(token, 0, sizeof(*token));
	if (in.len == 0 || in.len < parser->nb_need)
		return 0;
	ret = reply_read_line(parser, in, &line);
	if (ret <= 0)
		return ret;
	nb_consumed = token_read(parser, limits, in, line, token);
	if (nb_consumed <= 0)
		return nb_consumed;
	ret = parser_place(parser, token, in.data[0] == ';');
	if (ret < 0)
		return ret;
	parser->nb_seen = 0;
	parser->nb_need = 0;
	return nb_consumed;
}
