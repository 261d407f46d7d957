/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef ROUTE_PRIV_H
#define ROUTE_PRIV_H

#include "leat_route.h"

#define ROUTE_OK                    200
#define ROUTE_CREATED               201
#define ROUTE_NO_CONTENT            204
#define ROUTE_BAD_REQUEST           400
#define ROUTE_UNAUTHORIZED          401
#define ROUTE_NOT_FOUND             404
#define ROUTE_METHOD_NOT_ALLOWED    405
#define ROUTE_CONFLICT              409
#define ROUTE_CONTENT_TOO_LARGE     413
#define ROUTE_URI_TOO_LONG          414
#define ROUTE_UNSUPPORTED_TYPE      415
#define ROUTE_FIELDS_TOO_LARGE      431
#define ROUTE_INTERNAL_SERVER_ERROR 500
#define ROUTE_NOT_IMPLEMENTED       501
#define ROUTE_INSUFFICIENT_STORAGE  507

/*
 * The first route of the pattern that answers a path, or NULL; the others of the pattern
 * follow it. The parameters are as the path has them.
 */
const struct leat_web_route *route_find(const struct leat_route_table *table,
	struct leat_slice path, struct leat_slice params[LEAT_ROUTE_PARAMS_MAX],
	uint16_t *nb_params);

/* One behind the last route of a table. */
static inline const struct leat_web_route *
route_end(const struct leat_route_table *table)
{
	return table->routes + table->nb_exact + table->nb_params + table->nb_prefix;
}

/*
 * Whether a request carries the password, in its Authorization field. Returns 0, or the status to
 * refuse with: 401, or 400 where there are two.
 */
uint16_t route_authorize(
	const struct leat_command_server *server, const struct leat_web_request *web);

/* Answer 401 (Unauthorized), saying how to be authorized. */
void route_answer_unauthorized(struct leat_reply *reply);

/* Move @p fields behind the next field of a name, which has 64 bytes at most. */
bool route_fields_seek(
	struct leat_web_fields *fields, struct leat_slice name, struct leat_web_field *field);

/* What the value of a field means, in @p buf if it has escapes. Returns false: that is too small. */
bool route_field_value(const struct leat_web_fields *fields, const struct leat_web_field *field,
	uint8_t *buf, size_t buf_len, struct leat_slice *value);

/* The handler of /rpc. */
void route_rpc_run(
	struct leat_command_ctx *ctx, const struct leat_web_request *web, struct leat_reply *reply);

#endif /* ROUTE_PRIV_H */
