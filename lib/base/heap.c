/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A block is a header word, then its payload. The word is the block's length, a
 * multiple of 16, and two flags in the low bits. A free block has the links of its
 * list at the start of its payload and repeats its length in its last 8 bytes: the
 * block after it finds the start of its free neighbour there, and knows from its own
 * flag when to look. So a block that is handed out costs one word.
 *
 * Headers lie 8 bytes before a multiple of 16. Behind the last block lies a header of
 * length 0 that is never free, so that no block is joined past the end.
 */

#include <string.h>

#include "leat_heap.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_POISONS 1
#endif
#endif

#ifdef HEAP_POISONS
#include <sanitizer/asan_interface.h>
#define heap_poison(ptr, len)   ASAN_POISON_MEMORY_REGION(ptr, len)
#define heap_unpoison(ptr, len) ASAN_UNPOISON_MEMORY_REGION(ptr, len)
#else
#define heap_poison(ptr, len)   ((void)(ptr), (void)(len))
#define heap_unpoison(ptr, len) ((void)(ptr), (void)(len))
#endif

#define BLOCK_IS_FREE      ((size_t)1)
#define BLOCK_PREV_IS_FREE ((size_t)2)
#define BLOCK_FLAGS        ((size_t)(LEAT_HEAP_ALIGN - 1))
#define BLOCK_HEAD_LEN     sizeof(size_t)
#define BLOCK_FOOT_LEN     sizeof(size_t)

#define HEAP_UNIT_SHIFT    4 /* a unit is LEAT_HEAP_ALIGN bytes */
#define HEAP_SUB_SHIFT     4 /* classes in each power of two */
#define HEAP_SUB_CLASSES   (1u << HEAP_SUB_SHIFT)
#define HEAP_CLASSES       (40 - HEAP_UNIT_SHIFT - HEAP_SUB_SHIFT + 2)

struct heap_block {
	size_t head;
	/* Only in a free block: */
	struct heap_block *next;
	struct heap_block *prev; /* NULL: first of its list */
};

struct leat_heap {
	size_t used;
	size_t len;
	struct heap_block *first; /* in memory */
	uint64_t class_map;       /* bit per power of two: one of its lists is not empty */
	uint16_t sub_map[HEAP_CLASSES];
	struct heap_block *lists[HEAP_CLASSES][HEAP_SUB_CLASSES];
};

struct heap_class {
	unsigned int class_idx;
	unsigned int sub_idx;
};

static_assert(LEAT_HEAP_ALIGN == 1u << HEAP_UNIT_SHIFT, "unit");
static_assert(sizeof(struct heap_block) + BLOCK_FOOT_LEN == LEAT_HEAP_BLOCK_MIN, "smallest block");
static_assert(sizeof(struct leat_heap) + LEAT_HEAP_ALIGN * 2 <= LEAT_HEAP_CONTROL_MAX, "control");
static_assert(HEAP_CLASSES <= 64, "one word maps the classes");
static_assert(LEAT_HEAP_LEN_MAX == 1ull << 40, "HEAP_CLASSES is for this length");
static_assert(sizeof(size_t) == 8, "64-bit lengths");

static inline size_t
block_len(const struct heap_block *block)
{
	return block->head & ~BLOCK_FLAGS;
}

static inline bool
block_is_free(const struct heap_block *block)
{
	return (block->head & BLOCK_IS_FREE) != 0;
}

static inline struct heap_block *
block_at(const struct heap_block *block, size_t offset)
{
	return (struct heap_block *)((uint8_t *)block + offset);
}

static inline void *
block_payload(const struct heap_block *block)
{
	return (uint8_t *)block + BLOCK_HEAD_LEN;
}

static inline struct heap_block *
block_of(const void *ptr)
{
	return (struct heap_block *)((uint8_t *)ptr - BLOCK_HEAD_LEN);
}

