/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef JSON_PRIV_H
#define JSON_PRIV_H

/*
 * Private to lib/json: what stands between the quotes of a string.
 */

#include "leat_json.h"

/* Whether a byte is a character of its own in a string: ASCII that needs no escape. */
static inline bool
json_is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* The bytes of a token. */
static inline struct leat_slice
json_token_slice(const struct leat_json *json, const struct leat_json_token *token)
{
	struct leat_slice s = { json->text + token->start, token->len };

	return s;
}

/*
 * Judge the inside of a string (RFC 8259 section 7).
 *
 * Returns 0, or -EBADMSG: a control character, a bad escape, what is not UTF-8, half of a pair.
 */
int json_string_check(struct leat_slice inside, bool *is_escaped);

/* Whether two strings that were judged mean the same. */
bool json_string_is_equal(
	struct leat_slice a, bool is_a_escaped, struct leat_slice b, bool is_b_escaped);

#endif /* JSON_PRIV_H */
