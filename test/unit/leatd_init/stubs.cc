// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include <gtest/gtest.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <leat_control.h>
#include <leat_protocol.h>

#include "routes.h"
#include "stubs.h"

World world;

struct leat_dpdk_port {
	struct leat_dpdk_port_info info;
	std::string name;
};

struct leat_worker {
	std::vector<leat_transport *> transports;
};

namespace
{

struct StubTransport {
	leat_transport xp;
	std::string name;
};

std::mutex run_mutex;
std::condition_variable run_wake;
bool run_may_end;
std::thread run_thread;
bool is_running;

int
Open(const std::string &name, leat_error *error)
{
	if (name == world.fail_at)
		return leat_error_set(error, -ENODEV, "no %s today", name.c_str());
	world.opened.push_back(name);
	world.live.push_back(name);
	return 0;
}

// What was opened last is closed first.
void
Close(const std::string &name)
{
	ASSERT_FALSE(world.live.empty()) << name;
	EXPECT_EQ(world.live.back(), name);
	world.live.pop_back();
}

void
EndRun()
{
	std::lock_guard<std::mutex> lock(run_mutex);

	run_may_end = true;
	run_wake.notify_all();
}

int
XpOpen(const leat_transport_conf *conf, leat_transport **out, leat_error *error)
{
	auto dpdk_conf = static_cast<const leat_dpdk_conf *>(conf->driver_conf);
	std::string name =
		"queue " + std::to_string(dpdk_conf->queue_id) + " of " + dpdk_conf->port->name;

	if (Open(name, error) < 0)
		return -ENODEV;
	world.transport_confs.push_back(*conf);
	world.tcp_confs.push_back(*dpdk_conf->tcp);
	world.cookies.push_back(dpdk_conf->cookies);
	*out = &(new StubTransport{ { &leat_transport_dpdk_ops, "stub", conf->lcore_id, false,
					    false, false, 0 },
			 name })
			->xp;
	return 0;
}

void
XpClose(leat_transport *xp)
{
	auto stub = reinterpret_cast<StubTransport *>(xp);

	Close(stub->name);
	delete stub;
}

leat_transport_ops
StubOps()
{
	leat_transport_ops ops = {};

	ops.name = "dpdk";
	ops.open = XpOpen;
	ops.close = XpClose;
	return ops;
}

const leat_protocol kResp = [] {
	leat_protocol p = {};
	p.name = "resp";
	return p;
}();
const leat_protocol kHttp = [] {
	leat_protocol p = {};
	p.name = "http";
	return p;
}();
const leat_protocol kZap = [] {
	leat_protocol p = {};
	p.name = "zap";
	return p;
}();
const leat_protocol kZapRpc = [] {
	leat_protocol p = {};
	p.name = "zap-rpc";
	return p;
}();

} // namespace

