/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include "store_priv.h"

#define STRING_SLACK_MAX 64u /* bytes that a string may leave unused when it is overwritten */

static void
string_copy(uint8_t *to, struct leat_slice from)
{
	if (from.len > 0) /* an empty slice may have no address */
		memcpy(to, from.data, from.len);
}

/* Whether a string may be overwritten where it is, without wasting much. */
static bool
string_fits(const struct leat_store_entry *entry, size_t len)
{
	size_t room;

	if (entry == NULL || entry->type != LEAT_STORE_STRING)
		return false;
	room = leat_heap_block_len(entry->value.string);
	return len <= room && room - len <= STRING_SLACK_MAX;
}

/* Exchange the value of an entry for a string; the old one is lent out or freed. */
static void
string_exchange(struct leat_store *store, struct leat_store_entry *entry, uint8_t *string,
	struct leat_slice *old)
{
	union store_value was = entry->value;
	enum leat_store_type type = (enum leat_store_type)entry->type;

	if (old != NULL && type == LEAT_STORE_STRING) {
		*old = leat_store_string(entry);
		store->parked = was.string;
	} else {
		store_value_release(store, type, was);
	}
	entry->type = LEAT_STORE_STRING;
	entry->value.string = string;
}

/* Set a string once; -ENOMEM: nothing changed. */
static int
string_set(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	struct leat_slice value, uint64_t expires_us, struct leat_slice *old, uint64_t now_us)
{
	struct leat_store_entry *entry = leat_store_find(store, key, hint, now_us);
	bool has_time = expires_us < LEAT_STORE_KEEP_EXPIRY;
	bool is_in_place = old == NULL && string_fits(entry, value.len);
	struct store_expiry *expiry = entry == NULL ? NULL : entry->expiry;
	struct store_expiry *new_expiry = NULL;
	union store_value new_value = { .string = NULL };

	if (has_time && expiry == NULL) {
		new_expiry = expiry = store_expiry_alloc(store);
		if (expiry == NULL)
			return -ENOMEM;
	}
	if (!is_in_place) {
		new_value.string = leat_heap_alloc(store->env.heap, value.len);
		if (new_value.string == NULL)
			goto free_expiry;
	}
	if (entry == NULL) {
		entry = store_entry_add(store, key, hint, LEAT_STORE_STRING, new_value);
		if (entry == NULL)
			goto free_value;
	} else if (!is_in_place) {
		string_exchange(store, entry, new_value.string, old);
	}
	string_copy(entry->value.string, value);
	entry->string_len = (uint32_t)value.len;
	if (has_time)
		store_expiry_attach(store, entry, expiry, expires_us);
	else if (expires_us == LEAT_STORE_NO_EXPIRY)
		store_expiry_detach(store, entry);
	return 0;

free_value:
	leat_heap_free(store->env.heap, new_value.string);
free_expiry:
	store_expiry_free(store, new_expiry);
	return -ENOMEM;
}

int
leat_store_set_string(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	struct leat_slice value, uint64_t expires_us, struct leat_slice *old, uint64_t now_us)
{
	struct leat_store_hint own = { 0 };
	int ret;

	store_unpark(store);
	if (old != NULL)
		*old = (struct leat_slice){ NULL, 0 };
	if (key.len > LEAT_STORE_BYTES_MAX || value.len > LEAT_STORE_BYTES_MAX)
		return -EMSGSIZE;
	if (hint == NULL)
		hint = &own;
	ret = string_set(store, key, hint, value, expires_us, old, now_us);
	if (ret == -ENOMEM && store_reclaim(store))
		ret = string_set(store, key, hint, value, expires_us, old, now_us);
	return ret;
}
