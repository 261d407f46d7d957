/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A port is started with those offloads that its device has and that the stack uses.
 * RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE is not among them: text stays referenced until the
 * peer has acknowledged it, and that offload wants mbufs with one reference.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <leat_ipv6.h>

#include "dpdk_priv.h"
#include "leat_dpdk_log.h"

#define PORT_MBUF_CACHE      256u
#define PORT_NB_DESC_DEFAULT 512u
#define PORT_ETH_LEN_MAX     (RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN + RTE_ETHER_CRC_LEN)
#define PORT_QUEUED_MBUFS    4096u
#define PORT_POOL_NAME_MAX   RTE_MEMPOOL_NAMESIZE
/* Frames that the stack may hold back itself: control frames, those that wait for ARP. */
#define PORT_CTL_MBUFS 1024u
/* net_af_xdp fills a ring of its own size, whatever number of descriptors is asked. */
#define PORT_RX_DRIVER_MBUFS 2048u
/* A cache may hold one and a half times its size, and one more on the main lcore. */
#define PORT_CACHED_MBUFS (3u * PORT_MBUF_CACHE)

static int
port_check_conf(const struct leat_dpdk_port_conf *conf, struct leat_error *error)
{
	if (conf->name == NULL || conf->name[0] == '\0' || strlen(conf->name) >= LEAT_DPDK_NAME_MAX)
		return leat_error_set(error, -EINVAL, "port \"%s\": a name has 1 to %u bytes",
			conf->name != NULL ? conf->name : "", LEAT_DPDK_NAME_MAX - 1);
	if (conf->dev == NULL)
		return leat_error_set(error, -EINVAL, "port %s: no device is named", conf->name);
	if (conf->nb_queues == 0 || conf->nb_queues > LEAT_DPDK_QUEUES_MAX)
		return leat_error_set(error, -EINVAL, "port %s: %u queues: 1 to %u can be had",
			conf->name, conf->nb_queues, LEAT_DPDK_QUEUES_MAX);
	if (conf->nb_desc > LEAT_DPDK_DESCS_MAX)
		return leat_error_set(error, -EINVAL,
			"port %s: %u descriptors: at most %u can be had", conf->name, conf->nb_desc,
			LEAT_DPDK_DESCS_MAX);
	if (conf->mtu != 0 && (conf->mtu < LEAT_INET_MTU_MIN || conf->mtu > LEAT_DPDK_MTU_MAX))
		return leat_error_set(error, -EINVAL, "port %s: MTU %u is not in %u to %u",
			conf->name, conf->mtu, LEAT_INET_MTU_MIN, LEAT_DPDK_MTU_MAX);
	if (conf->nb_addrs > LEAT_INET_ADDRS_MAX)
		return leat_error_set(error, -EINVAL,
			"port %s: %u addresses: at most %u can be had", conf->name, conf->nb_addrs,
			LEAT_INET_ADDRS_MAX);
	if (conf->nb_rx_mbufs > LEAT_DPDK_MBUFS_MAX || conf->nb_tx_mbufs > LEAT_DPDK_MBUFS_MAX)
		return leat_error_set(error, -EINVAL, "port %s: more than %u mbufs", conf->name,
			LEAT_DPDK_MBUFS_MAX);
	return 0;
}

/*
 * A device made of software copies with the CPU, so its mbufs may cross a page; without
 * that each takes a page of its own where pages are small, and AF_XDP's registered memory,
 * which is counted without gaps, would end before the pool does.
 */
