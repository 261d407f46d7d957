// SPDX-License-Identifier: BSD-3-Clause

#include "sim_middle.h"

#include <algorithm>

#include <leat_ipv6.h>

#include "sim_world.h"

namespace sim
{

namespace
{

constexpr uint64_t kGatewayDelayUs = 20;
constexpr size_t kArpTargetOff = 24; // behind the Ethernet header
constexpr size_t kNdTargetOff = 48;
constexpr uint8_t kNdSolicit = 135;
constexpr size_t kDfOff = 6;
constexpr uint16_t kDf = 0x4000;

uint64_t
PortsOf(const Layout &layout)
{
	return (uint64_t)PortKey(layout.is_ipv6, layout.sport) << 16 | layout.dport;
}

leat_ip_addr
LinkAddr(bool is_ipv6, uint8_t last)
{
	leat_ip_addr addr = {};

	if (!is_ipv6)
		return leat_ip_addr_from_ipv4(0x0a4d0000u + last);
	addr.bytes[0] = 0xfd; // fd00::4d:1
	addr.bytes[13] = 0x4d;
	addr.bytes[15] = last;
	return addr;
}

// Of a host that a flood seems to come from.
leat_ip_addr
ForgedAddr(Rng *rng, bool is_ipv6, bool is_on_link)
{
	leat_ip_addr addr = {};

	if (is_on_link)
		return LinkAddr(is_ipv6, (uint8_t)rng->In(10, 200));
	if (!is_ipv6)
		return leat_ip_addr_from_ipv4(0xc6120000u + rng->In32(1, 65535)); // 198.18/15
	addr.bytes[0] = 0x20;                                                     // 2001:db8::
	addr.bytes[1] = 0x01;
	addr.bytes[2] = 0x0d;
	addr.bytes[3] = 0xb8;
	addr.bytes[14] = (uint8_t)rng->In(0, 255);
	addr.bytes[15] = (uint8_t)rng->In(1, 255);
	return addr;
}

// The address that a request for a neighbour asks for ends in that of the gateway.
bool
AsksForGateway(const Frame &frame, bool *is_ipv6)
{
	size_t off = Get16(frame, 12) == 0x8100 ? kEthLen + kVlanLen : kEthLen;
	uint16_t type = Get16(frame, off - 2);

	*is_ipv6 = type == 0x86dd;
	if (type == 0x0806 && frame.size() >= off + kArpTargetOff + 4)
		return Get16(frame, off + 6) == 1 &&
		       Get32(frame, off + kArpTargetOff) == leat_ip_addr_ipv4(GatewayAddr(false));
	if (!*is_ipv6 || frame.size() < off + kNdTargetOff + 16)
		return false;
	return frame[off + 6] == kProtoIcmp6 && frame[off + 40] == kNdSolicit &&
	       std::equal(frame.begin() + (long)(off + kNdTargetOff),
		       frame.begin() + (long)(off + kNdTargetOff + 16), GatewayAddr(true).bytes);
}

} // namespace

leat_ip_addr
NodeAddr(int idx, bool is_ipv6)
{
	return LinkAddr(is_ipv6, (uint8_t)(1 + idx));
}

leat_ip_addr
GatewayAddr(bool is_ipv6)
{
	return LinkAddr(is_ipv6, kGatewayMac);
}

Middle::Middle(Sim *sim) : sim_(sim)
{
	if (sim->plan.flood.target >= 0)
		flood_us_ = sim->plan.flood.span.begin_us;
}

// Its answers to who looks for it; what is sent to it reaches nobody.
bool
Middle::TakeByGateway(int from, const Frame &frame)
{
	bool is_ipv6;

	if (sim_->plan.flood.target != from)
		return false;
	if (frame[5] == kGatewayMac && frame[0] == 2)
		return true;
	if (AsksForGateway(frame, &is_ipv6))
		sim_->links[1 - from].Inject(sim_->now_us + kGatewayDelayUs,
			ForgeNeighbour({ kGatewayMac, NodeMac(from), sim_->plan.vlan_id,
				GatewayAddr(is_ipv6), NodeAddr(from, is_ipv6) }));
	return false;
}

// Whoever was told how large a packet may be sends no larger one, RFC 1191 section 3.
void
Middle::CheckTold(int from, const Layout &layout)
{
	const Key key = { from, PortsOf(layout) };

	if ((layout.flags & LEAT_TCP_SYN) != 0) { // another connection
		told_.erase(key);
		return;
	}
	auto it = told_.find(key);
	if (it != told_.end() && layout.IpLen() > it->second)
		Fail("node %d: a packet of %zu bytes after it was told of %u", from, layout.IpLen(),
			it->second);
}

// Returns whether it is too big, and lost.
bool
Middle::TakeByRouter(int from, const Frame &frame, const Layout &layout)
{
	const LinkPlan &plan = sim_->plan.links[from];
	uint16_t mtu = plan.path_mtu;

	if (plan.router == Router::kNone || !layout.IsTcp())
		return false;
	if (layout.is_ipv6)
		mtu = std::max<uint16_t>(mtu, LEAT_IPV6_MTU_MIN);
	CheckTold(from, layout);
	if (layout.IpLen() <= mtu)
		return false;
	if (!layout.is_ipv6 && (Get16(frame, layout.l3_off + kDfOff) & kDf) == 0)
		Fail("node %d: a segment without DF", from);
	sim_->Lost(from, frame);
	if (plan.router == Router::kSilent) {
		sim_->Swallowed(from, layout);
		return true;
	}
	if (sim_->rng.Of10000(plan.loss)) // the error is
		return true;
	bool says_mtu = layout.is_ipv6 || plan.router == Router::kSays;
	Ends ends = { NodeMac(1 - from), NodeMac(from), sim_->plan.vlan_id,
		GatewayAddr(layout.is_ipv6), NodeAddr(from, layout.is_ipv6) };
	sim_->links[1 - from].Inject(
		sim_->now_us + plan.delay_us + sim_->plan.links[1 - from].delay_us,
		ForgeTooBig(ends, frame, says_mtu ? mtu : 0, plan.quote_len));
	sim_->features.Saw(layout.is_ipv6 ? Feature::kTooBigIpv6
			   : says_mtu     ? Feature::kTooBigIpv4
					  : Feature::kTooBigNoMtu);
	return true;
}

void
Middle::Arrived(int to, const Frame &frame)
{
	const Layout layout(frame);
	size_t icmp = layout.l3_off + (layout.is_ipv6 ? 40 : 20);
	size_t tcp = icmp + 8 + (layout.is_ipv6 ? 40 : 20);

	if (!layout.IsIp() || frame.size() < tcp + 4)
		return;
	if (layout.is_ipv6 ? layout.proto != kProtoIcmp6 || frame[icmp] != 2
			   : layout.proto != kProtoIcmp || Get16(frame, icmp) != 0x0304)
		return;
	uint16_t mtu = Get16(frame, icmp + 6);
	if (mtu == 0)
		return;
	uint64_t ports =
		(uint64_t)PortKey(layout.is_ipv6, Get16(frame, tcp)) << 16 | Get16(frame, tcp + 2);
	auto it = told_.try_emplace({ to, ports }, mtu).first;
	it->second = std::min(it->second, mtu);
}

void
Middle::Carry(int from, Frame frame)
{
	const Layout layout(frame);

	sim_->features.SawIf(sim_->plan.links[from].strips != 0 && layout.IsTcp() &&
				     layout.flags == LEAT_TCP_SYN,
		Feature::kSynStripped);
	if (!TakeByGateway(from, frame) && !TakeByRouter(from, frame, layout))
		sim_->links[from].Send(sim_->now_us, std::move(frame));
}

void
Middle::Flood()
{
	const FloodPlan &plan = sim_->plan.flood;
	Rng *rng = &sim_->rng;

	for (uint32_t i = 0; i < plan.nb_burst; i++) {
		bool is_ipv6 = sim_->plan.HasIpv6() && rng->OneIn(2);
		bool is_on_link = rng->In(0, 99) < plan.nb_on_link;
		Ends ends = { kGatewayMac, NodeMac(plan.target), sim_->plan.vlan_id,
			ForgedAddr(rng, is_ipv6, is_on_link), NodeAddr(plan.target, is_ipv6) };
		ForgedSeg syn;

		syn.sport = (uint16_t)rng->In(1024, 65535);
		syn.dport = kPort;
		syn.seq = rng->In32(0, UINT32_MAX);
		syn.flags = LEAT_TCP_SYN;
		syn.mss = (uint16_t)(rng->OneIn(4) ? 0 : rng->In(88, 1460));
		syn.has_ts = rng->OneIn(2);
		syn.ts_val = rng->In32(0, UINT32_MAX);
		sim_->links[1 - plan.target].Inject(sim_->now_us, ForgeTcp(ends, syn));
	}
}

void
Middle::Turn()
{
	if (flood_us_ > sim_->now_us)
		return;
	Flood();
	flood_us_ = sim_->now_us + sim_->plan.flood.pause_us;
	if (flood_us_ >= sim_->plan.flood.span.end_us)
		flood_us_ = kNever;
}

} // namespace sim
