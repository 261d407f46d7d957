// SPDX-License-Identifier: BSD-3-Clause

#ifndef PERF_ROW_H
#define PERF_ROW_H

// One row of scripts/perf.sh: what an operation costs. Time is the best of some rounds.
// Under callgrind with --collect-atstart=no only the operations are counted, so that its total
// divided by nb_ops is the instructions of one. Figures are told, never judged.
//
// Every allocation of the program is counted, which is why only one of its files includes this.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

#include <valgrind/callgrind.h>

namespace perf
{

constexpr uint32_t kNbRoundsMin = 20;
constexpr double kLeastNs = 3e8;   // that rounds go on, so that one falls into a quiet moment
constexpr uint32_t kNbOps = 10000; // of one round
constexpr uint32_t kNbOpsCounted = 1000;
constexpr uint32_t kNbOpsWarm = 1000;

static uint64_t nb_allocs;

} // namespace perf

extern "C" {
void *__libc_malloc(size_t len);
void *__libc_calloc(size_t nb, size_t len);
void *__libc_realloc(void *ptr, size_t len);

void *
malloc(size_t len)
{
	perf::nb_allocs++;
	return __libc_malloc(len);
}

void *
calloc(size_t nb, size_t len)
{
	perf::nb_allocs++;
	return __libc_calloc(nb, len);
}

void *
realloc(void *ptr, size_t len)
{
	perf::nb_allocs++;
	return __libc_realloc(ptr, len);
}
}

namespace perf
{

[[noreturn]] inline void
Stop(const char *why)
{
	(void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
	exit(EXIT_FAILURE);
}

// Whoever reads the memory, it is used; whoever wrote it, it may be other bytes now.
inline void
Barrier(const void *p)
{
	asm volatile("" : : "g"(p) : "memory");
}

inline double
NowNs()
{
	timespec now = {};

	(void)clock_gettime(CLOCK_MONOTONIC, &now); // never fails with this clock
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// @param row  What is done, such as "parse a request". @param with  Who does it.
// @param len  Bytes that it is done on.
template <typename Operation>
void
Measure(const std::string &row, const std::string &with, size_t len, Operation operation)
{
	const bool is_counted = RUNNING_ON_VALGRIND != 0;
	const uint32_t nb_ops = is_counted ? kNbOpsCounted : kNbOps;
	double best_ns = std::numeric_limits<double>::max();
	uint32_t nb_rounds = 0;

	for (uint32_t i = 0; i < kNbOpsWarm; i++)
		operation();
	const uint64_t nb_allocs_before = nb_allocs;
	const double first_ns = NowNs();
	do {
		const double begin_ns = NowNs();

		CALLGRIND_TOGGLE_COLLECT;
		for (uint32_t i = 0; i < nb_ops; i++)
			operation();
		CALLGRIND_TOGGLE_COLLECT;
		best_ns = std::min(best_ns, NowNs() - begin_ns);
		nb_rounds++;
	} while (!is_counted && (nb_rounds < kNbRoundsMin || NowNs() - first_ns < kLeastNs));
	const double nb_made = (double)(nb_allocs - nb_allocs_before);

	(void)printf("{\"row\": \"%s\", \"with\": \"%s\", \"bytes\": %zu, \"ns\": %.1f, "
		     "\"allocations\": %.2f, \"nb_ops\": %u}\n",
		row.c_str(), with.c_str(), len, best_ns / nb_ops,
		nb_made / ((double)nb_rounds * nb_ops), nb_ops);
}

} // namespace perf

#endif // PERF_ROW_H
