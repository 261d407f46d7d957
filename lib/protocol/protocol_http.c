/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * HTTP/1.1: a route turns method and path into a command; the command's reply becomes
 * a status and a body.
 *
 * | reply               | status | body                         |
 * |---------------------|--------|------------------------------|
 * | status              | 200    | its text                     |
 * | integer, score      | 200    | in decimal                   |
 * | bytes               | 200    | as they are                  |
 * | null                | 404    | "Not Found"                  |
 * | error               | 400    | its text; 500 for our own    |
 * | array, map, push    | none: no route leads to a command that answers so         |
 *
 * A body is application/octet-stream where it came from a client, whatever type that
 * client gave it, so that no browser runs it.
 */

#include <errno.h>

#include <leat_http.h>
#include <leat_resp.h>

#include "protocol_priv.h"

#define HTTP_ARGV_MIN 2 /* of any route: its name and one piece of a body */

/* Bits of reply_flags; the rest is 1 + the index of the route, 0: no route. */
#define HTTP_REPLY_HEAD            0x1u /* no body */
#define HTTP_REPLY_CLOSE           0x2u
#define HTTP_REPLY_KEEP_ALIVE      0x4u /* to be said, since HTTP/1.0 closes by default */
#define HTTP_REPLY_ROUTE_SHIFT     8

#define HTTP_OK                    200
#define HTTP_BAD_REQUEST           400
#define HTTP_NOT_FOUND             404
#define HTTP_METHOD_NOT_ALLOWED    405
#define HTTP_INTERNAL_SERVER_ERROR 500
#define HTTP_NOT_IMPLEMENTED       501

#define METHOD(name)               (1u << LEAT_HTTP_##name)

static_assert(sizeof(struct leat_http_parser) <= LEAT_PROTOCOL_STATE_LEN,
	"the parser is the decoder's state");

static bool reply_emit_head(struct leat_reply *reply, uint16_t status,
	struct leat_slice content_type, size_t content_len);

/* One path that is served. */
struct http_route {
	struct leat_slice path;
	uint32_t methods;                   /* METHOD() bits */
	struct leat_slice allow;            /* the same in words, for 405 */
	const struct leat_command *command; /* NULL: of the table, by name */
	struct leat_slice name;             /* argv[0] */
	bool takes_body;                    /* as argv[1] */
};

/* As the command, of a body in pieces. */
static void
echo_pieces_run(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	size_t len = 0;

	(void)ctx; /* as every command takes it */
	for (uint32_t i = 1; i < req->argc; i++)
		len += req->argv[i].len;
	if (!reply_emit_head(reply, HTTP_OK, LEAT_SLICE("application/octet-stream"), len))
		return;
	for (uint32_t i = 1; i < req->argc; i++)
		leat_writer_put_slice(reply->writer, req->argv[i]);
}

static const struct leat_command command_echo_pieces = {
	.name = "echo",
	.arity = -2,
	.flags = LEAT_COMMAND_FAST,
	.run = echo_pieces_run,
};

static const struct http_route routes[] = {
	{
		.path = { (const uint8_t *)"/health", 7 },
		.methods = METHOD(GET) | METHOD(HEAD),
		.allow = { (const uint8_t *)"GET, HEAD", 9 },
		.command = &leat_command_health,
		.name = { (const uint8_t *)"health", 6 },
	},
	{
		.path = { (const uint8_t *)"/echo", 5 },
		.methods = METHOD(POST),
		.allow = { (const uint8_t *)"POST", 4 },
		.name = { (const uint8_t *)"echo", 4 },
		.takes_body = true,
	},
};

static const struct http_route *
route_find(struct leat_slice path)
{
	for (size_t i = 0; i < LEAT_DIM(routes); i++) {
		if (leat_slice_is_equal(path, routes[i].path))
			return &routes[i];
	}
	return NULL;
}

static uint32_t
request_reply_flags(const struct leat_http_request *http)
{
	uint32_t flags = 0;

	if (http->method == LEAT_HTTP_HEAD)
		flags |= HTTP_REPLY_HEAD;
	if (!http->is_keep_alive)
		flags |= HTTP_REPLY_CLOSE;
	else if (http->minor == 0)
		flags |= HTTP_REPLY_KEEP_ALIVE;
	return flags;
}

