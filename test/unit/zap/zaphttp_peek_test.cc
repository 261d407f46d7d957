// SPDX-License-Identifier: BSD-3-Clause

// The front of a long request: what is read of it before the rest is there.

#include <cerrno>

#include "zaphttp_support.h"

using golden::Slice;
using golden::String;

namespace
{

const leat_zaphttp_limits kLimits = { 4096, LEAT_ZAPHTTP_BINARY };

constexpr size_t kPrefixLen = 4;
constexpr size_t kMethodEnd = 16 + 48 + 3; // behind the header and six slots

std::string
Request(const std::string &body)
{
	const Fields fields(Pairs{ { "A", "b" } });
	leat_zaphttp_out_request req = {};

	req.method = LEAT_SLICE("PUT");
	req.target = LEAT_SLICE("/x");
	req.headers = fields.Get();
	req.body = Slice(body);
	return golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_request(w, LEAT_ZAPHTTP_BINARY, &req));
	});
}

// On bytes that are alone in memory.
ssize_t
Peek(const std::string &in, uint32_t front_len, leat_zaphttp_request *req)
{
	static std::vector<uint8_t> bytes;

	bytes = std::vector<uint8_t>(in.begin(), in.end());
	bytes.shrink_to_fit();
	*req = {};
	return leat_zaphttp_peek_request(&kLimits, { bytes.data(), bytes.size() }, front_len, req);
}

TEST(ZapHttpPeek, WhatLiesInTheFrontIsReadAndNothingElse)
{
	const std::string in = Request(std::string(1000, 'x'));
	const size_t len = in.size() - kPrefixLen;
	const size_t fields_end = len - 1000;
	leat_zaphttp_request req;

	for (uint32_t front_len = 16; front_len < len; front_len++) {
		EXPECT_EQ((ssize_t)in.size(),
			Peek(in.substr(0, kPrefixLen + front_len), front_len, &req))
			<< front_len;
		EXPECT_EQ(front_len < fields_end ? 0u : 1u, Walk(req.headers).size()) << front_len;
		EXPECT_EQ(front_len < kMethodEnd ? "GET" : "PUT", String(req.method)) << front_len;
		EXPECT_EQ(0u, req.body.len);
		EXPECT_EQ(0u, req.trailer.bytes.len);
	}
	EXPECT_EQ("/x", String(req.target));
}

TEST(ZapHttpPeek, AFrontThatIsNotThereAndAFrameThatIsNoLonger)
{
	const std::string in = Request(std::string(1000, 'x'));
	const uint32_t len = (uint32_t)(in.size() - kPrefixLen);
	leat_zaphttp_request req;

	for (size_t came = 0; came < kPrefixLen + 500; came++)
		EXPECT_EQ(0, Peek(in.substr(0, came), 500, &req)) << came;
	EXPECT_EQ((ssize_t)in.size(), Peek(in.substr(0, kPrefixLen + 500), 500, &req));
	EXPECT_EQ((ssize_t)in.size(), Peek(in, len - 1, &req));
	EXPECT_EQ(0, Peek(in, len, &req));
}

TEST(ZapHttpPeek, IsRefusedAsARequestIs)
{
	const std::string in = Request(std::string(1000, 'x'));
	leat_zaphttp_request req;

	const auto changed = [&](size_t at, char byte) {
		std::string other = in;

		other[at] = byte;
		return other;
	};
	const struct {
		std::string in;
		leat_zaphttp_error error;
		ssize_t ret;
	} table[] = {
		{ std::string(4, 0), LEAT_ZAPHTTP_EMPTY, -EBADMSG },
		{ std::string("\0\0\x10\x01", 4), LEAT_ZAPHTTP_LONG, -EMSGSIZE },
		{ changed(4, 'Y'), LEAT_ZAPHTTP_MAGIC, -EBADMSG },
		{ changed(8, 3), LEAT_ZAPHTTP_VERSION, -EBADMSG },
		{ changed(18, 1), LEAT_ZAPHTTP_SIZE, -EBADMSG },
		{ changed(11, 2), LEAT_ZAPHTTP_TYPE, -EBADMSG },
	};

	for (const auto &row : table) {
		EXPECT_EQ(row.ret, Peek(row.in, 500, &req)) << row.error;
		EXPECT_EQ(row.error, req.error);
	}
	// In front of the name's length is the number of fields.
	const size_t count = in.find(std::string("\1\0\0\0A", 5)) - 4;
	EXPECT_EQ(-EBADMSG, Peek(changed(count, 2), 500, &req));
	EXPECT_EQ(LEAT_ZAPHTTP_HEADERS, req.error);
}

} // namespace
