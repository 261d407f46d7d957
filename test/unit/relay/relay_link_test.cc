// SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <relay_link.h>

namespace
{

constexpr uint64_t kUs = 1000;
constexpr uint64_t kStart = 5000000000;

class RelayLink : public testing::Test
{
      protected:
	relay_link_conf conf = {};
	std::unique_ptr<relay_link> link = std::make_unique<relay_link>();
	relay_fate fate = {};
	int frames[RELAY_FRAMES_MAX + 1];

	RelayLink()
	{
		conf.impair.reorder_us = 500;
		conf.queue_len = RELAY_QUEUE_DEFAULT;
	}

	void Init()
	{
		relay_link_init(link.get(), &conf, 1, 0);
	}

	uint64_t Admit(uint64_t now_ns, uint32_t len = 1000)
	{
		return relay_link_admit(link.get(), now_ns, len, &fate);
	}

	// The indexes of the frames that are due.
	std::vector<int> Pop(uint64_t now_ns)
	{
		std::vector<int> popped;

		while (void *frame = relay_link_pop(link.get(), now_ns))
			popped.push_back((int)(static_cast<int *>(frame) - frames));
		return popped;
	}
};

TEST_F(RelayLink, FrameIsDueAfterTheDelayAndNotBefore)
{
	conf.delay_us = 1000;
	Init();
	uint64_t due = Admit(kStart);
	EXPECT_EQ(kStart + 1000 * kUs, due);
	ASSERT_TRUE(relay_link_push(link.get(), due, &frames[0]));
	EXPECT_EQ(due, relay_link_next(link.get()));
	EXPECT_EQ(nullptr, relay_link_pop(link.get(), due - 1));
	EXPECT_EQ(&frames[0], relay_link_pop(link.get(), due));
	EXPECT_EQ(RELAY_NEVER, relay_link_next(link.get()));
	EXPECT_EQ(1u, link->stats.nb_delayed);
}

TEST_F(RelayLink, WithoutFiguresFramesAreDueAtOnce)
{
	Init();
	EXPECT_EQ(kStart, Admit(kStart));
	EXPECT_EQ(kStart + 1, Admit(kStart + 1));
	EXPECT_EQ(2u, link->stats.nb_received);
	EXPECT_EQ(0u, link->stats.nb_delayed);
}

TEST_F(RelayLink, FramesDueAtOnceLeaveInTheOrderOfTheirArrival)
{
	std::vector<int> all;

	Init();
	for (int i = 0; i < 100; i++) {
		ASSERT_TRUE(relay_link_push(link.get(), kStart, &frames[i]));
		all.push_back(i);
	}
	EXPECT_EQ(all, Pop(kStart));
}

TEST_F(RelayLink, FramesLeaveByDueTimeWhateverTheOrderOfThePushes)
{
	Init();
	for (int i = 0; i < 1000; i++) // 7 is prime to 1000
		ASSERT_TRUE(relay_link_push(link.get(), kStart + i * 7 % 1000, &frames[i]));
	std::vector<int> popped = Pop(kStart + 1000);
	ASSERT_EQ(1000u, popped.size());
	for (size_t i = 0; i < popped.size(); i++)
		EXPECT_EQ((int)i, popped[i] * 7 % 1000);
}

TEST_F(RelayLink, JitterKeepsTheOrder)
{
	uint64_t last = 0;
	bool has_moved = false;

	conf.delay_us = 1000;
	conf.impair.jitter_us = 1000;
	Init();
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t now = kStart + i * 100 * kUs;
		uint64_t due = Admit(now);

		EXPECT_GE(due, last);
		EXPECT_GE(due, now + 1000 * kUs);
		EXPECT_LE(due, now + 2000 * kUs);
		has_moved = has_moved || due != now + 1000 * kUs;
		last = due;
	}
	EXPECT_TRUE(has_moved);
}

