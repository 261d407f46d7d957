// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_cksum.h>
#include <leat_ipv6.h>

#include "ip_text.h"

namespace
{

// An echo request of ping6 from fd77::2 to fd77::1, hop limit 64, 16 bytes.
const std::vector<uint8_t> kHeader = { 0x60, 0x0b, 0x12, 0x34, 0x00, 0x10, 0x3a, 0x40, 0xfd, 0x77,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0x01 };

ssize_t
Parse(const std::vector<uint8_t> &bytes, size_t packet_len, leat_ipv6_hdr *hdr)
{
	return leat_ipv6_parse({ bytes.data(), bytes.size() }, packet_len, hdr);
}

using ip_text::Addr;
using ip_text::Text;

// RFC 8200 section 3.
TEST(Ipv6Parse, PlainHeader)
{
	leat_ipv6_hdr hdr;

	ASSERT_EQ(40, Parse(kHeader, 56, &hdr));
	EXPECT_EQ(0, hdr.traffic_class);
	EXPECT_EQ(0xb1234u, hdr.flow_label);
	EXPECT_EQ(16, hdr.payload_len);
	EXPECT_EQ(LEAT_IPV6_PROTO_ICMP, hdr.next);
	EXPECT_EQ(64, hdr.hop_limit);
	EXPECT_EQ("fd77::2", Text(hdr.src));
	EXPECT_EQ("fd77::1", Text(hdr.dst));
}

TEST(Ipv6Parse, PaddingBehindThePayloadIsAccepted)
{
	leat_ipv6_hdr hdr;

	ASSERT_EQ(40, Parse(kHeader, 60, &hdr));
	EXPECT_EQ(16, hdr.payload_len);
}

TEST(Ipv6Parse, PayloadOneOverWhatWasReceivedIsRefused)
{
	leat_ipv6_hdr hdr;

	EXPECT_EQ(40, Parse(kHeader, 56, &hdr));
	EXPECT_EQ(-EBADMSG, Parse(kHeader, 55, &hdr));
}

TEST(Ipv6Parse, EveryProperPrefixIsRefused)
{
	leat_ipv6_hdr hdr;

	for (size_t len = 0; len < kHeader.size(); len++)
		EXPECT_EQ(-EBADMSG, Parse({ kHeader.begin(), kHeader.begin() + len }, len, &hdr))
			<< len;
}

TEST(Ipv6Parse, OtherVersionsAreRefused)
{
	for (int version = 0; version < 16; version++) {
		std::vector<uint8_t> bytes = kHeader;
		leat_ipv6_hdr hdr;

		bytes[0] = (uint8_t)(version << 4);
		EXPECT_EQ(version == 6 ? 40 : -EPROTONOSUPPORT, Parse(bytes, 56, &hdr)) << version;
	}
}

TEST(Ipv6Emit, IsTheInverseOfParse)
{
	uint8_t out[LEAT_IPV6_HDR_LEN];
	leat_ipv6_hdr hdr;

	ASSERT_EQ(40, Parse(kHeader, 56, &hdr));
	hdr.traffic_class = 0xb8;
	ASSERT_EQ(LEAT_IPV6_HDR_LEN, leat_ipv6_emit(&hdr, out));
	std::vector<uint8_t> expected = kHeader;
	expected[0] = 0x6b;
	expected[1] = 0x8b;
	EXPECT_EQ(expected, std::vector<uint8_t>(out, out + sizeof(out)));
}

// RFC 8200 section 8.1; the checksum of the echo request whose header is above.
TEST(Ipv6Cksum, PseudoHeaderOfAnEcho)
{
	const uint8_t echo[16] = { 128, 0, 0, 0, 0x12, 0x34, 0, 1, 'a', 'b', 'c', 'd', 'e', 'f',
		'g', 'h' };
	uint32_t sum = 0;
	leat_cksum cksum = {};

	for (size_t i = 8; i < 40; i += 2) // by the definition
		sum += (uint32_t)(kHeader[i] << 8 | kHeader[i + 1]);
	sum += 16 + 58;
	for (size_t i = 0; i < 16; i += 2)
		sum += (uint32_t)(echo[i] << 8 | echo[i + 1]);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	leat_cksum_add_ipv6_pseudo(&cksum, Addr("fd77::2"), Addr("fd77::1"), 58, 16);
	leat_cksum_add(&cksum, echo, sizeof(echo));
	EXPECT_EQ(sum, leat_cksum_fold(&cksum));
}

TEST(Ipv6Cksum, PseudoHeaderTakesLengthsOver16Bits)
{
	leat_cksum a = {}, b = {};

	leat_cksum_add_ipv6_pseudo(&a, Addr("::"), Addr("::"), 6, 0x12345);
	leat_cksum_add_ipv6_pseudo(&b, Addr("::"), Addr("::"), 6, 0x2346);
	EXPECT_EQ(leat_cksum_fold(&b), leat_cksum_fold(&a));
}

// RFC 4291 sections 2.4, 2.5.2, 2.5.3, 2.7.
TEST(Ipv6Addr, OnlyHostsAreHosts)
{
	for (const char *text : { "fd77::1", "2001:db8::1", "fe80::1", "::2", "::10.0.0.1" })
		EXPECT_TRUE(leat_ipv6_addr_is_host(Addr(text))) << text;
	for (const char *text : { "::", "::1", "ff02::1", "ffff::1", "10.77.0.1" })
		EXPECT_FALSE(leat_ipv6_addr_is_host(Addr(text))) << text;
}

TEST(Ipv6Addr, LinkLocalIsFe80Slash10)
{
	for (const char *text : { "fe80::1", "febf::1" })
		EXPECT_TRUE(leat_ipv6_addr_is_link_local(Addr(text))) << text;
	for (const char *text : { "fe7f::1", "fec0::1", "fd80::1", "ff02::1" })
		EXPECT_FALSE(leat_ipv6_addr_is_link_local(Addr(text))) << text;
}

// RFC 4291 appendix A has this MAC address.
TEST(Ipv6Addr, LinkLocalOfAMacIsItsModifiedEui64)
{
	const uint8_t mac[] = { 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde };

	EXPECT_EQ("fe80::3656:78ff:fe9a:bcde", Text(leat_ipv6_addr_link_local(mac)));
}

// RFC 4291 section 2.7.1 has this example; the MAC address is RFC 2464's.
TEST(Ipv6Addr, SolicitedNodeGroupAndItsMac)
{
	const uint8_t expected[] = { 0x33, 0x33, 0xff, 0x0e, 0x8c, 0x6c };
	leat_ip_addr group = leat_ipv6_addr_solicited_node(Addr("4037::1:800:200e:8c6c"));
	uint8_t mac[LEAT_ETH_ADDR_LEN];

	EXPECT_EQ("ff02::1:ff0e:8c6c", Text(group));
	leat_ipv6_multicast_mac(group, mac);
	EXPECT_EQ(0, memcmp(expected, mac, sizeof(mac)));
	EXPECT_EQ("ff02::1", Text(leat_ipv6_addr_all_nodes()));
}

} // namespace
