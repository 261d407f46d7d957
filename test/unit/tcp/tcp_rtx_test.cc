// SPDX-License-Identifier: BSD-3-Clause

// Retransmission: RFC 6298, RFC 5681, RFC 6582, RFC 6928.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

class TcpRtx : public TcpTest
{
      protected:
	// The round trip of the handshake.
	void EstablishWithRtt(uint64_t rtt_us)
	{
		OpenPassive(Syn());
		now += rtt_us;
		Input(Seg(kAck));
		Events();
	}

	void SendAndExpect(const std::string &text)
	{
		Send(text);
		ASSERT_EQ(text, Output().back().text);
	}
};

class TcpCc : public TcpRtx
{
      protected:
	void SetUp() override
	{
		TcpRtx::SetUp();
		conf.congestion = LEAT_TCP_NEWRENO;
	}
};

// RFC 6298 rules 2.2 and 2.3.
TEST_F(TcpRtx, RtoFollowsTheRoundTrips)
{
	EstablishWithRtt(400000);
	EXPECT_EQ(400000u, tcb.srtt_us);
	EXPECT_EQ(200000u, tcb.rttvar_us);
	EXPECT_EQ(1200000u, tcb.rto_us);
	SendAndExpect("x");
	now += 800000;
	Input(Seg(kAck));
	EXPECT_EQ(250000u, tcb.rttvar_us); // 3/4 * 200000 + 1/4 * 400000
	EXPECT_EQ(450000u, tcb.srtt_us);   // 7/8 * 400000 + 1/8 * 800000
	EXPECT_EQ(1450000u, tcb.rto_us);
}

TEST_F(TcpRtx, RtoHasItsMinimumAndMaximum)
{
	EstablishWithRtt(10);
	EXPECT_EQ(conf.rto_min_us, tcb.rto_us);
	leat_tcp_fini(&tcb);
	conf.rto_max_us = 1000000;
	conf.rto_initial_us = 1000000;
	EstablishWithRtt(999999);
	EXPECT_EQ(1000000u, tcb.rto_us);
}

TEST_F(TcpRtx, BacksOffToTheMicrosecondAndEndsAtTheLimit)
{
	conf.nb_retries_max = 4;
	EstablishWithRtt(100000);
	uint64_t rto = tcb.rto_us;

	EXPECT_EQ(300000u, rto);
	SendAndExpect("text");
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(now + (rto << i), leat_tcp_deadline(&tcb));
		leat_tcp_timeout(&tcb, leat_tcp_deadline(&tcb) - 1);
		EXPECT_TRUE(Output().empty());
		Fire();
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kIss + 1, sent[0].seq);
		EXPECT_EQ("text", sent[0].text);
	}
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
}

// RFC 9293 section 3.8.3: R2 counts retransmissions of one text.
TEST_F(TcpRtx, ProgressStartsTheCountAnew)
{
	conf.nb_retries_max = 2;
	Establish();
	Send(std::string(10000, 'x'));
	Output();
	for (int i = 0; i < 10; i++) {
		Fire();
		Fire();
		Output();
		ASSERT_EQ(LEAT_TCP_ESTABLISHED, tcb.state) << i;
		InputAck(tcb.snd_una + 1000);
		Output();
	}
	EXPECT_EQ(tcb.snd_max, tcb.snd_una);
}

TEST_F(TcpRtx, BackOffHasALimit)
{
	conf.rto_max_us = 1000000;
	EstablishWithRtt(100000);
	SendAndExpect("text");
	for (int i = 0; i < 8; i++) {
		uint64_t before = now;

		Fire();
		EXPECT_LE(now - before, 1000000u);
		Output();
	}
}

TEST_F(TcpRtx, SynIsRetransmittedUpToItsLimit)
{
	conf.nb_syn_retries_max = 3;
	conf.nb_synack_retries_max = 9; // of others
	leat_tcp_open_active(&tcb, &conf, now, kIss);
	Output();
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(now + (UINT64_C(1000000) << i), leat_tcp_deadline(&tcb));
		Fire();
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kSyn, sent[0].flags);
		EXPECT_EQ(kIss, sent[0].seq);
	}
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
}

// RFC 1122 section 4.2.3.5 asks for three minutes of a connect; who keeps others waiting for the
// end of his handshake gets less, as he does of Linux: 1 + 2 + 4 + 8 + 16 + 32 seconds.
TEST_F(TcpRtx, HalfOpenConnectionEndsAfter63Seconds)
{
	uint64_t before = now;

	OpenPassive(Syn());
	while (tcb.state == LEAT_TCP_SYN_RECEIVED) {
		Fire();
		Output();
	}
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(63u, (now - before) / 1000000);
}

