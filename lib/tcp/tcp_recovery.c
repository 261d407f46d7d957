/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What is done about losses. With SACK: RACK-TLP (RFC 8985) finds them, the pipe of
 * RFC 6675 and RFC 6937 say how much may be sent. Without: NewReno, RFC 6582. A
 * reduction that an echoed timestamp proves wrong is undone, RFC 3522 and RFC 4015.
 */

#include <leat_common.h>

#include "tcp_priv.h"

static void
recovery_enter(struct leat_tcb *tcb)
{
	tcp_cc_enter_recovery(tcb, tcb->snd_max - tcb->snd_una);
	tcb->in_recovery = true;
	tcb->undo_on = true;
	tcb->lost_again = false;
	tcb->recover = tcb->snd_max;
}

static void
recovery_end(struct leat_tcb *tcb)
{
	if (tcb->in_recovery)
		tcp_cc_exit_recovery(tcb);
	tcb->in_recovery = false;
	tcb->in_loss = false;
	tcp_rack_recovered(tcb);
}

/*
 * All that was in flight when it began has arrived. What left since then was the next
 * window: losses in both lower cwnd twice, RFC 5681 section 4.3. One of a retransmission
 * does not, which RFC 8985 section 9.3 leaves to who has the pace of RFC 6937.
 */
static void
recovery_leave(struct leat_tcb *tcb)
{
	bool again = tcb->lost_again;

	recovery_end(tcb);
	if (!again)
		return;
	recovery_enter(tcb);
	if (tcb->snd_una == tcb->snd_max) /* it has arrived as well */
		recovery_end(tcb);
}

/*
 * RFC 4015: what was in flight still is, so that the old window lets no burst go. CUBIC's
 * epoch starts anew at the window that was; RFC 9438 section 4.9 would put it back, which is
 * a state more to keep for each connection. A loss beside what was late, whose text has gone
 * again, stays without an answer.
 */
static void
recovery_undo(struct leat_tcb *tcb)
{
	tcp_cc_undo(tcb);
	tcp_rec_unlose(tcb);
	tcb->owed &= (uint8_t)~TCP_OWED_RTX;
	tcb->in_recovery = false;
	tcb->in_loss = false;
}

/* RFC 8985 section 7.4.2: one segment was lost, and the probe brought it. */
static void
recovery_take_repair(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	if (tcb->in_recovery || tcb->in_loss)
		return;
	tcp_cc_enter_recovery(tcb, ack->flight);
	tcp_cc_exit_recovery(tcb);
}

/* Something new was acknowledged while recover was not. */
static void
recovery_take_partial(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	if (tcb->in_recovery && !tcb->sack_on) { /* the next hole, RFC 6582 step 3 */
		tcp_cc_deflate(tcb, ack->acked);
		tcp_rec_front_lost(tcb);
	} else if (!tcp_rec_covers_front(tcb)) { /* there is nothing else that would tell */
		tcp_rec_front_lost(tcb);
	}
}

static void
recovery_take_new(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	bool may_grow = !tcb->in_recovery;

	tcb->nb_dup_acks = 0;
	if (tcb->undo_on) {
		tcb->undo_on = false;
		if (ack->is_spurious)
			recovery_undo(tcb);
	}
	if (tcb->in_recovery || tcb->in_loss) {
		if (seq_lt(tcb->snd_una, tcb->recover))
			recovery_take_partial(tcb, ack);
		else
			recovery_leave(tcb);
	}
	if (may_grow && !tcb->in_recovery)
		tcp_cc_grow(tcb, ack);
	tcp_rtx_restart(tcb, ack->now_us);
}

static void
recovery_find_lost(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	bool found = tcp_rack_detect(tcb, ack->now_us);

	if (found && !tcb->in_recovery && !tcb->in_loss)
		recovery_enter(tcb);
	if (tcb->in_recovery)
		tcp_cc_prr(tcb, ack, ack->acked > 0 && !found);
	if (tcb->snd_lost > 0)
		tcb->owed |= TCP_OWED_SEND;
}

/* Nothing is lost, nor was, nor might be, and the ACK tells of nothing out of order. */
static bool
recovery_is_idle(const struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	return (tcb->snd_sacked | tcb->snd_lost) == 0 && !tcb->in_recovery && !tcb->in_loss &&
	       !tcb->undo_on && !tcb->tlp_on && !tcb->dsack_on && !ack->has_dsack;
}

void
tcp_recovery_on_ack(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	if (ack->acked > 0 && recovery_is_idle(tcb, ack)) {
		tcb->nb_dup_acks = 0;
		tcp_cc_grow(tcb, ack);
		tcp_rtx_restart(tcb, ack->now_us);
		return;
	}
	if (tcp_tlp_take_ack(tcb, ack))
		recovery_take_repair(tcb, ack);
	if (ack->acked > 0)
		recovery_take_new(tcb, ack);
	else if (ack->delivered > 0 && tcb->nb_dup_acks < UINT8_MAX)
		tcb->nb_dup_acks++;
	if (!tcb->sack_on)
		return;
	tcp_rack_take_dsack(tcb, ack);
	/* Nothing that left before it is missing on a path that is in order. */
	if (tcb->snd_sacked > 0 || tcb->snd_lost > 0 || tcb->in_recovery || tcb->in_loss)
		recovery_find_lost(tcb, ack);
}

void
tcp_recovery_on_dup_ack(struct leat_tcb *tcb)
{
	if (tcb->nb_dup_acks < UINT8_MAX)
		tcb->nb_dup_acks++;
	if (tcb->in_recovery) { /* a segment has left the network */
		tcp_cc_inflate(tcb);
		return;
	}
	if (tcb->nb_dup_acks < TCP_DUP_ACKS_MAX || seq_le(tcb->snd_una, tcb->recover))
		return;
	recovery_enter(tcb);
	tcp_rec_front_lost(tcb);
}

void
tcp_recovery_on_reordering_timer(struct leat_tcb *tcb, uint64_t now_us)
{
	const struct tcp_ack none = { .now_us = now_us };

	recovery_find_lost(tcb, &none);
}

void
tcp_recovery_on_timeout(struct leat_tcb *tcb, uint64_t now_us)
{
	tcp_sack_check_reneging(tcb);
	tcp_cc_on_timeout(tcb);
	tcb->undo_on = tcb->nb_retries == 1 && !tcb->in_recovery && !tcb->in_loss;
	tcb->in_recovery = false;
	tcb->in_loss = true;
	tcb->tlp_on = false;
	tcb->lost_again = false;
	tcb->nb_dup_acks = 0;
	tcb->recover = tcb->snd_max;
	tcp_rack_on_timeout(tcb, now_us);
	tcb->owed |= TCP_OWED_SEND;
}
