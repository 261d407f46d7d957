/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_common.h>

#include "flood_frame.h"

#define ETH_LEN         14u
#define ETH_TYPE_IPV4   0x0800u
#define ETH_TYPE_IPV6   0x86ddu
#define IPV4_LEN        20u
#define IPV6_LEN        40u
#define IPV6_FRAG_LEN   8u
#define IPV6_NEXT_FRAG  44u
#define PROTO_ICMP      1u
#define PROTO_TCP       6u
#define PROTO_UDP       17u
#define PROTO_ICMPV6    58u
#define TCP_LEN         20u
#define UDP_LEN         8u
#define SYN_OPTIONS_LEN 20u
#define ECHO_LEN        1400u /* with its header */
#define SHORT_LEN       11u
#define ORPHAN_LEN      32u
#define ORPHAN_OFFSET   64u
#define FRAG_LEN        8u
#define TINY_FRAGS      3u /* of 20 bytes */
#define HOP_LIMIT       64u
#define PORT_FIRST      1024u

enum tcp_flag {
	TCP_FIN = 0x01,
	TCP_SYN = 0x02,
	TCP_RST = 0x04,
	TCP_PSH = 0x08,
	TCP_ACK = 0x10,
	TCP_URG = 0x20,
};

/* What goes into an IP packet. */
struct payload {
	uint8_t proto;
	bool is_fragment;
	bool more_fragments;
	uint16_t offset;
	uint32_t id;
	size_t len;
	uint8_t bytes[ECHO_LEN];
};

static const char *const kind_names[FLOOD_KINDS] = {
	[FLOOD_SYN] = "syn",
	[FLOOD_ACK] = "ack",
	[FLOOD_RST] = "rst",
	[FLOOD_XMAS] = "xmas",
	[FLOOD_BAD_CKSUM] = "bad-checksum",
	[FLOOD_BAD_OFFSET] = "bad-offset",
	[FLOOD_TINY] = "tiny-fragments",
	[FLOOD_ORPHAN] = "orphan-fragments",
	[FLOOD_ECHO] = "echo",
	[FLOOD_UDP] = "udp",
	[FLOOD_SHORT] = "short-tcp",
	[FLOOD_TTL_1] = "ttl-1",
	[FLOOD_LAND] = "land",
};

/* What Linux sends: MSS 1460, SACK permitted, timestamps, window scale 7. */
static const uint8_t syn_options[SYN_OPTIONS_LEN] = { 2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 1, 2, 3, 0,
	0, 0, 0, 1, 3, 3, 7 };

const char *
flood_kind_name(enum flood_kind kind)
{
	LEAT_VERIFY(kind < FLOOD_KINDS);
	return kind_names[kind];
}

