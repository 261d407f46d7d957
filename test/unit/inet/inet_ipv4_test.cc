// SPDX-License-Identifier: BSD-3-Clause

// IPv4 and ICMP: what is taken, what is answered, what is counted.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetIpv4 : public InetLab
{
};
class InetIcmp : public InetLab
{
};

// RFC 1122 section 3.2.1.3.
TEST_F(InetIpv4, SourcesThatNoPeerCanHaveAreDropped)
{
	Open();
	Meet();
	for (uint32_t src : { 0u, 0x7f000001u, 0xe0000001u, 0xffffffffu, 0x0a4d00ffu }) {
		Ip ip;

		ip.src = src;
		EXPECT_ECHO(false, ip);
	}
	EXPECT_EQ(5u, Stats().rx_ipv4_src_bad);
	Ip own;
	own.src = kOurAddr;
	EXPECT_ECHO(false, own);
	EXPECT_EQ(1u, Stats().rx_ipv4_src_own);
}

// RFC 3021: a link of two has no address but theirs.
TEST_F(InetIpv4, LinkOfTwoHasNoBroadcastAddress)
{
	Ip ip;

	ip.dst = kPeerAddr; // 10.77.0.2/31, and its peer is 10.77.0.3
	ip.src = kThirdAddr;
	conf_.addrs[0] = { V4(ip.dst), 31 };
	Open();
	(void)Output();
	EXPECT_ECHO(true, ip);
}

TEST_F(InetIpv4, DestinationsThatAreNotOursAreDropped)
{
	Open();
	Meet();
	for (uint32_t dst : { kThirdAddr, 0x0a4d00ffu, 0xffffffffu, 0xe0000001u }) {
		Ip ip;

		ip.dst = dst;
		EXPECT_ECHO(false, ip);
	}
	EXPECT_EQ(4u, Stats().rx_ipv4_not_ours);
}

TEST_F(InetIpv4, OptionsAreSkipped)
{
	Open();
	Meet();
	Ip ip;

	ip.options = { 1, 1, 1, 0 };
	EXPECT_ECHO(true, ip);
	ip.options.resize(40, 1);
	EXPECT_ECHO(true, ip);
}

TEST_F(InetIpv4, FragmentsAreDroppedAndCounted)
{
	Open();
	Meet();
	for (uint16_t field : { 0x2000, 0x0001, 0x3fff }) {
		Frame frame = BuildEcho(1, "x");
		uint8_t *ip = &frame[14];

		leat_be16_put(ip + 6, field);
		leat_be16_put(ip + 10, 0);
		leat_be16_put(ip + 10, (uint16_t)~SlowSum({ ip, ip + 20 }));
		Input({ frame });
	}
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(3u, Stats().rx_ipv4_fragment);
}

TEST_F(InetIpv4, BadHeaderChecksumIsDroppedUnlessThePortHasChecked)
{
	conf_.offloads.rx_ip_cksum = true;
	Open();
	Meet();
	Frame frame = BuildEcho(1, "x");

	frame[14 + 8]--; // TTL
	Input({ frame });
	EXPECT_EQ(1u, Stats().rx_ipv4_cksum);
	rte_mbuf *mbuf = Mbuf(frame);
	mbuf->ol_flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().rx_ipv4_cksum);
	EXPECT_EQ(1u, Output().size());
}

TEST_F(InetIpv4, OtherProtocolsAreCounted)
{
	Open();
	Meet();
	Ip udp;

	udp.proto = 17;
	Input({ udp.Build(Frame(8)) });
	EXPECT_EQ(1u, Stats().rx_ipv4_proto);
	EXPECT_TRUE(Output().empty());
}

// RFC 1122 section 3.2.2.6: the reply carries the whole text.
TEST_F(InetIcmp, EchoOfEveryLengthUpToTheMtuComesBack)
{
	Open();
	Meet();
	for (size_t len : { 0, 1, 2, 17, 56, 57, 1399, 1400, 1471, 1472 }) {
		std::string text(len, 'x');

		for (size_t i = 0; i < len; i++)
			text[i] = (char)(i * 7);
		Input({ BuildEcho(7, text) });
		std::vector<Frame> out = Output();
		ASSERT_EQ(1u, out.size()) << len;
		ASSERT_EQ(std::max<size_t>(60, 14 + 20 + 8 + len), out[0].size());
		EXPECT_EQ(20 + 8 + len, leat_be16_get(&out[0][16]));
		out[0].resize(14 + 20 + 8 + len);
		EXPECT_EQ(0xffff, SlowSum({ out[0].begin() + 14, out[0].begin() + 34 }));
		EXPECT_EQ(0xffff, SlowSum({ out[0].begin() + 34, out[0].end() }));
		EXPECT_EQ(LEAT_ICMP_TYPE_ECHO_REPLY, out[0][34]);
		EXPECT_EQ(0x1234, leat_be16_get(&out[0][38]));
		EXPECT_EQ(7, leat_be16_get(&out[0][40]));
		EXPECT_EQ(text, std::string(out[0].begin() + 42, out[0].end()));
	}
}

