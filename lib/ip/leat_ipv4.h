/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_IPV4_H
#define LEAT_IPV4_H

/**
 * @file
 * IPv4 headers, RFC 791. Pure functions on bytes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_IPV4_HDR_LEN     20u /**< without options, as we send it */
#define LEAT_IPV4_HDR_LEN_MAX 60u
#define LEAT_IPV4_LEN_MAX     65535u
#define LEAT_IPV4_TTL         64u /**< of what we send, RFC 1122 section 3.2.1.7 */

#define LEAT_IPV4_PROTO_ICMP  1u
#define LEAT_IPV4_PROTO_TCP   6u

#define LEAT_IPV4_BROADCAST   0xffffffffu

/** A header, in host byte order. */
struct leat_ipv4_hdr {
	uint32_t src;
	uint32_t dst;
	uint16_t total_len; /**< header and payload */
	uint16_t id;
	uint16_t frag_off; /**< of the payload, in bytes */
	uint8_t hdr_len;   /**< bytes, options included; emit writes none */
	uint8_t tos;
	uint8_t ttl;
	uint8_t proto;
	bool dont_fragment;
	bool more_fragments;
};

/**
 * Parse a header; options are accepted and skipped, the checksum is not looked at.
 *
 * @param in
 *   The packet's first bytes, at least its header.
 * @param packet_len
 *   Bytes received from the header on, at least in.len. What is beyond
 *   hdr->total_len is padding.
 * @param hdr
 *   Filled on success; then hdr_len <= total_len <= packet_len.
 * @return
 *   - > 0: hdr->hdr_len.
 *   - -EPROTONOSUPPORT: not version 4.
 *   - -EBADMSG: a length that cannot be, or more than was received.
 */
ssize_t leat_ipv4_parse(struct leat_slice in, size_t packet_len, struct leat_ipv4_hdr *hdr);

/** Whether a header of @p hdr_len bytes at @p data has its right checksum. */
bool leat_ipv4_cksum_is_good(const uint8_t *data, size_t hdr_len);

/**
 * Write a header of LEAT_IPV4_HDR_LEN bytes, checksum field 0.
 *
 * @param hdr
 *   hdr_len is not read; frag_off is 0 and more_fragments false: we do not fragment.
 * @param out
 *   Room for LEAT_IPV4_HDR_LEN bytes.
 * @return
 *   Bytes written.
 */
size_t leat_ipv4_emit(const struct leat_ipv4_hdr *hdr, uint8_t *out);

/** Compute and write the checksum of the header that leat_ipv4_emit() wrote at @p out. */
void leat_ipv4_emit_cksum(uint8_t *out);

static inline bool
leat_ipv4_is_fragment(const struct leat_ipv4_hdr *hdr)
{
	return hdr->more_fragments || hdr->frag_off != 0;
}

/** 224.0.0.0/4. */
static inline bool
leat_ipv4_addr_is_multicast(uint32_t addr)
{
	return addr >> 28 == 0xe;
}

/** 127.0.0.0/8, never on a wire, RFC 1122 section 3.2.1.3 (g). */
static inline bool
leat_ipv4_addr_is_loopback(uint32_t addr)
{
	return addr >> 24 == 127;
}

/** The mask of a prefix of 0 to 32 bits. */
static inline uint32_t
leat_ipv4_mask(uint8_t prefix_len)
{
	return prefix_len == 0 ? 0 : UINT32_MAX << (32 - prefix_len);
}

/**
 * Whether a host may have this address: not 0.0.0.0/8, loopback, multicast, class E or
 * broadcast, RFC 1122 section 3.2.1.3.
 */
bool leat_ipv4_addr_is_host(uint32_t addr);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_IPV4_H */
