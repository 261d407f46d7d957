// SPDX-License-Identifier: BSD-3-Clause

// Neighbour discovery, RFC 4861.

#include "inet_lab6.h"

namespace
{

using namespace inet_lab;

class InetNd : public InetLab6
{
      protected:
	// Where the next echo's answer goes: a MAC address, or a question.
	Seen6 Answer()
	{
		Input({ BuildEcho6("x") });
		std::vector<Frame> out = Output();
		Seen6 seen = {};

		EXPECT_FALSE(out.empty());
		for (const Frame &frame : out)
			if (!IsNd(frame, &seen)) {
				EXPECT_TRUE(IsIp6(frame, LEAT_IPV6_PROTO_ICMP, &seen));
				break;
			}
		return seen;
	}

	// A SYN, whose answer needs the neighbour of its sender.
	void Knock(uint16_t sport = kPeerPort, const Ip6 &ip = {})
	{
		Tcp syn = { LEAT_TCP_SYN };

		(void)leat_inet_listen(inet_, V6("::"), kPort, nullptr); // once
		syn.sport = sport;
		Input({ BuildTcp6(syn, ip) });
	}

	bool GoesTo(const uint8_t *mac)
	{
		return leat_eth_addr_is_equal(Answer().eth.dst, mac);
	}
};

// Section 7.2.6.
TEST_F(InetNd, AnnouncesEveryAddressToAllNodes)
{
	Open();
	std::vector<Frame> out = Output();
	const leat_ip_addr expected[] = { V6("fd77::1"), OurLocal() };

	ASSERT_EQ(3u, out.size()); // the first is IPv4's
	for (size_t i = 0; i < 2; i++) {
		Seen6 seen;

		ASSERT_TRUE(IsNd(out[1 + i], &seen));
		EXPECT_TRUE(seen.nd.is_advert);
		EXPECT_FALSE(seen.nd.is_solicited);
		EXPECT_TRUE(seen.nd.is_override);
		EXPECT_FALSE(seen.nd.is_router);
		EXPECT_EQ(TextOf(expected[i]), TextOf(seen.nd.target));
		EXPECT_EQ(TextOf(expected[i]), TextOf(seen.ip.src));
		EXPECT_EQ("ff02::1", TextOf(seen.ip.dst));
		EXPECT_EQ(255, seen.ip.hop_limit);
		ASSERT_TRUE(seen.nd.has_mac);
		EXPECT_TRUE(leat_eth_addr_is_equal(kOurMac, seen.nd.mac));
		EXPECT_TRUE(leat_eth_addr_is_equal(kAllNodesMac, seen.eth.dst));
	}
	EXPECT_EQ(2u, Stats().tx_nd_adverts);
	EXPECT_TRUE(Output().empty()) << "once";
}

// Section 7.2.4.
TEST_F(InetNd, SolicitationIsAnsweredToWhoAsked)
{
	Open();
	(void)Output();
	for (const char *target : { "fd77::1", "fe80::ff:fe00:1" }) {
		Input({ Solicit(target).Build() });
		Seen6 seen = OutputNd();
		EXPECT_TRUE(seen.nd.is_advert);
		EXPECT_TRUE(seen.nd.is_solicited);
		EXPECT_TRUE(seen.nd.is_override);
		EXPECT_FALSE(seen.nd.is_router);
		EXPECT_EQ(target, TextOf(seen.nd.target));
		EXPECT_EQ(target, TextOf(seen.ip.src));
		EXPECT_EQ("fd77::2", TextOf(seen.ip.dst));
		EXPECT_EQ(255, seen.ip.hop_limit);
		EXPECT_TRUE(seen.nd.has_mac);
		EXPECT_TRUE(leat_eth_addr_is_equal(kOurMac, seen.nd.mac));
		EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, seen.eth.dst));
	}
	EXPECT_EQ(2u, Stats().rx_nd_solicits);
}

// A unicast question may come without the address of who asks, section 4.3.
TEST_F(InetNd, UnicastSolicitationWithoutMacIsAnsweredAndTeachesNothing)
{
	Open();
	(void)Output();
	Nd6 nd = Solicit("fd77::1");

	nd.ip.dst = V6("fd77::1");
	nd.ip.eth_dst = kOurMac;
	nd.nd.has_mac = false;
	Input({ nd.Build() });
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, OutputNd().eth.dst));
	Knock();
	EXPECT_FALSE(OutputNd().nd.is_advert) << "has to ask";
}

