// SPDX-License-Identifier: BSD-3-Clause

// Sessions that call over ZAP: frames in several pieces, and promises that end with them.

#include <leat_zaprpc.h>

#include "golden.h"
#include "session_fixture.h"

namespace
{

using namespace session_test;

constexpr uint32_t kEcho = 2;

std::string
Call(uint32_t promise, uint32_t target, const std::string &payload = "")
{
	leat_zaprpc_request req = { kEcho, promise, target, {}, golden::Slice(payload) };

	return golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaprpc_emit_request(w, LEAT_ZAPRPC_REQUEST, &req));
	});
}

std::string
Answer(uint32_t promise, const std::string &body)
{
	leat_zaprpc_response res = { LEAT_ZAPRPC_OK, promise, golden::Slice(body) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_response(w, &res)); });
}

class SessionZapRpc : public Session
{
      protected:
	SessionZapRpc()
	{
		leat_annexes_init(&ctx_->command, annex_, 1);
	}

	uint64_t annex_[LEAT_ANNEX_LEN / 8];
};

TEST_F(SessionZapRpc, CallsSplitAtEveryByte)
{
	const std::string in = Call(3, 1) + Call(1, 0, "x") + Call(2, 3);

	for (size_t at = 1; at < in.size(); at++) {
		FakeConn *conn = Connect("zap-rpc");

		Receive(conn, in.substr(0, at));
		Receive(conn, in.substr(at));
		Settle();
		EXPECT_EQ(Answer(1, "x") + Answer(3, "x") + Answer(2, "x"), conn->sent)
			<< "split at " << at;
		EXPECT_EQ(in.size(), conn->consumed_len) << "split at " << at;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
		EXPECT_NE(nullptr, ctx_->command.annexes) << "split at " << at;
	}
}

TEST_F(SessionZapRpc, TheAnnexOfASessionIsGivenToTheNext)
{
	FakeConn *first = Connect("zap-rpc");

	Receive(first, Call(1, 0, "a"));
	EXPECT_EQ(nullptr, ctx_->command.annexes);
	Event(first, LEAT_TRANSPORT_CLOSED);
	EndTurn();

	FakeConn *second = Connect("zap-rpc");

	Receive(second, Call(2, 1) + Call(1, 0, "b"));
	EXPECT_EQ(Answer(1, "b") + Answer(2, "b"), second->sent);
}

TEST_F(SessionZapRpc, AWrongLengthEndsTheSessionBehindItsAnswers)
{
	FakeConn *conn = Connect("zap-rpc");

	Receive(conn, Call(1, 0, "x") + std::string(4, '\0') + Call(2, 0, "y"));
	EXPECT_EQ(Answer(1, "x"), conn->sent);
	EXPECT_EQ(1u, conn->nb_shutdowns);
}

// Calls that were decoded and not executed are decoded again: their promises count once.
TEST_F(SessionZapRpc, CallsThatHaveToWaitAreAnsweredOnce)
{
	FakeConn *conn = Connect("zap-rpc");
	const std::string body(LEAT_SESSION_TX_MAX, 'x');
	const std::string in = Call(1, 0, body) + Call(2, 3) + Call(3, 0, "y") + Call(4, 2);

	for (size_t at = 0; at < in.size(); at += 1000)
		Receive(conn, in.substr(at, 1000));
	Settle();
	EXPECT_EQ(Answer(1, body) + Answer(3, "y") + Answer(2, "y") + Answer(4, "y"), conn->sent);
}

} // namespace
