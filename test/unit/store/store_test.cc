// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <map>
#include <random>
#include <string>

#include "store_fixture.h"

namespace
{

TEST_F(Store, OpenRefusesWhatIsOutOfItsLimits)
{
	leat_store *other = nullptr;
	std::string name_max(LEAT_STORE_NAME_MAX, 'n');
	std::string name_over(LEAT_STORE_NAME_MAX + 1, 'n');
	leat_store_conf bad[6];

	for (leat_store_conf &c : bad) {
		c = conf;
		c.name = "other";
	}
	bad[0].name = nullptr;
	bad[1].name = "";
	bad[2].name = name_over.c_str();
	bad[3].nb_keys_max = LEAT_STORE_KEYS_MIN - 1;
	bad[4].nb_keys_max = LEAT_STORE_KEYS_MAX + 1;
	bad[5].mem_len = LEAT_STORE_MEM_LEN_MIN - 1;
	for (const leat_store_conf &c : bad) {
		leat_error error = {};

		EXPECT_EQ(-EINVAL, leat_store_open(&c, &other, &error));
		EXPECT_STRNE("", error.text);
		EXPECT_EQ(nullptr, other);
	}
	conf.name = name_max.c_str();
	conf.nb_keys_max = LEAT_STORE_KEYS_MIN;
	ASSERT_EQ(0, leat_store_open(&conf, &other, nullptr));
	leat_store_close(other);
}

TEST_F(Store, NameInUseIsRefused)
{
	leat_store *other = nullptr;
	leat_error error = {};

	EXPECT_EQ(-EEXIST, leat_store_open(&conf, &other, &error));
	EXPECT_EQ(nullptr, other);
	EXPECT_STRNE("", error.text);
}

TEST_F(Store, MemoryThatIsNotThereIsAnError)
{
	leat_store *other = nullptr;
	leat_error error = {};

	conf.name = "other";
	conf.mem_len = size_t{ 1 } << 38;
	EXPECT_EQ(-ENOMEM, leat_store_open(&conf, &other, &error));
	conf.mem_len = LEAT_STORE_MEM_LEN_MIN;
	conf.nb_keys_max = 1u << 29;
	leat_error index_error = {};
	EXPECT_EQ(-ENOMEM, leat_store_open(&conf, &other, &index_error));
	EXPECT_STRNE(error.text, index_error.text);
	EXPECT_EQ(nullptr, other);
}

TEST_F(Store, AStringMayComeInPieces)
{
	leat_slice pieces[] = { LEAT_SLICE("ab"), { nullptr, 0 }, LEAT_SLICE("cde") };

	EXPECT_EQ(0, leat_store_set_pieces(store, *pieces, nullptr, pieces, 3, now_us));
	EXPECT_EQ("abcde", Get("ab"));
	EXPECT_EQ(0, leat_store_set_pieces(store, *pieces, nullptr, pieces, 0, now_us));
	EXPECT_EQ("", Get("ab"));
}

TEST_F(Store, PiecesHaveOneLimitTogether)
{
	leat_slice pieces[] = { LEAT_SLICE("a"), { nullptr, LEAT_STORE_BYTES_MAX } };

	EXPECT_EQ(-EMSGSIZE, leat_store_set_pieces(store, *pieces, nullptr, pieces, 2, now_us));
	pieces[1].len = SIZE_MAX;
	EXPECT_EQ(-EMSGSIZE, leat_store_set_pieces(store, *pieces, nullptr, pieces, 2, now_us));
}

TEST_F(Store, SetThenGet)
{
	EXPECT_EQ("(none)", Get("k"));
	EXPECT_EQ(0, Set("k", "v"));
	EXPECT_EQ("v", Get("k"));
	EXPECT_EQ(1u, leat_store_nb_keys(store));
	EXPECT_EQ("k", String(leat_store_entry_key(Find("k"))));
}

TEST_F(Store, EmptyKeyAndEmptyValueAreKeyAndValue)
{
	EXPECT_EQ(0, leat_store_set_string(store, { nullptr, 0 }, nullptr, { nullptr, 0 },
			     LEAT_STORE_NO_EXPIRY, nullptr, now_us));
	EXPECT_EQ("", Get(""));
	EXPECT_EQ(1u, leat_store_nb_keys(store));
	EXPECT_TRUE(Remove(""));
}

TEST_F(Store, StringsOfAnyLengthTakeEachOthersPlace)
{
	for (size_t len : { 3u, 3u, 4u, 0u, 100000u, 99990u, 7u, 500000u, 1u }) {
		EXPECT_EQ(0, Set("k", std::string(len, 'x')));
		EXPECT_EQ(std::string(len, 'x'), Get("k"));
	}
	EXPECT_EQ(1u, leat_store_nb_keys(store));
}

TEST_F(Store, OldStringStaysReadable)
{
	leat_slice old;
	std::string k = "k";
	std::string v = "new";

	for (const std::string was : { "", "old", "longer than the new one" }) {
		(void)Set("k", was);
		ASSERT_EQ(0, leat_store_set_string(store, Slice(k), nullptr, Slice(v),
				     LEAT_STORE_NO_EXPIRY, &old, now_us));
		EXPECT_NE(nullptr, old.data);
		EXPECT_EQ(was, String(old));
		EXPECT_EQ("new", Get("k"));
	}
	ASSERT_EQ(0, leat_store_set_string(store, LEAT_SLICE("other"), nullptr, Slice(v),
			     LEAT_STORE_NO_EXPIRY, &old, now_us));
	EXPECT_EQ(nullptr, old.data);
	(void)HashSet("h", { "f", "v" });
	ASSERT_EQ(0, leat_store_set_string(store, LEAT_SLICE("h"), nullptr, Slice(v),
			     LEAT_STORE_NO_EXPIRY, &old, now_us));
	EXPECT_EQ(nullptr, old.data);
}

TEST_F(Store, OldStringIsFreedByTheNextOperation)
{
	leat_slice old;
	std::string v = "v";

	(void)Set("k", std::string(100000, 'x'));
	ASSERT_EQ(0, leat_store_set_string(store, LEAT_SLICE("k"), nullptr, Slice(v),
			     LEAT_STORE_NO_EXPIRY, &old, now_us));
	EXPECT_GT(leat_store_mem_used(store), 100000u);
	(void)leat_store_run(store, now_us);
	EXPECT_LT(leat_store_mem_used(store), 1000u);
}

TEST_F(Store, RemoveTellsWhetherTheKeyWasThere)
{
	EXPECT_FALSE(Remove("k"));
	(void)Set("k", "v");
	EXPECT_TRUE(Remove("k"));
	EXPECT_FALSE(Remove("k"));
	EXPECT_EQ("(none)", Get("k"));
	EXPECT_EQ(0u, leat_store_nb_keys(store));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(Store, BytesOverTheLimitAreRefused)
{
	std::string s = "x";
	leat_slice over = { Slice(s).data, size_t{ LEAT_STORE_BYTES_MAX } + 1 }; // never read
	leat_slice pairs[][2] = { { over, Slice(s) }, { Slice(s), over } };

	EXPECT_EQ(-EMSGSIZE, leat_store_set_string(store, over, nullptr, Slice(s),
				     LEAT_STORE_NO_EXPIRY, nullptr, now_us));
	EXPECT_EQ(-EMSGSIZE, leat_store_set_string(store, Slice(s), nullptr, over,
				     LEAT_STORE_NO_EXPIRY, nullptr, now_us));
	for (auto &pair : pairs)
		EXPECT_EQ(
			-EMSGSIZE, leat_store_hash_set(store, Slice(s), nullptr, pair, 1, now_us));
	EXPECT_EQ(-EMSGSIZE, leat_store_zset_stage(store, 1, over));
	EXPECT_EQ(0u, leat_store_nb_keys(store));
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(Store, ValueOfTheLimitIsRefusedOnlyForLackOfMemory)
{
	std::string s = "x";
	leat_slice limit = { Slice(s).data, LEAT_STORE_BYTES_MAX }; // never read

	EXPECT_EQ(-ENOMEM, leat_store_set_string(store, Slice(s), nullptr, limit,
				   LEAT_STORE_NO_EXPIRY, nullptr, now_us));
}

TEST_F(Store, ValueOfSixteenMebibytes)
{
	std::string value(16 << 20, 'v');

	conf.mem_len = 40 << 20;
	Open();
	EXPECT_EQ(0, Set("k", value));
	EXPECT_EQ(value, Get("k"));
}

// Each operation on a full region: its errno, and nothing has changed.
TEST_F(Store, FullRegionChangesNothing)
{
	leat_store_zset_counts counts;
	leat_slice old;
	std::string long_value(1000, 'v');
	std::string long_field(1000, 'f');

	(void)Set("s", "old");
	(void)HashSet("h", { "f", "old" });
	(void)ZsetAdd("z", 1, "m");
	int nb_fill = Fill();
	size_t used = leat_store_mem_used(store);
	uint32_t nb_keys = leat_store_nb_keys(store);

	EXPECT_EQ(-ENOMEM, Set("new", ""));
	EXPECT_EQ(-ENOMEM, Set("s", long_value));
	EXPECT_EQ(-ENOMEM, Set("s", "x", now_us + 1)); // no room for the expiry
	EXPECT_EQ(-ENOMEM, leat_store_set_string(store, LEAT_SLICE("s"), nullptr, Slice(long_value),
				   LEAT_STORE_NO_EXPIRY, &old, now_us));
	EXPECT_EQ(nullptr, old.data);
	EXPECT_EQ(-ENOMEM, leat_store_expire(store, Find("s"), now_us + 1));
	EXPECT_EQ(-ENOMEM, HashSet("h", { "f", long_value }));
	EXPECT_EQ(-ENOMEM, HashSet("h", { long_field, "x" }));
	EXPECT_EQ(-ENOMEM, HashSet("new", { "f", "x" }));
	EXPECT_EQ(-ENOMEM, leat_store_zset_stage(store, 1, Slice(long_field)));

	EXPECT_EQ(used, leat_store_mem_used(store));
	EXPECT_EQ(nb_keys, leat_store_nb_keys(store));
	EXPECT_EQ(0u, leat_store_nb_expiring(store));
	EXPECT_EQ("old", Get("s"));
	EXPECT_EQ("old", HashGet("h", "f"));
	EXPECT_EQ(1u, leat_dict_len(leat_store_dict(Find("h"))));
	EXPECT_EQ("(none)", Get("new"));

	for (int i = 0; i < nb_fill; i++) // and all of it comes back
		EXPECT_TRUE(Remove("fill" + std::to_string(i)));
	EXPECT_EQ(0, leat_store_zset_stage(store, 1, Slice(long_field)));
	EXPECT_EQ(0, leat_store_zset_commit(store, LEAT_SLICE("z"), nullptr, 0, &counts, now_us));
	EXPECT_TRUE(Remove("s"));
	EXPECT_TRUE(Remove("h"));
	EXPECT_TRUE(Remove("z"));
	Run();
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

// Leave a hole of each length: every allocation of each operation fails once.
TEST_F(Store, EveryPointOfFailureChangesNothing)
{
	std::string value(200, 'v');
	std::string member(200, 'm');
	leat_slice pairs[] = { Slice(value), Slice(value), Slice(member), Slice(member) };
	leat_store_zset_counts counts;
	unsigned int nb_failed = 0;
	int nb_done = 0;

	(void)Set("hole", "");
	for (size_t len = 0; nb_done < 4; len += 16) {
		ASSERT_LT(len, 4096u);
		for (int op = 0; op < 4; op++) {
			leat_store_flush_all(store);
			Run();
			ASSERT_EQ(0u, leat_store_mem_used(store));
			ASSERT_EQ(0, Set("hole", std::string(len, 'h')));
			(void)Fill();
			ASSERT_TRUE(Remove("hole"));
			size_t used = leat_store_mem_used(store);
			uint32_t nb_keys = leat_store_nb_keys(store);
			int64_t ret = 0;

			switch (op) {
			case 0:
				ret = Set("new", value);
				break;
			case 1:
				ret = Set("new", value, now_us + 1);
				break;
			case 2:
				ret = leat_store_hash_set(
					store, LEAT_SLICE("new"), nullptr, pairs, 2, now_us);
				break;
			default:
				ret = leat_store_zset_stage(store, 1, Slice(member));
				if (ret == 0)
					ret = leat_store_zset_stage(store, 1, Slice(value));
				if (ret == 0)
					ret = leat_store_zset_commit(store, LEAT_SLICE("new"),
						nullptr, 0, &counts, now_us);
			}
			if (ret >= 0) {
				nb_done += len > 2000;
				EXPECT_EQ(nb_keys + 1, leat_store_nb_keys(store));
				continue;
			}
			nb_failed++;
			Run();
			EXPECT_EQ(-ENOMEM, ret);
			EXPECT_EQ(used, leat_store_mem_used(store)) << op << " with " << len;
			EXPECT_EQ(nb_keys, leat_store_nb_keys(store));
			EXPECT_EQ("(none)", Get("new"));
			EXPECT_EQ(0u, leat_store_nb_expiring(store));
		}
	}
	EXPECT_GT(nb_failed, 60u);
}

TEST_F(Store, FullIndexIsNoMemoryAndTakesExactlyItsKeys)
{
	for (uint32_t i = 0; i < conf.nb_keys_max; i++)
		ASSERT_EQ(0, Set(std::to_string(i), "v")) << i;
	size_t used = leat_store_mem_used(store);

	EXPECT_EQ(-ENOMEM, Set("over", "v"));
	EXPECT_EQ(-ENOMEM, Set("over", "v", now_us + 1));
	EXPECT_EQ(-ENOMEM, HashSet("over", { "f", "v" }));
	EXPECT_EQ(-ENOMEM, ZsetAdd("over", 1, "m"));
	Run();
	EXPECT_EQ(used, leat_store_mem_used(store));
	EXPECT_EQ(conf.nb_keys_max, leat_store_nb_keys(store));
	EXPECT_EQ(0, Set("7", "a key that is there can be set"));
	EXPECT_TRUE(Remove("7"));
	EXPECT_EQ(0, Set("over", "v"));
}

TEST_F(Store, FlushAllIsEmptyAtOnceAndFreesInBoundedSteps)
{
	for (int i = 0; i < 900; i++)
		(void)Set(
			std::to_string(i), "v", i % 2 == 0 ? now_us + 1000 : LEAT_STORE_NO_EXPIRY);
	size_t used = leat_store_mem_used(store);

	leat_store_flush_all(store);
	EXPECT_EQ(0u, leat_store_nb_keys(store));
	EXPECT_EQ(0u, leat_store_nb_expiring(store));
	EXPECT_EQ("(none)", Get("1"));
	EXPECT_EQ(used, leat_store_mem_used(store));
	EXPECT_EQ(0u, leat_store_next_us(store));
	EXPECT_EQ(LEAT_STORE_FREE_MAX, leat_store_run(store, now_us));
	EXPECT_GT(leat_store_mem_used(store), used / 2);
	Run();
	EXPECT_EQ(0u, leat_store_mem_used(store));
	EXPECT_EQ(LEAT_STORE_NO_EXPIRY, leat_store_next_us(store));
}

TEST_F(Store, KeysSetAfterFlushAllAreNotTouchedByWhatIsFreed)
{
	for (int i = 0; i < 900; i++)
		(void)Set(std::to_string(i), "old", now_us + 1000);
	leat_store_flush_all(store);
	for (int i = 0; i < 900; i += 3)
		EXPECT_EQ(0, Set(std::to_string(i), "new"));
	EXPECT_EQ(300u, leat_store_nb_keys(store));
	now_us += 10000; // the timers of the dropped keys are due
	Run();
	for (int i = 0; i < 900; i++)
		EXPECT_EQ(i % 3 == 0 ? "new" : "(none)", Get(std::to_string(i)));
	EXPECT_EQ(300u, leat_store_nb_keys(store));
}

TEST_F(Store, FullStoreTakesKeysRightAfterFlushAll)
{
	for (uint32_t i = 0; i < conf.nb_keys_max; i++)
		(void)Set(std::to_string(i), "v");
	leat_store_flush_all(store);
	EXPECT_EQ(0, Set("new", "v"));
	leat_store_flush_all(store);
	Run();
	(void)Fill();
	leat_store_flush_all(store);
	EXPECT_EQ(0, Set("new", std::string(conf.mem_len / 2, 'v')));
	leat_store_flush_all(store);
	leat_store_flush_all(store);
	EXPECT_EQ(0u, leat_store_nb_keys(store));
	Run();
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

TEST_F(Store, EqualSignatureIsNeverAHit)
{
	leat_store_hint hint = {};
	constexpr int kNbKeys = 40; // far more than two buckets hold

	hint.is_hashed = true;
	hint.hash = 0xdeadbeef;
	for (int i = 0; i < kNbKeys; i++) {
		std::string key = "key " + std::to_string(i);
		leat_store_hint h = hint;

		EXPECT_EQ("(none)", Get(key, &h));
		h = hint;
		EXPECT_EQ(0, Set(key, "value " + std::to_string(i), LEAT_STORE_NO_EXPIRY, &h));
	}
	EXPECT_EQ(uint32_t{ kNbKeys }, leat_store_nb_keys(store));
	for (int i = 0; i < kNbKeys; i++) {
		leat_store_hint h = hint;

		EXPECT_EQ("value " + std::to_string(i), Get("key " + std::to_string(i), &h));
	}
	for (int i = 0; i < kNbKeys; i += 2) {
		leat_store_hint h = hint;

		EXPECT_TRUE(Remove("key " + std::to_string(i), &h));
	}
	for (int i = 0; i < kNbKeys; i++) {
		leat_store_hint h = hint;

		EXPECT_EQ(i % 2 == 0 ? "(none)" : "value " + std::to_string(i),
			Get("key " + std::to_string(i), &h));
	}
}

TEST_F(Store, EqualSignatureIsNeverAHitInBulk)
{
	std::vector<std::string> keys;
	std::vector<leat_slice> slices;
	std::vector<leat_store_hint> hints(LEAT_STORE_BULK_MAX);
	std::vector<leat_store_hint *> pointers;

	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i++)
		keys.push_back("key " + std::to_string(i));
	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i++) {
		hints[i].is_hashed = true;
		hints[i].hash = 0xdeadbeef;
		slices.push_back(Slice(keys[i]));
		pointers.push_back(&hints[i]);
		leat_store_hint hint = hints[i];
		if (i % 2 == 0) {
			ASSERT_EQ(0, Set(keys[i], keys[i], LEAT_STORE_NO_EXPIRY, &hint));
		}
	}
	leat_store_look_up(store, slices.data(), pointers.data(), LEAT_STORE_BULK_MAX);
	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i++) {
		if (i % 2 == 0) {
			ASSERT_NE(nullptr, hints[i].entry);
			EXPECT_EQ(keys[i], String(leat_store_entry_key(hints[i].entry)));
		} else {
			EXPECT_EQ(nullptr, hints[i].entry);
		}
	}
}

TEST_F(Store, HashDependsOnTheSeed)
{
	leat_store_hint a = {};
	leat_store_hint b = {};

	leat_store_hash(store, LEAT_SLICE("key"), &a);
	conf.seed[1]++;
	Open();
	leat_store_hash(store, LEAT_SLICE("key"), &b);
	EXPECT_NE(a.hash, b.hash);
}

TEST_F(Store, BulkLookupTellsWhatSingleOnesTell)
{
	std::vector<std::string> keys;
	std::vector<leat_slice> slices;
	std::vector<leat_store_hint> hints(LEAT_STORE_BULK_MAX);
	std::vector<leat_store_hint *> pointers;

	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i++) {
		keys.push_back(std::string(i % 20, 'k') + std::to_string(i / 2)); // some twice
		if (i % 3 != 0)
			(void)Set(keys.back(), std::to_string(i));
	}
	leat_store_flush_all(store); // half freed
	(void)leat_store_run(store, now_us);
	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i += 5)
		(void)Set(keys[i], "again");
	for (uint32_t i = 0; i < LEAT_STORE_BULK_MAX; i++) {
		slices.push_back(Slice(keys[i]));
		pointers.push_back(&hints[i]);
		leat_store_hash(store, slices[i], &hints[i]);
	}
	for (uint32_t nb : { 1u, 2u, 7u, 8u, 31u, LEAT_STORE_BULK_MAX }) {
		leat_store_look_up(store, slices.data(), pointers.data(), nb);
		for (uint32_t i = 0; i < nb; i++) {
			EXPECT_TRUE(hints[i].is_looked_up);
			EXPECT_EQ(Find(keys[i]), hints[i].entry) << keys[i];
		}
	}
}

