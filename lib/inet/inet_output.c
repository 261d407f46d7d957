/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frames leave: first control frames, which were built when their cause arrived, then
 * the segments of connections, built now so that an ACK rides on the reply of its turn.
 */

#include "inet_priv.h"

#define TCP_CKSUM_OFF 16u

struct rte_mbuf *
inet_frame_alloc(struct leat_inet *inet)
{
	struct rte_mbuf *frame = rte_pktmbuf_alloc(inet->conf.pool);

	if (frame == NULL)
		inet->stats.tx_no_mbuf_control++;
	inet->buffers.nb_frames -= inet->buffers.nb_frames > 0;
	return frame;
}

/* An empty mbuf for a segment of the connection, if its class may take one. */
static struct rte_mbuf *
conn_frame_alloc(struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	bool is_new =
		conn->tcb.state == LEAT_TCP_SYN_SENT || conn->tcb.state == LEAT_TCP_SYN_RECEIVED;
	enum inet_class who = is_new ? INET_CLASS_NEW : INET_CLASS_ESTABLISHED;
	struct rte_mbuf *frame = NULL;

	if (inet_class_has(inet, who, 1))
		frame = rte_pktmbuf_alloc(inet->conf.pool);
	if (frame == NULL) {
		inet->stats.tx_no_mbuf_new += is_new;
		inet->stats.tx_no_mbuf += !is_new;
		return NULL;
	}
	inet->buffers.nb_frames--;
	return frame;
}

void
inet_ctl_send(struct leat_inet *inet, struct rte_mbuf *frame)
{
	if (inet->nb_ctl == LEAT_INET_CTL_MAX) {
		inet->stats.tx_ctl_full++;
		rte_pktmbuf_free(frame);
		return;
	}
	inet->ctl[(inet->ctl_head + inet->nb_ctl++) % LEAT_INET_CTL_MAX] = frame;
}

void
inet_ctl_send_ip(struct leat_inet *inet, struct leat_ip_addr dst, struct rte_mbuf *frame)
{
	struct leat_ip_addr next_hop, src;
	struct inet_nbr *nbr;

	if (inet_route(inet, dst, &next_hop, &src) < 0) {
		inet->stats.tx_no_route++;
		rte_pktmbuf_free(frame);
		return;
	}
	nbr = inet_nbr_get(inet, inet->now_us, next_hop);
	if (nbr == NULL)
		rte_pktmbuf_free(frame); /* counted in nbr_full */
	else if (inet_nbr_address(inet, nbr, frame))
		inet_ctl_send(inet, frame);
}

void
inet_ctl_reply(struct leat_inet *inet, struct leat_ip_addr dst, const uint8_t *src_mac,
	struct rte_mbuf *reply)
{
	struct leat_ip_addr next_hop, src;
	struct inet_nbr *nbr;

	if (inet_route(inet, dst, &next_hop, &src) < 0) {
		inet->stats.tx_no_route++;
		rte_pktmbuf_free(reply);
		return;
	}
	nbr = inet_nbr_find(inet, next_hop);
	if (nbr != NULL && inet_nbr_is_usable(nbr)) {
		if (inet_nbr_is_aged(nbr, inet->now_us))
			(void)inet_nbr_get(inet, inet->now_us, next_hop); /* is it still there? */
		src_mac = nbr->mac;
	}
	memcpy(rte_pktmbuf_mtod(reply, uint8_t *), src_mac, LEAT_ETH_ADDR_LEN);
	inet_ctl_send(inet, reply);
}

/* Text whose last byte is @p len bytes behind @p off of @p text lies in so many mbufs. */
static uint32_t
text_nb_segs(const struct rte_mbuf *text, uint32_t off, uint32_t len)
{
	uint32_t nb_segs = 1;

	for (uint32_t end = off + len; end > text->data_len; text = text->next) {
		end -= text->data_len;
		nb_segs++;
	}
	return nb_segs;
}

/* Whether a mbuf of it but the last takes an odd number of its bytes. */
static bool
text_has_odd_seg(const struct rte_mbuf *text, uint32_t off, uint32_t len)
{
	for (; len > text->data_len - off; text = text->next, off = 0) {
		if ((text->data_len - off) % 2 != 0)
			return true;
		len -= text->data_len - off;
	}
	return false;
}

/*
 * Chain the text to its headers as indirect mbufs, which keep its bytes alive for the
 * port. Returns false, and nothing is changed, when the pool is dry or the port takes no such
 * chain.
 */
