/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * TCP segments arrive, RFC 9293 section 3.10.7: parsed one by one, looked up as a
 * burst, then led to their connection, to a TIME-WAIT, to a listener, or answered
 * with a reset.
 */

#include "inet_priv.h"

#define TCP_CKSUM_OFF 16u

/* Hardware has summed it, or a local peer vouches for it. */
static bool
tcp_cksum_is_called_good(
	const struct leat_inet *inet, enum inet_family family, const struct rte_mbuf *mbuf)
{
	uint64_t flags = mbuf->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;

	return inet->offloads[family].rx_tcp_cksum &&
	       (flags == RTE_MBUF_F_RX_L4_CKSUM_GOOD || flags == RTE_MBUF_F_RX_L4_CKSUM_NONE);
}

/* A virtual peer left the sum to hardware. Returns whether the port vouches for the bytes. */
static bool
tcp_take_partial(struct leat_inet *inet, bool is_called_good)
{
	if (is_called_good)
		return true;
	inet->stats.rx_tcp_cksum_partial++;
	inet->notices |= LEAT_INET_NOTICE_CKSUM_PARTIAL;
	return false;
}

static bool
tcp_check_cksum(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, const struct inet_ip *ip)
{
	enum inet_family family = inet_family(ip->dst);
	bool is_called_good = tcp_cksum_is_called_good(inet, family, mbuf);
	struct leat_cksum cksum = { 0 };
	uint16_t pseudo;

	if (is_called_good && inet_offload_is_believed(inet, inet->nb_rx_tcp_good[family]++))
		return true;
	inet_pseudo_cksum(&cksum, ip);
	pseudo = leat_cksum_fold(&cksum);
	inet_mbuf_cksum(mbuf, off, ip->len, &cksum);
	if (leat_cksum_is_good(&cksum))
		return true;
	if (leat_be16_get(in.data + TCP_CKSUM_OFF) == pseudo)
		return tcp_take_partial(inet, is_called_good);
	inet->stats.rx_tcp_cksum++;
	if (is_called_good)
		inet_offload_rx_tcp_lie(inet, family);
	return false;
}

void
inet_tcp_parse(struct leat_inet *inet, struct rte_mbuf *mbuf, struct leat_slice in, uint32_t off,
	const struct inet_ip *ip, const struct leat_eth_hdr *eth)
{
	struct inet_tcp_frame *frame = &inet->burst.frames[inet->burst.nb];
	struct leat_tcp_ports ports;
	ssize_t hdr_len;

	in.len = LEAT_MIN(in.len, ip->len);
	hdr_len = leat_tcp_hdr_parse(in, &ports, &frame->seg);
	if (hdr_len < 0) {
		inet->stats.rx_tcp_malformed++;
		goto drop;
	}
	if (!tcp_check_cksum(inet, mbuf, in, off, ip))
		goto drop;

	frame->key = (struct inet_flow_key){
		.laddr = ip->dst,
		.raddr = ip->src,
		.lport = ports.dst,
		.rport = ports.src,
	};
	memcpy(frame->src_mac, eth->src, LEAT_ETH_ADDR_LEN);
	if (inet_record_is_on(inet))
		inet_record_rx_prepare(frame, mbuf, in.data - off, off + (uint32_t)hdr_len);
	frame->seg.len = ip->len - (uint32_t)hdr_len;
	frame->mbuf = NULL;
	if (frame->seg.len > 0)
		frame->mbuf = inet_mbuf_cut(mbuf, off + (uint32_t)hdr_len, frame->seg.len);
	else
		rte_pktmbuf_free(mbuf);
	inet->burst.nb++;
	inet->stats.rx_tcp_segs++;
	return;

drop:
	rte_pktmbuf_free(mbuf);
}

void
inet_tcp_reset(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, const struct leat_tcb *tcb)
{
	struct leat_tcp_out rst;

	if (!leat_tcp_refuse(tcb, inet->now_us, &frame->seg, &rst))
		return;
	if (!inet_bucket_take(&inet->rst_bucket, inet->now_us)) {
		inet->stats.tx_rst_limited++;
		return;
	}
	inet->stats.tx_rst++;
	inet_ctl_reply_tcp(inet, frame, &rst);
}

static void
tcp_closed_input(struct leat_inet *inet, struct inet_tcp_frame *frame)
{
	const struct inet_listener *listener = inet_listener_find(inet, &frame->key);

	if (listener != NULL) {
		inet_listen_input(inet, listener, frame);
		return;
	}
	inet->stats.rx_tcp_no_conn++;
	inet_tcp_reset(inet, frame, NULL);
}

