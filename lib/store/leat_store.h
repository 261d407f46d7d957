/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_STORE_H
#define LEAT_STORE_H

/**
 * @file
 * One shard of the key space: keys to strings, hashes and sorted sets, with expiry.
 *
 * - A shard belongs to one lcore. All memory is taken at open: one region for keys
 *   and values, and the index.
 * - Every operation is all or nothing. Full (region or index) is -ENOMEM, and then
 *   nothing changed.
 * - No operation visits more than what it was asked for. What a removed hash or
 *   sorted set held, and all that leat_store_flush_all() dropped, is freed in
 *   bounded steps by leat_store_run(); until then it counts as used memory. An
 *   operation that finds the region full first frees such memory, a bounded amount,
 *   and tries again once.
 * - Time is monotonic microseconds. A key whose time has come is not there, to the
 *   microsecond, whether or not leat_store_run() has freed it.
 * - The index is rte_hash with extendable buckets. Signatures are SipHash under a
 *   secret key, and an equal signature is never taken for an equal key: the bytes
 *   are compared.
 *
 * Slices given to a function are copied and must not point into the store. An entry
 * is valid until its key is removed: by leat_store_remove(), by the removal of its
 * last field or member, by leat_store_flush_all(), by leat_store_run(), or by any
 * function that takes @p now_us once the entry has expired. A slice into an entry is
 * valid until that value is changed or removed.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_dict.h>
#include <leat_error.h>
#include <leat_zset.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_store;
struct leat_store_entry; /**< one key and its value */

enum leat_store_type {
	LEAT_STORE_STRING,
	LEAT_STORE_HASH,
	LEAT_STORE_ZSET,
	LEAT_STORE_TYPES,
};

#define LEAT_STORE_NAME_MAX    20u          /**< bytes of conf.name */
#define LEAT_STORE_KEYS_MIN    8u           /**< smallest conf.nb_keys_max */
#define LEAT_STORE_KEYS_MAX    (1u << 30)   /**< largest conf.nb_keys_max */
#define LEAT_STORE_MEM_LEN_MIN (1u << 20)   /**< bytes; smallest conf.mem_len */
#define LEAT_STORE_BYTES_MAX   (512u << 20) /**< bytes of a key, value, field or member */
#define LEAT_STORE_BULK_MAX    64u          /**< keys in one bulk lookup */
#define LEAT_STORE_EXPIRE_MAX  64u          /**< keys expired by one leat_store_run() */
#define LEAT_STORE_FREE_MAX    256u         /**< pieces freed by one leat_store_run() */

#define LEAT_STORE_NO_EXPIRY   UINT64_MAX       /**< in place of a time: never */
#define LEAT_STORE_KEEP_EXPIRY (UINT64_MAX - 1) /**< in place of a time: as it was */

struct leat_store_conf {
	const char *name;     /**< unique in the process, for the index' name; 1 to 20 bytes */
	int socket_id;        /**< NUMA node of the memory */
	uint32_t nb_keys_max; /**< keys at one time, LEAT_STORE_KEYS_MIN to _MAX */
	size_t mem_len;       /**< bytes for keys and values, at least LEAT_STORE_MEM_LEN_MIN */
	uint64_t seed[2];     /**< secret randomness for the hashes and the sorted sets */
	uint64_t now_us;      /**< time of opening */
};

/**
 * What the worker's bulk lookup found for a key; a hint, checked on use. All zero
 * is a valid hint that says nothing.
 *
 * Any function that takes one also takes NULL. It may use and refresh the hint,
 * which must be of the same key each time. A hit holds while no key was removed, a
 * miss while none was added; else the index is asked again.
 */
struct leat_store_hint {
	struct leat_store_entry *entry; /**< NULL: was not there */
	uint32_t hash;                  /**< of the key; valid if is_hashed */
	bool is_hashed;
	bool is_looked_up;
	uint32_t nb_added;   /**< the store's count of added keys when looked up */
	uint32_t nb_removed; /**< the store's count of removed keys when looked up */
};

/**
 * Open a shard.
 *
 * @param conf
 *   Not kept.
 * @param out
 *   Receives the shard on success; the caller closes it.
 * @param error
 *   Receives the sentence for a person on failure; may be NULL.
 * @return
 *   0; -EINVAL: a value of @p conf out of its limits; -EEXIST: the name is in use;
 *   -ENOMEM: no memory for the region or the index.
 */
int leat_store_open(
	const struct leat_store_conf *conf, struct leat_store **out, struct leat_error *error);

