// SPDX-License-Identifier: BSD-3-Clause

// Calls that build on the answers of others.

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <leat_zaprpc_calls.h>

#include "golden.h"

using golden::Bytes;
using golden::Case;
using golden::Copy;
using golden::Slice;
using golden::String;

namespace
{

constexpr uint32_t kForbidden = 3; // the ordinal of a method that always says 403

// A server with three methods, on one connection. What it answers is kept in order.
class Server
{
      public:
	Server()
	{
		memset(&calls_, 0x5a, sizeof(calls_));
		leat_zaprpc_calls_init(&calls_);
	}

	// Returns the answers that a call brings: none, its own, and those that waited for it.
	std::string Call(
		uint32_t method, uint32_t promise, uint32_t target, const std::string &payload = "")
	{
		leat_zaprpc_request req = { method, promise, target, {}, Slice(payload) };
		leat_zaprpc_fate fate = leat_zaprpc_calls_admit(&calls_, &req);

		answers_.clear();
		if (fate == LEAT_ZAPRPC_WAIT)
			return answers_;
		do
			Answer(req, fate);
		while (leat_zaprpc_calls_next(&calls_, &req, &fate));
		return answers_;
	}

	const std::string &LastFrame() const
	{
		return last_frame_;
	}

      private:
	void Answer(const leat_zaprpc_request &req, leat_zaprpc_fate fate)
	{
		std::string body;
		leat_zaprpc_response res = { LEAT_ZAPRPC_OK, req.promise, {} };

		if (fate == LEAT_ZAPRPC_BROKEN) {
			res.status = LEAT_ZAPRPC_BAD_REQUEST;
		} else if (req.method == kForbidden) {
			res.status = LEAT_ZAPRPC_FORBIDDEN;
		} else if (req.method == 0) { // as long as its payload says
			body.assign(std::stoul(String(req.payload)), 'x');
		} else if (req.method == 9) { // the same bytes again
			res.body = req.payload;
		} else {
			body = std::string(1, (char)('A' + req.method - 1)) + "(" +
			       String(req.payload) + ")";
		}
		if (!body.empty())
			res.body = Slice(body);
		answers_ += std::to_string(req.promise) + ":" + std::to_string(res.status);
		if (res.body.len > 0 && res.body.len < 100)
			answers_ += " " + String(res.body);
		answers_ += "\n";
		last_frame_ = golden::Written(
			[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_response(w, &res)); });
		leat_zaprpc_calls_answer(&calls_, &res);
	}

	leat_zaprpc_calls calls_;
	std::string answers_;
	std::string last_frame_;
};

} // namespace

TEST(ZapRpcCalls, TheGoldenConversationIsAnsweredByteForByte)
{
	Server server;
	unsigned int nb_calls = 0;

	for (const Case &c : golden::Load("rpc.txt")) {
		if (c.name.rfind("pipelining", 0) != 0)
			continue;
		SCOPED_TRACE(c.name);
		Copy in(Bytes(c.lines.at(1)));
		leat_zaprpc_request req;

		ASSERT_EQ(0, leat_zaprpc_read_request(in.Slice(), &req));
		server.Call(req.method, req.promise, req.target, String(req.payload));
		EXPECT_EQ(Bytes(c.lines.at(3)), server.LastFrame().substr(5));
		nb_calls++;
	}
	EXPECT_GE(nb_calls, 3u);
}

TEST(ZapRpcCalls, ATargetsBodyIsTheParameter)
{
	Server server;

	EXPECT_EQ("1:200 A(x)\n", server.Call(1, 1, 0, "x"));
	EXPECT_EQ("2:200 B(A(x))\n", server.Call(2, 2, 1, "not this"));
	EXPECT_EQ("3:200 B(B(A(x)))\n", server.Call(2, 3, 2));
	EXPECT_EQ("4:200 A(A(x))\n", server.Call(1, 4, 1)); // an answer serves many times
}

TEST(ZapRpcCalls, ACallWaitsForItsTarget)
{
	Server server;

	EXPECT_EQ("", server.Call(2, 2, 1));
	EXPECT_EQ("7:200 A(y)\n", server.Call(1, 7, 0, "y"));
	EXPECT_EQ("1:200 A(x)\n2:200 B(A(x))\n", server.Call(1, 1, 0, "x"));
}

TEST(ZapRpcCalls, ACallThatWaitedLetsOthersGoOn)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 4, 3));
	EXPECT_EQ("", server.Call(2, 3, 2));
	EXPECT_EQ("", server.Call(1, 2, 1));
	EXPECT_EQ("", server.Call(1, 0, 2)); // without a promise
	EXPECT_EQ("1:200 A(x)\n2:200 A(A(x))\n3:200 B(A(A(x)))\n4:200 A(B(A(A(x))))\n"
		  "0:200 A(A(A(x)))\n",
		server.Call(1, 1, 0, "x"));
}

