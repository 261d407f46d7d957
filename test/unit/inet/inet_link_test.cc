// SPDX-License-Identifier: BSD-3-Clause

// Ethernet, ARP, IPv4 and ICMP: what is taken, what is answered, what is counted.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetEth : public InetLab
{
};
class InetArp : public InetLab
{
      protected:
	// A SYN, whose answer needs the neighbour of its sender.
	void Knock(uint16_t sport = kPeerPort, uint32_t src = kPeerAddr)
	{
		Tcp syn = { LEAT_TCP_SYN };

		(void)leat_inet_listen(inet_, V4(0), kPort, nullptr); // once
		syn.sport = sport;
		syn.ip.src = src;
		Input({ syn.Build() });
	}
};
class InetIpv4 : public InetLab
{
};
class InetIcmp : public InetLab
{
};

// Whether an echo in this packet is answered.
#define EXPECT_ECHO(answered, ip)                                                                  \
	do {                                                                                       \
		Input({ BuildEcho(1, "x", ip) });                                                  \
		EXPECT_EQ(answered ? 1u : 0u, Output().size());                                    \
	} while (0)

TEST_F(InetEth, FramesOfOthersAreDroppedAndCounted)
{
	Open();
	Meet();
	Ip other, multicast, broadcast;
	const uint8_t group[] = { 0x01, 0, 0x5e, 0, 0, 1 };

	other.eth_dst = kThirdMac;
	multicast.eth_dst = group;
	broadcast.eth_dst = kBroadcastMac;
	EXPECT_ECHO(false, other);
	EXPECT_EQ(1u, Stats().rx_eth_not_ours);
	EXPECT_ECHO(false, multicast);
	EXPECT_ECHO(false, broadcast);
	EXPECT_EQ(2u, Stats().rx_eth_multicast);
	EXPECT_ECHO(true, Ip());
}

TEST_F(InetEth, MulticastSourceAndOtherTypesAreDropped)
{
	Open();
	Meet();
	Ip source;
	Frame ipv6 = BuildEcho(1, "x");

	source.eth_src = kBroadcastMac;
	EXPECT_ECHO(false, source);
	EXPECT_EQ(1u, Stats().rx_eth_malformed);
	leat_be16_put(&ipv6[12], LEAT_ETH_TYPE_IPV6);
	Input({ ipv6 });
	EXPECT_EQ(1u, Stats().rx_eth_type);
}

