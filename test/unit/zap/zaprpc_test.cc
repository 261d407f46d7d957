// SPDX-License-Identifier: BSD-3-Clause

// Envelopes of calls and the frames in which they travel.

#include <cerrno>

#include <gtest/gtest.h>

#include <leat_zap.h>
#include <leat_zap_rpc.h>
#include <leat_zaprpc.h>

#include "golden.h"

using golden::Bytes;
using golden::Case;
using golden::Copy;
using golden::Number;
using golden::Slice;
using golden::String;
using golden::Words;

namespace
{

void
ExpectRequest(const Words &want, size_t at, leat_slice body)
{
	leat_zaprpc_request req;

	ASSERT_EQ(0, leat_zaprpc_read_request(body, &req));
	EXPECT_EQ(Number(want.at(at)), req.method);
	EXPECT_EQ(Number(want.at(at + 1)), req.promise);
	EXPECT_EQ(Number(want.at(at + 2)), req.target);
	EXPECT_EQ(Bytes(want.at(at + 3)), String(req.cap));
	EXPECT_EQ(Bytes(want.at(at + 4)), String(req.payload));
}

void
ExpectResponse(const Words &want, size_t at, leat_slice body)
{
	leat_zaprpc_response res;

	ASSERT_EQ(0, leat_zaprpc_read_response(body, &res));
	EXPECT_EQ(Number(want.at(at)), res.status);
	EXPECT_EQ(Number(want.at(at + 1)), res.promise);
	EXPECT_EQ(Bytes(want.at(at + 2)), String(res.body));
}

std::string
EmittedRequest(const Words &line, size_t at, leat_zaprpc_kind kind)
{
	const std::string cap = Bytes(line.at(at + 3));
	const std::string payload = Bytes(line.at(at + 4));
	leat_zaprpc_request req = { Number(line.at(at)), Number(line.at(at + 1)),
		Number(line.at(at + 2)), Slice(cap), Slice(payload) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_request(w, kind, &req)); });
}

std::string
EmittedResponse(const Words &line, size_t at)
{
	const std::string body = Bytes(line.at(at + 2));
	leat_zaprpc_response res = { Number(line.at(at)), Number(line.at(at + 1)), Slice(body) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zaprpc_emit_response(w, &res)); });
}

std::string
EmittedStream(const Words &line)
{
	const std::string bytes = Bytes(line.at(3));
	uint32_t id = Number(line.at(2));

	return golden::Written([&](leat_writer *w) {
		if (line.at(1) == "end")
			leat_zaprpc_emit_end(w, id);
		else
			EXPECT_EQ(0, leat_zaprpc_emit_message(w, id, Slice(bytes)));
	});
}

void
ExpectFrame(const Words &line, const std::string &bytes)
{
	Copy in(bytes);
	leat_zaprpc_frame frame = {};

	ASSERT_EQ((ssize_t)bytes.size(),
		leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, in.Slice(), &frame));
	if (line.at(1) == "request" || line.at(1) == "open") {
		bool is_open = line.at(1) == "open";
		leat_zaprpc_kind kind = is_open ? LEAT_ZAPRPC_OPEN : LEAT_ZAPRPC_REQUEST;

		EXPECT_EQ(kind, frame.kind);
		ExpectRequest(line, 2, frame.body);
		EXPECT_EQ(bytes, EmittedRequest(line, 2, kind));
	} else if (line.at(1) == "response") {
		EXPECT_EQ(LEAT_ZAPRPC_RESPONSE, frame.kind);
		ExpectResponse(line, 2, frame.body);
		EXPECT_EQ(bytes, EmittedResponse(line, 2));
	} else {
		uint32_t id = 0;
		leat_slice rest = {};

		EXPECT_EQ(line.at(1) == "end" ? LEAT_ZAPRPC_END : LEAT_ZAPRPC_MESSAGE, frame.kind);
		ASSERT_EQ(0, leat_zaprpc_read_stream(frame.body, &id, &rest));
		EXPECT_EQ(Number(line.at(2)), id);
		EXPECT_EQ(Bytes(line.at(3)), String(rest));
		EXPECT_EQ(bytes, EmittedStream(line));
	}
}

