/* SPDX-License-Identifier: BSD-3-Clause */

/* The user's calls of RFC 9293 section 3.10, and the start of a connection. */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

void
leat_tcp_conf_init(struct leat_tcp_conf *conf, uint16_t mss)
{
	*conf = (struct leat_tcp_conf){
		.mss = mss,
		.mss_default = LEAT_TCP_MSS_DEFAULT,
		.wscale = 3,
		.rcv_wnd_max = 256 * 1024,
		.snd_len_max = 256 * 1024,
		.rto_initial_us = 1000 * 1000,
		.rto_min_us = 200 * 1000,
		.rto_max_us = 60 * 1000 * 1000,
		.nb_retries_max = 15,
		.nb_syn_retries_max = 6, /* two minutes; RFC 9293 3.8.3 says three, or the user's */
		.nb_synack_retries_max = 5,
		.ack_delay_us = 40 * 1000,
		.time_wait_us = 30 * 1000 * 1000,
		.fin_wait_2_us = 60 * 1000 * 1000,
		.nb_reass_max = 1024,
		.congestion = LEAT_TCP_CUBIC,
		.keep_interval_s = 75,
		.nb_keep_probes_max = 9,
	};
}

static void
conn_init(struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint32_t iss)
{
	LEAT_VERIFY(conf->wscale <= LEAT_TCP_WSCALE_MAX);
	LEAT_VERIFY(conf->rcv_wnd_max >> conf->wscale <= UINT16_MAX);
	LEAT_VERIFY(conf->rcv_wnd_max >= 2u * conf->mss);
	LEAT_VERIFY(conf->rto_max_us <= LEAT_TCP_RTO_MAX_US);
	LEAT_VERIFY(conf->nb_reass_max <= LEAT_TCP_RX_SEGS_MAX);
	LEAT_VERIFY(conf->keep_idle_s <= LEAT_TCP_KEEP_MAX_S);
	LEAT_VERIFY(conf->keep_interval_s - 1 < LEAT_TCP_KEEP_MAX_S);
	LEAT_VERIFY(conf->nb_keep_probes_max > 0);
	LEAT_VERIFY(conf->congestion < LEAT_TCP_CONGESTIONS);

	*tcb = (struct leat_tcb){ 0 };
	tcb->conf = conf;
	tcb->iss = iss;
	tcb->snd_una = iss;
	tcb->snd_max = iss;
	tcb->snd_mss = LEAT_MIN(conf->mss, conf->mss_default);
	tcb->rcv_mss = LEAT_TCP_MSS_DEFAULT;
	tcb->rto_us = conf->rto_initial_us;
	tcb->reo_mult = 1;
	tcb->rtx_at_us = TCP_NEVER;
	tcb->ack_at_us = TCP_NEVER;
	tcb->life_at_us = TCP_NEVER;
	tcb->owed = TCP_OWED_SYN;
}

void
leat_tcp_open_passive(struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us,
	uint32_t iss, const struct leat_tcp_seg *syn, uint16_t peer_mss_max)
{
	conn_init(tcb, conf, iss);
	tcb->is_passive = true;
	tcp_set_state(tcb, LEAT_TCP_LISTEN);
	tcp_take_syn(tcb, now_us, syn, peer_mss_max);
	tcp_set_state(tcb, LEAT_TCP_SYN_RECEIVED);
}

void
leat_tcp_open_active(
	struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us, uint32_t iss)
{
	(void)now_us; /* the timer starts when the SYN leaves */
	conn_init(tcb, conf, iss);
	tcp_set_state(tcb, LEAT_TCP_SYN_SENT);
}

void
tcp_take_syn(
	struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *syn, uint16_t mss_max)
{
	const struct leat_tcp_opts *opts = &syn->opts;

	tcb->irs = syn->seq;
	tcb->rcv_nxt = syn->seq + 1;
	tcb->rcv_adv = tcb->rcv_nxt;
	if (tcb->state == LEAT_TCP_SYN_SENT) /* our SYN has offered a window */
		tcb->rcv_adv += LEAT_MIN(tcb->conf->rcv_wnd_max, (uint32_t)UINT16_MAX);
	tcb->last_ack_sent = tcb->rcv_nxt;
	tcb->snd_wnd = syn->wnd; /* a SYN's window is not scaled, RFC 7323 section 2.2 */
	tcb->snd_wnd_max = syn->wnd;
	tcb->snd_wl1 = syn->seq;
	tcb->snd_wl2 = syn->ack;
	tcb->snd_mss = opts->mss != 0 ? opts->mss : tcb->conf->mss_default;
	tcb->snd_mss = LEAT_MIN(tcb->snd_mss, tcb->conf->mss);
	tcp_limit_mss(tcb, mss_max);
	tcb->snd_mss = LEAT_MAX(tcb->snd_mss, (uint16_t)LEAT_TCP_MSS_MIN);
	tcb->sack_on = opts->has_sack_ok;
	tcb->has_wscale = opts->has_wscale;
	if (opts->has_wscale) {
		tcb->snd_wscale = opts->wscale;
		tcb->rcv_wscale = tcb->conf->wscale;
	}
	if (opts->has_ts) {
		tcb->ts_on = true;
		tcb->ts_recent = opts->ts_val;
		tcb->ts_recent_at_s = tcp_s(now_us);
	}
}

