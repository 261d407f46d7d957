// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_pubsub.h>

namespace
{

using Subscriber = leat_pubsub_subscriber;

leat_slice
Slice(const std::string &s)
{
	return { reinterpret_cast<const uint8_t *>(s.data()), s.size() };
}

std::string
String(leat_slice s)
{
	return std::string(reinterpret_cast<const char *>(s.data), s.len);
}

class Pubsub : public testing::Test
{
      protected:
	leat_pubsub_conf conf = { "test", -1, 100, 1000, { 21, 22 } };
	leat_pubsub *pubsub = nullptr;
	Subscriber a = {};
	Subscriber b = {};
	Subscriber c = {};

	void SetUp() override
	{
		Open();
	}

	void TearDown() override
	{
		leat_pubsub_close(pubsub);
	}

	void Open()
	{
		leat_error error = {};

		leat_pubsub_close(pubsub);
		pubsub = nullptr;
		ASSERT_EQ(0, leat_pubsub_open(&conf, &pubsub, &error)) << error.text;
	}

	int Subscribe(Subscriber &s, const std::string &channel)
	{
		return leat_pubsub_subscribe(pubsub, &s, Slice(channel));
	}

	bool Unsubscribe(Subscriber &s, const std::string &channel)
	{
		return leat_pubsub_unsubscribe(pubsub, &s, Slice(channel));
	}

	std::vector<Subscriber *> Listeners(const std::string &channel)
	{
		std::vector<Subscriber *> all;
		leat_pubsub_subscription *s;

		for (s = leat_pubsub_first_of_channel(pubsub, Slice(channel)); s != nullptr;
			s = leat_pubsub_next_of_channel(s)) {
			EXPECT_EQ(channel, String(leat_pubsub_subscription_channel(s)));
			all.push_back(leat_pubsub_subscription_subscriber(s));
		}
		EXPECT_EQ(all.size(), leat_pubsub_nb_subscribers(pubsub, Slice(channel)));
		return all;
	}

	std::vector<std::string> Channels(const Subscriber &subscriber)
	{
		std::vector<std::string> all;
		leat_pubsub_subscription *s;

		for (s = leat_pubsub_first_of_subscriber(&subscriber); s != nullptr;
			s = leat_pubsub_next_of_subscriber(s))
			all.push_back(String(leat_pubsub_subscription_channel(s)));
		EXPECT_EQ(all.size(), leat_pubsub_nb_subscriptions(&subscriber));
		return all;
	}

