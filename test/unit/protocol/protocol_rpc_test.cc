// SPDX-License-Identifier: BSD-3-Clause

// The call of lib/rpc, by each protocol that has it: the same record gets the same bytes.

#include <string>

#include <gtest/gtest.h>

#include <leat_zaphttp.h>

#include "golden.h"
#include "rpc_record.h"
#include "sbe_serve.h"

namespace
{

using rpc_record::kJson;
using rpc_record::kJsonAnswer;

std::string
Record(const std::string &name)
{
	return golden::Bytes(golden::Find("record.txt", name).Line("bytes"));
}

std::string
HttpHead(const std::string &type)
{
	return "POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: " + type + "\r\n";
}

std::string
HttpPost(const std::string &type, const std::string &body)
{
	return HttpHead(type) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
	       body;
}

// In chunks of so many bytes.
std::string
HttpPostChunked(const std::string &type, const std::string &body, size_t chunk_len)
{
	std::string request = HttpHead(type) + "Transfer-Encoding: chunked\r\n\r\n";

	for (size_t i = 0; i < body.size(); i += chunk_len) {
		std::string chunk = body.substr(i, chunk_len);
		char len[20];

		(void)snprintf(len, sizeof(len), "%zx\r\n", chunk.size()); // has room
		request += len + chunk + "\r\n";
	}
	return request + "0\r\n\r\n";
}

std::string
HttpAnswer(const std::string &status, const std::string &type, const std::string &body)
{
	return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
	       "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Without the clock's line.
std::string
HttpAsk(const std::string &request)
{
	Serve serve("http");
	std::string answer = serve.Ask(request);
	size_t date = answer.find("Date: ");

	return date == std::string::npos ? answer : answer.erase(date, 37);
}

TEST(ProtocolRpc, HttpAnswersTheRecordByteForByte)
{
	const std::string zap = Record("request");

	EXPECT_EQ(HttpAnswer("200 OK", "application/zap", Record("response_computed")),
		HttpAsk(HttpPost("application/zap", zap)));
	EXPECT_EQ(HttpAnswer("200 OK", "application/json", kJsonAnswer),
		HttpAsk(HttpPost("application/json", kJson)));
}

TEST(ProtocolRpc, HttpAnswersABodyInChunksOfAnyLength)
{
	const std::string zap = Record("request");

	for (size_t len = 1; len <= kJson.size(); len++) {
		EXPECT_EQ(HttpAnswer("200 OK", "application/zap", Record("response_computed")),
			HttpAsk(HttpPostChunked("application/zap", zap, len)));
		EXPECT_EQ(HttpAnswer("200 OK", "application/json", kJsonAnswer),
			HttpAsk(HttpPostChunked("application/json", kJson, len)));
	}
}

TEST(ProtocolRpc, HttpRefusesInTheseWords)
{
	EXPECT_EQ(HttpAnswer("400 Bad Request", "text/plain", "bad zap body"),
		HttpAsk(HttpPost("application/zap", kJson)));
	EXPECT_EQ(HttpAnswer("400 Bad Request", "text/plain", "bad json body"),
		HttpAsk(HttpPost("application/json", Record("request"))));
	EXPECT_EQ("HTTP/1.1 415 Unsupported Media Type\r\nContent-Type: text/plain\r\n"
		  "Content-Length: 23\r\nAccept: application/json, application/zap\r\n\r\n"
		  "Unsupported Media Type\n",
		HttpAsk(HttpPost("text/json", kJson)));
}

// RFC 9110 section 5.3: of a field that may come once and came twice, the first counts.
TEST(ProtocolRpc, HttpBelievesTheFirstOfTwoTypes)
{
	EXPECT_EQ(HttpAnswer("200 OK", "application/json", kJsonAnswer),
		HttpAsk(HttpPost("application/json\r\nContent-Type: application/zap", kJson)));
}

std::string
ZapPost(leat_zaphttp_generation generation, const std::string &type, const std::string &body)
{
	const leat_zaphttp_field field = { LEAT_SLICE("Content-Type"), golden::Slice(type), false,
		false };
	leat_zaphttp_out_request req = {};

	req.method = LEAT_SLICE("POST");
	req.target = LEAT_SLICE("/rpc");
	req.body = golden::Slice(body);
	req.headers = { &field, type.empty() ? 0u : 1u };
	return golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_request(w, generation, &req));
	});
}

std::string
ZapAnswer(leat_zaphttp_generation generation, uint16_t status, const std::string &type,
	const std::string &body, const std::string &accept = "")
{
	const leat_zaphttp_field fields[] = {
		{ LEAT_SLICE("Content-Type"), golden::Slice(type), false, false },
		{ LEAT_SLICE("Accept"), golden::Slice(accept), false, false },
	};
	leat_zaphttp_out_response res = {};

	res.status = status;
	res.body = golden::Slice(body);
	res.headers = { fields, accept.empty() ? 1u : 2u };
	return golden::Written([&](leat_writer *w) {
		EXPECT_EQ(0, leat_zaphttp_emit_response(w, generation, &res));
	});
}

class ProtocolRpcZap : public testing::TestWithParam<leat_zaphttp_generation>
{
      protected:
	ProtocolRpcZap()
	{
		if (GetParam() == LEAT_ZAPHTTP_JSON)
			serve_.At(1).protocol = &leat_protocol_zap_json;
	}

	std::string Ask(const std::string &type, const std::string &body)
	{
		return serve_.Ask(ZapPost(GetParam(), type, body));
	}

      private:
	Serve serve_{ "zap" };
};

TEST_P(ProtocolRpcZap, AnswersTheRecordByteForByte)
{
	EXPECT_EQ(ZapAnswer(GetParam(), 200, "application/zap", Record("response_computed")),
		Ask("application/zap", Record("request")));
	EXPECT_EQ(ZapAnswer(GetParam(), 200, "application/json", kJsonAnswer),
		Ask("application/json; charset=utf-8", kJson));
}

TEST_P(ProtocolRpcZap, RefusesInTheWordsOfHttp)
{
	EXPECT_EQ(ZapAnswer(GetParam(), 400, "text/plain", "bad zap body"),
		Ask("application/zap", kJson));
	EXPECT_EQ(ZapAnswer(GetParam(), 400, "text/plain", "bad json body"),
		Ask("application/json", ""));
	EXPECT_EQ(ZapAnswer(GetParam(), 415, "text/plain", "Unsupported Media Type\n",
			  "application/json, application/zap"),
		Ask("", Record("request")));
	EXPECT_EQ(ZapAnswer(GetParam(), 413, "text/plain", "Content Too Large\n"),
		Ask("application/zap", std::string(4097, 'x')));
}

INSTANTIATE_TEST_SUITE_P(
	Generations, ProtocolRpcZap, testing::Values(LEAT_ZAPHTTP_BINARY, LEAT_ZAPHTTP_JSON));

// The length of the frame of a request is that of the implementation whose record it is.
TEST(ProtocolRpc, AFrameOfTheRecordIsAsLongAsThatOfOthers)
{
	EXPECT_EQ(202u, ZapPost(LEAT_ZAPHTTP_JSON, "application/zap", Record("request")).size());
}

} // namespace
