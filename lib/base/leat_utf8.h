/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_UTF8_H
#define LEAT_UTF8_H

/**
 * @file
 * Characters as UTF-8 (RFC 3629), one at a time.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_UTF8_MAX         4u      /**< bytes of one character */
#define LEAT_UTF8_REPLACEMENT 0xfffdu /**< U+FFFD, for what is no character */

/**
 * Measure the character at the front (RFC 3629 section 4).
 *
 * @param p
 *   At least one byte.
 * @param left
 *   Bytes from @p p on, 1 or more.
 * @return
 *   Its bytes, 1 to LEAT_UTF8_MAX; 0: what is there is no character, or not whole. Refused are
 *   longer forms than it takes, halves of a surrogate pair and what is above U+10FFFF.
 */
size_t leat_utf8_len(const uint8_t *p, size_t left);

/**
 * Write a character.
 *
 * @param c
 *   A code point up to U+10FFFF, no half of a surrogate pair.
 * @return
 *   Bytes written, 1 to LEAT_UTF8_MAX.
 */
size_t leat_utf8_format(uint32_t c, uint8_t bytes[LEAT_UTF8_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_UTF8_H */
