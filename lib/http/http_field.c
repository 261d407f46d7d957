/* SPDX-License-Identifier: BSD-3-Clause */

/* The fields that say where a message ends and what becomes of its connection. */

#include "http_priv.h"
#include "http_scan.h"

#define PORT_MAX        65535u
#define PORT_DIGITS_MAX 5

/* Take the next element, trimmed and perhaps empty, off a comma-separated list. */
static struct leat_slice
list_next(struct leat_slice *list, bool *has_more)
{
	const uint8_t *comma = memchr(list->data, ',', list->len);
	struct leat_slice element = *list;

	*has_more = comma != NULL;
	if (comma != NULL) {
		element.len = (size_t)(comma - list->data);
		list->data += element.len + 1;
		list->len -= element.len + 1;
	}
	return http_trim(element);
}

static bool
is_hex(uint8_t c)
{
	uint8_t letter = c | 0x20;

	return (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'f');
}

/* Bytes of an IPv6 address in brackets, or 0. An IPvFuture is nothing that we serve. */
static size_t
ip_literal_len(struct leat_slice s)
{
	size_t len = 1;

	while (len < s.len && (is_hex(s.data[len]) || s.data[len] == ':' || s.data[len] == '.'))
		len++;
	return len >= 3 && len < s.len && s.data[len] == ']' ? len + 1 : 0; /* "[::]" */
}

/*
 * Bytes of a registered name. A "%" begins an encoded byte. There is no ",", which would
 * make two names out of one where a hop has joined two lines.
 */
static size_t
name_len(struct leat_slice s)
{
	const uint8_t *end = s.data + s.len;
	const uint8_t *p = s.data;

	for (;; p += 3) {
		while (http_is(*p, HTTP_NAME))
			p++;
		if (*p != '%' || end - p < 3 || !is_hex(p[1]) || !is_hex(p[2]))
			return (size_t)(p - s.data);
	}
}

static bool
is_port(struct leat_slice s)
{
	uint32_t port = 0;

	if (s.len > PORT_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		uint8_t digit = (uint8_t)(s.data[i] - '0');

		if (digit > 9)
			return false;
		port = port * 10 + digit;
	}
	return port <= PORT_MAX;
}

bool
http_parse_host(struct leat_slice s, size_t *host_len)
{
	bool is_literal = s.len > 0 && s.data[0] == '[';
	size_t len = is_literal ? ip_literal_len(s) : name_len(s);
	struct leat_slice port;

	*host_len = len;
	if (len == s.len)
		return true;
	if (len == 0 || s.data[len] != ':')
		return false;
	port.data = s.data + len + 1;
	port.len = s.len - len - 1;
	return is_port(port);
}

/* RFC 9112 section 3.2: exactly one, and a host; of a second one nobody knows which. */
static int
field_host(struct leat_http_parser *parser, struct leat_slice in, struct leat_slice value)
{
	size_t host_len;

	if (parser->is_response)
		return 0; /* means nothing there */
	if (parser->has_host || !http_parse_host(value, &host_len))
		return -HTTP_BAD_REQUEST;
	parser->has_host = true;
	parser->host_off = (uint16_t)(value.data - in.data);
	parser->host_len = (uint16_t)value.len;
	return 0;
}

static int
field_connection(struct leat_http_parser *parser, struct leat_slice value)
{
	bool has_more;

	do {
		struct leat_slice option = list_next(&value, &has_more);

		if (leat_slice_is_equal_nocase(option, LEAT_SLICE("close")))
			parser->has_close = true;
		else if (leat_slice_is_equal_nocase(option, LEAT_SLICE("keep-alive")))
			parser->has_keep_alive = true;
	} while (has_more);
	return 0;
}

/*
 * RFC 9110 section 8.6: digits only. A number too large to hold is too large to take. A
 * second one, or a list, may be mended where all are the same, but a hop that takes
 * the first or the last or none of them reads another message.
 */
static int
field_content_length(struct leat_http_parser *parser, struct leat_slice value)
{
	size_t len = 0;

	if (parser->has_content_length || value.len == 0)
		return -HTTP_BAD_REQUEST;
	for (size_t i = 0; i < value.len; i++) {
		uint8_t digit = (uint8_t)(value.data[i] - '0');

		if (digit > 9)
			return -HTTP_BAD_REQUEST;
		len = len > (SIZE_MAX - digit) / 10 ? SIZE_MAX : len * 10 + digit;
	}
	parser->has_content_length = true;
	parser->body_len = len;
	return 0;
}

static enum http_coding
coding_after(enum http_coding before, struct leat_slice coding)
{
	bool is_chunked = leat_slice_is_equal_nocase(coding, LEAT_SLICE("chunked"));

	/* An empty element is allowed, but a hop that compares the whole value sees no chunked. */
	if (coding.len == 0)
		return HTTP_CODING_BAD;
	switch (before) {
	case HTTP_CODING_NONE:
		return is_chunked ? HTTP_CODING_CHUNKED : HTTP_CODING_OTHER;
	case HTTP_CODING_OTHER:
		return is_chunked ? HTTP_CODING_OTHER_CHUNKED : HTTP_CODING_OTHER;
	default: /* chunked is the last one, and only once (RFC 9112 section 6.1) */
		return HTTP_CODING_BAD;
	}
}

