/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Flight recorders on their way to files: when a person asks, and when a connection has
 * ended badly. A worker only copies memory; files are written here, by a thread of
 * telemetry's or by the one below, which asks now and then what was frozen.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/stat.h>
#include <unistd.h>

#include <leat_time.h>

#include "control_pcapng.h"
#include "control_priv.h"

#define RECORD_PATH_MAX (LEAT_CONTROL_DIR_MAX + 128)

/* The work of one letter: the recorder of one transport. */
struct record_ask {
	uint16_t transport_idx;
	struct leat_record *copy;
	struct leat_record_cause *cause; /* NULL: what there is now */
	int ret;
};

/* Which segments of a copy belong into a file. */
struct record_choice {
	uint32_t classes;                    /* a bit for each class of which all belong */
	const struct leat_record_ends *ends; /* and those of this connection; NULL: none */
};

static void control_log(const struct leat_control *control, bool is_warning, const char *fmt, ...)
	LEAT_PRINTF(3, 4);

static void
control_log(const struct leat_control *control, bool is_warning, const char *fmt, ...)
{
	char text[LEAT_ERROR_TEXT_MAX];
	va_list list;

	if (control->conf.log == NULL)
		return;
	va_start(list, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, list); /* what is longer is cut */
	va_end(list);
	control->conf.log(is_warning, text);
}

/* On the lcore. */
static void
record_look(struct leat_worker *worker, void *arg)
{
	struct record_ask *ask = arg;
	struct leat_transport *xp = leat_worker_transport(worker, ask->transport_idx);

	ask->ret = xp->ops->record(xp, ask->copy, ask->cause);
}

/* Copy the recorder of one transport into control->copy. @return 1, 0: nothing, or -errno. */
static int
record_take(struct leat_control *control, uint32_t worker_idx, uint16_t transport_idx,
	struct leat_record_cause *cause, struct leat_error *error)
{
	struct leat_worker *worker = control->conf.workers[worker_idx];
	struct record_ask ask = { transport_idx, &control->copy, cause, 0 };
	int ret;

	leat_record_init(&control->copy, control->copy_mem, control->conf.nb_record_segs);
	ret = leat_worker_ask(worker, record_look, &ask, LEAT_CONTROL_ANSWER_MS, error);
	if (ret == -ESHUTDOWN && control->is_ending) { /* it has returned: it is ours to read */
		record_look(worker, &ask);
		ret = 0;
	}
	return ret < 0 ? ret : ask.ret;
}

/* From the workers' clock to Unix time. */
static uint64_t
clock_offset_us(void)
{
	struct timespec ts;

	LEAT_VERIFY(clock_gettime(CLOCK_REALTIME, &ts) == 0);
	return (uint64_t)ts.tv_sec * LEAT_US_PER_S + (uint64_t)ts.tv_nsec / LEAT_NS_PER_US -
	       leat_worker_clock_us();
}

static bool
choice_has(const struct record_choice *choice, enum leat_record_class class_of,
	const struct leat_record_seg *seg)
{
	struct leat_record_ends ends;

	if ((choice->classes >> class_of & 1) != 0)
		return true;
	return choice->ends != NULL && leat_record_seg_ends(seg, &ends) &&
	       ends.lport == choice->ends->lport && ends.rport == choice->ends->rport &&
	       leat_ip_addr_is_equal(ends.laddr, choice->ends->laddr) &&
	       leat_ip_addr_is_equal(ends.raddr, choice->ends->raddr);
}

/* The class whose next segment is the oldest of all; LEAT_RECORD_CLASSES: none is left. */
static enum leat_record_class
copy_oldest(const struct leat_record *copy, const uint32_t next[LEAT_RECORD_CLASSES])
{
	enum leat_record_class oldest = LEAT_RECORD_CLASSES;
	uint32_t oldest_age = 0;

	for (uint32_t c = 0; c < LEAT_RECORD_CLASSES; c++) {
		uint32_t age;

		if (next[c] == leat_record_nb(copy, (enum leat_record_class)c))
			continue;
		age = copy->seq - leat_record_at(copy, (enum leat_record_class)c, next[c])->seq;
		if (oldest == LEAT_RECORD_CLASSES || age > oldest_age) {
			oldest = (enum leat_record_class)c;
			oldest_age = age;
		}
	}
	return oldest;
}

