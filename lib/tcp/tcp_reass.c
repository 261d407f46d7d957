/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Text that came before its time: packets sorted by sequence number that do not
 * overlap. Where two segments claim the same bytes, those that came first stay. A
 * segment that reaches over kept text is cut at its start; what lay behind comes again,
 * since only received and kept bytes are ever acknowledged.
 *
 * The sequence number of a packet and the link to the next live in fields of its first
 * mbuf that mean nothing between the driver's receive and its transmit.
 */

#include <string.h>

#include <leat_common.h>

#include "tcp_priv.h"

static_assert(sizeof(((struct rte_mbuf *)NULL)->tx_offload) == sizeof(struct rte_mbuf *),
	"the link takes the whole field");

static struct rte_mbuf *
piece_next(const struct rte_mbuf *piece)
{
	struct rte_mbuf *next;

	memcpy(&next, &piece->tx_offload, sizeof(next));
	return next;
}

static void
piece_set_next(struct rte_mbuf *piece, struct rte_mbuf *next)
{
	memcpy(&piece->tx_offload, &next, sizeof(next));
}

static uint32_t
piece_seq(const struct rte_mbuf *piece)
{
	return piece->hash.fdir.lo;
}

static uint32_t
piece_end(const struct rte_mbuf *piece)
{
	return piece->hash.fdir.lo + piece->pkt_len;
}

static bool
block_touches(const struct leat_tcp_sack *block, uint32_t left, uint32_t right)
{
	return seq_le(block->left, right) && seq_le(left, block->right);
}

/*
 * RFC 2018 section 4: the first block is the one that the latest segment is part of, the
 * others repeat what was told before. Blocks that it joins become one.
 */
static void
sack_add(struct leat_tcb *tcb, uint32_t left, uint32_t right)
{
	struct leat_tcp_sack kept[LEAT_TCP_SACK_MAX];
	unsigned int nb_kept = 0;

	for (unsigned int i = 0; i < tcb->nb_sacks; i++) {
		const struct leat_tcp_sack *block = &tcb->sacks[i];

		if (block_touches(block, left, right)) {
			left = seq_lt(block->left, left) ? block->left : left;
			right = seq_lt(right, block->right) ? block->right : right;
		} else {
			kept[nb_kept++] = *block;
		}
	}
	nb_kept = LEAT_MIN(nb_kept, LEAT_TCP_SACK_MAX - 1);
	tcb->sacks[0] = (struct leat_tcp_sack){ left, right };
	for (unsigned int i = 0; i < nb_kept; i++)
		tcb->sacks[i + 1] = kept[i];
	tcb->nb_sacks = (uint8_t)(nb_kept + 1);
}

/* rcv_nxt has moved: forget the blocks before it. */
static void
sack_prune(struct leat_tcb *tcb)
{
	unsigned int nb = 0;

	for (unsigned int i = 0; i < tcb->nb_sacks; i++) {
		if (seq_lt(tcb->rcv_nxt, tcb->sacks[i].right))
			tcb->sacks[nb++] = tcb->sacks[i];
	}
	tcb->nb_sacks = (uint8_t)nb;
}

static bool
reass_has_room(const struct leat_tcb *tcb, uint32_t nb_segs)
{
	if (tcb->nb_reass + nb_segs > tcb->conf->nb_reass_max)
		return false;
	return tcb->conf->reass_budget == NULL || *tcb->conf->reass_budget >= nb_segs;
}

static void
reass_count(struct leat_tcb *tcb, int nb_segs)
{
	tcb->nb_reass = (uint16_t)(tcb->nb_reass + nb_segs);
	if (tcb->conf->reass_budget != NULL)
		*tcb->conf->reass_budget -= (uint32_t)nb_segs;
}

/* The last piece that starts at or before @p seq; text mostly comes behind all others. */
static struct rte_mbuf *
reass_find(const struct leat_tcb *tcb, uint32_t seq)
{
	struct rte_mbuf *prev = NULL;

	if (tcb->reass_tail != NULL && seq_le(piece_seq(tcb->reass_tail), seq))
		return tcb->reass_tail;
	for (struct rte_mbuf *piece = tcb->reass_head;
		piece != NULL && seq_le(piece_seq(piece), seq); piece = piece_next(piece))
		prev = piece;
	return prev;
}

static void
reass_link(struct leat_tcb *tcb, struct rte_mbuf *prev, uint32_t seq, struct rte_mbuf *text)
{
	struct rte_mbuf *next = prev == NULL ? tcb->reass_head : piece_next(prev);

	text->hash.fdir.lo = seq;
	piece_set_next(text, next);
	if (prev == NULL)
		tcb->reass_head = text;
	else
		piece_set_next(prev, text);
	if (next == NULL)
		tcb->reass_tail = text;
	reass_count(tcb, text->nb_segs);
}

static struct rte_mbuf *
reass_pop(struct leat_tcb *tcb)
{
	struct rte_mbuf *piece = tcb->reass_head;

	tcb->reass_head = piece_next(piece);
	if (tcb->reass_head == NULL)
		tcb->reass_tail = NULL;
	piece_set_next(piece, NULL);
	reass_count(tcb, -(int)piece->nb_segs);
	return piece;
}

void
tcp_reass_insert(struct leat_tcb *tcb, uint32_t seq, struct rte_mbuf *text)
{
	struct rte_mbuf *prev = reass_find(tcb, seq);
	struct rte_mbuf *next = prev == NULL ? tcb->reass_head : piece_next(prev);
	uint32_t end = seq + text->pkt_len;

	if (prev != NULL && seq_lt(seq, piece_end(prev))) {
		if (seq_le(end, piece_end(prev))) { /* all of it is here, and told so again */
			sack_add(tcb, seq, end);
			rte_pktmbuf_free(text);
			return;
		}
		text = tcp_text_cut_front(text, piece_end(prev) - seq);
		seq = piece_end(prev);
	}
	if (next != NULL && seq_lt(piece_seq(next), end)) {
		end = piece_seq(next);
		text = tcp_text_keep(text, end - seq);
		if (text == NULL)
			return;
	}
	if (prev != NULL && seq == piece_end(prev) &&
		tcp_text_copy(prev, rte_pktmbuf_lastseg(prev), text)) {
		sack_add(tcb, seq, end);
		return;
	}
	if (!reass_has_room(tcb, text->nb_segs)) {
		rte_pktmbuf_free(text);
		return;
	}
	reass_link(tcb, prev, seq, text);
	sack_add(tcb, seq, end);
}

uint32_t
tcp_reass_new_len(const struct leat_tcb *tcb, uint32_t len)
{
	if (tcb->reass_head == NULL)
		return len;
	return LEAT_MIN(len, piece_seq(tcb->reass_head) - tcb->rcv_nxt);
}

void
tcp_reass_drain(struct leat_tcb *tcb)
{
	while (tcb->reass_head != NULL && piece_seq(tcb->reass_head) == tcb->rcv_nxt)
		tcp_rx_append(tcb, reass_pop(tcb));
	LEAT_ASSERT(tcb->reass_head == NULL || seq_lt(tcb->rcv_nxt, piece_seq(tcb->reass_head)));
	sack_prune(tcb);
}

void
tcp_reass_free(struct leat_tcb *tcb)
{
	while (tcb->reass_head != NULL)
		rte_pktmbuf_free(reass_pop(tcb));
	tcb->nb_sacks = 0;
}
