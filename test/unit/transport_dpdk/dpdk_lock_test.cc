// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rte_log.h>

#include <leat_dpdk_lock.h>
#include <leat_dpdk_log.h>

namespace
{

class DpdkLock : public testing::Test
{
      protected:
	void SetUp() override
	{
		std::string dir = testing::TempDir() + "leat-lock-XXXXXX";

		ASSERT_NE(nullptr, mkdtemp(dir.data()));
		path = dir + "/dev.lock";
	}

	void TearDown() override
	{
		std::filesystem::remove_all(std::filesystem::path(path).parent_path());
	}

	std::string path;
	pid_t holder = -1;
};

} // namespace

TEST_F(DpdkLock, TellsWhoHoldsIt)
{
	int fd = leat_dpdk_lock_take(path.c_str(), &holder);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, holder);
	EXPECT_EQ(-EBUSY, leat_dpdk_lock_take(path.c_str(), &holder));
	EXPECT_EQ(getpid(), holder);
	leat_dpdk_lock_release(path.c_str(), fd);
}

TEST_F(DpdkLock, ReleaseLeavesNoFileAndLetsOthersTakeIt)
{
	int fd = leat_dpdk_lock_take(path.c_str(), &holder);

	ASSERT_LE(0, fd);
	leat_dpdk_lock_release(path.c_str(), fd);
	EXPECT_FALSE(std::filesystem::exists(path));
	fd = leat_dpdk_lock_take(path.c_str(), &holder);
	EXPECT_LE(0, fd);
	leat_dpdk_lock_release(path.c_str(), fd);
}

TEST_F(DpdkLock, AFileThatAKilledProcessLeftIsNoObstacle)
{
	std::ofstream(path) << "1\n";
	int fd = leat_dpdk_lock_take(path.c_str(), &holder);

	EXPECT_LE(0, fd);
	leat_dpdk_lock_release(path.c_str(), fd);
}

TEST_F(DpdkLock, AMissingDirectoryIsAnError)
{
	EXPECT_EQ(-ENOENT, leat_dpdk_lock_take((path + "/none/x").c_str(), &holder));
}

TEST(DpdkLog, KeepsTheFirstErrorWithoutItsPrefix)
{
	leat_dpdk_log log;

	ASSERT_EQ(0, leat_dpdk_log_open(&log, nullptr));
	EXPECT_STREQ("nothing", leat_dpdk_log_reason(&log, "nothing"));
	rte_log(RTE_LOG_WARNING, RTE_LOGTYPE_USER1, "USER1: a warning\n");
	EXPECT_STREQ("nothing", leat_dpdk_log_reason(&log, "nothing"));
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "USER1: cannot do it: %s.\n", "no disk");
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "USER1: a later one\n");
	EXPECT_STREQ("cannot do it: no disk", leat_dpdk_log_reason(&log, "nothing"));
	leat_dpdk_log_close(&log);
}

TEST(DpdkLog, PutsThePreviousStreamBack)
{
	FILE *before = rte_log_get_stream();
	leat_dpdk_log log;

	ASSERT_EQ(0, leat_dpdk_log_open(&log, nullptr));
	EXPECT_NE(before, rte_log_get_stream());
	leat_dpdk_log_close(&log);
	EXPECT_EQ(before, rte_log_get_stream());
}

TEST(DpdkLog, PrefixesEachLineThatPasses)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	leat_dpdk_log log;

	ASSERT_NE(nullptr, out);
	ASSERT_EQ(0, leat_dpdk_log_open(&log, out));
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "kept\n");
	leat_dpdk_log_pass(&log);
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "one\ntwo\n");
	leat_dpdk_log_close(&log);
	fclose(out);
	EXPECT_STREQ("dpdk: one\ndpdk: two\n", text);
}
