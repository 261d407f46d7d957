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

/*
 * RFC 6298 rules 2.2 and 2.3. Each ACK gives a sample, at the factors of one for each round
 * trip: RFC 7323 section 4.2 would divide them by a count that is not at hand. The average
 * forgets faster for it, which the least RTO makes up for; rule 2.4 has that at a second, and
 * conf at 200 ms, with needless time-outs undone.
 */
void
tcp_rtt_sample(struct leat_tcb *tcb, uint32_t sample_us)
{
	uint32_t rtt = LEAT_MIN(sample_us, LEAT_TCP_RTO_MAX_US);

	tcb->tlp_timed = true;
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
}

/* Milliseconds since what @p seg answers left, in our timestamp clock; negative: untold. */
static int32_t
echo_age_ms(const struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if (!tcb->ts_on || !seg->opts.has_ts || seg->opts.ts_ecr == 0)
		return -1;
	return (int32_t)(tcp_ts_now(tcb->conf, now_us) - seg->opts.ts_ecr);
}

enum tcp_echo
tcp_echo_of(const struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg,
	uint32_t sent_us)
{
	int32_t age_ms = echo_age_ms(tcb, now_us, seg);

	if (age_ms < 0)
		return TCP_ECHO_NONE;
	/* The clock's tick may lie between: what left at sent_us is less than one older. */
	return (uint32_t)age_ms > ((uint32_t)now_us - sent_us) / 1000 + 1 ? TCP_ECHO_EARLIER
									  : TCP_ECHO_LATEST;
}

void
tcp_rtt_syn_sent(struct leat_tcb *tcb, uint64_t now_us)
{
	tcb->syn_resent = tcb->snd_max != tcb->iss;
	tcb->rack_us = (uint32_t)now_us;
	tcb->rack_end = tcb->iss + 1;
}

void
tcp_rtt_cookie(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	int32_t age_ms = echo_age_ms(tcb, now_us, seg);

	tcb->syn_resent = age_ms < 0; /* nobody knows when */
	tcb->rack_us = (uint32_t)now_us - (uint32_t)age_ms * 1000;
}

void
tcp_rtt_syn_acked(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg)
{
	if (!tcb->syn_resent || tcp_echo_of(tcb, now_us, seg, tcb->rack_us) == TCP_ECHO_LATEST)
		tcp_rtt_sample(tcb, (uint32_t)now_us - tcb->rack_us);
	if (tcb->srtt_us == 0)
		tcb->rto_us = rto_clamp(tcb, RTO_SYN_LOST_US);
	tcb->fack = seg->ack;
}

/* A probe of the tail comes before the time-out, if it is to be sent at all. */
static void
rtx_arm(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t probe_us = tcp_tlp_wait_us(tcb);

	tcb->nb_probes = 0; /* the window takes what is in flight */
	tcb->rto_at_us = (uint32_t)now_us + tcb->rto_us;
	tcb->timer_kind = probe_us == UINT64_MAX ? TCP_TIMER_RTX : TCP_TIMER_TLP;
	tcb->rtx_at_us = now_us + LEAT_MIN(probe_us, (uint64_t)tcb->rto_us);
}

void
tcp_rtx_start(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t probe_us;

	if (tcb->timer_kind == TCP_TIMER_PERSIST || tcb->rtx_at_us == TCP_NEVER) {
		rtx_arm(tcb, now_us);
	} else if (tcb->timer_kind == TCP_TIMER_TLP) { /* sooner for a longer tail, never later */
		probe_us = tcp_tlp_wait_us(tcb);
		if (now_us < tcb->rtx_at_us && probe_us < tcb->rtx_at_us - now_us)
			tcb->rtx_at_us = now_us + probe_us;
	}
}

void
tcp_rtx_restart(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->snd_una == tcb->snd_max) {
		tcb->timer_kind = TCP_TIMER_RTX;
		tcb->rtx_at_us = TCP_NEVER;
		return;
	}
	rtx_arm(tcb, now_us);
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
	if (tcb->nb_retries > 1 || (tcb->in_loss && tcb->snd_wnd == 0))
		return true;
	return tcb->timer_kind == TCP_TIMER_PERSIST && tcb->rtx_at_us != TCP_NEVER &&
	       tcb->nb_probes > 0;
}

/* The timer that came before the time-out has fired: what is left of that. */
static void
rtx_resume(struct leat_tcb *tcb, uint64_t now_us)
{
	int32_t left_us = (int32_t)(tcb->rto_at_us - (uint32_t)now_us);

	tcb->timer_kind = TCP_TIMER_RTX;
	tcb->rtx_at_us = now_us + (uint32_t)LEAT_MAX(left_us, 1); /* if that is over, it is next */
}

/* How often what is under way may be sent again. */
static uint8_t
nb_retries_max(const struct leat_tcb *tcb)
{
	if (tcb->state == LEAT_TCP_SYN_SENT)
		return tcb->conf->nb_syn_retries_max;
	if (tcb->state == LEAT_TCP_SYN_RECEIVED)
		return tcb->conf->nb_synack_retries_max;
	return tcb->conf->nb_retries_max;
}

/* RFC 6298 rules 5.4 to 5.6. */
static void
rtx_fire(struct leat_tcb *tcb, uint64_t now_us)
{
	bool is_syn = tcb->state == LEAT_TCP_SYN_SENT || tcb->state == LEAT_TCP_SYN_RECEIVED;

	if (tcb->nb_retries >= nb_retries_max(tcb)) {
		tcp_end(tcb, -ETIMEDOUT);
		return;
	}
	tcb->nb_retries++;
	tcb->rto_us = rto_clamp(tcb, 2 * (uint64_t)tcb->rto_us);
	tcb->rto_at_us = (uint32_t)now_us + tcb->rto_us;
	rtx_resume(tcb, now_us);
	if (is_syn) {
		tcb->syn_retried = true;
		tcb->owed |= TCP_OWED_SYN;
		return;
	}
	tcp_recovery_on_timeout(tcb, now_us);
}

/*
 * The tail is to be probed. RFC 8985 section 7.3 starts the time-out anew then; here it
 * comes when it would have come without the probe, which gets as long again for an answer.
 */
static void
tlp_fire(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t wait_us = LEAT_MIN(tcp_tlp_wait_us(tcb), (uint64_t)tcb->rto_us);

	rtx_resume(tcb, now_us);
	if (tcb->in_recovery) /* it has begun meanwhile, and needs no probe, section 7.2 */
		return;
	tcb->rtx_at_us = LEAT_MAX(tcb->rtx_at_us, now_us + wait_us);
	tcb->owed |= TCP_OWED_TLP;
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
	switch (tcb->timer_kind) {
	case TCP_TIMER_RTX:
		rtx_fire(tcb, now_us);
		break;
	case TCP_TIMER_TLP:
		tlp_fire(tcb, now_us);
		break;
	case TCP_TIMER_REO:
		/* RFC 6298 rule 5.3: only what is new to us starts the time-out anew. */
		rtx_resume(tcb, now_us);
		tcp_recovery_on_reordering_timer(tcb, now_us);
		break;
	default:
		LEAT_ASSERT(tcb->timer_kind == TCP_TIMER_PERSIST);
		persist_fire(tcb, now_us);
	}
}
