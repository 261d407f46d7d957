// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <relay_impair.h>

namespace
{

constexpr uint64_t kSeed = 42;
constexpr uint64_t kNbFrames = 200000;

relay_impair_conf
Conf()
{
	relay_impair_conf conf = {};

	conf.reorder_us = 500;
	return conf;
}

relay_fate
Fate(uint64_t frame_no, const relay_impair_conf &conf, uint64_t seed = kSeed,
	uint32_t direction = 0)
{
	relay_fate fate = {};

	relay_impair(seed, direction, frame_no, &conf, &fate);
	return fate;
}

std::vector<bool>
Losses(const relay_impair_conf &conf, uint64_t seed, uint32_t direction)
{
	std::vector<bool> lost;

	for (uint64_t i = 0; i < 1000; i++)
		lost.push_back(Fate(i, conf, seed, direction).is_lost);
	return lost;
}

// Five standard deviations: a right generator fails one of some million seeds.
void
ExpectShare(uint64_t nb, uint32_t ppm)
{
	double share = ppm / (double)RELAY_PPM;
	double mean = kNbFrames * share;

	EXPECT_NEAR((double)nb, mean, 5 * std::sqrt(mean * (1 - share))) << ppm << " ppm";
}

TEST(RelayImpair, WithoutFiguresEveryFramePassesUnharmed)
{
	for (uint64_t i = 0; i < kNbFrames; i++) {
		relay_fate fate = Fate(i, Conf());

		ASSERT_FALSE(fate.is_lost || fate.is_doubled || fate.is_corrupted) << i;
		ASSERT_EQ(0u, fate.jitter_us + fate.late_us) << i;
	}
}

TEST(RelayImpair, AllFramesMeetAFateThatIsCertain)
{
	relay_impair_conf conf = Conf();

	conf.loss_ppm = conf.dup_ppm = conf.reorder_ppm = conf.corrupt_ppm = RELAY_PPM;
	for (uint64_t i = 0; i < kNbFrames; i++) {
		relay_fate fate = Fate(i, conf);

		ASSERT_TRUE(fate.is_lost && fate.is_doubled && fate.is_corrupted) << i;
		ASSERT_GE(fate.late_us, 1u) << i;
		ASSERT_LE(fate.late_us, 500u) << i;
	}
}

TEST(RelayImpair, SharesAreAsTheFiguresSay)
{
	for (uint32_t ppm : { 100u, 10000u, 50000u, 300000u, 999000u }) {
		relay_impair_conf conf = Conf();
		uint64_t nb_lost = 0, nb_doubled = 0, nb_late = 0, nb_corrupted = 0;

		conf.loss_ppm = conf.dup_ppm = conf.reorder_ppm = conf.corrupt_ppm = ppm;
		for (uint64_t i = 0; i < kNbFrames; i++) {
			relay_fate fate = Fate(i, conf);

			nb_lost += fate.is_lost;
			nb_doubled += fate.is_doubled;
			nb_late += fate.late_us > 0;
			nb_corrupted += fate.is_corrupted;
		}
		ExpectShare(nb_lost, ppm);
		ExpectShare(nb_doubled, ppm);
		ExpectShare(nb_late, ppm);
		ExpectShare(nb_corrupted, ppm);
	}
}

TEST(RelayImpair, FatesDoNotDependOnEachOther)
{
	relay_impair_conf conf = Conf();
	uint64_t nb_both[4][4] = {};

	conf.loss_ppm = conf.dup_ppm = conf.reorder_ppm = conf.corrupt_ppm = RELAY_PPM / 2;
	for (uint64_t no = 0; no < kNbFrames; no++) {
		relay_fate fate = Fate(no, conf);
		bool met[4] = { fate.is_lost, fate.is_doubled, fate.late_us > 0,
			fate.is_corrupted };

		for (int i = 0; i < 4; i++)
			for (int j = 0; j < i; j++)
				nb_both[i][j] += met[i] && met[j];
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			ExpectShare(nb_both[i][j], RELAY_PPM / 4);
}

TEST(RelayImpair, JitterReachesBothItsEnds)
{
	relay_impair_conf conf = Conf();
	std::vector<uint64_t> nb(4);

	conf.jitter_us = 3;
	for (uint64_t i = 0; i < kNbFrames; i++)
		nb.at(Fate(i, conf).jitter_us)++;
	for (uint64_t one : nb)
		ExpectShare(one, RELAY_PPM / 4);
}

TEST(RelayImpair, TheSameSeedLosesTheSameFramesWhateverElseHappens)
{
	relay_impair_conf conf = Conf();

	conf.loss_ppm = RELAY_PPM / 10;
	std::vector<bool> first = Losses(conf, kSeed, 0);
	conf.dup_ppm = conf.reorder_ppm = conf.corrupt_ppm = RELAY_PPM / 2;
	conf.jitter_us = 1000;
	EXPECT_EQ(first, Losses(conf, kSeed, 0));
}

TEST(RelayImpair, AnotherSeedAndTheOtherDirectionLoseOthers)
{
	relay_impair_conf conf = Conf();

	conf.loss_ppm = RELAY_PPM / 10;
	EXPECT_NE(Losses(conf, kSeed, 0), Losses(conf, kSeed + 1, 0));
	EXPECT_NE(Losses(conf, kSeed, 0), Losses(conf, kSeed, 1));
}

TEST(RelayFlipBit, ExactlyOneBitChangesAndEachCanBeIt)
{
	std::vector<uint64_t> nb(24);

	for (uint64_t i = 0; i < kNbFrames; i++) {
		uint8_t data[] = { 0xa5, 0x00, 0xff };
		const uint8_t was[] = { 0xa5, 0x00, 0xff };
		int nb_flipped = 0;

		relay_flip_bit(data, sizeof(data), Fate(i, Conf()).bit_draw);
		for (size_t bit = 0; bit < 24; bit++) {
			if (((data[bit / 8] ^ was[bit / 8]) >> bit % 8 & 1) != 0) {
				nb_flipped++;
				nb[bit]++;
			}
		}
		ASSERT_EQ(1, nb_flipped) << i;
	}
	for (uint64_t one : nb)
		ExpectShare(one, RELAY_PPM / 24);
}

TEST(RelayFlipBit, OneByteIsEnough)
{
	uint8_t data = 0;

	relay_flip_bit(&data, 1, UINT64_MAX);
	EXPECT_EQ(0x80, data);
}

} // namespace
