/* SPDX-License-Identifier: BSD-3-Clause */

#include "leat_utf8.h"

size_t
leat_utf8_len(const uint8_t *p, size_t left)
{
	size_t len = *p < 0x80   ? 1
		     : *p < 0xc2 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf5 ? 4
				 : 0;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
		(*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0; /* too long for it, half of a pair, beyond U+10FFFF */
	return len;
}

size_t
leat_utf8_format(uint32_t c, uint8_t bytes[LEAT_UTF8_MAX])
{
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (len == 1) {
		bytes[0] = (uint8_t)c;
		return 1;
	}
	for (size_t i = len - 1; i > 0; i--) {
		bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	bytes[0] = (uint8_t)(0xf00u >> len | c); /* as many ones as bytes, and a zero */
	return len;
}
