// SPDX-License-Identifier: BSD-3-Clause

// Segments in and out: listeners, closed ports, checksums, bursts.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetTcp : public InetLab
{
      protected:
	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// All DATA of the events as one string.
	std::string Received()
	{
		std::string text;

		for (const leat_inet_event &event : Events()) {
			if (event.type != LEAT_INET_DATA)
				continue;
			for (rte_mbuf *seg = event.mbuf; seg != nullptr; seg = seg->next)
				text.append(rte_pktmbuf_mtod(seg, char *), seg->data_len);
			rte_pktmbuf_free(event.mbuf);
		}
		return text;
	}
};

TEST_F(InetTcp, HandshakeThenTextThenTheReplyThatCarriesTheAck)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	leat_ip_addr laddr, raddr;
	uint16_t lport, rport;

	ASSERT_NE(nullptr, conn);
	EXPECT_EQ(&listener_, leat_inet_conn_listener(conn));
	leat_inet_conn_ends(conn, &laddr, &lport, &raddr, &rport);
	EXPECT_EQ(kOurAddr, leat_ip_addr_ipv4(laddr));
	EXPECT_EQ(kPort, lport);
	EXPECT_EQ(kPeerAddr, leat_ip_addr_ipv4(raddr));
	EXPECT_EQ(kPeerPort, rport);

	Input({ FromPeer(LEAT_TCP_ACK | LEAT_TCP_PSH, "PING\r\n").Build() });
	EXPECT_EQ("PING\r\n", Received());
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("+PONG\r\n")));
	leat_inet_consumed(inet_, conn, 6);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ("+PONG\r\n", out[0].text);
	EXPECT_EQ(peer_seq_, out[0].seg.ack);
	EXPECT_EQ(peer_ack_, out[0].seg.seq);
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[0].eth.dst));
	EXPECT_TRUE(out[0].ip.dont_fragment);
	EXPECT_EQ(LEAT_IPV4_TTL, out[0].ip.ttl);
}

// The first trap of frames.
TEST_F(InetTcp, PaddingOfAShortSegmentIsNotText)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Frame ack = FromPeer(LEAT_TCP_ACK).Build();
	Frame text = FromPeer(LEAT_TCP_ACK, "abc").Build();

	ASSERT_EQ(LEAT_ETH_FRAME_LEN_MIN, ack.size());
	ASSERT_EQ(LEAT_ETH_FRAME_LEN_MIN, text.size());
	Input({ ack, text });
	EXPECT_EQ("abc", Received());
	EXPECT_EQ(0u, Stats().rx_tcp_cksum);
}

TEST_F(InetTcp, TextInSegmentsOfAnyLengthArrivesWhole)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	std::string text = "thirty-three odd bytes of a text.";

	for (size_t segment_len = 1; segment_len < 100; segment_len++) {
		Input({ FromPeer(LEAT_TCP_ACK, text).Build() }, segment_len);
		std::vector<leat_inet_event> events = Events();
		std::string got;

		ASSERT_EQ(1u, events.size()) << segment_len;
		for (rte_mbuf *seg = events[0].mbuf; seg != nullptr; seg = seg->next) {
			EXPECT_GT(seg->data_len, 0);
			got.append(rte_pktmbuf_mtod(seg, char *), seg->data_len);
		}
		EXPECT_EQ(text, got) << segment_len;
		rte_mbuf_sanity_check(events[0].mbuf, 1);
		EXPECT_EQ(text.size(), events[0].mbuf->pkt_len);
		rte_pktmbuf_free(events[0].mbuf);
		leat_inet_consumed(inet_, events[0].conn, (uint32_t)text.size());
	}
}

TEST_F(InetTcp, PaddingInSegmentsOfItsOwnIsFreed)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	for (size_t segment_len = 1; segment_len < 60; segment_len++) {
		Input({ FromPeer(LEAT_TCP_ACK, "abc").Build() }, segment_len);
		EXPECT_EQ("abc", Received()) << segment_len;
	}
}

