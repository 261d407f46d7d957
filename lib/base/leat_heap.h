/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_HEAP_H
#define LEAT_HEAP_H

/**
 * @file
 * A heap inside one block of memory that its owner gives once.
 *
 * - alloc, free, and a resize that stays in place take constant time: free blocks
 *   lie in lists by size class (two levels: power of two, then sixteenths), and two
 *   bitmaps name the lists that are not empty.
 * - Neighbouring free blocks are joined at once.
 * - Every pointer is aligned to 16 bytes. A block costs 8 bytes more than its payload,
 *   is a multiple of 16 bytes and at least 32 bytes long.
 * - Free memory that is in one piece may be passed over only if it is less than 1/16
 *   longer than what was asked for.
 * - The control part lies at the start of the block: at most LEAT_HEAP_CONTROL_MAX bytes.
 *
 * No locks: one thread at a time. It never asks the system for memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat_common.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_heap; /**< lies at the start of the block given to leat_heap_init() */

#define LEAT_HEAP_ALIGN       16u          /**< bytes; of each pointer handed out */
#define LEAT_HEAP_BLOCK_MIN   32u          /**< bytes of the smallest block, with its header */
#define LEAT_HEAP_CONTROL_MAX 8192u        /**< bytes of the block that the heap keeps for itself */
#define LEAT_HEAP_LEN_MIN     16384u       /**< bytes of the smallest block of memory */
#define LEAT_HEAP_LEN_MAX     (1ull << 40) /**< bytes of the largest block of memory */

/**
 * Make a heap of @p mem.
 *
 * @param mem
 *   Any alignment. It stays the caller's, who calls leat_heap_fini() before using
 *   it for anything else.
 * @param len
 *   Bytes at @p mem.
 * @return
 *   The heap, or NULL: @p len is under LEAT_HEAP_LEN_MIN or over LEAT_HEAP_LEN_MAX.
 */
struct leat_heap *leat_heap_init(void *mem, size_t len);

/**
 * Forget a heap and all that it handed out: the memory may be used for anything else.
 * (Builds with AddressSanitizer mark what is free; this takes the marks away.)
 */
void leat_heap_fini(struct leat_heap *heap);

/**
 * Take memory. Its bytes are undefined.
 *
 * @param len
 *   Bytes; 0 gives a block of the smallest size.
 * @return
 *   16-byte aligned memory that belongs to the caller until leat_heap_free(), or
 *   NULL: no free block is long enough.
 */
void *leat_heap_alloc(struct leat_heap *heap, size_t len);

/** Give memory back. @p ptr may be NULL. */
void leat_heap_free(struct leat_heap *heap, void *ptr);

/**
 * Make memory longer or shorter, in place where there is room. Making it shorter
 * never moves it and never fails. Moving copies: it takes as long as the payload is.
 *
 * @param ptr
 *   NULL: as leat_heap_alloc().
 * @param len
 *   New length in bytes.
 * @return
 *   Where the memory is now, its first min(old, new) bytes kept; or NULL: no room,
 *   and @p ptr is as it was.
 */
void *leat_heap_resize(struct leat_heap *heap, void *ptr, size_t len);

/** @return bytes that may be used at @p ptr: at least as many as were asked for. */
size_t leat_heap_block_len(const void *ptr);

/** @return bytes in blocks that are handed out, their headers included. */
size_t leat_heap_used(const struct leat_heap *heap);

/** @return bytes of all blocks, free and handed out: what leat_heap_used() can reach. */
size_t leat_heap_len(const struct leat_heap *heap);

/**
 * Walk every block and every free list. Slow: for tests.
 *
 * @return
 *   true if headers, footers, lists, bitmaps and the count of used bytes agree.
 */
bool leat_heap_is_sound(const struct leat_heap *heap);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_HEAP_H */
