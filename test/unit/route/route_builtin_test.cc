// SPDX-License-Identifier: BSD-3-Clause

// The handlers that come with us, who may ask them, and values of commands as answers.

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "route_fixture.h"

namespace
{

class RouteBuiltin : public Route
{
      protected:
	RouteBuiltin()
	{
		*table = leat_route_builtin;
	}

	std::string Send(leat_http_method method, const std::string &path,
		const std::vector<std::string> &pieces = {})
	{
		web.nb_pieces = (uint32_t)pieces.size();
		web.pieces = argv.data() + LEAT_WEB_ARGV_HEAD;
		web.body_len = 0;
		for (size_t i = 0; i < pieces.size(); i++) {
			argv[LEAT_WEB_ARGV_HEAD + i] = { (const uint8_t *)pieces[i].data(),
				pieces[i].size() };
			web.body_len += pieces[i].size();
		}
		return Answer(method, path);
	}

	void Field(const char *name, const char *value, bool is_escaped = false)
	{
		fields.push_back(
			{ leat_slice_str(name), leat_slice_str(value), is_escaped, is_escaped });
	}

	std::string Authorized(const char *value)
	{
		fields.clear();
		Field("authorization", value);
		return Get("/headers");
	}
};

TEST_F(RouteBuiltin, Health)
{
	EXPECT_EQ("answer 200 text/plain \"ok\"", Send(LEAT_HTTP_GET, "/health"));
}

TEST_F(RouteBuiltin, EchoGivesThePiecesBackAsNoType)
{
	Field("content-type", "text/html");
	EXPECT_EQ("answer 200 application/octet-stream \"hello\"",
		Send(LEAT_HTTP_POST, "/echo", { "he", "", "llo" }));
	EXPECT_EQ("answer 200 application/octet-stream", Send(LEAT_HTTP_POST, "/echo"));
}

TEST_F(RouteBuiltin, HeadersAreLinesOfText)
{
	Field("Host", "a");
	Field("X-Empty", "");
	Field("x\\-a", "\\b", true);
	EXPECT_EQ("answer 200 text/plain \"Host: a\nX-Empty: \nx-a: b\n\"",
		Send(LEAT_HTTP_GET, "/headers"));
}

TEST_F(RouteBuiltin, HeadersHaveALimit)
{
	std::string value(LEAT_HTTP_HEAD_MAX - 4, 'v');

	Field("a", value.c_str());
	EXPECT_EQ("200", Get("/headers"));
	value += "v";
	fields.clear();
	Field("a", value.c_str());
	EXPECT_EQ("431", Get("/headers"));
}

TEST_F(RouteBuiltin, FieldsAreFoundWhateverTheirCaseAndEscapes)
{
	uint8_t buf[4];
	leat_slice value;

	Field("Content-Type", "text/plain");
	Field("x", "\\a\\b\\c\\d", true);
	Field("y", "\\a\\b\\c\\d\\e", true);
	Field("lon\\ger than buf", "z", true);
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, "/health"));
	EXPECT_TRUE(leat_web_find(&web, LEAT_SLICE("content-type"), buf, sizeof(buf), &value));
	EXPECT_EQ("text/plain", String(value));
	EXPECT_TRUE(leat_web_find(&web, LEAT_SLICE("X"), buf, sizeof(buf), &value));
	EXPECT_EQ("abcd", String(value));
	EXPECT_FALSE(leat_web_find(&web, LEAT_SLICE("y"), buf, sizeof(buf), &value));
	EXPECT_FALSE(leat_web_find(&web, LEAT_SLICE("z"), buf, sizeof(buf), &value));
}

TEST_F(RouteBuiltin, KeysComeAndGo)
{
	EXPECT_EQ("null", Send(LEAT_HTTP_GET, "/v1/kv/k"));
	EXPECT_EQ("answer 201", Send(LEAT_HTTP_PUT, "/v1/kv/k", { "v" }));
	EXPECT_EQ("\"v\"", Send(LEAT_HTTP_GET, "/v1/kv/k"));
	EXPECT_EQ("answer 204", Send(LEAT_HTTP_PUT, "/v1/kv/k", { "a", "", "bc" }));
	EXPECT_EQ("\"abc\"", Send(LEAT_HTTP_GET, "/v1/kv/k"));
	EXPECT_EQ("answer 204", Send(LEAT_HTTP_PUT, "/v1/kv/k"));
	EXPECT_EQ("\"\"", Send(LEAT_HTTP_GET, "/v1/kv/k"));
	EXPECT_EQ("answer 204", Send(LEAT_HTTP_DELETE, "/v1/kv/k"));
	EXPECT_EQ("null", Send(LEAT_HTTP_DELETE, "/v1/kv/k"));
}

