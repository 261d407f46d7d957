// SPDX-License-Identifier: BSD-3-Clause

// Patterns, their precedence, their limits, and what their parameters become.

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "route_fixture.h"

namespace
{

TEST_F(Route, AnExactPatternIsThatPathAndNoOther)
{
	Add("/a/b", "x");
	EXPECT_EQ("x", Get("/a/b"));
	for (const char *path :
		{ "/", "/a", "/a/", "/a/b/", "/a/bc", "/A/b", "//a/b", "/a/%62", "" })
		EXPECT_EQ("404", Get(path)) << path;
}

TEST_F(Route, ExactComesBeforeParameterBeforePrefix)
{
	Add("/a/*", "prefix");
	Add("/a/{p}", "param");
	Add("/a/b", "exact");
	EXPECT_EQ("exact", Get("/a/b"));
	EXPECT_EQ("param(c)", Get("/a/c"));
	EXPECT_EQ("prefix(b/c)", Get("/a/b/c"));
	EXPECT_EQ("prefix()", Get("/a/"));
	EXPECT_EQ("404", Get("/a"));
}

TEST_F(Route, TheLongestPrefixComesFirst)
{
	Add("/*", "root");
	Add("/static/*", "static");
	Add("/static/js/*", "js");
	EXPECT_EQ("js(a.js)", Get("/static/js/a.js"));
	EXPECT_EQ("static(jsx)", Get("/static/jsx"));
	EXPECT_EQ("root(static)", Get("/static"));
	EXPECT_EQ("root()", Get("/"));
}

TEST_F(Route, LiteralTextComesBeforeAParameterInItsPlace)
{
	Add("/{a}/{b}", "two");
	Add("/v1/{b}", "second");
	Add("/{a}/list", "first");
	EXPECT_EQ("second(list)", Get("/v1/list"));
	EXPECT_EQ("first(v2)", Get("/v2/list"));
	EXPECT_EQ("two(v2,x)", Get("/v2/x"));
}

TEST_F(Route, TheOrderOfAddingDoesNotCount)
{
	std::vector<const char *> patterns = { "/*", "/a", "/a/*", "/a/b", "/a/{x}", "/{x}/b",
		"/ab", "/{x}/{y}" };

	for (size_t turn = 0; turn < patterns.size(); turn++) {
		table = std::make_unique<leat_route_table>();
		for (size_t i = 0; i < patterns.size(); i++)
			Add(patterns[(turn + i) % patterns.size()],
				patterns[(turn + i) % patterns.size()]);
		EXPECT_EQ("/a", Get("/a"));
		EXPECT_EQ("/a/b", Get("/a/b"));
		EXPECT_EQ("/a/{x}(c)", Get("/a/c"));
		EXPECT_EQ("/{x}/b(c)", Get("/c/b"));
		EXPECT_EQ("/{x}/{y}(c,d)", Get("/c/d"));
		EXPECT_EQ("/a/*(b/c)", Get("/a/b/c"));
		EXPECT_EQ("/*(c)", Get("/c"));
	}
}

TEST_F(Route, AParameterIsOneSegmentThatIsNotEmpty)
{
	Add("/kv/{key}", "kv");
	Add("/kv/{key}/ttl", "ttl");
	EXPECT_EQ("kv(a)", Get("/kv/a"));
	EXPECT_EQ("ttl(a)", Get("/kv/a/ttl"));
	for (const char *path : { "/kv", "/kv/", "/kv//ttl", "/kv/a/", "/kv/a/b", "/kv/a/ttl/" })
		EXPECT_EQ("404", Get(path)) << path;
}

TEST_F(Route, ParametersAreDecoded)
{
	Add("/kv/{key}", "kv");
	EXPECT_EQ("kv(a b)", Get("/kv/a%20b"));
	EXPECT_EQ("kv(a/b)", Get("/kv/a%2Fb"));
	EXPECT_EQ("kv(a/b)", Get("/kv/a%2fb"));
	EXPECT_EQ("kv(a+b)", Get("/kv/a+b"));
	EXPECT_EQ("kv(%)", Get("/kv/%25"));
	EXPECT_EQ(std::string("kv(") + '\0' + ")", Get("/kv/%00"));
	EXPECT_EQ("kv(.)", Get("/kv/."));
}

TEST_F(Route, WhatIsNoPercentEncodingIsRefused)
{
	Add("/kv/{key}", "kv");
	Add("/s/*", "s");
	for (const char *path : { "/kv/%", "/kv/a%2", "/kv/%zz", "/kv/%2g", "/kv/%%20", "/s/a/%1" })
		EXPECT_EQ("400", Get(path)) << path;
}

TEST_F(Route, UnchangedParametersStayWhereTheyAre)
{
	std::string path = "/kv/abc";

	Add("/kv/{key}", "kv");
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, path, LEAT_WEB_ARGV_HEAD));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD, req.argv_len);
	EXPECT_EQ((const uint8_t *)path.data() + 4, web.params[0].data);
}

