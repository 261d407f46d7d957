/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * TIME-WAIT in a table of its own, so that a finished connection costs no slot of the
 * living. All entries last equally long: their list is in the order of their ends.
 */

#include "inet_priv.h"

static void
tw_free(struct leat_inet *inet, struct inet_time_wait *tw)
{
	TAILQ_REMOVE(&inet->tws, tw, link);
	TAILQ_INSERT_HEAD(&inet->tws_free, tw, link);
	tw->expires_us = 0;
	inet->nb_time_waits--;
}

void
inet_time_wait_remove(struct leat_inet *inet, struct inet_time_wait *tw)
{
	LEAT_VERIFY(tw->expires_us != 0);

	inet_flow_remove(inet, &tw->key);
	tw_free(inet, tw);
}

/* A free entry; if there is none, the oldest leaves early. NULL: there are no entries. */
static struct inet_time_wait *
tw_alloc(struct leat_inet *inet)
{
	struct inet_time_wait *tw = TAILQ_FIRST(&inet->tws_free);

	if (tw != NULL)
		return tw;
	tw = TAILQ_FIRST(&inet->tws);
	if (tw != NULL) {
		inet->stats.time_wait_evicted++;
		inet_time_wait_remove(inet, tw);
	}
	return tw;
}

/* Wait from now on, behind all others. */
static void
tw_start(struct leat_inet *inet, struct inet_time_wait *tw)
{
	tw->expires_us = inet->now_us + inet->conf.tcp.time_wait_us;
	TAILQ_INSERT_TAIL(&inet->tws, tw, link);
}

void
inet_time_wait_add(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	struct inet_time_wait *tw = tw_alloc(inet);

	inet_flow_remove(inet, &conn->key);
	if (tw == NULL)
		return;
	tw->key = conn->key;
	if (inet_flow_add(inet, &tw->key, (char *)tw + 1) < 0)
		return;
	TAILQ_REMOVE(&inet->tws_free, tw, link);
	leat_tcp_time_wait_get(&conn->tcb, &tw->tcp);
	tw_start(inet, tw);
	inet->nb_time_waits++;
	inet->stats.time_wait_added++;
}

void
inet_time_wait_input(
	struct leat_inet *inet, struct inet_time_wait *tw, const struct inet_tcp_frame *frame)
{
	const struct leat_tcp_seg *seg = &frame->seg;
	struct leat_tcp_out ack;

	switch (leat_tcp_time_wait_input(&tw->tcp, &inet->conf.tcp, inet->now_us, seg, &ack)) {
	case LEAT_TCP_REOPEN:
		if (inet_listen_reopen(inet, tw, frame))
			return;
		break;      /* the old connection is what there is */
	case LEAT_TCP_DONE: /* RFC 9293 section 3.10.7.4, FIN: restart the 2 MSL time-out */
		TAILQ_REMOVE(&inet->tws, tw, link);
		tw_start(inet, tw);
		break;
	default: /* dropped; TIME-WAIT has no other answers */
		inet->stats.time_wait_rst_ignored += (seg->flags & LEAT_TCP_RST) != 0;
		break;
	}
	if (ack.flags == 0)
		return;
	if (!inet_bucket_take(&inet->ack_bucket, inet->now_us)) {
		inet->stats.time_wait_ack_limited++;
		return;
	}
	inet_ctl_send_tcp(inet, &tw->key, &ack);
}

void
inet_time_wait_timers(struct leat_inet *inet, uint64_t now_us)
{
	struct inet_time_wait *tw;

	while ((tw = TAILQ_FIRST(&inet->tws)) != NULL && tw->expires_us <= now_us)
		inet_time_wait_remove(inet, tw);
}
