// SPDX-License-Identifier: BSD-3-Clause

// Chunked requests (RFC 9112 section 7): what is delivered, and the limits.

#include "http_fixture.h"

namespace
{

const std::string kHead = "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

// Both ways of arrival end in the same refusal.
void
ExpectRefused(int status, const std::string &in, size_t request_max = kRequestMax)
{
	Parsed p = ParseAll(in, request_max);

	EXPECT_EQ(status, p.status);
	EXPECT_EQ(status == 413 || status == 431 ? -EMSGSIZE : -EBADMSG, p.ret);
	EXPECT_EQ(p, ParseBytewise(in, request_max));
}

TEST(HttpChunk, PiecesAreTheChunks)
{
	Parsed p = ParseAll(kHead + "3\r\nabc\r\n5;x=y\r\n\r\n0\r\n\r\n0\r\n\r\n");

	EXPECT_EQ((std::vector<std::string>{ "abc", "\r\n0\r\n" }), p.pieces);
	EXPECT_EQ("", p.trailers);
}

TEST(HttpChunk, PiecesLieInTheInput)
{
	std::string in = kHead + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
	leat_http_limits limits = { kRequestMax, 0 };
	leat_http_parser parser = {};
	leat_slice pieces[2] = {};
	leat_http_request req = {};

	req.body.pieces = pieces;
	req.body.pieces_max = 2;
	EXPECT_EQ((ssize_t)in.size(), leat_http_parse_request(&parser, &limits,
					      { (const uint8_t *)in.data(), in.size() }, &req));
	EXPECT_EQ(2u, req.body.nb_pieces);
	EXPECT_TRUE(req.body.is_chunked);
	EXPECT_EQ((const uint8_t *)in.data() + kHead.size() + 3, pieces[0].data);
	EXPECT_EQ((const uint8_t *)in.data() + kHead.size() + 11, pieces[1].data);
}

// What is filled once is filled anew.
TEST(HttpChunk, ARequestStructMayBeUsedAgain)
{
	leat_http_limits limits = { kRequestMax, 0 };
	leat_http_parser parser = {};
	leat_slice piece = {};
	leat_http_request req = {};

	req.body.pieces = &piece;
	req.body.pieces_max = 1;
	EXPECT_GT(leat_http_parse_request(&parser, &limits,
			  leat_slice_str((kHead + "1\r\na\r\n0\r\nX: y\r\n\r\n").c_str()), &req),
		0);
	EXPECT_TRUE(req.body.is_chunked);
	EXPECT_GT(leat_http_parse_request(&parser, &limits,
			  leat_slice_str("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), &req),
		0);
	EXPECT_FALSE(req.body.is_chunked);
	EXPECT_EQ(0u, req.body.len);
	EXPECT_EQ(0u, req.body.nb_pieces);
	EXPECT_EQ("", Fields(req.body.trailers));
}

TEST(HttpChunk, TrailersStayApartFromTheHead)
{
	Parsed p = ParseAll(kHead + "0\r\nX-Sum: 7\r\nEmpty:\r\nConnection: close\r\n\r\n");

	EXPECT_EQ("X-Sum=7;Empty=;Connection=close;", p.trailers);
	EXPECT_EQ("Host=a;Transfer-Encoding=chunked;", p.fields);
	EXPECT_TRUE(p.is_keep_alive);
}

TEST(HttpChunk, PipelinedBehindAChunkedBody)
{
	std::string one = kHead + "1\r\na\r\n0\r\n\r\n";
	std::string in = one + one + one;
	leat_http_parser parser = {};

	for (int i = 0; i < 3; i++) {
		EXPECT_EQ((ssize_t)one.size(), ParseMore(&parser, in).ret);
		in.erase(0, one.size());
	}
}

TEST(HttpChunk, EveryProperPrefixIsIncomplete)
{
	std::string in = kHead + "3;a=\"b\"\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n";

	for (size_t len = 0; len < in.size(); len++)
		EXPECT_EQ(0, ParseAll(in.substr(0, len)).ret) << len;
	EXPECT_EQ(ParseAll(in), ParseBytewise(in));
}

TEST(HttpChunk, WithoutRoomForThePiecesItMayComeAgain)
{
	std::string in = kHead + "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n";
	leat_http_parser parser = {};

	EXPECT_EQ(-ENOBUFS, ParseMore(&parser, in, kRequestMax, 2).ret);
	EXPECT_EQ(-ENOBUFS, ParseMore(&parser, in, kRequestMax, 0).ret);
	EXPECT_EQ("abc", ParseMore(&parser, in, kRequestMax, 3).body);
}

TEST(HttpChunk, WithoutRoomForTheOnlyPiece)
{
	std::string in = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na";
	leat_http_parser parser = {};

	EXPECT_EQ(-ENOBUFS, ParseMore(&parser, in, kRequestMax, 0).ret);
	EXPECT_EQ("a", ParseMore(&parser, in, kRequestMax, 1).body);
}

TEST(HttpChunk, NoRoomIsNeededForNoBody)
{
	leat_http_parser parser = {};

	EXPECT_GT(ParseMore(&parser, kHead + "0\r\n\r\n", kRequestMax, 0).ret, 0);
}

TEST(HttpChunk, ContinueIsDueBeforeTheFirstChunk)
{
	std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
			   "Transfer-Encoding: chunked\r\n\r\n";
	leat_http_parser parser = {};

	EXPECT_TRUE(ParseMore(&parser, head).has_continue);
	EXPECT_FALSE(ParseMore(&parser, head + "1").has_continue);
	EXPECT_EQ("a", ParseMore(&parser, head + "1\r\na\r\n0\r\n\r\n").body);
	EXPECT_FALSE(ParseAll(head + "1").has_continue);
}

TEST(HttpChunkLimit, PiecesAtTheLimitAndOneOver)
{
	std::string in = kHead;

	for (uint32_t i = 0; i < LEAT_HTTP_PIECES_MAX; i++)
		in += "1\r\na\r\n";
	for (bool is_over : { false, true }) {
		std::string end = is_over ? "1\r\na\r\n0\r\n\r\n" : "0\r\n\r\n";
		leat_http_parser parser = {};
		Parsed p = ParseMore(&parser, in + end, 1 << 20, LEAT_HTTP_PIECES_MAX + 1);

		EXPECT_EQ(is_over ? 413 : 0, p.status);
		EXPECT_EQ(is_over ? 0 : (size_t)LEAT_HTTP_PIECES_MAX, p.pieces.size());
	}
}

TEST(HttpChunkLimit, PiecesThatTheCallerAllowsAndOneMore)
{
	leat_http_limits limits = { kRequestMax, 2 };
	std::string two = kHead + "1\r\na\r\n1\r\nb\r\n";

	for (const char *end : { "0\r\n\r\n", "1\r\nc\r\n0\r\n\r\n" }) {
		std::string in = two + end;
		leat_http_parser parser = {};
		leat_slice pieces[8];
		leat_http_request req = {};
		bool is_over = in.size() > two.size() + 5;

		req.body.pieces = pieces;
		req.body.pieces_max = 8;
		EXPECT_EQ(is_over ? -EMSGSIZE : (ssize_t)in.size(),
			leat_http_parse_request(
				&parser, &limits, { (const uint8_t *)in.data(), in.size() }, &req));
		EXPECT_EQ(is_over ? 413 : 0, req.status);
	}
}

TEST(HttpChunkLimit, ChunkLineAtTheLimitAndOneOver)
{
	std::string line = "1;" + std::string(LEAT_HTTP_CHUNK_LINE_MAX - 2, 'x');

	EXPECT_EQ("a", ParseAll(kHead + line + "\r\na\r\n0\r\n\r\n").body);
	EXPECT_EQ("a", ParseBytewise(kHead + line + "\r\na\r\n0\r\n\r\n").body);
	ExpectRefused(413, kHead + line + "x\r\na\r\n0\r\n\r\n");
	ExpectRefused(413, kHead + line + "xx");
}

TEST(HttpChunkLimit, TrailersAtTheLimitAndOneOver)
{
	std::string trailers = "A: b\r\nX: " + std::string(LEAT_HTTP_TRAILERS_MAX - 13, 'x');
	std::string in = kHead + "0\r\n" + trailers;

	EXPECT_EQ((ssize_t)in.size() + 4, ParseAll(in + "\r\n\r\n").ret);
	EXPECT_EQ((ssize_t)in.size() + 4, ParseBytewise(in + "\r\n\r\n").ret);
	ExpectRefused(431, in + "x\r\n\r\n");
}

TEST(HttpChunkLimit, FieldsOfHeadAndTrailersAtTheLimitAndOneOver)
{
	std::string in = kHead + "0\r\n";

	for (unsigned int i = 2; i < LEAT_HTTP_FIELDS_MAX; i++)
		in += "X: y\r\n";
	EXPECT_GT(ParseAll(in + "\r\n").ret, 0);
	ExpectRefused(431, in + "One: more\r\n\r\n");
}

// The limit counts all that has to be kept, the lines of the chunks among them.
TEST(HttpChunkLimit, MessageAtTheLimitAndOneOver)
{
	std::string in = kHead + "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n";

	EXPECT_EQ((ssize_t)in.size(), ParseAll(in, in.size()).ret);
	EXPECT_EQ((ssize_t)in.size(), ParseBytewise(in, in.size()).ret);
	for (size_t max = kHead.size(); max < in.size(); max++)
		ExpectRefused(max < in.size() - 8 ? 413 : 431, in, max);
}

} // namespace
