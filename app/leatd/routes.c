/* SPDX-License-Identifier: BSD-3-Clause */

/* A body lies in memory that devices read: answers refer to it instead of copying it. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "routes.h"

#define STATUS_OK 200

/* What a route without a handler answers. */
struct fixed {
	struct leat_web_answer answer;
	struct leat_web_field fields[LEATD_FIELDS_MAX];
	struct leat_slice body;
};

struct leatd_routes {
	struct fixed fixed[LEATD_ROUTES_MAX];
	struct leat_route_table *tables[LEATD_LISTENS_MAX]; /* NULL: nothing is said of routes */
};

static_assert(LEATD_FIELDS_MAX <= LEAT_WEB_FIELDS_MAX, "an answer takes every field");
static_assert(LEATD_ROUTES_MAX < LEAT_ROUTES_MAX, "a table takes every route");

static uint32_t
route_methods(const struct leatd_route_conf *route)
{
	static const uint32_t bits[LEATD_METHODS] = {
		[LEATD_GET] = LEAT_WEB_METHOD(GET),
		[LEATD_HEAD] = LEAT_WEB_METHOD(HEAD),
		[LEATD_POST] = LEAT_WEB_METHOD(POST),
		[LEATD_PUT] = LEAT_WEB_METHOD(PUT),
		[LEATD_DELETE] = LEAT_WEB_METHOD(DELETE),
		[LEATD_OPTIONS] = LEAT_WEB_METHOD(OPTIONS),
		[LEATD_TRACE] = LEAT_WEB_METHOD(TRACE),
		[LEATD_PATCH] = LEAT_WEB_METHOD(PATCH),
		[LEATD_ANY_METHOD] = LEAT_WEB_METHODS_ALL,
	};
	uint32_t methods = 0;

	for (uint32_t i = 0; i < LEATD_METHODS; i++)
		if ((route->methods >> i & 1) != 0)
			methods |= bits[i];
	return methods;
}

/* Open a file that can be a body. Returns the descriptor and *len, or -errno. */
static int
body_open(const struct leatd_route_conf *route, size_t *len, struct leat_error *error)
{
	int fd = open(route->body, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	int ret = 0;

	if (fd < 0 || fstat(fd, &status) < 0)
		ret = leat_error_set(error, -errno, "%s: cannot read body %s: %s", route->where,
			route->body, strerror(errno));
	else if (!S_ISREG(status.st_mode))
		ret = leat_error_set(
			error, -EINVAL, "%s: body %s is not a file", route->where, route->body);
	else if (status.st_size > LEATD_BODY_MAX)
		ret = leat_error_set(error, -EFBIG, "%s: body %s has %lld bytes, more than %u",
			route->where, route->body, (long long)status.st_size, LEATD_BODY_MAX);
	if (ret < 0) {
		if (fd >= 0)
			(void)close(fd); /* it was only looked at */
		return ret;
	}
	*len = (size_t)status.st_size;
	return fd;
}

/* Read @p len bytes; -EIO: there are fewer now. */
static int
body_fill(int fd, uint8_t *bytes, size_t len)
{
	for (size_t nb = 0; nb < len;) {
		ssize_t ret = read(fd, bytes + nb, len - nb);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret < 0 ? -errno : -EIO;
		nb += (size_t)ret;
	}
	return 0;
}

static int
body_read(const struct leatd_route_conf *route, struct leat_slice *body, struct leat_error *error)
{
	uint8_t *bytes;
	size_t len;
	int fd = body_open(route, &len, error);
	int ret = 0;

	if (fd < 0)
		return fd;
	bytes = rte_malloc("body", LEAT_MAX(len, (size_t)1), 0);
	if (bytes == NULL) {
		ret = leat_error_set(error, -ENOMEM,
			"%s: no memory for body %s (%zu bytes): raise memory", route->where,
			route->body, len);
		goto close_fd;
	}
	ret = body_fill(fd, bytes, len);
	if (ret < 0) {
		rte_free(bytes);
		ret = leat_error_set(error, ret, "%s: cannot read body %s: %s", route->where,
			route->body, strerror(-ret));
		goto close_fd;
	}
	*body = (struct leat_slice){ bytes, len };

close_fd:
	(void)close(fd); /* it was only read */
	return ret;
}

static void
fixed_add_field(struct fixed *fixed, const char *text)
{
	struct leat_slice name = { (const uint8_t *)text, strcspn(text, ":") };
	const char *value = text + name.len + 1;

	value += strspn(value, " \t");
	if (leat_slice_is_equal_nocase(name, LEAT_SLICE("content-type")))
		fixed->answer.content_type = leat_slice_str(value);
	else
		fixed->fields[fixed->answer.nb_fields++] = (struct leat_web_field){
			.name = name,
			.value = leat_slice_str(value),
		};
}

/* The answer but for its body. */
static void
fixed_init(struct fixed *fixed, const struct leatd_route_conf *route)
{
	fixed->answer = (struct leat_web_answer){
		.status = route->status != 0 ? (uint16_t)route->status : STATUS_OK,
		.fields = fixed->fields,
		.body = &fixed->body,
		.nb_slices = route->body[0] != '\0',
		.is_const = true,
	};
	for (uint8_t i = 0; i < route->headers.nb; i++)
		fixed_add_field(fixed, route->headers.list[i]);
}

/* Add what is configured. */
static int
table_add(struct leat_route_table *table, const struct leatd_route_conf *conf,
	const struct fixed *fixed, struct leat_error *error)
{
	struct leat_web_route route = {
		.pattern = leat_slice_str(conf->path),
		.methods = route_methods(conf),
		.run = leat_route_fixed_run,
		.arg = &fixed->answer,
	};
	struct leat_error why = { 0 };
	int ret;

	if (conf->handler[0] != '\0') {
		ret = leat_route_add_builtin(
			table, conf->handler, route.pattern, route.methods, &why);
	} else {
		if (route.methods == 0)
			route.methods = LEAT_WEB_METHOD(GET);
		ret = leat_route_add(table, &route, &why);
	}
	if (ret < 0)
		return leat_error_set(error, ret, "%s: %s", conf->where, why.text);
	return 0;
}

/* Add what is there anyhow, but nothing to a path that is taken: who gives it GET means no PUT. */
static int
table_add_builtins(struct leat_route_table *table, uint64_t builtins, struct leat_error *error)
{
	for (uint32_t i = LEATD_BUILTIN_NONE + 1; i < LEATD_BUILTINS; i++) {
		const char *name = leatd_builtin_words[i];
		struct leat_slice pattern = leat_route_builtin_pattern(name);
		struct leat_error why = { 0 };
		int ret;

		if (builtins != 0 && (builtins >> i & 1) == 0)
			continue;
		if (leat_route_has_pattern(table, pattern))
			continue;
		ret = leat_route_add_builtin(table, name, pattern, 0, &why);
		if (ret < 0)
			return leat_error_set(error, ret, "%s", why.text);
	}
	return 0;
}

static int
table_fill(const struct leatd_conf *conf, const struct leatd_listen_conf *listen,
	const struct fixed *fixed, struct leat_route_table *table, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_routes; i++) {
		const struct leatd_route_conf *route = &conf->routes[i];
		int ret;

		if (route->listen[0] != '\0' && strcmp(route->listen, listen->name) != 0)
			continue;
		ret = table_add(table, route, &fixed[i], error);
		if (ret < 0)
			return ret;
	}
	return table_add_builtins(table, listen->builtins, error);
}

