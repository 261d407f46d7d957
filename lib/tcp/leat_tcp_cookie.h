/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TCP_COOKIE_H
#define LEAT_TCP_COOKIE_H

/**
 * @file
 * SYN cookies, RFC 4987 section 3.6: a SYN is answered without keeping anything of it.
 * What a connection needs to know of the SYN comes back with the peer's ACK.
 *
 * The initial sequence number holds, from its lowest bit on: whether the period of
 * LEAT_TCP_COOKIE_PERIOD_US in which it was made is odd (1 bit), a step of a table of
 * segment sizes (3 bits), and a keyed hash of both ends, the peer's initial sequence
 * number, the period and all that the cookie says (28 bits). A cookie is good in its own
 * period and in the next.
 *
 * Window scale and SACK permitted lie in the lowest bits of our timestamp, which the peer
 * echoes; of a peer without timestamps neither is kept. They are under the hash too.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_siphash.h>

#include "leat_tcp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_TCP_COOKIE_PERIOD_US 60000000u

/**
 * Make the SYN-ACK that answers a SYN.
 *
 * @param conf
 *   Of the connection that is to come of it.
 * @param key
 *   Secret, and for this purpose only.
 * @param ends
 *   A keyed hash of both addresses and ports.
 * @param syn
 *   A SYN without ACK, RST and FIN. Text on it is not acknowledged: it comes again.
 * @param out
 *   Filled. Sending it changes nothing: it may be lost.
 */
void leat_tcp_cookie_answer(const struct leat_tcp_conf *conf, const struct leat_siphash_key *key,
	uint64_t ends, uint64_t now_us, const struct leat_tcp_seg *syn, struct leat_tcp_out *out);

/**
 * Does this segment acknowledge a cookie of ours? A guess succeeds once in 2^28.
 *
 * @param seg
 *   The first of the peer behind its SYN; it may carry text and a FIN.
 * @param syn
 *   Filled on success: the SYN as far as it is known, for leat_tcp_open_cookie().
 * @return
 *   Whether it does.
 */
bool leat_tcp_cookie_check(const struct leat_siphash_key *key, uint64_t ends, uint64_t now_us,
	const struct leat_tcp_seg *seg, struct leat_tcp_seg *syn);

/**
 * Passive open by a cookie: the state is SYN-RECEIVED, and nothing is owed. Hand @p seg to
 * leat_tcp_input() next, which takes it to ESTABLISHED.
 *
 * @param tcb
 *   Written over.
 * @param conf
 *   That of leat_tcp_cookie_answer(); borrowed until leat_tcp_fini().
 * @param seg
 *   The segment that was checked.
 * @param syn
 *   What leat_tcp_cookie_check() made of it.
 * @param peer_mss_max
 *   As leat_tcp_open_passive().
 */
void leat_tcp_open_cookie(struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us,
	const struct leat_tcp_seg *seg, const struct leat_tcp_seg *syn, uint16_t peer_mss_max);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TCP_COOKIE_H */
