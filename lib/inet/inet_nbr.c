/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table of neighbours of both families. What differs between ARP and neighbour
 * discovery is the question that is asked, and how long an answer lasts.
 *
 * An entry comes to life when we need a neighbour or when somebody on our link asks
 * for one of our addresses, never by an answer that nobody asked for. What is learnt
 * from a question takes no other entry's place, so that a flood of questions cannot
 * push out the neighbours that are in use.
 *
 * A neighbour that we need and do not know finds room in a full table in this order: that
 * of one who only asked, that of a known one without connections which has been silent for
 * a while, that of the one that was asked first and has not answered yet. One that is known
 * and in use makes room for none, nor does a gateway. So a flood of SYNs in the names of
 * hosts that are not there costs nobody a place but them.
 *
 * Who says, unasked, that an address which is in use has moved to him may be a router that
 * takes over from another, or a liar. The frames of established connections tell: text or
 * an ACK of theirs that goes on from where they are, from the new place, settles it. Else
 * the old place is asked, and he alone; when he is silent for a second, the claim holds.
 * That is stricter than RFC 826 and, for an advertisement that overrides, than RFC 4861
 * section 7.2.5, and costs a router's successor a second where nothing arrives through him.
 */

#include <errno.h>

#include "inet_priv.h"

#define NBR_EVICT_TRIES_MAX 8
/* An entry with a sign of life no older than this is not evicted. */
#define NBR_FRESH_US (60u * 1000000u)
/* Nor given, if no older than this, to who claims it. */
#define NBR_IN_USE_US 1000000u

static hash_sig_t
nbr_sig(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	return (hash_sig_t)leat_siphash(&inet->flow_hash_key, &addr, sizeof(addr));
}

struct inet_nbr *
inet_nbr_find(const struct leat_inet *inet, struct leat_ip_addr addr)
{
	void *data;

	if (rte_hash_lookup_with_hash_data(inet->nbr_hash, &addr, nbr_sig(inet, addr), &data) < 0)
		return NULL;
	return data;
}

static void
nbr_drop_queue(struct leat_inet *inet, struct inet_nbr *nbr)
{
	inet->buffers.nb_held -= nbr->nb_queued;
	rte_pktmbuf_free_bulk(nbr->queue, nbr->nb_queued);
	nbr->nb_queued = 0;
}

static void
nbr_wake(struct inet_nbr *nbr)
{
	struct leat_inet_conn *conn;

	while ((conn = LIST_FIRST(&nbr->waiting)) != NULL) {
		LIST_REMOVE(conn, waiting_link);
		conn->is_waiting = false;
	}
}

/* Where an entry in use stands, the first in line to make room in front. */
static struct inet_nbrs *
nbr_list(struct leat_inet *inet, const struct inet_nbr *nbr)
{
	if (nbr->state == INET_NBR_INCOMPLETE)
		return &inet->nbrs_unknown;
	return nbr->is_needed ? &inet->nbrs_used : &inet->nbrs_heard;
}

static void
nbr_change(struct leat_inet *inet, struct inet_nbr *nbr, enum inet_nbr_state state, bool is_needed)
{
	TAILQ_REMOVE(nbr_list(inet, nbr), nbr, link);
	nbr->state = (uint8_t)state;
	nbr->is_needed = is_needed;
	TAILQ_INSERT_TAIL(nbr_list(inet, nbr), nbr, link);
}

static void
nbr_set_asking(struct leat_inet *inet, struct inet_nbr *nbr, enum inet_nbr_state state)
{
	nbr_change(inet, nbr, state, nbr->is_needed);
	nbr->nb_tries = 0;
	nbr->retry_us = inet->now_us;
	TAILQ_INSERT_TAIL(&inet->nbrs_asking, nbr, asking_link);
}

static void
nbr_free(struct leat_inet *inet, struct inet_nbr *nbr)
{
	nbr_drop_queue(inet, nbr);
	nbr_wake(nbr);
	if (nbr->state != INET_NBR_REACHABLE)
		TAILQ_REMOVE(&inet->nbrs_asking, nbr, asking_link);
	LEAT_VERIFY(rte_hash_del_key_with_hash(
			    inet->nbr_hash, &nbr->addr, nbr_sig(inet, nbr->addr)) >= 0);
	TAILQ_REMOVE(nbr_list(inet, nbr), nbr, link);
	nbr->state = INET_NBR_FREE;
	nbr->generation++; /* cached pointers to it miss */
	TAILQ_INSERT_HEAD(&inet->nbrs_free, nbr, link);
	inet->nb_neighbours--;
}

