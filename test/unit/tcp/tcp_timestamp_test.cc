// SPDX-License-Identifier: BSD-3-Clause

// Timestamps, RFC 7323.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

class TcpTs : public TcpTest
{
      protected:
	void Open(uint32_t ack_delay_us = 0)
	{
		leat_tcp_seg syn = Syn();

		conf.ack_delay_us = ack_delay_us;
		syn.opts.has_ts = true;
		syn.opts.ts_val = 1000;
		Establish(syn);
	}

	leat_tcp_verdict InputTs(uint32_t ts_val, const std::string &text, int32_t off = 0)
	{
		peer_ts = ts_val;
		return InputAt(off, text);
	}
};

// RFC 7323 section 5.3, R1.
TEST_F(TcpTs, PawsDropsAndAcknowledgesOldSegments)
{
	Open();
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(2000, "new"));
	Output();
	EXPECT_EQ(LEAT_TCP_DROPPED, InputTs(1999, "old"));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_TRUE(sent[0].opts.has_ts);
	EXPECT_EQ(2000u, sent[0].opts.ts_ecr);
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(2000, "same"));
	EXPECT_EQ("newsame", Take());
}

TEST_F(TcpTs, PawsComparesModulo32Bits)
{
	Open();
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(0x7fffffff, "a"));
	Output();
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(0xfffffff0, "b"));
	Output();
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(5, "c"));
	Output();
	EXPECT_EQ(LEAT_TCP_DROPPED, InputTs(0xffffffff, "d"));
}

// RFC 7323 section 5.5.
TEST_F(TcpTs, PawsForgetsAfter24Days)
{
	Open();
	InputTs(2000, "new");
	Output();
	now += UINT64_C(24) * 24 * 3600 * 1000000;
	EXPECT_EQ(LEAT_TCP_DROPPED, InputTs(1000, "old"));
	now += 1000000;
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(1000, "wrapped"));
	EXPECT_EQ(1000u, tcb.ts_recent);
}

// A connection that is in use never gets so old.
TEST_F(TcpTs, PawsCountsFromTheLastTimestamp)
{
	Open();
	for (uint32_t day = 1; day <= 30; day++) {
		now += UINT64_C(24) * 3600 * 1000000;
		EXPECT_EQ(LEAT_TCP_DONE, InputTs(2000, "x"));
		Output();
	}
	EXPECT_EQ(LEAT_TCP_DROPPED, InputTs(1999, "old"));
}

TEST_F(TcpTs, PawsDoesNotJudgeAReset)
{
	Open();
	InputTs(2000, "new");
	peer_ts = 1;
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kRst)));
}

// RFC 7323 section 3.2.
TEST_F(TcpTs, SegmentWithoutTimestampIsSilentlyDropped)
{
	Open();
	leat_tcp_seg seg = Seg(kAck);

	seg.opts.has_ts = false;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg, "text"));
	EXPECT_TRUE(Output().empty());
	seg.flags = kRst;
	EXPECT_EQ(LEAT_TCP_GONE, Input(seg));
}

// RFC 7323 section 4.3: the echo is that of the segment which the ACK moves past.
TEST_F(TcpTs, EarlySegmentDoesNotChangeTheEcho)
{
	Open();
	InputTs(2000, "first");
	Output();
	InputTs(2001, "third", 6);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(2000u, sent[0].opts.ts_ecr);
	InputTs(2002, "second");
	EXPECT_EQ(2002u, Output().back().opts.ts_ecr);
}

// With a delayed ACK the echo is that of the earliest segment it covers.
TEST_F(TcpTs, DelayedAckEchoesTheFirstSegment)
{
	Open(40000);
	InputTs(2000, "a");
	InputTs(2001, "b");
	EXPECT_TRUE(Output().empty());
	Fire();
	EXPECT_EQ(2000u, Output().back().opts.ts_ecr);
}

TEST_F(TcpTs, RepeatedTextUpdatesTheEcho)
{
	Open();
	InputTs(2000, "text");
	Output();
	InputTs(2500, "text", -4);
	EXPECT_EQ(2500u, Output().back().opts.ts_ecr);
}

// RFC 5961 section 5.2: who does not know what we sent is not believed, and RFC 7323 section 5.3
// takes the timestamp before that is known. One far ahead would make PAWS drop all that follows.
TEST_F(TcpTs, TimestampIsTakenOnlyWithAnAckThatCanBe)
{
	Open();
	InputTs(2000, "text");
	Output();
	for (uint32_t ack : { tcb.snd_max + 1, tcb.snd_una - tcb.snd_wnd_max - 1 }) {
		for (int32_t off : { -4, 0 }) {
			leat_tcp_seg forged = Seg(kAck);

			forged.seq += (uint32_t)off;
			forged.ack = ack;
			forged.opts.ts_val = 2000u + 0x7fffffffu;
			EXPECT_EQ(LEAT_TCP_DROPPED, Input(forged, "junk"));
			EXPECT_EQ(2000u, tcb.ts_recent);
		}
	}
	EXPECT_EQ(LEAT_TCP_DONE, InputTs(2001, "more"));
	EXPECT_EQ("textmore", Take());
}

// RFC 9293 section 3.10.7.4, fifth step: without an ACK nothing of it counts; and a SYN is a
// challenge, RFC 5961 section 4.2.
TEST_F(TcpTs, TimestampIsNotTakenOfASynOrWithoutAnAck)
{
	Open();
	InputTs(2000, "text");
	Output();
	for (uint8_t flags : { (uint8_t)0, kSyn, (uint8_t)(kSyn | kAck) }) {
		for (int32_t off : { -4, 0 }) {
			leat_tcp_seg forged = Seg(flags);

			forged.seq += (uint32_t)off;
			forged.opts.ts_val = 9000;
			EXPECT_EQ(LEAT_TCP_DROPPED, Input(forged, "junk"));
			EXPECT_EQ(2000u, tcb.ts_recent);
		}
	}
}

TEST_F(TcpTs, TimestampsLeaveLessRoomForText)
{
	Open();
	EXPECT_EQ(0, Send(std::string(2000, 'x')));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(3u, sent.size());
	EXPECT_EQ(988u, sent[0].text.size());
	EXPECT_TRUE(sent[0].opts.has_ts);
}

TEST_F(TcpTs, ClockTicksInMillisecondsFromItsOffset)
{
	conf.ts_offset = 12345;
	Open();
	Send("x");
	EXPECT_EQ((uint32_t)(now / 1000) + 12345, Output().back().opts.ts_val);
}

} // namespace
