/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_DICT_H
#define LEAT_DICT_H

/**
 * @file
 * A hash table from bytes to bytes, in a leat_heap, under SipHash.
 *
 * It grows and shrinks by a bounded number of buckets with each change, so that no
 * single operation takes long, however many fields there are: a field whose bucket
 * has moved is in the large table, the others are in the small one.
 *
 * Bytes given to a function are copied. Slices returned point into the table and
 * are valid until that field is changed or removed. Bytes given to a function must
 * not point into the same table.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_heap.h>
#include <leat_siphash.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_DICT_BYTES_MAX   (512u << 20) /**< bytes of a field, and of a value */
#define LEAT_DICT_BUCKETS_MIN 4u           /**< buckets of the smallest table; a power of two */
#define LEAT_DICT_BUCKETS_MAX (1u << 31)
#define LEAT_DICT_SPLITS      4u  /**< buckets split with each change while the table grows */
#define LEAT_DICT_JOINS       16u /**< buckets joined with each change while the table shrinks */

/** What all tables of one owner share. The owner keeps it; the tables only borrow it. */
struct leat_dict_env {
	struct leat_heap *heap;
	struct leat_siphash_key key; /**< secret */
	uint64_t random;             /**< state of the generator of zset levels; any seed */
};

struct leat_dict_node; /**< one field and its value; does not move while its value is not set */

struct leat_dict {
	struct leat_dict_node **small; /**< nb_small buckets; those from nb_moved on are in use */
	struct leat_dict_node **large; /**< 2 * nb_small buckets, or NULL: the size is at rest */
	uint32_t nb_small;             /**< a power of two */
	uint32_t nb_moved; /**< of the small table's buckets, how many are in the large */
	uint64_t nb_fields;
	bool is_growing; /**< buckets move to the large table, else back to the small one */
};

/** @return 0 and an empty table, or -ENOMEM. */
int leat_dict_init(struct leat_dict *dict, struct leat_dict_env *env);

/**
 * Free all or a part of a table. Call it again until it says that all is gone; the
 * table may not be used for anything else once this has begun.
 *
 * @param budget
 *   How many fields and buckets may still be visited; lowered by those that were.
 * @return
 *   true: everything is freed. false: the budget was used up.
 */
bool leat_dict_fini(struct leat_dict *dict, struct leat_dict_env *env, uint32_t *budget);

/**
 * Make a node that is not in any table, for leat_dict_put(), which cannot fail.
 *
 * @return
 *   The node, which belongs to the caller; NULL: no room, or a slice over
 *   LEAT_DICT_BYTES_MAX.
 */
struct leat_dict_node *leat_dict_node_alloc(
	struct leat_dict_env *env, struct leat_slice field, struct leat_slice value);

/** Free a node that is not in a table. */
void leat_dict_node_free(struct leat_dict_env *env, struct leat_dict_node *node);

struct leat_slice leat_dict_node_field(const struct leat_dict_node *node);
struct leat_slice leat_dict_node_value(const struct leat_dict_node *node);

/** Chain nodes that are not in a table: a node's link is free for its owner until then. */
struct leat_dict_node *leat_dict_node_next(const struct leat_dict_node *node);
void leat_dict_node_set_next(struct leat_dict_node *node, struct leat_dict_node *next);

/**
 * Overwrite the value of a node with one of the same length; it does not move.
 *
 * @param value
 *   Exactly as many bytes as the value has.
 */
void leat_dict_node_overwrite(struct leat_dict_node *node, struct leat_slice value);

/**
 * Put a node into the table, which owns it from here on. A node of the same field
 * that was there is freed.
 *
 * @return
 *   true: the field is new. false: it took the place of another.
 */
bool leat_dict_put(struct leat_dict *dict, struct leat_dict_env *env, struct leat_dict_node *node);

/**
 * Set the value of a field.
 *
 * @return
 *   - 1: the field is new. 0: it was there and has the new value.
 *   - -ENOMEM, or -EMSGSIZE (over LEAT_DICT_BYTES_MAX): nothing changed.
 */
int leat_dict_set(struct leat_dict *dict, struct leat_dict_env *env, struct leat_slice field,
	struct leat_slice value);

/** @return the node of a field, or NULL. It stays the table's. */
struct leat_dict_node *leat_dict_find(
	const struct leat_dict *dict, const struct leat_dict_env *env, struct leat_slice field);

/** @return true: removed. false: was not there. */
bool leat_dict_remove(struct leat_dict *dict, struct leat_dict_env *env, struct leat_slice field);

/** @return fields in the table. */
static inline uint64_t
leat_dict_len(const struct leat_dict *dict)
{
	return dict->nb_fields;
}

/** A position in a table; void after any change of the table. */
struct leat_dict_iter {
	struct leat_dict_node *node; /**< the next one, or NULL */
	uint64_t bucket;             /**< the next bucket, see dict.c */
};

/** Begin to walk a table, in no particular order. */
void leat_dict_iter_init(struct leat_dict_iter *iter, const struct leat_dict *dict);

/** @return the next node, each exactly once, or NULL at the end. */
struct leat_dict_node *leat_dict_iter_next(
	struct leat_dict_iter *iter, const struct leat_dict *dict);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_DICT_H */
