/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TCP_H
#define LEAT_TCP_H

/**
 * @file
 * TCP, RFC 9293. The engine does no I/O: segments, text and time go in;
 * descriptions of segments to send, text and events come out. One connection's
 * state is one struct leat_tcb, owned by one lcore.
 *
 * The caller's turn: leat_tcp_input() for each segment that arrived, then read
 * tcb->events, take the text, let the user send, and at the end of the turn call
 * leat_tcp_output() until it returns false. No segment is built before that, so
 * an acknowledgment rides on the reply if there is one. leat_tcp_deadline() tells
 * when leat_tcp_timeout() has something to do.
 *
 * Times are microseconds of one monotonic clock.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <leat_common.h>

#include "leat_tcp_pool.h"
#include "leat_tcp_seg.h"

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

#define LEAT_TCP_RX_SEGS_MAX 16384u /**< mbufs of in-order text that nobody took */
#define LEAT_TCP_RECORDS_MAX 2048u  /**< records of sent segments of one connection */
#define LEAT_TCP_RUNS_MAX    128u   /**< holes before kept text of one connection */

/** How the congestion window grows and shrinks. */
enum leat_tcp_congestion {
	LEAT_TCP_CUBIC,   /**< RFC 9438 */
	LEAT_TCP_NEWRENO, /**< RFC 5681 */
	LEAT_TCP_CONGESTIONS,
};

/** Settings of all connections of a stack; const while any is open. */
struct leat_tcp_conf {
	uint16_t mss;               /**< largest text in one segment of the link, e.g. 1460 */
	uint16_t mss_default;       /**< of a peer that names none, LEAT_TCP_MSS_DEFAULT or more */
	uint8_t wscale;             /**< of our receive window, 0 to LEAT_TCP_WSCALE_MAX */
	uint32_t rcv_wnd_max;       /**< bytes, at most 65535 << wscale, at least 2 * mss */
	uint32_t snd_len_max;       /**< bytes queued for sending, sent or not, before -ENOBUFS */
	uint32_t rto_initial_us;    /**< RFC 6298 section 2.1: 1 s */
	uint32_t rto_min_us;        /**< 200 ms */
	uint32_t rto_max_us;        /**< 60 s or more, at most LEAT_TCP_RTO_MAX_US */
	uint8_t nb_retries_max;     /**< retransmissions of one text before the end */
	uint8_t nb_syn_retries_max; /**< retransmissions of a SYN before the end */
	/** likewise of a SYN-ACK: who does not answer one is dearer to us than who is asked for */
	uint8_t nb_synack_retries_max;
	uint32_t ack_delay_us;  /**< 40 ms; 0: at once */
	uint32_t time_wait_us;  /**< 30 s */
	uint32_t fin_wait_2_us; /**< limit of FIN-WAIT-2 and of an orphan, 60 s */
	uint16_t nb_reass_max;  /**< mbufs one connection keeps early, <= LEAT_TCP_RX_SEGS_MAX */
	/**
	 * mbufs that all connections of the stack may yet keep out of order; the engine
	 * takes from it and gives back. NULL: each connection's own limit only.
	 */
	uint32_t *reass_budget;
	/* Keep-alives, RFC 9293 section 3.8.4. */
	uint32_t keep_idle_s;       /**< silence before the first, 0: none; LEAT_TCP_KEEP_MAX_S */
	uint32_t keep_interval_s;   /**< between two of them, 1 to LEAT_TCP_KEEP_MAX_S */
	uint8_t nb_keep_probes_max; /**< without an answer before the end, at least 1 */
	struct leat_tcp_pool *pool; /**< one per stack; NULL: as one that is dry */
	uint8_t congestion;         /**< enum leat_tcp_congestion */
	uint32_t ts_offset; /**< of our timestamps, a secret: they shall not tell how long we run */
};

#define LEAT_TCP_RTO_MAX_US 600000000u
#define LEAT_TCP_KEEP_MAX_S 86400u

/**
 * The defaults, for an MSS of @p mss: a receive window of 256 KiB, 256 KiB to send, 15
 * retries (6 of a SYN), 1024 mbufs out of order, no keep-alives (9 of them at 75 s once their
 * idle time is set), CUBIC, no pool, and the times named in the struct. So many mbufs hold a
 * window of text behind one hole: what is shorter than 256 bytes is copied together.
 */
void leat_tcp_conf_init(struct leat_tcp_conf *conf, uint16_t mss);

