// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <leat_protocol.h>

#include "shard.h"

namespace
{

constexpr uint64_t kDateMs = 784111777000u; // Sun, 06 Nov 1994 08:49:37
const char kDate[] = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

std::string
String(leat_slice s)
{
	return s.len == 0 ? "" : std::string((const char *)s.data, s.len);
}

// One connection: what comes in, what goes out.
class ProtocolHttp : public testing::Test
{
      protected:
	void SetUp() override
	{
		ASSERT_NE(nullptr, http);
		leat_client_init(&client, 1, kNowUs);
		shard.ctx.client = &client;
	}

	ssize_t Decode(const std::string &in)
	{
		leat_slice bytes = { (const uint8_t *)in.data(), in.size() };

		memset(&req, 0x5a, sizeof(req));
		return http->decode(&state, &limits, bytes, &req, argv, kRoom);
	}

	void Answer()
	{
		reply.ops = http->reply;
		reply.writer = &w;
		reply.flags = req.reply_flags;
		reply.wall_ms = kDateMs;
		leat_writer_init(&w, buf, sizeof(buf));
		if (req.refusal != 0)
			http->refuse(&req, &reply);
		else
			leat_command_execute(&shard.ctx, &req, &reply);
	}

	std::string Written()
	{
		EXPECT_FALSE(w.failed);
		return std::string((char *)buf, (size_t)(w.pos - buf));
	}

	// The replies to a whole stream, up to and with the one that closes.
	std::string Serve(std::string in)
	{
		std::string out;

		while (!in.empty()) {
			ssize_t ret = Decode(in);
			if (ret == 0)
				break;
			Answer();
			out += Written();
			if (req.close)
				return out + "<closed>";
			EXPECT_GT(ret, 0);
			in.erase(0, (size_t)ret);
		}
		return out;
	}

