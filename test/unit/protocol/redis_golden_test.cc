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

// One connection, without a transport.
class Talk
{
      public:
	Talk()
	{
		leat_client_init(&client, 3, 0);
		shard.ctx.client = &client;
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
	bool DecodeOne()
	{
		const leat_protocol_limits limits = { 1 << 20, 1024 };
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
};

class RedisGolden : public testing::TestWithParam<std::string>
{
};

TEST_P(RedisGolden, AnswersAsRedis)
{
	Talk talk;

	for (const Step &step : kSteps) {
		if (GetParam() != step.title)
			continue;
		EXPECT_EQ(step.reply, talk.Send(step.request)) << step.request;
	}
}

INSTANTIATE_TEST_SUITE_P(Table, RedisGolden, testing::ValuesIn(Titles()));

} // namespace
