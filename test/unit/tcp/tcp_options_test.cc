// SPDX-License-Identifier: BSD-3-Clause

// The TCP header on the wire: RFC 9293 section 3.1 and 3.2, RFC 7323, RFC 2018.

#include <random>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

using Bytes = std::vector<uint8_t>;

// A header with these option bytes, padded to a multiple of four with zeros.
Bytes
Header(uint8_t flags, Bytes opts)
{
	Bytes hdr = { 0x18, 0xeb, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04, 0xff, 0xfe, 0xfd, 0xfc, 0,
		flags, 0x20, 0x01, 0, 0, 0, 0 };

	opts.resize((opts.size() + 3) / 4 * 4);
	hdr.insert(hdr.end(), opts.begin(), opts.end());
	hdr[12] = (uint8_t)(hdr.size() / 4 << 4);
	return hdr;
}

// The bytes lie at the end of an allocation of their own: a sanitizer sees one read past.
ssize_t
Parse(const Bytes &bytes, leat_tcp_seg *seg, leat_tcp_ports *ports = nullptr)
{
	std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
	leat_tcp_ports unused;

	std::copy(bytes.begin(), bytes.end(), copy.get());
	return leat_tcp_hdr_parse(
		{ copy.get(), bytes.size() }, ports != nullptr ? ports : &unused, seg);
}

TEST(TcpHdrParse, TakesTheFixedFields)
{
	leat_tcp_seg seg;
	leat_tcp_ports ports;
	Bytes hdr = Header(kAck | kPsh, {});

	EXPECT_EQ(20, Parse(hdr, &seg, &ports));
	EXPECT_EQ(6379, ports.src);
	EXPECT_EQ(80, ports.dst);
	EXPECT_EQ(0x01020304u, seg.seq);
	EXPECT_EQ(0xfffefdfcu, seg.ack);
	EXPECT_EQ(0x2001u, seg.wnd);
	EXPECT_EQ(kAck | kPsh, seg.flags);
	EXPECT_EQ(0u, seg.len);
}

TEST(TcpHdrParse, IgnoresUrgAndEcnBits)
{
	leat_tcp_seg seg;

	EXPECT_EQ(20, Parse(Header(0xff, {}), &seg));
	EXPECT_EQ(0x1f, seg.flags);
}

TEST(TcpHdrParse, RefusesEveryLengthBelowTheHeader)
{
	leat_tcp_seg seg;
	Bytes hdr = Header(kSyn, { 2, 4, 5, 0xb4, 1, 3, 3, 7 });

	EXPECT_EQ(28, Parse(hdr, &seg));
	for (size_t len = 0; len < hdr.size(); len++)
		EXPECT_EQ(-EBADMSG, Parse(Bytes(hdr.begin(), hdr.begin() + (long)len), &seg))
			<< len;
	hdr[12] = 4 << 4; // a data offset below 5 words
	EXPECT_EQ(-EBADMSG, Parse(hdr, &seg));
}

TEST(TcpHdrParse, TakesTheOptionsOfALinuxSyn)
{
	leat_tcp_seg seg;

	EXPECT_EQ(40, Parse(Header(kSyn, { 2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 7, 1,
						 3, 3, 7 }),
			      &seg));
	EXPECT_EQ(1460, seg.opts.mss);
	EXPECT_TRUE(seg.opts.has_sack_ok);
	EXPECT_TRUE(seg.opts.has_ts);
	EXPECT_EQ(9u, seg.opts.ts_val);
	EXPECT_EQ(7u, seg.opts.ts_ecr);
	EXPECT_TRUE(seg.opts.has_wscale);
	EXPECT_EQ(7, seg.opts.wscale);
}

TEST(TcpHdrParse, WindowScaleIsAtMost14)
{
	leat_tcp_seg seg;

	EXPECT_EQ(24, Parse(Header(kSyn, { 3, 3, 14, 0 }), &seg));
	EXPECT_EQ(14, seg.opts.wscale);
	EXPECT_EQ(24, Parse(Header(kSyn, { 3, 3, 15, 0 }), &seg));
	EXPECT_EQ(14, seg.opts.wscale);
}

TEST(TcpHdrParse, HandshakeOptionsCountOnASynOnly)
{
	leat_tcp_seg seg;

	EXPECT_EQ(32, Parse(Header(kAck, { 2, 4, 0x05, 0xb4, 4, 2, 1, 3, 3, 7 }), &seg));
	EXPECT_EQ(0, seg.opts.mss);
	EXPECT_FALSE(seg.opts.has_sack_ok);
	EXPECT_FALSE(seg.opts.has_wscale);
}