TEST_F(RelayLink, ReorderedFrameComesLateAndHoldsNoOtherUp)
{
	conf.delay_us = 1000;
	conf.impair.reorder_ppm = RELAY_PPM / 2;
	Init();
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t now = kStart + i * kUs;
		uint64_t due = Admit(now);

		EXPECT_EQ(now + 1000 * kUs + fate.late_us * kUs, due);
	}
	EXPECT_GT(link->stats.nb_reordered, 400u);
	EXPECT_LT(link->stats.nb_reordered, 600u);
}

TEST_F(RelayLink, RateSpacesFramesByTheirLength)
{
	conf.rate = 1000000; // a byte a microsecond
	Init();
	EXPECT_EQ(kStart + 1000 * kUs, Admit(kStart, 1000));
	EXPECT_EQ(kStart + 1500 * kUs, Admit(kStart, 500));
	EXPECT_EQ(kStart + 2500 * kUs, Admit(kStart + 2000 * kUs, 500));
}

TEST_F(RelayLink, QueueIsFullAtItsLengthAndEmptiesWithTime)
{
	conf.rate = 1000000;
	conf.queue_len = 3000;
	Init();
	for (int i = 0; i < 3; i++)
		EXPECT_NE(RELAY_NEVER, Admit(kStart, 1000));
	EXPECT_EQ(RELAY_NEVER, Admit(kStart, 1));
	EXPECT_EQ(1u, link->stats.nb_overflowed);
	EXPECT_EQ(RELAY_NEVER, Admit(kStart + 999 * kUs, 1000));
	EXPECT_NE(RELAY_NEVER, Admit(kStart + 1000 * kUs, 1000));
	EXPECT_EQ(2u, link->stats.nb_overflowed);
	EXPECT_EQ(6u, link->stats.nb_received);
}

TEST_F(RelayLink, IdleLineTakesAFrameThatIsLongerThanTheQueue)
{
	conf.rate = 1000000;
	conf.queue_len = 0;
	Init();
	EXPECT_EQ(kStart + 1000 * kUs, Admit(kStart, 1000));
	EXPECT_EQ(RELAY_NEVER, Admit(kStart, 1));
	EXPECT_EQ(kStart + 2000 * kUs, Admit(kStart + 1000 * kUs, 1000));
}

TEST_F(RelayLink, LostFrameIsCountedAndHasTakenItsTimeOnTheLine)
{
	conf.rate = 1000000;
	conf.impair.loss_ppm = RELAY_PPM;
	Init();
	EXPECT_EQ(RELAY_NEVER, Admit(kStart, 1000));
	link->conf.impair.loss_ppm = 0;
	EXPECT_EQ(kStart + 2000 * kUs, Admit(kStart, 1000));
	EXPECT_EQ(1u, link->stats.nb_lost);
}

TEST_F(RelayLink, OneFrameMoreThanTheMostIsRefusedAndCounted)
{
	Init();
	for (uint32_t i = 0; i < RELAY_FRAMES_MAX; i++)
		ASSERT_TRUE(relay_link_push(link.get(), kStart, &frames[i]));
	EXPECT_FALSE(relay_link_push(link.get(), kStart, &frames[RELAY_FRAMES_MAX]));
	EXPECT_EQ(1u, link->stats.nb_crowded);
	EXPECT_EQ(RELAY_FRAMES_MAX, Pop(kStart).size());
}

TEST_F(RelayLink, HighestRateAndLongestDelayDoNotWrap)
{
	conf.rate = RELAY_RATE_MAX;
	conf.delay_us = RELAY_DELAY_MAX_US;
	conf.queue_len = RELAY_QUEUE_MAX;
	Init();
	uint64_t due = Admit(kStart, 10000);
	EXPECT_NEAR((double)(kStart + RELAY_DELAY_MAX_US * kUs + 100), (double)due, 1.0);
	conf.rate = RELAY_RATE_MIN;
	Init();
	EXPECT_EQ(kStart + RELAY_DELAY_MAX_US * kUs + 1500000 * kUs, Admit(kStart, 1500));
	EXPECT_NE(RELAY_NEVER, Admit(kStart, 1500));
	EXPECT_EQ(0u, link->stats.nb_overflowed);
}

} // namespace
