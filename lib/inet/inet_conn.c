/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Connections: their slots, and what follows from each call of the engine.
 *
 * A slot is free again when nobody needs it any more: the wire (in_flow), the user
 * (until CLOSED was emitted and looked at) and the output list.
 */

#include "inet_priv.h"

#define DOUBT_RETRIES 2u /* of one text, without an answer, until its next hop is asked again */

struct leat_inet_conn *
inet_conn_alloc(struct leat_inet *inet, const struct inet_flow_key *key)
{
	struct leat_inet_conn *conn = STAILQ_FIRST(&inet->conns_free);
	struct leat_ip_addr next_hop, src;

	if (conn == NULL)
		return NULL;
	if (inet_route(inet, key->raddr, &next_hop, &src) < 0)
		return NULL;
	STAILQ_REMOVE_HEAD(&inet->conns_free, link);
	memset((uint8_t *)conn - inet->conn_off, 0, inet->conn_off + sizeof(*conn));
	conn->key = *key;
	if (inet_flow_add(inet, &conn->key, conn) < 0) {
		STAILQ_INSERT_HEAD(&inet->conns_free, conn, link);
		return NULL;
	}
	conn->opened_ms = (uint32_t)(inet->now_us / LEAT_US_PER_MS);
	conn->heard_ms = conn->opened_ms;
	conn->priv_len = (uint16_t)inet->conn_off;
	conn->is_used = true;
	conn->in_flow = true;
	inet->nb_conns++;
	return conn;
}

void
inet_conn_release(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	if (!conn->is_over || conn->in_flow || conn->in_ready || conn->in_output)
		return;
	LEAT_VERIFY(conn->is_used);
	LEAT_VERIFY(!leat_timer_is_set(&conn->timer));

	if (conn->is_waiting)
		LIST_REMOVE(conn, waiting_link);
	leat_tcp_fini(&conn->tcb);
	inet_offload_forget(inet, conn);
	conn->is_waiting = false;
	conn->is_used = false;
	inet->nb_conns--;
	/* Of one that the user never heard of nobody reads the CLOSED event. */
	if (conn->is_known)
		STAILQ_INSERT_TAIL(&inet->conns_limbo, conn, link);
	else
		STAILQ_INSERT_HEAD(&inet->conns_free, conn, link);
}

void
inet_conn_reclaim(struct leat_inet *inet)
{
	STAILQ_CONCAT(&inet->conns_free, &inet->conns_limbo);
}

/* Its life on the wire ends here; what is owed to the peer may still go. */
static void
conn_leave_flow(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	struct inet_nbr *nbr = inet_nbr_of_conn(conn);

	if (nbr != NULL) {
		LEAT_VERIFY(nbr->nb_conns > 0);
		nbr->nb_conns--;
		conn->nbr = NULL;
	}
	inet_record_end(inet, conn);
	if (conn->tcb.state == LEAT_TCP_TIME_WAIT)
		inet_time_wait_add(inet, conn);
	else
		inet_flow_remove(inet, &conn->key);
	conn->in_flow = false;
	leat_timer_cancel(&inet->wheel, &conn->timer);
}

/* A timer that fires too early is set anew then; one that would be late is moved now. */
static void
conn_arm(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	uint64_t at_us = leat_tcp_deadline(&conn->tcb);

	if (!leat_timer_is_set_by(&conn->timer, at_us))
		leat_timer_set(&inet->wheel, &conn->timer, at_us);
}

static void
conn_take_events(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	if (conn->tcb.events == 0)
		return;
	if ((conn->tcb.events & (LEAT_TCP_EV_CLOSED | LEAT_TCP_EV_OPEN)) == LEAT_TCP_EV_CLOSED &&
		!conn->is_known) { /* a handshake that failed: the user never heard of it */
		conn->tcb.events = 0;
		conn->is_over = true;
		return;
	}
	if (conn->in_ready)
		return;
	STAILQ_INSERT_TAIL(&inet->ready, conn, link);
	conn->in_ready = true;
}

void
inet_conn_owe(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	if (!leat_tcp_wants_output(&conn->tcb) || conn->in_output)
		return;
	STAILQ_INSERT_TAIL(&inet->output, conn, output_link);
	conn->in_output = true;
}

void
inet_conn_settle(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	uint8_t state = conn->tcb.state;

	LEAT_ASSERT(conn->is_used);

	if (conn->half_open && state != LEAT_TCP_SYN_RECEIVED) {
		conn->half_open = false;
		TAILQ_REMOVE(&inet->half_open, conn, half_open_link);
		inet->nb_half_open--;
	}
	if (conn->in_flow) {
		if (state == LEAT_TCP_CLOSED || state == LEAT_TCP_TIME_WAIT)
			conn_leave_flow(inet, conn);
		else
			conn_arm(inet, conn);
	}
	conn_take_events(inet, conn);
	inet_conn_owe(inet, conn);
	inet_conn_release(inet, conn);
}

void
inet_conn_sent(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	LEAT_ASSERT(conn->in_output || !leat_tcp_wants_output(&conn->tcb));

	if (conn->in_flow)
		conn_arm(inet, conn);
	inet_conn_release(inet, conn);
}

void
inet_conn_fail(struct leat_inet *inet, struct leat_inet_conn *conn, int error)
{
	struct leat_tcp_out rst;

	conn->error = error;
	(void)leat_tcp_abort(
		&conn->tcb, inet->now_us, &rst); /* the peer cannot be reached, nor told */
	inet_conn_settle(inet, conn);
}

uint32_t
inet_conn_iss(struct leat_inet *inet, const struct inet_flow_key *key, uint64_t now_us)
{
	/* RFC 6528 section 3: M, a clock of 4 us, and F, a keyed hash of both ends. */
	return (uint32_t)(now_us >> 2) + (uint32_t)leat_siphash(&inet->isn_key, key, sizeof(*key));
}

/*
 * RFC 1122 section 2.3.2.1 (4): what a connection sends again and again may go where its next
 * hop is not any more, though an answer of his would last for minutes yet.
 */
static void
conn_doubt_next_hop(const struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	struct inet_nbr *nbr = inet_nbr_of_conn(conn);

	if (conn->half_open) /* its SYN may be forged */
		return;
	if (nbr != NULL && conn->tcb.nb_retries >= DOUBT_RETRIES)
		inet_nbr_doubt(inet, nbr);
}

void
leat_inet_timers(struct leat_inet *inet, uint64_t now_us)
{
	struct leat_timer *timer;

	inet->now_us = now_us;
	inet_conn_reclaim(inet);
	while ((timer = leat_timer_expire(&inet->wheel, now_us)) != NULL) {
		struct leat_inet_conn *conn =
			LEAT_CONTAINER_OF(timer, struct leat_inet_conn, timer);

		if (leat_tcp_deadline(&conn->tcb) <= now_us) {
			leat_tcp_timeout(&conn->tcb, now_us);
			conn_doubt_next_hop(inet, conn);
		}
		inet_conn_settle(inet, conn);
	}
	inet_nbr_timers(inet, now_us);
	inet_time_wait_timers(inet, now_us);
}

uint64_t
leat_inet_deadline(const struct leat_inet *inet)
{
	const struct inet_nbr *nbr = TAILQ_FIRST(&inet->nbrs_asking);
	const struct inet_time_wait *tw = TAILQ_FIRST(&inet->tws);
	uint64_t at_us = leat_timer_next_us(&inet->wheel);

	if (nbr != NULL)
		at_us = LEAT_MIN(at_us, nbr->retry_us);
	if (tw != NULL)
		at_us = LEAT_MIN(at_us, tw->expires_us);
	return at_us;
}
