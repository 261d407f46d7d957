/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A letterbox for one letter: another thread has the lcore run a function between two
 * turns. The letter lies on the asker's stack, so it is never left in the box: it is
 * answered, or taken back. Askers queue up outside, where the lcore does not look.
 */

#include <errno.h>
#include <time.h>

#include <leat_time.h>

#include "worker_priv.h"

#define MAIL_POLL_US 50u /* the asker looks for the answer so often */

void
worker_mail_init(struct worker_mail *mail)
{
	LEAT_VERIFY(pthread_mutex_init(&mail->mutex, NULL) == 0); /* nothing to run out of */
	mail->state = WORKER_MAIL_EMPTY;
	mail->is_read = false;
}

void
worker_mail_fini(struct worker_mail *mail)
{
	LEAT_VERIFY(pthread_mutex_destroy(&mail->mutex) == 0); /* nobody asks any more */
}

void
worker_mail_open(struct worker_mail *mail)
{
	/* pairs with the acquire in leat_worker_ask() */
	__atomic_store_n(&mail->is_read, true, __ATOMIC_RELEASE);
}

void
worker_mail_answer(struct leat_worker *worker)
{
	struct worker_mail *mail = &worker->mail;
	uint32_t state = WORKER_MAIL_POSTED;

	if (LEAT_LIKELY(__atomic_load_n(&mail->state, __ATOMIC_RELAXED) != WORKER_MAIL_POSTED))
		return;
	/* The acquire pairs with the release in leat_worker_ask(); the asker may take it back. */
	if (!__atomic_compare_exchange_n(&mail->state, &state, WORKER_MAIL_TAKEN, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	mail->fn(worker, mail->arg);
	/* pairs with the acquire in mail_is_answered() */
	__atomic_store_n(&mail->state, WORKER_MAIL_ANSWERED, __ATOMIC_RELEASE);
}

void
worker_mail_close(struct leat_worker *worker)
{
	__atomic_store_n(&worker->mail.is_read, false, __ATOMIC_RELEASE); /* as at the opening */
	worker_mail_answer(worker);
}

static uint64_t
mail_clock_us(void)
{
	struct timespec ts;

	LEAT_VERIFY(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
	return (uint64_t)ts.tv_sec * LEAT_US_PER_S + (uint64_t)ts.tv_nsec / LEAT_NS_PER_US;
}

static bool
mail_is_answered(const struct worker_mail *mail)
{
	/* pairs with the release in worker_mail_answer() */
	return __atomic_load_n(&mail->state, __ATOMIC_ACQUIRE) == WORKER_MAIL_ANSWERED;
}

/* @return false: the lcore has it in hand. */
static bool
mail_take_back(struct worker_mail *mail)
{
	uint32_t state = WORKER_MAIL_POSTED;

	return __atomic_compare_exchange_n(
		&mail->state, &state, WORKER_MAIL_EMPTY, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Wait for the answer. @return 0, or -ETIMEDOUT or -ESHUTDOWN with the letter taken back. */
static int
mail_wait(struct worker_mail *mail, uint32_t timeout_ms)
{
	const struct timespec nap = { .tv_nsec = (long)MAIL_POLL_US * LEAT_NS_PER_US };
	uint64_t end_us = mail_clock_us() + (uint64_t)timeout_ms * LEAT_US_PER_MS;

	while (!mail_is_answered(mail)) {
		bool is_read = __atomic_load_n(&mail->is_read, __ATOMIC_ACQUIRE);

		if ((!is_read || mail_clock_us() >= end_us) && mail_take_back(mail))
			return is_read ? -ETIMEDOUT : -ESHUTDOWN;
		(void)clock_nanosleep(
			CLOCK_MONOTONIC, 0, &nap, NULL); /* to wake early is no harm */
	}
	mail->state = WORKER_MAIL_EMPTY; /* the lcore looks at what is posted only */
	return 0;
}

int
leat_worker_ask(struct leat_worker *worker, void (*fn)(struct leat_worker *worker, void *arg),
	void *arg, uint32_t timeout_ms, struct leat_error *error)
{
	struct worker_mail *mail = &worker->mail;
	int ret = -ESHUTDOWN;

	LEAT_VERIFY(pthread_mutex_lock(&mail->mutex) == 0);
	/* pairs with the release in worker_mail_open() and worker_mail_close() */
	if (__atomic_load_n(&mail->is_read, __ATOMIC_ACQUIRE)) {
		mail->fn = fn;
		mail->arg = arg;
		/* pairs with the acquire in worker_mail_answer() */
		__atomic_store_n(&mail->state, WORKER_MAIL_POSTED, __ATOMIC_RELEASE);
		ret = mail_wait(mail, timeout_ms);
	}
	LEAT_VERIFY(pthread_mutex_unlock(&mail->mutex) == 0);
	if (ret == -ETIMEDOUT)
		return leat_error_set(error, ret, "worker %u did not answer within %u ms",
			worker->lcore_id, (unsigned int)timeout_ms);
	if (ret < 0)
		return leat_error_set(error, ret, "worker %u does not run", worker->lcore_id);
	return 0;
}
