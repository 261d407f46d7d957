// SPDX-License-Identifier: BSD-3-Clause

// Tables of routes made from the configuration, and the files behind them.

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "reply_recorder.h"
#include "routes.h"
#include "shard.h"

namespace
{

class Routes : public testing::Test
{
      protected:
	Routes()
	{
		leat_client_init(&client, 1, kNowUs);
		shard.ctx.client = &client;
		AddListen("web", "http");
		AddListen("cache", "resp");
		AddListen("web2", "http");
	}

	~Routes() override
	{
		leatd_routes_close(routes);
		for (const std::string &path : paths)
			unlink(path.c_str());
	}

	void AddListen(const char *name, const char *protocol)
	{
		leatd_listen_conf *listen = &conf->listens[conf->nb_listens++];

		leatd_copy(listen->name, sizeof(listen->name), name);
		leatd_copy(listen->protocol, sizeof(listen->protocol), protocol);
	}

	leatd_route_conf *Add(const char *path, const char *handler = "")
	{
		leatd_route_conf *route = &conf->routes[conf->nb_routes++];

		leatd_copy(route->where, sizeof(route->where), "here");
		leatd_copy(route->path, sizeof(route->path), path);
		leatd_copy(route->handler, sizeof(route->handler), handler);
		return route;
	}

	void AddField(leatd_route_conf *route, const char *text)
	{
		leatd_copy(route->headers.list[route->headers.nb++], LEATD_FIELD_LEN, text);
	}

	void AddBody(leatd_route_conf *route, const std::string &text)
	{
		char name[] = "/tmp/leatd-routes-XXXXXX";
		int fd = mkstemp(name);

		ASSERT_GE(fd, 0);
		ASSERT_EQ((ssize_t)text.size(), write(fd, text.data(), text.size()));
		close(fd);
		paths.push_back(name);
		leatd_copy(route->body, sizeof(route->body), name);
	}

	int Open()
	{
		int check = leatd_routes_check(conf.get(), &check_error);
		int ret = leatd_routes_open(conf.get(), &routes, &error);

		EXPECT_EQ(check, ret);
		EXPECT_STREQ(check_error.text, error.text);
		return ret;
	}

	std::string Ask(const std::string &path, leat_http_method method = LEAT_HTTP_GET,
		uint32_t listen_idx = 0)
	{
		std::vector<leat_slice> argv(LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL);
		leat_web_request web = {};
		leat_request req = {};
		ReplyRecorder recorder;

		web.method = method;
		web.path = { (const uint8_t *)path.data(), path.size() };
		EXPECT_EQ(0, leat_route_request(leatd_routes_table(routes, listen_idx), &web,
				     argv.data(), (uint32_t)argv.size(), &req));
		leat_command_execute(&shard.ctx, &req, recorder.reply());
		return recorder.Take();
	}

