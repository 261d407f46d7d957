/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bucket i of the small table splits into the buckets i and i + nb_small of the large
 * one, which has twice as many. Buckets split from 0 upwards when the table grows, and
 * join from the last downwards when it shrinks; nb_moved is the border. A bucket is
 * written first when it is moved to, so that a new table needs no clearing, which would
 * take as long as the table is large.
 *
 * So many buckets are moved with each change that a move ends before the number of
 * fields can ask for the next one: growing after nb_small / LEAT_DICT_SPLITS changes, and
 * shrinking while at least three of four of the fields it began with are left.
 */

#include <errno.h>
#include <string.h>

#include "leat_dict.h"

#define DICT_FIELDS_PER_BUCKET 1u /* grow above */
#define DICT_SHRINK_RATIO      8u /* shrink when fewer than one bucket in so many has a field */

struct leat_dict_node {
	struct leat_dict_node *next;
	uint32_t hash;
	uint32_t field_len;
	uint32_t value_len;
	uint8_t bytes[]; /* field, value */
};

static_assert((LEAT_DICT_BUCKETS_MIN & (LEAT_DICT_BUCKETS_MIN - 1)) == 0, "a power of two");

static void
bytes_copy(uint8_t *to, struct leat_slice from)
{
	if (from.len > 0) /* an empty slice may have no address */
		memcpy(to, from.data, from.len);
}

static struct leat_dict_node **
buckets_alloc(struct leat_dict_env *env, uint32_t nb_buckets)
{
	return leat_heap_alloc(env->heap, (size_t)nb_buckets * sizeof(struct leat_dict_node *));
}

static uint32_t
field_hash(const struct leat_dict_env *env, struct leat_slice field)
{
	return (uint32_t)leat_siphash(&env->key, field.data, field.len);
}

static struct leat_dict_node **
dict_bucket(const struct leat_dict *dict, uint32_t hash)
{
	uint32_t small_idx = hash & (dict->nb_small - 1);

	if (small_idx < dict->nb_moved)
		return &dict->large[hash & (2 * dict->nb_small - 1)];
	return &dict->small[small_idx];
}

/* The link to the node of a field: the end of its chain if there is none. */
static struct leat_dict_node **
dict_link(const struct leat_dict *dict, uint32_t hash, struct leat_slice field)
{
	struct leat_dict_node **link = dict_bucket(dict, hash);

	while (*link != NULL &&
		((*link)->hash != hash || !leat_slice_is_equal(leat_dict_node_field(*link), field)))
		link = &(*link)->next;
	return link;
}

/* Split the next bucket of the small table. */
static void
dict_move_up(struct leat_dict *dict)
{
	uint32_t idx = dict->nb_moved;
	struct leat_dict_node *node = dict->small[idx];
	struct leat_dict_node *next;

	dict->large[idx] = NULL;
	dict->large[idx + dict->nb_small] = NULL;
	dict->nb_moved++;
	for (; node != NULL; node = next) {
		struct leat_dict_node **bucket = dict_bucket(dict, node->hash);

		next = node->next;
		node->next = *bucket;
		*bucket = node;
	}
}

/* Join the last two buckets of the large table that are in use. */
static void
dict_move_down(struct leat_dict *dict)
{
	uint32_t idx = dict->nb_moved - 1;
	struct leat_dict_node **link = &dict->small[idx];

	*link = dict->large[idx];
	while (*link != NULL)
		link = &(*link)->next;
	*link = dict->large[idx + dict->nb_small];
	dict->nb_moved--;
}

