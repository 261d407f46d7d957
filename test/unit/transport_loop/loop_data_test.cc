// SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "loop_fixture.h"

namespace
{

TEST_F(Loop, OneEventForEachSendInOrder)
{
	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "one"));
	ASSERT_EQ(0, Send(c, "two"));
	ASSERT_EQ(0, Send(s, "back"));
	Flush();
	EXPECT_EQ("D(one)D(two)", Poll(server));
	EXPECT_EQ("D(back)", Poll(client));
}

TEST_F(Loop, NothingArrivesBeforeTheFlush)
{
	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "x"));
	leat_transport_shutdown(c);
	EXPECT_EQ("", Poll(server));
	Flush();
	EXPECT_EQ("D(x)E", Poll(server));
}

TEST_F(Loop, HandsOverTheSendersMbufs)
{
	leat_transport_event ev[kBurst];

	Join();
	Connect();
	rte_mbuf *m = Mbuf(client, "head");
	ASSERT_EQ(0, rte_pktmbuf_chain(m, Mbuf(client, "tail")));
	ASSERT_EQ(0, leat_transport_send(c, m));
	Flush();
	ASSERT_EQ(1, leat_transport_rx_burst(server, 0, ev, kBurst));
	EXPECT_EQ(m, ev[0].mbuf);
	EXPECT_EQ(2, m->nb_segs);
	EXPECT_EQ("headtail", Bytes(m));
	rte_pktmbuf_free(m);
}

TEST_F(Loop, TxAllocLeavesRoomForHeaders)
{
	Join();
	rte_mbuf *m = leat_transport_tx_alloc(client);
	ASSERT_NE(nullptr, m);
	EXPECT_EQ(RTE_PKTMBUF_HEADROOM, rte_pktmbuf_headroom(m));
	EXPECT_EQ(0u, m->pkt_len);
	rte_pktmbuf_free(m);
}

TEST_F(Loop, DeliversNoMoreThanTheWindowUntilItIsConsumed)
{
	leat_loop_conf conf = {};

	conf.window = 10;
	Join(conf);
	Connect();
	ASSERT_EQ(0, Send(c, "0123456"));
	ASSERT_EQ(0, Send(c, "789abcdef"));
	leat_transport_shutdown(c);
	Flush();
	EXPECT_EQ("D(0123456)D(789)", Poll(server, true));
	EXPECT_EQ("", Poll(server, true));
	leat_transport_consumed(s, 1);
	EXPECT_EQ("D(a)", Poll(server, true));
	leat_transport_consumed(s, 10);
	EXPECT_EQ("D(bcdef)E", Poll(server));
}

TEST_F(Loop, CutsAChainAtASegmentsBorderWithoutAnMbuf)
{
	leat_loop_conf conf = {};

	conf.window = 4;
	Join(conf);
	Connect();
	rte_mbuf *m = Mbuf(client, "head");
	ASSERT_EQ(0, rte_pktmbuf_chain(m, Mbuf(client, "tail")));
	ASSERT_EQ(0, leat_transport_send(c, m));
	Flush();
	std::vector<rte_mbuf *> held(rte_mempool_avail_count(pool));
	ASSERT_EQ(0, rte_pktmbuf_alloc_bulk(pool, held.data(), (unsigned int)held.size()));
	EXPECT_EQ("D(head)", Poll(server, true));
	held.push_back(rte_pktmbuf_alloc(pool)); // the one that came back
	leat_transport_consumed(s, 2);
	EXPECT_EQ("", Poll(server, true)); // a cut inside waits for an mbuf
	rte_pktmbuf_free_bulk(held.data(), (unsigned int)held.size());
	EXPECT_EQ("D(ta)", Poll(server));
}

