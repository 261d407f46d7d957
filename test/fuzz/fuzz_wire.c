/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include <leat_arp.h>
#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_eth.h>
#include <leat_icmp.h>
#include <leat_ipv4.h>
#include <leat_ipv6.h>
#include <leat_nd.h>

#include "fuzz_wire.h"

#define ICMP_QUOTE_LEN 8u /* behind the IP header */

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

struct leat_ip_addr
wire_addr(bool is_ipv6, bool is_ours)
{
	struct leat_ip_addr addr = { 0 };

	if (!is_ipv6)
		return leat_ip_addr_from_ipv4(is_ours ? WIRE_OUR_ADDR : WIRE_PEER_ADDR);
	addr.bytes[0] = 0xfd;
	addr.bytes[LEAT_IP_ADDR_LEN - 1] = is_ours ? 1 : 2;
	return addr;
}

static void
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

void
wire_begin_ip(struct frame *frame, const struct wire *wire, uint8_t proto, uint32_t payload_len)
{
	struct leat_ipv6_hdr hdr = {
		.src = wire_addr(true, false),
		.dst = wire_addr(true, true),
		.payload_len = (uint16_t)payload_len,
		.next = proto,
		.hop_limit = LEAT_ND_HOP_LIMIT,
	};

	if (!wire->is_ipv6) {
		wire_begin_ipv4(frame, wire->vlan_id, proto, payload_len);
		return;
	}
	wire_begin(frame, wire->vlan_id, LEAT_ETH_TYPE_IPV6, wire_our_mac);
	(void)leat_ipv6_emit(&hdr, wire_add(frame, LEAT_IPV6_HDR_LEN));
}

uint32_t
wire_ip_off(const struct frame *frame)
{
	return leat_be16_get(frame->bytes + 12) == LEAT_ETH_TYPE_VLAN ? 18 : 14;
}

uint16_t
wire_type(const struct frame *frame)
{
	return leat_be16_get(frame->bytes + wire_ip_off(frame) - 2);
}

/* Of TCP or ICMP, whose first byte is @p payload; the pseudo header is in @p cksum. */
static void
payload_sum(uint8_t *payload, uint32_t len, uint8_t proto, struct leat_cksum cksum)
{
	uint32_t sum_off = proto == LEAT_IPV4_PROTO_TCP ? 16 : 2;

	if (len < sum_off + 2)
		return;
	leat_be16_put(payload + sum_off, 0);
	leat_cksum_add(&cksum, payload, len);
	leat_be16_put(payload + sum_off, leat_cksum_value(&cksum));
}

static void
ipv4_sum(uint8_t *ip, uint32_t room)
{
	uint32_t hdr_len = (uint32_t)(ip[0] & 0xf) * 4;
	uint32_t len = leat_be16_get(ip + 2);
	struct leat_cksum cksum = { 0 };

	if (hdr_len < LEAT_IPV4_HDR_LEN || len < hdr_len || len > room)
		return;
	leat_be16_put(ip + 10, 0);
	leat_cksum_add(&cksum, ip, hdr_len);
	leat_be16_put(ip + 10, leat_cksum_value(&cksum));

	cksum = (struct leat_cksum){ 0 };
	if (ip[9] == LEAT_IPV4_PROTO_TCP)
		leat_cksum_add_ipv4_pseudo(&cksum, leat_be32_get(ip + 12), leat_be32_get(ip + 16),
			ip[9], (uint16_t)(len - hdr_len));
	payload_sum(ip + hdr_len, len - hdr_len, ip[9], cksum);
}

static void
ipv6_sum(uint8_t *ip, uint32_t room)
{
	uint32_t len = leat_be16_get(ip + 4);
	struct leat_ip_addr src, dst;
	struct leat_cksum cksum = { 0 };

	if (len > room - LEAT_IPV6_HDR_LEN)
		return;
	memcpy(src.bytes, ip + 8, LEAT_IP_ADDR_LEN);
	memcpy(dst.bytes, ip + 24, LEAT_IP_ADDR_LEN);
	leat_cksum_add_ipv6_pseudo(&cksum, src, dst, ip[6], len);
	payload_sum(ip + LEAT_IPV6_HDR_LEN, len, ip[6], cksum);
}

