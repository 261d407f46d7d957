// SPDX-License-Identifier: BSD-3-Clause

// The scoreboard and what is sent by it: RFC 6675, RFC 2018, RFC 2883, RFC 6937.

#include "tcp_loss_fixture.h"

using namespace tcp_test;

namespace
{

class TcpSack : public TcpLossTest
{
      protected:
	void SetUp() override
	{
		TcpLossTest::SetUp();
		Open();
	}

	size_t SendSegs(int nb)
	{
		size_t sent = TcpLossTest::SendSegs(nb);

		now += kRttUs;
		return sent;
	}
};

// RFC 6675 section 4: the pipe is what is in flight less what arrived and what was lost.
TEST_F(TcpSack, BlocksCountOnceHoweverOftenTheyAreTold)
{
	SendSegs(8);
	EXPECT_EQ(8000u, Pipe());
	AckSegs(0, { { 2, 3 } });
	AckSegs(0, { { 2, 3 } });
	EXPECT_EQ(1000u, tcb.snd_sacked);
	EXPECT_EQ(7000u, Pipe());
	AckSegs(0, { { 4, 5 }, { 2, 3 } });
	AckSegs(0, { { 2, 5 } });
	EXPECT_EQ(3000u, tcb.snd_sacked);
	AckSegs(8);
	EXPECT_EQ(0u, tcb.snd_sacked);
	EXPECT_EQ(0u, Pipe());
	EXPECT_EQ(0, tcb.nb_recs);
}

// What the peer has needs one record, however many segments it was.
TEST_F(TcpSack, NeighboursThatThePeerHasBecomeOneRecord)
{
	SendSegs(8);
	EXPECT_EQ(8, tcb.nb_recs);
	for (uint32_t i : { 3u, 5u, 4u, 7u, 6u })
		AckSegs(0, { { i, i + 1 } });
	EXPECT_EQ(4, tcb.nb_recs);
	EXPECT_EQ(5000u, tcb.snd_sacked);
}

TEST_F(TcpSack, BlocksWithinASegmentSplitIt)
{
	SendSegs(3);
	leat_tcp_seg seg = Seg(kAck);

	seg.ack = At(0);
	seg.opts.nb_sacks = 1;
	seg.opts.sacks[0] = { At(1) + 300, At(1) + 700 };
	Input(seg);
	EXPECT_EQ(400u, tcb.snd_sacked);
	EXPECT_EQ(5, tcb.nb_recs);
}

TEST_F(TcpSack, ForgedBlocksAreNotBelieved)
{
	SendSegs(4);
	const std::pair<uint32_t, uint32_t> bad[] = {
		{ At(4), At(5) },             // never sent
		{ At(3), At(4) + 1 },         // beyond what was sent
		{ At(2), At(2) },             // empty
		{ At(3), At(2) },             // the wrong way round
		{ At(0) - 1, At(2) },         // begins before what is in flight
		{ At(0), At(0) + (1u << 31) } // half of the numbers
	};

	for (auto [left, right] : bad) {
		leat_tcp_seg seg = Seg(kAck);

		seg.ack = At(0);
		seg.opts.nb_sacks = 1;
		seg.opts.sacks[0] = { left, right };
		Input(seg);
		EXPECT_EQ(0u, tcb.snd_sacked) << left - At(0) << " to " << right - At(0);
	}
	EXPECT_EQ(4, tcb.nb_recs);
	EXPECT_EQ("", Leaving());
}

// The numbers wrap within the first segment: kIss is 16 before.
TEST_F(TcpSack, NumbersWrap)
{
	static_assert(kIss + kMss < kIss);
	SendSegs(5);
	AckSegs(0, { { 1, 5 } });
	EXPECT_EQ(4000u, tcb.snd_sacked);
	EXPECT_EQ("A", Leaving());
	AckSegs(5);
	EXPECT_EQ(0, tcb.nb_recs);
}

// RFC 6675 section 5: the holes, the oldest first, as the pipe allows, and no more.
TEST_F(TcpSack, OnlyHolesAreSentAgain)
{
	SendSegs(10);
	AckSegs(0, { { 1, 2 } });
	AckSegs(0, { { 3, 4 }, { 1, 2 } });
	EXPECT_EQ("", Leaving());
	EXPECT_FALSE(tcb.in_recovery);
	AckSegs(0, { { 5, 10 }, { 3, 4 }, { 1, 2 } });
	EXPECT_TRUE(tcb.in_recovery);
	EXPECT_EQ("ACE", Leaving());
	EXPECT_EQ(3000u, Pipe());
	now += kRttUs;
	AckSegs(2, { { 3, 4 }, { 5, 10 } });
	AckSegs(10);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ("", Leaving());
	EXPECT_EQ(3u, tcb.nb_rtx);
}

TEST_F(TcpSack, NewTextGoesOutInRecoveryAsSegmentsArrive)
{
	SendSegs(10);
	for (int i = 0; i < 10; i++)
		Send(std::string(kMss, 'n'));
	std::string sent;

	for (uint32_t i = 1; i < 10; i++) {
		AckSegs(0, { { 1, i + 1 } });
		sent += Leaving();
		EXPECT_LE(Pipe(), 10000u);
	}
	EXPECT_EQ(1, std::count(sent.begin(), sent.end(), 'A'));
	// RFC 6937: 0.7 of what arrives, to the end. Two were let go before the loss was known.
	EXPECT_GE(std::count(sent.begin(), sent.end(), 'n'), 6);
	EXPECT_LE(std::count(sent.begin(), sent.end(), 'n'), 8);
	now += kRttUs;
	AckSegs(10 + 6);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(tcb.ssthresh, tcb.cwnd);
}

// RFC 2018 section 8: the peer may drop what it told by SACK.
TEST_F(TcpSack, PeerThatDropsWhatItHadGetsItAgain)
{
	SendSegs(5);
	AckSegs(0, { { 1, 5 } });
	EXPECT_EQ("A", Leaving());
	now += kRttUs;
	AckSegs(1); // it does not have b any more
	EXPECT_EQ("", Leaving());
	std::string sent;

	for (int i = 0; i < 10 && tcb.snd_una != At(5); i++) {
		if (std::string names = Leaving(); !names.empty()) {
			sent += names;
			AckSegs((uint32_t)(1 + sent.size()));
		} else {
			Fire();
		}
	}
	EXPECT_EQ("BCDE", sent);
	EXPECT_EQ(0u, tcb.snd_sacked);
}

// RFC 6675 section 5.1: what the peer has stays known over a time-out.
TEST_F(TcpSack, TimeoutSendsHolesOnly)
{
	SendSegs(6);
	AckSegs(0, { { 2, 3 } });
	Fire(); // the reordering timer, or at last the time-out
	std::string sent = Leaving();

	for (int i = 0; i < 3; i++) {
		Fire();
		sent += Leaving();
	}
	EXPECT_EQ(std::string::npos, sent.find('C')) << sent;
	EXPECT_NE(std::string::npos, sent.find('A')) << sent;
}

// RFC 2883 section 4: what comes twice is told once, first of the blocks.
TEST_F(TcpSack, DuplicateTextIsTold)
{
	InputAt(0, "hello");
	Output();
	InputAt(-5, "hello");
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	ASSERT_EQ(1, sent[0].opts.nb_sacks);
	EXPECT_EQ(kIrs + 1, sent[0].opts.sacks[0].left);
	EXPECT_EQ(kIrs + 6, sent[0].opts.sacks[0].right);
	EXPECT_EQ(0u, tcb.reass);
	InputAt(10, "x");
	EXPECT_EQ(1, Output().at(0).opts.nb_sacks);
	InputAt(10, "x");
	sent = Output();
	ASSERT_EQ(2, sent.at(0).opts.nb_sacks);
	EXPECT_EQ(kIrs + 16, sent[0].opts.sacks[0].left); // within the block that follows
	EXPECT_EQ(kIrs + 16, sent[0].opts.sacks[1].left);
	InputAt(0, "world-----");
	EXPECT_EQ(0, Output().at(0).opts.nb_sacks);
	EXPECT_EQ("helloworld-----x", Take());
}

TEST_F(TcpSack, PartlyOldTextIsToldAsFarAsItWasHere)
{
	InputAt(0, "hello");
	Output();
	InputAt(-2, "lo world");
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1, sent.at(0).opts.nb_sacks);
	EXPECT_EQ(kIrs + 4, sent[0].opts.sacks[0].left);
	EXPECT_EQ(kIrs + 6, sent[0].opts.sacks[0].right);
}

