/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_IP_H
#define LEAT_IP_H

/**
 * @file
 * An address of either IP family in one type, so that what is above the IP headers
 * (flows, listeners, neighbours, routes) exists once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat_be.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_IP_ADDR_LEN      16u
#define LEAT_IP_ADDR_BITS     128u
#define LEAT_IP_IPV4_BITS     32u /**< the last bits of an IPv4 address in this type */
#define LEAT_IP_ADDR_TEXT_MAX 46u /**< bytes of an address as text, the zero included */

/**
 * The bytes of an IPv6 address as on the wire; an IPv4 address a.b.c.d is
 * ::ffff:a.b.c.d, RFC 4291 section 2.5.5.2, which never is on the wire. All zero: none.
 */
struct leat_ip_addr {
	union {
		uint8_t bytes[LEAT_IP_ADDR_LEN];
		uint64_t words[2]; /**< the same, to be compared at once */
	};
};

#define LEAT_IP_MAPPED_OFF  8u      /* of the bytes that tell the families apart */
#define LEAT_IP_MAPPED_BE32 0xffffu /* their value in an IPv4 address */
#define LEAT_IP_IPV4_OFF    12u

static inline bool
leat_ip_addr_is_equal(struct leat_ip_addr a, struct leat_ip_addr b)
{
	return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1])) == 0;
}

/** @return no address, which is "::" too. */
static inline struct leat_ip_addr
leat_ip_addr_none(void)
{
	struct leat_ip_addr addr;

	addr.words[0] = 0;
	addr.words[1] = 0;
	return addr;
}

static inline bool
leat_ip_addr_is_none(struct leat_ip_addr addr)
{
	return (addr.words[0] | addr.words[1]) == 0;
}

/** @param ipv4  In host order. */
static inline struct leat_ip_addr
leat_ip_addr_from_ipv4(uint32_t ipv4)
{
	struct leat_ip_addr addr;

	addr.words[0] = 0;
	leat_be32_put(addr.bytes + LEAT_IP_MAPPED_OFF, LEAT_IP_MAPPED_BE32);
	leat_be32_put(addr.bytes + LEAT_IP_IPV4_OFF, ipv4);
	return addr;
}

static inline bool
leat_ip_addr_is_ipv4(struct leat_ip_addr addr)
{
	return addr.words[0] == 0 &&
	       leat_be32_get(addr.bytes + LEAT_IP_MAPPED_OFF) == LEAT_IP_MAPPED_BE32;
}

/** @return the address in host order; @p addr is an IPv4 address. */
static inline uint32_t
leat_ip_addr_ipv4(struct leat_ip_addr addr)
{
	return leat_be32_get(addr.bytes + LEAT_IP_IPV4_OFF);
}

/** Whether @p addr is 0.0.0.0 or "::", which stand for every address of their family. */
static inline bool
leat_ip_addr_is_any(struct leat_ip_addr addr)
{
	return leat_ip_addr_is_none(addr) || leat_ip_addr_is_equal(addr, leat_ip_addr_from_ipv4(0));
}

/** The bits of an address of the family of @p addr. */
static inline uint8_t
leat_ip_addr_bits(struct leat_ip_addr addr)
{
	return leat_ip_addr_is_ipv4(addr) ? LEAT_IP_IPV4_BITS : LEAT_IP_ADDR_BITS;
}

/**
 * Whether @p addr lies on the network of @p net.
 *
 * @param prefix_len
 *   Of the network, in bits of its family: 0 to leat_ip_addr_bits() of @p net. An address
 *   of the other family lies on no network.
 */
bool leat_ip_addr_has_prefix(struct leat_ip_addr addr, struct leat_ip_addr net, uint8_t prefix_len);

/** "10.77.0.1" or "fd77::1" (RFC 5952) into @p text. @return @p text. */
const char *leat_ip_addr_format(struct leat_ip_addr addr, char text[LEAT_IP_ADDR_TEXT_MAX]);

/**
 * Parse an address of either family without port, prefix length or zone.
 *
 * @param addr
 *   Written on success.
 * @return
 *   0, or -EINVAL: not an address, or an IPv4 address in the form of an IPv6 one.
 */
int leat_ip_addr_parse(const char *text, struct leat_ip_addr *addr);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_IP_H */
