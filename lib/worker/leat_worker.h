/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_WORKER_H
#define LEAT_WORKER_H

/**
 * @file
 * The lcore: one worker owns its transports, sessions, store shard and channels,
 * and turns. Open, add transports, listen, then run; nothing here assumes that
 * there is only one.
 */

#include <stdint.h>

#include <leat_error.h>
#include <leat_protocol.h>
#include <leat_session.h>
#include <leat_stats.h>
#include <leat_transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_WORKER_TRANSPORTS_MAX 16
#define LEAT_WORKER_LISTENERS_MAX  32
#define LEAT_WORKER_EVENTS_MAX     64 /**< events of one turn */

enum leat_worker_idle {
	LEAT_WORKER_IDLE_POLL,     /**< never sleeps */
	LEAT_WORKER_IDLE_ADAPTIVE, /**< sleeps shortly after a run of empty turns */
};

struct leat_worker_conf {
	uint16_t worker_idx; /**< 0 to nb_workers - 1 */
	uint16_t lcore_id;   /**< that will run it */
	int socket_id;       /**< NUMA node of that lcore */
	enum leat_worker_idle idle;
	uint32_t nb_conns_max; /**< sessions at one time, all transports together; at least 1 */
	size_t request_max;    /**< bytes of one request, 1 to LEAT_SESSION_REQUEST_MAX */
	size_t bulk_max;       /**< bytes of one argument of RESP; 0: request_max */
	size_t query_max;      /**< bytes of one request of RESP; 0: request_max */
	size_t carry_len;      /**< for requests that straddle mbufs, at least request_max */
	uint32_t nb_keys_max;  /**< keys of the store shard */
	size_t store_len;      /**< bytes of the store shard */
	uint32_t nb_channels_max;
	uint32_t nb_subscriptions_max;
	uint32_t
		nb_annexes; /**< connections that may have one at one time, see leat_annex_take() */
	uint64_t seed[2];   /**< secret randomness */
	uint64_t now_us;    /**< time of opening, leat_worker_clock_us() */
	const struct leat_command_server *server;
};

/** Counters of one worker. The owning lcore writes; others may read a stale value. */
struct leat_worker_stats {
	uint64_t nb_turns;
	uint64_t nb_busy_turns; /**< turns with an event or a request */
	uint64_t nb_events;
	uint64_t nb_requests;
	uint64_t nb_sleeps;
};

struct leat_worker;

/**
 * Allocate a worker with its store, channels and sessions.
 *
 * @return
 *   0 and *out; -EINVAL or -ENOMEM with the sentence in @p error.
 */
int leat_worker_open(
	const struct leat_worker_conf *conf, struct leat_worker **out, struct leat_error *error);

/**
 * Close its transports, and with them its listeners and connections. Not while it runs.
 *
 * Devices may go on reading what they were given of the worker's memory: who owns devices
 * closes them next, and then the worker.
 */
void leat_worker_close_transports(struct leat_worker *worker);

/** Close what is left to close of that, and free all. Not while it runs. */
void leat_worker_close(struct leat_worker *worker);

/**
 * Hand a transport to the worker, which closes it in the end.
 *
 * @return
 *   0, or -ENOSPC with the sentence in @p error (the transport stays the caller's).
 */
int leat_worker_add_transport(
	struct leat_worker *worker, struct leat_transport *xp, struct leat_error *error);

/**
 * Listen on one of the worker's transports.
 *
 * @param options
 *   See leat_session_listener_init(); NULL: none.
 * @return
 *   0; -ENOSPC, or what the transport returned, with the sentence in @p error.
 */
int leat_worker_listen(struct leat_worker *worker, struct leat_transport *xp,
	const struct leat_endpoint *local, const struct leat_protocol *protocol,
	const struct leat_session_options *options, struct leat_error *error);

/**
 * Turn until drained or stopped; the body of rte_eal_remote_launch().
 *
 * @param worker
 *   A struct leat_worker.
 * @return
 *   0.
 */
int leat_worker_run(void *worker);

/** Now, on the clock that leat_worker_run() turns by: one for all workers. */
uint64_t leat_worker_clock_us(void);

/**
 * One turn, for tests that hold the clock themselves.
 *
 * @param now_us
 *   Monotonic microseconds, never less than before.
 * @param wall_ms
 *   Unix time in milliseconds.
 */
void leat_worker_turn(struct leat_worker *worker, uint64_t now_us, uint64_t wall_ms);

/**
 * Ask a running worker to stop listening, answer what was asked, close each
 * connection in order and return. From any thread, also from a signal handler.
 */
void leat_worker_drain(struct leat_worker *worker);

/** Ask a running worker to abort what is open and return. From any thread. */
void leat_worker_stop(struct leat_worker *worker);

/**
 * Have a running worker call a function on its lcore, between two turns, and wait until
 * it has returned. From any thread but that lcore; askers of one worker take turns.
 *
 * @param fn
 *   Short, and without waiting for anything: no frame moves meanwhile.
 * @param arg
 *   For @p fn, which may write there what the asker wants to know.
 * @param timeout_ms
 *   How long to wait for the worker to take it up. An idle worker does so within a
 *   millisecond or two, a busy one at its next housekeeping.
 * @return
 *   - 0: @p fn was called.
 *   - -ETIMEDOUT: the worker did not take it up, and will not; -ESHUTDOWN: it does not
 *     run. The sentence is in @p error.
 */
int leat_worker_ask(struct leat_worker *worker, void (*fn)(struct leat_worker *worker, void *arg),
	void *arg, uint32_t timeout_ms, struct leat_error *error);

/** Connections now open; a stale value from any thread. */
uint32_t leat_worker_nb_sessions(const struct leat_worker *worker);

/** Counters of its turns; they live as long as the worker. */
const struct leat_worker_stats *leat_worker_stats(const struct leat_worker *worker);

#define LEAT_WORKER_STAT_SETS 3 /**< "worker", "session" and "command" */

/** Its own counters by name, for as long as it lives. From any thread. */
void leat_worker_stat_sets(
	const struct leat_worker *worker, struct leat_stat_set sets[LEAT_WORKER_STAT_SETS]);

/** @return how many transports it has. They are added before it runs. */
uint16_t leat_worker_nb_transports(const struct leat_worker *worker);

/** @return the transport @p idx, in the order of leat_worker_add_transport(). */
struct leat_transport *leat_worker_transport(const struct leat_worker *worker, uint16_t idx);

/** @return the protocol's name of a connection that carries @p listener; "" for NULL. */
const char *leat_worker_listener_protocol(const void *listener);

/** Bytes of memory taken at open for one purpose, for the start-up print. */
struct leat_worker_memory {
	size_t sessions_len;
	size_t refs_len; /**< references of replies to what they send */
	size_t carry_len;
	size_t store_len;
	size_t worker_len; /**< batch, events, the struct itself */
	size_t annexes_len;
};

/** What leat_worker_open() takes with @p conf, hash tables aside. */
void leat_worker_memory(const struct leat_worker_conf *conf, struct leat_worker_memory *memory);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_WORKER_H */
