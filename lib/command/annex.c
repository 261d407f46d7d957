/* SPDX-License-Identifier: BSD-3-Clause */

/* Memory of one size for the few clients that need more of it than the others. */

#include "leat_command.h"

static_assert(LEAT_ANNEX_LEN % 8 == 0, "each is aligned as the first");

void
leat_annexes_init(struct leat_command_ctx *ctx, void *mem, uint32_t nb)
{
	uint8_t *at = mem;

	ctx->annexes = NULL;
	for (uint32_t i = nb; i > 0; i--) {
		struct leat_annex *annex = (void *)(at + (size_t)(i - 1) * LEAT_ANNEX_LEN);

		annex->next = ctx->annexes;
		ctx->annexes = annex;
	}
}

struct leat_annex *
leat_annex_take(struct leat_command_ctx *ctx, bool *is_new)
{
	struct leat_client *client = ctx->client;

	*is_new = client->annex == NULL && !client->is_annexless;
	if (!*is_new)
		return client->annex;
	client->annex = ctx->annexes;
	if (client->annex == NULL) {
		client->is_annexless = true;
		ctx->stats->nb_annexes_full++;
		return NULL;
	}
	ctx->annexes = client->annex->next;
	return client->annex;
}

void
leat_annex_give(struct leat_command_ctx *ctx, struct leat_client *client)
{
	if (client->annex == NULL)
		return;
	client->annex->next = ctx->annexes;
	ctx->annexes = client->annex;
	client->annex = NULL;
}
