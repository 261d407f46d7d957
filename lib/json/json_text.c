/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Strings. What an escape means is known once and for all when a string has been read: comparing
 * is comparing bytes then, whatever a peer wrote, and costs what bytes cost.
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

/* Write bytes into the room, which is as long as the text that they come from. */
static void
room_put(uint8_t **room, const uint8_t *from, const uint8_t *to)
{
	if (to > from)
		memcpy(*room, from, (size_t)(to - from));
	*room += to - from;
}

int
json_string_read(struct leat_reader *in, uint8_t **room, struct leat_slice *string)
{
	const uint8_t *begin = in->pos;
	const uint8_t *run = begin; /* what stands as it is meant */
	uint8_t *decoded = *room;
	uint32_t c = 0;
	size_t len;

	for (;;) {
		in->pos = json_skip_plain(in->pos, in->end);
		if (in->pos == in->end)
			return -EBADMSG;
		if (*in->pos == '"')
			break;
		if (*in->pos == '\\') {
			len = escape_read(in->pos, in->end, &c);
			if (len == 0)
				return -EBADMSG;
			room_put(room, run, in->pos);
			*room += leat_utf8_format(c, *room);
			run = in->pos + len;
		} else {
			len = *in->pos < 0x20 ? 0 : leat_utf8_len(in->pos, leat_reader_left(in));
			if (len == 0)
				return -EBADMSG;
		}
		in->pos += len;
	}
	*string = (struct leat_slice){ begin, (size_t)(in->pos - begin) };
	if (run != begin) { /* there was an escape */
		room_put(room, run, in->pos);
		*string = (struct leat_slice){ decoded, (size_t)(*room - decoded) };
	}
	in->pos++;
	return 0;
}

int
leat_json_get_string(const struct leat_json_token *value, struct leat_slice *string)
{
	if (value == NULL || value->kind != LEAT_JSON_STRING)
		return -EINVAL;
	*string = json_token_slice(value);
	return 0;
}