// An envelope alone: the frame's five bytes in front are cut off what is written.
void
ExpectEnvelope(const Words &line, const std::string &bytes)
{
	Copy in(bytes);

	if (line[0] == "request") {
		ExpectRequest(line, 1, in.Slice());
		EXPECT_EQ(bytes, EmittedRequest(line, 1, LEAT_ZAPRPC_REQUEST).substr(5));
	} else {
		ExpectResponse(line, 1, in.Slice());
		EXPECT_EQ(bytes, EmittedResponse(line, 1).substr(5));
	}
}

// A frame that is refused, ignored, or taken although it is not canonical.
void
ExpectEdge(const Words &line, const std::string &bytes)
{
	Copy in(bytes);
	leat_zaprpc_frame frame = {};
	ssize_t ret = leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, in.Slice(), &frame);
	uint32_t id;
	leat_slice rest;

	if (line[0] == "refused") {
		EXPECT_EQ(line[1] == "empty" ? -EBADMSG : -EMSGSIZE, ret);
		return;
	}
	EXPECT_EQ((ssize_t)bytes.size(), ret);
	if (line[0] == "accepted")
		ExpectRequest(line, 2, frame.body);
	else if (line[1] == "kind")
		EXPECT_GT(frame.kind, LEAT_ZAPRPC_END);
	else
		EXPECT_EQ(-EBADMSG, leat_zaprpc_read_stream(frame.body, &id, &rest));
}

} // namespace

TEST(ZapRpcGolden, EnvelopesAndFramesAreReadAndWrittenByteForByte)
{
	for (const Case &c : golden::Load("rpc.txt")) {
		SCOPED_TRACE(c.name);
		for (size_t i = 0; i + 1 < c.lines.size(); i += 2) {
			const Words &line = c.lines[i];
			const std::string bytes = Bytes(c.lines[i + 1]);

			if (line[0] == "frame")
				ExpectFrame(line, bytes);
			else if (line[0] == "request" || line[0] == "response")
				ExpectEnvelope(line, bytes);
			else
				ExpectEdge(line, bytes);
		}
	}
}

TEST(ZapRpcGolden, EveryProperPrefixOfAFrameIsIncomplete)
{
	for (const Case &c : golden::Load("rpc.txt")) {
		if (c.lines[0][0] != "frame")
			continue;
		const std::string bytes = Bytes(c.lines[1]);
		leat_zaprpc_frame frame;

		for (size_t len = 0; len < bytes.size(); len++) {
			Copy in(bytes.substr(0, len));

			EXPECT_EQ(0,
				leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, in.Slice(), &frame));
		}
	}
}

TEST(ZapRpc, AFrameOfTheLimitIsTakenAndOneMoreIsNot)
{
	Copy at(Bytes("0300000004") + "ab");
	Copy over(Bytes("0400000004") + "abc");
	leat_zaprpc_frame frame;

	EXPECT_EQ(7, leat_zaprpc_parse_frame(3, at.Slice(), &frame));
	EXPECT_EQ("ab", String(frame.body));
	EXPECT_EQ(-EMSGSIZE, leat_zaprpc_parse_frame(3, over.Slice(), &frame));
}

TEST(ZapRpc, TheGreatestLengthIsWaitedForAndOneMoreIsRefused)
{
	Copy at(Bytes("0000000401"));
	Copy over(Bytes("0100000401"));
	leat_zaprpc_frame frame;

	EXPECT_EQ(0, leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, at.Slice(), &frame));
	EXPECT_EQ(-EMSGSIZE, leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, over.Slice(), &frame));
}

TEST(ZapRpc, AFrameOfItsKindAloneHasNoBody)
{
	Copy in(Bytes("0100000001"));
	leat_zaprpc_frame frame;

	EXPECT_EQ(5, leat_zaprpc_parse_frame(LEAT_ZAPRPC_FRAME_MAX, in.Slice(), &frame));
	EXPECT_EQ(0u, frame.body.len);
}

