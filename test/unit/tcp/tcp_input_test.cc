// SPDX-License-Identifier: BSD-3-Clause

// RFC 9293 section 3.10.7.4, RFC 5961.

#include <random>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpInput = TcpTest;
using TcpSynSent = TcpTest;
using TcpSynReceived = TcpTest;

// Section 3.4, table 6, with a window of 10000 and with none.
struct Acceptability {
	const char *what;
	bool closed_wnd;
	int32_t off;
	uint32_t len;
	bool acceptable;
};

const Acceptability kTable6[] = {
	{ "empty, closed window, at the edge", true, 0, 0, true },
	{ "empty, closed window, one before", true, -1, 0, false },
	{ "empty, closed window, one behind", true, 1, 0, false },
	{ "text, closed window, one before", true, -1, 1, false },
	{ "empty, at rcv_nxt", false, 0, 0, true },
	{ "empty, last of the window", false, 9999, 0, true },
	{ "empty, at the right edge", false, 10000, 0, true },
	{ "empty, one behind the right edge", false, 10001, 0, false },
	{ "empty, one before", false, -1, 0, false },
	{ "text, at rcv_nxt", false, 0, 5, true },
	{ "text, last byte is the first of the window", false, -4, 5, true },
	{ "text, all old", false, -5, 5, false },
	{ "text, last byte of the window", false, 9999, 1, true },
	{ "text, one behind the window", false, 10000, 1, false },
	{ "text, reaches behind the window", false, 9999, 5, true },
};

TEST_F(TcpInput, Table6)
{
	for (const Acceptability &row : kTable6) {
		leat_tcp_fini(&tcb);
		Establish();
		if (row.closed_wnd) {
			for (int i = 0; i < 10; i++)
				InputAt(0, std::string(1000, 'x'));
			Output();
			ASSERT_EQ(tcb.rcv_nxt, tcb.rcv_adv);
		}
		leat_tcp_verdict verdict = InputAt(row.off, std::string(row.len, 'y'));

		EXPECT_EQ(row.acceptable ? LEAT_TCP_DONE : LEAT_TCP_DROPPED, verdict) << row.what;
		if (!row.acceptable) {
			std::vector<Sent> sent = Output();

			ASSERT_EQ(1u, sent.size()) << row.what;
			EXPECT_EQ(kAck, sent[0].flags);
			EXPECT_EQ(tcb.rcv_nxt, sent[0].ack);
			EXPECT_EQ(tcb.snd_max, sent[0].seq);
		}
	}
}

// Table 6 asks for one end of the segment to lie in the window.
// The peer has filled the window, and a hole keeps us from moving it: its ACKs still count.
TEST_F(TcpInput, AckFromTheRightEdgeIsTaken)
{
	Establish();
	EXPECT_EQ(0, Send("ours"));
	Output();
	InputAt(1, std::string(9999, 'x'));
	InputAt(10000, "");

	EXPECT_EQ(tcb.snd_max, tcb.snd_una);
}

TEST_F(TcpInput, RstFromTheRightEdgeIsNot)
{
	Establish();

	EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(10000, "", LEAT_TCP_RST));
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
}

TEST_F(TcpInput, TextThatCoversTheWholeWindowIsNotAcceptable)
{
	conf.rcv_wnd_max = 2000;
	Establish();
	EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(-5, std::string(2012, 'x')));
	EXPECT_EQ(1u, Output().size());
}

TEST_F(TcpInput, TextBeyondTheWindowIsCutAndItsFinWithIt)
{
	conf.rcv_wnd_max = 2000;
	Establish();
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, std::string(2007, 'x'), kFin));
	EXPECT_EQ(std::string(2000, 'x'), Take(false));
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
}

// Section 3.10.7.4, first step: special allowance at a closed window.
TEST_F(TcpInput, ClosedWindowTakesTheAckButNotTheTextOfAProbe)
{
	Establish();
	EXPECT_EQ(0, Send("reply"));
	Output();
	for (int i = 0; i < 10; i++)
		InputAt(0, std::string(1000, 'x'));
	Take(false);
	EXPECT_EQ(0u, Output().back().wnd);
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, "p"));
	EXPECT_EQ("", Take(false));
	EXPECT_EQ(tcb.snd_una, tcb.snd_max);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(0u, sent[0].wnd);
}

TEST_F(TcpInput, ClosedWindowTakesAFin)
{
	Establish();
	for (int i = 0; i < 10; i++)
		InputAt(0, std::string(1000, 'x'));
	Output();
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, "", kFin));
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIrs + 10002, sent[0].ack);
	EXPECT_EQ(0u, sent[0].wnd);
}

