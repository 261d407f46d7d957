// SPDX-License-Identifier: BSD-3-Clause

// The life of a connection as its user sees it: events, limits, TIME-WAIT, ends.

#include <set>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetConn : public InetLab
{
      protected:
	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// Connect to the peer, who accepts; its numbers are then in peer_.
	leat_inet_conn *Connect()
	{
		leat_inet_conn *conn = nullptr;

		EXPECT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
		std::vector<SeenTcp> out = OutputTcp();
		EXPECT_EQ(1u, out.size());
		Tcp syn_ack = { LEAT_TCP_SYN | LEAT_TCP_ACK };
		syn_ack.seq = 5000;
		syn_ack.ack = out[0].seg.seq + 1;
		syn_ack.sport = kPort;
		syn_ack.dport = out[0].ports.src;
		Input({ syn_ack.Build() });
		(void)Output();
		return conn;
	}

	std::vector<int> Types(uint16_t nb = 32)
	{
		std::vector<int> types;

		for (const leat_inet_event &event : Events(nb)) {
			types.push_back(event.type);
			rte_pktmbuf_free(event.mbuf);
		}
		return types;
	}

	// The peer ends it first, then we: our side reaches TIME-WAIT when we close first.
	void CloseIntoTimeWait(leat_inet_conn *conn)
	{
		leat_inet_shutdown(inet_, conn);
		std::vector<SeenTcp> out = OutputTcp();
		ASSERT_EQ(1u, out.size());
		ASSERT_TRUE(out[0].seg.flags & LEAT_TCP_FIN);
		peer_ack_++;
		Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
		EXPECT_EQ(1u, OutputTcp().size()) << "the last ACK";
		EXPECT_EQ((std::vector<int>{ LEAT_INET_EOF, LEAT_INET_CLOSED }), Types());
	}
};

TEST_F(InetConn, EventsComeInTheirOrderAndNoneIsLostInASmallArray)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	std::vector<int> seen;

	Input({ syn.Build() });
	peer_seq_ = 1;
	peer_ack_ = OutputTcp()[0].seg.seq + 1;
	Input({ FromPeer(LEAT_TCP_ACK, "text").Build(),
		FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build(),
		FromPeer(LEAT_TCP_RST | LEAT_TCP_ACK).Build() });
	EXPECT_TRUE(Types(0).empty());
	for (int i = 0; i < 8; i++) {
		for (int type : Types(1))
			seen.push_back(type);
	}
	EXPECT_EQ((std::vector<int>{
			  LEAT_INET_OPEN, LEAT_INET_DATA, LEAT_INET_EOF, LEAT_INET_CLOSED }),
		seen);
	(void)Output(); // an ACK was owed, too late
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, PrivateBytesAreZeroAtOpenAndFoundBothWays)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	uint8_t *priv = (uint8_t *)leat_inet_conn_priv(conn);

	EXPECT_EQ(0u, (uintptr_t)priv % 16);
	EXPECT_EQ(conn, leat_inet_conn_of_priv(inet_, priv));
	for (uint16_t i = 0; i < conf_.conn_priv_len; i++) {
		EXPECT_EQ(0, priv[i]);
		priv[i] = 0xaa;
	}
	Input({ FromPeer(LEAT_TCP_RST).Build() });
	ASSERT_EQ(1u, Events().size());
	for (uint32_t i = 0; i < conf_.nb_conns_max; i++) { // each slot comes around
		conn = Accept((uint16_t)(2000 + i));
		ASSERT_NE(nullptr, conn);
		priv = (uint8_t *)leat_inet_conn_priv(conn);
		for (uint16_t j = 0; j < conf_.conn_priv_len; j++)
			ASSERT_EQ(0, priv[j]);
	}
}

