/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The flight recorder's eyes: which class a segment is of, and which ends of connections
 * are worth a picture. Pictures are taken when the turn's frames have left, so that what
 * ended the connection, and our answer to it, are on them.
 */

#include <errno.h>

#include "inet_priv.h"

/* What is in a frame of ours of this length is in its first mbuf, headroom and all. */
static_assert(LEAT_RECORD_HDR_LEN <= LEAT_INET_MTU_MIN, "a frame's mbuf has room for the headers");

#define TCP_FLAGS_OFF 13u

static enum leat_record_class
class_of_tcb(const struct leat_tcb *tcb)
{
	switch ((enum leat_tcp_state)tcb->state) {
	case LEAT_TCP_SYN_SENT:
	case LEAT_TCP_SYN_RECEIVED:
		return LEAT_RECORD_NEW;
	case LEAT_TCP_ESTABLISHED:
		return tcb->nb_retries > 0 || tcb->nb_probes > 0 ? LEAT_RECORD_TROUBLED
								 : LEAT_RECORD_ESTABLISHED;
	default: /* CLOSED by a RST, and all states behind a FIN; LISTEN has no tcb */
		return LEAT_RECORD_CLOSING;
	}
}

void
inet_record_rx_prepare(struct inet_tcp_frame *frame, const struct rte_mbuf *mbuf,
	const uint8_t *hdr, uint32_t hdr_len)
{
	size_t room = LEAT_RECORD_HDR_LEN;

	if (hdr == rte_pktmbuf_mtod(mbuf, const uint8_t *)) /* else in scratch of our own */
		room = mbuf->buf_len - mbuf->data_off;
	frame->frame_len = mbuf->pkt_len;
	frame->hdr_len = (uint8_t)LEAT_MIN(hdr_len, LEAT_RECORD_HDR_LEN);
	if (LEAT_LIKELY(room >= LEAT_RECORD_HDR_LEN))
		memcpy(frame->hdr, hdr, LEAT_RECORD_HDR_LEN); /* of one length, so no call */
	else
		memcpy(frame->hdr, hdr, frame->hdr_len);
}

void
inet_record_rx(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, enum leat_record_class class_of)
{
	leat_record_add(&inet->record, class_of, inet->now_us, false, frame->hdr, frame->hdr_len,
		frame->frame_len);
}

void
inet_record_rx_conn(struct leat_inet *inet, const struct inet_tcp_frame *frame,
	const struct leat_tcb *tcb, uint8_t state_before)
{
	bool is_new = state_before == LEAT_TCP_SYN_SENT || state_before == LEAT_TCP_SYN_RECEIVED;

	inet_record_rx(inet, frame, is_new ? LEAT_RECORD_NEW : class_of_tcb(tcb));
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

	if (reason == NULL || !conn->is_known || inet->record.nb_segs == 0)
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
