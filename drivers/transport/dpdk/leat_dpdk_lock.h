/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_DPDK_LOCK_H
#define LEAT_DPDK_LOCK_H

/**
 * @file
 * Lock files that live as long as the process that holds them, however it ends, and
 * that tell who it is.
 */

#include <sys/types.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Create @p path if it is not there, and lock it.
 *
 * @param path
 *   The file; its directory exists.
 * @param holder
 *   Written with -EBUSY only: the process that holds it, 0 if it has not told yet.
 * @return
 *   A file descriptor for leat_dpdk_lock_release(), or -EBUSY: another has it, or -errno.
 */
int leat_dpdk_lock_take(const char *path, pid_t *holder);

/** Remove the file and unlock. */
void leat_dpdk_lock_release(const char *path, int fd);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_DPDK_LOCK_H */
