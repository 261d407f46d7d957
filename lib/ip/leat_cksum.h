/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_CKSUM_H
#define LEAT_CKSUM_H

/**
 * @file
 * The Internet checksum, RFC 1071, over bytes that lie in pieces of any length.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat_common.h>

#include "leat_ip.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sum under way; all zero is the empty sum. */
struct leat_cksum {
	uint64_t sum; /**< one's complement sum so far, in memory order, not folded */
	bool odd;     /**< an odd number of bytes has been added */
};

/** The one's complement sum of the four 16-bit words of @p sum, in their byte order. */
static inline uint16_t
leat_cksum_fold_word(uint64_t sum)
{
	uint32_t half;

	/* Turned by half, what one half carries out comes into the other, RFC 1071 section 1. */
	half = (uint32_t)((sum + (sum << 32 | sum >> 32)) >> 32);
	return (uint16_t)((half + (half << 16 | half >> 16)) >> 16);
}

/**
 * Add the next piece. A piece that starts at an odd offset of the whole is summed
 * on its own and its two bytes are swapped, RFC 1071 section 2 (B).
 *
 * @param data
 *   At any alignment; may be NULL when @p len is 0.
 * @param len
 *   Bytes, less than 1 GiB; at most 65,535 pieces go into one sum.
 */
void leat_cksum_add(struct leat_cksum *cksum, const void *data, size_t len);

/**
 * Add the pseudo header of IPv4, RFC 9293 section 3.1. Only at an even offset.
 *
 * @param src, dst
 *   Addresses in host order.
 * @param len
 *   Bytes of the transport header and its text.
 */
static inline void
leat_cksum_add_ipv4_pseudo(
	struct leat_cksum *cksum, uint32_t src, uint32_t dst, uint8_t proto, uint16_t len)
{
	LEAT_ASSERT(!cksum->odd);
	/* As words of four bytes, which count as two of two. */
	cksum->sum += (uint64_t)LEAT_BE32(src) + LEAT_BE32(dst) + LEAT_BE32((uint32_t)proto + len);
}

/**
 * Add the pseudo header of IPv6, RFC 8200 section 8.1. Only at an even offset.
 *
 * @param len
 *   Bytes of the transport header and its text.
 */
void leat_cksum_add_ipv6_pseudo(struct leat_cksum *cksum, struct leat_ip_addr src,
	struct leat_ip_addr dst, uint8_t proto, uint32_t len);

/** The one's complement sum, not inverted, in host order: 0xffff over what carries its checksum. */
static inline uint16_t
leat_cksum_fold(const struct leat_cksum *cksum)
{
	return LEAT_BE16(leat_cksum_fold_word(cksum->sum));
}

/** The checksum to be sent, in host order. */
static inline uint16_t
leat_cksum_value(const struct leat_cksum *cksum)
{
	return (uint16_t)~leat_cksum_fold(cksum);
}

/** Whether bytes that contain their checksum were received as they were sent. */
static inline bool
leat_cksum_is_good(const struct leat_cksum *cksum)
{
	return leat_cksum_fold(cksum) == UINT16_MAX;
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_CKSUM_H */
