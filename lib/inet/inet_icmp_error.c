/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Errors that a router reports of a segment of ours: RFC 792, path MTU by RFC 1191, and by
 * RFC 5927 only where the quoted sequence number is in flight.
 */

#include <errno.h>

#include "inet_priv.h"

#define ICMP_QUOTE_LEN_MAX      (LEAT_IPV4_HDR_LEN_MAX + INET_QUOTE_TCP_LEN)

#define ICMP_CODE_HOST          1u
#define ICMP_CODE_PROTOCOL      2u
#define ICMP_CODE_PORT          3u
#define ICMP_CODE_FRAG_NEEDED   4u
#define ICMP_CODE_NET           0u
#define ICMP_CODE_NET_UNKNOWN   6u
#define ICMP_CODE_NET_FORBIDDEN 9u
#define ICMP_CODE_NET_TOS       11u
#define ICMP_CODE_MAX           15u

void
inet_icmp_error_take(struct leat_inet *inet, struct inet_icmp_error *error, const uint8_t *tcp)
{
	struct leat_inet_conn *conn;
	uint32_t seq = leat_be32_get(tcp + 4);
	void *data;

	inet->stats.rx_icmp_errors++;
	error->key.lport = leat_be16_get(tcp);
	error->key.rport = leat_be16_get(tcp + 2);
	if (!inet_bucket_take(&inet->icmp_error_bucket, inet->now_us)) {
		inet->stats.rx_icmp_error_limited++;
		return;
	}
	data = inet_flow_find(inet, &error->key);
	if (data == NULL || inet_flow_is_time_wait(data)) {
		inet->stats.rx_icmp_error_stale++;
		return;
	}
	conn = data;
	if (!leat_tcp_is_in_flight(&conn->tcb, seq)) {
		inet->stats.rx_icmp_error_stale++;
		return;
	}
	if (error->mss != 0) {
		inet->stats.tcp_pmtu_lowered += leat_tcp_lower_mss(&conn->tcb, error->mss);
	} else {
		leat_tcp_unreachable(&conn->tcb, error->error, error->is_hard);
		inet->stats.tcp_unreachable++;
	}
	inet_conn_settle(inet, conn);
}

/* RFC 1191 section 7: what a router that names no MTU probably has, of 576 bytes and more. */
static uint16_t
mtu_below(uint16_t len)
{
	static const uint16_t plateaus[] = { 32000, 17914, 8166, 4352, 2002, 1492, 1006 };

	for (uint32_t i = 0; i < LEAT_DIM(plateaus); i++)
		if (plateaus[i] < len)
			return plateaus[i];
	return LEAT_INET_MTU_MIN;
}

/*
 * Returns the MSS for the next hop's MTU, 0: that cannot be the reason. A link of less than
 * 576 bytes hardly exists, and who forges this message would make us send crumbs.
 */
static uint16_t
mss_of_next_hop(uint16_t mtu, uint16_t packet_len)
{
	if (mtu == 0)
		mtu = mtu_below(packet_len);
	if (mtu >= packet_len)
		return 0;
	mtu = LEAT_MAX(mtu, (uint16_t)LEAT_INET_MTU_MIN);
	return (uint16_t)(mtu - LEAT_IPV4_HDR_LEN - LEAT_TCP_HDR_LEN);
}

/* RFC 1122 section 4.2.3.9: which errors are hard. Returns false if this is none. */
static bool
error_of_code(struct inet_icmp_error *error, const struct leat_icmp_hdr *icmp,
	const struct leat_ipv4_hdr *ip)
{
	if (icmp->code > ICMP_CODE_MAX)
		return false;
	error->error = -EHOSTUNREACH;
	if (icmp->type != LEAT_ICMP_TYPE_UNREACHABLE) /* soft, whatever its code */
		return true;
	switch (icmp->code) {
	case ICMP_CODE_FRAG_NEEDED:
		error->mss = mss_of_next_hop(icmp->seq, ip->total_len);
		return error->mss != 0;
	case ICMP_CODE_PROTOCOL:
	case ICMP_CODE_PORT:
		error->is_hard = true;
		error->error = -ECONNREFUSED;
		return true;
	case ICMP_CODE_NET:
	case ICMP_CODE_NET_UNKNOWN:
	case ICMP_CODE_NET_FORBIDDEN:
	case ICMP_CODE_NET_TOS:
		error->error = -ENETUNREACH;
		return true;
	default:
		return true;
	}
}

void
inet_icmp_error_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const struct leat_icmp_hdr *icmp)
{
	uint8_t bytes[ICMP_QUOTE_LEN_MAX];
	struct leat_slice quote = { bytes, LEAT_MIN(ip->len - LEAT_ICMP_HDR_LEN, sizeof(bytes)) };
	struct inet_icmp_error error = { 0 };
	struct leat_ipv4_hdr quoted;

	inet_mbuf_copy(mbuf, off + LEAT_ICMP_HDR_LEN, (uint32_t)quote.len, bytes);
	/* How long the packet was it says itself; of it there is only this. */
	if (leat_ipv4_parse(quote, UINT16_MAX, &quoted) < 0 ||
		quote.len < quoted.hdr_len + INET_QUOTE_TCP_LEN) {
		inet->stats.rx_icmp_malformed++;
		return;
	}
	if (quoted.proto != LEAT_IPV4_PROTO_TCP || leat_ipv4_is_fragment(&quoted) ||
		!error_of_code(&error, icmp, &quoted)) {
		inet->stats.rx_icmp_ignored++;
		return;
	}
	error.key.laddr = leat_ip_addr_from_ipv4(quoted.src);
	error.key.raddr = leat_ip_addr_from_ipv4(quoted.dst);
	inet_icmp_error_take(inet, &error, bytes + quoted.hdr_len);
}
