/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frames arrive, in lockstep: all of the burst are parsed, then all flows are looked
 * up at once, then the segments are processed in the order of their arrival.
 */

#include "inet_priv.h"

/* The VLAN of a frame whose tag was taken off by the port, or is still on it. */
static uint16_t
frame_vlan_id(const struct rte_mbuf *mbuf, const struct leat_eth_hdr *eth)
{
	if ((mbuf->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0)
		return mbuf->vlan_tci & 0x0fff;
	return eth->vlan_id;
}

static bool
group_is_joined(const struct leat_inet *inet, const uint8_t *mac)
{
	for (uint8_t i = 0; i < inet->nb_groups; i++) {
		if (leat_eth_addr_is_equal(inet->groups[i], mac))
			return true;
	}
	return false;
}

/* For us, a broadcast that may be ARP, or to a group that IPv6 has to hear. */
static bool
eth_check(struct leat_inet *inet, const struct rte_mbuf *mbuf, const struct leat_eth_hdr *eth)
{
	if (!leat_eth_addr_is_unicast(eth->src)) {
		inet->stats.rx_eth_malformed++;
		return false;
	}
	if (frame_vlan_id(mbuf, eth) != inet->conf.vlan_id) {
		inet->stats.rx_eth_vlan++;
		return false;
	}
	if (leat_eth_addr_is_equal(eth->dst, inet->conf.mac))
		return true;
	if (eth->type == LEAT_ETH_TYPE_ARP && leat_eth_addr_is_broadcast(eth->dst))
		return true;
	if (eth->type == LEAT_ETH_TYPE_IPV6 && group_is_joined(inet, eth->dst))
		return true;
	if (leat_eth_addr_is_multicast(eth->dst))
		inet->stats.rx_eth_multicast++;
	else
		inet->stats.rx_eth_not_ours++;
	return false;
}

static struct leat_slice
slice_skip(struct leat_slice in, size_t len)
{
	return (struct leat_slice){ in.data + len, in.len - len };
}

/* Takes the frame. */
static void
ipv4_input(struct leat_inet *inet, struct rte_mbuf *mbuf, struct leat_slice in, uint32_t off,
	const struct leat_eth_hdr *eth)
{
	struct inet_ip ip;
	uint32_t hdr_len = inet_ipv4_input(inet, mbuf, in, off, &ip);

	if (hdr_len == 0) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	off += hdr_len;
	switch (ip.proto) {
	case LEAT_IPV4_PROTO_TCP:
		inet_tcp_parse(inet, mbuf, slice_skip(in, hdr_len), off, &ip, eth);
		return;
	case LEAT_IPV4_PROTO_ICMP:
		inet_icmp_input(inet, mbuf, off, &ip, eth->src);
		break;
	default: /* UDP and all others */
		inet->stats.rx_ipv4_proto++;
		break;
	}
	rte_pktmbuf_free(mbuf);
}

/* Takes the frame. */
static void
ipv6_input(struct leat_inet *inet, struct rte_mbuf *mbuf, struct leat_slice in, uint32_t off,
	const struct leat_eth_hdr *eth)
{
	struct inet_ip ip;
	uint32_t hdr_len = inet_ipv6_input(inet, mbuf, in, off, &ip);

	if (hdr_len == 0) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	off += hdr_len;
	if (leat_eth_addr_is_multicast(eth->dst) && !leat_ipv6_addr_is_multicast(ip.dst)) {
		inet->stats.rx_ipv6_not_ours++; /* nobody may shout at one of many */
	} else if (ip.proto == LEAT_IPV6_PROTO_TCP) {
		inet_tcp_parse(inet, mbuf, slice_skip(in, hdr_len), off, &ip, eth);
		return;
	} else if (ip.proto == LEAT_IPV6_PROTO_ICMP) {
		inet_icmp6_input(inet, mbuf, off, &ip, eth->src);
	} else {
		inet->stats.rx_ipv6_proto++;
	}
	rte_pktmbuf_free(mbuf);
}

/* Takes the frame. */
static void
frame_input(struct leat_inet *inet, struct rte_mbuf *mbuf)
{
	uint8_t scratch[INET_HDRS_LEN_MAX]; /* for headers that are cut across segments */
	struct leat_slice in = { .len = LEAT_MIN(mbuf->pkt_len, sizeof(scratch)) };
	struct leat_eth_hdr eth;
	ssize_t hdr_len;

	in.data = rte_pktmbuf_read(mbuf, 0, (uint32_t)in.len, scratch);
	inet->stats.rx_bytes += mbuf->pkt_len;
	hdr_len = leat_eth_parse(in, &eth);
	if (hdr_len < 0) {
		inet->stats.rx_eth_malformed++;
	} else if (eth_check(inet, mbuf, &eth)) {
		in = slice_skip(in, (size_t)hdr_len);
		if (eth.type == LEAT_ETH_TYPE_IPV4) {
			ipv4_input(inet, mbuf, in, (uint32_t)hdr_len, &eth);
			return;
		}
		if (eth.type == LEAT_ETH_TYPE_IPV6 && inet_has_ipv6(inet)) {
			ipv6_input(inet, mbuf, in, (uint32_t)hdr_len, &eth);
			return;
		}
		if (eth.type == LEAT_ETH_TYPE_ARP)
			inet_arp_input(inet, in);
		else
			inet->stats.rx_eth_type++;
	}
	rte_pktmbuf_free(mbuf);
}

void
leat_inet_input(struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb)
{
	struct inet_burst *burst = &inet->burst;

	LEAT_VERIFY(nb <= LEAT_INET_BURST_MAX);

	inet->now_us = now_us;
	inet->stats.rx_frames += nb;
	inet_conn_reclaim(inet);
	inet_buffers_look(inet);
	inet_buffers_look_rx(inet);
	burst->nb = 0;
	for (uint16_t i = 0; i < nb; i++)
		rte_prefetch0(rte_pktmbuf_mtod(frames[i], void *));
	for (uint16_t i = 0; i < nb; i++)
		frame_input(inet, frames[i]);
	inet_flow_find_burst(inet, burst);
	for (uint16_t i = 0; i < burst->nb; i++)
		inet_tcp_input(inet, burst, i);
}
