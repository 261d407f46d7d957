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
out_fill_opts(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_opts *opts)
{
	tcp_fill_ts(tcb, now_us, opts);
	if (tcb->reass == 0 || !tcb->sack_on)
		return;
	opts->nb_sacks = tcp_reass_sacks(tcb, opts->sacks);
	tcp_reass_told(tcb);
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
	tcb->nb_rtx += out->is_rtx;
	tcp_rtt_syn_sent(tcb, now_us);
	tcb->snd_max = tcb->iss + 1;
	tcp_rtx_start(tcb, now_us);
	return true;
}

/* Text that one segment holds, given what it must tell besides. */
static uint32_t
out_text_max(const struct leat_tcb *tcb)
{
	uint32_t len = tcp_eff_mss(tcb);
	uint32_t nb_sacks = tcb->reass != 0 && tcb->sack_on ? tcp_reass_nb_sacks(tcb) : 0;

	return nb_sacks > 0 ? len - (4 + 8 * nb_sacks) : len;
}

/*
 * How much of @p len bytes may leave at once: one segment, or several that the port cuts. No
 * short segment but at the end of the text, @p is_end.
 */
static uint32_t
out_cut(uint32_t tso_len_max, uint32_t text_max, uint32_t len, bool is_end)
{
	if (len <= text_max)
		return len;
	if (tso_len_max < 2 * text_max)
		return text_max;
	if (is_end && len <= tso_len_max)
		return len;
	len = LEAT_MIN(len, tso_len_max);
	return len - len % text_max; /* a division for several segments */
}

/* Put @p len bytes of text on a segment, and the FIN. */
static void
out_load(const struct leat_tcb *tcb, struct leat_tcp_out *out, uint32_t text_max, uint32_t len,
	bool has_fin)
{
	out->len = len;
	out->mss = (uint16_t)(len > text_max ? text_max : 0);
	if (len > 0 && out->seq + len == tcb->snd_una + tcb->snd_len)
		out->flags |= LEAT_TCP_PSH;
	if (has_fin)
		out->flags |= LEAT_TCP_FIN;
}

/* Text that was sent before leaves again: @p len bytes of @p rec, and the FIN behind it. */
static void
out_resend(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out, struct tcp_rec *rec,
	uint32_t len)
{
	uint32_t text_max = out_text_max(tcb);
	uint32_t end = rec->seq + len;
	bool has_fin = tcb->fin_sent && end == tcb->snd_max - 1;

	out_fill(tcb, now_us, out, rec->seq);
	out->is_rtx = true;
	if (len > 0) {
		out->text = rec->text;
		out->off = rec->off;
	}
	out_load(tcb, out, text_max, len, has_fin);
	tcp_rec_resent(tcb, now_us, rec, end + has_fin);
	tcp_cc_on_sent(tcb, len);
	tcb->nb_rtx++;
	tcp_rtx_start(tcb, now_us);
}

/* Bytes of text in @p rec. */
static uint32_t
rec_text_len(const struct leat_tcb *tcb, const struct tcp_rec *rec)
{
	return rec->end - rec->seq - (tcb->fin_sent && rec->end == tcb->snd_max);
}

/* The oldest text in flight once more, though the pool has no record for it. */
static bool
out_front(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	const struct tcp_rec *head = tcp_rec_at(tcb, tcb->rec_head);
	struct tcp_rec front = {
		.seq = tcb->snd_una,
		.end = head == NULL ? tcb->snd_max : head->seq,
		.text = tcb->tx_head,
		.off = tcb->tx_head_off,
	};
	uint32_t len = LEAT_MIN(rec_text_len(tcb, &front), out_text_max(tcb));

	front.end = front.seq + len; /* nothing to split */
	out_resend(tcb, now_us, out, &front, len);
	return true;
}

/*
 * How much of the lost text @p rec may go. What the pipe of RFC 6675 section 4 leaves of
 * cwnd, by full segments; of a window that the peer took back, only its first segment, as a
 * probe (RFC 9293 section 3.8.6).
 */
