/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TRANSPORT_DPDK_H
#define LEAT_TRANSPORT_DPDK_H

/**
 * @file
 * The dpdk transport: an ethdev port, and on each of its queue pairs a transport with
 * a stack of its own.
 *
 * A port is opened once, on the main lcore; then each worker opens leat_transport_dpdk_ops
 * on one queue of it. The EAL is started before. How a port is named in
 * leat_dpdk_port_conf::dev, with the driver's own arguments behind commas:
 *
 * | device | dev |
 * |---|---|
 * | NIC | 0000:03:00.0 (given to the EAL too, bound to vfio-pci) |
 * | AF_XDP | net_af_xdp0,iface=veth1[,force_copy=1][,busy_budget=0][,queue_count=N] |
 * | AF_PACKET | net_af_packet0,iface=veth1[,qpairs=N][,qdisc_bypass=1] |
 * | tap | net_tap0,iface=leat0 (the kernel's end is made by the driver) |
 * | memif | net_memif0,role=server|client,socket=/run/x.sock,socket-abstract=no |
 * | virtio-user | net_virtio_user0,path=/run/vhost.sock[,server=1][,queues=N] |
 *
 * Behind AF_XDP and AF_PACKET on a veth the peer's kernel leaves TCP and UDP checksums
 * for a device to finish that is not there (`ethtool -K PEER tx off` makes it compute
 * them), and no driver tells us of it: such frames look corrupt and are dropped. A notice
 * tells of it, and of each offload that the device promises and does not do.
 *
 * The stack answers to one MAC address and to broadcast, which every device delivers, and
 * with an IPv6 address to a few multicast groups. Only where a device neither takes these by
 * name nor can let through all multicast is it set to promiscuous mode.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat_common.h>
#include <leat_error.h>
#include <leat_inet.h>
#include <leat_transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_DPDK_NAME_MAX     16u   /**< bytes of a port's name, the zero included */
#define LEAT_DPDK_DEV_MAX      256u  /**< bytes of a device with arguments, the zero included */
#define LEAT_DPDK_QUEUES_MAX   64u   /**< queue pairs of one port */
#define LEAT_DPDK_DESCS_MAX    4096u /**< descriptors of one queue */
#define LEAT_DPDK_MTU_MAX      LEAT_INET_MTU_MAX
#define LEAT_DPDK_MTU_DEFAULT  1500u /**< at most, where none is asked for */
#define LEAT_DPDK_MBUFS_MAX    (1u << 22)
#define LEAT_DPDK_OFFLOADS_MAX 128u /**< bytes of the offloads as text, the zero included */

/** Where a port gets the lock files that keep two leatd's off one device. */
#define LEAT_DPDK_LOCK_DIR "/run/leat"

struct leat_dpdk_port;

/** What a port is opened with. */
struct leat_dpdk_port_conf {
	const char *name;   /**< for people; under LEAT_DPDK_NAME_MAX bytes */
	const char *dev;    /**< PCI address, or vdev name and arguments; see above */
	int socket_id;      /**< NUMA node of its memory, -1: any */
	uint16_t nb_queues; /**< queue pairs, one per worker, 1 to LEAT_DPDK_QUEUES_MAX */
	uint16_t nb_desc;   /**< per queue, 0: the device's wish; fitted to its limits */
	uint16_t mtu;       /**< 0: the device's, at most LEAT_DPDK_MTU_DEFAULT */
	uint16_t vlan_id;   /**< 0: untagged */
	uint8_t nb_addrs;
	struct leat_inet_addr addrs[LEAT_INET_ADDRS_MAX];
	struct leat_ip_addr gateway;  /**< IPv4, or none */
	struct leat_ip_addr gateway6; /**< IPv6, or none */
	/**
	 * mbufs that may hold received text until it is used, beside those that the
	 * device, bursts and caches need; 0: 4096 per queue.
	 */
	uint32_t nb_rx_mbufs;
	/**
	 * mbufs of text that is to be sent or not acknowledged yet, for a worker that has no
	 * pool of its own; 0: 4096 per queue. Those of headers and control frames come on top.
	 */
	uint32_t nb_tx_mbufs;
	/** Offloads that the device has, or says it has, and that must not be used. */
	struct leat_inet_offloads refused;
};

