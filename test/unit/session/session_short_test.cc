// SPDX-License-Identifier: BSD-3-Clause

// Replies while the transport is short of mbufs.

#include "session_fixture.h"

namespace
{

using namespace session_test;
using SessionShort = Session;

TEST_F(SessionShort, OneShortReplyInATurnWhileMbufsAreShort)
{
	FakeConn *a = Connect();
	FakeConn *b = Connect();

	xp_.xp.is_short = true;
	Receive(a, "PING\r\nPING\r\n");
	EXPECT_EQ("+PONG\r\n", a->sent);
	EXPECT_EQ(6u, a->consumed_len);
	EXPECT_TRUE(leat_session_has_work(ctx_));
	Receive(b, "INCR n\r\nINCR n\r\n");
	EXPECT_EQ(":1\r\n", b->sent);
	EXPECT_EQ(8u, b->consumed_len);
	Settle();
	EXPECT_EQ("+PONG\r\n+PONG\r\n", a->sent);
	EXPECT_EQ(":1\r\n:2\r\n", b->sent);
}

// A peer that takes nothing has one reply and no more, however much the transport would take.
TEST_F(SessionShort, WhoHasNotTakenHisRepliesWaitsForThatWhileMbufsAreShort)
{
	FakeConn *slow = Connect();
	FakeConn *other = Connect();

	xp_.xp.is_short = true;
	slow->keeps = true;
	Receive(slow, "PING\r\nPING\r\n");
	for (int i = 0; i < 3; i++)
		Receive(other, "PING\r\n");
	EXPECT_EQ("+PONG\r\n", slow->sent);
	EXPECT_EQ("+PONG\r\n+PONG\r\n+PONG\r\n", other->sent);
	EXPECT_FALSE(leat_session_has_work(ctx_)) << "and costs nothing";
	Acknowledge(slow);
	Event(slow, LEAT_TRANSPORT_WRITABLE);
	EndTurn();
	Settle();
	EXPECT_EQ("+PONG\r\n+PONG\r\n", slow->sent);
	EXPECT_FALSE(xp_.xp.is_wanted) << "nobody has to give way for him";
	Acknowledge(slow);
}

TEST_F(SessionShort, AReplyMayTakeItsShareAndNoMoreWhileMbufsAreShort)
{
	FakeConn *conn = Connect();
	const size_t room = RTE_MBUF_DEFAULT_BUF_SIZE - RTE_PKTMBUF_HEADROOM;
	const std::string value(3 * room - std::string("$5760\r\n\r\n").size(), 'v');
	const std::string set = Request({ "SET", "k", value });
	std::vector<std::string> pieces;

	ASSERT_EQ(3 * room, Bulk(value).size());
	for (size_t off = 0; off < set.size(); off += 1000)
		pieces.push_back(set.substr(off, 1000));
	ReceiveChain(conn, pieces);
	conn->sent.clear();
	xp_.xp.is_short = true;
	xp_.xp.nb_segs_share = 2;
	Receive(conn, "GET k\r\n");
	EXPECT_EQ("", conn->sent);
	EXPECT_TRUE(xp_.xp.is_wanted) << "somebody else has to give way";
	EXPECT_EQ(1u, ctx_->stats.nb_tx_waits);
	xp_.xp.nb_segs_share = 3;
	leat_session_decode_ready(ctx_); // it is tried in each turn
	EndTurn();
	EXPECT_EQ(Bulk(value), conn->sent);
}

TEST_F(SessionShort, ALongReplyWaitsWhileMbufsAreShortAndStopsNobody)
{
	FakeConn *large = Connect();
	FakeConn *small = Connect();
	const std::string value(RTE_MBUF_DEFAULT_BUF_SIZE, 'v');
	const std::string set = Request({ "SET", "k", value });

	ReceiveChain(small, { set.substr(0, 1000), set.substr(1000, 1000), set.substr(2000) });
	small->sent.clear();
	xp_.xp.is_short = true;
	Receive(large, "GET k\r\nPING\r\n");
	for (int i = 0; i < 3; i++) {
		Receive(small, "PING\r\n");
		EXPECT_EQ("+PONG\r\n", small->sent);
		small->sent.clear();
	}
	EXPECT_EQ("", large->sent);
	EXPECT_EQ(0u, large->consumed_len + large->nb_aborts);
	EXPECT_EQ(0u, ctx_->command_stats.nb_key_hits) << "not executed, not counted";
	EXPECT_EQ(0u, ctx_->stats.nb_tx_pool_empty);
	xp_.xp.is_short = false;
	Settle();
	EXPECT_EQ(Bulk(value) + "+PONG\r\n", large->sent);
	EXPECT_EQ(1u, ctx_->command_stats.nb_key_hits);
}

TEST_F(SessionShort, AReplyThatFillsItsMbufIsNotTooLongWhileMbufsAreShort)
{
	FakeConn *conn = Connect();
	size_t room = RTE_MBUF_DEFAULT_BUF_SIZE - RTE_PKTMBUF_HEADROOM;
	const std::string fits(room - std::string("$1920\r\n\r\n").size(), 'f');

	for (const std::string &set :
		{ Request({ "SET", "fits", fits }), Request({ "SET", "over", fits + "f" }) })
		ReceiveChain(conn, { set.substr(0, 1000), set.substr(1000) });
	ASSERT_EQ(room, Bulk(fits).size());
	conn->sent.clear();
	xp_.xp.is_short = true;
	Receive(conn, "GET fits\r\n");
	EXPECT_EQ(Bulk(fits), conn->sent);
	conn->sent.clear();
	Receive(conn, "GET over\r\n");
	EXPECT_EQ("", conn->sent);
	xp_.xp.is_short = false;
	Settle();
	EXPECT_EQ(Bulk(fits + "f"), conn->sent);
}

TEST_F(SessionShort, RequestsWaitForTheLastMbufs)
{
	FakeConn *a = Connect();
	FakeConn *b = Connect();

	xp_.xp.is_short = true;
	xp_.xp.is_scarce = true;
	Receive(a, "PING\r\nPING\r\n");
	Receive(b, "INCR n\r\nINCR n\r\n");
	EXPECT_FALSE(leat_session_has_work(ctx_)) << "a worker may sleep meanwhile";
	EXPECT_EQ("", a->sent + b->sent);
	EXPECT_EQ(0u, a->consumed_len + b->consumed_len);
	xp_.xp.is_short = false;
	xp_.xp.is_scarce = false;
	Settle();
	EXPECT_EQ("+PONG\r\n+PONG\r\n", a->sent);
	EXPECT_EQ(":1\r\n:2\r\n", b->sent);
}

TEST_F(SessionShort, ASubscriptionWaitsWhileMbufsAreShort)
{
	FakeConn *conn = Connect();

	xp_.xp.is_short = true;
	Receive(conn, Request({ "SUBSCRIBE", "a" }));
	EXPECT_EQ("", conn->sent);
	xp_.xp.is_short = false;
	Settle();
	EXPECT_NE("", conn->sent);
}

TEST_F(SessionShort, AReplyWithoutAnMbufAbortsTheConnection)
{
	FakeConn *conn = Connect();

	xp_.nb_allocs_left = 0;
	Receive(conn, "PING\r\n");
	EXPECT_EQ(1u, conn->nb_aborts);
	EXPECT_EQ("", conn->sent);
	EXPECT_EQ(1u, ctx_->stats.nb_tx_pool_empty);
	Receive(conn, "PING\r\n"); // still in flight: thrown away
	EXPECT_EQ(1u, conn->nb_aborts);
	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	EXPECT_EQ(0u, ctx_->nb_open);
}

TEST_F(SessionShort, TheLastMbufsAreForShortReplies)
{
	FakeConn *small = Connect();
	FakeConn *large = Connect();
	std::string most((LEAT_SESSION_SHORT_SEGS - 1) * (RTE_MBUF_DEFAULT_BUF_SIZE - 128), 'm');
	std::string more((LEAT_SESSION_SHORT_SEGS + 1) * (RTE_MBUF_DEFAULT_BUF_SIZE - 128), 'm');

	for (const std::string &set :
		{ Request({ "SET", "most", most }), Request({ "SET", "more", more }) }) {
		std::vector<std::string> pieces;

		for (size_t off = 0; off < set.size(); off += 1000)
			pieces.push_back(set.substr(off, 1000));
		ReceiveChain(small, pieces);
	}
	ASSERT_EQ("+OK\r\n+OK\r\n", small->sent);
	small->sent.clear();
	xp_.xp.is_scarce = true;
	Receive(large, "GET more\r\n");
	Receive(small, "GET most\r\n");
	EXPECT_EQ(1u, large->nb_aborts);
	EXPECT_EQ(0u, small->nb_aborts);
	EXPECT_EQ("$" + std::to_string(most.size()) + "\r\n" + most + "\r\n", small->sent);
	EXPECT_EQ(1u, ctx_->stats.nb_tx_pool_empty);
}

} // namespace
