/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Replies are written straight into TX mbufs: each window is the tail of one. What a command
 * lends is referred to, see session_ref.c.
 */

#include <errno.h>

#include "session_priv.h"

#define SESSION_FEED_MAX 8u /* who waits for mbufs and is tried again, in one turn */

/* The bytes written since the window opened belong to the last mbuf. */
static void
tx_commit(struct leat_session *s, const struct leat_writer *w)
{
	struct rte_mbuf *tail = s->out.tail;
	uint16_t len;

	if (w->pos == NULL)
		return;
	len = (uint16_t)(w->pos - rte_pktmbuf_mtod_offset(tail, uint8_t *, tail->data_len));
	tail->data_len = (uint16_t)(tail->data_len + len);
	s->out.chain->pkt_len += len;
}

/* Append an empty mbuf to what is unsent. */
static int
tx_grow(struct leat_session *s)
{
	struct leat_session_output *out = &s->out;
	struct rte_mbuf *m = NULL;

	if (s->ctx->is_tight && s->ctx->nb_segs_left-- == 0) {
		s->ctx->nb_segs_left = 0;
		return -ENOBUFS;
	}
	/* One large value must not take the last mbufs from everybody's small ones. */
	if (!s->transport->is_scarce || out->chain == NULL ||
		out->chain->nb_segs < LEAT_SESSION_SHORT_SEGS)
		m = leat_transport_tx_alloc(s->transport);
	if (m == NULL)
		return -ENOBUFS;
	if (out->chain == NULL) {
		out->head = m;
		out->chain = m;
	} else {
		out->tail->next = m;
		out->chain->nb_segs++;
	}
	out->tail = m;
	return 0;
}

/* Open the next window of the reply or message of @p s. */
static int
tx_window(struct leat_session *s, struct leat_writer *w)
{
	uint16_t room;

	tx_commit(s, w);
	w->pos = NULL;
	w->end = NULL;
	if (s->out.chain == NULL || rte_pktmbuf_tailroom(s->out.tail) == 0) {
		if (tx_grow(s) < 0)
			return -ENOBUFS;
	}
	room = rte_pktmbuf_tailroom(s->out.tail);
	w->pos = rte_pktmbuf_mtod_offset(s->out.tail, uint8_t *, s->out.tail->data_len);
	w->end = w->pos + room;
	return 0;
}

static int
reply_more(struct leat_writer *w)
{
	struct leat_session_ctx *ctx = LEAT_CONTAINER_OF(w, struct leat_session_ctx, writer);

	return tx_window(ctx->replying, w);
}

static int
reply_refer(struct leat_writer *w, struct leat_slice bytes)
{
	struct leat_session_ctx *ctx = LEAT_CONTAINER_OF(w, struct leat_session_ctx, writer);
	bool may_refer = !ctx->is_tight || ctx->nb_refs_left > 0;

	tx_commit(ctx->replying, w);
	w->pos = NULL;
	w->end = NULL;
	if (may_refer && session_ref_add(ctx->replying, w->loan, bytes) == 0) {
		ctx->nb_refs_left--;
		return 0;
	}
	/* Copied it is no longer than other replies are meanwhile. */
	ctx->nb_segs_left = LEAT_MIN(ctx->nb_segs_left, LEAT_SESSION_SHORT_SEGS);
	return -ENOBUFS;
}

static int
push_more(struct leat_writer *w)
{
	struct leat_session_ctx *ctx = LEAT_CONTAINER_OF(w, struct leat_session_ctx, push_writer);

	return tx_window(ctx->pushing, w);
}

void
session_output_init(struct leat_session_ctx *ctx)
{
	ctx->writer.more = reply_more;
	ctx->writer.refer = reply_refer;
	ctx->push_writer.more = push_more; /* nobody lends messages */
}

static void
writer_begin(struct leat_writer *w)
{
	/* No window before the first byte: a message to the same session may come between. */
	w->pos = NULL;
	w->end = NULL;
	w->failed = false;
}

static void
writer_end(struct leat_session *s, struct leat_writer *w)
{
	if (w->failed) {
		s->ctx->stats.nb_tx_pool_empty++;
		s->is_broken = true;
	} else {
		tx_commit(s, w);
	}
	session_touch(s);
}

void
session_reply_begin(struct leat_session *s, struct leat_reply *reply, uint32_t flags)
{
	s->ctx->replying = s;
	writer_begin(&s->ctx->writer);
	reply->ops = s->protocol->reply;
	reply->writer = &s->ctx->writer;
	reply->flags = flags;
	reply->wall_ms = s->ctx->command.wall_ms;
	reply->date = &s->ctx->date;
	reply->state[0] = 0;
}

void
session_reply_end(struct leat_session *s)
{
	writer_end(s, &s->ctx->writer);
	s->ctx->replying = NULL;
}

