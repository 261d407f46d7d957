// SPDX-License-Identifier: BSD-3-Clause

// IPv6, ICMPv6, and TCP over them.

#include <set>

#include "inet_lab6.h"

namespace
{

using namespace inet_lab;

class InetIpv6 : public InetLab6
{
      protected:
	// Whether an echo in this packet is answered.
	bool IsAnswered(const Ip6 &ip)
	{
		Input({ BuildEcho6("x", ip) });
		return Output().size() == 1;
	}

	void OpenListening()
	{
		Open();
		ASSERT_EQ(0, leat_inet_listen(inet_, V6("::"), kPort, &listener_));
		Meet6();
	}

	static Tcp Syn(uint16_t mss = 1440)
	{
		Tcp syn = { LEAT_TCP_SYN };

		syn.seq = 1000;
		syn.mss = mss;
		return syn;
	}
};

Frame
Ext(uint8_t next, size_t len)
{
	Frame ext(len);

	ext[0] = next;
	ext[1] = (uint8_t)(len / 8 - 1);
	return ext;
}

// RFC 4443 section 4.2.
TEST_F(InetIpv6, EchoOfEveryLengthUpToTheMtuComesBack)
{
	Open();
	Meet6();
	for (size_t len : { 0, 1, 2, 17, 56, 57, 1399, 1400, 1451, 1452 }) {
		std::string text(len, 'x');
		Seen6 seen;

		for (size_t i = 0; i < len; i++)
			text[i] = (char)(i * 7);
		Input({ BuildEcho6(text) });
		std::vector<Frame> out = Output();
		ASSERT_EQ(1u, out.size()) << len;
		ASSERT_TRUE(IsIp6(out[0], LEAT_IPV6_PROTO_ICMP, &seen));
		EXPECT_EQ("fd77::1", TextOf(seen.ip.src));
		EXPECT_EQ("fd77::2", TextOf(seen.ip.dst));
		EXPECT_EQ(64, seen.ip.hop_limit);
		ASSERT_EQ(8 + len, seen.payload.size());
		EXPECT_EQ(LEAT_ICMP6_TYPE_ECHO_REPLY, seen.payload[0]);
		EXPECT_EQ(0x1234, leat_be16_get(&seen.payload[4]));
		EXPECT_EQ(7, leat_be16_get(&seen.payload[6]));
		EXPECT_EQ(text, std::string(seen.payload.begin() + 8, seen.payload.end()));
	}
	Input({ BuildEcho6(std::string(1453, 'x')) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_icmp_too_long);
}

TEST_F(InetIpv6, EchoToAllNodesIsAnsweredFromOurAddress)
{
	Open();
	Meet6();
	Ip6 ip;
	Seen6 seen;

	ip.dst = V6("ff02::1");
	ip.eth_dst = kAllNodesMac;
	Input({ BuildEcho6("x", ip) });
	std::vector<Frame> out = Output();
	ASSERT_EQ(1u, out.size());
	ASSERT_TRUE(IsIp6(out[0], LEAT_IPV6_PROTO_ICMP, &seen));
	EXPECT_EQ("fd77::1", TextOf(seen.ip.src));
}

TEST_F(InetIpv6, EchoInSegmentsOfAnyLengthComesBack)
{
	Open();
	Meet6();
	Ip6 ip;

	ip.exts = Ext(LEAT_IPV6_PROTO_ICMP, 64);
	for (size_t segment_len = 1; segment_len < 128; segment_len++) {
		Input({ BuildEcho6("an odd text for odd segments.", ip) }, segment_len);
		ASSERT_EQ(1u, Output().size()) << segment_len;
	}
}

TEST_F(InetIpv6, EchoRateIsLimited)
{
	Open();
	Meet6();
	for (uint32_t i = 0; i < LEAT_INET_ECHO_BURST; i++)
		ASSERT_TRUE(IsAnswered({}));
	EXPECT_FALSE(IsAnswered({}));
	EXPECT_EQ(1u, Stats().rx_icmp_limited);
}

TEST_F(InetIpv6, MessagesThatAreBadOrForOthersAreCounted)
{
	Open();
	Meet6();
	Frame bad = BuildEcho6("x"), reply(8), shorter(7);
	Ip6 ip;

	bad[14 + 40 + 8] ^= 1;
	reply[0] = LEAT_ICMP6_TYPE_ECHO_REPLY;
	ip.next = LEAT_IPV6_PROTO_ICMP;
	Input({ bad, ip.BuildSummed(reply, 2), ip.BuildSummed(shorter, 2) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_icmp_cksum);
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
	EXPECT_EQ(1u, Stats().rx_icmp_malformed);
}

TEST_F(InetIpv6, SourcesThatCannotBeAreDropped)
{
	Open();
	Meet6();
	for (const char *src : { "ff02::2", "::1" }) {
		Ip6 ip;

		ip.src = V6(src);
		EXPECT_FALSE(IsAnswered(ip)) << src;
	}
	Ip6 mapped, none, own, local;
	mapped.src = V4(kPeerAddr); // never on the wire
	EXPECT_FALSE(IsAnswered(mapped));
	EXPECT_EQ(3u, Stats().rx_ipv6_src_bad);
	none.src = V6("::");
	EXPECT_FALSE(IsAnswered(none));
	Input({ BuildTcp6(Syn(), none) });
	EXPECT_EQ(5u, Stats().rx_ipv6_src_bad);
	own.src = V6("fd77::1");
	local.src = OurLocal();
	EXPECT_FALSE(IsAnswered(own));
	EXPECT_FALSE(IsAnswered(local));
	EXPECT_EQ(2u, Stats().rx_ipv6_src_own);
}

TEST_F(InetIpv6, DestinationsThatAreNotOursAreDropped)
{
	Open();
	Meet6();
	for (const char *dst : { "fd77::3", "ff02::2", "ff02::1:ff00:3", "::", "::1" }) {
		Ip6 ip;

		ip.dst = V6(dst);
		EXPECT_FALSE(IsAnswered(ip)) << dst;
	}
	Ip6 mapped;
	mapped.dst = V4(kOurAddr);
	EXPECT_FALSE(IsAnswered(mapped)) << "our IPv4 address is not one of IPv6";
	EXPECT_EQ(6u, Stats().rx_ipv6_not_ours);
}

TEST_F(InetIpv6, GroupsTakeNoTcpAndGroupFramesNoUnicast)
{
	OpenListening();
	Ip6 group, shout;

	group.dst = V6("ff02::1");
	Input({ BuildTcp6(Syn(), group) });
	shout.eth_dst = kAllNodesMac;
	Input({ BuildTcp6(Syn(), shout) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(2u, Stats().rx_ipv6_not_ours);
}

TEST_F(InetIpv6, OnlyOurGroupsAreHeard)
{
	Open();
	(void)Output();
	const uint8_t other[] = { 0x33, 0x33, 0xff, 0, 0, 0x09 };
	Nd6 nd = Solicit("fd77::1");

	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_nd_solicits);
	nd.ip.eth_dst = other;
	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_eth_multicast);
	EXPECT_EQ(1u, Stats().rx_nd_solicits);
}

TEST_F(InetIpv6, GroupsToJoinAreEachNamedOnce)
{
	uint8_t macs[LEAT_INET_GROUPS_MAX][6];

	ASSERT_EQ(2, leat_inet_multicast(&conf_, macs)); // both addresses end in 00:0001
	EXPECT_TRUE(leat_eth_addr_is_equal(kAllNodesMac, macs[0]));
	EXPECT_TRUE(leat_eth_addr_is_equal(kOurGroupMac, macs[1]));
	conf_.nb_addrs = LEAT_INET_ADDRS_MAX;
	for (uint8_t i = 0; i < LEAT_INET_ADDRS_MAX; i++) {
		conf_.addrs[i] = { V6("fd77::100"), 64 };
		conf_.addrs[i].addr.bytes[15] = i;
	}
	EXPECT_EQ(LEAT_INET_GROUPS_MAX, leat_inet_multicast(&conf_, macs));
	conf_.nb_addrs = 1;
	conf_.addrs[0] = { V4(kOurAddr), 24 };
	EXPECT_EQ(0, leat_inet_multicast(&conf_, macs));
}

TEST_F(InetIpv6, StackWithoutAnAddressOfItHearsNone)
{
	conf_.nb_addrs = 1;
	Open();
	(void)Output();
	Nd6 nd = Solicit("fe80::ff:fe00:1");

	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_eth_multicast);
	nd.ip.eth_dst = kOurMac;
	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_eth_type);
	EXPECT_TRUE(Output().empty());
}

// RFC 8200 section 4.
TEST_F(InetIpv6, ExtensionHeadersAreSkippedUpToTheLimit)
{
	OpenListening();
	Ip6 ip;

	ip.exts = Ext(LEAT_IPV6_PROTO_TCP, LEAT_IPV6_EXT_LEN_MAX);
	Tcp syn = Syn();
	syn.has_ts = true;
	Input({ BuildTcp6(syn, ip) });
	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, OutputTcp6().seg.flags);
	ip.exts = Ext(LEAT_IPV6_PROTO_TCP, LEAT_IPV6_EXT_LEN_MAX + 8);
	Input({ BuildTcp6(Syn(), ip) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_ipv6_malformed);
}

TEST_F(InetIpv6, HopByHopRoutingAndAtomicFragmentAreSkipped)
{
	Open();
	Meet6();
	Ip6 ip;

	ip.first_ext = LEAT_IPV6_PROTO_HOPOPTS;
	ip.exts = Ext(LEAT_IPV6_PROTO_ROUTING, 8);
	for (unsigned int next : { LEAT_IPV6_PROTO_FRAGMENT, LEAT_IPV6_PROTO_ICMP }) {
		Frame ext = Ext((uint8_t)next, 8); // no segments left; offset 0, the last

		ip.exts.insert(ip.exts.end(), ext.begin(), ext.end());
	}
	EXPECT_TRUE(IsAnswered(ip));
}

TEST_F(InetIpv6, FragmentsAreDroppedAndCounted)
{
	Open();
	Meet6();
	for (uint16_t field : { 0x0001, 0x0008, 0xfff9 }) {
		Ip6 ip;

		ip.first_ext = LEAT_IPV6_PROTO_FRAGMENT;
		ip.exts = Ext(LEAT_IPV6_PROTO_ICMP, 8);
		leat_be16_put(&ip.exts[2], field);
		EXPECT_FALSE(IsAnswered(ip)) << field;
	}
	EXPECT_EQ(3u, Stats().rx_ipv6_fragment);
}

TEST_F(InetIpv6, OptionsAndRoutesThatMustBeKnownAreCounted)
{
	Open();
	Meet6();
	Ip6 option, route;

	option.exts = Ext(LEAT_IPV6_PROTO_ICMP, 8);
	option.exts[2] = 0xc2;
	route.first_ext = LEAT_IPV6_PROTO_ROUTING;
	route.exts = Ext(LEAT_IPV6_PROTO_ICMP, 8);
	route.exts[3] = 1;
	EXPECT_FALSE(IsAnswered(option));
	EXPECT_FALSE(IsAnswered(route));
	EXPECT_EQ(2u, Stats().rx_ipv6_option);
}

TEST_F(InetIpv6, NoNextHeaderAndOtherProtocolsAreCounted)
{
	Open();
	Meet6();
	for (unsigned int next : { LEAT_IPV6_PROTO_NONE, 17u, LEAT_IPV4_PROTO_ICMP }) {
		Ip6 ip;

		ip.next = (uint8_t)next;
		Input({ ip.Build(Frame(8)) });
	}
	EXPECT_EQ(3u, Stats().rx_ipv6_proto);
}

TEST_F(InetIpv6, EveryPrefixOfAFrameIsDroppedWithoutHarm)
{
	OpenListening();
	Ip6 ip;

	ip.exts = Ext(LEAT_IPV6_PROTO_TCP, 16);
	Frame frame = BuildTcp6(Syn(), ip);
	for (size_t len = 1; len < frame.size(); len++)
		Input({ Frame(frame.begin(), frame.begin() + len) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(13u, Stats().rx_eth_malformed);
	EXPECT_EQ(frame.size() - 14, Stats().rx_ipv6_malformed);
}

TEST_F(InetIpv6, PaddingIsNeitherTextNorSummed)
{
	OpenListening();
	Frame frame = BuildTcp6(Syn());

	frame.resize(frame.size() + 7, 0xee);
	Input({ frame });
	EXPECT_EQ(1001u, OutputTcp6().seg.ack);
	EXPECT_EQ(0u, Stats().rx_tcp_cksum);
}

TEST_F(InetIpv6, HandshakeTextAndReply)
{
	OpenListening();
	Input({ BuildTcp6(Syn()) });
	Seen6 seen = OutputTcp6();
	leat_ip_addr laddr, raddr;
	uint16_t lport, rport;

	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, seen.seg.flags);
	EXPECT_EQ(1440, seen.seg.opts.mss); // RFC 6691 section 2: the MTU less 60
	EXPECT_EQ(64, seen.ip.hop_limit);
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, seen.eth.dst));
	Tcp text = { LEAT_TCP_ACK, 1001, seen.seg.seq + 1, "PING\r\n" };
	Input({ BuildTcp6(text) });
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(2u, events.size());
	EXPECT_EQ(LEAT_INET_OPEN, events[0].type);
	EXPECT_EQ(&listener_, leat_inet_conn_listener(events[0].conn));
	leat_inet_conn_ends(events[0].conn, &laddr, &lport, &raddr, &rport);
	EXPECT_EQ("fd77::1", TextOf(laddr));
	EXPECT_EQ("fd77::2", TextOf(raddr));
	EXPECT_EQ(kPort, lport);
	EXPECT_EQ(kPeerPort, rport);
	ASSERT_EQ(LEAT_INET_DATA, events[1].type);
	EXPECT_EQ(6u, events[1].mbuf->pkt_len);
	rte_pktmbuf_free(events[1].mbuf);
	ASSERT_EQ(0, leat_inet_send(inet_, events[0].conn, Text("+PONG\r\n")));
	seen = OutputTcp6();
	EXPECT_EQ("+PONG\r\n", std::string(seen.payload.end() - 7, seen.payload.end()));
	EXPECT_EQ(1007u, seen.seg.ack);
}

