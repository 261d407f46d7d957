/* SPDX-License-Identifier: BSD-3-Clause */

/* Routes of HTTP, as far as they are configuration; their paths and files are routes.c's. */

#include <errno.h>
#include <string.h>

#include <leat_common.h>
#include <leat_http.h>

#include "config.h"

int
leatd_conf_add_route(
	struct leatd_conf *conf, const struct leatd_route_conf *route, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_routes; i++)
		if (strcmp(conf->routes[i].name, route->name) == 0)
			return leat_error_set(error, -EEXIST, "%s: route %s is given twice",
				route->where, route->name);
	if (conf->nb_routes == LEATD_ROUTES_MAX)
		return leat_error_set(error, -ENOSPC, "%s: there may be %d routes at most",
			route->where, LEATD_ROUTES_MAX);
	conf->routes[conf->nb_routes++] = *route;
	return 0;
}

bool
leatd_listen_has_routes(const struct leatd_listen_conf *listen)
{
	return strcmp(listen->protocol, "http") == 0 || strcmp(listen->protocol, "zap") == 0;
}

static int
route_check_listen(const struct leatd_conf *conf, const struct leatd_route_conf *route,
	struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_listens; i++) {
		if (!leatd_listen_has_routes(&conf->listens[i]))
			continue;
		if (route->listen[0] == '\0' || strcmp(conf->listens[i].name, route->listen) == 0)
			return 0;
	}
	if (route->listen[0] == '\0')
		return leat_error_set(error, -EINVAL, "%s: no listener speaks HTTP", route->where);
	return leat_error_set(error, -EINVAL, "%s: no listener of HTTP has the name '%s'",
		route->where, route->listen);
}

static int
route_check_handler(const struct leatd_route_conf *route, const struct leatd_parts *parts,
	struct leat_error *error)
{
	char text[LEATD_VALUE_LEN] = "";
	size_t len = 0;

	if (route->status != 0 || route->headers.nb > 0 || route->body[0] != '\0')
		return leat_error_set(error, -EINVAL,
			"%s: a route has a handler, or status, header and body", route->where);
	for (uint32_t i = 0; parts->handlers[i] != NULL; i++) {
		if (strcmp(parts->handlers[i], route->handler) == 0)
			return 0;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i == 0 ? "" : ", ",
			parts->handlers[i]);
		LEAT_VERIFY(len < sizeof(text));
	}
	return leat_error_set(error, -EINVAL, "%s: there is no handler %s; there are: %s",
		route->where, route->handler, text);
}

int
leatd_routes_conf_check(
	const struct leatd_conf *conf, const struct leatd_parts *parts, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_routes; i++) {
		const struct leatd_route_conf *route = &conf->routes[i];
		int ret = route_check_listen(conf, route, error);

		if (ret == 0 && route->handler[0] != '\0')
			ret = route_check_handler(route, parts, error);
		if (ret == 0 && route->body[0] != '\0' && route->status != 0 &&
			!leat_http_status_has_content((uint16_t)route->status))
			ret = leat_error_set(error, -EINVAL,
				"%s: an answer of status %u has no body", route->where,
				(unsigned int)route->status);
		if (ret < 0)
			return ret;
	}
	return 0;
}
