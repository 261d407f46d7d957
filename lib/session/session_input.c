/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The input of a session is one stream: the carry buffer, then the segments.
 * Nobody but session_input_take() and session_absorb() moves its beginning.
 */

#include <errno.h>

#include "session_priv.h"

#define SESSION_CARRY_LEN_MIN 4096u
#define SESSION_JOIN_LEN_MAX  256u /* bytes that are copied where that saves an mbuf */

static struct leat_slice
seg_bytes_from(const struct rte_mbuf *seg, uint32_t off)
{
	struct leat_slice bytes = {
		.data = rte_pktmbuf_mtod_offset(seg, const uint8_t *, off),
		.len = (size_t)seg->data_len - off,
	};

	return bytes;
}

void
session_input_append(struct leat_session *s, struct rte_mbuf *chain)
{
	struct leat_session_input *in = &s->in;

	if (in->rx_head == NULL) {
		in->rx_head = chain;
		in->rx_off = 0;
	} else {
		in->rx_tail->next = chain;
	}
	in->rx_tail = rte_pktmbuf_lastseg(chain);
	if (in->cursor_seg == NULL)
		in->cursor_seg = chain;
}

void
session_input_keep(struct leat_session *s, struct rte_mbuf *chain)
{
	struct leat_session_input *in = &s->in;
	struct rte_mbuf *tail = in->rx_tail;
	uint16_t len = chain->data_len;

	if (tail == NULL || chain->next != NULL || len > SESSION_JOIN_LEN_MAX ||
		!RTE_MBUF_DIRECT(tail) || rte_mbuf_refcnt_read(tail) != 1 ||
		rte_pktmbuf_tailroom(tail) < len) {
		session_input_append(s, chain);
		return;
	}
	if (in->cursor_seg == NULL) { /* decoding has passed what is there */
		in->cursor_seg = tail;
		in->cursor_off = tail->data_len;
	}
	memcpy(rte_pktmbuf_mtod_offset(tail, uint8_t *, tail->data_len),
		rte_pktmbuf_mtod(chain, const uint8_t *), len);
	tail->data_len = (uint16_t)(tail->data_len + len);
	rte_pktmbuf_free(chain);
}

static void
cursor_to_start(struct leat_session_input *in)
{
	in->cursor_seg = in->rx_head;
	in->cursor_off = in->rx_off;
}

/* No request of this turn has been decoded: nothing of the input is in use. */
static bool
cursor_is_at_start(const struct leat_session_input *in)
{
	return in->cursor_seg == in->rx_head && in->cursor_off == in->rx_off;
}

/* The request at the cursor begins in one segment and ends in another. */
static bool
cursor_straddles(const struct leat_session_input *in)
{
	return in->cursor_seg != NULL && in->cursor_seg->next != NULL;
}

/* Free the first segment, whose bytes are all gone. */
static void
input_drop_seg(struct leat_session_input *in)
{
	struct rte_mbuf *seg = in->rx_head;

	in->rx_head = seg->next;
	in->rx_off = 0;
	if (in->rx_head == NULL)
		in->rx_tail = NULL;
	rte_pktmbuf_free_seg(seg);
}

static void
input_drop_carry(struct leat_session *s)
{
	if (s->in.carry != NULL) {
		leat_heap_free(s->ctx->carry_heap, s->in.carry);
		s->ctx->is_carry_freed = true;
	}
	s->in.carry = NULL;
	s->in.carry_len = 0;
	s->in.carry_cap = 0;
}

/* Let @p len bytes of segments go. @return as many. */
static uint32_t
input_drop_segs(struct leat_session_input *in, uint32_t len)
{
	uint32_t left = len;

	while (left > 0) {
		uint32_t n = LEAT_MIN(left, in->rx_head->data_len - in->rx_off);

		in->rx_off += n;
		left -= n;
		if (in->rx_off == in->rx_head->data_len)
			input_drop_seg(in);
	}
	return len;
}

