/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_JSON_H
#define LEAT_JSON_H

/**
 * @file
 * JSON texts (RFC 8259): the reader.
 *
 * A text is parsed whole into an array of tokens, which point into it; nothing is allocated, and
 * nothing copied but strings with escapes, which are kept as what they mean. Accepted is what
 * RFC 8259 calls a JSON text, with any value at its root, and nothing else. Where the RFC leaves a
 * choice, it is made as in RFC 7493 (I-JSON), so that no two readers understand a text differently:
 *
 * - The text is UTF-8; anything else is refused, a byte order mark too.
 * - An escape that is half of a surrogate pair is refused.
 * - Two members of one object with the same name are refused; escapes are names in disguise.
 *
 * Numbers are kept as they stand. They are read as integers and only where they are written so:
 * 1.0 and 1e3 are numbers, but none for leat_json_get_u64().
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_JSON_TEXT_MAX   65536u /**< bytes of a text */
#define LEAT_JSON_TOKENS_MAX 64u    /**< values and names in a text */
#define LEAT_JSON_DEPTH_MAX  16u    /**< objects and arrays inside one another */

enum leat_json_kind {
	LEAT_JSON_NULL,
	LEAT_JSON_FALSE,
	LEAT_JSON_TRUE,
	LEAT_JSON_NUMBER,
	LEAT_JSON_STRING,
	LEAT_JSON_ARRAY,
	LEAT_JSON_OBJECT,
};

/**
 * A value, or the name of a member. In an array follow its values, in an object its members, each a
 * name and its value.
 */
struct leat_json_token {
	const uint8_t
		*data; /**< of a string what it means, of all others what stands in the text */
	uint32_t len;  /**< bytes */
	uint16_t next; /**< index of the token behind the value and all that it holds */
	uint8_t kind;  /**< enum leat_json_kind */
};

/** A text that was accepted. */
struct leat_json {
	uint32_t nb_tokens;
	struct leat_json_token tokens[LEAT_JSON_TOKENS_MAX]; /**< the first is the root */
};

/**
 * Accept a whole text.
 *
 * @param text
 *   All of it. It stays with the caller and must outlive @p json.
 * @param room
 *   As many bytes as @p text has, for what strings with escapes mean; must outlive @p json, too.
 * @param json
 *   Filled on success; undefined otherwise.
 * @return
 *   - 0: accepted.
 *   - -EBADMSG: not JSON, or a choice that is refused.
 *   - -EMSGSIZE: over LEAT_JSON_TEXT_MAX, LEAT_JSON_TOKENS_MAX or LEAT_JSON_DEPTH_MAX, and perhaps
 *     not JSON either.
 */
int leat_json_parse(struct leat_slice text, uint8_t *room, struct leat_json *json);

/**
 * Find a member of an object.
 *
 * @param object
 *   A value of @p json.
 * @param name
 *   As it is meant, without escapes.
 * @return
 *   Its value, or NULL: not there, or @p object is none.
 */
const struct leat_json_token *leat_json_find(
	const struct leat_json *json, const struct leat_json_token *object, struct leat_slice name);

/**
 * Read a number that is written as an integer: digits alone.
 *
 * @param value
 *   A value, or NULL for one that is not there.
 * @param number
 *   Set on success.
 * @return
 *   - 0: read.
 *   - -EINVAL: not there, no number, or written with a sign, a fraction or an exponent.
 *   - -ERANGE: above UINT64_MAX.
 */
int leat_json_get_u64(const struct leat_json_token *value, uint64_t *number);

/**
 * Read a string.
 *
 * @param value
 *   A value or name of a text, or NULL for one that is not there.
 * @param string
 *   Set on success: bytes of the text, or of its room. Zero bytes may be among them.
 * @return
 *   - 0: read.
 *   - -EINVAL: not there, or no string.
 */
int leat_json_get_string(const struct leat_json_token *value, struct leat_slice *string);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_JSON_H */
