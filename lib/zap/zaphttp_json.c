/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A header block as a JSON object: {"Name":["value","value"]}. Of RFC 8259 that much alone, and
 * nothing but blanks may follow it. A name that comes twice is two fields.
 */

#include <errno.h>

#include <leat_hex.h>
#include <leat_utf8.h>

#include "zaphttp_priv.h"

/* What comes next in a block. */
enum json_state {
	JSON_BEGIN, /* the brace */
	JSON_NAME,
	JSON_VALUE,
	JSON_AFTER, /* a value */
};

static bool
is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static void
blanks_skip(struct leat_reader *in)
{
	while (in->pos < in->end && is_blank(*in->pos))
		in->pos++;
}

/* Skip blanks, and then this byte if it is there. */
static bool
byte_skip(struct leat_reader *in, uint8_t byte)
{
	blanks_skip(in);
	if (in->pos == in->end || *in->pos != byte)
		return false;
	in->pos++;
	return true;
}

/* Skip what stands behind a backslash. */
static bool
escape_skip(struct leat_reader *in)
{
	if (in->pos == in->end)
		return false;
	if (*in->pos != 'u')
		return *in->pos != '\0' && strchr("\"\\/bfnrt", *in->pos++) != NULL;
	in->pos++;
	if (leat_reader_left(in) < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		if (leat_hex_value(*in->pos++) < 0)
			return false;
	}
	return true;
}

static bool
string_read(struct leat_reader *in, struct leat_slice *text, bool *is_escaped)
{
	if (!byte_skip(in, '"'))
		return false;
	text->data = in->pos;
	*is_escaped = false;
	for (;;) {
		if (in->pos == in->end || *in->pos < 0x20)
			return false;
		if (*in->pos == '"')
			break;
		if (*in->pos++ == '\\') {
			*is_escaped = true;
			if (!escape_skip(in))
				return false;
		}
	}
	text->len = (size_t)(in->pos - text->data);
	in->pos++;
	return true;
}

/* The last brace is read: nothing may follow. */
static int
object_end(struct leat_zaphttp_walk *walk)
{
	blanks_skip(&walk->in);
	walk->nb_left = 0;
	return walk->in.pos == walk->in.end ? 0 : -EBADMSG;
}

/* An array is read: another name, or the end. */
static int
array_end(struct leat_zaphttp_walk *walk)
{
	walk->state = JSON_NAME;
	if (byte_skip(&walk->in, ','))
		return 1;
	return byte_skip(&walk->in, '}') ? object_end(walk) : -EBADMSG;
}

static int
value_read(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field)
{
	field->name = walk->name;
	field->is_name_escaped = walk->is_name_escaped;
	walk->state = JSON_AFTER;
	return string_read(&walk->in, &field->value, &field->is_value_escaped) ? 1 : -EBADMSG;
}

/* Read a name and the bracket behind it. An empty array has no field. */
static int
name_read(struct leat_zaphttp_walk *walk)
{
	if (!string_read(&walk->in, &walk->name, &walk->is_name_escaped) ||
		!byte_skip(&walk->in, ':') || !byte_skip(&walk->in, '['))
		return -EBADMSG;
	walk->state = JSON_VALUE;
	return byte_skip(&walk->in, ']') ? array_end(walk) : 1;
}

int
zaphttp_json_next(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field)
{
	int ret = 1;

	while (ret > 0) {
		switch ((enum json_state)walk->state) {
		case JSON_BEGIN:
			if (!byte_skip(&walk->in, '{'))
				return -EBADMSG;
			walk->state = JSON_NAME;
			ret = byte_skip(&walk->in, '}') ? object_end(walk) : 1;
			break;
		case JSON_NAME:
			ret = name_read(walk);
			break;
		case JSON_VALUE:
			return value_read(walk, field);
		case JSON_AFTER:
			if (byte_skip(&walk->in, ','))
				return value_read(walk, field);
			ret = byte_skip(&walk->in, ']') ? array_end(walk) : -EBADMSG;
			break;
		}
	}
	return ret;
}

/* The four digits behind "\u", which were seen to be there. */
static uint32_t
unit_read(const uint8_t *digits)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++)
		unit = unit << 4 | (uint32_t)leat_hex_value(digits[i]);
	return unit;
}

static void
utf8_put(struct leat_writer *w, uint32_t c)
{
	uint8_t bytes[LEAT_UTF8_MAX];

	leat_writer_put(w, bytes, leat_utf8_format(c, bytes));
}

