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
#define TCP_CWND_MAX       (1u << 30)
#define TCP_TS_OPT_LEN     12u /* with two NOPs */
#define TCP_DUP_ACKS_MAX   3u  /* duplicate ACKs that tell of a loss, RFC 5681 section 3.2 */
#define TCP_CHALLENGES_MAX 10u /* per second and connection, RFC 5961 section 7 */

/* Why output might have a segment: bits of tcb->owed. */
enum tcp_owed {
	TCP_OWED_SYN = 0x01,   /* SYN, or SYN-ACK in SYN-RECEIVED */
	TCP_OWED_ACK = 0x02,   /* an ACK, on text or alone */
	TCP_OWED_SEND = 0x04,  /* text or FIN, as far as the windows allow */
	TCP_OWED_RTX = 0x08,   /* the oldest text that was lost, whatever cwnd is */
	TCP_OWED_PROBE = 0x10, /* a probe of the closed window, or a keep-alive */
	TCP_OWED_TLP = 0x20,   /* a tail loss probe */
};

/* What rtx_at_us is for: tcb->timer_kind. One at a time. */
enum tcp_timer_kind {
	TCP_TIMER_RTX,     /* RFC 6298; something is in flight */
	TCP_TIMER_TLP,     /* so it is, and a probe of its tail comes first, RFC 8985 section 7 */
	TCP_TIMER_REO,     /* so it is, and may be lost by then, RFC 8985 section 6.3 */
	TCP_TIMER_PERSIST, /* nothing is, and the peer's window holds text back */
};

/*
 * Karn's rule: what an ACK of text that was sent twice answers, only an echoed timestamp
 * tells. An earlier sending gives no round trip all the same: ACKs of it may have been lost.
 */
enum tcp_echo {
	TCP_ECHO_NONE, /* it does not tell */
	TCP_ECHO_EARLIER,
	TCP_ECHO_LATEST,
};

/* What is known of a segment in flight: bits of tcp_rec.flags. */
enum tcp_rec_flag {
	TCP_REC_SACKED = 0x01, /* the peer has it */
	TCP_REC_LOST = 0x02,   /* it has not, and nothing of it is under way */
	TCP_REC_RTX = 0x04,    /* it was sent more than once */
	TCP_REC_MANY = 0x08,   /* more than twice */
	TCP_REC_PART = 0x10,   /* only its first segment was sent again */
};

/*
 * A record of text, or a FIN, in flight: what left in one call of output, or what became of
 * that by a split. Neighbours that the peer has become one. Text that found the pool dry
 * has no record.
 */
struct tcp_rec {
	uint32_t seq;
	uint32_t end;
	uint32_t sent_us;      /* when it last left, low bits of the clock */
	uint32_t next;         /* by sequence number, or in the free list; 0: none */
	struct rte_mbuf *text; /* holds seq at off */
	uint16_t off;
	uint8_t flags;
};

/*
 * Text that came early: runs of packets without a hole between them, each of them one packet,
 * by sequence number. And what is to be told of it.
 */
struct tcp_reass {
	struct rte_mbuf *head;
	struct rte_mbuf *hint; /* the run that last grew, or NULL */
	uint16_t nb_mbufs;
	uint8_t nb_runs;
	uint8_t nb_sacks;
	bool has_dsack;
	union {
		uint32_t next_free;         /* not lent */
		struct leat_tcp_sack dsack; /* RFC 2883: what came twice, told once */
	};
	struct leat_tcp_sack sacks[LEAT_TCP_SACK_MAX]; /* latest first, RFC 2018 section 4 */
};

static_assert(sizeof(struct tcp_rec) == 32, "two to a cache line");
static_assert(sizeof(struct tcp_reass) <= LEAT_CACHE_LINE_LEN, "one cache line");

/*
 * Index 0 of both arrays is never lent. What came back is lent first, so that as many as were
 * never lent were free at the worst time.
 */
struct leat_tcp_pool {
	struct tcp_rec *recs;
	struct tcp_reass *reass;
	uint32_t rec_free; /* those that came back */
	uint32_t reass_free;
	struct leat_tcp_pool_stats stats;
};

