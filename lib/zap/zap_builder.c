/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_zap_builder.h>

static const uint8_t magic[4] = { 'Z', 'A', 'P', 0 };

/* The next @p len bytes, or NULL when there is no room for them. */
static uint8_t *
room_take(struct leat_zap_builder *b, size_t len)
{
	uint8_t *room;

	if (b->error != 0 || b->cap - b->pos < len) {
		b->error = b->error != 0 ? b->error : -ENOBUFS;
		return NULL;
	}
	room = b->buf + b->pos;
	b->pos += len;
	return room;
}

static uint32_t
room_align(struct leat_zap_builder *b)
{
	size_t len = (LEAT_ZAP_ALIGN - b->pos % LEAT_ZAP_ALIGN) % LEAT_ZAP_ALIGN;
	uint8_t *room = room_take(b, len);

	if (room != NULL)
		memset(room, 0, len);
	return (uint32_t)b->pos;
}

static void
room_put(struct leat_zap_builder *b, struct leat_slice bytes)
{
	uint8_t *room = room_take(b, bytes.len);

	if (room != NULL && bytes.len > 0)
		memcpy(room, bytes.data, bytes.len);
}

/* The address of a field, or NULL when its object found no room. */
static uint8_t *
field_at(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, size_t len)
{
	if (b->error != 0)
		return NULL;
	LEAT_VERIFY(object.off >= LEAT_ZAP_HEADER_LEN);
	LEAT_VERIFY(field <= object.len);
	LEAT_VERIFY(len <= object.len - field);
	return b->buf + object.off + field;
}

void
leat_zap_build(struct leat_zap_builder *b, uint8_t *buf, size_t cap)
{
	uint8_t *header;

	b->buf = buf;
	b->cap = LEAT_MIN(cap, LEAT_ZAP_MESSAGE_MAX);
	b->pos = 0;
	b->root = 0;
	b->error = 0;
	b->nb_tails = 0;
	header = room_take(b, LEAT_ZAP_HEADER_LEN);
	if (header == NULL)
		return;
	memcpy(header, magic, sizeof(magic));
	leat_le16_put(header + 4, LEAT_ZAP_VERSION_MIN);
	leat_le16_put(header + 6, 0);
}

void
leat_zap_set_version(struct leat_zap_builder *b, uint16_t version)
{
	LEAT_VERIFY(version >= LEAT_ZAP_VERSION_MIN);
	LEAT_VERIFY(version <= LEAT_ZAP_VERSION_MAX);
	if (b->error == 0)
		leat_le16_put(b->buf + 4, version);
}

void
leat_zap_set_flags(struct leat_zap_builder *b, uint16_t flags)
{
	if (b->error == 0)
		leat_le16_put(b->buf + 6, flags);
}

struct leat_zap_place
leat_zap_start_object(struct leat_zap_builder *b, uint32_t len)
{
	struct leat_zap_place object = { room_align(b), len };
	uint8_t *room = room_take(b, len);

	if (room != NULL)
		memset(room, 0, len);
	return object;
}

void
leat_zap_finish_object(struct leat_zap_builder *b, struct leat_zap_place object)
{
	unsigned int nb_kept = 0;

	for (unsigned int i = 0; i < b->nb_tails; i++) {
		struct leat_zap_tail tail = b->tails[i];

		if (tail.object != object.off) {
			b->tails[nb_kept++] = tail;
			continue;
		}
		if (b->error == 0)
			leat_le32_put(b->buf + tail.slot, (uint32_t)(b->pos - tail.slot));
		room_put(b, tail.bytes);
	}
	b->nb_tails = nb_kept;
}

void
leat_zap_finish_root(struct leat_zap_builder *b, struct leat_zap_place object)
{
	leat_zap_finish_object(b, object);
	b->root = object.off;
}

void
leat_zap_set_u8(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint8_t value)
{
	uint8_t *p = field_at(b, object, field, sizeof(value));

	if (p != NULL)
		*p = value;
}

void
leat_zap_set_u16(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint16_t value)
{
	uint8_t *p = field_at(b, object, field, sizeof(value));

	if (p != NULL)
		leat_le16_put(p, value);
}

void
leat_zap_set_u32(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint32_t value)
{
	uint8_t *p = field_at(b, object, field, sizeof(value));

	if (p != NULL)
		leat_le32_put(p, value);
}

