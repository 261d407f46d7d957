/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * ICMP, RFC 792 and RFC 1122 section 3.2.2: echo is answered, errors go to TCP,
 * everything else is counted and ignored: redirects too, since the gateway is configured, and
 * who is on the link could draw traffic to himself by one. Nor are errors sent, against what
 * section 3.2.2.1 says a host should: all that is heard here is TCP, which has its RST, and a
 * source that is forged would have a third bear the answer.
 */

#include "inet_priv.h"

/* Over IPv6 the sum covers the ends too, RFC 4443 section 2.3. */
static void
icmp_pseudo_cksum(struct leat_cksum *cksum, const struct inet_ip *ip)
{
	if (!leat_ip_addr_is_ipv4(ip->dst))
		inet_pseudo_cksum(cksum, ip);
}

/* The answer carries the whole text back, RFC 1122 section 3.2.2.6, RFC 4443 section 4.2. */
void
inet_icmp_reply(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *back, const uint8_t *src_mac, const struct leat_icmp_hdr *icmp)
{
	uint32_t ip_hdr_len = inet_ip_hdr_len(back->dst);
	struct leat_cksum cksum = { 0 };
	struct rte_mbuf *frame;
	uint8_t *out, *message;

	if (back->len > inet->conf.mtu - ip_hdr_len) {
		inet->stats.rx_icmp_too_long++;
		return;
	}
	if (!inet_bucket_take(&inet->echo_bucket, inet->now_us)) {
		inet->stats.rx_icmp_limited++;
		return;
	}
	frame = inet_frame_alloc(inet);
	if (frame == NULL)
		return;
	out = (uint8_t *)rte_pktmbuf_append(
		frame, (uint16_t)(inet->eth_hdr_len + ip_hdr_len + back->len));
	message = out + inet_ip_emit(inet, frame, out, back);
	(void)leat_icmp_emit(icmp, message);
	inet_mbuf_copy(mbuf, off + LEAT_ICMP_HDR_LEN, back->len - LEAT_ICMP_HDR_LEN,
		message + LEAT_ICMP_HDR_LEN);
	icmp_pseudo_cksum(&cksum, back);
	leat_cksum_add(&cksum, message, back->len);
	leat_be16_put(message + LEAT_ICMP_CKSUM_OFF, leat_cksum_value(&cksum));
	inet_ctl_reply(inet, back->dst, src_mac, frame);
}

bool
inet_icmp_open(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, struct leat_icmp_hdr *icmp)
{
	uint8_t bytes[LEAT_ICMP_HDR_LEN];
	struct leat_slice in = { bytes, LEAT_MIN(ip->len, sizeof(bytes)) };
	struct leat_cksum cksum = { 0 };

	inet_mbuf_copy(mbuf, off, (uint32_t)in.len, bytes);
	if (leat_icmp_parse(in, icmp) < 0) {
		inet->stats.rx_icmp_malformed++;
		return false;
	}
	icmp_pseudo_cksum(&cksum, ip);
	inet_mbuf_cksum(mbuf, off, ip->len, &cksum);
	if (!leat_cksum_is_good(&cksum)) {
		inet->stats.rx_icmp_cksum++;
		return false;
	}
	return true;
}

void
inet_icmp_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac)
{
	const struct inet_ip back = {
		.src = ip->dst,
		.dst = ip->src,
		.len = ip->len,
		.proto = LEAT_IPV4_PROTO_ICMP,
		.hop_limit = INET_HOP_LIMIT,
	};
	struct leat_icmp_hdr icmp;

	if (!inet_icmp_open(inet, mbuf, off, ip, &icmp))
		return;
	if (icmp.type == LEAT_ICMP_TYPE_UNREACHABLE || icmp.type == LEAT_ICMP_TYPE_TIME_EXCEEDED ||
		icmp.type == LEAT_ICMP_TYPE_PARAMETER) {
		inet_icmp_error_input(inet, mbuf, off, ip, &icmp);
		return;
	}
	if (icmp.type != LEAT_ICMP_TYPE_ECHO || icmp.code != 0) {
		inet->stats.rx_icmp_ignored++;
		return;
	}
	inet->stats.rx_icmp_echo++;
	icmp.type = LEAT_ICMP_TYPE_ECHO_REPLY;
	inet_icmp_reply(inet, mbuf, off, &back, src_mac, &icmp);
}
