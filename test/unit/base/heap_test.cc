// SPDX-License-Identifier: BSD-3-Clause

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <leat_heap.h>

namespace
{

constexpr size_t kMemLen = 1 << 20;

class Heap : public testing::Test
{
      protected:
	std::vector<uint8_t> mem = std::vector<uint8_t>(kMemLen);
	leat_heap *heap = leat_heap_init(mem.data(), mem.size());

	void TearDown() override
	{
		leat_heap_fini(heap);
	}
};

TEST_F(Heap, EmptyHeapIsOneFreeBlockThatCanBeTakenWhole)
{
	size_t len = leat_heap_len(heap) - 8;
	void *ptr = leat_heap_alloc(heap, len);

	ASSERT_NE(nullptr, ptr);
	EXPECT_EQ(leat_heap_len(heap), leat_heap_used(heap));
	EXPECT_EQ(len, leat_heap_block_len(ptr));
	EXPECT_EQ(nullptr, leat_heap_alloc(heap, 0));
	leat_heap_free(heap, ptr);
	EXPECT_EQ(0u, leat_heap_used(heap));
	EXPECT_EQ(nullptr, leat_heap_alloc(heap, len + 1));
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, ControlPartIsSmall)
{
	EXPECT_GE(leat_heap_len(heap), kMemLen - LEAT_HEAP_CONTROL_MAX);
}

TEST_F(Heap, PointersAreAlignedWhateverTheAlignmentOfTheMemory)
{
	for (size_t shift = 0; shift < LEAT_HEAP_ALIGN; shift++) {
		leat_heap_fini(heap);
		heap = leat_heap_init(mem.data() + shift, kMemLen - LEAT_HEAP_ALIGN);
		for (size_t len = 0; len < 100; len++) {
			auto *ptr = static_cast<uint8_t *>(leat_heap_alloc(heap, len));

			ASSERT_NE(nullptr, ptr);
			EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(ptr) % LEAT_HEAP_ALIGN);
			EXPECT_GE(leat_heap_block_len(ptr), len);
			EXPECT_LE(leat_heap_block_len(ptr), LEAT_MAX(len + 15, size_t{ 24 }));
			memset(ptr, 0xff, leat_heap_block_len(ptr));
		}
		EXPECT_TRUE(leat_heap_is_sound(heap));
	}
}

TEST_F(Heap, MemoryOutOfLimitsIsRefused)
{
	leat_heap_fini(heap);
	EXPECT_EQ(nullptr, leat_heap_init(mem.data(), LEAT_HEAP_LEN_MIN - 1));
	EXPECT_EQ(nullptr, leat_heap_init(mem.data(), LEAT_HEAP_LEN_MAX + 1));
	heap = leat_heap_init(mem.data(), LEAT_HEAP_LEN_MIN);
	EXPECT_NE(nullptr, heap);
}

TEST_F(Heap, LengthsThatWouldWrapAreRefused)
{
	void *ptr = leat_heap_alloc(heap, 1);

	for (size_t len : { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 31, size_t{ 1 } << 63 }) {
		EXPECT_EQ(nullptr, leat_heap_alloc(heap, len));
		EXPECT_EQ(nullptr, leat_heap_resize(heap, ptr, len));
	}
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, FreeingNullDoesNothing)
{
	leat_heap_free(heap, nullptr);
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, FreedNeighboursBecomeOneBlockInAnyOrder)
{
	size_t third = (leat_heap_len(heap) / 3 & ~size_t{ 15 }) - 8;
	int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
		{ 2, 1, 0 } };

	for (const auto &order : orders) {
		void *ptrs[3];

		for (void *&ptr : ptrs)
			ASSERT_NE(nullptr, ptr = leat_heap_alloc(heap, third));
		for (int i : order)
			leat_heap_free(heap, ptrs[i]);
		EXPECT_TRUE(leat_heap_is_sound(heap));
		void *whole = leat_heap_alloc(heap, leat_heap_len(heap) - 8);
		EXPECT_NE(nullptr, whole);
		leat_heap_free(heap, whole);
	}
}

TEST_F(Heap, ResizeGrowsInPlaceIntoFreeMemoryBehind)
{
	void *ptr = leat_heap_alloc(heap, 100);

	memset(ptr, 7, 100);
	EXPECT_EQ(ptr, leat_heap_resize(heap, ptr, kMemLen / 2));
	EXPECT_EQ(7, static_cast<uint8_t *>(ptr)[99]);
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, ResizeShrinksInPlaceAndGivesTheRestBack)
{
	void *ptr = leat_heap_alloc(heap, 100000);
	void *after = leat_heap_alloc(heap, 16);

	EXPECT_EQ(ptr, leat_heap_resize(heap, ptr, 1000));
	EXPECT_LT(leat_heap_block_len(ptr), 1016u);
	EXPECT_EQ(ptr, leat_heap_resize(heap, ptr, 99000)); // the rest is still behind it
	EXPECT_TRUE(leat_heap_is_sound(heap));
	leat_heap_free(heap, after);
}

TEST_F(Heap, ResizeMovesWhenTheNeighbourIsTaken)
{
	auto *ptr = static_cast<uint8_t *>(leat_heap_alloc(heap, 100));
	void *after = leat_heap_alloc(heap, 16);

	for (int i = 0; i < 100; i++)
		ptr[i] = static_cast<uint8_t>(i);
	auto *moved = static_cast<uint8_t *>(leat_heap_resize(heap, ptr, 5000));
	ASSERT_NE(nullptr, moved);
	EXPECT_NE(ptr, moved);
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(i, moved[i]);
	EXPECT_TRUE(leat_heap_is_sound(heap));
	leat_heap_free(heap, after);
}

