/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "leat_record.h"

#define ETH_TYPE_OFF     12u
#define ETH_TYPE_VLAN    0x8100u
#define ETH_TYPE_IPV4    0x0800u
#define ETH_TYPE_IPV6    0x86ddu
#define ETH_VLAN_LEN     4u
#define IPV4_HDR_LEN_MIN 20u
#define IPV4_SRC_OFF     12u
#define IPV4_DST_OFF     16u
#define IPV6_HDR_LEN     40u
#define IPV6_NEXT_OFF    6u
#define IP_PROTO_TCP     6u
#define IPV6_SRC_OFF     8u
#define IPV6_DST_OFF     24u
#define TCP_PORTS_LEN    4u

const char *
leat_record_class_name(enum leat_record_class class_of)
{
	static const char *const names[LEAT_RECORD_CLASSES] = {
		[LEAT_RECORD_NEW] = "new",
		[LEAT_RECORD_ESTABLISHED] = "established",
		[LEAT_RECORD_TROUBLED] = "troubled",
		[LEAT_RECORD_CLOSING] = "closing",
		[LEAT_RECORD_STRAY] = "stray",
	};

	LEAT_VERIFY(class_of < LEAT_RECORD_CLASSES);
	return names[class_of];
}

static uint32_t
nb_segs_round(uint32_t nb_segs)
{
	uint32_t nb = 1;

	if (nb_segs == 0)
		return 0;
	while (nb < nb_segs)
		nb <<= 1;
	return nb;
}

size_t
leat_record_mem_len(uint32_t nb_segs)
{
	return (size_t)nb_segs_round(nb_segs) * LEAT_RECORD_CLASSES *
	       sizeof(struct leat_record_seg);
}

void
leat_record_init(struct leat_record *record, void *mem, uint32_t nb_segs)
{
	LEAT_VERIFY(nb_segs <= LEAT_RECORD_SEGS_MAX);
	LEAT_VERIFY(nb_segs == 0 || mem != NULL);

	memset(record, 0, sizeof(*record));
	record->nb_segs = nb_segs_round(nb_segs);
	record->segs = mem;
}

uint32_t
leat_record_nb(const struct leat_record *record, enum leat_record_class class_of)
{
	return (uint32_t)LEAT_MIN(record->nb_added[class_of], (uint64_t)record->nb_segs);
}

const struct leat_record_seg *
leat_record_at(const struct leat_record *record, enum leat_record_class class_of, uint32_t idx)
{
	uint32_t nb = leat_record_nb(record, class_of);
	uint32_t oldest = (uint32_t)(record->nb_added[class_of] - nb);

	LEAT_VERIFY(idx < nb);
	return &record->segs[class_of * record->nb_segs + ((oldest + idx) & (record->nb_segs - 1))];
}

int
leat_record_copy(const struct leat_record *from, struct leat_record *to)
{
	if (to->nb_segs < from->nb_segs)
		return -ENOSPC;
	to->nb_segs = from->nb_segs; /* its memory may be larger; what is behind is not used */
	to->seq = from->seq;
	for (uint32_t c = 0; c < LEAT_RECORD_CLASSES; c++) {
		size_t off = (size_t)c * from->nb_segs;

		to->nb_added[c] = from->nb_added[c];
		memcpy(to->segs + off, from->segs + off,
			leat_record_nb(from, (enum leat_record_class)c) * sizeof(to->segs[0]));
	}
	return 0;
}

/* Where the ports are, and the addresses in the order of the packet; 0: not to be read. */
static uint32_t
ip_parse(const uint8_t *ip, uint32_t len, uint32_t type, struct leat_ip_addr *src,
	struct leat_ip_addr *dst)
{
	uint32_t hdr_len;

	if (type == ETH_TYPE_IPV4 && len >= IPV4_HDR_LEN_MIN) {
		hdr_len = (ip[0] & 0x0fu) * 4u;
		*src = leat_ip_addr_from_ipv4(leat_be32_get(ip + IPV4_SRC_OFF));
		*dst = leat_ip_addr_from_ipv4(leat_be32_get(ip + IPV4_DST_OFF));
		return hdr_len >= IPV4_HDR_LEN_MIN ? hdr_len : 0;
	}
	if (type == ETH_TYPE_IPV6 && len >= IPV6_HDR_LEN && ip[IPV6_NEXT_OFF] == IP_PROTO_TCP) {
		memcpy(src->bytes, ip + IPV6_SRC_OFF, sizeof(src->bytes));
		memcpy(dst->bytes, ip + IPV6_DST_OFF, sizeof(dst->bytes));
		return IPV6_HDR_LEN;
	}
	return 0;
}

bool
leat_record_seg_ends(const struct leat_record_seg *seg, struct leat_record_ends *ends)
{
	struct leat_ip_addr src, dst;
	uint32_t off = ETH_TYPE_OFF;
	uint32_t type, ip_len;

	if (seg->lens.hdr < ETH_TYPE_OFF + ETH_VLAN_LEN + sizeof(uint16_t))
		return false;
	type = leat_be16_get(seg->hdr + off);
	if (type == ETH_TYPE_VLAN) {
		off += ETH_VLAN_LEN;
		type = leat_be16_get(seg->hdr + off);
	}
	off += sizeof(uint16_t);
	ip_len = ip_parse(seg->hdr + off, seg->lens.hdr - off, type, &src, &dst);
	off += ip_len;
	if (ip_len == 0 || off + TCP_PORTS_LEN > seg->lens.hdr)
		return false;
	ends->laddr = seg->lens.is_out ? src : dst;
	ends->raddr = seg->lens.is_out ? dst : src;
	ends->lport = leat_be16_get(seg->hdr + off + (seg->lens.is_out ? 0 : 2));
	ends->rport = leat_be16_get(seg->hdr + off + (seg->lens.is_out ? 2 : 0));
	return true;
}
