/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Calls over ZAP. A frame that is no call is passed over; a call goes to a method by its ordinal,
 * and its answer may let others go on that waited for it.
 *
 * The promises of a connection are touched only when a call is executed, since one that was
 * decoded may be decoded again.
 */

#include <errno.h>

#include <leat_rpc.h>
#include <leat_zaprpc_calls.h>

#include "protocol_priv.h"

#define RPC_ARGC        2 /* a name and the envelope */
#define RPC_METHOD_ECHO 2
#define RPC_ROOM_LEN    LEAT_RPC_ANSWER_MAX /* bytes of an answer that a method makes */

/* The promises of one connection. */
struct rpc_annex {
	struct leat_annex annex;
	struct leat_zaprpc_calls calls;
};

static_assert(sizeof(struct rpc_annex) <= LEAT_ANNEX_LEN, "the promises fit in an annex");

/*
 * What a method does: returns the status. With LEAT_ZAPRPC_OK it sets the body, which points into
 * the parameter or into @p room.
 */
typedef enum leat_zaprpc_status rpc_method(
	struct leat_slice param, uint8_t room[RPC_ROOM_LEN], struct leat_slice *body);

static enum leat_zaprpc_status
rpc_balance(struct leat_slice param, uint8_t room[RPC_ROOM_LEN], struct leat_slice *body)
{
	struct leat_writer w;

	leat_writer_init(&w, room, RPC_ROOM_LEN);
	if (leat_rpc_call_zap(param, &w) < 0)
		return LEAT_ZAPRPC_BAD_REQUEST;
	LEAT_VERIFY(!w.failed);
	*body = (struct leat_slice){ room, (size_t)(w.pos - room) };
	return LEAT_ZAPRPC_OK;
}

static enum leat_zaprpc_status
rpc_echo(struct leat_slice param, uint8_t room[RPC_ROOM_LEN], struct leat_slice *body)
{
	(void)room; /* nothing is made */
	*body = param;
	return LEAT_ZAPRPC_OK;
}

/* By ordinal, from 1 on. */
static rpc_method *const methods[] = {
	[LEAT_RPC_METHOD_BALANCE] = rpc_balance,
	[RPC_METHOD_ECHO] = rpc_echo,
};

/* Answer one call, and keep the answer where there is an annex. */
static void
call_answer(struct leat_zaprpc_calls *calls, const struct leat_zaprpc_request *req,
	enum leat_zaprpc_fate fate, struct leat_writer *w)
{
	struct leat_zaprpc_response res = { .promise = req->promise };
	uint8_t room[RPC_ROOM_LEN];

	if (fate == LEAT_ZAPRPC_BROKEN)
		res.status = LEAT_ZAPRPC_BAD_REQUEST;
	else if (req->method == 0 || req->method >= LEAT_DIM(methods))
		res.status = LEAT_ZAPRPC_NOT_FOUND;
	else
		res.status = methods[req->method](req->payload, room, &res.body);
	/* A parameter lies behind its slot, at 36 or later, and so fits behind an answer's 36 bytes. */
	LEAT_VERIFY(leat_zaprpc_emit_response(w, &res) == 0);
	if (calls != NULL)
		leat_zaprpc_calls_answer(calls, &res);
}

/* The promises of who asks; NULL: nothing is kept of him. */
static struct leat_zaprpc_calls *
calls_of(struct leat_command_ctx *ctx)
{
	bool is_new;
	struct rpc_annex *annex = (struct rpc_annex *)(void *)leat_annex_take(ctx, &is_new);

	if (annex == NULL)
		return NULL;
	if (is_new)
		leat_zaprpc_calls_init(&annex->calls);
	return &annex->calls;
}

/* Without an annex a target is one that was let go. */
static enum leat_zaprpc_fate
call_admit(struct leat_zaprpc_calls *calls, struct leat_zaprpc_request *req)
{
	if (calls != NULL)
		return leat_zaprpc_calls_admit(calls, req);
	return req->target == 0 ? LEAT_ZAPRPC_RUN : LEAT_ZAPRPC_BROKEN;
}

/* Who gives the password as his capability needs none for the calls that follow. */
static bool
call_is_authorized(struct leat_command_ctx *ctx, const struct leat_zaprpc_request *req)
{
	if (!leat_client_is_guest(ctx->client, ctx->server))
		return true;
	ctx->client->is_authenticated = leat_command_is_password(ctx->server, req->cap);
	return ctx->client->is_authenticated;
}

