/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A header block is measured before it is written, since its length stands in front of it and a
 * writer does not go back.
 */

#include <errno.h>

#include <leat_be.h>
#include <leat_zap_http.h>

#include "zaphttp_priv.h"

#define COUNTER_WINDOW_LEN 256

/* A writer that forgets what is written and keeps its length. */
struct counter {
	struct leat_writer writer;
	uint64_t nb_full; /* bytes of the windows before this one */
	uint8_t window[COUNTER_WINDOW_LEN];
};

static int
counter_more(struct leat_writer *w)
{
	struct counter *counter = LEAT_CONTAINER_OF(w, struct counter, writer);

	counter->nb_full += COUNTER_WINDOW_LEN;
	w->pos = counter->window;
	return 0;
}

static uint64_t
json_len(struct leat_zaphttp_fields fields)
{
	struct counter counter;

	leat_writer_init(&counter.writer, counter.window, COUNTER_WINDOW_LEN);
	counter.writer.more = counter_more;
	counter.nb_full = 0;
	zaphttp_json_put(&counter.writer, fields);
	return counter.nb_full + (uint64_t)(counter.writer.pos - counter.window);
}

/* Set the length of a block, 0 for one without fields. */
static int
block_len(enum leat_zaphttp_generation generation, struct leat_zaphttp_fields fields, size_t *len)
{
	uint64_t sum = 0;

	if (fields.nb_fields > LEAT_ZAPHTTP_FIELDS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < fields.nb_fields; i++) {
		const struct leat_zaphttp_field *field = &fields.fields[i];

		if (!zaphttp_is_left_out(generation, field->name))
			sum += 8 + (uint64_t)field->name.len + field->value.len;
	}
	if (sum == 0)
		*len = 0;
	else
		*len = generation == LEAT_ZAPHTTP_JSON ? json_len(fields) : 4 + sum;
	return 0;
}

static void
text_put(struct leat_writer *w, struct leat_slice text)
{
	uint8_t len[4];

	leat_le32_put(len, (uint32_t)text.len);
	leat_writer_put(w, len, sizeof(len));
	leat_writer_put_slice(w, text);
}

static void
pairs_put(struct leat_writer *w, struct leat_zaphttp_fields fields)
{
	uint32_t nb_pairs = 0;
	uint8_t count[4];

	for (size_t i = 0; i < fields.nb_fields; i++)
		nb_pairs += !zaphttp_is_left_out(LEAT_ZAPHTTP_BINARY, fields.fields[i].name);
	leat_le32_put(count, nb_pairs);
	leat_writer_put(w, count, sizeof(count));
	for (size_t i = 0; i < fields.nb_fields; i++) {
		if (zaphttp_is_left_out(LEAT_ZAPHTTP_BINARY, fields.fields[i].name))
			continue;
		text_put(w, fields.fields[i].name);
		text_put(w, fields.fields[i].value);
	}
}

/* Write a block whose length is @p len. */
static void
block_put(struct leat_writer *w, enum leat_zaphttp_generation generation,
	struct leat_zaphttp_fields fields, size_t len)
{
	if (len == 0)
		return;
	if (generation == LEAT_ZAPHTTP_JSON)
		zaphttp_json_put(w, fields);
	else
		pairs_put(w, fields);
}

static struct leat_slice
text_or(struct leat_slice text, struct leat_slice otherwise)
{
	return text.len > 0 ? text : otherwise;
}

int
leat_zaphttp_emit_request(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_request *req)
{
	uint8_t head[LEAT_ZAPHTTP_PREFIX_LEN + LEAT_ZAP_HEADER_LEN + LEAT_ZAP_HTTP_REQUEST_LEN];
	struct leat_zap_http_request msg = {
		.method = text_or(req->method, LEAT_SLICE("GET")),
		.target = text_or(req->target, LEAT_SLICE("/")),
		.proto = text_or(req->proto, LEAT_SLICE("HTTP/1.1")),
		.body = req->body,
	};
	uint64_t size;
	int ret;

	ret = block_len(generation, req->headers, &msg.headers.len);
	if (ret == 0)
		ret = block_len(generation, req->trailer, &msg.trailer.len);
	if (ret < 0)
		return ret;
	size = leat_zap_http_request_size(&msg);
	if (size > LEAT_ZAPHTTP_FRAME_MAX)
		return -EMSGSIZE;
	leat_be32_put(head, (uint32_t)size);
	leat_zap_http_request_head(
		head + LEAT_ZAPHTTP_PREFIX_LEN, LEAT_ZAPHTTP_REQUEST << 8, &msg, size);
	leat_writer_put(w, head, sizeof(head));
	leat_writer_put_slice(w, msg.method);
	leat_writer_put_slice(w, msg.target);
	leat_writer_put_slice(w, msg.proto);
	block_put(w, generation, req->headers, msg.headers.len);
	leat_writer_put_slice(w, msg.body);
	block_put(w, generation, req->trailer, msg.trailer.len);
	return 0;
}

