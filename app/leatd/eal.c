/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a person can mend (CPUs, hugepages) is checked here, before the EAL looks at it,
 * because the EAL tells of it late and in several lines of log.
 */

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include "eal.h"
#include "eal_files.h"

#define EAL_ARGS_MAX     (32 + 2 * LEAT_EAL_PCI_DEVS_MAX)
#define EAL_ARG_TEXT_MAX 8192u

static_assert(LEAT_EAL_WORKERS_MAX < RTE_MAX_LCORE, "workers and the main lcore have lcore ids");

/* The command line that the EAL wants, in memory that it may write to. */
struct eal_args {
	int argc;
	char *argv[EAL_ARGS_MAX + 1];
	size_t text_len;
	char text[EAL_ARG_TEXT_MAX];
};

static void eal_args_add(struct eal_args *args, const char *fmt, ...) LEAT_PRINTF(2, 3);

static void
eal_args_add(struct eal_args *args, const char *fmt, ...)
{
	size_t room = sizeof(args->text) - args->text_len;
	va_list list;
	int len;

	LEAT_VERIFY(args->argc < EAL_ARGS_MAX);
	va_start(list, fmt);
	len = vsnprintf(args->text + args->text_len, room, fmt, list);
	va_end(list);
	LEAT_VERIFY(len >= 0 && (size_t)len < room);
	args->argv[args->argc++] = args->text + args->text_len;
	args->argv[args->argc] = NULL;
	args->text_len += (size_t)len + 1;
}

/* The last nb_workers CPUs of the mask, in rising order. */
static int
eal_choose_cpus(const cpu_set_t *mask, struct leat_eal *eal, struct leat_error *error)
{
	unsigned int nb_cpus = (unsigned int)CPU_COUNT(mask);
	unsigned int nb_skip;
	unsigned int nb = 0;

	if (nb_cpus < eal->nb_workers)
		return leat_error_set(error, -EINVAL,
			"%u workers need a CPU each and this process may use %u: "
			"ask for at most %u workers, or widen its affinity mask (taskset, cpuset)",
			eal->nb_workers, nb_cpus, nb_cpus);
	nb_skip = nb_cpus - eal->nb_workers;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, mask))
			continue;
		if (nb_skip > 0)
			nb_skip--;
		else
			eal->cpus[nb++] = (uint16_t)cpu;
	}
	LEAT_VERIFY(nb == eal->nb_workers);
	return 0;
}

static int
eal_check_cpus(
	const cpu_set_t *mask, const uint16_t *cpus, struct leat_eal *eal, struct leat_error *error)
{
	for (unsigned int i = 0; i < eal->nb_workers; i++) {
		if (cpus[i] >= CPU_SETSIZE || !CPU_ISSET(cpus[i], mask))
			return leat_error_set(error, -EINVAL,
				"CPU %u of worker %u does not exist or is not in the affinity mask "
				"of "
				"this process: name another, or widen the mask (taskset, cpuset)",
				cpus[i], i);
		for (unsigned int j = 0; j < i; j++) {
			if (cpus[i] == cpus[j])
				return leat_error_set(error, -EINVAL,
					"CPU %u is named for worker %u and for worker %u: "
					"each worker needs a CPU of its own",
					cpus[i], j, i);
		}
		eal->cpus[i] = cpus[i];
	}
	return 0;
}

static int
eal_check_conf(const struct leat_eal_conf *conf, const cpu_set_t *mask, struct leat_eal *eal,
	struct leat_error *error)
{
	if (conf->nb_workers == 0 || conf->nb_workers > LEAT_EAL_WORKERS_MAX)
		return leat_error_set(error, -EINVAL, "%u workers: from 1 to %u can be had",
			conf->nb_workers, LEAT_EAL_WORKERS_MAX);
	if (conf->nb_pci_devs > LEAT_EAL_PCI_DEVS_MAX)
		return leat_error_set(error, -EINVAL, "%u PCI devices: at most %u can be named",
			conf->nb_pci_devs, LEAT_EAL_PCI_DEVS_MAX);
	eal->nb_workers = conf->nb_workers;
	eal->main_lcore_id = (uint16_t)conf->nb_workers;
	eal->no_huge = conf->no_huge;
	eal->memory_mb = conf->memory_mb != 0 ? conf->memory_mb : LEAT_EAL_MEMORY_MB_DEFAULT;
	if (eal->memory_mb > LEAT_EAL_MEMORY_MB_MAX)
		return leat_error_set(error, -EINVAL, "%zu MiB of memory: at most %u can be had",
			eal->memory_mb, LEAT_EAL_MEMORY_MB_MAX);
	if (conf->cpus == NULL)
		return eal_choose_cpus(mask, eal, error);
	return eal_check_cpus(mask, conf->cpus, eal, error);
}