/* The last word of a block, which is free. */
static inline size_t *
block_foot(const struct heap_block *block)
{
	return (size_t *)(void *)block_at(block, block_len(block) - BLOCK_FOOT_LEN);
}

/* The free block before this one, which says that there is one. */
static inline struct heap_block *
block_prev(const struct heap_block *block)
{
	size_t len = ((const size_t *)(const void *)block)[-1];

	return (struct heap_block *)((uint8_t *)block - len);
}

/* The list of a free block of this many bytes. */
static inline struct heap_class
class_of(size_t len)
{
	size_t nb_units = len >> HEAP_UNIT_SHIFT;
	struct heap_class c = { 0, (unsigned int)nb_units };

	if (nb_units >= HEAP_SUB_CLASSES) {
		unsigned int msb = 63 - (unsigned int)__builtin_clzll(nb_units);

		c.class_idx = msb - HEAP_SUB_SHIFT + 1;
		c.sub_idx =
			(unsigned int)(nb_units >> (msb - HEAP_SUB_SHIFT)) & (HEAP_SUB_CLASSES - 1);
	}
	return c;
}

/* The least length such that every block of its list has at least this many bytes. */
static inline size_t
class_round_up(size_t len)
{
	size_t nb_units = len >> HEAP_UNIT_SHIFT;

	if (nb_units >= HEAP_SUB_CLASSES) {
		unsigned int msb = 63 - (unsigned int)__builtin_clzll(nb_units);

		len += (((size_t)1 << (msb - HEAP_SUB_SHIFT)) - 1) << HEAP_UNIT_SHIFT;
	}
	return len;
}

static void
list_insert(struct leat_heap *heap, struct heap_block *block)
{
	struct heap_class c = class_of(block_len(block));
	struct heap_block **list = &heap->lists[c.class_idx][c.sub_idx];

	block->prev = NULL;
	block->next = *list;
	if (*list != NULL)
		(*list)->prev = block;
	*list = block;
	heap->class_map |= (uint64_t)1 << c.class_idx;
	heap->sub_map[c.class_idx] |= (uint16_t)(1u << c.sub_idx);
}

static void
list_remove(struct leat_heap *heap, struct heap_block *block)
{
	struct heap_class c = class_of(block_len(block));

	if (block->next != NULL)
		block->next->prev = block->prev;
	if (block->prev != NULL) {
		block->prev->next = block->next;
		return;
	}
	LEAT_VERIFY(heap->lists[c.class_idx][c.sub_idx] == block);
	heap->lists[c.class_idx][c.sub_idx] = block->next;
	if (block->next != NULL)
		return;
	heap->sub_map[c.class_idx] &= (uint16_t) ~(1u << c.sub_idx);
	if (heap->sub_map[c.class_idx] == 0)
		heap->class_map &= ~((uint64_t)1 << c.class_idx);
}

/* Any free block of at least this many bytes, still in its list, or NULL. */
static struct heap_block *
list_find(const struct leat_heap *heap, size_t len)
{
	struct heap_class c = class_of(class_round_up(len));
	struct heap_block *block;
	uint32_t sub_map;
	uint64_t class_map;

	if (c.class_idx < HEAP_CLASSES) {
		sub_map = heap->sub_map[c.class_idx] & (~0u << c.sub_idx);
		if (sub_map == 0) {
			class_map = heap->class_map & (~(uint64_t)1 << c.class_idx);
			if (class_map != 0) {
				c.class_idx = (unsigned int)__builtin_ctzll(class_map);
				sub_map = heap->sub_map[c.class_idx];
			}
		}
		if (sub_map != 0)
			return heap->lists[c.class_idx][__builtin_ctz(sub_map)];
	}
	/* The first block of its own list may do, such as the only one left. */
	c = class_of(len);
	block = heap->lists[c.class_idx][c.sub_idx];
	return block != NULL && block_len(block) >= len ? block : NULL;
}

