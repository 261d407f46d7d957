// SPDX-License-Identifier: BSD-3-Clause

// Text out of order: RFC 9293 section 3.10.7.4 seventh step, RFC 5681 4.2, RFC 2018.

#include <algorithm>
#include <random>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

class TcpReass : public TcpTest
{
      protected:
	uint32_t budget = 1000;

	void SetUp() override
	{
		leat_tcp_seg syn = Syn();

		TcpTest::SetUp();
		conf.reass_budget = &budget;
		syn.opts.has_sack_ok = true;
		Establish(syn);
	}

	void TearDown() override
	{
		TcpTest::TearDown();
		EXPECT_EQ(1000u, budget);
	}

	// The SACK blocks of the ACK that is owed, relative to the peer's first byte.
	std::vector<std::pair<uint32_t, uint32_t>> Sacks()
	{
		std::vector<std::pair<uint32_t, uint32_t>> blocks;
		std::vector<Sent> sent = Output();

		EXPECT_EQ(1u, sent.size());
		for (unsigned int i = 0; i < sent.back().opts.nb_sacks; i++)
			blocks.emplace_back(sent.back().opts.sacks[i].left - kIrs - 1,
				sent.back().opts.sacks[i].right - kIrs - 1);
		return blocks;
	}

	// Those of what is kept, without a DSACK.
	std::vector<std::pair<uint32_t, uint32_t>> SacksKept()
	{
		Output();
		tcb.owed |= TCP_OWED_ACK;
		return Sacks();
	}
};

using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;

TEST_F(TcpReass, EveryOrderOfFiveSegmentsIsDeliveredInSequence)
{
	const std::string text = "aabbbcddddeeeee";
	std::vector<std::pair<int, int>> parts = { { 0, 2 }, { 2, 3 }, { 5, 1 }, { 6, 4 },
		{ 10, 5 } };

	std::sort(parts.begin(), parts.end());
	do {
		uint32_t start = tcb.rcv_nxt;

		received.clear();
		for (auto &[off, len] : parts) {
			int32_t at = (int32_t)(start + (uint32_t)off - tcb.rcv_nxt);

			EXPECT_EQ(
				LEAT_TCP_DONE, InputAt(at, text.substr((size_t)off, (size_t)len)));
			Take();
		}
		ASSERT_EQ(text, received);
		ASSERT_EQ(0u, NbReass());
	} while (std::next_permutation(parts.begin(), parts.end()));
}

TEST_F(TcpReass, EarlyTextIsAnsweredAtOnceWithADuplicateAck)
{
	InputAt(10, "early");
	EXPECT_EQ("", Take());
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIrs + 1, sent[0].ack);
}

TEST_F(TcpReass, FilledHoleIsAcknowledgedAtOnce)
{
	InputAt(5, "world");
	Output();
	InputAt(0, "hello");
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIrs + 11, sent[0].ack);
	EXPECT_EQ("helloworld", Take());
}

// An ACK that is merely ahead must not be answered: two of them would never end.
TEST_F(TcpReass, EarlyAckWithoutTextIsNotAnswered)
{
	InputAt(10, "");
	EXPECT_TRUE(Output().empty());
}

TEST_F(TcpReass, OverlapsAreResolvedForWhatCameFirst)
{
	InputAt(4, "EFGH");
	InputAt(2, "cdefgh"); // cut at its end
	InputAt(6, "ghij");   // cut at its start
	InputAt(5, "x");      // all there
	InputAt(0, "abcde");  // cut at its end
	EXPECT_EQ("abcdEFGHij", Take());
}

// RFC 9293 section 3.10.7.4, seventh step: the holes before, between and behind.
TEST_F(TcpReass, InOrderTextFillsEveryHoleThatItCovers)
{
	InputAt(2, "C");
	InputAt(4, "EF");
	InputAt(8, "IJ");
	InputAt(0, "abcdefghijk");
	EXPECT_EQ("abCdEFghIJk", Take());
	EXPECT_EQ(kIrs + 12, Output().back().ack);
	EXPECT_EQ(0u, NbReass());
}

TEST_F(TcpReass, EarlyTextFillsEveryHoleThatItCovers)
{
	InputAt(4, "E");
	InputAt(7, "H");
	InputAt(12, "M");
	InputAt(2, "cdefghijk");
	EXPECT_EQ((Blocks{ { 2, 11 }, { 12, 13 } }), SacksKept());
	InputAt(0, "abcdefghijkl");
	EXPECT_EQ("abcdEfgHijklM", Take());
}

