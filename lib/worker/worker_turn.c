/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One turn, in lockstep: each stage runs over the whole burst before the next one
 * starts, so that the burst shares instruction cache, branch history and memory
 * latency.
 */

#include "worker_priv.h"

/* Take what has arrived on every transport. */
static void
worker_gather(struct leat_worker *worker)
{
	worker->nb_events = 0;
	for (uint16_t i = 0; i < worker->nb_transports; i++) {
		/* Each transport has its share, so that none starves those behind it. */
		uint16_t share = (uint16_t)((LEAT_WORKER_EVENTS_MAX - worker->nb_events) >>
					    (i + 1 < worker->nb_transports));

		worker->nb_events += leat_transport_rx_burst(worker->transports[i], worker->now_us,
			&worker->events[worker->nb_events], share);
	}
}

static void
worker_decode(struct leat_worker *worker)
{
	leat_session_decode_ready(&worker->ctx);
	for (uint16_t i = 0; i < worker->nb_events; i++) {
		const struct leat_transport_event *ev = &worker->events[i];
		const struct worker_listener *listener = ev->conn->listener;

		leat_session_event(&worker->ctx, &listener->session, ev);
	}
}

static void
worker_flush(struct leat_worker *worker)
{
	leat_session_flush(&worker->ctx);
	for (uint16_t i = 0; i < worker->nb_transports; i++)
		leat_transport_tx_flush(worker->transports[i], worker->now_us);
}

void
leat_worker_turn(struct leat_worker *worker, uint64_t now_us, uint64_t wall_ms)
{
	uint32_t nb_requests;

	worker->now_us = now_us;
	worker->ctx.command.now_us = now_us;
	worker->ctx.command.wall_ms = wall_ms;
	worker_gather(worker);
	worker_decode(worker);
	nb_requests = worker->ctx.batch.nb_entries;
	leat_session_look_up(&worker->ctx);
	leat_session_execute(&worker->ctx);
	worker_flush(worker);
	leat_session_expire(&worker->ctx);
	leat_store_run(worker->ctx.command.store, now_us);

	worker->stats.nb_turns++;
	worker->stats.nb_busy_turns += worker->nb_events > 0 || nb_requests > 0;
	worker->stats.nb_events += worker->nb_events;
	worker->stats.nb_requests += nb_requests;
}
