// SPDX-License-Identifier: BSD-3-Clause

#include <sstream>
#include <string>

#include "command_fixture.h"

namespace
{

bool
Contains(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

using CommandServer = CommandTest;

TEST_F(CommandServer, InfoTellsAllSections)
{
	(void)Ask({ "SET", "k", "v", "EX", "10" });
	(void)Ask({ "SET", "l", "v" });
	shard.stats.nb_conns = 7;

	std::string info = Ask({ "INFO" });

	for (const char *line : { "# Server\r\n", "redis_version:7.0.15\r\n",
		     "leat_version:0.1.0\r\n", "process_id:4711\r\n", "tcp_port:6379\r\n",
		     "run_id:0123456789012345678901234567890123456789\r\n",
		     "uptime_in_seconds:90\r\n", "\r\n\r\n# Clients\r\n", "connected_clients:7\r\n",
		     "maxclients:100\r\n", "# Memory\r\n", "used_memory:", "loading:0\r\n",
		     "total_commands_processed:3\r\n", "role:master\r\n",
		     "\r\n\r\n# Keyspace\r\ndb0:keys=2,expires=1,avg_ttl=0\r\n" })
		EXPECT_TRUE(Contains(info, line)) << line << info;
}

TEST_F(CommandServer, InfoTellsOnlyWhatIsAsked)
{
	EXPECT_EQ("\"# Keyspace\r\n\"", Ask({ "INFO", "KeySpace" }));
	EXPECT_EQ("\"\"", Ask({ "INFO", "nosuch" }));

	std::string two = Ask({ "INFO", "keyspace", "clients", "keyspace" });

	EXPECT_EQ(0u, two.find("\"# Clients\r\n"));
	EXPECT_TRUE(Contains(two, "\r\n\r\n# Keyspace\r\n"));
	EXPECT_FALSE(Contains(two, "# Server"));
	EXPECT_EQ(Ask({ "INFO", "all" }).size(), Ask({ "INFO", "everything" }).size());
}

TEST_F(CommandServer, InfoSurvivesTheLongestConfigurationPath)
{
	std::string path(10000, 'p');

	shard.server.config_path = path.c_str();
	EXPECT_LT(Ask({ "INFO" }).size(), 5000u);
}

TEST_F(CommandServer, ConfigGetTellsLimits)
{
	EXPECT_EQ("map 1 \"maxclients\" \"100\"", Ask({ "CONFIG", "GET", "maxclients" }));
	EXPECT_EQ("map 1 \"proto-max-bulk-len\" \"1048576\"",
		Ask({ "CONFIG", "GET", "proto-max-bulk-le?" }));
	EXPECT_EQ("map 1 \"maxmemory\" \"" + std::to_string(leat_store_mem_len(shard.ctx.store)) +
			  "\"",
		Ask({ "CONFIG", "GET", "maxmemory" }));
	EXPECT_EQ("map 2 \"appendonly\" \"no\" \"save\" \"\"",
		Ask({ "CONFIG", "GET", "save", "append*" }));
	EXPECT_EQ("map 14", Ask({ "CONFIG", "GET", "*" }).substr(0, 6));
}

TEST_F(CommandServer, PatternsMatchAsInRedis)
{
	for (const char *pattern : { "port", "p*", "*", "po[q-r]t", "po[r-q]t", "po[^a]t", "?ort",
		     "p\\ort", "***t", "p*o*r*t", "[p]ort", "PORT" })
		EXPECT_TRUE(Contains(Ask({ "CONFIG", "GET", pattern }), "6379")) << pattern;
	for (const char *pattern :
		{ "", "por", "portt", "?", "po[a-q]t", "po[^r]t", "p*x", "[port", "\\*", "po[]rt" })
		EXPECT_FALSE(Contains(Ask({ "CONFIG", "GET", pattern }), "6379")) << pattern;
}

TEST_F(CommandServer, PatternOverTheLimitMatchesNothing)
{
	std::string stars(LEAT_COMMAND_PATTERN_MAX, '*');

	EXPECT_EQ("map 14", Ask({ "CONFIG", "GET", stars }).substr(0, 6));
	EXPECT_EQ("map 0", Ask({ "CONFIG", "GET", stars + "*" }));
}

TEST_F(CommandServer, QueriesAtTheLimitAreAnsweredAndOneOverRefused)
{
	Words config = { "CONFIG", "GET" };
	Words info = { "COMMAND", "INFO" };
	Words docs = { "COMMAND", "DOCS" };

	config.resize(2 + LEAT_COMMAND_QUERIES_MAX, "save");
	info.resize(2 + LEAT_COMMAND_QUERIES_MAX, "get");
	docs.resize(2 + LEAT_COMMAND_QUERIES_MAX, "get");
	for (Words *words : { &config, &info, &docs }) {
		EXPECT_NE('-', Ask(*words)[0]);
		words->emplace_back("x");
		EXPECT_EQ("-ERR wrong number of arguments", Ask(*words).substr(0, 30));
	}
}

using CommandClient = CommandTest;

TEST_F(CommandClient, HelloTellsTheServerAndSetsTheName)
{
	EXPECT_EQ("map 7 \"server\" \"redis\" \"version\" \"7.0.15\" \"proto\" 2 \"id\" 1 "
		  "\"mode\" \"standalone\" \"role\" \"master\" \"modules\" array 0",
		Ask({ "HELLO", "2", "AUTH", "default", "any", "SETNAME", "me" }));
	EXPECT_EQ("\"me\"", Ask({ "CLIENT", "GETNAME" }));
	EXPECT_EQ("map 7", Ask({ "HELLO" }).substr(0, 5));
	EXPECT_EQ("-NOPROTO unsupported protocol version", Ask({ "HELLO", "4" }));
}

TEST_F(CommandClient, NameAtTheLimitIsTakenAndOneOverRefused)
{
	std::string name(LEAT_CLIENT_NAME_MAX, 'n');

	EXPECT_EQ("+OK", Ask({ "CLIENT", "SETNAME", name }));
	EXPECT_EQ("-ERR Client names cannot be longer than 64 bytes.",
		Ask({ "CLIENT", "SETNAME", name + "n" }));
	EXPECT_EQ("\"" + name + "\"", Ask({ "CLIENT", "GETNAME" }));
}

TEST_F(CommandClient, IdIsTheConnections)
{
	EXPECT_EQ("1", Ask({ "CLIENT", "ID" }));
	EXPECT_EQ("42", AskAs(42, { "CLIENT", "ID" }));
}

TEST_F(CommandClient, InfoTellsNamesAndSubscriptions)
{
	EXPECT_EQ("+OK", Ask({ "CLIENT", "SETNAME", "me" }));
	EXPECT_EQ("+OK", Ask({ "CLIENT", "SETINFO", "LIB-NAME", "lib" }));
	EXPECT_EQ("+OK", Ask({ "CLIENT", "SETINFO", "lib-ver", "1.2" }));
	shard.Advance(61999);
	EXPECT_EQ("\"id=1 addr=10.77.0.2:47578 laddr=10.77.0.1:6379 name=me age=61 idle=0 flags=N "
		  "db=0 sub=0 psub=0 ssub=0 multi=-1 cmd=client|info user=default redir=-1 resp=2 "
		  "lib-name=lib lib-ver=1.2\n\"",
		Ask({ "CLIENT", "INFO" }));
}

// Field by field the words of the release that is matched, in its order, as far as they
// have a meaning here; behind them those of a later one that CLIENT SETINFO is of.
TEST_F(CommandClient, TheFieldsOfALineStandInTheOrderOfRedis)
{
	const std::string redis =
		"id=4 addr=[::1]:57818 laddr=[::1]:17379 fd=8 name= age=0 idle=0 flags=N db=0 "
		"sub=0 "
		"psub=0 ssub=0 multi=-1 qbuf=26 qbuf-free=20448 argv-mem=10 multi-mem=0 rbs=16384 "
		"rbp=16384 obl=0 oll=0 omem=0 tot-mem=37658 events=r cmd=client|list user=default "
		"redir=-1 resp=2";
	Client &client = At(4);

	client.peer = "[::1]:57818";
	client.local = "[::1]:17379";
	std::string line = AskAs(4, { "CLIENT", "LIST" });
	size_t end = line.find(" lib-name= lib-ver=\n\"");
	ASSERT_NE(std::string::npos, end);
	line = line.substr(1, end - 1);
	// What is told is redis' text with some fields left out.
	size_t at = 0;
	std::istringstream fields(line);
	for (std::string field; fields >> field;) {
		size_t found = (" " + redis + " ").find(" " + field + " ", at);

		ASSERT_NE(std::string::npos, found) << field;
		at = found;
	}
}

TEST_F(CommandClient, SetinfoRefusesWhatCannotStandInALine)
{
	EXPECT_EQ("-ERR lib-name cannot contain spaces, newlines or special characters.",
		Ask({ "CLIENT", "SETINFO", "LIB-NAME", "a b" }));
	EXPECT_EQ("-ERR Unrecognized option 'x'", Ask({ "CLIENT", "SETINFO", "x", "y" }));
}

TEST_F(CommandClient, LongestNamesFitInTheLine)
{
	std::string name(LEAT_CLIENT_NAME_MAX, 'n');

	(void)Ask({ "CLIENT", "SETNAME", name });
	(void)Ask({ "CLIENT", "SETINFO", "LIB-NAME", name });
	(void)Ask({ "CLIENT", "SETINFO", "LIB-VER", name });
	At(1).client.id = UINT64_MAX;
	shard.ctx.now_us = UINT64_MAX;
	At(1).local = std::string(LEAT_CLIENT_END_MAX - 1, 'l');
	At(1).peer = std::string(LEAT_CLIENT_END_MAX - 1, 'p');
	EXPECT_TRUE(Contains(Ask({ "CLIENT", "INFO" }), "lib-ver=" + name + "\n"));
}

TEST_F(CommandClient, ListHoldsTheOneThatAsks)
{
	EXPECT_TRUE(Contains(Ask({ "CLIENT", "LIST" }), "id=1 "));
	EXPECT_TRUE(Contains(Ask({ "CLIENT", "LIST", "ID", "5", "1" }), "id=1 "));
	EXPECT_TRUE(Contains(Ask({ "CLIENT", "LIST", "TYPE", "normal" }), "id=1 "));
	EXPECT_EQ("\"\"", Ask({ "CLIENT", "LIST", "ID", "5" }));
	EXPECT_EQ("\"\"", Ask({ "CLIENT", "LIST", "TYPE", "pubsub" }));
}

TEST_F(CommandClient, QuitAsksForTheEnd)
{
	EXPECT_EQ("+OK", Ask({ "QUIT" }));
	EXPECT_TRUE(At(1).client.close);
}

using CommandCommand = CommandTest;

TEST_F(CommandCommand, CountIsTheSizeOfTheTable)
{
	uint32_t nb;

	(void)leat_command_table(&nb);
	EXPECT_EQ(std::to_string(nb), Ask({ "COMMAND", "COUNT" }));
	EXPECT_EQ("array " + std::to_string(nb) + " array 10 \"auth\" -",
		Ask({ "COMMAND" }).substr(0, 26));
	EXPECT_EQ(Ask({ "COMMAND" }), Ask({ "COMMAND", "INFO" }));
}

TEST_F(CommandCommand, ListHoldsSubcommands)
{
	std::string list = Ask({ "COMMAND", "LIST" });

	EXPECT_TRUE(Contains(list, "\"get\""));
	EXPECT_TRUE(Contains(list, "\"client|setinfo\""));
	EXPECT_EQ("array 1 \"zscore\"", Ask({ "COMMAND", "LIST", "FILTERBY", "PATTERN", "zs*" }));
	EXPECT_TRUE(Contains(Ask({ "COMMAND", "LIST", "FILTERBY", "ACLCAT", "hash" }), "\"hget\""));
}

TEST_F(CommandCommand, DocsTellSyntax)
{
	EXPECT_EQ("map 1 \"get\" map 5 \"summary\" \"Returns the string value of a key.\" "
		  "\"since\" \"1.0.0\" \"group\" \"string\" \"complexity\" \"O(1)\" \"arguments\" "
		  "array 1 map 3 \"name\" \"key\" \"type\" \"key\" \"key_spec_index\" 0",
		Ask({ "COMMAND", "DOCS", "get", "nosuch" }));
	EXPECT_TRUE(Contains(
		Ask({ "COMMAND", "DOCS", "set" }), "\"token\" \"PX\" \"since\" \"2.6.12\""));
	EXPECT_TRUE(Contains(Ask({ "COMMAND", "DOCS", "client" }),
		"\"subcommands\" map 8 \"client|getname\" map 4"));
	EXPECT_TRUE(Contains(Ask({ "COMMAND", "DOCS", "set" }), "\"flags\" set 1 +optional"));
}

TEST_F(CommandCommand, HelpNamesEachSubcommand)
{
	EXPECT_EQ("array 5 +Subcommands are: +GET", Ask({ "CONFIG", "HELP" }).substr(0, 30));
	EXPECT_TRUE(Contains(Ask({ "CLIENT", "HELP" }), "+NO-EVICT +    "));
	EXPECT_TRUE(Contains(Ask({ "COMMAND", "HELP" }), "+GETKEYS"));
}

} // namespace
