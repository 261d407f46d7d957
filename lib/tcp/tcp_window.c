/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The receive window, RFC 9293 section 3.8.6.2.2: a right edge that never moves back
 * and moves on in steps that are worth a segment.
 */

#include <leat_common.h>

#include "tcp_priv.h"

#define WND_WIRE_MAX ((uint32_t)UINT16_MAX)

/* What opens the window in one step at least. */
static uint32_t
wnd_step(const struct leat_tcb *tcb)
{
	return LEAT_MIN((uint32_t)tcb->conf->mss, tcb->conf->rcv_wnd_max / 2);
}

/* The right edge that the memory behind the window allows; it never moves back either. */
static uint32_t
wnd_limit(const struct leat_tcb *tcb)
{
	LEAT_VERIFY(tcb->rcv_unread <= tcb->conf->rcv_wnd_max);
	return tcb->rcv_nxt + (tcb->conf->rcv_wnd_max - tcb->rcv_unread);
}

uint16_t
tcp_offer_wnd(struct leat_tcb *tcb, bool is_syn)
{
	uint8_t shift = is_syn ? 0 : tcb->rcv_wscale; /* RFC 7323 section 2.2 */
	uint32_t limit = wnd_limit(tcb);
	uint32_t promised = tcp_rcv_wnd(tcb);
	uint32_t edge = limit - tcb->rcv_adv >= wnd_step(tcb) ? limit : tcb->rcv_adv;
	uint32_t wire;

	/* Behind the peer's FIN nothing comes: the edge stays where TIME-WAIT will tell it. */
	if (tcp_state_synchronized(tcb) && !tcp_state_receives(tcb))
		edge = tcb->rcv_adv;
	wire = (edge - tcb->rcv_nxt) >> shift;
	wire = LEAT_MIN(wire, WND_WIRE_MAX);
	/*
	 * Rounding down would move the edge that the peer sees back by less than one unit.
	 * Round up where the memory allows; where not, RFC 7323 section 2.4 asks us to
	 * honour what was offered before, and rcv_adv remembers it.
	 */
	if (wire << shift < promised && wire < WND_WIRE_MAX &&
		seq_le(tcb->rcv_nxt + ((wire + 1) << shift), limit))
		wire++;
	edge = tcb->rcv_nxt + (wire << shift);
	if (seq_lt(tcb->rcv_adv, edge))
		tcb->rcv_adv = edge;
	return (uint16_t)wire;
}

/* The largest window that the peer can be told of: 65535 bytes where it does not scale. */
static uint32_t
wnd_max(const struct leat_tcb *tcb)
{
	return LEAT_MIN(tcb->conf->rcv_wnd_max, WND_WIRE_MAX << tcb->rcv_wscale);
}

void
leat_tcp_consumed(struct leat_tcb *tcb, uint32_t len)
{
	uint32_t edge;

	LEAT_VERIFY(len <= tcb->rcv_unread);
	tcb->rcv_unread -= len;
	if (!tcp_state_receives(tcb))
		return;
	/*
	 * While the peer has half of the window before it, the next ACK of its text is soon
	 * enough to tell it of more.
	 */
	if (tcp_rcv_wnd(tcb) >= wnd_max(tcb) / 2)
		return;
	edge = LEAT_MIN(wnd_limit(tcb) - tcb->rcv_nxt, wnd_max(tcb)) + tcb->rcv_nxt;
	if (edge - tcb->rcv_adv >= wnd_step(tcb))
		tcb->owed |= TCP_OWED_ACK;
}
