/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_HTTP_H
#define LEAT_HTTP_H

/**
 * @file
 * HTTP/1.1 (RFC 9110, RFC 9112), the server's side: requests in, responses out. The
 * client's is leat_http_client.h.
 *
 * Pure functions on bytes: no allocation, no I/O, no clock. Where the RFC lets a
 * server choose between mending a message and refusing it, this one refuses: what two
 * servers could read in two ways is how requests are smuggled.
 *
 * Refused that the RFC would allow:
 * - a line that ends in LF alone, or a CR inside a line (RFC 9112 section 2.2);
 * - Content-Length more than once, or a list, even with one value (RFC 9110 section 8.6);
 * - Transfer-Encoding with an empty list element: a hop that compares the whole value
 *   does not see the chunked in it (RFC 9110 section 5.6.1);
 * - bytes other than visible ASCII, and "#", in the target;
 * - "," in a host, which looks like two lines that were joined, and a port above 65535;
 * - Authorization more than once: a hop that takes the other one lets somebody else in;
 * - CONNECT and TRACE with a length or a coding: they have no content (RFC 9110 section 9.3);
 * - a chunk size of more than 16 digits, and trailers that belong to framing or routing.
 */

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_HTTP_LINE_MAX        8192u  /**< bytes of a first line without its CR LF */
#define LEAT_HTTP_HEAD_MAX        16384u /**< bytes of a head, its empty line included */
#define LEAT_HTTP_FIELDS_MAX      100u   /**< field lines of a head and its trailers */
#define LEAT_HTTP_EMPTY_LINES_MAX 4u     /**< empty lines in front of a request */
#define LEAT_HTTP_CHUNK_LINE_MAX  256u   /**< bytes of a chunk's size and extensions */
#define LEAT_HTTP_TRAILERS_MAX    8192u  /**< bytes of trailers, their empty line included */
#define LEAT_HTTP_PIECES_MAX      64000u /**< chunks of a body, unless the caller sets others */
#define LEAT_HTTP_DATE_LEN        29u    /**< bytes of a date, such as of the Date field */

enum leat_http_method {
	LEAT_HTTP_GET,
	LEAT_HTTP_HEAD,
	LEAT_HTTP_POST,
	LEAT_HTTP_PUT,
	LEAT_HTTP_DELETE,
	LEAT_HTTP_CONNECT,
	LEAT_HTTP_OPTIONS,
	LEAT_HTTP_TRACE,
	LEAT_HTTP_PATCH,
	LEAT_HTTP_METHOD_OTHER, /**< any other token */
	LEAT_HTTP_METHODS,
};

/** What a target looks like (RFC 9112 section 3.2). */
enum leat_http_form {
	LEAT_HTTP_FORM_ORIGIN,    /**< "/path?query" */
	LEAT_HTTP_FORM_ABSOLUTE,  /**< "http://host/path?query" */
	LEAT_HTTP_FORM_AUTHORITY, /**< "host:port", of CONNECT and of nothing else */
	LEAT_HTTP_FORM_ASTERISK,  /**< "*", of OPTIONS and of nothing else */
	LEAT_HTTP_FORMS,
};

/** Limits that the caller sets; const. */
struct leat_http_limits {
	size_t message_max; /**< bytes of one message: empty lines before it, head, body, trailers */
	uint32_t pieces_max; /**< chunks of one body; 0: LEAT_HTTP_PIECES_MAX */
};

/**
 * How far one message was read; all zero at its start. Offsets count from the first
 * byte of the input, so that the bytes may move between two calls.
 */
