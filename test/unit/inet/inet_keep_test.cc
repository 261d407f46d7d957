// SPDX-License-Identifier: BSD-3-Clause

// Keep-alives per listener and other limits of a peer that is silent, over the user's calls.

#include <cerrno>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

class InetKeep : public InetLab
{
      protected:
	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	int Keepalive(uint32_t idle_s, uint32_t interval_s = 10, uint8_t nb_probes = 2,
		uint16_t port = kPort)
	{
		leat_inet_keepalive keepalive = { idle_s, interval_s, nb_probes };

		return leat_inet_set_keepalive(inet_, V4(0), port, &keepalive);
	}

	// Seconds until the next segment leaves or an event comes; at most @p max.
	int SecondsOfSilence(int max, std::vector<SeenTcp> *out)
	{
		for (int i = 1; i <= max; i++) {
			Wait(kSecondUs);
			*out = OutputTcp();
			if (!out->empty())
				return i;
		}
		return max + 1;
	}
};

TEST_F(InetKeep, ProbesThenEndsASilentPeer)
{
	OpenListening();
	ASSERT_EQ(0, Keepalive(60));
	ASSERT_NE(nullptr, Accept());
	std::vector<SeenTcp> out;

	EXPECT_NEAR(60, SecondsOfSilence(100, &out), 1);
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(peer_ack_ - 1, out[0].seg.seq);
	EXPECT_NEAR(10, SecondsOfSilence(100, &out), 1);
	Wait(11 * kSecondUs);
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
	EXPECT_EQ(-ETIMEDOUT, events[0].error);
}

TEST_F(InetKeep, PeerThatAnswersStays)
{
	OpenListening();
	ASSERT_EQ(0, Keepalive(60));
	ASSERT_NE(nullptr, Accept());
	std::vector<SeenTcp> out;

	for (int i = 0; i < 5; i++) {
		ASSERT_LE(SecondsOfSilence(100, &out), 100) << i;
		Input({ FromPeer(LEAT_TCP_ACK).Build() });
	}
	EXPECT_TRUE(Events().empty());
}

TEST_F(InetKeep, AreOffByDefaultAndEachListenerHasItsOwn)
{
	OpenListening();
	ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort + 1, nullptr));
	ASSERT_EQ(0, Keepalive(30, 10, 2, kPort + 1));
	ASSERT_NE(nullptr, Accept());
	std::vector<SeenTcp> out;

	EXPECT_EQ(101, SecondsOfSilence(100, &out));
}

TEST_F(InetKeep, ConnectionKeepsThoseThatItWasAcceptedWith)
{
	OpenListening();
	ASSERT_EQ(0, Keepalive(60));
	ASSERT_NE(nullptr, Accept());
	ASSERT_EQ(0, Keepalive(0));
	ASSERT_EQ(0, leat_inet_unlisten(inet_, V4(0), kPort));
	std::vector<SeenTcp> out;

	EXPECT_NEAR(60, SecondsOfSilence(100, &out), 1);
}

TEST_F(InetKeep, RefusesWhatCannotBe)
{
	OpenListening();
	EXPECT_EQ(-ENOENT, Keepalive(60, 10, 2, kPort + 1));
	EXPECT_EQ(-EINVAL, Keepalive(LEAT_TCP_KEEP_MAX_S + 1));
	EXPECT_EQ(-EINVAL, Keepalive(60, 0));
	EXPECT_EQ(-EINVAL, Keepalive(60, LEAT_TCP_KEEP_MAX_S + 1));
	EXPECT_EQ(-EINVAL, Keepalive(60, 10, 0));
	EXPECT_EQ(0, Keepalive(LEAT_TCP_KEEP_MAX_S, LEAT_TCP_KEEP_MAX_S, 255));
	for (uint32_t i = 1; i < LEAT_INET_LISTENERS_MAX; i++)
		EXPECT_EQ(0, Keepalive(i));
	EXPECT_EQ(-ENOSPC, Keepalive(1000));
	EXPECT_EQ(0, Keepalive(1)) << "as once before";
}

// RFC 9293 section 3.6: the peer must learn that its text was lost.
TEST_F(InetKeep, AbortWithUnreadTextResets)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	Input({ FromPeer(LEAT_TCP_ACK, "unread").Build() });

	leat_inet_abort(inet_, conn);
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_RST | LEAT_TCP_ACK, out[0].seg.flags);
	EXPECT_EQ(peer_ack_, out[0].seg.seq);
	for (const leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
}

// The peer acknowledges our FIN and never sends its own.
TEST_F(InetKeep, FinWait2HasALimit)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	leat_inet_shutdown(inet_, conn);
	(void)Output();
	peer_ack_++;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	Wait(conf_.tcp.fin_wait_2_us - 1000);
	EXPECT_TRUE(Events().empty());
	Wait(2000);
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(-ETIMEDOUT, events[0].error);
	Input({});
	EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
}

// The peer is gone: nothing that we sent, nor our FIN, is acknowledged.
TEST_F(InetKeep, ConnectionThatWeClosedAndNobodyAcknowledgesHasALimit)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply")));
	leat_inet_shutdown(inet_, conn);
	uint64_t start = now_us_;
	std::vector<leat_inet_event> events;

	while (events.empty() && now_us_ < start + 600 * (uint64_t)kSecondUs) {
		(void)Output();
		Wait(kSecondUs);
		events = Events();
	}
	ASSERT_EQ(1u, events.size());
	EXPECT_EQ(-ETIMEDOUT, events[0].error);
	EXPECT_NEAR((double)(start + conf_.tcp.fin_wait_2_us), (double)now_us_, 2e6);
}

// A peer that takes our reply slowly is not gone: each ACK of something new starts anew.
TEST_F(InetKeep, LimitAfterOurFinIsOfSilenceAndNotOfTime)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(std::string(1000, 'x'))));
	leat_inet_shutdown(inet_, conn);
	(void)Output();
	for (int i = 0; i < 10; i++) {
		Wait(conf_.tcp.fin_wait_2_us / 2);
		(void)Output();
		peer_ack_ += 100;
		Input({ FromPeer(LEAT_TCP_ACK).Build() });
		EXPECT_TRUE(Events().empty()) << i;
	}
	EXPECT_EQ(1u, leat_inet_nb_conns(inet_));
}

} // namespace
