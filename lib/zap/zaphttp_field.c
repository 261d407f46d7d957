/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_zap.h>

#include "zaphttp_priv.h"

/* Read a length and that many bytes. */
static bool
text_read(struct leat_reader *in, struct leat_slice *text)
{
	uint32_t len;

	if (leat_reader_left(in) < 4)
		return false;
	len = leat_le32_get(in->pos);
	if (leat_reader_left(in) - 4 < len)
		return false;
	text->data = in->pos + 4;
	text->len = len;
	in->pos += 4 + (size_t)len;
	return true;
}

/*
 * The count stands in front of the first pair. A count that the block cannot hold fails where
 * the block ends; what follows the last pair is not looked at.
 */
static int
pair_next(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field)
{
	walk->nb_left--;
	field->is_name_escaped = false;
	field->is_value_escaped = false;
	if (!text_read(&walk->in, &field->name) || !text_read(&walk->in, &field->value))
		return -EBADMSG;
	return 1;
}

struct leat_zaphttp_walk
leat_zaphttp_walk_begin(struct leat_zaphttp_block block)
{
	struct leat_zaphttp_walk walk = { .generation = block.generation };

	walk.in.pos = block.bytes.data;
	walk.in.end = block.bytes.data == NULL ? NULL : block.bytes.data + block.bytes.len;
	if (block.bytes.len == 0)
		return walk;
	walk.nb_left = 1; /* without a whole count nothing of a pair is there */
	if (block.generation == LEAT_ZAPHTTP_BINARY && block.bytes.len >= 4) {
		walk.nb_left = leat_le32_get(block.bytes.data);
		walk.in.pos += 4;
	}
	return walk;
}

int
leat_zaphttp_walk_next(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field)
{
	int ret;

	if (walk->nb_left == 0)
		return 0;
	if (walk->generation == LEAT_ZAPHTTP_BINARY)
		ret = pair_next(walk, field);
	else
		ret = zaphttp_json_next(walk, field);
	if (ret > 0 && ++walk->nb_seen > LEAT_ZAPHTTP_FIELDS_MAX)
		return -EMSGSIZE;
	return ret;
}

bool
leat_zaphttp_is_ignored(struct leat_slice name)
{
	return leat_slice_is_equal_nocase(name, LEAT_SLICE("Content-Length")) ||
	       leat_slice_is_equal_nocase(name, LEAT_SLICE("Transfer-Encoding"));
}

bool
zaphttp_is_left_out(enum leat_zaphttp_generation generation, struct leat_slice name)
{
	return leat_slice_is_equal_nocase(name, LEAT_SLICE("Content-Length")) ||
	       leat_slice_is_equal_nocase(name, LEAT_SLICE("Trailer")) ||
	       (generation == LEAT_ZAPHTTP_JSON &&
		       leat_slice_is_equal_nocase(name, LEAT_SLICE("Host")));
}
