// SPDX-License-Identifier: BSD-3-Clause

// The golden frames of HTTP over ZAP, written and read in both generations of header blocks.

#include <algorithm>
#include <cerrno>
#include <map>

#include <gtest/gtest.h>

#include "zaphttp_support.h"

using golden::Bytes;
using golden::Case;
using golden::Copy;
using golden::Slice;
using golden::String;
using golden::Text;
using golden::Words;

namespace
{

// The lines "header" or "trailer" of a case.
Pairs
PairsOf(const Case &c, const std::string &key)
{
	Pairs pairs;

	for (const Words &line : c.lines) {
		if (line[0] == key)
			pairs.emplace_back(Text(line.at(1)), Text(line.at(2)));
	}
	return pairs;
}

std::string
BodyOf(const Case &c)
{
	for (const Words &line : c.lines) {
		if (line[0] == "body")
			return Bytes(line);
	}
	return "";
}

// What a reader finds of the fields that were written: a JSON object is sorted, without Host.
Pairs
AsRead(const Case &c, Pairs pairs)
{
	if (c.variant == "binary")
		return pairs;
	pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
			    [](const Pair &pair) { return pair.first == "Host"; }),
		pairs.end());
	std::stable_sort(pairs.begin(), pairs.end(),
		[](const Pair &a, const Pair &b) { return a.first < b.first; });
	return pairs;
}

std::string
Emitted(const Case &c)
{
	const Words &first = c.lines[0];
	const std::string body = BodyOf(c);
	Fields headers(PairsOf(c, "header"));
	Fields trailer(PairsOf(c, "trailer"));
	leat_zaphttp_generation generation = Generation(c.variant);

	return golden::Written([&](leat_writer *w) {
		leat_zaphttp_out_request req = {};
		leat_zaphttp_out_response res = {};
		std::string text[3];

		for (size_t i = 1; i < first.size(); i++)
			text[i - 1] = Text(first[i]);
		req.headers = res.headers = headers.Get();
		req.trailer = res.trailer = trailer.Get();
		req.body = res.body = Slice(body);
		if (first[0] == "request") {
			req.method = Slice(text[0]);
			req.target = Slice(text[1]);
			req.proto = Slice(text[2]);
			EXPECT_EQ(0, leat_zaphttp_emit_request(w, generation, &req));
		} else if (first[0] == "response") {
			res.status = (uint16_t)golden::Number(text[0]);
			res.proto = Slice(text[2]);
			EXPECT_EQ(text[1], String(leat_zaphttp_reason(res.status)));
			EXPECT_EQ(0, leat_zaphttp_emit_response(w, generation, &res));
		} else if (first[0] == "data") {
			EXPECT_EQ(0, leat_zaphttp_emit_data(w, Slice(body)));
		} else {
			ASSERT_EQ("end", first[0]);
			EXPECT_EQ(0, leat_zaphttp_emit_end(w, generation, trailer.Get()));
		}
	});
}

void
ExpectRequest(const Case &c, const std::string &bytes)
{
	Copy in(bytes);
	leat_zaphttp_limits limits = LimitsOf(c.variant);
	leat_zaphttp_request req;

	ASSERT_EQ((ssize_t)bytes.size(), leat_zaphttp_parse_request(&limits, in.Slice(), &req));
	EXPECT_EQ(Text(c.lines[0].at(1)), String(req.method));
	EXPECT_EQ(Text(c.lines[0].at(2)), String(req.target));
	EXPECT_EQ(Text(c.lines[0].at(3)), String(req.proto));
	EXPECT_EQ(BodyOf(c), String(req.body));
	EXPECT_EQ(AsRead(c, PairsOf(c, "header")), Walk(req.headers));
	EXPECT_EQ(AsRead(c, PairsOf(c, "trailer")), Walk(req.trailer));
}

void
ExpectReply(const Case &c, const std::string &bytes)
{
	Copy in(bytes);
	leat_zaphttp_limits limits = LimitsOf(c.variant);
	leat_zaphttp_reply reply;

	ASSERT_EQ((ssize_t)bytes.size(), leat_zaphttp_parse_reply(&limits, in.Slice(), &reply));
	if (c.lines[0][0] == "response") {
		EXPECT_EQ(LEAT_ZAPHTTP_RESPONSE, reply.type);
		EXPECT_EQ(golden::Number(c.lines[0].at(1)), reply.status);
		EXPECT_EQ(Text(c.lines[0].at(2)), String(reply.reason));
		EXPECT_EQ(Text(c.lines[0].at(3)), String(reply.proto));
	}
	EXPECT_EQ(BodyOf(c), String(reply.body));
	EXPECT_EQ(AsRead(c, PairsOf(c, "header")), Walk(reply.headers));
	EXPECT_EQ(AsRead(c, PairsOf(c, "trailer")), Walk(reply.trailer));
}