/* A good mixture of a counter (splitmix64). */
static uint64_t
draw(uint64_t seed, uint64_t idx)
{
	uint64_t x = seed + (idx + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t
addr_len(const struct flood_conf *conf)
{
	return conf->is_ipv6 ? 16 : 4;
}

/* The network's bits, then drawn ones. */
static void
draw_source(const struct flood_conf *conf, uint64_t drawn, uint8_t src[16])
{
	for (size_t i = 0; i < addr_len(conf); i++) {
		unsigned int nb_kept = conf->src_prefix_len > 8 * i
					       ? LEAT_MIN(conf->src_prefix_len - 8 * i, 8u)
					       : 0;
		uint8_t mask = (uint8_t)(0xff00u >> nb_kept);

		src[i] = (uint8_t)((conf->src[i] & mask) | (drawn >> i % 8 * 8 & (uint8_t)~mask));
	}
}

/* The checksum of a transport header that has a pseudo header before it. */
static uint16_t
transport_cksum(const struct flood_conf *conf, const uint8_t *src, const struct payload *p)
{
	struct leat_cksum cksum = { 0 };
	uint8_t rest[4] = { 0, p->proto, 0, 0 };

	leat_be16_put(rest + 2, (uint16_t)p->len);
	leat_cksum_add(&cksum, src, addr_len(conf));
	leat_cksum_add(&cksum, conf->dst, addr_len(conf));
	leat_cksum_add(&cksum, rest, sizeof(rest));
	leat_cksum_add(&cksum, p->bytes, p->len);
	return leat_cksum_value(&cksum);
}

static uint8_t
kind_tcp_flags(enum flood_kind kind)
{
	switch (kind) {
	case FLOOD_ACK:
		return TCP_ACK;
	case FLOOD_RST:
		return TCP_RST;
	case FLOOD_XMAS:
		return TCP_FIN | TCP_PSH | TCP_URG;
	default: /* all others are SYNs with something wrong about them */
		return TCP_SYN;
	}
}

static void
fill_tcp(const struct flood_conf *conf, const uint8_t *src, uint64_t drawn, struct payload *p)
{
	uint8_t flags = kind_tcp_flags(conf->kind);
	bool has_options = flags == TCP_SYN && conf->kind != FLOOD_TINY;
	uint8_t *tcp = p->bytes;
	uint16_t src_port = (uint16_t)(PORT_FIRST + (drawn >> 32) % (UINT16_MAX - PORT_FIRST));
	uint8_t nb_words = TCP_LEN / 4;

	p->proto = PROTO_TCP;
	p->len = TCP_LEN;
	if (has_options) {
		memcpy(tcp + TCP_LEN, syn_options, SYN_OPTIONS_LEN);
		p->len += SYN_OPTIONS_LEN;
		nb_words += SYN_OPTIONS_LEN / 4;
	}
	leat_be16_put(tcp, conf->kind == FLOOD_LAND ? conf->port : src_port);
	leat_be16_put(tcp + 2, conf->port);
	leat_be32_put(tcp + 4, (uint32_t)drawn);
	leat_be32_put(tcp + 8, flags == TCP_ACK ? (uint32_t)(drawn >> 16) : 0);
	tcp[12] = (uint8_t)((conf->kind == FLOOD_BAD_OFFSET ? 3u : nb_words) << 4);
	tcp[13] = flags;
	leat_be16_put(tcp + 14, 512);
	leat_be16_put(tcp + 16, (uint16_t)(transport_cksum(conf, src, p) ^
					   (conf->kind == FLOOD_BAD_CKSUM ? 0x5555 : 0)));
	if (conf->kind == FLOOD_SHORT)
		p->len = SHORT_LEN;
}

static void
fill_echo(const struct flood_conf *conf, const uint8_t *src, uint64_t drawn, struct payload *p)
{
	struct leat_cksum cksum = { 0 };

	p->proto = conf->is_ipv6 ? PROTO_ICMPV6 : PROTO_ICMP;
	p->len = ECHO_LEN;
	p->bytes[0] = conf->is_ipv6 ? 128 : 8;
	leat_be32_put(p->bytes + 4, (uint32_t)drawn); /* identifier and sequence number */
	leat_cksum_add(&cksum, p->bytes, p->len);
	leat_be16_put(p->bytes + 2,
		conf->is_ipv6 ? transport_cksum(conf, src, p) : leat_cksum_value(&cksum));
}

static void
fill_udp(const struct flood_conf *conf, const uint8_t *src, uint64_t drawn, struct payload *p)
{
	p->proto = PROTO_UDP;
	p->len = UDP_LEN;
	leat_be16_put(p->bytes, (uint16_t)(PORT_FIRST + (drawn >> 32) % PORT_FIRST));
	leat_be16_put(p->bytes + 2, conf->port);
	leat_be16_put(p->bytes + 4, UDP_LEN);
	leat_be16_put(p->bytes + 6, transport_cksum(conf, src, p));
}

/* The piece of a SYN that the number says. */
static void
cut_tiny(uint64_t frame_no, struct payload *p)
{
	size_t idx = frame_no % TINY_FRAGS;

	p->is_fragment = true;
	p->offset = (uint16_t)(idx * FRAG_LEN);
	p->more_fragments = idx + 1 < TINY_FRAGS;
	p->id = (uint32_t)(frame_no / TINY_FRAGS);
	p->len = LEAT_MIN(p->len - p->offset, FRAG_LEN);
	memmove(p->bytes, p->bytes + p->offset, p->len);
}

static void
fill_payload(const struct flood_conf *conf, const uint8_t *src, uint64_t frame_no, uint64_t drawn,
	struct payload *p)
{
	memset(p, 0, sizeof(*p));
	switch (conf->kind) {
	case FLOOD_ECHO:
		fill_echo(conf, src, drawn, p);
		break;
	case FLOOD_UDP:
		fill_udp(conf, src, drawn, p);
		break;
	case FLOOD_TINY:
		fill_tcp(conf, src, drawn, p);
		cut_tiny(frame_no, p);
		break;
	case FLOOD_ORPHAN:
		p->proto = PROTO_TCP;
		p->is_fragment = true;
		p->more_fragments = true;
		p->offset = ORPHAN_OFFSET;
		p->id = (uint32_t)frame_no;
		p->len = ORPHAN_LEN;
		break;
	default: /* TCP of all kinds */
		fill_tcp(conf, src, drawn, p);
		break;
	}
}

static size_t
put_ipv4(const struct flood_conf *conf, const uint8_t *src, const struct payload *p, uint8_t *out)
{
	uint16_t dont_fragment = 0x4000, more = 0x2000;
	struct leat_cksum cksum = { 0 };

	memset(out, 0, IPV4_LEN);
	out[0] = 0x45;
	leat_be16_put(out + 2, (uint16_t)(IPV4_LEN + p->len));
	leat_be16_put(out + 4, (uint16_t)p->id);
	leat_be16_put(out + 6,
		p->is_fragment ? (uint16_t)((p->more_fragments ? more : 0) | p->offset / FRAG_LEN)
			       : dont_fragment);
	out[8] = conf->kind == FLOOD_TTL_1 ? 1 : HOP_LIMIT;
	out[9] = p->proto;
	memcpy(out + 12, src, 4);
	memcpy(out + 16, conf->dst, 4);
	leat_cksum_add(&cksum, out, IPV4_LEN);
	leat_be16_put(out + 10, leat_cksum_value(&cksum));
	return IPV4_LEN;
}

static size_t
put_ipv6(const struct flood_conf *conf, const uint8_t *src, const struct payload *p, uint8_t *out)
{
	size_t ext_len = p->is_fragment ? IPV6_FRAG_LEN : 0;

	memset(out, 0, IPV6_LEN + ext_len);
	out[0] = 0x60;
	leat_be16_put(out + 4, (uint16_t)(ext_len + p->len));
	out[6] = p->is_fragment ? IPV6_NEXT_FRAG : p->proto;
	out[7] = conf->kind == FLOOD_TTL_1 ? 1 : HOP_LIMIT;
	memcpy(out + 8, src, 16);
	memcpy(out + 24, conf->dst, 16);
	if (p->is_fragment) {
		out[IPV6_LEN] = p->proto;
		leat_be16_put(out + IPV6_LEN + 2, (uint16_t)(p->offset | p->more_fragments));
		leat_be32_put(out + IPV6_LEN + 4, p->id);
	}
	return IPV6_LEN + ext_len;
}

size_t
flood_frame_make(const struct flood_conf *conf, uint64_t frame_no, uint8_t *out)
{
	uint64_t packet_no = conf->kind == FLOOD_TINY ? frame_no / TINY_FRAGS : frame_no;
	uint64_t drawn = draw(conf->seed, packet_no);
	struct payload payload;
	uint8_t src[16];
	size_t len = ETH_LEN;

	LEAT_VERIFY(conf->kind < FLOOD_KINDS);
	LEAT_VERIFY(conf->src_prefix_len <= 8 * addr_len(conf));
	if (conf->kind == FLOOD_LAND)
		memcpy(src, conf->dst, sizeof(src));
	else
		draw_source(conf, draw(~conf->seed, packet_no), src);
	fill_payload(conf, src, frame_no, drawn, &payload);
	memcpy(out, conf->dst_mac, 6);
	memcpy(out + 6, conf->src_mac, 6);
	leat_be16_put(out + 12, conf->is_ipv6 ? ETH_TYPE_IPV6 : ETH_TYPE_IPV4);
	len += conf->is_ipv6 ? put_ipv6(conf, src, &payload, out + len)
			     : put_ipv4(conf, src, &payload, out + len);
	memcpy(out + len, payload.bytes, payload.len);
	len += payload.len;
	LEAT_VERIFY(len <= FLOOD_FRAME_MAX);
	return len;
}