TEST_F(TcpRtx, SynAckIsRetransmittedUpToItsLimit)
{
	conf.nb_syn_retries_max = 9; // of others
	conf.nb_synack_retries_max = 2;
	OpenPassive(Syn());
	for (int i = 0; i < 2; i++) {
		Fire();
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kSyn | kAck, sent[0].flags);
	}
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
}

// RFC 6298 rule 5.7 and RFC 5681 section 3.1.
TEST_F(TcpRtx, LostSynStartsCarefully)
{
	OpenPassive(Syn());
	Fire();
	Output();
	now += 1000;
	Input(Seg(kAck));
	EXPECT_EQ(3000000u, tcb.rto_us);
	EXPECT_EQ(kMss, tcb.cwnd);
}

TEST_F(TcpRtx, FinIsRetransmitted)
{
	Enter(LEAT_TCP_FIN_WAIT_1);
	for (int i = 0; i < 3; i++) {
		Fire();
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kFin | kAck, sent[0].flags);
		EXPECT_EQ(kIss + 1, sent[0].seq);
	}
	Input(Seg(kAck));
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_2, tcb.state);
}

TEST_F(TcpRtx, TextAndFinAreRetransmittedTogether)
{
	EstablishWithRtt(1000);
	Send("bye");
	leat_tcp_shutdown(&tcb);
	Output();
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kPsh | kAck, sent[0].flags);
	EXPECT_EQ("bye", sent[0].text);
}

TEST_F(TcpRtx, AckOfNothingNewDoesNotPutTheTimerOff)
{
	EstablishWithRtt(1000);
	SendAndExpect("text");
	uint64_t deadline = leat_tcp_deadline(&tcb);

	now += 100000;
	InputAck(tcb.snd_una);
	InputAck(tcb.snd_una, 30000);
	EXPECT_EQ(deadline, tcb.rtx_at_us);
	leat_tcp_seg seg = Seg(kAck);

	seg.ack = tcb.snd_una;
	Input(seg, "x");
	EXPECT_EQ(deadline, tcb.rtx_at_us);
}

// Rules 5.2 and 5.3.
TEST_F(TcpRtx, AckOfSomethingNewRestartsTheTimer)
{
	EstablishWithRtt(1000);
	SendAndExpect("one");
	SendAndExpect("two");
	now += 1000;
	InputAck(kIss + 1 + 3);
	EXPECT_EQ(now + tcb.rto_us, leat_tcp_deadline(&tcb));
	now += 1000;
	InputAck(kIss + 1 + 6);
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

// Karn: without timestamps, what was sent twice tells nothing.
TEST_F(TcpRtx, RetransmittedTextGivesNoSampleWithoutTimestamps)
{
	EstablishWithRtt(100000);
	SendAndExpect("text");
	Fire();
	Output();
	uint32_t rto = tcb.rto_us;

	EXPECT_EQ(600000u, rto);
	now += 1000;
	Input(Seg(kAck));
	EXPECT_EQ(100000u, tcb.srtt_us);
	EXPECT_EQ(rto, tcb.rto_us); // stays backed off until there is a sample
	SendAndExpect("more");
	now += 100000;
	Input(Seg(kAck));
	EXPECT_GT(rto, tcb.rto_us);
}

TEST_F(TcpRtx, RetransmittedTextGivesASampleWithTimestamps)
{
	leat_tcp_seg syn = Syn();

	syn.opts.has_ts = true;
	OpenPassive(syn);
	now += 100000;
	Input(Seg(kAck));
	SendAndExpect("text");
	Fire();
	leat_tcp_seg ack;
	uint32_t ts_val = Output().back().opts.ts_val;

	now += 180000;
	ack = Seg(kAck);
	ack.opts.ts_ecr = ts_val;
	Input(ack);
	EXPECT_EQ(100000u - 100000 / 8 + 180000 / 8, tcb.srtt_us);
}

TEST_F(TcpRtx, AfterTimeoutAllInFlightIsSentAgainInSlowStart)
{
	EstablishWithRtt(1000);
	Send(std::string(1000, 'a') + std::string(1000, 'b'), { 1000 });
	Send(std::string(1000, 'c'));
	EXPECT_EQ(3u, Output().size());
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(std::string(1000, 'a'), sent[0].text);
	InputAck(kIss + 1 + 1000);
	sent = Output();
	ASSERT_EQ(2u, sent.size());
	EXPECT_EQ(std::string(1000, 'b'), sent[0].text);
	EXPECT_EQ(std::string(1000, 'c'), sent[1].text);
	Input(Seg(kAck));
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpRtx, SegmentsTellWhetherTheyWereSentBefore)
{
	OpenPassive(Syn());
	Fire();
	EXPECT_TRUE(Output().at(0).is_rtx);
	now += 1000;
	InputAt(0, "x");
	Send("first");
	EXPECT_FALSE(Output().at(0).is_rtx);
	Fire();
	EXPECT_TRUE(Output().at(0).is_rtx);
	Send("second");
	Input(Seg(kAck));
	EXPECT_FALSE(Output().at(0).is_rtx);
	InputAt(0, "y");
	Fire();
	EXPECT_FALSE(Output().at(0).is_rtx); // an ACK alone
	leat_tcp_shutdown(&tcb);
	EXPECT_FALSE(Output().at(0).is_rtx);
	Fire();
	EXPECT_TRUE(Output().at(0).is_rtx);
}

TEST_F(TcpRtx, LateAckAfterTimeoutSkipsWhatArrived)
{
	EstablishWithRtt(1000);
	Send(std::string(1500, 'a'), { 700 });
	Send(std::string(1500, 'b'));
	Output();
	Fire(); // goes back to the start, nothing is sent yet
	InputAck(kIss + 1 + 2000);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIss + 1 + 2000, sent[0].seq);
	EXPECT_EQ(std::string(1000, 'b'), sent[0].text);
}

