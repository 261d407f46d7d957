// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_FRAME_H
#define SIM_FRAME_H

// Frames as bytes, read and changed by code that shares nothing with the stacks: it plays
// ports and middleboxes, and it is the judge.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim_plan.h"

namespace sim
{

using Frame = std::vector<uint8_t>;

// Where things are in a frame; offsets are 0 where there is no such thing.
struct Layout {
	explicit Layout(const Frame &frame);

	bool IsIp() const
	{
		return l3_off != 0;
	}
	bool IsTcp() const
	{
		return l4_off != 0;
	}

	size_t IpLen() const
	{
		return end_off - l3_off;
	}

	bool is_ipv6 = false;
	uint8_t proto = 0;  // of IP
	size_t l3_off = 0;  // of IP
	size_t l4_off = 0;  // of TCP
	size_t end_off = 0; // of the IP packet: padding follows
	size_t text_off = 0;
	uint16_t sport = 0;
	uint16_t dport = 0;
	uint32_t seq = 0;
	uint8_t flags = 0;
};

constexpr size_t kEthLen = 14;
constexpr size_t kVlanLen = 4;
constexpr uint8_t kProtoIcmp = 1;
constexpr uint8_t kProtoTcp = 6;
constexpr uint8_t kProtoIcmp6 = 58;

inline uint16_t
Get16(const Frame &frame, size_t off)
{
	return (uint16_t)(frame[off] << 8 | frame[off + 1]);
}

inline uint32_t
Get32(const Frame &frame, size_t off)
{
	return (uint32_t)Get16(frame, off) << 16 | Get16(frame, off + 2);
}

inline void
Put16(Frame *frame, size_t off, uint16_t value)
{
	(*frame)[off] = (uint8_t)(value >> 8);
	(*frame)[off + 1] = (uint8_t)value;
}

inline void
Put32(Frame *frame, size_t off, uint32_t value)
{
	Put16(frame, off, (uint16_t)(value >> 16));
	Put16(frame, off + 2, (uint16_t)value);
}

// As a port that computes the sums that the stack left to it.
void PortSum(Frame *frame, bool ip, bool tcp);
// As a port that cuts text into segments of @p mss bytes, from the lengths that it is told.
std::vector<Frame> PortCut(
	const Frame &frame, size_t l3_off, size_t l4_off, size_t text_off, size_t mss);
// Write the sums of IPv4 and of TCP, ICMP or ICMPv6 behind it.
void WriteSums(Frame *frame);
// As a port that checks them.
bool IsIpSumGood(const Frame &frame, const Layout &layout);
bool IsTcpSumGood(const Frame &frame, const Layout &layout);
// As a middlebox that takes options off a SYN. Only off the first: who answers must know.
void StripSyn(Frame *frame, unsigned int strips);

} // namespace sim

#endif // SIM_FRAME_H
