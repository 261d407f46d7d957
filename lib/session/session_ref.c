/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bytes that a reply refers to, from the loan to the last acknowledgment.
 *
 * A reference is an mbuf of a pool of its own. Its private bytes say what it refers to, and
 * its little data room takes the text that follows, such as a CR LF. A window is another mbuf
 * of that pool, attached to a part of the bytes as to an external buffer; there are only as
 * many of them as the transport takes. Bytes are given back when the last window is free, and
 * the last frame that was made of one: until then the transport may send them again, and a
 * device may read them. The reference has one owner more for that long, since what is counted
 * lies in it.
 */

#include <errno.h>

#include <rte_eal.h>
#include <rte_memory.h>

#include "session_priv.h"

#define REF_ROOM       64u                   /* bytes of text behind a reference, in its own mbuf */
#define REF_WINDOW_LEN LEAT_SESSION_SEND_LEN /* bytes of a window; an mbuf has 16 bits for it */
#define REF_CACHE      256u                  /* mbufs of the pool in the lcore's cache */
#define REF_SHARE      64u                   /* of those left a reply may take one of so many */

static_assert(REF_WINDOW_LEN <= UINT16_MAX, "an external buffer has no more bytes");

/* The private bytes of a reference. */
struct session_ref {
	/* Counts who refers to the bytes: the session while some of them are not shown, each window,
	 * each frame. */
	struct rte_mbuf_ext_shared_info shared;
	struct leat_session_ctx *ctx;
	struct leat_keeper *keeper;
	const uint8_t *loan; /* its first byte */
	const uint8_t *pos;  /* what is not shown yet */
	size_t left;
	size_t len;
	struct rte_mbuf *next; /* the session's next reference */
	struct rte_mbuf *tail; /* of the chain of text that begins with this mbuf, if next is set */
};

static_assert(sizeof(struct session_ref) % RTE_MBUF_PRIV_ALIGN == 0, "DPDK wants it so");

static struct session_ref *
ref_of(struct rte_mbuf *m)
{
	return rte_mbuf_to_priv(m);
}

int
leat_session_ref_pool(const char *name, uint32_t nb, int socket_id, struct rte_mempool **out)
{
	uint32_t cache = LEAT_MIN(REF_CACHE, nb / 4);

	*out = rte_pktmbuf_pool_create(
		name, nb, cache, sizeof(struct session_ref), REF_ROOM, socket_id);
	return *out == NULL ? -ENOMEM : 0;
}

size_t
leat_session_ref_pool_len(uint32_t nb)
{
	uint32_t len = sizeof(struct rte_mbuf) + sizeof(struct session_ref) + REF_ROOM;

	return (size_t)nb * rte_mempool_calc_obj_size(len, 0, NULL);
}

/* Mbufs in the ring; those in the lcore's cache come on top. */
static unsigned int
refs_nb_free(const struct leat_session_ctx *ctx)
{
	return rte_mempool_get_ops(ctx->ref_pool->ops_index)->get_count(ctx->ref_pool);
}

void
session_refs_look(struct leat_session_ctx *ctx)
{
	ctx->is_ref_short = refs_nb_free(ctx) < ctx->nb_refs_low;
}

unsigned int
session_refs_share(const struct leat_session_ctx *ctx)
{
	unsigned int nb_free = refs_nb_free(ctx);
	unsigned int nb_last = ctx->nb_refs_last;

	return 1 + (nb_free > nb_last ? (nb_free - nb_last) / REF_SHARE : 0);
}

/* The bytes may go: nobody refers to them any more. */
static void
ref_release(void *bytes, void *arg)
{
	struct rte_mbuf *m = arg;
	struct session_ref *ref = ref_of(m);

	(void)bytes; /* of the window that was the last */
	ref->ctx->stats.refs_held_len -= ref->len;
	if (ref->keeper != NULL)
		ref->keeper->release(ref->keeper, ref->loan);
	rte_pktmbuf_free_seg(m);
}

/* One less of those who refer to the bytes. */
static void
ref_put(struct rte_mbuf *m)
{
	if (rte_mbuf_ext_refcnt_update(&ref_of(m)->shared, -1) == 0)
		ref_release(NULL, m);
}

/* What is written from now on goes behind @p m. */
static void
refs_append(struct leat_session_output *out, struct rte_mbuf *m)
{
	if (out->ref_first == NULL) {
		out->ref_first = m;
		out->head_tail = out->tail;
	} else {
		ref_of(out->ref_last)->next = m;
		ref_of(out->ref_last)->tail = out->tail;
	}
	out->ref_last = m;
	out->chain = m;
	out->tail = m;
	out->has_refs = true;
}

int
session_ref_add(struct leat_session *s, const struct leat_loan *loan, struct leat_slice bytes)
{
	struct leat_session_ctx *ctx = s->ctx;
	struct rte_mbuf *m = NULL;
	struct session_ref *ref;

	if (ctx->ref_pool != NULL) {
		m = rte_pktmbuf_alloc(ctx->ref_pool);
		session_refs_look(ctx);
	}
	if (m == NULL) {
		ctx->stats.nb_refs_copied++;
		return -ENOBUFS;
	}
	ref = ref_of(m);
	*ref = (struct session_ref){
		.shared = { .free_cb = ref_release, .fcb_opaque = m },
		.ctx = ctx,
		.keeper = loan->keeper,
		.loan = loan->bytes.data,
		.pos = bytes.data,
		.left = bytes.len,
		.len = bytes.len,
	};
	rte_mbuf_ext_refcnt_set(&ref->shared, 1);
	rte_mbuf_refcnt_set(m, 2); /* the text, and what is counted */
	m->data_off = 0;           /* no headers come before text */
	if (ref->keeper != NULL)
		ref->keeper->keep(ref->keeper, ref->loan);
	refs_append(&s->out, m);
	ctx->stats.nb_refs++;
	ctx->stats.refs_len += bytes.len;
	ctx->stats.refs_held_len += bytes.len;
	return 0;
}