static uint32_t
out_lost_len(const struct leat_tcb *tcb, uint32_t tso_len_max, const struct tcp_rec *rec,
	bool forced, bool *may_go)
{
	uint32_t text_max = out_text_max(tcb);
	uint32_t text_len = rec_text_len(tcb, rec);
	uint32_t pipe = tcp_pipe(tcb);
	uint32_t wnd = tcp_cc_wnd(tcb);
	uint32_t room = wnd > pipe ? wnd - pipe : 0;
	uint32_t one = LEAT_MIN(text_len, text_max);

	*may_go = forced || room >= one;
	if (rec->seq != tcb->snd_una && rec->seq + one - tcb->snd_una > tcb->snd_wnd)
		*may_go = false;
	if (room <= one || rec->end - tcb->snd_una > tcb->snd_wnd)
		return one;
	return out_cut(tso_len_max, text_max, LEAT_MIN(text_len, room), room >= text_len);
}

/* What was lost, the oldest first, ahead of new text. */
static bool
out_rtx(struct leat_tcb *tcb, uint64_t now_us, uint32_t tso_len_max, struct leat_tcp_out *out)
{
	bool forced = (tcb->owed & TCP_OWED_RTX) != 0;
	struct tcp_rec *rec;
	uint32_t len;
	bool may_go;

	if (!forced && tcb->snd_lost == 0)
		return false;
	tcb->owed &= (uint8_t)~TCP_OWED_RTX;
	if (tcb->snd_una == tcb->snd_max)
		return false;
	if (forced && !tcp_rec_covers_front(tcb))
		return out_front(tcb, now_us, out);
	rec = tcp_rec_first_lost(tcb);
	if (rec == NULL)
		return false;
	tcp_rec_gather(tcb, rec, out_text_max(tcb)); /* small ones leave as one segment */
	len = out_lost_len(tcb, tso_len_max, rec, forced, &may_go);
	if (may_go)
		out_resend(tcb, now_us, out, rec, len);
	return may_go;
}

/*
 * How much of @p unsent bytes may go now. The sender's side of silly window avoidance,
 * section 3.8.6.2.1: a full segment, all there is, or half of the largest window. What was
 * lost comes first.
 */
static uint32_t
out_sendable(const struct leat_tcb *tcb, uint32_t tso_len_max, uint32_t text_max, uint32_t unsent)
{
	uint32_t flight = tcb->snd_max - tcb->snd_una;
	uint32_t pipe = tcp_pipe(tcb);
	uint32_t cwnd = tcp_cc_wnd(tcb);
	uint32_t room = cwnd > pipe ? cwnd - pipe : 0;
	uint32_t wnd = tcb->snd_wnd > flight ? tcb->snd_wnd - flight : 0;
	uint32_t len = LEAT_MIN(unsent, LEAT_MIN(room, wnd));

	if (tcb->snd_lost > 0)
		return 0;
	if (len == unsent || len >= text_max)
		return out_cut(tso_len_max, text_max, len, len == unsent);
	return len >= tcb->snd_wnd_max / 2 || tcb->probe_any ? len : 0;
}

/* New text of @p len bytes leaves, and the FIN behind it. */
static void
out_new(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out, uint32_t text_max,
	uint32_t len, bool has_fin)
{
	out_fill(tcb, now_us, out, tcb->snd_max);
	if (len > 0) {
		out->text = tcb->tx_pos;
		out->off = tcb->tx_pos_off;
	}
	out_load(tcb, out, text_max, len, has_fin);
	tcp_rec_sent(tcb, now_us, out, out->seq + len + has_fin);
	tcp_tx_advance(tcb, len);
	tcb->snd_max += len + has_fin;
	tcb->fin_sent |= has_fin;
	tcb->snd_at_ms = tcp_ms(now_us);
	tcb->probe_any = false;
	tcp_cc_on_sent(tcb, len);
	tcp_rtx_start(tcb, now_us);
}

/* Bytes that were never sent. */
static uint32_t
out_unsent(const struct leat_tcb *tcb)
{
	uint32_t flight = tcb->snd_max - tcb->snd_una;

	return flight < tcb->snd_len ? tcb->snd_len - flight : 0;
}

