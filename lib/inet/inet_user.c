/* SPDX-License-Identifier: BSD-3-Clause */

/* What the user of the stack calls: listeners, connections, events. */

#include <errno.h>

#include "inet_priv.h"

static struct inet_listener *
listener_find(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port)
{
	for (uint8_t i = 0; i < inet->nb_listeners; i++) {
		struct inet_listener *listener = &inet->listeners[i];

		if (listener->port == port && leat_ip_addr_is_equal(listener->addr, addr))
			return listener;
	}
	return NULL;
}

int
leat_inet_listen(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port, void *user)
{
	if (port == 0 || (!leat_ip_addr_is_any(addr) && !inet_addr_is_ours(inet, addr)))
		return -EADDRNOTAVAIL;
	if (listener_find(inet, addr, port) != NULL)
		return -EADDRINUSE;
	if (inet->nb_listeners == LEAT_INET_LISTENERS_MAX)
		return -ENOSPC;
	inet->listeners[inet->nb_listeners++] = (struct inet_listener){
		.addr = addr, .port = port, .user = user, .tcp = inet_tcp_conf(inet, addr)
	};
	return 0;
}

/* @p base, one of the families', with these keep-alives; stays where it is. NULL: no room. */
static const struct leat_tcp_conf *
keep_conf_get(struct leat_inet *inet, const struct leat_tcp_conf *base,
	const struct leat_inet_keepalive *keepalive)
{
	struct leat_tcp_conf *conf;

	for (uint8_t i = 0; i < inet->nb_keep_confs; i++) {
		conf = &inet->keep_confs[i];
		if (conf->mss_default == base->mss_default &&
			conf->keep_idle_s == keepalive->idle_s &&
			conf->keep_interval_s == keepalive->interval_s &&
			conf->nb_keep_probes_max == keepalive->nb_probes)
			return conf;
	}
	if (inet->nb_keep_confs == LEAT_DIM(inet->keep_confs))
		return NULL;
	conf = &inet->keep_confs[inet->nb_keep_confs++];
	*conf = *base;
	conf->keep_idle_s = keepalive->idle_s;
	conf->keep_interval_s = keepalive->interval_s;
	conf->nb_keep_probes_max = keepalive->nb_probes;
	return conf;
}

int
leat_inet_set_keepalive(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port,
	const struct leat_inet_keepalive *keepalive)
{
	struct inet_listener *listener = listener_find(inet, addr, port);
	const struct leat_tcp_conf *conf;

	if (keepalive->idle_s > LEAT_TCP_KEEP_MAX_S || keepalive->interval_s == 0 ||
		keepalive->interval_s > LEAT_TCP_KEEP_MAX_S || keepalive->nb_probes == 0)
		return -EINVAL;
	if (listener == NULL)
		return -ENOENT;
	conf = keep_conf_get(inet, inet_tcp_conf(inet, addr), keepalive);
	if (conf == NULL)
		return -ENOSPC;
	listener->tcp = conf;
	return 0;
}

int
leat_inet_unlisten(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port)
{
	struct inet_listener *listener = listener_find(inet, addr, port);

	if (listener == NULL)
		return -ENOENT;
	*listener = inet->listeners[--inet->nb_listeners];
	return 0;
}

/*
 * RFC 6056 section 3.3.3: ports go up from an offset that differs for each peer and that
 * nobody else knows.
 */
static int
port_choose(struct leat_inet *inet, struct inet_flow_key *key)
{
	const uint32_t nb_ports = LEAT_INET_PORT_MAX - LEAT_INET_PORT_MIN + 1;
	uint32_t offset;

	key->lport = 0;
	offset = (uint32_t)leat_siphash(&inet->port_key, key, sizeof(*key)) % nb_ports;
	for (uint32_t i = 0; i < nb_ports; i++) {
		uint32_t port_idx = (offset + inet->nb_ports_tried++) % nb_ports;

		key->lport = (uint16_t)(LEAT_INET_PORT_MIN + port_idx);
		if (inet_flow_find(inet, key) == NULL)
			return 0;
	}
	return -EADDRNOTAVAIL;
}

int
leat_inet_connect(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port, uint64_t now_us,
	struct leat_inet_conn **out)
{
	struct inet_flow_key key = { .raddr = addr, .rport = port };
	struct leat_inet_conn *conn;
	struct leat_ip_addr next_hop;
	int ret;

	inet->now_us = now_us;
	if (port == 0)
		return -EADDRNOTAVAIL;
	if (!inet_addr_is_peer(inet, addr) || inet_route(inet, addr, &next_hop, &key.laddr) < 0)
		return -ENETUNREACH;
	if (STAILQ_EMPTY(&inet->conns_free)) {
		inet->stats.tcp_conns_full++;
		return -ENOBUFS;
	}
	ret = port_choose(inet, &key);
	if (ret < 0)
		return ret;
	conn = inet_conn_alloc(inet, &key);
	if (conn == NULL)
		return -ENOBUFS;
	leat_tcp_open_active(
		&conn->tcb, inet_tcp_conf(inet, addr), now_us, inet_conn_iss(inet, &key, now_us));
	conn->is_known = true;
	inet->stats.tcp_opens_active++;
	inet_conn_settle(inet, conn);
	*out = conn;
	return 0;
}

