/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TRANSPORT_H
#define LEAT_TRANSPORT_H

/**
 * @file
 * Waist 1: connections that carry bytes, whatever moves them.
 *
 * A transport belongs to one worker. All bytes travel in rte_mbuf, so a codec
 * reads a request where the NIC, the fabric or the kernel put it, and a reply
 * leaves from where the codec wrote it. The worker pulls events; no callback
 * enters the code above from a driver.
 *
 * Times are microseconds of one monotonic clock, given by the caller.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <leat_common.h>
#include <leat_error.h>
#include <leat_record.h>
#include <leat_stats.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_conn;
struct leat_transport;

enum leat_endpoint_type {
	LEAT_ENDPOINT_IPV4,
	LEAT_ENDPOINT_IPV6,
	LEAT_ENDPOINT_UNIX,
	LEAT_ENDPOINT_TYPES,
};

#define LEAT_ENDPOINT_PATH_MAX 108 /**< bytes of a Unix socket path, the zero included */
#define LEAT_ENDPOINT_TEXT_MAX 128 /**< bytes of a printed endpoint, the zero included */

/** One end of a connection. */
struct leat_endpoint {
	enum leat_endpoint_type type;
	uint16_t port; /**< host order; 0 for a Unix socket */
	union {
		uint32_t ipv4; /**< host order */
		uint8_t ipv6[16];
		char path[LEAT_ENDPOINT_PATH_MAX];
	};
};

/** "10.77.0.1:6379" or a path into @p text. @return @p text. */
const char *leat_endpoint_format(
	const struct leat_endpoint *endpoint, char text[LEAT_ENDPOINT_TEXT_MAX]);

/** Parse "10.77.0.1" into type and address. @return 0, or -EINVAL: not an address. */
int leat_endpoint_parse_address(struct leat_endpoint *endpoint, const char *text);

/** Per connection: OPEN, (DATA | WRITABLE)*, (EOF, WRITABLE*)?, CLOSED. */
enum leat_transport_event_type {
	LEAT_TRANSPORT_OPEN,     /**< accepted, or a connect that succeeded */
	LEAT_TRANSPORT_DATA,     /**< mbuf is a chain of at least one byte, no empty segment */
	LEAT_TRANSPORT_WRITABLE, /**< a send that failed with -ENOBUFS may be tried again */
	LEAT_TRANSPORT_EOF,      /**< the peer sends no more; we still may */
	LEAT_TRANSPORT_CLOSED,   /**< conn must not be used after this event */
};

struct leat_transport_event {
	enum leat_transport_event_type type;
	int32_t error;          /**< CLOSED: 0, or the -errno that ended it */
	struct leat_conn *conn; /**< never NULL */
	struct rte_mbuf *mbuf;  /**< DATA: now the caller's; else NULL */
};

/** What every driver is opened with; a driver's own settings are in driver_conf. */
struct leat_transport_conf {
	uint16_t lcore_id;        /**< the lcore that will call the fast path */
	int socket_id;            /**< NUMA node of that lcore */
	uint32_t nb_conns_max;    /**< connections at one time, at least 1 */
	struct rte_mempool *pool; /**< the worker's pool; a driver may have pools beside it */
	uint64_t seed[2];         /**< secret randomness for hashes and initial sequence numbers */
	uint64_t now_us;          /**< time of opening */
	const void *driver_conf;  /**< the driver's own struct; NULL where it needs none */
};

#define LEAT_CONN_STATS_MAX      24 /**< numbers about one connection */
#define LEAT_TRANSPORT_STATS_MAX 12 /**< structs of counters of one transport */

/** One connection, for a person. */
struct leat_conn_info {
	struct leat_endpoint local;
	struct leat_endpoint peer;
	const char *state; /**< "ESTABLISHED", for example; a constant */
	void *listener;    /**< of listen(); NULL: an active open, or not known any more */
	uint32_t nb_stats;
	struct leat_stat stats[LEAT_CONN_STATS_MAX]; /**< whatever the driver can tell */
};

