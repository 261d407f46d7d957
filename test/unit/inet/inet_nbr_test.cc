// SPDX-License-Identifier: BSD-3-Clause

// The table of neighbours: who is believed to have moved, and who makes room for whom.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetNbr : public InetLab
{
      protected:
	// A gratuitous reply: the peer's address is at @p mac now, RFC 5944 section 4.6.
	void Claim(const uint8_t *mac, uint32_t addr = kPeerAddr)
	{
		Input({ BuildArp(LEAT_ARP_OP_REPLY, mac, addr, mac, addr, kBroadcastMac) });
	}

	void Answer(const uint8_t *mac, uint32_t addr = kPeerAddr)
	{
		Input({ BuildArp(LEAT_ARP_OP_REPLY, mac, addr, kOurMac, kOurAddr, kOurMac) });
	}

	// Whether all that leaves is one question for the peer to @p mac.
	bool AsksAt(const uint8_t *mac)
	{
		std::vector<Frame> out = Output();
		leat_arp arp;

		return out.size() == 1 && IsArp(out[0], &arp) && arp.op == LEAT_ARP_OP_REQUEST &&
		       arp.tpa == kPeerAddr && leat_eth_addr_is_equal(mac, out[0].data());
	}

	// Whether an echo of the peer is answered at @p mac.
	bool GoesTo(const uint8_t *mac)
	{
		leat_arp arp;

		Input({ BuildEcho(1, "x") });
		for (const Frame &frame : Output())
			if (!IsArp(frame, &arp))
				return leat_eth_addr_is_equal(mac, frame.data());
		return false;
	}

	// SYNs of hosts that are not there, each of another address.
	void Flood(uint32_t first, uint32_t nb)
	{
		for (uint32_t i = first; i < first + nb; i++) {
			Tcp syn = { LEAT_TCP_SYN };

			syn.ip.src = kThirdAddr + i;
			syn.ip.eth_src = kThirdMac;
			Input({ syn.Build() });
			(void)Output();
		}
	}

	void OpenForFlood()
	{
		conf_.cookies = LEAT_INET_COOKIES_NEVER;
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	}

	// One that we had to do with and that has no connection any more.
	void Know(uint32_t addr)
	{
		leat_inet_conn *conn;

		Input({ BuildArp(
			LEAT_ARP_OP_REQUEST, kThirdMac, addr, kPeerMac, kOurAddr, kBroadcastMac) });
		ASSERT_EQ(0, leat_inet_connect(inet_, V4(addr), 80, now_us_, &conn));
		EXPECT_EQ(2u, Output().size()) << "the reply to the request, and a SYN";
		leat_inet_abort(inet_, conn);
		(void)Events();
		(void)Output();
	}
};

// RFC 5227 section 1.2.1 tells how often a claim is a lie or an error.
TEST_F(InetNbr, OneInUseThatIsClaimedIsAskedWhereHeIsAndStaysIfHeAnswers)
{
	Open();
	Meet();
	Claim(kThirdMac);
	EXPECT_TRUE(AsksAt(kPeerMac));
	EXPECT_TRUE(GoesTo(kPeerMac));
	Answer(kPeerMac);
	Wait(10 * kSecondUs);
	EXPECT_TRUE(GoesTo(kPeerMac));
	EXPECT_EQ(1u, Stats().nbr_claims);
	EXPECT_EQ(1u, Stats().nbr_claims_denied);
	EXPECT_EQ(0u, Stats().nbr_moved);
}

TEST_F(InetNbr, OneInUseThatIsClaimedAndSilentHasMovedAfterASecond)
{
	Open();
	Meet();
	Claim(kThirdMac);
	(void)Output();
	Wait(LEAT_INET_ARP_RETRY_US - 1);
	EXPECT_TRUE(GoesTo(kPeerMac));
	Wait(1);
	EXPECT_TRUE(GoesTo(kThirdMac));
	EXPECT_EQ(1u, Stats().nbr_moved);
	EXPECT_EQ(0u, Stats().nbr_claims_denied);
}

// And who has got an address in this way is asked himself when he is used.
TEST_F(InetNbr, SilentClaimantLosesTheAddressToWhoAnswers)
{
	Open();
	Meet();
	Claim(kThirdMac);
	(void)Output();
	Wait(LEAT_INET_ARP_RETRY_US);
	Input({ BuildEcho(1, "x") });
	std::vector<Frame> out = Output();
	leat_arp arp;
	ASSERT_EQ(2u, out.size());
	ASSERT_TRUE(IsArp(out[0], &arp));
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].data()));
	Wait(LEAT_INET_ARP_RETRY_US);
	EXPECT_TRUE(AsksAt(kBroadcastMac));
	Answer(kPeerMac);
	EXPECT_TRUE(GoesTo(kPeerMac));
}

TEST_F(InetNbr, OneThatWasHeardASecondAgoIsClaimedAtOnceAndNoEarlier)
{
	for (uint32_t more = 0; more <= 1; more++) {
		Open();
		Meet();
		Wait(kSecondUs + more);
		Claim(kThirdMac);
		EXPECT_EQ(more, Stats().nbr_moved);
		EXPECT_TRUE(GoesTo(more != 0 ? kThirdMac : kPeerMac));
		Close();
	}
}