/* Text from snd_max on, and the FIN behind it. */
static bool
out_text(struct leat_tcb *tcb, uint64_t now_us, uint32_t tso_len_max, struct leat_tcp_out *out)
{
	uint32_t text_max = out_text_max(tcb);
	uint32_t unsent = out_unsent(tcb);
	uint32_t len;
	bool has_fin;

	if ((tcb->owed & TCP_OWED_SEND) == 0)
		return false;
	LEAT_ASSERT(tcp_state_sends(tcb));
	if (tcb->fin_queued && tcb->life_at_us == TCP_NEVER)
		tcb->life_at_us = now_us + tcb->conf->fin_wait_2_us;
	if (tcb->snd_una == tcb->snd_max && unsent > 0)
		tcp_cc_on_restart(tcb, now_us);
	len = out_sendable(tcb, tso_len_max, text_max, unsent);
	/* A FIN takes no room: it goes whatever the window is. */
	has_fin = tcb->fin_queued && !tcb->fin_sent && len == unsent;
	if (len == 0 && !has_fin) {
		tcb->owed &= (uint8_t)~TCP_OWED_SEND;
		if (unsent > 0 && tcb->snd_una == tcb->snd_max)
			tcp_persist_start(tcb, now_us);
		return false;
	}
	out_new(tcb, now_us, out, text_max, len, has_fin);
	if (len == unsent) /* the next call need not find out */
		tcb->owed &= (uint8_t)~TCP_OWED_SEND;
	return true;
}

/* The last record with text, if there is one: not every peer tells by SACK of a FIN alone. */
static struct tcp_rec *
out_last_text(const struct leat_tcb *tcb)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_tail);

	if (rec == NULL || rec_text_len(tcb, rec) > 0 || tcb->rec_head == tcb->rec_tail)
		return rec;
	for (rec = tcp_rec_at(tcb, tcb->rec_head); rec->next != tcb->rec_tail;)
		rec = tcp_rec_at(tcb, rec->next);
	return rec;
}

/*
 * A tail loss probe, RFC 8985 section 7.3: new text if there is some that the peer takes,
 * whatever cwnd is, else the last segment again.
 */
static bool
out_tlp(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *out)
{
	uint32_t text_max = out_text_max(tcb);
	uint32_t len = LEAT_MIN(out_unsent(tcb), text_max);
	struct tcp_rec *rec;

	if ((tcb->owed & TCP_OWED_TLP) == 0)
		return false;
	tcb->owed &= (uint8_t)~TCP_OWED_TLP;
	rec = out_last_text(tcb);
	if (rec == NULL || (rec->flags & (TCP_REC_SACKED | TCP_REC_LOST)) != 0)
		return false; /* the peer has told meanwhile */
	tcb->tlp_on = true;
	tcb->tlp_timed = false;
	tcb->tlp_is_rtx = len == 0 || tcb->snd_max + len - tcb->snd_una > tcb->snd_wnd;
	if (!tcb->tlp_is_rtx) {
		out_new(tcb, now_us, out, text_max, len, tcb->fin_queued && len == out_unsent(tcb));
	} else {
		len = rec_text_len(tcb, rec);
		if (len > text_max && tcp_rec_split(tcb, rec, rec->seq + len - text_max))
			rec = tcp_rec_at(tcb, rec->next);
		out_resend(tcb, now_us, out, rec, LEAT_MIN(len, text_max));
	}
	tcb->tlp_end = tcb->snd_max;
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
leat_tcp_output(
	struct leat_tcb *tcb, uint64_t now_us, uint32_t tso_len_max, struct leat_tcp_out *out)
{
	if (tcb->owed == 0)
		return false;
	return out_syn(tcb, now_us, out) || out_tlp(tcb, now_us, out) ||
	       out_rtx(tcb, now_us, tso_len_max, out) || out_text(tcb, now_us, tso_len_max, out) ||
	       out_probe(tcb, now_us, out) || out_ack(tcb, now_us, out);
}
