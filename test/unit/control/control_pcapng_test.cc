// SPDX-License-Identifier: BSD-3-Clause

// pcapng by its draft: blocks that are told apart by their length at both ends.

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control_pcapng.h"

namespace
{

struct Block {
	uint32_t type;
	std::string body;
};

// Everything that is written to a stream.
class Pcapng : public testing::Test
{
      protected:
	void SetUp() override
	{
		out_ = open_memstream(&data_, &len_);
	}

	void TearDown() override
	{
		if (out_ != nullptr)
			(void)fclose(out_);
		free(data_);
	}

	std::vector<Block> Blocks()
	{
		std::vector<Block> blocks;
		size_t at = 0;

		(void)fclose(out_);
		out_ = nullptr;
		while (at < len_) {
			uint32_t head[2], tail;

			memcpy(head, data_ + at, sizeof(head));
			EXPECT_EQ(0u, head[1] % 4);
			EXPECT_LE(at + head[1], len_);
			memcpy(&tail, data_ + at + head[1] - 4, sizeof(tail));
			EXPECT_EQ(head[1], tail);
			blocks.push_back({ head[0], std::string(data_ + at + 8, head[1] - 12) });
			at += head[1];
		}
		return blocks;
	}

	FILE *out_ = nullptr;
	char *data_ = nullptr;
	size_t len_ = 0;
};

uint32_t
U32(const std::string &body, size_t at)
{
	uint32_t value;

	memcpy(&value, body.data() + at, sizeof(value));
	return value;
}

TEST_F(Pcapng, ASectionBeginsWithItsMagicAndVersion)
{
	control_pcapng_section(out_, "leatd", "why");
	std::vector<Block> blocks = Blocks();
	ASSERT_EQ(1u, blocks.size());
	EXPECT_EQ(0x0a0d0d0au, blocks[0].type);
	EXPECT_EQ(0x1a2b3c4du, U32(blocks[0].body, 0));
	EXPECT_EQ(1u, U32(blocks[0].body, 4)) << "version 1.0";
	EXPECT_NE(std::string::npos, blocks[0].body.find("why"));
	EXPECT_NE(std::string::npos, blocks[0].body.find("leatd"));
}

TEST_F(Pcapng, AnInterfaceIsEthernetWithItsSnapLength)
{
	control_pcapng_interface(out_, "worker0/p0");
	std::vector<Block> blocks = Blocks();
	ASSERT_EQ(1u, blocks.size());
	EXPECT_EQ(1u, blocks[0].type);
	EXPECT_EQ(1u, U32(blocks[0].body, 0));
	EXPECT_EQ(LEAT_RECORD_HDR_LEN, U32(blocks[0].body, 4));
	EXPECT_NE(std::string::npos, blocks[0].body.find("worker0/p0"));
}

TEST_F(Pcapng, APacketHasItsTimeItsLengthsAndNoMoreThanItsHeaders)
{
	leat_record_seg seg = {};

	seg.at_us = 5;
	seg.lens.frame = 1514;
	seg.lens.hdr = 66;
	memset(seg.hdr, 'h', 66);
	memset(seg.hdr + 66, 's', LEAT_RECORD_HDR_LEN - 66); // the beginning of a secret
	control_pcapng_packet(out_, 3, &seg, 0x123456789abcdef0u, "established");
	std::vector<Block> blocks = Blocks();
	ASSERT_EQ(1u, blocks.size());
	EXPECT_EQ(6u, blocks[0].type);
	EXPECT_EQ(3u, U32(blocks[0].body, 0));
	EXPECT_EQ(0x12345678u, U32(blocks[0].body, 4));
	EXPECT_EQ(0x9abcdef5u, U32(blocks[0].body, 8));
	EXPECT_EQ(66u, U32(blocks[0].body, 12));
	EXPECT_EQ(1514u, U32(blocks[0].body, 16));
	EXPECT_EQ(std::string(66, 'h') + std::string(2, '\0'), blocks[0].body.substr(20, 68));
	EXPECT_EQ(std::string::npos, blocks[0].body.find("sss"));
	EXPECT_NE(std::string::npos, blocks[0].body.find("established"));
}

TEST_F(Pcapng, TheDirectionIsTold)
{
	leat_record_seg seg = {};

	control_pcapng_packet(out_, 0, &seg, 0, "");
	seg.lens.is_out = true;
	control_pcapng_packet(out_, 0, &seg, 0, "");
	std::vector<Block> blocks = Blocks();
	ASSERT_EQ(2u, blocks.size());
	EXPECT_EQ(1u, U32(blocks[0].body, blocks[0].body.size() - 8));
	EXPECT_EQ(2u, U32(blocks[1].body, blocks[1].body.size() - 8));
}

TEST_F(Pcapng, ALongCommentIsCut)
{
	control_pcapng_section(out_, "leatd", std::string(5000, 'c').c_str());
	std::vector<Block> blocks = Blocks();
	ASSERT_EQ(1u, blocks.size());
	EXPECT_NE(
		std::string::npos, blocks[0].body.find(std::string(CONTROL_PCAPNG_TEXT_MAX, 'c')));
	EXPECT_EQ(std::string::npos,
		blocks[0].body.find(std::string(CONTROL_PCAPNG_TEXT_MAX + 1, 'c')));
}

} // namespace
