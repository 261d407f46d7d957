/* SPDX-License-Identifier: BSD-3-Clause */

/* ARP, RFC 826: questions for IPv4 neighbours, and answers to theirs. */

#include "inet_priv.h"

static const uint8_t mac_broadcast[LEAT_ETH_ADDR_LEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static void
arp_send(struct leat_inet *inet, const struct leat_arp *arp, const uint8_t *dst)
{
	struct rte_mbuf *frame = inet_frame_alloc(inet);
	uint8_t *out;

	if (frame == NULL)
		return;
	out = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(inet->eth_hdr_len + LEAT_ARP_LEN));
	memcpy(out, inet->eth_hdr, inet->eth_hdr_len);
	memcpy(out, dst, LEAT_ETH_ADDR_LEN);
	leat_be16_put(out + inet->eth_hdr_len - sizeof(uint16_t), LEAT_ETH_TYPE_ARP);
	(void)leat_arp_emit(arp, out + inet->eth_hdr_len);
	inet_ctl_send(inet, frame);
}

static void
arp_request(struct leat_inet *inet, struct leat_ip_addr addr, struct leat_ip_addr src,
	const uint8_t *dst)
{
	struct leat_arp arp = {
		.op = LEAT_ARP_OP_REQUEST,
		.spa = leat_ip_addr_ipv4(src),
		.tpa = leat_ip_addr_ipv4(addr),
	};

	memcpy(arp.sha, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	arp_send(inet, &arp, dst);
	inet->stats.tx_arp_requests++;
}

void
inet_arp_ask(struct leat_inet *inet, const struct inet_nbr *nbr, struct leat_ip_addr src)
{
	/* RFC 1122 section 2.3.2.1 (2): one that was known is first asked where it was. */
	bool is_poll = nbr->state == INET_NBR_PROBE && nbr->nb_tries == 0;

	arp_request(inet, nbr->addr, src, is_poll ? nbr->mac : mac_broadcast);
}

void
inet_arp_announce(struct leat_inet *inet, struct leat_ip_addr addr)
{
	/* RFC 5227 section 2.3: a request for our own address, from it. */
	arp_request(inet, addr, addr, mac_broadcast);
}

static void
arp_reply(struct leat_inet *inet, const struct leat_arp *request)
{
	struct leat_arp reply = {
		.op = LEAT_ARP_OP_REPLY,
		.spa = request->tpa,
		.tpa = request->spa,
	};

	memcpy(reply.sha, inet->conf.mac, LEAT_ETH_ADDR_LEN);
	memcpy(reply.tha, request->sha, LEAT_ETH_ADDR_LEN);
	arp_send(inet, &reply, request->sha);
	inet->stats.tx_arp_replies++;
}

/* RFC 826, "Packet Reception": the sender's pair, of one that we know or who asks for us. */
static void
arp_hear(struct leat_inet *inet, const struct leat_arp *arp, bool is_for_us)
{
	struct leat_ip_addr sender = leat_ip_addr_from_ipv4(arp->spa);
	struct inet_nbr *nbr;

	if (is_for_us && arp->op == LEAT_ARP_OP_REQUEST) {
		inet_nbr_hear_of(inet, sender, arp->sha);
		return;
	}
	nbr = inet_nbr_find(inet, sender);
	if (nbr != NULL)
		inet_nbr_hear(inet, nbr, arp->sha, is_for_us); /* not of a gratuitous one */
}

void
inet_arp_input(struct leat_inet *inet, struct leat_slice in)
{
	struct leat_ip_addr sender;
	struct leat_arp arp;
	bool is_for_us;

	if (leat_arp_parse(in, &arp) < 0 || !leat_eth_addr_is_unicast(arp.sha) ||
		(arp.op != LEAT_ARP_OP_REQUEST && arp.op != LEAT_ARP_OP_REPLY)) {
		inet->stats.rx_arp_malformed++;
		return;
	}
	sender = leat_ip_addr_from_ipv4(arp.spa);
	if (inet_addr_is_ours(inet, sender)) { /* somebody else says that he has it */
		inet->stats.rx_arp_conflict += !leat_eth_addr_is_equal(arp.sha, inet->conf.mac);
		return;
	}
	is_for_us = inet_addr_is_ours(inet, leat_ip_addr_from_ipv4(arp.tpa));
	if (inet_addr_is_peer(inet, sender)) /* none of a probe, RFC 5227 section 2.1.1 */
		arp_hear(inet, &arp, is_for_us);
	if (arp.op == LEAT_ARP_OP_REPLY) {
		inet->stats.rx_arp_replies++;
		return;
	}
	if (!is_for_us) {
		inet->stats.rx_arp_not_ours++;
		return;
	}
	inet->stats.rx_arp_requests++;
	arp_reply(inet, &arp);
}
