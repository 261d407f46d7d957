// SPDX-License-Identifier: BSD-3-Clause

// Limits, header blocks and stream frames of HTTP over ZAP, beyond the golden frames.

#include <cerrno>
#include <map>

#include <gtest/gtest.h>

#include <leat_zap.h>

#include "zaphttp_support.h"

using golden::Bytes;
using golden::Copy;
using golden::Slice;
using golden::String;

namespace
{

std::string
Word(uint32_t value)
{
	uint8_t bytes[4];

	leat_le32_put(bytes, value);
	return std::string((const char *)bytes, 4);
}

std::string
PrefixOf(uint32_t len)
{
	return { (char)(len >> 24), (char)(len >> 16), (char)(len >> 8), (char)len };
}

// A request of defaults with a header block as it is.
std::string
RequestWith(const std::string &block, uint8_t type = 1)
{
	std::string frame = Bytes("5a415000010000") + (char)type + Word(16) +
			    Word((uint32_t)(64 + block.size())) + std::string(24, '\0') + Word(24) +
			    Word((uint32_t)block.size()) + std::string(16, '\0') + block;

	return PrefixOf((uint32_t)frame.size()) + frame;
}

// What becomes of a block in a request, and its fields when it is good.
ssize_t
ParseBlock(const std::string &variant, const std::string &block, Pairs *pairs = nullptr,
	leat_zaphttp_error *error = nullptr)
{
	Copy in(RequestWith(block));
	leat_zaphttp_limits limits = LimitsOf(variant);
	leat_zaphttp_request req = {};
	ssize_t ret = leat_zaphttp_parse_request(&limits, in.Slice(), &req);

	if (ret > 0 && pairs != nullptr)
		*pairs = Walk(req.headers);
	if (error != nullptr)
		*error = req.error;
	return ret < 0 ? ret : 0;
}

Pairs
Json(const std::string &block)
{
	Pairs pairs = { { "not", "parsed" } };

	EXPECT_EQ(0, ParseBlock("json", block, &pairs)) << block;
	return pairs;
}

std::string
PairsBlock(uint32_t nb_pairs)
{
	std::string block = Word(nb_pairs);

	for (uint32_t i = 0; i < nb_pairs; i++)
		block += Word(1) + "n" + Word(0);
	return block;
}

// The block that is written for one field.
std::string
JsonOf(const std::string &name, const std::string &value)
{
	Fields fields({ { name, value } });
	std::string frame = golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_end(w, LEAT_ZAPHTTP_JSON, fields.Get()));
	});

	return frame.substr(4 + 24);
}

} // namespace

TEST(ZapHttpFrame, AFrameOfNoBytesIsClosedSilently)
{
	Copy in(std::string(4, '\0'));
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_request req;

	EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
	EXPECT_EQ(LEAT_ZAPHTTP_EMPTY, req.error);
	EXPECT_TRUE(leat_zaphttp_is_silent(req.error));
}

TEST(ZapHttpFrame, TheGreatestFrameIsWaitedForAndOneMoreIsRefused)
{
	Copy at(PrefixOf(LEAT_ZAPHTTP_FRAME_MAX));
	Copy over(PrefixOf(LEAT_ZAPHTTP_FRAME_MAX + 1));
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_request req;
	leat_zaphttp_reply reply;

	EXPECT_EQ(0, leat_zaphttp_parse_request(&limits, at.Slice(), &req));
	EXPECT_EQ(-EMSGSIZE, leat_zaphttp_parse_request(&limits, over.Slice(), &req));
	EXPECT_EQ(LEAT_ZAPHTTP_LONG, req.error);
	EXPECT_EQ(-EMSGSIZE, leat_zaphttp_parse_reply(&limits, over.Slice(), &reply));
	EXPECT_EQ(LEAT_ZAPHTTP_LONG, reply.error);
}

