/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RACK-TLP, RFC 8985: what left before something that has arrived, by more than the path
 * reorders, is lost; and a probe brings on the ACK that tells of a lost tail.
 *
 * Times of sending are the low 32 bits of the clock. They are compared only while
 * something is in flight, which is far less than half of their range.
 */

#include <leat_common.h>

#include "tcp_priv.h"

#define RACK_PERSIST     16u /* recoveries that a wider window lasts, section 6.2 step 4 */
#define RACK_MULT_MAX    64u
#define TLP_WAIT_MIN_US  10000u  /* below, it is the peer's scheduling that we would measure */
#define TLP_ACK_DELAY_US 200000u /* TLP.max_ack_delay, section 7.2 */

/* RACK_sent_after() of section 6.2. */
static bool
sent_after(uint32_t a_us, uint32_t a_end, uint32_t b_us, uint32_t b_end)
{
	return seq_lt(b_us, a_us) || (a_us == b_us && seq_lt(b_end, a_end));
}

void
tcp_rack_take(struct leat_tcb *tcb, struct tcp_ack *ack, const struct tcp_rec *rec, uint32_t end)
{
	uint32_t rtt_us = LEAT_MAX((uint32_t)ack->now_us - rec->sent_us, 1u);
	enum tcp_echo echo = TCP_ECHO_LATEST;

	if ((rec->flags & TCP_REC_RTX) != 0) {
		echo = tcp_echo_of(tcb, ack->now_us, ack->seg, rec->sent_us);
		if (echo == TCP_ECHO_EARLIER && seq_lt(end, tcb->fack))
			tcb->reo_seen = true; /* it was late, not lost */
		if (rtt_us < tcb->rtt_min_us || echo == TCP_ECHO_EARLIER)
			return;
	} else if (seq_lt(end, tcb->fack)) {
		tcb->reo_seen = true;
	}
	if (echo == TCP_ECHO_LATEST) {
		if (ack->rtt_us == 0)
			ack->rtt_us = rtt_us;
		if (tcb->rtt_min_us == 0 || rtt_us < tcb->rtt_min_us)
			tcb->rtt_min_us = rtt_us;
	}
	if (seq_lt(tcb->fack, end))
		tcb->fack = end;
	if (sent_after(rec->sent_us, end, tcb->rack_us, tcb->rack_end)) {
		tcb->rack_us = rec->sent_us;
		tcb->rack_end = end;
		tcb->rack_rtt_us = rtt_us;
	}
}

void
tcp_rack_take_dsack(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	if (tcb->dsack_on && seq_le(tcb->dsack_end, tcb->snd_una))
		tcb->dsack_on = false;
	if (!ack->has_dsack || tcb->dsack_on)
		return;
	tcb->dsack_on = true;
	tcb->reo_seen = true; /* it was not lost */
	tcb->dsack_end = tcb->snd_max;
	tcb->reo_persist = RACK_PERSIST;
	if (tcb->reo_mult < RACK_MULT_MAX)
		tcb->reo_mult++;
}

void
tcp_rack_recovered(struct leat_tcb *tcb)
{
	if (tcb->reo_persist > 0 && --tcb->reo_persist == 0)
		tcb->reo_mult = 1;
}

/*
 * RACK_update_reo_wnd() of section 6.2 step 4. The least round trip is that of the whole
 * connection, not of the last minutes: on a path that has become longer the window is too
 * narrow, and DSACKs widen it.
 */
static uint32_t
rack_reo_wnd_us(const struct leat_tcb *tcb)
{
	uint32_t wnd_us = tcb->reo_mult * (tcb->rtt_min_us / 4);

	if (!tcb->reo_seen &&
		(tcb->in_recovery || tcb->in_loss || tcb->nb_dup_acks >= TCP_DUP_ACKS_MAX ||
			tcb->snd_sacked > (TCP_DUP_ACKS_MAX - 1) * tcp_eff_mss(tcb)))
		return 0;
	return LEAT_MIN(wnd_us, tcb->srtt_us);
}

/* RACK_detect_loss() of section 6.2 step 5. */
bool
tcp_rack_detect(struct leat_tcb *tcb, uint64_t now_us)
{
	uint32_t limit_us = tcb->rack_rtt_us + rack_reo_wnd_us(tcb);
	uint32_t wait_us = 0;
	bool found = false;

	for (struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head); rec != NULL;
		rec = tcp_rec_at(tcb, rec->next)) {
		uint32_t age_us = (uint32_t)now_us - rec->sent_us;

		if ((rec->flags & (TCP_REC_SACKED | TCP_REC_LOST)) != 0)
			continue;
		if (!sent_after(tcb->rack_us, tcb->rack_end, rec->sent_us, rec->end)) {
			/* What follows a segment that left once left after it, in any case. */
			if ((rec->flags & TCP_REC_RTX) == 0)
				break;
			continue;
		}
		if (age_us >= limit_us) {
			tcp_rec_lost(tcb, rec);
			tcb->lost_again |= seq_le(tcb->recover, rec->seq);
			found = true;
		} else {
			wait_us = LEAT_MAX(wait_us, limit_us - age_us);
		}
	}
	if (wait_us > 0 && now_us + wait_us < tcb->rtx_at_us) {
		tcb->timer_kind = TCP_TIMER_REO;
		tcb->rtx_at_us = now_us + wait_us;
	}
	return found;
}

/* RACK_mark_losses_on_RTO() of section 6.3; without SACK, all of it. */
void
tcp_rack_on_timeout(struct leat_tcb *tcb, uint64_t now_us)
{
	uint32_t limit_us = tcb->sack_on ? tcb->rack_rtt_us + rack_reo_wnd_us(tcb) : 0;

	for (struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head); rec != NULL;
		rec = tcp_rec_at(tcb, rec->next)) {
		if ((uint32_t)now_us - rec->sent_us >= limit_us)
			tcp_rec_lost(tcb, rec);
	}
	tcp_rec_front_lost(tcb);
}

uint64_t
tcp_tlp_wait_us(const struct leat_tcb *tcb)
{
	uint32_t flight = tcb->snd_max - tcb->snd_una;
	uint64_t wait_us = 2 * (uint64_t)tcb->srtt_us;

	if (!tcb->sack_on || tcb->tlp_on || !tcb->tlp_timed || tcb->in_recovery || tcb->in_loss ||
		tcb->snd_sacked > 0 || tcb->rec_tail == 0)
		return UINT64_MAX;
	/* The section says one segment; a peer may wait with its ACK for two full ones. */
	if (flight < 2 * tcp_eff_mss(tcb))
		return wait_us + TLP_ACK_DELAY_US;
	return LEAT_MAX(wait_us, (uint64_t)TLP_WAIT_MIN_US);
}

/* Both copies of the probe have arrived; some peers do not count the FIN on it. */
static bool
tlp_came_twice(const struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	return ack->has_dsack && seq_le(tcb->tlp_end - 1, ack->seg->opts.sacks[0].right);
}

/* TLP_process_ack() of section 7.4.2. */
bool
tcp_tlp_take_ack(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	if (!tcb->tlp_on || seq_lt(ack->seg->ack, tcb->tlp_end))
		return false;
	if (!tcb->tlp_is_rtx || tlp_came_twice(tcb, ack)) { /* nothing went again, or in vain */
		tcb->tlp_on = false;
		return false;
	}
	if (seq_lt(tcb->tlp_end, ack->seg->ack)) {
		tcb->tlp_on = false;
		return true;
	}
	if (ack->acked == 0 && ack->seg->opts.nb_sacks == 0) /* the answer to a second copy */
		tcb->tlp_on = false;
	return false;
}
