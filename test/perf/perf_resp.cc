// SPDX-License-Identifier: BSD-3-Clause

// What it costs to parse a pipelined burst of 32 GETs, and of their 32 replies, beside the
// reader of hiredis on the same bytes. hiredis makes objects of what it reads, or, without
// functions to make them, only walks; both are told.
// A row of scripts/perf.sh: perf_row.h tells what is measured.

#include <cstring>
#include <string>

#include <hiredis/hiredis.h>

#include <leat_resp_client.h>

#include "perf_row.h"

namespace
{

constexpr unsigned int kNbMessages = 32;
using perf::Stop;

std::string
Bulk(const std::string &value)
{
	return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

std::string
Requests()
{
	std::string bytes;

	for (unsigned int i = 0; i < kNbMessages; i++)
		bytes += "*2\r\n" + Bulk("GET") + Bulk("key:" + std::to_string(100000 + i));
	return bytes;
}

std::string
Replies()
{
	std::string bytes;

	for (unsigned int i = 0; i < kNbMessages; i++)
		bytes += Bulk("value of key " + std::to_string(100000 + i));
	return bytes;
}

leat_slice
Slice(const std::string &bytes)
{
	return { (const uint8_t *)bytes.data(), bytes.size() };
}

void
ParseRequests(const std::string &bytes)
{
	const leat_resp_limits limits = { 1 << 20, 64, 0, 0, false };
	leat_slice in = Slice(bytes);
	leat_resp_parser parser = {};
	leat_resp_request req;
	leat_slice argv[2 * kNbMessages];
	unsigned int nb = 0;

	for (; in.len > 0; nb++) {
		ssize_t ret = leat_resp_parse_request(
			&parser, &limits, in, argv + 2 * (nb % kNbMessages), 2, &req);

		if (ret <= 0 || req.argc != 2)
			Stop("not a GET");
		in.data += ret;
		in.len -= (size_t)ret;
	}
	if (nb != kNbMessages)
		Stop("not all requests");
}

void
ParseReplies(const std::string &bytes)
{
	const leat_resp_reply_limits limits = { 1 << 20, 64 };
	leat_slice in = Slice(bytes);
	leat_resp_reply_parser parser = {};
	leat_resp_token token;
	unsigned int nb = 0;

	for (; in.len > 0; nb++) {
		ssize_t ret = leat_resp_parse_reply(&parser, &limits, in, &token);

		if (ret <= 0 || !token.ends_reply)
			Stop("not a reply");
		in.data += ret;
		in.len -= (size_t)ret;
	}
	if (nb != kNbMessages)
		Stop("not all replies");
}

void
ReadWithHiredis(redisReader *reader, const std::string &bytes, bool has_objects)
{
	if (redisReaderFeed(reader, bytes.data(), bytes.size()) != REDIS_OK)
		Stop("hiredis takes no bytes");
	for (unsigned int i = 0; i < kNbMessages; i++) {
		void *reply = nullptr;

		if (redisReaderGetReply(reader, &reply) != REDIS_OK || reply == nullptr)
			Stop("hiredis reads nothing");
		if (has_objects)
			freeReplyObject(reply);
	}
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string library = argc == 3 ? argv[1] : "";
	const std::string what = argc == 3 ? argv[2] : "";
	const bool is_walk = library == "hiredis-walk";
	const bool is_requests = what == "requests";

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (const char *row : { "requests", "replies" })
			printf("leat %s\nhiredis %s\nhiredis-walk %s\n", row, row, row);
		return EXIT_SUCCESS;
	}
	if ((library != "leat" && library != "hiredis" && !is_walk) ||
		(!is_requests && what != "replies")) {
		(void)fprintf(stderr, "perf_resp leat|hiredis|hiredis-walk requests|replies\n");
		return 2;
	}
	const std::string row = "parse " + std::to_string(kNbMessages) + " " + what;
	const std::string bytes = is_requests ? Requests() : Replies();
	if (library == "leat") {
		perf::Measure(row, library, bytes.size(),
			[&] { is_requests ? ParseRequests(bytes) : ParseReplies(bytes); });
		return EXIT_SUCCESS;
	}
	redisReader *reader =
		is_walk ? redisReaderCreateWithFunctions(nullptr) : redisReaderCreate();
	if (reader == nullptr)
		Stop("no memory");
	perf::Measure(
		row, library, bytes.size(), [&] { ReadWithHiredis(reader, bytes, !is_walk); });
	redisReaderFree(reader);
	return EXIT_SUCCESS;
}
