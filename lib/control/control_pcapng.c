/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Numbers are written in the machine's own order, which the section header tells. Write
 * errors stay with the stream: whoever closes it asks once.
 */

#include <string.h>

#include "control_pcapng.h"

#define BLOCK_SECTION      0x0a0d0d0au
#define BLOCK_INTERFACE    1u
#define BLOCK_PACKET       6u
#define BYTE_ORDER_MAGIC   0x1a2b3c4du
#define VERSION_MAJOR      1u
#define VERSION_MINOR      0u
#define LINKTYPE_ETHERNET  1u
#define OPT_END            0u
#define OPT_COMMENT        1u
#define OPT_SHB_USERAPPL   4u
#define OPT_IF_NAME        2u
#define OPT_IF_TSRESOL     9u
#define OPT_EPB_FLAGS      2u
#define TSRESOL_US         6u /* 10^-6 s */
#define EPB_FLAGS_INBOUND  1u
#define EPB_FLAGS_OUTBOUND 2u

/* One block, put together before its length is known. */
struct block {
	size_t len;
	uint8_t bytes[2048];
};

static_assert(sizeof(((struct block *)0)->bytes) >
		      2 * CONTROL_PCAPNG_TEXT_MAX + LEAT_RECORD_HDR_LEN + 128,
	"two texts, a packet and their frames fit");

static void
block_put(struct block *block, const void *data, size_t len)
{
	LEAT_VERIFY(len <= sizeof(block->bytes) - block->len);
	memcpy(block->bytes + block->len, data, len);
	block->len += len;
}

static void
block_put_u16(struct block *block, uint16_t value)
{
	block_put(block, &value, sizeof(value));
}

static void
block_put_u32(struct block *block, uint32_t value)
{
	block_put(block, &value, sizeof(value));
}

/* Up to the next multiple of four. */
static void
block_pad(struct block *block)
{
	static const uint8_t zeros[4];

	block_put(block, zeros, -block->len & 3u);
}

static void
block_put_option(struct block *block, uint16_t code, const void *data, size_t len)
{
	block_put_u16(block, code);
	block_put_u16(block, (uint16_t)len);
	block_put(block, data, len);
	block_pad(block);
}

static void
block_put_text(struct block *block, uint16_t code, const char *text)
{
	block_put_option(block, code, text, strnlen(text, CONTROL_PCAPNG_TEXT_MAX));
}

static void
block_write(FILE *out, struct block *block, uint32_t type)
{
	uint32_t total_len;

	block_put_option(block, OPT_END, "", 0);
	total_len = (uint32_t)(block->len + 3 * sizeof(uint32_t)); /* type and length twice */
	(void)fwrite(&type, sizeof(type), 1, out);                 /* see above */
	(void)fwrite(&total_len, sizeof(total_len), 1, out);
	(void)fwrite(block->bytes, block->len, 1, out);
	(void)fwrite(&total_len, sizeof(total_len), 1, out);
}

void
control_pcapng_section(FILE *out, const char *program, const char *comment)
{
	const uint64_t unknown_len = UINT64_MAX;
	struct block block = { 0 };

	block_put_u32(&block, BYTE_ORDER_MAGIC);
	block_put_u16(&block, VERSION_MAJOR);
	block_put_u16(&block, VERSION_MINOR);
	block_put(&block, &unknown_len, sizeof(unknown_len));
	block_put_text(&block, OPT_COMMENT, comment);
	block_put_text(&block, OPT_SHB_USERAPPL, program);
	block_write(out, &block, BLOCK_SECTION);
}

void
control_pcapng_interface(FILE *out, const char *name)
{
	const uint8_t tsresol = TSRESOL_US;
	struct block block = { 0 };

	block_put_u16(&block, LINKTYPE_ETHERNET);
	block_put_u16(&block, 0); /* reserved */
	block_put_u32(&block, LEAT_RECORD_HDR_LEN);
	block_put_text(&block, OPT_IF_NAME, name);
	block_put_option(&block, OPT_IF_TSRESOL, &tsresol, sizeof(tsresol));
	block_write(out, &block, BLOCK_INTERFACE);
}

void
control_pcapng_packet(FILE *out, uint32_t interface_id, const struct leat_record_seg *seg,
	uint64_t offset_us, const char *comment)
{
	uint64_t at_us = seg->at_us + offset_us;
	uint32_t flags = seg->lens.is_out ? EPB_FLAGS_OUTBOUND : EPB_FLAGS_INBOUND;
	struct block block = { 0 };

	block_put_u32(&block, interface_id);
	block_put_u32(&block, (uint32_t)(at_us >> 32));
	block_put_u32(&block, (uint32_t)at_us);
	block_put_u32(&block, seg->lens.hdr);
	block_put_u32(&block, seg->lens.frame);
	block_put(&block, seg->hdr, seg->lens.hdr);
	block_pad(&block);
	block_put_text(&block, OPT_COMMENT, comment);
	block_put_option(&block, OPT_EPB_FLAGS, &flags, sizeof(flags));
	block_write(out, &block, BLOCK_PACKET);
}
