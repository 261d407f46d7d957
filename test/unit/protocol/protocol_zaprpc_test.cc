// SPDX-License-Identifier: BSD-3-Clause

// Calls over ZAP on a connection: what is answered, what is passed over, what ends it.

#include <memory>

#include <leat_rpc.h>
#include <leat_zap_balance.h>
#include <leat_zaprpc_calls.h>

#include "golden.h"
#include "sbe_serve.h"
#include "timeout_expect.h"

using golden::Bytes;
using golden::Case;

namespace
{

constexpr uint32_t kBalance = 1;
constexpr uint32_t kEcho = 2;
constexpr uint32_t kNbAnnexes = 2;

std::string
Call(uint32_t method, uint32_t promise, uint32_t target, const std::string &payload = "",
	const std::string &cap = "", leat_zaprpc_kind kind = LEAT_ZAPRPC_REQUEST)
{
	leat_zaprpc_request req = { method, promise, target, golden::Slice(cap),
		golden::Slice(payload) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_request(w, kind, &req)); });
}

std::string
Answer(uint32_t status, uint32_t promise, const std::string &body = "")
{
	leat_zaprpc_response res = { status, promise, golden::Slice(body) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_response(w, &res)); });
}

// A file's case, its n-th line of bytes.
std::string
Golden(const std::string &name, size_t n = 0)
{
	for (const Case &c : golden::Load("rpc.txt")) {
		if (c.name == name)
			return Bytes(c.lines.at(2 * n + 1));
	}
	ADD_FAILURE() << "no case " << name;
	return "";
}

class ProtocolZapRpc : public testing::Test
{
      protected:
	ProtocolZapRpc()
	{
		leat_annexes_init(&serve.shard.ctx, annexes_.get(), kNbAnnexes);
	}

	void Close(uint64_t id)
	{
		leat_annex_give(&serve.shard.ctx, &serve.At(id).client);
	}

	std::unique_ptr<uint64_t[]> annexes_{ new uint64_t[kNbAnnexes * LEAT_ANNEX_LEN / 8] };
	Serve serve{ "zap-rpc" };
};

TEST_F(ProtocolZapRpc, TheRecordIsAnsweredByteForByte)
{
	EXPECT_EQ(Golden("transport_unary_ok", 1), serve.Ask(Golden("transport_unary_ok")));
}

TEST_F(ProtocolZapRpc, AnUnknownMethodIs404)
{
	EXPECT_EQ(Golden("transport_unary_unknown_method", 1),
		serve.Ask(Golden("transport_unary_unknown_method")));
	EXPECT_EQ(Answer(404, 7), serve.Ask(Call(0, 7, 0)));
	EXPECT_EQ(Answer(404, 8), serve.Ask(Call(3, 8, 0)));
	EXPECT_EQ(Answer(404, 9), serve.Ask(Call(UINT32_MAX, 9, 0)));
}

TEST_F(ProtocolZapRpc, AParameterThatIsNoRecordIs400)
{
	const std::string at = Bytes("5a415000010000000000000010000000") +
			       std::string(LEAT_RPC_BODY_MAX - 16, 'x');

	EXPECT_EQ(Answer(400, 5), serve.Ask(Golden("edge_request_v1_header")));
	EXPECT_EQ(Answer(400, 5), serve.Ask(Golden("edge_request_wrong_msgtype")));
	EXPECT_EQ(Answer(400, 6), serve.Ask(Call(kBalance, 6, 0, "no message")));
	EXPECT_NE(Answer(400, 7), serve.Ask(Call(kBalance, 7, 0, at)));
	EXPECT_EQ(Answer(400, 8), serve.Ask(Call(kBalance, 8, 0, at + "x")));
}

TEST_F(ProtocolZapRpc, ARecordCutShortIsReadAsZeros)
{
	const std::string answer =
		serve.Ask(Call(kBalance, 1, 0, Bytes("5a4150000100000010000000110000000a")));
	const std::string envelope = answer.substr(5);
	leat_zaprpc_response res;

	ASSERT_EQ(0, leat_zaprpc_read_response(golden::Slice(envelope), &res));
	EXPECT_EQ(200u, res.status);
	EXPECT_EQ(1000000000000000000u,
		leat_zap_balance_response_get_balance(leat_zap_root_of(res.body)));
}

