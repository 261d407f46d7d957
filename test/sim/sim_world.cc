// SPDX-License-Identifier: BSD-3-Clause

#include "sim_world.h"

namespace sim
{

void
Sim::MakeSide(Side *side)
{
	size_t len_max = rng.OneIn(20) ? kLongStream : kShortStream;

	side->tx_len = rng.OneIn(8) ? rng.In(0, 1) : rng.In(1, len_max);
	side->chunk_max = (uint32_t)(rng.OneIn(4) ? rng.In(1, 40) : rng.In(1, 9000));
	if (rng.OneIn(4)) // a reader that lets the window close, at times for minutes
		side->pause_us = rng.In(1, rng.OneIn(8) ? 100 * kSecondUs : 200000);
	side->close_delay_us = rng.OneIn(2) ? 0 : rng.In(0, 3 * kSecondUs);
	side->closes_after_eof = rng.OneIn(2);
	if (rng.OneIn(5)) {
		side->idle_at = rng.In(0, side->tx_len);
		side->idle_us = rng.In(1, rng.OneIn(3) ? kIdleMaxUs : 30 * kSecondUs);
	}
}

// Patterns of half-close: one side is done before the other begins.
void
Sim::MakeAnswerer(Pair *pair)
{
	// The ACK of a cookie is never sent again: who opens must have something to say.
	int who = plan.HasCookies() ? 1 : (int)rng.In(0, 1);

	pair->sides[who].answers_after_eof = true;
	pair->sides[1 - who].closes_after_eof = false;
}

// How a connection ends before it is over.
void
Sim::MakeEnd(Pair *pair)
{
	if (rng.OneIn(12)) {
		Side &side = pair->sides[rng.In(0, 1)];

		side.abort_at = rng.In(0, side.rx_len);
	} else if (rng.OneIn(20)) {
		Side &side = pair->sides[rng.In(0, 1)];

		side.reset_at = rng.In(0, side.rx_len);
	}
}

// What one sends the other shall receive.
void
Sim::MatchSides(Pair *pair)
{
	if (pair->sides[0].closes_after_eof) // one of the two must begin
		pair->sides[1].closes_after_eof = false;
	for (int i = 0; i < 2; i++) {
		pair->sides[i].tx_seed = Mix(seed << 10 | pair->idx << 1 | (uint64_t)i);
		pair->sides[1 - i].rx_seed = pair->sides[i].tx_seed;
		pair->sides[1 - i].rx_len = pair->sides[i].tx_len;
	}
}

void
Sim::MakePair(int opener, uint64_t start_us)
{
	Pair &pair = pairs.emplace_back();

	pair.idx = pairs.size() - 1;
	pair.opener = opener;
	pair.start_us = start_us;
	pair.is_ipv6 = plan.HasIpv6() && rng.OneIn(2);
	MakeSide(&pair.sides[0]);
	MakeSide(&pair.sides[1]);
	if (plan.HasCookies()) { // as in MakeAnswerer(), and at once
		pair.sides[0].tx_len = std::max<uint64_t>(pair.sides[0].tx_len, 1);
		pair.sides[0].idle_at = std::max<uint64_t>(pair.sides[0].idle_at, 1);
	}
	if (rng.OneIn(6))
		MakeAnswerer(&pair);
	MatchSides(&pair);
	MakeEnd(&pair);
}

// Who has closed opens another one, on the same port if the plan says so.
void
Sim::Reopen()
{
	for (size_t i = 0; i < pairs.size(); i++) {
		Pair &pair = pairs[i];

		if (pair.nb_reopens == 0 || nodes[pair.opener] == nullptr ||
			!pair.sides[0].is_closed || pair.is_aborted || !pair.sides[1].is_closed)
			continue;
		uint32_t nb_left = pair.nb_reopens - 1;

		pair.nb_reopens = 0;
		MakePair(pair.opener, now_us + (rng.OneIn(2) ? 0 : rng.In(0, 3 * kSecondUs)));
		pairs.back().nb_reopens = nb_left;
	}
}

// Begin what is due. Returns when the next one is.
uint64_t
Sim::StartDue()
{
	uint64_t next_us = kNever;

	for (Pair &pair : pairs) {
		if (pair.is_started)
			continue;
		if (pair.start_us > now_us) {
			next_us = std::min(next_us, pair.start_us);
			continue;
		}
		pair.is_started = true;
		pair.meets_gone = nodes[1 - pair.opener] == nullptr;
		pair.flows[0].progress_us = now_us;
		pair.flows[1].progress_us = now_us;
		nodes[pair.opener]->Connect(&pair);
		next_us = now_us;
	}
	return next_us;
}

Pair *
Sim::PairOf(const Side *side)
{
	for (Pair &pair : pairs) {
		if (side == &pair.sides[0] || side == &pair.sides[1])
			return &pair;
	}
	Fail("nobody's side");
}

bool
Sim::AllClosed() const
{
	for (const Pair &pair : pairs) {
		if (!pair.IsClosed())
			return false;
	}
	return true;
}

void
Sim::Advance(uint64_t next_us)
{
	nb_turns_now_ = next_us > now_us ? 0 : nb_turns_now_ + 1;
	now_us = std::max(now_us, next_us);
	if (nb_turns_now_ > kTurnsAtOneTimeMax ||
		links[0].NbSent() + links[1].NbSent() > kFramesMax)
		Fail("both sides talk without end");
	if (now_us > kBeginUs + kWorldMaxUs)
		Fail("a timer runs without end");
}

void
Sim::MakePairs()
{
	for (uint64_t n = rng.In(1, kConnsMax); n > 0; n--) {
		MakePair(rng.OneIn(3) ? 1 : 0, now_us + (rng.OneIn(2) ? 0 : rng.In(0, kSecondUs)));
		pairs.back().nb_reopens = rng.OneIn(3) ? rng.In32(1, kReopensMax) : 0;
	}
}

uint64_t
Sim::WakeUs()
{
	uint64_t next_us = std::min(middle.WakeUs(), vanish_us_);

	for (auto &node : nodes) {
		if (node != nullptr)
			next_us = std::min(next_us, node->WakeUs());
	}
	return std::min(next_us, StartDue());
}

void
Sim::Turn()
{
	VanishDue();
	middle.Turn();
	for (auto &node : nodes) {
		if (node == nullptr)
			continue;
		node->Turn();
		node->Watch();
	}
	for (Pair &pair : pairs)
		Judge(&pair);
	CheckGone();
	Reopen();
}

void
Sim::CheckEnd()
{
	if (!AllClosed())
		Fail("both sides wait for each other");
	for (int i = 0; i < 2; i++) {
		features.SawIf(links[i].NbDamaged() > 0, Feature::kDamage);
		if (nodes[i] != nullptr)
			nodes[i]->CheckEnd();
	}
}

void
Sim::Run()
{
	SetIsn([this](const leat_inet *inet, uint64_t at_us) {
		int idx = nodes[0] != nullptr && nodes[0]->Inet() == inet ? 0 : 1;

		// Ahead of all that the one before may have sent: where no timestamp tells
		// them apart, a new connection must start above (RFC 9293 section 3.6.1).
		return plan.nodes[idx].isn + nb_isns_++ * kIsnStep +
		       (uint32_t)((at_us - kBeginUs) >> 6);
	});
	nodes[0] = std::make_unique<Node>(this, 0);
	nodes[1] = std::make_unique<Node>(this, 1);
	vanish_us_ = plan.vanish.at_us;
	MakePairs();
	for (;;) {
		uint64_t next_us = WakeUs();

		if (next_us == kNever)
			break;
		Advance(next_us);
		Turn();
	}
	CheckEnd();
}

} // namespace sim
