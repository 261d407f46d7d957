// SPDX-License-Identifier: BSD-3-Clause

// Goodput of one engine towards another. A link that is clean must be filled as far as the
// windows allow; a bad one to a floor.

#include <cstdio>

#include "tcp_transfer.h"

using namespace tcp_test;

namespace
{

class TcpGoodput : public TcpTest
{
      protected:
	// The mean over some seeds.
	double MbitPerS(double loss, double reorder, uint8_t congestion = LEAT_TCP_CUBIC)
	{
		constexpr int kSeeds = 5;
		Figures sum;

		for (uint64_t seed = 1; seed <= kSeeds; seed++) {
			Figures one = Transfer({ loss, reorder, seed }, congestion).Run();

			sum.mbit_s += one.mbit_s / kSeeds;
			sum.nb_segs += one.nb_segs;
			sum.nb_rtx += one.nb_rtx;
		}
		printf("loss %.2f reorder %.2f %s: %.0f Mbit/s, %.2f %% sent again\n", loss,
			reorder, congestion == LEAT_TCP_CUBIC ? "cubic" : "newreno", sum.mbit_s,
			100.0 * (double)sum.nb_rtx / (double)sum.nb_segs);
		last_rtx_share_ = (double)sum.nb_rtx / (double)sum.nb_segs;
		return sum.mbit_s;
	}

	double last_rtx_share_ = 0;
};

// 256 KiB for each 2 ms and what the link takes to send them are 950 Mbit/s.
TEST_F(TcpGoodput, CleanLinkIsFilledAsTheWindowAllows)
{
	EXPECT_GT(MbitPerS(0, 0), 700);
	EXPECT_EQ(0, last_rtx_share_);
	EXPECT_GT(MbitPerS(0, 0, LEAT_TCP_NEWRENO), 700);
}

TEST_F(TcpGoodput, ReorderingIsNotTakenForLoss)
{
	EXPECT_GT(MbitPerS(0, 0.02), 500);
	EXPECT_LT(last_rtx_share_, 0.01);
}

TEST_F(TcpGoodput, LossOfOnePercent)
{
	EXPECT_GT(MbitPerS(0.01, 0), 60);
	EXPECT_LT(last_rtx_share_, 0.015);
	EXPECT_GT(MbitPerS(0.01, 0.02), 60);
	EXPECT_GT(MbitPerS(0.01, 0, LEAT_TCP_NEWRENO), 50);
}

TEST_F(TcpGoodput, LossOfFivePercent)
{
	EXPECT_GT(MbitPerS(0.05, 0), 15);
	EXPECT_LT(last_rtx_share_, 0.07);
	EXPECT_GT(MbitPerS(0.05, 0.02), 15);
}

TEST_F(TcpGoodput, SeveralSegmentsAtOnceAreAsFast)
{
	Figures one = Transfer({ 0.01, 0, 1 }, LEAT_TCP_CUBIC, 65000).Run();

	EXPECT_GT(one.mbit_s, 60);
	one = Transfer({ 0, 0, 1 }, LEAT_TCP_CUBIC, 65000).Run();
	EXPECT_GT(one.mbit_s, 700);
	EXPECT_EQ(0u, one.nb_rtx);
}

} // namespace
