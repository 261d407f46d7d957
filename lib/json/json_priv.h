/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef JSON_PRIV_H
#define JSON_PRIV_H

/*
 * Private to lib/json: what stands between the quotes of a string.
 */

#include <endian.h>

#include "leat_json.h"

/* Whether a byte is a character of its own in a string: ASCII that needs no escape. */
static inline bool
json_is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

#define JSON_WORD_LEN  8
#define JSON_WORD_ONES UINT64_C(0x0101010101010101)
#define JSON_WORD_TOPS (JSON_WORD_ONES << 7)

/*
 * The tops of the bytes that are not plain. Borrows may mark bytes above the first that is one,
 * never below it.
 */
static inline uint64_t
json_word_odd(uint64_t word)
{
	uint64_t controls = (word - JSON_WORD_ONES * 0x20) & ~word;
	uint64_t quotes = word ^ JSON_WORD_ONES * '"';
	uint64_t backslashes = word ^ JSON_WORD_ONES * '\\';

	quotes = (quotes - JSON_WORD_ONES) & ~quotes;
	backslashes = (backslashes - JSON_WORD_ONES) & ~backslashes;
	return (word | controls | quotes | backslashes) & JSON_WORD_TOPS;
}

/* The first byte from @p p on that is not plain, or @p end. */
static inline const uint8_t *
json_skip_plain(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= JSON_WORD_LEN) {
		uint64_t odd;
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		odd = json_word_odd(le64toh(word));
		if (odd != 0)
			return p + __builtin_ctzll(odd) / 8;
		p += JSON_WORD_LEN;
	}
	while (p < end && json_is_plain(*p))
		p++;
	return p;
}

/* The bytes of a token. */
static inline struct leat_slice
json_token_slice(const struct leat_json_token *token)
{
	return (struct leat_slice){ token->data, token->len };
}

/*
 * Read a string from behind its first quote up to and with its last (RFC 8259 section 7).
 *
 * @p string becomes what it means: bytes of the text, or, if it has an escape, of the room, which
 * moves behind them. They are never more than those of the text.
 *
 * Returns 0, or -EBADMSG: no end, a control character, a bad escape, what is not UTF-8, half of a
 * pair.
 */
int json_string_read(struct leat_reader *in, uint8_t **room, struct leat_slice *string);

#endif /* JSON_PRIV_H */
