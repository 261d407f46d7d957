/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FUZZ_WIRE_H
#define FUZZ_WIRE_H

/* Frames of a peer on the link, built by the rules and then changed at will. */

#include <leat_eth.h>
#include <leat_ip.h>

#include "fuzz_support.h"

#define WIRE_FRAME_MAX 1600u
#define WIRE_MTU       1500u
#define WIRE_OUR_ADDR  0x0a4d0001u
#define WIRE_PEER_ADDR 0x0a4d0002u

extern const uint8_t wire_our_mac[LEAT_ETH_ADDR_LEN];

/* What the peer speaks. */
struct wire {
	uint16_t vlan_id;
	bool is_ipv6;
};

struct frame {
	uint8_t bytes[WIRE_FRAME_MAX];
	uint32_t len;
};

/* Make the frame longer by @p len zero bytes; returns the first. */
uint8_t *wire_add(struct frame *frame, uint32_t len);
/* Ours, or the peer's. */
struct leat_ip_addr wire_addr(bool is_ipv6, bool is_ours);
/* Ethernet and IP header from the peer to us; the payload is to be added. */
void wire_begin_ip(
	struct frame *frame, const struct wire *wire, uint8_t proto, uint32_t payload_len);
/* Where the packet starts that the Ethernet header is followed by, and what it is. */
uint32_t wire_ip_off(const struct frame *frame);
uint16_t wire_type(const struct frame *frame);
/* Put the checksums right, as far as the lengths in the frame make sense. */
void wire_sum(struct frame *frame);
/* Change a few bytes; then the sums are right again, or not. */
void wire_mutate(struct frame *frame, struct fuzz_in *in);

/* ARP, or neighbour discovery. */
void wire_neighbour(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in);
void wire_echo(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in);
/* An error about a packet that we have sent. */
void wire_unreachable(
	struct frame *frame, uint16_t vlan_id, struct fuzz_in *in, const struct frame *sent);
/* Bytes of the input as they are. */
void wire_raw(struct frame *frame, struct fuzz_in *in);

#endif /* FUZZ_WIRE_H */