// Sections 7.2.4 and 7.1.1: who looks for a duplicate has no address yet.
TEST_F(InetNd, DuplicateAddressProbeIsAnsweredToAllNodes)
{
	Open();
	(void)Output();
	Nd6 nd = Solicit("fd77::1");

	nd.ip.src = V6("::");
	nd.nd.has_mac = false;
	Input({ nd.Build() });
	Seen6 seen = OutputNd();
	EXPECT_FALSE(seen.nd.is_solicited);
	EXPECT_TRUE(seen.nd.is_override);
	EXPECT_EQ("ff02::1", TextOf(seen.ip.dst));
	EXPECT_TRUE(leat_eth_addr_is_equal(kAllNodesMac, seen.eth.dst));

	Nd6 with_mac = nd, to_us = nd, to_all = nd;
	with_mac.nd.has_mac = true;
	to_us.ip.dst = V6("fd77::1");
	to_us.ip.eth_dst = kOurMac;
	to_all.ip.dst = V6("ff02::1");
	Input({ with_mac.Build(), to_us.Build(), to_all.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(3u, Stats().rx_nd_malformed);
}

// Section 7.1: what passed a router is not from our link.
TEST_F(InetNd, HopLimitOtherThan255IsIgnored)
{
	Open();
	Meet6();
	Nd6 solicit = Solicit("fd77::1", kThirdMac), advert = Advert("fd77::2", kThirdMac);

	solicit.ip.hop_limit = 254;
	advert.ip.hop_limit = 254;
	Input({ solicit.Build(), advert.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(2u, Stats().rx_nd_hop_limit);
	EXPECT_TRUE(GoesTo(kPeerMac));
}

TEST_F(InetNd, BadChecksumsAndMessagesAreCounted)
{
	Open();
	(void)Output();
	Frame bad = Solicit("fd77::1").Build();

	bad[60]++;
	Input({ bad });
	EXPECT_EQ(1u, Stats().rx_icmp_cksum);
	Nd6 nd = Advert("fd77::2");
	nd.ip.dst = V6("ff02::1"); // solicited, and yet to all: section 7.1.2
	nd.ip.eth_dst = kAllNodesMac;
	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_nd_malformed);
	Frame zero_option(LEAT_ND_EMIT_LEN_MAX);
	(void)leat_nd_emit(&nd.nd, zero_option.data());
	zero_option[25] = 0;
	Input({ Advert("fd77::2").ip.BuildSummed(zero_option, 2) });
	EXPECT_EQ(2u, Stats().rx_nd_malformed);
	EXPECT_TRUE(Output().empty());
}

TEST_F(InetNd, SolicitationForOthersIsCountedAndNotAnswered)
{
	Open();
	(void)Output();
	Nd6 nd = Solicit("fd77::3");

	nd.ip.dst = V6("fd77::1");
	nd.ip.eth_dst = kOurMac;
	Input({ nd.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().rx_nd_not_ours);
}

// Section 7.2.5.
TEST_F(InetNd, AdvertisementThatNobodyAskedForCreatesNoEntry)
{
	Open();
	(void)Output();
	Nd6 to_all = Advert("fd77::2");

	to_all.nd.is_solicited = false;
	to_all.ip.dst = V6("ff02::1");
	to_all.ip.eth_dst = kAllNodesMac;
	Input({ Advert("fd77::2").Build(), to_all.Build() });
	EXPECT_EQ(2u, Stats().rx_nd_unasked);
	Knock();
	EXPECT_FALSE(OutputNd().nd.is_advert) << "has to ask";
}

// Section 7.2.2.
TEST_F(InetNd, NeighbourIsAskedByItsGroupAndFramesWait)
{
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	Open();
	(void)Output();
	Knock();
	Seen6 seen = OutputNd();
	const uint8_t group_mac[] = { 0x33, 0x33, 0xff, 0, 0, 0x02 };

	EXPECT_FALSE(seen.nd.is_advert);
	EXPECT_EQ("fd77::2", TextOf(seen.nd.target));
	EXPECT_EQ("ff02::1:ff00:2", TextOf(seen.ip.dst));
	EXPECT_EQ("fd77::1", TextOf(seen.ip.src));
	EXPECT_EQ(255, seen.ip.hop_limit);
	EXPECT_TRUE(leat_eth_addr_is_equal(group_mac, seen.eth.dst));
	EXPECT_TRUE(seen.nd.has_mac);
	EXPECT_TRUE(leat_eth_addr_is_equal(kOurMac, seen.nd.mac));
	for (uint16_t i = 0; i < LEAT_INET_ARP_QUEUE_MAX; i++) // one waits already
		Knock((uint16_t)(2000 + i));
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().nbr_queue_full);
	Input({ Advert("fd77::2").Build() });
	std::vector<Frame> out = Output();
	ASSERT_EQ(LEAT_INET_ARP_QUEUE_MAX, out.size());
	for (const Frame &frame : out)
		EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, frame.data()));
}

TEST_F(InetNd, NeighbourThatDoesNotAnswerIsUnreachable)
{
	Open();
	(void)Output();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V6("fd77::2"), kPort, now_us_, &conn));
	for (unsigned int i = 0; i < LEAT_INET_ARP_TRIES_MAX; i++) {
		EXPECT_FALSE(OutputNd().nd.is_advert) << i;
		EXPECT_TRUE(Events().empty());
		Wait(LEAT_INET_ARP_RETRY_US);
	}
	EXPECT_EQ(1u, Stats().nbr_unreachable);
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-EHOSTUNREACH, events[0].error);
}

