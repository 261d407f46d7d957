/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <stdio.h>

#include "leat_resp_client.h"
#include "resp_priv.h"

/* A type byte, 20 digits and a sign, CR LF. */
#define RESP_NUMBER_LINE_MAX (1 + LEAT_INT64_TEXT_MAX + RESP_CRLF_LEN)

/* Whole numbers below this have at most 17 digits, which "%.17g" writes without exponent. */
#define RESP_WHOLE_MAX 1e17

void
resp_emit_number_line(struct leat_writer *w, char type, int64_t value)
{
	char line[RESP_NUMBER_LINE_MAX];
	size_t len = 0;

	line[len++] = type;
	len += leat_format_int64(value, line + len);
	line[len++] = '\r';
	line[len++] = '\n';
	leat_writer_put(w, line, len);
}

void
leat_resp_emit_status(struct leat_writer *w, struct leat_slice text)
{
	leat_writer_put_u8(w, '+');
	leat_writer_put_slice(w, text);
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp_emit_error(struct leat_writer *w, struct leat_slice text)
{
	leat_writer_put_u8(w, '-');
	for (size_t i = 0; i < text.len; i++) {
		bool ends_line = text.data[i] == '\r' || text.data[i] == '\n';

		leat_writer_put_u8(w, ends_line ? ' ' : text.data[i]);
	}
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp_emit_integer(struct leat_writer *w, int64_t value)
{
	resp_emit_number_line(w, ':', value);
}

void
leat_resp_emit_bulk(struct leat_writer *w, struct leat_slice value)
{
	resp_emit_number_line(w, '$', (int64_t)value.len);
	leat_writer_put_slice(w, value);
	leat_writer_put(w, "\r\n", RESP_CRLF_LEN);
}

void
leat_resp_emit_null(struct leat_writer *w)
{
	leat_writer_put(w, "$-1\r\n", 5);
}

void
leat_resp_emit_array(struct leat_writer *w, uint32_t nb_values)
{
	resp_emit_number_line(w, '*', (int64_t)nb_values);
}

size_t
leat_resp_format_double(double value, char text[LEAT_RESP_DOUBLE_TEXT_MAX])
{
	int len;

	LEAT_VERIFY(!isnan(value));
	if (isinf(value)) {
		const char *word = value > 0 ? "inf" : "-inf";

		memcpy(text, word, strlen(word));
		return strlen(word);
	}
	if (value > -RESP_WHOLE_MAX && value < RESP_WHOLE_MAX && value == (double)(int64_t)value)
		return leat_format_int64((int64_t)value, text);
	len = snprintf(text, LEAT_RESP_DOUBLE_TEXT_MAX, "%.17g", value);
	LEAT_VERIFY(len > 0);
	LEAT_VERIFY(len < (int)LEAT_RESP_DOUBLE_TEXT_MAX);
	return (size_t)len;
}

void
leat_resp_emit_double(struct leat_writer *w, double value)
{
	char text[LEAT_RESP_DOUBLE_TEXT_MAX];
	size_t len = leat_resp_format_double(value, text);

	leat_resp_emit_bulk(w, (struct leat_slice){ (const uint8_t *)text, len });
}

void
leat_resp_emit_request(struct leat_writer *w, const struct leat_slice *argv, uint32_t argc)
{
	leat_resp_emit_array(w, argc);
	for (uint32_t i = 0; i < argc; i++)
		leat_resp_emit_bulk(w, argv[i]);
}
