// SPDX-License-Identifier: BSD-3-Clause

// Ethernet and ARP: what is taken, what is answered, what is counted.

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

// RFC 1122 section 3.3.6: a group that IPv6 has joined takes no IPv4.
TEST_F(InetEth, GroupsOfIpv6TakeIpv6Only)
{
	const uint8_t all_nodes[] = { 0x33, 0x33, 0, 0, 0, 1 };
	leat_ip_addr addr = {};
	Ip ip;

	addr.bytes[0] = 0xfd;
	addr.bytes[15] = 1;
	conf_.addrs[conf_.nb_addrs++] = { addr, 64 };
	ip.eth_dst = all_nodes;
	Open();
	(void)Output();
	EXPECT_ECHO(false, ip);
	EXPECT_EQ(1u, Stats().rx_eth_multicast);
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

TEST_F(InetArp, EveryAddressIsAnsweredForAndAnswers)
{
	leat_error error = {};

	conf_.nb_addrs = LEAT_INET_ADDRS_MAX;
	for (uint32_t i = 0; i < LEAT_INET_ADDRS_MAX; i++)
		conf_.addrs[i] = { V4(kOurAddr + (i << 8)), 24 };
	Open();
	EXPECT_EQ(LEAT_INET_ADDRS_MAX, Output().size());
	for (uint32_t i = 0; i < LEAT_INET_ADDRS_MAX; i++) {
		Ip echo;

		echo.src = kPeerAddr + (i << 8);
		echo.dst = kOurAddr + (i << 8);
		Input({ BuildArp(LEAT_ARP_OP_REQUEST, kPeerMac, echo.src, kPeerMac, echo.dst,
			kBroadcastMac) });
		std::vector<Frame> out = Output();
		leat_arp arp;
		ASSERT_EQ(1u, out.size());
		ASSERT_TRUE(IsArp(out[0], &arp));
		EXPECT_EQ(echo.dst, arp.spa);
		EXPECT_ECHO(true, echo);
	}
	Close();
	conf_.nb_addrs++;
	EXPECT_EQ(-EINVAL, leat_inet_open(&conf_, &inet_, &error));
}

// RFC 1122 section 3.2.1.3: they are nobody's.
TEST_F(InetArp, AddressesThatNoHostHasAreNotLearnt)
{
	Open();
	(void)Output();
	for (uint32_t addr : { kOurAddr | 0xff, 0xe0000001u, 0x7f000001u, 0xffffffffu })
		Input({ BuildArp(
			LEAT_ARP_OP_REQUEST, kPeerMac, addr, kPeerMac, kOurAddr, kBroadcastMac) });
	EXPECT_EQ(4u, Output().size()) << "and yet answered, as RFC 826 has it";
	leat_inet_nbr_info info;
	for (uint32_t i = 0; i < conf_.nb_neighbours_max; i++)
		EXPECT_EQ(0, leat_inet_nbr_at(inet_, i, &info));
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
	EXPECT_EQ(LEAT_INET_NOTICE_CONFLICT, leat_inet_notices(inet_));
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

// RFC 1122 section 2.3.2.2, RFC 4861 section 7.2.2: the latest are kept.
TEST_F(InetArp, FramesWaitForTheReplyAndTheFifthTakesTheFirstOnesPlace)
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
		EXPECT_EQ(2001 + i, out[i].ports.dst) << "in their order";
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
	Wait(kSecondUs + 1); // not in use; else see inet_nbr_test.cc
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kThirdMac, kPeerAddr, kOurMac, kOurAddr, kOurMac) });
	Input({ BuildEcho(1, "x") });
	std::vector<Frame> out = Output();

	ASSERT_EQ(2u, out.size()) << "he is asked, since we did not ask him before";
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].data()));
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[1].data()));
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

// RFC 4861 section 7.3.1: what shows that something arrives at the peer.
TEST_F(InetArp, ForwardProgressConfirmsAnEntry)
{
	for (bool is_progress : { false, true }) {
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
		(void)Accept();
		Wait(LEAT_INET_ARP_AGE_US);
		Input({ FromPeer(LEAT_TCP_ACK, is_progress ? "text" : "").Build() });
		for (const leat_inet_event &event : Events())
			rte_pktmbuf_free(event.mbuf);
		Wait(kSecondUs);
		(void)Output();
		uint64_t nb_asked = Stats().tx_arp_requests;
		Input({ BuildEcho(1, "x") });
		EXPECT_EQ(is_progress ? 1u : 2u, Output().size());
		EXPECT_EQ(is_progress, Stats().tx_arp_requests == nb_asked);
		Close();
	}
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
	std::vector<leat_inet_conn *> conns;
	leat_inet_conn *conn;

	Open();
	(void)Output();
	for (uint32_t i = 0; i < conf_.nb_neighbours_max; i++) {
		Input({ BuildArp(LEAT_ARP_OP_REQUEST, kThirdMac, kThirdAddr + i, kPeerMac, kOurAddr,
			kBroadcastMac) });
		ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr + i), 80, now_us_, &conn));
		EXPECT_EQ(2u, Output().size()) << "the reply to the request, and a SYN";
		conns.push_back(conn);
	}
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().nbr_full) << "all are fresh";
	EXPECT_EQ(0u, Stats().nbr_evicted);
	leat_inet_abort(inet_, conns[0]); // the others are still in use
	Wait(61 * kSecondUs);
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 81, now_us_, &conn));
	(void)Output(); // SYNs again, and the question for the one that is new
	EXPECT_EQ(1u, Stats().nbr_evicted);
}

} // namespace
