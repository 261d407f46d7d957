// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <ctime>
#include <map>
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

std::string
Kept(leat_http_date *date, uint64_t wall_ms)
{
	leat_slice s = leat_http_date_text(date, wall_ms);

	return std::string((const char *)s.data, s.len);
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

TEST(HttpEmit, FurtherFields)
{
	const leat_http_field fields[] = {
		{ leat_slice_str("ETag"), leat_slice_str("\"1\"") },
		{ leat_slice_str("X-Empty"), leat_slice_str("") },
	};
	leat_http_response res = {};

	res.status = 200;
	res.fields = fields;
	res.nb_fields = 2;
	res.connection = LEAT_HTTP_CONNECTION_CLOSE;
	EXPECT_EQ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: \"1\"\r\nX-Empty: \r\n"
		  "Connection: close\r\n\r\n",
		Emit(res));
}

// A field that came from a peer with a line end in it would be two.
TEST(HttpEmitDeathTest, FieldsThatAreNoneAreOurOwnMistake)
{
	const leat_http_field field = { leat_slice_str("X"), leat_slice_str("a\r\nY: b") };
	leat_http_response res = {};

	res.status = 200;
	res.fields = &field;
	res.nb_fields = 1;
	EXPECT_DEATH(Emit(res), "leat_http_field_is_valid");
}

// RFC 9112 section 6.3: nothing is said of a body where there is none.
TEST(HttpEmit, StatusesWithoutContentTellNoLength)
{
	for (uint16_t status : { 101, 204, 304 }) {
		leat_http_response res = {};

		res.status = status;
		EXPECT_FALSE(leat_http_status_has_content(status));
		EXPECT_EQ(std::string::npos, Emit(res).find("Content-Length")) << status;
		res.is_chunked = true;
		EXPECT_EQ(std::string::npos, Emit(res).find("Transfer-Encoding")) << status;
	}
	for (uint16_t status : { 200, 206, 303, 404, 500 })
		EXPECT_TRUE(leat_http_status_has_content(status)) << status;
}

TEST(HttpEmit, ChunkedHead)
{
	leat_http_response res = {};

	res.status = 200;
	res.is_chunked = true;
	EXPECT_EQ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Emit(res));
}

TEST(HttpEmit, ChunksAndTrailers)
{
	const leat_http_field trailer = { leat_slice_str("X-Sum"), leat_slice_str("7") };
	uint8_t buf[256];
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_http_emit_chunk_begin(&w, 1);
	leat_http_emit_chunk_end(&w);
	leat_http_emit_chunk_begin(&w, 16);
	leat_http_emit_chunk_begin(&w, 0xabcdef0123456789u);
	leat_http_emit_last_chunk(&w, nullptr, 0);
	leat_http_emit_last_chunk(&w, &trailer, 1);
	EXPECT_EQ("1\r\n\r\n10\r\nabcdef0123456789\r\n0\r\n\r\n0\r\nX-Sum: 7\r\n\r\n",
		std::string((char *)buf, (size_t)(w.pos - buf)));
}

TEST(HttpEmit, ADateThatIsKept)
{
	leat_http_response res = {};
	leat_http_date date = {};

	res.status = 204;
	res.date = leat_http_date_text(&date, kWallMs);
	res.wall_ms = 1; // the text is before it
	EXPECT_EQ("HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
		Emit(res));
}

// RFC 9110 section 15, and 429, 431 and 507 of RFC 6585 and RFC 4918.
TEST(HttpEmit, EveryStatusHasItsReasonOrNone)
{
	const std::map<uint16_t, std::string> reasons = { { 100, "Continue" },
		{ 101, "Switching Protocols" }, { 200, "OK" }, { 201, "Created" },
		{ 202, "Accepted" }, { 204, "No Content" }, { 206, "Partial Content" },
		{ 301, "Moved Permanently" }, { 302, "Found" }, { 303, "See Other" },
		{ 304, "Not Modified" }, { 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" }, { 400, "Bad Request" }, { 401, "Unauthorized" },
		{ 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" }, { 408, "Request Timeout" }, { 409, "Conflict" },
		{ 410, "Gone" }, { 411, "Length Required" }, { 412, "Precondition Failed" },
		{ 413, "Content Too Large" }, { 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" }, { 417, "Expectation Failed" },
		{ 421, "Misdirected Request" }, { 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" }, { 501, "Not Implemented" },
		{ 502, "Bad Gateway" }, { 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" }, { 507, "Insufficient Storage" } };

	for (uint16_t status = 0; status < 1000; status++) {
		auto it = reasons.find(status);
		leat_slice reason = leat_http_reason(status);

		EXPECT_EQ(it != reasons.end() ? it->second : "",
			std::string((const char *)reason.data, reason.len));
	}
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

TEST(HttpDate, IsKeptForItsSecond)
{
	leat_http_date date = {};

	EXPECT_EQ("Thu, 01 Jan 1970 00:00:00 GMT", Kept(&date, 0));
	EXPECT_EQ("Sun, 06 Nov 1994 08:49:37 GMT", Kept(&date, kWallMs));
	date.text[0] = '?'; // to see that it is not written anew
	EXPECT_EQ("?un, 06 Nov 1994 08:49:37 GMT", Kept(&date, kWallMs - 999));
	EXPECT_EQ("Sun, 06 Nov 1994 08:49:38 GMT", Kept(&date, kWallMs + 1));
	EXPECT_EQ("Sun, 06 Nov 1994 08:49:36 GMT", Kept(&date, kWallMs - 1000));
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
