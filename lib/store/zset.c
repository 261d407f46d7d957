/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Positions: the head is at 0, the members at 1 to len, the end at len + 1. The span
 * of a link is the position that it leads to less the one that it starts from.
 */

#include <errno.h>
#include <string.h>

#include "leat_zset.h"

#define ZSET_HEAD_LEVELS_MIN 2u /* room at the head of a small set */

struct leat_zset_node {
	double score;
	struct leat_dict_node *entry; /* has the member's bytes; its value is this node's address */
	uint32_t nb_levels;
	struct leat_zset_link links[];
};

/* Where a member is or would be: on each level the last links before it. */
struct zset_path {
	struct leat_zset_link *links[LEAT_ZSET_LEVELS_MAX];
	uint64_t position[LEAT_ZSET_LEVELS_MAX];
};

static_assert(2 * (LEAT_ZSET_LEVELS_MAX - 1) < 63, "two random bits for each level");

/* One of the splitmix family: a counter, mixed by two multiplications. */
static uint64_t
random_next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* One node in four has a second level, one in sixteen a third. */
static uint32_t
random_levels(struct leat_dict_env *env)
{
	uint64_t bits = random_next(&env->random) | UINT64_C(1) << (2 * (LEAT_ZSET_LEVELS_MAX - 1));

	return 1 + (uint32_t)__builtin_ctzll(bits) / 2;
}

static struct leat_zset_node *
entry_node(const struct leat_dict_node *entry)
{
	struct leat_zset_node *node;
	struct leat_slice value = leat_dict_node_value(entry);

	LEAT_VERIFY(value.len == sizeof(node));
	memcpy(&node, value.data, sizeof(node)); /* not aligned */
	return node;
}