TEST_F(InetEth, EveryPrefixOfAFrameIsDroppedWithoutHarm)
{
	Open();
	Meet();
	Tcp syn = { LEAT_TCP_SYN };
	Frame frame = syn.Build();

	for (size_t len = 1; len < 14 + 40; len++)
		Input({ Frame(frame.begin(), frame.begin() + len) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(13u, Stats().rx_eth_malformed);
	EXPECT_EQ(40u, Stats().rx_ipv4_malformed);
}

TEST_F(InetEth, OnlyOurVlanIsHeardAndEveryFrameOutIsTagged)
{
	conf_.vlan_id = 7;
	Open();
	Ip ours, other, none;

	for (const Frame &frame : Output())
		EXPECT_EQ(0x81, frame[12]);
	Meet(); // untagged: not heard
	EXPECT_EQ(1u, Stats().rx_eth_vlan);
	ours.vlan_id = 7;
	other.vlan_id = 8;
	EXPECT_ECHO(false, other);
	EXPECT_ECHO(false, none);
	EXPECT_EQ(3u, Stats().rx_eth_vlan);
	Input({ BuildEcho(1, "x", ours) });
	std::vector<Frame> out = Output();
	ASSERT_EQ(1u, out.size());
	leat_eth_hdr eth;
	ASSERT_GT(leat_eth_parse({ out[0].data(), out[0].size() }, &eth), 0);
	EXPECT_EQ(7, eth.vlan_id);
	EXPECT_EQ(LEAT_ETH_TYPE_IPV4, eth.type);
}

TEST_F(InetEth, TagThatThePortTookOffCounts)
{
	conf_.vlan_id = 7;
	Open();
	(void)Output();
	rte_mbuf *mbuf = Mbuf(BuildEcho(1, "x"));

	mbuf->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	mbuf->vlan_tci = 0x6007;
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().rx_icmp_echo);
}

// IEEE 802.3 section 3.2.8: who sends pads, and tells nothing by it (CVE-2003-0001).
TEST_F(InetEth, ShortFramesArePaddedWithZeros)
{
	Open();
	std::vector<rte_mbuf *> mbufs(rte_mempool_avail_count(pool_));
	ASSERT_EQ(0, rte_pktmbuf_alloc_bulk(pool_, mbufs.data(), (unsigned int)mbufs.size()));
	for (rte_mbuf *mbuf : mbufs) // what others have left there
		memset(mbuf->buf_addr, 0x5a, mbuf->buf_len);
	rte_pktmbuf_free_bulk(mbufs.data(), (unsigned int)mbufs.size());

	std::vector<Frame> out = Output(); // ARP
	ASSERT_EQ(1u, out.size());
	ASSERT_EQ(60u, out[0].size());
	EXPECT_EQ(Frame(60 - 42), Frame(out[0].begin() + 42, out[0].end()));
	Meet();
	Tcp ack = { LEAT_TCP_ACK, 1, 1 };
	ack.dport = kPort + 1;
	Input({ ack.Build() });
	out = Output(); // a RST
	ASSERT_EQ(1u, out.size());
	ASSERT_EQ(60u, out[0].size());
	EXPECT_EQ(40, leat_be16_get(&out[0][16]));
	EXPECT_EQ(Frame(60 - 54), Frame(out[0].begin() + 54, out[0].end()));
}

TEST_F(InetEth, FramesOfSixtyBytesAndMoreAreNotPadded)
{
	Open();
	Meet();
	for (size_t len = 17; len <= 19; len++) {
		Input({ BuildEcho(1, std::string(len, 'x')) });
		std::vector<Frame> out = Output();
		ASSERT_EQ(1u, out.size());
		EXPECT_EQ(std::max<size_t>(60, 14 + 20 + 8 + len), out[0].size());
	}
}

// RFC 5227 section 2.3.
TEST_F(InetArp, AnnouncesEveryAddressFirst)
{
	conf_.nb_addrs = 2;
	conf_.addrs[1] = { V4(kThirdAddr), 24 };
	Open();
	std::vector<Frame> out = Output();
	leat_arp arp;

	ASSERT_EQ(2u, out.size());
	for (size_t i = 0; i < 2; i++) {
		ASSERT_TRUE(IsArp(out[i], &arp));
		EXPECT_EQ(LEAT_ARP_OP_REQUEST, arp.op);
		EXPECT_EQ(leat_ip_addr_ipv4(conf_.addrs[i].addr), arp.spa);
		EXPECT_EQ(leat_ip_addr_ipv4(conf_.addrs[i].addr), arp.tpa);
		EXPECT_TRUE(leat_eth_addr_is_broadcast(out[i].data()));
	}
	EXPECT_TRUE(Output().empty());
}

TEST_F(InetArp, FirstRequestForOurAddressIsAnswered)
{
	Open();
	(void)Output();
	Input({ BuildArp(
		LEAT_ARP_OP_REQUEST, kPeerMac, kPeerAddr, kPeerMac, kOurAddr, kBroadcastMac) });
	std::vector<Frame> out = Output();
	leat_arp arp;

	ASSERT_EQ(1u, out.size());
	ASSERT_TRUE(IsArp(out[0], &arp));
	EXPECT_EQ(LEAT_ARP_OP_REPLY, arp.op);
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[0].data()));
	EXPECT_TRUE(leat_eth_addr_is_equal(kOurMac, arp.sha));
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, arp.tha));
	EXPECT_EQ(kOurAddr, arp.spa);
	EXPECT_EQ(kPeerAddr, arp.tpa);
}

