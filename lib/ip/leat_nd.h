/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ND_H
#define LEAT_ND_H

/**
 * @file
 * Neighbour solicitations and advertisements for Ethernet, RFC 4861. Pure functions on
 * bytes.
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

#define LEAT_ND_HOP_LIMIT    255u  /**< of every message: it came from the link itself */
#define LEAT_ND_LEN          24u   /**< without options */
#define LEAT_ND_EMIT_LEN_MAX 32u   /**< with the one option that we send */
#define LEAT_ND_LEN_MAX      1024u /**< bytes of a message that is looked at */

/** A solicitation or an advertisement. */
struct leat_nd {
	struct leat_ip_addr target;
	bool is_advert;
	bool is_router;    /**< advertisement: R */
	bool is_solicited; /**< advertisement: S */
	bool is_override;  /**< advertisement: O */
	/** The source's (solicitation) or the target's (advertisement) link-layer address. */
	bool has_mac;
	uint8_t mac[LEAT_ETH_ADDR_LEN];
};

/**
 * Parse a message, RFC 4861 section 7.1 without what concerns the IPv6 header and the
 * checksum. Options that are not known are skipped.
 *
 * @param in
 *   The ICMPv6 message, whole.
 * @param nd
 *   Filled on success.
 * @return
 *   - > 0: in.len.
 *   - -EBADMSG: cut, over LEAT_ND_LEN_MAX, a code other than 0, a target that is multicast
 *     or an IPv4 address in IPv6 form, an option of length 0 or beyond the end, or a
 *     link-layer address that cannot be one.
 *   - -EPROTONOSUPPORT: of another type.
 */
ssize_t leat_nd_parse(struct leat_slice in, struct leat_nd *nd);

/**
 * Write a message, checksum field 0: it is the caller's to put at LEAT_ICMP_CKSUM_OFF.
 *
 * @param out
 *   Room for LEAT_ND_EMIT_LEN_MAX bytes.
 * @return
 *   Bytes written: LEAT_ND_LEN, or LEAT_ND_EMIT_LEN_MAX if nd->has_mac.
 */
size_t leat_nd_emit(const struct leat_nd *nd, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ND_H */
