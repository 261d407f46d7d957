// SPDX-License-Identifier: BSD-3-Clause

#include "sim_frame.h"

#include <algorithm>
#include <utility>

namespace sim
{

namespace
{

constexpr uint8_t kFlagSyn = 0x02;
constexpr uint8_t kFlagAck = 0x10;
constexpr uint8_t kFlagsOfLast = 0x01 | 0x08; // FIN and PSH

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

	return Add(frame, addrs_off, addrs_end, 0) + layout.proto +
	       (uint32_t)(layout.end_off - (layout.IsTcp() ? layout.l4_off : addrs_end));
}

// IPv4 headers have no options in what is written here.
void
WriteIpSum(Frame *frame, size_t l3_off)
{
	Put16(frame, l3_off + 10, 0);
	Put16(frame, l3_off + 10, (uint16_t)~Fold(Add(*frame, l3_off, l3_off + 20, 0)));
}

} // namespace

Layout::Layout(const Frame &frame)
{
	size_t off = kEthLen;

	if (Get16(frame, 12) == 0x8100)
		off += kVlanLen;
	uint16_t type = Get16(frame, off - 2);
	size_t hdr_len, end;
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
	if (ip)
		WriteIpSum(frame, layout.l3_off);
}

std::vector<Frame>
PortCut(const Frame &frame, size_t l3_off, size_t l4_off, size_t text_off, size_t mss)
{
	const bool is_ipv6 = frame[l3_off] >> 4 == 6;
	// The stack has left the sum of the pseudo header there, without its length.
	const uint16_t pseudo = Get16(frame, l4_off + 16);
	std::vector<Frame> segs;

	for (size_t off = text_off; off < frame.size(); off += mss) {
		size_t len = std::min(mss, frame.size() - off);
		Frame seg(frame.begin(), frame.begin() + (long)text_off);
		uint16_t l4_len = (uint16_t)(text_off - l4_off + len);

		seg.insert(seg.end(), frame.begin() + (long)off, frame.begin() + (long)(off + len));
		Put32(&seg, l4_off + 4, Get32(frame, l4_off + 4) + (uint32_t)(off - text_off));
		if (off + len < frame.size())
			seg[l4_off + 13] &= (uint8_t)~kFlagsOfLast;
		Put16(&seg, l4_off + 16, pseudo);
		uint32_t sum = Add(seg, l4_off, seg.size(), l4_len);
		Put16(&seg, l4_off + 16, (uint16_t)~Fold(sum));
		if (is_ipv6) {
			Put16(&seg, l3_off + 4, (uint16_t)(seg.size() - l3_off - 40));
		} else {
			Put16(&seg, l3_off + 2, (uint16_t)(seg.size() - l3_off));
			Put16(&seg, l3_off + 4, (uint16_t)(Get16(frame, l3_off + 4) + segs.size()));
			WriteIpSum(&seg, l3_off);
		}
		segs.push_back(std::move(seg));
	}
	return segs;
}

void
WriteSums(Frame *frame)
{
	const Layout layout(*frame);
	size_t l4_off = layout.l3_off + (layout.is_ipv6 ? 40 : 20);
	size_t sum_off = l4_off + (layout.proto == kProtoTcp ? 16 : 2);
	uint32_t sum = layout.proto == kProtoIcmp ? 0 : PseudoSum(*frame, layout);

	Put16(frame, sum_off, 0);
	Put16(frame, sum_off, (uint16_t)~Fold(Add(*frame, l4_off, layout.end_off, sum)));
	if (!layout.is_ipv6)
		WriteIpSum(frame, layout.l3_off);
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
	WriteSums(frame);
}

} // namespace sim
