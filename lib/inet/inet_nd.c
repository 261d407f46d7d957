/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Neighbour discovery, RFC 4861: questions for IPv6 neighbours, and answers to theirs.
 * Our addresses are configured by a person as those of IPv4 are, so no duplicate is
 * looked for (RFC 4862 section 5.4 may be turned off) and no router's advertisement is
 * obeyed; who says that he has one of them is counted.
 */

#include "inet_priv.h"

/* The message leaves for @p mac; its addresses are those of @p ip. */
static void
nd_send(struct leat_inet *inet, const struct leat_nd *nd, struct inet_ip *ip, const uint8_t *mac)
{
	struct rte_mbuf *frame = inet_frame_alloc(inet);
	struct leat_cksum cksum = { 0 };
	uint8_t *out, *message;

	if (frame == NULL)
		return;
	ip->len = nd->has_mac ? LEAT_ND_EMIT_LEN_MAX : LEAT_ND_LEN;
	ip->proto = LEAT_IPV6_PROTO_ICMP;
	ip->hop_limit = LEAT_ND_HOP_LIMIT;
	out = (uint8_t *)rte_pktmbuf_append(
		frame, (uint16_t)(inet->eth_hdr_len + LEAT_IPV6_HDR_LEN + ip->len));
	message = out + inet_ipv6_emit(inet, frame, out, ip);
	memcpy(out, mac, LEAT_ETH_ADDR_LEN);
	(void)leat_nd_emit(nd, message); /* ip->len bytes */
	inet_pseudo_cksum(&cksum, ip);
	leat_cksum_add(&cksum, message, ip->len);
	leat_be16_put(message + LEAT_ICMP_CKSUM_OFF, leat_cksum_value(&cksum));
	inet_ctl_send(inet, frame);
}

static void
nd_send_group(struct leat_inet *inet, const struct leat_nd *nd, struct inet_ip *ip)
{
	uint8_t mac[LEAT_ETH_ADDR_LEN];

	leat_ipv6_multicast_mac(ip->dst, mac);
	nd_send(inet, nd, ip, mac);
}

void
inet_nd_ask(struct leat_inet *inet, const struct inet_nbr *nbr, struct leat_ip_addr src)
{
	struct leat_nd nd = { .target = nbr->addr, .has_mac = true };
	struct inet_ip ip = { .src = src, .dst = nbr->addr };

	memcpy(nd.mac, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	inet->stats.tx_nd_solicits++;
	if (nbr->state == INET_NBR_PROBE) { /* is it still where it was? section 7.3.3 */
		nd_send(inet, &nd, &ip, nbr->mac);
		return;
	}
	ip.dst = leat_ipv6_addr_solicited_node(nbr->addr);
	nd_send_group(inet, &nd, &ip);
}

void
inet_nd_announce(struct leat_inet *inet, struct leat_ip_addr addr)
{
	/* RFC 4861 section 7.2.6. */
	struct leat_nd nd = {
		.target = addr, .is_advert = true, .is_override = true, .has_mac = true
	};
	struct inet_ip ip = { .src = addr, .dst = leat_ipv6_addr_all_nodes() };

	memcpy(nd.mac, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	inet->stats.tx_nd_adverts++;
	nd_send_group(inet, &nd, &ip);
}

/* RFC 4861 section 7.2.4. Who looks for a duplicate has no address yet, and all are told. */
static void
nd_answer(struct leat_inet *inet, const struct leat_nd *question, const struct inet_ip *asked,
	const uint8_t *mac)
{
	bool is_probe = leat_ip_addr_is_none(asked->src);
	struct leat_nd nd = {
		.target = question->target,
		.is_advert = true,
		.is_solicited = !is_probe,
		.is_override = true,
		.has_mac = true,
	};
	struct inet_ip ip = {
		.src = question->target,
		.dst = is_probe ? leat_ipv6_addr_all_nodes() : asked->src,
	};

	memcpy(nd.mac, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	inet->stats.tx_nd_adverts++;
	if (is_probe)
		nd_send_group(inet, &nd, &ip);
	else
		nd_send(inet, &nd, &ip, mac);
}

/* RFC 4861 section 7.2.3. */
static void
nd_solicit_input(struct leat_inet *inet, const struct leat_nd *nd, const struct inet_ip *ip,
	const uint8_t *src_mac)
{
	if (leat_ip_addr_is_none(ip->src) &&
		(nd->has_mac || !leat_ipv6_addr_is_multicast(ip->dst) ||
			leat_ip_addr_is_equal(ip->dst, leat_ipv6_addr_all_nodes()))) {
		inet->stats.rx_nd_malformed++; /* section 7.1.1 */
		return;
	}
	if (!inet_addr_is_ours(inet, nd->target)) {
		inet->stats.rx_nd_not_ours++;
		return;
	}
	inet->stats.rx_nd_solicits++;
	if (nd->has_mac)
		inet_nbr_hear_of(inet, ip->src, nd->mac);
	nd_answer(inet, nd, ip, nd->has_mac ? nd->mac : src_mac);
}

/* RFC 4861 section 7.2.5. What that calls STALE is an entry that has aged. */
static void
nd_advert_input(struct leat_inet *inet, const struct leat_nd *nd, const struct inet_ip *ip)
{
	struct inet_nbr *nbr;
	bool is_same;

	if (nd->is_solicited && leat_ipv6_addr_is_multicast(ip->dst)) {
		inet->stats.rx_nd_malformed++; /* section 7.1.2 */
		return;
	}
	if (inet_addr_is_ours(inet, nd->target)) { /* somebody else says that he has it */
		inet->stats.rx_nd_conflict++;
		return;
	}
	inet->stats.rx_nd_adverts++;
	nbr = inet_nbr_find(inet, nd->target);
	if (nbr == NULL) {
		inet->stats.rx_nd_unasked++;
		return;
	}
	if (nbr->state == INET_NBR_INCOMPLETE) {
		if (nd->has_mac)
			inet_nbr_hear(inet, nbr, nd->mac, nd->is_solicited);
		return;
	}
	is_same = !nd->has_mac || leat_eth_addr_is_equal(nd->mac, nbr->mac);
	if (!is_same && !nd->is_override) { /* perhaps a proxy's: ask whom we have */
		inet_nbr_age(inet, nbr);
		return;
	}
	inet_nbr_hear(inet, nbr, nd->has_mac ? nd->mac : nbr->mac, nd->is_solicited);
}

void
inet_nd_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac)
{
	uint8_t scratch[LEAT_ND_LEN_MAX];
	struct leat_slice in = { .len = ip->len };
	struct leat_nd nd;

	if (ip->hop_limit != LEAT_ND_HOP_LIMIT) { /* section 7.1: a router let it through */
		inet->stats.rx_nd_hop_limit++;
		return;
	}
	if (ip->len > LEAT_ND_LEN_MAX) {
		inet->stats.rx_nd_malformed++;
		return;
	}
	in.data = rte_pktmbuf_read(mbuf, off, ip->len, scratch);
	if (leat_nd_parse(in, &nd) < 0) {
		inet->stats.rx_nd_malformed++;
		return;
	}
	if (nd.is_advert)
		nd_advert_input(inet, &nd, ip);
	else
		nd_solicit_input(inet, &nd, ip, src_mac);
}
