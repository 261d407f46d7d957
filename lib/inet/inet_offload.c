/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A port, or a hypervisor behind it, may promise work and not do it. Nothing that can be
 * asked of a driver tells: the frame looks the same until it has left the machine. What
 * does tell is a peer who acknowledges the segment, so each promise is tried on one
 * segment of text before it is relied on. It is one that is sent again soon when it was
 * lost, and which a forged SYN cannot bring about.
 */

#include "inet_priv.h"

/* The switch of the offload. */
static bool *
offload_switch(struct leat_inet_offloads *offloads, uint8_t offload)
{
	switch (offload) {
	case INET_OFFLOAD_TX_TCP_CKSUM:
		return &offloads->tx_tcp_cksum;
	case INET_OFFLOAD_TX_IP_CKSUM:
		return &offloads->tx_ip_cksum;
	case INET_OFFLOAD_TX_MULTI_SEG:
		return &offloads->tx_multi_seg;
	default:
		return &offloads->tx_tso;
	}
}

/* A port that cuts segments puts all sums into them, and they lie in several mbufs. */
static bool
offloads_allow_tso(const struct leat_inet_offloads *offloads, enum inet_family family)
{
	return offloads->tx_tcp_cksum && offloads->tx_multi_seg &&
	       (offloads->tx_ip_cksum || family == INET_IPV6);
}

/* What the port promises of the family. */
static struct leat_inet_offloads
offloads_promised(const struct leat_inet *inet, enum inet_family family)
{
	struct leat_inet_offloads offloads = inet->conf.offloads;

	if (family == INET_IPV6) {
		offloads.tx_ip_cksum = false;
		offloads.rx_ip_cksum = false;
		offloads.tx_tso &= !inet->conf.tso_ipv4_only;
	}
	offloads.tx_tso &= offloads_allow_tso(&offloads, family);
	return offloads;
}

/* Go on to the next that the port promises. */
static void
trial_next(struct leat_inet *inet, enum inet_family family)
{
	struct leat_inet_offloads promised = offloads_promised(inet, family);
	struct inet_trial *trial = &inet->trials[family];

	trial->conn = NULL;
	trial->nb_lost = 0;
	do
		trial->offload++;
	while (trial->offload < INET_OFFLOADS && !*offload_switch(&promised, trial->offload));
	if (trial->offload == INET_OFFLOAD_TX_TSO &&
		!offloads_allow_tso(&inet->offloads[family], family))
		trial->offload = INET_OFFLOADS;
}

void
inet_offload_init(struct leat_inet *inet)
{
	for (unsigned int family = 0; family < INET_FAMILIES; family++) {
		struct leat_inet_offloads *offloads = &inet->offloads[family];

		*offloads = offloads_promised(inet, family);
		inet->trials[family].offload = INET_OFFLOADS;
		if (inet->conf.trust_offloads)
			continue;
		for (uint8_t offload = 0; offload < INET_OFFLOADS; offload++)
			*offload_switch(offloads, offload) = false;
		inet->trials[family].offload = UINT8_MAX; /* the next is the first */
		trial_next(inet, family);
	}
}

/* A segment that would show whether the offload is done. */
static bool
trial_suits(uint8_t offload, const struct leat_inet_conn *conn, const struct leat_tcp_out *out)
{
	if (out->is_rtx || out->len == 0 || conn->tcb.state != LEAT_TCP_ESTABLISHED)
		return false;
	switch (offload) {
	case INET_OFFLOAD_TX_MULTI_SEG:
		return out->len > LEAT_INET_TX_COPY_MAX;
	case INET_OFFLOAD_TX_TSO:
		return out->mss != 0;
	default:
		return true;
	}
}

bool
inet_offload_try(struct leat_inet *inet, enum inet_family family, const struct leat_inet_conn *conn,
	const struct leat_tcp_out *out)
{
	struct inet_trial *trial = &inet->trials[family];

	if (trial->conn == conn && out->is_rtx && out->len > 0 &&
		(int32_t)(out->seq - trial->seq_end) < 0 &&
		(int32_t)(out->seq + out->len - trial->seq) > 0)
		trial->was_sent_again = true;
	if (trial->conn != NULL || !trial_suits(trial->offload, conn, out))
		return false;
	inet->stats.tx_trials++;
	trial->conn = conn;
	trial->seq = out->seq;
	trial->seq_end = out->seq + out->len;
	trial->was_sent_again = false;
	*offload_switch(&inet->offloads[family], trial->offload) = true;
	return true;
}

void
inet_offload_tried(struct leat_inet *inet, enum inet_family family)
{
	*offload_switch(&inet->offloads[family], inet->trials[family].offload) = false;
}

void
inet_offload_check(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	static const uint32_t notices[INET_FAMILIES][INET_OFFLOADS] = {
		[INET_IPV4] = {
			[INET_OFFLOAD_TX_TCP_CKSUM] = LEAT_INET_NOTICE_TX_TCP_CKSUM,
			[INET_OFFLOAD_TX_IP_CKSUM] = LEAT_INET_NOTICE_TX_IP_CKSUM,
			[INET_OFFLOAD_TX_MULTI_SEG] = LEAT_INET_NOTICE_TX_MULTI_SEG,
			[INET_OFFLOAD_TX_TSO] = LEAT_INET_NOTICE_TX_TSO,
		},
		[INET_IPV6] = {
			[INET_OFFLOAD_TX_TCP_CKSUM] = LEAT_INET_NOTICE_TX_TCP_CKSUM6,
			[INET_OFFLOAD_TX_MULTI_SEG] = LEAT_INET_NOTICE_TX_MULTI_SEG6,
			[INET_OFFLOAD_TX_TSO] = LEAT_INET_NOTICE_TX_TSO6,
		},
	};
	enum inet_family family = inet_family(conn->key.raddr);
	struct inet_trial *trial = &inet->trials[family];

	if ((int32_t)(conn->tcb.snd_una - trial->seq_end) < 0)
		return;
	if (!trial->was_sent_again) {
		*offload_switch(&inet->offloads[family], trial->offload) = true;
		trial_next(inet, family);
		return;
	}
	inet->stats.tx_trials_lost++;
	trial->conn = NULL;
	if (++trial->nb_lost < LEAT_INET_TRIALS_MAX)
		return;
	inet->notices |= notices[family][trial->offload];
	*offload_switch(&inet->given_up[family], trial->offload) = true;
	trial_next(inet, family);
}

void
inet_offload_forget(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	struct inet_trial *trial = &inet->trials[inet_family(conn->key.raddr)];

	if (trial->conn == conn)
		trial->conn = NULL;
}

void
inet_offload_rx_ip_lie(struct leat_inet *inet)
{
	inet->stats.rx_ipv4_cksum_lies++;
	inet->offloads[INET_IPV4].rx_ip_cksum = false;
	inet->given_up[INET_IPV4].rx_ip_cksum = true;
	inet->notices |= LEAT_INET_NOTICE_RX_IP_CKSUM;
}

void
inet_offload_rx_tcp_lie(struct leat_inet *inet, enum inet_family family)
{
	inet->stats.rx_tcp_cksum_lies++;
	inet->offloads[family].rx_tcp_cksum = false;
	inet->given_up[family].rx_tcp_cksum = true;
	inet->notices |= family == INET_IPV4 ? LEAT_INET_NOTICE_RX_TCP_CKSUM
					     : LEAT_INET_NOTICE_RX_TCP_CKSUM6;
}