static bool
nbr_may_evict(const struct leat_inet *inet, const struct inet_nbr *nbr)
{
	if (leat_ip_addr_is_equal(nbr->addr, inet_gateway(inet, nbr->addr)))
		return false;
	if (nbr->state == INET_NBR_INCOMPLETE) /* a connect rather than a stranger stays */
		return LIST_EMPTY(&nbr->waiting);
	if (!nbr->is_needed) /* it only asked, however lately */
		return true;
	return nbr->nb_conns == 0 && inet->now_us - nbr->confirmed_us > NBR_FRESH_US;
}

/* Make room by the first of the list that may; those that may not go to its end. */
static bool
nbr_evict_of(struct leat_inet *inet, struct inet_nbrs *list)
{
	struct inet_nbr *nbr;

	for (int i = 0; i < NBR_EVICT_TRIES_MAX && (nbr = TAILQ_FIRST(list)) != NULL; i++) {
		if (nbr_may_evict(inet, nbr)) {
			inet->stats.nbr_evicted++;
			nbr_free(inet, nbr);
			return true;
		}
		TAILQ_REMOVE(list, nbr, link);
		TAILQ_INSERT_TAIL(list, nbr, link);
	}
	return false;
}

static void
nbr_evict(struct leat_inet *inet)
{
	if (!nbr_evict_of(inet, &inet->nbrs_heard) && !nbr_evict_of(inet, &inet->nbrs_used))
		(void)nbr_evict_of(inet, &inet->nbrs_unknown); /* else the table is full */
}

/* A new entry, about which nobody was asked yet; NULL: table full. */
static struct inet_nbr *
nbr_alloc(struct leat_inet *inet, struct leat_ip_addr addr)
{
	struct inet_nbr *nbr = TAILQ_FIRST(&inet->nbrs_free);

	if (nbr == NULL || rte_hash_add_key_with_hash_data(
				   inet->nbr_hash, &addr, nbr_sig(inet, addr), nbr) < 0) {
		inet->stats.nbr_full++;
		return NULL;
	}
	TAILQ_REMOVE(&inet->nbrs_free, nbr, link);
	inet->nb_neighbours++;
	nbr->addr = addr;
	nbr->confirmed_us = inet->now_us;
	nbr->nb_queued = 0;
	nbr->nb_conns = 0;
	nbr->state = INET_NBR_INCOMPLETE;
	nbr->is_needed = false;
	nbr->is_claimed = false;
	LIST_INIT(&nbr->waiting);
	TAILQ_INSERT_TAIL(nbr_list(inet, nbr), nbr, link);
	return nbr;
}

void
inet_nbr_update(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac)
{
	if (inet_nbr_is_usable(nbr) && !leat_eth_addr_is_equal(nbr->mac, mac))
		inet->stats.nbr_moved++;
	memmove(nbr->mac, mac, LEAT_ETH_ADDR_LEN); /* it may be its own */
	nbr->confirmed_us = inet->now_us;
	nbr->is_claimed = false;
	if (nbr->state == INET_NBR_REACHABLE)
		return;
	TAILQ_REMOVE(&inet->nbrs_asking, nbr, asking_link);
	nbr_change(inet, nbr, INET_NBR_REACHABLE, nbr->is_needed);
	nbr_wake(nbr);
	for (uint8_t i = 0; i < nbr->nb_queued; i++) {
		memcpy(rte_pktmbuf_mtod(nbr->queue[i], uint8_t *), mac, LEAT_ETH_ADDR_LEN);
		inet_ctl_send(inet, nbr->queue[i]);
	}
	inet->buffers.nb_held -= nbr->nb_queued;
	nbr->nb_queued = 0;
}

/* It does not answer: what waits for it ends. */
static void
nbr_give_up(struct leat_inet *inet, struct inet_nbr *nbr)
{
	struct leat_inet_conn *conn;

	inet->stats.nbr_unreachable++;
	while ((conn = LIST_FIRST(&nbr->waiting)) != NULL) {
		LIST_REMOVE(conn, waiting_link);
		conn->is_waiting = false;
		if (conn->tcb.state == LEAT_TCP_SYN_SENT)
			inet_conn_fail(inet, conn, -EHOSTUNREACH);
	}
	nbr_free(inet, nbr);
}

/*
 * Ask for a neighbour once more, or give it up after LEAT_INET_ARP_TRIES_MAX times, or at once
 * to who claims it.
 */
