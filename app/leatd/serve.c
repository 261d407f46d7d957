/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The main thread from "ready" to the end: it sleeps in sigtimedwait() until a person
 * or a worker has something to say.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_launch.h>

#include "leatd_priv.h"
#include "log.h"

#define TELL_EVERY_MS 1000 /* what the datapath found out */

static const int end_signals[] = { SIGTERM, SIGINT, SIGHUP };

void
leatd_signals_set(sigset_t *set)
{
	(void)sigemptyset(set); /* they fail for a wrong signal number only */
	(void)sigaddset(set, LEATD_SIGNAL_WAKE);
	for (uint32_t i = 0; i < LEAT_DIM(end_signals); i++)
		(void)sigaddset(set, end_signals[i]);
}

void
leatd_signals_block(void)
{
	sigset_t set;

	leatd_signals_set(&set);
	LEAT_VERIFY(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	LEAT_VERIFY(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
}

static int64_t
clock_ms(void)
{
	struct timespec now;

	LEAT_VERIFY(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool
workers_are_done(struct leatd *d, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		/* pairs with the release in worker_main() */
		if (!atomic_load_explicit(&d->workers[i].is_done, memory_order_acquire))
			return false;
	return true;
}

enum serve_wake {
	SERVE_DONE,    /* all workers have returned */
	SERVE_SIGNAL,  /* told to end */
	SERVE_TIMEOUT, /* deadline_ms has come */
};

/* Sleep until one of the three. */
static enum serve_wake
serve_wait(struct leatd *d, int64_t deadline_ms)
{
	sigset_t set;

	leatd_signals_set(&set);
	while (!workers_are_done(d, d->nb_workers)) {
		struct timespec timeout = { 0 };
		int64_t left_ms = deadline_ms - clock_ms();
		int number;

		if (left_ms <= 0)
			return SERVE_TIMEOUT;
		timeout.tv_sec = left_ms / 1000;
		timeout.tv_nsec = left_ms % 1000 * 1000000;
		number = sigtimedwait(&set, NULL, &timeout);
		if (number > 0 && number != LEATD_SIGNAL_WAKE)
			return SERVE_SIGNAL;
		LEAT_VERIFY(number > 0 || errno == EAGAIN || errno == EINTR);
	}
	return SERVE_DONE;
}

/* On the worker's lcore. */
static int
worker_main(void *arg)
{
	struct leatd_worker *w = arg;
	int ret = leat_worker_run(w->worker);

	/* pairs with the acquire in workers_are_done() */
	atomic_store_explicit(&w->is_done, true, memory_order_release);
	(void)kill(getpid(), LEATD_SIGNAL_WAKE); /* our own process is always there */
	return ret;
}

static void
workers_join(uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		(void)rte_eal_wait_lcore(i); /* what worker_main() returns has been told */
}

static void
workers_stop(struct leatd *d, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		leat_worker_stop(d->workers[i].worker);
	workers_join(nb);
}

static int
workers_launch(struct leatd *d, struct leat_error *error)
{
	for (uint32_t i = 0; i < d->nb_workers; i++) {
		int ret = rte_eal_remote_launch(worker_main, &d->workers[i], i);

		if (ret < 0) {
			workers_stop(d, i);
			return leat_error_set(
				error, ret, "cannot run worker %u: %s", i, strerror(-ret));
		}
	}
	return 0;
}

/* End in order within the drain timeout; a second signal or the timeout ends at once. */
static int
serve_drain(struct leatd *d, struct leat_error *error)
{
	uint32_t nb_sessions = 0;
	enum serve_wake wake;

	leatd_log(LEATD_LOG_INFO, "draining");
	for (uint32_t i = 0; i < d->nb_workers; i++)
		leat_worker_drain(d->workers[i].worker);
	wake = serve_wait(d, clock_ms() + (int64_t)d->conf->drain_timeout_s * 1000);
	if (wake == SERVE_DONE) {
		workers_join(d->nb_workers);
		leatd_log(LEATD_LOG_INFO, "drained");
		return 0;
	}
	for (uint32_t i = 0; i < d->nb_workers; i++)
		nb_sessions += leat_worker_nb_sessions(d->workers[i].worker);
	workers_stop(d, d->nb_workers);
	if (nb_sessions == 0) { /* such as with a drain timeout of 0 */
		leatd_log(LEATD_LOG_INFO, "drained");
		return 0;
	}
	return leat_error_set(error, -ETIME, "%s, so %u open connections were aborted",
		wake == SERVE_SIGNAL ? "told to end at once" : "the drain timeout has passed",
		nb_sessions);
}

int
leatd_serve(struct leatd *d, struct leat_error *error)
{
	int ret = workers_launch(d, error);
	enum serve_wake wake;

	if (ret < 0)
		return ret;
	do {
		wake = serve_wait(d, clock_ms() + TELL_EVERY_MS);
		leatd_tell_notices(d);
	} while (wake == SERVE_TIMEOUT);
	if (wake == SERVE_DONE) {
		workers_join(d->nb_workers);
		return leat_error_set(error, -EIO, "all workers have ended without being told to");
	}
	return serve_drain(d, error);
}
