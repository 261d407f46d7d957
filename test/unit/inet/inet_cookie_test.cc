// SPDX-License-Identifier: BSD-3-Clause

// Floods of SYNs: the backlog, SYN cookies (RFC 4987 section 3.6), and who pays.

#include <map>

#include <leat_tcp_cookie.h>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

constexpr uint64_t kPeriod = LEAT_TCP_COOKIE_PERIOD_US;

class InetCookie : public InetLab
{
      protected:
	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	uint32_t Backlog() const
	{
		return conf_.nb_conns_max / LEAT_INET_HALF_OPEN_SHARE;
	}

	static Tcp Syn(uint16_t sport = kPeerPort)
	{
		Tcp syn = { LEAT_TCP_SYN };

		syn.seq = 1000;
		syn.mss = 1460;
		syn.sport = sport;
		syn.has_ts = true;
		syn.ts_val = 777;
		syn.has_sack_ok = true;
		syn.wscale = 7;
		return syn;
	}

	// As many SYNs as the backlog takes, never answered.
	void FillBacklog()
	{
		for (uint32_t i = 0; i < Backlog(); i++) {
			Input({ Syn((uint16_t)(1 + i)).Build() });
			(void)Output();
		}
		ASSERT_EQ(Backlog(), leat_inet_nb_conns(inet_));
		ASSERT_EQ(0u, Stats().tcp_cookies_sent);
	}

	// The only segment that is sent now.
	SeenTcp OneAnswer()
	{
		std::vector<SeenTcp> out = OutputTcp();

		EXPECT_EQ(1u, out.size());
		return out.empty() ? SeenTcp{} : out[0];
	}

	// The ACK with which the peer takes a SYN-ACK.
	static Tcp AckOf(const SeenTcp &answer, const std::string &text = "")
	{
		Tcp ack;

		ack.seq = answer.seg.ack;
		ack.ack = answer.seg.seq + 1;
		ack.sport = answer.ports.dst;
		ack.has_ts = answer.seg.opts.has_ts;
		ack.ts_val = 778;
		ack.ts_ecr = answer.seg.opts.ts_val;
		ack.text = text;
		return ack;
	}

	// A connection of this SYN that we have closed first.
	void EnterTimeWait(const Tcp &syn)
	{
		Input({ syn.Build() });
		Tcp ack = AckOf(OneAnswer());
		Input({ ack.Build() });
		std::vector<leat_inet_event> events = Events();
		ASSERT_EQ(1u, events.size());
		leat_inet_shutdown(inet_, events[0].conn);
		(void)Output();
		ack.ack++;
		ack.flags = LEAT_TCP_FIN | LEAT_TCP_ACK;
		Input({ ack.Build() });
		(void)Output();
		(void)Events();
		ASSERT_EQ(1u, leat_inet_nb_time_waits(inet_));
		ASSERT_EQ(0u, leat_inet_nb_conns(inet_));
	}

	SeenTcp Cookie(uint16_t sport = kPeerPort)
	{
		uint64_t before = Stats().tcp_cookies_sent;

		Input({ Syn(sport).Build() });
		EXPECT_EQ(before + 1, Stats().tcp_cookies_sent);
		return OneAnswer();
	}
};

TEST_F(InetCookie, FullBacklogIsAnsweredByCookiesAndKeepsNothing)
{
	OpenListening();
	FillBacklog();
	for (uint16_t i = 0; i < 1000; i++) {
		SeenTcp answer = Cookie((uint16_t)(1000 + i));

		EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, answer.seg.flags);
		EXPECT_EQ(1001u, answer.seg.ack);
		EXPECT_TRUE(answer.seg.opts.has_ts);
		EXPECT_TRUE(answer.seg.opts.has_wscale);
		EXPECT_TRUE(answer.seg.opts.has_sack_ok);
	}
	EXPECT_EQ(Backlog(), leat_inet_nb_conns(inet_));
	EXPECT_EQ(0u, Stats().tcp_half_open_evicted);
	EXPECT_EQ(1000u, Stats().tcp_cookies_sent);
}

// "Every retransmitted SYN allocates a new connection: a flood is out of memory."
TEST_F(InetCookie, RetransmittedSynGetsTheSameAnswerAndNoConnection)
{
	OpenListening();
	FillBacklog();
	SeenTcp first = Cookie();

	for (int i = 0; i < 5; i++)
		EXPECT_EQ(first.seg.seq, Cookie().seg.seq);
	EXPECT_EQ(Backlog(), leat_inet_nb_conns(inet_));
	Input({ Syn(1).Build() }); // one that has a slot: it is answered from there
	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, OneAnswer().seg.flags);
	EXPECT_EQ(6u, Stats().tcp_cookies_sent);
	EXPECT_EQ(Backlog(), leat_inet_nb_conns(inet_));
}

