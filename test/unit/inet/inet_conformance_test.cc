// SPDX-License-Identifier: BSD-3-Clause

// CLOSED and LISTEN with every class of segment: RFC 9293 sections 3.10.7.1 and 3.10.7.2.
// The other states are in the tests of lib/tcp.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

constexpr uint8_t kFin = LEAT_TCP_FIN;
constexpr uint8_t kSyn = LEAT_TCP_SYN;
constexpr uint8_t kRst = LEAT_TCP_RST;
constexpr uint8_t kAck = LEAT_TCP_ACK;

constexpr uint32_t kSeq = 1000;
constexpr uint32_t kAckNo = 5000;

enum Answer {
	kMissing,
	kNone,
	kReset,    // <SEQ=SEG.ACK><CTL=RST>
	kResetAck, // <SEQ=0><ACK=SEG.SEQ+SEG.LEN><CTL=RST,ACK>
	kSynAck,   // <SEQ=ISS><ACK=SEG.SEQ+1><CTL=SYN,ACK>; SYN-RECEIVED
};

struct Row {
	const char *name;
	uint8_t flags;
	const char *text;
	Answer closed;
	Answer listen;
};

// CLOSED: "An incoming segment not containing a RST causes a RST to be sent in response".
// LISTEN: first RST, second ACK, third SYN, fourth "any other ... drop".
const Row kRows[] = {
	{ "SYN", kSyn, "", kResetAck, kSynAck },
	{ "SYN and text", kSyn, "text", kResetAck, kSynAck }, // the text comes again
	{ "SYN and FIN", kSyn | kFin, "", kResetAck, kNone }, // nobody's: a scanner's
	{ "SYN-ACK", kSyn | kAck, "", kReset, kReset },
	{ "SYN, ACK and text", kSyn | kAck, "text", kReset, kReset },
	{ "ACK", kAck, "", kReset, kReset },
	{ "text", kAck, "text", kReset, kReset },
	{ "FIN with ACK", kFin | kAck, "", kReset, kReset },
	{ "text and FIN", kFin | kAck, "text", kReset, kReset },
	{ "FIN without ACK", kFin, "", kResetAck, kNone },
	{ "text without ACK", 0, "text", kResetAck, kNone },
	{ "no flags", 0, "", kResetAck, kNone },
	{ "RST", kRst, "", kNone, kNone },
	{ "RST with ACK", kRst | kAck, "", kNone, kNone },
	{ "RST and SYN", kRst | kSyn, "", kNone, kNone },
	{ "RST, SYN and ACK", kRst | kSyn | kAck, "", kNone, kNone },
	{ "RST and FIN", kRst | kFin, "", kNone, kNone },
	{ "RST and text", kRst, "text", kNone, kNone },
};

class InetConformance : public InetLab
{
      protected:
	Tcp SegOf(const Row &row)
	{
		Tcp seg = { row.flags };

		seg.seq = kSeq;
		seg.ack = (row.flags & kAck) != 0 ? kAckNo : 0;
		seg.text = row.text;
		return seg;
	}

	void Expect(Answer answer, const Tcp &seg)
	{
		std::vector<SeenTcp> out = OutputTcp();
		uint32_t len = (uint32_t)seg.text.size() + ((seg.flags & kSyn) != 0) +
			       ((seg.flags & kFin) != 0);

		ASSERT_NE(kMissing, answer);
		ASSERT_EQ(answer == kNone ? 0u : 1u, out.size());
		EXPECT_EQ(answer == kSynAck ? 1u : 0u, leat_inet_nb_conns(inet_));
		EXPECT_TRUE(Events().empty());
		switch (answer) {
		case kReset:
			EXPECT_EQ(kRst, out[0].seg.flags);
			EXPECT_EQ(kAckNo, out[0].seg.seq);
			break;
		case kResetAck:
			EXPECT_EQ(kRst | kAck, out[0].seg.flags);
			EXPECT_EQ(0u, out[0].seg.seq);
			EXPECT_EQ(kSeq + len, out[0].seg.ack);
			break;
		case kSynAck:
			EXPECT_EQ(kSyn | kAck, out[0].seg.flags);
			EXPECT_EQ(kSeq + 1, out[0].seg.ack);
			break;
		default:
			break;
		}
	}
};

TEST_F(InetConformance, ClosedWithEveryClassOfSegment)
{
	for (const Row &row : kRows) {
		SCOPED_TRACE(row.name);
		Open();
		Meet();
		Input({ SegOf(row).Build() });
		Expect(row.closed, SegOf(row));
		Close();
	}
}

TEST_F(InetConformance, ListenWithEveryClassOfSegment)
{
	for (const Row &row : kRows) {
		SCOPED_TRACE(row.name);
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
		Input({ SegOf(row).Build() });
		Expect(row.listen, SegOf(row));
		Close();
	}
}

// Each combination of the five flags stands in the table, with and without ACK at least once.
TEST_F(InetConformance, TableHasNoTwins)
{
	for (const Row &row : kRows)
		for (const Row *other = &row + 1; other < std::end(kRows); other++)
			EXPECT_FALSE(
				row.flags == other->flags && std::string(row.text) == other->text)
				<< row.name << ", " << other->name;
}

} // namespace
