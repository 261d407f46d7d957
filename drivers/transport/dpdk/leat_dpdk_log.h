/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_DPDK_LOG_H
#define LEAT_DPDK_LOG_H

/**
 * @file
 * DPDK tells why something failed in its log only. This listens to it while
 * something is tried, so that the reason can stand in our own sentence.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_DPDK_LOG_LINE_MAX 256 /**< bytes of a reason, the terminating zero included */

/** One sink of DPDK's messages. It must stay at its address while it is open. */
struct leat_dpdk_log {
	FILE *stream;   /**< given to rte_openlog_stream() */
	FILE *previous; /**< the stream before ours */
	FILE *out;      /**< where lines go after leat_dpdk_log_pass(), NULL: nowhere */
	bool keep;      /**< look for the reason instead of writing */
	char reason[LEAT_DPDK_LOG_LINE_MAX]; /**< the first line of level error */
};

/**
 * Take over DPDK's messages and look for the reason of a failure.
 *
 * @param log
 *   Initialised here.
 * @param out
 *   Where lines go after leat_dpdk_log_pass(), with the prefix "dpdk: "; NULL: nowhere.
 * @return
 *   0, or -ENOMEM: nothing was changed.
 */
int leat_dpdk_log_open(struct leat_dpdk_log *log, FILE *out);

/** Forget the reason, and from now on write lines to out. */
void leat_dpdk_log_pass(struct leat_dpdk_log *log);

/** Put the previous stream back. */
void leat_dpdk_log_close(struct leat_dpdk_log *log);

/** Why DPDK says it failed: a line without prefix and newline, or @p otherwise. */
const char *leat_dpdk_log_reason(const struct leat_dpdk_log *log, const char *otherwise);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_DPDK_LOG_H */
