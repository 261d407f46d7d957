/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "leat_transport.h"

#define ENDPOINT_UNIX_PREFIX "unix:"

static_assert(LEAT_ENDPOINT_TEXT_MAX >= LEAT_ENDPOINT_PATH_MAX, "a path must fit its text");
static_assert(LEAT_ENDPOINT_TEXT_MAX >= INET6_ADDRSTRLEN + sizeof("[]:65535"),
	"an IPv6 address and its port must fit their text");

const char *
leat_endpoint_format(const struct leat_endpoint *endpoint, char text[LEAT_ENDPOINT_TEXT_MAX])
{
	char address[INET6_ADDRSTRLEN];
	uint32_t ipv4_be;

	switch (endpoint->type) {
	case LEAT_ENDPOINT_IPV4:
		ipv4_be = htonl(endpoint->ipv4);
		(void)inet_ntop(AF_INET, &ipv4_be, address, sizeof(address)); /* always fits */
		(void)snprintf(text, LEAT_ENDPOINT_TEXT_MAX, "%s:%u", address,
			(unsigned int)endpoint->port);
		break;
	case LEAT_ENDPOINT_IPV6:
		(void)inet_ntop(AF_INET6, endpoint->ipv6, address, sizeof(address));
		(void)snprintf(text, LEAT_ENDPOINT_TEXT_MAX, "[%s]:%u", address,
			(unsigned int)endpoint->port);
		break;
	case LEAT_ENDPOINT_UNIX:
		(void)snprintf(text, LEAT_ENDPOINT_TEXT_MAX, "%.*s", LEAT_ENDPOINT_PATH_MAX,
			endpoint->path);
		break;
	default: /* LEAT_ENDPOINT_TYPES counts and is no type */
		LEAT_VERIFY(false);
	}
	return text;
}

static int
endpoint_parse_path(struct leat_endpoint *endpoint, const char *path)
{
	size_t len = strlen(path);

	if (len == 0 || len >= LEAT_ENDPOINT_PATH_MAX)
		return -EINVAL;
	endpoint->type = LEAT_ENDPOINT_UNIX;
	endpoint->port = 0;
	memcpy(endpoint->path, path, len + 1);
	return 0;
}

int
leat_endpoint_parse_address(struct leat_endpoint *endpoint, const char *text)
{
	size_t prefix_len = strlen(ENDPOINT_UNIX_PREFIX);
	struct in6_addr ipv6;
	struct in_addr ipv4;

	if (inet_pton(AF_INET, text, &ipv4) == 1) {
		endpoint->type = LEAT_ENDPOINT_IPV4;
		endpoint->ipv4 = ntohl(ipv4.s_addr);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &ipv6) == 1) {
		endpoint->type = LEAT_ENDPOINT_IPV6;
		memcpy(endpoint->ipv6, &ipv6, sizeof(endpoint->ipv6));
		return 0;
	}
	if (strncmp(text, ENDPOINT_UNIX_PREFIX, prefix_len) == 0)
		return endpoint_parse_path(endpoint, text + prefix_len);
	return -EINVAL;
}

int
leat_transport_check(const struct leat_transport_ops *ops)
{
	if (ops->name == NULL)
		return -EINVAL;
	if (ops->open == NULL || ops->listen == NULL || ops->unlisten == NULL || ops->close == NULL)
		return -EINVAL;
	if (ops->connect == NULL || ops->rx_burst == NULL || ops->tx_alloc == NULL)
		return -EINVAL;
	if (ops->send == NULL || ops->is_acked == NULL || ops->consumed == NULL ||
		ops->tx_flush == NULL)
		return -EINVAL;
	if (ops->shutdown == NULL || ops->abort == NULL)
		return -EINVAL;
	if (ops->wait == NULL || ops->endpoints == NULL)
		return -EINVAL;
	if (ops->conn_info == NULL || ops->neighbour_info == NULL)
		return -EINVAL;
	if (ops->state_name == NULL || ops->stats == NULL || ops->record == NULL)
		return -EINVAL;
	return 0;
}
