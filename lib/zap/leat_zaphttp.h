/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAPHTTP_H
#define LEAT_ZAPHTTP_H

/**
 * @file
 * HTTP over ZAP: frames, requests and replies, for both ends.
 *
 * A frame is a length, big-endian, and a ZAP message. There is no handshake; replies come in the
 * order of the requests. Header fields stand in a block, of which there are two generations that
 * the frame does not tell apart: pairs with a length each, and a JSON object. The connection's
 * owner knows which one it speaks.
 *
 * Pure functions on bytes: no allocation, no I/O. A parser neither changes nor copies its input.
 * Bytes are passed on as they came: a field may hold any byte, CR and LF among them, and who
 * writes it into HTTP/1.1 must refuse those.
 */

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ZAPHTTP_PREFIX_LEN 4u          /**< bytes of the length in front of a frame */
#define LEAT_ZAPHTTP_FRAME_MAX  (64u << 20) /**< bytes of a frame without its length */
#define LEAT_ZAPHTTP_FIELDS_MAX 1000u       /**< fields of one block */
#define LEAT_ZAPHTTP_BLOCK_MAX  65536u      /**< bytes of a block that is read */

/** Type of a frame: the high byte of the message's flags. */
enum leat_zaphttp_type {
	LEAT_ZAPHTTP_REQUEST = 1,
	LEAT_ZAPHTTP_RESPONSE = 2, /**< whole */
	LEAT_ZAPHTTP_HEAD = 3,     /**< of a response whose body follows in frames */
	LEAT_ZAPHTTP_DATA = 4,
	LEAT_ZAPHTTP_END = 5,
};

/** How header fields are written. */
enum leat_zaphttp_generation {
	LEAT_ZAPHTTP_BINARY, /**< pairs in their order, Host among them */
	LEAT_ZAPHTTP_JSON,   /**< an object, sorted by name, without Host */
	LEAT_ZAPHTTP_GENERATIONS,
};

/** What is wrong with a frame, in the order in which it is looked for. */
enum leat_zaphttp_error {
	LEAT_ZAPHTTP_OK,
	LEAT_ZAPHTTP_EMPTY, /**< a frame of 0 bytes: close without a word */
	LEAT_ZAPHTTP_LONG,  /**< a frame over the limit: close without a word */
	LEAT_ZAPHTTP_SHORT, /**< less than the header of a message. From here on: 400, then close */
	LEAT_ZAPHTTP_MAGIC,
	LEAT_ZAPHTTP_VERSION,
	LEAT_ZAPHTTP_SIZE, /**< the message says less than a header, or more than the frame */
	LEAT_ZAPHTTP_TYPE,
	LEAT_ZAPHTTP_ROOT,
	LEAT_ZAPHTTP_HEADERS,
	LEAT_ZAPHTTP_TRAILER,
	LEAT_ZAPHTTP_FIELDS, /**< a block over LEAT_ZAPHTTP_BLOCK_MAX or LEAT_ZAPHTTP_FIELDS_MAX */
	LEAT_ZAPHTTP_ERRORS,
};

/**
 * A header field. Of a JSON block that was parsed, name and value are what stands between the
 * quotes, and leat_zaphttp_put_text() undoes the escapes.
 */
struct leat_zaphttp_field {
	struct leat_slice name;
	struct leat_slice value;
	bool is_name_escaped;
	bool is_value_escaped;
};

/** Header fields to write, in their order; the array is the caller's. */
struct leat_zaphttp_fields {
	const struct leat_zaphttp_field *fields; /**< none of them escaped */
	size_t nb_fields;
};

/** A block of header fields that was parsed. */
struct leat_zaphttp_block {
	struct leat_slice bytes; /**< empty: no fields */
	enum leat_zaphttp_generation generation;
};

