// SPDX-License-Identifier: BSD-3-Clause

// Requests out, and both sides against each other.

#include <leat_http_client.h>

#include "http_fixture.h"

namespace
{

class HttpClientEmit : public testing::Test
{
      protected:
	void SetUp() override
	{
		leat_writer_init(&w, buf, sizeof(buf));
		req.method = leat_http_method_name(LEAT_HTTP_GET);
		req.target = leat_slice_str("/");
		req.host = leat_slice_str("leat.example:80");
	}

	std::string Emit()
	{
		leat_http_emit_request(&w, &req);
		return Written();
	}

	std::string Written()
	{
		EXPECT_FALSE(w.failed);
		return std::string((char *)buf, (size_t)(w.pos - buf));
	}

	leat_http_client_request req = {};
	leat_writer w = {};
	uint8_t buf[1024];
};

TEST_F(HttpClientEmit, TheLeast)
{
	EXPECT_EQ("GET / HTTP/1.1\r\nHost: leat.example:80\r\n\r\n", Emit());
}

TEST_F(HttpClientEmit, AllFields)
{
	const leat_http_field fields[] = {
		{ leat_slice_str("Accept"), leat_slice_str("*/*") },
		{ leat_slice_str("X-Empty"), leat_slice_str("") },
	};

	req.method = leat_slice_str("PUT");
	req.target = leat_slice_str("/v1/kv/a?b");
	req.connection = LEAT_HTTP_CONNECTION_CLOSE;
	req.has_content = true;
	req.content_len = 12;
	req.expects_continue = true;
	req.fields = fields;
	req.nb_fields = 2;
	EXPECT_EQ("PUT /v1/kv/a?b HTTP/1.1\r\n"
		  "Host: leat.example:80\r\n"
		  "Content-Length: 12\r\n"
		  "Expect: 100-continue\r\n"
		  "Accept: */*\r\n"
		  "X-Empty: \r\n"
		  "Connection: close\r\n"
		  "\r\n",
		Emit());
}

using HttpClientEmitDeathTest = HttpClientEmit;

// A target that came from a peer with a blank in it would end the line elsewhere.
TEST_F(HttpClientEmitDeathTest, TargetsThatAreNoneAreOurOwnMistake)
{
	for (const char *target : { "", " /", "/ ", "/a b", "/#", "/\r\n", "\xc3" }) {
		req.target = leat_slice_str(target);
		EXPECT_DEATH(Emit(), "is_target") << target;
	}
}

TEST_F(HttpClientEmit, ChunkedRequestIsReadByTheServersSide)
{
	const leat_http_field trailer = { leat_slice_str("X-Sum"), leat_slice_str("3") };

	req.method = leat_slice_str("POST");
	req.has_content = true;
	req.is_chunked = true;
	leat_http_emit_request(&w, &req);
	for (const char *chunk : { "hello", " world, this is more than fifteen" }) {
		leat_http_emit_chunk_begin(&w, strlen(chunk));
		leat_writer_put_slice(&w, leat_slice_str(chunk));
		leat_http_emit_chunk_end(&w);
	}
	leat_http_emit_last_chunk(&w, &trailer, 1);
	Parsed p = ParseAll(Written());
	EXPECT_EQ((ssize_t)Written().size(), p.ret);
	EXPECT_EQ("POST", p.method_name);
	EXPECT_EQ("leat.example:80", p.host);
	EXPECT_EQ(2u, p.pieces.size());
	EXPECT_EQ("hello world, this is more than fifteen", p.body);
	EXPECT_EQ("X-Sum=3;", p.trailers);
}

TEST_F(HttpClientEmit, EveryMethodIsReadByTheServersSide)
{
	for (int i = 0; i < LEAT_HTTP_METHOD_OTHER; i++) {
		auto method = (leat_http_method)i;

		leat_writer_init(&w, buf, sizeof(buf));
		req.method = leat_http_method_name(method);
		req.target = leat_slice_str(method == LEAT_HTTP_CONNECT ? "a:1" : "/");
		EXPECT_EQ(method, ParseAll(Emit()).method);
	}
	EXPECT_EQ(0u, leat_http_method_name(LEAT_HTTP_METHOD_OTHER).len);
}

TEST_F(HttpClientEmit, ResponsesAreReadByTheClientsSide)
{
	const leat_http_field field = { leat_slice_str("ETag"), leat_slice_str("\"1\"") };
	leat_http_limits limits = { 1024, 0 };

	for (uint16_t status : { 200, 204, 304, 404 }) {
		leat_http_response out = {};
		leat_http_client_response in = {};
		leat_http_parser parser;
		leat_slice piece;

		leat_writer_init(&w, buf, sizeof(buf));
		out.status = status;
		out.fields = &field;
		out.nb_fields = 1;
		out.content_len = leat_http_status_has_content(status) ? 3 : 0;
		leat_http_emit_head(&w, &out);
		leat_writer_put(&w, "abc", out.content_len);
		in.body.pieces = &piece;
		in.body.pieces_max = 1;
		leat_http_begin_response(&parser, LEAT_HTTP_GET);
		EXPECT_EQ(w.pos - buf, leat_http_parse_response(&parser, &limits,
					       { buf, (size_t)(w.pos - buf) }, &in));
		EXPECT_EQ(status, in.status);
		EXPECT_EQ(out.content_len, in.body.len);
		EXPECT_TRUE(leat_http_fields_find(in.fields, leat_slice_str("etag"), &piece));
		EXPECT_EQ("\"1\"", String(piece));
		EXPECT_FALSE(leat_http_fields_find(in.fields, leat_slice_str("eta"), &piece));
	}
}

} // namespace
