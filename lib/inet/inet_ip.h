/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef INET_IP_H
#define INET_IP_H

/* What is below TCP, of both families: addresses, headers, neighbours, ICMP. */

#include "inet_priv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* inet_ip.c: addresses and routes. */
static inline bool
inet_has_ipv6(const struct leat_inet *inet)
{
	return inet->nb_groups > 0;
}

/* The settings of a connection with @p peer. */
static inline const struct leat_tcp_conf *
inet_tcp_conf(const struct leat_inet *inet, struct leat_ip_addr peer)
{
	return leat_ip_addr_is_ipv4(peer) ? &inet->conf.tcp : &inet->tcp6;
}

/* The router for the family of @p addr, or none. */
static inline struct leat_ip_addr
inet_gateway(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	return leat_ip_addr_is_ipv4(addr) ? inet->conf.gateway : inet->conf.gateway6;
}

/* Our addresses out of those of conf: the link-local one is added if any is IPv6. */
uint8_t inet_addrs_fill(const struct leat_inet_conf *conf, struct leat_inet_addr *addrs);
bool inet_addr_is_ours(const struct leat_inet *inet, struct leat_ip_addr addr);
/* The broadcast address of the subnet of @p ours, or none. */
struct leat_ip_addr inet_addr_broadcast(const struct leat_inet_addr *ours);
/* It names one host, perhaps us. */
bool inet_addr_is_host(const struct leat_inet *inet, struct leat_ip_addr addr);
/* A host that is not us. */
bool inet_addr_is_peer(const struct leat_inet *inet, struct leat_ip_addr addr);
bool inet_addr_is_on_link(const struct leat_inet *inet, struct leat_ip_addr addr);
/* The neighbour that takes packets to @p addr, and our address for it; 0 or -ENETUNREACH. */
int inet_route(const struct leat_inet *inet, struct leat_ip_addr addr,
	struct leat_ip_addr *next_hop, struct leat_ip_addr *src);
/* Add the pseudo header of the packet, RFC 9293 section 3.1. */
void inet_pseudo_cksum(struct leat_cksum *cksum, const struct inet_ip *ip);

/* inet_ipv4.c */
/*
 * Check the packet that starts at @p off of the frame. Returns the length of its header
 * if it is whole and for us, @p ip->len bytes behind that; else 0.
 */
uint32_t inet_ipv4_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, struct inet_ip *ip);
/*
 * Write Ethernet and IPv4 header, destination MAC open, to @p out; sets the offload
 * flags of @p mbuf. Returns their length.
 */
uint32_t inet_ipv4_emit(
	struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, const struct inet_ip *ip);

/* The length of our IP headers to @p peer. */
static inline uint32_t
inet_ip_hdr_len(struct leat_ip_addr peer)
{
	return leat_ip_addr_is_ipv4(peer) ? LEAT_IPV4_HDR_LEN : LEAT_IPV6_HDR_LEN;
}

/* inet_ipv6.c: as their likes of inet_ipv4.c. */
uint32_t inet_ipv6_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, struct inet_ip *ip);
uint32_t inet_ipv6_emit(
	struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, const struct inet_ip *ip);
/* All nodes, or the solicited-node group of one of our addresses. */
bool inet_group_is_ours(const struct leat_inet *inet, struct leat_ip_addr group);

/* Of the family of the packet's addresses. */
static inline uint32_t
inet_ip_emit(struct leat_inet *inet, struct rte_mbuf *mbuf, uint8_t *out, const struct inet_ip *ip)
{
	if (leat_ip_addr_is_ipv4(ip->dst))
		return inet_ipv4_emit(inet, mbuf, out, ip);
	return inet_ipv6_emit(inet, mbuf, out, ip);
}

/* inet_nd.c */
/* Borrows the frame, whose message starts at @p off. */
void inet_nd_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac);
/* Ask where @p nbr is, in the name of our address @p src. */
void inet_nd_ask(struct leat_inet *inet, const struct inet_nbr *nbr, struct leat_ip_addr src);
/* Tell the link that @p addr is ours. */
void inet_nd_announce(struct leat_inet *inet, struct leat_ip_addr addr);

/* inet_arp.c */
void inet_arp_input(struct leat_inet *inet, struct leat_slice in);
/* Ask where @p nbr is, in the name of our address @p src. */
void inet_arp_ask(struct leat_inet *inet, const struct inet_nbr *nbr, struct leat_ip_addr src);
/* Tell the link that @p addr is ours. */
void inet_arp_announce(struct leat_inet *inet, struct leat_ip_addr addr);

/* inet_nbr.c */
struct inet_nbr *inet_nbr_find(const struct leat_inet *inet, struct leat_ip_addr addr);
/* Find a neighbour or ask for it; NULL: table full. */
struct inet_nbr *inet_nbr_get(struct leat_inet *inet, uint64_t now_us, struct leat_ip_addr addr);
/*
 * Write the neighbour's MAC address into a frame. Takes the frame unless it returns
 * true: it waits for the neighbour's answer, or was dropped.
 */
