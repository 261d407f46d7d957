// SPDX-License-Identifier: BSD-3-Clause

// Hashes and sorted sets as values of keys.

#include <cerrno>
#include <cmath>
#include <string>

#include "store_fixture.h"

namespace
{

class StoreObject : public Store
{
      protected:
	uint32_t HashRemove(const std::string &key, const std::vector<std::string> &fields)
	{
		std::vector<leat_slice> slices;

		for (const std::string &s : fields)
			slices.push_back(Slice(s));
		return leat_store_hash_remove(
			store, Find(key), slices.data(), uint32_t(slices.size()));
	}

	double Score(const std::string &key, const std::string &member)
	{
		double score = NAN;

		return leat_store_zset_score(store, Find(key), Slice(member), &score) ? score : NAN;
	}
};

TEST_F(StoreObject, HashSetCountsWhatIsNew)
{
	EXPECT_EQ(2, HashSet("h", { "a", "1", "b", "2" }));
	EXPECT_EQ(1, HashSet("h", { "b", "3", "c", "4" }));
	EXPECT_EQ(0, HashSet("h", { "a", "a longer value than before" }));
	EXPECT_EQ("a longer value than before", HashGet("h", "a"));
	EXPECT_EQ("3", HashGet("h", "b"));
	EXPECT_EQ("4", HashGet("h", "c"));
	EXPECT_EQ("(none)", HashGet("h", "d"));
	EXPECT_EQ(LEAT_STORE_HASH, leat_store_entry_type(Find("h")));
	EXPECT_EQ(3u, leat_dict_len(leat_store_dict(Find("h"))));
	EXPECT_EQ(1u, leat_store_nb_keys(store));
}

TEST_F(StoreObject, LastOfEqualFieldsStays)
{
	EXPECT_EQ(1, HashSet("h", { "f", "1", "f", "2", "f", "3" }));
	EXPECT_EQ("3", HashGet("h", "f"));
	EXPECT_EQ(0, HashSet("h", { "f", "4", "f", "5" }));
	EXPECT_EQ("5", HashGet("h", "f"));
}

TEST_F(StoreObject, HashGoesWithItsLastField)
{
	(void)HashSet("h", { "a", "1", "b", "2", "c", "3" });
	EXPECT_EQ(1u, HashRemove("h", { "a", "none", "a" }));
	EXPECT_EQ(2u, HashRemove("h", { "b", "c", "d" }));
	EXPECT_EQ(nullptr, Find("h"));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, OtherTypesAreRefusedUnchanged)
{
	leat_store_zset_counts counts;

	(void)Set("s", "v");
	(void)HashSet("h", { "f", "v" });
	(void)ZsetAdd("z", 1, "m");
	size_t used = leat_store_mem_used(store);

	EXPECT_EQ(-EPROTOTYPE, HashSet("s", { "f", "v" }));
	EXPECT_EQ(-EPROTOTYPE, HashSet("z", { "f", "v", "g", "w" }));
	for (const char *key : { "s", "h" }) {
		ASSERT_EQ(0, leat_store_zset_stage(store, 1, LEAT_SLICE("m")));
		EXPECT_EQ(-EPROTOTYPE, leat_store_zset_commit(store, leat_slice_str(key), nullptr,
					       LEAT_ZSET_XX, &counts, now_us));
	}
	EXPECT_EQ(used, leat_store_mem_used(store));
	EXPECT_EQ("v", Get("s"));
}

TEST_F(StoreObject, SetTakesThePlaceOfAnyType)
{
	(void)HashSet("h", { "f", "v" });
	(void)ZsetAdd("z", 1, "m");
	EXPECT_EQ(0, Set("h", "string"));
	EXPECT_EQ(0, Set("z", "string"));
	EXPECT_EQ("string", Get("h"));
	EXPECT_EQ("string", Get("z"));
	(void)Remove("h");
	(void)Remove("z");
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, ZsetCommitCountsAndKeepsTheOrderOfStaging)
{
	leat_store_zset_counts counts;

	(void)ZsetAdd("z", 1, "a");
	(void)ZsetAdd("z", 1, "b");
	(void)leat_store_zset_stage(store, 2, LEAT_SLICE("a"));
	(void)leat_store_zset_stage(store, 1, LEAT_SLICE("b"));
	(void)leat_store_zset_stage(store, 5, LEAT_SLICE("c"));
	(void)leat_store_zset_stage(store, 6, LEAT_SLICE("c"));
	EXPECT_EQ(0, leat_store_zset_commit(store, LEAT_SLICE("z"), nullptr, 0, &counts, now_us));
	EXPECT_EQ(1u, counts.nb_added);
	EXPECT_EQ(2u, counts.nb_updated);
	EXPECT_EQ(6, Score("z", "c"));
	EXPECT_TRUE(std::isnan(Score("z", "none")));
	EXPECT_EQ(LEAT_STORE_ZSET, leat_store_entry_type(Find("z")));
	EXPECT_EQ(3u, leat_zset_len(leat_store_zset(Find("z"))));
}

TEST_F(StoreObject, NanIsRefusedAndDropsWhatWasStaged)
{
	(void)leat_store_zset_stage(store, 1, LEAT_SLICE("m"));
	EXPECT_EQ(-EINVAL, leat_store_zset_stage(store, NAN, LEAT_SLICE("n")));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, CommitNeverMakesAnEmptyZset)
{
	leat_store_zset_counts counts = { 7, 7 };

	EXPECT_EQ(0, leat_store_zset_commit(store, LEAT_SLICE("z"), nullptr, 0, &counts, now_us));
	EXPECT_EQ(0u, counts.nb_added + counts.nb_updated);
	(void)leat_store_zset_stage(store, 1, LEAT_SLICE("m"));
	EXPECT_EQ(0, leat_store_zset_commit(
			     store, LEAT_SLICE("z"), nullptr, LEAT_ZSET_XX, &counts, now_us));
	(void)leat_store_zset_stage(store, 1, LEAT_SLICE("m"));
	leat_store_zset_unstage(store);
	EXPECT_EQ(nullptr, Find("z"));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, ZsetGoesWithItsLastMember)
{
	leat_slice members[] = { LEAT_SLICE("a"), LEAT_SLICE("none"), LEAT_SLICE("b") };

	(void)ZsetAdd("z", 1, "a");
	(void)ZsetAdd("z", 1, "b");
	EXPECT_EQ(2u, leat_store_zset_remove(store, Find("z"), members, 3));
	EXPECT_EQ(nullptr, Find("z"));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, HugeObjectsAreFreedInBoundedSteps)
{
	conf.mem_len = 4 << 20;
	Open();
	for (int i = 0; i < 4000; i++) {
		ASSERT_EQ(1, HashSet("h", { "field" + std::to_string(i), "value" }));
		ASSERT_EQ(0, ZsetAdd("z", i, "member" + std::to_string(i)));
	}
	size_t used = leat_store_mem_used(store);

	EXPECT_TRUE(Remove("h"));
	EXPECT_EQ(0, Set("z", "v"));
	EXPECT_GT(leat_store_mem_used(store), used - 10000);
	EXPECT_EQ(0u, leat_store_next_us(store));
	unsigned int nb_runs = 0;
	for (size_t before = used; leat_store_run(store, now_us) > 0; nb_runs++) {
		EXPECT_LE(before - leat_store_mem_used(store), 100000u); // the tables at most
		before = leat_store_mem_used(store);
	}
	EXPECT_GT(nb_runs, 3 * 4000 / LEAT_STORE_FREE_MAX);
	EXPECT_TRUE(Remove("z"));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(StoreObject, FullRegionReclaimsWhatWasRemoved)
{
	std::string large(500000, 'v');
	int nb = 0;

	while (HashSet("h", { "field" + std::to_string(nb), std::string(9000, 'v') }) == 1)
		nb++;
	EXPECT_EQ(-ENOMEM, Set("new", large));
	EXPECT_TRUE(Remove("h"));
	EXPECT_GT(leat_store_mem_used(store), leat_store_mem_len(store) / 2); // not all at once
	EXPECT_EQ(0, Set("new", large));
}

TEST_F(StoreObject, CloseWithLiveAndDroppedObjectsIsClean)
{
	for (int i = 0; i < 100; i++) {
		(void)HashSet("h" + std::to_string(i), { "f", "v" });
		(void)ZsetAdd("z" + std::to_string(i), 1, "m");
	}
	leat_store_flush_all(store);
	(void)ZsetAdd("z", 1, "m");
	(void)leat_store_zset_stage(store, 1, LEAT_SLICE("staged"));
}

} // namespace
