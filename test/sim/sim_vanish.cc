// SPDX-License-Identifier: BSD-3-Clause

// A node vanishes without a word, with all that is under way, and perhaps comes back and
// knows nothing any more. Its peer's stack alone must find out: its applications wait.

#include "sim_world.h"

namespace sim
{

namespace
{

// A text, a probe of a closed window, or a SYN without any answer, and one more time-out.
constexpr uint64_t kGiveUpUs = 42 * 60 * kSecondUs;

// An end that nobody will hear of any more.
void
Forget(Side *side)
{
	side->conn = nullptr;
	side->is_closed = true;
}

// A side that has not begun: another node may take its place.
void
BeginAnew(Side *side)
{
	side->conn = nullptr;
	side->is_open = false;
}

} // namespace

void
Sim::LosePeer(Pair *pair)
{
	Side *gone = &pair->sides[pair->opener == plan.vanish.node ? 0 : 1];
	Side *left = &pair->sides[pair->opener == plan.vanish.node ? 1 : 0];

	if (pair->IsClosed())
		return;
	if (left->is_closed) {
		Forget(gone);
		return;
	}
	if (gone == &pair->sides[0] && !left->is_open) { // it will never hear of it
		pair->is_started = true;
		pair->is_aborted = true;
		Forget(gone);
		Forget(left);
		return;
	}
	pair->meets_gone = pair->is_started && !pair->is_aborted;
	if (left->is_open || plan.vanish.back_us == kNever)
		Forget(gone);
	else
		BeginAnew(gone);
}

void
Sim::Vanish()
{
	nodes[plan.vanish.node]->WatchEnd();
	nodes[plan.vanish.node] = nullptr;
	for (Link &link : links)
		link.Cut();
	for (Pair &pair : pairs)
		LosePeer(&pair);
	vanish_us_ = plan.vanish.back_us;
}

void
Sim::Met(Pair *pair)
{
	if (!pair->meets_gone)
		return;
	pair->meets_gone = false;
	pair->trouble_us = now_us; // until now, all was lost
}

// Somebody has turned it on again.
void
Sim::ComeBack()
{
	for (Link &link : links)
		link.Mend();
	nodes[plan.vanish.node] = std::make_unique<Node>(this, plan.vanish.node);
	MakePairs();
	vanish_us_ = kNever;
}

void
Sim::VanishDue()
{
	if (vanish_us_ > now_us)
		return;
	if (nodes[plan.vanish.node] != nullptr)
		Vanish();
	else
		ComeBack();
}

// Whoever is left knows when its timers have run, whatever its application does.
void
Sim::CheckGone() const
{
	if (plan.vanish.node < 0 || now_us < plan.vanish.at_us)
		return;
	const leat_inet_keepalive &keep = plan.nodes[1 - plan.vanish.node].keep;
	uint64_t keep_us = (keep.idle_s + (uint64_t)keep.nb_probes * keep.interval_s) * kSecondUs;
	// In FIN-WAIT-2 there is nothing to say and no keep-alive, but a limit.
	uint64_t end_us = plan.vanish.at_us + keep_us + kGiveUpUs + kFinWait2Us;

	for (const Pair &pair : pairs) {
		if (pair.meets_gone && !pair.IsClosed() &&
			now_us > std::max(end_us, pair.start_us + kGiveUpUs))
			Fail("port %u of node %d: the peer is gone since %.3f, and it has not "
			     "found out",
				pair.port, pair.opener, (double)plan.vanish.at_us / kSecondUs);
	}
}

} // namespace sim
