// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "sbe_bytes.h"

namespace
{

struct Result {
	ssize_t ret = 0;
	leat_sbe_refusal refusal = LEAT_SBE_OK;
	leat_sbe_frame frame = {};
};

Result
Parse(const std::string &bytes, size_t frame_max = LEAT_SBE_FRAME_MAX)
{
	Exact exact(bytes);
	Result r;

	r.ret = leat_sbe_parse_frame(exact.slice(), frame_max, &r.frame, &r.refusal);
	return r;
}

leat_sbe_refusal
Decode(const std::string &bytes)
{
	Exact exact(bytes);
	leat_sbe_refusal refusal = LEAT_SBE_OK;
	leat_sbe_frame frame = {};
	leat_sbe_message msg;

	EXPECT_EQ((ssize_t)bytes.size(),
		leat_sbe_parse_frame(exact.slice(), LEAT_SBE_FRAME_MAX, &frame, &refusal));
	return leat_sbe_decode(leat_sbe_layout_find(frame.template_id), &frame, &msg);
}

std::string
U16(uint32_t value)
{
	return { (char)value, (char)(value >> 8) };
}

std::string
U32(uint32_t value)
{
	return U16(value) + U16(value >> 16);
}

// A frame of a header and a body.
std::string
Frame(uint16_t template_id, uint16_t block_len, const std::string &body, uint16_t schema_id = 7,
	uint16_t version = 2)
{
	return U32((uint32_t)body.size() + 8) + U16(block_len) + U16(template_id) + U16(schema_id) +
	       U16(version) + body;
}

TEST(SbeParseFrame, EveryVectorIsOneFrame)
{
	for (const SbeVector &vector : kSbeVectors) {
		std::string bytes = FromHex(vector.hex);

		EXPECT_EQ((ssize_t)bytes.size(), Parse(bytes).ret) << vector.name;
		EXPECT_EQ((ssize_t)bytes.size(), Parse(bytes + "more").ret) << vector.name;
		EXPECT_EQ(LEAT_SBE_OK, Decode(bytes)) << vector.name;
	}
}

TEST(SbeParseFrame, EveryProperPrefixIsIncomplete)
{
	for (const SbeVector &vector : kSbeVectors) {
		std::string bytes = FromHex(vector.hex);

		for (size_t len = 0; len < bytes.size(); len++)
			EXPECT_EQ(0, Parse(bytes.substr(0, len)).ret) << vector.name << " " << len;
	}
}

TEST(SbeParseFrame, TellsTheHeader)
{
	Result r = Parse(Frame(23, 3, "abcde", 7, 9));

	EXPECT_EQ(17, r.ret);
	EXPECT_EQ(23u, r.frame.template_id);
	EXPECT_EQ(3u, r.frame.block_len);
	EXPECT_EQ(9u, r.frame.version);
	EXPECT_EQ(5u, r.frame.body.len);
}

TEST(SbeParseFrame, RefusalsAreExactAndComeWithTheHead)
{
	const struct {
		std::string bytes;
		ssize_t ret;
		leat_sbe_refusal refusal;
	} table[] = {
		{ U32(0), -EBADMSG, LEAT_SBE_SHORT_FRAME },
		{ U32(7), -EBADMSG, LEAT_SBE_SHORT_FRAME },
		{ U32(LEAT_SBE_FRAME_MAX - 3), -EMSGSIZE, LEAT_SBE_BIG_FRAME },
		{ U32(UINT32_MAX), -EMSGSIZE, LEAT_SBE_BIG_FRAME },
		{ "GOBL", -EMSGSIZE, LEAT_SBE_BIG_FRAME },
		{ Frame(16, 0, "", 6), -EBADMSG, LEAT_SBE_BAD_SCHEMA },
		{ Frame(16, 0, "", 8), -EBADMSG, LEAT_SBE_BAD_SCHEMA },
		{ Frame(16, 0, "", 7, 1), -EBADMSG, LEAT_SBE_OLD_VERSION },
		{ Frame(16, 0, "", 7, 0), -EBADMSG, LEAT_SBE_OLD_VERSION },
		{ Frame(16, 1, ""), -EBADMSG, LEAT_SBE_BAD_BLOCK },
		{ Frame(16, 3, "ab").substr(0, 12), -EBADMSG, LEAT_SBE_BAD_BLOCK },
	};

	for (const auto &row : table) {
		Result r = Parse(row.bytes);

		EXPECT_EQ(row.ret, r.ret) << ToHex(row.bytes);
		EXPECT_EQ(row.refusal, r.refusal) << ToHex(row.bytes);
	}
}

TEST(SbeParseFrame, LengthAtTheLimitAndOneOver)
{
	EXPECT_EQ(0, Parse(U32(LEAT_SBE_FRAME_MAX - 4)).ret);
	EXPECT_EQ(-EMSGSIZE, Parse(U32(LEAT_SBE_FRAME_MAX - 3)).ret);
	EXPECT_EQ(16, Parse(Frame(16, 0, "abcd"), 16).ret);
	EXPECT_EQ(-EMSGSIZE, Parse(Frame(16, 0, "abcde"), 16).ret);
	EXPECT_EQ(-EMSGSIZE, Parse(Frame(16, 0, ""), 0).ret);
}

TEST(SbeDecode, RefusesABlockShorterThanTheTemplates)
{
	EXPECT_EQ(LEAT_SBE_BAD_BLOCK, Decode(Frame(31, 7, std::string(7, 0) + U32(0))));
	EXPECT_EQ(LEAT_SBE_OK, Decode(Frame(31, 8, std::string(8, 0) + U32(0))));
}

TEST(SbeDecode, SkipsWhatALaterVersionPutBehindTheBlock)
{
	Decoded msg(Frame(31, 10, std::string("\x05\0\0\0\0\0\0\0xx", 10) + U32(1) + "k", 7, 3),
		LEAT_SBE_INCR_BY);

	EXPECT_EQ(5, leat_sbe_incr_by_delta(*msg));
	EXPECT_EQ("k", String(leat_sbe_incr_by_key(*msg)));
}

TEST(SbeDecode, SkipsWhatALaterVersionPutBehindAnEntrysBlock)
{
	std::string entry = std::string("\0\0\0\0\0\0\xf0\x3fxxx", 11) + U32(1) + "m";
	Decoded msg(
		Frame(17, 1, std::string(1, 0) + U16(11) + U16(2) + entry + entry + U32(1) + "z"),
		LEAT_SBE_ZADD);

	ASSERT_EQ(2u, msg.Entries().size());
	EXPECT_EQ(1.0, leat_sbe_zadd_members_score(&msg.Entries()[1]));
	EXPECT_EQ("m", String(leat_sbe_zadd_members_member(&msg.Entries()[1])));
	EXPECT_EQ("z", String(leat_sbe_zadd_key(*msg)));
}

TEST(SbeDecode, IgnoresTrailingBytes)
{
	EXPECT_EQ(LEAT_SBE_OK, Decode(Frame(22, 0, U32(1) + "k" + "trailing")));
	EXPECT_EQ(LEAT_SBE_OK, Decode(Frame(16, 0, "trailing")));
}

TEST(SbeDecode, RefusesGroupsPastTheEnd)
{
	EXPECT_EQ(LEAT_SBE_BAD_GROUP, Decode(Frame(34, 0, "")));
	EXPECT_EQ(LEAT_SBE_BAD_GROUP, Decode(Frame(34, 0, U16(0) + "\x01")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(34, 0, U16(0) + U16(1))));
	EXPECT_EQ(LEAT_SBE_BAD_GROUP, Decode(Frame(34, 0, U16(1) + U16(1))));
	EXPECT_EQ(LEAT_SBE_BAD_GROUP, Decode(Frame(34, 0, U16(65535) + U16(65535) + "abc")));
	EXPECT_EQ(LEAT_SBE_OK, Decode(Frame(34, 0, U16(0) + U16(0))));
}

TEST(SbeDecode, RefusesAnEntryShorterThanTheTemplates)
{
	EXPECT_EQ(LEAT_SBE_BAD_GROUP,
		Decode(Frame(17, 1, std::string(1, 0) + U16(7) + U16(0) + U32(0))));
}

TEST(SbeDecode, RefusesDataPastTheEnd)
{
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(22, 0, "")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(22, 0, "\x01\0\0")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(22, 0, U32(1))));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(22, 0, U32(2) + "k")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(22, 0, U32(UINT32_MAX) + "k")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(48, 0, U32(1) + "h")));
	EXPECT_EQ(LEAT_SBE_BAD_DATA, Decode(Frame(46, 0, U16(0) + U16(1) + U32(1) + "f")));
	EXPECT_EQ(LEAT_SBE_OK, Decode(Frame(22, 0, U32(1) + "k")));
}

