// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_WORLD_H
#define SIM_WORLD_H

// Two nodes, their connections and the clock of both.

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <leat_inet.h>

#include "sim_link.h"

namespace sim
{

constexpr uint32_t kNbMbufs = 4095;
constexpr uint16_t kDataRoom = 2176;
constexpr uint16_t kPort = 7;
constexpr uint64_t kSecondUs = 1000000;
constexpr uint64_t kTimeWaitUs = 240 * kSecondUs; // 2 MSL as RFC 9293 has it
// At such loss that all retransmissions of four minutes may be lost.
constexpr uint64_t kLongTimeWaitUs = 4000 * kSecondUs;
constexpr uint32_t kConnsMax = 8;
constexpr size_t kLongStream = 400000;
constexpr size_t kShortStream = 30000;
constexpr uint64_t kFramesMax = 3000000;
constexpr unsigned int kTurnsAtOneTimeMax = 100000;

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
	bool closes_after_eof = false;
	bool is_open = false;
	bool is_blocked = false;
	bool is_shut = false;
	bool has_eof = false;
	bool is_closed = false;
};

struct Pair {
	Side sides[2]; // who connects, who accepts
	int opener;    // node
};

class Sim;

// One stack and the applications on it.
class Node
{
      public:
	Node(Sim *sim, int idx);
	~Node()
	{
		leat_inet_close(inet_);
	}

	void Connect(Pair *pair);
	void Turn();
	uint64_t WakeUs() const;
	void CheckEnd();

	std::map<uint16_t, Pair *> by_port; // of what this node has opened

      private:
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
	void Transmit();
	rte_mbuf *Frame(const std::vector<uint8_t> &bytes);
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
	int idx_;
	leat_inet_conf conf_ = {};
	leat_inet *inet_ = nullptr;
	std::vector<Side *> sides_;
};

class Sim
{
      public:
	Sim(const Options &options, uint64_t seed, rte_mempool *const pools[2])
	    : options(options), seed(seed),
	      rng(seed), links{ { options, &rng }, { options, &rng } }, pools{ pools[0], pools[1] }
	{
		mtu = options.mtu != 0 ? options.mtu
				       : (uint16_t)(rng.OneIn(4) ? rng.In(576, 1499) : 1500);
	}

	void Run();
	void Progress()
	{
		progress_us = now_us;
	}

	const Options &options;
	const uint64_t seed;
	Rng rng;
	Link links[2]; // out of node 0, out of node 1
	rte_mempool *pools[2];
	uint16_t mtu;
	uint64_t now_us = 1000 * kSecondUs;
	uint64_t progress_us = now_us;
	uint64_t nb_bytes = 0;
	std::vector<Pair> pairs;
	std::unique_ptr<Node> nodes[2];

      private:
	void MakePairs();
	bool AllClosed() const;
	void Advance(uint64_t next_us);
	// Progress must come within what time-outs in a row take, given the loss.
	uint64_t StallMaxUs() const
	{
		return options.loss <= 200 ? 30 * kSecondUs : 1200 * kSecondUs;
	}

	unsigned int nb_turns_now_ = 0;
};

} // namespace sim

#endif // SIM_WORLD_H
