// SPDX-License-Identifier: BSD-3-Clause

// Frames of SBE as tests write and read them.

#ifndef SBE_BYTES_H
#define SBE_BYTES_H

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_sbe_messages.h>

inline leat_slice
Slice(const std::string &s)
{
	return { (const uint8_t *)s.data(), s.size() };
}

inline std::string
String(leat_slice s)
{
	return s.len == 0 ? "" : std::string((const char *)s.data, s.len);
}

inline std::string
FromHex(const std::string &hex)
{
	std::string out;

	for (size_t i = 0; i + 1 < hex.size(); i += 2)
		out += (char)std::stoi(hex.substr(i, 2), nullptr, 16);
	return out;
}

inline std::string
ToHex(const std::string &bytes)
{
	const char *digits = "0123456789abcdef";
	std::string out;

	for (unsigned char byte : bytes) {
		out += digits[byte >> 4];
		out += digits[byte & 15];
	}
	return out;
}

// A copy of its own exact size, so that a sanitizer sees one byte too far.
class Exact
{
      public:
	explicit Exact(const std::string &bytes)
	    : len_(bytes.size()), data_((uint8_t *)malloc(bytes.empty() ? 1 : bytes.size()))
	{
		if (!bytes.empty())
			memcpy(data_, bytes.data(), bytes.size());
	}

	~Exact()
	{
		free(data_);
	}

	Exact(const Exact &) = delete;
	Exact &operator=(const Exact &) = delete;

	leat_slice slice() const
	{
		return { data_, len_ };
	}

      private:
	size_t len_;
	uint8_t *data_;
};

// What an encoder of leat_sbe_messages.h writes.
template <typename Put>
std::string
Written(Put put)
{
	std::vector<uint8_t> buf(1 << 20);
	leat_writer w;

	leat_writer_init(&w, buf.data(), buf.size());
	EXPECT_EQ(0, put(&w));
	EXPECT_FALSE(w.failed);
	return std::string((char *)buf.data(), (size_t)(w.pos - buf.data()));
}

// One frame and the message in it, which must be whole and of that template.
class Decoded
{
      public:
	Decoded(const std::string &bytes, uint16_t template_id) : bytes_(bytes)
	{
		leat_sbe_refusal refusal = LEAT_SBE_OK;
		leat_sbe_frame frame = {};
		ssize_t ret =
			leat_sbe_parse_frame(bytes_.slice(), LEAT_SBE_FRAME_MAX, &frame, &refusal);

		EXPECT_EQ((ssize_t)bytes.size(), ret);
		EXPECT_EQ(template_id, frame.template_id);
		memset(&msg_, 0xff, sizeof(msg_)); // nothing of it may be left
		if (ret > 0 && frame.template_id == template_id) {
			EXPECT_EQ(LEAT_SBE_OK,
				leat_sbe_decode(leat_sbe_layout_find(template_id), &frame, &msg_));
			EXPECT_EQ(leat_sbe_layout_find(template_id), msg_.layout);
			EXPECT_TRUE(leat_sbe_layout_find(template_id)->has_group ||
				    msg_.group.nb_left == 0);
		}
	}

	const leat_sbe_message *operator*() const
	{
		return &msg_;
	}

	std::vector<leat_sbe_entry> Entries() const
	{
		leat_sbe_group group = msg_.group;
		std::vector<leat_sbe_entry> out;
		leat_sbe_entry entry;

		while (leat_sbe_group_next(&group, &entry))
			out.push_back(entry);
		return out;
	}

      private:
	Exact bytes_;
	leat_sbe_message msg_;
};

// Whole frames as another implementation makes them, by what they say.
struct SbeVector {
	const char *name;
	const char *hex;
};

inline constexpr SbeVector kSbeVectors[] = {
	{ "Ping", "080000000000100007000200" },
	{ "Set k value-0000000001", "2b0000000a0017000700020000000000000000000000010000006b10000000"
				    "76616c75652d30303030303030303031" },
	{ "Get k", "0d0000000000160007000200010000006b" },
	{ "HSet h field value-0000000001",
		"2e00000000002e000700020000000100050000006669656c6410000000"
		"76616c75652d303030303030303030310100000068" },
	{ "HGet h field", "1600000000003000070002000100000068050000006669656c64" },
	{ "ZAdd z 1.0 member", "2400000001001100070002000008000100000000000000f03f06000000"
			       "6d656d626572010000007a" },
	{ "ZScore z member", "170000000000130007000200010000007a060000006d656d626572" },
	{ "Publish c quote-update",
		"1d000000000064000700020001000000630c00000071756f74652d757064617465" },
	{ "Subscribe c", "110000000000600007000200000001000100000063" },
	{ "push subscribe c 1", "1a00000005000c0007000200020100000000000000010000006300000000" },
	{ "push message c", "2600000005000c000700020000000000000000000001000000630c000000"
			    "71756f74652d757064617465" },
	{ "PONG", "10000000000002000700020004000000504f4e47" },
	{ "OK", "0e0000000000020007000200020000004f4b" },
	{ "bulk value-0000000001",
		"1c00000000000600070002001000000076616c75652d30303030303030303031" },
	{ "nil", "080000000000010007000200" },
	{ "int 1", "1000000008000400070002000100000000000000" },
	{ "double 2.0", "1000000008000500070002000000000000000040" },
	{ "WRONGTYPE",
		"5000000000000300070002000900000057524f4e4754595045370000004f7065726174696f6e20"
		"616761696e73742061206b657920686f6c64696e67207468652077726f6e67206b696e64206f66"
		"2076616c7565" },
};

inline std::string
SbeVectorBytes(const std::string &name)
{
	for (const SbeVector &vector : kSbeVectors) {
		if (name == vector.name)
			return FromHex(vector.hex);
	}
	ADD_FAILURE() << "no vector " << name;
	return "";
}

#endif // SBE_BYTES_H