TEST_F(Store, BulkLookupSeesNoDroppedKey)
{
	leat_slice key = LEAT_SLICE("k");
	leat_store_hint hint = {};
	leat_store_hint *pointer = &hint;

	(void)Set("k", "v");
	leat_store_flush_all(store);
	leat_store_hash(store, key, &hint);
	leat_store_look_up(store, &key, &pointer, 1);
	EXPECT_EQ(nullptr, hint.entry);
}

TEST_F(Store, HitGoesStaleWhenTheKeyIsRemoved)
{
	leat_store_hint hint = {};

	(void)Set("k", "v");
	ASSERT_NE(nullptr, Find("k", &hint));
	ASSERT_TRUE(Remove("k"));
	EXPECT_EQ(nullptr, Find("k", &hint));
	(void)Set("k", "second life");
	EXPECT_EQ("second life", Get("k", &hint));
}

TEST_F(Store, MissGoesStaleWhenTheKeyIsAdded)
{
	leat_store_hint hint = {};

	ASSERT_EQ(nullptr, Find("k", &hint));
	(void)Set("k", "v");
	EXPECT_EQ("v", Get("k", &hint));
}

TEST_F(Store, HitGoesStaleWithFlushAllAndExpiry)
{
	leat_store_hint hint = {};

	(void)Set("k", "v");
	ASSERT_NE(nullptr, Find("k", &hint));
	leat_store_flush_all(store);
	EXPECT_EQ(nullptr, Find("k", &hint));
	(void)Set("k", "v", now_us + 10, &hint);
	ASSERT_NE(nullptr, Find("k", &hint));
	now_us += 10;
	EXPECT_EQ(nullptr, Find("k", &hint));
	(void)Set("k", "v", now_us + 10, &hint);
	ASSERT_NE(nullptr, Find("k", &hint));
	now_us += 1000;
	EXPECT_GT(leat_store_run(store, now_us), 0u);
	EXPECT_EQ(nullptr, Find("k", &hint));
}

