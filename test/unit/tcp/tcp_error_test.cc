// SPDX-License-Identifier: BSD-3-Clause

// What routers say by ICMP: RFC 9293 section 3.9.2.2, RFC 1191, RFC 5927.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

class TcpError : public TcpTest
{
};

// RFC 5927 section 4.1: SND.UNA <= SEG.SEQ < SND.NXT.
TEST_F(TcpError, InFlightIsWhatWasSentAndIsNotAcknowledged)
{
	Establish();
	uint32_t una = tcb.snd_una;

	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, una)) << "nothing is";
	ASSERT_EQ(0, Send("text"));
	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, una)) << "it waits";
	Output();
	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, una - 1));
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, una));
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, una + 3));
	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, una + 4));
	leat_tcp_shutdown(&tcb);
	Output();
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, una + 4)) << "the FIN";
	Fire(); // what timed out is in flight still, wherever snd_nxt is
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, una + 4));
	InputAck(una + 2);
	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, una + 1));
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, una + 2));
}

TEST_F(TcpError, OfASynItsNumberIsInFlight)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, kIss));
	EXPECT_FALSE(leat_tcp_is_in_flight(&tcb, kIss + 1));
	Enter(LEAT_TCP_SYN_RECEIVED);
	EXPECT_TRUE(leat_tcp_is_in_flight(&tcb, kIss));
}

// RFC 1191 section 6.5: sent again at once, and the congestion window is left alone.
TEST_F(TcpError, WhatIsInFlightGoesAgainCutToTheNewSize)
{
	std::string text;

	for (int i = 0; i < 3000; i++)
		text += (char)('a' + i % 26);
	Establish();
	ASSERT_EQ(0, Send(text));
	ASSERT_EQ(3u, Output().size());
	uint32_t una = tcb.snd_una;
	uint32_t cwnd = tcb.cwnd;

	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 700));
	EXPECT_EQ(cwnd, tcb.cwnd);
	std::string again;
	for (const Sent &sent : Output()) {
		EXPECT_LE(sent.text.size(), 700u);
		EXPECT_EQ((uint32_t)(una + again.size()), sent.seq);
		EXPECT_TRUE(sent.is_rtx);
		again += sent.text;
	}
	EXPECT_EQ(text, again);
	ASSERT_EQ(LEAT_TCP_DONE, InputAck(una + 3000));
	EXPECT_EQ(0u, tcb.snd_len);
}

// Duplicate ACKs of short text behind what was too big tell of no congestion.
TEST_F(TcpError, WhatWasTooBigIsNoLossToAPeerWithoutSack)
{
	Establish();
	Send(std::string(1000, 'x'));
	Output();
	for (int i = 0; i < 4; i++) {
		Send(std::string(500, 'y'));
		Output();
	}
	uint32_t una = tcb.snd_una;
	uint32_t cwnd = tcb.cwnd;

	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 700));
	EXPECT_EQ(2u, Output().size());
	for (int i = 0; i < 4; i++)
		InputAck(una);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(TCP_CWND_MAX, tcb.ssthresh);
	EXPECT_EQ(cwnd, tcb.cwnd);
	InputAck(una + 3000);
	for (int i = 0; i < 2; i++) {
		Send(std::string(500, 'z'));
		Output();
		InputAck(una + 3000 + 500 * (uint32_t)i);
	}
	InputAck(una + 3500); // what is lost from now on is
	InputAck(una + 3500);
	InputAck(una + 3500);
	EXPECT_TRUE(tcb.in_recovery);
}

// The same with SACK.
TEST_F(TcpError, WhatWasTooBigIsNoLossToAPeerWithSack)
{
	leat_tcp_seg syn = Syn();

	syn.opts.has_sack_ok = true;
	Establish(syn);
	Send(std::string(1000, 'x'));
	Output();
	for (int i = 0; i < 4; i++) {
		Send(std::string(500, 'y'));
		Output();
	}
	uint32_t una = tcb.snd_una;

	now += 50;
	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 700));
	EXPECT_EQ(2u, Output().size());
	now += 100;
	for (uint32_t i = 1; i <= 4; i++) {
		leat_tcp_seg ack = Seg(kAck);

		ack.ack = una;
		ack.opts.nb_sacks = 1;
		ack.opts.sacks[0] = { una + 1000, una + 1000 + 500 * i };
		Input(ack);
		EXPECT_TRUE(Output().empty());
	}
	InputAck(una + 3000);
	EXPECT_FALSE(tcb.in_recovery);
	EXPECT_EQ(TCP_CWND_MAX, tcb.ssthresh);
	EXPECT_EQ(0, tcb.nb_retries);
}

