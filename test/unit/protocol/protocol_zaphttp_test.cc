// SPDX-License-Identifier: BSD-3-Clause

// HTTP over ZAP on a connection: frames to routes, answers to frames, what ends it.

#include <memory>

#include <leat_be.h>
#include <leat_route.h>

#include "sbe_serve.h"
#include "timeout_expect.h"
#include "zaphttp_support.h"

using golden::Bytes;
using golden::Case;

namespace
{

constexpr size_t kFrontMax = 4096; // bytes of an answer but for its body

// Text of an answer for a test to compare: status, fields, body.
std::string
Shown(const std::string &generation, const std::string &frame, size_t *len)
{
	leat_zaphttp_limits limits = LimitsOf(generation);
	leat_zaphttp_reply reply = {};
	ssize_t ret = leat_zaphttp_parse_reply(&limits, Slice(frame), &reply);

	EXPECT_GT(ret, 0);
	*len = ret > 0 ? (size_t)ret : frame.size();
	EXPECT_EQ(LEAT_ZAPHTTP_RESPONSE, reply.type);
	std::string text = std::to_string(reply.status) + " " + String(reply.reason) + "\n";
	for (const Pair &pair : Walk(reply.headers))
		text += pair.first + ": " + pair.second + "\n";
	return text + "\n" + String(reply.body);
}

// What the route of every path answers: what it saw, as in the golden file.
void
SawRun(leat_command_ctx *, const leat_web_request *web, leat_reply *reply)
{
	leat_web_fields fields = web->fields;
	leat_web_field field;
	uint8_t text[1024];
	leat_writer w;

	leat_writer_init(&w, text, sizeof(text));
	leat_writer_put_slice(&w, web->method_name);
	leat_writer_put_u8(&w, ' ');
	leat_writer_put_slice(&w, web->target);
	leat_writer_put_u8(&w, ' ');
	leat_writer_put_int64(&w, (int64_t)web->body_len);
	while (leat_web_fields_next(&fields, &field)) {
		leat_writer_put_u8(&w, ' ');
		leat_web_put_name(&w, &fields, &field);
		leat_writer_put_u8(&w, '=');
		leat_web_put_value(&w, &fields, &field);
	}
	EXPECT_FALSE(w.failed);
	leat_web_answer_bytes(reply, {}, { text, (size_t)(w.pos - text) });
}

// What the route of a query answers.
void
PathRun(leat_command_ctx *, const leat_web_request *web, leat_reply *reply)
{
	const leat_slice text[] = { web->path, LEAT_SLICE("|"), web->query };
	leat_web_answer answer = {};

	answer.status = 200;
	answer.body = text;
	answer.nb_slices = 3;
	leat_reply_answer(reply, &answer);
}

// A body of as many bytes as the handler's argument says.
void
LongRun(leat_command_ctx *, const leat_web_request *web, leat_reply *reply)
{
	static const std::string bytes(LEAT_ZAPHTTP_FRAME_MAX, 'x');
	leat_slice body[] = { Slice(bytes),
		{ (const uint8_t *)bytes.data(), *(const size_t *)web->route->arg } };
	leat_web_answer answer = {};

	answer.status = 200;
	answer.content_type = LEAT_SLICE("text/plain");
	answer.body = &body[1];
	answer.nb_slices = 1;
	if (body[1].len > body[0].len) { // in two pieces
		answer.body = body;
		answer.nb_slices = 2;
		answer.is_const = true;
		body[1].len -= body[0].len;
	}
	leat_reply_answer(reply, &answer);
}

class ProtocolZap : public testing::TestWithParam<std::string>
{
      protected:
	ProtocolZap()
	{
		serve_.limits.routes = nullptr;
	}

	Serve::Conn &At(uint64_t id)
	{
		Serve::Conn &conn = serve_.At(id);

		if (GetParam() == "json")
			conn.protocol = &leat_protocol_zap_json;
		return conn;
	}

	// Bytes for bytes.
	std::string Ask(const std::string &bytes, uint64_t id = 1)
	{
		(void)At(id);
		return serve_.Ask(bytes, id);
	}