TEST_F(Loop, SendQueueAtItsLimitAndOneOverThenWritable)
{
	leat_loop_conf conf = {};

	conf.sendq_len = 8;
	Join({}, conf);
	Connect();
	ASSERT_EQ(0, Send(c, "12345"));
	ASSERT_EQ(0, Send(c, "678"));
	EXPECT_EQ(-ENOBUFS, Send(c, "9"));
	EXPECT_EQ("", Poll(client));
	Flush();
	EXPECT_EQ("D(12345)D(678)", Poll(server));
	EXPECT_EQ("W", Poll(client));
	EXPECT_EQ("", Poll(client));
	ASSERT_EQ(0, Send(c, "9"));
	Flush();
	EXPECT_EQ("D(9)", Poll(server));
}

TEST_F(Loop, WhoAsksWhetherAllHasArrivedIsToldWhenItHas)
{
	Join();
	Connect();
	EXPECT_TRUE(leat_transport_is_acked(c));
	ASSERT_EQ(0, Send(c, "12"));
	ASSERT_EQ(0, Send(c, "34"));
	EXPECT_FALSE(leat_transport_is_acked(c));
	EXPECT_EQ("", Poll(client));
	Flush();
	EXPECT_EQ("D(12)D(34)", Poll(server));
	EXPECT_EQ("W", Poll(client));
	EXPECT_TRUE(leat_transport_is_acked(c));
	EXPECT_EQ("", Poll(client));
}

TEST_F(Loop, WritableWaitsForRoomForTheRefusedChain)
{
	leat_loop_conf client_conf = {};
	leat_loop_conf server_conf = {};

	client_conf.sendq_len = 8;
	server_conf.window = 4;
	Join(server_conf, client_conf);
	Connect();
	ASSERT_EQ(0, Send(c, "12345678"));
	EXPECT_EQ(-ENOBUFS, Send(c, "abcde"));
	Flush();
	EXPECT_EQ("D(1234)", Poll(server, true));
	EXPECT_EQ("", Poll(client));
	leat_transport_consumed(s, 1);
	EXPECT_EQ("D(5)", Poll(server, true));
	EXPECT_EQ("W", Poll(client));
	EXPECT_EQ(0, Send(c, "abcde"));
}

TEST_F(Loop, TakesAChainOverTheLimitWhenNothingWaits)
{
	leat_loop_conf conf = {};

	conf.sendq_len = 2;
	Join({}, conf);
	Connect();
	ASSERT_EQ(0, Send(c, "longer"));
	EXPECT_EQ(-ENOBUFS, Send(c, "x"));
}

TEST_F(Loop, QueuesChainsUpToTheLimitAndOneOver)
{
	Join();
	Connect();
	for (int i = 0; i < LEAT_LOOP_CHAINS_MAX; i++)
		ASSERT_EQ(0, Send(c, "x"));
	EXPECT_EQ(-ENOBUFS, Send(c, "x"));
}

TEST_F(Loop, FillsNoMoreEventsThanAsked)
{
	leat_transport_event ev[1];

	Join();
	Connect();
	ASSERT_EQ(0, Send(c, "a"));
	ASSERT_EQ(0, Send(c, "b"));
	Flush();
	EXPECT_EQ(0, leat_transport_rx_burst(server, 0, ev, 0));
	for (const char *expected : { "D(a)", "D(b)" }) {
		ASSERT_EQ(1, leat_transport_rx_burst(server, 0, ev, 1));
		EXPECT_EQ(expected, Text(ev[0]));
		rte_pktmbuf_free(ev[0].mbuf);
	}
	EXPECT_EQ(0, leat_transport_rx_burst(server, 0, ev, 1));
}

TEST_F(Loop, NoConnectionStarvesAnother)
{
	leat_transport_event ev[1];
	leat_conn *c2;

	Join();
	Connect();
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c2));
	EXPECT_EQ("O", Poll(client));
	EXPECT_EQ("O", Poll(server));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, Send(c, "a"));
	ASSERT_EQ(0, Send(c2, "b"));
	Flush();
	std::string got;
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(1, leat_transport_rx_burst(server, 0, ev, 1));
		got += Bytes(ev[0].mbuf);
		rte_pktmbuf_free(ev[0].mbuf);
	}
	EXPECT_NE(std::string::npos, got.find('b'));
}

