/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_IPV6_H
#define LEAT_IPV6_H

/**
 * @file
 * IPv6 headers and extension headers, RFC 8200, and the kinds of addresses, RFC 4291.
 * Pure functions on bytes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <leat_bytes.h>
#include <leat_eth.h>

#include "leat_ip.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_IPV6_HDR_LEN        40u
#define LEAT_IPV6_HOP_LIMIT      64u   /**< of what we send */
#define LEAT_IPV6_MTU_MIN        1280u /**< of every link, RFC 8200 section 5 */

#define LEAT_IPV6_EXT_MAX        8u   /**< extension headers of one packet */
#define LEAT_IPV6_EXT_LEN_MAX    256u /**< bytes of them together */

#define LEAT_IPV6_PROTO_HOPOPTS  0u
#define LEAT_IPV6_PROTO_TCP      6u
#define LEAT_IPV6_PROTO_ROUTING  43u
#define LEAT_IPV6_PROTO_FRAGMENT 44u
#define LEAT_IPV6_PROTO_ICMP     58u
#define LEAT_IPV6_PROTO_NONE     59u
#define LEAT_IPV6_PROTO_DSTOPTS  60u

/** A header. */
struct leat_ipv6_hdr {
	struct leat_ip_addr src;
	struct leat_ip_addr dst;
	uint32_t flow_label;  /**< 20 bits */
	uint16_t payload_len; /**< bytes behind this header, extension headers included */
	uint8_t traffic_class;
	uint8_t next; /**< protocol of what follows: LEAT_IPV6_PROTO_ */
	uint8_t hop_limit;
};

/**
 * Parse a header.
 *
 * @param in
 *   The packet's first bytes, at least its header.
 * @param packet_len
 *   Bytes received from the header on, at least in.len. What is beyond the payload is
 *   padding.
 * @param hdr
 *   Filled on success; then LEAT_IPV6_HDR_LEN + payload_len <= packet_len.
 * @return
 *   - > 0: LEAT_IPV6_HDR_LEN.
 *   - -EPROTONOSUPPORT: not version 6.
 *   - -EBADMSG: cut, or more payload than was received.
 */
ssize_t leat_ipv6_parse(struct leat_slice in, size_t packet_len, struct leat_ipv6_hdr *hdr);

/**
 * Write a header.
 *
 * @param out
 *   Room for LEAT_IPV6_HDR_LEN bytes.
 * @return
 *   Bytes written.
 */
size_t leat_ipv6_emit(const struct leat_ipv6_hdr *hdr, uint8_t *out);

/**
 * Walk over the extension headers, RFC 8200 section 4. Hop-by-hop and destination options
 * are skipped where each option asks for that, a routing header with no segments left, and
 * the fragment header of a packet that is whole (RFC 6946).
 *
 * @param in
 *   What follows the IPv6 header: the payload, or its first LEAT_IPV6_EXT_LEN_MAX bytes
 *   and more.
 * @param proto
 *   The IPv6 header's next on entry; on success the protocol of what follows.
 * @return
 *   - >= 0: bytes to skip.
 *   - -EBADMSG: cut, misplaced, or over LEAT_IPV6_EXT_MAX or LEAT_IPV6_EXT_LEN_MAX.
 *   - -EMSGSIZE: a fragment of a larger packet.
 *   - -EOPNOTSUPP: an option or a route that whoever does not know it must discard.
 */
ssize_t leat_ipv6_skip_ext(struct leat_slice in, uint8_t *proto);

/** ff00::/8. */
static inline bool
leat_ipv6_addr_is_multicast(struct leat_ip_addr addr)
{
	return addr.bytes[0] == 0xff;
}

/** fe80::/10: valid on one link only. */
static inline bool
leat_ipv6_addr_is_link_local(struct leat_ip_addr addr)
{
	return addr.bytes[0] == 0xfe && (addr.bytes[1] & 0xc0) == 0x80;
}

/**
 * Whether a host may have this address on a wire: not "::", "::1", multicast, or an IPv4
 * address in IPv6 form.
 */
bool leat_ipv6_addr_is_host(struct leat_ip_addr addr);

/** fe80::/64 with the modified EUI-64 of a MAC address, RFC 4291 appendix A. */
struct leat_ip_addr leat_ipv6_addr_link_local(const uint8_t mac[LEAT_ETH_ADDR_LEN]);

/** ff02::1, every node of the link. */
struct leat_ip_addr leat_ipv6_addr_all_nodes(void);

/** ff02::1:ff00:0/104 with the last 24 bits of @p addr, RFC 4291 section 2.7.1. */
struct leat_ip_addr leat_ipv6_addr_solicited_node(struct leat_ip_addr addr);

/** The MAC address of a multicast address, RFC 2464 section 7. */
void leat_ipv6_multicast_mac(struct leat_ip_addr group, uint8_t mac[LEAT_ETH_ADDR_LEN]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_IPV6_H */
