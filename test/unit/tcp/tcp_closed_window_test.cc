// SPDX-License-Identifier: BSD-3-Clause

// The peer's window is closed, or too small for a segment: RFC 9293 section 3.8.6.1.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpClosedWnd = TcpTest;

TEST_F(TcpClosedWnd, ClosedWindowIsProbedWithBackOff)
{
	Establish();
	InputAck(tcb.snd_max, 0);
	Send("reply");
	EXPECT_TRUE(Output().empty());
	uint64_t interval = leat_tcp_deadline(&tcb) - now;

	EXPECT_EQ(tcb.rto_us, interval);
	for (int i = 0; i < 5; i++) {
		uint64_t before = now;

		Fire();
		EXPECT_EQ(interval << i, now - before);
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kAck, sent[0].flags);
		EXPECT_EQ(tcb.snd_una - 1, sent[0].seq);
		EXPECT_EQ("", sent[0].text);
	}
	InputAck(tcb.snd_max, 20000);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ("reply", sent[0].text);
	EXPECT_EQ(kIss + 1, sent[0].seq);
	EXPECT_EQ(0u, tcb.nb_probes); // it is closed no more
}

TEST_F(TcpClosedWnd, AnsweredProbesGoOnForEverAndUnansweredEnd)
{
	conf.nb_retries_max = 3;
	Establish();
	InputAck(tcb.snd_max, 0);
	Send("reply");
	Output();
	for (int i = 0; i < 50; i++) {
		Fire();
		ASSERT_EQ(1u, Output().size());
		InputAck(tcb.snd_max, 0);
		Output();
	}
	for (int i = 0; i < 3; i++) {
		Fire();
		ASSERT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
		Output();
	}
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
}

// A peer without memory takes its window back, and all in flight is lost; but it is there.
TEST_F(TcpClosedWnd, WindowThatClosesOnTextInFlightIsWaitedForAsLong)
{
	conf.nb_retries_max = 3;
	Establish();
	Send(std::string(2000, 'x'));
	Output();
	InputAck(tcb.snd_una, 0);
	EXPECT_FALSE(leat_tcp_is_stalled(&tcb));
	for (int i = 0; i < 50; i++) {
		Fire();
		ASSERT_EQ(1u, Output().size()); // the first segment again
		InputAck(tcb.snd_una, 0);
		EXPECT_TRUE(Output().empty());
		EXPECT_TRUE(leat_tcp_is_stalled(&tcb));
	}
	for (int i = 0; i < 3; i++) {
		Fire();
		ASSERT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
		Output();
	}
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
}

// By then the time-out may be a minute off.
TEST_F(TcpClosedWnd, TextThatAWindowClosedUponGoesWhenItOpens)
{
	leat_tcp_seg syn = Syn();

	syn.opts.has_sack_ok = true;
	Establish(syn);
	Send(std::string(2000, 'x'));
	Output();
	InputAck(tcb.snd_una, 0);
	for (int i = 0; i < 5; i++) {
		Fire();
		Output();
		InputAck(tcb.snd_una, 0);
		EXPECT_TRUE(Output().empty());
	}
	InputAck(tcb.snd_una, 20000);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(tcb.snd_una, sent[0].seq);
	EXPECT_EQ(1000u, sent[0].text.size());
	InputAck(tcb.snd_una, 20000); // no news
	EXPECT_TRUE(Output().empty());
	InputAck(tcb.snd_una + 1000);
	ASSERT_EQ(1u, Output().size());
	InputAck(tcb.snd_max);
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpClosedWnd, ProbeIntervalHasALimit)
{
	conf.nb_retries_max = 60;
	Establish();
	InputAck(tcb.snd_max, 0);
	Send("reply");
	Output();
	for (int i = 0; i < 50; i++) {
		uint64_t before = now;

		Fire();
		Output();
		ASSERT_LE(now - before, conf.rto_max_us);
	}
}

TEST_F(TcpClosedWnd, WindowTooSmallForASegmentIsUsedInTheEnd)
{
	Establish();
	InputAck(tcb.snd_max, 10);
	Send(std::string(100, 'x'));
	EXPECT_TRUE(Output().empty());
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(10u, sent[0].text.size());
}

TEST_F(TcpClosedWnd, WindowThatClosesOnTextInFlightIsNotProbedYet)
{
	Establish();
	Send(std::string(500, 'x'));
	Output();
	Send(std::string(500, 'y'));
	InputAck(tcb.snd_una, 0);
	EXPECT_TRUE(Output().empty());
	InputAck(tcb.snd_max, 0);
	EXPECT_TRUE(Output().empty());
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIss + 1 + 500 - 1, sent[0].seq);
}

TEST_F(TcpClosedWnd, ZeroWindowProbeOfThePeerIsAnswered)
{
	Establish();
	for (const char *text : { "", "x" }) {
		InputAt(-1, text);
		EXPECT_EQ(1u, Output().size());
	}
}

TEST_F(TcpClosedWnd, FinGoesIntoAClosedWindow)
{
	Establish();
	InputAck(tcb.snd_max, 0);
	leat_tcp_shutdown(&tcb);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kAck, sent[0].flags);
}

// RFC 9293 section 3.8.6: of a window that was taken back only the first segment goes beyond.
TEST_F(TcpClosedWnd, TextBeyondAWindowThatWasTakenBackIsNotSentAgain)
{
	Establish();
	Send(std::string(5000, 'x'));
	Output();
	Fire();
	EXPECT_EQ(1u, Output().size());
	InputAck(tcb.snd_una + 1000, 500); // cwnd has room for two
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(tcb.snd_una, sent[0].seq);
	InputAck(tcb.snd_una + 1000, 2000);
	EXPECT_EQ(2u, Output().size());
}

} // namespace
