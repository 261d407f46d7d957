// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <string>

#include "command_fixture.h"

namespace
{

TEST(CommandFind, FindsEveryCommandInAnyCase)
{
	uint32_t nb;
	const leat_command *table = leat_command_table(&nb);

	ASSERT_GT(nb, 30u);
	for (uint32_t i = 0; i < nb; i++) {
		std::string upper = table[i].name;

		for (char &c : upper)
			c = (char)toupper(c);
		EXPECT_EQ(&table[i], leat_command_find(leat_slice_str(table[i].name)));
		EXPECT_EQ(&table[i], leat_command_find(leat_slice_str(upper.c_str())));
	}
}

TEST(CommandFind, FindsNothingElse)
{
	for (const char *name : { "", "g", "ge", "gett", "get ", "g\x05t", "GE\x14", "client|id",
		     "health", "nosuch", "subscribex", "subscribf" })
		EXPECT_EQ(nullptr, leat_command_find(leat_slice_str(name))) << name;
	EXPECT_EQ(nullptr, leat_command_find({ (const uint8_t *)"get\0", 4 }));
}

TEST(CommandTable, IsSortedByName)
{
	uint32_t nb;
	const leat_command *table = leat_command_table(&nb);

	for (uint32_t i = 1; i < nb; i++)
		EXPECT_LT(strcmp(table[i - 1].name, table[i].name), 0);
}

TEST(CommandTable, EntriesAreWhole)
{
	uint32_t nb;
	const leat_command *table = leat_command_table(&nb);

	for (uint32_t i = 0; i < nb; i++) {
		EXPECT_NE(nullptr, table[i].run) << table[i].name;
		EXPECT_NE(nullptr, table[i].doc) << table[i].name;
		EXPECT_NE(0, table[i].arity) << table[i].name;
		EXPECT_LE(strlen(table[i].name), (size_t)LEAT_COMMAND_NAME_MAX);
		EXPECT_EQ(table[i].first_key == 0, table[i].key_step == 0) << table[i].name;
		EXPECT_FALSE((table[i].flags & LEAT_COMMAND_WRITE) &&
			     (table[i].flags & LEAT_COMMAND_READ));
		// The first key is there whenever the arity is right.
		EXPECT_LT(table[i].first_key, abs(table[i].arity)) << table[i].name;
	}
}

TEST(CommandTable, TellsKeysAndKind)
{
	const leat_command *get = leat_command_find(LEAT_SLICE("get"));
	const leat_command *del = leat_command_find(LEAT_SLICE("del"));
	const leat_command *ping = leat_command_find(LEAT_SLICE("ping"));

	EXPECT_EQ(LEAT_COMMAND_READ | LEAT_COMMAND_FAST, get->flags);
	EXPECT_EQ(2, get->arity);
	EXPECT_EQ(1, get->first_key);
	EXPECT_EQ(1, get->last_key);
	EXPECT_EQ(LEAT_COMMAND_WRITE, del->flags);
	EXPECT_EQ(-1, del->last_key);
	EXPECT_EQ(0, ping->first_key);
	EXPECT_EQ(LEAT_COMMAND_FAST | LEAT_COMMAND_ADMIN | LEAT_COMMAND_IN_SUBS, ping->flags);
}

using CommandExecute = CommandTest;

TEST_F(CommandExecute, CountsCommandsAndErrors)
{
	(void)Ask({ "PING" });
	(void)Ask({ "nosuch" });
	(void)Ask({ "GET" });
	EXPECT_EQ(3u, shard.stats.nb_commands);
	EXPECT_EQ(2u, shard.stats.nb_errors);
}

TEST_F(CommandExecute, CountsHitsAndMisses)
{
	(void)Ask({ "SET", "k", "v" });
	(void)Ask({ "GET", "k" });
	(void)Ask({ "GET", "nosuch" });
	(void)Ask({ "EXISTS", "k", "k", "nosuch" });
	EXPECT_EQ(3u, shard.stats.nb_key_hits);
	EXPECT_EQ(2u, shard.stats.nb_key_misses);
}

TEST_F(CommandExecute, HintsChangeNothing)
{
	for (bool hints : { true, false }) {
		with_hints = hints;
		EXPECT_EQ("+OK", Ask({ "SET", "k", "1" }));
		EXPECT_EQ("2", Ask({ "INCR", "k" }));
		EXPECT_EQ("1", Ask({ "DEL", "k", "k" }));
		EXPECT_EQ("1", Ask({ "HSET", "k", "f", "v" }));
		EXPECT_EQ("\"v\"", Ask({ "HGET", "k", "f" }));
		EXPECT_EQ("1", Ask({ "HDEL", "k", "f" }));
		EXPECT_EQ("1", Ask({ "ZADD", "k", "1", "m" }));
		EXPECT_EQ("score 3", Ask({ "ZADD", "k", "INCR", "2", "m" }));
		EXPECT_EQ("1", Ask({ "EXPIRE", "k", "10" }));
		EXPECT_EQ("+OK", Ask({ "FLUSHALL" }));
	}
}

TEST_F(CommandExecute, StaleHintOfAnEarlierTurnIsNotBelieved)
{
	leat_slice argv[] = { LEAT_SLICE("GET"), LEAT_SLICE("k") };
	leat_request req = {};
	leat_store_hint *hint = &req.hint;
	ReplyRecorder recorder;

	(void)Ask({ "SET", "k", "v" });
	req.command = leat_command_find(argv[0]);
	req.argc = 2;
	req.argv = argv;
	leat_store_hash(shard.ctx.store, argv[1], hint);
	leat_store_look_up(shard.ctx.store, &argv[1], &hint, 1);
	(void)Ask({ "DEL", "k" });
	leat_command_execute(&shard.ctx, &req, recorder.reply());
	EXPECT_EQ("null", recorder.Take());
}

TEST_F(CommandExecute, ErrorLinesNeverHoldALineEnd)
{
	const std::string nasty = "a\r\n+OK\r\n";

	for (const Words &words : { Words{ nasty, nasty }, Words{ "CLIENT", nasty },
		     Words{ "EXPIRE", "k", "1", nasty }, Words{ "HELLO", "2", nasty },
		     Words{ "CLIENT", "SETINFO", nasty, "x" },
		     Words{ "CLIENT", "LIST", "TYPE", nasty } }) {
		std::string reply = Ask(words);

		EXPECT_EQ('-', reply[0]);
		EXPECT_EQ(std::string::npos, reply.find_first_of("\r\n")) << reply;
	}
}

TEST(ReplyErrorf, CutsAtTheLimit)
{
	std::string fits(LEAT_REPLY_ERROR_MAX - 1, 'x');
	ReplyRecorder recorder;

	leat_reply_errorf(recorder.reply(), "%s", fits.c_str());
	EXPECT_EQ("-" + fits, recorder.Take());
	leat_reply_errorf(recorder.reply(), "%s", (fits + "y").c_str());
	EXPECT_EQ("-" + fits, recorder.Take());
}

} // namespace