// A question from a new place is as good as a gratuitous reply, RFC 826.
TEST_F(InetNbr, QuestionOfAClaimantIsAnsweredAndTeachesNoMoreThanAClaim)
{
	Open();
	Meet();
	Input({ BuildArp(
		LEAT_ARP_OP_REQUEST, kThirdMac, kPeerAddr, kPeerMac, kOurAddr, kBroadcastMac) });
	EXPECT_EQ(2u, Output().size()) << "the reply, and the question to who has it";
	EXPECT_TRUE(GoesTo(kPeerMac));
}

TEST_F(InetNbr, AnswerFromElsewhereToAQuestionForTheHolderIsNone)
{
	Open();
	Meet();
	Claim(kThirdMac);
	EXPECT_TRUE(AsksAt(kPeerMac));
	Answer(kThirdMac);
	EXPECT_TRUE(GoesTo(kPeerMac));
	Answer(kPeerMac);
	EXPECT_TRUE(GoesTo(kPeerMac));
	EXPECT_EQ(0u, Stats().nbr_moved);
}

// What claims may cost the link and the holder.
TEST_F(InetNbr, HolderIsAskedOnceASecondHoweverOftenHeIsClaimed)
{
	Open();
	Meet();
	Claim(kThirdMac);
	EXPECT_TRUE(AsksAt(kPeerMac));
	Answer(kPeerMac);
	Wait(kSecondUs / 2);
	for (int i = 0; i < 10; i++)
		Claim(kThirdMac);
	EXPECT_TRUE(Output().empty());
	Wait(LEAT_INET_ARP_RETRY_US - 1);
	EXPECT_TRUE(Output().empty());
	Wait(1);
	EXPECT_TRUE(AsksAt(kPeerMac));
	EXPECT_TRUE(GoesTo(kPeerMac));
	Wait(LEAT_INET_ARP_RETRY_US);
	EXPECT_TRUE(GoesTo(kThirdMac)) << "two seconds after the claim at the latest";
}

// RFC 4861 section 7.3.1: forward progress. A router that has taken over is used at once.
TEST_F(InetNbr, TextThroughTheClaimantSettlesIt)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	leat_inet_conn *conn = Accept();
	Claim(kThirdMac);
	EXPECT_TRUE(AsksAt(kPeerMac));
	Tcp text = FromPeer(LEAT_TCP_ACK, "text");
	text.ip.eth_src = kThirdMac;
	Input({ text.Build() });
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply")));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, out[0].eth.dst));
	EXPECT_EQ(1u, Stats().nbr_moved);
	for (const leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
}

// What anybody can send who knows the ends of a connection is no sign.
TEST_F(InetNbr, SegmentsThatBringNothingSettleNothing)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	ASSERT_NE(nullptr, Accept());
	Claim(kThirdMac);
	(void)Output();
	Tcp ack = FromPeer(LEAT_TCP_ACK), old = ack, beyond = ack;
	old.seq -= 1;
	old.text = "x";
	beyond.seq += 10000000;
	beyond.text = "x";
	for (Tcp *seg : { &ack, &old, &beyond }) {
		seg->ip.eth_src = kThirdMac;
		Input({ seg->Build() });
	}
	(void)Output();
	EXPECT_TRUE(GoesTo(kPeerMac));
	EXPECT_EQ(0u, Stats().nbr_moved);
}

// And without a claim a router may send through one MAC address and be reached at another.
TEST_F(InetNbr, TextFromElsewhereMovesNobody)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	ASSERT_NE(nullptr, Accept());
	Tcp text = FromPeer(LEAT_TCP_ACK, "text");
	text.ip.eth_src = kThirdMac;
	Input({ text.Build() });
	EXPECT_TRUE(GoesTo(kPeerMac));
	for (const leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
}

// RFC 1122 section 2.3.2.1 (2).
TEST_F(InetNbr, AgedOneIsAskedWhereHeWasAndThenEverybody)
{
	Open();
	Meet();
	Wait(LEAT_INET_ARP_AGE_US + 1);
	Input({ BuildEcho(1, "x") });
	std::vector<Frame> out = Output();
	leat_arp arp;
	ASSERT_EQ(2u, out.size());
	ASSERT_TRUE(IsArp(out[0], &arp));
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[0].data()));
	Wait(LEAT_INET_ARP_RETRY_US);
	EXPECT_TRUE(AsksAt(kBroadcastMac));
	Answer(kThirdMac);
	EXPECT_TRUE(GoesTo(kThirdMac)) << "he was not where he had been";
}