/* Begin to grow or to shrink if it is time. Without memory the table stays as it is. */
static void
dict_start_move(struct leat_dict *dict, struct leat_dict_env *env)
{
	struct leat_dict_node **table;

	if (dict->nb_fields > (uint64_t)dict->nb_small * DICT_FIELDS_PER_BUCKET &&
		dict->nb_small < LEAT_DICT_BUCKETS_MAX / 2) {
		table = buckets_alloc(env, 2 * dict->nb_small);
		if (table == NULL)
			return;
		dict->large = table;
		dict->is_growing = true;
	} else if (dict->nb_fields < dict->nb_small / DICT_SHRINK_RATIO &&
		   dict->nb_small > LEAT_DICT_BUCKETS_MIN) {
		table = buckets_alloc(env, dict->nb_small / 2);
		if (table == NULL)
			return;
		dict->large = dict->small;
		dict->small = table;
		dict->nb_small /= 2;
		dict->nb_moved = dict->nb_small;
		dict->is_growing = false;
	}
}

/* After each change: move a few buckets. */
static void
dict_move(struct leat_dict *dict, struct leat_dict_env *env)
{
	uint32_t nb_moves;

	if (dict->large == NULL)
		dict_start_move(dict, env);
	nb_moves = dict->is_growing ? LEAT_DICT_SPLITS : LEAT_DICT_JOINS;
	for (uint32_t i = 0; i < nb_moves && dict->large != NULL; i++) {
		if (dict->is_growing)
			dict_move_up(dict);
		else
			dict_move_down(dict);
		if (dict->is_growing && dict->nb_moved == dict->nb_small) {
			leat_heap_free(env->heap, dict->small);
			dict->small = dict->large;
			dict->large = NULL;
			dict->nb_small *= 2;
			dict->nb_moved = 0;
		} else if (!dict->is_growing && dict->nb_moved == 0) {
			leat_heap_free(env->heap, dict->large);
			dict->large = NULL;
		}
	}
}

int
leat_dict_init(struct leat_dict *dict, struct leat_dict_env *env)
{
	struct leat_dict_node **table = buckets_alloc(env, LEAT_DICT_BUCKETS_MIN);

	if (table == NULL)
		return -ENOMEM;
	memset(table, 0, LEAT_DICT_BUCKETS_MIN * sizeof(*table));
	memset(dict, 0, sizeof(*dict));
	dict->small = table;
	dict->nb_small = LEAT_DICT_BUCKETS_MIN;
	return 0;
}

bool
leat_dict_fini(struct leat_dict *dict, struct leat_dict_env *env, uint32_t *budget)
{
	for (; dict->nb_moved > 0; (*budget)--) {
		if (*budget == 0)
			return false;
		dict_move_down(dict);
	}
	leat_heap_free(env->heap, dict->large);
	dict->large = NULL;
	/* From here on nb_small counts the buckets that are left. */
	for (; dict->nb_small > 0; (*budget)--) {
		struct leat_dict_node **bucket = &dict->small[dict->nb_small - 1];
		struct leat_dict_node *node = *bucket;

		if (*budget == 0)
			return false;
		if (node == NULL) {
			dict->nb_small--;
		} else {
			*bucket = node->next;
			leat_heap_free(env->heap, node);
		}
	}
	leat_heap_free(env->heap, dict->small);
	dict->small = NULL;
	dict->nb_fields = 0;
	return true;
}

struct leat_dict_node *
leat_dict_node_alloc(struct leat_dict_env *env, struct leat_slice field, struct leat_slice value)
{
	struct leat_dict_node *node;

	if (field.len > LEAT_DICT_BYTES_MAX || value.len > LEAT_DICT_BYTES_MAX)
		return NULL;
	node = leat_heap_alloc(
		env->heap, offsetof(struct leat_dict_node, bytes) + field.len + value.len);
	if (node == NULL)
		return NULL;
	node->next = NULL;
	node->hash = field_hash(env, field);
	node->field_len = (uint32_t)field.len;
	node->value_len = (uint32_t)value.len;
	bytes_copy(node->bytes, field);
	bytes_copy(node->bytes + field.len, value);
	return node;
}

void
leat_dict_node_free(struct leat_dict_env *env, struct leat_dict_node *node)
{
	leat_heap_free(env->heap, node);
}

