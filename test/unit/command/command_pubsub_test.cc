// SPDX-License-Identifier: BSD-3-Clause

#include <string>

#include "command_fixture.h"

namespace
{

using CommandPubsub = CommandTest;

TEST_F(CommandPubsub, MessageReachesEachSubscriberOnce)
{
	(void)AskAs(1, { "SUBSCRIBE", "c", "c" });
	(void)AskAs(2, { "SUBSCRIBE", "d", "c" });
	(void)AskAs(3, { "SUBSCRIBE", "d" });
	EXPECT_EQ("2", AskAs(4, { "PUBLISH", "c", "hello" }));
	EXPECT_EQ("push 3 \"message\" \"c\" \"hello\"", At(1).pushed.Take());
	EXPECT_EQ("push 3 \"message\" \"c\" \"hello\"", At(2).pushed.Take());
	EXPECT_EQ("", At(3).pushed.Take());
}

TEST_F(CommandPubsub, SubscribeConfirmsEachChannelWithTheCount)
{
	EXPECT_EQ("push 3 \"subscribe\" \"a\" 1 push 3 \"subscribe\" \"b\" 2 "
		  "push 3 \"subscribe\" \"a\" 2",
		Ask({ "SUBSCRIBE", "a", "b", "a" }));
}

TEST_F(CommandPubsub, UnsubscribeWithoutChannelsEndsAllInOrder)
{
	(void)Ask({ "SUBSCRIBE", "b", "a", "c" });
	EXPECT_EQ("push 3 \"unsubscribe\" \"b\" 2 push 3 \"unsubscribe\" \"a\" 1 "
		  "push 3 \"unsubscribe\" \"c\" 0",
		Ask({ "UNSUBSCRIBE" }));
	EXPECT_EQ("push 3 \"unsubscribe\" null 0", Ask({ "UNSUBSCRIBE" }));
	EXPECT_EQ("0", Ask({ "PUBLISH", "a", "x" }));
}

TEST_F(CommandPubsub, ClientThatCannotTakeAMessageDoesNotCount)
{
	(void)AskAs(1, { "SUBSCRIBE", "c" });
	(void)AskAs(2, { "SUBSCRIBE", "c" });
	At(1).takes_pushes = false;
	EXPECT_EQ("1", AskAs(3, { "PUBLISH", "c", "m" }));
	EXPECT_EQ("", At(1).pushed.Take());
}

TEST_F(CommandPubsub, EndedClientGetsNothing)
{
	(void)AskAs(1, { "SUBSCRIBE", "c" });
	leat_client_fini(&At(1).client, shard.ctx.pubsub);
	EXPECT_EQ("0", AskAs(2, { "PUBLISH", "c", "m" }));
}

TEST_F(CommandPubsub, Resp3SubscriberMayDoAnything)
{
	(void)Ask({ "SUBSCRIBE", "c" });
	EXPECT_EQ('-', Ask({ "GET", "k" })[0]);
	At(1).client.resp = 3;
	EXPECT_EQ("null", Ask({ "GET", "k" }));
	EXPECT_EQ("+PONG", Ask({ "PING" }));
}

TEST_F(CommandPubsub, SubscriptionsOverTheLimitAreErrorsOneByOne)
{
	Words words = { "SUBSCRIBE" };

	for (int i = 0; i < 40; i++) // more than the shard of the tests has channels
		words.push_back("c" + std::to_string(i));

	std::string reply = Ask(words);
	uint32_t nb = leat_pubsub_nb_subscriptions(&At(1).client.subscriber);
	size_t nb_errors = 0;

	for (size_t at = 0;
		(at = reply.find("-ERR max number of subscriptions", at)) != std::string::npos;
		at++)
		nb_errors++;
	EXPECT_GE(nb, 16u);
	EXPECT_EQ(40u, nb + nb_errors);
}

TEST_F(CommandPubsub, ChannelNameOverTheLimitIsAnError)
{
	std::string name(LEAT_PUBSUB_CHANNEL_LEN_MAX + 1, 'c');

	EXPECT_EQ("-ERR channel name is too long", Ask({ "SUBSCRIBE", name }));
}

} // namespace
