// SPDX-License-Identifier: BSD-3-Clause

// Waiting for room in the carry region.

#include "session_fixture.h"

namespace
{

using namespace session_test;

class SessionCarry : public Session
{
      protected:
	SessionCarry()
	{
		Close();
		Open(80u << 10); // without the holder there is room for both who wait
		holder_ = Connect();
		Give(holder_, large_, 0, 50000);
	}

	void Give(FakeConn *conn, const std::string &request, size_t from, size_t to)
	{
		for (size_t at = from; at < to; at += 1000)
			Receive(conn, request.substr(at, std::min<size_t>(1000, to - at)));
	}

	// One more, who finds no room.
	FakeConn *Wait(uint32_t nb_waiting)
	{
		FakeConn *conn = Connect();

		Give(conn, request_, 0, 19000);
		EXPECT_EQ(nb_waiting, ctx_->stats.nb_carry_full);
		return conn;
	}

	void Finish(FakeConn *conn)
	{
		if (conn == holder_)
			Give(conn, large_, 50000, large_.size());
		else
			Give(conn, request_, 19000, request_.size());
		Settle();
		EXPECT_EQ("+OK\r\n", conn->sent);
	}

	void Turn()
	{
		leat_session_decode_ready(ctx_);
		EndTurn();
	}

	const std::string large_ = Request({ "SET", "k", std::string(60000, 'x') });
	const std::string request_ = Request({ "SET", "k", std::string(20000, 'x') });
	FakeConn *holder_;
};

TEST_F(SessionCarry, WhoWaitsCostsNothingUntilThereIsRoom)
{
	FakeConn *conn = Wait(1);
	uint64_t nb_carried = ctx_->stats.nb_carried;

	for (int i = 0; i < 100; i++) {
		EXPECT_FALSE(leat_session_has_work(ctx_));
		Turn();
	}
	EXPECT_EQ(1u, ctx_->stats.nb_carry_full) << "one wait";
	EXPECT_EQ(nb_carried, ctx_->stats.nb_carried);
	EXPECT_EQ(0u, conn->nb_aborts);
	Finish(holder_);
	EXPECT_GT(ctx_->stats.nb_carried, nb_carried) << "read on without an event of its own";
	Finish(conn);
}

TEST_F(SessionCarry, TheFirstToComeIsTheFirstToGetRoom)
{
	FakeConn *first = Wait(1);
	FakeConn *conns[5];

	for (FakeConn *&conn : conns) {
		conn = Connect();
		Receive(conn, "INCR ");
		Receive(conn, "n\r\n");
		EXPECT_EQ("", conn->sent);
	}
	Finish(holder_);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(":" + std::to_string(i + 1) + "\r\n", conns[i]->sent);
	Finish(first);
}

// What it needs would be there: it stands behind one who needs more.
TEST_F(SessionCarry, NobodyOvertakes)
{
	FakeConn *first = Wait(1);
	FakeConn *small = Connect();

	Receive(small, "PI");
	Receive(small, "NG\r\n");
	EXPECT_EQ("", small->sent);
	EXPECT_EQ(2u, ctx_->stats.nb_carry_full);
	Finish(holder_);
	EXPECT_EQ("+PONG\r\n", small->sent);
	Finish(first);
}

TEST_F(SessionCarry, TheEndOfAConnectionMakesRoom)
{
	FakeConn *first = Wait(1);
	FakeConn *second = Wait(2);

	Event(first, LEAT_TRANSPORT_CLOSED); // it waits no more
	EndTurn();
	Event(holder_, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	EXPECT_TRUE(leat_session_has_work(ctx_));
	Settle();
	Finish(second);
	EXPECT_EQ(0u, second->nb_aborts);
}

TEST_F(SessionCarry, AWaitHasAnEnd)
{
	FakeConn *first = Wait(1);

	ctx_->command.now_us++;
	FakeConn *second = Wait(2);
	ctx_->command.now_us += LEAT_SESSION_STARVED_US - 1;
	Turn();
	EXPECT_EQ(0u, first->nb_aborts);
	ctx_->command.now_us++;
	Turn();
	EXPECT_EQ(1u, first->nb_aborts);
	EXPECT_EQ(0u, second->nb_aborts + holder_->nb_aborts);
	EXPECT_EQ(1u, ctx_->stats.nb_carry_starved);
	Finish(holder_);
	Finish(second);
}

} // namespace
