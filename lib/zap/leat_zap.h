/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAP_H
#define LEAT_ZAP_H

/**
 * @file
 * ZAP messages: the reader.
 *
 * A message is 16 bytes of header and objects behind it. Whatever the peer wrote, a read never
 * leaves the message: a field that would, reads as zero or as nothing. So does each field of a
 * null object or list, which is one whose size is 0.
 *
 * Nothing is copied, nothing needs alignment, and no read follows more than one pointer. Pointers
 * may form cycles; who follows nested objects keeps a bound on the depth.
 *
 * Code for the fields of a schema is made by leat-zapc. The functions here are what it calls.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_le.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ZAP_HEADER_LEN  16u
#define LEAT_ZAP_MESSAGE_MAX UINT32_MAX /**< bytes of a message, its header included */
#define LEAT_ZAP_OBJECT_MAX  (1u << 20) /**< bytes of a fixed section that a schema may have */
#define LEAT_ZAP_ALIGN       8u         /**< of objects, lists and raw bytes that we write */
#define LEAT_ZAP_VERSION_MIN 1u
#define LEAT_ZAP_VERSION_MAX 2u /**< differs from 1 in the version's own byte alone */

/** A whole message that was accepted. */
struct leat_zap_message {
	const uint8_t *data;
	uint32_t size; /**< as the header says; bytes behind it are not part of the message */
	uint32_t root; /**< offset of the root object, as sent */
	uint16_t flags;
	uint16_t version;
};

/** An object: its fixed section begins at data + off. Null: all zero. */
struct leat_zap_object {
	const uint8_t *data; /**< of the message */
	uint64_t size;       /**< of the message; 0: a null object */
	uint64_t off;
};

/** A list: its elements begin at data + off. Null: all zero. */
struct leat_zap_list {
	const uint8_t *data;
	uint64_t size;
	uint64_t off;
	uint32_t count; /**< elements that the message claims, at most its size */
};

/**
 * Accept a message, whose length is known: what a frame or a field holds.
 *
 * @param in
 *   The message, and perhaps bytes behind it. They stay with the caller and must outlive what is
 *   read from the message.
 * @param msg
 *   Filled on success, else untouched.
 * @return
 *   - 0: accepted. The root is not looked at.
 *   - -ENODATA: fewer bytes than a header, or than the header says; or it says fewer than a header.
 *   - -EBADMSG: not a ZAP message.
 *   - -EPROTONOSUPPORT: neither version 1 nor 2.
 */
static inline int
leat_zap_parse(struct leat_slice in, struct leat_zap_message *msg)
{
	uint16_t version;
	uint32_t size;

	if (in.len < LEAT_ZAP_HEADER_LEN)
		return -ENODATA;
	if (leat_le32_get(in.data) != 0x0050415au) /* "ZAP" and a zero */
		return -EBADMSG;
	version = leat_le16_get(in.data + 4);
	if (version < LEAT_ZAP_VERSION_MIN || version > LEAT_ZAP_VERSION_MAX)
		return -EPROTONOSUPPORT;
	size = leat_le32_get(in.data + 12);
	if (size < LEAT_ZAP_HEADER_LEN || size > in.len)
		return -ENODATA;
	msg->data = in.data;
	msg->size = size;
	msg->root = leat_le32_get(in.data + 8);
	msg->flags = leat_le16_get(in.data + 6);
	msg->version = version;
	return 0;
}

/** An object that is not there: each of its fields reads as zero or as nothing. */
static inline struct leat_zap_object
leat_zap_null(void)
{
	struct leat_zap_object object = { NULL, 0, 0 };

	return object;
}

/** @return whether there is no such object. */
static inline bool
leat_zap_is_null(struct leat_zap_object object)
{
	return object.size == 0;
}

/**
 * The root object, which nothing says is whole.
 *
 * @return
 *   Null for an offset inside the header, which no writer makes: its fields would be the header's
 *   bytes.
 */
static inline struct leat_zap_object
leat_zap_root(const struct leat_zap_message *msg)
{
	struct leat_zap_object object = { msg->data, msg->size, msg->root };

	return msg->root < LEAT_ZAP_HEADER_LEN ? leat_zap_null() : object;
}