// RFC 5961 section 3.2.
TEST_F(TcpInput, RstAtRcvNxtResets)
{
	Establish();
	EXPECT_EQ(0, Send("lost"));
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kRst)));
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
	EXPECT_EQ(-ECONNRESET, tcb.error);
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
	rte_mbuf *chain = Packet("late");

	EXPECT_EQ(-EPIPE, leat_tcp_send(&tcb, chain));
	rte_pktmbuf_free(chain);
}

TEST_F(TcpInput, RstElsewhereInTheWindowIsChallenged)
{
	Establish();
	for (int32_t off : { 1, 9999 }) {
		EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(off, "", kRst));
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kAck, sent[0].flags);
		EXPECT_EQ(kIrs + 1, sent[0].ack);
	}
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
}

TEST_F(TcpInput, RstOutsideTheWindowIsSilentlyDropped)
{
	Establish();
	for (int32_t off : { -1, 10000 }) {
		EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(off, "", kRst));
		EXPECT_TRUE(Output().empty());
	}
	EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(-4, "text", kRst)); // no text that comes again
	EXPECT_TRUE(Output().empty());
}

// RFC 5961 section 4.2.
TEST_F(TcpInput, SynInASynchronizedStateIsChallenged)
{
	for (leat_tcp_state state :
		{ LEAT_TCP_ESTABLISHED, LEAT_TCP_FIN_WAIT_1, LEAT_TCP_FIN_WAIT_2,
			LEAT_TCP_CLOSE_WAIT, LEAT_TCP_CLOSING, LEAT_TCP_LAST_ACK }) {
		Enter(state);
		for (int32_t off : { -1, 0, 50 }) {
			leat_tcp_seg syn = Seg(kSyn);

			syn.seq += (uint32_t)off;
			EXPECT_EQ(LEAT_TCP_DROPPED, Input(syn));
			EXPECT_EQ(state, tcb.state);
			EXPECT_EQ(1u, Output().size()) << leat_tcp_state_name(state) << " " << off;
		}
	}
}

// RFC 5961 section 7.
TEST_F(TcpInput, ChallengesAreLimitedPerSecond)
{
	size_t nb = 0;

	Establish();
	for (int i = 0; i < 100; i++) {
		InputAt(1, "", kRst);
		nb += Output().size();
	}
	EXPECT_EQ(10u, nb);
	now += 1000000;
	InputAt(1, "", kRst);
	EXPECT_EQ(1u, Output().size());
}

// So is every other answer that only a forged segment asks for.
TEST_F(TcpInput, ChallengesOfEachKindAreLimited)
{
	const struct {
		const char *what;
		int32_t off;
		int32_t ack;
		uint8_t flags;
	} kinds[] = {
		{ "a SYN in the window", 5, 0, kSyn },
		{ "a SYN before it", -70000, 0, kSyn },
		{ "a SYN-ACK behind it", 70000, 0, kSyn | kAck },
		{ "an ACK outside of it", 70000, 0, kAck },
		{ "an ACK of what was never sent", 0, 1, kAck },
	};

	for (const auto &kind : kinds) {
		leat_tcp_fini(&tcb);
		Establish();
		size_t nb = 0;

		for (int i = 0; i < 100; i++) {
			leat_tcp_seg seg = Seg(kind.flags);

			seg.seq += (uint32_t)kind.off;
			seg.ack += (uint32_t)kind.ack;
			EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg)) << kind.what;
			nb += Output().size();
		}
		EXPECT_EQ(10u, nb) << kind.what;
	}
}

// RFC 5961 section 5.2 and RFC 9293 section 3.10.7.4, fifth step.
TEST_F(TcpInput, AckOfWhatWasNeverSentIsAnsweredAndItsTextDropped)
{
	Establish();
	leat_tcp_seg seg = Seg(kAck | kPsh);

	seg.ack++;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg, "text"));
	EXPECT_EQ("", Take());
	EXPECT_EQ(1u, Output().size());
}

TEST_F(TcpInput, AckOlderThanTheLargestWindowIsRefused)
{
	Establish();
	leat_tcp_seg seg = Seg(kAck);

	seg.ack = tcb.snd_una - 20000;
	EXPECT_EQ(LEAT_TCP_DONE, Input(seg, "old"));
	EXPECT_EQ("old", Take());
	Output();
	seg = Seg(kAck);
	seg.ack = tcb.snd_una - 20001;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg, "too old"));
	EXPECT_EQ("", Take());
}

