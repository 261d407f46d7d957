// SPDX-License-Identifier: BSD-3-Clause

// A whole worker over the loop transport, with RESP and HTTP listeners: everything
// above waist 1 at once, under seeded faults.

#include <cerrno>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_transport_loop.h>
#include <leat_worker.h>

#include "mbuf_pool.h"

namespace
{

constexpr uint16_t kRespPort = 6379;
constexpr uint16_t kHttpPort = 8080;
constexpr uint32_t kConnsMax = 16;

leat_endpoint
Endpoint(uint16_t port)
{
	leat_endpoint endpoint = {};

	endpoint.type = LEAT_ENDPOINT_IPV4;
	endpoint.ipv4 = 0x7f000001;
	endpoint.port = port;
	return endpoint;
}

// The asking side of one connection.
struct Client {
	leat_conn *conn = nullptr;
	std::string unsent;
	std::string received;
	bool is_open = false;
	bool has_eof = false;
	bool is_closed = false;
	int error = 0;
};

class Worker : public testing::Test
{
      protected:
	Worker() : pool_(8191)
	{
	}

	~Worker() override
	{
		if (worker_ != nullptr)
			leat_worker_close(worker_);
		if (client_xp_ != nullptr)
			client_xp_->ops->close(client_xp_);
	}

	void Open(const leat_loop_conf &faults)
	{
		leat_transport_conf conf = {};
		leat_worker_conf worker_conf = {};
		leat_loop_conf client_conf = {};
		leat_transport *server_xp;
		leat_error error = {};
		leat_endpoint resp = Endpoint(kRespPort);
		leat_endpoint http = Endpoint(kHttpPort);

		conf.nb_conns_max = kConnsMax;
		conf.pool = pool_.Get();
		conf.driver_conf = &faults;
		ASSERT_EQ(0, leat_transport_loop_ops.open(&conf, &server_xp, &error)) << error.text;
		client_conf.peer = server_xp;
		conf.driver_conf = &client_conf;
		ASSERT_EQ(0, leat_transport_loop_ops.open(&conf, &client_xp_, &error))
			<< error.text;

		server_.version = "0";
		server_.run_id = "0";
		server_.config_path = "";
		worker_conf.idle = LEAT_WORKER_IDLE_ADAPTIVE;
		worker_conf.nb_conns_max = kConnsMax;
		worker_conf.request_max = 1u << 20;
		worker_conf.carry_len = 8u << 20;
		worker_conf.nb_keys_max = 1024;
		worker_conf.store_len = 16u << 20;
		worker_conf.nb_channels_max = 16;
		worker_conf.nb_subscriptions_max = 16;
		worker_conf.server = &server_;
		ASSERT_EQ(0, leat_worker_open(&worker_conf, &worker_, &error)) << error.text;
		ASSERT_EQ(0, leat_worker_add_transport(worker_, server_xp, &error)) << error.text;
		ASSERT_EQ(0, leat_worker_listen(worker_, server_xp, &resp,
				     leat_protocol_find("resp"), nullptr, &error))
			<< error.text;
		ASSERT_EQ(0, leat_worker_listen(worker_, server_xp, &http,
				     leat_protocol_find("http"), nullptr, &error))
			<< error.text;
	}

	Client *Connect(uint16_t port)
	{
		leat_endpoint peer = Endpoint(port);

		clients_.emplace_back();
		Client *client = &clients_.back();
		EXPECT_EQ(0, client_xp_->ops->connect(client_xp_, &peer, client, &client->conn));
		return client;
	}

	void ClientEvent(const leat_transport_event &ev)
	{
		Client *client = (Client *)ev.conn->session;

		switch (ev.type) {
		case LEAT_TRANSPORT_OPEN:
			client->is_open = true;
			break;
		case LEAT_TRANSPORT_DATA:
			client->received += MbufPool::Bytes(ev.mbuf);
			leat_transport_consumed(ev.conn, ev.mbuf->pkt_len);
			rte_pktmbuf_free(ev.mbuf);
			break;
		case LEAT_TRANSPORT_EOF:
			client->has_eof = true;
			leat_transport_shutdown(ev.conn);
			break;
		case LEAT_TRANSPORT_CLOSED:
			client->is_closed = true;
			client->error = ev.error;
			break;
		default:
			break;
		}
	}

