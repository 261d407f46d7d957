/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The flight recorder's eyes: which class a segment is of, and which ends of connections
 * are worth a picture. Pictures are taken when the turn's frames have left, so that what
 * ended the connection, and our answer to it, are on them.
 */

#include <errno.h>

#include "inet_priv.h"

static_assert(LEAT_RECORD_HDR_LEN <= LEAT_INET_MTU_MIN, "an mbuf of ours has room for so much");
static_assert(LEAT_RECORD_HDR_LEN <= INET_HDRS_LEN_MAX, "and so has a copy of headers");

#define TCP_FLAGS_OFF 13u

static const uint8_t state_classes[LEAT_TCP_STATES] = {
	[LEAT_TCP_CLOSED] = LEAT_RECORD_CLOSING, /* by a RST */
	[LEAT_TCP_LISTEN] = LEAT_RECORD_NEW,     /* has no tcb */
	[LEAT_TCP_SYN_SENT] = LEAT_RECORD_NEW,
	[LEAT_TCP_SYN_RECEIVED] = LEAT_RECORD_NEW,
	[LEAT_TCP_ESTABLISHED] = LEAT_RECORD_ESTABLISHED,
	[LEAT_TCP_FIN_WAIT_1] = LEAT_RECORD_CLOSING,
	[LEAT_TCP_FIN_WAIT_2] = LEAT_RECORD_CLOSING,
	[LEAT_TCP_CLOSE_WAIT] = LEAT_RECORD_CLOSING,
	[LEAT_TCP_CLOSING] = LEAT_RECORD_CLOSING,
	[LEAT_TCP_LAST_ACK] = LEAT_RECORD_CLOSING,
	[LEAT_TCP_TIME_WAIT] = LEAT_RECORD_CLOSING,
};

static enum leat_record_class
class_of_tcb(const struct leat_tcb *tcb)
{
	if (LEAT_UNLIKELY(tcb->nb_retries > 0 || tcb->nb_probes > 0) &&
		tcb->state == LEAT_TCP_ESTABLISHED)
		return LEAT_RECORD_TROUBLED;
	return (enum leat_record_class)state_classes[tcb->state];
}

static inline void
record_rx(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, enum leat_record_class class_of)
{
	leat_record_add(&inet->record, class_of, inet->now_us, false, frame->hdr, frame->hdr_len,
		frame->frame_len);
}

void
inet_record_rx(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, enum leat_record_class class_of)
{
	record_rx(inet, frame, class_of);
}

void
inet_record_rx_conn(struct leat_inet *inet, const struct inet_tcp_frame *frame,
	const struct leat_tcb *tcb, uint8_t state_before)
{
	bool is_new = state_before == LEAT_TCP_SYN_SENT || state_before == LEAT_TCP_SYN_RECEIVED;

	record_rx(inet, frame, is_new ? LEAT_RECORD_NEW : class_of_tcb(tcb));
}

static void
record_tx(struct leat_inet *inet, const struct rte_mbuf *frame, enum leat_record_class class_of)
{
	uint32_t hdr_len = (uint32_t)frame->l2_len + frame->l3_len + frame->l4_len;

	leat_record_add(&inet->record, class_of, inet->now_us, true,
		rte_pktmbuf_mtod(frame, const uint8_t *), LEAT_MIN(hdr_len, LEAT_RECORD_HDR_LEN),
		frame->pkt_len);
}

void
inet_record_tx_conn(
	struct leat_inet *inet, const struct rte_mbuf *frame, const struct leat_tcb *tcb)
{
	record_tx(inet, frame, class_of_tcb(tcb));
}

void
inet_record_tx_ctl(struct leat_inet *inet, const struct rte_mbuf *frame)
{
	const uint8_t *tcp;

	if (frame->l4_len == 0) /* not a segment */
		return;
	tcp = rte_pktmbuf_mtod_offset(frame, const uint8_t *, frame->l2_len + frame->l3_len);
	record_tx(inet, frame,
		(tcp[TCP_FLAGS_OFF] & LEAT_TCP_SYN) != 0 ? LEAT_RECORD_NEW : LEAT_RECORD_STRAY);
}

/* One word for an end that is worth a picture; NULL: it is not. */
static const char *
end_reason(const struct leat_inet_conn *conn)
{
	switch (conn->error != 0 ? conn->error : conn->tcb.error) {
	case -ECONNRESET:
		return "reset";
	case -ETIMEDOUT:
		return conn->tcb.nb_probes > 0 ? "stall" : "timeout";
	case -ENOBUFS: /* leat_inet_relieve() */
		return "relieved";
	default: /* in order, by our own will, or the peer refused */
		return NULL;
	}
}

/* The state is CLOSED already. */
static enum leat_record_class
end_class(const struct leat_tcb *tcb)
{
	if (tcb->nb_retries > 0 || tcb->nb_probes > 0)
		return LEAT_RECORD_TROUBLED;
	return tcb->fin_sent ? LEAT_RECORD_CLOSING : LEAT_RECORD_ESTABLISHED;
}

void
inet_record_end(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	const char *reason = end_reason(conn);
	bool was_open = conn->is_known || (conn->tcb.events & LEAT_TCP_EV_OPEN) != 0;

	if (reason == NULL || !was_open || inet->record.nb_segs == 0)
		return;
	if (inet->is_freeze_due || inet->is_frozen) {
		inet->stats.record_skipped++;
		return;
	}
	inet->is_freeze_due = true;
	inet->freeze_cause = (struct leat_record_cause){
		.reason = reason,
		.class_of = end_class(&conn->tcb),
		.at_us = inet->now_us,
		.ends = { conn->key.laddr, conn->key.raddr, conn->key.lport, conn->key.rport },
	};
}

void
inet_record_freeze(struct leat_inet *inet)
{
	LEAT_VERIFY(!inet->is_frozen);
	LEAT_VERIFY(leat_record_copy(&inet->record, &inet->frozen) == 0);

	inet->is_freeze_due = false;
	inet->is_frozen = true;
	inet->stats.record_frozen++;
}

int
leat_inet_record(struct leat_inet *inet, struct leat_record *copy, struct leat_record_cause *cause)
{
	int ret;

	if (inet->record.nb_segs == 0)
		return 0;
	if (cause == NULL) {
		ret = leat_record_copy(&inet->record, copy);
		return ret < 0 ? ret : 1;
	}
	if (inet->is_freeze_due) /* no output came behind it: the stack is at its end */
		inet_record_freeze(inet);
	if (!inet->is_frozen)
		return 0;
	ret = leat_record_copy(&inet->frozen, copy);
	if (ret < 0)
		return ret;
	*cause = inet->freeze_cause;
	inet->is_frozen = false;
	return 1;
}
