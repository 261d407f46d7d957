/* SPDX-License-Identifier: BSD-3-Clause */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <arpa/inet.h>

#include <leat_common.h>

#include "leat_ip.h"

#define WORD_BITS 64u

static_assert(sizeof(struct leat_ip_addr) == LEAT_IP_ADDR_LEN, "no padding may enter a hash");
static_assert(LEAT_IP_ADDR_TEXT_MAX >= INET6_ADDRSTRLEN, "every address fits its text");

bool
leat_ip_addr_has_prefix(struct leat_ip_addr addr, struct leat_ip_addr net, uint8_t prefix_len)
{
	uint64_t high = leat_be64_get(addr.bytes) ^ leat_be64_get(net.bytes);
	uint64_t low = leat_be64_get(addr.bytes + 8) ^ leat_be64_get(net.bytes + 8);
	unsigned int nb_bits = prefix_len + (LEAT_IP_ADDR_BITS - leat_ip_addr_bits(net));

	LEAT_ASSERT(nb_bits <= LEAT_IP_ADDR_BITS);

	if (leat_ip_addr_is_ipv4(addr) != leat_ip_addr_is_ipv4(net)) /* also of a short prefix */
		return false;
	if (nb_bits <= WORD_BITS)
		return nb_bits == 0 || high >> (WORD_BITS - nb_bits) == 0;
	return high == 0 && low >> (LEAT_IP_ADDR_BITS - nb_bits) == 0;
}

const char *
leat_ip_addr_format(struct leat_ip_addr addr, char text[LEAT_IP_ADDR_TEXT_MAX])
{
	const char *end;

	if (leat_ip_addr_is_ipv4(addr))
		end = inet_ntop(AF_INET, addr.bytes + LEAT_IP_IPV4_OFF, text, INET_ADDRSTRLEN);
	else
		end = inet_ntop(AF_INET6, addr.bytes, text, INET6_ADDRSTRLEN);
	LEAT_VERIFY(end == text);
	return text;
}

int
leat_ip_addr_parse(const char *text, struct leat_ip_addr *addr)
{
	struct leat_ip_addr value;
	uint8_t ipv4[LEAT_IP_ADDR_LEN - LEAT_IP_IPV4_OFF];

	if (inet_pton(AF_INET, text, ipv4) == 1) {
		*addr = leat_ip_addr_from_ipv4(leat_be32_get(ipv4));
		return 0;
	}
	if (inet_pton(AF_INET6, text, value.bytes) != 1 || leat_ip_addr_is_ipv4(value))
		return -EINVAL;
	*addr = value;
	return 0;
}
