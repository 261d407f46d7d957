/* SPDX-License-Identifier: BSD-3-Clause */

/* The handlers that come with us, and where they are unless somebody says otherwise. */

#include <errno.h>

#include "route_priv.h"

static void
health_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	(void)ctx; /* whoever asks */
	(void)web; /* whatever it says */
	leat_web_answer_bytes(reply, LEAT_SLICE("text/plain"), LEAT_SLICE("ok"));
}

/* The body back; of no type that a browser runs, whatever the client called it. */
static void
echo_run(struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	const struct leat_web_answer answer = {
		.status = ROUTE_OK,
		.content_type = LEAT_SLICE("application/octet-stream"),
		.body = web->pieces,
		.nb_slices = web->nb_pieces,
	};

	(void)ctx; /* nothing of the store */
	leat_reply_answer(reply, &answer);
}

/* Each line is as long as it was in a head of HTTP/1.1, which therefore has room. */
static void
headers_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	uint8_t text[LEAT_HTTP_HEAD_MAX];
	struct leat_web_fields fields = web->fields;
	struct leat_web_field field;
	struct leat_writer w;

	(void)ctx; /* nothing of the store */
	leat_writer_init(&w, text, sizeof(text));
	while (leat_web_fields_next(&fields, &field)) {
		leat_web_put_name(&w, &fields, &field);
		leat_writer_put(&w, ": ", 2);
		leat_web_put_value(&w, &fields, &field);
		leat_writer_put_u8(&w, '\n');
	}
	if (w.failed)
		leat_web_answer_status(reply, ROUTE_FIELDS_TOO_LARGE);
	else
		leat_web_answer_bytes(reply, LEAT_SLICE("text/plain"),
			(struct leat_slice){ text, (size_t)(w.pos - text) });
}

static void
kv_answer(struct leat_reply *reply, uint16_t status)
{
	const struct leat_web_answer answer = { .status = status };

	leat_reply_answer(reply, &answer);
}

static void
kv_get_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	leat_command_get(ctx, web->params[0], *web->hint, reply);
}

static void
kv_put_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	struct leat_store_hint hint = *web->hint;
	bool is_new;
	int ret;

	/* A part would be taken for the whole (RFC 9110 section 14.5). */
	if (leat_web_has(web, LEAT_SLICE("content-range"))) {
		leat_web_answer_status(reply, ROUTE_BAD_REQUEST);
		return;
	}
	is_new = leat_store_find(ctx->store, web->params[0], &hint, ctx->now_us) == NULL;
	ret = leat_store_set_pieces(
		ctx->store, web->params[0], &hint, web->pieces, web->nb_pieces, ctx->now_us);
	if (ret < 0)
		leat_web_answer_status(reply,
			ret == -EMSGSIZE ? ROUTE_CONTENT_TOO_LARGE : ROUTE_INSUFFICIENT_STORAGE);
	else
		kv_answer(reply, is_new ? ROUTE_CREATED : ROUTE_NO_CONTENT);
}

static void
kv_delete_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply)
{
	struct leat_store_hint hint = *web->hint;

	if (leat_store_remove(ctx->store, web->params[0], &hint, ctx->now_us))
		kv_answer(reply, ROUTE_NO_CONTENT);
	else
		leat_reply_null(reply);
}

#define ROUTE_SLICE(literal)                                                                       \
	{                                                                                          \
		(const uint8_t *)(literal), sizeof(literal) - 1                                    \
	}
#define METHODS_GET (LEAT_WEB_METHOD(GET) | LEAT_WEB_METHOD(HEAD))

const struct leat_route_table leat_route_builtin = {
	.nb_exact = 4,
	.nb_params = 3,
	.routes = {
		{
			.pattern = ROUTE_SLICE("/rpc"),
			.methods = LEAT_WEB_METHOD(POST),
			.run = route_rpc_run,
		},
		{
			.pattern = ROUTE_SLICE("/echo"),
			.methods = LEAT_WEB_METHOD(POST),
			.run = echo_run,
		},
		{
			.pattern = ROUTE_SLICE("/health"),
			.methods = METHODS_GET,
			.flags = LEAT_COMMAND_NO_AUTH,
			.run = health_run,
		},
		{
			.pattern = ROUTE_SLICE("/headers"),
			.methods = METHODS_GET,
			.run = headers_run,
		},
		{
			.pattern = ROUTE_SLICE("/v1/kv/{key}"),
			.methods = METHODS_GET,
			.has_key = true,
			.run = kv_get_run,
		},
		{
			.pattern = ROUTE_SLICE("/v1/kv/{key}"),
			.methods = LEAT_WEB_METHOD(PUT),
			.flags = LEAT_COMMAND_WRITE,
			.has_key = true,
			.run = kv_put_run,
		},
		{
			.pattern = ROUTE_SLICE("/v1/kv/{key}"),
			.methods = LEAT_WEB_METHOD(DELETE),
			.flags = LEAT_COMMAND_WRITE,
			.has_key = true,
			.run = kv_delete_run,
		},
	},
};

/* One handler may be several routes, each with methods of its own. */
struct builtin {
	const char *name;
	uint32_t first; /* of leat_route_builtin */
	uint32_t nb;
};

static const struct builtin builtins[] = {
	{ "echo", 1, 1 },
	{ "headers", 3, 1 },
	{ "health", 2, 1 },
	{ "kv", 4, 3 },
	{ "rpc", 0, 1 },
};

const char *const *
leat_route_builtin_names(void)
{
	static const char *const names[] = { "echo", "headers", "health", "kv", "rpc", NULL };

	static_assert(LEAT_DIM(names) == LEAT_DIM(builtins) + 1, "each has its name");
	return names;
}

static const struct builtin *
builtin_find(const char *name)
{
	for (size_t i = 0; i < LEAT_DIM(builtins); i++) {
		if (strcmp(builtins[i].name, name) == 0)
			return &builtins[i];
	}
	return NULL;
}

struct leat_slice
leat_route_builtin_pattern(const char *name)
{
	const struct builtin *builtin = builtin_find(name);

	LEAT_VERIFY(builtin != NULL);
	return leat_route_builtin.routes[builtin->first].pattern;
}

int
leat_route_add_builtin(struct leat_route_table *table, const char *name, struct leat_slice pattern,
	uint32_t methods, struct leat_error *error)
{
	const struct builtin *builtin = builtin_find(name);
	uint32_t left = methods;
	int ret = 0;

	if (builtin == NULL)
		return leat_error_set(error, -ENOENT, "there is no handler '%s'", name);
	for (uint32_t i = 0; i < builtin->nb && ret == 0; i++) {
		struct leat_web_route route = leat_route_builtin.routes[builtin->first + i];

		route.pattern = pattern;
		/* One that answers whatever the method is may have any. */
		if (methods != 0 && builtin->nb == 1)
			route.methods = methods;
		else if (methods != 0)
			route.methods &= methods;
		left &= ~route.methods;
		if (route.methods != 0)
			ret = leat_route_add(table, &route, error);
	}
	if (ret == 0 && left != 0)
		ret = leat_error_set(error, -EINVAL, "handler %s has no such method", name);
	return ret;
}
