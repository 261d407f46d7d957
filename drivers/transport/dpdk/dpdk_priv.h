/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef DPDK_PRIV_H
#define DPDK_PRIV_H

#include <errno.h>
#include <stdatomic.h>

#include <net/if.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "leat_transport_dpdk.h"

#define DPDK_BURST         LEAT_INET_BURST_MAX
#define DPDK_LOCK_PATH_MAX (LEAT_DPDK_DEV_MAX + 64)

#define DPDK_SOCKETS_MAX   256u /* of all ports, one for each queue */

/* Sockets that a driver receives by; it owns them. */
struct dpdk_sockets {
	uint32_t nb;
	int fds[DPDK_SOCKETS_MAX];
};

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
	struct rte_device *device;
};

struct leat_dpdk_port {
	struct leat_dpdk_port_info info;
	struct dpdk_dev dev;
	struct rte_mempool *rx_pool;
	struct rte_mempool *text_pool; /* for text to send */
	struct rte_mempool *ctl_pool;  /* for headers, copies and control frames */
	uint16_t nb_tx_segs_max; /* mbufs of a frame, and of one that the device cuts; 0: any */
	uint16_t nb_tso_segs_max;
	uint16_t tso_frame_len_max;
	bool tso_ipv4_only;
	bool tx_even_segs;
	uint16_t vlan_id;
	uint8_t nb_addrs;
	struct leat_inet_addr addrs[LEAT_INET_ADDRS_MAX];
	struct leat_ip_addr gateway;
	struct leat_ip_addr gateway6;
	struct dpdk_sockets sockets;
	int multicast_fd;     /* holds the groups of the kernel's interface; -1: none */
	uint64_t queues_open; /* bit per queue; written while transports are opened and closed */
};

static_assert(LEAT_DPDK_QUEUES_MAX <= 64, "one bit per queue");

/*
 * One queue pair with a stack of its own; all of it is the owning lcore's.
 */
struct dpdk_queue {
	struct leat_transport xp; /* first */
	struct leat_inet *inet;
	uint16_t port_id;
	uint16_t queue_id;
	uint16_t nb_backlog; /* frames the device did not take yet */
	uint16_t nb_stash;   /* frames found while going to sleep */
	uint16_t nb_naps;    /* short sleeps owed to an interrupt that came too early */
	bool has_tx_offloads;
	/* leat_inet_notices(): written by the owning lcore, read by any thread; both relaxed,
	 * since nothing else goes with them */
	atomic_uint notices;
	bool is_slack_set;             /* of the thread that waits */
	int epoll_fd;                  /* with the receive interrupt in it; -1: none */
	uint64_t now_us;               /* of the last call that told it */
	uint64_t short_since_us;       /* somebody needs mbufs and finds none; 0: nobody */
	uint64_t nb_refused;           /* who would have begun to that end */
	bool is_refused;               /* one more: somebody has to end for him */
	struct rte_mempool *text_pool; /* for text to send */
	unsigned int nb_text_low;      /* mbufs left of it, below which we are short */
	unsigned int nb_text_last;     /* likewise: for what has begun only */
	struct rte_mempool *rx_pool;
	unsigned int nb_rx_low; /* likewise */
	struct leat_dpdk_port *port;
	size_t conn_len; /* bytes of one idle connection */
	size_t time_wait_len;
	struct leat_dpdk_stats stats;
	uint64_t stuck_since_us;
	const struct rte_mbuf *stuck; /* the first of backlog, since then */
	struct rte_mbuf *backlog[DPDK_BURST];
	struct rte_mbuf *stash[DPDK_BURST];
};

/* The private bytes of a connection of the stack. */
struct dpdk_conn {
	struct leat_conn conn; /* first */
};

static_assert(sizeof(struct dpdk_conn) <= 24, "an idle connection shall fit 512 bytes");

static inline struct dpdk_queue *
dpdk_queue_of(const struct leat_transport *xp)
{
	return LEAT_CONTAINER_OF(xp, struct dpdk_queue, xp);
}

static inline struct leat_inet_conn *
dpdk_inet_conn_of(const struct leat_conn *conn)
{
	return leat_inet_conn_of_priv(dpdk_queue_of(conn->transport)->inet,
		LEAT_CONTAINER_OF(conn, struct dpdk_conn, conn));
}

/* List the sockets of this process that receive frames, but for those in @p old (may be NULL). */
void dpdk_sockets_find(struct dpdk_sockets *sockets, const struct dpdk_sockets *old);

static inline void
dpdk_endpoint_set(struct leat_endpoint *endpoint, struct leat_ip_addr addr, uint16_t port)
{
	memset(endpoint, 0, sizeof(*endpoint));
	endpoint->port = port;
	if (leat_ip_addr_is_ipv4(addr)) {
		endpoint->type = LEAT_ENDPOINT_IPV4;
		endpoint->ipv4 = leat_ip_addr_ipv4(addr);
	} else {
		endpoint->type = LEAT_ENDPOINT_IPV6;
		memcpy(endpoint->ipv6, addr.bytes, sizeof(endpoint->ipv6));
	}
}

/* Make the driver's head of a connection of the stack. */
struct leat_conn *dpdk_conn_init(struct dpdk_queue *queue, struct leat_inet_conn *inet_conn);

/* The operations of the datapath; see struct leat_transport_ops. */
uint16_t dpdk_rx_burst(struct leat_transport *xp, uint64_t now_us, struct leat_transport_event *ev,
	uint16_t nb_ev);
struct rte_mbuf *dpdk_tx_alloc(struct leat_transport *xp);
int dpdk_send(struct leat_conn *conn, struct rte_mbuf *chain);
bool dpdk_is_acked(struct leat_conn *conn);
void dpdk_consumed(struct leat_conn *conn, uint32_t len);
void dpdk_tx_flush(struct leat_transport *xp, uint64_t now_us);
void dpdk_shutdown(struct leat_conn *conn);
void dpdk_abort(struct leat_conn *conn);
void dpdk_wait(struct leat_transport *xp, uint32_t timeout_us);

/* dpdk_dump.c: likewise, for people. */
int dpdk_conn_info(const struct leat_transport *xp, uint32_t place, struct leat_conn_info *info);
int dpdk_neighbour_info(
	const struct leat_transport *xp, uint32_t place, struct leat_neighbour_info *info);
const char *dpdk_state_name(uint32_t idx);
uint32_t dpdk_stats(
	const struct leat_transport *xp, struct leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX]);

int dpdk_record(
	struct leat_transport *xp, struct leat_record *copy, struct leat_record_cause *cause);

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

/*
 * Have the frames of multicast groups let through; says how, for the start-up print. Undone
 * by dpdk_multicast_leave().
 */
const char *dpdk_multicast_join(
	struct leat_dpdk_port *port, struct rte_ether_addr *groups, uint32_t nb_groups);
void dpdk_multicast_leave(struct leat_dpdk_port *port);

/* The MTU of dev->iface, 0 when there is none. */
uint16_t dpdk_dev_iface_mtu(const struct dpdk_dev *dev);

#endif /* DPDK_PRIV_H */