TEST(ZapHttpFrame, TheListenersOwnLimitHolds)
{
	const std::string bytes = RequestWith("");
	leat_zaphttp_limits limits = { (uint32_t)bytes.size() - 4, LEAT_ZAPHTTP_BINARY };
	leat_zaphttp_request req;
	Copy in(bytes);

	EXPECT_EQ((ssize_t)bytes.size(), leat_zaphttp_parse_request(&limits, in.Slice(), &req));
	limits.frame_max--;
	EXPECT_EQ(-EMSGSIZE, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
}

TEST(ZapHttpFrame, WhatARequestLacksHasDefaults)
{
	Copy in(RequestWith(""));
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_request req;

	ASSERT_GT(leat_zaphttp_parse_request(&limits, in.Slice(), &req), 0);
	EXPECT_EQ("GET", String(req.method));
	EXPECT_EQ("/", String(req.target));
	EXPECT_EQ("HTTP/1.1", String(req.proto));
	EXPECT_EQ(0u, req.headers.bytes.len);
}

TEST(ZapHttpFrame, AnObjectCutShortHasDefaultsToo)
{
	Copy in(Bytes("00000011") + Bytes("5a415000010000011000000011000000") + "x");
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_request req;

	ASSERT_EQ(21, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
	EXPECT_EQ("GET", String(req.method));
}

TEST(ZapHttpFrame, AReplyOfNoStatusIsOfTheDefault)
{
	std::string bytes = golden::Written([](leat_writer *w) {
		leat_zaphttp_out_response res = {};

		res.status = 299;
		EXPECT_EQ(0, leat_zaphttp_emit_response(w, LEAT_ZAPHTTP_BINARY, &res));
	});
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_reply reply;

	bytes.replace(4 + 16, 2, 2, '\0');
	Copy in(bytes);
	EXPECT_EQ((ssize_t)bytes.size(), leat_zaphttp_parse_reply(&limits, in.Slice(), &reply));
	EXPECT_EQ(200, reply.status);
}

TEST(ZapHttpFrame, DefaultsAreWritten)
{
	const leat_zaphttp_out_request empty = {};
	const std::string bare = golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_request(w, LEAT_ZAPHTTP_BINARY, &empty));
	});

	EXPECT_EQ("GET/HTTP/1.1", bare.substr(4 + 64));
}

TEST(ZapHttpFrame, ARequestIsNoReply)
{
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_reply reply;

	for (int type : { 0, 1, 6, 200, 255 }) {
		Copy in(RequestWith("", (uint8_t)type));

		EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_reply(&limits, in.Slice(), &reply));
		EXPECT_EQ(LEAT_ZAPHTTP_TYPE, reply.error);
	}
}

TEST(ZapHttpFrame, AReplyIsNoRequest)
{
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_request req;

	for (int type : { 2, 3, 4, 5 }) {
		Copy in(RequestWith("", (uint8_t)type));

		EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
		EXPECT_EQ(LEAT_ZAPHTTP_TYPE, req.error);
	}
}

// Several faults in one frame: the one that comes first in the order is told.
TEST(ZapHttpFrame, FaultsAreFoundInTheirOrder)
{
	const std::pair<const char *, leat_zaphttp_error> frames[] = {
		{ "58415000090009000000000000000000", LEAT_ZAPHTTP_MAGIC },
		{ "5a415000090009000000000000000000", LEAT_ZAPHTTP_VERSION },
		{ "5a415000010009000000000000000000", LEAT_ZAPHTTP_SIZE },
		{ "5a415000010009000000000011000000", LEAT_ZAPHTTP_SIZE },
		{ "5a415000010000090000000010000000", LEAT_ZAPHTTP_TYPE },
		{ "5a415000010000010000000010000000", LEAT_ZAPHTTP_ROOT },
		{ "5a415000010000011000000010000000", LEAT_ZAPHTTP_ROOT },
		{ "5a415000010000010f00000010000000", LEAT_ZAPHTTP_ROOT },
		{ "5a4150000100000100000000100000", LEAT_ZAPHTTP_SHORT },
	};
	leat_zaphttp_limits limits = LimitsOf("binary");

	for (const auto &frame : frames) {
		const std::string bytes = Bytes(frame.first);
		Copy in(PrefixOf((uint32_t)bytes.size()) + bytes);
		leat_zaphttp_request req;

		EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
		EXPECT_EQ(frame.second, req.error) << frame.first;
		EXPECT_FALSE(leat_zaphttp_is_silent(req.error));
		EXPECT_EQ(0u, String(leat_zaphttp_error_text(req.error))
				      .find("malformed request frame: "));
	}
}

