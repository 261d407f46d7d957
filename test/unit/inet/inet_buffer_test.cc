// SPDX-License-Identifier: BSD-3-Clause

// Who gets the last buffers, and who is turned away before.

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

constexpr uint32_t kNbRx = 511; // mbufs to receive with
// Frames that handshakes, attached text and segments leave to those before them.
constexpr uint32_t kForNew = 128, kForCookies = 96, kForText = 64, kForSegments = 32;
constexpr uint16_t kHostile = 20000;

class InetBuffer : public InetLab
{
      protected:
	void SetUp() override
	{
		InetLab::SetUp();
		rx_ = rte_pktmbuf_pool_create("inet_rx", kNbRx, 0, 0, 2176, 0);
		ASSERT_NE(nullptr, rx_);
		text_ = rte_pktmbuf_pool_create("inet_text", kNbRx, 0, 0, 2176, 0);
		ASSERT_NE(nullptr, text_);
		conf_.rx_pool = rx_;
		conf_.text_pool = text_;
	}

	void TearDown() override
	{
		rte_pktmbuf_free_bulk(taken_.data(), (unsigned int)taken_.size());
		for (rte_mbuf *mbuf : held_)
			rte_pktmbuf_free(mbuf);
		InetLab::TearDown();
		for (rte_mempool *pool : { rx_, text_ }) {
			EXPECT_EQ(kNbRx, rte_mempool_avail_count(pool)) << "mbufs leaked";
			rte_mempool_free(pool);
		}
	}

	void OpenListening()
	{
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// Somebody else has all mbufs of a pool but so many.
	void Leave(rte_mempool *pool, uint32_t nb)
	{
		while (rte_mempool_avail_count(pool) > nb)
			taken_.push_back(rte_pktmbuf_alloc(pool));
	}

	void GiveBack()
	{
		rte_pktmbuf_free_bulk(taken_.data(), (unsigned int)taken_.size());
		taken_.clear();
	}

	// As from the port: in an mbuf to receive with. False: the port had none.
	bool Arrive(const Frame &frame)
	{
		rte_mbuf *mbuf = rte_pktmbuf_alloc(rx_);

		if (mbuf == nullptr)
			return false;
		memcpy(rte_pktmbuf_append(mbuf, (uint16_t)frame.size()), frame.data(),
			frame.size());
		leat_inet_input(inet_, now_us_, &mbuf, 1);
		return true;
	}

	// An established connection whose peer has the number kHostile + i.
	void AcceptHostile(uint16_t i)
	{
		ASSERT_NE(nullptr, Accept((uint16_t)(kHostile + i)));
		hostile_.push_back(FromPeer(LEAT_TCP_ACK));
	}

	// The user takes text and keeps it, as one whose reply cannot leave.
	void TakeAndKeep()
	{
		std::vector<leat_inet_event> events;

		do {
			events = Events();
			for (const leat_inet_event &event : events)
				if (event.mbuf != nullptr)
					held_.push_back(event.mbuf);
		} while (!events.empty());
	}

	// A request and its reply.
	void ExpectEcho(leat_inet_conn *conn, const std::string &text)
	{
		ASSERT_TRUE(Arrive(FromPeer(LEAT_TCP_ACK | LEAT_TCP_PSH, text).Build()));
		std::vector<leat_inet_event> events = Events();
		ASSERT_EQ(1u, events.size());
		ASSERT_EQ(LEAT_INET_DATA, events[0].type);
		EXPECT_EQ(conn, events[0].conn);
		EXPECT_EQ(text.size(), events[0].mbuf->pkt_len);
		rte_pktmbuf_free(events[0].mbuf);
		leat_inet_consumed(inet_, conn, (uint32_t)text.size());
		ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
		std::vector<SeenTcp> out = OutputTcp();
		ASSERT_EQ(1u, out.size());
		EXPECT_EQ(text, out[0].text);
		peer_ack_ += (uint32_t)text.size();
		ASSERT_TRUE(Arrive(FromPeer(LEAT_TCP_ACK).Build()));
	}

	// Whether a SYN is answered.
	bool Knock(uint16_t sport)
	{
		Tcp syn = { LEAT_TCP_SYN };

		syn.sport = sport;
		syn.mss = 1460;
		EXPECT_TRUE(Arrive(syn.Build()));
		return !Output().empty();
	}

	rte_mempool *rx_ = nullptr, *text_ = nullptr;
	std::vector<rte_mbuf *> taken_, held_;
	std::vector<Tcp> hostile_;
};

TEST_F(InetBuffer, FramesForHandshakesEndFirst)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	Leave(pool_, kForNew + 1);
	EXPECT_TRUE(Knock(2000));
	EXPECT_EQ(0u, Stats().tcp_begin_refused);
	uint32_t nb_conns = leat_inet_nb_conns(inet_);
	Leave(pool_, kForNew);
	EXPECT_TRUE(Knock(2001)) << "a cookie";
	EXPECT_EQ(1u, Stats().tcp_begin_refused);
	EXPECT_EQ(1u, Stats().tcp_cookies_sent);
	Leave(pool_, kForCookies + 1);
	EXPECT_TRUE(Knock(2002));
	EXPECT_EQ(2u, Stats().tcp_cookies_sent);
	EXPECT_EQ(0u, Stats().tx_no_mbuf_new);
	Leave(pool_, kForCookies);
	EXPECT_FALSE(Knock(2003)) << "neither SYN-ACK nor cookie";
	EXPECT_EQ(3u, Stats().tcp_begin_refused);
	EXPECT_EQ(2u, Stats().tcp_cookies_sent);
	EXPECT_EQ(1u, Stats().tx_no_mbuf_new);
	EXPECT_EQ(nb_conns, leat_inet_nb_conns(inet_));
	ExpectEcho(conn, "established");
	EXPECT_EQ(0u, Stats().tx_no_mbuf);
	GiveBack();
	EXPECT_TRUE(Knock(2003));
	EXPECT_EQ(nb_conns + 1, leat_inet_nb_conns(inet_));
}

