/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>

#include <leat_heap.h>

#include "worker_priv.h"

#define WORKER_CLIENT_ID_SHIFT 48     /* client ids of different workers never meet */
#define WORKER_REFS_MIN        12288u /* and two more for each connection, see worker_nb_refs() */
/* What the allocator and the last segment take beside one request of the largest size. */
#define WORKER_CARRY_EXTRA (LEAT_HEAP_CONTROL_MAX + 2u * UINT16_MAX)

static int
worker_check(const struct leat_worker_conf *conf, struct leat_error *error)
{
	if (conf->nb_conns_max == 0)
		return leat_error_set(
			error, -EINVAL, "worker %u: needs room for a connection", conf->worker_idx);
	if (conf->request_max > LEAT_SESSION_REQUEST_MAX)
		return leat_error_set(error, -EINVAL,
			"worker %u: a request has at most %u bytes, not %zu", conf->worker_idx,
			LEAT_SESSION_REQUEST_MAX, conf->request_max);
	if (conf->request_max == 0 || conf->carry_len < conf->request_max)
		return leat_error_set(error, -EINVAL,
			"worker %u: the carry region (%zu bytes) cannot hold one request of %zu "
			"bytes",
			conf->worker_idx, conf->carry_len, conf->request_max);
	return 0;
}

static size_t
worker_carry_len(const struct leat_worker_conf *conf)
{
	return conf->carry_len + WORKER_CARRY_EXTRA;
}

static size_t
worker_annexes_len(const struct leat_worker_conf *conf)
{
	return (size_t)conf->nb_annexes * LEAT_ANNEX_LEN;
}

/* Zeroed memory of one purpose near the worker. */
static void *
worker_zmalloc(const struct leat_worker_conf *conf, const char *purpose, size_t len,
	struct leat_error *error)
{
	void *mem = rte_zmalloc_socket(purpose, len, LEAT_CACHE_LINE_LEN, conf->socket_id);

	if (mem == NULL)
		(void)leat_error_set(error, -ENOMEM,
			"worker %u: no memory for %s (%zu bytes): raise memory", conf->worker_idx,
			purpose, len);
	return mem;
}

static int
worker_open_store(
	struct leat_worker *worker, const struct leat_worker_conf *conf, struct leat_error *error)
{
	char name[20];
	struct leat_store_conf store_conf = {
		.name = name,
		.socket_id = conf->socket_id,
		.nb_keys_max = conf->nb_keys_max,
		.mem_len = conf->store_len,
		.seed = { conf->seed[0], ~conf->seed[1] },
		.now_us = conf->now_us,
	};

	snprintf(name, sizeof(name), "store_%u", conf->worker_idx);
	return leat_store_open(&store_conf, &worker->ctx.command.store, error);
}

static int
worker_open_pubsub(
	struct leat_worker *worker, const struct leat_worker_conf *conf, struct leat_error *error)
{
	char name[20];
	struct leat_pubsub_conf pubsub_conf = {
		.name = name,
		.socket_id = conf->socket_id,
		.nb_channels_max = conf->nb_channels_max,
		.nb_subscriptions_max = conf->nb_subscriptions_max,
		.seed = { ~conf->seed[0], conf->seed[1] },
	};

	snprintf(name, sizeof(name), "pubsub_%u", conf->worker_idx);
	return leat_pubsub_open(&pubsub_conf, &worker->ctx.command.pubsub, error);
}

/* A connection that reads a long reply slowly takes a reference, and windows now and then. */
static uint32_t
worker_nb_refs(const struct leat_worker_conf *conf)
{
	return LEAT_MIN(WORKER_REFS_MIN + 2 * (uint64_t)conf->nb_conns_max, UINT32_MAX / 2);
}

static int
worker_open_refs(
	struct leat_worker *worker, const struct leat_worker_conf *conf, struct leat_error *error)
{
	uint32_t nb_refs = worker_nb_refs(conf);
	char name[20];
	int ret;

	snprintf(name, sizeof(name), "refs_%u", conf->worker_idx);
	ret = leat_session_ref_pool(name, nb_refs, conf->socket_id, &worker->ctx.ref_pool);
	if (ret < 0)
		return leat_error_set(error, ret,
			"worker %u: no memory for %u references of replies: raise memory",
			conf->worker_idx, nb_refs);
	return 0;
}

void
leat_worker_memory(const struct leat_worker_conf *conf, struct leat_worker_memory *memory)
{
	memory->sessions_len = conf->nb_conns_max * sizeof(struct leat_session);
	memory->refs_len = leat_session_ref_pool_len(worker_nb_refs(conf));
	memory->carry_len = worker_carry_len(conf);
	memory->store_len = conf->store_len;
	memory->worker_len = sizeof(struct leat_worker);
	memory->annexes_len = worker_annexes_len(conf);
}

