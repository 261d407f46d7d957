/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_CONTROL_H
#define LEAT_CONTROL_H

/**
 * @file
 * The control plane: what a person asks a running appliance, over the socket of DPDK's
 * telemetry. Commands are answered by telemetry's own threads, one at a time; they ask
 * the workers through their letterboxes.
 *
 * | command | answer |
 * |---|---|
 * | /leat/conn,START[,FILTER] | connections, a page at a time |
 * | /leat/neighbours[,START] | neighbours, a page at a time |
 * | /leat/stats[,NAME] | counters by name |
 * | /leat/pools | packet buffers and memory |
 * | /leat/record[,CLASS] | the flight recorder into a file, whose name is the answer |
 *
 * A thread of its own writes the flight recorder to files when connections end badly.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_error.h>
#include <leat_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_CONTROL_WORKERS_MAX 64
#define LEAT_CONTROL_ANSWER_MS   1000u /**< so long a worker has to answer */
#define LEAT_CONTROL_DIR_MAX     96    /**< bytes of a directory's path, the zero included */
/** Between two files that nobody asked for. */
#define LEAT_CONTROL_RECORD_INTERVAL_MS 1000u

struct leat_control;

struct leat_control_conf {
	uint32_t nb_workers; /**< 1 to LEAT_CONTROL_WORKERS_MAX */
	/** In the order of their numbers; borrowed until leat_control_close(). */
	struct leat_worker *workers[LEAT_CONTROL_WORKERS_MAX];
	uint32_t nb_record_segs; /**< as the recorders of the transports have; 0: they are off */
	/** Where records go; made with the first one, for its owner alone. "": none are written */
	char record_dir[LEAT_CONTROL_DIR_MAX];
	uint32_t nb_records_max; /**< files that nobody asked for; 0: none */
	/** A sentence for a person; NULL: nobody listens. From any thread, one at a time. */
	void (*log)(bool is_warning, const char *text);
};

/**
 * Answer from now on. There is one control plane in a process, as telemetry has one list
 * of commands.
 *
 * @return
 *   0 and *out; -EBUSY: there is one; -ENOMEM, -EAGAIN: no thread, or of
 *   rte_telemetry_register_cmd(). The sentence is in @p error.
 */
int leat_control_open(
	const struct leat_control_conf *conf, struct leat_control **out, struct leat_error *error);

/**
 * Answer no more, once a command that is being answered is done, and write what is frozen
 * yet. The workers have returned, and are not closed.
 */
void leat_control_close(struct leat_control *control);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_CONTROL_H */
