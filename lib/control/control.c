/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <leat_time.h>

#include "control_priv.h"

#define CONTROL_LOOK_MS 200u /* between two looks at what was frozen */

static_assert(LEAT_CONTROL_RECORD_INTERVAL_MS % CONTROL_LOOK_MS == 0, "a number of looks");

struct control_command {
	const char *name;
	const char *help; /* under 64 bytes */
	int (*answer)(struct leat_control *control, const char *params, struct control_dict *reply,
		struct leat_error *error);
};

static const struct control_command control_commands[] = {
	{ "/leat/conn", "Connections. Parameters: START[,FILTER]", control_conn },
	{ "/leat/neighbours", "Neighbours. Parameters: [START]", control_neighbours },
	{ "/leat/stats", "Counters. Parameters: [COUNTER or SOURCE]", control_stats },
	{ "/leat/record", "Flight recorder to a file. Parameters: [CLASS]", control_record },
	{ "/leat/pools", "Packet buffers and memory. Takes no parameters", control_pools },
};

/*
 * DPDK's telemetry hands its callbacks no pointer of ours and forgets no command, so the
 * process has one of these. The mutex is held while a command is answered.
 */
static struct {
	pthread_mutex_t mutex;
	struct leat_control *control; /* NULL: nobody answers */
	size_t nb_registered;         /* of control_commands */
} control_live = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
live_lock(void)
{
	LEAT_VERIFY(pthread_mutex_lock(&control_live.mutex) == 0);
}

static void
live_unlock(void)
{
	LEAT_VERIFY(pthread_mutex_unlock(&control_live.mutex) == 0);
}

/* @return 0 or -errno with the sentence. */
static int
command_answer(const struct control_command *command, const char *params,
	struct control_dict *reply, struct leat_error *error)
{
	int ret;

	live_lock();
	if (control_live.control == NULL)
		ret = leat_error_set(error, -ESHUTDOWN, "leatd is starting or ending");
	else
		ret = command->answer(control_live.control, params, reply, error);
	live_unlock();
	return ret;
}

/* On a thread of telemetry's, one for each client. */
static int
control_answer(const char *cmd, const char *params, struct rte_tel_data *data)
{
	struct leat_error error = { 0 };
	struct control_dict reply;

	for (size_t i = 0; i < LEAT_DIM(control_commands); i++) {
		if (strcmp(control_commands[i].name, cmd) != 0)
			continue;
		(void)control_dict_open(&reply, data); /* on memory that is there */
		if (command_answer(&control_commands[i], params != NULL ? params : "", &reply,
			    &error) == 0)
			return 0;
		(void)control_dict_open(&reply, data); /* what was begun is forgotten */
		error.text[RTE_TEL_MAX_STRING_LEN - 1] = '\0';
		return control_dict_text(&reply, "error", error.text) ? 0 : -EINVAL;
	}
	return -EINVAL;
}

static int
commands_register(struct leat_error *error)
{
	for (; control_live.nb_registered < LEAT_DIM(control_commands);
		control_live.nb_registered++) {
		const struct control_command *command =
			&control_commands[control_live.nb_registered];
		int ret = rte_telemetry_register_cmd(command->name, control_answer, command->help);

		if (ret < 0)
			return leat_error_set(error, ret, "telemetry does not take %s: %s",
				command->name, strerror(-ret));
	}
	return 0;
}

/* Let the mutex go and sleep; earlier when told to end. */
static void
thread_sleep(struct leat_control *control)
{
	struct timespec until;

	LEAT_VERIFY(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_nsec += (long)CONTROL_LOOK_MS * LEAT_NS_PER_MS;
	until.tv_sec += until.tv_nsec / LEAT_NS_PER_S;
	until.tv_nsec %= LEAT_NS_PER_S;
	(void)pthread_cond_timedwait(&control->wake, &control_live.mutex, &until); /* or earlier */
}

/* Asks now and then what was frozen; sleeps longer behind a file. */
static void *
thread_main(void *arg)
{
	struct leat_control *control = arg;
	uint32_t nb_naps = 0;

	live_lock();
	while (!control->is_ending && control->nb_records < control->conf.nb_records_max) {
		if (nb_naps > 0)
			nb_naps--;
		else if (control_record_frozen(control))
			nb_naps = LEAT_CONTROL_RECORD_INTERVAL_MS / CONTROL_LOOK_MS - 1;
		thread_sleep(control);
	}
	live_unlock();
	return NULL;
}

/* Where records are to be written by themselves. */
static int
thread_start(struct leat_control *control, struct leat_error *error)
{
	pthread_condattr_t attr;
	int ret;

	if (control->conf.nb_record_segs == 0 || control->conf.record_dir[0] == '\0' ||
		control->conf.nb_records_max == 0)
		return 0;
	LEAT_VERIFY(pthread_condattr_init(&attr) == 0); /* none of these takes memory */
	LEAT_VERIFY(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	LEAT_VERIFY(pthread_cond_init(&control->wake, &attr) == 0);
	LEAT_VERIFY(pthread_condattr_destroy(&attr) == 0);
	ret = -pthread_create(&control->thread, NULL, thread_main, control);
	if (ret < 0)
		return leat_error_set(error, ret, "cannot start a thread: %s", strerror(-ret));
	(void)pthread_setname_np(control->thread, "leat-control"); /* for people only */
	control->has_thread = true;
	return 0;
}

static void
thread_stop(struct leat_control *control)
{
	live_lock();
	control->is_ending = true;
	live_unlock();
	if (!control->has_thread)
		return;
	LEAT_VERIFY(pthread_cond_signal(&control->wake) == 0);
	LEAT_VERIFY(pthread_join(control->thread, NULL) == 0);
	LEAT_VERIFY(pthread_cond_destroy(&control->wake) == 0);
}

int
leat_control_open(
	const struct leat_control_conf *conf, struct leat_control **out, struct leat_error *error)
{
	struct leat_control *control;
	int ret;

	LEAT_VERIFY(conf->nb_workers > 0);
	LEAT_VERIFY(conf->nb_workers <= LEAT_CONTROL_WORKERS_MAX);
	control = calloc(1, sizeof(*control));
	if (control == NULL)
		return leat_error_set(error, -ENOMEM, "no memory for the control plane");
	control->conf = *conf;
	ret = -ENOMEM;
	if (conf->nb_record_segs > 0) {
		control->copy_mem = aligned_alloc(
			LEAT_CACHE_LINE_LEN, leat_record_mem_len(conf->nb_record_segs));
		if (control->copy_mem == NULL) {
			(void)leat_error_set(error, ret, "no memory for the flight recorder");
			goto free_control;
		}
	}
	live_lock();
	if (control_live.control != NULL)
		ret = leat_error_set(error, -EBUSY, "there is a control plane already");
	else
		ret = commands_register(error);
	if (ret == 0)
		control_live.control = control;
	live_unlock();
	if (ret < 0)
		goto free_copy;
	ret = thread_start(control, error);
	if (ret < 0)
		goto forget;
	*out = control;
	return 0;

forget:
	live_lock();
	control_live.control = NULL;
	live_unlock();
free_copy:
	free(control->copy_mem);
free_control:
	free(control);
	return ret;
}

void
leat_control_close(struct leat_control *control)
{
	thread_stop(control);
	live_lock();
	LEAT_VERIFY(control_live.control == control);
	control_live.control = NULL;
	live_unlock();
	while (control->has_thread && control->nb_records < control->conf.nb_records_max &&
		control_record_frozen(control))
		;
	free(control->copy_mem);
	free(control);
}
