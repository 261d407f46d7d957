// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <arpa/inet.h>

#include <gtest/gtest.h>

#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_ipv4.h>

#include <flood_frame.h>

namespace
{

constexpr size_t kEth = 14;

class FloodFrame : public testing::TestWithParam<bool>
{
      protected:
	flood_conf conf = {};
	std::vector<uint8_t> frame;

	FloodFrame()
	{
		conf.is_ipv6 = GetParam();
		conf.port = 6379;
		conf.seed = 7;
		memcpy(conf.dst_mac, "\x02\x00\x00\x00\x00\x01", 6);
		memcpy(conf.src_mac, "\x02\x00\x00\x00\x00\x02", 6);
		if (conf.is_ipv6) {
			inet_pton(AF_INET6, "fd00::1", conf.dst);
			inet_pton(AF_INET6, "fd00:1::", conf.src);
			conf.src_prefix_len = 33;
		} else {
			inet_pton(AF_INET, "10.77.0.1", conf.dst);
			inet_pton(AF_INET, "198.18.0.0", conf.src);
			conf.src_prefix_len = 15;
		}
	}

	void Make(flood_kind kind, uint64_t frame_no = 0)
	{
		conf.kind = kind;
		frame.assign(FLOOD_FRAME_MAX, 0xee);
		frame.resize(flood_frame_make(&conf, frame_no, frame.data()));
	}

	size_t IpLen() const
	{
		return conf.is_ipv6 ? 40 : 20;
	}
	const uint8_t *Ip() const
	{
		return frame.data() + kEth;
	}
	const uint8_t *Transport() const
	{
		return Ip() + IpLen();
	}
	size_t TransportLen() const
	{
		return frame.size() - kEth - IpLen();
	}
	std::string Source() const
	{
		return conf.is_ipv6 ? std::string((const char *)Ip() + 8, 16)
				    : std::string((const char *)Ip() + 12, 4);
	}

	// The length fields and the checksum of the IP header.
	void ExpectGoodIp(uint8_t proto)
	{
		if (conf.is_ipv6) {
			EXPECT_EQ(0x60, Ip()[0]);
			EXPECT_EQ(TransportLen(), leat_be16_get(Ip() + 4));
			EXPECT_EQ(proto, Ip()[6]);
			return;
		}
		leat_ipv4_hdr hdr = {};
		leat_slice in = { Ip(), frame.size() - kEth };

		ASSERT_EQ(20, leat_ipv4_parse(in, in.len, &hdr));
		EXPECT_EQ(in.len, hdr.total_len);
		EXPECT_EQ(proto, hdr.proto);
		EXPECT_TRUE(leat_ipv4_cksum_is_good(Ip(), 20));
	}

