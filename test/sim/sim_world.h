// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_WORLD_H
#define SIM_WORLD_H

// Two nodes, their connections and the clock of both.

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <leat_inet.h>

#include "sim_feature.h"
#include "sim_hooks.h"
#include "sim_link.h"
#include "sim_middle.h"
#include "sim_plan.h"

namespace sim
{

constexpr uint16_t kDataRoom = 2176;
constexpr uint16_t kPort = 7;
constexpr uint64_t kBeginUs = 1000 * kSecondUs;
constexpr size_t kLongStream = 400000;
constexpr size_t kShortStream = 30000;
constexpr uint32_t kIsnStep = 2 * kLongStream;
constexpr uint32_t kReopensMax = 3;
constexpr uint64_t kFramesMax = 3000000;
// A reader who rests for minutes after each few bytes needs many hours, nobody needs days.
constexpr uint64_t kWorldMaxUs = 1000000 * kSecondUs;
constexpr unsigned int kTurnsAtOneTimeMax = 100000;
constexpr uint64_t kIdleMaxUs = 600 * kSecondUs;
constexpr uint32_t kFinWait2Us = 4200u * 1000000u;
constexpr uint64_t kPatienceUs = 600 * kSecondUs; // with a peer that has aborted

// One side of a connection: what it has to send and to receive, and how it behaves.
struct Side {
	leat_inet_conn *conn = nullptr;
	uint64_t tx_seed = 0;
	uint64_t rx_seed = 0;
	uint64_t tx_len = 0;
	uint64_t rx_len = 0;
	uint64_t nb_sent = 0;
	uint64_t nb_received = 0;
	uint32_t nb_unread = 0;
	uint32_t chunk_max = 1;
	uint64_t pause_us = 0; // of the reader; 0: reads at once
	uint64_t read_at_us = 0;
	uint64_t close_delay_us = 0;
	uint64_t close_at_us = kNever;
	uint64_t abort_at = kNever; // bytes received; then it aborts
	uint64_t reset_at = kNever; // likewise; then somebody between resets it
	uint64_t idle_at = kNever;  // bytes sent; then it rests
	uint64_t idle_us = 0;
	uint64_t idle_until_us = kNever; // kNever: not yet
	uint64_t give_up_us = kNever;
	bool closes_after_eof = false;
	bool answers_after_eof = false; // sends nothing before
	bool is_reset = false;
	bool is_open = false;
	bool is_blocked = false;
	bool is_starved = false; // found no mbuf for what it would send
	bool is_shut = false;
	bool has_eof = false;
	bool is_closed = false;

	// How much it would send now.
	uint64_t NbWilling(uint64_t now_us) const
	{
		if (is_blocked || (answers_after_eof && !has_eof))
			return 0;
		if (nb_sent < idle_at || idle_until_us <= now_us)
			return std::min(tx_len, nb_sent < idle_at ? idle_at : tx_len) - nb_sent;
		return 0;
	}
};

// One direction of a connection, and when it last got further.
struct Flow {
	Place place;
	uint64_t progress_us = 0;
	uint64_t rto_us = 0; // of its sender, then
	bool has_work = false;
};

// A connection.
struct Pair {
	Side sides[2]; // who connects, who accepts
	size_t idx = 0;
	int opener = 0;    // node
	uint16_t port = 0; // its
	bool is_ipv6 = false;
	uint64_t start_us = 0;
	bool is_started = false;
	bool is_aborted = false;
	bool is_swallowed = false; // a router without a word takes its packets
	bool meets_gone = false;   // the peer has vanished; the stack alone must find out
	uint32_t nb_reopens = 0;   // connections that follow on the same port

	// The judge's, sim_stall.cc.
	Flow flows[2];           // of what each side sends
	uint64_t trouble_us = 0; // a frame was lost, or an application has held things up

	bool IsClosed() const
	{
		return sides[0].is_closed &&
		       (sides[1].is_closed || (is_aborted && !sides[1].is_open));
	}
};

// Both families have ports of their own.
inline uint32_t
PortKey(bool is_ipv6, uint16_t port)
{
	return (uint32_t)is_ipv6 << 16 | port;
}

class Sim;

// One stack and the applications on it.
class Node
{
      public:
	Node(Sim *sim, int idx);
	~Node();

	void Connect(Pair *pair);
	void Turn();
	uint64_t WakeUs() const;
	void CheckEnd();
	const leat_inet *Inet() const
	{
		return inet_;
	}

	void Watch();
	void WatchEnd();

	std::map<uint32_t, Pair *> by_port; // of what this node has opened, the latest

