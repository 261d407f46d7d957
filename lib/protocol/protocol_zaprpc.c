/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Calls over ZAP. A frame that is no call is passed over; a call goes to a method by its ordinal,
 * and its answer may let others go on that waited for it.
 *
 * The promises of a connection are touched only when a call is executed, since one that was
 * decoded may be decoded again.
 */

#include <errno.h>

#include <leat_zap_balance.h>
#include <leat_zaprpc_calls.h>

#include "protocol_priv.h"

#define RPC_ARGC     2  /* a name and the envelope */
#define RPC_ROOM_LEN 80 /* bytes of an answer that a method makes: the one record */

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

/* The record of POST /rpc. */
static enum leat_zaprpc_status
rpc_balance(struct leat_slice param, uint8_t room[RPC_ROOM_LEN], struct leat_slice *body)
{
	static const uint8_t block_hash[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe,
		0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69,
		0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0 };
	struct leat_zap_balance_response res;
	struct leat_zap_balance_request req;
	struct leat_zap_message msg;
	struct leat_writer w;

	if (leat_zap_parse(param, &msg) < 0 || leat_zap_is_null(leat_zap_root(&msg)))
		return LEAT_ZAPRPC_BAD_REQUEST;
	leat_zap_balance_request_read(leat_zap_root(&msg), &req);
	res.id = req.id;
	res.balance = UINT64_C(1000000000000000000) ^
		      (req.block ^ req.method.len ^ req.account.len ^
			      (req.account.len > 0 ? req.account.data[0] : 0));
	res.nonce = 42;
	res.block_hash = (struct leat_slice){ block_hash, sizeof(block_hash) };
	leat_writer_init(&w, room, RPC_ROOM_LEN);
	LEAT_VERIFY(leat_zap_balance_response_emit(&w, &res) == 0);
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
static rpc_method *const methods[] = { NULL, rpc_balance, rpc_echo };

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
	size_t frame_max = LEAT_MIN(limits->request_max, (size_t)LEAT_ZAPRPC_FRAME_MAX);
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
	.decode = rpc_decode,
	.rewind = rpc_rewind,
	.interim = rpc_interim,
	.refuse = rpc_refuse,
	.reply = &rpc_reply_ops,
};
