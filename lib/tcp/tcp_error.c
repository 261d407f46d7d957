/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What routers say by ICMP, RFC 9293 section 3.9.2.2, RFC 1191 and RFC 5927. Who is not on
 * the path can say it too, so it is believed only of what is in flight, and no error ends
 * a connection that has been established.
 */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

bool
leat_tcp_is_in_flight(const struct leat_tcb *tcb, uint32_t seq)
{
	return tcb->state != LEAT_TCP_CLOSED && seq_le(tcb->snd_una, seq) &&
	       seq_lt(seq, tcb->snd_max);
}

void
tcp_limit_mss(struct leat_tcb *tcb, uint16_t mss)
{
	mss = LEAT_MAX(mss, (uint16_t)LEAT_TCP_MSS_MIN);
	tcb->snd_mss = LEAT_MIN(tcb->snd_mss, mss);
}

bool
leat_tcp_lower_mss(struct leat_tcb *tcb, uint16_t mss)
{
	uint16_t before = tcb->snd_mss;

	tcp_limit_mss(tcb, mss);
	if (tcb->snd_mss == before)
		return false;
	/* RFC 1191 section 6.5: what was too big is lost; no congestion has to do with it. */
	if (tcp_state_sends(tcb) && tcb->snd_max - tcb->snd_una > tcp_eff_mss(tcb)) {
		tcp_rec_lose_longer(tcb, tcp_eff_mss(tcb));
		/* Without SACK, duplicate ACKs of what was small enough would seem to tell of it. */
		if (!tcb->in_recovery)
			tcb->recover = tcb->snd_max;
		tcb->owed |= TCP_OWED_SEND;
	}
	return true;
}

void
leat_tcp_unreachable(struct leat_tcb *tcb, int error, bool is_hard)
{
	if (tcb->state == LEAT_TCP_CLOSED || tcb->state == LEAT_TCP_TIME_WAIT)
		return;
	if (is_hard && tcb->state == LEAT_TCP_SYN_SENT)
		tcp_end(tcb, error);
	else
		tcb->error = (int16_t)error;
}
