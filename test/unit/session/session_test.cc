// SPDX-License-Identifier: BSD-3-Clause

#include "session_fixture.h"

namespace
{

using namespace session_test;

TEST_F(Session, AnswersOneRequestAndConsumesIt)
{
	FakeConn *conn = Connect();

	Receive(conn, "PING\r\n");
	EXPECT_EQ("+PONG\r\n", conn->sent);
	EXPECT_EQ(6u, conn->consumed_len);
}

TEST_F(Session, AnswersAPipelineInOrderWithOneSend)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "SET", "k", "v" }) + Request({ "GET", "k" }) + "PING\r\n");
	EXPECT_EQ("+OK\r\n" + Bulk("v") + "+PONG\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_sends);
}

TEST_F(Session, AnswersARequestSplitAtEveryByte)
{
	const std::string request = Request({ "ECHO", "hello" });

	for (size_t at = 1; at < request.size(); at++) {
		FakeConn *conn = Connect();

		Receive(conn, request.substr(0, at));
		EXPECT_EQ("", conn->sent);
		Receive(conn, request.substr(at));
		EXPECT_EQ(Bulk("hello"), conn->sent) << "split at " << at;
		EXPECT_EQ(request.size(), conn->consumed_len) << "split at " << at;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
	}
}

TEST_F(Session, AnswersARequestThatComesByteByByte)
{
	const std::string request = Request({ "ECHO", "hello" });
	FakeConn *conn = Connect();

	for (char byte : request)
		Receive(conn, std::string(1, byte));
	Settle();
	EXPECT_EQ(Bulk("hello"), conn->sent);
	EXPECT_EQ(request.size(), conn->consumed_len);
}

TEST_F(Session, APartialRequestDoesNotHoldBackFinishedReplies)
{
	FakeConn *conn = Connect();

	Receive(conn, "PING\r\nPING\r\nPI");
	EXPECT_EQ("+PONG\r\n+PONG\r\n", conn->sent);
	EXPECT_EQ(12u, conn->consumed_len);
	Receive(conn, "NG\r\n");
	Settle();
	EXPECT_EQ("+PONG\r\n+PONG\r\n+PONG\r\n", conn->sent);
}

TEST_F(Session, ALargeRequestIsCarriedAndTheWindowOpensMeanwhile)
{
	FakeConn *conn = Connect();
	const std::string value(500000, 'x');
	const std::string request = Request({ "SET", "k", value });

	for (size_t at = 0; at < request.size(); at += 1000) {
		Receive(conn, request.substr(at, 1000));
		Settle();
		EXPECT_GE(conn->consumed_len + 1000, at); // at most one mbuf is held
	}
	EXPECT_EQ("+OK\r\n", conn->sent);
	EXPECT_EQ(request.size(), conn->consumed_len);
}

TEST_F(Session, StopsDecodingWhileTheTransportIsFullAndGoesOnWhenWritable)
{
	FakeConn *conn = Connect();

	conn->is_full = true;
	Receive(conn, "PING\r\n");
	Receive(conn, Request({ "ECHO", "later" }));
	Settle();
	EXPECT_EQ("", conn->sent);
	EXPECT_EQ(6u, conn->consumed_len); // the second request is still the transport's window
	conn->is_full = false;
	Event(conn, LEAT_TRANSPORT_WRITABLE);
	EndTurn();
	Settle();
	EXPECT_EQ("+PONG\r\n" + Bulk("later"), conn->sent);
}

TEST_F(Session, APeerThatTakesNothingHoldsNoMbufForEachByte)
{
	FakeConn *conn = Connect();
	std::string request, want;

	conn->is_full = true;
	Receive(conn, "PING\r\n");
	for (int i = 0; i < 200; i++) {
		request += Request({ "ECHO", std::to_string(i) });
		want += Bulk(std::to_string(i));
	}
	for (char byte : request)
		Receive(conn, std::string(1, byte));
	EXPECT_LT(rte_mempool_in_use_count(pool_.Get()), 10u);
	conn->is_full = false;
	Event(conn, LEAT_TRANSPORT_WRITABLE);
	EndTurn();
	Settle();
	EXPECT_EQ("+PONG\r\n" + want, conn->sent);
	EXPECT_EQ(6 + request.size(), conn->consumed_len);
}

