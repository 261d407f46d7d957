/* SPDX-License-Identifier: BSD-3-Clause */

/* What belongs together: checks across ports, listeners and limits, and the summary. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include <leat_common.h>

#include "config.h"

#define MTU_MIN_IPV6          1280 /* of every link, RFC 8200 section 5 */
#define LINK_LOCAL_PREFIX_LEN 10u

static const struct leat_ip_addr link_local = { .bytes = { 0xfe, 0x80 } };

/* Could this be one host's own address? 0.0.0.0/8, 127.0.0.0/8, ::1 and groups could not. */
static bool
addr_is_unicast(struct leat_ip_addr addr)
{
	uint32_t ipv4 = leat_ip_addr_ipv4(addr);

	if (leat_ip_addr_is_ipv4(addr))
		return ipv4 >> 24 != 0 && ipv4 >> 24 != 127 && ipv4 >> 24 < 224;
	return !leat_ip_addr_is_none(addr) && addr.bytes[0] != 0xff &&
	       !(addr.words[0] == 0 && leat_be64_get(addr.bytes + 8) == 1);
}

/* Whether all bits of @p addr behind the prefix are @p bit. */
static bool
addr_host_bits_are(struct leat_ip_addr addr, uint8_t prefix_len, bool bit)
{
	uint32_t first = LEAT_IP_ADDR_BITS - leat_ip_addr_bits(addr) + prefix_len;

	for (uint32_t i = first; i < LEAT_IP_ADDR_BITS; i++)
		if ((addr.bytes[i / 8] >> (7 - i % 8) & 1) != bit)
			return false;
	return true;
}

/*
 * The first address of a network names the network, or all of its routers; the last one
 * all of its hosts, in IPv4. Networks of one or two addresses have neither.
 */
static bool
addr_is_first(struct leat_ip_addr addr, uint8_t prefix_len)
{
	return prefix_len + 1 < leat_ip_addr_bits(addr) &&
	       addr_host_bits_are(addr, prefix_len, false);
}

static bool
addr_is_broadcast(struct leat_ip_addr addr, uint8_t prefix_len)
{
	return leat_ip_addr_is_ipv4(addr) && prefix_len + 1 < leat_ip_addr_bits(addr) &&
	       addr_host_bits_are(addr, prefix_len, true);
}

static bool
port_has_addr(const struct leatd_port_conf *port, struct leat_ip_addr addr)
{
	for (uint8_t i = 0; i < port->addrs.nb; i++)
		if (leat_ip_addr_is_equal(port->addrs.list[i].addr, addr))
			return true;
	return false;
}

bool
leatd_port_has_family(const struct leatd_port_conf *port, bool is_ipv4)
{
	for (uint8_t i = 0; i < port->addrs.nb; i++)
		if (leat_ip_addr_is_ipv4(port->addrs.list[i].addr) == is_ipv4)
			return true;
	return false;
}

static int
port_check_addr(const struct leatd_port_conf *port, uint8_t idx, struct leat_error *error)
{
	const struct leatd_addr *a = &port->addrs.list[idx];
	char text[LEAT_IP_ADDR_TEXT_MAX];
	bool is_first = addr_is_first(a->addr, a->prefix_len);

	(void)leat_ip_addr_format(a->addr, text); /* it is text */
	if (!addr_is_unicast(a->addr))
		return leat_error_set(error, -EINVAL,
			"%s: addr %s/%u cannot be an address of a port", port->where, text,
			a->prefix_len);
	if (is_first || addr_is_broadcast(a->addr, a->prefix_len))
		return leat_error_set(error, -EINVAL,
			"%s: addr %s/%u is the %s address of its network, not a host's",
			port->where, text, a->prefix_len, is_first ? "first" : "broadcast");
	for (uint8_t i = 0; i < idx; i++)
		if (leat_ip_addr_is_equal(port->addrs.list[i].addr, a->addr))
			return leat_error_set(
				error, -EINVAL, "%s: addr %s is given twice", port->where, text);
	return 0;
}

static int
port_check_addrs(const struct leatd_port_conf *port, struct leat_error *error)
{
	for (uint8_t i = 0; i < port->addrs.nb; i++) {
		int ret = port_check_addr(port, i, error);

		if (ret < 0)
			return ret;
	}
	if (port->mtu != 0 && port->mtu < MTU_MIN_IPV6 && leatd_port_has_family(port, false))
		return leat_error_set(error, -EINVAL,
			"%s: mtu is %" PRIu64 ", and IPv6 needs %d or more", port->where, port->mtu,
			MTU_MIN_IPV6);
	return 0;
}

