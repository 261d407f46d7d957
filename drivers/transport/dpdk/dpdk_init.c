/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sys/epoll.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "dpdk_priv.h"

/* What is left of a pool when it runs short; mbufs in the caches of lcores do not count. */
#define TEXT_LOW_SHARE  8u
#define TEXT_LAST_SHARE 32u
#define RX_LOW_SHARE    16u

#define INIT_IP_TCP_LEN 40u /* IPv4 and TCP headers without options, RFC 9293 section 3.7.1 */

static int
init_check_conf(const struct leat_transport_conf *conf, struct leat_error *error)
{
	const struct leat_dpdk_conf *own = conf->driver_conf;
	const struct leat_dpdk_port *port;

	if (own == NULL || own->port == NULL)
		return leat_error_set(error, -EINVAL, "transport dpdk: no port is given");
	port = own->port;
	if (own->queue_id >= port->info.nb_queues)
		return leat_error_set(error, -EINVAL, "port %s: there is no queue %u, it has %u",
			port->info.name, own->queue_id, port->info.nb_queues);
	if ((port->queues_open & (UINT64_C(1) << own->queue_id)) != 0)
		return leat_error_set(error, -EBUSY, "port %s: queue %u is another worker's",
			port->info.name, own->queue_id);
	if (conf->nb_conns_max == 0)
		return leat_error_set(
			error, -EINVAL, "port %s: no connections are allowed", port->info.name);
	return 0;
}

void
leat_dpdk_tcp_conf(const struct leat_dpdk_port *port, struct leat_tcp_conf *tcp)
{
	leat_tcp_conf_init(tcp, (uint16_t)(port->info.mtu - INIT_IP_TCP_LEN));
}

static int
init_open_inet(
	const struct leat_transport_conf *conf, struct dpdk_queue *queue, struct leat_error *error)
{
	const struct leat_dpdk_conf *own = conf->driver_conf;
	const struct leat_dpdk_port *port = own->port;
	char name[16];
	struct leat_inet_conf inet_conf = {
		.name = name,
		.socket_id = conf->socket_id,
		.mtu = port->info.mtu,
		.vlan_id = port->vlan_id,
		.nb_addrs = port->nb_addrs,
		.gateway = port->gateway,
		.gateway6 = port->gateway6,
		.offloads = port->info.offloads,
		.nb_tx_segs_max = port->nb_tx_segs_max,
		.nb_tso_segs_max = port->nb_tso_segs_max,
		.tso_frame_len_max = port->tso_frame_len_max,
		.tso_ipv4_only = port->tso_ipv4_only,
		.tx_even_segs = port->tx_even_segs,
		.nb_conns_max = conf->nb_conns_max,
		.nb_time_waits_max =
			own->nb_time_waits_max != 0 ? own->nb_time_waits_max : conf->nb_conns_max,
		.nb_neighbours_max = own->nb_neighbours_max != 0 ? own->nb_neighbours_max
								 : LEAT_DPDK_NEIGHBOURS_DEFAULT,
		.cookies = own->cookies,
		.conn_priv_len = sizeof(struct dpdk_conn),
		.nb_record_segs = own->nb_record_segs,
		.pool = port->ctl_pool,
		.rx_pool = port->rx_pool,
		.text_pool = queue->text_pool,
		.seed = { conf->seed[0], conf->seed[1] },
		.now_us = conf->now_us,
	};

	(void)snprintf(
		name, sizeof(name), "leat%u.%u", port->dev.port_id, own->queue_id); /* fits */
	memcpy(inet_conf.mac, port->info.mac, sizeof(inet_conf.mac));
	memcpy(inet_conf.addrs, port->addrs, sizeof(inet_conf.addrs));
	if (own->tcp != NULL)
		inet_conf.tcp = *own->tcp;
	else
		leat_dpdk_tcp_conf(port, &inet_conf.tcp);
	queue->conn_len = leat_inet_conn_len(&inet_conf);
	queue->time_wait_len = leat_inet_time_wait_len(&inet_conf);
	return leat_inet_open(&inet_conf, &queue->inet, error);
}

