/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef TCP_PRIV_H
#define TCP_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "leat_tcp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TCP_NEVER          UINT64_MAX
#define TCP_TS_OPT_LEN     12u /* with two NOPs */
#define TCP_DUP_ACKS_MAX   3u  /* duplicate ACKs that tell of a loss, RFC 5681 section 3.2 */
#define TCP_CHALLENGES_MAX 10u /* per second and connection, RFC 5961 section 7 */

/* Why output might have a segment: bits of tcb->owed. */
enum tcp_owed {
	TCP_OWED_SYN = 0x01,   /* SYN, or SYN-ACK in SYN-RECEIVED */
	TCP_OWED_ACK = 0x02,   /* an ACK, on text or alone */
	TCP_OWED_SEND = 0x04,  /* text or FIN, as far as the windows allow */
	TCP_OWED_RTX = 0x08,   /* one segment from snd_una on, whatever snd_nxt is */
	TCP_OWED_PROBE = 0x10, /* a probe of the closed window, or a keep-alive */
};

/* What rtx_at_us is for: tcb->timer_kind. Never both at a time. */
enum tcp_timer_kind {
	TCP_TIMER_RTX,     /* RFC 6298; something is in flight */
	TCP_TIMER_PERSIST, /* nothing is, and the peer's window holds text back */
};

/* Sequence numbers are compared modulo 2^32, RFC 9293 section 3.4. */
static inline bool
seq_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline bool
seq_le(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

/* Sequence numbers that a segment takes: its text, and one each for SYN and FIN. */
static inline uint32_t
tcp_seg_seq_len(const struct leat_tcp_seg *seg)
{
	return seg->len + ((seg->flags & LEAT_TCP_SYN) != 0) + ((seg->flags & LEAT_TCP_FIN) != 0);
}

static inline uint32_t
tcp_ms(uint64_t now_us)
{
	return (uint32_t)(now_us / 1000);
}

static inline uint32_t
tcp_s(uint64_t now_us)
{
	return (uint32_t)(now_us / 1000000);
}

/* Our timestamp clock ticks in milliseconds, RFC 7323 section 5.4. */
static inline uint32_t
tcp_ts_now(const struct leat_tcp_conf *conf, uint64_t now_us)
{
	return tcp_ms(now_us) + conf->ts_offset;
}

/* Text of a full segment to the peer, where it carries no SACK blocks. */
static inline uint32_t
tcp_eff_mss(const struct leat_tcb *tcb)
{
	return tcb->snd_mss - (tcb->ts_on ? TCP_TS_OPT_LEN : 0);
}

/* Bytes that we still have promised to take. */
static inline uint32_t
tcp_rcv_wnd(const struct leat_tcb *tcb)
{
	return tcb->rcv_adv - tcb->rcv_nxt;
}

/* The peer has not sent its FIN yet, or we have not come to it. */
static inline bool
tcp_state_receives(const struct leat_tcb *tcb)
{
	return tcb->state == LEAT_TCP_ESTABLISHED || tcb->state == LEAT_TCP_FIN_WAIT_1 ||
	       tcb->state == LEAT_TCP_FIN_WAIT_2;
}

/* Both sides know where the other's numbers start. */
static inline bool
tcp_state_synchronized(const struct leat_tcb *tcb)
{
	return tcb->state >= LEAT_TCP_ESTABLISHED;
}

/* Text and FIN may be sent, for the first time or again. */
static inline bool
tcp_state_sends(const struct leat_tcb *tcb)
{
	return tcb->state == LEAT_TCP_ESTABLISHED || tcb->state == LEAT_TCP_CLOSE_WAIT ||
	       tcb->state == LEAT_TCP_FIN_WAIT_1 || tcb->state == LEAT_TCP_CLOSING ||
	       tcb->state == LEAT_TCP_LAST_ACK;
}

/* tcp_state.c */

/* The only writer of tcb->state; refuses an edge that RFC 9293 figure 5 lacks. */
void tcp_set_state(struct leat_tcb *tcb, enum leat_tcp_state next);
/* Enter CLOSED and tell the user; its text is dropped, what it may still take stays. */
void tcp_end(struct leat_tcb *tcb, int error);
void tcp_enter_established(struct leat_tcb *tcb, uint64_t now_us);
void tcp_enter_time_wait(struct leat_tcb *tcb, uint64_t now_us);

/* tcp_conn.c */

/* What the peer's SYN says: its numbers, window and options. */
void tcp_take_syn(
	struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *syn, uint16_t mss_max);
/* Our SYN was acknowledged by @p seg. */
void tcp_take_syn_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg);

/* tcp_error.c */

/* No segment is larger from now on. */
void tcp_limit_mss(struct leat_tcb *tcb, uint16_t mss);

/* tcp_synsent.c */

enum leat_tcp_verdict tcp_synsent_input(
	struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg);

/* tcp_keep.c: keep-alives */

void tcp_keep_start(struct leat_tcb *tcb, uint64_t now_us);
/* The user sends no more: life_at_us is for the limit of what follows. */
void tcp_keep_stop(struct leat_tcb *tcb);
void tcp_keep_fire(struct leat_tcb *tcb, uint64_t now_us);

/* life_at_us is the keep-alive timer. */
static inline bool
tcp_keep_is_on(const struct leat_tcb *tcb)
{
	return tcb->conf->keep_idle_s != 0 && !tcb->fin_queued &&
	       (tcb->state == LEAT_TCP_ESTABLISHED || tcb->state == LEAT_TCP_CLOSE_WAIT);
}

