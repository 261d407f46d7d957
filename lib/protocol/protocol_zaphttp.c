/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * HTTP over ZAP: requests for routes, and their answers, in frames. A frame says its length, so
 * that nothing is remembered between two looks at the same bytes, but that a guest's was judged.
 *
 * A guest's frame of more than LEAT_PROTOCOL_GUEST_MAX bytes is judged when so many of them have
 * come, by the header fields among them. Clients write these before the body.
 *
 * A listener's clients write header fields either in pairs or as JSON. There are two protocols for
 * that, which differ in nothing else: a request without fields looks the same in both, and its
 * answer does not.
 */

#include <errno.h>

#include <leat_zaphttp.h>

#include "protocol_priv.h"

/* Bits of reply_flags. */
#define ZAP_REPLY_JSON 0x1u /* the generation of its header fields */
#define ZAP_REPLY_HEAD 0x2u /* no body */

#define ZAP_DATA_LEN   (1u << 20) /* bytes of a body in one frame, of those that need several */

/* A refusal above all of lib/zap is a status of HTTP. */
#define ZAP_STATUS_MIN 400

static_assert(ZAP_STATUS_MIN >= LEAT_ZAPHTTP_ERRORS, "an error is no status");
static_assert(sizeof(struct leat_zaphttp_walk) <= sizeof(((struct leat_web_fields *)0)->words),
	"a walk over a block is the walk over the fields");

/* The next field that says something here: that of a length does not. */
static bool
fields_next(struct leat_web_fields *fields, struct leat_web_field *field)
{
	struct leat_zaphttp_field zap_field;
	struct leat_zaphttp_walk walk;
	int ret;

	memcpy(&walk, fields->words, sizeof(walk));
	do
		ret = leat_zaphttp_walk_next(&walk, &zap_field);
	while (ret > 0 && leat_zaphttp_is_ignored(zap_field.name));
	LEAT_VERIFY(ret >= 0); /* the block was walked when the frame was parsed */
	memcpy(fields->words, &walk, sizeof(walk));
	if (ret == 0)
		return false;
	*field = (struct leat_web_field){
		.name = zap_field.name,
		.value = zap_field.value,
		.is_name_escaped = zap_field.is_name_escaped,
		.is_value_escaped = zap_field.is_value_escaped,
	};
	return true;
}

static void
fields_put_escaped(struct leat_writer *w, struct leat_slice text)
{
	leat_zaphttp_put_text(w, text, true);
}

static const struct leat_web_fields_ops zap_fields_ops = {
	.next = fields_next,
	.put_escaped = fields_put_escaped,
};

/* The part of @p s from the byte @p at on. */
static struct leat_slice
slice_from(struct leat_slice s, const uint8_t *at)
{
	return (struct leat_slice){ at, (size_t)(s.data + s.len - at) };
}

/*
 * The path of a target in absolute form, which begins behind the authority. A target in any
 * other form is its own path; one that is none, such as "foo", has no route.
 */
static struct leat_slice
target_rest(struct leat_slice target)
{
	const uint8_t *colon;
	const uint8_t *slash;

	if (target.data[0] == '/')
		return target;
	colon = memchr(target.data, ':', target.len);
	if (colon == NULL || slice_from(target, colon).len < 3 || memcmp(colon, "://", 3) != 0)
		return target;
	for (slash = colon + 3; slash < target.data + target.len; slash++) {
		if (*slash == '/' || *slash == '?')
			break;
	}
	return slice_from(target, slash);
}

static void
target_split(struct leat_slice target, struct leat_slice *path, struct leat_slice *query)
{
	struct leat_slice rest = target_rest(target);
	const uint8_t *mark = rest.len > 0 ? memchr(rest.data, '?', rest.len) : NULL;

	*path = rest;
	*query = LEAT_SLICE("");
	if (mark != NULL) {
		path->len = (size_t)(mark - rest.data);
		*query = slice_from(rest, mark + 1);
	}
	if (path->len == 0) /* of an absolute URI without a path (RFC 9110 section 4.2.3) */
		*path = LEAT_SLICE("/");
}

/* What waist 2 knows of a request; its body is not among its pieces yet. */
static struct leat_web_request
request_web(const struct leat_zaphttp_request *zap)
{
	struct leat_zaphttp_walk walk = leat_zaphttp_walk_begin(zap->headers);
	struct leat_web_request web = {
		.method = leat_http_method_find(zap->method),
		.method_name = zap->method,
		.target = zap->target,
		.fields.ops = &zap_fields_ops,
	};

	memcpy(web.fields.words, &walk, sizeof(walk));
	target_split(zap->target, &web.path, &web.query);
	return web;
}