static int
init_watch(int epoll_fd, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/*
 * A queue that cannot be watched is slept on in short turns, which is no failure. Which
 * of a port's sockets is whose queue is not known: any of them wakes.
 */
static int
init_open_epoll(const struct dpdk_queue *queue)
{
	const struct leat_dpdk_port *port = queue->port;
	int ret = 0;
	int fd;

	if (!port->info.rx_intr && !port->info.rx_socket)
		return -1;
	fd = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0)
		return -1;
	if (port->info.rx_intr)
		ret = init_watch(fd,
			rte_eth_dev_rx_intr_ctl_q_get_fd(queue->port_id, queue->queue_id),
			EPOLLIN | EPOLLET);
	for (uint32_t i = 0; i < port->sockets.nb && ret == 0; i++)
		ret = init_watch(fd, port->sockets.fds[i], EPOLLIN);
	if (ret < 0) {
		(void)close(fd); /* empty */
		return -1;
	}
	return fd;
}

/*
 * Below the low level, half of what is left above the last one is for replies of one mbuf each,
 * so that every connection there may be finds one.
 */
static void
init_text_levels(struct dpdk_queue *queue, uint32_t nb_conns_max)
{
	uint32_t size = queue->text_pool->size;
	uint64_t low;

	queue->nb_text_last = size / TEXT_LAST_SHARE;
	low = 2 * ((uint64_t)nb_conns_max + queue->nb_text_last);
	low = LEAT_MAX(low, size / TEXT_LOW_SHARE);
	queue->nb_text_low = (unsigned int)LEAT_MIN(low, size / 2);
}

static int
dpdk_open(const struct leat_transport_conf *conf, struct leat_transport **out,
	struct leat_error *error)
{
	const struct leat_dpdk_conf *own = conf->driver_conf;
	struct dpdk_queue *queue;
	int ret;

	ret = init_check_conf(conf, error);
	if (ret < 0)
		return ret;
	queue = rte_zmalloc_socket(
		"dpdk_queue", sizeof(*queue), RTE_CACHE_LINE_SIZE, conf->socket_id);
	if (queue == NULL)
		return leat_error_set(error, -ENOMEM, "port %s: no memory for queue %u",
			own->port->info.name, own->queue_id);
	queue->xp.ops = &leat_transport_dpdk_ops;
	queue->xp.name = own->port->info.name;
	queue->xp.lcore_id = conf->lcore_id;
	queue->port = own->port;
	queue->port_id = own->port->dev.port_id;
	queue->queue_id = own->queue_id;
	queue->has_tx_offloads =
		own->port->info.offloads.tx_ip_cksum || own->port->info.offloads.tx_tcp_cksum;
	queue->now_us = conf->now_us;
	queue->text_pool = conf->pool != NULL ? conf->pool : own->port->text_pool;
	init_text_levels(queue, conf->nb_conns_max);
	queue->rx_pool = own->port->rx_pool;
	queue->nb_rx_low = queue->rx_pool->size / RX_LOW_SHARE;
	ret = init_open_inet(conf, queue, error);
	if (ret < 0)
		goto free_queue;
	queue->epoll_fd = init_open_epoll(queue);
	own->port->queues_open |= UINT64_C(1) << own->queue_id;
	*out = &queue->xp;
	return 0;

free_queue:
	rte_free(queue);
	return ret;
}

static void
dpdk_close(struct leat_transport *xp)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);

	leat_inet_close(queue->inet);
	rte_pktmbuf_free_bulk(queue->backlog, queue->nb_backlog);
	rte_pktmbuf_free_bulk(queue->stash, queue->nb_stash);
	if (queue->epoll_fd >= 0)
		(void)close(queue->epoll_fd); /* nothing was written */
	queue->port->queues_open &= ~(UINT64_C(1) << queue->queue_id);
	rte_free(queue);
}

/* Returns false for an endpoint that no stack has. */
static bool
endpoint_addr(const struct leat_endpoint *endpoint, struct leat_ip_addr *addr)
{
	switch (endpoint->type) {
	case LEAT_ENDPOINT_IPV4:
		*addr = leat_ip_addr_from_ipv4(endpoint->ipv4);
		return true;
	case LEAT_ENDPOINT_IPV6: /* in whose form an IPv4 address is none */
		memcpy(addr->bytes, endpoint->ipv6, sizeof(addr->bytes));
		return !leat_ip_addr_is_ipv4(*addr);
	default: /* LEAT_ENDPOINT_UNIX */
		return false;
	}
}