	// A request for a command that takes none of its bytes, to be answered by hand.
	void Get(const std::string &method = "GET")
	{
		ASSERT_GT(Decode(method + " /health HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
		Answer();
		leat_writer_init(&w, buf, sizeof(buf));
	}

	static std::string Head(const std::string &status, const std::string &type, size_t len,
		const std::string &more = "")
	{
		return "HTTP/1.1 " + status + "\r\n" + kDate + "Content-Type: " + type +
		       "\r\nContent-Length: " + std::to_string(len) + "\r\n" + more + "\r\n";
	}

	const leat_protocol *http = leat_protocol_find("http");
	leat_protocol_state state = {};
	static constexpr uint32_t kRoom = 1024;

	Shard shard;
	leat_client client = {};
	leat_protocol_limits limits = { 4096, kRoom, 0, 0, false, nullptr, nullptr };
	leat_request req = {};
	leat_slice argv[kRoom] = {};
	leat_reply reply = {};
	leat_writer w = {};
	uint8_t buf[8192];
};

const char kGet[] = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(ProtocolHttp, Health)
{
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok", Serve(kGet));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD, req.argv_len);
	EXPECT_EQ(1u, shard.stats.nb_commands);
}

TEST_F(ProtocolHttp, HeadOfHealthHasItsLengthAndNoBody)
{
	EXPECT_EQ(
		Head("200 OK", "text/plain", 2), Serve("HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_F(ProtocolHttp, EchoGivesTheBodyBack)
{
	EXPECT_EQ(Head("200 OK", "application/octet-stream", 5) + "he\r\nl",
		Serve("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: text/html\r\n"
		      "Content-Length: 5\r\n\r\nhe\r\nl"));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD + 1, req.argv_len);
}

TEST_F(ProtocolHttp, EchoOfNothing)
{
	EXPECT_EQ(Head("200 OK", "application/octet-stream", 0),
		Serve("POST /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD, req.argv_len);
}

TEST_F(ProtocolHttp, EchoOfOneChunk)
{
	EXPECT_EQ(Head("200 OK", "application/octet-stream", 5) + "hello",
		Serve("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
		      "5\r\nhello\r\n0\r\n\r\n"));
}

const char kChunks[] = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
		       "3\r\nhel\r\n2\r\nlo\r\n1\r\n!\r\n0\r\n\r\n";

TEST_F(ProtocolHttp, EchoOfChunksJoinsThem)
{
	EXPECT_EQ(Head("200 OK", "application/octet-stream", 6) + "hello!", Serve(kChunks));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD + 3, req.argv_len);
}

TEST_F(ProtocolHttp, MoreChunksThanRoomConsumeNothing)
{
	leat_slice in = leat_slice_str(kChunks);
	leat_protocol_state before = state;
	uint32_t room = LEAT_WEB_ARGV_HEAD + 3;

	EXPECT_EQ(-ENOBUFS, http->decode(&state, &limits, in, &req, argv, room - 1));
	EXPECT_EQ(0, memcmp(&before, &state, sizeof(state)));
	EXPECT_EQ((ssize_t)in.len, http->decode(&state, &limits, in, &req, argv, room));
}

// A body of more chunks than an empty turn has room for would never be taken.
TEST_F(ProtocolHttp, MoreChunksThanAnyTurnHasRoomFor)
{
	limits.argc_max = LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL + 3;
	EXPECT_GT(Decode(kChunks), 0);
	limits.argc_max--;
	EXPECT_EQ(-EMSGSIZE, Decode(kChunks));
	EXPECT_EQ(413, req.refusal);
}

TEST_F(ProtocolHttp, QueriesDoNotCount)
{
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok",
		Serve("GET /health?a=/echo HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_F(ProtocolHttp, AbsoluteTargets)
{
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok",
		Serve("GET http://leat/health HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_F(ProtocolHttp, UnknownPathsAreNotFoundAndTheConnectionGoesOn)
{
	for (const char *path : { "/", "/healthy", "/health/", "/Health", "//health", "/ech" })
		EXPECT_EQ(Head("404 Not Found", "text/plain", 10) + "Not Found\n" +
				  Head("200 OK", "text/plain", 2) + "ok",
			Serve("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n" + kGet))
			<< path;
}

TEST_F(ProtocolHttp, WrongMethodsAreToldTheRightOnes)
{
	EXPECT_EQ(
		Head("405 Method Not Allowed", "text/plain", 19, "Allow: GET, HEAD, OPTIONS\r\n") +
			"Method Not Allowed\n",
		Serve("POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"));
	EXPECT_EQ(Head("405 Method Not Allowed", "text/plain", 19, "Allow: POST, OPTIONS\r\n") +
			  "Method Not Allowed\n",
		Serve("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
	EXPECT_EQ(Head("405 Method Not Allowed", "text/plain", 19, "Allow: POST, OPTIONS\r\n"),
		Serve("HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_F(ProtocolHttp, UnknownMethodsAreNotImplemented)
{
	EXPECT_EQ(Head("501 Not Implemented", "text/plain", 16) + "Not Implemented\n",
		Serve("BREW /health HTTP/1.1\r\nHost: a\r\n\r\n"));
	EXPECT_EQ(Head("501 Not Implemented", "text/plain", 16, "Connection: close\r\n") +
			  "Not Implemented\n<closed>",
		Serve("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST_F(ProtocolHttp, GarbageIsAnsweredAndTheConnectionClosed)
{
	EXPECT_EQ(Head("400 Bad Request", "text/plain", 12, "Connection: close\r\n") +
			  "Bad Request\n<closed>",
		Serve("garbage\r\n"));
}

TEST_F(ProtocolHttp, RefusalsReturnTheirKindAndClose)
{
	EXPECT_EQ(-EBADMSG, Decode("GET / HTTP/2.0\r\n"));
	EXPECT_EQ(505, req.refusal);
	EXPECT_TRUE(req.close);
	state = {};
	EXPECT_EQ(-EMSGSIZE,
		Decode("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4096\r\n\r\n"));
	EXPECT_EQ(413, req.refusal);
	EXPECT_TRUE(req.close);
}

TEST_F(ProtocolHttp, ARefusedHeadHasNoBody)
{
	EXPECT_EQ(
		Head("505 HTTP Version Not Supported", "text/plain", 27, "Connection: close\r\n") +
			"<closed>",
		Serve("HEAD / HTTP/2.0\r\n"));
}

TEST_F(ProtocolHttp, FourPipelinedRequestsAndTheBeginningOfAFifth)
{
	std::string one = Head("200 OK", "text/plain", 2) + "ok";

	EXPECT_EQ(one + one + one + one, Serve(std::string(kGet) + kGet + kGet + kGet + "GE"));
	EXPECT_EQ(0, Decode("GET /health"));
	EXPECT_EQ(one, Serve(kGet));
}

TEST_F(ProtocolHttp, CloseIsEchoedAndWhatFollowsIsNotRead)
{
	EXPECT_EQ(Head("200 OK", "text/plain", 2, "Connection: close\r\n") + "ok<closed>",
		Serve("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" +
			std::string(kGet)));
}

TEST_F(ProtocolHttp, Http10ClosesUnlessAskedNotTo)
{
	EXPECT_EQ(Head("200 OK", "text/plain", 2, "Connection: close\r\n") + "ok<closed>",
		Serve("GET /health HTTP/1.0\r\n\r\n"));
	EXPECT_EQ(Head("200 OK", "text/plain", 2, "Connection: keep-alive\r\n") + "ok",
		Serve("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST_F(ProtocolHttp, TheDateIsMadeOnceASecond)
{
	leat_http_date date = {};

	reply.date = &date;
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok", Serve(kGet));
	EXPECT_EQ(kDateMs / 1000, date.second);
	memcpy(date.text, "Sun, 06 Nov 1994 08:49:00", 25);
	EXPECT_NE(
		std::string::npos, Serve(kGet).find("\r\nDate: Sun, 06 Nov 1994 08:49:00 GMT\r\n"));
	date.second--;
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok", Serve(kGet));
}

TEST_F(ProtocolHttp, WhatIsWaitedFor)
{
	leat_request late = {};

	EXPECT_EQ(0, Decode("POST /echo HTTP/1.1\r\nHost: a\r\n"));
	EXPECT_EQ(LEAT_PROTOCOL_WAITS_HEAD, http->waits_for(&state, &late));
	EXPECT_EQ(0, Decode("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx"));
	EXPECT_EQ(LEAT_PROTOCOL_WAITS_BODY, http->waits_for(&state, &late));
	req = late;
	Answer();
	EXPECT_EQ(Head("408 Request Timeout", "text/plain", 16, "Connection: close\r\n") +
			  "Request Timeout\n",
		Written());
}

TEST_F(ProtocolHttp, NoDateWithoutAClock)
{
	Get();
	reply.wall_ms = 0;
	leat_reply_status(&reply, leat_slice_str("ok"));
	EXPECT_EQ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok",
		Written());
}

TEST_F(ProtocolHttp, NullIsNotFound)
{
	Get();
	leat_reply_null(&reply);
	EXPECT_EQ(Head("404 Not Found", "text/plain", 10) + "Not Found\n", Written());
}

TEST_F(ProtocolHttp, NumbersAreText)
{
	Get();
	leat_reply_integer(&reply, -42);
	EXPECT_EQ(Head("200 OK", "text/plain", 3) + "-42", Written());
	Get();
	leat_reply_score(&reply, 1.5);
	EXPECT_EQ(Head("200 OK", "text/plain", 3) + "1.5", Written());
}

TEST_F(ProtocolHttp, ErrorsOfTheClientAndOurs)
{
	Get();
	leat_reply_error(&reply, leat_slice_str("WRONGTYPE not a string"));
	EXPECT_EQ(Head("409 Conflict", "text/plain", 23) + "WRONGTYPE not a string\n", Written());
	Get();
	leat_reply_error(&reply, leat_slice_str("OOM no memory"));
	EXPECT_EQ(
		Head("507 Insufficient Storage", "text/plain", 14) + "OOM no memory\n", Written());
	Get("HEAD");
	leat_reply_error(&reply, leat_slice_str("ERR"));
	EXPECT_EQ(Head("400 Bad Request", "text/plain", 4), Written());
}

TEST_F(ProtocolHttp, WithoutRoomForArgumentsNothingIsConsumed)
{
	leat_slice in = leat_slice_str(kGet);
	leat_protocol_state before = state;

	EXPECT_EQ(-ENOBUFS, http->decode(&state, &limits, in, &req, argv, LEAT_WEB_ARGV_HEAD - 1));
	EXPECT_EQ(0, memcmp(&before, &state, sizeof(state)));
	EXPECT_EQ(
		(ssize_t)in.len, http->decode(&state, &limits, in, &req, argv, LEAT_WEB_ARGV_HEAD));
}

const char kExpect[] =
	"POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";

TEST_F(ProtocolHttp, ContinueIsSaidOnce)
{
	EXPECT_EQ("", String(http->interim(&state)));
	EXPECT_EQ(0, Decode(kExpect));
	EXPECT_EQ("HTTP/1.1 100 Continue\r\n\r\n", String(http->interim(&state)));
	EXPECT_EQ("", String(http->interim(&state)));
	EXPECT_EQ(0, Decode(kExpect));
	EXPECT_EQ("", String(http->interim(&state)));
	EXPECT_EQ(Head("200 OK", "application/octet-stream", 2) + "ab",
		Serve(std::string(kExpect) + "ab"));
}

TEST_F(ProtocolHttp, RewindForgetsAllButThatContinueWasSaid)
{
	EXPECT_EQ(0, Decode(kExpect));
	http->rewind(&state);
	EXPECT_EQ("", String(http->interim(&state)));
	EXPECT_EQ(0, Decode(kExpect));
	EXPECT_NE("", String(http->interim(&state)));
	http->rewind(&state);
	EXPECT_EQ(0, Decode(kExpect));
	EXPECT_EQ("", String(http->interim(&state)));
	EXPECT_EQ((ssize_t)strlen(kExpect) + 2, Decode(std::string(kExpect) + "ab"));
}

TEST_F(ProtocolHttp, RewindComesBackToTheStart)
{
	EXPECT_EQ(0, Decode("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Le"));
	http->rewind(&state);
	EXPECT_EQ(Head("200 OK", "text/plain", 2) + "ok", Serve(kGet));
}

} // namespace