TEST_F(InetConn, HandshakeThatFailsIsNeverHeardOf)
{
	OpenListening();
	Tcp rst = { LEAT_TCP_RST };

	Input({ Tcp{ LEAT_TCP_SYN }.Build() });
	EXPECT_EQ(1u, leat_inet_nb_conns(inet_));
	(void)Output();
	rst.seq = 1;
	Input({ rst.Build() });
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, HalfOpenConnectionsTakeOnlyTheirShare)
{
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	OpenListening();
	uint32_t share = conf_.nb_conns_max / LEAT_INET_HALF_OPEN_SHARE;

	for (uint32_t i = 0; i <= share; i++) {
		Tcp syn = { LEAT_TCP_SYN };

		syn.sport = (uint16_t)(1 + i);
		Input({ syn.Build() });
	}
	EXPECT_EQ(1u, Stats().tcp_half_open_evicted);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(share, out.size()) << "the oldest ends without a word";
	EXPECT_EQ(2, out.front().ports.dst);
	EXPECT_EQ(1 + share, out.back().ports.dst);
	EXPECT_EQ(share, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, FloodOfSynsThatNobodyCompletesDoesNotKeepOthersOut)
{
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	OpenListening();
	for (uint32_t i = 0; i < 3 * conf_.nb_conns_max; i++) {
		Tcp syn = { LEAT_TCP_SYN };

		syn.sport = (uint16_t)(1 + i);
		Input({ syn.Build() });
		(void)Output();
	}
	ASSERT_NE(nullptr, Accept());
}

TEST_F(InetConn, HalfOpenConnectionGivesWayWhereTheTableIsFull)
{
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	syn.sport = 1;
	Input({ syn.Build() });
	(void)Output();
	for (uint32_t i = 1; i < conf_.nb_conns_max; i++)
		ASSERT_NE(nullptr, Accept((uint16_t)(1000 + i)));
	ASSERT_NE(nullptr, Accept()) << "its slot is free at once";
	EXPECT_EQ(1u, Stats().tcp_half_open_evicted);
	EXPECT_EQ(conf_.nb_conns_max, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, FullTableIsCountedAndTheSynNotAnswered)
{
	OpenListening();
	for (uint32_t i = 0; i < conf_.nb_conns_max; i++)
		ASSERT_NE(nullptr, Accept((uint16_t)(1000 + i)));
	Input({ Tcp{ LEAT_TCP_SYN }.Build() });
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tcp_conns_full);
	leat_inet_conn *conn;
	EXPECT_EQ(-ENOBUFS, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
	EXPECT_EQ(2u, Stats().tcp_conns_full);
}

TEST_F(InetConn, UnansweredHandshakeGivesItsSlotBack)
{
	OpenListening();
	Input({ Tcp{ LEAT_TCP_SYN }.Build() });
	(void)Output();
	for (int i = 0; i < 600; i++) {
		Wait(kSecondUs);
		(void)Output();
	}
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(UINT64_MAX, leat_inet_deadline(inet_));
}

TEST_F(InetConn, ActiveOpenThenTextBothWays)
{
	Open();
	Meet();
	leat_inet_conn *conn = Connect();

	EXPECT_EQ((std::vector<int>{ LEAT_INET_OPEN }), Types());
	EXPECT_EQ(nullptr, leat_inet_conn_listener(conn));
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("hello")));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ("hello", out[0].text);
	EXPECT_GE(out[0].ports.src, LEAT_INET_PORT_MIN);
	EXPECT_LE(out[0].ports.src, LEAT_INET_PORT_MAX);
}

TEST_F(InetConn, RefusedConnectEndsWithItsError)
{
	Open();
	Meet();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	Tcp rst = { LEAT_TCP_RST | LEAT_TCP_ACK };
	rst.ack = out[0].seg.seq + 1;
	rst.sport = kPort;
	rst.dport = out[0].ports.src;
	Input({ rst.Build() });
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-ECONNREFUSED, events[0].error);
	EXPECT_EQ(conn, events[0].conn);
}

TEST_F(InetConn, ConnectToANeighbourThatDoesNotAnswerEndsUnreachable)
{
	Open();
	(void)Output();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr), kPort, now_us_, &conn));
	for (uint32_t i = 0; i < LEAT_INET_ARP_TRIES_MAX; i++) {
		(void)Output();
		EXPECT_TRUE(Events().empty());
		Wait(LEAT_INET_ARP_RETRY_US);
	}
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-EHOSTUNREACH, events[0].error);
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

