/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_RESP_CLIENT_H
#define LEAT_RESP_CLIENT_H

/**
 * @file
 * The asking side of RESP2 and RESP3: requests out, replies in.
 *
 * A reply is read token by token: a value, or the head of an aggregate whose values
 * are the tokens that follow. Nothing is allocated or copied; how deep aggregates may
 * nest is LEAT_RESP_DEPTH_MAX. Every type of RESP2 and RESP3 is read, also strings and
 * aggregates that are streamed, their size not being known when they start.
 */

#include <sys/types.h>

#include <leat_resp.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Aggregates within each other, a streamed string among them. */
#define LEAT_RESP_DEPTH_MAX 16u
/** Bytes of a double's text in a reply. */
#define LEAT_RESP_DOUBLE_LINE_MAX 384u

enum leat_resp_type {
	LEAT_RESP_STATUS,     /**< '+': text */
	LEAT_RESP_ERROR,      /**< '-': text */
	LEAT_RESP_INTEGER,    /**< ':': integer */
	LEAT_RESP_BULK,       /**< '$': text */
	LEAT_RESP_NULL,       /**< "_", "$-1" or "*-1" */
	LEAT_RESP_BOOLEAN,    /**< '#': integer is 0 or 1 */
	LEAT_RESP_DOUBLE,     /**< ',': real, and text */
	LEAT_RESP_BIG_NUMBER, /**< '(': text, decimal behind a sign where there is one */
	LEAT_RESP_BULK_ERROR, /**< '!': text */
	LEAT_RESP_VERBATIM,   /**< '=': text, and before it format */
	LEAT_RESP_ARRAY,      /**< '*': integer values follow */
	LEAT_RESP_SET,        /**< '~': integer values follow */
	LEAT_RESP_PUSH,       /**< '>': integer values follow; answers no request */
	LEAT_RESP_MAP,        /**< '%': integer pairs follow */
	LEAT_RESP_ATTRIBUTE,  /**< '|': integer pairs follow, about the value behind them */
	LEAT_RESP_STREAM,     /**< "$?": chunks follow, then LEAT_RESP_END */
	LEAT_RESP_CHUNK,      /**< ';': text, a piece of the streamed string */
	LEAT_RESP_END,        /**< "." or ";0": of what was streamed */
	LEAT_RESP_TYPES,
};

/** One step of a reply. */
struct leat_resp_token {
	enum leat_resp_type type;
	uint32_t depth;   /**< aggregates that it lies in, 0: it is the reply itself */
	bool is_streamed; /**< an aggregate of unknown size: integer is 0, LEAT_RESP_END follows */
	bool ends_reply;  /**< nothing more of this reply follows */
	int64_t integer;
	double real;
	struct leat_slice text;   /**< of the bytes that were parsed */
	struct leat_slice format; /**< LEAT_RESP_FORMAT_LEN bytes, such as "txt" */
};

/** Configuration, const. */
struct leat_resp_reply_limits {
	size_t bulk_max;    /**< bytes of a bulk string, a verbatim string, an error, a chunk */
	uint32_t count_max; /**< values or pairs of an aggregate whose head tells how many */
};

/** An aggregate that is not over; private. */
struct leat_resp_level {
	uint64_t nb_values; /**< that are to come; of what is streamed, that came */
	enum leat_resp_type type;
	bool is_streamed;
};

/** How far a reply was read; all zero at the start of a connection. */
struct leat_resp_reply_parser {
	size_t nb_seen;     /**< bytes of the token's first line that hold no CR */
	size_t nb_need;     /**< bytes of the token, as far as that is known */
	uint32_t depth;     /**< levels in use */
	bool is_attributed; /**< the last token ended an attribute: its value must follow */
	struct leat_resp_level levels[LEAT_RESP_DEPTH_MAX];
};

/**
 * Write a request: an array of bulk strings.
 *
 * @param argv
 *   The command's name, then its arguments; any bytes.
 * @param argc
 *   Slices of @p argv.
 */
void leat_resp_emit_request(struct leat_writer *w, const struct leat_slice *argv, uint32_t argc);

/**
 * Parse one token at the start of @p in.
 *
 * While it returns 0, come again with the same bytes, perhaps elsewhere in memory, and
 * more behind them: only the head of a bulk string is looked at twice.
 *
 * @param parser
 *   The connection's. It goes on from one reply to the next by itself.
 * @param in
 *   Bytes received, from the first that no token took; borrowed.
 * @param token
 *   Filled when > 0; its slices point into @p in.
 * @return
 *   - > 0: bytes consumed.
 *   - 0: incomplete.
 *   - -EBADMSG: not RESP, or not at this place: a push within a reply, a chunk outside of
 *     a streamed string, a key without a value. -EMSGSIZE: over a limit, or over
 *     LEAT_RESP_DEPTH_MAX, LEAT_RESP_LINE_MAX or LEAT_RESP_DOUBLE_LINE_MAX. The stream
 *     cannot be read on; the parser must be zeroed before it reads another.
 */
ssize_t leat_resp_parse_reply(struct leat_resp_reply_parser *parser,
	const struct leat_resp_reply_limits *limits, struct leat_slice in,
	struct leat_resp_token *token);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_RESP_CLIENT_H */
