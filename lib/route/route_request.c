/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A request of HTTP becomes one of waist 2, and the same again when it is executed. On the
 * way it lies in the room for arguments, as bytes behind a few slices.
 */

#include <errno.h>

#include <leat_hex.h>

#include "route_priv.h"

#define ARG_NAME   0u
#define ARG_KEY    1u /* or an empty slice: the worker looks it up ahead */
#define ARG_WEB    2u /* the bytes of the struct leat_web_request */
#define ARGC       3u
#define ARG_PARAMS ARGC
#define ARG_BYTES  (ARG_PARAMS + LEAT_ROUTE_PARAMS_MAX)

/* Bytes of a name that is looked for; an escaped one that is longer is another. */
#define NAME_MAX_LEN 64u

/* Which commands a session may undo and which key it looks up is told by these. */
static void web_run(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply);

#define WEB_COMMAND(kind, key)                                                                     \
	{                                                                                          \
		.name = "web", .arity = -(int16_t)ARGC, .first_key = (key), .last_key = (key),     \
		.key_step = (key), .flags = (kind) | LEAT_COMMAND_NO_AUTH, .run = web_run          \
	}

static const struct leat_command web_commands[2][2] = { /* [writes][has a key] */
	{ WEB_COMMAND(LEAT_COMMAND_READ, 0), WEB_COMMAND(LEAT_COMMAND_READ, ARG_KEY) },
	{ WEB_COMMAND(LEAT_COMMAND_WRITE, 0), WEB_COMMAND(LEAT_COMMAND_WRITE, ARG_KEY) }
};

/*
 * Decode to @p to, which has room for all of @p from. Returns the bytes written, or
 * -EBADMSG: a "%" without two hexadecimal digits.
 */
static ssize_t
percent_decode(struct leat_slice from, uint8_t *to)
{
	size_t len = 0;

	for (size_t i = 0; i < from.len; i++) {
		struct leat_slice digits = { from.data + i + 1, 2 };

		if (from.data[i] != '%') {
			to[len++] = from.data[i];
			continue;
		}
		if (from.len - i < 3 || leat_hex_parse(digits, to + len) < 0)
			return -EBADMSG;
		len++;
		i += 2;
	}
	return (ssize_t)len;
}

/*
 * Decode the parameters, those that change behind the pieces of the body. Returns how many
 * bytes of @p room were taken, -ENOBUFS, or the status to refuse with, negated.
 */
static ssize_t
request_decode_params(const struct leat_web_request *web, struct leat_slice *params, uint8_t *room,
	size_t room_len)
{
	size_t len = 0;
	size_t used = 0;

	for (uint16_t i = 0; i < web->nb_params; i++) {
		struct leat_slice *param = &params[i];
		ssize_t ret;

		len += param->len;
		if (len > LEAT_ROUTE_PARAMS_LEN_MAX)
			return -ROUTE_URI_TOO_LONG;
		if (param->len == 0 || memchr(param->data, '%', param->len) == NULL)
			continue;
		if (param->len > room_len - used)
			return -ENOBUFS;
		ret = percent_decode(*param, room + used);
		if (ret < 0)
			return -ROUTE_BAD_REQUEST;
		*param = (struct leat_slice){ room + used, (size_t)ret };
		used += (size_t)ret;
	}
	return (ssize_t)used;
}

static bool
pattern_is_same(const struct leat_route_table *table, const struct leat_web_route *route,
	const struct leat_web_route *first)
{
	return route < route_end(table) && leat_slice_is_equal(route->pattern, first->pattern);
}

/* Choose by method among the routes of a pattern. Returns 0, or the status to refuse with. */
static uint16_t
request_choose(const struct leat_route_table *table, struct leat_web_request *web,
	const struct leat_web_route *first)
{
	uint32_t method = 1u << web->method;

	for (const struct leat_web_route *route = first;
		first != NULL && pattern_is_same(table, route, first); route++) {
		web->allowed |= route->methods;
		if ((route->methods & method) != 0)
			web->route = route;
	}
	if (web->route != NULL)
		return 0;
	if (web->method == LEAT_HTTP_METHOD_OTHER || web->method == LEAT_HTTP_CONNECT)
		return ROUTE_NOT_IMPLEMENTED;
	if (first == NULL)
		return ROUTE_NOT_FOUND;
	if (web->method == LEAT_HTTP_OPTIONS)
		return ROUTE_NO_CONTENT;
	return ROUTE_METHOD_NOT_ALLOWED;
}