// RFC 1122 section 2.3.2.1 counts questions; what found no mbuf was none.
TEST_F(InetConn, NeighbourThatWasNotAskedForWantOfMbufsIsNotGivenUp)
{
	Open();
	(void)Output();
	leat_inet_conn *conn;
	std::vector<rte_mbuf *> all;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
	ASSERT_EQ(1u, Output().size()); // the first question
	while (rte_mbuf *mbuf = rte_pktmbuf_alloc(pool_))
		all.push_back(mbuf);
	for (uint32_t i = 0; i <= LEAT_INET_ARP_TRIES_MAX; i++) {
		Wait(LEAT_INET_ARP_RETRY_US);
		EXPECT_TRUE(Output().empty());
		EXPECT_TRUE(Events().empty());
	}
	rte_pktmbuf_free_bulk(all.data(), (unsigned int)all.size());
	for (uint32_t i = 1; i < LEAT_INET_ARP_TRIES_MAX; i++) {
		Wait(LEAT_INET_ARP_RETRY_US);
		EXPECT_FALSE(Output().empty());
		EXPECT_TRUE(Events().empty());
	}
	Wait(LEAT_INET_ARP_RETRY_US);
	EXPECT_EQ(1u, Events().size());
}

TEST_F(InetConn, SynWaitsForTheNeighbour)
{
	Open();
	(void)Output();
	leat_inet_conn *conn;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
	ASSERT_EQ(1u, Output().size()); // the request
	Input({ BuildArp(LEAT_ARP_OP_REPLY, kPeerMac, kPeerAddr, kOurMac, kOurAddr, kOurMac) });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_SYN, out[0].seg.flags);
	EXPECT_TRUE(leat_eth_addr_is_equal(kPeerMac, out[0].eth.dst));
}

TEST_F(InetConn, AddressesThatNobodyCanHaveAreUnreachable)
{
	Open();
	leat_inet_conn *conn;

	for (uint32_t addr : { 0u, kOurAddr, 0x0a4d00ffu, 0x7f000001u, kFarAddr })
		EXPECT_EQ(-ENETUNREACH, leat_inet_connect(inet_, V4(addr), 1, now_us_, &conn))
			<< addr;
	EXPECT_EQ(-EADDRNOTAVAIL, leat_inet_connect(inet_, V4(kPeerAddr), 0, now_us_, &conn));
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, EphemeralPortsAreAllUsedBeforeThereIsNone)
{
	const uint32_t nb_ports = LEAT_INET_PORT_MAX - LEAT_INET_PORT_MIN + 1;
	std::set<uint16_t> ports;
	leat_inet_conn *conn;

	conf_.nb_conns_max = nb_ports + 2;
	Open();
	Meet();
	for (uint32_t i = 0; i < nb_ports; i++) {
		leat_ip_addr addr;
		uint16_t port, rport;

		ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn)) << i;
		leat_inet_conn_ends(conn, &addr, &port, &addr, &rport);
		EXPECT_GE(port, LEAT_INET_PORT_MIN);
		EXPECT_LE(port, LEAT_INET_PORT_MAX);
		ports.insert(port);
	}
	EXPECT_EQ(nb_ports, ports.size());
	EXPECT_EQ(-EADDRNOTAVAIL, leat_inet_connect(inet_, V4(kPeerAddr), kPort, now_us_, &conn));
	EXPECT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), kPort + 1, now_us_, &conn));
}

TEST_F(InetConn, TimeWaitCostsNoSlotAndEndsInTime)
{
	OpenListening();
	CloseIntoTimeWait(Accept());
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(now_us_ + conf_.tcp.time_wait_us, leat_inet_deadline(inet_));
	Wait(conf_.tcp.time_wait_us - 1);
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	Wait(1);
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(UINT64_MAX, leat_inet_deadline(inet_));
}

