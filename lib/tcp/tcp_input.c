/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RFC 9293 section 3.10.7.4, "SEGMENT ARRIVES" in a synchronized state: one
 * function for each step of the RFC, called in its order by leat_tcp_input().
 */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

#define PAWS_VALID_S (24u * 24 * 3600) /* RFC 7323 section 5.5 */

/* The four cases of table 6. */
static bool
seg_is_acceptable(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	uint32_t len = tcp_seg_seq_len(seg);
	uint32_t wnd_end = tcb->rcv_adv;
	uint32_t last = seg->seq + len - 1;

	/*
	 * A closed window: "special allowance should be made to accept valid ACKs, URGs, and
	 * RSTs". Its text is cut off by seg_trim(). A FIN needs no room.
	 */
	if (tcp_rcv_wnd(tcb) == 0)
		return seg->seq == tcb->rcv_nxt;
	if (seq_le(tcb->rcv_nxt, seg->seq) && seq_lt(seg->seq, wnd_end))
		return true;
	/*
	 * A peer that has filled the window acknowledges from its right edge. By table 6 that
	 * would be outside while some of that text is missing, and nothing of ours could be
	 * acknowledged until it has come again.
	 */
	if (seg->seq == wnd_end && len == 0 && (seg->flags & LEAT_TCP_RST) == 0)
		return true;
	return len > 0 && seq_le(tcb->rcv_nxt, last) && seq_lt(last, wnd_end);
}

/* RFC 7323 section 5.3, R1: older than what came in order before. */
static bool
seg_fails_paws(const struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if (!tcb->ts_on || !seg->opts.has_ts || (seg->flags & LEAT_TCP_RST) != 0)
		return false;
	return seq_lt(seg->opts.ts_val, tcb->ts_recent) &&
	       tcp_s(now_us) - tcb->ts_recent_at_s <= PAWS_VALID_S;
}

/* RFC 7323 section 4.3 (2): TS.Recent follows what the last ACK covered. */
static void
seg_take_ts(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if (!tcb->ts_on || !seg->opts.has_ts || !seq_le(seg->seq, tcb->last_ack_sent))
		return;
	tcb->ts_recent = seg->opts.ts_val;
	tcb->ts_recent_at_s = tcp_s(now_us);
}

/* Text or a FIN that was taken before comes again: its ACK was lost, or late. */
static bool
seg_is_old(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	uint32_t len = tcp_seg_seq_len(seg);

	if (!tcp_state_synchronized(tcb) || len == 0 || (seg->flags & LEAT_TCP_SYN) != 0)
		return false;
	return seq_le(seg->seq + len, tcb->rcv_nxt) &&
	       tcb->rcv_nxt - seg->seq <= tcb->conf->rcv_wnd_max;
}

/*
 * Cut an acceptable segment and its text to what is new and fits; a tail that is cut
 * takes the FIN along.
 */
static void
seg_trim(struct leat_tcb *tcb, struct leat_tcp_seg *seg, struct rte_mbuf **text)
{
	uint32_t end = tcb->has_rcv_fin ? tcb->rcv_fin : tcb->rcv_adv;
	uint32_t room;

	if (seq_lt(seg->seq, tcb->rcv_nxt)) {
		uint32_t old = tcb->rcv_nxt - seg->seq;

		LEAT_ASSERT(old <= seg->len);
		tcp_reass_dsack(tcb, seg->seq, tcb->rcv_nxt);
		if (*text != NULL)
			*text = tcp_text_cut_front(*text, old);
		seg->seq += old;
		seg->len -= old;
	}
	room = seq_lt(seg->seq, end) ? end - seg->seq : 0;
	if (seg->len > room) {
		*text = tcp_text_keep(*text, room);
		seg->len = room;
		seg->flags &= (uint8_t)~LEAT_TCP_FIN;
	}
}

void
tcp_owe_challenge(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->challenge_at_s != tcp_s(now_us)) {
		tcb->challenge_at_s = tcp_s(now_us);
		tcb->nb_challenges = 0;
	}
	if (tcb->nb_challenges >= TCP_CHALLENGES_MAX)
		return;
	tcb->nb_challenges++;
	tcb->owed |= TCP_OWED_ACK;
}

