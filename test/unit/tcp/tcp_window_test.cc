// SPDX-License-Identifier: BSD-3-Clause

// Windows both ways: RFC 9293 section 3.8.6, and the delayed ACK, RFC 5681 section 4.2.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpRcvWnd = TcpTest;
using TcpSndWnd = TcpTest;
using TcpDelayedAck = TcpTest;

TEST_F(TcpRcvWnd, ClosesByBytesAndNeverMovesItsEdgeBack)
{
	Establish();
	uint32_t edge = kIrs + 1 + 10000;

	for (int i = 0; i < 10; i++) {
		InputAt(0, std::string(1000, 'x'));
		Take(false);
		for (const Sent &sent : Output()) {
			EXPECT_EQ(edge, sent.ack + sent.wnd);
		}
	}
	EXPECT_EQ(edge, tcb.rcv_nxt);
}

// Section 3.8.6.2.2: by min(MSS, half of the window) at least.
TEST_F(TcpRcvWnd, OpensByAFullSegmentAtLeast)
{
	Establish();
	for (int i = 0; i < 10; i++)
		InputAt(0, std::string(1000, 'x'));
	Take(false);
	EXPECT_EQ(0u, Output().back().wnd);
	leat_tcp_consumed(&tcb, 999);
	EXPECT_TRUE(Output().empty());
	leat_tcp_consumed(&tcb, 1);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
	EXPECT_EQ(1000u, sent[0].wnd);
}

TEST_F(TcpRcvWnd, SmallStepsRideOnNoOtherAckEither)
{
	Establish();
	for (int i = 0; i < 10; i++)
		InputAt(0, std::string(1000, 'x'));
	Take(false);
	Output();
	leat_tcp_consumed(&tcb, 999);
	Send("reply");
	EXPECT_EQ(0u, Output().back().wnd);
}

TEST_F(TcpRcvWnd, NoUpdateIsSentWhileHalfOfTheWindowIsOpen)
{
	Establish();
	for (int i = 0; i < 4; i++) {
		InputAt(0, std::string(1000, 'x'));
		InputAt(0, std::string(1000, 'x'));
		Output();
		Take(true);
		EXPECT_TRUE(Output().empty());
	}
}

TEST_F(TcpRcvWnd, NoUpdateIsSentBehindThePeersFin)
{
	Establish();
	for (int i = 0; i < 10; i++)
		InputAt(0, std::string(1000, 'x'));
	InputAt(0, "", kFin);
	Output();
	Take(); // all of it is consumed
	EXPECT_TRUE(Output().empty());
}

// A compact TIME-WAIT repeats the edge that the last ACK of the connection told.
TEST_F(TcpRcvWnd, EdgeStaysBehindThePeersFin)
{
	leat_tcp_time_wait tw;

	conf.rcv_wnd_max = 200000; // more than a window tells of, so that there is room to move it
	conf.wscale = 2;           // which this peer does not take
	Establish();
	leat_tcp_shutdown(&tcb);
	Output();
	uint32_t edge = tcb.rcv_adv;

	ASSERT_EQ(LEAT_TCP_DONE, Input(Seg(kAck | kFin)));
	ASSERT_EQ(LEAT_TCP_TIME_WAIT, tcb.state);
	leat_tcp_time_wait_get(&tcb, &tw);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(edge, sent[0].ack + sent[0].wnd);
	EXPECT_EQ(edge, tw.rcv_nxt + tw.wnd);
}

// A peer that does not scale sees 65535 bytes at most: half of the window is half of those.
TEST_F(TcpRcvWnd, NoUpdateIsSentForMemoryThatNoWindowCanTellOf)
{
	conf.rcv_wnd_max = 200000;
	conf.wscale = 2; // which this peer does not take
	Establish();
	for (int i = 0; i < 100; i++) {
		InputAt(0, std::string(1000, 'x'));
		InputAt(0, std::string(1000, 'x'));
		ASSERT_EQ(1u, Output().size());
		Take(true);
		ASSERT_TRUE(Output().empty());
		ASSERT_LT(60000u, tcb.rcv_adv - tcb.rcv_nxt);
	}
}

