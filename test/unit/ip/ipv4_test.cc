// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include <leat_ipv4.h>

namespace
{

// 192.168.0.1 to 192.168.0.199, UDP, 115 bytes, DF; checksum 0xb861.
const std::vector<uint8_t> kHeader = { 0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
	0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7 };

ssize_t
Parse(const std::vector<uint8_t> &bytes, size_t packet_len, leat_ipv4_hdr *hdr)
{
	return leat_ipv4_parse({ bytes.data(), bytes.size() }, packet_len, hdr);
}

TEST(Ipv4Parse, PlainHeader)
{
	leat_ipv4_hdr hdr;

	ASSERT_EQ(20, Parse(kHeader, 115, &hdr));
	EXPECT_EQ(20, hdr.hdr_len);
	EXPECT_EQ(115, hdr.total_len);
	EXPECT_EQ(0xc0a80001u, hdr.src);
	EXPECT_EQ(0xc0a800c7u, hdr.dst);
	EXPECT_EQ(64, hdr.ttl);
	EXPECT_EQ(17, hdr.proto);
	EXPECT_TRUE(hdr.dont_fragment);
	EXPECT_FALSE(leat_ipv4_is_fragment(&hdr));
}

// The first trap of frames: 40 bytes of packet in a frame padded to 60.
TEST(Ipv4Parse, PaddingBehindTotalLengthIsAccepted)
{
	std::vector<uint8_t> bytes = kHeader;
	leat_ipv4_hdr hdr;

	bytes[3] = 40;
	ASSERT_EQ(20, Parse(bytes, 46, &hdr));
	EXPECT_EQ(40, hdr.total_len);
}

TEST(Ipv4Parse, TotalLengthOneOverWhatWasReceivedIsRefused)
{
	leat_ipv4_hdr hdr;

	EXPECT_EQ(20, Parse(kHeader, 115, &hdr));
	EXPECT_EQ(-EBADMSG, Parse(kHeader, 114, &hdr));
}

TEST(Ipv4Parse, EveryProperPrefixIsRefused)
{
	leat_ipv4_hdr hdr;

	for (size_t len = 0; len < kHeader.size(); len++)
		EXPECT_EQ(-EBADMSG, leat_ipv4_parse({ kHeader.data(), len }, 115, &hdr)) << len;
}

TEST(Ipv4Parse, OtherVersionsAreRefused)
{
	for (unsigned int version = 0; version < 16; version++) {
		std::vector<uint8_t> bytes = kHeader;
		leat_ipv4_hdr hdr;

		bytes[0] = (uint8_t)(version << 4 | 5);
		EXPECT_EQ(version == 4 ? 20 : -EPROTONOSUPPORT, Parse(bytes, 115, &hdr));
	}
}

TEST(Ipv4Parse, OptionsAreSkippedByHeaderLength)
{
	for (unsigned int ihl = 0; ihl < 16; ihl++) {
		std::vector<uint8_t> bytes = kHeader;
		leat_ipv4_hdr hdr;

		bytes[0] = (uint8_t)(0x40 | ihl);
		bytes.resize(LEAT_IPV4_HDR_LEN_MAX, 1);
		EXPECT_EQ(ihl < 5 ? -EBADMSG : (ssize_t)ihl * 4, Parse(bytes, 115, &hdr)) << ihl;
	}
}

TEST(Ipv4Parse, HeaderLengthBeyondTheFirstBytesIsRefused)
{
	std::vector<uint8_t> bytes = kHeader;
	leat_ipv4_hdr hdr;

	bytes[0] = 0x46;
	EXPECT_EQ(-EBADMSG, Parse(bytes, 115, &hdr));
}

TEST(Ipv4Parse, TotalLengthShorterThanTheHeaderIsRefused)
{
	std::vector<uint8_t> bytes = kHeader;
	leat_ipv4_hdr hdr;

	bytes[3] = 19;
	EXPECT_EQ(-EBADMSG, Parse(bytes, 115, &hdr));
	bytes[3] = 20;
	EXPECT_EQ(20, Parse(bytes, 115, &hdr));
}

TEST(Ipv4Parse, FragmentsAreSeenByFlagAndByOffset)
{
	std::vector<uint8_t> first = kHeader, last = kHeader;
	leat_ipv4_hdr hdr;

	first[6] = 0x20;
	ASSERT_EQ(20, Parse(first, 115, &hdr));
	EXPECT_TRUE(leat_ipv4_is_fragment(&hdr));
	last[6] = 0x1f;
	last[7] = 0xff;
	ASSERT_EQ(20, Parse(last, 115, &hdr));
	EXPECT_TRUE(leat_ipv4_is_fragment(&hdr));
	EXPECT_EQ(65528, hdr.frag_off);
}

TEST(Ipv4Cksum, GoodHeaderAndEverySingleBitError)
{
	std::vector<uint8_t> bytes = kHeader;

	EXPECT_TRUE(leat_ipv4_cksum_is_good(bytes.data(), bytes.size()));
	for (size_t bit = 0; bit < bytes.size() * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		EXPECT_FALSE(leat_ipv4_cksum_is_good(bytes.data(), bytes.size())) << bit;
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(Ipv4Emit, WritesWhatWasParsed)
{
	uint8_t out[LEAT_IPV4_HDR_LEN];
	leat_ipv4_hdr hdr;

	ASSERT_EQ(20, Parse(kHeader, 115, &hdr));
	ASSERT_EQ(LEAT_IPV4_HDR_LEN, leat_ipv4_emit(&hdr, out));
	EXPECT_EQ(0, out[10] | out[11]);
	leat_ipv4_emit_cksum(out);
	EXPECT_EQ(kHeader, std::vector<uint8_t>(out, out + sizeof(out)));
}

// RFC 1122 section 3.2.1.3.
TEST(Ipv4Addr, HostAddresses)
{
	EXPECT_TRUE(leat_ipv4_addr_is_host(0x0a4d0001));
	EXPECT_TRUE(leat_ipv4_addr_is_host(0x01000000));
	EXPECT_TRUE(leat_ipv4_addr_is_host(0xdfffffff));
	EXPECT_FALSE(leat_ipv4_addr_is_host(0));
	EXPECT_FALSE(leat_ipv4_addr_is_host(0x00ffffff));
	EXPECT_FALSE(leat_ipv4_addr_is_host(0x7f000001));
	EXPECT_FALSE(leat_ipv4_addr_is_host(0xe0000001));
	EXPECT_FALSE(leat_ipv4_addr_is_host(0xf0000000));
	EXPECT_FALSE(leat_ipv4_addr_is_host(LEAT_IPV4_BROADCAST));
}

TEST(Ipv4Addr, Masks)
{
	EXPECT_EQ(0u, leat_ipv4_mask(0));
	EXPECT_EQ(0x80000000u, leat_ipv4_mask(1));
	EXPECT_EQ(0xffffff00u, leat_ipv4_mask(24));
	EXPECT_EQ(0xffffffffu, leat_ipv4_mask(32));
}

} // namespace
