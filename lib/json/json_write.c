/* SPDX-License-Identifier: BSD-3-Clause */

#include <leat_hex.h>
#include <leat_utf8.h>

#include "json_priv.h"
#include "leat_json_writer.h"

static_assert(LEAT_JSON_WRITER_DEPTH_MAX < 32, "the depths from 0 on are bits");

static bool
is_in_object(const struct leat_json_writer *json)
{
	return (json->objects >> json->depth & 1) != 0;
}

static bool
is_filled(const struct leat_json_writer *json)
{
	return (json->filled >> json->depth & 1) != 0;
}

/* What an array or an object holds is separated by commas. */
static void
element_begin(struct leat_json_writer *json)
{
	if (is_filled(json))
		leat_writer_put_u8(json->out, ',');
	json->filled |= 1u << json->depth;
}

/* Nothing comes behind the root. In an object a name stands before each value. */
static void
value_begin(struct leat_json_writer *json)
{
	LEAT_VERIFY(json->depth > 0 || !is_filled(json));
	LEAT_VERIFY(json->is_named == is_in_object(json));
	if (!json->is_named)
		element_begin(json);
	json->is_named = false;
}

static void
container_begin(struct leat_json_writer *json, bool is_object)
{
	uint32_t bit;

	value_begin(json);
	LEAT_VERIFY(json->depth < LEAT_JSON_WRITER_DEPTH_MAX);
	json->depth++;
	bit = 1u << json->depth;
	json->filled &= ~bit;
	json->objects = is_object ? json->objects | bit : json->objects & ~bit;
	leat_writer_put_u8(json->out, is_object ? '{' : '[');
}

static void
container_end(struct leat_json_writer *json, bool is_object)
{
	LEAT_VERIFY(json->depth > 0);
	LEAT_VERIFY(is_in_object(json) == is_object);
	LEAT_VERIFY(!json->is_named);
	leat_writer_put_u8(json->out, is_object ? '}' : ']');
	json->depth--;
}

/* Write what stands for a character that must not stand for itself. */
static void
escape_put(struct leat_writer *w, uint8_t byte)
{
	static const char letters[0x20] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
	};
	static const char digits[] = "0123456789abcdef";
	uint8_t text[] = { '\\', 'u', '0', '0', (uint8_t)digits[byte >> 4],
		(uint8_t)digits[byte & 0xf] };

	if (byte >= 0x20) { /* a quote or a backslash */
		text[1] = byte;
		leat_writer_put(w, text, 2);
	} else if (letters[byte] != '\0') {
		text[1] = (uint8_t)letters[byte];
		leat_writer_put(w, text, 2);
	} else {
		leat_writer_put(w, text, sizeof(text));
	}
}

/* Write the quotes, and between them what may stand as it is in runs. */
static void
string_put(struct leat_writer *w, struct leat_slice string)
{
	const uint8_t *p = string.data;
	const uint8_t *run = p;
	const uint8_t *end;

	if (string.len == 0) { /* and perhaps without an address */
		leat_writer_put(w, "\"\"", 2);
		return;
	}
	end = p + string.len;
	leat_writer_put_u8(w, '"');
	while (p < end) {
		size_t len;

		p = json_skip_plain(p, end);
		if (p == end)
			break;
		len = *p < 0x80 ? 0 : leat_utf8_len(p, (size_t)(end - p));
		if (len > 0) {
			p += len;
			continue;
		}
		leat_writer_put(w, run, (size_t)(p - run));
		if (*p < 0x80)
			escape_put(w, *p);
		else
			leat_writer_put_slice(w, LEAT_SLICE("\xef\xbf\xbd")); /* U+FFFD */
		run = ++p;
	}
	leat_writer_put(w, run, (size_t)(p - run));
	leat_writer_put_u8(w, '"');
}

void
leat_json_write(struct leat_json_writer *json, struct leat_writer *out)
{
	*json = (struct leat_json_writer){ .out = out };
}

bool
leat_json_is_whole(const struct leat_json_writer *json)
{
	return json->depth == 0 && is_filled(json);
}

void
leat_json_begin_object(struct leat_json_writer *json)
{
	container_begin(json, true);
}

void
leat_json_end_object(struct leat_json_writer *json)
{
	container_end(json, true);
}

void
leat_json_begin_array(struct leat_json_writer *json)
{
	container_begin(json, false);
}

void
leat_json_end_array(struct leat_json_writer *json)
{
	container_end(json, false);
}

void
leat_json_put_name(struct leat_json_writer *json, struct leat_slice name)
{
	LEAT_VERIFY(is_in_object(json));
	LEAT_VERIFY(!json->is_named);
	element_begin(json);
	string_put(json->out, name);
	leat_writer_put_u8(json->out, ':');
	json->is_named = true;
}

void
leat_json_put_string(struct leat_json_writer *json, struct leat_slice string)
{
	value_begin(json);
	string_put(json->out, string);
}

void
leat_json_put_hex(struct leat_json_writer *json, struct leat_slice bytes)
{
	value_begin(json);
	leat_writer_put_slice(json->out, LEAT_SLICE("\"0x"));
	leat_hex_put(json->out, bytes);
	leat_writer_put_u8(json->out, '"');
}

void
leat_json_put_u64(struct leat_json_writer *json, uint64_t value)
{
	value_begin(json);
	leat_writer_put_uint64(json->out, value);
}

void
leat_json_put_i64(struct leat_json_writer *json, int64_t value)
{
	value_begin(json);
	leat_writer_put_int64(json->out, value);
}

void
leat_json_put_bool(struct leat_json_writer *json, bool value)
{
	value_begin(json);
	leat_writer_put_slice(json->out, value ? LEAT_SLICE("true") : LEAT_SLICE("false"));
}

void
leat_json_put_null(struct leat_json_writer *json)
{
	value_begin(json);
	leat_writer_put_slice(json->out, LEAT_SLICE("null"));
}
