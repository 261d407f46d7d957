/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PROTOCOL_PRIV_H
#define PROTOCOL_PRIV_H

/*
 * Private to lib/protocol: the protocols there are, each in a file of its own.
 */

#include "leat_protocol.h"

extern const struct leat_protocol protocol_http;
extern const struct leat_protocol protocol_resp;

#endif /* PROTOCOL_PRIV_H */
