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
offloads_allow_tso(const struct leat_inet_offloads *offloads)
{
	return offloads->tx_tcp_cksum && offloads->tx_ip_cksum && offloads->tx_multi_seg;
}

/* Go on to the next that the port promises. */
static void
trial_next(struct leat_inet *inet)
{
	struct inet_trial *trial = &inet->trial;

	trial->conn = NULL;
	trial->nb_lost = 0;
	do
		trial->offload++;
	while (trial->offload < INET_OFFLOADS &&
		!*offload_switch(&inet->conf.offloads, trial->offload));
	if (trial->offload == INET_OFFLOAD_TX_TSO && !offloads_allow_tso(&inet->offloads))
		trial->offload = INET_OFFLOADS;
}

void
inet_offload_init(struct leat_inet *inet)
{
	inet->offloads = inet->conf.offloads;
	inet->offloads.tx_tso &= offloads_allow_tso(&inet->offloads);
	inet->trial.offload = INET_OFFLOADS;
	if (inet->conf.trust_offloads)
		return;
	for (uint8_t offload = 0; offload < INET_OFFLOADS; offload++)
		*offload_switch(&inet->offloads, offload) = false;
	inet->trial.offload = UINT8_MAX; /* the next is the first */
	trial_next(inet);
}

/* A segment that would show whether the offload is done. */
static bool
trial_suits(const struct leat_inet *inet, const struct leat_inet_conn *conn,
	const struct leat_tcp_out *out)
{
	if (out->is_rtx || out->len == 0 || conn->tcb.state != LEAT_TCP_ESTABLISHED)
		return false;
	switch (inet->trial.offload) {
	case INET_OFFLOAD_TX_IP_CKSUM:
		return leat_ip_addr_is_ipv4(conn->key.raddr);
	case INET_OFFLOAD_TX_MULTI_SEG:
		return out->len > LEAT_INET_TX_COPY_MAX;
	case INET_OFFLOAD_TX_TSO:
		return out->mss != 0;
	default:
		return true;
	}
}

bool
inet_offload_try(
	struct leat_inet *inet, const struct leat_inet_conn *conn, const struct leat_tcp_out *out)
{
	struct inet_trial *trial = &inet->trial;

	if (trial->conn == conn && out->is_rtx && out->len > 0 &&
		(int32_t)(out->seq - trial->seq_end) < 0 &&
		(int32_t)(out->seq + out->len - trial->seq) > 0)
		trial->was_sent_again = true;
	if (trial->conn != NULL || !trial_suits(inet, conn, out))
		return false;
	inet->stats.tx_trials++;
	trial->conn = conn;
	trial->seq = out->seq;
	trial->seq_end = out->seq + out->len;
	trial->was_sent_again = false;
	*offload_switch(&inet->offloads, trial->offload) = true;
	return true;
}

void
inet_offload_tried(struct leat_inet *inet)
{
	*offload_switch(&inet->offloads, inet->trial.offload) = false;
}

void
inet_offload_check(struct leat_inet *inet)
{
	static const uint32_t notices[] = {
		[INET_OFFLOAD_TX_TCP_CKSUM] = LEAT_INET_NOTICE_TX_TCP_CKSUM,
		[INET_OFFLOAD_TX_IP_CKSUM] = LEAT_INET_NOTICE_TX_IP_CKSUM,
		[INET_OFFLOAD_TX_MULTI_SEG] = LEAT_INET_NOTICE_TX_MULTI_SEG,
		[INET_OFFLOAD_TX_TSO] = LEAT_INET_NOTICE_TX_TSO,
	};
	struct inet_trial *trial = &inet->trial;

	if ((int32_t)(trial->conn->tcb.snd_una - trial->seq_end) < 0)
		return;
	if (!trial->was_sent_again) {
		*offload_switch(&inet->offloads, trial->offload) = true;
		trial_next(inet);
		return;
	}
	inet->stats.tx_trials_lost++;
	trial->conn = NULL;
	if (++trial->nb_lost < LEAT_INET_TRIALS_MAX)
		return;
	inet->notices |= notices[trial->offload];
	*offload_switch(&inet->given_up, trial->offload) = true;
	trial_next(inet);
}

void
inet_offload_forget(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	if (inet->trial.conn == conn)
		inet->trial.conn = NULL;
}

void
inet_offload_rx_ip_lie(struct leat_inet *inet)
{
	inet->stats.rx_ipv4_cksum_lies++;
	inet->offloads.rx_ip_cksum = false;
	inet->given_up.rx_ip_cksum = true;
	inet->notices |= LEAT_INET_NOTICE_RX_IP_CKSUM;
}

void
inet_offload_rx_tcp_lie(struct leat_inet *inet)
{
	inet->stats.rx_tcp_cksum_lies++;
	inet->offloads.rx_tcp_cksum = false;
	inet->given_up.rx_tcp_cksum = true;
	inet->notices |= LEAT_INET_NOTICE_RX_TCP_CKSUM;
}