// Cut inside its frame's length, a message is never whole.
TEST(SbeDecode, EveryVectorCutShortIsRefused)
{
	for (const SbeVector &vector : kSbeVectors) {
		std::string bytes = FromHex(vector.hex);

		for (size_t len = 12; len < bytes.size(); len++) {
			std::string cut = U32((uint32_t)len - 4) + bytes.substr(4, len - 4);
			Result r = Parse(cut);

			if (r.ret < 0) {
				EXPECT_EQ(LEAT_SBE_BAD_BLOCK, r.refusal) << vector.name;
			} else {
				EXPECT_NE(LEAT_SBE_OK, Decode(cut)) << vector.name << " " << len;
			}
		}
	}
}

TEST(SbeLayout, KnowsItsTemplatesAndNoOther)
{
	unsigned nb = 0;

	for (uint32_t id = 0; id <= UINT16_MAX; id++) {
		const leat_sbe_layout *layout = leat_sbe_layout_find((uint16_t)id);

		if (layout == nullptr)
			continue;
		nb++;
		EXPECT_EQ(id, layout->template_id);
		EXPECT_LE(layout->nb_data, LEAT_SBE_DATA_MAX);
		EXPECT_LE(layout->entry_nb_data, LEAT_SBE_ENTRY_DATA_MAX);
		EXPECT_EQ(id <= 15 || id == 125, layout->is_reply) << layout->name;
	}
	EXPECT_EQ(16u + 30u, nb);
	EXPECT_EQ(nullptr, leat_sbe_layout_find(0));
	EXPECT_EQ(nullptr, leat_sbe_layout_find(126));
	EXPECT_STREQ("HGetAll", leat_sbe_layout_find(51)->name);
}

