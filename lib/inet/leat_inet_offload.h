/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_INET_OFFLOAD_H
#define LEAT_INET_OFFLOAD_H

/**
 * @file
 * What a port does for a stack, or promises to do; included by leat_inet.h.
 */

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Frames that a port calls good and that are summed nevertheless, from the first on. */
#define LEAT_INET_RX_CHECKS 1024u
/** Later one of so many is. */
#define LEAT_INET_RX_CHECK_EVERY 64u
/** Trials of an offload that come to nothing, one after the other, until it is given up. */
#define LEAT_INET_TRIALS_MAX 3u

/**
 * Work that the port promises to do for us; what it does not, the stack does itself, and
 * also what it was found not to do although it had promised, see leat_inet_notices().
 *
 * Of those for sending one is on trial at a time, in this order: one segment of text uses
 * it, and no other does until the peer has acknowledged that segment. It is used from then
 * on. When the segment came through only after it was sent again, without the offload, for
 * LEAT_INET_TRIALS_MAX times, the offload is given up.
 *
 * Each IP family has its own trials, since a port may sum or cut the segments of one only.
 */
struct leat_inet_offloads {
	bool tx_tcp_cksum;
	bool tx_ip_cksum;  /**< IPv4 has it alone */
	bool tx_multi_seg; /**< the port sends chains; without it every frame is one segment */
	/** the port cuts text into segments; wants tx_tcp_cksum, tx_multi_seg, and of IPv4 all */
	bool tx_tso;
	/** ol_flags tell; only RTE_MBUF_F_RX_IP_CKSUM_GOOD is believed, all else is checked */
	bool rx_ip_cksum;
	/** RTE_MBUF_F_RX_L4_CKSUM_GOOD and _NONE are believed, all else is checked */
	bool rx_tcp_cksum;
};

/** What a person should know, each told once by a bit of leat_inet_notices(). */
enum leat_inet_notice {
	/** A local peer leaves TCP checksums to hardware that is not there: nothing gets through */
	LEAT_INET_NOTICE_CKSUM_PARTIAL = 0x01,
	/* The port promised it and does not do it; it is not used any more. */
	LEAT_INET_NOTICE_TX_TCP_CKSUM = 0x02,
	LEAT_INET_NOTICE_TX_IP_CKSUM = 0x04,
	LEAT_INET_NOTICE_TX_MULTI_SEG = 0x08,
	LEAT_INET_NOTICE_RX_IP_CKSUM = 0x10,
	LEAT_INET_NOTICE_RX_TCP_CKSUM = 0x20,
	LEAT_INET_NOTICE_TX_TSO = 0x40,
	/** Somebody else says that he has one of our addresses, RFC 5227 section 2.4 */
	LEAT_INET_NOTICE_CONFLICT = 0x80,
	/* Those of above over IPv6. */
	LEAT_INET_NOTICE_TX_TCP_CKSUM6 = 0x100,
	LEAT_INET_NOTICE_TX_MULTI_SEG6 = 0x200,
	LEAT_INET_NOTICE_RX_TCP_CKSUM6 = 0x400,
	LEAT_INET_NOTICE_TX_TSO6 = 0x800,
};

#ifdef __cplusplus
}
#endif

#endif /* LEAT_INET_OFFLOAD_H */