static int
port_pool_create(const struct leat_dpdk_port *port, const char *kind, uint32_t nb_mbufs,
	uint16_t room, int socket_id, struct rte_mempool **out, struct leat_error *error)
{
	struct rte_pktmbuf_pool_private priv = { .mbuf_data_room_size = room };
	unsigned int flags = port->dev.is_pci ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
	char name[PORT_POOL_NAME_MAX];
	struct rte_mempool *pool;
	int ret;

	(void)snprintf(name, sizeof(name), "leat%u_%s", port->dev.port_id, kind); /* fits */
	pool = rte_mempool_create_empty(name, nb_mbufs, sizeof(struct rte_mbuf) + room,
		PORT_MBUF_CACHE, sizeof(priv), socket_id, flags);
	if (pool == NULL) {
		ret = -rte_errno;
		goto fail;
	}
	rte_pktmbuf_pool_init(pool, &priv);
	ret = rte_mempool_populate_default(pool);
	if (ret < 0) {
		rte_mempool_free(pool);
		goto fail;
	}
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	*out = pool;
	return 0;

fail:
	return leat_error_set(error, ret,
		"port %s: %u mbufs for %s do not fit into DPDK's memory (%s): give more memory or "
		"ask for fewer mbufs",
		port->info.name, nb_mbufs, kind, rte_strerror(-ret));
}

static bool
port_is_xdp(const struct leat_dpdk_port *port)
{
	return strcmp(port->info.driver, "net_af_xdp") == 0;
}

static size_t
port_pool_len(const struct rte_mempool *pool)
{
	struct rte_mempool_memhdr *chunk;
	size_t len = 0;

	STAILQ_FOREACH (chunk, &pool->mem_list, next) {
		len += chunk->len;
	}
	return len;
}

/* Bytes of an mbuf that holds a whole frame, headroom included; at least the usual ones. */
static uint16_t
port_frame_room(const struct leat_dpdk_port *port)
{
	uint32_t len = RTE_PKTMBUF_HEADROOM + PORT_ETH_LEN_MAX + port->info.mtu;

	return (uint16_t)RTE_MAX(
		RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_SIZE), (uint32_t)RTE_MBUF_DEFAULT_BUF_SIZE);
}

/*
 * Three pools, so that received text cannot starve replies, and replies cannot starve
 * the headers, ACKs and ARP frames without which nothing of them would ever be freed.
 */
static int
port_create_pools(struct leat_dpdk_port *port, const struct leat_dpdk_port_conf *conf,
	struct leat_error *error)
{
	struct leat_dpdk_port_info *info = &port->info;
	uint16_t frame_room = port_frame_room(port);
	uint16_t rx_room = info->rx_scatter ? RTE_MBUF_DEFAULT_BUF_SIZE : frame_room;
	uint32_t per_queue = 2 * DPDK_BURST + PORT_CACHED_MBUFS;
	uint32_t queued = conf->nb_queues * PORT_QUEUED_MBUFS;
	uint32_t nb_text = (conf->nb_tx_mbufs != 0 ? conf->nb_tx_mbufs : queued) +
			   info->nb_queues * PORT_CACHED_MBUFS;
	uint32_t nb_ctl = info->nb_queues * (per_queue + info->nb_tx_desc + PORT_CTL_MBUFS);
	uint32_t nb_rx = (conf->nb_rx_mbufs != 0 ? conf->nb_rx_mbufs : queued) +
			 info->nb_queues * (per_queue + info->nb_rx_desc + PORT_RX_DRIVER_MBUFS);
	int ret;

	if (port_is_xdp(port)) /* it copies on transmit, and takes the copies from there */
		nb_rx += info->nb_queues * info->nb_tx_desc;
	ret = port_pool_create(port, "rx", nb_rx, rx_room, conf->socket_id, &port->rx_pool, error);
	if (ret == 0)
		ret = port_pool_create(port, "text", nb_text, RTE_MBUF_DEFAULT_BUF_SIZE,
			conf->socket_id, &port->text_pool, error);
	if (ret == 0)
		ret = port_pool_create(
			port, "ctl", nb_ctl, frame_room, conf->socket_id, &port->ctl_pool, error);
	if (ret < 0)
		return ret;
	info->nb_rx_mbufs = nb_rx;
	info->nb_tx_mbufs = nb_text + nb_ctl;
	info->rx_pool_len = port_pool_len(port->rx_pool);
	info->tx_pool_len = port_pool_len(port->text_pool) + port_pool_len(port->ctl_pool);
	if (port_is_xdp(port) && port->rx_pool->nb_mem_chunks != 1)
		return leat_error_set(error, -ENOMEM,
			"port %s: AF_XDP needs its %u mbufs in one piece of memory and DPDK's is "
			"in "
			"pieces: give more memory or ask for fewer mbufs",
			info->name, nb_rx);
	return 0;
}

