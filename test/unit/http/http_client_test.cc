// SPDX-License-Identifier: BSD-3-Clause

// Responses: what is read, where each ends, what is refused, and the limits.

#include <leat_http_client.h>

#include "http_fixture.h"

namespace
{

// What came of one response, copied out of the bytes.
struct Response {
	ssize_t ret = 0;
	int status = 0;
	int minor = 0;
	bool is_keep_alive = false;
	std::string reason;
	std::string fields;
	std::string trailers;
	std::vector<std::string> pieces;

	bool operator==(const Response &other) const
	{
		return ret == other.ret && status == other.status && minor == other.minor &&
		       is_keep_alive == other.is_keep_alive && reason == other.reason &&
		       fields == other.fields && trailers == other.trailers &&
		       pieces == other.pieces;
	}
};

std::ostream &
operator<<(std::ostream &os, const Response &r)
{
	return os << "ret " << r.ret << " status " << r.status << " keep-alive " << r.is_keep_alive
		  << " reason '" << r.reason << "' fields '" << r.fields << "' body '"
		  << Join(r.pieces) << "'";
}

constexpr uint32_t kPiecesMax = 16;

// One call on a copy of exactly the bytes; @p is_end: the peer closed behind them.
Response
ReadMore(leat_http_parser *parser, const std::string &in, bool is_end = false,
	size_t message_max = kRequestMax, uint32_t pieces_max = kPiecesMax)
{
	std::unique_ptr<uint8_t[]> bytes(new uint8_t[in.size()]);
	leat_http_limits limits = { message_max, 0 };
	leat_http_client_response res = {};
	leat_slice pieces[kPiecesMax];
	Response r;

	in.copy((char *)bytes.get(), in.size());
	res.body.pieces = pieces;
	res.body.pieces_max = pieces_max;
	leat_slice slice = { bytes.get(), in.size() };
	r.ret = is_end ? leat_http_end_response(parser, slice, &res)
		       : leat_http_parse_response(parser, &limits, slice, &res);
	if (r.ret <= 0 && !(is_end && r.ret == 0))
		return r;
	r.status = res.status;
	r.minor = res.minor;
	r.is_keep_alive = res.is_keep_alive;
	r.reason = String(res.reason);
	r.fields = Fields(res.fields);
	r.trailers = Fields(res.body.trailers);
	r.pieces = Pieces(res.body);
	return r;
}

Response
ReadAll(const std::string &in, leat_http_method method = LEAT_HTTP_GET,
	size_t message_max = kRequestMax)
{
	leat_http_parser parser;

	leat_http_begin_response(&parser, method);
	return ReadMore(&parser, in, false, message_max);
}

Response
ReadBytewise(const std::string &in, leat_http_method method = LEAT_HTTP_GET,
	size_t message_max = kRequestMax)
{
	leat_http_parser parser;
	Response r;

	leat_http_begin_response(&parser, method);
	for (size_t len = 0; len <= in.size() && r.ret == 0; len++)
		r = ReadMore(&parser, in.substr(0, len), false, message_max);
	return r;
}

void
ExpectRefused(ssize_t ret, const std::string &in, size_t message_max = kRequestMax)
{
	EXPECT_EQ(ret, ReadAll(in, LEAT_HTTP_GET, message_max).ret) << in.substr(0, 100);
	EXPECT_EQ(ret, ReadBytewise(in, LEAT_HTTP_GET, message_max).ret) << in.substr(0, 100);
}

const char kChunked[] = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n"
			"2;a\r\nab\r\n1\r\nc\r\n0\r\nT: u\r\n\r\n";

const char *const kGood[] = {
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nX: y\r\n\r\n",
	kChunked,
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 299\r\nContent-Length: 0\r\n\r\n",
};

TEST(HttpClient, ContentLength)
{
	Response r = ReadAll("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhelloHTTP");

	EXPECT_EQ(49, r.ret);
	EXPECT_EQ(200, r.status);
	EXPECT_EQ(1, r.minor);
	EXPECT_TRUE(r.is_keep_alive);
	EXPECT_EQ("OK", r.reason);
	EXPECT_EQ("Content-Length=5;X=y;", r.fields);
	EXPECT_EQ((std::vector<std::string>{ "hello" }), r.pieces);
}

TEST(HttpClient, ChunksAndTrailers)
{
	Response r = ReadAll(kChunked);

	EXPECT_EQ("", r.reason);
	EXPECT_EQ((std::vector<std::string>{ "ab", "c" }), r.pieces);
	EXPECT_EQ("T=u;", r.trailers);
}

TEST(HttpClient, EveryProperPrefixIsIncomplete)
{
	for (std::string in : kGood) {
		for (size_t len = 0; len < in.size(); len++)
			EXPECT_EQ(0, ReadAll(in.substr(0, len)).ret) << in << " " << len;
		EXPECT_EQ((ssize_t)in.size(), ReadAll(in).ret) << in;
	}
}

TEST(HttpClient, ByteAtATimeAndEveryCutEqualAllAtOnce)
{
	for (std::string in : kGood) {
		EXPECT_EQ(ReadAll(in), ReadBytewise(in));
		for (size_t len = 0; len < in.size(); len++) {
			leat_http_parser parser;

			leat_http_begin_response(&parser, LEAT_HTTP_GET);
			EXPECT_EQ(0, ReadMore(&parser, in.substr(0, len)).ret);
			EXPECT_EQ(ReadAll(in), ReadMore(&parser, in)) << in << " at " << len;
		}
	}
}

// RFC 9112 section 6.3: what a length says in these is of a response that was not sent.
TEST(HttpClient, ResponsesWithoutBody)
{
	const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
	const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

	EXPECT_EQ((ssize_t)head.size(), ReadAll(head + "HTTP/", LEAT_HTTP_HEAD).ret);
	EXPECT_EQ((ssize_t)chunked.size(), ReadAll(chunked, LEAT_HTTP_HEAD).ret);
	EXPECT_EQ((ssize_t)head.size(), ReadAll(head, LEAT_HTTP_CONNECT).ret);
	EXPECT_FALSE(ReadAll(head, LEAT_HTTP_CONNECT).is_keep_alive);
	EXPECT_EQ(
		0, ReadAll("HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\n", LEAT_HTTP_CONNECT).ret);
	for (const char *status : { "204", "304", "100", "103" }) {
		std::string in = "HTTP/1.1 " + std::string(status) +
				 " X\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";

		EXPECT_EQ((ssize_t)in.size(), ReadAll(in + "5").ret) << status;
		EXPECT_TRUE(ReadAll(in).pieces.empty());
	}
}

TEST(HttpClient, InterimResponsesBeforeTheFinalOne)
{
	std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
	std::string final = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
	leat_http_parser parser;

	leat_http_begin_response(&parser, LEAT_HTTP_HEAD);
	EXPECT_EQ(100, ReadMore(&parser, interim + final).status);
	EXPECT_EQ((ssize_t) final.size(), ReadMore(&parser, final).ret);
}

TEST(HttpClient, SwitchingProtocolsEndsHttp)
{
	EXPECT_FALSE(ReadAll("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nxyz").is_keep_alive);
	EXPECT_TRUE(ReadAll("HTTP/1.1 103 Hints\r\n\r\n").is_keep_alive);
}

TEST(HttpClient, BodyUntilClose)
{
	std::string in = "HTTP/1.1 200 OK\r\n\r\nall of it";
	leat_http_parser parser;

	leat_http_begin_response(&parser, LEAT_HTTP_GET);
	EXPECT_EQ(0, ReadMore(&parser, in.substr(0, 21)).ret);
	EXPECT_EQ(0, ReadMore(&parser, in).ret);
	EXPECT_EQ(-ENOBUFS, ReadMore(&parser, in, true, kRequestMax, 0).ret);
	Response r = ReadMore(&parser, in, true);
	EXPECT_EQ((ssize_t)in.size(), r.ret);
	EXPECT_EQ("all of it", Join(r.pieces));
	EXPECT_FALSE(r.is_keep_alive);
}

TEST(HttpClient, EmptyBodyUntilClose)
{
	std::string in = "HTTP/1.0 200 OK\r\n\r\n";
	leat_http_parser parser;

	leat_http_begin_response(&parser, LEAT_HTTP_GET);
	EXPECT_EQ(0, ReadMore(&parser, in).ret);
	EXPECT_EQ((ssize_t)in.size(), ReadMore(&parser, in, true).ret);
}

TEST(HttpClient, CloseElsewhereCutsTheResponse)
{
	for (const char *in : { "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nX: y\r\n",
		     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
		     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n" }) {
		leat_http_parser parser;

		leat_http_begin_response(&parser, LEAT_HTTP_GET);
		EXPECT_EQ(0, ReadMore(&parser, in).ret);
		EXPECT_EQ(-EBADMSG, ReadMore(&parser, in, true).ret) << in;
	}
}

TEST(HttpClient, WithoutRoomForThePiecesItMayComeAgain)
{
	leat_http_parser parser;

	leat_http_begin_response(&parser, LEAT_HTTP_GET);
	EXPECT_EQ(-ENOBUFS, ReadMore(&parser, kChunked, false, kRequestMax, 1).ret);
	EXPECT_EQ("abc", Join(ReadMore(&parser, kChunked, false, kRequestMax, 2).pieces));
}

TEST(HttpClient, KeepAliveRules)
{
	const std::string end = "Content-Length: 0\r\n\r\n";

	EXPECT_TRUE(ReadAll("HTTP/1.1 200 OK\r\n" + end).is_keep_alive);
	EXPECT_FALSE(ReadAll("HTTP/1.1 200 OK\r\nConnection: close\r\n" + end).is_keep_alive);
	EXPECT_FALSE(ReadAll("HTTP/1.0 200 OK\r\n" + end).is_keep_alive);
	EXPECT_TRUE(ReadAll("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + end).is_keep_alive);
}

TEST(HttpClient, HostAndExpectMeanNothingInAResponse)
{
	EXPECT_GT(ReadAll("HTTP/1.1 200 OK\r\nHost: a b\r\nHost: c\r\nExpect: x\r\n"
			  "Content-Length: 0\r\n\r\n")
			  .ret,
		0);
}

TEST(HttpClientRefuse, StatusLines)
{
	for (const char *line : { "", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000",
		     "HTTP/1.1 2x0 OK", "HTTP/1.1 099 OK", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK",
		     "HTTP/2.0 200 OK", "HTTP/1.x 200 OK", "http/1.1 200 OK", "ICY 200 OK",
		     "HTTP/1.1 200\tOK", "HTTP/1.1 200 O\x01K", "HTTP/1.1 200 O\rK", "garbage" })
		for (const char *next : { "", "HTTP/1.1 200 OK\r\n" })
			ExpectRefused(-EBADMSG,
				std::string(line) + "\r\n" + next + "Content-Length: 0\r\n\r\n");
	ExpectRefused(-EBADMSG, "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n");
}

TEST(HttpClientRefuse, FramingThatIsReadInTwoWays)
{
	for (const char *fields : { "Content-Length: 1\r\nContent-Length: 1",
		     "Content-Length: 1, 1", "Content-Length: x", "Content-Length:",
		     "Content-Length: 1\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip",
		     "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
		     "Transfer-Encoding: chunked\r\nContent-Length: 1",
		     "Transfer-Encoding:", "Content-Length : 1", " X: y", "X" })
		ExpectRefused(
			-EBADMSG, "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n\r\n1\r\n");
	ExpectRefused(-EBADMSG, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	ExpectRefused(-EBADMSG, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n");
}

TEST(HttpClientLimit, StatusLineAtTheLimitAndOneOver)
{
	std::string start = "HTTP/1.1 200 ";
	std::string line = start + std::string(LEAT_HTTP_LINE_MAX - start.size(), 'r');
	std::string rest = "\r\nContent-Length: 0\r\n\r\n";

	EXPECT_GT(ReadAll(line + rest).ret, 0);
	ExpectRefused(-EMSGSIZE, line + "r" + rest);
}

TEST(HttpClientLimit, HeadAtTheLimitAndOneOver)
{
	std::string start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ";
	std::string head = start + std::string(LEAT_HTTP_HEAD_MAX - start.size() - 4, 'x');

	EXPECT_EQ((ssize_t)LEAT_HTTP_HEAD_MAX, ReadAll(head + "\r\n\r\n").ret);
	ExpectRefused(-EMSGSIZE, head + "x\r\n\r\n");
}

TEST(HttpClientLimit, FieldsAtTheLimitAndOneOver)
{
	std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";

	for (unsigned int i = 1; i < LEAT_HTTP_FIELDS_MAX; i++)
		head += "X: y\r\n";
	EXPECT_GT(ReadAll(head + "\r\n").ret, 0);
	ExpectRefused(-EMSGSIZE, head + "One: more\r\n\r\n");
}

TEST(HttpClientLimit, ChunkLineAndTrailersAtTheLimitAndOneOver)
{
	std::string head = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n";
	std::string line = "1;" + std::string(LEAT_HTTP_CHUNK_LINE_MAX - 2, 'x');
	std::string trailer = "X: " + std::string(LEAT_HTTP_TRAILERS_MAX - 7, 'x');

	EXPECT_GT(ReadAll(head + line + "\r\na\r\n0\r\n\r\n").ret, 0);
	ExpectRefused(-EMSGSIZE, head + line + "x\r\na\r\n0\r\n\r\n");
	EXPECT_GT(ReadAll(head + "0\r\n" + trailer + "\r\n\r\n").ret, 0);
	ExpectRefused(-EMSGSIZE, head + "0\r\n" + trailer + "x\r\n\r\n");
}

TEST(HttpClientLimit, PiecesAtTheLimitAndOneOver)
{
	std::string in = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n";
	leat_http_limits limits = { kRequestMax, 0 };

	for (uint32_t i = 0; i < LEAT_HTTP_PIECES_MAX; i++)
		in += "1\r\na\r\n";
	for (bool is_over : { false, true }) {
		std::string all = in + (is_over ? "1\r\nb\r\n" : "") + "0\r\n\r\n";
		std::vector<leat_slice> pieces(LEAT_HTTP_PIECES_MAX + 1);
		leat_http_client_response res = {};
		leat_http_parser parser;

		res.body.pieces = pieces.data();
		res.body.pieces_max = (uint32_t)pieces.size();
		leat_http_begin_response(&parser, LEAT_HTTP_GET);
		EXPECT_EQ(is_over ? -EMSGSIZE : (ssize_t)all.size(),
			leat_http_parse_response(
				&parser, &limits, leat_slice_str(all.c_str()), &res));
	}
}

TEST(HttpClientLimit, MessageAtTheLimitAndOneOver)
{
	for (std::string in : kGood) {
		EXPECT_EQ((ssize_t)in.size(), ReadAll(in, LEAT_HTTP_GET, in.size()).ret);
		ExpectRefused(-EMSGSIZE, in, in.size() - 1);
	}
}

TEST(HttpClientLimit, BodyUntilCloseAtTheLimitAndOneOver)
{
	std::string in = "HTTP/1.1 200 OK\r\n\r\n" + std::string(100, 'b');

	EXPECT_EQ(0, ReadAll(in, LEAT_HTTP_GET, in.size()).ret);
	ExpectRefused(-EMSGSIZE, in + "b", in.size());
}

} // namespace