TEST(TcpHdrParse, TakesUpToFourSackBlocks)
{
	for (uint8_t nb = 1; nb <= 4; nb++) {
		Bytes opts = { 1, 1, 5, (uint8_t)(2 + 8 * nb) };
		leat_tcp_seg seg;

		for (uint8_t i = 0; i < nb; i++)
			opts.insert(opts.end(), { 0, 0, i, 1, 0, 0, i, 9 });
		EXPECT_EQ(24 + 8 * nb, Parse(Header(kAck, opts), &seg));
		ASSERT_EQ(nb, seg.opts.nb_sacks);
		for (uint32_t i = 0; i < nb; i++) {
			EXPECT_EQ(i << 8 | 1, seg.opts.sacks[i].left);
			EXPECT_EQ(i << 8 | 9, seg.opts.sacks[i].right);
		}
	}
}

TEST(TcpHdrParse, SkipsUnknownOptionsByTheirLength)
{
	leat_tcp_seg seg;

	EXPECT_EQ(32, Parse(Header(kSyn, { 254, 6, 2, 4, 0, 0, 2, 4, 1, 0, 99, 2 }), &seg));
	EXPECT_EQ(256, seg.opts.mss);
}

struct BadOptions {
	const char *what;
	Bytes opts;
};

// RFC 9293 section 3.2: such a list ends; the MSS before it counts, the one behind not.
TEST(TcpHdrParse, EndsAtWhatCannotBeAnOption)
{
	const BadOptions bad[] = {
		{ "length 0", { 2, 4, 1, 0, 9, 0, 2, 4, 2, 0 } },
		{ "length 1", { 2, 4, 1, 0, 9, 1, 2, 4, 2, 0 } },
		{ "length past the header", { 2, 4, 1, 0, 9, 9, 2, 4, 2, 0, 0, 0 } },
		{ "length 255", { 2, 4, 1, 0, 8, 255, 0, 0 } },
		{ "no length", { 2, 4, 1, 0, 1, 1, 1, 8 } },
		{ "end of options", { 2, 4, 1, 0, 0, 2, 4, 2, 0 } },
		{ "timestamps cut short", { 2, 4, 1, 0, 8, 10, 0, 0 } },
	};

	for (const BadOptions &list : bad) {
		leat_tcp_seg seg;

		EXPECT_LT(0, Parse(Header(kSyn, list.opts), &seg)) << list.what;
		EXPECT_EQ(256, seg.opts.mss) << list.what;
		EXPECT_FALSE(seg.opts.has_ts) << list.what;
	}
}

// What follows the header is text, even where an option would end in it.
TEST(TcpHdrParse, OptionOneOverTheEndOfTheHeaderIsNone)
{
	Bytes bytes = Header(kSyn, { 1, 2, 4, 5 });
	leat_tcp_seg seg;

	bytes.push_back(180);
	EXPECT_EQ(24, Parse(bytes, &seg));
	EXPECT_EQ(0, seg.opts.mss);
}

TEST(TcpHdrParse, SkipsKnownOptionsOfAWrongLength)
{
	leat_tcp_seg seg;

	EXPECT_EQ(52, Parse(Header(kSyn, { 2, 3, 1, 3, 4, 7, 7, 4, 3, 0, 8, 9, 0, 0, 0, 0, 0, 0, 0,
						 5, 9, 0, 0, 0, 0, 0, 0, 0, 5, 2, 1, 1 }),
			      &seg));
	EXPECT_EQ(0, seg.opts.mss);
	EXPECT_FALSE(seg.opts.has_wscale);
	EXPECT_FALSE(seg.opts.has_sack_ok);
	EXPECT_FALSE(seg.opts.has_ts);
	EXPECT_EQ(0, seg.opts.nb_sacks);
	EXPECT_EQ(40, Parse(Header(kSyn, { 8, 11, 0, 0, 0, 7, 0, 0, 0, 7, 7, 2, 5, 5, 180, 7, 3, 4,
						 7, 7 }),
			      &seg));
	EXPECT_FALSE(seg.opts.has_ts);
	EXPECT_EQ(0, seg.opts.mss);
	EXPECT_FALSE(seg.opts.has_wscale);
}

