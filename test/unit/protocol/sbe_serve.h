// SPDX-License-Identifier: BSD-3-Clause

// Connections to one shard, each with a protocol: bytes in, bytes out.

#ifndef SBE_SERVE_H
#define SBE_SERVE_H

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_protocol.h>

#include "sbe_bytes.h"
#include "shard.h"

class Serve
{
      public:
	struct Conn {
		const leat_protocol *protocol = nullptr;
		leat_protocol_state state = {};
		leat_client client = {};
		std::string in;
		std::string out;
		bool is_closed = false;
	};

	explicit Serve(const std::string &protocol) : default_(protocol)
	{
		self = this;
		shard.ctx.push_begin = PushBegin;
		shard.ctx.push_end = PushEnd;
	}

	~Serve()
	{
		for (auto &[id, conn] : conns)
			leat_client_fini(&conn.client, shard.ctx.pubsub);
	}

	Serve(const Serve &) = delete;
	Serve &operator=(const Serve &) = delete;

	Conn &At(uint64_t id)
	{
		auto [it, is_new] = conns.try_emplace(id);

		if (is_new) {
			it->second.protocol = leat_protocol_find(default_.c_str());
			leat_client_init(&it->second.client, id, shard.ctx.now_us);
		}
		return it->second;
	}

	// What a connection is sent after more bytes of its own.
	std::string Ask(const std::string &bytes, uint64_t id = 1)
	{
		Conn &conn = At(id);

		conn.in += bytes;
		while (!conn.is_closed && Step(&conn))
			;
		return Take(id);
	}

	std::string Take(uint64_t id)
	{
		std::string out;

		out.swap(At(id).out);
		return out;
	}

	// For replies longer than usual.
	void SetRoom(size_t len)
	{
		buf.resize(len);
	}

	Shard shard;
	std::map<uint64_t, Conn> conns;
	leat_protocol_limits limits = { 4 << 20, 65536, 0, 0, false, nullptr, nullptr };
	uint32_t argv_max = 65536;

      private:
	bool Step(Conn *conn)
	{
		std::vector<leat_slice> argv(argv_max);
		leat_request req;
		Exact bytes(conn->in);
		ssize_t ret = Decode(conn, bytes.slice(), &req, argv.data());

		if (ret == 0)
			return false;
		EXPECT_NE(-ENOBUFS, ret);
		conn->in.erase(0, ret < 0 ? conn->in.size() : (size_t)ret);
		if (req.argc > 0 || req.refusal != 0)
			Execute(conn, &req);
		conn->is_closed = req.close;
		return true;
	}

	ssize_t Decode(Conn *conn, leat_slice bytes, leat_request *req, leat_slice *argv)
	{
		leat_protocol_limits his = limits;
		ssize_t ret;

		his.is_guest = leat_client_is_guest(&conn->client, &shard.server);
		his.server = &shard.server;
		memset(req, 0, sizeof(*req));
		ret = conn->protocol->decode(&conn->state, &his, bytes, req, argv, argv_max);
		if (ret != 0 && req->speaks != nullptr)
			conn->protocol = req->speaks;
		return ret;
	}

	void Execute(Conn *conn, const leat_request *req)
	{
		leat_reply reply = {};
		leat_writer w;

		leat_writer_init(&w, buf.data(), buf.size());
		reply.ops = conn->protocol->reply;
		reply.writer = &w;
		reply.flags = req->reply_flags;
		shard.ctx.client = &conn->client;
		if (req->refusal != 0)
			conn->protocol->refuse(req, &reply);
		else
			leat_command_execute(&shard.ctx, req, &reply);
		EXPECT_FALSE(w.failed);
		EXPECT_EQ(0u, reply.state[0]);
		conn->out += std::string((char *)buf.data(), (size_t)(w.pos - buf.data()));
	}

	static leat_reply *PushBegin(leat_command_ctx *, leat_client *to)
	{
		Conn *conn = LEAT_CONTAINER_OF(to, Conn, client);

		leat_writer_init(&self->push_w, self->push_buf.data(), self->push_buf.size());
		self->push = {};
		self->push.ops = conn->protocol->reply;
		self->push.writer = &self->push_w;
		return &self->push;
	}

	static void PushEnd(leat_command_ctx *, leat_client *to)
	{
		Conn *conn = LEAT_CONTAINER_OF(to, Conn, client);
		uint8_t *start = self->push_buf.data();

		EXPECT_FALSE(self->push_w.failed);
		conn->out += std::string((char *)start, (size_t)(self->push_w.pos - start));
	}

	static inline Serve *self;
	std::string default_;
	std::vector<uint8_t> buf = std::vector<uint8_t>(8 << 20);
	std::vector<uint8_t> push_buf = std::vector<uint8_t>(1 << 20);
	leat_writer push_w = {};
	leat_reply push = {};
};

#endif // SBE_SERVE_H
