/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * ZAP: messages that are read and built, and what travels in them. The first byte of an input
 * chooses the codec, the generation and the limit; the rest is its input.
 */

#include <errno.h>

#include "fuzz_zap.h"

#define FUZZ_DEPTH_MAX    2   /* of nested objects */
#define FUZZ_ELEMENTS_MAX 4   /* of a list that are read */
#define FUZZ_BUILD_MAX    300 /* bytes of a message under construction */

static void object_verify(struct leat_zap_object object, struct leat_slice in, int depth);

static void
list_verify(struct leat_zap_list list, struct leat_slice in, int depth)
{
	struct leat_zap_entries entries = leat_zap_entries_begin(list);
	struct leat_slice entry;

	LEAT_VERIFY(list.count <= in.len);
	(void)fuzz_slice_verify(leat_zap_list_raw(list), in);
	for (uint32_t i = 0; i < FUZZ_ELEMENTS_MAX; i++) {
		uint32_t idx = i % 2 == 0 ? i : UINT32_MAX - i;

		LEAT_VERIFY(idx < list.count || leat_zap_list_u8(list, idx) == 0);
		LEAT_VERIFY(idx < list.count || leat_zap_list_u32(list, idx) == 0);
		LEAT_VERIFY(idx < list.count || leat_zap_list_u64(list, idx) == 0);
		object_verify(leat_zap_list_object(list, idx, LEAT_ZAP_OBJECT_MAX >> 4 * i), in,
			depth + 1);
	}
	for (int i = 0; i < FUZZ_ELEMENTS_MAX && leat_zap_entries_next(&entries, &entry); i++) {
		(void)fuzz_slice_verify(entry, in);
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
		(void)fuzz_slice_verify(leat_zap_get_fixed(object, field, 20), in);
		(void)fuzz_slice_verify(leat_zap_get_bytes(object, field), in);
	}
	object_verify(leat_zap_get_object(object, 0), in, depth + 1);
	object_verify(leat_zap_get_object(object, 12), in, depth + 1);
	list_verify(leat_zap_get_list(object, 4), in, depth + 1);
}

static void
message_fuzz(struct leat_slice in)
{
	struct leat_zap_message msg;
	struct leat_zap_object root;
	struct leat_slice copy;

	if (leat_zap_parse(in, &msg) < 0)
		return;
	LEAT_VERIFY(msg.size <= in.len);
	copy = fuzz_copy(in, msg.size - 1);
	LEAT_VERIFY(leat_zap_parse(copy, &msg) == -ENODATA);
	fuzz_copy_free(copy);
	copy = fuzz_copy(in, msg.size);
	LEAT_VERIFY(leat_zap_parse(copy, &msg) == 0);
	root = leat_zap_root(&msg);
	object_verify(root, copy, 0);
	fuzz_zap_schemas(root, copy);
	fuzz_copy_free(copy);
}

/* A message under construction, with two objects that are open. */
struct build {
	struct leat_zap_place object;
	struct leat_zap_place other;
	struct leat_zap_items items;
};

/* One call of the builder for two bytes: what is to be done, and with what. */
static void
build_step(struct leat_zap_builder *b, struct build *build, uint8_t what, uint8_t value,
	struct leat_slice bytes)
{
	struct leat_zap_place *object = &build->object;
	struct leat_zap_place other = build->other;
	struct leat_zap_items *items = &build->items;

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
	case 6: /* go on with the other one */
		leat_zap_set_object(b, *object, value % 13, other);
		build->other = *object;
		build->object = other;
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
	struct leat_zap_message msg;
	struct build build;
	ssize_t ret;

	leat_zap_build(&b, room, cap);
	leat_zap_set_version(&b, 1 + in.len % 2);
	leat_zap_set_flags(&b, (uint16_t)in.len);
	build.items = leat_zap_start_list(&b);
	build.object = leat_zap_start_object(&b, 16);
	build.other = leat_zap_start_object(&b, 16);
	for (size_t i = 0; i + 1 < in.len; i += 2) {
		struct leat_slice bytes = { in.data + i, in.data[i + 1] % 32 };

		bytes.len = LEAT_MIN(bytes.len, in.len - i);
		build_step(&b, &build, in.data[i], in.data[i + 1], bytes);
	}
	leat_zap_finish_object(&b, build.other);
	leat_zap_finish_root(&b, build.object);
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
		fuzz_zaprpc(limits.frame_max, in);
		break;
	case 3:
		fuzz_zaprpc_calls(in);
		break;
	case 4:
	case 5:
		fuzz_zaphttp_reply(&limits, in);
		break;
	default:
		fuzz_zaphttp_request(&limits, in);
		break;
	}
	return 0;
}