TEST_F(InetTcp, HeaderThatReachesIntoThePaddingIsMalformed)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	Frame payload = syn.Payload();

	payload[12] = 6 << 4; // 24 bytes of header, of which the packet has 20
	Input({ syn.ip.Build(payload) });
	EXPECT_EQ(1u, Stats().rx_tcp_malformed);
	for (size_t len = 0; len < 20; len++)
		Input({ syn.ip.Build(Frame(payload.begin(), payload.begin() + len)) });
	EXPECT_EQ(21u, Stats().rx_tcp_malformed);
	EXPECT_TRUE(Output().empty());
}

TEST_F(InetTcp, BadChecksumIsDroppedAndThePacketIsNotWritten)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Tcp seg = FromPeer(LEAT_TCP_ACK, "odd");

	for (size_t i = 34; i < 34 + 23; i++) {
		Frame bad = seg.Build();

		bad[i] ^= 0x10;
		if (i == 46) // data offset: perhaps no header
			continue;
		rte_mbuf *mbuf = Mbuf(bad);
		rte_pktmbuf_refcnt_update(mbuf, 1); // look at it afterwards
		leat_inet_input(inet_, now_us_, &mbuf, 1);
		EXPECT_EQ(0, memcmp(bad.data(), rte_pktmbuf_mtod(mbuf, void *), bad.size()));
		rte_pktmbuf_free(mbuf);
	}
	EXPECT_EQ(22u, Stats().rx_tcp_cksum);
	EXPECT_EQ("", Received());
	Input({ seg.Build() });
	EXPECT_EQ("odd", Received());
}

TEST_F(InetTcp, PartialChecksumOfALocalPeerHasACounterOfItsOwn)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	Frame frame = syn.Build();
	leat_cksum pseudo = {};

	leat_cksum_add_ipv4_pseudo(&pseudo, kPeerAddr, kOurAddr, LEAT_IPV4_PROTO_TCP, 20);
	leat_be16_put(&frame[34 + 16], leat_cksum_fold(&pseudo));
	Input({ frame });
	EXPECT_EQ(1u, Stats().rx_tcp_cksum_partial);
	EXPECT_EQ(0u, Stats().rx_tcp_cksum);
	EXPECT_TRUE(Output().empty());
}

TEST_F(InetTcp, ChecksumIsLeftToAPortThatHasTheOffloadAndSaysGood)
{
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	Frame frame = syn.Build();

	frame[34 + 16] ^= 1;
	Input({ frame });
	EXPECT_EQ(1u, Stats().rx_tcp_cksum) << "unknown is checked";
	for (uint64_t flag : { RTE_MBUF_F_RX_L4_CKSUM_GOOD, RTE_MBUF_F_RX_L4_CKSUM_NONE }) {
		rte_mbuf *mbuf = Mbuf(frame);

		mbuf->ol_flags |= flag;
		leat_inet_input(inet_, now_us_, &mbuf, 1);
	}
	EXPECT_EQ(1u, Stats().rx_tcp_cksum);
	EXPECT_EQ(1u, Stats().tcp_opens_passive);
}

