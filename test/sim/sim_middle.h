// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_MIDDLE_H
#define SIM_MIDDLE_H

// What lies between both nodes beside the links: routers with smaller links behind them, a
// gateway, and somebody who floods, whose SYNs seem to come through it.

#include <cstdint>
#include <map>
#include <utility>

#include "sim_forge.h"
#include "sim_frame.h"
#include "sim_plan.h"

namespace sim
{

constexpr uint8_t kGatewayMac = 0xfe;

leat_ip_addr NodeAddr(int idx, bool is_ipv6);
leat_ip_addr GatewayAddr(bool is_ipv6);
inline uint8_t
NodeMac(int idx)
{
	return (uint8_t)(1 + idx);
}

class Sim;

class Middle
{
      public:
	explicit Middle(Sim *sim);

	// A frame has left node @p from.
	void Carry(int from, Frame frame);
	// One has arrived at node @p to: the stack knows what it says from now on.
	void Arrived(int to, const Frame &frame);
	void Turn();
	uint64_t WakeUs() const
	{
		return flood_us_;
	}

      private:
	// Ports of a flow, its family and its sender.
	using Key = std::pair<int, uint64_t>;

	bool TakeByGateway(int from, const Frame &frame);
	bool TakeByRouter(int from, const Frame &frame, const Layout &layout);
	void CheckTold(int from, const Layout &layout);
	void Flood();

	Sim *sim_;
	uint64_t flood_us_ = kNever;
	std::map<Key, uint16_t> told_; // the MTU that the sender of a flow has heard of
};

} // namespace sim

#endif // SIM_MIDDLE_H
