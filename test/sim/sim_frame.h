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

	bool is_ipv6 = false;
	size_t l3_off = 0;  // of IP
	size_t l4_off = 0;  // of TCP
	size_t end_off = 0; // of the IP packet: padding follows
	size_t text_off = 0;
	uint16_t sport = 0;
	uint16_t dport = 0;
	uint32_t seq = 0;
	uint8_t flags = 0;
};

// As a port that computes the sums that the stack left to it.
void PortSum(Frame *frame, bool ip, bool tcp);
// As a port that checks them.
bool IsIpSumGood(const Frame &frame, const Layout &layout);
bool IsTcpSumGood(const Frame &frame, const Layout &layout);
// As a middlebox that takes options off a SYN. Only off the first: who answers must know.
void StripSyn(Frame *frame, unsigned int strips);

} // namespace sim

#endif // SIM_FRAME_H