TEST(ZapHttpFrame, AReplysFaultsAreFoundToo)
{
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_reply reply;
	Copy magic(PrefixOf(16) + Bytes("58415000010000020000000010000000"));
	Copy root(PrefixOf(16) + Bytes("5a415000010000020000000010000000"));
	Copy headers(RequestWith("bad", 2));

	EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_reply(&limits, magic.Slice(), &reply));
	EXPECT_EQ(LEAT_ZAPHTTP_MAGIC, reply.error);
	EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_reply(&limits, root.Slice(), &reply));
	EXPECT_EQ(LEAT_ZAPHTTP_ROOT, reply.error);
	EXPECT_EQ(-EBADMSG, leat_zaphttp_parse_reply(&limits, headers.Slice(), &reply));
	EXPECT_EQ(LEAT_ZAPHTTP_HEADERS, reply.error);
}

TEST(ZapHttpPairs, ACountOfZeroIsNoField)
{
	Pairs pairs = { { "not", "parsed" } };

	EXPECT_EQ(0, ParseBlock("binary", Word(0), &pairs));
	EXPECT_TRUE(pairs.empty());
}

TEST(ZapHttpPairs, AsManyFieldsAsTheLimitAndOneMore)
{
	leat_zaphttp_error error;
	Pairs pairs;

	EXPECT_EQ(0, ParseBlock("binary", PairsBlock(LEAT_ZAPHTTP_FIELDS_MAX), &pairs));
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS_MAX, pairs.size());
	EXPECT_EQ(-EMSGSIZE,
		ParseBlock("binary", PairsBlock(LEAT_ZAPHTTP_FIELDS_MAX + 1), nullptr, &error));
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS, error);
	EXPECT_FALSE(leat_zaphttp_is_silent(error));
}

// What follows the last pair counts, too, though nobody looks at it.
TEST(ZapHttpPairs, AsManyBytesAsTheLimitAndOneMore)
{
	const std::string block = PairsBlock(1);
	const std::string tail(LEAT_ZAPHTTP_BLOCK_MAX - block.size(), 't');
	leat_zaphttp_error error;

	EXPECT_EQ(0, ParseBlock("binary", block + tail, nullptr));
	EXPECT_EQ(-EMSGSIZE, ParseBlock("binary", block + tail + "t", nullptr, &error));
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS, error);
}

TEST(ZapHttpPairs, EveryProperPrefixOfABlockIsBad)
{
	const std::string block = PairsBlock(2);
	leat_zaphttp_error error;

	for (size_t len = 1; len < block.size(); len++) {
		EXPECT_EQ(-EBADMSG, ParseBlock("binary", block.substr(0, len), nullptr, &error));
		EXPECT_EQ(LEAT_ZAPHTTP_HEADERS, error);
	}
}

TEST(ZapHttpPairs, MoreFieldsThanTheLimitAreNotWritten)
{
	Pairs pairs(LEAT_ZAPHTTP_FIELDS_MAX + 1, { "n", "v" });
	Fields fields(pairs);
	leat_zaphttp_fields at = { fields.Get().fields, LEAT_ZAPHTTP_FIELDS_MAX };
	leat_zaphttp_out_request req = {};
	leat_zaphttp_out_response res = {};

	for (leat_zaphttp_generation g : { LEAT_ZAPHTTP_BINARY, LEAT_ZAPHTTP_JSON }) {
		EXPECT_NE("", golden::Written([&](leat_writer *w) {
			EXPECT_EQ(0, leat_zaphttp_emit_end(w, g, at));
		}));
		EXPECT_EQ("", golden::Written([&](leat_writer *w) {
			req.headers = res.headers = fields.Get();
			EXPECT_EQ(-E2BIG, leat_zaphttp_emit_request(w, g, &req));
			EXPECT_EQ(-E2BIG, leat_zaphttp_emit_response(w, g, &res));
			EXPECT_EQ(-E2BIG, leat_zaphttp_emit_end(w, g, fields.Get()));
		}));
	}
}

