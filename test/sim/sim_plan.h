// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_PLAN_H
#define SIM_PLAN_H

// What one seed's world is like: drawn at its start, then fixed.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <leat_inet.h>

#include "sim_rng.h"

namespace sim
{

constexpr uint32_t kNbMbufs = 4095;
constexpr uint32_t kConnsMax = 8;
constexpr int kDrawn = -1;

// From the command line; what is kDrawn comes out of the seed.
struct Options {
	uint64_t first = 1;
	uint64_t nb_seeds = 1000;
	int loss = kDrawn; // these four of every 10,000 frames
	int dup = kDrawn;
	int reorder = kDrawn;
	int corrupt = kDrawn;
	int mtu = kDrawn;
	bool verbose = false;
	FILE *pcap = nullptr; // what both sides send, before the link
};

// From begin on and before end.
struct Span {
	uint64_t begin_us;
	uint64_t end_us;
};

using Spans = std::vector<Span>;

inline bool
IsWithin(const Spans &spans, uint64_t now_us)
{
	for (const Span &span : spans) {
		if (span.begin_us <= now_us && now_us < span.end_us)
			return true;
	}
	return false;
}

// Options that a middlebox takes off a SYN, as bits of LinkPlan::strips.
enum Strip {
	kStripTs = 1,
	kStripSack = 2,
	kStripWscale = 4
};

// One direction of the link.
struct LinkPlan {
	unsigned int loss = 0; // of every 10,000 frames
	unsigned int dup = 0;
	unsigned int reorder = 0;
	unsigned int corrupt = 0;
	uint64_t delay_us = 0;
	uint64_t jitter_us = 0;
	uint64_t ns_per_byte = 0; // 0: as fast as you like
	uint64_t queue_us = 0;    // what would wait longer for its turn is dropped
	unsigned int strips = 0;
	bool spares_others = false; // frames that are not TCP are not lost
	Spans outages;

	// How late a frame may be that arrives.
	uint64_t DelayMaxUs() const
	{
		return delay_us + jitter_us + (reorder > 0 ? 8 * delay_us : 0) + queue_us;
	}
};

// One stack, and how its application treats the pool.
struct NodePlan {
	leat_inet_offloads offloads = {};
	bool trusts_offloads = false;
	uint16_t mss = 0;
	uint8_t wscale = 0;
	uint32_t rcv_wnd_max = 0;
	uint32_t snd_len_max = 0;
	uint32_t ack_delay_us = 0;
	uint16_t nb_reass_max = 0;
	uint32_t nb_mbufs = kNbMbufs; // of the pool; somebody else has the rest all the time
	Spans droughts;               // somebody else has the whole pool
	uint32_t isn = 0;             // of a connection at the world's begin
	uint32_t ts_offset = 0;
};

struct Plan {
	Plan(const Options &options, Rng *rng, uint64_t now_us);

	// One line for who has to look into a failure.
	std::string Text() const;
	// Nothing is lost, late or short: nothing may be sent twice.
	bool IsClean() const;
	uint64_t PathMaxUs() const
	{
		return links[0].DelayMaxUs() + links[1].DelayMaxUs();
	}

	uint16_t mtu = 1500;
	uint16_t vlan_id = 0;
	uint64_t time_wait_us = 0;
	bool wraps = false; // sequence numbers start near their end
	bool reuses_ports = false;
	leat_inet_cookies cookies = LEAT_INET_COOKIES_AUTO;
	LinkPlan links[2]; // out of node 0, out of node 1
	NodePlan nodes[2];
};

} // namespace sim

#endif // SIM_PLAN_H
