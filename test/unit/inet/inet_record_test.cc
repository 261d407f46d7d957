// SPDX-License-Identifier: BSD-3-Clause

// The flight recorder: what is of which class, and which ends freeze it.

#include <cerrno>
#include <cstdlib>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

constexpr uint32_t kNbSegs = 16;

class InetRecord : public InetLab
{
      protected:
	void SetUp() override
	{
		InetLab::SetUp();
		conf_.nb_record_segs = kNbSegs;
		mem_ = aligned_alloc(LEAT_CACHE_LINE_LEN, leat_record_mem_len(kNbSegs));
		leat_record_init(&copy_, mem_, kNbSegs);
	}

	void TearDown() override
	{
		free(mem_);
		InetLab::TearDown();
	}

	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// "in S, out SA": direction and flags of a class' segments.
	std::string Segments(leat_record_class class_of)
	{
		std::string text;

		EXPECT_EQ(1, leat_inet_record(inet_, &copy_, nullptr));
		return Text(class_of);
	}

	std::string Text(leat_record_class class_of)
	{
		std::string text;

		for (uint32_t i = 0; i < leat_record_nb(&copy_, class_of); i++) {
			const leat_record_seg *seg = leat_record_at(&copy_, class_of, i);
			uint8_t flags = seg->hdr[LEAT_ETH_HDR_LEN + LEAT_IPV4_HDR_LEN + 13];

			text += text.empty() ? "" : ", ";
			text += seg->lens.is_out ? "out " : "in ";
			text += (flags & LEAT_TCP_SYN) != 0 ? "S" : "";
			text += (flags & LEAT_TCP_FIN) != 0 ? "F" : "";
			text += (flags & LEAT_TCP_RST) != 0 ? "R" : "";
			text += (flags & LEAT_TCP_ACK) != 0 ? "A" : "";
		}
		return text;
	}

	void Reset(leat_inet_conn *conn)
	{
		(void)conn;
		Tcp rst = FromPeer(LEAT_TCP_RST | LEAT_TCP_ACK);

		Input({ rst.Build() });
		(void)Output();
		(void)Events();
	}

	leat_record copy_ = {};
	leat_record_cause cause_ = {};
	void *mem_ = nullptr;
};

TEST_F(InetRecord, AHandshakeIsNewAndTextIsEstablished)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	Input({ FromPeer(LEAT_TCP_ACK, "text").Build() });
	for (leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	ASSERT_EQ(0, leat_inet_send(inet_, conn, InetLab::Text("reply")));
	(void)Output();
	EXPECT_EQ("in S, out SA, in A", Segments(LEAT_RECORD_NEW));
	EXPECT_EQ("in A, out A", Segments(LEAT_RECORD_ESTABLISHED));
	EXPECT_EQ("", Segments(LEAT_RECORD_STRAY));
}

TEST_F(InetRecord, HeadersAreKeptAndTextIsNot)
{
	OpenListening();
	(void)Accept();
	Frame frame = FromPeer(LEAT_TCP_ACK, "secret").Build();

	Input({ frame });
	for (leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	(void)Segments(LEAT_RECORD_ESTABLISHED);
	const leat_record_seg *seg = leat_record_at(&copy_, LEAT_RECORD_ESTABLISHED, 0);
	EXPECT_EQ(frame.size(), seg->lens.frame);
	EXPECT_EQ(54u, seg->lens.hdr);
	EXPECT_EQ(0, memcmp(frame.data(), seg->hdr, seg->lens.hdr));
	EXPECT_EQ(now_us_, seg->at_us);
}

TEST_F(InetRecord, HeadersThatLieInPiecesAreKeptWhole)
{
	OpenListening();
	(void)Accept();
	Frame frame = FromPeer(LEAT_TCP_ACK, "text").Build();

	Input({ frame }, 7);
	for (leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	(void)Segments(LEAT_RECORD_ESTABLISHED);
	const leat_record_seg *seg = leat_record_at(&copy_, LEAT_RECORD_ESTABLISHED, 0);
	EXPECT_EQ(0, memcmp(frame.data(), seg->hdr, seg->lens.hdr));
}

TEST_F(InetRecord, AFinAndAllBehindItAreClosing)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
	leat_inet_shutdown(inet_, conn);
	(void)Output();
	(void)Events();
	EXPECT_EQ("in FA, out FA", Segments(LEAT_RECORD_CLOSING));
	EXPECT_EQ("", Segments(LEAT_RECORD_ESTABLISHED));
}

TEST_F(InetRecord, ASegmentToAClosedPortIsStrayAndItsSynIsNew)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };
	Tcp ack = { LEAT_TCP_ACK };

	syn.dport = ack.dport = 9;
	Input({ syn.Build(), ack.Build() });
	(void)Output();
	EXPECT_EQ("in S", Segments(LEAT_RECORD_NEW));
	EXPECT_EQ("in A, out RA, out R", Segments(LEAT_RECORD_STRAY));
}