// RFC 9293 section 3.10.7.4: acknowledge the FIN again and restart the 2 MSL time-out.
TEST_F(InetConn, FinAgainInTimeWaitIsAcknowledgedAgain)
{
	OpenListening();
	CloseIntoTimeWait(Accept());
	Wait(kSecondUs);
	Tcp fin = FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK);
	peer_seq_--; // it is the same one
	fin.seq = peer_seq_ - 1;
	Input({ fin.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(peer_seq_, out[0].seg.ack);
	EXPECT_EQ(peer_ack_, out[0].seg.seq);
	EXPECT_EQ(now_us_ + conf_.tcp.time_wait_us, leat_inet_deadline(inet_));
}

// RFC 1337 section 3, fix (a).
TEST_F(InetConn, ResetInTimeWaitIsIgnored)
{
	OpenListening();
	CloseIntoTimeWait(Accept());
	Input({ FromPeer(LEAT_TCP_RST).Build() });
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(1u, Stats().time_wait_rst_ignored);
	EXPECT_TRUE(Output().empty());
}

// RFC 6191; RFC 9293 section 3.6.1: and our numbers start above the old ones.
TEST_F(InetConn, HigherSynReplacesTimeWait)
{
	OpenListening();
	CloseIntoTimeWait(Accept());
	Tcp syn = FromPeer(LEAT_TCP_SYN);

	syn.seq = peer_seq_ + 1000;
	Input({ syn.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(syn.seq + 1, out[0].seg.ack);
	EXPECT_GT((int32_t)(out[0].seg.seq - peer_ack_), 0);
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(1u, Stats().time_wait_reopened);
	EXPECT_EQ(1u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, SynInTimeWaitIsNotTakenWithoutAListener)
{
	OpenListening();
	CloseIntoTimeWait(Accept());
	Tcp syn = FromPeer(LEAT_TCP_SYN);

	ASSERT_EQ(0, leat_inet_unlisten(inet_, V4(0), kPort));
	syn.seq = peer_seq_ + 1000;
	Input({ syn.Build() });
	EXPECT_EQ(1u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size()) << "as any SYN out of place, RFC 9293 section 3.10.7.4";
	EXPECT_EQ(LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(peer_ack_, out[0].seg.seq);
}

TEST_F(InetConn, FullTimeWaitTableLetsTheOldestLeave)
{
	OpenListening();
	for (uint32_t i = 0; i <= conf_.nb_time_waits_max; i++)
		CloseIntoTimeWait(Accept((uint16_t)(1000 + i)));
	EXPECT_EQ(conf_.nb_time_waits_max, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(1u, Stats().time_wait_evicted);
	Tcp ack = { LEAT_TCP_ACK };
	ack.sport = 1000;
	Input({ ack.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_RST, out[0].seg.flags) << "nothing is known of it";
}

TEST_F(InetConn, WithoutTimeWaitTableConnectionsEndAtOnce)
{
	conf_.nb_time_waits_max = 0;
	OpenListening();
	CloseIntoTimeWait(Accept());
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
	EXPECT_EQ(0u, Stats().time_wait_added);
	EXPECT_EQ(0u, Stats().time_wait_evicted) << "there was nobody to leave early";
}

TEST_F(InetConn, AbortSendsARstAndEndsWithItsError)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	leat_inet_abort(inet_, conn);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_TRUE(out[0].seg.flags & LEAT_TCP_RST);
	EXPECT_EQ(peer_ack_, out[0].seg.seq);
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-ECONNABORTED, events[0].error);
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, SlotOfAClosedConnectionWaitsUntilItsEventWasLookedAt)
{
	conf_.nb_conns_max = 1;
	OpenListening();
	(void)Accept();
	Input({ FromPeer(LEAT_TCP_RST).Build() });
	leat_inet_conn *conn;
	ASSERT_EQ(1u, Events().size());
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(-ENOBUFS, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
	leat_inet_timers(inet_, now_us_); // the next turn
	EXPECT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
}

TEST_F(InetConn, WhatIsDoneBeforeClosedWasLookedAtDoesNothing)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	Input({ FromPeer(LEAT_TCP_ACK, "text").Build(), FromPeer(LEAT_TCP_RST).Build() });
	ASSERT_EQ((std::vector<int>{ LEAT_INET_DATA, LEAT_INET_CLOSED }), Types());

	rte_mbuf *text = Text("late");
	EXPECT_EQ(-EPIPE, leat_inet_send(inet_, conn, text));
	rte_pktmbuf_free(text);
	leat_inet_consumed(inet_, conn, 4);
	leat_inet_shutdown(inet_, conn);
	leat_inet_abort(inet_, conn);
	EXPECT_TRUE(Output().empty());
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

TEST_F(InetConn, HalfClosedPeerStillGetsItsReply)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
	EXPECT_EQ((std::vector<int>{ LEAT_INET_EOF }), Types());
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("late")));
	leat_inet_shutdown(inet_, conn);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ("late", out[0].text);
	EXPECT_TRUE(out[0].seg.flags & LEAT_TCP_FIN);
	peer_ack_ += 5;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ((std::vector<int>{ LEAT_INET_CLOSED }), Types());
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
	EXPECT_EQ(0u, leat_inet_nb_time_waits(inet_));
}

TEST_F(InetConn, CloseOfTheStackFreesWhatIsUnderWay)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	leat_inet_conn *other;

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("unsent")));
	Input({ FromPeer(LEAT_TCP_ACK, "untaken").Build(), BuildEcho(1, "unanswered") });
	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr), kPort, now_us_, &other));
	rte_mbuf *frame;
	while (leat_inet_output(inet_, now_us_, &frame, 1) == 1 &&
		leat_inet_stats(inet_)->tx_arp_requests < 2)
		rte_pktmbuf_free(frame);
	rte_pktmbuf_free(frame);
	Close(); // TearDown() counts the mbufs
}

