/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_be.h>
#include <leat_common.h>

#include "leat_eth.h"

#define ETH_DST_OFF     0
#define ETH_SRC_OFF     6
#define ETH_TYPE_OFF    12
#define ETH_TCI_OFF     14
#define ETH_TAGGED_TYPE 16
#define ETH_VLAN_MASK   0x0fffu

ssize_t
leat_eth_parse(struct leat_slice in, struct leat_eth_hdr *hdr)
{
	if (in.len < LEAT_ETH_HDR_LEN)
		return -EBADMSG;
	memcpy(hdr->dst, in.data + ETH_DST_OFF, LEAT_ETH_ADDR_LEN);
	memcpy(hdr->src, in.data + ETH_SRC_OFF, LEAT_ETH_ADDR_LEN);
	hdr->type = leat_be16_get(in.data + ETH_TYPE_OFF);
	hdr->vlan_id = 0;
	if (hdr->type != LEAT_ETH_TYPE_VLAN)
		return LEAT_ETH_HDR_LEN;

	if (in.len < LEAT_ETH_HDR_LEN_MAX)
		return -EBADMSG;
	hdr->vlan_id = leat_be16_get(in.data + ETH_TCI_OFF) & ETH_VLAN_MASK;
	hdr->type = leat_be16_get(in.data + ETH_TAGGED_TYPE);
	return LEAT_ETH_HDR_LEN_MAX;
}

size_t
leat_eth_emit(const struct leat_eth_hdr *hdr, uint8_t *out)
{
	LEAT_ASSERT(hdr->vlan_id <= LEAT_ETH_VLAN_ID_MAX);

	memcpy(out + ETH_DST_OFF, hdr->dst, LEAT_ETH_ADDR_LEN);
	memcpy(out + ETH_SRC_OFF, hdr->src, LEAT_ETH_ADDR_LEN);
	if (hdr->vlan_id == 0) {
		leat_be16_put(out + ETH_TYPE_OFF, hdr->type);
		return LEAT_ETH_HDR_LEN;
	}
	leat_be16_put(out + ETH_TYPE_OFF, LEAT_ETH_TYPE_VLAN);
	leat_be16_put(out + ETH_TCI_OFF, hdr->vlan_id);
	leat_be16_put(out + ETH_TAGGED_TYPE, hdr->type);
	return LEAT_ETH_HDR_LEN_MAX;
}

bool
leat_eth_addr_is_broadcast(const uint8_t *addr)
{
	static const uint8_t ones[LEAT_ETH_ADDR_LEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	return leat_eth_addr_is_equal(addr, ones);
}

bool
leat_eth_addr_is_unicast(const uint8_t *addr)
{
	static const uint8_t zero[LEAT_ETH_ADDR_LEN];

	return !leat_eth_addr_is_multicast(addr) && !leat_eth_addr_is_equal(addr, zero);
}
