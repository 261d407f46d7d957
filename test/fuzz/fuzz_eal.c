/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdio.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include <leat_common.h>

#include "fuzz_support.h"

#define EAL_ARG_MAX 64

int
fuzz_eal_init(void)
{
	/* The EAL may write to its arguments. */
	static char args[][EAL_ARG_MAX] = { "fuzz", "--no-huge", "--no-pci", "--no-telemetry",
		"--no-shconf", "-m", "64", "-l", "0", "--log-level=lib.eal:error", "" };
	char *argv[LEAT_DIM(args)];
	char *prefix = args[LEAT_DIM(args) - 1];

	(void)snprintf(prefix, EAL_ARG_MAX, "--file-prefix=leat-fuzz-%d", (int)getpid());
	for (unsigned int i = 0; i < LEAT_DIM(args); i++)
		argv[i] = args[i];
	if (rte_eal_init((int)LEAT_DIM(args), argv) < 0)
		return -1;
	(void)rmdir(rte_eal_get_runtime_dir()); /* empty with --no-shconf */
	return 0;
}

struct rte_mempool *
fuzz_pool_init(unsigned int nb_mbufs)
{
	if (fuzz_eal_init() < 0)
		return NULL;
	return rte_pktmbuf_pool_create("fuzz", nb_mbufs, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
}
