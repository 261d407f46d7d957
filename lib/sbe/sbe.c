/* SPDX-License-Identifier: BSD-3-Clause */

#include "leat_sbe.h"
#include "leat_sbe_messages.h"

/* Where the parts of a header lie, from the frame's first byte on. */
#define SBE_BLOCK_LEN_AT 4u
#define SBE_TEMPLATE_AT  6u
#define SBE_SCHEMA_AT    8u
#define SBE_VERSION_AT   10u

/* What the first bytes of a frame say against it; of these @p in has as many as it has. */
static enum leat_sbe_refusal
frame_check(struct leat_slice in, size_t frame_max)
{
	uint32_t len = leat_le32_get(in.data);

	if (len < LEAT_SBE_HEADER_LEN)
		return LEAT_SBE_SHORT_FRAME;
	if ((uint64_t)len + LEAT_SBE_LEN_LEN > LEAT_MIN(frame_max, (size_t)LEAT_SBE_FRAME_MAX))
		return LEAT_SBE_BIG_FRAME;
	if (in.len < LEAT_SBE_HEAD_LEN)
		return LEAT_SBE_OK;
	if (leat_le16_get(in.data + SBE_SCHEMA_AT) != LEAT_SBE_SCHEMA_ID)
		return LEAT_SBE_BAD_SCHEMA;
	if (leat_le16_get(in.data + SBE_VERSION_AT) < LEAT_SBE_SCHEMA_VERSION)
		return LEAT_SBE_OLD_VERSION;
	if (leat_le16_get(in.data + SBE_BLOCK_LEN_AT) > len - LEAT_SBE_HEADER_LEN)
		return LEAT_SBE_BAD_BLOCK;
	return LEAT_SBE_OK;
}

ssize_t
leat_sbe_parse_frame(struct leat_slice in, size_t frame_max, struct leat_sbe_frame *frame,
	enum leat_sbe_refusal *refusal)
{
	uint32_t len;

	if (in.len < LEAT_SBE_LEN_LEN)
		return 0;
	*refusal = frame_check(in, frame_max);
	if (*refusal != LEAT_SBE_OK)
		return *refusal == LEAT_SBE_BIG_FRAME ? -EMSGSIZE : -EBADMSG;
	len = leat_le32_get(in.data);
	if (in.len - LEAT_SBE_LEN_LEN < len)
		return 0;
	frame->template_id = leat_le16_get(in.data + SBE_TEMPLATE_AT);
	frame->block_len = leat_le16_get(in.data + SBE_BLOCK_LEN_AT);
	frame->version = leat_le16_get(in.data + SBE_VERSION_AT);
	frame->body.data = in.data + LEAT_SBE_HEAD_LEN;
	frame->body.len = len - LEAT_SBE_HEADER_LEN;
	return (ssize_t)LEAT_SBE_LEN_LEN + len;
}

/* Returns false if the data is past the end. */
static bool
take_data(struct leat_reader *r, struct leat_slice *data)
{
	uint32_t len;

	if (leat_reader_left(r) < LEAT_SBE_DATA_LEN_LEN)
		return false;
	len = leat_le32_get(r->pos);
	if (leat_reader_left(r) - LEAT_SBE_DATA_LEN_LEN < len)
		return false;
	data->data = r->pos + LEAT_SBE_DATA_LEN_LEN;
	data->len = len;
	r->pos += LEAT_SBE_DATA_LEN_LEN + len;
	return true;
}

/* Step over a group, whose entries then are known to lie within the frame. */
static enum leat_sbe_refusal
take_group(
	struct leat_reader *r, const struct leat_sbe_layout *layout, struct leat_sbe_group *group)
{
	struct leat_slice data;

	if (leat_reader_left(r) < LEAT_SBE_DIMENSION_LEN)
		return LEAT_SBE_BAD_GROUP;
	group->entry_len = leat_le16_get(r->pos);
	group->nb_left = leat_le16_get(r->pos + 2);
	group->entry_nb_data = layout->entry_nb_data;
	r->pos += LEAT_SBE_DIMENSION_LEN;
	group->next = r->pos;
	if (group->entry_len < layout->entry_len)
		return LEAT_SBE_BAD_GROUP;
	for (uint32_t i = 0; i < group->nb_left; i++) {
		if (leat_reader_left(r) < group->entry_len)
			return LEAT_SBE_BAD_GROUP;
		r->pos += group->entry_len;
		for (uint32_t j = 0; j < group->entry_nb_data; j++) {
			if (!take_data(r, &data))
				return LEAT_SBE_BAD_DATA;
		}
	}
	return LEAT_SBE_OK;
}