/* The index of one of @p nb that was never lent, *low of which are left. 0: the pool is dry. */
static inline uint32_t
tcp_pool_first(uint32_t nb, uint32_t *low, uint64_t *dry)
{
	if (*low == 0) {
		(*dry)++;
		return 0;
	}
	return nb - --*low;
}

/* What one acknowledgment told, gathered while it is taken. */
struct tcp_ack {
	uint64_t now_us;
	const struct leat_tcp_seg *seg;
	uint32_t flight;    /* snd_max - snd_una before it */
	uint32_t acked;     /* numbers that snd_una moved on by */
	uint32_t delivered; /* bytes that the peer is now known to have */
	uint32_t rtt_us;    /* of the oldest text whose sending is known; 0: none */
	bool has_dsack;
	bool is_spurious; /* what was sent again first had arrived, RFC 3522 */
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

/* tcp_rtx.c: round trips and the timer, RFC 6298 */

/* Our SYN left, perhaps once more. */
void tcp_rtt_syn_sent(struct leat_tcb *tcb, uint64_t now_us);
/* Our SYN was acknowledged; RFC 6298 rule 5.7 where that gives no sample. */
void tcp_rtt_syn_acked(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg);
/* It was, and nobody kept when it left but the timestamp that @p seg echoes. */
void tcp_rtt_cookie(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg);
void tcp_rtt_sample(struct leat_tcb *tcb, uint32_t sample_us);
/* Which sending of what last left at @p sent_us @p seg answers. */
enum tcp_echo tcp_echo_of(const struct leat_tcb *tcb, uint64_t now_us,
	const struct leat_tcp_seg *seg, uint32_t sent_us);
/* Something was sent: RFC 6298 rule 5.1. */
void tcp_rtx_start(struct leat_tcb *tcb, uint64_t now_us);
/* Something new was acknowledged: rules 5.2 and 5.3. */
void tcp_rtx_restart(struct leat_tcb *tcb, uint64_t now_us);
void tcp_persist_start(struct leat_tcb *tcb, uint64_t now_us);

/* tcp_rec.c: records of what is in flight */

/* Text or FIN up to @p end left for the first time; snd_max is still where it starts. */
void tcp_rec_sent(
	struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_out *out, uint32_t end);
/* The first segment of @p rec, up to @p end, leaves again. */
void tcp_rec_resent(struct leat_tcb *tcb, uint64_t now_us, struct tcp_rec *rec, uint32_t end);
/* Cut at @p seq, inside of it; the second part follows. False: the pool is dry. */
bool tcp_rec_split(struct leat_tcb *tcb, struct tcp_rec *rec, uint32_t seq);
/* The peer has told that it has @p rec, which is neither SACKED nor in one with others yet. */
void tcp_rec_sacked(struct leat_tcb *tcb, struct tcp_rec *rec);
/* Two neighbours of one fate become one; @p rec is the first. */
void tcp_rec_join(struct leat_tcb *tcb, struct tcp_rec *rec);
void tcp_rec_lost(struct leat_tcb *tcb, struct tcp_rec *rec);
/* The peer has all before @p una, which snd_una and the queue still lag behind. */
void tcp_rec_acked(struct leat_tcb *tcb, struct tcp_ack *ack, uint32_t una);
/* snd_una and the queue have moved on. */
void tcp_rec_trim(struct leat_tcb *tcb);
/* The oldest in flight is lost and goes again at once. */
void tcp_rec_front_lost(struct leat_tcb *tcb);
/* What left as more than @p len bytes is lost. */
void tcp_rec_lose_longer(struct leat_tcb *tcb, uint32_t len);
/* The oldest that is lost; NULL: none, or none that has a record. */
struct tcp_rec *tcp_rec_first_lost(const struct leat_tcb *tcb);
/* Join lost text behind @p rec, which is lost, until they have @p len bytes. */
void tcp_rec_gather(struct leat_tcb *tcb, struct tcp_rec *rec, uint32_t len);
/* Nothing is lost after all. */
void tcp_rec_unlose(struct leat_tcb *tcb);
void tcp_rec_free_all(struct leat_tcb *tcb);

static inline struct tcp_rec *
tcp_rec_at(const struct leat_tcb *tcb, uint32_t idx)
{
	return idx == 0 ? NULL : &tcb->conf->pool->recs[idx];
}

/* The oldest in flight has a record. */
static inline bool
tcp_rec_covers_front(const struct leat_tcb *tcb)
{
	const struct tcp_rec *head = tcp_rec_at(tcb, tcb->rec_head);

	return head != NULL && head->seq == tcb->snd_una;
}

/* Bytes under way, RFC 6675 section 4: neither at the peer nor lost. */
static inline uint32_t
tcp_pipe(const struct leat_tcb *tcb)
{
	return tcb->snd_max - tcb->snd_una - tcb->snd_sacked - tcb->snd_lost;
}

/* tcp_sack.c: RFC 6675 section 3, the scoreboard */

/* Take the blocks of a segment whose acknowledgment was taken. */
void tcp_sack_take(struct leat_tcb *tcb, struct tcp_ack *ack);
/* After a time-out: forget what a peer told that has dropped it again, RFC 2018 section 8. */
void tcp_sack_check_reneging(struct leat_tcb *tcb);

/* tcp_rack.c: RFC 8985 */

/* The peer has @p rec up to @p end: RFC 8985 section 6.2 steps 1 to 3. */
void tcp_rack_take(
	struct leat_tcb *tcb, struct tcp_ack *ack, const struct tcp_rec *rec, uint32_t end);
/* Steps 4 and 5; may start the reordering timer. True: something was found lost. */
bool tcp_rack_detect(struct leat_tcb *tcb, uint64_t now_us);
/* Step 4: an ACK told of text that came twice, or the round after one is over. */
void tcp_rack_take_dsack(struct leat_tcb *tcb, const struct tcp_ack *ack);
/* A recovery has ended, from a time-out or not. */
void tcp_rack_recovered(struct leat_tcb *tcb);
/* Section 6.3: a time-out. */
void tcp_rack_on_timeout(struct leat_tcb *tcb, uint64_t now_us);
/* Section 7.2: microseconds until a probe; UINT64_MAX: none is to be sent. */
uint64_t tcp_tlp_wait_us(const struct leat_tcb *tcb);
/* Section 7.4. True: the probe has repaired a loss. */
bool tcp_tlp_take_ack(struct leat_tcb *tcb, const struct tcp_ack *ack);

/* tcp_recovery.c: what to do about losses */

/* An ACK was taken, with all that it told. */
void tcp_recovery_on_ack(struct leat_tcb *tcb, const struct tcp_ack *ack);
/* An ACK told nothing new and no SACK is spoken: RFC 6582. */
void tcp_recovery_on_dup_ack(struct leat_tcb *tcb);
void tcp_recovery_on_timeout(struct leat_tcb *tcb, uint64_t now_us);
void tcp_recovery_on_reordering_timer(struct leat_tcb *tcb, uint64_t now_us);

/* tcp_cc.c: RFC 5681, RFC 6582, RFC 6937 */

void tcp_cc_init(struct leat_tcb *tcb);
/* Something new was acknowledged outside fast recovery. */
void tcp_cc_grow(struct leat_tcb *tcb, const struct tcp_ack *ack);
/* Text left: @p len bytes. */
void tcp_cc_on_sent(struct leat_tcb *tcb, uint32_t len);
/* Fast recovery begins with @p flight bytes under way, with SACK or as in RFC 6582. */
void tcp_cc_enter_recovery(struct leat_tcb *tcb, uint32_t flight);
/* RFC 6937, on each ACK in recovery. */
void tcp_cc_prr(struct leat_tcb *tcb, const struct tcp_ack *ack, bool is_safe);
/* RFC 6582 section 3.2: a duplicate ACK, or a partial one, in recovery without SACK. */
void tcp_cc_inflate(struct leat_tcb *tcb);
void tcp_cc_deflate(struct leat_tcb *tcb, uint32_t acked);
/* All that was in flight when recovery began has arrived. */
void tcp_cc_exit_recovery(struct leat_tcb *tcb);
void tcp_cc_on_timeout(struct leat_tcb *tcb);
/* The last reduction was a mistake. */
void tcp_cc_undo(struct leat_tcb *tcb);
/* Text is about to be sent and nothing is in flight. */
void tcp_cc_on_restart(struct leat_tcb *tcb, uint64_t now_us);
/* Bytes that may be in flight. */
uint32_t tcp_cc_wnd(const struct leat_tcb *tcb);

/* tcp_cubic.c: RFC 9438 */

/* @p acked bytes were acknowledged in congestion avoidance. */
void tcp_cubic_grow(struct leat_tcb *tcb, uint64_t now_us, uint32_t acked);
/* W_max for a loss at a window of @p wnd bytes, section 4.7. */
void tcp_cubic_on_loss(struct leat_tcb *tcb, uint32_t wnd);

/* tcp_text.c: chains of text */

/* Cut @p len bytes off the front. NULL: nothing was left. */
struct rte_mbuf *tcp_text_cut_front(struct rte_mbuf *text, uint32_t len);
/* Keep the first @p len bytes. NULL: that is none. */
struct rte_mbuf *tcp_text_keep(struct rte_mbuf *text, uint32_t len);
/* Put the bytes of @p from over those of @p text at @p off. False: others share these. */
bool tcp_text_overwrite(struct rte_mbuf *text, uint32_t off, const struct rte_mbuf *from);
/*
 * Copy small @p text behind the last byte of the packet @p head, whose last segment is
 * @p tail, so that a peer cannot make us hold one mbuf for each byte. True: it was
 * copied and freed. False: it is as it was.
 */
bool tcp_text_copy(struct rte_mbuf *head, struct rte_mbuf *tail, struct rte_mbuf *text);
/* Append a packet that ends with @p last to what the user will take; rcv_nxt moves on. */
void tcp_rx_append(struct leat_tcb *tcb, struct rte_mbuf *text, struct rte_mbuf *last);
/* Queue for sending. Short text may be copied behind what is queued. */
void tcp_tx_append(struct leat_tcb *tcb, struct rte_mbuf *chain);
/* Free @p len bytes that were acknowledged; snd_una has moved past them. */
void tcp_tx_acked(struct leat_tcb *tcb, uint32_t len);
/* snd_max has moved on by @p len bytes of text. */
void tcp_tx_advance(struct leat_tcb *tcb, uint32_t len);
void tcp_tx_free(struct leat_tcb *tcb);

/* tcp_reass.c: text out of order */

/* Keep text that came early; takes it. */
void tcp_reass_insert(struct leat_tcb *tcb, uint32_t seq, struct rte_mbuf *text);
/* Make @p text, which starts at rcv_nxt, overlap nothing that is kept. Never NULL. */
struct rte_mbuf *tcp_reass_fit(struct leat_tcb *tcb, struct rte_mbuf *text);
/* Move what follows rcv_nxt without a hole to the in-order text. */
void tcp_reass_drain(struct leat_tcb *tcb);
/* Drop what is kept at @p end and behind: it follows a FIN. */
void tcp_reass_cut(struct leat_tcb *tcb, uint32_t end);
/* [left, right) came once more, RFC 2883; the next ACK tells. */
void tcp_reass_dsack(struct leat_tcb *tcb, uint32_t left, uint32_t right);
/* SACK blocks of the next segment, DSACK first. Returns how many. */
uint8_t tcp_reass_sacks(const struct leat_tcb *tcb, struct leat_tcp_sack *sacks);
/* How many those are. */
uint8_t tcp_reass_nb_sacks(const struct leat_tcb *tcb);
/* A segment has told them. */
void tcp_reass_told(struct leat_tcb *tcb);
void tcp_reass_free(struct leat_tcb *tcb);

static inline struct tcp_reass *
tcp_reass_of(const struct leat_tcb *tcb)
{
	return tcb->reass == 0 ? NULL : &tcb->conf->pool->reass[tcb->reass];
}

/* A hole lies between rcv_nxt and text that is kept. */
static inline bool
tcp_has_hole(const struct leat_tcb *tcb)
{
	const struct tcp_reass *reass = tcp_reass_of(tcb);

	return reass != NULL && reass->head != NULL;
}

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