TEST_F(RouteBuiltin, AKeyIsTheDecodedParameter)
{
	EXPECT_EQ("answer 201", Send(LEAT_HTTP_PUT, "/v1/kv/a%2fb", { "v" }));
	EXPECT_EQ("\"v\"", Send(LEAT_HTTP_GET, "/v1/kv/a%2Fb"));
	EXPECT_NE(nullptr,
		leat_store_find(shard.ctx.store, LEAT_SLICE("a/b"), nullptr, shard.ctx.now_us));
}

TEST_F(RouteBuiltin, APutTakesAwayTheExpiryAndAnyOtherType)
{
	const leat_slice pair[2] = { LEAT_SLICE("f"), LEAT_SLICE("v") };

	EXPECT_EQ(1, leat_store_hash_set(
			     shard.ctx.store, LEAT_SLICE("h"), nullptr, pair, 1, shard.ctx.now_us));
	EXPECT_EQ("-WRONGTYPE Operation against a key holding the wrong kind of value",
		Send(LEAT_HTTP_GET, "/v1/kv/h"));
	EXPECT_EQ("answer 204", Send(LEAT_HTTP_PUT, "/v1/kv/h", { "v" }));
	EXPECT_EQ("\"v\"", Send(LEAT_HTTP_GET, "/v1/kv/h"));
}

TEST_F(RouteBuiltin, APartIsNotTakenForTheWhole)
{
	Field("Content-Range", "bytes 0-1/4");
	EXPECT_EQ("answer 400 text/plain \"Bad Request\n\"",
		Send(LEAT_HTTP_PUT, "/v1/kv/k", { "ab" }));
	fields.clear();
	EXPECT_EQ("null", Send(LEAT_HTTP_GET, "/v1/kv/k"));
}

TEST_F(RouteBuiltin, APartIsNoneTheLessOneForItsEscapes)
{
	Field("\\Content-Range", "\\bytes 0-1/4", true);
	EXPECT_EQ("answer 400 text/plain \"Bad Request\n\"",
		Send(LEAT_HTTP_PUT, "/v1/kv/k", { "ab" }));
	fields.clear();
	EXPECT_EQ("null", Send(LEAT_HTTP_GET, "/v1/kv/k"));
}

TEST_F(RouteBuiltin, AFullStoreIsTold)
{
	EXPECT_EQ("answer 507 text/plain \"Insufficient Storage\n\"",
		Send(LEAT_HTTP_PUT, "/v1/kv/k", { std::string(8 << 20, 'v') }));
	EXPECT_EQ("null", Send(LEAT_HTTP_GET, "/v1/kv/k"));
}

TEST_F(RouteBuiltin, WritesAreSuchForTheSession)
{
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, "/v1/kv/k"));
	EXPECT_EQ(LEAT_COMMAND_READ, req.command->flags & (LEAT_COMMAND_READ | LEAT_COMMAND_WRITE));
	for (leat_http_method method : { LEAT_HTTP_PUT, LEAT_HTTP_DELETE }) {
		EXPECT_EQ(0, Request(method, "/v1/kv/k"));
		EXPECT_EQ(LEAT_COMMAND_WRITE,
			req.command->flags & (LEAT_COMMAND_READ | LEAT_COMMAND_WRITE));
	}
}

TEST_F(RouteBuiltin, GuestsGetTheHealthAndNothingElse)
{
	shard.server.requirepass = "secret";
	EXPECT_EQ("200", Get("/health"));
	for (const char *path : { "/headers", "/v1/kv/k", "/nothing", "/v1/kv/%" })
		EXPECT_EQ("answer 401 text/plain [WWW-Authenticate: Basic realm=\"leat\", "
			  "charset=\"UTF-8\"] [WWW-Authenticate: Bearer realm=\"leat\"] "
			  "\"Unauthorized\n\"",
			Send(LEAT_HTTP_GET, path))
			<< path;
	EXPECT_EQ("401", Ask(LEAT_HTTP_PUT, "/v1/kv/k"));
	EXPECT_EQ(0u, leat_store_nb_keys(shard.ctx.store));
}

