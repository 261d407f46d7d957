/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_BE_H
#define LEAT_BE_H

/**
 * @file
 * Big-endian numbers at any address: the wire's side of a codec.
 */

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LEAT_BE16(x) __builtin_bswap16(x)
#define LEAT_BE32(x) __builtin_bswap32(x)
#define LEAT_BE64(x) __builtin_bswap64(x)
#else
#define LEAT_BE16(x) (x)
#define LEAT_BE32(x) (x)
#define LEAT_BE64(x) (x)
#endif

/*
 * Whole words: of numbers put byte by byte the compiler joins neighbours into one word, and
 * then turns each of its bytes by hand.
 */

/** @param p  Two bytes of the wire. */
static inline uint16_t
leat_be16_get(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_BE16(value);
}

/** @param p  Four bytes of the wire. */
static inline uint32_t
leat_be32_get(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_BE32(value);
}

/** @param p  Eight bytes of the wire. */
static inline uint64_t
leat_be64_get(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_BE64(value);
}

/** @param p  Room for two bytes. */
static inline void
leat_be16_put(uint8_t *p, uint16_t value)
{
	value = LEAT_BE16(value);
	memcpy(p, &value, sizeof(value));
}

/** @param p  Room for four bytes. */
static inline void
leat_be32_put(uint8_t *p, uint32_t value)
{
	value = LEAT_BE32(value);
	memcpy(p, &value, sizeof(value));
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_BE_H */
