/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_common.h>

#include "tcp_priv.h"

#define TO(state) (1u << LEAT_TCP_##state)

/* RFC 9293 figure 5 as data: the states that may follow each state. */
static const uint16_t tcp_edges[LEAT_TCP_STATES] = {
	[LEAT_TCP_CLOSED] = TO(LISTEN) | TO(SYN_SENT),
	[LEAT_TCP_LISTEN] = TO(SYN_RECEIVED) | TO(SYN_SENT) | TO(CLOSED),
	[LEAT_TCP_SYN_SENT] = TO(SYN_RECEIVED) | TO(ESTABLISHED) | TO(CLOSED),
	[LEAT_TCP_SYN_RECEIVED] = TO(ESTABLISHED) | TO(CLOSED),
	[LEAT_TCP_ESTABLISHED] = TO(FIN_WAIT_1) | TO(CLOSE_WAIT) | TO(CLOSED),
	[LEAT_TCP_FIN_WAIT_1] = TO(FIN_WAIT_2) | TO(CLOSING) | TO(CLOSED),
	[LEAT_TCP_FIN_WAIT_2] = TO(TIME_WAIT) | TO(CLOSED),
	[LEAT_TCP_CLOSE_WAIT] = TO(LAST_ACK) | TO(CLOSED),
	[LEAT_TCP_CLOSING] = TO(TIME_WAIT) | TO(CLOSED),
	[LEAT_TCP_LAST_ACK] = TO(CLOSED),
	[LEAT_TCP_TIME_WAIT] = TO(CLOSED),
};

#undef TO

static const char *const tcp_state_names[LEAT_TCP_STATES] = {
	"CLOSED",
	"LISTEN",
	"SYN-SENT",
	"SYN-RECEIVED",
	"ESTABLISHED",
	"FIN-WAIT-1",
	"FIN-WAIT-2",
	"CLOSE-WAIT",
	"CLOSING",
	"LAST-ACK",
	"TIME-WAIT",
};

static void
tcp_tell_closed(struct leat_tcb *tcb)
{
	if (tcb->closed_told)
		return;
	tcb->closed_told = true;
	tcb->events |= LEAT_TCP_EV_CLOSED;
}

static void
tcp_stop_timers(struct leat_tcb *tcb)
{
	tcb->rtx_at_us = TCP_NEVER;
	tcb->ack_at_us = TCP_NEVER;
	tcb->life_at_us = TCP_NEVER;
}

void
tcp_set_state(struct leat_tcb *tcb, enum leat_tcp_state next)
{
	LEAT_VERIFY(tcb->state < LEAT_TCP_STATES);
	LEAT_VERIFY(tcp_edges[tcb->state] & (1u << next));
	tcb->state = (uint8_t)next;
}

void
tcp_enter_established(struct leat_tcb *tcb, uint64_t now_us)
{
	tcp_set_state(tcb, LEAT_TCP_ESTABLISHED);
	tcb->events |= LEAT_TCP_EV_OPEN;
	if (tcb->fin_queued) /* closed by the user while the handshake ran */
		tcp_set_state(tcb, LEAT_TCP_FIN_WAIT_1);
	tcp_keep_start(tcb, now_us);
	if (tcb->fin_queued || tcb->snd_len > 0)
		tcb->owed |= TCP_OWED_SEND;
}

void
tcp_enter_time_wait(struct leat_tcb *tcb, uint64_t now_us)
{
	tcp_set_state(tcb, LEAT_TCP_TIME_WAIT);
	tcp_stop_timers(tcb);
	tcb->life_at_us = now_us + tcb->conf->time_wait_us;
	tcp_tell_closed(tcb);
}

void
tcp_end(struct leat_tcb *tcb, int error)
{
	tcp_set_state(tcb, LEAT_TCP_CLOSED);
	tcp_stop_timers(tcb);
	tcb->owed = 0;
	if (error != -ETIMEDOUT || tcb->error == 0) /* else a router has told why */
		tcb->error = (int16_t)error;
	tcp_tx_free(tcb);
	tcp_reass_free(tcb);
	tcp_tell_closed(tcb);
}

const char *
leat_tcp_state_name(enum leat_tcp_state state)
{
	return (unsigned int)state < LEAT_TCP_STATES ? tcp_state_names[state] : "?";
}