TEST_F(Session, PausesAPipelineOfLongRepliesAndFinishesIt)
{
	FakeConn *conn = Connect();
	const std::string value(1000, 'v');
	std::string want = "+OK\r\n";
	std::string pipeline;

	Receive(conn, Request({ "SET", "k", value }));
	for (int i = 0; i < 80; i++) {
		pipeline += Request({ "GET", "k" });
		want += Bulk(value);
	}
	Receive(conn, pipeline);
	EXPECT_LT(conn->sent.size(), LEAT_SESSION_TX_MAX + 2 * value.size());
	Settle();
	EXPECT_TRUE(want == conn->sent) << conn->sent.size() << " of " << want.size() << " ..."
					<< conn->sent.substr(conn->sent.size() - 80);
	EXPECT_EQ(Request({ "SET", "k", value }).size() + pipeline.size(), conn->consumed_len);
}

TEST_F(Session, MoreRequestsThanABatchAreAllAnswered)
{
	FakeConn *a = Connect();
	FakeConn *b = Connect();
	std::string pipeline;
	std::string want;

	for (int i = 0; i < LEAT_BATCH_MAX; i++) {
		pipeline += "PING\r\n";
		want += "+PONG\r\n";
	}
	Event(a, LEAT_TRANSPORT_DATA, pool_.Mbuf(pipeline));
	Event(b, LEAT_TRANSPORT_DATA, pool_.Mbuf(pipeline));
	EndTurn();
	Settle();
	EXPECT_EQ(want, a->sent);
	EXPECT_EQ(want, b->sent);
}

TEST_F(Session, APipelineThatFillsEveryTurnKeepsNobodyWaiting)
{
	FakeConn *greedy = Connect();
	FakeConn *other = Connect();
	std::string pipeline;

	for (int i = 0; i < LEAT_BATCH_MAX; i++)
		pipeline += "PING\r\n";
	for (int i = 0; i < 10; i++)
		Event(greedy, LEAT_TRANSPORT_DATA, pool_.Mbuf(pipeline));
	EndTurn();
	leat_session_decode_ready(ctx_);
	Event(other, LEAT_TRANSPORT_DATA, pool_.Mbuf("PING\r\n"));
	EndTurn();
	for (int i = 0; i < 2; i++) {
		leat_session_decode_ready(ctx_);
		EndTurn();
	}
	EXPECT_EQ("+PONG\r\n", other->sent);
	EXPECT_LT(greedy->sent.size(), 5u * LEAT_BATCH_MAX * 7);
	Settle();
	EXPECT_EQ(10u * LEAT_BATCH_MAX * 7, greedy->sent.size());
}

TEST_F(Session, ARequestThatNeedsAWholeTurnsArgumentsGetsOne)
{
	FakeConn *greedy = Connect();
	FakeConn *large = Connect();
	std::vector<std::string> args(200, "k");
	std::string request;

	args[0] = "DEL";
	request = Request(args);
	for (int i = 0; i < 1500; i++)
		Event(greedy, LEAT_TRANSPORT_DATA, pool_.Mbuf(request));
	args.resize(LEAT_BATCH_ARGV_MAX, "k");
	request = Request(args);
	for (size_t at = 0; at < request.size(); at += 1400)
		Event(large, LEAT_TRANSPORT_DATA, pool_.Mbuf(request.substr(at, 1400)));
	EndTurn();
	for (int i = 0; i < 3; i++) {
		leat_session_decode_ready(ctx_);
		EndTurn();
	}
	EXPECT_EQ(":0\r\n", large->sent);
	EXPECT_LT(greedy->sent.size(), 1500u * 4);
	Settle();
	EXPECT_EQ(1500u * 4, greedy->sent.size());
}

