/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ETH_H
#define LEAT_ETH_H

/**
 * @file
 * Ethernet II frames with at most one 802.1Q tag. Pure functions on bytes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ETH_ADDR_LEN      6u
#define LEAT_ETH_HDR_LEN       14u /**< untagged */
#define LEAT_ETH_TAG_LEN       4u
#define LEAT_ETH_HDR_LEN_MAX   (LEAT_ETH_HDR_LEN + LEAT_ETH_TAG_LEN)
#define LEAT_ETH_FRAME_LEN_MIN 60u /**< without the frame check sequence, IEEE 802.3 */
#define LEAT_ETH_VLAN_ID_MAX   4094u

#define LEAT_ETH_TYPE_IPV4     0x0800u
#define LEAT_ETH_TYPE_ARP      0x0806u
#define LEAT_ETH_TYPE_VLAN     0x8100u
#define LEAT_ETH_TYPE_IPV6     0x86ddu
#define LEAT_ETH_TYPE_MIN      0x0600u /**< what is lower is an IEEE 802.3 length */

/** The header of one frame, in host byte order. */
struct leat_eth_hdr {
	uint8_t dst[LEAT_ETH_ADDR_LEN];
	uint8_t src[LEAT_ETH_ADDR_LEN];
	uint16_t type;    /**< of the payload, behind a tag if there is one */
	uint16_t vlan_id; /**< 0: untagged, or a tag that carries a priority only */
};

/**
 * Parse the header at the start of a frame.
 *
 * @param in
 *   The frame's first bytes, at least its header.
 * @param hdr
 *   Filled on success.
 * @return
 *   - > 0: length of the header, LEAT_ETH_HDR_LEN or LEAT_ETH_HDR_LEN_MAX.
 *   - -EBADMSG: @p in ends inside the header.
 */
ssize_t leat_eth_parse(struct leat_slice in, struct leat_eth_hdr *hdr);

/**
 * Write a header, with a tag of priority 0 if it has a VLAN id.
 *
 * @param hdr
 *   vlan_id is at most LEAT_ETH_VLAN_ID_MAX.
 * @param out
 *   Room for LEAT_ETH_HDR_LEN bytes, with a tag for LEAT_ETH_HDR_LEN_MAX.
 * @return
 *   Bytes written.
 */
size_t leat_eth_emit(const struct leat_eth_hdr *hdr, uint8_t *out);

static inline bool
leat_eth_addr_is_equal(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, LEAT_ETH_ADDR_LEN) == 0;
}

/** The group bit is set; a broadcast address is a multicast address too. */
static inline bool
leat_eth_addr_is_multicast(const uint8_t *addr)
{
	return (addr[0] & 1) != 0;
}

/** All ones. */
bool leat_eth_addr_is_broadcast(const uint8_t *addr);

/** A sender's own address: neither multicast nor all zero. */
bool leat_eth_addr_is_unicast(const uint8_t *addr);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ETH_H */