// SYN floods leave the frames alone that established connections live on.
TEST_F(InetBuffer, CookiesOfABurstEndAtTheirLimit)
{
	OpenListening();
	Leave(pool_, kForCookies + 2);
	std::vector<Frame> syns;

	for (uint16_t i = 0; i < 10; i++) {
		Tcp syn = { LEAT_TCP_SYN };

		syn.sport = (uint16_t)(3000 + i);
		syns.push_back(syn.Build());
	}
	std::vector<rte_mbuf *> burst;
	for (const Frame &frame : syns) {
		burst.push_back(rte_pktmbuf_alloc(rx_));
		memcpy(rte_pktmbuf_append(burst.back(), (uint16_t)frame.size()), frame.data(),
			frame.size());
	}
	leat_inet_input(inet_, now_us_, burst.data(), (uint16_t)burst.size());
	EXPECT_EQ(2u, Stats().tcp_cookies_sent);
	EXPECT_EQ(8u, Stats().tx_no_mbuf_new);
	EXPECT_EQ(2u, OutputTcp().size());
}

TEST_F(InetBuffer, ThenTextIsCopiedInsteadOfAttached)
{
	conf_.offloads.tx_multi_seg = true;
	OpenListening();
	leat_inet_conn *conn = Accept();
	std::string text(1000, 't');

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	Leave(pool_, kForText + 2);
	EXPECT_EQ(text, OutputTcp().at(0).text);
	EXPECT_EQ(1u, Stats().tx_text_attached);
	GiveBack();
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text(text)));
	Leave(pool_, kForText + 1);
	EXPECT_EQ(text, OutputTcp().at(0).text);
	EXPECT_EQ(1u, Stats().tx_text_attached);
	EXPECT_EQ(1u, Stats().tx_no_mbuf_text);
}

TEST_F(InetBuffer, ThenSegmentsAndControlFramesHaveTheLast)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("owed")));
	Leave(pool_, kForSegments);
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tx_no_mbuf);
	ASSERT_TRUE(Arrive(BuildEcho(1, "still there?")));
	EXPECT_EQ(1u, Output().size()) << "the echo reply, not the segment";
	Leave(pool_, kForSegments - 1);
	GiveBack();
	EXPECT_EQ("owed", OutputTcp().at(0).text);
	Leave(pool_, 0);
	ASSERT_TRUE(Arrive(BuildEcho(2, "and now?")));
	EXPECT_TRUE(Output().empty());
	EXPECT_EQ(1u, Stats().tx_no_mbuf_control);
}

TEST_F(InetBuffer, NobodyWaitsBehindAHandshake)
{
	OpenListening();
	leat_inet_conn *conn = Accept();
	leat_inet_conn *active;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &active));
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply")));
	Leave(pool_, kForNew);
	EXPECT_EQ("reply", OutputTcp().at(0).text);
	EXPECT_EQ(1u, Stats().tx_no_mbuf_new);
	GiveBack();
	std::vector<SeenTcp> out = OutputTcp();
	ASSERT_EQ(1u, out.size());
	EXPECT_EQ(LEAT_TCP_SYN, out[0].seg.flags);
}

