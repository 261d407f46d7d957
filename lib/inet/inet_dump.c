/* SPDX-License-Identifier: BSD-3-Clause */

/* What a person may ask of a stack: its connections, neighbours and counters. */

#include <errno.h>

#include "inet_priv.h"

/* clang-format off */
#define STAT(field) LEAT_STAT_DEF(struct leat_inet_stats, field)
static const struct leat_stat_def inet_stat_defs[] = {
	STAT(rx_frames),
	STAT(rx_bytes),
	STAT(tx_frames),
	STAT(tx_bytes),
	STAT(rx_eth_malformed),
	STAT(rx_eth_vlan),
	STAT(rx_eth_multicast),
	STAT(rx_eth_not_ours),
	STAT(rx_eth_type),
	STAT(rx_arp_requests),
	STAT(rx_arp_replies),
	STAT(rx_arp_malformed),
	STAT(rx_arp_not_ours),
	STAT(rx_arp_conflict),
	STAT(tx_arp_requests),
	STAT(tx_arp_replies),
	STAT(rx_nd_solicits),
	STAT(rx_nd_adverts),
	STAT(rx_nd_malformed),
	STAT(rx_nd_hop_limit),
	STAT(rx_nd_not_ours),
	STAT(rx_nd_unasked),
	STAT(rx_nd_conflict),
	STAT(rx_nd_router),
	STAT(tx_nd_solicits),
	STAT(tx_nd_adverts),
	STAT(nbr_full),
	STAT(nbr_evicted),
	STAT(nbr_unreachable),
	STAT(nbr_queue_full),
	STAT(nbr_moved),
	STAT(nbr_claims),
	STAT(nbr_claims_denied),
	STAT(rx_ipv4_malformed),
	STAT(rx_ipv4_cksum),
	STAT(rx_ipv4_cksum_lies),
	STAT(rx_ipv4_not_ours),
	STAT(rx_ipv4_src_own),
	STAT(rx_ipv4_src_bad),
	STAT(rx_ipv4_fragment),
	STAT(rx_ipv4_proto),
	STAT(rx_ipv6_malformed),
	STAT(rx_ipv6_option),
	STAT(rx_ipv6_fragment),
	STAT(rx_ipv6_not_ours),
	STAT(rx_ipv6_src_own),
	STAT(rx_ipv6_src_bad),
	STAT(rx_ipv6_proto),
	STAT(tx_no_route),
	STAT(rx_icmp_echo),
	STAT(rx_icmp_malformed),
	STAT(rx_icmp_cksum),
	STAT(rx_icmp_ignored),
	STAT(rx_icmp_errors),
	STAT(rx_icmp_error_stale),
	STAT(rx_icmp_error_limited),
	STAT(rx_icmp_limited),
	STAT(rx_icmp_too_long),
	STAT(rx_tcp_segs),
	STAT(rx_tcp_malformed),
	STAT(rx_tcp_cksum),
	STAT(rx_tcp_cksum_lies),
	STAT(rx_tcp_cksum_partial),
	STAT(rx_tcp_dropped),
	STAT(rx_tcp_no_conn),
	STAT(rx_tcp_listen_ignored),
	STAT(tcp_half_open_evicted),
	STAT(tcp_cookies_sent),
	STAT(tcp_cookies_accepted),
	STAT(tcp_cookies_refused),
	STAT(tcp_conns_full),
	STAT(tcp_opens_passive),
	STAT(tcp_opens_active),
	STAT(tcp_pmtu_lowered),
	STAT(tcp_unreachable),
	STAT(tcp_closed),
	STAT(tcp_relieved),
	STAT(tx_tcp_segs),
	STAT(tx_rst),
	STAT(tx_rst_limited),
	STAT(tx_text_copied),
	STAT(tx_text_attached),
	STAT(time_wait_added),
	STAT(time_wait_evicted),
	STAT(time_wait_rst_ignored),
	STAT(time_wait_reopened),
	STAT(time_wait_ack_limited),
	STAT(tx_tso),
	STAT(tx_cut),
	STAT(tx_trials),
	STAT(tx_trials_lost),
	STAT(record_frozen),
	STAT(record_skipped),
	STAT(tx_no_mbuf),
	STAT(tx_no_mbuf_control),
	STAT(tx_no_mbuf_text),
	STAT(tx_no_mbuf_new),
	STAT(tcp_begin_refused),
	STAT(tcp_begin_starved),
	STAT(rx_text_refused),
	STAT(tx_ctl_full),
};
LEAT_STAT_CHECK(struct leat_inet_stats, inet_stat_defs);

