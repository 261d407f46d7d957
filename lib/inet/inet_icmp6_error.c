/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Errors that a router reports of a segment of ours over IPv6: RFC 4443 section 3, path MTU
 * by RFC 8201. What they quote is judged in inet_icmp_error.c.
 */

#include <errno.h>

#include "inet_priv.h"

#define ICMP6_QUOTE_LEN     (LEAT_IPV6_HDR_LEN + INET_QUOTE_TCP_LEN)

#define ICMP6_CODE_NO_ROUTE 0u
#define ICMP6_CODE_PORT     4u
#define ICMP6_CODE_MAX      6u

/* RFC 8201 section 4: less than every link takes is no reason, and to be discarded. */
static bool
error_of_mtu(struct inet_icmp_error *error, uint32_t mtu, const struct leat_ipv6_hdr *quoted)
{
	if (mtu < LEAT_IPV6_MTU_MIN || mtu >= LEAT_IPV6_HDR_LEN + (uint32_t)quoted->payload_len)
		return false;
	error->mss = (uint16_t)(mtu - LEAT_IPV6_HDR_LEN - LEAT_TCP_HDR_LEN);
	return true;
}

/* RFC 4443 section 3.1; a closed port is the one hard error, as over IPv4. */
static bool
error_of_code(struct inet_icmp_error *error, uint8_t code)
{
	if (code > ICMP6_CODE_MAX)
		return false;
	error->is_hard = code == ICMP6_CODE_PORT;
	if (code == ICMP6_CODE_PORT)
		error->error = -ECONNREFUSED;
	else
		error->error = code == ICMP6_CODE_NO_ROUTE ? -ENETUNREACH : -EHOSTUNREACH;
	return true;
}

static bool
error_of_message(struct inet_icmp_error *error, const struct leat_icmp_hdr *icmp,
	const struct leat_ipv6_hdr *quoted)
{
	if (icmp->type == LEAT_ICMP6_TYPE_PACKET_TOO_BIG)
		return error_of_mtu(error, (uint32_t)icmp->id << 16 | icmp->seq, quoted);
	if (icmp->type != LEAT_ICMP6_TYPE_UNREACHABLE) { /* soft, RFC 1122 section 4.2.3.9 */
		error->error = -EHOSTUNREACH;
		return true;
	}
	return error_of_code(error, icmp->code);
}

void
inet_icmp6_error_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const struct leat_icmp_hdr *icmp)
{
	uint8_t bytes[ICMP6_QUOTE_LEN];
	struct leat_slice quote = { bytes, LEAT_MIN(ip->len - LEAT_ICMP_HDR_LEN, sizeof(bytes)) };
	struct inet_icmp_error error = { 0 };
	struct leat_ipv6_hdr quoted;

	inet_mbuf_copy(mbuf, off + LEAT_ICMP_HDR_LEN, (uint32_t)quote.len, bytes);
	/* How long the packet was it says itself; of it there is only this. */
	if (leat_ipv6_parse(quote, LEAT_IPV6_HDR_LEN + UINT16_MAX, &quoted) < 0 ||
		quote.len < sizeof(bytes)) {
		inet->stats.rx_icmp_malformed++;
		return;
	}
	/* We send no extension headers: the segment is right behind. */
	if (quoted.next != LEAT_IPV6_PROTO_TCP || leat_ipv6_addr_is_multicast(ip->dst) ||
		!error_of_message(&error, icmp, &quoted)) {
		inet->stats.rx_icmp_ignored++;
		return;
	}
	error.key.laddr = quoted.src;
	error.key.raddr = quoted.dst;
	inet_icmp_error_take(inet, &error, bytes + LEAT_IPV6_HDR_LEN);
}
