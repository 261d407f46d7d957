/* SPDX-License-Identifier: BSD-3-Clause */

#include <rte_ether.h>

#include <leat_common.h>

#include "relay_frame.h"
#include "relay_impair.h"

static bool
frame_insert_tag(struct rte_mbuf *frame, uint16_t vlan_tci)
{
	struct rte_mbuf *same = frame;

	frame->vlan_tci = vlan_tci;
	if (rte_vlan_insert(&same) < 0)
		return false;
	LEAT_VERIFY(same == frame);
	return true;
}

static bool
frame_is_stripped(const struct rte_mbuf *frame)
{
	return (frame->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
}

static bool
frame_strip_tag(struct rte_mbuf *frame)
{
	return frame->data_len >= sizeof(struct rte_ether_hdr) + sizeof(struct rte_vlan_hdr) &&
	       rte_vlan_strip(frame) == 0;
}

bool
relay_frame_take(struct rte_mbuf *frame, uint16_t vlan_id)
{
	if (frame->data_len < sizeof(struct rte_ether_hdr) || frame->data_len != frame->pkt_len)
		return false;
	if (vlan_id == 0)
		return !frame_is_stripped(frame) || frame_insert_tag(frame, frame->vlan_tci);
	if (!frame_is_stripped(frame) && !frame_strip_tag(frame))
		return false;
	frame->ol_flags &= ~(uint64_t)(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED);
	return (frame->vlan_tci & 0x0fff) == vlan_id;
}

bool
relay_frame_tag(struct rte_mbuf *frame, uint16_t vlan_id)
{
	return vlan_id == 0 || frame_insert_tag(frame, vlan_id);
}

bool
relay_frame_damage(struct rte_mbuf *frame, uint64_t drawn)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(frame, const struct rte_ether_hdr *);

	if (frame->data_len <= sizeof(*eth))
		return false;
	if (eth->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4) &&
		eth->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV6))
		return false;
	relay_flip_bit(rte_pktmbuf_mtod_offset(frame, uint8_t *, sizeof(*eth)),
		frame->data_len - sizeof(*eth), drawn);
	return true;
}
