// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <map>
#include <random>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

#include <leat_dict.h>

#include "store_support.h"

namespace
{

class Dict : public testing::Test
{
      protected:
	TestEnv test;
	leat_dict_env *env = &test.env;
	leat_dict dict;

	void SetUp() override
	{
		ASSERT_EQ(0, leat_dict_init(&dict, env));
	}

	int Set(const std::string &field, const std::string &value)
	{
		return leat_dict_set(&dict, env, Slice(field), Slice(value));
	}

	bool Remove(const std::string &field)
	{
		return leat_dict_remove(&dict, env, Slice(field));
	}

	/** The value, or "(none)". */
	std::string Get(const std::string &field)
	{
		leat_dict_node *node = leat_dict_find(&dict, env, Slice(field));

		return node == nullptr ? "(none)" : String(leat_dict_node_value(node));
	}

	/** What a walk over the table tells; a field that comes twice fails. */
	std::map<std::string, std::string> Walk()
	{
		std::map<std::string, std::string> all;
		leat_dict_iter iter;

		leat_dict_iter_init(&iter, &dict);
		while (leat_dict_node *node = leat_dict_iter_next(&iter, &dict)) {
			std::string field = String(leat_dict_node_field(node));

			EXPECT_EQ(0u, all.count(field)) << field;
			all[field] = String(leat_dict_node_value(node));
		}
		return all;
	}