static bool
frame_attach_text(struct leat_inet *inet, struct rte_mbuf *frame, const struct leat_tcp_out *out)
{
	struct rte_mbuf *segs[LEAT_INET_TSO_SEGS_MAX];
	struct rte_mbuf *tail = frame;
	struct rte_mbuf *text = out->text;
	uint32_t nb_segs = text_nb_segs(text, out->off, out->len);
	uint32_t off = out->off;
	uint32_t left = out->len;

	if (nb_segs > (out->mss != 0 ? inet->nb_tso_segs_max : inet->nb_tx_segs_max))
		return false;
	if (inet->conf.tx_even_segs && text_has_odd_seg(text, off, left))
		return false;
	if (!inet_class_has(inet, INET_CLASS_TEXT, nb_segs) ||
		rte_pktmbuf_alloc_bulk(inet->conf.pool, segs, nb_segs) != 0) {
		inet->stats.tx_no_mbuf_text++;
		return false;
	}
	inet->buffers.nb_frames -= nb_segs;
	for (uint32_t i = 0; i < nb_segs; i++, text = text->next, off = 0) {
		uint32_t len = LEAT_MIN(left, text->data_len - off);

		rte_pktmbuf_attach(segs[i], text);
		segs[i]->data_off = (uint16_t)(segs[i]->data_off + off);
		segs[i]->data_len = (uint16_t)len;
		segs[i]->pkt_len = len;
		tail->next = segs[i];
		tail = segs[i];
		left -= len;
	}
	LEAT_VERIFY(left == 0);
	frame->nb_segs = (uint16_t)(1 + nb_segs);
	frame->pkt_len += out->len;
	return true;
}

/*
 * Put the text behind the headers, in the way that is cheapest. Returns false if it can
 * only be attached, and cannot.
 */
static bool
frame_add_text(struct leat_inet *inet, struct rte_mbuf *frame, const struct leat_tcp_out *out,
	bool may_attach)
{
	if (out->len == 0)
		return true;
	if (out->len > LEAT_INET_TX_COPY_MAX && may_attach && frame_attach_text(inet, frame, out)) {
		inet->stats.tx_text_attached++;
		return true;
	}
	if (out->mss != 0)
		return false;
	inet_mbuf_copy(out->text, out->off, out->len,
		(uint8_t *)rte_pktmbuf_append(frame, (uint16_t)out->len));
	inet->stats.tx_text_copied++;
	return true;
}

static void
tcp_emit_cksum(struct rte_mbuf *frame, const struct inet_ip *ip, uint32_t off, bool is_left_to_port)
{
	uint8_t *field = rte_pktmbuf_mtod_offset(frame, uint8_t *, off + TCP_CKSUM_OFF);
	struct leat_cksum cksum = { 0 };
	struct inet_ip pseudo = *ip;

	if (frame->tso_segsz != 0) /* of each segment the port adds the length itself */
		pseudo.len = 0;
	inet_pseudo_cksum(&cksum, &pseudo);
	if (is_left_to_port) { /* it goes on from here */
		frame->ol_flags |=
			RTE_MBUF_F_TX_TCP_CKSUM |
			(leat_ip_addr_is_ipv4(ip->dst) ? RTE_MBUF_F_TX_IPV4 : RTE_MBUF_F_TX_IPV6);
		leat_be16_put(field, leat_cksum_fold(&cksum));
		return;
	}
	inet_mbuf_cksum(frame, off, ip->len, &cksum);
	leat_be16_put(field, leat_cksum_value(&cksum));
}

/*
 * Fill an empty mbuf with a segment; only the destination MAC address is left open.
 * Returns false for text of several segments that does not fit into one frame.
 */
static bool
tcp_frame_build(struct leat_inet *inet, struct rte_mbuf *frame, const struct inet_flow_key *key,
	const struct leat_tcp_out *out)
{
	struct leat_tcp_ports ports = { .src = key->lport, .dst = key->rport };
	const struct leat_inet_offloads *offloads = &inet->offloads[inet_family(key->raddr)];
	uint32_t hdr_len = (uint32_t)leat_tcp_hdr_len(out);
	const struct inet_ip ip = { .src = key->laddr,
		.dst = key->raddr,
		.len = hdr_len + out->len,
		.proto = LEAT_IPV4_PROTO_TCP,
		.hop_limit = INET_HOP_LIMIT };
	uint32_t off = inet->eth_hdr_len + inet_ip_hdr_len(key->raddr);
	uint8_t *data = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(off + hdr_len));

	(void)inet_ip_emit(inet, frame, data, &ip);
	(void)leat_tcp_hdr_emit(data + off, ports, out);
	frame->l4_len = hdr_len;
	if (!frame_add_text(inet, frame, out, offloads->tx_multi_seg))
		return false;
	if (out->mss != 0) {
		frame->ol_flags |= RTE_MBUF_F_TX_TCP_SEG;
		frame->tso_segsz =
			(uint16_t)LEAT_MIN(out->mss, inet->tso_frame_len_max - off - hdr_len);
		inet->stats.tx_tso++;
	}
	tcp_emit_cksum(frame, &ip, off, offloads->tx_tcp_cksum);
	inet->stats.tx_tcp_segs++;
	return true;
}

