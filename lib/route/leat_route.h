/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ROUTE_H
#define LEAT_ROUTE_H

/**
 * @file
 * What is behind a path, for every protocol that carries requests of HTTP.
 *
 * A codec describes a request as struct leat_web_request and hands it to
 * leat_route_request(), which finds the route and makes a struct leat_request of it. When
 * that is executed, later in the turn, the handler of the route sees the same request
 * again and writes one reply: an answer (see leat_reply_answer()), or any value of a
 * command, which leat_route_reply_...() turn into one.
 *
 * Patterns begin with "/" and are of three kinds:
 *
 * - exact: "/health" is that path and no other;
 * - parameter: in "/v1/kv/{key}", {key} stands for a segment of at least one byte, up to
 *   the next "/" or the end;
 * - prefix: "/static/" and "*" behind it is every path that begins with "/static/"; what
 *   follows, perhaps nothing, is its parameter.
 *
 * Of several that match a path, an exact one comes before one with parameters, and that
 * before a prefix. Of two with parameters that one comes first which has literal text
 * where the other first has a parameter; of two prefixes the longer one. Only routes of
 * that one pattern answer: a method that none of them has is 405 (Method Not Allowed).
 *
 * A pattern is compared with the path as it was sent: percent-encoded bytes are not
 * decoded for it, nor are "." and ".." resolved, so that nobody in front of us can see
 * another path than we do. A parameter is decoded: "%2F" is then a "/" in it, any byte may
 * come, and what is no percent-encoding is 400 (Bad Request). Where that changes nothing
 * it is where the peer's bytes are; else the decoded bytes lie in the codec's room for
 * arguments, and live as long as these.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_command.h>
#include <leat_error.h>
#include <leat_http.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ROUTES_MAX           256u  /**< routes of one table */
#define LEAT_ROUTE_PATTERN_MAX    1024u /**< bytes of a pattern */
#define LEAT_ROUTE_PARAMS_MAX     4u    /**< parameters of a pattern, a prefix' included */
#define LEAT_ROUTE_PARAMS_LEN_MAX 8192u /**< bytes of the parameters of one request */

/** The bit of a method in leat_web_route.methods. */
#define LEAT_WEB_METHOD(name) (1u << LEAT_HTTP_##name)
/** Every method, unknown tokens included, but CONNECT, which is for proxies. */
#define LEAT_WEB_METHODS_ALL    ((1u << LEAT_HTTP_METHODS) - 1 - LEAT_WEB_METHOD(CONNECT))

#define LEAT_WEB_GUEST_BODY_MAX 16384u /**< bytes of a body without the password */

#define LEAT_WEB_FIELDS_WORDS   6 /**< of 64 bits: a codec's walk over its fields */

struct leat_web_fields;
struct leat_web_request;

/** How a codec's fields are walked; const. */
struct leat_web_fields_ops {
	/** Take the next field. @return true and @p field set, or false: that was all. */
	bool (*next)(struct leat_web_fields *fields, struct leat_web_field *field);
	/** Write a name or value that the field calls escaped, its escapes undone. */
	void (*put_escaped)(struct leat_writer *w, struct leat_slice text);
};

/** The fields of a request that are yet to be read; a copy is a walk of its own. */
struct leat_web_fields {
	const struct leat_web_fields_ops *ops;
	uint64_t words[LEAT_WEB_FIELDS_WORDS]; /**< the codec's own */
};

/** One path that is served. */
struct leat_web_route {
	struct leat_slice pattern; /**< the table's owner keeps its bytes as long as the table */
	/** LEAT_WEB_METHOD() bits. GET brings HEAD with it: the codec sends no body then. */
	uint32_t methods;
	/**
	 * LEAT_COMMAND_WRITE: it changes the key space; LEAT_COMMAND_NO_AUTH: also for who has
	 * not given the password.
	 */
	uint32_t flags;
	bool has_key; /**< the first parameter is a key of the store: it is looked up ahead */
	/**
	 * Write exactly one reply.
	 *
	 * @param web
	 *   Valid until the return. Its bytes live until the end of the turn.
	 */
	void (*run)(struct leat_command_ctx *ctx, const struct leat_web_request *web,
		struct leat_reply *reply);
	const void *arg; /**< the handler's own */
};

