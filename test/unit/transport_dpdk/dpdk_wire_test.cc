// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include "dpdk_fixture.h"

namespace
{

// A client and a server that sends back what it gets.
class WireEcho : public Wire
{
      protected:
	void Open(unsigned int nb_frames)
	{
		leat_endpoint server = Server();
		leat_error error = {};

		ASSERT_NO_FATAL_FAILURE(Join(nb_frames));
		ASSERT_EQ(0, xps[1]->ops->listen(xps[1], &server, &listener, &error)) << error.text;
		ASSERT_EQ(0, xps[0]->ops->connect(xps[0], &server, &session, &conn));
	}

	void ClientTurn()
	{
		for (const leat_transport_event &ev : Turn(0)) {
			EXPECT_EQ(conn, ev.conn);
			switch (ev.type) {
			case LEAT_TRANSPORT_OPEN:
				EXPECT_EQ(&session, ev.conn->session);
				is_open = true;
				break;
			case LEAT_TRANSPORT_DATA:
				leat_transport_consumed(ev.conn, ev.mbuf->pkt_len);
				got += Take(ev.mbuf);
				break;
			case LEAT_TRANSPORT_CLOSED:
				client_error = ev.error;
				is_client_closed = true;
				break;
			default:
				break;
			}
		}
		while (is_open && sent < to_send.size()) {
			std::string part = to_send.substr(sent, 1000);
			rte_mbuf *mbuf = Text(0, part);

			if (leat_transport_send(conn, mbuf) < 0) {
				rte_pktmbuf_free(mbuf);
				break;
			}
			sent += part.size();
		}
		if (is_open && !is_shut && got.size() == to_send.size()) {
			leat_transport_shutdown(conn);
			is_shut = true;
		}
		Flush(0);
	}

	void ServerTurn()
	{
		for (const leat_transport_event &ev : Turn(1)) {
			switch (ev.type) {
			case LEAT_TRANSPORT_OPEN:
				EXPECT_EQ(&listener, ev.conn->listener);
				EXPECT_EQ(nullptr, ev.conn->session);
				break;
			case LEAT_TRANSPORT_DATA:
				leat_transport_consumed(ev.conn, ev.mbuf->pkt_len);
				back += Take(ev.mbuf);
				server_conn = ev.conn;
				break;
			case LEAT_TRANSPORT_EOF:
				leat_transport_shutdown(ev.conn);
				break;
			case LEAT_TRANSPORT_CLOSED:
				is_server_closed = true;
				break;
			default:
				break;
			}
		}
		while (!back.empty()) {
			std::string part = back.substr(0, 1000);
			rte_mbuf *mbuf = Text(1, part);

			if (leat_transport_send(server_conn, mbuf) < 0) {
				rte_pktmbuf_free(mbuf);
				break;
			}
			back.erase(0, part.size());
		}
		Flush(1);
	}

	// Until both are closed; the clock goes a millisecond per turn.
	void Run(int nb_turns_max)
	{
		for (int i = 0; i < nb_turns_max && !(is_client_closed && is_server_closed); i++) {
			ClientTurn();
			ServerTurn();
			now_us += 1000;
		}
	}

	int listener = 0;
	int session = 0;
	leat_conn *conn = nullptr;
	leat_conn *server_conn = nullptr;
	std::string to_send, got, back;
	size_t sent = 0;
	bool is_open = false, is_shut = false;
	bool is_client_closed = false, is_server_closed = false;
	int client_error = -1;
};

std::string
Pattern(size_t len)
{
	std::string s(len, '\0');

	for (size_t i = 0; i < len; i++)
		s[i] = (char)(i * 31 + i / 251);
	return s;
}

} // namespace

TEST_F(WireEcho, CarriesBytesBothWaysAndCloses)
{
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(Open(256));
	Run(2000);
	EXPECT_TRUE(got == to_send) << got.size() << " of " << to_send.size() << " bytes";
	EXPECT_TRUE(is_client_closed);
	EXPECT_TRUE(is_server_closed);
	EXPECT_EQ(0, client_error);
}

TEST_F(WireEcho, KeepsFramesThatTheDeviceDoesNotTake)
{
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(Open(3)); /* frames at a time on the wire */
	Run(5000);
	EXPECT_TRUE(got == to_send) << got.size() << " of " << to_send.size() << " bytes";
	EXPECT_LT(0u, leat_dpdk_stats(xps[0])->tx_full);
	EXPECT_EQ(leat_dpdk_stats(xps[0])->tx_frames, leat_dpdk_stats(xps[1])->rx_frames)
		<< "a frame was lost or sent twice";
}

TEST_F(WireEcho, TellsBothEnds)
{
	leat_endpoint local, peer;

	ASSERT_NO_FATAL_FAILURE(Open(256));
	conn->transport->ops->endpoints(conn, &local, &peer);
	EXPECT_EQ(kClientAddr, local.ipv4);
	EXPECT_NE(0, local.port);
	EXPECT_EQ(kServerAddr, peer.ipv4);
	EXPECT_EQ(kPort, peer.port);
}