TEST(ZapRpcCalls, ATargetThatFailedBreaksThePromise)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 2, 1));
	EXPECT_EQ("", server.Call(1, 3, 2));
	EXPECT_EQ("1:403\n2:400\n3:400\n", server.Call(kForbidden, 1, 0));
	EXPECT_EQ("4:400\n", server.Call(1, 4, 1));
	EXPECT_EQ("5:400\n", server.Call(1, 5, 4));
}

TEST(ZapRpcCalls, NobodyWaitsForHimself)
{
	Server server;

	EXPECT_EQ("1:400\n", server.Call(1, 1, 1));
}

TEST(ZapRpcCalls, TwoThatWaitForEachOtherAreBroken)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 1, 2));
	EXPECT_EQ("2:400\n1:400\n", server.Call(1, 2, 1));
	EXPECT_EQ("3:200 A(x)\n", server.Call(1, 3, 0, "x"));
}

TEST(ZapRpcCalls, ACircleOfAllThatMayWaitIsBroken)
{
	Server server;
	const uint32_t last = LEAT_ZAPRPC_WAITING_MAX;

	for (uint32_t i = 1; i < last; i++)
		EXPECT_EQ("", server.Call(1, i, i + 1));
	std::string got = server.Call(1, last, 1);
	EXPECT_EQ(last, (uint32_t)std::count(got.begin(), got.end(), '\n'));
	EXPECT_EQ(std::string::npos, got.find(":200"));
	for (uint32_t i = 0; i < LEAT_ZAPRPC_WAITING_MAX; i++) // all of it is free again
		EXPECT_EQ("", server.Call(1, 1000 + i, 999));
}

TEST(ZapRpcCalls, ACircleOfThreeIsBrokenAndWhoWaitsForItToo)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 4, 1));
	EXPECT_EQ("", server.Call(1, 0, 4)); // whom nobody can name
	EXPECT_EQ("", server.Call(1, 1, 2));
	EXPECT_EQ("", server.Call(1, 9, 8)); // has nothing to do with it
	EXPECT_EQ("", server.Call(1, 2, 3));
	EXPECT_EQ("3:400\n2:400\n1:400\n4:400\n0:400\n", server.Call(1, 3, 1));
	EXPECT_EQ("8:200 B(x)\n9:200 A(B(x))\n", server.Call(2, 8, 0, "x"));
}

TEST(ZapRpcCalls, ALongChainIsNoCircle)
{
	Server server;
	const uint32_t nb = LEAT_ZAPRPC_WAITING_MAX;

	for (uint32_t i = 1; i <= nb; i++)
		EXPECT_EQ("", server.Call(9, i, i + 1));
	std::string got = server.Call(9, nb + 1, 0, "x");
	EXPECT_EQ(nb + 1, (uint32_t)std::count(got.begin(), got.end(), '\n'));
	EXPECT_EQ(std::string::npos, got.find(":400"));
}

// Two calls that wait have one promise, against the rules: no circle can be made of them unseen.
TEST(ZapRpcCalls, APromiseGivenTwiceHoldsNobodyForEver)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 1, 3));
	EXPECT_EQ("", server.Call(2, 1, 2));
	EXPECT_EQ("", server.Call(1, 2, 1));
	EXPECT_EQ("3:400\n1:400\n2:400\n1:400\n", server.Call(1, 3, 1));
}

TEST(ZapRpcCalls, ATargetThatWasNeverSentBreaksOnceTheNumbersArePastIt)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 2, 1)); // nobody sends 1
	EXPECT_EQ("", server.Call(1, 3, 2));
	for (uint32_t i = 4; i < 4 + LEAT_ZAPRPC_ANSWERS_MAX; i++)
		EXPECT_EQ(std::to_string(i) + ":200 A(x)\n", server.Call(1, i, 0, "x"));
	EXPECT_EQ("68:200 A(x)\n2:400\n3:400\n", server.Call(1, 68, 0, "x"));
}

TEST(ZapRpcCalls, ACallThatWaitsIsNotLetGo)
{
	Server server;

	EXPECT_EQ("", server.Call(1, 1, 1000)); // which is yet to come
	for (uint32_t i = 2; i < 100; i++)
		server.Call(1, i, 0, "x");
	EXPECT_EQ("", server.Call(2, 100, 1));
	EXPECT_EQ("1000:200 C\n1:200 A(C)\n100:200 B(A(C))\n", server.Call(9, 1000, 0, "C"));
}

