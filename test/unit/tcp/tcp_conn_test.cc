// SPDX-License-Identifier: BSD-3-Clause

// A connection's life: RFC 9293 section 3.5 and 3.6.

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using TcpOpen = TcpTest;
using TcpData = TcpTest;
using TcpClose = TcpTest;

TEST(TcpConf, DefaultsAreThoseOfTheRfcs)
{
	leat_tcp_conf conf;

	leat_tcp_conf_init(&conf, 1460);
	EXPECT_EQ(1460, conf.mss);
	EXPECT_EQ(536, conf.mss_default);     // RFC 9293 section 3.7.1
	EXPECT_EQ(262144u, conf.rcv_wnd_max); // all of it can be told
	EXPECT_GE(65535u << conf.wscale, conf.rcv_wnd_max);
	EXPECT_EQ(262144u, conf.snd_len_max);
	EXPECT_EQ(1000000u, conf.rto_initial_us); // RFC 6298 rule 2.1
	EXPECT_EQ(200000u, conf.rto_min_us);
	EXPECT_EQ(60000000u, conf.rto_max_us); // rule 2.5: no less
	EXPECT_EQ(15, conf.nb_retries_max);    // RFC 9293 section 3.8.3: R2
	EXPECT_EQ(6, conf.nb_syn_retries_max);
	EXPECT_EQ(40000u, conf.ack_delay_us); // RFC 5681 section 4.2: no more than 500 ms
	EXPECT_EQ(30000000u, conf.time_wait_us);
	EXPECT_EQ(60000000u, conf.fin_wait_2_us);
	EXPECT_EQ(1024, conf.nb_reass_max);
	EXPECT_EQ(nullptr, conf.reass_budget);
	EXPECT_EQ(0u, conf.keep_idle_s); // RFC 9293 section 3.8.4: off
	EXPECT_EQ(75u, conf.keep_interval_s);
	EXPECT_EQ(9, conf.nb_keep_probes_max);
	EXPECT_EQ(LEAT_TCP_CUBIC, conf.congestion);
	EXPECT_EQ(0u, conf.ts_offset);
}

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

TEST_F(TcpClose, FinFollowsWhatIsQueued)
{
	Establish();
	InputAck(tcb.snd_max, 1000);
	Send(std::string(1500, 'x'));
	leat_tcp_shutdown(&tcb);
	std::vector<Sent> sent = Output();

	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kAck, sent[0].flags);
	rte_mbuf *chain = Packet("late");

	EXPECT_EQ(-EPIPE, leat_tcp_send(&tcb, chain));
	rte_pktmbuf_free(chain);
	InputAck(tcb.snd_max, 1000);
	sent = Output();
	ASSERT_EQ(1u, sent.size());
	EXPECT_EQ(kFin | kPsh | kAck, sent[0].flags);
	EXPECT_EQ(500u, sent[0].text.size());
}

TEST_F(TcpClose, ShutdownTwiceSendsOneFin)
{
	Establish();
	leat_tcp_shutdown(&tcb);
	leat_tcp_shutdown(&tcb);
	EXPECT_EQ(1u, Output().size());
	leat_tcp_shutdown(&tcb);
	EXPECT_TRUE(Output().empty());
}

TEST_F(TcpClose, ShutdownInSynSentEndsAtOnce)
{
	Enter(LEAT_TCP_SYN_SENT);
	leat_tcp_shutdown(&tcb);
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
}

TEST_F(TcpClose, FinWait2HasALimitThatTextPutsOff)
{
	Enter(LEAT_TCP_FIN_WAIT_2);
	EXPECT_EQ(now + conf.fin_wait_2_us, leat_tcp_deadline(&tcb));
	now += 1000000;
	InputAt(0, "text");
	EXPECT_EQ(now + conf.fin_wait_2_us, tcb.life_at_us);
	now += 1000000;
	InputAt(-1, ""); // a keep-alive does not
	EXPECT_EQ(now - 1000000 + conf.fin_wait_2_us, tcb.life_at_us);
	Output();
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(-ETIMEDOUT, tcb.error);
}

