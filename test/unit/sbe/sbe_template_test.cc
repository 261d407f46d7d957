// SPDX-License-Identifier: BSD-3-Clause

// The templates that the vectors of sbe_bytes.h do not have, byte by byte: the frame's length
// and the header, then the body.

#include <gtest/gtest.h>

#include "sbe_bytes.h"

namespace
{

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

struct Row {
	const char *name; // of the template
	const char *hex;
	std::string written;
};

template <size_t N>
void
ExpectRows(const Row (&rows)[N])
{
	for (const Row &row : rows) {
		Exact exact(FromHex(row.hex));
		leat_sbe_refusal refusal = LEAT_SBE_OK;
		leat_sbe_frame frame = {};
		leat_sbe_message msg;

		EXPECT_EQ(row.hex, ToHex(row.written)) << row.name;
		ASSERT_EQ((ssize_t)exact.slice().len,
			leat_sbe_parse_frame(exact.slice(), LEAT_SBE_FRAME_MAX, &frame, &refusal));
		ASSERT_NE(nullptr, leat_sbe_layout_find(frame.template_id)) << row.name;
		EXPECT_STREQ(row.name, leat_sbe_layout_find(frame.template_id)->name);
		EXPECT_EQ(LEAT_SBE_OK,
			leat_sbe_decode(leat_sbe_layout_find(frame.template_id), &frame, &msg))
			<< row.name;
	}
}

TEST(SbeTemplate, RepliesOfValues)
{
	const leat_sbe_array_reply_items array_reply[] = { { LEAT_SLICE("value") },
		{ LEAT_SLICE("value") } };
	const leat_sbe_scored_array_reply_items scored_array_reply[] = {
		{ -1.5, LEAT_SLICE("member") }, { -1.5, LEAT_SLICE("member") }
	};
	const leat_sbe_nullable_array_reply_items nullable_array_reply[] = {
		{ 0x81, LEAT_SLICE("value") }, { 0x81, LEAT_SLICE("value") }
	};
	const leat_sbe_resp_value_reply_nodes resp_value_reply[] = { { 0x81, -2, 0x84838281,
									     LEAT_SLICE("bytes") },
		{ 0x81, -2, 0x84838281, LEAT_SLICE("bytes") } };
	const Row rows[] = {
		{ "ArrayReply",
			"1e0000000000070007000200"
			"000002000500000076616c75650500000076616c7565",
			PUT(array_reply, array_reply, 2) },
		{ "ScoredArrayReply",
			"300000000000080007000200"
			"08000200000000000000f8bf060000006d656d626572000000000000"
			"f8bf060000006d656d626572",
			PUT(scored_array_reply, scored_array_reply, 2) },
		{ "NullableArrayReply",
			"200000000000090007000200"
			"01000200810500000076616c7565810500000076616c7565",
			PUT(nullable_array_reply, nullable_array_reply, 2) },
		{ "RespValueReply",
			"3800000000000a0007000200"
			"0d00020081feffffffffffffff8182838405000000627974657381fe"
			"ffffffffffffff81828384050000006279746573",
			PUT(resp_value_reply, resp_value_reply, 2) },
	};

	ExpectRows(rows);
}

TEST(SbeTemplate, RepliesOfPairsAndScores)
{
	const leat_sbe_map_reply_entries map_reply[] = { { LEAT_SLICE("key"), LEAT_SLICE("value") },
		{ LEAT_SLICE("key"), LEAT_SLICE("value") } };
	const leat_sbe_pub_sub_num_sub_reply_items pub_sub_num_sub_reply[] = {
		{ 0x84838281, LEAT_SLICE("channel") }, { 0x84838281, LEAT_SLICE("channel") }
	};
	const leat_sbe_nullable_double_array_reply_items nullable_double_array_reply[] = {
		{ 0x81, -1.5 }, { 0x81, -1.5 }
	};
	const leat_sbe_scored_scan_reply_items scored_scan_reply[] = {
		{ -1.5, LEAT_SLICE("member") }, { -1.5, LEAT_SLICE("member") }
	};
	const leat_sbe_string_scan_reply_items string_scan_reply[] = { { LEAT_SLICE("value") },
		{ LEAT_SLICE("value") } };
	const Row rows[] = {
		{ "MapReply",
			"2c00000000000b0007000200"
			"00000200030000006b65790500000076616c7565030000006b657905"
			"00000076616c7565",
			PUT(map_reply, map_reply, 2) },
		{ "PubSubNumSubReply",
			"2a00000000000d0007000200"
			"0400020081828384070000006368616e6e656c818283840700000063"
			"68616e6e656c",
			PUT(pub_sub_num_sub_reply, pub_sub_num_sub_reply, 2) },
		{ "NullableDoubleArrayReply",
			"1e00000000000e0007000200"
			"0900020081000000000000f8bf81000000000000f8bf",
			PUT(nullable_double_array_reply, nullable_double_array_reply, 2) },
		{ "ScoredScanReply",
			"3800000008000f0007000200"
			"818283848586878808000200000000000000f8bf060000006d656d62"
			"6572000000000000f8bf060000006d656d626572",
			PUT(scored_scan_reply, 0x8887868584838281, scored_scan_reply, 2) },
		{ "StringScanReply",
			"2600000008007d0007000200"
			"8182838485868788000002000500000076616c75650500000076616c"
			"7565",
			PUT(string_scan_reply, 0x8887868584838281, string_scan_reply, 2) },
	};

	ExpectRows(rows);
}

TEST(SbeTemplate, RequestsOfOneKey)
{
	const leat_sbe_del_keys del[] = { { LEAT_SLICE("key") }, { LEAT_SLICE("key") } };
	const leat_sbe_exists_keys exists[] = { { LEAT_SLICE("key") }, { LEAT_SLICE("key") } };
	const Row rows[] = {
		{ "ZCard",
			"0f0000000000120007000200"
			"030000006b6579",
			PUT(zcard, LEAT_SLICE("key")) },
		{ "Incr",
			"0f00000000001d0007000200"
			"030000006b6579",
			PUT(incr, LEAT_SLICE("key")) },
		{ "Decr",
			"0f00000000001e0007000200"
			"030000006b6579",
			PUT(decr, LEAT_SLICE("key")) },
		{ "IncrBy",
			"1700000008001f0007000200"
			"feffffffffffffff030000006b6579",
			PUT(incr_by, -2, LEAT_SLICE("key")) },
		{ "DecrBy",
			"170000000800200007000200"
			"feffffffffffffff030000006b6579",
			PUT(decr_by, -2, LEAT_SLICE("key")) },
		{ "Del",
			"1a0000000000220007000200"
			"00000200030000006b6579030000006b6579",
			PUT(del, del, 2) },
		{ "Exists",
			"1a0000000000230007000200"
			"00000200030000006b6579030000006b6579",
			PUT(exists, exists, 2) },
	};

	ExpectRows(rows);
}

TEST(SbeTemplate, RequestsOfExpiry)
{
	const Row rows[] = {
		{ "Type",
			"0f0000000000240007000200"
			"030000006b6579",
			PUT(type, LEAT_SLICE("key")) },
		{ "Expire",
			"180000000900250007000200"
			"feffffffffffffff81030000006b6579",
			PUT(expire, -2, 0x81, LEAT_SLICE("key")) },
		{ "PExpire",
			"180000000900260007000200"
			"feffffffffffffff81030000006b6579",
			PUT(pexpire, -2, 0x81, LEAT_SLICE("key")) },
		{ "ExpireAt",
			"180000000900270007000200"
			"feffffffffffffff81030000006b6579",
			PUT(expire_at, -2, 0x81, LEAT_SLICE("key")) },
		{ "PExpireAt",
			"180000000900280007000200"
			"feffffffffffffff81030000006b6579",
			PUT(pexpire_at, -2, 0x81, LEAT_SLICE("key")) },
		{ "Ttl",
			"0f0000000000290007000200"
			"030000006b6579",
			PUT(ttl, LEAT_SLICE("key")) },
		{ "PTtl",
			"0f00000000002a0007000200"
			"030000006b6579",
			PUT(pttl, LEAT_SLICE("key")) },
		{ "Persist",
			"0f00000000002b0007000200"
			"030000006b6579",
			PUT(persist, LEAT_SLICE("key")) },
	};

	ExpectRows(rows);
}

TEST(SbeTemplate, RequestsOfFieldsAndOthers)
{
	const leat_sbe_hdel_fields hdel[] = { { LEAT_SLICE("field") }, { LEAT_SLICE("field") } };
	const leat_sbe_unsubscribe_channels unsubscribe[] = { { LEAT_SLICE("channel") },
		{ LEAT_SLICE("channel") } };
	const Row rows[] = {
		{ "HDel",
			"250000000000320007000200"
			"00000200050000006669656c64050000006669656c64030000006b65"
			"79",
			PUT(hdel, hdel, 2, LEAT_SLICE("key")) },
		{ "HGetAll",
			"0f0000000000330007000200"
			"030000006b6579",
			PUT(hget_all, LEAT_SLICE("key")) },
		{ "HLen",
			"0f0000000000360007000200"
			"030000006b6579",
			PUT(hlen, LEAT_SLICE("key")) },
		{ "Echo",
			"130000000000410007000200"
			"070000006d657373616765",
			PUT(echo, LEAT_SLICE("message")) },
		{ "Info", "0800000000004e0007000200", PUT(info) },
		{ "Unsubscribe",
			"220000000000610007000200"
			"00000200070000006368616e6e656c070000006368616e6e656c",
			PUT(unsubscribe, unsubscribe, 2) },
	};

	ExpectRows(rows);
}

} // namespace