// As the reference says it, for whom of several hosts the last one counts.
std::string
SawText(const leat_zaphttp_request &req)
{
	std::string text = String(req.method) + " " + String(req.target) + " " + String(req.proto) +
			   " " + std::to_string(req.body.len);
	std::string host;
	std::string others;

	for (const Pair &pair : Walk(req.headers)) {
		if (pair.first == "Host" || pair.first == "host")
			host = " Host=" + pair.second;
		else if (!leat_zaphttp_is_ignored(Slice(pair.first)))
			others += " " + pair.first + "=" + pair.second;
	}
	return text + host + others;
}

std::string
Joined(const Words &line)
{
	std::string text;

	for (size_t i = 1; i < line.size(); i++)
		text += (i > 1 ? " " : "") + Text(line[i]);
	return text;
}

} // namespace

TEST(ZapHttpGolden, FramesAreWrittenByteForByte)
{
	for (const Case &c : golden::Load("http.txt")) {
		SCOPED_TRACE(c.name + " " + c.variant);
		EXPECT_EQ(Bytes(c.Line("frame")), Emitted(c));
	}
}

TEST(ZapHttpGolden, FramesAreReadBack)
{
	for (const Case &c : golden::Load("http.txt")) {
		SCOPED_TRACE(c.name + " " + c.variant);
		if (c.lines[0][0] == "request")
			ExpectRequest(c, Bytes(c.Line("frame")));
		else
			ExpectReply(c, Bytes(c.Line("frame")));
	}
}

TEST(ZapHttpGolden, EveryProperPrefixIsIncomplete)
{
	for (const Case &c : golden::Load("http.txt")) {
		const std::string bytes = Bytes(c.Line("frame"));
		leat_zaphttp_limits limits = LimitsOf(c.variant);
		leat_zaphttp_request req;
		leat_zaphttp_reply reply;

		for (size_t len = 0; len<bytes.size(); len += bytes.size()> 5000 ? 1009 : 1) {
			Copy in(bytes.substr(0, len));

			EXPECT_EQ(0, leat_zaphttp_parse_request(&limits, in.Slice(), &req));
			EXPECT_EQ(0, leat_zaphttp_parse_reply(&limits, in.Slice(), &reply));
		}
	}
}

TEST(ZapHttpGolden, TheServerSeesWhatWasSentAndRefusesTheRest)
{
	const std::map<std::string, leat_zaphttp_error> errors = {
		{ "long", LEAT_ZAPHTTP_LONG },
		{ "short", LEAT_ZAPHTTP_SHORT },
		{ "magic", LEAT_ZAPHTTP_MAGIC },
		{ "version", LEAT_ZAPHTTP_VERSION },
		{ "size", LEAT_ZAPHTTP_SIZE },
		{ "type", LEAT_ZAPHTTP_TYPE },
		{ "root", LEAT_ZAPHTTP_ROOT },
		{ "headers", LEAT_ZAPHTTP_HEADERS },
		{ "trailer", LEAT_ZAPHTTP_TRAILER },
	};

	for (const Case &c : golden::Load("server.txt")) {
		SCOPED_TRACE(c.name + " " + c.variant);
		std::string bytes = Bytes(c.Line("in"));
		leat_zaphttp_limits limits = LimitsOf(c.variant);
		leat_zaphttp_request req = {};

		for (size_t i = 1; i < c.lines.size(); i++) {
			const Words &line = c.lines[i];
			Copy in(bytes);
			ssize_t ret = leat_zaphttp_parse_request(&limits, in.Slice(), &req);

			if (line[0] == "saw") {
				ASSERT_GT(ret, 0);
				EXPECT_EQ(Joined(line), SawText(req));
				bytes.erase(0, (size_t)ret);
			} else if (line[1] == "incomplete") {
				EXPECT_EQ(0, ret);
			} else {
				EXPECT_EQ(line[1] == "long" ? -EMSGSIZE : -EBADMSG, ret);
				EXPECT_EQ(errors.at(line[1]), req.error);
				EXPECT_EQ(line[1] == "long", leat_zaphttp_is_silent(req.error));
				EXPECT_EQ(line[1] == "long",
					leat_zaphttp_error_text(req.error).len == 0);
			}
		}
	}
}
