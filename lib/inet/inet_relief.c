/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Peers that take nothing, or hardly anything, of what they asked for could keep every
 * mbuf between them. When mbufs run short they pay for it, and not who comes next.
 */

#include <errno.h>

#include "inet_priv.h"

#define RELIEF_SEGS_MAX    1024u /* mbufs of one connection that are looked at */
#define RELIEF_EXTERN_PART 32u   /* what lies outside of mbufs counts one of so many */

/* Bytes to be sent that lie in mbufs, and hardly those that mbufs only point to. */
static uint32_t
tcb_sent_held_len(const struct leat_tcb *tcb)
{
	uint32_t len = 0;
	uint32_t nb = 0;

	for (const struct rte_mbuf *seg = tcb->tx_head; seg != NULL && nb < RELIEF_SEGS_MAX; nb++) {
		len += RTE_MBUF_HAS_EXTBUF(seg) ? seg->data_len / RELIEF_EXTERN_PART
						: seg->data_len;
		seg = seg->next;
	}
	return len;
}

/*
 * Bytes that the connection keeps in mbufs, here and with its user; 0: not to be chosen, not if
 * it were to hold more than @p most.
 */
static uint32_t
conn_held_len(const struct leat_inet_conn *conn, bool any, uint32_t most)
{
	const struct leat_tcb *tcb = &conn->tcb;

	if (!conn->is_used || !conn->in_flow || !conn->is_known)
		return 0;
	if (tcb->snd_len + tcb->rcv_unread <= most || (!any && !leat_tcp_is_stalled(tcb)))
		return 0;
	return LEAT_MAX(tcb_sent_held_len(tcb), 1u) + tcb->rcv_unread;
}

bool
leat_inet_relieve(struct leat_inet *inet, uint64_t now_us, bool any)
{
	uint32_t end = LEAT_MIN(inet->relief_idx + LEAT_INET_RELIEF_SLOTS, inet->conf.nb_conns_max);

	inet->now_us = now_us;
	for (uint32_t i = inet->relief_idx; i < end; i++) {
		uint32_t len = conn_held_len(inet_conn_at(inet, i), any, inet->relief_len);

		if (len > inet->relief_len) {
			inet->relief_len = len;
			inet->relief_slot = i;
		}
	}
	inet->relief_idx = end;
	if (end < inet->conf.nb_conns_max)
		return false;
	if (inet->relief_len > 0) {
		struct leat_inet_conn *conn = inet_conn_at(inet, inet->relief_slot);

		if (conn_held_len(conn, any, 0) > 0) { /* still, or again */
			inet->stats.tcp_relieved++;
			conn->error = -ENOBUFS;
			leat_inet_abort(inet, conn);
		}
	}
	inet->relief_idx = 0;
	inet->relief_len = 0;
	return true;
}
