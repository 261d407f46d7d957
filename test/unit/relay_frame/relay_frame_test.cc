// SPDX-License-Identifier: BSD-3-Clause

#include <string>

#include <gtest/gtest.h>

#include <relay_frame.h>

#include "mbuf_pool.h"

namespace
{

const std::string kMacs = "ABCDEFabcdef";
const std::string kText(50, 'x');
const std::string kIpv4("\x08\x00", 2);
const std::string kIpv6 = "\x86\xdd";
const std::string kArp = "\x08\x06";
const std::string kTag5("\x81\x00\x00\x05", 4);

class RelayFrame : public testing::Test
{
      protected:
	MbufPool pool;
	rte_mbuf *frame = nullptr;

	void Make(const std::string &bytes)
	{
		rte_pktmbuf_free(frame);
		frame = pool.Mbuf(bytes);
	}

	// As a driver gives it that takes tags off.
	void MakeStripped(const std::string &bytes, uint16_t vlan_tci)
	{
		Make(bytes);
		frame->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		frame->vlan_tci = vlan_tci;
	}

	void TearDown() override
	{
		rte_pktmbuf_free(frame);
	}
};

TEST_F(RelayFrame, UntaggedFramePassesAsItIs)
{
	Make(kMacs + kIpv4 + kText);
	EXPECT_TRUE(relay_frame_take(frame, 0));
	EXPECT_TRUE(relay_frame_tag(frame, 0));
	EXPECT_EQ(kMacs + kIpv4 + kText, MbufPool::Bytes(frame));
}

TEST_F(RelayFrame, TagThatNobodyAsksForStays)
{
	Make(kMacs + kTag5 + kIpv4 + kText);
	EXPECT_TRUE(relay_frame_take(frame, 0));
	EXPECT_EQ(kMacs + kTag5 + kIpv4 + kText, MbufPool::Bytes(frame));
}

TEST_F(RelayFrame, TagThatTheDriverTookOffIsPutBack)
{
	MakeStripped(kMacs + kIpv4 + kText, 5);
	EXPECT_TRUE(relay_frame_take(frame, 0));
	EXPECT_EQ(kMacs + kTag5 + kIpv4 + kText, MbufPool::Bytes(frame));
	EXPECT_EQ(0u, frame->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED);
}

TEST_F(RelayFrame, TagOfTheSideIsTakenOff)
{
	Make(kMacs + kTag5 + kIpv4 + kText);
	EXPECT_TRUE(relay_frame_take(frame, 5));
	EXPECT_EQ(kMacs + kIpv4 + kText, MbufPool::Bytes(frame));
	MakeStripped(kMacs + kIpv4 + kText, 0xe005); // with a priority
	EXPECT_TRUE(relay_frame_take(frame, 5));
	EXPECT_EQ(kMacs + kIpv4 + kText, MbufPool::Bytes(frame));
}

TEST_F(RelayFrame, FrameOfAnotherVlanOrOfNoneIsRefused)
{
	Make(kMacs + kTag5 + kIpv4 + kText);
	EXPECT_FALSE(relay_frame_take(frame, 6));
	MakeStripped(kMacs + kIpv4 + kText, 5);
	EXPECT_FALSE(relay_frame_take(frame, 6));
	Make(kMacs + kIpv4 + kText);
	EXPECT_FALSE(relay_frame_take(frame, 6));
}

TEST_F(RelayFrame, FrameShorterThanItsHeaderIsRefused)
{
	Make(kMacs + "\x08");
	EXPECT_FALSE(relay_frame_take(frame, 0));
	Make(kMacs + kIpv4);
	EXPECT_TRUE(relay_frame_take(frame, 0));
	Make(kMacs + kTag5.substr(0, 3));
	EXPECT_FALSE(relay_frame_take(frame, 5));
}

TEST_F(RelayFrame, TagIsPutBehindTheAddresses)
{
	Make(kMacs + kIpv4 + kText);
	EXPECT_TRUE(relay_frame_tag(frame, 5));
	EXPECT_EQ(kMacs + kTag5 + kIpv4 + kText, MbufPool::Bytes(frame));
}

TEST_F(RelayFrame, DamageIsOneBitBehindTheEthernetHeader)
{
	for (const std::string &type : { kIpv4, kIpv6 }) {
		Make(kMacs + type + kText);
		EXPECT_TRUE(relay_frame_damage(frame, 0));
		EXPECT_EQ(kMacs + type + "y" + kText.substr(1), MbufPool::Bytes(frame));
		EXPECT_TRUE(relay_frame_damage(frame, UINT64_MAX));
		EXPECT_EQ(kMacs + type + "y" + kText.substr(2) + "\xf8", MbufPool::Bytes(frame));
	}
}

TEST_F(RelayFrame, WhatHasNoChecksumOfItsOwnIsSpared)
{
	Make(kMacs + kArp + kText);
	EXPECT_FALSE(relay_frame_damage(frame, 0));
	EXPECT_EQ(kMacs + kArp + kText, MbufPool::Bytes(frame));
	Make(kMacs + kIpv4);
	EXPECT_FALSE(relay_frame_damage(frame, 0));
}

} // namespace
