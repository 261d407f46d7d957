// SPDX-License-Identifier: BSD-3-Clause

// Reads at the borders of a message.

#include <cerrno>

#include <gtest/gtest.h>

#include <leat_zap.h>

#include "golden.h"

using golden::Bytes;
using golden::Copy;
using golden::String;

namespace
{

// A header of version 1 with its root at 16, and a body behind it.
std::string
Message(const std::string &body)
{
	std::string bytes = Bytes("5a415000010000001000000000000000") + body;

	bytes[12] = (char)bytes.size();
	bytes[13] = (char)(bytes.size() >> 8);
	return bytes;
}

leat_zap_object
Root(const Copy &in)
{
	return leat_zap_root_of(in.Slice());
}

} // namespace

TEST(ZapRead, ANumberIsReadWhereItsLastByteIsTheMessagesLast)
{
	Copy in(Message(Bytes("0102030405060708")));
	leat_zap_object root = Root(in);

	EXPECT_EQ(8, leat_zap_get_u8(root, 7));
	EXPECT_EQ(0, leat_zap_get_u8(root, 8));
	EXPECT_EQ(0x0807, leat_zap_get_u16(root, 6));
	EXPECT_EQ(0, leat_zap_get_u16(root, 7));
	EXPECT_EQ(0x08070605u, leat_zap_get_u32(root, 4));
	EXPECT_EQ(0u, leat_zap_get_u32(root, 5));
	EXPECT_EQ(0x0807060504030201u, leat_zap_get_u64(root, 0));
	EXPECT_EQ(0u, leat_zap_get_u64(root, 1));
}

TEST(ZapRead, FixedBytesEndAtTheMessagesEnd)
{
	Copy in(Message("abcd"));

	EXPECT_EQ("bcd", String(leat_zap_get_fixed(Root(in), 1, 3)));
	EXPECT_EQ(nullptr, leat_zap_get_fixed(Root(in), 1, 4).data);
}

TEST(ZapRead, OffsetsNearTheGreatestDoNotWrap)
{
	Copy in(Message(Bytes("ffffffffffffffff")));
	leat_zap_object root = Root(in);

	EXPECT_EQ(0, leat_zap_get_u8(root, UINT32_MAX));
	EXPECT_EQ(0u, leat_zap_get_u64(root, UINT32_MAX));
	EXPECT_EQ(nullptr, leat_zap_get_bytes(root, 0).data);
	EXPECT_EQ(nullptr, leat_zap_get_bytes(root, UINT32_MAX).data);
	EXPECT_EQ(nullptr, leat_zap_get_fixed(root, UINT32_MAX, UINT32_MAX).data);
	EXPECT_TRUE(leat_zap_is_null(leat_zap_get_object(root, UINT32_MAX)));
	EXPECT_EQ(0u, leat_zap_get_list(root, UINT32_MAX).count);
}

TEST(ZapRead, BytesMayLieInTheFixedSection)
{
	Copy in(Message(Bytes("0100000002000000")));

	EXPECT_EQ(std::string("\0\0", 2), String(leat_zap_get_bytes(Root(in), 0)));
}

TEST(ZapRead, EmptyBytesAtTheEndAreThere)
{
	Copy in(Message(Bytes("0800000000000000")));

	EXPECT_NE(nullptr, leat_zap_get_bytes(Root(in), 0).data);
	EXPECT_EQ(0u, leat_zap_get_bytes(Root(in), 0).len);
}

TEST(ZapRead, ARootAtTheEndHasNoFields)
{
	std::string bytes = Message("x");

	bytes[8] = 17;
	Copy in(bytes);
	EXPECT_FALSE(leat_zap_is_null(Root(in)));
	EXPECT_EQ(0, leat_zap_get_u8(Root(in), 0));
}

TEST(ZapRead, BytesBehindTheSizeAreNotRead)
{
	std::string bytes = Message("ab");

	Copy in(bytes + "cdefghij");
	EXPECT_EQ(0u, leat_zap_get_u32(Root(in), 0));
	EXPECT_EQ('b', leat_zap_get_u8(Root(in), 1));
}

