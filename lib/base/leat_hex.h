/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_HEX_H
#define LEAT_HEX_H

/**
 * @file
 * Bytes as hexadecimal digits, and back.
 */

#include <errno.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @return the value of a digit of either case, or -EBADMSG: it is none. */
static inline int
leat_hex_value(uint8_t digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -EBADMSG;
}

/**
 * Read two digits for each byte, of either case.
 *
 * @param text
 *   The digits, nothing else.
 * @param bytes
 *   Room for text.len / 2 bytes; undefined where the text is refused. It may begin where the text
 *   does, or before it.
 * @return
 *   - 0: read.
 *   - -EBADMSG: an odd number of digits, or what is none.
 */
int leat_hex_parse(struct leat_slice text, uint8_t *bytes);

/** Write two digits of lower case for each byte. */
void leat_hex_put(struct leat_writer *w, struct leat_slice bytes);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_HEX_H */
