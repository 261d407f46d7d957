// SPDX-License-Identifier: BSD-3-Clause

// Keep-alives: RFC 9293 section 3.8.4, RFC 1122 section 4.2.3.6.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

constexpr uint64_t kSecond = 1000000;
constexpr uint64_t kIdle = 100 * kSecond;
constexpr uint64_t kInterval = 10 * kSecond;

class TcpKeep : public TcpTest
{
      protected:
	void SetUp() override
	{
		TcpTest::SetUp();
		conf.keep_idle_s = 100;
		conf.keep_interval_s = 10;
		conf.nb_keep_probes_max = 3;
	}

	void ExpectProbe()
	{
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kAck, sent[0].flags);
		EXPECT_EQ(tcb.snd_max - 1, sent[0].seq); // SEG.SEQ = SND.NXT-1
		EXPECT_EQ(tcb.rcv_nxt, sent[0].ack);
		EXPECT_EQ("", sent[0].text);
	}
};

// "Keep-alives MUST ... default to off" (MUST-25).
TEST_F(TcpKeep, AreOffByDefault)
{
	leat_tcp_conf_init(&conf, kMss);
	Establish();
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpKeep, FirstProbeAfterTheIdleTime)
{
	Establish();
	uint64_t start = now;

	EXPECT_EQ(start + kIdle, leat_tcp_deadline(&tcb));
	now = start + kIdle - 1;
	leat_tcp_timeout(&tcb, now);
	EXPECT_TRUE(Output().empty());
	Fire();
	EXPECT_LE(now, start + kIdle + 1000);
	ExpectProbe();
}

// "only ... if no data or acknowledgment packets have been received within an interval"
TEST_F(TcpKeep, EachSegmentOfThePeerPutsItOff)
{
	conf.ack_delay_us = 0;
	Establish();
	uint64_t start = now;

	for (int i = 0; i < 3; i++) {
		now += kIdle / 4;
		ASSERT_EQ(LEAT_TCP_DONE, InputAt(0, "text"));
		Take();
		Output();
		EXPECT_EQ(start + kIdle, leat_tcp_deadline(&tcb)) << "a segment moves no timer";
	}
	uint64_t heard = now;

	Fire(); // and finds that it was heard
	EXPECT_TRUE(Output().empty());
	Fire();
	EXPECT_NEAR((double)now, (double)(heard + kIdle), 1000);
	ExpectProbe();
}

TEST_F(TcpKeep, EndsWithTimedOutAfterTheLastProbe)
{
	Establish();
	uint64_t start = now;

	for (uint64_t i = 0; i < 3; i++) {
		Fire();
		EXPECT_EQ(start + kIdle + i * kInterval, now);
		ExpectProbe();
		EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	}
	Fire();
	EXPECT_EQ(start + kIdle + 3 * kInterval, now);
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpKeep, AnAnswerStartsAnew)
{
	Establish();
	Fire();
	ExpectProbe();
	Fire();
	ExpectProbe();
	now += 100;
	ASSERT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
	uint64_t heard = now;

	EXPECT_TRUE(Output().empty());
	Fire(); // at the time of the next probe: it is not needed
	EXPECT_TRUE(Output().empty());
	Fire();
	EXPECT_NEAR((double)now, (double)(heard + kIdle), 1000);
	ExpectProbe();
	Fire();
	ExpectProbe();
	Fire();
	ExpectProbe();
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
}

// An answered probe is no silence, also where the interval is the longer time.
TEST_F(TcpKeep, IntervalMayBeLongerThanTheIdleTime)
{
	conf.keep_interval_s = 500;
	conf.nb_keep_probes_max = 1;
	Establish();
	for (int i = 0; i < 5; i++) {
		Fire();
		ExpectProbe();
		now += 100;
		ASSERT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
	}
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
}

// The retransmission timer asks already, and has its own limit.
TEST_F(TcpKeep, NoneWhileTextIsInFlight)
{
	conf.rto_initial_us = 60 * kSecond;
	conf.rto_min_us = 60 * kSecond;
	Establish();
	ASSERT_EQ(0, Send("text"));
	ASSERT_EQ(1u, Output().size());
	for (int i = 0; i < 10; i++) {
		Fire();
		for (const Sent &sent : Output())
			EXPECT_EQ("text", sent.text);
	}
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
}

TEST_F(TcpKeep, TextThatIsSentInTheSameTurnStandsForTheProbe)
{
	Establish();
	Fire();
	ASSERT_EQ(0, Send("text"));
	std::vector<Sent> sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ("text", sent[0].text);
}

TEST_F(TcpKeep, GoOnInCloseWait)
{
	Enter(LEAT_TCP_CLOSE_WAIT);
	Fire();
	ExpectProbe();
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
}

// From then on the limit of FIN-WAIT-2 and LAST-ACK holds, and no longer time.
TEST_F(TcpKeep, EndWithOurFin)
{
	for (leat_tcp_state state : { LEAT_TCP_FIN_WAIT_2, LEAT_TCP_LAST_ACK }) {
		Enter(state);
		EXPECT_EQ(now + conf.fin_wait_2_us, tcb.life_at_us) << leat_tcp_state_name(state);
	}
}

TEST_F(TcpKeep, BeginWithTheHandshakeOnBothSides)
{
	Enter(LEAT_TCP_SYN_RECEIVED);
	EXPECT_EQ(UINT64_MAX, tcb.life_at_us);
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(UINT64_MAX, tcb.life_at_us);
	leat_tcp_seg answer = Syn();
	answer.flags = kSyn | kAck;
	answer.ack = tcb.snd_max;
	ASSERT_EQ(LEAT_TCP_DONE, Input(answer));
	EXPECT_EQ(now + kIdle, tcb.life_at_us);
}

// The other side: "an implementation ... must ... reply" to a probe (RFC 9293 section 3.10.7.4)
TEST_F(TcpKeep, ProbeOfThePeerIsAnswered)
{
	for (const std::string &garbage : { std::string(), std::string("g") }) {
		Enter(LEAT_TCP_ESTABLISHED);
		InputAt(-1, garbage);
		std::vector<Sent> sent = Output();
		ASSERT_EQ(1u, sent.size());
		EXPECT_EQ(kAck, sent[0].flags);
		EXPECT_EQ(tcb.rcv_nxt, sent[0].ack);
		EXPECT_EQ("", Take());
	}
}

} // namespace