TEST(ZapRpc, AnEnvelopeThatIsNoMessageIsRefused)
{
	Copy in("no message at all");
	Copy rootless(Bytes("5a415000020000c80000000010000000"));
	leat_zaprpc_request req;
	leat_zaprpc_response res;

	EXPECT_EQ(-EBADMSG, leat_zaprpc_read_request(in.Slice(), &req));
	EXPECT_EQ(-EBADMSG, leat_zaprpc_read_response(in.Slice(), &res));
	EXPECT_EQ(-EBADMSG, leat_zaprpc_read_request(rootless.Slice(), &req));
	EXPECT_EQ(-EBADMSG, leat_zaprpc_read_response(rootless.Slice(), &res));
}

TEST(ZapRpc, AnEnvelopeCutShortReadsAsZeros)
{
	Copy in(Bytes("5a415000020000c81000000014000000") + Bytes("c8000000"));
	leat_zaprpc_response res;

	ASSERT_EQ(0, leat_zaprpc_read_response(in.Slice(), &res));
	EXPECT_EQ(200u, res.status);
	EXPECT_EQ(0u, res.promise);
	EXPECT_EQ(nullptr, res.body.data);
}

TEST(ZapRpc, AStreamsEndIsItsIdAlone)
{
	EXPECT_EQ(Bytes("050000000507000000"),
		golden::Written([](leat_writer *w) { leat_zaprpc_emit_end(w, 7); }));
}

// The bytes are not looked at where the frame is too long for them.
TEST(ZapRpc, NothingOverTheLimitIsWritten)
{
	const leat_slice long_payload = { (const uint8_t *)"", LEAT_ZAPRPC_FRAME_MAX - 1 - 44 + 1 };
	leat_zaprpc_request req = { 1, 1, 0, {}, long_payload };
	leat_zaprpc_response res = { 200, 1, { (const uint8_t *)"", LEAT_ZAPRPC_FRAME_MAX } };

	EXPECT_EQ("", golden::Written([&](leat_writer *w) {
		EXPECT_EQ(-EMSGSIZE, leat_zaprpc_emit_request(w, LEAT_ZAPRPC_REQUEST, &req));
		EXPECT_EQ(-EMSGSIZE, leat_zaprpc_emit_response(w, &res));
		EXPECT_EQ(-EMSGSIZE, leat_zaprpc_emit_message(w, 1, res.body));
	}));
}

// The bytes are never read: the writer has no room and drops them.
TEST(ZapRpc, EnvelopesOfTheLimitAreWritten)
{
	const uint8_t byte = 0;
	leat_zaprpc_request req = { 1, 1, 0, {}, { &byte, LEAT_ZAPRPC_FRAME_MAX - 1 - 44 } };
	leat_zaprpc_response res = { 200, 1, { &byte, LEAT_ZAPRPC_FRAME_MAX - 1 - 36 } };
	uint8_t nothing;
	leat_writer w;

	leat_writer_init(&w, &nothing, 0);
	EXPECT_EQ(0, leat_zaprpc_emit_request(&w, LEAT_ZAPRPC_REQUEST, &req));
	EXPECT_EQ(0, leat_zaprpc_emit_response(&w, &res));
	EXPECT_TRUE(w.failed);
	res.body.len++;
	EXPECT_EQ(-EMSGSIZE, leat_zaprpc_emit_response(&w, &res));
	EXPECT_EQ(-EMSGSIZE, leat_zaprpc_emit_message(&w, 1, { &byte, LEAT_ZAPRPC_FRAME_MAX - 4 }));
}

TEST(ZapRpc, AMessageOfTheLimitIsWritten)
{
	std::string bytes(LEAT_ZAPRPC_FRAME_MAX - 5, 'x');
	std::vector<uint8_t> room(bytes.size() + 9);
	leat_writer w;

	leat_writer_init(&w, room.data(), room.size());
	EXPECT_EQ(0, leat_zaprpc_emit_message(&w, 1, Slice(bytes)));
	EXPECT_FALSE(w.failed);
	EXPECT_EQ(room.data() + room.size(), w.pos);
}
