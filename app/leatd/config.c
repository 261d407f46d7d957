/* SPDX-License-Identifier: BSD-3-Clause */

/* Whole ports and listeners: how --port and --listen are read, and how one is added. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <leat_common.h>

#include "config.h"

#define OPTION_LEN (LEATD_ADDRESS_LEN + LEATD_ADDRS_MAX * 32 + 128) /* bytes of --port, --listen */

int
leatd_name_check(const char *name, const char *where, struct leat_error *error)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != '-')
			len = 0;
	if (len == 0 || len >= LEATD_NAME_LEN)
		return leat_error_set(error, -EINVAL,
			"%s: name '%.40s' is not allowed; it must be 1 to %d of a-z, A-Z, 0-9, _ "
			"and -",
			where, name, LEATD_NAME_LEN - 1);
	return 0;
}

int
leatd_conf_add_port(
	struct leatd_conf *conf, const struct leatd_port_conf *port, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_ports; i++) {
		struct leatd_port_conf *old = &conf->ports[i];

		if (strcmp(old->name, port->name) != 0)
			continue;
		if (old->is_from_file == port->is_from_file)
			return leat_error_set(error, -EEXIST, "%s: port %s is given twice",
				port->where, port->name);
		*old = *port;
		return 0;
	}
	if (conf->nb_ports == LEATD_PORTS_MAX)
		return leat_error_set(error, -ENOSPC, "%s: there may be %d ports at most",
			port->where, LEATD_PORTS_MAX);
	conf->ports[conf->nb_ports++] = *port;
	return 0;
}

int
leatd_conf_add_listen(
	struct leatd_conf *conf, const struct leatd_listen_conf *listen, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_listens; i++) {
		struct leatd_listen_conf *old = &conf->listens[i];

		if (listen->name[0] != '\0' && strcmp(old->name, listen->name) == 0)
			return leat_error_set(error, -EEXIST, "%s: listener %s is given twice",
				listen->where, listen->name);
		if (strcmp(old->transport, listen->transport) != 0 ||
			strcmp(old->address, listen->address) != 0 || old->port != listen->port)
			continue;
		if (old->is_from_file == listen->is_from_file)
			return leat_error_set(error, -EEXIST,
				"%s: %s port %" PRIu64 " is listened to twice, see %s",
				listen->where, listen->address, listen->port, old->where);
		*old = *listen;
		return 0;
	}
	if (conf->nb_listens == LEATD_LISTENS_MAX)
		return leat_error_set(error, -ENOSPC, "%s: there may be %d listeners at most",
			listen->where, LEATD_LISTENS_MAX);
	conf->listens[conf->nb_listens++] = *listen;
	return 0;
}

/* Set one "key=value" of --port or --listen; marks it in *seen. */
static int
item_set(const char *section, void *base, const char *where, char *item, uint64_t *seen,
	struct leat_error *error)
{
	char *value = strchr(item, '=');
	const struct leatd_key *key;

	if (value == NULL)
		return leat_error_set(error, -EINVAL, "%s: '%.64s' is not key=value", where, item);
	*value++ = '\0';
	key = leatd_key_find(section, item);
	if (key == NULL)
		return leatd_key_unknown(section, item, where, "", error);
	if ((*seen & leatd_key_bit(key)) != 0 && !leatd_key_may_repeat(key))
		return leat_error_set(error, -EINVAL, "%s: %s is given twice", where, key->name);
	*seen |= leatd_key_bit(key);
	return leatd_key_set(key, base, where, value, error);
}

/* Copy an option's text to where it can be cut into items. */
static int
option_copy(const char *option, const char *text, char copy[OPTION_LEN], struct leat_error *error)
{
	if (strlen(text) >= OPTION_LEN)
		return leat_error_set(
			error, -EINVAL, "%s: more than %d bytes", option, OPTION_LEN - 1);
	leatd_copy(copy, OPTION_LEN, text);
	return 0;
}

int
leatd_conf_port_option(struct leatd_conf *conf, const char *text, struct leat_error *error)
{
	struct leatd_port_conf port = { 0 };
	char copy[OPTION_LEN], *pos = copy, *args, *item;
	uint64_t seen = 0;
	int ret;

	ret = option_copy("--port", text, copy, error);
	if (ret < 0)
		return ret;
	leatd_section_init("port", &port);
	args = strchr(copy, ';');
	if (args != NULL)
		*args++ = '\0';
	item = strsep(&pos, ",");
	ret = leatd_name_check(item, "--port", error);
	if (ret < 0)
		return ret;
	leatd_copy(port.name, sizeof(port.name), item);
	(void)snprintf(port.where, sizeof(port.where), "--port %s", port.name);
	while ((item = strsep(&pos, ",")) != NULL) {
		ret = item_set("port", &port, port.where, item, &seen, error);
		if (ret < 0)
			return ret;
	}
	if (args != NULL) {
		const struct leatd_key *key = leatd_key_find("port", "args");

		if ((seen & leatd_key_bit(key)) != 0)
			return leat_error_set(
				error, -EINVAL, "%s: args is given twice", port.where);
		ret = leatd_key_set(key, &port, port.where, args, error);
		if (ret < 0)
			return ret;
	}
	ret = leatd_section_check("port", seen, port.where, error);
	return ret < 0 ? ret : leatd_conf_add_port(conf, &port, error);
}

int
leatd_conf_listen_option(struct leatd_conf *conf, const char *text, struct leat_error *error)
{
	static const char *const places[] = { "protocol", "transport", "address", "port" };
	struct leatd_listen_conf listen = { 0 };
	char copy[OPTION_LEN], *pos = copy, *item;
	uint64_t seen = 0;
	int ret;

	ret = option_copy("--listen", text, copy, error);
	if (ret < 0)
		return ret;
	leatd_section_init("listen", &listen);
	(void)snprintf(listen.where, sizeof(listen.where), "--listen %.160s", text);
	for (uint32_t i = 0; (item = strsep(&pos, ",")) != NULL; i++) {
		if (i < LEAT_DIM(places)) {
			const struct leatd_key *key = leatd_key_find("listen", places[i]);

			seen |= leatd_key_bit(key);
			ret = leatd_key_set(key, &listen, listen.where, item, error);
		} else {
			ret = item_set("listen", &listen, listen.where, item, &seen, error);
		}
		if (ret < 0)
			return ret;
	}
	ret = leatd_section_check("listen", seen, listen.where, error);
	return ret < 0 ? ret : leatd_conf_add_listen(conf, &listen, error);
}
