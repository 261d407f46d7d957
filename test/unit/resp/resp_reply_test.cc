// SPDX-License-Identifier: BSD-3-Clause

// What a client reads: every type of RESP2 and RESP3.

#include <cerrno>
#include <cmath>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <leat_resp_client.h>

namespace
{

constexpr leat_resp_reply_limits kLimits = { 1 << 20, 1000 };

const char *const kNames[LEAT_RESP_TYPES] = { "status", "error", "integer", "bulk", "null",
	"boolean", "double", "big", "bulk-error", "verbatim", "array", "set", "push", "map",
	"attribute", "stream", "chunk", "end" };

// A token as text: its depth as dots, its type and value, and '!' if it ends the reply.
std::string
Show(const leat_resp_token &token)
{
	std::string shown(token.depth, '.');

	shown += kNames[token.type];
	if (token.is_streamed)
		shown += " ?";
	if (token.type == LEAT_RESP_INTEGER || token.type == LEAT_RESP_BOOLEAN ||
		(token.type >= LEAT_RESP_ARRAY && token.type <= LEAT_RESP_ATTRIBUTE &&
			!token.is_streamed))
		shown += " " + std::to_string(token.integer);
	if (token.format.len > 0)
		shown += " " + std::string((const char *)token.format.data, token.format.len);
	if (token.text.data != nullptr)
		shown += " '" + std::string((const char *)token.text.data, token.text.len) + "'";
	return shown + (token.ends_reply ? " !" : "");
}

// The tokens of some bytes, and how it ended: nothing, "incomplete" or an error.
struct Outcome {
	std::string tokens;
	ssize_t ret = 0;
	size_t nb_consumed = 0;

