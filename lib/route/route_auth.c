/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The password of a request, in its Authorization field (RFC 9110 section 11.6.2): as
 * Basic (RFC 7617), of the user "default" or of none, or as Bearer (RFC 6750). HTTP has no
 * login: each request brings it, since behind a proxy the next one may be somebody else's.
 *
 * Of two such fields a hop in front of us may have believed the one that is not ours, so both are
 * refused.
 */

#include "route_priv.h"

#define CREDENTIALS_MAX 1024u /* bytes of the field's value; a longer one is wrong */
#define BASE64_NONE     64u

static uint32_t
base64_value(uint8_t byte)
{
	if (byte >= 'A' && byte <= 'Z')
		return byte - 'A';
	if (byte >= 'a' && byte <= 'z')
		return byte - 'a' + 26u;
	if (byte >= '0' && byte <= '9')
		return byte - '0' + 52u;
	if (byte == '+')
		return 62;
	return byte == '/' ? 63 : BASE64_NONE;
}

/* Decode to @p to, which has room. Padding may be missing. false: it is no base64. */
static bool
base64_decode(struct leat_slice from, uint8_t *to, size_t *len)
{
	uint32_t bits = 0;
	uint32_t nb_bits = 0;

	*len = 0;
	for (int i = 0; i < 2 && from.len > 0 && from.data[from.len - 1] == '='; i++)
		from.len--;
	for (size_t i = 0; i < from.len; i++) {
		uint32_t value = base64_value(from.data[i]);

		if (value == BASE64_NONE)
			return false;
		bits = bits << 6 | value;
		nb_bits += 6;
		if (nb_bits >= 8) {
			nb_bits -= 8;
			to[(*len)++] = (uint8_t)(bits >> nb_bits);
		}
	}
	return nb_bits < 6;
}

static bool
basic_is_right(const struct leat_command_server *server, struct leat_slice credentials)
{
	uint8_t text[CREDENTIALS_MAX];
	struct leat_slice user = { text, 0 };
	struct leat_slice password;
	const uint8_t *colon;
	size_t len;

	if (!base64_decode(credentials, text, &len))
		return false;
	colon = memchr(text, ':', len);
	if (colon == NULL)
		return false;
	user.len = (size_t)(colon - text);
	password = (struct leat_slice){ colon + 1, len - user.len - 1 };
	if (user.len > 0 && !leat_slice_is_equal(user, LEAT_SLICE("default")))
		return false;
	return leat_command_is_password(server, password);
}

/* Whether the value of an Authorization field has the password. */
static bool
value_is_right(const struct leat_command_server *server, struct leat_slice value)
{
	struct leat_slice scheme;
	const uint8_t *space;

	if (value.len == 0 || value.len > CREDENTIALS_MAX)
		return false;
	space = memchr(value.data, ' ', value.len);
	if (space == NULL)
		return false;
	scheme = (struct leat_slice){ value.data, (size_t)(space - value.data) };
	value.len -= scheme.len;
	value.data = space;
	while (value.len > 0 && *value.data == ' ') {
		value.data++;
		value.len--;
	}
	if (leat_slice_is_equal_nocase(scheme, LEAT_SLICE("basic")))
		return basic_is_right(server, value);
	if (leat_slice_is_equal_nocase(scheme, LEAT_SLICE("bearer")))
		return leat_command_is_password(server, value);
	return false;
}

uint16_t
route_authorize(const struct leat_command_server *server, const struct leat_web_request *web)
{
	const struct leat_slice name = LEAT_SLICE("authorization");
	struct leat_web_fields fields = web->fields;
	struct leat_web_field field, second;
	uint8_t buf[CREDENTIALS_MAX];
	struct leat_slice value;

	if (!route_fields_seek(&fields, name, &field))
		return ROUTE_UNAUTHORIZED;
	if (route_fields_seek(&fields, name, &second))
		return ROUTE_BAD_REQUEST;
	if (!route_field_value(&fields, &field, buf, sizeof(buf), &value) ||
		!value_is_right(server, value))
		return ROUTE_UNAUTHORIZED;
	return 0;
}

void
route_answer_unauthorized(struct leat_reply *reply)
{
	const struct leat_web_field fields[] = {
		{ .name = LEAT_SLICE("WWW-Authenticate"),
			.value = LEAT_SLICE("Basic realm=\"leat\", charset=\"UTF-8\"") },
		{ .name = LEAT_SLICE("WWW-Authenticate"),
			.value = LEAT_SLICE("Bearer realm=\"leat\"") },
	};
	const struct leat_slice line[] = { leat_http_reason(ROUTE_UNAUTHORIZED), LEAT_SLICE("\n") };
	const struct leat_web_answer answer = {
		.status = ROUTE_UNAUTHORIZED,
		.content_type = LEAT_SLICE("text/plain"),
		.fields = fields,
		.nb_fields = LEAT_DIM(fields),
		.body = line,
		.nb_slices = LEAT_DIM(line),
	};

	leat_reply_answer(reply, &answer);
}