      private:
	void InitTcp();
	void Listen(leat_ip_addr addr);
	void Receive();
	void TakeEvents();
	void TakeEvent(const leat_inet_event &event);
	void TakeOpen(leat_inet_conn *conn);
	void TakeData(Side *side, rte_mbuf *mbuf);
	void TakeClosed(Side *side, int error);
	void Pump(Side *side);
	void Read(Side *side);
	void Write(Side *side);
	void Close(Side *side);
	void Abort(Side *side);
	bool GivesUp(Side *side);
	void EndPair(Pair *pair);
	bool MayEndBy(const Side *side, const Pair &pair, int error) const;
	bool Input(const Frame &frame);
	Ends PeerEnds(const Side *side, ForgedSeg *seg);
	void Reset(Side *side);
	void Attack();
	void AttackOpen(Side *side);
	void AttackClosed(Side *side);
	void Transmit();
	void TransmitOne(rte_mbuf *mbuf);
	void TransmitCut(const rte_mbuf *mbuf, const Frame &bytes);
	void Leave(Frame bytes);
	void CheckSent(const Frame &frame);
	void Hold();
	rte_mbuf *Mbufs(const Frame &bytes);
	rte_mbuf *Chunk(Side *side, uint32_t len);
	Side *SideOf(leat_inet_conn *conn) const
	{
		Side *side;

		memcpy(&side, leat_inet_conn_priv(conn), sizeof(side));
		if (side == nullptr)
			Fail("node %d: an event before OPEN", idx_);
		return side;
	}
	void Attach(leat_inet_conn *conn, Side *side)
	{
		memcpy(leat_inet_conn_priv(conn), &side, sizeof(side));
		side->conn = conn;
	}

	Sim *sim_;
	const NodePlan &plan_;
	int idx_;
	std::string name_;
	leat_inet_conf conf_ = {};
	leat_inet *inet_ = nullptr;
	uint32_t nb_reass_left_ = 0;
	std::vector<rte_mbuf *> held_; // mbufs that somebody else has
	std::vector<Side *> sides_;
	std::map<uint64_t, uint32_t> sent_max_; // by both ports: one past the highest number sent
	uint64_t nb_retransmitted_ = 0;
	uint64_t nb_dry_ = 0; // frames that found no mbuf, until the last turn
	bool is_dry_ = false; // there was one in the last turn
};

class Sim
{
      public:
	Sim(const Options &options, uint64_t seed, rte_mempool *const pools[2])
	    : options(options), seed(seed), rng(seed), plan(options, &rng, kBeginUs),
	      links{ { plan.links[0], &rng, [this](const Frame &frame) { Lost(0, frame); } },
		      { plan.links[1], &rng, [this](const Frame &frame) { Lost(1, frame); } } },
	      middle(this), pools{ pools[0], pools[1] }
	{
	}

	void Run();
	// A frame that node @p from has sent will not arrive.
	void Lost(int from, const Frame &frame);
	// Nor will anything as large.
	void Swallowed(int from, const Layout &layout);
	// Whoever answers now knows of the connection: the peer has come back.
	void Met(Pair *pair);
	// Whatever happens now may hold up all of them.
	void Trouble();
	Pair *PairOf(const Side *side);
	// Of a frame that node @p from has sent; NULL: nobody's.
	Pair *PairOf(int from, const Layout &layout);

	const Options &options;
	const uint64_t seed;
	Rng rng;
	const Plan plan;
	Link links[2]; // out of node 0, out of node 1
	Middle middle;
	Features features;
	rte_mempool *pools[2];
	uint64_t now_us = kBeginUs;
	uint64_t nb_bytes = 0;
	std::deque<Pair> pairs;
	std::unique_ptr<Node> nodes[2]; // NULL: it has vanished

      private:
	void MakePairs();
	void Turn();
	uint64_t WakeUs();
	void VanishDue();
	void Vanish();
	void LosePeer(Pair *pair);
	void ComeBack();
	void CheckGone() const;
	void CheckEnd();
	void MakeSide(Side *side);
	void MakePair(int opener, uint64_t start_us);
	void MatchSides(Pair *pair);
	void MakeAnswerer(Pair *pair);
	void MakeEnd(Pair *pair);
	void Reopen();
	uint64_t StartDue();
	bool AllClosed() const;
	void Advance(uint64_t next_us);
	void Judge(Pair *pair);
	void JudgeFlow(Pair *pair, int from);
	void Follow(Flow *flow, const Side &from, const Side &to);

	uint64_t vanish_us_ = kNever; // when somebody vanishes, or comes back
	uint64_t trouble_us_ = 0;     // of all connections
	unsigned int nb_turns_now_ = 0;
	uint32_t nb_isns_ = 0;
};

} // namespace sim

#endif // SIM_WORLD_H