TEST_F(InetBuffer, FramesThatWaitForNeighboursAreLimitedInAll)
{
	conf_.nb_neighbours_max = 250;
	conf_.cookies = LEAT_INET_COOKIES_NEVER;
	conf_.nb_conns_max = 1000;
	OpenListening();
	for (uint32_t i = 0; i < 200; i++) { // strangers on our link who do not answer
		Tcp ack = { LEAT_TCP_SYN };

		ack.ip.src = 0x0a4d0010 + i;
		ack.sport = (uint16_t)(1000 + i);
		ASSERT_TRUE(Arrive(ack.Build()));
		for (const Frame &frame : Output()) {
			leat_arp arp;

			EXPECT_TRUE(IsArp(frame, &arp));
		}
	}
	EXPECT_EQ(kNbMbufs / 8, kNbMbufs - rte_mempool_avail_count(pool_));
	EXPECT_EQ(200u - kNbMbufs / 8, Stats().nbr_queue_full);
	leat_inet_conn *conn = Accept();
	ExpectEcho(conn, "established");
}

TEST_F(InetBuffer, WhoWouldBeginIsTurnedAwayWhileAnyPoolIsLow)
{
	const std::pair<rte_mempool *, unsigned int> lows[] = { { rx_, kNbRx / 8 },
		{ text_, kNbRx / 16 } };

	for (auto [pool, low] : lows) {
		OpenListening();
		leat_inet_conn *conn = Accept();

		Leave(pool, low + 1); // one of them for the SYN itself
		EXPECT_TRUE(Knock(2000));
		EXPECT_EQ(0u, Stats().tcp_cookies_sent);
		Leave(pool, low - 1);
		EXPECT_TRUE(Knock(2001));
		EXPECT_EQ(1u, Stats().tcp_cookies_sent) << "nothing is kept of it";
		EXPECT_EQ(1u, Stats().tcp_begin_refused);
		EXPECT_EQ(1u, Stats().tcp_begin_starved);
		ExpectEcho(conn, "established");
		GiveBack();
		Close();
	}
}

// It stays in the mbufs that it arrived in, of which there are more than those of the stack's
// own frames: a few peers with holes shall not use up the share of all.
TEST_F(InetBuffer, EarlyTextHasAShareOfTheMbufsThatReceive)
{
	leat_stat_set sets[LEAT_INET_STAT_SETS];
	uint64_t nb_left = 0;

	ASSERT_NE(kNbRx, pool_->size);
	OpenListening();
	leat_inet_stat_sets(inet_, sets);
	for (const leat_stat_set &set : sets) {
		for (uint32_t i = 0; i < set.nb_defs; i++) {
			if (strcmp(set.defs[i].name, "nb_reass_left") == 0)
				nb_left = leat_stat_read(&set, &set.defs[i]);
		}
	}
	EXPECT_EQ(kNbRx / 4, nb_left);
}

TEST_F(InetBuffer, ACookieIsTakenOnceThereAreBuffersAgain)
{
	for (rte_mempool *pool : { text_, pool_ }) {
		OpenListening();
		Leave(pool, pool == pool_ ? kForNew : 0);
		Tcp syn = { LEAT_TCP_SYN };
		syn.seq = 1000;
		syn.mss = 1460;
		ASSERT_TRUE(Arrive(syn.Build()));
		std::vector<SeenTcp> out = OutputTcp();
		ASSERT_EQ(1u, out.size());
		EXPECT_EQ(1u, Stats().tcp_begin_refused);
		peer_seq_ = 1001;
		peer_ack_ = out[0].seg.seq + 1;
		Tcp text = FromPeer(LEAT_TCP_ACK, "hello");
		ASSERT_TRUE(Arrive(text.Build()));
		EXPECT_TRUE(Events().empty());
		EXPECT_TRUE(Output().empty()) << "no RST: it will come again";
		EXPECT_EQ(2u, Stats().tcp_begin_refused);
		EXPECT_EQ(0u, leat_inet_nb_conns(inet_));
		GiveBack();
		ASSERT_TRUE(Arrive(text.Build()));
		EXPECT_EQ(1u, Stats().tcp_cookies_accepted);
		TakeAndKeep();
		ASSERT_EQ(1u, held_.size());
		rte_pktmbuf_free(held_[0]);
		held_.clear();
		Close();
	}
}

TEST_F(InetBuffer, WhileFewAreLeftToReceiveWithOnlyTextInOrderIsKept)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Tcp early = FromPeer(LEAT_TCP_ACK, "early");

	early.seq += 100;
	Leave(rx_, kNbRx / 8 - 1);
	ASSERT_TRUE(Arrive(early.Build()));
	EXPECT_EQ(1u, Stats().rx_text_refused);
	EXPECT_EQ(kNbRx / 8 - 1, rte_mempool_avail_count(rx_));
}

