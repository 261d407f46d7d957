// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include <leat_eth.h>

namespace
{

const std::vector<uint8_t> kUntagged = { 0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00 };
const std::vector<uint8_t> kTagged = { 0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x81, 0x00, 0x60,
	0x07, 0x08, 0x06 };

leat_slice
Slice(const std::vector<uint8_t> &bytes)
{
	return { bytes.data(), bytes.size() };
}

TEST(EthParse, UntaggedHeader)
{
	leat_eth_hdr hdr;

	ASSERT_EQ((ssize_t)LEAT_ETH_HDR_LEN, leat_eth_parse(Slice(kUntagged), &hdr));
	EXPECT_EQ(1, hdr.dst[5]);
	EXPECT_EQ(2, hdr.src[5]);
	EXPECT_EQ(LEAT_ETH_TYPE_IPV4, hdr.type);
	EXPECT_EQ(0, hdr.vlan_id);
}

TEST(EthParse, TagGivesVlanIdWithoutPriorityAndTheInnerType)
{
	leat_eth_hdr hdr;

	ASSERT_EQ((ssize_t)LEAT_ETH_HDR_LEN_MAX, leat_eth_parse(Slice(kTagged), &hdr));
	EXPECT_EQ(7, hdr.vlan_id);
	EXPECT_EQ(LEAT_ETH_TYPE_ARP, hdr.type);
}

TEST(EthParse, EveryProperPrefixIsRefused)
{
	for (const auto &frame : { kUntagged, kTagged }) {
		for (size_t len = 0; len < frame.size(); len++) {
			std::vector<uint8_t> cut(frame.begin(), frame.begin() + len);
			leat_eth_hdr hdr;

			EXPECT_EQ(-EBADMSG, leat_eth_parse(Slice(cut), &hdr)) << len;
		}
	}
}

TEST(EthEmit, WritesWhatWasParsed)
{
	for (auto frame : { kUntagged, kTagged }) {
		uint8_t out[LEAT_ETH_HDR_LEN_MAX];
		leat_eth_hdr hdr;

		if (frame.size() > LEAT_ETH_HDR_LEN)
			frame[14] = 0; // we send priority 0
		ASSERT_GT(leat_eth_parse(Slice(frame), &hdr), 0);
		ASSERT_EQ(frame.size(), leat_eth_emit(&hdr, out));
		EXPECT_EQ(frame, std::vector<uint8_t>(out, out + frame.size()));
	}
}

TEST(EthEmit, LargestVlanId)
{
	leat_eth_hdr hdr = {}, back;
	uint8_t out[LEAT_ETH_HDR_LEN_MAX];

	hdr.vlan_id = LEAT_ETH_VLAN_ID_MAX;
	(void)leat_eth_emit(&hdr, out);
	ASSERT_GT(leat_eth_parse({ out, sizeof(out) }, &back), 0);
	EXPECT_EQ(LEAT_ETH_VLAN_ID_MAX, back.vlan_id);
}

TEST(EthAddr, Kinds)
{
	const uint8_t unicast[] = { 0x02, 0, 0, 0, 0, 1 };
	const uint8_t multicast[] = { 0x01, 0, 0x5e, 0, 0, 1 };
	const uint8_t broadcast[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const uint8_t zero[6] = {};

	EXPECT_TRUE(leat_eth_addr_is_unicast(unicast));
	EXPECT_FALSE(leat_eth_addr_is_unicast(multicast));
	EXPECT_FALSE(leat_eth_addr_is_unicast(broadcast));
	EXPECT_FALSE(leat_eth_addr_is_unicast(zero));
	EXPECT_TRUE(leat_eth_addr_is_multicast(multicast));
	EXPECT_TRUE(leat_eth_addr_is_multicast(broadcast));
	EXPECT_TRUE(leat_eth_addr_is_broadcast(broadcast));
	EXPECT_FALSE(leat_eth_addr_is_broadcast(multicast));
}

} // namespace
