// SPDX-License-Identifier: BSD-3-Clause

// Whose connection ends when mbufs run short.

#include <cerrno>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetRelief : public InetLab
{
      protected:
	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// A connection whose peer has closed its window before @p len bytes of reply.
	leat_inet_conn *AcceptStalled(uint16_t sport, size_t len)
	{
		leat_inet_conn *conn = Accept(sport);
		Tcp closed = FromPeer(LEAT_TCP_ACK);

		closed.wnd = 0;
		Input({ closed.Build() });
		EXPECT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(len, 's'))));
		EXPECT_TRUE(OutputTcp().empty());
		return conn;
	}

	// So long that windows are probed.
	void Linger()
	{
		Wait(kSecondUs / 2);
		(void)OutputTcp();
	}

	// One look at all the slots. @return what was closed, or null.
	leat_inet_conn *Relieve(bool any)
	{
		for (uint32_t i = 0; i < conf_.nb_conns_max; i += LEAT_INET_RELIEF_SLOTS)
			leat_inet_relieve(inet_, now_us_, any);
		std::vector<leat_inet_event> events = Events();

		if (events.empty())
			return nullptr;
		EXPECT_EQ(1u, events.size());
		EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
		EXPECT_EQ(-ENOBUFS, events[0].error);
		return events[0].conn;
	}
};

TEST_F(InetRelief, OfThoseThatTakeNothingTheOneThatHoldsMostIsReset)
{
	OpenListening();
	AcceptStalled(40001, 100);
	leat_inet_conn *most = AcceptStalled(40002, 900);
	AcceptStalled(40003, 500);

	EXPECT_EQ(nullptr, Relieve(false)) << "it may be a moment only";
	Linger();
	EXPECT_EQ(most, Relieve(false));
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(40002, out[0].ports.dst);
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(1u, Stats().tcp_relieved);
	EXPECT_EQ(2u, leat_inet_nb_conns(inet_));
}

TEST_F(InetRelief, OneThatMakesProgressIsSparedUnlessAnyMayEnd)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(1000, 'p'))));
	ASSERT_EQ(1u, OutputTcp().size());
	EXPECT_EQ(nullptr, Relieve(false));
	EXPECT_EQ(conn, Relieve(true));
}

TEST_F(InetRelief, OneWhoseReplyTimedOutTwiceIsStalled)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply")));
	ASSERT_EQ(1u, OutputTcp().size());
	Wait(kSecondUs / 4);
	ASSERT_EQ(1u, OutputTcp().size());
	EXPECT_EQ(nullptr, Relieve(false)) << "one loss is no stall";
	Wait(kSecondUs);
	EXPECT_EQ(conn, Relieve(false));
}

TEST_F(InetRelief, OneThatHoldsNothingIsSpared)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	EXPECT_EQ(nullptr, Relieve(true));
}

// Its end would bring back hardly an mbuf.
TEST_F(InetRelief, TextOutsideOfMbufsCountsLittle)
{
	static std::string bytes(4000, 'x');
	rte_mbuf_ext_shared_info shared = {};

	shared.free_cb = [](void *, void *) {};
	rte_mbuf_ext_refcnt_set(&shared, 1);
	OpenListening();
	leat_inet_conn *outside = AcceptStalled(40001, 1);
	leat_inet_conn *most = AcceptStalled(40002, 500);

	rte_mbuf *window = Text("w");
	rte_pktmbuf_attach_extbuf(window, bytes.data(), 0, (uint16_t)bytes.size(), &shared);
	window->data_len = (uint16_t)bytes.size();
	window->pkt_len = (uint32_t)bytes.size();
	ASSERT_EQ(0, leat_inet_send(inet_, outside, window));
	Linger();
	EXPECT_EQ(most, Relieve(false));
	Linger();
	EXPECT_EQ(outside, Relieve(false));
}

TEST_F(InetRelief, UnreadTextOfAStalledPeerCounts)
{
	OpenListening();
	AcceptStalled(40001, 500);
	leat_inet_conn *most = AcceptStalled(40002, 100);

	Tcp text = FromPeer(LEAT_TCP_ACK, std::string(1000, 'u'));
	text.wnd = 0;
	Input({ text.Build() });
	for (const leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf); // taken, and not consumed
	Linger();
	EXPECT_EQ(most, Relieve(false));
}

TEST_F(InetRelief, EachCallLooksAtSoManySlotsAndTheLastOfAPassChooses)
{
	conf_.nb_conns_max = LEAT_INET_RELIEF_SLOTS + 1;
	OpenListening();
	AcceptStalled(kPeerPort, 100);
	Linger();
	EXPECT_FALSE(leat_inet_relieve(inet_, now_us_, false));
	EXPECT_TRUE(Events().empty());
	EXPECT_TRUE(leat_inet_relieve(inet_, now_us_, false));
	EXPECT_EQ(1u, Events().size());
}

} // namespace