/* Not counters: what is in use now. */
#define NOW(field) LEAT_STAT_DEF(struct leat_inet, field)
static const struct leat_stat_def now_stat_defs[] = {
	NOW(nb_conns),
	NOW(nb_half_open),
	NOW(nb_time_waits),
	NOW(nb_neighbours),
	NOW(nb_reass_left),
};

#define POOL(field) LEAT_STAT_DEF(struct leat_tcp_pool_stats, field)
static const struct leat_stat_def pool_stat_defs[] = {
	POOL(records),
	POOL(records_free),
	POOL(records_low),
	POOL(records_dry),
	POOL(reass),
	POOL(reass_free),
	POOL(reass_low),
	POOL(reass_dry),
};

#define OFFLOAD(field) LEAT_STAT_DEF(struct leat_inet_offloads, field)
static const struct leat_stat_def offload_stat_defs[] = {
	OFFLOAD(tx_tcp_cksum),
	OFFLOAD(tx_ip_cksum),
	OFFLOAD(tx_multi_seg),
	OFFLOAD(tx_tso),
	OFFLOAD(rx_ip_cksum),
	OFFLOAD(rx_tcp_cksum),
};
static_assert(LEAT_DIM(offload_stat_defs) * sizeof(bool) == sizeof(struct leat_inet_offloads),
	"each offload stands in its table of names");
/* clang-format on */

#define SET(name_of_set, table, from)                                                              \
	{                                                                                          \
		.name = (name_of_set), .defs = (table), .nb_defs = LEAT_DIM(table), .base = (from) \
	}

void
leat_inet_stat_sets(const struct leat_inet *inet, struct leat_stat_set sets[LEAT_INET_STAT_SETS])
{
	const struct leat_stat_set all[LEAT_INET_STAT_SETS] = {
		SET("inet", inet_stat_defs, &inet->stats),
		SET("now", now_stat_defs, inet),
		SET("tcp_pool", pool_stat_defs, leat_tcp_pool_stats(inet->conf.tcp.pool)),
		SET("offload_promised", offload_stat_defs, &inet->conf.offloads),
		SET("offload_used", offload_stat_defs, &inet->offloads[INET_IPV4]),
		SET("offload_given_up", offload_stat_defs, &inet->given_up[INET_IPV4]),
		SET("offload_used6", offload_stat_defs, &inet->offloads[INET_IPV6]),
		SET("offload_given_up6", offload_stat_defs, &inet->given_up[INET_IPV6]),
	};

	memcpy(sets, all, sizeof(all));
}

static void
info_start(struct leat_inet_conn_info *info, const struct inet_flow_key *key, const char *state)
{
	*info = (struct leat_inet_conn_info){
		.laddr = key->laddr,
		.raddr = key->raddr,
		.lport = key->lport,
		.rport = key->rport,
		.state = state,
	};
}

static void
info_add(struct leat_inet_conn_info *info, const char *name, uint64_t value)
{
	LEAT_VERIFY(info->nb_stats < LEAT_INET_CONN_STATS_MAX);
	info->stats[info->nb_stats++] = (struct leat_stat){ name, value };
}

/* Text that the peer has acknowledged: without the SYN, and the FIN once it counts. */
static uint64_t
conn_out_len(const struct leat_inet_conn *conn)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint64_t len = (uint64_t)conn->nb_out_wraps << 32 | (tcb->snd_una - tcb->iss);

	return len == 0 ? 0 : len - 1 - tcb->fin_acked;
}