static int
dpdk_listen(struct leat_transport *xp, const struct leat_endpoint *local, void *listener,
	struct leat_error *error)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	char text[LEAT_ENDPOINT_TEXT_MAX];
	struct leat_ip_addr addr;
	int ret;

	(void)leat_endpoint_format(local, text); /* it is text */
	if (!endpoint_addr(local, &addr))
		return leat_error_set(error, -EADDRNOTAVAIL,
			"port %s: cannot listen on %s: dpdk has IPv4 and IPv6 only",
			queue->port->info.name, text);
	ret = leat_inet_listen(queue->inet, addr, local->port, listener);
	if (ret == -EADDRINUSE)
		return leat_error_set(
			error, ret, "port %s: two listeners on %s", queue->port->info.name, text);
	if (ret == -EADDRNOTAVAIL)
		return leat_error_set(error, ret,
			"port %s: cannot listen on %s: it is not an address of the port",
			queue->port->info.name, text);
	if (ret < 0)
		return leat_error_set(error, ret, "port %s: cannot listen on %s: %s",
			queue->port->info.name, text, strerror(-ret));
	return 0;
}

int
leat_dpdk_set_keepalive(struct leat_transport *xp, const struct leat_endpoint *local,
	const struct leat_inet_keepalive *keepalive, struct leat_error *error)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	char text[LEAT_ENDPOINT_TEXT_MAX];
	struct leat_ip_addr addr;
	int ret = -ENOENT;

	LEAT_VERIFY(xp->ops == &leat_transport_dpdk_ops);
	if (endpoint_addr(local, &addr))
		ret = leat_inet_set_keepalive(queue->inet, addr, local->port, keepalive);
	if (ret == 0)
		return 0;
	return leat_error_set(error, ret, "port %s: no keep-alives on %s: %s",
		queue->port->info.name, leat_endpoint_format(local, text), strerror(-ret));
}

static int
dpdk_unlisten(struct leat_transport *xp, const struct leat_endpoint *local)
{
	struct leat_ip_addr addr;

	if (!endpoint_addr(local, &addr))
		return -ENOENT;
	return leat_inet_unlisten(dpdk_queue_of(xp)->inet, addr, local->port);
}

static int
dpdk_connect(struct leat_transport *xp, const struct leat_endpoint *peer, void *session,
	struct leat_conn **out)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	struct leat_inet_conn *inet_conn;
	struct leat_ip_addr addr;
	int ret;

	if (!endpoint_addr(peer, &addr))
		return -EAFNOSUPPORT;
	ret = leat_inet_connect(queue->inet, addr, peer->port, queue->now_us, &inet_conn);
	if (ret < 0)
		return ret;
	*out = dpdk_conn_init(queue, inet_conn);
	(*out)->session = session;
	return 0;
}

static void
dpdk_endpoints(
	const struct leat_conn *conn, struct leat_endpoint *local, struct leat_endpoint *peer)
{
	struct leat_ip_addr laddr, raddr;
	uint16_t lport, rport;

	leat_inet_conn_ends(dpdk_inet_conn_of(conn), &laddr, &lport, &raddr, &rport);
	dpdk_endpoint_set(local, laddr, lport);
	dpdk_endpoint_set(peer, raddr, rport);
}

uint32_t
leat_dpdk_notices(const struct leat_transport *xp)
{
	LEAT_VERIFY(xp->ops == &leat_transport_dpdk_ops);
	return atomic_load_explicit(&dpdk_queue_of(xp)->notices, memory_order_relaxed);
}

void
leat_dpdk_conn_lens(const struct leat_transport *xp, size_t *conn_len, size_t *time_wait_len)
{
	LEAT_VERIFY(xp->ops == &leat_transport_dpdk_ops);
	*conn_len = dpdk_queue_of(xp)->conn_len;
	*time_wait_len = dpdk_queue_of(xp)->time_wait_len;
}

const struct leat_transport_ops leat_transport_dpdk_ops = {
	.name = "dpdk",
	.open = dpdk_open,
	.listen = dpdk_listen,
	.unlisten = dpdk_unlisten,
	.close = dpdk_close,
	.connect = dpdk_connect,
	.rx_burst = dpdk_rx_burst,
	.tx_alloc = dpdk_tx_alloc,
	.send = dpdk_send,
	.is_acked = dpdk_is_acked,
	.consumed = dpdk_consumed,
	.tx_flush = dpdk_tx_flush,
	.shutdown = dpdk_shutdown,
	.abort = dpdk_abort,
	.wait = dpdk_wait,
	.endpoints = dpdk_endpoints,
	.conn_info = dpdk_conn_info,
	.neighbour_info = dpdk_neighbour_info,
	.state_name = dpdk_state_name,
	.stats = dpdk_stats,
	.record = dpdk_record,
};
