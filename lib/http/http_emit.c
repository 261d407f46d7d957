/* SPDX-License-Identifier: BSD-3-Clause */

#include "http_priv.h"

#define HTTP_NO_CONTENT   204
#define HTTP_NOT_MODIFIED 304

static const struct {
	uint16_t status;
	struct leat_slice reason;
} reasons[] = {
	{ 100, { (const uint8_t *)"Continue", 8 } },
	{ 101, { (const uint8_t *)"Switching Protocols", 19 } },
	{ 200, { (const uint8_t *)"OK", 2 } },
	{ 201, { (const uint8_t *)"Created", 7 } },
	{ 202, { (const uint8_t *)"Accepted", 8 } },
	{ 204, { (const uint8_t *)"No Content", 10 } },
	{ 206, { (const uint8_t *)"Partial Content", 15 } },
	{ 301, { (const uint8_t *)"Moved Permanently", 17 } },
	{ 302, { (const uint8_t *)"Found", 5 } },
	{ 303, { (const uint8_t *)"See Other", 9 } },
	{ 304, { (const uint8_t *)"Not Modified", 12 } },
	{ 307, { (const uint8_t *)"Temporary Redirect", 18 } },
	{ 308, { (const uint8_t *)"Permanent Redirect", 18 } },
	{ 400, { (const uint8_t *)"Bad Request", 11 } },
	{ 401, { (const uint8_t *)"Unauthorized", 12 } },
	{ 403, { (const uint8_t *)"Forbidden", 9 } },
	{ 404, { (const uint8_t *)"Not Found", 9 } },
	{ 405, { (const uint8_t *)"Method Not Allowed", 18 } },
	{ 406, { (const uint8_t *)"Not Acceptable", 14 } },
	{ 408, { (const uint8_t *)"Request Timeout", 15 } },
	{ 409, { (const uint8_t *)"Conflict", 8 } },
	{ 410, { (const uint8_t *)"Gone", 4 } },
	{ 411, { (const uint8_t *)"Length Required", 15 } },
	{ 412, { (const uint8_t *)"Precondition Failed", 19 } },
	{ 413, { (const uint8_t *)"Content Too Large", 17 } },
	{ 414, { (const uint8_t *)"URI Too Long", 12 } },
	{ 415, { (const uint8_t *)"Unsupported Media Type", 22 } },
	{ 417, { (const uint8_t *)"Expectation Failed", 18 } },
	{ 421, { (const uint8_t *)"Misdirected Request", 19 } },
	{ 422, { (const uint8_t *)"Unprocessable Content", 21 } },
	{ 429, { (const uint8_t *)"Too Many Requests", 17 } },
	{ 431, { (const uint8_t *)"Request Header Fields Too Large", 31 } },
	{ 500, { (const uint8_t *)"Internal Server Error", 21 } },
	{ 501, { (const uint8_t *)"Not Implemented", 15 } },
	{ 502, { (const uint8_t *)"Bad Gateway", 11 } },
	{ 503, { (const uint8_t *)"Service Unavailable", 19 } },
	{ 504, { (const uint8_t *)"Gateway Timeout", 15 } },
	{ 505, { (const uint8_t *)"HTTP Version Not Supported", 26 } },
	{ 507, { (const uint8_t *)"Insufficient Storage", 20 } },
};

struct leat_slice
leat_http_reason(uint16_t status)
{
	for (size_t i = 0; i < LEAT_DIM(reasons); i++) {
		if (reasons[i].status == status)
			return reasons[i].reason;
	}
	return LEAT_SLICE("");
}

struct leat_slice
leat_http_continue(void)
{
	return LEAT_SLICE("HTTP/1.1 100 Continue\r\n\r\n");
}

bool
leat_http_status_has_content(uint16_t status)
{
	return status >= 200 && status != HTTP_NO_CONTENT && status != HTTP_NOT_MODIFIED;
}

