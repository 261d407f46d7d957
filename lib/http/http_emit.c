/* SPDX-License-Identifier: BSD-3-Clause */

#include "http_priv.h"

#define SECONDS_OF_DAY   86400u
#define DAYS_OF_YEAR     365u
#define DATE_SECONDS_MAX 253402300799u /* 9999-12-31 23:59:59 */

static const char day_names[7][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
static const char month_names[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug",
	"Sep", "Oct", "Nov", "Dec" };

static const struct {
	uint16_t status;
	struct leat_slice reason;
} reasons[] = {
	{ 200, { (const uint8_t *)"OK", 2 } },
	{ 400, { (const uint8_t *)"Bad Request", 11 } },
	{ 404, { (const uint8_t *)"Not Found", 9 } },
	{ 405, { (const uint8_t *)"Method Not Allowed", 18 } },
	{ 411, { (const uint8_t *)"Length Required", 15 } },
	{ 413, { (const uint8_t *)"Content Too Large", 17 } },
	{ 414, { (const uint8_t *)"URI Too Long", 12 } },
	{ 417, { (const uint8_t *)"Expectation Failed", 18 } },
	{ 431, { (const uint8_t *)"Request Header Fields Too Large", 31 } },
	{ 500, { (const uint8_t *)"Internal Server Error", 21 } },
	{ 501, { (const uint8_t *)"Not Implemented", 15 } },
	{ 505, { (const uint8_t *)"HTTP Version Not Supported", 26 } },
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

/* Leap days in the years before @p year, from year 1 on. */
static uint32_t
leap_days_before(uint32_t year)
{
	uint32_t last = year - 1;

	return last / 4 - last / 100 + last / 400;
}

static uint32_t
days_before_year(uint32_t year)
{
	return (year - 1970) * DAYS_OF_YEAR + leap_days_before(year) - leap_days_before(1970);
}

static bool
is_leap_year(uint32_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Split days since 1970-01-01 into a year, a month of 0 to 11 and a day of 0 to 30. */
static void
date_split(uint32_t days, uint32_t *year, uint32_t *month, uint32_t *day)
{
	static const uint8_t month_days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	uint32_t nb_days;

	/* Too late by a year for every 365 leap days since: at the most by six, in 9999. */
	*year = 1970 + days / DAYS_OF_YEAR;
	while (days_before_year(*year) > days)
		(*year)--;
	*day = days - days_before_year(*year);
	for (*month = 0; *month < 11; (*month)++) {
		nb_days = month_days[*month] + (*month == 1 && is_leap_year(*year));
		if (*day < nb_days)
			break;
		*day -= nb_days;
	}
}

static char *
put_digits(char *text, uint32_t value, int nb_digits)
{
	for (int i = nb_digits - 1; i >= 0; i--) {
		text[i] = (char)('0' + value % 10);
		value /= 10;
	}
	return text + nb_digits;
}

static char *
put_text(char *text, const char *from, size_t len)
{
	memcpy(text, from, len);
	return text + len;
}

void
leat_http_format_date(uint64_t wall_ms, char text[LEAT_HTTP_DATE_LEN])
{
	uint64_t seconds = LEAT_MIN(wall_ms / 1000, DATE_SECONDS_MAX);
	uint32_t days = (uint32_t)(seconds / SECONDS_OF_DAY);
	uint32_t second = (uint32_t)(seconds % SECONDS_OF_DAY);
	uint32_t year;
	uint32_t month;
	uint32_t day;
	char *p = text;

	date_split(days, &year, &month, &day);
	p = put_text(p, day_names[days % 7], 3);
	p = put_text(p, ", ", 2);
	p = put_digits(p, day + 1, 2);
	p = put_text(p, " ", 1);
	p = put_text(p, month_names[month], 3);
	p = put_text(p, " ", 1);
	p = put_digits(p, year, 4);
	p = put_text(p, " ", 1);
	p = put_digits(p, second / 3600, 2);
	p = put_text(p, ":", 1);
	p = put_digits(p, second / 60 % 60, 2);
	p = put_text(p, ":", 1);
	p = put_digits(p, second % 60, 2);
	p = put_text(p, " GMT", 4);
	LEAT_VERIFY(p == text + LEAT_HTTP_DATE_LEN);
}

static void
emit_field(struct leat_writer *w, struct leat_slice name, struct leat_slice value)
{
	leat_writer_put_slice(w, name);
	leat_writer_put(w, ": ", 2);
	leat_writer_put_slice(w, value);
	leat_writer_put(w, "\r\n", 2);
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

void
leat_http_emit_head(struct leat_writer *w, const struct leat_http_response *res)
{
	char date[LEAT_HTTP_DATE_LEN];
	char len[LEAT_INT64_TEXT_MAX];

	LEAT_VERIFY(res->content_len <= INT64_MAX);
	emit_status_line(w, res->status);
	if (res->wall_ms > 0) {
		leat_http_format_date(res->wall_ms, date);
		emit_field(w, LEAT_SLICE("Date"),
			(struct leat_slice){ (const uint8_t *)date, sizeof(date) });
	}
	if (res->content_type.len > 0)
		emit_field(w, LEAT_SLICE("Content-Type"), res->content_type);
	emit_field(w, LEAT_SLICE("Content-Length"),
		(struct leat_slice){
			(const uint8_t *)len, leat_format_int64((int64_t)res->content_len, len) });
	if (res->allow.len > 0)
		emit_field(w, LEAT_SLICE("Allow"), res->allow);
	switch (res->connection) {
	case LEAT_HTTP_CONNECTION_CLOSE:
		emit_field(w, LEAT_SLICE("Connection"), LEAT_SLICE("close"));
		break;
	case LEAT_HTTP_CONNECTION_KEEP_ALIVE:
		emit_field(w, LEAT_SLICE("Connection"), LEAT_SLICE("keep-alive"));
		break;
	default: /* NONE: the default of HTTP/1.1 */
		break;
	}
	leat_writer_put(w, "\r\n", 2);
}
