/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * TCP segments arrive, RFC 9293 section 3.10.7: parsed one by one, looked up as a
 * burst, then led to their connection, to a TIME-WAIT, to a listener, or answered
 * with a reset.
 */

#include <errno.h>

#include "inet_priv.h"

#define TCP_CKSUM_OFF 16u

/* Hardware has summed it, or a local peer vouches for it. */
static bool
tcp_cksum_is_known_good(const struct leat_inet *inet, const struct rte_mbuf *mbuf)
{
	uint64_t flags = mbuf->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;

	return inet->conf.offloads.rx_tcp_cksum &&
	       (flags == RTE_MBUF_F_RX_L4_CKSUM_GOOD || flags == RTE_MBUF_F_RX_L4_CKSUM_NONE);
}

static bool
tcp_check_cksum(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, const struct inet_ip *ip)
{
	struct leat_cksum cksum = { 0 };
	uint16_t pseudo;

	if (tcp_cksum_is_known_good(inet, mbuf))
		return true;
	inet_pseudo_cksum(&cksum, ip);
	pseudo = leat_cksum_fold(&cksum);
	inet_mbuf_cksum(mbuf, off, ip->len, &cksum);
	if (leat_cksum_is_good(&cksum))
		return true;
	/* A virtual peer left the sum to hardware that is not there. */
	if (leat_be16_get(in.data + TCP_CKSUM_OFF) == pseudo)
		inet->stats.rx_tcp_cksum_partial++;
	else
		inet->stats.rx_tcp_cksum++;
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

/* Refuse a segment; @p tcb is the connection that does, or NULL where there is none. */
static void
tcp_reset(struct leat_inet *inet, const struct inet_tcp_frame *frame, const struct leat_tcb *tcb)
{
	struct leat_tcp_out rst;

	if (!leat_tcp_refuse(tcb, inet->now_us, &frame->seg, &rst))
		return;
	if (!inet_bucket_take(&inet->rst_bucket, inet->now_us)) {
		inet->stats.tx_rst_limited++;
		return;
	}
	inet->stats.tx_rst++;
	inet_ctl_send_tcp(inet, &frame->key, &rst);
}

/* The listener for the address itself goes before that for any. */
static const struct inet_listener *
listener_find(const struct leat_inet *inet, const struct inet_flow_key *key)
{
	const struct inet_listener *any = NULL;

	for (uint8_t i = 0; i < inet->nb_listeners; i++) {
		const struct inet_listener *listener = &inet->listeners[i];

		if (listener->port != key->lport)
			continue;
		if (leat_ip_addr_is_equal(listener->addr, key->laddr))
			return listener;
		if (leat_ip_addr_is_any(listener->addr))
			any = listener;
	}
	return any;
}

/*
 * There is room for a connection in SYN-RECEIVED; else the peer tries again later. A peer
 * that is alive answers soon, so the oldest that did not makes room for another, without
 * a word: it may have been asked for in the name of a third.
 */
static bool
syn_has_room(struct leat_inet *inet)
{
	if (inet->nb_half_open >= inet->nb_half_open_max ||
		(STAILQ_EMPTY(&inet->conns_free) && inet->nb_half_open > 0)) {
		inet->stats.tcp_half_open_evicted++;
		inet_conn_fail(inet, TAILQ_FIRST(&inet->half_open), -ECONNABORTED);
	}
	if (STAILQ_EMPTY(&inet->conns_free)) {
		inet->stats.tcp_conns_full++;
		return false;
	}
	return true;
}

static void
syn_accept(struct leat_inet *inet, const struct inet_listener *listener,
	const struct inet_tcp_frame *frame, uint32_t iss)
{
	struct leat_inet_conn *conn = inet_conn_alloc(inet, &frame->key);

	if (conn == NULL) {
		inet->stats.tx_no_route++;
		return;
	}
	leat_tcp_open_passive(
		&conn->tcb, &inet->conf.tcp, inet->now_us, iss, &frame->seg, inet->conf.tcp.mss);
	conn->listener = listener->user;
	conn->half_open = true;
	TAILQ_INSERT_TAIL(&inet->half_open, conn, half_open_link);
	inet->nb_half_open++;
	inet->stats.tcp_opens_passive++;
	inet_conn_settle(inet, conn);
}

/* RFC 9293 section 3.10.7.2, LISTEN. */
static void
tcp_listen_input(struct leat_inet *inet, const struct inet_listener *listener,
	const struct inet_tcp_frame *frame)
{
	uint8_t flags = frame->seg.flags;

	if ((flags & LEAT_TCP_RST) != 0) { /* first */
		inet->stats.rx_tcp_listen_ignored++;
		return;
	}
	if ((flags & LEAT_TCP_ACK) != 0) { /* second */
		tcp_reset(inet, frame, NULL);
		return;
	}
	if ((flags & LEAT_TCP_SYN) == 0 || (flags & LEAT_TCP_FIN) != 0) { /* fourth; nobody's SYN */
		inet->stats.rx_tcp_listen_ignored++;
		return;
	}
	if (syn_has_room(inet)) /* third */
		syn_accept(inet, listener, frame, inet_conn_iss(inet, &frame->key, inet->now_us));
}

static void
tcp_closed_input(struct leat_inet *inet, const struct inet_tcp_frame *frame)
{
	const struct inet_listener *listener = listener_find(inet, &frame->key);

	if (listener != NULL) {
		tcp_listen_input(inet, listener, frame);
		return;
	}
	inet->stats.rx_tcp_no_conn++;
	tcp_reset(inet, frame, NULL);
}

static void
tcp_time_wait_input(
	struct leat_inet *inet, struct inet_time_wait *tw, const struct inet_tcp_frame *frame)
{
	const struct inet_listener *listener;
	uint32_t iss;

	if (!inet_time_wait_input(inet, tw, &frame->seg))
		return;
	listener = listener_find(inet, &frame->key);
	if (listener == NULL || !syn_has_room(inet))
		return;
	/* RFC 9293 section 3.6.1: above the largest number of the old connection. */
	iss = inet_conn_iss(inet, &frame->key, inet->now_us);
	if ((int32_t)(iss - tw->tcp.snd_nxt) <= 0)
		iss = tw->tcp.snd_nxt + 1;
	inet_time_wait_remove(inet, tw);
	inet->stats.time_wait_reopened++;
	syn_accept(inet, listener, frame, iss);
}

static void
tcp_conn_input(struct leat_inet *inet, struct leat_inet_conn *conn, struct inet_tcp_frame *frame)
{
	struct inet_nbr *nbr = inet_nbr_of_conn(conn);
	enum leat_tcp_verdict verdict;

	if (nbr != NULL)
		inet_nbr_confirm(inet, nbr, frame->src_mac);
	verdict = leat_tcp_input(&conn->tcb, inet->now_us, &frame->seg, frame->mbuf);
	frame->mbuf = NULL;
	if (verdict == LEAT_TCP_REFUSED)
		tcp_reset(inet, frame, &conn->tcb);
	inet->stats.rx_tcp_dropped += verdict == LEAT_TCP_DROPPED;
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

	if ((burst->hits >> idx & 1) != 0 && flow_is(burst->data[idx], key))
		return burst->data[idx];
	if (inet->nb_flow_changes == burst->nb_flow_changes)
		return NULL;
	return inet_flow_find(inet, key);
}

void
inet_tcp_input(struct leat_inet *inet, struct inet_burst *burst, uint16_t idx)
{
	struct inet_tcp_frame *frame = &burst->frames[idx];
	void *data = burst_flow(inet, burst, idx);

	if (data == NULL)
		tcp_closed_input(inet, frame);
	else if (inet_flow_is_time_wait(data))
		tcp_time_wait_input(inet, inet_flow_time_wait(data), frame);
	else
		tcp_conn_input(inet, data, frame);
	rte_pktmbuf_free(frame->mbuf); /* text that no connection took */
}