/* "0@2,1@3,2@(0-3)": workers by number, then the main lcore on every CPU of the mask. */
static void
eal_args_add_lcores(struct eal_args *args, const cpu_set_t *mask, const struct leat_eal *eal)
{
	char text[EAL_ARG_TEXT_MAX / 2] = "";
	size_t len = 0;
	int n;

	for (unsigned int i = 0; i < eal->nb_workers; i++) {
		n = snprintf(text + len, sizeof(text) - len, "%u@%u,", i, eal->cpus[i]);
		LEAT_VERIFY(n > 0 && (size_t)n < sizeof(text) - len);
		len += (size_t)n;
	}
	n = snprintf(text + len, sizeof(text) - len, "%u@", eal->main_lcore_id);
	LEAT_VERIFY(n > 0 && (size_t)n < sizeof(text) - len);
	len += (size_t)n;
	for (unsigned int cpu = 0, first = 0; cpu < CPU_SETSIZE; cpu++) {
		bool is_last = cpu + 1 == CPU_SETSIZE || !CPU_ISSET(cpu + 1, mask);

		if (!CPU_ISSET(cpu, mask))
			continue;
		if (cpu == 0 || !CPU_ISSET(cpu - 1, mask))
			first = cpu;
		if (!is_last)
			continue;
		n = snprintf(text + len, sizeof(text) - len, "%c%u-%u",
			text[len - 1] == '@' ? '(' : ',', first, cpu);
		LEAT_VERIFY(n > 0 && (size_t)n < sizeof(text) - len);
		len += (size_t)n;
	}
	eal_args_add(args, "--lcores=%s)", text);
	eal_args_add(args, "--main-lcore=%u", eal->main_lcore_id);
}

static void
eal_args_build(struct eal_args *args, const struct leat_eal_conf *conf, const cpu_set_t *mask,
	const struct leat_eal *eal)
{
	memset(args, 0, sizeof(*args));
	eal_args_add(args, "%s", conf->program != NULL ? conf->program : "leatd");
	eal_args_add(args, "--file-prefix=%s", eal->file_prefix);
	eal_args_add(args, "--log-level=warning");
	eal_args_add(args, "--log-level=lib.telemetry:error"); /* warns of every start */
	eal_args_add_lcores(args, mask, eal);
	eal_args_add(args, "-m");
	eal_args_add(args, "%zu", eal->memory_mb);
	if (eal->no_huge) {
		eal_args_add(args, "--no-huge");
		eal_args_add(args, "--no-shconf"); /* no second process, so no files for one */
	} else {
		/* virtio-user hands its peer a file per segment, and a peer takes few of them */
		eal_args_add(args, "--in-memory");
		eal_args_add(args, "--single-file-segments");
	}
	if (conf->nb_pci_devs == 0)
		eal_args_add(args, "--no-pci");
	for (unsigned int i = 0; i < conf->nb_pci_devs; i++) {
		eal_args_add(args, "-a");
		eal_args_add(args, "%s", conf->pci_devs[i]);
	}
}

static int
eal_init(struct eal_args *args, struct leat_eal *eal, struct leat_error *error)
{
	int ret;

	if (leat_dpdk_log_open(&eal->log, stderr) < 0)
		return leat_error_set(error, -ENOMEM, "out of memory at start");
	if (rte_eal_init(args->argc, args->argv) < 0) {
		ret = rte_errno != 0 ? -rte_errno : -EIO;
		leat_dpdk_log_close(&eal->log);
		return leat_error_set(error, ret, "DPDK does not start: %s",
			leat_dpdk_log_reason(&eal->log, rte_strerror(-ret)));
	}
	leat_dpdk_log_pass(&eal->log);
	return 0;
}

int
leat_eal_start(const struct leat_eal_conf *conf, struct leat_eal *eal, struct leat_error *error)
{
	struct eal_args args;
	cpu_set_t mask;
	int ret;

	memset(eal, 0, sizeof(*eal));
	if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
		return leat_error_set(
			error, -errno, "cannot read the affinity mask: %s", strerror(errno));
	ret = eal_check_conf(conf, &mask, eal, error);
	if (ret < 0)
		return ret;
	if (!eal->no_huge) {
		ret = eal_check_hugepages(EAL_HUGEPAGES_DIR, eal->memory_mb, error);
		if (ret < 0)
			return ret;
	}
	ret = eal_runtime_open(eal, error);
	if (ret < 0)
		return ret;
	eal_args_build(&args, conf, &mask, eal);
	ret = eal_init(&args, eal, error);
	if (ret < 0)
		goto close_runtime;
	return 0;

close_runtime:
	eal_runtime_close(eal);
	return ret;
}

void
leat_eal_stop(struct leat_eal *eal)
{
	(void)rte_eal_cleanup(); /* the process ends next; there is nothing to do about it */
	leat_dpdk_log_close(&eal->log);
	eal_runtime_close(eal);
}
