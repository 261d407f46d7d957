/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include "store_priv.h"

static void
fields_free(struct leat_store *store, struct leat_dict_node *node)
{
	struct leat_dict_node *next;

	for (; node != NULL; node = next) {
		next = leat_dict_node_next(node);
		leat_dict_node_free(&store->env, node);
	}
}

/* Make all fields before any is put into the hash: putting cannot fail. NULL: no room. */
static struct leat_dict_node *
fields_alloc(struct leat_store *store, const struct leat_slice *pairs, uint32_t nb_pairs)
{
	struct leat_dict_node *first = NULL;
	struct leat_dict_node *last = NULL;

	for (uint32_t i = 0; i < nb_pairs; i++) {
		struct leat_dict_node *node = leat_dict_node_alloc(
			&store->env, pairs[2 * (size_t)i], pairs[2 * (size_t)i + 1]);

		if (node == NULL) {
			fields_free(store, first);
			return NULL;
		}
		if (last == NULL)
			first = node;
		else
			leat_dict_node_set_next(last, node);
		last = node;
	}
	return first;
}

static int64_t
fields_put(struct leat_store *store, struct leat_dict *dict, struct leat_dict_node *node)
{
	struct leat_dict_node *next;
	int64_t nb_new = 0;

	for (; node != NULL; node = next) {
		next = leat_dict_node_next(node);
		nb_new += leat_dict_put(dict, &store->env, node);
	}
	return nb_new;
}

/* Set fields once; -ENOMEM: nothing changed. */
static int64_t
hash_set(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	const struct leat_slice *pairs, uint32_t nb_pairs, uint64_t now_us)
{
	struct leat_store_entry *entry = leat_store_find(store, key, hint, now_us);
	struct leat_dict_node *fields;
	union store_value value = { .object = NULL };

	if (entry != NULL && entry->type != LEAT_STORE_HASH)
		return -EPROTOTYPE;
	if (entry != NULL && nb_pairs == 1) /* may change the value in place */
		return leat_dict_set(&entry->value.object->dict, &store->env, pairs[0], pairs[1]);
	fields = fields_alloc(store, pairs, nb_pairs);
	if (fields == NULL)
		return -ENOMEM;
	if (entry == NULL) {
		value.object = store_object_alloc(store, LEAT_STORE_HASH);
		if (value.object == NULL)
			goto free_fields;
		entry = store_entry_add(store, key, hint, LEAT_STORE_HASH, value);
		if (entry == NULL)
			goto free_object;
	}
	return fields_put(store, &entry->value.object->dict, fields);

free_object:
	store_object_release(store, value.object);
free_fields:
	fields_free(store, fields);
	return -ENOMEM;
}

int64_t
leat_store_hash_set(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	const struct leat_slice *pairs, uint32_t nb_pairs, uint64_t now_us)
{
	struct leat_store_hint own = { 0 };
	int64_t ret;

	LEAT_VERIFY(nb_pairs > 0);
	store_unpark(store);
	if (key.len > LEAT_STORE_BYTES_MAX)
		return -EMSGSIZE;
	for (uint32_t i = 0; i < 2 * nb_pairs; i++) {
		if (pairs[i].len > LEAT_STORE_BYTES_MAX)
			return -EMSGSIZE;
	}
	if (hint == NULL)
		hint = &own;
	ret = hash_set(store, key, hint, pairs, nb_pairs, now_us);
	if (ret == -ENOMEM && store_reclaim(store))
		ret = hash_set(store, key, hint, pairs, nb_pairs, now_us);
	return ret;
}

bool
leat_store_hash_get(struct leat_store *store, const struct leat_store_entry *entry,
	struct leat_slice field, struct leat_slice *value)
{
	const struct leat_dict_node *node =
		leat_dict_find(leat_store_dict(entry), &store->env, field);

	if (node == NULL)
		return false;
	*value = leat_dict_node_value(node);
	return true;
}

uint32_t
leat_store_hash_remove(struct leat_store *store, struct leat_store_entry *entry,
	const struct leat_slice *fields, uint32_t nb_fields)
{
	struct leat_dict *dict;
	uint32_t nb_removed = 0;

	LEAT_VERIFY(entry->type == LEAT_STORE_HASH);
	dict = &entry->value.object->dict;
	for (uint32_t i = 0; i < nb_fields; i++)
		nb_removed += leat_dict_remove(dict, &store->env, fields[i]);
	if (leat_dict_len(dict) == 0)
		store_entry_remove(store, entry);
	return nb_removed;
}
