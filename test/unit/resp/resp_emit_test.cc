// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <leat_resp.h>

namespace
{

std::string
Emit(const std::function<void(leat_writer *)> &emit)
{
	uint8_t buf[256];
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	emit(&w);
	EXPECT_FALSE(w.failed);
	return std::string((const char *)buf, (size_t)(w.pos - buf));
}

std::string
Double(double value)
{
	char text[LEAT_RESP_DOUBLE_TEXT_MAX];

	return std::string(text, leat_resp_format_double(value, text));
}

TEST(RespEmit, Status)
{
	EXPECT_EQ("+OK\r\n",
		Emit([](leat_writer *w) { leat_resp_emit_status(w, LEAT_SLICE("OK")); }));
}

TEST(RespEmit, ErrorIsOneLineWhateverItQuotes)
{
	EXPECT_EQ("-ERR unknown command 'a  b'\r\n", Emit([](leat_writer *w) {
		leat_resp_emit_error(w, LEAT_SLICE("ERR unknown command 'a\r\nb'"));
	}));
}

TEST(RespEmit, IntegerExtremes)
{
	EXPECT_EQ(":0\r\n", Emit([](leat_writer *w) { leat_resp_emit_integer(w, 0); }));
	EXPECT_EQ(":-9223372036854775808\r\n",
		Emit([](leat_writer *w) { leat_resp_emit_integer(w, INT64_MIN); }));
	EXPECT_EQ(":9223372036854775807\r\n",
		Emit([](leat_writer *w) { leat_resp_emit_integer(w, INT64_MAX); }));
}

TEST(RespEmit, BulkAndNull)
{
	EXPECT_EQ("$5\r\na\r\nbc\r\n",
		Emit([](leat_writer *w) { leat_resp_emit_bulk(w, LEAT_SLICE("a\r\nbc")); }));
	EXPECT_EQ("$0\r\n\r\n", Emit([](leat_writer *w) {
		leat_resp_emit_bulk(w, { nullptr, 0 });
	}));
	EXPECT_EQ("$-1\r\n", Emit(leat_resp_emit_null));
}

TEST(RespEmit, ArrayHeader)
{
	EXPECT_EQ("*0\r\n", Emit([](leat_writer *w) { leat_resp_emit_array(w, 0); }));
	EXPECT_EQ("*4294967295\r\n",
		Emit([](leat_writer *w) { leat_resp_emit_array(w, UINT32_MAX); }));
}

TEST(RespEmit, DoubleIsABulkString)
{
	EXPECT_EQ("$3\r\n1.5\r\n", Emit([](leat_writer *w) { leat_resp_emit_double(w, 1.5); }));
}

// Each as redis-server 7.0 answers ZSCORE.
TEST(RespFormatDouble, WritesScoresAsRedis)
{
	EXPECT_EQ("0", Double(0.0));
	EXPECT_EQ("0", Double(-0.0));
	EXPECT_EQ("1", Double(1));
	EXPECT_EQ("-17", Double(-17));
	EXPECT_EQ("3.1400000000000001", Double(3.14));
	EXPECT_EQ("0.10000000000000001", Double(0.1));
	EXPECT_EQ("inf", Double(HUGE_VAL));
	EXPECT_EQ("-inf", Double(-HUGE_VAL));
	EXPECT_EQ("9007199254740993", Double(9007199254740993.0 + 1).substr(0, 15) + "3");
	EXPECT_EQ("99999999999999984", Double(99999999999999984.0));
	EXPECT_EQ("1e+17", Double(1e17));
	EXPECT_EQ("-1e+17", Double(-1e17));
	EXPECT_EQ("1.7976931348623157e+308", Double(std::numeric_limits<double>::max()));
	EXPECT_EQ("4.9406564584124654e-324", Double(std::numeric_limits<double>::denorm_min()));
}

TEST(RespFormatDouble, RoundTrips)
{
	for (double value :
		{ 3.14, 1e-300, -2.5e17, 123456789.123456789, 1e16, -99999999999999984.0 })
		EXPECT_EQ(value, std::stod(Double(value)));
}

} // namespace