/* The decoder has put the pieces of the body behind argv[0]. */
static void
request_take_body(const struct leat_http_request *http, struct leat_request *req)
{
	if (http->body.nb_pieces == 0)
		req->argv[1] = LEAT_SLICE("");
	else if (http->body.nb_pieces > 1)
		req->command = &command_echo_pieces; /* the only route that takes a body */
	req->argc += LEAT_MAX(http->body.nb_pieces, 1u);
}

/* What a well-formed request asks for. */
static void
request_route(const struct leat_http_request *http, struct leat_request *req)
{
	const struct http_route *route = route_find(http->path);

	if (http->method == LEAT_HTTP_METHOD_OTHER || http->method == LEAT_HTTP_CONNECT) {
		req->refusal = HTTP_NOT_IMPLEMENTED;
		return;
	}
	if (route == NULL) {
		req->refusal = HTTP_NOT_FOUND;
		return;
	}
	req->reply_flags |= (uint32_t)(route - routes + 1) << HTTP_REPLY_ROUTE_SHIFT;
	if ((route->methods & (1u << http->method)) == 0) {
		req->refusal = HTTP_METHOD_NOT_ALLOWED;
		return;
	}
	req->command = route->command != NULL ? route->command : leat_command_find(route->name);
	LEAT_VERIFY(req->command != NULL);
	req->argv[req->argc++] = route->name;
	if (route->takes_body)
		request_take_body(http, req);
	req->argv_len = req->argc;
}

static ssize_t
http_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	struct leat_http_limits http_limits = { .message_max = limits->request_max };
	struct leat_http_parser parser;
	struct leat_http_request http;
	ssize_t ret;

	if (argv_max < HTTP_ARGV_MIN)
		return -ENOBUFS;
	/* A body must fit into the room of an empty turn. */
	if (limits->argc_max > 0)
		http_limits.pieces_max = LEAT_MIN(limits->argc_max - 1, LEAT_HTTP_PIECES_MAX);
	memcpy(&parser, state->words, sizeof(parser));
	http.body.pieces = argv + 1;
	http.body.pieces_max = argv_max - 1;
	ret = leat_http_parse_request(&parser, &http_limits, in, &http);
	if (ret == -ENOBUFS)
		return ret; /* the state stays what it was: the next turn may see fewer bytes */
	memcpy(state->words, &parser, sizeof(parser));
	if (ret == 0)
		return 0;
	*req = (struct leat_request){ 0 };
	req->argv = argv;
	req->reply_flags = request_reply_flags(&http);
	req->close = !http.is_keep_alive;
	req->refusal = http.status;
	if (ret > 0)
		request_route(&http, req);
	return ret;
}

/* That the peer was told to go on is true of the request that comes again, too. */
static void
http_rewind(struct leat_protocol_state *state)
{
	struct leat_http_parser parser;
	bool is_continue_taken;

	memcpy(&parser, state->words, sizeof(parser));
	is_continue_taken = parser.is_continue_taken;
	parser = (struct leat_http_parser){ .is_continue_taken = is_continue_taken };
	memcpy(state->words, &parser, sizeof(parser));
}

static struct leat_slice
http_interim(struct leat_protocol_state *state)
{
	struct leat_http_parser parser;
	bool is_due;

	memcpy(&parser, state->words, sizeof(parser));
	is_due = leat_http_take_continue(&parser);
	memcpy(state->words, &parser, sizeof(parser));
	return is_due ? leat_http_continue() : LEAT_SLICE("");
}

