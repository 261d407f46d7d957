// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include <leat_arp.h>

namespace
{

// Who has 10.77.0.1? Tell 10.77.0.2 (02:00:00:00:00:02).
const std::vector<uint8_t> kRequest = { 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 2, 10, 77, 0, 2, 0,
	0, 0, 0, 0, 0, 10, 77, 0, 1 };

leat_slice
Slice(const std::vector<uint8_t> &bytes)
{
	return { bytes.data(), bytes.size() };
}

TEST(ArpParse, Request)
{
	leat_arp arp;

	ASSERT_EQ((ssize_t)LEAT_ARP_LEN, leat_arp_parse(Slice(kRequest), &arp));
	EXPECT_EQ(LEAT_ARP_OP_REQUEST, arp.op);
	EXPECT_EQ(0x0a4d0002u, arp.spa);
	EXPECT_EQ(0x0a4d0001u, arp.tpa);
	EXPECT_EQ(2, arp.sha[5]);
	EXPECT_EQ(0, arp.tha[5]);
}

TEST(ArpParse, PaddingBehindThePacketIsIgnored)
{
	std::vector<uint8_t> padded = kRequest;
	leat_arp arp;

	padded.resize(46, 0xee);
	EXPECT_EQ((ssize_t)LEAT_ARP_LEN, leat_arp_parse(Slice(padded), &arp));
}

TEST(ArpParse, EveryProperPrefixIsRefused)
{
	for (size_t len = 0; len < kRequest.size(); len++) {
		leat_arp arp;

		EXPECT_EQ(-EBADMSG, leat_arp_parse({ kRequest.data(), len }, &arp)) << len;
	}
}

TEST(ArpParse, OtherHardwareOrProtocolIsRefused)
{
	for (size_t i : { 0, 1, 2, 3, 4, 5 }) {
		std::vector<uint8_t> other = kRequest;
		leat_arp arp;

		other[i] ^= 1;
		EXPECT_EQ(-EPROTONOSUPPORT, leat_arp_parse(Slice(other), &arp)) << i;
	}
}

TEST(ArpEmit, WritesWhatWasParsed)
{
	uint8_t out[LEAT_ARP_LEN];
	leat_arp arp;

	ASSERT_GT(leat_arp_parse(Slice(kRequest), &arp), 0);
	ASSERT_EQ(LEAT_ARP_LEN, leat_arp_emit(&arp, out));
	EXPECT_EQ(kRequest, std::vector<uint8_t>(out, out + sizeof(out)));
}

} // namespace