TEST(ZapRpcCalls, ACallWithoutAPromiseIsNotKept)
{
	Server server;

	EXPECT_EQ("0:200 A(x)\n", server.Call(1, 0, 0, "x"));
	EXPECT_EQ("", server.Call(1, 2, 1));
}

TEST(ZapRpcCalls, OfTwoAnswersToAPromiseTheLaterOneCounts)
{
	Server server;

	EXPECT_EQ("1:200 A(old)\n", server.Call(1, 1, 0, "old"));
	EXPECT_EQ("1:200 A(new)\n", server.Call(1, 1, 0, "new"));
	EXPECT_EQ("2:200 B(A(new))\n", server.Call(2, 2, 1));
}

TEST(ZapRpcCalls, ABodyOfTheLimitIsKeptAndOneByteMoreIsNot)
{
	Server server;
	const std::string at = std::to_string(LEAT_ZAPRPC_ANSWER_LEN_MAX);
	const std::string over = std::to_string(LEAT_ZAPRPC_ANSWER_LEN_MAX + 1);

	EXPECT_EQ("1:200\n", server.Call(0, 1, 0, at));
	EXPECT_EQ("2:200\n", server.Call(9, 2, 1));
	EXPECT_EQ("3:200\n", server.Call(0, 3, 0, over));
	EXPECT_EQ("4:400\n", server.Call(9, 4, 3));
}

TEST(ZapRpcCalls, TheLimitOfWaitingCallsIsHeld)
{
	Server server;

	for (uint32_t i = 0; i < LEAT_ZAPRPC_WAITING_MAX; i++)
		EXPECT_EQ("", server.Call(1, 1000 + i, 1));
	EXPECT_EQ("2000:400\n", server.Call(1, 2000, 1));
	EXPECT_EQ("2001:400\n", server.Call(1, 2001, 2000)); // its answer is kept, too
	server.Call(1, 1, 0, "x");
	EXPECT_EQ("", server.Call(1, 3001, 3000)); // there is room again
}

TEST(ZapRpcCalls, AllThatWaitFindTheAnswer)
{
	Server server;
	std::string want = "1:200 A(x)\n";

	for (uint32_t i = 0; i < LEAT_ZAPRPC_WAITING_MAX; i++) {
		EXPECT_EQ("", server.Call(1, 1000 + i, 1));
		want += std::to_string(1000 + i) + ":200 A(A(x))\n";
	}
	EXPECT_EQ(want, server.Call(1, 1, 0, "x"));
}

TEST(ZapRpcCalls, TheLastAnswersAreKeptAndTheOneBeforeBreaks)
{
	Server server;

	for (uint32_t i = 1; i <= LEAT_ZAPRPC_ANSWERS_MAX; i++)
		server.Call(1, i, 0, "x");
	EXPECT_EQ("0:200 B(A(x))\n", server.Call(2, 0, 1));
	server.Call(1, LEAT_ZAPRPC_ANSWERS_MAX + 1, 0, "x");
	EXPECT_EQ("0:400\n", server.Call(2, 0, 1));
	EXPECT_EQ("0:200 B(A(x))\n", server.Call(2, 0, 2));
	EXPECT_EQ("", server.Call(2, 0, LEAT_ZAPRPC_ANSWERS_MAX + 2)); // this one may come
}

TEST(ZapRpcCalls, PromisesAreCountedAroundTheirEnd)
{
	Server server;
	uint32_t promise = UINT32_MAX - 1;

	for (uint32_t i = 0; i <= LEAT_ZAPRPC_ANSWERS_MAX; i++) {
		server.Call(1, promise, 0, "x");
		if (++promise == 0)
			promise++;
	}
	EXPECT_EQ("0:400\n", server.Call(2, 0, UINT32_MAX - 1));
	EXPECT_EQ("0:200 B(A(x))\n", server.Call(2, 0, UINT32_MAX));
	EXPECT_EQ("", server.Call(2, 0, promise));
}

// The answer takes the place of the one that is its own body.
TEST(ZapRpcCalls, ABodyMayBeWhatIsOverwritten)
{
	Server server;

	for (uint32_t i = 1; i <= LEAT_ZAPRPC_ANSWERS_MAX; i++)
		server.Call(1, i, 0, std::to_string(i));
	EXPECT_EQ("100:200 A(1)\n", server.Call(9, 100, 1));
	EXPECT_EQ("101:200 B(A(1))\n", server.Call(2, 101, 100));
}
