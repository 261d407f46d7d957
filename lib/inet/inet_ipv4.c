/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * IPv4, RFC 791 and RFC 1122 section 3.2.1. Options are skipped: a route is neither recorded nor
 * returned by the way it names, RFC 1122 section 3.2.1.8, as routers drop such packets by now
 * (RFC 7126 section 4).
 */

#include "inet_priv.h"

/* RFC 1122 section 3.2.1.3: who may be the source of a packet to us. */
static bool
ipv4_check_addrs(struct leat_inet *inet, const struct inet_ip *ip)
{
	if (!inet_addr_is_ours(inet, ip->dst)) {
		inet->stats.rx_ipv4_not_ours++;
		return false;
	}
	if (inet_addr_is_ours(inet, ip->src)) {
		inet->stats.rx_ipv4_src_own++;
		return false;
	}
	if (!inet_addr_is_host(inet, ip->src)) {
		inet->stats.rx_ipv4_src_bad++;
		return false;
	}
	return true;
}

static bool
ipv4_check_cksum(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	const struct leat_ipv4_hdr *hdr)
{
	bool is_called_good =
		inet->offloads[INET_IPV4].rx_ip_cksum &&
		(mbuf->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_GOOD;

	if (is_called_good && inet_offload_is_believed(inet, inet->nb_rx_ip_good++))
		return true;
	if (leat_ipv4_cksum_is_good(in.data, hdr->hdr_len))
		return true;
	inet->stats.rx_ipv4_cksum++;
	if (is_called_good)
		inet_offload_rx_ip_lie(inet);
	return false;
}

uint32_t
inet_ipv4_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, struct inet_ip *ip)
{
	struct leat_ipv4_hdr hdr;

	if (leat_ipv4_parse(in, mbuf->pkt_len - off, &hdr) < 0) {
		inet->stats.rx_ipv4_malformed++;
		return 0;
	}
	if (!ipv4_check_cksum(inet, mbuf, in, &hdr))
		return 0;
	ip->src = leat_ip_addr_from_ipv4(hdr.src);
	ip->dst = leat_ip_addr_from_ipv4(hdr.dst);
	ip->len = (uint32_t)hdr.total_len - hdr.hdr_len;
	ip->proto = hdr.proto;
	ip->hop_limit = hdr.ttl;
	if (!ipv4_check_addrs(inet, ip))
		return 0;
	if (leat_ipv4_is_fragment(&hdr)) {
		inet->stats.rx_ipv4_fragment++;
		return 0;
	}
	return hdr.hdr_len;
}

uint32_t
inet_ipv4_emit(
	struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, const struct inet_ip *ip)
{
	struct leat_ipv4_hdr hdr = {
		.src = leat_ip_addr_ipv4(ip->src),
		.dst = leat_ip_addr_ipv4(ip->dst),
		.total_len = (uint16_t)(LEAT_IPV4_HDR_LEN + ip->len),
		.id = 0, /* means nothing where DF is set, RFC 6864 section 4.1 */
		.ttl = ip->hop_limit,
		.proto = ip->proto,
		.dont_fragment = true,
	};

	LEAT_VERIFY(ip->len <= LEAT_MAX(inet->conf.mtu - LEAT_IPV4_HDR_LEN,
				       LEAT_INET_TSO_LEN_MAX + LEAT_TCP_HDR_LEN_MAX));

	memcpy(out, inet->eth_hdr, LEAT_ETH_HDR_LEN_MAX); /* beyond its end the next header goes */
	out += inet->eth_hdr_len;
	(void)leat_ipv4_emit(&hdr, out);
	mbuf->l2_len = inet->eth_hdr_len;
	mbuf->l3_len = LEAT_IPV4_HDR_LEN;
	if (inet->offloads[INET_IPV4].tx_ip_cksum)
		mbuf->ol_flags |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
	else
		leat_ipv4_emit_cksum(out);
	return inet->eth_hdr_len + LEAT_IPV4_HDR_LEN;
}