TEST_F(TcpInput, SegmentWithoutAckIsDropped)
{
	Establish();
	leat_tcp_seg seg = Seg(kPsh);

	EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg, "text"));
	EXPECT_EQ("", Take());
}

TEST_F(TcpInput, OldTextWithNewFinIsAllFin)
{
	Establish();
	InputAt(0, "12345");
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(-5, "12345", kFin));
	EXPECT_EQ("12345", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
}

TEST_F(TcpInput, FullyOldTextIsAcknowledgedAndNotDeliveredTwice)
{
	Establish();
	InputAt(0, "12345");
	Take();
	Output();
	EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(-5, "12345"));
	EXPECT_EQ("", Take());
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kIrs + 6, sent[0].ack);
}

// Section 3.10.7.4, first step, says to drop it: but with a request that comes again a peer
// tells that it has the reply, which else would leave again.
TEST_F(TcpInput, AckOfFullyOldTextIsTaken)
{
	Establish();
	InputAt(0, "12345");
	Take();
	Send("reply");
	Output();
	InputAt(-5, "12345"); // acknowledges all
	EXPECT_EQ(tcb.snd_max, tcb.snd_una);
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
	EXPECT_EQ("", Take());
	EXPECT_EQ(1u, Output().size());
}

// RFC 5961 section 5.2; and what is older than a window may be of another connection.
TEST_F(TcpInput, AckOfOldTextMustBeAcceptableAndWithinAWindow)
{
	Establish();
	for (int i = 0; i < 3; i++) {
		InputAt(0, std::string(5000, 'x'));
		Take();
	}
	Send("reply");
	Output();
	leat_tcp_seg seg = Seg(kAck);

	seg.seq -= 5;
	seg.ack++;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg, "12345"));
	EXPECT_EQ(tcb.snd_max - 5, tcb.snd_una);
	InputAt(-10001, "12345");
	EXPECT_EQ(tcb.snd_max - 5, tcb.snd_una);
	InputAt(-10000, "12345");
	EXPECT_EQ(tcb.snd_max, tcb.snd_una);
	Output();
}

// Text that comes again is no duplicate ACK, RFC 5681 section 2.
TEST_F(TcpInput, OldTextIsNoDuplicateAck)
{
	Establish();
	InputAt(0, "12345");
	Take();
	Send(std::string(3000, 'y'));
	Output();
	for (int i = 0; i < 5; i++) {
		leat_tcp_seg seg = Seg(kAck);

		seg.seq -= 5;
		seg.ack = tcb.snd_una;
		Input(seg, "12345");
		EXPECT_EQ(1u, Output().size());
	}
	EXPECT_EQ(0u, tcb.nb_rtx);
}

TEST_F(TcpInput, PartlyOldTextIsCutInFront)
{
	Establish();
	InputAt(0, "12345");
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(-3, "34567"));
	EXPECT_EQ("1234567", Take());
}

TEST_F(TcpInput, TextAfterThePeersFinIsIgnored)
{
	for (leat_tcp_state state : { LEAT_TCP_CLOSE_WAIT, LEAT_TCP_CLOSING, LEAT_TCP_LAST_ACK }) {
		Enter(state);
		uint32_t rcv_nxt = tcb.rcv_nxt;
		leat_tcp_seg seg = Seg(kAck | kFin);

		seg.ack = tcb.snd_una;
		EXPECT_EQ(LEAT_TCP_DONE, Input(seg, "more"));
		EXPECT_EQ("", Take());
		EXPECT_EQ(rcv_nxt, tcb.rcv_nxt);
		EXPECT_EQ(state, tcb.state);
	}
}

TEST_F(TcpInput, HalfCloseStillReceives)
{
	for (leat_tcp_state state : { LEAT_TCP_FIN_WAIT_1, LEAT_TCP_FIN_WAIT_2 }) {
		Enter(state);
		EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, "reply"));
		EXPECT_EQ("reply", Take());
	}
}

enum SegClass {
	ACK,
	TEXT,
	FIN_ACK,
	RST,
	SYN,
	SYN_ACK,
	OLD,
	EARLY,
	FUTURE,
	BAD_ACK,
	NO_ACK,
	CLASSES
};

// Each class of segment in each state: the verdict, and the state afterwards.
struct Step {
	leat_tcp_verdict verdict;
	leat_tcp_state next;
};

#define S(verdict, next)                                                                           \
	{                                                                                          \
		LEAT_TCP_##verdict, LEAT_TCP_##next                                                \
	}

