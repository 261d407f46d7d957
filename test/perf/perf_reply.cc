// SPDX-License-Identifier: BSD-3-Clause

// What a GET costs from the frames of its request to the frames of its reply, by the length of
// the value: copied into mbufs, or referred to where it is stored.
//
// Two stacks in one process. Counted is all that the one does that answers: stack, sessions,
// codec, command and store, and only by callgrind, which scripts/perf.sh runs. Acknowledgments
// of the reply are in it. The port does checksums and takes frames of several mbufs, and may cut
// segments; it reads text by itself, so that nothing touches it but a copy. The time is that of
// the fastest reply.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <string>

#include <rte_mbuf.h>
#include <valgrind/callgrind.h>

#include <leat_session.h>

#include "perf_inet.h"
#include "test_eal.h"

namespace
{

using perf_inet::Addr;
using perf_inet::Conf;

constexpr uint32_t kNbFrames = LEAT_INET_BURST_MAX;
constexpr uint64_t kTurnUs = 100;
constexpr uint32_t kNbTurnsMax = 100000;
constexpr uint16_t kPort = 6379;
constexpr uint32_t kNbMbufs = 4095;
constexpr uint32_t kNbRefs = 1023;
constexpr size_t kCarryLen = 1u << 20;

[[noreturn]] void
Stop(const char *why)
{
	(void)fprintf(stderr, "perf_reply: %s\n", why);
	exit(EXIT_FAILURE);
}

double
NowNs()
{
	timespec now = {};

	(void)clock_gettime(CLOCK_MONOTONIC, &now); // never fails with this clock
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// A stack and its pools.
struct Stack {
	rte_mempool *frames;
	rte_mempool *text;
	leat_inet *inet;

	Stack(int idx, bool has_tso, uint64_t now_us)
	{
		leat_inet_conf conf = Conf(idx, true, now_us);
		leat_error error = {};
		const std::string name = "perf" + std::to_string(idx);

		frames = rte_pktmbuf_pool_create(
			(name + "f").c_str(), kNbMbufs, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
		text = rte_pktmbuf_pool_create(
			(name + "t").c_str(), kNbMbufs, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
		if (frames == nullptr || text == nullptr)
			Stop("no pool");
		conf.name = name.c_str();
		conf.offloads.tx_tso = has_tso;
		conf.nb_conns_max = 16;
		conf.nb_time_waits_max = 16;
		conf.conn_priv_len = sizeof(leat_conn);
		conf.pool = frames;
		if (leat_inet_open(&conf, &inet, &error) < 0)
			Stop(error.text);
	}

	~Stack()
	{
		leat_inet_close(inet);
		rte_mempool_free(frames);
		rte_mempool_free(text);
	}

	Stack(const Stack &) = delete;
	Stack &operator=(const Stack &) = delete;
};

// As the driver of ports does it, without a port.
struct Transport {
	leat_transport xp;
	Stack *stack;
};

Stack *
StackOf(const leat_transport *xp)
{
	return ((const Transport *)xp)->stack;
}

leat_inet_conn *
InetOf(leat_conn *conn)
{
	return leat_inet_conn_of_priv(StackOf(conn->transport)->inet, conn);
}

const leat_transport_ops kOps = [] {
	leat_transport_ops ops = {};

	ops.tx_alloc = [](leat_transport *xp) { return rte_pktmbuf_alloc(StackOf(xp)->text); };
	ops.send = [](leat_conn *conn, rte_mbuf *chain) {
		return leat_inet_send(StackOf(conn->transport)->inet, InetOf(conn), chain);
	};
	ops.consumed = [](leat_conn *conn, uint32_t len) {
		leat_inet_consumed(StackOf(conn->transport)->inet, InetOf(conn), len);
	};
	ops.shutdown = [](leat_conn *) { Stop("shut down"); };
	ops.abort = [](leat_conn *) { Stop("aborted"); };
	return ops;
}();

// The end that answers.
class Server
{
      public:
	Server(bool refers, bool has_tso, const std::string &value, uint64_t now_us)
	    : stack_(1, has_tso, now_us)
	{
		leat_error error = {};
		leat_store_conf store = {};
		leat_pubsub_conf pubsub = {};
		const leat_slice bytes = { (const uint8_t *)value.data(), value.size() };

		ctx_ = (leat_session_ctx *)calloc(1, sizeof(*ctx_));
		store.name = "perf";
		store.nb_keys_max = 1024;
		store.mem_len = 32u << 20;
		if (leat_store_open(&store, &ctx_->command.store, &error) < 0)
			Stop(error.text);
		if (leat_store_set_string(ctx_->command.store, LEAT_SLICE("key:000042"), nullptr,
			    bytes, LEAT_STORE_NO_EXPIRY, nullptr, now_us) < 0)
			Stop("the value is not stored");
		pubsub.name = "perf";
		pubsub.nb_channels_max = 16;
		pubsub.nb_subscriptions_max = 16;
		if (leat_pubsub_open(&pubsub, &ctx_->command.pubsub, &error) < 0)
			Stop(error.text);
		ctx_->command.server = &server_;
		ctx_->limits.request_max = 1u << 16;
		if (refers && leat_session_ref_pool("perf_refs", kNbRefs, -1, &ref_pool_) < 0)
			Stop("no references");
		ctx_->ref_pool = ref_pool_;
		carry_.reset(new char[kCarryLen]);
		leat_session_ctx_init(
			ctx_, sessions_, 4, leat_heap_init(carry_.get(), kCarryLen), 0);
		xp_.xp.ops = &kOps;
		xp_.stack = &stack_;
		leat_session_listener_init(ctx_, leat_protocol_find("resp"), nullptr, &listener_);
		if (leat_inet_listen(stack_.inet, leat_ip_addr_from_ipv4(0), kPort, nullptr) < 0)
			Stop("listen");
	}

	~Server()
	{
		leat_session_close_all(ctx_);
		leat_inet_close(stack_.inet);
		stack_.inet = nullptr;
		leat_pubsub_close(ctx_->command.pubsub);
		leat_store_close(ctx_->command.store);
		rte_mempool_free(ref_pool_);
		free(ctx_);
	}

	Server(const Server &) = delete;
	Server &operator=(const Server &) = delete;

	uint16_t Turn(uint64_t now_us, rte_mbuf **frames, uint16_t nb)
	{
		leat_inet_event events[kNbFrames];
		uint16_t n;

		ctx_->command.now_us = now_us;
		leat_inet_input(stack_.inet, now_us, frames, nb);
		if (leat_inet_deadline(stack_.inet) <= now_us)
			leat_inet_timers(stack_.inet, now_us);
		leat_session_decode_ready(ctx_);
		do {
			n = leat_inet_events(stack_.inet, events, kNbFrames);
			for (uint16_t i = 0; i < n; i++)
				Take(&events[i]);
		} while (n == kNbFrames);
		leat_session_look_up(ctx_);
		leat_session_execute(ctx_);
		leat_session_flush(ctx_);
		return leat_inet_output(stack_.inet, now_us, frames, kNbFrames);
	}

      private:
	void Take(const leat_inet_event *in)
	{
		static const leat_transport_event_type types[] = { LEAT_TRANSPORT_OPEN,
			LEAT_TRANSPORT_DATA, LEAT_TRANSPORT_WRITABLE, LEAT_TRANSPORT_EOF,
			LEAT_TRANSPORT_CLOSED };
		leat_conn *conn = (leat_conn *)leat_inet_conn_priv(in->conn);

		conn->transport = &xp_.xp;
		const leat_transport_event ev = { types[in->type], in->error, conn, in->mbuf };
		leat_session_event(ctx_, &listener_, &ev);
	}

	Stack stack_;
	Transport xp_ = {};
	leat_command_server server_ = {};
	leat_session sessions_[4] = {};
	leat_session_ctx *ctx_ = nullptr;
	rte_mempool *ref_pool_ = nullptr;
	std::unique_ptr<char[]> carry_;
	leat_session_listener listener_ = {};
};

// The end that asks.
class Client
{
      public:
	explicit Client(uint64_t now_us) : stack_(0, false, now_us)
	{
		if (leat_inet_connect(stack_.inet, Addr(1), kPort, now_us, &conn_) < 0)
			Stop("connect");
	}

	void Ask()
	{
		const char request[] = "*2\r\n$3\r\nGET\r\n$10\r\nkey:000042\r\n";
		rte_mbuf *mbuf = rte_pktmbuf_alloc(stack_.text);

		if (mbuf == nullptr)
			Stop("the pool is dry");
		memcpy(rte_pktmbuf_append(mbuf, sizeof(request) - 1), request, sizeof(request) - 1);
		if (leat_inet_send(stack_.inet, conn_, mbuf) < 0)
			Stop("send");
		nb_got = 0;
	}

	uint16_t Turn(uint64_t now_us, rte_mbuf **frames, uint16_t nb)
	{
		leat_inet_event events[kNbFrames];
		uint16_t n;

		leat_inet_input(stack_.inet, now_us, frames, nb);
		do {
			n = leat_inet_events(stack_.inet, events, kNbFrames);
			for (uint16_t i = 0; i < n; i++)
				Take(&events[i]);
		} while (n == kNbFrames);
		return leat_inet_output(stack_.inet, now_us, frames, kNbFrames);
	}

	size_t nb_got = 0;
	bool is_open = false;

      private:
	void Take(const leat_inet_event *event)
	{
		if (event->type == LEAT_INET_CLOSED)
			Stop("the connection has ended");
		is_open |= event->type == LEAT_INET_OPEN;
		if (event->type != LEAT_INET_DATA)
			return;
		uint32_t len = event->mbuf->pkt_len;

		nb_got += len;
		rte_pktmbuf_free(event->mbuf);
		leat_inet_consumed(stack_.inet, conn_, len);
	}

	Stack stack_;
	leat_inet_conn *conn_ = nullptr;
};

// Frames of one stack become those of the other: of memory that nobody shares.
void
Carry(rte_mbuf **frames, uint16_t nb, rte_mempool *pool)
{
	for (uint16_t i = 0; i < nb; i++) {
		rte_mbuf *copy = rte_pktmbuf_copy(frames[i], pool, 0, UINT32_MAX);

		if (copy == nullptr)
			Stop("the link's pool is dry");
		rte_pktmbuf_free(frames[i]);
		copy->ol_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
		frames[i] = copy;
	}
}

void
Run(size_t len, bool refers, bool has_tso)
{
	const std::string value(len, 'v');
	const size_t reply_len = len + std::to_string(len).size() + 5;
	const uint32_t nb_ops = len > 100000 ? 20 : 500;
	uint64_t now_us = 1000000;
	rte_mempool *link =
		rte_pktmbuf_pool_create("link", kNbMbufs, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	Server server(refers, has_tso, value, now_us);
	Client client(now_us);
	double best_ns = std::numeric_limits<double>::max();
	rte_mbuf *frames[kNbFrames];
	uint16_t nb = 0;

	for (uint32_t op = 0; op < 2 * nb_ops; op++) { // the first half warms up
		const bool is_asked = client.is_open;
		uint32_t nb_turns = 0;
		double op_ns = 0;

		if (is_asked)
			client.Ask();
		do {
			now_us += kTurnUs;
			nb = client.Turn(now_us, frames, nb);
			Carry(frames, nb, link);
			const double begin_ns = NowNs();
			if (op >= nb_ops)
				CALLGRIND_TOGGLE_COLLECT;
			nb = server.Turn(now_us, frames, nb);
			if (op >= nb_ops)
				CALLGRIND_TOGGLE_COLLECT;
			op_ns += NowNs() - begin_ns;
			Carry(frames, nb, link);
			if (++nb_turns == kNbTurnsMax)
				Stop("no reply");
		} while (is_asked ? client.nb_got < reply_len : !client.is_open);
		if (is_asked && client.nb_got > reply_len)
			Stop("a reply too long");
		if (op >= nb_ops)
			best_ns = std::min(best_ns, op_ns);
	}
	rte_pktmbuf_free_bulk(frames, nb);
	(void)printf("{\"row\": \"GET of %zu bytes%s\", \"with\": \"leat, %s\", \"bytes\": %zu, "
		     "\"ns\": %.0f, \"nb_ops\": %u}\n",
		len, has_tso ? ", cut by the port" : "", refers ? "references" : "copies",
		reply_len, best_ns, nb_ops);
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string mode = argc >= 2 ? argv[1] : "";

	if (mode == "--list") {
		for (const char *len : { "64", "1024", "4096", "16384", "65536", "1048576" })
			(void)printf("%s refer\n%s copy\n", len, len);
		for (const char *len : { "65536", "1048576" })
			(void)printf("%s refer tso\n%s copy tso\n", len, len);
		return EXIT_SUCCESS;
	}
	const size_t len = strtoul(mode.c_str(), nullptr, 10);
	const std::string how = argc >= 3 ? argv[2] : "";
	const std::string port = argc >= 4 ? argv[3] : "";
	if (len == 0 || len > 16u << 20 || (how != "refer" && how != "copy") || argc > 4 ||
		(port != "" && port != "tso")) {
		(void)fprintf(stderr, "perf_reply LEN refer|copy [tso]: of a value of LEN bytes\n");
		return 2;
	}
	TestEal eal(argv[0]);

	Run(len, how == "refer", port == "tso");
	return EXIT_SUCCESS;
}