static int
routes_make_tables(
	const struct leatd_conf *conf, struct leatd_routes *routes, struct leat_error *error)
{
	for (uint32_t i = 0; i < conf->nb_listens; i++) {
		const struct leatd_listen_conf *listen = &conf->listens[i];
		int ret;

		if (!leatd_listen_has_routes(listen) ||
			(conf->nb_routes == 0 && listen->builtins == 0))
			continue;
		routes->tables[i] = calloc(1, sizeof(*routes->tables[i]));
		if (routes->tables[i] == NULL)
			return leat_error_set(error, -ENOMEM, "out of memory for routes");
		ret = table_fill(conf, listen, routes->fixed, routes->tables[i], error);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int
leatd_routes_check(const struct leatd_conf *conf, struct leat_error *error)
{
	struct leatd_routes *routes = calloc(1, sizeof(*routes));
	int ret;

	if (routes == NULL)
		return leat_error_set(error, -ENOMEM, "out of memory for routes");
	ret = routes_make_tables(conf, routes, error);
	for (uint32_t i = 0; i < conf->nb_routes && ret == 0; i++) {
		size_t len;
		int fd;

		if (conf->routes[i].body[0] == '\0')
			continue;
		fd = body_open(&conf->routes[i], &len, error);
		ret = LEAT_MIN(fd, 0);
		if (fd >= 0)
			(void)close(fd); /* it was only looked at */
	}
	leatd_routes_close(routes);
	return ret;
}

int
leatd_routes_open(
	const struct leatd_conf *conf, struct leatd_routes **out, struct leat_error *error)
{
	struct leatd_routes *routes = calloc(1, sizeof(*routes));
	int ret = 0;

	if (routes == NULL)
		return leat_error_set(error, -ENOMEM, "out of memory for routes");
	for (uint32_t i = 0; i < conf->nb_routes && ret == 0; i++) {
		fixed_init(&routes->fixed[i], &conf->routes[i]);
		if (conf->routes[i].body[0] != '\0')
			ret = body_read(&conf->routes[i], &routes->fixed[i].body, error);
	}
	if (ret == 0)
		ret = routes_make_tables(conf, routes, error);
	if (ret < 0) {
		leatd_routes_close(routes);
		return ret;
	}
	*out = routes;
	return 0;
}

const struct leat_route_table *
leatd_routes_table(const struct leatd_routes *routes, uint32_t idx)
{
	return routes->tables[idx];
}

void
leatd_routes_close(struct leatd_routes *routes)
{
	if (routes == NULL)
		return;
	for (uint32_t i = 0; i < LEATD_LISTENS_MAX; i++)
		free(routes->tables[i]);
	for (uint32_t i = 0; i < LEATD_ROUTES_MAX; i++)
		rte_free((void *)(uintptr_t)routes->fixed[i].body.data);
	free(routes);
}