TEST_F(ProtocolZapRpc, EchoGivesTheParameterBack)
{
	const std::string bytes = golden::Pattern(100000);

	EXPECT_EQ(Answer(200, 1, "hello"), serve.Ask(Call(kEcho, 1, 0, "hello")));
	EXPECT_EQ(Answer(200, 2), serve.Ask(Call(kEcho, 2, 0)));
	EXPECT_EQ(Answer(200, 0, "x"), serve.Ask(Call(kEcho, 0, 0, "x")));
	EXPECT_EQ(Answer(200, 3, bytes), serve.Ask(Call(kEcho, 3, 0, bytes)));
}

TEST_F(ProtocolZapRpc, ACallBuildsOnTheAnswerOfAnother)
{
	const std::string record = Golden("transport_unary_ok", 1).substr(5 + 36);

	serve.Ask(Golden("transport_unary_ok"));
	EXPECT_EQ(Answer(200, 2, record), serve.Ask(Call(kEcho, 2, 1, "not this")));
	EXPECT_EQ(Answer(200, 3, record), serve.Ask(Call(kEcho, 3, 2)));
}

TEST_F(ProtocolZapRpc, ACallThatCameTooEarlyIsAnsweredBehindItsTarget)
{
	EXPECT_EQ("", serve.Ask(Call(kEcho, 3, 2)));
	EXPECT_EQ("", serve.Ask(Call(kEcho, 2, 1)));
	EXPECT_EQ(Answer(200, 9, "y"), serve.Ask(Call(kEcho, 9, 0, "y")));
	EXPECT_EQ(Answer(200, 1, "x") + Answer(200, 2, "x") + Answer(200, 3, "x"),
		serve.Ask(Call(kEcho, 1, 0, "x")));
}

TEST_F(ProtocolZapRpc, ATargetThatFailedIs400)
{
	EXPECT_EQ(Answer(404, 1), serve.Ask(Call(77, 1, 0)));
	EXPECT_EQ(Answer(400, 2), serve.Ask(Call(kEcho, 2, 1)));
	EXPECT_EQ(Answer(200, 3, "x"), serve.Ask(Call(kEcho, 3, 0, "x")));
	EXPECT_EQ(Answer(404, 4), serve.Ask(Call(77, 4, 3)));
}

TEST_F(ProtocolZapRpc, PromisesAreTheConnectionsOwn)
{
	serve.Ask(Call(kEcho, 1, 0, "a"), 1);
	serve.Ask(Call(kEcho, 1, 0, "b"), 2);
	EXPECT_EQ(Answer(200, 2, "a"), serve.Ask(Call(kEcho, 2, 1), 1));
	EXPECT_EQ(Answer(200, 2, "b"), serve.Ask(Call(kEcho, 2, 1), 2));
}

TEST_F(ProtocolZapRpc, WithoutAnAnnexATargetIs400AndAllElseIsServed)
{
	for (uint64_t id = 1; id <= kNbAnnexes; id++)
		EXPECT_EQ(Answer(200, 1, "x"), serve.Ask(Call(kEcho, 1, 0, "x"), id));
	EXPECT_EQ(Answer(200, 1, "x"), serve.Ask(Call(kEcho, 1, 0, "x"), 9));
	EXPECT_EQ(Answer(400, 2), serve.Ask(Call(kEcho, 2, 1), 9));
	EXPECT_EQ(1u, serve.shard.stats.nb_annexes_full);
	Close(1);
	EXPECT_EQ(Answer(400, 3), serve.Ask(Call(kEcho, 3, 1), 9)); // none begins in the middle
	EXPECT_EQ("", serve.Ask(Call(kEcho, 3, 1), 10));            // and this one has it
	EXPECT_EQ(1u, serve.shard.stats.nb_annexes_full);
}

