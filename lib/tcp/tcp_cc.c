/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The congestion window: slow start and congestion avoidance of RFC 5681, the windows of
 * recovery of RFC 6582 (a peer without SACK) and RFC 6937, limited transmit of RFC 3042,
 * the initial window of RFC 6928. Nothing outside this file and tcp_cubic.c writes cwnd or
 * ssthresh.
 *
 * Slow start ends with a loss: HyStart++ of RFC 9406, which would end it by growing round
 * trips, is left to choice there. No ACK lets more go than cwnd, and nothing else limits a
 * burst: there is no pacing. Congestion is told by losses only, as ECN is not offered.
 */

#include <leat_common.h>

#include "tcp_priv.h"

#define CC_IW_SEGS      10u
#define CC_IW_BYTES     14600u
#define CC_LIMITED_SEGS 2u
#define CC_START_SEGS   8u /* the limit L of RFC 3465, as RFC 9406 section 4.2 sets it */
#define CC_BETA_NUM     7u /* of CUBIC: 0.7, RFC 9438 section 4.6 */
#define CC_BETA_DEN     10u
#define CC_RATIO_SHIFT  16

/* RFC 6928 section 2; one segment where the SYN was lost, RFC 5681 section 3.1. */
static uint32_t
cc_initial_wnd(const struct leat_tcb *tcb)
{
	uint32_t mss = tcp_eff_mss(tcb);

	if (tcb->syn_retried)
		return mss;
	return LEAT_MIN(CC_IW_SEGS * mss, LEAT_MAX(2 * mss, CC_IW_BYTES));
}

/* Neither CUBIC's epoch nor a recovery is on. */
static void
cc_reset_phase(struct leat_tcb *tcb)
{
	tcb->cubic.epoch_ms = 0;
	tcb->cubic.k_ms = 0;
	tcb->cubic.wnd_est = 0;
	tcb->cwnd_acked = 0;
}

void
tcp_cc_init(struct leat_tcb *tcb)
{
	tcb->cwnd = cc_initial_wnd(tcb);
	tcb->ssthresh = TCP_CWND_MAX;
	tcb->recover = tcb->iss;
	tcb->wnd_cubic = 0;
	cc_reset_phase(tcb);
}

static void
cc_start(struct leat_tcb *tcb, uint32_t acked)
{
	bool is_plain = tcb->conf->congestion == LEAT_TCP_NEWRENO || tcb->in_loss;
	uint32_t nb_segs = is_plain ? 1 : CC_START_SEGS;

	tcb->cwnd += LEAT_MIN(acked, nb_segs * tcp_eff_mss(tcb));
}

/* One segment for each window that was acknowledged. */
static void
cc_avoid(struct leat_tcb *tcb, uint32_t acked)
{
	tcb->cwnd_acked += acked;
	if (tcb->cwnd_acked >= tcb->cwnd) {
		tcb->cwnd_acked -= tcb->cwnd;
		tcb->cwnd += tcp_eff_mss(tcb);
	}
}

void
tcp_cc_grow(struct leat_tcb *tcb, const struct tcp_ack *ack)
{
	/*
	 * A window that was not in use says nothing about the path, RFC 7661. Time in which cwnd
	 * does not grow is none of CUBIC's, RFC 9438 section 4.2: the curve goes on from cwnd.
	 */
	if (ack->flight < tcb->cwnd / 2) {
		tcb->cubic.wnd_est = 0;
		return;
	}
	if (tcb->cwnd < tcb->ssthresh)
		cc_start(tcb, ack->acked);
	else if (tcb->conf->congestion == LEAT_TCP_NEWRENO)
		cc_avoid(tcb, ack->acked);
	else
		tcp_cubic_grow(tcb, ack->now_us, ack->acked);
	tcb->cwnd = LEAT_MIN(tcb->cwnd, TCP_CWND_MAX);
}

/* What a loss leaves of @p wnd: RFC 5681 equation 4, RFC 9438 section 4.6. */
static uint32_t
cc_rest(const struct leat_tcb *tcb, uint32_t wnd)
{
	if (tcb->conf->congestion == LEAT_TCP_NEWRENO)
		wnd = wnd / 2;
	else
		wnd = (uint32_t)((uint64_t)wnd * CC_BETA_NUM / CC_BETA_DEN);
	return LEAT_MAX(wnd, 2 * tcp_eff_mss(tcb));
}

/* A loss with @p flight bytes under way: reduce ssthresh, remember what it was. */
static void
cc_reduce(struct leat_tcb *tcb, uint32_t flight)
{
	/* In recovery cwnd is what the pipe makes of it, far below where that is dry. */
	uint32_t wnd = tcb->in_recovery ? tcb->ssthresh : tcb->cwnd;

	tcb->wnd_prior = wnd;
	tcb->thresh_prior = tcb->ssthresh;
	if (tcb->conf->congestion == LEAT_TCP_NEWRENO)
		wnd = LEAT_MIN(wnd, flight); /* less what limited transmit has sent, section 3.2 */
	else
		tcp_cubic_on_loss(tcb, wnd); /* 4.6 allows cwnd where it grows only in use */
	tcb->ssthresh = cc_rest(tcb, wnd);
}