/*
 * In SYN-RECEIVED the peer's SYN comes again: as it was if our SYN-ACK was lost, or as
 * a SYN-ACK when both sides opened at once (RFC 9293 figure 8).
 */
static enum leat_tcp_verdict
tcp_step0_syn_again(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg)
{
	if (tcb->state != LEAT_TCP_SYN_RECEIVED || seg->seq != tcb->irs ||
		(seg->flags & LEAT_TCP_SYN) == 0 || (seg->flags & LEAT_TCP_RST) != 0)
		return LEAT_TCP_NEXT;
	if ((seg->flags & LEAT_TCP_ACK) == 0) {
		seg_take_ts(tcb, now_us, seg); /* else the peer measures from its first SYN on */
		tcb->owed |= TCP_OWED_SYN;
		return LEAT_TCP_DROPPED;
	}
	if (seg->ack != tcb->snd_max)
		return LEAT_TCP_NEXT; /* not an answer to our SYN: its number is old */
	seg->wnd >>= tcb->snd_wscale; /* a SYN's is not scaled, RFC 7323 section 2.2 */
	seg->flags &= (uint8_t)~LEAT_TCP_SYN;
	seg->seq++;
	tcb->owed |= TCP_OWED_ACK;
	return LEAT_TCP_NEXT;
}

/*
 * RFC 9293 drops such a segment, here its ACK is taken as well: with it a peer whose request
 * comes again may tell that it has our reply, which else would leave once more. The ACK that
 * is owed must echo its timestamp, else the peer takes the time since its first attempt for
 * a round trip; the fifth step takes it.
 */
static void
tcp_step1_old(struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	tcp_reass_dsack(tcb, seg->seq, seg->seq + seg->len);
	tcb->owed |= TCP_OWED_ACK;
}

/* First, check the sequence number; before it the timestamp, RFC 7323 section 5.3. */
static enum leat_tcp_verdict
tcp_step1_seq(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	bool is_rst = (seg->flags & LEAT_TCP_RST) != 0;

	/* RFC 7323 section 3.2: once on, each segment carries one. */
	if (tcb->ts_on && !seg->opts.has_ts && !is_rst)
		return LEAT_TCP_DROPPED;
	if (!seg_fails_paws(tcb, now_us, seg)) {
		if (seg_is_acceptable(tcb, seg))
			return LEAT_TCP_NEXT;
		if (!is_rst && seg_is_old(tcb, seg)) {
			tcp_step1_old(tcb, seg);
			return LEAT_TCP_NEXT;
		}
	}
	if (is_rst)
		return LEAT_TCP_DROPPED;
	/* A SYN is challenged wherever it lies, RFC 5961 section 4.2. */
	if (tcp_seg_seq_len(seg) > 0 && (seg->flags & LEAT_TCP_SYN) == 0)
		tcb->owed |= TCP_OWED_ACK;
	else
		tcp_owe_challenge(tcb, now_us);
	return LEAT_TCP_DROPPED;
}

/* Second, check the RST bit; RFC 5961 section 3.2 asks for the exact number. */
static enum leat_tcp_verdict
tcp_step2_rst(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	bool refused = tcb->state == LEAT_TCP_SYN_RECEIVED && !tcb->is_passive;

	if ((seg->flags & LEAT_TCP_RST) == 0)
		return LEAT_TCP_NEXT;
	if (seg->seq != tcb->rcv_nxt) {
		tcp_owe_challenge(tcb, now_us);
		return LEAT_TCP_DROPPED;
	}
	tcp_end(tcb, refused ? -ECONNREFUSED : -ECONNRESET);
	return LEAT_TCP_GONE;
}

/*
 * Fourth, check the SYN bit: RFC 5961 section 4.2, always a challenge ACK. In
 * SYN-RECEIVED too: a peer that started anew answers it with the RST that ends us.
 */
static enum leat_tcp_verdict
tcp_step4_syn(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if ((seg->flags & LEAT_TCP_SYN) == 0)
		return LEAT_TCP_NEXT;
	tcp_owe_challenge(tcb, now_us);
	return LEAT_TCP_DROPPED;
}

/*
 * Fifth, check the ACK field. Only then the timestamp is believed, which RFC 7323 section 5.3
 * has taken before: one that is far ahead makes PAWS drop all that the peer sends from then
 * on, and who is not on the path would need no more for it than a number of the old text.
 */
