/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Counters by name, read without asking a worker: they can be had while one hangs. A
 * source is "worker0" with the worker's own counters, or "worker0/p0" with those of its
 * transport on the port p0; each has structs of them, such as "inet".
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "control_priv.h"

#define SETS_MAX LEAT_MAX(LEAT_WORKER_STAT_SETS, LEAT_TRANSPORT_STATS_MAX)

struct stat_source {
	char name[CONTROL_NAME_LEN];
	uint32_t nb_sets;
	struct leat_stat_set sets[SETS_MAX];
};

/* The source @p idx: the worker's own, then its transports, then the next worker's. */
static bool
source_get(const struct leat_control *control, uint32_t idx, struct stat_source *source)
{
	for (uint32_t w = 0; w < control->conf.nb_workers; w++) {
		const struct leat_worker *worker = control->conf.workers[w];
		uint16_t nb_transports = leat_worker_nb_transports(worker);
		const struct leat_transport *xp;

		if (idx > nb_transports) {
			idx -= nb_transports + 1u;
			continue;
		}
		if (idx == 0) {
			(void)snprintf(source->name, sizeof(source->name), "worker%u", w);
			leat_worker_stat_sets(worker, source->sets);
			source->nb_sets = LEAT_WORKER_STAT_SETS;
			return true;
		}
		xp = leat_worker_transport(worker, (uint16_t)(idx - 1));
		(void)snprintf(source->name, sizeof(source->name), "worker%u/%.16s", w, xp->name);
		source->nb_sets = xp->ops->stats(xp, source->sets);
		return true;
	}
	return false;
}

/* The sum over all sources of the field at @p i of the set of that name. */
static uint64_t
stat_total(const struct leat_control *control, const char *set_name, uint32_t i)
{
	struct stat_source source;
	uint64_t total = 0;

	for (uint32_t idx = 0; source_get(control, idx, &source); idx++)
		for (uint32_t s = 0; s < source.nb_sets; s++) {
			const struct leat_stat_set *set = &source.sets[s];

			if (strcmp(set->name, set_name) == 0 && i < set->nb_defs)
				total += leat_stat_read(set, &set->defs[i]);
		}
	return total;
}

/* One struct of counters under its name: those of this source, or the sums of all. */
static int
set_tell(const struct leat_control *control, const struct leat_stat_set *set, bool is_total,
	struct control_dict *reply)
{
	struct control_dict dict;
	bool fits = true;

	if (control_dict_open(&dict, NULL) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < set->nb_defs; i++)
		fits = control_dict_u64(&dict, set->defs[i].name,
			       is_total ? stat_total(control, set->name, i)
					: leat_stat_read(set, &set->defs[i])) &&
		       fits;
	return control_dict_add(reply, set->name, &dict) && fits ? 0 : -EMSGSIZE;
}

/* Whether a set of this name came before, in this source or an earlier one. */
static bool
set_was_told(const struct leat_control *control, uint32_t end_idx, uint32_t end_set,
	const char *set_name)
{
	struct stat_source source;

	for (uint32_t idx = 0; idx <= end_idx && source_get(control, idx, &source); idx++)
		for (uint32_t s = 0; s < source.nb_sets && (idx < end_idx || s < end_set); s++)
			if (strcmp(source.sets[s].name, set_name) == 0)
				return true;
	return false;
}

static int
totals_tell(const struct leat_control *control, struct control_dict *reply)
{
	struct stat_source source;
	int ret = 0;

	for (uint32_t idx = 0; source_get(control, idx, &source); idx++)
		for (uint32_t s = 0; s < source.nb_sets && ret == 0; s++)
			if (!set_was_told(control, idx, s, source.sets[s].name))
				ret = set_tell(control, &source.sets[s], true, reply);
	return ret;
}

/* "worker0": all of its own. @return -ENOENT: no source has this name. */
static int
source_tell(const struct leat_control *control, const char *name, struct control_dict *reply)
{
	struct stat_source source;

	for (uint32_t idx = 0; source_get(control, idx, &source); idx++) {
		int ret = 0;

		if (strcmp(source.name, name) != 0)
			continue;
		for (uint32_t s = 0; s < source.nb_sets && ret == 0; s++)
			ret = set_tell(control, &source.sets[s], false, reply);
		return ret;
	}
	return -ENOENT;
}

/* "rx_tcp_cksum": of each source that has it. @return -ENOENT: none has. */
static int
counter_tell(const struct leat_control *control, const char *name, struct control_dict *reply)
{
	struct stat_source source;

	for (uint32_t idx = 0; source_get(control, idx, &source); idx++)
		for (uint32_t s = 0; s < source.nb_sets; s++) {
			const struct leat_stat_set *set = &source.sets[s];
			char key[CONTROL_NAME_LEN];

			(void)snprintf(key, sizeof(key), "%.28s/%.16s", source.name, set->name);
			for (uint32_t i = 0; i < set->nb_defs; i++)
				if (strcmp(set->defs[i].name, name) == 0 &&
					!control_dict_u64(
						reply, key, leat_stat_read(set, &set->defs[i])))
					return -EMSGSIZE;
		}
	return reply->nb_entries > 0 ? 0 : -ENOENT;
}

int
control_stats(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error)
{
	int ret;

	if (params[0] == '\0') {
		ret = totals_tell(control, reply);
	} else {
		ret = source_tell(control, params, reply);
		if (ret == -ENOENT)
			ret = counter_tell(control, params, reply);
	}
	if (ret == -ENOENT)
		return leat_error_set(error, ret,
			"there is no '%.40s': give a counter, or a source such as worker0 or "
			"worker0/PORT",
			params);
	if (ret < 0)
		return leat_error_set(error, ret, "the answer is too long; ask for one source");
	return 0;
}

static void
pool_tell(struct rte_mempool *pool, void *arg)
{
	struct control_dict *pools = arg;
	struct control_dict dict;
	bool fits;

	if (control_dict_open(&dict, NULL) < 0)
		return;
	fits = control_dict_u64(&dict, "size", pool->size) &&
	       control_dict_u64(&dict, "in_use", rte_mempool_in_use_count(pool)) &&
	       control_dict_u64(&dict, "bytes",
		       (uint64_t)pool->size *
			       (pool->header_size + pool->elt_size + pool->trailer_size));
	LEAT_VERIFY(fits);                                /* an entry is far shorter than a reply */
	(void)control_dict_add(pools, pool->name, &dict); /* drivers may have pools without end */
}

static void
memory_tell(struct control_dict *dict)
{
	uint64_t total = 0, used = 0;

	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		struct rte_malloc_socket_stats stats;

		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) != 0)
			continue;
		total += stats.heap_totalsz_bytes;
		used += stats.heap_allocsz_bytes;
	}
	(void)control_dict_u64(dict, "total_bytes", total); /* the first find room */
	(void)control_dict_u64(dict, "used_bytes", used);
}

int
control_pools(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error)
{
	struct control_dict pools, memory;
	bool fits;

	(void)control; /* all of the process */
	if (params[0] != '\0')
		return leat_error_set(error, -EINVAL, "pools take no parameter");
	if (control_dict_open(&memory, NULL) < 0)
		return leat_error_set(error, -ENOMEM, "out of memory");
	memory_tell(&memory);
	fits = control_dict_add(reply, "memory", &memory);
	if (control_dict_open(&pools, NULL) < 0)
		return leat_error_set(error, -ENOMEM, "out of memory");
	rte_mempool_walk(pool_tell, &pools);
	fits = control_dict_add(reply, "pools", &pools) && fits;
	return fits ? 0 : leat_error_set(error, -EMSGSIZE, "the answer is too long");
}