struct leat_slice
leat_dict_node_field(const struct leat_dict_node *node)
{
	return (struct leat_slice){ node->bytes, node->field_len };
}

struct leat_slice
leat_dict_node_value(const struct leat_dict_node *node)
{
	return (struct leat_slice){ node->bytes + node->field_len, node->value_len };
}

struct leat_dict_node *
leat_dict_node_next(const struct leat_dict_node *node)
{
	return node->next;
}

void
leat_dict_node_set_next(struct leat_dict_node *node, struct leat_dict_node *next)
{
	node->next = next;
}

void
leat_dict_node_overwrite(struct leat_dict_node *node, struct leat_slice value)
{
	LEAT_VERIFY(value.len == node->value_len);
	bytes_copy(node->bytes + node->field_len, value);
}

bool
leat_dict_put(struct leat_dict *dict, struct leat_dict_env *env, struct leat_dict_node *node)
{
	struct leat_dict_node **link = dict_link(dict, node->hash, leat_dict_node_field(node));
	struct leat_dict_node *old = *link;

	*link = node;
	if (old != NULL) {
		node->next = old->next;
		leat_heap_free(env->heap, old);
		return false;
	}
	node->next = NULL;
	dict->nb_fields++;
	dict_move(dict, env);
	return true;
}

int
leat_dict_set(struct leat_dict *dict, struct leat_dict_env *env, struct leat_slice field,
	struct leat_slice value)
{
	struct leat_dict_node **link;
	struct leat_dict_node *node;

	if (field.len > LEAT_DICT_BYTES_MAX || value.len > LEAT_DICT_BYTES_MAX)
		return -EMSGSIZE;
	link = dict_link(dict, field_hash(env, field), field);
	if (*link == NULL) {
		node = leat_dict_node_alloc(env, field, value);
		if (node == NULL)
			return -ENOMEM;
		(void)leat_dict_put(dict, env, node); /* known to be new */
		return 1;
	}
	node = leat_heap_resize(
		env->heap, *link, offsetof(struct leat_dict_node, bytes) + field.len + value.len);
	if (node == NULL)
		return -ENOMEM;
	*link = node;
	node->value_len = (uint32_t)value.len;
	bytes_copy(node->bytes + node->field_len, value);
	return 0;
}

struct leat_dict_node *
leat_dict_find(
	const struct leat_dict *dict, const struct leat_dict_env *env, struct leat_slice field)
{
	return *dict_link(dict, field_hash(env, field), field);
}

bool
leat_dict_remove(struct leat_dict *dict, struct leat_dict_env *env, struct leat_slice field)
{
	struct leat_dict_node **link = dict_link(dict, field_hash(env, field), field);
	struct leat_dict_node *node = *link;

	if (node == NULL)
		return false;
	*link = node->next;
	leat_heap_free(env->heap, node);
	dict->nb_fields--;
	dict_move(dict, env);
	return true;
}

void
leat_dict_iter_init(struct leat_dict_iter *iter, const struct leat_dict *dict)
{
	(void)dict; /* nothing of it is read before the first step */
	iter->node = NULL;
	iter->bucket = 0;
}

struct leat_dict_node *
leat_dict_iter_next(struct leat_dict_iter *iter, const struct leat_dict *dict)
{
	struct leat_dict_node *node;

	/* Each bucket of the small table has two turns: for the two it may be split into. */
	while (iter->node == NULL && iter->bucket < 2 * (uint64_t)dict->nb_small) {
		uint32_t idx = (uint32_t)(iter->bucket / 2);
		uint32_t half = (uint32_t)(iter->bucket % 2);

		if (idx < dict->nb_moved)
			iter->node = dict->large[idx + half * dict->nb_small];
		else if (half == 0)
			iter->node = dict->small[idx];
		iter->bucket++;
	}
	node = iter->node;
	if (node != NULL)
		iter->node = node->next;
	return node;
}