// A peer that answers probes but never opens its window cannot hold us for ever.
TEST_F(TcpClose, OrphanBehindAClosedWindowHasALimit)
{
	Establish();
	InputAck(tcb.snd_max, 0);
	Send("reply");
	leat_tcp_shutdown(&tcb);
	Output();
	uint64_t limit = now + conf.fin_wait_2_us;

	for (int i = 0; i < 1000 && tcb.state != LEAT_TCP_CLOSED; i++) {
		Fire();
		Output();
		if (tcb.state != LEAT_TCP_CLOSED)
			InputAck(tcb.snd_max, 0);
	}
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(limit, now);
}

TEST_F(TcpClose, AbortTellsThePeerWhereItMust)
{
	struct {
		leat_tcp_state state;
		bool tells;
	} const rows[] = {
		{ LEAT_TCP_SYN_SENT, false },
		{ LEAT_TCP_SYN_RECEIVED, true },
		{ LEAT_TCP_ESTABLISHED, true },
		{ LEAT_TCP_FIN_WAIT_1, true },
		{ LEAT_TCP_FIN_WAIT_2, true },
		{ LEAT_TCP_CLOSE_WAIT, true },
		{ LEAT_TCP_CLOSING, false },
		{ LEAT_TCP_LAST_ACK, false },
		{ LEAT_TCP_TIME_WAIT, false },
	};

	for (auto &row : rows) {
		leat_tcp_out rst = {};

		Enter(row.state);
		uint32_t seq = tcb.snd_max;

		EXPECT_EQ(row.tells, leat_tcp_abort(&tcb, now, &rst))
			<< leat_tcp_state_name(row.state);
		EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
		EXPECT_EQ(-ECONNABORTED, tcb.error);
		if (row.tells) {
			EXPECT_EQ(kRst | kAck, rst.flags);
			EXPECT_EQ(seq, rst.seq);
			EXPECT_EQ(tcb.rcv_nxt, rst.ack);
		}
		EXPECT_FALSE(leat_tcp_abort(&tcb, now, &rst));
		EXPECT_FALSE(leat_tcp_wants_output(&tcb));
	}
}

// RFC 7323 section 3.2: "TSopt ... SHOULD be sent in an <RST> segment", once on.
TEST_F(TcpClose, ResetsCarryTimestamps)
{
	leat_tcp_seg syn = Syn();
	leat_tcp_out rst = {};

	syn.opts.has_ts = true;
	syn.opts.ts_val = 5000;
	Establish(syn);
	leat_tcp_seg refused = Seg(kAck);
	EXPECT_TRUE(leat_tcp_refuse(&tcb, now, &refused, &rst));
	EXPECT_EQ(kRst, rst.flags);
	EXPECT_EQ(refused.ack, rst.seq);
	EXPECT_TRUE(rst.opts.has_ts);
	EXPECT_EQ((uint32_t)(now / 1000), rst.opts.ts_val);
	EXPECT_EQ(5000u, rst.opts.ts_ecr);

	ASSERT_TRUE(leat_tcp_abort(&tcb, now, &rst));
	EXPECT_TRUE(rst.opts.has_ts);
	EXPECT_EQ((uint32_t)(now / 1000), rst.opts.ts_val);
	EXPECT_EQ(5000u, rst.opts.ts_ecr);
}

