/* SPDX-License-Identifier: BSD-3-Clause */

#include <leat_common.h>
#include <leat_siphash.h>

#include "relay_impair.h"

/* What a number is drawn for; each has a sequence of its own. */
enum relay_draw {
	DRAW_LOSS,
	DRAW_DUP,
	DRAW_REORDER,
	DRAW_CORRUPT,
	DRAW_JITTER,
	DRAW_LATE,
	DRAW_BIT,
};

struct draw_input {
	uint64_t frame_no;
	uint32_t direction;
	uint32_t purpose;
};

static uint64_t
draw(uint64_t seed, uint32_t direction, uint64_t frame_no, enum relay_draw purpose)
{
	const struct leat_siphash_key key = { .k0 = seed, .k1 = 0 };
	const struct draw_input input = { frame_no, direction, (uint32_t)purpose };

	return leat_siphash(&key, &input, sizeof(input));
}

/* A number below @p end, each as likely, but for one part in 2^32. */
static uint64_t
draw_below(uint64_t drawn, uint32_t end)
{
	return ((drawn >> 32) * end) >> 32;
}

void
relay_impair(uint64_t seed, uint32_t direction, uint64_t frame_no,
	const struct relay_impair_conf *conf, struct relay_fate *fate)
{
	uint64_t drawn[DRAW_BIT + 1];

	LEAT_VERIFY(conf->reorder_ppm == 0 || conf->reorder_us > 0);
	for (enum relay_draw i = DRAW_LOSS; i <= DRAW_BIT; i++)
		drawn[i] = draw(seed, direction, frame_no, i);
	fate->is_lost = draw_below(drawn[DRAW_LOSS], RELAY_PPM) < conf->loss_ppm;
	fate->is_doubled = draw_below(drawn[DRAW_DUP], RELAY_PPM) < conf->dup_ppm;
	fate->is_corrupted = draw_below(drawn[DRAW_CORRUPT], RELAY_PPM) < conf->corrupt_ppm;
	fate->jitter_us = (uint32_t)draw_below(drawn[DRAW_JITTER], conf->jitter_us + 1);
	fate->late_us = 0;
	if (draw_below(drawn[DRAW_REORDER], RELAY_PPM) < conf->reorder_ppm)
		fate->late_us = 1 + (uint32_t)draw_below(drawn[DRAW_LATE], conf->reorder_us);
	fate->bit_draw = drawn[DRAW_BIT];
}

void
relay_flip_bit(uint8_t *data, size_t len, uint64_t drawn)
{
	uint64_t bit;

	LEAT_VERIFY(len > 0 && len <= UINT32_MAX / 8);
	bit = draw_below(drawn, (uint32_t)len * 8);
	data[bit / 8] ^= (uint8_t)(1u << bit % 8);
}