static void
nbr_ask(struct leat_inet *inet, struct inet_nbr *nbr)
{
	uint64_t nb_unasked = inet->stats.tx_no_mbuf_control + inet->stats.tx_ctl_full;
	struct leat_ip_addr next_hop, src;

	if (nbr->is_claimed && nbr->nb_tries > 0) {
		inet_nbr_update(inet, nbr, nbr->claim);
		inet_nbr_age(inet, nbr);
		return;
	}
	if (nbr->nb_tries == LEAT_INET_ARP_TRIES_MAX) {
		nbr_give_up(inet, nbr);
		return;
	}
	LEAT_VERIFY(inet_route(inet, nbr->addr, &next_hop, &src) == 0);
	nbr->retry_us = inet->now_us + LEAT_INET_ARP_RETRY_US;
	TAILQ_REMOVE(&inet->nbrs_asking, nbr, asking_link);
	TAILQ_INSERT_TAIL(&inet->nbrs_asking, nbr, asking_link);
	if (leat_ip_addr_is_ipv4(nbr->addr))
		inet_arp_ask(inet, nbr, src);
	else
		inet_nd_ask(inet, nbr, src);
	/* Who was not asked, since frames are short here, is not to blame for his silence. */
	nbr->nb_tries += inet->stats.tx_no_mbuf_control + inet->stats.tx_ctl_full == nb_unasked;
}

struct inet_nbr *
inet_nbr_get(struct leat_inet *inet, uint64_t now_us, struct leat_ip_addr addr)
{
	struct inet_nbr *nbr = inet_nbr_find(inet, addr);

	if (nbr == NULL) {
		if (TAILQ_EMPTY(&inet->nbrs_free))
			nbr_evict(inet);
		nbr = nbr_alloc(inet, addr);
		if (nbr == NULL)
			return NULL;
		nbr_set_asking(inet, nbr, INET_NBR_INCOMPLETE);
		nbr_ask(inet, nbr);
	} else if (inet_nbr_is_aged(nbr, now_us)) {
		nbr_set_asking(inet, nbr, INET_NBR_PROBE);
		nbr_ask(inet, nbr);
	}
	if (!nbr->is_needed)
		nbr_change(inet, nbr, nbr->state, true);
	return nbr;
}

/* RFC 1122 section 2.3.2.2, RFC 4861 section 7.2.2: the latest packets are kept. */
static void
nbr_drop_oldest(struct leat_inet *inet, struct inet_nbr *nbr)
{
	rte_pktmbuf_free(nbr->queue[0]);
	nbr->nb_queued--;
	inet->buffers.nb_held--;
	memmove(nbr->queue, nbr->queue + 1, nbr->nb_queued * sizeof(nbr->queue[0]));
}

bool
inet_nbr_address(struct leat_inet *inet, struct inet_nbr *nbr, struct rte_mbuf *frame)
{
	if (inet_nbr_is_usable(nbr)) {
		memcpy(rte_pktmbuf_mtod(frame, uint8_t *), nbr->mac, LEAT_ETH_ADDR_LEN);
		return true;
	}
	if (nbr->nb_queued == LEAT_INET_ARP_QUEUE_MAX ||
		inet->buffers.nb_held >= inet->buffers.nb_held_max) {
		inet->stats.nbr_queue_full++;
		if (nbr->nb_queued == 0) {
			rte_pktmbuf_free(frame);
			return false;
		}
		nbr_drop_oldest(inet, nbr);
	}
	nbr->queue[nbr->nb_queued++] = frame;
	inet->buffers.nb_held++;
	return false;
}

const struct inet_nbr *
inet_nbr_known(const struct leat_inet *inet, struct leat_ip_addr dst)
{
	struct leat_ip_addr next_hop, src;
	const struct inet_nbr *nbr;

	if (inet_route(inet, dst, &next_hop, &src) < 0)
		return NULL;
	nbr = inet_nbr_find(inet, next_hop);
	return nbr != NULL && inet_nbr_is_usable(nbr) ? nbr : NULL;
}

void
inet_nbr_wait(struct inet_nbr *nbr, struct leat_inet_conn *conn)
{
	LEAT_VERIFY(!conn->half_open); /* its links share their place */

	if (conn->is_waiting)
		return;
	LIST_INSERT_HEAD(&nbr->waiting, conn, waiting_link);
	conn->is_waiting = true;
}

