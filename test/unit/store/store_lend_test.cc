// SPDX-License-Identifier: BSD-3-Clause

// Strings that are lent stay as they are until the last reference is released.

#include "store_fixture.h"

namespace
{

class StoreLend : public Store
{
      protected:
	const std::string value = std::string(LEAT_WRITER_REF_MIN, 'v');

	// Lend the string of a key and keep it.
	leat_loan Keep(const std::string &key)
	{
		leat_loan loan = leat_store_lend(store, leat_store_string(Find(key)));

		loan.keeper->keep(loan.keeper, loan.bytes.data);
		return loan;
	}

	static void Release(const leat_loan &loan)
	{
		loan.keeper->release(loan.keeper, loan.bytes.data);
	}

	size_t Used() const
	{
		return leat_store_mem_used(store);
	}
};

TEST_F(StoreLend, WhatIsLentOutlivesItsKeyAndCountsAsUsed)
{
	size_t before = Used();
	ASSERT_EQ(0, Set("k", value));
	leat_loan loan = Keep("k");

	EXPECT_EQ(1u, leat_store_nb_lent(store));
	EXPECT_TRUE(Remove("k"));
	Run();
	EXPECT_GT(Used(), before + value.size());
	EXPECT_EQ(value, String(loan.bytes));
	Release(loan);
	EXPECT_EQ(0u, leat_store_nb_lent(store));
	EXPECT_EQ(before, Used());
}

TEST_F(StoreLend, WhatIsLentIsNotOverwritten)
{
	ASSERT_EQ(0, Set("k", value));
	leat_loan loan = Keep("k");

	ASSERT_EQ(0, Set("k", std::string(value.size(), 'w')));
	EXPECT_EQ(value, String(loan.bytes));
	EXPECT_EQ(std::string(value.size(), 'w'), Get("k"));
	Release(loan);
	EXPECT_EQ(std::string(value.size(), 'w'), Get("k"));
}

TEST_F(StoreLend, WhatWasReleasedIsOverwrittenInPlace)
{
	ASSERT_EQ(0, Set("k", value));
	Release(Keep("k"));
	const uint8_t *where = leat_store_string(Find("k")).data;

	ASSERT_EQ(0, Set("k", std::string(value.size(), 'w')));
	EXPECT_EQ(where, leat_store_string(Find("k")).data);
}

TEST_F(StoreLend, EachOfManyReferencesCounts)
{
	size_t before = Used();
	ASSERT_EQ(0, Set("k", value));
	leat_loan first = Keep("k");
	leat_loan second = Keep("k");

	EXPECT_TRUE(Remove("k"));
	Release(first);
	EXPECT_EQ(value, String(second.bytes));
	EXPECT_GT(Used(), before);
	Release(second);
	EXPECT_EQ(before, Used());
}

TEST_F(StoreLend, WhatIsLentOutlivesExpiryAndFlushAll)
{
	size_t before = Used();
	ASSERT_EQ(0, Set("expires", value, now_us + 1));
	ASSERT_EQ(0, Set("flushed", value));
	leat_loan expired = Keep("expires");
	leat_loan flushed = Keep("flushed");

	now_us += 2;
	Run();
	EXPECT_EQ("(none)", Get("expires"));
	leat_store_flush_all(store);
	Run();
	EXPECT_EQ(value, String(expired.bytes));
	EXPECT_EQ(value, String(flushed.bytes));
	Release(expired);
	Release(flushed);
	EXPECT_EQ(before, Used());
}

TEST_F(StoreLend, AValueThatBecomesAnotherTypeLives)
{
	ASSERT_EQ(0, Set("k", value));
	leat_loan loan = Keep("k");

	EXPECT_TRUE(Remove("k"));
	ASSERT_EQ(1, HashSet("k", { "f", "v" }));
	EXPECT_EQ(value, String(loan.bytes));
	Release(loan);
	EXPECT_EQ("v", HashGet("k", "f"));
}

TEST_F(StoreLend, AFullStoreRefusesWhatWouldNeedTheMemoryOfTheDead)
{
	const std::string large(conf.mem_len / 2, 'l');
	ASSERT_EQ(0, Set("k", large));
	leat_loan loan = Keep("k");

	EXPECT_EQ(-ENOMEM, Set("k", std::string(large.size(), 'm')));
	EXPECT_EQ(large, Get("k")) << "nothing changed";
	EXPECT_TRUE(Remove("k"));
	EXPECT_EQ(-ENOMEM, Set("k", large));
	Release(loan);
	EXPECT_EQ(0, Set("k", large));
}

TEST_F(StoreLend, TheOldStringOfASetMayBeLent)
{
	leat_slice old;
	const std::string next = "new";
	ASSERT_EQ(0, Set("k", value));
	size_t before = 0;

	ASSERT_EQ(0, leat_store_set_string(store, Slice("k"), nullptr, Slice(next),
			     LEAT_STORE_NO_EXPIRY, &old, now_us));
	leat_loan loan = leat_store_lend(store, old);
	loan.keeper->keep(loan.keeper, loan.bytes.data);
	Run(); // the store gives it up
	before = Used();
	EXPECT_EQ(value, String(loan.bytes));
	Release(loan);
	EXPECT_LT(Used() + value.size(), before);
}

TEST_F(StoreLend, StringsOnBothSidesOfTheLimitTakeEachOthersPlace)
{
	size_t before = Used();

	for (size_t len : { LEAT_WRITER_REF_MIN - 1, LEAT_WRITER_REF_MIN, LEAT_WRITER_REF_MIN - 1,
		     LEAT_WRITER_REF_MIN + 1, LEAT_WRITER_REF_MIN - 8, LEAT_WRITER_REF_MIN + 8 }) {
		const std::string s(len, (char)('a' + len % 26));

		ASSERT_EQ(0, Set("k", s));
		EXPECT_EQ(s, Get("k")) << len;
	}
	EXPECT_TRUE(Remove("k"));
	EXPECT_EQ(before, Used());
}

} // namespace
