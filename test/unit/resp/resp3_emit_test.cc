// SPDX-License-Identifier: BSD-3-Clause

// The types that RESP3 adds, byte for byte.

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <leat_resp_client.h>

namespace
{

// What is written, in room for exactly len bytes; "full" when that was not enough.
std::string
Emit(const std::function<void(leat_writer *)> &emit, size_t len)
{
	std::string out(len, '\0');
	leat_writer w;

	leat_writer_init(&w, (uint8_t *)out.data(), out.size());
	emit(&w);
	out.resize((size_t)(w.pos - (uint8_t *)out.data()));
	return w.failed ? "full" : out;
}

void
Expect(const std::string &bytes, const std::function<void(leat_writer *)> &emit)
{
	EXPECT_EQ(bytes, Emit(emit, bytes.size()));
	EXPECT_EQ("full", Emit(emit, bytes.size() - 1)) << bytes;
}

leat_slice
Slice(const std::string &s)
{
	return { (const uint8_t *)s.data(), s.size() };
}

TEST(Resp3Emit, Null)
{
	Expect("_\r\n", leat_resp3_emit_null);
}

TEST(Resp3Emit, Booleans)
{
	Expect("#t\r\n", [](leat_writer *w) { leat_resp3_emit_boolean(w, true); });
	Expect("#f\r\n", [](leat_writer *w) { leat_resp3_emit_boolean(w, false); });
}

TEST(Resp3Emit, DoublesAsRedis)
{
	const std::pair<double, std::string> table[] = { { 0, "0" }, { 1.5, "1.5" }, { -3, "-3" },
		{ 0.1, "0.10000000000000001" }, { 1e20, "1e+20" }, { HUGE_VAL, "inf" },
		{ -HUGE_VAL, "-inf" }, { -2.2250738585072014e-308, "-2.2250738585072014e-308" } };

	for (const auto &[value, text] : table)
		Expect("," + text + "\r\n",
			[value = value](leat_writer *w) { leat_resp3_emit_double(w, value); });
}

TEST(Resp3Emit, BigNumber)
{
	const std::string digits = "-3492890328409238509324850943850943825024385";

	Expect("(" + digits + "\r\n",
		[&](leat_writer *w) { leat_resp3_emit_big_number(w, Slice(digits)); });
}

TEST(Resp3Emit, BulkErrorTakesAnyBytes)
{
	Expect("!6\r\nERR\r\nx\r\n",
		[](leat_writer *w) { leat_resp3_emit_bulk_error(w, LEAT_SLICE("ERR\r\nx")); });
}

TEST(Resp3Emit, VerbatimCountsItsFormat)
{
	Expect("=15\r\ntxt:Some string\r\n", [](leat_writer *w) {
		leat_resp3_emit_verbatim(w, "txt", LEAT_SLICE("Some string"));
	});
	Expect("=4\r\ntxt:\r\n",
		[](leat_writer *w) { leat_resp3_emit_verbatim(w, "txt", LEAT_SLICE("")); });
}

TEST(Resp3Emit, HeadsOfAggregates)
{
	Expect("%0\r\n", [](leat_writer *w) { leat_resp3_emit_map(w, 0); });
	Expect("%7\r\n", [](leat_writer *w) { leat_resp3_emit_map(w, 7); });
	Expect("~2\r\n", [](leat_writer *w) { leat_resp3_emit_set(w, 2); });
	Expect("|1\r\n", [](leat_writer *w) { leat_resp3_emit_attribute(w, 1); });
	Expect(">4294967295\r\n", [](leat_writer *w) { leat_resp3_emit_push(w, UINT32_MAX); });
}

TEST(RespEmitRequest, IsAnArrayOfBulkStrings)
{
	const leat_slice argv[] = { LEAT_SLICE("SET"), LEAT_SLICE("k"), LEAT_SLICE("a\r\nb") };

	Expect("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n",
		[&](leat_writer *w) { leat_resp_emit_request(w, argv, 3); });
}

TEST(RespEmitRequest, EmptyArgument)
{
	const leat_slice argv[] = { LEAT_SLICE("GET"), { nullptr, 0 } };

	Expect("*2\r\n$3\r\nGET\r\n$0\r\n\r\n",
		[&](leat_writer *w) { leat_resp_emit_request(w, argv, 2); });
}

// What the client builds, the server parses.
TEST(RespEmitRequest, RoundTrip)
{
	const std::string words[] = { "", "k", "\r\n", std::string(70000, 'x'),
		std::string(3, '\0') };
	leat_resp_limits limits = { 1 << 20, 8, 0, 0, false };
	leat_slice argv[5], got[8];
	leat_resp_parser parser = {};
	leat_resp_request req;

	for (size_t i = 0; i < 5; i++)
		argv[i] = Slice(words[i]);
	const std::string bytes =
		Emit([&](leat_writer *w) { leat_resp_emit_request(w, argv, 5); }, 80000);
	ASSERT_EQ((ssize_t)bytes.size(),
		leat_resp_parse_request(&parser, &limits, Slice(bytes), got, 8, &req));
	ASSERT_EQ(5u, req.argc);
	for (size_t i = 0; i < 5; i++)
		EXPECT_TRUE(leat_slice_is_equal(argv[i], got[i])) << i;
}

} // namespace