	// The answers to bytes, to be compared.
	std::string Show(const std::string &bytes, uint64_t id = 1)
	{
		std::string out = Ask(bytes, id);
		std::string text;

		while (!out.empty()) {
			size_t len;

			text += Shown(GetParam(), out, &len) + "\n";
			out.erase(0, len);
		}
		return text + (At(id).is_closed ? "closed\n" : "");
	}

	std::string Request(const std::string &method, const std::string &target,
		const Pairs &pairs = {}, const std::string &body = "") const
	{
		const Fields fields(pairs);
		leat_zaphttp_out_request req = {};

		req.method = Slice(method);
		req.target = Slice(target);
		req.headers = fields.Get();
		req.body = Slice(body);
		return golden::Written([&](leat_writer *w) {
			EXPECT_EQ(0, leat_zaphttp_emit_request(w, Generation(GetParam()), &req));
		});
	}

	std::string Get(const std::string &target) const
	{
		return Request("GET", target);
	}

	void AddRoute(const std::string &pattern, decltype(leat_web_route::run) run,
		const void *arg = nullptr)
	{
		leat_error error = {};
		leat_web_route route = {};

		patterns_.push_back(std::make_unique<std::string>(pattern));
		route.pattern = Slice(*patterns_.back());
		route.methods = LEAT_WEB_METHODS_ALL;
		route.run = run;
		route.arg = arg;
		ASSERT_EQ(0, leat_route_add(table_.get(), &route, &error)) << error.text;
		serve_.limits.routes = table_.get();
	}

	Serve serve_{ "zap" };

