/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The types that RESP3 adds to RESP2.
 */

#include "resp_priv.h"

void
leat_resp3_emit_null(struct leat_writer *w)
{
	leat_writer_put(w, "_\r\n", 3);
}

void
leat_resp3_emit_boolean(struct leat_writer *w, bool value)
{
	leat_writer_put(w, value ? "#t\r\n" : "#f\r\n", 4);
}

void
leat_resp3_emit_double(struct leat_writer *w, double value)
{
	char line[1 + LEAT_RESP_DOUBLE_TEXT_MAX + RESP_CRLF_LEN];
	size_t len = 0;

	line[len++] = ',';
	len += leat_resp_format_double(value, line + len);
	line[len++] = '\r';
	line[len++] = '\n';
	leat_writer_put(w, line, len);
}

void
leat_resp3_emit_big_number(struct leat_writer *w, struct leat_slice digits)
{
	leat_writer_put_u8(w, '(');
	leat_writer_put_slice(w, digits);
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp3_emit_bulk_error(struct leat_writer *w, struct leat_slice text)
{
	resp_emit_number_line(w, '!', (int64_t)text.len);
	leat_writer_put_slice(w, text);
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp3_emit_verbatim(struct leat_writer *w, const char *format, struct leat_slice text)
{
	resp_emit_number_line(w, '=', (int64_t)(LEAT_RESP_FORMAT_LEN + 1 + text.len));
	leat_writer_put(w, format, LEAT_RESP_FORMAT_LEN);
	leat_writer_put_u8(w, ':');
	leat_writer_put_slice(w, text);
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp3_emit_map(struct leat_writer *w, uint32_t nb_pairs)
{
	resp_emit_number_line(w, '%', (int64_t)nb_pairs);
}

void
leat_resp3_emit_set(struct leat_writer *w, uint32_t nb_values)
{
	resp_emit_number_line(w, '~', (int64_t)nb_values);
}

void
leat_resp3_emit_attribute(struct leat_writer *w, uint32_t nb_pairs)
{
	resp_emit_number_line(w, '|', (int64_t)nb_pairs);
}

void
leat_resp3_emit_push(struct leat_writer *w, uint32_t nb_values)
{
	resp_emit_number_line(w, '>', (int64_t)nb_values);
}
