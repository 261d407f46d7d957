// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <flood_args.h>

namespace
{

class FloodArgs : public testing::Test
{
      protected:
	flood_args args = {};
	leat_error error = {};

	// The options that must be there, some of them replaced or left out, and more.
	int Parse(const std::vector<std::string> &words)
	{
		std::vector<char *> argv;

		words_ = { "leat-flood" };
		words_.insert(words_.end(), words.begin(), words.end());
		for (std::string &word : words_)
			argv.push_back(word.data());
		argv.push_back(nullptr);
		error = {};
		return flood_args_parse((int)words_.size(), argv.data(), &args, &error);
	}
	int ParseWith(const std::vector<std::string> &more)
	{
		std::vector<std::string> words = { "--iface=veth0", "--mac=02:00:00:00:00:01",
			"--dst=10.77.0.1", "--port=6379", "--sources=198.18.0.0/15" };

		words.insert(words.end(), more.begin(), more.end());
		return Parse(words);
	}
	std::string Refused(const std::vector<std::string> &more)
	{
		EXPECT_EQ(-EINVAL, ParseWith(more));
		return error.text;
	}

      private:
	std::vector<std::string> words_;
};

TEST_F(FloodArgs, TargetAndSourcesAreEnough)
{
	ASSERT_EQ(0, ParseWith({})) << error.text;
	EXPECT_STREQ("veth0", args.iface);
	EXPECT_EQ(FLOOD_SYN, args.conf.kind);
	EXPECT_EQ(0, memcmp("\x02\x00\x00\x00\x00\x01", args.conf.dst_mac, 6));
	EXPECT_EQ(0, memcmp("\x0a\x4d\x00\x01", args.conf.dst, 4));
	EXPECT_EQ(15, args.conf.src_prefix_len);
	EXPECT_EQ(6379, args.conf.port);
	EXPECT_EQ(100000u, args.rate);
	EXPECT_EQ(1u, args.seconds);
}

TEST_F(FloodArgs, EachKindHasAName)
{
	for (int kind = 0; kind < FLOOD_KINDS; kind++) {
		const char *name = flood_kind_name((flood_kind)kind);

		ASSERT_EQ(0, ParseWith({ "--kind", name })) << error.text;
		EXPECT_EQ(kind, args.conf.kind);
	}
}

TEST_F(FloodArgs, BothFamiliesButNotMixed)
{
	ASSERT_EQ(0, ParseWith({ "--dst=fd00::1", "--sources=fd00:1::/48" })) << error.text;
	EXPECT_TRUE(args.conf.is_ipv6);
	EXPECT_EQ(48, args.conf.src_prefix_len);
	ASSERT_EQ(0, ParseWith({ "--dst=fd00::1", "--sources=fd00::2" })) << error.text;
	EXPECT_EQ(128, args.conf.src_prefix_len);
	EXPECT_EQ("--dst and --sources are not of the same family", Refused({ "--dst=fd00::1" }));
}

TEST_F(FloodArgs, LimitsHoldAtTheLimitAndOneOver)
{
	EXPECT_EQ(0, ParseWith({ "--rate=10000000", "--seconds=3600", "--port=65535" }));
	EXPECT_EQ("--rate: \"10000001\" is not a whole number from 1 to 10000000",
		Refused({ "--rate=10000001" }));
	Refused({ "--seconds=3601" });
	Refused({ "--port=65536" });
	Refused({ "--port=0" });
	Refused({ "--sources=198.18.0.0/33" });
	EXPECT_EQ(0, ParseWith({ "--sources=0.0.0.0/0" }));
}

TEST_F(FloodArgs, WrongWordIsNamed)
{
	EXPECT_EQ("--kind: \"fin\" is none; see leat-flood --help", Refused({ "--kind=fin" }));
	EXPECT_EQ("--dst: \"10.77.0\" is no address", Refused({ "--dst=10.77.0" }));
	EXPECT_EQ("--mac: \"x\" is no MAC address", Refused({ "--mac=x" }));
	EXPECT_EQ("unknown option '--what'; see leat-flood --help", Refused({ "--what" }));
	EXPECT_EQ("option --rate needs a value", Refused({ "--rate" }));
	EXPECT_EQ("unexpected argument 'x'", Refused({ "x" }));
	Refused({ "--rate=-1" });
	Refused({ "--rate=1k" });
	Refused({ "--sources=" + std::string(64, '1') });
}

TEST_F(FloodArgs, WhatIsMissingIsNamed)
{
	EXPECT_EQ(-EINVAL, Parse({}));
	EXPECT_STREQ("--iface is missing: where to send", error.text);
	EXPECT_EQ(-EINVAL, Parse({ "--iface=veth0" }));
	EXPECT_STREQ("--mac is missing: whom to send to", error.text);
	EXPECT_EQ(-EINVAL, Parse({ "--iface=veth0", "--mac=02:00:00:00:00:01" }));
	EXPECT_STREQ("--dst, --port and --sources are needed: the target, and who seems to send",
		error.text);
	EXPECT_EQ(0, Parse({ "--help" }));
	EXPECT_TRUE(args.is_help);
}

} // namespace
