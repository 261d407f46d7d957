/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Records of what is in flight, and the pool that lends them. A connection's records are
 * in sequence and do not overlap; between them lies text that found the pool dry.
 */

#include <leat_common.h>

#include "tcp_priv.h"

static size_t
lines(size_t len)
{
	return (len + LEAT_CACHE_LINE_LEN - 1) / LEAT_CACHE_LINE_LEN * LEAT_CACHE_LINE_LEN;
}

static size_t
recs_len(uint32_t nb_records)
{
	return lines(((size_t)nb_records + 1) * sizeof(struct tcp_rec));
}

size_t
leat_tcp_pool_mem_len(uint32_t nb_records, uint32_t nb_reass)
{
	return lines(sizeof(struct leat_tcp_pool)) + recs_len(nb_records) +
	       lines(((size_t)nb_reass + 1) * sizeof(struct tcp_reass));
}

struct leat_tcp_pool *
leat_tcp_pool_init(void *mem, uint32_t nb_records, uint32_t nb_reass)
{
	struct leat_tcp_pool *pool = mem;
	uint8_t *pos = (uint8_t *)mem + lines(sizeof(struct leat_tcp_pool));

	LEAT_VERIFY((uintptr_t)mem % LEAT_CACHE_LINE_LEN == 0);
	LEAT_VERIFY(nb_records > 0);
	LEAT_VERIFY(nb_reass > 0);
	pool->recs = (struct tcp_rec *)pos;
	pool->reass = (struct tcp_reass *)(pos + recs_len(nb_records));
	pool->rec_free = 0;
	pool->reass_free = 0;
	pool->stats = (struct leat_tcp_pool_stats){
		.records = nb_records,
		.records_free = nb_records,
		.records_low = nb_records,
		.reass = nb_reass,
		.reass_free = nb_reass,
		.reass_low = nb_reass,
	};
	return pool;
}

const struct leat_tcp_pool_stats *
leat_tcp_pool_stats(const struct leat_tcp_pool *pool)
{
	return &pool->stats;
}

static uint32_t
rec_first(struct leat_tcp_pool *pool)
{
	struct leat_tcp_pool_stats *stats = &pool->stats;

	return tcp_pool_first(stats->records, &stats->records_low, &stats->records_dry);
}

/* 0: the pool is dry, or the connection has its share. */
static uint32_t
rec_alloc(struct leat_tcb *tcb)
{
	struct leat_tcp_pool *pool = tcb->conf->pool;
	uint32_t idx;

	if (pool == NULL || tcb->nb_recs >= LEAT_TCP_RECORDS_MAX)
		return 0;
	idx = pool->rec_free;
	if (idx != 0)
		pool->rec_free = pool->recs[idx].next;
	else if ((idx = rec_first(pool)) == 0)
		return 0;
	pool->stats.records_free--;
	tcb->nb_recs++;
	return idx;
}

static void
rec_free(struct leat_tcb *tcb, uint32_t idx)
{
	struct leat_tcp_pool *pool = tcb->conf->pool;

	pool->recs[idx].next = pool->rec_free;
	pool->rec_free = idx;
	pool->stats.records_free++;
	tcb->nb_recs--;
}

static void
rec_pop(struct leat_tcb *tcb)
{
	uint32_t idx = tcb->rec_head;

	tcb->rec_head = tcb->conf->pool->recs[idx].next;
	if (tcb->rec_head == 0)
		tcb->rec_tail = 0;
	rec_free(tcb, idx);
}

static uint32_t
rec_len(const struct tcp_rec *rec)
{
	return rec->end - rec->seq;
}

void
tcp_rec_sent(struct leat_tcb *tcb, uint64_t now_us, const struct leat_tcp_out *out, uint32_t end)
{
	struct tcp_rec *tail = tcp_rec_at(tcb, tcb->rec_tail);
	uint32_t idx = rec_alloc(tcb);
	struct tcp_rec *rec;

	if (idx == 0) {
		/* Later than part of it left: it is found lost later, never too early. */
		if (tail != NULL && tail->end == out->seq && tail->flags == 0) {
			tail->end = end;
			tail->sent_us = (uint32_t)now_us;
		}
		return;
	}
	rec = tcp_rec_at(tcb, idx);
	*rec = (struct tcp_rec){
		.seq = out->seq,
		.end = end,
		.sent_us = (uint32_t)now_us,
		.text = out->text,
		.off = (uint16_t)out->off,
	};
	if (tail == NULL) { /* nothing is in flight that was sent before */
		tcb->rec_head = idx;
		tcb->rack_us = rec->sent_us;
		tcb->rack_end = rec->seq;
	} else {
		tail->next = idx;
	}
	tcb->rec_tail = idx;
}

