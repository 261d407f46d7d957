// SPDX-License-Identifier: BSD-3-Clause

#ifndef ROUTE_FIXTURE_H
#define ROUTE_FIXTURE_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leat_route.h>

#include "reply_recorder.h"
#include "shard.h"

inline std::string
String(leat_slice s)
{
	return s.len == 0 ? "" : std::string((const char *)s.data, s.len);
}

// A codec without bytes: requests are made by hand, and their answers recorded.
class Route : public testing::Test
{
      protected:
	using Fields = std::vector<leat_web_field>;

	Route()
	{
		leat_client_init(&client, 1, kNowUs);
		shard.ctx.client = &client;
	}

	int TryAdd(const char *pattern, uint32_t methods = LEAT_WEB_METHOD(GET),
		const char *name = "", uint32_t flags = 0)
	{
		leat_web_route route = {};

		texts.push_back(std::make_unique<std::string>(pattern));
		route.pattern = leat_slice_str(texts.back()->c_str());
		texts.push_back(std::make_unique<std::string>(name));
		route.arg = texts.back().get();
		route.methods = methods;
		route.flags = flags;
		route.has_key = has_key;
		route.run = Run;
		return leat_route_add(table.get(), &route, &error);
	}

	void Add(const std::string &pattern, const std::string &name,
		uint32_t methods = LEAT_WEB_METHOD(GET), uint32_t flags = 0)
	{
		EXPECT_EQ(0, TryAdd(pattern.c_str(), methods, name.c_str(), flags)) << error.text;
	}

	int Request(leat_http_method method, const std::string &path, uint32_t room = kRoom)
	{
		web.method = method;
		web.path = { (const uint8_t *)path.data(), path.size() };
		web.target = web.path;
		web.fields.ops = &kFieldsOps;
		web.fields.words[0] = (uint64_t)(uintptr_t)fields.data();
		web.fields.words[1] = fields.size();
		req = {};
		return leat_route_request(table.get(), &web, argv.data(), room, &req);
	}

	// What a session does: decode, look up, execute.
	std::string Answer(leat_http_method method, const std::string &path)
	{
		ReplyRecorder recorder;
		leat_store_hint *hint = &req.hint;

		EXPECT_EQ(0, Request(method, path));
		if (req.command->first_key != 0) {
			leat_slice key = req.argv[req.command->first_key];

			leat_store_hash(shard.ctx.store, key, hint);
			leat_store_look_up(shard.ctx.store, &key, &hint, 1);
		}
		leat_command_execute(&shard.ctx, &req, recorder.reply());
		return recorder.Take();
	}

	// "name(param,param)" of the route, or the status, for 204 and 405 with the methods.
	std::string Ask(leat_http_method method, const std::string &path)
	{
		std::string answer = Answer(method, path);
		size_t allow = answer.find("[Allow: ");

		if (answer.compare(0, 7, "answer ") != 0)
			return answer.substr(1);
		if (allow == std::string::npos)
			return answer.substr(7, 3);
		allow += 8;
		return answer.substr(7, 4) + answer.substr(allow, answer.find(']') - allow);
	}

	std::string Get(const std::string &path)
	{
		return Ask(LEAT_HTTP_GET, path);
	}

	static constexpr uint32_t kRoom = LEAT_WEB_ARGV_HEAD + LEAT_WEB_ARGV_TAIL + 16;

	Shard shard;
	leat_client client = {};
	std::unique_ptr<leat_route_table> table = std::make_unique<leat_route_table>();
	std::vector<std::unique_ptr<std::string>> texts;
	std::vector<leat_slice> argv = std::vector<leat_slice>(kRoom);
	Fields fields;
	leat_web_request web = {};
	leat_request req = {};
	leat_error error = {};
	bool has_key = false;

      private:
	static void Run(leat_command_ctx *, const leat_web_request *web, leat_reply *reply)
	{
		std::string text = *(const std::string *)web->route->arg;

		for (uint16_t i = 0; i < web->nb_params; i++)
			text += (i == 0 ? "(" : ",") + String(web->params[i]);
		if (web->nb_params > 0)
			text += ")";
		leat_reply_status(reply, { (const uint8_t *)text.data(), text.size() });
	}

	static bool Next(leat_web_fields *fields, leat_web_field *field)
	{
		const auto *next = (const leat_web_field *)(uintptr_t)fields->words[0];

		if (fields->words[1] == 0)
			return false;
		*field = *next;
		fields->words[0] = (uint64_t)(uintptr_t)(next + 1);
		fields->words[1]--;
		return true;
	}

	// "\x" is x.
	static void PutEscaped(leat_writer *w, leat_slice text)
	{
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] != '\\')
				leat_writer_put_u8(w, text.data[i]);
	}

	static constexpr leat_web_fields_ops kFieldsOps = { Next, PutEscaped };
};

#endif // ROUTE_FIXTURE_H
