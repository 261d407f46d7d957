/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZSET_H
#define LEAT_ZSET_H

/**
 * @file
 * A sorted set: members (bytes), each with a score, in the order of (score, member).
 *
 * A skip list with counted links keeps the order, so that a rank is found in
 * logarithmic time both ways; a leat_dict finds a member. Members of equal score
 * are in the order of their bytes. A score may be infinite, never NaN. Minus zero
 * and zero are equal.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_dict.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ZSET_LEVELS_MAX 16u /**< of the skip list; one in four goes up a level */

struct leat_zset_node; /**< one member; does not move until it is removed */

/** A link over @p span members; a link to the end counts them too. */
struct leat_zset_link {
	struct leat_zset_node *next;
	uint64_t span;
};

struct leat_zset {
	struct leat_dict dict;       /**< member to leat_zset_node */
	struct leat_zset_link *head; /**< nb_levels_max links */
	uint32_t nb_levels;          /**< in use, at least 1 */
	uint32_t nb_levels_max;      /**< room at head */
};

/** How leat_zset_put() decides; as the words of ZADD. */
#define LEAT_ZSET_NX 0x1u /**< never change a score, only add */
#define LEAT_ZSET_XX 0x2u /**< never add, only change a score */
#define LEAT_ZSET_GT 0x4u /**< change a score only to a greater one */
#define LEAT_ZSET_LT 0x8u /**< change a score only to a smaller one */

enum leat_zset_outcome {
	LEAT_ZSET_UNCHANGED, /**< it had this score, or the flags forbade it */
	LEAT_ZSET_ADDED,
	LEAT_ZSET_UPDATED,
	LEAT_ZSET_OUTCOMES,
};

/** @return 0 and an empty set, or -ENOMEM. */
int leat_zset_init(struct leat_zset *zset, struct leat_dict_env *env);

/** Free all or a part, as leat_dict_fini(). */
bool leat_zset_fini(struct leat_zset *zset, struct leat_dict_env *env, uint32_t *budget);

/**
 * Make a member that is not in any set, for leat_zset_put(), which cannot fail.
 *
 * @param score
 *   Not NaN.
 * @return
 *   The node, which belongs to the caller; NULL: no room, or a member over
 *   LEAT_DICT_BYTES_MAX.
 */
struct leat_zset_node *leat_zset_node_alloc(
	struct leat_dict_env *env, double score, struct leat_slice member);

/** Free a node that is not in a set. */
void leat_zset_node_free(struct leat_dict_env *env, struct leat_zset_node *node);

double leat_zset_node_score(const struct leat_zset_node *node);
struct leat_slice leat_zset_node_member(const struct leat_zset_node *node);

/**
 * The node after this one: in its set, the next in order, or NULL; outside a set,
 * whatever its owner set with leat_zset_node_set_next().
 */
struct leat_zset_node *leat_zset_node_next(const struct leat_zset_node *node);
void leat_zset_node_set_next(struct leat_zset_node *node, struct leat_zset_node *next);

/**
 * Put a member into the set, or give its score to the one that is there. @p node
 * belongs to the set, or is freed.
 *
 * @param flags
 *   LEAT_ZSET_...; 0: add or change.
 */
enum leat_zset_outcome leat_zset_put(struct leat_zset *zset, struct leat_dict_env *env,
	struct leat_zset_node *node, uint32_t flags);

/** @return the node of a member, or NULL. It stays the set's. */
struct leat_zset_node *leat_zset_find(
	const struct leat_zset *zset, const struct leat_dict_env *env, struct leat_slice member);

/** @return true: removed. false: was not there. */
bool leat_zset_remove(struct leat_zset *zset, struct leat_dict_env *env, struct leat_slice member);

/** @return members in the set. */
static inline uint64_t
leat_zset_len(const struct leat_zset *zset)
{
	return zset->dict.nb_fields;
}

/** @return the lowest member, or NULL. */
static inline struct leat_zset_node *
leat_zset_first(const struct leat_zset *zset)
{
	return zset->head[0].next;
}

/** @return how many members of the set are before @p node, which is in it. */
uint64_t leat_zset_rank(const struct leat_zset *zset, const struct leat_zset_node *node);

/** @return the member of that rank, 0 being the lowest, or NULL: there are not so many. */
struct leat_zset_node *leat_zset_find_rank(const struct leat_zset *zset, uint64_t rank);

/** @return the lowest member with a score of at least @p score_min, or NULL. */
struct leat_zset_node *leat_zset_find_score(const struct leat_zset *zset, double score_min);

/** Walk the set and check order, spans and the dict. Slow: for tests. */
bool leat_zset_is_sound(const struct leat_zset *zset, const struct leat_dict_env *env);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZSET_H */
