// SPDX-License-Identifier: BSD-3-Clause

// Every state with every class of segment: RFC 9293 section 3.10.7, with RFC 5961, RFC 7323
// and RFC 1337. CLOSED and LISTEN, which have no connection, are in the tests of lib/inet.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

enum Class {
	kClsSynAgain,         // the peer's first SYN
	kClsSyn,              // a SYN at RCV.NXT
	kClsSynNewer,         // a SYN above RCV.NXT, in the window
	kClsSynAck,           // its SYN with an ACK of all that we sent
	kClsSynAckOfNothing,  // with an ACK of none of it
	kClsAck,              // of all that we sent
	kClsAckAgain,         // of what was acknowledged before
	kClsAckTooOld,        // of more than a window before that
	kClsAckOfUnsent,      // of what we never sent
	kClsAckAhead,         // of all, from behind a hole
	kClsAckBeforeWindow,  // at RCV.NXT - 1: a keep-alive
	kClsAckAtRightEdge,   // at the right edge of the window: the peer has filled it
	kClsAckBehindWindow,  // beyond it
	kClsNothing,          // no flag at all, no text
	kClsTextWithoutAck,   // text and no ACK bit
	kClsRst,              // at RCV.NXT
	kClsRstAck,           // at RCV.NXT, with an ACK of all
	kClsRstAckOfUnsent,   // at RCV.NXT, with an ACK of what we never sent
	kClsRstInWindow,      // in the window, but not at RCV.NXT
	kClsRstBeforeWindow,  // at RCV.NXT - 1
	kClsRstBehindWindow,  // at the right edge of the window
	kClsFin,              // in order, with an ACK of all
	kClsFinAckOfNothing,  // in order, with an ACK of nothing new
	kClsFinAgain,         // one number below RCV.NXT
	kClsFinAhead,         // behind a hole
	kClsText,             // in order
	kClsTextFin,          // in order, with a FIN
	kClsTextAhead,        // behind a hole
	kClsTextOld,          // all before RCV.NXT
	kClsTextPartlyOld,    // over RCV.NXT
	kClsTextBehindWindow, // at the right edge of the window
	kClsTsMissing,        // text without the timestamp that is on
	kClsTsOld,            // text with one from before TS.Recent
	kClsTsOldRst,         // a RST at RCV.NXT with such a timestamp
	kClasses,
};

enum Answer {
	kMissing, // the table has no entry
	kNone,
	kAnAck,     // <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>
	kChallenge, // the same, counted under the limit of RFC 5961 section 7
	kSynAck,    // <SEQ=ISS><ACK=RCV.NXT><CTL=SYN,ACK>
	kReset,     // <SEQ=SEG.ACK><CTL=RST>
	kReopen,    // none, and the caller is told that the SYN may replace this TIME-WAIT
};

struct Cell {
	Answer answer;
	leat_tcp_state next; // LEAT_TCP_STATES: as before
	int events;
};

constexpr int kOpen = LEAT_TCP_EV_OPEN;
constexpr int kData = LEAT_TCP_EV_DATA;
constexpr int kEof = LEAT_TCP_EV_EOF;
constexpr int kClosed = LEAT_TCP_EV_CLOSED;

constexpr leat_tcp_state kSame = LEAT_TCP_STATES;
constexpr leat_tcp_state kClosedState = LEAT_TCP_CLOSED;
constexpr leat_tcp_state kSynReceived = LEAT_TCP_SYN_RECEIVED;
constexpr leat_tcp_state kEstablished = LEAT_TCP_ESTABLISHED;
constexpr leat_tcp_state kFinWait2 = LEAT_TCP_FIN_WAIT_2;
constexpr leat_tcp_state kCloseWait = LEAT_TCP_CLOSE_WAIT;
constexpr leat_tcp_state kClosing = LEAT_TCP_CLOSING;
constexpr leat_tcp_state kTimeWait = LEAT_TCP_TIME_WAIT;

constexpr int kFirst = LEAT_TCP_SYN_SENT;
constexpr int kStates = LEAT_TCP_STATES - kFirst;