/* A segment has come from the peer. */
static inline void
tcp_keep_heard(struct leat_tcb *tcb, uint64_t now_us)
{
	if (tcb->conf->keep_idle_s == 0)
		return;
	tcb->heard_at_ms = tcp_ms(now_us);
	tcb->nb_keep_probes = 0;
}

/* tcp_window.c: the receive window */

/* The window to offer as it goes on the wire; the promise is remembered. */
uint16_t tcp_offer_wnd(struct leat_tcb *tcb, bool is_syn);

/* tcp_input.c */

/* An ACK that a forged segment may have caused: limited, RFC 5961 section 7. */
void tcp_owe_challenge(struct leat_tcb *tcb, uint64_t now_us);

/* tcp_ack.c */

/* Take the window unless the segment is older than the one that set it last. */
void tcp_take_snd_wnd(struct leat_tcb *tcb, const struct leat_tcp_seg *seg);
/* Fifth step for an ACK in a synchronized state. */
enum leat_tcp_verdict tcp_take_ack(
	struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg);

/* tcp_rtx.c */

void tcp_rtt_start(struct leat_tcb *tcb, uint64_t now_us, uint32_t seq_end);
/* Take what this ACK of something new tells of the round trip. */
void tcp_rtt_take_ack(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg);
/* What is timed is sent again: Karn's rule. */
void tcp_rtt_stop(struct leat_tcb *tcb);
/* Our SYN was acknowledged; RFC 6298 rule 5.7 where that gave no sample. */
void tcp_rtt_syn_acked(struct leat_tcb *tcb);
/* Something was sent: RFC 6298 rule 5.1. */
void tcp_rtx_start(struct leat_tcb *tcb, uint64_t now_us);
/* Something new was acknowledged: rules 5.2 and 5.3. */
void tcp_rtx_restart(struct leat_tcb *tcb, uint64_t now_us);
void tcp_persist_start(struct leat_tcb *tcb, uint64_t now_us);
/* Next to send is the oldest unacknowledged. */
void tcp_rewind(struct leat_tcb *tcb);

/* tcp_cc.c: NewReno, RFC 5681 and RFC 6582 */

void tcp_cc_init(struct leat_tcb *tcb);
/* @p acked bytes were acknowledged that were in @p flight bytes. True: retransmit one. */
bool tcp_cc_on_ack(struct leat_tcb *tcb, uint32_t acked, uint32_t flight);
/* True: retransmit one. */
bool tcp_cc_on_dup_ack(struct leat_tcb *tcb);
void tcp_cc_on_timeout(struct leat_tcb *tcb);
/* Text is about to be sent and nothing is in flight. */
void tcp_cc_on_restart(struct leat_tcb *tcb, uint64_t now_us);
/* Bytes that may be in flight. */
uint32_t tcp_cc_wnd(const struct leat_tcb *tcb);

/* tcp_text.c: chains of text */

/* Cut @p len bytes off the front. NULL: nothing was left. */
struct rte_mbuf *tcp_text_cut_front(struct rte_mbuf *text, uint32_t len);
/* Keep the first @p len bytes. NULL: that is none. */
struct rte_mbuf *tcp_text_keep(struct rte_mbuf *text, uint32_t len);
/*
 * Copy small @p text behind the last byte of the packet @p head, whose last segment is
 * @p tail, so that a peer cannot make us hold one mbuf for each byte. True: it was
 * copied and freed. False: it is as it was.
 */
bool tcp_text_copy(struct rte_mbuf *head, struct rte_mbuf *tail, struct rte_mbuf *text);
/* Append to the in-order text that the user will take; rcv_nxt moves on. */
void tcp_rx_append(struct leat_tcb *tcb, struct rte_mbuf *text);
/* Queue for sending. Short text may be copied behind what is queued. */
void tcp_tx_append(struct leat_tcb *tcb, struct rte_mbuf *chain);
/* Free @p len bytes that were acknowledged; snd_una has moved past them. */
void tcp_tx_acked(struct leat_tcb *tcb, uint32_t len);
/* snd_nxt has moved on by @p len bytes of text. */
void tcp_tx_advance(struct leat_tcb *tcb, uint32_t len);
void tcp_tx_free(struct leat_tcb *tcb);

/* tcp_reass.c: text out of order */

/* Keep text that came early; takes it. */
void tcp_reass_insert(struct leat_tcb *tcb, uint32_t seq, struct rte_mbuf *text);
/* How many of @p len bytes from rcv_nxt on were not received before. */
uint32_t tcp_reass_new_len(const struct leat_tcb *tcb, uint32_t len);
/* Move what follows rcv_nxt without a hole to the in-order text. */
void tcp_reass_drain(struct leat_tcb *tcb);
void tcp_reass_free(struct leat_tcb *tcb);

/* tcp_options.c */

/* Bytes of the options as emitted. */
size_t tcp_opts_len(const struct leat_tcp_opts *opts);

/* tcp_output.c */

/* <SEQ=SND.NXT><CTL=RST,ACK>, for an abort. */
void tcp_fill_rst(const struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst);
/* Our clock and the peer's, where timestamps are on. */
void tcp_fill_ts(const struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_opts *opts);

#ifdef __cplusplus
}
#endif

#endif /* TCP_PRIV_H */
