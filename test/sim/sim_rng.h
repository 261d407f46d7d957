// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_RNG_H
#define SIM_RNG_H

// The randomness that everything comes from, and the way to say that a world failed.

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>

namespace sim
{

constexpr uint64_t kNever = UINT64_MAX;
constexpr uint64_t kSecondUs = 1000000;

struct Failure : std::runtime_error {
	using std::runtime_error::runtime_error;
};

[[noreturn]] [[gnu::format(printf, 1, 2)]] inline void
Fail(const char *fmt, ...)
{
	char text[2048];
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
	uint32_t In32(uint32_t lo, uint32_t hi)
	{
		return (uint32_t)In(lo, hi);
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

} // namespace sim

#endif // SIM_RNG_H