TEST_F(WireEcho, AbortEndsTheConnectionAtThePeerToo)
{
	to_send = "x";
	ASSERT_NO_FATAL_FAILURE(Open(256));
	while (got.empty()) {
		ClientTurn();
		ServerTurn();
		is_shut = true; /* not in order */
	}
	leat_transport_abort(conn);
	Run(10);
	EXPECT_TRUE(is_client_closed);
	EXPECT_TRUE(is_server_closed);
}

TEST_F(WireEcho, TextForAConnectionThatHasEndedUnknownToItsUserIsTaken)
{
	to_send = "x";
	ASSERT_NO_FATAL_FAILURE(Open(256));
	while (got.empty()) {
		ClientTurn();
		ServerTurn();
		is_shut = true; /* not in order */
	}
	leat_transport_abort(conn);
	Flush(0);
	/* The RST is in, the array for the events is full. */
	EXPECT_EQ(0, leat_transport_rx_burst(xps[1], now_us, nullptr, 0));
	EXPECT_EQ(0, leat_transport_send(server_conn, Text(1, "late")));
	Run(10);
	EXPECT_TRUE(is_server_closed);
}

TEST_F(Wire, ConnectToAClosedPortIsRefused)
{
	leat_endpoint server = Server();
	leat_conn *conn = nullptr;
	std::vector<leat_transport_event> events;

	ASSERT_NO_FATAL_FAILURE(Join(256));
	ASSERT_EQ(0, xps[0]->ops->connect(xps[0], &server, nullptr, &conn));
	for (int i = 0; i < 10 && events.empty(); i++) {
		events = Turn(0);
		Flush(0);
		(void)Turn(1);
		Flush(1);
	}
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_TRANSPORT_CLOSED, events[0].type);
	EXPECT_EQ(-ECONNREFUSED, events[0].error);
	EXPECT_EQ(conn, events[0].conn);
}

TEST_F(Wire, ListenTellsWhyNot)
{
	leat_endpoint local = Server();
	leat_error error = {};

	ASSERT_NO_FATAL_FAILURE(Join(256));
	EXPECT_EQ(-EADDRNOTAVAIL, xps[0]->ops->listen(xps[0], &local, nullptr, &error));
	EXPECT_STREQ("port client: cannot listen on 10.77.0.2:6379: it is not an address of the "
		     "port",
		error.text);
	error.text[0] = '\0';
	EXPECT_EQ(0, xps[1]->ops->listen(xps[1], &local, nullptr, &error));
	EXPECT_EQ(-EADDRINUSE, xps[1]->ops->listen(xps[1], &local, nullptr, &error));
	EXPECT_STREQ("port server: two listeners on 10.77.0.2:6379", error.text);
}

TEST_F(Wire, UnlistenLetsTheAddressBeListenedOnAgain)
{
	leat_endpoint local = Server();

	ASSERT_NO_FATAL_FAILURE(Join(256));
	EXPECT_EQ(-ENOENT, xps[1]->ops->unlisten(xps[1], &local));
	EXPECT_EQ(0, xps[1]->ops->listen(xps[1], &local, nullptr, nullptr));
	EXPECT_EQ(0, xps[1]->ops->unlisten(xps[1], &local));
	EXPECT_EQ(0, xps[1]->ops->listen(xps[1], &local, nullptr, nullptr));
}

TEST_F(Wire, AQueueIsOpenedOnce)
{
	leat_transport *xp = nullptr;
	leat_error error = {};

	ASSERT_NO_FATAL_FAILURE(Join(256));
	EXPECT_EQ(-EBUSY, OpenQueue(0, 0, &xp, &error));
	EXPECT_STREQ("port client: queue 0 is another worker's", error.text);
	error.text[0] = '\0';
	EXPECT_EQ(-EINVAL, OpenQueue(0, 1, &xp, &error));
	EXPECT_STREQ("port client: there is no queue 1, it has 1", error.text);
	EXPECT_EQ(nullptr, xp);
}

TEST_F(Wire, AClosedQueueIsOpenedAgain)
{
	leat_error error = {};

	ASSERT_NO_FATAL_FAILURE(Join(256));
	xps[0]->ops->close(xps[0]);
	xps[0] = nullptr;
	EXPECT_EQ(0, OpenQueue(0, 0, &xps[0], &error)) << error.text;
}

TEST_F(Wire, WaitSleepsNoLongerThanItMay)
{
	ASSERT_NO_FATAL_FAILURE(Join(256));
	leat_transport_wait(xps[0], 1);
	EXPECT_EQ(1u, leat_dpdk_stats(xps[0])->idle_sleeps);
	EXPECT_EQ(0u, leat_dpdk_stats(xps[0])->idle_waits);
}

TEST(DpdkOps, HaveNoHole)
{
	EXPECT_EQ(0, leat_transport_check(&leat_transport_dpdk_ops));
}
