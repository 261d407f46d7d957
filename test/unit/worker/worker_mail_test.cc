// SPDX-License-Identifier: BSD-3-Clause

// Another thread asks a running worker.

#include <cerrno>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <leat_worker.h>

#include "worker_priv.h"

namespace
{

constexpr uint32_t kLongMs = 60000; // never reached

class WorkerMail : public testing::Test
{
      protected:
	void SetUp() override
	{
		leat_worker_conf conf = {};
		leat_error error = {};

		server_.version = "0";
		server_.run_id = "0";
		server_.config_path = "";
		conf.idle = LEAT_WORKER_IDLE_ADAPTIVE;
		conf.lcore_id = 3;
		conf.nb_conns_max = 1;
		conf.request_max = 1024;
		conf.carry_len = 1u << 20;
		conf.nb_keys_max = 8;
		conf.store_len = 1u << 20;
		conf.nb_channels_max = 1;
		conf.nb_subscriptions_max = 1;
		conf.server = &server_;
		ASSERT_EQ(0, leat_worker_open(&conf, &worker_, &error)) << error.text;
	}

	void TearDown() override
	{
		if (thread_.joinable())
			Stop();
		leat_worker_close(worker_);
	}

	void Run()
	{
		thread_ = std::thread([this] { leat_worker_run(worker_); });
	}

	void Stop()
	{
		leat_worker_stop(worker_);
		thread_.join();
	}

	// Ask until the worker's thread has come to its loop.
	void WaitUntilItRuns()
	{
		auto nothing = [](leat_worker *, void *) {};

		while (leat_worker_ask(worker_, nothing, nullptr, kLongMs, nullptr) == -ESHUTDOWN)
			std::this_thread::yield();
	}

	leat_command_server server_ = {};
	leat_worker *worker_ = nullptr;
	std::thread thread_;
};

TEST_F(WorkerMail, TheFunctionRunsOnTheWorkersThreadWithItsArgument)
{
	struct {
		leat_worker *worker;
		std::thread::id thread;
	} seen = {};

	Run();
	WaitUntilItRuns();
	ASSERT_EQ(0, leat_worker_ask(
			     worker_,
			     [](leat_worker *worker, void *arg) {
				     auto out = static_cast<decltype(seen) *>(arg);

				     out->worker = worker;
				     out->thread = std::this_thread::get_id();
			     },
			     &seen, kLongMs, nullptr));
	EXPECT_EQ(worker_, seen.worker);
	EXPECT_EQ(thread_.get_id(), seen.thread);
}

TEST_F(WorkerMail, AWorkerThatDoesNotRunIsToldOf)
{
	leat_error error = {};

	EXPECT_EQ(-ESHUTDOWN,
		leat_worker_ask(
			worker_, [](leat_worker *, void *) { FAIL(); }, nullptr, kLongMs, &error));
	EXPECT_STREQ("worker 3 does not run", error.text);
}

TEST_F(WorkerMail, AWorkerThatHasReturnedIsToldOf)
{
	Run();
	WaitUntilItRuns();
	Stop();
	EXPECT_EQ(-ESHUTDOWN,
		leat_worker_ask(
			worker_, [](leat_worker *, void *) { FAIL(); }, nullptr, kLongMs, nullptr));
}

TEST_F(WorkerMail, AWorkerThatHangsIsGivenUpAndNeverTakesTheLetter)
{
	leat_error error = {};

	worker_mail_open(&worker_->mail); // as it does before its first turn, which never comes
	EXPECT_EQ(-ETIMEDOUT,
		leat_worker_ask(
			worker_, [](leat_worker *, void *) { FAIL(); }, nullptr, 1, &error));
	EXPECT_STREQ("worker 3 did not answer within 1 ms", error.text);
	worker_mail_answer(worker_); // it wakes up: the box is empty
}

TEST_F(WorkerMail, ManyAskersAreAllAnswered)
{
	constexpr int kAskers = 4;
	constexpr int kLetters = 50;
	int nb_answers = 0; // written by the worker's thread only
	std::vector<std::thread> askers;

	Run();
	WaitUntilItRuns();
	for (int i = 0; i < kAskers; i++)
		askers.emplace_back([this, &nb_answers] {
			for (int k = 0; k < kLetters; k++)
				EXPECT_EQ(0, leat_worker_ask(
						     worker_,
						     [](leat_worker *, void *arg) {
							     ++*static_cast<int *>(arg);
						     },
						     &nb_answers, kLongMs, nullptr));
		});
	for (std::thread &asker : askers)
		asker.join();
	Stop();
	EXPECT_EQ(kAskers * kLetters, nb_answers);
}

} // namespace
