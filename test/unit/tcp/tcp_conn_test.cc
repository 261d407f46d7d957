// SPDX-License-Identifier: BSD-3-Clause

// A connection's life: RFC 9293 section 3.5 and 3.6.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpOpen = TcpTest;
using TcpData = TcpTest;
using TcpClose = TcpTest;

TEST_F(TcpOpen, PassiveAnswersTheSynAndIsEstablishedByItsAck)
{
	leat_tcp_seg syn = Syn();

	leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, kMss);
	EXPECT_EQ(LEAT_TCP_SYN_RECEIVED, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kSyn | kAck, sent[0].flags);
	EXPECT_EQ(kIss, sent[0].seq);
	EXPECT_EQ(kIrs + 1, sent[0].ack);
	EXPECT_EQ(10000u, sent[0].wnd);
	EXPECT_EQ(kMss, sent[0].opts.mss);
	EXPECT_EQ(0, Events());
	EXPECT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN, Events());
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpOpen, ActiveSendsSynAndAcknowledgesTheAnswer)
{
	leat_tcp_open_active(&tcb, &conf, now, kIss);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kSyn, sent[0].flags);
	EXPECT_EQ(kIss, sent[0].seq);
	EXPECT_TRUE(sent[0].opts.has_ts);
	EXPECT_TRUE(sent[0].opts.has_wscale);
	EXPECT_TRUE(sent[0].opts.has_sack_ok);
	leat_tcp_seg answer = Syn();

	answer.flags |= kAck;
	answer.ack = kIss + 1;
	EXPECT_EQ(LEAT_TCP_DONE, Input(answer));
	EXPECT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_OPEN, Events());
	sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
	EXPECT_EQ(kIss + 1, sent[0].seq);
	EXPECT_EQ(kIrs + 1, sent[0].ack);
}

TEST_F(TcpData, TravelsBothWaysAndIsFreedWhenAcknowledged)
{
	Establish();
	EXPECT_EQ(LEAT_TCP_DONE, Input(Seg(kAck), "question"));
	EXPECT_EQ(LEAT_TCP_EV_DATA, Events());
	EXPECT_EQ("question", Take());
	EXPECT_EQ(0, Send("answer"));
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kPsh | kAck, sent[0].flags);
	EXPECT_EQ("answer", sent[0].text);
	EXPECT_EQ(kIss + 1, sent[0].seq);
	EXPECT_EQ(kIrs + 9, sent[0].ack);
	EXPECT_EQ(1u, rte_mempool_in_use_count(Pool()));
	EXPECT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
	EXPECT_EQ(0u, rte_mempool_in_use_count(Pool()));
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpClose, OursFirst)
{
	Establish();
	leat_tcp_shutdown(&tcb);
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_1, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kAck, sent[0].flags);
	Input(Seg(kAck));
	EXPECT_EQ(LEAT_TCP_FIN_WAIT_2, tcb.state);
	EXPECT_EQ(0, Events());
	Input(Seg(kAck | kFin));
	EXPECT_EQ(LEAT_TCP_TIME_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_EOF | LEAT_TCP_EV_CLOSED, Events());
	EXPECT_EQ(0, tcb.error);
	sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
	EXPECT_EQ(kIrs + 2, sent[0].ack);
	EXPECT_EQ(now + conf.time_wait_us, leat_tcp_deadline(&tcb));
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(0, Events());
}

TEST_F(TcpClose, PeersFirst)
{
	Establish();
	Input(Seg(kAck | kFin));
	EXPECT_EQ(LEAT_TCP_CLOSE_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_EOF, Events());
	EXPECT_EQ(0, Send("still"));
	leat_tcp_shutdown(&tcb);
	EXPECT_EQ(LEAT_TCP_LAST_ACK, tcb.state);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kPsh | kAck, sent[0].flags);
	EXPECT_EQ("still", sent[0].text);
	EXPECT_EQ(LEAT_TCP_GONE, Input(Seg(kAck)));
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
	EXPECT_EQ(0, tcb.error);
}

TEST_F(TcpClose, BothAtOnce)
{
	Enter(LEAT_TCP_CLOSING);
	EXPECT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
	EXPECT_EQ(LEAT_TCP_TIME_WAIT, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
}

} // namespace