TEST_F(ProtocolZapRpc, AnAnnexBringsNothingOfWhoHadItBefore)
{
	serve.Ask(Call(kEcho, 1, 0, "secret"), 1);
	serve.Ask(Call(kEcho, 5, 4), 1);
	serve.Ask(Call(kEcho, 1, 0), 2);
	Close(1);
	EXPECT_EQ("", serve.Ask(Call(kEcho, 2, 1), 3));
	EXPECT_EQ(Answer(200, 4, "x"), serve.Ask(Call(kEcho, 4, 0, "x"), 3));
}

TEST_F(ProtocolZapRpc, CallsWithoutPromisesNeedNoAnnex)
{
	for (uint64_t id = 1; id <= kNbAnnexes + 1; id++)
		EXPECT_EQ(Answer(200, 0, "x"), serve.Ask(Call(kEcho, 0, 0, "x"), id));
	EXPECT_EQ(0u, serve.shard.stats.nb_annexes_full);
}

TEST_F(ProtocolZapRpc, FramesThatAreNoCallsArePassedOver)
{
	const std::string ping = Call(kEcho, 1, 0, "x");
	const std::string pong = Answer(200, 1, "x");

	EXPECT_EQ(pong, serve.Ask(Golden("edge_dir_unknown") + ping));
	EXPECT_EQ(pong, serve.Ask(Golden("edge_stream_msg_short") + ping));
	EXPECT_EQ(pong, serve.Ask(Golden("transport_stream_open") + ping));
	EXPECT_EQ(pong, serve.Ask(Golden("transport_stream_msg") + ping));
	EXPECT_EQ(pong, serve.Ask(pong + ping)); // an answer that nobody waits for
	EXPECT_EQ(pong, serve.Ask(Bytes("0100000000") + ping));
	EXPECT_EQ(pong, serve.Ask(Bytes("050000000501000000") + ping));
}

TEST_F(ProtocolZapRpc, AnEnvelopeThatCannotBeReadIsNotAnswered)
{
	EXPECT_EQ(Answer(200, 1, "x"),
		serve.Ask(Bytes("05000000") + "\x01zap." + Bytes("0100000001") +
			  Bytes("11000000015a415000020000c80000000010000000") +
			  Call(kEcho, 1, 0, "x")));
}

TEST_F(ProtocolZapRpc, AWrongLengthClosesWithoutAWord)
{
	const char *const names[] = { "edge_len_zero", "edge_len_over_64mib",
		"edge_len_big_endian" };
	uint64_t id = 1;

	for (const char *name : names) {
		EXPECT_EQ(Answer(200, 1, "x"),
			serve.Ask(Call(kEcho, 1, 0, "x") + Golden(name) + Call(kEcho, 2, 0), id));
		EXPECT_TRUE(serve.At(id).is_closed) << name;
		id++;
	}
}

TEST_F(ProtocolZapRpc, AFrameOfTheLimitIsTakenAndOneMoreIsNot)
{
	const std::string call = Call(kEcho, 1, 0, "0123456789");

	serve.limits.request_max = call.size() - 4;
	EXPECT_EQ(Answer(200, 1, "0123456789"), serve.Ask(call));
	EXPECT_FALSE(serve.At(1).is_closed);
	EXPECT_EQ("", serve.Ask(Call(kEcho, 1, 0, "0123456789a")));
	EXPECT_TRUE(serve.At(1).is_closed);
}

TEST_F(ProtocolZapRpc, TheFrameOf64MiBIsWaitedForAndOneMoreByteIsNot)
{
	serve.limits.request_max = 256u << 20;
	EXPECT_EQ("", serve.Ask(Bytes("0000000401"), 1));
	EXPECT_FALSE(serve.At(1).is_closed);
	EXPECT_EQ("", serve.Ask(Bytes("0100000401"), 2));
	EXPECT_TRUE(serve.At(2).is_closed);
}

TEST_F(ProtocolZapRpc, BytesMayComeOneByOne)
{
	const std::string in = Golden("transport_unary_ok") + Golden("edge_dir_unknown") +
			       Call(kEcho, 3, 2) + Call(kEcho, 2, 1) +
			       Golden("transport_unary_unknown_method");
	const std::string want = serve.Ask(in, 1);
	std::string out;

	for (char byte : in)
		out += serve.Ask(std::string(1, byte), 2);
	EXPECT_EQ(want, out);
	EXPECT_EQ(4u * (5 + 36) + 3 * 80, want.size());
}

