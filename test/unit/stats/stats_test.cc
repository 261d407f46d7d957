// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <leat_stats.h>

namespace
{

struct Numbers {
	uint64_t rx_frames;
	uint32_t nb_conns;
	uint32_t other;
	uint64_t tx_frames;
	bool is_up;
};

const leat_stat_def kDefs[] = {
	LEAT_STAT_DEF(Numbers, rx_frames),
	LEAT_STAT_DEF(Numbers, nb_conns),
	LEAT_STAT_DEF(Numbers, tx_frames),
	LEAT_STAT_DEF(Numbers, is_up),
};

TEST(Stats, AFieldIsReadByItsEntryWhateverItsLength)
{
	Numbers numbers = { 0x100000002u, 3, 0xffffffffu, UINT64_MAX, true };
	leat_stat_set set = { "numbers", kDefs, LEAT_DIM(kDefs), &numbers };

	EXPECT_EQ(0x100000002u, leat_stat_read(&set, &kDefs[0]));
	EXPECT_EQ(3u, leat_stat_read(&set, &kDefs[1]));
	EXPECT_EQ(UINT64_MAX, leat_stat_read(&set, &kDefs[2]));
	EXPECT_EQ(1u, leat_stat_read(&set, &kDefs[3]));
	numbers.is_up = false;
	EXPECT_EQ(0u, leat_stat_read(&set, &kDefs[3]));
	numbers.nb_conns++;
	EXPECT_EQ(4u, leat_stat_read(&set, &kDefs[1]));
}

TEST(Stats, AnEntryHasTheNameOfItsField)
{
	EXPECT_STREQ("rx_frames", kDefs[0].name);
	EXPECT_STREQ("nb_conns", kDefs[1].name);
}

} // namespace