struct Row {
	Class cls;
	const char *name;
	// From SYN-SENT on: SYN-SENT, SYN-RECEIVED, ESTABLISHED, FIN-WAIT-1, FIN-WAIT-2,
	// CLOSE-WAIT, CLOSING, LAST-ACK, TIME-WAIT.
	Cell cells[kStates];
};

constexpr Cell kDrop = { kNone, kSame, 0 };
constexpr Cell kDropAck = { kAnAck, kSame, 0 };
constexpr Cell kDropChallenge = { kChallenge, kSame, 0 };
constexpr Cell kDropReset = { kReset, kSame, 0 };
constexpr Cell kEnd = { kNone, kClosedState, kClosed };

// clang-format off
const Row kRows[] = {
	// SYN-SENT: fourth, simultaneous open. SYN-RECEIVED: our SYN-ACK was lost. Others: first,
	// not acceptable, so an ACK, which RFC 5961 section 4.2 calls a challenge.
	{ kClsSynAgain, "the first SYN again", {
		{ kSynAck, kSynReceived, 0 }, { kSynAck, kSame, 0 }, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropAck } },
	// Fourth: RFC 5961 section 4.2, a challenge ACK "irrespective of the sequence number".
	// TIME-WAIT: RFC 6191, not above what the old connection used.
	{ kClsSyn, "SYN at RCV.NXT", {
		{ kSynAck, kSynReceived, 0 }, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropAck } },
	{ kClsSynNewer, "SYN in the window", {
		{ kSynAck, kSynReceived, 0 }, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		{ kReopen, kSame, 0 } } },
	// SYN-SENT: fourth, the handshake is done. SYN-RECEIVED: figure 8, simultaneous open.
	{ kClsSynAck, "SYN-ACK", {
		{ kAnAck, kEstablished, kOpen }, { kAnAck, kEstablished, kOpen }, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropAck } },
	// SYN-SENT: first, SEG.ACK =< ISS. Others: first, not acceptable.
	{ kClsSynAckOfNothing, "SYN-ACK of nothing", {
		kDropReset, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDropAck } },
	// SYN-SENT: fifth, neither SYN nor RST. Others: fifth, of our SYN or FIN.
	{ kClsAck, "ACK of all", {
		kDrop, { kNone, kEstablished, kOpen }, kDrop, { kNone, kFinWait2, 0 }, kDrop, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDrop } },
	{ kClsAckAgain, "ACK again", {
		kDropReset, kDropReset, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop } },
	// Fifth: RFC 5961 section 5.2, below SND.UNA - MAX.SND.WND.
	{ kClsAckTooOld, "ACK too old", {
		kDropReset, kDropReset, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDrop } },
	// Fifth: "If the ACK acks something not yet sent, then send an ACK, drop the segment".
	{ kClsAckOfUnsent, "ACK of what was not sent", {
		kDropReset, kDropReset, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropChallenge, kDrop } },
	// Acceptable, and its ACK counts. It takes no number, so nothing is out of order.
	{ kClsAckAhead, "ACK behind a hole", {
		kDrop, { kNone, kEstablished, kOpen }, kDrop, { kNone, kFinWait2, 0 }, kDrop, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	// First: not acceptable. An answer to an empty segment is limited: two could go to and fro.
	{ kClsAckBeforeWindow, "keep-alive", {
		kDrop, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropAck } },
	// Not acceptable by table 6, and taken: of a peer that has filled the window nothing could
	// be acknowledged while some of that text is missing.
	{ kClsAckAtRightEdge, "ACK at the right edge", {
		kDrop, { kNone, kEstablished, kOpen }, kDrop, { kNone, kFinWait2, 0 }, kDrop, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	{ kClsAckBehindWindow, "ACK behind the window", {
		kDrop, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDropAck } },
	// Fifth: "if the ACK bit is off, drop the segment and return".
	{ kClsNothing, "no flags", {
		kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop } },
	{ kClsTextWithoutAck, "text without ACK", {
		kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop } },
	// Second: RFC 5961 section 3.2, exactly at RCV.NXT. SYN-SENT: without an acceptable ACK it
	// may be anybody's. TIME-WAIT: RFC 1337.
	{ kClsRst, "RST at RCV.NXT", {
		kDrop, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kDrop } },
	{ kClsRstAck, "RST with ACK", {
		kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kDrop } },
	// The ACK field of a RST is of no importance once both sides are synchronized.
	{ kClsRstAckOfUnsent, "RST with ACK of what was not sent", {
		kDrop, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kDrop } },
	{ kClsRstInWindow, "RST in the window", {
		kDrop, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge, kDropChallenge,
		kDropChallenge, kDropChallenge, kDrop } },
	// First: "unless the RST bit is set, if so drop the segment and return".
	{ kClsRstBeforeWindow, "RST before the window", {
		kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop } },
	{ kClsRstBehindWindow, "RST behind the window", {
		kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop } },
	// Eighth. SYN-SENT: it has no SYN. After the peer's FIN there is nothing to take.
	{ kClsFin, "FIN", {
		kDrop, { kAnAck, kCloseWait, kOpen | kEof }, { kAnAck, kCloseWait, kEof },
		{ kAnAck, kTimeWait, kEof | kClosed }, { kAnAck, kTimeWait, kEof | kClosed }, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	// FIN-WAIT-1: "if our FIN has not been acknowledged, enter CLOSING".
	{ kClsFinAckOfNothing, "FIN that acknowledges nothing", {
		kDropReset, kDropReset, { kAnAck, kCloseWait, kEof }, { kAnAck, kClosing, kEof },
		{ kAnAck, kTimeWait, kEof | kClosed }, kDrop, kDrop, kDrop, kDropAck } },
	// First: not acceptable, but its ACK counts; see "text before RCV.NXT". TIME-WAIT: "the
	// only thing that can arrive ... is a retransmission of the remote FIN. Acknowledge it".
	{ kClsFinAgain, "FIN before RCV.NXT", {
		kDrop, kDropAck, kDropAck, { kAnAck, kFinWait2, 0 }, kDropAck, kDropAck,
		{ kAnAck, kTimeWait, kClosed }, kEnd, kDropAck } },
	// Kept until the text before it has come; a duplicate ACK, RFC 5681 section 4.2.
	{ kClsFinAhead, "FIN behind a hole", {
		kDrop, { kAnAck, kEstablished, kOpen }, kDropAck, { kAnAck, kFinWait2, 0 }, kDropAck,
		kDrop, { kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	// Seventh. After the peer's FIN: "Ignore the segment text".
	{ kClsText, "text", {
		kDrop, { kAnAck, kEstablished, kOpen | kData }, { kAnAck, kSame, kData },
		{ kAnAck, kFinWait2, kData }, { kAnAck, kSame, kData }, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	{ kClsTextFin, "text and FIN", {
		kDrop, { kAnAck, kCloseWait, kOpen | kData | kEof },
		{ kAnAck, kCloseWait, kData | kEof }, { kAnAck, kTimeWait, kData | kEof | kClosed },
		{ kAnAck, kTimeWait, kData | kEof | kClosed }, kDrop, { kNone, kTimeWait, kClosed },
		kEnd, kDropAck } },
	{ kClsTextAhead, "text behind a hole", {
		kDrop, { kAnAck, kEstablished, kOpen }, kDropAck, { kAnAck, kFinWait2, 0 }, kDropAck,
		kDrop, { kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	// First: not acceptable, but its ACK counts, against "drop the segment and return": of a
	// peer whose request comes again nothing else may tell that it has our reply.
	{ kClsTextOld, "text before RCV.NXT", {
		kDrop, kDropAck, kDropAck, { kAnAck, kFinWait2, 0 }, kDropAck, kDropAck,
		{ kAnAck, kTimeWait, kClosed }, kEnd, kDropAck } },
	// "Segments with higher beginning ... should be held", the part before RCV.NXT trimmed.
	{ kClsTextPartlyOld, "text over RCV.NXT", {
		kDrop, { kAnAck, kEstablished, kOpen | kData }, { kAnAck, kSame, kData },
		{ kAnAck, kFinWait2, kData }, { kAnAck, kSame, kData }, kDrop,
		{ kNone, kTimeWait, kClosed }, kEnd, kDropAck } },
	{ kClsTextBehindWindow, "text behind the window", {
		kDrop, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck,
		kDropAck } },
	// RFC 7323 section 3.2: "If a non-<RST> segment is received without a TSopt, a TCP SHOULD
	// silently drop the segment". TIME-WAIT: an answer does no harm.
	{ kClsTsMissing, "no timestamp", {
		kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kDropAck } },
	// RFC 7323 section 5.3, R1: "Send an acknowledgment in reply ... and drop the segment".
	{ kClsTsOld, "old timestamp", {
		kDrop, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck, kDropAck,
		kDropAck } },
	// RFC 7323 section 5.2: a RST is not subject to PAWS.
	{ kClsTsOldRst, "RST with an old timestamp", {
		kDrop, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kEnd, kDrop } },
};
// clang-format on

class TcpConformance : public TcpTest
{
      protected:
	void SetUp() override
	{
		TcpTest::SetUp();
		conf.ack_delay_us = 0; // every ACK that is owed leaves at once
	}

	static uint8_t FlagsOf(Class cls)
	{
		switch (cls) {
		case kClsSynAgain:
		case kClsSyn:
		case kClsSynNewer:
			return kSyn;
		case kClsSynAck:
		case kClsSynAckOfNothing:
			return kSyn | kAck;
		case kClsNothing:
		case kClsTextWithoutAck:
			return 0;
		case kClsRst:
		case kClsRstInWindow:
		case kClsRstBeforeWindow:
		case kClsRstBehindWindow:
		case kClsTsOldRst:
			return kRst;
		case kClsRstAck:
		case kClsRstAckOfUnsent:
			return kRst | kAck;
		case kClsFin:
		case kClsFinAckOfNothing:
		case kClsFinAgain:
		case kClsFinAhead:
		case kClsTextFin:
			return kFin | kAck;
		default:
			return kAck;
		}
	}

	// From RCV.NXT.
	uint32_t OffsetOf(Class cls) const
	{
		switch (cls) {
		case kClsSynAgain:
		case kClsSynAck:
		case kClsSynAckOfNothing:
			return kIrs - tcb.rcv_nxt;
		case kClsSynNewer:
		case kClsAckAhead:
		case kClsRstInWindow:
		case kClsFinAhead:
		case kClsTextAhead:
			return 100;
		case kClsAckBeforeWindow:
		case kClsRstBeforeWindow:
		case kClsFinAgain:
			return (uint32_t)-1;
		case kClsTextOld:
			return (uint32_t)-4; // as long as the text
		case kClsTextPartlyOld:
			return (uint32_t)-2;
		case kClsAckBehindWindow:
			return tcb.rcv_adv - tcb.rcv_nxt + 1;
		case kClsAckAtRightEdge:
		case kClsRstBehindWindow:
		case kClsTextBehindWindow:
			return tcb.rcv_adv - tcb.rcv_nxt;
		default:
			return 0;
		}
	}

	uint32_t AckOf(Class cls) const
	{
		switch (cls) {
		case kClsSynAckOfNothing:
			return kIss;
		case kClsAckAgain:
		case kClsFinAckOfNothing:
			return tcb.snd_una;
		case kClsAckTooOld:
			return tcb.snd_una - tcb.snd_wnd_max - 1;
		case kClsAckOfUnsent:
		case kClsRstAckOfUnsent:
			return tcb.snd_max + 1;
		default:
			return tcb.snd_max;
		}
	}

	static std::string TextOf(Class cls)
	{
		switch (cls) {
		case kClsTextWithoutAck:
		case kClsText:
		case kClsTextFin:
		case kClsTextAhead:
		case kClsTextOld:
		case kClsTextPartlyOld:
		case kClsTextBehindWindow:
		case kClsTsMissing:
		case kClsTsOld:
			return "text";
		default:
			return "";
		}
	}

	leat_tcp_seg SegOf(Class cls)
	{
		leat_tcp_seg seg = Seg(FlagsOf(cls));

		seg.seq += OffsetOf(cls);
		seg.ack = (seg.flags & kAck) != 0 ? AckOf(cls) : 0;
		if (cls == kClsTsMissing)
			seg.opts.has_ts = false;
		if (cls == kClsTsOld || cls == kClsTsOldRst)
			seg.opts.ts_val--;
		if ((seg.flags & kSyn) != 0)
			seg.opts.mss = kMss;
		return seg;
	}

	Answer AnswerOf(leat_tcp_verdict verdict, const leat_tcp_seg &seg, unsigned nb_challenges)
	{
		leat_tcp_out rst;
		std::vector<Sent> sent = Output();

		if (verdict == LEAT_TCP_REFUSED) {
			EXPECT_TRUE(sent.empty());
			EXPECT_TRUE(leat_tcp_refuse(&tcb, now, &seg, &rst));
			EXPECT_EQ(kRst, rst.flags);
			EXPECT_EQ(seg.ack, rst.seq);
			return kReset;
		}
		if (verdict == LEAT_TCP_REOPEN)
			return sent.empty() ? kReopen : kMissing;
		if (sent.empty())
			return kNone;
		EXPECT_EQ(1u, sent.size());
		EXPECT_EQ("", sent[0].text);
		EXPECT_EQ(tcb.rcv_nxt, sent[0].ack);
		if (sent[0].flags == (kSyn | kAck)) {
			EXPECT_EQ(kIss, sent[0].seq);
			return kSynAck;
		}
		EXPECT_EQ(kAck, sent[0].flags);
		EXPECT_EQ(tcb.snd_max, sent[0].seq);
		return tcb.nb_challenges > nb_challenges ? kChallenge : kAnAck;
	}

	void Walk(const Row &row, leat_tcp_state state)
	{
		const Cell &cell = row.cells[state - kFirst];

		ASSERT_NE(kMissing, cell.answer) << "no entry";
		with_ts = row.cls >= kClsTsMissing;
		Enter(state);
		ASSERT_FALSE(HasFatalFailure());
		leat_tcp_seg seg = SegOf(row.cls);
		unsigned int nb_challenges = tcb.nb_challenges;
		leat_tcp_verdict verdict = Input(seg, TextOf(row.cls));

		EXPECT_EQ(cell.answer, AnswerOf(verdict, seg, nb_challenges));
		leat_tcp_state next = cell.next == kSame ? state : cell.next;
		EXPECT_STREQ(
			leat_tcp_state_name(next), leat_tcp_state_name((leat_tcp_state)tcb.state));
		EXPECT_EQ(cell.events, Events());
		if ((cell.events & kData) != 0)
			EXPECT_EQ(row.cls == kClsTextPartlyOld ? "xt" : "text", Take());
		else
			EXPECT_EQ("", Take());
	}
};

TEST_F(TcpConformance, TableHasEveryClassOnce)
{
	ASSERT_EQ((size_t)kClasses, sizeof(kRows) / sizeof(kRows[0]));
	for (int i = 0; i < kClasses; i++)
		EXPECT_EQ(i, kRows[i].cls) << kRows[i].name;
}

TEST_F(TcpConformance, EveryStateWithEveryClassOfSegment)
{
	int nb_pairs = 0;

	for (const Row &row : kRows) {
		for (int i = kFirst; i < LEAT_TCP_STATES; i++) {
			SCOPED_TRACE(std::string(leat_tcp_state_name((leat_tcp_state)i)) + ", " +
				     row.name);
			Walk(row, (leat_tcp_state)i);
			nb_pairs++;
		}
	}
	EXPECT_EQ(kClasses * kStates, nb_pairs);
}

} // namespace
