/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_SIPHASH_H
#define LEAT_SIPHASH_H

/**
 * @file
 * SipHash-1-3: a hash under a secret key, so that a peer who does not know the
 * key cannot make inputs that collide (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF"; one compression round, three finalization rounds).
 *
 * A seeded CRC or Jenkins hash does not give this: its collisions do not depend
 * on the seed, or can be found without knowing it.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 128 secret bits, drawn once at start and never told to a peer. */
struct leat_siphash_key {
	uint64_t k0;
	uint64_t k1;
};

/** @return 64 bits, all equally good. @p data may be NULL when @p len is 0. */
uint64_t leat_siphash(const struct leat_siphash_key *key, const void *data, size_t len);

/**
 * The same of 12 bytes, for whom each instruction counts.
 *
 * @param head
 *   The first 8 bytes, little-endian.
 * @param tail
 *   The other 4, likewise.
 */
uint64_t leat_siphash_12(const struct leat_siphash_key *key, uint64_t head, uint32_t tail);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_SIPHASH_H */
