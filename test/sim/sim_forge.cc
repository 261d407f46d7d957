// SPDX-License-Identifier: BSD-3-Clause

#include "sim_forge.h"

#include <algorithm>
#include <initializer_list>

#include <leat_inet.h>

namespace sim
{

namespace
{

constexpr uint8_t kHopLimit = 255; // as neighbour discovery asks for
constexpr size_t kIcmpLen = 8;
constexpr size_t kQuoteMax = 528; // an error of 576 bytes, RFC 1812 section 4.3.2.3
constexpr size_t kFrameMin = 60;

void
AddBytes(Frame *frame, std::initializer_list<uint8_t> bytes)
{
	for (uint8_t byte : bytes)
		frame->push_back(byte);
}

void
AddMac(Frame *frame, uint8_t last)
{
	AddBytes(frame, { 2, 0, 0, 0, 0, last });
}

// Network order, 4 or 16 bytes.
void
AddAddr(Frame *frame, leat_ip_addr addr)
{
	size_t off = frame->size();

	if (!leat_ip_addr_is_ipv4(addr)) {
		frame->insert(frame->end(), addr.bytes, addr.bytes + 16);
		return;
	}
	frame->resize(off + 4);
	Put32(frame, off, leat_ip_addr_ipv4(addr));
}

Frame
EthOf(const Ends &ends, uint16_t type)
{
	Frame frame;

	AddMac(&frame, ends.dst_mac);
	AddMac(&frame, ends.src_mac);
	if (ends.vlan_id != 0) {
		AddBytes(&frame,
			{ 0x81, 0x00, (uint8_t)(ends.vlan_id >> 8), (uint8_t)ends.vlan_id });
	}
	AddBytes(&frame, { (uint8_t)(type >> 8), (uint8_t)type });
	return frame;
}

// An IP packet without its sums.
void
AddIp(Frame *frame, const Ends &ends, uint8_t proto, const Frame &payload)
{
	size_t off = frame->size();

	if (leat_ip_addr_is_ipv4(ends.src)) {
		frame->resize(off + 12);
		(*frame)[off] = 0x45;
		Put16(frame, off + 2, (uint16_t)(20 + payload.size()));
		(*frame)[off + 8] = kHopLimit;
		(*frame)[off + 9] = proto;
	} else {
		frame->resize(off + 8);
		(*frame)[off] = 0x60;
		Put16(frame, off + 4, (uint16_t)payload.size());
		(*frame)[off + 6] = proto;
		(*frame)[off + 7] = kHopLimit;
	}
	AddAddr(frame, ends.src);
	AddAddr(frame, ends.dst);
	frame->insert(frame->end(), payload.begin(), payload.end());
}

Frame
IpFrame(const Ends &ends, uint8_t proto, const Frame &payload)
{
	Frame frame = EthOf(ends, leat_ip_addr_is_ipv4(ends.src) ? 0x0800 : 0x86dd);

	AddIp(&frame, ends, proto, payload);
	WriteSums(&frame);
	if (frame.size() < kFrameMin)
		frame.resize(kFrameMin, 0);
	return frame;
}

Frame
TcpOf(const ForgedSeg &seg)
{
	Frame tcp(20);

	if (seg.mss != 0)
		AddBytes(&tcp, { 2, 4, (uint8_t)(seg.mss >> 8), (uint8_t)seg.mss });
	if (seg.has_ts) {
		size_t off = tcp.size();

		AddBytes(&tcp, { 1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0 });
		Put32(&tcp, off + 4, seg.ts_val);
		Put32(&tcp, off + 8, seg.ts_ecr);
	}
	Put16(&tcp, 0, seg.sport);
	Put16(&tcp, 2, seg.dport);
	Put32(&tcp, 4, seg.seq);
	Put32(&tcp, 8, seg.ack);
	tcp[12] = (uint8_t)(tcp.size() / 4 << 4);
	tcp[13] = seg.flags;
	Put16(&tcp, 14, seg.wnd);
	return tcp;
}

// The last word is an MTU or zero.
Frame
IcmpError(const Ends &ends, bool is_too_big, uint32_t mtu, const Frame &quoted, size_t quote_len)
{
	const Layout layout(quoted);
	const size_t len =
		std::min({ layout.IpLen(), kQuoteMax, (layout.is_ipv6 ? 40 : 20) + quote_len });
	Frame icmp(kIcmpLen);

	if (layout.is_ipv6) {
		icmp[0] = is_too_big ? 2 : 1;
		icmp[1] = is_too_big ? 0 : 4;
	} else {
		icmp[0] = 3;
		icmp[1] = is_too_big ? 4 : 3;
	}
	Put32(&icmp, 4, mtu);
	auto begin = quoted.begin() + (long)layout.l3_off;
	icmp.insert(icmp.end(), begin, begin + (long)len);
	return IpFrame(ends, layout.is_ipv6 ? kProtoIcmp6 : kProtoIcmp, icmp);
}

} // namespace

Frame
ForgeTcp(const Ends &ends, const ForgedSeg &seg)
{
	return IpFrame(ends, kProtoTcp, TcpOf(seg));
}

// As long as no MTU takes it, so that it may well have been too big.
Frame
QuotedOf(const Ends &ends, const ForgedSeg &seg)
{
	const Ends quoted = { ends.dst_mac, ends.src_mac, ends.vlan_id, ends.dst, ends.src };
	Frame tcp = TcpOf(seg);

	tcp.resize(LEAT_INET_MTU_MAX);
	return IpFrame(quoted, kProtoTcp, tcp);
}

Frame
ForgeTooBig(const Ends &ends, const Frame &quoted, uint16_t mtu, size_t quote_len)
{
	return IcmpError(ends, true, mtu, quoted, quote_len);
}

Frame
ForgeUnreachable(const Ends &ends, const Frame &quoted)
{
	return IcmpError(ends, false, 0, quoted, 8);
}

Frame
ForgeNeighbour(const Ends &ends)
{
	if (leat_ip_addr_is_ipv4(ends.src)) {
		Frame frame = EthOf(ends, 0x0806);

		AddBytes(&frame, { 0, 1, 8, 0, 6, 4, 0, 2 });
		AddMac(&frame, ends.src_mac);
		AddAddr(&frame, ends.src);
		AddMac(&frame, ends.dst_mac);
		AddAddr(&frame, ends.dst);
		frame.resize(std::max(frame.size(), kFrameMin), 0);
		return frame;
	}
	Frame icmp;

	AddBytes(&icmp, { 136, 0, 0, 0, 0xe0, 0, 0, 0 }); // of a router, solicited, override
	AddAddr(&icmp, ends.src);
	AddBytes(&icmp, { 2, 1 });
	AddMac(&icmp, ends.src_mac);
	return IpFrame(ends, kProtoIcmp6, icmp);
}

} // namespace sim
