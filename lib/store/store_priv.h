/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef STORE_PRIV_H
#define STORE_PRIV_H

/*
 * Of the region's memory each piece has one owner:
 *
 * - an entry in the live list owns its value and its expiry, and is in the index;
 * - leat_store_flush_all() turns all of them into dropped entries: they own the same,
 *   may still be in the index, and are known by their epoch;
 * - an object (hash or sorted set) without entry is garbage, freed piece by piece;
 * - the parked string is the old value that leat_store_set_string() lent out;
 * - staged members wait for leat_store_zset_commit().
 *
 * A long string may have more owners than one: those who refer to it while they send it. So
 * it counts them, and its bytes never change while there are others.
 */

#include <sys/queue.h>

#include <rte_hash.h>

#include <leat_heap.h>
#include <leat_timer.h>

#include "leat_store.h"

#define STORE_RECLAIM_MAX 1024u /* pieces freed by an operation that found the region full */
#define STORE_RELEASE_MAX 32u   /* pieces freed at once when an object goes */

/* When an entry expires. Apart from the entry: most keys have none. */
struct store_expiry {
	struct leat_timer timer;
	uint64_t at_us;
	struct leat_store_entry *entry;
};

struct store_object {
	struct store_object *next; /* in the list of garbage */
	enum leat_store_type type; /* LEAT_STORE_HASH or LEAT_STORE_ZSET */
	union {
		struct leat_dict dict;
		struct leat_zset zset;
	};
};

/* A string of at least LEAT_WRITER_REF_MIN bytes. */
struct store_long_string {
	uint32_t nb_refs; /* the entry, or the one it is parked for, and those who send it */
	uint8_t bytes[];
};

union store_value {
	uint8_t *string; /* of string_len bytes, of a store_long_string if long; never NULL */
	struct store_object *object;
};

struct leat_store_entry {
	TAILQ_ENTRY(leat_store_entry) link; /* in the live or the dropped list */
	union store_value value;
	struct store_expiry *expiry; /* or NULL */
	uint32_t string_len;
	uint32_t hash;
	uint32_t key_len;
	uint32_t epoch; /* of the store when the key was added; another one: dropped */
	uint8_t type;   /* enum leat_store_type */
	bool is_indexed;
	uint8_t key[];
};

TAILQ_HEAD(store_entries, leat_store_entry);

struct leat_store {
	struct rte_hash *index;
	struct leat_siphash_key key; /* of the index */
	uint32_t epoch;
	uint32_t nb_keys;
	uint32_t nb_expiring;
	uint32_t nb_added;   /* ever, modulo 2^32: for hints */
	uint32_t nb_removed; /* ever, modulo 2^32: for hints */
	uint32_t nb_dropped;
	struct leat_dict_env env;
	struct store_entries live;
	struct store_entries dropped;
	struct store_object *garbage;
	struct leat_slice parked;  /* its data may be NULL */
	struct leat_keeper keeper; /* of long strings */
	uint32_t nb_lent;          /* references to them that are not the store's own */
	struct leat_zset_node *staged_first;
	struct leat_zset_node *staged_last;
	void *region;
	struct leat_timer_wheel wheel;
};

/* The live entry of a key, expired or not, or NULL; refreshes the hint. */
struct leat_store_entry *store_index_find(
	struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint);

/*
 * Add a key that is not there; the value then belongs to the entry. NULL: the region or
 * the index is full. Refreshes the hint.
 */
struct leat_store_entry *store_entry_add(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, enum leat_store_type type, union store_value value);

/* Remove a live entry and all that it owns; an object goes to the garbage. */
void store_entry_remove(struct leat_store *store, struct leat_store_entry *entry);

/* The entry gives up its value. */
void store_value_release(struct leat_store *store, const struct leat_store_entry *entry);

/* Free an object that no entry owns any more. */
void store_object_release(struct leat_store *store, struct store_object *object);

/* Memory for a string, owned once; NULL: the region is full. */
uint8_t *store_string_alloc(struct leat_store *store, size_t len);
/* One owner less. */
void store_string_release(struct leat_store *store, struct leat_slice string);
/* The keeper's two. */
void store_keep(struct leat_keeper *keeper, const uint8_t *bytes);
void store_unkeep(struct leat_keeper *keeper, const uint8_t *bytes);

/* An empty hash or sorted set, or NULL. */
struct store_object *store_object_alloc(struct leat_store *store, enum leat_store_type type);

/* An expiry of no entry, or NULL. */
struct store_expiry *store_expiry_alloc(struct leat_store *store);
void store_expiry_free(struct leat_store *store, struct store_expiry *expiry);

/* Give an entry that has none an expiry, or another time to the one that it has. */
void store_expiry_attach(struct leat_store *store, struct leat_store_entry *entry,
	struct store_expiry *expiry, uint64_t at_us);
void store_expiry_detach(struct leat_store *store, struct leat_store_entry *entry);

/* Free garbage and dropped entries; how many pieces that were. */
uint32_t store_garbage_free(struct leat_store *store, uint32_t nb_max);

/* The region is full: free what is garbage. false: there is none, do not try again. */
static inline bool
store_reclaim(struct leat_store *store)
{
	return store_garbage_free(store, STORE_RECLAIM_MAX) > 0;
}

/* What the last leat_store_set_string() lent out ends here. */
static inline void
store_unpark(struct leat_store *store)
{
	if (store->parked.data != NULL)
		store_string_release(store, store->parked);
	store->parked.data = NULL;
}

#endif /* STORE_PRIV_H */