// Section 7.3.3.
TEST_F(InetNd, AgedNeighbourIsProbedWhereItWasAndUsedMeanwhile)
{
	Open();
	Meet6();
	Wait(LEAT_INET_ND_AGE_US);
	Input({ BuildEcho6("x") });
	EXPECT_EQ(1u, Output().size()) << "no question yet";
	Wait(1);
	Input({ BuildEcho6("x") });
	std::vector<Frame> out = Output();
	Seen6 seen;
	ASSERT_EQ(2u, out.size());
	ASSERT_TRUE(IsNd(out[0], &seen));
	EXPECT_FALSE(seen.nd.is_advert);
	EXPECT_EQ("fd77::2", TextOf(seen.ip.dst));
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, seen.eth.dst));
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[1].data()));
	Input({ Advert("fd77::2").Build() });
	Wait(LEAT_INET_ARP_RETRY_US * LEAT_INET_ARP_TRIES_MAX);
	EXPECT_TRUE(Output().empty()) << "answered";
}

TEST_F(InetNd, ProbeWithoutAnAnswerEndsInAQuestionToTheGroup)
{
	Open();
	Meet6();
	Wait(LEAT_INET_ND_AGE_US + 1);
	for (unsigned int i = 0; i < LEAT_INET_ARP_TRIES_MAX; i++) {
		EXPECT_TRUE(GoesTo(kPeerMac));
		Wait(LEAT_INET_ARP_RETRY_US);
	}
	(void)Output();
	EXPECT_EQ(1u, Stats().nbr_unreachable);
	Knock();
	EXPECT_EQ("ff02::1:ff00:2", TextOf(OutputNd().ip.dst));
}

// Forged addresses of the link: nobody is asked for, the answer goes back where it came from.
TEST_F(InetNd, EchoOfAnUnknownNeighbourAsksNobody)
{
	Open();
	Meet6();
	uint64_t nb_asked = Stats().tx_nd_solicits;
	Ip6 ip;

	ip.eth_src = kThirdMac;
	for (unsigned int i = 0; i < 200; i++) {
		ip.src = V6(("fd77::1:" + std::to_string(i)).c_str());
		Input({ BuildEcho6("x", ip) });
		std::vector<Frame> out = Output();
		Seen6 seen;
		ASSERT_EQ(1u, out.size());
		ASSERT_TRUE(IsIp6(out[0], LEAT_IPV6_PROTO_ICMP, &seen));
		EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, seen.eth.dst));
	}
	EXPECT_EQ(nb_asked, Stats().tx_nd_solicits);
	EXPECT_EQ(0u, Stats().nbr_full);
	ip.src = V6("fd77::2"); // known: the frame's address is not believed
	Input({ BuildEcho6("x", ip) });
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, Output().at(0).data()));
}