TEST_F(Heap, ResizeWithoutRoomChangesNothing)
{
	auto *ptr = static_cast<uint8_t *>(leat_heap_alloc(heap, 1000));
	size_t used = leat_heap_used(heap);

	memset(ptr, 9, 1000);
	EXPECT_EQ(nullptr, leat_heap_resize(heap, ptr, kMemLen));
	EXPECT_EQ(used, leat_heap_used(heap));
	EXPECT_EQ(9, ptr[999]);
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, ResizeOfNullAllocates)
{
	EXPECT_NE(nullptr, leat_heap_resize(heap, nullptr, 10));
}

TEST_F(Heap, PassesOverAFreePieceOnlyIfItIsLessThanASixteenthLonger)
{
	// Free pieces apart from each other; the rest of the heap is taken.
	for (size_t len = 256; len < kMemLen / 8; len = len * 5 / 4) {
		leat_heap_fini(heap);
		heap = leat_heap_init(mem.data(), mem.size());
		void *piece = leat_heap_alloc(heap, len + len / 16 + 16);
		(void)leat_heap_alloc(heap, 1);
		while (leat_heap_alloc(heap, 1000) != nullptr ||
			leat_heap_alloc(heap, 0) != nullptr)
			;
		leat_heap_free(heap, piece);
		EXPECT_EQ(piece, leat_heap_alloc(heap, len)) << len;
	}
}

// What the heap must agree with: each block, its length and the byte it is filled with.
struct Shadow {
	struct Block {
		size_t len;
		uint8_t fill;
	};
	std::map<uint8_t *, Block> blocks;

	void Add(uint8_t *ptr, size_t len, uint8_t fill)
	{
		auto after = blocks.lower_bound(ptr);

		if (after != blocks.end()) {
			ASSERT_LE(ptr + len, after->first);
		}
		if (after != blocks.begin()) {
			--after;
			ASSERT_LE(after->first + after->second.len, ptr);
		}
		memset(ptr, fill, len);
		blocks[ptr] = { len, fill };
	}

	static void Check(const uint8_t *ptr, size_t len, uint8_t fill)
	{
		for (size_t i = 0; i < len; i++)
			ASSERT_EQ(fill, ptr[i]) << "byte " << i;
	}
};

TEST_F(Heap, RandomUseAgreesWithAShadow)
{
	constexpr unsigned int kSeed = 20261130;
	std::mt19937 rng(kSeed);
	Shadow shadow;
	unsigned int nb_full = 0;

	SCOPED_TRACE(kSeed);
	for (unsigned int step = 0; step < 200000; step++) {
		// Mostly short, sometimes long, so that the heap fills up and empties again.
		size_t len = rng() % (rng() % 16 == 0 ? 20000 : 300);
		auto fill = static_cast<uint8_t>(rng());
		bool is_growing = step / 5000 % 2 == 0;
		unsigned int what = rng() % 8;
		auto it = shadow.blocks.begin();

		if (!shadow.blocks.empty()) {
			it = shadow.blocks.lower_bound(mem.data() + rng() % kMemLen);
			if (it == shadow.blocks.end())
				it = shadow.blocks.begin();
		}
		if (shadow.blocks.empty() || what < (is_growing ? 5u : 2u)) {
			auto *ptr = static_cast<uint8_t *>(leat_heap_alloc(heap, len));

			if (ptr != nullptr)
				shadow.Add(ptr, len, fill);
			nb_full += ptr == nullptr;
		} else if (what == 7) {
			Shadow::Block old = it->second;
			uint8_t *ptr = it->first;
			auto *now = static_cast<uint8_t *>(leat_heap_resize(heap, ptr, len));

			if (now != nullptr) {
				Shadow::Check(now, LEAT_MIN(old.len, len), old.fill);
				shadow.blocks.erase(it);
				shadow.Add(now, len, fill);
			} else {
				ASSERT_GT(len, old.len);
			}
		} else {
			Shadow::Check(it->first, it->second.len, it->second.fill);
			leat_heap_free(heap, it->first);
			shadow.blocks.erase(it);
		}
		if (step % 64 == 0) {
			ASSERT_TRUE(leat_heap_is_sound(heap)) << "step " << step;
		}
		if (HasFatalFailure())
			FAIL() << "step " << step;
	}
	EXPECT_GT(nb_full, 100u); // else the test did not reach the border
	for (const auto &[ptr, block] : shadow.blocks)
		leat_heap_free(heap, ptr);
	EXPECT_EQ(0u, leat_heap_used(heap));
	EXPECT_TRUE(leat_heap_is_sound(heap));
}

TEST_F(Heap, DamagedHeaderIsNotSound)
{
	auto *ptr = static_cast<uint8_t *>(leat_heap_alloc(heap, 64));

	(void)leat_heap_alloc(heap, 64);
	ptr[-8] ^= 0x20;
	EXPECT_FALSE(leat_heap_is_sound(heap));
}

TEST_F(Heap, FreeingTwiceStops)
{
	void *ptr = leat_heap_alloc(heap, 64);

	(void)leat_heap_alloc(heap, 64); // so that the block is not joined and its header stays
	leat_heap_free(heap, ptr);
	EXPECT_DEATH(leat_heap_free(heap, ptr), "");
}

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
TEST_F(Heap, UseAfterFreeIsSeen)
{
	auto *ptr = static_cast<volatile uint8_t *>(leat_heap_alloc(heap, 100));

	ptr[50] = 1;
	leat_heap_free(heap, const_cast<uint8_t *>(ptr));
	EXPECT_DEATH(ptr[50] = 2, "use-after-poison");
}
#endif

} // namespace
