// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include <leat_http.h>

namespace
{

constexpr uint64_t kWallMs = 784111777999u; // Sun, 06 Nov 1994 08:49:37, of RFC 9110

std::string
Emit(const leat_http_response &res)
{
	uint8_t buf[1024];
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_http_emit_head(&w, &res);
	EXPECT_FALSE(w.failed);
	return std::string((char *)buf, (size_t)(w.pos - buf));
}

std::string
Date(uint64_t wall_ms)
{
	char text[LEAT_HTTP_DATE_LEN];

	leat_http_format_date(wall_ms, text);
	return std::string(text, sizeof(text));
}

TEST(HttpEmit, HeadWithAllFields)
{
	leat_http_response res = {};

	res.status = 405;
	res.connection = LEAT_HTTP_CONNECTION_CLOSE;
	res.wall_ms = kWallMs;
	res.content_len = 19;
	res.content_type = leat_slice_str("text/plain");
	res.allow = leat_slice_str("GET, HEAD");
	EXPECT_EQ("HTTP/1.1 405 Method Not Allowed\r\n"
		  "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
		  "Content-Type: text/plain\r\n"
		  "Content-Length: 19\r\n"
		  "Allow: GET, HEAD\r\n"
		  "Connection: close\r\n"
		  "\r\n",
		Emit(res));
}

TEST(HttpEmit, HeadWithTheLeastFields)
{
	leat_http_response res = {};

	res.status = 200;
	EXPECT_EQ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Emit(res));
}

TEST(HttpEmit, KeepAlive)
{
	leat_http_response res = {};

	res.status = 200;
	res.connection = LEAT_HTTP_CONNECTION_KEEP_ALIVE;
	EXPECT_EQ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
		Emit(res));
}

TEST(HttpEmit, EveryStatusThatIsSentHasAReason)
{
	for (uint16_t status : { 200, 400, 404, 405, 411, 413, 414, 417, 431, 500, 501, 505 })
		EXPECT_GT(leat_http_reason(status).len, 0u) << status;
	EXPECT_EQ(0u, leat_http_reason(299).len);
}

TEST(HttpEmit, Continue)
{
	leat_slice s = leat_http_continue();

	EXPECT_EQ("HTTP/1.1 100 Continue\r\n\r\n", std::string((const char *)s.data, s.len));
}

TEST(HttpDate, EdgesOfTheCalendar)
{
	EXPECT_EQ("Thu, 01 Jan 1970 00:00:00 GMT", Date(0));
	EXPECT_EQ("Tue, 29 Feb 2000 23:59:59 GMT", Date(951868799000u));
	EXPECT_EQ("Wed, 01 Mar 2000 00:00:00 GMT", Date(951868800000u));
	EXPECT_EQ("Sun, 28 Feb 2100 00:00:00 GMT", Date(4107456000000u));
	EXPECT_EQ("Mon, 01 Mar 2100 00:00:00 GMT", Date(4107542400000u));
	EXPECT_EQ("Fri, 31 Dec 9999 23:59:59 GMT", Date(253402300799999u));
	EXPECT_EQ("Fri, 31 Dec 9999 23:59:59 GMT", Date(UINT64_MAX));
}

TEST(HttpDate, IsTheCLibrarysOnEveryDay)
{
	for (uint64_t day = 0; day < 200000; day++) {
		time_t t = (time_t)(day * 86400 + day % 86400);
		char text[64];
		struct tm tm;

		gmtime_r(&t, &tm);
		strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		ASSERT_EQ(text, Date((uint64_t)t * 1000));
	}
}

} // namespace