TEST(ZapHttpPairs, WhatTheFrameSaysIsNotWrittenAsAField)
{
	Fields fields({ { "content-length", "9" }, { "Trailer", "x" } });
	leat_zaphttp_out_response res = {};

	res.headers = fields.Get();
	for (leat_zaphttp_generation g : { LEAT_ZAPHTTP_BINARY, LEAT_ZAPHTTP_JSON }) {
		const std::string frame = golden::Written([&](leat_writer *w) {
			EXPECT_EQ(0, leat_zaphttp_emit_response(w, g, &res));
		});

		EXPECT_EQ("OKHTTP/1.1", frame.substr(4 + 64));
	}
}

TEST(ZapHttpJson, BlanksAndEmptyArraysAreAllowed)
{
	EXPECT_EQ(Pairs(), Json("{}"));
	EXPECT_EQ(Pairs(), Json(" { } \r\n\t"));
	EXPECT_EQ(Pairs(), Json("{\"a\":[],\"b\":[ ]}"));
	EXPECT_EQ(Pairs({ { "a", "b" }, { "a", "c" }, { "d", "" } }),
		Json("\t{ \"a\" : [ \"b\" , \"c\" ] , \"x\":[], \"d\":[\"\"] }"));
}

TEST(ZapHttpJson, EscapesAreUndone)
{
	EXPECT_EQ(Pairs({ { "a/b", "\"\\/\b\f\n\r\t" } }),
		Json("{\"a\\/b\":[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]}"));
	EXPECT_EQ(Pairs({ { "A", std::string("\0\x7f\xc3\xa9\xe2\x82\xac", 7) } }),
		Json("{\"\\u0041\":[\"\\u0000\\u007F\\u00e9\\u20aC\"]}"));
	EXPECT_EQ(Pairs({ { "a", "\xf0\x9f\x98\x80" } }), Json("{\"a\":[\"\\ud83d\\ude00\"]}"));
	EXPECT_EQ(Pairs({ { "a", "-\xf4\x8f\xbf\xbf-\xf0\x90\x80\x80"
				 "A-" } }),
		Json("{\"a\":[\"-\\udbff\\udfff-\\ud800\\udc00\\u0041-\"]}"));
}

TEST(ZapHttpJson, HalfOfAPairBecomesTheReplacement)
{
	const std::string bad = "\xef\xbf\xbd";

	EXPECT_EQ(Pairs({ { "a", bad } }), Json("{\"a\":[\"\\ud83d\"]}"));
	EXPECT_EQ(Pairs({ { "a", bad + "\n---" } }), Json("{\"a\":[\"\\ud83d\\n---\"]}"));
	EXPECT_EQ(Pairs({ { "a", bad + "-----" } }), Json("{\"a\":[\"\\ud83d-----\"]}"));
	EXPECT_EQ(Pairs({ { "a", bad + "A" } }), Json("{\"a\":[\"\\ud83d\\u0041\"]}"));
	EXPECT_EQ(Pairs({ { "a", bad + bad } }), Json("{\"a\":[\"\\ude00\\ud83d\"]}"));
}