/**
 * The root object of a message that stands in a field or an entry of its own.
 *
 * @return
 *   Null where leat_zap_parse() refuses it.
 */
static inline struct leat_zap_object
leat_zap_root_of(struct leat_slice in)
{
	struct leat_zap_message msg;

	return leat_zap_parse(in, &msg) == 0 ? leat_zap_root(&msg) : leat_zap_null();
}

/** @return whether @p len bytes of the object, from its @p field on, are in the message. */
static inline bool
leat_zap_has(struct leat_zap_object object, uint32_t field, uint32_t len)
{
	return object.off + field + len <= object.size;
}

/** @return the byte, or 0 outside of the message. */
static inline uint8_t
leat_zap_get_u8(struct leat_zap_object object, uint32_t field)
{
	return leat_zap_has(object, field, 1) ? object.data[object.off + field] : 0;
}

/** @return the number, or 0 where it is not wholly in the message. */
static inline uint16_t
leat_zap_get_u16(struct leat_zap_object object, uint32_t field)
{
	return leat_zap_has(object, field, 2) ? leat_le16_get(object.data + object.off + field) : 0;
}

/** As leat_zap_get_u16(). */
static inline uint32_t
leat_zap_get_u32(struct leat_zap_object object, uint32_t field)
{
	return leat_zap_has(object, field, 4) ? leat_le32_get(object.data + object.off + field) : 0;
}

/** As leat_zap_get_u16(). */
static inline uint64_t
leat_zap_get_u64(struct leat_zap_object object, uint32_t field)
{
	return leat_zap_has(object, field, 8) ? leat_le64_get(object.data + object.off + field) : 0;
}

/** @return @p len bytes that stand in the object itself; no address outside of the message. */
static inline struct leat_slice
leat_zap_get_fixed(struct leat_zap_object object, uint32_t field, uint32_t len)
{
	struct leat_slice null = { NULL, 0 };
	struct leat_slice bytes;

	if (!leat_zap_has(object, field, len))
		return null;
	bytes.data = object.data + object.off + field;
	bytes.len = len;
	return bytes;
}

/**
 * The bytes that the slot at @p at points to; the caller has seen that the slot is in the message.
 *
 * @return
 *   As leat_zap_get_bytes().
 */
static inline struct leat_slice
leat_zap_slot_bytes(const uint8_t *data, uint64_t size, uint64_t at)
{
	struct leat_slice bytes = { NULL, 0 };
	uint64_t rel = leat_le32_get(data + at);
	uint64_t len = leat_le32_get(data + at + 4);

	if (LEAT_LIKELY(rel != 0 && at + rel + len <= size && at + rel >= LEAT_ZAP_HEADER_LEN)) {
		bytes.data = data + at + rel;
		bytes.len = len;
	}
	return bytes;
}

/**
 * Text or bytes. Nothing says that text is UTF-8.
 *
 * @return
 *   The bytes, in the message; no address (and no length) for null, and for what would lie
 *   outside. Empty with an address is a value that is there and empty.
 */
static inline struct leat_slice
leat_zap_get_bytes(struct leat_zap_object object, uint32_t field)
{
	struct leat_slice null = { NULL, 0 };

	if (!leat_zap_has(object, field, 8))
		return null;
	return leat_zap_slot_bytes(object.data, object.size, object.off + field);
}

/**
 * Write the slot of text or bytes: null when @p len is 0.
 *
 * @param at
 *   Offset of the slot @p p in the message.
 * @param tail
 *   Offset of the bytes, above that of the slot.
 * @param len
 *   Of the bytes, which are inside LEAT_ZAP_MESSAGE_MAX.
 * @return
 *   The offset behind the bytes.
 */
static inline uint64_t
leat_zap_slot_put(uint8_t *p, uint32_t at, uint64_t tail, uint64_t len)
{
	leat_le64_put(p, len == 0 ? 0 : (tail - at) | len << 32);
	return tail + len;
}

/**
 * Where the signed pointer at @p at leads to.
 *
 * @return
 *   An offset of at least LEAT_ZAP_HEADER_LEN and less than @p size, or 0 for null.
 */
static inline uint64_t
leat_zap_slot_target(const uint8_t *data, uint64_t size, uint64_t at)
{
	int32_t rel = (int32_t)leat_le32_get(data + at);
	int64_t target = (int64_t)at + rel;

	if (rel == 0 || target < (int64_t)LEAT_ZAP_HEADER_LEN || target >= (int64_t)size)
		return 0;
	return (uint64_t)target;
}

