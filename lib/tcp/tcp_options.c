/* SPDX-License-Identifier: BSD-3-Clause */

/* The TCP header and its options, RFC 9293 section 3.1 and 3.2, on bytes. */

#include <errno.h>

#include <leat_be.h>
#include <leat_bytes.h>
#include <leat_common.h>

#include "tcp_priv.h"

enum opt_kind {
	OPT_END = 0,
	OPT_NOP = 1,
	OPT_MSS = 2,
	OPT_WSCALE = 3,
	OPT_SACK_OK = 4,
	OPT_SACK = 5,
	OPT_TS = 8,
};

#define OPT_MSS_LEN        4u
#define OPT_WSCALE_LEN     3u
#define OPT_SACK_OK_LEN    2u
#define OPT_TS_LEN         10u
#define OPT_SACK_HEAD_LEN  2u
#define OPT_SACK_BLOCK_LEN 8u

/* Kind and length of one, as two bytes; and two NOPs. */
#define OPT_SACK_OK_HEAD (OPT_SACK_OK << 8 | OPT_SACK_OK_LEN)
#define OPT_TS_HEAD      (OPT_TS << 8 | OPT_TS_LEN)
#define OPT_NOPS         (OPT_NOP << 8 | OPT_NOP)

#define HDR_FLAGS        0x1fu /* URG is ignored, RFC 6093; ECN is not spoken */

/* Write a number; returns what follows it. */
static uint8_t *
be16_put(uint8_t *p, uint16_t value)
{
	leat_be16_put(p, value);
	return p + sizeof(value);
}

static uint8_t *
be32_put(uint8_t *p, uint32_t value)
{
	leat_be32_put(p, value);
	return p + sizeof(value);
}

static void
opt_parse_sack(struct leat_tcp_opts *opts, const uint8_t *body, size_t len)
{
	if (len == 0 || len % OPT_SACK_BLOCK_LEN != 0)
		return;
	opts->nb_sacks = 0;
	for (; len > 0 && opts->nb_sacks < LEAT_TCP_SACK_MAX; len -= OPT_SACK_BLOCK_LEN) {
		opts->sacks[opts->nb_sacks].left = leat_be32_get(body);
		opts->sacks[opts->nb_sacks].right = leat_be32_get(body + 4);
		opts->nb_sacks++;
		body += OPT_SACK_BLOCK_LEN;
	}
}

static inline void
opt_take_ts(struct leat_tcp_opts *opts, const uint8_t *body)
{
	opts->has_ts = true;
	opts->ts_val = leat_be32_get(body);
	opts->ts_ecr = leat_be32_get(body + 4);
}

/* One option; @p body are the @p len bytes behind its kind and length. */
static void
opt_parse_one(
	struct leat_tcp_opts *opts, bool is_syn, uint8_t kind, const uint8_t *body, size_t len)
{
	switch (kind) {
	case OPT_MSS:
		if (is_syn && len == OPT_MSS_LEN - 2)
			opts->mss = leat_be16_get(body);
		break;
	case OPT_WSCALE:
		if (is_syn && len == OPT_WSCALE_LEN - 2) {
			opts->has_wscale = true;
			opts->wscale = LEAT_MIN(body[0], (uint8_t)LEAT_TCP_WSCALE_MAX);
		}
		break;
	case OPT_SACK_OK:
		opts->has_sack_ok |= is_syn && len == OPT_SACK_OK_LEN - 2;
		break;
	case OPT_SACK:
		opt_parse_sack(opts, body, len);
		break;
	case OPT_TS:
		if (len == OPT_TS_LEN - 2)
			opt_take_ts(opts, body);
		break;
	default: /* unknown: skipped by its length, RFC 9293 section 3.2 */
		break;
	}
}

static void
opts_parse(struct leat_tcp_opts *opts, bool is_syn, const uint8_t *pos, const uint8_t *end)
{
	/* What nearly every segment carries, laid out as RFC 7323 appendix A asks. */
	if (LEAT_LIKELY(end - pos == TCP_TS_OPT_LEN &&
			leat_be32_get(pos) == (OPT_NOPS << 16 | OPT_TS_HEAD))) {
		opt_take_ts(opts, pos + sizeof(uint32_t));
		return;
	}
	while (pos < end) {
		size_t left = (size_t)(end - pos);

		if (pos[0] == OPT_END)
			return;
		if (pos[0] == OPT_NOP) {
			pos++;
			continue;
		}
		if (left < 2 || pos[1] < 2 || pos[1] > left)
			return;
		opt_parse_one(opts, is_syn, pos[0], pos + 2, pos[1] - 2u);
		pos += pos[1];
	}
}