bool
tcp_rec_split(struct leat_tcb *tcb, struct tcp_rec *rec, uint32_t seq)
{
	uint32_t idx = rec_alloc(tcb);
	uint32_t off = rec->off + (seq - rec->seq);
	struct tcp_rec *second;

	LEAT_ASSERT(seq_lt(rec->seq, seq));
	LEAT_ASSERT(seq_lt(seq, rec->end));
	if (idx == 0)
		return false;
	second = tcp_rec_at(tcb, idx);
	*second = *rec;
	second->seq = seq;
	while (second->text != NULL && off >= second->text->data_len) {
		off -= second->text->data_len;
		second->text = second->text->next;
	}
	second->off = (uint16_t)off;
	rec->end = seq;
	rec->next = idx;
	if (second->next == 0)
		tcb->rec_tail = idx;
	return true;
}

void
tcp_rec_resent(struct leat_tcb *tcb, uint64_t now_us, struct tcp_rec *rec, uint32_t end)
{
	/* Without a second record all of it counts as under way, until the first part arrives. */
	if (seq_lt(end, rec->end) && !tcp_rec_split(tcb, rec, end))
		rec->flags |= TCP_REC_PART;
	if ((rec->flags & TCP_REC_LOST) != 0)
		tcb->snd_lost -= rec_len(rec);
	rec->flags &= (uint8_t)~TCP_REC_LOST;
	rec->flags |= (rec->flags & TCP_REC_RTX) != 0 ? TCP_REC_MANY : TCP_REC_RTX;
	rec->sent_us = (uint32_t)now_us;
}

void
tcp_rec_sacked(struct leat_tcb *tcb, struct tcp_rec *rec)
{
	LEAT_ASSERT((rec->flags & TCP_REC_SACKED) == 0);
	if ((rec->flags & TCP_REC_LOST) != 0)
		tcb->snd_lost -= rec_len(rec);
	rec->flags &= (uint8_t) ~(TCP_REC_LOST | TCP_REC_PART);
	rec->flags |= TCP_REC_SACKED;
	tcb->snd_sacked += rec_len(rec);
}

void
tcp_rec_join(struct leat_tcb *tcb, struct tcp_rec *rec)
{
	uint32_t idx = rec->next;
	struct tcp_rec *second = tcp_rec_at(tcb, idx);

	LEAT_ASSERT(rec->end == second->seq);
	rec->end = second->end;
	rec->flags |= second->flags;
	rec->next = second->next;
	if (tcb->rec_tail == idx)
		tcb->rec_tail = (uint32_t)(rec - tcb->conf->pool->recs);
	rec_free(tcb, idx);
}

void
tcp_rec_lost(struct leat_tcb *tcb, struct tcp_rec *rec)
{
	if ((rec->flags & (TCP_REC_LOST | TCP_REC_SACKED)) != 0)
		return;
	rec->flags &= (uint8_t)~TCP_REC_PART;
	rec->flags |= TCP_REC_LOST;
	tcb->snd_lost += rec_len(rec);
}

/* @p rec has arrived up to @p end. */
static void
rec_take(struct leat_tcb *tcb, struct tcp_ack *ack, struct tcp_rec *rec, uint32_t end)
{
	uint32_t len = end - rec->seq;

	if ((rec->flags & TCP_REC_SACKED) != 0) {
		tcb->snd_sacked -= len;
	} else {
		if ((rec->flags & TCP_REC_LOST) != 0)
			tcb->snd_lost -= len;
		ack->delivered += len;
		tcp_rack_take(tcb, ack, rec, end);
	}
	rec->seq = end;
}

/* RFC 3522 section 3.2: the first sending of what went again first has arrived. */
static bool
rec_was_needless(const struct leat_tcb *tcb, const struct tcp_ack *ack, const struct tcp_rec *rec)
{
	if ((rec->flags & (TCP_REC_RTX | TCP_REC_MANY)) != TCP_REC_RTX)
		return false;
	return tcp_echo_of(tcb, ack->now_us, ack->seg, rec->sent_us) == TCP_ECHO_EARLIER;
}

/*
 * One segment was in flight, was sent once, and has arrived: what most ACKs tell of a small
 * reply. As rec_take(), which comes to the same by more questions.
 */
