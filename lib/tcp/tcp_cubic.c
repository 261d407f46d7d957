/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * CUBIC, RFC 9438: congestion avoidance along W_cubic(t) = C * (t - K)^3 + W_max.
 *
 * The RFC moves the window by (target - cwnd) / cwnd of a segment for each one that is
 * acknowledged, a division each. Here it moves by an eighth of (target - cwnd) for each
 * eighth of a window, which is the same curve in steps, and all divisions are by constants.
 * Only a loss divides by the MSS, and takes a cube root. Windows are bytes, times
 * milliseconds.
 */

#include <leat_common.h>

#include "tcp_priv.h"

#define CUBIC_STEPS      8u
#define CUBIC_AGE_MAX_MS 100000 /* of an epoch; keeps the cube within 64 bits */
#define CUBIC_C_NUM      2      /* C is 0.4, section 5 */
#define CUBIC_C_DEN      5
#define CUBIC_ALPHA_1024 542u /* 3 * (1 - 0.7) / (1 + 0.7), section 4.3 */
#define CUBIC_FAST_1024  870u /* (1 + 0.7) / 2, section 4.7 */
#define MS3_PER_S3       1000000000

/* The largest number whose cube is not above @p x. */
static uint32_t
cube_root(uint64_t x)
{
	uint64_t root = 0;

	for (int bit = 20; bit >= 0; bit--) {
		uint64_t next = root | (uint64_t)1 << bit;

		if (next * next * next <= x)
			root = next;
	}
	return (uint32_t)root;
}

/* Figure 1 of section 4.2, at @p t_ms after the start of the epoch. */
static uint32_t
cubic_wnd(const struct leat_tcb *tcb, int64_t t_ms)
{
	int64_t off_ms = LEAT_MIN(t_ms, (int64_t)CUBIC_AGE_MAX_MS) - (int64_t)tcb->cubic.k_ms;
	int64_t grown = off_ms * off_ms * off_ms / MS3_PER_S3; /* s^3, too coarse below */
	int64_t rest = off_ms * off_ms * off_ms % MS3_PER_S3;
	int64_t mss = tcp_eff_mss(tcb);
	int64_t wnd;

	wnd = (grown * mss + rest * mss / MS3_PER_S3) * CUBIC_C_NUM / CUBIC_C_DEN + tcb->wnd_cubic;
	return (uint32_t)LEAT_MAX(LEAT_MIN(wnd, (int64_t)TCP_CWND_MAX), (int64_t)0);
}

/* Figure 2: K, and the windows at the start. */
static void
cubic_begin(struct leat_tcb *tcb, uint64_t now_us)
{
	uint64_t cube;

	tcb->cubic.epoch_ms = tcp_ms(now_us);
	tcb->cubic.wnd_est = tcb->cwnd;
	tcb->cubic.k_ms = 0;
	tcb->cwnd_acked = 0;
	if (tcb->wnd_cubic <= tcb->cwnd) { /* sections 4.8 and 4.10: no W_max to come back to */
		tcb->wnd_cubic = tcb->cwnd;
		return;
	}
	cube = (uint64_t)(tcb->wnd_cubic - tcb->cwnd) * MS3_PER_S3 / CUBIC_C_NUM * CUBIC_C_DEN;
	tcb->cubic.k_ms = cube_root(cube / tcp_eff_mss(tcb));
}

/* An eighth of the window was acknowledged. */
static void
cubic_step(struct leat_tcb *tcb, uint64_t now_us)
{
	/* A pause counts from the last segment on: the epoch may lie ahead by a round trip then. */
	int64_t t_ms = LEAT_MAX((int32_t)(tcp_ms(now_us) - tcb->cubic.epoch_ms), 0);
	uint32_t alpha = tcb->cubic.wnd_est < tcb->wnd_prior ? CUBIC_ALPHA_1024 : 1024;
	uint32_t target;

	tcb->cubic.wnd_est += tcp_eff_mss(tcb) * alpha / (1024 * CUBIC_STEPS);
	if (cubic_wnd(tcb, t_ms) < tcb->cubic.wnd_est) { /* section 4.3: NewReno were faster */
		tcb->cwnd = LEAT_MAX(tcb->cwnd, tcb->cubic.wnd_est);
		return;
	}
	target = cubic_wnd(tcb, t_ms + tcb->srtt_us / 1000);
	target = LEAT_MIN(target, tcb->cwnd + tcb->cwnd / 2);
	if (target > tcb->cwnd)
		tcb->cwnd += (target - tcb->cwnd) / CUBIC_STEPS;
}

void
tcp_cubic_grow(struct leat_tcb *tcb, uint64_t now_us, uint32_t acked)
{
	if (tcb->cubic.wnd_est == 0)
		cubic_begin(tcb, now_us);
	tcb->cwnd_acked += LEAT_MIN(acked, tcb->cwnd);
	while (tcb->cwnd_acked >= tcb->cwnd / CUBIC_STEPS) {
		tcb->cwnd_acked -= tcb->cwnd / CUBIC_STEPS;
		cubic_step(tcb, now_us);
	}
}

void
tcp_cubic_on_loss(struct leat_tcb *tcb, uint32_t wnd)
{
	if (wnd < tcb->wnd_cubic) /* section 4.7: others want a part of it */
		tcb->wnd_cubic = (uint32_t)((uint64_t)wnd * CUBIC_FAST_1024 / 1024);
	else
		tcb->wnd_cubic = wnd;
}
