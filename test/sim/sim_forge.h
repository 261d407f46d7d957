// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_FORGE_H
#define SIM_FORGE_H

// Frames that no stack has sent: of a router, of a gateway, and of those who wish ill.

#include <cstdint>

#include <leat_ip.h>

#include "sim_frame.h"

namespace sim
{

// From whom to whom: MAC addresses 02:00:00:00:00:xx by their last byte.
struct Ends {
	uint8_t src_mac;
	uint8_t dst_mac;
	uint16_t vlan_id;
	leat_ip_addr src;
	leat_ip_addr dst;
};

struct ForgedSeg {
	uint16_t sport = 0;
	uint16_t dport = 0;
	uint32_t seq = 0;
	uint32_t ack = 0;
	uint8_t flags = 0;
	uint16_t wnd = 65535;
	uint16_t mss = 0; // 0: no option
	bool has_ts = false;
	uint32_t ts_val = 0;
	uint32_t ts_ecr = 0;
};

Frame ForgeTcp(const Ends &ends, const ForgedSeg &seg);
// A frame that ends.dst is said to have sent, for an error to quote.
Frame QuotedOf(const Ends &ends, const ForgedSeg &seg);
// "Too big": of @p quoted the IP header and @p quote_len bytes are quoted. mtu 0: untold.
Frame ForgeTooBig(const Ends &ends, const Frame &quoted, uint16_t mtu, size_t quote_len);
// "Port unreachable".
Frame ForgeUnreachable(const Ends &ends, const Frame &quoted);
// Who has ends.src, and that is ends.src_mac: by ARP or by an advertisement.
Frame ForgeNeighbour(const Ends &ends);

} // namespace sim

#endif // SIM_FORGE_H