/* RFC 9112 section 6.1; several lines are one list. */
static int
field_transfer_encoding(struct leat_http_parser *parser, struct leat_slice value)
{
	bool has_more;

	do {
		struct leat_slice coding = list_next(&value, &has_more);

		parser->coding = (uint8_t)coding_after((enum http_coding)parser->coding, coding);
	} while (has_more);
	return 0;
}

static int
field_expect(struct leat_http_parser *parser, struct leat_slice value)
{
	if (leat_slice_is_equal_nocase(value, LEAT_SLICE("100-continue")))
		parser->expects_continue = true;
	else
		parser->expects_other = true;
	return 0;
}

/*
 * RFC 9110 section 11.6.2: one. Of two a hop in front of us may have let in whom the first one
 * names, and the other one names somebody else.
 */
static int
field_authorization(struct leat_http_parser *parser)
{
	if (parser->has_authorization)
		return -HTTP_BAD_REQUEST;
	parser->has_authorization = !parser->is_response;
	return 0;
}

/*
 * Whether a token is @p lower, letters and "-", whose length it has, four at least. The bit
 * of the case is set in both: only control bytes, which no token has, become "-" by it.
 */
static inline bool
name_is(struct leat_slice name, const char *lower)
{
	uint32_t differs = 0;
	uint32_t a;
	uint32_t b;

	for (size_t i = 0; i < name.len; i += sizeof(a)) {
		size_t off = LEAT_MIN(i, name.len - sizeof(a));

		memcpy(&a, name.data + off, sizeof(a));
		memcpy(&b, lower + off, sizeof(b));
		differs |= (a | 0x20202020u) ^ b;
	}
	return differs == 0;
}

/* What a field of the head means to us. 0, or -status. */
static int
field_read(
	struct leat_http_parser *parser, struct leat_slice in, const struct leat_http_field *field)
{
	switch (field->name.len) {
	case 4:
		if (name_is(field->name, "host"))
			return field_host(parser, in, field->value);
		break;
	case 6:
		if (name_is(field->name, "expect"))
			return field_expect(parser, field->value);
		break;
	case 10:
		if (name_is(field->name, "connection"))
			return field_connection(parser, field->value);
		break;
	case 13:
		if (name_is(field->name, "authorization"))
			return field_authorization(parser);
		break;
	case 14:
		if (name_is(field->name, "content-length"))
			return field_content_length(parser, field->value);
		break;
	case 17:
		if (name_is(field->name, "transfer-encoding"))
			return field_transfer_encoding(parser, field->value);
		break;
	default: /* nothing to us */
		break;
	}
	return 0;
}

/*
 * RFC 9110 section 6.5.1: a trailer says nothing about framing and routing. A hop that
 * merges trailers into the head would see another message, so these are refused; the
 * rest stays apart from the head and is the reader's to ignore.
 */
static int
trailer_read(const struct leat_http_field *field)
{
	static const struct leat_slice forbidden[] = {
		{ (const uint8_t *)"host", 4 },
		{ (const uint8_t *)"content-length", 14 },
		{ (const uint8_t *)"transfer-encoding", 17 },
	};

	for (size_t i = 0; i < LEAT_DIM(forbidden); i++) {
		if (leat_slice_is_equal_nocase(field->name, forbidden[i]))
			return -HTTP_BAD_REQUEST;
	}
	return 0;
}

/* RFC 9112 section 5. The line has no control byte but tabs, and a CR stands behind it. */
static int
fields_parse_line(struct leat_http_parser *parser, struct leat_slice in, struct leat_slice line)
{
	struct leat_http_field field;
	const uint8_t *p = line.data;

	if (parser->nb_fields == LEAT_HTTP_FIELDS_MAX)
		return -HTTP_FIELDS_TOO_LARGE;
	parser->nb_fields++;
	while (http_is(*p, HTTP_TOKEN))
		p++;
	/* This refuses "name :", and a line that continues the last one: it begins with a space. */
	if (*p != ':' || p == line.data)
		return -HTTP_BAD_REQUEST;
	field.name.data = line.data;
	field.name.len = (size_t)(p - line.data);
	field.value.data = p + 1;
	field.value.len = line.len - field.name.len - 1;
	field.value = http_trim(field.value);
	if (parser->stage == HTTP_STAGE_TRAILERS)
		return trailer_read(&field);
	return field_read(parser, in, &field);
}

/* Where the lines of head or trailers must have ended. */
static size_t
fields_end_max(const struct leat_http_parser *parser, const struct leat_http_limits *limits)
{
	size_t end;

	if (parser->stage == HTTP_STAGE_TRAILERS)
		end = parser->pos + LEAT_HTTP_TRAILERS_MAX - parser->trailers_len;
	else
		end = parser->start + (size_t)LEAT_HTTP_HEAD_MAX;
	return LEAT_MIN(end, limits->message_max);
}

int
http_read_fields(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in)
{
	size_t end_max = fields_end_max(parser, limits);
	struct leat_slice line;
	int ret;

	for (;;) {
		ret = http_take_line(parser, in, end_max, &line);
		if (ret < 0)
			return ret;
		if (ret == 0)
			return in.len >= end_max ? -HTTP_FIELDS_TOO_LARGE : 0;
		if (parser->stage == HTTP_STAGE_TRAILERS)
			parser->trailers_len += (uint16_t)(line.len + HTTP_EOL_LEN);
		if (line.len == 0)
			return 1;
		ret = fields_parse_line(parser, in, line);
		if (ret < 0)
			return ret;
	}
}