	// Over the addresses, the protocol, the length and all that follows.
	bool IsTransportGood(uint8_t proto, const std::vector<uint8_t> &bytes)
	{
		leat_cksum cksum = {};
		uint8_t rest[4] = { 0, proto, (uint8_t)(bytes.size() >> 8), (uint8_t)bytes.size() };
		size_t addrs = conf.is_ipv6 ? 32 : 8;

		leat_cksum_add(&cksum, Ip() + IpLen() - addrs, addrs);
		leat_cksum_add(&cksum, rest, sizeof(rest));
		leat_cksum_add(&cksum, bytes.data(), bytes.size());
		return leat_cksum_is_good(&cksum);
	}
	bool IsTransportGood(uint8_t proto)
	{
		return IsTransportGood(proto, { Transport(), Transport() + TransportLen() });
	}
};

INSTANTIATE_TEST_SUITE_P(Families, FloodFrame, testing::Values(false, true),
	[](const testing::TestParamInfo<bool> &info) { return info.param ? "IPv6" : "IPv4"; });

TEST_P(FloodFrame, EthernetHeaderNamesBothStationsAndTheFamily)
{
	Make(FLOOD_SYN);
	EXPECT_EQ(0, memcmp(frame.data(), conf.dst_mac, 6));
	EXPECT_EQ(0, memcmp(frame.data() + 6, conf.src_mac, 6));
	EXPECT_EQ(conf.is_ipv6 ? 0x86dd : 0x0800, leat_be16_get(frame.data() + 12));
}

TEST_P(FloodFrame, SegmentsAreRightButForWhatTheirKindSays)
{
	const struct {
		flood_kind kind;
		uint8_t flags;
		uint8_t offset;
		bool is_good;
	} wanted[] = {
		{ FLOOD_SYN, 0x02, 10, true },
		{ FLOOD_ACK, 0x10, 5, true },
		{ FLOOD_RST, 0x04, 5, true },
		{ FLOOD_XMAS, 0x29, 5, true },
		{ FLOOD_BAD_CKSUM, 0x02, 10, false },
		{ FLOOD_BAD_OFFSET, 0x02, 3, true },
		{ FLOOD_TTL_1, 0x02, 10, true },
		{ FLOOD_LAND, 0x02, 10, true },
	};

	for (const auto &one : wanted) {
		SCOPED_TRACE(flood_kind_name(one.kind));
		for (uint64_t i = 0; i < 100; i++) {
			Make(one.kind, i);
			ExpectGoodIp(6);
			EXPECT_EQ(6379, leat_be16_get(Transport() + 2));
			EXPECT_EQ(one.flags, Transport()[13]);
			EXPECT_EQ(one.offset, Transport()[12] >> 4);
			EXPECT_EQ(one.is_good, IsTransportGood(6));
		}
	}
}

TEST_P(FloodFrame, SourcesAreDrawnFromTheirNetwork)
{
	std::set<std::string> sources;

	for (uint64_t i = 0; i < 1000; i++) {
		Make(FLOOD_SYN, i);
		std::string source = Source();
		sources.insert(source);
		if (conf.is_ipv6) {
			EXPECT_EQ(std::string("\xfd\x00\x00\x01", 4), source.substr(0, 4));
			EXPECT_EQ(0, source[4] & 0x80);
		} else {
			EXPECT_EQ(198, (uint8_t)source[0]);
			EXPECT_EQ(18, (uint8_t)source[1] & 0xfe);
		}
	}
	EXPECT_GT(sources.size(), 980u);
}

TEST_P(FloodFrame, WholePrefixIsOneSource)
{
	conf.src_prefix_len = conf.is_ipv6 ? 128 : 32;
	for (uint64_t i = 0; i < 10; i++) {
		Make(FLOOD_SYN, i);
		EXPECT_EQ(0, memcmp(conf.src, Source().data(), Source().size()));
	}
}

TEST_P(FloodFrame, SameSeedMakesTheSameFramesAndAnotherOneOthers)
{
	Make(FLOOD_SYN, 5);
	std::vector<uint8_t> first = frame;
	Make(FLOOD_SYN, 5);
	EXPECT_EQ(first, frame);
	conf.seed++;
	Make(FLOOD_SYN, 5);
	EXPECT_NE(first, frame);
}

TEST_P(FloodFrame, TinyFragmentsMakeOneRightSyn)
{
	size_t ext_len = conf.is_ipv6 ? 8 : 0;
	std::vector<uint8_t> segment;

	for (uint64_t i = 0; i < 3; i++) {
		Make(FLOOD_TINY, 30 + i);
		ExpectGoodIp(conf.is_ipv6 ? 44 : 6);
		uint16_t offset = leat_be16_get(conf.is_ipv6 ? Transport() + 2 : Ip() + 6);
		uint16_t more = conf.is_ipv6 ? 0x0001 : 0x2000;
		uint16_t units = conf.is_ipv6 ? 8 : 1;

		EXPECT_EQ(i < 2, (offset & more) != 0);
		EXPECT_EQ(i * units, (size_t)(offset & ~more));
		segment.insert(segment.end(), Transport() + ext_len, Transport() + TransportLen());
	}
	EXPECT_EQ(20u, segment.size());
	EXPECT_TRUE(IsTransportGood(6, segment));
}

TEST_P(FloodFrame, OrphanIsAMiddleFragment)
{
	Make(FLOOD_ORPHAN);
	uint16_t offset = leat_be16_get(conf.is_ipv6 ? Transport() + 2 : Ip() + 6);

	ExpectGoodIp(conf.is_ipv6 ? 44 : 6);
	EXPECT_EQ(conf.is_ipv6 ? 64 | 1 : 0x2000 | 8, offset);
}

TEST_P(FloodFrame, EchoRequestIsRight)
{
	leat_cksum cksum = {};

	Make(FLOOD_ECHO);
	ExpectGoodIp(conf.is_ipv6 ? 58 : 1);
	EXPECT_EQ(1400u, TransportLen());
	EXPECT_EQ(conf.is_ipv6 ? 128 : 8, Transport()[0]);
	leat_cksum_add(&cksum, Transport(), TransportLen());
	EXPECT_TRUE(conf.is_ipv6 ? IsTransportGood(58) : leat_cksum_is_good(&cksum));
}

TEST_P(FloodFrame, UdpIsRight)
{
	Make(FLOOD_UDP);
	ExpectGoodIp(17);
	EXPECT_EQ(8u, TransportLen());
	EXPECT_TRUE(IsTransportGood(17));
}

TEST_P(FloodFrame, ShortHeaderEndsAfterElevenBytes)
{
	Make(FLOOD_SHORT);
	ExpectGoodIp(6);
	EXPECT_EQ(11u, TransportLen());
}

TEST_P(FloodFrame, LandComesFromTheTargetItself)
{
	Make(FLOOD_LAND);
	EXPECT_EQ(0, memcmp(conf.dst, Source().data(), Source().size()));
	EXPECT_EQ(6379, leat_be16_get(Transport()));
}

TEST_P(FloodFrame, OnlyTheLastHopHasALimitOfOne)
{
	Make(FLOOD_SYN);
	EXPECT_EQ(64, Ip()[conf.is_ipv6 ? 7 : 8]);
	Make(FLOOD_TTL_1);
	EXPECT_EQ(1, Ip()[conf.is_ipv6 ? 7 : 8]);
}

} // namespace
