/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef WORKER_PRIV_H
#define WORKER_PRIV_H

#include <leat_time.h>

#include "leat_worker.h"

/* What an accepted connection points back to. */
struct worker_listener {
	const struct leat_protocol *protocol;
	struct leat_transport *transport;
	struct leat_endpoint local;
};

/* What another thread asks of the lcore; grows only. */
enum worker_request {
	WORKER_GO_ON,
	WORKER_DRAIN,
	WORKER_STOP,
};

/*
 * Everything an lcore touches under traffic. Only that lcore writes it; where
 * another thread reads or writes a field, the field says so.
 */
struct leat_worker {
	uint64_t now_us;
	enum leat_worker_idle idle;
	uint16_t lcore_id;
	uint16_t nb_transports;
	uint16_t nb_listeners;
	uint16_t nb_events; /* of this turn */
	struct leat_transport *transports[LEAT_WORKER_TRANSPORTS_MAX];
	struct leat_transport_event events[LEAT_WORKER_EVENTS_MAX];
	struct leat_worker_stats stats; /* any thread: reads */
	struct worker_listener listeners[LEAT_WORKER_LISTENERS_MAX];
	struct leat_session *sessions;
	void *carry;
	struct leat_heap *carry_heap;
	uint32_t request; /* enum worker_request; any thread: writes, relaxed, it carries no data */
	struct leat_session_ctx ctx;
};

/* Accept no more on any listener. */
void worker_unlisten_all(struct leat_worker *worker);

#endif /* WORKER_PRIV_H */
