/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>

#include <leat_common.h>
#include <leat_kinds.h>
#include <leat_zap.h>
#include <leat_zap_balance.h>
#include <leat_zap_builder.h>
#include <leat_zap_http.h>
#include <leat_zap_rpc.h>
#include <leat_zaphttp.h>
#include <leat_zaprpc.h>

#define FUZZ_DEPTH_MAX    2     /* of nested objects */
#define FUZZ_ELEMENTS_MAX 4     /* of a list that are read */
#define FUZZ_ROOM_LEN     16384 /* for what is built or written */
#define FUZZ_BUILD_MAX    300   /* bytes of a message under construction */
#define FUZZ_FIELDS_MAX   64    /* of a block that is written again */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What is read is in the message, and every byte of it can be read. */
static uint8_t
slice_verify(struct leat_slice s, struct leat_slice in)
{
	uint8_t sum = 0;

	if (s.data == NULL) {
		LEAT_VERIFY(s.len == 0);
		return 0;
	}
	LEAT_VERIFY(s.data >= in.data);
	LEAT_VERIFY(s.len <= in.len - (size_t)(s.data - in.data));
	for (size_t i = 0; i < s.len; i++)
		sum ^= s.data[i];
	return sum;
}

static void object_verify(struct leat_zap_object object, struct leat_slice in, int depth);

static void
list_verify(struct leat_zap_list list, struct leat_slice in, int depth)
{
	struct leat_zap_entries entries = leat_zap_entries_begin(list);
	struct leat_slice entry;

	LEAT_VERIFY(list.count <= in.len);
	(void)slice_verify(leat_zap_list_raw(list), in);
	for (uint32_t i = 0; i < FUZZ_ELEMENTS_MAX; i++) {
		uint32_t idx = i % 2 == 0 ? i : UINT32_MAX - i;

		LEAT_VERIFY(idx < list.count || leat_zap_list_u8(list, idx) == 0);
		LEAT_VERIFY(idx < list.count || leat_zap_list_u32(list, idx) == 0);
		LEAT_VERIFY(idx < list.count || leat_zap_list_u64(list, idx) == 0);
		object_verify(leat_zap_list_object(list, idx, LEAT_ZAP_OBJECT_MAX >> 4 * i), in,
			depth + 1);
	}
	for (int i = 0; i < FUZZ_ELEMENTS_MAX && leat_zap_entries_next(&entries, &entry); i++) {
		(void)slice_verify(entry, in);
		object_verify(leat_zap_root_of(entry), entry, depth + 1);
	}
}

static void
object_verify(struct leat_zap_object object, struct leat_slice in, int depth)
{
	if (depth > FUZZ_DEPTH_MAX)
		return;
	for (uint32_t field = 0; field < 32; field += 4) {
		uint64_t wide = leat_zap_get_u64(object, field);

		if (wide != 0)
			LEAT_VERIFY(leat_zap_get_u32(object, field) == (uint32_t)wide);
		LEAT_VERIFY(wide == 0 || leat_zap_get_u16(object, field) == (uint16_t)wide);
		LEAT_VERIFY(wide == 0 || leat_zap_get_u8(object, field) == (uint8_t)wide);
		(void)slice_verify(leat_zap_get_fixed(object, field, 20), in);
		(void)slice_verify(leat_zap_get_bytes(object, field), in);
	}
	object_verify(leat_zap_get_object(object, 0), in, depth + 1);
	object_verify(leat_zap_get_object(object, 12), in, depth + 1);
	list_verify(leat_zap_get_list(object, 4), in, depth + 1);
}

/* What the generated code reads of each kind of field, and writes, comes back. */
static void
kinds_verify(struct leat_zap_object root, struct leat_slice in)
{
	uint8_t room[LEAT_ZAP_HEADER_LEN + LEAT_KINDS_SCALARS_LEN];
	uint8_t again[sizeof(room)];
	struct leat_kinds_scalars scalars;
	struct leat_kinds_fixed fixed;
	struct leat_slice bytes = { room, sizeof(room) };
	struct leat_writer w;

	leat_kinds_scalars_read(root, &scalars);
	leat_writer_init(&w, room, sizeof(room));
	LEAT_VERIFY(leat_kinds_scalars_emit(&w, &scalars) == 0);
	LEAT_VERIFY(w.pos == w.end);
	leat_kinds_scalars_read(leat_zap_root_of(bytes), &scalars);
	leat_writer_init(&w, again, sizeof(again));
	LEAT_VERIFY(leat_kinds_scalars_emit(&w, &scalars) == 0);
	LEAT_VERIFY(memcmp(room, again, sizeof(room)) == 0);
	leat_kinds_fixed_read(root, &fixed);
	(void)slice_verify(fixed.name, in);
}

