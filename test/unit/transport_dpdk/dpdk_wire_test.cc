// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <functional>

#include "dpdk_echo.h"

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

TEST_F(WireEcho, CarriesJumboFrames)
{
	to_send = Pattern(300000);
	mtu = 9000;
	ASSERT_NO_FATAL_FAILURE(Open(256));
	EXPECT_TRUE(leat_dpdk_port_info(ports[0])->rx_scatter);
	Run(2000);
	EXPECT_TRUE(got == to_send) << got.size() << " of " << to_send.size() << " bytes";
	EXPECT_GT(100u, Told(xps[1], "inet", "rx_tcp_segs")) << "of 8960 bytes";
}

TEST_F(WireEcho, KeepsFramesThatTheDeviceDoesNotTake)
{
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(Open(3)); /* frames at a time on the wire */
	Run(5000);
	EXPECT_TRUE(got == to_send) << got.size() << " of " << to_send.size() << " bytes";
	EXPECT_LT(0u, Told(xps[0], "dpdk", "tx_full"));
	EXPECT_EQ(Told(xps[0], "dpdk", "tx_frames"), Told(xps[1], "dpdk", "rx_frames"))
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

TEST_F(Wire, KeepAlivesAreForListenersOfBothFamilies)
{
	const leat_inet_keepalive keepalive = { .idle_s = 1, .interval_s = 1, .nb_probes = 2 };
	leat_endpoint any6 = {}, unix_path = {};
	leat_endpoint local = Server();
	leat_error error = {};

	any6.type = LEAT_ENDPOINT_IPV6; // "::"
	any6.port = kPort;
	unix_path.type = LEAT_ENDPOINT_UNIX;
	ASSERT_NO_FATAL_FAILURE(Join(256));
	for (leat_endpoint &one : { std::ref(local), std::ref(any6) }) {
		EXPECT_EQ(-ENOENT, leat_dpdk_set_keepalive(xps[1], &one, &keepalive, &error));
		ASSERT_EQ(0, xps[1]->ops->listen(xps[1], &one, nullptr, &error)) << error.text;
		EXPECT_EQ(0, leat_dpdk_set_keepalive(xps[1], &one, &keepalive, &error))
			<< error.text;
	}
	EXPECT_EQ(-ENOENT, leat_dpdk_set_keepalive(xps[1], &unix_path, &keepalive, &error));
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
	EXPECT_EQ(1u, Told(xps[0], "dpdk", "idle_sleeps"));
	EXPECT_EQ(0u, Told(xps[0], "dpdk", "idle_waits"));
}

TEST(DpdkOps, HaveNoHole)
{
	EXPECT_EQ(0, leat_transport_check(&leat_transport_dpdk_ops));
}
