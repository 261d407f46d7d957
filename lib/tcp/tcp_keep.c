/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Keep-alives, RFC 9293 section 3.8.4. The timer is life_at_us, which nothing else uses
 * before our FIN is queued. A segment that arrives only notes when; the timer finds out
 * when it fires, so that no segment moves a timer.
 */

#include <errno.h>

#include <leat_common.h>
#include <leat_time.h>

#include "tcp_priv.h"

static uint64_t
keep_idle_us(const struct leat_tcb *tcb)
{
	return (uint64_t)tcb->conf->keep_idle_s * LEAT_US_PER_S;
}

void
tcp_keep_start(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->conf->keep_idle_s == 0 || tcb->fin_queued)
		return;
	tcp_keep_heard(tcb, now_us);
	tcb->life_at_us = now_us + keep_idle_us(tcb);
}

void
tcp_keep_stop(struct leat_tcb *tcb)
{
	if (tcp_keep_is_on(tcb))
		tcb->life_at_us = TCP_NEVER;
}

void
tcp_keep_fire(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t silent_us = (uint64_t)(tcp_ms(now_us) - tcb->heard_at_ms) * 1000;
	uint64_t idle_us = keep_idle_us(tcb);

	/* What waits for the peer has a timer and a limit of its own. */
	if (tcb->snd_len > 0) {
		tcb->nb_keep_probes = 0;
		tcb->life_at_us = now_us + idle_us;
		return;
	}
	if (tcb->nb_keep_probes == 0 && silent_us < idle_us) {
		tcb->life_at_us = now_us + idle_us - silent_us;
		return;
	}
	if (tcb->nb_keep_probes >= tcb->conf->nb_keep_probes_max) {
		tcp_end(tcb, -ETIMEDOUT);
		return;
	}
	tcb->nb_keep_probes++;
	tcb->owed |= TCP_OWED_PROBE;
	tcb->life_at_us = now_us + (uint64_t)tcb->conf->keep_interval_s * LEAT_US_PER_S;
}