/* Text that came in order, likewise. */
static uint64_t
conn_in_len(const struct leat_inet_conn *conn)
{
	uint64_t len = (uint64_t)conn->nb_in_wraps << 32 | conn->in_len;

	switch ((enum leat_tcp_state)conn->tcb.state) {
	case LEAT_TCP_CLOSE_WAIT:
	case LEAT_TCP_CLOSING:
	case LEAT_TCP_LAST_ACK:
	case LEAT_TCP_TIME_WAIT:
		return len > 0 ? len - 1 : 0; /* without its FIN */
	default:                              /* it has sent none yet */
		return len;
	}
}

static void
info_conn(const struct leat_inet *inet, const struct leat_inet_conn *conn,
	struct leat_inet_conn_info *info)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint32_t now_ms = (uint32_t)(inet->now_us / LEAT_US_PER_MS);

	info_start(info, &conn->key, leat_tcp_state_name((enum leat_tcp_state)tcb->state));
	info->listener = conn->listener;
	info_add(info, "cwnd", tcb->cwnd);
	info_add(info, "ssthresh", tcb->ssthresh);
	info_add(info, "srtt_us", tcb->srtt_us);
	info_add(info, "rttvar_us", tcb->rttvar_us);
	info_add(info, "rto_us", tcb->rto_us);
	info_add(info, "snd_wnd", tcb->snd_wnd);
	info_add(info, "rcv_wnd", tcb->rcv_adv - tcb->rcv_nxt);
	info_add(info, "mss", tcb->snd_mss);
	info_add(info, "unacked", tcb->snd_max - tcb->snd_una);
	info_add(info, "queued", tcb->snd_len);
	info_add(info, "unread", tcb->rcv_unread);
	info_add(info, "bytes_acked", conn_out_len(conn));
	info_add(info, "bytes_received", conn_in_len(conn));
	info_add(info, "retransmissions", tcb->nb_rtx);
	info_add(info, "retries", tcb->nb_retries);
	info_add(info, "age_ms", now_ms - conn->opened_ms);
	info_add(info, "idle_ms", now_ms - conn->heard_ms);
}

int
leat_inet_conn_at(const struct leat_inet *inet, uint32_t place, struct leat_inet_conn_info *info)
{
	const struct inet_time_wait *tw;

	if (place < inet->conf.nb_conns_max) {
		const struct leat_inet_conn *conn = inet_conn_at(inet, place);

		if (!conn->is_used || !conn->in_flow)
			return 0;
		info_conn(inet, conn, info);
		return 1;
	}
	place -= inet->conf.nb_conns_max;
	if (place >= inet->conf.nb_time_waits_max)
		return -ENOENT;
	tw = &inet->tw_mem[place];
	if (tw->expires_us == 0)
		return 0;
	info_start(info, &tw->key, leat_tcp_state_name(LEAT_TCP_TIME_WAIT));
	info_add(info, "left_ms",
		tw->expires_us > inet->now_us ? (tw->expires_us - inet->now_us) / LEAT_US_PER_MS
					      : 0);
	return 1;
}

static const char *
nbr_state_name(enum inet_nbr_state state)
{
	switch (state) {
	case INET_NBR_INCOMPLETE:
		return "INCOMPLETE";
	case INET_NBR_REACHABLE:
		return "REACHABLE";
	case INET_NBR_PROBE:
		return "PROBE";
	case INET_NBR_FREE:
		break;
	}
	return "FREE";
}

int
leat_inet_nbr_at(const struct leat_inet *inet, uint32_t place, struct leat_inet_nbr_info *info)
{
	const struct inet_nbr *nbr;

	if (place >= inet->conf.nb_neighbours_max)
		return -ENOENT;
	nbr = &inet->nbr_mem[place];
	if (nbr->state == INET_NBR_FREE)
		return 0;
	*info = (struct leat_inet_nbr_info){
		.addr = nbr->addr,
		.state = nbr_state_name((enum inet_nbr_state)nbr->state),
		.nb_queued = nbr->nb_queued,
		.confirmed_us =
			inet->now_us > nbr->confirmed_us ? inet->now_us - nbr->confirmed_us : 0,
	};
	memcpy(info->mac, nbr->mac, sizeof(info->mac));
	return 1;
}