// The last of them takes the place of a block: 4 fit without timestamps.
TEST_F(TcpSack, DuplicateAndBlocksFitTheSegment)
{
	for (int32_t off : { 10, 20, 30, 40, 50 })
		InputAt(off, "x");
	Output();
	InputAt(30, "x");
	std::vector<Sent> sent = Output();

	ASSERT_EQ(4, sent.at(0).opts.nb_sacks);
	EXPECT_EQ(kIrs + 31, sent[0].opts.sacks[0].left);
	EXPECT_EQ(kIrs + 31, sent[0].opts.sacks[1].left);
}

// A peer that contradicts its own FIN: what lies behind is not kept.
TEST_F(TcpSack, TextBehindAFinIsDropped)
{
	InputAt(2, "cdefgh");
	InputAt(10, "klm");
	EXPECT_EQ(2u, NbReass());
	InputAt(2, "cd", kFin);
	EXPECT_EQ(1u, NbReass());
	InputAt(0, "ab");
	EXPECT_EQ("abcd", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(kIrs + 6, tcb.rcv_nxt);
	EXPECT_EQ(0u, tcb.reass);
}

TEST_F(TcpSack, RunsAreLimited)
{
	for (uint32_t i = 0; i < LEAT_TCP_RUNS_MAX; i++)
		InputAt((int32_t)(2 + 2 * i), "x");
	EXPECT_EQ(LEAT_TCP_RUNS_MAX, tcp_reass_of(&tcb)->nb_runs);
	InputAt((int32_t)(2 + 2 * LEAT_TCP_RUNS_MAX), "x"); // one over
	EXPECT_EQ(LEAT_TCP_RUNS_MAX, tcp_reass_of(&tcb)->nb_runs);
	InputAt(0, "--");
	EXPECT_EQ("--x", Take());
}

} // namespace