/** What happened, in tcb->events, until the caller clears the bit. */
enum leat_tcp_event {
	LEAT_TCP_EV_OPEN = 0x01,     /**< reached ESTABLISHED */
	LEAT_TCP_EV_DATA = 0x02,     /**< leat_tcp_take_text() has something */
	LEAT_TCP_EV_WRITABLE = 0x04, /**< a leat_tcp_send() that failed may be tried again */
	LEAT_TCP_EV_EOF = 0x08,      /**< the peer's FIN was taken, all its text delivered */
	/**
	 * The user is done with it, told once. State is CLOSED, tcb->error 0, -ECONNRESET,
	 * -ETIMEDOUT, -ECONNREFUSED, -ECONNABORTED, or one of leat_tcp_unreachable(); or state
	 * is TIME-WAIT, error 0.
	 */
	LEAT_TCP_EV_CLOSED = 0x10,
};

/** What became of a segment. */
enum leat_tcp_verdict {
	LEAT_TCP_NEXT,    /**< internal: go on to the next step */
	LEAT_TCP_DONE,    /**< taken; tcb->events tells what came of it */
	LEAT_TCP_DROPPED, /**< it told nothing new, but perhaps an ACK; one may be owed */
	LEAT_TCP_REFUSED, /**< leat_tcp_refuse() has the answer; state is CLOSED or as before */
	LEAT_TCP_GONE,    /**< state is CLOSED now, by RST or by the last ACK */
	LEAT_TCP_REOPEN,  /**< a SYN that may replace this TIME-WAIT, RFC 6191: end it, open anew */
};

/**
 * One connection. No heap memory but mbufs; it may be moved in memory between calls.
 * Written by the engine only, but for events. The names are those of RFC 9293
 * section 3.3.1, RFC 7323, RFC 5681 and RFC 6298 where they have one.
 */
struct leat_tcb {
	/* Every segment, both ways. */
	const struct leat_tcp_conf *conf;
	uint8_t state;  /**< enum leat_tcp_state; written by tcp_set_state() only */
	uint8_t events; /**< LEAT_TCP_EV_ bits; the caller clears what it has seen */
	uint8_t owed;   /**< why output might have a segment; private bits */
	uint8_t snd_wscale;
	uint8_t rcv_wscale;
	bool ts_on : 1;        /**< timestamps on every segment */
	bool sack_on : 1;      /**< SACK permitted both ways */
	bool has_wscale : 1;   /**< windows are scaled both ways */
	bool is_passive : 1;   /**< opened by the peer's SYN */
	bool fin_queued : 1;   /**< the user sends no more */
	bool fin_sent : 1;     /**< our FIN took sequence number snd_max - 1 */
	bool fin_acked : 1;    /**< and the peer has it */
	bool has_rcv_fin : 1;  /**< a FIN waits at rcv_fin for the text before it */
	bool is_orphan : 1;    /**< the user reads no more */
	bool is_blocked : 1;   /**< a send failed: WRITABLE is owed */
	bool is_acked_due : 1; /**< likewise, and not before all is acknowledged */
	bool in_recovery : 1;  /**< fast recovery, until recover is acknowledged */
	bool tlp_on : 1;       /**< a tail loss probe is out, up to tlp_end */
	bool dsack_on : 1;     /**< dsack_end is set */
	bool in_loss : 1;      /**< a time-out, until recover is acknowledged */
	bool undo_on : 1;      /**< wnd_prior and thresh_prior may be put back, RFC 3522 */
	bool syn_retried : 1;  /**< SYN or SYN-ACK timed out */
	bool syn_resent : 1;   /**< and was sent more than once, for whatever reason */
	bool reo_seen : 1;     /**< RFC 8985: the path reorders */
	bool tlp_is_rtx : 1;   /**< it sent text again */
	bool probe_any : 1;    /**< the persist timer fired: send what fits, however little */
	bool closed_told : 1;
	bool tlp_timed : 1;     /**< a round trip was measured since the last probe */
	bool lost_again : 1;    /**< text behind recover was lost before recover was reached */
	uint8_t timer_kind;     /**< what rtx_at_us is for; private */
	uint8_t reo_mult;       /**< RFC 8985: RACK.reo_wnd_mult */
	uint8_t reo_persist;    /**< RFC 8985: RACK.reo_wnd_persist */
	uint8_t nb_keep_probes; /**< since the peer was last heard */
	int16_t error;          /**< 0 or -errno; before CLOSED: of leat_tcp_unreachable() */
	uint16_t nb_recs;       /**< records of segments in flight */
	uint32_t snd_una;       /**< oldest unacknowledged */
	uint32_t snd_max;       /**< SND.NXT: one past the highest ever sent; never goes back */
	uint32_t snd_wnd;       /**< bytes the peer will take from snd_una on */
	uint32_t snd_wl1;       /**< seq of the segment that last set snd_wnd */
	uint32_t snd_wl2;       /**< ack of the segment that last set snd_wnd */
	uint32_t snd_len;       /**< bytes in the send queue, from snd_una on */
	uint16_t snd_mss;       /**< bytes of text and options in one segment to the peer */
	uint16_t rcv_mss; /**< largest text seen in one segment, estimate for the delayed ACK */

