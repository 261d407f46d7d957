// SPDX-License-Identifier: BSD-3-Clause

// Messages from one session to others.

#include <string>

#include <gtest/gtest.h>

#include "session_fixture.h"

namespace
{

using namespace session_test;

TEST_F(Session, PublishReachesASubscriberInTheSameTurn)
{
	FakeConn *sub = Connect();
	FakeConn *pub = Connect();

	Receive(sub, Request({ "SUBSCRIBE", "c" }));
	EXPECT_EQ("*3\r\n" + Bulk("subscribe") + Bulk("c") + ":1\r\n", sub->sent);
	sub->sent.clear();
	Receive(pub, Request({ "PUBLISH", "c", "hi" }));
	EXPECT_EQ(":1\r\n", pub->sent);
	EXPECT_EQ("*3\r\n" + Bulk("message") + Bulk("c") + Bulk("hi"), sub->sent);
	Event(sub, LEAT_TRANSPORT_CLOSED);
	EndTurn();
	pub->sent.clear();
	Receive(pub, Request({ "PUBLISH", "c", "hi" }));
	EXPECT_EQ(":0\r\n", pub->sent);
}

TEST_F(Session, ASubscriberThatDoesNotReadIsAborted)
{
	FakeConn *sub = Connect();
	FakeConn *pub = Connect();
	const std::string message(1500, 'm');

	Receive(sub, Request({ "SUBSCRIBE", "c" }));
	sub->is_full = true;
	for (size_t len = 0; len <= LEAT_SESSION_PUSH_MAX + 2 * message.size();
		len += message.size())
		Receive(pub, Request({ "PUBLISH", "c", message }));
	EXPECT_EQ(1u, sub->nb_aborts);
	EXPECT_EQ(1u, ctx_->stats.nb_slow_subscribers);
}

TEST_F(Session, AMessageToManyDoesNotTakeTheLastMbufsFromReplies)
{
	FakeConn *subs[] = { Connect(), Connect(), Connect() };
	FakeConn *pub = Connect();
	unsigned int nb_aborts = 0;

	for (FakeConn *sub : subs) {
		Receive(sub, Request({ "SUBSCRIBE", "c" }));
		sub->sent.clear();
	}
	subs[1]->is_full = true;
	subs[2]->is_full = true;
	Receive(pub, Request({ "PUBLISH", "c", "hi" }));
	EXPECT_EQ(":3\r\n", pub->sent);
	pub->sent.clear();
	xp_.nb_allocs_until_short = 1;
	Receive(pub, Request({ "PUBLISH", "c", "hi" }));
	EXPECT_EQ(":1\r\n", pub->sent);
	for (FakeConn *sub : subs)
		nb_aborts += sub->nb_aborts;
	EXPECT_EQ(2u, nb_aborts);
	EXPECT_EQ(0u, subs[0]->nb_aborts) << "it has taken the one before";
	EXPECT_EQ(2u, ctx_->stats.nb_slow_subscribers);
}

} // namespace
