/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * HTTP over ZAP: what is parsed is written and parsed again, three times. The first time what
 * is no character of a JSON block is replaced; from then on nothing changes.
 */

#include <errno.h>

#include "fuzz_zap.h"

#define FUZZ_FIELDS_MAX 64 /* of a block that is written again */
#define FUZZ_TIMES      3

static struct leat_slice
plain_text(struct fuzz_output *out, struct leat_slice text, bool is_escaped)
{
	struct leat_slice plain = { out->writer.pos, 0 };

	leat_zaphttp_put_text(&out->writer, text, is_escaped);
	plain.len = (size_t)(out->writer.pos - plain.data);
	return plain;
}

/* The fields of a block, in plain text. Returns their number, up to FUZZ_FIELDS_MAX. */
static size_t
block_read(struct leat_zaphttp_block block, struct leat_slice in, struct fuzz_output *text,
	struct leat_zaphttp_field fields[FUZZ_FIELDS_MAX])
{
	struct leat_zaphttp_walk walk = leat_zaphttp_walk_begin(block);
	size_t nb_fields = 0;
	int ret;

	while (nb_fields < FUZZ_FIELDS_MAX) {
		struct leat_zaphttp_field *field = &fields[nb_fields];

		ret = leat_zaphttp_walk_next(&walk, field);
		LEAT_VERIFY(ret >= 0); /* a block that was parsed is good */
		if (ret == 0)
			break;
		(void)fuzz_slice_verify(field->name, in);
		(void)fuzz_slice_verify(field->value, in);
		field->name = plain_text(text, field->name, field->is_name_escaped);
		field->value = plain_text(text, field->value, field->is_value_escaped);
		field->is_name_escaped = false;
		field->is_value_escaped = false;
		nb_fields++;
	}
	return nb_fields;
}

/* Nothing is written of what is over a limit. */
static void
request_limits_verify(
	enum leat_zaphttp_generation generation, const struct leat_zaphttp_out_request *req)
{
	struct leat_zaphttp_out_request over = *req;

	over.body.len = LEAT_ZAPHTTP_FRAME_MAX;
	LEAT_VERIFY(leat_zaphttp_emit_request(NULL, generation, &over) == -EMSGSIZE);
	over.trailer.nb_fields = LEAT_ZAPHTTP_FIELDS_MAX + 1;
	LEAT_VERIFY(leat_zaphttp_emit_request(NULL, generation, &over) == -E2BIG);
}

/* Returns false when there is not enough room, or it would be over the reader's limit. */
static bool
request_write(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_request *req,
	struct leat_slice in, struct fuzz_output *out)
{
	static struct fuzz_output text;
	struct leat_zaphttp_field fields[2][FUZZ_FIELDS_MAX];
	struct leat_zaphttp_out_request again = { req->method, req->target, req->proto, req->body,
		{ fields[0], 0 }, { fields[1], 0 } };

	fuzz_output_begin(&text);
	fuzz_output_begin(out);
	again.headers.nb_fields = block_read(req->headers, in, &text, fields[0]);
	again.trailer.nb_fields = block_read(req->trailer, in, &text, fields[1]);
	if (text.writer.failed)
		return false;
	LEAT_VERIFY(leat_zaphttp_emit_request(&out->writer, limits->generation, &again) == 0);
	request_limits_verify(limits->generation, &again);
	return !out->writer.failed &&
	       fuzz_output_slice(out).len <= LEAT_ZAPHTTP_PREFIX_LEN + limits->frame_max;
}

static void
request_again(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_request *req,
	struct leat_slice in)
{
	static struct fuzz_output outs[FUZZ_TIMES];
	struct leat_zaphttp_request read = *req;

	for (int i = 0; i < FUZZ_TIMES; i++) {
		if (!request_write(limits, &read, in, &outs[i]))
			return;
		in = fuzz_output_slice(&outs[i]);
		LEAT_VERIFY(leat_zaphttp_parse_request(limits, in, &read) == (ssize_t)in.len);
		LEAT_VERIFY(leat_slice_is_equal(read.method, req->method));
		LEAT_VERIFY(leat_slice_is_equal(read.target, req->target));
		LEAT_VERIFY(leat_slice_is_equal(read.proto, req->proto));
		LEAT_VERIFY(leat_slice_is_equal(read.body, req->body));
	}
	for (int i = limits->generation == LEAT_ZAPHTTP_JSON; i + 1 < FUZZ_TIMES; i++)
		LEAT_VERIFY(leat_slice_is_equal(
			fuzz_output_slice(&outs[i]), fuzz_output_slice(&outs[i + 1])));
}