	/* Receiving. */
	uint32_t rcv_nxt;       /**< next expected */
	uint32_t rcv_adv;       /**< right edge of the window as ever offered */
	uint32_t rcv_unread;    /**< bytes of text that the user has not consumed */
	uint32_t last_ack_sent; /**< RFC 7323 section 4.3 */
	uint32_t ts_recent;
	uint32_t ts_recent_at_s;  /**< when ts_recent was set, seconds */
	struct rte_mbuf *rx_head; /**< in order, not taken yet: one packet, or NULL */
	struct rte_mbuf *rx_tail; /**< its last segment */

	/* Sending. */
	struct rte_mbuf *tx_head; /**< holds snd_una at tx_head_off; all text to tx_tail */
	struct rte_mbuf *tx_tail;
	struct rte_mbuf *tx_pos; /**< holds snd_max at tx_pos_off; NULL: behind the tail */
	uint16_t tx_head_off;
	uint16_t tx_pos_off;
	uint32_t cwnd;
	uint32_t ssthresh;
	uint32_t cwnd_acked; /**< bytes towards the next step of congestion avoidance */
	uint32_t recover;    /**< RFC 6582; the RecoveryPoint of RFC 6675 */
	uint32_t rec_head;   /**< records of segments in flight, by sequence number; 0: none */
	uint32_t rec_tail;
	uint32_t snd_sacked; /**< bytes in flight that the peer has, by SACK */
	uint32_t snd_lost;   /**< bytes in flight that were lost and not sent again */
	uint8_t nb_dup_acks;
	uint8_t nb_retries;    /**< time-outs since the peer last acknowledged something new */
	uint8_t nb_probes;     /**< of a window that is closed */
	uint8_t nb_challenges; /**< in the second challenge_at_s */

	/* Time. */
	uint32_t srtt_us; /**< 0: no sample yet */
	uint32_t rttvar_us;
	uint32_t rto_us;
	uint32_t rtt_min_us;  /**< 0: no sample yet */
	uint64_t rtx_at_us;   /**< the timer named by timer_kind */
	uint64_t ack_at_us;   /**< delayed ACK */
	uint64_t life_at_us;  /**< TIME-WAIT, FIN-WAIT-2, orphan; before our FIN: keep-alive */
	uint32_t snd_at_ms;   /**< text was last sent */
	uint32_t rto_at_us;   /**< the time-out, low bits; rtx_at_us may be sooner */
	uint32_t heard_at_ms; /**< the peer, where keep-alives are on */

	/* Loss: the names of RFC 8985, RFC 9438 and RFC 6937. */
	uint32_t rack_us;      /**< RACK.xmit_ts, low bits; in the handshake when our SYN left */
	uint32_t rack_end;     /**< RACK.end_seq */
	uint32_t rack_rtt_us;  /**< RACK.rtt */
	uint32_t fack;         /**< RACK.fack: highest number that the peer has, and one */
	uint32_t dsack_end;    /**< RACK.dsack_round, valid if dsack_on */
	uint32_t tlp_end;      /**< TLP.end_seq, valid if tlp_on */
	uint32_t wnd_prior;    /**< cwnd before it was last reduced */
	uint32_t thresh_prior; /**< ssthresh before */
	uint32_t wnd_cubic;    /**< W_max */
	union {
		struct {
			uint32_t epoch_ms;
			uint32_t k_ms;
			uint32_t wnd_est; /**< W_est; 0: the epoch has not begun */
		} cubic;                  /**< outside recovery */
		struct {
			uint32_t delivered;
			uint32_t out;
			uint32_t ratio; /**< ssthresh / RecoverFS, 16 bits behind the point */
		} prr;                  /**< in recovery */
	};
	uint32_t nb_rtx; /**< segments sent again, SYN and FIN included */

	/* Rare: handshake, and text out of order. */
	uint32_t iss;
	uint32_t irs;
	uint32_t snd_wnd_max; /**< largest window the peer ever offered, RFC 5961 section 5.2 */
	uint32_t rcv_fin;     /**< sequence number of the FIN that came early */
	uint32_t reass;       /**< the pool's state of text out of order; 0: none */
	uint32_t challenge_at_s;
};

