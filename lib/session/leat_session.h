/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_SESSION_H
#define LEAT_SESSION_H

/**
 * @file
 * One connection: bytes in, replies out.
 *
 * A session keeps the mbufs that it received until the requests in them are
 * executed, so that arguments are slices of received bytes. Only a request that
 * straddles mbufs is copied: one that the input starts with into the session's carry
 * buffer, which frees the mbufs of a long one as they come, and one behind others, for
 * the turn, into the batch. Replies are written into TX mbufs and sent once per turn.
 *
 * Long bytes that a command lends (struct leat_loan) are not copied: the reply refers to
 * them, and mbufs that show parts of them are made as the transport takes them. So a peer
 * that reads slowly holds a reference, however long its reply is, and hardly an mbuf. Who
 * lent the bytes keeps them until the peer has acknowledged the last of them.
 *
 * The input of a session is one stream: the carry buffer, then the received
 * segments. Decoding looks ahead in it; only execution takes bytes away. A session
 * that was stopped in the middle of a turn (its replies are long, the peer does not
 * read) therefore needs no undo: what was not executed is decoded again.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_mbuf.h>

#include <leat_heap.h>
#include <leat_http.h>
#include <leat_protocol.h>
#include <leat_timer.h>
#include <leat_transport.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_BATCH_MAX           256        /**< requests of one turn */
#define LEAT_BATCH_ARGV_MAX      65536      /**< arguments of one turn, and so of one request */
#define LEAT_BATCH_JOINED_MAX    65536      /**< bytes of one turn's requests that straddle */
#define LEAT_SESSION_REQUEST_MAX (1u << 30) /**< bytes of one request, at most */
#define LEAT_SESSION_TX_MAX      65536 /**< reply bytes of one session and turn before it pauses */
#define LEAT_SESSION_STARVED_US  5000000  /**< wait for room in the carry region, then abort */
#define LEAT_SESSION_LINGER_US   30000000 /**< a peer may send on after our end, then abort */
#define LEAT_SESSION_SEND_LEN    65472    /**< bytes of one send behind which referred ones wait */
#define LEAT_SESSION_SHORT_SEGS  16      /**< mbufs of a reply while they, or references, are few */
#define LEAT_SESSION_PUSH_MAX    1048576 /**< unsent bytes at which a subscriber is too slow */
#define LEAT_SESSION_EXPIRE_MAX  64      /**< sessions whose time is over, in one turn */

struct leat_session;
struct leat_session_ctx;

/** One decoded request of this turn. */
struct leat_batch_entry {
	struct leat_session *session;
	uint32_t len; /**< bytes of the session's input that it takes */
	struct leat_request req;
};

/** The requests of one turn, in the order in which they will be executed. */
struct leat_batch {
	uint32_t nb_entries;
	uint32_t nb_args;    /**< of argv, in use */
	uint32_t joined_len; /**< of joined, in use */
	bool is_full;        /**< a request found no room: nothing more is decoded */
	struct leat_batch_entry entries[LEAT_BATCH_MAX];
	struct leat_slice argv[LEAT_BATCH_ARGV_MAX];
	uint8_t joined[LEAT_BATCH_JOINED_MAX]; /**< requests that lie in several segments */
};

struct leat_session_stats {
	uint64_t nb_carried;       /**< segments copied because a request straddled mbufs */
	uint64_t carried_len;      /**< bytes of these */
	uint64_t nb_carry_full;    /**< the carry region was full: a connection had to wait */
	uint64_t nb_tx_pool_empty; /**< a reply found no mbuf: its connection was aborted */
	uint64_t nb_tx_waits;      /**< mbufs were short: a reply had to wait */
	uint64_t nb_tx_blocked;    /**< the transport took no more for the time being */
	uint64_t nb_carry_starved; /**< aborted after LEAT_SESSION_STARVED_US of that */
	uint64_t nb_lingered;      /**< aborted, sent on for LEAT_SESSION_LINGER_US after our end */
	uint64_t nb_slow_subscribers; /**< aborted, over LEAT_SESSION_PUSH_MAX */
	uint64_t nb_refused;          /**< requests that the codec refused */
	uint64_t nb_table_full;       /**< connections aborted: no session left */
	uint64_t nb_timeouts;         /**< closed since the client took too long */
	uint64_t nb_refs;             /**< loans that replies referred to */
	uint64_t refs_len;            /**< bytes of these */
	uint64_t refs_held_len;       /**< of these, not yet given back: a gauge */
	uint64_t nb_refs_copied; /**< loans, or parts of them, copied for want of a reference */
};

/** How long a client may take; 0: as long as it likes. */
struct leat_session_timeouts {
	/** Silence, between requests or whatever is waited for; not of a subscriber. */
	uint64_t idle_us;
	uint64_t head_us;   /**< from the first byte of a request to the end of its head */
	uint64_t body_us;   /**< silence in the middle of a body */
	uint64_t choice_us; /**< from the start to the first request of an `auto` connection */
};

/** What may be said about a listener. */
struct leat_session_options {
	const struct leat_route_table *routes; /**< of HTTP; NULL: leat_route_builtin */
	struct leat_session_timeouts timeouts;
};