TEST_F(RouteBuiltin, WhoBringsThePasswordMayAskForThis)
{
	shard.server.requirepass = "secret";
	EXPECT_EQ("200", Authorized("Bearer secret"));
	EXPECT_EQ("200", Authorized("bearer   secret"));
	EXPECT_EQ("200", Authorized("Basic OnNlY3JldA=="));         // :secret
	EXPECT_EQ("200", Authorized("Basic OnNlY3JldA"));           // its padding left out
	EXPECT_EQ("200", Authorized("BASIC ZGVmYXVsdDpzZWNyZXQ=")); // default:secret
	EXPECT_FALSE(client.is_authenticated) << "the next request asks for itself";
	fields.clear();
	EXPECT_EQ("401", Get("/headers"));
}

TEST_F(RouteBuiltin, OthersMayNot)
{
	std::string longest = "Bearer " + std::string(1017, 'x');

	shard.server.requirepass = "secret";
	for (const char *value : { "", "secret", "Bearer", "Bearer ", "Bearer secrets",
		     "Bearer secre", "Token secret", "Basic secret", "Basic !!!!", "Basic O",
		     "Basic c2VjcmV0",         // secret
		     "Basic cm9vdDpzZWNyZXQ=", // root:secret
		     "Basic OnNlY3JlVA==",     // :secreT
		     "Basic Og==" })           // :
		EXPECT_EQ("401", Authorized(value)) << value;
	shard.server.requirepass = "pass1";
	EXPECT_EQ("200", Authorized("Basic OnBhc3Mx"));
	EXPECT_EQ("401", Authorized("Basic OnBhc3MxO")) << "six bits too many";
	shard.server.requirepass = longest.c_str() + 7;
	EXPECT_EQ("200", Authorized(longest.c_str()));
	longest += "x";
	shard.server.requirepass = longest.c_str() + 7;
	EXPECT_EQ("401", Authorized(longest.c_str()));
}

TEST_F(RouteBuiltin, HandlersCanBeElsewhereWithOtherMethods)
{
	*table = {};
	EXPECT_EQ(0, leat_route_add_builtin(table.get(), "echo", LEAT_SLICE("/any"),
			     LEAT_WEB_METHODS_ALL, &error));
	EXPECT_EQ(0, leat_route_add_builtin(table.get(), "kv", LEAT_SLICE("/kv/*"),
			     LEAT_WEB_METHOD(GET) | LEAT_WEB_METHOD(PUT), &error));
	EXPECT_EQ("answer 200 application/octet-stream \"x\"",
		Send(LEAT_HTTP_METHOD_OTHER, "/any", { "x" }));
	EXPECT_EQ("answer 201", Send(LEAT_HTTP_PUT, "/kv/a/b", { "v" }));
	EXPECT_EQ("405 GET, HEAD, PUT, OPTIONS", Ask(LEAT_HTTP_DELETE, "/kv/a/b"));
	EXPECT_EQ("/v1/kv/{key}", String(leat_route_builtin_pattern("kv")));
	EXPECT_EQ("/rpc", String(leat_route_builtin_pattern("rpc")));
	EXPECT_EQ(-ENOENT,
		leat_route_add_builtin(table.get(), "nosuch", LEAT_SLICE("/x"), 0, &error));
	error = {};
	EXPECT_EQ(-EINVAL, leat_route_add_builtin(table.get(), "kv", LEAT_SLICE("/x/{k}"),
				   LEAT_WEB_METHOD(POST), &error));
	EXPECT_STREQ("handler kv has no such method", error.text);
	error = {};
	for (const char *const *name = leat_route_builtin_names(); *name != nullptr; name++) {
		texts.push_back(
			std::make_unique<std::string>(std::string("/of/") + *name + "/{x}"));
		EXPECT_EQ(0, leat_route_add_builtin(table.get(), *name,
				     leat_slice_str(texts.back()->c_str()), 0, &error))
			<< error.text;
	}
}

} // namespace
