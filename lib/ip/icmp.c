/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_be.h>

#include "leat_icmp.h"

#define ICMP_TYPE_OFF 0
#define ICMP_CODE_OFF 1
#define ICMP_ID_OFF   4
#define ICMP_SEQ_OFF  6

ssize_t
leat_icmp_parse(struct leat_slice in, struct leat_icmp_hdr *hdr)
{
	if (in.len < LEAT_ICMP_HDR_LEN)
		return -EBADMSG;
	hdr->type = in.data[ICMP_TYPE_OFF];
	hdr->code = in.data[ICMP_CODE_OFF];
	hdr->id = leat_be16_get(in.data + ICMP_ID_OFF);
	hdr->seq = leat_be16_get(in.data + ICMP_SEQ_OFF);
	return LEAT_ICMP_HDR_LEN;
}

size_t
leat_icmp_emit(const struct leat_icmp_hdr *hdr, uint8_t *out)
{
	out[ICMP_TYPE_OFF] = hdr->type;
	out[ICMP_CODE_OFF] = hdr->code;
	leat_be16_put(out + LEAT_ICMP_CKSUM_OFF, 0);
	leat_be16_put(out + ICMP_ID_OFF, hdr->id);
	leat_be16_put(out + ICMP_SEQ_OFF, hdr->seq);
	return LEAT_ICMP_HDR_LEN;
}
