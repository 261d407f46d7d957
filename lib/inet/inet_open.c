/* SPDX-License-Identifier: BSD-3-Clause */

/* All memory of a stack is taken here, at start. */

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "inet_priv.h"

#define HASH_ENTRIES_MIN 8u /* rte_hash's bucket */
/* Bytes of rte_hash: slots in a bucket and in an overflow bucket, and its place in a ring. */
#define HASH_SLOTS_LEN 17u
#define HASH_RING_LEN  4u
#define HASH_DATA_LEN  8u  /* in front of a key */
#define CONN_ALIGN     16u /* of private bytes */
#define CONN_OFF_ALIGN 8u  /* of the connection behind them */
/* Mbufs out of order, of all connections together: one of so many of the pool. */
#define REASS_POOL_SHARE 4u

static size_t
align_up(size_t len, size_t align)
{
	return (len + align - 1) & ~(align - 1);
}

static size_t
conf_conn_off(const struct leat_inet_conf *conf)
{
	return align_up(conf->conn_priv_len, CONN_OFF_ALIGN);
}

static size_t
conf_conn_stride(const struct leat_inet_conf *conf)
{
	return align_up(conf_conn_off(conf) + sizeof(struct leat_inet_conn), CONN_ALIGN);
}

static uint32_t
conf_nb_flows(const struct leat_inet_conf *conf)
{
	return LEAT_MAX(conf->nb_conns_max + conf->nb_time_waits_max, HASH_ENTRIES_MIN);
}

static bool
addr_is_host(struct leat_ip_addr addr)
{
	if (leat_ip_addr_is_ipv4(addr))
		return leat_ipv4_addr_is_host(leat_ip_addr_ipv4(addr));
	return leat_ipv6_addr_is_host(addr);
}

static bool
conf_has_family(const struct leat_inet_conf *conf, bool is_ipv4)
{
	for (uint8_t i = 0; i < conf->nb_addrs; i++) {
		if (leat_ip_addr_is_ipv4(conf->addrs[i].addr) == is_ipv4)
			return true;
	}
	return false;
}

static int
conf_check_gateway(const struct leat_inet_conf *conf, struct leat_ip_addr gateway, bool is_ipv4,
	struct leat_error *error)
{
	if (leat_ip_addr_is_none(gateway))
		return 0;
	if (!addr_is_host(gateway) || leat_ip_addr_is_ipv4(gateway) != is_ipv4)
		return leat_error_set(error, -EINVAL, "%s: the %s gateway is not a host's address",
			conf->name, is_ipv4 ? "IPv4" : "IPv6");
	if (!conf_has_family(conf, is_ipv4))
		return leat_error_set(error, -EINVAL,
			"%s: there is an %s gateway and no address of its kind", conf->name,
			is_ipv4 ? "IPv4" : "IPv6");
	return 0;
}

static int
conf_check_addrs(const struct leat_inet_conf *conf, struct leat_error *error)
{
	int ret;

	if (conf->nb_addrs == 0 || conf->nb_addrs > LEAT_INET_ADDRS_MAX)
		return leat_error_set(error, -EINVAL, "%s: a port has 1 to %d addresses, not %u",
			conf->name, LEAT_INET_ADDRS_MAX, conf->nb_addrs);
	for (uint8_t i = 0; i < conf->nb_addrs; i++) {
		const struct leat_inet_addr *addr = &conf->addrs[i];

		if (!addr_is_host(addr->addr) || addr->prefix_len > leat_ip_addr_bits(addr->addr))
			return leat_error_set(error, -EINVAL,
				"%s: address %u is not one that a host can have, such as "
				"10.77.0.1/24",
				conf->name, i + 1u);
	}
	if (conf_has_family(conf, false) && conf->mtu < LEAT_IPV6_MTU_MIN)
		return leat_error_set(error, -EINVAL,
			"%s: IPv6 needs an MTU of %u or more, and it is %u", conf->name,
			LEAT_IPV6_MTU_MIN, conf->mtu);
	ret = conf_check_gateway(conf, conf->gateway, true, error);
	if (ret < 0)
		return ret;
	return conf_check_gateway(conf, conf->gateway6, false, error);
}

