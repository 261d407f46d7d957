/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The init table: each step opens one kind of thing for the whole daemon, from what
 * the steps before it opened, and undoes it. A step that fails has undone its part.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <rte_lcore.h>

#include <leat_protocol.h>
#include <leat_time.h>

#include "init.h"
#include "leatd_priv.h"
#include "log.h"

#define PROTOCOLS_MAX   15
#define KEEP_INTERVAL_S 75u /* as the table of keys says */
#define KEEP_PROBES     9u

static_assert((int)LEATD_COOKIES == (int)LEAT_INET_COOKIES &&
		      (int)LEATD_COOKIES_ALWAYS == (int)LEAT_INET_COOKIES_ALWAYS,
	"the configuration has the stack's words");
static_assert((int)LEATD_CONGESTIONS == (int)LEAT_TCP_CONGESTIONS &&
		      (int)LEATD_NEWRENO == (int)LEAT_TCP_NEWRENO,
	"the configuration has the engine's words");
static_assert(LEATD_ADDRS_MAX == LEAT_INET_ADDRS_MAX, "a port takes as many as the stack");
static_assert(LEATD_NAME_LEN <= LEAT_DPDK_NAME_MAX, "the driver takes our names");
static_assert(LEATD_DEV_LEN + LEATD_ARGS_LEN <= LEAT_DPDK_DEV_MAX, "the driver takes our devices");
static_assert(LEATD_PORTS_MAX <= LEAT_WORKER_TRANSPORTS_MAX, "a worker takes every port");
static_assert(LEATD_LISTENS_MAX <= LEAT_WORKER_LISTENERS_MAX, "a worker takes every listener");
static_assert(LEATD_CPUS_MAX <= LEAT_EAL_WORKERS_MAX, "the EAL takes every worker");
static_assert(LEATD_DIR_LEN <= LEAT_CONTROL_DIR_MAX, "the control plane takes our directory");
static_assert(LEATD_CPUS_MAX <= LEAT_CONTROL_WORKERS_MAX, "and so does the control plane");

struct init_step {
	int (*open)(struct leatd *d, struct leat_error *error);
	void (*close)(struct leatd *d);
};

const struct leatd_parts *
leatd_parts(void)
{
	static const char *const transports[] = { "dpdk", NULL };
	static const char *protocols[PROTOCOLS_MAX + 1];
	static struct leatd_parts parts = { .protocols = protocols, .transports = transports };
	const struct leat_protocol *const *all = leat_protocol_all();

	for (uint32_t i = 0; all[i] != NULL; i++) {
		LEAT_VERIFY(i < PROTOCOLS_MAX);
		protocols[i] = all[i]->name;
	}
	parts.handlers = leat_route_builtin_names();
	return &parts;
}

static int
random_fill(void *data, size_t len, struct leat_error *error)
{
	/* Up to 256 bytes come whole, once the kernel's pool is ready (getrandom(2)). */
	LEAT_VERIFY(len <= 256);
	if (getrandom(data, len, 0) != (ssize_t)len)
		return leat_error_set(
			error, -EIO, "the kernel gives no random numbers: %s", strerror(errno));
	return 0;
}

/* What the commands tell about the server. */
static int
server_open(struct leatd *d, struct leat_error *error)
{
	uint8_t id[LEATD_RUN_ID_LEN / 2];
	int ret = random_fill(id, sizeof(id), error);

	if (ret < 0)
		return ret;
	for (uint32_t i = 0; i < sizeof(id); i++)
		(void)snprintf(d->run_id + 2 * (size_t)i, 3, "%02x", id[i]);
	d->server.version = LEAT_VERSION;
	d->server.run_id = d->run_id;
	d->server.nb_workers = (uint16_t)d->conf->nb_workers;
	d->server.nb_conns_max = (uint32_t)d->conf->nb_conns_max;
	d->server.request_max = d->conf->request_max;
	d->server.bulk_max = LEAT_MIN(d->conf->bulk_max, d->conf->request_max);
	d->server.query_max = LEAT_MIN(d->conf->query_max, d->conf->request_max);
	d->server.requirepass = d->conf->requirepass;
	d->server.pid = (uint32_t)getpid();
	for (uint32_t i = 0; i < d->conf->nb_listens && d->server.tcp_port == 0; i++) {
		const char *protocol = d->conf->listens[i].protocol;

		if (strcmp(protocol, "resp") == 0 || strcmp(protocol, "auto") == 0)
			d->server.tcp_port = (uint16_t)d->conf->listens[i].port;
	}
	return 0;
}

