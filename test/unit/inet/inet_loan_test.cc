// SPDX-License-Identifier: BSD-3-Clause

// Text in external buffers: bytes that somebody lends until the peer has them.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetLoan : public InetLab
{
      protected:
	void OpenListening(bool has_chains)
	{
		conf_.offloads.tx_multi_seg = has_chains;
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// An mbuf that shows what is lent.
	rte_mbuf *Loan(const std::string &bytes)
	{
		rte_mbuf *m = rte_pktmbuf_alloc(pool_);

		shared_.free_cb = [](void *, void *arg) { (*(int *)arg)++; };
		shared_.fcb_opaque = &nb_returns_;
		rte_mbuf_ext_refcnt_set(&shared_, 1);
		rte_pktmbuf_attach_extbuf(
			m, (void *)bytes.data(), RTE_BAD_IOVA, (uint16_t)bytes.size(), &shared_);
		m->data_len = (uint16_t)bytes.size();
		m->pkt_len = (uint32_t)bytes.size();
		return m;
	}

	static std::string Bytes(size_t len)
	{
		std::string bytes(len, 0);

		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(i * 31 >> 3);
		return bytes;
	}

	std::string OutputText()
	{
		std::string text;

		for (const SeenTcp &seg : OutputTcp())
			text += seg.text;
		return text;
	}

	rte_mbuf_ext_shared_info shared_ = {};
	int nb_returns_ = 0;
};

TEST_F(InetLoan, HeadAndBytesThatAreLentShareAFullFirstSegment)
{
	for (bool has_chains : { false, true }) {
		OpenListening(has_chains);
		leat_inet_conn *conn = Accept();
		const std::string head = "$60000\r\n", bytes = Bytes(60000);
		rte_mbuf *chain = Text(head);

		ASSERT_EQ(0, rte_pktmbuf_chain(chain, Loan(bytes)));
		ASSERT_EQ(0, leat_inet_send(inet_, conn, chain));
		std::vector<SeenTcp> out = OutputTcp();
		ASSERT_LT(1u, out.size());
		EXPECT_EQ(out[1].text.size(), out[0].text.size()) << "as long as the next";
		EXPECT_EQ(head + bytes.substr(0, out[0].text.size() - head.size()), out[0].text);
		EXPECT_EQ(has_chains ? 0u : out.size(), Stats().tx_text_copied);
		Close();
	}
}

// DPDK's net_tap sums a chain mbuf by mbuf.
TEST_F(InetLoan, APortThatSumsEvenMbufsGetsNoOddOneButTheLast)
{
	for (const std::string head : { "$1001\r\n", "$ 1001\r\n" }) {
		conf_.tx_even_segs = true;
		OpenListening(true);
		leat_inet_conn *conn = Accept();
		const std::string bytes = Bytes(1001);
		rte_mbuf *chain = Text(head);

		ASSERT_EQ(0, rte_pktmbuf_chain(chain, Loan(bytes)));
		ASSERT_EQ(0, leat_inet_send(inet_, conn, chain));
		EXPECT_EQ(head + bytes, OutputText());
		EXPECT_EQ(head.size() % 2, Stats().tx_text_copied);
		EXPECT_EQ(1 - head.size() % 2, Stats().tx_text_attached);
		Close();
	}
}

TEST_F(InetLoan, WhatIsLentComesBackWithTheLastAcknowledgment)
{
	OpenListening(true);
	leat_inet_conn *conn = Accept();
	const std::string bytes = Bytes(5000);

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Loan(bytes)));
	EXPECT_EQ(bytes, OutputText());
	EXPECT_EQ(0, nb_returns_);
	peer_ack_ += 4999;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ(0, nb_returns_);
	peer_ack_ += 1;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ(1, nb_returns_);
}

TEST_F(InetLoan, WhatIsLentAndLostIsSentAgainFromWhereItLies)
{
	OpenListening(true);
	leat_inet_conn *conn = Accept();
	const std::string bytes = Bytes(1000);

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Loan(bytes)));
	EXPECT_EQ(bytes, OutputText());
	int nb_again = 0;
	for (int i = 0; i < 12; i++) {
		Wait(100000);
		std::string again = OutputText();
		EXPECT_TRUE(again.empty() || again == bytes);
		nb_again += !again.empty();
	}
	EXPECT_LE(2, nb_again);
	EXPECT_EQ(0, nb_returns_);
	peer_ack_ += 1000;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ(1, nb_returns_);
}

TEST_F(InetLoan, AFrameThatThePortStillHoldsKeepsWhatIsLentAfterTheAck)
{
	OpenListening(true);
	leat_inet_conn *conn = Accept();
	const std::string bytes = Bytes(1000);
	rte_mbuf *frame;

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Loan(bytes)));
	ASSERT_EQ(1, leat_inet_output(inet_, now_us_, &frame, 1));
	peer_ack_ += 1000;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	EXPECT_EQ(0, nb_returns_);
	rte_pktmbuf_free(frame);
	EXPECT_EQ(1, nb_returns_);
}

TEST_F(InetLoan, AnEndOfTheConnectionGivesBackWhatWasNotSent)
{
	OpenListening(true);
	leat_inet_conn *conn = Accept();
	const std::string bytes = Bytes(60000);

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Loan(bytes)));
	EXPECT_LT(OutputText().size(), bytes.size());
	EXPECT_EQ(0, nb_returns_);
	leat_inet_abort(inet_, conn);
	EXPECT_EQ(1, nb_returns_);
}

} // namespace
