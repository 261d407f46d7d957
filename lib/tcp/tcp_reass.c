/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Text that came before its time: runs of text without a hole, sorted by sequence number.
 * Where two segments claim the same bytes, those that came first stay. A run inside of a
 * segment gives it its bytes and is freed, so that one segment fills every hole it covers and
 * stays one packet; at a run that ends behind it, it is cut.
 *
 * A run is one packet. Its sequence number, its last mbuf and the link to the next run live
 * in fields of its first mbuf that mean nothing between the driver's receive and its
 * transmit. A search passes runs, of which there are as many as holes.
 */

#include <string.h>

#include <leat_common.h>

#include "tcp_priv.h"

static_assert(sizeof(((struct rte_mbuf *)NULL)->tx_offload) == sizeof(struct rte_mbuf *),
	"the link takes the whole field");
static_assert(sizeof(((struct rte_mbuf *)NULL)->hash) == sizeof(struct rte_mbuf *),
	"so does the last mbuf");
static_assert(LEAT_TCP_RUNS_MAX <= UINT8_MAX, "nb_runs counts them");

static struct rte_mbuf *
run_next(const struct rte_mbuf *run)
{
	struct rte_mbuf *next;

	memcpy(&next, &run->tx_offload, sizeof(next));
	return next;
}

static void
run_set_next(struct rte_mbuf *run, struct rte_mbuf *next)
{
	memcpy(&run->tx_offload, &next, sizeof(next));
}

static struct rte_mbuf *
run_last(const struct rte_mbuf *run)
{
	struct rte_mbuf *last;

	memcpy(&last, &run->hash, sizeof(last));
	return last;
}

static void
run_set_last(struct rte_mbuf *run, struct rte_mbuf *last)
{
	memcpy(&run->hash, &last, sizeof(last));
}

static uint32_t
run_seq(const struct rte_mbuf *run)
{
	return run->packet_type;
}

static uint32_t
run_end(const struct rte_mbuf *run)
{
	return run->packet_type + run->pkt_len;
}

/* The run behind @p prev; the first if that is NULL. */
static struct rte_mbuf *
run_behind(const struct tcp_reass *reass, const struct rte_mbuf *prev)
{
	return prev == NULL ? reass->head : run_next(prev);
}

static uint32_t
reass_first(struct leat_tcp_pool *pool)
{
	struct leat_tcp_pool_stats *stats = &pool->stats;

	return tcp_pool_first(stats->reass, &stats->reass_low, &stats->reass_dry);
}

/* The connection's state, perhaps from now on. NULL: the pool is dry. */
static struct tcp_reass *
reass_get(struct leat_tcb *tcb)
{
	struct leat_tcp_pool *pool = tcb->conf->pool;
	struct tcp_reass *reass;
	uint32_t idx;

	if (tcb->reass != 0)
		return tcp_reass_of(tcb);
	if (pool == NULL)
		return NULL;
	idx = pool->reass_free;
	if (idx != 0)
		pool->reass_free = pool->reass[idx].next_free;
	else if ((idx = reass_first(pool)) == 0)
		return NULL;
	pool->stats.reass_free--;
	tcb->reass = idx;
	reass = tcp_reass_of(tcb);
	*reass = (struct tcp_reass){ 0 };
	return reass;
}