	bool operator==(const Outcome &o) const
	{
		return tokens == o.tokens && ret == o.ret && nb_consumed == o.nb_consumed;
	}
};

// Each parse sees an exact-size heap copy, so that AddressSanitizer sees an over-read.
void
Continue(leat_resp_reply_parser *parser, const std::string &bytes, Outcome *outcome,
	const leat_resp_reply_limits &limits = kLimits)
{
	for (;;) {
		const size_t len = bytes.size() - outcome->nb_consumed;
		std::unique_ptr<uint8_t[]> in(new uint8_t[len]);
		leat_resp_token token;

		std::copy(bytes.end() - (ssize_t)len, bytes.end(), in.get());
		outcome->ret = leat_resp_parse_reply(parser, &limits, { in.get(), len }, &token);
		if (outcome->ret <= 0)
			return;
		EXPECT_LE((size_t)outcome->ret, len);
		outcome->nb_consumed += (size_t)outcome->ret;
		if (!outcome->tokens.empty())
			outcome->tokens += ", ";
		outcome->tokens += Show(token);
	}
}

Outcome
Parse(const std::string &bytes, const leat_resp_reply_limits &limits = kLimits)
{
	leat_resp_reply_parser parser = {};
	Outcome outcome;

	Continue(&parser, bytes, &outcome, limits);
	return outcome;
}

Outcome
ParseByteByByte(const std::string &bytes)
{
	leat_resp_reply_parser parser = {};
	Outcome outcome;

	for (size_t len = 0; len <= bytes.size() && outcome.ret == 0; len++)
		Continue(&parser, bytes.substr(0, len), &outcome);
	return outcome;
}

struct Legal {
	std::string bytes;
	std::string tokens;
};

const Legal kLegal[] = {
	{ "+OK\r\n", "status 'OK' !" },
	{ "+\r\n", "status '' !" },
	{ "-ERR no\r\n", "error 'ERR no' !" },
	{ ":0\r\n", "integer 0 !" },
	{ ":+7\r\n", "integer 7 !" },
	{ ":-9223372036854775808\r\n", "integer -9223372036854775808 !" },
	{ "$0\r\n\r\n", "bulk '' !" },
	{ "$4\r\na\r\nb\r\n", "bulk 'a\r\nb' !" },
	{ "$-1\r\n", "null !" },
	{ "*-1\r\n", "null !" },
	{ "_\r\n", "null !" },
	{ "#t\r\n", "boolean 1 !" },
	{ "#f\r\n", "boolean 0 !" },
	{ ",1.5\r\n", "double '1.5' !" },
	{ ",-inf\r\n", "double '-inf' !" },
	{ ",nan\r\n", "double 'nan' !" },
	{ ",1e+20\r\n", "double '1e+20' !" },
	{ "(-12345678901234567890123\r\n", "big '-12345678901234567890123' !" },
	{ "!5\r\nERR x\r\n", "bulk-error 'ERR x' !" },
	{ "=7\r\nmkd:a*b\r\n", "verbatim mkd 'a*b' !" },
	{ "=4\r\ntxt:\r\n", "verbatim txt '' !" },
	{ "*0\r\n", "array 0 !" },
	{ "~0\r\n", "set 0 !" },
	{ "%0\r\n", "map 0 !" },
	{ "*2\r\n:1\r\n*1\r\n+x\r\n", "array 2, .integer 1, .array 1, ..status 'x' !" },
	{ "*2\r\n*0\r\n*0\r\n", "array 2, .array 0, .array 0 !" },
	{ "~1\r\n_\r\n", "set 1, .null !" },
	{ "%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n",
		"map 2, .status 'a', .integer 1, .status 'b', .map 0 !" },
	{ ">2\r\n+message\r\n$1\r\nx\r\n:1\r\n",
		"push 2, .status 'message', .bulk 'x' !, integer 1 !" },
	{ ">0\r\n", "push 0 !" },
	{ "|1\r\n+ttl\r\n:9\r\n+v\r\n", "attribute 1, .status 'ttl', .integer 9, status 'v' !" },
	{ "|0\r\n+v\r\n", "attribute 0, status 'v' !" },
	{ "|0\r\n|0\r\n+v\r\n", "attribute 0, attribute 0, status 'v' !" },
	{ "*2\r\n:1\r\n|1\r\n+a\r\n+b\r\n:2\r\n",
		"array 2, .integer 1, .attribute 1, ..status 'a', ..status 'b', .integer 2 !" },
	{ "$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n", "stream ?, .chunk 'Hell', .chunk 'o', end !" },
	{ "$?\r\n;0\r\n", "stream ?, end !" },
	{ "*?\r\n:1\r\n:2\r\n.\r\n", "array ?, .integer 1, .integer 2, end !" },
	{ "*?\r\n.\r\n", "array ?, end !" },
	{ "~?\r\n*1\r\n:1\r\n.\r\n", "set ?, .array 1, ..integer 1, end !" },
	{ "%?\r\n+a\r\n*?\r\n.\r\n.\r\n", "map ?, .status 'a', .array ?, .end, end !" },
	{ "*1\r\n$?\r\n;0\r\n", "array 1, .stream ?, .end !" },
	{ "+a\r\n+b\r\n", "status 'a' !, status 'b' !" },
};

TEST(RespParseReply, EveryType)
{
	for (const Legal &legal : kLegal) {
		Outcome outcome = Parse(legal.bytes);

		EXPECT_EQ(legal.tokens, outcome.tokens) << legal.bytes;
		EXPECT_EQ(legal.bytes.size(), outcome.nb_consumed) << legal.bytes;
		EXPECT_EQ(0, outcome.ret) << legal.bytes;
	}
}

TEST(RespParseReply, EveryProperPrefixIsIncomplete)
{
	for (const Legal &legal : kLegal) {
		for (size_t len = 0; len < legal.bytes.size(); len++) {
			Outcome outcome = Parse(legal.bytes.substr(0, len));

			EXPECT_EQ(0, outcome.ret) << legal.bytes << " first " << len;
			EXPECT_NE(legal.tokens, outcome.tokens) << legal.bytes << " first " << len;
		}
	}
}

TEST(RespParseReply, ByteByByteAsAtOnce)
{
	for (const Legal &legal : kLegal)
		EXPECT_EQ(Parse(legal.bytes), ParseByteByByte(legal.bytes)) << legal.bytes;
}

TEST(RespParseReply, TellsTheValueOfADouble)
{
	const std::pair<std::string, double> table[] = { { "0", 0 }, { "1.5", 1.5 }, { "+2", 2 },
		{ "-1e-5", -1e-5 }, { "10E2", 1000 }, { "inf", HUGE_VAL }, { "-inf", -HUGE_VAL },
		{ "0.10000000000000001", 0.1 } };

	for (const auto &[text, value] : table) {
		const std::string bytes = "," + text + "\r\n";
		leat_resp_reply_parser parser = {};
		leat_resp_token token;

		ASSERT_LT(0, leat_resp_parse_reply(&parser, &kLimits,
				     { (const uint8_t *)bytes.data(), bytes.size() }, &token));
		EXPECT_EQ(value, token.real) << text;
	}
}

TEST(RespParseReply, RefusesWhatIsNoReply)
{
	const std::string table[] = { "x\r\n", "\r\n", "*\r\n", "*x\r\n", "*-2\r\n", "*01\r\n",
		"*1\rx", "~-1\r\n", "%-1\r\n", ">-1\r\n", "|-1\r\n", ">?\r\n", "|?\r\n", "$x\r\n",
		"$-2\r\n", "$\r\n", "$1\r\nxyz", "$1\r\nx\ry", "!-1\r\n", "!?\r\n", "=-1\r\n",
		"=3\r\ntxt\r\n", "=4\r\ntext\r\n", ":\r\n", ":x\r\n", ":+\r\n", ":+-1\r\n",
		":1.0\r\n", ":9223372036854775808\r\n", "_x\r\n", "#\r\n", "#x\r\n", "#tt\r\n",
		",\r\n", ",x\r\n", ",1.\r\n", ",.5\r\n", ",1e\r\n", ",1e+\r\n", ",0x10\r\n",
		", 1\r\n", ",1 \r\n", ",+inf\r\n", ",infinity\r\n", "(\r\n", "(-\r\n", "(1.5\r\n",
		"(1a\r\n", "+O\rK\r\n" };

	for (const std::string &bytes : table) {
		Outcome outcome = Parse(bytes);

		EXPECT_EQ(-EBADMSG, outcome.ret) << bytes;
		EXPECT_EQ("", outcome.tokens) << bytes;
		EXPECT_EQ(outcome, ParseByteByByte(bytes)) << bytes;
	}
}

TEST(RespParseReply, RefusesWhatIsOutOfPlace)
{
	const Legal table[] = {
		{ ".\r\n", "" },
		{ ";1\r\nx\r\n", "" },
		{ ";0\r\n", "" },
		{ "*1\r\n.\r\n", "array 1" },
		{ "*1\r\n;0\r\n", "array 1" },
		{ "*1\r\n>0\r\n", "array 1" },
		{ "|0\r\n>0\r\n", "attribute 0" },
		{ "$?\r\n+x\r\n", "stream ?" },
		{ "$?\r\n.\r\n", "stream ?" },
		{ "*?\r\n;0\r\n", "array ?" },
		{ "*?\r\n|0\r\n.\r\n", "array ?, .attribute 0" },
		{ "%?\r\n+a\r\n.\r\n", "map ?, .status 'a'" },
	};

	for (const Legal &row : table) {
		EXPECT_EQ(-EBADMSG, Parse(row.bytes).ret) << row.bytes;
		EXPECT_EQ(row.tokens, Parse(row.bytes).tokens) << row.bytes;
	}
}

TEST(RespParseReply, BulkLimit)
{
	for (const char *type : { "$", "!" }) {
		EXPECT_EQ(0, Parse(std::string(type) + "3\r\nabc\r\n", { 3, 9 }).ret) << type;
		EXPECT_EQ(-EMSGSIZE, Parse(std::string(type) + "4\r\n", { 3, 9 }).ret) << type;
	}
	EXPECT_EQ(-EMSGSIZE, Parse("$?\r\n;4\r\n", { 3, 9 }).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("=5\r\n", { 4, 9 }).ret);
}

TEST(RespParseReply, CountLimit)
{
	for (const char *type : { "*", "~", "%", ">", "|" }) {
		EXPECT_EQ(0, Parse(std::string(type) + "9\r\n", { 3, 9 }).ret) << type;
		EXPECT_EQ(-EMSGSIZE, Parse(std::string(type) + "10\r\n", { 3, 9 }).ret) << type;
	}
}

TEST(RespParseReply, DepthLimit)
{
	std::string bytes;

	for (unsigned int i = 0; i < LEAT_RESP_DEPTH_MAX; i++)
		bytes += i % 2 == 0 ? "*1\r\n" : "%?\r\n";
	EXPECT_EQ(0, Parse(bytes + "*0\r\n").ret);
	EXPECT_EQ(-EMSGSIZE, Parse(bytes + "*1\r\n").ret);
	EXPECT_EQ(-EMSGSIZE, Parse(bytes + "$?\r\n").ret);
}

TEST(RespParseReply, LineLimit)
{
	const std::string line(LEAT_RESP_LINE_MAX - 1, 'x');

	EXPECT_EQ(0, Parse("+" + line + "\r\n").ret);
	EXPECT_EQ(-EMSGSIZE, Parse("+x" + line + "\r\n").ret);
	EXPECT_EQ(0, Parse("+" + line).ret);
	EXPECT_EQ(-EMSGSIZE, Parse("+x" + line).ret);
}

TEST(RespParseReply, DoubleLimit)
{
	const std::string digits(LEAT_RESP_DOUBLE_LINE_MAX, '1');

	EXPECT_EQ(0, Parse("," + digits + "\r\n").ret);
	EXPECT_EQ(-EMSGSIZE, Parse(",1" + digits + "\r\n").ret);
}

TEST(RespParseReply, TheSameBytesOnceMoreAreIncompleteAgain)
{
	for (const char *bytes : { "+OK", "+OK\r", "$5", "$5\r\nhel", "*2\r\n:1" }) {
		leat_resp_reply_parser parser = {};
		Outcome outcome;

		for (int i = 0; i < 3; i++) {
			Continue(&parser, bytes, &outcome);
			EXPECT_EQ(0, outcome.ret) << bytes;
		}
	}
}

TEST(RespParseReply, LongLineInPiecesIsScannedOnce)
{
	std::string line = "+" + std::string(999, 'a');
	leat_resp_reply_parser parser = {};
	leat_resp_token token;

	EXPECT_EQ(0, leat_resp_parse_reply(&parser, &kLimits,
			     { (const uint8_t *)line.data(), line.size() }, &token));
	EXPECT_EQ(1000u, parser.nb_seen);
	line[10] = '\r'; // is not looked at again
	line += "b";
	EXPECT_EQ(0, leat_resp_parse_reply(&parser, &kLimits,
			     { (const uint8_t *)line.data(), line.size() }, &token));
	EXPECT_EQ(1001u, parser.nb_seen);
}

// What the server emits, the client parses.
TEST(RespParseReply, RoundTrip)
{
	uint8_t buf[512];
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_resp3_emit_attribute(&w, 1);
	leat_resp_emit_status(&w, LEAT_SLICE("key"));
	leat_resp3_emit_boolean(&w, true);
	leat_resp3_emit_map(&w, 4);
	leat_resp_emit_bulk(&w, LEAT_SLICE("a"));
	leat_resp3_emit_double(&w, 0.1);
	leat_resp_emit_integer(&w, INT64_MIN);
	leat_resp3_emit_null(&w);
	leat_resp_emit_null(&w);
	leat_resp3_emit_big_number(&w, LEAT_SLICE("-99"));
	leat_resp3_emit_set(&w, 1);
	leat_resp3_emit_verbatim(&w, "txt", LEAT_SLICE("\r\n"));
	leat_resp_emit_array(&w, 2);
	leat_resp3_emit_bulk_error(&w, LEAT_SLICE("ERR e"));
	leat_resp_emit_error(&w, LEAT_SLICE("ERR f"));
	leat_resp3_emit_push(&w, 1);
	leat_resp_emit_double(&w, 2);
	ASSERT_FALSE(w.failed);

	EXPECT_EQ("attribute 1, .status 'key', .boolean 1, map 4, .bulk 'a', "
		  ".double '0.10000000000000001', .integer -9223372036854775808, .null, .null, "
		  ".big '-99', .set 1, ..verbatim txt '\r\n', .array 2, ..bulk-error 'ERR e', "
		  "..error 'ERR f' !, push 1, .bulk '2' !",
		Parse(std::string((const char *)buf, (size_t)(w.pos - buf))).tokens);
}

} // namespace
