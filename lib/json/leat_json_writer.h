/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_JSON_WRITER_H
#define LEAT_JSON_WRITER_H

/**
 * @file
 * JSON texts (RFC 8259): the writer.
 *
 * It writes one value, without blanks, into a struct leat_writer, which is what says whether all
 * found room. Commas and colons are its own. A call that would not give JSON, such as a value
 * without a name in an object, is our own fault and stops the process (LEAT_VERIFY).
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_JSON_WRITER_DEPTH_MAX 16u /**< objects and arrays inside one another */

/** A text under construction. Its owner sets nothing in it. */
struct leat_json_writer {
	struct leat_writer *out;
	uint32_t depth;
	uint32_t objects; /**< bit i: at depth i is an object */
	uint32_t filled;  /**< bit i: at depth i something was written */
	bool is_named;    /**< a name was written, its value is due */
};

/** Begin a text. @p out is the caller's and must outlive the writer. */
void leat_json_write(struct leat_json_writer *json, struct leat_writer *out);

/** @return whether the text is whole: one value, and nothing is open. */
bool leat_json_is_whole(const struct leat_json_writer *json);

/** Begin an object; its members are a name and a value each. */
void leat_json_begin_object(struct leat_json_writer *json);
/** End the object that was begun last. */
void leat_json_end_object(struct leat_json_writer *json);
/** Begin an array. */
void leat_json_begin_array(struct leat_json_writer *json);
/** End the array that was begun last. */
void leat_json_end_array(struct leat_json_writer *json);

/** Write the name of a member, as leat_json_put_string(). That no other has it is the caller's. */
void leat_json_put_name(struct leat_json_writer *json, struct leat_slice name);

/**
 * Write a string. What RFC 8259 section 7 wants escaped is, the shortest way. Each byte that is
 * not part of a character of UTF-8 becomes U+FFFD.
 */
void leat_json_put_string(struct leat_json_writer *json, struct leat_slice string);

/** Write bytes as a string of hexadecimal digits, "0x" before them. */
void leat_json_put_hex(struct leat_json_writer *json, struct leat_slice bytes);

/** Write a number, all of its digits. */
void leat_json_put_u64(struct leat_json_writer *json, uint64_t value);
/** As leat_json_put_u64(). */
void leat_json_put_i64(struct leat_json_writer *json, int64_t value);

/** Write true or false. */
void leat_json_put_bool(struct leat_json_writer *json, bool value);
/** Write null. */
void leat_json_put_null(struct leat_json_writer *json);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_JSON_WRITER_H */