TEST_F(InetConn, OpenRefusesWhatCannotBe)
{
	const leat_inet_conf good = conf_;
	auto refused = [&](int want) {
		leat_error error = {};

		EXPECT_EQ(want, leat_inet_open(&conf_, &inet_, &error));
		EXPECT_NE(std::string(), error.text);
		EXPECT_EQ(nullptr, inet_);
		conf_ = good;
	};

	conf_.name = "seventeen bytes..";
	refused(-EINVAL);
	conf_.name = "";
	refused(-EINVAL);
	conf_.mac[0] = 1;
	refused(-EINVAL);
	conf_.mtu = LEAT_INET_MTU_MIN - 1;
	refused(-EINVAL);
	conf_.mtu = LEAT_INET_MTU_MAX + 1;
	refused(-EINVAL);
	conf_.mtu = 1499; // the MSS is 1460
	refused(-EINVAL);
	conf_.mtu = 2176 - RTE_PKTMBUF_HEADROOM - 18 + 1;
	refused(-EINVAL);
	conf_.vlan_id = LEAT_ETH_VLAN_ID_MAX + 1;
	refused(-EINVAL);
	conf_.nb_addrs = 0;
	refused(-EINVAL);
	conf_.nb_addrs = LEAT_INET_ADDRS_MAX + 1;
	refused(-EINVAL);
	conf_.addrs[0].addr = V4(0x7f000001);
	refused(-EINVAL);
	conf_.addrs[0].prefix_len = 33;
	refused(-EINVAL);
	conf_.gateway = V4(LEAT_IPV4_BROADCAST);
	refused(-EINVAL);
	conf_.nb_conns_max = 0;
	refused(-EINVAL);
	conf_.nb_conns_max = LEAT_INET_CONNS_MAX + 1;
	refused(-EINVAL);
	conf_.nb_neighbours_max = 0;
	refused(-EINVAL);
	conf_.conn_priv_len = LEAT_INET_PRIV_LEN_MAX + 1;
	refused(-EINVAL);
	conf_.nb_conns_max = LEAT_INET_CONNS_MAX; // more than the test's memory
	refused(-ENOMEM);
	Open();
}

// What is over must be known at the start: a million of them are a million times as much.
TEST_F(InetConn, AnIdleConnectionTakesAtMost512BytesItsFlowIncluded)
{
	constexpr size_t kTcbLen = 288; // the engine's share of them

	for (uint32_t nb : { 4096u, 65536u, 1u << 20, LEAT_INET_CONNS_MAX }) {
		conf_.nb_conns_max = nb;
		conf_.nb_time_waits_max = nb;
		size_t rest = leat_inet_conn_len(&conf_) - sizeof(leat_tcb);
		EXPECT_LE(rest, 512 - kTcbLen) << nb;
		EXPECT_LE(leat_inet_time_wait_len(&conf_), 128u) << nb;
		EXPECT_GE(leat_inet_mem_len(&conf_),
			nb * (leat_inet_conn_len(&conf_) + leat_inet_time_wait_len(&conf_)));
	}
}

} // namespace