/* RFC 9110 section 9.3.7: "*" asks about the server as a whole. */
static uint16_t
request_choose_all(const struct leat_route_table *table, struct leat_web_request *web)
{
	for (const struct leat_web_route *route = table->routes; route < route_end(table); route++)
		web->allowed |= route->methods;
	return ROUTE_NO_CONTENT;
}

int
leat_route_request(const struct leat_route_table *table, struct leat_web_request *web,
	struct leat_slice *argv, uint32_t argv_max, struct leat_request *req)
{
	struct leat_slice *params = argv + ARG_PARAMS;
	uint32_t nb_used = LEAT_WEB_ARGV_HEAD + web->nb_pieces;
	bool is_all = leat_slice_is_equal(web->path, LEAT_SLICE("*"));
	const struct leat_web_route *first;
	ssize_t ret;

	if (argv_max < nb_used)
		return -ENOBUFS;
	if (table == NULL)
		table = &leat_route_builtin;
	web->route = NULL;
	web->allowed = 0;
	web->params = params;
	web->hint = NULL;
	first = route_find(table, web->path, params, &web->nb_params);
	web->status = is_all && web->method == LEAT_HTTP_OPTIONS
			      ? request_choose_all(table, web)
			      : request_choose(table, web, first);
	ret = request_decode_params(web, params, (uint8_t *)(argv + nb_used),
		(size_t)(argv_max - nb_used) * sizeof(*argv));
	if (ret == -ENOBUFS)
		return -ENOBUFS;
	if (ret < 0) {
		web->status = (uint16_t)-ret;
		web->route = NULL;
	}
	nb_used += (uint32_t)((LEAT_MAX(ret, 0) + sizeof(*argv) - 1) / sizeof(*argv));
	argv[ARG_NAME] = LEAT_SLICE("web");
	argv[ARG_KEY] = (struct leat_slice){ NULL, 0 };
	if (web->route != NULL && web->route->has_key)
		argv[ARG_KEY] = params[0];
	argv[ARG_WEB] = (struct leat_slice){ (const uint8_t *)(argv + ARG_BYTES), sizeof(*web) };
	memcpy(argv + ARG_BYTES, web, sizeof(*web));
	req->command =
		&web_commands[web->route != NULL && (web->route->flags & LEAT_COMMAND_WRITE) != 0]
			     [web->route != NULL && web->route->has_key];
	req->argc = ARGC;
	req->argv = argv;
	req->argv_len = nb_used;
	return 0;
}

/* Whether who has not given the password may ask for what was found. */
static bool
is_public(const struct leat_web_request *web)
{
	return web->route != NULL && (web->route->flags & LEAT_COMMAND_NO_AUTH) != 0;
}

uint16_t
leat_route_admit(const struct leat_route_table *table, const struct leat_command_server *server,
	struct leat_web_request *web, bool *is_guests)
{
	struct leat_slice params[LEAT_ROUTE_PARAMS_MAX];
	const struct leat_web_route *first;

	if (table == NULL)
		table = &leat_route_builtin;
	web->route = NULL;
	web->allowed = 0;
	first = route_find(table, web->path, params, &web->nb_params);
	(void)request_choose(table, web, first); /* the status is for later; now the route counts */
	*is_guests = is_public(web);
	if (!*is_guests)
		return route_authorize(server, web);
	return web->body_len > LEAT_WEB_GUEST_BODY_MAX ? ROUTE_CONTENT_TOO_LARGE : 0;
}

