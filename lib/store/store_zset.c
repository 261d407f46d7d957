/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <math.h>

#include "store_priv.h"

int
leat_store_zset_stage(struct leat_store *store, double score, struct leat_slice member)
{
	struct leat_zset_node *node;
	int ret = -ENOMEM;

	store_unpark(store);
	if (isnan(score)) {
		ret = -EINVAL;
		goto unstage;
	}
	if (member.len > LEAT_STORE_BYTES_MAX) {
		ret = -EMSGSIZE;
		goto unstage;
	}
	node = leat_zset_node_alloc(&store->env, score, member);
	if (node == NULL && store_reclaim(store))
		node = leat_zset_node_alloc(&store->env, score, member);
	if (node == NULL)
		goto unstage;
	if (store->staged_last == NULL)
		store->staged_first = node;
	else
		leat_zset_node_set_next(store->staged_last, node);
	store->staged_last = node;
	return 0;

unstage:
	leat_store_zset_unstage(store);
	return ret;
}

void
leat_store_zset_unstage(struct leat_store *store)
{
	struct leat_zset_node *node = store->staged_first;
	struct leat_zset_node *next;

	for (; node != NULL; node = next) {
		next = leat_zset_node_next(node);
		leat_zset_node_free(&store->env, node);
	}
	store->staged_first = NULL;
	store->staged_last = NULL;
}

/* Make the key of a sorted set, still empty; -ENOMEM: nothing changed. */
static struct leat_store_entry *
zset_add(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint)
{
	union store_value value = { .object = store_object_alloc(store, LEAT_STORE_ZSET) };
	struct leat_store_entry *entry;

	if (value.object == NULL)
		return NULL;
	entry = store_entry_add(store, key, hint, LEAT_STORE_ZSET, value);
	if (entry == NULL)
		store_object_release(store, value.object);
	return entry;
}

/* The sorted set to put into, made if need be. *entry stays NULL if there is to be none. */
static int
zset_get(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	uint32_t flags, struct leat_store_entry **entry, uint64_t now_us)
{
	if (key.len > LEAT_STORE_BYTES_MAX)
		return -EMSGSIZE;
	*entry = leat_store_find(store, key, hint, now_us);
	if (*entry != NULL)
		return (*entry)->type == LEAT_STORE_ZSET ? 0 : -EPROTOTYPE;
	if ((flags & LEAT_ZSET_XX) != 0 || store->staged_first == NULL)
		return 0; /* a sorted set is never empty */
	*entry = zset_add(store, key, hint);
	if (*entry == NULL && store_reclaim(store))
		*entry = zset_add(store, key, hint);
	return *entry == NULL ? -ENOMEM : 0;
}

int
leat_store_zset_commit(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, uint32_t flags, struct leat_store_zset_counts *counts,
	uint64_t now_us)
{
	struct leat_store_hint own = { 0 };
	struct leat_store_entry *entry = NULL;
	struct leat_zset_node *node;
	struct leat_zset_node *next;
	int ret;

	store_unpark(store);
	ret = zset_get(store, key, hint == NULL ? &own : hint, flags, &entry, now_us);
	if (ret < 0 || entry == NULL) {
		leat_store_zset_unstage(store);
		if (ret == 0)
			*counts = (struct leat_store_zset_counts){ 0 };
		return ret;
	}
	*counts = (struct leat_store_zset_counts){ 0 };
	for (node = store->staged_first; node != NULL; node = next) {
		enum leat_zset_outcome put;

		next = leat_zset_node_next(node);
		put = leat_zset_put(&entry->value.object->zset, &store->env, node, flags);
		counts->nb_added += put == LEAT_ZSET_ADDED;
		counts->nb_updated += put == LEAT_ZSET_UPDATED;
	}
	store->staged_first = NULL;
	store->staged_last = NULL;
	return 0;
}

bool
leat_store_zset_score(struct leat_store *store, const struct leat_store_entry *entry,
	struct leat_slice member, double *score)
{
	const struct leat_zset_node *node =
		leat_zset_find(leat_store_zset(entry), &store->env, member);

	if (node == NULL)
		return false;
	*score = leat_zset_node_score(node);
	return true;
}

uint32_t
leat_store_zset_remove(struct leat_store *store, struct leat_store_entry *entry,
	const struct leat_slice *members, uint32_t nb_members)
{
	struct leat_zset *zset;
	uint32_t nb_removed = 0;

	LEAT_VERIFY(entry->type == LEAT_STORE_ZSET);
	zset = &entry->value.object->zset;
	for (uint32_t i = 0; i < nb_members; i++)
		nb_removed += leat_zset_remove(zset, &store->env, members[i]);
	if (leat_zset_len(zset) == 0)
		store_entry_remove(store, entry);
	return nb_removed;
}