static enum leat_tcp_verdict
tcp_step5_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	enum leat_tcp_verdict verdict;

	if ((seg->flags & LEAT_TCP_ACK) == 0)
		return LEAT_TCP_DROPPED;
	if (tcb->state == LEAT_TCP_SYN_RECEIVED) {
		if (!seq_lt(tcb->snd_una, seg->ack) || seq_lt(tcb->snd_max, seg->ack))
			return LEAT_TCP_REFUSED;
		tcp_take_syn_ack(tcb, now_us, seg);
		tcb->snd_wl1 = seg->seq;
		tcb->snd_wl2 = seg->ack;
		tcp_enter_established(tcb, now_us);
	}
	verdict = tcp_take_ack(tcb, now_us, seg);
	if (verdict == LEAT_TCP_DROPPED)
		return verdict;
	tcb->error = 0; /* the path carries something */
	tcp_keep_heard(tcb, now_us);
	seg_take_ts(tcb, now_us, seg);
	return verdict;
}

/* In-order text was taken: an ACK at once, or later on something that we send. */
static void
text_owe_ack(struct leat_tcb *tcb, uint64_t now_us, uint32_t len, bool had_hole)
{
	/* @p len is of the first mbuf: of a chain that the port joined, one segment. */
	uint32_t mss = LEAT_MIN(len, (uint32_t)tcb->conf->mss);

	tcb->rcv_mss = (uint16_t)LEAT_MAX((uint32_t)tcb->rcv_mss, mss);
	/* RFC 5681 section 4.2: a hole is filled; every second full segment. */
	if (had_hole || tcb->rcv_nxt - tcb->last_ack_sent >= 2u * tcb->rcv_mss ||
		tcb->conf->ack_delay_us == 0)
		tcb->owed |= TCP_OWED_ACK;
	else if (tcb->ack_at_us == TCP_NEVER)
		tcb->ack_at_us = now_us + tcb->conf->ack_delay_us;
}

/* Where the peer's text ends. What it sent behind that is dropped, and never kept again. */
static void
text_note_fin(struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	if (tcb->has_rcv_fin)
		return;
	tcb->has_rcv_fin = true;
	tcb->rcv_fin = seg->seq + seg->len;
	tcp_reass_cut(tcb, tcb->rcv_fin);
}

/* Text, or a FIN, behind a hole. */
static void
text_keep_early(struct leat_tcb *tcb, struct leat_tcp_seg *seg, struct rte_mbuf **text)
{
	if (seg->len == 0 && (seg->flags & LEAT_TCP_FIN) == 0)
		return; /* an answer to an ACK that is merely ahead could go to and fro */
	tcb->owed |= TCP_OWED_ACK; /* a duplicate ACK, RFC 5681 section 4.2 */
	if (*text != NULL)
		tcp_reass_insert(tcb, seg->seq, *text);
	*text = NULL;
}

static void
text_take(struct leat_tcb *tcb, uint64_t now_us, struct rte_mbuf **text)
{
	bool had_hole = tcp_has_hole(tcb);
	uint32_t first_len;

	if (tcb->rx_head != NULL &&
		tcb->rx_head->nb_segs + (*text)->nb_segs > LEAT_TCP_RX_SEGS_MAX) {
		tcb->owed |= TCP_OWED_ACK; /* what it lacks is told at once, as with a hole */
		return;
	}
	*text = tcp_reass_fit(tcb, *text);
	first_len = (*text)->data_len;
	tcp_rx_append(tcb, *text, rte_pktmbuf_lastseg(*text));
	*text = NULL;
	tcp_reass_drain(tcb);
	text_owe_ack(tcb, now_us, first_len, had_hole);
	if (tcb->state == LEAT_TCP_FIN_WAIT_2) /* the peer has not left us */
		tcb->life_at_us = now_us + tcb->conf->fin_wait_2_us;
}