static int
eal_open(struct leatd *d, struct leat_error *error)
{
	const char *pci_devs[LEATD_PORTS_MAX];
	struct leat_eal_conf conf = {
		.program = "leatd",
		.nb_workers = (unsigned int)d->conf->nb_workers,
		.cpus = d->conf->cpus.nb > 0 ? d->conf->cpus.ids : NULL,
		.memory_mb = d->conf->memory_mb,
		.no_huge = d->conf->no_huge,
		.pci_devs = pci_devs,
	};
	int ret;

	for (uint32_t i = 0; i < d->conf->nb_ports; i++)
		if (strchr(d->conf->ports[i].dev, ':') != NULL) /* only a PCI address has one */
			pci_devs[conf.nb_pci_devs++] = d->conf->ports[i].dev;
	ret = leat_eal_start(&conf, &d->eal, error);
	if (ret < 0)
		return ret;
	/* Until the start has succeeded: a failure has its sentence, and DPDK's are one too many. */
	d->eal.log.keep = true;
	d->server.start_us = leat_worker_clock_us();
	return 0;
}

static void
eal_close(struct leatd *d)
{
	leat_eal_stop(&d->eal);
}

static int
routes_open(struct leatd *d, struct leat_error *error)
{
	return leatd_routes_open(d->conf, &d->routes, error);
}

static void
routes_close(struct leatd *d)
{
	leatd_routes_close(d->routes);
}

static bool
port_refuses(const struct leatd_port_conf *port, enum leatd_offload offload)
{
	return (port->refused >> offload & 1) != 0;
}

static int
port_open(struct leatd *d, const struct leatd_port_conf *port, struct leat_dpdk_port **out,
	struct leat_error *error)
{
	char dev[LEATD_DEV_LEN + LEATD_ARGS_LEN];
	struct leat_dpdk_port_conf conf = {
		.name = port->name,
		.dev = dev,
		.socket_id = -1,
		.nb_queues = (uint16_t)d->conf->nb_workers,
		.mtu = (uint16_t)port->mtu,
		.vlan_id = (uint16_t)port->vlan_id,
		.nb_addrs = port->addrs.nb,
		.gateway = port->gateway,
		.gateway6 = port->gateway6,
		.nb_rx_mbufs = (uint32_t)d->conf->nb_rx_mbufs,
		.nb_tx_mbufs = (uint32_t)d->conf->nb_tx_mbufs,
		.refused = {
			.tx_ip_cksum = port_refuses(port, LEATD_OFFLOAD_TX_IP_CKSUM),
			.tx_tcp_cksum = port_refuses(port, LEATD_OFFLOAD_TX_TCP_CKSUM),
			.rx_ip_cksum = port_refuses(port, LEATD_OFFLOAD_RX_IP_CKSUM),
			.rx_tcp_cksum = port_refuses(port, LEATD_OFFLOAD_RX_TCP_CKSUM),
			.tx_multi_seg = port_refuses(port, LEATD_OFFLOAD_TX_MULTI_SEG),
			.tx_tso = port_refuses(port, LEATD_OFFLOAD_TX_TSO),
		},
	};

	(void)snprintf(dev, sizeof(dev), "%s%s%s", port->dev, port->args[0] != '\0' ? "," : "",
		port->args);
	for (uint8_t i = 0; i < port->addrs.nb; i++) {
		conf.addrs[i].addr = port->addrs.list[i].addr;
		conf.addrs[i].prefix_len = port->addrs.list[i].prefix_len;
	}
	return leat_dpdk_port_open(&conf, out, error);
}

static void
ports_close(struct leatd *d)
{
	while (d->nb_ports > 0)
		leat_dpdk_port_close(d->ports[--d->nb_ports]);
}

static int
ports_open(struct leatd *d, struct leat_error *error)
{
	for (uint32_t i = 0; i < d->conf->nb_ports; i++) {
		size_t used = leatd_heap_used();
		int ret = port_open(d, &d->conf->ports[i], &d->ports[i], error);

		if (ret < 0) {
			ports_close(d);
			return ret;
		}
		d->port_len[i] = leatd_heap_used() - used;
		d->nb_ports++;
	}
	return 0;
}