// Section 7.2.3: what a question tells is not yet known to be true.
TEST_F(InetNd, WhoAskedIsUsedAndProbed)
{
	Open();
	(void)Output();
	Input({ Solicit("fd77::1").Build() });
	(void)Output();
	EXPECT_TRUE(GoesTo(kPeerMac));
	EXPECT_EQ(1u, Stats().tx_nd_solicits);
}

TEST_F(InetNd, WhoAskedWithANewMacHasMovedThere)
{
	Open();
	Meet6();
	Wait(kSecondUs + 1); // not in use; else see below
	Input({ Solicit("fd77::1", kThirdMac).Build() });
	(void)Output();
	EXPECT_TRUE(GoesTo(kThirdMac));
	EXPECT_EQ(1u, Stats().nbr_moved);
}

// The table takes what is heard; a frame of our own needs the room more.
TEST_F(InetNd, FloodOfQuestionsLeavesRoomForWhoIsNeeded)
{
	Open();
	(void)Output();
	for (uint32_t i = 0; i < conf_.nb_neighbours_max; i++) {
		Nd6 question = Solicit("fd77::1");

		question.ip.src = V6("fd77::9:0:0");
		leat_be32_put(question.ip.src.bytes + 12, i);
		Input({ question.Build() });
		(void)Output();
	}
	Knock();
	Seen6 seen = OutputNd();
	EXPECT_FALSE(seen.nd.is_advert);
	EXPECT_EQ("fd77::2", TextOf(seen.nd.target));
	EXPECT_EQ(0u, Stats().nbr_full);
}

TEST_F(InetNd, SolicitationFromOffLinkCreatesNoEntry)
{
	Open();
	(void)Output();
	Nd6 nd = Solicit("fd77::1");

	nd.ip.src = V6("2001:db8::1");
	Input({ nd.Build() });
	EXPECT_EQ("2001:db8::1", TextOf(OutputNd().ip.dst));
	Ip6 far;
	far.src = V6("2001:db8::1");
	Input({ BuildEcho6("x", far) });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tx_no_route);
}

// Section 7.2.5 and appendix C: what an advertisement changes of a known neighbour. Who was
// heard in the last second is asked himself before another is believed.
TEST_F(InetNd, AdvertisementsOfAKnownNeighbourObeyTheirFlags)
{
	struct {
		bool solicited, override, other_mac;
		bool moves, is_asked;
	} rows[] = {
		{ false, false, false, false, false }, { false, false, true, false, true },
		{ false, true, false, false, false }, { false, true, true, true, true },
		{ true, false, false, false, false }, { true, false, true, false, true },
		{ true, true, false, false, false },
		{ true, true, true, true, true }, // nobody had asked him
	};

	for (bool is_in_use : { false, true }) {
		for (const auto &row : rows) {
			Open();
			Meet6();
			Wait(is_in_use ? 0 : kSecondUs + 1);
			Nd6 nd = Advert("fd77::2", row.other_mac ? kThirdMac : kPeerMac);
			nd.nd.is_solicited = row.solicited;
			nd.nd.is_override = row.override;
			Input({ nd.Build() });
			EXPECT_TRUE(GoesTo(row.moves && !is_in_use ? kThirdMac : kPeerMac))
				<< is_in_use << row.solicited << row.override << row.other_mac;
			EXPECT_EQ(row.is_asked, Stats().tx_nd_solicits == 1)
				<< is_in_use << row.solicited << row.override << row.other_mac;
			Close();
		}
	}
}

