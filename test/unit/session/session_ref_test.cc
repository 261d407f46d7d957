// SPDX-License-Identifier: BSD-3-Clause

// Replies that refer to what is stored instead of copying it.

#include "session_fixture.h"

namespace
{

using namespace session_test;

constexpr uint32_t kNbRefs = 64;

class SessionRef : public Session
{
      protected:
	SessionRef()
	{
		Close(); // and once more, with references
		EXPECT_EQ(0, leat_session_ref_pool("session_refs", kNbRefs, -1, &ref_pool_));
		Open(4u << 20);
	}

	void Set(const std::string &key, const std::string &value)
	{
		leat_slice k = { (const uint8_t *)key.data(), key.size() };
		leat_slice v = { (const uint8_t *)value.data(), value.size() };

		ASSERT_EQ(0, leat_store_set_string(ctx_->command.store, k, nullptr, v,
				     LEAT_STORE_NO_EXPIRY, nullptr, ctx_->command.now_us));
	}

	static std::string Value(size_t len, unsigned int seed = 0)
	{
		std::string value(len, '\0');

		for (size_t i = 0; i < len; i++)
			value[i] = (char)('a' + (i * 7 + i / 1000 + seed) % 26);
		return value;
	}

	uint32_t NbRefsInUse() const
	{
		return rte_mempool_in_use_count(ref_pool_);
	}

	void Turn()
	{
		leat_session_decode_ready(ctx_);
		EndTurn();
	}

	void Writable(FakeConn *conn)
	{
		conn->is_full = false;
		leat_session_decode_ready(ctx_);
		Event(conn, LEAT_TRANSPORT_WRITABLE);
		EndTurn();
	}

