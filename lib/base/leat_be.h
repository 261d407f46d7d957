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

/** @param p  Two bytes of the wire. */
static inline uint16_t
leat_be16_get(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/** @param p  Four bytes of the wire. */
static inline uint32_t
leat_be32_get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/** @param p  Eight bytes of the wire. */
static inline uint64_t
leat_be64_get(const uint8_t *p)
{
	return (uint64_t)leat_be32_get(p) << 32 | leat_be32_get(p + 4);
}

/** @param p  Room for two bytes. */
static inline void
leat_be16_put(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/** @param p  Room for four bytes. */
static inline void
leat_be32_put(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 24);
	p[1] = (uint8_t)(value >> 16);
	p[2] = (uint8_t)(value >> 8);
	p[3] = (uint8_t)value;
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_BE_H */
