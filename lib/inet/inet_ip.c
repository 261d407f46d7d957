/* SPDX-License-Identifier: BSD-3-Clause */

/* Whose address it is, and where packets to it go. */

#include <errno.h>

#include "inet_priv.h"

bool
inet_addr_is_ours(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		if (leat_ip_addr_is_equal(inet->conf.addrs[i].addr, addr))
			return true;
	}
	return false;
}

/* Our first address with @p addr on its link, or NULL. */
static const struct leat_inet_addr *
addr_find_link(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		const struct leat_inet_addr *ours = &inet->conf.addrs[i];

		if (leat_ip_addr_has_prefix(addr, ours->addr, ours->prefix_len))
			return ours;
	}
	return NULL;
}

bool
inet_addr_is_on_link(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	if (addr_find_link(inet, addr) != NULL)
		return true;
	return leat_ip_addr_is_equal(addr, inet->conf.gateway) && !leat_ip_addr_is_none(addr);
}

/* The broadcast address of one of our subnets; /31 and /32 have none, RFC 3021. */
static bool
addr_is_directed_broadcast(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < inet->conf.nb_addrs; i++) {
		const struct leat_inet_addr *ours = &inet->conf.addrs[i];

		if (ours->prefix_len <= 30 &&
			(leat_ip_addr_ipv4(addr) | leat_ipv4_mask(ours->prefix_len)) ==
				UINT32_MAX &&
			leat_ip_addr_has_prefix(addr, ours->addr, ours->prefix_len))
			return true;
	}
	return false;
}

bool
inet_addr_is_peer(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	return leat_ip_addr_is_ipv4(addr) && leat_ipv4_addr_is_host(leat_ip_addr_ipv4(addr)) &&
	       !addr_is_directed_broadcast(inet, addr) && !inet_addr_is_ours(inet, addr);
}

int
inet_route(const struct leat_inet *inet, struct leat_ip_addr addr, struct leat_ip_addr *next_hop,
	struct leat_ip_addr *src)
{
	const struct leat_inet_addr *link = addr_find_link(inet, addr);

	*next_hop = addr;
	if (link == NULL) {
		if (leat_ip_addr_is_none(inet->conf.gateway))
			return -ENETUNREACH;
		*next_hop = inet->conf.gateway;
		link = addr_find_link(inet, inet->conf.gateway);
	}
	*src = link != NULL ? link->addr : inet->conf.addrs[0].addr;
	return 0;
}

void
inet_pseudo_cksum(struct leat_cksum *cksum, const struct inet_ip *ip)
{
	leat_cksum_add_ipv4_pseudo(cksum, leat_ip_addr_ipv4(ip->src), leat_ip_addr_ipv4(ip->dst),
		ip->proto, (uint16_t)ip->len);
}