TEST_F(Session, OneThatEndsWhileItWaitsForRoomInATurnIsFreedAfterwards)
{
	FakeConn *greedy = Connect();
	FakeConn *other = Connect();
	std::string pipeline;

	for (int i = 0; i < LEAT_BATCH_MAX; i++)
		pipeline += "PING\r\n";
	for (int i = 0; i < 4; i++)
		Event(greedy, LEAT_TRANSPORT_DATA, pool_.Mbuf(pipeline));
	Event(other, LEAT_TRANSPORT_DATA, pool_.Mbuf("PING\r\n"));
	EndTurn();
	leat_session_decode_ready(ctx_);
	Event(other, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	Settle();
	EXPECT_EQ("", other->sent);
	EXPECT_EQ(1u, ctx_->nb_open);
}

TEST_F(Session, APeerThatHalfClosesGetsItsReplyThenTheEnd)
{
	FakeConn *conn = Connect();

	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("PING\r\n"));
	Event(conn, LEAT_TRANSPORT_EOF);
	EndTurn();
	EXPECT_EQ("+PONG\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(Session, AHalfCloseWaitsUntilTheTransportTookTheReplies)
{
	FakeConn *conn = Connect();

	conn->is_full = true;
	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("PING\r\nPING\r\n"));
	Event(conn, LEAT_TRANSPORT_EOF);
	EndTurn();
	EXPECT_EQ(0u, conn->nb_shutdowns);
	conn->is_full = false;
	Event(conn, LEAT_TRANSPORT_WRITABLE);
	EndTurn();
	EXPECT_EQ("+PONG\r\n+PONG\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(Session, ClientInfoTellsBothEnds)
{
	FakeConn *conn = Connect();

	Receive(conn, "CLIENT INFO\r\n");
	EXPECT_NE(std::string::npos,
		conn->sent.find(" addr=10.77.0.2:47578 laddr=[fd77::1]:6379 name= age=0 "));
}

// The requests before a reset are executed; what they answer has nowhere to go.
TEST_F(Session, ClientInfoOfOneThatIsGoneAsksNoTransport)
{
	FakeConn *conn = Connect();

	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("CLIENT INFO\r\n"));
	Event(conn, LEAT_TRANSPORT_CLOSED);
	conn->conn.transport = nullptr;
	EndTurn();
	EXPECT_EQ("", conn->sent);
	EXPECT_EQ(1u, ctx_->command_stats.nb_commands);
}

TEST_F(Session, QuitIsAnsweredAndWhatFollowsIsThrownAway)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "QUIT" }) + "PING\r\n");
	EXPECT_EQ("+OK\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
	Receive(conn, "PING\r\n");
	EXPECT_EQ("+OK\r\n", conn->sent);
	EXPECT_EQ(Request({ "QUIT" }).size() + 12, conn->consumed_len);
}

TEST_F(Session, APeerThatSendsOnAfterOurEndIsAbortedAfterAWhile)
{
	FakeConn *conn = Connect();

	Receive(conn, Request({ "QUIT" }));
	ctx_->command.now_us += LEAT_SESSION_LINGER_US;
	Receive(conn, "PING\r\n");
	EXPECT_EQ(0u, conn->nb_aborts);
	ctx_->command.now_us++;
	Receive(conn, "PING\r\n");
	EXPECT_EQ(1u, conn->nb_aborts);
	EXPECT_EQ(1u, ctx_->stats.nb_lingered);
}

TEST_F(Session, AProtocolErrorIsToldAndEndsTheConnection)
{
	FakeConn *conn = Connect();

	Receive(conn, "PING\r\n*1\r\n!\r\n");
	EXPECT_EQ("+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(Session, WhatComesBehindARefusalInTheSameTurnIsNotRead)
{
	FakeConn *conn = Connect("http");

	Receive(conn, "GET /health HTTP/1.1\r\nHost: x\r\n");
	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("not a field\r\n"));
	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("x"));
	EndTurn();
	Settle();
	EXPECT_EQ("HTTP/1.1 400 ", conn->sent.substr(0, 13));
	EXPECT_EQ(1u, conn->nb_sends);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

TEST_F(Session, WhatCameBeforeAResetInTheSameBurstIsExecuted)
{
	FakeConn *conn = Connect();
	FakeConn *other = Connect();

	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf(Request({ "SET", "k", "v" })));
	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	EXPECT_EQ(1u, ctx_->nb_open);
	Receive(other, Request({ "GET", "k" }));
	EXPECT_EQ(Bulk("v"), other->sent);
}

TEST_F(Session, OneConnectionTooManyIsAborted)
{
	for (uint32_t i = 0; i < kSessions; i++)
		EXPECT_EQ(0u, Connect()->nb_aborts);
	FakeConn *conn = Connect();
	EXPECT_EQ(1u, conn->nb_aborts);
	EXPECT_EQ(1u, ctx_->stats.nb_table_full);
	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("PING\r\n"));
	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
}

