/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <leat_be.h>
#include <leat_common.h>

#include "leat_cksum.h"
#include "leat_ipv4.h"

#define IPV4_VERSION         4u
#define IPV4_VER_IHL_OFF     0
#define IPV4_TOS_OFF         1
#define IPV4_TOTAL_LEN_OFF   2
#define IPV4_ID_OFF          4
#define IPV4_FRAG_OFF        6
#define IPV4_TTL_OFF         8
#define IPV4_PROTO_OFF       9
#define IPV4_CKSUM_OFF       10
#define IPV4_SRC_OFF         12
#define IPV4_DST_OFF         16

#define IPV4_FLAG_DF         0x4000u
#define IPV4_FLAG_MF         0x2000u
#define IPV4_FRAG_MASK       0x1fffu
#define IPV4_FRAG_UNIT_SHIFT 3 /* offsets count 8 bytes */
#define IPV4_IHL_UNIT_SHIFT  2 /* header lengths count 4 bytes */
#define IPV4_CLASS_E         0xfu
#define IPV4_NET_THIS        0u /* "this network" */

ssize_t
leat_ipv4_parse(struct leat_slice in, size_t packet_len, struct leat_ipv4_hdr *hdr)
{
	uint16_t frag;

	LEAT_ASSERT(packet_len >= in.len);

	if (in.len < LEAT_IPV4_HDR_LEN)
		return -EBADMSG;
	if (in.data[IPV4_VER_IHL_OFF] >> 4 != IPV4_VERSION)
		return -EPROTONOSUPPORT;
	hdr->hdr_len = (uint8_t)((in.data[IPV4_VER_IHL_OFF] & 0xf) << IPV4_IHL_UNIT_SHIFT);
	hdr->total_len = leat_be16_get(in.data + IPV4_TOTAL_LEN_OFF);
	if (hdr->hdr_len < LEAT_IPV4_HDR_LEN || hdr->hdr_len > in.len ||
		hdr->total_len < hdr->hdr_len || hdr->total_len > packet_len)
		return -EBADMSG;

	frag = leat_be16_get(in.data + IPV4_FRAG_OFF);
	hdr->tos = in.data[IPV4_TOS_OFF];
	hdr->id = leat_be16_get(in.data + IPV4_ID_OFF);
	hdr->dont_fragment = (frag & IPV4_FLAG_DF) != 0;
	hdr->more_fragments = (frag & IPV4_FLAG_MF) != 0;
	hdr->frag_off = (uint16_t)((frag & IPV4_FRAG_MASK) << IPV4_FRAG_UNIT_SHIFT);
	hdr->ttl = in.data[IPV4_TTL_OFF];
	hdr->proto = in.data[IPV4_PROTO_OFF];
	hdr->src = leat_be32_get(in.data + IPV4_SRC_OFF);
	hdr->dst = leat_be32_get(in.data + IPV4_DST_OFF);
	return hdr->hdr_len;
}

bool
leat_ipv4_cksum_is_good(const uint8_t *data, size_t hdr_len)
{
	struct leat_cksum cksum = { 0 };

	leat_cksum_add(&cksum, data, hdr_len);
	return leat_cksum_is_good(&cksum);
}

size_t
leat_ipv4_emit(const struct leat_ipv4_hdr *hdr, uint8_t *out)
{
	LEAT_ASSERT(hdr->total_len >= LEAT_IPV4_HDR_LEN);
	LEAT_ASSERT(!leat_ipv4_is_fragment(hdr));

	out[IPV4_VER_IHL_OFF] = IPV4_VERSION << 4 | LEAT_IPV4_HDR_LEN >> IPV4_IHL_UNIT_SHIFT;
	out[IPV4_TOS_OFF] = hdr->tos;
	leat_be16_put(out + IPV4_TOTAL_LEN_OFF, hdr->total_len);
	leat_be16_put(out + IPV4_ID_OFF, hdr->id);
	leat_be16_put(out + IPV4_FRAG_OFF, hdr->dont_fragment ? IPV4_FLAG_DF : 0);
	out[IPV4_TTL_OFF] = hdr->ttl;
	out[IPV4_PROTO_OFF] = hdr->proto;
	leat_be16_put(out + IPV4_CKSUM_OFF, 0);
	leat_be32_put(out + IPV4_SRC_OFF, hdr->src);
	leat_be32_put(out + IPV4_DST_OFF, hdr->dst);
	return LEAT_IPV4_HDR_LEN;
}

void
leat_ipv4_emit_cksum(uint8_t *out)
{
	struct leat_cksum cksum = { 0 };

	leat_cksum_add(&cksum, out, LEAT_IPV4_HDR_LEN);
	leat_be16_put(out + IPV4_CKSUM_OFF, leat_cksum_value(&cksum));
}

bool
leat_ipv4_addr_is_host(uint32_t addr)
{
	return addr >> 24 != IPV4_NET_THIS && !leat_ipv4_addr_is_loopback(addr) &&
	       !leat_ipv4_addr_is_multicast(addr) && addr >> 28 != IPV4_CLASS_E;
}
