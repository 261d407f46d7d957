// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <leat_record.h>

namespace
{

// A recorder with memory of its own.
struct Recorder {
	explicit Recorder(uint32_t nb_segs)
	{
		mem = aligned_alloc(LEAT_CACHE_LINE_LEN,
			LEAT_MAX(leat_record_mem_len(nb_segs), (size_t)LEAT_CACHE_LINE_LEN));
		leat_record_init(&record, mem, nb_segs);
	}

	~Recorder()
	{
		free(mem);
	}

	Recorder(const Recorder &) = delete;
	Recorder &operator=(const Recorder &) = delete;

	void Add(leat_record_class class_of, uint64_t at_us, bool is_out = false)
	{
		uint8_t hdr[LEAT_RECORD_HDR_LEN] = { (uint8_t)at_us };

		leat_record_add(&record, class_of, at_us, is_out, hdr, 54, 60);
	}

	std::vector<uint64_t> Times(leat_record_class class_of) const
	{
		std::vector<uint64_t> times;

		for (uint32_t i = 0; i < leat_record_nb(&record, class_of); i++)
			times.push_back(leat_record_at(&record, class_of, i)->at_us);
		return times;
	}

	leat_record record = {};
	void *mem;
};

using Times = std::vector<uint64_t>;

TEST(Record, KeepsTheLastOfEachClassInTheirOrder)
{
	Recorder r(4);

	for (uint64_t t = 1; t <= 6; t++)
		r.Add(LEAT_RECORD_ESTABLISHED, t);
	r.Add(LEAT_RECORD_NEW, 100);
	EXPECT_EQ((Times{ 3, 4, 5, 6 }), r.Times(LEAT_RECORD_ESTABLISHED));
	EXPECT_EQ((Times{ 100 }), r.Times(LEAT_RECORD_NEW));
	EXPECT_EQ(Times{}, r.Times(LEAT_RECORD_STRAY));
}

TEST(Record, OneClassDoesNotPushOutAnother)
{
	Recorder r(2);

	r.Add(LEAT_RECORD_CLOSING, 1);
	for (uint64_t t = 2; t < 1000; t++)
		r.Add(LEAT_RECORD_STRAY, t);
	EXPECT_EQ((Times{ 1 }), r.Times(LEAT_RECORD_CLOSING));
}

TEST(Record, ASizeIsRoundedUpToAPowerOfTwo)
{
	Recorder r(5);

	EXPECT_EQ(8u, r.record.nb_segs);
	EXPECT_EQ(8u * LEAT_RECORD_CLASSES * sizeof(leat_record_seg), leat_record_mem_len(5));
	EXPECT_EQ(LEAT_RECORD_SEGS_MAX * LEAT_RECORD_CLASSES * sizeof(leat_record_seg),
		leat_record_mem_len(LEAT_RECORD_SEGS_MAX));
}

TEST(Record, NothingTakesNoMemory)
{
	leat_record record;

	EXPECT_EQ(0u, leat_record_mem_len(0));
	leat_record_init(&record, nullptr, 0);
	EXPECT_EQ(0u, leat_record_nb(&record, LEAT_RECORD_NEW));
}

TEST(Record, SegmentsOfAllClassesAreCountedTogether)
{
	Recorder r(4);

	r.Add(LEAT_RECORD_NEW, 1);
	r.Add(LEAT_RECORD_ESTABLISHED, 1, true);
	EXPECT_EQ(0u, leat_record_at(&r.record, LEAT_RECORD_NEW, 0)->seq);
	EXPECT_FALSE(leat_record_at(&r.record, LEAT_RECORD_NEW, 0)->lens.is_out);
	EXPECT_EQ(1u, leat_record_at(&r.record, LEAT_RECORD_ESTABLISHED, 0)->seq);
	EXPECT_TRUE(leat_record_at(&r.record, LEAT_RECORD_ESTABLISHED, 0)->lens.is_out);
	EXPECT_EQ(60u, leat_record_at(&r.record, LEAT_RECORD_NEW, 0)->lens.frame);
	EXPECT_EQ(54u, leat_record_at(&r.record, LEAT_RECORD_NEW, 0)->lens.hdr);
}

TEST(Record, ACopyHoldsAllAndIsItsOwn)
{
	Recorder r(4), copy(8);

	for (uint64_t t = 1; t <= 6; t++)
		r.Add(LEAT_RECORD_STRAY, t);
	r.Add(LEAT_RECORD_NEW, 7);
	ASSERT_EQ(0, leat_record_copy(&r.record, &copy.record));
	r.Add(LEAT_RECORD_STRAY, 8);
	EXPECT_EQ((Times{ 3, 4, 5, 6 }), copy.Times(LEAT_RECORD_STRAY));
	EXPECT_EQ((Times{ 7 }), copy.Times(LEAT_RECORD_NEW));
}

TEST(Record, ACopyThatIsTooSmallIsRefused)
{
	Recorder r(4), copy(2);

	EXPECT_EQ(-ENOSPC, leat_record_copy(&r.record, &copy.record));
}

// A frame's first bytes, up to the ports.
leat_record_seg
Segment(const std::vector<uint8_t> &bytes)
{
	leat_record_seg seg = {};

	std::copy(bytes.begin(), bytes.end(), seg.hdr);
	seg.lens.hdr = (uint8_t)bytes.size();
	return seg;
}

std::vector<uint8_t>
operator+(std::vector<uint8_t> a, const std::vector<uint8_t> &b)
{
	a.insert(a.end(), b.begin(), b.end());
	return a;
}

const std::vector<uint8_t> kMacs(12, 2);
const std::vector<uint8_t> kIpv4 = { 0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 77, 0, 2, 10,
	77, 0, 1 };
const std::vector<uint8_t> kPorts = { 0x9c, 0x40, 0x18, 0xeb }; // 40000, 6379

TEST(RecordEnds, AreThoseOfTheConnectionInBothDirections)
{
	leat_record_seg seg = Segment(kMacs + std::vector<uint8_t>{ 8, 0 } + kIpv4 + kPorts);
	leat_record_ends ends;

	ASSERT_TRUE(leat_record_seg_ends(&seg, &ends));
	EXPECT_TRUE(leat_ip_addr_is_equal(leat_ip_addr_from_ipv4(0x0a4d0001), ends.laddr));
	EXPECT_TRUE(leat_ip_addr_is_equal(leat_ip_addr_from_ipv4(0x0a4d0002), ends.raddr));
	EXPECT_EQ(6379, ends.lport);
	EXPECT_EQ(40000, ends.rport);
	seg.lens.is_out = true;
	ASSERT_TRUE(leat_record_seg_ends(&seg, &ends));
	EXPECT_EQ(40000, ends.lport);
	EXPECT_TRUE(leat_ip_addr_is_equal(leat_ip_addr_from_ipv4(0x0a4d0002), ends.laddr));
}

TEST(RecordEnds, AreFoundBehindATagAndOptions)
{
	std::vector<uint8_t> ip = kIpv4 + std::vector<uint8_t>(4, 1);
	leat_record_ends ends;

	ip[0] = 0x46;
	leat_record_seg seg =
		Segment(kMacs + std::vector<uint8_t>{ 0x81, 0, 0, 5, 8, 0 } + ip + kPorts);
	ASSERT_TRUE(leat_record_seg_ends(&seg, &ends));
	EXPECT_EQ(6379, ends.lport);
}

TEST(RecordEnds, AreFoundInIpv6)
{
	std::vector<uint8_t> ip(40);
	leat_record_ends ends;

	ip[0] = 0x60;
	ip[6] = 6;
	ip[8] = 0xfd;
	ip[23] = 2;
	ip[24] = 0xfd;
	ip[39] = 1;
	leat_record_seg seg = Segment(kMacs + std::vector<uint8_t>{ 0x86, 0xdd } + ip + kPorts);
	ASSERT_TRUE(leat_record_seg_ends(&seg, &ends));
	EXPECT_EQ(0xfd, ends.laddr.bytes[0]);
	EXPECT_EQ(1, ends.laddr.bytes[15]);
	EXPECT_EQ(2, ends.raddr.bytes[15]);
	EXPECT_EQ(40000, ends.rport);
}

TEST(RecordEnds, OfWhatIsCutOffAreNotFound)
{
	std::vector<uint8_t> whole = kMacs + std::vector<uint8_t>{ 8, 0 } + kIpv4 + kPorts;
	leat_record_ends ends;

	for (size_t len = 0; len < whole.size(); len++) {
		leat_record_seg seg =
			Segment(std::vector<uint8_t>(whole.begin(), whole.begin() + (long)len));

		EXPECT_FALSE(leat_record_seg_ends(&seg, &ends)) << len;
	}
}

} // namespace