TEST_F(TcpRcvWnd, UpdateIsSentWhereLessThanHalfOfTheLargestWindowIsOpen)
{
	conf.rcv_wnd_max = 200000;
	conf.wscale = 2; // which this peer does not take
	Establish();
	for (int i = 0; i < 190; i++) {
		InputAt(0, std::string(1000, 'x'));
		if (i % 2 == 1)
			Output();
	}
	Take(false);
	ASSERT_GE(10000u, tcb.rcv_adv - tcb.rcv_nxt);
	leat_tcp_consumed(&tcb, 180000);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(65535u, sent[0].wnd);
}

// The edge as the peer computes it moves back by less than one unit of the scale, and what
// was promised is honoured: RFC 7323 section 2.4.
TEST_F(TcpRcvWnd, ScaledWindowHonoursWhatItPromised)
{
	leat_tcp_seg syn = Syn();

	conf.wscale = 7;
	conf.rcv_wnd_max = 128 * 20;
	syn.opts.has_wscale = true;
	Establish(syn);
	InputAt(0, "x");
	Fire();
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(19u, sent[0].wnd);
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, std::string(128 * 20 - 1, 'y')));
	EXPECT_EQ(128u * 20, Take(false).size());
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, "z"));
	EXPECT_EQ("", Take(false));
}

TEST_F(TcpRcvWnd, ScaledWindowIsRoundedUpWhereMemoryAllows)
{
	leat_tcp_seg syn = Syn();

	conf.wscale = 7;
	conf.rcv_wnd_max = 128 * 100;
	syn.opts.has_wscale = true;
	Establish(syn);
	InputAt(0, "x");
	Take();
	Fire();
	EXPECT_EQ(100u, Output().back().wnd);
}

TEST_F(TcpDelayedAck, WaitsForItsDelay)
{
	Establish();
	InputAt(0, "x");
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(now + 40000, leat_tcp_deadline(&tcb));
	leat_tcp_timeout(&tcb, now + 39999);
	EXPECT_TRUE(Output().empty());
	Fire();
	EXPECT_EQ(1u, Output().size());
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpDelayedAck, MoreTextDoesNotPutItOff)
{
	Establish();
	InputAt(0, "x");
	uint64_t deadline = leat_tcp_deadline(&tcb);

	now += 30000;
	InputAt(0, "y");
	EXPECT_EQ(deadline, leat_tcp_deadline(&tcb));
}

TEST_F(TcpDelayedAck, RidesOnTheReply)
{
	Establish();
	InputAt(0, "x");
	Send("reply");
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIrs + 2, sent[0].ack);
	Input(Seg(kAck));
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpDelayedAck, EverySecondFullSegmentIsAcknowledgedAtOnce)
{
	Establish();
	for (int i = 0; i < 3; i++) {
		InputAt(0, std::string(1000, 'x'));
		EXPECT_TRUE(Output().empty());
		InputAt(0, std::string(1000, 'x'));
		EXPECT_EQ(1u, Output().size());
		Take();
	}
}

// A port that joins segments hands over chains that are longer than any segment.
TEST_F(TcpDelayedAck, ChainOfJoinedSegmentsCountsAsSeveral)
{
	for (size_t mss : { (size_t)kMss, (size_t)536 }) { // of the peer, ours is kMss
		Establish();
		for (int i = 0; i < 3; i++) {
			leat_tcp_seg seg = Seg(kAck);

			seg.len = (uint32_t)(3 * mss);
			ASSERT_EQ(LEAT_TCP_DONE,
				leat_tcp_input(&tcb, now, &seg,
					Packet(std::string(3 * mss, 'x'), { mss, mss, mss })));
			EXPECT_EQ(3 * mss, Take().size());
			std::vector<Sent> sent = Output();
			ASSERT_EQ(1u, sent.size()) << mss << ", chain " << i;
			EXPECT_EQ(tcb.rcv_nxt, sent[0].ack);
		}
		leat_tcp_fini(&tcb);
	}
}

TEST_F(TcpDelayedAck, OfZeroIsAtOnce)
{
	conf.ack_delay_us = 0;
	Establish();
	InputAt(0, "x");
	EXPECT_EQ(1u, Output().size());
}

