/* SPDX-License-Identifier: BSD-3-Clause */

/* Whose address it is, and where packets to it go. */

#include <errno.h>

#include "inet_priv.h"

#define LINK_LOCAL_PREFIX_LEN    64u
#define BROADCAST_PREFIX_LEN_MAX 30u /* /31 and /32 have none, RFC 3021 */

bool
inet_addr_is_ours(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < inet->nb_addrs; i++) {
		if (leat_ip_addr_is_equal(inet->addrs[i].addr, addr))
			return true;
	}
	return false;
}

/* Our first address of a family; there is one, conf_check_addrs(). */
static const struct leat_inet_addr *
addr_first_of_family(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	uint8_t i = 0;

	while (leat_ip_addr_is_ipv4(inet->addrs[i].addr) != leat_ip_addr_is_ipv4(addr))
		i++;
	return &inet->addrs[i];
}

/* Our first address with @p addr on its link, or NULL. */
static const struct leat_inet_addr *
addr_find_link(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < inet->nb_addrs; i++) {
		const struct leat_inet_addr *ours = &inet->addrs[i];

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
	return leat_ip_addr_is_equal(addr, inet_gateway(inet, addr)) && !leat_ip_addr_is_none(addr);
}

struct leat_ip_addr
inet_addr_broadcast(const struct leat_inet_addr *ours)
{
	uint32_t mask;

	if (!leat_ip_addr_is_ipv4(ours->addr) || ours->prefix_len > BROADCAST_PREFIX_LEN_MAX)
		return leat_ip_addr_none();
	mask = leat_ipv4_mask(ours->prefix_len);
	return leat_ip_addr_from_ipv4(leat_ip_addr_ipv4(ours->addr) | ~mask);
}

bool
inet_addr_is_host(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	if (!leat_ip_addr_is_ipv4(addr))
		return leat_ipv6_addr_is_host(addr);
	if (!leat_ipv4_addr_is_host(leat_ip_addr_ipv4(addr)))
		return false;
	for (uint8_t i = 0; i < inet->nb_addrs; i++) {
		if (leat_ip_addr_is_equal(inet->broadcasts[i], addr))
			return false;
	}
	return true;
}

bool
inet_addr_is_peer(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	return inet_addr_is_host(inet, addr) && !inet_addr_is_ours(inet, addr);
}

int
inet_route(const struct leat_inet *inet, struct leat_ip_addr addr, struct leat_ip_addr *next_hop,
	struct leat_ip_addr *src)
{
	const struct leat_inet_addr *link = addr_find_link(inet, addr);
	struct leat_ip_addr gateway;

	if (link != NULL) {
		*next_hop = addr;
		*src = link->addr;
		return 0;
	}
	gateway = inet_gateway(inet, addr);
	if (leat_ip_addr_is_none(gateway))
		return -ENETUNREACH;
	*next_hop = gateway;
	link = addr_find_link(inet, gateway);
	/* A link-local address reaches no further than the gateway itself. */
	if (link == NULL || leat_ipv6_addr_is_link_local(link->addr))
		link = addr_first_of_family(inet, addr);
	*src = link->addr;
	return 0;
}

uint8_t
inet_addrs_fill(const struct leat_inet_conf *conf, struct leat_inet_addr *addrs)
{
	struct leat_inet_addr local = { .addr = leat_ipv6_addr_link_local(conf->mac),
		.prefix_len = LINK_LOCAL_PREFIX_LEN };
	bool has_ipv6 = false, has_local = false;
	uint8_t nb = conf->nb_addrs;

	memcpy(addrs, conf->addrs, nb * sizeof(*addrs));
	for (uint8_t i = 0; i < nb; i++) {
		has_ipv6 |= !leat_ip_addr_is_ipv4(addrs[i].addr);
		has_local |= leat_ip_addr_is_equal(addrs[i].addr, local.addr);
	}
	if (has_ipv6 && !has_local)
		addrs[nb++] = local;
	return nb;
}

uint8_t
leat_inet_multicast(const struct leat_inet_conf *conf, uint8_t macs[LEAT_INET_GROUPS_MAX][6])
{
	struct leat_inet_addr addrs[INET_ADDRS_MAX];
	uint8_t nb_addrs = inet_addrs_fill(conf, addrs);
	uint8_t nb = 0;

	for (uint8_t i = 0; i < nb_addrs; i++) {
		bool is_known = false;

		if (leat_ip_addr_is_ipv4(addrs[i].addr))
			continue;
		if (nb == 0)
			leat_ipv6_multicast_mac(leat_ipv6_addr_all_nodes(), macs[nb++]);
		leat_ipv6_multicast_mac(leat_ipv6_addr_solicited_node(addrs[i].addr), macs[nb]);
		for (uint8_t j = 0; j < nb; j++)
			is_known |= leat_eth_addr_is_equal(macs[j], macs[nb]);
		nb = (uint8_t)(nb + !is_known);
	}
	return nb;
}

void
inet_pseudo_cksum(struct leat_cksum *cksum, const struct inet_ip *ip)
{
	if (leat_ip_addr_is_ipv4(ip->dst))
		leat_cksum_add_ipv4_pseudo(cksum, leat_ip_addr_ipv4(ip->src),
			leat_ip_addr_ipv4(ip->dst), ip->proto, (uint16_t)ip->len);
	else
		leat_cksum_add_ipv6_pseudo(cksum, ip->src, ip->dst, ip->proto, ip->len);
}