void
wire_sum(struct frame *frame)
{
	uint32_t off = wire_ip_off(frame);
	uint32_t room = frame->len > off ? frame->len - off : 0;

	if (wire_type(frame) == LEAT_ETH_TYPE_IPV4 && room >= LEAT_IPV4_HDR_LEN)
		ipv4_sum(frame->bytes + off, room);
	else if (wire_type(frame) == LEAT_ETH_TYPE_IPV6 && room >= LEAT_IPV6_HDR_LEN)
		ipv6_sum(frame->bytes + off, room);
}

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

static void
wire_arp(struct frame *frame, uint16_t vlan_id, uint8_t how)
{
	static const uint8_t broadcast[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
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
wire_neighbour(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in)
{
	const struct wire wire = { .vlan_id = vlan_id, .is_ipv6 = true };
	uint8_t how = fuzz_u8(in);
	struct leat_nd nd = {
		.is_advert = (how & 1) != 0,
		.is_solicited = (how & 8) != 0,
		.is_override = (how & 16) != 0,
		.has_mac = true,
	};

	if ((how & 4) == 0) {
		wire_arp(frame, vlan_id, how);
		return;
	}
	nd.target = wire_addr(true, !nd.is_advert);
	memcpy(nd.mac, wire_peer_mac, LEAT_ETH_ADDR_LEN);
	wire_begin_ip(frame, &wire, LEAT_IPV6_PROTO_ICMP, LEAT_ND_EMIT_LEN_MAX);
	(void)leat_nd_emit(&nd, wire_add(frame, LEAT_ND_EMIT_LEN_MAX));
	wire_sum(frame);
}

void
wire_echo(struct frame *frame, uint16_t vlan_id, struct fuzz_in *in)
{
	uint16_t how = fuzz_u16(in);
	const struct wire wire = { .vlan_id = vlan_id, .is_ipv6 = (how & 0x8000) != 0 };
	uint32_t len = 8 + (how & 0x7fffu) % (WIRE_MTU - LEAT_IPV6_HDR_LEN - 8);

	wire_begin_ip(
		frame, &wire, wire.is_ipv6 ? LEAT_IPV6_PROTO_ICMP : LEAT_IPV4_PROTO_ICMP, len);
	wire_add(frame, len)[0] = wire.is_ipv6 ? LEAT_ICMP6_TYPE_ECHO : LEAT_ICMP_TYPE_ECHO;
}

/* An error about a packet that we have sent. */
void
wire_unreachable(
	struct frame *frame, uint16_t vlan_id, struct fuzz_in *in, const struct frame *sent)
{
	const struct wire wire = { .vlan_id = vlan_id,
		.is_ipv6 = wire_type(sent) == LEAT_ETH_TYPE_IPV6 };
	uint32_t off = wire_ip_off(sent);
	uint32_t quote_len =
		(wire.is_ipv6 ? LEAT_IPV6_HDR_LEN : LEAT_IPV4_HDR_LEN) + ICMP_QUOTE_LEN;
	uint8_t *icmp;

	if (sent->len < off + quote_len)
		quote_len = 0;
	wire_begin_ip(frame, &wire, wire.is_ipv6 ? LEAT_IPV6_PROTO_ICMP : LEAT_IPV4_PROTO_ICMP,
		8 + quote_len);
	icmp = wire_add(frame, 8 + quote_len);
	icmp[0] = LEAT_ICMP_TYPE_UNREACHABLE;
	icmp[1] = fuzz_u8(in);
	if (wire.is_ipv6) {
		icmp[0] = icmp[1] >= 0x80 ? LEAT_ICMP6_TYPE_PACKET_TOO_BIG
					  : LEAT_ICMP6_TYPE_UNREACHABLE;
		icmp[1] &= 0x7f;
	}
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