uint64_t
session_behind_len(const struct leat_session *s, bool with_refs)
{
	uint64_t len = 0;

	for (struct rte_mbuf *m = s->out.ref_first; m != NULL; m = ref_of(m)->next)
		len += m->pkt_len + (with_refs ? ref_of(m)->left : 0);
	return len;
}

/* Append a chain to that which leaves next. */
static void
head_append(struct leat_session_output *out, struct rte_mbuf *chain, struct rte_mbuf *tail)
{
	if (out->head == NULL) {
		out->head = chain;
	} else {
		out->head_tail->next = chain;
		out->head->nb_segs = (uint16_t)(out->head->nb_segs + chain->nb_segs);
		out->head->pkt_len += chain->pkt_len;
		chain->nb_segs = 1; /* of a segment that is not the first */
	}
	out->head_tail = tail;
}

/*
 * Where devices read the bytes, at most *len of them, which becomes less where memory that
 * lies in one piece for us does not for them.
 */
static rte_iova_t
bytes_iova(const uint8_t *bytes, uint16_t *len)
{
	const struct rte_memseg *page;
	size_t off;

	if (rte_eal_iova_mode() == RTE_IOVA_VA)
		return (rte_iova_t)(uintptr_t)bytes;
	page = rte_mem_virt2memseg(bytes, NULL);
	if (page == NULL || page->iova == RTE_BAD_IOVA) /* no device asks, see struct leat_loan */
		return RTE_BAD_IOVA;
	off = (size_t)(bytes - (const uint8_t *)page->addr);
	*len = (uint16_t)LEAT_MIN((size_t)*len, page->len - off);
	return page->iova + off;
}

/* A window on the next bytes; NULL: there is none for that. */
static struct rte_mbuf *
ref_window(struct leat_session_ctx *ctx, struct session_ref *ref)
{
	uint16_t len = (uint16_t)LEAT_MIN(ref->left, (size_t)REF_WINDOW_LEN);
	struct rte_mbuf *m;
	rte_iova_t iova;

	if (refs_nb_free(ctx) < ctx->nb_refs_kept)
		return NULL;
	m = rte_pktmbuf_alloc(ctx->ref_pool);
	if (m == NULL)
		return NULL;
	iova = bytes_iova(ref->pos, &len);
	/* The pointer loses its const here and nowhere else: nobody writes to text. */
	rte_pktmbuf_attach_extbuf(m, (void *)(uintptr_t)ref->pos, iova, len, &ref->shared);
	rte_mbuf_ext_refcnt_update(&ref->shared, 1);
	m->data_len = len;
	m->pkt_len = len;
	return m;
}

/* Likewise, copied. */
static struct rte_mbuf *
ref_copy(struct leat_session *s, struct session_ref *ref)
{
	struct rte_mbuf *m = NULL;
	uint16_t len;

	if (!s->transport->is_short || s->out.head == NULL)
		m = leat_transport_tx_alloc(s->transport);
	if (m == NULL)
		return NULL;
	s->ctx->stats.nb_refs_copied++;
	len = (uint16_t)LEAT_MIN(ref->left, (size_t)rte_pktmbuf_tailroom(m));
	memcpy(rte_pktmbuf_append(m, len), ref->pos, len);
	return m;
}

/* All bytes of the first reference are shown: the text behind it is next. */
static void
ref_end(struct leat_session_output *out)
{
	struct rte_mbuf *m = out->ref_first;
	struct session_ref *ref = ref_of(m);
	bool has_text = m->pkt_len > 0;

	if (has_text)
		head_append(out, m, ref->next == NULL ? out->tail : ref->tail);
	out->ref_first = ref->next;
	if (out->ref_first == NULL) {
		out->ref_last = NULL;
		out->chain = out->head;
		out->tail = out->head_tail;
	}
	ref_put(m);
	if (!has_text)
		rte_pktmbuf_free_seg(m);
}

bool
session_refs_show(struct leat_session *s)
{
	struct leat_session_output *out = &s->out;

	while (out->ref_first != NULL &&
		(out->head == NULL || out->head->pkt_len < LEAT_SESSION_SEND_LEN)) {
		struct session_ref *ref = ref_of(out->ref_first);
		struct rte_mbuf *m = ref_window(s->ctx, ref);

		if (m == NULL)
			m = ref_copy(s, ref);
		if (m == NULL)
			return out->head != NULL;
		head_append(out, m, m);
		ref->pos += m->data_len;
		ref->left -= m->data_len;
		out->window_len += m->data_len;
		if (ref->left == 0)
			ref_end(out);
	}
	return true;
}

void
session_refs_clear(struct leat_session *s)
{
	while (s->out.ref_first != NULL) {
		struct rte_mbuf *m = s->out.ref_first;

		s->out.ref_first = ref_of(m)->next;
		ref_put(m);
		rte_pktmbuf_free(m); /* and the text behind it */
	}
}
