/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Neighbour discovery asks by multicast, and a device may let through only what it was
 * told to: the groups by name if it takes them, else all multicast, else everything.
 */

#include <errno.h>
#include <string.h>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dpdk_priv.h"

/*
 * Frames of an interface of the kernel come through the interface's own filter. A socket
 * holds the memberships, so that they end with it, however we end; it is bound to no
 * protocol and receives nothing.
 */
static int
multicast_join_iface(const char *iface, const struct rte_ether_addr *groups, uint32_t nb_groups)
{
	struct packet_mreq mreq = {
		.mr_ifindex = (int)if_nametoindex(iface),
		.mr_type = PACKET_MR_MULTICAST,
		.mr_alen = RTE_ETHER_ADDR_LEN,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	for (uint32_t i = 0; i < nb_groups; i++) {
		memcpy(mreq.mr_address, groups[i].addr_bytes, RTE_ETHER_ADDR_LEN);
		if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mreq, sizeof(mreq)) < 0) {
			int ret = -errno;

			(void)close(fd); /* its memberships end */
			return ret;
		}
	}
	return fd;
}

/* Whether the frames come from the interface, and not out of a socket or a driver's own. */
static bool
multicast_is_of_iface(const struct leat_dpdk_port *port)
{
	return port->dev.iface[0] != '\0' && strcmp(port->info.driver, "net_tap") != 0;
}

const char *
dpdk_multicast_join(struct leat_dpdk_port *port, struct rte_ether_addr *groups, uint32_t nb_groups)
{
	uint16_t id = port->dev.port_id;

	port->multicast_fd = -1;
	if (nb_groups == 0)
		return "none";
	if (multicast_is_of_iface(port)) {
		port->multicast_fd = multicast_join_iface(port->dev.iface, groups, nb_groups);
		if (port->multicast_fd >= 0)
			return "joined at the interface";
	}
	if (rte_eth_dev_set_mc_addr_list(id, groups, nb_groups) == 0)
		return "joined";
	if (rte_eth_allmulticast_enable(id) == 0)
		return "all, since the device does not take groups by name";
	if (rte_eth_promiscuous_enable(id) == 0)
		return "promiscuous mode, since the device has no other way";
	return "as the device lets through: it cannot be told";
}

void
dpdk_multicast_leave(struct leat_dpdk_port *port)
{
	if (port->multicast_fd >= 0)
		(void)close(port->multicast_fd); /* nothing was written */
	port->multicast_fd = -1;
}
