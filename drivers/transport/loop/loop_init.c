/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "loop_priv.h"

#define LOOP_PORT_FIRST    49152u /* of the side that connects */
#define LOOP_IPV4_LOOPBACK 0x7f000001u
#define LOOP_PER_1000_MAX  1000

static bool
endpoint_is_equal(const struct leat_endpoint *a, const struct leat_endpoint *b)
{
	if (a->type != b->type || a->port != b->port)
		return false;
	switch (a->type) {
	case LEAT_ENDPOINT_IPV4:
		return a->ipv4 == b->ipv4;
	case LEAT_ENDPOINT_IPV6:
		return memcmp(a->ipv6, b->ipv6, sizeof(a->ipv6)) == 0;
	case LEAT_ENDPOINT_UNIX:
		return strncmp(a->path, b->path, sizeof(a->path)) == 0;
	default: /* LEAT_ENDPOINT_TYPES counts and is no type */
		return false;
	}
}

static struct loop_listener *
listener_find(struct loop_transport *loop, const struct leat_endpoint *local)
{
	for (uint32_t i = 0; i < loop->nb_listeners; i++) {
		if (endpoint_is_equal(&loop->listeners[i].local, local))
			return &loop->listeners[i];
	}
	return NULL;
}

/* The end of a connecting side: loopback and a port of the ephemeral range. */
static void
endpoint_draw(struct loop_transport *loop, enum leat_endpoint_type type, struct leat_endpoint *out)
{
	memset(out, 0, sizeof(*out));
	out->type = type;
	if (type == LEAT_ENDPOINT_UNIX)
		return;
	out->port = loop->next_port++;
	if (loop->next_port < LOOP_PORT_FIRST)
		loop->next_port = LOOP_PORT_FIRST;
	if (type == LEAT_ENDPOINT_IPV4)
		out->ipv4 = LOOP_IPV4_LOOPBACK;
	else
		out->ipv6[15] = 1;
}

int
loop_connect(struct leat_transport *xp, const struct leat_endpoint *peer, void *session,
	struct leat_conn **out)
{
	struct loop_transport *loop = loop_of(xp);
	struct loop_transport *target = loop->peer != NULL ? loop->peer : loop;
	const struct loop_listener *listener = listener_find(target, peer);
	struct loop_conn *conn = loop_conn_alloc(loop);
	struct loop_conn *accepted;

	if (conn == NULL)
		return -ENOBUFS;
	conn->conn.session = session;
	conn->peer = *peer;
	endpoint_draw(loop, peer->type, &conn->local);
	*out = &conn->conn;
	accepted = listener != NULL ? loop_conn_alloc(target) : NULL;
	if (accepted == NULL) {
		loop_conn_end(conn, -ECONNREFUSED);
		return 0;
	}
	accepted->is_accepted = true;
	accepted->conn.listener = listener->cookie;
	accepted->local = conn->peer;
	accepted->peer = conn->local;
	accepted->other = conn;
	conn->other = accepted;
	return 0;
}

static int
loop_listen(struct leat_transport *xp, const struct leat_endpoint *local, void *listener,
	struct leat_error *error)
{
	struct loop_transport *loop = loop_of(xp);
	char text[LEAT_ENDPOINT_TEXT_MAX];

	if (listener_find(loop, local) != NULL)
		return leat_error_set(error, -EADDRINUSE, "loop: %s has a listener already",
			leat_endpoint_format(local, text));
	if (local->type != LEAT_ENDPOINT_UNIX && local->port == 0)
		return leat_error_set(error, -EADDRNOTAVAIL, "loop: a listener needs a port");
	if (loop->nb_listeners == LEAT_LOOP_LISTENERS_MAX)
		return leat_error_set(
			error, -ENOSPC, "loop: more than %d listeners", LEAT_LOOP_LISTENERS_MAX);
	loop->listeners[loop->nb_listeners++] = (struct loop_listener){ *local, listener };
	return 0;
}

static int
loop_unlisten(struct leat_transport *xp, const struct leat_endpoint *local)
{
	struct loop_transport *loop = loop_of(xp);
	struct loop_listener *listener = listener_find(loop, local);

	if (listener == NULL)
		return -ENOENT;
	*listener = loop->listeners[--loop->nb_listeners];
	return 0;
}

static int
conf_check(const struct leat_transport_conf *conf, const struct leat_loop_conf *loop_conf,
	struct leat_error *error)
{
	const uint16_t chances[] = { loop_conf->split_per_1000, loop_conf->join_per_1000,
		loop_conf->delay_per_1000, loop_conf->nobufs_per_1000,
		loop_conf->alloc_fail_per_1000, loop_conf->reset_per_1000 };

	if (conf->pool == NULL)
		return leat_error_set(error, -EINVAL, "loop: no mbuf pool");
	if (conf->nb_conns_max == 0)
		return leat_error_set(error, -EINVAL, "loop: room for no connection");
	for (size_t i = 0; i < LEAT_DIM(chances); i++) {
		if (chances[i] > LOOP_PER_1000_MAX)
			return leat_error_set(
				error, -EINVAL, "loop: a chance of %u in 1000", chances[i]);
	}
	if (loop_conf->peer == NULL)
		return 0;
	if (loop_conf->peer->ops != &leat_transport_loop_ops)
		return leat_error_set(error, -EINVAL, "loop: the peer is no loop transport");
	if (loop_of(loop_conf->peer)->peer != NULL)
		return leat_error_set(error, -EBUSY, "loop: the peer has a peer already");
	return 0;
}

static int
loop_open(const struct leat_transport_conf *conf, struct leat_transport **out,
	struct leat_error *error)
{
	const struct leat_loop_conf none = { 0 };
	const struct leat_loop_conf *loop_conf =
		conf->driver_conf != NULL ? conf->driver_conf : &none;
	struct loop_transport *loop;
	int ret = conf_check(conf, loop_conf, error);

