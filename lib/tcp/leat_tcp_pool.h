/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TCP_POOL_H
#define LEAT_TCP_POOL_H

/**
 * @file
 * What only connections in motion need, so that an idle one is small.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory of a stack for what only a connection with text in flight, or out of order, needs:
 * a record of each segment sent, and the state of text that came early. A fixed number of
 * each, lent to the connections that need one.
 *
 * Where it has run dry nothing fails. Segments share a record, or have none and are sent
 * again by the time-out alone; text that comes early is dropped, as if it had been lost.
 */
struct leat_tcp_pool;

/**
 * @param nb_records
 *   Segments in flight of all connections, at least 1.
 * @param nb_reass
 *   Connections that keep text out of order at a time, at least 1.
 * @return
 *   Bytes of memory for leat_tcp_pool_init().
 */
size_t leat_tcp_pool_mem_len(uint32_t nb_records, uint32_t nb_reass);

/**
 * Make a pool.
 *
 * @param mem
 *   leat_tcp_pool_mem_len() bytes at an address of a cache line, the caller's; it frees them
 *   when no connection is left.
 * @return
 *   The pool, at the start of @p mem.
 */
struct leat_tcp_pool *leat_tcp_pool_init(void *mem, uint32_t nb_records, uint32_t nb_reass);

/** What of a pool is lent. */
struct leat_tcp_pool_stats {
	uint32_t records;      /**< segments in flight that have one of their own, at most */
	uint32_t records_free; /**< of them, not lent */
	uint32_t records_low;  /**< the fewest that were ever free */
	uint32_t reass;        /**< connections that keep text out of order, at most */
	uint32_t reass_free;
	uint32_t reass_low;
	uint64_t records_dry; /**< segments that found none free */
	uint64_t reass_dry;   /**< texts out of order that were dropped for that reason */
};

/** @return the numbers, as they change, for as long as the pool lives. */
const struct leat_tcp_pool_stats *leat_tcp_pool_stats(const struct leat_tcp_pool *pool);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TCP_POOL_H */
