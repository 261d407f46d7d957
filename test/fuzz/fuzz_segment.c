/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Segments of a hostile peer into one TCP connection. The input is a program: segments
 * come in, the user sends, reads, shuts down, closes or aborts, time passes, output is
 * taken. After each step the invariants of the connection hold; every byte that the user
 * gets, and every byte that is sent, is the one that belongs to its sequence number.
 */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <leat_be.h>
#include <leat_tcp.h>

#include "fuzz_support.h"

#define NB_MBUFS     255u
#define NB_REASS_MAX 64u
#define NB_RECORDS   24u /* so few that they may run out */
#define NB_EARLY     1u
#define TSO_LEN_MAX  32768u
#define STEPS_MAX    512u
#define OUTPUTS_MAX  512u /* segments that one call of the user or the peer may cause */
#define TEXT_MAX     3000u
#define START_US     1000000000u
#define ISS          0xfffffe00u /* our numbers wrap soon, as do the peer's below */
#define IRS          0xffffff00u
#define STATE_SENDS                                                                                \
	(1u << LEAT_TCP_ESTABLISHED | 1u << LEAT_TCP_CLOSE_WAIT | 1u << LEAT_TCP_FIN_WAIT_1 |      \
		1u << LEAT_TCP_CLOSING | 1u << LEAT_TCP_LAST_ACK)

enum step {
	STEP_SEGMENT,
	STEP_RAW_OPTIONS,
	STEP_SEND,
	STEP_READ,
	STEP_CONSUME,
	STEP_SHUTDOWN,
	STEP_CLOSE,
	STEP_ABORT,
	STEP_TIME,
	STEP_DEADLINE,
	STEP_OUTPUT,
	STEP_LOWER_MSS,
	STEP_SEGMENT_IN_ORDER,
	STEPS,
};

struct fuzz_conn {
	struct leat_tcb tcb;
	struct leat_tcp_conf conf;
	uint32_t nb_reass_left;
	uint64_t now_us;
	uint32_t tso_len_max;
	uint32_t tx_len;     /* bytes that the user has sent */
	uint32_t rx_begin;   /* the number of the first byte for the user */
	uint32_t rx_len;     /* bytes that he has got */
	uint32_t nb_holding; /* of them, not consumed */
	bool is_waiting;     /* in TIME-WAIT, kept as lib/inet keeps it */
	struct leat_tcp_time_wait time_wait;
};

static struct rte_mempool *pool;
static struct leat_tcp_pool *tcp_pool;

/* The byte of both streams that belongs to a number. */
static uint8_t
stream_byte(uint32_t pos)
{
	return (uint8_t)(pos ^ pos >> 8 ^ 0x5a);
}

/* @p len bytes of the stream from @p pos on, in segments of @p piece; NULL: the pool is dry. */
static struct rte_mbuf *
text_make(uint32_t pos, uint32_t len, uint32_t piece)
{
	struct rte_mbuf *head = NULL;

	while (len > 0) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
		uint32_t n = LEAT_MIN(len, LEAT_MAX(piece, 1u));

		if (mbuf == NULL)
			goto free_head;
		n = LEAT_MIN(n, (uint32_t)rte_pktmbuf_tailroom(mbuf));
		for (uint32_t i = 0; i < n; i++)
			*rte_pktmbuf_append(mbuf, 1) = (char)stream_byte(pos + i);
		pos += n;
		len -= n;
		if (head == NULL) {
			head = mbuf;
		} else if (rte_pktmbuf_chain(head, mbuf) < 0) {
			rte_pktmbuf_free(mbuf);
			goto free_head;
		}
	}
	return head;

free_head:
	rte_pktmbuf_free(head);
	return NULL;
}

static void
check_in_order(uint32_t a, uint32_t b)
{
	LEAT_VERIFY((int32_t)(b - a) >= 0);
}

/* What always holds, RFC 9293 section 3.3.1. */
static void
conn_check(const struct fuzz_conn *conn)
{
	const struct leat_tcb *tcb = &conn->tcb;

	LEAT_VERIFY(tcb->state < LEAT_TCP_STATES);
	check_in_order(tcb->snd_una, tcb->snd_max);
	check_in_order(tcb->rcv_nxt, tcb->rcv_adv);
	LEAT_VERIFY(tcb->rcv_adv - tcb->rcv_nxt <= conn->conf.rcv_wnd_max);
	LEAT_VERIFY(tcb->rcv_unread <= conn->conf.rcv_wnd_max);
	LEAT_VERIFY(tcb->rto_us <= conn->conf.rto_max_us);
	LEAT_VERIFY(conn->nb_reass_left <= NB_REASS_MAX);
	if (tcb->state == LEAT_TCP_CLOSED)
		LEAT_VERIFY(leat_tcp_deadline(tcb) == UINT64_MAX);
}