TEST_F(TcpReass, EarlyTextIsCutAtARunThatReachesOverItsEnd)
{
	InputAt(4, "E");
	InputAt(7, "HIJK");
	InputAt(2, "cdefghi");
	EXPECT_EQ((Blocks{ { 2, 11 } }), SacksKept());
	InputAt(0, "ab");
	EXPECT_EQ("abcdEfgHIJK", Take());
}

// As many runs as are kept, one byte each, and one segment over all of them.
TEST_F(TcpReass, OneSegmentFillsAsManyHolesAsThereMayBe)
{
	std::string text(2 * LEAT_TCP_RUNS_MAX + 1, 'x');

	for (int i = 0; i < (int)LEAT_TCP_RUNS_MAX + 1; i++)
		InputAt(1 + 2 * i, "x");
	EXPECT_EQ((unsigned int)LEAT_TCP_RUNS_MAX, NbReass());
	InputAt(0, text);
	EXPECT_EQ(text, Take());
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
}

// The chain of the segment and those of the runs are cut anywhere.
TEST_F(TcpReass, RunsAreFoundAcrossTheMbufsOfASegment)
{
	leat_tcp_seg seg = Seg(kAck, 5);

	seg.seq += 3;
	leat_tcp_input(&tcb, now, &seg, Packet("DEFGH", { 1, 2, 2 }));
	seg = Seg(kAck, 11);
	leat_tcp_input(&tcb, now, &seg, Packet("abcdefghijk", { 2, 2, 3, 1 }));
	EXPECT_EQ("abcDEFGHijk", Take());
}

// RFC 2883 section 4: of several parts that came twice the first is told, and no byte more.
TEST_F(TcpReass, DsackTellsTheFirstPartThatASegmentRepeats)
{
	InputAt(2, "C");
	InputAt(5, "F");
	Output();
	InputAt(0, "abcdefg");
	EXPECT_EQ((Blocks{ { 2, 3 } }), Sacks());
}

// Others may read what they share with us: the runs keep their place, the text is cut.
TEST_F(TcpReass, SharedTextIsCutAtKeptText)
{
	rte_mbuf *shared = Packet("abcdefg");
	leat_tcp_seg seg = Seg(kAck, 7);

	InputAt(3, "DE");
	rte_mbuf_refcnt_update(shared, 1);
	leat_tcp_input(&tcb, now, &seg, shared);
	EXPECT_EQ("abcDE", Take());
	EXPECT_EQ(0, memcmp("abcdefg", rte_pktmbuf_mtod(shared, const char *), 7));
	rte_pktmbuf_free(shared);
}

// What was told by SACK is not dropped for a chain that there is no room for.
TEST_F(TcpReass, RunsAreNotGivenUpForTextThatFindsNoRoom)
{
	for (uint32_t nb_max : { 2u, 3u }) {
		leat_tcp_seg seg = Seg(kAck, 9);

		conf.nb_reass_max = (uint16_t)nb_max;
		InputAt(4, "E");
		seg.seq += 2;
		leat_tcp_input(&tcb, now, &seg, Packet("cdefghijk", { 4, 3, 2 }));
		InputAt(0, "ab");
		EXPECT_EQ(nb_max == 2 ? "abcdE" : "abcdEfghijk", Take());
	}
}

TEST_F(TcpReass, FinBehindCoveredTextIsTaken)
{
	InputAt(3, "DE");
	InputAt(0, "abcdefg", kFin);
	EXPECT_EQ("abcDEfg", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
}

TEST_F(TcpReass, EarlyFinWaitsForTheText)
{
	InputAt(5, "world", kFin);
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	EXPECT_EQ(0, Events());
	InputAt(0, "hello");
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_DATA | LEAT_TCP_EV_EOF, Events());
	EXPECT_EQ("helloworld", Take());
	EXPECT_EQ(kIrs + 12, Output().back().ack);
}

TEST_F(TcpReass, EarlyFinWithoutTextIsKeptToo)
{
	InputAt(5, "", kFin);
	EXPECT_EQ(1u, Output().size());
	InputAt(0, "hello");
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
}

