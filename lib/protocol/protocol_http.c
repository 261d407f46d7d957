/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * HTTP/1.1: requests for routes, and their answers.
 */

#include <errno.h>

#include <leat_http.h>

#include "protocol_priv.h"

#define HTTP_REQUEST_TIMEOUT 408

/* Bits of reply_flags. */
#define HTTP_REPLY_HEAD       0x1u /* no body */
#define HTTP_REPLY_CLOSE      0x2u
#define HTTP_REPLY_KEEP_ALIVE 0x4u /* to be said, since HTTP/1.0 closes by default */

static_assert(sizeof(struct leat_http_parser) <= LEAT_PROTOCOL_STATE_LEN,
	"the parser is the decoder's state");
static_assert(sizeof(struct leat_http_fields) <= sizeof(((struct leat_web_fields *)0)->words),
	"the fields of a head are walked in place");
static_assert(LEAT_ROUTE_PARAMS_LEN_MAX >= LEAT_HTTP_LINE_MAX, "no path has more parameters");

static bool
fields_next(struct leat_web_fields *fields, struct leat_web_field *field)
{
	struct leat_http_fields http_fields;
	struct leat_http_field http_field;
	bool is_there;

	memcpy(&http_fields, fields->words, sizeof(http_fields));
	is_there = leat_http_fields_next(&http_fields, &http_field);
	memcpy(fields->words, &http_fields, sizeof(http_fields));
	if (is_there)
		*field = (struct leat_web_field){
			.name = http_field.name,
			.value = http_field.value,
		};
	return is_there;
}

static void
fields_put_escaped(struct leat_writer *w, struct leat_slice text)
{
	(void)w; /* no field is escaped */
	(void)text;
	LEAT_VERIFY(false);
}

static const struct leat_web_fields_ops http_fields_ops = {
	.next = fields_next,
	.put_escaped = fields_put_escaped,
};

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

/* What waist 2 knows of a request; its pieces and their number are empty where they are not known. */
static struct leat_web_request
request_web(const struct leat_http_request *http)
{
	struct leat_web_request web = {
		.method = http->method,
		.nb_pieces = http->body.nb_pieces,
		.method_name = http->method_name,
		.target = http->target,
		.path = http->path,
		.query = http->query,
		.fields.ops = &http_fields_ops,
		.pieces = http->body.pieces,
		.body_len = http->body.len,
	};

	memcpy(web.fields.words, &http->fields, sizeof(http->fields));
	return web;
}

/* Chunks of a body for which the room of an empty turn is enough, whatever the path. */
static uint32_t
pieces_max(const struct leat_protocol_limits *limits)
{
	uint32_t others = LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL;

	if (limits->argc_max == 0)
		return LEAT_HTTP_PIECES_MAX;
	LEAT_VERIFY(limits->argc_max > others);
	return LEAT_MIN(limits->argc_max - others, LEAT_HTTP_PIECES_MAX);
}

/*
 * Read a guest's head, and judge it before its body is taken in: a marked parser is that of a
 * guest's own request, whose body has to be short. Without a body there is nothing to take in, and
 * the connection may go on behind the answer. Returns as leat_http_parse_head().
 */
static ssize_t
guest_parse_head(struct leat_http_parser *parser, const struct leat_protocol_limits *limits,
	const struct leat_http_limits *http_limits, struct leat_slice in,
	struct leat_http_request *http)
{
	ssize_t ret = leat_http_parse_head(parser, http_limits, in, http);
	struct leat_web_request web;

	if (ret <= 0 || (http->body.len == 0 && !http->body.is_chunked))
		return ret;
	web = request_web(http);
	http->status = leat_route_admit(limits->routes, limits->server, &web, &parser->is_marked);
	if (http->status == 0)
		return ret;
	http->is_keep_alive = false;
	return -EBADMSG;
}