void
inet_ctl_send_tcp(
	struct leat_inet *inet, const struct inet_flow_key *key, const struct leat_tcp_out *out)
{
	struct rte_mbuf *frame = inet_frame_alloc(inet);

	if (frame == NULL)
		return;
	(void)tcp_frame_build(inet, frame, key, out); /* without text it fits */
	inet_ctl_send_ip(inet, key->raddr, frame);
}

void
inet_ctl_reply_tcp(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, const struct leat_tcp_out *out)
{
	struct rte_mbuf *reply = inet_frame_alloc(inet);

	if (reply == NULL)
		return;
	(void)tcp_frame_build(inet, reply, &frame->key, out); /* as above */
	inet_ctl_reply(inet, frame->key.raddr, frame->src_mac, reply);
}

/* The neighbour towards the peer, without a search where it is still the same. */
static struct inet_nbr *
conn_nbr(struct leat_inet *inet, struct leat_inet_conn *conn)
{
	struct inet_nbr *known = inet_nbr_of_conn(conn);
	struct leat_ip_addr next_hop, src;
	struct inet_nbr *nbr;

	if (known != NULL && !inet_nbr_is_aged(known, inet->now_us))
		return known;
	LEAT_VERIFY(inet_route(inet, conn->key.raddr, &next_hop, &src) == 0); /* as at its start */
	nbr = inet_nbr_get(inet, inet->now_us, next_hop);
	if (nbr == known)
		return nbr;
	conn->nbr = nbr;
	if (nbr != NULL) {
		conn->nbr_generation = nbr->generation;
		nbr->nb_conns += conn->in_flow; /* else what ends needs it once more */
	}
	return nbr;
}

/* Returns whether the frame may go; else it is taken. */
static bool
conn_address(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *frame)
{
	struct inet_nbr *nbr = conn_nbr(inet, conn);

	if (nbr == NULL) {
		rte_pktmbuf_free(frame);
		return false;
	}
	if (conn->tcb.state == LEAT_TCP_SYN_SENT && !inet_nbr_is_usable(nbr))
		inet_nbr_wait(nbr, conn);
	return inet_nbr_address(inet, nbr, frame);
}

/* Send the frame of a segment unless its neighbour is not known. Returns how many frames. */
static uint16_t
conn_emit(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *frame,
	struct rte_mbuf **frames)
{
	if (!conn_address(inet, conn, frame))
		return 0;
	if (inet_record_is_on(inet))
		inet_record_tx_conn(inet, frame, &conn->tcb);
	frames[0] = frame;
	return 1;
}

/*
 * Text of several segments that the port cannot cut, such as for its many pieces, is cut
 * here; conn_tso_len_max() has seen to it that there is room. What finds no mbuf is lost.
 */
static uint16_t
conn_cut(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *frame,
	const struct leat_tcp_out *out, struct rte_mbuf **frames)
{
	struct leat_tcp_out part = *out;
	uint16_t n = 0;

	inet->stats.tx_cut++;
	part.mss = 0;
	for (uint32_t left = out->len; left > 0 && frame != NULL; left -= part.len) {
		part.len = LEAT_MIN(left, out->mss);
		part.flags = out->flags;
		if (part.len < left) /* these belong to the last byte */
			part.flags &= (uint8_t) ~(LEAT_TCP_PSH | LEAT_TCP_FIN);
		(void)tcp_frame_build(inet, frame, &conn->key, &part); /* one segment fits */
		n = (uint16_t)(n + conn_emit(inet, conn, frame, frames + n));
		part.seq += part.len;
		for (part.off += part.len; part.text != NULL && part.off >= part.text->data_len;
			part.text = part.text->next)
			part.off -= part.text->data_len;
		frame = part.len < left ? conn_frame_alloc(inet, conn) : NULL;
	}
	return n;
}

/* One frame of what the engine wants to send, or several. Takes the empty mbuf. */
static uint16_t
conn_send(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *frame,
	const struct leat_tcp_out *out, struct rte_mbuf **frames)
{
	enum inet_family family = inet_family(conn->key.raddr);
	bool is_trial = inet->trials[family].offload != INET_OFFLOADS &&
			inet_offload_try(inet, family, conn, out);
	bool is_built = (out->mss == 0 || inet->offloads[family].tx_tso) &&
			tcp_frame_build(inet, frame, &conn->key, out);

	if (is_trial)
		inet_offload_tried(inet, family);
	if (is_built)
		return conn_emit(inet, conn, frame, frames);
	if (is_trial)
		inet_offload_forget(inet, conn); /* it was not tried */
	rte_pktmbuf_reset(frame);
	return conn_cut(inet, conn, frame, out, frames);
}

