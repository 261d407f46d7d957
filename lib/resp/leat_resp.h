/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_RESP_H
#define LEAT_RESP_H

/**
 * @file
 * RESP2 and RESP3, the serialization protocol of Redis: requests in, replies out.
 * The other way round, what a client needs, is in leat_resp_client.h.
 *
 * Pure functions on bytes: no allocation, no I/O, no clock. A request is an array
 * of bulk strings, or an inline command: one line of words for a person at a
 * terminal. Limits and refusals are those of Redis 7.0 and have its words.
 *
 * One deviation on purpose: Redis skips the two bytes behind a count line's and
 * behind a bulk string's end unread. Here they must be CR LF, so that a stream
 * that has lost its place is refused rather than executed.
 */

#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of an inline command and of a count line, without the line's end. */
#define LEAT_RESP_LINE_MAX 65536u
/** Arguments in one request, where the caller names no lower limit. */
#define LEAT_RESP_ARGC_MAX (1024u * 1024u)
/** Arguments of a guest, who has not given the password that is asked for. */
#define LEAT_RESP_GUEST_ARGC_MAX 10u
/** Bytes of one argument of a guest. */
#define LEAT_RESP_GUEST_BULK_MAX 16384u
/** Bytes of leat_resp_refusal_text(). */
#define LEAT_RESP_REFUSAL_TEXT_MAX 64u
/** Bytes of the format in front of a verbatim string. */
#define LEAT_RESP_FORMAT_LEN 3u
/** Bytes of leat_resp_format_double(): sign, 17 digits, point, exponent. */
#define LEAT_RESP_DOUBLE_TEXT_MAX 32u

/** Why a stream cannot be read on. */
enum leat_resp_refusal {
	LEAT_RESP_OK,
	LEAT_RESP_BAD_MULTIBULK_LEN, /**< not a number, over the limit, no CR LF behind it */
	LEAT_RESP_BAD_BULK_TYPE,     /**< an argument that does not start with '$' */
	LEAT_RESP_BAD_BULK_LEN,      /**< not a number, over the limit, no CR LF behind the bytes */
	LEAT_RESP_BIG_INLINE,        /**< a line over LEAT_RESP_LINE_MAX */
	LEAT_RESP_BIG_MULTIBULK_LINE,  /**< "*<count>" over LEAT_RESP_LINE_MAX */
	LEAT_RESP_BIG_BULK_LINE,       /**< "$<length>" over LEAT_RESP_LINE_MAX */
	LEAT_RESP_BAD_QUOTES,          /**< in an inline command */
	LEAT_RESP_GUEST_MULTIBULK_LEN, /**< over LEAT_RESP_GUEST_ARGC_MAX */
	LEAT_RESP_GUEST_BULK_LEN,      /**< over LEAT_RESP_GUEST_BULK_MAX */
	LEAT_RESP_BIG_QUERY, /**< over query_max; has no words: Redis closes without any */
	LEAT_RESP_REFUSALS,
};

/**
 * How far one request was read; all zero at its start. Offsets count from the
 * request's first byte, so that the bytes may move between two calls.
 */
struct leat_resp_parser {
	size_t pos;       /**< of the line or the bulk string that is waited for */
	size_t nb_seen;   /**< bytes from pos on that hold no end of line */
	size_t bulk_len;  /**< of the bulk string at pos, if has_bulk_len */
	uint32_t argc;    /**< as the request announced it; 0: not read yet */
	uint32_t arg_idx; /**< whole arguments so far */
	bool has_bulk_len;
};

/** Configuration, const. */
struct leat_resp_limits {
	size_t request_max; /**< bytes of one whole request, its counts and line ends included */
	uint32_t argc_max;  /**< arguments; what an inline command's escapes take counts too */
	size_t bulk_max;    /**< bytes of one argument, but for inline ones; 0: request_max says */
	size_t query_max;   /**< bytes of one whole request, without words; 0: request_max says */
	bool is_guest;      /**< who asks has not given the password: the GUEST limits hold too */
};

/** One request, or the reason why there is none. */
struct leat_resp_request {
	uint32_t argc;     /**< 0: an empty line, "*0" or "*-1", which ask for nothing */
	uint32_t argv_len; /**< slices of the caller's array in use; at least argc */
	enum leat_resp_refusal refusal; /**< with -EBADMSG and -EMSGSIZE only */
	uint8_t got;                    /**< the byte in the place of '$', if that is the refusal */
};

