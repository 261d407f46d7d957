// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_LINK_H
#define SIM_LINK_H

// One direction of a bad link between two stacks.

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "sim_frame.h"
#include "sim_plan.h"

namespace sim
{

class Link
{
      public:
	// @p on_loss is told of each frame that will not arrive as it was sent.
	Link(const LinkPlan &plan, Rng *rng, std::function<void(const Frame &)> on_loss)
	    : plan_(plan), rng_(rng), on_loss_(std::move(on_loss))
	{
	}

	void Send(uint64_t now_us, Frame frame);
	Frame Take();
	// A frame of somebody beside the link, which arrives in any case.
	void Inject(uint64_t at_us, Frame frame);
	// Nothing is under way any more, and nothing gets through from now on; or again.
	void Cut();
	void Mend();

	uint64_t NextUs() const
	{
		return queue_.empty() ? kNever : queue_.top().at_us;
	}
	uint64_t NbSent() const
	{
		return nb_sent_;
	}
	uint64_t NbDamaged() const
	{
		return nb_damaged_;
	}
	uint64_t NbLost() const
	{
		return nb_lost_;
	}

      private:
	struct Entry {
		uint64_t at_us;
		uint64_t idx;
		Frame bytes;

		bool operator<(const Entry &other) const
		{
			return std::tie(at_us, idx) > std::tie(other.at_us, other.idx);
		}
	};

	bool IsLost(uint64_t now_us, const Frame &frame);
	bool Serialize(uint64_t now_us, size_t len, uint64_t *out_us);
	void Damage(Frame *frame);

	const LinkPlan &plan_;
	Rng *rng_;
	std::function<void(const Frame &)> on_loss_;
	unsigned int nb_others_lost_ = 0; // frames that are not TCP
	uint64_t free_ns_ = 0;            // when the last byte of what was sent has left
	uint64_t nb_sent_ = 0;
	uint64_t nb_lost_ = 0; // TCP only
	uint64_t nb_damaged_ = 0;
	bool is_cut_ = false;
	std::priority_queue<Entry> queue_;
};

} // namespace sim

#endif // SIM_LINK_H
