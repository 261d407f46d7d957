// SPDX-License-Identifier: BSD-3-Clause

#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_store.h>

#include "store_support.h"

/** A shard of 1 MiB and 1,000 keys at the time of 1 s; the clock stands still. */
class Store : public testing::Test
{
      protected:
	leat_store_conf conf = { "test", -1, 1000, LEAT_STORE_MEM_LEN_MIN, { 11, 12 }, 1000000 };
	leat_store *store = nullptr;
	uint64_t now_us = 1000000;

	void SetUp() override
	{
		Open();
	}

	void TearDown() override
	{
		leat_store_close(store);
	}

	void Open()
	{
		leat_error error = {};

		leat_store_close(store);
		store = nullptr;
		ASSERT_EQ(0, leat_store_open(&conf, &store, &error)) << error.text;
	}

	leat_store_entry *Find(const std::string &key, leat_store_hint *hint = nullptr)
	{
		return leat_store_find(store, Slice(key), hint, now_us);
	}

	int Set(const std::string &key, const std::string &value,
		uint64_t expires_us = LEAT_STORE_NO_EXPIRY, leat_store_hint *hint = nullptr)
	{
		return leat_store_set_string(
			store, Slice(key), hint, Slice(value), expires_us, nullptr, now_us);
	}

	/** The string of a key, "(none)", or "(other)": another type. */
	std::string Get(const std::string &key, leat_store_hint *hint = nullptr)
	{
		leat_store_entry *entry = Find(key, hint);

		if (entry == nullptr)
			return "(none)";
		if (leat_store_entry_type(entry) != LEAT_STORE_STRING)
			return "(other)";
		return String(leat_store_string(entry));
	}

	bool Remove(const std::string &key, leat_store_hint *hint = nullptr)
	{
		return leat_store_remove(store, Slice(key), hint, now_us);
	}

	int64_t HashSet(const std::string &key, const std::vector<std::string> &pairs)
	{
		std::vector<leat_slice> slices;

		for (const std::string &s : pairs)
			slices.push_back(Slice(s));
		return leat_store_hash_set(store, Slice(key), nullptr, slices.data(),
			uint32_t(slices.size() / 2), now_us);
	}

	/** The value of a field, or "(none)". */
	std::string HashGet(const std::string &key, const std::string &field)
	{
		leat_store_entry *entry = Find(key);
		leat_slice value;

		if (entry == nullptr || !leat_store_hash_get(store, entry, Slice(field), &value))
			return "(none)";
		return String(value);
	}

	int ZsetAdd(const std::string &key, double score, const std::string &member)
	{
		leat_store_zset_counts counts;
		int ret = leat_store_zset_stage(store, score, Slice(member));

		if (ret < 0)
			return ret;
		return leat_store_zset_commit(store, Slice(key), nullptr, 0, &counts, now_us);
	}

	/** Let housekeeping run until there is nothing to do. */
	void Run()
	{
		while (leat_store_run(store, now_us) > 0)
			;
	}

	/** Fill the region with strings until not one byte more goes in; how many keys. */
	int Fill()
	{
		int nb = 0;

		for (size_t len = conf.mem_len / 4; len > 0; len /= 2) {
			while (Set("fill" + std::to_string(nb), std::string(len, 'f')) == 0)
				nb++;
		}
		while (Set("fill" + std::to_string(nb), "") == 0)
			nb++;
		return nb;
	}
};

#endif // STORE_FIXTURE_H
