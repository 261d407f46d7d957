// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json_support.h"

namespace
{

using json_test::Repeat;
using json_test::String;
using json_test::Text;
using std::string_literals::operator""s;

std::string
StringOf(const leat_json_token *value, int want = 0)
{
	leat_slice s = {};

	EXPECT_EQ(want, leat_json_get_string(value, &s));
	return String(s);
}

uint64_t
NumberOf(const std::string &number, int want = 0)
{
	Text text("{\"n\":" + number + "}");
	uint64_t value = 0;

	EXPECT_EQ(0, text.ret) << number;
	EXPECT_EQ(want, leat_json_get_u64(text.Find("n"), &value)) << number;
	return value;
}

// The least time of some tries, which the clock of the thread measures.
uint64_t
LeastNsOf(const std::string &text, int want)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		timespec begin = {};
		timespec end = {};

		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin); // never fails here
		EXPECT_EQ(want, Text(text).ret);
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		least = std::min(least, (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 +
						   end.tv_nsec - begin.tv_nsec));
	}
	return least;
}

// Nearly as many names as there may be, of the same bytes but for the last.
std::string
Names(const std::string &of, size_t nb)
{
	std::string all;

	for (char last = 'A'; last <= 'Z'; last++)
		all += ",\"" + Repeat(of, nb) + last + "\":1";
	return "{" + all.substr(1) + "}";
}

TEST(JsonParse, MakesATokenOfEachValueAndName)
{
	Text text(" {\"a\":[1,-2.5e3],\"b\\n\":{\"c\":true},\"d\":false,\"e\":null,\"f\":\"\"} ");
	struct {
		leat_json_kind kind;
		const char *text;
		uint16_t next;
	} want[] = {
		{ LEAT_JSON_OBJECT,
			"{\"a\":[1,-2.5e3],\"b\\n\":{\"c\":true},\"d\":false,\"e\":null,\"f\":"
			"\"\"}",
			15 },
		{ LEAT_JSON_STRING, "a", 2 },
		{ LEAT_JSON_ARRAY, "[1,-2.5e3]", 5 },
		{ LEAT_JSON_NUMBER, "1", 4 },
		{ LEAT_JSON_NUMBER, "-2.5e3", 5 },
		{ LEAT_JSON_STRING, "b\n", 6 },
		{ LEAT_JSON_OBJECT, "{\"c\":true}", 9 },
		{ LEAT_JSON_STRING, "c", 8 },
		{ LEAT_JSON_TRUE, "true", 9 },
		{ LEAT_JSON_STRING, "d", 10 },
		{ LEAT_JSON_FALSE, "false", 11 },
		{ LEAT_JSON_STRING, "e", 12 },
		{ LEAT_JSON_NULL, "null", 13 },
		{ LEAT_JSON_STRING, "f", 14 },
		{ LEAT_JSON_STRING, "", 15 },
	};

	ASSERT_EQ(0, text.ret);
	ASSERT_EQ(LEAT_DIM(want), text.json.nb_tokens);
	for (size_t i = 0; i < LEAT_DIM(want); i++) {
		const leat_json_token &token = text.json.tokens[i];

		EXPECT_EQ(want[i].kind, token.kind) << i;
		EXPECT_EQ(want[i].next, token.next) << i;
		EXPECT_EQ(want[i].text, String({ token.data, token.len })) << i;
	}
}

TEST(JsonFind, FindsEachMemberByItsName)
{
	Text text("{\"a\":1,\"ab\":{\"x\":2},\"\":3,\"b\":4}");

	ASSERT_EQ(0, text.ret);
	EXPECT_EQ(text.json.tokens + 2, text.Find("a"));
	EXPECT_EQ(text.json.tokens + 4, text.Find("ab"));
	EXPECT_EQ(text.json.tokens + 8, text.Find(""));
	EXPECT_EQ(text.json.tokens + 10, text.Find("b"));
	EXPECT_EQ(nullptr, text.Find("x")); // of the object inside
	EXPECT_EQ(nullptr, text.Find("A"));
	EXPECT_EQ(nullptr, text.Find("abc"));
}

TEST(JsonFind, KnowsANameByWhatItsEscapesMean)
{
	Text text("{\"\\u0069d\":1,\"\\\"\\\\\\/"
		  "\\b\\f\\n\\r\\t\":2,\"\\ud83d\\ude00\":3,\"\\u0000\":4}");

	ASSERT_EQ(0, text.ret);
	EXPECT_EQ(text.json.tokens + 2, text.Find("id"));
	EXPECT_EQ(text.json.tokens + 4, text.Find("\"\\/\b\f\n\r\t"));
	EXPECT_EQ(text.json.tokens + 6, text.Find("\xf0\x9f\x98\x80"));
	EXPECT_EQ(text.json.tokens + 8, text.Find("\0"s));
	EXPECT_EQ(nullptr, text.Find("\\u0069d"));
	EXPECT_EQ(nullptr, text.Find("i"));
	EXPECT_EQ(nullptr, text.Find("idx"));
	EXPECT_EQ(nullptr, text.Find("\xf0\x9f\x98"));
}

TEST(JsonFind, FindsNothingInWhatIsNoObject)
{
	for (const char *root : { "[\"a\",1]", "\"a\"", "1", "null", "{}", "[]" }) {
		Text text(root);

		ASSERT_EQ(0, text.ret) << root;
		EXPECT_EQ(nullptr, text.Find("a")) << root;
	}
}

