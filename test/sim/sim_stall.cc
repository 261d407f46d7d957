// SPDX-License-Identifier: BSD-3-Clause

// The judge of stalls. How long may a connection stand still?
//
// It stands still only because something was lost, or an application held it up. Each
// time-out, of the retransmission as of the persist timer, waits twice as long as the one
// before, RFC 6298 section 5.5. Let RTO be what the timer waits when the connection last got
// further, so that it fires at most RTO later, then after 2 RTO more, then after 4. When the
// last trouble has ended at the n-th of these, at least 2^n RTO - 2 RTO have passed, and the
// next is 2^n RTO away: as long as all of it has taken so far, and 2 RTO, but never longer
// than the longest that is configured. A probe of the tail may come before the first, and the
// timer starts anew with it (RFC 8985 section 7.3): one RTO more. What that one sends arrives,
// there being no more trouble, and so does the answer.

#include <leat_tcp_cookie.h>

#include "sim_world.h"

namespace sim
{

namespace
{

// Ticks of the timer wheel, a delayed ACK, and the turn of a receiver.
constexpr uint64_t kSlackUs = 150000;
constexpr uint64_t kRtoInitialUs = kSecondUs; // RFC 6298 rule 2.1
constexpr uint64_t kRtoMaxUs = 60 * kSecondUs;

enum class Work {
	kNone,    // nobody waits for anything
	kHeldUp,  // an application does not read, or does not begin
	kWaiting, // the stacks have to get it done
};

std::string
Text(const Side &side)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
		"; sent %" PRIu64 "/%" PRIu64 " received %" PRIu64 "/%" PRIu64 " unread %u%s%s%s%s",
		side.nb_sent, side.tx_len, side.nb_received, side.rx_len, side.nb_unread,
		side.is_open ? "" : " not open", side.is_blocked ? " blocked" : "",
		side.is_shut ? " shut" : "", side.has_eof ? " EOF" : "");
	return text;
}

// What @p from has said to @p to.
Work
WorkOf(const Side &from, const Side &to)
{
	if (!from.is_open || !to.is_open)
		return Work::kWaiting;
	if (from.nb_sent > to.nb_received || from.is_blocked)
		return to.nb_unread > 0 ? Work::kHeldUp : Work::kWaiting;
	if (from.conn != nullptr && HasUnacked(from.conn))
		return Work::kWaiting;
	if (from.is_shut && !to.has_eof)
		return Work::kWaiting;
	if (from.is_shut && from.has_eof && !from.is_closed)
		return Work::kWaiting;
	return Work::kNone;
}

// The ACK of a cookie is never sent again. Where it was lost, who accepts hears of the connection
// by the first text, for which who opens may have no mbuf yet. Text that comes when the cookie is
// too old is nobody's, and is answered with a reset, but not before all cookies are.
bool
IsUnheard(const Pair &pair, uint64_t now_us)
{
	const Side &opener = pair.sides[0];

	if (!opener.is_open || pair.sides[1].is_open)
		return false;
	return (opener.nb_sent == 0 && opener.is_starved) ||
	       now_us > pair.flows[0].progress_us + LEAT_TCP_COOKIE_PERIOD_US;
}

} // namespace

Pair *
Sim::PairOf(int from, const Layout &layout)
{
	int opener = layout.dport == kPort ? from : 1 - from;
	uint16_t port = layout.dport == kPort ? layout.sport : layout.dport;

	if (nodes[opener] == nullptr)
		return nullptr;
	auto it = nodes[opener]->by_port.find(PortKey(layout.is_ipv6, port));
	return it != nodes[opener]->by_port.end() ? it->second : nullptr;
}

void
Sim::Lost(int from, const Frame &frame)
{
	const Layout layout(frame);

	features.SawIf(layout.IsTcp(), Feature::kLoss);
	features.SawIf(IsWithin(plan.links[from].outages, now_us), Feature::kOutage);
	if (!layout.IsTcp()) { // perhaps a question for a neighbour, and what waits for it
		trouble_us_ = std::max(trouble_us_, now_us + LEAT_INET_ARP_RETRY_US);
		return;
	}
	Pair *pair = PairOf(from, layout);
	if (pair != nullptr)
		pair->trouble_us = now_us;
}

void
Sim::Swallowed(int from, const Layout &layout)
{
	Pair *pair = PairOf(from, layout);

	if (pair != nullptr)
		pair->is_swallowed = true;
}

void
Sim::Trouble()
{
	trouble_us_ = std::max(trouble_us_, now_us);
}

// Whether it has got further since the last turn. A handshake is one step: the timers of
// both sides have run since its begin, and not both can be seen.
void
Sim::Follow(Flow *flow, const Side &from, const Side &to)
{
	Place place = PlaceOf(from.conn, to.conn);

	if (!from.is_open || !to.is_open) {
		flow->rto_us = kRtoInitialUs;
		return;
	}
	if (place == flow->place)
		return;
	flow->place = place;
	flow->progress_us = now_us;
	if (from.conn != nullptr)
		flow->rto_us = RtoUs(from.conn);
}

void
Sim::JudgeFlow(Pair *pair, int from)
{
	const Side &side = pair->sides[from];
	Flow *flow = &pair->flows[from];

	Work work = WorkOf(side, pair->sides[1 - from]);

	if (plan.HasCookies() && IsUnheard(*pair, now_us))
		work = Work::kHeldUp;
	Follow(flow, side, pair->sides[1 - from]);
	if (work == Work::kNone || !flow->has_work) // it begins now
		flow->progress_us = now_us;
	flow->has_work = work != Work::kNone;
	if (work == Work::kHeldUp)
		pair->trouble_us = now_us;
	uint64_t last_us = std::max({ flow->progress_us, pair->trouble_us, trouble_us_ });
	uint64_t wait_us =
		std::min(kRtoMaxUs, last_us - flow->progress_us + 2 * flow->rto_us) + flow->rto_us;

	// Where nothing is lost, nothing waits for a time-out, but perhaps a sender who has a
	// small window for his (RFC 9293 section 3.8.6.2.1 (4)); SYNs wait for a neighbour, and
	// more than a few of them are dropped then.
	if (plan.IsClean() && side.is_open && pair->sides[1 - from].is_open)
		wait_us = flow->rto_us;
	if (now_us <= last_us + wait_us + 2 * plan.PathMaxUs() + kSlackUs)
		return;
	Fail("port %u of node %d: side %d stalls: it got further at %.6f, last trouble at %.6f, "
	     "RTO "
	     "was %.3f, now %.6f%s%s%s%s",
		pair->port, pair->opener, from, (double)flow->progress_us / kSecondUs,
		(double)std::max(pair->trouble_us, trouble_us_) / kSecondUs,
		(double)flow->rto_us / kSecondUs, (double)now_us / kSecondUs,
		Text(pair->sides[0]).c_str(), TextOf(pair->sides[0].conn).c_str(),
		Text(pair->sides[1]).c_str(), TextOf(pair->sides[1].conn).c_str());
}

void
Sim::Judge(Pair *pair)
{
	if (!pair->is_started || pair->IsClosed() || pair->is_aborted || pair->meets_gone)
		return;
	JudgeFlow(pair, 0);
	JudgeFlow(pair, 1);
}

} // namespace sim