/* Connections that may have an annex: those of zap-rpc alone ever ask. */
static uint32_t
annexes_count(const struct leatd_conf *conf)
{
	for (uint32_t i = 0; i < conf->nb_listens; i++) {
		if (strcmp(conf->listens[i].protocol, "zap-rpc") == 0)
			return (uint32_t)LEAT_MIN(conf->nb_pipelines_max, conf->nb_conns_max);
	}
	return 0;
}

void
leatd_worker_conf(const struct leatd *d, uint32_t idx, struct leat_worker_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->worker_idx = (uint16_t)idx;
	conf->lcore_id = (uint16_t)idx; /* see leat_eal_start() */
	conf->socket_id = (int)rte_lcore_to_socket_id(idx);
	conf->idle = d->conf->idle == LEATD_IDLE_POLL ? LEAT_WORKER_IDLE_POLL
						      : LEAT_WORKER_IDLE_ADAPTIVE;
	conf->nb_conns_max = (uint32_t)d->conf->nb_conns_max;
	conf->request_max = d->conf->request_max;
	conf->bulk_max = LEAT_MIN(d->conf->bulk_max, d->conf->request_max);
	conf->query_max = LEAT_MIN(d->conf->query_max, d->conf->request_max);
	conf->carry_len = d->conf->carry_mb << 20;
	conf->nb_keys_max = (uint32_t)d->conf->nb_keys_max;
	conf->store_len = d->conf->store_mb << 20;
	conf->nb_channels_max = (uint32_t)d->conf->nb_channels_max;
	conf->nb_subscriptions_max = (uint32_t)d->conf->nb_subscriptions_max;
	conf->nb_annexes = annexes_count(d->conf);
	conf->now_us = leat_worker_clock_us();
	conf->server = &d->server;
}

static void
workers_close(struct leatd *d)
{
	while (d->nb_workers > 0)
		leat_worker_close(d->workers[--d->nb_workers].worker);
}

static int
workers_open(struct leatd *d, struct leat_error *error)
{
	for (uint32_t i = 0; i < d->conf->nb_workers; i++) {
		size_t used = leatd_heap_used();
		struct leat_worker_conf conf;
		int ret;

		leatd_worker_conf(d, i, &conf);
		ret = random_fill(conf.seed, sizeof(conf.seed), error);
		if (ret == 0)
			ret = leat_worker_open(&conf, &d->workers[i].worker, error);
		explicit_bzero(conf.seed, sizeof(conf.seed));
		if (ret < 0) {
			workers_close(d);
			return ret;
		}
		atomic_init(&d->workers[i].is_done, false);
		d->workers[i].worker_len = leatd_heap_used() - used;
		d->nb_workers++;
	}
	return 0;
}

/* What [tcp] says, for a port. */
static void
tcp_conf(
	const struct leatd_conf *conf, const struct leat_dpdk_port *port, struct leat_tcp_conf *tcp)
{
	leat_dpdk_tcp_conf(port, tcp);
	tcp->congestion = (uint8_t)conf->tcp.congestion;
	tcp->rcv_wnd_max = (uint32_t)conf->tcp.rcv_wnd;
	tcp->wscale = 0;
	while (tcp->rcv_wnd_max >> tcp->wscale > UINT16_MAX)
		tcp->wscale++;
	tcp->snd_len_max = (uint32_t)conf->tcp.snd_len;
	tcp->rto_min_us = (uint32_t)conf->tcp.rto_min_ms * LEAT_US_PER_MS;
	tcp->ack_delay_us = (uint32_t)conf->tcp.ack_delay_ms * LEAT_US_PER_MS;
	tcp->nb_retries_max = (uint8_t)conf->tcp.nb_retries;
	tcp->nb_syn_retries_max = (uint8_t)conf->tcp.nb_syn_retries;
	tcp->nb_synack_retries_max = (uint8_t)conf->tcp.nb_synack_retries;
	tcp->time_wait_us = (uint32_t)conf->tcp.time_wait_s * LEAT_US_PER_S;
	tcp->fin_wait_2_us = (uint32_t)conf->tcp.fin_timeout_s * LEAT_US_PER_S;
}

