// SPDX-License-Identifier: BSD-3-Clause

// Every template that there is, built and read as a client does, beside the same operation
// in RESP: the same answers, and so the same effects, which later requests read.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sbe_serve.h"

namespace
{

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

struct Operation {
	std::string sbe;
	std::vector<std::string> words;
};

std::string
Request(const std::vector<std::string> &words)
{
	std::string out = "*" + std::to_string(words.size()) + "\r\n";

	for (const std::string &word : words)
		out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
	return out;
}

std::string
Array(const std::vector<leat_sbe_entry> &entries)
{
	std::string out = "*" + std::to_string(entries.size()) + "\r\n";

	for (const leat_sbe_entry &entry : entries) {
		std::string value = String(leat_sbe_array_reply_items_value(&entry));

		out += "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
	}
	return out;
}

std::string
Bulk(const std::string &value)
{
	return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

std::string
Push(const leat_sbe_message *msg)
{
	const char *const kinds[] = { "message", "", "subscribe", "", "unsubscribe", "" };
	uint8_t kind = leat_sbe_pub_sub_push_kind(msg);
	std::string out = "*3\r\n" + Bulk(kinds[kind]);
	std::string channel = String(leat_sbe_pub_sub_push_channel(msg));

	EXPECT_EQ("", String(leat_sbe_pub_sub_push_pattern(msg)));
	out += channel.empty() ? "$-1\r\n" : Bulk(channel);
	if (kind == 0)
		return out + Bulk(String(leat_sbe_pub_sub_push_payload(msg)));
	EXPECT_EQ("", String(leat_sbe_pub_sub_push_payload(msg)));
	return out + ":" + std::to_string(leat_sbe_pub_sub_push_subscription_count(msg)) + "\r\n";
}

// One message as RESP has it.
std::string
AsResp(const std::string &bytes, uint16_t template_id)
{
	Decoded msg(bytes, template_id);
	char text[32];

	switch (template_id) {
	case LEAT_SBE_NIL_REPLY:
		return "$-1\r\n";
	case LEAT_SBE_STATUS_REPLY:
		return "+" + String(leat_sbe_status_reply_status(*msg)) + "\r\n";
	case LEAT_SBE_ERROR_REPLY:
		return "-" + String(leat_sbe_error_reply_code(*msg)) + " " +
		       String(leat_sbe_error_reply_message(*msg)) + "\r\n";
	case LEAT_SBE_INT_REPLY:
		return ":" + std::to_string(leat_sbe_int_reply_value(*msg)) + "\r\n";
	case LEAT_SBE_DOUBLE_REPLY:
		(void)snprintf(text, sizeof(text), "%.17g", leat_sbe_double_reply_value(*msg));
		return Bulk(text);
	case LEAT_SBE_BULK_REPLY:
		return Bulk(String(leat_sbe_bulk_reply_value(*msg)));
	case LEAT_SBE_ARRAY_REPLY:
		return Array(msg.Entries());
	case LEAT_SBE_PUB_SUB_PUSH:
		return Push(*msg);
	default:
		ADD_FAILURE() << "template " << template_id;
		return "";
	}
}

std::string
AsResp(std::string bytes)
{
	std::string out;

	while (!bytes.empty()) {
		leat_sbe_refusal refusal = LEAT_SBE_OK;
		leat_sbe_frame frame = {};
		ssize_t ret =
			leat_sbe_parse_frame(Slice(bytes), LEAT_SBE_FRAME_MAX, &frame, &refusal);

		if (ret <= 0) {
			ADD_FAILURE() << ToHex(bytes);
			break;
		}
		out += AsResp(bytes.substr(0, (size_t)ret), frame.template_id);
		bytes.erase(0, (size_t)ret);
	}
	return out;
}

std::vector<Operation>
OfStringsAndKeys()
{
	const leat_slice k = LEAT_SLICE("k");
	const leat_slice v = LEAT_SLICE("v");
	const int64_t at = (int64_t)kWallMs + 5000;

	return {
		{ PUT(info), { "INFO" } }, // it counts what went before
		{ PUT(ping), { "PING" } },
		{ PUT(echo, v), { "ECHO", "v" } },
		{ PUT(get, k), { "GET", "k" } },
		{ PUT(set, 0, 0, 0, k, v), { "SET", "k", "v" } },
		{ PUT(get, k), { "GET", "k" } },
		{ PUT(incr, k), { "INCR", "k" } },
		{ PUT(set, 0x0c, 0, 0, k, LEAT_SLICE("7")), { "SET", "k", "7", "GET", "KEEPTTL" } },
		{ PUT(set, 0x01, 2, 9, k, v), { "SET", "k", "v", "NX", "PX", "9" } },
		{ PUT(set, 0x01, 9, 0, k, v), { "SET", "k", "v", "EX" } },
		{ PUT(set, 0, 1, -1, k, v), { "SET", "k", "v", "EX", "-1" } },
		{ PUT(incr, k), { "INCR", "k" } },
		{ PUT(decr, k), { "DECR", "k" } },
		{ PUT(incr_by, -20, k), { "INCRBY", "k", "-20" } },
		{ PUT(decr_by, INT64_MIN, k), { "DECRBY", "k", "-9223372036854775808" } },
		{ PUT(decr_by, 4, k), { "DECRBY", "k", "4" } },
		{ PUT(type, k), { "TYPE", "k" } },
		{ PUT(ttl, k), { "TTL", "k" } },
		{ PUT(expire, 100, 0x02, k), { "EXPIRE", "k", "100", "XX" } },
		{ PUT(expire, 100, 0x01, k), { "EXPIRE", "k", "100", "NX" } },
		{ PUT(expire, 100, 0x05, k), { "EXPIRE", "k", "100", "NX", "GT" } },
		{ PUT(ttl, k), { "TTL", "k" } },
		{ PUT(pexpire, 200, 0x08, k), { "PEXPIRE", "k", "200", "LT" } },
		{ PUT(pttl, k), { "PTTL", "k" } },
		{ PUT(expire_at, at / 1000, 0x04, k), { "EXPIREAT", "k", "1700000005", "GT" } },
		{ PUT(pttl, k), { "PTTL", "k" } },
		{ PUT(pexpire_at, at, 0, k), { "PEXPIREAT", "k", "1700000005000" } },
		{ PUT(persist, k), { "PERSIST", "k" } },
		{ PUT(persist, k), { "PERSIST", "k" } },
	};
}

std::vector<Operation>
OfHashesAndSortedSets()
{
	const leat_slice k = LEAT_SLICE("k");
	const leat_slice h = LEAT_SLICE("h");
	const leat_slice z = LEAT_SLICE("z");
	const leat_slice m = LEAT_SLICE("m");
	const leat_slice v = LEAT_SLICE("v");
	const leat_sbe_hset_entries pairs[] = { { LEAT_SLICE("f"), v }, { LEAT_SLICE("g"), k } };
	const leat_sbe_hdel_fields fields[] = { { LEAT_SLICE("f") }, { LEAT_SLICE("x") } };
	const leat_sbe_zadd_members members[] = { { 0.5, m }, { -3, k } };
	const leat_sbe_zadd_members one[] = { { 1.25, m } };
	const leat_sbe_del_keys dels[] = { { k }, { h }, { LEAT_SLICE("none") } };
	const leat_sbe_exists_keys exist[] = { { k }, { h }, { k } };

	return {
		{ PUT(hset, pairs, 2, h), { "HSET", "h", "f", "v", "g", "k" } },
		{ PUT(hset, pairs, 1, h), { "HSET", "h", "f", "v" } },
		{ PUT(hset, nullptr, 0, h), { "HSET", "h" } },
		{ PUT(hset, pairs, 1, k), { "HSET", "k", "f", "v" } },
		{ PUT(hget, h, LEAT_SLICE("g")), { "HGET", "h", "g" } },
		{ PUT(hget, h, v), { "HGET", "h", "v" } },
		{ PUT(hget_all, h), { "HGETALL", "h" } },
		{ PUT(hget_all, v), { "HGETALL", "v" } },
		{ PUT(hget_all, k), { "HGETALL", "k" } },
		{ PUT(hdel, fields, 2, h), { "HDEL", "h", "f", "x" } },
		{ PUT(hlen, h), { "HLEN", "h" } },
		{ PUT(zadd, 0, members, 2, z), { "ZADD", "z", "0.5", "m", "-3", "k" } },
		{ PUT(zadd, 0x14, one, 1, z), { "ZADD", "z", "GT", "CH", "1.25", "m" } },
		{ PUT(zadd, 0x20, one, 1, z), { "ZADD", "z", "INCR", "1.25", "m" } },
		{ PUT(zadd, 0x21, one, 1, z), { "ZADD", "z", "NX", "INCR", "1.25", "m" } },
		{ PUT(zadd, 0x28, one, 1, z), { "ZADD", "z", "LT", "INCR", "1.25", "m" } },
		{ PUT(zadd, 0, one, 1, h), { "ZADD", "h", "1", "m" } },
		{ PUT(zscore, z, m), { "ZSCORE", "z", "m" } },
		{ PUT(zscore, z, v), { "ZSCORE", "z", "v" } },
		{ PUT(zcard, z), { "ZCARD", "z" } },
		{ PUT(get, z), { "GET", "z" } },
		{ PUT(exists, exist, 3), { "EXISTS", "k", "h", "k" } },
		{ PUT(del, dels, 3), { "DEL", "k", "h", "none" } },
		{ PUT(del, nullptr, 0), { "DEL" } },
		{ PUT(exists, exist, 1), { "EXISTS", "k" } },
	};
}

std::vector<Operation>
OfMessages()
{
	const leat_slice m = LEAT_SLICE("m");
	const leat_slice v = LEAT_SLICE("v");
	const leat_sbe_subscribe_channels channels[] = { { LEAT_SLICE("c") }, { LEAT_SLICE("d") } };
	const leat_sbe_unsubscribe_channels ends[] = { { LEAT_SLICE("c") } };

	return {
		{ PUT(publish, v, m), { "PUBLISH", "v", "m" } },
		{ PUT(subscribe, nullptr, 0), { "SUBSCRIBE" } },
		{ PUT(subscribe, channels, 2), { "SUBSCRIBE", "c", "d" } },
		{ PUT(unsubscribe, ends, 1), { "UNSUBSCRIBE", "c" } },
		{ PUT(unsubscribe, nullptr, 0), { "UNSUBSCRIBE" } },
		{ PUT(unsubscribe, nullptr, 0), { "UNSUBSCRIBE" } },
	};
}

// One operation for each kind of answer of each template.
std::vector<Operation>
Operations()
{
	std::vector<Operation> all = OfStringsAndKeys();

	for (const Operation &operation : OfHashesAndSortedSets())
		all.push_back(operation);
	for (const Operation &operation : OfMessages())
		all.push_back(operation);
	return all;
}

TEST(ProtocolSbeEqual, EveryOperationIsAnsweredAsInResp)
{
	std::vector<std::string> by_resp;
	std::vector<Operation> operations = Operations();

	{
		Serve serve("resp");

		for (const Operation &operation : operations)
			by_resp.push_back(serve.Ask(Request(operation.words)));
	}
	Serve serve("sbe");

	for (size_t i = 0; i < operations.size(); i++)
		EXPECT_EQ(by_resp[i], AsResp(serve.Ask(operations[i].sbe)))
			<< i << " " << operations[i].words[0];
}

// The table above leaves no template out.
TEST(ProtocolSbeEqual, EveryTemplateIsAmongThem)
{
	std::vector<bool> has(UINT8_MAX + 1);

	for (const Operation &operation : Operations())
		has[(uint8_t)operation.sbe[6]] = true;
	for (uint32_t id = 0; id <= LEAT_SBE_TEMPLATE_ID_MAX; id++) {
		const leat_sbe_layout *layout = leat_sbe_layout_find((uint16_t)id);

		if (layout != nullptr && !layout->is_reply) {
			EXPECT_TRUE(has[id]) << layout->name;
		}
	}
}

} // namespace