// RFC 6928.
TEST_F(TcpCc, InitialWindowIsTenSegments)
{
	EstablishWithRtt(1000);
	Send(std::string(2000, 'x'));
	for (int i = 0; i < 10; i++)
		Send(std::string(1000, 'x'));
	EXPECT_EQ(10u, Output().size());
}

TEST_F(TcpCc, InitialWindowOfLargeSegmentsIsInBytes)
{
	leat_tcp_seg syn = Syn();

	conf.mss = 8960;
	conf.rcv_wnd_max = 60000;
	syn.opts.mss = 8960;
	leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, 8960);
	Output();
	Input(Seg(kAck));
	EXPECT_EQ(2u * 8960, tcb.cwnd);
}

TEST_F(TcpCc, SlowStartAddsASegmentForEachAck)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 12; i++)
		Send(std::string(1000, 'x'));
	Output();
	InputAck(kIss + 1 + 1000);
	EXPECT_EQ(11000u, tcb.cwnd);
	InputAck(kIss + 1 + 3000);
	EXPECT_EQ(12000u, tcb.cwnd);
}

TEST_F(TcpCc, CongestionAvoidanceAddsASegmentForEachWindow)
{
	EstablishWithRtt(1000);
	tcb.ssthresh = tcb.cwnd;
	for (int i = 0; i < 15; i++)
		Send(std::string(1000, 'x'));
	Output();
	for (int i = 1; i < 10; i++) {
		InputAck(kIss + 1 + 1000 * (uint32_t)i);
		Output();
		EXPECT_EQ(10000u, tcb.cwnd);
	}
	InputAck(kIss + 1 + 10000);
	EXPECT_EQ(11000u, tcb.cwnd);
}

TEST_F(TcpCc, WindowThatIsNotUsedDoesNotGrow)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 50; i++) {
		SendAndExpect("x");
		Input(Seg(kAck));
	}
	EXPECT_EQ(10000u, tcb.cwnd);
}

TEST_F(TcpCc, TimeoutHalvesOnceAndStartsWithOneSegment)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 10; i++)
		Send(std::string(1000, 'x'));
	Output();
	Fire();
	EXPECT_EQ(5000u, tcb.ssthresh);
	EXPECT_EQ(1000u, tcb.cwnd);
	Output();
	Fire();
	EXPECT_EQ(5000u, tcb.ssthresh);
}

// RFC 5681 section 3.1: what comes after it is lost as well, and not by the same time-out.
TEST_F(TcpCc, TimeoutBehindWhatArrivedReducesOnceMore)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 10; i++)
		Send(std::string(1000, 'x'));
	Output();
	Fire();
	Output();
	EXPECT_EQ(5000u, tcb.ssthresh);
	InputAck(tcb.snd_una + 2000);
	EXPECT_TRUE(tcb.in_loss);
	Output();
	Fire();
	EXPECT_EQ(4000u, tcb.ssthresh); // half of 8
	Output();
	Fire();
	EXPECT_EQ(4000u, tcb.ssthresh);
}