/** One request, whatever carried it. Everything points into received bytes or const memory. */
struct leat_web_request {
	/* Set by the codec. */
	enum leat_http_method method;
	uint32_t nb_pieces;
	struct leat_slice method_name; /**< the token */
	struct leat_slice target;      /**< as sent */
	struct leat_slice path;        /**< of the target, percent-encoding as sent; "*" whole */
	struct leat_slice query;       /**< what follows the first "?", or empty */
	struct leat_web_fields fields;
	const struct leat_slice *pieces; /**< of the body; a chunked one has several */
	size_t body_len;                 /**< bytes of all pieces */

	/* Set by leat_route_request(). */
	uint32_t allowed;                   /**< methods of the pattern, LEAT_WEB_METHOD() bits */
	uint16_t status;                    /**< not 0: what is answered instead of the route */
	uint16_t nb_params;                 /**< in the order of the pattern */
	const struct leat_web_route *route; /**< NULL: none of the table */
	const struct leat_slice *params;    /**< decoded */
	const struct leat_store_hint *hint; /**< of the key; NULL until the route runs */
};

/** Slices in front of the body's pieces in a codec's room for arguments. */
#define LEAT_WEB_ARGV_HEAD                                                                         \
	(3u + LEAT_ROUTE_PARAMS_MAX +                                                              \
		(sizeof(struct leat_web_request) + sizeof(struct leat_slice) - 1) /                \
			sizeof(struct leat_slice))
/** Slices behind them at the most: decoded bytes of parameters. */
#define LEAT_WEB_ARGV_TAIL (LEAT_ROUTE_PARAMS_LEN_MAX / sizeof(struct leat_slice))

/**
 * Routes in the order in which they are looked at. All zero is a table without routes;
 * leat_route_add() puts one in its place. Const once it is in use.
 */
struct leat_route_table {
	uint32_t nb_exact;  /**< the first ones, by length and bytes of their patterns */
	uint32_t nb_params; /**< the next ones */
	uint32_t nb_prefix; /**< the last ones, the longest first */
	struct leat_web_route routes[LEAT_ROUTES_MAX];
};

/**
 * What is served where nobody says otherwise: /health, /echo, /headers, /rpc, /v1/kv/{key}.
 */
extern const struct leat_route_table leat_route_builtin;

/**
 * Add a route.
 *
 * @return
 *   0; -EINVAL: no pattern, or one that is as another but for a parameter's name; -EEXIST:
 *   a route of this pattern has one of these methods; -ENOSPC: LEAT_ROUTES_MAX are there.
 *   The sentence is in @p error.
 */
int leat_route_add(struct leat_route_table *table, const struct leat_web_route *route,
	struct leat_error *error);

/** @return whether a route has this pattern, or one that is so but for names of parameters. */
bool leat_route_has_pattern(const struct leat_route_table *table, struct leat_slice pattern);

/**
 * A handler that comes with us: "health", "echo", "headers", "rpc", "kv".
 *
 * @param pattern
 *   Where it shall be; of "kv" one with a parameter, the key.
 * @param methods
 *   Which methods it shall have; 0: those that it is made for.
 * @return
 *   0, or as leat_route_add(); -ENOENT: no such handler.
 */
int leat_route_add_builtin(struct leat_route_table *table, const char *name,
	struct leat_slice pattern, uint32_t methods, struct leat_error *error);

/** @return where a handler that comes with us is in leat_route_builtin; @p name is one of them. */
struct leat_slice leat_route_builtin_pattern(const char *name);

/** A handler for answers that are always the same: arg is a const struct leat_web_answer. */
void leat_route_fixed_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply);

/** @return the names of these handlers, NULL at the end. */
const char *const *leat_route_builtin_names(void);

/**
 * Find what answers a request, and make the request of waist 2 that has it done.
 *
 * @param table
 *   NULL: leat_route_builtin.
 * @param web
 *   As the codec filled it. Its pieces lie at argv + LEAT_WEB_ARGV_HEAD, or there are none.
 * @param argv
 *   Room for @p argv_max slices. The first LEAT_WEB_ARGV_HEAD are written; what comes
 *   behind the pieces is for decoded parameters.
 * @param req
 *   Its command, argc, argv and argv_len are set. The rest is the codec's.
 * @return
 *   0, or -ENOBUFS: needs more room, LEAT_WEB_ARGV_HEAD + nb_pieces + LEAT_WEB_ARGV_TAIL at
 *   the most. Nothing is set.
 */
int leat_route_request(const struct leat_route_table *table, struct leat_web_request *web,
	struct leat_slice *argv, uint32_t argv_max, struct leat_request *req);