	using Subscribers = std::vector<Subscriber *>;
	using Names = std::vector<std::string>;
};

TEST_F(Pubsub, OpenRefusesWhatIsOutOfItsLimits)
{
	std::string name_over(LEAT_PUBSUB_NAME_MAX + 1, 'n');
	std::string name_max(LEAT_PUBSUB_NAME_MAX, 'n');
	leat_pubsub *other = nullptr;
	leat_pubsub_conf bad[7];

	for (leat_pubsub_conf &conf_bad : bad) {
		conf_bad = conf;
		conf_bad.name = "other";
	}
	bad[0].name = nullptr;
	bad[1].name = "";
	bad[2].name = name_over.c_str();
	bad[3].nb_channels_max = 0;
	bad[4].nb_channels_max = LEAT_PUBSUB_CHANNELS_MAX + 1;
	bad[5].nb_subscriptions_max = 0;
	bad[6].nb_subscriptions_max = LEAT_PUBSUB_SUBSCRIPTIONS_MAX + 1;
	for (const leat_pubsub_conf &conf_bad : bad) {
		leat_error error = {};

		EXPECT_EQ(-EINVAL, leat_pubsub_open(&conf_bad, &other, &error));
		EXPECT_STRNE("", error.text);
	}
	EXPECT_EQ(nullptr, other);
	conf.name = name_max.c_str();
	conf.nb_channels_max = 1;
	conf.nb_subscriptions_max = 1;
	ASSERT_EQ(0, leat_pubsub_open(&conf, &other, nullptr));
	leat_pubsub_close(other);
}

TEST_F(Pubsub, OpenThatFailsLeavesNothing)
{
	leat_pubsub *other = nullptr;
	leat_error error = {};

	EXPECT_EQ(-EEXIST, leat_pubsub_open(&conf, &other, &error)); // the first table
	EXPECT_STRNE("", error.text);
	conf.name = "other";
	conf.nb_subscriptions_max = LEAT_PUBSUB_SUBSCRIPTIONS_MAX; // the memory
	EXPECT_EQ(-ENOMEM, leat_pubsub_open(&conf, &other, nullptr));
	conf.nb_subscriptions_max = 3000000; // the second table
	EXPECT_EQ(-ENOMEM, leat_pubsub_open(&conf, &other, nullptr));
	EXPECT_EQ(nullptr, other);
	conf.nb_subscriptions_max = 1000;
	ASSERT_EQ(0, leat_pubsub_open(&conf, &other, nullptr)); // no table of that name is left
	leat_pubsub_close(other);
}

TEST_F(Pubsub, SubscribeTellsWhetherItIsNew)
{
	EXPECT_EQ(1, Subscribe(a, "news"));
	EXPECT_EQ(0, Subscribe(a, "news"));
	EXPECT_EQ(1, Subscribe(b, "news"));
	EXPECT_EQ(1, Subscribe(a, "sport"));
	EXPECT_EQ(2u, leat_pubsub_nb_channels(pubsub));
	EXPECT_EQ((Subscribers{ &a, &b }), Listeners("news"));
	EXPECT_EQ((Names{ "news", "sport" }), Channels(a));
	EXPECT_EQ((Names{ "news" }), Channels(b));
	EXPECT_EQ((Names{}), Channels(c));
}

TEST_F(Pubsub, ChannelNobodyListensToIsNotThere)
{
	EXPECT_EQ((Subscribers{}), Listeners("news"));
	(void)Subscribe(a, "news");
	EXPECT_TRUE(Unsubscribe(a, "news"));
	EXPECT_EQ((Subscribers{}), Listeners("news"));
	EXPECT_EQ(0u, leat_pubsub_nb_channels(pubsub));
}

TEST_F(Pubsub, UnsubscribeTellsWhetherItWas)
{
	EXPECT_FALSE(Unsubscribe(a, "news"));
	(void)Subscribe(b, "news");
	EXPECT_FALSE(Unsubscribe(a, "news"));
	EXPECT_TRUE(Unsubscribe(b, "news"));
	EXPECT_FALSE(Unsubscribe(b, "news"));
}

TEST_F(Pubsub, ListsKeepTheirOrderWhicheverLeaves)
{
	for (int left = 0; left < 3; left++) {
		Subscriber *subscribers[] = { &a, &b, &c };
		const char *channels[] = { "x", "y", "z" };
		Subscribers rest;
		Names rest_names;

		for (int i = 0; i < 3; i++) {
			(void)Subscribe(*subscribers[i], "x");
			(void)Subscribe(a, channels[i]);
			if (i != left) {
				rest.push_back(subscribers[i]);
				rest_names.push_back(channels[i]);
			}
		}
		EXPECT_TRUE(Unsubscribe(*subscribers[left], "x"));
		EXPECT_EQ(rest, Listeners("x"));
		(void)Subscribe(a, "x"); // for left == 0 it comes last
		EXPECT_TRUE(Unsubscribe(a, channels[left]));
		EXPECT_EQ(rest_names, Channels(a));
		for (Subscriber *s : subscribers)
			leat_pubsub_unsubscribe_all(pubsub, s);
		EXPECT_EQ(0u, leat_pubsub_nb_channels(pubsub));
	}
}

TEST_F(Pubsub, OneAtATimeUntilNoneIsLeft)
{
	for (int i = 0; i < 20; i++)
		(void)Subscribe(a, "channel " + std::to_string(i));
	for (int i = 0; i < 20; i++) {
		leat_pubsub_subscription *s = leat_pubsub_first_of_subscriber(&a);

		ASSERT_NE(nullptr, s);
		EXPECT_TRUE(
			leat_pubsub_unsubscribe(pubsub, &a, leat_pubsub_subscription_channel(s)));
		EXPECT_EQ(19u - i, leat_pubsub_nb_subscriptions(&a));
	}
	EXPECT_EQ(nullptr, leat_pubsub_first_of_subscriber(&a));
}

TEST_F(Pubsub, UnsubscribeAllLeavesTheOthers)
{
	(void)Subscribe(a, "x");
	(void)Subscribe(b, "x");
	(void)Subscribe(a, "y");
	leat_pubsub_unsubscribe_all(pubsub, &a);
	leat_pubsub_unsubscribe_all(pubsub, &c); // of nothing
	EXPECT_EQ((Names{}), Channels(a));
	EXPECT_EQ((Subscribers{ &b }), Listeners("x"));
	EXPECT_EQ(1u, leat_pubsub_nb_channels(pubsub));
}

TEST_F(Pubsub, NamesAreAnyBytes)
{
	std::string zero("a\0b", 3);

	EXPECT_EQ(1, Subscribe(a, ""));
	EXPECT_EQ(1, Subscribe(a, zero));
	EXPECT_EQ(1, Subscribe(a, "a"));
	EXPECT_EQ((Names{ "", zero, "a" }), Channels(a));
	EXPECT_EQ(0, leat_pubsub_subscribe(pubsub, &a, { nullptr, 0 }));
}

TEST_F(Pubsub, NameLengthHasALimit)
{
	conf.nb_channels_max = 1000; // so that there is room for one so long
	Open();
	EXPECT_EQ(1, Subscribe(a, std::string(LEAT_PUBSUB_CHANNEL_LEN_MAX, 'n')));
	EXPECT_EQ(-EMSGSIZE, Subscribe(a, std::string(LEAT_PUBSUB_CHANNEL_LEN_MAX + 1, 'n')));
	EXPECT_EQ(1u, leat_pubsub_nb_subscriptions(&a));
}

TEST_F(Pubsub, NamesThatDoNotFitAreRefused)
{
	int nb = 0;

	while (Subscribe(a, std::to_string(nb) + std::string(5000, 'n')) == 1)
		nb++;
	EXPECT_LT(nb, 100);
	EXPECT_EQ(-ENOBUFS, Subscribe(b, "x" + std::string(5000, 'n')));
	EXPECT_EQ(0u, leat_pubsub_nb_subscriptions(&b));
	EXPECT_EQ(uint32_t(nb), leat_pubsub_nb_channels(pubsub));
	leat_pubsub_unsubscribe_all(pubsub, &a);
	EXPECT_EQ(1, Subscribe(b, "x" + std::string(5000, 'n')));
}

TEST_F(Pubsub, ChannelsHaveALimitWithNamesOfUsualLength)
{
	size_t len = LEAT_PUBSUB_CHANNEL_MEM_LEN - 64;

	for (uint32_t i = 0; i < conf.nb_channels_max; i++)
		ASSERT_EQ(1, Subscribe(a, std::to_string(i) + std::string(len, 'n')));
	EXPECT_EQ(-ENOBUFS, Subscribe(a, "over"));
	EXPECT_EQ(-ENOBUFS, Subscribe(b, "over"));
	EXPECT_EQ(1, Subscribe(b, "0" + std::string(len, 'n')));
	EXPECT_EQ(conf.nb_channels_max, leat_pubsub_nb_channels(pubsub));
}

TEST_F(Pubsub, SubscriptionsHaveALimit)
{
	for (uint32_t limit : { 1u, 5u, 8u, 9u }) {
		std::vector<Subscriber> many(limit + 1, Subscriber{});

		conf.nb_subscriptions_max = limit;
		Open();
		for (uint32_t i = 0; i < limit; i++)
			ASSERT_EQ(1, Subscribe(many[i], "x"));
		EXPECT_EQ(-ENOBUFS, Subscribe(many[limit], "x"));
		EXPECT_EQ(-ENOBUFS, Subscribe(many[limit], "new"));
		EXPECT_EQ(1u, leat_pubsub_nb_channels(pubsub)); // no empty one was made
		EXPECT_EQ(0, Subscribe(many[0], "x"));
		EXPECT_TRUE(Unsubscribe(many[0], "x"));
		EXPECT_EQ(1, Subscribe(many[limit], "new"));
	}
}

TEST_F(Pubsub, OneSubscriberHasALimit)
{
	conf.nb_channels_max = LEAT_PUBSUB_PER_CLIENT_MAX + 1;
	conf.nb_subscriptions_max = LEAT_PUBSUB_PER_CLIENT_MAX + 1;
	Open();
	for (uint32_t i = 0; i < LEAT_PUBSUB_PER_CLIENT_MAX; i++)
		ASSERT_EQ(1, Subscribe(a, std::to_string(i)));
	EXPECT_EQ(-ENOBUFS, Subscribe(a, "over"));
	EXPECT_EQ(1, Subscribe(b, "over"));
	leat_pubsub_unsubscribe_all(pubsub, &a);
	EXPECT_EQ(1u, leat_pubsub_nb_channels(pubsub));
}

TEST_F(Pubsub, RandomUseAgreesWithSets)
{
	constexpr unsigned int kSeed = 5;
	std::mt19937 rng(kSeed);
	std::vector<Subscriber> subscribers(60, Subscriber{});
	std::set<std::pair<size_t, std::string>> model;

	SCOPED_TRACE(kSeed);
	for (unsigned int step = 0; step < 50000; step++) {
		size_t i = rng() % subscribers.size();
		std::string channel = "c" + std::to_string(rng() % 120);
		bool was = model.count({ i, channel }) != 0;
		unsigned int what = rng() % 100;

		if (what < 55) {
			int ret = Subscribe(subscribers[i], channel);

			ASSERT_EQ(was, ret == 0);
			if (ret == 1)
				model.insert({ i, channel });
		} else if (what < 99) {
			ASSERT_EQ(was, Unsubscribe(subscribers[i], channel));
			model.erase({ i, channel });
		} else {
			leat_pubsub_unsubscribe_all(pubsub, &subscribers[i]);
			while (true) {
				auto it = model.lower_bound({ i, "" });

				if (it == model.end() || it->first != i)
					break;
				model.erase(it);
			}
		}
		if (step % 1000 != 0)
			continue;
		std::map<std::string, size_t> nb_listeners;
		for (const auto &[idx, name] : model) {
			(void)idx;
			nb_listeners[name]++;
		}
		ASSERT_EQ(nb_listeners.size(), leat_pubsub_nb_channels(pubsub));
		for (const auto &[name, nb] : nb_listeners)
			ASSERT_EQ(nb, Listeners(name).size());
	}
	for (Subscriber &s : subscribers)
		leat_pubsub_unsubscribe_all(pubsub, &s);
	EXPECT_EQ(0u, leat_pubsub_nb_channels(pubsub));
}

} // namespace