TEST_F(Session, DrainClosesIdleSessionsAndAnswersTheOthersFirst)
{
	FakeConn *idle = Connect();
	FakeConn *partial = Connect();

	Receive(partial, "PI");
	leat_session_drain_all(ctx_);
	EndTurn();
	EXPECT_EQ(1u, idle->nb_shutdowns);
	EXPECT_EQ(0u, partial->nb_shutdowns);
	Receive(partial, "NG\r\n");
	Settle();
	EXPECT_EQ("+PONG\r\n", partial->sent);
	EXPECT_EQ(1u, partial->nb_shutdowns);
}

TEST_F(Session, AFullCarryRegionStopsReadingOnly)
{
	FakeConn *big = Connect();
	FakeConn *small = Connect();
	const std::string request = Request({ "SET", "k", std::string(60000, 'x') });
	uint32_t seen_len;

	Close();
	Open(176u << 10);
	big = Connect();
	small = Connect();
	// Two requests that would each need 64 KiB.
	for (size_t at = 0; at < 50000; at += 1000) {
		Receive(big, request.substr(at, 1000));
		Receive(small, request.substr(at, 1000));
	}
	EXPECT_GT(ctx_->stats.nb_carry_full, 0u);
	seen_len = small->consumed_len;
	EXPECT_LT(seen_len, 50000u);
	for (size_t at = 50000; at < request.size(); at += 1000)
		Receive(big, request.substr(at, 1000));
	EXPECT_EQ("+OK\r\n", big->sent);
	for (size_t at = 50000; at < request.size(); at += 1000)
		Receive(small, request.substr(at, 1000));
	Settle();
	EXPECT_EQ("+OK\r\n", small->sent);
}

TEST_F(Session, AsManyArgumentsAsATurnHolds)
{
	FakeConn *conn = Connect();
	std::vector<std::string> args(LEAT_BATCH_ARGV_MAX, "k");
	std::string request;

	args[0] = "DEL";
	request = Request(args);
	for (size_t at = 0; at < request.size(); at += 1400)
		Receive(conn, request.substr(at, 1400));
	Settle();
	EXPECT_EQ(":0\r\n", conn->sent);
	Receive(conn, "*" + std::to_string(LEAT_BATCH_ARGV_MAX + 1) + "\r\n");
	EXPECT_EQ(":0\r\n-ERR Protocol error: invalid multibulk length\r\n", conn->sent);
}

TEST_F(Session, TheLargestRequestFitsARegionThatIsLittleLarger)
{
	const size_t head_len = Request({ "ECHO", "" }).size() + 6; // the length has 7 digits
	const std::string value(kRequestMax - head_len, 'x');
	const std::string request = Request({ "ECHO", value });

	ASSERT_EQ(kRequestMax, request.size());
	Close();
	Open(kRequestMax + (128u << 10));
	FakeConn *conn = Connect();
	// What follows it in its last segment is copied too.
	const std::string all = request + "PING\r\n";
	for (size_t at = 0; at < all.size(); at += 1400)
		Receive(conn, all.substr(at, 1400));
	Settle();
	EXPECT_TRUE(Bulk(value) + "+PONG\r\n" == conn->sent) << conn->sent.size();
}

// Two large requests, each waiting for the room that the other holds: one has to go.
TEST_F(Session, AWaitForCarryRoomThatWouldNeverEndIsEnded)
{
	const std::string request = Request({ "SET", "k", std::string(60000, 'x') });

	Close();
	Open(100u << 10);
	FakeConn *a = Connect();
	FakeConn *b = Connect();
	for (size_t at = 0; at < 50000; at += 1000) {
		Receive(a, request.substr(at, 1000));
		Receive(b, request.substr(at, 1000));
	}
	EXPECT_EQ(0u, a->nb_aborts + b->nb_aborts);
	ctx_->command.now_us += LEAT_SESSION_STARVED_US + 1;
	leat_session_decode_ready(ctx_);
	EndTurn();
	EXPECT_GT(a->nb_aborts + b->nb_aborts, 0u);
	EXPECT_GT(ctx_->stats.nb_carry_starved, 0u);
}

TEST_F(Session, TwoEventsOfOneConnectionInOneBurstAreDecodedOnce)
{
	FakeConn *conn = Connect();

	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("INCR n\r\nINCR n\r\nIN"));
	Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf("CR n\r\nINCR n\r\n"));
	EndTurn();
	Settle();
	EXPECT_EQ(":1\r\n:2\r\n:3\r\n:4\r\n", conn->sent);
}

} // namespace
