// SPDX-License-Identifier: BSD-3-Clause

// What the encoders write is what the getters read, and what another implementation made.

#include <cerrno>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sbe_bytes.h"

namespace
{

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

const leat_slice kKey = LEAT_SLICE("k");
const leat_slice kValue = LEAT_SLICE("value-0000000001");

TEST(SbePut, RequestsAreThoseOfTheVectors)
{
	const leat_sbe_hset_entries pair = { LEAT_SLICE("field"), kValue };
	const leat_sbe_zadd_members member = { 1.0, LEAT_SLICE("member") };
	const leat_sbe_subscribe_channels channel = { LEAT_SLICE("c") };

	EXPECT_EQ(SbeVectorBytes("Ping"), PUT(ping));
	EXPECT_EQ(SbeVectorBytes("Set k value-0000000001"), PUT(set, 0, 0, 0, kKey, kValue));
	EXPECT_EQ(SbeVectorBytes("Get k"), PUT(get, kKey));
	EXPECT_EQ(SbeVectorBytes("HSet h field value-0000000001"),
		PUT(hset, &pair, 1, LEAT_SLICE("h")));
	EXPECT_EQ(SbeVectorBytes("HGet h field"), PUT(hget, LEAT_SLICE("h"), LEAT_SLICE("field")));
	EXPECT_EQ(SbeVectorBytes("ZAdd z 1.0 member"), PUT(zadd, 0, &member, 1, LEAT_SLICE("z")));
	EXPECT_EQ(SbeVectorBytes("ZScore z member"),
		PUT(zscore, LEAT_SLICE("z"), LEAT_SLICE("member")));
	EXPECT_EQ(SbeVectorBytes("Publish c quote-update"),
		PUT(publish, LEAT_SLICE("c"), LEAT_SLICE("quote-update")));
	EXPECT_EQ(SbeVectorBytes("Subscribe c"), PUT(subscribe, &channel, 1));
}

TEST(SbePut, RepliesAreThoseOfTheVectors)
{
	const leat_slice none = { nullptr, 0 };

	EXPECT_EQ(SbeVectorBytes("push subscribe c 1"),
		PUT(pub_sub_push, 2, 1, none, LEAT_SLICE("c"), none));
	EXPECT_EQ(SbeVectorBytes("push message c"),
		PUT(pub_sub_push, 0, 0, none, LEAT_SLICE("c"), LEAT_SLICE("quote-update")));
	EXPECT_EQ(SbeVectorBytes("PONG"), PUT(status_reply, LEAT_SLICE("PONG")));
	EXPECT_EQ(SbeVectorBytes("OK"), PUT(status_reply, LEAT_SLICE("OK")));
	EXPECT_EQ(SbeVectorBytes("bulk value-0000000001"), PUT(bulk_reply, kValue));
	EXPECT_EQ(SbeVectorBytes("nil"), PUT(nil_reply));
	EXPECT_EQ(SbeVectorBytes("int 1"), PUT(int_reply, 1));
	EXPECT_EQ(SbeVectorBytes("double 2.0"), PUT(double_reply, 2.0));
	EXPECT_EQ(SbeVectorBytes("WRONGTYPE"),
		PUT(error_reply, LEAT_SLICE("WRONGTYPE"),
			LEAT_SLICE("Operation against a key holding the wrong kind of value")));
}

TEST(SbeRoundTrip, FixedFieldsAtTheirEnds)
{
	for (int64_t value : { INT64_MIN, (int64_t)-1, (int64_t)0, INT64_MAX }) {
		Decoded msg(PUT(set, 0xff, 4, value, kKey, kValue), LEAT_SBE_SET);

		EXPECT_EQ(0xffu, leat_sbe_set_flags(*msg));
		EXPECT_EQ(4u, leat_sbe_set_expire_mode(*msg));
		EXPECT_EQ(value, leat_sbe_set_expire_value(*msg));
		EXPECT_EQ("k", String(leat_sbe_set_key(*msg)));
		EXPECT_EQ("value-0000000001", String(leat_sbe_set_value(*msg)));
		EXPECT_EQ(value, leat_sbe_int_reply_value(
					 *Decoded(PUT(int_reply, value), LEAT_SBE_INT_REPLY)));
	}
}

TEST(SbeRoundTrip, Doubles)
{
	const double inf = std::numeric_limits<double>::infinity();

	for (double value : { -0.0, 0.1, 5e-324, inf, -inf }) {
		Decoded msg(PUT(double_reply, value), LEAT_SBE_DOUBLE_REPLY);

		EXPECT_EQ(value, leat_sbe_double_reply_value(*msg));
		EXPECT_EQ(std::signbit(value), std::signbit(leat_sbe_double_reply_value(*msg)));
	}
}

TEST(SbeRoundTrip, DataIsBinarySafeAndMayBeEmpty)
{
	std::string binary("\0\r\n\xff", 4);
	Decoded msg(PUT(hget, Slice(binary), LEAT_SLICE("")), LEAT_SBE_HGET);

	EXPECT_EQ(binary, String(leat_sbe_hget_key(*msg)));
	EXPECT_EQ("", String(leat_sbe_hget_field(*msg)));
}

TEST(SbeRoundTrip, Pushes)
{
	Decoded msg(PUT(pub_sub_push, 1, UINT32_MAX, LEAT_SLICE("p*"), LEAT_SLICE("pq"),
			    LEAT_SLICE("text")),
		LEAT_SBE_PUB_SUB_PUSH);

	EXPECT_EQ(1u, leat_sbe_pub_sub_push_kind(*msg));
	EXPECT_EQ(UINT32_MAX, leat_sbe_pub_sub_push_subscription_count(*msg));
	EXPECT_EQ("p*", String(leat_sbe_pub_sub_push_pattern(*msg)));
	EXPECT_EQ("pq", String(leat_sbe_pub_sub_push_channel(*msg)));
	EXPECT_EQ("text", String(leat_sbe_pub_sub_push_payload(*msg)));
}

TEST(SbeRoundTrip, GroupsOfReplies)
{
	const leat_sbe_nullable_array_reply_items items[] = { { 1, LEAT_SLICE("a") },
		{ 0, { nullptr, 0 } } };
	const leat_sbe_scored_scan_reply_items scored[] = { { 0.5, LEAT_SLICE("m") } };
	const leat_sbe_resp_value_reply_nodes nodes[] = { { 5, -1, 7, LEAT_SLICE("n") } };
	const leat_sbe_nullable_double_array_reply_items doubles[] = { { 1, 2.5 }, { 0, 0 } };
	Decoded array(PUT(nullable_array_reply, items, 2), LEAT_SBE_NULLABLE_ARRAY_REPLY);
	Decoded scan(PUT(scored_scan_reply, UINT64_MAX, scored, 1), LEAT_SBE_SCORED_SCAN_REPLY);
	Decoded value(PUT(resp_value_reply, nodes, 1), LEAT_SBE_RESP_VALUE_REPLY);
	Decoded scores(
		PUT(nullable_double_array_reply, doubles, 2), LEAT_SBE_NULLABLE_DOUBLE_ARRAY_REPLY);

	ASSERT_EQ(2u, array.Entries().size());
	EXPECT_EQ(1u, leat_sbe_nullable_array_reply_items_present(&array.Entries()[0]));
	EXPECT_EQ("a", String(leat_sbe_nullable_array_reply_items_value(&array.Entries()[0])));
	EXPECT_EQ(0u, leat_sbe_nullable_array_reply_items_present(&array.Entries()[1]));
	ASSERT_EQ(1u, scan.Entries().size());
	EXPECT_EQ(UINT64_MAX, leat_sbe_scored_scan_reply_next_cursor(*scan));
	EXPECT_EQ(0.5, leat_sbe_scored_scan_reply_items_score(&scan.Entries()[0]));
	ASSERT_EQ(1u, value.Entries().size());
	EXPECT_EQ(-1, leat_sbe_resp_value_reply_nodes_int_value(&value.Entries()[0]));
	EXPECT_EQ(7u, leat_sbe_resp_value_reply_nodes_child_count(&value.Entries()[0]));
	EXPECT_EQ("n", String(leat_sbe_resp_value_reply_nodes_bytes(&value.Entries()[0])));
	ASSERT_EQ(2u, scores.Entries().size());
	EXPECT_EQ(2.5, leat_sbe_nullable_double_array_reply_items_value(&scores.Entries()[0]));
}

TEST(SbeRoundTrip, EntriesWithTwoPiecesOfData)
{
	const leat_sbe_hset_entries pairs[] = { { LEAT_SLICE("f"), LEAT_SLICE("value") },
		{ LEAT_SLICE(""), LEAT_SLICE("v") }, { LEAT_SLICE("field"), LEAT_SLICE("") } };
	Decoded msg(PUT(hset, pairs, 3, LEAT_SLICE("h")), LEAT_SBE_HSET);

	ASSERT_EQ(3u, msg.Entries().size());
	for (size_t i = 0; i < 3; i++) {
		EXPECT_EQ(String(pairs[i].field),
			String(leat_sbe_hset_entries_field(&msg.Entries()[i])));
		EXPECT_EQ(String(pairs[i].value),
			String(leat_sbe_hset_entries_value(&msg.Entries()[i])));
	}
	EXPECT_EQ("h", String(leat_sbe_hset_key(*msg)));
}

// Whatever was in it before.
TEST(SbeRoundTrip, DataThatAnEntryDoesNotHaveIsEmpty)
{
	const leat_sbe_del_keys key = { kKey };
	Decoded msg(PUT(del, &key, 1), LEAT_SBE_DEL);
	leat_sbe_group group = (*msg)->group;
	leat_sbe_entry entry;

	memset(&entry, 0xff, sizeof(entry));
	ASSERT_TRUE(leat_sbe_group_next(&group, &entry));
	EXPECT_EQ("k", String(entry.data[0]));
	EXPECT_EQ(nullptr, entry.data[1].data);
	EXPECT_EQ(0u, entry.data[1].len);
	EXPECT_FALSE(leat_sbe_group_next(&group, &entry));
	EXPECT_EQ(0u, entry.data[0].len);
}

TEST(SbePut, EntriesAtTheLimitAndOneOver)
{
	std::vector<leat_sbe_del_keys> keys(LEAT_SBE_ENTRIES_MAX + 1, { LEAT_SLICE("k") });
	std::string bytes = PUT(del, keys.data(), LEAT_SBE_ENTRIES_MAX);
	uint8_t buf[16];
	leat_writer w;

	EXPECT_EQ(LEAT_SBE_ENTRIES_MAX, Decoded(bytes, LEAT_SBE_DEL).Entries().size());
	leat_writer_init(&w, buf, sizeof(buf));
	EXPECT_EQ(-EMSGSIZE, leat_sbe_put_del(&w, keys.data(), LEAT_SBE_ENTRIES_MAX + 1));
	EXPECT_EQ(buf, w.pos);
	EXPECT_FALSE(w.failed);
}

// The bytes are never read: the writer has no room and drops them.
TEST(SbePut, FrameAtTheLimitAndOneOver)
{
	size_t len_max = LEAT_SBE_FRAME_MAX - LEAT_SBE_HEAD_LEN - LEAT_SBE_DATA_LEN_LEN;
	uint8_t nothing[1];
	leat_writer w;

	leat_writer_init(&w, nothing, 0);
	EXPECT_EQ(0, leat_sbe_put_get(&w, { nothing, len_max }));
	EXPECT_TRUE(w.failed);
	EXPECT_EQ(-EMSGSIZE, leat_sbe_put_get(&w, { nothing, len_max + 1 }));
	EXPECT_EQ(-EMSGSIZE, leat_sbe_put_get(&w, { nothing, SIZE_MAX }));
	EXPECT_EQ(-EMSGSIZE, leat_sbe_put_hget(&w, { nothing, SIZE_MAX }, { nothing, SIZE_MAX }));
}

} // namespace
