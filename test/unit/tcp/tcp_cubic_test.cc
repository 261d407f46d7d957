// SPDX-License-Identifier: BSD-3-Clause

// The congestion window of RFC 9438, beside a model in floating point; several segments at
// once; and the pool of records when it is dry.

#include <cmath>

#include "tcp_loss_fixture.h"

using namespace tcp_test;

namespace
{

class TcpCubic : public TcpLossTest
{
      protected:
	// One round trip in which the whole window was acknowledged.
	void Round(uint64_t rtt_us)
	{
		uint32_t wnd = tcb.cwnd;

		now += rtt_us;
		for (uint32_t acked = 0; acked < wnd; acked += 2 * kMss) {
			const tcp_ack ack = { now, nullptr, wnd, std::min(2u * kMss, wnd - acked),
				0, 0, false, false };

			tcp_cc_grow(&tcb, &ack);
		}
	}

	void Lose(uint32_t wnd)
	{
		tcb.cwnd = wnd;
		tcp_cc_enter_recovery(&tcb, wnd);
		tcp_cc_exit_recovery(&tcb);
	}
};

using TcpTso = TcpLossTest;

class TcpDryPool : public TcpLossTest
{
      protected:
	EnginePool small_{ 2, 1 };

	void SetUp() override
	{
		TcpLossTest::SetUp();
		conf.pool = small_.get();
	}

	void TearDown() override
	{
		TcpLossTest::TearDown();
		EXPECT_TRUE(small_.IsWhole());
	}

