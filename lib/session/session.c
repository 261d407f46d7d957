/* SPDX-License-Identifier: BSD-3-Clause */

#include <limits.h>

#include "session_priv.h"

#define SESSION_REFS_KEPT_SHARE 16u /* windows leave one of so many to references */

static_assert(LEAT_CLIENT_END_MAX >= LEAT_ENDPOINT_TEXT_MAX, "every endpoint fits its text");

void
session_set_ready(struct leat_session *s)
{
	if (s->is_ready)
		return;
	s->is_ready = true;
	STAILQ_INSERT_TAIL(&s->ctx->ready, s, ready_link);
}

void
session_touch(struct leat_session *s)
{
	if (s->is_touched)
		return;
	s->is_touched = true;
	STAILQ_INSERT_TAIL(&s->ctx->touched, s, touched_link);
}

/* The client_ends of struct leat_command_ctx. */
static void
session_client_ends(struct leat_command_ctx *command, const struct leat_client *client,
	char local[LEAT_CLIENT_END_MAX], char peer[LEAT_CLIENT_END_MAX])
{
	const struct leat_session *s = LEAT_CONTAINER_OF(client, struct leat_session, client);
	struct leat_endpoint local_end, peer_end;

	(void)command;         /* the client is all it takes */
	if (s->conn == NULL) { /* gone in this turn: nobody will read it */
		local[0] = '\0';
		peer[0] = '\0';
		return;
	}
	s->transport->ops->endpoints(s->conn, &local_end, &peer_end);
	(void)leat_endpoint_format(&local_end, local); /* returns its argument */
	(void)leat_endpoint_format(&peer_end, peer);
}

void
leat_session_ctx_init(struct leat_session_ctx *ctx, struct leat_session *sessions,
	uint32_t nb_sessions, struct leat_heap *carry_heap, uint64_t client_id)
{
	LEAT_VERIFY(nb_sessions > 0);
	LEAT_VERIFY(ctx->limits.request_max > 0);
	LEAT_VERIFY(ctx->limits.request_max <= LEAT_SESSION_REQUEST_MAX);
	if (ctx->ref_pool != NULL) {
		uint32_t size = ctx->ref_pool->size;

		/* Of the last ones there are a reference and a window for each session. */
		ctx->nb_refs_last = (unsigned int)LEAT_MIN(2 * (uint64_t)nb_sessions, size / 2);
		ctx->nb_refs_low = ctx->nb_refs_last + (size - ctx->nb_refs_last) / 2;
		ctx->nb_refs_kept = size / SESSION_REFS_KEPT_SHARE;
	}
	ctx->limits.argc_max = LEAT_BATCH_ARGV_MAX;
	leat_timer_wheel_init(&ctx->wheel, ctx->command.now_us);
	ctx->carry_heap = carry_heap;
	ctx->client_id = client_id;
	ctx->command.stats = &ctx->command_stats;
	ctx->command.push_begin = session_push_begin;
	ctx->command.push_end = session_push_end;
	ctx->command.client_ends = session_client_ends;
	session_output_init(ctx);
	STAILQ_INIT(&ctx->ready);
	STAILQ_INIT(&ctx->touched);
	TAILQ_INIT(&ctx->starved);
	TAILQ_INIT(&ctx->waiting);
	LIST_INIT(&ctx->free);
	LIST_INIT(&ctx->open);
	for (uint32_t i = nb_sessions; i > 0; i--)
		LIST_INSERT_HEAD(&ctx->free, &sessions[i - 1], link);
}

void
leat_session_listener_init(const struct leat_session_ctx *ctx, const struct leat_protocol *protocol,
	const struct leat_session_options *options, struct leat_session_listener *listener)
{
	const struct leat_session_timeouts *t = &listener->timeouts;

	*listener = (struct leat_session_listener){ .protocol = protocol, .limits = ctx->limits };
	if (options != NULL) {
		listener->limits.routes = options->routes;
		listener->timeouts = options->timeouts;
	}
	listener->guest_limits = listener->limits;
	listener->guest_limits.is_guest = true;
	listener->guest_limits.server = ctx->command.server;
	listener->has_timeouts = (t->idle_us | t->head_us | t->body_us | t->choice_us) != 0;
}

