// SPDX-License-Identifier: BSD-3-Clause

// The builder's room and its limits; what it writes is in zap_golden_test.cc.

#include <cerrno>

#include <gtest/gtest.h>

#include <leat_zap_builder.h>

#include "golden.h"

using golden::String;

namespace
{

// A message that uses every call, in room of some size.
ssize_t
BuildAll(uint8_t *room, size_t cap)
{
	leat_zap_builder b;

	leat_zap_build(&b, room, cap);
	leat_zap_set_version(&b, 2);
	leat_zap_set_flags(&b, 0x0100);
	EXPECT_EQ(0u, leat_zap_put_raw(&b, LEAT_SLICE("")));
	(void)leat_zap_put_raw(&b, LEAT_SLICE("raw"));
	leat_zap_items items = leat_zap_start_list(&b);
	leat_zap_add_u8(&b, &items, 1);
	leat_zap_add_u32(&b, &items, 2);
	leat_zap_add_u64(&b, &items, 3);
	leat_zap_add_raw(&b, &items, LEAT_SLICE("ab"));
	leat_zap_add_entry(&b, &items, LEAT_SLICE("entry"));
	leat_zap_place inside = leat_zap_add_object(&b, &items, 8);
	leat_zap_place object = leat_zap_start_object(&b, 40);
	leat_zap_set_bytes(&b, inside, 0, LEAT_SLICE("tail of an element"));
	leat_zap_set_u8(&b, object, 0, 1);
	leat_zap_set_u16(&b, object, 2, 2);
	leat_zap_set_u32(&b, object, 4, 3);
	leat_zap_set_u64(&b, object, 8, 4);
	leat_zap_set_fixed(&b, object, 16, LEAT_SLICE("four"));
	leat_zap_set_bytes(&b, object, 20, LEAT_SLICE("text"));
	leat_zap_set_object(&b, object, 28, inside);
	leat_zap_set_list(&b, object, 32, items);
	leat_zap_finish_object(&b, inside);
	leat_zap_finish_root(&b, object);
	return leat_zap_finish(&b);
}

} // namespace

TEST(ZapBuilder, AMessageThatFitsExactlyIsBuilt)
{
	uint8_t room[1024];
	ssize_t len = BuildAll(room, sizeof(room));

	ASSERT_GT(len, 0);
	std::unique_ptr<uint8_t[]> exact(new uint8_t[(size_t)len]);
	EXPECT_EQ(len, BuildAll(exact.get(), (size_t)len));
	EXPECT_EQ(0, memcmp(room, exact.get(), (size_t)len));
}

TEST(ZapBuilder, EveryRoomThatIsTooSmallIsFull)
{
	uint8_t room[1024];
	ssize_t whole = BuildAll(room, sizeof(room));

	for (ssize_t len = 0; len < whole; len++) {
		std::unique_ptr<uint8_t[]> exact(new uint8_t[(size_t)len]);

		EXPECT_EQ(-ENOBUFS, BuildAll(exact.get(), (size_t)len)) << len;
	}
}

TEST(ZapBuilder, WhatWasBuiltIsRead)
{
	uint8_t room[1024];
	ssize_t len = BuildAll(room, sizeof(room));
	leat_zap_message msg;

	ASSERT_EQ(0, leat_zap_parse({ room, (size_t)len }, &msg));
	EXPECT_EQ(2, msg.version);
	EXPECT_EQ(0x0100, msg.flags);
	leat_zap_object root = leat_zap_root(&msg);
	EXPECT_EQ(1, leat_zap_get_u8(root, 0));
	EXPECT_EQ(2, leat_zap_get_u16(root, 2));
	EXPECT_EQ(3u, leat_zap_get_u32(root, 4));
	EXPECT_EQ(4u, leat_zap_get_u64(root, 8));
	EXPECT_EQ("four", String(leat_zap_get_fixed(root, 16, 4)));
	EXPECT_EQ("text", String(leat_zap_get_bytes(root, 20)));
	EXPECT_EQ(
		"tail of an element", String(leat_zap_get_bytes(leat_zap_get_object(root, 28), 0)));
	EXPECT_EQ(7u, leat_zap_get_list(root, 32).count);
}

