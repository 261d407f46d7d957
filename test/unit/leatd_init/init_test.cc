// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <csignal>
#include <memory>

#include <gtest/gtest.h>

#include "config.h"
#include "init.h"
#include "stubs.h"

namespace
{

class Init : public testing::Test
{
      protected:
	Init()
	{
		world = World();
		leatd_conf_init(conf.get());
		Add(leatd_conf_port_option,
			"p0,dev=net_tap0,addr=10.77.0.1/24,addr=10.77.0.2/24,gw=10.77.0.9,vlan=5,"
			"mtu=1400,no-offload=tx-tcp-cksum;iface=t0");
		Add(leatd_conf_port_option, "p1,dev=0000:01:00.0,addr=10.78.0.1/24");
		Add(leatd_conf_listen_option, "resp,dpdk,10.77.0.2,6379");
		Add(leatd_conf_listen_option, "http,dpdk,0.0.0.0,80");
	}
	void Add(int (*option)(leatd_conf *, const char *, leat_error *), const char *text)
	{
		leat_error error = {};

		EXPECT_EQ(0, option(conf.get(), text, &error)) << error.text;
	}
	int RunLeatd()
	{
		leat_error check = {};
		leat_error error = {};

		EXPECT_EQ(0, leatd_conf_check(conf.get(), leatd_parts(), &check)) << check.text;
		testing::internal::CaptureStdout();
		testing::internal::CaptureStderr();
		int ret = leatd_run(conf.get(), nullptr, &error);
		out = testing::internal::GetCapturedStdout();
		log = testing::internal::GetCapturedStderr();
		sentence = error.text;
		EXPECT_EQ(ret == 0, sentence.empty()) << sentence;
		EXPECT_TRUE(world.live.empty());
		return ret;
	}