static_assert(sizeof(struct leat_tcb) <= 288,
	"an idle connection shall fit 512 bytes, the tables of lib/inet included");

/**
 * Passive open: answer a SYN that a listener wants. A SYN-ACK is owed.
 *
 * @param tcb
 *   Written over.
 * @param conf
 *   Borrowed until leat_tcp_fini().
 * @param iss
 *   Initial send sequence number, RFC 6528.
 * @param syn
 *   The SYN. Text on it is not taken; the peer sends it again.
 * @param peer_mss_max
 *   What the path takes, at most; conf->mss is a limit anyway.
 */
void leat_tcp_open_passive(struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us,
	uint32_t iss, const struct leat_tcp_seg *syn, uint16_t peer_mss_max);

/** Active open: a SYN is owed. Parameters as leat_tcp_open_passive(). */
void leat_tcp_open_active(
	struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us, uint32_t iss);

/**
 * @return
 *   Whether the number @p seq was sent and not acknowledged yet: of such a segment only an
 *   ICMP error is believed (RFC 5927 section 4.1).
 */
bool leat_tcp_is_in_flight(const struct leat_tcb *tcb, uint32_t seq);

/**
 * The path takes no more than @p mss bytes of text and options in one segment (RFC 9293
 * section 3.7.1, RFC 1191). What is in flight and does not fit is sent again at once, cut;
 * the congestion window stays. It is never raised again.
 *
 * @param mss
 *   LEAT_TCP_MSS_MIN is used where it is less.
 * @return
 *   Whether it was larger before.
 */
bool leat_tcp_lower_mss(struct leat_tcb *tcb, uint16_t mss);

/**
 * A router could not deliver a segment that is in flight (RFC 9293 section 3.9.2.2). A hard
 * error ends a connection in SYN-SENT; else it is remembered, and if nothing is heard of the
 * peer until the end, that is by this error and not by -ETIMEDOUT (RFC 5927 section 5.2).
 *
 * @param error
 *   Negative, as in LEAT_TCP_EV_CLOSED.
 */
void leat_tcp_unreachable(struct leat_tcb *tcb, int error, bool is_hard);

/**
 * A segment arrives, RFC 9293 sections 3.10.7.3 and 3.10.7.4.
 *
 * @param tcb
 *   In any state but CLOSED and LISTEN.
 * @param seg
 *   Its checksum verified. Trimmed in place to what is new.
 * @param text
 *   The seg->len bytes of text as one packet, the engine's from now on whatever the
 *   verdict; NULL if there is none. Its hash, tx_offload and packet_type are written.
 * @return
 *   What became of it; never LEAT_TCP_NEXT.
 */
enum leat_tcp_verdict leat_tcp_input(
	struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_seg *seg, struct rte_mbuf *text);

/**
 * @return
 *   All in-order text that has arrived, as one packet without empty segments, the
 *   caller's; NULL if none. What is not taken each turn and passes LEAT_TCP_RX_SEGS_MAX
 *   mbufs is refused, as if it had been lost.
 */
struct rte_mbuf *leat_tcp_take_text(struct leat_tcb *tcb);

/**
 * Queue text.
 *
 * @param chain
 *   A packet of at least one byte, no empty segment. The engine's on success, until it
 *   is acknowledged: its bytes must not change.
 * @return
 *   - 0: taken. It leaves with leat_tcp_output(), together with what else is queued.
 *   - -ENOBUFS: would exceed conf->snd_len_max; LEAT_TCP_EV_WRITABLE will follow. An empty
 *     queue takes a chain of any length.
 *   - -EPIPE: closed for sending, by leat_tcp_shutdown() or by the end of the connection.
 */
int leat_tcp_send(struct leat_tcb *tcb, struct rte_mbuf *chain);

/**
 * @return
 *   Whether all text that was queued is acknowledged. If not LEAT_TCP_EV_WRITABLE will follow
 *   when it is, and not before.
 */
bool leat_tcp_is_acked(struct leat_tcb *tcb);

/**
 * The user is done with @p len bytes of text, of those that it took. Opens the window, by
 * at least min(MSS, half the window) at a time; if the peer may be waiting for it, an ACK
 * is owed.
 */
void leat_tcp_consumed(struct leat_tcb *tcb, uint32_t len);

/**
 * @return
 *   Whether text waits for a peer that takes none: its window had no room for
 *   longer than a probe waits, or what was sent timed out twice.
 */
bool leat_tcp_is_stalled(const struct leat_tcb *tcb);

/**
 * CLOSE of RFC 9293 section 3.10.4: a FIN follows what is queued. Text still arrives. In
 * SYN-SENT the connection ends at once. Once called, more calls change nothing.
 */
