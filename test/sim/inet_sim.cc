// SPDX-License-Identifier: BSD-3-Clause

// Two stacks over a bad link, one virtual clock, everything out of one seed.
//
// Several connections are opened from both ends; both sides of each send a stream of
// seeded bytes, read at their own pace, and close in an order of their own. Every byte
// is checked. In the end both sides must have seen CLOSED without an error, no slot may
// be in use, no timer set, and every mbuf be back in its pool.
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

#include "sim_world.h"
#include "test_eal.h"

namespace sim
{

void
Sim::MakePairs()
{
	pairs.resize(rng.In(1, kConnsMax));
	for (size_t i = 0; i < pairs.size(); i++) {
		Pair &pair = pairs[i];

		pair.opener = rng.OneIn(3) ? 1 : 0;
		for (int side = 0; side < 2; side++) {
			Side &s = pair.sides[side];
			size_t len_max = rng.OneIn(20) ? kLongStream : kShortStream;

			s.tx_seed = Mix(seed << 8 | i << 1 | (uint64_t)side);
			s.tx_len = rng.OneIn(8) ? rng.In(0, 1) : rng.In(1, len_max);
			s.chunk_max = (uint32_t)(rng.OneIn(4) ? rng.In(1, 40) : rng.In(1, 9000));
			s.pause_us = rng.OneIn(4) ? rng.In(1, 200000) : 0;
			s.close_delay_us = rng.OneIn(2) ? 0 : rng.In(0, 3 * kSecondUs);
			s.closes_after_eof = rng.OneIn(2);
		}
		if (pair.sides[0].closes_after_eof) // one of the two must begin
			pair.sides[1].closes_after_eof = false;
		for (int side = 0; side < 2; side++) {
			pair.sides[side].rx_seed = pair.sides[1 - side].tx_seed;
			pair.sides[side].rx_len = pair.sides[1 - side].tx_len;
		}
	}
}

bool
Sim::AllClosed() const
{
	for (const Pair &pair : pairs) {
		if (!pair.sides[0].is_closed || !pair.sides[1].is_closed)
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
	if (!AllClosed() && now_us - progress_us > StallMaxUs())
		Fail("nothing has happened for %" PRIu64 " s", (now_us - progress_us) / kSecondUs);
}

void
Sim::Run()
{
	nodes[0] = std::make_unique<Node>(this, 0);
	nodes[1] = std::make_unique<Node>(this, 1);
	MakePairs();
	std::vector<uint64_t> starts;
	for (size_t i = 0; i < pairs.size(); i++)
		starts.push_back(now_us + (rng.OneIn(2) ? 0 : rng.In(0, kSecondUs)));

	for (;;) {
		uint64_t next_us = std::min(nodes[0]->WakeUs(), nodes[1]->WakeUs());

		for (size_t i = 0; i < pairs.size(); i++) {
			if (starts[i] > now_us) {
				next_us = std::min(next_us, starts[i]);
			} else if (starts[i] != 0) {
				starts[i] = 0; // it has begun
				nodes[pairs[i].opener]->Connect(&pairs[i]);
				next_us = now_us;
			}
		}
		if (next_us == kNever)
			break;
		Advance(next_us);
		nodes[0]->Turn();
		nodes[1]->Turn();
	}
	if (!AllClosed())
		Fail("both sides wait for each other");
	for (auto &node : nodes)
		node->CheckEnd();
}

} // namespace sim

namespace
{

using namespace sim;

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

int
RunSeeds(const Options &options)
{
	rte_mempool *pools[2] = { MakePool("sim0"), MakePool("sim1") };
	uint64_t nb_failed = 0, nb_bytes = 0, nb_frames = 0;

	for (uint64_t i = 0; i < options.nb_seeds; i++) {
		running_seed = options.first + i;
		try {
			Sim sim(options, running_seed, pools);

			sim.Run();
			nb_bytes += sim.nb_bytes;
			nb_frames += sim.links[0].NbSent() + sim.links[1].NbSent();
			if (options.verbose)
				(void)printf("seed %" PRIu64 ": %zu connections, %" PRIu64
					     " bytes, %.3f s\n",
					running_seed, sim.pairs.size(), sim.nb_bytes,
					(double)sim.now_us / kSecondUs - 1000);
		} catch (const Failure &failure) {
			nb_failed++;
			(void)printf("seed %" PRIu64 " failed: %s\n", running_seed, failure.what());
		}
		for (rte_mempool *pool : pools) {
			if (rte_mempool_avail_count(pool) != kNbMbufs) { // not even after close
				(void)printf("seed %" PRIu64 ": mbufs leaked\n", running_seed);
				return EXIT_FAILURE;
			}
		}
	}
	(void)printf("%" PRIu64 " seeds from %" PRIu64 " on, %" PRIu64 " failed; %" PRIu64
		     " bytes of text in %" PRIu64 " frames\n",
		options.nb_seeds, options.first, nb_failed, nb_bytes, nb_frames);
	rte_mempool_free(pools[0]);
	rte_mempool_free(pools[1]);
	return nb_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
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
		unsigned long value = optarg != nullptr ? strtoul(optarg, nullptr, 10) : 0;

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
			options->loss = (unsigned int)value;
			break;
		case 'd':
			options->dup = (unsigned int)value;
			break;
		case 'r':
			options->reorder = (unsigned int)value;
			break;
		case 'c':
			options->corrupt = (unsigned int)value;
			break;
		case 'm':
			options->mtu = (uint16_t)value;
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