/* Write what was chosen of the copy, in the order of time. @return how many. */
static uint32_t
copy_write(const struct leat_record *copy, const struct record_choice *choice,
	uint32_t interface_id, FILE *out)
{
	uint64_t offset_us = clock_offset_us();
	uint32_t next[LEAT_RECORD_CLASSES] = { 0 };
	enum leat_record_class c;
	uint32_t nb = 0;

	while ((c = copy_oldest(copy, next)) != LEAT_RECORD_CLASSES) {
		const struct leat_record_seg *seg = leat_record_at(copy, c, next[c]++);

		if (!choice_has(choice, c, seg))
			continue;
		control_pcapng_packet(out, interface_id, seg, offset_us, leat_record_class_name(c));
		nb++;
	}
	return nb;
}

/* A name that no file has: time, process, number and reason. Opened for us alone. */
static FILE *
file_open(struct leat_control *control, const char *reason, char path[RECORD_PATH_MAX])
{
	char stamp[sizeof("20261130T235959")];
	time_t now = time(NULL);
	struct tm tm;
	FILE *out;
	int fd;

	LEAT_VERIFY(gmtime_r(&now, &tm) != NULL);
	LEAT_VERIFY(strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm) > 0);
	(void)snprintf(path, RECORD_PATH_MAX, "%s/%s-%ld-%u-%.16s.pcapng", control->conf.record_dir,
		stamp, (long)getpid(), control->nb_files++, reason);
	if (mkdir(control->conf.record_dir, 0700) < 0 && errno != EEXIST)
		return NULL;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	out = fdopen(fd, "w");
	if (out == NULL) {
		(void)close(fd); /* nothing was written */
		(void)unlink(path);
	}
	return out;
}

/* @return 0, or -errno: then there is no file. */
static int
file_close(FILE *out, const char *path)
{
	bool is_bad = ferror(out) != 0;
	int ret = 0;

	errno = EIO; /* what an earlier write failed with is forgotten */
	if (fflush(out) != 0 || is_bad)
		ret = -errno;
	if (fclose(out) != 0 && ret == 0)
		ret = -errno;
	if (ret < 0)
		(void)unlink(path); /* half a picture deceives */
	return ret;
}

static int
file_failed(const char *path, int ret, struct leat_error *error)
{
	return leat_error_set(error, ret, "cannot write %s: %s", path, strerror(-ret));
}

/* Write the recorders of all transports as they are. */
static int
record_now(struct leat_control *control, uint32_t classes, const char *name, FILE *out,
	uint32_t *nb_segs, struct leat_error *error)
{
	const struct record_choice choice = { .classes = classes };
	uint32_t interface_id = 0;
	char text[CONTROL_NAME_LEN + 64];

	(void)snprintf(text, sizeof(text), "asked for: segments of class %s", name);
	control_pcapng_section(out, "leatd", text);
	for (uint32_t w = 0; w < control->conf.nb_workers; w++)
		for (uint16_t t = 0; t < leat_worker_nb_transports(control->conf.workers[w]); t++) {
			const struct leat_transport *xp =
				leat_worker_transport(control->conf.workers[w], t);
			int ret = record_take(control, w, t, NULL, error);

			if (ret < 0)
				return ret;
			if (ret == 0)
				continue;
			(void)snprintf(text, sizeof(text), "worker%u/%.16s", w, xp->name);
			control_pcapng_interface(out, text);
			*nb_segs += copy_write(&control->copy, &choice, interface_id++, out);
		}
	return 0;
}

/* The bit of a class' name, all bits of "all" or ""; 0: no such class. */
static uint32_t
classes_parse(const char *name)
{
	for (uint32_t c = 0; c < LEAT_RECORD_CLASSES; c++)
		if (strcmp(leat_record_class_name((enum leat_record_class)c), name) == 0)
			return 1u << c;
	return name[0] == '\0' || strcmp(name, "all") == 0 ? (1u << LEAT_RECORD_CLASSES) - 1 : 0;
}

