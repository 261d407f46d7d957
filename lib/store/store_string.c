/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include "store_priv.h"

#define STRING_SLACK_MAX 64u /* bytes that a string may leave unused when it is overwritten */

/* A string to be set: the bytes of its pieces, one behind the other. */
struct string_parts {
	const struct leat_slice *pieces;
	uint32_t nb_pieces;
	size_t len;
};

static void
string_copy(uint8_t *to, const struct string_parts *from)
{
	for (uint32_t i = 0; i < from->nb_pieces; i++) {
		struct leat_slice piece = from->pieces[i];

		if (piece.len > 0) /* an empty slice may have no address */
			memcpy(to, piece.data, piece.len);
		to += piece.len;
	}
}

static bool
string_is_long(size_t len)
{
	return len >= LEAT_WRITER_REF_MIN;
}

static struct store_long_string *
string_long(const uint8_t *bytes)
{
	return (struct store_long_string *)(void *)(bytes -
						    offsetof(struct store_long_string, bytes));
}

uint8_t *
store_string_alloc(struct leat_store *store, size_t len)
{
	struct store_long_string *string;

	if (!string_is_long(len))
		return leat_heap_alloc(store->env.heap, len);
	string = leat_heap_alloc(store->env.heap, sizeof(*string) + len);
	if (string == NULL)
		return NULL;
	string->nb_refs = 1;
	return string->bytes;
}

/* One owner less of a long string. */
static void
string_unref(struct leat_store *store, struct store_long_string *string)
{
	LEAT_VERIFY(string->nb_refs > 0);
	if (--string->nb_refs == 0)
		leat_heap_free(store->env.heap, string);
}

void
store_string_release(struct leat_store *store, struct leat_slice string)
{
	if (string_is_long(string.len))
		string_unref(store, string_long(string.data));
	else
		leat_heap_free(store->env.heap, (void *)(uintptr_t)string.data);
}

void
store_keep(struct leat_keeper *keeper, const uint8_t *bytes)
{
	struct leat_store *store = LEAT_CONTAINER_OF(keeper, struct leat_store, keeper);
	struct store_long_string *string = string_long(bytes);

	LEAT_VERIFY(string->nb_refs > 0);
	LEAT_VERIFY(string->nb_refs < UINT32_MAX);
	string->nb_refs++;
	store->nb_lent++;
}

void
store_unkeep(struct leat_keeper *keeper, const uint8_t *bytes)
{
	struct leat_store *store = LEAT_CONTAINER_OF(keeper, struct leat_store, keeper);

	LEAT_VERIFY(store->nb_lent > 0);
	store->nb_lent--;
	string_unref(store, string_long(bytes));
}

struct leat_loan
leat_store_lend(struct leat_store *store, struct leat_slice string)
{
	LEAT_VERIFY(string_is_long(string.len));
	return (struct leat_loan){ string, &store->keeper };
}

/* Whether a string may be overwritten where it is, without wasting much. */
static bool
string_fits(const struct leat_store_entry *entry, size_t len)
{
	size_t room;

	if (entry == NULL || entry->type != LEAT_STORE_STRING)
		return false;
	if (string_is_long(len) != string_is_long(entry->string_len))
		return false;
	if (string_is_long(len)) {
		const struct store_long_string *string = string_long(entry->value.string);

		if (string->nb_refs > 1)
			return false;
		room = leat_heap_block_len(string) - sizeof(*string);
	} else {
		room = leat_heap_block_len(entry->value.string);
	}
	return len <= room && room - len <= STRING_SLACK_MAX;
}

/* Exchange the value of an entry for a string; the old one is lent out or freed. */
static void
string_exchange(struct leat_store *store, struct leat_store_entry *entry, uint8_t *string,
	struct leat_slice *old)
{
	if (old != NULL && entry->type == LEAT_STORE_STRING) {
		*old = leat_store_string(entry);
		store->parked = *old;
	} else {
		store_value_release(store, entry);
	}
	entry->type = LEAT_STORE_STRING;
	entry->value.string = string;
}

/* Set a string once; -ENOMEM: nothing changed. */
static int
string_set(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	const struct string_parts *value, uint64_t expires_us, struct leat_slice *old,
	uint64_t now_us)
{
	struct leat_store_entry *entry = leat_store_find(store, key, hint, now_us);
	bool has_time = expires_us < LEAT_STORE_KEEP_EXPIRY;
	bool is_in_place = old == NULL && string_fits(entry, value->len);
	struct store_expiry *expiry = entry == NULL ? NULL : entry->expiry;
	struct store_expiry *new_expiry = NULL;
	union store_value new_value = { .string = NULL };

	if (has_time && expiry == NULL) {
		new_expiry = expiry = store_expiry_alloc(store);
		if (expiry == NULL)
			return -ENOMEM;
	}
	if (!is_in_place) {
		new_value.string = store_string_alloc(store, value->len);
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
	entry->string_len = (uint32_t)value->len;
	if (has_time)
		store_expiry_attach(store, entry, expiry, expires_us);
	else if (expires_us == LEAT_STORE_NO_EXPIRY)
		store_expiry_detach(store, entry);
	return 0;

free_value:
	store_string_release(store, (struct leat_slice){ new_value.string, value->len });
free_expiry:
	store_expiry_free(store, new_expiry);
	return -ENOMEM;
}

static int
string_set_parts(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	const struct string_parts *value, uint64_t expires_us, struct leat_slice *old,
	uint64_t now_us)
{
	struct leat_store_hint own = { 0 };
	int ret;

	store_unpark(store);
	if (old != NULL)
		*old = (struct leat_slice){ NULL, 0 };
	if (key.len > LEAT_STORE_BYTES_MAX || value->len > LEAT_STORE_BYTES_MAX)
		return -EMSGSIZE;
	if (hint == NULL)
		hint = &own;
	ret = string_set(store, key, hint, value, expires_us, old, now_us);
	if (ret == -ENOMEM && store_reclaim(store))
		ret = string_set(store, key, hint, value, expires_us, old, now_us);
	return ret;
}

int
leat_store_set_string(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	struct leat_slice value, uint64_t expires_us, struct leat_slice *old, uint64_t now_us)
{
	const struct string_parts parts = { &value, 1, value.len };

	return string_set_parts(store, key, hint, &parts, expires_us, old, now_us);
}

int
leat_store_set_pieces(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	const struct leat_slice *pieces, uint32_t nb_pieces, uint64_t now_us)
{
	struct string_parts parts = { pieces, nb_pieces, 0 };

	for (uint32_t i = 0; i < nb_pieces; i++) {
		if (pieces[i].len > LEAT_STORE_BYTES_MAX - parts.len)
			return -EMSGSIZE;
		parts.len += pieces[i].len;
	}
	return string_set_parts(store, key, hint, &parts, LEAT_STORE_NO_EXPIRY, NULL, now_us);
}
