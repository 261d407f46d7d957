// SPDX-License-Identifier: BSD-3-Clause

#ifndef TEST_EAL_H
#define TEST_EAL_H

// An EAL for a test program: no hugepages, no devices, no telemetry, and a file prefix
// of its own whose run-time directory is removed at the end. What a killed program
// left there is removed by the next one.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

class TestEal
{
      public:
	explicit TestEal(const char *program, unsigned int mem_mib = 256)
	{
		std::vector<std::string> args = { program, "--no-huge", "--no-pci",
			"--no-telemetry", "--no-shconf", "-m", std::to_string(mem_mib), "-l", "0",
			"--log-level=lib.eal:error",
			"--file-prefix=" + std::string(kPrefix) + std::to_string(getpid()) };
		std::vector<char *> argv;

		for (std::string &arg : args)
			argv.push_back(arg.data());
		if (rte_eal_init((int)argv.size(), argv.data()) < 0) {
			(void)fprintf(stderr, "EAL: %s\n", rte_strerror(rte_errno));
			exit(EXIT_FAILURE);
		}
		runtime_dir_ = rte_eal_get_runtime_dir();
		RemoveStale();
	}

	~TestEal()
	{
		(void)rte_eal_cleanup();
		std::filesystem::remove_all(runtime_dir_);
	}

	TestEal(const TestEal &) = delete;
	TestEal &operator=(const TestEal &) = delete;

      private:
	static constexpr const char *kPrefix = "leat-test-";

	void RemoveStale() const
	{
		const std::string prefix = kPrefix;
		std::error_code ignored; // another test may be removing the same

		for (const auto &entry :
			std::filesystem::directory_iterator(runtime_dir_.parent_path(), ignored)) {
			std::string name = entry.path().filename();

			if (name.compare(0, prefix.size(), prefix) != 0)
				continue;
			pid_t pid = atoi(name.c_str() + prefix.size());
			if (pid > 0 && kill(pid, 0) < 0 && errno == ESRCH)
				std::filesystem::remove_all(entry.path(), ignored);
		}
	}

	std::filesystem::path runtime_dir_;
};

#endif // TEST_EAL_H