TEST_F(InetRecord, WhatIsSentAgainIsTroubled)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, InetLab::Text("reply")));
	(void)Output();
	for (int i = 0; i < 3; i++) { /* a probe of the tail may go before */
		Wait(2 * kSecondUs);
		(void)Output();
	}
	EXPECT_NE("", Segments(LEAT_RECORD_TROUBLED));
}

TEST_F(InetRecord, AResetFreezesWithAllThatLedToIt)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	EXPECT_EQ(0, leat_inet_record(inet_, &copy_, &cause_));
	Reset(conn);
	ASSERT_EQ(1, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_STREQ("reset", cause_.reason);
	EXPECT_EQ(LEAT_RECORD_ESTABLISHED, cause_.class_of);
	EXPECT_EQ(kPort, cause_.ends.lport);
	EXPECT_EQ(kPeerPort, cause_.ends.rport);
	EXPECT_EQ("in RA", Text(LEAT_RECORD_CLOSING));
	EXPECT_EQ("in S, out SA, in A", Text(LEAT_RECORD_NEW));
	EXPECT_EQ(1u, Stats().record_frozen);
	EXPECT_EQ(0, leat_inet_record(inet_, &copy_, &cause_)) << "taken once";
}

TEST_F(InetRecord, AResetInTheBurstThatOpenedFreezesToo)
{
	OpenListening();
	Tcp syn = { LEAT_TCP_SYN };

	Input({ syn.Build() });
	peer_seq_ = 1;
	peer_ack_ = OutputTcp()[0].seg.seq + 1;
	Input({ FromPeer(LEAT_TCP_ACK).Build(), FromPeer(LEAT_TCP_RST | LEAT_TCP_ACK).Build() });
	(void)Output();
	(void)Events();
	ASSERT_EQ(1, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_STREQ("reset", cause_.reason);
}

TEST_F(InetRecord, WhatIsFrozenStaysUntilItIsTakenAndTheRestIsCounted)
{
	OpenListening();
	Reset(Accept(kPeerPort));
	Reset(Accept(kPeerPort + 1));
	EXPECT_EQ(1u, Stats().record_frozen);
	EXPECT_EQ(1u, Stats().record_skipped);
	ASSERT_EQ(1, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_EQ(kPeerPort, cause_.ends.rport);
	Reset(Accept(kPeerPort + 2));
	ASSERT_EQ(1, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_EQ(kPeerPort + 2, cause_.ends.rport);
}

TEST_F(InetRecord, APeerThatFallsSilentFreezesAtTheLimitOfRetries)
{
	conf_.tcp.nb_retries_max = 3;
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, InetLab::Text("reply")));
	(void)Output();
	for (int i = 0; i < 20 && Stats().tcp_closed == 0; i++) {
		Wait(10 * kSecondUs);
		(void)Output();
		(void)Events();
	}
	ASSERT_EQ(1, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_STREQ("timeout", cause_.reason);
	EXPECT_EQ(LEAT_RECORD_TROUBLED, cause_.class_of);
}

TEST_F(InetRecord, AnOrderlyEndOurOwnAbortAndAFailedHandshakeFreezeNothing)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	Tcp syn = { LEAT_TCP_SYN };

	leat_inet_abort(inet_, conn);
	(void)Output();
	(void)Events();
	syn.sport = kPeerPort + 1;
	Input({ syn.Build() });
	peer_ack_ = OutputTcp().back().seg.seq + 1;
	syn.flags = LEAT_TCP_RST;
	syn.seq = 1;
	Input({ syn.Build() });
	(void)Output();
	EXPECT_EQ(0, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_EQ(0u, Stats().record_frozen);
}

TEST_F(InetRecord, WithoutARecorderThereIsNothing)
{
	conf_.nb_record_segs = 0;
	OpenListening();
	Reset(Accept());
	EXPECT_EQ(0, leat_inet_record(inet_, &copy_, nullptr));
	EXPECT_EQ(0, leat_inet_record(inet_, &copy_, &cause_));
	EXPECT_EQ(0u, leat_inet_record_len(&conf_));
}

TEST_F(InetRecord, ThereIsALimitToItsSize)
{
	leat_error error = {};
	leat_inet *inet;

	conf_.nb_record_segs = LEAT_RECORD_SEGS_MAX + 1;
	EXPECT_EQ(-EINVAL, leat_inet_open(&conf_, &inet, &error));
	EXPECT_NE(nullptr, strstr(error.text, "flight recorder")) << error.text;
	conf_.nb_record_segs = kNbSegs;
	Open();
}

} // namespace
