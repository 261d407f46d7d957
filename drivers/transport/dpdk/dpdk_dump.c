/* SPDX-License-Identifier: BSD-3-Clause */

/* What a person asks, on its way from the stack to waist 1. */

#include <string.h>

#include "dpdk_priv.h"

/* clang-format off */
#define STAT(field) LEAT_STAT_DEF(struct leat_dpdk_stats, field)
static const struct leat_stat_def dpdk_stat_defs[] = {
	STAT(rx_frames),
	STAT(tx_frames),
	STAT(tx_full),
	STAT(tx_refused),
	STAT(tx_stuck),
	STAT(idle_sleeps),
	STAT(idle_waits),
};
LEAT_STAT_CHECK(struct leat_dpdk_stats, dpdk_stat_defs);
/* clang-format on */

static_assert(LEAT_INET_CONN_STATS_MAX <= LEAT_CONN_STATS_MAX, "all of the stack's fit");
static_assert(LEAT_INET_STAT_SETS + 1 <= LEAT_TRANSPORT_STATS_MAX, "and its sets, and ours");

uint32_t
dpdk_stats(const struct leat_transport *xp, struct leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX])
{
	const struct dpdk_queue *queue = dpdk_queue_of(xp);

	leat_inet_stat_sets(queue->inet, sets);
	sets[LEAT_INET_STAT_SETS] = (struct leat_stat_set){
		.name = "dpdk",
		.defs = dpdk_stat_defs,
		.nb_defs = LEAT_DIM(dpdk_stat_defs),
		.base = &queue->stats,
	};
	return LEAT_INET_STAT_SETS + 1;
}

int
dpdk_conn_info(const struct leat_transport *xp, uint32_t place, struct leat_conn_info *info)
{
	struct leat_inet_conn_info inet_info;
	int ret = leat_inet_conn_at(dpdk_queue_of(xp)->inet, place, &inet_info);

	if (ret <= 0)
		return ret;
	dpdk_endpoint_set(&info->local, inet_info.laddr, inet_info.lport);
	dpdk_endpoint_set(&info->peer, inet_info.raddr, inet_info.rport);
	info->state = inet_info.state;
	info->listener = inet_info.listener;
	info->nb_stats = inet_info.nb_stats;
	memcpy(info->stats, inet_info.stats, inet_info.nb_stats * sizeof(info->stats[0]));
	return ret;
}

const char *
dpdk_state_name(uint32_t idx)
{
	return idx < LEAT_TCP_STATES ? leat_tcp_state_name((enum leat_tcp_state)idx) : NULL;
}

int
dpdk_neighbour_info(
	const struct leat_transport *xp, uint32_t place, struct leat_neighbour_info *info)
{
	struct leat_inet_nbr_info nbr;
	int ret = leat_inet_nbr_at(dpdk_queue_of(xp)->inet, place, &nbr);

	if (ret <= 0)
		return ret;
	dpdk_endpoint_set(&info->addr, nbr.addr, 0);
	memcpy(info->mac, nbr.mac, sizeof(info->mac));
	info->state = nbr.state;
	info->nb_queued = nbr.nb_queued;
	info->confirmed_us = nbr.confirmed_us;
	return ret;
}

int
dpdk_record(struct leat_transport *xp, struct leat_record *copy, struct leat_record_cause *cause)
{
	return leat_inet_record(dpdk_queue_of(xp)->inet, copy, cause);
}