	const struct leat_tcp_pool_stats &Stats() const
	{
		return *leat_tcp_pool_stats(small_.get());
	}
};

TEST_F(TcpDryPool, TellsHowManyRecordsAreLentAndHowOftenItWasDry)
{
	Open();
	EXPECT_EQ(2u, Stats().records);
	EXPECT_EQ(2u, Stats().records_low) << "the SYN-ACK has none";
	for (uint32_t free : { 1u, 0u, 0u }) {
		ASSERT_EQ(0, Send(std::string(kMss, 'x')));
		(void)Output();
		EXPECT_EQ(free, Stats().records_free);
		EXPECT_EQ(free, Stats().records_low);
	}
	EXPECT_EQ(1u, Stats().records_dry);
	InputAck(tcb.snd_max);
	EXPECT_EQ(2u, Stats().records_free);
	EXPECT_EQ(0u, Stats().records_low) << "remembered";
}

TEST_F(TcpDryPool, TellsTheSameOfTextOutOfOrder)
{
	Open();
	EXPECT_EQ(1u, Stats().reass);
	EXPECT_EQ(1u, Stats().reass_free);
	InputAt(4, "45");
	EXPECT_EQ(0u, Stats().reass_free);
	leat_tcb first = tcb;
	Open(); // a second connection finds it dry, and its text is dropped
	InputAt(4, "45");
	EXPECT_EQ(0u, NbReass());
	EXPECT_EQ(1u, Stats().reass_dry);
	leat_tcp_fini(&first);
	EXPECT_EQ(1u, Stats().reass_free);
	EXPECT_EQ(0u, Stats().reass_low);
}

// Sections 4.2 to 4.4: W_cubic(t), and W_est where NewReno were faster.
TEST_F(TcpCubic, GrowsAsTheModel)
{
	for (uint64_t rtt_us : { 10000u, 50000u, 200000u }) {
		for (uint32_t nb_segs : { 20u, 200u, 2000u }) {
			leat_tcp_fini(&tcb);
			Open();
			tcb.srtt_us = (uint32_t)rtt_us;
			double w_max = nb_segs * (double)kMss;

			Lose((uint32_t)w_max);
			double start = 0.7 * w_max, w_est = start;
			double k = std::cbrt((w_max - start) / kMss / 0.4);
			uint64_t begin = now + rtt_us;

			for (int i = 0; i < 300; i++) {
				Round(rtt_us);
				double t = (double)(now - begin) / 1e6, rtt = (double)rtt_us / 1e6;
				double cubic = 0.4 * std::pow(t + rtt - k, 3) * kMss + w_max;

				w_est += kMss * (w_est < w_max ? 3 * 0.3 / 1.7 : 1.0);
				double want = std::max(cubic, w_est);

				if (t > 20)
					break;
				ASSERT_NEAR(want, tcb.cwnd, 0.1 * want + 2 * kMss)
					<< "rtt " << rtt_us << " segs " << nb_segs << " round "
					<< i;
			}
		}
	}
}

// Section 4.6 and 4.7: 0.7 of the window; W_max is lower where others came.
TEST_F(TcpCubic, LossReducesToSevenTenths)
{
	Open();
	Lose(100000);
	EXPECT_EQ(70000u, tcb.ssthresh);
	EXPECT_EQ(70000u, tcb.cwnd);
	EXPECT_EQ(100000u, tcb.wnd_cubic);
	Lose(80000);
	EXPECT_EQ(56000u, tcb.ssthresh);
	EXPECT_NEAR(80000 * 0.85, tcb.wnd_cubic, 100);
}

// Section 4.8: after a time-out the curve starts where slow start ends.
TEST_F(TcpCubic, TimeoutForgetsTheLargestWindow)
{
	Open();
	tcb.cwnd = 50000;
	tcp_cc_on_timeout(&tcb);
	EXPECT_EQ(kMss, tcb.cwnd);
	EXPECT_EQ(35000u, tcb.ssthresh);
	tcb.cwnd = tcb.ssthresh;
	Round(kRttUs);
	EXPECT_GE(tcb.wnd_cubic, 35000u);
	EXPECT_LT(tcb.wnd_cubic, 37000u);
	EXPECT_EQ(0u, tcb.cubic.k_ms);
}

// Section 5.8: time without text is none of the curve's.
TEST_F(TcpCubic, PauseDoesNotCount)
{
	Open();
	Lose(20000);
	Round(kRttUs);
	uint32_t epoch_ms = tcb.cubic.epoch_ms;

	tcb.snd_at_ms = tcp_ms(now);
	now += 150000;
	Send("x");
	Output();
	EXPECT_EQ(epoch_ms + 150, tcb.cubic.epoch_ms);
}

// Section 5.8: a round trip shorter than that before the pause is not one of many seconds.
TEST_F(TcpCubic, PauseThatMovesTheEpochAheadOfTheClockIsNoLongTime)
{
	Open();
	Lose(100 * kMss);
	tcb.snd_at_ms = (uint32_t)(now / 1000);
	Round(100000); // the epoch begins a round trip after the last segment
	now += 10000;
	tcp_cc_on_restart(&tcb, now);
	uint32_t wnd = tcb.cwnd;

	tcb.snd_at_ms = (uint32_t)(now / 1000);
	Round(20000);
	EXPECT_LE(tcb.cwnd, wnd + 8 * kMss);
}

// Section 4.2: neither is time in which the window was not in use.
TEST_F(TcpCubic, TimeWithLittleInFlightDoesNotCount)
{
	Open();
	Lose(100 * kMss);
	Round(kRttUs);
	for (int i = 0; i < 20; i++) {
		const tcp_ack ack = { now, nullptr, kMss, kMss, 0, 0, false, false };

		now += 1000000;
		tcp_cc_grow(&tcb, &ack);
	}
	uint32_t wnd = tcb.cwnd;

	Round(kRttUs);
	EXPECT_GE(tcb.cwnd, wnd);
	EXPECT_LE(tcb.cwnd, wnd + 5 * kMss);
}

// RFC 5681 section 4.3: a retransmission was lost as well. The pipe is nearly dry by then.
TEST_F(TcpCubic, TimeoutInRecoveryReducesWhatRecoveryLeft)
{
	Open();
	SendSegs(10);
	now += kRttUs;
	AckSegs(0, { { 7, 10 } });
	EXPECT_EQ("ABC", Leaving());
	EXPECT_EQ(3000u, tcb.cwnd);
	EXPECT_EQ(7000u, tcb.ssthresh);
	for (int i = 0; i < 3 && tcb.nb_retries == 0; i++)
		Fire();
	EXPECT_EQ(1, tcb.nb_retries);
	EXPECT_EQ(4900u, tcb.ssthresh);
}

TEST_F(TcpCubic, NewRenoIsThereForWhoWantsIt)
{
	conf.congestion = LEAT_TCP_NEWRENO;
	Open();
	tcb.cwnd = 20000;
	tcp_cc_enter_recovery(&tcb, 20000);
	EXPECT_EQ(10000u, tcb.ssthresh);
	tcp_cc_exit_recovery(&tcb);
	uint32_t cwnd = tcb.cwnd;

	Round(kRttUs);
	EXPECT_EQ(cwnd + kMss, tcb.cwnd);
}

TEST_F(TcpTso, WholeSegmentsLeaveAtOnce)
{
	tso_len_max = 5500;
	Open();
	for (int i = 0; i < 8; i++)
		Send(std::string(kMss, 'x'));
	Send("end");
	leat_tcp_out out;

	ASSERT_TRUE(leat_tcp_output(&tcb, now, tso_len_max, &out));
	EXPECT_EQ(5000u, out.len);
	EXPECT_EQ(kMss, out.mss);
	EXPECT_FALSE(out.flags & kPsh);
	ASSERT_TRUE(leat_tcp_output(&tcb, now, tso_len_max, &out));
	EXPECT_EQ(3003u, out.len); // the rest at the end
	EXPECT_TRUE(out.flags & kPsh);
	EXPECT_FALSE(leat_tcp_output(&tcb, now, tso_len_max, &out));
	EXPECT_EQ(2, tcb.nb_recs);
	// One segment of it is lost, and only that goes again.
	now += kRttUs;
	AckSegs(2, { { 3, 8 } });
	ASSERT_TRUE(leat_tcp_output(&tcb, now, tso_len_max, &out));
	EXPECT_EQ(At(2), out.seq);
	EXPECT_EQ(kMss, out.len);
	EXPECT_EQ(0, out.mss);
}

TEST_F(TcpTso, LimitBelowTwoSegmentsMeansOne)
{
	tso_len_max = 2 * kMss - 1;
	Open();
	for (int i = 0; i < 3; i++)
		Send(std::string(kMss, 'x'));
	for (const Sent &sent : Output())
		EXPECT_EQ(kMss, sent.text.size());
}

// Segments share the last record: all is sent, and all comes again after a time-out.
TEST_F(TcpDryPool, SegmentsShareARecord)
{
	Open();
	EXPECT_EQ(6u, SendSegs(6));
	EXPECT_EQ(2, tcb.nb_recs);
	EXPECT_EQ(6000u, Pipe());
	AckSegs(0, { { 3, 4 } }); // within a record that cannot be split
	EXPECT_EQ(0u, tcb.snd_sacked);
	std::string sent;

	for (int i = 0; i < 40 && tcb.snd_una != At(6); i++) {
		std::string names = Leaving();

		if (names.empty()) {
			Fire();
			continue;
		}
		sent += names;
		now += kRttUs;
		AckSegs((uint32_t)(toupper(names.back()) - 'A' + 1));
	}
	EXPECT_EQ(At(6), tcb.snd_una) << sent;
}

// Another connection has them all: the time-out sends what has no record.
TEST_F(TcpDryPool, TextWithoutARecordIsSentAgain)
{
	conf.pool = nullptr;
	Open();
	EXPECT_EQ(3u, SendSegs(3));
	EXPECT_EQ(0, tcb.nb_recs);
	Fire();
	EXPECT_EQ("A", Leaving());
	now += kRttUs;
	AckSegs(1);
	EXPECT_EQ("B", Leaving());
	now += kRttUs;
	AckSegs(2);
	EXPECT_EQ("C", Leaving());
	AckSegs(3);
	EXPECT_EQ(UINT64_MAX, leat_tcp_deadline(&tcb));
}

TEST_F(TcpDryPool, EarlyTextIsDroppedAsIfLost)
{
	conf.pool = nullptr;
	Open();
	InputAt(5, "world");
	EXPECT_EQ(0, Output().at(0).opts.nb_sacks);
	InputAt(0, "hello");
	EXPECT_EQ("hello", Take());
	InputAt(0, "world");
	EXPECT_EQ("world", Take());
}

// LEAT_TCP_RECORDS_MAX of one connection, and one over.
TEST_F(TcpDryPool, ConnectionHasAShare)
{
	conf.pool = engine_pool.get();
	Open();
	tcb.cwnd = 100000;
	tcb.snd_wnd = 100000;
	for (uint32_t i = 0; i < LEAT_TCP_RECORDS_MAX + 1; i++) {
		Send("x");
		Output();
	}
	EXPECT_EQ(LEAT_TCP_RECORDS_MAX, tcb.nb_recs);
	Input(Seg(kAck));
	EXPECT_EQ(0, tcb.nb_recs);
}

} // namespace