/* Open queue pair idx of a port for worker idx, and give it to the worker. */
static int
transport_open(struct leatd *d, uint32_t idx, uint32_t port_idx, struct leat_error *error)
{
	struct leatd_worker *w = &d->workers[idx];
	struct leat_tcp_conf tcp;
	struct leat_dpdk_conf dpdk_conf = {
		.port = d->ports[port_idx],
		.queue_id = (uint16_t)idx,
		.nb_record_segs = (uint32_t)d->conf->nb_record_segs,
		.tcp = &tcp,
		.cookies = (enum leat_inet_cookies)d->conf->tcp.cookies,
	};
	struct leat_transport_conf conf = {
		.lcore_id = (uint16_t)idx,
		.socket_id = (int)rte_lcore_to_socket_id(idx),
		.nb_conns_max = (uint32_t)d->conf->nb_conns_max,
		.now_us = leat_worker_clock_us(),
		.driver_conf = &dpdk_conf,
	};
	size_t used = leatd_heap_used();
	struct leat_transport *xp = NULL;
	int ret;

	tcp_conf(d->conf, d->ports[port_idx], &tcp);
	ret = random_fill(conf.seed, sizeof(conf.seed), error);
	if (ret == 0)
		ret = leat_transport_dpdk_ops.open(&conf, &xp, error);
	explicit_bzero(conf.seed, sizeof(conf.seed));
	if (ret < 0)
		return ret;
	ret = leat_worker_add_transport(w->worker, xp, error);
	if (ret < 0) {
		leat_transport_dpdk_ops.close(xp);
		return ret;
	}
	w->transports[port_idx] = xp;
	w->stack_len[port_idx] = leatd_heap_used() - used;
	return 0;
}

/* With their listeners. Devices may still read the workers' memory: ports close before these. */
static void
transports_close(struct leatd *d)
{
	for (uint32_t i = 0; i < d->nb_workers; i++)
		leat_worker_close_transports(d->workers[i].worker);
}

static int
transports_open(struct leatd *d, struct leat_error *error)
{
	LEAT_VERIFY(leat_transport_check(&leat_transport_dpdk_ops) == 0);
	for (uint32_t i = 0; i < d->nb_workers; i++)
		for (uint32_t p = 0; p < d->nb_ports; p++) {
			int ret = transport_open(d, i, p, error);

			if (ret < 0) {
				transports_close(d);
				return ret;
			}
		}
	return 0;
}

static struct leat_endpoint
listen_endpoint(const struct leatd_listen_conf *listen)
{
	struct leat_endpoint local = { .port = (uint16_t)listen->port };

	if (leat_ip_addr_is_ipv4(listen->addr)) {
		local.type = LEAT_ENDPOINT_IPV4;
		local.ipv4 = leat_ip_addr_ipv4(listen->addr);
	} else {
		local.type = LEAT_ENDPOINT_IPV6;
		memcpy(local.ipv6, listen->addr.bytes, sizeof(local.ipv6));
	}
	return local;
}

static const struct leat_protocol *
listen_protocol(const struct leatd_listen_conf *listen)
{
	if (listen->zap_headers == LEATD_ZAP_JSON)
		return &leat_protocol_zap_json;
	return leat_protocol_find(listen->protocol);
}

static void
listen_options(const struct leatd *d, const struct leatd_listen_conf *listen,
	struct leat_session_options *options)
{
	*options = (struct leat_session_options){
		.routes = leatd_routes_table(d->routes, (uint32_t)(listen - d->conf->listens)),
		.timeouts = {
			.idle_us = listen->idle_timeout_s * LEAT_US_PER_S,
			.head_us = listen->head_timeout_s * LEAT_US_PER_S,
			.body_us = listen->body_timeout_s * LEAT_US_PER_S,
			.choice_us = listen->choice_timeout_s * LEAT_US_PER_S,
		},
	};
}

