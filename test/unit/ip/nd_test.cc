// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <leat_icmp.h>
#include <leat_nd.h>

namespace
{

using Bytes = std::vector<uint8_t>;

// Who has fd77::1? I am 02:00:00:00:00:02.
const Bytes kSolicitation = { 135, 0, 0x12, 0x34, 0, 0, 0, 0, 0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 0, 0, 2 };
// fd77::1 is at 02:00:00:00:00:01; solicited, override.
const Bytes kAdvertisement = { 136, 0, 0x12, 0x34, 0x60, 0, 0, 0, 0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 1, 2, 1, 2, 0, 0, 0, 0, 1 };

ssize_t
Parse(const Bytes &bytes, leat_nd *nd)
{
	Bytes own = bytes; // its own memory, for ASan

	return leat_nd_parse({ own.data(), own.size() }, nd);
}

// RFC 4861 section 4.3.
TEST(Nd, SolicitationIsParsed)
{
	const uint8_t mac[] = { 2, 0, 0, 0, 0, 2 };
	leat_nd nd;

	ASSERT_EQ(32, Parse(kSolicitation, &nd));
	EXPECT_FALSE(nd.is_advert);
	EXPECT_EQ(0, memcmp(&kSolicitation[8], nd.target.bytes, 16));
	ASSERT_TRUE(nd.has_mac);
	EXPECT_EQ(0, memcmp(mac, nd.mac, 6));
}

// RFC 4861 section 4.4.
TEST(Nd, AdvertisementAndEachOfItsFlagsAreParsed)
{
	leat_nd nd;

	ASSERT_EQ(32, Parse(kAdvertisement, &nd));
	EXPECT_TRUE(nd.is_advert);
	EXPECT_TRUE(nd.has_mac);
	for (int flags = 0; flags < 8; flags++) {
		Bytes bytes = kAdvertisement;

		bytes[4] = (uint8_t)(flags << 5);
		ASSERT_EQ(32, Parse(bytes, &nd));
		EXPECT_EQ((flags & 4) != 0, nd.is_router);
		EXPECT_EQ((flags & 2) != 0, nd.is_solicited);
		EXPECT_EQ((flags & 1) != 0, nd.is_override);
	}
}

TEST(Nd, WithoutOptionsThereIsNoMac)
{
	leat_nd nd;

	ASSERT_EQ(24, Parse({ kSolicitation.begin(), kSolicitation.begin() + 24 }, &nd));
	EXPECT_FALSE(nd.has_mac);
}

// RFC 4861 sections 7.1.1 and 7.1.2: options of other types are ignored.
TEST(Nd, OtherOptionsAreSkippedByTheirLength)
{
	Bytes bytes(kSolicitation.begin(), kSolicitation.begin() + 24);
	leat_nd nd;

	bytes.insert(bytes.end(), { 14, 1, 1, 2, 3, 4, 5, 6 });
	bytes.insert(bytes.end(), { 2, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 });
	bytes.insert(bytes.end(), kSolicitation.begin() + 24, kSolicitation.end());
	ASSERT_EQ((ssize_t)bytes.size(), Parse(bytes, &nd));
	EXPECT_TRUE(nd.has_mac);
	EXPECT_EQ(2, nd.mac[5]);
}

TEST(Nd, OptionOfLengthZeroIsRefused)
{
	Bytes bytes = kSolicitation;
	leat_nd nd;

	bytes[25] = 0;
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes[24] = 14; // of whatever type
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
}

TEST(Nd, EveryPrefixButThatWithoutOptionsIsRefused)
{
	for (const Bytes &whole : { kSolicitation, kAdvertisement }) {
		for (size_t len = 0; len < whole.size(); len++) {
			leat_nd nd;

			EXPECT_EQ(len == 24 ? 24 : -EBADMSG,
				Parse({ whole.begin(), whole.begin() + len }, &nd))
				<< len;
		}
	}
}

TEST(Nd, WhatCannotBeIsRefused)
{
	leat_nd nd;
	Bytes bytes = kSolicitation;

	bytes[1] = 1; // code
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes = kSolicitation;
	bytes[8] = 0xff; // multicast target
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes = kSolicitation;
	bytes[8] = bytes[9] = 0; // ::ffff:0.0.0.1
	bytes[18] = bytes[19] = 0xff;
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes = kSolicitation;
	bytes[26] |= 1; // a group's MAC address
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes = kSolicitation;
	bytes[25] = 2; // an address of 14 bytes
	bytes.resize(40);
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
	bytes = kSolicitation;
	bytes[0] = LEAT_ICMP6_TYPE_RA;
	EXPECT_EQ(-EPROTONOSUPPORT, Parse(bytes, &nd));
}

TEST(Nd, AsManyBytesAsTheLimitAndNotOneOptionMore)
{
	Bytes bytes = kSolicitation;
	leat_nd nd;

	while (bytes.size() < LEAT_ND_LEN_MAX)
		bytes.insert(bytes.end(), { 14, 1, 0, 0, 0, 0, 0, 0 });
	EXPECT_EQ((ssize_t)LEAT_ND_LEN_MAX, Parse(bytes, &nd));
	bytes.insert(bytes.end(), { 14, 1, 0, 0, 0, 0, 0, 0 });
	EXPECT_EQ(-EBADMSG, Parse(bytes, &nd));
}

TEST(Nd, EmitIsTheInverseOfParse)
{
	for (Bytes bytes : { kSolicitation, kAdvertisement }) {
		uint8_t out[LEAT_ND_EMIT_LEN_MAX];
		leat_nd nd;

		bytes[2] = bytes[3] = 0; // the checksum is the caller's
		ASSERT_EQ(32, Parse(bytes, &nd));
		ASSERT_EQ(32u, leat_nd_emit(&nd, out));
		EXPECT_EQ(bytes, Bytes(out, out + 32));
		nd.has_mac = false;
		ASSERT_EQ(24u, leat_nd_emit(&nd, out));
		EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 24), Bytes(out, out + 24));
	}
}

} // namespace