struct leat_http_parser {
	size_t pos;       /**< of the line that is waited for, or the end of what is */
	size_t body_len;  /**< as Content-Length says, SIZE_MAX: that or more; of chunks: so far */
	uint32_t nb_seen; /**< bytes from pos on that hold no end of line */
	uint32_t nb_chunks;  /**< that hold data */
	uint16_t start;      /**< of the first line */
	uint16_t target_off; /**< of a response: its reason phrase */
	uint16_t target_len;
	uint16_t path_off;
	uint16_t path_len; /**< 0: the target is an absolute URI without a path */
	uint16_t host_off; /**< of the Host field's value */
	uint16_t host_len;
	uint16_t fields_off;
	uint16_t body_off;     /**< 0: the head is not whole */
	uint16_t trailers_len; /**< bytes so far, the empty line included */
	uint16_t status;       /**< of a response */
	uint8_t stage;         /**< what is waited for; private */
	uint8_t method;        /**< enum leat_http_method */
	uint8_t form;          /**< enum leat_http_form */
	uint8_t minor;         /**< of the version */
	uint8_t nb_empty_lines;
	uint8_t nb_fields;
	uint8_t coding; /**< what Transfer-Encoding says; private */
	bool is_response;
	bool has_host;
	bool has_content_length;
	bool has_authorization;
	bool has_close;         /**< Connection lists close */
	bool has_keep_alive;    /**< Connection lists keep-alive */
	bool expects_continue;  /**< Expect: 100-continue */
	bool expects_other;     /**< Expect of something else */
	bool is_continue_due;   /**< the peer waits for 100 (Continue) */
	bool is_continue_taken; /**< and was told */
	bool is_marked;         /**< by the caller, for himself, until the message is whole */
};

/** One field: of a head, or trailers. */
struct leat_http_field {
	struct leat_slice name;  /**< a token, in any case */
	struct leat_slice value; /**< without blanks around it; may be empty */
};

/** The field lines that are yet to be read of a parsed message; borrowed. Empty: pos == end. */
struct leat_http_fields {
	const uint8_t *pos;
	const uint8_t *end;
};

/**
 * The body of a message, where its bytes are: one piece, or one per chunk, and none of
 * an empty body. A chunked body need not be contiguous, and nothing is copied.
 */
struct leat_http_body {
	struct leat_slice *pieces; /**< set by the caller: room for them */
	uint32_t pieces_max;       /**< set by the caller: its size */
	uint32_t nb_pieces;
	size_t len;      /**< bytes of all pieces */
	bool is_chunked; /**< it came in chunks */
	/** Behind the chunks. Nothing of what the head says may be taken from here. */
	struct leat_http_fields trailers;
};

/** One request. Everything points into the bytes that were parsed, or to const memory. */
struct leat_http_request {
	enum leat_http_method method;
	enum leat_http_form form;
	uint8_t minor;                 /**< version 1.minor; 0 or what counts as 1 */
	bool is_keep_alive;            /**< the connection goes on after the reply */
	uint16_t status;               /**< refused: the status to answer with; else 0 */
	struct leat_slice method_name; /**< the token */
	struct leat_slice target;      /**< as sent */
	/** Of the target, percent-encoding as sent, never empty; "*" and "host:port" whole. */
	struct leat_slice path;
	struct leat_slice query; /**< what follows the first "?", or empty */
	/** Host and port that are asked: the target's before the Host field's; may be empty. */
	struct leat_slice host;
	struct leat_http_fields fields;
	struct leat_http_body body;
};

/**
 * Parse one request at the start of @p in.
 *
 * While it returns 0, come again with the same bytes, perhaps elsewhere in memory, and
 * more behind them. Each line is read when it is whole, and the search for its end never
 * begins anew. A refusal comes as early as the bytes allow it.
 *
 * @param parser
 *   All zero before the first call for a request; so again after > 0.
 * @param limits
 *   The caller's, the same for each call of a request.
 * @param in
 *   Bytes received so far. They stay with the caller and must outlive @p req.
 * @param req
 *   body.pieces and body.pieces_max are the caller's; the rest is filled when the return
 *   is > 0, and method, minor and status when it is -EMSGSIZE or -EBADMSG.
 * @return
 *   - > 0: bytes consumed; @p req is valid.
 *   - 0: incomplete.
 *   - -ENOBUFS: whole, but its body has more pieces than body.pieces_max. Come again with
 *     the same bytes and more room, or forget the parser and begin anew.
 *   - -EMSGSIZE: over a limit. Answer with req->status (413 body, 414 request line, 431
 *     head or trailers), then close; req->method tells whether it was HEAD, as far as is known.
 *   - -EBADMSG: refused otherwise, in the same way (400, 417, 501, 505). The
 *     parser must not be used again for this connection.
 */
ssize_t leat_http_parse_request(struct leat_http_parser *parser,
	const struct leat_http_limits *limits, struct leat_slice in, struct leat_http_request *req);