	if (ret < 0)
		return ret;
	loop = rte_zmalloc_socket("leat_loop",
		sizeof(*loop) + conf->nb_conns_max * sizeof(loop->conns[0]), LEAT_CACHE_LINE_LEN,
		conf->socket_id);
	if (loop == NULL)
		return leat_error_set(error, -ENOMEM, "loop: no memory for %u connections",
			(unsigned int)conf->nb_conns_max);
	loop->xp.ops = &leat_transport_loop_ops;
	loop->xp.name = "loop";
	loop->xp.lcore_id = conf->lcore_id;
	loop->nb_conns_max = conf->nb_conns_max;
	loop->conf = *loop_conf;
	if (loop->conf.window == 0)
		loop->conf.window = LEAT_LOOP_WINDOW;
	if (loop->conf.sendq_len == 0)
		loop->conf.sendq_len = LEAT_LOOP_SENDQ_LEN;
	loop->pool = conf->pool;
	loop->random = loop_conf->seed;
	loop->next_port = LOOP_PORT_FIRST;
	TAILQ_INIT(&loop->free);
	TAILQ_INIT(&loop->active);
	TAILQ_INIT(&loop->dead);
	for (uint32_t i = 0; i < conf->nb_conns_max; i++)
		TAILQ_INSERT_TAIL(&loop->free, &loop->conns[i], link);
	if (loop_conf->peer != NULL) {
		loop->peer = loop_of(loop_conf->peer);
		loop->peer->peer = loop;
	}
	*out = &loop->xp;
	return 0;
}

static void
loop_close(struct leat_transport *xp)
{
	struct loop_transport *loop = loop_of(xp);
	struct loop_conn *conn;

	while ((conn = TAILQ_FIRST(&loop->active)) != NULL) {
		if (conn->state != LOOP_CLOSING)
			loop_conn_reset(conn, -ECONNABORTED);
		if (conn->state == LOOP_CLOSING)
			TAILQ_REMOVE(&loop->active, conn, link);
	}
	if (loop->peer != NULL)
		loop->peer->peer = NULL;
	rte_free(loop);
}

static void
loop_wait(struct leat_transport *xp, uint32_t timeout_us)
{
	/* One thread drives both ends: nothing can happen while it sleeps. */
	(void)xp;
	(void)timeout_us;
}

static void
loop_endpoints(
	const struct leat_conn *conn, struct leat_endpoint *local, struct leat_endpoint *peer)
{
	*local = loop_conn_of(conn)->local;
	*peer = loop_conn_of(conn)->peer;
}

static const char *
loop_state_name(uint32_t idx)
{
	static const char *const names[] = {
		[LOOP_FREE] = "FREE",
		[LOOP_OPENING] = "OPENING",
		[LOOP_OPEN] = "OPEN",
		[LOOP_CLOSING] = "CLOSING",
		[LOOP_DEAD] = "DEAD",
	};

	return idx < LEAT_DIM(names) ? names[idx] : NULL;
}

static int
loop_conn_info(const struct leat_transport *xp, uint32_t place, struct leat_conn_info *info)
{
	const struct loop_transport *loop = loop_of(xp);
	const struct loop_conn *conn;

	if (place >= loop->nb_conns_max)
		return -ENOENT;
	conn = &loop->conns[place];
	if (conn->state == LOOP_FREE || conn->state == LOOP_DEAD)
		return 0;
	info->local = conn->local;
	info->peer = conn->peer;
	info->state = loop_state_name(conn->state);
	info->listener = conn->conn.listener;
	info->nb_stats = 2;
	info->stats[0] = (struct leat_stat){ "queued", conn->rxq.len };
	info->stats[1] = (struct leat_stat){ "unread", conn->nb_unconsumed };
	return 1;
}

static int
loop_neighbour_info(
	const struct leat_transport *xp, uint32_t place, struct leat_neighbour_info *info)
{
	(void)xp; /* there is no link */
	(void)place;
	(void)info;
	return -ENOENT;
}

static uint32_t
loop_stats(const struct leat_transport *xp, struct leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX])
{
	static const struct leat_stat_def defs[] = {
		LEAT_STAT_DEF(struct loop_transport, nb_conns),
	};

	sets[0] = (struct leat_stat_set){
		.name = "now",
		.defs = defs,
		.nb_defs = LEAT_DIM(defs),
		.base = loop_of(xp),
	};
	return 1;
}

static int
loop_record(struct leat_transport *xp, struct leat_record *copy, struct leat_record_cause *cause)
{
	(void)xp; /* there are no segments */
	(void)copy;
	(void)cause;
	return 0;
}

uint32_t
leat_transport_loop_nb_conns(const struct leat_transport *xp)
{
	return loop_of(xp)->nb_conns;
}

const struct leat_transport_ops leat_transport_loop_ops = {
	.name = "loop",
	.open = loop_open,
	.listen = loop_listen,
	.unlisten = loop_unlisten,
	.close = loop_close,
	.connect = loop_connect,
	.rx_burst = loop_rx_burst,
	.tx_alloc = loop_tx_alloc,
	.send = loop_send,
	.is_acked = loop_is_acked,
	.consumed = loop_consumed,
	.tx_flush = loop_tx_flush,
	.shutdown = loop_shutdown,
	.abort = loop_abort,
	.wait = loop_wait,
	.endpoints = loop_endpoints,
	.conn_info = loop_conn_info,
	.neighbour_info = loop_neighbour_info,
	.state_name = loop_state_name,
	.stats = loop_stats,
	.record = loop_record,
};
