// SPDX-License-Identifier: BSD-3-Clause

// Sessions whose clients choose SBE, and its replies in many mbufs.

#include "session_fixture.h"

#include "sbe_bytes.h"

namespace
{

using namespace session_test;

#define PUT(name, ...)                                                                             \
	Written([&](leat_writer *w) { return leat_sbe_put_##name(w, ##__VA_ARGS__); })

const std::string kMagic = LEAT_SBE_MAGIC;

TEST_F(Session, TheMagicSplitAtEveryByteChoosesSbe)
{
	const std::string in = kMagic + SbeVectorBytes("Ping") + SbeVectorBytes("Get k");

	for (size_t at = 1; at < in.size(); at++) {
		FakeConn *conn = Connect("auto");

		Receive(conn, in.substr(0, at));
		Receive(conn, in.substr(at));
		Settle();
		EXPECT_EQ(ToHex(SbeVectorBytes("PONG") + SbeVectorBytes("nil")), ToHex(conn->sent))
			<< "split at " << at;
		EXPECT_EQ(in.size(), conn->consumed_len) << "split at " << at;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
	}
}

TEST_F(Session, RespOnThePortOfBothSplitAtEveryByte)
{
	const std::string in = "GET k\r\n" + Request({ "ECHO", "GOBLINS!" });

	for (size_t at = 1; at < in.size(); at++) {
		FakeConn *conn = Connect("auto");

		Receive(conn, in.substr(0, at));
		Receive(conn, in.substr(at));
		Settle();
		EXPECT_EQ("$-1\r\n" + Bulk("GOBLINS!"), conn->sent) << "split at " << at;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
	}
}

TEST_F(Session, ARefusalOnThePortOfBothIsTheChosenProtocols)
{
	FakeConn *sbe = Connect("auto");
	FakeConn *resp = Connect("auto");

	Receive(sbe, kMagic + std::string(4, '\0'));
	Receive(resp, "*x\r\n");
	EXPECT_EQ(PUT(error_reply, LEAT_SLICE("ERR"),
			  LEAT_SLICE("Protocol error: frame too short for a header")),
		sbe->sent);
	EXPECT_EQ("-ERR Protocol error: invalid multibulk length\r\n", resp->sent);
	EXPECT_EQ(1u, sbe->nb_shutdowns);
	EXPECT_EQ(1u, resp->nb_shutdowns);
}

TEST_F(Session, AnArraysLengthIsFilledInAcrossMbufs)
{
	FakeConn *conn = Connect("sbe");
	std::vector<leat_sbe_hset_entries> entries;
	std::vector<std::string> names;
	const std::string value(700, 'v');

	for (int i = 0; i < 60; i++)
		names.push_back("field" + std::to_string(i));
	for (const std::string &name : names)
		entries.push_back({ Slice(name), Slice(value) });
	const std::string in = PUT(hset, entries.data(), 60, LEAT_SLICE("h"));
	for (size_t at = 0; at < in.size(); at += 1000)
		Receive(conn, in.substr(at, 1000));
	EXPECT_EQ(PUT(int_reply, 60), conn->sent);
	conn->sent.clear();
	Receive(conn, PUT(hget_all, LEAT_SLICE("h")));
	Decoded reply(conn->sent, LEAT_SBE_ARRAY_REPLY);
	ASSERT_EQ(120u, reply.Entries().size());
	EXPECT_EQ(value, String(leat_sbe_array_reply_items_value(&reply.Entries()[119])));
}

// The first reply fills an mbuf but for a few bytes, so that the next one's length lies in two.
TEST_F(Session, ALengthThatLiesInTwoMbufsIsFilledIn)
{
	const std::string value(1000, 'v'); // so that two bytes of the length are not 0
	const leat_sbe_hset_entries entry = { LEAT_SLICE("f"), Slice(value) };
	const leat_sbe_array_reply_items items[] = { { LEAT_SLICE("f") }, { Slice(value) } };

	for (size_t room = 0; room < 8; room++) {
		FakeConn *conn = Connect("sbe");
		const std::string text(RTE_MBUF_DEFAULT_DATAROOM - 16 - room, 'x');
		const std::string set = PUT(set, 0, 0, 0, LEAT_SLICE("k"), Slice(text));

		Receive(conn, PUT(hset, &entry, 1, LEAT_SLICE("h")));
		Receive(conn, set.substr(0, 1000));
		Receive(conn, set.substr(1000));
		conn->sent.clear();
		conn->nb_sends = 0;
		Receive(conn, SbeVectorBytes("Get k") + PUT(hget_all, LEAT_SLICE("h")));
		EXPECT_EQ(1u, conn->nb_sends);
		Settle();
		EXPECT_EQ(ToHex(PUT(bulk_reply, Slice(text)) + PUT(array_reply, items, 2)),
			ToHex(conn->sent))
			<< room;
		Event(conn, LEAT_TRANSPORT_CLOSED);
		EndTurn();
	}
}

TEST_F(Session, ALongPipelineOfSbeIsPausedAndFinished)
{
	FakeConn *conn = Connect("auto");
	const std::string value(1000, 'v');
	std::string in = kMagic + PUT(set, 0, 0, 0, LEAT_SLICE("k"), Slice(value));
	std::string want = SbeVectorBytes("OK");

	for (int i = 0; i < 80; i++) {
		in += SbeVectorBytes("Get k");
		want += PUT(bulk_reply, Slice(value));
	}
	for (size_t at = 0; at < in.size(); at += 999)
		Receive(conn, in.substr(at, 999));
	Settle();
	EXPECT_TRUE(want == conn->sent) << conn->sent.size() << " of " << want.size();
	EXPECT_EQ(in.size(), conn->consumed_len);
}

TEST_F(Session, AMessageToOneselfComesBeforeTheReply)
{
	FakeConn *conn = Connect("sbe");

	Receive(conn, SbeVectorBytes("Subscribe c") + SbeVectorBytes("Publish c quote-update") +
			      SbeVectorBytes("Ping"));
	EXPECT_EQ(ToHex(SbeVectorBytes("push subscribe c 1") + SbeVectorBytes("push message c") +
			  SbeVectorBytes("int 1") + SbeVectorBytes("PONG")),
		ToHex(conn->sent));
}

} // namespace
