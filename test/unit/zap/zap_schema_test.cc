// SPDX-License-Identifier: BSD-3-Clause

// The code that leat-zapc makes of test/golden/zapc/kinds.zap.

#include <gtest/gtest.h>

#include <leat_kinds.h>

#include "golden.h"

using golden::Copy;
using golden::Slice;
using golden::String;

namespace
{

leat_kinds_scalars
Scalars()
{
	leat_kinds_scalars s = {};

	s.flag = true;
	s.small = -2;
	s.short_ = -300;
	s.whole = -70000;
	s.wide = INT64_MIN;
	s.single = -1.5f;
	s.double_ = 0.1;
	s.byte = 255;
	return s;
}

std::string
Written(const leat_kinds_scalars &s)
{
	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_kinds_scalars_emit(w, &s)); });
}

} // namespace

TEST(ZapSchema, ScalarsOfEachKindComeBack)
{
	const leat_kinds_scalars want = Scalars();
	Copy in(Written(want));
	leat_zap_message msg;
	leat_kinds_scalars s;

	ASSERT_EQ(0, leat_zap_parse(in.Slice(), &msg));
	EXPECT_EQ(2, msg.version);
	EXPECT_EQ(7 << 8, msg.flags);
	leat_kinds_scalars_read(leat_zap_root(&msg), &s);
	EXPECT_EQ(want.flag, s.flag);
	EXPECT_EQ(want.small, s.small);
	EXPECT_EQ(want.short_, s.short_);
	EXPECT_EQ(want.whole, s.whole);
	EXPECT_EQ(want.wide, s.wide);
	EXPECT_EQ(want.single, s.single);
	EXPECT_EQ(want.double_, s.double_);
	EXPECT_EQ(want.byte, s.byte);
}

TEST(ZapSchema, AnyByteButZeroIsTrue)
{
	std::string bytes = Written(Scalars());
	leat_kinds_scalars s;

	bytes[16] = 2;
	leat_kinds_scalars_read(leat_zap_root_of(Copy(bytes).Slice()), &s);
	EXPECT_TRUE(leat_kinds_scalars_get_flag(leat_zap_root_of(Slice(bytes))));
	EXPECT_EQ('\1', Written(Scalars())[16]);
}

TEST(ZapSchema, GapsAreZero)
{
	const std::string bytes = Written(Scalars());

	EXPECT_EQ(std::string(4, '\0'), bytes.substr(16 + 20, 4));
	EXPECT_EQ(16u + LEAT_KINDS_SCALARS_LEN, bytes.size());
}

// The bounded way and the quick way read the same of what is there.
TEST(ZapSchema, AnObjectCutShortReadsWhatIsThereAndZeros)
{
	const leat_kinds_scalars want = Scalars();
	std::string bytes = Written(want);
	leat_kinds_scalars s;

	bytes.resize(bytes.size() - 1);
	bytes[12] = (char)bytes.size();
	Copy in(bytes);
	leat_kinds_scalars_read(leat_zap_root_of(in.Slice()), &s);
	EXPECT_EQ(want.flag, s.flag);
	EXPECT_EQ(want.wide, s.wide);
	EXPECT_EQ(want.double_, s.double_);
	EXPECT_EQ(0, s.byte);
}

TEST(ZapSchema, ANullObjectReadsAsZeros)
{
	leat_kinds_scalars s = Scalars();
	leat_kinds_fixed f;

	leat_kinds_scalars_read(leat_zap_null(), &s);
	EXPECT_EQ(0, s.wide);
	EXPECT_EQ(0, s.single);
	leat_kinds_fixed_read(leat_zap_null(), &f);
	EXPECT_EQ(0, f.hash[31]);
	EXPECT_EQ(nullptr, f.name.data);
	EXPECT_TRUE(leat_zap_is_null(leat_kinds_tree_get_parent(leat_zap_null())));
	EXPECT_TRUE(leat_zap_is_null(leat_kinds_tree_get_path_at(leat_zap_null(), 0)));
	EXPECT_EQ(nullptr, leat_kinds_tree_get_tag(leat_zap_null()).data);
}

TEST(ZapSchema, BytesOfFixedLengthStandInTheObject)
{
	leat_kinds_fixed f = {};
	leat_kinds_fixed read;

	f.count = 3;
	memcpy(f.hash, golden::Pattern(32).data(), 32);
	f.name = LEAT_SLICE("leaf");
	Copy in(golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_kinds_fixed_emit(w, &f)); }));
	EXPECT_EQ(16u + 42 + 4, in.Slice().len);
	leat_kinds_fixed_read(leat_zap_root_of(in.Slice()), &read);
	EXPECT_EQ(3, read.count);
	EXPECT_EQ(golden::Pattern(32), std::string((const char *)read.hash, 32));
	EXPECT_EQ("leaf", String(read.name));
}

