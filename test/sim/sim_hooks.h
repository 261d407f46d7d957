// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_HOOKS_H
#define SIM_HOOKS_H

// What the simulation sees and moves of a stack's inside; the only place that does.

#include <cstdint>
#include <functional>
#include <string>

#include <leat_inet.h>

#include "sim_feature.h"

namespace sim
{

// How far one direction of a connection is.
struct Place {
	uint32_t snd_una = 0; // at its sender
	uint32_t rcv_nxt = 0; // at its receiver

	bool operator==(const Place &other) const
	{
		return snd_una == other.snd_una && rcv_nxt == other.rcv_nxt;
	}
};

// Either may be NULL.
Place PlaceOf(const leat_inet_conn *sender, const leat_inet_conn *receiver);
uint32_t RtoUs(const leat_inet_conn *conn);
// What a failure needs to be understood.
std::string TextOf(const leat_inet_conn *conn);
bool HasUnacked(const leat_inet_conn *conn);
// Where the numbers of a connection are, for who forges what it shall not believe.
struct Numbers {
	uint32_t rcv_nxt;
	uint32_t rcv_wnd;
	uint32_t snd_una;
	uint32_t snd_max;
	uint16_t snd_mss;
	bool has_ts;
	uint32_t ts_recent;
};

Numbers NumbersOf(const leat_inet_conn *conn);
// What can be seen of a connection while it lives, and when it has ended by time-out.
void Watch(const leat_inet_conn *conn, Features *features);
void WatchTimedOut(const leat_inet_conn *conn, Features *features);
// All counters of a stack that are not zero.
std::string StatsOf(const leat_inet *inet);
// The next connect tries the port of the last one first.
void ReusePort(leat_inet *inet);
// The next active open takes none of the ports that were taken so far.
void SkipPorts(leat_inet *inet);
// Nothing is set, queued or taken in a stack without connections; fails otherwise.
void CheckIdle(const leat_inet *inet, const char *name);
// Initial sequence numbers of all stacks, from now on, as a function of the time.
void SetIsn(std::function<uint32_t(const leat_inet *inet, uint64_t now_us)> isn);

} // namespace sim

#endif // SIM_HOOKS_H