static void
session_open(struct leat_session_ctx *ctx, const struct leat_session_listener *listener,
	struct leat_conn *conn)
{
	struct leat_session *s = LIST_FIRST(&ctx->free);

	if (s == NULL) {
		ctx->stats.nb_table_full++;
		conn->session = NULL;
		leat_transport_abort(conn);
		return;
	}
	LIST_REMOVE(s, link);
	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->conn = conn;
	s->transport = conn->transport;
	s->listener = listener;
	s->protocol = listener->protocol;
	s->active_us = ctx->command.now_us;
	leat_client_init(&s->client, ++ctx->client_id, ctx->command.now_us);
	session_time_set(s);
	LIST_INSERT_HEAD(&ctx->open, s, link);
	ctx->nb_open++;
	conn->session = s;
	ctx->command_stats.nb_conns_accepted++;
	ctx->command_stats.nb_conns++;
	if (ctx->is_draining) /* it came while its listener was being closed */
		session_touch(s);
}

/* All is over: give back what it holds. It is in no list but that of the open ones. */
static void
session_free(struct leat_session *s)
{
	struct leat_session_ctx *ctx = s->ctx;

	LEAT_VERIFY(!s->is_ready && !s->is_touched);
	leat_timer_cancel(&ctx->wheel, &s->timer);
	session_input_clear(s);
	session_output_clear(s);
	leat_client_fini(&s->client, ctx->command.pubsub);
	leat_annex_give(&ctx->command, &s->client);
	LIST_REMOVE(s, link);
	LIST_INSERT_HEAD(&ctx->free, s, link);
	ctx->nb_open--;
	ctx->command_stats.nb_conns--;
}

/* What may not be decoded now: it is over, or its replies have to leave first. */
static bool
session_may_decode(const struct leat_session *s)
{
	return s->conn != NULL && !s->is_closing && !s->is_broken && !s->is_blocked;
}

/*
 * Our side is closed or about to be, and the peer still sends. To reset it now could cost it
 * our last reply, so what comes is thrown away, for a while.
 */
static void
session_linger(struct leat_session *s, struct rte_mbuf *chain)
{
	uint32_t len = chain->pkt_len;

	rte_pktmbuf_free(chain);
	leat_transport_consumed(s->conn, len);
	if (s->is_shut && s->ctx->command.now_us - s->shut_us > LEAT_SESSION_LINGER_US) {
		s->ctx->stats.nb_lingered += !s->is_broken;
		s->is_broken = true;
		session_touch(s);
	}
}

static void
session_data(struct leat_session *s, struct rte_mbuf *chain)
{
	if (s->is_closing || s->is_broken) {
		session_linger(s, chain);
		return;
	}
	/* One that has earlier bytes to decode does so first, in its own time. */
	if (!s->is_undecoded && session_may_decode(s)) {
		session_input_append(s, chain);
		session_decode(s);
	} else {
		session_input_keep(s, chain);
		s->is_undecoded = true;
	}
	session_touch(s);
}

void
leat_session_event(struct leat_session_ctx *ctx, const struct leat_session_listener *listener,
	const struct leat_transport_event *ev)
{
	struct leat_session *s;

	if (ev->type == LEAT_TRANSPORT_OPEN) {
		session_open(ctx, listener, ev->conn);
		return;
	}
	s = ev->conn->session;
	if (s == NULL) { /* aborted at OPEN, no session left; CLOSED ends it */
		rte_pktmbuf_free(ev->mbuf);
		return;
	}
	s->active_us = ctx->command.now_us;
	switch (ev->type) {
	case LEAT_TRANSPORT_DATA:
		session_data(s, ev->mbuf);
		break;
	case LEAT_TRANSPORT_WRITABLE:
		s->is_blocked = false;
		session_touch(s);
		break;
	case LEAT_TRANSPORT_EOF:
		s->has_eof = true;
		session_touch(s);
		break;
	case LEAT_TRANSPORT_CLOSED:
		s->conn = NULL; /* requests of this turn are still executed; freed in the flush */
		session_touch(s);
		break;
	case LEAT_TRANSPORT_OPEN:
	default:
		LEAT_VERIFY(false);
	}
}

