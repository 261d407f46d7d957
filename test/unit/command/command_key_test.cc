// SPDX-License-Identifier: BSD-3-Clause

// Time and memory, which the recorded conversations with redis-server leave out.

#include <string>

#include "command_fixture.h"

namespace
{

using CommandTime = CommandTest;

TEST_F(CommandTime, SetWithExpiryEndsToTheMillisecond)
{
	EXPECT_EQ("+OK", Ask({ "SET", "k", "v", "PX", "1500" }));
	EXPECT_EQ("1500", Ask({ "PTTL", "k" }));
	EXPECT_EQ("2", Ask({ "TTL", "k" })); // to the nearest second
	shard.Advance(1499);
	EXPECT_EQ("1", Ask({ "PTTL", "k" }));
	EXPECT_EQ("0", Ask({ "TTL", "k" }));
	EXPECT_EQ("\"v\"", Ask({ "GET", "k" }));
	shard.Advance(1);
	EXPECT_EQ("null", Ask({ "GET", "k" }));
	EXPECT_EQ("-2", Ask({ "TTL", "k" }));
}

TEST_F(CommandTime, SetAtAMomentOfUnixTime)
{
	EXPECT_EQ("+OK", Ask({ "SET", "k", "v", "PXAT", std::to_string(kWallMs + 250) }));
	EXPECT_EQ("250", Ask({ "PTTL", "k" }));
	EXPECT_EQ("+OK", Ask({ "SET", "k", "v", "EXAT", std::to_string(kWallMs / 1000 + 9) }));
	EXPECT_EQ("9000", Ask({ "PTTL", "k" }));
	EXPECT_EQ("+OK", Ask({ "SET", "k", "v", "PXAT", std::to_string(kWallMs) }));
	EXPECT_EQ("null", Ask({ "GET", "k" }));
}

TEST_F(CommandTime, SetForgetsTheExpiryUnlessToldToKeepIt)
{
	(void)Ask({ "SET", "k", "v", "EX", "10" });
	(void)Ask({ "SET", "k", "w", "KEEPTTL" });
	EXPECT_EQ("10000", Ask({ "PTTL", "k" }));
	(void)Ask({ "SET", "k", "1", "GET", "KEEPTTL" });
	(void)Ask({ "INCR", "k" });
	EXPECT_EQ("10000", Ask({ "PTTL", "k" }));
	(void)Ask({ "SET", "k", "x" });
	EXPECT_EQ("-1", Ask({ "PTTL", "k" }));
}

TEST_F(CommandTime, ExpireAcceptsTheSameMomentOnlyWithoutGtAndLt)
{
	(void)Ask({ "SET", "k", "v" });
	EXPECT_EQ("1", Ask({ "EXPIRE", "k", "10" }));
	EXPECT_EQ("0", Ask({ "PEXPIRE", "k", "10000", "GT" }));
	EXPECT_EQ("0", Ask({ "PEXPIRE", "k", "10000", "LT" }));
	EXPECT_EQ("1", Ask({ "PEXPIRE", "k", "10001", "GT" }));
	EXPECT_EQ("1", Ask({ "PEXPIREAT", "k", std::to_string(kWallMs + 9999), "LT" }));
	EXPECT_EQ("9999", Ask({ "PTTL", "k" }));
}

TEST_F(CommandTime, ExpireOfAnExpiredKeyFindsNothing)
{
	(void)Ask({ "SET", "k", "v", "PX", "5" });
	shard.Advance(5);
	EXPECT_EQ("0", Ask({ "EXPIRE", "k", "10" }));
	EXPECT_EQ("0", Ask({ "PERSIST", "k" }));
	EXPECT_EQ("0", Ask({ "EXISTS", "k" }));
	EXPECT_EQ("0", Ask({ "DEL", "k" }));
	EXPECT_EQ("+none", Ask({ "TYPE", "k" }));
}

TEST_F(CommandTime, PersistTakesTheExpiryFromAHash)
{
	(void)Ask({ "HSET", "h", "f", "v" });
	EXPECT_EQ("1", Ask({ "EXPIRE", "h", "1" }));
	EXPECT_EQ("1", Ask({ "PERSIST", "h" }));
	shard.Advance(2000);
	EXPECT_EQ("\"v\"", Ask({ "HGET", "h", "f" }));
}

TEST_F(CommandTime, FarthestMomentsSaturate)
{
	EXPECT_EQ("+OK", Ask({ "SET", "k", "v", "PXAT", "9223372036854775807" }));
	EXPECT_EQ('1', Ask({ "PTTL", "k" })[0]);
	EXPECT_EQ("1", Ask({ "PEXPIREAT", "k", "9223372036854775807" }));
	EXPECT_EQ("\"v\"", Ask({ "GET", "k" }));
	EXPECT_EQ("1", Ask({ "PEXPIREAT", "k", "-9223372036854775808" }));
	EXPECT_EQ("null", Ask({ "GET", "k" }));
}

class CommandMemory : public CommandTest
{
      protected:
	// Fill the shard with strings; returns how many fit.
	unsigned Fill()
	{
		std::string big(100000, 'x');
		unsigned nb = 0;

		while (Ask({ "SET", "fill" + std::to_string(nb), big }) == "+OK")
			nb++;
		return nb;
	}