static void
message_fuzz(struct leat_slice in)
{
	struct leat_zap_balance_response res;
	struct leat_zap_balance_request req;
	struct leat_zap_message msg;
	struct leat_zap_object root;

	if (leat_zap_parse(in, &msg) < 0)
		return;
	LEAT_VERIFY(msg.size <= in.len);
	in.len = msg.size;
	root = leat_zap_root(&msg);
	object_verify(root, in, 0);
	kinds_verify(root, in);
	leat_zap_balance_request_read(root, &req);
	LEAT_VERIFY(req.id == leat_zap_balance_request_get_id(root));
	(void)slice_verify(req.method, in);
	(void)slice_verify(req.account, in);
	leat_zap_balance_response_read(root, &res);
	LEAT_VERIFY(res.nonce == leat_zap_balance_response_get_nonce(root));
	(void)slice_verify(res.block_hash, in);
}

/* One call of the builder for two bytes: what is to be done, and with what. */
static void
build_step(struct leat_zap_builder *b, struct leat_zap_place *object, struct leat_zap_items *items,
	uint8_t what, uint8_t value, struct leat_slice bytes)
{
	switch (what % 12) {
	case 0: /* begin anew, the last one stays as it is */
		leat_zap_finish_object(b, *object);
		*object = leat_zap_start_object(b, 16 + value % 64);
		break;
	case 1:
		leat_zap_set_u8(b, *object, value % 16, value);
		break;
	case 2:
		leat_zap_set_u16(b, *object, value % 15, value);
		break;
	case 3:
		leat_zap_set_u64(b, *object, value % 9, value);
		break;
	case 4:
		bytes.len = LEAT_MIN(bytes.len, 16u);
		leat_zap_set_fixed(b, *object, 0, bytes);
		break;
	case 5:
		leat_zap_set_bytes(b, *object, value % 9, bytes);
		break;
	case 6:
		leat_zap_set_object(b, *object, value % 13, *object);
		break;
	case 7:
		leat_zap_set_list(b, *object, value % 9, *items);
		break;
	case 8:
		*items = leat_zap_start_list(b);
		break;
	case 9:
		leat_zap_add_entry(b, items, bytes);
		leat_zap_add_raw(b, items, bytes);
		break;
	case 10:
		leat_zap_add_u8(b, items, value);
		leat_zap_add_u32(b, items, value);
		leat_zap_add_u64(b, items, value);
		break;
	default:
		(void)leat_zap_put_raw(b, bytes);
		leat_zap_set_u32(b, leat_zap_add_object(b, items, 8), 4, value);
		break;
	}
}

/* Whatever the order of the calls: in its room, and a message. */
static void
build_fuzz(struct leat_slice in)
{
	size_t cap = in.len % FUZZ_BUILD_MAX;
	uint8_t *room = malloc(cap);
	struct leat_zap_builder b;
	struct leat_zap_items items;
	struct leat_zap_place object;
	struct leat_zap_message msg;
	ssize_t ret;

	leat_zap_build(&b, room, cap);
	leat_zap_set_version(&b, 1 + in.len % 2);
	leat_zap_set_flags(&b, (uint16_t)in.len);
	items = leat_zap_start_list(&b);
	object = leat_zap_start_object(&b, 16);
	for (size_t i = 0; i + 1 < in.len; i += 2) {
		struct leat_slice bytes = { in.data + i, in.data[i + 1] % 32 };

		bytes.len = LEAT_MIN(bytes.len, in.len - i);
		build_step(&b, &object, &items, in.data[i], in.data[i + 1], bytes);
	}
	leat_zap_finish_root(&b, object);
	ret = leat_zap_finish(&b);
	if (ret < 0) {
		LEAT_VERIFY(ret == -ENOBUFS || ret == -E2BIG);
	} else {
		LEAT_VERIFY(leat_zap_parse((struct leat_slice){ room, (size_t)ret }, &msg) == 0);
		LEAT_VERIFY(msg.size == (size_t)ret);
		LEAT_VERIFY(!leat_zap_is_null(leat_zap_root(&msg)));
		message_fuzz((struct leat_slice){ room, (size_t)ret });
	}
	free(room);
}

