// SPDX-License-Identifier: BSD-3-Clause

// POST /rpc: types of bodies, bodies in pieces, and what is refused. What is answered to a record
// is told by the tests of lib/rpc, byte for byte.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_rpc.h>
#include <leat_zap_balance.h>

#include "route_fixture.h"

namespace
{

const std::string kJson = "{\"method\":\"eth_getBalance\","
			  "\"account\":\"0xdeadbeef00112233445566778899aabbccddeeff\","
			  "\"block\":68943,\"id\":1}";

const std::string kUnsupported = "answer 415 text/plain [Accept: application/json, application/zap]"
				 " \"Unsupported Media Type\n\"";
const std::string kTooLarge = "answer 413 text/plain \"Content Too Large\n\"";
const std::string kBadJson = "answer 400 text/plain \"bad json body\"";
const std::string kBadZap = "answer 400 text/plain \"bad zap body\"";

leat_slice
Slice(const std::string &text)
{
	return { (const uint8_t *)text.data(), text.size() };
}

std::string
Called(int (*call)(leat_slice body, leat_writer *out), const std::string &body)
{
	uint8_t room[LEAT_RPC_ANSWER_MAX];
	leat_writer w;

	leat_writer_init(&w, room, sizeof(room));
	EXPECT_EQ(0, call(Slice(body), &w));
	return std::string(room, w.pos);
}

std::string
ZapRequest()
{
	const std::string account(20, '\xde');
	leat_zap_balance_request req = { 1, 68943, LEAT_SLICE("eth_getBalance"), Slice(account) };
	uint8_t room[100];
	leat_writer w;

	leat_writer_init(&w, room, sizeof(room));
	EXPECT_EQ(0, leat_zap_balance_request_emit(&w, &req));
	EXPECT_FALSE(w.failed);
	return std::string(room, w.pos);
}

std::string
JsonAnswer()
{
	return "answer 200 application/json \"" + Called(leat_rpc_call_json, kJson) + "\"";
}

std::string
ZapAnswer()
{
	return "answer 200 application/zap \"" + Called(leat_rpc_call_zap, ZapRequest()) + "\"";
}

class RouteRpc : public Route
{
      protected:
	RouteRpc()
	{
		*table = leat_route_builtin;
	}

	// With no type where it is NULL.
	std::string Post(const char *type, const std::vector<std::string> &pieces)
	{
		fields.clear();
		if (type != nullptr)
			fields.push_back({ LEAT_SLICE("Content-Type"), leat_slice_str(type), false,
				is_escaped });
		argv.resize(LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL + 16 + pieces.size());
		web.nb_pieces = (uint32_t)pieces.size();
		web.pieces = argv.data() + LEAT_WEB_ARGV_HEAD;
		web.body_len = 0;
		for (size_t i = 0; i < pieces.size(); i++) {
			argv[LEAT_WEB_ARGV_HEAD + i] = Slice(pieces[i]);
			web.body_len += pieces[i].size();
		}
		return Answer(LEAT_HTTP_POST, "/rpc");
	}

