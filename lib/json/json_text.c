/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Strings, character by character. Behind json_string_check() escapes are known to be whole and
 * right, and all other bytes to be UTF-8.
 */

#include <errno.h>

#include <leat_hex.h>
#include <leat_utf8.h>

#include "json_priv.h"

#define UNIT_LEN 6u /* of "\uXXXX" */

/* Characters that have an escape of one letter, and these letters. */
static const char escaped_bytes[] = "\"\\/\b\f\n\r\t";
static const char escape_letters[] = "\"\\/bfnrt";

/* Read "\uXXXX" at the front. Returns the unit, or -EBADMSG. */
static int
unit_read(const uint8_t *p, const uint8_t *end)
{
	int unit = 0;

	if (end - p < (ptrdiff_t)UNIT_LEN || p[0] != '\\' || p[1] != 'u')
		return -EBADMSG;
	for (unsigned int i = 2; i < UNIT_LEN; i++) {
		int value = leat_hex_value(p[i]);

		if (value < 0)
			return value;
		unit = unit << 4 | value;
	}
	return unit;
}

/* Read one or two units, which are one character. Returns their length, or 0. */
static size_t
units_read(const uint8_t *p, const uint8_t *end, uint32_t *c)
{
	int high = unit_read(p, end);
	int low;

	if (high < 0 || (high >= 0xdc00 && high <= 0xdfff))
		return 0;
	*c = (uint32_t)high;
	if (high < 0xd800 || high > 0xdfff)
		return UNIT_LEN;
	low = unit_read(p + UNIT_LEN, end);
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	*c = 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
	return 2u * UNIT_LEN;
}

/* Read the escape at the front. Returns its length, or 0: there is no such escape. */
static size_t
escape_read(const uint8_t *p, const uint8_t *end, uint32_t *c)
{
	const char *letter;

	if (end - p < 2)
		return 0;
	if (p[1] == 'u')
		return units_read(p, end, c);
	letter = memchr(escape_letters, p[1], sizeof(escape_letters) - 1);
	if (letter == NULL)
		return 0;
	*c = (uint8_t)escaped_bytes[letter - escape_letters];
	return 2;
}

int
json_string_check(struct leat_slice inside, bool *is_escaped)
{
	const uint8_t *p = inside.data;
	const uint8_t *end = p + inside.len;
	uint32_t c;
	size_t len;

	*is_escaped = false;
	while (p < end) {
		if (json_is_plain(*p)) {
			p++;
			continue;
		}
		if (*p == '\\') {
			*is_escaped = true;
			len = escape_read(p, end, &c);
		} else {
			len = *p < 0x20 ? 0 : leat_utf8_len(p, (size_t)(end - p));
		}
		if (len == 0)
			return -EBADMSG;
		p += len;
	}
	return 0;
}

/* The bytes that a string means, one after the other. */
struct string_walk {
	const uint8_t *p;
	const uint8_t *end;
	bool is_escaped;
	uint8_t bytes[LEAT_UTF8_MAX]; /* of the last escape */
	size_t nb_bytes;
	size_t nb_given; /* of them */
};

static struct string_walk
string_walk_begin(struct leat_slice inside, bool is_escaped)
{
	return (struct string_walk){
		.p = inside.data,
		.end = inside.data + inside.len,
		.is_escaped = is_escaped,
	};
}

/* Returns the next byte, or -ENODATA at the end. */
static int
string_walk_next(struct string_walk *walk)
{
	uint32_t c = 0;
	size_t len;

	if (walk->nb_given < walk->nb_bytes)
		return walk->bytes[walk->nb_given++];
	if (walk->p == walk->end)
		return -ENODATA;
	if (!walk->is_escaped || *walk->p != '\\')
		return *walk->p++;
	len = escape_read(walk->p, walk->end, &c);
	LEAT_VERIFY(len > 0);
	walk->p += len;
	walk->nb_bytes = leat_utf8_format(c, walk->bytes);
	walk->nb_given = 1;
	return walk->bytes[0];
}

bool
json_string_is_equal(struct leat_slice a, bool is_a_escaped, struct leat_slice b, bool is_b_escaped)
{
	struct string_walk walk_a;
	struct string_walk walk_b;
	int byte;

	if (!is_a_escaped && !is_b_escaped)
		return leat_slice_is_equal(a, b);
	walk_a = string_walk_begin(a, is_a_escaped);
	walk_b = string_walk_begin(b, is_b_escaped);
	do {
		byte = string_walk_next(&walk_a);
		if (byte != string_walk_next(&walk_b))
			return false;
	} while (byte >= 0);
	return true;
}

int
leat_json_get_string(const struct leat_json *json, const struct leat_json_token *value,
	uint8_t *room, size_t room_len, struct leat_slice *string)
{
	struct string_walk walk;
	size_t len = 0;
	int byte;

	if (value == NULL || value->kind != LEAT_JSON_STRING)
		return -EINVAL;
	if (!value->is_escaped) {
		*string = json_token_slice(json, value);
		return 0;
	}
	walk = string_walk_begin(json_token_slice(json, value), true);
	while ((byte = string_walk_next(&walk)) >= 0) {
		if (len == room_len)
			return -ENOBUFS;
		room[len++] = (uint8_t)byte;
	}
	*string = (struct leat_slice){ room, len };
	return 0;
}