/* Write the character of "\u" at the front, of two of them where they are a pair. */
static size_t
unit_put(struct leat_writer *w, const uint8_t *p, const uint8_t *end)
{
	uint32_t high = unit_read(p + 2);
	uint32_t low;

	if (high < 0xd800 || high > 0xdfff) {
		utf8_put(w, high);
		return 6;
	}
	if (high <= 0xdbff && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
		low = unit_read(p + 8);
		if (low >= 0xdc00 && low <= 0xdfff) {
			utf8_put(w, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
			return 12;
		}
	}
	utf8_put(w, LEAT_UTF8_REPLACEMENT);
	return 6;
}

/* Write what the escape at the front stands for, and say how long it is. */
static size_t
escape_put(struct leat_writer *w, const uint8_t *p, const uint8_t *end)
{
	switch (p[1]) {
	case 'b':
		leat_writer_put_u8(w, '\b');
		return 2;
	case 'f':
		leat_writer_put_u8(w, '\f');
		return 2;
	case 'n':
		leat_writer_put_u8(w, '\n');
		return 2;
	case 'r':
		leat_writer_put_u8(w, '\r');
		return 2;
	case 't':
		leat_writer_put_u8(w, '\t');
		return 2;
	case 'u':
		return unit_put(w, p, end);
	default: /* itself: a quote, a backslash, a slash */
		leat_writer_put_u8(w, p[1]);
		return 2;
	}
}

void
leat_zaphttp_put_text(struct leat_writer *w, struct leat_slice text, bool is_escaped)
{
	const uint8_t *p = text.data;
	const uint8_t *plain = p;
	const uint8_t *end;

	if (!is_escaped || text.len == 0) { /* and perhaps without an address */
		leat_writer_put_slice(w, text);
		return;
	}
	end = p + text.len;
	while (p < end) {
		if (*p != '\\') {
			p++;
			continue;
		}
		leat_writer_put(w, plain, (size_t)(p - plain));
		p += escape_put(w, p, end);
		plain = p;
	}
	leat_writer_put(w, plain, (size_t)(p - plain));
}

static void
unit_escape(struct leat_writer *w, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t text[6] = { '\\', 'u' };

	for (int i = 0; i < 4; i++)
		text[2 + i] = (uint8_t)digits[unit >> (12 - 4 * i) & 0xf];
	leat_writer_put(w, text, sizeof(text));
}

/* As every writer of this generation escapes: also what HTML would read. */
static void
byte_put(struct leat_writer *w, uint8_t byte)
{
	uint8_t short_form = byte == '\n' ? 'n' : byte == '\r' ? 'r' : byte == '\t' ? 't' : 0;

	if (byte == '"' || byte == '\\')
		short_form = byte;
	if (short_form != 0) {
		leat_writer_put_u8(w, '\\');
		leat_writer_put_u8(w, short_form);
	} else if (byte < 0x20 || byte == '<' || byte == '>' || byte == '&') {
		unit_escape(w, byte);
	} else {
		leat_writer_put_u8(w, byte);
	}
}

static void
string_put(struct leat_writer *w, struct leat_slice text)
{
	size_t len;

	leat_writer_put_u8(w, '"');
	for (size_t i = 0; i < text.len; i += LEAT_MAX(len, 1u)) {
		const uint8_t *p = text.data + i;

		len = leat_utf8_len(p, text.len - i);
		if (len == 0)
			unit_escape(w, LEAT_UTF8_REPLACEMENT);
		else if (len == 1)
			byte_put(w, *p);
		else if (len == 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] & 0xfe) == 0xa8)
			unit_escape(w, 0x2000u | (p[2] & 0x3f)); /* a line's or paragraph's end */
		else
			leat_writer_put(w, p, len);
	}
	leat_writer_put_u8(w, '"');
}

static int
name_compare(struct leat_slice a, struct leat_slice b)
{
	size_t len = LEAT_MIN(a.len, b.len);
	int order = len == 0 ? 0 : memcmp(a.data, b.data, len);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The field with the first name above that of @p last, or NULL. */
static const struct leat_zaphttp_field *
name_next(struct leat_zaphttp_fields fields, const struct leat_zaphttp_field *last)
{
	const struct leat_zaphttp_field *next = NULL;

	for (size_t i = 0; i < fields.nb_fields; i++) {
		const struct leat_zaphttp_field *field = &fields.fields[i];

		if (zaphttp_is_left_out(LEAT_ZAPHTTP_JSON, field->name))
			continue;
		if (last != NULL && name_compare(field->name, last->name) <= 0)
			continue;
		if (next == NULL || name_compare(field->name, next->name) < 0)
			next = field;
	}
	return next;
}

static void
values_put(struct leat_writer *w, struct leat_zaphttp_fields fields, struct leat_slice name)
{
	bool is_first = true;

	for (size_t i = 0; i < fields.nb_fields; i++) {
		if (!leat_slice_is_equal(fields.fields[i].name, name))
			continue;
		leat_writer_put_u8(w, is_first ? '[' : ',');
		string_put(w, fields.fields[i].value);
		is_first = false;
	}
	leat_writer_put_u8(w, ']');
}

void
zaphttp_json_put(struct leat_writer *w, struct leat_zaphttp_fields fields)
{
	const struct leat_zaphttp_field *field = name_next(fields, NULL);
	uint8_t before = '{';

	for (; field != NULL; field = name_next(fields, field)) {
		leat_writer_put_u8(w, before);
		string_put(w, field->name);
		leat_writer_put_u8(w, ':');
		values_put(w, fields, field->name);
		before = ',';
	}
	leat_writer_put_u8(w, '}');
}