	bool is_escaped = false;
};

TEST_F(RouteRpc, AnswersInTheEncodingOfTheRequest)
{
	EXPECT_EQ(JsonAnswer(), Post("application/json", { kJson }));
	EXPECT_EQ(ZapAnswer(), Post("application/zap", { ZapRequest() }));
}

// RFC 9110 section 8.3.1: type and subtype have no case, parameters may follow.
TEST_F(RouteRpc, KnowsATypeInAnyCaseAndWithParameters)
{
	for (const char *type : { "APPLICATION/JSON", "Application/Json", "application/json;",
		     "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
		     "application/json \t; a=b;c=d", " \tapplication/json\t " })
		EXPECT_EQ(JsonAnswer(), Post(type, { kJson })) << type;
	EXPECT_EQ(ZapAnswer(), Post("Application/ZAP;version=1", { ZapRequest() }));
}

TEST_F(RouteRpc, KnowsATypeThatTheCodecEscaped)
{
	is_escaped = true;
	EXPECT_EQ(JsonAnswer(), Post("application\\/json", { kJson }));
	EXPECT_EQ(kUnsupported, Post(std::string(129, 'a').c_str(), { kJson }));
}

TEST_F(RouteRpc, RefusesEachOtherType)
{
	for (const char *type : { "", " ", ";", "text/plain", "application/x-www-form-urlencoded",
		     "application", "application/", "application/jso", "application/jsonp",
		     "application/json-rpc", "application/problem+json", "text/json",
		     "application/json, application/zap", "application /json", "json", "*/*",
		     "application/*", "application/octet-stream", "application/xzap" })
		EXPECT_EQ(kUnsupported, Post(type, { kJson })) << type;
}

TEST_F(RouteRpc, RefusesABodyWithoutAType)
{
	EXPECT_EQ(kUnsupported, Post(nullptr, { kJson }));
	EXPECT_EQ(kUnsupported, Post(nullptr, {}));
}

TEST_F(RouteRpc, RefusesABodyThatIsNotOfItsType)
{
	EXPECT_EQ(kBadJson, Post("application/json", { ZapRequest() }));
	EXPECT_EQ(kBadZap, Post("application/zap", { kJson }));
	EXPECT_EQ(kBadJson, Post("application/json", { "{}" }));
}

TEST_F(RouteRpc, RefusesAnEmptyBody)
{
	EXPECT_EQ(kBadJson, Post("application/json", {}));
	EXPECT_EQ(kBadZap, Post("application/zap", {}));
	EXPECT_EQ(kBadJson, Post("application/json", { "" }));
	EXPECT_EQ(kBadZap, Post("application/zap", { "", "" }));
}

TEST_F(RouteRpc, JoinsABodyThatCameInPieces)
{
	const std::string zap = ZapRequest();

	for (size_t at = 0; at <= kJson.size(); at++)
		EXPECT_EQ(JsonAnswer(),
			Post("application/json", { kJson.substr(0, at), kJson.substr(at) }));
	for (size_t at = 0; at <= zap.size(); at++)
		EXPECT_EQ(ZapAnswer(),
			Post("application/zap", { zap.substr(0, at), zap.substr(at) }));
}

TEST_F(RouteRpc, JoinsABodyOfOneByteEach)
{
	std::vector<std::string> pieces;

	for (char c : kJson)
		pieces.emplace_back(1, c);
	EXPECT_EQ(JsonAnswer(), Post("application/json", pieces));
}

TEST_F(RouteRpc, TakesABodyAtTheLimitAndNotOneByteMore)
{
	const std::string blanks(LEAT_RPC_BODY_MAX - kJson.size(), ' ');

	EXPECT_EQ(JsonAnswer(), Post("application/json", { kJson + blanks }));
	EXPECT_EQ(JsonAnswer(), Post("application/json", { kJson, blanks }));
	EXPECT_EQ(kTooLarge, Post("application/json", { kJson + blanks + " " }));
	EXPECT_EQ(kTooLarge, Post("application/json", { kJson, blanks, " " }));
	EXPECT_EQ(kTooLarge, Post("application/zap", { std::string(LEAT_RPC_BODY_MAX + 1, 'x') }));
}

TEST_F(RouteRpc, SaysWhenALimitOfJsonIsPassed)
{
	EXPECT_EQ(kTooLarge, Post("application/json", { std::string(100, '[') }));
}

TEST_F(RouteRpc, TakesPostAlone)
{
	EXPECT_EQ("405 POST, OPTIONS", Ask(LEAT_HTTP_GET, "/rpc"));
	EXPECT_EQ("405 POST, OPTIONS", Ask(LEAT_HTTP_PUT, "/rpc"));
	EXPECT_EQ("404", Ask(LEAT_HTTP_POST, "/rpc/"));
}

} // namespace
