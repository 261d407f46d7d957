// SPDX-License-Identifier: BSD-3-Clause

// What it costs to parse one request, beside http-parser on equal bytes.
//
// Both find the end of the request and judge it. With "fields" both also give out every
// field, one by an iterator, the other by callbacks; without, http-parser has no callback
// for fields at all, which is the least that it can do. A row of scripts/perf.sh: perf_row.h tells
// what is measured.

#include <cstring>
#include <string>

#include <http_parser.h>

#include <leat_http.h>

#include "perf_row.h"

namespace
{

using perf::Stop;

const std::string kHealth = "GET /health HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
const std::string kBrowser =
	"GET /assets/app/main.js?v=20260401 HTTP/1.1\r\n"
	"Host: www.example.org\r\n"
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
	"*/*;q=0.8\r\n"
	"Accept-Language: de,en-US;q=0.7,en;q=0.3\r\n"
	"Accept-Encoding: gzip, deflate, br, zstd\r\n"
	"Referer: https://www.example.org/assets/app/\r\n"
	"Connection: keep-alive\r\n"
	"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; _ga=GA1.2.1234567890."
	"1700000000\r\n"
	"Upgrade-Insecure-Requests: 1\r\n"
	"Sec-Fetch-Dest: document\r\n"
	"Sec-Fetch-Mode: navigate\r\n"
	"Sec-Fetch-Site: same-origin\r\n"
	"If-None-Match: \"5f3c-1a2b3c4d5e6f\"\r\n"
	"\r\n";

// What was seen, so that nobody may leave it out.
struct Seen {
	size_t target_len;
	size_t fields_len;
	bool is_whole;
};

void
ParseLeat(const std::string &in, bool has_fields, Seen *seen)
{
	leat_http_limits limits = { 1u << 20, 0 };
	leat_http_parser parser = {};
	leat_http_request req;
	leat_slice pieces[1];
	leat_http_field field;

	req.body.pieces = pieces;
	req.body.pieces_max = 1;
	ssize_t ret = leat_http_parse_request(
		&parser, &limits, { (const uint8_t *)in.data(), in.size() }, &req);
	seen->target_len = req.target.len;
	seen->is_whole = ret == (ssize_t)in.size();
	while (has_fields && leat_http_fields_next(&req.fields, &field))
		seen->fields_len += field.name.len + field.value.len;
}

int
OnUrl(http_parser *parser, const char *data, size_t len)
{
	(void)data;
	((Seen *)parser->data)->target_len += len;
	return 0;
}

int
OnFieldPart(http_parser *parser, const char *data, size_t len)
{
	(void)data;
	((Seen *)parser->data)->fields_len += len;
	return 0;
}

int
OnWhole(http_parser *parser)
{
	((Seen *)parser->data)->is_whole = true;
	return 0;
}

void
ParseOther(const std::string &in, bool has_fields, Seen *seen)
{
	static http_parser_settings settings;
	http_parser parser;

	settings.on_url = OnUrl;
	settings.on_header_field = has_fields ? OnFieldPart : nullptr;
	settings.on_header_value = has_fields ? OnFieldPart : nullptr;
	settings.on_message_complete = OnWhole;
	http_parser_init(&parser, HTTP_REQUEST);
	parser.data = seen;
	if (http_parser_execute(&parser, &settings, in.data(), in.size()) != in.size())
		Stop("http-parser refuses");
}

void
Run(const std::string &who, const std::string &what, bool has_fields)
{
	const std::string &in = what == "browser" ? kBrowser : kHealth;
	auto *parse = who == "leat" ? ParseLeat : ParseOther;
	Seen seen = {};

	perf::Measure("parse " + what + (has_fields ? ", fields" : ""), who, in.size(), [&] {
		seen = {};
		parse(in, has_fields, &seen);
	});
	if (!seen.is_whole || seen.target_len == 0 || (has_fields && seen.fields_len == 0))
		Stop("a request was not read");
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string who = argc >= 3 ? argv[1] : "";
	const std::string what = argc >= 3 ? argv[2] : "";
	const std::string fields = argc == 4 ? argv[3] : "";

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (const char *row : { "browser", "browser fields", "health", "health fields" }) {
			printf("leat %s\nhttp-parser %s\n", row, row);
		}
		return EXIT_SUCCESS;
	}
	if (argc > 4 || (who != "leat" && who != "http-parser") ||
		(what != "browser" && what != "health") || (argc == 4 && fields != "fields")) {
		(void)fprintf(stderr, "perf_http leat|http-parser browser|health [fields]\n");
		return 2;
	}
	Run(who, what, fields == "fields");
	return EXIT_SUCCESS;
}
