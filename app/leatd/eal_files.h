/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_EAL_FILES_H
#define LEATD_EAL_FILES_H

/**
 * @file
 * The files beside the EAL: the kernel's account of hugepages, and the run-time
 * directory that DPDK makes and does not remove.
 */

#include "eal.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EAL_HUGEPAGES_DIR "/sys/kernel/mm/hugepages"

/**
 * Whether @p memory_mb MiB of hugepages, of whatever size, are free.
 *
 * @param dir
 *   EAL_HUGEPAGES_DIR, or a test's own.
 * @return
 *   0, or -ENOMEM with a sentence that says how many are missing and how to get them.
 */
int eal_check_hugepages(const char *dir, size_t memory_mb, struct leat_error *error);

/**
 * Make and lock our run-time directory, fill file_prefix, runtime_dir and lock_fd, and
 * remove the directories of leatd's that are gone.
 *
 * @return
 *   0, -EALREADY: another leatd has it, or -errno.
 */
int eal_runtime_open(struct leat_eal *eal, struct leat_error *error);

/** Remove our run-time directory with everything in it. */
void eal_runtime_close(struct leat_eal *eal);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_EAL_FILES_H */