void
inet_tcp_conn_input(
	struct leat_inet *inet, struct leat_inet_conn *conn, struct inet_tcp_frame *frame)
{
	struct inet_nbr *nbr = inet_nbr_of_conn(conn);
	const struct leat_tcb *tcb = &conn->tcb;
	uint32_t out_len = tcb->snd_una - tcb->iss;
	uint32_t rcv_nxt = tcb->rcv_nxt;
	bool is_synced = tcb->state != LEAT_TCP_SYN_SENT; /* else rcv_nxt means nothing yet */
	enum leat_tcp_verdict verdict;

	if (inet->buffers.rx_level != INET_RX_PLENTY)
		inet_buffers_limit_text(inet, &conn->tcb, frame);
	verdict = leat_tcp_input(&conn->tcb, inet->now_us, &frame->seg, frame->mbuf);
	frame->mbuf = NULL;
	conn->heard_ms = (uint32_t)(inet->now_us / LEAT_US_PER_MS);
	if (nbr != NULL &&
		(tcb->snd_una - tcb->iss != out_len || (is_synced && tcb->rcv_nxt != rcv_nxt)))
		inet_nbr_confirm(inet, nbr, frame->src_mac);
	conn->nb_out_wraps += tcb->snd_una - tcb->iss < out_len;
	if (is_synced) {
		conn->in_len += tcb->rcv_nxt - rcv_nxt;
		conn->nb_in_wraps += conn->in_len < tcb->rcv_nxt - rcv_nxt;
	}
	if (verdict == LEAT_TCP_REFUSED)
		inet_tcp_reset(inet, frame, &conn->tcb);
	inet->stats.rx_tcp_dropped += verdict == LEAT_TCP_DROPPED;
	if (inet_offload_is_on_trial(inet, conn))
		inet_offload_check(inet, conn);
	inet_conn_settle(inet, conn);
}

static bool
flow_is(void *data, const struct inet_flow_key *key)
{
	if (inet_flow_is_time_wait(data)) {
		const struct inet_time_wait *tw = inet_flow_time_wait(data);

		return tw->expires_us != 0 && inet_flow_key_is_equal(&tw->key, key);
	}
	const struct leat_inet_conn *conn = data;

	return conn->in_flow && inet_flow_key_is_equal(&conn->key, key);
}

/* An earlier segment of the burst may have added, removed or replaced the flow. */
static void *
burst_flow(const struct leat_inet *inet, const struct inet_burst *burst, uint16_t idx)
{
	const struct inet_flow_key *key = &burst->frames[idx].key;
	void *data = (burst->hits >> idx & 1) != 0 ? burst->data[idx] : NULL;

	if (inet->nb_flow_changes == burst->nb_flow_changes)
		return data;
	return data != NULL && flow_is(data, key) ? data : inet_flow_find(inet, key);
}

/* Of a frame that found no connection. */
static enum leat_record_class
frame_class(const struct inet_tcp_frame *frame, const void *time_wait, bool has_opened)
{
	if (has_opened || (frame->seg.flags & LEAT_TCP_SYN) != 0)
		return LEAT_RECORD_NEW;
	return time_wait != NULL ? LEAT_RECORD_CLOSING : LEAT_RECORD_STRAY;
}

void
inet_tcp_input(struct leat_inet *inet, struct inet_burst *burst, uint16_t idx)
{
	struct inet_tcp_frame *frame = &burst->frames[idx];
	void *data = burst_flow(inet, burst, idx);
	uint64_t nb_flow_changes = inet->nb_flow_changes;

	if (data != NULL && !inet_flow_is_time_wait(data)) {
		struct leat_inet_conn *conn = data;
		uint8_t state = conn->tcb.state;

		inet_tcp_conn_input(inet, conn, frame);
		if (inet_record_is_on(inet)) /* its slot may be free, but not another's yet */
			inet_record_rx_conn(inet, frame, &conn->tcb, state);
	} else {
		if (data == NULL)
			tcp_closed_input(inet, frame);
		else
			inet_time_wait_input(inet, inet_flow_time_wait(data), frame);
		if (inet_record_is_on(inet))
			inet_record_rx(inet, frame,
				frame_class(frame, data, inet->nb_flow_changes != nb_flow_changes));
	}
	if (frame->mbuf != NULL) /* text that no connection took */
		rte_pktmbuf_free(frame->mbuf);
}
