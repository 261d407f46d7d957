// SPDX-License-Identifier: BSD-3-Clause

// The judge of stalls. How long may a connection stand still?
//
// It stands still only because something was lost, or an application held it up. Each
// time-out, of the retransmission as of the persist timer, waits twice as long as the one
// before, RFC 6298 section 5.5. Let RTO be what the timer waits when the connection last got
// further, so that it fires at most RTO later, then after 2 RTO more, then after 4. When the
// last trouble has ended at the n-th of these, at least 2^n RTO - 2 RTO have passed, and the
// next is 2^n RTO away: as long as all of it has taken so far, and 2 RTO, but never longer
// than the longest that is configured. What that one sends arrives, there being no more
// trouble, and so does the answer.

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

// What @p from has said to @p to.
Work
WorkOf(const Side &from, const Side &to)
{
	if (from.nb_sent > to.nb_received || from.is_blocked)
		return to.nb_unread > 0 ? Work::kHeldUp : Work::kWaiting;
	if (from.is_shut && !to.has_eof)
		return Work::kWaiting;
	if (from.is_shut && from.has_eof && !from.is_closed)
		return Work::kWaiting;
	return Work::kNone;
}

Work
WorkOf(const Pair &pair)
{
	const Side &a = pair.sides[0];
	const Side &b = pair.sides[1];

	if (!a.is_open || !b.is_open)
		return Work::kWaiting;
	Work there = WorkOf(a, b);
	Work back = WorkOf(b, a);
	if (there == Work::kHeldUp || back == Work::kHeldUp)
		return Work::kHeldUp;
	return there == Work::kNone ? back : there;
}

} // namespace

void
Sim::Lost(int from, const Frame &frame)
{
	const Layout layout(frame);

	if (!layout.IsTcp()) {
		Trouble();
		return;
	}
	int opener = layout.dport == kPort ? from : 1 - from;
	uint16_t port = layout.dport == kPort ? layout.sport : layout.dport;
	auto it = nodes[opener]->by_port.find(port);

	if (it != nodes[opener]->by_port.end())
		it->second->trouble_us = now_us;
}

void
Sim::Trouble()
{
	for (Pair &pair : pairs)
		pair.trouble_us = now_us;
}

// Whether it has got further since the last turn.
void
Sim::Follow(Pair *pair)
{
	bool moved = false;
	uint64_t rto_us = 0;

	for (int i = 0; i < 2; i++) {
		const Side &side = pair->sides[i];
		Place place; // of a connection that is over

		if (side.conn != nullptr) {
			place = PlaceOf(side.conn);
			rto_us = std::max<uint64_t>(rto_us, RtoUs(side.conn));
		}
		moved |= !(place == pair->places[i]);
		pair->places[i] = place;
	}
	if (!moved)
		return;
	if (!pair->sides[1].is_open) // whose timer is not seen yet
		rto_us = std::max(rto_us, kRtoInitialUs);
	pair->progress_us = now_us;
	pair->rto_us = std::max(rto_us, kSecondUs / 5);
}

void
Sim::Judge(Pair *pair)
{
	if (!pair->is_started || pair->IsClosed() || pair->is_aborted)
		return;
	Follow(pair);
	switch (WorkOf(*pair)) {
	case Work::kNone:
		pair->progress_us = now_us;
		return;
	case Work::kHeldUp:
		pair->trouble_us = now_us;
		return;
	case Work::kWaiting:
		break;
	}
	uint64_t last_us = std::max(pair->progress_us, pair->trouble_us);
	uint64_t wait_us = std::min(kRtoMaxUs, last_us - pair->progress_us + 2 * pair->rto_us);

	if (now_us > last_us + wait_us + 2 * plan.PathMaxUs() + kSlackUs)
		Fail("port %u of node %d stalls: got further at %.6f, last trouble at %.6f, RTO "
		     "was "
		     "%.3f, now %.6f",
			pair->port, pair->opener, (double)pair->progress_us / kSecondUs,
			(double)pair->trouble_us / kSecondUs, (double)pair->rto_us / kSecondUs,
			(double)now_us / kSecondUs);
}

} // namespace sim