TEST(ZapHttpJson, AnythingElseIsBad)
{
	const std::string blocks[] = { " ", "null", "[]", "\"a\"", "{", "{\"a\"",
		"{\"a\":", "{\"a\":[", "{\"a\":[\"", "{\"a\":[\"b", "{\"a\":[\"b\"",
		"{\"a\":[\"b\"]", "{\"a\":[\"b\",", "{\"a\":[\"b\",]}", "{\"a\":[\"b\"],}", "{,}",
		"{\"a\":\"b\"}", "{\"a\":[1]}", "{\"a\":[null]}", "{\"a\":null}", "{\"a\":{}}",
		"{a:[\"b\"]}", "{\"a\" [\"b\"]}", "{\"a\":[\"b\" \"c\"]}",
		"{\"a\":[\"b\"] \"c\":[]}", "{} {}", "{}x", "{\"a\":[]}}", "{\"a\":[\"\n\"]}",
		"{\"a\":[\"\\x\"]}", "{\"a\":[\"\\u12g4\"]}", "{\"a\":[\"\\u123\"]}",
		"{\"a\":[\"\\u12", "{\"a\":[\"\\", "{\"a\":[\"\\\"]}",
		std::string("{\"a\":[\"\\\0\"]}", 12), std::string("{\"a\":[\"\0\"]}", 11),
		"{'a':[]}" };

	for (const std::string &block : blocks) {
		leat_zaphttp_error error = LEAT_ZAPHTTP_OK;

		EXPECT_EQ(-EBADMSG, ParseBlock("json", block, nullptr, &error)) << block;
		EXPECT_EQ(LEAT_ZAPHTTP_HEADERS, error) << block;
	}
}

TEST(ZapHttpJson, AsManyFieldsAsTheLimitAndOneMore)
{
	std::string block = "{\"a\":[\"\"";
	leat_zaphttp_error error;

	for (uint32_t i = 1; i < LEAT_ZAPHTTP_FIELDS_MAX; i++)
		block += ",\"\"";
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS_MAX, Json(block + "]}").size());
	EXPECT_EQ(-EMSGSIZE, ParseBlock("json", block + "],\"b\":[\"\"]}", nullptr, &error));
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS, error);
}

// A field is looked for byte by byte: 16 MiB of blanks would be walked once for each.
TEST(ZapHttpJson, AsManyBytesAsTheLimitAndOneMore)
{
	const std::string block = "{\"a\":[\"v\"]}";
	const std::string blanks(LEAT_ZAPHTTP_BLOCK_MAX - block.size(), ' ');
	leat_zaphttp_error error;

	EXPECT_EQ(1u, Json(blanks + block).size());
	EXPECT_EQ(-EMSGSIZE, ParseBlock("json", " " + blanks + block, nullptr, &error));
	EXPECT_EQ(LEAT_ZAPHTTP_FIELDS, error);
}

TEST(ZapHttpJson, TextIsEscapedAsEveryWriterDoes)
{
	EXPECT_EQ("{\"a\":[\"\\\"\\\\\\u003c\\u003e\\u0026\\n\\r\\t\"]}",
		JsonOf("a", "\"\\<>&\n\r\t"));
	EXPECT_EQ("{\"a\":[\"\\u0000\\u0008\\u000c\\u001f\x7f/\"]}",
		JsonOf("a", std::string("\0\b\f\x1f\x7f/", 6)));
	EXPECT_EQ("{\"a\":[\"\\u2028\\u2029\xe2\x80\xa7\xe2\x80\xaa\"]}",
		JsonOf("a", "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa7\xe2\x80\xaa"));
	EXPECT_EQ("{\"\\u003c\":[\"\"]}", JsonOf("<", ""));
}

TEST(ZapHttpJson, WhatIsNoCharacterIsReplacedByteByByte)
{
	const std::pair<std::string, int> bad[] = { { "\x80", 1 }, { "\xc1\xbf", 2 }, { "\xc3", 1 },
		{ "\xe0\x9f\xbf", 3 }, { "\xed\xa0\x80", 3 }, { "\xe2\x82", 2 },
		{ "\xf0\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 4 }, { "\xf5\x80\x80\x80", 4 },
		{ "\xff", 1 } };

	for (const auto &text : bad) {
		std::string want = "{\"a\":[\"";

		for (int i = 0; i < text.second; i++)
			want += "\\ufffd";
		EXPECT_EQ(want + "\"]}", JsonOf("a", text.first)) << text.first;
	}
	for (const char *good : { "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
		     "\xf4\x8f\xbf\xbf" })
		EXPECT_EQ(std::string("{\"a\":[\"") + good + "\"]}", JsonOf("a", good));
}

TEST(ZapHttpJson, NamesAreSortedAndTheirValuesTogether)
{
	Fields fields({ { "b", "1" }, { "Host", "h" }, { "a", "2" }, { "b", "3" }, { "ab", "4" },
		{ "", "5" } });
	std::string frame = golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_end(w, LEAT_ZAPHTTP_JSON, fields.Get()));
	});

	EXPECT_EQ("{\"\":[\"5\"],\"a\":[\"2\"],\"ab\":[\"4\"],\"b\":[\"1\",\"3\"]}",
		frame.substr(4 + 24));
}

