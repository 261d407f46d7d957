/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_be.h>
#include <leat_zap_http.h>

#include "zaphttp_priv.h"

/* clang-format off */
#define TEXT(text) { (const uint8_t *)(text), sizeof(text) - 1 }
/* clang-format on */

static const struct leat_slice error_texts[LEAT_ZAPHTTP_ERRORS] = {
	[LEAT_ZAPHTTP_SHORT] = TEXT("malformed request frame: shorter than a header"),
	[LEAT_ZAPHTTP_MAGIC] = TEXT("malformed request frame: not a ZAP message"),
	[LEAT_ZAPHTTP_VERSION] = TEXT("malformed request frame: unknown version"),
	[LEAT_ZAPHTTP_SIZE] = TEXT("malformed request frame: wrong size"),
	[LEAT_ZAPHTTP_TYPE] = TEXT("malformed request frame: not a request"),
	[LEAT_ZAPHTTP_ROOT] = TEXT("malformed request frame: no root object"),
	[LEAT_ZAPHTTP_HEADERS] = TEXT("malformed request frame: bad headers"),
	[LEAT_ZAPHTTP_TRAILER] = TEXT("malformed request frame: bad trailer"),
	[LEAT_ZAPHTTP_FIELDS] = TEXT("malformed request frame: header fields too large"),
};

struct leat_slice
leat_zaphttp_error_text(enum leat_zaphttp_error error)
{
	LEAT_VERIFY(error < LEAT_ZAPHTTP_ERRORS);
	return error_texts[error];
}

/* Bytes of the frame at the front, without its length. Returns 1, 0, or as frame_take(). */
static int
frame_read_len(const struct leat_zaphttp_limits *limits, struct leat_slice in, uint32_t *len,
	enum leat_zaphttp_error *error)
{
	LEAT_VERIFY(limits->frame_max >= 1);
	LEAT_VERIFY(limits->frame_max <= LEAT_ZAPHTTP_FRAME_MAX);
	if (in.len < LEAT_ZAPHTTP_PREFIX_LEN)
		return 0;
	*len = leat_be32_get(in.data);
	if (*len == 0) {
		*error = LEAT_ZAPHTTP_EMPTY;
		return -EBADMSG;
	}
	if (*len > limits->frame_max) {
		*error = LEAT_ZAPHTTP_LONG;
		return -EMSGSIZE;
	}
	return 1;
}

/* Take a frame from the front. Returns as a parser does, with the error set where < 0. */
static ssize_t
frame_take(const struct leat_zaphttp_limits *limits, struct leat_slice in, struct leat_slice *frame,
	enum leat_zaphttp_error *error)
{
	uint32_t len;
	int ret = frame_read_len(limits, in, &len, error);

	if (ret <= 0)
		return ret;
	if (in.len - LEAT_ZAPHTTP_PREFIX_LEN < len)
		return 0;
	frame->data = in.data + LEAT_ZAPHTTP_PREFIX_LEN;
	frame->len = len;
	return (ssize_t)(LEAT_ZAPHTTP_PREFIX_LEN + len);
}

static enum leat_zaphttp_error
message_check(struct leat_slice frame, struct leat_zap_message *msg)
{
	switch (leat_zap_parse(frame, msg)) {
	case 0:
		return LEAT_ZAPHTTP_OK;
	case -EBADMSG:
		return LEAT_ZAPHTTP_MAGIC;
	case -EPROTONOSUPPORT:
		return LEAT_ZAPHTTP_VERSION;
	default: /* -ENODATA */
		return frame.len < LEAT_ZAP_HEADER_LEN ? LEAT_ZAPHTTP_SHORT : LEAT_ZAPHTTP_SIZE;
	}
}

/* The core reader takes any root; a frame without one is refused. */
static enum leat_zaphttp_error
root_check(const struct leat_zap_message *msg)
{
	return msg->root < LEAT_ZAP_HEADER_LEN || msg->root >= msg->size ? LEAT_ZAPHTTP_ROOT
									 : LEAT_ZAPHTTP_OK;
}

/* Whoever looks for a field walks over the block again, of JSON byte by byte: both have limits. */
static enum leat_zaphttp_error
block_check(struct leat_zaphttp_block block, enum leat_zaphttp_error bad)
{
	struct leat_zaphttp_walk walk = leat_zaphttp_walk_begin(block);
	struct leat_zaphttp_field field;
	int ret;

	if (block.bytes.len > LEAT_ZAPHTTP_BLOCK_MAX)
		return LEAT_ZAPHTTP_FIELDS;
	do {
		ret = leat_zaphttp_walk_next(&walk, &field);
	} while (ret > 0);
	if (ret == -EMSGSIZE)
		return LEAT_ZAPHTTP_FIELDS;
	return ret < 0 ? bad : LEAT_ZAPHTTP_OK;
}

static enum leat_zaphttp_error
blocks_check(struct leat_zaphttp_block headers, struct leat_zaphttp_block trailer)
{
	enum leat_zaphttp_error error = block_check(headers, LEAT_ZAPHTTP_HEADERS);

	return error != LEAT_ZAPHTTP_OK ? error : block_check(trailer, LEAT_ZAPHTTP_TRAILER);
}

static ssize_t
refusal(enum leat_zaphttp_error error)
{
	return error == LEAT_ZAPHTTP_FIELDS ? -EMSGSIZE : -EBADMSG;
}

static struct leat_slice
text_or(struct leat_slice text, struct leat_slice otherwise)
{
	return text.len > 0 ? text : otherwise;
}

