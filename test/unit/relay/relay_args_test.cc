// SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <relay_args.h>

namespace
{

class RelayArgs : public testing::Test
{
      protected:
	relay_args args = {};
	leat_error error = {};

	int Parse(std::vector<std::string> more, bool has_devs = true)
	{
		std::vector<std::string> words = { "leat-relay" };
		std::vector<char *> argv;

		if (has_devs)
			words.insert(words.end(), { "--a", "net_null0", "--b", "net_null1" });
		words.insert(words.end(), more.begin(), more.end());
		words_ = words;
		for (std::string &word : words_)
			argv.push_back(word.data());
		argv.push_back(nullptr);
		error = {};
		return relay_args_parse((int)words_.size(), argv.data(), &args, &error);
	}

	const relay_link_conf &Link(const std::string &figures)
	{
		EXPECT_EQ(0, Parse({ "--a-to-b", figures })) << error.text;
		return args.links[RELAY_A];
	}

	// The sentence that refuses it.
	std::string Refused(std::vector<std::string> more, bool has_devs = true)
	{
		EXPECT_EQ(-EINVAL, Parse(std::move(more), has_devs));
		return error.text;
	}

      private:
	std::vector<std::string> words_;
};

TEST_F(RelayArgs, TwoDevicesAreEnough)
{
	ASSERT_EQ(0, Parse({})) << error.text;
	EXPECT_STREQ("net_null0", args.devs[RELAY_A]);
	EXPECT_STREQ("net_null1", args.devs[RELAY_B]);
	EXPECT_EQ(1u, args.seed);
	EXPECT_EQ(0u, args.links[RELAY_A].impair.loss_ppm);
	EXPECT_EQ(500u, args.links[RELAY_A].impair.reorder_us);
	EXPECT_EQ(RELAY_QUEUE_DEFAULT, args.links[RELAY_B].queue_len);
}

TEST_F(RelayArgs, EachFigureIsRead)
{
	const relay_link_conf &link = Link("loss=0.01,dup=0.002,reorder=0.03,reorder-by=2ms,"
					   "corrupt=0.000001,delay=1ms,jitter=50us,rate=12.5M,"
					   "queue=64k");

	EXPECT_EQ(10000u, link.impair.loss_ppm);
	EXPECT_EQ(2000u, link.impair.dup_ppm);
	EXPECT_EQ(30000u, link.impair.reorder_ppm);
	EXPECT_EQ(2000u, link.impair.reorder_us);
	EXPECT_EQ(1u, link.impair.corrupt_ppm);
	EXPECT_EQ(1000u, link.delay_us);
	EXPECT_EQ(50u, link.impair.jitter_us);
	EXPECT_EQ(12500000u, link.rate);
	EXPECT_EQ(64000u, link.queue_len);
}

TEST_F(RelayArgs, DirectionsHaveFiguresOfTheirOwn)
{
	ASSERT_EQ(0, Parse({ "--a-to-b", "loss=1", "--b-to-a", "loss=0.5" })) << error.text;
	EXPECT_EQ(RELAY_PPM, args.links[RELAY_A].impair.loss_ppm);
	EXPECT_EQ(RELAY_PPM / 2, args.links[RELAY_B].impair.loss_ppm);
}

TEST_F(RelayArgs, SeedAndTagsAreRead)
{
	ASSERT_EQ(0, Parse({ "--seed", "18446744073709551615", "--vlan-a=1", "--vlan-b=4094" }));
	EXPECT_EQ(UINT64_MAX, args.seed);
	EXPECT_EQ(1, args.vlan_ids[RELAY_A]);
	EXPECT_EQ(4094, args.vlan_ids[RELAY_B]);
}

TEST_F(RelayArgs, LimitsHoldAtTheLimitAndOneOver)
{
	EXPECT_EQ(RELAY_DELAY_MAX_US, Link("delay=10s").delay_us);
	EXPECT_EQ(RELAY_RATE_MIN, Link("rate=1k").rate);
	EXPECT_EQ(RELAY_RATE_MAX, Link("rate=100G").rate);
	EXPECT_EQ(RELAY_QUEUE_MAX, Link("queue=1073741824").queue_len);
	for (const char *bad : { "delay=10000001us", "rate=999", "rate=100000000001",
		     "queue=1073741825", "reorder-by=0us", "loss=1.000001" })
		Refused({ "--a-to-b", bad });
}

TEST_F(RelayArgs, BadFigureIsNamedWithWhatItShouldBe)
{
	EXPECT_EQ("--a-to-b: \"loss=2\": loss is a share of frames from 0 to 1, such as 0.01",
		Refused({ "--a-to-b", "delay=1ms,loss=2" }));
	EXPECT_EQ("--b-to-a: \"delay=1\": delay is a time of at most 10 s, with its unit, such as "
		  "500us or 1ms",
		Refused({ "--b-to-a", "delay=1" }));
	for (const char *bad : { "loss=", "loss=-1", "loss=x", "loss=0.", "loss=.1",
		     "loss=0.0000001", "loss=1%", "rate=1x", "delay=0.0001ms",
		     "rate=99999999999999999999", "rate=18446744073709551615G" })
		EXPECT_NE(std::string::npos, Refused({ "--a-to-b", bad }).find(bad)) << bad;
}

TEST_F(RelayArgs, UnknownFigureIsNamed)
{
	EXPECT_EQ(0u, Refused({ "--a-to-b", "los=1" }).find("--a-to-b: \"los=1\" is not one of "));
	EXPECT_EQ(0u, Refused({ "--a-to-b", "loss" }).find("--a-to-b: \"loss\" is not one of "));
	Refused({ "--a-to-b", "loss=" + std::string(100, '0') });
}

TEST_F(RelayArgs, WhatIsMissingOrStrangeIsNamed)
{
	EXPECT_EQ(
		"--b is missing: name the device of that side, such as net_af_packet0,iface=veth1",
		Refused({ "--a", "net_null0" }, false));
	EXPECT_EQ("unknown option '--what'; see leat-relay --help", Refused({ "--what" }));
	EXPECT_EQ("option --seed needs a value", Refused({ "--seed" }));
	EXPECT_EQ("unexpected argument 'x'", Refused({ "x" }));
	EXPECT_EQ("--vlan-a: \"4095\" is not a whole number from 1 to 4094",
		Refused({ "--vlan-a", "4095" }));
	Refused({ "--vlan-a", "0" });
	Refused({ "--seed", "18446744073709551616" });
	Refused({ "--seed", "1x" });
}

TEST_F(RelayArgs, HelpWantsNothingElse)
{
	ASSERT_EQ(0, Parse({ "--help" }, false));
	EXPECT_TRUE(args.is_help);
}

} // namespace
