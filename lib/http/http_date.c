/* SPDX-License-Identifier: BSD-3-Clause */

#include "http_priv.h"

#define SECONDS_OF_DAY   86400u
#define DAYS_OF_YEAR     365u
#define DATE_SECONDS_MAX 253402300799u /* 9999-12-31 23:59:59 */

static const char day_names[7][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
static const char month_names[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug",
	"Sep", "Oct", "Nov", "Dec" };

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

struct leat_slice
leat_http_date_text(struct leat_http_date *date, uint64_t wall_ms)
{
	uint64_t second = wall_ms / 1000;

	if (date->text[0] == '\0' || date->second != second) {
		leat_http_format_date(wall_ms, date->text);
		date->second = second;
	}
	return (struct leat_slice){ (const uint8_t *)date->text, LEAT_HTTP_DATE_LEN };
}
