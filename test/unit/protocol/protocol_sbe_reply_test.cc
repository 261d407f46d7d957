// SPDX-License-Identifier: BSD-3-Clause

// Replies as SBE's messages, as any command may write them.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_protocol.h>

#include "sbe_bytes.h"

namespace
{

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

const leat_slice kNone = { nullptr, 0 };
constexpr size_t kStep = 3; // bytes of a window

// A reply into windows of a few bytes each, with a byte between them.
class SbeReply : public testing::Test
{
      protected:
	SbeReply()
	{
		windows.w.more = Next;
		reply.ops = leat_protocol_find("sbe")->reply;
		reply.writer = &windows.w;
	}

	std::string Out()
	{
		std::string out;

		EXPECT_FALSE(windows.w.failed);
		EXPECT_EQ(0u, reply.state[0]);
		for (size_t at = 0; at < windows.nb_used; at += kStep + 1) {
			out += std::string((char *)windows.bytes.data() + at, kStep);
			EXPECT_EQ(0, windows.bytes[at + kStep]);
		}
		out.resize(out.size() - (size_t)(windows.w.end - windows.w.pos));
		return ToHex(out);
	}

	struct Windows {
		leat_writer w = {};
		std::vector<uint8_t> bytes = std::vector<uint8_t>(1 << 20);
		size_t nb_used = 0;
	};

	static int Next(leat_writer *w)
	{
		Windows *windows = LEAT_CONTAINER_OF(w, Windows, w);

		if (windows->bytes.size() - windows->nb_used < kStep + 1)
			return -ENOBUFS;
		w->pos = windows->bytes.data() + windows->nb_used;
		w->end = w->pos + kStep;
		windows->nb_used += kStep + 1;
		return 0;
	}

