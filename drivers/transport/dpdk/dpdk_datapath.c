/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "dpdk_priv.h"

/* Bursts of one flush; what is left stays owed by the stack, and received frames get their turn. */
#define DATAPATH_TX_BURSTS_MAX 16u
/* So long mbufs may be short before connections that make progress have to end, too. */
#define DATAPATH_SHORT_US 1000000u
/* A reply that begins while mbufs are short gets one of so many that are left for long ones. */
#define DATAPATH_SHARE 64u
/* So long one frame may keep the others from the device. */
#define DATAPATH_STUCK_US 200000u

struct leat_conn *
dpdk_conn_init(struct dpdk_queue *queue, struct leat_inet_conn *inet_conn)
{
	struct dpdk_conn *conn = leat_inet_conn_priv(inet_conn);

	conn->conn.transport = &queue->xp;
	conn->conn.listener = leat_inet_conn_listener(inet_conn);
	return &conn->conn;
}

static void
queue_input(struct dpdk_queue *queue, uint64_t now_us)
{
	struct rte_mbuf *frames[DPDK_BURST];
	uint16_t nb = queue->nb_stash;

	if (nb > 0) {
		memcpy(frames, queue->stash, nb * sizeof(frames[0]));
		queue->nb_stash = 0;
	} else {
		nb = rte_eth_rx_burst(queue->port_id, queue->queue_id, frames, DPDK_BURST);
	}
	if (nb == 0)
		return;
	queue->stats.rx_frames += nb;
	leat_inet_input(queue->inet, now_us, frames, nb);
	/* a store of what is there already would still take the line away from its readers */
	if (leat_inet_notices(queue->inet) !=
		atomic_load_explicit(&queue->notices, memory_order_relaxed))
		atomic_store_explicit(
			&queue->notices, leat_inet_notices(queue->inet), memory_order_relaxed);
}

/* An accepted connection is first seen here, one that we opened has its head already. */
static void
event_translate(struct dpdk_queue *queue, const struct leat_inet_event *in,
	struct leat_transport_event *out)
{
	static const enum leat_transport_event_type types[] = {
		[LEAT_INET_OPEN] = LEAT_TRANSPORT_OPEN,
		[LEAT_INET_DATA] = LEAT_TRANSPORT_DATA,
		[LEAT_INET_WRITABLE] = LEAT_TRANSPORT_WRITABLE,
		[LEAT_INET_EOF] = LEAT_TRANSPORT_EOF,
		[LEAT_INET_CLOSED] = LEAT_TRANSPORT_CLOSED,
	};
	struct dpdk_conn *conn = leat_inet_conn_priv(in->conn);

	if (conn->conn.transport == NULL)
		(void)dpdk_conn_init(queue, in->conn); /* it is conn->conn */
	out->type = types[in->type];
	out->error = in->error;
	out->conn = &conn->conn;
	out->mbuf = in->mbuf;
}

/* Cheap, unlike rte_mempool_avail_count(), which looks into the caches of all lcores. */
static unsigned int
pool_nb_free(const struct rte_mempool *pool)
{
	return rte_mempool_get_ops(pool->ops_index)->get_count(pool);
}

static void
queue_watch_text(struct dpdk_queue *queue)
{
	unsigned int nb_free = pool_nb_free(queue->text_pool);

	queue->xp.is_short = nb_free < queue->nb_text_low;
	queue->xp.is_scarce = nb_free < queue->nb_text_last;
	queue->xp.nb_segs_share = 1;
	if (queue->xp.is_short && nb_free > queue->nb_text_low / 2)
		queue->xp.nb_segs_share =
			(uint16_t)(1 + (nb_free - queue->nb_text_low / 2) / DATAPATH_SHARE);
}

/* Whether somebody who reads goes without, for what those have who do not. */
static bool
queue_is_in_need(struct dpdk_queue *queue)
{
	bool is_wanted = queue->xp.is_wanted;

	queue->xp.is_wanted = false;
	return is_wanted || queue->xp.is_scarce || pool_nb_free(queue->rx_pool) < queue->nb_rx_low;
}

/*
 * Peers that do not take their replies hold text, and the requests behind it hold what was
 * received. The stack keeps the last mbufs for those who make progress, and turns away who
 * would begin; but only the end of a connection brings back what it holds for good. So where
 * somebody needs that one of the others ends, and another, until nobody does.
 */
static void
queue_watch_pools(struct dpdk_queue *queue, uint64_t now_us)
{
	uint64_t nb_refused = leat_inet_stats(queue->inet)->tcp_begin_starved;
	bool is_in_need;

	queue_watch_text(queue);
	is_in_need = queue_is_in_need(queue);
	if (!is_in_need)
		queue->short_since_us = 0;
	else if (queue->short_since_us == 0)
		queue->short_since_us = now_us;
	queue->is_refused |= nb_refused != queue->nb_refused;
	queue->nb_refused = nb_refused;
	if ((is_in_need || queue->is_refused) &&
		leat_inet_relieve(queue->inet, now_us,
			is_in_need && now_us - queue->short_since_us > DATAPATH_SHORT_US))
		queue->is_refused = false;
}