TEST_F(TcpError, WhatFitsIsNotSentAgain)
{
	Establish();
	ASSERT_EQ(0, Send(std::string(700, 'x')));
	ASSERT_EQ(1u, Output().size());
	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 700));
	EXPECT_TRUE(Output().empty());
}

TEST_F(TcpError, FinBehindWhatIsTooBigGoesAgainToo)
{
	Establish();
	ASSERT_EQ(0, Send(std::string(1000, 'x')));
	leat_tcp_shutdown(&tcb);
	ASSERT_EQ(1u, Output().size());
	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 600));
	std::vector<Sent> sent = Output();
	ASSERT_EQ(2u, sent.size());
	EXPECT_EQ(600u, sent[0].text.size());
	EXPECT_EQ(400u, sent[1].text.size());
	EXPECT_EQ(kFin, sent[1].flags & kFin);
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_1, tcb.state);
	InputAck(tcb.snd_max);
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_2, tcb.state);
}

// RFC 1191 section 3: "a host MUST NOT increase its estimate" by such a message.
TEST_F(TcpError, MssIsNeverRaisedAndHasAFloor)
{
	Establish();
	EXPECT_FALSE(leat_tcp_lower_mss(&tcb, kMss));
	EXPECT_FALSE(leat_tcp_lower_mss(&tcb, kMss + 1));
	EXPECT_EQ(kMss, tcb.snd_mss);
	EXPECT_TRUE(leat_tcp_lower_mss(&tcb, 0));
	EXPECT_EQ(LEAT_TCP_MSS_MIN, tcb.snd_mss);
	EXPECT_FALSE(leat_tcp_lower_mss(&tcb, LEAT_TCP_MSS_MIN - 1));
}

// RFC 5927 section 5.2: hard errors end a connection in SYN-SENT and in no other state.
TEST_F(TcpError, HardErrorEndsSynSentOnly)
{
	for (int i = LEAT_TCP_SYN_SENT; i < LEAT_TCP_STATES; i++) {
		leat_tcp_state state = (leat_tcp_state)i;

		Enter(state);
		leat_tcp_unreachable(&tcb, -ECONNREFUSED, true);
		if (state == LEAT_TCP_SYN_SENT) {
			EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
			EXPECT_EQ(-ECONNREFUSED, tcb.error);
			EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
		} else {
			EXPECT_EQ(state, tcb.state) << leat_tcp_state_name(state);
			EXPECT_EQ(0, Events()) << leat_tcp_state_name(state);
		}
	}
}

// RFC 1122 section 4.2.3.9: "SHOULD make the information available to the application".
TEST_F(TcpError, SoftErrorIsTheReasonWhereNothingElseIsHeard)
{
	Enter(LEAT_TCP_SYN_SENT);
	leat_tcp_unreachable(&tcb, -EHOSTUNREACH, false);
	EXPECT_EQ(LEAT_TCP_SYN_SENT, tcb.state);
	while (tcb.state != LEAT_TCP_CLOSED) {
		Fire();
		Output();
	}
	EXPECT_EQ(-EHOSTUNREACH, tcb.error);

	Establish();
	ASSERT_EQ(0, Send("text"));
	Output();
	leat_tcp_unreachable(&tcb, -ENETUNREACH, false);
	while (tcb.state != LEAT_TCP_CLOSED) {
		Fire();
		Output();
	}
	EXPECT_EQ(-ENETUNREACH, tcb.error);
}

TEST_F(TcpError, SoftErrorIsForgottenWhenThePeerIsHeard)
{
	Establish();
	ASSERT_EQ(0, Send("text"));
	Output();
	leat_tcp_unreachable(&tcb, -ENETUNREACH, false);
	InputAck(tcb.snd_una + 1);
	while (tcb.state != LEAT_TCP_CLOSED) {
		Fire();
		Output();
	}
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
}

TEST_F(TcpError, SoftErrorIsNoneOfAConnectionThatEndsInOrder)
{
	Enter(LEAT_TCP_LAST_ACK);
	leat_tcp_unreachable(&tcb, -ENETUNREACH, false);
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kAck)));
	EXPECT_EQ(0, tcb.error);
}

} // namespace