bool inet_nbr_address(struct leat_inet *inet, struct inet_nbr *nbr, struct rte_mbuf *frame);
/* The neighbour that leads to @p dst if its MAC address is known, else NULL; asks nobody. */
const struct inet_nbr *inet_nbr_known(const struct leat_inet *inet, struct leat_ip_addr dst);
void inet_nbr_wait(struct inet_nbr *nbr, struct leat_inet_conn *conn);
/* The neighbour is there: what waits for it leaves. */
void inet_nbr_update(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac);
/*
 * Somebody says that the neighbour is there. @p is_answer: such as an answer to our question
 * would be; it is believed as such where we have asked.
 */
void inet_nbr_hear(
	struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac, bool is_answer);
/* Somebody who asks for us says where he is; he gets an entry if he is on our link. */
void inet_nbr_hear_of(struct leat_inet *inet, struct leat_ip_addr addr, const uint8_t *mac);
/* It is to be asked again. */
void inet_nbr_age(const struct leat_inet *inet, struct inet_nbr *nbr);
/* Nothing seems to arrive through it: it is to be asked again, unless it was heard just now. */
void inet_nbr_doubt(const struct leat_inet *inet, struct inet_nbr *nbr);
/*
 * A segment that a connection was waiting for came through the neighbour, RFC 4861 section
 * 7.3.1: text, or an ACK of what was not acknowledged yet.
 */
void inet_nbr_confirm(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac);
void inet_nbr_timers(struct leat_inet *inet, uint64_t now_us);
/* Tell the link once about each of our addresses. */
void inet_nbr_announce(struct leat_inet *inet);
/* Free the queues. */
void inet_nbr_close(struct leat_inet *inet);

static inline bool
inet_nbr_is_usable(const struct inet_nbr *nbr)
{
	return nbr->state == INET_NBR_REACHABLE || nbr->state == INET_NBR_PROBE;
}

/* How long an answer of this neighbour lasts. */
static inline uint64_t
inet_nbr_age_us(const struct inet_nbr *nbr)
{
	return leat_ip_addr_is_ipv4(nbr->addr) ? LEAT_INET_ARP_AGE_US : LEAT_INET_ND_AGE_US;
}

/* Known, and to be asked again before it is used further. */
static inline bool
inet_nbr_is_aged(const struct inet_nbr *nbr, uint64_t now_us)
{
	return nbr->state == INET_NBR_REACHABLE &&
	       now_us - nbr->confirmed_us > inet_nbr_age_us(nbr);
}

/* The connection's next hop if it is still in the table where it was found; else NULL. */
static inline struct inet_nbr *
inet_nbr_of_conn(const struct leat_inet_conn *conn)
{
	struct inet_nbr *nbr = conn->nbr;

	return nbr != NULL && nbr->generation == conn->nbr_generation ? nbr : NULL;
}

/* inet_icmp.c. Borrows the frame, which came from @p src_mac. */
void inet_icmp_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac);

/*
 * Parse the head of the message at @p off, of either family, and sum it. Returns false, and
 * counts, if it is not whole and good.
 */
bool inet_icmp_open(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, struct leat_icmp_hdr *icmp);

/* What routers quote of a segment at least, RFC 792: both ports, sequence number. */
#define INET_QUOTE_TCP_LEN 8u

/* What a router said of a segment of ours, whatever its IP. */
struct inet_icmp_error {
	struct inet_flow_key key; /* the ports are filled by inet_icmp_error_take() */
	uint16_t mss;             /* that the path takes, if the segment was too big; else 0 */
	bool is_hard;             /* there is nobody who would take it, RFC 1122 section 4.2.3.9 */
	int32_t error;
};

/* inet_icmp_error.c */
/* The message, its checksum good, that starts at @p off. Borrows the frame. */
void inet_icmp_error_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const struct leat_icmp_hdr *icmp);
/* Tell the connection, if the segment is in flight; @p tcp are INET_QUOTE_TCP_LEN bytes of it. */
void inet_icmp_error_take(
	struct leat_inet *inet, struct inet_icmp_error *error, const uint8_t *tcp);

/*
 * Answer an echo whose message is at @p off of a frame, which is borrowed and came from
 * @p src_mac. @p back says from whom to whom, @p icmp has the reply's type.
 */
void inet_icmp_reply(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *back, const uint8_t *src_mac, const struct leat_icmp_hdr *icmp);

/* inet_icmp6_error.c: as inet_icmp_error_input(). */
void inet_icmp6_error_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const struct leat_icmp_hdr *icmp);

/* inet_icmp6.c. Borrows the frame. */
void inet_icmp6_input(struct leat_inet *inet, const struct rte_mbuf *mbuf, uint32_t off,
	const struct inet_ip *ip, const uint8_t *src_mac);

#ifdef __cplusplus
}
#endif

#endif /* INET_IP_H */
