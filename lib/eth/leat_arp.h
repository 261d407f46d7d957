/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ARP_H
#define LEAT_ARP_H

/**
 * @file
 * ARP for IPv4 over Ethernet, RFC 826. Pure functions on bytes.
 */

#include <stdint.h>
#include <sys/types.h>

#include <leat_bytes.h>
#include <leat_eth.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ARP_LEN        28u

#define LEAT_ARP_OP_REQUEST 1u
#define LEAT_ARP_OP_REPLY   2u

/** A packet, under RFC 826's names for Ethernet and IPv4, in host byte order. */
struct leat_arp {
	uint16_t op;                    /**< other than request and reply: not for us */
	uint8_t sha[LEAT_ETH_ADDR_LEN]; /**< sender's hardware address */
	uint8_t tha[LEAT_ETH_ADDR_LEN]; /**< target's hardware address */
	uint32_t spa;                   /**< sender's protocol address */
	uint32_t tpa;                   /**< target's protocol address */
};

/**
 * Parse a packet.
 *
 * @param in
 *   What follows the Ethernet header; bytes behind the packet are padding.
 * @param arp
 *   Filled on success.
 * @return
 *   - > 0: LEAT_ARP_LEN.
 *   - -EBADMSG: @p in ends inside the packet.
 *   - -EPROTONOSUPPORT: not IPv4 over Ethernet.
 */
ssize_t leat_arp_parse(struct leat_slice in, struct leat_arp *arp);

/**
 * Write a packet.
 *
 * @param out
 *   Room for LEAT_ARP_LEN bytes.
 * @return
 *   Bytes written.
 */
size_t leat_arp_emit(const struct leat_arp *arp, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ARP_H */