TEST(SbeRefusal, EachHasItsOwnText)
{
	for (int i = 0; i < LEAT_SBE_REFUSALS; i++) {
		for (int j = 0; j < i; j++)
			EXPECT_STRNE(leat_sbe_refusal_text((leat_sbe_refusal)i),
				leat_sbe_refusal_text((leat_sbe_refusal)j));
	}
}

// A writer whose windows are one byte each, and none beside the other.
struct ByteWindows {
	leat_writer w;
	uint8_t bytes[64];
	size_t nb_used;
	size_t nb_max;

	std::string Hex() const
	{
		std::string out;

		for (size_t i = 0; i < nb_used; i++) {
			out += (char)bytes[2 * i];
			EXPECT_EQ(0, bytes[2 * i + 1]);
		}
		return ToHex(out);
	}
};

int
NextByte(leat_writer *w)
{
	ByteWindows *windows = LEAT_CONTAINER_OF(w, ByteWindows, w);

	if (windows->nb_used == windows->nb_max)
		return -ENOBUFS;
	w->pos = &windows->bytes[2 * windows->nb_used++];
	w->end = w->pos + 1;
	return 0;
}

TEST(SbeHole, IsFilledAcrossWindows)
{
	ByteWindows windows = {};
	leat_sbe_hole len;
	leat_sbe_hole score;

	windows.w.more = NextByte;
	windows.nb_max = sizeof(windows.bytes) / 2;
	leat_sbe_put_hole(&windows.w, &len, 4);
	leat_writer_put(&windows.w, "ab", 2);
	leat_sbe_put_hole(&windows.w, &score, 8);
	leat_sbe_fill_u32(&len, 0x04030201);
	leat_sbe_fill_f64(&score, 1.0);
	EXPECT_FALSE(windows.w.failed);
	EXPECT_EQ("01020304"
		  "6162"
		  "000000000000f03f",
		windows.Hex());
}

TEST(SbeHoleDeathTest, MoreBytesThanAHoleHasAreOurOwnMistake)
{
	uint8_t buf[16];
	leat_sbe_hole hole;
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_sbe_put_hole(&w, &hole, LEAT_SBE_HOLE_MAX);
	EXPECT_EQ(buf + LEAT_SBE_HOLE_MAX, w.pos);
	EXPECT_DEATH(leat_sbe_put_hole(&w, &hole, LEAT_SBE_HOLE_MAX + 1), "LEAT_SBE_HOLE_MAX");
}

TEST(SbeHole, WithoutRoomIsNotFilled)
{
	ByteWindows windows = {};
	leat_sbe_hole hole;

	windows.w.more = NextByte;
	windows.nb_max = 3;
	leat_sbe_put_hole(&windows.w, &hole, 4);
	EXPECT_TRUE(windows.w.failed);
	EXPECT_EQ(nullptr, hole.at[3]);
	leat_sbe_fill_u32(&hole, 0x04030201);
	EXPECT_EQ("010203", windows.Hex());
}

} // namespace