/* Nothing more can be sent now: whoever waits must have a timer to wait for. */
static void
conn_check_quiet(const struct fuzz_conn *conn)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint64_t at_us = leat_tcp_deadline(tcb);

	LEAT_VERIFY(!leat_tcp_wants_output(tcb));
	if (tcb->state == LEAT_TCP_SYN_SENT || tcb->state == LEAT_TCP_SYN_RECEIVED)
		LEAT_VERIFY(at_us != UINT64_MAX);
	if ((STATE_SENDS >> tcb->state & 1) != 0 &&
		(tcb->snd_len > 0 || tcb->snd_una != tcb->snd_max))
		LEAT_VERIFY(at_us != UINT64_MAX);
}

/* A segment leaves: its place, its text, and its header there and back. */
static void
out_check(const struct fuzz_conn *conn, const struct leat_tcp_out *out)
{
	const struct leat_tcb *tcb = &conn->tcb;
	const struct leat_tcp_ports ports = { .src = 1, .dst = 2 };
	struct leat_tcp_ports seen_ports;
	struct leat_tcp_seg seg;
	uint8_t hdr[LEAT_TCP_HDR_LEN_MAX];
	const struct rte_mbuf *text = out->text;
	uint32_t off = out->off;
	size_t len = leat_tcp_hdr_emit(hdr, ports, out);

	LEAT_VERIFY(len == leat_tcp_hdr_len(out));
	LEAT_VERIFY(leat_tcp_hdr_parse((struct leat_slice){ hdr, len }, &seen_ports, &seg) ==
		    (ssize_t)len);
	LEAT_VERIFY(seg.seq == out->seq);
	LEAT_VERIFY(seg.flags == out->flags);
	LEAT_VERIFY(seg.wnd == out->wnd);
	LEAT_VERIFY(seg.opts.nb_sacks == out->opts.nb_sacks);
	LEAT_VERIFY(seg.opts.has_ts == out->opts.has_ts);
	LEAT_VERIFY(seg.opts.ts_val == out->opts.ts_val);
	check_in_order(tcb->snd_una - 1, out->seq);
	check_in_order(out->seq + out->len, tcb->snd_max);
	LEAT_VERIFY((out->len == 0) == (text == NULL));
	LEAT_VERIFY(out->mss == 0 || (out->len > out->mss && out->len <= conn->tso_len_max));
	for (uint32_t i = 0; i < out->len; i++, off++) {
		while (off == text->data_len) {
			text = text->next;
			off = 0;
		}
		LEAT_VERIFY(*rte_pktmbuf_mtod_offset(text, uint8_t *, off) ==
			    stream_byte(out->seq + i));
	}
}

static void
conn_output(struct fuzz_conn *conn, unsigned int nb)
{
	struct leat_tcp_out out;

	for (unsigned int i = 0; i < nb; i++) {
		if (!leat_tcp_output(&conn->tcb, conn->now_us, conn->tso_len_max, &out)) {
			conn_check_quiet(conn);
			return;
		}
		out_check(conn, &out);
		conn_check(conn);
	}
	LEAT_VERIFY(nb < OUTPUTS_MAX); /* else it never ends */
}

static void
segment_options(struct fuzz_conn *conn, struct fuzz_in *in, struct leat_tcp_seg *seg)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint8_t kinds = fuzz_u8(in);

	if ((kinds & 1) != 0) {
		seg->opts.has_ts = true;
		seg->opts.ts_val = fuzz_near(in, tcb->ts_recent);
		seg->opts.ts_ecr = fuzz_near(in, (uint32_t)(conn->now_us / 1000));
	}
	if ((kinds & 2) != 0) {
		seg->opts.nb_sacks = (uint8_t)(1 + fuzz_u8(in) % LEAT_TCP_SACK_MAX);
		for (uint8_t i = 0; i < seg->opts.nb_sacks; i++) {
			seg->opts.sacks[i].left = fuzz_near(in, tcb->snd_una);
			seg->opts.sacks[i].right =
				fuzz_near(in, (kinds & 4) != 0 ? tcb->snd_max : tcb->snd_una);
		}
	}
	if ((seg->flags & LEAT_TCP_SYN) == 0)
		return;
	seg->opts.mss = (kinds & 8) != 0 ? fuzz_u16(in) : 0;
	seg->opts.has_wscale = (kinds & 16) != 0;
	seg->opts.wscale = seg->opts.has_wscale ? fuzz_u8(in) % (LEAT_TCP_WSCALE_MAX + 1) : 0;
	seg->opts.has_sack_ok = (kinds & 32) != 0;
}