const struct {
	leat_tcp_state state;
	Step steps[CLASSES];
} kWalk[] = {
	// The peer's numbers are not known in SYN-SENT: OLD, EARLY and FUTURE are plain ACKs.
	// Of OLD the ACK is taken.
	{ LEAT_TCP_SYN_SENT,
		{ S(DROPPED, SYN_SENT), S(DROPPED, SYN_SENT), S(DROPPED, SYN_SENT),
			S(DROPPED, SYN_SENT), S(DONE, SYN_RECEIVED), S(DONE, ESTABLISHED),
			S(DROPPED, SYN_SENT), S(DROPPED, SYN_SENT), S(DROPPED, SYN_SENT),
			S(REFUSED, SYN_SENT), S(DROPPED, SYN_SENT) } },
	{ LEAT_TCP_SYN_RECEIVED,
		{ S(DONE, ESTABLISHED), S(DONE, ESTABLISHED), S(DONE, CLOSE_WAIT), S(GONE, CLOSED),
			S(DROPPED, SYN_RECEIVED), S(DROPPED, SYN_RECEIVED),
			S(DROPPED, SYN_RECEIVED), S(DONE, ESTABLISHED), S(DROPPED, SYN_RECEIVED),
			S(REFUSED, SYN_RECEIVED), S(DROPPED, SYN_RECEIVED) } },
	{ LEAT_TCP_ESTABLISHED,
		{ S(DONE, ESTABLISHED), S(DONE, ESTABLISHED), S(DONE, CLOSE_WAIT), S(GONE, CLOSED),
			S(DROPPED, ESTABLISHED), S(DROPPED, ESTABLISHED), S(DROPPED, ESTABLISHED),
			S(DONE, ESTABLISHED), S(DROPPED, ESTABLISHED), S(DROPPED, ESTABLISHED),
			S(DROPPED, ESTABLISHED) } },
	{ LEAT_TCP_FIN_WAIT_1,
		{ S(DONE, FIN_WAIT_2), S(DONE, FIN_WAIT_2), S(DONE, TIME_WAIT), S(GONE, CLOSED),
			S(DROPPED, FIN_WAIT_1), S(DROPPED, FIN_WAIT_1), S(DROPPED, FIN_WAIT_2),
			S(DONE, FIN_WAIT_2), S(DROPPED, FIN_WAIT_1), S(DROPPED, FIN_WAIT_1),
			S(DROPPED, FIN_WAIT_1) } },
	{ LEAT_TCP_FIN_WAIT_2,
		{ S(DONE, FIN_WAIT_2), S(DONE, FIN_WAIT_2), S(DONE, TIME_WAIT), S(GONE, CLOSED),
			S(DROPPED, FIN_WAIT_2), S(DROPPED, FIN_WAIT_2), S(DROPPED, FIN_WAIT_2),
			S(DONE, FIN_WAIT_2), S(DROPPED, FIN_WAIT_2), S(DROPPED, FIN_WAIT_2),
			S(DROPPED, FIN_WAIT_2) } },
	{ LEAT_TCP_CLOSE_WAIT,
		{ S(DONE, CLOSE_WAIT), S(DONE, CLOSE_WAIT), S(DONE, CLOSE_WAIT), S(GONE, CLOSED),
			S(DROPPED, CLOSE_WAIT), S(DROPPED, CLOSE_WAIT), S(DROPPED, CLOSE_WAIT),
			S(DONE, CLOSE_WAIT), S(DROPPED, CLOSE_WAIT), S(DROPPED, CLOSE_WAIT),
			S(DROPPED, CLOSE_WAIT) } },
	{ LEAT_TCP_CLOSING, { S(DONE, TIME_WAIT), S(DONE, TIME_WAIT), S(DONE, TIME_WAIT),
				    S(GONE, CLOSED), S(DROPPED, CLOSING), S(DROPPED, CLOSING),
				    S(DROPPED, TIME_WAIT), S(DONE, TIME_WAIT), S(DROPPED, CLOSING),
				    S(DROPPED, CLOSING), S(DROPPED, CLOSING) } },
	{ LEAT_TCP_LAST_ACK, { S(GONE, CLOSED), S(GONE, CLOSED), S(GONE, CLOSED), S(GONE, CLOSED),
				     S(DROPPED, LAST_ACK), S(DROPPED, LAST_ACK), S(GONE, CLOSED),
				     S(GONE, CLOSED), S(DROPPED, LAST_ACK), S(DROPPED, LAST_ACK),
				     S(DROPPED, LAST_ACK) } },
	{ LEAT_TCP_TIME_WAIT,
		{ S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT),
			S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT),
			S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT),
			S(DROPPED, TIME_WAIT), S(DROPPED, TIME_WAIT) } },
};