	size_t MemUsed() const
	{
		return leat_store_mem_used(ctx_->command.store);
	}
};

TEST_F(SessionRef, AShortValueIsCopied)
{
	FakeConn *conn = Connect();
	const std::string value = Value(LEAT_WRITER_REF_MIN - 1);

	Set("k", value);
	Receive(conn, "GET k\r\n");
	EXPECT_EQ(Bulk(value), conn->sent);
	EXPECT_EQ(0u, ctx_->stats.nb_refs);
}

TEST_F(SessionRef, ALongValueLeavesByReferenceBehindItsHeadInOneSend)
{
	FakeConn *conn = Connect();
	const std::string value = Value(LEAT_WRITER_REF_MIN);

	Set("k", value);
	conn->keeps = true;
	Receive(conn, "GET k\r\n");
	EXPECT_EQ(Bulk(value), conn->sent);
	EXPECT_EQ(1u, conn->nb_sends);
	EXPECT_EQ(1u, ctx_->stats.nb_refs);
	EXPECT_EQ(value.size(), ctx_->stats.refs_len);
	EXPECT_EQ(value.size(), ctx_->stats.refs_held_len);
	EXPECT_EQ(1u, leat_store_nb_lent(ctx_->command.store));
	Acknowledge(conn);
	EXPECT_EQ(0u, ctx_->stats.refs_held_len);
	EXPECT_EQ(0u, leat_store_nb_lent(ctx_->command.store));
	EXPECT_EQ(0u, NbRefsInUse());
}

TEST_F(SessionRef, EverySendOfALargeValueIsFullAndEveryByteRight)
{
	FakeConn *conn = Connect();
	const std::string value = Value(5u << 20);

	Set("k", value);
	Receive(conn, "GET k\r\nPING\r\n");
	Settle();
	EXPECT_EQ(Bulk(value) + "+PONG\r\n", conn->sent);
	ASSERT_GE(conn->lens.size(), 3u);
	for (size_t i = 0; i + 2 < conn->lens.size(); i++)
		EXPECT_GE(conn->lens[i], LEAT_SESSION_SEND_LEN) << i;
	EXPECT_EQ(0u, NbRefsInUse());
	EXPECT_EQ(0u, ctx_->stats.nb_refs_copied);
}

TEST_F(SessionRef, ASlowPeerHoldsAReferenceAndHardlyAnMbuf)
{
	FakeConn *conn = Connect();
	const std::string value = Value(5u << 20);

	Set("k", value);
	conn->is_full = true;
	Receive(conn, "GET k\r\n");
	EXPECT_EQ("", conn->sent);
	EXPECT_LE(NbRefsInUse(), 3u);
	EXPECT_LE(rte_mempool_in_use_count(pool_.Get()), 1u);
	Writable(conn);
	EXPECT_EQ(Bulk(value), conn->sent);
}

TEST_F(SessionRef, AValueThatIsSetWhileItIsSentArrivesWholeAndOld)
{
	FakeConn *conn = Connect();
	FakeConn *other = Connect();
	const std::string value = Value(1u << 20);

	Set("k", value);
	conn->is_full = true;
	Receive(conn, "GET k\r\n");
	Set("k", Value(1u << 20, 1)); // as long: it would fit where the old one is
	Receive(other, "GET k\r\n");
	EXPECT_EQ(Bulk(Value(1u << 20, 1)), other->sent);
	Writable(conn);
	EXPECT_EQ(Bulk(value), conn->sent);
}

TEST_F(SessionRef, AValueThatIsRemovedWhileItIsSentArrivesAndCountsUntilThen)
{
	FakeConn *conn = Connect();
	FakeConn *other = Connect();
	const std::string value = Value(1u << 20);
	size_t used = MemUsed();

	Set("k", value);
	conn->keeps = true;
	Receive(conn, "GET k\r\n");
	Receive(other, "DEL k\r\n");
	EXPECT_EQ(":1\r\n", other->sent);
	EXPECT_GT(MemUsed(), used + value.size()) << "dead, and still held";
	EXPECT_EQ(Bulk(value), conn->sent);
	Acknowledge(conn);
	EXPECT_EQ(used, MemUsed());
}

TEST_F(SessionRef, AllThatIsFlushedWhileItIsSentArrives)
{
	FakeConn *conn = Connect();
	FakeConn *other = Connect();
	const std::string value = Value(1u << 20);
	size_t used = MemUsed();

	Set("k", value);
	conn->is_full = true;
	Receive(conn, "GET k\r\n");
	Receive(other, "FLUSHALL\r\n");
	while (leat_store_run(ctx_->command.store, ctx_->command.now_us) > 0)
		;
	EXPECT_GT(MemUsed(), used + value.size());
	Writable(conn);
	EXPECT_EQ(Bulk(value), conn->sent);
	EXPECT_EQ(used, MemUsed());
}

TEST_F(SessionRef, AConnectionThatEndsGivesAllBack)
{
	FakeConn *conn = Connect();

	Set("k", Value(1u << 20));
	conn->is_full = true;
	Receive(conn, "GET k\r\nGET k\r\n");
	EXPECT_EQ(1u, leat_store_nb_lent(ctx_->command.store)) << "one long reply at a time";
	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	EXPECT_EQ(0u, leat_store_nb_lent(ctx_->command.store));
	EXPECT_EQ(0u, NbRefsInUse());
	EXPECT_EQ(0u, ctx_->stats.refs_held_len);
}

TEST_F(SessionRef, FramesInFlightKeepTheBytesBehindTheEndOfTheirConnection)
{
	FakeConn *conn = Connect();
	rte_mbuf *frame = rte_pktmbuf_alloc(pool_.Get());

	Set("k", Value(LEAT_WRITER_REF_MIN));
	conn->keeps = true;
	Receive(conn, "GET k\r\n");
	ASSERT_EQ(1u, conn->kept.size());
	ASSERT_TRUE(RTE_MBUF_HAS_EXTBUF(conn->kept[0]->next));
	rte_pktmbuf_attach(frame, conn->kept[0]->next); // what a stack does
	Acknowledge(conn);
	Event(conn, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	Receive(Connect(), "DEL k\r\n");
	EXPECT_EQ(1u, leat_store_nb_lent(ctx_->command.store));
	EXPECT_EQ(Value(LEAT_WRITER_REF_MIN), MbufPool::Bytes(frame));
	rte_pktmbuf_free(frame);
	EXPECT_EQ(0u, leat_store_nb_lent(ctx_->command.store));
	EXPECT_EQ(0u, NbRefsInUse());
}

TEST_F(SessionRef, RepliesBehindAReferenceKeepTheirOrder)
{
	FakeConn *conn = Connect();
	const std::string echo = Value(300, 3); // longer than the room in the reference

	Set("a", Value(5000, 1));
	Set("b", Value(7000, 2));
	Receive(conn,
		"GET a\r\nPING\r\nGET b\r\nGET a\r\n" + Request({ "ECHO", echo }) + "GET b\r\n");
	EXPECT_EQ(Bulk(Value(5000, 1)) + "+PONG\r\n" + Bulk(Value(7000, 2)) + Bulk(Value(5000, 1)) +
			  Bulk(echo) + Bulk(Value(7000, 2)),
		conn->sent);
	EXPECT_EQ(4u, ctx_->stats.nb_refs);
	EXPECT_EQ(0u, NbRefsInUse());
}

// Peers that take nothing have one window each, so that there is one for who takes his.
TEST_F(SessionRef, WhileReferencesAreShortTheNextSendWaitsForTheAcknowledgment)
{
	FakeConn *conn = Connect();
	std::vector<rte_mbuf *> taken(kNbRefs / 2);
	const std::string value = Value(3 * LEAT_SESSION_SEND_LEN);

	Set("k", value);
	ASSERT_EQ(0, rte_pktmbuf_alloc_bulk(ref_pool_, taken.data(), kNbRefs / 2));
	Turn();
	conn->keeps = true;
	Receive(conn, "GET k\r\n");
	for (unsigned int nb_sends = 1; conn->sent.size() < Bulk(value).size(); nb_sends++) {
		EXPECT_EQ(nb_sends, conn->nb_sends);
		EXPECT_FALSE(leat_session_has_work(ctx_));
		EXPECT_LE(NbRefsInUse(), taken.size() + 2);
		Acknowledge(conn);
		Writable(conn);
		ASSERT_LT(nb_sends, 5u);
	}
	EXPECT_EQ(Bulk(value), conn->sent);
	Acknowledge(conn);
	rte_pktmbuf_free_bulk(taken.data(), (unsigned int)taken.size());
}

TEST_F(SessionRef, WithoutWindowsAReplyIsCopiedPieceByPiece)
{
	FakeConn *conn = Connect();
	std::vector<rte_mbuf *> taken;
	const std::string value = Value(100000);

	Set("k", value);
	// Some for references, none for windows.
	for (uint32_t i = 0; i < kNbRefs - kNbRefs / 16; i++)
		taken.push_back(rte_pktmbuf_alloc(ref_pool_));
	Receive(conn, "GET k\r\n");
	EXPECT_EQ(Bulk(value), conn->sent);
	EXPECT_GT(ctx_->stats.nb_refs_copied, 0u);
	EXPECT_EQ(0u, leat_store_nb_lent(ctx_->command.store));
	rte_pktmbuf_free_bulk(taken.data(), (unsigned int)taken.size());
	EXPECT_EQ(0u, NbRefsInUse());
}

TEST_F(SessionRef, WithoutReferencesALongReplyWaitsAndAShortOneDoesNot)
{
	FakeConn *last = Connect();
	FakeConn *conn = Connect();
	FakeConn *other = Connect();
	std::vector<rte_mbuf *> taken(kNbRefs - 1);
	const std::string value = Value(100000);

	Set("k", value);
	ASSERT_EQ(0, rte_pktmbuf_alloc_bulk(ref_pool_, taken.data(), kNbRefs - 1));
	last->is_full = true;
	Receive(last, "GET k\r\n"); // has the last reference
	Receive(conn, "GET k\r\n");
	Receive(other, "PING\r\n");
	EXPECT_EQ("", conn->sent);
	EXPECT_EQ("+PONG\r\n", other->sent);
	EXPECT_FALSE(leat_session_has_work(ctx_)) << "a worker may sleep meanwhile";
	rte_pktmbuf_free_bulk(taken.data(), kNbRefs - 1);
	Turn();
	Settle();
	EXPECT_EQ(Bulk(value), conn->sent);
	Writable(last);
	EXPECT_EQ(Bulk(value), last->sent);
	EXPECT_EQ(0u, conn->nb_aborts + last->nb_aborts);
}

TEST_F(SessionRef, WithoutAnyMbufAReplyGoesOnWhenThereIsOne)
{
	FakeConn *conn = Connect();
	std::vector<rte_mbuf *> taken;
	const std::string value = Value(100000);

	Set("k", value);
	for (uint32_t i = 0; i < kNbRefs - kNbRefs / 16; i++)
		taken.push_back(rte_pktmbuf_alloc(ref_pool_));
	xp_.nb_allocs_left = 3; // the head and two pieces
	Receive(conn, "GET k\r\n");
	EXPECT_GT(conn->sent.size(), 2000u);
	EXPECT_LT(conn->sent.size(), 6000u);
	Receive(conn, "PING\r\n"); // behind it
	EXPECT_LT(conn->sent.size(), 6000u);
	xp_.nb_allocs_left = -1;
	Turn();
	Settle();
	EXPECT_EQ(Bulk(value) + "+PONG\r\n", conn->sent);
	EXPECT_EQ(0u, conn->nb_aborts);
	rte_pktmbuf_free_bulk(taken.data(), (unsigned int)taken.size());
}

TEST_F(SessionRef, ALongReplyNeedsOneMbufOfTextWhileMbufsAreShort)
{
	FakeConn *conn = Connect();
	const std::string value = Value(1u << 20);

	Set("k", value);
	xp_.xp.is_short = true;
	Receive(conn, "GET k\r\n");
	EXPECT_EQ(Bulk(value), conn->sent);
}

TEST_F(SessionRef, ReferredBytesMakeNoSubscriberTooSlow)
{
	FakeConn *conn = Connect();
	FakeConn *other = Connect();

	Set("k", Value(2u << 20));
	Receive(conn, "HELLO 3\r\nSUBSCRIBE c\r\n");
	conn->is_full = true;
	Receive(conn, "GET k\r\n");
	Receive(other, "PUBLISH c x\r\n");
	EXPECT_EQ(0u, ctx_->stats.nb_slow_subscribers);
	EXPECT_EQ(0u, conn->nb_aborts);
	conn->sent.clear();
	Writable(conn);
	EXPECT_EQ(Bulk(Value(2u << 20)) + ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n",
		conn->sent);
}

TEST_F(SessionRef, TheOldValueOfSetWithGetIsReferredTo)
{
	FakeConn *conn = Connect();
	const std::string value = Value(10000);
	size_t used = MemUsed();

	Set("k", value);
	conn->keeps = true;
	Receive(conn, "SET k new GET\r\n");
	EXPECT_EQ(Bulk(value), conn->sent);
	EXPECT_EQ(1u, ctx_->stats.nb_refs);
	Receive(Connect(), "DEL k\r\n");
	(void)leat_store_run(ctx_->command.store, ctx_->command.now_us);
	EXPECT_GT(MemUsed(), used + value.size());
	Acknowledge(conn);
	EXPECT_EQ(used, MemUsed());
}

TEST_F(SessionRef, HeadAndBodyOfASmallAnswerAreOneSegment)
{
	FakeConn *conn = Connect("http");

	Set("k", "small");
	conn->keeps = true;
	Receive(conn, "GET /v1/kv/k HTTP/1.1\r\nHost: a\r\n\r\n");
	ASSERT_EQ(1u, conn->kept.size());
	EXPECT_EQ(1, conn->kept[0]->nb_segs);
	EXPECT_EQ(0u, conn->sent.find("HTTP/1.1 200 OK\r\n"));
	EXPECT_EQ("\r\n\r\nsmall", conn->sent.substr(conn->sent.size() - 9));
	Acknowledge(conn);
}

TEST_F(SessionRef, TheHeadOfALargeAnswerLeavesWithItsBodyBehindIt)
{
	FakeConn *conn = Connect("http");
	const std::string value = Value(1u << 20);

	Set("k", value);
	Receive(conn, "GET /v1/kv/k HTTP/1.1\r\nHost: a\r\n\r\n");
	ASSERT_LT(value.size(), conn->sent.size());
	EXPECT_EQ(value, conn->sent.substr(conn->sent.size() - value.size()));
	EXPECT_GT(conn->lens[0], LEAT_SESSION_SEND_LEN) << "no head alone";
	EXPECT_EQ(1u, ctx_->stats.nb_refs);
	EXPECT_EQ(0u, ctx_->stats.nb_refs_copied);
}

} // namespace