/* Write the head of a reply. False: it was to HEAD, there is no body to follow. */
static bool
reply_emit_head(struct leat_reply *reply, uint16_t status, struct leat_slice content_type,
	size_t content_len)
{
	struct leat_http_response res = {
		.status = status,
		.wall_ms = reply->wall_ms,
		.content_len = content_len,
		.content_type = content_type,
	};
	uint32_t route = reply->flags >> HTTP_REPLY_ROUTE_SHIFT;

	if ((reply->flags & HTTP_REPLY_CLOSE) != 0)
		res.connection = LEAT_HTTP_CONNECTION_CLOSE;
	else if ((reply->flags & HTTP_REPLY_KEEP_ALIVE) != 0)
		res.connection = LEAT_HTTP_CONNECTION_KEEP_ALIVE;
	if (status == HTTP_METHOD_NOT_ALLOWED && route > 0)
		res.allow = routes[route - 1].allow;
	leat_http_emit_head(reply->writer, &res);
	return (reply->flags & HTTP_REPLY_HEAD) == 0;
}

static void
reply_emit(struct leat_reply *reply, struct leat_slice content_type, struct leat_slice body)
{
	if (reply_emit_head(reply, HTTP_OK, content_type, body.len))
		leat_writer_put_slice(reply->writer, body);
}

/* A reply that a person reads: one line. */
static void
reply_emit_line(struct leat_reply *reply, uint16_t status, struct leat_slice text)
{
	if (!reply_emit_head(reply, status, LEAT_SLICE("text/plain"), text.len + 1))
		return;
	leat_writer_put_slice(reply->writer, text);
	leat_writer_put_u8(reply->writer, '\n');
}

static void
http_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	uint16_t status = (uint16_t)req->refusal;

	LEAT_VERIFY(status != 0);
	reply_emit_line(reply, status, leat_http_reason(status));
}

static void
reply_null(struct leat_reply *reply)
{
	reply_emit_line(reply, HTTP_NOT_FOUND, leat_http_reason(HTTP_NOT_FOUND));
}

static void
reply_status(struct leat_reply *reply, struct leat_slice text)
{
	reply_emit(reply, LEAT_SLICE("text/plain"), text);
}

static void
reply_integer(struct leat_reply *reply, int64_t value)
{
	char text[LEAT_INT64_TEXT_MAX];
	struct leat_slice s = { (const uint8_t *)text, leat_format_int64(value, text) };

	reply_emit(reply, LEAT_SLICE("text/plain"), s);
}

static void
reply_score(struct leat_reply *reply, double value)
{
	char text[LEAT_RESP_DOUBLE_TEXT_MAX];
	struct leat_slice s = { (const uint8_t *)text, leat_resp_format_double(value, text) };

	reply_emit(reply, LEAT_SLICE("text/plain"), s);
}

static void
reply_bytes(struct leat_reply *reply, struct leat_slice value)
{
	reply_emit(reply, LEAT_SLICE("application/octet-stream"), value);
}

static void
reply_aggregate(struct leat_reply *reply, uint32_t nb_values)
{
	/* A route to such a command is our own mistake: one request would get many replies. */
	(void)reply;
	(void)nb_values;
	LEAT_VERIFY(false);
}

/* Errors whose cause is here and not in the request, by their first word. */
static bool
error_is_ours(struct leat_slice text)
{
	static const struct leat_slice kinds[] = {
		{ (const uint8_t *)"OOM ", 4 },
	};

	for (size_t i = 0; i < LEAT_DIM(kinds); i++) {
		struct leat_slice start = { text.data, LEAT_MIN(text.len, kinds[i].len) };

		if (leat_slice_is_equal(start, kinds[i]))
			return true;
	}
	return false;
}

static void
reply_error(struct leat_reply *reply, struct leat_slice text)
{
	uint16_t status = error_is_ours(text) ? HTTP_INTERNAL_SERVER_ERROR : HTTP_BAD_REQUEST;

	reply_emit_line(reply, status, text);
}

static const struct leat_reply_ops http_reply_ops = {
	.null = reply_null,
	.status = reply_status,
	.integer = reply_integer,
	.score = reply_score,
	.bytes = reply_bytes,
	.array = reply_aggregate,
	.verbatim = reply_bytes,
	.map = reply_aggregate,
	.set = reply_aggregate,
	.push = reply_aggregate,
	.error = reply_error,
};

const struct leat_protocol protocol_http = {
	.name = "http",
	.decode = http_decode,
	.rewind = http_rewind,
	.interim = http_interim,
	.refuse = http_refuse,
	.reply = &http_reply_ops,
};
