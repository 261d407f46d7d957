/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bodies. The data of a body is never looked at: pos goes to its end at once, and the
 * parser waits until the bytes are there. The lines of chunks are read twice, once as
 * they come and once more when the message is whole, to point out the pieces, since there
 * is no room to remember them.
 */

#include <errno.h>

#include <leat_hex.h>

#include "http_priv.h"
#include "http_scan.h"

#define CHUNK_DIGITS_MAX 16 /* of a 64-bit size, zeros in front included */

static void
line_skip(struct leat_slice *line, size_t len)
{
	line->data += len;
	line->len -= len;
}

static void
line_skip_blanks(struct leat_slice *line)
{
	while (line->len > 0 && http_is_blank(line->data[0]))
		line_skip(line, 1);
}

static bool
line_skip_byte(struct leat_slice *line, uint8_t byte)
{
	if (line->len == 0 || line->data[0] != byte)
		return false;
	line_skip(line, 1);
	return true;
}

static bool
line_skip_token(struct leat_slice *line)
{
	size_t len = 0;

	while (len < line->len && http_is(line->data[len], HTTP_TOKEN))
		len++;
	line_skip(line, len);
	return len > 0;
}

/* RFC 9110 section 5.6.4, behind its opening quote. */
static bool
line_skip_quoted(struct leat_slice *line)
{
	while (line->len > 0) {
		uint8_t c = line->data[0];

		line_skip(line, 1);
		if (c == '"')
			return true;
		if (c == '\\' && line->len > 0)
			line_skip(line, 1);
	}
	return false;
}

/*
 * RFC 9112 section 7.1.1: *( BWS ";" BWS name [ BWS "=" BWS value ] ). Nobody knows any,
 * but what is not one may hide the end of a line from another reader.
 */
static bool
line_is_extensions(struct leat_slice line)
{
	while (line.len > 0) {
		struct leat_slice rest;

		line_skip_blanks(&line);
		if (!line_skip_byte(&line, ';'))
			return false;
		line_skip_blanks(&line);
		if (!line_skip_token(&line))
			return false;
		rest = line;
		line_skip_blanks(&rest);
		if (!line_skip_byte(&rest, '='))
			continue; /* blanks behind a name need a ";" */
		line_skip_blanks(&rest);
		line = rest;
		if (line_skip_byte(&line, '"') ? !line_skip_quoted(&line) : !line_skip_token(&line))
			return false;
	}
	return true;
}

/* RFC 9112 section 7.1. 0, or -status. */
static int
chunk_parse_line(struct leat_slice line, size_t *size)
{
	size_t nb_digits = 0;
	uint64_t value = 0;
	int digit;

	while (nb_digits < line.len && (digit = leat_hex_value(line.data[nb_digits])) >= 0) {
		/* More digits than anyone needs may lose their head in another reader. */
		if (nb_digits == CHUNK_DIGITS_MAX)
			return -HTTP_BAD_REQUEST;
		value = value << 4 | (uint64_t)digit;
		nb_digits++;
	}
	line_skip(&line, nb_digits);
	if (nb_digits == 0 || !line_is_extensions(line))
		return -HTTP_BAD_REQUEST;
	*size = value;
	return 0;
}

static int
body_read_chunk_line(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	size_t end_max = parser->pos + LEAT_HTTP_CHUNK_LINE_MAX + HTTP_EOL_LEN;
	struct leat_slice line;
	size_t size = 0;
	size_t left;
	int ret;

	end_max = LEAT_MIN(end_max, limits->message_max);
	ret = http_take_line(parser, in, end_max, &line);
	if (ret < 0)
		return ret;
	if (ret == 0)
		return in.len >= end_max ? -HTTP_CONTENT_TOO_LARGE : 0;
	ret = chunk_parse_line(line, &size);
	if (ret < 0)
		return ret;
	if (size == 0) {
		parser->stage = HTTP_STAGE_TRAILERS;
		return 1;
	}
	left = limits->message_max - parser->pos;
	if (left < HTTP_EOL_LEN || size > left - HTTP_EOL_LEN)
		return -HTTP_CONTENT_TOO_LARGE;
	if (parser->nb_chunks ==
		(limits->pieces_max > 0 ? limits->pieces_max : LEAT_HTTP_PIECES_MAX))
		return -HTTP_CONTENT_TOO_LARGE;
	parser->nb_chunks++;
	parser->body_len += size;
	parser->pos += size;
	parser->stage = HTTP_STAGE_CHUNK_END;
	return 1;
}

static int
body_read_chunk_end(struct leat_http_parser *parser, struct leat_slice in)
{
	size_t nb = in.len > parser->pos ? LEAT_MIN(in.len - parser->pos, HTTP_EOL_LEN) : 0;

	if (nb > 0 && memcmp(in.data + parser->pos, "\r\n", nb) != 0)
		return -HTTP_BAD_REQUEST;
	if (nb < HTTP_EOL_LEN)
		return 0;
	parser->pos += HTTP_EOL_LEN;
	parser->stage = HTTP_STAGE_CHUNK_LINE;
	return 1;
}

void
http_begin_chunked(struct leat_http_parser *parser)
{
	LEAT_VERIFY(parser->body_len == 0);
	parser->stage = HTTP_STAGE_CHUNK_LINE;
}

/* One step. > 0: go on; 0: incomplete; or -status. */
static int
body_step(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	int ret;

	switch ((enum http_stage)parser->stage) {
	case HTTP_STAGE_LENGTH:
		if (in.len < parser->pos)
			return 0;
		parser->stage = HTTP_STAGE_WHOLE;
		return 1;
	case HTTP_STAGE_UNTIL_CLOSE:
		return in.len > limits->message_max ? -HTTP_CONTENT_TOO_LARGE : 0;
	case HTTP_STAGE_CHUNK_LINE:
		return body_read_chunk_line(parser, limits, in);
	case HTTP_STAGE_CHUNK_END:
		return body_read_chunk_end(parser, in);
	case HTTP_STAGE_TRAILERS:
		ret = http_read_fields(parser, limits, in);
		if (ret > 0)
			parser->stage = HTTP_STAGE_WHOLE;
		return ret;
	default: /* START, FIELDS, WHOLE: no body is read then */
		LEAT_VERIFY(false);
		return 0;
	}
}

int
http_read_body(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	int ret;

	do {
		ret = body_step(parser, limits, in);
		if (ret <= 0)
			return ret;
	} while (parser->stage != HTTP_STAGE_WHOLE);
	return 1;
}

int
http_fill_chunks(
	const struct leat_http_parser *parser, struct leat_slice in, struct leat_http_body *body)
{
	const uint8_t *p = in.data + parser->body_off;
	const uint8_t *end = in.data + parser->pos;

	if (parser->nb_chunks > body->pieces_max)
		return -ENOBUFS;
	body->nb_pieces = parser->nb_chunks;
	body->is_chunked = true;
	for (uint32_t i = 0;; i++) {
		size_t size = 0;
		int digit;

		for (; (digit = leat_hex_value(*p)) >= 0; p++)
			size = size << 4 | (size_t)digit;
		p = memchr(p, '\n', (size_t)(end - p));
		LEAT_VERIFY(p != NULL);
		p++;
		if (size == 0)
			break;
		LEAT_VERIFY(i < parser->nb_chunks);
		body->pieces[i] = (struct leat_slice){ p, size };
		p += size + HTTP_EOL_LEN;
	}
	LEAT_VERIFY(end - p == parser->trailers_len);
	body->trailers.pos = p;
	body->trailers.end = end - HTTP_EOL_LEN;
	return 0;
}