/* Seventh, process the segment text. */
static enum leat_tcp_verdict
tcp_step7_text(
	struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg, struct rte_mbuf **text)
{
	uint32_t len = seg->len;

	if (seg_is_old(tcb, seg))
		return LEAT_TCP_DROPPED;
	if (!tcp_state_receives(tcb)) /* nothing follows a FIN */
		return LEAT_TCP_DONE;
	seg_trim(tcb, seg, text);
	if (len > 0 && seg->len == 0)
		tcb->owed |= TCP_OWED_ACK;    /* nothing of it was new, or there is no room */
	if (tcb->is_orphan && seg->len > 0) { /* RFC 9293 section 3.6.1: nobody will read it */
		tcp_end(tcb, -ECONNABORTED);
		return LEAT_TCP_REFUSED;
	}
	if ((seg->flags & LEAT_TCP_FIN) != 0)
		text_note_fin(tcb, seg);
	if (seq_lt(tcb->rcv_nxt, seg->seq))
		text_keep_early(tcb, seg, text);
	else if (seg->len > 0)
		text_take(tcb, now_us, text);
	return LEAT_TCP_NEXT;
}

/* Eighth, check the FIN bit, of this segment or of one that came early. */
static enum leat_tcp_verdict
tcp_step8_fin(struct leat_tcb *tcb, uint64_t now_us)
{
	if (!tcb->has_rcv_fin || tcb->rcv_fin != tcb->rcv_nxt)
		return LEAT_TCP_DONE;
	tcb->rcv_nxt++; /* a FIN takes one sequence number */
	if (seq_lt(tcb->rcv_adv, tcb->rcv_nxt))
		tcb->rcv_adv = tcb->rcv_nxt; /* it was taken at a closed window */
	tcb->has_rcv_fin = false;
	tcp_reass_free(tcb);
	tcb->owed |= TCP_OWED_ACK;
	tcb->events |= LEAT_TCP_EV_EOF;
	switch (tcb->state) {
	case LEAT_TCP_ESTABLISHED:
		tcp_set_state(tcb, LEAT_TCP_CLOSE_WAIT);
		break;
	case LEAT_TCP_FIN_WAIT_1: /* step 5 left this state if our FIN was acknowledged */
		tcp_set_state(tcb, LEAT_TCP_CLOSING);
		break;
	case LEAT_TCP_FIN_WAIT_2:
		tcp_enter_time_wait(tcb, now_us);
		break;
	default: /* step 7 turned the others away */
		LEAT_VERIFY(false);
	}
	return LEAT_TCP_DONE;
}

static enum leat_tcp_verdict
tcp_time_wait_input(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	struct leat_tcp_time_wait tw;
	struct leat_tcp_out ack;
	enum leat_tcp_verdict verdict;

	leat_tcp_time_wait_get(tcb, &tw);
	verdict = leat_tcp_time_wait_input(&tw, tcb->conf, now_us, seg, &ack);
	if (ack.flags != 0 && verdict != LEAT_TCP_REOPEN)
		tcb->owed |= TCP_OWED_ACK;
	if (verdict == LEAT_TCP_DONE)
		tcb->life_at_us = now_us + tcb->conf->time_wait_us;
	return verdict;
}

static enum leat_tcp_verdict
tcp_steps(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg, struct rte_mbuf **text)
{
	enum leat_tcp_verdict verdict;

	if (tcb->state == LEAT_TCP_TIME_WAIT)
		return tcp_time_wait_input(tcb, now_us, seg);
	if (tcb->state == LEAT_TCP_SYN_SENT) {
		if ((verdict = tcp_synsent_input(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
	} else {
		if ((verdict = tcp_step0_syn_again(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
		if ((verdict = tcp_step1_seq(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
		if ((verdict = tcp_step2_rst(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
		/* Third, security: not used. */
		if ((verdict = tcp_step4_syn(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
		if ((verdict = tcp_step5_ack(tcb, now_us, seg)) != LEAT_TCP_NEXT)
			return verdict;
	}
	/* Sixth, urgent data: ignored, RFC 6093. */
	if ((verdict = tcp_step7_text(tcb, now_us, seg, text)) != LEAT_TCP_NEXT)
		return verdict;
	return tcp_step8_fin(tcb, now_us);
}

enum leat_tcp_verdict
leat_tcp_input(
	struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg, struct rte_mbuf *text)
{
	enum leat_tcp_verdict verdict;

	LEAT_VERIFY(tcb->state >= LEAT_TCP_SYN_SENT);
	LEAT_VERIFY(seg->len == (text == NULL ? 0 : text->pkt_len));
	verdict = tcp_steps(tcb, now_us, seg, &text);
	rte_pktmbuf_free(text);
	return verdict;
}
