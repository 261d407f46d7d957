/* SPDX-License-Identifier: BSD-3-Clause */

#include "inet_priv.h"

#define BUCKET_PERIOD_US 1000000u

bool
inet_bucket_take(struct inet_bucket *bucket, uint64_t now_us)
{
	uint64_t passed_us = now_us - bucket->last_us;

	if (passed_us >= BUCKET_PERIOD_US) {
		/* Full after a second at the latest; the product below cannot overflow. */
		bucket->nb_tokens = bucket->burst;
		bucket->last_us = now_us;
	} else {
		uint64_t nb_new = passed_us * bucket->rate / BUCKET_PERIOD_US;

		if (nb_new > 0) { /* a fraction of a token stays in last_us */
			bucket->nb_tokens = (uint32_t)LEAT_MIN(
				bucket->nb_tokens + nb_new, (uint64_t)bucket->burst);
			bucket->last_us = now_us;
		}
	}
	if (bucket->nb_tokens == 0)
		return false;
	bucket->nb_tokens--;
	return true;
}
