/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOOD_FRAME_H
#define FLOOD_FRAME_H

/**
 * @file
 * Frames that a host has to bear in any number. A frame follows from the figures and
 * its number, and from nothing else.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLOOD_FRAME_MAX 1518u /**< bytes of the longest frame */

/** What the frames are. */
enum flood_kind {
	FLOOD_SYN,
	FLOOD_ACK,
	FLOOD_RST,
	FLOOD_XMAS,       /**< FIN, PSH and URG */
	FLOOD_BAD_CKSUM,  /**< a SYN with a wrong checksum */
	FLOOD_BAD_OFFSET, /**< a SYN whose header is shorter than a header can be */
	FLOOD_TINY,       /**< a SYN in fragments of 8 bytes */
	FLOOD_ORPHAN,     /**< fragments from the middle of what never comes */
	FLOOD_ECHO,       /**< ICMP echo requests of 1400 bytes */
	FLOOD_UDP,        /**< to the TCP port */
	FLOOD_SHORT,      /**< 11 bytes of a TCP header */
	FLOOD_TTL_1,      /**< a SYN on its last hop */
	FLOOD_LAND,       /**< a SYN from the target's own address and port */
	FLOOD_KINDS,
};

/** The figures. */
struct flood_conf {
	enum flood_kind kind;
	bool is_ipv6;
	uint8_t src_mac[6];
	uint8_t dst_mac[6];
	uint8_t dst[16];        /**< an IPv4 address in the first four bytes, or an IPv6 one */
	uint8_t src[16];        /**< likewise; only the prefix counts */
	uint8_t src_prefix_len; /**< bits of it, up to 32 or 128; the others are drawn */
	uint16_t port;          /**< of the target, host order */
	uint64_t seed;
};

/** The word for a kind on the command line, such as "bad-checksum". */
const char *flood_kind_name(enum flood_kind kind);

/**
 * Write a frame, without padding.
 *
 * @param frame_no
 *   Three numbers in a row are the fragments of one packet of FLOOD_TINY.
 * @param out
 *   Room for FLOOD_FRAME_MAX bytes.
 * @return
 *   Its bytes.
 */
size_t flood_frame_make(const struct flood_conf *conf, uint64_t frame_no, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif /* FLOOD_FRAME_H */
