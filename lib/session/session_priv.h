/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SESSION_PRIV_H
#define SESSION_PRIV_H

#include "leat_session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Take a received chain; its bytes join the end of the input. */
void session_input_append(struct leat_session *s, struct rte_mbuf *chain);

/*
 * The same for bytes that will wait: short ones are copied behind the last, so that a
 * peer who takes no replies cannot make us hold an mbuf for each byte.
 */
void session_input_keep(struct leat_session *s, struct rte_mbuf *chain);

/* Free all that was received and not taken. */
void session_input_clear(struct leat_session *s);

/* Bytes of executed requests leave the input, and the transport hears of them. */
void session_input_take(struct leat_session *s);

/* Wait in a queue of the context for memory that others hold; in one at a time. */
static inline void
session_wait(struct leat_session *s, struct leat_session_queue *queue)
{
	LEAT_ASSERT(s->waits_in == NULL);
	s->waits_in = queue;
	TAILQ_INSERT_TAIL(queue, s, wait_link);
}

/* Wait in that queue no more; in another one it goes on waiting. */
static inline void
session_wait_end(struct leat_session *s, struct leat_session_queue *queue)
{
	if (s->waits_in != queue)
		return;
	s->waits_in = NULL;
	TAILQ_REMOVE(queue, s, wait_link);
}

/*
 * Those who wait for room in the carry region, first come first served: decode again who finds
 * it. When all of them wait for each other nobody would, so the wait has an end.
 */
void session_input_feed(struct leat_session_ctx *ctx);

/* Decode as many requests of @p s into the batch as there are and fit. */
void session_decode(struct leat_session *s);

/* Before any other of the next functions. */
void session_output_init(struct leat_session_ctx *ctx);

/* Make the reply of @p s current; what it writes goes behind what is unsent. */
void session_reply_begin(struct leat_session *s, struct leat_reply *reply, uint32_t flags);
void session_reply_end(struct leat_session *s);
/* Instead of the end: nothing was asked. There was nothing unsent before the reply. */
void session_reply_drop(struct leat_session *s);

/* Write what the protocol says in the middle of a request, HTTP's 100 (Continue). */
void session_interim(struct leat_session *s);

/* The push_begin and push_end of struct leat_command_ctx. */
struct leat_reply *session_push_begin(struct leat_command_ctx *command, struct leat_client *to);
void session_push_end(struct leat_command_ctx *command, struct leat_client *to);

/*
 * Wait for mbufs. They are tried again, a few in each turn while mbufs are short, all when they
 * are not.
 */
void session_output_wait(struct leat_session *s);
void session_output_feed(struct leat_session_ctx *ctx);

/* Send what is unsent. Returns false when the transport takes no more for now. */
bool session_send(struct leat_session *s);

/* Forget all that is unsent. */
void session_output_clear(struct leat_session *s);

static inline bool
session_has_unsent(const struct leat_session *s)
{
	return s->out.head != NULL || s->out.ref_first != NULL;
}

/* Bytes behind the chain that leaves next: of text, or with those referred to. */
uint64_t session_behind_len(const struct leat_session *s, bool with_refs);

static inline uint64_t
session_unsent_len(const struct leat_session *s)
{
	uint32_t len = s->out.head == NULL ? 0 : s->out.head->pkt_len;

	return LEAT_UNLIKELY(s->out.has_refs) ? len + session_behind_len(s, true) : len;
}

/* Bytes that were copied into mbufs. */
static inline uint64_t
session_unsent_text_len(const struct leat_session *s)
{
	uint32_t len = s->out.head == NULL ? 0 : s->out.head->pkt_len;

	if (LEAT_LIKELY(!s->out.has_refs))
		return len;
	return len - s->out.window_len + session_behind_len(s, false);
}

/* session_time.c: what came or went may have moved the time at which the session is over. */
void session_time_set(struct leat_session *s);

/* session_ref.c */

/* Look what is left of the pool. */
void session_refs_look(struct leat_session_ctx *ctx);

/* References that a reply may take which begins while they are short. */
unsigned int session_refs_share(const struct leat_session_ctx *ctx);

/*
 * Append a reference to @p bytes, which are of @p loan, to what is unsent; text that is
 * written next goes behind it. 0, or -ENOBUFS and nothing changed.
 */
int session_ref_add(struct leat_session *s, const struct leat_loan *loan, struct leat_slice bytes);

/*
 * Bring what is referred to into the chain until that has LEAT_SESSION_SEND_LEN bytes. False:
 * there is no mbuf for any of it.
 */
bool session_refs_show(struct leat_session *s);

/* Forget all references and the text behind them. */
void session_refs_clear(struct leat_session *s);

/* Bytes received and not taken, be it an incomplete request. */
static inline bool
session_has_input(const struct leat_session *s)
{
	return s->in.rx_head != NULL || s->in.carry_len > 0;
}

/* Decode it again next turn. */
void session_set_ready(struct leat_session *s);

/* Look at it in the flush stage of this turn. */
void session_touch(struct leat_session *s);

#ifdef __cplusplus
}
#endif

#endif /* SESSION_PRIV_H */