TEST_F(Loop, BreachesOfTheContractStop)
{
	Join();
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	rte_mbuf *m = Mbuf(client, "x");
	EXPECT_DEATH((void)leat_transport_send(c, m), ""); // before OPEN
	EXPECT_EQ("O", Poll(client));
	rte_mbuf *empty = leat_transport_tx_alloc(client);
	EXPECT_DEATH((void)leat_transport_send(c, empty), ""); // an empty segment
	EXPECT_DEATH(leat_transport_consumed(c, 1), "");       // more than was delivered
	leat_transport_shutdown(c);
	EXPECT_DEATH((void)leat_transport_send(c, m), ""); // after shutdown
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(empty);
}

TEST_F(Loop, SplitCutsADeliveryInPieces)
{
	leat_loop_conf conf = {};

	conf.split_per_1000 = 1000;
	Join(conf);
	Connect();
	ASSERT_EQ(0, Send(c, "0123456789"));
	Flush();
	leat_transport_event ev[kBurst];
	uint16_t nb = leat_transport_rx_burst(server, 0, ev, kBurst);
	std::string got;
	for (uint16_t i = 0; i < nb; i++) {
		got += Bytes(ev[i].mbuf);
		EXPECT_GE(ev[i].mbuf->nb_segs, LEAT_MIN(2u, ev[i].mbuf->pkt_len));
		rte_pktmbuf_free(ev[i].mbuf);
	}
	EXPECT_EQ("0123456789", got);
	EXPECT_GT(nb, 1);
}

TEST_F(Loop, JoinDeliversSendsTogether)
{
	leat_loop_conf conf = {};

	conf.join_per_1000 = 1000;
	conf.window = 5;
	Join(conf);
	Connect();
	ASSERT_EQ(0, Send(c, "ab"));
	ASSERT_EQ(0, Send(c, "cd"));
	ASSERT_EQ(0, Send(c, "ef"));
	Flush();
	EXPECT_EQ("D(abcd)D(e)", Poll(server, true));
	leat_transport_consumed(s, 5);
	EXPECT_EQ("D(f)", Poll(server));
}

TEST_F(Loop, JoinWritesIntoNoSegmentThatTheSenderShares)
{
	leat_loop_conf conf = {};

	conf.join_per_1000 = 1000;
	Join(conf);
	Connect();
	rte_mbuf *m = Mbuf(client, "head");
	ASSERT_EQ(0, rte_pktmbuf_chain(m, Mbuf(client, "tail")));
	rte_mbuf_refcnt_update(m, 1);
	ASSERT_EQ(0, leat_transport_send(c, m));
	Flush();
	EXPECT_EQ("D(headtail)", Poll(server));
	EXPECT_EQ(4, m->data_len);
	rte_pktmbuf_free(m);
}

TEST_F(Loop, DelaySkipsBursts)
{
	leat_loop_conf conf = {};

	conf.delay_per_1000 = 1000;
	Join(conf);
	ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
	for (int i = 0; i < 100; i++)
		EXPECT_EQ("", Poll(server));
}

TEST_F(Loop, NobufsRefusesASendAndOwesWritable)
{
	leat_loop_conf conf = {};

	conf.nobufs_per_1000 = 1000;
	Join({}, conf);
	Connect();
	EXPECT_EQ(-ENOBUFS, Send(c, "x"));
	EXPECT_EQ("W", Poll(client));
}

TEST_F(Loop, AllocFailGivesNoMbuf)
{
	leat_loop_conf conf = {};

	conf.alloc_fail_per_1000 = 1000;
	Join({}, conf);
	EXPECT_EQ(nullptr, leat_transport_tx_alloc(client));
}

TEST_F(Loop, ResetEndsBothInsteadOfADelivery)
{
	leat_loop_conf conf = {};
	std::string reset = "C(" + std::to_string(-ECONNRESET) + ")";

	conf.reset_per_1000 = 1000;
	Join(conf);
	Connect();
	ASSERT_EQ(0, Send(c, "x"));
	Flush();
	EXPECT_EQ(reset, Poll(server));
	EXPECT_EQ(reset, Poll(client));
}

} // namespace