TEST_F(InetBuffer, WhileFewAreLeftNoConnectionKeepsMuch)
{
	OpenListening();
	ASSERT_NE(nullptr, Accept());
	Leave(rx_, kNbRx / 8 - 1);
	for (uint32_t len = 0; len < LEAT_INET_UNREAD_LOW_MAX; len += 1024) {
		ASSERT_TRUE(Arrive(FromPeer(LEAT_TCP_ACK, std::string(1024, 'u')).Build()));
		(void)Output();
		EXPECT_EQ(0u, Stats().rx_text_refused) << len;
	}
	ASSERT_TRUE(Arrive(FromPeer(LEAT_TCP_ACK, "more").Build()));
	EXPECT_EQ(1u, Stats().rx_text_refused);
	TakeAndKeep();
}

TEST_F(InetBuffer, TheLastOnesToReceiveWithAreForAcks)
{
	OpenListening();
	leat_inet_conn *conn = Accept();

	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply")));
	ASSERT_EQ(1u, OutputTcp().size());
	uint32_t nb_frames = rte_mempool_avail_count(pool_);
	peer_ack_ += 5;
	Tcp text = FromPeer(LEAT_TCP_ACK | LEAT_TCP_FIN, "next");
	Leave(rx_, 1);
	ASSERT_TRUE(Arrive(text.Build()));
	EXPECT_EQ(1u, Stats().rx_text_refused);
	EXPECT_EQ(nb_frames + 1, rte_mempool_avail_count(pool_)) << "the reply was acknowledged";
	EXPECT_EQ(1u, rte_mempool_avail_count(rx_));
	EXPECT_TRUE(Events().empty());
	GiveBack();
	ASSERT_TRUE(Arrive(text.Build())); // sent again, as if it had been lost
	std::vector<leat_inet_event> events = Events();
	ASSERT_EQ(2u, events.size());
	EXPECT_EQ(4u, events[0].mbuf->pkt_len);
	EXPECT_EQ(LEAT_INET_EOF, events[1].type);
	rte_pktmbuf_free(events[0].mbuf);
}

// Peers that send requests and never take a reply: their text stays unread.
TEST_F(InetBuffer, PeersThatStuffTheReceivePoolDoNotStopOthers)
{
	OpenListening();
	for (uint16_t i = 0; i < 16; i++)
		AcceptHostile(i);
	leat_inet_conn *conn = Accept();
	Tcp honest = FromPeer(LEAT_TCP_ACK);

	for (int round = 0; round < 64; round++) {
		for (Tcp &peer : hostile_) {
			peer.text = std::string(1000, 'h');
			ASSERT_TRUE(Arrive(peer.Build())) << "the port has none left";
			peer.seq += 1000;
			TakeAndKeep();
			(void)Output();
		}
	}
	EXPECT_LT(0u, Stats().rx_text_refused);
	EXPECT_GE(kNbRx - kNbRx / 16 + 1, held_.size());
	sport_ = honest.sport;
	for (int i = 0; i < 8; i++)
		ExpectEcho(conn, "honest " + std::to_string(i));
	EXPECT_TRUE(Knock(2000)) << "by a cookie";
	EXPECT_EQ(1u, Stats().tcp_begin_refused);
}

TEST_F(InetBuffer, PeersThatSendOutOfOrderDoNotStopOthers)
{
	conf_.tcp.nb_reass_max = 256;
	OpenListening();
	for (uint16_t i = 0; i < 8; i++)
		AcceptHostile(i);
	leat_inet_conn *conn = Accept();

	for (int round = 0; round < 128; round++) {
		for (Tcp &peer : hostile_) {
			peer.seq += 1000; // every other segment is missing
			peer.text = std::string(400, 'h');
			ASSERT_TRUE(Arrive(peer.Build())) << "the port has none left";
			(void)Output();
		}
	}
	sport_ = kPeerPort;
	for (int i = 0; i < 8; i++)
		ExpectEcho(conn, "honest " + std::to_string(i));
}

TEST_F(InetBuffer, PeersThatSendSingleBytesHoldFewMbufs)
{
	OpenListening();
	for (uint16_t i = 0; i < 8; i++)
		AcceptHostile(i);
	leat_inet_conn *conn = Accept();

	for (int round = 0; round < 1000; round++) {
		for (Tcp &peer : hostile_) {
			peer.text = "1";
			ASSERT_TRUE(Arrive(peer.Build())) << "the port has none left";
			peer.seq++;
			(void)Output();
		}
	}
	EXPECT_LE(kNbRx - 8 * 2, rte_mempool_avail_count(rx_));
	EXPECT_EQ(0u, Stats().rx_text_refused);
	TakeAndKeep();
	sport_ = kPeerPort;
	ExpectEcho(conn, "honest");
}

} // namespace
