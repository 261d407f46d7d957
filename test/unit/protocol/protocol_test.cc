// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include <leat_protocol.h>

namespace
{

constexpr leat_protocol_limits kLimits = { 1 << 20, 8, 0, 0, false, nullptr, nullptr };

ssize_t
Decode(leat_protocol_state *state, const std::string &bytes, leat_request *req, leat_slice *argv,
	uint32_t argv_max, const leat_protocol_limits &limits = kLimits)
{
	const leat_protocol *resp = leat_protocol_find("resp");

	return resp->decode(state, &limits, { (const uint8_t *)bytes.data(), bytes.size() }, req,
		argv, argv_max);
}

bool
IsZero(const leat_protocol_state &state)
{
	for (uint64_t word : state.words) {
		if (word != 0)
			return false;
	}
	return true;
}

TEST(ProtocolFind, KnowsEachOfAll)
{
	unsigned nb = 0;

	for (const leat_protocol *const *p = leat_protocol_all(); *p != nullptr; p++, nb++)
		EXPECT_EQ(*p, leat_protocol_find((*p)->name));
	EXPECT_GE(nb, 1u);
	EXPECT_EQ(nullptr, leat_protocol_find("RESP"));
	EXPECT_EQ(nullptr, leat_protocol_find(""));
}

TEST(ProtocolResp, DecodesToACommandOfTheTable)
{
	const std::string bytes = "*2\r\n$3\r\ngEt\r\n$1\r\nk\r\n";
	leat_protocol_state state = {};
	leat_slice argv[8];
	leat_request req;

	ASSERT_EQ(20, Decode(&state, bytes, &req, argv, 8));
	EXPECT_EQ(leat_command_find(LEAT_SLICE("get")), req.command);
	EXPECT_EQ(2u, req.argc);
	EXPECT_EQ(2u, req.argv_len);
	EXPECT_EQ(argv, req.argv);
	EXPECT_EQ(0, req.refusal);
	EXPECT_FALSE(req.close);
	EXPECT_FALSE(req.hint.is_hashed);
}

TEST(ProtocolResp, UnknownCommandIsARequestWithoutOne)
{
	const std::string bytes = "nosuch a\r\n";
	leat_protocol_state state = {};
	leat_slice argv[8];
	leat_request req;

	ASSERT_EQ(10, Decode(&state, bytes, &req, argv, 8));
	EXPECT_EQ(nullptr, req.command);
	EXPECT_EQ(2u, req.argc);
}

TEST(ProtocolResp, EmptyLineIsARequestOfNothing)
{
	leat_protocol_state state = {};
	leat_slice argv[8];
	leat_request req;

	ASSERT_EQ(2, Decode(&state, "\r\n", &req, argv, 8));
	EXPECT_EQ(0u, req.argc);
	EXPECT_EQ(0, req.refusal);
}

TEST(ProtocolResp, EscapesTakeRoomThatTheRequestTells)
{
	const std::string bytes = "ECHO \"\\x41\"\r\n";
	leat_protocol_state state = {};
	leat_slice argv[8];
	leat_request req;

	EXPECT_EQ(-ENOBUFS, Decode(&state, bytes, &req, argv, 2));
	ASSERT_EQ((ssize_t)bytes.size(), Decode(&state, bytes, &req, argv, 3));
	EXPECT_EQ(3u, req.argv_len);
	EXPECT_EQ(1u, req.argv[1].len);
	EXPECT_EQ('A', req.argv[1].data[0]);
}

TEST(ProtocolResp, StateRemembersAndRewindForgets)
{
	const std::string bytes = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
	leat_protocol_state state = {};
	leat_slice argv[8];
	leat_request req;

	EXPECT_EQ(0, Decode(&state, bytes.substr(0, 14), &req, argv, 8));
	EXPECT_FALSE(IsZero(state));
	leat_protocol_find("resp")->rewind(&state);
	EXPECT_TRUE(IsZero(state));
	EXPECT_EQ(0, Decode(&state, bytes.substr(0, 3), &req, argv, 8));
	EXPECT_EQ(20, Decode(&state, bytes, &req, argv, 8));
	EXPECT_TRUE(IsZero(state));
}

TEST(ProtocolResp, ArgumentsAtTheLimitAreDecodedAndOneOverRefused)
{
	leat_protocol_state state = {};
	leat_slice argv[16];
	leat_request req;

	EXPECT_EQ(16, Decode(&state, "1 2 3 4 5 6 7 8\n", &req, argv, 16));
	EXPECT_EQ(-EMSGSIZE, Decode(&state, "*9\r\n", &req, argv, 16));
	EXPECT_EQ(0, Decode(&state, "*1048576\r\n", &req, argv, 16,
			     { 1 << 30, 0, 0, 0, false, nullptr, nullptr }));
	leat_protocol_find("resp")->rewind(&state);
	EXPECT_EQ(-EMSGSIZE, Decode(&state, "*1048577\r\n", &req, argv, 16,
				     { 1 << 30, 0, 0, 0, false, nullptr, nullptr }));
}

TEST(ProtocolResp, RefusalIsOneErrorLineAndTheEnd)
{
	const leat_protocol *resp = leat_protocol_find("resp");
	leat_protocol_state state = {};
	leat_slice argv[8];
	uint8_t out[128];
	leat_request req;
	leat_writer writer;
	leat_reply reply = {};

	ASSERT_EQ(-EBADMSG, Decode(&state, "*1\r\n\n4\r\nPING\r\n", &req, argv, 8));
	EXPECT_TRUE(req.close);
	leat_writer_init(&writer, out, sizeof(out));
	reply.ops = resp->reply;
	reply.writer = &writer;
	resp->refuse(&req, &reply);
	EXPECT_EQ("-ERR Protocol error: expected '$', got ' '\r\n",
		std::string((const char *)out, (size_t)(writer.pos - out)));
}

TEST(ProtocolResp, MapsAndPushesAreArrays)
{
	uint8_t out[64];
	leat_writer writer;
	leat_reply reply = {};

	leat_writer_init(&writer, out, sizeof(out));
	reply.ops = leat_protocol_find("resp")->reply;
	reply.writer = &writer;
	leat_reply_map(&reply, 3);
	leat_reply_push(&reply, 3);
	leat_reply_array(&reply, 3);
	leat_reply_score(&reply, 0.5);
	EXPECT_EQ("*6\r\n*3\r\n*3\r\n$3\r\n0.5\r\n",
		std::string((const char *)out, (size_t)(writer.pos - out)));
}

} // namespace