void
session_output_wait(struct leat_session *s)
{
	s->ctx->stats.nb_tx_waits++;
	session_wait(s, &s->ctx->waiting);
}

void
session_output_feed(struct leat_session_ctx *ctx)
{
	unsigned int nb = SESSION_FEED_MAX;
	struct leat_session *s;

	if (LEAT_UNLIKELY(ctx->is_ref_short))
		session_refs_look(ctx);
	while ((s = TAILQ_FIRST(&ctx->waiting)) != NULL && nb > 0) {
		nb -= s->transport->is_short || ctx->is_ref_short;
		session_wait_end(s, &ctx->waiting);
		session_set_ready(s);
	}
}

void
session_output_clear(struct leat_session *s)
{
	session_wait_end(s, &s->ctx->waiting);
	rte_pktmbuf_free(s->out.head);
	session_refs_clear(s);
	s->out = (struct leat_session_output){ 0 };
}

void
session_reply_drop(struct leat_session *s)
{
	session_output_clear(s);
	s->ctx->replying = NULL;
	session_touch(s);
}

void
session_interim(struct leat_session *s)
{
	struct leat_slice bytes = s->protocol->interim(&s->state);
	struct leat_reply reply;

	if (bytes.len == 0)
		return;
	session_reply_begin(s, &reply, 0);
	leat_writer_put_slice(reply.writer, bytes);
	session_reply_end(s);
}

/*
 * The last mbufs are for replies: a message to many must not take them. Who has taken the
 * messages before it is the last to go without.
 */
static bool
push_is_too_much(const struct leat_session *s)
{
	const struct leat_transport *xp = s->transport;

	if (LEAT_UNLIKELY(xp->is_scarce))
		return session_has_unsent(s) || !leat_transport_is_acked(s->conn);
	return xp->is_short && xp->nb_segs_share <= 1 && session_has_unsent(s);
}

struct leat_reply *
session_push_begin(struct leat_command_ctx *command, struct leat_client *to)
{
	struct leat_session_ctx *ctx = LEAT_CONTAINER_OF(command, struct leat_session_ctx, command);
	struct leat_session *s = LEAT_CONTAINER_OF(to, struct leat_session, client);

	if (s->conn == NULL || s->is_broken || s->is_closing)
		return NULL;
	if (session_unsent_text_len(s) > LEAT_SESSION_PUSH_MAX || push_is_too_much(s)) {
		ctx->stats.nb_slow_subscribers++;
		s->is_broken = true;
		session_touch(s);
		return NULL;
	}
	ctx->pushing = s;
	writer_begin(&ctx->push_writer);
	ctx->push_reply.ops = s->protocol->reply;
	ctx->push_reply.writer = &ctx->push_writer;
	ctx->push_reply.flags = 0;
	ctx->push_reply.resp = to->resp;
	ctx->push_reply.wall_ms = command->wall_ms;
	ctx->push_reply.state[0] = 0;
	return &ctx->push_reply;
}

void
session_push_end(struct leat_command_ctx *command, struct leat_client *to)
{
	struct leat_session_ctx *ctx = LEAT_CONTAINER_OF(command, struct leat_session_ctx, command);

	writer_end(LEAT_CONTAINER_OF(to, struct leat_session, client), &ctx->push_writer);
	ctx->pushing = NULL;
}

/* Send the chain. Returns false when the transport takes no more for now. */
static bool
tx_send(struct leat_session *s)
{
	if (leat_transport_send(s->conn, s->out.head) == -ENOBUFS) {
		s->ctx->stats.nb_tx_blocked++;
		s->is_blocked = true;
		return false;
	}
	s->active_us = s->ctx->command.now_us;
	s->out.head = NULL;
	s->out.chain = NULL;
	return true;
}

/* Send chain after chain, as references become windows. Returns likewise. */
static bool
tx_send_refs(struct leat_session *s)
{
	struct leat_session_output *out = &s->out;

	do {
		/* While they are short nobody has windows for more than one send. */
		if (LEAT_UNLIKELY(s->ctx->is_ref_short) && !leat_transport_is_acked(s->conn)) {
			s->is_blocked = true;
			return false;
		}
		if (!session_refs_show(s)) {
			s->is_blocked = true;
			out->is_starved = true;
			session_touch(s); /* others give some back, and then it is tried again */
			return false;
		}
		if (!tx_send(s))
			return false;
		out->window_len = 0;
		if (out->ref_first != NULL)
			out->chain = out->ref_last;
	} while (out->ref_first != NULL);
	out->has_refs = false;
	return true;
}

bool
session_send(struct leat_session *s)
{
	if (s->is_blocked) {
		if (!s->out.is_starved)
			return false;
		s->is_blocked = false;
		s->out.is_starved = false;
	}
	if (LEAT_UNLIKELY(s->out.has_refs))
		return tx_send_refs(s);
	return s->out.head == NULL || tx_send(s);
}