TEST_F(InetCookie, ItsAckOpensAConnectionAndTheTextOnItArrives)
{
	OpenListening();
	FillBacklog();
	SeenTcp answer = Cookie();

	Input({ AckOf(answer, "PING\r\n").Build() });
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(2u, events.size());
	EXPECT_EQ(LEAT_INET_OPEN, events[0].type);
	EXPECT_EQ(&listener_, leat_inet_conn_listener(events[0].conn));
	EXPECT_EQ(LEAT_INET_DATA, events[1].type);
	EXPECT_EQ(6u, events[1].mbuf->pkt_len);
	rte_pktmbuf_free(events[1].mbuf);
	leat_inet_consumed(inet_, events[0].conn, 6);
	ASSERT_EQ(0, leat_inet_send(inet_, events[0].conn, Text("+PONG\r\n")));
	SeenTcp reply = OneAnswer();
	EXPECT_EQ("+PONG\r\n", reply.text);
	EXPECT_EQ(answer.seg.seq + 1, reply.seg.seq);
	EXPECT_EQ(1007u, reply.seg.ack);
	EXPECT_EQ(1u, Stats().tcp_cookies_accepted);
	EXPECT_EQ(Backlog() + 1, leat_inet_nb_conns(inet_));
}

TEST_F(InetCookie, GoodOnesOpenAllSlotsThenThereIsSilence)
{
	OpenListening();
	FillBacklog();
	for (uint32_t i = 0; i < conf_.nb_conns_max; i++) {
		Input({ AckOf(Cookie((uint16_t)(1000 + i))).Build() });
		ASSERT_EQ(1u, Events().size()) << i;
	}
	EXPECT_EQ(Backlog(), Stats().tcp_half_open_evicted)
		<< "who has answered goes before who has not";
	EXPECT_EQ(conf_.nb_conns_max, leat_inet_nb_conns(inet_));
	Input({ Syn(5000).Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tcp_conns_full);
}

// The peer's text comes again; a RST would end what may yet be.
TEST_F(InetCookie, GoodOneWithoutAFreeSlotIsNotAnswered)
{
	OpenListening();
	FillBacklog();
	SeenTcp late = Cookie(999);

	for (uint32_t i = 0; i < conf_.nb_conns_max; i++) {
		Input({ AckOf(Cookie((uint16_t)(1000 + i))).Build() });
		ASSERT_EQ(1u, Events().size()) << i;
	}
	Input({ AckOf(late, "text").Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tcp_conns_full);
	EXPECT_EQ(0u, Stats().tx_rst);
}

TEST_F(InetCookie, NoneWasSentSoAnAckIsReset)
{
	OpenListening();
	Input({ FromPeer(LEAT_TCP_ACK, "text").Build() });
	EXPECT_EQ(LEAT_TCP_RST, OneAnswer().seg.flags);
	EXPECT_EQ(0u, Stats().tcp_cookies_refused);
}

TEST_F(InetCookie, LongAfterTheLastOneAnAckIsReset)
{
	OpenListening();
	FillBacklog();
	SeenTcp answer = Cookie();

	now_us_ += 2 * kPeriod;
	Input({ AckOf(answer, "text").Build() });
	EXPECT_EQ(LEAT_TCP_RST, OneAnswer().seg.flags);
	EXPECT_EQ(0u, Stats().tcp_cookies_refused) << "not even looked at";
}

// RFC 9293 section 3.10.7.2, second.
TEST_F(InetCookie, BadOneIsReset)
{
	OpenListening();
	FillBacklog();
	Tcp bad = AckOf(Cookie());

	bad.ack ^= 0x100;
	Input({ bad.Build() });
	SeenTcp rst = OneAnswer();
	EXPECT_EQ(LEAT_TCP_RST, rst.seg.flags);
	EXPECT_EQ(bad.ack, rst.seg.seq);
	EXPECT_EQ(1u, Stats().tcp_cookies_refused);
	EXPECT_EQ(Backlog(), leat_inet_nb_conns(inet_));
}

// It may have overtaken the ACK with the cookie, which opens the connection when it comes.
TEST_F(InetCookie, TextThatCameAheadOfItsAckIsNotReset)
{
	OpenListening();
	FillBacklog();
	Tcp ack = AckOf(Cookie());
	Tcp second = ack;

	second.seq += 100;
	second.text = "second";
	Input({ second.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tcp_cookies_refused);
	Input({ ack.Build() });
	EXPECT_EQ(1u, Events().size());
}

// Else what the connection was told would be done once more.
TEST_F(InetCookie, LateCopyOfTheAckOpensNoSecondConnection)
{
	OpenListening();
	FillBacklog();
	Tcp ack = AckOf(Cookie(), "INCR x\r\n");

	Input({ ack.Build() });
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(2u, events.size());
	rte_pktmbuf_free(events[1].mbuf);
	Input({ ack.Build() }); // a copy while it lives: old text
	EXPECT_TRUE(Events().empty());
	leat_inet_abort(inet_, events[0].conn);
	ASSERT_EQ(1u, Events().size());
	(void)Output();
	Input({ ack.Build() });
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(LEAT_TCP_RST, OneAnswer().seg.flags);
	EXPECT_EQ(1u, Stats().tcp_cookies_accepted);
}

// A cookie has 28 bits of a hash: of some ten thousand peers two have the same one.
TEST_F(InetCookie, PeersWithTheSameNumberBothGetIn)
{
	constexpr uint32_t kTriesMax = 200000;
	std::map<uint32_t, Tcp> acks;
	Tcp first, second;

	conf_.cookies = LEAT_INET_COOKIES_ALWAYS;
	OpenListening();
	for (uint32_t i = 0; second.ack == 0; i++) {
		ASSERT_LT(i, kTriesMax) << "no two are the same";
		SeenTcp answer = Cookie((uint16_t)(1 + i % 60000));
		auto [found, is_new] = acks.emplace(answer.seg.seq, AckOf(answer));

		if (!is_new && found->second.sport != answer.ports.dst) {
			first = found->second;
			second = AckOf(answer);
		}
	}
	Input({ first.Build() });
	EXPECT_EQ(1u, Events().size());
	Input({ second.Build() });
	EXPECT_EQ(1u, Events().size());
	EXPECT_TRUE(Output().empty()) << "no reset";
	EXPECT_EQ(2u, Stats().tcp_cookies_accepted);
	EXPECT_EQ(0u, Stats().tcp_cookies_refused);
}

TEST_F(InetCookie, ThereAreNoneForAClosedPort)
{
	OpenListening();
	FillBacklog();
	Tcp syn = Syn();

	(void)Cookie();
	syn.dport = kPort + 1;
	Input({ syn.Build() });
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, OneAnswer().seg.flags);
}

TEST_F(InetCookie, AlwaysAndNever)
{
	conf_.cookies = LEAT_INET_COOKIES_ALWAYS;
	OpenListening();
	SeenTcp answer = Cookie();
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	Input({ AckOf(answer).Build() });
	EXPECT_EQ(1u, Events().size());
	Close();

	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	OpenListening();
	for (uint16_t i = 0; i < 1000; i++) {
		Input({ Syn((uint16_t)(1000 + i)).Build() });
		(void)Output();
	}
	EXPECT_EQ(0u, Stats().tcp_cookies_sent);
	EXPECT_EQ(1000 - Backlog(), Stats().tcp_half_open_evicted);
	EXPECT_EQ(Backlog(), leat_inet_nb_conns(inet_));
}

// A whole burst of them: none is lost, and there is room for what others need.
TEST_F(InetCookie, BurstIsAnsweredWhole)
{
	OpenListening();
	FillBacklog();
	std::vector<Frame> burst;

	for (uint16_t i = 0; i < LEAT_INET_BURST_MAX; i++)
		burst.push_back(Syn((uint16_t)(1000 + i)).Build());
	Input(burst);
	EXPECT_EQ(LEAT_INET_BURST_MAX, OutputTcp().size());
	EXPECT_EQ(0u, Stats().tx_ctl_full);
}

// A port that takes no frames for a while.
TEST_F(InetCookie, TakeAtMostHalfOfTheControlFrames)
{
	OpenListening();
	FillBacklog();
	for (uint16_t i = 0; i < LEAT_INET_CTL_MAX; i++)
		Input({ Syn((uint16_t)(1000 + i)).Build() });
	EXPECT_EQ(LEAT_INET_CTL_MAX / 2, Stats().tcp_cookies_sent);
	EXPECT_EQ(LEAT_INET_CTL_MAX / 2, Stats().tx_ctl_full);
	EXPECT_EQ(LEAT_INET_CTL_MAX / 2, OutputTcp().size());
}

// Forged addresses of the link: nobody is asked for, the answer goes back where it came from.
TEST_F(InetCookie, UnknownNeighbourIsAnsweredAtTheMacAddressOfItsFrame)
{
	OpenListening();
	FillBacklog();
	for (uint32_t i = 0; i < 200; i++) {
		Tcp syn = Syn();

		syn.ip.src = kThirdAddr + i;
		syn.ip.eth_src = kThirdMac;
		Input({ syn.Build() });
		SeenTcp answer = OneAnswer(); // and no ARP request
		EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, answer.eth.dst));
		EXPECT_EQ(syn.ip.src, answer.ip.dst);
	}
	EXPECT_EQ(0u, Stats().nbr_full);
	EXPECT_EQ(0u, Stats().nbr_evicted);
	Tcp syn = Syn(); // of a neighbour that is known: the frame's address is not believed
	syn.ip.eth_src = kThirdMac;
	Input({ syn.Build() });
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, OneAnswer().eth.dst));
}

