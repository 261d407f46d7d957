/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "leat_bytes.h"

static uint8_t
byte_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

bool
leat_slice_is_equal_nocase(struct leat_slice a, struct leat_slice b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (byte_lower(a.data[i]) != byte_lower(b.data[i]))
			return false;
	}
	return true;
}

bool
leat_slice_to_int64(struct leat_slice s, int64_t *value)
{
	const uint8_t *p = s.data;
	const uint8_t *end = s.data + s.len;
	bool negative = false;
	uint64_t limit = INT64_MAX;
	uint64_t v = 0;

	if (p < end && *p == '-') {
		negative = true;
		limit++;
		p++;
	}
	if (p == end)
		return false;
	if (*p == '0') {
		*value = 0;
		return !negative && end - p == 1;
	}
	for (; p < end; p++) {
		uint64_t digit = (uint64_t)*p - '0';

		if (*p < '0' || *p > '9')
			return false;
		if (v > (limit - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = (int64_t)(negative ? 0 - v : v);
	return true;
}

/* Refer to bytes that are lent. False: they have to be copied. */
static bool
writer_refer(struct leat_writer *w, const uint8_t *data, size_t len)
{
	const struct leat_slice *lent = &w->loan->bytes;

	if (len < LEAT_WRITER_REF_MIN || w->refer == NULL || w->failed)
		return false;
	if (data < lent->data || data + len > lent->data + lent->len)
		return false; /* bytes of the codec's own */
	return w->refer(w, (struct leat_slice){ data, len }) == 0;
}

void
leat_writer_put_slow(struct leat_writer *w, const uint8_t *data, size_t len)
{
	if (w->loan != NULL && writer_refer(w, data, len))
		return;
	while (len > 0 && !w->failed) {
		size_t n = LEAT_MIN(len, (size_t)(w->end - w->pos));

		if (n > 0) { /* a writer that has no window yet is all NULL */
			memcpy(w->pos, data, n);
			w->pos += n;
			data += n;
			len -= n;
		}
		if (len > 0 && (w->more == NULL || w->more(w) < 0)) {
			w->failed = true;
			w->end = w->pos; /* so that each later write comes here and is dropped */
		}
	}
}

void
leat_writer_put_ref(struct leat_writer *w, struct leat_slice s, struct leat_keeper *keeper)
{
	const struct leat_loan loan = { s, keeper };

	w->loan = &loan;
	leat_writer_put_slice(w, s);
	w->loan = NULL;
}

static_assert(LEAT_UINT64_TEXT_MAX % 2 == 0, "digits go in pairs");

/* From 00 to 99. */
static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

size_t
leat_format_uint64(uint64_t value, char text[LEAT_UINT64_TEXT_MAX])
{
	char digits[LEAT_UINT64_TEXT_MAX];
	char *p = digits + sizeof(digits);
	size_t len;

	do { /* two at a time: a division costs more than all else */
		p -= 2;
		memcpy(p, digit_pairs + 2 * (value % 100), 2);
		value /= 100;
	} while (value > 0);
	p += *p == '0'; /* of an odd number of digits, or of 0 itself */
	len = (size_t)(digits + sizeof(digits) - p);
	memcpy(text, p, len);
	return len;
}

size_t
leat_format_int64(int64_t value, char text[LEAT_INT64_TEXT_MAX])
{
	if (value >= 0)
		return leat_format_uint64((uint64_t)value, text);
	text[0] = '-';
	return 1 + leat_format_uint64(0 - (uint64_t)value, text + 1);
}

void
leat_writer_put_int64(struct leat_writer *w, int64_t value)
{
	char text[LEAT_INT64_TEXT_MAX];

	leat_writer_put(w, text, leat_format_int64(value, text));
}

void
leat_writer_put_uint64(struct leat_writer *w, uint64_t value)
{
	char text[LEAT_UINT64_TEXT_MAX];

	leat_writer_put(w, text, leat_format_uint64(value, text));
}