/* Text that may leave at once: one frame for a port that cuts it, or at most @p nb if not. */
static uint32_t
conn_tso_len_max(const struct leat_inet *inet, const struct leat_inet_conn *conn, uint16_t nb)
{
	enum inet_family family = inet_family(conn->key.raddr);
	const struct inet_trial *trial = &inet->trials[family];
	bool may_try = trial->offload == INET_OFFLOAD_TX_TSO && trial->conn == NULL;
	uint32_t len = nb * (uint32_t)(conn->tcb.snd_mss - LEAT_TCP_OPT_LEN_MAX);

	return inet->offloads[family].tx_tso || may_try ? LEAT_MIN(len, LEAT_INET_TSO_LEN_MAX) : 0;
}

/*
 * Segments of the first connection of the list. Returns how many; fewer than @p nb: it has
 * no more, or no frame, and then goes to the end, so that none waits for a handshake.
 */
static uint16_t
conn_output(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf **spare,
	struct rte_mbuf **frames, uint16_t nb)
{
	struct leat_tcp_out out;
	uint16_t n = 0;

	while (n < nb) {
		bool is_owed = leat_tcp_wants_output(&conn->tcb);

		if (is_owed && *spare == NULL && (*spare = conn_frame_alloc(inet, conn)) == NULL) {
			STAILQ_REMOVE_HEAD(&inet->output, output_link);
			STAILQ_INSERT_TAIL(&inet->output, conn, output_link);
			break;
		}
		if (!is_owed || !leat_tcp_output(&conn->tcb, inet->now_us,
					conn_tso_len_max(inet, conn, (uint16_t)(nb - n)), &out)) {
			STAILQ_REMOVE_HEAD(&inet->output, output_link);
			conn->in_output = false;
			break;
		}
		n = (uint16_t)(n + conn_send(inet, conn, *spare, &out, frames + n));
		*spare = NULL;
	}
	inet_conn_sent(inet, conn); /* may end it */
	return n;
}

static uint16_t
ctl_output(struct leat_inet *inet, struct rte_mbuf **frames, uint16_t nb)
{
	uint16_t n;

	for (n = 0; n < nb && inet->nb_ctl > 0; n++) {
		frames[n] = inet->ctl[inet->ctl_head];
		if (inet_record_is_on(inet))
			inet_record_tx_ctl(inet, frames[n]);
		inet->ctl_head = (inet->ctl_head + 1) % LEAT_INET_CTL_MAX;
		inet->nb_ctl--;
	}
	return n;
}

/* Segments of all connections, as far as there are frames. */
static uint16_t
conns_output(struct leat_inet *inet, struct rte_mbuf **frames, uint16_t nb)
{
	const struct leat_inet_conn *waiting = NULL; /* the first handshake without a frame */
	uint64_t nb_dry = inet->stats.tx_no_mbuf;
	struct rte_mbuf *spare = NULL;
	struct leat_inet_conn *conn;
	uint16_t n = 0;

	while (n < nb && inet->stats.tx_no_mbuf == nb_dry &&
		(conn = STAILQ_FIRST(&inet->output)) != NULL && conn != waiting) {
		uint64_t nb_waiting = inet->stats.tx_no_mbuf_new;

		n = (uint16_t)(n + conn_output(inet, conn, &spare, frames + n, (uint16_t)(nb - n)));
		if (waiting == NULL && inet->stats.tx_no_mbuf_new != nb_waiting)
			waiting = conn;
	}
	rte_pktmbuf_free(spare);
	return n;
}

/* No mbuf is shorter, and a chain never so short. */
static void
frame_pad(struct rte_mbuf *frame)
{
	uint16_t len = (uint16_t)(LEAT_ETH_FRAME_LEN_MIN - frame->pkt_len);

	memset(rte_pktmbuf_append(frame, len), 0, len);
}

uint16_t
leat_inet_output(struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb)
{
	uint16_t n;

	inet->now_us = now_us;
	inet_buffers_look(inet);
	inet_nbr_announce(inet);
	n = ctl_output(inet, frames, nb);
	n = (uint16_t)(n + conns_output(inet, frames + n, (uint16_t)(nb - n)));
	n = (uint16_t)(n +
		       ctl_output(inet, frames + n, (uint16_t)(nb - n))); /* ARP, for the above */
	if (LEAT_UNLIKELY(inet->is_freeze_due) && n < nb) /* all of the turn has left */
		inet_record_freeze(inet);
	inet->stats.tx_frames += n;
	for (uint16_t i = 0; i < n; i++) {
		if (frames[i]->pkt_len < LEAT_ETH_FRAME_LEN_MIN)
			frame_pad(frames[i]);
		inet->stats.tx_bytes += frames[i]->pkt_len;
	}
	return n;
}
