/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <linux/if_packet.h>
#include <sys/socket.h>

#include <rte_ethdev.h>

#include <leat_common.h>

#include "dpdk_priv.h"
#include "relay_port.h"

/*
 * The driver's own sockets wake an idle lcore of leatd, too: the transport finds them when
 * it opens the port.
 */
static void
port_find_wakers(struct relay_port *port)
{
	const struct dpdk_sockets *sockets = &port->port->sockets;

	for (; port->nb_wakers < LEAT_MIN(sockets->nb, RELAY_WAKERS_MAX); port->nb_wakers++)
		port->wakers[port->nb_wakers] = sockets->fds[port->nb_wakers];
}

int
relay_port_open(const char *name, const char *dev, uint32_t nb_frames_max, struct relay_port *port,
	struct leat_error *error)
{
	const struct leat_dpdk_port_conf conf = {
		.name = name,
		.dev = dev,
		.socket_id = SOCKET_ID_ANY,
		.nb_queues = 1,
		.nb_rx_mbufs = nb_frames_max,
		.nb_tx_mbufs = 1, /* there is no stack that would send */
	};
	int ret;

	memset(port, 0, sizeof(*port));
	ret = leat_dpdk_port_open(&conf, &port->port, error);
	if (ret < 0)
		return ret;
	port->port_id = leat_dpdk_port_info(port->port)->port_id;
	ret = rte_eth_promiscuous_enable(port->port_id);
	if (ret < 0 && ret != -ENOTSUP) { /* a wire of software gives all that comes */
		leat_dpdk_port_close(port->port);
		return leat_error_set(error, ret, "port %s: device %s has no promiscuous mode: %s",
			name, dev, strerror(-ret));
	}
	port_find_wakers(port);
	return 0;
}

void
relay_port_close(struct relay_port *port)
{
	leat_dpdk_port_close(port->port);
}

uint64_t
relay_port_missed(const struct relay_port *port)
{
	uint64_t nb = 0;

	for (uint32_t i = 0; i < port->nb_wakers; i++) {
		struct tpacket_stats stats = { 0 };
		socklen_t len = sizeof(stats);

		if (getsockopt(port->wakers[i], SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
			nb += stats.tp_drops;
	}
	return nb;
}
