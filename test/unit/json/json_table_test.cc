// SPDX-License-Identifier: BSD-3-Clause

// Texts that RFC 8259 accepts (y), refuses (n), and leaves to who reads them (i). Of the last each
// has our answer beside it.

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json_support.h"

namespace
{

using json_test::Repeat;
using json_test::Text;
using std::string_literals::operator""s;

const std::vector<std::string> kYes = {
	// Section 2: any value may be the root, with blanks around it.
	"{}",
	"[]",
	"0",
	"-1",
	"1.5",
	"\"\"",
	"\"a\"",
	"true",
	"false",
	"null",
	" 1",
	"1 ",
	"\t1\n\r ",
	" [ ] ",
	"{ }",
	"\n{\t}\r",
	"[ 1 , 2 ]",
	"{ \"a\" : 1 , \"b\" : 2 }",
	"[\"a\" ]",
	"[\r\n1\r\n]",
	"\" \"",
	" \"a\" ",
	// Section 3.
	"[true]",
	"[false]",
	"[null]",
	"[null,true,false]",
	"[true ]",
	"{\"a\":null}",
	// Section 4.
	"{\"a\":1}",
	"{\"\":0}",
	"{\"a\":1,\"b\":2}",
	"{\"a\":{}}",
	"{\"a\":[]}",
	"{\"a\":{\"a\":{\"a\":1}}}",
	"{\"a\":1,\"A\":2}",
	"{\"a\":[1,{\"a\":2}],\"b\":\"c\"}",
	"{\"a\\u0000b\":1,\"a\":2}",
	"{\"\xc3\xa4\":1}",
	"{\"a\":{\"b\":1},\"b\":{\"b\":1}}",
	"{\"a b\":1}",
	"{\"\\\"\":1}",
	"{\"true\":true}",
	// Section 5.
	"[1]",
	"[1,2,3]",
	"[[]]",
	"[[],[]]",
	"[[[[1]]]]",
	"[{}]",
	"[{},{}]",
	"[1,\"a\",null,{},[]]",
	"[\"\",\"\"]",
	"[1,1]",
	// Section 6.
	"[-0]",
	"[-0.0]",
	"[0.0]",
	"[0e0]",
	"[0E0]",
	"[1e1]",
	"[1E1]",
	"[1e+1]",
	"[1e-1]",
	"[1E+1]",
	"[1E-1]",
	"[0e+1]",
	"[0.5e5]",
	"[123.456e78]",
	"[10]",
	"[1000]",
	"[-123]",
	"[1.0]",
	"[1.00]",
	"[1e01]",
	"[1e000]",
	"[18446744073709551615]",
	"[18446744073709551616]",
	"[-9223372036854775808]",
	"[123456789012345678901234567890]",
	"[0.0000000000000000000000000000001]",
	"[1e400]",
	"[-1e-400]",
	"[20e1]",
	"[1.1,2.2]",
	// Section 7.
	"[\"\\\"\"]",
	"[\"\\\\\"]",
	"[\"\\/\"]",
	"[\"\\b\\f\\n\\r\\t\"]",
	"[\"\\u0000\"]",
	"[\"\\u001f\"]",
	"[\"\\u00e4\"]",
	"[\"\\uABCD\"]",
	"[\"\\uabcd\"]",
	"[\"\\uFFFF\"]",
	"[\"\\u005C\"]",
	"[\"\\u0022\"]",
	"[\"\\ud83d\\ude00\"]",
	"[\"\\uD800\\uDC00\"]",
	"[\"\\udbff\\udfff\"]",
	"[\"\\\\u0061\"]",
	"[\"\\\\\\\\\"]",
	"[\"a\\\\\"]",
	"[\"\\\\n\"]",
	"[\"/\"]",
	"[\"'\"]",
	"[\"\x7f\"]",
	"[\"\\u007f\"]",
	"[\"\xc3\xa4\"]",
	"[\"\xe2\x82\xac\"]",
	"[\"\xf0\x9f\x98\x80\"]",
	"[\"\xf4\x8f\xbf\xbf\"]",
	"[\"\xe2\x80\xa8\xe2\x80\xa9\"]",
	"[\"\xef\xbf\xbf\"]",
	"[\"{}[],:\"]",
	"[\"/* no comment */\"]",
	"[\"\\u0061\\u0062\"]",
	"[\"\xef\xbb\xbf\"]",
	"[\"\\ufeff\"]",
	"[\"\\uD7FF\\uE000\"]",
};

const std::vector<std::string> kNo = {
	// Nothing, or more than one value.
	"",
	" ",
	"\n",
	"1 2",
	"1,",
	",1",
	"[][]",
	"{}{}",
	"[]]",
	"{}}",
	"[],",
	"{},",
	"[] 1",
	"{} \"a\"",
	"\"a\"\"b\"",
	"null null",
	"[]x",
	"{}#",
	"[]/",
	"truefalse",
	"1[",
	"[1]\0"s,
	"[1]\0 "s,
	"\0"s,
	// Not whole.
	"[",
	"{",
	"[1",
	"[1,",
	"[\"a",
	"[\"a\"",
	"[\"a\",",
	"{\"",
	"{\"a",
	"{\"a\"",
	"{\"a\":",
	"{\"a\":1",
	"{\"a\":1,",
	"{\"a\":{",
	"[[",
	"[[]",
	"[{}",
	"[{",
	"\"",
	"\"a",
	"\"\\",
	"\"\\\"",
	"\"\\u",
	"\"\\u00",
	"tru",
	"fals",
	"nul",
	"t",
	"f",
	"n",
	"-",
	"[-",
	"{\"a\":[",
	"[{\"a\":1}",
	// What closes is not what was opened.
	"]",
	"}",
	"[}",
	"{]",
	"[1}",
	"{\"a\":1]",
	"[[}]",
	"[{]}",
	"{\"a\":[}",
	"[\"a\":1}",
	"{[}",
	"[{\"a\":1]}",
	// Commas.
	"[,]",
	"[1,]",
	"[,1]",
	"[1,,2]",
	"[1,2,]",
	"[1 2]",
	"[1 true]",
	"[\"a\" \"b\"]",
	"[\"a\"\"b\"]",
	"[[]1]",
	"[1[]]",
	"[[][]]",
	"[{}{}]",
	"[1{}]",
	"{,}",
	"{\"a\":1,}",
	"{,\"a\":1}",
	"{\"a\":1,,\"b\":2}",
	"{\"a\":1 \"b\":2}",
	"{\"a\":1\"b\":2}",
	"[1;2]",
	"[,,]",
	"{\"a\":,}",
	"{\"a\":1,,}",
	"[\"a\",]",
	"{\"a\":1},",
	"[1],",
	",",
	// Colons and names.
	":",
	"[:]",
	"{:}",
	"{:1}",
	"[1:2]",
	"[\"a\":1]",
	"{\"a\"}",
	"{\"a\":}",
	"{\"a\",1}",
	"{\"a\" 1}",
	"{\"a\"::1}",
	"{\"a\":1:2}",
	"{\"a\":\"b\":\"c\"}",
	"{a:1}",
	"{'a':1}",
	"{1:1}",
	"{null:1}",
	"{true:1}",
	"{[]:1}",
	"{{}:1}",
	"{\"a\":1,\"b\"}",
	"{\"a\":1,2}",
	"{\"a\" \"b\"}",
	"{\"a\",\"b\"}",
	"{1}",
	"{\"a\":1 2}",
	"{\"a\":1,:2}",
	"\"a\":1",
	"{\"a\"1}",
	"{\"a\":a}",
	"{\"a\"=1}",
	"{\"a\":{1}}",
	"[\"a\",:1]",
	"{\"a\":\"b\",\"c\":\"d\":1}",
	"{-1:1}",
	"{\"a\"\"b\":1}",
	// Words.
	"True",
	"TRUE",
	"False",
	"Null",
	"NULL",
	"[True]",
	"[nul]",
	"[nulll]",
	"[tru]",
	"[truee]",
	"[fals]",
	"[t]",
	"[nu11]",
	"[undefined]",
	"[NaN]",
	"[nan]",
	"[-NaN]",
	"[Infinity]",
	"[-Infinity]",
	"[inf]",
	"[a]",
	"[true1]",
	"[null\0]"s,
	"[true\"a\"]",
	"[true:]",
	"[tr ue]",
	// Numbers.
	"[01]",
	"[00]",
	"[-01]",
	"[-00]",
	"[+1]",
	"[+0]",
	"[.5]",
	"[-.5]",
	"[1.]",
	"[-1.]",
	"[1.e1]",
	"[0.e1]",
	"[1e]",
	"[1e+]",
	"[1e-]",
	"[1E]",
	"[1e1.5]",
	"[1e1e1]",
	"[1.2.3]",
	"[1..2]",
	"[--1]",
	"[-+1]",
	"[1-1]",
	"[1+1]",
	"[-]",
	"[-a]",
	"[1a]",
	"[1_000]",
	"[0x10]",
	"[0b1]",
	"[0o7]",
	"[1,000.]",
	"[1e1_0]",
	"[1 000]",
	"[0.1.2]",
	"[1.5e]",
	"[e1]",
	"[.]",
	"[-e1]",
	"[1f]",
	"[1L]",
	"[\xef\xbc\x91]",
	"[1\xc2\xa0]",
	"[1\x7f]",
	"01",
	"-",
	"+1",
	"1.",
	"1e",
	"0x1",
	"[2.e+3]",
	"[2.e-3]",
	"[9.e+]",
	"[-1.0.]",
	"[0e]",
	"[0e+]",
	"[1eE2]",
	"[-  1]",
	"[$1]",
	// Strings.
	"[\"\x01\"]",
	"[\"\x1f\"]",
	"[\"\n\"]",
	"[\"\t\"]",
	"[\"\r\"]",
	"[\"\0\"]"s,
	"[\"a\nb\"]",
	"[\"\\x41\"]",
	"[\"\\a\"]",
	"[\"\\'\"]",
	"[\"\\0\"]",
	"[\"\\v\"]",
	"[\"\\ \"]",
	"[\"\\\n\"]",
	"[\"\\U0041\"]",
	"[\"\\u\"]",
	"[\"\\u1\"]",
	"[\"\\u12\"]",
	"[\"\\u123\"]",
	"[\"\\u123g\"]",
	"[\"\\ug123\"]",
	"[\"\\u 041\"]",
	"[\"\\u-041\"]",
	"[\"\\u+041\"]",
	"[\"\\u00\\u41\"]",
	"[\"\\\"]",
	"[\"\\\\\\\"]",
	"[\"a]",
	"['a']",
	"[`a`]",
	"[\"a\"b]",
	"[a\"b\"]",
	"[\"\\\xc3\xa4\"]",
	"[\"\\u00\0\"]"s,
	"[\"\\\0\"]"s,
	"[\\n]",
	"[\\u0061]",
	"[\\\"a\\\"]",
	// Blanks that are none, comments.
	"[\v]",
	"[\f]",
	"[\xc2\xa0]",
	"[\xe2\x80\x83]",
	"[\xe2\x81\xa0]",
	"[1]\f",
	"\v1",
	"[\x85]",
	"[1]//",
	"[1]/**/",
	"/**/[1]",
	"[1#]",
	"{\"a\":/**/1}",
	"{\"a\":1}//",
	"[\\t]",
	"[\x1b]",
	// Of no language.
	"*",
	"{*}",
	"<a/>",
	"[<null>]",
	"&",
	"@",
	"~",
	"(1)",
	"[(1)]",
	"{\"a\":1}}",
	"abc",
	"\xff",
	"\xe4",
	"\x01",
};

struct Choice {
	const char *why;
	std::string text;
	int ret;
};

const std::vector<Choice> kChoices = {
	{ "half of a pair: high, alone", "[\"\\ud800\"]", -EBADMSG },
	{ "high, before a letter", "[\"\\ud800a\"]", -EBADMSG },
	{ "high, before another escape", "[\"\\ud800\\n\"]", -EBADMSG },
	{ "high, before one that is no low", "[\"\\ud800\\u0061\"]", -EBADMSG },
	{ "two high", "[\"\\ud800\\ud800\"]", -EBADMSG },
	{ "high, before a part of an escape", "[\"\\ud800\\u\"]", -EBADMSG },
	{ "low, alone", "[\"\\udc00\"]", -EBADMSG },
	{ "two low", "[\"\\udc00\\udc00\"]", -EBADMSG },
	{ "low before high", "[\"\\udfff\\ud800\"]", -EBADMSG },
	{ "low behind a pair", "[\"\\ud800\\udc00\\udc00\"]", -EBADMSG },
	{ "half of a pair in a name", "{\"\\ud800\":1}", -EBADMSG },
	{ "a byte order mark", "\xef\xbb\xbf[]", -EBADMSG },
	{ "a byte order mark alone", "\xef\xbb\xbf", -EBADMSG },
	{ "UTF-16", "[\0\"\0a\0\"\0]\0"s, -EBADMSG },
	{ "UTF-16 with its mark", "\xff\xfe[\0]\0"s, -EBADMSG },
	{ "a byte of ISO 8859-1", "[\"\xe4\"]", -EBADMSG },
	{ "a byte that goes on with nothing", "[\"\x80\"]", -EBADMSG },
	{ "half a character", "[\"\xe2\x82\"]", -EBADMSG },
	{ "a zero too long", "[\"\xc0\x80\"]", -EBADMSG },
	{ "a slash too long", "[\"\xc0\xaf\"]", -EBADMSG },
	{ "a pair in UTF-8", "[\"\xed\xa0\xbd\xed\xb8\x80\"]", -EBADMSG },
	{ "above the last character", "[\"\xf4\x90\x80\x80\"]", -EBADMSG },
	{ "no byte of UTF-8", "[\"\xff\"]", -EBADMSG },
	{ "the same in a name", "{\"\xff\":1}", -EBADMSG },
	{ "a name twice", "{\"a\":1,\"a\":2}", -EBADMSG },
	{ "with the same value", "{\"a\":1,\"a\":1}", -EBADMSG },
	{ "with others between", "{\"a\":1,\"b\":{\"c\":[1,2]},\"a\":2}", -EBADMSG },
	{ "the empty name", "{\"\":1,\"\":2}", -EBADMSG },
	{ "in an escape", "{\"a\":1,\"\\u0061\":2}", -EBADMSG },
	{ "in two kinds of escape", "{\"\\/\":1,\"\\u002F\":2}", -EBADMSG },
	{ "as a pair and as UTF-8", "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\uDE00\":2}", -EBADMSG },
	{ "deep inside", "[{\"a\":{\"b\":1,\"c\":2,\"b\":3}}]", -EBADMSG },
	{ "the last two of three", "{\"a\":1,\"b\":2,\"b\":3}", -EBADMSG },
	{ "a number larger than any double", "[1e999999]", 0 },
	{ "a number smaller than any double", "[1e-999999]", 0 },
	{ "more digits than any integer", "[" + Repeat("9", 1000) + "]", 0 },
	{ "characters that are none", "[\"\xef\xbf\xbe\\uffff\"]", 0 },
	{ "as deep as it may be", Repeat("[", 16) + Repeat("]", 16), 0 },
	{ "deeper", Repeat("[", 17) + Repeat("]", 17), -EMSGSIZE },
	{ "deeper, and not whole", Repeat("[", 100000), -EMSGSIZE },
	{ "deeper, of objects", Repeat("{\"a\":", 16) + "{}" + Repeat("}", 16), -EMSGSIZE },
	{ "as many values as there may be", "[" + Repeat("1,", 62) + "1]", 0 },
	{ "one more", "[" + Repeat("1,", 63) + "1]", -EMSGSIZE },
	{ "one more as a string", "[" + Repeat("1,", 63) + "\"\"]", -EMSGSIZE },
	{ "one more as an array", "[" + Repeat("1,", 63) + "[]]", -EMSGSIZE },
	{ "as long as it may be", "[" + Repeat(" ", 65534) + "]", 0 },
	{ "longer", "[" + Repeat(" ", 65535) + "]", -EMSGSIZE },
};

TEST(JsonTable, AcceptsWhatIsJson)
{
	for (const std::string &text : kYes)
		EXPECT_EQ(0, Text(text).ret) << text;
}

TEST(JsonTable, RefusesWhatIsNot)
{
	for (const std::string &text : kNo)
		EXPECT_EQ(-EBADMSG, Text(text).ret) << text;
}

TEST(JsonTable, MakesTheSameChoiceEachTime)
{
	for (const Choice &choice : kChoices)
		EXPECT_EQ(choice.ret, Text(choice.text).ret) << choice.why;
}

// But for a number at the root, of which each prefix may be one.
TEST(JsonTable, RefusesEachProperPrefixOfAnObjectOrArray)
{
	for (const std::string &text : kYes) {
		if (text[0] != '{' && text[0] != '[')
			continue;
		size_t len = text.find_last_of("}]"); // blanks may follow

		for (size_t i = 0; i <= len; i++)
			EXPECT_EQ(-EBADMSG, Text(text.substr(0, i)).ret) << text << " to " << i;
	}
}

// Section 2: a blank may stand before and behind each of the six structural characters.
TEST(JsonTable, TakesBlanksAroundEachStructuralCharacter)
{
	const std::string text = "{\"a\":[1,{}],\"b\":[]}";

	for (const char *blank : { " ", "\t", "\n", "\r", " \r\n\t" }) {
		for (size_t i = 0; i <= text.size(); i++) {
			bool is_between = i == 0 || i == text.size() ||
					  std::string("{}[]:,").find(text[i]) < 6 ||
					  std::string("{}[]:,").find(text[i - 1]) < 6;

			if (is_between) {
				EXPECT_EQ(0, Text(text.substr(0, i) + blank + text.substr(i)).ret);
			}
		}
	}
}

// Whatever one byte becomes: what is accepted then is in the table of values above it.
TEST(JsonTable, RefusesAStrangeByteAtEachPlaceOutsideOfStrings)
{
	const std::string text = "[1,{},[]]";

	for (size_t i = 0; i <= text.size(); i++) {
		for (const char *strange : { "\x01", "\x7f", "\x80", "\xff", "a", "\\", "'", "/" })
			EXPECT_EQ(-EBADMSG, Text(text.substr(0, i) + strange + text.substr(i)).ret);
		EXPECT_EQ(-EBADMSG, Text(text.substr(0, i) + '\0' + text.substr(i)).ret);
	}
}

} // namespace
