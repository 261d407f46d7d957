/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * ICMPv6, RFC 4443: echo is answered, neighbours and what routers tell of our segments are
 * heard, everything else is counted and ignored. No errors are sent, and redirects are not
 * obeyed, for the reasons that inet_icmp.c has.
 */

#include "inet_priv.h"

/* RFC 4443 section 4.2: also to a group, in the name of one of our addresses. */
static void
icmp6_echo(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac, struct leat_icmp_hdr *icmp)
{
	struct inet_ip back = {
		.src = ip->dst,
		.dst = ip->src,
		.len = ip->len,
		.proto = LEAT_IPV6_PROTO_ICMP,
		.hop_limit = INET_HOP_LIMIT,
	};
	struct leat_ip_addr next_hop;

	inet->stats.rx_icmp_echo++;
	if (leat_ip_addr_is_none(ip->src)) {
		inet->stats.rx_ipv6_src_bad++;
		return;
	}
	if (leat_ipv6_addr_is_multicast(ip->dst) &&
		inet_route(inet, ip->src, &next_hop, &back.src) < 0) {
		inet->stats.tx_no_route++;
		return;
	}
	icmp->type = LEAT_ICMP6_TYPE_ECHO_REPLY;
	inet_icmp_reply(inet, mbuf, off, &back, src_mac, icmp);
}

static void
icmp6_dispatch(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac, struct leat_icmp_hdr *icmp)
{
	switch (icmp->type) {
	case LEAT_ICMP6_TYPE_ECHO:
		if (icmp->code != 0)
			break;
		icmp6_echo(inet, mbuf, off, ip, src_mac, icmp);
		return;
	case LEAT_ICMP6_TYPE_NS:
	case LEAT_ICMP6_TYPE_NA:
		inet_nd_input(inet, mbuf, off, ip, src_mac);
		return;
	case LEAT_ICMP6_TYPE_UNREACHABLE:
	case LEAT_ICMP6_TYPE_PACKET_TOO_BIG:
	case LEAT_ICMP6_TYPE_TIME_EXCEEDED:
	case LEAT_ICMP6_TYPE_PARAMETER:
		inet_icmp6_error_input(inet, mbuf, off, ip, icmp);
		return;
	case LEAT_ICMP6_TYPE_RS:
	case LEAT_ICMP6_TYPE_RA:
	case LEAT_ICMP6_TYPE_REDIRECT:
		inet->stats.rx_nd_router++;
		return;
	default: /* replies, and other errors */
		break;
	}
	inet->stats.rx_icmp_ignored++;
}

void
inet_icmp6_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac)
{
	struct leat_icmp_hdr icmp;

	if (!inet_icmp_open(inet, mbuf, off, ip, &icmp))
		return;
	icmp6_dispatch(inet, mbuf, off, ip, src_mac, &icmp);
}
