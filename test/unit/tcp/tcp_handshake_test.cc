// SPDX-License-Identifier: BSD-3-Clause

// The states before ESTABLISHED: RFC 9293 section 3.10.7.3 and 3.10.7.4.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpSynSent = TcpTest;
using TcpSynReceived = TcpTest;

// Section 3.10.7.3, first step.
TEST_F(TcpSynSent, AckOfNothingIsRefused)
{
	for (int32_t off : { -1, 0, 2 }) {
		Enter(LEAT_TCP_SYN_SENT);
		leat_tcp_seg seg = Syn();

		seg.flags |= kAck;
		seg.ack = kIss + (uint32_t)off;
		EXPECT_EQ(LEAT_TCP_REFUSED, Input(seg));
		EXPECT_EQ(LEAT_TCP_SYN_SENT, tcb.state);
		seg.flags = kAck | kRst;
		EXPECT_EQ(LEAT_TCP_DROPPED, Input(seg));
		EXPECT_EQ(LEAT_TCP_SYN_SENT, tcb.state);
	}
}

TEST_F(TcpSynSent, RstWithAckRefusesTheConnection)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kRst | kAck)));
	EXPECT_EQ(-ECONNREFUSED, tcb.error);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
}

TEST_F(TcpSynSent, RstWithoutAckIsDropped)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(Seg(kRst)));
	EXPECT_EQ(LEAT_TCP_SYN_SENT, tcb.state);
}

TEST_F(TcpSynSent, AckWithoutSynIsDropped)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(Seg(kAck)));
	EXPECT_EQ(LEAT_TCP_SYN_SENT, tcb.state);
}

TEST_F(TcpSynSent, SynAloneOpensSimultaneously)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(LEAT_TCP_DONE, Input(Syn()));
	EXPECT_EQ(LEAT_TCP_SYN_RECEIVED, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kSyn | kAck, sent[0].flags);
	EXPECT_EQ(kIss, sent[0].seq);
	// Figure 8: the peer answers with a SYN-ACK of its own.
	leat_tcp_seg answer = Syn();

	answer.flags |= kAck;
	answer.ack = kIss + 1;
	EXPECT_EQ(LEAT_TCP_DONE, Input(answer));
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
}

// RFC 7323 section 2.2: neither is that of the SYN-ACK with which both sides end such an open.
TEST_F(TcpSynSent, WindowOfASimultaneousOpenIsNotScaled)
{
	Enter(LEAT_TCP_SYN_SENT);
	leat_tcp_seg syn = Syn();

	syn.opts.has_wscale = true;
	syn.opts.wscale = 7;
	Input(syn);
	Output();
	syn.flags |= kAck;
	syn.ack = kIss + 1;
	syn.wnd = 1280;
	EXPECT_EQ(LEAT_TCP_DONE, Input(syn));
	EXPECT_EQ(1280u, tcb.snd_wnd);
	EXPECT_EQ(20000u, tcb.snd_wnd_max); // of the first SYN
	InputAck(tcb.snd_max, 10);
	EXPECT_EQ(10u << 7, tcb.snd_wnd);
}

TEST_F(TcpSynSent, ResetOfASimultaneousOpenIsARefusal)
{
	Enter(LEAT_TCP_SYN_SENT);
	Input(Syn());
	Output();
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kRst)));
	EXPECT_EQ(-ECONNREFUSED, tcb.error);
}

TEST_F(TcpSynSent, TextAndFinOfTheSynAckAreTaken)
{
	Enter(LEAT_TCP_SYN_SENT);
	leat_tcp_seg answer = Syn();

	answer.flags |= kAck | kFin;
	answer.ack = kIss + 1;
	EXPECT_EQ(LEAT_TCP_DONE, Input(answer, "hello"));
	EXPECT_EQ("hello", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN | LEAT_TCP_EV_DATA | LEAT_TCP_EV_EOF, Events());
}

TEST_F(TcpSynSent, TextQueuedBeforeIsSentOnceEstablished)
{
	Enter(LEAT_TCP_SYN_SENT);
	EXPECT_EQ(0, Send("early"));
	EXPECT_TRUE(Output().empty());
	leat_tcp_seg answer = Syn();

	answer.flags |= kAck;
	answer.ack = kIss + 1;
	Input(answer);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ("early", sent[0].text);
	EXPECT_EQ(kIss + 1, sent[0].seq);
}

TEST_F(TcpSynReceived, SameSynAgainGetsTheSameSynAck)
{
	Enter(LEAT_TCP_SYN_RECEIVED);
	now += 100000;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(Syn()));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kSyn | kAck, sent[0].flags);
	EXPECT_EQ(kIss, sent[0].seq);
	EXPECT_EQ(kIrs + 1, sent[0].ack);
}

