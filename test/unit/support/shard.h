// SPDX-License-Identifier: BSD-3-Clause

// A store shard and its channels for tests of commands, with a clock that only
// the test moves.

#ifndef SHARD_H
#define SHARD_H

#include <string>

#include <gtest/gtest.h>

#include <leat_command.h>

constexpr uint64_t kNowUs = 1000000000;
constexpr uint64_t kWallMs = 1700000000000;

class Shard
{
      public:
	explicit Shard(size_t mem_len = 4 << 20)
	{
		leat_store_conf store_conf = {};
		leat_pubsub_conf pubsub_conf = {};
		leat_error error = {};

		store_conf.name = "test_store";
		store_conf.nb_keys_max = 1024;
		store_conf.mem_len = mem_len;
		store_conf.seed[0] = 1;
		store_conf.seed[1] = 2;
		store_conf.now_us = kNowUs;
		pubsub_conf.name = "test_pubsub";
		pubsub_conf.nb_channels_max = 16;
		pubsub_conf.nb_subscriptions_max = 32;
		EXPECT_EQ(0, leat_store_open(&store_conf, &ctx.store, &error)) << error.text;
		EXPECT_EQ(0, leat_pubsub_open(&pubsub_conf, &ctx.pubsub, &error)) << error.text;

		server.version = "0.1.0";
		server.run_id = "0123456789012345678901234567890123456789";
		server.tcp_port = 6379;
		server.nb_workers = 1;
		server.nb_conns_max = 100;
		server.request_max = 1 << 20;
		server.start_us = kNowUs - 90000000;
		server.pid = 4711;
		server.config_path = "";
		ctx.server = &server;
		ctx.stats = &stats;
		ctx.now_us = kNowUs;
		ctx.wall_ms = kWallMs;
	}

	~Shard()
	{
		leat_pubsub_close(ctx.pubsub);
		leat_store_close(ctx.store);
	}

	Shard(const Shard &) = delete;
	Shard &operator=(const Shard &) = delete;

	void Advance(uint64_t ms)
	{
		ctx.now_us += ms * 1000;
		ctx.wall_ms += ms;
	}

	leat_command_ctx ctx = {};
	leat_command_server server = {};
	leat_command_stats stats = {};
};

#endif // SHARD_H
