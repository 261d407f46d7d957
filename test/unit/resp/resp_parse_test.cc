// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_resp.h>

namespace
{

constexpr leat_resp_limits
Limits(size_t request_max, uint32_t argc_max)
{
	return { request_max, argc_max, 0, 0, false };
}

constexpr leat_resp_limits kLimits = Limits(1 << 20, 64);

// The outcome of one parse, with the arguments copied out.
struct Outcome {
	ssize_t ret = 0;
	leat_resp_refusal refusal = LEAT_RESP_OK;
	std::vector<std::string> args;
	std::string text; // of the refusal

	bool operator==(const Outcome &o) const
	{
		return ret == o.ret && refusal == o.refusal && args == o.args && text == o.text;
	}
};

// One parse of an exact-size heap copy, so that AddressSanitizer sees an over-read.
Outcome
ParseStep(leat_resp_parser *parser, const std::string &bytes,
	const leat_resp_limits &limits = kLimits, uint32_t argv_max = 64)
{
	std::unique_ptr<uint8_t[]> in(new uint8_t[bytes.size()]);
	std::unique_ptr<leat_slice[]> argv(new leat_slice[argv_max]);
	leat_resp_request req;
	Outcome outcome;
	char text[LEAT_RESP_REFUSAL_TEXT_MAX];

	std::copy(bytes.begin(), bytes.end(), in.get());
	outcome.ret = leat_resp_parse_request(
		parser, &limits, { in.get(), bytes.size() }, argv.get(), argv_max, &req);
	outcome.refusal = req.refusal;
	if (outcome.ret == -EBADMSG || outcome.ret == -EMSGSIZE)
		outcome.text =
			std::string(text, leat_resp_refusal_text(req.refusal, req.got, text));
	if (outcome.ret <= 0)
		return outcome;
	EXPECT_LE(req.argc, req.argv_len);
	EXPECT_LE(req.argv_len, argv_max);
	for (uint32_t i = 0; i < req.argc; i++)
		outcome.args.emplace_back((const char *)argv[i].data, argv[i].len);
	return outcome;
}

Outcome
Parse(const std::string &bytes, const leat_resp_limits &limits = kLimits, uint32_t argv_max = 64)
{
	leat_resp_parser parser = {};

	return ParseStep(&parser, bytes, limits, argv_max);
}

Outcome
ParseByteByByte(const std::string &bytes, const leat_resp_limits &limits = kLimits)
{
	leat_resp_parser parser = {};
	Outcome outcome;

	for (size_t len = 0; len <= bytes.size() && outcome.ret == 0; len++)
		outcome = ParseStep(&parser, bytes.substr(0, len), limits);
	return outcome;
}

bool
IsZero(const leat_resp_parser &parser)
{
	const char *p = (const char *)&parser;

	return std::all_of(p, p + sizeof(parser), [](char c) { return c == 0; });
}

using Args = std::vector<std::string>;

TEST(RespParse, MultibulkGivesSlicesOfTheInput)
{
	const std::string in = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n";
	leat_resp_parser parser = {};
	leat_resp_request req;
	leat_slice argv[2];

	ASSERT_EQ(20, leat_resp_parse_request(&parser, &kLimits,
			      { (const uint8_t *)in.data(), in.size() }, argv, 2, &req));
	ASSERT_EQ(2u, req.argc);
	EXPECT_EQ(2u, req.argv_len);
	EXPECT_EQ((const uint8_t *)in.data() + 8, argv[0].data);
	EXPECT_EQ(3u, argv[0].len);
	EXPECT_EQ((const uint8_t *)in.data() + 17, argv[1].data);
	EXPECT_EQ(1u, argv[1].len);
	EXPECT_TRUE(IsZero(parser));
}

// Whole requests of both forms, and what they say.
struct GoodCase {
	const char *name;
	std::string bytes;
	Args args;
};

class RespParseGood : public testing::TestWithParam<GoodCase>
{
};

TEST_P(RespParseGood, AllAtOnce)
{
	const GoodCase &c = GetParam();
	Outcome outcome = Parse(c.bytes);

	EXPECT_EQ((ssize_t)c.bytes.size(), outcome.ret);
	EXPECT_EQ(c.args, outcome.args);
}

TEST_P(RespParseGood, ByteByByteIsAllAtOnce)
{
	const GoodCase &c = GetParam();

	EXPECT_EQ(Parse(c.bytes), ParseByteByByte(c.bytes));
}

TEST_P(RespParseGood, EveryProperPrefixIsIncomplete)
{
	const GoodCase &c = GetParam();

	for (size_t len = 0; len < c.bytes.size(); len++)
		EXPECT_EQ(0, Parse(c.bytes.substr(0, len)).ret) << "prefix of " << len << " bytes";
}

TEST_P(RespParseGood, WhatFollowsIsLeftAlone)
{
	const GoodCase &c = GetParam();

	for (const char *next : { "\r\n", "*1\r\n$4\r\nPING\r\n", "PING\r\n", "garbage" }) {
		Outcome outcome = Parse(c.bytes + next);

		EXPECT_EQ((ssize_t)c.bytes.size(), outcome.ret);
		EXPECT_EQ(c.args, outcome.args);
	}
}

INSTANTIATE_TEST_SUITE_P(Table, RespParseGood,
	testing::Values( //
		GoodCase{ "Ping", "*1\r\n$4\r\nPING\r\n", { "PING" } },
		GoodCase{ "EmptyArgument", "*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", { "ECHO", "" } },
		GoodCase{
			"LengthOfTwoDigits", "*1\r\n$12\r\nhello, world\r\n", { "hello, world" } },
		GoodCase{ "LengthOfFourDigits", "*1\r\n$1234\r\n" + std::string(1234, 'a') + "\r\n",
			{ std::string(1234, 'a') } },
		GoodCase{ "LengthOfFiveDigits",
			"*1\r\n$12345\r\n" + std::string(12345, 'a') + "\r\n",
			{ std::string(12345, 'a') } },
		GoodCase{ "CountOfTwoDigits",
			"*11\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n$1\r\nf\r\n"
			"$1\r\ng\r\n$1\r\nh\r\n$1\r\ni\r\n$1\r\nj\r\n$1\r\nk\r\n",
			{ "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k" } },
		GoodCase{ "LineEndsInAnArgument", "*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\r\n\r\n",
			{ "ECHO", "\r\n\r\n" } },
		GoodCase{ "ZeroByte", std::string("*1\r\n$3\r\na\0b\r\n", 13),
			{ std::string("a\0b", 3) } },
		GoodCase{ "NoArguments", "*0\r\n", {} }, //
		GoodCase{ "NullArray", "*-1\r\n", {} },  //
		GoodCase{ "VeryNegativeArray", "*-9223372036854775808\r\n", {} },
		GoodCase{ "EmptyLine", "\r\n", {} },       //
		GoodCase{ "BareLineFeed", "\n", {} },      //
		GoodCase{ "BlankLine", " \t\v \r\n", {} }, //
		GoodCase{ "InlinePing", "PING\r\n", { "PING" } },
		GoodCase{ "InlineWithoutCarriageReturn", "PING\n", { "PING" } },
		GoodCase{ "InlineWords", "  set  k\tv \r\n", { "set", "k", "v" } },
		GoodCase{ "InlineCarriageReturnWithin", "a\rb\r\r\n", { "a", "b" } },
		GoodCase{ "InlineVerticalTabInAWord", "a\vb \vc\n", { "a\vb", "c" } },
		GoodCase{ "InlineDoubleQuotes", "set k \"a b\"\r\n", { "set", "k", "a b" } },
		GoodCase{ "InlineSingleQuotes", "set k 'a \"b'\n", { "set", "k", "a \"b" } },
		GoodCase{ "InlineEmptyQuotes", "\"\" ''\n", { "", "" } },
		GoodCase{ "InlineQuotesOpenWithinAWord", "ab\"c d\" e'f'\n", { "abc d", "ef" } },
		GoodCase{ "InlineEscapes", "\"\\n\\r\\t\\b\\a\\\\\\\"\\q\"\n",
			{ "\n\r\t\b\a\\\"q" } },
		GoodCase{ "InlineHexEscapes", "\"\\x00\\xfF\\x4\\xg0\\x\"\n",
			{ std::string("\0\xff"
				      "x4xg0x",
				8) } },
		GoodCase{ "InlineSingleQuoteEscape", "'it\\'s \\n \\\\ '\n", { "it's \\n \\\\ " } },
		GoodCase{ "InlineTwoMadeWords", "\"\\x41b\" c \"d\\x45\"\n", { "Ab", "c", "dE" } },
		GoodCase{ "InlineBackslashOutsideQuotes", "a\\n b\\\n", { "a\\n", "b\\" } },
		GoodCase{ "InlineZeroByte", std::string("a\0b\n", 4), { std::string("a\0b", 3) } },
		GoodCase{ "InlineDollar", "$3\r\n", { "$3" } }),
	[](const testing::TestParamInfo<GoodCase> &info) { return info.param.name; });

// Streams that cannot be read on, and the words of Redis 7.0.
struct BadCase {
	const char *name;
	std::string bytes;
	ssize_t ret;
	const char *words;
};

class RespParseBad : public testing::TestWithParam<BadCase>
{
};

TEST_P(RespParseBad, IsRefusedInTheWordsOfRedis)
{
	Outcome outcome = Parse(GetParam().bytes);

	EXPECT_EQ(GetParam().ret, outcome.ret);
	EXPECT_EQ(std::string("Protocol error: ") + GetParam().words, outcome.text);
}

TEST_P(RespParseBad, InPiecesIsAllAtOnce)
{
	const std::string &bytes = GetParam().bytes;

	leat_resp_parser parser = {};
	Outcome outcome;

	// Long ones in pieces of 997 bytes: each step copies all that came so far.
	for (size_t len = 0; outcome.ret == 0; len += bytes.size() < 1000 ? 1 : 997)
		outcome = ParseStep(&parser, bytes.substr(0, len));
	EXPECT_EQ(Parse(bytes), outcome);
}

const char kMultibulk[] = "invalid multibulk length";
const char kBulk[] = "invalid bulk length";
const char kQuotes[] = "unbalanced quotes in request";

INSTANTIATE_TEST_SUITE_P(Table, RespParseBad,
	testing::Values( //
		BadCase{ "NoCount", "*\r\n", -EBADMSG, kMultibulk },
		BadCase{ "NoCountAndMore", "*\r\n$4\r\nPING\r\n", -EBADMSG, kMultibulk },
		BadCase{ "NoLengthAndMore", "*1\r\n$\r\nPING\r\n", -EBADMSG, kBulk },
		BadCase{ "CountOfLetters", "*foo\r\n", -EBADMSG, kMultibulk },
		BadCase{ "CountWithPlus", "*+1\r\n", -EBADMSG, kMultibulk },
		BadCase{ "CountWithLeadingZero", "*01\r\n", -EBADMSG, kMultibulk },
		BadCase{ "CountOverLimit", "*65\r\n", -EMSGSIZE, kMultibulk },
		BadCase{ "CountOver64Bits", "*99999999999999999999\r\n", -EBADMSG, kMultibulk },
		BadCase{ "CountWithoutLineFeed", "*1\rx", -EBADMSG, kMultibulk },
		BadCase{ "NotADollar", "*1\r\n+4\r\nPING\r\n", -EBADMSG, "expected '$', got '+'" },
		BadCase{ "LineEndForADollar", "*1\r\n\r\nPING\r\n", -EBADMSG,
			"expected '$', got ' '" },
		BadCase{ "NoLength", "*1\r\n$\r\n", -EBADMSG, kBulk },
		BadCase{ "NegativeLength", "*1\r\n$-1\r\n", -EBADMSG, kBulk },
		BadCase{ "LengthOfLetters", "*1\r\n$x\r\n", -EBADMSG, kBulk },
		BadCase{ "LengthWithoutLineFeed", "*1\r\n$4\rxPING\r\n", -EBADMSG, kBulk },
		BadCase{ "TwoBillionBytes", "*1\r\n$2000000000\r\n", -EMSGSIZE, kBulk },
		BadCase{ "LengthOver64Bits", "*1\r\n$99999999999999999999\r\n", -EBADMSG, kBulk },
		BadCase{ "ArgumentLongerThanItsLength", "*1\r\n$1\r\nabc", -EBADMSG, kBulk },
		BadCase{ "BadSecondArgument", "*2\r\n$1\r\na\r\nb\r\n", -EBADMSG,
			"expected '$', got 'b'" },
		BadCase{ "OpenDoubleQuotes", "get \"k\r\n", -EBADMSG, kQuotes },
		BadCase{ "OpenSingleQuotes", "get 'k\r\n", -EBADMSG, kQuotes },
		BadCase{ "BackslashAtTheEnd", "get \"k\\\n", -EBADMSG, kQuotes },
		BadCase{ "EscapedClosingQuote", "get \"k\\\"\n", -EBADMSG, kQuotes },
		BadCase{ "BytesBehindAClosingQuote", "get \"k\"x\r\n", -EBADMSG, kQuotes },
		BadCase{ "BytesBehindAClosingSingleQuote", "get 'k'x\r\n", -EBADMSG, kQuotes },
		BadCase{ "LongInline", std::string(LEAT_RESP_LINE_MAX + 1, 'a'), -EMSGSIZE,
			"too big inline request" },
		BadCase{ "LongCountLine", "*" + std::string(LEAT_RESP_LINE_MAX, '1'), -EMSGSIZE,
			"too big mbulk count string" },
		BadCase{ "LongLengthLine", "*1\r\n$" + std::string(LEAT_RESP_LINE_MAX, '1'),
			-EMSGSIZE, "too big bulk count string" }),
	[](const testing::TestParamInfo<BadCase> &info) { return info.param.name; });

TEST(RespParse, LinesAtTheLimitAreRead)
{
	std::string word(LEAT_RESP_LINE_MAX, 'a');

	EXPECT_EQ(Args{ word }, Parse(word + "\n").args);
	EXPECT_EQ(-EMSGSIZE, Parse(word + "a\n").ret);
	EXPECT_EQ(0, Parse(word).ret);
	word[0] = '*';
	EXPECT_EQ(0, Parse(word).ret);
	EXPECT_EQ(kMultibulk, Parse(word + "\r\n").text.substr(16));
	word[0] = '$';
	EXPECT_EQ(0, Parse("*1\r\n" + word).ret);
	EXPECT_EQ(kBulk, Parse("*1\r\n" + word + "\r\n").text.substr(16));
}

TEST(RespParse, ArgumentCountAtTheLimitIsReadAndOneOverRefused)
{
	leat_resp_limits limits = Limits(1 << 20, 2);
	std::string two = "*2\r\n$1\r\na\r\n$1\r\nb\r\n";

	EXPECT_EQ((ssize_t)two.size(), Parse(two, limits).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("*3\r\n", limits).ret);
	EXPECT_EQ((Args{ "a", "b" }), Parse("a b\n", limits).args);
	EXPECT_EQ("Protocol error: too big inline request", Parse("a b c\n", limits).text);
}

TEST(RespParse, TheGreatestArgumentCountIsReadAndOneOverRefused)
{
	leat_resp_limits limits = Limits(64 << 20, LEAT_RESP_ARGC_MAX);

	EXPECT_EQ(0, Parse("*1048576\r\n", limits).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("*1048577\r\n", limits).ret);
	EXPECT_EQ("Protocol error: invalid multibulk length", Parse("*1048577\r\n", limits).text);
}

TEST(RespParse, RequestAtTheLengthLimitIsReadAndOneOverRefused)
{
	const std::string bytes = "*2\r\n$4\r\nECHO\r\n$5\r\nhello\r\n";
	leat_resp_limits at = Limits(bytes.size(), 64);
	leat_resp_limits below = Limits(bytes.size() - 1, 64);

	EXPECT_EQ((ssize_t)bytes.size(), Parse(bytes, at).ret);
	EXPECT_EQ(0, Parse(bytes.substr(0, bytes.size() - 1), at).ret);
	// The length alone shows it: nothing of the argument has come.
	EXPECT_EQ("Protocol error: invalid bulk length",
		Parse(bytes.substr(0, bytes.size() - 7), below).text);
}

TEST(RespParse, InlineAtTheLengthLimitIsReadAndOneOverRefused)
{
	EXPECT_EQ(6, Parse("PING\r\n", Limits(6, 64)).ret);
	EXPECT_EQ("Protocol error: too big inline request", Parse("PING\r\n", Limits(5, 64)).text);
	EXPECT_EQ("Protocol error: too big inline request", Parse("PING\r", Limits(5, 64)).text);
	EXPECT_EQ(0, Parse("PING", Limits(5, 64)).ret);
}

TEST(RespParse, CountLinesThatFillTheLengthLimitAreRefused)
{
	EXPECT_EQ("Protocol error: too big mbulk count string", Parse("*111", Limits(4, 64)).text);
	EXPECT_EQ("Protocol error: invalid bulk length", Parse("*1\r\n$1", Limits(6, 64)).text);
	EXPECT_EQ("Protocol error: invalid bulk length", Parse("*2\r\n", Limits(4, 64)).text);
	EXPECT_EQ(4, Parse("*0\r\n", Limits(4, 64)).ret);
}

// proto-max-bulk-len
TEST(RespParse, ArgumentAtTheBulkLimitIsReadAndOneOverRefusedUnseen)
{
	const leat_resp_limits limits = { 1 << 20, 64, 5, 0, false };

	EXPECT_EQ((Args{ "hello" }), Parse("*1\r\n$5\r\nhello\r\n", limits).args);
	EXPECT_EQ("Protocol error: invalid bulk length", Parse("*1\r\n$6\r\n", limits).text);
	EXPECT_EQ(-EMSGSIZE, Parse("*1\r\n$6\r\n", limits).ret);
	EXPECT_EQ((Args{ "longer" }), Parse("longer\r\n", limits).args); // as in Redis
}

// client-query-buffer-limit: Redis closes without a word.
TEST(RespParse, RequestAtTheQueryLimitIsReadAndOneOverRefusedWithoutWords)
{
	const std::string bytes = "*2\r\n$4\r\nECHO\r\n$5\r\nhello\r\n";
	const leat_resp_limits at = { 1 << 20, 64, 0, bytes.size(), false };
	const leat_resp_limits below = { 1 << 20, 64, 0, bytes.size() - 1, false };

	EXPECT_EQ((ssize_t)bytes.size(), Parse(bytes, at).ret);
	EXPECT_EQ((ssize_t)bytes.size(), Parse(bytes + bytes, at).ret);
	EXPECT_EQ(0, Parse(bytes.substr(0, bytes.size() - 1), below).ret);
	EXPECT_EQ(-EMSGSIZE, Parse(bytes, below).ret);
	EXPECT_EQ(LEAT_RESP_BIG_QUERY, Parse(bytes, below).refusal);
	EXPECT_EQ("", Parse(bytes, below).text);
	EXPECT_EQ(Parse(bytes, below), ParseByteByByte(bytes, below));
	EXPECT_EQ(LEAT_RESP_BIG_QUERY,
		Parse("PING hello\r\n", { 1 << 20, 64, 0, 10, false }).refusal);
}

TEST(RespParse, QueryLimitOverTheLengthLimitDoesNotWidenIt)
{
	EXPECT_EQ("Protocol error: too big inline request",
		Parse("PING\r\n", { 5, 64, 0, 100, false }).text);
}

constexpr leat_resp_limits kGuest = { 4 << 20, 1000, 0, 0, true };

TEST(RespParseGuest, CountAtTheLimitIsReadAndOneOverRefused)
{
	EXPECT_EQ(0, Parse("*10\r\n", kGuest).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("*11\r\n", kGuest).ret);
	EXPECT_EQ(
		"Protocol error: unauthenticated multibulk length", Parse("*11\r\n", kGuest).text);
}

TEST(RespParseGuest, ArgumentAtTheLimitIsReadAndOneOverRefused)
{
	EXPECT_EQ(0, Parse("*1\r\n$16384\r\n", kGuest).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("*1\r\n$16385\r\n", kGuest).ret);
	EXPECT_EQ("Protocol error: unauthenticated bulk length",
		Parse("*1\r\n$16385\r\n", kGuest).text);
}

TEST(RespParseGuest, WhatIsWrongForAllComesFirst)
{
	EXPECT_EQ("Protocol error: invalid multibulk length", Parse("*1001\r\n", kGuest).text);
	EXPECT_EQ("Protocol error: invalid bulk length", Parse("*1\r\n$5000000\r\n", kGuest).text);
}

TEST(RespParse, MoreArgumentsThanRoomIsNoBufferSpaceAndComesAgain)
{
	const std::string bytes = "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n";
	leat_resp_parser parser = {};

	EXPECT_EQ(-ENOBUFS, ParseStep(&parser, bytes, kLimits, 2).ret);
	EXPECT_EQ(-ENOBUFS, ParseStep(&parser, bytes + "x", kLimits, 0).ret);
	EXPECT_EQ((Args{ "a", "b", "c" }), ParseStep(&parser, bytes, kLimits, 3).args);
	EXPECT_TRUE(IsZero(parser));
}

TEST(RespParse, EscapesTakeRoomBehindTheArguments)
{
	// 17 bytes to make: two slices of 16 bytes.
	const std::string bytes = "echo \"\\x41BCDEFGHIJKLMNOPQ\"\n";
	leat_resp_parser parser = {};

	EXPECT_EQ(-ENOBUFS, ParseStep(&parser, bytes, kLimits, 3).ret);
	EXPECT_EQ(
		(Args{ "echo", "ABCDEFGHIJKLMNOPQ" }), ParseStep(&parser, bytes, kLimits, 4).args);
	EXPECT_EQ("Protocol error: too big inline request", Parse(bytes, Limits(1 << 20, 3)).text);
}

TEST(RespParse, InlineEscapesLeaveTheInputAlone)
{
	const std::string bytes = "\"\\x41\" x\n";
	std::string copy = bytes;
	leat_resp_parser parser = {};
	leat_resp_request req;
	leat_slice argv[3];

	EXPECT_EQ((ssize_t)bytes.size(),
		leat_resp_parse_request(&parser, &kLimits,
			{ (const uint8_t *)copy.data(), copy.size() }, argv, 3, &req));
	EXPECT_EQ(bytes, copy);
	EXPECT_EQ(3u, req.argv_len);
	EXPECT_EQ((const uint8_t *)&argv[2], argv[0].data);
	EXPECT_EQ((const uint8_t *)copy.data() + 7, argv[1].data);
}

TEST(RespParse, EmptyLineBeforeAnArrayIsAStepOfItsOwn)
{
	const std::string bytes = "\r\n*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n";
	leat_resp_parser parser = {};
	Outcome outcome = ParseStep(&parser, bytes);

	EXPECT_EQ(2, outcome.ret);
	EXPECT_TRUE(outcome.args.empty());
	EXPECT_EQ((Args{ "ECHO", "hi" }), ParseStep(&parser, bytes.substr(2)).args);
}

TEST(RespParse, BufferThatEndsBeforeALengthWaits)
{
	leat_resp_parser parser = {};

	EXPECT_EQ(0, ParseStep(&parser, "*2\r\n$4\r\nECHO\r\n").ret);
	EXPECT_EQ((Args{ "ECHO", "hi" }),
		ParseStep(&parser, "*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n").args);
}

TEST(RespParse, LongArgumentInPiecesIsNotScanned)
{
	std::string bytes = "*1\r\n$100000\r\n";
	leat_resp_parser parser = {};
	size_t head_len = bytes.size();

	bytes += std::string(100000, '\r') + "\r\n";
	EXPECT_EQ(0, ParseStep(&parser, bytes.substr(0, 50000)).ret);
	EXPECT_EQ(head_len, parser.pos);
	EXPECT_EQ(0u, parser.nb_seen);
	EXPECT_EQ(0, ParseStep(&parser, bytes.substr(0, bytes.size() - 1)).ret);
	EXPECT_EQ(head_len, parser.pos);
	EXPECT_EQ((ssize_t)bytes.size(), ParseStep(&parser, bytes).ret);
}

TEST(RespParse, LongLineInPiecesIsScannedOnce)
{
	leat_resp_parser parser = {};
	std::string line(1000, 'a');

	EXPECT_EQ(0, ParseStep(&parser, line).ret);
	EXPECT_EQ(1000u, parser.nb_seen);
	// Bytes before nb_seen are not looked at again: a line end put there is not found.
	line[10] = '\n';
	EXPECT_EQ(0, ParseStep(&parser, line + "b").ret);
	EXPECT_EQ(1001u, parser.nb_seen);
}

TEST(RespParse, TheSameBytesOnceMoreAreIncompleteAgain)
{
	for (const char *bytes :
		{ "PING", "*", "*1", "*1\r", "*1\r\n", "*1\r\n$4", "*1\r\n$4\r\nPI" }) {
		leat_resp_parser parser = {};

		for (int i = 0; i < 3; i++)
			EXPECT_EQ(0, ParseStep(&parser, bytes).ret) << bytes;
	}
}

TEST(RespParse, PipelinedRequestsComeOneByOne)
{
	std::string bytes =
		"*1\r\n$4\r\nPING\r\nGET k\r\n\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n*0\r\n*1";
	std::vector<Args> seen;
	leat_resp_parser parser = {};

	for (;;) {
		Outcome outcome = ParseStep(&parser, bytes);

		if (outcome.ret <= 0)
			break;
		seen.push_back(outcome.args);
		bytes.erase(0, (size_t)outcome.ret);
	}
	EXPECT_EQ("*1", bytes);
	EXPECT_EQ((std::vector<Args>{ { "PING" }, { "GET", "k" }, {}, { "GET", "a" }, {} }), seen);
}

TEST(RespRefusal, EachHasWordsOfItsOwnButTwo)
{
	std::vector<std::string> texts;

	for (int i = 0; i < LEAT_RESP_REFUSALS; i++) {
		for (int got = 0; got <= UINT8_MAX; got++) {
			char text[LEAT_RESP_REFUSAL_TEXT_MAX];
			size_t len =
				leat_resp_refusal_text((leat_resp_refusal)i, (uint8_t)got, text);
			std::string words(text, len);

			EXPECT_LE(len, sizeof(text));
			EXPECT_EQ(i == LEAT_RESP_OK || i == LEAT_RESP_BIG_QUERY, len == 0);
			EXPECT_TRUE(len == 0 || words.rfind("Protocol error: ", 0) == 0);
			EXPECT_EQ(std::string::npos, words.find_first_of("\r\n"));
			if (got == 0 && len > 0)
				texts.push_back(words);
		}
	}
	std::sort(texts.begin(), texts.end());
	EXPECT_EQ(texts.end(), std::adjacent_find(texts.begin(), texts.end()));
}

TEST(RespParse, ARefusalLeavesTheParserAtTheStart)
{
	leat_resp_parser parser = {};

	EXPECT_EQ(0, ParseStep(&parser, "*2\r\n$1\r\na\r\n").ret);
	EXPECT_EQ(-EBADMSG, ParseStep(&parser, "*2\r\n$1\r\na\r\n+1\r\n").ret);
	EXPECT_TRUE(IsZero(parser));
}

} // namespace
