// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "loop_fixture.h"

namespace
{

// One end of a stream: sends the bytes of a counter, checks what arrives, shuts down
// when all is sent, and checks the order of its events.
struct StreamEnd {
	leat_conn *conn = nullptr;
	uint32_t sent = 0;
	uint32_t received = 0;
	uint32_t unconsumed = 0;
	bool blocked = false;
	bool is_open = false;
	bool is_eof = false;
	bool is_shut = false;
	bool is_closed = false;
	int32_t error = 0;
};

class LoopStream : public Loop
{
      protected:
	static constexpr uint32_t kLen = 20000;
	static constexpr uint32_t kWindow = 1500;

	static uint8_t Byte(uint32_t pos)
	{
		return (uint8_t)(pos * 31 + (pos >> 8));
	}

	void Input(StreamEnd &end, leat_transport *xp)
	{
		leat_transport_event ev[kBurst];
		uint16_t nb = leat_transport_rx_burst(xp, 0, ev, kBurst);

		for (uint16_t i = 0; i < nb; i++)
			Event(end, ev[i]);
	}

	void Event(StreamEnd &end, const leat_transport_event &ev)
	{
		ASSERT_FALSE(end.is_closed);
		ASSERT_EQ(ev.type == LEAT_TRANSPORT_DATA, ev.mbuf != nullptr);
		switch (ev.type) {
		case LEAT_TRANSPORT_OPEN:
			ASSERT_FALSE(end.is_open);
			end.is_open = true;
			end.conn = ev.conn;
			return;
		case LEAT_TRANSPORT_DATA:
			ASSERT_TRUE(end.is_open);
			ASSERT_FALSE(end.is_eof);
			Data(end, ev.mbuf);
			return;
		case LEAT_TRANSPORT_WRITABLE:
			ASSERT_TRUE(end.blocked);
			end.blocked = false;
			return;
		case LEAT_TRANSPORT_EOF:
			ASSERT_TRUE(end.is_open);
			ASSERT_FALSE(end.is_eof);
			end.is_eof = true;
			return;
		default:
			end.is_closed = true;
			end.error = ev.error;
		}
	}

	void Data(StreamEnd &end, rte_mbuf *chain)
	{
		ASSERT_GT(chain->pkt_len, 0u);
		for (rte_mbuf *m = chain; m != nullptr; m = m->next) {
			ASSERT_GT(m->data_len, 0);
			for (uint16_t i = 0; i < m->data_len; i++, end.received++)
				ASSERT_EQ(Byte(end.received),
					rte_pktmbuf_mtod(m, const uint8_t *)[i]);
		}
		end.unconsumed += chain->pkt_len;
		ASSERT_LE(end.unconsumed, kWindow);
		rte_mbuf_sanity_check(chain, 1);
		rte_pktmbuf_free(chain);
	}

	void Output(StreamEnd &end, uint32_t chunk_len)
	{
		uint32_t len = std::min(kLen - end.sent, chunk_len);

		if (!end.is_open || end.is_closed || end.is_shut)
			return;
		leat_transport_consumed(end.conn, end.unconsumed / 2);
		end.unconsumed -= end.unconsumed / 2;
		if (end.unconsumed == 1) {
			leat_transport_consumed(end.conn, 1);
			end.unconsumed = 0;
		}
		if (len == 0) {
			leat_transport_shutdown(end.conn);
			end.is_shut = true;
			return;
		}
		rte_mbuf *m = end.blocked ? nullptr : leat_transport_tx_alloc(end.conn->transport);
		if (m == nullptr)
			return;
		char *p = rte_pktmbuf_append(m, (uint16_t)len);
		for (uint32_t i = 0; i < len; i++)
			p[i] = (char)Byte(end.sent + i);
		if (leat_transport_send(end.conn, m) < 0) {
			end.blocked = true;
			rte_pktmbuf_free(m);
			return;
		}
		end.sent += len;
	}

	void Consume(StreamEnd &end)
	{
		if (!end.is_open || end.is_closed)
			return;
		leat_transport_consumed(end.conn, end.unconsumed);
		end.unconsumed = 0;
	}

	// Two streams through a pair with these faults, until both ends are closed.
	void Run(leat_loop_conf conf)
	{
		StreamEnd a;
		StreamEnd b;

		conf.window = kWindow;
		conf.sendq_len = 4000;
		leat_loop_conf other = conf;
		other.seed = ~conf.seed;
		Join(conf, other);
		ASSERT_EQ(0, client->ops->connect(client, &at, nullptr, &c));
		for (int turn = 0; !a.is_closed || !b.is_closed; turn++) {
			ASSERT_LT(turn, 100000) << "no end";
			Input(a, client);
			Input(b, server);
			Output(a, 1 + (uint32_t)turn * 7 % 900);
			Output(b, 1 + (uint32_t)turn * 13 % 1700);
			if (turn % 3 == 0)
				Consume(a);
			if (turn % 2 == 0)
				Consume(b);
			Flush();
			if (HasFatalFailure())
				return;
		}
		EXPECT_EQ(0u, leat_transport_loop_nb_conns(client));
		EXPECT_EQ(0u, leat_transport_loop_nb_conns(server));
		EXPECT_EQ(a.error == 0, b.error == 0);
		if (conf.reset_per_1000 > 0)
			return;
		EXPECT_EQ(0, a.error);
		EXPECT_TRUE(a.is_eof);
		EXPECT_TRUE(b.is_eof);
		EXPECT_EQ(kLen, a.received);
		EXPECT_EQ(kLen, b.received);
	}

	void Fresh()
	{
		TearDown();
		client = server = nullptr;
		SetUp();
	}
};

TEST_F(LoopStream, IsWholeUnderEveryFaultButResetForEverySeed)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		SCOPED_TRACE("seed " + std::to_string(seed));
		leat_loop_conf conf = {};
		conf.seed = seed;
		conf.split_per_1000 = (uint16_t)(seed * 17 % 400);
		conf.join_per_1000 = (uint16_t)(seed * 29 % 600);
		conf.delay_per_1000 = (uint16_t)(seed * 37 % 500);
		conf.nobufs_per_1000 = (uint16_t)(seed * 41 % 500);
		conf.alloc_fail_per_1000 = (uint16_t)(seed * 43 % 500);
		Fresh();
		ASSERT_NO_FATAL_FAILURE(Run(conf));
	}
}

TEST_F(LoopStream, LeavesNothingBehindAfterAResetForEverySeed)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		SCOPED_TRACE("seed " + std::to_string(seed));
		leat_loop_conf conf = {};
		conf.seed = seed;
		conf.split_per_1000 = 200;
		conf.join_per_1000 = 200;
		conf.reset_per_1000 = 10;
		Fresh();
		ASSERT_NO_FATAL_FAILURE(Run(conf));
	}
}

} // namespace