/* The front of a frame alone in memory: what is read of it lies in it, and is what all of it says. */
static void
request_front_verify(const struct leat_zaphttp_limits *limits, struct leat_slice in, size_t len,
	const struct leat_zaphttp_request *whole)
{
	const uint32_t front_len = (uint32_t)(len - LEAT_ZAPHTTP_PREFIX_LEN) / 2;
	struct leat_zaphttp_request req;
	struct leat_slice copy;
	ssize_t ret;

	if (front_len < LEAT_ZAP_HEADER_LEN)
		return;
	copy = fuzz_copy(in, LEAT_ZAPHTTP_PREFIX_LEN + front_len - 1);
	LEAT_VERIFY(leat_zaphttp_peek_request(limits, copy, front_len, &req) == 0);
	fuzz_copy_free(copy);
	copy = fuzz_copy(in, LEAT_ZAPHTTP_PREFIX_LEN + front_len);
	ret = leat_zaphttp_peek_request(limits, copy, front_len, &req);
	LEAT_VERIFY(ret == (ssize_t)len); /* a block that is there is good */
	LEAT_VERIFY(req.body.len == 0 && req.trailer.bytes.len == 0);
	(void)fuzz_slice_verify(req.headers.bytes, copy);
	if (req.headers.bytes.len > 0)
		LEAT_VERIFY(leat_slice_is_equal(req.headers.bytes, whole->headers.bytes));
	fuzz_copy_free(copy);
}

/* The same bytes alone in memory: the same frame, and no part of it is one. */
static void
request_copy_verify(const struct leat_zaphttp_limits *limits, struct leat_slice in, size_t len)
{
	struct leat_slice copy = fuzz_copy(in, len - 1);
	struct leat_zaphttp_request req;

	LEAT_VERIFY(leat_zaphttp_parse_request(limits, copy, &req) == 0);
	fuzz_copy_free(copy);
	copy = fuzz_copy(in, len);
	LEAT_VERIFY(leat_zaphttp_parse_request(limits, copy, &req) == (ssize_t)len);
	(void)fuzz_slice_verify(req.body, copy);
	request_again(limits, &req, copy);
	fuzz_copy_free(copy);
}

void
fuzz_zaphttp_request(const struct leat_zaphttp_limits *limits, struct leat_slice in)
{
	struct leat_zaphttp_request req;
	ssize_t ret;

	while ((ret = leat_zaphttp_parse_request(limits, in, &req)) > 0) {
		LEAT_VERIFY((size_t)ret <= in.len);
		LEAT_VERIFY(req.error == LEAT_ZAPHTTP_OK);
		request_copy_verify(limits, in, (size_t)ret);
		request_front_verify(limits, in, (size_t)ret, &req);
		in.data += ret;
		in.len -= (size_t)ret;
	}
	if (ret == 0)
		return;
	LEAT_VERIFY((ret == -EMSGSIZE) ==
		    (req.error == LEAT_ZAPHTTP_LONG || req.error == LEAT_ZAPHTTP_FIELDS));
	LEAT_VERIFY(ret == -EMSGSIZE || ret == -EBADMSG);
	LEAT_VERIFY(
		leat_zaphttp_is_silent(req.error) == (leat_zaphttp_error_text(req.error).len == 0));
}

/* Write what a reply was of. */
static int
reply_emit(struct leat_writer *w, enum leat_zaphttp_generation generation,
	enum leat_zaphttp_type type, const struct leat_zaphttp_out_response *res)
{
	switch (type) {
	case LEAT_ZAPHTTP_HEAD:
		return leat_zaphttp_emit_head(w, generation, res);
	case LEAT_ZAPHTTP_DATA:
		return leat_zaphttp_emit_data(w, res->body);
	case LEAT_ZAPHTTP_END:
		return leat_zaphttp_emit_end(w, generation, res->trailer);
	default:
		return leat_zaphttp_emit_response(w, generation, res);
	}
}