/** Close a shard and free all it holds. @p store may be NULL. */
void leat_store_close(struct leat_store *store);

/** Hash a key for a later lookup: sets hash and is_hashed, and forgets what was found. */
void leat_store_hash(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint);

/**
 * Look up many keys at once and fill their hints. Only the index is read: a key that
 * has expired but was not removed yet is found, and turned away when the hint is used.
 *
 * @param keys
 *   @p nb keys.
 * @param hints
 *   @p nb hints, keys[i] having been hashed into hints[i].
 * @param nb
 *   1 to LEAT_STORE_BULK_MAX.
 */
void leat_store_look_up(struct leat_store *store, const struct leat_slice *keys,
	struct leat_store_hint *const *hints, uint32_t nb);

/**
 * Find a key. If its time has come, it is removed here.
 *
 * @return
 *   Its entry, or NULL: not there.
 */
struct leat_store_entry *leat_store_find(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, uint64_t now_us);

/** @return the type of the value. */
enum leat_store_type leat_store_entry_type(const struct leat_store_entry *entry);

/** @return the key's bytes; they stay the store's, valid as long as the entry. */
struct leat_slice leat_store_entry_key(const struct leat_store_entry *entry);

/** @return when the key expires, in microseconds, or LEAT_STORE_NO_EXPIRY. */
uint64_t leat_store_entry_expires_us(const struct leat_store_entry *entry);

/** @return the value of a LEAT_STORE_STRING; it stays the store's. */
struct leat_slice leat_store_string(const struct leat_store_entry *entry);

/**
 * Lend a string, so that a reply may refer to it instead of copying it. Who keeps it has its
 * bytes, as they are now, until he releases them, though the key is set, removed or expires
 * meanwhile; until then they count as used memory. All references have to be released before
 * leat_store_close().
 *
 * @param string
 *   Whole, of leat_store_string() or the old one of leat_store_set_string(), and valid; at
 *   least LEAT_WRITER_REF_MIN bytes.
 */
struct leat_loan leat_store_lend(struct leat_store *store, struct leat_slice string);

/** @return references of leat_store_lend() that were not released yet. */
uint32_t leat_store_nb_lent(const struct leat_store *store);

/** @return the fields of a LEAT_STORE_HASH, to count and to walk; never empty. */
const struct leat_dict *leat_store_dict(const struct leat_store_entry *entry);

/** @return the members of a LEAT_STORE_ZSET, to count and to walk; never empty. */
const struct leat_zset *leat_store_zset(const struct leat_store_entry *entry);

/**
 * Remove a key.
 *
 * @return
 *   true: removed. false: was not there, or had expired.
 */
bool leat_store_remove(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, uint64_t now_us);

/**
 * Say when a key that is there expires. A time that has passed is taken too: the
 * key is then gone for the next function that looks.
 *
 * @param expires_us
 *   Microseconds, or LEAT_STORE_NO_EXPIRY: never (PERSIST); this cannot fail.
 * @return
 *   0; -ENOMEM: nothing changed.
 */
int leat_store_expire(
	struct leat_store *store, struct leat_store_entry *entry, uint64_t expires_us);

/**
 * Set a key to a string, whatever it was before.
 *
 * @param expires_us
 *   Microseconds; LEAT_STORE_NO_EXPIRY: never, whatever it was before;
 *   LEAT_STORE_KEEP_EXPIRY: as it was, never for a new key.
 * @param old
 *   NULL, or receives the string that the key had before, for SET with GET: valid
 *   until the next call of any function that takes a struct leat_store * and is not
 *   leat_store_hash() or leat_store_look_up(). Its data is NULL if there was none, or
 *   if it was no string.
 * @return
 *   - 0.
 *   - -ENOMEM, or -EMSGSIZE (over LEAT_STORE_BYTES_MAX): nothing changed.
 */
int leat_store_set_string(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, struct leat_slice value, uint64_t expires_us,
	struct leat_slice *old, uint64_t now_us);

/**
 * Set a key to a string that comes in pieces, whatever it was before, without expiry.
 *
 * @param pieces
 *   @p nb_pieces, which may be 0: an empty string.
 * @return
 *   As leat_store_set_string().
 */
int leat_store_set_pieces(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, const struct leat_slice *pieces, uint32_t nb_pieces,
	uint64_t now_us);