TEST(ZapHttpStream, AHeadHasNeitherBodyNorTrailer)
{
	Fields fields(Pairs(1, { "X-A", "1" }));
	leat_zaphttp_out_response res = {};
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_reply reply;

	res.status = 404;
	res.body = LEAT_SLICE("body");
	res.headers = res.trailer = fields.Get();
	Copy in(golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_head(w, LEAT_ZAPHTTP_BINARY, &res));
	}));
	ASSERT_GT(leat_zaphttp_parse_reply(&limits, in.Slice(), &reply), 0);
	EXPECT_EQ(LEAT_ZAPHTTP_HEAD, reply.type);
	EXPECT_EQ(404, reply.status);
	EXPECT_EQ("Not Found", String(reply.reason));
	EXPECT_EQ(Pairs({ { "X-A", "1" } }), Walk(reply.headers));
	EXPECT_EQ(0u, reply.body.len);
	EXPECT_EQ(0u, reply.trailer.bytes.len);
	res.body.len = 0;
	res.trailer.nb_fields = 0;
	EXPECT_EQ(String(in.Slice()), golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_head(w, LEAT_ZAPHTTP_BINARY, &res));
	}));
}

// A body in the frame of a head would be read twice by who takes it for a response.
TEST(ZapHttpStream, TheBodyOfAHeadIsPassedOver)
{
	leat_zaphttp_out_response res = {};
	leat_zaphttp_limits limits = LimitsOf("binary");
	leat_zaphttp_reply reply;

	res.body = LEAT_SLICE("body");
	std::string frame = golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_response(w, LEAT_ZAPHTTP_BINARY, &res));
	});
	frame[4 + 7] = 3;
	ASSERT_GT(leat_zaphttp_parse_reply(&limits, Copy(frame).Slice(), &reply), 0);
	EXPECT_EQ(0u, reply.body.len);
}

TEST(ZapHttpStream, AnEmptyPartAndAnEndAreTwentyFourBytes)
{
	std::string frames = golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_data(w, LEAT_SLICE("")));
		EXPECT_EQ(0, leat_zaphttp_emit_end(w, LEAT_ZAPHTTP_BINARY, { nullptr, 0 }));
	});

	EXPECT_EQ(Bytes("00000018"
			"5a41500001000004"
			"1000000018000000"
			"0000000000000000"
			"00000018"
			"5a41500001000005"
			"1000000018000000"
			"0000000000000000"),
		frames);
}

// The bytes are not looked at where the frame is too long for them.
TEST(ZapHttpStream, NothingOverTheLimitIsWritten)
{
	const leat_slice long_body = { (const uint8_t *)"", LEAT_ZAPHTTP_FRAME_MAX - 24 + 1 };
	leat_zaphttp_out_request req = {};
	leat_zaphttp_out_response res = {};

	req.body = res.body = long_body;
	EXPECT_EQ("", golden::Written([&](leat_writer *w) {
		EXPECT_EQ(-EMSGSIZE, leat_zaphttp_emit_data(w, long_body));
		EXPECT_EQ(-EMSGSIZE, leat_zaphttp_emit_request(w, LEAT_ZAPHTTP_BINARY, &req));
		EXPECT_EQ(-EMSGSIZE, leat_zaphttp_emit_response(w, LEAT_ZAPHTTP_BINARY, &res));
	}));
}