static void
reply_limits_verify(enum leat_zaphttp_generation generation, enum leat_zaphttp_type type,
	const struct leat_zaphttp_out_response *res)
{
	struct leat_zaphttp_out_response over = *res;

	if (type == LEAT_ZAPHTTP_HEAD || type == LEAT_ZAPHTTP_RESPONSE) {
		over.reason.len = LEAT_ZAPHTTP_FRAME_MAX;
		LEAT_VERIFY(reply_emit(NULL, generation, type, &over) == -EMSGSIZE);
		over.headers.nb_fields = LEAT_ZAPHTTP_FIELDS_MAX + 1;
		LEAT_VERIFY(reply_emit(NULL, generation, type, &over) == -E2BIG);
	} else if (type == LEAT_ZAPHTTP_DATA) {
		over.body.len = LEAT_ZAPHTTP_FRAME_MAX;
		LEAT_VERIFY(reply_emit(NULL, generation, type, &over) == -EMSGSIZE);
	} else {
		over.trailer.nb_fields = LEAT_ZAPHTTP_FIELDS_MAX + 1;
		LEAT_VERIFY(reply_emit(NULL, generation, type, &over) == -E2BIG);
	}
}

/* As request_write(). */
static bool
reply_write(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_reply *reply,
	struct leat_slice in, struct fuzz_output *out)
{
	static struct fuzz_output text;
	struct leat_zaphttp_field fields[2][FUZZ_FIELDS_MAX];
	struct leat_zaphttp_out_response again = { reply->status, reply->reason, reply->proto,
		reply->body, { fields[0], 0 }, { fields[1], 0 } };

	fuzz_output_begin(&text);
	fuzz_output_begin(out);
	again.headers.nb_fields = block_read(reply->headers, in, &text, fields[0]);
	again.trailer.nb_fields = block_read(reply->trailer, in, &text, fields[1]);
	if (text.writer.failed)
		return false;
	LEAT_VERIFY(reply_emit(&out->writer, limits->generation, reply->type, &again) == 0);
	reply_limits_verify(limits->generation, reply->type, &again);
	return !out->writer.failed &&
	       fuzz_output_slice(out).len <= LEAT_ZAPHTTP_PREFIX_LEN + limits->frame_max;
}

static void
reply_again(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_reply *reply,
	struct leat_slice in)
{
	static struct fuzz_output outs[FUZZ_TIMES];
	struct leat_zaphttp_reply read = *reply;

	for (int i = 0; i < FUZZ_TIMES; i++) {
		if (!reply_write(limits, &read, in, &outs[i]))
			return;
		in = fuzz_output_slice(&outs[i]);
		LEAT_VERIFY(leat_zaphttp_parse_reply(limits, in, &read) == (ssize_t)in.len);
		LEAT_VERIFY(read.type == reply->type);
		LEAT_VERIFY(read.status == reply->status);
		LEAT_VERIFY(
			reply->reason.len == 0 || leat_slice_is_equal(read.reason, reply->reason));
		LEAT_VERIFY(leat_slice_is_equal(read.proto, reply->proto));
		LEAT_VERIFY(leat_slice_is_equal(read.body, reply->body));
	}
	for (int i = limits->generation == LEAT_ZAPHTTP_JSON; i + 1 < FUZZ_TIMES; i++)
		LEAT_VERIFY(leat_slice_is_equal(
			fuzz_output_slice(&outs[i]), fuzz_output_slice(&outs[i + 1])));
}

/* As request_copy_verify(). */
static void
reply_copy_verify(const struct leat_zaphttp_limits *limits, struct leat_slice in, size_t len)
{
	struct leat_slice copy = fuzz_copy(in, len - 1);
	struct leat_zaphttp_reply reply;

	LEAT_VERIFY(leat_zaphttp_parse_reply(limits, copy, &reply) == 0);
	fuzz_copy_free(copy);
	copy = fuzz_copy(in, len);
	LEAT_VERIFY(leat_zaphttp_parse_reply(limits, copy, &reply) == (ssize_t)len);
	(void)fuzz_slice_verify(reply.body, copy);
	reply_again(limits, &reply, copy);
	fuzz_copy_free(copy);
}

void
fuzz_zaphttp_reply(const struct leat_zaphttp_limits *limits, struct leat_slice in)
{
	struct leat_zaphttp_reply reply;
	ssize_t ret;

	while ((ret = leat_zaphttp_parse_reply(limits, in, &reply)) > 0) {
		LEAT_VERIFY((size_t)ret <= in.len);
		reply_copy_verify(limits, in, (size_t)ret);
		in.data += ret;
		in.len -= (size_t)ret;
	}
	if (ret < 0)
		LEAT_VERIFY((ret == -EMSGSIZE) == (reply.error == LEAT_ZAPHTTP_LONG ||
							  reply.error == LEAT_ZAPHTTP_FIELDS));
}