	const std::string kOom = "-OOM command not allowed when used memory > 'maxmemory'.";
};

TEST_F(CommandMemory, FullIsOutOfMemoryInTheWordsOfRedis)
{
	std::string big(100000, 'y');

	EXPECT_EQ("+OK", Ask({ "SET", "k", "v" }));
	EXPECT_EQ("1", Ask({ "HSET", "h", "f", "v" }));
	EXPECT_EQ("1", Ask({ "ZADD", "z", "1", "m" }));
	EXPECT_GT(Fill(), 10u);
	EXPECT_EQ(kOom, Ask({ "SET", "k", big }));
	EXPECT_EQ(kOom, Ask({ "SET", "k", big, "GET" }));
	EXPECT_EQ(kOom, Ask({ "HSET", "h", "f", big }));
	EXPECT_EQ(kOom, Ask({ "HSET", "h2", "f", big }));
	EXPECT_EQ(kOom, Ask({ "ZADD", "z", "2", "m", "1", big }));
	EXPECT_EQ(kOom, Ask({ "ZADD", "z", "INCR", "1", big }));
	// Nothing changed, and what frees memory works.
	EXPECT_EQ("\"v\"", Ask({ "GET", "k" }));
	EXPECT_EQ("\"v\"", Ask({ "HGET", "h", "f" }));
	EXPECT_EQ("score 1", Ask({ "ZSCORE", "z", "m" }));
	EXPECT_EQ("0", Ask({ "EXISTS", "h2" }));
	EXPECT_EQ("1", Ask({ "DEL", "fill0" }));
	EXPECT_EQ("+OK", Ask({ "SET", "k", "w" }));
}

TEST_F(CommandMemory, FlushallGivesItBack)
{
	(void)Fill();
	EXPECT_EQ("+OK", Ask({ "FLUSHALL" }));
	EXPECT_EQ("0", Ask({ "DBSIZE" }));
	while (leat_store_run(shard.ctx.store, shard.ctx.now_us) > 0)
		;
	EXPECT_GT(Fill(), 10u);
}

using CommandHash = CommandTest;

TEST_F(CommandHash, HgetallIsAMapOfEachField)
{
	(void)Ask({ "HSET", "h", "f", "1", "g", "2" });

	std::string reply = Ask({ "HGETALL", "h" });

	EXPECT_TRUE(reply == "map 2 \"f\" \"1\" \"g\" \"2\"" ||
		    reply == "map 2 \"g\" \"2\" \"f\" \"1\"")
		<< reply;
	EXPECT_EQ("map 0", Ask({ "HGETALL", "nosuch" }));
}

} // namespace
