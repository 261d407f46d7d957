// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <rte_eal.h>
#include <rte_lcore.h>

#include "eal.h"
#include "eal_files.h"

namespace fs = std::filesystem;

namespace
{

// A directory for a test: the kernel's account of hugepages, or the run-time directory.
class TempDir : public testing::Test
{
      protected:
	void SetUp() override
	{
		dir = testing::TempDir() + "leat-eal-XXXXXX";
		ASSERT_NE(nullptr, mkdtemp(dir.data()));
		ASSERT_EQ(0, setenv("RUNTIME_DIRECTORY", dir.c_str(), 1));
	}

	void TearDown() override
	{
		unsetenv("RUNTIME_DIRECTORY");
		fs::remove_all(dir);
	}

	void AddPages(unsigned int size_kb, unsigned int nb_reserved, unsigned int nb_free)
	{
		fs::path sub = dir + "/hugepages-" + std::to_string(size_kb) + "kB";

		fs::create_directory(sub);
		std::ofstream(sub / "nr_hugepages") << nb_reserved << "\n";
		std::ofstream(sub / "free_hugepages") << nb_free << "\n";
	}

	std::string AddRuntimeDir(const std::string &name)
	{
		fs::path sub = dir + "/dpdk/" + name;

		fs::create_directories(sub);
		std::ofstream(sub / "dpdk_telemetry.v2");
		return sub;
	}

	std::string dir;
};

using EalHugepages = TempDir;
using EalStart = TempDir;

leat_eal_conf
Conf()
{
	leat_eal_conf conf = {};

	conf.program = "eal_test";
	conf.nb_workers = 1;
	conf.memory_mb = 64;
	conf.no_huge = true;
	return conf;
}

std::string
Refusal(const leat_eal_conf &conf)
{
	leat_eal eal;
	leat_error error = {};

	EXPECT_EQ(-EINVAL, leat_eal_start(&conf, &eal, &error));
	return error.text;
}

// An EAL is started once in a process, so each test that does has a process for it.
bool
InChild(const std::function<bool()> &body)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(body() ? 0 : 1);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

pid_t
DeadPid()
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	EXPECT_EQ(pid, waitpid(pid, nullptr, 0));
	return pid;
}

bool
StartAndStop()
{
	leat_eal_conf conf = Conf();
	leat_error error = {};
	leat_eal eal;

	if (leat_eal_start(&conf, &eal, &error) < 0)
		return false;
	leat_eal_stop(&eal);
	return true;
}

} // namespace

TEST_F(EalHugepages, EnoughAreEnough)
{
	leat_error error = {};

	AddPages(2048, 32, 32);
	EXPECT_EQ(0, eal_check_hugepages(dir.c_str(), 64, &error)) << error.text;
}

TEST_F(EalHugepages, OneTooFewTellsHowToGetIt)
{
	leat_error error = {};

	AddPages(2048, 40, 31);
	EXPECT_EQ(-ENOMEM, eal_check_hugepages(dir.c_str(), 64, &error));
	EXPECT_EQ("64 MiB of memory need hugepages and 62 MiB are free: reserve 1 more of 2048 kB "
		  "with `echo 41 > " +
			  dir +
			  "/hugepages-2048kB/nr_hugepages` as root, ask for less memory, or start "
			  "with --no-huge",
		error.text);
}

TEST_F(EalHugepages, AllSizesCount)
{
	leat_error error = {};

	AddPages(2048, 16, 16);
	AddPages(1048576, 1, 1);
	EXPECT_EQ(0, eal_check_hugepages(dir.c_str(), 1056, &error)) << error.text;
	EXPECT_EQ(-ENOMEM, eal_check_hugepages(dir.c_str(), 1057, &error));
}

TEST_F(EalHugepages, AKernelWithoutThemIsTold)
{
	leat_error error = {};

	EXPECT_EQ(-ENOMEM, eal_check_hugepages((dir + "/none").c_str(), 64, &error));
	EXPECT_EQ("this kernel has no hugepages (" + dir + "/none): start with --no-huge",
		error.text);
}

TEST_F(EalStart, GivesEachWorkerTheLcoreOfItsNumber)
{
	EXPECT_TRUE(InChild([] {
		leat_eal_conf conf = Conf();
		leat_error error = {};
		leat_eal eal;

		if (leat_eal_start(&conf, &eal, &error) < 0)
			return false;
		rte_cpuset_t cpus = rte_lcore_cpuset(0);
		bool is_good = rte_lcore_count() == 2 && rte_get_main_lcore() == 1 &&
			       eal.main_lcore_id == 1 && CPU_COUNT(&cpus) == 1 &&
			       CPU_ISSET(eal.cpus[0], &cpus);
		leat_eal_stop(&eal);
		return is_good;
	}));
}

