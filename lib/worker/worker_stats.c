/* SPDX-License-Identifier: BSD-3-Clause */

/* The counters of a worker by name; those of its transports are the drivers' to name. */

#include "worker_priv.h"

/* clang-format off */
#define WORKER_STAT(field)  LEAT_STAT_DEF(struct leat_worker_stats, field)
#define SESSION_STAT(field) LEAT_STAT_DEF(struct leat_session_stats, field)
#define COMMAND_STAT(field) LEAT_STAT_DEF(struct leat_command_stats, field)

static const struct leat_stat_def worker_stat_defs[] = {
	WORKER_STAT(nb_turns),
	WORKER_STAT(nb_busy_turns),
	WORKER_STAT(nb_events),
	WORKER_STAT(nb_requests),
	WORKER_STAT(nb_sleeps),
};
LEAT_STAT_CHECK(struct leat_worker_stats, worker_stat_defs);

static const struct leat_stat_def session_stat_defs[] = {
	SESSION_STAT(nb_carried),
	SESSION_STAT(carried_len),
	SESSION_STAT(nb_carry_full),
	SESSION_STAT(nb_tx_pool_empty),
	SESSION_STAT(nb_tx_waits),
	SESSION_STAT(nb_tx_blocked),
	SESSION_STAT(nb_carry_starved),
	SESSION_STAT(nb_lingered),
	SESSION_STAT(nb_slow_subscribers),
	SESSION_STAT(nb_refused),
	SESSION_STAT(nb_table_full),
	SESSION_STAT(nb_timeouts),
	SESSION_STAT(nb_refs),
	SESSION_STAT(refs_len),
	SESSION_STAT(refs_held_len),
	SESSION_STAT(nb_refs_copied),
};
LEAT_STAT_CHECK(struct leat_session_stats, session_stat_defs);

static const struct leat_stat_def command_stat_defs[] = {
	COMMAND_STAT(nb_commands),
	COMMAND_STAT(nb_conns_accepted),
	COMMAND_STAT(nb_conns),
	COMMAND_STAT(nb_key_hits),
	COMMAND_STAT(nb_key_misses),
	COMMAND_STAT(nb_errors),
	COMMAND_STAT(nb_annexes_full),
};
LEAT_STAT_CHECK(struct leat_command_stats, command_stat_defs);
/* clang-format on */

#define STAT_SET(text, table, values)                                                              \
	{                                                                                          \
		.name = text, .defs = table, .nb_defs = LEAT_DIM(table), .base = values            \
	}

void
leat_worker_stat_sets(
	const struct leat_worker *worker, struct leat_stat_set sets[LEAT_WORKER_STAT_SETS])
{
	const struct leat_stat_set all[LEAT_WORKER_STAT_SETS] = {
		STAT_SET("worker", worker_stat_defs, &worker->stats),
		STAT_SET("session", session_stat_defs, &worker->ctx.stats),
		STAT_SET("command", command_stat_defs, &worker->ctx.command_stats),
	};

	memcpy(sets, all, sizeof(all));
}