static void
call_run(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_zaprpc_response refusal = { .status = LEAT_ZAPRPC_UNAUTHORIZED };
	struct leat_zaprpc_calls *calls = NULL;
	struct leat_zaprpc_request call;
	enum leat_zaprpc_fate fate;

	LEAT_VERIFY(leat_zaprpc_read_request(req->argv[1], &call) == 0);
	if (!call_is_authorized(ctx, &call)) {
		refusal.promise = call.promise;
		LEAT_VERIFY(leat_zaprpc_emit_response(reply->writer, &refusal) == 0);
		return;
	}
	if (call.promise != 0 || call.target != 0)
		calls = calls_of(ctx);
	fate = call_admit(calls, &call);
	if (fate == LEAT_ZAPRPC_WAIT)
		return;
	do
		call_answer(calls, &call, fate, reply->writer);
	while (calls != NULL && leat_zaprpc_calls_next(calls, &call, &fate));
}

/* Answers are kept, so that one whose reply finds no room is not to be run twice: WRITE. */
static const struct leat_command command_call = {
	.name = "call",
	.arity = RPC_ARGC,
	.flags = LEAT_COMMAND_FAST | LEAT_COMMAND_WRITE | LEAT_COMMAND_NO_AUTH,
	.run = call_run,
};

static ssize_t
rpc_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	size_t frame_max = LEAT_MIN(protocol_frame_max(limits), (size_t)LEAT_ZAPRPC_FRAME_MAX);
	struct leat_zaprpc_frame frame;
	struct leat_zaprpc_request call;
	ssize_t len;

	(void)state; /* a frame's length is enough to know how much to wait for */
	if (argv_max < RPC_ARGC)
		return -ENOBUFS;
	len = leat_zaprpc_parse_frame((uint32_t)frame_max, in, &frame);
	if (len == 0)
		return 0;
	*req = (struct leat_request){ .argv = argv };
	if (len < 0) {
		req->refusal = (int32_t)len;
		req->close = true;
		return len;
	}
	/*
	 * Nobody here opens streams or waits for answers. Of a call that cannot be read the promise
	 * is not known, so that an answer would be nobody's.
	 */
	if (frame.kind != LEAT_ZAPRPC_REQUEST || leat_zaprpc_read_request(frame.body, &call) < 0)
		return len;
	req->command = &command_call;
	argv[0] = LEAT_SLICE("call");
	argv[1] = frame.body;
	req->argc = RPC_ARGC;
	req->argv_len = RPC_ARGC;
	return len;
}

static void
rpc_rewind(struct leat_protocol_state *state)
{
	(void)state; /* remembers nothing */
}

static struct leat_slice
rpc_interim(struct leat_protocol_state *state)
{
	(void)state; /* a client never waits in the middle of a frame */
	return (struct leat_slice){ NULL, 0 };
}

/* A frame may take as long as a body; who takes longer is closed without a word. */
static enum leat_protocol_wait
rpc_waits_for(const struct leat_protocol_state *state, struct leat_request *refusal)
{
	(void)state;
	*refusal = (struct leat_request){ .refusal = -EBADMSG, .close = true };
	return LEAT_PROTOCOL_WAITS_BODY;
}

/* Behind a wrong length there are no frames any more: the connection is closed without a word. */
static void
rpc_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	(void)req;
	(void)reply;
}

/* The one command writes its answers itself. */
static void
reply_none(struct leat_reply *reply)
{
	(void)reply;
	LEAT_VERIFY(false);
}

static void
reply_no_text(struct leat_reply *reply, struct leat_slice text)
{
	(void)text;
	reply_none(reply);
}

static void
reply_no_values(struct leat_reply *reply, uint32_t nb_values)
{
	(void)nb_values;
	reply_none(reply);
}

static void
reply_no_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	(void)answer;
	reply_none(reply);
}

static void
reply_no_integer(struct leat_reply *reply, int64_t value)
{
	(void)value;
	reply_none(reply);
}

static void
reply_no_score(struct leat_reply *reply, double value)
{
	(void)value;
	reply_none(reply);
}

static const struct leat_reply_ops rpc_reply_ops = {
	.null = reply_none,
	.status = reply_no_text,
	.integer = reply_no_integer,
	.score = reply_no_score,
	.bytes = reply_no_text,
	.verbatim = reply_no_text,
	.array = reply_no_values,
	.map = reply_no_values,
	.set = reply_no_values,
	.push = reply_no_values,
	.error = reply_no_text,
	.answer = reply_no_answer,
};

const struct leat_protocol protocol_zaprpc = {
	.name = "zap-rpc",
	.has_login = true,
	.decode = rpc_decode,
	.rewind = rpc_rewind,
	.interim = rpc_interim,
	.waits_for = rpc_waits_for,
	.refuse = rpc_refuse,
	.reply = &rpc_reply_ops,
};
