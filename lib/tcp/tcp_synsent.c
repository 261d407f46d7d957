/* SPDX-License-Identifier: BSD-3-Clause */

/* RFC 9293 section 3.10.7.3, "SEGMENT ARRIVES" in SYN-SENT, step by step. */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

/* First, check the ACK bit. */
static enum leat_tcp_verdict
synsent_step1_ack(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	if ((seg->flags & LEAT_TCP_ACK) == 0)
		return LEAT_TCP_NEXT;
	if (seq_lt(tcb->iss, seg->ack) && seq_le(seg->ack, tcb->snd_max))
		return LEAT_TCP_NEXT;
	return (seg->flags & LEAT_TCP_RST) != 0 ? LEAT_TCP_DROPPED : LEAT_TCP_REFUSED;
}

/* Second, check the RST bit. */
static enum leat_tcp_verdict
synsent_step2_rst(struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	if ((seg->flags & LEAT_TCP_RST) == 0)
		return LEAT_TCP_NEXT;
	if ((seg->flags & LEAT_TCP_ACK) == 0)
		return LEAT_TCP_DROPPED;
	tcp_end(tcb, -ECONNREFUSED);
	return LEAT_TCP_GONE;
}

/* Fourth, check the SYN bit. */
static enum leat_tcp_verdict
synsent_step4_syn(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg)
{
	if ((seg->flags & LEAT_TCP_SYN) == 0)
		return LEAT_TCP_DROPPED;
	tcp_take_syn(tcb, now_us, seg, tcb->conf->mss);
	if ((seg->flags & LEAT_TCP_ACK) == 0) { /* simultaneous open: now as a SYN-ACK */
		tcp_set_state(tcb, LEAT_TCP_SYN_RECEIVED);
		tcb->owed |= TCP_OWED_SYN;
		return LEAT_TCP_DONE;
	}
	tcp_take_syn_ack(tcb, now_us, seg);
	tcp_enter_established(tcb, now_us);
	tcb->owed |= TCP_OWED_ACK;
	/* What else it carries begins behind the SYN. */
	seg->flags &= (uint8_t)~LEAT_TCP_SYN;
	seg->seq++;
	return LEAT_TCP_NEXT;
}

enum leat_tcp_verdict
tcp_synsent_input(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg)
{
	enum leat_tcp_verdict verdict;

	if ((verdict = synsent_step1_ack(tcb, seg)) != LEAT_TCP_NEXT)
		return verdict;
	if ((verdict = synsent_step2_rst(tcb, seg)) != LEAT_TCP_NEXT)
		return verdict;
	/* Third, security: not used. */
	return synsent_step4_syn(tcb, now_us, seg);
}
