// SPDX-License-Identifier: BSD-3-Clause

#include <climits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_json_writer.h>

#include "json_support.h"

namespace
{

using json_test::Text;
using std::string_literals::operator""s;

leat_slice
Slice(const std::string &text)
{
	return { (const uint8_t *)text.data(), text.size() };
}

// What is written into memory of exactly so many bytes; "failed" where that is not enough.
template <typename F>
std::string
Written(F write, size_t room_len = 1000)
{
	std::vector<uint8_t> room(room_len);
	leat_json_writer json;
	leat_writer w;

	leat_writer_init(&w, room.data(), room.size());
	leat_json_write(&json, &w);
	write(&json);
	EXPECT_TRUE(leat_json_is_whole(&json));
	return w.failed ? "failed" : std::string(room.data(), w.pos);
}

std::string
StringWritten(const std::string &string)
{
	return Written([&](leat_json_writer *json) { leat_json_put_string(json, Slice(string)); });
}

void
AllKinds(leat_json_writer *json)
{
	leat_json_begin_object(json);
	leat_json_put_name(json, LEAT_SLICE("a"));
	leat_json_begin_array(json);
	leat_json_put_u64(json, 1);
	leat_json_put_i64(json, -2);
	leat_json_put_bool(json, true);
	leat_json_put_bool(json, false);
	leat_json_put_null(json);
	leat_json_begin_object(json);
	leat_json_end_object(json);
	leat_json_begin_array(json);
	leat_json_end_array(json);
	leat_json_end_array(json);
	leat_json_put_name(json, LEAT_SLICE("b"));
	leat_json_put_hex(json, Slice("\xde\xad\x01"));
	leat_json_put_name(json, LEAT_SLICE("c\n"));
	leat_json_put_string(json, LEAT_SLICE("d"));
	leat_json_end_object(json);
}

const std::string kAllKinds =
	"{\"a\":[1,-2,true,false,null,{},[]],\"b\":\"0xdead01\",\"c\\n\":\"d\"}";

TEST(JsonWrite, SetsCommasAndColons)
{
	EXPECT_EQ(kAllKinds, Written(AllKinds));
	EXPECT_EQ(0, Text(kAllKinds).ret);
}

TEST(JsonWrite, BeginsEachArrayWithoutAComma)
{
	EXPECT_EQ("[[1,2],[3]]", Written([](leat_json_writer *json) {
		leat_json_begin_array(json);
		leat_json_begin_array(json);
		leat_json_put_u64(json, 1);
		leat_json_put_u64(json, 2);
		leat_json_end_array(json);
		leat_json_begin_array(json);
		leat_json_put_u64(json, 3);
		leat_json_end_array(json);
		leat_json_end_array(json);
	}));
}

TEST(JsonWrite, FailsWithOneByteTooFewAndWritesNoneBehind)
{
	EXPECT_EQ(kAllKinds, Written(AllKinds, kAllKinds.size()));
	for (size_t len = 0; len < kAllKinds.size(); len++)
		EXPECT_EQ("failed", Written(AllKinds, len));
}

TEST(JsonWrite, WritesEachNumberExactly)
{
	for (uint64_t value : { (uint64_t)0, (uint64_t)9007199254740993, UINT64_MAX })
		EXPECT_EQ(std::to_string(value),
			Written([&](leat_json_writer *json) { leat_json_put_u64(json, value); }));
	for (int64_t value : { INT64_MIN, (int64_t)-1, (int64_t)0, INT64_MAX })
		EXPECT_EQ(std::to_string(value),
			Written([&](leat_json_writer *json) { leat_json_put_i64(json, value); }));
}

TEST(JsonWrite, WritesAnyValueAtTheRoot)
{
	EXPECT_EQ("null", Written(leat_json_put_null));
	EXPECT_EQ("\"0x\"", Written([](leat_json_writer *json) {
		leat_json_put_hex(json, { nullptr, 0 });
	}));
	EXPECT_EQ("\"\"", Written([](leat_json_writer *json) {
		leat_json_put_string(json, { nullptr, 0 });
	}));
}

// RFC 8259 section 7.
TEST(JsonWrite, EscapesWhatMustBeEscaped)
{
	EXPECT_EQ("\"\\\"\\\\/\\b\\f\\n\\r\\t\"", StringWritten("\"\\/\b\f\n\r\t"));
	EXPECT_EQ("\"\\u0000\\u0001\\u000b\\u001f \x7f\"", StringWritten("\0\x01\x0b\x1f \x7f"s));
	EXPECT_EQ("\"a\\nb\"", StringWritten("a\nb"));
}

TEST(JsonWrite, LeavesCharactersAsTheyAre)
{
	EXPECT_EQ("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
		StringWritten("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
}

TEST(JsonWrite, ReplacesEachByteThatIsNoCharacter)
{
	EXPECT_EQ("\"a\xef\xbf\xbd\"", StringWritten("a\xff"));
	EXPECT_EQ("\"\xef\xbf\xbd\xef\xbf\xbd\"", StringWritten("\xe2\x82"));
	EXPECT_EQ("\"\xef\xbf\xbd\xef\xbf\xbd"
		  "a\"",
		StringWritten("\xc0\x80"
			      "a"));
}

TEST(JsonWrite, WritesWhatTheReaderReadsAsTheSame)
{
	std::string all;

	for (int c = 0; c < 0x80; c++)
		all += (char)c;
	Text text(StringWritten(all));
	leat_slice s;

	ASSERT_EQ(0, text.ret);
	ASSERT_EQ(0, leat_json_get_string(text.json.tokens, &s));
	EXPECT_EQ(all, json_test::String(s));
}

TEST(JsonWrite, IsWholeBehindItsRootAlone)
{
	uint8_t room[100];
	leat_json_writer json;
	leat_writer w;

	leat_writer_init(&w, room, sizeof(room));
	leat_json_write(&json, &w);
	EXPECT_FALSE(leat_json_is_whole(&json));
	leat_json_begin_array(&json);
	EXPECT_FALSE(leat_json_is_whole(&json));
	leat_json_end_array(&json);
	EXPECT_TRUE(leat_json_is_whole(&json));
}

void
Nest(leat_json_writer *json, unsigned int depth)
{
	for (unsigned int i = 0; i < depth; i++)
		leat_json_begin_array(json);
	for (unsigned int i = 0; i < depth; i++)
		leat_json_end_array(json);
}

TEST(JsonWrite, NestsToItsLimit)
{
	EXPECT_EQ(2u * LEAT_JSON_WRITER_DEPTH_MAX, Written([](leat_json_writer *json) {
		Nest(json, LEAT_JSON_WRITER_DEPTH_MAX);
	}).size());
}

TEST(JsonWriteDeathTest, StopsAtWhatWouldBeNoJson)
{
	leat_slice name = LEAT_SLICE("a");
	void (*wrong[])(leat_json_writer *, leat_slice) = {
		[](leat_json_writer *json, leat_slice) {
			Nest(json, LEAT_JSON_WRITER_DEPTH_MAX + 1);
		},
		[](leat_json_writer *json, leat_slice) { // two roots
			leat_json_put_null(json);
			leat_json_put_null(json);
		},
		[](leat_json_writer *json, leat_slice) { // a value without a name
			leat_json_begin_object(json);
			leat_json_put_null(json);
		},
		[](leat_json_writer *json, leat_slice n) { // a name without a value
			leat_json_begin_object(json);
			leat_json_put_name(json, n);
			leat_json_end_object(json);
		},
		[](leat_json_writer *json, leat_slice n) {
			leat_json_begin_object(json);
			leat_json_put_name(json, n);
			leat_json_put_name(json, n);
		},
		[](leat_json_writer *json, leat_slice n) { // a name in an array
			leat_json_begin_array(json);
			leat_json_put_name(json, n);
		},
		[](leat_json_writer *json, leat_slice n) { leat_json_put_name(json, n); },
		[](leat_json_writer *json, leat_slice) {
			leat_json_begin_array(json);
			leat_json_end_object(json);
		},
		[](leat_json_writer *json, leat_slice) {
			leat_json_begin_object(json);
			leat_json_end_array(json);
		},
		[](leat_json_writer *json, leat_slice) { leat_json_end_array(json); },
	};

	for (auto *write : wrong) {
		uint8_t room[100];
		leat_json_writer json;
		leat_writer w;

		leat_writer_init(&w, room, sizeof(room));
		leat_json_write(&json, &w);
		EXPECT_DEATH(write(&json, name), "json_write");
	}
}

} // namespace
