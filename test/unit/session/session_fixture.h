// SPDX-License-Identifier: BSD-3-Clause

#ifndef SESSION_FIXTURE_H
#define SESSION_FIXTURE_H

// Sessions over a transport that does exactly what a test says. The protocol is
// RESP on a small store: what is tested is when and in which order things happen.

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_session.h>

#include "mbuf_pool.h"

namespace session_test
{

constexpr size_t kRequestMax = 1u << 20;
constexpr uint32_t kSessions = 8;

struct FakeTransport {
	leat_transport xp;
	MbufPool *pool;
	int nb_allocs_left;        // before tx_alloc() fails; -1: never
	int nb_allocs_until_short; // before it says that mbufs are short; 0: never
};

struct FakeConn {
	leat_conn conn;
	leat_session_listener listener; // its own
	std::string sent;
	uint32_t consumed_len;
	unsigned int nb_sends;
	unsigned int nb_shutdowns;
	unsigned int nb_aborts;
	bool is_full;                 // send() refuses
	bool keeps;                   // what was sent is not acknowledged yet
	std::vector<rte_mbuf *> kept; // chains
	std::vector<size_t> lens;     // bytes of each send
};

inline FakeTransport *
Fake(leat_transport *xp)
{
	return (FakeTransport *)xp;
}

inline FakeConn *
Fake(leat_conn *conn)
{
	return (FakeConn *)conn;
}

inline rte_mbuf *
FakeTxAlloc(leat_transport *xp)
{
	if (Fake(xp)->nb_allocs_left == 0)
		return nullptr;
	if (Fake(xp)->nb_allocs_left > 0)
		Fake(xp)->nb_allocs_left--;
	if (Fake(xp)->nb_allocs_until_short > 0 && --Fake(xp)->nb_allocs_until_short == 0)
		xp->is_short = true;
	return rte_pktmbuf_alloc(Fake(xp)->pool->Get());
}

inline int
FakeSend(leat_conn *conn, rte_mbuf *chain)
{
	EXPECT_EQ(0u, Fake(conn)->nb_shutdowns + Fake(conn)->nb_aborts) << "sent after the end";
	if (Fake(conn)->is_full)
		return -ENOBUFS;
	for (const rte_mbuf *m = chain; m != nullptr; m = m->next)
		EXPECT_GT(m->data_len, 0) << "an empty segment";
	Fake(conn)->sent += MbufPool::Bytes(chain);
	Fake(conn)->nb_sends++;
	Fake(conn)->lens.push_back(chain->pkt_len);
	if (Fake(conn)->keeps)
		Fake(conn)->kept.push_back(chain);
	else
		rte_pktmbuf_free(chain);
	return 0;
}

// What a session uses of a transport.
const leat_transport_ops kFakeOps = [] {
	leat_transport_ops ops = {};

	ops.name = "fake";
	ops.tx_alloc = FakeTxAlloc;
	ops.send = FakeSend;
	ops.is_acked = [](leat_conn *conn) { return Fake(conn)->kept.empty(); };
	ops.consumed = [](leat_conn *conn, uint32_t len) { Fake(conn)->consumed_len += len; };
	ops.shutdown = [](leat_conn *conn) { Fake(conn)->nb_shutdowns++; };
	ops.abort = [](leat_conn *conn) { Fake(conn)->nb_aborts++; };
	ops.endpoints = [](const leat_conn *, leat_endpoint *local, leat_endpoint *peer) {
		EXPECT_EQ(0, leat_endpoint_parse_address(local, "fd77::1"));
		EXPECT_EQ(0, leat_endpoint_parse_address(peer, "10.77.0.2"));
		local->port = 6379;
		peer->port = 47578;
	};
	return ops;
}();

inline std::string
Request(const std::vector<std::string> &args)
{
	std::string text = "*" + std::to_string(args.size()) + "\r\n";

	for (const std::string &arg : args)
		text += "$" + std::to_string(arg.size()) + "\r\n" + arg + "\r\n";
	return text;
}

inline std::string
Bulk(const std::string &value)
{
	return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

class Session : public testing::Test
{
      protected:
	Session() : pool_(4095)
	{
		Open(4u << 20);
	}

	~Session() override
	{
		Close();
		EXPECT_TRUE(ref_pool_ == nullptr || rte_mempool_in_use_count(ref_pool_) == 0);
		rte_mempool_free(ref_pool_);
	}

	void Open(size_t carry_len)
	{
		leat_error error = {};
		leat_store_conf store = {};
		leat_pubsub_conf pubsub = {};

		ctx_ = (leat_session_ctx *)calloc(1, sizeof(*ctx_));
		store.name = "session_test";
		store.nb_keys_max = 1024;
		store.mem_len = 16u << 20;
		ASSERT_EQ(0, leat_store_open(&store, &ctx_->command.store, &error)) << error.text;
		pubsub.name = "session_test";
		pubsub.nb_channels_max = 16;
		pubsub.nb_subscriptions_max = 64;
		ASSERT_EQ(0, leat_pubsub_open(&pubsub, &ctx_->command.pubsub, &error))
			<< error.text;
		server_.version = "0";
		server_.run_id = "0";
		server_.config_path = "";
		ctx_->command.server = &server_;
		ctx_->command.now_us = 1000000;
		ctx_->limits.request_max = kRequestMax;
		ctx_->ref_pool = ref_pool_;
		carry_.reset(new (std::align_val_t(64)) char[carry_len]);
		leat_heap *heap = leat_heap_init(carry_.get(), carry_len);
		carry_used_ = leat_heap_used(heap);
		leat_session_ctx_init(ctx_, sessions_, kSessions, heap, 0);
		xp_.xp.ops = &kFakeOps;
		xp_.pool = &pool_;
		xp_.xp.nb_segs_share = 1;
		xp_.nb_allocs_left = -1;
	}

	void Close()
	{
		leat_session_close_all(ctx_);
		EXPECT_EQ(0u, ctx_->nb_open);
		EXPECT_EQ(carry_used_, leat_heap_used(ctx_->carry_heap)) << "carry leaked";
		leat_pubsub_close(ctx_->command.pubsub);
		leat_store_close(ctx_->command.store);
		free(ctx_);
		for (FakeConn *conn : conns_)
			delete conn;
		conns_.clear();
	}

	void Event(FakeConn *conn, leat_transport_event_type type, rte_mbuf *mbuf = nullptr,
		const char *protocol = "resp")
	{
		leat_transport_event ev = { type, 0, &conn->conn, mbuf };
		leat_session_listener *listener = &conn->listener;

		if (type == LEAT_TRANSPORT_OPEN)
			leat_session_listener_init(
				ctx_, leat_protocol_find(protocol), &options_, listener);
		leat_session_event(ctx_, listener, &ev);
	}

	// The stages behind decode.
	void EndTurn()
	{
		leat_session_look_up(ctx_);
		leat_session_execute(ctx_);
		leat_session_flush(ctx_);
	}

	// Turns without events until nothing is left to do.
	void Settle()
	{
		for (int i = 0; i < 10000 && leat_session_has_work(ctx_); i++) {
			leat_session_decode_ready(ctx_);
			EndTurn();
		}
		EXPECT_FALSE(leat_session_has_work(ctx_));
	}

	FakeConn *Connect(const char *protocol = "resp")
	{
		FakeConn *conn = new FakeConn();

		conn->conn.transport = &xp_.xp;
		conns_.push_back(conn);
		Event(conn, LEAT_TRANSPORT_OPEN, nullptr, protocol);
		EndTurn();
		return conn;
	}

	void Receive(FakeConn *conn, const std::string &bytes)
	{
		leat_session_decode_ready(ctx_);
		Event(conn, LEAT_TRANSPORT_DATA, pool_.Mbuf(bytes));
		EndTurn();
	}

	void ReceiveChain(FakeConn *conn, const std::vector<std::string> &pieces)
	{
		rte_mbuf *chain = nullptr;

		for (const std::string &piece : pieces) {
			rte_mbuf *m = pool_.Mbuf(piece);

			if (chain == nullptr)
				chain = m;
			else
				ASSERT_EQ(0, rte_pktmbuf_chain(chain, m));
		}
		leat_session_decode_ready(ctx_);
		Event(conn, LEAT_TRANSPORT_DATA, chain);
		EndTurn();
	}

	// The peer has all that was sent.
	static void Acknowledge(FakeConn *conn)
	{
		for (rte_mbuf *chain : conn->kept)
			rte_pktmbuf_free(chain);
		conn->kept.clear();
	}

	MbufPool pool_;
	rte_mempool *ref_pool_ = nullptr; // without one all is copied
	FakeTransport xp_ = {};
	leat_command_server server_ = {};
	leat_session sessions_[kSessions] = {};
	leat_session_options options_ = {}; // of listeners that come
	leat_session_ctx *ctx_ = nullptr;
	struct AlignedDelete {
		void operator()(char *p) const
		{
			operator delete[](p, std::align_val_t(64));
		}
	};
	std::unique_ptr<char[], AlignedDelete> carry_;
	size_t carry_used_ = 0;
	std::vector<FakeConn *> conns_;
};

} // namespace session_test

#endif // SESSION_FIXTURE_H
