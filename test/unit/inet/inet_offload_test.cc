// SPDX-License-Identifier: BSD-3-Clause

// A port's promises are tried before they are relied on, and watched afterwards.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetOffload : public InetLab
{
      protected:
	void OpenListening()
	{
		conf_.trust_offloads = false;
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// Send text and look at the first frame that leaves: the offloads that it uses.
	uint64_t Send(leat_inet_conn *conn, size_t len)
	{
		EXPECT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(len, 't'))));
		peer_ack_ += (uint32_t)len;
		return Leave();
	}

	uint64_t Leave()
	{
		rte_mbuf *frames[8];
		uint16_t n = leat_inet_output(inet_, now_us_, frames, 8);
		uint64_t flags = 0;

		EXPECT_LE(1, n);
		if (n > 0) {
			flags = frames[0]->ol_flags & kTxFlags;
			is_chain_ = frames[0]->nb_segs > 1;
		}
		rte_pktmbuf_free_bulk(frames, n);
		return flags;
	}

	void Ack()
	{
		Input({ FromPeer(LEAT_TCP_ACK).Build() });
	}

	// A segment that tries the offload gets lost, what is sent again is acknowledged.
	void Lose(leat_inet_conn *conn, uint64_t flags)
	{
		EXPECT_EQ(flags, Send(conn, 100));
		Wait(kSecondUs);
		EXPECT_EQ(0u, Leave()) << "sent again as it is sure to work";
		Ack();
	}

	// A SYN whose checksum of the given layer is wrong, from a port of its own.
	rte_mbuf *BadSyn(size_t off, uint64_t flags)
	{
		Tcp syn = { LEAT_TCP_SYN };
		syn.sport = ++nb_syns_;
		Frame frame = syn.Build();
		frame[off] ^= 1;
		rte_mbuf *mbuf = Mbuf(frame);
		mbuf->ol_flags |= flags;
		return mbuf;
	}

	void InputGood(uint64_t flags, unsigned int nb)
	{
		for (unsigned int i = 0; i < nb; i++) {
			Tcp ack = { LEAT_TCP_RST }; // to a closed port: no answer, no state
			rte_mbuf *mbuf = Mbuf(ack.Build());

			mbuf->ol_flags |= flags;
			leat_inet_input(inet_, now_us_, &mbuf, 1);
		}
	}

	static constexpr uint64_t kTxFlags = RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK;
	static constexpr size_t kIpCksum = 14 + 10;
	static constexpr size_t kTcpCksum = 14 + 20 + 16;
	bool is_chain_ = false;
	uint16_t nb_syns_ = 1000;
};

TEST_F(InetOffload, IsTriedOnOneSegmentOfTextAndUsedOnceItWasAcknowledged)
{
	conf_.offloads.tx_tcp_cksum = true;
	OpenListening();
	leat_inet_conn *conn = Accept(); // whose output must carry all of its sums

	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	EXPECT_EQ(0u, Send(conn, 100)) << "not before the first has come through";
	EXPECT_EQ(0u, Told("offload_used", "tx_tcp_cksum"));
	Ack();
	EXPECT_EQ(1u, Told("offload_used", "tx_tcp_cksum"));
	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	EXPECT_EQ(1u, Stats().tx_trials);
	EXPECT_EQ(0u, Stats().tx_trials_lost);
	EXPECT_EQ(0u, leat_inet_notices(inet_));
}

TEST_F(InetOffload, AreTriedOneAfterTheOther)
{
	conf_.offloads.tx_tcp_cksum = true;
	conf_.offloads.tx_ip_cksum = true;
	conf_.offloads.tx_multi_seg = true;
	OpenListening();
	leat_inet_conn *conn = Accept();

	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 1000));
	EXPECT_FALSE(is_chain_);
	Ack();
	EXPECT_EQ(kTxFlags & (RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IP_CKSUM), Send(conn, 1000));
	EXPECT_FALSE(is_chain_);
	Ack();
	(void)Send(conn, LEAT_INET_TX_COPY_MAX); // would be copied anyway
	Ack();
	EXPECT_EQ(0u, Told("offload_used", "tx_multi_seg"));
	(void)Send(conn, LEAT_INET_TX_COPY_MAX + 1);
	EXPECT_TRUE(is_chain_);
	Ack();
	EXPECT_EQ(1u, Told("offload_used", "tx_multi_seg"));
	EXPECT_EQ(3u, Stats().tx_trials);
}

