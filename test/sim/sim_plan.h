// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_PLAN_H
#define SIM_PLAN_H

// What one seed's world is like: drawn at its start, then fixed.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <leat_inet.h>
#include <leat_ipv6.h>

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

// What the router of a path does with packets that are too big for its next link.
enum class Router {
	kNone,      // it has no smaller link
	kSays,      // it says how big they may be
	kSaysNoMtu, // it says that they are too big, as routers older than RFC 1191 do
	kSilent,    // a black hole
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
	Router router = Router::kNone;
	uint16_t path_mtu = UINT16_MAX; // of IPv4; of IPv6 no link has less than 1280
	size_t quote_len = 8;           // bytes behind the IP header that its errors quote

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
	bool lends = false; // its application refers to text instead of copying it
	uint16_t mss = 0;
	uint8_t wscale = 0;
	uint32_t rcv_wnd_max = 0;
	uint32_t snd_len_max = 0;
	uint32_t ack_delay_us = 0;
	uint16_t nb_reass_max = 0;
	uint8_t congestion = LEAT_TCP_CUBIC;
	uint16_t nb_tx_segs_max = 0;    // mbufs of a frame that the port takes; 0: any number
	uint16_t nb_tso_segs_max = 0;   // and of one that it cuts
	leat_inet_keepalive keep = {};  // idle_s 0: none
	bool keeps_by_listener = false; // of accepted connections; else as of all
	unsigned int forged = 0;        // a frame is, in so many of 10,000 turns
	uint32_t nb_mbufs = kNbMbufs;   // of the pool; somebody else has the rest all the time
	Spans droughts;                 // somebody else has the whole pool
	uint32_t isn = 0;               // of a connection at the world's begin
	uint32_t ts_offset = 0;
};

// SYNs from hosts that do not exist.
struct FloodPlan {
	int target = -1; // node; -1: there is none
	Span span = {};
	uint64_t pause_us = 0;   // between two bursts
	uint32_t nb_burst = 0;   // SYNs
	uint32_t nb_on_link = 0; // of 100, with a source on the link that does not answer
};

// A node that vanishes without a word, and perhaps comes back and knows nothing any more.
struct VanishPlan {
	int node = -1; // -1: none does
	uint64_t at_us = kNever;
	uint64_t back_us = kNever;
};

struct Plan {
	Plan(const Options &options, Rng *rng, uint64_t now_us);

	// One line for who has to look into a failure.
	std::string Text() const;
	// Nothing is lost, late or short: nothing may be sent twice.
	bool IsClean() const;
	bool HasIpv6() const
	{
		return mtu >= LEAT_IPV6_MTU_MIN;
	}
	// Somebody may be answered by a cookie.
	bool HasCookies() const
	{
		return cookies == LEAT_INET_COOKIES_ALWAYS || flood.target >= 0;
	}
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
	FloodPlan flood;
	VanishPlan vanish;
};

} // namespace sim

#endif // SIM_PLAN_H
