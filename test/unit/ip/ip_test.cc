// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <leat_ip.h>

#include "ip_text.h"

namespace
{

using ip_text::Addr;
using ip_text::Text;

// RFC 4291 section 2.5.5.2.
TEST(Ip, Ipv4IsKeptAsMappedAddress)
{
	const uint8_t bytes[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, 0, 1 };
	leat_ip_addr addr = leat_ip_addr_from_ipv4(0x0a4d0001);

	EXPECT_EQ(0, memcmp(bytes, addr.bytes, sizeof(bytes)));
	EXPECT_TRUE(leat_ip_addr_is_ipv4(addr));
	EXPECT_EQ(0x0a4d0001u, leat_ip_addr_ipv4(addr));
	EXPECT_TRUE(leat_ip_addr_is_equal(addr, Addr("10.77.0.1")));
	EXPECT_EQ(32u, leat_ip_addr_bits(addr));
}

TEST(Ip, Ipv6IsNoIpv4)
{
	for (const char *text : { "::", "::1", "::10.77.0.1", "fd77::1", "::fffe:10.77.0.1",
		     "::1:ffff:10.77.0.1", "64:ff9b::10.77.0.1" }) {
		EXPECT_FALSE(leat_ip_addr_is_ipv4(Addr(text))) << text;
		EXPECT_EQ(128u, leat_ip_addr_bits(Addr(text))) << text;
	}
}

TEST(Ip, NoneAndAnyAreTold)
{
	EXPECT_TRUE(leat_ip_addr_is_none(leat_ip_addr_none()));
	EXPECT_TRUE(leat_ip_addr_is_none(Addr("::")));
	EXPECT_FALSE(leat_ip_addr_is_none(Addr("0.0.0.0")));
	EXPECT_FALSE(leat_ip_addr_is_none(Addr("1::")));
	EXPECT_TRUE(leat_ip_addr_is_any(Addr("::")));
	EXPECT_TRUE(leat_ip_addr_is_any(Addr("0.0.0.0")));
	EXPECT_FALSE(leat_ip_addr_is_any(Addr("::1")));
	EXPECT_FALSE(leat_ip_addr_is_any(Addr("0.0.0.1")));
}

TEST(Ip, EqualNeedsEveryByte)
{
	leat_ip_addr a = Addr("102:304:506:708:90a:b0c:d0e:f10");

	EXPECT_TRUE(leat_ip_addr_is_equal(a, a));
	for (size_t i = 0; i < LEAT_IP_ADDR_LEN; i++) {
		leat_ip_addr b = a;

		b.bytes[i] ^= 1;
		EXPECT_FALSE(leat_ip_addr_is_equal(a, b)) << i;
	}
}

TEST(Ip, PrefixTakesExactlyItsBits)
{
	for (const char *text : { "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "10.77.3.1" }) {
		leat_ip_addr net = Addr(text);
		uint8_t nb_bits = leat_ip_addr_bits(net);

		for (unsigned int i = 0; i < nb_bits; i++) {
			unsigned int bit = LEAT_IP_ADDR_BITS - nb_bits + i;
			leat_ip_addr addr = net;

			addr.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			EXPECT_TRUE(leat_ip_addr_has_prefix(addr, net, (uint8_t)i)) << i;
			EXPECT_FALSE(leat_ip_addr_has_prefix(addr, net, (uint8_t)(i + 1))) << i;
		}
		EXPECT_TRUE(leat_ip_addr_has_prefix(net, net, nb_bits));
	}
}

TEST(Ip, PrefixOfOneFamilyDoesNotHoldTheOther)
{
	EXPECT_FALSE(leat_ip_addr_has_prefix(Addr("10.0.0.1"), Addr("::1"), 0));
	EXPECT_FALSE(leat_ip_addr_has_prefix(Addr("::1"), Addr("10.0.0.1"), 0));
	EXPECT_TRUE(leat_ip_addr_has_prefix(Addr("fd77::1"), Addr("::1"), 0));
}

// RFC 5952.
TEST(Ip, AddressesAreParsedAndPrinted)
{
	for (const char *text : { "0.0.0.0", "10.77.0.1", "255.255.255.255", "::", "::1", "fd77::1",
		     "2001:db8::1:0:0:1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" })
		EXPECT_EQ(text, Text(Addr(text)));
	EXPECT_EQ("fd77::a", Text(Addr("FD77:0:0:0:0:0:0:A")));
}

TEST(Ip, WhatIsNoAddressIsRefused)
{
	leat_ip_addr addr;

	for (const char *text : { "", "10.77.0", "10.77.0.256", "010.1.1.1", "10.77.0.1 ", "fd77:",
		     "fd77::1%eth0", "fd77::1/64", "[fd77::1]", "::ffff:10.77.0.1", "1::2::3" })
		EXPECT_EQ(-EINVAL, leat_ip_addr_parse(text, &addr)) << text;
}

} // namespace
