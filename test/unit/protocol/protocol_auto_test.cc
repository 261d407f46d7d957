// SPDX-License-Identifier: BSD-3-Clause

// RESP and SBE on one port.

#include <string>

#include <gtest/gtest.h>

#include "sbe_serve.h"

namespace
{

const std::string kMagic = LEAT_SBE_MAGIC;

class ProtocolAuto : public testing::Test
{
      protected:
	std::string Speaks(uint64_t id = 1)
	{
		return serve.At(id).protocol->name;
	}

	Serve serve{ "auto" };
};

TEST_F(ProtocolAuto, TheMagicChoosesSbe)
{
	EXPECT_EQ("", serve.Ask(kMagic));
	EXPECT_EQ("sbe", Speaks());
	EXPECT_EQ(SbeVectorBytes("PONG"), serve.Ask(SbeVectorBytes("Ping")));
}

TEST_F(ProtocolAuto, FramesMayFollowTheMagicAtOnce)
{
	EXPECT_EQ(SbeVectorBytes("OK") + SbeVectorBytes("bulk value-0000000001"),
		serve.Ask(kMagic + SbeVectorBytes("Set k value-0000000001") +
			  SbeVectorBytes("Get k")));
}

TEST_F(ProtocolAuto, PartOfTheMagicDecidesNothing)
{
	for (size_t len = 0; len < kMagic.size(); len++) {
		EXPECT_EQ("", serve.Ask(kMagic.substr(0, len), 10 + len));
		EXPECT_EQ("auto", Speaks(10 + len));
		EXPECT_EQ("", serve.Ask(kMagic.substr(len), 10 + len));
		EXPECT_EQ("sbe", Speaks(10 + len)) << len;
	}
}

TEST_F(ProtocolAuto, TheFirstMismatchIsResp)
{
	EXPECT_EQ("+PONG\r\n", serve.Ask("*1\r\n$4\r\nPING\r\n", 1));
	EXPECT_EQ("resp", Speaks(1));
	EXPECT_EQ("+PONG\r\n", serve.Ask("PING\r\n", 2));
	EXPECT_EQ("$-1\r\n", serve.Ask("GET k\r\n", 3));
	EXPECT_EQ("-ERR unknown command 'GOBLIN.X', with args beginning with: \r\n",
		serve.Ask("GOBLIN.X\r\n", 4));
	EXPECT_EQ("resp", Speaks(4));
}

TEST_F(ProtocolAuto, RespMayComeByteByByte)
{
	std::string out;

	for (char byte : std::string("GOBLIN.X\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"))
		out += serve.Ask(std::string(1, byte));
	EXPECT_EQ("-ERR unknown command 'GOBLIN.X', with args beginning with: \r\n$-1\r\n", out);
}

TEST_F(ProtocolAuto, TheChoiceIsFinal)
{
	(void)serve.Ask("PING\r\n");
	EXPECT_EQ("-ERR unknown command 'GOBLINS!', with args beginning with: \r\n",
		serve.Ask(kMagic + "\r\n"));
	(void)serve.Ask(kMagic, 2);
	EXPECT_NE("+PONG\r\n", serve.Ask("PING\r\n", 2));
	EXPECT_TRUE(serve.At(2).is_closed);
}

TEST_F(ProtocolAuto, RefusalsAreTheChosenProtocols)
{
	EXPECT_EQ("-ERR Protocol error: invalid multibulk length\r\n", serve.Ask("*x\r\n"));
	EXPECT_TRUE(serve.At(1).is_closed);
}

TEST_F(ProtocolAuto, EachSeesTheOthersMessages)
{
	EXPECT_EQ(SbeVectorBytes("push subscribe c 1"),
		serve.Ask(kMagic + SbeVectorBytes("Subscribe c"), 1));
	EXPECT_EQ("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n", serve.Ask("subscribe c\r\n", 2));
	EXPECT_EQ(":2\r\n", serve.Ask("publish c quote-update\r\n", 3));
	EXPECT_EQ(SbeVectorBytes("push message c"), serve.Take(1));
	EXPECT_EQ("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$12\r\nquote-update\r\n", serve.Take(2));
}

TEST_F(ProtocolAuto, RewindForgetsHowFarRespWas)
{
	const leat_protocol *both = leat_protocol_find("auto");
	leat_protocol_state state = {};
	leat_slice argv[4];
	leat_request req;
	std::string bytes = "*1\r\n$4\r\nPING\r\n";

	EXPECT_EQ(0, both->decode(&state, &serve.limits, Slice(bytes.substr(0, 9)), &req, argv, 4));
	both->rewind(&state);
	for (uint64_t word : state.words)
		EXPECT_EQ(0u, word);
	EXPECT_EQ((ssize_t)bytes.size(),
		both->decode(&state, &serve.limits, Slice(bytes), &req, argv, 4));
	EXPECT_EQ(leat_protocol_find("resp"), req.speaks);
}

} // namespace
