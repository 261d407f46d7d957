/* SPDX-License-Identifier: BSD-3-Clause */

#include <leat_zaprpc_calls.h>

/*
 * Whoever is woken runs before its answer can be overwritten: each that runs meanwhile was
 * waiting, too, and adds one answer.
 */
static_assert(LEAT_ZAPRPC_WAITING_MAX < LEAT_ZAPRPC_ANSWERS_MAX, "an answer outlives who waits");

void
leat_zaprpc_calls_init(struct leat_zaprpc_calls *calls)
{
	memset(calls, 0, offsetof(struct leat_zaprpc_calls, waiting)); /* the counts say how many */
}

/* Whether @p a was counted before @p b; numbers wrap around. */
static bool
is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* The answer of a promise, the later one where there are two; NULL: none is kept. */
static const struct leat_zaprpc_kept *
kept_find(const struct leat_zaprpc_calls *calls, uint32_t promise)
{
	uint32_t at = calls->next_kept;

	for (uint32_t i = 0; i < calls->nb_kept; i++) {
		at = (at == 0 ? LEAT_ZAPRPC_ANSWERS_MAX : at) - 1;
		if (calls->kept[at].promise == promise)
			return &calls->kept[at];
	}
	return NULL;
}

/* The target has been answered. */
static enum leat_zaprpc_fate
kept_take(const struct leat_zaprpc_kept *kept, struct leat_zaprpc_request *req)
{
	if (kept->status != LEAT_ZAPRPC_OK)
		return LEAT_ZAPRPC_BROKEN;
	req->payload.data = kept->body;
	req->payload.len = kept->len;
	return LEAT_ZAPRPC_RUN;
}

/* The call that waits and will answer a promise; NULL: there is none. */
static const struct leat_zaprpc_waiting *
waiting_find(const struct leat_zaprpc_calls *calls, uint32_t promise)
{
	for (uint32_t i = 0; i < calls->nb_waiting; i++) {
		if (calls->waiting[i].promise == promise)
			return &calls->waiting[i];
	}
	return NULL;
}

/* Whether an answer that is not kept was let go: only a call that waits is late by itself. */
static bool
is_gone(const struct leat_zaprpc_calls *calls, uint32_t promise)
{
	return calls->has_dropped && !is_before(calls->dropped, promise) &&
	       waiting_find(calls, promise) == NULL;
}

/*
 * Whether a call would wait for its own answer, by way of those that wait already. Each of them
 * waits for one, so that a way that is longer than they are many has no end.
 */
static bool
is_circle(const struct leat_zaprpc_calls *calls, const struct leat_zaprpc_request *req)
{
	uint32_t target = req->target;

	for (uint32_t i = 0; i <= calls->nb_waiting; i++) {
		const struct leat_zaprpc_waiting *next;

		if (target == req->promise)
			return true;
		next = waiting_find(calls, target);
		if (next == NULL)
			return false;
		target = next->target;
	}
	return true;
}

static enum leat_zaprpc_fate
wait_for(struct leat_zaprpc_calls *calls, const struct leat_zaprpc_request *req)
{
	if (calls->nb_waiting == LEAT_ZAPRPC_WAITING_MAX || is_gone(calls, req->target) ||
		is_circle(calls, req))
		return LEAT_ZAPRPC_BROKEN;
	calls->waiting[calls->nb_waiting++] = (struct leat_zaprpc_waiting){
		.method = req->method,
		.promise = req->promise,
		.target = req->target,
	};
	return LEAT_ZAPRPC_WAIT;
}

enum leat_zaprpc_fate
leat_zaprpc_calls_admit(struct leat_zaprpc_calls *calls, struct leat_zaprpc_request *req)
{
	const struct leat_zaprpc_kept *kept;

	LEAT_VERIFY(calls->nb_due == 0);
	if (req->target == 0)
		return LEAT_ZAPRPC_RUN;
	kept = kept_find(calls, req->target);
	return kept != NULL ? kept_take(kept, req) : wait_for(calls, req);
}

/* Let the oldest answer go where there is no room beside it. */
static struct leat_zaprpc_kept *
kept_next(struct leat_zaprpc_calls *calls)
{
	struct leat_zaprpc_kept *kept = &calls->kept[calls->next_kept];

	if (calls->nb_kept < LEAT_ZAPRPC_ANSWERS_MAX) {
		calls->nb_kept++;
	} else if (!calls->has_dropped || is_before(calls->dropped, kept->promise)) {
		calls->has_dropped = true;
		calls->dropped = kept->promise;
	}
	if (++calls->next_kept == LEAT_ZAPRPC_ANSWERS_MAX)
		calls->next_kept = 0;
	return kept;
}

/* Wake who waits for a promise that was answered just now, or for one that will never be. */
static void
wake(struct leat_zaprpc_calls *calls, uint32_t promise)
{
	for (uint32_t i = 0; i < calls->nb_waiting; i++) {
		struct leat_zaprpc_waiting *waiting = &calls->waiting[i];

		if (waiting->is_due)
			continue;
		if (waiting->target != promise && !is_gone(calls, waiting->target))
			continue;
		waiting->is_due = true;
		calls->nb_due++;
	}
}

void
leat_zaprpc_calls_answer(struct leat_zaprpc_calls *calls, const struct leat_zaprpc_response *res)
{
	struct leat_zaprpc_kept *kept;

	if (res->promise == 0)
		return;
	kept = kept_next(calls);
	kept->promise = res->promise;
	kept->status = 0;
	kept->len = 0;
	if (res->body.len <= LEAT_ZAPRPC_ANSWER_LEN_MAX) {
		kept->status = (uint16_t)res->status;
		kept->len = (uint16_t)res->body.len;
		if (kept->len > 0) /* it may be what was in this place before */
			memmove(kept->body, res->body.data, kept->len);
	}
	wake(calls, res->promise);
}

bool
leat_zaprpc_calls_next(struct leat_zaprpc_calls *calls, struct leat_zaprpc_request *req,
	enum leat_zaprpc_fate *fate)
{
	const struct leat_zaprpc_kept *kept;
	uint32_t at = 0;

	if (calls->nb_due == 0)
		return false;
	while (!calls->waiting[at].is_due)
		at++;
	*req = (struct leat_zaprpc_request){
		.method = calls->waiting[at].method,
		.promise = calls->waiting[at].promise,
		.target = calls->waiting[at].target,
	};
	calls->nb_due--;
	calls->nb_waiting--;
	memmove(&calls->waiting[at], &calls->waiting[at + 1],
		(calls->nb_waiting - at) * sizeof(calls->waiting[0]));
	kept = kept_find(calls, req->target);
	*fate = kept != NULL ? kept_take(kept, req) : LEAT_ZAPRPC_BROKEN;
	return true;
}
