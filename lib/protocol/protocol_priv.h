/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PROTOCOL_PRIV_H
#define PROTOCOL_PRIV_H

/*
 * Private to lib/protocol: the protocols there are, each in a file of its own.
 */

#include "leat_protocol.h"

extern const struct leat_protocol protocol_auto;
extern const struct leat_protocol protocol_http;
extern const struct leat_protocol protocol_resp;
extern const struct leat_protocol protocol_sbe;
extern const struct leat_protocol protocol_zaphttp;
extern const struct leat_protocol protocol_zaprpc;

/* Bytes of one frame, of protocols that say its length first. */
static inline size_t
protocol_frame_max(const struct leat_protocol_limits *limits)
{
	return limits->is_guest ? LEAT_MIN(limits->request_max, (size_t)LEAT_PROTOCOL_GUEST_MAX)
				: limits->request_max;
}

/* The waits_for of protocols whose clients may take their time. */
enum leat_protocol_wait protocol_waits_for_more(
	const struct leat_protocol_state *state, struct leat_request *refusal);

/* The replies of SBE. leat_request.reply_flags is the template of an array, 0: ArrayReply. */
extern const struct leat_reply_ops protocol_sbe_reply_ops;

/* Write an ErrorReply of the code ERR; no value of an aggregate. */
void protocol_sbe_error(struct leat_reply *reply, const char *text);

#endif /* PROTOCOL_PRIV_H */
