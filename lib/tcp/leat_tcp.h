/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TCP_H
#define LEAT_TCP_H

/**
 * @file
 * TCP, RFC 9293. The engine does no I/O: segments, text and time go in;
 * descriptions of segments to send, text and events come out. One connection's
 * state is one struct leat_tcb, owned by one lcore.
 *
 * Times are microseconds of one monotonic clock.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Connection states, RFC 9293 section 3.3.2, in its order and under its names. */
enum leat_tcp_state {
	LEAT_TCP_CLOSED,
	LEAT_TCP_LISTEN,
	LEAT_TCP_SYN_SENT,
	LEAT_TCP_SYN_RECEIVED,
	LEAT_TCP_ESTABLISHED,
	LEAT_TCP_FIN_WAIT_1,
	LEAT_TCP_FIN_WAIT_2,
	LEAT_TCP_CLOSE_WAIT,
	LEAT_TCP_CLOSING,
	LEAT_TCP_LAST_ACK,
	LEAT_TCP_TIME_WAIT,
	LEAT_TCP_STATES,
};

#define LEAT_TCP_FIN         0x01u
#define LEAT_TCP_SYN         0x02u
#define LEAT_TCP_RST         0x04u
#define LEAT_TCP_PSH         0x08u
#define LEAT_TCP_ACK         0x10u

#define LEAT_TCP_HDR_LEN     20u
#define LEAT_TCP_OPT_LEN_MAX 40u
#define LEAT_TCP_SACK_MAX    4u /**< blocks in one segment */

/** Options of one segment, in host byte order. */
struct leat_tcp_opts {
	uint16_t mss;   /**< 0: absent */
	uint8_t wscale; /**< valid if has_wscale; at most 14 */
	bool has_wscale;
	bool has_ts;
	bool has_sack_ok;
	uint8_t nb_sacks;
	uint32_t ts_val;
	uint32_t ts_ecr;
	struct {
		uint32_t left;
		uint32_t right;
	} sacks[LEAT_TCP_SACK_MAX];
};

/** A received segment, decoded, in host byte order. */
struct leat_tcp_seg {
	uint32_t seq;
	uint32_t ack;
	uint32_t wnd; /**< as on the wire, 16 bits; the engine scales it */
	uint32_t len; /**< bytes of text, without SYN and FIN */
	uint8_t flags;
	struct leat_tcp_opts opts;
};

/** A segment to send, in host byte order. */
struct leat_tcp_out {
	uint32_t seq;
	uint32_t ack;
	uint16_t wnd; /**< as on the wire, already scaled */
	uint8_t flags;
	struct leat_tcp_opts opts;
	/** Text: @p len bytes from @p off on in the chain @p text; NULL if none. Borrowed. */
	struct rte_mbuf *text;
	uint32_t off;
	uint32_t len;
};

/** Settings of all connections of a stack; const while any is open. */
struct leat_tcp_conf {
	uint16_t mss;               /**< largest text we take in one segment, e.g. 1460 */
	uint8_t wscale;             /**< of our receive window, 0 to 14 */
	uint32_t rcv_wnd_max;       /**< bytes, at most 65535 << wscale */
	uint32_t snd_len_max;       /**< bytes queued for sending, sent or not, before -ENOBUFS */
	uint32_t rto_initial_us;    /**< RFC 6298 section 2.1: 1 s */
	uint32_t rto_min_us;        /**< 200 ms */
	uint32_t rto_max_us;        /**< 60 s or more */
	uint8_t nb_retries_max;     /**< retransmissions of one text before the end */
	uint8_t nb_syn_retries_max; /**< retransmissions of SYN or SYN-ACK before the end */
	uint32_t ack_delay_us;      /**< 40 ms; 0: at once */
	uint32_t time_wait_us;      /**< 30 s */
	uint32_t fin_wait_2_us;     /**< limit of FIN-WAIT-2 and of an orphan, 60 s */
};

/** The defaults, for an MSS of @p mss. */
void leat_tcp_conf_init(struct leat_tcp_conf *conf, uint16_t mss);

/*
 * CONTRACT between lib/tcp and lib/inet; the author of lib/tcp completes it with
 * doxygen and the fields of struct leat_tcb.
 *
 * struct leat_tcb                     the connection; no heap memory but mbufs
 *
 * What inet reads after each call: tcb->events, bits that inet clears:
 *   LEAT_TCP_EV_OPEN      reached ESTABLISHED
 *   LEAT_TCP_EV_DATA      leat_tcp_take_text() has something
 *   LEAT_TCP_EV_WRITABLE  a leat_tcp_send() that failed may be tried again
 *   LEAT_TCP_EV_EOF       the peer's FIN was taken, all its text delivered
 *   LEAT_TCP_EV_CLOSED    state is CLOSED (tcb->error: 0, -ECONNRESET, -ETIMEDOUT,
 *                         -ECONNREFUSED, -ECONNABORTED) or TIME-WAIT; the user is done with it
 *
 * void leat_tcp_open_passive(tcb, conf, now_us, iss, const struct leat_tcp_seg *syn, peer_mss_max)
 * void leat_tcp_open_active(tcb, conf, now_us, iss)
 * enum leat_tcp_verdict leat_tcp_input(tcb, now_us, seg, struct rte_mbuf *text)
 *     takes text always (NULL if none); LEAT_TCP_REFUSED: inet answers RST by SEG.ACK
 * struct rte_mbuf *leat_tcp_take_text(tcb)        in-order text received, NULL if none
 * int  leat_tcp_send(tcb, chain)                  0 or -ENOBUFS, -EPIPE
 * void leat_tcp_consumed(tcb, len)
 * void leat_tcp_shutdown(tcb)                     FIN after what is queued
 * bool leat_tcp_abort(tcb, struct leat_tcp_out *rst)   true: send rst; state is CLOSED
 * bool leat_tcp_output(tcb, now_us, struct leat_tcp_out *out)  next segment that may go
 *     now; called until false. The engine counts it as sent when it returns true. When inet
 *     cannot build the frame (pool dry) it does not call it; output is only called when
 *     an mbuf is in hand.
 * uint64_t leat_tcp_deadline(tcb)                 UINT64_MAX: none
 * void leat_tcp_timeout(tcb, now_us)              run whatever is due
 * bool leat_tcp_wants_output(tcb)                 cheap: output might return true
 * void leat_tcp_fini(tcb)                         free all mbufs held
 *
 * A bare ACK is never built inside input(): it is owed (ack_now or a delayed-ACK
 * deadline) and leaves with output() at the end of the turn, on the reply if there is one.
 */

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TCP_H */
