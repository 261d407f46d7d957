// SPDX-License-Identifier: BSD-3-Clause

#ifndef COMMAND_FIXTURE_H
#define COMMAND_FIXTURE_H

#include <map>
#include <string>
#include <vector>

#include "reply_recorder.h"
#include "shard.h"

using Words = std::vector<std::string>;

// A shard and clients by number; what each is pushed is recorded.
class CommandTest : public testing::Test
{
      protected:
	struct Client {
		leat_client client = {};
		ReplyRecorder pushed;
		bool takes_pushes = true;
		std::string local = "10.77.0.1:6379";
		std::string peer = "10.77.0.2:47578";
	};

	CommandTest()
	{
		shard.ctx.push_begin = PushBegin;
		shard.ctx.push_end = PushEnd;
		shard.ctx.client_ends = ClientEnds;
		(void)At(1);
	}

	~CommandTest() override
	{
		for (auto &[id, c] : clients)
			leat_client_fini(&c.client, shard.ctx.pubsub);
	}

	Client &At(uint64_t id)
	{
		auto [it, is_new] = clients.try_emplace(id);

		if (is_new)
			leat_client_init(&it->second.client, id, shard.ctx.now_us);
		return it->second;
	}

	// The reply to a request of a client.
	std::string AskAs(uint64_t id, const Words &words)
	{
		std::vector<leat_slice> argv;
		ReplyRecorder recorder;
		leat_request req = {};

		for (const std::string &word : words)
			argv.push_back({ (const uint8_t *)word.data(), word.size() });
		req.command = leat_command_find(argv[0]);
		req.argc = (uint32_t)argv.size();
		req.argv_len = req.argc;
		req.argv = argv.data();
		if (req.command != nullptr && req.command->first_key != 0 &&
			req.argc > (uint32_t)req.command->first_key && with_hints)
			LookUp(&req);
		shard.ctx.client = &At(id).client;
		leat_command_execute(&shard.ctx, &req, recorder.reply());
		return recorder.Take();
	}

	std::string Ask(const Words &words)
	{
		return AskAs(1, words);
	}

	Shard shard;
	std::map<uint64_t, Client> clients;
	bool with_hints = true; // look up the first key before, as a worker does

      private:
	void LookUp(leat_request *req)
	{
		leat_slice key = req->argv[req->command->first_key];
		leat_store_hint *hint = &req->hint;

		leat_store_hash(shard.ctx.store, key, hint);
		leat_store_look_up(shard.ctx.store, &key, &hint, 1);
	}

	static leat_reply *PushBegin(leat_command_ctx *, leat_client *to)
	{
		Client *client = LEAT_CONTAINER_OF(to, Client, client);

		return client->takes_pushes ? client->pushed.reply() : nullptr;
	}

	static void PushEnd(leat_command_ctx *, leat_client *)
	{
	}

	static void ClientEnds(leat_command_ctx *, const leat_client *of, char *local, char *peer)
	{
		const Client *client = LEAT_CONTAINER_OF(of, Client, client);

		(void)snprintf(local, LEAT_CLIENT_END_MAX, "%s", client->local.c_str());
		(void)snprintf(peer, LEAT_CLIENT_END_MAX, "%s", client->peer.c_str());
	}
};

#endif // COMMAND_FIXTURE_H