static int
conf_check_sizes(const struct leat_inet_conf *conf, struct leat_error *error)
{
	uint32_t room = rte_pktmbuf_data_room_size(conf->pool);

	if (conf->nb_conns_max == 0 || conf->nb_conns_max > LEAT_INET_CONNS_MAX ||
		conf->nb_time_waits_max > LEAT_INET_CONNS_MAX)
		return leat_error_set(error, -EINVAL,
			"%s: 1 to %u connections and at most as many in TIME-WAIT, not %u and %u",
			conf->name, LEAT_INET_CONNS_MAX, conf->nb_conns_max,
			conf->nb_time_waits_max);
	if (conf->nb_neighbours_max == 0 || conf->nb_neighbours_max > LEAT_INET_NBRS_MAX)
		return leat_error_set(error, -EINVAL, "%s: 1 to %u neighbours, not %u", conf->name,
			LEAT_INET_NBRS_MAX, conf->nb_neighbours_max);
	if (conf->conn_priv_len > LEAT_INET_PRIV_LEN_MAX)
		return leat_error_set(error, -EINVAL, "%s: at most %u private bytes, not %u",
			conf->name, LEAT_INET_PRIV_LEN_MAX, conf->conn_priv_len);
	if (conf->nb_record_segs > LEAT_RECORD_SEGS_MAX)
		return leat_error_set(error, -EINVAL,
			"%s: the flight recorder keeps at most %u segments of a class, not %u",
			conf->name, LEAT_RECORD_SEGS_MAX, conf->nb_record_segs);
	if (conf->tso_frame_len_max != 0 && conf->tso_frame_len_max < conf->mtu)
		return leat_error_set(error, -EINVAL,
			"%s: the port cuts into frames of %u bytes, fewer than the MTU of %u",
			conf->name, conf->tso_frame_len_max, conf->mtu);
	if (room < RTE_PKTMBUF_HEADROOM + LEAT_ETH_HDR_LEN_MAX + (uint32_t)conf->mtu)
		return leat_error_set(error, -EINVAL,
			"%s: mbufs of %u bytes are too short for an MTU of %u", conf->name, room,
			conf->mtu);
	return 0;
}

static int
conf_check(const struct leat_inet_conf *conf, struct leat_error *error)
{
	uint32_t hdrs_len = LEAT_IPV4_HDR_LEN + LEAT_TCP_HDR_LEN;
	int ret;

	if (conf->name == NULL || conf->name[0] == '\0' || strlen(conf->name) > LEAT_INET_NAME_MAX)
		return leat_error_set(
			error, -EINVAL, "a stack's name has 1 to %d bytes", LEAT_INET_NAME_MAX);
	if (!leat_eth_addr_is_unicast(conf->mac))
		return leat_error_set(
			error, -EINVAL, "%s: the MAC address is not one of a port", conf->name);
	if (conf->mtu < LEAT_INET_MTU_MIN || conf->mtu > LEAT_INET_MTU_MAX)
		return leat_error_set(error, -EINVAL, "%s: the MTU is %u to %u, not %u", conf->name,
			LEAT_INET_MTU_MIN, LEAT_INET_MTU_MAX, conf->mtu);
	if (conf->tcp.mss == 0 || conf->tcp.mss > conf->mtu - hdrs_len)
		return leat_error_set(error, -EINVAL, "%s: an MSS of %u does not fit an MTU of %u",
			conf->name, conf->tcp.mss, conf->mtu);
	if (conf->vlan_id > LEAT_ETH_VLAN_ID_MAX)
		return leat_error_set(error, -EINVAL, "%s: a VLAN id is 1 to %u, not %u",
			conf->name, LEAT_ETH_VLAN_ID_MAX, conf->vlan_id);
	ret = conf_check_addrs(conf, error);
	if (ret < 0)
		return ret;
	return conf_check_sizes(conf, error);
}

static struct rte_hash *
hash_create(const struct leat_inet *inet, const char *suffix, uint32_t nb_entries, uint32_t key_len)
{
	char name[RTE_HASH_NAMESIZE];
	struct rte_hash_parameters params = {
		.name = name,
		.entries = nb_entries,
		.key_len = key_len,
		.socket_id = inet->conf.socket_id,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE, /* a full bucket refuses nobody */
	};

	(void)snprintf(name, sizeof(name), "%s.%s", inet->name, suffix);
	return rte_hash_create(&params);
}

static size_t
hash_mem_len(uint32_t nb_entries, size_t key_len)
{
	return (size_t)rte_align32pow2(nb_entries) * HASH_SLOTS_LEN +
	       (size_t)rte_align32pow2(nb_entries + 1) * HASH_RING_LEN +
	       (size_t)nb_entries * (HASH_DATA_LEN + key_len);
}

