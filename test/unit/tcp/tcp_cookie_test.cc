// SPDX-License-Identifier: BSD-3-Clause

// SYN cookies: RFC 4987 section 3.6, with the options in the timestamp.

#include <leat_tcp_cookie.h>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

constexpr leat_siphash_key kKey = { 1, 2 };
constexpr uint64_t kEnds = 0x1122334455667788u;
constexpr uint64_t kPeriod = LEAT_TCP_COOKIE_PERIOD_US;
constexpr uint32_t kPeerTs = 777;

class TcpCookie : public TcpTest
{
      protected:
	leat_tcp_seg known_ = {}; // what the cookie told of the SYN

	leat_tcp_seg SynWithOptions()
	{
		leat_tcp_seg syn = Syn();

		syn.opts.has_ts = true;
		syn.opts.ts_val = kPeerTs;
		syn.opts.has_wscale = true;
		syn.opts.wscale = 7;
		syn.opts.has_sack_ok = true;
		return syn;
	}

	leat_tcp_out Answer(const leat_tcp_seg &syn)
	{
		leat_tcp_out out;

		leat_tcp_cookie_answer(&conf, &kKey, kEnds, now, &syn, &out);
		return out;
	}

	// The ACK with which a peer takes our SYN-ACK.
	static leat_tcp_seg AckOf(const leat_tcp_seg &syn, const leat_tcp_out &answer)
	{
		leat_tcp_seg ack = {};

		ack.seq = syn.seq + 1;
		ack.ack = answer.seq + 1;
		ack.wnd = 1000;
		ack.flags = kAck;
		ack.opts.has_ts = answer.opts.has_ts;
		ack.opts.ts_val = kPeerTs + 1;
		ack.opts.ts_ecr = answer.opts.ts_val;
		return ack;
	}

	bool Check(const leat_tcp_seg &ack, uint64_t ends = kEnds, leat_siphash_key key = kKey)
	{
		return leat_tcp_cookie_check(&key, ends, now, &ack, &known_);
	}

	// The connection that comes of this SYN, the last of the handshake carrying text.
	void Open(const leat_tcp_seg &syn, const std::string &text = "", uint8_t flags = 0)
	{
		leat_tcp_seg ack = AckOf(syn, Answer(syn));

		ack.flags = (uint8_t)(ack.flags | flags);
		ASSERT_TRUE(Check(ack));
		leat_tcp_open_cookie(&tcb, &conf, now, &ack, &known_, kMss);
		ASSERT_EQ(LEAT_TCP_SYN_RECEIVED, tcb.state);
		ASSERT_FALSE(leat_tcp_wants_output(&tcb));
		ASSERT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
		ASSERT_EQ(LEAT_TCP_DONE, Input(ack, text));
	}
};

TEST_F(TcpCookie, SynAckAcknowledgesTheSynAndOffersWhatItOffered)
{
	leat_tcp_seg syn = SynWithOptions();

	conf.wscale = 2;
	leat_tcp_out out = Answer(syn);
	EXPECT_EQ(kSyn | kAck, out.flags);
	EXPECT_EQ(kIrs + 1, out.ack);
	EXPECT_EQ(10000, out.wnd); // of a SYN: not scaled, RFC 7323 section 2.2
	EXPECT_EQ(kMss, out.opts.mss);
	EXPECT_TRUE(out.opts.has_ts);
	EXPECT_EQ(kPeerTs, out.opts.ts_ecr);
	EXPECT_TRUE(out.opts.has_sack_ok);
	EXPECT_TRUE(out.opts.has_wscale);
	EXPECT_EQ(2, out.opts.wscale);
	EXPECT_EQ(nullptr, out.text);
}

// There is nowhere to keep them.
TEST_F(TcpCookie, WithoutTimestampsNoOptionButMssIsOffered)
{
	leat_tcp_seg syn = SynWithOptions();

	syn.opts.has_ts = false;
	leat_tcp_out out = Answer(syn);
	EXPECT_EQ(kMss, out.opts.mss);
	EXPECT_FALSE(out.opts.has_ts);
	EXPECT_FALSE(out.opts.has_sack_ok);
	EXPECT_FALSE(out.opts.has_wscale);
}

