/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_zaprpc.h>

#include "fuzz_zap.h"

/* The frame that was written, which is whole, and no shorter one is. */
static struct leat_zaprpc_frame
frame_again(const struct fuzz_output *out, enum leat_zaprpc_kind kind)
{
	struct leat_slice bytes = fuzz_output_slice(out);
	struct leat_slice part = { bytes.data, bytes.len - 1 };
	struct leat_zaprpc_frame frame;

	LEAT_VERIFY(leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, part, &frame) == 0);
	LEAT_VERIFY(leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, bytes, &frame) ==
		    (ssize_t)bytes.len);
	LEAT_VERIFY(frame.kind == kind);
	return frame;
}

static void
request_again(struct leat_slice body, struct leat_slice in)
{
	static struct fuzz_output out;
	struct leat_zaprpc_request req;
	struct leat_zaprpc_request again;
	struct leat_zaprpc_frame frame;

	if (leat_zaprpc_read_request(body, &req) < 0)
		return;
	(void)fuzz_slice_verify(req.cap, in);
	(void)fuzz_slice_verify(req.payload, in);
	fuzz_output_begin(&out);
	LEAT_VERIFY(leat_zaprpc_emit_request(&out.writer, LEAT_ZAPRPC_OPEN, &req) == 0);
	if (!out.writer.failed) {
		frame = frame_again(&out, LEAT_ZAPRPC_OPEN);
		LEAT_VERIFY(leat_zaprpc_read_request(frame.body, &again) == 0);
		LEAT_VERIFY(again.method == req.method);
		LEAT_VERIFY(again.promise == req.promise);
		LEAT_VERIFY(again.target == req.target);
		LEAT_VERIFY(leat_slice_is_equal(again.cap, req.cap));
		LEAT_VERIFY(leat_slice_is_equal(again.payload, req.payload));
	}
	req.payload.len = LEAT_ZAPRPC_FRAME_MAX;
	LEAT_VERIFY(leat_zaprpc_emit_request(NULL, LEAT_ZAPRPC_REQUEST, &req) == -EMSGSIZE);
}

static void
response_again(struct leat_slice body, struct leat_slice in)
{
	static struct fuzz_output out;
	struct leat_zaprpc_response res;
	struct leat_zaprpc_response again;
	struct leat_zaprpc_frame frame;

	if (leat_zaprpc_read_response(body, &res) < 0)
		return;
	(void)fuzz_slice_verify(res.body, in);
	fuzz_output_begin(&out);
	LEAT_VERIFY(leat_zaprpc_emit_response(&out.writer, &res) == 0);
	if (!out.writer.failed) {
		frame = frame_again(&out, LEAT_ZAPRPC_RESPONSE);
		LEAT_VERIFY(leat_zaprpc_read_response(frame.body, &again) == 0);
		LEAT_VERIFY(again.status == res.status);
		LEAT_VERIFY(again.promise == res.promise);
		LEAT_VERIFY(leat_slice_is_equal(again.body, res.body));
	}
	res.body.len = LEAT_ZAPRPC_FRAME_MAX;
	LEAT_VERIFY(leat_zaprpc_emit_response(NULL, &res) == -EMSGSIZE);
}

static void
stream_again(struct leat_slice body, struct leat_slice in)
{
	static struct fuzz_output out;
	struct leat_zaprpc_frame frame;
	struct leat_slice bytes;
	struct leat_slice again;
	uint32_t id;
	uint32_t id_again;

	if (leat_zaprpc_read_stream(body, &id, &bytes) < 0)
		return;
	(void)fuzz_slice_verify(bytes, in);
	fuzz_output_begin(&out);
	LEAT_VERIFY(leat_zaprpc_emit_message(&out.writer, id, bytes) == 0);
	if (!out.writer.failed) {
		frame = frame_again(&out, LEAT_ZAPRPC_MESSAGE);
		LEAT_VERIFY(leat_zaprpc_read_stream(frame.body, &id_again, &again) == 0);
		LEAT_VERIFY(id_again == id);
		LEAT_VERIFY(leat_slice_is_equal(again, bytes));
	}
	fuzz_output_begin(&out);
	leat_zaprpc_emit_end(&out.writer, id);
	frame = frame_again(&out, LEAT_ZAPRPC_END);
	LEAT_VERIFY(leat_zaprpc_read_stream(frame.body, &id_again, &again) == 0);
	LEAT_VERIFY(id_again == id);
	LEAT_VERIFY(again.len == 0);
	bytes.len = LEAT_ZAPRPC_FRAME_MAX;
	LEAT_VERIFY(leat_zaprpc_emit_message(NULL, id, bytes) == -EMSGSIZE);
}

void
fuzz_zaprpc(uint32_t frame_max, struct leat_slice in)
{
	struct leat_zaprpc_frame frame;
	struct leat_slice copy;
	ssize_t ret;

	while ((ret = leat_zaprpc_parse_frame(frame_max, in, &frame)) > 0) {
		LEAT_VERIFY((size_t)ret <= in.len);
		LEAT_VERIFY((size_t)ret - LEAT_ZAPRPC_PREFIX_LEN <= frame_max);
		copy = fuzz_copy(in, (size_t)ret - 1);
		LEAT_VERIFY(leat_zaprpc_parse_frame(frame_max, copy, &frame) == 0);
		fuzz_copy_free(copy);
		copy = fuzz_copy(in, (size_t)ret);
		LEAT_VERIFY(leat_zaprpc_parse_frame(frame_max, copy, &frame) == ret);
		(void)fuzz_slice_verify(frame.body, copy);
		request_again(frame.body, copy);
		response_again(frame.body, copy);
		stream_again(frame.body, copy);
		fuzz_copy_free(copy);
		in.data += ret;
		in.len -= (size_t)ret;
	}
	LEAT_VERIFY(ret == 0 || ret == -EBADMSG || ret == -EMSGSIZE);
}
