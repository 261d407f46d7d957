/* SPDX-License-Identifier: BSD-3-Clause */

#include "leat_protocol.h"
#include "protocol_priv.h"

static const struct leat_protocol *const protocols[] = {
	&protocol_resp,
	&protocol_http,
	&protocol_sbe,
	&protocol_zaphttp,
	&protocol_zaprpc,
	&protocol_auto,
	NULL,
};

enum leat_protocol_wait
protocol_waits_for_more(const struct leat_protocol_state *state, struct leat_request *refusal)
{
	(void)state;   /* whatever has come */
	(void)refusal; /* none is ever due */
	return LEAT_PROTOCOL_WAITS_MORE;
}

const struct leat_protocol *
leat_protocol_find(const char *name)
{
	for (const struct leat_protocol *const *p = protocols; *p != NULL; p++) {
		if (strcmp((*p)->name, name) == 0)
			return *p;
	}
	return NULL;
}

const struct leat_protocol *const *
leat_protocol_all(void)
{
	return protocols;
}
