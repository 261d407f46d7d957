/* SPDX-License-Identifier: BSD-3-Clause */

/* Round-trip time and retransmission timer, RFC 6298; persist timer, RFC 9293 3.8.6.1. */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

#define RTT_GRANULARITY_US 1000u    /* G of RFC 6298 section 2 */
#define RTO_SYN_LOST_US    3000000u /* RFC 6298 rule 5.7 */
#define PROBE_SHIFT_MAX    16u

static uint32_t
rto_clamp(const struct leat_tcb *tcb, uint64_t rto_us)
{
	rto_us = LEAT_MAX(rto_us, tcb->conf->rto_min_us);
	return (uint32_t)LEAT_MIN(rto_us, tcb->conf->rto_max_us);
}

/* RFC 6298 rules 2.2 and 2.3. */
static void
rtt_sample(struct leat_tcb *tcb, uint64_t sample_us)
{
	uint32_t rtt = (uint32_t)LEAT_MIN(sample_us, (uint64_t)LEAT_TCP_RTO_MAX_US);

	rtt = LEAT_MAX(rtt, 1u);
	if (tcb->srtt_us == 0) {
		tcb->srtt_us = rtt;
		tcb->rttvar_us = rtt / 2;
	} else {
		uint32_t off = rtt < tcb->srtt_us ? tcb->srtt_us - rtt : rtt - tcb->srtt_us;

		tcb->rttvar_us = tcb->rttvar_us - tcb->rttvar_us / 4 + off / 4;
		tcb->srtt_us = tcb->srtt_us - tcb->srtt_us / 8 + rtt / 8;
		tcb->srtt_us = LEAT_MAX(tcb->srtt_us, 1u);
	}
	tcb->rto_us =
		rto_clamp(tcb, (uint64_t)tcb->srtt_us + LEAT_MAX(4 * (uint64_t)tcb->rttvar_us,
								(uint64_t)RTT_GRANULARITY_US));
	tcb->rtt_on = false;
	tcb->rtt_lost = false;
}

void
tcp_rtt_start(struct leat_tcb *tcb, uint64_t now_us, uint32_t seq_end)
{
	if (tcb->rtt_on)
		return;
	tcb->rtt_on = true;
	tcb->rtt_lost = false;
	tcb->rtt_seq = seq_end;
	tcb->rtt_at_us = now_us;
}

void
tcp_rtt_stop(struct leat_tcb *tcb)
{
	tcb->rtt_on = false;
	tcb->rtt_lost = true;
}

void
tcp_rtt_take_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if (tcb->rtt_on) {
		if (seq_le(tcb->rtt_seq, seg->ack))
			rtt_sample(tcb, now_us - tcb->rtt_at_us);
		return;
	}
	/* Karn's rule: of text that was sent twice, only an echoed timestamp tells which. */
	if (tcb->rtt_lost && tcb->ts_on && seg->opts.has_ts && seg->opts.ts_ecr != 0) {
		uint32_t sample_ms = tcp_ts_now(tcb->conf, now_us) - seg->opts.ts_ecr;

		if (sample_ms <= INT32_MAX)
			rtt_sample(tcb, (uint64_t)sample_ms * 1000);
	}
}

void
tcp_rtt_syn_acked(struct leat_tcb *tcb)
{
	if (tcb->srtt_us == 0)
		tcb->rto_us = rto_clamp(tcb, RTO_SYN_LOST_US);
}

void
tcp_rtx_start(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->timer_kind == TCP_TIMER_RTX && tcb->rtx_at_us != TCP_NEVER)
		return;
	tcb->timer_kind = TCP_TIMER_RTX;
	tcb->rtx_at_us = now_us + tcb->rto_us;
}

void
tcp_rtx_restart(struct leat_tcb *tcb, uint64_t now_us)
{
	tcb->timer_kind = TCP_TIMER_RTX;
	tcb->rtx_at_us = tcb->snd_una == tcb->snd_max ? TCP_NEVER : now_us + tcb->rto_us;
}

static uint64_t
persist_interval(const struct leat_tcb *tcb)
{
	uint64_t interval_us = (uint64_t)tcb->rto_us << LEAT_MIN(tcb->nb_probes, PROBE_SHIFT_MAX);

	return LEAT_MIN(interval_us, tcb->conf->rto_max_us);
}

void
tcp_persist_start(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->timer_kind == TCP_TIMER_PERSIST && tcb->rtx_at_us != TCP_NEVER)
		return;
	tcb->timer_kind = TCP_TIMER_PERSIST;
	tcb->nb_probes = 0;
	tcb->rtx_at_us = now_us + persist_interval(tcb);
}

bool
leat_tcp_is_stalled(const struct leat_tcb *tcb)
{
	if (tcb->snd_len == 0)
		return false;
	return tcb->nb_retries > 1 || (tcb->timer_kind == TCP_TIMER_PERSIST &&
					      tcb->rtx_at_us != TCP_NEVER && tcb->nb_probes > 0);
}

/* RFC 6298 rules 5.4 to 5.6. */
static void
rtx_fire(struct leat_tcb *tcb, uint64_t now_us)
{
	bool is_syn = tcb->state == LEAT_TCP_SYN_SENT || tcb->state == LEAT_TCP_SYN_RECEIVED;

	if (tcb->nb_retries >=
		(is_syn ? tcb->conf->nb_syn_retries_max : tcb->conf->nb_retries_max)) {
		tcp_end(tcb, -ETIMEDOUT);
		return;
	}
	tcb->nb_retries++;
	tcb->rto_us = rto_clamp(tcb, 2 * (uint64_t)tcb->rto_us);
	tcb->rtx_at_us = now_us + tcb->rto_us;
	tcp_rtt_stop(tcb);
	tcb->owed &= (uint8_t)~TCP_OWED_RTX;
	if (is_syn) {
		tcb->syn_retried = true;
		tcb->owed |= TCP_OWED_SYN;
		return;
	}
	tcp_cc_on_timeout(tcb);
	tcp_rewind(tcb);
	tcb->owed |= TCP_OWED_SEND;
}

/* The window is closed, or too small to be worth a segment, and nothing is in flight. */
static void
persist_fire(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->nb_retries >= tcb->conf->nb_retries_max) { /* probes without any answer */
		tcp_end(tcb, -ETIMEDOUT);
		return;
	}
	tcb->nb_retries++;
	if (tcb->nb_probes < PROBE_SHIFT_MAX)
		tcb->nb_probes++;
	tcb->rtx_at_us = now_us + persist_interval(tcb);
	if (tcb->snd_wnd > 0) {
		tcb->probe_any = true;
		tcb->owed |= TCP_OWED_SEND;
	} else {
		tcb->owed |= TCP_OWED_PROBE;
	}
}

void
leat_tcp_timeout(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->life_at_us <= now_us && tcp_keep_is_on(tcb)) {
		tcp_keep_fire(tcb, now_us);
	} else if (tcb->life_at_us <= now_us) {
		tcp_end(tcb, tcb->state == LEAT_TCP_TIME_WAIT ? 0 : -ETIMEDOUT);
		return;
	}
	if (tcb->ack_at_us <= now_us) {
		tcb->ack_at_us = TCP_NEVER;
		tcb->owed |= TCP_OWED_ACK;
	}
	if (tcb->rtx_at_us > now_us)
		return;
	if (tcb->timer_kind == TCP_TIMER_RTX)
		rtx_fire(tcb, now_us);
	else
		persist_fire(tcb, now_us);
}