TEST_F(Route, DecodedBytesLieBehindThePieces)
{
	std::string path = "/kv/" + std::string(17, 'x') + "%41";
	const std::string before = path;

	Add("/kv/{key}", "kv");
	web.nb_pieces = 3;
	EXPECT_EQ(-ENOBUFS, Request(LEAT_HTTP_GET, path, LEAT_WEB_ARGV_HEAD + 3 + 1));
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, path, LEAT_WEB_ARGV_HEAD + 3 + 2));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD + 3 + 2, req.argv_len);
	EXPECT_EQ((const uint8_t *)(argv.data() + LEAT_WEB_ARGV_HEAD + 3), web.params[0].data);
	EXPECT_EQ(std::string(17, 'x') + "A", String(web.params[0]));
	EXPECT_EQ(before, path);
}

TEST_F(Route, EachDecodedParameterNeedsRoom)
{
	std::string path =
		"/%61" + std::string(5, 'x') + "/%62" + std::string(5, 'y'); // 8 bytes each

	Add("/{a}/{b}", "two");
	EXPECT_EQ(-ENOBUFS,
		Request(LEAT_HTTP_GET, "/%61xxxxxxxx/%62yyyyyyyy", LEAT_WEB_ARGV_HEAD + 1));
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, path, LEAT_WEB_ARGV_HEAD + 1));
	EXPECT_EQ("axxxxx", String(web.params[0]));
	EXPECT_EQ("byyyyy", String(web.params[1]));
	EXPECT_EQ(LEAT_WEB_ARGV_HEAD + 1, req.argv_len);
}

TEST_F(Route, ParametersHaveALimit)
{
	Add("/*", "all");
	EXPECT_EQ("all(" + std::string(LEAT_ROUTE_PARAMS_LEN_MAX - 2, 'x') + ")",
		Get("/%78" + std::string(LEAT_ROUTE_PARAMS_LEN_MAX - 3, 'x')));
	EXPECT_EQ("414", Get("/%78" + std::string(LEAT_ROUTE_PARAMS_LEN_MAX - 2, 'x')));
}

TEST_F(Route, TheLastResortHasRoomInAnyCase)
{
	std::string path = "/%78" + std::string(LEAT_ROUTE_PARAMS_LEN_MAX - 3, 'x');

	Add("/*", "all");
	EXPECT_EQ(0, Request(LEAT_HTTP_GET, path, LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL));
}

TEST_F(Route, MethodsOfOnePatternAreRoutesOfTheirOwn)
{
	Add("/a", "read", LEAT_WEB_METHOD(GET));
	Add("/a", "write", LEAT_WEB_METHOD(PUT) | LEAT_WEB_METHOD(POST));
	Add("/*", "rest", LEAT_WEB_METHOD(DELETE));
	EXPECT_EQ("read", Ask(LEAT_HTTP_GET, "/a"));
	EXPECT_EQ("read", Ask(LEAT_HTTP_HEAD, "/a"));
	EXPECT_EQ("write", Ask(LEAT_HTTP_PUT, "/a"));
	EXPECT_EQ("write", Ask(LEAT_HTTP_POST, "/a"));
	EXPECT_EQ("405 GET, HEAD, POST, PUT, OPTIONS", Ask(LEAT_HTTP_DELETE, "/a"));
	EXPECT_EQ("rest(b)", Ask(LEAT_HTTP_DELETE, "/b"));
}

TEST_F(Route, OptionsTellWhatThereIs)
{
	Add("/a", "a", LEAT_WEB_METHOD(GET));
	Add("/b/{c}", "b", LEAT_WEB_METHOD(DELETE));
	EXPECT_EQ("204 GET, HEAD, OPTIONS", Ask(LEAT_HTTP_OPTIONS, "/a"));
	EXPECT_EQ("204 DELETE, OPTIONS", Ask(LEAT_HTTP_OPTIONS, "/b/x"));
	EXPECT_EQ("204 GET, HEAD, DELETE, OPTIONS", Ask(LEAT_HTTP_OPTIONS, "*"));
	EXPECT_EQ("404", Ask(LEAT_HTTP_OPTIONS, "/c"));
}

