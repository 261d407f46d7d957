/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which connections a person wants to see: terms with commas between them, all of which
 * must hold.
 *
 *	state=NAME            as it is printed, in any case: state=time-wait
 *	port=N                the port of either end
 *	local=ADDRESS[/LEN]   our address
 *	peer=ADDRESS[/LEN]    the peer's address
 *	protocol=NAME         of the listener: protocol=resp
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "control_priv.h"

#define FILTER_TERM_MAX  96  /* bytes of one term, the zero included */
#define FILTER_QUOTE_MAX 32u /* bytes of a wrong one in its sentence */

struct filter_term {
	const char *name;
	int (*set)(struct control_filter *filter, const char *value);
};

/* A decimal number of up to five digits, and nothing else. */
static int
number_parse(const char *text, uint32_t max, uint32_t *out)
{
	size_t len = strlen(text);

	if (len == 0 || len > 5 || strspn(text, "0123456789") != len)
		return -EINVAL;
	*out = (uint32_t)strtoul(text, NULL, 10);
	return *out <= max ? 0 : -EINVAL;
}

static int
word_set(char word[CONTROL_FILTER_STATE_MAX], const char *value)
{
	if (value[0] == '\0' || strlen(value) >= CONTROL_FILTER_STATE_MAX)
		return -EINVAL;
	(void)snprintf(word, CONTROL_FILTER_STATE_MAX, "%s", value); /* fits */
	return 0;
}

static int
net_set(struct control_net *net, const char *value)
{
	char text[FILTER_TERM_MAX];
	uint32_t prefix_len;
	char *slash;

	(void)snprintf(text, sizeof(text), "%s", value); /* a value is part of a term */
	slash = strchr(text, '/');
	if (slash != NULL)
		*slash++ = '\0';
	if (leat_ip_addr_parse(text, &net->addr) < 0)
		return -EINVAL;
	prefix_len = leat_ip_addr_bits(net->addr);
	if (slash != NULL && number_parse(slash, prefix_len, &prefix_len) < 0)
		return -EINVAL;
	net->prefix_len = (uint8_t)prefix_len;
	net->is_set = true;
	return 0;
}

static int
state_set(struct control_filter *filter, const char *value)
{
	return word_set(filter->state, value);
}

static int
protocol_set(struct control_filter *filter, const char *value)
{
	return word_set(filter->protocol, value);
}

static int
port_set(struct control_filter *filter, const char *value)
{
	uint32_t port;

	if (number_parse(value, UINT16_MAX, &port) < 0 || port == 0)
		return -EINVAL;
	filter->port = (uint16_t)port;
	return 0;
}

static int
local_set(struct control_filter *filter, const char *value)
{
	return net_set(&filter->local, value);
}

static int
peer_set(struct control_filter *filter, const char *value)
{
	return net_set(&filter->peer, value);
}

static const struct filter_term filter_terms[] = {
	{ "state", state_set },
	{ "port", port_set },
	{ "local", local_set },
	{ "peer", peer_set },
	{ "protocol", protocol_set },
};

/* One "name=value"; its text is cut there. */
static int
filter_set(struct control_filter *filter, char *term)
{
	char *value = strchr(term, '=');

	if (value == NULL)
		return -EINVAL;
	*value++ = '\0';
	for (size_t i = 0; i < LEAT_DIM(filter_terms); i++)
		if (strcmp(filter_terms[i].name, term) == 0)
			return filter_terms[i].set(filter, value);
	return -EINVAL;
}

int
control_filter_parse(const char *text, struct control_filter *filter, struct leat_error *error)
{
	memset(filter, 0, sizeof(*filter));
	while (*text != '\0') {
		size_t len = strcspn(text, ",");
		char term[FILTER_TERM_MAX];

		(void)snprintf(term, sizeof(term), "%.*s", (int)LEAT_MIN(len, sizeof(term)), text);
		if (len >= sizeof(term) || filter_set(filter, term) < 0)
			return leat_error_set(error, -EINVAL,
				"'%.*s' is not a filter: state=NAME, port=N, local=ADDRESS[/LEN], "
				"peer=..., protocol=NAME",
				(int)LEAT_MIN(len, FILTER_QUOTE_MAX), text);
		text += len;
		text += *text == ',';
	}
	return 0;
}

/* An end without an IP address is on no network. */
static bool
net_has(const struct control_net *net, const struct leat_endpoint *endpoint)
{
	struct leat_ip_addr addr;

	if (!net->is_set)
		return true;
	if (endpoint->type == LEAT_ENDPOINT_IPV4)
		addr = leat_ip_addr_from_ipv4(endpoint->ipv4);
	else if (endpoint->type == LEAT_ENDPOINT_IPV6)
		memcpy(addr.bytes, endpoint->ipv6, sizeof(addr.bytes));
	else
		return false;
	return leat_ip_addr_has_prefix(addr, net->addr, net->prefix_len);
}

bool
control_filter_matches(const struct control_filter *filter, const struct leat_conn_info *info,
	const char *protocol)
{
	if (filter->state[0] != '\0' && strcasecmp(filter->state, info->state) != 0)
		return false;
	if (filter->protocol[0] != '\0' && strcmp(filter->protocol, protocol) != 0)
		return false;
	if (filter->port != 0 && filter->port != info->local.port &&
		filter->port != info->peer.port)
		return false;
	return net_has(&filter->local, &info->local) && net_has(&filter->peer, &info->peer);
}