/* Bytes of the flow table that one flow takes. */
static size_t
flow_len(const struct leat_inet_conf *conf)
{
	size_t len = hash_mem_len(conf_nb_flows(conf), sizeof(struct inet_flow_key *));

	return (len + conf_nb_flows(conf) - 1) / conf_nb_flows(conf);
}

size_t
leat_inet_conn_len(const struct leat_inet_conf *conf)
{
	return conf_conn_stride(conf) + flow_len(conf);
}

size_t
leat_inet_time_wait_len(const struct leat_inet_conf *conf)
{
	return sizeof(struct inet_time_wait) + flow_len(conf);
}

/* What is frozen needs as much as what is being recorded. */
size_t
leat_inet_record_len(const struct leat_inet_conf *conf)
{
	return 2 * leat_record_mem_len(conf->nb_record_segs);
}

/*
 * The engine's pool: what is in flight lies in mbufs of text, what came early in those that
 * it arrived in, and no more than so many connections can have some.
 */
static uint32_t
conf_nb_records(const struct leat_inet_conf *conf)
{
	return conf->text_pool != NULL ? conf->text_pool->size : conf->pool->size;
}

static uint32_t
conf_nb_early(const struct leat_inet_conf *conf)
{
	const struct rte_mempool *pool = conf->rx_pool != NULL ? conf->rx_pool : conf->pool;

	return pool->size / REASS_POOL_SHARE;
}

static uint32_t
conf_nb_reass(const struct leat_inet_conf *conf)
{
	return LEAT_MAX(LEAT_MIN(conf->nb_conns_max, conf_nb_early(conf)), 1u);
}

static size_t
tcp_pool_mem_len(const struct leat_inet_conf *conf)
{
	return leat_tcp_pool_mem_len(conf_nb_records(conf), conf_nb_reass(conf));
}

size_t
leat_inet_mem_len(const struct leat_inet_conf *conf)
{
	return sizeof(struct leat_inet) + tcp_pool_mem_len(conf) +
	       conf->nb_conns_max * leat_inet_conn_len(conf) +
	       conf->nb_time_waits_max * leat_inet_time_wait_len(conf) +
	       conf->nb_neighbours_max * sizeof(struct inet_nbr) +
	       hash_mem_len(conf->nb_neighbours_max, sizeof(struct leat_ip_addr)) +
	       leat_inet_record_len(conf);
}

/* Secrets of their own for each use, all of them out of the seed. */
static void
init_keys(struct leat_inet *inet)
{
	const struct leat_siphash_key seed = { inet->conf.seed[0], inet->conf.seed[1] };

	inet->flow_hash_key.k0 = leat_siphash(&seed, "flow 0", 6);
	inet->flow_hash_key.k1 = leat_siphash(&seed, "flow 1", 6);
	inet->isn_key.k0 = leat_siphash(&seed, "isn 0", 5);
	inet->isn_key.k1 = leat_siphash(&seed, "isn 1", 5);
	inet->port_key.k0 = leat_siphash(&seed, "port 0", 6);
	inet->port_key.k1 = leat_siphash(&seed, "port 1", 6);
	inet->ends_key.k0 = leat_siphash(&seed, "ends 0", 6);
	inet->ends_key.k1 = leat_siphash(&seed, "ends 1", 6);
	inet->cookie_key.k0 = leat_siphash(&seed, "cookie 0", 8);
	inet->cookie_key.k1 = leat_siphash(&seed, "cookie 1", 8);
	if (inet->conf.tcp.ts_offset == 0)
		inet->conf.tcp.ts_offset = (uint32_t)leat_siphash(&seed, "ts", 2);
}

/* The settings over IPv6: those over IPv4, which are complete, but for sizes. */
static void
init_tcp6(struct leat_inet *inet)
{
	uint16_t mss = (uint16_t)(inet->conf.mtu - LEAT_IPV6_HDR_LEN - LEAT_TCP_HDR_LEN);

	inet->tcp6 = inet->conf.tcp;
	inet->tcp6.mss = LEAT_MIN(inet->tcp6.mss, mss);
	inet->tcp6.mss_default = LEAT_TCP_MSS_IPV6;
}