/** One neighbour on the link. */
struct leat_neighbour_info {
	struct leat_endpoint addr; /**< of port 0 */
	uint8_t mac[6];            /**< zero while it is not known */
	const char *state;         /**< "REACHABLE", for example; a constant */
	uint32_t nb_queued;        /**< packets that wait for its answer */
	uint64_t confirmed_us;     /**< since its last sign of life */
};

/** What a driver supplies; every pointer is set, see leat_transport_check(). */
struct leat_transport_ops {
	const char *name; /**< "dpdk", "fabric", "kernel", "loop" */

	/*
	 * Slow path, before traffic or beside it on the owning lcore. Each returns
	 * 0, or -errno with the sentence in error.
	 *
	 * open() builds everything; *out is written on success only.
	 * listen() accepts from then on; each accepted connection carries
	 * @p listener in conn->listener. -EADDRINUSE, -EADDRNOTAVAIL.
	 * unlisten() accepts no more and leaves what is open. -ENOENT.
	 * close() aborts what is open and frees everything; no event follows.
	 */
	int (*open)(const struct leat_transport_conf *conf, struct leat_transport **out,
		struct leat_error *error);
	int (*listen)(struct leat_transport *xp, const struct leat_endpoint *local, void *listener,
		struct leat_error *error);
	int (*unlisten)(struct leat_transport *xp, const struct leat_endpoint *local);
	void (*close)(struct leat_transport *xp);

	/*
	 * On the owning lcore; none blocks.
	 *
	 * connect() starts an active open: OPEN, or CLOSED with the error, follows
	 * as an event. 0, or -errno and no event (-ENOBUFS: table full).
	 * rx_burst() fills at most nb_ev events and returns how many.
	 * tx_alloc() returns an empty mbuf of the worker's pool with room for the
	 * driver's headers, or NULL.
	 * send() takes the chain (no empty segment; some may be external buffers, whose
	 * bytes stay as long as an mbuf is attached to them) and returns 0; or returns
	 * -ENOBUFS, leaves it with the caller, and owes a WRITABLE event.
	 * is_acked() says whether the peer has all that was sent; if not, it owes a WRITABLE
	 * event for when it has.
	 * consumed() says that the session is done with len received bytes; the
	 * driver never delivers more unconsumed bytes than its window.
	 * tx_flush() hands what was sent to the device: one doorbell per turn.
	 * shutdown() closes our side in order after what was sent. CLOSED follows
	 * when the peer has closed too.
	 * abort() ends it at once (RST, ERROR, reset), drops what is unsent;
	 * CLOSED follows.
	 */
	int (*connect)(struct leat_transport *xp, const struct leat_endpoint *peer, void *session,
		struct leat_conn **out);
	uint16_t (*rx_burst)(struct leat_transport *xp, uint64_t now_us,
		struct leat_transport_event *ev, uint16_t nb_ev);
	struct rte_mbuf *(*tx_alloc)(struct leat_transport *xp);
	int (*send)(struct leat_conn *conn, struct rte_mbuf *chain);
	bool (*is_acked)(struct leat_conn *conn);
	void (*consumed)(struct leat_conn *conn, uint32_t len);
	void (*tx_flush)(struct leat_transport *xp, uint64_t now_us);
	void (*shutdown)(struct leat_conn *conn);
	void (*abort)(struct leat_conn *conn);

	/**
	 * Idle: sleep until there may be work, timeout_us at the longest. May
	 * return early. A driver that cannot be woken sleeps a short time of its
	 * own choice.
	 */
	void (*wait)(struct leat_transport *xp, uint32_t timeout_us);

	/** Both ends of a connection, for logs and dumps. */
	void (*endpoints)(const struct leat_conn *conn, struct leat_endpoint *local,
		struct leat_endpoint *peer);

