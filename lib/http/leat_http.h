/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_HTTP_H
#define LEAT_HTTP_H

/**
 * @file
 * HTTP/1.1 (RFC 9110, RFC 9112): requests in, response heads out.
 *
 * Pure functions on bytes: no allocation, no I/O, no clock. Where the RFC lets a
 * server choose between mending a message and refusing it, this one refuses: what two
 * servers could read in two ways is how requests are smuggled.
 *
 * Refused that the RFC would allow:
 * - a line that ends in LF alone, or a CR inside a line (RFC 9112 section 2.2);
 * - Content-Length more than once, even with one value (RFC 9110 section 8.6);
 * - bytes other than visible ASCII, and "#", in the target;
 * - a request body without Content-Length: 411 (RFC 9112 section 6.3). A command takes
 *   its body as one slice of received bytes, and a chunked body is not one.
 */

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_HTTP_LINE_MAX        8192u  /**< bytes of a request line without its CR LF */
#define LEAT_HTTP_HEAD_MAX        16384u /**< bytes of a head, its empty line included */
#define LEAT_HTTP_FIELDS_MAX      100u   /**< field lines of a head */
#define LEAT_HTTP_EMPTY_LINES_MAX 4u     /**< empty lines in front of a request */
#define LEAT_HTTP_DATE_LEN        29u    /**< bytes of a date, such as of the Date field */

enum leat_http_method {
	LEAT_HTTP_GET,
	LEAT_HTTP_HEAD,
	LEAT_HTTP_POST,
	LEAT_HTTP_PUT,
	LEAT_HTTP_DELETE,
	LEAT_HTTP_OPTIONS,
	LEAT_HTTP_TRACE,
	LEAT_HTTP_PATCH,
	LEAT_HTTP_METHOD_OTHER, /**< any other token, CONNECT among them: answer 501 */
	LEAT_HTTP_METHODS,
};

/** Limits that the caller sets; const. */
struct leat_http_limits {
	size_t request_max; /**< bytes of one request: empty lines before it, head and body */
};

/**
 * How far one request was read; all zero at its start. Offsets count from the first
 * byte of the input, so that the bytes may move between two calls.
 */
struct leat_http_parser {
	size_t pos;          /**< of the line that is waited for; of the body when is_body */
	size_t nb_seen;      /**< bytes from pos on that hold no end of line */
	size_t body_len;     /**< as Content-Length says, SIZE_MAX: that or more */
	uint16_t start;      /**< of the request line */
	uint16_t target_off; /**< 0: no request line yet */
	uint16_t target_len;
	uint16_t path_off;
	uint16_t path_len; /**< 0: the target is an absolute URI without a path */
	uint8_t method;    /**< enum leat_http_method */
	uint8_t minor;     /**< of the version */
	uint8_t nb_empty_lines;
	uint8_t nb_fields;
	uint8_t nb_chunked; /**< times that Transfer-Encoding lists chunked, 2: or more often */
	bool is_body;       /**< the head is whole and good */
	bool has_host;
	bool has_content_length;
	bool has_transfer_encoding;
	bool has_other_coding;  /**< a transfer coding that is not chunked */
	bool is_chunked_last;   /**< the last transfer coding is chunked */
	bool has_close;         /**< Connection lists close */
	bool has_keep_alive;    /**< Connection lists keep-alive */
	bool expects_continue;  /**< Expect: 100-continue */
	bool expects_other;     /**< Expect of something else */
	bool is_continue_due;   /**< the peer waits for 100 (Continue) */
	bool is_continue_taken; /**< and was told */
};

/** One request. Everything points into the bytes that were parsed, or to const memory. */
struct leat_http_request {
	enum leat_http_method method;
	uint8_t minor;            /**< version 1.minor; 0 or what counts as 1 */
	bool is_keep_alive;       /**< the connection goes on after the reply */
	uint16_t status;          /**< refused: the status to answer with; else 0 */
	struct leat_slice target; /**< as sent */
	struct leat_slice path;   /**< of the target, percent-encoding as sent; never empty */
	struct leat_slice query;  /**< what follows the first "?", or empty */
	struct leat_slice body;
};

/**
 * Parse one request at the start of @p in.
 *
 * While it returns 0, come again with the same bytes, perhaps elsewhere in memory, and
 * more behind them. Each line is read when it is whole, and no byte is scanned twice.
 * A refusal comes as early as the bytes allow it.
 *
 * @param parser
 *   All zero before the first call for a request; so again after > 0.
 * @param limits
 *   The caller's, the same for each call of a request.
 * @param in
 *   Bytes received so far. They stay with the caller and must outlive @p req.
 * @param req
 *   Filled when the return is not 0.
 * @return
 *   - > 0: bytes consumed; @p req is valid.
 *   - 0: incomplete.
 *   - -EMSGSIZE: over a limit. Answer with req->status (413 body, 414 request line, 431
 *     head), then close; req->method tells whether it was HEAD, as far as is known.
 *   - -EBADMSG: refused otherwise, in the same way (400, 411, 417, 501, 505). The
 *     parser must not be used again for this connection.
 */
ssize_t leat_http_parse_request(struct leat_http_parser *parser,
	const struct leat_http_limits *limits, struct leat_slice in, struct leat_http_request *req);

/**
 * Whether the peer waits for 100 (Continue) before it sends its body (RFC 9110 section
 * 10.1.1): its head asked for it and is accepted, and no byte of the body has come.
 *
 * @return
 *   true once per request, after a return of 0.
 */
bool leat_http_take_continue(struct leat_http_parser *parser);

/** What the Connection field of a response says. */
enum leat_http_connection {
	LEAT_HTTP_CONNECTION_NONE, /**< the default of HTTP/1.1: goes on */
	LEAT_HTTP_CONNECTION_CLOSE,
	LEAT_HTTP_CONNECTION_KEEP_ALIVE, /**< to an HTTP/1.0 client that asked for it */
};

/** The head of a response. */
struct leat_http_response {
	uint16_t status;
	enum leat_http_connection connection;
	uint64_t wall_ms;               /**< Unix time in milliseconds; 0: no Date field */
	size_t content_len;             /**< of the body, sent or not */
	struct leat_slice content_type; /**< empty: no field */
	struct leat_slice allow;        /**< methods, for 405; empty: no field */
};

/** Write status line and fields, the empty line included; the caller adds the body. */
void leat_http_emit_head(struct leat_writer *w, const struct leat_http_response *res);

/** @return the reason phrase, such as "Not Found"; empty for a status that we never send. */
struct leat_slice leat_http_reason(uint16_t status);

/** The whole interim response "HTTP/1.1 100 Continue", in const memory. */
struct leat_slice leat_http_continue(void);

/**
 * Write a date as RFC 9110 section 5.6.7 wants it (IMF-fixdate).
 *
 * @param wall_ms
 *   Unix time in milliseconds; later than the year 9999 is written as its last second.
 * @param text
 *   Receives LEAT_HTTP_DATE_LEN bytes, no terminating zero.
 */
void leat_http_format_date(uint64_t wall_ms, char text[LEAT_HTTP_DATE_LEN]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_HTTP_H */