TEST(ZapBuilder, RawBytesTellWhereTheyStand)
{
	uint8_t room[64];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	EXPECT_EQ(16u, leat_zap_put_raw(&b, LEAT_SLICE("ninebytes")));
	EXPECT_EQ(0u, leat_zap_put_raw(&b, LEAT_SLICE("")));
	EXPECT_EQ(32u, leat_zap_put_raw(&b, LEAT_SLICE("x")));
	leat_zap_finish_root(&b, leat_zap_start_object(&b, 0));
	ASSERT_EQ(40, leat_zap_finish(&b));
	EXPECT_EQ(std::string("ninebytes\0\0\0\0\0\0\0x\0\0\0\0\0\0\0", 24),
		std::string((const char *)room + 16, 24));
}

// Whatever the room held: what is not set is zero.
TEST(ZapBuilder, ObjectsAreZeroAtFirst)
{
	uint8_t room[64];
	leat_zap_builder b;

	memset(room, 0xff, sizeof(room));
	leat_zap_build(&b, room, sizeof(room));
	leat_zap_items items = leat_zap_start_list(&b);
	leat_zap_add_u8(&b, &items, 1);
	(void)leat_zap_add_object(&b, &items, 8);
	leat_zap_finish_root(&b, leat_zap_start_object(&b, 5));
	ASSERT_EQ(37, leat_zap_finish(&b));
	EXPECT_EQ(std::string("\1", 1) + std::string(20, '\0'),
		std::string((const char *)room + 16, 21));
}

TEST(ZapBuilder, EmptyValuesAreNull)
{
	uint8_t room[64];
	leat_zap_builder b;
	leat_zap_items none = { 16, 0 };

	leat_zap_build(&b, room, sizeof(room));
	leat_zap_place object = leat_zap_start_object(&b, 24);
	leat_zap_set_u64(&b, object, 0, UINT64_MAX);
	leat_zap_set_bytes(&b, object, 0, LEAT_SLICE(""));
	leat_zap_set_u64(&b, object, 8, UINT64_MAX);
	leat_zap_set_list(&b, object, 8, none);
	leat_zap_set_u32(&b, object, 16, UINT32_MAX);
	leat_zap_set_object(&b, object, 16, { 0, 0 });
	leat_zap_set_fixed(&b, object, 20, LEAT_SLICE(""));
	leat_zap_finish_root(&b, object);
	ASSERT_EQ(40, leat_zap_finish(&b));
	EXPECT_EQ(std::string(24, '\0'), std::string((const char *)room + 16, 24));
}

namespace
{

ssize_t
BuildTails(unsigned int nb_tails)
{
	static uint8_t room[4096];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	leat_zap_place object = leat_zap_start_object(&b, 8 * nb_tails);
	for (unsigned int i = 0; i < nb_tails; i++)
		leat_zap_set_bytes(&b, object, 8 * i, LEAT_SLICE("x"));
	leat_zap_finish_root(&b, object);
	return leat_zap_finish(&b);
}

} // namespace

TEST(ZapBuilder, AsManyTailsAsTheLimitWaitAndOneMoreIsTooMany)
{
	EXPECT_EQ(16 + 9 * (ssize_t)LEAT_ZAP_TAILS_MAX, BuildTails(LEAT_ZAP_TAILS_MAX));
	EXPECT_EQ(-E2BIG, BuildTails(LEAT_ZAP_TAILS_MAX + 1));
}

TEST(ZapBuilder, TailsThatWereWrittenWaitNoMore)
{
	static uint8_t room[8192];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	for (unsigned int i = 0; i < 2 * LEAT_ZAP_TAILS_MAX; i++) {
		leat_zap_place object = leat_zap_start_object(&b, 8);

		leat_zap_set_bytes(&b, object, 0, LEAT_SLICE("x"));
		leat_zap_finish_object(&b, object);
	}
	EXPECT_GT(leat_zap_finish(&b), 0);
}

// The bytes are not looked at: there is no room for them.
TEST(ZapBuilder, BytesLongerThanTheRoomAreRefusedWhenTheyAreSet)
{
	uint8_t room[64];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	leat_zap_place object = leat_zap_start_object(&b, 8);
	leat_zap_set_bytes(&b, object, 0, { room, SIZE_MAX });
	leat_zap_finish_root(&b, object);
	EXPECT_EQ(-ENOBUFS, leat_zap_finish(&b));
}

TEST(ZapBuilderDeathTest, AFieldOutsideOfItsObjectIsOurOwnFault)
{
	uint8_t room[64];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	leat_zap_place object = leat_zap_start_object(&b, 8);
	EXPECT_DEATH(leat_zap_set_u32(&b, object, 5, 1), "len <= object.len - field");
}
