/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_STORE_H
#define LEAT_STORE_H

/**
 * @file
 * One shard of the key space: keys to strings, hashes and sorted sets, with expiry.
 *
 * All memory is one region taken at open; full is -ENOMEM. A shard belongs to one
 * lcore. The index is rte_hash under a secret key with extendable buckets.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_store;
struct leat_store_entry;

enum leat_store_type {
	LEAT_STORE_STRING,
	LEAT_STORE_HASH,
	LEAT_STORE_ZSET,
	LEAT_STORE_TYPES,
};

struct leat_store_conf {
	const char *name;     /**< unique in the process, for the index' name; at most 20 bytes */
	int socket_id;        /**< NUMA node of the memory */
	uint32_t nb_keys_max; /**< keys at one time, at least 8 */
	size_t mem_len;       /**< bytes for keys and values, at least 1 MiB */
	uint64_t seed[2];     /**< secret randomness for the hashes */
	uint64_t now_us;      /**< time of opening */
};

/**
 * What the worker's bulk lookup found for a key; a hint, checked on use. All zero
 * is a valid hint that says nothing.
 */
struct leat_store_hint {
	struct leat_store_entry *entry; /**< NULL: was not there */
	uint32_t hash;                  /**< of the key; valid if is_hashed */
	bool is_hashed;
	bool is_looked_up;
	uint32_t nb_added;   /**< the store's count of added keys when looked up */
	uint32_t nb_removed; /**< the store's count of removed keys when looked up */
};

/** @return 0; -EINVAL, -ENOMEM with the sentence in @p error. */
int leat_store_open(
	const struct leat_store_conf *conf, struct leat_store **out, struct leat_error *error);
void leat_store_close(struct leat_store *store);

/** Hash a key for a later lookup and prefetch its bucket. */
void leat_store_hash(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint);

#define LEAT_STORE_BULK_MAX 64 /**< keys in one bulk lookup */

/**
 * Look up many keys at once and fill their hints, hashed before.
 *
 * @param nb
 *   1 to LEAT_STORE_BULK_MAX.
 */
void leat_store_look_up(struct leat_store *store, const struct leat_slice *keys,
	struct leat_store_hint *const *hints, uint32_t nb);

/*
 * The rest of the interface (find, strings, hashes, sorted sets, expiry) is
 * defined by its author; see doc of each function.
 */

#ifdef __cplusplus
}
#endif

#endif /* LEAT_STORE_H */