TEST_F(TcpReass, TextBehindAnEarlyFinIsNotTaken)
{
	InputAt(5, "", kFin);
	InputAt(5, "behind");
	InputAt(0, "helloXX");
	EXPECT_EQ("hello", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
}

TEST_F(TcpReass, FirstOfTwoEarlyFinsCounts)
{
	InputAt(8, "", kFin);
	InputAt(5, "", kFin);
	InputAt(12, "", kFin);
	InputAt(0, "helloyou");
	EXPECT_EQ("helloyou", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(kIrs + 10, tcb.rcv_nxt);
}

TEST_F(TcpReass, TextThatNobodyTakesHasALimitInMbufs)
{
	InputAt(0, "a");
	uint16_t nb_segs = tcb.rx_head->nb_segs;

	tcb.rx_head->nb_segs = LEAT_TCP_RX_SEGS_MAX; // more than the test has mbufs for
	InputAt(0, std::string(300, 'b'));
	EXPECT_EQ(kIrs + 2, tcb.rcv_nxt);
	tcb.rx_head->nb_segs--;
	InputAt(0, std::string(300, 'b'));
	EXPECT_EQ(kIrs + 302, tcb.rcv_nxt);
	EXPECT_EQ(LEAT_TCP_RX_SEGS_MAX, tcb.rx_head->nb_segs);
	tcb.rx_head->nb_segs = (uint16_t)(nb_segs + 1);
	EXPECT_EQ("a" + std::string(300, 'b'), Take());
}

TEST_F(TcpReass, ChainsAreCutAcrossMbufs)
{
	leat_tcp_seg seg = Seg(kAck, 9);

	InputAt(0, "abc");
	seg.len = 9;
	EXPECT_EQ(LEAT_TCP_DONE, leat_tcp_input(&tcb, now, &seg, Packet("abcdefghi", { 2, 2, 3 })));
	EXPECT_EQ("abcdefghi", Take());
	seg = Seg(kAck, 4);
	seg.seq += 2;
	InputAt(4, "45");
	EXPECT_EQ(LEAT_TCP_DONE, leat_tcp_input(&tcb, now, &seg, Packet("23XX", { 1, 2 })));
	InputAt(0, "01");
	EXPECT_EQ("012345", Take());
}

TEST_F(TcpReass, KeepsUpToItsLimitAndNotOneMore)
{
	conf.nb_reass_max = 3;
	for (int i = 0; i < 4; i++)
		InputAt(10 + 20 * i, "x");
	EXPECT_EQ(3u, NbReass());
	EXPECT_EQ(3u, rte_mempool_in_use_count(Pool()));
	EXPECT_EQ(997u, budget);
}

TEST_F(TcpReass, KeepsUpToTheBudgetOfTheStack)
{
	budget = 2;
	for (int i = 0; i < 4; i++)
		InputAt(10 + 20 * i, "x");
	EXPECT_EQ(2u, NbReass());
	EXPECT_EQ(0u, budget);
	leat_tcp_fini(&tcb);
	EXPECT_EQ(2u, budget);
	budget = 1000;
}

TEST_F(TcpReass, ManySingleBytesTakeFewMbufsAndLeaveTheWindowOpen)
{
	for (int i = 0; i < 1000; i++)
		InputAt(1 + i, "x");
	EXPECT_LE(rte_mempool_in_use_count(Pool()), 2u);
	EXPECT_EQ(10000u, Output().back().wnd);
	InputAt(0, "x");
	EXPECT_EQ(1001u, Take().size());
}

// Requests in pieces that met are read as one, whatever order they came in.
TEST_F(TcpReass, ShortRunsThatMeetTakeOneMbuf)
{
	InputAt(7, "7");
	InputAt(2, "23456");
	EXPECT_EQ(1u, NbReass());
	EXPECT_EQ(999u, budget);
	InputAt(0, "01");
	EXPECT_EQ(1, tcb.rx_head->nb_segs);
	EXPECT_EQ("01234567", Take());
}

TEST_F(TcpReass, LongRunsThatMeetKeepTheirMbufs)
{
	InputAt(3, std::string(257, 'x'));
	InputAt(1, "12");
	EXPECT_EQ(2u, NbReass());
	EXPECT_EQ(998u, budget);
	InputAt(0, "0");
	EXPECT_EQ("012" + std::string(257, 'x'), Take());
}

TEST_F(TcpReass, ManySingleBytesInOrderTakeFewMbufs)
{
	for (int i = 0; i < 1000; i++)
		InputAt(0, "x");
	EXPECT_LE(rte_mempool_in_use_count(Pool()), 2u);
	EXPECT_EQ(1000u, Take().size());
}

// The bytes behind a shared mbuf's last one belong to whoever shares it.
TEST_F(TcpReass, NothingIsCopiedIntoASharedMbuf)
{
	InputAt(0, "a");
	rte_mbuf *shared = tcb.rx_head;

	rte_mbuf_refcnt_update(shared, 1);
	InputAt(0, "b");
	EXPECT_EQ(1, shared->data_len);
	EXPECT_EQ("ab", Take());
	rte_pktmbuf_free(shared);
}

TEST_F(TcpReass, ResetFreesWhatWasKept)
{
	InputAt(10, "x");
	InputAt(20, "y");
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kRst)));
	EXPECT_EQ(1000u, budget);
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
}