/** What the connections of one listener share; const once it listens. */
struct leat_session_listener {
	const struct leat_protocol *protocol;
	struct leat_protocol_limits limits;
	struct leat_protocol_limits guest_limits; /**< of who has not given the password */
	struct leat_session_timeouts timeouts;
	bool has_timeouts;
};

/** A list of sessions, first come first served. */
STAILQ_HEAD(leat_session_list, leat_session);
/** Likewise, where one may leave out of turn. */
TAILQ_HEAD(leat_session_queue, leat_session);

/**
 * Input of a session: carry[0, carry_len), then the segments from rx_off of the
 * first on.
 */
struct leat_session_input {
	struct rte_mbuf *rx_head; /**< segments, linked by next; NULL if none */
	struct rte_mbuf *rx_tail;
	uint32_t rx_off;    /**< bytes of rx_head that are gone */
	uint32_t carry_len; /**< bytes that left their mbufs */
	uint32_t carry_cap;
	uint8_t *carry;     /**< from the carry region, or NULL */
	uint32_t taken_len; /**< bytes that this turn's executed requests take */
	/**
	 * Where this turn's decoding has got to, between turns the start of the segments.
	 * NULL: behind the last segment.
	 */
	struct rte_mbuf *cursor_seg;
	uint32_t cursor_off;
	uint32_t starved_len; /**< of who waits in starved: bytes of carry that are needed */
	uint64_t starved_us;  /**< likewise: since when */
};

/**
 * Output of a session: a chain of text, then the references, each with a chain of the text that
 * was written behind it.
 */
struct leat_session_output {
	struct rte_mbuf *head;  /**< what leaves next: text, and windows on bytes; NULL if none */
	struct rte_mbuf *chain; /**< the one that is written: the last reference's, or head */
	struct rte_mbuf *tail;  /**< its last mbuf */
	struct rte_mbuf
		*ref_first; /**< of ctx->ref_pool; NULL if none: what follows means nothing */
	struct rte_mbuf *ref_last;
	struct rte_mbuf *head_tail; /**< the last mbuf of head */
	uint32_t window_len;        /**< bytes of windows in head */
	bool has_refs;   /**< there are references, or windows in head: so it is not all text */
	bool is_starved; /**< is_blocked since there is no mbuf for a window: try each turn */
};

/** One connection. Only the owning lcore touches it. */
struct leat_session {
	struct leat_conn *conn; /**< NULL once CLOSED */
	struct leat_transport *transport;
	const struct leat_session_listener *listener;
	const struct leat_protocol *protocol; /**< the listener's, or what its client chose */
	struct leat_session_ctx *ctx;
	struct leat_session_input in;

	struct leat_session_output out; /**< replies not yet sent */

	bool is_undecoded; /**< input was not looked at since it came, or not to its end */
	bool is_ready;     /**< in the list of sessions to decode without a new event */
	bool is_touched;   /**< in the list of sessions to flush */
	bool is_blocked;   /**< the transport refused the last send: wait for WRITABLE */
	bool is_paused;    /**< enough replies for this turn, or no mbufs for more */
	bool has_eof;      /**< the peer sends no more */
	bool has_asked;    /**< a guest's request of this turn, which may change what he may */
	bool is_closing;   /**< answer nothing more; close when all replies are sent */
	bool is_shut;      /**< transport shutdown was called: what comes is thrown away */
	bool is_broken;    /**< a reply could not be written whole: abort */
	bool is_aborted;   /**< transport abort was called: CLOSED follows */

	uint64_t shut_us;        /**< when is_shut was set */
	uint64_t active_us;      /**< when bytes came or went last */
	uint64_t request_us;     /**< when the first bytes of an unfinished request came; 0: none */
	struct leat_timer timer; /**< fires no later than the time of the session is over */

	STAILQ_ENTRY(leat_session) ready_link;
	STAILQ_ENTRY(leat_session) touched_link;
	struct leat_session_queue
		*waits_in; /**< for memory, until its turn comes; NULL: it does not */
	TAILQ_ENTRY(leat_session) wait_link;
	LIST_ENTRY(leat_session) link; /**< of all open, or of the free */

	struct leat_protocol_state state;
	struct leat_client client;
};