// RFC 9293 section 3.10.7.1.
TEST_F(InetTcp, ClosedPortAnswersWithAResetAtOnce)
{
	Open();
	Meet();
	Tcp syn = { LEAT_TCP_SYN }, ack = { LEAT_TCP_ACK }, rst = { LEAT_TCP_RST };

	syn.seq = 77;
	syn.text = "hi";
	ack.seq = 5;
	ack.ack = 99;
	Input({ syn.Build(), ack.Build(), rst.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(2u, out.size());
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(0u, out[0].seg.seq);
	EXPECT_EQ(77u + 1 + 2, out[0].seg.ack);
	EXPECT_EQ(kPort, out[0].ports.src);
	EXPECT_EQ(kPeerPort, out[0].ports.dst);
	EXPECT_EQ(LEAT_TCP_RST, out[1].seg.flags);
	EXPECT_EQ(99u, out[1].seg.seq);
	EXPECT_EQ(2u, Stats().tx_rst);
	EXPECT_EQ(3u, Stats().rx_tcp_no_conn);
}

TEST_F(InetTcp, ResetsAreLimitedPerSecond)
{
	Open();
	Meet();
	for (uint32_t i = 0; i < LEAT_INET_RST_BURST + 1; i++) {
		Input({ Tcp{ LEAT_TCP_SYN }.Build() });
		(void)Output();
	}
	EXPECT_EQ(LEAT_INET_RST_BURST, Stats().tx_rst);
	EXPECT_EQ(1u, Stats().tx_rst_limited);
}

// RFC 9293 section 3.10.7.2.
TEST_F(InetTcp, ListenerIgnoresRstAndResetsAck)
{
	OpenListening();
	Tcp ack = { LEAT_TCP_ACK };

	ack.ack = 4242;
	Input({ Tcp{ LEAT_TCP_RST }.Build(), Tcp{ LEAT_TCP_RST | LEAT_TCP_SYN }.Build(),
		Tcp{ 0 }.Build(), Tcp{ LEAT_TCP_SYN | LEAT_TCP_FIN }.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(4u, Stats().rx_tcp_listen_ignored);
	Input({ ack.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_RST, out[0].seg.flags);
	EXPECT_EQ(4242u, out[0].seg.seq);
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetTcp, ListenerOfTheAddressGoesBeforeThatOfAny)
{
	int any, own;

	Open();
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &any));
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(kOurAddr), kPort, &own));
	EXPECT_EQ(&own, leat_inet_conn_listener(Accept(1)));
	ASSERT_EQ(0, leat_inet_unlisten(inet_, V4(kOurAddr), kPort));
	EXPECT_EQ(&any, leat_inet_conn_listener(Accept(2)));
	ASSERT_EQ(0, leat_inet_unlisten(inet_, V4(0), kPort)); // whatever their order is
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(kOurAddr), kPort, &own));
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &any));
	EXPECT_EQ(&own, leat_inet_conn_listener(Accept(3)));
}

TEST_F(InetTcp, UnlistenLeavesWhatIsOpenAndRefusesWhatIsNew)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	ASSERT_EQ(0, leat_inet_unlisten(inet_, V4(0), kPort));
	EXPECT_EQ(-ENOENT, leat_inet_unlisten(inet_, V4(0), kPort));
	Input({ FromPeer(LEAT_TCP_ACK, "still").Build() });
	EXPECT_EQ("still", Received());
	(void)Output();
	Tcp syn = { LEAT_TCP_SYN };
	syn.sport = 9;
	Input({ syn.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, out[0].seg.flags);
}

TEST_F(InetTcp, ListenersHaveALimitAndNoTwins)
{
	Open();
	EXPECT_EQ(-EADDRNOTAVAIL, leat_inet_listen(inet_, V4(kPeerAddr), kPort, nullptr));
	EXPECT_EQ(-EADDRNOTAVAIL, leat_inet_listen(inet_, V4(0), 0, nullptr));
	for (uint16_t i = 1; i <= LEAT_INET_LISTENERS_MAX; i++)
		EXPECT_EQ(0, leat_inet_listen(inet_, V4(0), i, nullptr));
	EXPECT_EQ(-EADDRINUSE, leat_inet_listen(inet_, V4(0), 1, nullptr));
	EXPECT_EQ(-ENOSPC, leat_inet_listen(inet_, V4(0), 1000, nullptr));
	EXPECT_EQ(0, leat_inet_unlisten(inet_, V4(0), 1));
	EXPECT_EQ(0, leat_inet_listen(inet_, V4(0), 1000, nullptr));
}

// The look-up of a burst comes before its first segment: later ones must see its effects.
TEST_F(InetTcp, SynAndItsRetransmissionInOneBurstMakeOneConnection)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };

	Input({ syn.Build(), syn.Build(), syn.Build() });
	EXPECT_EQ(1u, Stats().tcp_opens_passive);
	EXPECT_EQ(1u, leat_inet_nb_conns(inet_));
}

TEST_F(InetTcp, ResetAndANewSynInOneBurstMakeANewConnection)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Tcp syn = { LEAT_TCP_SYN };

	syn.seq = 900000;
	Input({ FromPeer(LEAT_TCP_RST).Build(), syn.Build(), syn.Build() });
	EXPECT_EQ(2u, Stats().tcp_opens_passive);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(900001u, out[0].seg.ack);
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-ECONNRESET, events[0].error);
}

