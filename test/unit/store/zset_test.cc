// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <leat_zset.h>

#include "store_support.h"

namespace
{

class Zset : public testing::Test
{
      protected:
	TestEnv test;
	leat_dict_env *env = &test.env;
	leat_zset zset;

	void SetUp() override
	{
		ASSERT_EQ(0, leat_zset_init(&zset, env));
	}

	leat_zset_outcome Put(double score, const std::string &member, uint32_t flags = 0)
	{
		leat_zset_node *node = leat_zset_node_alloc(env, score, Slice(member));

		return leat_zset_put(&zset, env, node, flags);
	}

	bool Remove(const std::string &member)
	{
		return leat_zset_remove(&zset, env, Slice(member));
	}

	/** The score, or NaN: not there. */
	double Score(const std::string &member)
	{
		leat_zset_node *node = leat_zset_find(&zset, env, Slice(member));

		return node == nullptr ? NAN : leat_zset_node_score(node);
	}

	std::string Order()
	{
		std::string order;

		for (leat_zset_node *node = leat_zset_first(&zset); node != nullptr;
			node = leat_zset_node_next(node))
			order += String(leat_zset_node_member(node)) + " ";
		return order;
	}

	void Fini()
	{
		uint32_t budget = UINT32_MAX;

		EXPECT_TRUE(leat_zset_fini(&zset, env, &budget));
		EXPECT_EQ(0u, leat_heap_used(env->heap));
	}
};

TEST_F(Zset, PutAddsThenUpdatesThenLeaves)
{
	EXPECT_EQ(LEAT_ZSET_ADDED, Put(1, "a"));
	EXPECT_EQ(LEAT_ZSET_UPDATED, Put(2, "a"));
	EXPECT_EQ(LEAT_ZSET_UNCHANGED, Put(2, "a"));
	EXPECT_EQ(2, Score("a"));
	EXPECT_EQ(1u, leat_zset_len(&zset));
	Fini();
}

TEST_F(Zset, OrderIsScoreThenBytesThenLength)
{
	(void)Put(2, "b");
	(void)Put(2, "ab");
	(void)Put(2, "a");
	(void)Put(2, "");
	(void)Put(2, "\xff");
	(void)Put(-1, "z");
	(void)Put(INFINITY, "inf");
	(void)Put(-INFINITY, "-inf");
	EXPECT_EQ("-inf z  a ab b \xff inf ", Order());
	EXPECT_TRUE(leat_zset_is_sound(&zset, env));
}

TEST_F(Zset, MinusZeroIsZero)
{
	(void)Put(0.0, "b");
	(void)Put(-0.0, "a");
	EXPECT_EQ("a b ", Order());
	EXPECT_EQ(LEAT_ZSET_UNCHANGED, Put(-0.0, "b"));
}

TEST_F(Zset, UpdateMovesTheMember)
{
	(void)Put(1, "a");
	(void)Put(2, "b");
	(void)Put(3, "c");
	(void)Put(9, "a");
	EXPECT_EQ("b c a ", Order());
	(void)Put(0, "a");
	EXPECT_EQ("a b c ", Order());
	EXPECT_TRUE(leat_zset_is_sound(&zset, env));
}

struct FlagCase {
	uint32_t flags;
	double score; // the member has 5
	leat_zset_outcome put;
};

TEST_F(Zset, FlagsDecideOverAMemberThatIsThere)
{
	const FlagCase cases[] = {
		{ LEAT_ZSET_NX, 9, LEAT_ZSET_UNCHANGED },
		{ LEAT_ZSET_XX, 9, LEAT_ZSET_UPDATED },
		{ LEAT_ZSET_GT, 9, LEAT_ZSET_UPDATED },
		{ LEAT_ZSET_GT, 5, LEAT_ZSET_UNCHANGED },
		{ LEAT_ZSET_GT, 4, LEAT_ZSET_UNCHANGED },
		{ LEAT_ZSET_LT, 4, LEAT_ZSET_UPDATED },
		{ LEAT_ZSET_LT, 5, LEAT_ZSET_UNCHANGED },
		{ LEAT_ZSET_LT, 9, LEAT_ZSET_UNCHANGED },
		{ LEAT_ZSET_XX | LEAT_ZSET_GT, 4, LEAT_ZSET_UNCHANGED },
	};

	for (const FlagCase &c : cases) {
		(void)Put(5, "m");
		EXPECT_EQ(c.put, Put(c.score, "m", c.flags)) << c.flags << " " << c.score;
		EXPECT_EQ(c.put == LEAT_ZSET_UPDATED ? c.score : 5, Score("m"));
	}
	Fini();
}

TEST_F(Zset, OnlyXxForbidsToAdd)
{
	EXPECT_EQ(LEAT_ZSET_UNCHANGED, Put(1, "xx", LEAT_ZSET_XX));
	EXPECT_EQ(LEAT_ZSET_UNCHANGED, Put(1, "xx", LEAT_ZSET_XX | LEAT_ZSET_GT));
	EXPECT_EQ(LEAT_ZSET_ADDED, Put(1, "nx", LEAT_ZSET_NX));
	EXPECT_EQ(LEAT_ZSET_ADDED, Put(1, "gt", LEAT_ZSET_GT));
	EXPECT_EQ(LEAT_ZSET_ADDED, Put(1, "lt", LEAT_ZSET_LT));
	EXPECT_EQ("gt lt nx ", Order());
	Fini();
}

TEST_F(Zset, RanksGoBothWays)
{
	for (int i = 0; i < 1000; i++)
		(void)Put(i * 7 % 1000, "m" + std::to_string(i * 7 % 1000));
	for (int i = 0; i < 1000; i++) {
		leat_zset_node *node = leat_zset_find_rank(&zset, uint64_t(i));

		ASSERT_NE(nullptr, node);
		EXPECT_EQ(i, leat_zset_node_score(node));
		EXPECT_EQ(uint64_t(i), leat_zset_rank(&zset, node));
	}
	EXPECT_EQ(nullptr, leat_zset_find_rank(&zset, 1000));
	EXPECT_EQ(nullptr, leat_zset_find_rank(&zset, UINT64_MAX));
}

TEST_F(Zset, FindScoreGivesTheFirstThatReachesIt)
{
	EXPECT_EQ(nullptr, leat_zset_find_score(&zset, 0));
	(void)Put(1, "a");
	(void)Put(3, "c");
	(void)Put(3, "b");
	EXPECT_EQ("a", String(leat_zset_node_member(leat_zset_find_score(&zset, -INFINITY))));
	EXPECT_EQ("a", String(leat_zset_node_member(leat_zset_find_score(&zset, 1))));
	EXPECT_EQ("b", String(leat_zset_node_member(leat_zset_find_score(&zset, 1.5))));
	EXPECT_EQ("b", String(leat_zset_node_member(leat_zset_find_score(&zset, 3))));
	EXPECT_EQ(nullptr, leat_zset_find_score(&zset, 3.5));
}

TEST_F(Zset, RemovingTheOwnBytesOfAMemberIsAllowed)
{
	(void)Put(1, "a");
	(void)Put(2, "b");
	EXPECT_TRUE(leat_zset_remove(&zset, env, leat_zset_node_member(leat_zset_first(&zset))));
	EXPECT_EQ("b ", Order());
}

TEST_F(Zset, NodeWithoutMemoryIsNullAndLeavesNothing)
{
	test.Exhaust();
	EXPECT_EQ(nullptr, leat_zset_node_alloc(env, 1, LEAT_SLICE("m")));
	size_t used = leat_heap_used(env->heap);
	test.Relax();

	// Room for the node of the list, none for the one of the dict.
	std::string large(4096, 'm');
	void *hole = leat_heap_alloc(env->heap, 600);
	test.Exhaust();
	leat_heap_free(env->heap, hole);
	used = leat_heap_used(env->heap);
	EXPECT_EQ(nullptr, leat_zset_node_alloc(env, 1, Slice(large)));
	EXPECT_EQ(used, leat_heap_used(env->heap));
	test.Relax();
	Fini();
}

TEST_F(Zset, InitWithoutMemoryFailsAndLeavesNothing)
{
	leat_zset other;

	for (size_t hole_len : { 0, 24 }) { // no room for the head; for the head alone
		void *hole = hole_len == 0 ? nullptr : leat_heap_alloc(env->heap, hole_len);

		test.Exhaust();
		leat_heap_free(env->heap, hole);
		size_t used = leat_heap_used(env->heap);
		EXPECT_EQ(-ENOMEM, leat_zset_init(&other, env));
		EXPECT_EQ(used, leat_heap_used(env->heap));
		test.Relax();
	}
	Fini();
}

TEST_F(Zset, HeadThatCannotGrowKeepsTheSetSound)
{
	std::vector<leat_zset_node *> nodes;

	for (int i = 0; i < 2000; i++) {
		std::string member = std::to_string(i);

		nodes.push_back(leat_zset_node_alloc(env, i % 50, Slice(member)));
	}
	test.Exhaust();
	for (leat_zset_node *node : nodes)
		EXPECT_EQ(LEAT_ZSET_ADDED, leat_zset_put(&zset, env, node, 0));
	EXPECT_EQ(2u, zset.nb_levels_max);
	EXPECT_TRUE(leat_zset_is_sound(&zset, env));
	test.Relax();
	Fini();
}

TEST_F(Zset, LevelsFollowTheNumberOfMembers)
{
	for (int i = 0; i < 5000; i++)
		(void)Put(i, std::to_string(i));
	EXPECT_GE(zset.nb_levels, 4u); // 4^6 is 4096
	EXPECT_LE(zset.nb_levels, 12u);
	for (int i = 1; i < 5000; i++)
		EXPECT_TRUE(Remove(std::to_string(i)));
	EXPECT_TRUE(leat_zset_is_sound(&zset, env));
	Fini();
}

TEST_F(Zset, FiniStaysWithinItsBudget)
{
	for (int i = 0; i < 1000; i++)
		(void)Put(i, std::to_string(i));
	unsigned int nb_rounds = 0;
	for (bool is_done = false; !is_done; nb_rounds++) {
		uint32_t budget = 10;

		ASSERT_LT(nb_rounds, 1000u);
		is_done = leat_zset_fini(&zset, env, &budget);
		EXPECT_TRUE(is_done || budget == 0);
	}
	EXPECT_GE(nb_rounds, 200u);
	EXPECT_EQ(0u, leat_heap_used(env->heap));
}

TEST_F(Zset, RandomUseAgreesWithASet)
{
	constexpr unsigned int kSeed = 4711;
	std::mt19937 rng(kSeed);
	std::map<std::string, double> scores;
	std::set<std::pair<double, std::string>> order;

	SCOPED_TRACE(kSeed);
	for (unsigned int step = 0; step < 100000; step++) {
		bool is_growing = step / 20000 % 2 == 0;
		std::string member = "m" + std::to_string(rng() % 3000);
		auto it = scores.find(member);

		if (rng() % 4 < (is_growing ? 3u : 1u)) {
			double score = static_cast<int>(rng() % 200) / 4.0 - 20; // many equal ones
			leat_zset_outcome want = it == scores.end()    ? LEAT_ZSET_ADDED
						 : it->second == score ? LEAT_ZSET_UNCHANGED
								       : LEAT_ZSET_UPDATED;

			ASSERT_EQ(want, Put(score, member));
			if (it != scores.end())
				order.erase({ it->second, member });
			scores[member] = score;
			order.insert({ score, member });
		} else {
			ASSERT_EQ(it != scores.end(), Remove(member));
			if (it != scores.end()) {
				order.erase({ it->second, member });
				scores.erase(it);
			}
		}
		ASSERT_EQ(scores.size(), leat_zset_len(&zset));
		if (step % 5000 == 0) {
			leat_zset_node *node = leat_zset_first(&zset);

			for (const auto &[score, name] : order) {
				ASSERT_NE(nullptr, node);
				ASSERT_EQ(name, String(leat_zset_node_member(node)));
				ASSERT_EQ(score, leat_zset_node_score(node));
				node = leat_zset_node_next(node);
			}
			ASSERT_EQ(nullptr, node);
			ASSERT_TRUE(leat_zset_is_sound(&zset, env)) << "step " << step;
		}
	}
	Fini();
}

} // namespace
