// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>

#include "http_fixture.h"

namespace
{

// Both ways of arrival end in the same refusal.
void
ExpectRefused(int status, const std::string &in, size_t request_max = kRequestMax)
{
	Parsed p = ParseAll(in, request_max);
	std::string shown = in.substr(0, 100);

	EXPECT_EQ(status, p.status) << shown;
	EXPECT_EQ(status == 413 || status == 414 || status == 431 ? -EMSGSIZE : -EBADMSG, p.ret)
		<< shown;
	EXPECT_EQ(p, ParseBytewise(in, request_max)) << shown;
}

void
ExpectFieldsRefused(int status, const std::string &fields)
{
	ExpectRefused(status, "POST /echo HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
}

TEST(HttpRefuse, GarbageLines)
{
	const char *lines[] = { "garbage", "GET", "GET /", "GET / ", "GET /  HTTP/1.1",
		"GET  / HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1",
		"G(T / HTTP/1.1", "G\xc3T / HTTP/1.1", "GET / HTTP/11", "GET / HTTP/1.",
		"GET / HTTP/1", "GET / HTTP/1.10", "GET / HTTP/a.1", "GET / HTTP/1.a",
		"GET / http/1.1", "GET / HTCPCP/1.0", "{\"a\": 1}" };

	for (const char *line : lines)
		ExpectRefused(400, std::string(line) + "\r\n");
}

TEST(HttpRefuse, OtherMajorVersions)
{
	ExpectRefused(505, "GET / HTTP/2.0\r\n");
	ExpectRefused(505, "GET / HTTP/0.9\r\n");
	ExpectRefused(505, "PRI * HTTP/2.0\r\n");
}

TEST(HttpRefuse, BadTargets)
{
	const char *targets[] = { "*", "health", "?q", "http://", "http:///p", "http://?q",
		"http://u@h/", "http://a b/", "http:/h/", "ftp://h/", "/a#b", "/\x01", "/\x7f",
		"/\xc3\xa9", "h:80" };

	for (const char *target : targets)
		ExpectRefused(400, "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(HttpRefuse, HostMissingTwiceOrNoHost)
{
	ExpectRefused(400, "GET / HTTP/1.1\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nX-Host: a\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: \xc3\xa9\r\n\r\n");
}

// RFC 9110 section 11.6.2: which one a hop in front of us believed nobody knows.
TEST(HttpRefuse, AuthorizationTwice)
{
	ExpectFieldsRefused(400, "Authorization: Bearer a\r\nauthorization: Bearer a\r\n");
	ExpectFieldsRefused(400, "Authorization:\r\nX: y\r\nAuthorization: Bearer a\r\n");
}

TEST(HttpRefuse, FieldSyntax)
{
	const char *fields[] = { "no colon\r\n", ": v\r\n", "X : v\r\n", "X\t: v\r\n", "X Y: v\r\n",
		"X: a\r\n folded\r\n", "X: a\r\n\tfolded\r\n", " X: v\r\n", "X: a\rb\r\n",
		"X: a\r\r\n", "X: a\nY: b\r\n", "X: a\x7f\r\n", "X: a\x1b[0m\r\n", "X\xc3: v\r\n",
		"(X): v\r\n" };

	for (const char *field : fields)
		ExpectFieldsRefused(400, field);
	ExpectFieldsRefused(400, std::string("X: a\0b\r\n", 8));
	ExpectFieldsRefused(400, std::string("X\0: b\r\n", 7));
}

TEST(HttpRefuse, BareLineFeeds)
{
	ExpectRefused(400, "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\nHost: a\r\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: a\n\r\n");
	ExpectRefused(400, "GET / HTTP/1.1\r\nHost: a\r\n\n");
	ExpectRefused(400, "\r\rGET / HTTP/1.1\r\n");
}

TEST(HttpRefuse, ContentLength)
{
	const char *values[] = { "", "+5", "-5", "5, 5", "5,5", "5 5", "0x5", "5.0", "a", "5;q=1",
		"\"5\"" };

	for (const char *value : values)
		ExpectFieldsRefused(400, "Content-Length: " + std::string(value) + "\r\n");
	ExpectFieldsRefused(400, "Content-Length: 5\r\nContent-Length: 5\r\n");
	ExpectFieldsRefused(400, "Content-Length: 5\r\ncontent-length: 6\r\n");
}

TEST(HttpRefuse, ContentLengthThatOverflows)
{
	ExpectFieldsRefused(413, "Content-Length: 18446744073709551615\r\n");
	ExpectFieldsRefused(413, "Content-Length: 18446744073709551616\r\n");
	ExpectFieldsRefused(413, "Content-Length: 18446744073709551621\r\n");
	ExpectFieldsRefused(413, "Content-Length: " + std::string(200, '9') + "\r\n");
}

TEST(HttpRefuse, TransferEncoding)
{
	const struct {
		int status;
		const char *fields;
	} table[] = {
		{ 400, "Transfer-Encoding: , Chunked ,\r\n" },
		{ 400, "Transfer-Encoding: chunked,\r\n" },
		{ 501, "Transfer-Encoding: gzip, chunked\r\n" },
		{ 501, "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n" },
		{ 501, "Transfer-Encoding: identity, chunked\r\n" },
		{ 400, "Transfer-Encoding:\r\n" },
		{ 400, "Transfer-Encoding: gzip\r\n" },
		{ 400, "Transfer-Encoding: identity\r\n" },
		{ 400, "Transfer-Encoding: chunked, identity\r\n" },
		{ 400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n" },
		{ 400, "Transfer-Encoding: chunked, chunked\r\n" },
		{ 400, "Transfer-Encoding: chunked, gzip, chunked\r\n" },
		{ 400, "Transfer-Encoding: xchunked\r\n" },
		{ 400, "Transfer-Encoding: chunked;a=b\r\n" },
		{ 400, "Transfer-Encoding: \"chunked\"\r\n" },
		{ 400, "Transfer-Encoding : chunked\r\n" },
		{ 400, "Transfer-Encoding: \vchunked\r\n" },
	};

	for (const auto &row : table)
		ExpectFieldsRefused(row.status, row.fields);
	ExpectRefused(400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(HttpRefuse, TransferEncodingWithContentLength)
{
	ExpectFieldsRefused(400, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
	ExpectFieldsRefused(400, "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n");
	ExpectFieldsRefused(400, "Transfer-Encoding: gzip, chunked\r\nContent-Length: 0\r\n");
}

TEST(HttpRefuse, ExpectationsThatNobodyMeets)
{
	ExpectFieldsRefused(417, "Expect: 200-ok\r\n");
	ExpectFieldsRefused(417, "Expect: 100-continue, x\r\n");
	ExpectFieldsRefused(417, "Expect:\r\n");
	EXPECT_GT(ParseAll("GET / HTTP/1.0\r\nExpect: 200-ok\r\n\r\n").ret, 0);
}

TEST(HttpRefuse, TellsOfHeadAsSoonAsItIsKnown)
{
	EXPECT_EQ(LEAT_HTTP_HEAD, ParseAll("HEAD / HTTP/2.0\r\n").method);
	EXPECT_EQ(LEAT_HTTP_HEAD, ParseAll("HEAD / HTTP/1.1\r\n\r\n").method);
}

// Bytes that can be no request need no end of line to be refused.
TEST(HttpRefuse, BinaryAtTheFirstByte)
{
	EXPECT_EQ(400, ParseAll("\x16").status);
	EXPECT_EQ(400, ParseAll("\r\n\x16\x03\x01").status);
	EXPECT_EQ(400, ParseAll(std::string("\0", 1)).status);
	for (const char *byte : { "{", "<", "(", "\"", " ", "\xc3" })
		EXPECT_EQ(400, ParseAll(byte).status) << byte;
}

TEST(HttpLimit, EmptyLinesAtTheLimitAndOneOver)
{
	std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	std::string lines;

	for (unsigned int i = 0; i < LEAT_HTTP_EMPTY_LINES_MAX; i++)
		lines += "\r\n";
	EXPECT_EQ((ssize_t)(lines + get).size(), ParseAll(lines + get).ret);
	ExpectRefused(400, lines + "\r\n");
}

std::string
LineOf(size_t len)
{
	std::string start = "GET /";
	std::string end = " HTTP/1.1";

	return start + std::string(len - start.size() - end.size(), 'a') + end;
}

TEST(HttpLimit, RequestLineAtTheLimitAndOneOver)
{
	std::string rest = "\r\nHost: a\r\n\r\n";

	EXPECT_GT(ParseAll(LineOf(LEAT_HTTP_LINE_MAX) + rest).ret, 0);
	EXPECT_EQ(ParseAll(LineOf(LEAT_HTTP_LINE_MAX) + rest),
		ParseBytewise(LineOf(LEAT_HTTP_LINE_MAX) + rest));
	ExpectRefused(414, LineOf(LEAT_HTTP_LINE_MAX + 1) + rest);
}

TEST(HttpLimit, RequestLineWithoutEnd)
{
	ExpectRefused(414, "GET /" + std::string(LEAT_HTTP_LINE_MAX, 'a'));
	ExpectRefused(414, "G /" + std::string(LEAT_HTTP_LINE_MAX, 'a'));
	ExpectRefused(400, std::string(LEAT_HTTP_LINE_MAX + 2, 'a')); // a method of that length?
	ExpectRefused(400, "\r" + std::string(LEAT_HTTP_LINE_MAX + 2, 'a'));
}

std::string
HeadOf(size_t len)
{
	std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
	std::string end = "\r\n\r\n";

	return start + std::string(len - start.size() - end.size(), 'x') + end;
}

TEST(HttpLimit, HeadAtTheLimitAndOneOver)
{
	EXPECT_EQ((ssize_t)LEAT_HTTP_HEAD_MAX, ParseAll(HeadOf(LEAT_HTTP_HEAD_MAX)).ret);
	EXPECT_EQ(ParseAll(HeadOf(LEAT_HTTP_HEAD_MAX)), ParseBytewise(HeadOf(LEAT_HTTP_HEAD_MAX)));
	ExpectRefused(431, HeadOf(LEAT_HTTP_HEAD_MAX + 1));
	ExpectRefused(431, HeadOf(LEAT_HTTP_HEAD_MAX + 100));
}

TEST(HttpLimit, EmptyLinesDoNotCountToTheHead)
{
	EXPECT_EQ((ssize_t)LEAT_HTTP_HEAD_MAX + 4,
		ParseAll("\r\n\r\n" + HeadOf(LEAT_HTTP_HEAD_MAX)).ret);
	ExpectRefused(431, "\r\n\r\n" + HeadOf(LEAT_HTTP_HEAD_MAX + 1));
}

TEST(HttpLimit, FieldsAtTheLimitAndOneOver)
{
	std::string in = "GET / HTTP/1.1\r\nHost: a\r\n";

	for (unsigned int i = 1; i < LEAT_HTTP_FIELDS_MAX; i++)
		in += "X: " + std::to_string(i) + "\r\n";
	EXPECT_GT(ParseAll(in + "\r\n").ret, 0);
	ExpectRefused(431, in + "One: more\r\n\r\n");
}

TEST(HttpLimit, BodyAtTheLimitAndOneOver)
{
	std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n";
	std::string in = "\r\n" + head + std::string(100, 'b');

	EXPECT_EQ((ssize_t)in.size(), ParseAll(in, in.size()).ret);
	ExpectRefused(413, in, in.size() - 1);
	ExpectRefused(413, "\r\n" + head, in.size() - 1); // before the body comes
}

TEST(HttpLimit, HeadHoldsASmallRequestMaxToo)
{
	std::string in = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

	EXPECT_EQ((ssize_t)in.size(), ParseAll(in, in.size()).ret);
	ExpectRefused(431, in, in.size() - 1);
	ExpectRefused(431, in, 5);
}

} // namespace