/* To the connection, or to what is kept of it in TIME-WAIT, which is moved there now. */
static void
segment_input(struct fuzz_conn *conn, struct leat_tcp_seg *seg, struct rte_mbuf *text)
{
	struct leat_tcp_out ack;
	enum leat_tcp_verdict verdict;

	if (conn->tcb.state == LEAT_TCP_SYN_SENT)
		conn->rx_begin = seg->seq + 1;
	if (conn->tcb.state == LEAT_TCP_TIME_WAIT && !conn->is_waiting) {
		leat_tcp_time_wait_get(&conn->tcb, &conn->time_wait);
		conn->is_waiting = true;
	}
	if (conn->is_waiting) {
		verdict = leat_tcp_time_wait_input(
			&conn->time_wait, &conn->conf, conn->now_us, seg, &ack);
		LEAT_VERIFY(verdict == LEAT_TCP_DONE || verdict == LEAT_TCP_DROPPED ||
			    verdict == LEAT_TCP_REOPEN);
	}
	if (conn->tcb.state == LEAT_TCP_CLOSED) {
		rte_pktmbuf_free(text);
		return;
	}
	verdict = leat_tcp_input(&conn->tcb, conn->now_us, seg, text);
	LEAT_VERIFY(verdict != LEAT_TCP_NEXT);
	LEAT_VERIFY((verdict == LEAT_TCP_GONE) ==
		    (verdict == LEAT_TCP_GONE && conn->tcb.state == LEAT_TCP_CLOSED));
}

/* Near the numbers that matter, or anywhere. */
static void
segment_step(struct fuzz_conn *conn, struct fuzz_in *in)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint32_t irs = tcb->state == LEAT_TCP_SYN_SENT ? IRS : tcb->rcv_nxt;
	struct leat_tcp_seg seg = { .flags = fuzz_u8(in) };
	uint8_t where = fuzz_u8(in);
	struct rte_mbuf *text = NULL;

	seg.seq = fuzz_near(in, (where & 1) != 0 ? tcb->rcv_adv : irs);
	seg.ack = fuzz_near(in, (where & 2) != 0 ? tcb->snd_una : tcb->snd_max);
	seg.wnd = (where & 4) != 0 ? fuzz_u16(in) : UINT16_MAX;
	if ((where & 8) != 0)
		seg.len = fuzz_u16(in) % TEXT_MAX;
	if ((where & 16) != 0)
		segment_options(conn, in, &seg);
	if (seg.len > 0) {
		text = text_make(seg.seq + ((seg.flags & LEAT_TCP_SYN) != 0), seg.len,
			(where & 32) != 0 ? 1u + fuzz_u8(in) : TEXT_MAX);
		if (text == NULL)
			return;
	}
	segment_input(conn, &seg, text);
}

/* As a peer that obeys: text at the place where it is expected, all of ours acknowledged. */
static void
segment_in_order(struct fuzz_conn *conn, struct fuzz_in *in)
{
	const struct leat_tcb *tcb = &conn->tcb;
	uint8_t len = fuzz_u8(in);
	struct leat_tcp_seg seg = { .seq = tcb->rcv_nxt,
		.ack = tcb->snd_max,
		.wnd = UINT16_MAX,
		.flags = LEAT_TCP_ACK,
		.len = len };
	struct rte_mbuf *text;

	if (tcb->state == LEAT_TCP_SYN_SENT) {
		seg.seq = IRS;
		seg.len = 0;
		seg.flags |= LEAT_TCP_SYN;
		seg.opts.has_sack_ok = (len & 1) != 0;
		seg.opts.has_ts = (len & 2) != 0;
		seg.opts.ts_ecr = (uint32_t)(conn->now_us / 1000);
	} else if (tcb->ts_on) {
		seg.opts.has_ts = true;
		seg.opts.ts_val = tcb->ts_recent + 1;
		seg.opts.ts_ecr = (uint32_t)(conn->now_us / 1000);
	}
	text = text_make(seg.seq, seg.len, TEXT_MAX);
	if (text != NULL || seg.len == 0)
		segment_input(conn, &seg, text);
}

