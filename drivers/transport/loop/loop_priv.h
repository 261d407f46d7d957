/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LOOP_PRIV_H
#define LOOP_PRIV_H

#include <sys/queue.h>

#include "leat_transport_loop.h"

enum loop_conn_state {
	LOOP_FREE,
	LOOP_OPENING, /* OPEN is owed */
	LOOP_OPEN,
	LOOP_CLOSING, /* CLOSED is owed, nothing else follows */
	LOOP_DEAD,    /* CLOSED was told; the slot is used again from the next burst on */
};

/*
 * Chains on their way to one receiver. The indexes run freely, modulo 2^32:
 * head <= flushed <= tail <= head + LEAT_LOOP_CHAINS_MAX; what lies before flushed
 * may be delivered.
 */
struct loop_queue {
	struct rte_mbuf *chains[LEAT_LOOP_CHAINS_MAX];
	uint32_t head;
	uint32_t flushed;
	uint32_t tail;
	uint32_t len; /* bytes in all of them */
};

struct loop_conn {
	struct leat_conn conn; /* head */
	TAILQ_ENTRY(loop_conn) link;
	struct loop_conn *other; /* NULL when the other end has ended, or never was */
	enum loop_conn_state state;
	int32_t error;        /* CLOSING: what CLOSED will tell */
	bool is_accepted;     /* the passive end */
	bool is_fin_sent;     /* shutdown() was called */
	bool is_fin_flushed;  /* the peer may see it */
	bool is_eof_told;     /* the peer's end was reported */
	bool owes_writable;   /* a send was refused */
	uint32_t refused_len; /* bytes of the refused chain; UINT32_MAX: all is waited for */
	uint32_t nb_unconsumed;
	struct loop_queue rxq;
	struct leat_endpoint local;
	struct leat_endpoint peer;
};

TAILQ_HEAD(loop_conn_list, loop_conn);

struct loop_listener {
	struct leat_endpoint local;
	void *cookie;
};

struct loop_transport {
	struct leat_transport xp; /* head */
	struct loop_transport *peer;
	struct leat_loop_conf conf;
	struct rte_mempool *pool;
	uint64_t random; /* state of the generator */
	uint16_t next_port;
	uint32_t nb_listeners;
	uint32_t nb_conns_max;
	uint32_t nb_conns;            /* of state OPENING, OPEN or CLOSING */
	struct loop_conn_list free;   /* used in order, so that a stale pointer is soon seen */
	struct loop_conn_list active; /* OPENING, OPEN, CLOSING; the longest without event first */
	struct loop_conn_list dead;   /* DEAD */
	struct loop_listener listeners[LEAT_LOOP_LISTENERS_MAX];
	struct loop_conn conns[]; /* conf nb_conns_max of them */
};

static inline struct loop_transport *
loop_of(const struct leat_transport *xp)
{
	return LEAT_CONTAINER_OF(xp, struct loop_transport, xp);
}

static inline struct loop_conn *
loop_conn_of(const struct leat_conn *conn)
{
	return LEAT_CONTAINER_OF(conn, struct loop_conn, conn);
}

/** Draw: true in @p per_1000 of 1000 cases. Without chance the generator stays. */
bool loop_roll(struct loop_transport *loop, uint16_t per_1000);

/**
 * End an OPENING or OPEN connection and unlink the other end. Nothing but CLOSED with
 * @p error follows; nothing at all when it was accepted and nobody has heard of it.
 */
void loop_conn_end(struct loop_conn *conn, int32_t error);

/** End both halves at once: @p error here, -ECONNRESET there. */
void loop_conn_reset(struct loop_conn *conn, int32_t error);

/** Take a free slot of @p loop, or NULL; its state is OPENING. */
struct loop_conn *loop_conn_alloc(struct loop_transport *loop);

/** Put the slots of dead connections back. */
void loop_reclaim(struct loop_transport *loop);

/* Operations of the datapath file. */
int loop_connect(struct leat_transport *xp, const struct leat_endpoint *peer, void *session,
	struct leat_conn **out);
uint16_t loop_rx_burst(struct leat_transport *xp, uint64_t now_us, struct leat_transport_event *ev,
	uint16_t nb_ev);
struct rte_mbuf *loop_tx_alloc(struct leat_transport *xp);
int loop_send(struct leat_conn *conn, struct rte_mbuf *chain);
bool loop_is_acked(struct leat_conn *conn);
void loop_consumed(struct leat_conn *conn, uint32_t len);
void loop_tx_flush(struct leat_transport *xp, uint64_t now_us);
void loop_shutdown(struct leat_conn *conn);
void loop_abort(struct leat_conn *conn);

#endif /* LOOP_PRIV_H */
