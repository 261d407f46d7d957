// SPDX-License-Identifier: BSD-3-Clause

// Connections that have to give a password, and those that speak RESP3.

#include <string>

#include <gtest/gtest.h>

#include "session_fixture.h"

namespace
{

using namespace session_test;

const char kNoAuth[] = "-NOAUTH Authentication required.\r\n";

class SessionAuth : public Session
{
      protected:
	void SetUp() override
	{
		Session::SetUp();
		server_.requirepass = "secret";
	}
};

// More arguments than a guest may send.
std::string
LongDel()
{
	return Request({ "DEL", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k" });
}

TEST_F(SessionAuth, NothingIsDoneBeforeThePassword)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "SET", "k", "v" }) + Request({ "AUTH", "secret" }) +
			      Request({ "GET", "k" }));
	Settle();
	EXPECT_EQ(std::string(kNoAuth) + "+OK\r\n$-1\r\n", conn->sent);
}

TEST_F(SessionAuth, WhatFollowsThePasswordAtOnceIsHeldToNoGuestsLimit)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "AUTH", "secret" }) + LongDel() + LongDel());
	Settle();
	EXPECT_EQ("+OK\r\n:0\r\n:0\r\n", conn->sent);
	EXPECT_EQ(0u, conn->nb_shutdowns);
}

TEST_F(SessionAuth, WhatFollowsAWrongPasswordIs)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "AUTH", "wrong" }) + LongDel() + Request({ "PING" }));
	Settle();
	EXPECT_EQ("-WRONGPASS invalid username-password pair or user is disabled.\r\n"
		  "-ERR Protocol error: unauthenticated multibulk length\r\n",
		conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(SessionAuth, APipelineOfAGuestIsAnsweredInOrderByteByByte)
{
	FakeConn *conn = Connect();
	const std::string bytes = Request({ "PING" }) + Request({ "AUTH", "secret" }) + LongDel();

	for (char c : bytes)
		Receive(conn, std::string(1, c));
	Settle();
	EXPECT_EQ(std::string(kNoAuth) + "+OK\r\n:0\r\n", conn->sent);
}

TEST_F(SessionAuth, OneGuestDoesNotHoldUpAnother)
{
	FakeConn *guest = Connect();
	FakeConn *member = Connect();

	Receive(member, Request({ "AUTH", "secret" }));
	member->sent.clear();
	Receive(guest, Request({ "PING" }) + Request({ "PING" }));
	Receive(member, Request({ "PING" }) + Request({ "PING" }));
	EXPECT_EQ("+PONG\r\n+PONG\r\n", member->sent);
	Settle();
	EXPECT_EQ(std::string(kNoAuth) + kNoAuth, guest->sent);
}

// Where no request says anything of the next one, none waits for it.
TEST_F(SessionAuth, APipelineWithoutALoginIsAnsweredInOneTurn)
{
	const std::string get = "GET /v1/kv/k HTTP/1.1\r\nHost: a\r\n";
	const std::string right = "Authorization: Bearer secret\r\n\r\n";
	FakeConn *conn = Connect("http");

	Receive(conn, get + right + get + "\r\n" + get + right);
	EXPECT_EQ(1u, conn->nb_sends);
	EXPECT_EQ(0u, conn->sent.find("HTTP/1.1 404 "));
	EXPECT_NE(std::string::npos, conn->sent.find("Not Found\nHTTP/1.1 401 "));
	EXPECT_NE(std::string::npos, conn->sent.find("Unauthorized\nHTTP/1.1 404 "));
}

// The carry is for those who are known: of others it holds no more than a few segments.
TEST_F(SessionAuth, WhatGuestsDoNotFinishTakesNoMemory)
{
	const std::string starts[] = {
		"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000\r\n",
		"PUT /v1/kv/k HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n",
		std::string("\x20\xa1\x07\0\0\0\x16\0\x07\0\x02\0", 12), // Get
		std::string("\x20\xa1\x07\0\x01", 5),
		std::string("\0\x07\xa1\x20ZAP\0\x01\0\0\x01\x10\0\0\0\0\0\x07\0", 20),
	};
	const char *const protocols[] = { "resp", "http", "sbe", "zap-rpc", "zap" };

	for (size_t i = 0; i < LEAT_DIM(protocols); i++) {
		FakeConn *conn = Connect(protocols[i]);

		Receive(conn, starts[i]);
		for (int n = 0; n < 400; n++)
			Receive(conn, std::string(1000, 'x'));
		EXPECT_EQ(1u, conn->nb_shutdowns) << protocols[i];
		EXPECT_EQ(carry_used_, leat_heap_used(ctx_->carry_heap)) << protocols[i];
		EXPECT_EQ(starts[i].size() + 400000, conn->consumed_len) << protocols[i];
	}
}

TEST_F(Session, AWebPagesRequestClosesWithoutAWord)
{
	FakeConn *conn = Connect();

	Receive(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n\r\nPING\r\n");
	EXPECT_EQ("", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(Session, EachSubscriberIsToldInItsOwnVersion)
{
	FakeConn *two = Connect();
	FakeConn *three = Connect();
	FakeConn *pub = Connect();

	Receive(three, Request({ "HELLO", "3" }));
	three->sent.clear();
	for (FakeConn *sub : { two, three })
		Receive(sub, Request({ "SUBSCRIBE", "c" }));
	EXPECT_EQ(">3\r\n" + Bulk("subscribe") + Bulk("c") + ":1\r\n", three->sent);
	two->sent.clear();
	three->sent.clear();
	Receive(pub, Request({ "PUBLISH", "c", "hi" }));
	EXPECT_EQ("*3\r\n" + Bulk("message") + Bulk("c") + Bulk("hi"), two->sent);
	EXPECT_EQ(">3\r\n" + Bulk("message") + Bulk("c") + Bulk("hi"), three->sent);
}

TEST_F(Session, ASubscriberOfVersion3MayAskForAnything)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "HELLO", "3" }) + Request({ "SUBSCRIBE", "c" }));
	conn->sent.clear();
	Receive(conn, Request({ "PUBLISH", "c", "hi" }) + Request({ "GET", "k" }));
	EXPECT_EQ(">3\r\n" + Bulk("message") + Bulk("c") + Bulk("hi") + ":1\r\n_\r\n", conn->sent);
}

TEST_F(Session, ARequestOverTheQueryLimitClosesWithoutAWord)
{
	ctx_->limits.query_max = 20;
	FakeConn *conn = Connect();

	Receive(conn, "PING\r\nPING a longer message\r\nPING\r\n");
	EXPECT_EQ("+PONG\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

// Nothing is kept for what a request only claims.
TEST_F(Session, AClaimedLengthTakesNoMemory)
{
	FakeConn *conn = Connect();

	Receive(conn, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n");
	Receive(conn, "abc");
	EXPECT_LT(leat_heap_used(ctx_->carry_heap) - carry_used_, 8192u);
	for (int i = 0; i < 1000; i++)
		Receive(conn, std::string(i < 999 ? 1000 : 997, 'x'));
	Receive(conn, "\r\n");
	EXPECT_EQ("+OK\r\n", conn->sent);
}

} // namespace