/* Options as a peer may write them. */
static void
raw_options_step(struct fuzz_conn *conn, struct fuzz_in *in)
{
	uint8_t hdr[LEAT_TCP_HDR_LEN_MAX] = { 0 };
	uint32_t nb_words = fuzz_u8(in) % (LEAT_TCP_OPT_LEN_MAX / 4 + 1);
	size_t len = LEAT_TCP_HDR_LEN + 4 * nb_words;
	struct leat_tcp_ports ports;
	struct leat_tcp_seg seg;

	leat_be32_put(hdr + 4, fuzz_near(in, conn->tcb.rcv_nxt));
	leat_be32_put(hdr + 8, fuzz_near(in, conn->tcb.snd_max));
	hdr[12] = (uint8_t)(len / 4 << 4);
	hdr[13] = fuzz_u8(in);
	hdr[14] = 0xff;
	for (size_t i = LEAT_TCP_HDR_LEN; i < len; i++)
		hdr[i] = fuzz_u8(in);
	if (leat_tcp_hdr_parse((struct leat_slice){ hdr, len }, &ports, &seg) > 0)
		segment_input(conn, &seg, NULL);
}

static void
send_step(struct fuzz_conn *conn, struct fuzz_in *in)
{
	uint32_t len = 1 + fuzz_u16(in) % TEXT_MAX;
	struct rte_mbuf *chain = text_make(ISS + 1 + conn->tx_len, len, 1 + fuzz_u16(in) % 2000);
	int ret;

	if (chain == NULL)
		return;
	ret = leat_tcp_send(&conn->tcb, chain);
	if (ret == 0) {
		conn->tx_len += len;
		return;
	}
	LEAT_VERIFY(ret == -ENOBUFS || ret == -EPIPE);
	rte_pktmbuf_free(chain);
}

static void
read_step(struct fuzz_conn *conn)
{
	struct rte_mbuf *text = leat_tcp_take_text(&conn->tcb);
	uint32_t len = 0;

	for (const struct rte_mbuf *mbuf = text; mbuf != NULL; mbuf = mbuf->next) {
		LEAT_VERIFY(mbuf->data_len > 0);
		for (uint16_t i = 0; i < mbuf->data_len; i++, len++)
			LEAT_VERIFY(*rte_pktmbuf_mtod_offset(mbuf, uint8_t *, i) ==
				    stream_byte(conn->rx_begin + conn->rx_len + len));
	}
	if (text != NULL)
		LEAT_VERIFY(text->pkt_len == len);
	rte_pktmbuf_free(text);
	conn->rx_len += len;
	conn->nb_holding += len;
	conn->tcb.events &= (uint8_t)~LEAT_TCP_EV_DATA;
}

static void
time_step(struct fuzz_conn *conn, struct fuzz_in *in, bool to_deadline)
{
	uint64_t at_us = leat_tcp_deadline(&conn->tcb);

	if (!to_deadline)
		conn->now_us += (uint64_t)fuzz_u16(in) << (fuzz_u8(in) % 16);
	else if (at_us != UINT64_MAX && at_us > conn->now_us)
		conn->now_us = at_us;
	if (leat_tcp_deadline(&conn->tcb) > conn->now_us)
		return;
	leat_tcp_timeout(&conn->tcb, conn->now_us);
	conn_check(conn);
	conn_output(conn, OUTPUTS_MAX);
	LEAT_VERIFY(leat_tcp_deadline(&conn->tcb) > conn->now_us);
}