uint16_t
dpdk_rx_burst(
	struct leat_transport *xp, uint64_t now_us, struct leat_transport_event *ev, uint16_t nb_ev)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	struct leat_inet_event events[DPDK_BURST];
	uint16_t nb = 0;
	uint16_t nb_asked;
	uint16_t nb_got;

	queue->now_us = now_us;
	queue_watch_pools(queue, now_us);
	queue_input(queue, now_us);
	if (leat_inet_deadline(queue->inet) <= now_us)
		leat_inet_timers(queue->inet, now_us);
	do {
		nb_asked = LEAT_MIN((uint16_t)(nb_ev - nb), (uint16_t)DPDK_BURST);
		nb_got = leat_inet_events(queue->inet, events, nb_asked);
		LEAT_VERIFY(nb_got <= nb_asked);
		for (uint16_t i = 0; i < nb_got; i++)
			event_translate(queue, &events[i], &ev[nb++]);
	} while (nb_got == nb_asked && nb < nb_ev);
	return nb;
}

struct rte_mbuf *
dpdk_tx_alloc(struct leat_transport *xp)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);

	queue_watch_text(queue);
	return rte_pktmbuf_alloc(queue->text_pool);
}

int
dpdk_send(struct leat_conn *conn, struct rte_mbuf *chain)
{
	struct leat_inet *inet = dpdk_queue_of(conn->transport)->inet;
	int ret = leat_inet_send(inet, dpdk_inet_conn_of(conn), chain);

	if (ret == -EPIPE) { /* it has ended, and CLOSED is on its way to the caller */
		rte_pktmbuf_free(chain);
		return 0;
	}
	return ret;
}

bool
dpdk_is_acked(struct leat_conn *conn)
{
	return leat_inet_is_acked(dpdk_inet_conn_of(conn));
}

void
dpdk_consumed(struct leat_conn *conn, uint32_t len)
{
	leat_inet_consumed(dpdk_queue_of(conn->transport)->inet, dpdk_inet_conn_of(conn), len);
}

void
dpdk_shutdown(struct leat_conn *conn)
{
	leat_inet_shutdown(dpdk_queue_of(conn->transport)->inet, dpdk_inet_conn_of(conn));
}

void
dpdk_abort(struct leat_conn *conn)
{
	leat_inet_abort(dpdk_queue_of(conn->transport)->inet, dpdk_inet_conn_of(conn));
}

/* Let the driver finish offloaded fields; a frame that it refuses is dropped. */
static uint16_t
queue_prepare(struct dpdk_queue *queue, struct rte_mbuf **frames, uint16_t nb)
{
	uint16_t nb_good = 0;

	if (!queue->has_tx_offloads)
		return nb;
	for (;;) {
		nb_good = (uint16_t)(nb_good + rte_eth_tx_prepare(queue->port_id, queue->queue_id,
						       frames + nb_good, (uint16_t)(nb - nb_good)));
		if (nb_good == nb)
			return nb;
		rte_pktmbuf_free(frames[nb_good]);
		queue->stats.tx_refused++;
		nb--;
		memmove(frames + nb_good, frames + nb_good + 1,
			(size_t)(nb - nb_good) * sizeof(frames[0]));
	}
}

/* Send what the device takes; the rest becomes the backlog. @return whether it took all. */
static bool
queue_transmit(struct dpdk_queue *queue, struct rte_mbuf **frames, uint16_t nb)
{
	uint16_t nb_sent = rte_eth_tx_burst(queue->port_id, queue->queue_id, frames, nb);
	uint16_t nb_left = (uint16_t)(nb - nb_sent);

	queue->stats.tx_frames += nb_sent;
	memmove(queue->backlog, frames + nb_sent, nb_left * sizeof(frames[0]));
	queue->nb_backlog = nb_left;
	queue->stats.tx_full += nb_left > 0;
	return nb_left == 0;
}

/*
 * A device is full for a moment. A frame that it does not take for long is one that it
 * never will, and all others stand behind it.
 */
static bool
backlog_is_stuck(struct dpdk_queue *queue, uint64_t now_us)
{
	if (queue->backlog[0] == queue->stuck)
		return now_us - queue->stuck_since_us >= DATAPATH_STUCK_US;
	queue->stuck = queue->backlog[0];
	queue->stuck_since_us = now_us;
	return false;
}

/* Send what was not taken before. @return whether the device took all of it. */
static bool
queue_transmit_backlog(struct dpdk_queue *queue, uint64_t now_us)
{
	if (queue->nb_backlog == 0)
		return true;
	if (queue_transmit(queue, queue->backlog, queue->nb_backlog))
		return true;
	if (backlog_is_stuck(queue, now_us)) {
		queue->stats.tx_stuck++;
		rte_pktmbuf_free(queue->backlog[0]);
		queue->nb_backlog--;
		memmove(queue->backlog, queue->backlog + 1,
			queue->nb_backlog * sizeof(queue->backlog[0]));
		queue->stuck = NULL;
	}
	return false;
}

void
dpdk_tx_flush(struct leat_transport *xp, uint64_t now_us)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	struct rte_mbuf *frames[DPDK_BURST];
	uint16_t nb;

	queue->now_us = now_us;
	if (!queue_transmit_backlog(queue, now_us))
		return;
	for (unsigned int i = 0; i < DATAPATH_TX_BURSTS_MAX; i++) {
		nb = leat_inet_output(queue->inet, now_us, frames, DPDK_BURST);
		if (nb == 0)
			return;
		if (!queue_transmit(queue, frames, queue_prepare(queue, frames, nb)) ||
			nb < DPDK_BURST)
			return;
	}
}