TEST_F(InetOffload, IsGivenUpWhenTextComesThroughOnlyWithoutIt)
{
	conf_.offloads.tx_tcp_cksum = true;
	conf_.offloads.tx_ip_cksum = true;
	OpenListening();
	leat_inet_conn *conn = Accept();

	for (unsigned int i = 0; i < LEAT_INET_TRIALS_MAX; i++) {
		EXPECT_EQ(0u, leat_inet_notices(inet_));
		Lose(conn, RTE_MBUF_F_TX_TCP_CKSUM);
	}
	EXPECT_EQ(LEAT_INET_NOTICE_TX_TCP_CKSUM, leat_inet_notices(inet_));
	EXPECT_EQ(1u, Told("offload_given_up", "tx_tcp_cksum"));
	EXPECT_EQ(0u, Told("offload_given_up", "tx_ip_cksum"));
	EXPECT_EQ(LEAT_INET_TRIALS_MAX, Stats().tx_trials_lost);
	EXPECT_EQ(RTE_MBUF_F_TX_IP_CKSUM, Send(conn, 100)) << "the others have their own trial";
	Ack();
	EXPECT_EQ(0u, Told("offload_used", "tx_tcp_cksum"));
	EXPECT_EQ(1u, Told("offload_used", "tx_ip_cksum"));
}

TEST_F(InetOffload, OneThatWasLostOnTheWayIsTriedAgain)
{
	conf_.offloads.tx_tcp_cksum = true;
	OpenListening();
	leat_inet_conn *conn = Accept();

	for (unsigned int i = 0; i + 1 < LEAT_INET_TRIALS_MAX; i++)
		Lose(conn, RTE_MBUF_F_TX_TCP_CKSUM);
	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	Ack();
	EXPECT_EQ(1u, Told("offload_used", "tx_tcp_cksum"));
	EXPECT_EQ(0u, leat_inet_notices(inet_));
}

TEST_F(InetOffload, AConnectionThatEndsDecidesNothing)
{
	conf_.offloads.tx_tcp_cksum = true;
	OpenListening();
	leat_inet_conn *conn = Accept();

	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100));
	Input({ FromPeer(LEAT_TCP_RST).Build() });
	(void)Events();
	conn = Accept(kPeerPort + 1);
	EXPECT_EQ(RTE_MBUF_F_TX_TCP_CKSUM, Send(conn, 100)) << "tried on another one";
	Ack();
	EXPECT_EQ(1u, Told("offload_used", "tx_tcp_cksum"));
}

TEST_F(InetOffload, ForgedSynsDecideNothing)
{
	conf_.offloads.tx_tcp_cksum = true;
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };

	Input({ syn.Build() });
	for (int i = 0; i < 4; i++) {
		(void)OutputTcp(); // all of their sums are there
		Wait(8 * kSecondUs);
	}
	EXPECT_EQ(0u, Stats().tx_trials);
	EXPECT_EQ(0u, leat_inet_notices(inet_));
}

TEST_F(InetOffload, TheFirstBadFrameThatIsCalledGoodEndsTheTrustInTcpSums)
{
	conf_.offloads.rx_ip_cksum = true;
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	for (uint64_t flag : { RTE_MBUF_F_RX_L4_CKSUM_GOOD, RTE_MBUF_F_RX_L4_CKSUM_NONE }) {
		rte_mbuf *mbuf = BadSyn(kTcpCksum, flag);

		leat_inet_input(inet_, now_us_, &mbuf, 1);
	}
	EXPECT_EQ(0u, Stats().tcp_opens_passive);
	EXPECT_EQ(2u, Stats().rx_tcp_cksum);
	EXPECT_EQ(1u, Stats().rx_tcp_cksum_lies) << "later ones are not asked what they are";
	EXPECT_EQ(LEAT_INET_NOTICE_RX_TCP_CKSUM, leat_inet_notices(inet_));
	EXPECT_EQ(0u, Told("offload_used", "rx_tcp_cksum"));
	EXPECT_EQ(1u, Told("offload_used", "rx_ip_cksum")) << "another promise";
}

TEST_F(InetOffload, TheFirstBadFrameThatIsCalledGoodEndsTheTrustInIpSums)
{
	conf_.offloads.rx_ip_cksum = true;
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	rte_mbuf *mbuf = BadSyn(kIpCksum, RTE_MBUF_F_RX_IP_CKSUM_GOOD);

	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().rx_ipv4_cksum);
	EXPECT_EQ(1u, Stats().rx_ipv4_cksum_lies);
	EXPECT_EQ(LEAT_INET_NOTICE_RX_IP_CKSUM, leat_inet_notices(inet_));
	EXPECT_EQ(0u, Told("offload_used", "rx_ip_cksum"));
	EXPECT_EQ(1u, Told("offload_used", "rx_tcp_cksum"));
}

TEST_F(InetOffload, TheFrameAfterSoManyGoodOnesIsChecked)
{
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	InputGood(RTE_MBUF_F_RX_L4_CKSUM_GOOD, LEAT_INET_RX_CHECKS);
	rte_mbuf *mbuf = BadSyn(kTcpCksum, RTE_MBUF_F_RX_L4_CKSUM_GOOD);

	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().rx_tcp_cksum_lies);
}