TEST_F(Route, OptionsMayBeARoutesOwn)
{
	Add("/a", "a", LEAT_WEB_METHOD(OPTIONS));
	EXPECT_EQ("a", Ask(LEAT_HTTP_OPTIONS, "/a"));
}

TEST_F(Route, UnknownMethodsAreForRoutesThatTakeAny)
{
	Add("/a", "a", LEAT_WEB_METHODS_ALL);
	Add("/b", "b", LEAT_WEB_METHOD(GET));
	EXPECT_EQ("a", Ask(LEAT_HTTP_METHOD_OTHER, "/a"));
	EXPECT_EQ("501", Ask(LEAT_HTTP_METHOD_OTHER, "/b"));
	EXPECT_EQ("501", Ask(LEAT_HTTP_METHOD_OTHER, "/c"));
	EXPECT_EQ("501", Ask(LEAT_HTTP_CONNECT, "a:1"));
}

TEST_F(Route, PatternsThatAreNone)
{
	std::string longest = "/" + std::string(LEAT_ROUTE_PATTERN_MAX - 1, 'x');

	for (const char *pattern :
		{ "", "a", "a/b", "*", "/a*", "/*/a", "/a/*b", "/{}", "/{a", "/a}", "/a{b}",
			"/{a}b", "/a?b", "/a#", "/a b", "/a\x80", "/{a}/*", "/{a{b}}", "/{a*}" })
		EXPECT_EQ(-EINVAL, TryAdd(pattern)) << pattern;
	EXPECT_EQ(0, TryAdd("/{a}/{b}/{c}/{d}"));
	EXPECT_EQ(-EINVAL, TryAdd("/{a}/{b}/{c}/{d}/{e}"));
	EXPECT_EQ(0, TryAdd(longest.c_str()));
	EXPECT_EQ(-EINVAL, TryAdd((longest + "x").c_str()));
}

TEST_F(Route, TwoNamesOfOneParameterAreAMistake)
{
	EXPECT_EQ(0, TryAdd("/a/{b}"));
	EXPECT_EQ(-EINVAL, TryAdd("/a/{c}", LEAT_WEB_METHOD(PUT)));
	EXPECT_STREQ("routes /a/{c} and /a/{b} match the same paths", error.text);
}

TEST_F(Route, TwiceTheSameMethodIsAMistake)
{
	EXPECT_EQ(0, TryAdd("/a", LEAT_WEB_METHOD(GET)));
	EXPECT_EQ(-EEXIST, TryAdd("/a", LEAT_WEB_METHOD(HEAD))); // GET has brought it
	EXPECT_EQ(0, TryAdd("/a", LEAT_WEB_METHOD(PUT)));
}

TEST_F(Route, OnlyAPatternWithAParameterHasAKey)
{
	has_key = true;
	EXPECT_EQ(-EINVAL, TryAdd("/a"));
	EXPECT_EQ(0, TryAdd("/a/{b}"));
	EXPECT_EQ(0, TryAdd("/b/*"));
}

TEST_F(Route, ATableHasALimit)
{
	for (uint32_t i = 0; i < LEAT_ROUTES_MAX; i++)
		Add("/" + std::to_string(i), std::to_string(i));
	EXPECT_EQ(-ENOSPC, TryAdd("/x"));
	for (uint32_t i = 0; i < LEAT_ROUTES_MAX; i++)
		EXPECT_EQ(std::to_string(i), Get("/" + std::to_string(i)));
}

// The constant table is written in the order that leat_route_add() would have made.
TEST_F(Route, BuiltinRoutesAreInTheirOrder)
{
	uint32_t nb = leat_route_builtin.nb_exact + leat_route_builtin.nb_params +
		      leat_route_builtin.nb_prefix;

	for (bool of_keys : { true, false }) // later ones first
		for (uint32_t i = 0; i < nb; i++) {
			const leat_web_route *route = &leat_route_builtin.routes[i];

			if (route->has_key == of_keys) {
				EXPECT_EQ(0, leat_route_add(table.get(), route, &error));
			}
		}
	EXPECT_EQ(leat_route_builtin.nb_exact, table->nb_exact);
	EXPECT_EQ(leat_route_builtin.nb_params, table->nb_params);
	EXPECT_EQ(leat_route_builtin.nb_prefix, table->nb_prefix);
	for (uint32_t i = 0; i < nb; i++) {
		EXPECT_EQ(String(leat_route_builtin.routes[i].pattern),
			String(table->routes[i].pattern));
		EXPECT_EQ(leat_route_builtin.routes[i].methods, table->routes[i].methods);
	}
}

} // namespace