/* Give it back if nothing is kept and nothing is left to tell. */
static void
reass_put(struct leat_tcb *tcb)
{
	struct leat_tcp_pool *pool = tcb->conf->pool;
	struct tcp_reass *reass = tcp_reass_of(tcb);

	if (reass == NULL || reass->head != NULL || reass->has_dsack)
		return;
	reass->next_free = pool->reass_free;
	pool->reass_free = tcb->reass;
	pool->stats.reass_free++;
	tcb->reass = 0;
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
sack_add(struct tcp_reass *reass, uint32_t left, uint32_t right)
{
	struct leat_tcp_sack kept[LEAT_TCP_SACK_MAX];
	unsigned int nb_kept = 0;

	for (unsigned int i = 0; i < reass->nb_sacks; i++) {
		const struct leat_tcp_sack *block = &reass->sacks[i];

		if (!block_touches(block, left, right))
			kept[nb_kept++] = *block;
	}
	nb_kept = LEAT_MIN(nb_kept, LEAT_TCP_SACK_MAX - 1);
	reass->sacks[0] = (struct leat_tcp_sack){ left, right };
	for (unsigned int i = 0; i < nb_kept; i++)
		reass->sacks[i + 1] = kept[i];
	reass->nb_sacks = (uint8_t)(nb_kept + 1);
}

/* Forget the blocks that are not, or not only, before @p end and behind rcv_nxt. */
static void
sack_prune(const struct leat_tcb *tcb, struct tcp_reass *reass, uint32_t end)
{
	unsigned int nb = 0;

	for (unsigned int i = 0; i < reass->nb_sacks; i++) {
		if (seq_lt(tcb->rcv_nxt, reass->sacks[i].right) &&
			seq_le(reass->sacks[i].right, end))
			reass->sacks[nb++] = reass->sacks[i];
	}
	reass->nb_sacks = (uint8_t)nb;
}

static bool
reass_has_room(const struct leat_tcb *tcb, const struct tcp_reass *reass, uint32_t nb_mbufs)
{
	if (reass->nb_mbufs + nb_mbufs > tcb->conf->nb_reass_max)
		return false;
	return tcb->conf->reass_budget == NULL || *tcb->conf->reass_budget >= nb_mbufs;
}

static void
reass_count(const struct leat_tcb *tcb, struct tcp_reass *reass, int nb_mbufs)
{
	reass->nb_mbufs = (uint16_t)(reass->nb_mbufs + nb_mbufs);
	if (tcb->conf->reass_budget != NULL)
		*tcb->conf->reass_budget -= (uint32_t)nb_mbufs;
}

/* The last run that starts at or before @p seq; text mostly goes on with the latest. */
static struct rte_mbuf *
reass_find(const struct tcp_reass *reass, uint32_t seq)
{
	struct rte_mbuf *run = reass->head;
	struct rte_mbuf *prev = NULL;

	if (reass->hint != NULL && seq_le(run_seq(reass->hint), seq))
		run = reass->hint;
	for (; run != NULL && seq_le(run_seq(run), seq); run = run_next(run))
		prev = run;
	return prev;
}

/* A run of its own behind @p prev. */
static void
run_link(const struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *prev, uint32_t seq,
	struct rte_mbuf *text)
{
	text->packet_type = seq;
	run_set_last(text, rte_pktmbuf_lastseg(text));
	run_set_next(text, run_behind(reass, prev));
	if (prev == NULL)
		reass->head = text;
	else
		run_set_next(prev, text);
	reass->nb_runs++;
	reass_count(tcb, reass, text->nb_segs);
}

/* Append a packet that ends with @p last. */
static void
run_extend(struct rte_mbuf *run, struct rte_mbuf *text, struct rte_mbuf *last)
{
	run_last(run)->next = text;
	run_set_last(run, last);
	run->pkt_len += text->pkt_len;
	run->nb_segs = (uint16_t)(run->nb_segs + text->nb_segs);
	text->nb_segs = 1; /* of a segment that is not the first */
}

/* Take out the run behind @p prev. */
static struct rte_mbuf *
run_unlink(const struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *prev)
{
	struct rte_mbuf *run = run_behind(reass, prev);

	if (prev == NULL)
		reass->head = run_next(run);
	else
		run_set_next(prev, run_next(run));
	if (reass->hint == run)
		reass->hint = NULL;
	reass->nb_runs--;
	reass_count(tcb, reass, -(int)run->nb_segs);
	return run;
}

/*
 * Keep text that overlaps no run, behind @p prev. Returns the run that it is part of;
 * NULL: there was no room for it.
 */
static struct rte_mbuf *
reass_keep(const struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *prev, uint32_t seq,
	struct rte_mbuf *text)
{
	bool extends = prev != NULL && run_end(prev) == seq;

	if (extends && tcp_text_copy(prev, run_last(prev), text))
		return prev;
	if (!reass_has_room(tcb, reass, text->nb_segs) ||
		(!extends && reass->nb_runs >= LEAT_TCP_RUNS_MAX)) {
		rte_pktmbuf_free(text);
		return NULL;
	}
	if (extends) {
		reass_count(tcb, reass, text->nb_segs);
		run_extend(prev, text, rte_pktmbuf_lastseg(text));
		return prev;
	}
	run_link(tcb, reass, prev, seq, text);
	return text;
}

/* The hole behind @p run is filled: what follows becomes a part of it, by a copy if short. */
static void
run_join_next(const struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *run)
{
	struct rte_mbuf *next = run_next(run);

	if (next == NULL || run_end(run) != run_seq(next))
		return;
	(void)run_unlink(tcb, reass, run);
	if (tcp_text_copy(run, run_last(run), next))
		return;
	reass_count(tcb, reass, next->nb_segs);
	run_extend(run, next, run_last(next));
}

/*
 * Make text that starts in the hole behind @p prev overlap no run: those inside of it give it
 * their bytes. Where they cannot, or must not (@p may_join), and at one that ends no earlier
 * than the text, it is cut. Never NULL.
 */
static struct rte_mbuf *
reass_fit(struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *prev, uint32_t seq,
	struct rte_mbuf *text, bool may_join)
{
	uint32_t end = seq + text->pkt_len;
	struct rte_mbuf *run;

	while ((run = run_behind(reass, prev)) != NULL && seq_lt(run_seq(run), end)) {
		uint32_t off = run_seq(run) - seq;
		uint32_t right = run_end(run);

		tcp_reass_dsack(tcb, run_seq(run), seq_lt(end, right) ? end : right);
		if (seq_le(end, right) || !may_join || !tcp_text_overwrite(text, off, run))
			return tcp_text_keep(text, off);
		rte_pktmbuf_free(run_unlink(tcb, reass, prev));
	}
	return text;
}

void
tcp_reass_insert(struct leat_tcb *tcb, uint32_t seq, struct rte_mbuf *text)
{
	struct tcp_reass *reass = reass_get(tcb);
	uint32_t end = seq + text->pkt_len;
	struct rte_mbuf *prev, *run;
	bool may_join;

	if (reass == NULL) {
		rte_pktmbuf_free(text);
		return;
	}
	prev = reass_find(reass, seq);
	if (prev != NULL && seq_lt(seq, run_end(prev))) {
		uint32_t right = run_end(prev);

		tcp_reass_dsack(tcb, seq, seq_lt(end, right) ? end : right);
		if (seq_le(end, right)) { /* all of it is here, and told so again */
			sack_add(reass, run_seq(prev), right);
			rte_pktmbuf_free(text);
			return;
		}
		text = tcp_text_cut_front(text, right - seq);
		seq = right;
	}
	/* What was told must not be lost for want of room: a run leaves that of one mbuf. */
	may_join = reass_has_room(tcb, reass, text->nb_segs - 1u);
	text = reass_fit(tcb, reass, prev, seq, text, may_join);
	run = reass_keep(tcb, reass, prev, seq, text);
	if (run != NULL) {
		run_join_next(tcb, reass, run);
		reass->hint = run;
		sack_add(reass, run_seq(run), run_end(run));
	}
	reass_put(tcb);
}

struct rte_mbuf *
tcp_reass_fit(struct leat_tcb *tcb, struct rte_mbuf *text)
{
	struct tcp_reass *reass = tcp_reass_of(tcb);

	if (reass == NULL)
		return text;
	return reass_fit(tcb, reass, NULL, tcb->rcv_nxt, text, true);
}

void
tcp_reass_drain(struct leat_tcb *tcb)
{
	struct tcp_reass *reass = tcp_reass_of(tcb);

	if (reass == NULL)
		return;
	if (reass->head != NULL && run_seq(reass->head) == tcb->rcv_nxt) {
		struct rte_mbuf *run = run_unlink(tcb, reass, NULL);

		tcp_rx_append(tcb, run, run_last(run));
	}
	LEAT_ASSERT(reass->head == NULL || seq_lt(tcb->rcv_nxt, run_seq(reass->head)));
	sack_prune(tcb, reass, tcb->rcv_adv);
	reass_put(tcb);
}

/* Keep the first @p len bytes of @p run, which are not all. */
static void
run_keep(const struct leat_tcb *tcb, struct tcp_reass *reass, struct rte_mbuf *run, uint32_t len)
{
	reass_count(tcb, reass, -(int)run->nb_segs);
	run = tcp_text_keep(run, len);
	run_set_last(run, rte_pktmbuf_lastseg(run));
	reass_count(tcb, reass, run->nb_segs);
}

void
tcp_reass_cut(struct leat_tcb *tcb, uint32_t end)
{
	struct tcp_reass *reass = tcp_reass_of(tcb);
	struct rte_mbuf *last = NULL;
	struct rte_mbuf *run;

	if (reass == NULL)
		return;
	for (run = reass->head; run != NULL && seq_lt(run_seq(run), end); run = run_next(run))
		last = run;
	while (run != NULL) {
		struct rte_mbuf *next = run_next(run);

		reass->nb_runs--;
		reass_count(tcb, reass, -(int)run->nb_segs);
		rte_pktmbuf_free(run);
		run = next;
	}
	reass->hint = NULL;
	if (last == NULL) {
		reass->head = NULL;
	} else {
		run_set_next(last, NULL);
		if (seq_lt(end, run_end(last)))
			run_keep(tcb, reass, last, end - run_seq(last));
	}
	sack_prune(tcb, reass, end);
	reass_put(tcb);
}

void
tcp_reass_dsack(struct leat_tcb *tcb, uint32_t left, uint32_t right)
{
	struct tcp_reass *reass;

	if (!tcb->sack_on || left == right)
		return;
	reass = reass_get(tcb);
	if (reass == NULL || reass->has_dsack) /* the first of a turn is told */
		return;
	reass->has_dsack = true;
	tcb->owed |= TCP_OWED_ACK;
	reass->dsack = (struct leat_tcp_sack){ left, right };
}

uint8_t
tcp_reass_nb_sacks(const struct leat_tcb *tcb)
{
	const struct tcp_reass *reass = tcp_reass_of(tcb);
	uint32_t nb_max = LEAT_TCP_SACK_MAX - tcb->ts_on;

	return (uint8_t)LEAT_MIN((uint32_t)reass->nb_sacks + reass->has_dsack, nb_max);
}

uint8_t
tcp_reass_sacks(const struct leat_tcb *tcb, struct leat_tcp_sack *sacks)
{
	const struct tcp_reass *reass = tcp_reass_of(tcb);
	uint8_t nb = tcp_reass_nb_sacks(tcb);
	uint8_t nb_dsacks = reass->has_dsack;

	if (nb_dsacks > 0)
		sacks[0] = reass->dsack;
	for (uint8_t i = nb_dsacks; i < nb; i++)
		sacks[i] = reass->sacks[i - nb_dsacks];
	return nb;
}

void
tcp_reass_told(struct leat_tcb *tcb)
{
	tcp_reass_of(tcb)->has_dsack = false;
	reass_put(tcb);
}

void
tcp_reass_free(struct leat_tcb *tcb)
{
	struct tcp_reass *reass = tcp_reass_of(tcb);

	if (reass == NULL)
		return;
	while (reass->head != NULL)
		rte_pktmbuf_free(run_unlink(tcb, reass, NULL));
	reass->nb_sacks = 0;
	reass->has_dsack = false;
	reass_put(tcb);
}
