/* SPDX-License-Identifier: BSD-3-Clause */

/* What may be sent now: RFC 9293 section 3.10.2 and 3.8.6.2.1. */

#include <leat_common.h>

#include "tcp_priv.h"

/* An ACK leaves: nothing more is owed to the peer's text. */
static void
out_count_ack(struct leat_tcb *tcb)
{
	tcb->last_ack_sent = tcb->rcv_nxt;
	tcb->ack_at_us = TCP_NEVER;
	tcb->owed &= (uint8_t)~TCP_OWED_ACK;
}

void
tcp_fill_ts(const struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_opts *opts)
{
	if (!tcb->ts_on)
		return;
	opts->has_ts = true;
	opts->ts_val = tcp_ts_now(tcb->conf, now_us);
	opts->ts_ecr = tcb->ts_recent;
}

static void
out_fill_opts(const struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_opts *opts)
{
	unsigned int nb_sacks_max = LEAT_TCP_SACK_MAX - tcb->ts_on;

	tcp_fill_ts(tcb, now_us, opts);
	if (!tcb->sack_on)
		return;
	opts->nb_sacks = (uint8_t)LEAT_MIN(tcb->nb_sacks, nb_sacks_max);
	for (unsigned int i = 0; i < opts->nb_sacks; i++)
		opts->sacks[i] = tcb->sacks[i];
}

/* A segment of a synchronized connection; each carries an ACK. */
static void
out_fill(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out, uint32_t seq)
{
	*out = (struct leat_tcp_out){ 0 };
	out->seq = seq;
	out->ack = tcb->rcv_nxt;
	out->wnd = tcp_offer_wnd(tcb, false);
	out->flags = LEAT_TCP_ACK;
	out_fill_opts(tcb, now_us, &out->opts);
	out_count_ack(tcb);
}

void
tcp_fill_rst(const struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst)
{
	*rst = (struct leat_tcp_out){ 0 };
	rst->seq = tcb->snd_max;
	rst->ack = tcb->rcv_nxt;
	rst->flags = LEAT_TCP_RST | LEAT_TCP_ACK;
	tcp_fill_ts(tcb, now_us, &rst->opts); /* RFC 7323 section 3.2 */
}

/* SYN offers all that we speak; SYN-ACK what the peer offered as well. */
static bool
out_syn(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	bool is_answer = tcb->state == LEAT_TCP_SYN_RECEIVED;

	if ((tcb->owed & TCP_OWED_SYN) == 0)
		return false;
	tcb->owed &= (uint8_t)~TCP_OWED_SYN;
	*out = (struct leat_tcp_out){ 0 };
	out->seq = tcb->iss;
	out->flags = LEAT_TCP_SYN;
	out->opts.mss = tcb->conf->mss;
	out->opts.has_ts = tcb->ts_on || !is_answer;
	out->opts.ts_val = out->opts.has_ts ? tcp_ts_now(tcb->conf, now_us) : 0;
	out->opts.has_sack_ok = tcb->sack_on || !is_answer;
	out->opts.has_wscale = tcb->has_wscale || !is_answer;
	out->opts.wscale = out->opts.has_wscale ? tcb->conf->wscale : 0;
	out->wnd = (uint16_t)LEAT_MIN(tcb->conf->rcv_wnd_max, (uint32_t)UINT16_MAX);
	if (is_answer) {
		out->flags |= LEAT_TCP_ACK;
		out->ack = tcb->rcv_nxt;
		out->opts.ts_ecr = tcb->ts_on ? tcb->ts_recent : 0;
		out->wnd = tcp_offer_wnd(tcb, true);
		out_count_ack(tcb);
	}
	out->is_rtx = tcb->snd_max != tcb->iss;
	if (!out->is_rtx)
		tcp_rtt_start(tcb, now_us, tcb->iss + 1);
	tcb->snd_nxt = tcb->iss + 1;
	tcb->snd_max = tcb->iss + 1;
	tcp_rtx_start(tcb, now_us);
	return true;
}

/* Text that one segment holds, given what it must tell besides. */
static uint32_t
out_text_max(const struct leat_tcb *tcb)
{
	uint32_t nb_sacks = LEAT_MIN(tcb->nb_sacks, LEAT_TCP_SACK_MAX - tcb->ts_on);
	uint32_t len = tcp_eff_mss(tcb);

	return tcb->sack_on && nb_sacks > 0 ? len - (4 + 8 * nb_sacks) : len;
}

/* The oldest unacknowledged segment once more, ahead of everything else. */
static bool
out_rtx(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	uint32_t len = LEAT_MIN(tcb->snd_len, tcb->snd_max - tcb->snd_una);

	if ((tcb->owed & TCP_OWED_RTX) == 0)
		return false;
	tcb->owed &= (uint8_t)~TCP_OWED_RTX;
	if (tcb->snd_una == tcb->snd_max)
		return false;
	len = LEAT_MIN(len, out_text_max(tcb));
	out_fill(tcb, now_us, out, tcb->snd_una);
	out->is_rtx = true;
	if (len > 0) {
		out->text = tcb->tx_head;
		out->off = tcb->tx_head_off;
		out->len = len;
	}
	if (len > 0 && len == tcb->snd_len)
		out->flags |= LEAT_TCP_PSH;
	if (tcb->fin_sent && len == tcb->snd_len)
		out->flags |= LEAT_TCP_FIN;
	tcp_rtt_stop(tcb);
	tcp_rtx_start(tcb, now_us);
	return true;
}

