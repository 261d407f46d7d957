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

#endif /* FUZZ_SUPPORT_H */
