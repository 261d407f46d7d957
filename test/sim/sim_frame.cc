// SPDX-License-Identifier: BSD-3-Clause

#include "sim_frame.h"

namespace sim
{

namespace
{

constexpr size_t kEthLen = 14;
constexpr size_t kVlanLen = 4;
constexpr uint8_t kProtoTcp = 6;
constexpr uint8_t kFlagSyn = 0x02;
constexpr uint8_t kFlagAck = 0x10;

uint16_t
Get16(const Frame &frame, size_t off)
{
	return (uint16_t)(frame[off] << 8 | frame[off + 1]);
}

uint32_t
Get32(const Frame &frame, size_t off)
{
	return (uint32_t)Get16(frame, off) << 16 | Get16(frame, off + 2);
}

void
Put16(Frame *frame, size_t off, uint16_t value)
{
	(*frame)[off] = (uint8_t)(value >> 8);
	(*frame)[off + 1] = (uint8_t)value;
}

// RFC 1071 by its definition: 16-bit words, an odd byte is the high half of one.
uint32_t
Add(const Frame &frame, size_t off, size_t end, uint32_t sum)
{
	for (size_t i = off; i < end; i++)
		sum += (i - off) % 2 == 0 ? (uint32_t)frame[i] << 8 : frame[i];
	return sum;
}

uint16_t
Fold(uint32_t sum)
{
	while (sum > UINT16_MAX)
		sum = (sum >> 16) + (sum & UINT16_MAX);
	return (uint16_t)sum;
}

// Both addresses, protocol and length.
uint32_t
PseudoSum(const Frame &frame, const Layout &layout)
{
	size_t addrs_off = layout.l3_off + (layout.is_ipv6 ? 8 : 12);
	size_t addrs_end = layout.l3_off + (layout.is_ipv6 ? 40 : 20);

	return Add(frame, addrs_off, addrs_end, 0) + kProtoTcp +
	       (uint32_t)(layout.end_off - layout.l4_off);
}

} // namespace

Layout::Layout(const Frame &frame)
{
	size_t off = kEthLen;

	if (Get16(frame, 12) == 0x8100)
		off += kVlanLen;
	uint16_t type = Get16(frame, off - 2);
	size_t hdr_len, end;
	uint8_t proto;
	if (type == 0x0800 && frame.size() >= off + 20 && frame[off] >> 4 == 4) {
		hdr_len = (size_t)(frame[off] & 0xf) * 4;
		end = off + Get16(frame, off + 2);
		proto = frame[off + 9];
	} else if (type == 0x86dd && frame.size() >= off + 40 && frame[off] >> 4 == 6) {
		is_ipv6 = true;
		hdr_len = 40;
		end = off + hdr_len + Get16(frame, off + 4);
		proto = frame[off + 6];
	} else {
		return;
	}
	if (hdr_len < 20 || end > frame.size() || off + hdr_len > end)
		return;
	l3_off = off;
	end_off = end;
	size_t tcp = off + hdr_len;
	if (proto != kProtoTcp || tcp + 20 > end || tcp + (size_t)(frame[tcp + 12] >> 4) * 4 > end)
		return;
	l4_off = tcp;
	text_off = tcp + (size_t)(frame[tcp + 12] >> 4) * 4;
	sport = Get16(frame, tcp);
	dport = Get16(frame, tcp + 2);
	seq = Get32(frame, tcp + 4);
	flags = frame[tcp + 13];
}

void
PortSum(Frame *frame, bool ip, bool tcp)
{
	const Layout layout(*frame);

	if (tcp) { // the stack has left the sum of the pseudo header there
		Put16(frame, layout.l4_off + 16,
			(uint16_t)~Fold(Add(*frame, layout.l4_off, layout.end_off, 0)));
	}
	if (ip) {
		Put16(frame, layout.l3_off + 10, 0);
		Put16(frame, layout.l3_off + 10,
			(uint16_t)~Fold(Add(*frame, layout.l3_off, layout.l3_off + 20, 0)));
	}
}

bool
IsIpSumGood(const Frame &frame, const Layout &layout)
{
	size_t end = layout.l3_off + (size_t)(frame[layout.l3_off] & 0xf) * 4;

	if (layout.is_ipv6) // which has none
		return true;
	return Fold(Add(frame, layout.l3_off, end, 0)) == UINT16_MAX;
}

bool
IsTcpSumGood(const Frame &frame, const Layout &layout)
{
	return Fold(Add(frame, layout.l4_off, layout.end_off, PseudoSum(frame, layout))) ==
	       UINT16_MAX;
}

void
StripSyn(Frame *frame, unsigned int strips)
{
	const Layout layout(*frame);

	if (!layout.IsTcp() || (layout.flags & (kFlagSyn | kFlagAck)) != kFlagSyn)
		return;
	for (size_t off = layout.l4_off + 20; off < layout.text_off;) {
		uint8_t kind = (*frame)[off];
		size_t len = kind <= 1 ? 1 : (*frame)[off + 1];

		if ((kind == 3 && (strips & kStripWscale) != 0) ||
			(kind == 4 && (strips & kStripSack) != 0) ||
			(kind == 8 && (strips & kStripTs) != 0))
			std::fill_n(frame->begin() + (long)off, len, (uint8_t)1);
		off += len;
	}
	Put16(frame, layout.l4_off + 16, 0);
	Put16(frame, layout.l4_off + 16,
		(uint16_t)~Fold(
			Add(*frame, layout.l4_off, layout.end_off, PseudoSum(*frame, layout))));
}

} // namespace sim
