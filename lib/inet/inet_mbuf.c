/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Chains whose segments are cut anywhere, as a port with scattered receive or
 * coalescing hands them over.
 */

#include "inet_priv.h"

/* The segment that contains byte @p *off, which becomes an offset into it. */
static const struct rte_mbuf *
chain_seek(const struct rte_mbuf *seg, uint32_t *off)
{
	while (*off >= seg->data_len && seg->next != NULL) {
		*off -= seg->data_len;
		seg = seg->next;
	}
	return seg;
}

void
inet_mbuf_cksum(const struct rte_mbuf *chain, uint32_t off, uint32_t len, struct leat_cksum *cksum)
{
	for (chain = chain_seek(chain, &off); len > 0; chain = chain->next, off = 0) {
		uint32_t n = LEAT_MIN(len, chain->data_len - off);

		leat_cksum_add(cksum, rte_pktmbuf_mtod_offset(chain, const uint8_t *, off), n);
		len -= n;
	}
}

void
inet_mbuf_copy(const struct rte_mbuf *chain, uint32_t off, uint32_t len, uint8_t *out)
{
	for (chain = chain_seek(chain, &off); len > 0; chain = chain->next, off = 0) {
		uint32_t n = LEAT_MIN(len, chain->data_len - off);

		memcpy(out, rte_pktmbuf_mtod_offset(chain, const uint8_t *, off), n);
		out += n;
		len -= n;
	}
}

/* Free the segments before byte @p off, which becomes the first one. */
static struct rte_mbuf *
chain_cut_front(struct rte_mbuf *head, uint32_t off)
{
	while (off >= head->data_len) {
		struct rte_mbuf *next = head->next;

		off -= head->data_len;
		next->pkt_len = head->pkt_len - head->data_len;
		next->nb_segs = (uint16_t)(head->nb_segs - 1);
		rte_pktmbuf_free_seg(head);
		head = next;
	}
	head->data_off = (uint16_t)(head->data_off + off);
	head->data_len = (uint16_t)(head->data_len - off);
	head->pkt_len -= off;
	return head;
}

/* Keep the first @p len bytes, and no segment without one. */
static void
chain_cut_back(struct rte_mbuf *head, uint32_t len)
{
	struct rte_mbuf **link = &head->next;
	struct rte_mbuf *seg = head;
	uint32_t left = len;

	head->pkt_len = len;
	if (LEAT_LIKELY(head->next == NULL)) {
		head->data_len = (uint16_t)len;
		return;
	}
	head->nb_segs = 1;
	seg->data_len = (uint16_t)LEAT_MIN(left, seg->data_len);
	left -= seg->data_len;
	while ((seg = *link) != NULL) {
		seg->data_len = (uint16_t)LEAT_MIN(left, seg->data_len);
		left -= seg->data_len;
		if (seg->data_len > 0) {
			head->nb_segs++;
			link = &seg->next;
			continue;
		}
		*link = seg->next;
		rte_pktmbuf_free_seg(seg);
	}
}

struct rte_mbuf *
inet_mbuf_cut(struct rte_mbuf *chain, uint32_t off, uint32_t len)
{
	LEAT_ASSERT(len > 0 && len <= chain->pkt_len && off <= chain->pkt_len - len);

	chain = chain_cut_front(chain, off);
	chain_cut_back(chain, len);
	return chain;
}