/* Parse on, as leat_http_parse_request(). */
static ssize_t
request_parse(struct leat_http_parser *parser, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_http_request *http)
{
	struct leat_http_limits http_limits = {
		.message_max = limits->request_max,
		.pieces_max = pieces_max(limits),
	};

	if (limits->is_guest && parser->body_off == 0) {
		ssize_t ret = guest_parse_head(parser, limits, &http_limits, in, http);

		if (ret <= 0)
			return ret;
	}
	if (parser->is_marked)
		http_limits.message_max = LEAT_MIN(
			limits->request_max, (size_t)parser->body_off + LEAT_WEB_GUEST_BODY_MAX);
	return leat_http_parse_request(parser, &http_limits, in, http);
}

static ssize_t
http_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	struct leat_http_parser parser;
	struct leat_http_request http;
	struct leat_web_request web;
	ssize_t ret;

	if (argv_max < LEAT_WEB_ARGV_HEAD)
		return -ENOBUFS;
	memcpy(&parser, state->words, sizeof(parser));
	http.body.pieces = argv + LEAT_WEB_ARGV_HEAD;
	http.body.pieces_max = argv_max - LEAT_WEB_ARGV_HEAD;
	ret = request_parse(&parser, limits, in, &http);
	if (ret == -ENOBUFS)
		return ret; /* the state stays what it was: the next turn may see fewer bytes */
	*req = (struct leat_request){ 0 };
	if (ret > 0) {
		web = request_web(&http);
		if (leat_route_request(limits->routes, &web, argv, argv_max, req) < 0)
			return -ENOBUFS;
	}
	memcpy(state->words, &parser, sizeof(parser));
	if (ret == 0)
		return 0;
	req->reply_flags = request_reply_flags(&http);
	req->close = !http.is_keep_alive;
	req->refusal = http.status;
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

static void
http_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	struct leat_http_field fields[LEAT_WEB_FIELDS_MAX];
	struct leat_http_response res = {
		.status = answer->status,
		.wall_ms = reply->wall_ms,
		.content_type = answer->content_type,
		.fields = fields,
		.nb_fields = answer->nb_fields,
	};

	LEAT_VERIFY(answer->nb_fields <= LEAT_WEB_FIELDS_MAX);
	for (uint32_t i = 0; i < answer->nb_fields; i++) {
		fields[i].name = answer->fields[i].name;
		fields[i].value = answer->fields[i].value;
	}
	if (reply->date != NULL && reply->wall_ms > 0)
		res.date = leat_http_date_text(reply->date, reply->wall_ms);
	for (uint32_t i = 0; i < answer->nb_slices; i++)
		res.content_len += answer->body[i].len;
	if ((reply->flags & HTTP_REPLY_CLOSE) != 0)
		res.connection = LEAT_HTTP_CONNECTION_CLOSE;
	else if ((reply->flags & HTTP_REPLY_KEEP_ALIVE) != 0)
		res.connection = LEAT_HTTP_CONNECTION_KEEP_ALIVE;
	leat_http_emit_head(reply->writer, &res);
	if ((reply->flags & HTTP_REPLY_HEAD) != 0)
		return;
	for (uint32_t i = 0; i < answer->nb_slices; i++) {
		if (answer->is_const)
			leat_writer_put_ref(reply->writer, answer->body[i], NULL);
		else
			leat_writer_put_slice(reply->writer, answer->body[i]);
	}
}

static enum leat_protocol_wait
http_waits_for(const struct leat_protocol_state *state, struct leat_request *refusal)
{
	struct leat_http_parser parser;

	memcpy(&parser, state->words, sizeof(parser));
	*refusal = (struct leat_request){
		.refusal = HTTP_REQUEST_TIMEOUT,
		.reply_flags = HTTP_REPLY_CLOSE,
		.close = true,
	};
	return parser.body_off > 0 ? LEAT_PROTOCOL_WAITS_BODY : LEAT_PROTOCOL_WAITS_HEAD;
}

static void
http_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	LEAT_VERIFY(req->refusal != 0);
	leat_web_answer_status(reply, (uint16_t)req->refusal);
}

static const struct leat_reply_ops http_reply_ops = LEAT_ROUTE_REPLY_OPS(http_answer);

const struct leat_protocol protocol_http = {
	.name = "http",
	.decode = http_decode,
	.rewind = http_rewind,
	.interim = http_interim,
	.waits_for = http_waits_for,
	.refuse = http_refuse,
	.reply = &http_reply_ops,
};
