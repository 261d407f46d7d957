/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * How long a client may take. A session's timer is not moved with each byte: where it fires
 * and the time is not over yet, it is set again.
 */

#include "session_priv.h"

/* What is waited for; MORE where it is not the client who is waited for. */
static enum leat_protocol_wait
time_waits_for(const struct leat_session *s, struct leat_request *refusal)
{
	enum leat_protocol_wait wait = s->protocol->waits_for(&s->state, refusal);

	if (wait != LEAT_PROTOCOL_WAITS_CHOICE &&
		(!session_has_input(s) || s->is_undecoded || session_has_unsent(s)))
		return LEAT_PROTOCOL_WAITS_MORE;
	return wait;
}

/* When the session is over if nothing comes or goes; LEAT_TIMER_NEVER: not at all. */
static uint64_t
time_end_us(const struct leat_session *s, enum leat_protocol_wait wait)
{
	const struct leat_session_timeouts *timeouts = &s->listener->timeouts;
	uint64_t since_us = s->active_us;
	uint64_t max_us = 0;

	if (s->is_shut || s->is_broken || leat_pubsub_nb_subscriptions(&s->client.subscriber) > 0)
		return LEAT_TIMER_NEVER;
	switch (wait) {
	case LEAT_PROTOCOL_WAITS_HEAD:
		since_us = s->request_us;
		max_us = timeouts->head_us;
		break;
	case LEAT_PROTOCOL_WAITS_BODY:
		max_us = timeouts->body_us;
		break;
	case LEAT_PROTOCOL_WAITS_CHOICE:
		since_us = s->client.opened_us;
		max_us = timeouts->choice_us;
		break;
	case LEAT_PROTOCOL_WAITS_MORE:
		break;
	}
	if (max_us == 0) {
		since_us = s->active_us;
		max_us = timeouts->idle_us;
	}
	return max_us == 0 ? LEAT_TIMER_NEVER : since_us + max_us;
}

void
session_time_set(struct leat_session *s)
{
	struct leat_request refusal;
	uint64_t end_us;

	if (!s->listener->has_timeouts)
		return;
	if (!session_has_input(s))
		s->request_us = 0;
	else if (s->request_us == 0)
		s->request_us = s->ctx->command.now_us;
	end_us = time_end_us(s, time_waits_for(s, &refusal));
	if (end_us != LEAT_TIMER_NEVER && !leat_timer_is_set_by(&s->timer, end_us))
		leat_timer_set(&s->ctx->wheel, &s->timer, end_us);
}

/* Its time is over: say so where the protocol has words for it, and close. */
static void
time_is_over(
	struct leat_session *s, enum leat_protocol_wait wait, const struct leat_request *refusal)
{
	struct leat_reply reply;

	s->ctx->stats.nb_timeouts++;
	if (session_has_unsent(s)) { /* it does not take its replies: an end would not reach it */
		s->is_broken = true;
	} else if (wait == LEAT_PROTOCOL_WAITS_HEAD || wait == LEAT_PROTOCOL_WAITS_BODY) {
		session_reply_begin(s, &reply, refusal->reply_flags);
		s->protocol->refuse(refusal, &reply);
		session_reply_end(s);
	}
	s->is_closing = true;
	session_touch(s);
}

void
leat_session_expire(struct leat_session_ctx *ctx)
{
	uint64_t now_us = ctx->command.now_us;

	for (uint32_t i = 0; i < LEAT_SESSION_EXPIRE_MAX; i++) {
		struct leat_timer *timer = leat_timer_expire(&ctx->wheel, now_us);
		struct leat_session *s;
		struct leat_request refusal;
		enum leat_protocol_wait wait;
		uint64_t end_us;

		if (timer == NULL)
			break;
		s = LEAT_CONTAINER_OF(timer, struct leat_session, timer);
		if (s->conn == NULL)
			continue;
		wait = time_waits_for(s, &refusal);
		end_us = time_end_us(s, wait);
		if (end_us > now_us)
			leat_timer_set(&ctx->wheel, timer, end_us);
		else
			time_is_over(s, wait, &refusal);
	}
}