enum leat_sbe_refusal
leat_sbe_decode(const struct leat_sbe_layout *layout, const struct leat_sbe_frame *frame,
	struct leat_sbe_message *msg)
{
	struct leat_reader r = { frame->body.data, frame->body.data + frame->body.len };

	LEAT_VERIFY(frame->block_len <= frame->body.len);
	memset(msg, 0, sizeof(*msg));
	msg->layout = layout;
	msg->block = r.pos;
	if (frame->block_len < layout->block_len)
		return LEAT_SBE_BAD_BLOCK;
	r.pos += frame->block_len;
	if (layout->has_group) {
		enum leat_sbe_refusal refusal = take_group(&r, layout, &msg->group);

		if (refusal != LEAT_SBE_OK)
			return refusal;
	}
	for (uint32_t i = 0; i < layout->nb_data; i++) {
		if (!take_data(&r, &msg->data[i]))
			return LEAT_SBE_BAD_DATA;
	}
	return LEAT_SBE_OK;
}

bool
leat_sbe_group_next(struct leat_sbe_group *group, struct leat_sbe_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	if (group->nb_left == 0)
		return false;
	group->nb_left--;
	entry->block = group->next;
	group->next += group->entry_len;
	for (uint32_t i = 0; i < group->entry_nb_data; i++) {
		entry->data[i].len = leat_le32_get(group->next);
		entry->data[i].data = group->next + LEAT_SBE_DATA_LEN_LEN;
		group->next = entry->data[i].data + entry->data[i].len;
	}
	return true;
}

const struct leat_sbe_layout *
leat_sbe_layout_find(uint16_t template_id)
{
	const struct leat_sbe_layout *layout;

	if (template_id > LEAT_SBE_TEMPLATE_ID_MAX)
		return NULL;
	layout = &leat_sbe_layouts[template_id];
	return layout->name != NULL ? layout : NULL;
}

const char *
leat_sbe_refusal_text(enum leat_sbe_refusal refusal)
{
	static const char *const texts[] = {
		[LEAT_SBE_OK] = "ok",
		[LEAT_SBE_SHORT_FRAME] = "frame too short for a header",
		[LEAT_SBE_BIG_FRAME] = "frame too long",
		[LEAT_SBE_BAD_SCHEMA] = "unknown schema",
		[LEAT_SBE_OLD_VERSION] = "schema version too old",
		[LEAT_SBE_BAD_BLOCK] = "bad block length",
		[LEAT_SBE_BAD_GROUP] = "bad group",
		[LEAT_SBE_BAD_DATA] = "data past the end of the frame",
	};

	static_assert(LEAT_DIM(texts) == LEAT_SBE_REFUSALS, "each has its text");
	LEAT_VERIFY((unsigned int)refusal < LEAT_SBE_REFUSALS);
	return texts[refusal];
}

void
leat_sbe_store_head(uint8_t head[LEAT_SBE_HEAD_LEN], uint16_t template_id, uint16_t block_len,
	uint32_t frame_len)
{
	leat_le32_put(head, frame_len - LEAT_SBE_LEN_LEN);
	leat_le16_put(head + SBE_BLOCK_LEN_AT, block_len);
	leat_le16_put(head + SBE_TEMPLATE_AT, template_id);
	leat_le16_put(head + SBE_SCHEMA_AT, LEAT_SBE_SCHEMA_ID);
	leat_le16_put(head + SBE_VERSION_AT, LEAT_SBE_SCHEMA_VERSION);
}

void
leat_sbe_put_hole(struct leat_writer *w, struct leat_sbe_hole *hole, uint32_t len)
{
	LEAT_VERIFY(len <= LEAT_SBE_HOLE_MAX);
	memset(hole, 0, sizeof(*hole));
	for (uint32_t i = 0; i < len; i++) {
		leat_writer_put_u8(w, 0);
		if (w->failed)
			return;
		hole->at[i] = w->pos - 1;
	}
}

static void
hole_fill(const struct leat_sbe_hole *hole, const uint8_t *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		if (hole->at[i] != NULL)
			*hole->at[i] = bytes[i];
	}
}

void
leat_sbe_fill_u32(const struct leat_sbe_hole *hole, uint32_t value)
{
	uint8_t bytes[sizeof(value)];

	leat_le32_put(bytes, value);
	hole_fill(hole, bytes, sizeof(bytes));
}

void
leat_sbe_fill_f64(const struct leat_sbe_hole *hole, double value)
{
	uint8_t bytes[sizeof(value)];

	leat_le64_put(bytes, leat_double_bits(value));
	hole_fill(hole, bytes, sizeof(bytes));
}
