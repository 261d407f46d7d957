/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The promises of a connection beside a model of them, which keeps every answer for ever. The
 * input is read as a program: calls, and what each is answered with.
 */

#include <leat_zaprpc_calls.h>

#include "fuzz_zap.h"

#define FUZZ_ANSWERS_MAX 4096u /* of one input */
#define FUZZ_COUNT_MAX   128u  /* promises are within so many of the first one */

struct answer {
	uint32_t promise;
	uint32_t status;
	struct leat_slice body;
};

struct model {
	uint32_t nb_answers;
	uint32_t nb_waiting;
	struct leat_zaprpc_request waiting[LEAT_ZAPRPC_WAITING_MAX]; /* in their order */
	struct answer answers[FUZZ_ANSWERS_MAX];
};

/* The first of the answers that are still kept. */
static uint32_t
model_first(const struct model *m)
{
	return m->nb_answers < LEAT_ZAPRPC_ANSWERS_MAX ? 0
						       : m->nb_answers - LEAT_ZAPRPC_ANSWERS_MAX;
}

static const struct answer *
model_find(const struct model *m, uint32_t promise)
{
	for (uint32_t i = m->nb_answers; i > model_first(m); i--) {
		if (m->answers[i - 1].promise == promise)
			return &m->answers[i - 1];
	}
	return NULL;
}

static const struct leat_zaprpc_request *
model_waiting(const struct model *m, uint32_t promise)
{
	for (uint32_t i = 0; i < m->nb_waiting; i++) {
		if (m->waiting[i].promise == promise)
			return &m->waiting[i];
	}
	return NULL;
}

/* Whether an answer to this promise, or to a later one, was let go, and nobody will give one. */
static bool
model_let_go(const struct model *m, uint32_t promise)
{
	if (model_waiting(m, promise) != NULL)
		return false;
	for (uint32_t i = 0; i < model_first(m); i++) {
		if ((int32_t)(m->answers[i].promise - promise) >= 0)
			return true;
	}
	return false;
}

/* Whether the way from a call to what it waits for, and on, does not end; marks who was met. */
static bool
model_is_circle(const struct model *m, const struct leat_zaprpc_request *req)
{
	bool is_met[LEAT_ZAPRPC_WAITING_MAX] = { false };
	const struct leat_zaprpc_request *at = req;

	for (;;) {
		if (at->target == req->promise)
			return true;
		at = model_waiting(m, at->target);
		if (at == NULL)
			return false;
		if (is_met[at - m->waiting])
			return true;
		is_met[at - m->waiting] = true;
	}
}

static enum leat_zaprpc_fate
model_fate(const struct model *m, const struct leat_zaprpc_request *req)
{
	const struct answer *answer = model_find(m, req->target);

	if (req->target == 0)
		return LEAT_ZAPRPC_RUN;
	if (answer != NULL)
		return answer->status == LEAT_ZAPRPC_OK &&
				       answer->body.len <= LEAT_ZAPRPC_ANSWER_LEN_MAX
			       ? LEAT_ZAPRPC_RUN
			       : LEAT_ZAPRPC_BROKEN;
	if (m->nb_waiting == LEAT_ZAPRPC_WAITING_MAX || model_let_go(m, req->target) ||
		model_is_circle(m, req))
		return LEAT_ZAPRPC_BROKEN;
	return LEAT_ZAPRPC_WAIT;
}

static void
fate_verify(
	const struct model *m, enum leat_zaprpc_fate fate, const struct leat_zaprpc_request *req)
{
	LEAT_VERIFY(fate == model_fate(m, req));
	if (fate == LEAT_ZAPRPC_RUN && req->target != 0)
		LEAT_VERIFY(leat_slice_is_equal(req->payload, model_find(m, req->target)->body));
}

/* Take the first that waits for an answer that is there, or that will never be. */
static bool
model_next(struct model *m, struct leat_zaprpc_request *req)
{
	for (uint32_t i = 0; i < m->nb_waiting; i++) {
		if (model_find(m, m->waiting[i].target) == NULL &&
			!model_let_go(m, m->waiting[i].target))
			continue;
		*req = m->waiting[i];
		m->nb_waiting--;
		memmove(&m->waiting[i], &m->waiting[i + 1],
			(m->nb_waiting - i) * sizeof(m->waiting[0]));
		return true;
	}
	return false;
}

/* Answer a call, now and then with the body that it got, which is one of those that are kept. */
static void
answer(struct leat_zaprpc_calls *calls, struct model *m, const struct leat_zaprpc_request *req,
	enum leat_zaprpc_fate fate, struct fuzz_in *in)
{
	uint8_t choice = fuzz_u8(in);
	bool is_echo = fate == LEAT_ZAPRPC_RUN && req->target != 0 && choice % 8 == 1;
	struct leat_zaprpc_response res = { LEAT_ZAPRPC_OK, req->promise, { in->data, 0 } };
	struct leat_slice body;

	if (fate == LEAT_ZAPRPC_BROKEN)
		res.status = LEAT_ZAPRPC_BAD_REQUEST;
	else if (choice % 8 == 0)
		res.status = LEAT_ZAPRPC_NOT_FOUND;
	res.body.len = LEAT_MIN(in->len, (choice & 0x80) != 0 ? choice + 121u : choice % 16u);
	body = is_echo ? model_find(m, req->target)->body : res.body;
	if (is_echo)
		res.body = req->payload;
	if (req->promise != 0)
		m->answers[m->nb_answers++] = (struct answer){ req->promise, res.status, body };
	leat_zaprpc_calls_answer(calls, &res);
}

/* One call, and all that go on after its answer. */
static void
call(struct leat_zaprpc_calls *calls, struct model *m, uint32_t base, struct fuzz_in *in)
{
	struct leat_zaprpc_request req = { .method = fuzz_u8(in) };
	struct leat_zaprpc_request want;
	enum leat_zaprpc_fate fate;

	req.promise = base + fuzz_u8(in) % FUZZ_COUNT_MAX;
	req.target = fuzz_u8(in);
	if (req.target != 0)
		req.target = base + req.target % FUZZ_COUNT_MAX;
	fate = leat_zaprpc_calls_admit(calls, &req);
	fate_verify(m, fate, &req);
	if (fate == LEAT_ZAPRPC_WAIT) {
		m->waiting[m->nb_waiting++] = req;
		return;
	}
	answer(calls, m, &req, fate, in);
	while (leat_zaprpc_calls_next(calls, &req, &fate)) {
		LEAT_VERIFY(model_next(m, &want));
		LEAT_VERIFY(req.method == want.method);
		LEAT_VERIFY(req.promise == want.promise);
		LEAT_VERIFY(req.target == want.target);
		fate_verify(m, fate, &req);
		answer(calls, m, &req, fate, in);
	}
	LEAT_VERIFY(!model_next(m, &want));
}

void
fuzz_zaprpc_calls(struct leat_slice bytes)
{
	static struct leat_zaprpc_calls calls;
	static struct model m;
	struct fuzz_in in = { bytes.data, bytes.len };
	uint32_t base = fuzz_u8(&in) % 2 == 0 ? 0 : UINT32_MAX - FUZZ_COUNT_MAX / 2;

	memset(&calls, 0xff, sizeof(calls));
	leat_zaprpc_calls_init(&calls);
	m.nb_answers = 0;
	m.nb_waiting = 0;
	while (fuzz_more(&in) && m.nb_answers < FUZZ_ANSWERS_MAX - LEAT_ZAPRPC_WAITING_MAX - 1)
		call(&calls, &m, base, &in);
}
