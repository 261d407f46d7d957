// SPDX-License-Identifier: BSD-3-Clause

// Who forges segments and errors of a connection. He sees what goes by, so that he hits where
// a guess would once in a while; only the number that RFC 5961 makes the key he does not use.

#include "sim_world.h"

namespace sim
{

namespace
{

constexpr uint32_t kFarMax = 1u << 30;

} // namespace

// A frame that arrives now. Returns false if there is no mbuf for it.
bool
Node::Input(const Frame &frame)
{
	rte_mbuf *mbuf = Mbufs(frame);

	if (mbuf == nullptr)
		return false;
	leat_inet_input(inet_, sim_->now_us, &mbuf, 1);
	return true;
}

// As if the peer of @p side had sent it.
Ends
Node::PeerEnds(const Side *side, ForgedSeg *seg)
{
	const Pair *pair = sim_->PairOf(side);
	const bool is_opener = side == &pair->sides[0];

	seg->sport = is_opener ? kPort : pair->port;
	seg->dport = is_opener ? pair->port : kPort;
	return { NodeMac(1 - idx_), NodeMac(idx_), sim_->plan.vlan_id,
		NodeAddr(1 - idx_, pair->is_ipv6), NodeAddr(idx_, pair->is_ipv6) };
}

// A RST that is as good as the peer's own: of a middlebox, or of one who knows the number.
void
Node::Reset(Side *side)
{
	ForgedSeg rst;
	Ends ends = PeerEnds(side, &rst);

	rst.flags = LEAT_TCP_RST;
	rst.seq = NumbersOf(side->conn).rcv_nxt;
	sim_->PairOf(side)->is_aborted = true;
	side->is_reset = Input(ForgeTcp(ends, rst));
	TakeEvents();
	if (side->is_reset && !side->is_closed)
		Fail("node %d: a RST at RCV.NXT has not closed the connection", idx_);
}

// RFC 5961 sections 3 to 5, RFC 5927 section 4: none of it may do any harm.
void
Node::AttackOpen(Side *side)
{
	const Numbers numbers = NumbersOf(side->conn);
	Rng *rng = &sim_->rng;
	Features *features = &sim_->features;
	ForgedSeg seg;
	Ends ends = PeerEnds(side, &seg);

	seg.flags = LEAT_TCP_ACK;
	seg.seq = numbers.rcv_nxt + rng->In32(1, rng->OneIn(2) ? kFarMax : numbers.rcv_wnd + 1);
	seg.ack = numbers.snd_una;
	seg.wnd = 0; // whoever believed it would send no more
	seg.has_ts = numbers.has_ts;
	seg.ts_val = numbers.ts_recent;
	switch (rng->In(0, 4)) {
	case 0:
		seg.flags = LEAT_TCP_RST;
		(void)Input(ForgeTcp(ends, seg));
		features->Saw(Feature::kForgedRst);
		break;
	case 1:
		seg.flags = LEAT_TCP_SYN;
		(void)Input(ForgeTcp(ends, seg));
		features->Saw(Feature::kForgedSyn);
		break;
	case 2:
		seg.seq = numbers.rcv_nxt;
		seg.ack = numbers.snd_max + rng->In32(1, kFarMax);
		(void)Input(ForgeTcp(ends, seg));
		features->Saw(Feature::kForgedAck);
		break;
	case 3: // of a number that is not in flight: no path is smaller for it
		std::swap(seg.sport, seg.dport);
		seg.seq = numbers.snd_max + rng->In32(0, kFarMax);
		(void)Input(ForgeTooBig(ends, QuotedOf(ends, seg), LEAT_INET_MTU_MIN, 8));
		if (NumbersOf(side->conn).snd_mss != numbers.snd_mss)
			Fail("node %d: it believed an error of what is not in flight", idx_);
		features->Saw(Feature::kForgedError);
		break;
	default: // of one that is: not even a hard error ends what is open
		std::swap(seg.sport, seg.dport);
		seg.seq = numbers.snd_una;
		(void)Input(ForgeUnreachable(ends, QuotedOf(ends, seg)));
		features->Saw(Feature::kForgedError);
		break;
	}
}

// RFC 1337: it may be in TIME-WAIT, and shall stay there.
void
Node::AttackClosed(Side *side)
{
	ForgedSeg rst;
	Ends ends = PeerEnds(side, &rst);

	rst.flags = LEAT_TCP_RST;
	rst.seq = sim_->rng.In32(0, UINT32_MAX);
	(void)Input(ForgeTcp(ends, rst));
}

void
Node::Attack()
{
	if (plan_.forged == 0 || sides_.empty() || !sim_->rng.Of10000(plan_.forged))
		return;
	TakeEvents(); // in TIME-WAIT a SYN does harm: it opens the connection anew
	Side *side = sides_[sim_->rng.In(0, sides_.size() - 1)];

	if (side->is_closed)
		AttackClosed(side);
	else if (side->is_open)
		AttackOpen(side);
}

} // namespace sim
