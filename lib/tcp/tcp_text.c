/* SPDX-License-Identifier: BSD-3-Clause */

/* Chains of mbufs: the text received in order, and the text to send. */

#include <string.h>

#include <leat_common.h>

#include "tcp_priv.h"

/* Text up to this length is copied where that saves an mbuf. */
#define TEXT_COPY_MAX 256u

struct rte_mbuf *
tcp_text_cut_front(struct rte_mbuf *text, uint32_t len)
{
	uint32_t left = text->pkt_len - len;
	uint16_t nb_segs = text->nb_segs;

	LEAT_VERIFY(len <= text->pkt_len);
	while (text != NULL && len >= text->data_len) {
		struct rte_mbuf *next = text->next;

		len -= text->data_len;
		rte_pktmbuf_free_seg(text);
		nb_segs--;
		text = next;
	}
	if (text == NULL)
		return NULL;
	text->data_off = (uint16_t)(text->data_off + len);
	text->data_len = (uint16_t)(text->data_len - len);
	text->pkt_len = left;
	text->nb_segs = nb_segs;
	return text;
}

struct rte_mbuf *
tcp_text_keep(struct rte_mbuf *text, uint32_t len)
{
	struct rte_mbuf *last = text;
	uint32_t left = len;
	uint16_t nb_segs = 1;

	LEAT_VERIFY(len <= text->pkt_len);
	if (len == 0) {
		rte_pktmbuf_free(text);
		return NULL;
	}
	while (left > last->data_len) {
		left -= last->data_len;
		last = last->next;
		nb_segs++;
	}
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	last->data_len = (uint16_t)left;
	text->pkt_len = len;
	text->nb_segs = nb_segs;
	return text;
}

/* The bytes are ours only if nobody shares the buffer. */
static bool
text_is_ours(const struct rte_mbuf *text)
{
	return RTE_MBUF_DIRECT(text) && rte_mbuf_refcnt_read(text) == 1;
}

bool
tcp_text_overwrite(struct rte_mbuf *text, uint32_t off, const struct rte_mbuf *from)
{
	LEAT_VERIFY(off + from->pkt_len <= text->pkt_len);
	for (const struct rte_mbuf *seg = text; seg != NULL; seg = seg->next) {
		if (!text_is_ours(seg))
			return false;
	}
	for (; from != NULL; from = from->next) {
		for (uint32_t done = 0, len; done < from->data_len; done += len, off += len) {
			for (; off >= text->data_len; text = text->next)
				off -= text->data_len;
			len = LEAT_MIN((uint32_t)from->data_len - done, text->data_len - off);
			memcpy(rte_pktmbuf_mtod_offset(text, uint8_t *, off),
				rte_pktmbuf_mtod_offset(from, const uint8_t *, done), len);
		}
	}
	return true;
}

bool
tcp_text_copy(struct rte_mbuf *head, struct rte_mbuf *tail, struct rte_mbuf *text)
{
	uint16_t len = text->data_len;

	if (text->next != NULL || len > TEXT_COPY_MAX)
		return false;
	if (!text_is_ours(tail) || rte_pktmbuf_tailroom(tail) < len)
		return false;
	memcpy(rte_pktmbuf_mtod_offset(tail, uint8_t *, tail->data_len),
		rte_pktmbuf_mtod(text, const uint8_t *), len);
	tail->data_len = (uint16_t)(tail->data_len + len);
	head->pkt_len += len;
	rte_pktmbuf_free(text);
	return true;
}

void
tcp_rx_append(struct leat_tcb *tcb, struct rte_mbuf *text, struct rte_mbuf *last)
{
	struct rte_mbuf *head = tcb->rx_head;

	LEAT_VERIFY(text->pkt_len <= tcp_rcv_wnd(tcb));
	tcb->rcv_nxt += text->pkt_len;
	tcb->rcv_unread += text->pkt_len;
	tcb->events |= LEAT_TCP_EV_DATA;
	if (head == NULL) {
		tcb->rx_head = text;
		tcb->rx_tail = last;
		return;
	}
	if (tcp_text_copy(head, tcb->rx_tail, text))
		return;
	tcb->rx_tail->next = text;
	tcb->rx_tail = last;
	head->pkt_len += text->pkt_len;
	head->nb_segs = (uint16_t)(head->nb_segs + text->nb_segs);
	text->nb_segs = 1; /* of a segment that is not the first */
}

/* Copy a short text behind the last one. The queue is limited in bytes, not in mbufs. */
static bool
tx_join(struct leat_tcb *tcb, struct rte_mbuf *text)
{
	struct rte_mbuf *tail = tcb->tx_tail;
	uint16_t off;

	if (tail == NULL)
		return false;
	off = tail->data_len;
	if (!tcp_text_copy(tcb->tx_head, tail, text))
		return false;
	if (tcb->tx_pos == NULL) { /* all before it was sent */
		tcb->tx_pos = tail;
		tcb->tx_pos_off = off;
	}
	return true;
}

void
tcp_tx_append(struct leat_tcb *tcb, struct rte_mbuf *chain)
{
	tcb->snd_len += chain->pkt_len;
	if (tx_join(tcb, chain))
		return;
	if (tcb->tx_head == NULL) {
		tcb->tx_head = chain;
		tcb->tx_head_off = 0;
	} else {
		tcb->tx_tail->next = chain;
	}
	if (tcb->tx_pos == NULL) {
		tcb->tx_pos = chain;
		tcb->tx_pos_off = 0;
	}
	tcb->tx_tail = rte_pktmbuf_lastseg(chain);
	chain->nb_segs = 1; /* the queue has no such limit */
}

void
tcp_tx_acked(struct leat_tcb *tcb, uint32_t len)
{
	struct rte_mbuf *head = tcb->tx_head;

	LEAT_VERIFY(len <= tcb->snd_len);
	tcb->snd_len -= len;
	len += tcb->tx_head_off;
	while (head != NULL && len >= head->data_len) {
		struct rte_mbuf *next = head->next;

		len -= head->data_len;
		head->next = NULL; /* one that is still being sent must not lead into the queue */
		rte_pktmbuf_free_seg(head);
		head = next;
	}
	tcb->tx_head = head;
	tcb->tx_head_off = (uint16_t)len;
	if (head == NULL)
		tcb->tx_tail = NULL;
}

void
tcp_tx_advance(struct leat_tcb *tcb, uint32_t len)
{
	while (len > 0) {
		uint32_t here = (uint32_t)tcb->tx_pos->data_len - tcb->tx_pos_off;

		if (len < here) {
			tcb->tx_pos_off = (uint16_t)(tcb->tx_pos_off + len);
			return;
		}
		len -= here;
		tcb->tx_pos = tcb->tx_pos->next;
		tcb->tx_pos_off = 0;
	}
}

void
tcp_tx_free(struct leat_tcb *tcb)
{
	tcp_rec_free_all(tcb);
	rte_pktmbuf_free(tcb->tx_head);
	tcb->tx_head = NULL;
	tcb->tx_tail = NULL;
	tcb->tx_pos = NULL;
	tcb->snd_len = 0;
}
