/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_RECORD_H
#define LEAT_RECORD_H

/**
 * @file
 * The flight recorder of one stack: the headers of the last segments, by class, so that
 * the many of one class do not push out the few of another. Text is never told, only
 * how much there was.
 *
 * The owner adds to it with each segment and copies it as a whole; a copy is for any
 * thread to read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <leat_common.h>
#include <leat_ip.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a segment's connection was about. */
enum leat_record_class {
	LEAT_RECORD_NEW,         /**< a handshake, also one that was refused */
	LEAT_RECORD_ESTABLISHED, /**< text and its acknowledgments */
	LEAT_RECORD_TROUBLED,    /**< the peer leaves time-outs or window probes unanswered */
	LEAT_RECORD_CLOSING,     /**< from the first FIN on, and the RST that ends it */
	LEAT_RECORD_STRAY,       /**< of no connection */
	LEAT_RECORD_CLASSES,
};

#define LEAT_RECORD_SEGS_MAX 4096u /**< of one class */
#define LEAT_RECORD_HDR_LEN  112u  /**< bytes kept of a frame's headers, Ethernet to TCP */

struct leat_record_lens {
	uint32_t frame : 23; /**< bytes on the wire */
	uint32_t hdr : 8;    /**< bytes of hdr[] that are of the headers; the rest is noise */
	uint32_t is_out : 1; /**< we sent it */
};

/** One segment: where it lies is its class. */
struct leat_record_seg {
	uint64_t at_us; /**< the owner's clock */
	uint32_t seq;   /**< counts the segments of all classes, modulo 2^32 */
	struct leat_record_lens lens;
	uint8_t hdr[LEAT_RECORD_HDR_LEN];
};

static_assert(sizeof(struct leat_record_seg) == 2 * LEAT_CACHE_LINE_LEN, "two lines a segment");
static_assert(LEAT_RECORD_HDR_LEN <= UINT8_MAX, "a length fits its field");

/** A recorder, or a copy of one. */
struct leat_record {
	uint32_t nb_segs; /**< of each class, a power of two; 0: it records nothing */
	uint32_t seq;     /**< of the next segment */
	uint64_t nb_added[LEAT_RECORD_CLASSES];
	struct leat_record_seg *segs; /**< nb_segs of each class in turn */
};

/** Both ends of a connection. */
struct leat_record_ends {
	struct leat_ip_addr laddr;
	struct leat_ip_addr raddr;
	uint16_t lport; /**< host order */
	uint16_t rport;
};

/** Why a recorder was frozen. */
struct leat_record_cause {
	const char *reason;              /**< one word, a constant: "reset", "timeout"... */
	enum leat_record_class class_of; /**< that the connection was in */
	uint64_t at_us;
	struct leat_record_ends ends;
};

/** @return the name of a class: "established", for example. */
const char *leat_record_class_name(enum leat_record_class class_of);

/** @return bytes of segments of a recorder for @p nb_segs of each class, rounded up. */
size_t leat_record_mem_len(uint32_t nb_segs);

/**
 * Begin to record.
 *
 * @param mem
 *   leat_record_mem_len() bytes, aligned to a cache line; the caller's. NULL if that is 0.
 * @param nb_segs
 *   Of each class, up to LEAT_RECORD_SEGS_MAX; rounded up to a power of two.
 */
void leat_record_init(struct leat_record *record, void *mem, uint32_t nb_segs);

/**
 * Add a segment, in place of the oldest of its class.
 *
 * @param record
 *   With nb_segs above 0.
 * @param hdr
 *   LEAT_RECORD_HDR_LEN bytes that may be read, of which @p hdr_len are of headers.
 * @param hdr_len
 *   0 to LEAT_RECORD_HDR_LEN.
 * @param frame_len
 *   Bytes of the whole frame.
 */
static inline void
leat_record_add(struct leat_record *record, enum leat_record_class class_of, uint64_t at_us,
	bool is_out, const uint8_t *hdr, uint32_t hdr_len, uint32_t frame_len)
{
	uint32_t idx = (uint32_t)record->nb_added[class_of]++ & (record->nb_segs - 1);
	struct leat_record_seg *seg = &record->segs[class_of * record->nb_segs + idx];

	/* One store for each of the three, where bit by bit they would be read and written. */
	seg->at_us = at_us;
	seg->seq = record->seq++;
	seg->lens = (struct leat_record_lens){
		.frame = frame_len,
		.hdr = (uint8_t)hdr_len,
		.is_out = is_out,
	};
	memcpy(seg->hdr, hdr, LEAT_RECORD_HDR_LEN); /* of one length, so no call */
}

/**
 * Copy all that is there.
 *
 * @param to
 *   Initialised.
 * @return
 *   0, or -ENOSPC: it has not as many segments.
 */
int leat_record_copy(const struct leat_record *from, struct leat_record *to);

/** @return how many segments of a class are there. */
uint32_t leat_record_nb(const struct leat_record *record, enum leat_record_class class_of);

/** @return the @p idx -th oldest of a class, of leat_record_nb(). */
const struct leat_record_seg *leat_record_at(
	const struct leat_record *record, enum leat_record_class class_of, uint32_t idx);

/** @return whether a segment's headers could be read; if so @p ends are those of its connection. */
bool leat_record_seg_ends(const struct leat_record_seg *seg, struct leat_record_ends *ends);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_RECORD_H */