/* Take the first event that the connection has to tell, in the order of their enum. */
static bool
conn_next_event(struct leat_inet *inet, struct leat_inet_conn *conn, struct leat_inet_event *event)
{
	struct leat_tcb *tcb = &conn->tcb;

	*event = (struct leat_inet_event){ .conn = conn };
	if ((tcb->events & LEAT_TCP_EV_OPEN) != 0) {
		tcb->events &= (uint8_t)~LEAT_TCP_EV_OPEN;
		conn->is_known = true;
		event->type = LEAT_INET_OPEN;
		return true;
	}
	if ((tcb->events & LEAT_TCP_EV_DATA) != 0) {
		tcb->events &= (uint8_t)~LEAT_TCP_EV_DATA;
		event->type = LEAT_INET_DATA;
		event->mbuf = leat_tcp_take_text(tcb);
		if (event->mbuf != NULL)
			return true;
	}
	if ((tcb->events & LEAT_TCP_EV_WRITABLE) != 0) {
		tcb->events &= (uint8_t)~LEAT_TCP_EV_WRITABLE;
		event->type = LEAT_INET_WRITABLE;
		return true;
	}
	if ((tcb->events & LEAT_TCP_EV_EOF) != 0) {
		tcb->events &= (uint8_t)~LEAT_TCP_EV_EOF;
		event->type = LEAT_INET_EOF;
		return true;
	}
	if ((tcb->events & LEAT_TCP_EV_CLOSED) != 0) {
		tcb->events = 0;
		conn->is_over = true;
		event->type = LEAT_INET_CLOSED;
		event->error = conn->error != 0 ? conn->error : tcb->error;
		inet->stats.tcp_closed++;
		return true;
	}
	return false;
}

uint16_t
leat_inet_events(struct leat_inet *inet, struct leat_inet_event *events, uint16_t nb)
{
	struct leat_inet_conn *conn;
	uint16_t n = 0;

	while (n < nb && (conn = STAILQ_FIRST(&inet->ready)) != NULL) {
		n = (uint16_t)(n + conn_next_event(inet, conn, &events[n]));
		if (conn->tcb.events != 0)
			continue;
		STAILQ_REMOVE_HEAD(&inet->ready, link);
		conn->in_ready = false;
		inet_conn_release(inet, conn);
	}
	return n;
}

/*
 * The calls below may come between an event of a burst and the CLOSED behind it: the
 * connection is given up already, and there is nothing left to do.
 */

int
leat_inet_send(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *chain)
{
	int ret;

	if (conn->is_over)
		return -EPIPE;
	ret = leat_tcp_send(&conn->tcb, chain);
	inet_conn_owe(inet, conn);
	return ret;
}

bool
leat_inet_is_acked(struct leat_inet_conn *conn)
{
	return conn->is_over || leat_tcp_is_acked(&conn->tcb);
}

void
leat_inet_consumed(struct leat_inet *inet, struct leat_inet_conn *conn, uint32_t len)
{
	if (conn->is_over)
		return;
	leat_tcp_consumed(&conn->tcb, len);
	inet_conn_owe(inet, conn);
}

void
leat_inet_shutdown(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	if (conn->is_over)
		return;
	leat_tcp_shutdown(&conn->tcb);
	inet_conn_settle(inet, conn);
}

void
leat_inet_abort(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	struct leat_tcp_out rst;

	if (conn->is_over)
		return;
	if (leat_tcp_abort(&conn->tcb, inet->now_us, &rst))
		inet_ctl_send_tcp(inet, &conn->key, &rst);
	inet_conn_settle(inet, conn);
}

void *
leat_inet_conn_priv(struct leat_inet_conn *conn)
{
	return (uint8_t *)conn - conn->priv_len;
}

struct leat_inet_conn *
leat_inet_conn_of_priv(const struct leat_inet *inet, void *priv)
{
	return (struct leat_inet_conn *)(void *)((uint8_t *)priv + inet->conn_off);
}

void *
leat_inet_conn_listener(const struct leat_inet_conn *conn)
{
	return conn->listener;
}

void
leat_inet_conn_ends(const struct leat_inet_conn *conn, struct leat_ip_addr *laddr, uint16_t *lport,
	struct leat_ip_addr *raddr, uint16_t *rport)
{
	*laddr = conn->key.laddr;
	*lport = conn->key.lport;
	*raddr = conn->key.raddr;
	*rport = conn->key.rport;
}

uint32_t
leat_inet_notices(const struct leat_inet *inet)
{
	bool has_conflict = (inet->stats.rx_arp_conflict | inet->stats.rx_nd_conflict) != 0;

	return inet->notices | (has_conflict ? LEAT_INET_NOTICE_CONFLICT : 0u);
}

const struct leat_inet_stats *
leat_inet_stats(const struct leat_inet *inet)
{
	return &inet->stats;
}

uint32_t
leat_inet_nb_conns(const struct leat_inet *inet)
{
	return inet->nb_conns;
}

uint32_t
leat_inet_nb_time_waits(const struct leat_inet *inet)
{
	return inet->nb_time_waits;
}
