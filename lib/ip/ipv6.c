/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <leat_be.h>
#include <leat_common.h>

#include "leat_ipv6.h"

#define IPV6_VERSION          6u
#define IPV6_PAYLOAD_LEN_OFF  4
#define IPV6_NEXT_OFF         6
#define IPV6_HOP_LIMIT_OFF    7
#define IPV6_SRC_OFF          8
#define IPV6_DST_OFF          24

#define IPV6_CLASS_SHIFT      20
#define IPV6_LABEL_MASK       0xfffffu

#define EXT_NEXT_OFF          0
#define EXT_LEN_OFF           1
#define EXT_UNIT              8u /* lengths count 8 bytes, the first 8 not among them */
#define EXT_OPTIONS_OFF       2u
#define EXT_SEGMENTS_LEFT_OFF 3
#define EXT_FRAGMENT_OFF      2
#define EXT_FRAGMENT_LEN      8u
#define EXT_FRAGMENT_MASK     0xfff9u /* offset, and whether more follow */

#define OPTION_PAD1           0u
#define OPTION_HDR_LEN        2u
#define OPTION_MUST_KNOW_MASK 0xc0u /* discard the packet if it is unknown */

#define EUI64_UNIVERSAL       0x02u

ssize_t
leat_ipv6_parse(struct leat_slice in, size_t packet_len, struct leat_ipv6_hdr *hdr)
{
	uint32_t first;

	LEAT_ASSERT(packet_len >= in.len);

	if (in.len < LEAT_IPV6_HDR_LEN)
		return -EBADMSG;
	first = leat_be32_get(in.data);
	if (first >> 28 != IPV6_VERSION)
		return -EPROTONOSUPPORT;
	hdr->payload_len = leat_be16_get(in.data + IPV6_PAYLOAD_LEN_OFF);
	if (hdr->payload_len > packet_len - LEAT_IPV6_HDR_LEN)
		return -EBADMSG;
	hdr->traffic_class = (uint8_t)(first >> IPV6_CLASS_SHIFT);
	hdr->flow_label = first & IPV6_LABEL_MASK;
	hdr->next = in.data[IPV6_NEXT_OFF];
	hdr->hop_limit = in.data[IPV6_HOP_LIMIT_OFF];
	memcpy(hdr->src.bytes, in.data + IPV6_SRC_OFF, LEAT_IP_ADDR_LEN);
	memcpy(hdr->dst.bytes, in.data + IPV6_DST_OFF, LEAT_IP_ADDR_LEN);
	return LEAT_IPV6_HDR_LEN;
}

size_t
leat_ipv6_emit(const struct leat_ipv6_hdr *hdr, uint8_t *out)
{
	LEAT_ASSERT(hdr->flow_label <= IPV6_LABEL_MASK);

	leat_be32_put(out, IPV6_VERSION << 28 | (uint32_t)hdr->traffic_class << IPV6_CLASS_SHIFT |
				   hdr->flow_label);
	leat_be16_put(out + IPV6_PAYLOAD_LEN_OFF, hdr->payload_len);
	out[IPV6_NEXT_OFF] = hdr->next;
	out[IPV6_HOP_LIMIT_OFF] = hdr->hop_limit;
	memcpy(out + IPV6_SRC_OFF, hdr->src.bytes, LEAT_IP_ADDR_LEN);
	memcpy(out + IPV6_DST_OFF, hdr->dst.bytes, LEAT_IP_ADDR_LEN);
	return LEAT_IPV6_HDR_LEN;
}

/* Options up to the end of their header, RFC 8200 section 4.2: 0, or a reason to discard. */
static int
options_check(struct leat_slice options)
{
	struct leat_reader r = { options.data, options.data + options.len };

	while (leat_reader_left(&r) > 0) {
		uint8_t type = *r.pos;

		if (type == OPTION_PAD1) {
			r.pos++;
			continue;
		}
		if (leat_reader_left(&r) < OPTION_HDR_LEN ||
			r.pos[1] > leat_reader_left(&r) - OPTION_HDR_LEN)
			return -EBADMSG;
		if ((type & OPTION_MUST_KNOW_MASK) != 0)
			return -EOPNOTSUPP;
		r.pos += OPTION_HDR_LEN + r.pos[1];
	}
	return 0;
}