TEST_F(InetCookie, UnknownNeighboursTakeAShareOfTheNeighboursOnly)
{
	conf_.nb_conns_max = 1024;
	conf_.nb_neighbours_max = 16;
	OpenListening();
	for (uint32_t i = 0; i < 200; i++) {
		Tcp syn = Syn();

		syn.ip.src = kThirdAddr + i;
		syn.ip.eth_src = kThirdMac;
		Input({ syn.Build() });
		(void)Output();
	}
	uint32_t share = conf_.nb_neighbours_max / LEAT_INET_HALF_OPEN_SHARE;
	EXPECT_EQ(share, leat_inet_nb_conns(inet_));
	EXPECT_EQ(200 - share, Stats().tcp_cookies_sent);
	EXPECT_EQ(0u, Stats().nbr_full);
	Input({ Syn().Build() }); // a known one has the whole backlog
	EXPECT_EQ(share + 1, leat_inet_nb_conns(inet_));
	(void)Output();
}

TEST_F(InetCookie, ResetOfAClosedPortAsksForNoNeighbour)
{
	Open();
	Meet();
	for (uint32_t i = 0; i < 200; i++) {
		Tcp syn = Syn();

		syn.ip.src = kThirdAddr + i;
		syn.ip.eth_src = kThirdMac;
		Input({ syn.Build() });
		SeenTcp answer = OneAnswer();
		EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, answer.seg.flags);
		EXPECT_TRUE(leat_eth_addr_is_equal(kThirdMac, answer.eth.dst));
	}
	EXPECT_EQ(0u, Stats().nbr_full);
}

