/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_LE_H
#define LEAT_LE_H

/**
 * @file
 * Little-endian numbers at any address: the wire's side of ZAP and SBE.
 */

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LEAT_LE16(x) (x)
#define LEAT_LE32(x) (x)
#define LEAT_LE64(x) (x)
#else
#define LEAT_LE16(x) __builtin_bswap16(x)
#define LEAT_LE32(x) __builtin_bswap32(x)
#define LEAT_LE64(x) __builtin_bswap64(x)
#endif

/** @param p  Two bytes of the wire. */
static inline uint16_t
leat_le16_get(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_LE16(value);
}

/** @param p  Four bytes of the wire. */
static inline uint32_t
leat_le32_get(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_LE32(value);
}

/** @param p  Eight bytes of the wire. */
static inline uint64_t
leat_le64_get(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return LEAT_LE64(value);
}

/** @param p  Room for two bytes. */
static inline void
leat_le16_put(uint8_t *p, uint16_t value)
{
	value = LEAT_LE16(value);
	memcpy(p, &value, sizeof(value));
}

/** @param p  Room for four bytes. */
static inline void
leat_le32_put(uint8_t *p, uint32_t value)
{
	value = LEAT_LE32(value);
	memcpy(p, &value, sizeof(value));
}

/** @param p  Room for eight bytes. */
static inline void
leat_le64_put(uint8_t *p, uint64_t value)
{
	value = LEAT_LE64(value);
	memcpy(p, &value, sizeof(value));
}

/** The bits of a number are a float's: IEEE 754. */
static inline float
leat_float_of_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/** As leat_float_of_bits(). */
static inline double
leat_double_of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/** The bits of a float, as leat_float_of_bits() takes them. */
static inline uint32_t
leat_float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/** As leat_float_bits(). */
static inline uint64_t
leat_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_LE_H */