	void ClientSend(Client *client)
	{
		while (client->is_open && !client->is_closed && !client->unsent.empty()) {
			std::string piece = client->unsent.substr(0, 1400);
			rte_mbuf *m = pool_.Mbuf(piece);

			if (leat_transport_send(client->conn, m) < 0) {
				rte_pktmbuf_free(m);
				return;
			}
			client->unsent.erase(0, piece.size());
		}
	}

	// Both sides in turn.
	void Turns(int nb_turns)
	{
		leat_transport_event events[32];

		for (int i = 0; i < nb_turns; i++) {
			for (Client &client : clients_)
				ClientSend(&client);
			client_xp_->ops->tx_flush(client_xp_, now_us_);
			now_us_ += 10;
			leat_worker_turn(worker_, now_us_, 1700000000000u + now_us_ / 1000);
			uint16_t nb = client_xp_->ops->rx_burst(client_xp_, now_us_, events, 32);
			for (uint16_t e = 0; e < nb; e++)
				ClientEvent(events[e]);
		}
	}

	MbufPool pool_;
	leat_command_server server_ = {};
	leat_transport *client_xp_ = nullptr;
	leat_worker *worker_ = nullptr;
	std::deque<Client> clients_;
	uint64_t now_us_ = 1000000;
};

TEST_F(Worker, AnswersBothProtocols)
{
	Open({});
	Client *resp = Connect(kRespPort);
	Client *http = Connect(kHttpPort);

	resp->unsent = "PING\r\n";
	http->unsent = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
	Turns(10);
	EXPECT_EQ("+PONG\r\n", resp->received);
	EXPECT_EQ(0u, http->received.find("HTTP/1.1 200 "));
	EXPECT_EQ("\r\n\r\nok", http->received.substr(http->received.size() - 6));
	EXPECT_EQ(2u, leat_worker_nb_sessions(worker_));
	EXPECT_EQ(2u, leat_worker_stats(worker_)->nb_requests);
}

TEST_F(Worker, FourPipelinedGetsGiveFourReplies)
{
	const std::string get = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
	size_t nb_replies = 0;

	Open({});
	Client *http = Connect(kHttpPort);
	http->unsent = get + get + get + get + "GET /hea";
	Turns(10);
	for (size_t at = 0; (at = http->received.find("HTTP/1.1 200 ", at)) != std::string::npos;
		at++)
		nb_replies++;
	EXPECT_EQ(4u, nb_replies);
}

TEST_F(Worker, AClientThatAsksToGoOnIsToldBehindEarlierReplies)
{
	Open({});
	Client *http = Connect(kHttpPort);

	http->unsent = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
		       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
		       "Expect: 100-continue\r\n\r\n";
	Turns(10);
	size_t health = http->received.find("HTTP/1.1 200 ");
	size_t go_on = http->received.find("HTTP/1.1 100 ");
	ASSERT_NE(std::string::npos, go_on);
	EXPECT_LT(health, go_on);
	http->unsent = "hello";
	Turns(10);
	EXPECT_EQ("\r\n\r\nhello", http->received.substr(http->received.size() - 9));
	EXPECT_EQ(go_on, http->received.rfind("HTTP/1.1 100 ")) << "told twice";
}

TEST_F(Worker, EveryReplyComesWholeUnderFaults)
{
	for (unsigned int seed = 1; seed <= 60; seed++) {
		std::mt19937 rng(seed);
		leat_loop_conf faults = {};
		std::vector<std::string> want;

		faults.seed = seed;
		faults.split_per_1000 = 300;
		faults.join_per_1000 = 200;
		faults.delay_per_1000 = 200;
		faults.nobufs_per_1000 = 100;
		faults.window = 4096 + rng() % 60000;
		Open(faults);
		clients_.clear();
		for (unsigned int c = 0; c < 4; c++) {
			Client *client = Connect(kRespPort);
			std::string expected;

			for (int i = 1; i <= 200; i++) {
				std::string value(
					rng() % 20 == 0 ? rng() % 20000 : rng() % 50, 'v');
				std::string len = std::to_string(value.size());

				client->unsent += "*2\r\n$4\r\nECHO\r\n$" + len + "\r\n" + value +
						  "\r\nINCR n" + std::to_string(c) + "\r\n";
				expected += "$" + len + "\r\n" + value +
					    "\r\n:" + std::to_string(i) + "\r\n";
			}
			want.push_back(expected);
		}
		for (int i = 0; i < 3000; i++) {
			bool is_done = true;

			Turns(10);
			for (size_t c = 0; c < want.size(); c++)
				is_done &= clients_[c].received.size() >= want[c].size();
			if (is_done)
				break;
		}
		for (size_t c = 0; c < want.size(); c++)
			ASSERT_TRUE(want[c] == clients_[c].received)
				<< "seed " << seed << " client " << c << " got "
				<< clients_[c].received.size() << " of " << want[c].size();
		leat_worker_close(worker_);
		worker_ = nullptr;
		client_xp_->ops->close(client_xp_);
		client_xp_ = nullptr;
	}
}

TEST_F(Worker, ResetsInMidStreamLeaveNothingBehind)
{
	leat_loop_conf faults = {};

	faults.seed = 7;
	faults.split_per_1000 = 300;
	faults.delay_per_1000 = 100;
	faults.alloc_fail_per_1000 = 50;
	faults.reset_per_1000 = 20;
	Open(faults);
	for (int round = 0; round < 100; round++) {
		clients_.clear();
		for (int c = 0; c < 4; c++) {
			Client *client = Connect(kRespPort);

			for (int i = 0; i < 50; i++)
				client->unsent += "SET k" + std::to_string(i) + " " +
						  std::string(500, 'v') + "\r\nGET k1\r\n";
			client->unsent += "QUIT\r\n";
		}
		for (int i = 0; i < 1000; i++) {
			bool is_done = true;

			Turns(10);
			for (const Client &client : clients_)
				is_done &= client.is_closed;
			if (is_done)
				break;
		}
		for (const Client &client : clients_)
			ASSERT_TRUE(client.is_closed) << "round " << round;
	}
	Turns(10);
	EXPECT_EQ(0u, leat_worker_nb_sessions(worker_));
}

TEST_F(Worker, DrainOfAnIdleWorkerEndsItsRun)
{
	Open({});
	leat_worker_drain(worker_);
	EXPECT_EQ(0, leat_worker_run(worker_));
	Client *late = Connect(kRespPort);
	Turns(10);
	EXPECT_TRUE(late->is_closed);
	EXPECT_EQ(-ECONNREFUSED, late->error);
}

TEST_F(Worker, StopAbortsWhatIsOpenAndEndsTheRun)
{
	Open({});
	Client *client = Connect(kRespPort);

	Turns(3);
	ASSERT_TRUE(client->is_open);
	leat_worker_stop(worker_);
	leat_worker_drain(worker_); // weaker: changes nothing
	EXPECT_EQ(0, leat_worker_run(worker_));
	Turns(3);
	EXPECT_EQ(-ECONNRESET, client->error);
}

TEST_F(Worker, OpenRefusesACarryRegionSmallerThanARequest)
{
	leat_worker_conf conf = {};
	leat_worker *worker = nullptr;
	leat_error error = {};

	conf.nb_conns_max = 1;
	conf.request_max = 1u << 20;
	conf.carry_len = (1u << 20) - 1;
	EXPECT_EQ(-EINVAL, leat_worker_open(&conf, &worker, &error));
	EXPECT_NE('\0', error.text[0]);
	EXPECT_EQ(nullptr, worker);
}

TEST_F(Worker, OpenRefusesRequestsOverTheLimitOfASession)
{
	leat_worker_conf conf = {};
	leat_worker *worker = nullptr;
	leat_error error = {};

	conf.nb_conns_max = 1;
	conf.request_max = (size_t)LEAT_SESSION_REQUEST_MAX + 1;
	conf.carry_len = conf.request_max;
	EXPECT_EQ(-EINVAL, leat_worker_open(&conf, &worker, &error));
	EXPECT_EQ(nullptr, worker);
}

} // namespace