// Else the peer would measure from its first SYN on, RFC 7323 section 4.3.
TEST_F(TcpSynReceived, SynAgainIsAnsweredWithItsOwnTimestamp)
{
	with_ts = true;
	peer_ts = 1000;
	Enter(LEAT_TCP_SYN_RECEIVED);
	peer_ts = 2000;
	Input(Syn());
	EXPECT_EQ(2000u, Output().at(0).opts.ts_ecr);
}

TEST_F(TcpSynReceived, SameSynAgainDoesNotPutTheTimerOff)
{
	Enter(LEAT_TCP_SYN_RECEIVED);
	uint64_t deadline = leat_tcp_deadline(&tcb);

	now += 100000;
	Input(Syn());
	Output();
	EXPECT_EQ(deadline, leat_tcp_deadline(&tcb));
}

TEST_F(TcpSynReceived, AckOfNothingIsRefused)
{
	for (int32_t off : { -1, 0, 2 }) {
		Enter(LEAT_TCP_SYN_RECEIVED);
		EXPECT_EQ(LEAT_TCP_REFUSED, InputAck(kIss + (uint32_t)off));
		EXPECT_EQ(LEAT_TCP_SYN_RECEIVED, tcb.state);
	}
}

TEST_F(TcpSynReceived, AckWithTextAndFinGoesAllTheWay)
{
	Enter(LEAT_TCP_SYN_RECEIVED);
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(0, "GET", kFin));
	EXPECT_EQ("GET", Take());
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN | LEAT_TCP_EV_DATA | LEAT_TCP_EV_EOF, Events());
}

TEST_F(TcpSynReceived, ShutdownTakesEffectWhenEstablished)
{
	Enter(LEAT_TCP_SYN_RECEIVED);
	leat_tcp_shutdown(&tcb);
	EXPECT_TRUE(Output().empty());
	Input(Seg(kAck));
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_1, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kAck, sent[0].flags);
}

// RFC 7323 section 2.2: a SYN's window is not scaled, all others are.
TEST_F(TcpSynReceived, WindowOfTheSynIsNotScaled)
{
	leat_tcp_seg syn = Syn();

	conf.wscale = 2;
	conf.rcv_wnd_max = 200000;
	syn.wnd = 1000;
	syn.opts.has_wscale = true;
	syn.opts.wscale = 7;
	leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, kMss);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(65535u, sent[0].wnd);
	EXPECT_TRUE(sent[0].opts.has_wscale);
	EXPECT_EQ(2, sent[0].opts.wscale);
	EXPECT_EQ(1000u, tcb.snd_wnd);
	InputAck(kIss + 1, 500);
	EXPECT_EQ(500u << 7, tcb.snd_wnd);
	InputAt(0, std::string(1000, 'x'));
	InputAt(0, std::string(1000, 'x'));
	EXPECT_EQ((200000u - 2000) >> 2, Output().back().wnd);
}

TEST_F(TcpSynReceived, WithoutScaleOfThePeerThereIsNone)
{
	conf.wscale = 2;
	conf.rcv_wnd_max = 200000;
	OpenPassive(Syn());
	EXPECT_EQ(0, tcb.rcv_wscale);
	InputAck(kIss + 1, 500);
	EXPECT_EQ(500u, tcb.snd_wnd);
	InputAt(0, std::string(1000, 'x'));
	InputAt(0, std::string(1000, 'x'));
	EXPECT_EQ(65535u, Output().back().wnd);
}

TEST_F(TcpSynReceived, OptionsAreAnsweredOnlyIfOffered)
{
	leat_tcp_seg syn = Syn();

	leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, kMss);
	std::vector<Sent> sent = Output();

	EXPECT_FALSE(sent[0].opts.has_ts);
	EXPECT_FALSE(sent[0].opts.has_wscale);
	EXPECT_FALSE(sent[0].opts.has_sack_ok);
}

// Section 3.7.1.
TEST_F(TcpSynReceived, SendMssIsTheLeastOfPeerPathAndLink)
{
	struct {
		uint16_t peer, path, mss;
	} const rows[] = { { 0, 9000, 536 }, { 700, 9000, 700 }, { 9000, 900, 900 },
		{ 9000, 9000, kMss }, { 1, 9000, LEAT_TCP_MSS_MIN } };

	for (auto &row : rows) {
		leat_tcp_seg syn = Syn();

		syn.opts.mss = row.peer;
		leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, row.path);
		EXPECT_EQ(row.mss, tcb.snd_mss) << row.peer;
	}
}

} // namespace
