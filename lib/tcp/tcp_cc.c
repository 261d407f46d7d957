/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * NewReno: slow start and congestion avoidance of RFC 5681, fast recovery of
 * RFC 6582, limited transmit of RFC 3042, the initial window of RFC 6928. Nothing
 * outside this file writes cwnd or ssthresh.
 */

#include <leat_common.h>

#include "tcp_priv.h"

#define CC_WND_MAX      (1u << 30)
#define CC_IW_SEGS      10u
#define CC_IW_BYTES     14600u
#define CC_LIMITED_SEGS 2u

/* RFC 6928 section 2; one segment where the SYN was lost, RFC 5681 section 3.1. */
static uint32_t
cc_initial_wnd(const struct leat_tcb *tcb)
{
	uint32_t mss = tcp_eff_mss(tcb);

	if (tcb->syn_retried)
		return mss;
	return LEAT_MIN(CC_IW_SEGS * mss, LEAT_MAX(2 * mss, CC_IW_BYTES));
}

static uint32_t
cc_half_flight(const struct leat_tcb *tcb)
{
	return LEAT_MAX((tcb->snd_max - tcb->snd_una) / 2, 2 * tcp_eff_mss(tcb));
}

void
tcp_cc_init(struct leat_tcb *tcb)
{
	tcb->cwnd = cc_initial_wnd(tcb);
	tcb->ssthresh = CC_WND_MAX;
	tcb->cwnd_acked = 0;
	tcb->recover = tcb->iss;
}

/* An ACK of something new outside recovery. */
static void
cc_grow(struct leat_tcb *tcb, uint32_t acked)
{
	uint32_t mss = tcp_eff_mss(tcb);

	if (tcb->cwnd < tcb->ssthresh) {
		tcb->cwnd += LEAT_MIN(acked, mss);
	} else { /* one segment for each window that was acknowledged */
		tcb->cwnd_acked += acked;
		if (tcb->cwnd_acked >= tcb->cwnd) {
			tcb->cwnd_acked -= tcb->cwnd;
			tcb->cwnd += mss;
		}
	}
	tcb->cwnd = LEAT_MIN(tcb->cwnd, CC_WND_MAX);
}

bool
tcp_cc_on_ack(struct leat_tcb *tcb, uint32_t acked, uint32_t flight)
{
	uint32_t mss = tcp_eff_mss(tcb);

	tcb->nb_dup_acks = 0;
	if (!tcb->in_recovery) {
		/* A window that was not in use says nothing about the path. */
		if (flight >= tcb->cwnd / 2)
			cc_grow(tcb, acked);
		return false;
	}
	if (seq_lt(tcb->snd_una, tcb->recover)) { /* partial: the next hole, RFC 6582 step 3 */
		tcb->cwnd -= LEAT_MIN(acked, tcb->cwnd);
		if (acked >= mss)
			tcb->cwnd += mss;
		tcb->cwnd = LEAT_MAX(tcb->cwnd, mss);
		return true;
	}
	tcb->in_recovery = false;
	tcb->cwnd_acked = 0;
	tcb->cwnd = LEAT_MIN(tcb->ssthresh, LEAT_MAX(tcb->snd_max - tcb->snd_una, mss) + mss);
	return false;
}

bool
tcp_cc_on_dup_ack(struct leat_tcb *tcb)
{
	uint32_t mss = tcp_eff_mss(tcb);

	if (tcb->nb_dup_acks < UINT8_MAX)
		tcb->nb_dup_acks++;
	if (tcb->in_recovery) { /* a segment has left the network */
		tcb->cwnd = LEAT_MIN(tcb->cwnd + mss, CC_WND_MAX);
		return false;
	}
	if (tcb->nb_dup_acks < TCP_DUP_ACKS_MAX || seq_le(tcb->snd_una, tcb->recover))
		return false;
	tcb->in_recovery = true;
	tcb->recover = tcb->snd_max;
	tcb->ssthresh = cc_half_flight(tcb);
	tcb->cwnd = tcb->ssthresh + TCP_DUP_ACKS_MAX * mss;
	return true;
}

void
tcp_cc_on_timeout(struct leat_tcb *tcb)
{
	/* Of a text lost twice the flight is what it was: the window is halved once, 3.1. */
	tcb->ssthresh = cc_half_flight(tcb);
	tcb->cwnd = tcp_eff_mss(tcb);
	tcb->cwnd_acked = 0;
	tcb->nb_dup_acks = 0;
	tcb->in_recovery = false;
	tcb->recover = tcb->snd_max;
}

void
tcp_cc_on_restart(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t idle_us = (uint64_t)(tcp_ms(now_us) - tcb->snd_at_ms) * 1000;

	if (idle_us > tcb->rto_us) /* RFC 5681 section 4.1 */
		tcb->cwnd = LEAT_MIN(tcb->cwnd, cc_initial_wnd(tcb));
}

uint32_t
tcp_cc_wnd(const struct leat_tcb *tcb)
{
	if (tcb->in_recovery)
		return tcb->cwnd;
	return tcb->cwnd + LEAT_MIN(tcb->nb_dup_acks, CC_LIMITED_SEGS) * tcp_eff_mss(tcb);
}
