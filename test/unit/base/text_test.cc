// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_hex.h>
#include <leat_utf8.h>

namespace
{

leat_slice
Slice(const std::string &text)
{
	return { (const uint8_t *)text.data(), text.size() };
}

// In memory of exactly that size.
size_t
LenOf(const std::string &text)
{
	std::vector<uint8_t> copy(text.begin(), text.end());

	return leat_utf8_len(copy.data(), copy.size());
}

std::string
Format(uint32_t c)
{
	uint8_t bytes[LEAT_UTF8_MAX];
	size_t len = leat_utf8_format(c, bytes);

	return std::string((const char *)bytes, len);
}

bool
IsSurrogate(uint32_t c)
{
	return c >= 0xd800 && c <= 0xdfff;
}

TEST(Utf8, WritesTheFirstAndLastCharacterOfEachLength)
{
	EXPECT_EQ(std::string(1, '\0'), Format(0));
	EXPECT_EQ("\x7f", Format(0x7f));
	EXPECT_EQ("\xc2\x80", Format(0x80));
	EXPECT_EQ("\xdf\xbf", Format(0x7ff));
	EXPECT_EQ("\xe0\xa0\x80", Format(0x800));
	EXPECT_EQ("\xef\xbf\xbf", Format(0xffff));
	EXPECT_EQ("\xf0\x90\x80\x80", Format(0x10000));
	EXPECT_EQ("\xf4\x8f\xbf\xbf", Format(0x10ffff));
}

TEST(Utf8, MeasuresEachCharacterAsItIsWritten)
{
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		std::string text = Format(c);

		if (!IsSurrogate(c)) {
			ASSERT_EQ(text.size(), LenOf(text)) << c;
		}
	}
}

TEST(Utf8, RefusesHalvesOfSurrogatePairs)
{
	for (uint32_t c = 0xd800; c <= 0xdfff; c++)
		ASSERT_EQ(0u, LenOf(Format(c))) << c;
}

TEST(Utf8, RefusesEachProperPrefix)
{
	for (uint32_t c : { 0x80u, 0x7ffu, 0x800u, 0xffffu, 0x10000u, 0x10ffffu }) {
		std::string text = Format(c);

		for (size_t len = 1; len < text.size(); len++)
			EXPECT_EQ(0u, LenOf(text.substr(0, len))) << c;
	}
}

// RFC 3629 section 4: the table of well-formed bytes.
TEST(Utf8, RefusesWhatNoCharacterIsWrittenAs)
{
	const char *bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2\x7f", "\xc2\xc0",
		"\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe1\x80\x41", "\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80",
		"\xfe", "\xff" };

	for (const char *text : bad)
		EXPECT_EQ(0u, LenOf(text)) << text;
}

TEST(Hex, ReadsDigitsOfEitherCase)
{
	uint8_t bytes[8];

	ASSERT_EQ(0, leat_hex_parse(Slice("0123456789abCDef"), bytes));
	EXPECT_EQ(std::string("\x01\x23\x45\x67\x89\xab\xcd\xef"),
		std::string((char *)bytes, sizeof(bytes)));
	EXPECT_EQ(0, leat_hex_parse(Slice(""), nullptr));
}

TEST(Hex, RefusesAllOtherBytesAtEachPlace)
{
	for (int c = 0; c < 256; c++) {
		bool is_digit = isxdigit(c) != 0; // of the C locale

		for (size_t at = 0; at < 4; at++) {
			std::string text = "5a5A";
			uint8_t bytes[2];

			text[at] = (char)c;
			EXPECT_EQ(is_digit ? 0 : -EBADMSG, leat_hex_parse(Slice(text), bytes)) << c;
		}
		EXPECT_EQ(is_digit, leat_hex_value((uint8_t)c) >= 0) << c;
	}
}

TEST(Hex, RefusesHalfAByte)
{
	uint8_t bytes[2];

	EXPECT_EQ(-EBADMSG, leat_hex_parse(Slice("5"), bytes));
	EXPECT_EQ(-EBADMSG, leat_hex_parse(Slice("5a5"), bytes));
}

TEST(Hex, RoundTripsAnyLength)
{
	for (size_t len : { 0u, 1u, 31u, 32u, 33u, 64u, 100u }) {
		std::string bytes(len, '\0');
		std::vector<uint8_t> text(2 * len);
		std::vector<uint8_t> back(len);
		leat_writer w;

		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(i * 37 + 5);
		leat_writer_init(&w, text.data(), text.size());
		leat_hex_put(&w, Slice(bytes));
		ASSERT_FALSE(w.failed);
		ASSERT_EQ(text.data() + text.size(), w.pos);
		ASSERT_EQ(0, leat_hex_parse({ text.data(), text.size() }, back.data()));
		EXPECT_EQ(bytes, std::string(back.begin(), back.end()));
	}
}

} // namespace