void
session_input_clear(struct leat_session *s)
{
	uint32_t len = 0;

	while (s->in.rx_head != NULL) {
		len += s->in.rx_head->data_len - s->in.rx_off;
		input_drop_seg(&s->in);
	}
	input_drop_carry(s);
	session_wait_end(s, &s->ctx->starved);
	cursor_to_start(&s->in);
	s->in.taken_len = 0;
	if (len > 0 && s->conn != NULL)
		leat_transport_consumed(s->conn, len);
}

void
session_input_take(struct leat_session *s)
{
	struct leat_session_input *in = &s->in;
	uint32_t len = in->taken_len;

	in->taken_len = 0;
	if (len > 0)
		s->request_us = 0;
	if (len > 0 && in->carry_len > 0) { /* a request that straddled is always the first */
		LEAT_VERIFY(len > in->carry_len);
		len -= in->carry_len;
		input_drop_carry(s);
	}
	len = input_drop_segs(in, len);
	cursor_to_start(in);
	if (len > 0 && s->conn != NULL)
		leat_transport_consumed(s->conn, len);
}

/* The region is full, or others wait for it already: wait until they have had their turn. */
static void
carry_starve(struct leat_session *s, uint32_t len)
{
	struct leat_session_ctx *ctx = s->ctx;

	ctx->stats.nb_carry_full++;
	s->in.starved_us = ctx->command.now_us;
	s->in.starved_len = len;
	session_wait(s, &ctx->starved);
}

/* Make the carry at least @p len bytes long. @return false: the region has no room for it. */
static bool
carry_grow(struct leat_session *s, uint32_t len)
{
	struct leat_session_input *in = &s->in;
	/* No codec waits for more; the segment with the end of a request may bring others. */
	uint32_t cap_max = (uint32_t)s->ctx->limits.request_max + UINT16_MAX;
	uint32_t cap = LEAT_MAX(in->carry_cap, SESSION_CARRY_LEN_MIN);
	void *mem;

	while (cap < len)
		cap *= 2;
	cap = LEAT_MAX(LEAT_MIN(cap, cap_max), len);
	mem = leat_heap_resize(s->ctx->carry_heap, in->carry, cap);
	if (mem == NULL)
		return false;
	s->ctx->is_carry_freed |= in->carry != NULL && mem != in->carry; /* where it was */
	in->carry = mem;
	in->carry_cap = cap;
	return true;
}

/*
 * Make room for @p len bytes of carry. Who begins one stands behind those who wait; who has
 * one already does not, since its end is what they wait for.
 * @return 0, or -ENOBUFS: it waits.
 */
static int
carry_reserve(struct leat_session *s, uint32_t len)
{
	bool may_try = s->in.carry != NULL || TAILQ_EMPTY(&s->ctx->starved);

	if (s->in.carry_cap >= len || (may_try && carry_grow(s, len)))
		return 0;
	carry_starve(s, len);
	return -ENOBUFS;
}

void
session_input_feed(struct leat_session_ctx *ctx)
{
	struct leat_session *s;

	while ((s = TAILQ_FIRST(&ctx->starved)) != NULL) {
		if (ctx->command.now_us - s->in.starved_us > LEAT_SESSION_STARVED_US) {
			ctx->stats.nb_carry_starved++;
			s->is_broken = true;
			session_touch(s);
		} else if (!ctx->is_carry_freed) {
			return;
		} else if (!carry_grow(s, s->in.starved_len)) {
			ctx->is_carry_freed = false;
			return;
		} else {
			session_set_ready(s);
		}
		session_wait_end(s, &ctx->starved);
	}
}