void
tcp_take_syn_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	tcp_rtt_syn_acked(tcb, now_us, seg);
	tcb->snd_una = seg->ack;
	tcb->nb_retries = 0;
	tcb->owed &= (uint8_t)~TCP_OWED_SYN;
	tcp_rtx_restart(tcb, now_us);
	tcp_cc_init(tcb);
}

struct rte_mbuf *
leat_tcp_take_text(struct leat_tcb *tcb)
{
	struct rte_mbuf *text = tcb->rx_head;

	tcb->rx_head = NULL;
	tcb->rx_tail = NULL;
	return text;
}

int
leat_tcp_send(struct leat_tcb *tcb, struct rte_mbuf *chain)
{
	LEAT_VERIFY(chain->pkt_len > 0);
	if (tcb->fin_queued || tcb->state == LEAT_TCP_CLOSED)
		return -EPIPE;
	if (tcb->snd_len > 0 && (tcb->snd_len >= tcb->conf->snd_len_max ||
					chain->pkt_len > tcb->conf->snd_len_max - tcb->snd_len)) {
		tcb->is_blocked = true;
		return -ENOBUFS;
	}
	tcp_tx_append(tcb, chain);
	if (tcp_state_sends(tcb)) /* else when the handshake is done */
		tcb->owed |= TCP_OWED_SEND;
	return 0;
}

bool
leat_tcp_is_acked(struct leat_tcb *tcb)
{
	bool is_acked = tcb->snd_len == 0;

	tcb->is_blocked |= !is_acked;
	tcb->is_acked_due |= !is_acked;
	return is_acked;
}

void
leat_tcp_shutdown(struct leat_tcb *tcb)
{
	if (tcb->fin_queued || tcb->state == LEAT_TCP_CLOSED)
		return;
	tcp_keep_stop(tcb);
	switch (tcb->state) {
	case LEAT_TCP_SYN_SENT:
		tcp_end(tcb, 0);
		return;
	case LEAT_TCP_ESTABLISHED:
		tcp_set_state(tcb, LEAT_TCP_FIN_WAIT_1);
		break;
	case LEAT_TCP_CLOSE_WAIT:
		tcp_set_state(tcb, LEAT_TCP_LAST_ACK);
		break;
	default: /* SYN-RECEIVED goes on when it is established; all others have a FIN queued */
		LEAT_VERIFY(tcb->state == LEAT_TCP_SYN_RECEIVED);
		tcb->fin_queued = true;
		return;
	}
	tcb->fin_queued = true;
	tcb->owed |= TCP_OWED_SEND;
}

bool
leat_tcp_close(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst)
{
	if (tcb->rcv_unread > 0 && tcp_state_synchronized(tcb))
		return leat_tcp_abort(tcb, now_us, rst);
	tcb->is_orphan = true;
	leat_tcp_shutdown(tcb);
	return false;
}

bool
leat_tcp_abort(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst)
{
	bool tell = false;

	switch (tcb->state) {
	case LEAT_TCP_CLOSED:
		return false;
	case LEAT_TCP_SYN_RECEIVED:
	case LEAT_TCP_ESTABLISHED:
	case LEAT_TCP_FIN_WAIT_1:
	case LEAT_TCP_FIN_WAIT_2:
	case LEAT_TCP_CLOSE_WAIT:
		tcp_fill_rst(tcb, now_us, rst);
		tell = true;
		break;
	case LEAT_TCP_CLOSING:
	case LEAT_TCP_LAST_ACK: /* a reset does no harm to a peer that has all our text */
		tell = tcb->snd_len > 0;
		if (tell)
			tcp_fill_rst(tcb, now_us, rst);
		break;
	default: /* SYN-SENT, TIME-WAIT: there is nobody to tell */
		break;
	}
	tcp_end(tcb, -ECONNABORTED);
	return tell;
}

bool
leat_tcp_refuse(const struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg,
	struct leat_tcp_out *rst)
{
	if ((seg->flags & LEAT_TCP_RST) != 0)
		return false;
	*rst = (struct leat_tcp_out){ .flags = LEAT_TCP_RST };
	if ((seg->flags & LEAT_TCP_ACK) != 0) {
		rst->seq = seg->ack;
	} else {
		rst->flags |= LEAT_TCP_ACK;
		rst->ack = seg->seq + tcp_seg_seq_len(seg);
	}
	if (tcb != NULL)
		tcp_fill_ts(tcb, now_us, &rst->opts);
	return true;
}

void
leat_tcp_fini(struct leat_tcb *tcb)
{
	rte_pktmbuf_free(tcb->rx_head);
	tcb->rx_head = NULL;
	tcb->rx_tail = NULL;
	tcp_tx_free(tcb);
	tcp_reass_free(tcb);
}