void
inet_nbr_age(const struct leat_inet *inet, struct inet_nbr *nbr)
{
	if (nbr->state == INET_NBR_REACHABLE)
		nbr->confirmed_us = inet->now_us - inet_nbr_age_us(nbr) - 1;
}

void
inet_nbr_doubt(const struct leat_inet *inet, struct inet_nbr *nbr)
{
	if (inet->now_us - nbr->confirmed_us > NBR_IN_USE_US)
		inet_nbr_age(inet, nbr);
}

/* Ask who has it whether he still does, at most once in LEAT_INET_ARP_RETRY_US. */
static void
nbr_challenge(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac)
{
	bool was_asked = (int64_t)(nbr->retry_us - inet->now_us) > 0;

	inet->stats.nbr_claims++;
	nbr->is_claimed = true;
	memcpy(nbr->claim, mac, LEAT_ETH_ADDR_LEN);
	if (nbr->state == INET_NBR_PROBE) /* under way */
		return;
	nbr_set_asking(inet, nbr, INET_NBR_PROBE);
	if (was_asked)
		nbr->retry_us = inet->now_us + LEAT_INET_ARP_RETRY_US;
	else
		nbr_ask(inet, nbr);
}

void
inet_nbr_hear(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac, bool is_answer)
{
	bool was_known = inet_nbr_is_usable(nbr);

	if (was_known && leat_eth_addr_is_equal(nbr->mac, mac)) {
		inet->stats.nbr_claims_denied += nbr->is_claimed;
		if (is_answer || nbr->is_claimed)
			inet_nbr_update(inet, nbr, mac);
		return;
	}
	if ((nbr->state == INET_NBR_REACHABLE &&
		    inet->now_us - nbr->confirmed_us <= NBR_IN_USE_US) ||
		(nbr->state == INET_NBR_PROBE && nbr->nb_tries <= 1)) {
		nbr_challenge(inet, nbr, mac);
		return;
	}
	is_answer &= nbr->state != INET_NBR_REACHABLE; /* else nobody has asked */
	inet_nbr_update(inet, nbr, mac);
	/* An IPv4 host that asks for us is about to send; RFC 826 asks no more of him. */
	if (!is_answer && (was_known || !leat_ip_addr_is_ipv4(nbr->addr)))
		inet_nbr_age(inet, nbr);
}

void
inet_nbr_hear_of(struct leat_inet *inet, struct leat_ip_addr addr, const uint8_t *mac)
{
	struct inet_nbr *nbr = inet_nbr_find(inet, addr);

	if (nbr == NULL && inet_addr_is_on_link(inet, addr)) {
		nbr = nbr_alloc(inet, addr);
		if (nbr != NULL)
			nbr_set_asking(inet, nbr, INET_NBR_INCOMPLETE);
	}
	if (nbr != NULL)
		inet_nbr_hear(inet, nbr, mac, false);
}

void
inet_nbr_confirm(struct leat_inet *inet, struct inet_nbr *nbr, const uint8_t *mac)
{
	if (leat_eth_addr_is_equal(nbr->mac, mac)) {
		if (nbr->state == INET_NBR_REACHABLE)
			nbr->confirmed_us = inet->now_us;
		else if (nbr->state == INET_NBR_PROBE && !nbr->is_claimed)
			inet_nbr_update(inet, nbr, mac); /* RFC 4861 section 7.3.3 */
	} else if (nbr->is_claimed && leat_eth_addr_is_equal(nbr->claim, mac)) {
		inet_nbr_update(inet, nbr, mac);
	}
}

void
inet_nbr_timers(struct leat_inet *inet, uint64_t now_us)
{
	struct inet_nbr *nbr;

	while ((nbr = TAILQ_FIRST(&inet->nbrs_asking)) != NULL && nbr->retry_us <= now_us)
		nbr_ask(inet, nbr);
}

void
inet_nbr_announce(struct leat_inet *inet)
{
	while (inet->nb_announced < inet->nb_addrs) {
		struct leat_ip_addr addr = inet->addrs[inet->nb_announced++].addr;

		if (leat_ip_addr_is_ipv4(addr))
			inet_arp_announce(inet, addr);
		else
			inet_nd_announce(inet, addr);
	}
}

void
inet_nbr_close(struct leat_inet *inet)
{
	for (uint32_t i = 0; i < inet->conf.nb_neighbours_max; i++)
		if (inet->nbr_mem[i].state == INET_NBR_INCOMPLETE)
			nbr_drop_queue(inet, &inet->nbr_mem[i]);
}