TEST_F(ProtocolZapRpc, AFrameThatDoesNotComeInTimeEndsWithoutAWord)
{
	ExpectTimeoutWithoutAWord(leat_protocol_find("zap-rpc"));
}

TEST_F(ProtocolZapRpc, NoRoomForTheArgumentsChangesNothing)
{
	const leat_protocol *protocol = leat_protocol_find("zap-rpc");
	const std::string in = Call(kEcho, 1, 0);
	leat_protocol_state state = {};
	leat_protocol_limits limits = {};
	leat_slice argv[2];
	leat_request req;

	limits.request_max = 4096;
	EXPECT_EQ(-ENOBUFS, protocol->decode(&state, &limits, golden::Slice(in), &req, argv, 1));
	EXPECT_EQ((ssize_t)in.size(),
		protocol->decode(&state, &limits, golden::Slice(in), &req, argv, 2));
}

TEST_F(ProtocolZapRpc, UnderAPasswordACallNeedsItAsItsCapability)
{
	serve.shard.server.requirepass = "secret";
	EXPECT_EQ(Answer(401, 1), serve.Ask(Call(kEcho, 1, 0, "x")));
	EXPECT_EQ(Answer(401, 2), serve.Ask(Call(kEcho, 2, 0, "x", "secrets")));
	EXPECT_EQ(Answer(200, 3, "x"), serve.Ask(Call(kEcho, 3, 0, "x", "secret")));
	EXPECT_EQ(Answer(200, 4, "y"), serve.Ask(Call(kEcho, 4, 0, "y"))); // from now on
	EXPECT_EQ(Answer(401, 1), serve.Ask(Call(kEcho, 1, 0, "x"), 2));
}

// As long as what RESP grants one argument of a guest.
TEST_F(ProtocolZapRpc, AGuestsFrameAtTheLimitAndOneOver)
{
	const std::string longest(16384 - 1 - 44 - 6, 'x');
	const std::string over = Call(kEcho, 2, 0, longest + "x", "secret");

	serve.shard.server.requirepass = "secret";
	EXPECT_EQ("", serve.Ask(over.substr(0, 4), 2));
	EXPECT_TRUE(serve.At(2).is_closed);
	EXPECT_EQ(Answer(200, 1, longest), serve.Ask(Call(kEcho, 1, 0, longest, "secret")));
	EXPECT_EQ(Answer(200, 2, longest + "x"), serve.Ask(over)); // he is none any more
}

TEST_F(ProtocolZapRpc, WhoWasRefusedLeavesNothingBehind)
{
	serve.shard.server.requirepass = "secret";
	serve.Ask(Call(kEcho, 1, 0, "x") + Call(kEcho, 2, 1));
	EXPECT_EQ(Answer(200, 1, "y"), serve.Ask(Call(kEcho, 1, 0, "y", "secret")));
	EXPECT_EQ(Answer(200, 3, "y"), serve.Ask(Call(kEcho, 3, 1)));
}

// The longest parameter that the longest frame can have: it overlaps its own slot.
TEST_F(ProtocolZapRpc, TheAnswerToTheLongestFrameFitsInAFrame)
{
	const size_t size = LEAT_ZAPRPC_FRAME_MAX - 1;
	std::string in = Call(kEcho, 1, 0);

	in.resize(4 + 1 + size, 'x');
	uint8_t *at = (uint8_t *)in.data();
	leat_le32_put(at, (uint32_t)size + 1);
	leat_le32_put(at + 5 + 12, (uint32_t)size);
	leat_le32_put(at + 5 + 36, 1);
	leat_le32_put(at + 5 + 40, (uint32_t)size - 37);
	serve.limits.request_max = LEAT_ZAPRPC_FRAME_MAX;
	serve.SetRoom(in.size());
	EXPECT_TRUE(Answer(200, 1, in.substr(5 + 37)) == serve.Ask(in));
}

} // namespace
