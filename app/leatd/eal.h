/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEATD_EAL_H
#define LEATD_EAL_H

/**
 * @file
 * The start and the end of DPDK's environment for leatd: memory, lcores, the devices
 * that were named and no other, and nothing left behind.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat_common.h>
#include <leat_dpdk_log.h>
#include <leat_error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_EAL_WORKERS_MAX       64
#define LEAT_EAL_PCI_DEVS_MAX      32
#define LEAT_EAL_MEMORY_MB_DEFAULT 512u
#define LEAT_EAL_MEMORY_MB_MAX     (1024u * 1024u)
#define LEAT_EAL_PATH_MAX          256

/** What leatd asks of the EAL. */
struct leat_eal_conf {
	const char *program;     /**< argv[0], for the EAL's own messages */
	unsigned int nb_workers; /**< 1 to LEAT_EAL_WORKERS_MAX */
	/**
	 * nb_workers CPUs, the one of worker i at [i]; NULL: the last nb_workers CPUs of the
	 * calling thread's affinity mask, so that the first ones stay for the main lcore.
	 */
	const uint16_t *cpus;
	size_t memory_mb; /**< 0: LEAT_EAL_MEMORY_MB_DEFAULT */
	bool no_huge;     /**< ordinary pages; no reservation is needed */
	/** PCI addresses, such as "0000:03:00.0"; none: the PCI bus is not even scanned. */
	const char *const *pci_devs;
	unsigned int nb_pci_devs; /**< at most LEAT_EAL_PCI_DEVS_MAX */
};

/** A started EAL. It must stay at its address until leat_eal_stop(). */
struct leat_eal {
	unsigned int nb_workers;             /**< worker i runs on the lcore of id i */
	uint16_t cpus[LEAT_EAL_WORKERS_MAX]; /**< the CPU of each worker */
	uint16_t main_lcore_id;              /**< floats over the whole affinity mask */
	size_t memory_mb;                    /**< taken at start */
	bool no_huge;
	char file_prefix[32];                /**< "leat-<pid>" */
	char runtime_dir[LEAT_EAL_PATH_MAX]; /**< telemetry socket; removed by leat_eal_stop() */
	int lock_fd;                         /**< tells others that runtime_dir is in use */
	struct leat_dpdk_log log;            /**< where DPDK's messages go */
};

/**
 * Start the EAL: once in a process' life, DPDK allows no more.
 *
 * Memory of hugepages is anonymous: it needs no hugetlbfs mount, and no file outlives
 * leatd, even a killed one. Directories that a killed leatd left in the EAL's run-time
 * directory are removed on the way.
 *
 * From then on DPDK's messages of level warning and worse go to stderr, with the prefix
 * "dpdk: ". The lcore with the id i is that of worker i; the caller is the main lcore.
 *
 * The caller ignores SIGPIPE: drivers write to sockets whose peer may have gone.
 *
 * @param conf
 *   Borrowed for the call.
 * @param eal
 *   Filled on success.
 * @param error
 *   The sentence for a person on failure.
 * @return
 *   - 0: started.
 *   - -EINVAL: a setting is out of its range, or a CPU is not ours to use.
 *   - -ENOMEM: not enough hugepages are free.
 *   - -EALREADY: another leatd holds our directory, or the EAL has been started before.
 *   - other -errno: from the EAL.
 */
int leat_eal_start(
	const struct leat_eal_conf *conf, struct leat_eal *eal, struct leat_error *error);

/** Give everything back and leave no file. Workers must have returned, ports be closed. */
void leat_eal_stop(struct leat_eal *eal);

#ifdef __cplusplus
}
#endif

#endif /* LEATD_EAL_H */
