/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The code that leat-zapc makes: an object is read as a struct and field by field, written by
 * the encoder and by the builder, and both write the same bytes.
 */

#include <errno.h>

#include <leat_kinds.h>
#include <leat_zap_balance.h>
#include <leat_zap_http.h>
#include <leat_zap_rpc.h>

#include "fuzz_zap.h"

#define FUZZ_ITEMS_MAX 64u /* of a list that is written again */

/* Builder and encoder had the same room: the same bytes, or not enough of it. */
static void
messages_compare(struct leat_zap_builder *b, const struct fuzz_output *emitted)
{
	struct leat_slice bytes = fuzz_output_slice(emitted);
	ssize_t ret = leat_zap_finish(b);

	if (emitted->writer.failed) {
		LEAT_VERIFY(ret == -ENOBUFS);
		return;
	}
	LEAT_VERIFY(ret > 0);
	LEAT_VERIFY(leat_slice_is_equal(bytes, (struct leat_slice){ b->buf, (size_t)ret }));
}

/*
 * One struct of a schema. @p sets sets each of its fields from the object; @p long_one is a
 * field that can have any length.
 */
#define AGAIN(name, version, flags, sets, long_one)                                                \
	static void name##_again(struct leat_zap_object root)                                      \
	{                                                                                          \
		static uint8_t built[FUZZ_ROOM_LEN];                                               \
		static struct fuzz_output out;                                                     \
		struct leat_zap_##name read;                                                       \
		struct leat_zap_builder b;                                                         \
		struct leat_zap_place object;                                                      \
                                                                                                   \
		leat_zap_##name##_read(root, &read);                                               \
		fuzz_output_begin(&out);                                                           \
		LEAT_VERIFY(leat_zap_##name##_emit(&out.writer, &read) == 0);                      \
		leat_zap_build(&b, built, sizeof(built));                                          \
		leat_zap_set_version(&b, version);                                                 \
		leat_zap_set_flags(&b, flags);                                                     \
		object = leat_zap_##name##_start(&b);                                              \
		sets;                                                                              \
		leat_zap_finish_root(&b, object);                                                  \
		messages_compare(&b, &out);                                                        \
		read.long_one.len = LEAT_ZAP_MESSAGE_MAX;                                          \
		LEAT_VERIFY(leat_zap_##name##_emit(NULL, &read) == -EMSGSIZE);                     \
	}

#define SET(name, field)                                                                           \
	leat_zap_##name##_set_##field(&b, object, leat_zap_##name##_get_##field(root))

AGAIN(balance_request, 1, 0,
	(SET(balance_request, id), SET(balance_request, block), SET(balance_request, method),
		SET(balance_request, account)),
	account)
AGAIN(balance_response, 1, 0,
	(SET(balance_response, id), SET(balance_response, balance), SET(balance_response, nonce),
		SET(balance_response, block_hash)),
	block_hash)
AGAIN(http_request, 1, LEAT_ZAPHTTP_REQUEST << 8,
	(SET(http_request, method), SET(http_request, target), SET(http_request, proto),
		SET(http_request, headers), SET(http_request, body), SET(http_request, trailer)),
	body)
AGAIN(http_response, 1, LEAT_ZAPHTTP_RESPONSE << 8,
	(SET(http_response, status), SET(http_response, reason), SET(http_response, proto),
		SET(http_response, headers), SET(http_response, body), SET(http_response, trailer)),
	body)
AGAIN(http_chunk, 1, LEAT_ZAPHTTP_DATA << 8, SET(http_chunk, bytes), bytes)
AGAIN(rpc_request, 2, 200 << 8,
	(SET(rpc_request, method), SET(rpc_request, promise), SET(rpc_request, target),
		SET(rpc_request, cap), SET(rpc_request, payload)),
	payload)
AGAIN(rpc_response, 2, 200 << 8,
	(SET(rpc_response, status), SET(rpc_response, promise), SET(rpc_response, body)), body)

/* Scalars of every kind: what is read and written again comes back. */
static void
scalars_again(struct leat_zap_object root)
{
	static struct fuzz_output first;
	static struct fuzz_output second;
	struct leat_kinds_scalars scalars;

	leat_kinds_scalars_read(root, &scalars);
	fuzz_output_begin(&first);
	LEAT_VERIFY(leat_kinds_scalars_emit(&first.writer, &scalars) == 0);
	leat_kinds_scalars_read(leat_zap_root_of(fuzz_output_slice(&first)), &scalars);
	fuzz_output_begin(&second);
	LEAT_VERIFY(leat_kinds_scalars_emit(&second.writer, &scalars) == 0);
	LEAT_VERIFY(leat_slice_is_equal(fuzz_output_slice(&first), fuzz_output_slice(&second)));
}

static struct leat_zap_items
path_copy(struct leat_zap_builder *b, struct leat_zap_object tree)
{
	uint32_t nb = LEAT_MIN(leat_kinds_tree_get_path(tree).count, FUZZ_ITEMS_MAX);
	struct leat_zap_items items = leat_zap_start_list(b);

	for (uint32_t i = 0; i < nb; i++) {
		struct leat_zap_object point = leat_kinds_tree_get_path_at(tree, i);
		struct leat_zap_place place = leat_zap_add_object(b, &items, LEAT_KINDS_POINT_LEN);

		leat_kinds_point_set_x(b, place, leat_kinds_point_get_x(point));
		leat_kinds_point_set_y(b, place, leat_kinds_point_get_y(point));
	}
	return items;
}

static struct leat_zap_items
numbers_copy(struct leat_zap_builder *b, struct leat_zap_list list, unsigned int len)
{
	uint32_t nb = LEAT_MIN(list.count, FUZZ_ITEMS_MAX);
	struct leat_zap_items items = leat_zap_start_list(b);

	for (uint32_t i = 0; i < nb; i++) {
		if (len == 1)
			leat_zap_add_u8(b, &items, leat_zap_list_u8(list, i));
		else if (len == 4)
			leat_zap_add_u32(b, &items, leat_zap_list_u32(list, i));
		else
			leat_zap_add_u64(b, &items, leat_zap_list_u64(list, i));
	}
	return items;
}

static struct leat_zap_items
entries_copy(struct leat_zap_builder *b, struct leat_zap_list list)
{
	struct leat_zap_entries entries = leat_zap_entries_begin(list);
	struct leat_zap_items items = leat_zap_start_list(b);
	struct leat_slice entry;

	while (items.count < FUZZ_ITEMS_MAX && leat_zap_entries_next(&entries, &entry))
		leat_zap_add_entry(b, &items, entry);
	return items;
}

/* Lists of every kind, one behind the other, then the object and the one it is nested in. */
static ssize_t
tree_copy(struct leat_zap_object tree, struct leat_zap_builder *b)
{
	struct leat_zap_object parent = leat_kinds_tree_get_parent(tree);
	struct leat_zap_items path = path_copy(b, tree);
	struct leat_zap_items bytes = numbers_copy(b, leat_kinds_tree_get_bytes_(tree), 1);
	struct leat_zap_items words = numbers_copy(b, leat_kinds_tree_get_words(tree), 4);
	struct leat_zap_items longs = numbers_copy(b, leat_kinds_tree_get_longs(tree), 8);
	struct leat_zap_items names = entries_copy(b, leat_kinds_tree_get_names(tree));
	struct leat_zap_items blobs = entries_copy(b, leat_kinds_tree_get_blobs(tree));
	struct leat_zap_items leaves = entries_copy(b, leat_kinds_tree_get_leaves(tree));
	struct leat_zap_place outer = leat_kinds_tree_start(b);
	struct leat_zap_place place = leat_kinds_tree_start(b);

	leat_kinds_tree_set_label(b, outer, leat_kinds_tree_get_label(parent));
	leat_kinds_tree_set_level(b, place, leat_kinds_tree_get_level(tree));
	leat_kinds_tree_set_path(b, place, path);
	leat_kinds_tree_set_bytes_(b, place, bytes);
	leat_kinds_tree_set_words(b, place, words);
	leat_kinds_tree_set_longs(b, place, longs);
	leat_kinds_tree_set_names(b, place, names);
	leat_kinds_tree_set_blobs(b, place, blobs);
	leat_kinds_tree_set_leaves(b, place, leaves);
	if (!leat_zap_is_null(parent))
		leat_kinds_tree_set_parent(b, place, outer);
	leat_kinds_tree_set_tag(b, place, leat_kinds_tree_get_tag(tree));
	leat_kinds_tree_set_label(b, place, leat_kinds_tree_get_label(tree));
	leat_zap_finish_root(b, place);
	leat_zap_finish_object(b, outer);
	return leat_zap_finish(b);
}

/* A copy of a copy is the copy. */
static void
tree_again(struct leat_zap_object root, struct leat_slice in)
{
	static uint8_t first[FUZZ_ROOM_LEN];
	static uint8_t second[FUZZ_ROOM_LEN];
	struct leat_kinds_fixed fixed;
	struct leat_slice copy = { first, 0 };
	struct leat_zap_builder b;
	ssize_t ret;

	leat_zap_build(&b, first, sizeof(first));
	ret = tree_copy(root, &b);
	if (ret < 0) {
		LEAT_VERIFY(ret == -ENOBUFS);
		return;
	}
	copy.len = (size_t)ret;
	leat_zap_build(&b, second, sizeof(second));
	LEAT_VERIFY(tree_copy(leat_zap_root_of(copy), &b) == ret);
	LEAT_VERIFY(leat_slice_is_equal(copy, (struct leat_slice){ second, copy.len }));
	leat_kinds_fixed_read(root, &fixed);
	(void)fuzz_slice_verify(fixed.name, in);
}

void
fuzz_zap_schemas(struct leat_zap_object root, struct leat_slice in)
{
	balance_request_again(root);
	balance_response_again(root);
	http_request_again(root);
	http_response_again(root);
	http_chunk_again(root);
	rpc_request_again(root);
	rpc_response_again(root);
	scalars_again(root);
	tree_again(root, in);
}
