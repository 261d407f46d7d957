/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Lines and fields, the same in requests and responses. The search for the end of a line
 * stops at the first control byte: this judges the line's bytes on the way.
 */

#include <endian.h>

#include "http_priv.h"

#define WORD_LEN  8
#define WORD_ONES 0x0101010101010101u
#define WORD_TOPS (WORD_ONES << 7)

const uint8_t http_classes[256] = {
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x0f,
	0x06,
	0x01,
	0x0f,
	0x07,
	0x0f,
	0x0f,
	0x0e,
	0x0e,
	0x0f,
	0x0f,
	0x06,
	0x0f,
	0x0f,
	0x06,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x0e,
	0x06,
	0x0e,
	0x06,
	0x02,
	0x06,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x06,
	0x06,
	0x07,
	0x0f,
	0x07,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x07,
	0x06,
	0x0f,
	0x00,
};

/*
 * The tops of the bytes below 0x20 and of 0x7f. Borrows and carries may mark bytes above
 * the first that is one, never below it.
 */
static uint64_t
word_controls(uint64_t word)
{
	uint64_t del = word ^ WORD_ONES * 0x7f;

	return (((word - WORD_ONES * 0x20) & ~word) | ((del - WORD_ONES) & ~del)) & WORD_TOPS;
}

/* The first control byte, tabs among them, or @p end. */
static const uint8_t *
find_control_or_tab(const uint8_t *p, const uint8_t *end)
{
	uint64_t controls;
	uint64_t word;

	while ((size_t)(end - p) >= WORD_LEN) {
		memcpy(&word, p, sizeof(word));
		controls = word_controls(le64toh(word));
		if (controls != 0)
			return p + __builtin_ctzll(controls) / 8;
		p += WORD_LEN;
	}
	while (p < end && *p >= 0x20 && *p != 0x7f)
		p++;
	return p;
}

static const uint8_t *
find_control(const uint8_t *p, const uint8_t *end)
{
	p = find_control_or_tab(p, end);
	while (p < end && *p == '\t')
		p = find_control_or_tab(p + 1, end);
	return p;
}

int
http_take_line(struct leat_http_parser *parser, struct leat_slice in, size_t end_max,
	struct leat_slice *line)
{
	const uint8_t *start = in.data + parser->pos;
	const uint8_t *end = in.data + LEAT_MIN(in.len, end_max);
	const uint8_t *p;

	LEAT_VERIFY(end_max >= parser->pos);
	LEAT_VERIFY(in.len >= parser->pos);
	LEAT_VERIFY(in.len - parser->pos >= parser->nb_seen);
	p = find_control(start + parser->nb_seen, end);
	parser->nb_seen = (uint32_t)(p - start);
	if (p == end)
		return 0;
	if (*p != '\r')
		return -HTTP_BAD_REQUEST;
	if (end - p < HTTP_EOL_LEN)
		return 0;
	if (p[1] != '\n')
		return -HTTP_BAD_REQUEST;
	line->data = start;
	line->len = parser->nb_seen;
	parser->pos += line->len + HTTP_EOL_LEN;
	parser->nb_seen = 0;
	return 1;
}

int
http_parse_version(struct leat_http_parser *parser, struct leat_slice version)
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
	parser->minor = LEAT_MIN(minor, 1); /* a higher minor version counts as 1 */
	return 0;
}

bool
http_is_token(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!http_is(s.data[i], HTTP_TOKEN))
			return false;
	}
	return s.len > 0;
}

static bool
is_ows(uint8_t c)
{
	return c == ' ' || c == '\t';
}

struct leat_slice
http_trim(struct leat_slice s)
{
	while (s.len > 0 && is_ows(s.data[0])) {
		s.data++;
		s.len--;
	}
	while (s.len > 0 && is_ows(s.data[s.len - 1]))
		s.len--;
	return s;
}

struct leat_http_fields
http_head_fields(const struct leat_http_parser *parser, struct leat_slice in)
{
	struct leat_http_fields fields;

	fields.pos = in.data + parser->fields_off;
	fields.end = in.data + parser->body_off - HTTP_EOL_LEN;
	return fields;
}

bool
leat_http_fields_next(struct leat_http_fields *fields, struct leat_http_field *field)
{
	const uint8_t *colon;
	const uint8_t *cr;

	if (fields->pos == fields->end)
		return false;
	colon = memchr(fields->pos, ':', (size_t)(fields->end - fields->pos));
	LEAT_VERIFY(colon != NULL);
	cr = memchr(colon, '\r', (size_t)(fields->end - colon));
	LEAT_VERIFY(cr != NULL);
	field->name.data = fields->pos;
	field->name.len = (size_t)(colon - fields->pos);
	field->value.data = colon + 1;
	field->value.len = (size_t)(cr - colon) - 1;
	field->value = http_trim(field->value);
	fields->pos = cr + HTTP_EOL_LEN;
	return true;
}

bool
leat_http_fields_find(
	struct leat_http_fields fields, struct leat_slice name, struct leat_slice *value)
{
	struct leat_http_field field;

	while (leat_http_fields_next(&fields, &field)) {
		if (leat_slice_is_equal_nocase(field.name, name)) {
			*value = field.value;
			return true;
		}
	}
	return false;
}

bool
leat_http_field_is_valid(const struct leat_http_field *field)
{
	const uint8_t *end = field->value.data + field->value.len;

	if (!http_is_token(field->name))
		return false;
	return field->value.len == 0 || find_control(field->value.data, end) == end;
}

bool
http_is_keep_alive(const struct leat_http_parser *parser)
{
	if (parser->has_close)
		return false;
	return parser->minor > 0 || parser->has_keep_alive;
}