/* Room for what is written, and its writer. */
struct output {
	struct leat_writer writer;
	uint8_t room[FUZZ_ROOM_LEN];
};

static struct leat_slice
output_slice(const struct output *out)
{
	return (struct leat_slice){ out->room, (size_t)(out->writer.pos - out->room) };
}

static struct leat_slice
plain_text(struct output *out, struct leat_slice text, bool is_escaped)
{
	struct leat_slice plain = { out->writer.pos, 0 };

	leat_zaphttp_put_text(&out->writer, text, is_escaped);
	plain.len = (size_t)(out->writer.pos - plain.data);
	return plain;
}

/* The fields of a block, in plain text. Returns their number, up to FUZZ_FIELDS_MAX. */
static size_t
block_read(struct leat_zaphttp_block block, struct leat_slice in, struct output *text,
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
		(void)slice_verify(field->name, in);
		(void)slice_verify(field->value, in);
		field->name = plain_text(text, field->name, field->is_name_escaped);
		field->value = plain_text(text, field->value, field->is_value_escaped);
		nb_fields++;
	}
	return nb_fields;
}

/* What is parsed, written and parsed again is the same. */
static void
request_again(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_request *req,
	struct leat_slice in)
{
	static struct output text;
	static struct output out;
	struct leat_zaphttp_field fields[FUZZ_FIELDS_MAX];
	struct leat_zaphttp_out_request again = { req->method, req->target, req->proto, req->body,
		{ fields, 0 }, { fields, 0 } };
	struct leat_zaphttp_request read;
	struct leat_slice written;

	leat_writer_init(&text.writer, text.room, sizeof(text.room));
	leat_writer_init(&out.writer, out.room, sizeof(out.room));
	again.headers.nb_fields = block_read(req->headers, in, &text, fields);
	LEAT_VERIFY(leat_zaphttp_emit_request(&out.writer, limits->generation, &again) == 0);
	if (out.writer.failed)
		return;
	written = output_slice(&out);
	LEAT_VERIFY(leat_zaphttp_parse_request(limits, written, &read) == (ssize_t)written.len ||
		    written.len > limits->frame_max);
	if (written.len > limits->frame_max)
		return;
	LEAT_VERIFY(leat_slice_is_equal(read.method, req->method));
	LEAT_VERIFY(leat_slice_is_equal(read.target, req->target));
	LEAT_VERIFY(leat_slice_is_equal(read.proto, req->proto));
	LEAT_VERIFY(leat_slice_is_equal(read.body, req->body));
}

static void
request_fuzz(const struct leat_zaphttp_limits *limits, struct leat_slice in)
{
	struct leat_zaphttp_request req;
	struct leat_zaphttp_field host;
	ssize_t ret = leat_zaphttp_parse_request(limits, in, &req);

	if (ret < 0)
		LEAT_VERIFY(leat_zaphttp_is_silent(req.error) ==
			    (leat_zaphttp_error_text(req.error).len == 0));
	if (ret <= 0)
		return;
	LEAT_VERIFY((size_t)ret <= in.len);
	(void)slice_verify(req.body, in);
	if (leat_zaphttp_find(req.headers, LEAT_SLICE("Host"), &host))
		(void)leat_zaphttp_is_ignored(host.value);
	request_again(limits, &req, in);
}

static void
reply_again(const struct leat_zaphttp_limits *limits, const struct leat_zaphttp_reply *reply,
	struct leat_slice in)
{
	static struct output text;
	static struct output out;
	struct leat_zaphttp_field fields[FUZZ_FIELDS_MAX];
	struct leat_zaphttp_out_response again = {
		.status = reply->status, .reason = reply->reason, .body = reply->body
	};
	struct leat_zaphttp_reply read;
	struct leat_slice written;