/** A walk over a block. All of its members are private. */
struct leat_zaphttp_walk {
	struct leat_reader in;
	struct leat_slice name; /**< JSON: whose values are read */
	enum leat_zaphttp_generation generation;
	uint32_t nb_left; /**< binary: pairs to come; JSON: 0 at the end */
	uint32_t nb_seen;
	uint8_t state; /**< JSON: what comes next */
	bool is_name_escaped;
};

/** A request that was parsed. Everything points into the frame, or to const memory. */
struct leat_zaphttp_request {
	struct leat_slice method; /**< "GET" where the frame has none */
	struct leat_slice target; /**< "/" where the frame has none */
	struct leat_slice proto;  /**< "HTTP/1.1" where the frame has none */
	struct leat_slice body;
	struct leat_zaphttp_block headers;
	struct leat_zaphttp_block trailer;
	enum leat_zaphttp_error error; /**< what was refused */
};

/** A frame of a server, parsed. Everything points into the frame, or to const memory. */
struct leat_zaphttp_reply {
	enum leat_zaphttp_type type; /**< RESPONSE, HEAD, DATA or END */
	uint16_t status;             /**< of RESPONSE and HEAD; 200 where the frame says 0 */
	struct leat_slice reason;    /**< of RESPONSE and HEAD */
	struct leat_slice proto;     /**< of RESPONSE and HEAD */
	struct leat_slice body;      /**< of RESPONSE; of DATA a part of it, perhaps none */
	struct leat_zaphttp_block headers;
	struct leat_zaphttp_block trailer; /**< of RESPONSE and END */
	enum leat_zaphttp_error error;     /**< what was refused */
};

/** How a connection's frames are read; const. */
struct leat_zaphttp_limits {
	uint32_t frame_max; /**< 1 to LEAT_ZAPHTTP_FRAME_MAX */
	enum leat_zaphttp_generation generation;
};

/**
 * Parse one request at the start of @p in.
 *
 * @param in
 *   Bytes received so far. They stay with the caller and must outlive @p req.
 * @param req
 *   Filled when the return is > 0; when it is < 0, only its error.
 * @return
 *   - > 0: bytes consumed; both blocks are good, so that a walk ends with their last field.
 *   - 0: incomplete, come again with the same bytes and more.
 *   - -EMSGSIZE: over a limit, see req->error.
 *   - -EBADMSG: refused otherwise, see req->error.
 */
ssize_t leat_zaphttp_parse_request(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	struct leat_zaphttp_request *req);

/**
 * Read the front of a request whose frame is long, so that what it says can be judged before the
 * rest is taken in. leat_zaphttp_parse_request() then reads all of it.
 *
 * @param front_len
 *   Bytes of a frame without its length that are looked at, at least LEAT_ZAP_HEADER_LEN.
 * @param req
 *   Filled when the return is > 0: method, target, proto and headers as far as they lie in the
 *   front, else as if the frame had none. Its body and trailer are empty. Of < 0 only its error.
 * @return
 *   - > 0: bytes of the frame, its length included, which may not all have come.
 *   - 0: the frame is not longer than @p front_len, or its front is not there yet: come again with
 *     more, or parse it.
 *   - -EMSGSIZE, -EBADMSG: as leat_zaphttp_parse_request().
 */
ssize_t leat_zaphttp_peek_request(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	uint32_t front_len, struct leat_zaphttp_request *req);

/**
 * Parse one frame of a server, as leat_zaphttp_parse_request() does. Refuses the type of a
 * request. Which type may come when is the caller's to know: a HEAD, DATA without end, one END.
 */
ssize_t leat_zaphttp_parse_reply(const struct leat_zaphttp_limits *limits, struct leat_slice in,
	struct leat_zaphttp_reply *reply);

/** @return whether the connection is closed without a reply. */
static inline bool
leat_zaphttp_is_silent(enum leat_zaphttp_error error)
{
	return error == LEAT_ZAPHTTP_EMPTY || error == LEAT_ZAPHTTP_LONG;
}