/** What all sessions of one worker share. */
struct leat_session_ctx {
	struct leat_command_ctx command;
	struct leat_command_stats command_stats;
	struct leat_session_stats stats;
	struct leat_protocol_limits limits; /**< of a listener without options */
	struct leat_timer_wheel wheel;      /**< of the sessions' timers */
	struct leat_http_date date;
	struct leat_heap *carry_heap;
	struct rte_mempool *ref_pool; /**< of leat_session_ref_pool(); NULL: replies are copied */
	unsigned int nb_refs_kept;    /**< of ref_pool; windows leave so many to references */
	unsigned int nb_refs_low;     /**< of ref_pool; with less it is shared out */
	unsigned int nb_refs_last;    /**< likewise: one to each */
	bool is_ref_short;            /**< less than that is left, in this turn */
	LIST_HEAD(, leat_session) free;
	LIST_HEAD(, leat_session) open; /**< all that are in use */
	uint32_t nb_open;
	uint64_t client_id; /**< of the last session */
	bool is_draining;
	struct leat_session_list ready;
	struct leat_session_list touched;
	struct leat_session_queue starved; /**< they wait for room in the carry region */
	bool is_carry_freed;               /**< since the first of these was tried */
	struct leat_session_queue waiting; /**< they wait for mbufs to reply with */
	struct leat_session *replying;     /**< whose reply @p writer is in */
	struct leat_writer writer;
	bool is_tight;                /**< that reply gets no more than the next two */
	unsigned int nb_segs_left;    /**< mbufs for text */
	unsigned int nb_refs_left;    /**< references */
	struct leat_session *pushing; /**< whose message @p push_writer is in */
	struct leat_writer push_writer;
	struct leat_reply push_reply;
	struct leat_batch batch;
};

/**
 * Make the pool that the references of one worker's sessions come from.
 *
 * @param name
 *   Of the mempool, unique in the process.
 * @param nb
 *   References and windows at one time, at least 1. A reply by reference takes one for each
 *   loan until it is acknowledged, and while it is being sent one for every
 *   LEAT_SESSION_SEND_LEN bytes that the transport has taken. Where few are left replies of
 *   more than one mbuf wait, and where none is left for windows, bytes are copied.
 * @param socket_id
 *   NUMA node of the memory.
 * @param out
 *   Receives the pool; the caller frees it when no mbuf of it is in use: behind the transports
 *   and their devices.
 * @return
 *   0, or -ENOMEM.
 */
int leat_session_ref_pool(const char *name, uint32_t nb, int socket_id, struct rte_mempool **out);

/** Bytes of a pool of @p nb; more where memory comes in small pages. */
size_t leat_session_ref_pool_len(uint32_t nb);

/**
 * Set up what the sessions share.
 *
 * @param sessions
 *   Memory for @p nb_sessions sessions, zeroed; the caller's, until the context is dead.
 * @param carry_heap
 *   The region for carry buffers.
 * @param client_id
 *   Client ids count up from the one after this.
 * @param ctx
 *   Zeroed; command.store, .pubsub, .server and .now_us, and limits.request_max (at most
 *   LEAT_SESSION_REQUEST_MAX), .bulk_max and .query_max are set by the caller, and ref_pool.
 */
void leat_session_ctx_init(struct leat_session_ctx *ctx, struct leat_session *sessions,
	uint32_t nb_sessions, struct leat_heap *carry_heap, uint64_t client_id);

/**
 * Set up what the connections of a listener share.
 *
 * @param options
 *   NULL: none. What it points to must live as long as the listener; itself it is not kept.
 */
void leat_session_listener_init(const struct leat_session_ctx *ctx,
	const struct leat_protocol *protocol, const struct leat_session_options *options,
	struct leat_session_listener *listener);

/**
 * Stage 2, decode: take one event of a transport.
 *
 * Requests in it go into ctx->batch as far as there is room; a session with
 * requests left over comes again in the next turn.
 *
 * @param listener
 *   Of the connection, which points to it as long as it lives; read for an OPEN event only.
 * @param ev
 *   The event; its mbuf is taken.
 */
void leat_session_event(struct leat_session_ctx *ctx, const struct leat_session_listener *listener,
	const struct leat_transport_event *ev);

/**
 * Stage 2, before the events: decode sessions that have input from an earlier turn, those
 * first that have waited longest.
 */
void leat_session_decode_ready(struct leat_session_ctx *ctx);

/** Stage 3: look up the first key of each request of the batch, in bulk. */
void leat_session_look_up(struct leat_session_ctx *ctx);

/** Stage 4: execute the batch in order and write the replies. */
void leat_session_execute(struct leat_session_ctx *ctx);

/**
 * Stage 5: send what was written, once per session; drop input that was executed;
 * end sessions that are over. Empties the batch.
 */
void leat_session_flush(struct leat_session_ctx *ctx);

/**
 * Behind the flush: end sessions whose clients took too long, at most
 * LEAT_SESSION_EXPIRE_MAX. What is answered to them leaves with the next turn.
 */
void leat_session_expire(struct leat_session_ctx *ctx);

/** Whether a session waits for the next turn without a new event. */
static inline bool
leat_session_has_work(const struct leat_session_ctx *ctx)
{
	const struct leat_session *waiting = TAILQ_FIRST(&ctx->waiting);

	return !STAILQ_EMPTY(&ctx->ready) || (ctx->is_carry_freed && !TAILQ_EMPTY(&ctx->starved)) ||
	       (waiting != NULL && !waiting->transport->is_short && !ctx->is_ref_short);
}

/** Close each session in order as soon as what it asked is answered. */
void leat_session_drain_all(struct leat_session_ctx *ctx);

/** Abort every session: RST or its like at once. CLOSED events follow. */
void leat_session_abort_all(struct leat_session_ctx *ctx);

/** Free what every session holds; the transports are closed next. No event may follow. */
void leat_session_close_all(struct leat_session_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_SESSION_H */
