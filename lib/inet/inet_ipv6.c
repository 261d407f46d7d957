/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "inet_priv.h"

bool
inet_group_is_ours(const struct leat_inet *inet, struct leat_ip_addr group)
{
	if (leat_ip_addr_is_equal(group, leat_ipv6_addr_all_nodes()))
		return true;
	for (uint8_t i = 0; i < inet->nb_addrs; i++) {
		struct leat_ip_addr ours = inet->addrs[i].addr;

		if (!leat_ip_addr_is_ipv4(ours) &&
			leat_ip_addr_is_equal(group, leat_ipv6_addr_solicited_node(ours)))
			return true;
	}
	return false;
}

/* Who may be the source, and whom we are; "::" and groups are for ICMPv6 to judge. */
static bool
ipv6_check_addrs(struct leat_inet *inet, const struct inet_ip *ip)
{
	bool is_icmp = ip->proto == LEAT_IPV6_PROTO_ICMP;
	/* An IPv4 address in IPv6 form may be ours, and yet is never on the wire. */
	bool is_to_us = inet_addr_is_ours(inet, ip->dst) && !leat_ip_addr_is_ipv4(ip->dst);

	if (!is_to_us && !(is_icmp && inet_group_is_ours(inet, ip->dst))) {
		inet->stats.rx_ipv6_not_ours++;
		return false;
	}
	if (inet_addr_is_ours(inet, ip->src)) {
		inet->stats.rx_ipv6_src_own++;
		return false;
	}
	if (!leat_ipv6_addr_is_host(ip->src) && !(is_icmp && leat_ip_addr_is_none(ip->src))) {
		inet->stats.rx_ipv6_src_bad++;
		return false;
	}
	return true;
}

static void
ipv6_count_ext(struct leat_inet *inet, ssize_t error)
{
	if (error == -EMSGSIZE)
		inet->stats.rx_ipv6_fragment++;
	else if (error == -EOPNOTSUPP)
		inet->stats.rx_ipv6_option++;
	else
		inet->stats.rx_ipv6_malformed++;
}

uint32_t
inet_ipv6_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, struct inet_ip *ip)
{
	struct leat_ipv6_hdr hdr;
	struct leat_slice exts;
	ssize_t ext_len;

	if (leat_ipv6_parse(in, mbuf->pkt_len - off, &hdr) < 0) {
		inet->stats.rx_ipv6_malformed++;
		return 0;
	}
	exts.data = in.data + LEAT_IPV6_HDR_LEN;
	exts.len = LEAT_MIN(in.len - LEAT_IPV6_HDR_LEN, (size_t)hdr.payload_len);
	ext_len = leat_ipv6_skip_ext(exts, &hdr.next);
	if (ext_len < 0) {
		ipv6_count_ext(inet, ext_len);
		return 0;
	}
	ip->src = hdr.src;
	ip->dst = hdr.dst;
	ip->len = hdr.payload_len - (uint32_t)ext_len;
	ip->proto = hdr.next;
	ip->hop_limit = hdr.hop_limit;
	if (!ipv6_check_addrs(inet, ip))
		return 0;
	return LEAT_IPV6_HDR_LEN + (uint32_t)ext_len;
}

uint32_t
inet_ipv6_emit(
	struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, const struct inet_ip *ip)
{
	const struct leat_ipv6_hdr hdr = {
		.src = ip->src,
		.dst = ip->dst,
		.payload_len = (uint16_t)ip->len,
		.next = ip->proto,
		.hop_limit = ip->hop_limit,
	};

	LEAT_VERIFY(ip->len <= LEAT_MAX(inet->conf.mtu - LEAT_IPV6_HDR_LEN,
				       LEAT_INET_TSO_LEN_MAX + LEAT_TCP_HDR_LEN_MAX));

	memcpy(out, inet->eth_hdr, inet->eth_hdr_len);
	out += inet->eth_hdr_len;
	leat_be16_put(out - sizeof(uint16_t), LEAT_ETH_TYPE_IPV6);
	(void)leat_ipv6_emit(&hdr, out);
	mbuf->l2_len = inet->eth_hdr_len;
	mbuf->l3_len = LEAT_IPV6_HDR_LEN;
	return inet->eth_hdr_len + LEAT_IPV6_HDR_LEN;
}
