/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FUZZ_CTX_H
#define FUZZ_CTX_H

/* What commands work on: a small store, and few channels. */

#include <leat_command.h>

#include "fuzz_support.h"

/* Of the process, with an EAL. 0, or -1. */
static inline int
fuzz_ctx_open(struct leat_command_ctx *ctx)
{
	struct leat_store_conf store_conf = {
		.name = "fuzz",
		.nb_keys_max = 64,
		.mem_len = LEAT_STORE_MEM_LEN_MIN,
		.seed = { 1, 2 },
		.now_us = ctx->now_us,
	};
	struct leat_pubsub_conf pubsub_conf = {
		.name = "fuzz_pubsub",
		.nb_channels_max = 4,
		.nb_subscriptions_max = 6,
		.seed = { 3, 4 },
	};

	if (fuzz_eal_init() < 0 || leat_store_open(&store_conf, &ctx->store, NULL) < 0)
		return -1;
	return leat_pubsub_open(&pubsub_conf, &ctx->pubsub, NULL) < 0 ? -1 : 0;
}

#endif /* FUZZ_CTX_H */