/** @return the body of the reply that refuses a frame, in const memory. */
struct leat_slice leat_zaphttp_error_text(enum leat_zaphttp_error error);

/** Begin at the first field of a block. */
struct leat_zaphttp_walk leat_zaphttp_walk_begin(struct leat_zaphttp_block block);

/**
 * The next field, in the order of the block.
 *
 * @param field
 *   Points into the block.
 * @return
 *   > 0: there is one; 0: that was the last; -EBADMSG: the block is bad; -EMSGSIZE: it has more
 *   than LEAT_ZAPHTTP_FIELDS_MAX. A block of a request or reply that was parsed is good. After an
 *   error the walk must not go on.
 */
int leat_zaphttp_walk_next(struct leat_zaphttp_walk *walk, struct leat_zaphttp_field *field);

/**
 * Whether a field of a peer is passed over: Content-Length and Transfer-Encoding, since the
 * length of the body is known.
 */
bool leat_zaphttp_is_ignored(struct leat_slice name);

/**
 * Write the text of a name or a value, its escapes undone. What is not a character (half of a
 * surrogate pair) becomes U+FFFD.
 *
 * @param text
 *   As a walk over a JSON block found it.
 * @param is_escaped
 *   As that walk said; false: the bytes are written as they are.
 */
void leat_zaphttp_put_text(struct leat_writer *w, struct leat_slice text, bool is_escaped);

/** A request to write. */
struct leat_zaphttp_out_request {
	struct leat_slice method; /**< empty: GET */
	struct leat_slice target; /**< empty: "/" */
	struct leat_slice proto;  /**< empty: HTTP/1.1 */
	struct leat_slice body;
	struct leat_zaphttp_fields headers;
	struct leat_zaphttp_fields trailer;
};

/** A response to write. */
struct leat_zaphttp_out_response {
	uint16_t status;          /**< 0: 200 */
	struct leat_slice reason; /**< empty: the phrase of the status */
	struct leat_slice proto;  /**< empty: HTTP/1.1 */
	struct leat_slice body;
	struct leat_zaphttp_fields headers;
	struct leat_zaphttp_fields trailer;
};

/**
 * Write a request with the length in front of it, in the one canonical form.
 *
 * Content-Length and Trailer are not written, nor Host in a JSON block.
 *
 * @return
 *   0, or nothing is written: -EMSGSIZE for a frame over LEAT_ZAPHTTP_FRAME_MAX, -E2BIG for more
 *   fields than LEAT_ZAPHTTP_FIELDS_MAX.
 */
int leat_zaphttp_emit_request(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_request *req);

/** Write a whole response, as leat_zaphttp_emit_request() does. */
int leat_zaphttp_emit_response(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res);

/**
 * Write a whole response but for its body: of that only the length counts, and the caller writes
 * as many bytes next, from wherever they are. There is no trailer.
 */
int leat_zaphttp_emit_response_front(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res);

/** Write the head of a response whose body follows; body and trailer are not looked at. */
int leat_zaphttp_emit_head(struct leat_writer *w, enum leat_zaphttp_generation generation,
	const struct leat_zaphttp_out_response *res);

/** Write a part of a body: 0, or -EMSGSIZE for a frame over LEAT_ZAPHTTP_FRAME_MAX. */
int leat_zaphttp_emit_data(struct leat_writer *w, struct leat_slice bytes);

/** As leat_zaphttp_emit_data(), but for the bytes, which the caller writes next. */
int leat_zaphttp_emit_data_front(struct leat_writer *w, size_t len);

/** Write the end of a body, as leat_zaphttp_emit_request() does. */
int leat_zaphttp_emit_end(struct leat_writer *w, enum leat_zaphttp_generation generation,
	struct leat_zaphttp_fields trailer);

/** @return the phrase of a status; "Unknown Status Code" for any that has none. */
struct leat_slice leat_zaphttp_reason(uint16_t status);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZAPHTTP_H */