/* The length of one extension header of at least 8 bytes, or a reason to discard. */
static ssize_t
ext_check(struct leat_slice in, uint8_t proto)
{
	size_t len = EXT_UNIT + EXT_UNIT * in.data[EXT_LEN_OFF];
	struct leat_slice options;
	int ret;

	if (proto == LEAT_IPV6_PROTO_FRAGMENT) {
		if ((leat_be16_get(in.data + EXT_FRAGMENT_OFF) & EXT_FRAGMENT_MASK) != 0)
			return -EMSGSIZE;
		return EXT_FRAGMENT_LEN;
	}
	if (len > in.len)
		return -EBADMSG;
	if (proto == LEAT_IPV6_PROTO_ROUTING)
		return in.data[EXT_SEGMENTS_LEFT_OFF] == 0 ? (ssize_t)len : -EOPNOTSUPP;
	options.data = in.data + EXT_OPTIONS_OFF;
	options.len = len - EXT_OPTIONS_OFF;
	ret = options_check(options);
	return ret < 0 ? ret : (ssize_t)len;
}

static bool
proto_is_ext(uint8_t proto)
{
	return proto == LEAT_IPV6_PROTO_HOPOPTS || proto == LEAT_IPV6_PROTO_DSTOPTS ||
	       proto == LEAT_IPV6_PROTO_ROUTING || proto == LEAT_IPV6_PROTO_FRAGMENT;
}

ssize_t
leat_ipv6_skip_ext(struct leat_slice in, uint8_t *proto)
{
	size_t max = LEAT_MIN(in.len, LEAT_IPV6_EXT_LEN_MAX);
	size_t off = 0;
	uint8_t next = *proto;

	for (unsigned int i = 0; proto_is_ext(next); i++) {
		struct leat_slice ext = { .len = max - off };
		ssize_t len;

		if (i == LEAT_IPV6_EXT_MAX || ext.len < EXT_UNIT)
			return -EBADMSG;
		ext.data = in.data + off;
		if (next == LEAT_IPV6_PROTO_HOPOPTS && i > 0) /* only the first, section 4.1 */
			return -EBADMSG;
		len = ext_check(ext, next);
		if (len < 0)
			return len;
		next = ext.data[EXT_NEXT_OFF];
		off += (size_t)len;
	}
	*proto = next;
	return (ssize_t)off;
}

bool
leat_ipv6_addr_is_host(struct leat_ip_addr addr)
{
	static const struct leat_ip_addr loopback = { .bytes = { [LEAT_IP_ADDR_LEN - 1] = 1 } };

	return !leat_ip_addr_is_none(addr) && !leat_ipv6_addr_is_multicast(addr) &&
	       !leat_ip_addr_is_ipv4(addr) && !leat_ip_addr_is_equal(addr, loopback);
}

struct leat_ip_addr
leat_ipv6_addr_link_local(const uint8_t mac[LEAT_ETH_ADDR_LEN])
{
	struct leat_ip_addr addr = { .bytes = { 0xfe, 0x80 } };

	addr.bytes[8] = mac[0] ^ EUI64_UNIVERSAL;
	addr.bytes[9] = mac[1];
	addr.bytes[10] = mac[2];
	addr.bytes[11] = 0xff;
	addr.bytes[12] = 0xfe;
	addr.bytes[13] = mac[3];
	addr.bytes[14] = mac[4];
	addr.bytes[15] = mac[5];
	return addr;
}

struct leat_ip_addr
leat_ipv6_addr_all_nodes(void)
{
	return (struct leat_ip_addr){ .bytes = { 0xff, 0x02, [LEAT_IP_ADDR_LEN - 1] = 1 } };
}

struct leat_ip_addr
leat_ipv6_addr_solicited_node(struct leat_ip_addr addr)
{
	return (struct leat_ip_addr){ .bytes = { [0] = 0xff,
					      [1] = 0x02,
					      [11] = 0x01,
					      [12] = 0xff,
					      [13] = addr.bytes[13],
					      [14] = addr.bytes[14],
					      [15] = addr.bytes[15] } };
}

void
leat_ipv6_multicast_mac(struct leat_ip_addr group, uint8_t mac[LEAT_ETH_ADDR_LEN])
{
	mac[0] = 0x33;
	mac[1] = 0x33;
	memcpy(mac + 2, group.bytes + LEAT_IP_ADDR_LEN - 4, 4);
}
