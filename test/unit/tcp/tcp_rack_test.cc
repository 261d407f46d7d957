// SPDX-License-Identifier: BSD-3-Clause

// RACK-TLP, RFC 8985, and undoing what was needless, RFC 3522.

#include "tcp_loss_fixture.h"

using namespace tcp_test;

namespace
{

class TcpRack : public TcpLossTest
{
      protected:
	// Segments that leave a millisecond apart.
	void SendPaced(int nb)
	{
		for (int i = 0; i < nb; i++) {
			ASSERT_EQ(1u, SendSegs(1));
			now += 1000;
		}
	}
};

using TcpTlp = TcpRack;

// Section 6.2 step 3: once a segment came late, three ACKs do not make a loss.
TEST_F(TcpRack, ReorderedSegmentIsNotSentAgain)
{
	Open();
	SendPaced(3);
	now += kRttUs - 3000;
	AckSegs(0, { { 1, 2 } });
	AckSegs(2); // a was late
	EXPECT_TRUE(tcb.reo_seen);
	AckSegs(3);
	SendPaced(6);
	now += kRttUs - 6000;
	for (uint32_t i = 4; i < 8; i++)
		AckSegs(3, { { 4, i + 1 } });
	EXPECT_EQ("", Leaving());
	EXPECT_EQ(TCP_TIMER_REO, tcb.timer_kind);
	AckSegs(9); // d comes within a quarter of the round trip
	EXPECT_EQ("", Leaving());
	EXPECT_EQ(0u, tcb.nb_rtx);
}

// Step 5: the timer ends the wait.
TEST_F(TcpRack, ReorderingTimerFindsTheLoss)
{
	Open();
	SendPaced(3);
	now += kRttUs - 3000;
	AckSegs(0, { { 1, 2 } });
	AckSegs(3);
	SendPaced(6);
	now += kRttUs - 6000;
	AckSegs(3, { { 4, 9 } });
	EXPECT_EQ("", Leaving());
	uint64_t wait_us = leat_tcp_deadline(&tcb) - now;

	EXPECT_GT(wait_us, 10000u);
	EXPECT_LE(wait_us, kRttUs / 4 + 6000);
	Fire();
	EXPECT_EQ("D", Leaving());
	EXPECT_TRUE(tcb.in_recovery);
	EXPECT_EQ(0, tcb.nb_retries);
}

// RFC 6298 rule 5.3, RFC 8985 section 8: however often it fires, the time-out comes when due.
TEST_F(TcpRack, ReorderingTimerDoesNotPutTheTimeoutOff)
{
	Open();
	SendPaced(3);
	now += kRttUs - 3000;
	AckSegs(0, { { 1, 2 } });
	AckSegs(3);
	uint64_t at_us = now + tcb.rto_us;

	SendPaced(6);
	now += kRttUs - 6000;
	AckSegs(3, { { 4, 5 } });
	ASSERT_EQ(TCP_TIMER_REO, tcb.timer_kind);
	Fire();
	EXPECT_EQ("D", Leaving());
	EXPECT_EQ(TCP_TIMER_RTX, tcb.timer_kind);
	EXPECT_EQ(at_us, tcb.rtx_at_us);
	AckSegs(3, { { 4, 5 }, { 6, 7 } });
	ASSERT_EQ(TCP_TIMER_REO, tcb.timer_kind);
	Fire();
	EXPECT_EQ("F", Leaving());
	EXPECT_EQ(at_us, tcb.rtx_at_us);
	Fire();
	EXPECT_EQ(1, tcb.nb_retries);
	EXPECT_EQ("D", Leaving().substr(0, 1));
	EXPECT_EQ(now + tcb.rto_us, tcb.rtx_at_us);
}

// The worker was held up: the loss is found first, and the time-out that is over comes next.
TEST_F(TcpRack, ReorderingTimerThatIsLateLeavesTheTimeoutDueNext)
{
	Open();
	SendPaced(3);
	now += kRttUs - 3000;
	AckSegs(0, { { 1, 2 } });
	AckSegs(3);
	SendPaced(6);
	now += kRttUs - 6000;
	AckSegs(3, { { 4, 5 } });
	ASSERT_EQ(TCP_TIMER_REO, tcb.timer_kind);
	now += 10 * (uint64_t)tcb.rto_us;
	leat_tcp_timeout(&tcb, now);
	EXPECT_EQ("D", Leaving());
	EXPECT_EQ(0, tcb.nb_retries);
	EXPECT_EQ(now + 1, leat_tcp_deadline(&tcb));
	Fire();
	EXPECT_EQ(1, tcb.nb_retries);
}

// Without three segments behind it: what left before something that arrived.
TEST_F(TcpRack, LossIsFoundByOneLaterSegment)
{
	Open();
	SendPaced(2);
	now += kRttUs - 2000;
	AckSegs(0, { { 1, 2 } });
	EXPECT_EQ("", Leaving());
	Fire();
	EXPECT_EQ("A", Leaving());
	EXPECT_EQ(0, tcb.nb_retries);
}

// Section 3: a retransmission that is lost as well is found by what left after it.
TEST_F(TcpRack, LostRetransmissionIsFound)
{
	Open();
	SendSegs(8);
	now += kRttUs;
	AckSegs(0, { { 1, 5 } });
	EXPECT_EQ("A", Leaving().substr(0, 1));
	now += 1000;
	Send(std::string(kMss, 'n'));
	AckSegs(0, { { 1, 8 } });
	EXPECT_EQ("n", Leaving());
	now += kRttUs;
	AckSegs(0, { { 1, 9 } }); // n left after the second a
	EXPECT_EQ("A", Leaving());
}

// RFC 5681 section 4.3: what left in recovery and was lost is the next window's loss.
TEST_F(TcpRack, LossInTheNextWindowReducesOnceMore)
{
	Open();
	SendSegs(10);
	now += kRttUs;
	AckSegs(0, { { 1, 9 } });
	EXPECT_EQ("A", Leaving());
	AckSegs(0, { { 1, 10 } });
	EXPECT_EQ(7000u, tcb.ssthresh);
	now += 1000;
	EXPECT_EQ(3u, SendSegs(3)); // k, l and m
	now += kRttUs;
	AckSegs(0, { { 1, 10 }, { 11, 13 } }); // neither A nor k
	EXPECT_EQ("AK", Leaving());
	EXPECT_EQ(7000u, tcb.ssthresh); // the first window is not whole yet
	now += kRttUs;
	AckSegs(10, { { 11, 13 } });
	EXPECT_TRUE(tcb.in_recovery);
	EXPECT_EQ(4900u, tcb.ssthresh);
	AckSegs(13);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(4900u, tcb.ssthresh);
}

// The same with one ACK for both.
TEST_F(TcpRack, LossInTheNextWindowThatIsRepairedReducesToo)
{
	Open();
	SendSegs(10);
	now += kRttUs;
	AckSegs(0, { { 1, 10 } });
	EXPECT_EQ("A", Leaving());
	now += 1000;
	SendSegs(3);
	now += kRttUs;
	AckSegs(0, { { 1, 10 }, { 11, 13 } });
	EXPECT_EQ("AK", Leaving());
	now += kRttUs;
	AckSegs(13);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(4900u, tcb.ssthresh);
	EXPECT_EQ(4900u, tcb.cwnd);
	EXPECT_EQ(TCP_NEVER, tcb.rtx_at_us);
}

// Step 4: each round with a DSACK widens the window, 16 recoveries narrow it.
TEST_F(TcpRack, NeedlessRetransmissionWidensTheWindow)
{
	Open();
	SendSegs(5);
	now += kRttUs;
	AckSegs(0, { { 1, 5 } });
	EXPECT_EQ("A", Leaving());
	EXPECT_EQ(1, tcb.reo_mult);
	AckSegs(5);
	SendSegs(1);
	AckSegs(5, { { 0, 1 } });
	EXPECT_EQ(2, tcb.reo_mult);
	EXPECT_EQ(16, tcb.reo_persist);
	AckSegs(5, { { 0, 1 } }); // the same round
	EXPECT_EQ(2, tcb.reo_mult);
	AckSegs(6);
	SendSegs(1);
	AckSegs(6, { { 0, 1 } });
	EXPECT_EQ(3, tcb.reo_mult);
	for (int i = 0; i < 16; i++)
		tcp_rack_recovered(&tcb);
	EXPECT_EQ(1, tcb.reo_mult);
}

// The peer tells when all has arrived long since.
TEST_F(TcpRack, NeedlessRetransmissionIsToldThoughNothingIsInFlight)
{
	Open();
	SendSegs(5);
	now += kRttUs;
	AckSegs(0, { { 1, 5 } });
	EXPECT_EQ("A", Leaving());
	AckSegs(5);
	ASSERT_EQ(tcb.snd_max, tcb.snd_una);
	AckSegs(5, { { 0, 1 } });
	EXPECT_EQ(2, tcb.reo_mult);
	EXPECT_TRUE(tcb.reo_seen);
}

// Step 4: a recovery from a time-out is one of those that narrow it.
TEST_F(TcpRack, RecoveryFromATimeoutNarrowsTheWindow)
{
	Open();
	SendSegs(2);
	tcb.reo_mult = 2;
	tcb.reo_persist = 2;
	for (int i = 0; i < 3 && tcb.nb_retries == 0; i++) {
		Fire();
		Leaving();
	}
	ASSERT_TRUE(tcb.in_loss);
	now += kRttUs;
	AckSegs(2);
	EXPECT_FALSE(tcb.in_loss);
	EXPECT_EQ(1, tcb.reo_persist);
	EXPECT_EQ(2, tcb.reo_mult);
}

// RFC 3522: the ACK of the first sending, told by the timestamp, puts all back.
TEST_F(TcpRack, NeedlessRecoveryIsUndone)
{
	with_ts = true;
	Open();
	for (int i = 0; i < 8; i++)
		Send(std::string(kMss, 'x'));
	echo = Output().at(0).opts.ts_val;
	uint32_t cwnd = tcb.cwnd;

	now += kRttUs;
	AckSegs(0, { { 1, 8 } });
	EXPECT_EQ("X", Leaving());
	EXPECT_TRUE(tcb.in_recovery);
	now += 5000;
	AckSegs(8); // it echoes the first sending
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_GE(tcb.cwnd, cwnd);
	EXPECT_EQ(TCP_CWND_MAX, tcb.ssthresh);
	EXPECT_TRUE(tcb.reo_seen || tcb.fack == At(8));
}

TEST_F(TcpRack, NeedlessTimeoutIsUndone)
{
	with_ts = true;
	Open();
	for (int i = 0; i < 5; i++)
		Send(std::string(kMss, 'x'));
	echo = Output().at(0).opts.ts_val;
	tcb.tlp_on = true; // no probe first
	tcp_rtx_restart(&tcb, now);
	uint32_t cwnd = tcb.cwnd;

	Fire();
	EXPECT_EQ("X", Leaving());
	EXPECT_EQ(kMss, tcb.cwnd);
	now += 3000;
	AckSegs(1);
	EXPECT_FALSE(tcb.in_loss);
	EXPECT_GE(tcb.cwnd, cwnd);
	EXPECT_EQ(0u, tcb.snd_lost);
	EXPECT_EQ("", Leaving());
}

TEST_F(TcpRack, TimeoutThatWasRightIsNotUndone)
{
	with_ts = true;
	Open();
	for (int i = 0; i < 5; i++)
		Send(std::string(kMss, 'x'));
	Output();
	tcb.tlp_on = true;
	tcp_rtx_restart(&tcb, now);
	Fire();
	echo = Output().at(0).opts.ts_val;
	now += kRttUs;
	AckSegs(1);
	EXPECT_TRUE(tcb.in_loss);
	EXPECT_LT(tcb.ssthresh, TCP_CWND_MAX);
}

// Section 7.2: twice the round trip, and time for a delayed ACK of a small flight.
TEST_F(TcpTlp, ProbeComesBeforeTheTimeout)
{
	Open();
	SendSegs(4);
	EXPECT_EQ(TCP_TIMER_TLP, tcb.timer_kind);
	EXPECT_EQ(now + 2 * kRttUs, leat_tcp_deadline(&tcb));
	leat_tcp_fini(&tcb);
	Open();
	Send("x");
	Output();
	EXPECT_EQ(now + tcb.rto_us, leat_tcp_deadline(&tcb)); // which is sooner
}

// Section 7.3: the last segment again, or new text.
TEST_F(TcpTlp, ProbeIsTheLastSegment)
{
	Open();
	SendSegs(4);
	Fire();
	EXPECT_EQ("D", Leaving());
	EXPECT_EQ(0, tcb.nb_retries);
	EXPECT_EQ(10000u, tcb.cwnd);
	EXPECT_EQ(TCP_TIMER_RTX, tcb.timer_kind); // one probe at a time
}

TEST_F(TcpTlp, ProbeIsNewTextWhereThereIsSome)
{
	Open();
	tcb.cwnd = 4000;
	SendSegs(6);
	EXPECT_EQ(4000u, Pipe());
	Fire();
	EXPECT_EQ("e", Leaving());
}

TEST_F(TcpTlp, ProbeOfAFinIsTheTextBeforeIt)
{
	Open();
	SendSegs(2);
	leat_tcp_shutdown(&tcb);
	Output();
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(std::string(kMss, 'b'), sent[0].text);
	EXPECT_TRUE(sent[0].flags & kFin);
}

// Section 7.4: a lost tail is found by the SACK of the probe.
TEST_F(TcpTlp, ProbeFindsALostTail)
{
	Open();
	SendSegs(5);
	AckSegs(1);
	now += 1000;
	Fire();
	EXPECT_EQ("E", Leaving());
	now += kRttUs;
	AckSegs(1, { { 4, 5 } });
	std::string sent = Leaving();

	if (sent.empty()) {
		Fire();
		sent = Leaving();
	}
	EXPECT_EQ("B", sent); // as much as has arrived, RFC 6937
	EXPECT_EQ(3000u, tcb.snd_lost + Pipe());
	now += kRttUs;
	AckSegs(2, { { 4, 5 } });
	EXPECT_EQ("CD", Leaving());
	EXPECT_EQ(0, tcb.nb_retries);
}

// Section 7.4.2: the probe has repaired the one loss: the window pays for it.
TEST_F(TcpTlp, RepairedLossReducesTheWindow)
{
	Open();
	SendSegs(4);
	AckSegs(3);
	Fire();
	EXPECT_EQ("D", Leaving());
	now += kRttUs;
	AckSegs(4);
	EXPECT_EQ(TCP_CWND_MAX, tcb.ssthresh); // it might have been late
	SendSegs(1);
	now += kRttUs;
	AckSegs(5);
	EXPECT_EQ(7000u, tcb.ssthresh);
	EXPECT_FALSE(tcb.tlp_on);
}

TEST_F(TcpTlp, ProbeInVainCostsNothing)
{
	Open();
	SendSegs(4);
	AckSegs(3);
	Fire();
	EXPECT_EQ("D", Leaving());
	AckSegs(4);
	AckSegs(4, { { 3, 4 } }); // DSACK: both have arrived
	EXPECT_FALSE(tcb.tlp_on);
	SendSegs(1);
	AckSegs(5);
	EXPECT_EQ(TCP_CWND_MAX, tcb.ssthresh);
}

// Section 7.4.2 case 1 is of the probe; text that came twice before says nothing of it.
TEST_F(TcpTlp, OtherTextThatCameTwiceDoesNotExcuseTheLoss)
{
	Open();
	SendSegs(4);
	AckSegs(3);
	Fire();
	EXPECT_EQ("D", Leaving());
	now += kRttUs;
	AckSegs(4, { { 0, 1 } });
	EXPECT_TRUE(tcb.tlp_on);
	SendSegs(1);
	now += kRttUs;
	AckSegs(5);
	EXPECT_EQ(7000u, tcb.ssthresh);
	EXPECT_FALSE(tcb.tlp_on);
}

// Section 7.3: no second one before a round trip was measured.
TEST_F(TcpTlp, NextProbeNeedsARoundTrip)
{
	Open();
	SendSegs(4);
	AckSegs(3);
	Fire();
	EXPECT_EQ("D", Leaving());
	AckSegs(4);
	AckSegs(4, { { 3, 4 } });
	ASSERT_FALSE(tcb.tlp_on);
	SendSegs(2);
	EXPECT_EQ(TCP_TIMER_RTX, tcb.timer_kind);
	now += kRttUs;
	AckSegs(5);
	EXPECT_EQ(TCP_TIMER_TLP, tcb.timer_kind);
}

// Section 7.2: none in recovery, though its timer was on before.
TEST_F(TcpTlp, RecoveryNeedsNoProbe)
{
	Open();
	SendSegs(10);
	uint64_t at_us = now + tcb.rto_us;

	now += kRttUs;
	AckSegs(0, { { 1, 9 } });
	EXPECT_EQ("A", Leaving());
	Fire();
	EXPECT_EQ("", Leaving());
	EXPECT_FALSE(tcb.tlp_on);
	EXPECT_EQ(at_us, tcb.rtx_at_us);
}

TEST_F(TcpTlp, ProbeDoesNotPutTheTimeoutOff)
{
	Open();
	SendSegs(4);
	uint64_t at_us = now + tcb.rto_us;

	Fire();
	Leaving();
	EXPECT_LE(leat_tcp_deadline(&tcb), std::max(at_us, now + 2 * kRttUs));
}

// A turn that sends before it looks at its timers, which are due.
TEST_F(TcpTlp, ProbeThatIsDueIsNotPutOffByNewText)
{
	Open();
	SendSegs(4);
	ASSERT_EQ(TCP_TIMER_TLP, tcb.timer_kind);
	uint64_t at_us = tcb.rtx_at_us;

	now = at_us + 1;
	SendSegs(1);
	EXPECT_EQ(at_us, tcb.rtx_at_us);
	leat_tcp_timeout(&tcb, now);
	EXPECT_EQ("E", Leaving());
}

// Without SACK nothing would tell, and nothing is probed.
TEST_F(TcpTlp, PeerWithoutSackGetsNoProbe)
{
	Establish();
	SendSegs(4);
	EXPECT_EQ(TCP_TIMER_RTX, tcb.timer_kind);
}

} // namespace
