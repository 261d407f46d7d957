/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_TEST_H
#define LEATD_TEST_H

// What the tests of leatd's configuration share: parts that exist, a file that is
// removed again, and the smallest command line that is good.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "args.h"
#include "config.h"

inline const leatd_parts *
TestParts()
{
	static const char *const protocols[] = { "resp", "http", "zap", nullptr };
	static const char *const transports[] = { "dpdk", nullptr };
	static const char *const handlers[] = { "echo", "health", nullptr };
	static const leatd_parts parts = { protocols, transports, handlers };

	return &parts;
}

class TempFile
{
      public:
	explicit TempFile(const std::string &text)
	{
		char name[] = "/tmp/leatd-test-XXXXXX";
		int fd = mkstemp(name);

		EXPECT_GE(fd, 0);
		EXPECT_EQ((ssize_t)text.size(), write(fd, text.data(), text.size()));
		close(fd);
		path = name;
	}
	~TempFile()
	{
		unlink(path.c_str());
	}
	TempFile(const TempFile &) = delete;
	TempFile &operator=(const TempFile &) = delete;

	std::string path;
};

// The result of a reading; conf is large, so it lives on the heap.
struct Parsed {
	int ret = 0;
	std::string error;
	leatd_args args = {};
	std::unique_ptr<leatd_conf> conf = std::make_unique<leatd_conf>();
};

inline Parsed
ParseArgs(std::vector<std::string> words)
{
	std::vector<char *> argv;
	leat_error error = {};
	Parsed p;

	words.insert(words.begin(), "leatd");
	for (std::string &word : words)
		argv.push_back(word.data());
	argv.push_back(nullptr);
	p.ret = leatd_args_parse((int)words.size(), argv.data(), &p.args, p.conf.get(), &error);
	p.error = error.text;
	return p;
}

inline Parsed
ParseFile(const std::string &text)
{
	TempFile file(text);
	leat_error error = {};
	Parsed p;

	leatd_conf_init(p.conf.get());
	p.ret = leatd_conf_load(p.conf.get(), file.path.c_str(), &error);
	p.error = error.text;
	if (p.error.rfind(file.path, 0) == 0) // the same in every run
		p.error.replace(0, file.path.size(), "FILE");
	return p;
}

inline const std::string kPort = "p0,dev=net_tap0,addr=10.77.0.1/24";
inline const std::string kListen = "resp,dpdk,10.77.0.1,6379";

// A good command line and more words; then checked as a whole.
inline Parsed
CheckArgs(std::vector<std::string> more)
{
	leat_error error = {};

	more.insert(more.begin(), { "--port", kPort, "--listen", kListen });
	Parsed p = ParseArgs(more);
	if (p.ret != 0)
		return p;
	p.ret = leatd_conf_check(p.conf.get(), TestParts(), &error);
	p.error = error.text;
	return p;
}

#endif /* LEATD_TEST_H */