TEST_F(TcpSndWnd, IsNotOverrun)
{
	Establish();
	InputAck(tcb.snd_max, 2000);
	Send(std::string(2500, 'x'));
	EXPECT_EQ(2u, Output().size());
	InputAck(tcb.snd_una, 2499);
	EXPECT_TRUE(Output().empty());
	InputAck(tcb.snd_una, 2500);
	EXPECT_EQ(500u, Output().at(0).text.size());
}

// Section 3.8.6.2.1.
TEST_F(TcpSndWnd, NoSillySegmentIsSentIntoASmallWindow)
{
	Establish();
	Send(std::string(3000, 'x'));
	InputAck(tcb.snd_max, 2100);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(2u, sent.size());
	EXPECT_EQ(1000u, sent[1].text.size());
}

// Condition 3: a peer whose window never holds a full segment.
TEST_F(TcpSndWnd, HalfOfTheLargestWindowIsWorthASegment)
{
	leat_tcp_seg syn = Syn();

	syn.wnd = 900;
	OpenPassive(syn);
	InputAck(tcb.snd_max, 449);
	Send(std::string(3000, 'x'));
	EXPECT_TRUE(Output().empty());
	InputAck(tcb.snd_max, 450);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(450u, sent[0].text.size());
}

TEST_F(TcpSndWnd, OlderSegmentDoesNotSetTheWindow)
{
	Establish();
	InputAt(0, "abc");
	InputAt(0, "def");
	leat_tcp_seg old = Seg(kAck);

	old.seq -= 4;
	old.wnd = 5;
	EXPECT_EQ(LEAT_TCP_DONE, Input(old, "cdefg"));
	EXPECT_EQ(20000u, tcb.snd_wnd);
}

// RFC 9293 section 3.10.7.4, SND.WL2: it was overtaken, though its number is not below.
TEST_F(TcpSndWnd, OlderAckDoesNotSetTheWindow)
{
	Establish();
	Send(std::string(2000, 'x'));
	Output();
	InputAck(tcb.snd_una + 1000, 9000);
	InputAck(tcb.snd_una - 1000, 5);
	EXPECT_EQ(9000u, tcb.snd_wnd);
	leat_tcp_seg seg = Seg(kAck); // nor is one with more text newer

	seg.ack = tcb.snd_una - 1000;
	seg.wnd = 5;
	Input(seg, "text");
	EXPECT_EQ(9000u, tcb.snd_wnd);
}

// Lost text of the peer that comes again has an old number, but its ACK and window are new.
TEST_F(TcpSndWnd, OlderTextThatAcknowledgesMoreSetsTheWindow)
{
	Establish();
	EXPECT_EQ(0, Send("text"));
	Output();
	leat_tcp_seg late = Seg(kAck);
	leat_tcp_seg again = Seg(kAck);

	late.seq += 100;
	late.ack = tcb.snd_una;
	Input(late);
	again.wnd = 1;
	Input(again, "lost");

	EXPECT_EQ(tcb.snd_max, tcb.snd_una);
	EXPECT_EQ(1u << tcb.snd_wscale, tcb.snd_wnd);
}

TEST_F(TcpSndWnd, SmallRepliesOfOneTurnShareASegment)
{
	Establish();
	for (int i = 0; i < 5; i++)
		Send("+OK\r\n", { 1 });
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ("+OK\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n", sent[0].text);
	EXPECT_EQ(kPsh | kAck, sent[0].flags);
}

TEST_F(TcpSndWnd, ManySmallRepliesShareMbufsWhileThePeerTakesNone)
{
	std::string want, sent, again;

	Establish();
	for (int i = 0; i < 1000; i++) {
		std::string text = ":" + std::to_string(i) + "\r\n";

		Send(text);
		for (const Sent &segment : Output())
			sent += segment.text;
		want += text;
	}
	EXPECT_LE(rte_mempool_in_use_count(Pool()), 4u);
	EXPECT_EQ(want, sent);
	Fire();
	for (int i = 0; i < 100 && tcb.snd_len > 0; i++) {
		uint32_t end = tcb.snd_una;

		for (const Sent &segment : Output()) {
			again += segment.text;
			end = segment.seq + (uint32_t)segment.text.size();
		}
		InputAck(end);
	}
	EXPECT_EQ(want, again) << "the same bytes after a time-out";
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
}