static void
port_choose_offloads(struct leat_dpdk_port *port, const struct rte_eth_dev_info *dev_info,
	const struct leat_inet_offloads *refused)
{
	struct leat_inet_offloads *use = &port->info.offloads;
	uint64_t tx = dev_info->tx_offload_capa;
	uint64_t rx = dev_info->rx_offload_capa;
	int n;

	use->tx_ip_cksum = (tx & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) != 0 && !refused->tx_ip_cksum;
	use->tx_tcp_cksum = (tx & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) != 0 && !refused->tx_tcp_cksum;
	use->tx_multi_seg = (tx & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0 && !refused->tx_multi_seg;
	use->tx_tso = (tx & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0 && !refused->tx_tso &&
		      use->tx_tcp_cksum && use->tx_multi_seg;
	use->rx_ip_cksum = (rx & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0 && !refused->rx_ip_cksum;
	use->rx_tcp_cksum = (rx & RTE_ETH_RX_OFFLOAD_TCP_CKSUM) != 0 && !refused->rx_tcp_cksum;
	n = snprintf(port->info.offloads_text, sizeof(port->info.offloads_text), "%s%s%s%s%s%s",
		use->rx_ip_cksum ? " rx-ip-cksum" : "", use->rx_tcp_cksum ? " rx-tcp-cksum" : "",
		use->tx_ip_cksum ? " tx-ip-cksum" : "", use->tx_tcp_cksum ? " tx-tcp-cksum" : "",
		use->tx_multi_seg ? " tx-multi-seg" : "", use->tx_tso ? " tx-tso" : "");
	LEAT_VERIFY(n >= 0 && (size_t)n < sizeof(port->info.offloads_text));
	if (n == 0)
		memcpy(port->info.offloads_text, "none", sizeof("none"));
	else /* without the leading blank, with the zero */
		memmove(port->info.offloads_text, port->info.offloads_text + 1, (size_t)n);
}

static void
port_fill_eth_conf(const struct leat_dpdk_port *port, const struct rte_eth_dev_info *dev_info,
	struct rte_eth_conf *eth_conf)
{
	const struct leat_inet_offloads *use = &port->info.offloads;
	uint64_t rss = dev_info->flow_type_rss_offloads &
		       (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_IPV6 |
			       RTE_ETH_RSS_NONFRAG_IPV6_TCP);

	memset(eth_conf, 0, sizeof(*eth_conf));
	eth_conf->rxmode.mtu = port->info.mtu;
	eth_conf->rxmode.offloads = (use->rx_ip_cksum ? RTE_ETH_RX_OFFLOAD_IPV4_CKSUM : 0) |
				    (use->rx_tcp_cksum ? RTE_ETH_RX_OFFLOAD_TCP_CKSUM : 0) |
				    (port->info.rx_scatter ? RTE_ETH_RX_OFFLOAD_SCATTER : 0);
	eth_conf->txmode.offloads = (use->tx_ip_cksum ? RTE_ETH_TX_OFFLOAD_IPV4_CKSUM : 0) |
				    (use->tx_tcp_cksum ? RTE_ETH_TX_OFFLOAD_TCP_CKSUM : 0) |
				    (use->tx_multi_seg ? RTE_ETH_TX_OFFLOAD_MULTI_SEGS : 0) |
				    (use->tx_tso ? RTE_ETH_TX_OFFLOAD_TCP_TSO : 0);
	eth_conf->intr_conf.rxq = port->info.rx_intr ? 1 : 0;
	if (port->info.nb_queues > 1 && rss != 0) {
		eth_conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		eth_conf->rx_adv_conf.rss_conf.rss_hf = rss;
	}
}

/*
 * DPDK's tap driver, as of 22.11, compares the frames that it cuts with the MTU, their Ethernet
 * header included, and sends nothing of what would be cut into longer ones. Text over IPv6 it
 * does not cut at all: it hands the kernel frames of any length, which a peer behind a bridge
 * never sees, and one on this machine takes, so that no trial finds it out. And it sums a chain
 * mbuf by mbuf as if each began at an even byte, so that behind an odd one the sum is wrong.
 */
static void
port_limit_tx(struct leat_dpdk_port *port)
{
	bool is_tap = strcmp(port->info.driver, "net_tap") == 0;

	port->tso_frame_len_max = is_tap ? port->info.mtu : 0;
	port->tso_ipv4_only = is_tap;
	port->tx_even_segs = is_tap;
}

static bool
port_has_ipv6(const struct leat_dpdk_port_conf *conf)
{
	for (uint8_t i = 0; i < conf->nb_addrs; i++)
		if (!leat_ip_addr_is_ipv4(conf->addrs[i].addr))
			return true;
	return false;
}

/* The MTU that was asked for, the kernel's for an interface of it, or Ethernet's. */
static int
port_choose_mtu(struct leat_dpdk_port *port, const struct leat_dpdk_port_conf *conf,
	const struct rte_eth_dev_info *dev_info, struct leat_error *error)
{
	uint16_t iface_mtu = dpdk_dev_iface_mtu(&port->dev);
	uint16_t max = LEAT_MIN(dev_info->max_mtu, (uint16_t)LEAT_DPDK_MTU_MAX);
	uint16_t usual;

	if (iface_mtu != 0)
		max = LEAT_MIN(max, iface_mtu);
	if (max < LEAT_INET_MTU_MIN)
		return leat_error_set(error, -EINVAL,
			"port %s: the MTU of device %s is %u and must be at least %u", conf->name,
			port->dev.name, max, LEAT_INET_MTU_MIN);
	if (conf->mtu > max)
		return leat_error_set(error, -EINVAL,
			"port %s: MTU %u is asked for and device %s takes at most %u", conf->name,
			conf->mtu, port->dev.name, max);
	usual = LEAT_MIN(max, (uint16_t)LEAT_DPDK_MTU_DEFAULT);
	port->info.mtu = conf->mtu != 0 ? conf->mtu : usual;
	port->info.rx_scatter = port_frame_room(port) > RTE_MBUF_DEFAULT_BUF_SIZE &&
				(dev_info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	if (port->info.mtu < LEAT_IPV6_MTU_MIN && port_has_ipv6(conf))
		return leat_error_set(error, -EINVAL,
			"port %s: the MTU of device %s is %u, and IPv6 needs %u or more",
			conf->name, port->dev.name, port->info.mtu, LEAT_IPV6_MTU_MIN);
	return 0;
}

static int
port_choose_queues(struct leat_dpdk_port *port, const struct leat_dpdk_port_conf *conf,
	const struct rte_eth_dev_info *dev_info, struct leat_error *error)
{
	struct leat_dpdk_port_info *info = &port->info;
	uint16_t max = LEAT_MIN(dev_info->max_rx_queues, dev_info->max_tx_queues);
	int ret;

	if (conf->nb_queues > max)
		return leat_error_set(error, -EINVAL,
			"port %s: %u queues are asked for, one per worker, and device %s has %u: "
			"ask for fewer workers, or for more queues in the device's arguments",
			conf->name, conf->nb_queues, port->dev.name, max);
	info->nb_queues = conf->nb_queues;
	info->nb_rx_desc =
		conf->nb_desc != 0 ? conf->nb_desc : dev_info->default_rxportconf.ring_size;
	info->nb_tx_desc =
		conf->nb_desc != 0 ? conf->nb_desc : dev_info->default_txportconf.ring_size;
	if (info->nb_rx_desc == 0)
		info->nb_rx_desc = PORT_NB_DESC_DEFAULT;
	if (info->nb_tx_desc == 0)
		info->nb_tx_desc = PORT_NB_DESC_DEFAULT;
	ret = rte_eth_dev_adjust_nb_rx_tx_desc(
		port->dev.port_id, &info->nb_rx_desc, &info->nb_tx_desc);
	if (ret < 0)
		return ret;
	info->nb_rx_desc = LEAT_MIN(info->nb_rx_desc, (uint16_t)LEAT_DPDK_DESCS_MAX);
	info->nb_tx_desc = LEAT_MIN(info->nb_tx_desc, (uint16_t)LEAT_DPDK_DESCS_MAX);
	return 0;
}

static int
port_start(struct leat_dpdk_port *port, const struct rte_eth_dev_info *dev_info, int socket_id)
{
	uint16_t id = port->dev.port_id;
	unsigned int socket = socket_id < 0 ? 0 : (unsigned int)socket_id;
	struct rte_eth_rxconf rx_conf = dev_info->default_rxconf;
	struct rte_eth_txconf tx_conf = dev_info->default_txconf;
	struct rte_eth_conf eth_conf;
	int ret;

	port_fill_eth_conf(port, dev_info, &eth_conf);
	rx_conf.offloads = eth_conf.rxmode.offloads;
	tx_conf.offloads = eth_conf.txmode.offloads;
	ret = rte_eth_dev_configure(id, port->info.nb_queues, port->info.nb_queues, &eth_conf);
	for (uint16_t q = 0; ret == 0 && q < port->info.nb_queues; q++) {
		ret = rte_eth_rx_queue_setup(
			id, q, port->info.nb_rx_desc, socket, &rx_conf, port->rx_pool);
		if (ret == 0)
			ret = rte_eth_tx_queue_setup(
				id, q, port->info.nb_tx_desc, socket, &tx_conf);
	}
	if (ret == 0)
		ret = rte_eth_dev_start(id);
	return dpdk_errno(ret);
}

/* Software devices take the setting and ignore it, and then have no descriptor to wait on. */
static bool
port_has_rx_intr(const struct leat_dpdk_port *port)
{
	for (uint16_t q = 0; q < port->info.nb_queues; q++) {
		if (rte_eth_dev_rx_intr_ctl_q_get_fd(port->dev.port_id, q) < 0)
			return false;
	}
	return true;
}

static int
port_configure(struct leat_dpdk_port *port, const struct leat_dpdk_port_conf *conf,
	struct leat_error *error)
{
	struct rte_eth_dev_info dev_info;
	struct rte_ether_addr mac;
	struct rte_eth_link link;
	int ret;

	ret = rte_eth_dev_info_get(port->dev.port_id, &dev_info);
	if (ret < 0)
		return ret;
	port->info.port_id = port->dev.port_id;
	port->nb_tx_segs_max = dev_info.tx_desc_lim.nb_mtu_seg_max;
	port->nb_tso_segs_max = dev_info.tx_desc_lim.nb_seg_max;
	(void)snprintf(port->info.driver, sizeof(port->info.driver), "%s", dev_info.driver_name);
	port_choose_offloads(port, &dev_info, &conf->refused);
	ret = port_choose_mtu(port, conf, &dev_info, error);
	port_limit_tx(port);
	if (ret == 0)
		ret = port_choose_queues(port, conf, &dev_info, error);
	if (ret == 0)
		ret = port_create_pools(port, conf, error);
	if (ret < 0)
		return ret;
	port->info.rx_intr = port->dev.may_rx_intr;
	ret = port_start(port, &dev_info, conf->socket_id);
	if (ret < 0 && port->info.rx_intr) { /* such as a NIC without enough vectors */
		port->info.rx_intr = false;
		ret = port_start(port, &dev_info, conf->socket_id);
	}
	if (ret < 0)
		return ret;
	port->info.rx_intr = port->info.rx_intr && port_has_rx_intr(port);
	ret = rte_eth_macaddr_get(port->dev.port_id, &mac);
	if (ret < 0)
		return ret;
	if (!rte_is_valid_assigned_ether_addr(&mac)) /* a wire of software only */
		rte_eth_random_addr(mac.addr_bytes);
	memcpy(port->info.mac, mac.addr_bytes, sizeof(port->info.mac));
	if (rte_eth_link_get_nowait(port->dev.port_id, &link) == 0)
		port->info.link_up = link.link_status == RTE_ETH_LINK_UP;
	return 0;
}

/* The kernel refuses an AF_XDP socket with an errno that its driver keeps to itself. */
static const char *
port_hint(const struct leat_dpdk_port *port)
{
	if (!port_is_xdp(port))
		return "";
	return " (has the interface another XDP program, see `ip link`, or no such queue, "
	       "see `ethtool -l`; net_af_packet works without either)";
}

/* After the driver's sockets were looked for: this one is not among them. */
static void
port_join(struct leat_dpdk_port *port)
{
	struct leat_inet_conf conf = { .nb_addrs = port->nb_addrs };
	uint8_t macs[LEAT_INET_GROUPS_MAX][6];
	struct rte_ether_addr groups[LEAT_INET_GROUPS_MAX];
	uint32_t nb_groups;

	memcpy(conf.mac, port->info.mac, sizeof(conf.mac));
	memcpy(conf.addrs, port->addrs, sizeof(conf.addrs));
	nb_groups = leat_inet_multicast(&conf, macs);
	for (uint32_t i = 0; i < nb_groups; i++)
		memcpy(groups[i].addr_bytes, macs[i], sizeof(macs[i]));
	port->info.multicast = dpdk_multicast_join(port, groups, nb_groups);
}

static void
port_free(struct leat_dpdk_port *port)
{
	dpdk_multicast_leave(port);
	(void)rte_eth_dev_stop(port->dev.port_id);  /* closed next, whatever it says */
	(void)rte_eth_dev_close(port->dev.port_id); /* the device is given up */
	rte_mempool_free(port->rx_pool);
	rte_mempool_free(port->text_pool);
	rte_mempool_free(port->ctl_pool);
	dpdk_dev_close(&port->dev);
	rte_free(port);
}

int
leat_dpdk_port_open(const struct leat_dpdk_port_conf *conf, struct leat_dpdk_port **out,
	struct leat_error *error)
{
	struct dpdk_sockets old;
	struct leat_dpdk_port *port;
	struct leat_dpdk_log log;
	int ret;

	ret = port_check_conf(conf, error);
	if (ret < 0)
		return ret;
	port = rte_zmalloc("leat_dpdk_port", sizeof(*port), RTE_CACHE_LINE_SIZE);
	if (port == NULL)
		return leat_error_set(error, -ENOMEM, "port %s: no memory", conf->name);
	if (leat_dpdk_log_open(&log, NULL) < 0) {
		ret = leat_error_set(error, -ENOMEM, "port %s: no memory", conf->name);
		goto free_port;
	}
	(void)snprintf(port->info.name, sizeof(port->info.name), "%s", conf->name); /* fits */
	port->vlan_id = conf->vlan_id;
	port->multicast_fd = -1;
	port->nb_addrs = conf->nb_addrs;
	memcpy(port->addrs, conf->addrs, sizeof(port->addrs));
	port->gateway = conf->gateway;
	port->gateway6 = conf->gateway6;
	dpdk_sockets_find(&old, NULL);
	ret = dpdk_dev_open(conf, &port->dev, error);
	if (ret < 0)
		goto close_log;
	ret = port_configure(port, conf, error);
	if (ret < 0)
		goto close_port;
	if (port->dev.iface[0] != '\0') {
		dpdk_sockets_find(&port->sockets, &old);
		port->info.rx_socket = port->sockets.nb > 0;
	}
	port_join(port);
	leat_dpdk_log_close(&log); /* with what was said on the way to a port that works */
	*out = port;
	return 0;

close_port:
	(void)leat_error_set(error, ret, "port %s: device %s does not start: %s%s", conf->name,
		port->dev.name, leat_dpdk_log_reason(&log, rte_strerror(-ret)), port_hint(port));
	port_free(port);
	leat_dpdk_log_close(&log);
	return ret;
close_log:
	(void)leat_error_set(error, ret, "port %s: device %s cannot be opened: %s", conf->name,
		conf->dev, leat_dpdk_log_reason(&log, rte_strerror(-ret)));
	leat_dpdk_log_close(&log);
free_port:
	rte_free(port);
	return ret;
}

void
leat_dpdk_port_close(struct leat_dpdk_port *port)
{
	LEAT_VERIFY(port->queues_open == 0);
	port_free(port);
}

const struct leat_dpdk_port_info *
leat_dpdk_port_info(const struct leat_dpdk_port *port)
{
	return &port->info;
}