TEST_F(InetOffload, AFrameBetweenTheChecksIsBelieved)
{
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	InputGood(RTE_MBUF_F_RX_L4_CKSUM_GOOD, LEAT_INET_RX_CHECKS + 1);
	rte_mbuf *mbuf = BadSyn(kTcpCksum, RTE_MBUF_F_RX_L4_CKSUM_GOOD);

	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(0u, Stats().rx_tcp_cksum_lies);
	EXPECT_EQ(1u, Stats().tcp_opens_passive);
	(void)Output();
	InputGood(RTE_MBUF_F_RX_L4_CKSUM_GOOD, LEAT_INET_RX_CHECK_EVERY - 2);
	mbuf = BadSyn(kTcpCksum, RTE_MBUF_F_RX_L4_CKSUM_GOOD);
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().rx_tcp_cksum_lies) << "one of so many is checked for ever";
}

// A local peer's sum is not there yet, and its port says that the bytes are right.
TEST_F(InetOffload, APartialSumForWhichThePortVouchesIsNoLie)
{
	conf_.offloads.rx_tcp_cksum = true;
	OpenListening();
	Frame frame = Tcp{ LEAT_TCP_SYN }.Build();
	leat_cksum pseudo = {};

	leat_cksum_add_ipv4_pseudo(&pseudo, kPeerAddr, kOurAddr, LEAT_IPV4_PROTO_TCP, 20);
	leat_be16_put(&frame[kTcpCksum], leat_cksum_fold(&pseudo));
	rte_mbuf *mbuf = Mbuf(frame);
	mbuf->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
	leat_inet_input(inet_, now_us_, &mbuf, 1);
	EXPECT_EQ(1u, Stats().tcp_opens_passive);
	EXPECT_EQ(0u, leat_inet_notices(inet_));
	Input({ frame });
	EXPECT_EQ(1u, Stats().rx_tcp_cksum_partial);
	EXPECT_EQ(LEAT_INET_NOTICE_CKSUM_PARTIAL, leat_inet_notices(inet_));
}

class InetTso : public InetOffload
{
      protected:
	void OpenWithTso()
	{
		conf_.offloads.tx_tcp_cksum = true;
		conf_.offloads.tx_ip_cksum = true;
		conf_.offloads.tx_multi_seg = true;
		conf_.offloads.tx_tso = true;
		OpenListening();
	}

	// A connection after whose text the other offloads are known to work.
	leat_inet_conn *AcceptTried()
	{
		leat_inet_conn *conn = Accept();

		for (int i = 0; i < 3; i++) {
			(void)Send(conn, 1000);
			Ack();
		}
		EXPECT_EQ(1u, Told("offload_used", "tx_multi_seg"));
		return conn;
	}

	// And TSO too.
	leat_inet_conn *AcceptTso()
	{
		leat_inet_conn *conn = AcceptTried();

		Queue(conn, 3000, 1000);
		Free(Frames());
		Ack();
		EXPECT_EQ(1u, Told("offload_used", "tx_tso"));
		return conn;
	}

	// Text in pieces of @p piece_len bytes.
	void Queue(leat_inet_conn *conn, size_t len, size_t piece_len)
	{
		Frame text(len);

		for (size_t i = 0; i < len; i++)
			text[i] = (uint8_t)(i * 7 + i / 251);
		ASSERT_EQ(0, leat_inet_send(inet_, conn, Mbuf(text, piece_len)));
		peer_ack_ += (uint32_t)len;
	}

	// The frames that leave; the caller frees them.
	std::vector<rte_mbuf *> Frames()
	{
		std::vector<rte_mbuf *> frames(32);

		frames.resize(leat_inet_output(inet_, now_us_, frames.data(), 32));
		return frames;
	}

	static void Free(const std::vector<rte_mbuf *> &frames)
	{
		for (rte_mbuf *frame : frames)
			rte_pktmbuf_free(frame);
	}
};