TEST_F(TcpSndWnd, PshIsOnTheLastSegmentOnly)
{
	Establish();
	Send(std::string(1700, 'a'));
	Send(std::string(800, 'b'));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(3u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
	EXPECT_EQ(kAck, sent[1].flags);
	EXPECT_EQ(kPsh | kAck, sent[2].flags);
	EXPECT_EQ(std::string(700, 'a') + std::string(300, 'b'), sent[1].text);
	EXPECT_EQ(500u, sent[2].text.size());
}

TEST_F(TcpSndWnd, QueueTakesUpToItsLimitAndTellsWhenThereIsRoom)
{
	conf.snd_len_max = 1000;
	Establish();
	EXPECT_EQ(0, Send(std::string(400, 'a')));
	EXPECT_EQ(-ENOBUFS, Send(std::string(601, 'b')));
	EXPECT_EQ(0, Send(std::string(600, 'b')));
	EXPECT_EQ(-ENOBUFS, Send("c"));
	Output();
	InputAck(kIss + 1 + 499);
	EXPECT_EQ(0, Events());
	InputAck(kIss + 1 + 500);
	EXPECT_EQ(LEAT_TCP_EV_WRITABLE, Events());
	InputAck(kIss + 1 + 1000);
	EXPECT_EQ(0, Events());
}

TEST_F(TcpSndWnd, WhoAsksForTheLastAcknowledgmentIsToldOfThatOnly)
{
	conf.snd_len_max = 1000;
	Establish();
	EXPECT_TRUE(leat_tcp_is_acked(&tcb));
	EXPECT_EQ(0, Send(std::string(800, 'a')));
	EXPECT_FALSE(leat_tcp_is_acked(&tcb));
	Output();
	InputAck(kIss + 1 + 799);
	EXPECT_EQ(0, Events());
	InputAck(kIss + 1 + 800);
	EXPECT_EQ(LEAT_TCP_EV_WRITABLE, Events());
	EXPECT_TRUE(leat_tcp_is_acked(&tcb));
	EXPECT_EQ(0, Send(std::string(1000, 'b'))); // and then as ever
	EXPECT_EQ(-ENOBUFS, Send("c"));
	Output();
	InputAck(kIss + 1 + 1300);
	EXPECT_EQ(LEAT_TCP_EV_WRITABLE, Events());
}

TEST_F(TcpSndWnd, EmptyQueueTakesAnyChain)
{
	conf.snd_len_max = 10;
	Establish();
	EXPECT_EQ(0, Send(std::string(11, 'a')));
	EXPECT_EQ(-ENOBUFS, Send("b"));
}

// What was acknowledged is freed while the rest stays, mbuf by mbuf.
TEST_F(TcpSndWnd, PartialAcksFreeWholeMbufs)
{
	Establish();
	Send(std::string(30, 'a'), { 10, 10 });
	Output();
	EXPECT_EQ(3u, rte_mempool_in_use_count(Pool()));
	InputAck(kIss + 1 + 9);
	EXPECT_EQ(3u, rte_mempool_in_use_count(Pool()));
	InputAck(kIss + 1 + 10);
	EXPECT_EQ(2u, rte_mempool_in_use_count(Pool()));
	InputAck(kIss + 1 + 29);
	EXPECT_EQ(1u, rte_mempool_in_use_count(Pool()));
}

// A frame that the device still holds keeps its bytes after the ACK.
TEST_F(TcpSndWnd, IndirectMbufOutlivesTheQueue)
{
	leat_tcp_out out;

	Establish();
	Send("reply");
	ASSERT_TRUE(leat_tcp_output(&tcb, now, 0, &out));
	rte_mbuf *indirect = rte_pktmbuf_alloc(Pool());

	rte_pktmbuf_attach(indirect, out.text);
	Input(Seg(kAck));
	EXPECT_EQ("reply", BytesOf(indirect, 0, 5));
	rte_pktmbuf_free(indirect);
}

} // namespace
