/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "inet_priv.h"

bool
inet_addr_is_ours(const struct leat_inet *inet, uint32_t addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		if (inet->conf.addrs[i].addr == addr)
			return true;
	}
	return false;
}

static bool
addr_has_prefix(const struct leat_inet_addr *ours, uint32_t addr)
{
	return ((ours->addr ^ addr) & leat_ipv4_mask(ours->prefix_len)) == 0;
}

bool
inet_addr_is_on_link(const struct leat_inet *inet, uint32_t addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		if (addr_has_prefix(&inet->conf.addrs[i], addr))
			return true;
	}
	return addr == inet->conf.gateway && addr != 0;
}

/* The broadcast address of one of our subnets; /31 and /32 have none, RFC 3021. */
static bool
addr_is_directed_broadcast(const struct leat_inet *inet, uint32_t addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		const struct leat_inet_addr *ours = &inet->conf.addrs[i];

		if (ours->prefix_len <= 30 && addr_has_prefix(ours, addr) &&
			(addr | leat_ipv4_mask(ours->prefix_len)) == UINT32_MAX)
			return true;
	}
	return false;
}

bool
inet_addr_is_peer(const struct leat_inet *inet, uint32_t addr)
{
	return leat_ipv4_addr_is_host(addr) && !addr_is_directed_broadcast(inet, addr) &&
	       !inet_addr_is_ours(inet, addr);
}

/* Our first address with @p addr on its link, or NULL. */
static const struct leat_inet_addr *
addr_find_link(const struct leat_inet *inet, uint32_t addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		if (addr_has_prefix(&inet->conf.addrs[i], addr))
			return &inet->conf.addrs[i];
	}
	return NULL;
}

int
inet_route(const struct leat_inet *inet, uint32_t addr, uint32_t *next_hop, uint32_t *src)
{
	const struct leat_inet_addr *link = addr_find_link(inet, addr);

	*next_hop = addr;
	if (link == NULL) {
		if (inet->conf.gateway == 0)
			return -ENETUNREACH;
		*next_hop = inet->conf.gateway;
		link = addr_find_link(inet, inet->conf.gateway);
	}
	*src = link != NULL ? link->addr : inet->conf.addrs[0].addr;
	return 0;
}

/* RFC 1122 section 3.2.1.3: who may be the source of a packet to us. */
static bool
ipv4_check_addrs(struct leat_inet *inet, const struct leat_ipv4_hdr *hdr)
{
	if (!inet_addr_is_ours(inet, hdr->dst)) {
		inet->stats.rx_ipv4_not_ours++;
		return false;
	}
	if (inet_addr_is_ours(inet, hdr->src)) {
		inet->stats.rx_ipv4_src_own++;
		return false;
	}
	if (!inet_addr_is_peer(inet, hdr->src)) {
		inet->stats.rx_ipv4_src_bad++;
		return false;
	}
	return true;
}

static bool
ipv4_cksum_is_known_good(const struct leat_inet *inet, const struct rte_mbuf *mbuf)
{
	return inet->conf.offloads.rx_ip_cksum &&
	       (mbuf->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_GOOD;
}

bool
inet_ipv4_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, struct leat_ipv4_hdr *hdr)
{
	if (leat_ipv4_parse(in, mbuf->pkt_len - off, hdr) < 0) {
		inet->stats.rx_ipv4_malformed++;
		return false;
	}
	if (!ipv4_cksum_is_known_good(inet, mbuf) &&
		!leat_ipv4_cksum_is_good(in.data, hdr->hdr_len)) {
		inet->stats.rx_ipv4_cksum++;
		return false;
	}
	if (!ipv4_check_addrs(inet, hdr))
		return false;
	if (leat_ipv4_is_fragment(hdr)) {
		inet->stats.rx_ipv4_fragment++;
		return false;
	}
	return true;
}

uint32_t
inet_ipv4_emit(struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, uint32_t src,
	uint32_t dst, uint8_t proto, uint32_t payload_len)
{
	struct leat_ipv4_hdr hdr = {
		.src = src,
		.dst = dst,
		.total_len = (uint16_t)(LEAT_IPV4_HDR_LEN + payload_len),
		.id = 0, /* means nothing where DF is set, RFC 6864 section 4.1 */
		.ttl = LEAT_IPV4_TTL,
		.proto = proto,
		.dont_fragment = true,
	};

	LEAT_VERIFY(payload_len <= inet->conf.mtu - LEAT_IPV4_HDR_LEN);

	memcpy(out, inet->eth_hdr, LEAT_ETH_HDR_LEN_MAX); /* beyond its end the next header goes */
	out += inet->eth_hdr_len;
	(void)leat_ipv4_emit(&hdr, out);
	mbuf->l2_len = inet->eth_hdr_len;
	mbuf->l3_len = LEAT_IPV4_HDR_LEN;
	if (inet->conf.offloads.tx_ip_cksum)
		mbuf->ol_flags |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
	else
		leat_ipv4_emit_cksum(out);
	return inet->eth_hdr_len + LEAT_IPV4_HDR_LEN;
}