TEST_F(Store, HintsThatHoldNeedNoLookup)
{
	leat_store_hint hit = {};
	leat_store_hint miss = {};

	(void)Set("k", "v");
	leat_store_entry *entry = Find("k", &hit);
	(void)Find("none", &miss);
	// A signature that would find nothing, or the other key: it is not used.
	hit.hash++;
	leat_store_hint of_k = {};
	leat_store_hash(store, LEAT_SLICE("k"), &of_k);
	miss.hash = of_k.hash;
	(void)Set("another", "v"); // an added key leaves a hit valid
	EXPECT_EQ(entry, Find("k", &hit));
	(void)Find("none 2", &miss);
	EXPECT_TRUE(Remove("another"));
	EXPECT_EQ(nullptr, Find("k", &hit)); // asked again, with the false signature
}

TEST_F(Store, RandomUseAgreesWithAMap)
{
	constexpr unsigned int kSeed = 99;
	std::mt19937 rng(kSeed);
	std::map<std::string, std::pair<std::string, uint64_t>> model;

	SCOPED_TRACE(kSeed);
	for (unsigned int step = 0; step < 100000; step++) {
		std::string key = "k" + std::to_string(rng() % 1500);
		leat_store_hint hint = {};
		unsigned int what = rng() % 16;

		now_us += rng() % 50;
		auto it = model.find(key);
		if (it != model.end() && it->second.second <= now_us) {
			model.erase(it);
			it = model.end();
		}
		if (rng() % 2 == 0)
			(void)Find(key, &hint);
		if (what < 8) {
			std::string value(rng() % 300, static_cast<char>('a' + rng() % 26));
			uint64_t expires_us =
				rng() % 2 == 0 ? LEAT_STORE_NO_EXPIRY : now_us + 1 + rng() % 20000;

			if (Set(key, value, expires_us, &hint) == 0)
				model[key] = { value, expires_us };
		} else if (what < 10) {
			ASSERT_EQ(it != model.end(), Remove(key, &hint));
			model.erase(key);
		} else if (what == 10 && rng() % 500 == 0) {
			leat_store_flush_all(store);
			model.clear();
		} else if (what == 11) {
			(void)leat_store_run(store, now_us);
		} else {
			ASSERT_EQ(it == model.end() ? "(none)" : it->second.first, Get(key, &hint))
				<< "step " << step;
		}
	}
	leat_store_flush_all(store);
	Run();
	EXPECT_EQ(0u, leat_store_mem_used(store));
}

} // namespace