/* < 0, 0, > 0: in the order of bytes, a prefix first. */
static int
member_compare(struct leat_slice a, struct leat_slice b)
{
	size_t len = LEAT_MIN(a.len, b.len);
	int order = len > 0 ? memcmp(a.data, b.data, len) : 0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Whether a node is before (score, member). */
static bool
node_is_before(const struct leat_zset_node *node, double score, struct leat_slice member)
{
	if (node->score != score)
		return node->score < score;
	return member_compare(leat_zset_node_member(node), member) < 0;
}

/* Walk to the place of (score, member). */
static void
zset_path_to(const struct leat_zset *zset, double score, struct leat_slice member,
	struct zset_path *path)
{
	struct leat_zset_link *links = zset->head;
	uint64_t position = 0;

	LEAT_VERIFY(zset->nb_levels > 0);
	for (uint32_t level = zset->nb_levels; level-- > 0;) {
		while (links[level].next != NULL &&
			node_is_before(links[level].next, score, member)) {
			position += links[level].span;
			links = links[level].next->links;
		}
		path->links[level] = links;
		path->position[level] = position;
	}
}

/* Make room at the head for so many levels, or for as many as there is memory. */
static void
head_reserve(struct leat_zset *zset, struct leat_dict_env *env, uint32_t nb_levels)
{
	while (zset->nb_levels_max < nb_levels) {
		uint32_t nb = 2 * zset->nb_levels_max;
		struct leat_zset_link *head;

		head = leat_heap_resize(env->heap, zset->head, nb * sizeof(*head));
		if (head == NULL)
			return;
		zset->head = head;
		zset->nb_levels_max = nb;
	}
}

/* Link a node into a list of len members. */
static void
zset_link(struct leat_zset *zset, struct leat_dict_env *env, struct leat_zset_node *node,
	uint64_t len)
{
	struct zset_path path;
	uint64_t position;

	head_reserve(zset, env, node->nb_levels);
	node->nb_levels = LEAT_MIN(node->nb_levels, zset->nb_levels_max);
	for (; zset->nb_levels < node->nb_levels; zset->nb_levels++)
		zset->head[zset->nb_levels] = (struct leat_zset_link){ NULL, len + 1 };
	zset_path_to(zset, node->score, leat_zset_node_member(node), &path);
	position = path.position[0] + 1;
	for (uint32_t level = 0; level < zset->nb_levels; level++) {
		struct leat_zset_link *link = &path.links[level][level];
		uint64_t span = position - path.position[level];

		link->span++;
		if (level < node->nb_levels) {
			node->links[level].next = link->next;
			node->links[level].span = link->span - span;
			link->next = node;
			link->span = span;
		}
	}
}

static void
zset_unlink(struct leat_zset *zset, struct leat_zset_node *node)
{
	struct zset_path path;

	zset_path_to(zset, node->score, leat_zset_node_member(node), &path);
	LEAT_VERIFY(path.links[0][0].next == node);
	for (uint32_t level = 0; level < zset->nb_levels; level++) {
		struct leat_zset_link *link = &path.links[level][level];

		link->span--;
		if (link->next == node) {
			link->next = node->links[level].next;
			link->span += node->links[level].span;
		}
	}
	while (zset->nb_levels > 1 && zset->head[zset->nb_levels - 1].next == NULL)
		zset->nb_levels--;
}

int
leat_zset_init(struct leat_zset *zset, struct leat_dict_env *env)
{
	struct leat_zset_link *head;
	int ret;

	head = leat_heap_alloc(env->heap, ZSET_HEAD_LEVELS_MIN * sizeof(*head));
	if (head == NULL)
		return -ENOMEM;
	ret = leat_dict_init(&zset->dict, env);
	if (ret < 0) {
		leat_heap_free(env->heap, head);
		return ret;
	}
	head[0] = (struct leat_zset_link){ NULL, 1 };
	zset->head = head;
	zset->nb_levels = 1;
	zset->nb_levels_max = ZSET_HEAD_LEVELS_MIN;
	return 0;
}

bool
leat_zset_fini(struct leat_zset *zset, struct leat_dict_env *env, uint32_t *budget)
{
	struct leat_zset_node *node;

	if (zset->head != NULL) {
		for (; (node = zset->head[0].next) != NULL; (*budget)--) {
			if (*budget == 0)
				return false;
			zset->head[0].next = node->links[0].next;
			leat_heap_free(env->heap, node);
		}
		leat_heap_free(env->heap, zset->head);
		zset->head = NULL;
	}
	return leat_dict_fini(&zset->dict, env, budget);
}

struct leat_zset_node *
leat_zset_node_alloc(struct leat_dict_env *env, double score, struct leat_slice member)
{
	uint32_t nb_levels = random_levels(env);
	struct leat_zset_node *node;
	struct leat_slice value;

	node = leat_heap_alloc(env->heap, sizeof(*node) + nb_levels * sizeof(node->links[0]));
	if (node == NULL)
		return NULL;
	value = (struct leat_slice){ (const uint8_t *)&node, sizeof(node) };
	node->entry = leat_dict_node_alloc(env, member, value);
	if (node->entry == NULL) {
		leat_heap_free(env->heap, node);
		return NULL;
	}
	node->score = score;
	node->nb_levels = nb_levels;
	node->links[0].next = NULL;
	return node;
}

void
leat_zset_node_free(struct leat_dict_env *env, struct leat_zset_node *node)
{
	leat_dict_node_free(env, node->entry);
	leat_heap_free(env->heap, node);
}

double
leat_zset_node_score(const struct leat_zset_node *node)
{
	return node->score;
}

struct leat_slice
leat_zset_node_member(const struct leat_zset_node *node)
{
	return leat_dict_node_field(node->entry);
}

struct leat_zset_node *
leat_zset_node_next(const struct leat_zset_node *node)
{
	return node->links[0].next;
}

void
leat_zset_node_set_next(struct leat_zset_node *node, struct leat_zset_node *next)
{
	node->links[0].next = next;
}

/* Whether the flags let a member that is there have another score. */
static bool
flags_allow_change(uint32_t flags, double from, double to)
{
	if ((flags & LEAT_ZSET_NX) != 0 || from == to)
		return false;
	if ((flags & LEAT_ZSET_GT) != 0 && to < from)
		return false;
	return (flags & LEAT_ZSET_LT) == 0 || to < from;
}

enum leat_zset_outcome
leat_zset_put(struct leat_zset *zset, struct leat_dict_env *env, struct leat_zset_node *node,
	uint32_t flags)
{
	struct leat_zset_node *old = leat_zset_find(zset, env, leat_zset_node_member(node));
	enum leat_zset_outcome put = LEAT_ZSET_UNCHANGED;

	if (old == NULL && (flags & LEAT_ZSET_XX) == 0) {
		zset_link(zset, env, node, leat_zset_len(zset));
		(void)leat_dict_put(&zset->dict, env, node->entry); /* known to be new */
		return LEAT_ZSET_ADDED;
	}
	if (old != NULL && flags_allow_change(flags, old->score, node->score)) {
		zset_unlink(zset, old);
		old->score = node->score;
		zset_link(zset, env, old, leat_zset_len(zset) - 1);
		put = LEAT_ZSET_UPDATED;
	}
	leat_zset_node_free(env, node);
	return put;
}

struct leat_zset_node *
leat_zset_find(
	const struct leat_zset *zset, const struct leat_dict_env *env, struct leat_slice member)
{
	const struct leat_dict_node *entry = leat_dict_find(&zset->dict, env, member);

	return entry == NULL ? NULL : entry_node(entry);
}

bool
leat_zset_remove(struct leat_zset *zset, struct leat_dict_env *env, struct leat_slice member)
{
	struct leat_zset_node *node = leat_zset_find(zset, env, member);

	if (node == NULL)
		return false;
	zset_unlink(zset, node);
	leat_heap_free(env->heap, node);
	return leat_dict_remove(&zset->dict, env, member);
}

uint64_t
leat_zset_rank(const struct leat_zset *zset, const struct leat_zset_node *node)
{
	struct zset_path path;

	zset_path_to(zset, node->score, leat_zset_node_member(node), &path);
	LEAT_ASSERT(path.links[0][0].next == node);
	return path.position[0];
}

struct leat_zset_node *
leat_zset_find_rank(const struct leat_zset *zset, uint64_t rank)
{
	const struct leat_zset_link *links = zset->head;
	uint64_t left;

	if (rank >= leat_zset_len(zset))
		return NULL;
	left = rank; /* positions from here to the one before the member */
	for (uint32_t level = zset->nb_levels; level-- > 0;) {
		while (links[level].span <= left) {
			left -= links[level].span;
			links = links[level].next->links;
		}
	}
	return links[0].next;
}

struct leat_zset_node *
leat_zset_find_score(const struct leat_zset *zset, double score_min)
{
	const struct leat_zset_link *links = zset->head;

	for (uint32_t level = zset->nb_levels; level-- > 0;) {
		while (links[level].next != NULL && links[level].next->score < score_min)
			links = links[level].next->links;
	}
	return links[0].next;
}

/* Whether a level's links lead in order to the end and their spans tell the ranks. */
static bool
level_is_sound(const struct leat_zset *zset, uint32_t level)
{
	const struct leat_zset_link *links = zset->head;
	uint64_t position = 0;

	for (;;) {
		const struct leat_zset_node *node = links[level].next;

		position += links[level].span;
		if (node == NULL)
			return position == leat_zset_len(zset) + 1;
		if (node->nb_levels <= level || leat_zset_find_rank(zset, position - 1) != node)
			return false;
		links = node->links;
	}
}

bool
leat_zset_is_sound(const struct leat_zset *zset, const struct leat_dict_env *env)
{
	const struct leat_zset_node *prev = NULL;
	uint64_t rank = 0;

	for (const struct leat_zset_node *node = leat_zset_first(zset); node != NULL;
		node = node->links[0].next, rank++) {
		struct leat_slice member = leat_zset_node_member(node);

		if (prev != NULL && !node_is_before(prev, node->score, member))
			return false;
		if (leat_zset_find(zset, env, member) != node || leat_zset_rank(zset, node) != rank)
			return false;
		prev = node;
	}
	for (uint32_t level = 0; level < zset->nb_levels; level++) {
		if (!level_is_sound(zset, level))
			return false;
	}
	return rank == leat_zset_len(zset);
}