	/*
	 * What a person asks, on the owning lcore, between two turns.
	 *
	 * conn_info() and neighbour_info() tell of the one at a place, counted from 0; places
	 * are stable while a connection lives, and those of connections that have ended and
	 * are remembered (TIME-WAIT) lie behind all others, so that a walk in rising order
	 * misses none. 1: filled; 0: the place is empty; -ENOENT: it lies behind the last.
	 * state_name() names the states that conn_info() may tell, counted from 0; NULL: idx
	 * lies behind the last. From any thread.
	 * stats() fills in its structs of counters, at most LEAT_TRANSPORT_STATS_MAX, and
	 * returns how many. They live as long as the transport. From any thread.
	 * record() copies the flight recorder: as it is now where cause is NULL, else what
	 * was frozen since a connection ended badly, which then goes. 1: copied; 0: there is
	 * none, or nothing frozen; -ENOSPC: the copy, which is initialised, is too small.
	 */
	int (*conn_info)(
		const struct leat_transport *xp, uint32_t place, struct leat_conn_info *info);
	int (*neighbour_info)(
		const struct leat_transport *xp, uint32_t place, struct leat_neighbour_info *info);
	const char *(*state_name)(uint32_t idx);
	uint32_t (*stats)(const struct leat_transport *xp,
		struct leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX]);
	int (*record)(struct leat_transport *xp, struct leat_record *copy,
		struct leat_record_cause *cause);
};

/** Head of every driver's own struct. */
struct leat_transport {
	const struct leat_transport_ops *ops;
	const char *name; /**< for people, the port's for example; lives as long as this */
	uint16_t lcore_id;
	/**
	 * Written by the driver in rx_burst() and tx_alloc(): of the mbufs for text to send so few
	 * are left that they are shared out. What has begun may go on; who would begin has to have
	 * nothing unacknowledged, and gets nb_segs_share mbufs and no more.
	 */
	bool is_short;
	/** Likewise, and later: nobody begins, and a long reply that has begun fails. */
	bool is_scarce;
	/** Written by the session, and taken back by the driver: somebody needs more than that. */
	bool is_wanted;
	/** While is_short: a small part of what is left over for replies of several, at least 1. */
	uint16_t nb_segs_share;
};

/** Head of every driver's own connection struct. */
struct leat_conn {
	struct leat_transport *transport;
	void *listener; /**< of listen(), or NULL for an active open; the driver never reads it */
	void *session;  /**< for the layer above; the driver never reads it */
};

static inline uint16_t
leat_transport_rx_burst(
	struct leat_transport *xp, uint64_t now_us, struct leat_transport_event *ev, uint16_t nb_ev)
{
	uint16_t nb = xp->ops->rx_burst(xp, now_us, ev, nb_ev);

	LEAT_ASSERT(nb <= nb_ev);
	return nb;
}

static inline struct rte_mbuf *
leat_transport_tx_alloc(struct leat_transport *xp)
{
	return xp->ops->tx_alloc(xp);
}

static inline int
leat_transport_send(struct leat_conn *conn, struct rte_mbuf *chain)
{
	return conn->transport->ops->send(conn, chain);
}

static inline bool
leat_transport_is_acked(struct leat_conn *conn)
{
	return conn->transport->ops->is_acked(conn);
}

static inline void
leat_transport_consumed(struct leat_conn *conn, uint32_t len)
{
	conn->transport->ops->consumed(conn, len);
}

static inline void
leat_transport_tx_flush(struct leat_transport *xp, uint64_t now_us)
{
	xp->ops->tx_flush(xp, now_us);
}

static inline void
leat_transport_shutdown(struct leat_conn *conn)
{
	conn->transport->ops->shutdown(conn);
}

static inline void
leat_transport_abort(struct leat_conn *conn)
{
	conn->transport->ops->abort(conn);
}

static inline void
leat_transport_wait(struct leat_transport *xp, uint32_t timeout_us)
{
	xp->ops->wait(xp, timeout_us);
}

/**
 * Check that a driver has every operation.
 *
 * @return
 *   0, or -EINVAL when one is missing.
 */
int leat_transport_check(const struct leat_transport_ops *ops);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TRANSPORT_H */