static int
port_check_gateway(const struct leatd_port_conf *port, const char *key, struct leat_ip_addr gateway,
	struct leat_error *error)
{
	char text[LEAT_IP_ADDR_TEXT_MAX];

	if (leat_ip_addr_is_none(gateway))
		return 0;
	(void)leat_ip_addr_format(gateway, text); /* it is text */
	if (port_has_addr(port, gateway))
		return leat_error_set(error, -EINVAL, "%s: %s %s is the port's own address",
			port->where, key, text);
	if (leat_ip_addr_has_prefix(gateway, link_local, LINK_LOCAL_PREFIX_LEN) &&
		leatd_port_has_family(port, false))
		return 0;
	for (uint8_t i = 0; i < port->addrs.nb; i++) {
		const struct leatd_addr *net = &port->addrs.list[i];

		if (leat_ip_addr_has_prefix(gateway, net->addr, net->prefix_len) &&
			!addr_is_first(gateway, net->prefix_len) &&
			!addr_is_broadcast(gateway, net->prefix_len))
			return 0;
	}
	return leat_error_set(error, -EINVAL, "%s: %s %s is on none of the port's networks",
		port->where, key, text);
}

/* "0000:01:00.0" and "01:00.0" are one device. */
static bool
dev_is_equal(const char *a, const char *b)
{
	if (strlen(a) == 12 && strncmp(a, "0000:", 5) == 0)
		a += 5;
	if (strlen(b) == 12 && strncmp(b, "0000:", 5) == 0)
		b += 5;
	return strcasecmp(a, b) == 0;
}

static int
ports_check_pair(const struct leatd_port_conf *port, const struct leatd_port_conf *other,
	struct leat_error *error)
{
	char text[LEAT_IP_ADDR_TEXT_MAX];

	if (dev_is_equal(port->dev, other->dev))
		return leat_error_set(error, -EINVAL, "%s: device %s is already that of port %s",
			port->where, port->dev, other->name);
	for (uint8_t i = 0; i < port->addrs.nb; i++)
		if (port_has_addr(other, port->addrs.list[i].addr))
			return leat_error_set(error, -EINVAL,
				"%s: addr %s is already that of port %s", port->where,
				leat_ip_addr_format(port->addrs.list[i].addr, text), other->name);
	return 0;
}