/**
 * Parse the head of one request and no further, so that what it says can be judged before its
 * body is taken in. leat_http_parse_request() then goes on from there.
 *
 * @param parser
 *   Of a request whose head is not whole yet: its body_off is 0.
 * @param req
 *   Filled as by leat_http_parse_request(), but for the body, which has no pieces: its length is
 *   that of Content-Length, or it is chunked.
 * @return
 *   - > 0: bytes of the head.
 *   - 0, -EMSGSIZE, -EBADMSG: as leat_http_parse_request().
 */
ssize_t leat_http_parse_head(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, struct leat_http_request *req);

/**
 * Whether the peer waits for 100 (Continue) before it sends its body (RFC 9110 section
 * 10.1.1): its head asked for it and is accepted, and no byte of the body has come.
 *
 * @return
 *   true once per request, after a return of 0.
 */
bool leat_http_take_continue(struct leat_http_parser *parser);

/**
 * Take the next field of a parsed head, or of trailers.
 *
 * @param fields
 *   A copy of the message's: it is moved on.
 * @return
 *   true and @p field set, or false: that was all.
 */
bool leat_http_fields_next(struct leat_http_fields *fields, struct leat_http_field *field);

/**
 * Find the first field of a name, in any case.
 *
 * @return
 *   true and @p value set, or false.
 */
bool leat_http_fields_find(
	struct leat_http_fields fields, struct leat_slice name, struct leat_slice *value);

/**
 * Whether a name and a value may be sent as a field: a token, and no control byte that
 * could end the line. Ask this of what came from a peer before it is sent to another.
 */
bool leat_http_field_is_valid(const struct leat_http_field *field);

/** @return which method it is; names have a case. */
enum leat_http_method leat_http_method_find(struct leat_slice name);

/** @return its token; empty for LEAT_HTTP_METHOD_OTHER. */
struct leat_slice leat_http_method_name(enum leat_http_method method);

/** What the Connection field of a message says. */
enum leat_http_connection {
	LEAT_HTTP_CONNECTION_NONE, /**< the default of HTTP/1.1: goes on */
	LEAT_HTTP_CONNECTION_CLOSE,
	LEAT_HTTP_CONNECTION_KEEP_ALIVE, /**< to an HTTP/1.0 client that asked for it */
};

/** The head of a response. */
struct leat_http_response {
	uint16_t status; /**< 100 to 999 */
	enum leat_http_connection connection;
	struct leat_slice date; /**< of leat_http_date_text(); empty: of wall_ms */
	uint64_t wall_ms;       /**< Unix time in milliseconds; 0 and no date: no Date field */
	size_t content_len;     /**< of the body, sent or not; 0 where the status has none */
	bool is_chunked;        /**< instead of content_len; not to HTTP/1.0 */
	struct leat_slice content_type;       /**< empty: no field */
	struct leat_slice allow;              /**< methods, for 405; empty: no field */
	const struct leat_http_field *fields; /**< further ones, each valid */
	size_t nb_fields;
};

/**
 * Write status line and fields, the empty line included; the caller adds the body, but
 * none to HEAD or where leat_http_status_has_content() is false.
 */
void leat_http_emit_head(struct leat_writer *w, const struct leat_http_response *res);

/** Whether a response of this status may have content: not 1xx, 204 and 304. */
bool leat_http_status_has_content(uint16_t status);

/**
 * Write what stands before the data of a chunk; the caller adds the data.
 *
 * @param len
 *   Bytes of data, at least 1: a chunk of 0 would be the last.
 */
void leat_http_emit_chunk_begin(struct leat_writer *w, size_t len);

/** Write what stands behind the data of a chunk. */
void leat_http_emit_chunk_end(struct leat_writer *w);

/** Write the last chunk and the end of the body. @p trailers: each valid; may be NULL. */
void leat_http_emit_last_chunk(
	struct leat_writer *w, const struct leat_http_field *trailers, size_t nb_trailers);

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

/** A date as text, kept for as long as its second lasts; all zero at first. */
struct leat_http_date {
	uint64_t second; /**< Unix time of text */
	char text[LEAT_HTTP_DATE_LEN];
};

/**
 * The date as text, written anew when the second is another one.
 *
 * @param wall_ms
 *   As of leat_http_format_date().
 * @return
 *   LEAT_HTTP_DATE_LEN bytes of @p date.
 */
struct leat_slice leat_http_date_text(struct leat_http_date *date, uint64_t wall_ms);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_HTTP_H */