TEST(JsonGetU64, ReadsTheWholeRangeExactly)
{
	EXPECT_EQ(0u, NumberOf("0"));
	EXPECT_EQ(1u, NumberOf("1"));
	EXPECT_EQ(9007199254740993u, NumberOf("9007199254740993")); // no double
	EXPECT_EQ(UINT64_MAX - 1, NumberOf("18446744073709551614"));
	EXPECT_EQ(UINT64_MAX, NumberOf("18446744073709551615"));
}

TEST(JsonGetU64, RefusesWhatIsAboveIt)
{
	for (const char *number : { "18446744073709551616", "18446744073709551620",
		     "20000000000000000000", "99999999999999999999", "100000000000000000000",
		     "340282366920938463463374607431768211456" })
		NumberOf(number, -ERANGE);
}

TEST(JsonGetU64, RefusesWhatIsNotWrittenAsAnInteger)
{
	for (const char *number : { "1.0", "0.0", "1e3", "1E0", "0e0", "-0", "-1", "1.5",
		     "18446744073709551615.0", "\"1\"", "true", "null", "[1]", "{\"n\":1}" })
		NumberOf(number, -EINVAL);
}

TEST(JsonGetU64, RefusesWhatIsNotThere)
{
	Text text("{}");
	uint64_t value;

	EXPECT_EQ(-EINVAL, leat_json_get_u64(text.Find("n"), &value));
}

TEST(JsonGetString, GivesAStringWithoutEscapesAsItStands)
{
	Text text("{\"s\":\"eth_getBalance \xc3\xa4\"}");
	leat_slice s;

	ASSERT_EQ(0, text.ret);
	ASSERT_EQ(0, leat_json_get_string(text.Find("s"), &s));
	EXPECT_EQ("eth_getBalance \xc3\xa4", String(s));
	EXPECT_EQ(text.At(6), s.data);
}

TEST(JsonGetString, ReadsEachEscape)
{
	Text text("[\"\\\"\\\\\\/\\b\\f\\n\\r\\tx\\u0041\\u00e4\\u20AC\\ud83d\\ude00\\u0000\"]");
	const std::string want = "\"\\/\b\f\n\r\txA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\0"s;

	ASSERT_EQ(0, text.ret);
	EXPECT_EQ(want, StringOf(text.json.tokens + 1));
}

TEST(JsonGetString, ReadsAsManyWithEscapesAsThereAre)
{
	Text text("[\"a\\n\",\"b\",\"\\u00e4\",\"\\\\\\\\\",\"\xc3\xa4\\t\xc3\xa4\"]");
	const std::vector<std::string> want = { "a\n", "b", "\xc3\xa4", "\\\\",
		"\xc3\xa4\t\xc3\xa4" };

	ASSERT_EQ(0, text.ret);
	for (size_t i = 0; i < want.size(); i++)
		EXPECT_EQ(want[i], StringOf(text.json.tokens + 1 + i));
}

// One byte of each kind at each place of a word of the scan, and behind it.
TEST(JsonGetString, FindsWhatIsNotPlainAtEachPlace)
{
	for (size_t before = 0; before < 20; before++) {
		for (size_t behind = 0; behind < 10; behind++) {
			const std::string a(before, 'a');
			const std::string b(behind, '~');
			Text escape("\"" + a + "\\\"" + b + "\"");
			Text letter("\"" + a + "\xc3\xa4" + b + "\"");

			ASSERT_EQ(0, escape.ret);
			EXPECT_EQ(a + "\"" + b, StringOf(escape.json.tokens));
			ASSERT_EQ(0, letter.ret);
			EXPECT_EQ(a + "\xc3\xa4" + b, StringOf(letter.json.tokens));
			EXPECT_EQ(-EBADMSG, Text("\"" + a + "\x1f" + b + "\"").ret);
			EXPECT_EQ(-EBADMSG, Text("\"" + a + "\xff" + b + "\"").ret);
			EXPECT_EQ(-EBADMSG, Text("\"" + a + "\"" + b + "\"").ret);
		}
	}
}

TEST(JsonGetString, RefusesWhatIsNoString)
{
	for (const char *root : { "1", "true", "null", "[\"a\"]", "{\"a\":\"a\"}" }) {
		Text text(root);

		ASSERT_EQ(0, text.ret);
		StringOf(text.json.tokens, -EINVAL);
	}
	StringOf(nullptr, -EINVAL);
}

// A peer writes names with escapes so that comparing them costs more: it must cost what bytes do.
TEST(JsonParse, TakesNotMuchLongerForNamesOfEscapes)
{
	uint64_t plain_ns = LeastNsOf(Names("n", 126), 0);

	EXPECT_LT(LeastNsOf(Names("\\n", 63), 0), 10 * plain_ns);
	EXPECT_LT(LeastNsOf(Names("\\u0061", 21), 0), 10 * plain_ns);
}

// Each closing bracket and each comma costs jsmn a walk over all tokens: the limits bound it.
TEST(JsonParse, EndsSoonOnTheDeepestAndTheWidest)
{
	std::string text = Repeat("[", 16) + Repeat("],", 40000);

	EXPECT_EQ(-EMSGSIZE, Text(text).ret);
	EXPECT_EQ(-EBADMSG, Text(text.substr(0, LEAT_JSON_TEXT_MAX)).ret);
}

} // namespace