/**
 * Parse one request at the start of @p in.
 *
 * While it returns 0, come again with the same bytes, perhaps elsewhere in memory,
 * and more behind them. No byte is looked at twice, but for the counts of a
 * request that came in pieces, which are read again when it is whole.
 *
 * Arguments are slices of @p in. Where an inline command has escapes or quotes
 * within a word, the argument's bytes are made in @p argv's own memory behind the
 * last argument: @p in is never written to, and the slices live as long as both.
 *
 * @param parser
 *   The connection's. All zero again after every return but 0 and -ENOBUFS.
 * @param in
 *   Bytes received so far, from the request's first; borrowed.
 * @param argv
 *   Room for @p argv_max slices; the caller's.
 * @param req
 *   Filled when not 0 and not -ENOBUFS.
 * @return
 *   - > 0: bytes consumed; argc, argv_len and argv are valid.
 *   - 0: incomplete.
 *   - -ENOBUFS: whole, but it needs more than argv_max slices; come again with
 *     more room, or never read on.
 *   - -EBADMSG: not RESP; -EMSGSIZE: over a limit. req->refusal says which. The
 *     stream cannot be read on: answer, then close.
 */
ssize_t leat_resp_parse_request(struct leat_resp_parser *parser,
	const struct leat_resp_limits *limits, struct leat_slice in, struct leat_slice *argv,
	uint32_t argv_max, struct leat_resp_request *req);

/**
 * The words of Redis 7.0 for a refusal, such as "Protocol error: invalid bulk length".
 *
 * @param got
 *   leat_resp_request.got. CR and LF are told as a space.
 * @param text
 *   Filled, no terminating zero.
 * @return
 *   Bytes written; 0: the connection is closed without a word.
 */
size_t leat_resp_refusal_text(
	enum leat_resp_refusal refusal, uint8_t got, char text[LEAT_RESP_REFUSAL_TEXT_MAX]);

/** "+<text>\r\n". @p text must not contain CR or LF. */
void leat_resp_emit_status(struct leat_writer *w, struct leat_slice text);

/** "-<text>\r\n". CR and LF in @p text, which may quote a peer, leave as spaces. */
void leat_resp_emit_error(struct leat_writer *w, struct leat_slice text);

/** ":<value>\r\n" */
void leat_resp_emit_integer(struct leat_writer *w, int64_t value);

/** "$<length>\r\n<value>\r\n" */
void leat_resp_emit_bulk(struct leat_writer *w, struct leat_slice value);

/** "$-1\r\n": no value in RESP2. */
void leat_resp_emit_null(struct leat_writer *w);

/** "*<nb_values>\r\n"; the values follow. */
void leat_resp_emit_array(struct leat_writer *w, uint32_t nb_values);

/** A bulk string with the number as leat_resp_format_double() writes it, for RESP2. */
void leat_resp_emit_double(struct leat_writer *w, double value);

/** "_\r\n": no value in RESP3. */
void leat_resp3_emit_null(struct leat_writer *w);

/** "#t\r\n" or "#f\r\n" */
void leat_resp3_emit_boolean(struct leat_writer *w, bool value);

/** ",<value>\r\n" with the number as leat_resp_format_double() writes it. */
void leat_resp3_emit_double(struct leat_writer *w, double value);

/**
 * "(<digits>\r\n": an integer of any size.
 *
 * @param digits
 *   Decimal, behind a sign where there is one; at least one digit.
 */
void leat_resp3_emit_big_number(struct leat_writer *w, struct leat_slice digits);

/** "!<length>\r\n<text>\r\n": an error of any bytes. */
void leat_resp3_emit_bulk_error(struct leat_writer *w, struct leat_slice text);

/**
 * "=<length>\r\n<format>:<text>\r\n": a text for a person, its format in front.
 *
 * @param format
 *   LEAT_RESP_FORMAT_LEN bytes, such as "txt" or "mkd".
 */
void leat_resp3_emit_verbatim(struct leat_writer *w, const char *format, struct leat_slice text);

/** "%<nb_pairs>\r\n"; as many keys follow, each with its value behind it. */
void leat_resp3_emit_map(struct leat_writer *w, uint32_t nb_pairs);

/** "~<nb_values>\r\n"; the values follow, no two alike. */
void leat_resp3_emit_set(struct leat_writer *w, uint32_t nb_values);

/** "|<nb_pairs>\r\n"; the pairs follow, then the value that they are about. */
void leat_resp3_emit_attribute(struct leat_writer *w, uint32_t nb_pairs);

/** "><nb_values>\r\n"; the values follow: a message that answers no request. */
void leat_resp3_emit_push(struct leat_writer *w, uint32_t nb_values);

/**
 * Write a sorted set's score as Redis 7.0 does: 17 significant digits as "%.17g"
 * gives them, integers without a point, "inf" and "-inf". Minus zero is "0".
 *
 * @param value
 *   Not NaN: no score ever is.
 * @return
 *   Bytes written to @p text, no terminating zero.
 */
size_t leat_resp_format_double(double value, char text[LEAT_RESP_DOUBLE_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_RESP_H */
