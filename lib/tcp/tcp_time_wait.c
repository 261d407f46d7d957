/* SPDX-License-Identifier: BSD-3-Clause */

/* TIME-WAIT: RFC 9293 section 3.10.7.4, RFC 1337 and RFC 6191. */

#include <leat_common.h>

#include "tcp_priv.h"

/* RFC 6191 section 2: the SYN is newer than all that the old connection sent. */
static bool
syn_is_newer(const struct leat_tcp_time_wait *tw, const struct leat_tcp_seg *seg)
{
	if (tw->ts_on && seg->opts.has_ts && seg->opts.ts_val != tw->ts_recent)
		return seq_lt(tw->ts_recent, seg->opts.ts_val);
	return seq_lt(tw->rcv_nxt, seg->seq);
}

void
leat_tcp_time_wait_get(const struct leat_tcb *tcb, struct leat_tcp_time_wait *tw)
{
	LEAT_VERIFY(tcb->state == LEAT_TCP_TIME_WAIT);
	tw->snd_nxt = tcb->snd_max;
	tw->rcv_nxt = tcb->rcv_nxt;
	tw->ts_recent = tcb->ts_recent;
	tw->wnd = (uint16_t)LEAT_MIN(tcp_rcv_wnd(tcb) >> tcb->rcv_wscale, (uint32_t)UINT16_MAX);
	tw->ts_on = tcb->ts_on;
}

enum leat_tcp_verdict
leat_tcp_time_wait_input(const struct leat_tcp_time_wait *tw, const struct leat_tcp_conf *conf,
	uint64_t now_us, const struct leat_tcp_seg *seg, struct leat_tcp_out *ack)
{
	bool is_old;

	*ack = (struct leat_tcp_out){ 0 };
	if ((seg->flags & LEAT_TCP_RST) != 0) /* RFC 1337: it must not end TIME-WAIT */
		return LEAT_TCP_DROPPED;
	if ((seg->flags & (LEAT_TCP_SYN | LEAT_TCP_ACK)) == 0) /* fifth, check the ACK field */
		return LEAT_TCP_DROPPED;
	/* An ACK that carries nothing is what we wait for; an answer could go to and fro. */
	if (seg->len == 0 && seg->seq == tw->rcv_nxt &&
		(seg->flags & (LEAT_TCP_SYN | LEAT_TCP_FIN)) == 0)
		return LEAT_TCP_DROPPED;
	ack->seq = tw->snd_nxt;
	ack->ack = tw->rcv_nxt;
	ack->wnd = tw->wnd;
	ack->flags = LEAT_TCP_ACK;
	if (tw->ts_on) {
		ack->opts.has_ts = true;
		ack->opts.ts_val = tcp_ts_now(conf, now_us);
		ack->opts.ts_ecr = tw->ts_recent;
	}
	if ((seg->flags & (LEAT_TCP_SYN | LEAT_TCP_ACK | LEAT_TCP_FIN)) == LEAT_TCP_SYN &&
		syn_is_newer(tw, seg)) /* with a FIN it is nobody's SYN, and LISTEN drops it */
		return LEAT_TCP_REOPEN;
	is_old = tw->ts_on && seg->opts.has_ts && seq_lt(seg->opts.ts_val, tw->ts_recent);
	if ((seg->flags & LEAT_TCP_FIN) != 0 && seg->seq + seg->len + 1 == tw->rcv_nxt && !is_old)
		return LEAT_TCP_DONE;
	return LEAT_TCP_DROPPED;
}
