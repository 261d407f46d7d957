/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RESP_PRIV_H
#define RESP_PRIV_H

/*
 * Private to lib/resp: what its files share.
 */

#include "leat_resp.h"

#define RESP_CRLF_LEN 2u

/* "<type><value>\r\n" in one put: the window is checked once. */
void resp_emit_number_line(struct leat_writer *w, char type, int64_t value);

/*
 * Split one line, without its end, into words by the quoting rules of Redis.
 * Returns 0, -EBADMSG (unbalanced quotes) or -ENOBUFS, which fills argv_len too.
 */
int resp_split_line(struct leat_slice line, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req);

#endif /* RESP_PRIV_H */
