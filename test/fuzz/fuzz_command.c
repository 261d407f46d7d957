/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bytes through the RESP protocol into commands on a small store: no crash, and
 * exactly one well-formed reply for each request. Byte SWITCH turns to the other of
 * two clients and lets time pass.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <leat_protocol.h>

#include "fuzz_ctx.h"

#define SWITCH      0xff
#define NB_CLIENTS  2
#define ARGV_MAX    256u
#define REQUEST_MAX 65536u
#define REPLY_MAX   (1u << 20)
#define DEPTH_MAX   16 /* of arrays within arrays in a reply */
#define STEP_MS     1500
#define START_US    1000000u
#define START_MS    1700000000000u

/* One client: the bytes that it has sent and that are not executed, and what it gets. */
struct fuzz_client {
	struct leat_client client;
	struct leat_protocol_state state;
	uint8_t in[REQUEST_MAX];
	size_t in_len;
	bool is_closed;
	uint8_t push[REPLY_MAX];
	struct leat_writer push_writer;
	struct leat_reply push_reply;
};

static struct fuzz_client clients[NB_CLIENTS];
static uint8_t reply_buf[REPLY_MAX];
static const struct leat_protocol *protocol;
static struct leat_command_stats stats;
static const struct leat_command_server server = {
	.version = "0",
	.run_id = "0123456789012345678901234567890123456789",
	.nb_workers = 1,
	.config_path = "",
	.request_max = REQUEST_MAX,
};
static struct leat_command_ctx ctx = { .server = &server, .stats = &stats };

/* Step over the line at @p r; returns its number, if it has one. */
static int64_t
reply_line(struct leat_reader *r)
{
	const uint8_t *end = memchr(r->pos, '\n', leat_reader_left(r));
	struct leat_slice number = { .data = r->pos + 1 };
	int64_t value = 0;

	LEAT_VERIFY(end != NULL);
	LEAT_VERIFY(end - r->pos >= 2);
	LEAT_VERIFY(end[-1] == '\r');
	LEAT_VERIFY(memchr(r->pos, '\r', (size_t)(end - r->pos)) == end - 1);
	number.len = (size_t)(end - 1 - number.data);
	if (strchr(":$*=%~>", *r->pos) != NULL)
		LEAT_VERIFY(leat_slice_to_int64(number, &value));
	r->pos = end + 1;
	return value;
}

/* Step over one value of that version of RESP. */
static void
reply_value(struct leat_reader *r, uint8_t resp, int depth)
{
	const char *types = resp == 3 ? "+-:$*_,=%~>" : "+-:$*";
	uint8_t type;
	int64_t number;

	LEAT_VERIFY(depth < DEPTH_MAX);
	LEAT_VERIFY(leat_reader_left(r) > 0);
	type = *r->pos;
	LEAT_VERIFY(type != 0 && strchr(types, type) != NULL);
	LEAT_VERIFY(type != '>' || depth == 0);
	number = reply_line(r);
	LEAT_VERIFY(strchr("$*=%~>", type) == NULL || number >= (resp == 3 ? 0 : -1));
	if ((type == '$' || type == '=') && number >= 0) {
		LEAT_VERIFY(leat_reader_left(r) >= (size_t)number + 2);
		LEAT_VERIFY(memcmp(r->pos + number, "\r\n", 2) == 0);
		r->pos += number + 2;
	}
	if (type == '%')
		number *= 2;
	for (int64_t i = 0; strchr("*%~>", type) != NULL && i < number; i++)
		reply_value(r, resp, depth + 1);
}

static uint32_t
reply_count(const uint8_t *reply, const struct leat_writer *w, uint8_t resp)
{
	struct leat_reader r = { reply, w->pos };
	uint32_t nb_values = 0;

	for (; leat_reader_left(&r) > 0; nb_values++)
		reply_value(&r, resp, 0);
	return nb_values;
}

static struct leat_reply *
push_begin(struct leat_command_ctx *command_ctx, struct leat_client *to)
{
	struct fuzz_client *client = LEAT_CONTAINER_OF(to, struct fuzz_client, client);

	LEAT_VERIFY(command_ctx == &ctx);
	LEAT_VERIFY(client == &clients[0] || client == &clients[1]);
	LEAT_VERIFY(!client->is_closed);
	leat_writer_init(&client->push_writer, client->push, sizeof(client->push));
	client->push_reply = (struct leat_reply){
		.ops = protocol->reply,
		.writer = &client->push_writer,
		.resp = to->resp,
	};
	return &client->push_reply;
}

static void
client_ends(struct leat_command_ctx *command_ctx, const struct leat_client *client,
	char local[LEAT_CLIENT_END_MAX], char peer[LEAT_CLIENT_END_MAX])
{
	LEAT_VERIFY(command_ctx == &ctx);
	LEAT_VERIFY(client == command_ctx->client);
	memset(local, 'l', LEAT_CLIENT_END_MAX - 1);
	memset(peer, 'p', LEAT_CLIENT_END_MAX - 1);
	local[LEAT_CLIENT_END_MAX - 1] = '\0';
	peer[LEAT_CLIENT_END_MAX - 1] = '\0';
}