// RFC 4861 section 7.3.3: no answer is needed any more.
TEST_F(InetNbr, TextEndsTheQuestionForAnAgedOne)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	ASSERT_NE(nullptr, Accept());
	Wait(LEAT_INET_ARP_AGE_US + 1);
	Input({ BuildEcho(1, "x") });
	EXPECT_EQ(2u, Output().size());
	Input({ FromPeer(LEAT_TCP_ACK, "text").Build() });
	(void)OutputTcp();
	Wait(LEAT_INET_ARP_RETRY_US * LEAT_INET_ARP_TRIES_MAX);
	EXPECT_EQ(1u, Stats().tx_arp_requests - 1) << "beside our announcement";
	EXPECT_EQ(0u, Stats().nbr_unreachable);
	for (const leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	(void)Output();
}

// RFC 1122 section 2.3.2.1 (4): advice from above. A successor that told nobody is found.
TEST_F(InetNbr, NextHopOfTextThatIsSentAgainAndAgainIsAskedForAnew)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	leat_inet_conn *conn = Accept();
	uint64_t nb_asked = Stats().tx_arp_requests, until_us = now_us_ + 20 * kSecondUs;
	bool has_come = false;

	Wait(2 * kSecondUs);
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("x")));
	while (!has_come && now_us_ < until_us) {
		leat_arp arp;

		for (const Frame &frame : Output()) {
			if (!IsArp(frame, &arp))
				has_come = leat_eth_addr_is_equal(kThirdMac, frame.data());
			else if (leat_eth_addr_is_broadcast(frame.data()))
				Answer(kThirdMac); // and the old place is silent
		}
		Wait(kSecondUs / 10);
	}
	EXPECT_TRUE(has_come);
	EXPECT_EQ(nb_asked + 3, Stats().tx_arp_requests)
		<< "him alone, then everybody, then the successor alone";
	EXPECT_EQ(1u, Stats().nbr_moved);
	leat_inet_abort(inet_, conn);
}

// The table is full, and one more is needed.
TEST_F(InetNbr, OldestOfThoseThatDoNotAnswerMakesRoom)
{
	ASSERT_NO_FATAL_FAILURE(OpenForFlood());
	leat_inet_conn *conn = Accept();
	Flood(0, conf_.nb_neighbours_max - 1);
	EXPECT_EQ(0u, Stats().nbr_evicted);
	Flood(conf_.nb_neighbours_max - 1, 1);
	EXPECT_EQ(1u, Stats().nbr_evicted);
	EXPECT_EQ(0u, Stats().nbr_full);
	Answer(kThirdMac, kThirdAddr); // the first one, which is forgotten
	EXPECT_TRUE(Output().empty());
	Answer(kThirdMac, kThirdAddr + 1);
	EXPECT_EQ(1u, OutputTcp().size());
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("x")));
	EXPECT_EQ(1u, OutputTcp().size()) << "who is in use has not to be asked for";
}

TEST_F(InetNbr, FloodOfStrangersCostsNobodyElseAPlace)
{
	conf_.gateway = V4(kOurAddr + 200);
	ASSERT_NO_FATAL_FAILURE(OpenForFlood());
	leat_inet_conn *conn = Accept();
	Tcp syn = { LEAT_TCP_SYN };

	syn.ip.src = kFarAddr;
	Input({ syn.Build() }); // waits for the gateway
	EXPECT_EQ(1u, Output().size());
	leat_inet_conn *ours;
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kOurAddr + 100), 80, now_us_, &ours));
	EXPECT_EQ(1u, Output().size());
	Flood(0, 4 * conf_.nb_neighbours_max);
	EXPECT_EQ(0u, Stats().nbr_full);
	Answer(kThirdMac, kOurAddr + 200);
	EXPECT_EQ(1u, OutputTcp().size()) << "the answer through the gateway";
	Answer(kThirdMac, kOurAddr + 100);
	EXPECT_EQ(1u, OutputTcp().size()) << "our SYN";
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("x")));
	EXPECT_EQ(1u, OutputTcp().size());
}

TEST_F(InetNbr, OneWithAConnectionKeepsHisPlaceHoweverIdle)
{
	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, nullptr));
	leat_inet_conn *conn = Accept(), *other;
	for (uint32_t i = 1; i < conf_.nb_neighbours_max; i++)
		ASSERT_NO_FATAL_FAILURE(Know(kThirdAddr + i));
	Wait(61 * kSecondUs);
	for (uint32_t i = 1; i <= conf_.nb_neighbours_max; i++) {
		EXPECT_EQ(0u, Stats().nbr_full) << i;
		ASSERT_EQ(
			0, leat_inet_connect(inet_, V4(kThirdAddr + 100 + i), 80, now_us_, &other));
		(void)Output();
	}
	EXPECT_EQ(conf_.nb_neighbours_max - 1, Stats().nbr_evicted);
	EXPECT_EQ(1u, Stats().nbr_full) << "neither he nor who is being connected to";
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("x")));
	EXPECT_EQ(1u, OutputTcp().size());
	leat_inet_abort(inet_, conn);
	EXPECT_EQ(1u, OutputTcp().size());
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr + 100), 80, now_us_, &other));
	(void)Output();
	EXPECT_EQ(conf_.nb_neighbours_max, Stats().nbr_evicted) << "until it ends";
}

} // namespace
