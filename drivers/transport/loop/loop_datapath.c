/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "loop_priv.h"

#define LOOP_QUEUE_MASK (LEAT_LOOP_CHAINS_MAX - 1)

static_assert((LEAT_LOOP_CHAINS_MAX & LOOP_QUEUE_MASK) == 0, "the ring is indexed by a mask");

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"). */
static uint32_t
random_next(struct loop_transport *loop)
{
	uint64_t z = loop->random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

/* 0 to bound - 1. */
static uint32_t
random_below(struct loop_transport *loop, uint32_t bound)
{
	return (uint32_t)(((uint64_t)random_next(loop) * bound) >> 32);
}

bool
loop_roll(struct loop_transport *loop, uint16_t per_1000)
{
	return per_1000 > 0 && random_below(loop, 1000) < per_1000;
}

static bool
queue_is_empty(const struct loop_queue *q)
{
	return q->head == q->tail;
}

static void
queue_free(struct loop_queue *q)
{
	for (; q->head != q->tail; q->head++)
		rte_pktmbuf_free(q->chains[q->head & LOOP_QUEUE_MASK]);
	q->flushed = q->tail;
	q->len = 0;
}

struct loop_conn *
loop_conn_alloc(struct loop_transport *loop)
{
	struct loop_conn *conn = TAILQ_FIRST(&loop->free);

	if (conn == NULL)
		return NULL;
	LEAT_VERIFY(conn->state == LOOP_FREE);
	TAILQ_REMOVE(&loop->free, conn, link);
	*conn = (struct loop_conn){ .conn.transport = &loop->xp, .state = LOOP_OPENING };
	TAILQ_INSERT_TAIL(&loop->active, conn, link);
	loop->nb_conns++;
	return conn;
}

static void
conn_free(struct loop_transport *loop, struct loop_conn *conn)
{
	conn->state = LOOP_FREE;
	TAILQ_INSERT_TAIL(&loop->free, conn, link);
}

void
loop_reclaim(struct loop_transport *loop)
{
	struct loop_conn *conn;

	while ((conn = TAILQ_FIRST(&loop->dead)) != NULL) {
		LEAT_VERIFY(conn->state == LOOP_DEAD);
		TAILQ_REMOVE(&loop->dead, conn, link);
		conn_free(loop, conn);
	}
}

void
loop_conn_end(struct loop_conn *conn, int32_t error)
{
	struct loop_transport *loop = loop_of(conn->conn.transport);

	LEAT_VERIFY(conn->state == LOOP_OPENING || conn->state == LOOP_OPEN);
	if (conn->other != NULL) {
		LEAT_VERIFY(conn->other->other == conn);
		conn->other->other = NULL;
		conn->other = NULL;
	}
	queue_free(&conn->rxq);
	if (conn->is_accepted && conn->state == LOOP_OPENING) {
		TAILQ_REMOVE(&loop->active, conn, link);
		loop->nb_conns--;
		conn_free(loop, conn);
		return;
	}
	conn->state = LOOP_CLOSING;
	conn->error = error;
}

void
loop_conn_reset(struct loop_conn *conn, int32_t error)
{
	struct loop_conn *other = conn->other;

	loop_conn_end(conn, error);
	if (other != NULL)
		loop_conn_end(other, -ECONNRESET);
}

/*
 * Cut one segment of a chain in two at @p off, inside it. The second part borrows the
 * bytes of the first, whatever they lie in. 0, or -ENOBUFS and nothing changed.
 */
static int
segment_split(
	struct loop_transport *loop, struct rte_mbuf *head, struct rte_mbuf *seg, uint16_t off)
{
	struct rte_mbuf *rest;

	LEAT_VERIFY(off > 0);
	LEAT_VERIFY(off < seg->data_len);
	if (head->nb_segs == RTE_MBUF_MAX_NB_SEGS)
		return -ENOBUFS;
	rest = rte_pktmbuf_alloc(loop->pool);
	if (rest == NULL)
		return -ENOBUFS;
	rte_pktmbuf_attach(rest, seg);
	rest->data_off += off;
	rest->data_len -= off;
	rest->pkt_len = rest->data_len;
	rest->next = seg->next;
	seg->next = rest;
	seg->data_len = off;
	head->nb_segs++;
	return 0;
}

/*
 * Take the first @p len bytes, less than all, off the chain at @p *rest. NULL and
 * nothing changed when there is no mbuf.
 */
static struct rte_mbuf *
chain_cut(struct loop_transport *loop, struct rte_mbuf **rest, uint32_t len)
{
	struct rte_mbuf *head = *rest;
	struct rte_mbuf *last = head;
	uint32_t left = len;
	uint16_t nb_segs = 1;

	LEAT_VERIFY(len > 0);
	LEAT_VERIFY(len < head->pkt_len);
	for (; left > last->data_len; last = last->next) {
		left -= last->data_len;
		nb_segs++;
	}
	if (left < last->data_len && segment_split(loop, head, last, (uint16_t)left) < 0)
		return NULL;
	*rest = last->next;
	(*rest)->nb_segs = head->nb_segs - nb_segs;
	(*rest)->pkt_len = head->pkt_len - len;
	last->next = NULL;
	head->nb_segs = nb_segs;
	head->pkt_len = len;
	return head;
}

/* Faults inside a delivered chain: here a segment more, there a segment less. */
static void
chain_resegment(struct loop_transport *loop, struct rte_mbuf *chain)
{
	if (loop_roll(loop, loop->conf.join_per_1000) && RTE_MBUF_DIRECT(chain) &&
		rte_mbuf_refcnt_read(chain) == 1)
		(void)rte_pktmbuf_linearize(chain); /* too long for one segment: stays as it is */
	for (struct rte_mbuf *seg = chain; seg != NULL; seg = seg->next) {
		if (seg->data_len < 2 || !loop_roll(loop, loop->conf.split_per_1000))
			continue;
		/* Without an mbuf the segment stays whole. */
		(void)segment_split(
			loop, chain, seg, (uint16_t)(1 + random_below(loop, seg->data_len - 1u)));
	}
}

/* Take up to @p len_max bytes off the queue as one chain; NULL when the pool is dry. */
static struct rte_mbuf *
queue_take(struct loop_transport *loop, struct loop_queue *q, uint32_t len_max)
{
	struct rte_mbuf **first = &q->chains[q->head & LOOP_QUEUE_MASK];
	uint32_t len = LEAT_MIN((*first)->pkt_len, len_max);
	struct rte_mbuf *chain = *first;

	if (loop_roll(loop, loop->conf.split_per_1000))
		len = 1 + random_below(loop, len);
	if (len < chain->pkt_len) {
		chain = chain_cut(loop, first, len);
		if (chain != NULL)
			q->len -= len;
		return chain;
	}
	q->head++;
	while (q->head != q->flushed && loop_roll(loop, loop->conf.join_per_1000)) {
		struct rte_mbuf *next = q->chains[q->head & LOOP_QUEUE_MASK];

		if (next->pkt_len > len_max - chain->pkt_len || rte_pktmbuf_chain(chain, next) < 0)
			break;
		q->head++;
	}
	q->len -= chain->pkt_len;
	return chain;
}

/* Whether the other end's queue takes @p len bytes more. */
static bool
conn_has_room(const struct loop_conn *conn, uint32_t len)
{
	const struct loop_queue *q = &conn->other->rxq;
	uint32_t sendq_len = loop_of(conn->conn.transport)->conf.sendq_len;

	if (queue_is_empty(q))
		return true;
	if (q->tail - q->head == LEAT_LOOP_CHAINS_MAX)
		return false;
	return q->len < sendq_len && len <= sendq_len - q->len;
}

static bool
conn_tell_closed(struct loop_conn *conn, struct leat_transport_event *ev)
{
	struct loop_transport *loop = loop_of(conn->conn.transport);

	LEAT_VERIFY(conn->state == LOOP_CLOSING);
	conn->state = LOOP_DEAD;
	TAILQ_REMOVE(&loop->active, conn, link);
	TAILQ_INSERT_TAIL(&loop->dead, conn, link);
	loop->nb_conns--;
	ev->type = LEAT_TRANSPORT_CLOSED;
	ev->error = conn->error;
	return true;
}

static bool
conn_tell_data(struct loop_conn *conn, struct leat_transport_event *ev)
{
	struct loop_transport *loop = loop_of(conn->conn.transport);
	struct rte_mbuf *chain;

	if (loop_roll(loop, loop->conf.reset_per_1000)) {
		loop_conn_reset(conn, -ECONNRESET);
		return conn_tell_closed(conn, ev);
	}
	chain = queue_take(loop, &conn->rxq, loop->conf.window - conn->nb_unconsumed);
	if (chain == NULL)
		return false;
	chain_resegment(loop, chain);
	conn->nb_unconsumed += chain->pkt_len;
	LEAT_VERIFY(conn->nb_unconsumed <= loop->conf.window);
	ev->type = LEAT_TRANSPORT_DATA;
	ev->mbuf = chain;
	return true;
}

/* Both ends have sent their end and heard the other's. */
static bool
conn_is_over(const struct loop_conn *conn)
{
	return conn->is_fin_flushed && conn->is_eof_told &&
	       (conn->other == NULL || conn->other->is_eof_told);
}

static bool
conn_next_of_open(struct loop_conn *conn, struct leat_transport_event *ev)
{
	uint32_t window = loop_of(conn->conn.transport)->conf.window;
	const struct loop_queue *q = &conn->rxq;

	if (conn->owes_writable && conn_has_room(conn, conn->refused_len)) {
		conn->owes_writable = false;
		ev->type = LEAT_TRANSPORT_WRITABLE;
		return true;
	}
	if (q->head != q->flushed && conn->nb_unconsumed < window)
		return conn_tell_data(conn, ev);
	if (!conn->is_eof_told && queue_is_empty(q) && conn->other->is_fin_flushed) {
		conn->is_eof_told = true;
		ev->type = LEAT_TRANSPORT_EOF;
		return true;
	}
	if (conn_is_over(conn)) {
		loop_conn_end(conn, 0);
		return conn_tell_closed(conn, ev);
	}
	return false;
}

static bool
conn_next(struct loop_conn *conn, struct leat_transport_event *ev)
{
	*ev = (struct leat_transport_event){ .conn = &conn->conn };
	switch (conn->state) {
	case LOOP_OPENING:
		conn->state = LOOP_OPEN;
		ev->type = LEAT_TRANSPORT_OPEN;
		return true;
	case LOOP_OPEN:
		return conn_next_of_open(conn, ev);
	case LOOP_CLOSING:
		return conn_tell_closed(conn, ev);
	default: /* DEAD: told just now; FREE ones are in no list that leads here */
		LEAT_VERIFY(conn->state == LOOP_DEAD);
		return false;
	}
}

uint16_t
loop_rx_burst(
	struct leat_transport *xp, uint64_t now_us, struct leat_transport_event *ev, uint16_t nb_ev)
{
	struct loop_transport *loop = loop_of(xp);
	uint32_t nb_left = loop->nb_conns;
	struct loop_conn *conn;
	uint16_t nb = 0;

	(void)now_us; /* a loop has no timers */
	loop_reclaim(loop);
	for (; nb_left > 0 && nb < nb_ev; nb_left--) {
		conn = TAILQ_FIRST(&loop->active);
		if (conn == NULL)
			break; /* some ended under way */
		TAILQ_REMOVE(&loop->active, conn, link);
		TAILQ_INSERT_TAIL(&loop->active, conn, link);
		if (loop_roll(loop, loop->conf.delay_per_1000))
			continue;
		while (nb < nb_ev && conn_next(conn, &ev[nb]))
			nb++;
	}
	return nb;
}

struct rte_mbuf *
loop_tx_alloc(struct leat_transport *xp)
{
	struct loop_transport *loop = loop_of(xp);

	if (loop_roll(loop, loop->conf.alloc_fail_per_1000))
		return NULL;
	return rte_pktmbuf_alloc(loop->pool);
}

/* The sender is our own code: a chain that breaks the contract is its fault. */
static void
chain_verify(const struct rte_mbuf *chain)
{
	uint32_t len = 0;
	uint32_t nb_segs = 0;

	LEAT_VERIFY(chain != NULL);
	for (const struct rte_mbuf *seg = chain; seg != NULL; seg = seg->next) {
		LEAT_VERIFY(seg->data_len > 0);
		len += seg->data_len;
		nb_segs++;
	}
	LEAT_VERIFY(nb_segs == chain->nb_segs);
	LEAT_VERIFY(len == chain->pkt_len);
}

int
loop_send(struct leat_conn *conn, struct rte_mbuf *chain)
{
	struct loop_conn *from = loop_conn_of(conn);
	struct loop_transport *loop = loop_of(conn->transport);
	struct loop_queue *q;

	LEAT_VERIFY(from->state != LOOP_FREE);
	LEAT_VERIFY(from->state != LOOP_OPENING);
	LEAT_VERIFY(!from->is_fin_sent);
	chain_verify(chain);
	if (from->state != LOOP_OPEN) { /* its end is under way to the caller */
		rte_pktmbuf_free(chain);
		return 0;
	}
	if (loop_roll(loop, loop->conf.nobufs_per_1000) || !conn_has_room(from, chain->pkt_len)) {
		from->owes_writable = true;
		from->refused_len = chain->pkt_len;
		return -ENOBUFS;
	}
	q = &from->other->rxq;
	q->chains[q->tail++ & LOOP_QUEUE_MASK] = chain;
	q->len += chain->pkt_len;
	return 0;
}

bool
loop_is_acked(struct leat_conn *conn)
{
	struct loop_conn *from = loop_conn_of(conn);

	LEAT_VERIFY(from->state != LOOP_FREE);
	if (from->state != LOOP_OPEN || queue_is_empty(&from->other->rxq))
		return true;
	from->owes_writable = true;
	from->refused_len = UINT32_MAX; /* which only an empty queue has room for */
	return false;
}

void
loop_consumed(struct leat_conn *conn, uint32_t len)
{
	struct loop_conn *by = loop_conn_of(conn);

	LEAT_VERIFY(by->state != LOOP_FREE);
	LEAT_VERIFY(len <= by->nb_unconsumed);
	by->nb_unconsumed -= len;
}

void
loop_tx_flush(struct leat_transport *xp, uint64_t now_us)
{
	struct loop_transport *loop = loop_of(xp);
	struct loop_conn *conn;

	(void)now_us; /* a loop has no timers */
	TAILQ_FOREACH (conn, &loop->active, link) {
		if (conn->other != NULL)
			conn->other->rxq.flushed = conn->other->rxq.tail;
		conn->is_fin_flushed = conn->is_fin_sent;
	}
}

void
loop_shutdown(struct leat_conn *conn)
{
	struct loop_conn *by = loop_conn_of(conn);

	LEAT_VERIFY(by->state != LOOP_FREE);
	by->is_fin_sent = true;
	by->owes_writable = false;
}

void
loop_abort(struct leat_conn *conn)
{
	struct loop_conn *by = loop_conn_of(conn);

	LEAT_VERIFY(by->state != LOOP_FREE);
	if (by->state == LOOP_OPENING || by->state == LOOP_OPEN)
		loop_conn_reset(by, -ECONNABORTED);
}