static void
push_end(struct leat_command_ctx *command_ctx, struct leat_client *to)
{
	struct fuzz_client *client = LEAT_CONTAINER_OF(to, struct fuzz_client, client);

	LEAT_VERIFY(command_ctx == &ctx);
	LEAT_VERIFY(reply_count(client->push, &client->push_writer, to->resp) == 1);
}

/* How many replies a request gets; it is asked before it is executed. */
static uint32_t
expected_replies(const struct fuzz_client *client, const struct leat_request *req)
{
	uint32_t nb_subs = leat_pubsub_nb_subscriptions(&client->client.subscriber);

	if (req->command == leat_command_find(LEAT_SLICE("subscribe")) && req->argc > 1)
		return req->argc - 1;
	if (req->command == leat_command_find(LEAT_SLICE("unsubscribe")))
		return req->argc > 1 ? req->argc - 1 : LEAT_MAX(1, nb_subs);
	return 1;
}

static void
client_close(struct fuzz_client *client)
{
	client->is_closed = true;
	leat_client_fini(&client->client, ctx.pubsub);
}

/* Decode and execute one request. Returns false when there is no whole one. */
static bool
client_step(struct fuzz_client *client)
{
	static const struct leat_protocol_limits limits = { .request_max = REQUEST_MAX,
		.argc_max = ARGV_MAX };
	struct leat_slice argv[ARGV_MAX];
	struct leat_request req;
	struct leat_writer writer;
	struct leat_reply reply = { .ops = protocol->reply, .writer = &writer };
	struct leat_slice in = { client->in, client->in_len };
	uint32_t nb_replies = 1;
	ssize_t ret = protocol->decode(&client->state, &limits, in, &req, argv, ARGV_MAX);

	if (ret == 0)
		return false;
	LEAT_VERIFY(ret != -ENOBUFS); /* nothing is larger than the whole room */
	leat_writer_init(&writer, reply_buf, sizeof(reply_buf));
	ctx.client = &client->client;
	if (ret < 0) {
		LEAT_VERIFY(req.close);
		protocol->refuse(&req, &reply);
	} else if (req.argc > 0) {
		nb_replies = expected_replies(client, &req);
		leat_command_execute(&ctx, &req, &reply);
		if (req.command == NULL && client->client.close) /* POST */
			nb_replies = 0;
	} else {
		nb_replies = 0;
	}
	if (!writer.failed)
		LEAT_VERIFY(reply_count(reply_buf, &writer, reply.resp) == nb_replies);
	if (ret < 0 || client->client.close) {
		client_close(client);
		return false;
	}
	client->in_len -= (size_t)ret;
	memmove(client->in, client->in + ret, client->in_len);
	return true;
}

static void
client_input(struct fuzz_client *client, const uint8_t *data, size_t len)
{
	while (len > 0 && !client->is_closed) {
		size_t part_len = LEAT_MIN(len, sizeof(client->in) - client->in_len);

		LEAT_VERIFY(part_len > 0); /* the decoder refuses what fills the buffer */
		memcpy(client->in + client->in_len, data, part_len);
		client->in_len += part_len;
		data += part_len;
		len -= part_len;
		while (client_step(client))
			;
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; /* libFuzzer reads its own arguments */
	(void)argv; /* and these with them */
	protocol = leat_protocol_find("resp");
	ctx.push_begin = push_begin;
	ctx.push_end = push_end;
	ctx.client_ends = client_ends;
	ctx.now_us = START_US;
	return fuzz_ctx_open(&ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_client *client = &clients[0];

	ctx.now_us = START_US;
	ctx.wall_ms = START_MS;
	for (unsigned int i = 0; i < NB_CLIENTS; i++) {
		leat_client_init(&clients[i].client, i + 1, ctx.now_us);
		memset(&clients[i].state, 0, sizeof(clients[i].state));
		clients[i].in_len = 0;
		clients[i].is_closed = false;
	}
	while (len > 0) {
		const uint8_t *turn = memchr(data, SWITCH, len);
		size_t part_len = turn != NULL ? (size_t)(turn - data) : len;

		client_input(client, data, part_len);
		if (turn == NULL)
			break;
		data += part_len + 1;
		len -= part_len + 1;
		client = client == &clients[0] ? &clients[1] : &clients[0];
		ctx.now_us += STEP_MS * 1000;
		ctx.wall_ms += STEP_MS;
		(void)leat_store_run(ctx.store, ctx.now_us); /* the store says by itself */
	}
	for (unsigned int i = 0; i < NB_CLIENTS; i++) {
		if (!clients[i].is_closed)
			client_close(&clients[i]);
	}
	LEAT_VERIFY(leat_pubsub_nb_channels(ctx.pubsub) == 0);
	leat_store_flush_all(ctx.store);
	while (leat_store_run(ctx.store, ctx.now_us) > 0)
		;
	return 0;
}