/**
 * Judge the head of a request before its body is taken in: of a guest, who is asked for a password
 * and whose earlier requests do not count. What is taken in is judged once more when it is executed.
 *
 * @param table
 *   NULL: leat_route_builtin.
 * @param server
 *   Has a password.
 * @param web
 *   As the codec filled it, but for the pieces. Its body_len is what is known of the body so far.
 * @param is_guests
 *   With 0, set to whether the route needs no password: then the body may have no more than
 *   LEAT_WEB_GUEST_BODY_MAX bytes.
 * @return
 *   0, or the status to refuse with: 401, 400 for two Authorization fields, or 413.
 */
uint16_t leat_route_admit(const struct leat_route_table *table,
	const struct leat_command_server *server, struct leat_web_request *web, bool *is_guests);

/** Take the next field. @return true and @p field set, or false: that was all. */
static inline bool
leat_web_fields_next(struct leat_web_fields *fields, struct leat_web_field *field)
{
	return fields->ops->next(fields, field);
}

/** @return whether there is a field of a name, in any case; @p name has 64 bytes at most. */
bool leat_web_has(const struct leat_web_request *web, struct leat_slice name);

/**
 * Find the first field of a name, in any case; @p name has 64 bytes at most.
 *
 * @param buf
 *   Room for a value that has to be copied, since it is escaped.
 * @return
 *   true and @p value set, which may point into @p buf; false: there is none, or none whose
 *   value has room.
 */
bool leat_web_find(const struct leat_web_request *web, struct leat_slice name, uint8_t *buf,
	size_t buf_len, struct leat_slice *value);

/** Write a field's name and its value, escapes undone where there are any. */
void leat_web_put_name(struct leat_writer *w, const struct leat_web_fields *fields,
	const struct leat_web_field *field);
void leat_web_put_value(struct leat_writer *w, const struct leat_web_fields *fields,
	const struct leat_web_field *field);

/** Answer with a status and one line that says what it is; 401 says how to be authorized. */
void leat_web_answer_status(struct leat_reply *reply, uint16_t status);

/** Answer with a status and one line, a newline behind it. */
void leat_web_answer_line(struct leat_reply *reply, uint16_t status, struct leat_slice text);

/** Answer 200 with bytes of a type; they are copied or stay put until the reply is written. */
void leat_web_answer_bytes(
	struct leat_reply *reply, struct leat_slice content_type, struct leat_slice bytes);

/**
 * Values of commands as answers, for the reply operations of a codec:
 *
 * | reply               | status | body                                      |
 * |---------------------|--------|-------------------------------------------|
 * | status              | 200    | its text                                  |
 * | integer, score      | 200    | in decimal                                |
 * | bytes, verbatim     | 200    | as they are                               |
 * | null                | 404    | "Not Found"                               |
 * | error               | 400    | its text; 409 WRONGTYPE, 507 OOM          |
 * | array, map, push    | none: no route leads to a command that answers so      |
 *
 * Bytes are application/octet-stream whatever type a client gave them, so that no browser
 * runs them.
 */
void leat_route_reply_null(struct leat_reply *reply);
void leat_route_reply_status(struct leat_reply *reply, struct leat_slice text);
void leat_route_reply_integer(struct leat_reply *reply, int64_t value);
void leat_route_reply_score(struct leat_reply *reply, double value);
void leat_route_reply_bytes(struct leat_reply *reply, struct leat_slice value);
void leat_route_reply_aggregate(struct leat_reply *reply, uint32_t nb_values);
void leat_route_reply_error(struct leat_reply *reply, struct leat_slice text);

/** All of these, for a codec that writes answers with @p answer_op. */
#define LEAT_ROUTE_REPLY_OPS(answer_op)                                                            \
	{                                                                                          \
		.null = leat_route_reply_null, .status = leat_route_reply_status,                  \
		.integer = leat_route_reply_integer, .score = leat_route_reply_score,              \
		.bytes = leat_route_reply_bytes, .verbatim = leat_route_reply_bytes,               \
		.array = leat_route_reply_aggregate, .map = leat_route_reply_aggregate,            \
		.set = leat_route_reply_aggregate, .push = leat_route_reply_aggregate,             \
		.error = leat_route_reply_error, .answer = (answer_op)                             \
	}

/** Bytes of leat_route_methods_text(). */
#define LEAT_ROUTE_METHODS_TEXT_MAX 80

/** Write methods as Allow has them ("GET, HEAD, OPTIONS") into @p text. @return the text. */
struct leat_slice leat_route_methods_text(uint32_t methods, char text[LEAT_ROUTE_METHODS_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ROUTE_H */
