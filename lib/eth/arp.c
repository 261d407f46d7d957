/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_be.h>

#include "leat_arp.h"

#define ARP_HTYPE_ETHERNET 1u
#define ARP_PLEN_IPV4      4u

#define ARP_HTYPE_OFF      0
#define ARP_PTYPE_OFF      2
#define ARP_HLEN_OFF       4
#define ARP_PLEN_OFF       5
#define ARP_OP_OFF         6
#define ARP_SHA_OFF        8
#define ARP_SPA_OFF        14
#define ARP_THA_OFF        18
#define ARP_TPA_OFF        24

ssize_t
leat_arp_parse(struct leat_slice in, struct leat_arp *arp)
{
	if (in.len < LEAT_ARP_LEN)
		return -EBADMSG;
	if (leat_be16_get(in.data + ARP_HTYPE_OFF) != ARP_HTYPE_ETHERNET ||
		leat_be16_get(in.data + ARP_PTYPE_OFF) != LEAT_ETH_TYPE_IPV4 ||
		in.data[ARP_HLEN_OFF] != LEAT_ETH_ADDR_LEN ||
		in.data[ARP_PLEN_OFF] != ARP_PLEN_IPV4)
		return -EPROTONOSUPPORT;

	arp->op = leat_be16_get(in.data + ARP_OP_OFF);
	memcpy(arp->sha, in.data + ARP_SHA_OFF, LEAT_ETH_ADDR_LEN);
	arp->spa = leat_be32_get(in.data + ARP_SPA_OFF);
	memcpy(arp->tha, in.data + ARP_THA_OFF, LEAT_ETH_ADDR_LEN);
	arp->tpa = leat_be32_get(in.data + ARP_TPA_OFF);
	return LEAT_ARP_LEN;
}

size_t
leat_arp_emit(const struct leat_arp *arp, uint8_t *out)
{
	leat_be16_put(out + ARP_HTYPE_OFF, ARP_HTYPE_ETHERNET);
	leat_be16_put(out + ARP_PTYPE_OFF, LEAT_ETH_TYPE_IPV4);
	out[ARP_HLEN_OFF] = LEAT_ETH_ADDR_LEN;
	out[ARP_PLEN_OFF] = ARP_PLEN_IPV4;
	leat_be16_put(out + ARP_OP_OFF, arp->op);
	memcpy(out + ARP_SHA_OFF, arp->sha, LEAT_ETH_ADDR_LEN);
	leat_be32_put(out + ARP_SPA_OFF, arp->spa);
	memcpy(out + ARP_THA_OFF, arp->tha, LEAT_ETH_ADDR_LEN);
	leat_be32_put(out + ARP_TPA_OFF, arp->tpa);
	return LEAT_ARP_LEN;
}
