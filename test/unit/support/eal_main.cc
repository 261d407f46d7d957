// SPDX-License-Identifier: BSD-3-Clause

// main() of the unit tests that need mbufs, hash tables or rte_malloc.

#include <gtest/gtest.h>

#include "test_eal.h"

int
main(int argc, char **argv)
{
	testing::InitGoogleTest(&argc, argv);
	if (testing::GTEST_FLAG(list_tests))
		return RUN_ALL_TESTS();

	TestEal eal(argv[0]);

	return RUN_ALL_TESTS();
}
