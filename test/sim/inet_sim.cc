// SPDX-License-Identifier: BSD-3-Clause

// Two stacks over a bad link, one virtual clock, everything out of one seed: sim_plan.h says
// in what the worlds of the seeds differ.
//
// Several connections are opened from both ends; both sides of each send a stream of
// seeded bytes, read at their own pace, and close in an order of their own or abort. Every
// byte is checked, and nobody may stand still for longer than sim_stall.cc allows. In the end
// both sides must have seen CLOSED without an error, no slot may be in use, no timer set, and
// every mbuf be back in its pool.
//
// A failing seed is printed; "inet_sim --seed N" with the same options replays it.

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <getopt.h>
#include <unistd.h>

#include "sim_loan.h"
#include "sim_world.h"
#include "test_eal.h"

namespace
{

using namespace sim;

// So many worlds, and each feature has been in some of them.
constexpr uint64_t kSeedsOfAll = 1000;

uint64_t running_seed;

// LEAT_VERIFY aborts, and a sanitizer may: say which seed it was.
void
SayRunningSeed(int)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "stopped in seed %" PRIu64 "\n", running_seed);

	(void)!write(STDERR_FILENO, text, (size_t)len);
	(void)signal(SIGABRT, SIG_DFL);
}

rte_mempool *
MakePool(const char *name)
{
	rte_mempool *pool = rte_pktmbuf_pool_create(name, kNbMbufs, 0, 0, kDataRoom, 0);

	if (pool == nullptr) {
		(void)fprintf(stderr, "pool: %s\n", rte_strerror(rte_errno));
		exit(EXIT_FAILURE);
	}
	return pool;
}

// What all seeds together did.
struct Sum {
	uint64_t nb_failed = 0;
	uint64_t nb_conns = 0;
	uint64_t nb_bytes = 0;
	uint64_t nb_frames = 0;
	uint64_t nb_worlds[kNbFeatures] = {}; // that had each
};

void
RunSeed(const Options &options, rte_mempool *const pools[2], Sum *sum)
{
	Sim sim(options, running_seed, pools);

	try {
		sim.Run();
	} catch (const Failure &failure) {
		sum->nb_failed++;
		(void)printf("seed %" PRIu64 " failed: %s\n\t%s\n", running_seed, failure.what(),
			sim.plan.Text().c_str());
		for (auto &node : sim.nodes) {
			if (node != nullptr)
				(void)printf("\tcounters:%s\n", StatsOf(node->Inet()).c_str());
		}
	}
	for (size_t i = 0; i < kNbFeatures; i++)
		sum->nb_worlds[i] += sim.features.Has((Feature)i);
	sum->nb_conns += sim.pairs.size();
	sum->nb_bytes += sim.nb_bytes;
	sum->nb_frames += sim.links[0].NbSent() + sim.links[1].NbSent();
	if (options.verbose)
		(void)printf("seed %" PRIu64 ": %zu connections, %" PRIu64 " bytes, %.3f s; %s\n",
			running_seed, sim.pairs.size(), sim.nb_bytes,
			(double)(sim.now_us - kBeginUs) / kSecondUs, sim.plan.Text().c_str());
}

// Returns whether all features were seen; where few worlds were run nobody can ask for that.
bool
PrintFeatures(const Options &options, const Sum &sum)
{
	bool has_all = true;

	if (options.nb_seeds < kSeedsOfAll)
		return true;
	for (size_t i = 0; i < kNbFeatures; i++) {
		(void)printf("%7" PRIu64 " worlds: %s%s\n", sum.nb_worlds[i], NameOf((Feature)i),
			sum.nb_worlds[i] == 0 ? " FAILED: never seen" : "");
		has_all &= sum.nb_worlds[i] > 0;
	}
	return has_all;
}

int
RunSeeds(const Options &options)
{
	rte_mempool *pools[2] = { MakePool("sim0"), MakePool("sim1") };
	Sum sum;

	for (uint64_t i = 0; i < options.nb_seeds; i++) {
		running_seed = options.first + i;
		RunSeed(options, pools, &sum);
		if (NbLoans() != 0) {
			(void)printf(
				"seed %" PRIu64 ": text that was lent is held\n", running_seed);
			return EXIT_FAILURE;
		}
		for (rte_mempool *pool : pools) {
			if (rte_mempool_avail_count(pool) != kNbMbufs) { // not even after close
				(void)printf("seed %" PRIu64 ": mbufs leaked\n", running_seed);
				return EXIT_FAILURE;
			}
		}
	}
	(void)printf("%" PRIu64 " seeds from %" PRIu64 " on, %" PRIu64 " failed; %" PRIu64
		     " connections, %" PRIu64 " bytes of text in %" PRIu64 " frames\n",
		options.nb_seeds, options.first, sum.nb_failed, sum.nb_conns, sum.nb_bytes,
		sum.nb_frames);
	rte_mempool_free(pools[0]);
	rte_mempool_free(pools[1]);
	return PrintFeatures(options, sum) && sum.nb_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

FILE *
OpenPcap(const char *path)
{
	const uint32_t head[6] = { 0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1 /* Ethernet */ };
	FILE *file = fopen(path, "wb");

	if (file != nullptr)
		(void)fwrite(head, sizeof(head), 1, file);
	return file;
}

bool
ParseOptions(int argc, char **argv, Options *options)
{
	static const option names[] = {
		{ "seed", required_argument, nullptr, 's' },
		{ "first", required_argument, nullptr, 'f' },
		{ "seeds", required_argument, nullptr, 'n' },
		{ "loss", required_argument, nullptr, 'l' },
		{ "dup", required_argument, nullptr, 'd' },
		{ "reorder", required_argument, nullptr, 'r' },
		{ "corrupt", required_argument, nullptr, 'c' },
		{ "mtu", required_argument, nullptr, 'm' },
		{ "pcap", required_argument, nullptr, 'p' },
		{ "verbose", no_argument, nullptr, 'v' },
		{},
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", names, nullptr)) != -1) {
		uint64_t value = optarg != nullptr ? strtoull(optarg, nullptr, 10) : 0;

		switch (opt) {
		case 's':
			options->first = value;
			options->nb_seeds = 1;
			break;
		case 'f':
			options->first = value;
			break;
		case 'n':
			options->nb_seeds = value;
			break;
		case 'l':
			options->loss = (int)value;
			break;
		case 'd':
			options->dup = (int)value;
			break;
		case 'r':
			options->reorder = (int)value;
			break;
		case 'c':
			options->corrupt = (int)value;
			break;
		case 'm':
			options->mtu = (int)value;
			break;
		case 'p':
			options->pcap = OpenPcap(optarg);
			if (options->pcap == nullptr)
				return false;
			break;
		case 'v':
			options->verbose = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc;
}

} // namespace

int
main(int argc, char **argv)
{
	Options options;

	if (!ParseOptions(argc, argv, &options)) {
		(void)fprintf(stderr,
			"inet_sim [--seed N | --first N --seeds N] [--loss N] [--dup N] "
			"[--reorder N] [--corrupt N] [--mtu N] [--pcap FILE] [--verbose]\n"
			"N frames of 10,000 are lost, doubled, late, damaged\n");
		return 2;
	}
	TestEal eal(argv[0]);

	(void)signal(SIGABRT, SayRunningSeed);
	int ret = RunSeeds(options);

	if (options.pcap != nullptr)
		(void)fclose(options.pcap);
	return ret;
}
