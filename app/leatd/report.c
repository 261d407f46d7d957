/* SPDX-License-Identifier: BSD-3-Clause */

/* What was chosen, for a person and for scripts: one fact group a line, "ready" last. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <leat_record.h>

#include "leatd_priv.h"

#define MEGABYTE (1u << 20)

size_t
leatd_heap_used(void)
{
	size_t used = 0;

	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		struct rte_malloc_socket_stats stats;

		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			used += stats.heap_allocsz_bytes;
	}
	return used;
}

static void
report_eal(const struct leatd *d)
{
	(void)printf("leatd %s, pid %u, configuration %s\n", d->server.version, d->server.pid,
		d->server.config_path[0] != '\0' ? d->server.config_path : "of the command line");
	(void)printf("eal: file prefix %s, %zu MB of %s\n", d->eal.file_prefix, d->eal.memory_mb,
		d->eal.no_huge ? "ordinary memory" : "hugepages");
	for (uint32_t i = 0; i < d->nb_workers; i++)
		(void)printf("worker %u: cpu %u, idle %s\n", i, d->eal.cpus[i],
			d->conf->idle == LEATD_IDLE_POLL ? "poll" : "adaptive");
}

static void
report_port(const struct leatd_port_conf *conf, const struct leat_dpdk_port_info *info)
{
	char addr[LEAT_IP_ADDR_TEXT_MAX];

	(void)printf("port %s: device %s%s%s, driver %s, mac %02x:%02x:%02x:%02x:%02x:%02x, "
		     "mtu %u, link %s\n",
		conf->name, conf->dev, conf->args[0] != '\0' ? "," : "", conf->args, info->driver,
		info->mac[0], info->mac[1], info->mac[2], info->mac[3], info->mac[4], info->mac[5],
		info->mtu, info->link_up ? "up" : "down");
	(void)printf("port %s: addresses", conf->name);
	for (uint8_t i = 0; i < conf->addrs.nb; i++)
		(void)printf(" %s/%u", leat_ip_addr_format(conf->addrs.list[i].addr, addr),
			conf->addrs.list[i].prefix_len);
	if (!leat_ip_addr_is_none(conf->gateway))
		(void)printf(", gateway %s", leat_ip_addr_format(conf->gateway, addr));
	if (!leat_ip_addr_is_none(conf->gateway6))
		(void)printf(", gateway %s", leat_ip_addr_format(conf->gateway6, addr));
	if (conf->vlan_id != 0)
		(void)printf(", vlan %" PRIu64, conf->vlan_id);
	(void)printf("\nport %s: %u queue pair%s of %u rx and %u tx descriptors, offloads %s, "
		     "multicast %s, an idle worker %s\n",
		conf->name, info->nb_queues, info->nb_queues == 1 ? "" : "s", info->nb_rx_desc,
		info->nb_tx_desc, info->offloads_text, info->multicast,
		info->rx_intr     ? "is woken by an interrupt"
		: info->rx_socket ? "is woken by a socket"
				  : "sleeps in short turns");
}

static void
report_memory_line(const char *purpose, const char *of, size_t len)
{
	(void)printf("memory: %-24s %-16s %12zu bytes\n", purpose, of, len);
}

/* What was taken beside the purposes that are told by themselves. */
static void
report_memory_rest(const char *purpose, const char *of, size_t len, size_t told_len)
{
	report_memory_line(purpose, of, len > told_len ? len - told_len : 0);
}

static void
report_memory(const struct leatd *d)
{
	char of[LEATD_NAME_LEN + 16];

	for (uint32_t i = 0; i < d->nb_ports; i++) {
		const struct leat_dpdk_port_info *info = leat_dpdk_port_info(d->ports[i]);

		(void)snprintf(of, sizeof(of), "port %s", info->name);
		report_memory_line("receive buffers", of, info->rx_pool_len);
		report_memory_line("transmit buffers", of, info->tx_pool_len);
		report_memory_rest("rings and driver", of, d->port_len[i],
			info->rx_pool_len + info->tx_pool_len);
	}
	for (uint32_t i = 0; i < d->nb_workers; i++) {
		struct leat_worker_memory memory;
		struct leat_worker_conf conf;

		for (uint32_t p = 0; p < d->nb_ports; p++) {
			size_t conn_len, time_wait_len;

			leat_dpdk_conn_lens(d->workers[i].transports[p], &conn_len, &time_wait_len);
			(void)snprintf(of, sizeof(of), "port %s", d->conf->ports[p].name);
			report_memory_line("flows and connections", of, d->workers[i].stack_len[p]);
			report_memory_line("- an idle connection", of, conn_len);
			report_memory_line("- one in time-wait", of, time_wait_len);
			report_memory_line("- flight recorder", of,
				2 * leat_record_mem_len((uint32_t)d->conf->nb_record_segs));
		}
		(void)snprintf(of, sizeof(of), "worker %u", i);
		leatd_worker_conf(d, i, &conf);
		leat_worker_memory(&conf, &memory);
		report_memory_line("sessions", of, memory.sessions_len);
		report_memory_line(
			"- one session", of, memory.sessions_len / d->conf->nb_conns_max);
		report_memory_line("carry buffers", of, memory.carry_len);
		report_memory_line("references", of, memory.refs_len);
		report_memory_line("store", of, memory.store_len);
		report_memory_line("turn", of, memory.worker_len);
		if (memory.annexes_len > 0)
			report_memory_line("pipelines", of, memory.annexes_len);
		report_memory_rest("keys and channels", of, d->workers[i].worker_len,
			memory.sessions_len + memory.carry_len + memory.refs_len +
				memory.store_len + memory.worker_len + memory.annexes_len);
	}
	(void)printf("memory: %zu of %zu bytes are in use\n", leatd_heap_used(),
		d->eal.memory_mb * MEGABYTE);
}

static void
report_control(const struct leatd *d)
{
	(void)printf("control: telemetry socket %s/dpdk_telemetry.v2\n", d->eal.runtime_dir);
	if (d->conf->nb_record_segs == 0 || strcmp(d->conf->record_dir, "none") == 0)
		(void)printf("control: no flight records\n");
	else
		(void)printf("control: flight records in %s, %" PRIu64 " at most by themselves\n",
			d->conf->record_dir, d->conf->nb_records_max);
}

void
leatd_report(const struct leatd *d)
{
	report_eal(d);
	for (uint32_t i = 0; i < d->nb_ports; i++)
		report_port(&d->conf->ports[i], leat_dpdk_port_info(d->ports[i]));
	report_memory(d);
	for (uint32_t i = 0; i < d->conf->nb_listens; i++) {
		const struct leatd_listen_conf *listen = &d->conf->listens[i];

		(void)printf("listen: %s on %s %s port %" PRIu64 "\n", listen->protocol,
			listen->transport, listen->address, listen->port);
	}
	report_control(d);
	(void)printf("ready\n");
	(void)fflush(stdout);
}
