/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_HTTP_CLIENT_H
#define LEAT_HTTP_CLIENT_H

/**
 * @file
 * HTTP/1.1 (RFC 9110, RFC 9112), the client's side: requests out, responses in.
 *
 * As strict as the server's side, and for the same reason. Refused that the RFC would allow:
 * - Content-Length more than once, or a list, even with one value (RFC 9110 section 8.6);
 * - Transfer-Encoding beside Content-Length, in HTTP/1.0, or of anything but chunked: no
 *   other coding is asked for, and its end would be the end of the connection.
 *
 * Taken that the RFC does not: a status line without the space behind its code, since some
 * servers write that and it means nothing else.
 */

#include <leat_http.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The head of a request. */
struct leat_http_client_request {
	struct leat_slice method; /**< a token, such as of leat_http_method_name() */
	struct leat_slice target; /**< visible ASCII, in the form of the method */
	struct leat_slice host;   /**< host and port; may be empty */
	enum leat_http_connection connection;
	bool has_content;      /**< a length is said, even of none; without, there is no body */
	bool is_chunked;       /**< instead of content_len; needs has_content */
	bool expects_continue; /**< wait for 100 (Continue) before the body */
	size_t content_len;
	const struct leat_http_field *fields; /**< further ones, each valid */
	size_t nb_fields;
};

/**
 * Write request line and fields, the empty line included; the caller adds the body, in
 * chunks with leat_http_emit_chunk_begin().
 */
void leat_http_emit_request(struct leat_writer *w, const struct leat_http_client_request *req);

/** One response. Everything points into the bytes that were parsed. */
struct leat_http_client_response {
	/**
	 * 1xx: an interim response, another one follows, but for 101: the connection speaks
	 * another protocol from here.
	 */
	uint16_t status;
	uint8_t minor;      /**< version 1.minor; 0 or what counts as 1 */
	bool is_keep_alive; /**< another request may follow on this connection */
	struct leat_slice reason;
	struct leat_http_fields fields;
	struct leat_http_body body;
};

/**
 * Begin to read the response to a request.
 *
 * @param parser
 *   Any bytes.
 * @param method
 *   Of the request, on which depends whether the response has a body.
 */
void leat_http_begin_response(struct leat_http_parser *parser, enum leat_http_method method);

/**
 * Parse one response at the start of @p in, as leat_http_parse_request() does a request.
 *
 * @param parser
 *   After leat_http_begin_response(), and so again after > 0: an interim response leaves it
 *   ready for the next response to the same request, a final one ended.
 * @param limits
 *   The caller's, the same for each call of a response.
 * @param in
 *   Bytes received so far. They stay with the caller and must outlive @p res.
 * @param res
 *   body.pieces and body.pieces_max are the caller's; the rest is filled when the return
 *   is > 0.
 * @return
 *   - > 0: bytes consumed; @p res is valid.
 *   - 0: incomplete, or its end is the end of the connection: leat_http_end_response().
 *   - -ENOBUFS: whole, but its body has more pieces than body.pieces_max. Come again with
 *     the same bytes and more room.
 *   - -EMSGSIZE: over a limit.
 *   - -EBADMSG: no response, or one that two readers may take for two different ones. As
 *     with -EMSGSIZE the connection is of no more use.
 */
ssize_t leat_http_parse_response(struct leat_http_parser *parser,
	const struct leat_http_limits *limits, struct leat_slice in,
	struct leat_http_client_response *res);

/**
 * The peer has closed, and leat_http_parse_response() returned 0 for @p in.
 *
 * @return
 *   - >= 0: bytes consumed, all; @p res is valid: its body ended with the connection.
 *   - -ENOBUFS: as above.
 *   - -EBADMSG: the response was cut (RFC 9112 section 8).
 */
ssize_t leat_http_end_response(struct leat_http_parser *parser, struct leat_slice in,
	struct leat_http_client_response *res);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_HTTP_CLIENT_H */