/** What a port turned out to be; for the start-up print. */
struct leat_dpdk_port_info {
	char name[LEAT_DPDK_NAME_MAX];
	char driver[32];
	uint16_t port_id;
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t nb_queues;
	uint16_t nb_rx_desc; /**< per queue */
	uint16_t nb_tx_desc;
	bool link_up;          /**< at the start; a memif or vhost peer may come later */
	bool rx_scatter;       /**< a frame longer than an mbuf arrives in several */
	bool rx_intr;          /**< an idle worker is woken by an interrupt */
	bool rx_socket;        /**< by the driver's socket; by neither: it sleeps in short turns */
	const char *multicast; /**< how the frames of its groups are let through, in words */
	struct leat_inet_offloads offloads;         /**< promised; used as they are kept */
	char offloads_text[LEAT_DPDK_OFFLOADS_MAX]; /**< "tx-ip-cksum tx-multi-seg" or "none" */
	uint32_t nb_rx_mbufs;                       /**< of the receive pool */
	uint32_t nb_tx_mbufs;                       /**< of the transmit pool */
	size_t rx_pool_len;                         /**< bytes */
	size_t tx_pool_len;                         /**< bytes */
};

/**
 * Find or create the device, take it for us alone, and start it.
 *
 * @param conf
 *   Borrowed for the call.
 * @param out
 *   Written on success.
 * @param error
 *   The sentence for a person on failure.
 * @return
 *   - 0: frames flow.
 *   - -EINVAL: a setting is out of range, or the device cannot do it.
 *   - -ENODEV: no such device, interface or driver.
 *   - -ENETDOWN: the interface is down.
 *   - -EBUSY: another leatd, another port or another driver has the device.
 *   - -EPERM: not root.
 *   - -ENOMEM: the EAL's memory is too small.
 *   - other -errno: from DPDK, with its own words in @p error.
 */
int leat_dpdk_port_open(const struct leat_dpdk_port_conf *conf, struct leat_dpdk_port **out,
	struct leat_error *error);

/** Stop the device, remove it if we created it, free its memory. No queue is open. */
void leat_dpdk_port_close(struct leat_dpdk_port *port);

/** Valid until leat_dpdk_port_close(). */
const struct leat_dpdk_port_info *leat_dpdk_port_info(const struct leat_dpdk_port *port);

/** leat_transport_conf::driver_conf of this driver: one queue pair of a port. */
struct leat_dpdk_conf {
	struct leat_dpdk_port *port;
	uint16_t queue_id; /**< 0 to nb_queues - 1; each is opened once */
	/** Changed from leat_dpdk_tcp_conf(), whose mss stays; NULL: that. Copied. */
	const struct leat_tcp_conf *tcp;
	enum leat_inet_cookies cookies;
	uint32_t nb_time_waits_max; /**< 0: as many as nb_conns_max */
	uint32_t nb_neighbours_max; /**< 0: LEAT_DPDK_NEIGHBOURS_DEFAULT */
	uint32_t nb_record_segs;    /**< of each class in the flight recorder; 0: it is off */
};

#define LEAT_DPDK_NEIGHBOURS_DEFAULT 1024u

/** The defaults of connections on @p port, for its MTU. */
void leat_dpdk_tcp_conf(const struct leat_dpdk_port *port, struct leat_tcp_conf *tcp);

/**
 * Set the keep-alives of connections that a listener of listen() will accept.
 *
 * @param xp
 *   Of leat_transport_dpdk_ops.
 * @return
 *   0; or as leat_inet_set_keepalive(), with the sentence in @p error.
 */
int leat_dpdk_set_keepalive(struct leat_transport *xp, const struct leat_endpoint *local,
	const struct leat_inet_keepalive *keepalive, struct leat_error *error);

/** What happened to frames at the device's border: "dpdk" of leat_transport_ops::stats(). */
struct leat_dpdk_stats {
	uint64_t rx_frames;
	uint64_t tx_frames;
	uint64_t tx_full;     /**< turns in which the device did not take all frames */
	uint64_t tx_refused;  /**< frames that the driver says it cannot send; dropped */
	uint64_t tx_stuck;    /**< frames that the device did not take for long; dropped */
	uint64_t idle_sleeps; /**< waits of a fixed length */
	uint64_t idle_waits;  /**< waits for an interrupt */
};

/** One transport per queue pair; open() wants a struct leat_dpdk_conf. */
extern const struct leat_transport_ops leat_transport_dpdk_ops;

/**
 * What a person should know of the frames of this queue. From any thread; what the last
 * turn found may not show yet.
 *
 * @param xp
 *   Of leat_transport_dpdk_ops.
 * @return
 *   Bits of enum leat_inet_notice; none is ever taken back.
 */
uint32_t leat_dpdk_notices(const struct leat_transport *xp);

/**
 * What connections of a queue cost; @p xp is of leat_transport_dpdk_ops.
 *
 * @param conn_len
 *   Receives the bytes of one idle connection, its place in the flow table included.
 * @param time_wait_len
 *   Receives the same of one connection in TIME-WAIT.
 */
void leat_dpdk_conn_lens(const struct leat_transport *xp, size_t *conn_len, size_t *time_wait_len);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TRANSPORT_DPDK_H */