static void
init_eth_hdr(struct leat_inet *inet)
{
	struct leat_eth_hdr hdr = {
		.type = LEAT_ETH_TYPE_IPV4,
		.vlan_id = inet->conf.vlan_id,
	};

	memcpy(hdr.src, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	inet->eth_hdr_len = (uint8_t)leat_eth_emit(&hdr, inet->eth_hdr);
}

static struct inet_bucket
bucket_full(uint32_t rate, uint32_t burst, uint64_t now_us)
{
	return (struct inet_bucket){
		.nb_tokens = burst, .rate = rate, .burst = burst, .last_us = now_us
	};
}

/* Mbufs of text in a frame; its headers lie in one more. */
static uint32_t
segs_max(uint16_t nb_of_port, uint32_t nb_max)
{
	return nb_of_port == 0 ? nb_max : LEAT_MIN(nb_of_port - 1u, nb_max);
}

/* What needs no memory of its own. */
static void
init_fields(struct leat_inet *inet)
{
	const struct leat_inet_conf *conf = &inet->conf;

	(void)snprintf(inet->name, sizeof(inet->name), "%s", conf->name);
	inet->conf.name = inet->name;
	inet->now_us = conf->now_us;
	inet->conn_off = conf_conn_off(conf);
	inet->conn_stride = conf_conn_stride(conf);
	inet->nb_half_open_max = LEAT_MAX(conf->nb_conns_max / LEAT_INET_HALF_OPEN_SHARE, 1u);
	inet->nb_half_open_max = LEAT_MIN(inet->nb_half_open_max, LEAT_INET_HALF_OPEN_MAX);
	inet->nb_reass_left = conf_nb_early(conf);
	if (conf->tcp.reass_budget == NULL)
		inet->conf.tcp.reass_budget = &inet->nb_reass_left;
	inet->echo_bucket = bucket_full(LEAT_INET_ECHO_RATE, LEAT_INET_ECHO_BURST, conf->now_us);
	inet->rst_bucket = bucket_full(LEAT_INET_RST_RATE, LEAT_INET_RST_BURST, conf->now_us);
	inet->ack_bucket = bucket_full(LEAT_INET_ACK_RATE, LEAT_INET_ACK_BURST, conf->now_us);
	inet->icmp_error_bucket =
		bucket_full(LEAT_INET_ICMP_ERROR_RATE, LEAT_INET_ICMP_ERROR_BURST, conf->now_us);
	STAILQ_INIT(&inet->conns_free);
	STAILQ_INIT(&inet->conns_limbo);
	STAILQ_INIT(&inet->ready);
	TAILQ_INIT(&inet->half_open);
	STAILQ_INIT(&inet->output);
	TAILQ_INIT(&inet->tws_free);
	TAILQ_INIT(&inet->tws);
	TAILQ_INIT(&inet->nbrs_free);
	TAILQ_INIT(&inet->nbrs_unknown);
	TAILQ_INIT(&inet->nbrs_heard);
	TAILQ_INIT(&inet->nbrs_used);
	TAILQ_INIT(&inet->nbrs_asking);
	leat_timer_wheel_init(&inet->wheel, conf->now_us);
	init_keys(inet);
	inet->nb_addrs = inet_addrs_fill(conf, inet->addrs);
	for (uint8_t i = 0; i < inet->nb_addrs; i++)
		inet->broadcasts[i] = inet_addr_broadcast(&inet->addrs[i]);
	inet->nb_groups = leat_inet_multicast(conf, inet->groups);
	init_eth_hdr(inet);
	inet->nb_tx_segs_max = segs_max(conf->nb_tx_segs_max, LEAT_INET_TX_SEGS_MAX);
	inet->nb_tso_segs_max = segs_max(conf->nb_tso_segs_max, LEAT_INET_TSO_SEGS_MAX);
	inet->tso_frame_len_max =
		conf->tso_frame_len_max != 0 ? conf->tso_frame_len_max : UINT16_MAX;
	inet_offload_init(inet);
	inet_buffers_init(inet);
}

static void
init_lists(struct leat_inet *inet)
{
	for (uint32_t i = 0; i < inet->conf.nb_conns_max; i++)
		STAILQ_INSERT_TAIL(&inet->conns_free, inet_conn_at(inet, i), link);
	for (uint32_t i = 0; i < inet->conf.nb_time_waits_max; i++)
		TAILQ_INSERT_TAIL(&inet->tws_free, &inet->tw_mem[i], link);
	for (uint32_t i = 0; i < inet->conf.nb_neighbours_max; i++)
		TAILQ_INSERT_TAIL(&inet->nbrs_free, &inet->nbr_mem[i], link);
}

/* Frees what there is of a stack, also of one that open() did not finish. */
static void
inet_free(struct leat_inet *inet)
{
	rte_hash_free(inet->nbr_hash);
	rte_hash_free(inet->flows);
	rte_free(inet->record_mem);
	rte_free(inet->nbr_mem);
	rte_free(inet->tw_mem);
	rte_free(inet->conn_mem);
	rte_free(inet->tcp_pool);
	rte_free(inet);
}

static int
inet_alloc_record(struct leat_inet *inet)
{
	const struct leat_inet_conf *conf = &inet->conf;
	size_t len = leat_inet_record_len(conf);

	if (len == 0)
		return 0;
	inet->record_mem =
		rte_zmalloc_socket("leat_inet", len, LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (inet->record_mem == NULL)
		return -ENOMEM;
	leat_record_init(&inet->record, inet->record_mem, conf->nb_record_segs);
	leat_record_init(&inet->frozen,
		inet->record_mem + inet->record.nb_segs * LEAT_RECORD_CLASSES,
		conf->nb_record_segs);
	return 0;
}

static int
inet_alloc_tables(struct leat_inet *inet)
{
	const struct leat_inet_conf *conf = &inet->conf;

	inet->conn_mem = rte_zmalloc_socket("leat_inet", conf->nb_conns_max * inet->conn_stride,
		LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (inet->conn_mem == NULL)
		return -ENOMEM;
	inet->tcp_pool = rte_malloc_socket(
		"leat_inet", tcp_pool_mem_len(conf), LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (inet->tcp_pool == NULL)
		return -ENOMEM;
	inet->conf.tcp.pool =
		leat_tcp_pool_init(inet->tcp_pool, conf_nb_records(conf), conf_nb_reass(conf));
	inet->tw_mem = rte_zmalloc_socket("leat_inet",
		LEAT_MAX(conf->nb_time_waits_max, 1u) * sizeof(*inet->tw_mem), LEAT_CACHE_LINE_LEN,
		conf->socket_id);
	if (inet->tw_mem == NULL)
		return -ENOMEM;
	inet->nbr_mem =
		rte_zmalloc_socket("leat_inet", conf->nb_neighbours_max * sizeof(*inet->nbr_mem),
			LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (inet->nbr_mem == NULL)
		return -ENOMEM;
	inet->flows = hash_create(inet, "f", conf_nb_flows(conf), sizeof(struct inet_flow_key *));
	if (inet->flows == NULL)
		return -rte_errno;
	rte_hash_set_cmp_func(inet->flows, inet_flow_cmp);
	inet->nbr_hash = hash_create(inet, "n", LEAT_MAX(conf->nb_neighbours_max, HASH_ENTRIES_MIN),
		sizeof(struct leat_ip_addr));
	if (inet->nbr_hash == NULL)
		return -rte_errno;
	return inet_alloc_record(inet);
}

int
leat_inet_open(const struct leat_inet_conf *conf, struct leat_inet **out, struct leat_error *error)
{
	struct leat_inet *inet;
	int ret;

	ret = conf_check(conf, error);
	if (ret < 0)
		return ret;
	inet = rte_zmalloc_socket("leat_inet", sizeof(*inet), LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (inet == NULL)
		return leat_error_set(error, -ENOMEM, "%s: no memory for the stack", conf->name);
	inet->conf = *conf;
	init_fields(inet);
	ret = inet_alloc_tables(inet);
	if (ret < 0) {
		ret = leat_error_set(error, ret,
			"%s: no memory for the stack: it needs %zu MiB; give more memory or fewer "
			"connections",
			conf->name, (leat_inet_mem_len(conf) >> 20) + 1);
		goto free_inet;
	}
	init_tcp6(inet);
	init_lists(inet);
	*out = inet;
	return 0;

free_inet:
	inet_free(inet);
	return ret;
}

void
leat_inet_close(struct leat_inet *inet)
{
	if (inet == NULL)
		return;
	for (uint32_t i = 0; i < inet->conf.nb_conns_max; i++) {
		if (inet_conn_at(inet, i)->is_used)
			leat_tcp_fini(&inet_conn_at(inet, i)->tcb);
	}
	while (inet->nb_ctl > 0) {
		rte_pktmbuf_free(inet->ctl[inet->ctl_head]);
		inet->ctl_head = (inet->ctl_head + 1) % LEAT_INET_CTL_MAX;
		inet->nb_ctl--;
	}
	inet_nbr_close(inet);
	inet_free(inet);
}
