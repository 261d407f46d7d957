// SPDX-License-Identifier: BSD-3-Clause

// Extension headers, RFC 8200 section 4.

#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include <leat_ipv6.h>

namespace
{

using Bytes = std::vector<uint8_t>;

// A header of options that are padding.
Bytes
Options(uint8_t next, size_t len = 8)
{
	Bytes ext(len);

	ext[0] = next;
	ext[1] = (uint8_t)(len / 8 - 1);
	return ext;
}

Bytes
Routing(uint8_t next, uint8_t segments_left)
{
	return { next, 2, 0, segments_left, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7,
		8 };
}

Bytes
Fragment(uint8_t next, uint16_t field)
{
	return { next, 0xff, (uint8_t)(field >> 8), (uint8_t)field, 1, 2, 3, 4 };
}

Bytes
Join(const std::vector<Bytes> &parts)
{
	Bytes all;

	for (const Bytes &part : parts)
		all.insert(all.end(), part.begin(), part.end());
	return all;
}

// Skip, with a payload of 20 bytes behind.
ssize_t
Skip(const Bytes &exts, uint8_t *proto)
{
	Bytes bytes = exts;

	bytes.resize(bytes.size() + 20, 0xee);
	return leat_ipv6_skip_ext({ bytes.data(), bytes.size() }, proto);
}

ssize_t
SkipFrom(uint8_t proto, const Bytes &exts)
{
	return Skip(exts, &proto);
}

TEST(Ipv6Ext, NoneIsNothingToSkip)
{
	for (int i = 0; i < 256; i++) {
		uint8_t proto = (uint8_t)i;

		if (i == LEAT_IPV6_PROTO_HOPOPTS || i == LEAT_IPV6_PROTO_DSTOPTS ||
			i == LEAT_IPV6_PROTO_ROUTING || i == LEAT_IPV6_PROTO_FRAGMENT)
			continue;
		EXPECT_EQ(0, Skip({}, &proto));
		EXPECT_EQ(i, proto);
	}
}

TEST(Ipv6Ext, AllKindsInTheirOrderAreSkipped)
{
	uint8_t proto = LEAT_IPV6_PROTO_HOPOPTS;
	Bytes exts = Join({ Options(LEAT_IPV6_PROTO_DSTOPTS), Options(LEAT_IPV6_PROTO_ROUTING, 16),
		Routing(LEAT_IPV6_PROTO_FRAGMENT, 0), Fragment(LEAT_IPV6_PROTO_DSTOPTS, 0),
		Options(LEAT_IPV6_PROTO_TCP) });

	EXPECT_EQ((ssize_t)exts.size(), Skip(exts, &proto));
	EXPECT_EQ(LEAT_IPV6_PROTO_TCP, proto);
}

TEST(Ipv6Ext, NoNextHeaderIsTold)
{
	uint8_t proto = LEAT_IPV6_PROTO_DSTOPTS;

	EXPECT_EQ(8, Skip(Options(LEAT_IPV6_PROTO_NONE), &proto));
	EXPECT_EQ(LEAT_IPV6_PROTO_NONE, proto);
}

TEST(Ipv6Ext, HopByHopIsFirstOrTheWholeIsBad)
{
	Bytes exts = Join({ Options(LEAT_IPV6_PROTO_HOPOPTS), Options(LEAT_IPV6_PROTO_TCP) });

	EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, exts));
	EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_HOPOPTS, exts));
}

TEST(Ipv6Ext, FragmentsAreToldAndAtomicOnesSkipped)
{
	for (uint16_t field : { 0x0001, 0x0008, 0xfff8, 0xfff9 })
		EXPECT_EQ(-EMSGSIZE,
			SkipFrom(LEAT_IPV6_PROTO_FRAGMENT, Fragment(LEAT_IPV6_PROTO_TCP, field)))
			<< field;
	for (uint16_t field : { 0x0000, 0x0006 }) // RFC 6946; the two bits are reserved
		EXPECT_EQ(8,
			SkipFrom(LEAT_IPV6_PROTO_FRAGMENT, Fragment(LEAT_IPV6_PROTO_TCP, field)));
}

TEST(Ipv6Ext, RouteThatIsNotAtItsEndIsRefused)
{
	EXPECT_EQ(24, SkipFrom(LEAT_IPV6_PROTO_ROUTING, Routing(LEAT_IPV6_PROTO_TCP, 0)));
	EXPECT_EQ(-EOPNOTSUPP, SkipFrom(LEAT_IPV6_PROTO_ROUTING, Routing(LEAT_IPV6_PROTO_TCP, 1)));
}

// RFC 8200 section 4.2: the two highest bits say what to do with an unknown option.
TEST(Ipv6Ext, UnknownOptionsAreSkippedOrRefusedAsTheySay)
{
	for (int type = 1; type < 256; type++) {
		Bytes ext = Options(LEAT_IPV6_PROTO_TCP);

		ext[2] = (uint8_t)type;
		ext[3] = 4;
		EXPECT_EQ(type < 0x40 ? 8 : -EOPNOTSUPP, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, ext))
			<< type;
	}
}

TEST(Ipv6Ext, OptionOneOverTheEndOfItsHeaderIsBad)
{
	for (uint8_t type : { 1, 0x1e, 0xc1 }) {
		Bytes ext = Options(LEAT_IPV6_PROTO_TCP);

		ext[2] = type;
		ext[3] = 5;
		EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, ext)) << (int)type;
	}
	Bytes ext = Options(LEAT_IPV6_PROTO_TCP);

	ext[7] = 1; // its length is beyond the end
	EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, ext));
}

TEST(Ipv6Ext, EveryProperPrefixIsRefused)
{
	Bytes exts = Join({ Options(LEAT_IPV6_PROTO_ROUTING, 16),
		Routing(LEAT_IPV6_PROTO_FRAGMENT, 0), Fragment(LEAT_IPV6_PROTO_TCP, 0) });

	for (size_t len = 0; len < exts.size(); len++) {
		Bytes bytes(exts.begin(), exts.begin() + len); // its own memory, for ASan
		uint8_t proto = LEAT_IPV6_PROTO_HOPOPTS;

		EXPECT_EQ(-EBADMSG, leat_ipv6_skip_ext({ bytes.data(), len }, &proto)) << len;
		EXPECT_EQ(LEAT_IPV6_PROTO_HOPOPTS, proto);
	}
}

TEST(Ipv6Ext, AsManyHeadersAsTheLimitAndNotOneMore)
{
	std::vector<Bytes> parts(LEAT_IPV6_EXT_MAX, Options(LEAT_IPV6_PROTO_DSTOPTS));

	parts.back() = Options(LEAT_IPV6_PROTO_TCP);
	EXPECT_EQ(8 * (ssize_t)LEAT_IPV6_EXT_MAX, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, Join(parts)));
	parts.insert(parts.begin(), Options(LEAT_IPV6_PROTO_DSTOPTS));
	EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, Join(parts)));
}

TEST(Ipv6Ext, AsManyBytesAsTheLimitAndNotOneHeaderMore)
{
	Bytes longest = Options(LEAT_IPV6_PROTO_TCP, LEAT_IPV6_EXT_LEN_MAX);

	EXPECT_EQ((ssize_t)LEAT_IPV6_EXT_LEN_MAX, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, longest));
	longest = Options(LEAT_IPV6_PROTO_TCP, LEAT_IPV6_EXT_LEN_MAX + 8);
	EXPECT_EQ(-EBADMSG, SkipFrom(LEAT_IPV6_PROTO_DSTOPTS, longest));
}

} // namespace
