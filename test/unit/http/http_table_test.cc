// SPDX-License-Identifier: BSD-3-Clause

// Requests and the right answer to each, as they come whole, byte by byte and cut in two at
// every position. An answer is the status of a refusal, or what was understood:
// "METHOD path?query host [body] keep|close". All requests that are taken are whole, and
// not a byte behind them is.

#include "http_fixture.h"

namespace
{

struct Row {
	std::string in;
	std::string answer;
};

const char kEnd[] = "\r\n\r\n";

// With the fields that a good request has.
std::string
Line(const std::string &line)
{
	return line + "\r\nHost: a" + kEnd;
}

std::string
Fields(const std::string &fields, const std::string &body = "")
{
	return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n" + body;
}

std::string
Chunks(const std::string &body)
{
	return Fields("Transfer-Encoding: chunked", body);
}

std::string
Host(const std::string &host)
{
	return "GET / HTTP/1.1\r\nHost:" + host + kEnd;
}

const Row kMethods[] = {
	{ Line("GET / HTTP/1.1"), "GET / a [] keep" },
	{ Line("HEAD / HTTP/1.1"), "HEAD / a [] keep" },
	{ Line("POST / HTTP/1.1"), "POST / a [] keep" },
	{ Line("PUT / HTTP/1.1"), "PUT / a [] keep" },
	{ Line("DELETE / HTTP/1.1"), "DELETE / a [] keep" },
	{ Line("OPTIONS / HTTP/1.1"), "OPTIONS / a [] keep" },
	{ Line("TRACE / HTTP/1.1"), "TRACE / a [] keep" },
	{ Line("PATCH / HTTP/1.1"), "PATCH / a [] keep" },
	{ Line("PROPFIND / HTTP/1.1"), "PROPFIND / a [] keep" },
	{ Line("M-SEARCH / HTTP/1.1"), "M-SEARCH / a [] keep" },
	{ Line("get / HTTP/1.1"), "get / a [] keep" },
	{ Line("!#$%&'*+-.^_`|~09aZ / HTTP/1.1"), "!#$%&'*+-.^_`|~09aZ / a [] keep" },
	{ Line("CONNECT a:443 HTTP/1.1"), "CONNECT a:443 a:443 [] close" },
	{ Line("CONNECT [::1]:443 HTTP/1.1"), "CONNECT [::1]:443 [::1]:443 [] close" },
	{ Line("G@T / HTTP/1.1"), "400" },
	{ Line("G\"T / HTTP/1.1"), "400" },
	{ Line("G,T / HTTP/1.1"), "400" },
	{ Line("GET: / HTTP/1.1"), "400" },
	{ Line(" / HTTP/1.1"), "400" },
	{ Line("G\xc3\x89T / HTTP/1.1"), "400" },
};

const Row kTargets[] = {
	{ Line("GET /a/b;c=d,e@f:g/../h HTTP/1.1"), "GET /a/b;c=d,e@f:g/../h a [] keep" },
	{ Line("GET /%41%zz HTTP/1.1"), "GET /%41%zz a [] keep" },
	{ Line("GET /?a=b&c HTTP/1.1"), "GET /?a=b&c a [] keep" },
	{ Line("GET /a??b?c HTTP/1.1"), "GET /a??b?c a [] keep" },
	{ Line("GET /a? HTTP/1.1"), "GET /a a [] keep" },
	{ Line("GET //b/c HTTP/1.1"), "GET //b/c a [] keep" },
	{ Line("GET /<>\"{}|\\^` HTTP/1.1"), "GET /<>\"{}|\\^` a [] keep" },
	{ Line("GET http://h HTTP/1.1"), "GET / h [] keep" },
	{ Line("GET http://h:80/p?q HTTP/1.1"), "GET /p?q h:80 [] keep" },
	{ Line("GET http://h?q HTTP/1.1"), "GET /?q h [] keep" },
	{ Line("GET HtTpS://h/ HTTP/1.1"), "GET / h [] keep" },
	{ Line("GET http://[fd00::1]:8080/ HTTP/1.1"), "GET / [fd00::1]:8080 [] keep" },
	{ Line("BREW http://h/p HTTP/1.1"), "BREW /p h [] keep" },
	{ Line("OPTIONS * HTTP/1.1"), "OPTIONS * a [] keep" },
	{ Line("OPTIONS http://h HTTP/1.1"), "OPTIONS / h [] keep" },
	{ Line("GET * HTTP/1.1"), "400" },
	{ Line("BREW * HTTP/1.1"), "400" },
	{ Line("OPTIONS ** HTTP/1.1"), "400" },
	{ Line("OPTIONS *?a HTTP/1.1"), "400" },
	{ Line("GET a HTTP/1.1"), "400" },
	{ Line("GET a:80 HTTP/1.1"), "400" },
	{ Line("BREW a:80 HTTP/1.1"), "400" },
	{ Line("GET ?q HTTP/1.1"), "400" },
	{ Line("GET /a#b HTTP/1.1"), "400" },
	{ Line("GET /a b HTTP/1.1"), "400" },
	{ Line("GET /a#HTTP/1.1"), "400" },
	{ Line("GET /a\xffHTTP/1.1"), "400" },
	{ Line("GET  HTTP/1.1"), "400" },
	{ Line("GET /a\tb HTTP/1.1"), "400" },
	{ Line("GET /\x7f HTTP/1.1"), "400" },
	{ Line("GET /\xff HTTP/1.1"), "400" },
	{ Line("GET http:// HTTP/1.1"), "400" },
	{ Line("GET http:///p HTTP/1.1"), "400" },
	{ Line("GET http://:80/ HTTP/1.1"), "400" },
	{ Line("GET http://u@h/ HTTP/1.1"), "400" },
	{ Line("GET http://u:p@h/ HTTP/1.1"), "400" },
	{ Line("GET http://h:a/ HTTP/1.1"), "400" },
	{ Line("GET http://h,i/ HTTP/1.1"), "400" },
	{ Line("GET http:/h HTTP/1.1"), "400" },
	{ Line("GET ws://h/ HTTP/1.1"), "400" },
	{ Line("CONNECT / HTTP/1.1"), "400" },
	{ Line("CONNECT * HTTP/1.1"), "400" },
	{ Line("CONNECT a HTTP/1.1"), "400" },
	{ Line("CONNECT a: HTTP/1.1"), "400" },
	{ Line("CONNECT :80 HTTP/1.1"), "400" },
	{ Line("CONNECT a:80/p HTTP/1.1"), "400" },
	{ Line("CONNECT http://a:80 HTTP/1.1"), "400" },
	{ Line("CONNECT a:65536 HTTP/1.1"), "400" },
};

const Row kLines[] = {
	{ "GET / HTTP/1.0\r\n\r\n", "GET /  [] close" },
	{ Line("\r\n\r\nGET / HTTP/1.1"), "GET / a [] keep" },
	{ Line("GET / HTTP/1.9"), "GET / a [] keep" },
	{ Line("GET / HTTP/2.0"), "505" },
	{ Line("GET / HTTP/0.9"), "505" },
	{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505" },
	{ "GET /\r\n\r\n", "400" },
	{ Line("GET / HTTP/1.1 "), "400" },
	{ Line("GET  / HTTP/1.1"), "400" },
	{ Line("GET /  HTTP/1.1"), "400" },
	{ Line(" GET / HTTP/1.1"), "400" },
	{ Line("GET\t/\tHTTP/1.1"), "400" },
	{ Line("GET / HTTP/1.10"), "400" },
	{ Line("GET / HTTP/01.1"), "400" },
	{ Line("GET / HTTP/1,1"), "400" },
	{ Line("GET / HTTP/+1.1"), "400" },
	{ Line("GET / HTTP /1.1"), "400" },
	{ Line("GET / Http/1.1"), "400" },
	{ Line("GET / HTTPS/1.1"), "400" },
	{ "GET / HTTP/1.1\nHost: a\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\rHost: a\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "400" },
	{ "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400" },
	{ "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", "400" },
	{ "\x16\x03\x01\x02", "400" },
	{ "<html>\r\n", "400" },
	{ "{}\r\n", "400" },
};

const Row kHosts[] = {
	{ Host(" a.example"), "GET / a.example [] keep" },
	{ Host("a"), "GET / a [] keep" },
	{ Host("\t a \t"), "GET / a [] keep" },
	{ Host(""), "GET /  [] keep" },
	{ Host(" a:"), "GET / a: [] keep" },
	{ Host(" a:0"), "GET / a:0 [] keep" },
	{ Host(" a:65535"), "GET / a:65535 [] keep" },
	{ Host(" 10.0.0.1:80"), "GET / 10.0.0.1:80 [] keep" },
	{ Host(" [::]"), "GET / [::] [] keep" },
	{ Host(" [::ffff:10.0.0.1]:80"), "GET / [::ffff:10.0.0.1]:80 [] keep" },
	{ Host(" a_b-c~d!$&'()*+;=%41"), "GET / a_b-c~d!$&'()*+;=%41 [] keep" },
	{ "GET http://h/ HTTP/1.1\r\nHost: other\r\n\r\n", "GET / h [] keep" },
	{ "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "GET / a [] close" },
	{ "GET / HTTP/1.1\r\n\r\n", "400" },
	{ "GET http://h/ HTTP/1.1\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nHOST:\r\n\r\n", "400" },
	{ "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "400" },
	{ Host(" a, b"), "400" },
	{ Host(" a,b"), "400" },
	{ Host(" a b"), "400" },
	{ Host(" u@a"), "400" },
	{ Host(" a/b"), "400" },
	{ Host(" a?b"), "400" },
	{ Host(" a#b"), "400" },
	{ Host(" http://a"), "400" },
	{ Host(" a\\b"), "400" },
	{ Host(" \"a\""), "400" },
	{ Host(" a%4"), "400" },
	{ Host(" a%zz"), "400" },
	{ Host(" a%4z"), "400" },
	{ Host(" a%z4"), "400" },
	{ Host(" :80"), "400" },
	{ Host(" a:8o"), "400" },
	{ Host(" a:-1"), "400" },
	{ Host(" a:65536"), "400" },
	{ Host(" a:000080"), "400" },
	{ Host(" a:80:80"), "400" },
	{ Host(" a:1:1"), "400" },
	{ Host(" a:1/"), "400" },
	{ Host(" ::1"), "400" },
	{ Host(" []"), "400" },
	{ Host(" [:"), "400" },
	{ Host(" [::1"), "400" },
	{ Host(" [::1]a"), "400" },
	{ Host(" [::1%eth0]"), "400" },
	{ Host(" [v1.a]"), "400" },
	{ Host(" \xc3\xa9"), "400" },
};

const Row kFieldLines[] = {
	{ Fields("X:"), "POST /p a [] keep" },
	{ Fields("X: \t "), "POST /p a [] keep" },
	{ Fields("X: a\tb  c"), "POST /p a [] keep" },
	{ Fields("X: \x80\xff"), "POST /p a [] keep" },
	{ Fields("X: :,;\"()"), "POST /p a [] keep" },
	{ Fields("x_1: a"), "POST /p a [] keep" },
	{ Fields("X"), "400" },
	{ Fields(": a"), "400" },
	{ Fields("X : a"), "400" },
	{ Fields("X\t: a"), "400" },
	{ Fields("X Y: a"), "400" },
	{ Fields("X(Y): a"), "400" },
	{ Fields("\"X\": a"), "400" },
	{ Fields("\xc3\xa9: a"), "400" },
	{ Fields("X: a\r\n b"), "400" },
	{ Fields("X: a\r\n\tb: c"), "400" },
	{ Fields("X: a\r\n \r\nY: c"), "400" },
	{ Fields("X: a\nY: b"), "400" },
	{ Fields("X: a\rY: b"), "400" },
	{ Fields("X: a\x01"), "400" },
	{ Fields("X: a\x7f"), "400" },
	{ Fields(std::string("X: a\0b", 6)), "400" },
	{ Fields(std::string("X\0: a", 5)), "400" },
	{ "POST /p HTTP/1.1\r\nHost: a\r\n\n", "400" },
	{ "POST /p HTTP/1.1\r\nHost: a\r\n\r\r", "400" },
};

const Row kLengths[] = {
	{ Fields("Content-Length: 0"), "POST /p a [] keep" },
	{ Fields("Content-Length: 3", "abc"), "POST /p a [abc] keep" },
	{ Fields("content-length:\t003 ", "a\r\n"), "POST /p a [a\r\n] keep" },
	{ Fields("Content-Length: 12", "hello, world"), "POST /p a [hello, world] keep" },
	{ Fields("Content-Length: 0000000000000000000000000000019", "nineteen characters"),
		"POST /p a [nineteen characters] keep" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", "GET / a [ab] keep" },
	{ "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab", "POST /  [ab] close" },
	{ Fields("Content-Length:"), "400" },
	{ Fields("Content-Length: +3", "abc"), "400" },
	{ Fields("Content-Length: -0"), "400" },
	{ Fields("Content-Length: 3, 3", "abc"), "400" },
	{ Fields("Content-Length: 3,", "abc"), "400" },
	{ Fields("Content-Length: 3 3", "abc"), "400" },
	{ Fields("Content-Length: 0x3", "abc"), "400" },
	{ Fields("Content-Length: 3.0", "abc"), "400" },
	{ Fields("Content-Length: 3;a", "abc"), "400" },
	{ Fields("Content-Length: \"3\"", "abc"), "400" },
	{ Fields("Content-Length: \xb3", "abc"), "400" },
	{ Fields("Content-Length : 3", "abc"), "400" },
	{ Fields("Content-Length: 3\r\nContent-Length: 3", "abc"), "400" },
	{ Fields("Content-Length: 3\r\nContent-Length: 4", "abc"), "400" },
	{ Fields("Content-Length: 3\r\nCONTENT-LENGTH:", "abc"), "400" },
	{ Fields("Content-Length: 18446744073709551616"), "413" },
	{ Fields("Content-Length: 18446744073709551619", "abc"), "413" },
	{ "TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "400" },
	{ "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "400" },
};

const Row kCodings[] = {
	{ Chunks("0\r\n\r\n"), "POST /p a [] keep" },
	{ Fields("Transfer-Encoding:CHUNKED", "0\r\n\r\n"), "POST /p a [] keep" },
	{ Fields("transfer-encoding: chunked \t", "0\r\n\r\n"), "POST /p a [] keep" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
		"GET / a [a] keep" },
	{ Fields("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"), "400" },
	{ Fields("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), "400" },
	{ Fields("Content-Length: 0\r\nTransfer-Encoding: identity"), "400" },
	{ Fields("Content-Length: 0\r\nTransfer-Encoding: gzip, chunked"), "400" },
	{ Fields("Transfer-Encoding: gzip, chunked"), "501" },
	{ Fields("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"), "501" },
	{ Fields("Transfer-Encoding: chunked;a=b"), "400" },
	{ Fields("Transfer-Encoding: chunked, chunked"), "400" },
	{ Fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), "400" },
	{ Fields("Transfer-Encoding: chunked, identity"), "400" },
	{ Fields("Transfer-Encoding: chunked, gzip"), "400" },
	{ Fields("Transfer-Encoding: , chunked"), "400" },
	{ Fields("Transfer-Encoding: chunked,"), "400" },
	{ Fields("Transfer-Encoding:"), "400" },
	{ Fields("Transfer-Encoding: gzip"), "400" },
	{ Fields("Transfer-Encoding: identity"), "400" },
	{ Fields("Transfer-Encoding: xchunked"), "400" },
	{ Fields("Transfer-Encoding: chunkedx"), "400" },
	{ Fields("Transfer-Encoding: \"chunked\""), "400" },
	{ Fields("Transfer-Encoding: 'chunked'"), "400" },
	{ Fields("Transfer-Encoding: \vchunked"), "400" },
	{ Fields("Transfer-Encoding:\r\n chunked"), "400" },
	{ Fields("Transfer-Encoding : chunked"), "400" },
	{ Fields("Transfer_Encoding: chunked"), "POST /p a [] keep" },
	{ "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400" },
	{ "TRACE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "400" },
	{ "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "400" },
};

const Row kChunks[] = {
	{ Chunks("3\r\nabc\r\n0\r\n\r\n"), "POST /p a [abc] keep" },
	{ Chunks("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"), "POST /p a [a|bc] keep" },
	{ Chunks("0000000000000003\r\nabc\r\n000\r\n\r\n"), "POST /p a [abc] keep" },
	{ Chunks("B\r\n0\r\n\r\n0\r\n\r\na\r\n0\r\n\r\n"), "POST /p a [0\r\n\r\n0\r\n\r\na] keep" },
	{ Chunks("1;a\r\nx\r\n0;b\r\n\r\n"), "POST /p a [x] keep" },
	{ Chunks("1 ; a\t=\tb;c=\"d;\\\"\r\ne\"\r\nx\r\n0\r\n\r\n"), "400" },
	{ Chunks("1 ; a\t=\tb;c=\"d;\\\" \xc3\"\r\nx\r\n0\r\n\r\n"), "POST /p a [x] keep" },
	{ Chunks("0\r\nX: y\r\n\r\n"), "POST /p a [] keep" },
	{ Chunks("0\r\nAuthorization: y\r\nX:\r\n\r\n"), "POST /p a [] keep" },
	{ Chunks("\r\n"), "400" },
	{ Chunks("g\r\n"), "400" },
	{ Chunks(":\r\n"), "400" },
	{ Chunks("1/\r\n"), "400" },
	{ Chunks("1@\r\n"), "400" },
	{ Chunks("1`\r\n"), "400" },
	{ Chunks("-1\r\n"), "400" },
	{ Chunks("+1\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("0x1\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks(" 1\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1 \r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1,\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;=b\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a=\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a \r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a b\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a=\"b\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a=\"b\\\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a=\"b\"c\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;\x01\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("1;a\nx\r\n0\r\n\r\n"), "400" },
	{ Chunks("1\r\na\n0\r\n\r\n"), "400" },
	{ Chunks("1\r\nab\r\n0\r\n\r\n"), "400" },
	{ Chunks("1\r\na\r0\r\n\r\n"), "400" },
	{ Chunks("1\r\na\r\n0\r\n\n"), "400" },
	{ Chunks("1\r\na\r\n0\n\r\n"), "400" },
	{ Chunks("1\r\na\r\n\r\n0\r\n\r\n"), "400" },
	{ Chunks("00000000000000001\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("10000000000000001\r\na\r\n0\r\n\r\n"), "400" },
	{ Chunks("ffffffffffffffff\r\na\r\n0\r\n\r\n"), "413" },
	{ Chunks("fffffffffffffffe\r\na\r\n0\r\n\r\n"), "413" },
	{ Chunks("80000000\r\na\r\n0\r\n\r\n"), "413" },
	{ Chunks("0\r\nX\r\n\r\n"), "400" },
	{ Chunks("0\r\nX : y\r\n\r\n"), "400" },
	{ Chunks("0\r\nX: a\r\n b\r\n\r\n"), "400" },
	{ Chunks("0\r\nX: a\n\r\n"), "400" },
	{ Chunks("0\r\nContent-Length: 5\r\n\r\n"), "400" },
	{ Chunks("0\r\ntransfer-encoding: chunked\r\n\r\n"), "400" },
	{ Chunks("0\r\nHOST: b\r\n\r\n"), "400" },
};

const Row kConnections[] = {
	{ Fields("Connection: close"), "POST /p a [] close" },
	{ Fields("Connection: Close , te"), "POST /p a [] close" },
	{ Fields("Connection: te\r\nConnection: close"), "POST /p a [] close" },
	{ Fields("Connection: keep-alive, close"), "POST /p a [] close" },
	{ Fields("Connection: closed, not-close"), "POST /p a [] keep" },
	{ Fields("Connection: ,,"), "POST /p a [] keep" },
	{ Fields("Connection: Upgrade\r\nUpgrade: h2c"), "POST /p a [] keep" },
	{ Fields("Proxy-Connection: close"), "POST /p a [] keep" },
	{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET /  [] keep" },
	{ "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", "GET /  [] close" },
	{ Fields("Expect: 100-continue\r\nContent-Length: 1", "a"), "POST /p a [a] keep" },
	{ Fields("Expect: 100-Continue"), "POST /p a [] keep" },
	{ Fields("Expect: 100-continue\r\nTransfer-Encoding: chunked", "1\r\na\r\n0\r\n\r\n"),
		"POST /p a [a] keep" },
	{ Fields("Expect:"), "417" },
	{ Fields("Expect: 101-continue"), "417" },
	{ Fields("Expect: 100-continue, 100-continue"), "417" },
	{ Fields("Expect: 100-continue\r\nExpect: x"), "417" },
	{ "GET / HTTP/1.0\r\nExpect: x\r\n\r\n", "GET /  [] close" },
};

std::string
Answer(const Parsed &p)
{
	std::string body;

	if (p.ret <= 0)
		return p.ret == 0 ? "incomplete" : std::to_string(p.status);
	for (size_t i = 0; i < p.pieces.size(); i++)
		body += (i > 0 ? "|" : "") + p.pieces[i];
	return p.method_name + " " + p.path + (p.query.empty() ? "" : "?" + p.query) + " " +
	       p.host + " [" + body + "] " + (p.is_keep_alive ? "keep" : "close");
}

// In every way of arrival the answer, the bytes consumed and all that was read are one.
void
ExpectAnswer(const Row &row)
{
	Parsed whole = ParseAll(row.in);

	EXPECT_EQ(row.answer, Answer(whole)) << row.in;
	if (whole.ret > 0) {
		EXPECT_EQ((ssize_t)row.in.size(), whole.ret) << row.in;
		EXPECT_EQ(whole.ret, ParseAll(row.in + "GET").ret) << row.in;
	}
	EXPECT_EQ(whole, ParseBytewise(row.in)) << row.in;
	for (size_t len = 0; len < row.in.size(); len++) {
		leat_http_parser parser = {};
		Parsed p = ParseMore(&parser, row.in.substr(0, len));

		EXPECT_TRUE(whole.ret < 0 || p.ret == 0) << row.in << " at " << len;
		if (p.ret == 0)
			p = ParseMore(&parser, row.in);
		EXPECT_EQ(whole, p) << row.in << " at " << len;
	}
}

template <size_t N>
void
ExpectAnswers(const Row (&rows)[N])
{
	for (const Row &row : rows)
		ExpectAnswer(row);
}

TEST(HttpTable, Methods)
{
	ExpectAnswers(kMethods);
}

TEST(HttpTable, Targets)
{
	ExpectAnswers(kTargets);
}

TEST(HttpTable, RequestLines)
{
	ExpectAnswers(kLines);
}

TEST(HttpTable, Hosts)
{
	ExpectAnswers(kHosts);
}

TEST(HttpTable, FieldLines)
{
	ExpectAnswers(kFieldLines);
}

TEST(HttpTable, ContentLengths)
{
	ExpectAnswers(kLengths);
}

TEST(HttpTable, TransferEncodings)
{
	ExpectAnswers(kCodings);
}

TEST(HttpTable, Chunks)
{
	ExpectAnswers(kChunks);
}

TEST(HttpTable, ConnectionsAndExpectations)
{
	ExpectAnswers(kConnections);
}

} // namespace
