// SPDX-License-Identifier: BSD-3-Clause

#include "loop_fixture.h"

namespace
{

TEST_F(Loop, HasEveryOperation)
{
	EXPECT_EQ(0, leat_transport_check(&leat_transport_loop_ops));
}

TEST_F(Loop, OpenTellsBothEndsWhoTheyAre)
{
	leat_endpoint local;
	leat_endpoint peer;
	char text[LEAT_ENDPOINT_TEXT_MAX];
	int session;

	Join();
	ASSERT_EQ(0, client->ops->connect(client, &at, &session, &c));
	EXPECT_EQ("O", Poll(client));
	EXPECT_EQ(c, last);
	EXPECT_EQ("O", Poll(server));
	EXPECT_EQ(&session, c->session);
	EXPECT_EQ(nullptr, c->listener);
	EXPECT_EQ(&cookie, last->listener);
	EXPECT_EQ(nullptr, last->session);
	server->ops->endpoints(last, &local, &peer);
	EXPECT_STREQ("10.77.0.1:6379", leat_endpoint_format(&local, text));
	EXPECT_STREQ("127.0.0.1:49152", leat_endpoint_format(&peer, text));
}

TEST_F(Loop, TellsOfItsConnectionsByPlace)
{
	leat_conn_info info = {};
	leat_neighbour_info neighbour;
	leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX];
	char text[LEAT_ENDPOINT_TEXT_MAX];

	Join();
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("O", Poll(client));
	EXPECT_EQ("O", Poll(server));
	EXPECT_EQ(1, server->ops->conn_info(server, 0, &info));
	EXPECT_STREQ("OPEN", info.state);
	EXPECT_STREQ("10.77.0.1:6379", leat_endpoint_format(&info.local, text));
	EXPECT_EQ(&cookie, info.listener);
	EXPECT_EQ(0, server->ops->conn_info(server, 1, &info));
	EXPECT_EQ(-ENOENT, server->ops->conn_info(server, UINT32_MAX, &info));
	EXPECT_EQ(-ENOENT, server->ops->neighbour_info(server, 0, &neighbour));
	ASSERT_EQ(1u, server->ops->stats(server, sets));
	EXPECT_EQ(1u, leat_stat_read(&sets[0], &sets[0].defs[0]));
}

TEST_F(Loop, ConnectsWithinOneTransport)
{
	server = Open({});
	ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	ASSERT_EQ(0, server->ops->connect(server, &at, nullptr, &c));
	EXPECT_EQ("OO", Poll(server));
	ASSERT_EQ(0, Send(c, "hello"));
	leat_transport_tx_flush(server, 0);
	EXPECT_EQ("D(hello)", Poll(server));
	EXPECT_NE(c, last);
}

TEST_F(Loop, ConnectToNobodyIsClosedAsRefused)
{
	leat_endpoint other = Ipv4("10.77.0.1", 6380);

	Join();
	ASSERT_EQ(0, client->ops->connect(client, &other, nullptr, &c));
	EXPECT_EQ("C(" + std::to_string(-ECONNREFUSED) + ")", Poll(client));
	EXPECT_EQ("", Poll(server));
	EXPECT_EQ(0u, leat_transport_loop_nb_conns(client));
}

TEST_F(Loop, ConnectsUpToTheTableAndOneOver)
{
	server = Open({}, 8);
	leat_loop_conf conf = {};
	conf.peer = server;
	client = Open(conf, 2);
	ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	EXPECT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ(-ENOBUFS, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("OO", Poll(client));
	EXPECT_EQ("OO", Poll(server));
}

TEST_F(Loop, ConnectToAFullTableIsClosedAsRefused)
{
	server = Open({}, 1);
	leat_loop_conf conf = {};
	conf.peer = server;
	client = Open(conf, 2);
	ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("O", Poll(client));
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("C(" + std::to_string(-ECONNREFUSED) + ")", Poll(client));
}

TEST_F(Loop, ListenRefusesWhatIsTakenOrHasNoPort)
{
	leat_endpoint none = Ipv4("10.77.0.1", 0);
	leat_error error = {};

	Join();
	EXPECT_EQ(-EADDRINUSE, server->ops->listen(server, &at, nullptr, &error));
	EXPECT_STREQ("loop: 10.77.0.1:6379 has a listener already", error.text);
	EXPECT_EQ(-EADDRNOTAVAIL, server->ops->listen(server, &none, nullptr, nullptr));
}

TEST_F(Loop, ListensUpToTheLimitAndOneOver)
{
	server = Open({});
	for (uint16_t i = 0; i < LEAT_LOOP_LISTENERS_MAX; i++) {
		leat_endpoint endpoint = Ipv4("10.77.0.1", (uint16_t)(1000 + i));
		EXPECT_EQ(0, server->ops->listen(server, &endpoint, nullptr, nullptr));
	}
	EXPECT_EQ(-ENOSPC, server->ops->listen(server, &at, nullptr, nullptr));
}

TEST_F(Loop, UnlistenAcceptsNoMoreAndLeavesWhatIsOpen)
{
	Join();
	Connect();
	EXPECT_EQ(0, server->ops->unlisten(server, &at));
	EXPECT_EQ(-ENOENT, server->ops->unlisten(server, &at));
	ASSERT_EQ(0, Send(c, "still"));
	Flush();
	EXPECT_EQ("D(still)", Poll(server));
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("C(" + std::to_string(-ECONNREFUSED) + ")", Poll(client));
}

TEST_F(Loop, OpenRefusesABadConfiguration)
{
	leat_transport_conf conf = {};
	leat_loop_conf loop_conf = {};
	leat_transport *xp = nullptr;

	conf.driver_conf = &loop_conf;
	conf.nb_conns_max = 1;
	EXPECT_EQ(-EINVAL, leat_transport_loop_ops.open(&conf, &xp, nullptr));
	conf.pool = pool;
	conf.nb_conns_max = 0;
	EXPECT_EQ(-EINVAL, leat_transport_loop_ops.open(&conf, &xp, nullptr));
	conf.nb_conns_max = 1;
	loop_conf.reset_per_1000 = 1001;
	EXPECT_EQ(-EINVAL, leat_transport_loop_ops.open(&conf, &xp, nullptr));
	loop_conf.reset_per_1000 = 0;
	Join();
	loop_conf.peer = server;
	EXPECT_EQ(-EBUSY, leat_transport_loop_ops.open(&conf, &xp, nullptr));
	EXPECT_EQ(nullptr, xp);
}

TEST_F(Loop, ClosesInOrderWhenBothHaveShutDown)
{
	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "bye"));
	leat_transport_shutdown(c);
	Flush();
	EXPECT_EQ("D(bye)E", Poll(server));
	EXPECT_EQ("", Poll(client));
	ASSERT_EQ(0, Send(s, "late"));
	leat_transport_shutdown(s);
	Flush();
	EXPECT_EQ("D(late)EC(0)", Poll(client));
	EXPECT_EQ("C(0)", Poll(server));
	EXPECT_EQ(0u, leat_transport_loop_nb_conns(client));
	EXPECT_EQ(0u, leat_transport_loop_nb_conns(server));
}