void leat_tcp_shutdown(struct leat_tcb *tcb);

/**
 * The user neither sends nor reads any more. As leat_tcp_shutdown() where all text that
 * came was consumed; text that comes later resets the connection. Else as
 * leat_tcp_abort(): the peer must learn that its text was lost (RFC 9293 section 3.6).
 *
 * @return
 *   As leat_tcp_abort().
 */
bool leat_tcp_close(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst);

/**
 * ABORT of RFC 9293 section 3.10.5. State is CLOSED afterwards and the error
 * -ECONNABORTED, unless it was CLOSED before.
 *
 * @param rst
 *   Filled if the return value is true.
 * @return
 *   Whether the peer must be told: send @p rst.
 */
bool leat_tcp_abort(struct leat_tcb *tcb, uint64_t now_us, struct leat_tcp_out *rst);

/**
 * The answer to a segment that nobody takes, RFC 9293 section 3.10.7.1.
 *
 * @param tcb
 *   The connection for which leat_tcp_input() returned LEAT_TCP_REFUSED, whose timestamps
 *   the answer carries (RFC 7323 section 3.2); NULL: there is none.
 * @param seg
 *   The segment.
 * @param rst
 *   Filled if the return value is true.
 * @return
 *   Whether @p rst should be sent: a RST is never answered.
 */
bool leat_tcp_refuse(const struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_seg *seg,
	struct leat_tcp_out *rst);

/**
 * The next segment that may go now.
 *
 * @param tso_len_max
 *   Bytes of text that may be returned at once, for the caller to cut into segments; less
 *   than two segments: never more than one.
 * @param out
 *   Filled if the return value is true.
 * @return
 *   - true: send @p out, which the engine counts as sent, and call again.
 *   - false: nothing (more) to send before the next input, call of the user or time-out.
 *   A caller that cannot build a frame does not call; what is owed stays owed.
 */
bool leat_tcp_output(
	struct leat_tcb *tcb, uint64_t now_us, uint32_t tso_len_max, struct leat_tcp_out *out);

/** @return whether leat_tcp_output() should be called: it might have a segment. */
static inline bool
leat_tcp_wants_output(const struct leat_tcb *tcb)
{
	return tcb->owed != 0;
}

/** @return when leat_tcp_timeout() has something to do; UINT64_MAX: never. */
static inline uint64_t
leat_tcp_deadline(const struct leat_tcb *tcb)
{
	uint64_t at_us = LEAT_MIN(tcb->rtx_at_us, tcb->ack_at_us);

	return LEAT_MIN(at_us, tcb->life_at_us);
}

/**
 * Run the timers whose deadline is at or before @p now_us. Afterwards a segment may be
 * owed, or the state be CLOSED.
 */
void leat_tcp_timeout(struct leat_tcb *tcb, uint64_t now_us);

/** Free all mbufs held; in any state, and once more does no harm. The state stays. */
void leat_tcp_fini(struct leat_tcb *tcb);

/** State name as the RFC writes it, such as "FIN-WAIT-1". */
const char *leat_tcp_state_name(enum leat_tcp_state state);

/** What must be remembered of a connection in TIME-WAIT once its tcb is gone. */
struct leat_tcp_time_wait {
	uint32_t snd_nxt;   /**< a connection that replaces it should start above */
	uint32_t rcv_nxt;   /**< next expected, behind the peer's FIN */
	uint32_t ts_recent; /**< valid if ts_on */
	uint16_t wnd;       /**< as on the wire, scaled */
	bool ts_on;
};

/** Take it from a connection in TIME-WAIT; its owner keeps the 2 MSL timer from then on. */
void leat_tcp_time_wait_get(const struct leat_tcb *tcb, struct leat_tcp_time_wait *tw);

/**
 * A segment arrives in TIME-WAIT: RFC 9293 section 3.10.7.4, RFC 1337, RFC 6191.
 *
 * @param ack
 *   Filled. Send it if its flags are not 0, but see LEAT_TCP_REOPEN.
 * @return
 *   - LEAT_TCP_DONE: a FIN again; restart the 2 MSL timer.
 *   - LEAT_TCP_DROPPED: the timer runs on.
 *   - LEAT_TCP_REOPEN: a SYN of a new connection; @p ack is to be sent only where that
 *     cannot be opened now.
 */
enum leat_tcp_verdict leat_tcp_time_wait_input(const struct leat_tcp_time_wait *tw,
	const struct leat_tcp_conf *conf, uint64_t now_us, const struct leat_tcp_seg *seg,
	struct leat_tcp_out *ack);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TCP_H */
