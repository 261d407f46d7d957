// SPDX-License-Identifier: BSD-3-Clause

// Requests in SBE to commands and back.

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sbe_serve.h"

namespace
{

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

const leat_slice kKey = LEAT_SLICE("k");
const leat_slice kNone = { nullptr, 0 };
const std::string kMagic = LEAT_SBE_MAGIC;

std::string
Error(const std::string &message, const std::string &code = "ERR")
{
	return PUT(error_reply, Slice(code), Slice(message));
}

std::string
Head(uint32_t len, uint16_t block_len, uint16_t template_id, uint16_t schema_id, uint16_t version)
{
	uint8_t head[LEAT_SBE_HEAD_LEN];

	leat_le32_put(head, len);
	leat_le16_put(head + 4, block_len);
	leat_le16_put(head + 6, template_id);
	leat_le16_put(head + 8, schema_id);
	leat_le16_put(head + 10, version);
	return std::string((char *)head, sizeof(head));
}

class ProtocolSbe : public testing::Test
{
      protected:
	Serve serve{ "sbe" };
};

TEST_F(ProtocolSbe, VectorsAreAnsweredByteForByte)
{
	const struct {
		const char *request;
		const char *reply;
	} table[] = {
		{ "Ping", "PONG" },
		{ "Get k", "nil" },
		{ "Set k value-0000000001", "OK" },
		{ "Get k", "bulk value-0000000001" },
		{ "HSet h field value-0000000001", "int 1" },
		{ "HGet h field", "bulk value-0000000001" },
		{ "ZScore z member", "nil" },
		{ "ZAdd z 1.0 member", "int 1" },
	};

	for (const auto &row : table)
		EXPECT_EQ(ToHex(SbeVectorBytes(row.reply)),
			ToHex(serve.Ask(SbeVectorBytes(row.request))))
			<< row.request;
	EXPECT_EQ(ToHex(SbeVectorBytes("WRONGTYPE")), ToHex(serve.Ask(PUT(get, LEAT_SLICE("h")))));
	EXPECT_EQ(ToHex(SbeVectorBytes("push subscribe c 1")),
		ToHex(serve.Ask(SbeVectorBytes("Subscribe c"))));
	// A message to oneself comes before the reply.
	EXPECT_EQ(ToHex(SbeVectorBytes("push message c") + SbeVectorBytes("int 1")),
		ToHex(serve.Ask(SbeVectorBytes("Publish c quote-update"))));
}

TEST_F(ProtocolSbe, RequestsByteByByteAndManyAtOnce)
{
	std::string in = kMagic;
	std::string out;
	std::string expected;

	for (int i = 0; i < 3; i++) {
		in += SbeVectorBytes("Ping") + SbeVectorBytes("Set k value-0000000001") +
		      SbeVectorBytes("Get k");
		expected += SbeVectorBytes("PONG") + SbeVectorBytes("OK") +
			    SbeVectorBytes("bulk value-0000000001");
	}
	for (char byte : in)
		out += serve.Ask(std::string(1, byte));
	EXPECT_EQ(ToHex(expected), ToHex(out));
	EXPECT_EQ(ToHex(expected), ToHex(serve.Ask(in, 2)));
}

TEST_F(ProtocolSbe, TheMagicIsNotNeededOnAPortOfItsOwn)
{
	EXPECT_EQ(SbeVectorBytes("PONG"), serve.Ask(SbeVectorBytes("Ping")));
	EXPECT_EQ(SbeVectorBytes("PONG"), serve.Ask(kMagic + SbeVectorBytes("Ping"), 2));
}

TEST_F(ProtocolSbe, UnknownTemplatesAreAnsweredInOrder)
{
	std::string error = Error("unknown template id 999");

	EXPECT_EQ(error + SbeVectorBytes("PONG"),
		serve.Ask(Head(10, 0, 999, 7, 2) + "ab" + SbeVectorBytes("Ping")));
	EXPECT_EQ(Error("unknown template id 0"), serve.Ask(Head(8, 0, 0, 7, 2)));
	EXPECT_EQ(Error("unknown template id 21"), serve.Ask(Head(8, 0, 21, 7, 2)));
	EXPECT_EQ(Error("unknown template id 2"), serve.Ask(SbeVectorBytes("OK")));
	EXPECT_FALSE(serve.At(1).is_closed);
}

TEST_F(ProtocolSbe, WhatCannotBeReadIsAnsweredAndTheEnd)
{
	const struct {
		std::string bytes;
		const char *text;
	} table[] = {
		{ Head(7, 0, 16, 7, 2), "frame too short for a header" },
		{ Head((4 << 20) - 3, 0, 16, 7, 2), "frame too long" },
		{ "GOBLINS?", "frame too long" },
		{ Head(8, 0, 16, 8, 2), "unknown schema" },
		{ Head(8, 0, 16, 7, 1), "schema version too old" },
		{ Head(8, 1, 16, 7, 2), "bad block length" },
		{ Head(12, 0, 31, 7, 2) + std::string(4, 0), "bad block length" },
		{ Head(8, 0, 34, 7, 2), "bad group" },
		{ Head(8, 0, 22, 7, 2), "data past the end of the frame" },
	};
	uint64_t id = 10;

	for (const auto &row : table) {
		id++;
		EXPECT_EQ(Error(std::string("Protocol error: ") + row.text),
			serve.Ask(row.bytes + SbeVectorBytes("Ping"), id))
			<< row.text;
		EXPECT_TRUE(serve.At(id).is_closed) << row.text;
	}
}

TEST_F(ProtocolSbe, AFrameAtTheLimitAndOneOver)
{
	std::string longest(100 - 12 - 4, 'x');

	serve.limits.request_max = 100;
	EXPECT_EQ(PUT(bulk_reply, Slice(longest)), serve.Ask(PUT(echo, Slice(longest))));
	longest += 'x';
	EXPECT_EQ(Error("Protocol error: frame too long"), serve.Ask(PUT(echo, Slice(longest))));
}

// As long as what RESP grants one argument of a guest.
TEST_F(ProtocolSbe, AGuestsFrameAtTheLimitAndOneOver)
{
	std::string longest(16384 - 12 - 4, 'x');

	serve.shard.server.requirepass = "secret";
	EXPECT_EQ(
		Error("Authentication required.", "NOAUTH"), serve.Ask(PUT(echo, Slice(longest))));
	EXPECT_FALSE(serve.At(1).is_closed);
	longest += 'x';
	EXPECT_EQ(Error("Protocol error: unauthenticated frame length"),
		serve.Ask(PUT(echo, Slice(longest)).substr(0, 4)));
	EXPECT_TRUE(serve.At(1).is_closed);
}

TEST_F(ProtocolSbe, LaterVersionsAreRead)
{
	std::string bytes = SbeVectorBytes("Ping") + SbeVectorBytes("Ping");

	bytes[10] = 3;
	EXPECT_EQ(SbeVectorBytes("PONG") + SbeVectorBytes("PONG"), serve.Ask(bytes));
}

TEST_F(ProtocolSbe, SetOptions)
{
	leat_slice a = LEAT_SLICE("a");
	leat_slice b = LEAT_SLICE("b");
	std::string ok = SbeVectorBytes("OK");
	std::string nil = SbeVectorBytes("nil");

	EXPECT_EQ(nil, serve.Ask(PUT(set, 0x02, 0, 0, kKey, a)));
	EXPECT_EQ(ok, serve.Ask(PUT(set, 0x01, 0, 0, kKey, a)));
	EXPECT_EQ(nil, serve.Ask(PUT(set, 0x01, 0, 0, kKey, b)));
	EXPECT_EQ(PUT(bulk_reply, a), serve.Ask(PUT(set, 0x06, 1, 100, kKey, b)));
	EXPECT_EQ(PUT(int_reply, 100), serve.Ask(PUT(ttl, kKey)));
	EXPECT_EQ(ok, serve.Ask(PUT(set, 0x08, 0, 0, kKey, a)));
	EXPECT_EQ(PUT(int_reply, 100), serve.Ask(PUT(ttl, kKey)));
	EXPECT_EQ(ok, serve.Ask(PUT(set, 0, 2, 5000, kKey, a)));
	EXPECT_EQ(PUT(int_reply, 5000), serve.Ask(PUT(pttl, kKey)));
	EXPECT_EQ(ok, serve.Ask(PUT(set, 0, 3, (int64_t)kWallMs / 1000 + 9, kKey, a)));
	EXPECT_EQ(PUT(int_reply, 9), serve.Ask(PUT(ttl, kKey)));
	EXPECT_EQ(ok, serve.Ask(PUT(set, 0, 4, (int64_t)kWallMs + 7, kKey, a)));
	EXPECT_EQ(PUT(int_reply, 7), serve.Ask(PUT(pttl, kKey)));
}

TEST_F(ProtocolSbe, SetRefusesWhatDoesNotGoTogether)
{
	std::string syntax = Error("syntax error");

	EXPECT_EQ(syntax, serve.Ask(PUT(set, 0x03, 0, 0, kKey, kKey)));
	EXPECT_EQ(syntax, serve.Ask(PUT(set, 0x08, 1, 5, kKey, kKey)));
	EXPECT_EQ(syntax, serve.Ask(PUT(set, 0x10, 0, 0, kKey, kKey)));
	EXPECT_EQ(syntax, serve.Ask(PUT(set, 0, 5, 1, kKey, kKey)));
	EXPECT_EQ(Error("invalid expire time in 'set' command"),
		serve.Ask(PUT(set, 0, 1, 0, kKey, kKey)));
	EXPECT_EQ(Error("invalid expire time in 'set' command"),
		serve.Ask(PUT(set, 0, 1, INT64_MIN, kKey, kKey)));
	EXPECT_EQ(SbeVectorBytes("nil"), serve.Ask(PUT(get, kKey)));
	EXPECT_FALSE(serve.At(1).is_closed);
}

TEST_F(ProtocolSbe, ZAddRefusesWhatDoesNotGoTogether)
{
	const leat_sbe_zadd_members members[] = { { 1, kKey }, { 2, LEAT_SLICE("l") } };
	std::string syntax = Error("syntax error");

	for (unsigned flags : { 0x03, 0x05, 0x09, 0x0c, 0x40, 0x80, 0x20 })
		EXPECT_EQ(syntax, serve.Ask(PUT(zadd, (uint8_t)flags, members, 2, kKey))) << flags;
	EXPECT_EQ(syntax, serve.Ask(PUT(zadd, 0, members, 0, kKey)));
	EXPECT_EQ(PUT(int_reply, 0), serve.Ask(PUT(zcard, kKey)));
}

TEST_F(ProtocolSbe, ExpireRefusesUnknownFlags)
{
	EXPECT_EQ(Error("syntax error"), serve.Ask(PUT(expire, 1, 0x10, kKey)));
}

TEST_F(ProtocolSbe, ScoresAreExact)
{
	const double inf = std::numeric_limits<double>::infinity();

	for (double score : { 0.0, 1.0, -1.5, 0.1, 1e300, -1e-300, 5e-324, 2.2250738585072009e-308,
		     1.7976931348623157e308, inf, -inf }) {
		leat_sbe_zadd_members member = { score, kKey };

		(void)serve.Ask(PUT(zadd, 0, &member, 1, kKey));
		EXPECT_EQ(PUT(double_reply, score), serve.Ask(PUT(zscore, kKey, kKey))) << score;
	}
}

TEST_F(ProtocolSbe, NaNIsNoScore)
{
	for (double nan : { std::numeric_limits<double>::quiet_NaN(),
		     -std::numeric_limits<double>::quiet_NaN() }) {
		leat_sbe_zadd_members member = { nan, kKey };

		EXPECT_EQ(Error("value is not a valid float"),
			serve.Ask(PUT(zadd, 0, &member, 1, kKey)));
	}
}

TEST_F(ProtocolSbe, ZAddIncrementIsADouble)
{
	leat_sbe_zadd_members member = { 2.5, kKey };

	EXPECT_EQ(SbeVectorBytes("nil"), serve.Ask(PUT(zadd, 0x22, &member, 1, kKey)));
	EXPECT_EQ(PUT(double_reply, 2.5), serve.Ask(PUT(zadd, 0x20, &member, 1, kKey)));
	EXPECT_EQ(PUT(double_reply, 5), serve.Ask(PUT(zadd, 0x20, &member, 1, kKey)));
}

TEST_F(ProtocolSbe, NumbersAtTheirEnds)
{
	EXPECT_EQ(PUT(int_reply, INT64_MIN), serve.Ask(PUT(incr_by, INT64_MIN, kKey)));
	EXPECT_EQ(
		Error("increment or decrement would overflow"), serve.Ask(PUT(incr_by, -1, kKey)));
	EXPECT_EQ(PUT(int_reply, -1), serve.Ask(PUT(incr_by, INT64_MAX, kKey)));
	EXPECT_EQ(Error("decrement would overflow"), serve.Ask(PUT(decr_by, INT64_MIN, kKey)));
}

TEST_F(ProtocolSbe, ASubscriberMayAskOn)
{
	const leat_sbe_subscribe_channels channels[] = { { LEAT_SLICE("c") }, { LEAT_SLICE("d") } };

	EXPECT_EQ(PUT(pub_sub_push, 2, 1, kNone, LEAT_SLICE("c"), kNone) +
			  PUT(pub_sub_push, 2, 2, kNone, LEAT_SLICE("d"), kNone),
		serve.Ask(PUT(subscribe, channels, 2)));
	EXPECT_EQ(SbeVectorBytes("PONG"), serve.Ask(SbeVectorBytes("Ping")));
	EXPECT_EQ(SbeVectorBytes("nil"), serve.Ask(SbeVectorBytes("Get k")));
	EXPECT_EQ(PUT(int_reply, 1), serve.Ask(PUT(publish, LEAT_SLICE("d"), kKey), 2));
	EXPECT_EQ(PUT(pub_sub_push, 0, 0, kNone, LEAT_SLICE("d"), kKey), serve.Take(1));
}

TEST_F(ProtocolSbe, UnsubscribeNamesWhatItEnds)
{
	const leat_sbe_subscribe_channels channel = { LEAT_SLICE("c") };
	const leat_sbe_unsubscribe_channels other = { LEAT_SLICE("d") };

	EXPECT_EQ(PUT(pub_sub_push, 4, 0, kNone, kNone, kNone),
		serve.Ask(PUT(unsubscribe, nullptr, 0)));
	(void)serve.Ask(PUT(subscribe, &channel, 1));
	EXPECT_EQ(PUT(pub_sub_push, 4, 1, kNone, LEAT_SLICE("d"), kNone),
		serve.Ask(PUT(unsubscribe, &other, 1)));
	EXPECT_EQ(PUT(pub_sub_push, 4, 0, kNone, LEAT_SLICE("c"), kNone),
		serve.Ask(PUT(unsubscribe, nullptr, 0)));
}

TEST_F(ProtocolSbe, EntriesAtTheLimitAndOneOverTheTurns)
{
	std::vector<leat_sbe_del_keys> keys(LEAT_SBE_ENTRIES_MAX, { kKey });
	std::vector<leat_sbe_zadd_members> members(16382, { 1.0, kKey });

	EXPECT_EQ(PUT(int_reply, 0), serve.Ask(PUT(del, keys.data(), LEAT_SBE_ENTRIES_MAX)));
	// A word for each flag, and four slices for each member.
	EXPECT_EQ(PUT(int_reply, 1), serve.Ask(PUT(zadd, 0, members.data(), 16382, kKey)));
	members.push_back({ 1.0, kKey });
	EXPECT_EQ(Error("too many entries in a request"),
		serve.Ask(PUT(zadd, 0, members.data(), 16383, kKey)));
	EXPECT_FALSE(serve.At(1).is_closed);
}

TEST_F(ProtocolSbe, ArgumentsBeyondTheTurnsRoomWait)
{
	const leat_protocol *sbe = leat_protocol_find("sbe");
	std::string bytes = PUT(incr_by, 7, kKey);
	leat_protocol_state state = {};
	leat_slice argv[5];
	leat_request req;

	EXPECT_EQ(-ENOBUFS, sbe->decode(&state, &serve.limits, Slice(bytes), &req, argv, 4));
	EXPECT_EQ((ssize_t)bytes.size(),
		sbe->decode(&state, &serve.limits, Slice(bytes), &req, argv, 5));
	EXPECT_EQ(3u, req.argc);
	EXPECT_EQ(5u, req.argv_len);
	EXPECT_EQ("7", String(argv[2]));
}

TEST_F(ProtocolSbe, LongKeysAreTheStoresMatter)
{
	for (size_t len : { 65535, 65536 }) {
		std::string key(len, 'k');

		EXPECT_EQ(SbeVectorBytes("OK"), serve.Ask(PUT(set, 0, 0, 0, Slice(key), kKey)));
		EXPECT_EQ(PUT(bulk_reply, kKey), serve.Ask(PUT(get, Slice(key))));
	}
}

TEST_F(ProtocolSbe, EveryRequestOfTheSchemaHasItsCommand)
{
	const leat_protocol *sbe = leat_protocol_find("sbe");

	for (uint32_t id = 0; id <= LEAT_SBE_TEMPLATE_ID_MAX; id++) {
		const leat_sbe_layout *layout = leat_sbe_layout_find((uint16_t)id);
		leat_protocol_state state = {};
		leat_slice argv[64];
		leat_request req;

		if (layout == nullptr || layout->is_reply)
			continue;
		std::string body(layout->block_len, '\0');
		if (layout->has_group) {
			body += std::string(1, (char)layout->entry_len) + std::string("\0\1\0", 3);
			body += std::string(layout->entry_len + 4u * layout->entry_nb_data, '\0');
		}
		body += std::string(4u * layout->nb_data, '\0');
		std::string bytes =
			Head((uint32_t)body.size() + 8, layout->block_len, (uint16_t)id, 7, 2) +
			body;
		ASSERT_EQ((ssize_t)bytes.size(),
			sbe->decode(&state, &serve.limits, Slice(bytes), &req, argv, 64))
			<< layout->name;
		EXPECT_EQ(0, req.refusal) << layout->name;
		ASSERT_NE(nullptr, req.command) << layout->name;
		std::string lower;
		for (const char *c = layout->name; *c != '\0'; c++)
			lower += (char)tolower(*c);
		EXPECT_EQ(lower, req.command->name);
	}
}

} // namespace