TEST_F(EalStart, WorkersGetTheLastCpusOfTheMask)
{
	cpu_set_t mask;
	int last = 0;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(mask), &mask));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mask))
			last = cpu;
	EXPECT_TRUE(InChild([last] {
		leat_eal_conf conf = Conf();
		leat_error error = {};
		leat_eal eal;

		if (leat_eal_start(&conf, &eal, &error) < 0)
			return false;
		leat_eal_stop(&eal);
		return eal.cpus[0] == last;
	}));
}

TEST_F(EalStart, LeavesNoFile)
{
	EXPECT_TRUE(InChild([] {
		leat_eal_conf conf = Conf();
		leat_error error = {};
		leat_eal eal;

		if (leat_eal_start(&conf, &eal, &error) < 0)
			return false;
		bool was_there = fs::exists(eal.runtime_dir) &&
				 eal.runtime_dir == std::string(rte_eal_get_runtime_dir());
		leat_eal_stop(&eal);
		return was_there;
	}));
	EXPECT_TRUE(fs::is_empty(dir + "/dpdk"));
}

TEST_F(EalStart, RemovesWhatAKilledOneLeft)
{
	std::string stale = AddRuntimeDir("leat-" + std::to_string(DeadPid()));
	std::string locked_once = AddRuntimeDir("leat-1"); /* pid 1 lives and is no leatd */

	std::ofstream(locked_once + "/leat.lock") << "1\n";
	EXPECT_TRUE(InChild(StartAndStop));
	EXPECT_FALSE(fs::exists(stale));
	EXPECT_FALSE(fs::exists(locked_once));
}

TEST_F(EalStart, LeavesTheDirectoriesOfOthers)
{
	std::string held = AddRuntimeDir("leat-1");
	std::string other = AddRuntimeDir("leat-test-" + std::to_string(DeadPid()));
	std::string rte = AddRuntimeDir("rte");
	int fd = open((held + "/leat.lock").c_str(), O_RDWR | O_CREAT, 0600);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, flock(fd, LOCK_EX));
	EXPECT_TRUE(InChild(StartAndStop));
	close(fd);
	EXPECT_TRUE(fs::exists(held + "/dpdk_telemetry.v2"));
	EXPECT_TRUE(fs::exists(other + "/dpdk_telemetry.v2"));
	EXPECT_TRUE(fs::exists(rte + "/dpdk_telemetry.v2"));
}

TEST_F(EalStart, RefusesNoWorkerAndOneTooMany)
{
	leat_eal_conf conf = Conf();

	conf.nb_workers = 0;
	EXPECT_EQ("0 workers: from 1 to 64 can be had", Refusal(conf));
	conf.nb_workers = LEAT_EAL_WORKERS_MAX + 1;
	EXPECT_EQ("65 workers: from 1 to 64 can be had", Refusal(conf));
}

TEST_F(EalStart, RefusesMoreWorkersThanCpus)
{
	EXPECT_TRUE(InChild([] {
		leat_eal_conf conf = Conf();
		cpu_set_t mask, one;

		CPU_ZERO(&one);
		if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
			return false;
		for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
			if (CPU_ISSET(cpu, &mask))
				CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0)
			return false;
		conf.nb_workers = 2;
		return Refusal(conf).find("2 workers need a CPU each and this process may use 1") ==
		       0;
	}));
}

TEST_F(EalStart, RefusesACpuThatIsNotThere)
{
	const uint16_t cpu = CPU_SETSIZE;
	leat_eal_conf conf = Conf();

	conf.cpus = &cpu;
	EXPECT_EQ(0u, Refusal(conf).find("CPU 1024 of worker 0 does not exist"));
}

TEST_F(EalStart, RefusesTooManyPciDevices)
{
	leat_eal_conf conf = Conf();

	conf.nb_pci_devs = LEAT_EAL_PCI_DEVS_MAX + 1;
	EXPECT_EQ("33 PCI devices: at most 32 can be named", Refusal(conf));
}

TEST_F(EalStart, ASecondStartIsRefused)
{
	EXPECT_TRUE(InChild([] {
		leat_eal_conf conf = Conf();
		leat_error error = {};
		leat_eal eal, again;

		if (leat_eal_start(&conf, &eal, &error) < 0)
			return false;
		bool is_refused = leat_eal_start(&conf, &again, &error) == -EALREADY;
		leat_eal_stop(&eal);
		return is_refused;
	}));
}