TEST_F(InetArp, ProbeIsAnsweredAndTeachesNothing)
{
	Open();
	(void)Output();
	Input({ BuildArp(LEAT_ARP_OP_REQUEST, kPeerMac, 0, kPeerMac, kOurAddr, kBroadcastMac) });
	EXPECT_EQ(1u, Output().size());
	Knock();
	leat_arp arp;
	std::vector<Frame> out = Output();
	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(IsArp(out[0], &arp)) << "the peer is not known";
}

TEST_F(InetArp, RequestsForOthersAndClaimsOfOurAddressAreCountedOnly)
{
	Open();
	(void)Output();
	Input({ BuildArp(LEAT_ARP_OP_REQUEST, kPeerMac, kPeerAddr, kPeerMac, kThirdAddr,
			kBroadcastMac),
		BuildArp(LEAT_ARP_OP_REQUEST, kPeerMac, kOurAddr, kPeerMac, kOurAddr,
			kBroadcastMac) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_arp_not_ours);
	EXPECT_EQ(1u, Stats().rx_arp_conflict);
}

TEST_F(InetArp, ReplyThatNobodyAskedForCreatesNoEntry)
{
	Open();
	(void)Output();
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kPeerMac, kPeerAddr, kOurMac, kOurAddr, kOurMac) });
	Knock();
	std::vector<Frame> out = Output();
	leat_arp arp;

	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(IsArp(out[0], &arp));
	EXPECT_EQ(1u, Stats().rx_arp_replies);
}

TEST_F(InetArp, FramesWaitForTheReplyAndTheFifthIsDropped)
{
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	Open();
	(void)Output();
	for (uint16_t i = 0; i <= LEAT_INET_ARP_QUEUE_MAX; i++)
		Knock((uint16_t)(2000 + i));
	EXPECT_EQ(1u, Output().size()); // one request
	EXPECT_EQ(1u, Stats().nbr_queue_full);
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kPeerMac, kPeerAddr, kOurMac, kOurAddr, kOurMac) });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(LEAT_INET_ARP_QUEUE_MAX, out.size());
	for (uint16_t i = 0; i < LEAT_INET_ARP_QUEUE_MAX; i++) {
		EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[i].eth.dst));
		EXPECT_EQ(2000 + i, out[i].ports.dst) << "in their order";
	}
}

TEST_F(InetArp, AsksThreeTimesASecondApartThenDropsWhatWaits)
{
	Open();
	(void)Output();
	leat_inet_conn *conn;
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
	EXPECT_EQ(1u, Output().size());
	for (int i = 1; i < (int)LEAT_INET_ARP_TRIES_MAX; i++) {
		Wait(LEAT_INET_ARP_RETRY_US - 1);
		EXPECT_TRUE(Output().empty());
		Wait(1);
		EXPECT_EQ(1u, Output().size());
	}
	EXPECT_EQ(0u, Stats().nbr_unreachable);
	Wait(LEAT_INET_ARP_RETRY_US);
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().nbr_unreachable);
	EXPECT_EQ(1u, Events().size()) << "CLOSED";
	EXPECT_EQ(UINT64_MAX, leat_inet_deadline(inet_));
	EXPECT_EQ(kNbMbufs, rte_mempool_avail_count(pool_));
}

TEST_F(InetArp, NewMacAddressOfANeighbourIsTaken)
{
	Open();
	Meet();
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kThirdMac, kPeerAddr, kOurMac, kOurAddr, kOurMac) });
	Input({ BuildEcho(1, "x") });
	std::vector<Frame> out = Output();

	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].data()));
	EXPECT_EQ(1u, Stats().nbr_moved);
}

TEST_F(InetArp, AgedEntryIsAskedAgainAndUsedMeanwhile)
{
	Open();
	Meet();
	Wait(LEAT_INET_ARP_AGE_US);
	Input({ BuildEcho(1, "x") });
	EXPECT_EQ(1u, Output().size());
	Wait(1);
	Input({ BuildEcho(2, "x") });
	std::vector<Frame> out = Output();
	leat_arp arp;
	ASSERT_EQ(2u, out.size());
	EXPECT_TRUE(IsArp(out[0], &arp));
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[1].data()));
}

