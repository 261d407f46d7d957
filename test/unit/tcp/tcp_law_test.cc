// SPDX-License-Identifier: BSD-3-Clause

// What losses do to the window, over many seeds: each window of text that lost something
// lowers cwnd, once (RFC 5681 section 4.3), and its mean is what the laws say of that.

#include <cmath>
#include <cstdio>

#include "tcp_transfer.h"

using namespace tcp_test;

namespace
{

class TcpLaw : public TcpTest
{
      protected:
	static constexpr uint64_t kSeeds = 8;

	// The means of windows and rates, the sums of what was counted.
	static Figures Run(double loss, double reorder, uint8_t congestion)
	{
		Figures all;

		for (uint64_t seed = 1; seed <= kSeeds; seed++) {
			Figures one = Transfer({ loss, reorder, seed }, congestion).Run();

			all.mbit_s += one.mbit_s / kSeeds;
			all.wnd_segs += one.wnd_segs / kSeeds;
			all.nb_segs += one.nb_segs;
			all.nb_lost += one.nb_lost;
			all.nb_reduced += one.nb_reduced;
			all.nb_missed += one.nb_missed;
			all.nb_needless += one.nb_needless;
			all.nb_undone += one.nb_undone;
		}
		printf("loss %.3f reorder %.2f %s: %.0f Mbit/s, window %.1f, of the law %.2f; %lu "
		       "lost, %lu reductions, %lu missed, %lu needless, %lu undone\n",
			loss, reorder, congestion == LEAT_TCP_CUBIC ? "cubic" : "newreno",
			all.mbit_s, all.wnd_segs, OfTheLaw(all), all.nb_lost, all.nb_reduced,
			all.nb_missed, all.nb_needless, all.nb_undone);
		return all;
	}

	// RFC 9438 section 5: the mean window of an end that adds alpha for each window and
	// keeps beta of it at a loss is sqrt(alpha / 2 * (1 + beta) / (1 - beta) / p), which
	// with 1 and 0.5 is sqrt(1.5 / p). So it is with CUBIC's 0.53 and 0.7, which at a round
	// trip of 2 ms is Reno-friendly. What counts in p is windows that lost, not segments.
	static double OfTheLaw(const Figures &figures)
	{
		double p = (double)figures.nb_reduced / (double)figures.nb_segs;

		return figures.wnd_segs / std::sqrt(1.5 / p);
	}
};

TEST_F(TcpLaw, EachWindowThatLostSomethingLowersCwndOnce)
{
	for (double loss : { 0.002, 0.01 }) {
		for (uint8_t congestion : { LEAT_TCP_CUBIC, LEAT_TCP_NEWRENO }) {
			Figures all = Run(loss, 0, congestion);

			EXPECT_EQ(0u, all.nb_missed);
			EXPECT_EQ(0u, all.nb_needless);
			EXPECT_EQ(0u, all.nb_undone);
			EXPECT_LT(all.nb_reduced, all.nb_lost);
		}
	}
}

// As many as one in twenty: time-outs among them, which the law does not know, and some of
// those where but the ACKs were lost.
TEST_F(TcpLaw, NoneIsMissedAmongTimeouts)
{
	for (uint8_t congestion : { LEAT_TCP_CUBIC, LEAT_TCP_NEWRENO }) {
		Figures all = Run(0.05, 0, congestion);

		EXPECT_EQ(0u, all.nb_missed);
		EXPECT_LT(all.nb_needless, all.nb_reduced / 50);
		EXPECT_GT(OfTheLaw(all), 0.5);
		EXPECT_LT(OfTheLaw(all), 1.1);
	}
}

// Somewhat above the law: the mean holds the start, which no loss has slowed down yet, and
// section 4.3 has an alpha of 1 beyond the window of the last loss.
TEST_F(TcpLaw, MeanWindowIsThatOfTheLaw)
{
	for (uint8_t congestion : { LEAT_TCP_CUBIC, LEAT_TCP_NEWRENO }) {
		Figures all = Run(0.01, 0, congestion);

		EXPECT_GT(OfTheLaw(all), 0.8);
		EXPECT_LT(OfTheLaw(all), 1.3);
	}
}

// RFC 4015 undoes by what tells of the first segment; a loss beside it may go unanswered.
TEST_F(TcpLaw, ReorderingIsUndoneAndNoLossIs)
{
	for (uint8_t congestion : { LEAT_TCP_CUBIC, LEAT_TCP_NEWRENO }) {
		Figures all = Run(0.01, 0.01, congestion);

		EXPECT_LE(all.nb_missed, all.nb_undone / 10);
		EXPECT_LT(all.nb_needless, all.nb_reduced / 10);
		EXPECT_GT(OfTheLaw(all), 0.8);
		EXPECT_LT(OfTheLaw(all), 1.5);
	}
}

} // namespace
