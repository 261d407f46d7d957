// SPDX-License-Identifier: BSD-3-Clause

#include "http_fixture.h"

namespace
{

const char *const kGood[] = {
	"GET /health HTTP/1.1\r\nHost: a\r\n\r\n",
	"HEAD / HTTP/1.1\r\nHost:\r\n\r\n",
	"\r\n\r\nGET / HTTP/1.1\r\nHost: [fd00::1]:80\r\n\r\n",
	"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
	"POST /echo?a=b&c HTTP/1.0\r\nContent-Length: 005\r\n\r\nhe\r\n\r",
	"GET http://leat.example:8080/a/b?c?d HTTP/1.1\r\nHost: other\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nhOST: a\r\nX-Empty:\r\nX-Text: \t \xc3\xa9 \"q\" \t\r\n\r\n",
	"PUT /x HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\nabc",
};

TEST(HttpParse, Get)
{
	Parsed p = ParseAll("GET /health?v=1 HTTP/1.1\r\nHost: a\r\n\r\nGET");

	EXPECT_EQ(37, p.ret);
	EXPECT_EQ(LEAT_HTTP_GET, p.method);
	EXPECT_EQ(1, p.minor);
	EXPECT_TRUE(p.is_keep_alive);
	EXPECT_EQ(0, p.status);
	EXPECT_EQ("/health?v=1", p.target);
	EXPECT_EQ("/health", p.path);
	EXPECT_EQ("v=1", p.query);
	EXPECT_EQ("", p.body);
}

TEST(HttpParse, PostWithItsBodyOnly)
{
	Parsed p = ParseAll("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloPOST");

	EXPECT_EQ(LEAT_HTTP_POST, p.method);
	EXPECT_EQ("hello", p.body);
	EXPECT_EQ(56, p.ret);
}

TEST(HttpParse, EveryProperPrefixIsIncomplete)
{
	for (std::string in : kGood) {
		for (size_t len = 0; len < in.size(); len++)
			EXPECT_EQ(0, ParseAll(in.substr(0, len)).ret)
				<< in << "\nprefix of " << len << " bytes";
		EXPECT_EQ((ssize_t)in.size(), ParseAll(in).ret) << in;
	}
}

TEST(HttpParse, ByteAtATimeEqualsAllAtOnce)
{
	for (std::string in : kGood)
		EXPECT_EQ(ParseAll(in), ParseBytewise(in)) << in;
}

TEST(HttpParse, EveryCutInTwoEqualsAllAtOnce)
{
	for (std::string in : kGood) {
		for (size_t len = 0; len < in.size(); len++) {
			leat_http_parser parser = {};

			EXPECT_EQ(0, ParseMore(&parser, in.substr(0, len)).ret);
			EXPECT_EQ(ParseAll(in), ParseMore(&parser, in)) << in << " at " << len;
		}
	}
}

TEST(HttpParse, FourPipelinedRequests)
{
	std::string one = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
	std::string in = one + one + one + one;
	leat_http_parser parser = {};

	for (int i = 0; i < 4; i++) {
		EXPECT_EQ((ssize_t)one.size(), ParseMore(&parser, in).ret) << i;
		in.erase(0, one.size());
	}
	EXPECT_EQ(0, ParseMore(&parser, in).ret);
}

TEST(HttpParse, RequestLineCutInTheMethod)
{
	leat_http_parser parser = {};

	EXPECT_EQ(0, ParseMore(&parser, "GE").ret);
	EXPECT_EQ("/health", ParseMore(&parser, "GET /health HTTP/1.1\r\nHost: a\r\n\r\n").path);
}

TEST(HttpParse, TheParserIsReadyForTheNextRequest)
{
	leat_http_parser parser = {};
	leat_http_parser fresh = {};

	EXPECT_GT(
		ParseMore(&parser, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx").ret,
		0);
	EXPECT_EQ(0, memcmp(&fresh, &parser, sizeof(parser)));
}

TEST(HttpParse, KnowsItsMethodsAndNoOther)
{
	const std::pair<const char *, leat_http_method> methods[] = {
		{ "GET", LEAT_HTTP_GET },
		{ "HEAD", LEAT_HTTP_HEAD },
		{ "POST", LEAT_HTTP_POST },
		{ "PUT", LEAT_HTTP_PUT },
		{ "DELETE", LEAT_HTTP_DELETE },
		{ "OPTIONS", LEAT_HTTP_OPTIONS },
		{ "TRACE", LEAT_HTTP_TRACE },
		{ "PATCH", LEAT_HTTP_PATCH },
		{ "get", LEAT_HTTP_METHOD_OTHER },
		{ "BREW", LEAT_HTTP_METHOD_OTHER },
	};

	for (const auto &m : methods) {
		Parsed p = ParseAll(std::string(m.first) + " / HTTP/1.1\r\nHost: a\r\n\r\n");

		EXPECT_GT(p.ret, 0) << m.first;
		EXPECT_EQ(m.second, p.method) << m.first;
	}
	EXPECT_EQ(LEAT_HTTP_CONNECT, ParseAll("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n").method);
}

TEST(HttpParse, SplitsTheTarget)
{
	const struct {
		const char *target;
		const char *path;
		const char *query;
	} table[] = {
		{ "/", "/", "" },
		{ "/a/b%20c", "/a/b%20c", "" },
		{ "/a?", "/a", "" },
		{ "/a?b?c/d", "/a", "b?c/d" },
		{ "//a", "//a", "" },
		{ "http://h", "/", "" },
		{ "http://h?q", "/", "q" },
		{ "HTTPS://h:443/p?q", "/p", "q" },
		{ "http://[::1]/p", "/p", "" },
	};

	for (const auto &row : table) {
		Parsed p =
			ParseAll("GET " + std::string(row.target) + " HTTP/1.1\r\nHost: a\r\n\r\n");

		EXPECT_EQ(row.target, p.target);
		EXPECT_EQ(row.path, p.path) << row.target;
		EXPECT_EQ(row.query, p.query) << row.target;
	}
}

TEST(HttpParse, KeepAliveRules)
{
	const struct {
		const char *version;
		const char *fields;
		bool is_keep_alive;
	} table[] = {
		{ "1.1", "", true },
		{ "1.1", "Connection: close\r\n", false },
		{ "1.1", "Connection: CLOSE\r\n", false },
		{ "1.1", "Connection: TE, close\r\n", false },
		{ "1.1", "Connection: closed\r\n", true },
		{ "1.1", "Connection: keep-alive\r\n", true },
		{ "1.1", "Connection: keep-alive\r\nConnection: close\r\n", false },
		{ "1.0", "", false },
		{ "1.0", "Connection: keep-alive\r\n", true },
		{ "1.0", "Connection: , Keep-Alive ,\r\n", true },
		{ "1.0", "Connection: keep-alive, close\r\n", false },
		{ "1.9", "", true },
	};

	for (const auto &row : table) {
		Parsed p = ParseAll("GET / HTTP/" + std::string(row.version) + "\r\nHost: a\r\n" +
				    row.fields + "\r\n");

		EXPECT_GT(p.ret, 0) << row.fields;
		EXPECT_EQ(row.is_keep_alive, p.is_keep_alive) << row.version << row.fields;
	}
}

TEST(HttpParse, AuthorizationOnceAndWhatLooksLikeIt)
{
	Parsed p = ParseAll("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n"
			    "Authorizatiom: b\r\nProxy-Authorization: c\r\n\r\n");

	EXPECT_GT(p.ret, 0);
	EXPECT_EQ("Host=a;Authorization=Bearer a;Authorizatiom=b;Proxy-Authorization=c;", p.fields);
}

TEST(HttpParse, Http10NeedsNoHost)
{
	Parsed p = ParseAll("GET / HTTP/1.0\r\n\r\n");

	EXPECT_EQ(18, p.ret);
	EXPECT_EQ(0, p.minor);
}

TEST(HttpParse, ContinueIsDueOnceAndOnlyWhileTheBodyIsAwaited)
{
	std::string head =
		"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
	leat_http_parser parser = {};

	EXPECT_FALSE(ParseMore(&parser, head.substr(0, head.size() - 1)).has_continue);
	EXPECT_TRUE(ParseMore(&parser, head).has_continue);
	EXPECT_FALSE(ParseMore(&parser, head).has_continue);
	EXPECT_FALSE(ParseMore(&parser, head + "a").has_continue);
	Parsed p = ParseMore(&parser, head + "ab");
	EXPECT_FALSE(p.has_continue);
	EXPECT_EQ("ab", p.body);
}

TEST(HttpParse, ContinueIsTakenOnce)
{
	leat_http_limits limits = { kRequestMax, 0 };
	leat_http_parser parser = {};
	leat_http_request req = {};

	EXPECT_EQ(0, leat_http_parse_request(&parser, &limits,
			     leat_slice_str("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
					    "Content-Length: 2\r\n\r\n"),
			     &req));
	EXPECT_TRUE(leat_http_take_continue(&parser));
	EXPECT_FALSE(leat_http_take_continue(&parser));
}

TEST(HttpParse, ContinueIsNotDueWhenItWouldBeNoUse)
{
	std::string head = " / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";

	// The body has begun to come.
	EXPECT_FALSE(ParseAll("POST" + head + "Content-Length: 2\r\n\r\na").has_continue);
	// There is none.
	EXPECT_FALSE(ParseBytewise("GET" + head + "\r\n").has_continue);
	EXPECT_GT(ParseBytewise("GET" + head + "\r\n").ret, 0);
	// HTTP/1.0 does not know it (RFC 9110 section 10.1.1).
	EXPECT_FALSE(ParseBytewise("POST / HTTP/1.0\r\nExpect: 100-continue\r\n"
				   "Content-Length: 2\r\n\r\n")
			     .has_continue);
}

// A head alone: what it says, and how much of @p in it is, which what it says points into.
leat_http_request
ParseHead(leat_http_parser *parser, const std::string &in, ssize_t *ret)
{
	leat_http_limits limits = { kRequestMax, 0 };
	leat_http_request req = {};

	*ret = leat_http_parse_head(parser, &limits, leat_slice_str(in.c_str()), &req);
	return req;
}

TEST(HttpParse, AHeadEndsWhereItsBodyBegins)
{
	for (const std::string in : kGood) {
		size_t head_len = in.find("\r\n\r\n", 4) + 4;
		leat_http_parser parser = {};
		ssize_t ret = 0;

		for (size_t len = 0; len < head_len; len++) {
			ParseHead(&parser, in.substr(0, len), &ret);
			EXPECT_EQ(0, ret) << in << "\nprefix of " << len << " bytes";
		}
		leat_http_request req = ParseHead(&parser, in, &ret);
		EXPECT_EQ((ssize_t)head_len, ret) << in;
		EXPECT_EQ(in.size() - head_len, req.body.len) << in;
		EXPECT_EQ(0u, req.body.nb_pieces);
		EXPECT_FALSE(req.body.is_chunked);
		EXPECT_EQ(ParseAll(in), ParseMore(&parser, in)) << in;
	}
}

TEST(HttpParse, AHeadIsReadWhateverIsWrongBehindIt)
{
	const std::string head =
		"POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
	const std::string in = head + "no size\r\n";
	leat_http_parser parser = {};
	ssize_t ret;
	leat_http_request req = ParseHead(&parser, in, &ret);

	EXPECT_EQ((ssize_t)head.size(), ret);
	EXPECT_EQ("/p", String(req.path));
	EXPECT_TRUE(req.body.is_chunked);
	EXPECT_EQ(0u, req.body.len);
}

TEST(HttpParse, AHeadIsRefusedAsARequestIs)
{
	leat_http_parser parser = {};
	ssize_t ret;

	EXPECT_EQ(400, ParseHead(&parser, "GET / HTTP/1.1\r\n\r\n", &ret).status);
	EXPECT_EQ(-EBADMSG, ret);
	parser = {};
	EXPECT_EQ(413, ParseHead(&parser,
			       "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n", &ret)
			       .status);
	EXPECT_EQ(-EMSGSIZE, ret);
}

} // namespace
