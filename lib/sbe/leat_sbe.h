/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_SBE_H
#define LEAT_SBE_H

/**
 * @file
 * Simple Binary Encoding (FIX SBE 1.0) in frames with a length: messages in and out, for
 * server and client alike.
 *
 * Pure functions on bytes: no allocation, no I/O, no clock. A frame is a length, a header
 * and a body: a block of fixed fields, at most one group, then data of variable length.
 * What a template's body holds is a leat_sbe_layout, generated from schema/leat-sbe.xml;
 * leat_sbe_messages.h, generated too, names its fields. All numbers are little-endian.
 *
 * Where the schema is older than the sender's, blocks are longer than we know and more
 * data follows: both are skipped.
 */

#include <errno.h>
#include <sys/types.h>

#include <leat_bytes.h>
#include <leat_le.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_SBE_MAGIC          "GOBLINS!" /**< what a client says before its first frame */
#define LEAT_SBE_MAGIC_LEN      8u
#define LEAT_SBE_LEN_LEN        4u  /**< bytes of a frame's length, which it does not count */
#define LEAT_SBE_HEADER_LEN     8u  /**< bytes of a message's header */
#define LEAT_SBE_HEAD_LEN       12u /**< both */
#define LEAT_SBE_DIMENSION_LEN  4u  /**< bytes before a group's entries */
#define LEAT_SBE_DATA_LEN_LEN   4u  /**< bytes before data */

#define LEAT_SBE_FRAME_MAX      (1u << 30) /**< bytes of a frame, its length included */
#define LEAT_SBE_ENTRIES_MAX    65535u     /**< in a group */
#define LEAT_SBE_DATA_MAX       3u         /**< pieces of data behind a message's group */
#define LEAT_SBE_ENTRY_DATA_MAX 2u         /**< pieces of data in a group's entry */

/** Why a stream cannot be read on. */
enum leat_sbe_refusal {
	LEAT_SBE_OK,
	LEAT_SBE_SHORT_FRAME, /**< its length has no room for a header */
	LEAT_SBE_BIG_FRAME,   /**< over the caller's limit or LEAT_SBE_FRAME_MAX */
	LEAT_SBE_BAD_SCHEMA,  /**< of another schema */
	LEAT_SBE_OLD_VERSION, /**< of a version before ours */
	LEAT_SBE_BAD_BLOCK,   /**< shorter than the template's, or past the frame's end */
	LEAT_SBE_BAD_GROUP,   /**< an entry shorter than the template's, or past the end */
	LEAT_SBE_BAD_DATA,    /**< past the frame's end */
	LEAT_SBE_REFUSALS,
};

/** One frame, its body not looked at. */
struct leat_sbe_frame {
	uint16_t template_id;
	uint16_t block_len;
	uint16_t version;
	struct leat_slice body; /**< behind the header; at least block_len bytes */
};

/** What a template's body holds; const, generated. */
struct leat_sbe_layout {
	const char *name;
	uint16_t template_id;
	uint16_t block_len;
	uint16_t entry_len;    /**< block of a group's entry */
	uint8_t entry_nb_data; /**< at most LEAT_SBE_ENTRY_DATA_MAX */
	uint8_t nb_data;       /**< at most LEAT_SBE_DATA_MAX */
	bool has_group;
	bool is_reply; /**< from server to client, or else a request */
};

/** A group, whose entries lie within the frame. */
struct leat_sbe_group {
	const uint8_t *next; /**< the entry that leat_sbe_group_next() gives */
	uint32_t nb_left;    /**< entries from there on */
	uint16_t entry_len;
	uint8_t entry_nb_data;
};

struct leat_sbe_entry {
	const uint8_t *block;
	struct leat_slice data[LEAT_SBE_ENTRY_DATA_MAX];
};

/** One message; everything points into the frame. Read it with leat_sbe_messages.h. */
struct leat_sbe_message {
	const struct leat_sbe_layout *layout;
	const uint8_t *block;
	struct leat_sbe_group group; /**< no entries if the template has none */
	struct leat_slice data[LEAT_SBE_DATA_MAX];
};