/* Write a response up to where its body begins, and set the length of its trailer. */
static int
response_put_front(struct leat_writer *w, enum leat_zaphttp_type type,
	enum leat_zaphttp_generation generation, const struct leat_zaphttp_out_response *res,
	size_t *trailer_len)
{
	uint8_t head[LEAT_ZAPHTTP_PREFIX_LEN + LEAT_ZAP_HEADER_LEN + LEAT_ZAP_HTTP_RESPONSE_LEN];
	uint16_t status = res->status == 0 ? 200 : res->status;
	struct leat_zap_http_response msg = {
		.status = status,
		.reason = text_or(res->reason, leat_zaphttp_reason(status)),
		.proto = text_or(res->proto, LEAT_SLICE("HTTP/1.1")),
		.body = res->body,
	};
	uint64_t size;
	int ret;

	ret = block_len(generation, res->headers, &msg.headers.len);
	if (ret == 0)
		ret = block_len(generation, res->trailer, &msg.trailer.len);
	if (ret < 0)
		return ret;
	size = leat_zap_http_response_size(&msg);
	if (size > LEAT_ZAPHTTP_FRAME_MAX)
		return -EMSGSIZE;
	leat_be32_put(head, (uint32_t)size);
	leat_zap_http_response_head(
		head + LEAT_ZAPHTTP_PREFIX_LEN, (uint16_t)(type << 8), &msg, size);
	leat_writer_put(w, head, sizeof(head));
	leat_writer_put_slice(w, msg.reason);
	leat_writer_put_slice(w, msg.proto);
	block_put(w, generation, res->headers, msg.headers.len);
	*trailer_len = msg.trailer.len;
	return 0;
}

int
leat_zaphttp_emit_response(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res)
{
	size_t trailer_len;
	int ret = response_put_front(w, LEAT_ZAPHTTP_RESPONSE, generation, res, &trailer_len);

	if (ret < 0)
		return ret;
	leat_writer_put_slice(w, res->body);
	block_put(w, generation, res->trailer, trailer_len);
	return 0;
}

int
leat_zaphttp_emit_response_front(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res)
{
	size_t trailer_len;

	LEAT_VERIFY(res->trailer.nb_fields == 0);
	return response_put_front(w, LEAT_ZAPHTTP_RESPONSE, generation, res, &trailer_len);
}

int
leat_zaphttp_emit_head(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res)
{
	struct leat_zaphttp_out_response head = *res;
	size_t trailer_len;

	head.body.len = 0;
	head.trailer.nb_fields = 0;
	return response_put_front(w, LEAT_ZAPHTTP_HEAD, generation, &head, &trailer_len);
}

/* Write a chunk without its bytes. */
static int
chunk_put(struct leat_writer *w, enum leat_zaphttp_type type, size_t len)
{
	uint8_t head[LEAT_ZAPHTTP_PREFIX_LEN + LEAT_ZAP_HEADER_LEN + LEAT_ZAP_HTTP_CHUNK_LEN];
	struct leat_zap_http_chunk msg = { .bytes = { NULL, len } };
	uint64_t size = leat_zap_http_chunk_size(&msg);

	if (size > LEAT_ZAPHTTP_FRAME_MAX)
		return -EMSGSIZE;
	leat_be32_put(head, (uint32_t)size);
	leat_zap_http_chunk_head(head + LEAT_ZAPHTTP_PREFIX_LEN, (uint16_t)(type << 8), &msg, size);
	leat_writer_put(w, head, sizeof(head));
	return 0;
}

int
leat_zaphttp_emit_data_front(struct leat_writer *w, size_t len)
{
	return chunk_put(w, LEAT_ZAPHTTP_DATA, len);
}

int
leat_zaphttp_emit_data(struct leat_writer *w, struct leat_slice bytes)
{
	int ret = chunk_put(w, LEAT_ZAPHTTP_DATA, bytes.len);

	if (ret == 0)
		leat_writer_put_slice(w, bytes);
	return ret;
}

int
leat_zaphttp_emit_end(struct leat_writer *w, enum leat_zaphttp_generation generation,
	struct leat_zaphttp_fields trailer)
{
	size_t len;
	int ret;

	ret = block_len(generation, trailer, &len);
	if (ret == 0)
		ret = chunk_put(w, LEAT_ZAPHTTP_END, len);
	if (ret == 0)
		block_put(w, generation, trailer, len);
	return ret;
}
