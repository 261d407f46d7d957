/* SPDX-License-Identifier: BSD-3-Clause */

#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "worker_priv.h"

#define WORKER_HOUSEKEEP_TURNS 256u
#define WORKER_SPIN_US         200u  /* empty time before the first sleep */
#define WORKER_SLEEP_US        1000u /* how late a wish is seen; a driver wakes for its own work */
#define WORKER_NAP_US          150u  /* in each transport, where there are several */

/* The Unix clock, read now and then and carried on by the monotonic one. */
struct worker_wall {
	uint64_t wall_us;
	uint64_t now_us; /* monotonic, when wall_us was read */
};

static void
wall_read(struct worker_wall *wall, uint64_t now_us)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts); /* the vDSO: no system call */
	wall->wall_us = (uint64_t)ts.tv_sec * LEAT_US_PER_S + (uint64_t)ts.tv_nsec / LEAT_NS_PER_US;
	wall->now_us = now_us;
}

/* Another thread's wish, once per housekeeping. @return false: leave the loop. */
static bool
worker_obey(struct leat_worker *worker)
{
	uint32_t request = __atomic_load_n(&worker->request, __ATOMIC_RELAXED);

	if (request == WORKER_GO_ON)
		return true;
	if (request == WORKER_STOP) {
		leat_session_abort_all(&worker->ctx);
		leat_session_flush(&worker->ctx);
		for (uint16_t i = 0; i < worker->nb_transports; i++)
			leat_transport_tx_flush(worker->transports[i], worker->now_us);
		return false;
	}
	if (!worker->ctx.is_draining) {
		worker_unlisten_all(worker);
		leat_session_drain_all(&worker->ctx);
	}
	return worker->ctx.nb_open > 0;
}

/* Nothing came for a while: give the core away, but not for longer than a peer notices. */
static void
worker_sleep(struct leat_worker *worker)
{
	/* One that sleeps in its own wait does not see what comes to another. */
	uint32_t timeout_us = worker->nb_transports > 1 ? WORKER_NAP_US : WORKER_SLEEP_US;

	for (uint16_t i = 0; i < worker->nb_transports; i++)
		leat_transport_wait(worker->transports[i], timeout_us);
	worker->stats.nb_sleeps++;
}

/* Microseconds since the counter's own zero. */
static struct leat_clock
worker_clock(void)
{
	struct leat_clock clock;

	leat_clock_init(&clock, 0, rte_get_tsc_hz());
	return clock;
}

uint64_t
leat_worker_clock_us(void)
{
	struct leat_clock clock = worker_clock();

	return leat_clock_us(&clock, rte_rdtsc());
}

int
leat_worker_run(void *arg)
{
	struct leat_worker *worker = arg;
	struct leat_clock clock = worker_clock();
	struct worker_wall wall = { 0 };
	uint64_t busy_us = 0;       /* of the last turn that had work */
	uint32_t nb_turns_left = 0; /* until the house is looked after */

	worker_mail_open(&worker->mail);
	for (;;) {
		uint64_t now_us = leat_clock_us(&clock, rte_rdtsc());
		uint64_t nb_busy_turns = worker->stats.nb_busy_turns;

		if (nb_turns_left == 0) {
			nb_turns_left = WORKER_HOUSEKEEP_TURNS;
			wall_read(&wall, now_us);
			worker_mail_answer(worker);
			if (!worker_obey(worker))
				break;
		}
		nb_turns_left--;
		leat_worker_turn(
			worker, now_us, (wall.wall_us + (now_us - wall.now_us)) / LEAT_US_PER_MS);
		if (worker->stats.nb_busy_turns != nb_busy_turns ||
			leat_session_has_work(&worker->ctx)) {
			busy_us = now_us;
		} else if (worker->idle == LEAT_WORKER_IDLE_POLL ||
			   now_us - busy_us < WORKER_SPIN_US) {
			rte_pause();
		} else {
			worker_sleep(worker);
			nb_turns_left = 0; /* turns are rare now: look after the house in each */
		}
	}
	worker_mail_close(worker);
	return 0;
}