int
leat_worker_open(
	const struct leat_worker_conf *conf, struct leat_worker **out, struct leat_error *error)
{
	struct leat_worker *worker;
	int ret = worker_check(conf, error);

	if (ret < 0)
		return ret;
	worker = worker_zmalloc(conf, "worker", sizeof(*worker), error);
	if (worker == NULL)
		return -ENOMEM;
	worker->idle = conf->idle;
	worker->lcore_id = conf->lcore_id;
	ret = -ENOMEM;
	worker->sessions = worker_zmalloc(
		conf, "sessions", conf->nb_conns_max * sizeof(struct leat_session), error);
	if (worker->sessions == NULL)
		goto free_worker;
	worker->carry = worker_zmalloc(conf, "carry buffers", worker_carry_len(conf), error);
	if (worker->carry == NULL)
		goto free_sessions;
	worker->carry_heap = leat_heap_init(worker->carry, worker_carry_len(conf));
	if (conf->nb_annexes > 0) {
		worker->annexes =
			worker_zmalloc(conf, "pipelines", worker_annexes_len(conf), error);
		if (worker->annexes == NULL)
			goto free_carry;
	}
	ret = worker_open_store(worker, conf, error);
	if (ret < 0)
		goto free_annexes;
	ret = worker_open_pubsub(worker, conf, error);
	if (ret < 0)
		goto close_store;
	ret = worker_open_refs(worker, conf, error);
	if (ret < 0)
		goto close_pubsub;
	worker->ctx.command.server = conf->server;
	leat_annexes_init(&worker->ctx.command, worker->annexes, conf->nb_annexes);
	worker->ctx.command.now_us = conf->now_us;
	worker->ctx.limits.request_max = conf->request_max;
	worker->ctx.limits.bulk_max = conf->bulk_max;
	worker->ctx.limits.query_max = conf->query_max;
	leat_session_ctx_init(&worker->ctx, worker->sessions, conf->nb_conns_max,
		worker->carry_heap, (uint64_t)conf->worker_idx << WORKER_CLIENT_ID_SHIFT);
	worker_mail_init(&worker->mail);
	*out = worker;
	return 0;

close_pubsub:
	leat_pubsub_close(worker->ctx.command.pubsub);
close_store:
	leat_store_close(worker->ctx.command.store);
free_annexes:
	rte_free(worker->annexes);
free_carry:
	leat_heap_fini(worker->carry_heap);
	rte_free(worker->carry);
free_sessions:
	rte_free(worker->sessions);
free_worker:
	rte_free(worker);
	return ret;
}

void
leat_worker_close_transports(struct leat_worker *worker)
{
	leat_session_close_all(&worker->ctx); /* their mbufs are the transports' */
	while (worker->nb_transports > 0) {
		struct leat_transport *xp = worker->transports[--worker->nb_transports];

		xp->ops->close(xp);
	}
}

void
leat_worker_close(struct leat_worker *worker)
{
	leat_worker_close_transports(worker);
	worker_mail_fini(&worker->mail);
	rte_mempool_free(worker->ctx.ref_pool);
	leat_pubsub_close(worker->ctx.command.pubsub);
	leat_store_close(worker->ctx.command.store);
	leat_heap_fini(worker->carry_heap);
	rte_free(worker->carry);
	rte_free(worker->annexes);
	rte_free(worker->sessions);
	rte_free(worker);
}

int
leat_worker_add_transport(
	struct leat_worker *worker, struct leat_transport *xp, struct leat_error *error)
{
	LEAT_VERIFY(leat_transport_check(xp->ops) == 0);
	if (worker->nb_transports == LEAT_WORKER_TRANSPORTS_MAX)
		return leat_error_set(error, -ENOSPC, "more than %d transports on one worker",
			LEAT_WORKER_TRANSPORTS_MAX);
	worker->transports[worker->nb_transports++] = xp;
	return 0;
}

int
leat_worker_listen(struct leat_worker *worker, struct leat_transport *xp,
	const struct leat_endpoint *local, const struct leat_protocol *protocol,
	const struct leat_session_options *options, struct leat_error *error)
{
	struct worker_listener *listener;
	int ret;

	if (worker->nb_listeners == LEAT_WORKER_LISTENERS_MAX)
		return leat_error_set(error, -ENOSPC, "more than %d listeners on one worker",
			LEAT_WORKER_LISTENERS_MAX);
	listener = &worker->listeners[worker->nb_listeners];
	leat_session_listener_init(&worker->ctx, protocol, options, &listener->session);
	listener->transport = xp;
	listener->local = *local;
	ret = xp->ops->listen(xp, local, listener, error);
	if (ret == 0)
		worker->nb_listeners++;
	return ret;
}

void
worker_unlisten_all(struct leat_worker *worker)
{
	for (uint16_t i = 0; i < worker->nb_listeners; i++) {
		const struct worker_listener *listener = &worker->listeners[i];

		LEAT_VERIFY(listener->transport->ops->unlisten(
				    listener->transport, &listener->local) == 0);
	}
	/* The entries stay: open connections point to them. */
}

/* A later, weaker wish never takes back a stronger one. */
static void
worker_ask(struct leat_worker *worker, uint32_t request)
{
	uint32_t old = __atomic_load_n(&worker->request, __ATOMIC_RELAXED);

	while (old < request && !__atomic_compare_exchange_n(&worker->request, &old, request, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void
leat_worker_drain(struct leat_worker *worker)
{
	worker_ask(worker, WORKER_DRAIN);
}

void
leat_worker_stop(struct leat_worker *worker)
{
	worker_ask(worker, WORKER_STOP);
}

uint32_t
leat_worker_nb_sessions(const struct leat_worker *worker)
{
	return __atomic_load_n(&worker->ctx.nb_open, __ATOMIC_RELAXED);
}

const struct leat_worker_stats *
leat_worker_stats(const struct leat_worker *worker)
{
	return &worker->stats;
}

uint16_t
leat_worker_nb_transports(const struct leat_worker *worker)
{
	return worker->nb_transports;
}

struct leat_transport *
leat_worker_transport(const struct leat_worker *worker, uint16_t idx)
{
	LEAT_VERIFY(idx < worker->nb_transports);
	return worker->transports[idx];
}

const char *
leat_worker_listener_protocol(const void *listener)
{
	const struct worker_listener *l = listener;

	return l != NULL ? l->session.protocol->name : "";
}
