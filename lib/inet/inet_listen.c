/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * LISTEN, RFC 9293 section 3.10.7.2: a SYN takes a slot of the backlog, or is answered by a
 * cookie and keeps nothing here until the peer has shown that it is there.
 *
 * What can be forged must not cost what peers need: a SYN from anywhere takes no slot but
 * one of the backlog, no place of a neighbour over a share of them, and of the control
 * frames that wait only a half. While buffers run low it keeps nothing at all, and gets a
 * cookie; when so few frames are left that those who are established may need them, nothing.
 */

#include <errno.h>

#include "inet_priv.h"

enum syn_way {
	SYN_DROP,
	SYN_KEEP,
	SYN_COOKIE,
};

const struct inet_listener *
inet_listener_find(const struct leat_inet *inet, const struct inet_flow_key *key)
{
	const struct inet_listener *any = NULL;

	for (uint8_t i = 0; i < inet->nb_listeners; i++) {
		const struct inet_listener *listener = &inet->listeners[i];

		if (listener->port != key->lport)
			continue;
		if (leat_ip_addr_is_equal(listener->addr, key->laddr))
			return listener;
		if (leat_ip_addr_is_any(listener->addr) &&
			leat_ip_addr_is_ipv4(listener->addr) == leat_ip_addr_is_ipv4(key->laddr))
			any = listener;
	}
	return any;
}

/* The oldest half-open connection makes room, without a word: it may be asked for in the
 * name of a third. */
static void
half_open_evict(struct leat_inet *inet)
{
	inet->stats.tcp_half_open_evicted++;
	inet_conn_fail(inet, TAILQ_FIRST(&inet->half_open), -ECONNABORTED);
}

/* There is a slot for a peer that has answered; those that have not come second. */
static bool
slot_has_room(struct leat_inet *inet)
{
	if (STAILQ_EMPTY(&inet->conns_free) && inet->nb_half_open > 0)
		half_open_evict(inet);
	if (!STAILQ_EMPTY(&inet->conns_free))
		return true;
	inet->stats.tcp_conns_full++;
	return false;
}

static enum syn_way
syn_choose(struct leat_inet *inet, const struct inet_tcp_frame *frame)
{
	bool is_full = inet->nb_half_open >= inet->nb_half_open_max;

	if (!inet_buffers_may_begin(inet))
		return inet->conf.cookies == LEAT_INET_COOKIES_NEVER ? SYN_DROP : SYN_COOKIE;
	if (inet->conf.cookies == LEAT_INET_COOKIES_NEVER) {
		if (is_full)
			half_open_evict(inet);
		return slot_has_room(inet) ? SYN_KEEP : SYN_DROP;
	}
	if (STAILQ_EMPTY(&inet->conns_free) && inet->nb_half_open == 0) {
		inet->stats.tcp_conns_full++; /* its ACK would find none either */
		return SYN_DROP;
	}
	if (inet->conf.cookies == LEAT_INET_COOKIES_ALWAYS || is_full ||
		STAILQ_EMPTY(&inet->conns_free))
		return SYN_COOKIE;
	if (inet->nb_half_open >= inet->conf.nb_neighbours_max / LEAT_INET_HALF_OPEN_SHARE &&
		inet_nbr_known(inet, frame->key.raddr) == NULL)
		return SYN_COOKIE;
	return SYN_KEEP;
}

static void
syn_keep(struct leat_inet *inet, const struct inet_listener *listener,
	const struct inet_tcp_frame *frame, uint32_t iss)
{
	const struct leat_tcp_conf *conf = listener->tcp;
	struct leat_inet_conn *conn = inet_conn_alloc(inet, &frame->key);

	if (conn == NULL) {
		inet->stats.tx_no_route++;
		return;
	}
	leat_tcp_open_passive(&conn->tcb, conf, inet->now_us, iss, &frame->seg, conf->mss);
	conn->listener = listener->user;
	conn->half_open = true;
	TAILQ_INSERT_TAIL(&inet->half_open, conn, half_open_link);
	inet->nb_half_open++;
	inet->stats.tcp_opens_passive++;
	inet_conn_settle(inet, conn);
}

static uint64_t
cookie_ends(const struct leat_inet *inet, const struct inet_flow_key *key)
{
	return leat_siphash(&inet->ends_key, key, sizeof(*key));
}

static void
syn_answer_by_cookie(struct leat_inet *inet, const struct inet_tcp_frame *frame)
{
	struct leat_tcp_out out;

	if (inet->nb_ctl >= LEAT_INET_CTL_MAX / 2) {
		inet->stats.tx_ctl_full++;
		return;
	}
	if (!inet_class_has(inet, INET_CLASS_COOKIE, 1)) {
		inet->stats.tx_no_mbuf_new++;
		return;
	}
	leat_tcp_cookie_answer(inet_tcp_conf(inet, frame->key.raddr), &inet->cookie_key,
		cookie_ends(inet, &frame->key), inet->now_us, &frame->seg, &out);
	inet_ctl_reply_tcp(inet, frame, &out);
	inet->cookies_until_us = inet->now_us + 2 * (uint64_t)LEAT_TCP_COOKIE_PERIOD_US;
	inet->stats.tcp_cookies_sent++;
}