// The bytes are never read: the writer has no room and drops them.
TEST(ZapHttpStream, FramesOfTheLimitAreWrittenAndOneMoreIsNot)
{
	const leat_slice body = { (const uint8_t *)"", LEAT_ZAPHTTP_FRAME_MAX - 64 - 12 };
	leat_zaphttp_out_request req = {};
	leat_zaphttp_out_response res = {};
	leat_writer w;
	uint8_t nothing;

	leat_writer_init(&w, &nothing, 0);
	req.body = res.body = body; // behind "GET/HTTP/1.1" and "No!!HTTP/1.1"
	res.reason = LEAT_SLICE("No!!");
	EXPECT_EQ(0, leat_zaphttp_emit_request(&w, LEAT_ZAPHTTP_BINARY, &req));
	EXPECT_EQ(0, leat_zaphttp_emit_response(&w, LEAT_ZAPHTTP_BINARY, &res));
	EXPECT_TRUE(w.failed);
	req.body.len++;
	res.body.len++;
	EXPECT_EQ(-EMSGSIZE, leat_zaphttp_emit_request(&w, LEAT_ZAPHTTP_BINARY, &req));
	EXPECT_EQ(-EMSGSIZE, leat_zaphttp_emit_response(&w, LEAT_ZAPHTTP_BINARY, &res));
}

TEST(ZapHttpStream, APartOfTheLimitIsWritten)
{
	std::string bytes(LEAT_ZAPHTTP_FRAME_MAX - 24, 'x');
	std::vector<uint8_t> room(LEAT_ZAPHTTP_FRAME_MAX + 4);
	leat_writer w;

	leat_writer_init(&w, room.data(), room.size());
	EXPECT_EQ(0, leat_zaphttp_emit_data(&w, Slice(bytes)));
	EXPECT_FALSE(w.failed);
	EXPECT_EQ(room.data() + room.size(), w.pos);
}

TEST(ZapHttpReason, EveryStatusHasItsPhraseOrTheOneOfNone)
{
	const std::map<uint32_t, std::string> phrases = { { 100, "Continue" },
		{ 101, "Switching Protocols" }, { 102, "Processing" }, { 103, "Early Hints" },
		{ 200, "OK" }, { 201, "Created" }, { 202, "Accepted" },
		{ 203, "Non-Authoritative Information" }, { 204, "No Content" },
		{ 205, "Reset Content" }, { 206, "Partial Content" }, { 207, "Multi-Status" },
		{ 208, "Already Reported" }, { 226, "IM Used" }, { 300, "Multiple Choices" },
		{ 301, "Moved Permanently" }, { 302, "Found" }, { 303, "See Other" },
		{ 304, "Not Modified" }, { 305, "Use Proxy" }, { 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" }, { 400, "Bad Request" }, { 401, "Unauthorized" },
		{ 402, "Payment Required" }, { 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 406, "Not Acceptable" },
		{ 407, "Proxy Authentication Required" }, { 408, "Request Timeout" },
		{ 409, "Conflict" }, { 410, "Gone" }, { 411, "Length Required" },
		{ 412, "Precondition Failed" }, { 413, "Request Entity Too Large" },
		{ 414, "Request URI Too Long" }, { 415, "Unsupported Media Type" },
		{ 416, "Requested Range Not Satisfiable" }, { 417, "Expectation Failed" },
		{ 418, "I'm a teapot" }, { 421, "Misdirected Request" },
		{ 422, "Unprocessable Entity" }, { 423, "Locked" }, { 424, "Failed Dependency" },
		{ 426, "Upgrade Required" }, { 428, "Precondition Required" },
		{ 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
		{ 451, "Unavailable For Legal Reasons" }, { 500, "Internal Server Error" },
		{ 501, "Not Implemented" }, { 502, "Bad Gateway" }, { 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" },
		{ 506, "Variant Also Negotiates" }, { 507, "Insufficient Storage" },
		{ 508, "Loop Detected" }, { 510, "Not Extended" },
		{ 511, "Network Authentication Required" } };

	for (uint32_t status = 0; status <= UINT16_MAX; status++) {
		auto it = phrases.find(status);

		ASSERT_EQ(it != phrases.end() ? it->second : "Unknown Status Code",
			String(leat_zaphttp_reason((uint16_t)status)));
	}
}