/**
 * Set fields of a hash; makes the key if it is not there.
 *
 * @param pairs
 *   @p nb_pairs times field, value: the arguments of HSET as they came. Of a field
 *   that comes more than once the last one stays.
 * @param nb_pairs
 *   At least 1.
 * @return
 *   - >= 0: how many of the fields are new.
 *   - -EPROTOTYPE: the key is there and is no hash (WRONGTYPE); nothing changed.
 *   - -ENOMEM, or -EMSGSIZE (over LEAT_STORE_BYTES_MAX): nothing changed.
 */
int64_t leat_store_hash_set(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, const struct leat_slice *pairs, uint32_t nb_pairs,
	uint64_t now_us);

/**
 * Read a field of a LEAT_STORE_HASH.
 *
 * @param value
 *   Receives the value, which stays the store's.
 * @return
 *   true: there, and @p value is set.
 */
bool leat_store_hash_get(struct leat_store *store, const struct leat_store_entry *entry,
	struct leat_slice field, struct leat_slice *value);

/**
 * Remove fields of a LEAT_STORE_HASH. The key goes with its last field, and then
 * @p entry is dead.
 *
 * @return
 *   How many were there and are removed.
 */
uint32_t leat_store_hash_remove(struct leat_store *store, struct leat_store_entry *entry,
	const struct leat_slice *fields, uint32_t nb_fields);

/**
 * Lay one member beside the store for the next leat_store_zset_commit(): so that
 * ZADD with many pairs is all or nothing. Stage all, then commit, or unstage.
 *
 * @return
 *   - 0.
 *   - -EINVAL (@p score is NaN), -ENOMEM, -EMSGSIZE (over LEAT_STORE_BYTES_MAX): all
 *     that was staged before is dropped.
 */
int leat_store_zset_stage(struct leat_store *store, double score, struct leat_slice member);

/** Drop what was staged. */
void leat_store_zset_unstage(struct leat_store *store);

struct leat_store_zset_counts {
	uint32_t nb_added;   /**< members that are new */
	uint32_t nb_updated; /**< members whose score changed */
};

/**
 * Put all that was staged into a sorted set, in the order of staging; makes the key if
 * it is not there, unless @p flags has LEAT_ZSET_XX. Nothing is staged afterwards,
 * whatever the return.
 *
 * @param flags
 *   LEAT_ZSET_NX, _XX, _GT, _LT or 0.
 * @param counts
 *   Set on success.
 * @return
 *   - 0.
 *   - -EPROTOTYPE: the key is there and is no sorted set (WRONGTYPE); nothing changed.
 *   - -ENOMEM, or -EMSGSIZE (key over LEAT_STORE_BYTES_MAX): nothing changed.
 */
int leat_store_zset_commit(struct leat_store *store, struct leat_slice key,
	struct leat_store_hint *hint, uint32_t flags, struct leat_store_zset_counts *counts,
	uint64_t now_us);

/**
 * Read the score of a member of a LEAT_STORE_ZSET.
 *
 * @return
 *   true: there, and @p score is set.
 */
bool leat_store_zset_score(struct leat_store *store, const struct leat_store_entry *entry,
	struct leat_slice member, double *score);

/**
 * Remove members of a LEAT_STORE_ZSET. The key goes with its last member, and then
 * @p entry is dead.
 *
 * @return
 *   How many were there and are removed.
 */
uint32_t leat_store_zset_remove(struct leat_store *store, struct leat_store_entry *entry,
	const struct leat_slice *members, uint32_t nb_members);

/** Remove every key, in constant time; the memory comes back in leat_store_run(). */
void leat_store_flush_all(struct leat_store *store);

/** @return keys, those included that have expired and were not removed yet. */
uint32_t leat_store_nb_keys(const struct leat_store *store);

/** @return keys that have an expiry. */
uint32_t leat_store_nb_expiring(const struct leat_store *store);

/** @return bytes of the region in use, dropped and not yet freed memory included. */
size_t leat_store_mem_used(const struct leat_store *store);

/** @return bytes of the region that can be in use. */
size_t leat_store_mem_len(const struct leat_store *store);

/**
 * A turn's housekeeping: remove at most LEAT_STORE_EXPIRE_MAX keys whose time has
 * come, and free at most LEAT_STORE_FREE_MAX pieces of what was removed.
 *
 * @return
 *   How many keys and pieces that were; 0: there was nothing to do.
 */
uint32_t leat_store_run(struct leat_store *store, uint64_t now_us);

/**
 * @return
 *   When leat_store_run() has something to do: 0 if at once, LEAT_STORE_NO_EXPIRY if
 *   never; may be somewhat early.
 */
uint64_t leat_store_next_us(const struct leat_store *store);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_STORE_H */
