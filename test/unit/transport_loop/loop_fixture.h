// SPDX-License-Identifier: BSD-3-Clause

#ifndef LOOP_FIXTURE_H
#define LOOP_FIXTURE_H

#include <cerrno>
#include <string>

#include <gtest/gtest.h>
#include <rte_errno.h>

#include <leat_transport_loop.h>

constexpr unsigned int kNbMbufs = 2047;
constexpr uint16_t kBurst = 32;

inline leat_endpoint
Ipv4(const char *address, uint16_t port)
{
	leat_endpoint endpoint = {};

	EXPECT_EQ(0, leat_endpoint_parse_address(&endpoint, address));
	endpoint.port = port;
	return endpoint;
}

inline std::string
Bytes(const rte_mbuf *chain)
{
	std::string s;

	for (const rte_mbuf *m = chain; m != nullptr; m = m->next)
		s.append(rte_pktmbuf_mtod(m, const char *), m->data_len);
	return s;
}

// One letter for each event, DATA with its bytes: "O", "D(abc)", "W", "E", "C(0)".
inline std::string
Text(const leat_transport_event &ev)
{
	switch (ev.type) {
	case LEAT_TRANSPORT_OPEN:
		return "O";
	case LEAT_TRANSPORT_DATA:
		return "D(" + Bytes(ev.mbuf) + ")";
	case LEAT_TRANSPORT_WRITABLE:
		return "W";
	case LEAT_TRANSPORT_EOF:
		return "E";
	default:
		return "C(" + std::to_string(ev.error) + ")";
	}
}

// A client and a server joined back to back over one pool, which must be whole again
// at the end.
class Loop : public testing::Test
{
      protected:
	void SetUp() override
	{
		pool = rte_pktmbuf_pool_create(
			"loop_test", kNbMbufs, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
		ASSERT_NE(nullptr, pool) << rte_strerror(rte_errno);
	}

	void TearDown() override
	{
		if (client != nullptr)
			client->ops->close(client);
		if (server != nullptr)
			server->ops->close(server);
		EXPECT_EQ(kNbMbufs, rte_mempool_avail_count(pool));
		rte_mempool_free(pool);
	}

	leat_transport *Open(leat_loop_conf loop_conf, uint32_t nb_conns_max = 4)
	{
		leat_transport_conf conf = {};
		leat_transport *xp = nullptr;
		leat_error error = {};

		conf.socket_id = SOCKET_ID_ANY;
		conf.nb_conns_max = nb_conns_max;
		conf.pool = pool;
		conf.driver_conf = &loop_conf;
		EXPECT_EQ(0, leat_transport_loop_ops.open(&conf, &xp, &error)) << error.text;
		return xp;
	}

	// Both sides, joined; the server listens.
	void Join(leat_loop_conf server_conf = {}, leat_loop_conf client_conf = {})
	{
		server = Open(server_conf);
		client_conf.peer = server;
		client = Open(client_conf);
		ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	}

	// An open connection, its two ends in c and s.
	void Connect()
	{
		ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
		EXPECT_EQ("O", Poll(client));
		EXPECT_EQ("O", Poll(server));
		s = last;
	}

	// The events of one burst; the bytes of DATA are consumed unless hold is set.
	std::string Poll(leat_transport *xp, bool hold = false)
	{
		leat_transport_event ev[kBurst];
		uint16_t nb = leat_transport_rx_burst(xp, 0, ev, kBurst);
		std::string text;

		for (uint16_t i = 0; i < nb; i++) {
			text += Text(ev[i]);
			last = ev[i].conn;
			if (ev[i].type != LEAT_TRANSPORT_DATA)
				continue;
			if (!hold)
				leat_transport_consumed(ev[i].conn, ev[i].mbuf->pkt_len);
			rte_pktmbuf_free(ev[i].mbuf);
		}
		return text;
	}

	rte_mbuf *Mbuf(leat_transport *xp, const std::string &bytes)
	{
		rte_mbuf *m = leat_transport_tx_alloc(xp);

		EXPECT_NE(nullptr, m);
		memcpy(rte_pktmbuf_append(m, (uint16_t)bytes.size()), bytes.data(), bytes.size());
		return m;
	}

	int Send(leat_conn *conn, const std::string &bytes)
	{
		rte_mbuf *m = Mbuf(conn->transport, bytes);
		int ret = leat_transport_send(conn, m);

		if (ret < 0)
			rte_pktmbuf_free(m);
		return ret;
	}

	void Flush()
	{
		leat_transport_tx_flush(client, 0);
		leat_transport_tx_flush(server, 0);
	}

	rte_mempool *pool = nullptr;
	leat_transport *server = nullptr;
	leat_transport *client = nullptr;
	leat_endpoint at = Ipv4("10.77.0.1", 6379);
	int cookie = 0;
	leat_conn *c = nullptr;
	leat_conn *s = nullptr;
	leat_conn *last = nullptr;
};

#endif // LOOP_FIXTURE_H
