// SPDX-License-Identifier: BSD-3-Clause

// Requests of HTTP from who has not given the password: what is taken in of them.

#include <string>

#include <gtest/gtest.h>

#include "sbe_serve.h"

namespace
{

constexpr size_t kBodyMax = 16384;

const std::string kPassword = "Authorization: Bearer secret\r\n";
const std::string kOk = "HTTP/1.1 200 OK\r\n";
const std::string kUnauthorized =
	"HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n"
	"WWW-Authenticate: Basic realm=\"leat\", charset=\"UTF-8\"\r\n"
	"WWW-Authenticate: Bearer realm=\"leat\"\r\nConnection: close\r\n\r\n";

std::string
Head(const std::string &method, const std::string &target, const std::string &fields = "")
{
	return method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::string
Length(size_t len)
{
	return "Content-Length: " + std::to_string(len) + "\r\n";
}

const std::string kChunked = "Transfer-Encoding: chunked\r\n";

class ProtocolGuest : public testing::Test
{
      protected:
	ProtocolGuest()
	{
		serve.shard.server.requirepass = "secret";
	}

	// The first line of the answer, and whether the connection is over.
	std::string Status(const std::string &in)
	{
		const std::string out = serve.Ask(in, ++id);

		return out.substr(0, out.find('\r')) + (serve.At(id).is_closed ? " closed" : "");
	}

	bool HasInterim()
	{
		Serve::Conn &conn = serve.At(id);

		return conn.protocol->interim(&conn.state).len > 0;
	}

	Serve serve{ "http" };
	uint64_t id = 0;
};

// RFC 9110 section 15.5.2, RFC 9112 section 9.6.
TEST_F(ProtocolGuest, ABodyWithoutThePasswordIsRefusedWhenItsHeadIsWhole)
{
	const std::string head = Head("PUT", "/v1/kv/k", Length(3000000));

	EXPECT_EQ("", serve.Ask(head.substr(0, head.size() - 1)));
	EXPECT_EQ(kUnauthorized + "Unauthorized\n", serve.Ask(head.substr(head.size() - 1)));
	EXPECT_TRUE(serve.At(1).is_closed);
}

TEST_F(ProtocolGuest, SoIsAShortOneHoweverItComes)
{
	const std::string bodies[] = { Length(1) + "\r\nx", kChunked + "\r\n1\r\nx\r\n0\r\n\r\n",
		kChunked + "\r\nno size\r\n" };

	for (const std::string &body : bodies) {
		const std::string in = "PUT /v1/kv/k HTTP/1.1\r\nHost: a\r\n" + body;
		std::string out;

		id++;
		for (char byte : in) {
			if (!serve.At(id).is_closed)
				out += serve.Ask(std::string(1, byte), id);
		}
		EXPECT_EQ(kUnauthorized + "Unauthorized\n", out) << body;
		EXPECT_EQ(out, serve.Ask(in, ++id)) << body;
		EXPECT_TRUE(serve.At(id).is_closed);
	}
	EXPECT_EQ(0u, leat_store_nb_keys(serve.shard.ctx.store));
}

TEST_F(ProtocolGuest, OfEachMethodAndWhateverThePath)
{
	for (const char *path : { "/v1/kv/k", "/nothing", "/health", "/v1/kv/%" }) {
		for (const char *method : { "PUT", "POST", "DELETE", "OPTIONS", "BREW" })
			EXPECT_EQ("HTTP/1.1 401 Unauthorized closed",
				Status(Head(method, path, Length(1))))
				<< method << " " << path;
	}
	EXPECT_EQ("HTTP/1.1 401 Unauthorized closed",
		Status(Head("PUT", "/v1/kv/k", "Authorization: Bearer secre\r\n" + Length(1))));
	EXPECT_EQ(kUnauthorized, serve.Ask(Head("HEAD", "/headers", Length(1)), ++id));
}

TEST_F(ProtocolGuest, WithoutABodyTheConnectionGoesOn)
{
	EXPECT_EQ("HTTP/1.1 401 Unauthorized", Status(Head("GET", "/v1/kv/k")));
	EXPECT_EQ("HTTP/1.1 401 Unauthorized", Status(Head("DELETE", "/v1/kv/k", Length(0))));
	EXPECT_EQ(kOk, serve.Ask(Head("GET", "/health"), id).substr(0, kOk.size()));
}

// RFC 9110 section 10.1.1: a final status instead of 100 (Continue).
TEST_F(ProtocolGuest, NobodyIsToldToGoOnWithoutThePassword)
{
	const std::string fields = Length(5) + "Expect: 100-continue\r\n";

	EXPECT_EQ("HTTP/1.1 401 Unauthorized closed", Status(Head("PUT", "/v1/kv/k", fields)));
	EXPECT_FALSE(HasInterim());
	EXPECT_EQ("", Status(Head("PUT", "/v1/kv/k", kPassword + fields)));
	EXPECT_TRUE(HasInterim());
	EXPECT_EQ("HTTP/1.1 201 Created\r\n", serve.Ask("hello", id).substr(0, 22));
	EXPECT_EQ("", Status(Head("GET", "/health", fields)));
	EXPECT_TRUE(HasInterim()) << "a guest's own";
}

TEST_F(ProtocolGuest, WhoBringsThePasswordMaySendABodyOfAnyLength)
{
	const std::string body(1000000, 'x');

	EXPECT_EQ("", Status(Head("POST", "/echo", kPassword + Length(body.size()))));
	EXPECT_NE(std::string::npos, serve.Ask(body, id).find("\r\n\r\nxxx"));
	EXPECT_EQ("", Status(Head("POST", "/echo", kPassword + kChunked)));
	EXPECT_EQ("", serve.Ask("f4240\r\n" + body + "\r\n", id));
	EXPECT_NE(std::string::npos, serve.Ask("0\r\n\r\n", id).find("\r\n\r\nxxx"));
	EXPECT_EQ("HTTP/1.1 401 Unauthorized closed", Status(Head("POST", "/echo", Length(1))));
}

TEST_F(ProtocolGuest, WhereNoneIsNeededABodyAtTheLimitAndOneOver)
{
	const std::string ok = "HTTP/1.1 200 OK";
	const std::string longest(kBodyMax, 'x');

	EXPECT_EQ(ok, Status(Head("GET", "/health", Length(kBodyMax)) + longest));
	EXPECT_EQ("HTTP/1.1 413 Content Too Large closed",
		Status(Head("GET", "/health", Length(kBodyMax + 1))));
	// Chunked: with what is around its chunks.
	const std::string chunk(kBodyMax - 13, 'x');
	const std::string head = Head("GET", "/health", kChunked);
	EXPECT_EQ(ok, Status(head + "3ff3\r\n" + chunk + "\r\n0\r\n\r\n"));
	EXPECT_EQ("", Status(head + "1\r\nx\r\n"));
	EXPECT_EQ("HTTP/1.1 413 Content Too Large closed", Status(head + "3ff9\r\n"));
	EXPECT_EQ("HTTP/1.1 413 Content Too Large closed", Status(head + "1\r\nx\r\n3ff3\r\n"));
}

// A limit of all requests that is lower than that of guests holds for these, too.
TEST_F(ProtocolGuest, NoMoreThanEverybodyMay)
{
	serve.limits.request_max = 100;
	EXPECT_EQ("HTTP/1.1 413 Content Too Large closed",
		Status(Head("GET", "/health", Length(100))));
	EXPECT_EQ("HTTP/1.1 413 Content Too Large closed",
		Status(Head("GET", "/health", kChunked) + "40\r\n"));
}

TEST_F(ProtocolGuest, ASecondAuthorizationIsRefusedWhicheverIsRight)
{
	const std::string wrong = "Authorization: Bearer no\r\n";

	for (const std::string &fields : { wrong + kPassword, kPassword + wrong })
		EXPECT_EQ(
			"HTTP/1.1 400 Bad Request closed", Status(Head("GET", "/headers", fields)));
}

// The caller could not go on, and the same bytes come again.
TEST_F(ProtocolGuest, AfterARewindTheHeadIsJudgedAgain)
{
	const std::string in =
		Head("POST", "/echo", kPassword + Length(kBodyMax + 1)) + std::string(9, 'x');
	Serve::Conn &conn = serve.At(1);

	EXPECT_EQ("", serve.Ask(in));
	conn.protocol->rewind(&conn.state);
	EXPECT_EQ(kOk, serve.Ask(std::string(kBodyMax - 8, 'x')).substr(0, kOk.size()));
}

} // namespace