static void
conn_step(struct fuzz_conn *conn, enum step step, struct fuzz_in *in)
{
	struct leat_tcp_out rst;
	uint32_t len;

	switch (step) {
	case STEP_SEGMENT:
		segment_step(conn, in);
		break;
	case STEP_SEGMENT_IN_ORDER:
		segment_in_order(conn, in);
		break;
	case STEP_RAW_OPTIONS:
		raw_options_step(conn, in);
		break;
	case STEP_SEND:
		send_step(conn, in);
		break;
	case STEP_READ:
		read_step(conn);
		break;
	case STEP_CONSUME:
		len = fuzz_u16(in);
		len = LEAT_MIN(len, conn->nb_holding);
		leat_tcp_consumed(&conn->tcb, len);
		conn->nb_holding -= len;
		break;
	case STEP_SHUTDOWN:
		leat_tcp_shutdown(&conn->tcb);
		break;
	case STEP_CLOSE:
		(void)leat_tcp_close(&conn->tcb, conn->now_us, &rst); /* nobody waits for the RST */
		break;
	case STEP_ABORT:
		(void)leat_tcp_abort(&conn->tcb, conn->now_us, &rst); /* as above */
		break;
	case STEP_TIME:
	case STEP_DEADLINE:
		time_step(conn, in, step == STEP_DEADLINE);
		break;
	case STEP_OUTPUT:
		conn_output(conn, 1 + fuzz_u8(in));
		break;
	case STEP_LOWER_MSS:
		leat_tcp_lower_mss(&conn->tcb, fuzz_u16(in));
		break;
	case STEPS:
		break;
	}
}

static void
conn_open(struct fuzz_conn *conn, struct fuzz_in *in)
{
	uint8_t how = fuzz_u8(in);
	uint16_t mss = (how & 1) != 0 ? 1460 : (uint16_t)(LEAT_TCP_MSS_MIN + fuzz_u8(in));
	struct leat_tcp_seg syn = { .seq = IRS, .wnd = UINT16_MAX, .flags = LEAT_TCP_SYN };

	memset(conn, 0, sizeof(*conn));
	leat_tcp_conf_init(&conn->conf, mss);
	conn->now_us = START_US;
	conn->rx_begin = IRS + 1;
	conn->nb_reass_left = NB_REASS_MAX;
	conn->conf.reass_budget = &conn->nb_reass_left;
	conn->conf.wscale = (how & 2) != 0 ? 0 : fuzz_u8(in) % 8;
	conn->conf.rcv_wnd_max = 2u * mss + (uint32_t)fuzz_u16(in) % (UINT16_MAX - 2u * mss);
	conn->conf.snd_len_max = 1u + fuzz_u16(in);
	conn->conf.ack_delay_us = (how & 4) != 0 ? 0 : 40000;
	conn->conf.nb_retries_max = 6;
	conn->conf.pool = (how & 32) != 0 ? NULL : tcp_pool;
	conn->conf.congestion = (how & 64) != 0 ? LEAT_TCP_NEWRENO : LEAT_TCP_CUBIC;
	conn->conf.keep_idle_s = (how & 128) != 0 ? 10 : 0;
	conn->tso_len_max = (conn->conf.snd_len_max & 1) != 0 ? TSO_LEN_MAX : 0;
	if ((how & 8) != 0) {
		leat_tcp_open_active(&conn->tcb, &conn->conf, conn->now_us, ISS);
	} else {
		if ((how & 16) != 0)
			segment_options(conn, in, &syn);
		leat_tcp_open_passive(
			&conn->tcb, &conn->conf, conn->now_us, ISS, &syn, fuzz_u16(in));
	}
	conn_check(conn);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; /* libFuzzer reads its own arguments */
	(void)argv; /* and these with them */
	pool = fuzz_pool_init(NB_MBUFS);
	if (pool == NULL)
		return -1;
	tcp_pool =
		rte_zmalloc(NULL, leat_tcp_pool_mem_len(NB_RECORDS, NB_EARLY), LEAT_CACHE_LINE_LEN);
	if (tcp_pool == NULL)
		return -1;
	(void)leat_tcp_pool_init(tcp_pool, NB_RECORDS, NB_EARLY); /* it is at its start */
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_in in = { data, len };
	struct fuzz_conn conn;

	conn_open(&conn, &in);
	for (unsigned int i = 0; i < STEPS_MAX && fuzz_more(&in); i++) {
		conn_step(&conn, fuzz_u8(&in) % STEPS, &in);
		conn_check(&conn);
	}
	conn_output(&conn, OUTPUTS_MAX);
	leat_tcp_fini(&conn.tcb);
	leat_tcp_fini(&conn.tcb);
	LEAT_VERIFY(conn.nb_reass_left == NB_REASS_MAX);
	LEAT_VERIFY(leat_tcp_pool_stats(tcp_pool)->records_free == NB_RECORDS);
	LEAT_VERIFY(leat_tcp_pool_stats(tcp_pool)->reass_free == NB_EARLY);
	LEAT_VERIFY(rte_mempool_avail_count(pool) == NB_MBUFS);
	return 0;
}
