/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include <errno.h>

#include "leat_http.h"

/* Status codes that a parser step returns, negated. */
#define HTTP_BAD_REQUEST         400
#define HTTP_CONTENT_TOO_LARGE   413
#define HTTP_URI_TOO_LONG        414
#define HTTP_EXPECTATION_FAILED  417
#define HTTP_FIELDS_TOO_LARGE    431
#define HTTP_NOT_IMPLEMENTED     501
#define HTTP_VERSION_UNSUPPORTED 505

#define HTTP_EOL_LEN             2 /* CR LF */
#define HTTP_VERSION_LEN         8 /* "HTTP/1.1" */

/** Bytes that are waited for; the values of leat_http_parser.stage. */
enum http_stage {
	HTTP_STAGE_START, /**< the first line */
	HTTP_STAGE_FIELDS,
	HTTP_STAGE_LENGTH,      /**< a body that ends at pos */
	HTTP_STAGE_UNTIL_CLOSE, /**< a body that begins at pos */
	HTTP_STAGE_CHUNK_LINE,
	HTTP_STAGE_CHUNK_END, /**< the CR LF at pos, behind the data of a chunk */
	HTTP_STAGE_TRAILERS,
	HTTP_STAGE_WHOLE, /**< nothing: the message ends at pos */
};

/** What the Transfer-Encoding fields listed so far; the values of leat_http_parser.coding. */
enum http_coding {
	HTTP_CODING_NONE,
	HTTP_CODING_CHUNKED,       /**< chunked and nothing else */
	HTTP_CODING_OTHER,         /**< others, chunked is yet to come */
	HTTP_CODING_OTHER_CHUNKED, /**< others, then chunked: known framing, unknown content */
	HTTP_CODING_BAD,
};

/* Classes of bytes, bits of http_classes[]. */
#define HTTP_TOKEN  0x1u /* RFC 9110 section 5.6.2 */
#define HTTP_TARGET 0x2u /* visible ASCII but "#" */
#define HTTP_PATH   0x4u /* HTTP_TARGET but "?" */
#define HTTP_NAME   0x8u /* of a registered name (RFC 3986 section 3.2.2), but "%" and "," */

extern const uint8_t http_classes[256];

static inline bool
http_is(uint8_t byte, uint8_t class_bits)
{
	return (http_classes[byte] & class_bits) != 0;
}

/** Whether all bytes are of a token and there is one at least. */
bool http_is_token(struct leat_slice s);

/**
 * Whether it is a host with or without a port (RFC 3986 section 3.2.2); may be empty. It
 * is part of a line: behind it stands a byte that no host has.
 *
 * @param host_len
 *   Receives the bytes of the host.
 */
bool http_parse_host(struct leat_slice s, size_t *host_len);

/**
 * Read field lines up to and with the empty line that ends them.
 *
 * @return
 *   > 0: they are whole. 0: incomplete. -status to refuse with.
 */
int http_read_fields(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in);

/** As http_parse_version(), of whatever it is. */
int http_parse_other_version(struct leat_http_parser *parser, struct leat_slice version);

/** "HTTP/" DIGIT "." DIGIT (RFC 9112 section 2.3). 0, or -status to refuse with. */
static inline int
http_parse_version(struct leat_http_parser *parser, struct leat_slice version)
{
	if (version.len != HTTP_VERSION_LEN || memcmp(version.data, "HTTP/1.1", 8) != 0)
		return http_parse_other_version(parser, version);
	parser->minor = 1;
	return 0;
}

/** The head is whole, and its body is chunked. */
void http_begin_chunked(struct leat_http_parser *parser);

/** The head is whole, and its body has parser->body_len bytes. 0, or -status to refuse with. */
static inline int
http_begin_length(struct leat_http_parser *parser, const struct leat_http_limits *limits)
{
	LEAT_VERIFY(parser->pos <= limits->message_max);
	if (parser->body_len > limits->message_max - parser->pos)
		return -HTTP_CONTENT_TOO_LARGE;
	parser->pos += parser->body_len;
	parser->stage = parser->body_len > 0 ? HTTP_STAGE_LENGTH : HTTP_STAGE_WHOLE;
	return 0;
}

