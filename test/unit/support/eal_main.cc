// SPDX-License-Identifier: BSD-3-Clause

// main() of the unit tests that need mbufs, hash tables or rte_malloc: an EAL
// without hugepages, devices or telemetry, under a file prefix of its own that
// is removed at the end.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rte_eal.h>
#include <rte_errno.h>

int
main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	if (testing::GTEST_FLAG(list_tests))
		return RUN_ALL_TESTS();

	std::string prefix = "--file-prefix=leat-test-" + std::to_string(getpid());
	std::vector<std::string> args = { argv[0], "--no-huge", "--no-pci", "--no-telemetry",
		"--no-shconf", "-m", "256", "-l", "0", "--log-level=lib.eal:error", prefix };
	std::vector<char *> eal_argv;

	for (std::string &arg : args)
		eal_argv.push_back(arg.data());
	if (rte_eal_init((int)eal_argv.size(), eal_argv.data()) < 0) {
		(void)fprintf(stderr, "EAL: %s\n", rte_strerror(rte_errno));
		return EXIT_FAILURE;
	}
	std::string runtime_dir = rte_eal_get_runtime_dir();
	int ret = RUN_ALL_TESTS();

	(void)rte_eal_cleanup();
	std::filesystem::remove_all(runtime_dir);
	return ret;
}