/**
 * Find the frame at the start of @p in.
 *
 * It looks at the frame's first LEAT_SBE_HEAD_LEN bytes only, so that there is nothing to
 * remember until more bytes come, and what is wrong there is refused before they do.
 *
 * @param in
 *   Bytes received so far, from the frame's first; borrowed.
 * @param frame_max
 *   Bytes of a frame, its length included; LEAT_SBE_FRAME_MAX holds too.
 * @param frame
 *   Filled when > 0 is returned.
 * @param refusal
 *   Set with -EBADMSG and -EMSGSIZE.
 * @return
 *   - > 0: bytes of the frame.
 *   - 0: incomplete; come again with the same bytes and more behind them.
 *   - -EBADMSG: not a frame of this schema; -EMSGSIZE: over @p frame_max.
 */
ssize_t leat_sbe_parse_frame(struct leat_slice in, size_t frame_max, struct leat_sbe_frame *frame,
	enum leat_sbe_refusal *refusal);

/**
 * What a template holds.
 *
 * @return
 *   The layout, or NULL: not a template of ours.
 */
const struct leat_sbe_layout *leat_sbe_layout_find(uint16_t template_id);

/**
 * Find the parts of a message in the body of its frame. Bytes behind the last part are
 * not looked at.
 *
 * @param layout
 *   Of frame->template_id.
 * @param msg
 *   Filled when LEAT_SBE_OK is returned.
 * @return
 *   LEAT_SBE_OK, _BAD_BLOCK, _BAD_GROUP or _BAD_DATA.
 */
enum leat_sbe_refusal leat_sbe_decode(const struct leat_sbe_layout *layout,
	const struct leat_sbe_frame *frame, struct leat_sbe_message *msg);

/**
 * Take the next entry of a group.
 *
 * @param entry
 *   Filled when true is returned; data beyond the template's is empty.
 * @return
 *   Whether there was one.
 */
bool leat_sbe_group_next(struct leat_sbe_group *group, struct leat_sbe_entry *entry);

/** @return one sentence without its end for a refusal; const. */
const char *leat_sbe_refusal_text(enum leat_sbe_refusal refusal);

/** Fill in a frame's length and header. @param frame_len  At least LEAT_SBE_HEAD_LEN. */
void leat_sbe_store_head(uint8_t head[LEAT_SBE_HEAD_LEN], uint16_t template_id, uint16_t block_len,
	uint32_t frame_len);

/** @return bytes that data takes in a frame; over LEAT_SBE_FRAME_MAX if it fits in none. */
static inline uint64_t
leat_sbe_data_len(struct leat_slice data)
{
	return LEAT_SBE_DATA_LEN_LEN + (uint64_t)LEAT_MIN(data.len, (size_t)LEAT_SBE_FRAME_MAX);
}

/** Write data with its length, which is at most LEAT_SBE_FRAME_MAX. */
static inline void
leat_sbe_put_data(struct leat_writer *w, struct leat_slice data)
{
	uint8_t len[LEAT_SBE_DATA_LEN_LEN];

	leat_le32_put(len, (uint32_t)data.len);
	leat_writer_put(w, len, sizeof(len));
	leat_writer_put_slice(w, data);
}

#define LEAT_SBE_HOLE_MAX 8u /**< bytes of a hole */

/**
 * Bytes written before their value is known. A writer's windows may be a byte each, so
 * every byte has its own place. All zero: a hole that nothing fills.
 */
struct leat_sbe_hole {
	uint8_t *at[LEAT_SBE_HOLE_MAX];
};

/** Write @p len bytes of zero to be filled in later, LEAT_SBE_HOLE_MAX at most. */
void leat_sbe_put_hole(struct leat_writer *w, struct leat_sbe_hole *hole, uint32_t len);

/**
 * Fill in the first four bytes of a hole. The windows must still be the writer's; bytes
 * that found no room in them are left out.
 */
void leat_sbe_fill_u32(const struct leat_sbe_hole *hole, uint32_t value);

/** As leat_sbe_fill_u32(), all eight. */
void leat_sbe_fill_f64(const struct leat_sbe_hole *hole, double value);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_SBE_H */
