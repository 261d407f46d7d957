// SPDX-License-Identifier: BSD-3-Clause

// What redis-server 7.0 answered, byte for byte. The table is recorded by
// test/golden/record_redis.py from test/golden/conversations.txt.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_protocol.h>

#include "shard.h"

namespace
{

struct Step {
	const char *title; // of the conversation
	std::string request;
	std::string reply;
};

const std::vector<Step> kSteps = {
#include "redis_golden.inc"
};

std::vector<std::string>
Titles()
{
	std::vector<std::string> titles;

	for (const Step &step : kSteps) {
		if (titles.empty() || titles.back() != step.title)
			titles.push_back(step.title);
	}
	return titles;
}

// The client's id that a conversation was recorded with, if a reply tells it.
uint64_t
RecordedId(const std::string &title)
{
	const std::string field = "$2\r\nid\r\n:";

	for (const Step &step : kSteps) {
		const size_t at = step.reply.find(field);

		if (step.title == title && at != std::string::npos)
			return std::stoull(step.reply.substr(at + field.size()));
	}
	return 3;
}

// One connection, without a transport. Messages to it go between its replies.
class Talk
{
      public:
	explicit Talk(const std::string &title)
	{
		leat_client_init(&client, RecordedId(title), 0);
		if (title.rfind("password", 0) == 0)
			shard.server.requirepass = "secret";
		shard.ctx.client = &client;
		shard.ctx.push_begin = PushBegin;
		shard.ctx.push_end = [](leat_command_ctx *, leat_client *) {};
	}

	~Talk()
	{
		leat_client_fini(&client, shard.ctx.pubsub);
	}

	// The replies to all whole requests in some bytes.
	std::string Send(const std::string &bytes)
	{
		leat_writer_init(&writer, out.data(), out.size());
		pending += bytes;
		while (!client.close && DecodeOne())
			;
		EXPECT_FALSE(writer.failed);
		return std::string((const char *)out.data(), (size_t)(writer.pos - out.data()));
	}

      private:
	static leat_reply *PushBegin(leat_command_ctx *, leat_client *to)
	{
		Talk *talk = LEAT_CONTAINER_OF(to, Talk, client);

		talk->push.ops = talk->protocol->reply;
		talk->push.writer = &talk->writer;
		talk->push.resp = to->resp;
		return &talk->push;
	}

	bool DecodeOne()
	{
		const leat_protocol_limits limits = { 1 << 20, 1024, 0, 0,
			leat_client_is_guest(&client, &shard.server), nullptr, &shard.server };
		std::vector<leat_slice> argv(1024);
		leat_request req = {};
		leat_reply reply = {};
		ssize_t ret = protocol->decode(&state, &limits,
			{ (const uint8_t *)pending.data(), pending.size() }, &req, argv.data(),
			(uint32_t)argv.size());

		reply.ops = protocol->reply;
		reply.writer = &writer;
		if (ret < 0) {
			protocol->refuse(&req, &reply);
			client.close = true;
			return false;
		}
		if (ret > 0 && req.argc > 0)
			leat_command_execute(&shard.ctx, &req, &reply);
		pending.erase(0, (size_t)ret);
		return ret > 0;
	}

	Shard shard;
	leat_client client = {};
	const leat_protocol *protocol = leat_protocol_find("resp");
	leat_protocol_state state = {};
	std::string pending;
	std::vector<uint8_t> out = std::vector<uint8_t>(1 << 20);
	leat_writer writer = {};
	leat_reply push = {};
};

class RedisGolden : public testing::TestWithParam<std::string>
{
};

TEST_P(RedisGolden, AnswersAsRedis)
{
	Talk talk(GetParam());

	for (const Step &step : kSteps) {
		if (GetParam() != step.title)
			continue;
		EXPECT_EQ(step.reply, talk.Send(step.request)) << step.request;
	}
}

INSTANTIATE_TEST_SUITE_P(Table, RedisGolden, testing::ValuesIn(Titles()));

} // namespace