/* Nothing but a status, and the methods that there are where that is the question. */
static void
web_refuse(const struct leat_web_request *web, struct leat_reply *reply)
{
	char text[LEAT_ROUTE_METHODS_TEXT_MAX];
	struct leat_slice line[2] = { leat_http_reason(web->status), LEAT_SLICE("\n") };
	struct leat_web_field allow = { .name = LEAT_SLICE("Allow") };
	struct leat_web_answer answer = {
		.status = web->status,
		.content_type = LEAT_SLICE("text/plain"),
		.fields = &allow,
		.body = line,
		.nb_slices = LEAT_DIM(line),
	};

	if (web->status == ROUTE_METHOD_NOT_ALLOWED || web->status == ROUTE_NO_CONTENT) {
		allow.value =
			leat_route_methods_text(web->allowed | LEAT_WEB_METHOD(OPTIONS), text);
		answer.nb_fields = 1;
	}
	if (web->status == ROUTE_NO_CONTENT) {
		answer.content_type = (struct leat_slice){ NULL, 0 };
		answer.nb_slices = 0;
	}
	leat_reply_answer(reply, &answer);
}

/* The run of all web_commands. */
static void
web_run(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	struct leat_web_request web;

	LEAT_VERIFY(req->argv[ARG_WEB].len == sizeof(web));
	memcpy(&web, req->argv[ARG_WEB].data, sizeof(web));
	web.hint = &req->hint;
	if (!is_public(&web) && leat_client_is_guest(ctx->client, ctx->server)) {
		uint16_t status = route_authorize(ctx->server, &web);

		if (status != 0) {
			leat_web_answer_status(reply, status);
			return;
		}
	}
	if (web.status != 0)
		web_refuse(&web, reply);
	else
		web.route->run(ctx, &web, reply);
}

/* Whether a field has that name, in any case, once the escapes of its own are undone. */
static bool
field_is(const struct leat_web_fields *fields, const struct leat_web_field *field,
	struct leat_slice name)
{
	uint8_t text[NAME_MAX_LEN];
	struct leat_writer w;

	if (!field->is_name_escaped)
		return leat_slice_is_equal_nocase(field->name, name);
	leat_writer_init(&w, text, sizeof(text));
	leat_web_put_name(&w, fields, field);
	return !w.failed && leat_slice_is_equal_nocase(
				    (struct leat_slice){ text, (size_t)(w.pos - text) }, name);
}

bool
route_fields_seek(
	struct leat_web_fields *fields, struct leat_slice name, struct leat_web_field *field)
{
	LEAT_VERIFY(name.len <= NAME_MAX_LEN);
	while (leat_web_fields_next(fields, field)) {
		if (field_is(fields, field, name))
			return true;
	}
	return false;
}

bool
leat_web_has(const struct leat_web_request *web, struct leat_slice name)
{
	struct leat_web_fields fields = web->fields;
	struct leat_web_field field;

	return route_fields_seek(&fields, name, &field);
}

bool
route_field_value(const struct leat_web_fields *fields, const struct leat_web_field *field,
	uint8_t *buf, size_t buf_len, struct leat_slice *value)
{
	struct leat_writer w;

	*value = field->value;
	if (!field->is_value_escaped)
		return true;
	leat_writer_init(&w, buf, buf_len);
	leat_web_put_value(&w, fields, field);
	*value = (struct leat_slice){ buf, (size_t)(w.pos - buf) };
	return !w.failed;
}

bool
leat_web_find(const struct leat_web_request *web, struct leat_slice name, uint8_t *buf,
	size_t buf_len, struct leat_slice *value)
{
	struct leat_web_fields fields = web->fields;
	struct leat_web_field field;

	return route_fields_seek(&fields, name, &field) &&
	       route_field_value(&fields, &field, buf, buf_len, value);
}

static void
put_text(struct leat_writer *w, const struct leat_web_fields *fields, struct leat_slice text,
	bool is_escaped)
{
	if (is_escaped)
		fields->ops->put_escaped(w, text);
	else
		leat_writer_put_slice(w, text);
}

void
leat_web_put_name(struct leat_writer *w, const struct leat_web_fields *fields,
	const struct leat_web_field *field)
{
	put_text(w, fields, field->name, field->is_name_escaped);
}

void
leat_web_put_value(struct leat_writer *w, const struct leat_web_fields *fields,
	const struct leat_web_field *field)
{
	put_text(w, fields, field->value, field->is_value_escaped);
}
