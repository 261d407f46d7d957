/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * ICMP, RFC 792 and RFC 1122 section 3.2.2: echo is answered, errors go to TCP,
 * everything else is counted and ignored.
 */

#include "inet_priv.h"

/* The answer carries the whole text back, RFC 1122 section 3.2.2.6. */
static void
icmp_reply(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, struct leat_icmp_hdr *icmp)
{
	const struct inet_ip back = {
		.src = ip->dst, .dst = ip->src, .len = ip->len, .proto = LEAT_IPV4_PROTO_ICMP
	};
	struct leat_cksum cksum = { 0 };
	struct rte_mbuf *frame;
	uint8_t *out, *message;
	uint32_t len = ip->len;
	uint32_t hdrs_len = inet->eth_hdr_len + LEAT_IPV4_HDR_LEN;

	if (len > inet->conf.mtu - LEAT_IPV4_HDR_LEN) {
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
	out = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(hdrs_len + len));
	message = out + hdrs_len;
	(void)inet_ipv4_emit(inet, frame, out, &back);
	icmp->type = LEAT_ICMP_TYPE_ECHO_REPLY;
	(void)leat_icmp_emit(icmp, message);
	inet_mbuf_copy(mbuf, off + LEAT_ICMP_HDR_LEN, len - LEAT_ICMP_HDR_LEN,
		message + LEAT_ICMP_HDR_LEN);
	leat_cksum_add(&cksum, message, len);
	leat_be16_put(message + LEAT_ICMP_CKSUM_OFF, leat_cksum_value(&cksum));
	inet_ctl_send_ip(inet, ip->src, frame);
}

void
inet_icmp_input(
	struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off, const struct inet_ip *ip)
{
	uint8_t bytes[LEAT_ICMP_HDR_LEN];
	struct leat_slice in = { bytes, LEAT_MIN(ip->len, sizeof(bytes)) };
	struct leat_cksum cksum = { 0 };
	struct leat_icmp_hdr icmp;

	inet_mbuf_copy(mbuf, off, (uint32_t)in.len, bytes);
	if (leat_icmp_parse(in, &icmp) < 0) {
		inet->stats.rx_icmp_malformed++;
		return;
	}
	inet_mbuf_cksum(mbuf, off, ip->len, &cksum);
	if (!leat_cksum_is_good(&cksum)) {
		inet->stats.rx_icmp_cksum++;
		return;
	}
	if (icmp.type == LEAT_ICMP_TYPE_UNREACHABLE) {
		inet_icmp_error_input(inet, mbuf, off, ip, &icmp);
		return;
	}
	if (icmp.type != LEAT_ICMP_TYPE_ECHO || icmp.code != 0) {
		inet->stats.rx_icmp_ignored++;
		return;
	}
	inet->stats.rx_icmp_echo++;
	icmp_reply(inet, mbuf, off, ip, &icmp);
}
