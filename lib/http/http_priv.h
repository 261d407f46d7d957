/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include "leat_http.h"

/* Status codes that a parser step returns, negated. */
#define HTTP_BAD_REQUEST         400
#define HTTP_LENGTH_REQUIRED     411
#define HTTP_CONTENT_TOO_LARGE   413
#define HTTP_URI_TOO_LONG        414
#define HTTP_EXPECTATION_FAILED  417
#define HTTP_FIELDS_TOO_LARGE    431
#define HTTP_NOT_IMPLEMENTED     501
#define HTTP_VERSION_UNSUPPORTED 505

/** Whether all bytes are of a token (RFC 9110 section 5.6.2) and there is one at least. */
bool http_is_token(struct leat_slice s);

/** Whether the first byte may begin a token. */
bool http_is_token_byte(uint8_t c);

/** Whether all bytes may stand in a host and its port (RFC 3986 section 3.2); may be empty. */
bool http_is_host(struct leat_slice s);

/** Read one field line, without its CR LF, into @p parser. 0, or -status to refuse with. */
int http_parse_field(struct leat_http_parser *parser, struct leat_slice line);

/** The head is whole: what the fields say together. 0, or -status to refuse with. */
int http_end_fields(struct leat_http_parser *parser);

#endif /* HTTP_PRIV_H */