	leat_writer_init(&text.writer, text.room, sizeof(text.room));
	leat_writer_init(&out.writer, out.room, sizeof(out.room));
	again.headers.fields = fields;
	again.headers.nb_fields =
		block_read(reply->type == LEAT_ZAPHTTP_END ? reply->trailer : reply->headers, in,
			&text, fields);
	if (reply->type == LEAT_ZAPHTTP_DATA)
		(void)leat_zaphttp_emit_data(&out.writer, reply->body);
	else if (reply->type == LEAT_ZAPHTTP_END)
		(void)leat_zaphttp_emit_end(&out.writer, limits->generation, again.headers);
	else if (reply->type == LEAT_ZAPHTTP_HEAD)
		(void)leat_zaphttp_emit_head(&out.writer, limits->generation, &again);
	else
		(void)leat_zaphttp_emit_response(&out.writer, limits->generation, &again);
	written = output_slice(&out);
	if (out.writer.failed || written.len > limits->frame_max)
		return;
	LEAT_VERIFY(leat_zaphttp_parse_reply(limits, written, &read) == (ssize_t)written.len);
	LEAT_VERIFY(read.type == reply->type);
	LEAT_VERIFY(read.status == reply->status);
	LEAT_VERIFY(leat_slice_is_equal(read.body, reply->body));
}

static void
reply_fuzz(const struct leat_zaphttp_limits *limits, struct leat_slice in)
{
	struct leat_zaphttp_reply reply;
	ssize_t ret = leat_zaphttp_parse_reply(limits, in, &reply);

	if (ret <= 0)
		return;
	LEAT_VERIFY((size_t)ret <= in.len);
	(void)slice_verify(reply.body, in);
	reply_again(limits, &reply, in);
}

static void
rpc_fuzz(uint32_t frame_max, struct leat_slice in)
{
	static struct output out;
	struct leat_zaprpc_response res;
	struct leat_zaprpc_request req;
	struct leat_zaprpc_frame frame;
	struct leat_slice bytes;
	uint32_t id;

	if (leat_zaprpc_parse_frame(frame_max, in, &frame) <= 0)
		return;
	(void)slice_verify(frame.body, in);
	leat_writer_init(&out.writer, out.room, sizeof(out.room));
	if (leat_zaprpc_read_request(frame.body, &req) == 0) {
		(void)slice_verify(req.cap, in);
		(void)slice_verify(req.payload, in);
		LEAT_VERIFY(leat_zaprpc_emit_request(&out.writer, LEAT_ZAPRPC_OPEN, &req) == 0);
	}
	if (leat_zaprpc_read_response(frame.body, &res) == 0) {
		(void)slice_verify(res.body, in);
		LEAT_VERIFY(leat_zaprpc_emit_response(&out.writer, &res) == 0);
	}
	if (leat_zaprpc_read_stream(frame.body, &id, &bytes) == 0) {
		(void)slice_verify(bytes, in);
		LEAT_VERIFY(leat_zaprpc_emit_message(&out.writer, id, bytes) == 0);
		leat_zaprpc_emit_end(&out.writer, id);
	}
}

/* The first byte chooses the codec, the generation and the limit; the rest is its input. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_zaphttp_limits limits;
	struct leat_slice in;

	if (len < 1)
		return 0;
	in = (struct leat_slice){ data + 1, len - 1 };
	limits.generation = data[0] / 8 % 2 == 0 ? LEAT_ZAPHTTP_BINARY : LEAT_ZAPHTTP_JSON;
	limits.frame_max = data[0] >= 128 ? 256 : LEAT_ZAPHTTP_FRAME_MAX;
	switch (data[0] % 8) {
	case 0:
		message_fuzz(in);
		break;
	case 1:
		build_fuzz(in);
		break;
	case 2:
	case 3:
		rpc_fuzz(limits.frame_max, in);
		break;
	case 4:
	case 5:
		reply_fuzz(&limits, in);
		break;
	default:
		request_fuzz(&limits, in);
		break;
	}
	return 0;
}