// RFC 9293 section 3.7.1, MUST-15: 1220 where the peer names no MSS.
TEST_F(InetIpv6, PeerThatNamesNoMssGets1220)
{
	OpenListening();
	Input({ BuildTcp6(Syn(0)) });
	Seen6 seen = OutputTcp6();

	Input({ BuildTcp6({ LEAT_TCP_ACK, 1001, seen.seg.seq + 1 }) });
	leat_inet_conn *conn = Events().at(0).conn;
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(2000, 'x'))));
	std::vector<Frame> out = Output();
	ASSERT_EQ(2u, out.size());
	ASSERT_TRUE(IsTcp6(out[0], &seen));
	EXPECT_EQ(1220u, seen.seg.len);
}

TEST_F(InetIpv6, LongestSegmentFillsTheMtu)
{
	OpenListening();
	Input({ BuildTcp6(Syn(9000)) });
	Seen6 seen = OutputTcp6();

	Input({ BuildTcp6({ LEAT_TCP_ACK, 1001, seen.seg.seq + 1 }) });
	leat_inet_conn *conn = Events().at(0).conn;
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(2000, 'x'))));
	EXPECT_EQ(14u + 1500u, Output().at(0).size());
}

TEST_F(InetIpv6, ClosedPortAnswersWithAReset)
{
	Open();
	Meet6();
	Input({ BuildTcp6(Syn()) });
	Seen6 seen = OutputTcp6();

	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, seen.seg.flags);
	EXPECT_EQ("fd77::2", TextOf(seen.ip.dst));
}