/** @return a nested object, of which no more is known than that it begins in the message; or null.
 */
static inline struct leat_zap_object
leat_zap_get_object(struct leat_zap_object object, uint32_t field)
{
	uint64_t target;

	if (!leat_zap_has(object, field, 4))
		return leat_zap_null();
	target = leat_zap_slot_target(object.data, object.size, object.off + field);
	if (target == 0)
		return leat_zap_null();
	object.off = target;
	return object;
}

/** @return a list, null with a count above the size of the message or a start outside of it. */
static inline struct leat_zap_list
leat_zap_get_list(struct leat_zap_object object, uint32_t field)
{
	struct leat_zap_list null = { NULL, 0, 0, 0 };
	struct leat_zap_list list;

	if (!leat_zap_has(object, field, 8))
		return null;
	list.data = object.data;
	list.size = object.size;
	list.off = leat_zap_slot_target(object.data, object.size, object.off + field);
	list.count = leat_le32_get(object.data + object.off + field + 4);
	return list.off == 0 || list.count > list.size ? null : list;
}

/** @return the element of a list of bytes; 0 past its end or the message's. */
static inline uint8_t
leat_zap_list_u8(struct leat_zap_list list, uint32_t i)
{
	return i < list.count && list.off + i < list.size ? list.data[list.off + i] : 0;
}

/** As leat_zap_list_u8(), for a list of numbers of four bytes. */
static inline uint32_t
leat_zap_list_u32(struct leat_zap_list list, uint32_t i)
{
	uint64_t at = list.off + (uint64_t)i * 4;

	return i < list.count && at + 4 <= list.size ? leat_le32_get(list.data + at) : 0;
}

/** As leat_zap_list_u8(), for a list of numbers of eight bytes. */
static inline uint64_t
leat_zap_list_u64(struct leat_zap_list list, uint32_t i)
{
	uint64_t at = list.off + (uint64_t)i * 8;

	return i < list.count && at + 8 <= list.size ? leat_le64_get(list.data + at) : 0;
}

/** @return a list of bytes as a slice; no address where it is not wholly in the message. */
static inline struct leat_slice
leat_zap_list_raw(struct leat_zap_list list)
{
	struct leat_slice bytes = { NULL, 0 };

	if (list.size != 0 && list.off + list.count <= list.size) {
		bytes.data = list.data + list.off;
		bytes.len = list.count;
	}
	return bytes;
}

/**
 * An element of a list of objects that stand in it one after the other.
 *
 * @param stride
 *   Bytes from one to the next, as the schema says, up to LEAT_ZAP_OBJECT_MAX.
 * @return
 *   The object; null past the end of the list. Its fields are checked as they are read.
 */
static inline struct leat_zap_object
leat_zap_list_object(struct leat_zap_list list, uint32_t i, uint32_t stride)
{
	struct leat_zap_object object = { list.data, list.size, list.off + (uint64_t)i * stride };

	return i < list.count ? object : leat_zap_null();
}

/** A walk over the entries of a list that have a length each. */
struct leat_zap_entries {
	const uint8_t *data;
	uint64_t size;
	uint64_t off; /**< of the next entry */
	uint32_t left;
};

/** Begin at the first entry. */
static inline struct leat_zap_entries
leat_zap_entries_begin(struct leat_zap_list list)
{
	struct leat_zap_entries entries = { list.data, list.size, list.off, list.count };

	return entries;
}

/**
 * The next entry. A struct in it is a message of its own: leat_zap_root_of().
 *
 * @return
 *   false at the end, and before an entry that is not wholly in the message.
 */
static inline bool
leat_zap_entries_next(struct leat_zap_entries *entries, struct leat_slice *entry)
{
	uint64_t len;

	if (entries->left == 0 || entries->off + 4 > entries->size)
		return false;
	len = leat_le32_get(entries->data + entries->off);
	if (entries->off + 4 + len > entries->size)
		return false;
	entry->data = entries->data + entries->off + 4;
	entry->len = len;
	entries->off += 4 + len;
	entries->left--;
	return true;
}

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZAP_H */
