/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_TCP_SEG_H
#define LEAT_TCP_SEG_H

/**
 * @file
 * Segments of TCP: what stands in their headers, and the codec; included by leat_tcp.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rte_mbuf.h>

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_TCP_FIN         0x01u
#define LEAT_TCP_SYN         0x02u
#define LEAT_TCP_RST         0x04u
#define LEAT_TCP_PSH         0x08u
#define LEAT_TCP_ACK         0x10u

#define LEAT_TCP_HDR_LEN     20u
#define LEAT_TCP_OPT_LEN_MAX 40u
#define LEAT_TCP_HDR_LEN_MAX (LEAT_TCP_HDR_LEN + LEAT_TCP_OPT_LEN_MAX)
#define LEAT_TCP_SACK_MAX    4u    /**< blocks in one segment */
#define LEAT_TCP_WSCALE_MAX  14u   /**< RFC 7323 section 2.3 */
#define LEAT_TCP_MSS_DEFAULT 536u  /**< where the peer names none, RFC 9293 section 3.7.1 */
#define LEAT_TCP_MSS_IPV6    1220u /**< the same over IPv6 */
#define LEAT_TCP_MSS_MIN     88u   /**< a peer that asks for less gets this much */

/** Bytes of text, acknowledged one by one: [left, right). */
struct leat_tcp_sack {
	uint32_t left;
	uint32_t right;
};

/** Options of one segment, in host byte order. */
struct leat_tcp_opts {
	uint16_t mss;   /**< 0: absent */
	uint8_t wscale; /**< valid if has_wscale; at most LEAT_TCP_WSCALE_MAX */
	bool has_wscale;
	bool has_ts;
	bool has_sack_ok;
	uint8_t nb_sacks;
	uint32_t ts_val;
	uint32_t ts_ecr;
	struct leat_tcp_sack sacks[LEAT_TCP_SACK_MAX];
};

/** A received segment, decoded, in host byte order. */
struct leat_tcp_seg {
	uint32_t seq;
	uint32_t ack;
	uint32_t wnd; /**< as on the wire, 16 bits; the engine scales it */
	uint32_t len; /**< bytes of text, without SYN and FIN */
	uint8_t flags;
	struct leat_tcp_opts opts;
};

/** A segment to send, in host byte order. */
struct leat_tcp_out {
	uint32_t seq;
	uint32_t ack;
	uint16_t wnd; /**< as on the wire, already scaled */
	uint8_t flags;
	bool is_rtx; /**< SYN, text or FIN that was sent before, for the caller's counters */
	struct leat_tcp_opts opts;
	/**
	 * Where it is not 0, @p text is longer than one segment: whole segments of @p mss bytes,
	 * the last one may be shorter. The caller cuts them (TSO); FIN and PSH belong to the last.
	 */
	uint16_t mss;
	/**
	 * Text: @p len bytes from @p off on in the chain @p text; NULL if none. Borrowed until
	 * the next call on the connection; the chain goes on behind the text, and its pkt_len
	 * and nb_segs mean nothing. An indirect mbuf attached to it keeps the bytes alive.
	 */
	struct rte_mbuf *text;
	uint32_t off; /**< less than the data_len of @p text */
	uint32_t len;
};

/** Both ports of a segment, in host byte order. */
struct leat_tcp_ports {
	uint16_t src;
	uint16_t dst;
};

/**
 * Parse a TCP header. Its checksum is the caller's to verify.
 *
 * Options end at the first whose length is less than 2 or passes the header; those
 * before it count. Unknown ones, and known ones of a wrong length, are skipped.
 * MSS, window scale and SACK permitted are taken from a SYN only.
 *
 * @param in
 *   Contiguous bytes from the header's first on; text behind it is not looked at.
 * @param ports
 *   Filled on success.
 * @param seg
 *   Filled on success but for len, which is 0: the caller knows how long the packet is.
 * @return
 *   - > 0: bytes of the header, options included; at most in.len.
 *   - -EBADMSG: shorter than its header says, or than a header can be.
 */
ssize_t leat_tcp_hdr_parse(
	struct leat_slice in, struct leat_tcp_ports *ports, struct leat_tcp_seg *seg);

/** @return bytes that leat_tcp_hdr_emit() will write: a multiple of 4, 20 to 60. */
size_t leat_tcp_hdr_len(const struct leat_tcp_out *out);

/**
 * Write a TCP header with a checksum of zero, for the caller to fill in.
 *
 * @param hdr
 *   Room for leat_tcp_hdr_len() bytes, at any alignment.
 * @return
 *   leat_tcp_hdr_len().
 */
size_t leat_tcp_hdr_emit(uint8_t *hdr, struct leat_tcp_ports ports, const struct leat_tcp_out *out);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_TCP_SEG_H */