	Windows windows;
	leat_reply reply = {};
};

TEST_F(SbeReply, AMapIsAnArrayOfFieldsAndValues)
{
	const leat_sbe_array_reply_items items[] = { { LEAT_SLICE("f") }, { LEAT_SLICE("v") },
		{ LEAT_SLICE("g") }, { LEAT_SLICE("-7") } };

	leat_reply_map(&reply, 2);
	leat_reply_bytes(&reply, LEAT_SLICE("f"));
	leat_reply_status(&reply, LEAT_SLICE("v"));
	leat_reply_bytes(&reply, LEAT_SLICE("g"));
	leat_reply_integer(&reply, -7);
	EXPECT_EQ(ToHex(PUT(array_reply, items, 4)), Out());
}

TEST_F(SbeReply, AMapIsAMapWhereTheTemplateHasIt)
{
	const leat_sbe_map_reply_entries entries[] = { { LEAT_SLICE("f"), LEAT_SLICE("0.5") } };

	reply.flags = LEAT_SBE_MAP_REPLY;
	leat_reply_map(&reply, 1);
	leat_reply_bytes(&reply, LEAT_SLICE("f"));
	leat_reply_score(&reply, 0.5);
	EXPECT_EQ(ToHex(PUT(map_reply, entries, 1)), Out());
}

TEST_F(SbeReply, EmptyArrays)
{
	leat_reply_array(&reply, 0);
	EXPECT_EQ(ToHex(PUT(array_reply, nullptr, 0)), Out());
}

TEST_F(SbeReply, NullableArrays)
{
	const leat_sbe_nullable_array_reply_items items[] = { { 1, LEAT_SLICE("a") }, { 0, kNone },
		{ 1, kNone } };

	reply.flags = LEAT_SBE_NULLABLE_ARRAY_REPLY;
	leat_reply_array(&reply, 3);
	leat_reply_bytes(&reply, LEAT_SLICE("a"));
	leat_reply_null(&reply);
	leat_reply_bytes(&reply, kNone);
	EXPECT_EQ(ToHex(PUT(nullable_array_reply, items, 3)), Out());
}

TEST_F(SbeReply, ScoredArraysHaveTheScoreFirst)
{
	const leat_sbe_scored_array_reply_items items[] = { { 0.5, LEAT_SLICE("a") },
		{ -3, LEAT_SLICE("b") } };

	reply.flags = LEAT_SBE_SCORED_ARRAY_REPLY;
	leat_reply_array(&reply, 4);
	leat_reply_bytes(&reply, LEAT_SLICE("a"));
	leat_reply_score(&reply, 0.5);
	leat_reply_bytes(&reply, LEAT_SLICE("b"));
	leat_reply_score(&reply, -3);
	EXPECT_EQ(ToHex(PUT(scored_array_reply, items, 2)), Out());
}

TEST_F(SbeReply, EntriesAtTheLimitAndOneOver)
{
	std::vector<leat_sbe_array_reply_items> items(LEAT_SBE_ENTRIES_MAX, { kNone });

	leat_reply_array(&reply, LEAT_SBE_ENTRIES_MAX);
	for (uint32_t i = 0; i < LEAT_SBE_ENTRIES_MAX; i++)
		leat_reply_bytes(&reply, kNone);
	EXPECT_EQ(ToHex(PUT(array_reply, items.data(), LEAT_SBE_ENTRIES_MAX)), Out());
	windows.w.pos = windows.w.end = nullptr;
	windows.bytes.assign(windows.bytes.size(), 0);
	windows.nb_used = 0;
	leat_reply_map(&reply, LEAT_SBE_ENTRIES_MAX / 2 + 1);
	for (uint32_t i = 0; i < LEAT_SBE_ENTRIES_MAX + 1; i++)
		leat_reply_integer(&reply, 1);
	EXPECT_EQ(ToHex(PUT(error_reply, LEAT_SLICE("ERR"),
			  LEAT_SLICE("reply has too many entries"))),
		Out());
	leat_reply_null(&reply);
	EXPECT_EQ(ToHex(PUT(nil_reply)), Out().substr(2 * (12 + 4 + 3 + 4 + 26)));
}

TEST_F(SbeReply, PushesOfEveryKind)
{
	const leat_slice p = LEAT_SLICE("p*");
	const leat_slice c = LEAT_SLICE("pc");
	const leat_slice t = LEAT_SLICE("text");

	leat_reply_push(&reply, 3);
	leat_reply_bytes(&reply, LEAT_SLICE("message"));
	leat_reply_bytes(&reply, c);
	leat_reply_bytes(&reply, t);
	leat_reply_push(&reply, 4);
	leat_reply_bytes(&reply, LEAT_SLICE("pmessage"));
	leat_reply_bytes(&reply, p);
	leat_reply_bytes(&reply, c);
	leat_reply_bytes(&reply, t);
	for (const char *kind : { "subscribe", "psubscribe", "unsubscribe", "punsubscribe" }) {
		leat_reply_push(&reply, 3);
		leat_reply_bytes(&reply, leat_slice_str(kind));
		leat_reply_bytes(&reply, kind[0] == 'p' ? p : c);
		leat_reply_integer(&reply, 65536);
	}
	leat_reply_push(&reply, 3);
	leat_reply_bytes(&reply, LEAT_SLICE("punsubscribe"));
	leat_reply_null(&reply);
	leat_reply_integer(&reply, 0);
	EXPECT_EQ(ToHex(PUT(pub_sub_push, 0, 0, kNone, c, t) + PUT(pub_sub_push, 1, 0, p, c, t) +
			  PUT(pub_sub_push, 2, 65536, kNone, c, kNone) +
			  PUT(pub_sub_push, 3, 65536, p, kNone, kNone) +
			  PUT(pub_sub_push, 4, 65536, kNone, c, kNone) +
			  PUT(pub_sub_push, 5, 65536, p, kNone, kNone) +
			  PUT(pub_sub_push, 5, 0, kNone, kNone, kNone)),
		Out());
}

TEST_F(SbeReply, ErrorsAreCodeAndMessage)
{
	leat_reply_error(&reply, LEAT_SLICE("OOM command not allowed"));
	leat_reply_error(&reply, LEAT_SLICE("ERR"));
	leat_reply_error(&reply, kNone);
	EXPECT_EQ(ToHex(PUT(error_reply, LEAT_SLICE("OOM"), LEAT_SLICE("command not allowed")) +
			  PUT(error_reply, LEAT_SLICE("ERR"), kNone) +
			  PUT(error_reply, kNone, kNone)),
		Out());
}

TEST_F(SbeReply, WithoutRoomTheWriterFails)
{
	std::string big(1 << 20, 'x');

	leat_reply_array(&reply, 2);
	leat_reply_bytes(&reply, Slice(big));
	leat_reply_bytes(&reply, Slice(big));
	EXPECT_TRUE(windows.w.failed);
	EXPECT_EQ(0u, reply.state[0]);
}

// The bytes are never read: the writer has no room and drops them.
TEST_F(SbeReply, NoFrameIsOverTheLimit)
{
	uint8_t nothing[1];

	windows.nb_used = windows.bytes.size();
	leat_reply_bytes(&reply, { nothing, LEAT_SBE_FRAME_MAX });
	EXPECT_TRUE(windows.w.failed);
	windows.w.failed = false;
	leat_reply_array(&reply, 1);
	leat_reply_bytes(&reply, { nothing, LEAT_SBE_FRAME_MAX });
	EXPECT_TRUE(windows.w.failed);
}

} // namespace