	Shard shard;
	leat_client client = {};
	std::unique_ptr<leatd_conf> conf = std::make_unique<leatd_conf>();
	std::vector<std::string> paths;
	leatd_routes *routes = nullptr;
	leat_error error = {}, check_error = {};
};

const char kOk[] = "answer 200 text/plain \"ok\"";

TEST_F(Routes, WithoutOneThereAreThoseThatAreBuiltIn)
{
	ASSERT_EQ(0, Open());
	EXPECT_EQ(nullptr, leatd_routes_table(routes, 0));
	EXPECT_EQ(kOk, Ask("/health"));
}

TEST_F(Routes, AFixedAnswerHasStatusFieldsAndBody)
{
	leatd_route_conf *route = Add("/");

	route->status = 404;
	AddField(route, "content-type:  text/html; charset=utf-8");
	AddField(route, "X-A:b");
	AddBody(route, "<p>hello");
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("answer 404 text/html; charset=utf-8 [X-A: b] \"<p>hello\"", Ask("/"));
	EXPECT_EQ("405", Ask("/", LEAT_HTTP_POST).substr(7, 3));
	EXPECT_EQ(kOk, Ask("/health")) << "the others are there, too";
}

TEST_F(Routes, WithoutAnythingItIs200AndEmpty)
{
	AddBody(Add("/empty"), "");
	Add("/none");
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("answer 200 \"\"", Ask("/empty"));
	EXPECT_EQ("answer 200", Ask("/none"));
}

TEST_F(Routes, AHandlerHasTheMethodsThatAreSaid)
{
	Add("/any", "echo")->methods = 1u << LEATD_ANY_METHOD;
	Add("/post", "echo");
	Add("/k/{x}", "kv")->methods = 1u << LEATD_GET;
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("answer 200 application/octet-stream", Ask("/any", LEAT_HTTP_DELETE));
	EXPECT_EQ("answer 200 application/octet-stream", Ask("/any", LEAT_HTTP_METHOD_OTHER));
	EXPECT_EQ("405", Ask("/post").substr(7, 3));
	EXPECT_EQ("null", Ask("/k/a"));
	EXPECT_EQ("405", Ask("/k/a", LEAT_HTTP_PUT).substr(7, 3));
}

TEST_F(Routes, OursGiveWay)
{
	Add("/health")->status = 503;
	Add("/v1/kv/{k}")->status = 403;
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("answer 503", Ask("/health"));
	EXPECT_EQ("answer 403", Ask("/v1/kv/a"));
	EXPECT_EQ("405", Ask("/v1/kv/a", LEAT_HTTP_PUT).substr(7, 3));
}

/* Whoever says GET alone gets no PUT with it, whatever the parameter is called. */
TEST_F(Routes, OursGiveWayWithAllMethods)
{
	Add("/v1/kv/{key}", "kv")->methods = 1u << LEATD_GET;
	Add("/health")->methods = 1u << LEATD_POST;
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("null", Ask("/v1/kv/a"));
	EXPECT_EQ("405", Ask("/v1/kv/a", LEAT_HTTP_PUT).substr(7, 3));
	EXPECT_EQ("405", Ask("/v1/kv/a", LEAT_HTTP_DELETE).substr(7, 3));
	EXPECT_EQ("answer 200", Ask("/health", LEAT_HTTP_POST));
	EXPECT_EQ("405", Ask("/health").substr(7, 3));
}

TEST_F(Routes, AListenerMayHaveItsOwn)
{
	leatd_route_conf *route = Add("/own");

	leatd_copy(route->listen, sizeof(route->listen), "web2");
	Add("/all");
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("404", Ask("/own").substr(7, 3));
	EXPECT_EQ("answer 200", Ask("/own", LEAT_HTTP_GET, 2));
	EXPECT_EQ("answer 200", Ask("/all"));
	EXPECT_EQ("answer 200", Ask("/all", LEAT_HTTP_GET, 2));
	EXPECT_EQ(nullptr, leatd_routes_table(routes, 1));
}

TEST_F(Routes, AListenerMayHaveNoneOfOurs)
{
	conf->listens[0].builtins = 1u << LEATD_BUILTIN_NONE;
	ASSERT_EQ(0, Open()) << error.text;
	for (const char *path : { "/echo", "/headers", "/health", "/v1/kv/a", "/rpc" })
		EXPECT_EQ("404", Ask(path, LEAT_HTTP_POST).substr(7, 3)) << path;
	EXPECT_EQ(nullptr, leatd_routes_table(routes, 2)) << "the other has all of them";
}

// All words are tried, and every handler that there is has one.
TEST_F(Routes, AListenerMayHaveSomeOfOurs)
{
	static const char *const paths_of_ours[] = { "/echo", "/headers", "/health", "/v1/kv/a",
		"/rpc" };
	uint32_t nb_names = 0;

	while (leat_route_builtin_names()[nb_names] != nullptr)
		nb_names++;
	ASSERT_EQ(LEATD_BUILTINS - 1, nb_names);
	for (uint32_t i = LEATD_BUILTIN_NONE + 1; i < LEATD_BUILTINS; i++) {
		conf->listens[0].builtins = 1u << i;
		ASSERT_EQ(0, Open()) << error.text;
		for (uint32_t j = 0; j < LEAT_DIM(paths_of_ours); j++)
			EXPECT_EQ(j + 1 != i,
				Ask(paths_of_ours[j], LEAT_HTTP_TRACE).substr(7, 3) == "404")
				<< i << " " << paths_of_ours[j];
		leatd_routes_close(routes);
		routes = nullptr;
	}
}

TEST_F(Routes, OneOfOursHasAllItsMethods)
{
	conf->listens[0].builtins = 1u << LEATD_BUILTIN_KV | 1u << LEATD_BUILTIN_HEALTH;
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ(kOk, Ask("/health"));
	EXPECT_EQ("answer 204 [Allow: GET, HEAD, PUT, DELETE, OPTIONS]",
		Ask("/v1/kv/a", LEAT_HTTP_OPTIONS));
	EXPECT_EQ("null", Ask("/v1/kv/a"));
	EXPECT_EQ("null", Ask("/v1/kv/a", LEAT_HTTP_DELETE));
	EXPECT_EQ("404", Ask("/echo", LEAT_HTTP_POST).substr(7, 3));
}

TEST_F(Routes, AHandlerMayBeElsewhereAlone)
{
	conf->listens[0].builtins = 1u << LEATD_BUILTIN_NONE;
	Add("/store/{k}", "kv");
	ASSERT_EQ(0, Open()) << error.text;
	EXPECT_EQ("null", Ask("/store/a"));
	EXPECT_EQ("404", Ask("/v1/kv/a").substr(7, 3));
	EXPECT_EQ("null", Ask("/v1/kv/a", LEAT_HTTP_GET, 2));
}

TEST_F(Routes, MistakesAreTold)
{
	leatd_route_conf *route = Add("/a/{");

	EXPECT_EQ(-EINVAL, Open());
	EXPECT_STREQ(
		"here: '/a/{' is no pattern of a path: such as /a, /a/{b} or /a/*", error.text);
	error = check_error = {};
	leatd_copy(route->path, sizeof(route->path), "/a");
	leatd_copy(route->handler, sizeof(route->handler), "kv");
	EXPECT_EQ(-EINVAL, Open());
	EXPECT_STREQ("here: route /a has no parameter for the key", error.text);
	error = check_error = {};
	route->handler[0] = '\0';
	Add("/a");
	EXPECT_EQ(-EEXIST, Open());
	EXPECT_STREQ("here: route /a is given twice for one method", error.text);
}

TEST_F(Routes, FilesThatCannotBeRead)
{
	leatd_route_conf *route = Add("/a");

	leatd_copy(route->body, sizeof(route->body), "/nonexistent/file");
	EXPECT_EQ(-ENOENT, Open());
	EXPECT_STREQ(
		"here: cannot read body /nonexistent/file: No such file or directory", error.text);
	error = check_error = {};
	leatd_copy(route->body, sizeof(route->body), "/tmp");
	EXPECT_EQ(-EINVAL, Open());
	EXPECT_STREQ("here: body /tmp is not a file", error.text);
}

TEST_F(Routes, AFileHasALimit)
{
	AddBody(Add("/a"), "");
	ASSERT_EQ(0, truncate(paths[0].c_str(), LEATD_BODY_MAX + 1));
	EXPECT_EQ(-EFBIG, Open());
	error = check_error = {};
	ASSERT_EQ(0, truncate(paths[0].c_str(), LEATD_BODY_MAX));
	EXPECT_EQ(0, leatd_routes_check(conf.get(), &error)) << error.text;
}

} // namespace