void
leat_session_decode_ready(struct leat_session_ctx *ctx)
{
	struct leat_session *s;

	session_input_feed(ctx);
	session_output_feed(ctx);
	/* Who does not find room stays in front: no pipeline fills every turn. */
	while (!ctx->batch.is_full && (s = STAILQ_FIRST(&ctx->ready)) != NULL) {
		uint32_t nb_entries = ctx->batch.nb_entries;

		if (session_may_decode(s))
			session_decode(s);
		session_touch(s);
		if (ctx->batch.is_full && ctx->batch.nb_entries == nb_entries)
			return;
		STAILQ_REMOVE_HEAD(&ctx->ready, ready_link);
		s->is_ready = false;
	}
}

void
leat_session_look_up(struct leat_session_ctx *ctx)
{
	struct leat_slice keys[LEAT_STORE_BULK_MAX];
	struct leat_store_hint *hints[LEAT_STORE_BULK_MAX];
	uint32_t nb_keys = 0;

	for (uint32_t i = 0; i < ctx->batch.nb_entries; i++) {
		struct leat_request *req = &ctx->batch.entries[i].req;

		if (req->command == NULL || req->command->first_key == 0 ||
			(uint32_t)req->command->first_key >= req->argc)
			continue;
		keys[nb_keys] = req->argv[req->command->first_key];
		hints[nb_keys] = &req->hint;
		leat_store_hash(ctx->command.store, keys[nb_keys], hints[nb_keys]);
		if (++nb_keys == LEAT_STORE_BULK_MAX) {
			leat_store_look_up(ctx->command.store, keys, hints, nb_keys);
			nb_keys = 0;
		}
	}
	if (nb_keys > 0)
		leat_store_look_up(ctx->command.store, keys, hints, nb_keys);
}

/* Write the answer behind what is unsent; its end is the caller's. */
static void
session_answer(struct leat_session *s, const struct leat_request *req)
{
	struct leat_session_ctx *ctx = s->ctx;
	struct leat_reply reply;

	session_reply_begin(s, &reply, req->reply_flags);
	if (req->refusal != 0) {
		ctx->stats.nb_refused++;
		s->protocol->refuse(req, &reply);
	} else {
		ctx->command.client = &s->client;
		leat_command_execute(&ctx->command, req, &reply);
	}
}

static void
session_execute(struct leat_session *s, const struct leat_request *req)
{
	session_answer(s, req);
	session_reply_end(s);
	if (req->close || s->client.close)
		s->is_closing = true;
	if (session_unsent_len(s) >= LEAT_SESSION_TX_MAX)
		s->is_paused = true;
}

/* Answer with few mbufs. Returns false if they do not do, and then nothing has happened. */
static bool
session_execute_tight(struct leat_session *s, const struct leat_request *req)
{
	struct leat_session_ctx *ctx = s->ctx;
	struct leat_command_stats stats = ctx->command_stats;

	ctx->is_tight = true;
	ctx->nb_segs_left = s->transport->is_short ? s->transport->nb_segs_share : UINT_MAX;
	ctx->nb_refs_left = ctx->is_ref_short ? session_refs_share(ctx) : UINT_MAX;
	session_answer(s, req);
	ctx->is_tight = false;
	if (ctx->writer.failed) {
		session_reply_drop(s);
		ctx->command_stats = stats;
		return false;
	}
	session_reply_end(s);
	s->is_closing |= req->close || s->client.close;
	return true;
}

/* Of what changes something the answer is not taken back, nor are messages; few are long. */
static bool
session_may_execute(const struct leat_session *s, uint32_t flags)
{
	const struct leat_transport *xp = s->transport;

	if ((flags & LEAT_COMMAND_PUBSUB) != 0)
		return !xp->is_short || xp->nb_segs_share > 1;
	return (flags & LEAT_COMMAND_WRITE) != 0;
}

/*
 * While mbufs are short, who has taken all of his replies may have a short one, so that peers
 * that take none of theirs do not stop all others. One that turns out to be longer is taken
 * back, and waits until somebody gives way. Returns false if the request has to wait.
 */
static bool
session_execute_short(struct leat_session *s, const struct leat_request *req)
{
	struct leat_transport *xp = s->transport;
	uint32_t flags = req->command != NULL ? req->command->flags : 0;

	if (session_has_unsent(s))
		return false;
	if (s->conn != NULL && !leat_transport_is_acked(s->conn)) {
		s->is_blocked = true;
		return false;
	}
	if (!xp->is_scarce && session_may_execute(s, flags)) {
		session_execute(s, req);
		return true;
	}
	if (!xp->is_scarce && (flags & LEAT_COMMAND_PUBSUB) == 0 && session_execute_tight(s, req))
		return true;
	xp->is_wanted |= xp->is_short;
	session_output_wait(s);
	return false;
}