/* What a well-formed request asks for; as leat_route_request(). */
static int
request_route(const struct leat_protocol_limits *limits, const struct leat_zaphttp_request *zap,
	struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	struct leat_web_request web = request_web(zap);

	web.nb_pieces = zap->body.len > 0;
	web.pieces = argv + LEAT_WEB_ARGV_HEAD;
	web.body_len = zap->body.len;
	argv[LEAT_WEB_ARGV_HEAD] = zap->body;
	req->reply_flags |= web.method == LEAT_HTTP_HEAD ? ZAP_REPLY_HEAD : 0;
	return leat_route_request(limits->routes, &web, argv, argv_max, req);
}

/*
 * Judge a guest's long frame by its front. Returns > 0: it is taken in; 0: not yet, or there is
 * nothing to judge; < 0: the refusal is in @p req.
 */
static ssize_t
guest_judge(const struct leat_protocol_limits *limits, const struct leat_zaphttp_limits *zap_limits,
	struct leat_slice in, struct leat_request *req)
{
	struct leat_zaphttp_request zap;
	struct leat_web_request web;
	bool is_guests;
	ssize_t ret = leat_zaphttp_peek_request(zap_limits, in, LEAT_PROTOCOL_GUEST_MAX, &zap);

	if (ret == 0)
		return 0;
	if (ret < 0) {
		req->refusal = (int32_t)zap.error;
		return ret;
	}
	web = request_web(&zap);
	web.body_len = (size_t)ret; /* as far as is known: where no password is needed, too long */
	req->refusal = leat_route_admit(limits->routes, limits->server, &web, &is_guests);
	req->reply_flags |= web.method == LEAT_HTTP_HEAD ? ZAP_REPLY_HEAD : 0;
	return req->refusal == 0 ? ret : -EBADMSG;
}

/* Decode a frame that need not be judged any more, but for an error in it. */
static ssize_t
frame_decode(const struct leat_protocol_limits *limits,
	const struct leat_zaphttp_limits *zap_limits, struct leat_slice in,
	struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	struct leat_zaphttp_request zap;
	ssize_t ret = leat_zaphttp_parse_request(zap_limits, in, &zap);

	if (ret < 0)
		req->refusal = (int32_t)zap.error;
	if (ret <= 0)
		return ret;
	return request_route(limits, &zap, req, argv, argv_max) < 0 ? -ENOBUFS : ret;
}

static ssize_t
zap_decode(enum leat_zaphttp_generation generation, struct leat_protocol_state *state,
	const struct leat_protocol_limits *limits, struct leat_slice in, struct leat_request *req,
	struct leat_slice *argv, uint32_t argv_max)
{
	const struct leat_zaphttp_limits zap_limits = {
		.frame_max =
			(uint32_t)LEAT_MIN(limits->request_max, (size_t)LEAT_ZAPHTTP_FRAME_MAX),
		.generation = generation,
	};
	uint64_t *is_judged = &state->words[0];
	ssize_t ret = 0;

	if (argv_max < LEAT_WEB_ARGV_HEAD + 1) /* the body is one piece */
		return -ENOBUFS;
	*req = (struct leat_request){ 0 };
	req->reply_flags = generation == LEAT_ZAPHTTP_JSON ? ZAP_REPLY_JSON : 0;
	if (limits->is_guest && *is_judged == 0) {
		ret = guest_judge(limits, &zap_limits, in, req);
		*is_judged = ret > 0;
	}
	if (ret >= 0)
		ret = frame_decode(limits, &zap_limits, in, req, argv, argv_max);
	if (ret > 0)
		*is_judged = 0; /* the next one is not */
	req->close = ret < 0;
	return ret;
}

static ssize_t
zap_decode_binary(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	return zap_decode(LEAT_ZAPHTTP_BINARY, state, limits, in, req, argv, argv_max);
}

static ssize_t
zap_decode_json(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	return zap_decode(LEAT_ZAPHTTP_JSON, state, limits, in, req, argv, argv_max);
}

static void
zap_rewind(struct leat_protocol_state *state)
{
	memset(state, 0, sizeof(*state));
}

static struct leat_slice
zap_interim(struct leat_protocol_state *state)
{
	(void)state; /* a client never waits in the middle of a frame */
	return (struct leat_slice){ NULL, 0 };
}

/* A frame may take as long as a body; who takes longer is closed without a word. */
static enum leat_protocol_wait
zap_waits_for(const struct leat_protocol_state *state, struct leat_request *refusal)
{
	(void)state;
	*refusal = (struct leat_request){ .refusal = LEAT_ZAPHTTP_EMPTY, .close = true };
	return LEAT_PROTOCOL_WAITS_BODY;
}

