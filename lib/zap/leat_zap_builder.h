/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAP_BUILDER_H
#define LEAT_ZAP_BUILDER_H

/**
 * @file
 * ZAP messages: the builder, for messages with lists and nested objects.
 *
 * It writes into one array of its owner, byte for byte as every canonical writer does: an object
 * or a list begins at a multiple of 8 with zeros before it, the text and bytes of an object
 * follow it in the order of the calls when it is finished, without any padding.
 *
 * A message of numbers, text and bytes alone is better written by the encoder that leat-zapc
 * makes for it, which needs no builder.
 *
 * Once something found no room, the builder drops all that comes, and leat_zap_finish() says so.
 */

#include <stdint.h>

#include <sys/types.h>

#include <leat_bytes.h>
#include <leat_zap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text and bytes that wait for the end of their objects, in all open objects together. */
#define LEAT_ZAP_TAILS_MAX 64u

/** An object under construction: its place in the message. */
struct leat_zap_place {
	uint32_t off; /**< 0: a null object */
	uint32_t len; /**< of the fixed section */
};

/** A list under construction. */
struct leat_zap_items {
	uint32_t off;
	uint32_t count;
};

/** Text or bytes that are written when their object is finished. */
struct leat_zap_tail {
	struct leat_slice bytes;
	uint32_t object; /**< offset of the object */
	uint32_t slot;   /**< offset of the slot that is to point to it */
};

/** A message under construction. Its owner sets nothing in it. */
struct leat_zap_builder {
	uint8_t *buf;
	size_t cap;
	size_t pos;
	uint32_t root;
	int error; /**< 0, or what leat_zap_finish() returns */
	unsigned int nb_tails;
	struct leat_zap_tail tails[LEAT_ZAP_TAILS_MAX];
};

/**
 * Begin a message of version 1, without flags.
 *
 * @param buf
 *   Room for the message; the owner's, and must outlive the builder.
 * @param cap
 *   Of @p buf; what is over LEAT_ZAP_MESSAGE_MAX is not used.
 */
void leat_zap_build(struct leat_zap_builder *b, uint8_t *buf, size_t cap);

/** Write version 1 or 2. */
void leat_zap_set_version(struct leat_zap_builder *b, uint16_t version);

/** Write the flags; the type of a message is in the high byte. */
void leat_zap_set_flags(struct leat_zap_builder *b, uint16_t flags);

/**
 * Begin an object with @p len zero bytes of fixed section.
 *
 * Objects may be open inside one another. Each that had text or bytes set must be finished.
 */
struct leat_zap_place leat_zap_start_object(struct leat_zap_builder *b, uint32_t len);

/** Write the text and bytes of an object behind all that is there, in the order of the calls. */
void leat_zap_finish_object(struct leat_zap_builder *b, struct leat_zap_place object);

/** As leat_zap_finish_object(), and the object is the message's root. */
void leat_zap_finish_root(struct leat_zap_builder *b, struct leat_zap_place object);

/** Set a number or a bool of an object. The field must lie inside the fixed section. */
void leat_zap_set_u8(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint8_t value);
/** As leat_zap_set_u8(). */
void leat_zap_set_u16(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint16_t value);
/** As leat_zap_set_u8(). */
void leat_zap_set_u32(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint32_t value);
/** As leat_zap_set_u8(). */
void leat_zap_set_u64(
	struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field, uint64_t value);

/** Copy bytes into the fixed section itself. */
void leat_zap_set_fixed(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_slice bytes);

/**
 * Set text or bytes, which are written when the object is finished. Once for each field: of two
 * values both would be in the message, and the second would be read.
 *
 * @param bytes
 *   The caller's, until the object is finished. Empty is null.
 */
void leat_zap_set_bytes(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_slice bytes);

/** Point to a child that was begun, before or after its parent. */
void leat_zap_set_object(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_zap_place child);

/** Point to a list whose elements are all there; an empty list is null. */
void leat_zap_set_list(struct leat_zap_builder *b, struct leat_zap_place object, uint32_t field,
	struct leat_zap_items items);

/** Begin a list. Nothing else may be written before its last element. */
struct leat_zap_items leat_zap_start_list(struct leat_zap_builder *b);

/** Add an element to a list of bytes. */
void leat_zap_add_u8(struct leat_zap_builder *b, struct leat_zap_items *items, uint8_t value);
/** Add an element to a list of numbers of four bytes. */
void leat_zap_add_u32(struct leat_zap_builder *b, struct leat_zap_items *items, uint32_t value);
/** Add an element to a list of numbers of eight bytes. */
void leat_zap_add_u64(struct leat_zap_builder *b, struct leat_zap_items *items, uint64_t value);
/** Add bytes to a list of bytes, each of which counts. */
void leat_zap_add_raw(
	struct leat_zap_builder *b, struct leat_zap_items *items, struct leat_slice bytes);
/** Add an entry with its length: text, bytes, or a struct as a message of its own. */
void leat_zap_add_entry(
	struct leat_zap_builder *b, struct leat_zap_items *items, struct leat_slice bytes);
/**
 * Add an object of @p stride zero bytes to a list of objects that stand in it. It is set like any
 * other, and finished after the last one of the list was added.
 */
struct leat_zap_place leat_zap_add_object(
	struct leat_zap_builder *b, struct leat_zap_items *items, uint32_t stride);

/** @return the offset of raw bytes that were written ahead of an object; 0 for none. */
uint32_t leat_zap_put_raw(struct leat_zap_builder *b, struct leat_slice bytes);

/**
 * Finish the message.
 *
 * @return
 *   - > 0: its length, from the start of the array.
 *   - -ENOBUFS: the array is full.
 *   - -E2BIG: over LEAT_ZAP_TAILS_MAX.
 */
ssize_t leat_zap_finish(struct leat_zap_builder *b);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZAP_BUILDER_H */
