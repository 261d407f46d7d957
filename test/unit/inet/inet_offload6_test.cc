// SPDX-License-Identifier: BSD-3-Clause

// Each family tries what the port promises for itself.

#include "inet_lab6.h"

namespace
{

using namespace inet_lab;

class InetOffload6 : public InetLab6
{
      protected:
	void OpenListening()
	{
		conf_.trust_offloads = false;
		Open();
		ASSERT_EQ(0, leat_inet_listen(inet_, V6("::"), kPort, &listener_));
		Meet6();
	}

	void PromiseAll()
	{
		conf_.offloads.tx_tcp_cksum = true;
		conf_.offloads.tx_ip_cksum = true;
		conf_.offloads.tx_multi_seg = true;
		conf_.offloads.tx_tso = true;
	}

	void ForgetIpv4()
	{
		conf_.nb_addrs = 1;
		conf_.addrs[0] = { V6("fd77::1"), 64 };
	}

	leat_inet_conn *Accept6()
	{
		Tcp syn = { LEAT_TCP_SYN };

		syn.seq = 1000;
		syn.mss = 1440;
		Input({ BuildTcp6(syn) });
		peer_seq_ = 1001;
		peer_ack_ = OutputTcp6().seg.seq + 1;
		Ack();
		std::vector<leat_inet_event> events = Events();
		EXPECT_EQ(1u, events.size());
		return events.at(0).conn;
	}

	void Ack()
	{
		Input({ BuildTcp6(FromPeer(LEAT_TCP_ACK)) });
	}

	// Flags of the first frame that leaves.
	uint64_t Leave()
	{
		rte_mbuf *frames[8];
		uint16_t n = leat_inet_output(inet_, now_us_, frames, 8);

		EXPECT_LE(1, n);
		uint64_t flags = n > 0 ? frames[0]->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK : 0;
		is_chain_ = n > 0 && frames[0]->nb_segs > 1;
		segsz_ = n > 0 ? frames[0]->tso_segsz : 0;
		rte_pktmbuf_free_bulk(frames, n);
		return flags;
	}

	uint64_t Send(leat_inet_conn *conn, size_t len)
	{
		Frame text(len, 't');

		EXPECT_EQ(0, leat_inet_send(inet_, conn, Mbuf(text, 1000)));
		peer_ack_ += (uint32_t)len;
		return Leave();
	}

	// Of IPv6, or of IPv4.
	bool IsUsed(bool is_ipv6, const std::string &name) const
	{
		return Told(is_ipv6 ? "offload_used6" : "offload_used", name) == 1;
	}

