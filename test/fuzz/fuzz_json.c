/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * JSON: each text that is accepted is written again from its tokens, and must then be accepted,
 * have the same tokens, and be written as the same bytes. The same input as a string, which is
 * accepted whatever it is, and as the body of a call.
 */

#include <errno.h>

#include <leat_json.h>
#include <leat_json_writer.h>
#include <leat_rpc.h>

#include "fuzz_support.h"

static_assert(LEAT_JSON_DEPTH_MAX <= LEAT_JSON_WRITER_DEPTH_MAX, "what is read can be written");

/* What is written of a text is no longer than it, but for what may be escaped. */
#define ROOM_LEN (6u * LEAT_JSON_TEXT_MAX)

static struct leat_slice
string_of(const struct leat_json_token *token)
{
	struct leat_slice s;

	LEAT_VERIFY(leat_json_get_string(token, &s) == 0);
	return s;
}

/* A number cannot be written as it stands, so its digits are a string then. */
static void
scalar_write(struct leat_json_writer *out, const struct leat_json_token *token)
{
	struct leat_slice s = { token->data, token->len };
	uint64_t number;

	switch ((enum leat_json_kind)token->kind) {
	case LEAT_JSON_NULL:
		leat_json_put_null(out);
		break;
	case LEAT_JSON_FALSE:
	case LEAT_JSON_TRUE:
		leat_json_put_bool(out, token->kind == LEAT_JSON_TRUE);
		break;
	case LEAT_JSON_NUMBER:
		if (leat_json_get_u64(token, &number) == 0)
			leat_json_put_u64(out, number);
		else
			leat_json_put_string(out, s);
		break;
	case LEAT_JSON_STRING:
		leat_json_put_string(out, string_of(token));
		break;
	case LEAT_JSON_ARRAY:
	case LEAT_JSON_OBJECT:
		LEAT_VERIFY(false);
	}
}

/* The token behind all that was written. */
static uint32_t
value_write(struct leat_json_writer *out, const struct leat_json *json, uint32_t i)
{
	const struct leat_json_token *token = &json->tokens[i];
	bool is_object = token->kind == LEAT_JSON_OBJECT;

	LEAT_VERIFY(i < json->nb_tokens && token->next <= json->nb_tokens);
	if (!is_object && token->kind != LEAT_JSON_ARRAY) {
		scalar_write(out, token);
		return i + 1;
	}
	if (is_object)
		leat_json_begin_object(out);
	else
		leat_json_begin_array(out);
	for (i++; i < token->next;) {
		if (is_object) {
			struct leat_slice name = string_of(&json->tokens[i]);

			LEAT_VERIFY(leat_json_find(json, token, name) == &json->tokens[i + 1]);
			leat_json_put_name(out, name);
			i++;
		}
		i = value_write(out, json, i);
	}
	LEAT_VERIFY(i == token->next);
	if (is_object)
		leat_json_end_object(out);
	else
		leat_json_end_array(out);
	return i;
}

static struct leat_slice
text_write(const struct leat_json *json, uint8_t *buf)
{
	struct leat_json_writer out;
	struct leat_writer w;

	leat_writer_init(&w, buf, ROOM_LEN);
	leat_json_write(&out, &w);
	LEAT_VERIFY(value_write(&out, json, 0) == json->nb_tokens);
	LEAT_VERIFY(leat_json_is_whole(&out) && !w.failed);
	return (struct leat_slice){ buf, (size_t)(w.pos - buf) };
}

static void
text_fuzz(struct leat_slice in)
{
	static uint8_t first[ROOM_LEN];
	static uint8_t second[ROOM_LEN];
	static uint8_t room[LEAT_JSON_TEXT_MAX];
	static uint8_t room_again[LEAT_JSON_TEXT_MAX];
	struct leat_json json;
	struct leat_json again;
	struct leat_slice text;

	if (leat_json_parse(in, room, &json) != 0)
		return;
	text = text_write(&json, first);
	if (text.len > LEAT_JSON_TEXT_MAX)
		return;
	LEAT_VERIFY(leat_json_parse(text, room_again, &again) == 0);
	LEAT_VERIFY(again.nb_tokens == json.nb_tokens);
	for (uint32_t i = 0; i < json.nb_tokens; i++)
		LEAT_VERIFY(again.tokens[i].next == json.tokens[i].next);
	LEAT_VERIFY(leat_slice_is_equal(text, text_write(&again, second)));
}

/* Any bytes, once as text and once as digits, and the number that they begin with. */
static void
values_fuzz(struct leat_slice in)
{
	static uint8_t buf[ROOM_LEN];
	static uint8_t room[LEAT_JSON_TEXT_MAX];
	struct leat_json_writer out;
	struct leat_json json;
	struct leat_slice s;
	struct leat_writer w;
	int64_t number = 0;

	memcpy(&number, in.data, LEAT_MIN(in.len, sizeof(number)));
	leat_writer_init(&w, buf, sizeof(buf));
	leat_json_write(&out, &w);
	leat_json_begin_array(&out);
	leat_json_put_string(&out, in);
	leat_json_put_hex(&out, in);
	leat_json_put_i64(&out, number);
	leat_json_end_array(&out);
	s = (struct leat_slice){ buf, (size_t)(w.pos - buf) };
	if (w.failed || s.len > LEAT_JSON_TEXT_MAX)
		return;
	LEAT_VERIFY(leat_json_parse(s, room, &json) == 0);
	LEAT_VERIFY(json.nb_tokens == 4);
	LEAT_VERIFY(json.tokens[2].len == 2 + 2 * in.len);
	LEAT_VERIFY(string_of(&json.tokens[1]).len <= 3 * in.len);
	LEAT_VERIFY(leat_json_get_string(&json.tokens[0], &s) == -EINVAL);
}

static void
call_fuzz(int (*call)(struct leat_slice body, struct leat_writer *out), struct leat_slice in)
{
	uint8_t answer[LEAT_RPC_ANSWER_MAX];
	struct leat_writer w;
	int ret;

	leat_writer_init(&w, answer, sizeof(answer));
	ret = call(in, &w);
	LEAT_VERIFY(ret == 0 || ret == -EBADMSG || ret == -EMSGSIZE);
	LEAT_VERIFY(!w.failed);
	LEAT_VERIFY((w.pos == answer) == (ret < 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_slice in = { data, len };

	if (len > 0)
		values_fuzz(in);
	text_fuzz(in);
	call_fuzz(leat_rpc_call_json, in);
	call_fuzz(leat_rpc_call_zap, in);
	return 0;
}