/* Bytes of the block that has a payload of len bytes; 0: there is none so long. */
static inline size_t
block_len_for(size_t len)
{
	if (len > LEAT_HEAP_LEN_MAX)
		return 0;
	len = (len + BLOCK_HEAD_LEN + LEAT_HEAP_ALIGN - 1) & ~(size_t)(LEAT_HEAP_ALIGN - 1);
	return LEAT_MAX(len, (size_t)LEAT_HEAP_BLOCK_MIN);
}

/* Make a free block of the len bytes at block, whose neighbours are not free, and list it. */
static void
block_release(struct leat_heap *heap, struct heap_block *block, size_t len)
{
	struct heap_block *next = block_at(block, len);

	block->head = len | BLOCK_IS_FREE;
	*block_foot(block) = len;
	next->head |= BLOCK_PREV_IS_FREE;
	list_insert(heap, block);
	heap_poison(block + 1, len - sizeof(*block) - BLOCK_FOOT_LEN);
}

/*
 * Let a block that is not free, and whose successor is not free, be len bytes long,
 * and give back what is behind.
 */
static void
block_trim(struct leat_heap *heap, struct heap_block *block, size_t len)
{
	size_t left = block_len(block) - len;

	if (left < LEAT_HEAP_BLOCK_MIN)
		return;
	block->head = len | (block->head & BLOCK_FLAGS);
	block_release(heap, block_at(block, len), left);
}

/* Take a listed block out of the free ones, whole. */
static void
block_take(struct leat_heap *heap, struct heap_block *block)
{
	LEAT_VERIFY(block_is_free(block));
	list_remove(heap, block);
	block->head &= ~BLOCK_IS_FREE;
	block_at(block, block_len(block))->head &= ~BLOCK_PREV_IS_FREE;
	heap_unpoison(block_payload(block), block_len(block) - BLOCK_HEAD_LEN);
}

struct leat_heap *
leat_heap_init(void *mem, size_t len)
{
	uintptr_t start = (uintptr_t)mem;
	uintptr_t first;
	uintptr_t last;
	struct leat_heap *heap;

	if (len < LEAT_HEAP_LEN_MIN || len > LEAT_HEAP_LEN_MAX)
		return NULL;
	heap = (struct leat_heap *)((start + LEAT_HEAP_ALIGN - 1) &
				    ~(uintptr_t)(LEAT_HEAP_ALIGN - 1));
	memset(heap, 0, sizeof(*heap));
	first = (uintptr_t)(heap + 1) + BLOCK_HEAD_LEN + LEAT_HEAP_ALIGN - 1;
	first = (first & ~(uintptr_t)(LEAT_HEAP_ALIGN - 1)) - BLOCK_HEAD_LEN;
	last = ((start + len) & ~(uintptr_t)(LEAT_HEAP_ALIGN - 1)) - BLOCK_HEAD_LEN;
	heap->first = (struct heap_block *)first;
	heap->len = last - first;
	*(size_t *)last = 0;
	block_release(heap, heap->first, heap->len);
	return heap;
}

void
leat_heap_fini(struct leat_heap *heap)
{
	heap_unpoison(heap->first, heap->len);
}

void *
leat_heap_alloc(struct leat_heap *heap, size_t len)
{
	size_t need = block_len_for(len);
	struct heap_block *block;

	if (need == 0)
		return NULL;
	block = list_find(heap, need);
	if (block == NULL)
		return NULL;
	block_take(heap, block);
	block_trim(heap, block, need);
	heap->used += block_len(block);
	return block_payload(block);
}

void
leat_heap_free(struct leat_heap *heap, void *ptr)
{
	struct heap_block *block;
	struct heap_block *next;
	size_t len;

	if (ptr == NULL)
		return;
	block = block_of(ptr);
	LEAT_VERIFY(!block_is_free(block));
	len = block_len(block);
	heap->used -= len;
	next = block_at(block, len);
	if (block_is_free(next)) {
		list_remove(heap, next);
		len += block_len(next);
	}
	if ((block->head & BLOCK_PREV_IS_FREE) != 0) {
		block = block_prev(block);
		list_remove(heap, block);
		len += block_len(block);
	}
	block_release(heap, block, len);
}