static int
record_check(const struct leat_control *control, uint32_t classes, const char *name,
	struct leat_error *error)
{
	if (control->conf.nb_record_segs == 0)
		return leat_error_set(
			error, -ENOTSUP, "the flight recorder is off: set record-segments");
	if (control->conf.record_dir[0] == '\0')
		return leat_error_set(
			error, -ENOTSUP, "there is no directory for records: set record-dir");
	if (classes == 0)
		return leat_error_set(error, -EINVAL,
			"'%.16s' is no class: new, established, troubled, closing, stray or all",
			name);
	return 0;
}

int
control_record(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error)
{
	uint32_t classes = classes_parse(params);
	char path[RECORD_PATH_MAX];
	uint32_t nb_segs = 0;
	FILE *out;
	int ret, close_ret;

	ret = record_check(control, classes, params, error);
	if (ret < 0)
		return ret;
	out = file_open(control, params[0] != '\0' ? params : "all", path);
	if (out == NULL)
		return file_failed(path, -errno, error);
	ret = record_now(
		control, classes, params[0] != '\0' ? params : "all", out, &nb_segs, error);
	close_ret = file_close(out, path);
	if (ret < 0) {
		(void)unlink(path); /* it is ours, and incomplete */
		return ret;
	}
	if (close_ret < 0)
		return file_failed(path, close_ret, error);
	if (!control_dict_text(reply, "file", path))
		return leat_error_set(error, -ENAMETOOLONG, "written, but the name is too long");
	(void)control_dict_u64(reply, "segments", nb_segs); /* the first find room */
	return 0;
}

static const char *
ends_format(const struct leat_record_ends *ends, char text[2 * LEAT_ENDPOINT_TEXT_MAX])
{
	char laddr[LEAT_IP_ADDR_TEXT_MAX], raddr[LEAT_IP_ADDR_TEXT_MAX];

	(void)snprintf(text, 2 * (size_t)LEAT_ENDPOINT_TEXT_MAX, "%s port %u with %s port %u",
		leat_ip_addr_format(ends->laddr, laddr), ends->lport,
		leat_ip_addr_format(ends->raddr, raddr), ends->rport);
	return text;
}

/* A connection has ended badly: write its segments and those of its class. */
static void
frozen_write(
	struct leat_control *control, const char *interface, const struct leat_record_cause *cause)
{
	const struct record_choice choice = { 1u << cause->class_of, &cause->ends };
	char ends[2 * LEAT_ENDPOINT_TEXT_MAX];
	char comment[CONTROL_PCAPNG_TEXT_MAX];
	char path[RECORD_PATH_MAX];
	FILE *out = file_open(control, cause->reason, path);
	int ret = -errno;

	(void)ends_format(&cause->ends, ends); /* it is ends */
	if (out != NULL) {
		(void)snprintf(comment, sizeof(comment),
			"%s: the connection of %s; with it, segments of class %s", cause->reason,
			ends, leat_record_class_name(cause->class_of));
		control_pcapng_section(out, "leatd", comment);
		control_pcapng_interface(out, interface);
		(void)copy_write(&control->copy, &choice, 0, out); /* however many */
		ret = file_close(out, path);
	}
	if (ret == 0) {
		control->has_failed = false;
		control_log(control, false, "the connection of %s ended by %s: recorded in %s",
			ends, cause->reason, path);
	} else if (!control->has_failed) { /* once, until it works again */
		control->has_failed = true;
		control_log(control, true,
			"cannot record connections that end badly: cannot write %s: %s", path,
			strerror(-ret));
	}
}

bool
control_record_frozen(struct leat_control *control)
{
	for (uint32_t w = 0; w < control->conf.nb_workers; w++)
		for (uint16_t t = 0; t < leat_worker_nb_transports(control->conf.workers[w]); t++) {
			const struct leat_transport *xp =
				leat_worker_transport(control->conf.workers[w], t);
			struct leat_record_cause cause;
			char interface[CONTROL_NAME_LEN];

			if (record_take(control, w, t, &cause, NULL) <= 0)
				continue; /* also where the worker hangs: it is asked again */
			(void)snprintf(interface, sizeof(interface), "worker%u/%.16s", w, xp->name);
			frozen_write(control, interface, &cause);
			if (++control->nb_records == control->conf.nb_records_max)
				control_log(control, true,
					"%u connections that ended badly were recorded, and no "
					"more will be in this run",
					control->nb_records);
			return true;
		}
	return false;
}
