/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_STUBS_H
#define LEATD_STUBS_H

// What stands in for the EAL, the driver and the worker: it notes what is opened and
// closed, and fails where a test wants it to.

#include <string>
#include <vector>

#include <leat_transport_dpdk.h>
#include <leat_worker.h>

#include "eal.h"

enum class Run {
	UntilDrained, // leat_worker_run() returns when told to drain
	UntilStopped, // it does not, and has three connections
	NoMore,       // it returns at once
};

struct World {
	std::vector<std::string> opened; // all that was opened, in order
	std::vector<std::string> live;   // what is open now
	std::vector<std::string> listens;
	std::vector<const leat_protocol *> protocols; // of the listens
	std::string fail_at;                          // the name of what shall not open
	Run run = Run::UntilDrained;
	uint32_t nb_sessions = 3;     // that do not end by themselves
	bool log_passes = false;      // DPDK's messages are shown again
	int nb_signals_in_start = 0;  // SIGTERMs while a port is opened; after two it hangs
	bool signal_in_drain = false; // a second SIGTERM comes while draining
	std::vector<const leat_route_table *> tables; // of each listener
	uint32_t notices = 0; // enum leat_inet_notice bits that every queue has

	// What the stubs were given.
	leat_eal_conf eal_conf = {};
	std::vector<std::string> pci_devs;
	std::vector<leat_dpdk_port_conf> port_confs;
	std::vector<std::string> devs;
	std::vector<leat_tcp_conf> tcp_confs;
	std::vector<leat_inet_cookies> cookies;
	std::vector<std::pair<uint16_t, leat_inet_keepalive>> keepalives; // of which port
	std::vector<leat_worker_conf> worker_confs;
	std::vector<leat_command_server> servers; // what each worker's commands tell
	std::vector<leat_transport_conf> transport_confs;
	std::vector<leat_session_options> options; // of each listen
	uint32_t nb_control_workers = 0;
};

extern World world;

#endif /* LEATD_STUBS_H */
