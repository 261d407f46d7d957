// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_LINK_H
#define SIM_LINK_H

// A bad link between two stacks, and the randomness that everything comes from.

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <queue>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace sim
{

constexpr uint64_t kNever = UINT64_MAX;
constexpr unsigned int kLossOfArpMax = 500;

// Of every 10,000 frames.
struct Options {
	uint64_t first = 1;
	uint64_t nb_seeds = 1000;
	unsigned int loss = 100;
	unsigned int dup = 100;
	unsigned int reorder = 200;
	unsigned int corrupt = 10;
	uint16_t mtu = 0; // 0: out of the seed
	bool verbose = false;
	FILE *pcap = nullptr; // what both sides send, before the link
};

struct Failure : std::runtime_error {
	using std::runtime_error::runtime_error;
};

[[noreturn]] [[gnu::format(printf, 1, 2)]] inline void
Fail(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	throw Failure(text);
}

inline uint64_t
Mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// Byte @p pos of the stream with this seed.
inline uint8_t
StreamByte(uint64_t seed, uint64_t pos)
{
	return (uint8_t)(Mix(seed + pos / 8) >> pos % 8 * 8);
}

class Rng
{
      public:
	explicit Rng(uint64_t seed) : engine_(seed)
	{
	}
	// From lo to hi, both included. The library's distributions differ between libraries.
	uint64_t In(uint64_t lo, uint64_t hi)
	{
		return lo + engine_() % (hi - lo + 1);
	}
	bool OneIn(uint64_t n)
	{
		return In(1, n) == 1;
	}
	bool Of10000(unsigned int n)
	{
		return In(1, 10000) <= n;
	}

      private:
	std::mt19937_64 engine_;
};

// One direction of the link.
class Link
{
      public:
	Link(const Options &options, Rng *rng)
	    : options_(options), rng_(rng), delay_us_(rng->In(20, 5000))
	{
	}

	void Send(uint64_t now_us, std::vector<uint8_t> frame)
	{
		if (options_.pcap != nullptr)
			Record(now_us, frame);
		// Three lost ARP requests are the end of a connect, as they should be; on a
		// link so bad that this happens they are spared.
		bool spare = options_.loss > kLossOfArpMax && !IsIpv4(frame);
		if (rng_->Of10000(options_.loss) && !spare)
			return;
		int copies = rng_->Of10000(options_.dup) ? 2 : 1;
		for (int i = 0; i < copies; i++) {
			uint64_t at_us = now_us + delay_us_ + rng_->In(0, delay_us_ / 8);

			if (rng_->Of10000(options_.reorder))
				at_us += rng_->In(0, 8 * delay_us_);
			std::vector<uint8_t> copy = frame;
			if (rng_->Of10000(options_.corrupt))
				Damage(&copy);
			queue_.push({ at_us, nb_sent_++, std::move(copy) });
		}
	}

	uint64_t NextUs() const
	{
		return queue_.empty() ? kNever : queue_.top().at_us;
	}

	std::vector<uint8_t> Take()
	{
		std::vector<uint8_t> bytes = queue_.top().bytes;

		queue_.pop();
		return bytes;
	}

	uint64_t NbSent() const
	{
		return nb_sent_;
	}
	uint64_t NbDamaged() const
	{
		return nb_damaged_;
	}

      private:
	struct Entry {
		uint64_t at_us;
		uint64_t idx;
		std::vector<uint8_t> bytes;

		bool operator<(const Entry &other) const
		{
			return std::tie(at_us, idx) > std::tie(other.at_us, other.idx);
		}
	};

	static bool IsIpv4(const std::vector<uint8_t> &frame)
	{
		return frame[12] == 0x08 && frame[13] == 0x00;
	}

	void Record(uint64_t now_us, const std::vector<uint8_t> &frame)
	{
		uint32_t len = (uint32_t)frame.size();
		uint32_t head[4] = { (uint32_t)(now_us / 1000000), (uint32_t)(now_us % 1000000),
			len, len };

		(void)fwrite(head, sizeof(head), 1, options_.pcap);
		(void)fwrite(frame.data(), len, 1, options_.pcap);
	}

	// One bit of an IPv4 packet: ARP and Ethernet have no checksum but the port's.
	void Damage(std::vector<uint8_t> *frame)
	{
		size_t first = 14 * 8;

		if (IsIpv4(*frame)) {
			nb_damaged_++;
			size_t bit = rng_->In(first, frame->size() * 8 - 1);

			(*frame)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}

	const Options &options_;
	Rng *rng_;
	uint64_t delay_us_;
	uint64_t nb_sent_ = 0;
	uint64_t nb_damaged_ = 0;
	std::priority_queue<Entry> queue_;
};

} // namespace sim

#endif // SIM_LINK_H
