/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A text is read twice. jsmn marks where values begin and end, and takes much for JSON that is
 * none: missing commas and colons, names that are no strings, 1.2.3, nonsense, a zero byte for
 * the end. So the text is walked byte by byte, by the grammar of RFC 8259 section 2, from one mark
 * to the next, and nothing is believed of a mark but how long it is, if it begins where a value does.
 * jsmn's strict mode is not used: it refuses a number at the root, and still takes most of these.
 */

#include <errno.h>

#define JSMN_STATIC /* its functions belong to this file */
#include <jsmn.h>

#include "json_priv.h"

/* What may come next, blanks aside. */
enum walk_expect {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* behind a bracket */
	EXPECT_NAME,
	EXPECT_NAME_OR_END, /* behind a brace */
	EXPECT_COLON,
	EXPECT_COMMA_OR_END,
	EXPECT_NOTHING, /* the root is whole */
};

struct walk {
	struct leat_json *json;
	uint8_t *room; /* for the next string with escapes */
	struct leat_slice text;
	size_t pos;
	const jsmntok_t *marks;
	uint32_t nb_marks; /* those walked are json->nb_tokens */
	enum walk_expect expect;
	uint32_t depth;
	uint16_t
		open[LEAT_JSON_DEPTH_MAX]; /* tokens of the objects and arrays that are not whole */
};

static size_t
digits_len(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *first = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (size_t)(p - first);
}

/* RFC 8259 section 6. */
static bool
is_number(struct leat_slice s)
{
	const uint8_t *p = s.data;
	const uint8_t *end = p + s.len;
	size_t len;

	if (p < end && *p == '-')
		p++;
	len = digits_len(p, end);
	if (len == 0 || (len > 1 && *p == '0'))
		return false;
	p += len;
	if (p < end && *p == '.') {
		len = digits_len(p + 1, end);
		if (len == 0)
			return false;
		p += 1 + len;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		len = digits_len(p, end);
		if (len == 0)
			return false;
		p += len;
	}
	return p == end;
}

/* Whether the object or array that holds what is walked is of that kind. */
static bool
is_inside(const struct walk *walk, enum leat_json_kind kind)
{
	return walk->depth > 0 &&
	       walk->json->tokens[walk->open[walk->depth - 1]].kind == (uint8_t)kind;
}

static bool
is_value_expected(const struct walk *walk)
{
	return walk->expect == EXPECT_VALUE || walk->expect == EXPECT_VALUE_OR_END;
}

static bool
is_name_expected(const struct walk *walk)
{
	return walk->expect == EXPECT_NAME || walk->expect == EXPECT_NAME_OR_END;
}