TEST_F(InetIpv6, BadTcpChecksumIsDroppedUnlessThePortHasChecked)
{
	conf_.offloads.rx_tcp_cksum = true;
	conf_.trust_offloads = true;
	OpenListening();
	Frame frame = BuildTcp6(Syn());

	frame[14 + 40 + 16] ^= 1;
	Input({ frame });
	EXPECT_EQ(1u, Stats().rx_tcp_cksum);
	rte_mbuf *mbuf = Mbuf(frame);
	mbuf->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Output().size());
}

TEST_F(InetIpv6, ChecksumIsLeftToThePortThatOffersIt)
{
	conf_.offloads.tx_tcp_cksum = true;
	conf_.offloads.tx_ip_cksum = true;
	conf_.trust_offloads = true;
	OpenListening();
	Input({ BuildTcp6(Syn()) });
	rte_mbuf *mbuf;
	leat_cksum pseudo = {};

	ASSERT_EQ(1, leat_inet_output(inet_, now_us_, &mbuf, 1));
	EXPECT_EQ(RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_TCP_CKSUM, mbuf->ol_flags);
	EXPECT_EQ(14u, mbuf->l2_len);
	EXPECT_EQ(40u, mbuf->l3_len);
	leat_cksum_add_ipv6_pseudo(
		&pseudo, V6("fd77::1"), V6("fd77::2"), 6, mbuf->pkt_len - 14 - 40);
	EXPECT_EQ(leat_cksum_fold(&pseudo),
		leat_be16_get(rte_pktmbuf_mtod_offset(mbuf, uint8_t *, 14 + 40 + 16)));
	rte_pktmbuf_free(mbuf);
}

