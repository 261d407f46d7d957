/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <leat_common.h>

#include "leat_icmp.h"
#include "leat_ipv6.h"
#include "leat_nd.h"

#define ND_TYPE_OFF         0
#define ND_CODE_OFF         1
#define ND_FLAGS_OFF        4
#define ND_TARGET_OFF       8

#define ND_FLAG_ROUTER      0x80u
#define ND_FLAG_SOLICITED   0x40u
#define ND_FLAG_OVERRIDE    0x20u

#define ND_OPTION_HDR_LEN   2u
#define ND_OPTION_UNIT      8u /* lengths count 8 bytes */
#define ND_OPTION_SRC_MAC   1u
#define ND_OPTION_TGT_MAC   2u
#define ND_OPTION_MAC_UNITS 1u

static_assert(ND_OPTION_HDR_LEN + LEAT_ETH_ADDR_LEN == ND_OPTION_UNIT, "a MAC address fits");

/* All options to the end, RFC 4861 section 4.6. */
static int
options_parse(struct leat_reader *r, uint8_t mac_type, struct leat_nd *nd)
{
	while (leat_reader_left(r) > 0) {
		size_t len;

		if (leat_reader_left(r) < ND_OPTION_HDR_LEN)
			return -EBADMSG;
		len = ND_OPTION_UNIT * r->pos[1];
		if (len == 0 || len > leat_reader_left(r))
			return -EBADMSG;
		if (r->pos[0] == mac_type) {
			if (r->pos[1] != ND_OPTION_MAC_UNITS ||
				!leat_eth_addr_is_unicast(r->pos + ND_OPTION_HDR_LEN))
				return -EBADMSG;
			memcpy(nd->mac, r->pos + ND_OPTION_HDR_LEN, LEAT_ETH_ADDR_LEN);
			nd->has_mac = true;
		}
		r->pos += len;
	}
	return 0;
}

ssize_t
leat_nd_parse(struct leat_slice in, struct leat_nd *nd)
{
	struct leat_reader options;
	uint8_t flags;

	if (in.len < LEAT_ND_LEN || in.len > LEAT_ND_LEN_MAX || in.data[ND_CODE_OFF] != 0)
		return -EBADMSG;
	if (in.data[ND_TYPE_OFF] != LEAT_ICMP6_TYPE_NS &&
		in.data[ND_TYPE_OFF] != LEAT_ICMP6_TYPE_NA)
		return -EPROTONOSUPPORT;
	memset(nd, 0, sizeof(*nd));
	nd->is_advert = in.data[ND_TYPE_OFF] == LEAT_ICMP6_TYPE_NA;
	flags = nd->is_advert ? in.data[ND_FLAGS_OFF] : 0;
	nd->is_router = (flags & ND_FLAG_ROUTER) != 0;
	nd->is_solicited = (flags & ND_FLAG_SOLICITED) != 0;
	nd->is_override = (flags & ND_FLAG_OVERRIDE) != 0;
	memcpy(nd->target.bytes, in.data + ND_TARGET_OFF, LEAT_IP_ADDR_LEN);
	if (leat_ipv6_addr_is_multicast(nd->target) || leat_ip_addr_is_ipv4(nd->target))
		return -EBADMSG;
	options.pos = in.data + LEAT_ND_LEN;
	options.end = in.data + in.len;
	if (options_parse(&options, nd->is_advert ? ND_OPTION_TGT_MAC : ND_OPTION_SRC_MAC, nd) < 0)
		return -EBADMSG;
	return (ssize_t)in.len;
}

size_t
leat_nd_emit(const struct leat_nd *nd, uint8_t *out)
{
	uint8_t flags = (uint8_t)((nd->is_router ? ND_FLAG_ROUTER : 0) |
				  (nd->is_solicited ? ND_FLAG_SOLICITED : 0) |
				  (nd->is_override ? ND_FLAG_OVERRIDE : 0));

	memset(out, 0, LEAT_ND_LEN);
	out[ND_TYPE_OFF] = nd->is_advert ? LEAT_ICMP6_TYPE_NA : LEAT_ICMP6_TYPE_NS;
	out[ND_FLAGS_OFF] = nd->is_advert ? flags : 0;
	memcpy(out + ND_TARGET_OFF, nd->target.bytes, LEAT_IP_ADDR_LEN);
	if (!nd->has_mac)
		return LEAT_ND_LEN;
	out += LEAT_ND_LEN;
	out[0] = nd->is_advert ? ND_OPTION_TGT_MAC : ND_OPTION_SRC_MAC;
	out[1] = ND_OPTION_MAC_UNITS;
	memcpy(out + ND_OPTION_HDR_LEN, nd->mac, LEAT_ETH_ADDR_LEN);
	return LEAT_ND_EMIT_LEN_MAX;
}
