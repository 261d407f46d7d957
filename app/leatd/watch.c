/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A thread that takes the signals while the main thread starts things. Some drivers
 * wait for their peer there and cannot be interrupted (virtio-user as a server does),
 * so a start that does not come to its next step in time is ended by leaving.
 */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "leatd_priv.h"
#include "log.h"

#define GRACE_S 2 /* from a signal to the next step of the start */

/* The next signal, or -1 after the timeout. Somebody else's SIGUSR1 is not our wake. */
static int
watch_wait(struct leatd_watch *watch, const struct timespec *timeout)
{
	sigset_t set;
	int number;

	leatd_signals_set(&set);
	do
		number = sigtimedwait(&set, NULL, timeout);
	while (number == LEATD_SIGNAL_WAKE &&
		/* pairs with the release in leatd_watch_end() */
		!atomic_load_explicit(&watch->is_over, memory_order_acquire));
	return number;
}

static void *
watch_main(void *arg)
{
	const struct timespec grace = { .tv_sec = GRACE_S };
	struct leatd_watch *watch = arg;

	if (watch_wait(watch, NULL) == LEATD_SIGNAL_WAKE)
		return NULL;
	/* pairs with the acquire in leatd_watch_is_told() */
	atomic_store_explicit(&watch->is_told, true, memory_order_release);
	if (watch_wait(watch, &grace) == LEATD_SIGNAL_WAKE)
		return NULL;
	leatd_log(LEATD_LOG_ERROR, "told to end while starting");
	_exit(EXIT_FAILURE); /* the kernel takes everything back; the next start sweeps */
}

int
leatd_watch_begin(struct leatd_watch *watch, struct leat_error *error)
{
	int ret;

	atomic_init(&watch->is_told, false);
	atomic_init(&watch->is_over, false);
	ret = -pthread_create(&watch->thread, NULL, watch_main, watch);
	if (ret < 0)
		return leat_error_set(error, ret, "cannot start a thread: %s", strerror(-ret));
	return 0;
}

bool
leatd_watch_is_told(struct leatd_watch *watch)
{
	/* pairs with the release in watch_main() */
	return atomic_load_explicit(&watch->is_told, memory_order_acquire);
}

void
leatd_watch_end(struct leatd_watch *watch)
{
	/* pairs with the acquire in watch_wait() */
	atomic_store_explicit(&watch->is_over, true, memory_order_release);
	/* To this thread alone, so a signal that is still pending stays for leatd_serve(). */
	LEAT_VERIFY(pthread_kill(watch->thread, LEATD_SIGNAL_WAKE) == 0);
	LEAT_VERIFY(pthread_join(watch->thread, NULL) == 0);
}