// RFC 2018 section 4: the block of the latest segment first.
TEST_F(TcpReass, SackBlocksLatestFirst)
{
	InputAt(5, "56789");
	EXPECT_EQ((Blocks{ { 5, 10 } }), Sacks());
	InputAt(20, "0123456789");
	EXPECT_EQ((Blocks{ { 20, 30 }, { 5, 10 } }), Sacks());
	InputAt(0, "01234");
	EXPECT_EQ((Blocks{ { 20, 30 } }), Sacks());
	InputAt(0, std::string(10, 'x'));
	EXPECT_EQ((Blocks{}), Sacks());
}

TEST_F(TcpReass, SackBlocksThatMeetBecomeOne)
{
	InputAt(2, "2");
	InputAt(4, "4");
	EXPECT_EQ((Blocks{ { 4, 5 }, { 2, 3 } }), Sacks());
	InputAt(3, "3");
	EXPECT_EQ((Blocks{ { 2, 5 } }), Sacks());
}

TEST_F(TcpReass, SackTellsAtMostFourBlocksAndThreeBesideTimestamps)
{
	for (int i = 0; i < 6; i++)
		InputAt(10 + 20 * i, "x");
	EXPECT_EQ((Blocks{ { 110, 111 }, { 90, 91 }, { 70, 71 }, { 50, 51 } }), Sacks());
	tcb.ts_on = true;
	InputAt(150, "x");
	EXPECT_EQ((Blocks{ { 150, 151 }, { 110, 111 }, { 90, 91 } }), Sacks());
}

TEST_F(TcpReass, WhatWasNotKeptIsNotTold)
{
	conf.nb_reass_max = 1;
	InputAt(10, "x");
	Output();
	InputAt(30, "x");
	EXPECT_EQ((Blocks{ { 10, 11 } }), Sacks());
}

TEST_F(TcpReass, SackBlocksMakeTextShorter)
{
	InputAt(10, "x");
	Send(std::string(1000, 'y'));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(2u, sent.size());
	EXPECT_EQ(988u, sent[0].text.size());
	EXPECT_EQ(1, sent[0].opts.nb_sacks);
}

TEST_F(TcpReass, WithoutPermissionNoSack)
{
	leat_tcp_fini(&tcb);
	Establish();
	InputAt(10, "x");
	EXPECT_EQ((Blocks{}), Sacks());
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, std::string(10, 'y')));
}

// Random pieces of one stream, overlapping at random: always a prefix of it.
TEST_F(TcpReass, RandomPiecesGiveThePrefixOfTheStream)
{
	std::mt19937 rng(3);
	std::string stream;
	uint32_t start = tcb.rcv_nxt;

	for (int i = 0; i < 60000; i++)
		stream.push_back((char)rng());
	for (int i = 0; i < 30000 && received.size() + 2500 < stream.size(); i++) {
		size_t at = tcb.rcv_nxt - start + rng() % 300;
		size_t back = rng() % 2 ? 0 : rng() % 20;

		at -= std::min(at, back);
		InputAt((int32_t)(start + (uint32_t)at - tcb.rcv_nxt),
			stream.substr(at, 1 + rng() % 40));
		Take();
		Output();
		ASSERT_EQ(0, stream.compare(0, received.size(), received));
		ASSERT_EQ(received.size(), tcb.rcv_nxt - start);
	}
	EXPECT_LT(40000u, received.size());
}

} // namespace
