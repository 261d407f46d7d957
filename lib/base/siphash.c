/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "leat_siphash.h"

#define SIP_C_ROUNDS 1
#define SIP_D_ROUNDS 3

struct sip_state {
	uint64_t v0;
	uint64_t v1;
	uint64_t v2;
	uint64_t v3;
};

static inline uint64_t
rotl64(uint64_t x, unsigned int nb_bits)
{
	return (x << nb_bits) | (x >> (64 - nb_bits));
}

static inline void
sip_rounds(struct sip_state *s, int nb_rounds)
{
	for (int i = 0; i < nb_rounds; i++) {
		s->v0 += s->v1;
		s->v1 = rotl64(s->v1, 13) ^ s->v0;
		s->v0 = rotl64(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = rotl64(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = rotl64(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = rotl64(s->v1, 17) ^ s->v2;
		s->v2 = rotl64(s->v2, 32);
	}
}

static inline void
sip_word(struct sip_state *s, uint64_t m)
{
	s->v3 ^= m;
	sip_rounds(s, SIP_C_ROUNDS);
	s->v0 ^= m;
}

/* Up to 8 bytes, little-endian. */
static inline uint64_t
sip_load(const uint8_t *p, size_t len)
{
	uint64_t m = 0;

	if (len == sizeof(m)) {
		memcpy(&m, p, sizeof(m));
		return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? m : __builtin_bswap64(m);
	}
	for (size_t i = 0; i < len; i++)
		m |= (uint64_t)p[i] << (8 * i);
	return m;
}

static inline struct sip_state
sip_start(const struct leat_siphash_key *key)
{
	/* The constants spell "somepseudorandomlygeneratedbytes". */
	return (struct sip_state){
		.v0 = key->k0 ^ 0x736f6d6570736575u,
		.v1 = key->k1 ^ 0x646f72616e646f6du,
		.v2 = key->k0 ^ 0x6c7967656e657261u,
		.v3 = key->k1 ^ 0x7465646279746573u,
	};
}

/* @p tail are the bytes that fill no word. */
static inline uint64_t
sip_end(struct sip_state *s, size_t len, uint64_t tail)
{
	sip_word(s, (uint64_t)len << 56 | tail);
	s->v2 ^= 0xff;
	sip_rounds(s, SIP_D_ROUNDS);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

uint64_t
leat_siphash(const struct leat_siphash_key *key, const void *data, size_t len)
{
	struct sip_state s = sip_start(key);
	const uint8_t *p = data;
	size_t left = len;

	for (; left >= 8; left -= 8, p += 8)
		sip_word(&s, sip_load(p, 8));
	return sip_end(&s, len, sip_load(p, left));
}

uint64_t
leat_siphash_12(const struct leat_siphash_key *key, uint64_t head, uint32_t tail)
{
	struct sip_state s = sip_start(key);

	sip_word(&s, head);
	return sip_end(&s, sizeof(head) + sizeof(tail), tail);
}