void
tcp_cc_enter_recovery(struct leat_tcb *tcb, uint32_t flight)
{
	uint64_t ratio;

	cc_reduce(tcb, flight);
	if (!tcb->sack_on) {
		cc_reset_phase(tcb);
		tcb->cwnd = tcb->ssthresh + TCP_DUP_ACKS_MAX * tcp_eff_mss(tcb);
		return;
	}
	tcb->prr.delivered = 0;
	tcb->prr.out = 0;
	/* One division for each loss: RFC 6937 has it on each ACK. */
	ratio = ((uint64_t)tcb->ssthresh << CC_RATIO_SHIFT) / LEAT_MAX(flight, 1u);
	tcb->prr.ratio = (uint32_t)LEAT_MIN(ratio, (uint64_t)UINT32_MAX);
}

/* RFC 6937 section 3.1, with its slow start reduction bound. */
void
tcp_cc_prr(struct leat_tcb *tcb, const struct tcp_ack *ack, bool is_safe)
{
	uint32_t mss = tcp_eff_mss(tcb);
	uint32_t pipe = tcp_pipe(tcb);
	int64_t room;

	if (ack->delivered == 0 && tcb->prr.out > 0)
		return;
	tcb->prr.delivered += ack->delivered;
	if (pipe > tcb->ssthresh) {
		uint64_t due = (uint64_t)tcb->prr.delivered * tcb->prr.ratio;

		room = (int64_t)(due >> CC_RATIO_SHIFT) + 1 - (int64_t)tcb->prr.out;
	} else {
		room = (int64_t)tcb->prr.delivered - (int64_t)tcb->prr.out;
		if (is_safe)
			room = LEAT_MAX(room, (int64_t)ack->delivered) + mss;
		room = LEAT_MIN(room, (int64_t)(tcb->ssthresh - pipe));
	}
	if (tcb->prr.out == 0) /* the first of what was lost goes in any case */
		room = LEAT_MAX(room, (int64_t)mss);
	tcb->cwnd = pipe + (uint32_t)LEAT_MAX(room, (int64_t)0);
}

void
tcp_cc_on_sent(struct leat_tcb *tcb, uint32_t len)
{
	if (tcb->in_recovery && tcb->sack_on)
		tcb->prr.out += len;
}

void
tcp_cc_inflate(struct leat_tcb *tcb)
{
	tcb->cwnd = LEAT_MIN(tcb->cwnd + tcp_eff_mss(tcb), TCP_CWND_MAX);
}

void
tcp_cc_deflate(struct leat_tcb *tcb, uint32_t acked)
{
	uint32_t mss = tcp_eff_mss(tcb);

	tcb->cwnd -= LEAT_MIN(acked, tcb->cwnd);
	if (acked >= mss)
		tcb->cwnd += mss;
	tcb->cwnd = LEAT_MAX(tcb->cwnd, mss);
}

void
tcp_cc_exit_recovery(struct leat_tcb *tcb)
{
	uint32_t mss = tcp_eff_mss(tcb);
	uint32_t flight = LEAT_MAX(tcb->snd_max - tcb->snd_una, mss);

	cc_reset_phase(tcb);
	/* Without SACK nothing paced what was sent: no burst, RFC 6582 step 3. */
	tcb->cwnd = tcb->sack_on ? tcb->ssthresh : LEAT_MIN(tcb->ssthresh, flight + mss);
}

void
tcp_cc_on_timeout(struct leat_tcb *tcb)
{
	uint32_t flight = tcb->snd_max - tcb->snd_una;

	if (!tcb->in_loss) {
		cc_reduce(tcb, flight);
		tcb->wnd_cubic = 0; /* RFC 9438 section 4.8 */
	} else if (tcb->nb_retries == 1) {
		/*
		 * What was sent again has arrived in part, and what comes next is lost anew: once
		 * more, RFC 5681 section 3.1. The window is small now and says nothing, so it is
		 * the flight that counts. The same text once more reduces nothing.
		 */
		tcb->ssthresh = LEAT_MIN(tcb->ssthresh, cc_rest(tcb, flight));
	}
	tcb->cwnd = tcp_eff_mss(tcb);
	cc_reset_phase(tcb);
}

void
tcp_cc_undo(struct leat_tcb *tcb)
{
	tcb->cwnd = LEAT_MAX(tcb->cwnd, tcb->wnd_prior);
	tcb->ssthresh = LEAT_MAX(tcb->ssthresh, tcb->thresh_prior);
	tcb->wnd_cubic = LEAT_MAX(tcb->wnd_cubic, tcb->wnd_prior);
	cc_reset_phase(tcb);
}

void
tcp_cc_on_restart(struct leat_tcb *tcb, uint64_t now_us)
{
	uint32_t idle_ms = tcp_ms(now_us) - tcb->snd_at_ms;

	if ((uint64_t)idle_ms * 1000 > tcb->rto_us) /* RFC 5681 section 4.1 */
		tcb->cwnd = LEAT_MIN(tcb->cwnd, cc_initial_wnd(tcb));
	if (tcb->cubic.wnd_est != 0) /* RFC 9438 section 5.8: only time in use counts */
		tcb->cubic.epoch_ms += idle_ms;
}

uint32_t
tcp_cc_wnd(const struct leat_tcb *tcb)
{
	/* With SACK, each segment that arrived has left the pipe: RFC 3042 comes by itself. */
	if (tcb->in_recovery || tcb->sack_on)
		return tcb->cwnd;
	return tcb->cwnd + LEAT_MIN(tcb->nb_dup_acks, CC_LIMITED_SEGS) * tcp_eff_mss(tcb);
}