TEST_F(TcpCookie, OptionsComeBackWithTheTimestamp)
{
	for (int wscale = -1; wscale <= (int)LEAT_TCP_WSCALE_MAX; wscale++) {
		for (bool has_sack : { false, true }) {
			leat_tcp_seg syn = SynWithOptions();

			syn.opts.has_wscale = wscale >= 0;
			syn.opts.wscale = (uint8_t)(wscale >= 0 ? wscale : 0);
			syn.opts.has_sack_ok = has_sack;
			ASSERT_TRUE(Check(AckOf(syn, Answer(syn))));
			EXPECT_EQ(syn.opts.has_wscale, known_.opts.has_wscale);
			EXPECT_EQ(syn.opts.wscale, known_.opts.wscale);
			EXPECT_EQ(has_sack, known_.opts.has_sack_ok);
			EXPECT_TRUE(known_.opts.has_ts);
			EXPECT_EQ(kPeerTs + 1, known_.opts.ts_val);
		}
	}
}

// The peer takes a step back for an old segment, RFC 7323 section 5.
TEST_F(TcpCookie, TimestampIsNeverAheadOfTheClockNorMoreThan32MsBehind)
{
	for (int ms = 0; ms < 200; ms++, now += 1000) {
		leat_tcp_seg syn = SynWithOptions();
		uint32_t clock = (uint32_t)(now / 1000) + conf.ts_offset;
		uint32_t behind = clock - Answer(syn).opts.ts_val;

		EXPECT_LT(behind, 32u);
	}
}

TEST_F(TcpCookie, MssIsRoundedDownToAStep)
{
	const struct {
		uint16_t said, kept;
	} cases[] = {
		{ 0, LEAT_TCP_MSS_DEFAULT }, // RFC 9293 section 3.7.1: not said
		{ 1, LEAT_TCP_MSS_MIN },
		{ 535, LEAT_TCP_MSS_MIN },
		{ 536, 536 },
		{ 1219, 536 },
		{ 1220, 1220 },
		{ 1459, 1440 },
		{ 1460, 1460 },
		{ 8939, 1460 },
		{ 8940, 8940 },
		{ 65535, 8940 },
	};

	for (const auto &c : cases) {
		leat_tcp_seg syn = SynWithOptions();

		syn.opts.mss = c.said;
		ASSERT_TRUE(Check(AckOf(syn, Answer(syn)))) << c.said;
		EXPECT_EQ(c.kept, known_.opts.mss) << c.said;
	}
}

TEST_F(TcpCookie, IsGoodInItsPeriodAndTheNextOnly)
{
	leat_tcp_seg syn = SynWithOptions();

	for (uint64_t begin : { 10 * kPeriod, 11 * kPeriod }) {
		now = begin;
		leat_tcp_seg first = AckOf(syn, Answer(syn));
		now = begin + kPeriod - 1;
		leat_tcp_seg last = AckOf(syn, Answer(syn));

		EXPECT_EQ(first.ack, last.ack) << "one cookie for each period";
		EXPECT_TRUE(Check(first));
		now = begin + 2 * kPeriod - 1;
		EXPECT_TRUE(Check(first));
		for (uint64_t later = 2; later < 40; later++) {
			now = begin + later * kPeriod;
			EXPECT_FALSE(Check(first)) << later;
		}
		now = begin - 1; // made in the future: of another stack
		EXPECT_FALSE(Check(first));
	}
}

TEST_F(TcpCookie, IsForThesePeersTheseNumbersAndThisKeyOnly)
{
	leat_tcp_seg syn = SynWithOptions();
	const leat_tcp_seg good = AckOf(syn, Answer(syn));
	leat_tcp_seg bad = good;

	ASSERT_TRUE(Check(good));
	EXPECT_FALSE(Check(good, kEnds ^ 1));
	EXPECT_FALSE(Check(good, kEnds, { 1, 3 }));
	bad.seq++;
	EXPECT_FALSE(Check(bad)) << "a later segment of the peer";
	for (int bit = 0; bit < 32; bit++) {
		bad = good;
		bad.ack = ((good.ack - 1) ^ (1u << bit)) + 1;
		EXPECT_FALSE(Check(bad)) << "bit " << bit;
	}
}