// Forged addresses of the link: nobody is asked for, the answer goes back where it came from.
TEST_F(InetIcmp, UnknownNeighbourIsAnsweredAtTheMacAddressOfItsFrame)
{
	Open();
	Meet();
	Ip ip;

	ip.eth_src = kThirdMac;
	for (uint32_t i = 0; i < 200; i++) {
		ip.src = kThirdAddr + i;
		Input({ BuildEcho(1, "x", ip) });
		std::vector<Frame> out = Output(); // and no ARP request
		ASSERT_EQ(1u, out.size());
		EXPECT_EQ(LEAT_ICMP_TYPE_ECHO_REPLY, out[0][34]);
		EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].data()));
	}
	EXPECT_EQ(0u, Stats().nbr_full);
	EXPECT_EQ(0u, Stats().nbr_evicted);
	ip.src = kPeerAddr; // of a neighbour that is known: the frame's address is not believed
	Input({ BuildEcho(1, "x", ip) });
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, Output().at(0).data()));
}

TEST_F(InetIcmp, EchoInSegmentsOfAnyLengthComesBack)
{
	Open();
	Meet();
	std::string text = "an odd text for odd segments.";

	for (size_t segment_len = 1; segment_len < 64; segment_len++) {
		Input({ BuildEcho(1, text) }, segment_len);
		std::vector<Frame> out = Output();
		ASSERT_EQ(1u, out.size()) << segment_len;
		out[0].resize(42 + text.size()); // without padding, if any
		EXPECT_EQ(text, std::string(out[0].begin() + 42, out[0].end()));
	}
}

TEST_F(InetIcmp, BadChecksumShortMessageAndOtherTypesAreCounted)
{
	Open();
	Meet();
	Frame bad = BuildEcho(1, "x"), reply = BuildEcho(1, "x"), coded = BuildEcho(1, "x");
	Ip ip;

	bad[42] ^= 1;
	reply[34] = 0;
	leat_be16_put(&reply[36], (uint16_t)(leat_be16_get(&reply[36]) + 0x0800));
	coded[35] = 1;
	leat_be16_put(&coded[36], (uint16_t)(leat_be16_get(&coded[36]) - 1));
	ip.proto = LEAT_IPV4_PROTO_ICMP;
	Input({ bad, reply, coded, ip.Build(Frame(7)) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_icmp_cksum);
	EXPECT_EQ(2u, Stats().rx_icmp_ignored);
	EXPECT_EQ(1u, Stats().rx_icmp_malformed);
}

TEST_F(InetIcmp, EchoOverOurMtuIsCountedAndNotAnswered)
{
	Open();
	Meet();
	Input({ BuildEcho(1, std::string(1473, 'x')) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_icmp_too_long);
}

TEST_F(InetIcmp, RateIsLimitedAndComesBackWithTime)
{
	Open();
	Meet();
	for (uint32_t i = 0; i < LEAT_INET_ECHO_BURST; i++) {
		Input({ BuildEcho(1, "x") });
		ASSERT_EQ(1u, Output().size());
	}
	EXPECT_ECHO(false, Ip());
	EXPECT_EQ(1u, Stats().rx_icmp_limited);
	Wait(kSecondUs / LEAT_INET_ECHO_RATE);
	EXPECT_ECHO(true, Ip());
	EXPECT_ECHO(false, Ip());
}

TEST_F(InetIcmp, ControlFramesOverTheirLimitAreDroppedAndCounted)
{
	Open();
	Meet();
	for (uint32_t i = 0; i <= LEAT_INET_CTL_MAX; i++)
		Input({ BuildEcho(1, "x") });
	EXPECT_EQ(1u, Stats().tx_ctl_full);
	EXPECT_EQ(LEAT_INET_CTL_MAX, Output().size());
}

} // namespace