// RFC 9293 section 3.10.7.1, where there is no connection.
TEST_F(TcpClose, RefusalOfEachKindOfSegment)
{
	leat_tcp_seg seg = {};
	leat_tcp_out rst = {};

	seg.seq = 100;
	seg.len = 10;
	seg.flags = kSyn | kFin;
	ASSERT_TRUE(leat_tcp_refuse(nullptr, now, &seg, &rst));
	EXPECT_EQ(kRst | kAck, rst.flags);
	EXPECT_EQ(0u, rst.seq);
	EXPECT_EQ(112u, rst.ack);
	EXPECT_FALSE(rst.opts.has_ts);
	seg.flags = kAck;
	seg.ack = 7;
	ASSERT_TRUE(leat_tcp_refuse(nullptr, now, &seg, &rst));
	EXPECT_EQ(kRst, rst.flags);
	EXPECT_EQ(7u, rst.seq);
	seg.flags = kRst;
	EXPECT_FALSE(leat_tcp_refuse(nullptr, now, &seg, &rst));
}

// RFC 9293 section 3.6: who closes without having read resets.
TEST_F(TcpClose, UnreadTextTurnsCloseIntoReset)
{
	leat_tcp_out rst;

	Establish();
	InputAt(0, "request");
	EXPECT_EQ(7u, tcb.rcv_unread);
	EXPECT_TRUE(leat_tcp_close(&tcb, now, &rst));
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
}

TEST_F(TcpClose, TextThatNobodyWillReadResets)
{
	leat_tcp_out rst;

	Establish();
	EXPECT_FALSE(leat_tcp_close(&tcb, now, &rst));
	Output();
	EXPECT_EQ(LEAT_TCP_REFUSED, InputAt(0, "late"));
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(LEAT_TCP_EV_CLOSED, Events());
}

class TcpTimeWait : public TcpTest
{
      protected:
	void SetUp() override
	{
		TcpTest::SetUp();
		Enter(LEAT_TCP_TIME_WAIT);
	}

	leat_tcp_seg NewSyn()
	{
		leat_tcp_seg syn = Syn();

		syn.seq = tcb.rcv_nxt + 1;
		return syn;
	}
};

TEST_F(TcpTimeWait, FinAgainIsAcknowledgedAndRestartsTheTimer)
{
	now += 1000000;
	EXPECT_EQ(LEAT_TCP_DONE, InputAt(-1, "", kFin));
	EXPECT_EQ(1u, Output().size());
	EXPECT_EQ(now + conf.time_wait_us, leat_tcp_deadline(&tcb));
	EXPECT_EQ(0, Events());
}

TEST_F(TcpTimeWait, EndsInOrder)
{
	EXPECT_EQ(now + conf.time_wait_us, leat_tcp_deadline(&tcb));
	Fire();
	EXPECT_EQ(LEAT_TCP_CLOSED, tcb.state);
	EXPECT_EQ(0, tcb.error);
	EXPECT_EQ(0, Events()); // the user was told when it began
	EXPECT_TRUE(Output().empty());
}

TEST_F(TcpTimeWait, OtherTextIsAcknowledgedAndDoesNot)
{
	uint64_t deadline = leat_tcp_deadline(&tcb);

	now += 1000000;
	EXPECT_EQ(LEAT_TCP_DROPPED, InputAt(-3, "old"));
	EXPECT_EQ(1u, Output().size());
	EXPECT_EQ(deadline, leat_tcp_deadline(&tcb));
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(Seg(kAck)));
	EXPECT_TRUE(Output().empty());
}

// RFC 1337.
TEST_F(TcpTimeWait, RstIsIgnored)
{
	uint64_t deadline = leat_tcp_deadline(&tcb);

	now += 1000000;
	for (uint8_t more : { 0, +kAck, +kFin, kAck | kFin, +kSyn, kAck | kSyn }) {
		for (int32_t off : { -1, 0, 1 }) {
			leat_tcp_seg rst = Seg((uint8_t)(kRst | more));

			rst.seq += (uint32_t)off;
			EXPECT_EQ(LEAT_TCP_DROPPED, Input(rst));
		}
	}
	EXPECT_EQ(LEAT_TCP_TIME_WAIT, tcb.state);
	EXPECT_EQ(deadline, leat_tcp_deadline(&tcb));
	EXPECT_TRUE(Output().empty());
}

