/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef WORKER_PRIV_H
#define WORKER_PRIV_H

#include <pthread.h>

#include <leat_time.h>

#include "leat_worker.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an accepted connection points back to. */
struct worker_listener {
	struct leat_session_listener session;
	struct leat_transport *transport;
	struct leat_endpoint local;
};

/* What another thread asks of the lcore; grows only. */
enum worker_request {
	WORKER_GO_ON,
	WORKER_DRAIN,
	WORKER_STOP,
};

enum worker_mail_state {
	WORKER_MAIL_EMPTY,
	WORKER_MAIL_POSTED,   /* the lcore may take it, the asker may take it back */
	WORKER_MAIL_TAKEN,    /* the lcore's */
	WORKER_MAIL_ANSWERED, /* the asker's */
};

/* Of one asker at a time: whoever holds the mutex, which the lcore never does. */
struct worker_mail {
	pthread_mutex_t mutex;
	/* enum worker_mail_state; the asker writes EMPTY and POSTED, the lcore TAKEN and
	 * ANSWERED; release, and acquire where it hands over fn and arg or the answer. */
	uint32_t state;
	bool is_read; /* the lcore writes, release; askers read, acquire */
	void (*fn)(struct leat_worker *worker, void *arg);
	void *arg;
};

/*
 * Everything an lcore touches under traffic. Only that lcore writes it; where
 * another thread reads or writes a field, the field says so.
 */
struct leat_worker {
	uint64_t now_us;
	enum leat_worker_idle idle;
	uint16_t lcore_id;
	uint16_t nb_transports;
	uint16_t nb_listeners;
	uint16_t nb_events; /* of this turn */
	struct leat_transport *transports[LEAT_WORKER_TRANSPORTS_MAX];
	struct leat_transport_event events[LEAT_WORKER_EVENTS_MAX];
	struct leat_worker_stats stats; /* any thread: reads */
	struct worker_listener listeners[LEAT_WORKER_LISTENERS_MAX];
	struct leat_session *sessions;
	void *carry;
	void *annexes; /* NULL: none */
	struct leat_heap *carry_heap;
	uint32_t request; /* enum worker_request; any thread: writes, relaxed, it carries no data */
	struct worker_mail mail;
	struct leat_session_ctx ctx;
};

/* Accept no more on any listener. */
void worker_unlisten_all(struct leat_worker *worker);

/* worker_mail.c: letters are taken from worker_mail_open() to worker_mail_close(). */
void worker_mail_init(struct worker_mail *mail);
void worker_mail_fini(struct worker_mail *mail);
void worker_mail_open(struct worker_mail *mail);
/* Run what was asked, if anything was; one relaxed load if not. */
void worker_mail_answer(struct leat_worker *worker);
void worker_mail_close(struct leat_worker *worker);

#ifdef __cplusplus
}
#endif

#endif /* WORKER_PRIV_H */