#undef S

TEST_F(TcpInput, EverySegmentClassInEveryState)
{
	for (auto &row : kWalk) {
		for (int c = 0; c < CLASSES; c++) {
			const uint8_t flags[CLASSES] = { kAck, kAck, kAck | kFin, kRst, kSyn,
				kSyn | kAck, kAck, kAck, kAck, kAck, kPsh };
			const int32_t offs[CLASSES] = { 0, 0, 0, 0, 0, 0, -7, 7, 20000, 0, 0 };
			bool has_text = c == TEXT || c >= OLD;

			Enter(row.state);
			leat_tcp_seg seg = Seg(flags[c]);

			seg.seq += (uint32_t)offs[c];
			seg.ack += c == BAD_ACK ? 1000 : 0;
			EXPECT_EQ(row.steps[c].verdict, Input(seg, has_text ? "abc" : ""))
				<< leat_tcp_state_name(row.state) << ", class " << c;
			EXPECT_EQ(row.steps[c].next, tcb.state)
				<< leat_tcp_state_name(row.state) << ", class " << c;
		}
	}
}

// Any segment, any state: nothing breaks, no text from outside the window.
TEST_F(TcpInput, RandomSegmentsKeepTheInvariants)
{
	std::mt19937 rng(7);

	conf.rcv_wnd_max = 2000;
	for (int i = 0; i < 3000; i++) {
		Enter((leat_tcp_state)(LEAT_TCP_SYN_SENT +
				       rng() % (LEAT_TCP_STATES - LEAT_TCP_SYN_SENT)));
		for (int j = 0; j < 12 && tcb.state != LEAT_TCP_CLOSED; j++) {
			leat_tcp_seg seg = Seg((uint8_t)(rng() % 32 | (rng() % 4 ? kAck : 0)));
			uint32_t unread = tcb.rcv_unread;
			uint32_t wnd = tcb.rcv_adv - tcb.rcv_nxt;
			bool known = tcb.state != LEAT_TCP_SYN_SENT;

			if (rng() % 3 == 0)
				Send(std::string(1 + rng() % 1500, 'x'));
			if (known && rng() % 10 == 0)
				leat_tcp_shutdown(&tcb);
			if (rng() % 3 == 0)
				Output();
			if (rng() % 8 == 0)
				seg.flags &= (uint8_t)~kRst;
			seg.seq += rng() % 2 ? 0 : rng() % 60 - 30;
			seg.ack += rng() % 2 ? 0 : rng() % 60 - 30;
			seg.wnd = rng() % 3 ? seg.wnd : rng() % 4;
			ASSERT_NE(LEAT_TCP_NEXT, Input(seg, std::string(rng() % 100, 'y')));
			ASSERT_TRUE(!known || tcb.rcv_unread - unread <= wnd);
			Take(rng() % 2);
			if (tcb.state != LEAT_TCP_CLOSED && rng() % 4 == 0 &&
				leat_tcp_deadline(&tcb) != UINT64_MAX)
				Fire();
		}
		Output();
	}
}

// RFC 5681 section 4.2: what is not taken is not passed over in silence.
TEST_F(TcpInput, TextBeyondTheMbufsOfOneConnectionIsDroppedAndAnswered)
{
	conf.rcv_wnd_max = 60000;
	conf.ack_delay_us = 40000;
	Establish();
	Output();
	InputAt(0, std::string(300, 'x')); // too long to be copied
	tcb.ack_at_us = TCP_NEVER;
	tcb.owed = 0;
	ASSERT_NE(nullptr, tcb.rx_head);
	uint16_t nb_segs = tcb.rx_head->nb_segs;

	tcb.rx_head->nb_segs = LEAT_TCP_RX_SEGS_MAX - 1;
	InputAt(0, std::string(300, 'y'));
	EXPECT_EQ(LEAT_TCP_RX_SEGS_MAX, tcb.rx_head->nb_segs);
	EXPECT_TRUE(Output().empty()); // taken: the ACK may wait
	uint32_t rcv_nxt = tcb.rcv_nxt;

	InputAt(0, std::string(300, 'z'));
	EXPECT_EQ(rcv_nxt, tcb.rcv_nxt);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(rcv_nxt, sent[0].ack);
	tcb.rx_head->nb_segs = (uint16_t)(nb_segs + 1);
}

} // namespace
