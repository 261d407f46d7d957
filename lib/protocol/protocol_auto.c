/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RESP and SBE on one port: who says GOBLINS! first speaks SBE, anybody else RESP.
 *
 * A client that has said part of the word and no more stays undecided, as an idle one
 * stays idle: sessions know no time limit for either.
 */

#include <leat_sbe.h>

#include "protocol_priv.h"

static ssize_t
auto_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	size_t len = LEAT_MIN(in.len, (size_t)LEAT_SBE_MAGIC_LEN);
	const struct leat_protocol *chosen = &protocol_resp;
	ssize_t ret;

	if (len > 0 && memcmp(in.data, LEAT_SBE_MAGIC, len) == 0) {
		if (len < LEAT_SBE_MAGIC_LEN)
			return 0;
		chosen = &protocol_sbe;
	}
	/* While it is incomplete the same bytes come again, and choose the same. */
	ret = chosen->decode(state, limits, in, req, argv, argv_max);
	if (ret > 0) /* a refusal ends the connection, and only RESP's comes here */
		req->speaks = chosen;
	return ret;
}

static void
auto_rewind(struct leat_protocol_state *state)
{
	protocol_resp.rewind(state);
}

static struct leat_slice
auto_interim(struct leat_protocol_state *state)
{
	return protocol_resp.interim(state);
}

static enum leat_protocol_wait
auto_waits_for(const struct leat_protocol_state *state, struct leat_request *refusal)
{
	(void)state;   /* who has chosen does not come here */
	(void)refusal; /* in which protocol? */
	return LEAT_PROTOCOL_WAITS_CHOICE;
}

static void
auto_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	protocol_resp.refuse(req, reply);
}

const struct leat_protocol protocol_auto = {
	.name = "auto",
	.has_login = true,
	.decode = auto_decode,
	.rewind = auto_rewind,
	.interim = auto_interim,
	.waits_for = auto_waits_for,
	.refuse = auto_refuse,
	.reply = &protocol_sbe_reply_ops, /* nobody is answered before he has chosen */
};
