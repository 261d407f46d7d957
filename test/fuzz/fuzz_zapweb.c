/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bytes through HTTP/1.1 and the protocols of ZAP to routes and methods on a small store. The first
 * byte of an input chooses the protocol and whether there is a password, the second how many bytes
 * come at once; the rest is a stream of requests. Each has its answers, all of them well-formed,
 * and how the bytes come changes none of them.
 */

#include <stdlib.h>

#include <leat_http_client.h>
#include <leat_protocol.h>
#include <leat_zaphttp.h>
#include <leat_zaprpc_calls.h>

#include "fuzz_ctx.h"

#define HEAD_LEN    2u
#define ARGV_MAX    2048u
#define REQUEST_MAX 65536u
#define REPLY_MAX   (1u << 20)
#define START_US    1000000u
#define START_MS    1700000000000u
#define NB_KINDS    3u
#define KIND_HTTP   0x40u /* a bit of the first byte */
#define KIND_SECRET 0x80u

/* All that is answered to one input. */
struct answers {
	struct leat_writer w;
	uint8_t bytes[REPLY_MAX];
};

static struct answers whole;
static struct answers pieces;
static struct leat_command_stats stats;
static struct leat_command_server server = {
	.version = "0",
	.run_id = "0123456789012345678901234567890123456789",
	.nb_workers = 1,
	.config_path = "",
	.request_max = REQUEST_MAX,
};
static struct leat_command_ctx ctx = { .server = &server, .stats = &stats };
static uint64_t annex[LEAT_ANNEX_LEN / sizeof(uint64_t)];

static const struct leat_protocol *
protocol_of(uint8_t kind)
{
	if ((kind & KIND_HTTP) != 0)
		return leat_protocol_find("http");
	switch (kind % NB_KINDS) {
	case 0:
		return leat_protocol_find("zap");
	case 1:
		return &leat_protocol_zap_json;
	default:
		return leat_protocol_find("zap-rpc");
	}
}

/* The bytes of the response at the start, to a request of this method; 0: it is not whole. */
static ssize_t
response_len(enum leat_http_method method, struct leat_slice out)
{
	const struct leat_http_limits limits = { .message_max = REPLY_MAX };
	struct leat_http_client_response res = { 0 };
	struct leat_http_parser parser;
	struct leat_slice piece;
	ssize_t ret;

	res.body.pieces = &piece;
	res.body.pieces_max = 1;
	leat_http_begin_response(&parser, method);
	ret = leat_http_parse_response(&parser, &limits, out, &res);
	LEAT_VERIFY(ret >= 0);
	LEAT_VERIFY(ret == 0 || (res.status >= 200 && res.status <= 599));
	return ret;
}

/* Just one response of HTTP/1.1 and nothing behind it; without its body, it is one to HEAD. */
static void
response_verify(struct leat_slice out)
{
	ssize_t ret = response_len(LEAT_HTTP_GET, out);

	if (ret == 0)
		ret = response_len(LEAT_HTTP_HEAD, out);
	LEAT_VERIFY(out.len > 0);
	LEAT_VERIFY(ret == (ssize_t)out.len);
}

/* Count the answers of HTTP over ZAP between two places; all of them must be whole. */
static unsigned int
replies_count(const struct leat_protocol *protocol, struct leat_slice out)
{
	const struct leat_zaphttp_limits limits = {
		.frame_max = LEAT_ZAPHTTP_FRAME_MAX,
		.generation = protocol == &leat_protocol_zap_json ? LEAT_ZAPHTTP_JSON
								  : LEAT_ZAPHTTP_BINARY,
	};
	unsigned int nb = 0;

	for (; out.len > 0; nb++) {
		struct leat_zaphttp_reply reply;
		ssize_t ret = leat_zaphttp_parse_reply(&limits, out, &reply);

		LEAT_VERIFY(ret > 0);
		LEAT_VERIFY(reply.type == LEAT_ZAPHTTP_RESPONSE);
		LEAT_VERIFY(reply.status >= 200 && reply.status <= 599);
		out.data += ret;
		out.len -= (size_t)ret;
	}
	return nb;
}

/* The same of calls. */
static unsigned int
answers_count(struct leat_slice out)
{
	unsigned int nb = 0;

	for (; out.len > 0; nb++) {
		struct leat_zaprpc_response res;
		struct leat_zaprpc_frame frame;
		ssize_t ret = leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, out, &frame);

		LEAT_VERIFY(ret > 0);
		LEAT_VERIFY(frame.kind == LEAT_ZAPRPC_RESPONSE);
		LEAT_VERIFY(leat_zaprpc_read_response(frame.body, &res) == 0);
		LEAT_VERIFY(res.status >= 200 && res.status <= 500);
		out.data += ret;
		out.len -= (size_t)ret;
	}
	return nb;
}