// A peer must not get a window scale or SACK that its SYN did not offer.
TEST_F(TcpCookie, ChangedOptionsAreRefused)
{
	leat_tcp_seg syn = SynWithOptions();
	const leat_tcp_seg good = AckOf(syn, Answer(syn));
	leat_tcp_seg bad = good;

	for (int bit = 0; bit < 5; bit++) {
		bad = good;
		bad.opts.ts_ecr ^= 1u << bit;
		EXPECT_FALSE(Check(bad)) << "bit " << bit;
	}
	bad = good;
	bad.opts.has_ts = false;
	EXPECT_FALSE(Check(bad));
	syn.opts.has_ts = false;
	bad = AckOf(syn, Answer(syn));
	ASSERT_TRUE(Check(bad));
	bad.opts.has_ts = true;
	EXPECT_FALSE(Check(bad));
}

TEST_F(TcpCookie, OnlyAnAckCarriesOne)
{
	leat_tcp_seg syn = SynWithOptions();
	leat_tcp_seg ack = AckOf(syn, Answer(syn));

	for (uint8_t flags : { kFin, (uint8_t)(kAck | kRst), (uint8_t)(kAck | kSyn), kRst }) {
		ack.flags = flags;
		EXPECT_FALSE(Check(ack)) << (int)flags;
	}
	for (uint8_t flags : { kAck, (uint8_t)(kAck | kPsh), (uint8_t)(kAck | kFin) }) {
		ack.flags = flags;
		EXPECT_TRUE(Check(ack)) << (int)flags;
	}
}

TEST_F(TcpCookie, ConnectionIsTheOneThatTheSynWouldHaveMade)
{
	conf.wscale = 2;
	Open(SynWithOptions());
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN, Events());
	EXPECT_TRUE(tcb.ts_on);
	EXPECT_TRUE(tcb.sack_on);
	EXPECT_TRUE(tcb.has_wscale);
	EXPECT_EQ(7, tcb.snd_wscale);
	EXPECT_EQ(2, tcb.rcv_wscale);
	EXPECT_EQ(1000u << 7, tcb.snd_wnd);
	EXPECT_EQ(10000u, tcb.rcv_adv - tcb.rcv_nxt); // as the SYN-ACK said
	EXPECT_EQ(kIrs + 1, tcb.rcv_nxt);
	EXPECT_EQ(kPeerTs + 1, tcb.ts_recent);
	EXPECT_EQ(tcb.iss + 1, tcb.snd_una);
	EXPECT_EQ(tcb.snd_una, tcb.snd_max);
	EXPECT_TRUE(Output().empty());

	ASSERT_EQ(0, Send("reply"));
	std::vector<Sent> sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(tcb.iss + 1, sent[0].seq);
	EXPECT_EQ("reply", sent[0].text);
}

// The pure ACK was lost, or there never was one.
TEST_F(TcpCookie, TextAndFinThatTheAckCarriesAreTaken)
{
	Open(SynWithOptions(), "request", kFin);
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN | LEAT_TCP_EV_DATA | LEAT_TCP_EV_EOF, Events());
	EXPECT_EQ("request", Take());
}

TEST_F(TcpCookie, TextBeyondTheWindowOfTheSynAckIsCut)
{
	conf.rcv_wnd_max = 2000;
	Open(SynWithOptions(), std::string(2500, 'x'));
	EXPECT_EQ(2000u, Take().size());
}

// From when on nobody knows, but the echo tells, 32 ms at most too much.
TEST_F(TcpCookie, RoundTripIsTakenFromTheEcho)
{
	leat_tcp_seg syn = SynWithOptions();
	leat_tcp_seg ack = AckOf(syn, Answer(syn));

	now += 100000;
	ASSERT_TRUE(Check(ack));
	leat_tcp_open_cookie(&tcb, &conf, now, &ack, &known_, kMss);
	ASSERT_EQ(LEAT_TCP_DONE, Input(ack));
	EXPECT_GE(tcb.srtt_us, 100000u);
	EXPECT_LT(tcb.srtt_us, 132000u);
}

TEST_F(TcpCookie, MssOfThePathIsALimit)
{
	leat_tcp_seg syn = SynWithOptions();
	leat_tcp_seg ack = AckOf(syn, Answer(syn));

	ASSERT_TRUE(Check(ack));
	leat_tcp_open_cookie(&tcb, &conf, now, &ack, &known_, 300);
	EXPECT_EQ(300, tcb.snd_mss);
}

} // namespace
