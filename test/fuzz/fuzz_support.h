/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

/*
 * What the fuzz targets share: an EAL, and input that is read as a program. Where the
 * input ends, all that is read further is zero.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <leat_bytes.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Without hugepages, devices and files that outlive it. 0, or -1. */
int fuzz_eal_init(void);
/* That, and a pool of so many mbufs; NULL: it cannot be. */
struct rte_mempool *fuzz_pool_init(unsigned int nb_mbufs);

struct fuzz_in {
	const uint8_t *data;
	size_t len;
};

static inline bool
fuzz_more(const struct fuzz_in *in)
{
	return in->len > 0;
}

static inline uint8_t
fuzz_u8(struct fuzz_in *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->data++;
}

static inline uint16_t
fuzz_u16(struct fuzz_in *in)
{
	uint16_t high = fuzz_u8(in);

	return (uint16_t)(high << 8 | fuzz_u8(in));
}

static inline uint32_t
fuzz_u32(struct fuzz_in *in)
{
	uint32_t high = fuzz_u16(in);

	return high << 16 | fuzz_u16(in);
}

/*
 * A number near one that matters: a byte says how far off it is, unless it is 0x80, and
 * then four more are the number itself.
 */
static inline uint32_t
fuzz_near(struct fuzz_in *in, uint32_t value)
{
	uint8_t off = fuzz_u8(in);

	return off == 0x80 ? fuzz_u32(in) : value + (uint32_t)(int8_t)off;
}

/* A stream whose bytes come in pieces: len of them so far, none at first. */
struct fuzz_pieces {
	struct leat_slice in;
	uint32_t nb_max; /* pieces, nearly */
	uint8_t seed;    /* the larger, the more they differ; 0: all have one length */
	uint32_t random; /* the seed at first */
	size_t len;
};

/* What has come, in memory of exactly its size: a read too far is seen. The caller frees it. */
static inline uint8_t *
fuzz_pieces_copy(const struct fuzz_pieces *pieces)
{
	uint8_t *copy = malloc(pieces->len > 0 ? pieces->len : 1);

	LEAT_VERIFY(copy != NULL);
	if (pieces->len > 0)
		memcpy(copy, pieces->in.data, pieces->len);
	return copy;
}

/* One piece more. False: all had come. */
static inline bool
fuzz_pieces_next(struct fuzz_pieces *pieces)
{
	size_t left = pieces->in.len - pieces->len;

	if (left == 0)
		return false;
	pieces->random = pieces->random * 1103515245 + 12345;
	/* Each piece copies all before it, so a long stream gets longer ones. */
	pieces->len += LEAT_MIN(left,
		1 + pieces->in.len / pieces->nb_max + ((pieces->random >> 16) & pieces->seed));
	return true;
}

#endif /* FUZZ_SUPPORT_H */