	static constexpr uint64_t kSums = RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_TCP_CKSUM;
	bool is_chain_ = false;
	uint16_t segsz_ = 0;
};

TEST_F(InetOffload6, AStackWithoutIpv4TriesAllThatIpv6Has)
{
	ForgetIpv4();
	PromiseAll();
	ASSERT_NO_FATAL_FAILURE(OpenListening());
	leat_inet_conn *conn = Accept6();

	EXPECT_EQ(kSums, Send(conn, 1000));
	EXPECT_FALSE(is_chain_);
	Ack();
	EXPECT_EQ(kSums, Send(conn, 1000));
	EXPECT_TRUE(is_chain_);
	Ack();
	EXPECT_EQ(kSums | RTE_MBUF_F_TX_TCP_SEG, Send(conn, 3000));
	EXPECT_EQ(1440, segsz_);
	EXPECT_FALSE(IsUsed(true, "tx_tso")) << "not before it has come through";
	Ack();
	EXPECT_TRUE(IsUsed(true, "tx_tcp_cksum"));
	EXPECT_TRUE(IsUsed(true, "tx_multi_seg"));
	EXPECT_TRUE(IsUsed(true, "tx_tso"));
	EXPECT_FALSE(IsUsed(true, "tx_ip_cksum")) << "IPv6 has none";
	EXPECT_EQ(3u, Stats().tx_trials);
	EXPECT_EQ(RTE_MBUF_F_TX_TCP_SEG, Send(conn, 3000) & RTE_MBUF_F_TX_TCP_SEG);
	Ack();
}

TEST_F(InetOffload6, WhatOneFamilyFoundOutDecidesNothingForTheOther)
{
	PromiseAll();
	ASSERT_NO_FATAL_FAILURE(OpenListening());
	leat_inet_conn *conn = Accept6();

	for (unsigned int i = 0; i < LEAT_INET_TRIALS_MAX; i++) {
		EXPECT_EQ(0u, leat_inet_notices(inet_));
		EXPECT_EQ(kSums, Send(conn, 100));
		Wait(kSecondUs);
		EXPECT_EQ(0u, Leave()) << "sent again as it is sure to work";
		Ack();
	}
	EXPECT_EQ(LEAT_INET_NOTICE_TX_TCP_CKSUM6, leat_inet_notices(inet_));
	EXPECT_EQ(1u, Told("offload_given_up6", "tx_tcp_cksum"));
	EXPECT_EQ(0u, Told("offload_given_up", "tx_tcp_cksum"));
	EXPECT_EQ(0u, Send(conn, 1000));
	EXPECT_TRUE(is_chain_) << "pieces need no sums of the port";
	Ack();
	EXPECT_FALSE(IsUsed(true, "tx_tcp_cksum"));
	EXPECT_TRUE(IsUsed(true, "tx_multi_seg"));

	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	conn = Accept(kPeerPort + 1);
	EXPECT_EQ(RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_TRUE(IsUsed(false, "tx_tcp_cksum"));
	EXPECT_EQ(LEAT_INET_NOTICE_TX_TCP_CKSUM6, leat_inet_notices(inet_));
}

TEST_F(InetOffload6, TrialsOfBothFamiliesMayBeUnderWayAtOnce)
{
	PromiseAll();
	ASSERT_NO_FATAL_FAILURE(OpenListening());
	Meet();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	leat_inet_conn *conn = Accept6();
	EXPECT_EQ(kSums, Send(conn, 100));
	uint32_t seq = peer_seq_, ack = peer_ack_;

	conn = Accept(kPeerPort + 1);
	EXPECT_EQ(RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_TRUE(IsUsed(false, "tx_tcp_cksum"));
	EXPECT_FALSE(IsUsed(true, "tx_tcp_cksum"));
	peer_seq_ = seq;
	peer_ack_ = ack;
	sport_ = kPeerPort;
	Ack();
	EXPECT_TRUE(IsUsed(true, "tx_tcp_cksum"));
}

// What the IPv4 header has a sum for needs that offload before it is cut, IPv6's has none.
TEST_F(InetOffload6, CuttingNeedsTheSumOfTheHeaderOverIpv4Only)
{
	PromiseAll();
	conf_.offloads.tx_ip_cksum = false;
	conf_.trust_offloads = true;
	Open();
	EXPECT_FALSE(IsUsed(false, "tx_tso"));
	EXPECT_TRUE(IsUsed(true, "tx_tso"));
	Close();
	conf_.offloads.tx_ip_cksum = true;
	Open();
	EXPECT_TRUE(IsUsed(false, "tx_tso"));
	Close();
	conf_.offloads.tx_multi_seg = false;
	Open();
	EXPECT_FALSE(IsUsed(false, "tx_tso"));
	EXPECT_FALSE(IsUsed(true, "tx_tso"));
}

TEST_F(InetOffload6, BadSumThatIsCalledGoodEndsTheTrustOfItsFamily)
{
	conf_.offloads.rx_tcp_cksum = true;
	ASSERT_NO_FATAL_FAILURE(OpenListening());
	Tcp syn = { LEAT_TCP_SYN };
	Frame frame = BuildTcp6(syn);

	frame[14 + 40 + 16] ^= 1;
	rte_mbuf *mbuf = Mbuf(frame);
	mbuf->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(LEAT_INET_NOTICE_RX_TCP_CKSUM6, leat_inet_notices(inet_));
	EXPECT_FALSE(IsUsed(true, "rx_tcp_cksum"));
	EXPECT_TRUE(IsUsed(false, "rx_tcp_cksum"));
}

// A port that counts the Ethernet header among what the MTU limits.
TEST_F(InetOffload6, FramesThatThePortCutsAreNoLongerThanItTakes)
{
	const uint32_t whole = 14 + 40 + 20 + 1440;

	for (uint32_t len : { whole - 1, whole, whole + 1 }) {
		ForgetIpv4();
		PromiseAll();
		conf_.tso_frame_len_max = (uint16_t)len;
		ASSERT_NO_FATAL_FAILURE(OpenListening());
		leat_inet_conn *conn = Accept6();
		for (int i = 0; i < 2; i++) {
			(void)Send(conn, 1000);
			Ack();
		}
		EXPECT_EQ(kSums | RTE_MBUF_F_TX_TCP_SEG, Send(conn, 3000));
		EXPECT_EQ(len < whole ? 1439 : 1440, segsz_);
		Ack();
		Close();
	}
	for (uint16_t len : { 1499, 1500 }) {
		leat_error error = {};

		conf_.tso_frame_len_max = len;
		EXPECT_EQ(len < conf_.mtu ? -EINVAL : 0, leat_inet_open(&conf_, &inet_, &error));
	}
}

TEST_F(InetOffload6, APortThatCutsIpv4AloneIsNotAskedToCutIpv6)
{
	PromiseAll();
	conf_.tso_ipv4_only = true;
	conf_.trust_offloads = true;
	Open();
	EXPECT_TRUE(IsUsed(false, "tx_tso"));
	EXPECT_FALSE(IsUsed(true, "tx_tso"));
	EXPECT_TRUE(IsUsed(true, "tx_tcp_cksum"));
	EXPECT_TRUE(IsUsed(true, "tx_multi_seg"));
}

} // namespace