TEST_F(InetTso, TextOfSeveralSegmentsIsOneFrameForThePort)
{
	ASSERT_NO_FATAL_FAILURE(OpenWithTso());
	leat_inet_conn *conn = AcceptTso();

	ASSERT_NO_FATAL_FAILURE(Queue(conn, 5 * 1460 + 100, 1000));
	std::vector<rte_mbuf *> frames = Frames();
	ASSERT_EQ(1u, frames.size());
	const rte_mbuf *frame = frames[0];
	const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, 14);
	leat_cksum pseudo = {};

	EXPECT_EQ(54u + 5 * 1460 + 100, frame->pkt_len);
	EXPECT_EQ(frame->pkt_len - 14, leat_be16_get(ip + 2));
	EXPECT_EQ(RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM |
			  RTE_MBUF_F_TX_TCP_CKSUM,
		frame->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK);
	EXPECT_EQ(1460, frame->tso_segsz);
	EXPECT_EQ(14, frame->l2_len);
	EXPECT_EQ(20, frame->l3_len);
	EXPECT_EQ(20, frame->l4_len);
	leat_cksum_add_ipv4_pseudo(&pseudo, kOurAddr, kPeerAddr, LEAT_IPV4_PROTO_TCP, 0);
	EXPECT_EQ(leat_cksum_fold(&pseudo), leat_be16_get(ip + 20 + 16)) << "without the length";
	EXPECT_EQ(2u, Stats().tx_tso);
	Free(frames);
}

TEST_F(InetTso, TextInTooManyPiecesIsCutHere)
{
	for (uint32_t nb = LEAT_INET_TSO_SEGS_MAX; nb <= LEAT_INET_TSO_SEGS_MAX + 1; nb++) {
		ASSERT_NO_FATAL_FAILURE(OpenWithTso());
		leat_inet_conn *conn = AcceptTso();
		uint32_t seq = peer_ack_;

		ASSERT_NO_FATAL_FAILURE(Queue(conn, nb * 300, 300));
		std::vector<rte_mbuf *> frames = Frames();
		if (nb == LEAT_INET_TSO_SEGS_MAX) {
			EXPECT_EQ(1u, frames.size());
			EXPECT_EQ(0u, Stats().tx_cut);
			Free(frames);
			Close();
			continue;
		}
		ASSERT_EQ(5u, frames.size());
		size_t off = 0;
		for (rte_mbuf *frame : frames) {
			const uint8_t *tcp = rte_pktmbuf_mtod_offset(frame, uint8_t *, 34);
			bool is_last = frame == frames.back();

			EXPECT_EQ(seq + off, leat_be32_get(tcp + 4));
			EXPECT_EQ(is_last, (tcp[13] & LEAT_TCP_PSH) != 0);
			EXPECT_EQ(0u, frame->ol_flags & RTE_MBUF_F_TX_TCP_SEG);
			for (uint32_t i = 54; i < frame->pkt_len; i++, off++) {
				uint8_t byte;
				const void *at = rte_pktmbuf_read(frame, i, 1, &byte);

				ASSERT_EQ((uint8_t)(off * 7 + off / 251), *(const uint8_t *)at);
			}
		}
		EXPECT_EQ(nb * 300, off);
		EXPECT_EQ(1u, Stats().tx_cut);
		Free(frames);
		Close();
	}
}

TEST_F(InetTso, IsTriedWhenTheOthersAreKnownToWork)
{
	ASSERT_NO_FATAL_FAILURE(OpenWithTso());
	leat_inet_conn *conn = AcceptTried();

	for (int i = 0; i < 2; i++) {
		ASSERT_NO_FATAL_FAILURE(Queue(conn, 3000, 1000));
		std::vector<rte_mbuf *> frames = Frames();
		EXPECT_EQ(1u, frames.size());
		Free(frames);
		if (i == 0) { // no other while it is on its way
			ASSERT_NO_FATAL_FAILURE(Queue(conn, 3000, 1000));
			frames = Frames();
			EXPECT_EQ(3u, frames.size());
			Free(frames);
			EXPECT_EQ(0u, Told("offload_used", "tx_tso"));
		}
		Ack();
		EXPECT_EQ(1u, Told("offload_used", "tx_tso"));
	}
}

TEST_F(InetTso, IsGivenUpWhenItsSegmentsDoNotComeThrough)
{
	ASSERT_NO_FATAL_FAILURE(OpenWithTso());
	leat_inet_conn *conn = AcceptTried();

	for (unsigned int i = 0; i < LEAT_INET_TRIALS_MAX; i++) {
		EXPECT_EQ(0u, leat_inet_notices(inet_));
		ASSERT_NO_FATAL_FAILURE(Queue(conn, 3000, 1000));
		std::vector<rte_mbuf *> frames = Frames();
		ASSERT_EQ(1u, frames.size()) << i;
		EXPECT_EQ(1460, frames[0]->tso_segsz);
		Free(frames);
		for (frames.clear(); frames.empty(); frames = Frames())
			Wait(kSecondUs / 10);
		EXPECT_EQ(0, frames[0]->tso_segsz) << "sent again as it is sure to work";
		Free(frames);
		Ack();
		(void)Send(conn, 1000); // the window grows again
		Ack();
		(void)Send(conn, 1000);
		Ack();
	}
	EXPECT_EQ(LEAT_INET_NOTICE_TX_TSO, leat_inet_notices(inet_));
	EXPECT_EQ(0u, Told("offload_used", "tx_tso"));
}

} // namespace