/* Copy the rest of the first segment behind the carry, which stays as long as it was. */
static int
carry_peek(struct leat_session *s, uint32_t *peeked_len)
{
	struct leat_session_input *in = &s->in;
	struct leat_slice bytes = seg_bytes_from(in->rx_head, in->rx_off);

	*peeked_len = (uint32_t)bytes.len;
	if (carry_reserve(s, in->carry_len + *peeked_len) < 0)
		return -ENOBUFS;
	memcpy(in->carry + in->carry_len, bytes.data, bytes.len);
	s->ctx->stats.nb_carried++;
	s->ctx->stats.carried_len += bytes.len;
	return 0;
}

/* The first segment's bytes now live in the carry: the mbuf can go. */
static void
carry_absorb(struct leat_session *s, uint32_t len)
{
	s->in.carry_len += len;
	leat_transport_consumed(s->conn, input_drop_segs(&s->in, len));
	cursor_to_start(&s->in);
}

/* What became of one attempt to decode. */
enum decode_result {
	DECODE_REQUEST,    /* one entry more, or bytes that ask for nothing */
	DECODE_INCOMPLETE, /* more bytes are needed */
	DECODE_FULL,       /* the turn is full */
	DECODE_BROKEN,     /* refused; nothing behind it can be read */
};

/* Decode at the start of @p bytes; *len becomes what it takes. */
static enum decode_result
decode_one(struct leat_session *s, struct leat_slice bytes, uint32_t *len)
{
	struct leat_batch *batch = &s->ctx->batch;
	bool is_guest = leat_client_is_guest(&s->client, s->ctx->command.server);
	const struct leat_protocol_limits *limits =
		is_guest ? &s->listener->guest_limits : &s->listener->limits;
	struct leat_batch_entry *entry;
	ssize_t ret;

	if (batch->nb_entries == LEAT_BATCH_MAX) {
		batch->is_full = true;
		return DECODE_FULL;
	}
	/* If that was AUTH, the next request is read under other limits: in the next turn. */
	if (is_guest && s->has_asked)
		return DECODE_FULL;
	entry = &batch->entries[batch->nb_entries];
	memset(&entry->req, 0, sizeof(entry->req));
	ret = s->protocol->decode(&s->state, limits, bytes, &entry->req,
		&batch->argv[batch->nb_args], LEAT_BATCH_ARGV_MAX - batch->nb_args);
	if (ret == 0)
		return DECODE_INCOMPLETE;
	if (ret == -ENOBUFS) { /* argc_max keeps it below the room of an empty turn */
		LEAT_VERIFY(batch->nb_args > 0);
		batch->is_full = true;
		return DECODE_FULL;
	}
	if (entry->req.speaks != NULL)
		s->protocol = entry->req.speaks;
	/* A broken stream is given up whole; the refusal takes all that is here. */
	*len = ret < 0 ? (uint32_t)bytes.len : (uint32_t)ret;
	entry->session = s;
	entry->len = *len;
	if (ret < 0)
		entry->req.close = true;
	s->has_asked |= is_guest && s->protocol->has_login;
	batch->nb_entries++;
	batch->nb_args += entry->req.argv_len;
	return ret < 0 ? DECODE_BROKEN : DECODE_REQUEST;
}

/*
 * The input starts with a carry: bring segments to it, one by one, until its request
 * is whole. Segments behind the carry are untouched by this turn, so they may go.
 */
static enum decode_result
decode_carry(struct leat_session *s)
{
	struct leat_session_input *in = &s->in;

	while (in->rx_head != NULL) {
		enum decode_result result;
		struct leat_slice bytes;
		uint32_t peeked_len;
		uint32_t len = 0;

		if (carry_peek(s, &peeked_len) < 0)
			return DECODE_FULL;
		bytes.data = in->carry;
		bytes.len = (size_t)in->carry_len + peeked_len;
		result = decode_one(s, bytes, &len);
		if (result == DECODE_REQUEST || result == DECODE_BROKEN) {
			LEAT_VERIFY(len > in->carry_len);
			in->cursor_off = in->rx_off + (len - in->carry_len);
			return result;
		}
		if (result == DECODE_FULL)
			return result;
		carry_absorb(s, peeked_len);
	}
	return DECODE_INCOMPLETE;
}

