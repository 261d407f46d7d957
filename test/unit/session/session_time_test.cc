// SPDX-License-Identifier: BSD-3-Clause

// How long a client may take.

#include "session_fixture.h"

namespace
{

using namespace session_test;

constexpr uint64_t kSecond = 1000000;

class SessionTime : public Session
{
      protected:
	SessionTime()
	{
		options_.timeouts.idle_us = 10 * kSecond;
	}

	// Nothing comes for as long; what expires is answered and sent.
	void Pass(uint64_t us)
	{
		ctx_->command.now_us += us;
		EndTurn();
		leat_session_expire(ctx_);
		EndTurn();
	}

	// A tick more than a time that is over.
	static constexpr uint64_t kTick = LEAT_TIMER_TICK_US;
};

TEST_F(SessionTime, WithoutTimeoutsNobodyIsClosed)
{
	options_ = {};
	FakeConn *conn = Connect();

	Pass(1000000 * kSecond);
	Receive(conn, "PING\r\n");
	EXPECT_EQ("+PONG\r\n", conn->sent);
	EXPECT_EQ(0u, ctx_->stats.nb_timeouts);
}

TEST_F(SessionTime, AnIdleClientIsClosedWithoutAWord)
{
	for (const char *protocol : { "resp", "http" }) {
		FakeConn *conn = Connect(protocol);

		Pass(10 * kSecond - 1);
		EXPECT_EQ(0u, conn->nb_shutdowns) << protocol;
		Pass(1 + kTick);
		EXPECT_EQ(1u, conn->nb_shutdowns) << protocol;
		EXPECT_EQ(0u, conn->nb_aborts) << protocol;
		EXPECT_EQ("", conn->sent) << protocol;
	}
	EXPECT_EQ(2u, ctx_->stats.nb_timeouts);
}

TEST_F(SessionTime, EachRequestBeginsTheTimeAnew)
{
	FakeConn *conn = Connect();

	for (int i = 0; i < 5; i++) {
		Pass(9 * kSecond);
		Receive(conn, "PING\r\n");
	}
	EXPECT_EQ(0u, conn->nb_shutdowns);
	Pass(10 * kSecond + kTick);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

// As Redis: what has come of a request does not matter.
TEST_F(SessionTime, TheBeginningOfARequestOfRespCountsAsAnyBytes)
{
	FakeConn *conn = Connect();

	options_.timeouts.head_us = 1;
	Receive(conn, "PIN");
	Pass(9 * kSecond);
	Receive(conn, "G");
	Pass(9 * kSecond);
	EXPECT_EQ(0u, conn->nb_shutdowns);
	Pass(1 * kSecond + kTick);
	EXPECT_EQ(1u, conn->nb_shutdowns);
	EXPECT_EQ("", conn->sent);
}

TEST_F(SessionTime, ASubscriberMayBeSilent)
{
	FakeConn *conn = Connect();

	Receive(conn, "SUBSCRIBE c\r\n");
	Pass(1000 * kSecond);
	EXPECT_EQ(0u, conn->nb_shutdowns);
	Receive(conn, "UNSUBSCRIBE\r\n");
	Pass(10 * kSecond + kTick);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(SessionTime, WhoTakesNoRepliesIsAborted)
{
	FakeConn *conn = Connect();

	conn->is_full = true;
	Receive(conn, "PING\r\n");
	Pass(10 * kSecond + kTick);
	EXPECT_EQ(1u, conn->nb_aborts);
	EXPECT_EQ(0u, conn->nb_shutdowns);
}

// RFC 9110 section 15.5.9.
TEST_F(SessionTime, AHeadIsCountedFromItsFirstByte)
{
	options_.timeouts.head_us = 5 * kSecond;
	FakeConn *conn = Connect("http");

	for (int i = 0; i < 5; i++) {
		Pass(kSecond - 1);
		Receive(conn, i == 0 ? "GET / HTTP/1.1\r\n" : "a: b\r\n");
	}
	EXPECT_EQ(0u, conn->nb_shutdowns);
	Pass(kSecond - 10);
	EXPECT_EQ(0u, conn->nb_shutdowns);
	Pass(10 + kTick);
	EXPECT_EQ("HTTP/1.1 408 Request Timeout\r\n", conn->sent.substr(0, 30));
	EXPECT_NE(std::string::npos, conn->sent.find("\r\nConnection: close\r\n"));
	EXPECT_EQ(1u, conn->nb_shutdowns);
	Receive(conn, "Host: a\r\n\r\n");
	EXPECT_EQ(1u, conn->nb_sends) << "nothing is read behind it";
}

TEST_F(SessionTime, TheHeadBehindAnAnsweredRequestHasATimeOfItsOwn)
{
	const std::string get = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

	options_.timeouts.head_us = 5 * kSecond;
	FakeConn *conn = Connect("http");

	Receive(conn, "GET /hea");
	Pass(4 * kSecond);
	Receive(conn, get.substr(8) + "GET /hea");
	EXPECT_EQ("HTTP/1.1 200 ", conn->sent.substr(0, 13));
	conn->sent.clear();
	Pass(4 * kSecond);
	EXPECT_EQ("", conn->sent);
	Receive(conn, get.substr(8));
	EXPECT_EQ("HTTP/1.1 200 ", conn->sent.substr(0, 13));
	Pass(9 * kSecond);
	EXPECT_EQ(0u, conn->nb_shutdowns) << "idle now";
}

TEST_F(SessionTime, ABodyIsCountedFromItsLastByte)
{
	options_.timeouts.head_us = kSecond;
	options_.timeouts.body_us = 5 * kSecond;
	FakeConn *conn = Connect("http");

	Receive(conn, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
	for (int i = 0; i < 3; i++) {
		Pass(4 * kSecond);
		Receive(conn, "x");
	}
	EXPECT_EQ("", conn->sent);
	Pass(5 * kSecond + kTick);
	EXPECT_EQ("HTTP/1.1 408 ", conn->sent.substr(0, 13));
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(SessionTime, WithoutATimeOfTheirOwnHeadAndBodyHaveThatOfAnIdleClient)
{
	FakeConn *conn = Connect("http");

	Receive(conn, "GET / HTTP/1.1\r\n");
	Pass(9 * kSecond);
	EXPECT_EQ("", conn->sent);
	Pass(kSecond + kTick);
	EXPECT_EQ("HTTP/1.1 408 ", conn->sent.substr(0, 13));
}

TEST_F(SessionTime, WhoDoesNotChooseIsClosed)
{
	options_.timeouts = {};
	options_.timeouts.choice_us = 5 * kSecond;
	FakeConn *silent = Connect("auto");
	FakeConn *slow = Connect("auto");
	FakeConn *chosen = Connect("auto");

	Receive(chosen, "PING\r\n");
	Receive(slow, "GOB");
	Pass(4 * kSecond);
	Receive(slow, "L");
	Pass(kSecond + kTick);
	EXPECT_EQ(1u, silent->nb_shutdowns);
	EXPECT_EQ(1u, slow->nb_shutdowns);
	EXPECT_EQ("", slow->sent);
	Pass(1000 * kSecond);
	EXPECT_EQ(0u, chosen->nb_shutdowns);
}

TEST_F(SessionTime, ManyAtOnceAreEndedTurnByTurn)
{
	std::vector<FakeConn *> conns;
	uint32_t nb = LEAT_MIN(kSessions, LEAT_SESSION_EXPIRE_MAX + 3u);

	for (uint32_t i = 0; i < nb; i++)
		conns.push_back(Connect());
	Pass(10 * kSecond + kTick);
	EXPECT_EQ(LEAT_MIN(nb, (uint32_t)LEAT_SESSION_EXPIRE_MAX), ctx_->stats.nb_timeouts);
	Pass(0);
	EXPECT_EQ(nb, ctx_->stats.nb_timeouts);
	for (FakeConn *conn : conns)
		EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(SessionTime, ASessionThatIsGoneHasNoTime)
{
	FakeConn *conn = Connect();

	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	Pass(1000 * kSecond);
	EXPECT_EQ(0u, ctx_->stats.nb_timeouts);
	EXPECT_EQ(0u, conn->nb_shutdowns);
}

} // namespace
