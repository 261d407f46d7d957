// SPDX-License-Identifier: BSD-3-Clause

// Sections [route NAME].

#include "leatd_test.h"

namespace
{

const std::string kBegin = "[port p0]\ndev = net_tap0\naddr = 10.77.0.1/24\n"
			   "[listen web]\nprotocol = http\ntransport = dpdk\n"
			   "address = 10.77.0.1\nport = 80\n"
			   "[listen cache]\nprotocol = resp\ntransport = dpdk\n"
			   "address = 10.77.0.1\nport = 6379\n";

// The sentence without its "FILE:LINE: ", "" for a good configuration.
std::string
ErrorOf(const std::string &text)
{
	leat_error error = {};
	Parsed p = ParseFile(text);
	std::string sentence = p.error;

	if (p.ret == 0) {
		int ret = leatd_conf_check(p.conf.get(), TestParts(), &error);

		EXPECT_EQ(ret < 0, error.text[0] != '\0');
		sentence = error.text;
	}
	return sentence.substr(
		sentence.find(": ") == std::string::npos ? 0 : sentence.find(": ") + 2);
}

TEST(ConfRoute, FillsEveryKey)
{
	Parsed p = ParseFile(
		kBegin +
		"[route a]\npath = /a\nmethod = GET\nmethod = PUT\nlisten = web\nhandler = echo\n"
		"[route b]\npath = /b/{c}\nstatus = 404\nheader = Content-Type: text/html\n"
		"header = X-A:b\nbody = /tmp/x\n"
		"[worker]\nidle = poll\n");

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(2u, p.conf->nb_routes);
	const leatd_route_conf &a = p.conf->routes[0];
	EXPECT_STREQ("a", a.name);
	EXPECT_STREQ("/a", a.path);
	EXPECT_EQ(1u << LEATD_GET | 1u << LEATD_PUT, a.methods);
	EXPECT_STREQ("web", a.listen);
	EXPECT_STREQ("echo", a.handler);
	const leatd_route_conf &b = p.conf->routes[1];
	EXPECT_EQ(0u, b.methods);
	EXPECT_STREQ("", b.handler);
	EXPECT_EQ(404u, b.status);
	ASSERT_EQ(2u, b.headers.nb);
	EXPECT_STREQ("Content-Type: text/html", b.headers.list[0]);
	EXPECT_STREQ("X-A:b", b.headers.list[1]);
	EXPECT_STREQ("/tmp/x", b.body);
}

TEST(ConfRoute, WhatDoesNotBelongTogether)
{
	EXPECT_EQ("", ErrorOf(kBegin + "[route a]\npath = /a\nhandler = echo\nlisten = web\n"));
	EXPECT_EQ("path is missing: a path such as /about or /users/{name}; one that ends in / and "
		  "* is a prefix",
		ErrorOf(kBegin + "[route a]\nhandler = echo\n"));
	EXPECT_EQ("there is no handler eco; there are: echo, health",
		ErrorOf(kBegin + "[route a]\npath = /a\nhandler = eco\n"));
	for (const char *more : { "status = 200", "header = A: b", "body = /tmp/x" })
		EXPECT_EQ("a route has a handler, or status, header and body",
			ErrorOf(kBegin + "[route a]\npath = /a\nhandler = echo\n" + more + "\n"));
	EXPECT_EQ("an answer of status 204 has no body",
		ErrorOf(kBegin + "[route a]\npath = /a\nstatus = 204\nbody = /tmp/x\n"));
	EXPECT_EQ("", ErrorOf(kBegin + "[route a]\npath = /a\nstatus = 204\n"));
	for (const char *listen : { "cache", "nosuch" })
		EXPECT_EQ("no listener of HTTP has the name '" + std::string(listen) + "'",
			ErrorOf(kBegin + "[route a]\npath = /a\nlisten = " + listen + "\n"));
	EXPECT_EQ("route a is given twice",
		ErrorOf(kBegin + "[route a]\npath = /a\n[route a]\npath = /b\n"));
	EXPECT_EQ("section [route] needs a name, such as [route route0]",
		ErrorOf(kBegin + "[route]\n"));
}

TEST(ConfRoute, WithoutAListenerOfHttpThereIsNoRoute)
{
	std::string text = kBegin + "[route a]\npath = /a\n";

	text.replace(text.find("http"), 4, "resp");
	EXPECT_EQ("no listener speaks HTTP", ErrorOf(text));
}

TEST(ConfRoute, HeaderFieldsThatAreNone)
{
	std::string longest = "A: " + std::string(LEATD_FIELD_LEN - 4 - 10, 'x');

	for (const char *field : { "A", ": b", "A B: c", "A:", "Content-Length: 1", "date: x",
		     "Connection: close", "Transfer-Encoding: chunked", "A\x80: b" }) {
		std::string error = ErrorOf(
			kBegin + "[route a]\npath = /a\nheader = " + std::string(field) + "\n");

		EXPECT_EQ(std::string(field) == "A:",
			error.find("it must be Name: value, but no ") == std::string::npos)
			<< field << ": " << error;
	}
	EXPECT_EQ("", ErrorOf(kBegin + "[route a]\npath = /a\nheader = " + longest + "\n"));
}

TEST(ConfRoute, FieldsAndRoutesHaveLimits)
{
	std::string fields = kBegin + "[route a]\npath = /a\n", routes = kBegin;

	for (int i = 0; i < LEATD_FIELDS_MAX; i++)
		fields += "header = A: b\n";
	EXPECT_EQ("", ErrorOf(fields));
	EXPECT_EQ("header is given more than 8 times", ErrorOf(fields + "header = A: b\n"));
	for (int i = 0; i < LEATD_ROUTES_MAX; i++)
		routes += "[route r" + std::to_string(i) + "]\npath = /" + std::to_string(i) + "\n";
	EXPECT_EQ("", ErrorOf(routes));
	EXPECT_EQ("there may be 64 routes at most", ErrorOf(routes + "[route a]\npath = /a\n"));
}

TEST(ConfRoute, AKeyOfARouteIsNoOption)
{
	EXPECT_EQ("unknown option '--handler'; it is a key of [route NAME], in the file",
		ParseArgs({ "--handler", "echo" }).error);
}

TEST(ConfRoute, TheSummaryHasRoutesAndTimesThatAreNotTheDefault)
{
	Parsed p = ParseFile(kBegin +
			     "[listen w2]\nprotocol = http\ntransport = dpdk\naddress = 10.77.0.1\n"
			     "port = 81\nhead-timeout = 0\nbody-timeout = 60\ntimeout = 5\n"
			     "[route a]\npath = /a\nheader = A: b\n");
	char *text = nullptr;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	ASSERT_EQ(0, p.ret) << p.error;
	leatd_conf_print(p.conf.get(), out);
	fclose(out);
	std::string summary(text, len);
	free(text);
	EXPECT_NE(std::string::npos, summary.find("address 10.77.0.1, port 80\n")) << summary;
	EXPECT_NE(std::string::npos, summary.find("port 81, timeout 5, head-timeout 0\n"));
	EXPECT_NE(std::string::npos, summary.find("route: path /a, header 'A: b'\n"));
}

} // namespace