/* On one port, for one worker. */
static int
listen_open_one(struct leatd *d, const struct leatd_listen_conf *listen, uint32_t idx,
	uint32_t port_idx, struct leat_error *error)
{
	const struct leat_protocol *protocol = listen_protocol(listen);
	struct leat_transport *xp = d->workers[idx].transports[port_idx];
	const struct leat_inet_keepalive keepalive = {
		.idle_s = (uint32_t)listen->keep_idle_s,
		.interval_s = listen->keep_interval_s != 0 ? (uint32_t)listen->keep_interval_s
							   : KEEP_INTERVAL_S,
		.nb_probes =
			listen->nb_keep_probes != 0 ? (uint8_t)listen->nb_keep_probes : KEEP_PROBES,
	};
	struct leat_endpoint local = listen_endpoint(listen);
	struct leat_session_options options;
	int ret;

	listen_options(d, listen, &options);
	LEAT_VERIFY(protocol != NULL); /* leatd_conf_check() */
	ret = leat_worker_listen(d->workers[idx].worker, xp, &local, protocol, &options, error);
	if (ret == 0 && keepalive.idle_s > 0)
		ret = leat_dpdk_set_keepalive(xp, &local, &keepalive, error);
	return ret;
}

static int
listen_open(struct leatd *d, const struct leatd_listen_conf *listen, struct leat_error *error)
{
	for (uint32_t i = 0; i < d->nb_workers; i++)
		for (uint32_t p = 0; p < d->nb_ports; p++) {
			int ret;

			if (!leatd_listen_is_for(listen, &d->conf->ports[p]))
				continue;
			ret = listen_open_one(d, listen, i, p, error);
			if (ret < 0)
				return ret;
		}
	return 0;
}

static int
listens_open(struct leatd *d, struct leat_error *error)
{
	for (uint32_t i = 0; i < d->conf->nb_listens; i++) {
		int ret = listen_open(d, &d->conf->listens[i], error);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static void
control_log(bool is_warning, const char *text)
{
	leatd_log(is_warning ? LEATD_LOG_WARNING : LEATD_LOG_INFO, "%s", text);
}

static int
control_open(struct leatd *d, struct leat_error *error)
{
	struct leat_control_conf conf = {
		.nb_workers = d->nb_workers,
		.nb_record_segs = (uint32_t)d->conf->nb_record_segs,
		.nb_records_max = (uint32_t)d->conf->nb_records_max,
		.log = control_log,
	};

	if (strcmp(d->conf->record_dir, "none") != 0)
		leatd_copy(conf.record_dir, sizeof(conf.record_dir), d->conf->record_dir);
	for (uint32_t i = 0; i < d->nb_workers; i++)
		conf.workers[i] = d->workers[i].worker;
	return leat_control_open(&conf, &d->control, error);
}

static void
control_close(struct leatd *d)
{
	leat_control_close(d->control);
}

/* Listeners go with their transports, and the server's facts are static. */
static void
nothing_close(struct leatd *d)
{
	(void)d; /* as said */
}

static const struct init_step init_steps[] = {
	{ server_open, nothing_close },
	{ eal_open, eal_close },
	{ routes_open, routes_close },
	{ workers_open, workers_close },
	{ ports_open, ports_close },
	{ transports_open, transports_close },
	{ listens_open, nothing_close },
	{ control_open, control_close },
};

/* Open all, or as many as *nb says and fail; a signal ends the start. */
static int
steps_open(struct leatd *d, uint32_t *nb, struct leat_error *error)
{
	struct leatd_watch watch;
	int ret = leatd_watch_begin(&watch, error);

	if (ret < 0)
		return ret;
	while (ret == 0 && *nb < LEAT_DIM(init_steps) && !leatd_watch_is_told(&watch)) {
		ret = init_steps[*nb].open(d, error);
		if (ret == 0)
			(*nb)++;
	}
	leatd_watch_end(&watch);
	if (ret == 0 && leatd_watch_is_told(&watch))
		ret = leat_error_set(error, -EINTR, "told to end while starting");
	return ret;
}

int
leatd_run(const struct leatd_conf *conf, const char *config_path, struct leat_error *error)
{
	struct leatd *d = calloc(1, sizeof(*d));
	uint32_t nb = 0;
	int ret;

	if (d == NULL)
		return leat_error_set(error, -ENOMEM, "out of memory at start");
	d->conf = conf;
	d->server.config_path = config_path != NULL ? config_path : "";
	leatd_signals_block();
	ret = steps_open(d, &nb, error);
	if (ret == 0) {
		leat_dpdk_log_pass(&d->eal.log);
		leatd_report(d);
		ret = leatd_serve(d, error);
	}
	while (nb > 0)
		init_steps[--nb].close(d);
	free(d);
	/* A library that failed without a word still must not end leatd without one. */
	if (ret < 0)
		(void)leat_error_set(error, ret, "cannot go on: %s", strerror(-ret));
	return ret;
}