// RFC 6191.
TEST_F(TcpTimeWait, NewerSynMayReopen)
{
	leat_tcp_seg syn = NewSyn();

	EXPECT_EQ(LEAT_TCP_REOPEN, Input(syn));
	for (uint8_t more : { kFin, kAck }) { // no listener takes such a one
		syn.flags = kSyn | more;
		EXPECT_EQ(LEAT_TCP_DROPPED, Input(syn));
		EXPECT_EQ(1u, Output().size());
	}
	syn.flags = kSyn;
	syn.seq = tcb.rcv_nxt;
	EXPECT_EQ(LEAT_TCP_DROPPED, Input(syn));
	EXPECT_EQ(1u, Output().size());
}

TEST_F(TcpTimeWait, TimestampDecidesWhereBothHaveOne)
{
	struct leat_tcp_time_wait tw;
	leat_tcp_out ack;
	leat_tcp_seg syn = NewSyn();

	leat_tcp_time_wait_get(&tcb, &tw);
	tw.ts_on = true;
	tw.ts_recent = 100;
	syn.opts.has_ts = true;
	syn.opts.ts_val = 99;
	EXPECT_EQ(LEAT_TCP_DROPPED, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
	EXPECT_EQ(kAck, ack.flags);
	EXPECT_TRUE(ack.opts.has_ts);
	EXPECT_EQ((uint32_t)(now / 1000), ack.opts.ts_val);
	EXPECT_EQ(100u, ack.opts.ts_ecr);
	syn.opts.ts_val = 101;
	syn.seq = tw.rcv_nxt - 5;
	EXPECT_EQ(LEAT_TCP_REOPEN, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
	syn.opts.ts_val = 100; // the same: the number decides
	EXPECT_EQ(LEAT_TCP_DROPPED, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
	syn.seq = tw.rcv_nxt + 1;
	EXPECT_EQ(LEAT_TCP_REOPEN, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
	syn.opts.has_ts = false; // so it does where only one of them has any
	EXPECT_EQ(LEAT_TCP_REOPEN, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
	syn.seq = tw.rcv_nxt;
	EXPECT_EQ(LEAT_TCP_DROPPED, leat_tcp_time_wait_input(&tw, &conf, now, &syn, &ack));
}

// RFC 7323 section 5.3: it may be a late copy of another connection's.
TEST_F(TcpTimeWait, FinWithAnOldTimestampDoesNotRestartTheTimer)
{
	struct leat_tcp_time_wait tw;
	leat_tcp_out ack;
	leat_tcp_seg fin = Seg(kAck | kFin);

	leat_tcp_time_wait_get(&tcb, &tw);
	tw.ts_on = true;
	tw.ts_recent = 100;
	fin.seq--;
	fin.opts.has_ts = true;
	fin.opts.ts_val = 99;
	EXPECT_EQ(LEAT_TCP_DROPPED, leat_tcp_time_wait_input(&tw, &conf, now, &fin, &ack));
	EXPECT_EQ(kAck, ack.flags);
	fin.opts.ts_val = 100;
	EXPECT_EQ(LEAT_TCP_DONE, leat_tcp_time_wait_input(&tw, &conf, now, &fin, &ack));
}

TEST(TcpState, NamesAreThoseOfTheRfc)
{
	EXPECT_STREQ("FIN-WAIT-1", leat_tcp_state_name(LEAT_TCP_FIN_WAIT_1));
	EXPECT_STREQ("TIME-WAIT", leat_tcp_state_name(LEAT_TCP_TIME_WAIT));
	EXPECT_STREQ("?", leat_tcp_state_name(LEAT_TCP_STATES));
}

TEST_F(TcpTest, RefusesToTakeASegmentWhenClosed)
{
	leat_tcp_seg seg = {};

	EXPECT_DEATH(leat_tcp_input(&tcb, now, &seg, nullptr), "");
}

} // namespace
