/* SPDX-License-Identifier: BSD-3-Clause */

/* SYN cookies, RFC 4987 section 3.6; leat_tcp_cookie.h says what lies where. */

#include <leat_common.h>

#include "leat_tcp_cookie.h"
#include "tcp_priv.h"

#define COOKIE_PARITY_BIT 0x1u
#define COOKIE_MSS_SHIFT  1u
#define COOKIE_MSS_MASK   0x7u
#define COOKIE_HASH_SHIFT 4u

/* In the low bits of the timestamp. */
#define COOKIE_WSCALE_MASK 0xfu
#define COOKIE_WSCALE_NONE 0xfu /* no shift that there is: LEAT_TCP_WSCALE_MAX is 14 */
#define COOKIE_SACK_BIT    0x10u
#define COOKIE_TS_MASK     0x1fu
#define COOKIE_NO_TS       0x20u /* in the hash, never on the wire */

static_assert(LEAT_TCP_WSCALE_MAX < COOKIE_WSCALE_NONE, "one value tells of no window scale");

/*
 * What a peer may say is rounded down to one of these: the least and the default, those of
 * 1280 and 1400 bytes as tunnels have them, Ethernet's with both IPs, a jumbo frame's.
 */
static const uint16_t cookie_mss[COOKIE_MSS_MASK + 1] = {
	LEAT_TCP_MSS_MIN,
	LEAT_TCP_MSS_DEFAULT,
	1220,
	1360,
	1400,
	1440,
	1460,
	8940,
};

static uint32_t
cookie_mss_step(uint16_t mss)
{
	uint32_t step = COOKIE_MSS_MASK;

	while (step > 0 && cookie_mss[step] > mss)
		step--;
	return step;
}

static uint64_t
cookie_period(uint64_t now_us)
{
	return now_us / LEAT_TCP_COOKIE_PERIOD_US;
}

/* The initial sequence number. @p opts are the bits of the timestamp, or COOKIE_NO_TS. */
static uint32_t
cookie_make(const struct leat_siphash_key *key, uint64_t ends, uint64_t period, uint32_t irs,
	uint32_t mss_step, uint32_t opts)
{
	const uint64_t words[] = {
		ends,
		period,
		(uint64_t)irs << 32 | mss_step << 8 | opts,
	};
	uint32_t hash = (uint32_t)leat_siphash(key, words, sizeof(words));

	return hash << COOKIE_HASH_SHIFT | mss_step << COOKIE_MSS_SHIFT |
	       (uint32_t)(period & COOKIE_PARITY_BIT);
}

static uint32_t
cookie_opts(const struct leat_tcp_opts *opts)
{
	if (!opts->has_ts)
		return COOKIE_NO_TS;
	return (opts->has_wscale ? opts->wscale : COOKIE_WSCALE_NONE) |
	       (opts->has_sack_ok ? COOKIE_SACK_BIT : 0);
}

/* Our clock with @p opts in its lowest bits, not ahead of it: it must never go back. */
static uint32_t
cookie_ts(const struct leat_tcp_conf *conf, uint64_t now_us, uint32_t opts)
{
	uint32_t now = tcp_ts_now(conf, now_us);
	uint32_t ts = (now & ~COOKIE_TS_MASK) | opts;

	return seq_lt(now, ts) ? ts - (COOKIE_TS_MASK + 1) : ts;
}

void
leat_tcp_cookie_answer(const struct leat_tcp_conf *conf, const struct leat_siphash_key *key,
	uint64_t ends, uint64_t now_us, const struct leat_tcp_seg *syn, struct leat_tcp_out *out)
{
	uint32_t opts = cookie_opts(&syn->opts);

	*out = (struct leat_tcp_out){ 0 };
	out->seq = cookie_make(key, ends, cookie_period(now_us), syn->seq,
		cookie_mss_step(syn->opts.mss != 0 ? syn->opts.mss : conf->mss_default), opts);
	out->ack = syn->seq + 1;
	out->flags = LEAT_TCP_SYN | LEAT_TCP_ACK;
	out->wnd = (uint16_t)LEAT_MIN(conf->rcv_wnd_max, (uint32_t)UINT16_MAX);
	out->opts.mss = conf->mss;
	if (opts == COOKIE_NO_TS)
		return;
	out->opts.has_ts = true;
	out->opts.ts_val = cookie_ts(conf, now_us, opts);
	out->opts.ts_ecr = syn->opts.ts_val;
	out->opts.has_sack_ok = syn->opts.has_sack_ok;
	out->opts.has_wscale = syn->opts.has_wscale;
	out->opts.wscale = syn->opts.has_wscale ? conf->wscale : 0;
}

/* The options of the SYN, as the cookie and the echo of our timestamp have them. */
static void
cookie_take_opts(struct leat_tcp_opts *opts, uint32_t mss_step, uint32_t bits,
	const struct leat_tcp_seg *seg)
{
	opts->mss = cookie_mss[mss_step];
	if (bits == COOKIE_NO_TS)
		return;
	opts->has_ts = true;
	opts->ts_val = seg->opts.ts_val;
	opts->has_sack_ok = (bits & COOKIE_SACK_BIT) != 0;
	opts->has_wscale = (bits & COOKIE_WSCALE_MASK) != COOKIE_WSCALE_NONE;
	opts->wscale = opts->has_wscale ? (uint8_t)(bits & COOKIE_WSCALE_MASK) : 0;
}

bool
leat_tcp_cookie_check(const struct leat_siphash_key *key, uint64_t ends, uint64_t now_us,
	const struct leat_tcp_seg *seg, struct leat_tcp_seg *syn)
{
	uint32_t bits = seg->opts.has_ts ? seg->opts.ts_ecr & COOKIE_TS_MASK : COOKIE_NO_TS;
	uint32_t iss = seg->ack - 1;
	uint32_t mss_step = iss >> COOKIE_MSS_SHIFT & COOKIE_MSS_MASK;
	uint64_t period = cookie_period(now_us);

	if ((seg->flags & (LEAT_TCP_SYN | LEAT_TCP_RST | LEAT_TCP_ACK)) != LEAT_TCP_ACK)
		return false;
	if ((iss & COOKIE_PARITY_BIT) != (period & COOKIE_PARITY_BIT))
		period--; /* made in the period before; an older one has another hash */
	if (cookie_make(key, ends, period, seg->seq - 1, mss_step, bits) != iss)
		return false;
	*syn = (struct leat_tcp_seg){ 0 };
	syn->seq = seg->seq - 1;
	syn->wnd = seg->wnd; /* its own is forgotten; this is the next that is heard of it */
	syn->flags = LEAT_TCP_SYN;
	cookie_take_opts(&syn->opts, mss_step, bits, seg);
	return true;
}

void
leat_tcp_open_cookie(struct leat_tcb *tcb, const struct leat_tcp_conf *conf, uint64_t now_us,
	const struct leat_tcp_seg *seg, const struct leat_tcp_seg *syn, uint16_t peer_mss_max)
{
	leat_tcp_open_passive(tcb, conf, now_us, seg->ack - 1, syn, peer_mss_max);
	/* The SYN-ACK has left, and with it the window that it offered. */
	tcb->owed = 0;
	tcb->snd_max = seg->ack;
	(void)tcp_offer_wnd(tcb, true);
	/* When, nobody knows but the echoed timestamp, which the options set back by 32 ms. */
	tcp_rtt_cookie(tcb, now_us, seg);
}
