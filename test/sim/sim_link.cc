// SPDX-License-Identifier: BSD-3-Clause

#include "sim_link.h"

#include <algorithm>

namespace sim
{

namespace
{

constexpr unsigned int kOthersLostMax = 2;
constexpr size_t kSrcMacOff = 6;
constexpr size_t kTypeOff = 12;

} // namespace

bool
Link::IsLost(uint64_t now_us, const Frame &frame)
{
	bool is_lost = rng_->Of10000(plan_.loss);

	if (Layout(frame).IsTcp())
		return is_lost || IsWithin(plan_.outages, now_us);
	// Three requests for a neighbour without an answer are the end of a connect, as they
	// should be: fewer than that are lost in one world.
	if (!is_lost || plan_.spares_others || nb_others_lost_ == kOthersLostMax)
		return false;
	nb_others_lost_++;
	return true;
}

// When the frame has left, at the rate of the link; false: the queue is too long.
bool
Link::Serialize(uint64_t now_us, size_t len, uint64_t *out_us)
{
	uint64_t begin_ns = std::max(now_us * 1000, free_ns_);

	if (begin_ns / 1000 - now_us > plan_.queue_us)
		return false;
	free_ns_ = begin_ns + len * plan_.ns_per_byte;
	*out_us = free_ns_ / 1000;
	return true;
}

// One bit: of a packet with TCP, or of its frame's head. The sender's MAC address stays, since
// Ethernet has a sum of its own that no port lets pass.
void
Link::Damage(Frame *frame)
{
	const Layout layout(*frame);

	if (!layout.IsTcp())
		return;
	size_t off = rng_->In(0, frame->size() - 1);

	while (off >= kSrcMacOff && off < kTypeOff)
		off = rng_->In(0, frame->size() - 1);
	(*frame)[off] ^= (uint8_t)(1 << rng_->In(0, 7));
	nb_damaged_++;
}

void
Link::Send(uint64_t now_us, Frame frame)
{
	uint64_t left_us = now_us;

	if (is_cut_)
		return;
	if (IsLost(now_us, frame) ||
		(plan_.ns_per_byte > 0 && !Serialize(now_us, frame.size(), &left_us))) {
		nb_lost_ += Layout(frame).IsTcp();
		on_loss_(frame);
		return;
	}
	if (plan_.strips != 0)
		StripSyn(&frame, plan_.strips);
	for (int copies = rng_->Of10000(plan_.dup) ? 2 : 1; copies > 0; copies--) {
		uint64_t at_us = left_us + plan_.delay_us + rng_->In(0, plan_.jitter_us);

		if (rng_->Of10000(plan_.reorder))
			at_us += rng_->In(0, 8 * plan_.delay_us);
		Frame copy = frame;
		if (rng_->Of10000(plan_.corrupt)) {
			Damage(&copy);
			on_loss_(frame);
		}
		queue_.push({ at_us, nb_sent_++, std::move(copy) });
	}
}

void
Link::Inject(uint64_t at_us, Frame frame)
{
	if (!is_cut_)
		queue_.push({ at_us, nb_sent_++, std::move(frame) });
}

void
Link::Cut()
{
	is_cut_ = true;
	queue_ = {};
}

void
Link::Mend()
{
	is_cut_ = false;
}

Frame
Link::Take()
{
	Frame bytes = queue_.top().bytes;

	queue_.pop();
	return bytes;
}

} // namespace sim