TEST(TcpHdrParse, RandomOptionsNeverReadPastTheHeader)
{
	std::mt19937 rng(1);

	for (int i = 0; i < 100000; i++) {
		Bytes opts(rng() % 41);
		leat_tcp_seg seg;

		for (uint8_t &byte : opts) // mostly kinds and lengths that mean something
			byte = (uint8_t)(rng() % (rng() % 4 == 0 ? 256 : 12));
		Bytes hdr = Header((uint8_t)rng(), opts);

		EXPECT_EQ((ssize_t)hdr.size(), Parse(hdr, &seg));
		EXPECT_LE(seg.opts.nb_sacks, LEAT_TCP_SACK_MAX);
		EXPECT_LE(seg.opts.wscale, LEAT_TCP_WSCALE_MAX);
	}
}

TEST(TcpHdrEmit, GoldenSynAck)
{
	leat_tcp_out out = {};
	uint8_t hdr[LEAT_TCP_HDR_LEN_MAX];
	const Bytes golden = { 0x18, 0xeb, 0x00, 0x50, 1, 2, 3, 4, 5, 6, 7, 8, 0xa0, 0x12, 0xab,
		0xcd, 0, 0, 0, 0, 2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3,
		7 };

	out.seq = 0x01020304;
	out.ack = 0x05060708;
	out.flags = kSyn | kAck;
	out.wnd = 0xabcd;
	out.opts.mss = 1460;
	out.opts.has_sack_ok = true;
	out.opts.has_ts = true;
	out.opts.ts_val = 1;
	out.opts.ts_ecr = 2;
	out.opts.has_wscale = true;
	out.opts.wscale = 7;
	EXPECT_EQ(golden.size(), leat_tcp_hdr_len(&out));
	ASSERT_EQ(golden.size(), leat_tcp_hdr_emit(hdr, { 6379, 80 }, &out));
	EXPECT_EQ(golden, Bytes(hdr, hdr + golden.size()));
}

TEST(TcpHdrEmit, TimestampsAloneArePaddedInFront)
{
	leat_tcp_out out = {};
	uint8_t hdr[LEAT_TCP_HDR_LEN_MAX];
	const Bytes golden = { 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2 };

	out.opts.has_ts = true;
	out.opts.ts_val = 1;
	out.opts.ts_ecr = 2;
	ASSERT_EQ(32u, leat_tcp_hdr_emit(hdr, { 1, 2 }, &out));
	EXPECT_EQ(golden, Bytes(hdr + 20, hdr + 32));
}

TEST(TcpHdrEmit, RoundTripsEverySetOfOptions)
{
	for (unsigned int bits = 0; bits < 16; bits++) {
		for (uint8_t nb_sacks = 0; nb_sacks <= 4; nb_sacks++) {
			leat_tcp_out out = {};
			leat_tcp_seg seg;
			uint8_t hdr[LEAT_TCP_HDR_LEN_MAX];

			out.opts.mss = bits & 1 ? 1234 : 0;
			out.opts.has_ts = bits & 2;
			out.opts.ts_val = bits & 2 ? 5 : 0;
			out.opts.has_sack_ok = bits & 4;
			out.opts.has_wscale = bits & 8;
			out.opts.wscale = bits & 8 ? 3 : 0;
			out.flags = bits & 13 ? kSyn : kAck;
			out.opts.nb_sacks = nb_sacks;
			for (uint32_t i = 0; i < nb_sacks; i++)
				out.opts.sacks[i] = { i, i + 10 };
			size_t opt_len = (bits & 1 ? 4 : 0) +
					 (bits & 2          ? 12
						 : bits & 4 ? 4
							    : 0) +
					 (bits & 8 ? 4 : 0) + (nb_sacks ? 4 + 8 * nb_sacks : 0);

			if (opt_len > LEAT_TCP_OPT_LEN_MAX)
				continue;
			size_t len = leat_tcp_hdr_emit(hdr, { 1, 2 }, &out);

			ASSERT_EQ(20 + opt_len, len);
			ASSERT_EQ((ssize_t)len, Parse(Bytes(hdr, hdr + len), &seg));
			EXPECT_EQ(out.opts.mss, seg.opts.mss);
			EXPECT_EQ(out.opts.has_ts, seg.opts.has_ts);
			EXPECT_EQ(out.opts.ts_val, seg.opts.ts_val);
			EXPECT_EQ(out.opts.has_sack_ok, seg.opts.has_sack_ok);
			EXPECT_EQ(out.opts.has_wscale, seg.opts.has_wscale);
			EXPECT_EQ(out.opts.wscale, seg.opts.wscale);
			ASSERT_EQ(nb_sacks, seg.opts.nb_sacks);
			for (uint32_t i = 0; i < nb_sacks; i++)
				EXPECT_EQ(i + 10, seg.opts.sacks[i].right);
		}
	}
}

} // namespace