TEST(ZapRead, ObjectsMayPointAtThemselves)
{
	Copy in(Message(Bytes("0000000000000000fcffffff00000000")));
	leat_zap_object child = leat_zap_get_object(Root(in), 8);

	EXPECT_EQ(20u, child.off);
	EXPECT_EQ(0u, leat_zap_get_u32(child, 0));
}

TEST(ZapList, ElementsOfEachWidthEndAtTheMessagesEnd)
{
	Copy in(Message(Bytes("0800000010000000") + Bytes("01020304050607080910111213141516")));
	leat_zap_list list = leat_zap_get_list(Root(in), 0);

	EXPECT_EQ(16u, list.count);
	EXPECT_EQ(0x16, leat_zap_list_u8(list, 15));
	EXPECT_EQ(0, leat_zap_list_u8(list, 16));
	EXPECT_EQ(0x16151413u, leat_zap_list_u32(list, 3));
	EXPECT_EQ(0u, leat_zap_list_u32(list, 4));
	EXPECT_EQ(0x1615141312111009u, leat_zap_list_u64(list, 1));
	EXPECT_EQ(0u, leat_zap_list_u64(list, 2));
	EXPECT_EQ(16u, leat_zap_list_raw(list).len);
}

TEST(ZapList, RawBytesPastTheEndAreNone)
{
	Copy in(Message(Bytes("0800000003000000") + "ab"));

	EXPECT_EQ(nullptr, leat_zap_list_raw(leat_zap_get_list(Root(in), 0)).data);
}

TEST(ZapList, ObjectsAreReadInTheirStrideAndCheckedByField)
{
	Copy in(Message(Bytes("0800000003000000") + "aaabbbc"));
	leat_zap_list list = leat_zap_get_list(Root(in), 0);

	EXPECT_EQ('b', leat_zap_get_u8(leat_zap_list_object(list, 1, 3), 0));
	EXPECT_EQ('c', leat_zap_get_u8(leat_zap_list_object(list, 2, 3), 0));
	EXPECT_EQ(0, leat_zap_get_u8(leat_zap_list_object(list, 2, 3), 1));
	EXPECT_TRUE(leat_zap_is_null(leat_zap_list_object(list, 3, 3)));
}

TEST(ZapList, AnObjectFarPastTheMessageReadsAsZeros)
{
	const uint8_t byte = 1;
	leat_zap_list list = { &byte, 1, UINT32_MAX, UINT32_MAX };
	leat_zap_object object = leat_zap_list_object(list, UINT32_MAX - 1, LEAT_ZAP_OBJECT_MAX);

	EXPECT_EQ(0u, leat_zap_get_u64(object, UINT32_MAX));
}

TEST(ZapList, ABadStructEntryIsNullAndTheNextOneStands)
{
	const std::string good = Message("x");
	std::string entries = Bytes("03000000") + "bad" + Bytes("11000000") + good;
	Copy in(Message(Bytes("0800000002000000") + entries));
	leat_zap_entries walk = leat_zap_entries_begin(leat_zap_get_list(Root(in), 0));
	leat_slice entry;

	ASSERT_TRUE(leat_zap_entries_next(&walk, &entry));
	EXPECT_TRUE(leat_zap_is_null(leat_zap_root_of(entry)));
	ASSERT_TRUE(leat_zap_entries_next(&walk, &entry));
	EXPECT_EQ('x', leat_zap_get_u8(leat_zap_root_of(entry), 0));
	EXPECT_FALSE(leat_zap_entries_next(&walk, &entry));
}

TEST(ZapList, ANullListHasNoEntriesAndNoElements)
{
	leat_zap_list list = leat_zap_get_list(leat_zap_null(), 0);
	leat_zap_entries walk = leat_zap_entries_begin(list);
	leat_slice entry;

	EXPECT_FALSE(leat_zap_entries_next(&walk, &entry));
	EXPECT_EQ(0u, leat_zap_list_u64(list, 0));
	EXPECT_EQ(nullptr, leat_zap_list_raw(list).data);
}
