/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Who gets the last buffers. Whatever makes buffers free again comes first, and that is
 * what established connections do: their ACKs are received and sent to the last. Who
 * would begin something is turned away first, while there is still enough for the others.
 */

#include "inet_priv.h"

/* Frames that each class leaves to those before it; of a small pool that share at most. */
static const struct class_reserve {
	uint32_t nb_max;
	uint32_t share; /* one of so many */
} class_reserves[INET_CLASSES] = {
	[INET_CLASS_CONTROL] = { 0, 1 },
	[INET_CLASS_ESTABLISHED] = { 32, 16 },
	[INET_CLASS_TEXT] = { 64, 8 },
	[INET_CLASS_COOKIE] = { 96, 6 },
	[INET_CLASS_NEW] = { 128, 4 },
};

/* The pool of received frames is at a level when less than one of 2^shift is free. */
static const uint8_t rx_shifts[INET_RX_PLENTY] = {
	[INET_RX_LAST] = 5,
	[INET_RX_SCARCE] = 4,
	[INET_RX_LOW] = 3,
};

#define TEXT_LOW_SHARE 16u /* less than where long replies wait: short ones are still given */
#define HELD_SHARE     8u
#define HELD_MAX       128u

/*
 * Mbufs in the ring of a pool. Those in the caches of lcores are free too, so there are
 * more; rte_mempool_avail_count() counts them, and asks every lcore's line for it.
 */
static uint32_t
pool_nb_free(const struct rte_mempool *pool)
{
	return rte_mempool_get_ops(pool->ops_index)->get_count(pool);
}

void
inet_buffers_init(struct leat_inet *inet)
{
	struct inet_buffers *buffers = &inet->buffers;
	uint32_t nb_frames = inet->conf.pool->size;

	for (uint32_t i = 0; i < INET_CLASSES; i++)
		buffers->reserves[i] =
			LEAT_MIN(class_reserves[i].nb_max, nb_frames / class_reserves[i].share);
	buffers->nb_held_max = LEAT_MIN(HELD_MAX, nb_frames / HELD_SHARE);
	buffers->nb_frames = nb_frames;
	buffers->rx_level = INET_RX_PLENTY;
}

void
inet_buffers_look(struct leat_inet *inet)
{
	inet->buffers.nb_frames = pool_nb_free(inet->conf.pool);
}

void
inet_buffers_look_rx(struct leat_inet *inet)
{
	struct inet_buffers *buffers = &inet->buffers;
	const struct rte_mempool *rx_pool = inet->conf.rx_pool;
	const struct rte_mempool *text_pool = inet->conf.text_pool;
	uint8_t level = INET_RX_PLENTY;

	if (rx_pool != NULL) {
		uint32_t nb_free = pool_nb_free(rx_pool);

		for (level = 0; level < INET_RX_PLENTY; level++) {
			if (nb_free < rx_pool->size >> rx_shifts[level])
				break;
		}
	}
	buffers->rx_level = level;
	buffers->is_text_low =
		text_pool != NULL && pool_nb_free(text_pool) < text_pool->size / TEXT_LOW_SHARE;
}

bool
inet_buffers_may_begin(struct leat_inet *inet)
{
	const struct inet_buffers *buffers = &inet->buffers;
	bool is_starved = buffers->rx_level != INET_RX_PLENTY || buffers->is_text_low;

	if (!is_starved && inet_class_has(inet, INET_CLASS_NEW, 1))
		return true;
	inet->stats.tcp_begin_refused++;
	inet->stats.tcp_begin_starved += is_starved;
	return false;
}

/* Whether the text of a segment may be kept, few mbufs being left to receive with. */
static bool
rx_text_may_stay(
	const struct leat_inet *inet, const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	if ((int32_t)(seg->seq - tcb->rcv_nxt) > 0) /* nobody can use it yet */
		return false;
	switch (inet->buffers.rx_level) {
	case INET_RX_LOW:
		return tcb->rcv_unread < LEAT_INET_UNREAD_LOW_MAX;
	case INET_RX_SCARCE: /* who uses up what he gets goes on */
		return tcb->rcv_unread == 0;
	default:
		return false;
	}
}

void
inet_buffers_limit_text(
	struct leat_inet *inet, const struct leat_tcb *tcb, struct inet_tcp_frame *frame)
{
	struct leat_tcp_seg *seg = &frame->seg;

	if (seg->len == 0 || rx_text_may_stay(inet, tcb, seg))
		return;
	rte_pktmbuf_free(frame->mbuf);
	frame->mbuf = NULL;
	seg->len = 0;
	seg->flags &= (uint8_t) ~(LEAT_TCP_FIN | LEAT_TCP_PSH); /* a FIN is behind the text */
	inet->stats.rx_text_refused++;
}
