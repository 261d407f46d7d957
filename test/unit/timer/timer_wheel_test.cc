// SPDX-License-Identifier: BSD-3-Clause

#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <leat_timer.h>

namespace
{

constexpr uint64_t kStart = UINT64_C(987654321987);
constexpr uint64_t kSecond = 1000000;

class TimerWheel : public testing::Test
{
      protected:
	std::unique_ptr<leat_timer_wheel> wheel = std::make_unique<leat_timer_wheel>();

	void SetUp() override
	{
		leat_timer_wheel_init(wheel.get(), kStart);
	}

	void Set(leat_timer *timer, uint64_t at_us)
	{
		leat_timer_set(wheel.get(), timer, at_us);
	}

	leat_timer *Expire(uint64_t now_us)
	{
		return leat_timer_expire(wheel.get(), now_us);
	}

	uint64_t Next()
	{
		return leat_timer_next_us(wheel.get());
	}
};

TEST_F(TimerWheel, HasNothingAtFirst)
{
	EXPECT_EQ(nullptr, Expire(kStart));
	EXPECT_EQ(LEAT_TIMER_NEVER, Next());
}

TEST_F(TimerWheel, FiresWithinOneTickAndNeverEarlyOnEveryLevel)
{
	for (unsigned int level = 0; level < LEAT_TIMER_LEVELS; level++) {
		for (uint64_t extra : { 0, 1, 127, 128, 129 }) {
			auto w = std::make_unique<leat_timer_wheel>();
			leat_timer timer = {};
			uint64_t at = kStart + (UINT64_C(128) << (6 * level)) + extra;
			uint64_t now = kStart;
			leat_timer *fired = nullptr;

			leat_timer_wheel_init(w.get(), kStart);
			leat_timer_set(w.get(), &timer, at);
			// Follow its own advice on when to call, as an idle worker does.
			for (int i = 0; i < 100 && fired == nullptr; i++) {
				uint64_t next = leat_timer_next_us(w.get());

				ASSERT_LE(next, at + LEAT_TIMER_TICK_US);
				now = std::max(now, next);
				fired = leat_timer_expire(w.get(), now);
			}
			ASSERT_EQ(&timer, fired) << "level " << level;
			EXPECT_FALSE(leat_timer_is_set(&timer));
			EXPECT_LE(at, now);
			EXPECT_GT(at + LEAT_TIMER_TICK_US, now);
		}
	}
}

TEST_F(TimerWheel, DoesNotFireOneMicrosecondEarly)
{
	leat_timer timer = {};
	uint64_t at = ((kStart >> LEAT_TIMER_TICK_SHIFT) + 100) << LEAT_TIMER_TICK_SHIFT;

	Set(&timer, at);
	EXPECT_EQ(nullptr, Expire(at - 1));
	EXPECT_EQ(at, Next());
	EXPECT_EQ(&timer, Expire(at));
}

TEST_F(TimerWheel, FiresWhatIsPastAtTheNextCall)
{
	leat_timer timer = {};

	EXPECT_EQ(nullptr, Expire(kStart + kSecond));
	Set(&timer, kStart);
	EXPECT_EQ(&timer, Expire(kStart + kSecond));
	EXPECT_EQ(nullptr, Expire(kStart + kSecond));
}

TEST_F(TimerWheel, CancelledTimerDoesNotFire)
{
	leat_timer timer = {};

	Set(&timer, kStart + kSecond);
	EXPECT_TRUE(leat_timer_is_set(&timer));
	leat_timer_cancel(wheel.get(), &timer);
	leat_timer_cancel(wheel.get(), &timer);
	EXPECT_FALSE(leat_timer_is_set(&timer));
	EXPECT_EQ(LEAT_TIMER_NEVER, Next());
	EXPECT_EQ(nullptr, Expire(kStart + 2 * kSecond));
}

TEST_F(TimerWheel, CancelLeavesTheOthersOfTheSlot)
{
	leat_timer timers[3] = {};

	for (leat_timer &timer : timers)
		Set(&timer, kStart + kSecond);
	leat_timer_cancel(wheel.get(), &timers[1]);
	leat_timer_cancel(wheel.get(), &timers[2]);
	EXPECT_EQ(&timers[0], Expire(kStart + 2 * kSecond));
	EXPECT_EQ(nullptr, Expire(kStart + 2 * kSecond));
}

TEST_F(TimerWheel, MovedTimerFiresOnceAtItsNewTime)
{
	leat_timer timer = {};

	Set(&timer, kStart + kSecond);
	Set(&timer, kStart + 3 * kSecond);
	EXPECT_EQ(nullptr, Expire(kStart + 2 * kSecond));
	EXPECT_EQ(&timer, Expire(kStart + 4 * kSecond));
	EXPECT_EQ(nullptr, Expire(kStart + 4 * kSecond));
}

TEST_F(TimerWheel, NeverCancels)
{
	leat_timer timer = {};

	Set(&timer, kStart + kSecond);
	Set(&timer, LEAT_TIMER_NEVER);
	EXPECT_FALSE(leat_timer_is_set(&timer));
}

TEST_F(TimerWheel, ExpiresInOrderOfTicks)
{
	leat_timer late = {};
	leat_timer soon = {};

	Set(&late, kStart + 1000 * kSecond);
	Set(&soon, kStart + kSecond);
	EXPECT_EQ(&soon, Expire(kStart + 5000 * kSecond));
	EXPECT_EQ(&late, Expire(kStart + 5000 * kSecond));
}

TEST_F(TimerWheel, JumpsAThousandYearsAndTakesTimersAfterwards)
{
	leat_timer timer = {};
	uint64_t far = UINT64_MAX - 1;

	Set(&timer, far);
	EXPECT_EQ(nullptr, Expire(far / 4096));
	EXPECT_EQ(&timer, Expire(far));
	EXPECT_EQ(nullptr, Expire(far));
	Set(&timer, far);
	EXPECT_EQ(&timer, Expire(far));
}

TEST_F(TimerWheel, TimeThatStepsBackFiresNothing)
{
	leat_timer timer = {};

	EXPECT_EQ(nullptr, Expire(kStart + 10 * kSecond));
	Set(&timer, kStart + 11 * kSecond);
	EXPECT_EQ(nullptr, Expire(kStart));
	EXPECT_EQ(&timer, Expire(kStart + 12 * kSecond));
}

TEST_F(TimerWheel, MovesAtMostItsLimitInOneCall)
{
	std::vector<leat_timer> timers(LEAT_TIMER_MOVES_MAX + 1);
	uint64_t at = kStart + 100 * kSecond;
	size_t nb_fired = 0;

	for (leat_timer &timer : timers)
		Set(&timer, at);
	// The slot's turn has come and is not done: the call asks to be called again.
	EXPECT_EQ(nullptr, Expire(at + LEAT_TIMER_TICK_US));
	EXPECT_LE(Next(), at);
	leat_timer_cancel(wheel.get(), &timers[0]);
	for (int i = 0; i < 10; i++) {
		while (Expire(at + LEAT_TIMER_TICK_US) != nullptr)
			nb_fired++;
	}
	EXPECT_EQ(timers.size() - 1, nb_fired);
	EXPECT_EQ(LEAT_TIMER_NEVER, Next());
}

TEST_F(TimerWheel, IsSetByTellsWhetherItHasToBeMoved)
{
	leat_timer timer = {};
	uint64_t at = ((kStart >> LEAT_TIMER_TICK_SHIFT) + 10) << LEAT_TIMER_TICK_SHIFT;

	EXPECT_FALSE(leat_timer_is_set_by(&timer, at));
	EXPECT_FALSE(leat_timer_is_set_by(&timer, LEAT_TIMER_NEVER));
	Set(&timer, at - 1); // fires with the tick at
	EXPECT_TRUE(leat_timer_is_set_by(&timer, at));
	EXPECT_TRUE(leat_timer_is_set_by(&timer, at - LEAT_TIMER_TICK_US + 1));
	EXPECT_FALSE(leat_timer_is_set_by(&timer, at - LEAT_TIMER_TICK_US));
	EXPECT_TRUE(leat_timer_is_set_by(&timer, LEAT_TIMER_NEVER));
}

// Against a sorted map: sets, moves, cancels, small steps and leaps.
TEST_F(TimerWheel, AgreesWithASortedMap)
{
	std::mt19937_64 rng(1);
	std::vector<leat_timer> timers(200);
	std::map<leat_timer *, uint64_t> model;
	uint64_t now = kStart;

	for (int i = 0; i < 100000; i++) {
		leat_timer *timer = &timers[rng() % timers.size()];

		switch (rng() % 4) {
		case 0:
		case 1:
			model[timer] = now + (rng() % 1000) * (UINT64_C(1) << (rng() % 34));
			Set(timer, model[timer]);
			break;
		case 2:
			model.erase(timer);
			leat_timer_cancel(wheel.get(), timer);
			break;
		default:
			now += rng() % (UINT64_C(1) << (rng() % 30));
			while ((timer = Expire(now)) != nullptr) {
				ASSERT_EQ(1u, model.count(timer)) << "step " << i;
				ASSERT_LE(model[timer], now);
				model.erase(timer);
			}
			for (auto &[left, at] : model)
				ASSERT_LT(now, at + LEAT_TIMER_TICK_US) << "step " << i;
			for (auto &[left, at] : model)
				ASSERT_LE(Next(), at + LEAT_TIMER_TICK_US);
			break;
		}
	}
}

} // namespace
