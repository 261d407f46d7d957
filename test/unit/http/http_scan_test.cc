// SPDX-License-Identifier: BSD-3-Clause

// Every byte at every offset of a line: blocks, words and single bytes judge alike.

#include "http_fixture.h"

namespace
{

constexpr size_t kLenMax = 48; // blocks, a word and bytes

bool
IsControl(int byte)
{
	return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

TEST(HttpScan, EveryByteAtEveryOffsetOfAValue)
{
	for (size_t off = 0; off < kLenMax; off++) {
		for (int byte = 0; byte < 256; byte++) {
			std::string value(kLenMax, 'x');
			std::unique_ptr<uint8_t[]> bytes(new uint8_t[value.size()]);
			leat_http_field field = { leat_slice_str("X"),
				{ bytes.get(), value.size() } };

			value[off] = (char)byte;
			value.copy((char *)bytes.get(), value.size());
			ASSERT_EQ(!IsControl(byte), leat_http_field_is_valid(&field))
				<< byte << " at " << off;
		}
	}
}

TEST(HttpScan, EveryLengthOfALine)
{
	for (size_t len = 0; len < kLenMax; len++) {
		std::string value(len, 'v');
		Parsed p = ParseAll("GET / HTTP/1.1\r\nHost: a\r\nX: " + value + "\r\n\r\n");

		EXPECT_EQ("Host=a;X=" + value + ";", p.fields);
	}
}

// Borrows in a word reach the bytes above: these stand above a control byte or a high one.
TEST(HttpScan, BytesBesideEachOther)
{
	for (int low = 0; low < 256; low++) {
		for (int high = 0; high < 256; high++) {
			uint8_t value[8] = { 'a', 'b', (uint8_t)low, (uint8_t)high, 'c', 'd', 'e',
				'f' };
			leat_http_field field = { leat_slice_str("X"), { value, sizeof(value) } };

			ASSERT_EQ(!IsControl(low) && !IsControl(high),
				leat_http_field_is_valid(&field))
				<< low << " " << high;
		}
	}
}

TEST(HttpScan, NamesOfFields)
{
	for (const char *name : { "", "X Y", "X:", "X\r\n", "(X)" }) {
		leat_http_field field = { leat_slice_str(name), leat_slice_str("v") };

		EXPECT_FALSE(leat_http_field_is_valid(&field)) << name;
	}
	leat_http_field field = { leat_slice_str("X"), { nullptr, 0 } };
	EXPECT_TRUE(leat_http_field_is_valid(&field));
}

// What differs from a name that we read in one letter, or has its length, is another field.
TEST(HttpScan, NamesThatAreNearlyOurs)
{
	for (const char *name :
		{ "host", "expect", "connection", "content-length", "transfer-encoding" }) {
		std::string other = name;

		for (size_t i = 0; i < other.size(); i++) {
			std::string near = other;

			near[i] = near[i] == '-' ? '_' : '~';
			Parsed p =
				ParseAll("GET / HTTP/1.1\r\nHost: a\r\n" + near + ": (,)\r\n\r\n");
			EXPECT_GT(p.ret, 0) << near;
			EXPECT_TRUE(p.is_keep_alive);
		}
	}
}

} // namespace