	void Fini()
	{
		uint32_t budget = UINT32_MAX;

		EXPECT_TRUE(leat_dict_fini(&dict, env, &budget));
		EXPECT_EQ(0u, leat_heap_used(env->heap));
	}
};

TEST_F(Dict, SetTellsWhetherTheFieldIsNew)
{
	EXPECT_EQ(1, Set("f", "a"));
	EXPECT_EQ(0, Set("f", "b"));
	EXPECT_EQ("b", Get("f"));
	EXPECT_EQ(1u, leat_dict_len(&dict));
}

TEST_F(Dict, EmptyFieldAndEmptyValueAreFieldAndValue)
{
	EXPECT_EQ("(none)", Get(""));
	EXPECT_EQ(1, leat_dict_set(&dict, env, { nullptr, 0 }, { nullptr, 0 }));
	EXPECT_EQ("", Get(""));
	EXPECT_TRUE(Remove(""));
	EXPECT_EQ("(none)", Get(""));
}

TEST_F(Dict, ValueMayGrowAndShrink)
{
	for (size_t len : { 0u, 10u, 10u, 5000u, 300000u, 1u, 0u, 77u }) {
		EXPECT_GE(Set("f", std::string(len, 'x')), 0);
		EXPECT_EQ(std::string(len, 'x'), Get("f"));
	}
}

TEST_F(Dict, RemoveTellsWhetherTheFieldWasThere)
{
	EXPECT_FALSE(Remove("f"));
	(void)Set("f", "a");
	EXPECT_TRUE(Remove("f"));
	EXPECT_FALSE(Remove("f"));
	EXPECT_EQ(0u, leat_dict_len(&dict));
}

TEST_F(Dict, BytesOverTheLimitAreRefused)
{
	std::string small = "x";
	leat_slice over = { Slice(small).data, size_t{ LEAT_DICT_BYTES_MAX } + 1 }; // never read

	EXPECT_EQ(-EMSGSIZE, leat_dict_set(&dict, env, over, Slice(small)));
	EXPECT_EQ(-EMSGSIZE, leat_dict_set(&dict, env, Slice(small), over));
	EXPECT_EQ(nullptr, leat_dict_node_alloc(env, over, Slice(small)));
	EXPECT_EQ(nullptr, leat_dict_node_alloc(env, Slice(small), over));
	EXPECT_EQ(0u, leat_dict_len(&dict));
}

TEST_F(Dict, FullHeapChangesNothing)
{
	(void)Set("f", "old");
	test.Exhaust();
	EXPECT_EQ(-ENOMEM, Set("g", "new"));
	EXPECT_EQ(-ENOMEM, Set("f", std::string(1000, 'n')));
	EXPECT_EQ("old", Get("f"));
	EXPECT_EQ("(none)", Get("g"));
	EXPECT_EQ(1u, leat_dict_len(&dict));
	test.Relax();
	Fini();
}

TEST_F(Dict, InitWithoutMemoryFails)
{
	leat_dict other;

	test.Exhaust();
	EXPECT_EQ(-ENOMEM, leat_dict_init(&other, env));
	test.Relax();
	Fini();
}

TEST_F(Dict, TableThatCannotGrowStillTakesFields)
{
	std::vector<leat_dict_node *> nodes;

	for (int i = 0; i < 200; i++) {
		std::string field = std::to_string(i);

		nodes.push_back(leat_dict_node_alloc(env, Slice(field), Slice(field)));
	}
	test.Exhaust();
	for (leat_dict_node *node : nodes)
		EXPECT_TRUE(leat_dict_put(&dict, env, node));
	EXPECT_EQ(LEAT_DICT_BUCKETS_MIN, dict.nb_small);
	EXPECT_EQ("137", Get("137"));
	test.Relax();
	for (int i = 0; i < 200; i++) // it catches up when there is memory
		(void)Set("more" + std::to_string(i), "");
	EXPECT_GT(dict.nb_small, 100u);
	EXPECT_EQ("137", Get("137"));
	EXPECT_EQ(400u, Walk().size());
	Fini();
}

TEST_F(Dict, NoChangeMovesMoreThanAFewBuckets)
{
	for (int i = 0; i < 16000; i++) {
		uint32_t before = dict.nb_moved;
		uint32_t nb_small = dict.nb_small;
		std::string field = std::to_string(i % 8000);

		(void)(i < 8000 ? Set(field, "") : Remove(field));
		if (dict.nb_small == nb_small) { // else a move has begun or ended
			uint32_t after = dict.nb_moved;

			ASSERT_LE(LEAT_MAX(before, after) - LEAT_MIN(before, after),
				i < 8000 ? LEAT_DICT_SPLITS : LEAT_DICT_JOINS);
		}
	}
}

TEST_F(Dict, LoadStaysBounded)
{
	for (int i = 0; i < 10000; i++) {
		(void)Set(std::to_string(i), "");
		// One field a bucket, counted while it moves: at most twice that for a while.
		ASSERT_LE(leat_dict_len(&dict), 2 * uint64_t{ dict.nb_small } + 1);
	}
}

TEST_F(Dict, TableShrinksWithItsFields)
{
	for (int i = 0; i < 10000; i++)
		(void)Set(std::to_string(i), "");
	for (int i = 0; i < 9990; i++) {
		(void)Remove(std::to_string(i));
		ASSERT_LE(dict.nb_small, LEAT_MAX(16 * leat_dict_len(&dict), 8u)) << i;
	}
	EXPECT_LE(dict.nb_small, 64u);
	Fini();
}

TEST_F(Dict, WalkSeesEachFieldOnceWhileTheTableMoves)
{
	bool saw_growing = false;
	bool saw_shrinking = false;

	for (int i = 0; i < 600; i++) {
		(void)Set(std::to_string(i), "v");
		saw_growing |= dict.large != nullptr && dict.is_growing;
		ASSERT_EQ(size_t(i) + 1, Walk().size());
	}
	for (int i = 0; i < 600; i++) {
		(void)Remove(std::to_string(i));
		saw_shrinking |= dict.large != nullptr && !dict.is_growing;
		ASSERT_EQ(size_t(599 - i), Walk().size());
	}
	EXPECT_TRUE(saw_growing);
	EXPECT_TRUE(saw_shrinking);
}

TEST_F(Dict, PutReplacesAnEqualField)
{
	std::string f = "f";
	std::string a = "a";
	std::string b = "bb";

	EXPECT_TRUE(leat_dict_put(&dict, env, leat_dict_node_alloc(env, Slice(f), Slice(a))));
	EXPECT_FALSE(leat_dict_put(&dict, env, leat_dict_node_alloc(env, Slice(f), Slice(b))));
	EXPECT_EQ("bb", Get("f"));
	EXPECT_EQ(1u, leat_dict_len(&dict));
	Fini();
}

TEST_F(Dict, OverwriteKeepsTheNode)
{
	std::string value = "1234";

	(void)Set("f", "abcd");
	leat_dict_node *node = leat_dict_find(&dict, env, LEAT_SLICE("f"));
	leat_dict_node_overwrite(node, Slice(value));
	EXPECT_EQ("1234", Get("f"));
	EXPECT_EQ(node, leat_dict_find(&dict, env, LEAT_SLICE("f")));
}

TEST_F(Dict, FiniStaysWithinItsBudget)
{
	// In the midst of a move, so that both tables are in use.
	int nb = 0;

	while (nb < 1000 || dict.large == nullptr)
		(void)Set(std::to_string(nb++), "value");
	unsigned int nb_rounds = 0;
	for (bool is_done = false; !is_done; nb_rounds++) {
		uint32_t budget = 10;

		ASSERT_LT(nb_rounds, 1000u);
		is_done = leat_dict_fini(&dict, env, &budget);
		EXPECT_TRUE(is_done || budget == 0);
	}
	EXPECT_GE(nb_rounds, nb / 10u);
	EXPECT_EQ(0u, leat_heap_used(env->heap));
}

TEST_F(Dict, RandomUseAgreesWithAMap)
{
	constexpr unsigned int kSeed = 77;
	std::mt19937 rng(kSeed);
	std::unordered_map<std::string, std::string> model;

	SCOPED_TRACE(kSeed);
	for (unsigned int step = 0; step < 200000; step++) {
		bool is_growing = step / 20000 % 2 == 0;
		std::string field = "f" + std::to_string(rng() % 8000);

		if (rng() % 4 < (is_growing ? 3u : 1u)) {
			std::string value(rng() % 60, static_cast<char>('a' + rng() % 26));

			ASSERT_EQ(model.count(field) == 0 ? 1 : 0, Set(field, value));
			model[field] = value;
		} else {
			ASSERT_EQ(model.erase(field) == 1, Remove(field));
		}
		field = "f" + std::to_string(rng() % 8000);
		auto it = model.find(field);
		ASSERT_EQ(it == model.end() ? "(none)" : it->second, Get(field)) << "step " << step;
		ASSERT_EQ(model.size(), leat_dict_len(&dict));
	}
	ASSERT_EQ(model.size(), Walk().size());
	EXPECT_TRUE(leat_heap_is_sound(env->heap));
	Fini();
}

} // namespace