static void
rec_take_only(struct leat_tcb *tcb, struct tcp_ack *ack, const struct tcp_rec *rec)
{
	uint32_t rtt_us = LEAT_MAX((uint32_t)ack->now_us - rec->sent_us, 1u);

	ack->rtt_us = rtt_us;
	ack->delivered = rec->end - rec->seq;
	if (tcb->rtt_min_us == 0 || rtt_us < tcb->rtt_min_us)
		tcb->rtt_min_us = rtt_us;
	tcb->fack = rec->end;
	tcb->rack_us = rec->sent_us;
	tcb->rack_end = rec->end;
	tcb->rack_rtt_us = rtt_us;
	rec_pop(tcb);
}

void
tcp_rec_acked(struct leat_tcb *tcb, struct tcp_ack *ack, uint32_t una)
{
	uint32_t seq = tcb->snd_una; /* all before it is accounted for */
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	if (rec != NULL && rec->next == 0 && rec->flags == 0 && rec->seq == seq &&
		rec->end == una) {
		rec_take_only(tcb, ack, rec);
		return;
	}
	if (tcb->undo_on && rec != NULL)
		ack->is_spurious = rec_was_needless(tcb, ack, rec);
	while ((rec = tcp_rec_at(tcb, tcb->rec_head)) != NULL && seq_lt(rec->seq, una)) {
		ack->delivered += rec->seq - seq; /* without a record */
		if (seq_lt(una, rec->end)) {
			seq = una;
			rec_take(tcb, ack, rec, una);
			if ((rec->flags & TCP_REC_PART) != 0)
				tcp_rec_lost(tcb, rec);
			break;
		}
		seq = rec->end;
		rec_take(tcb, ack, rec, seq);
		rec_pop(tcb);
	}
	ack->delivered += una - seq;
}

void
tcp_rec_trim(struct leat_tcb *tcb)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	if (!tcp_rec_covers_front(tcb))
		return;
	rec->text = tcb->tx_head;
	rec->off = tcb->tx_head_off;
}

/* The oldest in flight has a record, perhaps from now on. */
static bool
rec_cover_front(struct leat_tcb *tcb)
{
	struct tcp_rec *head = tcp_rec_at(tcb, tcb->rec_head);
	struct tcp_rec *rec;
	uint32_t idx;

	if (tcp_rec_covers_front(tcb))
		return true;
	idx = rec_alloc(tcb);
	if (idx == 0)
		return false;
	rec = tcp_rec_at(tcb, idx);
	*rec = (struct tcp_rec){
		.seq = tcb->snd_una,
		.end = head == NULL ? tcb->snd_max : head->seq,
		.next = tcb->rec_head,
		.text = tcb->tx_head,
		.off = tcb->tx_head_off,
	};
	if (head == NULL)
		tcb->rec_tail = idx;
	tcb->rec_head = idx;
	return true;
}

void
tcp_rec_front_lost(struct leat_tcb *tcb)
{
	if (rec_cover_front(tcb))
		tcp_rec_lost(tcb, tcp_rec_at(tcb, tcb->rec_head));
	tcb->owed |= TCP_OWED_RTX;
}

void
tcp_rec_lose_longer(struct leat_tcb *tcb, uint32_t len)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	if (!tcp_rec_covers_front(tcb)) /* how long it was is not known */
		tcp_rec_front_lost(tcb);
	for (; rec != NULL; rec = tcp_rec_at(tcb, rec->next)) {
		if (rec_len(rec) > len)
			tcp_rec_lost(tcb, rec);
	}
}

struct tcp_rec *
tcp_rec_first_lost(const struct leat_tcb *tcb)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	while (rec != NULL && (rec->flags & TCP_REC_LOST) == 0)
		rec = tcp_rec_at(tcb, rec->next);
	return rec;
}

void
tcp_rec_gather(struct leat_tcb *tcb, struct tcp_rec *rec, uint32_t len)
{
	while (rec_len(rec) < len) {
		const struct tcp_rec *next = tcp_rec_at(tcb, rec->next);

		if (next == NULL || next->seq != rec->end || (next->flags & TCP_REC_LOST) == 0)
			return;
		tcp_rec_join(tcb, rec);
	}
}

void
tcp_rec_unlose(struct leat_tcb *tcb)
{
	struct tcp_rec *rec = tcp_rec_at(tcb, tcb->rec_head);

	for (; rec != NULL; rec = tcp_rec_at(tcb, rec->next))
		rec->flags &= (uint8_t) ~(TCP_REC_LOST | TCP_REC_PART);
	tcb->snd_lost = 0;
}

void
tcp_rec_free_all(struct leat_tcb *tcb)
{
	while (tcb->rec_head != 0)
		rec_pop(tcb);
	tcb->snd_sacked = 0;
	tcb->snd_lost = 0;
}