/**
 * Read on in a body that is not whole.
 *
 * @return
 *   > 0: the message is whole. 0: incomplete. -status to refuse with.
 */
int http_read_body(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in);

/** Read one line in front of the fields. > 0: go on; 0: incomplete; -status to refuse with. */
typedef int (*http_read_start_fn)(struct leat_http_parser *parser,
	const struct leat_http_limits *limits, struct leat_slice in);

/** The head is whole: what its fields say together. 0, or -status to refuse with. */
typedef int (*http_end_head_fn)(
	struct leat_http_parser *parser, const struct leat_http_limits *limits);

/**
 * Read on in a head that may be whole already; inline, so that both functions are.
 *
 * @return
 *   > 0: the head is whole. 0: incomplete. -status to refuse with.
 */
static inline int
http_read_head(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, http_read_start_fn read_start, http_end_head_fn end_head)
{
	int ret;

	while (parser->stage == HTTP_STAGE_START) {
		ret = read_start(parser, limits, in);
		if (ret <= 0)
			return ret;
	}
	if (parser->stage == HTTP_STAGE_FIELDS) {
		ret = http_read_fields(parser, limits, in);
		if (ret <= 0)
			return ret;
		ret = end_head(parser, limits);
		if (ret < 0)
			return ret;
	}
	return 1;
}

/** Read on in a message, as http_read_head(). @return as http_read_body(). */
static inline int
http_read_message(struct leat_http_parser *parser, const struct leat_http_limits *limits,
	struct leat_slice in, http_read_start_fn read_start, http_end_head_fn end_head)
{
	int ret = http_read_head(parser, limits, in, read_start, end_head);

	if (ret <= 0 || parser->stage == HTTP_STAGE_WHOLE)
		return ret;
	return http_read_body(parser, limits, in);
}

/** As http_fill_body(), of a chunked one. */
int http_fill_chunks(
	const struct leat_http_parser *parser, struct leat_slice in, struct leat_http_body *body);

/**
 * Point out the body of a whole message.
 *
 * @return
 *   0, or -ENOBUFS: it has more pieces than there is room for.
 */
static inline int
http_fill_body(
	const struct leat_http_parser *parser, struct leat_slice in, struct leat_http_body *body)
{
	body->len = parser->body_len;
	if (parser->trailers_len > 0)
		return http_fill_chunks(parser, in, body);
	body->nb_pieces = parser->body_len > 0;
	body->is_chunked = false;
	body->trailers = (struct leat_http_fields){ NULL, NULL };
	if (body->nb_pieces > body->pieces_max)
		return -ENOBUFS;
	if (body->nb_pieces > 0)
		body->pieces[0] = (struct leat_slice){ in.data + parser->body_off, body->len };
	return 0;
}

/** The head of @p in, from its first field line on. */
static inline struct leat_http_fields
http_head_fields(const struct leat_http_parser *parser, struct leat_slice in)
{
	struct leat_http_fields fields;

	fields.pos = in.data + parser->fields_off;
	fields.end = in.data + parser->body_off - HTTP_EOL_LEN;
	return fields;
}

/** RFC 9112 section 9.3. */
static inline bool
http_is_keep_alive(const struct leat_http_parser *parser)
{
	return !parser->has_close && (parser->minor > 0 || parser->has_keep_alive);
}

/** Write "Name: value". */
void http_emit_field(struct leat_writer *w, struct leat_slice name, struct leat_slice value);

/** Write fields that the caller brought, and verify that they are fields. */
void http_emit_fields(struct leat_writer *w, const struct leat_http_field *fields, size_t nb);

/** Write Content-Length. */
void http_emit_content_len(struct leat_writer *w, size_t len);

/** Write Connection, or nothing. */
void http_emit_connection(struct leat_writer *w, enum leat_http_connection connection);

#endif /* HTTP_PRIV_H */