// As redis and nginx have them: each wildcard is that of its own family.
TEST_F(InetIpv6, EachWildcardListensForItsFamilyOnly)
{
	int any4, any6, own;

	Open();
	Meet();
	Meet6();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &any4));
	Input({ BuildTcp6(Syn()) });
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, OutputTcp6().seg.flags);
	ASSERT_EQ(0, leat_inet_listen(inet_, V6("::"), kPort, &any6));
	EXPECT_EQ(-EADDRINUSE, leat_inet_listen(inet_, V6("::"), kPort, &any6));
	Input({ BuildTcp6(Syn()) });
	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, OutputTcp6().seg.flags);
	leat_inet_conn *conn = Accept();
	ASSERT_NE(nullptr, conn);
	EXPECT_EQ(&any4, leat_inet_conn_listener(conn));
	ASSERT_EQ(0, leat_inet_listen(inet_, V6("fd77::1"), kPort, &own));
	EXPECT_EQ(-EADDRNOTAVAIL, leat_inet_listen(inet_, V6("fd77::3"), kPort, &own));
	EXPECT_EQ(0, leat_inet_unlisten(inet_, V6("::"), kPort));
	EXPECT_EQ(-ENOENT, leat_inet_unlisten(inet_, V6("::"), kPort));
}

TEST_F(InetIpv6, ConnectSendsASynFromOurAddress)
{
	Open();
	Meet6();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V6("fd77::2"), kPort, now_us_, &conn));
	Seen6 seen = OutputTcp6();
	EXPECT_EQ(LEAT_TCP_SYN, seen.seg.flags);
	EXPECT_EQ(1440, seen.seg.opts.mss);
	EXPECT_EQ("fd77::1", TextOf(seen.ip.src));
	ASSERT_EQ(0, leat_inet_connect(inet_, V6("fe80::2"), kPort, now_us_, &conn));
	seen = OutputNd();
	EXPECT_EQ(TextOf(OurLocal()), TextOf(seen.ip.src));
	for (const char *addr :
		{ "::", "::1", "ff02::1", "fd77::1", "fe80::ff:fe00:1", "2001:db8::1" })
		EXPECT_EQ(-ENETUNREACH, leat_inet_connect(inet_, V6(addr), kPort, now_us_, &conn))
			<< addr;
}

