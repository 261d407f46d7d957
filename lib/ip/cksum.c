/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sums are kept in memory order, which RFC 1071 section 2 (B) allows: 8 bytes are
 * added at a time without a swap, and only the result is turned.
 */

#include <string.h>

#include "leat_cksum.h"

/* One's complement: what is carried out comes in again, RFC 1071 section 1. */
static inline uint64_t
sum_add(uint64_t sum, uint64_t word)
{
	sum += word;
	return sum + (sum < word);
}

static inline uint64_t
word64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The last 0 to 7 bytes, as if zero bytes followed. */
static inline uint64_t
tail_sum(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;
	uint32_t word32;
	uint16_t word16;
	uint8_t last[2] = { 0 };

	if ((len & 4) != 0) {
		memcpy(&word32, p, sizeof(word32));
		sum += word32;
		p += sizeof(word32);
	}
	if ((len & 2) != 0) {
		memcpy(&word16, p, sizeof(word16));
		sum += word16;
		p += sizeof(word16);
	}
	if ((len & 1) != 0) {
		last[0] = *p;
		memcpy(&word16, last, sizeof(word16));
		sum += word16;
	}
	return sum;
}

/* Four words a turn: a turn costs as much as the two of them. */
static uint64_t
piece_sum(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;

	for (; len >= 32; len -= 32, p += 32) {
		sum = sum_add(sum, word64(p));
		sum = sum_add(sum, word64(p + 8));
		sum = sum_add(sum, word64(p + 16));
		sum = sum_add(sum, word64(p + 24));
	}
	for (; len >= 8; len -= 8, p += 8)
		sum = sum_add(sum, word64(p));
	return sum_add(sum, tail_sum(p, len));
}

void
leat_cksum_add(struct leat_cksum *cksum, const void *data, size_t len)
{
	uint64_t sum = piece_sum(data, len);

	if (cksum->odd)
		cksum->sum += __builtin_bswap16(leat_cksum_fold_word(sum));
	else
		cksum->sum += (sum & UINT32_MAX) + (sum >> 32);
	cksum->odd ^= (len & 1) != 0;
}

void
leat_cksum_add_ipv6_pseudo(struct leat_cksum *cksum, struct leat_ip_addr src,
	struct leat_ip_addr dst, uint8_t proto, uint32_t len)
{
	LEAT_ASSERT(!cksum->odd);
	leat_cksum_add(cksum, src.bytes, sizeof(src.bytes));
	leat_cksum_add(cksum, dst.bytes, sizeof(dst.bytes));
	cksum->sum += (uint64_t)LEAT_BE32(proto) + LEAT_BE32(len);
}