TEST_F(InetTcp, SegmentsOfOneBurstComeAsOneDataEvent)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Input({ FromPeer(LEAT_TCP_ACK, "one ").Build(), FromPeer(LEAT_TCP_ACK, "two ").Build(),
		FromPeer(LEAT_TCP_ACK, "three").Build() });
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_DATA, events[0].type);
	EXPECT_EQ(13u, events[0].mbuf->pkt_len);
	rte_pktmbuf_free(events[0].mbuf);
}

TEST_F(InetTcp, FullBurstOfConnectionsIsLookedUp)
{
	OpenListening();
	std::vector<Tcp> ends;
	std::vector<Frame> frames;

	for (uint16_t i = 0; i < LEAT_INET_BURST_MAX; i++) {
		ASSERT_NE(nullptr, Accept((uint16_t)(1000 + i)));
		ends.push_back(FromPeer(LEAT_TCP_ACK, std::string(1, (char)('A' + i))));
	}
	for (const Tcp &end : ends)
		frames.push_back(end.Build());
	Input(frames);
	std::vector<leat_inet_event> events = Events(64);
	ASSERT_EQ(LEAT_INET_BURST_MAX, events.size());
	for (uint16_t i = 0; i < LEAT_INET_BURST_MAX; i++) {
		leat_ip_addr addr;
		uint16_t port, rport;

		leat_inet_conn_ends(events[i].conn, &addr, &port, &addr, &rport);
		EXPECT_EQ(1000 + i, rport);
		EXPECT_EQ('A' + i, *rte_pktmbuf_mtod(events[i].mbuf, char *));
		rte_pktmbuf_free(events[i].mbuf);
	}
}

// RFC 6528: F differs for each pair of ends, M is a clock of 4 us.
TEST_F(InetTcp, InitialSequenceNumbersFollowClockAndEnds)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN }, rst = { LEAT_TCP_RST };
	uint32_t iss[2];

	rst.seq = 1;
	for (int i = 0; i < 2; i++) {
		Input({ syn.Build() });
		iss[i] = OutputTcp()[0].seg.seq;
		Input({ rst.Build() });
		now_us_ += kSecondUs;
	}
	EXPECT_EQ(250000u, iss[1] - iss[0]);
	syn.sport++;
	Input({ syn.Build() });
	EXPECT_NE(500000u, OutputTcp()[0].seg.seq - iss[0]);
}

TEST_F(InetTcp, LongTextLeavesAsItLiesOnPortsThatSendChains)
{
	conf_.offloads.tx_multi_seg = true;
	OpenListening();
	leat_inet_conn *conn = Accept();
	std::string text(LEAT_INET_TX_COPY_MAX + 1, 'a');

	ASSERT_NE(nullptr, conn);
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(text, out[0].text);
	EXPECT_EQ(1u, Stats().tx_text_attached);
	text.resize(LEAT_INET_TX_COPY_MAX);
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	EXPECT_EQ(1u, OutputTcp().size());
	EXPECT_EQ(1u, Stats().tx_text_copied);
}

TEST_F(InetTcp, EachSegmentOfALongTextStartsWhereTheOneBeforeEnded)
{
	for (bool chains : { false, true }) {
		conf_.offloads.tx_multi_seg = chains;
		OpenListening();
		leat_inet_conn *conn = Accept();
		std::string text(5000, 0), got;

		for (size_t i = 0; i < text.size(); i++)
			text[i] = (char)(i * 31 >> 3);
		ASSERT_EQ(0,
			leat_inet_send(inet_, conn, Mbuf(Frame(text.begin(), text.end()), 1999)));
		for (const SeenTcp &seg : OutputTcp()) {
			EXPECT_EQ(peer_ack_ + got.size(), seg.seg.seq);
			got += seg.text;
		}
		EXPECT_EQ(text, got);
		Close();
	}
}