extern "C" {

const leat_transport_ops leat_transport_dpdk_ops = StubOps();

int
leat_transport_check(const leat_transport_ops *ops)
{
	return ops == &leat_transport_dpdk_ops ? 0 : -EINVAL;
}

const leat_protocol *const *
leat_protocol_all(void)
{
	static const leat_protocol *const all[] = { &kResp, &kHttp, &kZap, &kZapRpc, nullptr };

	return all;
}

const leat_protocol leat_protocol_zap_json = kZap;

const leat_protocol *
leat_protocol_find(const char *name)
{
	for (const leat_protocol *const *p = leat_protocol_all(); *p != nullptr; p++) {
		if (strcmp(name, (*p)->name) == 0)
			return *p;
	}
	return nullptr;
}

int
leat_control_open(const leat_control_conf *conf, leat_control **out, leat_error *error)
{
	if (Open("control", error) < 0)
		return -ENODEV;
	world.nb_control_workers = conf->nb_workers;
	*out = reinterpret_cast<leat_control *>(&world);
	return 0;
}

void
leat_control_close(leat_control *)
{
	Close("control");
}

int
leat_eal_start(const leat_eal_conf *conf, leat_eal *eal, leat_error *error)
{
	if (Open("eal", error) < 0)
		return -ENODEV;
	world.eal_conf = *conf;
	for (unsigned int i = 0; i < conf->nb_pci_devs; i++)
		world.pci_devs.push_back(conf->pci_devs[i]);
	eal->nb_workers = conf->nb_workers;
	eal->memory_mb = conf->memory_mb;
	strcpy(eal->file_prefix, "leat-1");
	return 0;
}

void
leat_dpdk_log_pass(leat_dpdk_log *log)
{
	EXPECT_TRUE(log->keep);
	log->keep = false;
	world.log_passes = true;
}

void
leat_eal_stop(leat_eal *)
{
	Close("eal");
}

static void
SignalAndWait()
{
	sigset_t pending;

	kill(getpid(), SIGTERM);
	do
		sigpending(&pending);
	while (sigismember(&pending, SIGTERM));
}

int
leat_dpdk_port_open(const leat_dpdk_port_conf *conf, leat_dpdk_port **out, leat_error *error)
{
	if (Open(std::string("port ") + conf->name, error) < 0)
		return -ENODEV;
	int nb_signals = std::exchange(world.nb_signals_in_start, 0); // for one port only

	for (int i = 0; i < nb_signals; i++)
		SignalAndWait();
	while (nb_signals > 1)
		pause();
	world.port_confs.push_back(*conf);
	world.devs.push_back(conf->dev);
	*out = new leat_dpdk_port{ {}, conf->name };
	strcpy((*out)->info.name, conf->name);
	strcpy((*out)->info.driver, "net_stub");
	strcpy((*out)->info.offloads_text, "none");
	(*out)->info.multicast = "none";
	(*out)->info.nb_queues = conf->nb_queues;
	return 0;
}

void
leat_dpdk_port_close(leat_dpdk_port *port)
{
	Close("port " + port->name);
	delete port;
}

void
leat_dpdk_conn_lens(const leat_transport *, size_t *conn_len, size_t *time_wait_len)
{
	*conn_len = 480;
	*time_wait_len = 120;
}

const struct leat_dpdk_port_info *
leat_dpdk_port_info(const leat_dpdk_port *port)
{
	return &port->info;
}

void
leat_dpdk_tcp_conf(const leat_dpdk_port *, leat_tcp_conf *tcp)
{
	*tcp = {};
	tcp->mss = 1460;
}

int
leat_dpdk_set_keepalive(leat_transport *xp, const leat_endpoint *local,
	const leat_inet_keepalive *keepalive, leat_error *error)
{
	EXPECT_NE(nullptr, xp);
	if (world.fail_at == "keepalive")
		return leat_error_set(error, -ENOSPC, "no keepalive today");
	world.keepalives.push_back({ local->port, *keepalive });
	return 0;
}

uint32_t
leat_dpdk_notices(const leat_transport *)
{
	return world.notices;
}

int
leat_worker_open(const leat_worker_conf *conf, leat_worker **out, leat_error *error)
{
	if (Open("worker", error) < 0)
		return -ENODEV;
	world.worker_confs.push_back(*conf);
	world.servers.push_back(*conf->server);
	*out = new leat_worker;
	return 0;
}

int
leat_worker_add_transport(leat_worker *worker, leat_transport *xp, leat_error *error)
{
	if (world.fail_at == "add")
		return leat_error_set(error, -ENOSPC, "no add today");
	worker->transports.push_back(xp);
	return 0;
}

int
leatd_routes_open(const leatd_conf *, leatd_routes **out, leat_error *error)
{
	*out = nullptr;
	return Open("routes", error);
}

const leat_route_table *
leatd_routes_table(const leatd_routes *, uint32_t idx)
{
	return idx < world.tables.size() ? world.tables[idx] : nullptr;
}

void
leatd_routes_close(leatd_routes *)
{
	Close("routes");
}

const char *const *
leat_route_builtin_names(void)
{
	static const char *const names[] = { "echo", nullptr };

	return names;
}

int
leat_worker_listen(leat_worker *, leat_transport *xp, const leat_endpoint *local,
	const leat_protocol *protocol, const leat_session_options *options, leat_error *error)
{
	std::string name = std::string(protocol->name) + " " + std::to_string(local->ipv4) + ":" +
			   std::to_string(local->port) + " on " +
			   reinterpret_cast<StubTransport *>(xp)->name;

	if (name == world.fail_at)
		return leat_error_set(error, -EADDRINUSE, "no %s today", name.c_str());
	world.options.push_back(*options);
	world.listens.push_back(name);
	world.protocols.push_back(protocol);
	return 0;
}

void
leat_worker_close_transports(leat_worker *worker)
{
	EXPECT_FALSE(is_running);
	while (!worker->transports.empty()) {
		worker->transports.back()->ops->close(worker->transports.back());
		worker->transports.pop_back();
	}
}

void
leat_worker_close(leat_worker *worker)
{
	leat_worker_close_transports(worker);
	delete worker;
	Close("worker");
}

int
leat_worker_run(void *)
{
	if (world.run == Run::NoMore)
		return 0;
	kill(getpid(), SIGTERM);
	std::unique_lock<std::mutex> lock(run_mutex);
	run_wake.wait(lock, [] { return run_may_end; });
	return 0;
}

void
leat_worker_drain(leat_worker *)
{
	if (world.signal_in_drain)
		kill(getpid(), SIGTERM);
	if (world.run == Run::UntilDrained)
		EndRun();
}

void
leat_worker_stop(leat_worker *)
{
	EndRun();
}

uint32_t
leat_worker_nb_sessions(const leat_worker *)
{
	return world.nb_sessions;
}

uint64_t
leat_worker_clock_us(void)
{
	return 1000;
}

void
leat_worker_memory(const leat_worker_conf *conf, struct leat_worker_memory *memory)
{
	*memory = {};
	memory->store_len = conf->store_len;
}

int
rte_eal_remote_launch(lcore_function_t *function, void *arg, unsigned int)
{
	if (world.fail_at == "launch")
		return -EBUSY;
	run_may_end = false;
	is_running = true;
	run_thread = std::thread(function, arg);
	return 0;
}

int
rte_eal_wait_lcore(unsigned int)
{
	run_thread.join();
	is_running = false;
	return 0;
}

unsigned int
rte_lcore_to_socket_id(unsigned int)
{
	return 0;
}

unsigned int
rte_socket_count(void)
{
	return 1;
}

int
rte_socket_id_by_idx(unsigned int)
{
	return 0;
}

int
rte_malloc_get_socket_stats(int, rte_malloc_socket_stats *stats)
{
	*stats = {};
	return 0;
}

} // extern "C"