ssize_t
leat_tcp_hdr_parse(struct leat_slice in, struct leat_tcp_ports *ports, struct leat_tcp_seg *seg)
{
	const uint8_t *p = in.data;
	size_t hdr_len;

	if (in.len < LEAT_TCP_HDR_LEN)
		return -EBADMSG;
	hdr_len = (size_t)(p[12] >> 4) * 4;
	if (hdr_len < LEAT_TCP_HDR_LEN || hdr_len > in.len)
		return -EBADMSG;
	*seg = (struct leat_tcp_seg){ 0 };
	ports->src = leat_be16_get(p);
	ports->dst = leat_be16_get(p + 2);
	seg->seq = leat_be32_get(p + 4);
	seg->ack = leat_be32_get(p + 8);
	seg->flags = p[13] & HDR_FLAGS;
	seg->wnd = leat_be16_get(p + 14);
	opts_parse(&seg->opts, (seg->flags & LEAT_TCP_SYN) != 0, p + LEAT_TCP_HDR_LEN, p + hdr_len);
	return (ssize_t)hdr_len;
}

/* Options are padded with NOPs in front, so that what follows is aligned. */
static uint8_t *
opts_emit(uint8_t *p, const struct leat_tcp_opts *opts)
{
	if (opts->mss != 0) {
		*p++ = OPT_MSS;
		*p++ = OPT_MSS_LEN;
		p = be16_put(p, opts->mss);
	}
	if (opts->has_sack_ok || opts->has_ts) {
		p = be16_put(p, opts->has_sack_ok ? OPT_SACK_OK_HEAD : OPT_NOPS);
		p = be16_put(p, opts->has_ts ? OPT_TS_HEAD : OPT_NOPS);
	}
	if (opts->has_ts)
		p = be32_put(be32_put(p, opts->ts_val), opts->ts_ecr);
	if (opts->has_wscale) {
		*p++ = OPT_NOP;
		*p++ = OPT_WSCALE;
		*p++ = OPT_WSCALE_LEN;
		*p++ = opts->wscale;
	}
	if (opts->nb_sacks > 0) {
		*p++ = OPT_NOP;
		*p++ = OPT_NOP;
		*p++ = OPT_SACK;
		*p++ = (uint8_t)(OPT_SACK_HEAD_LEN + opts->nb_sacks * OPT_SACK_BLOCK_LEN);
		for (unsigned int i = 0; i < opts->nb_sacks; i++)
			p = be32_put(be32_put(p, opts->sacks[i].left), opts->sacks[i].right);
	}
	return p;
}

size_t
tcp_opts_len(const struct leat_tcp_opts *opts)
{
	size_t len = 0;

	if (opts->mss != 0)
		len += OPT_MSS_LEN;
	if (opts->has_sack_ok || opts->has_ts)
		len += 4;
	if (opts->has_ts)
		len += 8;
	if (opts->has_wscale)
		len += 4;
	if (opts->nb_sacks > 0)
		len += 4 + opts->nb_sacks * OPT_SACK_BLOCK_LEN;
	LEAT_VERIFY(len <= LEAT_TCP_OPT_LEN_MAX);
	return len;
}

size_t
leat_tcp_hdr_len(const struct leat_tcp_out *out)
{
	return LEAT_TCP_HDR_LEN + tcp_opts_len(&out->opts);
}

size_t
leat_tcp_hdr_emit(uint8_t *hdr, struct leat_tcp_ports ports, const struct leat_tcp_out *out)
{
	uint8_t *end = opts_emit(hdr + LEAT_TCP_HDR_LEN, &out->opts);
	size_t len = (size_t)(end - hdr);
	uint8_t *p = hdr;

	LEAT_VERIFY(len <= LEAT_TCP_HDR_LEN_MAX);
	p = be16_put(p, ports.src);
	p = be16_put(p, ports.dst);
	p = be32_put(p, out->seq);
	p = be32_put(p, out->ack);
	*p++ = (uint8_t)(len / 4 << 4);
	*p++ = out->flags;
	p = be16_put(p, out->wnd);
	(void)be32_put(p, 0); /* checksum, urgent pointer */
	return len;
}