TEST_F(InetArp, TrafficConfirmsAnEntry)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	(void)Accept();
	Wait(LEAT_INET_ARP_AGE_US);
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	Wait(LEAT_INET_ARP_AGE_US);
	Input({ BuildEcho(1, "x") });
	EXPECT_EQ(1u, Output().size()) << "no request";
}

TEST_F(InetArp, OffLinkPeersAreReachedThroughTheGateway)
{
	conf_.gateway = V4(kThirdAddr);
	Open();
	(void)Output();
	leat_arp arp;

	Knock(kPeerPort, kFarAddr);
	std::vector<Frame> out = Output();
	ASSERT_EQ(1u, out.size());
	ASSERT_TRUE(IsArp(out[0], &arp));
	EXPECT_EQ(kThirdAddr, arp.tpa);
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kThirdMac, kThirdAddr, kOurMac, kOurAddr, kOurMac) });
	out = Output();
	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].data()));
}

TEST_F(InetArp, WithoutAGatewayOffLinkPeersAreNotAnswered)
{
	Open();
	Meet();
	Ip far;

	far.src = kFarAddr;
	EXPECT_ECHO(false, far);
	EXPECT_EQ(1u, Stats().tx_no_route);
}

TEST_F(InetArp, FloodOfRequestsPushesOutNobody)
{
	Open();
	Meet();
	for (uint32_t i = 0; i < 2 * conf_.nb_neighbours_max; i++)
		Input({ BuildArp(LEAT_ARP_OP_REQUEST, kThirdMac, kThirdAddr + i, kPeerMac, kOurAddr,
			kBroadcastMac) });
	(void)Output();
	EXPECT_EQ(conf_.nb_neighbours_max + 1, Stats().nbr_full);
	EXPECT_ECHO(true, Ip());
}

TEST_F(InetArp, WhoOnlyAskedGivesHisRoomToOneThatIsNeeded)
{
	Open();
	for (uint32_t i = 0; i < conf_.nb_neighbours_max; i++)
		Input({ BuildArp(LEAT_ARP_OP_REQUEST, kThirdMac, kThirdAddr + i, kPeerMac, kOurAddr,
			kBroadcastMac) });
	(void)Output();
	Knock();
	leat_arp arp;
	std::vector<Frame> out = Output();
	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(IsArp(out[0], &arp));
	EXPECT_EQ(0u, Stats().nbr_full);
	EXPECT_EQ(1u, Stats().nbr_evicted);
}

TEST_F(InetArp, FullTableGivesTheRoomOfAnIdleNeighbourToOneThatIsNeeded)
{
	leat_inet_conn *conn;

	Open();
	(void)Output();
	for (uint32_t i = 0; i < conf_.nb_neighbours_max; i++) {
		Input({ BuildArp(LEAT_ARP_OP_REQUEST, kThirdMac, kThirdAddr + i, kPeerMac, kOurAddr,
			kBroadcastMac) });
		ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr + i), 80, now_us_, &conn));
		EXPECT_EQ(2u, Output().size()) << "the reply to the request, and a SYN";
	}
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().nbr_full) << "all are fresh";
	EXPECT_EQ(0u, Stats().nbr_evicted);
	Wait(61 * kSecondUs);
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 81, now_us_, &conn));
	(void)Output(); // SYNs again, and the question for the one that is new
	EXPECT_LE(1u, Stats().nbr_evicted);
}

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
	Frame bad = BuildEcho(1, "x"), reply = BuildEcho(1, "x");
	Ip ip;

	bad[42] ^= 1;
	reply[34] = 0;
	leat_be16_put(&reply[36], (uint16_t)(leat_be16_get(&reply[36]) + 0x0800));
	ip.proto = LEAT_IPV4_PROTO_ICMP;
	Input({ bad, reply, ip.Build(Frame(7)) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_icmp_cksum);
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
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