TEST_F(InetIpv6, TimeWaitOutlivesItsConnection)
{
	OpenListening();
	Input({ BuildTcp6(Syn()) });
	Seen6 seen = OutputTcp6();
	uint32_t ack = seen.seg.seq + 1;

	Input({ BuildTcp6({ LEAT_TCP_ACK, 1001, ack }) });
	leat_inet_shutdown(inet_, Events().at(0).conn);
	(void)Output();
	Input({ BuildTcp6({ LEAT_TCP_FIN | LEAT_TCP_ACK, 1001, ack + 1 }) });
	(void)Events();
	(void)Output();
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	Input({ BuildTcp6({ LEAT_TCP_FIN | LEAT_TCP_ACK, 1001, ack + 1 }) });
	EXPECT_EQ(1002u, OutputTcp6().seg.ack);
	Wait(conf_.tcp.time_wait_us);
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
}

TEST_F(InetIpv6, SettingsThatCannotBeAreRefused)
{
	const leat_inet_conf good = conf_;
	leat_error error = {};
	auto refused = [&]() {
		EXPECT_EQ(-EINVAL, leat_inet_open(&conf_, &inet_, &error));
		conf_ = good;
	};

	conf_.mtu = LEAT_IPV6_MTU_MIN - 1;
	conf_.tcp.mss = 1200;
	refused();
	EXPECT_STREQ("lab: IPv6 needs an MTU of 1280 or more, and it is 1279", error.text);
	conf_.addrs[1].prefix_len = 129;
	refused();
	for (const char *addr : { "::", "::1", "ff02::1" }) {
		conf_.addrs[1].addr = V6(addr);
		refused();
	}
	conf_.gateway6 = V6("ff02::1");
	refused();
	conf_.gateway6 = V4(kPeerAddr);
	refused();
	conf_.gateway = V6("fd77::9");
	refused();
	conf_.nb_addrs = 1;
	conf_.gateway6 = V6("fd77::9");
	refused();
	conf_.mtu = LEAT_IPV6_MTU_MIN;
	conf_.tcp.mss = LEAT_IPV6_MTU_MIN - 40;
	conf_.addrs[1].prefix_len = 128;
	Open();
}

} // namespace
