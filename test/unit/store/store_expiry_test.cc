// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include "store_fixture.h"

namespace
{

class StoreExpiry : public Store
{
};

TEST_F(StoreExpiry, KeyIsGoneToTheMicrosecond)
{
	(void)Set("k", "v", now_us + 1000);
	now_us += 999;
	EXPECT_EQ("v", Get("k"));
	now_us += 1;
	EXPECT_EQ("(none)", Get("k"));
	EXPECT_EQ(0u, leat_store_nb_keys(store)); // the look removed it
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreExpiry, ExpiredKeyIsNotRemovedButAbsent)
{
	(void)Set("k", "v", now_us + 10);
	now_us += 10;
	EXPECT_FALSE(Remove("k"));
}

TEST_F(StoreExpiry, TimeThatHasPassedIsTaken)
{
	EXPECT_EQ(0, Set("a", "v", now_us));
	EXPECT_EQ("(none)", Get("a"));
	(void)Set("b", "v");
	EXPECT_EQ(0, leat_store_expire(store, Find("b"), 0));
	EXPECT_EQ("(none)", Get("b"));
}

TEST_F(StoreExpiry, ExpireSetsMovesAndTakesAway)
{
	(void)Set("k", "v");
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_entry_expires_us(Find("k")));
	EXPECT_EQ(0, leat_store_expire(store, Find("k"), now_us + 5));
	EXPECT_EQ(now_us + 5, leat_store_entry_expires_us(Find("k")));
	EXPECT_EQ(1u, leat_store_nb_expiring(store));
	EXPECT_EQ(0, leat_store_expire(store, Find("k"), now_us + 50000));
	EXPECT_EQ(1u, leat_store_nb_expiring(store));
	EXPECT_EQ(0, leat_store_expire(store, Find("k"), LEAT_STORE_KEEP_EXPIRY));
	EXPECT_EQ(now_us + 50000, leat_store_entry_expires_us(Find("k")));
	EXPECT_EQ(0, leat_store_expire(store, Find("k"), LEAT_STORE_NO_EXPIRY));
	EXPECT_EQ(0u, leat_store_nb_expiring(store));
	now_us += 100000;
	(void)leat_store_run(store, now_us);
	EXPECT_EQ("v", Get("k"));
}

TEST_F(StoreExpiry, SetForgetsKeepsOrGivesATime)
{
	(void)Set("k", "v", now_us + 100);
	(void)Set("k", "w", LEAT_STORE_KEEP_EXPIRY);
	EXPECT_EQ(now_us + 100, leat_store_entry_expires_us(Find("k")));
	(void)Set("k", "longer than before", LEAT_STORE_KEEP_EXPIRY);
	EXPECT_EQ(now_us + 100, leat_store_entry_expires_us(Find("k")));
	(void)Set("k", "x", now_us + 200);
	EXPECT_EQ(now_us + 200, leat_store_entry_expires_us(Find("k")));
	(void)Set("k", "y");
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_entry_expires_us(Find("k")));
	(void)Set("new", "v", LEAT_STORE_KEEP_EXPIRY);
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_entry_expires_us(Find("new")));
}

TEST_F(StoreExpiry, SetAfterExpiryKeepsNothingOfTheOldKey)
{
	(void)Set("k", "v", now_us + 10);
	now_us += 10;
	(void)Set("k", "w", LEAT_STORE_KEEP_EXPIRY);
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_entry_expires_us(Find("k")));
	EXPECT_EQ(1u, leat_store_nb_keys(store));
}

TEST_F(StoreExpiry, HashAndSortedSetExpireToo)
{
	(void)HashSet("h", { "f", "v" });
	(void)ZsetAdd("z", 1, "m");
	(void)leat_store_expire(store, Find("h"), now_us + 10);
	(void)leat_store_expire(store, Find("z"), now_us + 10);
	EXPECT_EQ(0, HashSet("h", { "f", "w" })); // changing a field keeps the time
	now_us += 10;
	EXPECT_EQ(nullptr, Find("h"));
	EXPECT_EQ(1, HashSet("h", { "f", "x" }));
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_entry_expires_us(Find("h")));
	EXPECT_EQ(0, ZsetAdd("z", 1, "n"));
	EXPECT_EQ(1u, leat_zset_len(leat_store_zset(Find("z"))));
}

TEST_F(StoreExpiry, RunRemovesWhatNobodyLooksAt)
{
	for (uint32_t i = 0; i < 3 * LEAT_STORE_EXPIRE_MAX; i++)
		(void)Set(std::to_string(i), "v", now_us + 1000 + i);
	uint64_t next_us = leat_store_next_us(store);
	EXPECT_GT(next_us, now_us);
	EXPECT_LE(next_us, now_us + 1000 + 128);
	EXPECT_EQ(0u, leat_store_run(store, now_us + 999));
	now_us += 2000;
	EXPECT_EQ(LEAT_STORE_EXPIRE_MAX, leat_store_run(store, now_us));
	EXPECT_EQ(2 * LEAT_STORE_EXPIRE_MAX, leat_store_nb_keys(store));
	Run();
	EXPECT_EQ(0u, leat_store_nb_keys(store));
	EXPECT_EQ(0u, leat_store_nb_expiring(store));
	EXPECT_EQ(0u, leat_store_mem_used(store));
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_next_us(store));
}

TEST_F(StoreExpiry, RunNeverRemovesEarly)
{
	for (uint64_t i = 0; i < 500; i++)
		(void)Set(std::to_string(i), "v", now_us + 1 + i * 37);
	for (uint64_t end = now_us + 20000; now_us < end; now_us += 13) {
		uint32_t nb_left = 0;

		(void)leat_store_run(store, now_us);
		for (uint64_t i = 0; i < 500; i++)
			nb_left += 1000000 + 1 + i * 37 > now_us;
		ASSERT_GE(leat_store_nb_keys(store), nb_left);
	}
	EXPECT_EQ(0u, leat_store_nb_keys(store));
}

TEST_F(StoreExpiry, RemovedKeyLeavesNoTimer)
{
	(void)Set("k", "v", now_us + 1000);
	(void)Remove("k");
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_next_us(store));
	(void)Set("k", "v");
	now_us += 5000;
	(void)leat_store_run(store, now_us);
	EXPECT_EQ("v", Get("k"));
}

} // namespace