// Section 7.2.5, and stricter: the answer of a neighbour to a question for him alone.
TEST_F(InetNd, NeighbourInUseIsAskedBeforeAClaimantIsBelieved)
{
	for (bool answers : { false, true }) {
		Open();
		Meet6();
		Nd6 claim = Advert("fd77::2", kThirdMac);
		claim.nd.is_solicited = false;
		claim.ip.dst = V6("ff02::1");
		claim.ip.eth_dst = kAllNodesMac;
		Input({ claim.Build() });
		Seen6 seen = OutputNd();
		EXPECT_FALSE(seen.nd.is_advert);
		EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, seen.eth.dst));
		Input({ Advert("fd77::2", kThirdMac).Build() });
		EXPECT_TRUE(GoesTo(kPeerMac)) << "solicited, as it says, and not by us";
		if (answers)
			Input({ Advert("fd77::2").Build() });
		Wait(LEAT_INET_ARP_RETRY_US);
		EXPECT_TRUE(GoesTo(answers ? kPeerMac : kThirdMac));
		EXPECT_EQ(answers ? 0u : 1u, Stats().nbr_moved);
		Close();
	}
}

// Section 7.2.5: a solicited one.
TEST_F(InetNd, NeighbourThatIsNotWhereItWasIsTakenFromWhoAnswers)
{
	Open();
	Meet6();
	Wait(LEAT_INET_ND_AGE_US + 1);
	EXPECT_TRUE(GoesTo(kPeerMac));
	Wait(LEAT_INET_ARP_RETRY_US); // asked a second time
	(void)Output();
	Input({ Advert("fd77::2", kThirdMac).Build() });
	uint64_t nb_asked = Stats().tx_nd_solicits;
	EXPECT_TRUE(GoesTo(kThirdMac));
	EXPECT_EQ(nb_asked, Stats().tx_nd_solicits);
}

TEST_F(InetNd, WhoSaysThatHeHasOurAddressIsCounted)
{
	Open();
	Meet6();
	Nd6 nd = Advert("fd77::1", kThirdMac);

	nd.ip.src = V6("fd77::3");
	nd.nd.is_solicited = false;
	nd.ip.dst = V6("ff02::1");
	nd.ip.eth_dst = kAllNodesMac;
	Input({ nd.Build() });
	EXPECT_EQ(1u, Stats().rx_nd_conflict);
	EXPECT_EQ(LEAT_INET_NOTICE_CONFLICT, leat_inet_notices(inet_));
}

TEST_F(InetNd, RoutersAreCountedAndIgnored)
{
	Open();
	Meet6();
	for (unsigned int type :
		{ LEAT_ICMP6_TYPE_RS, LEAT_ICMP6_TYPE_RA, LEAT_ICMP6_TYPE_REDIRECT }) {
		Frame message(40);
		Ip6 ip;

		message[0] = (uint8_t)type;
		ip.next = LEAT_IPV6_PROTO_ICMP;
		ip.hop_limit = 255;
		ip.src = V6("fe80::9");
		Input({ ip.BuildSummed(message, 2) });
	}
	EXPECT_EQ(3u, Stats().rx_nd_router);
	EXPECT_TRUE(Output().empty());
}

TEST_F(InetNd, OffLinkPeersAreReachedThroughTheGateway)
{
	conf_.gateway6 = V6("fd77::9");
	Open();
	(void)Output();
	Ip6 far;

	far.src = V6("2001:db8::1");
	Knock(kPeerPort, far);
	EXPECT_EQ("fd77::9", TextOf(OutputNd().nd.target));
	Input({ Advert("fd77::9", kThirdMac).Build() });
	std::vector<Frame> out = Output();
	Seen6 seen;
	ASSERT_EQ(1u, out.size());
	ASSERT_TRUE(IsTcp6(out[0], &seen));
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, seen.eth.dst));
	EXPECT_EQ("2001:db8::1", TextOf(seen.ip.dst));
}

// The link-local address would not get an answer from beyond the gateway.
TEST_F(InetNd, ConnectThroughALinkLocalGatewayHasAGlobalSource)
{
	conf_.gateway6 = V6("fe80::9");
	Open();
	(void)Output();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V6("2001:db8::1"), kPort, now_us_, &conn));
	Seen6 seen = OutputNd();
	EXPECT_EQ("fe80::9", TextOf(seen.nd.target));
	EXPECT_EQ(TextOf(OurLocal()), TextOf(seen.ip.src));
	Input({ Advert("fe80::9").Build() });
	seen = OutputTcp6();
	EXPECT_EQ("fd77::1", TextOf(seen.ip.src));
	EXPECT_EQ("2001:db8::1", TextOf(seen.ip.dst));
}

} // namespace