/* A value is whole. */
static void
value_end(struct walk *walk)
{
	walk->expect = walk->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

/* Make the next token, of a value that begins at start. NULL: jsmn has not marked it. */
static struct leat_json_token *
token_begin(struct walk *walk, enum leat_json_kind kind, jsmntype_t type, size_t start)
{
	uint32_t i = walk->json->nb_tokens;
	struct leat_json_token *token = &walk->json->tokens[i];
	const jsmntok_t *mark = &walk->marks[i];

	if (i == walk->nb_marks || mark->type != type || (size_t)mark->start != start)
		return NULL;
	token->data = walk->text.data + start;
	token->len = (uint32_t)(mark->end - mark->start);
	token->next = (uint16_t)(i + 1);
	token->kind = (uint8_t)kind;
	walk->json->nb_tokens++;
	return token;
}

static int
open_walk(struct walk *walk, enum leat_json_kind kind)
{
	bool is_object = kind == LEAT_JSON_OBJECT;

	if (!is_value_expected(walk))
		return -EBADMSG;
	if (walk->depth == LEAT_JSON_DEPTH_MAX)
		return -EMSGSIZE;
	walk->open[walk->depth++] = (uint16_t)walk->json->nb_tokens;
	walk->expect = is_object ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
	if (token_begin(walk, kind, is_object ? JSMN_OBJECT : JSMN_ARRAY, walk->pos++) == NULL)
		return -EBADMSG;
	return 0;
}

/* Whether no two members of an object have the same name. */
static bool
has_unique_names(const struct leat_json *json, const struct leat_json_token *object)
{
	const struct leat_json_token *end = json->tokens + object->next;

	for (const struct leat_json_token *a = object + 1; a < end; a = json->tokens + a[1].next) {
		const struct leat_json_token *b = json->tokens + a[1].next;

		for (; b < end; b = json->tokens + b[1].next) {
			if (leat_slice_is_equal(json_token_slice(a), json_token_slice(b)))
				return false;
		}
	}
	return true;
}

static int
close_walk(struct walk *walk, enum leat_json_kind kind, enum walk_expect at_once)
{
	struct leat_json_token *token;

	if (!is_inside(walk, kind) ||
		(walk->expect != EXPECT_COMMA_OR_END && walk->expect != at_once))
		return -EBADMSG;
	walk->pos++;
	token = &walk->json->tokens[walk->open[--walk->depth]];
	token->len = (uint32_t)(walk->text.data + walk->pos - token->data);
	token->next = (uint16_t)walk->json->nb_tokens;
	if (kind == LEAT_JSON_OBJECT && !has_unique_names(walk->json, token))
		return -EBADMSG;
	value_end(walk);
	return 0;
}

static int
comma_walk(struct walk *walk)
{
	if (walk->expect != EXPECT_COMMA_OR_END)
		return -EBADMSG;
	walk->expect = is_inside(walk, LEAT_JSON_OBJECT) ? EXPECT_NAME : EXPECT_VALUE;
	walk->pos++;
	return 0;
}

static int
colon_walk(struct walk *walk)
{
	if (walk->expect != EXPECT_COLON)
		return -EBADMSG;
	walk->expect = EXPECT_VALUE;
	walk->pos++;
	return 0;
}

/* A name or a value. */
static int
string_walk(struct walk *walk)
{
	bool is_name = is_name_expected(walk);
	struct leat_json_token *token;
	struct leat_slice string;
	struct leat_reader in;

	if (!is_name && !is_value_expected(walk))
		return -EBADMSG;
	token = token_begin(walk, LEAT_JSON_STRING, JSMN_STRING, walk->pos + 1);
	if (token == NULL)
		return -EBADMSG;
	in.pos = token->data;
	in.end = walk->text.data + walk->text.len;
	if (json_string_read(&in, &walk->room, &string) < 0)
		return -EBADMSG;
	token->data = string.data;
	token->len = (uint32_t)string.len;
	walk->pos = (size_t)(in.pos - walk->text.data);
	if (is_name)
		walk->expect = EXPECT_COLON;
	else
		value_end(walk);
	return 0;
}

/* A number, or one of the three words. */
static int
primitive_walk(struct walk *walk)
{
	struct leat_json_token *token;
	struct leat_slice s;

	if (!is_value_expected(walk))
		return -EBADMSG;
	token = token_begin(walk, LEAT_JSON_NUMBER, JSMN_PRIMITIVE, walk->pos);
	if (token == NULL)
		return -EBADMSG;
	walk->pos += token->len;
	value_end(walk);
	s = json_token_slice(token);
	if (leat_slice_is_equal(s, LEAT_SLICE("true")))
		token->kind = LEAT_JSON_TRUE;
	else if (leat_slice_is_equal(s, LEAT_SLICE("false")))
		token->kind = LEAT_JSON_FALSE;
	else if (leat_slice_is_equal(s, LEAT_SLICE("null")))
		token->kind = LEAT_JSON_NULL;
	else if (!is_number(s))
		return -EBADMSG;
	return 0;
}

/* What begins with the byte at hand. */
static int
step_walk(struct walk *walk)
{
	switch (walk->text.data[walk->pos]) {
	case ' ':
	case '\t':
	case '\n':
	case '\r':
		walk->pos++;
		return 0;
	case '{':
		return open_walk(walk, LEAT_JSON_OBJECT);
	case '}':
		return close_walk(walk, LEAT_JSON_OBJECT, EXPECT_NAME_OR_END);
	case '[':
		return open_walk(walk, LEAT_JSON_ARRAY);
	case ']':
		return close_walk(walk, LEAT_JSON_ARRAY, EXPECT_VALUE_OR_END);
	case ',':
		return comma_walk(walk);
	case ':':
		return colon_walk(walk);
	case '"':
		return string_walk(walk);
	default:
		return primitive_walk(walk);
	}
}

int
leat_json_parse(struct leat_slice text, uint8_t *room, struct leat_json *json)
{
	jsmntok_t marks[LEAT_JSON_TOKENS_MAX];
	struct walk walk = { .json = json, .room = room, .text = text, .marks = marks };
	jsmn_parser parser;
	int ret;

	if (text.len > LEAT_JSON_TEXT_MAX)
		return -EMSGSIZE;
	jsmn_init(&parser);
	ret = jsmn_parse(&parser, (const char *)text.data, text.len, marks, LEAT_JSON_TOKENS_MAX);
	if (ret < 0)
		return ret == JSMN_ERROR_NOMEM ? -EMSGSIZE : -EBADMSG;
	walk.nb_marks = (uint32_t)ret;
	json->nb_tokens = 0;
	ret = 0;
	while (ret == 0 && walk.pos < text.len)
		ret = step_walk(&walk);
	if (ret == 0 && walk.expect != EXPECT_NOTHING)
		ret = -EBADMSG;
	return ret;
}

const struct leat_json_token *
leat_json_find(
	const struct leat_json *json, const struct leat_json_token *object, struct leat_slice name)
{
	const struct leat_json_token *end = json->tokens + object->next;

	if (object->kind != LEAT_JSON_OBJECT)
		return NULL;
	for (const struct leat_json_token *t = object + 1; t < end; t = json->tokens + t[1].next) {
		if (leat_slice_is_equal(json_token_slice(t), name))
			return t + 1;
	}
	return NULL;
}

int
leat_json_get_u64(const struct leat_json_token *value, uint64_t *number)
{
	struct leat_slice s;
	uint64_t v = 0;

	if (value == NULL || value->kind != LEAT_JSON_NUMBER)
		return -EINVAL;
	s = json_token_slice(value);
	if (digits_len(s.data, s.data + s.len) != s.len)
		return -EINVAL;
	for (size_t i = 0; i < s.len; i++) {
		uint64_t digit = (uint64_t)s.data[i] - '0';

		if (v > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		v = v * 10 + digit;
	}
	*number = v;
	return 0;
}
