/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_zap_rpc.h>
#include <leat_zaprpc.h>

#define KIND_LEN      1u
#define STREAM_ID_LEN 4u

ssize_t
leat_zaprpc_parse_frame(uint32_t frame_max, struct leat_slice in, struct leat_zaprpc_frame *frame)
{
	uint32_t len;

	LEAT_VERIFY(frame_max >= 1);
	LEAT_VERIFY(frame_max <= LEAT_ZAPRPC_FRAME_MAX);
	if (in.len < LEAT_ZAPRPC_PREFIX_LEN)
		return 0;
	len = leat_le32_get(in.data);
	if (len == 0)
		return -EBADMSG;
	if (len > frame_max)
		return -EMSGSIZE;
	if (in.len - LEAT_ZAPRPC_PREFIX_LEN < len)
		return 0;
	frame->kind = in.data[LEAT_ZAPRPC_PREFIX_LEN];
	frame->body.data = in.data + LEAT_ZAPRPC_PREFIX_LEN + KIND_LEN;
	frame->body.len = len - KIND_LEN;
	return (ssize_t)(LEAT_ZAPRPC_PREFIX_LEN + len);
}

/* The root of an envelope, which must be there. */
static int
envelope_root(struct leat_slice body, struct leat_zap_object *root)
{
	struct leat_zap_message msg;
	int ret = leat_zap_parse(body, &msg);

	if (ret < 0)
		return ret;
	*root = leat_zap_root(&msg);
	return leat_zap_is_null(*root) ? -EBADMSG : 0;
}

int
leat_zaprpc_read_request(struct leat_slice body, struct leat_zaprpc_request *req)
{
	struct leat_zap_rpc_request read;
	struct leat_zap_object root;
	int ret = envelope_root(body, &root);

	if (ret < 0)
		return ret;
	leat_zap_rpc_request_read(root, &read);
	req->method = read.method;
	req->promise = read.promise;
	req->target = read.target;
	req->cap = read.cap;
	req->payload = read.payload;
	return 0;
}

int
leat_zaprpc_read_response(struct leat_slice body, struct leat_zaprpc_response *res)
{
	struct leat_zap_rpc_response read;
	struct leat_zap_object root;
	int ret = envelope_root(body, &root);

	if (ret < 0)
		return ret;
	leat_zap_rpc_response_read(root, &read);
	res->status = read.status;
	res->promise = read.promise;
	res->body = read.body;
	return 0;
}

int
leat_zaprpc_read_stream(struct leat_slice body, uint32_t *id, struct leat_slice *bytes)
{
	if (body.len < STREAM_ID_LEN)
		return -EBADMSG;
	*id = leat_le32_get(body.data);
	bytes->data = body.data + STREAM_ID_LEN;
	bytes->len = body.len - STREAM_ID_LEN;
	return 0;
}

/* Write length and kind of a frame with @p len bytes of body. */
static int
prefix_put(struct leat_writer *w, enum leat_zaprpc_kind kind, uint64_t len)
{
	uint8_t prefix[LEAT_ZAPRPC_PREFIX_LEN + KIND_LEN];

	if (len > LEAT_ZAPRPC_FRAME_MAX - KIND_LEN)
		return -EMSGSIZE;
	leat_le32_put(prefix, (uint32_t)len + KIND_LEN);
	prefix[LEAT_ZAPRPC_PREFIX_LEN] = (uint8_t)kind;
	leat_writer_put(w, prefix, sizeof(prefix));
	return 0;
}

int
leat_zaprpc_emit_request(
	struct leat_writer *w, enum leat_zaprpc_kind kind, const struct leat_zaprpc_request *req)
{
	struct leat_zap_rpc_request msg = {
		.method = req->method,
		.promise = req->promise,
		.target = req->target,
		.cap = req->cap,
		.payload = req->payload,
	};
	int ret = prefix_put(w, kind, leat_zap_rpc_request_size(&msg));

	LEAT_VERIFY(kind == LEAT_ZAPRPC_REQUEST || kind == LEAT_ZAPRPC_OPEN);
	return ret < 0 ? ret : leat_zap_rpc_request_emit(w, &msg);
}

int
leat_zaprpc_emit_response(struct leat_writer *w, const struct leat_zaprpc_response *res)
{
	struct leat_zap_rpc_response msg = {
		.status = res->status,
		.promise = res->promise,
		.body = res->body,
	};
	int ret = prefix_put(w, LEAT_ZAPRPC_RESPONSE, leat_zap_rpc_response_size(&msg));

	return ret < 0 ? ret : leat_zap_rpc_response_emit(w, &msg);
}

static int
stream_put(struct leat_writer *w, enum leat_zaprpc_kind kind, uint32_t id, struct leat_slice bytes)
{
	int ret = prefix_put(w, kind, STREAM_ID_LEN + (uint64_t)bytes.len);
	uint8_t name[STREAM_ID_LEN];

	if (ret < 0)
		return ret;
	leat_le32_put(name, id);
	leat_writer_put(w, name, sizeof(name));
	leat_writer_put_slice(w, bytes);
	return 0;
}

int
leat_zaprpc_emit_message(struct leat_writer *w, uint32_t id, struct leat_slice bytes)
{
	return stream_put(w, LEAT_ZAPRPC_MESSAGE, id, bytes);
}

void
leat_zaprpc_emit_end(struct leat_writer *w, uint32_t id)
{
	LEAT_VERIFY(stream_put(w, LEAT_ZAPRPC_END, id, LEAT_SLICE("")) == 0);
}
