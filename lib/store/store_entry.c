/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include "store_priv.h"

enum leat_store_type
leat_store_entry_type(const struct leat_store_entry *entry)
{
	return (enum leat_store_type)entry->type;
}

struct leat_slice
leat_store_entry_key(const struct leat_store_entry *entry)
{
	return (struct leat_slice){ entry->key, entry->key_len };
}

uint64_t
leat_store_entry_expires_us(const struct leat_store_entry *entry)
{
	return entry->expiry == NULL ? LEAT_STORE_NO_EXPIRY : entry->expiry->at_us;
}

struct leat_slice
leat_store_string(const struct leat_store_entry *entry)
{
	LEAT_VERIFY(entry->type == LEAT_STORE_STRING);
	return (struct leat_slice){ entry->value.string, entry->string_len };
}

const struct leat_dict *
leat_store_dict(const struct leat_store_entry *entry)
{
	LEAT_VERIFY(entry->type == LEAT_STORE_HASH);
	return &entry->value.object->dict;
}

const struct leat_zset *
leat_store_zset(const struct leat_store_entry *entry)
{
	LEAT_VERIFY(entry->type == LEAT_STORE_ZSET);
	return &entry->value.object->zset;
}

uint32_t
leat_store_nb_keys(const struct leat_store *store)
{
	return store->nb_keys;
}

uint32_t
leat_store_nb_expiring(const struct leat_store *store)
{
	return store->nb_expiring;
}

uint32_t
leat_store_nb_lent(const struct leat_store *store)
{
	return store->nb_lent;
}

size_t
leat_store_mem_used(const struct leat_store *store)
{
	return leat_heap_used(store->env.heap);
}

size_t
leat_store_mem_len(const struct leat_store *store)
{
	return leat_heap_len(store->env.heap);
}

struct store_expiry *
store_expiry_alloc(struct leat_store *store)
{
	struct store_expiry *expiry = leat_heap_alloc(store->env.heap, sizeof(*expiry));

	if (expiry != NULL)
		memset(expiry, 0, sizeof(*expiry));
	return expiry;
}

void
store_expiry_free(struct leat_store *store, struct store_expiry *expiry)
{
	if (expiry == NULL)
		return;
	leat_timer_cancel(&store->wheel, &expiry->timer);
	leat_heap_free(store->env.heap, expiry);
}

void
store_expiry_attach(struct leat_store *store, struct leat_store_entry *entry,
	struct store_expiry *expiry, uint64_t at_us)
{
	LEAT_VERIFY(entry->expiry == NULL || entry->expiry == expiry);
	store->nb_expiring += entry->expiry == NULL;
	entry->expiry = expiry;
	expiry->entry = entry;
	expiry->at_us = at_us;
	leat_timer_set(&store->wheel, &expiry->timer, at_us);
}

void
store_expiry_detach(struct leat_store *store, struct leat_store_entry *entry)
{
	if (entry->expiry == NULL)
		return;
	LEAT_VERIFY(store->nb_expiring > 0);
	store_expiry_free(store, entry->expiry);
	entry->expiry = NULL;
	store->nb_expiring--;
}

int
leat_store_expire(struct leat_store *store, struct leat_store_entry *entry, uint64_t expires_us)
{
	struct store_expiry *expiry = entry->expiry;

	if (expires_us == LEAT_STORE_KEEP_EXPIRY)
		return 0;
	if (expires_us == LEAT_STORE_NO_EXPIRY) {
		store_expiry_detach(store, entry);
		return 0;
	}
	if (expiry == NULL)
		expiry = store_expiry_alloc(store);
	if (expiry == NULL && store_reclaim(store))
		expiry = store_expiry_alloc(store);
	if (expiry == NULL)
		return -ENOMEM;
	store_expiry_attach(store, entry, expiry, expires_us);
	return 0;
}