/*
 * How much of @p unsent bytes may go now. The sender's side of silly window avoidance,
 * section 3.8.6.2.1: a full segment, all there is, or half of the largest window; what
 * was sent before goes again in any size.
 */
static uint32_t
out_sendable(const struct leat_tcb *tcb, uint32_t unsent)
{
	uint32_t flight = tcb->snd_nxt - tcb->snd_una;
	uint32_t wnd = LEAT_MIN(tcp_cc_wnd(tcb), tcb->snd_wnd);
	uint32_t room = wnd > flight ? wnd - flight : 0;
	uint32_t text_max = out_text_max(tcb);
	uint32_t len = LEAT_MIN(LEAT_MIN(unsent, text_max), room);

	if (len == text_max || len == unsent || len >= tcb->snd_wnd_max / 2)
		return len;
	return tcb->probe_any || seq_lt(tcb->snd_nxt, tcb->snd_max) ? len : 0;
}

/* snd_nxt moves past a segment. */
static void
out_count(struct leat_tcb *tcb, uint64_t now_us, uint32_t len, bool has_fin)
{
	bool is_new = tcb->snd_nxt == tcb->snd_max;

	tcp_tx_advance(tcb, len);
	tcb->snd_nxt += len + has_fin;
	tcb->fin_sent |= has_fin;
	if (is_new)
		tcp_rtt_start(tcb, now_us, tcb->snd_nxt);
	if (seq_lt(tcb->snd_max, tcb->snd_nxt))
		tcb->snd_max = tcb->snd_nxt;
	tcb->snd_at_ms = tcp_ms(now_us);
	tcb->probe_any = false;
	tcp_rtx_start(tcb, now_us);
}

/* Text from snd_nxt on, and the FIN behind it. */
static bool
out_text(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	uint32_t flight = tcb->snd_nxt - tcb->snd_una;
	uint32_t unsent = flight < tcb->snd_len ? tcb->snd_len - flight : 0;
	uint32_t len;
	bool has_fin;

	if ((tcb->owed & TCP_OWED_SEND) == 0)
		return false;
	LEAT_ASSERT(tcp_state_sends(tcb));
	if (tcb->fin_queued && tcb->life_at_us == TCP_NEVER)
		tcb->life_at_us = now_us + tcb->conf->fin_wait_2_us;
	if (tcb->snd_una == tcb->snd_max && unsent > 0)
		tcp_cc_on_restart(tcb, now_us);
	len = out_sendable(tcb, unsent);
	/* A FIN takes no room: it goes whatever the window is. */
	has_fin = tcb->fin_queued && len == unsent && flight <= tcb->snd_len;
	if (len == 0 && !has_fin) {
		tcb->owed &= (uint8_t)~TCP_OWED_SEND;
		if (unsent > 0 && flight == 0)
			tcp_persist_start(tcb, now_us);
		return false;
	}
	out_fill(tcb, now_us, out, tcb->snd_nxt);
	out->is_rtx = seq_lt(tcb->snd_nxt, tcb->snd_max);
	if (len > 0) {
		out->text = tcb->tx_pos;
		out->off = tcb->tx_pos_off;
		out->len = len;
	}
	if (len > 0 && len == unsent)
		out->flags |= LEAT_TCP_PSH;
	if (has_fin)
		out->flags |= LEAT_TCP_FIN;
	out_count(tcb, now_us, len, has_fin);
	return true;
}

/*
 * A probe of the closed window, or of a peer that is silent: a number just below what it
 * expects, which it must answer with its window. It takes no sequence number, so nothing
 * is in flight after it.
 */
static bool
out_probe(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	if ((tcb->owed & TCP_OWED_PROBE) == 0)
		return false;
	tcb->owed &= (uint8_t)~TCP_OWED_PROBE;
	if ((tcb->timer_kind != TCP_TIMER_PERSIST || tcb->rtx_at_us == TCP_NEVER) &&
		(tcb->nb_keep_probes == 0 || tcb->snd_len > 0))
		return false; /* the window has opened, or text asks the same, meanwhile */
	out_fill(tcb, now_us, out, tcb->snd_una - 1);
	return true;
}

static bool
out_ack(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	if ((tcb->owed & TCP_OWED_ACK) == 0)
		return false;
	out_fill(tcb, now_us, out, tcb->snd_max);
	return true;
}

bool
leat_tcp_output(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	if (tcb->owed == 0)
		return false;
	return out_syn(tcb, now_us, out) || out_rtx(tcb, now_us, out) ||
	       out_text(tcb, now_us, out) || out_probe(tcb, now_us, out) ||
	       out_ack(tcb, now_us, out);
}