// RFC 6191: with timestamps nothing of the old connection is taken for the new one's.
TEST_F(InetCookie, ReplacesATimeWaitWhereTimestampsTellThemApart)
{
	OpenListening();
	Tcp syn = Syn();
	EnterTimeWait(syn);
	FillBacklog();
	syn.seq += 100000;
	syn.ts_val += 10;
	Input({ syn.Build() });
	EXPECT_EQ(1u, Stats().tcp_cookies_sent);
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
	Input({ AckOf(OneAnswer()).Build() });
	EXPECT_EQ(1u, Events().size());
}

// RFC 6191; a cookie's number could be below those of the old connection, RFC 9293 section 3.6.1.
TEST_F(InetCookie, TimeWaitWithoutTimestampsGivesWayToASlotAndNotToACookie)
{
	for (leat_inet_cookies cookies : { LEAT_INET_COOKIES_AUTO, LEAT_INET_COOKIES_ALWAYS }) {
		conf_.cookies = cookies;
		OpenListening();
		Tcp syn = Syn();
		syn.has_ts = false;
		EnterTimeWait(syn);
		uint64_t nb_cookies = Stats().tcp_cookies_sent;
		if (cookies == LEAT_INET_COOKIES_AUTO)
			FillBacklog();
		syn.seq += 100000;
		Input({ syn.Build() });
		EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, OneAnswer().seg.flags);
		EXPECT_EQ(nb_cookies, Stats().tcp_cookies_sent);
		EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
		EXPECT_EQ(1u, Stats().time_wait_reopened);
		EXPECT_EQ(cookies == LEAT_INET_COOKIES_AUTO ? Backlog() : 1u,
			leat_inet_nb_conns(inet_))
			<< "the oldest half-open one has made room";
		Close();
	}
}

// RFC 9293 section 3.10.7.4: what cannot be opened anew gets the ACK of any SYN out of place.
TEST_F(InetCookie, TimeWaitAcknowledgesASynForWhichThereIsNoSlot)
{
	conf_.nb_conns_max = 1;
	OpenListening();
	Tcp syn = Syn();
	syn.has_ts = false;
	EnterTimeWait(syn);
	ASSERT_NE(nullptr, Accept(kPeerPort + 1));
	syn.seq += 100000;
	Input({ syn.Build() });
	SeenTcp answer = OneAnswer();
	EXPECT_EQ(LEAT_TCP_ACK, answer.seg.flags);
	EXPECT_EQ(1002u, answer.seg.ack) << "of the old connection";
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(1u, Stats().tcp_conns_full);
}

} // namespace
