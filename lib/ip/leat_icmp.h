/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ICMP_H
#define LEAT_ICMP_H

/**
 * @file
 * ICMP headers, RFC 792, and those of ICMPv6, RFC 4443, which look the same. Pure
 * functions on bytes.
 */

#include <stdint.h>
#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ICMP_HDR_LEN              8u
#define LEAT_ICMP_CKSUM_OFF            2u /**< of the checksum in the header */

#define LEAT_ICMP_TYPE_ECHO_REPLY      0u
#define LEAT_ICMP_TYPE_UNREACHABLE     3u
#define LEAT_ICMP_TYPE_ECHO            8u
#define LEAT_ICMP_TYPE_TIME_EXCEEDED   11u
#define LEAT_ICMP_TYPE_PARAMETER       12u

#define LEAT_ICMP6_TYPE_UNREACHABLE    1u
#define LEAT_ICMP6_TYPE_PACKET_TOO_BIG 2u
#define LEAT_ICMP6_TYPE_TIME_EXCEEDED  3u
#define LEAT_ICMP6_TYPE_PARAMETER      4u
#define LEAT_ICMP6_TYPE_ECHO           128u
#define LEAT_ICMP6_TYPE_ECHO_REPLY     129u
#define LEAT_ICMP6_TYPE_RS             133u /**< router solicitation, RFC 4861 */
#define LEAT_ICMP6_TYPE_RA             134u /**< router advertisement */
#define LEAT_ICMP6_TYPE_NS             135u /**< neighbour solicitation */
#define LEAT_ICMP6_TYPE_NA             136u /**< neighbour advertisement */
#define LEAT_ICMP6_TYPE_REDIRECT       137u

/** A header, in host byte order; the checksum is not kept. */
struct leat_icmp_hdr {
	uint8_t type;
	uint8_t code;
	uint16_t id;  /**< of an echo; the first half of what else the type has here */
	uint16_t seq; /**< of an echo; the second half */
};

/**
 * Parse a header. The checksum covers the whole message and is the caller's to check.
 *
 * @return
 *   - > 0: LEAT_ICMP_HDR_LEN.
 *   - -EBADMSG: @p in ends inside the header.
 */
ssize_t leat_icmp_parse(struct leat_slice in, struct leat_icmp_hdr *hdr);

/**
 * Write a header, checksum field 0: it is the caller's to put at LEAT_ICMP_CKSUM_OFF.
 *
 * @param out
 *   Room for LEAT_ICMP_HDR_LEN bytes.
 * @return
 *   Bytes written.
 */
size_t leat_icmp_emit(const struct leat_icmp_hdr *hdr, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ICMP_H */
