/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef DPDK_PRIV_H
#define DPDK_PRIV_H

#include <errno.h>

#include <net/if.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "leat_transport_dpdk.h"

#define DPDK_BURST         LEAT_INET_BURST_MAX
#define DPDK_LOCK_PATH_MAX (LEAT_DPDK_DEV_MAX + 64)

/* The device under a port: what its name says, and what is to be undone. */
struct dpdk_dev {
	char name[LEAT_DPDK_DEV_MAX]; /* "net_af_packet0", "0000:03:00.0" */
	char iface[IFNAMSIZ];         /* the kernel's interface it is bound to, or "" */
	bool is_pci;
	bool may_rx_intr; /* its driver might wake us */
	bool was_probed;  /* by us, so that we remove it */
	int lock_fd;      /* -1: none */
	char lock_path[DPDK_LOCK_PATH_MAX];
	uint16_t port_id;
	uint64_t owner_id;
	struct rte_device *device;
};

struct leat_dpdk_port {
	struct leat_dpdk_port_info info;
	struct dpdk_dev dev;
	struct rte_mempool *rx_pool;
	struct rte_mempool *tx_pool;
	uint16_t vlan_id;
	uint8_t nb_addrs;
	struct leat_inet_addr addrs[LEAT_INET_ADDRS_MAX];
	uint32_t gateway;
	uint64_t queues_open; /* bit per queue; written while transports are opened and closed */
};

static_assert(LEAT_DPDK_QUEUES_MAX <= 64, "one bit per queue");

/* Some drivers return -1, which is no errno. */
static inline int
dpdk_errno(int ret)
{
	return ret == -1 ? -EIO : ret;
}

/*
 * Read conf->dev, look whether the device is there and ours to use, lock it, hand it to
 * its driver and take the ethdev. Undone by dpdk_dev_close().
 */
int dpdk_dev_open(
	const struct leat_dpdk_port_conf *conf, struct dpdk_dev *dev, struct leat_error *error);
void dpdk_dev_close(struct dpdk_dev *dev);

/* The MTU of dev->iface, 0 when there is none. */
uint16_t dpdk_dev_iface_mtu(const struct dpdk_dev *dev);

#endif /* DPDK_PRIV_H */
