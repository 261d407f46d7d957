/* SPDX-License-Identifier: BSD-3-Clause */

/* The fields that say where a request ends and what becomes of its connection. */

#include "http_priv.h"

/* Sets of ASCII bytes, one bit each. */
static const uint64_t token_bytes[2] = { 0x03ff6cfa00000000u, 0x57ffffffc7fffffeu };
static const uint64_t host_bytes[2] = { 0x2fff7ff200000000u, 0x47fffffeaffffffeu };

static bool
set_has(const uint64_t set[2], uint8_t c)
{
	return c < 128 && (set[c >> 6] >> (c & 63) & 1) != 0;
}

bool
http_is_token_byte(uint8_t c)
{
	return set_has(token_bytes, c);
}

bool
http_is_token(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!set_has(token_bytes, s.data[i]))
			return false;
	}
	return s.len > 0;
}

bool
http_is_host(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!set_has(host_bytes, s.data[i]))
			return false;
	}
	return true;
}

static bool
is_ows(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct leat_slice
slice_trim(struct leat_slice s)
{
	while (s.len > 0 && is_ows(s.data[0])) {
		s.data++;
		s.len--;
	}
	while (s.len > 0 && is_ows(s.data[s.len - 1]))
		s.len--;
	return s;
}

/* field-vchar, obs-text, space and tab: no control byte (RFC 9110 section 5.5). */
static bool
is_field_value(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.data[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Take the next element, trimmed and perhaps empty, off a comma-separated list. */
static struct leat_slice
list_next(struct leat_slice *list)
{
	const uint8_t *comma = memchr(list->data, ',', list->len);
	struct leat_slice element = *list;

	if (comma == NULL) {
		list->data += list->len;
		list->len = 0;
		return slice_trim(element);
	}
	element.len = (size_t)(comma - list->data);
	list->data += element.len + 1;
	list->len -= element.len + 1;
	return slice_trim(element);
}

/* RFC 9112 section 3.2: exactly one, and a host; of a second one nobody knows which. */
static int
field_host(struct leat_http_parser *parser, struct leat_slice value)
{
	if (parser->has_host || !http_is_host(value))
		return -HTTP_BAD_REQUEST;
	parser->has_host = true;
	return 0;
}

static int
field_connection(struct leat_http_parser *parser, struct leat_slice value)
{
	while (value.len > 0) {
		struct leat_slice option = list_next(&value);

		if (leat_slice_is_equal_nocase(option, LEAT_SLICE("close")))
			parser->has_close = true;
		else if (leat_slice_is_equal_nocase(option, LEAT_SLICE("keep-alive")))
			parser->has_keep_alive = true;
	}
	return 0;
}

/* RFC 9110 section 8.6: digits only. A number too large to hold is too large to take. */
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

/* RFC 9112 section 6.1; several lines are one list. */
static int
field_transfer_encoding(struct leat_http_parser *parser, struct leat_slice value)
{
	parser->has_transfer_encoding = true;
	while (value.len > 0) {
		struct leat_slice coding = list_next(&value);

		if (coding.len == 0)
			continue;
		parser->is_chunked_last = leat_slice_is_equal_nocase(coding, LEAT_SLICE("chunked"));
		if (!parser->is_chunked_last)
			parser->has_other_coding = true;
		else if (parser->nb_chunked < 2)
			parser->nb_chunked++;
	}
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

static const struct {
	struct leat_slice name;
	int (*read)(struct leat_http_parser *parser, struct leat_slice value);
} fields[] = {
	{ { (const uint8_t *)"host", 4 }, field_host },
	{ { (const uint8_t *)"expect", 6 }, field_expect },
	{ { (const uint8_t *)"connection", 10 }, field_connection },
	{ { (const uint8_t *)"content-length", 14 }, field_content_length },
	{ { (const uint8_t *)"transfer-encoding", 17 }, field_transfer_encoding },
};

int
http_parse_field(struct leat_http_parser *parser, struct leat_slice line)
{
	const uint8_t *colon = memchr(line.data, ':', line.len);
	struct leat_slice name = line;
	struct leat_slice value;

	if (parser->nb_fields == LEAT_HTTP_FIELDS_MAX)
		return -HTTP_FIELDS_TOO_LARGE;
	parser->nb_fields++;
	if (colon == NULL)
		return -HTTP_BAD_REQUEST;
	/* A token has no space: this refuses "name :" and a line that continues the last one. */
	name.len = (size_t)(colon - line.data);
	if (!http_is_token(name))
		return -HTTP_BAD_REQUEST;
	value.data = colon + 1;
	value.len = line.len - name.len - 1;
	if (!is_field_value(value))
		return -HTTP_BAD_REQUEST;
	value = slice_trim(value);
	for (size_t i = 0; i < LEAT_DIM(fields); i++) {
		if (leat_slice_is_equal_nocase(name, fields[i].name))
			return fields[i].read(parser, value);
	}
	return 0;
}

/* RFC 9112 sections 6.1 and 6.3. Whatever it says, the connection ends. */
static int
refuse_transfer_encoding(const struct leat_http_parser *parser)
{
	/* Two lengths, a client that cannot mean it, or a body without an end. */
	if (parser->has_content_length || parser->minor == 0)
		return -HTTP_BAD_REQUEST;
	if (parser->nb_chunked != 1 || !parser->is_chunked_last)
		return -HTTP_BAD_REQUEST;
	return parser->has_other_coding ? -HTTP_NOT_IMPLEMENTED : -HTTP_LENGTH_REQUIRED;
}

int
http_end_fields(struct leat_http_parser *parser)
{
	if (!parser->has_host && parser->minor > 0)
		return -HTTP_BAD_REQUEST;
	if (parser->has_transfer_encoding)
		return refuse_transfer_encoding(parser);
	/* RFC 9110 section 10.1.1: HTTP/1.0 does not know 100 (Continue). */
	if (parser->minor == 0)
		parser->expects_continue = false;
	else if (parser->expects_other)
		return -HTTP_EXPECTATION_FAILED;
	return 0;
}