TEST(ZapSchema, FixedBytesOfAShortObjectAreThereOrAllZero)
{
	std::string bytes = golden::Bytes("5a415000010000001000000000000000") +
			    std::string(2, '\1') + golden::Pattern(32);
	leat_kinds_fixed f;

	bytes[12] = (char)bytes.size();
	leat_kinds_fixed_read(leat_zap_root_of(Copy(bytes).Slice()), &f);
	leat_zap_object whole = leat_zap_root_of(Slice(bytes));
	EXPECT_EQ(golden::Pattern(32), String(leat_kinds_fixed_get_hash(whole)));
	bytes.resize(bytes.size() - 1);
	bytes[12] = (char)bytes.size();
	Copy in(bytes);
	leat_kinds_fixed_read(leat_zap_root_of(in.Slice()), &f);
	EXPECT_EQ(0x0101, f.count);
	EXPECT_EQ(std::string(32, '\0'), std::string((const char *)f.hash, 32));
}

namespace
{

// A tree with a parent and one of each kind of list.
std::string
Tree()
{
	static uint8_t room[1024];
	leat_zap_builder b;

	leat_zap_build(&b, room, sizeof(room));
	leat_zap_place parent = leat_kinds_tree_start(&b);
	leat_kinds_tree_set_level(&b, parent, 1);
	leat_zap_finish_object(&b, parent);
	leat_zap_place tree = leat_kinds_tree_start(&b);
	leat_kinds_tree_set_level(&b, tree, 2);
	leat_zap_items items = leat_zap_start_list(&b);
	for (int i = 0; i < 3; i++) {
		leat_zap_place point = leat_zap_add_object(&b, &items, LEAT_KINDS_POINT_LEN);

		leat_kinds_point_set_x(&b, point, i);
		leat_kinds_point_set_y(&b, point, -i);
	}
	leat_kinds_tree_set_path(&b, tree, items);
	items = leat_zap_start_list(&b);
	leat_zap_add_u8(&b, &items, 7);
	leat_zap_add_u8(&b, &items, 8);
	leat_kinds_tree_set_bytes_(&b, tree, items);
	leat_kinds_tree_set_parent(&b, tree, parent);
	leat_kinds_tree_set_tag(&b, tree, LEAT_SLICE("tag"));
	leat_kinds_tree_set_label(&b, tree, LEAT_SLICE("label"));
	leat_zap_finish_root(&b, tree);
	ssize_t len = leat_zap_finish(&b);
	EXPECT_GT(len, 0);
	return std::string((const char *)room, (size_t)len);
}

} // namespace

TEST(ZapSchema, ListsAndNestedObjectsComeBack)
{
	Copy in(Tree());
	leat_zap_object tree = leat_zap_root_of(in.Slice());

	EXPECT_EQ(2, leat_kinds_tree_get_level(tree));
	EXPECT_EQ(1, leat_kinds_tree_get_level(leat_kinds_tree_get_parent(tree)));
	EXPECT_EQ(3u, leat_kinds_tree_get_path(tree).count);
	for (uint32_t i = 0; i < 3; i++) {
		leat_zap_object point = leat_kinds_tree_get_path_at(tree, i);

		EXPECT_EQ((int32_t)i, leat_kinds_point_get_x(point));
		EXPECT_EQ(-(int32_t)i, leat_kinds_point_get_y(point));
	}
	EXPECT_TRUE(leat_zap_is_null(leat_kinds_tree_get_path_at(tree, 3)));
	EXPECT_EQ(8, leat_zap_list_u8(leat_kinds_tree_get_bytes_(tree), 1));
	EXPECT_EQ("tag", String(leat_kinds_tree_get_tag(tree)));
	EXPECT_EQ("label", String(leat_kinds_tree_get_label(tree)));
	EXPECT_EQ(0u, leat_kinds_tree_get_leaves(tree).count);
}

// The bytes are never read: the writer has no room and drops them.
TEST(ZapSchema, TheGreatestMessageIsWrittenAndOneByteMoreIsNot)
{
	const uint8_t byte = 0;
	leat_kinds_fixed f = {};
	uint8_t nothing;
	leat_writer w;

	leat_writer_init(&w, &nothing, 0);
	f.name = { &byte, LEAT_ZAP_MESSAGE_MAX - LEAT_ZAP_HEADER_LEN - LEAT_KINDS_FIXED_LEN };
	EXPECT_EQ(0, leat_kinds_fixed_emit(&w, &f));
	EXPECT_TRUE(w.failed);
	f.name.len++;
	EXPECT_EQ(-EMSGSIZE, leat_kinds_fixed_emit(&w, &f));
	f.name.len = SIZE_MAX / 2;
	EXPECT_EQ(-EMSGSIZE, leat_kinds_fixed_emit(&w, &f));
}