/*
 * The request at the cursor goes on behind its segment: put it together in the batch.
 * @return DECODE_FULL: there is no room for it.
 */
static enum decode_result
decode_joined(struct leat_session *s, uint32_t *len)
{
	struct leat_batch *batch = &s->ctx->batch;
	uint8_t *start = batch->joined + batch->joined_len;
	uint32_t room = LEAT_BATCH_JOINED_MAX - batch->joined_len;
	enum decode_result result = DECODE_INCOMPLETE;
	uint32_t off = s->in.cursor_off;
	struct leat_slice bytes = { .data = start, .len = 0 };

	for (const struct rte_mbuf *seg = s->in.cursor_seg; seg != NULL; seg = seg->next) {
		struct leat_slice piece = seg_bytes_from(seg, off);

		if (piece.len > room - bytes.len) {
			result = DECODE_FULL;
			break;
		}
		memcpy(start + bytes.len, piece.data, piece.len);
		bytes.len += piece.len;
		off = 0;
		s->ctx->stats.nb_carried++;
		s->ctx->stats.carried_len += piece.len;
		if (seg == s->in.cursor_seg)
			continue; /* alone it was not enough */
		result = decode_one(s, bytes, len);
		if (result != DECODE_INCOMPLETE)
			break;
	}
	if (result == DECODE_REQUEST)
		batch->joined_len += *len;
	else if (result != DECODE_BROKEN) /* next turn sees it with less behind it at first */
		s->protocol->rewind(&s->state);
	return result;
}

static void
cursor_move(struct leat_session_input *in, uint32_t len)
{
	in->cursor_off += len;
	while (in->cursor_seg != NULL && in->cursor_off >= in->cursor_seg->data_len) {
		in->cursor_off -= in->cursor_seg->data_len;
		in->cursor_seg = in->cursor_seg->next;
	}
}

/* Decode the requests that lie in segments, from the cursor on. */
static enum decode_result
decode_segs(struct leat_session *s)
{
	struct leat_session_input *in = &s->in;

	cursor_move(in, 0);
	while (in->cursor_seg != NULL) {
		enum decode_result result;
		uint32_t len = 0;

		result = decode_one(s, seg_bytes_from(in->cursor_seg, in->cursor_off), &len);
		/* At the start it goes to the carry, which frees what it takes. */
		if (result == DECODE_INCOMPLETE && cursor_straddles(in) && !cursor_is_at_start(in))
			result = decode_joined(s, &len);
		if (result != DECODE_REQUEST)
			return result;
		cursor_move(in, len);
	}
	return DECODE_INCOMPLETE;
}

/* Move the rest of the first segment to a carry. @return as carry_reserve(). */
static int
carry_start(struct leat_session *s)
{
	uint32_t len;

	if (carry_peek(s, &len) < 0)
		return -ENOBUFS;
	carry_absorb(s, len);
	return 0;
}

void
session_decode(struct leat_session *s)
{
	struct leat_session_input *in = &s->in;
	enum decode_result result;

	for (;;) { /* twice at most: the second time there is a carry */
		result = DECODE_REQUEST;
		if (in->carry_len > 0 && cursor_is_at_start(in))
			result = decode_carry(s);
		if (result == DECODE_REQUEST)
			result = decode_segs(s);
		if (result != DECODE_INCOMPLETE || !cursor_straddles(in))
			break;
		if (!cursor_is_at_start(in) || carry_start(s) < 0) {
			result = DECODE_FULL; /* in the next turn it is at the start */
			break;
		}
	}
	/* Behind a refusal nothing is read, also not what comes later in this turn. */
	s->is_undecoded = result == DECODE_FULL || result == DECODE_BROKEN;
}