/* Answer one request, and look at the answer. */
static void
request_answer(
	const struct leat_protocol *protocol, const struct leat_request *req, struct leat_writer *w)
{
	struct leat_slice out = { w->pos, 0 };
	struct leat_reply reply = {
		.ops = protocol->reply,
		.writer = w,
		.flags = req->reply_flags,
		.wall_ms = START_MS,
	};

	if (req->refusal != 0)
		protocol->refuse(req, &reply);
	else
		leat_command_execute(&ctx, req, &reply);
	if (w->failed)
		return;
	out.len = (size_t)(w->pos - out.data);
	if (protocol == leat_protocol_find("http"))
		response_verify(out);
	else if (protocol == leat_protocol_find("zap-rpc"))
		LEAT_VERIFY(answers_count(out) <= LEAT_ZAPRPC_WAITING_MAX + 1);
	else
		LEAT_VERIFY(replies_count(protocol, out) == 1 || (req->close && out.len == 0));
}

/* Decode and answer one request. Returns the bytes that it took, 0: the connection waits. */
static size_t
step(const struct leat_protocol *protocol, struct leat_protocol_state *state, struct leat_slice in,
	bool *is_closed, struct leat_writer *w)
{
	const struct leat_protocol_limits limits = { .request_max = REQUEST_MAX,
		.argc_max = ARGV_MAX,
		.is_guest = leat_client_is_guest(ctx.client, &server),
		.server = &server };
	struct leat_slice argv[ARGV_MAX];
	struct leat_request req;
	uint8_t *copy = malloc(in.len > 0 ? in.len : 1); /* so that a byte too far is seen */
	ssize_t ret;

	LEAT_VERIFY(copy != NULL);
	if (in.len > 0)
		memcpy(copy, in.data, in.len);
	in.data = copy;
	ret = protocol->decode(state, &limits, in, &req, argv, ARGV_MAX);
	LEAT_VERIFY(ret <= (ssize_t)in.len);
	if (ret != 0 && (req.argc > 0 || req.refusal != 0))
		request_answer(protocol, &req, w);
	*is_closed = ret < 0;
	LEAT_VERIFY(ret >= 0 || req.close);
	free(copy);
	return ret > 0 ? (size_t)ret : 0;
}

/* One connection whose bytes come @p step_len at a time. */
static void
serve(const struct leat_protocol *protocol, struct leat_slice in, size_t step_len,
	struct answers *answers)
{
	struct leat_protocol_state state = { 0 };
	struct leat_client client;
	bool is_closed = false;
	size_t len = 0;

	leat_client_init(&client, 1, START_US);
	ctx.client = &client;
	leat_annexes_init(&ctx, annex, 1);
	leat_writer_init(&answers->w, answers->bytes, sizeof(answers->bytes));
	while (len < in.len && !is_closed) {
		size_t taken = 1;

		len = LEAT_MIN(in.len, len + step_len);
		while (taken > 0 && !is_closed) {
			struct leat_slice here = { in.data, len };

			taken = step(protocol, &state, here, &is_closed, &answers->w);
			in.data += taken;
			in.len -= taken;
			len -= taken;
		}
	}
	leat_client_fini(&client, ctx.pubsub);
	leat_annex_give(&ctx, &client);
	LEAT_VERIFY(ctx.annexes != NULL);
	leat_store_flush_all(ctx.store);
	while (leat_store_run(ctx.store, ctx.now_us) > 0)
		;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; /* libFuzzer reads its own arguments */
	(void)argv; /* and these with them */
	ctx.now_us = START_US;
	ctx.wall_ms = START_MS;
	return fuzz_ctx_open(&ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct leat_protocol *protocol;
	struct leat_slice in;

	if (len < HEAD_LEN || len > REQUEST_MAX)
		return 0;
	protocol = protocol_of(data[0]);
	server.requirepass = (data[0] & KIND_SECRET) != 0 ? "secret" : NULL;
	in = (struct leat_slice){ data + HEAD_LEN, len - HEAD_LEN };
	serve(protocol, in, SIZE_MAX / 2, &whole);
	serve(protocol, in, 1u + data[1], &pieces);
	LEAT_VERIFY(whole.w.failed == pieces.w.failed);
	LEAT_VERIFY(whole.w.pos - whole.bytes == pieces.w.pos - pieces.bytes);
	LEAT_VERIFY(memcmp(whole.bytes, pieces.bytes, (size_t)(whole.w.pos - whole.bytes)) == 0);
	return 0;
}
