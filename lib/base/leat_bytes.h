/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_BYTES_H
#define LEAT_BYTES_H

/**
 * @file
 * Borrowed bytes, a bounded reader over them, and a bounded writer.
 *
 * A slice names bytes that someone else owns. A reader never passes the end of
 * its slice. A writer fills windows that its owner supplies one after the other,
 * for example the free room of one TX mbuf after the next. Long bytes that somebody keeps
 * in place may leave without a copy: they are put by reference.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes owned by an mbuf or by the caller; valid until its owner frees them. */
struct leat_slice {
	const uint8_t *data;
	size_t len;
};

/** A slice over a string literal, without its terminating zero. */
#define LEAT_SLICE(literal) ((struct leat_slice){ (const uint8_t *)(literal), sizeof(literal) - 1 })

/** A slice over a C string, without its zero; the string stays the caller's. */
static inline struct leat_slice
leat_slice_str(const char *str)
{
	struct leat_slice s = { (const uint8_t *)str, strlen(str) };

	return s;
}

/** Equal bytes and length; an empty slice may have no address. */
static inline bool
leat_slice_is_equal(struct leat_slice a, struct leat_slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/** Equal but for the case of ASCII letters. */
bool leat_slice_is_equal_nocase(struct leat_slice a, struct leat_slice b);

/**
 * Parse a whole slice as a decimal number, as Redis reads one: an optional minus
 * sign and digits, nothing else; no leading zero but for "0" itself, no "-0".
 *
 * @return
 *   true and @p value set, or false: not such a number, or out of range.
 */
bool leat_slice_to_int64(struct leat_slice s, int64_t *value);

/** A read position inside a slice. */
struct leat_reader {
	const uint8_t *pos;
	const uint8_t *end; /**< one past the last byte */
};

/** @return bytes not yet read. */
static inline size_t
leat_reader_left(const struct leat_reader *r)
{
	return (size_t)(r->end - r->pos);
}

/**
 * Who keeps bytes where and as they are as long as somebody refers to them. Belongs to one
 * lcore, as all who refer do; only where no worker runs any more may another one release.
 */
struct leat_keeper {
	/** One reference more to bytes that were lent; @p bytes: the first byte of the loan. */
	void (*keep)(struct leat_keeper *keeper, const uint8_t *bytes);
	/** One less; with the last one the bytes may go. */
	void (*release)(struct leat_keeper *keeper, const uint8_t *bytes);
};

/**
 * Bytes that may be referred to instead of being copied. They lie in memory that devices
 * read: rte_malloc()'s or a memzone's, so that the EAL knows their IOVA. (Where every port is
 * a device of software any memory will do.)
 */
struct leat_loan {
	struct leat_slice bytes;
	struct leat_keeper *keeper; /**< NULL: they stay for ever */
};

/**
 * Bytes from which on a reference costs less than a copy, by the instructions that callgrind
 * counts from the request to the last segment.
 */
#define LEAT_WRITER_REF_MIN 4096u

/**
 * A write position inside the window [pos, end).
 *
 * When a window is full, @p more opens the next one. When it cannot, or when
 * there is none, the writer fails: from then on all that is written is dropped,
 * and the owner sees @p failed.
 */
struct leat_writer {
	uint8_t *pos;
	uint8_t *end; /**< one past the last byte of the window */
	/** Set pos and end to a new window of at least one byte; 0 or -ENOBUFS. May be NULL. */
	int (*more)(struct leat_writer *w);
	/**
	 * Put bytes of *loan by reference, behind what was written; pos and end may change.
	 * 0, or -errno: nothing was done, they are copied. May be NULL: it always copies.
	 */
	int (*refer)(struct leat_writer *w, struct leat_slice bytes);
	/** What is written may be part of it; NULL: nothing is lent. */
	const struct leat_loan *loan;
	bool failed;
};

/** A writer over one array; it fails when the array is full. */
static inline void
leat_writer_init(struct leat_writer *w, uint8_t *buf, size_t len)
{
	w->pos = buf;
	w->end = buf + len;
	w->more = NULL;
	w->refer = NULL;
	w->loan = NULL;
	w->failed = false;
}

/** Write across as many windows as it takes. */
void leat_writer_put_slow(struct leat_writer *w, const uint8_t *data, size_t len);

/** Write bytes, across windows if need be; w->failed tells whether all found room. */
static inline void
leat_writer_put(struct leat_writer *w, const void *data, size_t len)
{
	if (LEAT_UNLIKELY((size_t)(w->end - w->pos) < len)) {
		leat_writer_put_slow(w, (const uint8_t *)data, len);
		return;
	}
	if (len > 0) { /* a writer that has no window yet is all NULL */
		memcpy(w->pos, data, len);
		w->pos += len;
	}
}

/** As leat_writer_put(). */
static inline void
leat_writer_put_slice(struct leat_writer *w, struct leat_slice s)
{
	leat_writer_put(w, s.data, s.len);
}

/** As leat_writer_put(). */
static inline void
leat_writer_put_u8(struct leat_writer *w, uint8_t byte)
{
	leat_writer_put(w, &byte, 1);
}

/**
 * As leat_writer_put(), by reference where the writer's owner can do so and the bytes are at
 * least LEAT_WRITER_REF_MIN.
 *
 * @param keeper
 *   Of the bytes, which it keeps at least until this returns; NULL: they stay for ever. See
 *   struct leat_loan for where they may lie.
 */
void leat_writer_put_ref(struct leat_writer *w, struct leat_slice s, struct leat_keeper *keeper);

/** Write a number in decimal, with a minus sign where it is negative. */
void leat_writer_put_int64(struct leat_writer *w, int64_t value);

/** As leat_writer_put_int64(), of a number without a sign. */
void leat_writer_put_uint64(struct leat_writer *w, uint64_t value);

/** Decimal digits of a number, for leat_format_uint64(). */
#define LEAT_UINT64_TEXT_MAX 20

/** As leat_format_int64(), of a number without a sign. */
size_t leat_format_uint64(uint64_t value, char text[LEAT_UINT64_TEXT_MAX]);

#define LEAT_INT64_TEXT_MAX (1 + LEAT_UINT64_TEXT_MAX) /**< the same with a sign */

/**
 * Write @p value in decimal into @p text, no terminating zero.
 *
 * @return
 *   Bytes written, at least 1.
 */
size_t leat_format_int64(int64_t value, char text[LEAT_INT64_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_BYTES_H */
