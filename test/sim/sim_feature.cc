// SPDX-License-Identifier: BSD-3-Clause

#include "sim_feature.h"

namespace sim
{

const char *
NameOf(Feature feature)
{
	static const char *const names[] = {
		"a segment is lost",
		"a segment is damaged",
		"the link is down",
		"a pool is dry",
		"a middlebox strips a SYN",
		"text over IPv6",
		"numbers wrap in a stream",
		"a router says too big, IPv4",
		"a router says too big, IPv6",
		"a router says too big and no MTU",
		"a router swallows what is too big: time-out",
		"text is sent again under CUBIC",
		"text is sent again under NewReno",
		"the retransmission timer fires",
		"the tail is probed",
		"the reordering timer is set",
		"a closed window is probed",
		"text that was lent is sent again",
		"both sides close at once",
		"text arrives after our FIN",
		"an application rests for seconds or hours",
		"a keep-alive is sent",
		"keep-alives end a connection",
		"the peer vanishes: time-out",
		"the peer comes back: reset",
		"the port cuts text",
		"the port cuts text for the first time, on trial",
		"one of the segments that it cut is lost",
		"the stack cuts text for the port",
		"a flood is answered by cookies",
		"a connection begins by a cookie beside a flood",
		"a forged RST is ignored",
		"a forged SYN is ignored",
		"a forged ACK is ignored",
		"a forged ICMP error is ignored",
		"a RST in the middle of a stream",
		"an application aborts",
		"TIME-WAIT",
		"a SYN replaces TIME-WAIT",
		"a RST in TIME-WAIT is ignored",
	};
	static_assert(sizeof(names) / sizeof(names[0]) == kNbFeatures, "one for each");

	return names[(size_t)feature];
}

} // namespace sim