/* Returns false if the request was not executed and comes again in the next turn. */
static bool
session_try(struct leat_session *s, const struct leat_request *req)
{
	if (s->is_paused)
		return false;
	if (req->argc == 0 && req->refusal == 0) /* bytes that ask for nothing */
		return true;
	if (LEAT_UNLIKELY(s->transport->is_short || s->ctx->is_ref_short))
		return session_execute_short(s, req);
	session_execute(s, req);
	return true;
}

void
leat_session_execute(struct leat_session_ctx *ctx)
{
	for (uint32_t i = 0; i < ctx->batch.nb_entries; i++) {
		struct leat_batch_entry *entry = &ctx->batch.entries[i];
		struct leat_session *s = entry->session;

		if (s->is_closing || s->is_broken)
			continue;
		if (session_try(s, &entry->req)) {
			s->in.taken_len += entry->len;
			continue;
		}
		s->is_paused = true;
		s->is_undecoded = true;
		s->protocol->rewind(&s->state);
	}
}

/* Everything that was asked has been answered and sent. */
static bool
session_is_answered(const struct leat_session *s)
{
	return !s->is_undecoded && !session_has_unsent(s);
}

/* Send, and decide what comes next for a session with a live connection. */
static void
session_advance(struct leat_session *s)
{
	struct leat_session_ctx *ctx = s->ctx;

	s->is_paused = false;
	if (!s->is_undecoded && !s->is_closing && session_has_input(s))
		session_interim(s); /* every request before the unfinished one is answered */
	if (s->is_broken) {
		if (!s->is_aborted)
			leat_transport_abort(s->conn);
		s->is_aborted = true;
		return;
	}
	if (session_send(s) && s->is_undecoded && !s->is_closing && s->waits_in == NULL)
		session_set_ready(s);
	if (s->has_eof && session_is_answered(s))
		s->is_closing = true;
	if (ctx->is_draining && session_is_answered(s) && !session_has_input(s))
		s->is_closing = true;
	session_time_set(s);
	if (s->is_closing) {
		session_input_clear(s);
		if (!session_has_unsent(s) && !s->is_shut) {
			s->is_shut = true;
			s->shut_us = ctx->command.now_us;
			leat_transport_shutdown(s->conn);
		}
	}
}

void
leat_session_flush(struct leat_session_ctx *ctx)
{
	struct leat_session_list touched = STAILQ_HEAD_INITIALIZER(touched);
	struct leat_session *s;

	STAILQ_CONCAT(&touched, &ctx->touched); /* who is touched meanwhile comes next turn */
	while ((s = STAILQ_FIRST(&touched)) != NULL) {
		STAILQ_REMOVE_HEAD(&touched, touched_link);
		s->is_touched = false;
		s->has_asked = false;
		session_input_take(s);
		if (s->conn != NULL)
			session_advance(s);
		else if (!s->is_ready) /* else when its turn there has come */
			session_free(s);
	}
	ctx->batch.nb_entries = 0;
	ctx->batch.nb_args = 0;
	ctx->batch.joined_len = 0;
	ctx->batch.is_full = false;
}

void
leat_session_drain_all(struct leat_session_ctx *ctx)
{
	struct leat_session *s;

	ctx->is_draining = true;
	LIST_FOREACH (s, &ctx->open, link)
		session_touch(s);
}

void
leat_session_abort_all(struct leat_session_ctx *ctx)
{
	struct leat_session *s;

	LIST_FOREACH (s, &ctx->open, link) {
		s->is_broken = true;
		session_touch(s);
	}
}

void
leat_session_close_all(struct leat_session_ctx *ctx)
{
	struct leat_session *s;

	STAILQ_INIT(&ctx->ready);
	STAILQ_INIT(&ctx->touched);
	while ((s = LIST_FIRST(&ctx->open)) != NULL) {
		s->conn = NULL;
		s->is_ready = false;
		s->is_touched = false;
		session_free(s);
	}
}
