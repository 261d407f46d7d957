// SPDX-License-Identifier: BSD-3-Clause

// Requests wherever segments are cut.

#include <random>

#include "session_fixture.h"

namespace
{

using namespace session_test;
using SessionStraddle = Session;

TEST_F(SessionStraddle, RequestsThatStraddleSegmentsOfAChainAreAnswered)
{
	FakeConn *conn = Connect();
	const std::string a = Request({ "ECHO", "aaaa" });
	const std::string b = Request({ "ECHO", "bbbb" });
	const std::string all = a + b + a + b;

	ReceiveChain(
		conn, { all.substr(0, 7), all.substr(7, 40), all.substr(47, 1), all.substr(48) });
	Settle();
	EXPECT_EQ(Bulk("aaaa") + Bulk("bbbb") + Bulk("aaaa") + Bulk("bbbb"), conn->sent);
	EXPECT_EQ(all.size(), conn->consumed_len);
}

TEST_F(SessionStraddle, ATurnWithManyStraddlingRequestsAnswersThemWithOneSend)
{
	FakeConn *conn = Connect();
	std::vector<std::string> pieces;
	std::string pipeline;
	std::string want;

	for (int i = 0; i < 100; i++) {
		std::string value((size_t)i, 'v');

		pipeline += Request({ "ECHO", value });
		want += Bulk(value);
	}
	for (size_t at = 0; at < pipeline.size(); at += 90) // an ECHO has up to 124 bytes
		pieces.push_back(pipeline.substr(at, 90));
	ReceiveChain(conn, pieces);
	EXPECT_EQ(want, conn->sent);
	EXPECT_EQ(1u, conn->nb_sends);
	EXPECT_EQ(pipeline.size(), conn->consumed_len);
	EXPECT_FALSE(leat_session_has_work(ctx_));
}

// Requests at an edge of every kind: the first is whole or was carried, the last is not.
TEST_F(SessionStraddle, WhatIsCompleteIsAnsweredAtOnceWhereverItIsCut)
{
	const std::string request = Request({ "ECHO", "abc" });
	const std::string four = request + request + request + request;

	for (size_t a = 1; a < four.size(); a++)
		for (size_t b = a + 1; b < four.size(); b++) {
			FakeConn *conn = Connect();

			Receive(conn, request.substr(0, 5));
			ReceiveChain(conn, { request.substr(5) + four.substr(0, a),
						   four.substr(a, b - a), four.substr(b) + "*" });
			ASSERT_EQ(
				Bulk("abc") + Bulk("abc") + Bulk("abc") + Bulk("abc") + Bulk("abc"),
				conn->sent)
				<< a << ", " << b;
			ASSERT_EQ(1u, conn->nb_sends) << a << ", " << b;
			Event(conn, LEAT_TRANSPORT_CLOSED);
			EndTurn();
		}
}

// A request that ends the stream in a turn in which it was joined.
TEST_F(SessionStraddle, ARefusalThatStraddlesIsToldBehindTheRepliesBeforeIt)
{
	FakeConn *conn = Connect();

	ReceiveChain(conn, { "PING\r\n*1\r\n", "!4\r\nPING\r\nPING\r\n" });
	EXPECT_EQ("+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n", conn->sent);
	EXPECT_EQ(1u, conn->nb_sends);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

// One byte too many for what a turn joins: the rest of the pipeline comes a turn later.
TEST_F(SessionStraddle, AsManyStraddlingBytesAsATurnJoins)
{
	for (size_t over = 0; over <= 1; over++) {
		const std::string head = "PING\r\n";
		const std::string empty = Request({ "ECHO", std::string(10000, 'v') });
		const size_t len = LEAT_BATCH_JOINED_MAX + over;
		const std::string value(10000 + len - empty.size(), 'v');
		const std::string request = Request({ "ECHO", value });
		FakeConn *conn = Connect();
		std::vector<std::string> pieces = { head };

		ASSERT_EQ(len, request.size());
		for (size_t at = 0; at < request.size(); at += 1000)
			pieces.push_back(request.substr(at, 1000));
		pieces.front() += pieces[1];
		pieces.erase(pieces.begin() + 1);
		ReceiveChain(conn, pieces);
		if (over == 0)
			EXPECT_TRUE("+PONG\r\n" + Bulk(value) == conn->sent);
		else
			EXPECT_EQ("+PONG\r\n", conn->sent);
		Settle();
		EXPECT_TRUE("+PONG\r\n" + Bulk(value) == conn->sent);
		EXPECT_EQ(head.size() + len, conn->consumed_len);
	}
}

TEST_F(SessionStraddle, OnlyStraddlingRequestsAreCopied)
{
	FakeConn *conn = Connect();

	for (int i = 0; i < 100; i++)
		Receive(conn, Request({ "ECHO", "whole" }));
	EXPECT_EQ(0u, ctx_->stats.nb_carried);
	Receive(conn, "PI");
	Receive(conn, "NG\r\n");
	Settle();
	EXPECT_EQ(2u, ctx_->stats.nb_carried);
}

TEST_F(SessionStraddle, APausedPipelineThatStraddlesIsNotExecutedTwice)
{
	FakeConn *conn = Connect();
	const std::string value(1200, 'v');
	std::string pipeline;
	std::string want;

	for (int i = 1; i <= 60; i++) {
		pipeline += Request({ "ECHO", value }) + Request({ "INCR", "n" });
		want += Bulk(value) + ":" + std::to_string(i) + "\r\n";
	}
	for (size_t at = 0; at < pipeline.size(); at += 1460)
		ReceiveChain(
			conn, { pipeline.substr(at, 700), at + 700 < pipeline.size()
								  ? pipeline.substr(at + 700, 760)
								  : std::string("\r\n") });
	Settle();
	EXPECT_TRUE(want == conn->sent) << conn->sent.size() << " of " << want.size() << " ..."
					<< conn->sent.substr(conn->sent.size() - 80);
}

// Whatever the segmentation and whenever the transport is full: the same replies.
TEST_F(SessionStraddle, RandomSegmentationChangesNothing)
{
	for (unsigned int seed = 1; seed <= 200; seed++) {
		std::mt19937 rng(seed);
		auto rnd = [&rng](unsigned int n) { return (unsigned int)(rng() % n); };
		FakeConn *conn = Connect();
		std::string in;
		std::string want;

		for (int i = 0; i < 100; i++) {
			std::string value(rnd(10) == 0 ? rnd(9000) : rnd(40), (char)('a' + i % 26));

			in += Request({ "ECHO", value });
			want += Bulk(value);
		}
		for (size_t at = 0; at < in.size();) {
			size_t len = 1 + (rnd(3) == 0 ? rnd(20) : rnd(1460));

			if (rnd(8) == 0) {
				conn->is_full = !conn->is_full;
				if (!conn->is_full)
					Event(conn, LEAT_TRANSPORT_WRITABLE);
			}
			std::string piece = in.substr(at, len);

			if (rnd(2) == 0 && piece.size() > 1)
				ReceiveChain(conn, { piece.substr(0, piece.size() / 2),
							   piece.substr(piece.size() / 2) });
			else
				Receive(conn, piece);
			at += len;
		}
		conn->is_full = false;
		Event(conn, LEAT_TRANSPORT_WRITABLE);
		EndTurn();
		Settle();
		ASSERT_TRUE(want == conn->sent) << "seed " << seed;
		ASSERT_EQ(in.size(), conn->consumed_len) << "seed " << seed;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
		ASSERT_EQ(0u, ctx_->nb_open);
	}
}

} // namespace
