// SPDX-License-Identifier: BSD-3-Clause

#include <set>

#include <gtest/gtest.h>

#include <leat_siphash.h>

namespace
{

// Key 00 01 .. 0f, as in the paper's appendix A.
constexpr leat_siphash_key kKey = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };

TEST(SipHash, EveryLengthAndEveryByteCounts)
{
	std::set<uint64_t> seen;
	uint8_t data[64] = {};

	for (size_t len = 0; len <= sizeof(data); len++)
		EXPECT_TRUE(seen.insert(leat_siphash(&kKey, data, len)).second) << len;
	for (size_t i = 0; i < sizeof(data); i++) {
		data[i] = 1;
		EXPECT_TRUE(seen.insert(leat_siphash(&kKey, data, sizeof(data))).second) << i;
		data[i] = 0;
	}
}

TEST(SipHash, BothHalvesOfTheKeyCount)
{
	leat_siphash_key other = kKey;
	uint64_t h = leat_siphash(&kKey, "leat", 4);

	other.k0 ^= 1;
	EXPECT_NE(h, leat_siphash(&other, "leat", 4));
	other = kKey;
	other.k1 ^= 1;
	EXPECT_NE(h, leat_siphash(&other, "leat", 4));
}

TEST(SipHash, TwelveBytesAreHashedAsAnyOther)
{
	const uint8_t data[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 0xf9, 0xfa, 0xfb, 0xfc };

	EXPECT_EQ(leat_siphash(&kKey, data, sizeof(data)),
		leat_siphash_12(&kKey, 0x0807060504030201u, 0xfcfbfaf9u));
}

TEST(SipHash, LowBitsSpreadOverSequentialKeys)
{
	unsigned int buckets[64] = {};

	for (uint32_t i = 0; i < 64 * 1000; i++)
		buckets[leat_siphash(&kKey, &i, sizeof(i)) % 64]++;
	for (unsigned int n : buckets) {
		EXPECT_GT(n, 850u);
		EXPECT_LT(n, 1150u);
	}
}

} // namespace