void
leat_zap_set_u64(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint64_t value)
{
	uint8_t *p = field_at(b, object, field, sizeof(value));

	if (p != NULL)
		leat_le64_put(p, value);
}

void
leat_zap_set_fixed(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_slice bytes)
{
	uint8_t *p = field_at(b, object, field, bytes.len);

	if (p != NULL && bytes.len > 0)
		memcpy(p, bytes.data, bytes.len);
}

void
leat_zap_set_bytes(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_slice bytes)
{
	uint8_t *p = field_at(b, object, field, 8);

	if (p == NULL)
		return;
	if (bytes.len == 0) {
		memset(p, 0, 8);
		return;
	}
	if (b->nb_tails == LEAT_ZAP_TAILS_MAX || bytes.len > b->cap) {
		b->error = bytes.len > b->cap ? -ENOBUFS : -E2BIG;
		return;
	}
	leat_le32_put(p + 4, (uint32_t)bytes.len);
	b->tails[b->nb_tails].bytes = bytes;
	b->tails[b->nb_tails].object = object.off;
	b->tails[b->nb_tails].slot = object.off + field;
	b->nb_tails++;
}

void
leat_zap_set_object(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_zap_place child)
{
	uint8_t *p = field_at(b, object, field, 4);

	if (p != NULL)
		leat_le32_put(p, child.off == 0 ? 0 : child.off - (object.off + field));
}

void
leat_zap_set_list(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_zap_items items)
{
	uint8_t *p = field_at(b, object, field, 8);

	if (p == NULL)
		return;
	leat_le32_put(p, items.count == 0 ? 0 : items.off - (object.off + field));
	leat_le32_put(p + 4, items.count);
}

struct leat_zap_items
leat_zap_start_list(struct leat_zap_builder *b)
{
	struct leat_zap_items items = { room_align(b), 0 };

	return items;
}

void
leat_zap_add_u8(struct leat_zap_builder *b, struct leat_zap_items *items, uint8_t value)
{
	uint8_t *room = room_take(b, sizeof(value));

	if (room != NULL)
		*room = value;
	items->count++;
}

void
leat_zap_add_u32(struct leat_zap_builder *b, struct leat_zap_items *items, uint32_t value)
{
	uint8_t *room = room_take(b, sizeof(value));

	if (room != NULL)
		leat_le32_put(room, value);
	items->count++;
}

void
leat_zap_add_u64(struct leat_zap_builder *b, struct leat_zap_items *items, uint64_t value)
{
	uint8_t *room = room_take(b, sizeof(value));

	if (room != NULL)
		leat_le64_put(room, value);
	items->count++;
}

void
leat_zap_add_raw(struct leat_zap_builder *b, struct leat_zap_items *items, struct leat_slice bytes)
{
	room_put(b, bytes);
	items->count += (uint32_t)bytes.len;
}

void
leat_zap_add_entry(
	struct leat_zap_builder *b, struct leat_zap_items *items, struct leat_slice bytes)
{
	uint8_t *room = room_take(b, 4);

	if (room != NULL)
		leat_le32_put(room, (uint32_t)bytes.len); /* too much for it is too much below */
	room_put(b, bytes);
	items->count++;
}

struct leat_zap_place
leat_zap_add_object(struct leat_zap_builder *b, struct leat_zap_items *items, uint32_t stride)
{
	struct leat_zap_place object = { (uint32_t)b->pos, stride };
	uint8_t *room = room_take(b, stride);

	if (room != NULL)
		memset(room, 0, stride);
	items->count++;
	return object;
}

uint32_t
leat_zap_put_raw(struct leat_zap_builder *b, struct leat_slice bytes)
{
	uint32_t off;

	if (bytes.len == 0)
		return 0;
	off = room_align(b);
	room_put(b, bytes);
	return off;
}

ssize_t
leat_zap_finish(struct leat_zap_builder *b)
{
	if (b->error != 0)
		return b->error;
	LEAT_VERIFY(b->nb_tails == 0); /* an object with text or bytes was not finished */
	leat_le32_put(b->buf + 8, b->root);
	leat_le32_put(b->buf + 12, (uint32_t)b->pos);
	return (ssize_t)b->pos;
}