	std::unique_ptr<leatd_conf> conf = std::make_unique<leatd_conf>();
	std::string sentence, out, log;
};

TEST_F(Init, OpensInOrderServesAndClosesAll)
{
	EXPECT_EQ(0, RunLeatd()) << sentence;
	// Workers before ports, so that they are closed behind them: devices may still read what
	// is stored.
	EXPECT_EQ((std::vector<std::string>{ "eal", "routes", "worker", "port p0", "port p1",
			  "queue 0 of p0", "queue 0 of p1", "control" }),
		world.opened);
	EXPECT_EQ(1u, world.nb_control_workers);
	EXPECT_EQ("leatd: info: draining\nleatd: info: drained\n", log);
}

TEST_F(Init, EachNoticeOfTheDatapathIsToldForEachPort)
{
	world.notices = LEAT_INET_NOTICE_CKSUM_PARTIAL | LEAT_INET_NOTICE_TX_TCP_CKSUM;
	EXPECT_EQ(0, RunLeatd()) << sentence;
	for (const char *port : { "p0", "p1" }) {
		std::string head = std::string("leatd: warning: port ") + port + ": ";

		EXPECT_NE(std::string::npos, log.find(head + "a local peer leaves its TCP "));
		EXPECT_NE(std::string::npos, log.find(head + "the device promises TCP "));
		EXPECT_EQ(std::string::npos, log.find(head + "the device calls"));
	}
	EXPECT_NE(std::string::npos, log.find("`ethtool -K PEER tx off`"));
}

TEST_F(Init, EveryStepThatFailsUndoesThoseBeforeIt)
{
	ASSERT_EQ(0, RunLeatd());
	std::vector<std::string> steps = world.opened;
	steps.insert(steps.end(), world.listens.begin(), world.listens.end());
	steps.push_back("add");
	for (const std::string &step : steps) {
		SCOPED_TRACE(step);
		world = World();
		world.fail_at = step;
		EXPECT_LT(RunLeatd(), 0);
		EXPECT_EQ("no " + step + " today", sentence);
		EXPECT_EQ("", out);
	}
}

TEST_F(Init, AWorkerThatCannotBeLaunchedIsTold)
{
	world.fail_at = "launch";
	EXPECT_EQ(-EBUSY, RunLeatd());
	EXPECT_EQ("cannot run worker 0: Device or resource busy", sentence);
}

TEST_F(Init, TheLastLineOfTheReportIsReady)
{
	ASSERT_EQ(0, RunLeatd());
	ASSERT_GE(out.size(), 7u);
	EXPECT_EQ("\nready\n", out.substr(out.size() - 7));
	for (const char *line : { "eal: file prefix leat-1, 512 MB of hugepages\n",
		     "worker 0: cpu 0, idle adaptive\n",
		     "port p0: device net_tap0,iface=t0, driver "
		     "net_stub, mac 00:00:00:00:00:00, mtu 0",
		     "port p0: addresses 10.77.0.1/24 10.77.0.2/24, gateway 10.77.0.9, vlan 5\n",
		     "memory: - an idle connection     port p0                   480 bytes\n",
		     "memory: - one in time-wait       port p0                   120 bytes\n",
		     "listen: http on dpdk 0.0.0.0 port 80\n",
		     "control: telemetry socket /dpdk_telemetry.v2\n" })
		EXPECT_NE(std::string::npos, out.find(line)) << line << "\n" << out;
}

TEST_F(Init, PortsAreOpenedAsConfigured)
{
	conf->nb_rx_mbufs = 5000;
	conf->nb_tx_mbufs = 6000;
	ASSERT_EQ(0, RunLeatd());
	const leat_dpdk_port_conf &p0 = world.port_confs[0];
	EXPECT_EQ("net_tap0,iface=t0", world.devs[0]);
	EXPECT_EQ("0000:01:00.0", world.devs[1]);
	EXPECT_EQ(1400u, p0.mtu);
	EXPECT_EQ(5u, p0.vlan_id);
	EXPECT_EQ(1u, p0.nb_queues);
	EXPECT_EQ(5000u, p0.nb_rx_mbufs);
	EXPECT_EQ(6000u, p0.nb_tx_mbufs);
	ASSERT_EQ(2u, p0.nb_addrs);
	EXPECT_EQ(0x0a4d0002u, leat_ip_addr_ipv4(p0.addrs[1].addr));
	EXPECT_EQ(24u, p0.addrs[1].prefix_len);
	EXPECT_EQ(0x0a4d0009u, leat_ip_addr_ipv4(p0.gateway));
	EXPECT_TRUE(p0.refused.tx_tcp_cksum);
	EXPECT_FALSE(p0.refused.tx_ip_cksum);
	EXPECT_FALSE(world.port_confs[1].refused.tx_tcp_cksum);
}

TEST_F(Init, OnlyPciDevicesAreGivenToTheEal)
{
	ASSERT_EQ(0, RunLeatd());
	EXPECT_EQ(std::vector<std::string>{ "0000:01:00.0" }, world.pci_devs);
	EXPECT_EQ(nullptr, world.eal_conf.cpus);
	EXPECT_EQ(512u, world.eal_conf.memory_mb);
	EXPECT_EQ(1u, world.eal_conf.nb_workers);
}

TEST_F(Init, WorkersAreOpenedAsConfigured)
{
	conf->idle = LEATD_IDLE_POLL;
	ASSERT_EQ(0, RunLeatd());
	const leat_worker_conf &w = world.worker_confs[0];
	EXPECT_EQ(LEAT_WORKER_IDLE_POLL, w.idle);
	EXPECT_EQ(4096u, w.nb_conns_max);
	EXPECT_EQ(16u << 20, w.request_max);
	EXPECT_EQ(16u << 20, w.bulk_max); // not more than a request
	EXPECT_EQ(16u << 20, w.query_max);
	EXPECT_EQ(32u << 20, w.carry_len);
	EXPECT_EQ(64u << 20, w.store_len);
	EXPECT_EQ(262144u, w.nb_keys_max);
}

TEST_F(Init, WhatRedisLimitsIsConfiguredAndTold)
{
	conf->bulk_max = 1u << 20;
	conf->query_max = 2u << 20;
	(void)strcpy(conf->requirepass, "secret");
	ASSERT_EQ(0, RunLeatd());
	const leat_worker_conf &w = world.worker_confs[0];
	EXPECT_EQ(1u << 20, w.bulk_max);
	EXPECT_EQ(2u << 20, w.query_max);
	EXPECT_EQ(1u << 20, world.servers[0].bulk_max);
	EXPECT_EQ(2u << 20, world.servers[0].query_max);
	EXPECT_STREQ("secret", world.servers[0].requirepass);
}

TEST_F(Init, EverySecretIsItsOwn)
{
	ASSERT_EQ(0, RunLeatd());
	const uint64_t *seeds[] = { world.worker_confs[0].seed, world.transport_confs[0].seed,
		world.transport_confs[1].seed };
	for (int i = 0; i < 3; i++) {
		EXPECT_NE(seeds[i][0], seeds[i][1]);
		EXPECT_NE(seeds[i][0], seeds[(i + 1) % 3][0]);
	}
}

TEST_F(Init, TcpIsAsConfigured)
{
	conf->tcp.congestion = LEATD_NEWRENO;
	conf->tcp.rcv_wnd = 1u << 20;
	conf->tcp.snd_len = 2u << 20;
	conf->tcp.rto_min_ms = 50;
	conf->tcp.ack_delay_ms = 0;
	conf->tcp.nb_retries = 7;
	conf->tcp.nb_syn_retries = 3;
	conf->tcp.nb_synack_retries = 4;
	conf->tcp.cookies = LEATD_COOKIES_ALWAYS;
	conf->tcp.time_wait_s = 3600;
	conf->tcp.fin_timeout_s = 3600;
	ASSERT_EQ(0, RunLeatd());
	ASSERT_EQ(2u, world.tcp_confs.size());
	for (const leat_tcp_conf &tcp : world.tcp_confs) {
		EXPECT_EQ(1460, tcp.mss) << "the port's";
		EXPECT_EQ(LEAT_TCP_NEWRENO, tcp.congestion);
		EXPECT_EQ(1u << 20, tcp.rcv_wnd_max);
		EXPECT_EQ(5, tcp.wscale);
		EXPECT_EQ(2u << 20, tcp.snd_len_max);
		EXPECT_EQ(50000u, tcp.rto_min_us);
		EXPECT_EQ(0u, tcp.ack_delay_us);
		EXPECT_EQ(7, tcp.nb_retries_max);
		EXPECT_EQ(3, tcp.nb_syn_retries_max);
		EXPECT_EQ(4, tcp.nb_synack_retries_max);
		EXPECT_EQ(3600000000u, tcp.time_wait_us);
		EXPECT_EQ(3600000000u, tcp.fin_wait_2_us);
	}
	EXPECT_EQ((std::vector<leat_inet_cookies>(2, LEAT_INET_COOKIES_ALWAYS)), world.cookies);
}

// The smallest window scale that the window needs, RFC 7323 section 2.3.
TEST_F(Init, WindowScaleFollowsTheWindow)
{
	const struct {
		uint64_t wnd;
		int wscale;
	} cases[] = { { 4096, 0 }, { 65535, 0 }, { 65536, 1 }, { 256 << 10, 3 }, { 512 << 20, 14 },
		{ 65535 << 13, 13 }, { (65535 << 13) + 1, 13 } };

	for (const auto &c : cases) {
		world = World();
		conf->tcp.rcv_wnd = c.wnd;
		ASSERT_EQ(0, RunLeatd());
		EXPECT_EQ(c.wscale, world.tcp_confs[0].wscale) << c.wnd;
	}
}

TEST_F(Init, AListenerOfZapSpeaksItsGeneration)
{
	Add(leatd_conf_listen_option, "zap,dpdk,10.77.0.1,9999");
	Add(leatd_conf_listen_option, "zap,dpdk,10.77.0.1,9998,zap-headers=json");
	Add(leatd_conf_listen_option, "zap,dpdk,10.77.0.1,9997,zap-headers=binary");
	ASSERT_EQ(0, RunLeatd());
	ASSERT_LE(3u, world.protocols.size());
	const leat_protocol *const *last = &world.protocols.back() - 2;
	EXPECT_EQ(leat_protocol_find("zap"), last[0]);
	EXPECT_EQ(&leat_protocol_zap_json, last[1]);
	EXPECT_EQ(leat_protocol_find("zap"), last[2]);
}

TEST_F(Init, OnlyWhoListensForCallsOverZapHasRoomForTheirPromises)
{
	ASSERT_EQ(0, RunLeatd());
	EXPECT_EQ(0u, world.worker_confs.at(0).nb_annexes);
	world = World();
	Add(leatd_conf_listen_option, "zap-rpc,dpdk,10.77.0.1,9653");
	ASSERT_EQ(0, RunLeatd());
	EXPECT_EQ(256u, world.worker_confs.at(0).nb_annexes);
	world = World();
	conf->nb_pipelines_max = 0;
	ASSERT_EQ(0, RunLeatd());
	EXPECT_EQ(0u, world.worker_confs.at(0).nb_annexes);
}

TEST_F(Init, KeepAlivesAreThoseOfTheirListener)
{
	ASSERT_EQ(0, RunLeatd());
	EXPECT_TRUE(world.keepalives.empty()) << "none by default";
	world = World();
	Add(leatd_conf_listen_option,
		"http,dpdk,10.77.0.1,81,keepalive-idle=60,keepalive-interval=5,keepalive-probes=2");
	Add(leatd_conf_listen_option, "http,dpdk,10.77.0.1,82,keepalive-idle=7200");
	ASSERT_EQ(0, RunLeatd());
	ASSERT_EQ(2u, world.keepalives.size());
	EXPECT_EQ(81, world.keepalives[0].first);
	EXPECT_EQ(60u, world.keepalives[0].second.idle_s);
	EXPECT_EQ(5u, world.keepalives[0].second.interval_s);
	EXPECT_EQ(2, world.keepalives[0].second.nb_probes);
	EXPECT_EQ(82, world.keepalives[1].first);
	EXPECT_EQ(7200u, world.keepalives[1].second.idle_s);
	EXPECT_EQ(75u, world.keepalives[1].second.interval_s);
	EXPECT_EQ(9, world.keepalives[1].second.nb_probes);
	world = World();
	world.fail_at = "keepalive";
	EXPECT_EQ(-ENOSPC, RunLeatd());
	EXPECT_EQ("no keepalive today", sentence);
}

TEST_F(Init, RoutesAndTimesAreThoseOfTheirListener)
{
	const leat_route_table tables[2] = {};

	world.tables = { &tables[0], &tables[1] };
	conf->listens[1].idle_timeout_s = 1;
	conf->listens[1].head_timeout_s = 2;
	conf->listens[1].body_timeout_s = 3;
	conf->listens[1].choice_timeout_s = 4;
	ASSERT_EQ(0, RunLeatd());
	ASSERT_GE(world.options.size(), 2u);
	EXPECT_EQ(&tables[0], world.options[0].routes);
	EXPECT_EQ(0u, world.options[0].timeouts.idle_us);
	EXPECT_EQ(60000000u, world.options[0].timeouts.head_us);
	const leat_session_options &last = world.options.back();
	EXPECT_EQ(&tables[1], last.routes);
	EXPECT_EQ(1000000u, last.timeouts.idle_us);
	EXPECT_EQ(2000000u, last.timeouts.head_us);
	EXPECT_EQ(3000000u, last.timeouts.body_us);
	EXPECT_EQ(4000000u, last.timeouts.choice_us);
}

TEST_F(Init, AListenerIsOnThePortOfItsAddressAndTheAnyAddressOnEach)
{
	ASSERT_EQ(0, RunLeatd());
	EXPECT_EQ((std::vector<std::string>{ "resp 172818434:6379 on queue 0 of p0",
			  "http 0:80 on queue 0 of p0", "http 0:80 on queue 0 of p1" }),
		world.listens);
}

TEST_F(Init, WhatIsOpenAfterTheDrainTimeoutIsAborted)
{
	conf->drain_timeout_s = 0;
	world.run = Run::UntilStopped;
	EXPECT_EQ(-ETIME, RunLeatd());
	EXPECT_EQ("the drain timeout has passed, so 3 open connections were aborted", sentence);
}

TEST_F(Init, NothingOpenAfterTheDrainTimeoutIsAGoodEnd)
{
	conf->drain_timeout_s = 0;
	world.run = Run::UntilStopped;
	world.nb_sessions = 0;
	EXPECT_EQ(0, RunLeatd()) << sentence;
}

TEST_F(Init, DpdksMessagesAreShownWhenTheStartHasSucceeded)
{
	ASSERT_EQ(0, RunLeatd());
	EXPECT_TRUE(world.log_passes);
	world = World();
	world.fail_at = "worker";
	EXPECT_LT(RunLeatd(), 0);
	EXPECT_FALSE(world.log_passes);
}

TEST_F(Init, ASecondSignalEndsAtOnce)
{
	world.run = Run::UntilStopped;
	world.signal_in_drain = true;
	EXPECT_EQ(-ETIME, RunLeatd());
	EXPECT_EQ("told to end at once, so 3 open connections were aborted", sentence);
}

TEST_F(Init, AWorkerThatEndsByItselfIsAnError)
{
	world.run = Run::NoMore;
	EXPECT_EQ(-EIO, RunLeatd());
	EXPECT_EQ("all workers have ended without being told to", sentence);
}

TEST_F(Init, ASignalWhileStartingUndoesTheStart)
{
	world.nb_signals_in_start = 1;
	EXPECT_EQ(-EINTR, RunLeatd());
	EXPECT_EQ("told to end while starting", sentence);
	EXPECT_EQ("", out);
}

TEST_F(Init, ASecondSignalWhileStartingLeavesAtOnce)
{
	leat_error error = {};

	ASSERT_EQ(0, leatd_conf_check(conf.get(), leatd_parts(), &error));
	world.nb_signals_in_start = 2;
	EXPECT_EXIT(leatd_run(conf.get(), nullptr, &error), testing::ExitedWithCode(1),
		"leatd: told to end while starting");
}

TEST_F(Init, SigpipeIsIgnored)
{
	struct sigaction action = {};

	ASSERT_EQ(0, RunLeatd());
	ASSERT_EQ(0, sigaction(SIGPIPE, nullptr, &action));
	EXPECT_EQ(SIG_IGN, action.sa_handler);
}

} // namespace