static int
ports_check(const struct leatd_conf *conf, struct leat_error *error)
{
	int ret;

	if (conf->nb_ports == 0)
		return leat_error_set(error, -EINVAL,
			"no port is given; add --port NAME,dev=DEVICE,addr=A/LEN or a section "
			"[port NAME]");
	for (uint32_t i = 0; i < conf->nb_ports; i++) {
		ret = port_check_addrs(&conf->ports[i], error);
		if (ret < 0)
			return ret;
		ret = port_check_gateway(&conf->ports[i], "gw", conf->ports[i].gateway, error);
		if (ret < 0)
			return ret;
		ret = port_check_gateway(&conf->ports[i], "gw6", conf->ports[i].gateway6, error);
		if (ret < 0)
			return ret;
		for (uint32_t j = 0; j < i; j++) {
			ret = ports_check_pair(&conf->ports[i], &conf->ports[j], error);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

/* Is @p word in @p list? Otherwise *text lists what there is. */
static bool
word_is_known(const char *word, const char *const *list, char text[LEATD_VALUE_LEN])
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; list[i] != NULL; i++) {
		if (strcmp(list[i], word) == 0)
			return true;
		len += (size_t)snprintf(
			text + len, LEATD_VALUE_LEN - len, "%s%s", i == 0 ? "" : ", ", list[i]);
		LEAT_VERIFY(len < LEATD_VALUE_LEN);
	}
	return false;
}

bool
leatd_listen_is_for(const struct leatd_listen_conf *listen, const struct leatd_port_conf *port)
{
	if (leat_ip_addr_is_any(listen->addr))
		return leatd_port_has_family(port, leat_ip_addr_is_ipv4(listen->addr));
	return port_has_addr(port, listen->addr);
}

static int
listen_check(const struct leatd_conf *conf, const struct leatd_parts *parts,
	struct leatd_listen_conf *listen, struct leat_error *error)
{
	char text[LEATD_VALUE_LEN];

	if (!word_is_known(listen->protocol, parts->protocols, text))
		return leat_error_set(error, -EINVAL,
			"%s: protocol %s is not built into this leatd; there are: %s",
			listen->where, listen->protocol, text);
	if (!word_is_known(listen->transport, parts->transports, text))
		return leat_error_set(error, -EINVAL,
			"%s: transport %s is not built into this leatd; there are: %s",
			listen->where, listen->transport, text);
	if (leat_ip_addr_parse(listen->address, &listen->addr) < 0)
		return leat_error_set(error, -EINVAL,
			"%s: address '%s' is not an address such as 10.77.0.1 or fd77::1",
			listen->where, listen->address);
	if (listen->port == 0)
		return leat_error_set(
			error, -EINVAL, "%s: port must be a number from 1 to 65535", listen->where);
	for (uint32_t i = 0; i < conf->nb_ports; i++)
		if (leatd_listen_is_for(listen, &conf->ports[i]))
			return 0;
	if (leat_ip_addr_is_any(listen->addr))
		return leat_error_set(error, -EINVAL, "%s: no port has an %s address",
			listen->where, leat_ip_addr_is_ipv4(listen->addr) ? "IPv4" : "IPv6");
	return leat_error_set(error, -EINVAL, "%s: address %s is not an address of any port",
		listen->where, listen->address);
}

/* What follows from a silence that nobody waits for is a mistake. */
static int
listen_check_keepalive(const struct leatd_listen_conf *listen, struct leat_error *error)
{
	if (listen->keep_idle_s != 0 ||
		(listen->keep_interval_s == 0 && listen->nb_keep_probes == 0))
		return 0;
	return leat_error_set(error, -EINVAL, "%s: %s says nothing without keepalive-idle",
		listen->where,
		listen->keep_interval_s != 0 ? "keepalive-interval" : "keepalive-probes");
}

/* A protocol without frames of ZAP has no fields in them. */
static int
listen_check_zap(const struct leatd_listen_conf *listen, struct leat_error *error)
{
	if (listen->zap_headers == LEATD_ZAP_BINARY || strcmp(listen->protocol, "zap") == 0)
		return 0;
	return leat_error_set(error, -EINVAL, "%s: zap-headers says nothing with protocol %s",
		listen->where, listen->protocol);
}

static int
listen_check_builtins(const struct leatd_listen_conf *listen, struct leat_error *error)
{
	const uint64_t none = UINT64_C(1) << LEATD_BUILTIN_NONE;

	if (listen->builtins != 0 && !leatd_listen_has_routes(listen))
		return leat_error_set(error, -EINVAL,
			"%s: builtin-route says nothing with protocol %s", listen->where,
			listen->protocol);
	if ((listen->builtins & none) != 0 && listen->builtins != none)
		return leat_error_set(error, -EINVAL,
			"%s: builtin-route is none, or one or more names", listen->where);
	return 0;
}

/* Two listeners that would have one connection; the families are apart. */
static bool
listens_overlap(const struct leatd_listen_conf *a, const struct leatd_listen_conf *b)
{
	if (leat_ip_addr_is_ipv4(a->addr) != leat_ip_addr_is_ipv4(b->addr))
		return false;
	return leat_ip_addr_is_any(a->addr) || leat_ip_addr_is_any(b->addr) ||
	       leat_ip_addr_is_equal(a->addr, b->addr);
}

static int
listens_check(struct leatd_conf *conf, const struct leatd_parts *parts, struct leat_error *error)
{
	int ret;

	if (conf->nb_listens == 0)
		return leat_error_set(error, -EINVAL,
			"no listener is given; add --listen "
			"PROTOCOL,TRANSPORT,ADDRESS,PORT or a section [listen NAME]");
	for (uint32_t i = 0; i < conf->nb_listens; i++) {
		struct leatd_listen_conf *listen = &conf->listens[i];

		ret = listen_check(conf, parts, listen, error);
		if (ret == 0)
			ret = listen_check_keepalive(listen, error);
		if (ret == 0)
			ret = listen_check_zap(listen, error);
		if (ret == 0)
			ret = listen_check_builtins(listen, error);
		if (ret < 0)
			return ret;
		for (uint32_t j = 0; j < i; j++) {
			const struct leatd_listen_conf *other = &conf->listens[j];

			if (listen->port == other->port && listens_overlap(listen, other))
				return leat_error_set(error, -EINVAL,
					"%s: port %" PRIu64 " is already that of %s %s",
					listen->where, listen->port, other->protocol,
					other->address);
		}
	}
	return 0;
}

static int
limits_check(const struct leatd_conf *conf, struct leat_error *error)
{
	if (conf->nb_workers > 1)
		return leat_error_set(error, -EINVAL,
			"workers is %" PRIu64 ", but this release runs 1 worker", conf->nb_workers);
	if (conf->cpus.nb > 0 && conf->cpus.nb < conf->nb_workers)
		return leat_error_set(error, -EINVAL, "cpus lists %u CPUs for %" PRIu64 " workers",
			conf->cpus.nb, conf->nb_workers);
	if (conf->carry_mb << 20 < conf->request_max)
		return leat_error_set(error, -EINVAL,
			"carry-memory (%" PRIu64
			" MB) cannot hold one request of request-max (%" PRIu64 " bytes)",
			conf->carry_mb, conf->request_max);
	if (conf->store_mb + conf->carry_mb >= conf->memory_mb)
		return leat_error_set(error, -EINVAL,
			"memory is %" PRIu64 " MB, but store-memory (%" PRIu64
			") and carry-memory (%" PRIu64 ") alone take that much",
			conf->memory_mb, conf->store_mb, conf->carry_mb);
	return 0;
}

static int
control_check(const struct leatd_conf *conf, struct leat_error *error)
{
	if (conf->record_dir[0] != '/' && strcmp(conf->record_dir, "none") != 0)
		return leat_error_set(error, -EINVAL,
			"record-dir '%s' is neither a path from / on nor none", conf->record_dir);
	return 0;
}

int
leatd_conf_check(struct leatd_conf *conf, const struct leatd_parts *parts, struct leat_error *error)
{
	int ret;

	ret = ports_check(conf, error);
	if (ret < 0)
		return ret;
	ret = listens_check(conf, parts, error);
	if (ret < 0)
		return ret;
	ret = leatd_routes_conf_check(conf, parts, error);
	if (ret < 0)
		return ret;
	ret = limits_check(conf, error);
	if (ret < 0)
		return ret;
	return control_check(conf, error);
}

/* Nothing was said, or nothing but the default where a section comes several times. */
static bool
key_is_left_out(const struct leatd_key *key, const char *text)
{
	if (key->default_text == NULL)
		return false;
	if (key->default_text[0] == '\0')
		return strcmp(text, key->type == LEATD_KEY_CHOICE ? key->choices[0] : "0") == 0;
	return leatd_section_has_name(key->section) && strcmp(text, key->default_text) == 0;
}

/* Print the keys of one section as "name value, name value", those without a value left out. */
static void
section_print(const char *section, const char *title, const void *base, FILE *out)
{
	char text[LEATD_VALUE_LEN];
	const struct leatd_key *keys;
	const char *glue = "";
	uint32_t nb;

	(void)fprintf(out, "%s:", title);
	keys = leatd_key_table(&nb);
	for (uint32_t i = 0; i < nb; i++) {
		const struct leatd_key *key = &keys[i];

		if (strcmp(key->section, section) != 0)
			continue;
		(void)leatd_key_format(key, base, text);
		if (text[0] == '\0' || key_is_left_out(key, text))
			continue;
		(void)fprintf(out, "%s %s %s", glue, key->name, text);
		glue = ",";
		if (strcmp(key->meta, "MB") == 0)
			(void)fprintf(out, " MB");
	}
	(void)fprintf(out, "\n");
}

void
leatd_conf_print(const struct leatd_conf *conf, FILE *out)
{
	char title[LEATD_NAME_LEN + 8];

	for (uint32_t i = 0; i < conf->nb_ports; i++) {
		(void)snprintf(title, sizeof(title), "port %s", conf->ports[i].name);
		section_print("port", title, &conf->ports[i], out);
	}
	for (uint32_t i = 0; i < conf->nb_listens; i++)
		section_print("listen", "listen", &conf->listens[i], out);
	for (uint32_t i = 0; i < conf->nb_routes; i++)
		section_print("route", "route", &conf->routes[i], out);
	section_print("worker", "worker", conf, out);
	section_print("memory", "memory", conf, out);
	section_print("limits", "limits", conf, out);
	section_print("server", "server", conf, out);
	section_print("control", "control", conf, out);
	section_print("tcp", "tcp", conf, out);
}
