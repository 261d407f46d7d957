/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef HTTP_SCAN_H
#define HTTP_SCAN_H

/*
 * Lines. The search for the end of a line stops at the first control byte: this judges the
 * line's bytes on the way, 16 or 8 of them at a time.
 */

#include <endian.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "http_priv.h"

#define HTTP_WORD_LEN  8
#define HTTP_WORD_ONES 0x0101010101010101u
#define HTTP_WORD_TOPS (HTTP_WORD_ONES << 7)
#define HTTP_BLOCK_LEN 16

/*
 * The tops of the bytes below 0x20 and of 0x7f. Borrows may mark bytes above the first
 * that is one, never below it.
 */
static inline uint64_t
http_word_controls(uint64_t word)
{
	uint64_t del = word ^ HTTP_WORD_ONES * 0x7f;
	uint64_t controls = (word - HTTP_WORD_ONES * 0x20) & ~word;

	return (controls | ((del - HTTP_WORD_ONES) & ~del)) & HTTP_WORD_TOPS;
}

#ifdef __SSE2__
/* One bit for each of 16 bytes that is below 0x20 or 0x7f. */
static inline uint32_t
http_block_controls(const uint8_t *p)
{
	__m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
	__m128i del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(controls, del));
}
#endif

/* The first control byte, tabs among them, or @p end. */
static inline const uint8_t *
http_find_control_or_tab(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
	while (end - p >= HTTP_BLOCK_LEN) {
		uint32_t controls = http_block_controls(p);

		if (controls != 0)
			return p + __builtin_ctz(controls);
		p += HTTP_BLOCK_LEN;
	}
#endif
	while (end - p >= HTTP_WORD_LEN) {
		uint64_t controls;
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		controls = http_word_controls(le64toh(word));
		if (controls != 0)
			return p + __builtin_ctzll(controls) / 8;
		p += HTTP_WORD_LEN;
	}
	while (p < end && *p >= 0x20 && *p != 0x7f)
		p++;
	return p;
}

/** The first byte that may not stand in a line, or @p end. */
static inline const uint8_t *
http_find_control(const uint8_t *p, const uint8_t *end)
{
	for (;; p++) {
		p = http_find_control_or_tab(p, end);
		if (p == end || *p != '\t')
			return p;
	}
}

/**
 * Take the line at parser->pos, which must not reach beyond @p end_max, an offset as pos.
 *
 * @return
 *   > 0: @p line is it, without its CR LF, free of control bytes but tabs. 0: incomplete,
 *   and so for ever where in.len >= end_max. -HTTP_BAD_REQUEST: a control byte.
 */
static inline int
http_take_line(struct leat_http_parser *parser, struct leat_slice in, size_t end_max,
	struct leat_slice *line)
{
	const uint8_t *start = in.data + parser->pos;
	const uint8_t *end = in.data + LEAT_MIN(in.len, end_max);
	const uint8_t *p;

	LEAT_VERIFY(end_max >= parser->pos);
	LEAT_VERIFY(in.len >= parser->pos);
	LEAT_VERIFY(in.len - parser->pos >= parser->nb_seen);
	p = http_find_control(start + parser->nb_seen, end);
	parser->nb_seen = (uint32_t)(p - start);
	if (p == end)
		return 0;
	if (*p != '\r')
		return -HTTP_BAD_REQUEST;
	if (end - p < HTTP_EOL_LEN)
		return 0;
	if (p[1] != '\n')
		return -HTTP_BAD_REQUEST;
	line->data = start;
	line->len = (size_t)(p - start);
	parser->pos += line->len + HTTP_EOL_LEN;
	parser->nb_seen = 0;
	return 1;
}

static inline bool
http_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/** Without the blanks around it. */
static inline struct leat_slice
http_trim(struct leat_slice s)
{
	while (s.len > 0 && http_is_blank(s.data[0])) {
		s.data++;
		s.len--;
	}
	while (s.len > 0 && http_is_blank(s.data[s.len - 1]))
		s.len--;
	return s;
}

#endif /* HTTP_SCAN_H */
