// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include <leat_icmp.h>

namespace
{

const std::vector<uint8_t> kEcho = { 8, 0, 0xab, 0xcd, 0x12, 0x34, 0x00, 0x07 };

TEST(IcmpParse, Echo)
{
	leat_icmp_hdr hdr;

	ASSERT_EQ(
		(ssize_t)LEAT_ICMP_HDR_LEN, leat_icmp_parse({ kEcho.data(), kEcho.size() }, &hdr));
	EXPECT_EQ(LEAT_ICMP_TYPE_ECHO, hdr.type);
	EXPECT_EQ(0, hdr.code);
	EXPECT_EQ(0x1234, hdr.id);
	EXPECT_EQ(7, hdr.seq);
}

TEST(IcmpParse, EveryProperPrefixIsRefused)
{
	leat_icmp_hdr hdr;

	for (size_t len = 0; len < kEcho.size(); len++)
		EXPECT_EQ(-EBADMSG, leat_icmp_parse({ kEcho.data(), len }, &hdr)) << len;
}

TEST(IcmpEmit, WritesWhatWasParsedWithChecksumZero)
{
	std::vector<uint8_t> want = kEcho;
	uint8_t out[LEAT_ICMP_HDR_LEN];
	leat_icmp_hdr hdr;

	want[2] = want[3] = 0;
	ASSERT_GT(leat_icmp_parse({ kEcho.data(), kEcho.size() }, &hdr), 0);
	ASSERT_EQ(LEAT_ICMP_HDR_LEN, leat_icmp_emit(&hdr, out));
	EXPECT_EQ(want, std::vector<uint8_t>(out, out + sizeof(out)));
}

} // namespace