TEST_F(Loop, WritableAfterEofLetsTheReplyGoOn)
{
	leat_loop_conf conf = {};

	conf.sendq_len = 4;
	Join(conf);
	Connect();
	leat_transport_shutdown(c);
	ASSERT_EQ(0, Send(s, "1234"));
	EXPECT_EQ(-ENOBUFS, Send(s, "5"));
	Flush();
	EXPECT_EQ("E", Poll(server));
	EXPECT_EQ("D(1234)", Poll(client));
	EXPECT_EQ("W", Poll(server));
}

TEST_F(Loop, AConnectionMayBeUsedUntilTheNextBurst)
{
	Join();
	Connect();
	leat_transport_abort(s);
	EXPECT_EQ("C(" + std::to_string(-ECONNRESET) + ")", Poll(client));
	EXPECT_EQ(0, Send(c, "gone"));
	leat_transport_consumed(c, 0);
	leat_transport_shutdown(c);
	leat_transport_abort(c);
	EXPECT_EQ("", Poll(client));
	EXPECT_DEATH(leat_transport_shutdown(c), "");
}

TEST_F(Loop, AbortDropsWhatIsUnderWayBothWays)
{
	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "lost"));
	ASSERT_EQ(0, Send(s, "lost too"));
	Flush();
	leat_transport_abort(c);
	leat_transport_abort(c);
	EXPECT_EQ("C(" + std::to_string(-ECONNABORTED) + ")", Poll(client));
	EXPECT_EQ(0, Send(s, "into the void"));
	EXPECT_EQ("C(" + std::to_string(-ECONNRESET) + ")", Poll(server));
	EXPECT_EQ("", Poll(client));
	EXPECT_EQ("", Poll(server));
}

TEST_F(Loop, AbortBeforeOpenClosesTheClientAndTheServerNeverHears)
{
	Join();
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	leat_transport_abort(c);
	EXPECT_EQ("C(" + std::to_string(-ECONNABORTED) + ")", Poll(client));
	EXPECT_EQ("", Poll(server));
	EXPECT_EQ(0u, leat_transport_loop_nb_conns(server));
}

TEST_F(Loop, CloseResetsThePeersConnections)
{
	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "never read"));
	Flush();
	server->ops->close(server);
	server = nullptr;
	EXPECT_EQ("C(" + std::to_string(-ECONNRESET) + ")", Poll(client));
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	EXPECT_EQ("C(" + std::to_string(-ECONNREFUSED) + ")", Poll(client));
}

TEST_F(Loop, AfterAPeersCloseANewOneMayJoin)
{
	leat_loop_conf conf = {};

	Join();
	server->ops->close(server);
	conf.peer = client;
	server = Open(conf);
	ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	Connect();
}

TEST_F(Loop, CloseWithinOneTransportFreesBothEnds)
{
	server = Open({});
	ASSERT_EQ(0, server->ops->listen(server, &at, &cookie, nullptr));
	ASSERT_EQ(0, server->ops->connect(server, &at, nullptr, &c));
	EXPECT_EQ("OO", Poll(server));
	ASSERT_EQ(0, Send(c, "x"));
	ASSERT_EQ(0, server->ops->connect(server, &at, nullptr, &c)); // its peer is not told yet
}

} // namespace