void *
leat_heap_resize(struct leat_heap *heap, void *ptr, size_t len)
{
	size_t need = block_len_for(len);
	struct heap_block *block;
	struct heap_block *next;
	size_t old;
	void *moved;

	if (ptr == NULL)
		return leat_heap_alloc(heap, len);
	if (need == 0)
		return NULL;
	block = block_of(ptr);
	old = block_len(block);
	next = block_at(block, old);
	if (block_is_free(next) && old + block_len(next) >= need) {
		/* Also when it gets shorter, so that what is left joins its neighbour. */
		block_take(heap, next);
		block->head += block_len(next);
	}
	if (block_len(block) >= need) {
		block_trim(heap, block, need);
		heap->used += block_len(block) - old;
		return ptr;
	}
	moved = leat_heap_alloc(heap, len);
	if (moved == NULL)
		return NULL;
	memcpy(moved, ptr, old - BLOCK_HEAD_LEN);
	leat_heap_free(heap, ptr);
	return moved;
}

size_t
leat_heap_block_len(const void *ptr)
{
	return block_len(block_of(ptr)) - BLOCK_HEAD_LEN;
}

size_t
leat_heap_used(const struct leat_heap *heap)
{
	return heap->used;
}

size_t
leat_heap_len(const struct leat_heap *heap)
{
	return heap->len;
}

/* Whether a free block is whole: joined, repeated at its end, and in the right list. */
static bool
heap_free_is_sound(const struct leat_heap *heap, const struct heap_block *block)
{
	struct heap_class c = class_of(block_len(block));
	const struct heap_block *listed = heap->lists[c.class_idx][c.sub_idx];

	if (*block_foot(block) != block_len(block) ||
		block_is_free(block_at(block, block_len(block))))
		return false;
	if (block->prev != NULL ? block->prev->next != block : listed != block)
		return false;
	return block->next == NULL || block->next->prev == block;
}

/* How many blocks the lists hold; the bitmaps must tell which are not empty. */
static bool
heap_lists_are_sound(const struct leat_heap *heap, size_t nb_free)
{
	size_t nb_listed = 0;

	for (unsigned int i = 0; i < HEAP_CLASSES; i++) {
		if (((heap->class_map >> i & 1) != 0) != (heap->sub_map[i] != 0))
			return false;
		for (unsigned int j = 0; j < HEAP_SUB_CLASSES; j++) {
			const struct heap_block *block = heap->lists[i][j];

			if (((heap->sub_map[i] >> j & 1) != 0) != (block != NULL))
				return false;
			for (; block != NULL && nb_listed <= nb_free; block = block->next)
				nb_listed++;
		}
	}
	return nb_listed == nb_free;
}

bool
leat_heap_is_sound(const struct leat_heap *heap)
{
	const struct heap_block *end = block_at(heap->first, heap->len);
	const struct heap_block *block = heap->first;
	bool prev_is_free = false;
	size_t nb_free = 0;
	size_t used = 0;

	while (block != end) {
		size_t len = block_len(block);

		if (len < LEAT_HEAP_BLOCK_MIN || len > (size_t)((uintptr_t)end - (uintptr_t)block))
			return false;
		if (((block->head & BLOCK_PREV_IS_FREE) != 0) != prev_is_free)
			return false;
		prev_is_free = block_is_free(block);
		if (prev_is_free && !heap_free_is_sound(heap, block))
			return false;
		nb_free += prev_is_free;
		used += prev_is_free ? 0 : len;
		block = block_at(block, len);
	}
	if (block_len(end) != 0 || block_is_free(end) ||
		((end->head & BLOCK_PREV_IS_FREE) != 0) != prev_is_free)
		return false;
	return used == heap->used && heap_lists_are_sound(heap, nb_free);
}
