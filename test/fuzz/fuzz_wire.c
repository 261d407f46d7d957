/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include <leat_arp.h>
#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_eth.h>
#include <leat_ipv4.h>

#include "fuzz_wire.h"

#define ICMP_TYPE_ECHO        8u
#define ICMP_TYPE_UNREACHABLE 3u
#define ICMP_QUOTE_LEN        28u

const uint8_t wire_our_mac[LEAT_ETH_ADDR_LEN] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t wire_peer_mac[LEAT_ETH_ADDR_LEN] = { 2, 0, 0, 0, 0, 2 };

uint8_t *
wire_add(struct frame *frame, uint32_t len)
{
	uint8_t *at = frame->bytes + frame->len;

	LEAT_VERIFY(len <= WIRE_FRAME_MAX - frame->len);
	memset(at, 0, len);
	frame->len += len;
	return at;
}

static void
wire_begin(struct frame *frame, uint16_t vlan_id, uint16_t type, const uint8_t *dst)
{
	struct leat_eth_hdr hdr = { .type = type, .vlan_id = vlan_id };
	uint8_t head[LEAT_ETH_HDR_LEN_MAX];
	size_t len;

	memcpy(hdr.dst, dst, LEAT_ETH_ADDR_LEN);
	memcpy(hdr.src, wire_peer_mac, LEAT_ETH_ADDR_LEN);
	len = leat_eth_emit(&hdr, head);
	frame->len = 0;
	memcpy(wire_add(frame, (uint32_t)len), head, len);
}

void
wire_begin_ipv4(struct frame *frame, uint16_t vlan_id, uint8_t proto, uint32_t payload_len)
{
	struct leat_ipv4_hdr hdr = {
		.total_len = (uint16_t)(LEAT_IPV4_HDR_LEN + payload_len),
		.ttl = 64,
		.proto = proto,
		.src = WIRE_PEER_ADDR,
		.dst = WIRE_OUR_ADDR,
	};

	wire_begin(frame, vlan_id, LEAT_ETH_TYPE_IPV4, wire_our_mac);
	(void)leat_ipv4_emit(&hdr, wire_add(frame, LEAT_IPV4_HDR_LEN));
}

uint32_t
wire_ip_off(const struct frame *frame)
{
	return leat_be16_get(frame->bytes + 12) == LEAT_ETH_TYPE_VLAN ? 18 : 14;
}

/* Put the checksums right, as far as the lengths in the frame make sense. */
void
wire_sum(struct frame *frame)
{
	uint32_t off = wire_ip_off(frame);
	uint8_t *ip = frame->bytes + off;
	uint32_t hdr_len = (uint32_t)(ip[0] & 0xf) * 4;
	struct leat_cksum cksum = { 0 };
	uint32_t len, sum_off;

	if (frame->len < off + LEAT_IPV4_HDR_LEN || leat_be16_get(ip - 2) != LEAT_ETH_TYPE_IPV4)
		return;
	len = leat_be16_get(ip + 2);
	if (hdr_len < LEAT_IPV4_HDR_LEN || len < hdr_len || len > frame->len - off)
		return;
	leat_be16_put(ip + 10, 0);
	leat_cksum_add(&cksum, ip, hdr_len);
	leat_be16_put(ip + 10, leat_cksum_value(&cksum));

	sum_off = ip[9] == LEAT_IPV4_PROTO_TCP ? 16 : 2;
	if (len - hdr_len < sum_off + 2)
		return;
	cksum = (struct leat_cksum){ 0 };
	if (ip[9] == LEAT_IPV4_PROTO_TCP)
		leat_cksum_add_ipv4_pseudo(&cksum, leat_be32_get(ip + 12), leat_be32_get(ip + 16),
			ip[9], (uint16_t)(len - hdr_len));
	leat_be16_put(ip + hdr_len + sum_off, 0);
	leat_cksum_add(&cksum, ip + hdr_len, len - hdr_len);
	leat_be16_put(ip + hdr_len + sum_off, leat_cksum_value(&cksum));
}

/* Change a few bytes; then the sums are right again, or not. */
void
wire_mutate(struct frame *frame, struct fuzz_in *in)
{
	uint8_t how = fuzz_u8(in);

	for (uint8_t i = 0; i < how % 8; i++) {
		uint32_t off = fuzz_u16(in) % frame->len;

		frame->bytes[off] = fuzz_u8(in);
	}
	if ((how & 8) != 0)
		frame->len -= fuzz_u8(in) % frame->len;
	if ((how & 16) == 0)
		wire_sum(frame);
}

void
wire_arp(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in)
{
	static const uint8_t broadcast[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint8_t how = fuzz_u8(in);
	struct leat_arp arp = {
		.op = (how & 1) != 0 ? LEAT_ARP_OP_REPLY : LEAT_ARP_OP_REQUEST,
		.spa = WIRE_PEER_ADDR,
		.tpa = WIRE_OUR_ADDR,
	};

	memcpy(arp.sha, wire_peer_mac, LEAT_ETH_ADDR_LEN);
	if ((how & 1) != 0)
		memcpy(arp.tha, wire_our_mac, LEAT_ETH_ADDR_LEN);
	wire_begin(frame, vlan_id, LEAT_ETH_TYPE_ARP, (how & 2) != 0 ? wire_our_mac : broadcast);
	(void)leat_arp_emit(&arp, wire_add(frame, LEAT_ARP_LEN));
}

void
wire_echo(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in)
{
	uint32_t len = 8 + fuzz_u16(in) % (WIRE_MTU - LEAT_IPV4_HDR_LEN - 8);

	wire_begin_ipv4(frame, vlan_id, LEAT_IPV4_PROTO_ICMP, len);
	wire_add(frame, len)[0] = ICMP_TYPE_ECHO;
}

/* An error about a packet that we have sent. */
void
wire_unreachable(
	struct frame *frame, uint16_t vlan_id, struct fuzz_in *in, const struct frame *sent)
{
	uint32_t off = wire_ip_off(sent);
	uint32_t quote_len = sent->len < off + ICMP_QUOTE_LEN ? 0 : ICMP_QUOTE_LEN;
	uint8_t *icmp;

	wire_begin_ipv4(frame, vlan_id, LEAT_IPV4_PROTO_ICMP, 8 + quote_len);
	icmp = wire_add(frame, 8 + quote_len);
	icmp[0] = ICMP_TYPE_UNREACHABLE;
	icmp[1] = fuzz_u8(in);
	leat_be16_put(icmp + 6, fuzz_u16(in)); /* MTU of the next hop */
	memcpy(icmp + 8, sent->bytes + off, quote_len);
}

void
wire_raw(struct frame *frame, struct fuzz_in *in)
{
	uint32_t len = 1 + fuzz_u16(in) % (WIRE_FRAME_MAX - 1);

	len = (uint32_t)LEAT_MIN(len, in->len + 1);
	frame->len = 0;
	for (uint8_t *at = wire_add(frame, len); len > 0; len--)
		*at++ = fuzz_u8(in);
}
