/* SPDX-License-Identifier: BSD-3-Clause */

#include "leat_hex.h"

#define IS_DIGIT  0x10u
#define CHUNK_LEN 32u /* bytes whose digits are written at a time */

/* The value of a digit and IS_DIGIT; 0 for what is none. */
static const uint8_t digits[256] = {
	['0'] = 0x10,
	['1'] = 0x11,
	['2'] = 0x12,
	['3'] = 0x13,
	['4'] = 0x14,
	['5'] = 0x15,
	['6'] = 0x16,
	['7'] = 0x17,
	['8'] = 0x18,
	['9'] = 0x19,
	['A'] = 0x1a,
	['B'] = 0x1b,
	['C'] = 0x1c,
	['D'] = 0x1d,
	['E'] = 0x1e,
	['F'] = 0x1f,
	['a'] = 0x1a,
	['b'] = 0x1b,
	['c'] = 0x1c,
	['d'] = 0x1d,
	['e'] = 0x1e,
	['f'] = 0x1f,
};

int
leat_hex_parse(struct leat_slice text, uint8_t *bytes)
{
	uint8_t seen = IS_DIGIT;

	if (text.len % 2 != 0)
		return -EBADMSG;
	for (size_t i = 0; i < text.len; i += 2) {
		uint8_t high = digits[text.data[i]];
		uint8_t low = digits[text.data[i + 1]];

		seen &= high & low;
		bytes[i / 2] = (uint8_t)(high << 4 | (low & 0xf));
	}
	return seen == IS_DIGIT ? 0 : -EBADMSG;
}

void
leat_hex_put(struct leat_writer *w, struct leat_slice bytes)
{
	static const char values[] = "0123456789abcdef";
	uint8_t text[2 * CHUNK_LEN];

	for (size_t i = 0; i < bytes.len;) {
		size_t nb = LEAT_MIN(bytes.len - i, (size_t)CHUNK_LEN);

		for (size_t j = 0; j < nb; j++) {
			text[2 * j] = (uint8_t)values[bytes.data[i + j] >> 4];
			text[2 * j + 1] = (uint8_t)values[bytes.data[i + j] & 0xf];
		}
		leat_writer_put(w, text, 2 * nb);
		i += nb;
	}
}
