/* SPDX-License-Identifier: BSD-3-Clause */

/* What an acknowledgment does: RFC 9293 section 3.10.7.4, fifth step. */

#include <leat_common.h>

#include "tcp_priv.h"

/* RFC 5961 section 5.2: neither of what we never sent, nor older than a window. */
static bool
ack_is_acceptable(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	return seq_le(tcb->snd_una - tcb->snd_wnd_max, seg->ack) && seq_le(seg->ack, tcb->snd_max);
}

/* RFC 5681 section 2; of a peer that speaks no SACK. */
static bool
ack_is_duplicate(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	if (seg->ack != tcb->snd_una || tcb->snd_una == tcb->snd_max)
		return false;
	if (seg->len > 0 || (seg->flags & LEAT_TCP_FIN) != 0)
		return false;
	return seg->wnd << tcb->snd_wscale == tcb->snd_wnd;
}

static void
ack_tell_writable(struct leat_tcb *tcb)
{
	if (!tcb->is_blocked || tcb->snd_len > (tcb->is_acked_due ? 0 : tcb->conf->snd_len_max / 2))
		return;
	tcb->is_blocked = false;
	tcb->is_acked_due = false;
	tcb->events |= LEAT_TCP_EV_WRITABLE;
}

/* Something new was acknowledged. */
static void
ack_take_new(struct leat_tcb *tcb, struct tcp_ack *ack)
{
	uint32_t una = ack->seg->ack;
	uint32_t text_len;

	ack->acked = una - tcb->snd_una;
	text_len = LEAT_MIN(ack->acked, tcb->snd_len);
	LEAT_VERIFY(ack->acked - text_len <= tcb->fin_sent);
	tcp_rec_acked(tcb, ack, una);
	tcb->nb_retries = 0;
	tcb->snd_una = una;
	tcp_tx_acked(tcb, text_len);
	tcp_rec_trim(tcb);
	if (ack->rtt_us > 0)
		tcp_rtt_sample(tcb, ack->rtt_us);
	tcb->owed &= (uint8_t) ~(TCP_OWED_RTX | TCP_OWED_TLP);
	ack_tell_writable(tcb);
	if (tcb->fin_queued) /* the peer takes what is left: the limit starts anew */
		tcb->life_at_us = ack->now_us + tcb->conf->fin_wait_2_us;
}

/* What the ACK tells of text in flight. */
static void
ack_take_flight(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	struct tcp_ack ack = {
		.now_us = now_us,
		.seg = seg,
		.flight = tcb->snd_max - tcb->snd_una,
	};

	if (seq_lt(tcb->snd_una, seg->ack))
		ack_take_new(tcb, &ack);
	else if (!tcb->sack_on && ack_is_duplicate(tcb, seg))
		tcp_recovery_on_dup_ack(tcb);
	if (tcb->sack_on && seg->opts.nb_sacks > 0)
		tcp_sack_take(tcb, &ack);
	tcp_recovery_on_ack(tcb, &ack);
}

/* All that we sent, our FIN included, has been acknowledged. */
static enum leat_tcp_verdict
ack_take_fin(struct leat_tcb *tcb, uint64_t now_us)
{
	tcb->fin_acked = true;
	tcb->owed &= (uint8_t)~TCP_OWED_SEND;
	switch (tcb->state) {
	case LEAT_TCP_FIN_WAIT_1:
		tcp_set_state(tcb, LEAT_TCP_FIN_WAIT_2);
		return LEAT_TCP_NEXT;
	case LEAT_TCP_CLOSING:
		tcp_enter_time_wait(tcb, now_us);
		return LEAT_TCP_NEXT;
	case LEAT_TCP_LAST_ACK:
		tcp_end(tcb, 0);
		return LEAT_TCP_GONE;
	default: /* no other state has a FIN that is not acknowledged */
		LEAT_VERIFY(false);
	}
	return LEAT_TCP_NEXT;
}

void
tcp_take_snd_wnd(struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	/*
	 * A segment that acknowledges more is the newer one, whatever its number: it may hold
	 * text that was lost before. With the window left as it was, its edge would move on
	 * with SND.UNA beyond what the peer has offered.
	 */
	if (seq_le(seg->ack, tcb->snd_wl2) &&
		(seq_lt(seg->seq, tcb->snd_wl1) || seq_lt(seg->ack, tcb->snd_wl2)))
		return;
	tcb->snd_wnd = seg->wnd << tcb->snd_wscale;
	tcb->snd_wnd_max = LEAT_MAX(tcb->snd_wnd_max, tcb->snd_wnd);
	tcb->snd_wl1 = seg->seq;
	tcb->snd_wl2 = seg->ack;
}

enum leat_tcp_verdict
tcp_take_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	bool was_closed;

	if (!ack_is_acceptable(tcb, seg)) {
		tcp_owe_challenge(tcb, now_us);
		return LEAT_TCP_DROPPED;
	}
	if (tcb->timer_kind == TCP_TIMER_PERSIST) /* the peer lives: probe for ever */
		tcb->nb_retries = 0;
	/* Of a second copy the peer tells when nothing may be in flight any more. */
	if (tcb->snd_una != tcb->snd_max || tcb->tlp_on || (tcb->sack_on && seg->opts.nb_sacks > 0))
		ack_take_flight(tcb, now_us, seg);
	was_closed = tcb->snd_wnd == 0;
	tcp_take_snd_wnd(tcb, seg);
	if (tcb->snd_wnd == 0) /* what it closed upon goes on as its probe, as long as that */
		tcb->nb_retries = 0;
	else if (was_closed && tcb->in_loss) /* the time-out may be far off by now */
		tcp_rec_front_lost(tcb);
	if (tcb->fin_sent && !tcb->fin_acked && tcb->snd_una == tcb->snd_max)
		return ack_take_fin(tcb, now_us);
	if (tcb->snd_len > 0 || (tcb->fin_queued && !tcb->fin_acked))
		tcb->owed |= TCP_OWED_SEND;
	return LEAT_TCP_NEXT;
}