// RFC 5681 section 3.2: of the flight, not of what limited transmit added to it.
TEST_F(TcpCc, LimitedTransmitDoesNotRaiseTheThreshold)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 12; i++)
		Send(std::string(1000, 'x'));
	EXPECT_EQ(10u, Output().size());
	InputAck(tcb.snd_una);
	InputAck(tcb.snd_una);
	EXPECT_EQ(2u, Output().size());
	InputAck(tcb.snd_una);
	EXPECT_TRUE(tcb.in_recovery);
	EXPECT_EQ(5000u, tcb.ssthresh);
}

// RFC 3042.
TEST_F(TcpCc, FirstTwoDuplicateAcksLetNewTextGo)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 12; i++)
		Send(std::string(1000, (char)('a' + i)));
	EXPECT_EQ(10u, Output().size());
	InputAck(tcb.snd_una);
	EXPECT_EQ(std::string(1000, 'k'), Output().at(0).text);
	InputAck(tcb.snd_una);
	EXPECT_EQ(std::string(1000, 'l'), Output().at(0).text);
}

// RFC 5681 section 3.2 and RFC 6582 section 3.2.
TEST_F(TcpCc, ThirdDuplicateAckRetransmitsAndPartialAckTheNextHole)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 8; i++)
		Send(std::string(1000, (char)('a' + i)));
	Output();
	InputAck(tcb.snd_una);
	InputAck(tcb.snd_una);
	EXPECT_TRUE(Output().empty());
	InputAck(tcb.snd_una);
	EXPECT_EQ(4000u, tcb.ssthresh);
	EXPECT_EQ(7000u, tcb.cwnd);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(std::string(1000, 'a'), sent[0].text);
	InputAck(kIss + 1 + 3000); // d was lost as well
	sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_TRUE(sent[0].is_rtx);
	EXPECT_EQ(std::string(1000, 'd'), sent[0].text);
	InputAck(kIss + 1 + 8000);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(2000u, tcb.cwnd);
	EXPECT_TRUE(Output().empty());
}

TEST_F(TcpCc, DuplicateAcksOfWhatATimeoutSentAgainAreNotALoss)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 5; i++)
		Send(std::string(1000, 'x'));
	Output();
	Fire();
	Output();
	for (int i = 0; i < 5; i++)
		InputAck(tcb.snd_una);
	EXPECT_FALSE(tcb.in_recovery);
}

TEST_F(TcpCc, AckWithAnotherWindowOrTextIsNoDuplicate)
{
	EstablishWithRtt(1000);
	for (int i = 0; i < 5; i++)
		Send(std::string(1000, 'x'));
	Output();
	for (uint32_t i = 0; i < 5; i++)
		InputAck(tcb.snd_una, 20001 + i);
	for (int i = 0; i < 5; i++) {
		leat_tcp_seg seg = Seg(kAck);

		seg.ack = tcb.snd_una;
		seg.wnd = tcb.snd_wnd;
		Input(seg, "x");
	}
	leat_tcp_seg fin = Seg(kAck | kFin);

	fin.ack = tcb.snd_una;
	fin.wnd = tcb.snd_wnd;
	Input(fin);
	EXPECT_EQ(0, tcb.nb_dup_acks);
}

// What counts is the window, not how it is written.
TEST_F(TcpCc, DuplicateAckHasTheSameWindowScaled)
{
	leat_tcp_seg syn = Syn();

	syn.opts.has_wscale = true;
	syn.opts.wscale = 4;
	Establish(syn);
	Send(std::string(3000, 'x'));
	Output();
	InputAck(tcb.snd_una, 10000); // 160000
	EXPECT_EQ(0, tcb.nb_dup_acks);
	InputAck(tcb.snd_una, 10000);
	EXPECT_EQ(1, tcb.nb_dup_acks);
	InputAck(tcb.snd_una, 10001);
	EXPECT_EQ(1, tcb.nb_dup_acks);
}

// RFC 5681 section 4.1.
TEST_F(TcpCc, PauseRestartsWithTheInitialWindow)
{
	EstablishWithRtt(1000);
	tcb.cwnd = 50000;
	SendAndExpect("x");
	Input(Seg(kAck));
	now += 10 * conf.rto_min_us;
	SendAndExpect("y");
	EXPECT_EQ(10000u, tcb.cwnd);
}

} // namespace
