/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Peers that take nothing, or hardly anything, of what they asked for could keep every
 * mbuf between them. When mbufs run short they pay for it, and not who comes next.
 */

#include <errno.h>

#include "inet_priv.h"

/* Bytes that the connection keeps in mbufs, here and with its user; 0: not to be chosen. */
static uint32_t
conn_held_len(const struct leat_inet_conn *conn, bool any)
{
	if (!conn->is_used || !conn->in_flow || !conn->is_known)
		return 0;
	if (!any && !leat_tcp_is_stalled(&conn->tcb))
		return 0;
	return conn->tcb.snd_len + conn->tcb.rcv_unread;
}

void
leat_inet_relieve(struct leat_inet *inet, uint64_t now_us, bool any)
{
	uint32_t end = LEAT_MIN(inet->relief_idx + LEAT_INET_RELIEF_SLOTS, inet->conf.nb_conns_max);

	inet->now_us = now_us;
	for (uint32_t i = inet->relief_idx; i < end; i++) {
		uint32_t len = conn_held_len(inet_conn_at(inet, i), any);

		if (len > inet->relief_len) {
			inet->relief_len = len;
			inet->relief_slot = i;
		}
	}
	inet->relief_idx = end;
	if (end < inet->conf.nb_conns_max)
		return;
	if (inet->relief_len > 0) {
		struct leat_inet_conn *conn = inet_conn_at(inet, inet->relief_slot);

		if (conn_held_len(conn, any) > 0) { /* still, or again */
			inet->stats.tcp_relieved++;
			conn->error = -ENOBUFS;
			leat_inet_abort(inet, conn);
		}
	}
	inet->relief_idx = 0;
	inet->relief_len = 0;
}
