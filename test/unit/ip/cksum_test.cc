// SPDX-License-Identifier: BSD-3-Clause

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <leat_cksum.h>

namespace
{

// The definition, two bytes at a time.
uint16_t
SlowSum(const std::vector<uint8_t> &bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bytes.size(); i++) {
		sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

std::vector<uint8_t>
RandomBytes(size_t len, uint32_t seed)
{
	std::mt19937 rng(seed);
	std::vector<uint8_t> bytes(len);

	for (auto &b : bytes)
		b = (uint8_t)rng();
	return bytes;
}

uint16_t
Sum(const std::vector<uint8_t> &bytes)
{
	leat_cksum cksum = {};

	leat_cksum_add(&cksum, bytes.data(), bytes.size());
	return leat_cksum_fold(&cksum);
}

// RFC 1071 section 3, the numerical example.
TEST(Cksum, ExampleOfTheRfc)
{
	EXPECT_EQ(0xddf2, Sum({ 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 }));
}

TEST(Cksum, EmptySumIsZeroAndItsChecksumAllOnes)
{
	leat_cksum cksum = {};

	leat_cksum_add(&cksum, nullptr, 0);
	EXPECT_EQ(0, leat_cksum_fold(&cksum));
	EXPECT_EQ(0xffff, leat_cksum_value(&cksum));
}

TEST(Cksum, EveryLengthUpTo300)
{
	for (size_t len = 0; len <= 300; len++) {
		std::vector<uint8_t> bytes = RandomBytes(len, (uint32_t)len);

		EXPECT_EQ(SlowSum(bytes), Sum(bytes)) << len;
	}
}

TEST(Cksum, LargestPacketOfAllOnesLosesNoCarry)
{
	std::vector<uint8_t> bytes(65535, 0xff);

	EXPECT_EQ(SlowSum(bytes), Sum(bytes));
}

TEST(Cksum, EveryAlignment)
{
	std::vector<uint8_t> bytes = RandomBytes(64, 1);

	for (size_t off = 0; off < 8; off++) {
		leat_cksum cksum = {};

		leat_cksum_add(&cksum, bytes.data() + off, 40);
		EXPECT_EQ(SlowSum({ bytes.begin() + off, bytes.begin() + off + 40 }),
			leat_cksum_fold(&cksum));
	}
}

// RFC 1071 section 2 (B): pieces of odd length, the trap of odd mbuf segments.
TEST(Cksum, AnySplitIntoThreePiecesGivesTheSameSum)
{
	std::vector<uint8_t> bytes = RandomBytes(37, 2);
	uint16_t whole = SlowSum(bytes);

	for (size_t a = 0; a <= bytes.size(); a++) {
		for (size_t b = a; b <= bytes.size(); b++) {
			leat_cksum cksum = {};

			leat_cksum_add(&cksum, bytes.data(), a);
			leat_cksum_add(&cksum, bytes.data() + a, b - a);
			leat_cksum_add(&cksum, bytes.data() + b, bytes.size() - b);
			EXPECT_EQ(whole, leat_cksum_fold(&cksum)) << a << " " << b;
		}
	}
}

// RFC 9293 section 3.1: source, destination, zero and protocol, TCP length.
TEST(Cksum, PseudoHeaderEqualsItsTwelveBytes)
{
	leat_cksum cksum = {};

	leat_cksum_add_ipv4_pseudo(&cksum, 0xc0a8fffe, 0xfffefdfc, 6, 65515);
	EXPECT_EQ(SlowSum({ 0xc0, 0xa8, 0xff, 0xfe, 0xff, 0xfe, 0xfd, 0xfc, 0, 6, 0xff, 0xeb }),
		leat_cksum_fold(&cksum));
}

TEST(Cksum, MessageWithItsChecksumIsGoodAndNoLongerAfterOneBit)
{
	std::vector<uint8_t> bytes = RandomBytes(40, 3);
	leat_cksum cksum = {};

	bytes[16] = bytes[17] = 0;
	leat_cksum_add(&cksum, bytes.data(), bytes.size());
	bytes[16] = (uint8_t)(leat_cksum_value(&cksum) >> 8);
	bytes[17] = (uint8_t)leat_cksum_value(&cksum);
	EXPECT_EQ(0xffff, Sum(bytes));
	for (size_t bit = 0; bit < bytes.size() * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		EXPECT_NE(0xffff, Sum(bytes)) << bit;
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

} // namespace