/* A message of the type of a request. */
static enum leat_zaphttp_error
request_check(struct leat_slice frame, struct leat_zap_message *msg)
{
	enum leat_zaphttp_error error = message_check(frame, msg);

	if (error == LEAT_ZAPHTTP_OK && msg->flags >> 8 != LEAT_ZAPHTTP_REQUEST)
		error = LEAT_ZAPHTTP_TYPE;
	return error;
}

static void
request_read(const struct leat_zaphttp_limits *limits, const struct leat_zap_message *msg,
	struct leat_zaphttp_request *req)
{
	struct leat_zap_http_request read;

	leat_zap_http_request_read(leat_zap_root(msg), &read);
	req->method = text_or(read.method, LEAT_SLICE("GET"));
	req->target = text_or(read.target, LEAT_SLICE("/"));
	req->proto = text_or(read.proto, LEAT_SLICE("HTTP/1.1"));
	req->body = read.body;
	req->headers.bytes = read.headers;
	req->headers.generation = limits->generation;
	req->trailer.bytes = read.trailer;
	req->trailer.generation = limits->generation;
}

ssize_t
leat_zaphttp_parse_request(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	struct leat_zaphttp_request *req)
{
	struct leat_zap_message msg;
	struct leat_slice frame;
	ssize_t ret = frame_take(limits, in, &frame, &req->error);

	if (ret <= 0)
		return ret;
	req->error = request_check(frame, &msg);
	if (req->error == LEAT_ZAPHTTP_OK)
		req->error = root_check(&msg);
	if (req->error == LEAT_ZAPHTTP_OK) {
		request_read(limits, &msg, req);
		req->error = blocks_check(req->headers, req->trailer);
	}
	return req->error == LEAT_ZAPHTTP_OK ? ret : refusal(req->error);
}

/* The front is read as a message that ends with it: what lies behind, lies outside. */
ssize_t
leat_zaphttp_peek_request(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	uint32_t front_len, struct leat_zaphttp_request *req)
{
	struct leat_zap_message msg;
	uint32_t len;
	int ret = frame_read_len(limits, in, &len, &req->error);

	LEAT_VERIFY(front_len >= LEAT_ZAP_HEADER_LEN);
	if (ret <= 0)
		return ret;
	if (len <= front_len || in.len - LEAT_ZAPHTTP_PREFIX_LEN < front_len)
		return 0;
	/* Of a message only the header is looked at, which is there. */
	req->error =
		request_check((struct leat_slice){ in.data + LEAT_ZAPHTTP_PREFIX_LEN, len }, &msg);
	if (req->error != LEAT_ZAPHTTP_OK)
		return refusal(req->error);
	msg.size = LEAT_MIN(msg.size, front_len);
	request_read(limits, &msg, req);
	req->body = (struct leat_slice){ NULL, 0 };
	req->trailer.bytes = (struct leat_slice){ NULL, 0 };
	req->error = blocks_check(req->headers, req->trailer);
	if (req->error != LEAT_ZAPHTTP_OK)
		return refusal(req->error);
	return (ssize_t)LEAT_ZAPHTTP_PREFIX_LEN + len;
}

static void
response_read(struct leat_zap_object root, struct leat_zaphttp_reply *reply)
{
	struct leat_zap_http_response read;

	leat_zap_http_response_read(root, &read);
	reply->status = read.status == 0 ? 200 : read.status;
	reply->reason = read.reason;
	reply->proto = text_or(read.proto, LEAT_SLICE("HTTP/1.1"));
	reply->headers.bytes = read.headers;
	if (reply->type == LEAT_ZAPHTTP_RESPONSE) {
		reply->body = read.body;
		reply->trailer.bytes = read.trailer;
	}
}

static enum leat_zaphttp_error
reply_read(const struct leat_zaphttp_limits *limits, struct leat_slice frame,
	struct leat_zaphttp_reply *reply)
{
	struct leat_zap_http_chunk chunk;
	struct leat_zap_message msg;
	enum leat_zaphttp_error error;

	error = message_check(frame, &msg);
	if (error != LEAT_ZAPHTTP_OK)
		return error;
	if (msg.flags >> 8 < LEAT_ZAPHTTP_RESPONSE || msg.flags >> 8 > LEAT_ZAPHTTP_END)
		return LEAT_ZAPHTTP_TYPE;
	error = root_check(&msg);
	if (error != LEAT_ZAPHTTP_OK)
		return error;
	*reply = (struct leat_zaphttp_reply){ .type = (enum leat_zaphttp_type)(msg.flags >> 8) };
	reply->headers.generation = limits->generation;
	reply->trailer.generation = limits->generation;
	if (reply->type <= LEAT_ZAPHTTP_HEAD) {
		response_read(leat_zap_root(&msg), reply);
		return blocks_check(reply->headers, reply->trailer);
	}
	leat_zap_http_chunk_read(leat_zap_root(&msg), &chunk);
	if (reply->type == LEAT_ZAPHTTP_DATA)
		reply->body = chunk.bytes;
	else
		reply->trailer.bytes = chunk.bytes;
	return blocks_check(reply->headers, reply->trailer);
}

ssize_t
leat_zaphttp_parse_reply(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	struct leat_zaphttp_reply *reply)
{
	struct leat_slice frame;
	ssize_t ret = frame_take(limits, in, &frame, &reply->error);

	if (ret <= 0)
		return ret;
	reply->error = reply_read(limits, frame, reply);
	return reply->error == LEAT_ZAPHTTP_OK ? ret : refusal(reply->error);
}
