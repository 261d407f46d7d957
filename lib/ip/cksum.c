/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sums are kept in memory order, which RFC 1071 section 2 (B) allows: 8 bytes are
 * added at a time without a swap, and only the result is turned.
 */

#include <string.h>

#include "leat_cksum.h"

static uint16_t
sum_fold(uint64_t sum)
{
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT32_MAX) + (sum >> 32);
	sum = (sum & UINT16_MAX) + (sum >> 16);
	sum = (sum & UINT16_MAX) + (sum >> 16);
	return (uint16_t)sum;
}

/* Turn between memory and host order; its own inverse. */
static uint16_t
sum_turn(uint16_t sum)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap16(sum) : sum;
}

/* The two halves of a word have sums of their own, so that no carry is lost. */
static uint64_t
piece_sum(const uint8_t *p, size_t len)
{
	uint64_t low = 0;
	uint64_t high = 0;
	uint64_t word;
	uint8_t last[8] = { 0 };

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		low += word & UINT32_MAX;
		high += word >> 32;
	}
	if (len > 0) {
		memcpy(last, p, len);
		memcpy(&word, last, sizeof(word));
		low += word & UINT32_MAX;
		high += word >> 32;
	}
	return low + high;
}

void
leat_cksum_add(struct leat_cksum *cksum, const void *data, size_t len)
{
	uint16_t sum = sum_fold(piece_sum(data, len));

	cksum->sum += cksum->odd ? __builtin_bswap16(sum) : sum;
	cksum->odd ^= (len & 1) != 0;
}

void
leat_cksum_add_ipv4_pseudo(
	struct leat_cksum *cksum, uint32_t src, uint32_t dst, uint8_t proto, uint16_t len)
{
	uint64_t sum = (uint64_t)src + dst + proto + len;

	LEAT_ASSERT(!cksum->odd);
	cksum->sum += sum_turn(sum_fold(sum));
}

void
leat_cksum_add_ipv6_pseudo(struct leat_cksum *cksum, struct leat_ip_addr src,
	struct leat_ip_addr dst, uint8_t proto, uint32_t len)
{
	uint64_t sum = (uint64_t)proto + len;

	LEAT_ASSERT(!cksum->odd);
	leat_cksum_add(cksum, src.bytes, sizeof(src.bytes));
	leat_cksum_add(cksum, dst.bytes, sizeof(dst.bytes));
	cksum->sum += sum_turn(sum_fold(sum));
}

uint16_t
leat_cksum_fold(const struct leat_cksum *cksum)
{
	return sum_turn(sum_fold(cksum->sum));
}
