// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "control_priv.h"

namespace
{

struct leat_conn_info
Conn(const char *state, const char *local, uint16_t lport, const char *peer, uint16_t pport)
{
	struct leat_conn_info info = {};

	info.state = state;
	EXPECT_EQ(0, leat_endpoint_parse_address(&info.local, local));
	info.local.port = lport;
	EXPECT_EQ(0, leat_endpoint_parse_address(&info.peer, peer));
	info.peer.port = pport;
	return info;
}

bool
Matches(const std::string &text, const struct leat_conn_info &info, const char *protocol = "resp")
{
	control_filter filter;
	leat_error error = {};

	EXPECT_EQ(0, control_filter_parse(text.c_str(), &filter, &error)) << error.text;
	return control_filter_matches(&filter, &info, protocol);
}

class ControlFilter : public testing::Test
{
      protected:
	const struct leat_conn_info v4_ =
		Conn("ESTABLISHED", "10.77.0.1", 6379, "10.77.3.2", 40000);
	const struct leat_conn_info v6_ = Conn("TIME-WAIT", "fd77::1", 6379, "fd77::2", 50000);
};

TEST_F(ControlFilter, NothingLetsEverythingThrough)
{
	EXPECT_TRUE(Matches("", v4_));
	EXPECT_TRUE(Matches("", v6_));
}

TEST_F(ControlFilter, StateIsComparedInAnyCase)
{
	EXPECT_TRUE(Matches("state=established", v4_));
	EXPECT_TRUE(Matches("state=Time-Wait", v6_));
	EXPECT_FALSE(Matches("state=time-wait", v4_));
}

TEST_F(ControlFilter, PortIsThatOfEitherEnd)
{
	EXPECT_TRUE(Matches("port=6379", v4_));
	EXPECT_TRUE(Matches("port=40000", v4_));
	EXPECT_FALSE(Matches("port=40001", v4_));
	EXPECT_TRUE(Matches("port=65535", Conn("A", "10.0.0.1", 1, "10.0.0.2", 65535)));
}

TEST_F(ControlFilter, AnAddressMayHaveAPrefixLength)
{
	EXPECT_TRUE(Matches("peer=10.77.3.2", v4_));
	EXPECT_TRUE(Matches("peer=10.77.0.0/16", v4_));
	EXPECT_FALSE(Matches("peer=10.77.0.0/24", v4_));
	EXPECT_TRUE(Matches("peer=0.0.0.0/0", v4_));
	EXPECT_FALSE(Matches("peer=0.0.0.0/0", v6_)) << "another family";
	EXPECT_TRUE(Matches("local=fd77::/64", v6_));
	EXPECT_FALSE(Matches("local=fd77::/64", v4_));
}

TEST_F(ControlFilter, ProtocolIsThatOfTheListener)
{
	EXPECT_TRUE(Matches("protocol=resp", v4_));
	EXPECT_FALSE(Matches("protocol=http", v4_));
	EXPECT_FALSE(Matches("protocol=resp", v4_, ""));
}

TEST_F(ControlFilter, EachTermMustHold)
{
	EXPECT_TRUE(Matches("state=established,port=6379,peer=10.0.0.0/8,protocol=resp", v4_));
	EXPECT_FALSE(Matches("state=established,port=6379,peer=11.0.0.0/8", v4_));
}

TEST_F(ControlFilter, AnEndWithoutAnAddressIsOnNoNetwork)
{
	struct leat_conn_info info = v4_;

	EXPECT_EQ(0, leat_endpoint_parse_address(&info.peer, "unix:/tmp/x"));
	EXPECT_FALSE(Matches("peer=0.0.0.0/0", info));
	EXPECT_TRUE(Matches("state=established", info));
}

TEST_F(ControlFilter, WhatIsNoFilterIsRefusedWithASentence)
{
	const std::string too_long(200, 'x');

	for (const std::string &text : { std::string("established"), std::string("state="),
		     std::string("state=sixteen-letters-x"), std::string("port=0"),
		     std::string("port=65536"), std::string("port=123456"), std::string("port=12a"),
		     std::string("port=-1"), std::string("peer=10.0.0"),
		     std::string("peer=10.0.0.0/33"), std::string("peer=10.0.0.0/"),
		     std::string("peer=fd77::/129"), std::string("colour=red"),
		     std::string("state=closed,,port=x"), std::string("peer=") + too_long }) {
		control_filter filter;
		leat_error error = {};

		EXPECT_EQ(-EINVAL, control_filter_parse(text.c_str(), &filter, &error)) << text;
		EXPECT_NE(nullptr, strstr(error.text, "is not a filter")) << error.text;
		EXPECT_LT(strlen(error.text), (size_t)RTE_TEL_MAX_STRING_LEN) << error.text;
	}
}

} // namespace
