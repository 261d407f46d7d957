/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAPRPC_H
#define LEAT_ZAPRPC_H

/**
 * @file
 * Calls over ZAP: envelopes, and the frames in which they travel on a stream.
 *
 * A frame is a length, little-endian, a byte that says what it is, and a body. Answers carry the
 * name that the caller gave its call (its promise) and may come in any order. Who waits for which
 * promise is not this library's: it reads and writes bytes.
 */

#include <stdint.h>

#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ZAPRPC_PREFIX_LEN 4u          /**< bytes of the length in front of a frame */
#define LEAT_ZAPRPC_FRAME_MAX  (64u << 20) /**< of a frame without its length, with its kind */

/** What a frame is. */
enum leat_zaprpc_kind {
	LEAT_ZAPRPC_REQUEST = 1,
	LEAT_ZAPRPC_RESPONSE = 2,
	LEAT_ZAPRPC_OPEN = 3,    /**< a request that opens a stream: its promise names the stream */
	LEAT_ZAPRPC_MESSAGE = 4, /**< of a stream */
	LEAT_ZAPRPC_END = 5,     /**< of the sender's direction of a stream */
};

/** Status of a response. No text goes with it. */
enum leat_zaprpc_status {
	LEAT_ZAPRPC_OK = 200,
	LEAT_ZAPRPC_BAD_REQUEST = 400, /**< also a promise that cannot be kept */
	LEAT_ZAPRPC_UNAUTHORIZED = 401,
	LEAT_ZAPRPC_FORBIDDEN = 403,
	LEAT_ZAPRPC_NOT_FOUND = 404, /**< no such method */
	LEAT_ZAPRPC_INTERNAL = 500,
};

/** A frame. The body points into the bytes that were parsed. */
struct leat_zaprpc_frame {
	uint8_t kind; /**< enum leat_zaprpc_kind, or any other number, which is to be ignored */
	struct leat_slice body;
};

/** A call. Slices are borrowed. */
struct leat_zaprpc_request {
	uint32_t method;           /**< ordinal in its interface, from 1 on */
	uint32_t promise;          /**< the caller's name for the answer; 0: none */
	uint32_t target;           /**< the promise whose answer is the parameter; 0: none */
	struct leat_slice cap;     /**< opaque, may be empty */
	struct leat_slice payload; /**< the parameter as a whole message, may be empty */
};

/** An answer. Slices are borrowed. */
struct leat_zaprpc_response {
	uint32_t status;
	uint32_t promise;
	struct leat_slice body; /**< the result as a whole message, may be empty */
};

/**
 * Parse one frame at the start of @p in.
 *
 * @param frame_max
 *   1 to LEAT_ZAPRPC_FRAME_MAX.
 * @param in
 *   Bytes received so far. They stay with the caller and must outlive @p frame.
 * @param frame
 *   Filled when the return is > 0.
 * @return
 *   > 0: bytes consumed; 0: incomplete; -EBADMSG: a length of 0, -EMSGSIZE: over @p frame_max.
 *   After a refusal the connection is closed without a word.
 */
ssize_t leat_zaprpc_parse_frame(
	uint32_t frame_max, struct leat_slice in, struct leat_zaprpc_frame *frame);

/**
 * Read a call's envelope: the body of a REQUEST or an OPEN. The type of the message is not
 * looked at.
 *
 * @return
 *   0, or as leat_zap_parse(), or -EBADMSG for a message without a root. Such a call gets no
 *   answer, since its promise is not known.
 */
int leat_zaprpc_read_request(struct leat_slice body, struct leat_zaprpc_request *req);

/** Read an answer's envelope, as leat_zaprpc_read_request() does. */
int leat_zaprpc_read_response(struct leat_slice body, struct leat_zaprpc_response *res);

/**
 * Read the body of a MESSAGE or an END.
 *
 * @param id
 *   Of the stream.
 * @param bytes
 *   What follows it, in @p body.
 * @return
 *   0, or -EBADMSG for a body without an id, which is to be ignored.
 */
int leat_zaprpc_read_stream(struct leat_slice body, uint32_t *id, struct leat_slice *bytes);

/**
 * Write a call's envelope in a frame.
 *
 * @param kind
 *   LEAT_ZAPRPC_REQUEST or LEAT_ZAPRPC_OPEN.
 * @return
 *   0, or -EMSGSIZE for a frame over LEAT_ZAPRPC_FRAME_MAX, and nothing is written.
 */
int leat_zaprpc_emit_request(
	struct leat_writer *w, enum leat_zaprpc_kind kind, const struct leat_zaprpc_request *req);

/** Write an answer's envelope in a frame, as leat_zaprpc_emit_request() does. */
int leat_zaprpc_emit_response(struct leat_writer *w, const struct leat_zaprpc_response *res);

/** Write a message of a stream in a frame, as leat_zaprpc_emit_request() does. */
int leat_zaprpc_emit_message(struct leat_writer *w, uint32_t id, struct leat_slice bytes);

/** Write the end of a stream's direction in a frame. */
void leat_zaprpc_emit_end(struct leat_writer *w, uint32_t id);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZAPRPC_H */
