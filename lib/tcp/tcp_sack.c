/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * SACK blocks from the peer: RFC 2018 section 5 and RFC 6675 section 3. What they name
 * must be in flight, byte for byte; nothing else in them is believed.
 */

#include <leat_common.h>

#include "tcp_priv.h"

static bool
block_is_within(const struct leat_tcp_sack *block, uint32_t left, uint32_t right)
{
	return seq_lt(block->left, block->right) && seq_le(left, block->left) &&
	       seq_le(block->right, right);
}

/* RFC 2883 section 4: below the acknowledgment, or a part of the block that follows. */
static bool
block_is_dsack(const struct leat_tcb *tcb, const struct leat_tcp_seg *seg)
{
	const struct leat_tcp_sack *block = &seg->opts.sacks[0];

	if (block_is_within(block, seg->ack - tcb->snd_wnd_max, seg->ack))
		return true;
	return seg->opts.nb_sacks > 1 &&
	       block_is_within(block, seg->opts.sacks[1].left, seg->opts.sacks[1].right) &&
	       block_is_within(&seg->opts.sacks[1], tcb->snd_una, tcb->snd_max);
}

/*
 * The part of @p rec within the block, as a record of its own; NULL: there is none, or it
 * is known, or there is no record for what lies beside it.
 */
static struct tcp_rec *
sack_isolate(struct leat_tcb *tcb, struct tcp_rec *rec, const struct leat_tcp_sack *block)
{
	if ((rec->flags & TCP_REC_SACKED) != 0 || seq_le(rec->end, block->left))
		return NULL;
	if (seq_lt(rec->seq, block->left)) {
		if (!tcp_rec_split(tcb, rec, block->left))
			return NULL;
		rec = tcp_rec_at(tcb, rec->next);
	}
	if (seq_lt(block->right, rec->end) && !tcp_rec_split(tcb, rec, block->right))
		return NULL;
	return rec;
}

static bool
recs_join(const struct tcp_rec *rec, const struct tcp_rec *next)
{
	return rec != NULL && next != NULL && rec->end == next->seq &&
	       (rec->flags & next->flags & TCP_REC_SACKED) != 0;
}

static void
sack_take_block(struct leat_tcb *tcb, struct tcp_ack *ack, const struct leat_tcp_sack *block)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);
	struct tcp_rec *prev = NULL;

	while (rec != NULL && seq_lt(rec->seq, block->right)) {
		struct tcp_rec *part = sack_isolate(tcb, rec, block);

		if (part != NULL) {
			if (part != rec)
				prev = rec;
			rec = part;
			ack->delivered += rec->end - rec->seq;
			tcp_rack_take(tcb, ack, rec, rec->end);
			tcp_rec_sacked(tcb, rec);
			if (recs_join(prev, rec)) {
				tcp_rec_join(tcb, prev);
				rec = prev;
			}
			if (recs_join(rec, tcp_rec_at(tcb, rec->next)))
				tcp_rec_join(tcb, rec);
		}
		prev = rec;
		rec = tcp_rec_at(tcb, rec->next);
	}
}

void
tcp_sack_take(struct leat_tcb *tcb, struct tcp_ack *ack)
{
	const struct leat_tcp_seg *seg = ack->seg;
	unsigned int i = 0;

	if (seg->opts.nb_sacks > 0 && block_is_dsack(tcb, seg)) {
		ack->has_dsack = true;
		i = 1;
	}
	for (; i < seg->opts.nb_sacks; i++) {
		if (block_is_within(&seg->opts.sacks[i], tcb->snd_una, tcb->snd_max))
			sack_take_block(tcb, ack, &seg->opts.sacks[i]);
	}
}

void
tcp_sack_check_reneging(struct leat_tcb *tcb)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	if (rec == NULL || rec->seq != tcb->snd_una || (rec->flags & TCP_REC_SACKED) == 0)
		return;
	/* It says that it has what it still waits for. */
	for (; rec != NULL; rec = tcp_rec_at(tcb, rec->next))
		rec->flags &= (uint8_t)~TCP_REC_SACKED;
	tcb->snd_sacked = 0;
}