void
http_emit_field(struct leat_writer *w, struct leat_slice name, struct leat_slice value)
{
	leat_writer_put_slice(w, name);
	leat_writer_put(w, ": ", 2);
	leat_writer_put_slice(w, value);
	leat_writer_put(w, "\r\n", 2);
}

void
http_emit_fields(struct leat_writer *w, const struct leat_http_field *fields, size_t nb)
{
	for (size_t i = 0; i < nb; i++) {
		LEAT_VERIFY(leat_http_field_is_valid(&fields[i]));
		http_emit_field(w, fields[i].name, fields[i].value);
	}
}

void
http_emit_content_len(struct leat_writer *w, size_t len)
{
	LEAT_VERIFY(len <= INT64_MAX);
	leat_writer_put(w, "Content-Length: ", 16);
	leat_writer_put_int64(w, (int64_t)len);
	leat_writer_put(w, "\r\n", 2);
}

void
http_emit_connection(struct leat_writer *w, enum leat_http_connection connection)
{
	switch (connection) {
	case LEAT_HTTP_CONNECTION_CLOSE:
		http_emit_field(w, LEAT_SLICE("Connection"), LEAT_SLICE("close"));
		break;
	case LEAT_HTTP_CONNECTION_KEEP_ALIVE:
		http_emit_field(w, LEAT_SLICE("Connection"), LEAT_SLICE("keep-alive"));
		break;
	default: /* NONE: the default of HTTP/1.1 */
		break;
	}
}

static void
emit_status_line(struct leat_writer *w, uint16_t status)
{
	LEAT_VERIFY(status >= 100);
	LEAT_VERIFY(status <= 999);
	leat_writer_put(w, "HTTP/1.1 ", 9);
	leat_writer_put_int64(w, status);
	leat_writer_put_u8(w, ' ');
	leat_writer_put_slice(w, leat_http_reason(status));
	leat_writer_put(w, "\r\n", 2);
}

static void
emit_date(struct leat_writer *w, const struct leat_http_response *res)
{
	char text[LEAT_HTTP_DATE_LEN];
	struct leat_slice date = res->date;

	if (date.len == 0 && res->wall_ms > 0) {
		leat_http_format_date(res->wall_ms, text);
		date = (struct leat_slice){ (const uint8_t *)text, sizeof(text) };
	}
	if (date.len > 0)
		http_emit_field(w, LEAT_SLICE("Date"), date);
}

void
leat_http_emit_head(struct leat_writer *w, const struct leat_http_response *res)
{
	emit_status_line(w, res->status);
	emit_date(w, res);
	if (res->content_type.len > 0)
		http_emit_field(w, LEAT_SLICE("Content-Type"), res->content_type);
	if (!leat_http_status_has_content(res->status))
		LEAT_VERIFY(res->content_len == 0);
	else if (res->is_chunked)
		http_emit_field(w, LEAT_SLICE("Transfer-Encoding"), LEAT_SLICE("chunked"));
	else
		http_emit_content_len(w, res->content_len);
	if (res->allow.len > 0)
		http_emit_field(w, LEAT_SLICE("Allow"), res->allow);
	http_emit_fields(w, res->fields, res->nb_fields);
	http_emit_connection(w, res->connection);
	leat_writer_put(w, "\r\n", 2);
}

void
leat_http_emit_chunk_begin(struct leat_writer *w, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * sizeof(len)];
	size_t first = sizeof(text);

	LEAT_VERIFY(len > 0);
	for (size_t left = len; left > 0; left >>= 4)
		text[--first] = digits[left & 15];
	leat_writer_put(w, text + first, sizeof(text) - first);
	leat_writer_put(w, "\r\n", 2);
}

void
leat_http_emit_chunk_end(struct leat_writer *w)
{
	leat_writer_put(w, "\r\n", 2);
}

void
leat_http_emit_last_chunk(
	struct leat_writer *w, const struct leat_http_field *trailers, size_t nb_trailers)
{
	leat_writer_put(w, "0\r\n", 3);
	http_emit_fields(w, trailers, nb_trailers);
	leat_writer_put(w, "\r\n", 2);
}
