/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_PRIV_H
#define LEATD_PRIV_H

/* The running daemon: what the steps of init.c open, in their order. */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include <leat_command.h>
#include <leat_control.h>
#include <leat_transport_dpdk.h>
#include <leat_worker.h>

#include "config.h"
#include "eal.h"
#include "routes.h"

#define LEATD_RUN_ID_LEN 40 /* hexadecimal digits */

struct leatd_worker {
	struct leat_worker *worker;
	struct leat_transport *transports[LEATD_PORTS_MAX]; /* by port; the worker's to close */
	size_t worker_len;                 /* bytes that the worker took at its opening */
	size_t stack_len[LEATD_PORTS_MAX]; /* bytes that each transport took at its opening */
	/* Written once by the lcore, release, when leat_worker_run() has returned; read by
	 * the main thread, acquire, in serve.c. */
	atomic_bool is_done;
};

struct leatd {
	const struct leatd_conf *conf;
	struct leat_command_server server;
	char run_id[LEATD_RUN_ID_LEN + 1];
	struct leat_eal eal;
	uint32_t nb_ports; /* open ones, the first of conf->ports */
	struct leat_dpdk_port *ports[LEATD_PORTS_MAX];
	size_t port_len[LEATD_PORTS_MAX]; /* bytes that each port took at its opening */
	uint32_t told[LEATD_PORTS_MAX];   /* enum leat_inet_notice bits, of each port */
	uint32_t nb_workers;              /* open ones */
	struct leatd_worker workers[LEATD_CPUS_MAX];
	struct leatd_routes *routes;
	struct leat_control *control;
};

/* The configuration of worker idx but for its secrets, also for what it will take. */
void leatd_worker_conf(const struct leatd *d, uint32_t idx, struct leat_worker_conf *conf);

/* report.c: say on stdout what was chosen; the last line is "ready". */
void leatd_report(const struct leatd *d);

/* report.c: bytes of DPDK's heaps that are in use. */
size_t leatd_heap_used(void);

/* notice.c: log what the datapath found out since the last call. */
void leatd_tell_notices(struct leatd *d);

/* A worker has returned, or the start is over: the sleeper looks what has changed. */
#define LEATD_SIGNAL_WAKE SIGUSR1

/* serve.c: the signals that end leatd, and LEATD_SIGNAL_WAKE. */
void leatd_signals_set(sigset_t *set);

/*
 * serve.c: block these signals; from then on they are waited for. Called before the
 * first thread is made, which inherits this.
 */
void leatd_signals_block(void);

/* Takes the signals until leatd_serve() does. It must stay at its address. */
struct leatd_watch {
	pthread_t thread;
	atomic_bool is_told; /* written by the thread, release; read by main, acquire */
	atomic_bool is_over; /* written by main, release; read by the thread, acquire */
};

/* watch.c: 0, or -EAGAIN with the sentence. */
int leatd_watch_begin(struct leatd_watch *watch, struct leat_error *error);

/* watch.c: has a signal come? After leatd_watch_end() this is the last word. */
bool leatd_watch_is_told(struct leatd_watch *watch);

/* watch.c: the start is over. */
void leatd_watch_end(struct leatd_watch *watch);

/*
 * serve.c: run the workers until SIGTERM, SIGINT or SIGHUP; drain; join them. 0, or
 * -EIO: a worker ended by itself, -ETIME: connections had to be aborted.
 */
int leatd_serve(struct leatd *d, struct leat_error *error);

#endif /* LEATD_PRIV_H */