/*
 * A cookie opens one connection: the text of a late copy of its ACK must not be taken once
 * more when that connection has ended. The last ones are remembered, with both ends: of some
 * thousand peers two have the same number by chance, and neither is the other's copy.
 */
static bool
cookie_is_new(struct leat_inet *inet, uint64_t ends, uint32_t iss)
{
	const uint64_t words[] = { ends, iss };
	uint64_t mark = leat_siphash(&inet->ends_key, words, sizeof(words));
	uint64_t *used = &inet->cookies_used[mark % INET_COOKIES_USED];

	if (*used == mark)
		return false;
	*used = mark;
	return true;
}

/* An ACK without a connection, while cookies are out. Returns false if it deserves a RST. */
static bool
cookie_input(
	struct leat_inet *inet, const struct inet_listener *listener, struct inet_tcp_frame *frame)
{
	const struct leat_tcp_conf *conf = listener->tcp;
	struct leat_tcp_seg *seg = &frame->seg;
	uint64_t ends = cookie_ends(inet, &frame->key);
	struct leat_inet_conn *conn;
	struct leat_tcp_seg syn;

	if (!leat_tcp_cookie_check(&inet->cookie_key, ends, inet->now_us, seg, &syn)) {
		inet->stats.tcp_cookies_refused++;
		/*
		 * Text may have overtaken the ACK with the cookie: a RST would end a good peer.
		 * An ACK without text behind the number of the handshake is one of a connection
		 * that we do not know, and gets the RST of RFC 9293 section 3.10.7.2, as Linux
		 * gives to both: we have sent nothing that a new peer could acknowledge so, and
		 * one of before our last start shall not wait for its time-out.
		 */
		return seg->len > 0;
	}
	if (!inet_buffers_may_begin(inet) || !slot_has_room(inet))
		return true; /* the peer's text comes again, and perhaps there is one then */
	if (!cookie_is_new(inet, ends, seg->ack - 1)) {
		inet->stats.tcp_cookies_refused++;
		return false;
	}
	conn = inet_conn_alloc(inet, &frame->key);
	if (conn == NULL) {
		inet->stats.tx_no_route++;
		return true;
	}
	leat_tcp_open_cookie(&conn->tcb, conf, inet->now_us, seg, &syn, conf->mss);
	conn->listener = listener->user;
	inet->stats.tcp_cookies_accepted++;
	inet->stats.tcp_opens_passive++;
	inet_tcp_conn_input(inet, conn, frame);
	return true;
}

void
inet_listen_input(
	struct leat_inet *inet, const struct inet_listener *listener, struct inet_tcp_frame *frame)
{
	uint8_t flags = frame->seg.flags;

	if ((flags & LEAT_TCP_RST) != 0) { /* first */
		inet->stats.rx_tcp_listen_ignored++;
		return;
	}
	if ((flags & LEAT_TCP_ACK) != 0) { /* second */
		if (inet->now_us >= inet->cookies_until_us || !cookie_input(inet, listener, frame))
			inet_tcp_reset(inet, frame, NULL);
		return;
	}
	if ((flags & LEAT_TCP_SYN) == 0 || (flags & LEAT_TCP_FIN) != 0) { /* fourth; nobody's SYN */
		inet->stats.rx_tcp_listen_ignored++;
		return;
	}
	switch (syn_choose(inet, frame)) { /* third */
	case SYN_KEEP:
		syn_keep(inet, listener, frame, inet_conn_iss(inet, &frame->key, inet->now_us));
		break;
	case SYN_COOKIE:
		syn_answer_by_cookie(inet, frame);
		break;
	case SYN_DROP:
		break;
	}
}

/*
 * A cookie's number may be below those of the old connection, and where there are no
 * timestamps nothing else tells the two apart. So the SYN gets a slot in spite of the
 * backlog, if only the oldest half-open one's: its sender has shown before that he is there,
 * and for each slot there is one TIME-WAIT less.
 */
static enum syn_way
reopen_choose(
	struct leat_inet *inet, const struct inet_time_wait *tw, const struct inet_tcp_frame *frame)
{
	if (tw->tcp.ts_on && frame->seg.opts.has_ts)
		return syn_choose(inet, frame);
	if (!inet_buffers_may_begin(inet))
		return SYN_DROP;
	if (inet->nb_half_open >= inet->nb_half_open_max)
		half_open_evict(inet);
	return slot_has_room(inet) ? SYN_KEEP : SYN_DROP;
}

bool
inet_listen_reopen(
	struct leat_inet *inet, struct inet_time_wait *tw, const struct inet_tcp_frame *frame)
{
	const struct inet_listener *listener = inet_listener_find(inet, &frame->key);
	enum syn_way way = listener == NULL ? SYN_DROP : reopen_choose(inet, tw, frame);
	uint32_t iss;

	if (way == SYN_DROP)
		return false;
	/* RFC 9293 section 3.6.1: above the largest number of the old connection. */
	iss = inet_conn_iss(inet, &frame->key, inet->now_us);
	if ((int32_t)(iss - tw->tcp.snd_nxt) <= 0)
		iss = tw->tcp.snd_nxt + 1;
	inet_time_wait_remove(inet, tw);
	inet->stats.time_wait_reopened++;
	if (way == SYN_COOKIE)
		syn_answer_by_cookie(inet, frame);
	else
		syn_keep(inet, listener, frame, iss);
	return true;
}