TEST_F(InetTcp, FrameThatThePortStillHoldsKeepsItsTextAfterTheAck)
{
	conf_.offloads.tx_multi_seg = true;
	OpenListening();
	leat_inet_conn *conn = Accept();
	std::string text(1000, 'k');
	rte_mbuf *frame;

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	ASSERT_EQ(1, leat_inet_output(inet_, now_us_, &frame, 1));
	ASSERT_EQ(2, frame->nb_segs);
	peer_ack_ += 1000;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ(0, memcmp(text.data(), rte_pktmbuf_mtod(frame->next, void *), text.size()));
	rte_pktmbuf_free(frame);
}

TEST_F(InetTcp, TextInManyPiecesIsAttachedUpToTheLimitAndCopiedBeyond)
{
	conf_.offloads.tx_multi_seg = true;
	OpenListening();
	leat_inet_conn *conn = Accept();

	for (uint32_t nb = LEAT_INET_TX_SEGS_MAX; nb <= LEAT_INET_TX_SEGS_MAX + 1; nb++) {
		std::string text(nb * 101, 'p');

		ASSERT_EQ(
			0, leat_inet_send(inet_, conn, Mbuf(Frame(text.begin(), text.end()), 101)));
		std::vector<SeenTcp> out = OutputTcp();
		ASSERT_EQ(1u, out.size());
		EXPECT_EQ(text, out[0].text);
		peer_ack_ += (uint32_t)text.size();
		Input({ FromPeer(LEAT_TCP_ACK).Build() });
	}
	EXPECT_EQ(1u, Stats().tx_text_attached);
	EXPECT_EQ(1u, Stats().tx_text_copied);
}

TEST_F(InetTcp, WithoutChainsFullSegmentsAreOneLinearMbuf)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	std::string text(1460, 'f');
	rte_mbuf *frame;

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	ASSERT_EQ(1, leat_inet_output(inet_, now_us_, &frame, 1));
	EXPECT_EQ(1, frame->nb_segs);
	EXPECT_EQ(14 + 20 + 20 + 1460, frame->data_len);
	rte_pktmbuf_free(frame);
}

TEST_F(InetTcp, ChecksumsAreLeftToThePortEachByItsOwnSwitch)
{
	for (int sums = 0; sums < 4; sums++) {
		conf_.offloads.tx_ip_cksum = (sums & 1) != 0;
		conf_.offloads.tx_tcp_cksum = (sums & 2) != 0;
		OpenListening();
		Input({ Tcp{ LEAT_TCP_SYN }.Build() });
		rte_mbuf *frame;
		ASSERT_EQ(1, leat_inet_output(inet_, now_us_, &frame, 1));
		const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, 14);
		const uint8_t *tcp = ip + 20;
		uint64_t flags = frame->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK;
		leat_cksum pseudo = {};

		leat_cksum_add_ipv4_pseudo(&pseudo, kOurAddr, kPeerAddr, LEAT_IPV4_PROTO_TCP,
			(uint16_t)(leat_be16_get(tcp - 18) - 20)); // without padding
		EXPECT_EQ(sums != 0, (flags & RTE_MBUF_F_TX_IPV4) != 0);
		EXPECT_EQ(conf_.offloads.tx_ip_cksum, (flags & RTE_MBUF_F_TX_IP_CKSUM) != 0);
		EXPECT_EQ(conf_.offloads.tx_tcp_cksum,
			(flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM);
		EXPECT_EQ(conf_.offloads.tx_ip_cksum, leat_be16_get(ip + 10) == 0);
		EXPECT_EQ(conf_.offloads.tx_tcp_cksum,
			leat_be16_get(tcp + 16) == leat_cksum_fold(&pseudo));
		EXPECT_EQ(14, frame->l2_len);
		EXPECT_EQ(20, frame->l3_len);
		EXPECT_EQ((tcp[12] >> 4) * 4, frame->l4_len);
		rte_pktmbuf_free(frame);
		Close();
	}
}

TEST_F(InetTcp, DryPoolLeavesTheSegmentOwed)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	std::vector<rte_mbuf *> all;

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("owed")));
	while (rte_mbuf *mbuf = rte_pktmbuf_alloc(pool_))
		all.push_back(mbuf);
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tx_no_mbuf);
	rte_pktmbuf_free_bulk(all.data(), (unsigned int)all.size());
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ("owed", out[0].text);
}

} // namespace