static enum leat_zaphttp_generation
reply_generation(const struct leat_reply *reply)
{
	return (reply->flags & ZAP_REPLY_JSON) != 0 ? LEAT_ZAPHTTP_JSON : LEAT_ZAPHTTP_BINARY;
}

/* Write a part of the body. */
static void
answer_put(struct leat_reply *reply, const struct leat_web_answer *answer, struct leat_slice part)
{
	if (answer->is_const)
		leat_writer_put_ref(reply->writer, part, NULL);
	else
		leat_writer_put_slice(reply->writer, part);
}

/* A body that is too long for a frame goes in several. */
static void
answer_stream(struct leat_reply *reply, const struct leat_zaphttp_out_response *res,
	const struct leat_web_answer *answer)
{
	enum leat_zaphttp_generation generation = reply_generation(reply);
	const struct leat_zaphttp_fields none = { NULL, 0 };

	LEAT_VERIFY(leat_zaphttp_emit_head(reply->writer, generation, res) == 0);
	for (uint32_t i = 0; i < answer->nb_slices; i++) {
		struct leat_slice left = answer->body[i];

		while (left.len > 0) {
			struct leat_slice part = { left.data, LEAT_MIN(left.len, ZAP_DATA_LEN) };

			LEAT_VERIFY(leat_zaphttp_emit_data_front(reply->writer, part.len) == 0);
			answer_put(reply, answer, part);
			left.data += part.len;
			left.len -= part.len;
		}
	}
	LEAT_VERIFY(leat_zaphttp_emit_end(reply->writer, generation, none) == 0);
}

static void
answer_write(struct leat_reply *reply, const struct leat_zaphttp_out_response *res,
	const struct leat_web_answer *answer)
{
	int ret = leat_zaphttp_emit_response_front(reply->writer, reply_generation(reply), res);

	if (ret == -EMSGSIZE) {
		answer_stream(reply, res, answer);
		return;
	}
	LEAT_VERIFY(ret == 0);
	for (uint32_t i = 0; i < answer->nb_slices && res->body.len > 0; i++)
		answer_put(reply, answer, answer->body[i]);
}

/* A type comes first, as in the frames of other servers. */
static void
zap_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	struct leat_zaphttp_field fields[1 + LEAT_WEB_FIELDS_MAX] = { 0 };
	struct leat_zaphttp_out_response res = { .status = answer->status };
	size_t nb_fields = 0;

	LEAT_VERIFY(answer->nb_fields <= LEAT_WEB_FIELDS_MAX);
	if (answer->content_type.len > 0) {
		fields[nb_fields].name = LEAT_SLICE("Content-Type");
		fields[nb_fields++].value = answer->content_type;
	}
	for (uint32_t i = 0; i < answer->nb_fields; i++) {
		fields[nb_fields].name = answer->fields[i].name;
		fields[nb_fields++].value = answer->fields[i].value;
	}
	res.headers = (struct leat_zaphttp_fields){ fields, nb_fields };
	if ((reply->flags & ZAP_REPLY_HEAD) == 0) {
		for (uint32_t i = 0; i < answer->nb_slices; i++)
			res.body.len += answer->body[i].len;
	}
	answer_write(reply, &res, answer);
}

/* A frame with a wrong length has no words; behind any that is refused nothing is read. */
static void
zap_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	enum leat_zaphttp_error error = (enum leat_zaphttp_error)req->refusal;
	struct leat_slice text;

	if (req->refusal >= ZAP_STATUS_MIN) {
		leat_web_answer_status(reply, (uint16_t)req->refusal);
		return;
	}
	LEAT_VERIFY(error > LEAT_ZAPHTTP_OK);
	LEAT_VERIFY(error < LEAT_ZAPHTTP_ERRORS);
	if (leat_zaphttp_is_silent(error))
		return;
	text = leat_zaphttp_error_text(error);
	zap_answer(reply, &(struct leat_web_answer){
				  .status = 400,
				  .content_type = LEAT_SLICE("text/plain; charset=utf-8"),
				  .body = &text,
				  .nb_slices = 1,
			  });
}

static const struct leat_reply_ops zap_reply_ops = LEAT_ROUTE_REPLY_OPS(zap_answer);

const struct leat_protocol protocol_zaphttp = {
	.name = "zap",
	.decode = zap_decode_binary,
	.rewind = zap_rewind,
	.interim = zap_interim,
	.waits_for = zap_waits_for,
	.refuse = zap_refuse,
	.reply = &zap_reply_ops,
};

const struct leat_protocol leat_protocol_zap_json = {
	.name = "zap",
	.decode = zap_decode_json,
	.rewind = zap_rewind,
	.interim = zap_interim,
	.waits_for = zap_waits_for,
	.refuse = zap_refuse,
	.reply = &zap_reply_ops,
};