      private:
	std::unique_ptr<leat_route_table> table_ = std::make_unique<leat_route_table>();
	std::vector<std::unique_ptr<std::string>> patterns_;
};

INSTANTIATE_TEST_SUITE_P(Generation, ProtocolZap, testing::Values("binary", "json"),
	[](const auto &info) { return info.param; });

const char kOk[] = "200 OK\nContent-Type: text/plain\n\nok\n";

TEST_P(ProtocolZap, Health)
{
	EXPECT_EQ(kOk, Show(Get("/health")));
	EXPECT_EQ(kOk, Show(Get("/health?probe=1")));
}

// Nothing in it differs from the golden answer but its type.
TEST_P(ProtocolZap, AnAnswerIsCanonical)
{
	for (const Case &c : golden::Load("http.txt")) {
		if (c.name != "get_health_bare" || c.variant != GetParam())
			continue;
		const Pairs pairs = { { "Content-Type", "text/plain" } };
		const Fields fields(pairs);
		leat_zaphttp_out_response res = {};

		res.headers = fields.Get();
		res.body = LEAT_SLICE("ok");
		EXPECT_EQ(golden::Written([&](leat_writer *w) {
			EXPECT_EQ(0, leat_zaphttp_emit_response(w, Generation(GetParam()), &res));
		}),
			Ask(Bytes(c.Line("frame"))));
		return;
	}
	FAIL() << "no golden request";
}

TEST_P(ProtocolZap, HeadHasNoBody)
{
	EXPECT_EQ("200 OK\nContent-Type: text/plain\n\n\n", Show(Request("HEAD", "/health")));
}

TEST_P(ProtocolZap, EchoGivesTheBodyBack)
{
	const std::string bytes = golden::Pattern(100000);

	EXPECT_EQ("200 OK\nContent-Type: application/octet-stream\n\nhello\n",
		Show(Request("POST", "/echo", { { "Content-Type", "text/html" } }, "hello")));
	EXPECT_EQ("200 OK\nContent-Type: application/octet-stream\n\n" + bytes + "\n",
		Show(Request("POST", "/echo", {}, bytes)));
	EXPECT_EQ("200 OK\nContent-Type: application/octet-stream\n\n\n",
		Show(Request("POST", "/echo")));
}

TEST_P(ProtocolZap, HeadersAreShownInPlainText)
{
	const std::string value = "a \"quoted\" \\ <b>\t\xe2\x86\x92";

	EXPECT_EQ("200 OK\nContent-Type: text/plain\n\nX-A: one\nX-A: two\nX-Empty: \nX-Odd: " +
			  value + "\n\n",
		Show(Request("GET", "/headers",
			{ { "X-A", "one" }, { "X-A", "two" }, { "X-Empty", "" },
				{ "X-Odd", value } })));
}

TEST_P(ProtocolZap, AKeyIsPutReadAndDeleted)
{
	EXPECT_EQ("201 Created\n\n\n", Show(Request("PUT", "/v1/kv/a%2Fb", {}, "value")));
	EXPECT_EQ("200 OK\nContent-Type: application/octet-stream\n\nvalue\n",
		Show(Get("/v1/kv/a%2fb")));
	EXPECT_EQ("204 No Content\n\n\n", Show(Request("PUT", "/v1/kv/a%2Fb", {}, "other")));
	EXPECT_EQ("204 No Content\n\n\n", Show(Request("DELETE", "/v1/kv/a%2Fb")));
	EXPECT_EQ("404 Not Found\nContent-Type: text/plain\n\nNot Found\n\n",
		Show(Get("/v1/kv/a%2Fb")));
}

TEST_P(ProtocolZap, WhatHasNoRouteIsAnswered)
{
	const std::string allow = GetParam() == "json"
					  ? "Allow: POST, OPTIONS\nContent-Type: text/plain\n"
					  : "Content-Type: text/plain\nAllow: POST, OPTIONS\n";

	EXPECT_EQ(
		"404 Not Found\nContent-Type: text/plain\n\nNot Found\n\n", Show(Get("/nowhere")));
	EXPECT_EQ("404 Not Found\nContent-Type: text/plain\n\nNot Found\n\n", Show(Get("health")));
	EXPECT_EQ("405 Method Not Allowed\n" + allow + "\nMethod Not Allowed\n\n",
		Show(Get("/echo")));
	EXPECT_EQ("204 No Content\nAllow: POST, OPTIONS\n\n\n", Show(Request("OPTIONS", "/echo")));
	EXPECT_EQ("501 Not Implemented\nContent-Type: text/plain\n\nNot Implemented\n\n",
		Show(Request("get", "/health")));
}

TEST_P(ProtocolZap, ATargetIsSplitIntoPathAndQuery)
{
	AddRoute("/*", PathRun);
	const std::pair<const char *, const char *> targets[] = {
		{ "/", "/|" },
		{ "/a/../b?x=1&y=?", "/a/../b|x=1&y=?" },
		{ "/?", "/|" },
		{ "?", "/|" },
		{ "http://host", "/|" },
		{ "http://host/", "/|" },
		{ "http://host:80/a?b", "/a|b" },
		{ "http://host?b", "/|b" },
		{ "//x/y", "//x/y|" },
		{ "/http://x/y", "/http://x/y|" },
	};

	for (const auto &[target, want] : targets)
		EXPECT_EQ("200 OK\n\n" + std::string(want) + "\n", Show(Get(target))) << target;
	for (const char *target : { "foo", "*", "host:80", "a:", "a:/", ":" })
		EXPECT_EQ("404", Show(Get(target)).substr(0, 3)) << target;
}

// Every frame that a server of reference took, and what it saw of it.
TEST_P(ProtocolZap, GoldenFramesAreSeenAsTheyWereThere)
{
	unsigned int nb_requests = 0;
	uint64_t id = 100;

	AddRoute("/*", SawRun);
	for (const Case &c : golden::Load("server.txt")) {
		std::string want;

		if (c.variant != GetParam() || c.lines.at(1)[0] != "saw")
			continue;
		for (const golden::Words &line : c.lines) {
			if (line[0] != "saw")
				continue;
			want += "200 OK\n\n" + line.at(1) + " " + line.at(2) + " " + line.at(4);
			// Of several Hosts both are passed on; nobody here asks for one.
			for (size_t i = 5; i < line.size(); i++)
				want += c.name == "ok_host_pair_last_wins" ? " Host=a host=b"
									   : " " + line[i];
			want += "\n";
			nb_requests++;
		}
		SCOPED_TRACE(c.name);
		EXPECT_EQ(want, Show(Bytes(c.Line("in")), id++));
	}
	EXPECT_GE(nb_requests, 10u);
}

// Every frame that a server of reference refused, and how.
TEST_P(ProtocolZap, GoldenRefusalsAreSilentOr400)
{
	unsigned int nb_refusals = 0;
	uint64_t id = 100;

	for (const Case &c : golden::Load("server.txt")) {
		if (c.variant != GetParam() || c.lines.at(1)[0] != "refused")
			continue;
		const std::string &why = c.lines.at(1).at(1);
		const std::string in = Get("/health") + Bytes(c.Line("in"));
		std::string got = Show(in, id++);

		SCOPED_TRACE(c.name);
		EXPECT_EQ(kOk, got.substr(0, sizeof(kOk) - 1));
		got.erase(0, sizeof(kOk) - 1);
		if (why == "incomplete") {
			EXPECT_EQ("", got);
		} else if (why == "empty" || why == "long") {
			EXPECT_EQ("closed\n", got);
		} else {
			const std::string start = "400 Bad Request\nContent-Type: text/plain; "
						  "charset=utf-8\n\nmalformed request frame: ";

			EXPECT_EQ(start, got.substr(0, start.size()));
			EXPECT_EQ("\nclosed\n", got.substr(got.size() - 8));
		}
		nb_refusals++;
	}
	EXPECT_GE(nb_refusals, 17u);
}

TEST_P(ProtocolZap, AnEmptyFrameClosesWithoutAWord)
{
	EXPECT_EQ("closed\n", Show(std::string(4, '\0')));
}

TEST_P(ProtocolZap, BehindARefusalNothingIsRead)
{
	EXPECT_EQ(std::string::npos, Ask(Bytes("0000000178") + Get("/health")).find("ok"));
	EXPECT_TRUE(At(1).is_closed);
}

TEST_P(ProtocolZap, PipelinedRequestsAreAnsweredInOrder)
{
	std::string in, want;

	for (int i = 0; i < 100; i++) {
		const std::string body = "body " + std::to_string(i);

		in += Request("POST", "/echo", {}, body) + Get("/health");
		want += "200 OK\nContent-Type: application/octet-stream\n\n" + body + "\n" + kOk;
	}
	EXPECT_EQ(want, Show(in));
}

TEST_P(ProtocolZap, BytesMayComeOneByOneAndSplitAnywhere)
{
	const std::string in = Request("POST", "/echo", { { "X-A", "1" } }, "hello") +
			       Get("/nowhere") + Bytes("0000000178");
	const std::string want = Ask(in, 1);
	std::string out;

	for (char byte : in)
		out += Ask(std::string(1, byte), 2);
	EXPECT_EQ(want, out);
	for (size_t at = 0; at <= in.size(); at++) {
		out = Ask(in.substr(0, at), 10 + at);
		if (at < in.size())
			out += Ask(in.substr(at), 10 + at);
		EXPECT_EQ(want, out) << at;
	}
}

TEST_P(ProtocolZap, AFrameOfTheLimitIsTakenAndOneMoreByteIsNot)
{
	const std::string in = Request("POST", "/echo", {}, "0123456789");

	serve_.limits.request_max = in.size() - 4;
	EXPECT_EQ("200", Show(in).substr(0, 3));
	EXPECT_EQ("closed\n", Show(Request("POST", "/echo", {}, "0123456789a")));
}

TEST_P(ProtocolZap, TheFrameOf64MiBIsWaitedForAndOneMoreByteIsNot)
{
	serve_.limits.request_max = 256u << 20;
	EXPECT_EQ("", Show(Bytes("04000000"), 1));
	EXPECT_EQ("closed\n", Show(Bytes("04000001"), 2));
}

// The last answer that is one frame, and the first that is several.
TEST_P(ProtocolZap, ABodyTooLongForAFrameIsStreamed)
{
	const leat_zaphttp_limits limits = LimitsOf(GetParam());
	size_t body_len = 0;

	AddRoute("/long", LongRun, &body_len);
	serve_.SetRoom(LEAT_ZAPHTTP_FRAME_MAX + (1u << 20));
	const size_t front_len = Ask(Get("/long")).size() - 4;
	ASSERT_LT(front_len, kFrontMax);

	body_len = LEAT_ZAPHTTP_FRAME_MAX - front_len;
	std::string out = Ask(Get("/long"));
	EXPECT_EQ(4u + LEAT_ZAPHTTP_FRAME_MAX, out.size());
	EXPECT_EQ(LEAT_ZAPHTTP_RESPONSE, (uint8_t)out[4 + 7]);

	for (size_t len : { body_len + 1, LEAT_ZAPHTTP_FRAME_MAX + (size_t)1000 }) {
		leat_zaphttp_reply reply = {};
		size_t got_len = 0;

		body_len = len;
		out = Ask(Get("/long"));
		leat_slice in = Slice(out);
		for (unsigned int i = 0; in.len > 0; i++) {
			ssize_t ret = leat_zaphttp_parse_reply(&limits, in, &reply);

			ASSERT_GT(ret, 0);
			in.data += ret;
			in.len -= (size_t)ret;
			if (i == 0) {
				EXPECT_EQ(LEAT_ZAPHTTP_HEAD, reply.type);
				EXPECT_EQ(200u, reply.status);
				EXPECT_EQ((Pairs{ { "Content-Type", "text/plain" } }),
					Walk(reply.headers));
			} else if (in.len > 0) {
				EXPECT_EQ(LEAT_ZAPHTTP_DATA, reply.type);
				EXPECT_LE(reply.body.len, 1u << 20);
				EXPECT_EQ(std::string::npos,
					String(reply.body).find_first_not_of('x'));
				got_len += reply.body.len;
			}
		}
		EXPECT_EQ(LEAT_ZAPHTTP_END, reply.type);
		EXPECT_EQ(0u, reply.trailer.bytes.len);
		EXPECT_EQ(len, got_len);
	}
	EXPECT_EQ("200 OK\nContent-Type: text/plain\n\n\n", Show(Request("HEAD", "/long")));
}

TEST_P(ProtocolZap, UnderAPasswordARequestBringsIt)
{
	serve_.shard.server.requirepass = "secret";
	EXPECT_EQ(kOk, Show(Get("/health")));
	EXPECT_EQ("401", Show(Request("POST", "/echo", {}, "x")).substr(0, 3));
	EXPECT_EQ(
		"200", Show(Request("POST", "/echo", { { "Authorization", "Bearer secret" } }, "x"))
			       .substr(0, 3));
	EXPECT_EQ(
		"401", Show(Request("POST", "/echo", { { "Authorization", "Bearer other" } }, "x"))
			       .substr(0, 3));
}

TEST_P(ProtocolZap, AGuestsFrameAtTheLimitAndOneOver)
{
	const size_t around = Request("POST", "/echo", {}, "x").size() - 1 - 4;
	const std::string longest(16384 - around, 'x');
	const std::string over = Request("POST", "/echo", {}, longest + "x");

	serve_.shard.server.requirepass = "secret";
	EXPECT_EQ("", Ask(Request("POST", "/echo", {}, longest).substr(0, 16384 + 3)));
	EXPECT_EQ("401", Show("x").substr(0, 3)); // when it is whole
	EXPECT_FALSE(At(1).is_closed);
	EXPECT_EQ("", Ask(over.substr(0, 16384 + 3), 2)); // when its front is
	const std::string shown = Show("x", 2);
	EXPECT_EQ("401 Unauthorized\n", shown.substr(0, 17));
	EXPECT_NE(std::string::npos, shown.find("WWW-Authenticate: Bearer realm=\"leat\"\n"));
	EXPECT_NE(std::string::npos, shown.find("closed\n"));
	EXPECT_EQ("", Ask(Request("GET", "/health"), 2));
}

TEST_P(ProtocolZap, AGuestsLongFrameIsTakenInWhereItsFrontHasThePassword)
{
	const std::string body(1000000, 'x');
	const std::string in = Request(
		"POST", "/echo", { { "X", "y" }, { "AUTHORIZATION", "Bearer secret" } }, body);

	serve_.shard.server.requirepass = "secret";
	EXPECT_EQ("", Ask(in.substr(0, 16384 + 4)));
	EXPECT_EQ("", Ask(in.substr(16384 + 4, 100000)));
	At(1).protocol->rewind(&At(1).state);
	EXPECT_EQ("200 OK", Show(in.substr(16384 + 4 + 100000)).substr(0, 6));
	EXPECT_EQ("200", Show(in).substr(0, 3)) << "at once";
	// Behind it nothing is known of the next.
	EXPECT_NE(std::string::npos, Show(Request("POST", "/echo", {}, body)).find("closed"));
	// Fields before it fill the front.
	const std::string late = Request("POST", "/echo",
		{ { "X", std::string(16384, 'y') }, { "Z-Authorization", "" },
			{ "authorization", "Bearer secret" } },
		body);
	EXPECT_EQ("401", Show(late.substr(0, 16384 + 4), 2).substr(0, 3));
}

TEST_P(ProtocolZap, AGuestsLongFrameIsRefusedInItsWay)
{
	const std::string body(20000, 'x');
	const Pair right = { "Authorization", "Bearer secret" };
	const Pair wrong = { "authorization", "Bearer no" };

	serve_.shard.server.requirepass = "secret";
	EXPECT_EQ("413", Show(Request("GET", "/health", {}, body), 1).substr(0, 3));
	EXPECT_EQ("400", Show(Request("POST", "/echo", { right, wrong }, body), 2).substr(0, 3));
	EXPECT_EQ("400", Show(Request("POST", "/echo", { wrong, right }, body), 3).substr(0, 3));
	EXPECT_EQ("401", Show(Request("POST", "/echo", { wrong }, body), 4).substr(0, 3));
	std::string bad = Request("POST", "/echo", { right }, body);
	bad[4] = 'Y';
	EXPECT_NE(
		std::string::npos, Show(bad, 5).find("malformed request frame: not a ZAP message"));
	const std::string head = Show(Request("HEAD", "/headers", {}, body), 6);
	EXPECT_EQ("401", head.substr(0, 3));
	EXPECT_EQ("realm=\"leat\"\n\n\nclosed\n", head.substr(head.rfind("realm"))) << "a body";
	for (uint64_t id = 1; id <= 6; id++)
		EXPECT_TRUE(At(id).is_closed) << id;
}

TEST_P(ProtocolZap, TwoAuthorizationsAre400InAShortFrameToo)
{
	serve_.shard.server.requirepass = "secret";
	for (const char *first : { "Bearer secret", "Bearer no" })
		EXPECT_EQ("400", Show(Request("GET", "/headers",
					      { { "Authorization", first },
						      { "authorization", "Bearer secret" } }))
					 .substr(0, 3));
}

TEST_P(ProtocolZap, AFrameThatDoesNotComeInTimeEndsWithoutAWord)
{
	ExpectTimeoutWithoutAWord(At(1).protocol);
}

TEST_P(ProtocolZap, NoRoomForTheArgumentsChangesNothing)
{
	const std::string in = Request("POST", "/echo", {}, "x");
	const leat_protocol *protocol = At(1).protocol;
	std::vector<leat_slice> argv(LEAT_WEB_ARGV_HEAD + 1);
	leat_protocol_state state = {};
	leat_request req;

	EXPECT_EQ(-ENOBUFS, protocol->decode(&state, &serve_.limits, Slice(in), &req, argv.data(),
				    LEAT_WEB_ARGV_HEAD));
	EXPECT_EQ((ssize_t)in.size(), protocol->decode(&state, &serve_.limits, Slice(in), &req,
					      argv.data(), LEAT_WEB_ARGV_HEAD + 1));
	const std::string coded = Get("/v1/kv/%61" + std::string(sizeof(leat_slice), 'b'));
	EXPECT_EQ(-ENOBUFS, protocol->decode(&state, &serve_.limits, Slice(coded), &req,
				    argv.data(), LEAT_WEB_ARGV_HEAD + 1));
}

// A request without fields does not say how its client writes them.
TEST(ProtocolZapGenerations, TheListenersGenerationIsTheAnswers)
{
	Serve serve("zap");
	const std::string in = Bytes(
		"000000525a41500001000001100000005200000030000000030000002b000000070000002a000000"
		"080000000000000000000000000000000000000000000000000000004745542f6865616c74684854"
		"54502f312e31");

	serve.At(2).protocol = &leat_protocol_zap_json;
	EXPECT_NE(std::string::npos, serve.Ask(in, 1).find(Bytes("0a000000") + "text/plain"));
	EXPECT_NE(std::string::npos, serve.Ask(in, 2).find("{\"Content-Type\":[\"text/plain\"]}"));
	EXPECT_EQ(leat_protocol_find("zap"), serve.At(1).protocol);
	EXPECT_STREQ("zap", leat_protocol_zap_json.name);
}

} // namespace
