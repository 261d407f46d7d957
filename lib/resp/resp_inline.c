/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Words of an inline command. "..." knows the escapes \n \r \t \b \a \xHH and
 * backslash before any other byte; '...' knows \' only; a closing quote must be
 * followed by a space or by the end. A quote may also open within a word.
 *
 * A word is walked with an output that may be absent: the first walk measures,
 * and shows whether the word stands in the line as it is, which nearly all do.
 */

#include <errno.h>

#include <leat_hex.h>

#include "resp_priv.h"

/* What a walk over one word found. */
struct inline_word {
	const uint8_t *verbatim; /* where the word's bytes stand in the line, if is_verbatim */
	size_t len;
	bool is_verbatim;
	uint8_t *out; /* where to make the bytes; NULL: only measure */
};

/* As isspace() in the C locale. */
static bool
byte_is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
byte_ends_word(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void
word_add(struct inline_word *word, uint8_t byte, const uint8_t *from)
{
	if (word->len == 0)
		word->verbatim = from;
	if (from != word->verbatim + word->len || *from != byte)
		word->is_verbatim = false;
	if (word->out != NULL)
		word->out[word->len] = byte;
	word->len++;
}

/* Read the escape behind a backslash of "...", and step over it. */
static void
word_add_escape(struct inline_word *word, struct leat_reader *r)
{
	static const uint8_t letters[][2] = { { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' },
		{ 'b', '\b' }, { 'a', '\a' } };
	uint8_t byte = *r->pos;
	uint8_t value;

	if (byte == 'x' && leat_reader_left(r) >= 3 &&
		leat_hex_parse((struct leat_slice){ r->pos + 1, 2 }, &value) == 0) {
		word_add(word, value, r->pos);
		word->is_verbatim = false;
		r->pos += 3;
		return;
	}
	for (unsigned int i = 0; i < LEAT_DIM(letters); i++) {
		if (letters[i][0] == *r->pos)
			byte = letters[i][1];
	}
	word_add(word, byte, r->pos);
	r->pos++;
}

/* Read on to the closing quote and step over it. Returns 0 or -EBADMSG. */
static int
word_add_quoted(struct inline_word *word, struct leat_reader *r, uint8_t quote)
{
	while (r->pos < r->end) {
		uint8_t c = *r->pos++;

		if (c == quote)
			return r->pos == r->end || byte_is_space(*r->pos) ? 0 : -EBADMSG;
		if (c != '\\' || r->pos == r->end) {
			word_add(word, c, r->pos - 1);
		} else if (quote == '"') {
			word_add_escape(word, r);
		} else if (*r->pos == '\'') {
			word_add(word, '\'', r->pos);
			r->pos++;
		} else {
			word_add(word, c, r->pos - 1);
		}
	}
	return -EBADMSG;
}

/* Read the word at the reader. Returns 0 or -EBADMSG. */
static int
word_read(struct inline_word *word, struct leat_reader *r)
{
	word->verbatim = r->pos;
	word->len = 0;
	word->is_verbatim = true;
	while (r->pos < r->end && !byte_ends_word(*r->pos)) {
		uint8_t c = *r->pos++;

		if (c == '"' || c == '\'') /* a closing quote ends the word */
			return word_add_quoted(word, r, c);
		word_add(word, c, r->pos - 1);
	}
	return 0;
}

static void
reader_skip_spaces(struct leat_reader *r)
{
	while (r->pos < r->end && byte_is_space(*r->pos))
		r->pos++;
}

/* Count the words, and the bytes of those that must be made. Returns 0 or -EBADMSG. */
static int
line_measure(struct leat_slice line, uint32_t *argc, size_t *made_len)
{
	struct leat_reader r = { .pos = line.data, .end = line.data + line.len };
	struct inline_word word = { .out = NULL };

	*argc = 0;
	*made_len = 0;
	for (reader_skip_spaces(&r); r.pos < r.end; reader_skip_spaces(&r)) {
		int ret = word_read(&word, &r);

		if (ret < 0)
			return ret;
		*made_len += word.is_verbatim ? 0 : word.len;
		++*argc;
	}
	return 0;
}

int
resp_split_line(struct leat_slice line, struct leat_slice *argv, uint32_t argv_max,
	struct leat_resp_request *req)
{
	struct leat_reader r = { .pos = line.data, .end = line.data + line.len };
	struct inline_word word = { .out = NULL };
	uint8_t *made;
	size_t made_len;
	int ret = line_measure(line, &req->argc, &made_len);

	if (ret < 0)
		return ret;
	req->argv_len = req->argc + (uint32_t)((made_len + sizeof(*argv) - 1) / sizeof(*argv));
	if (req->argv_len > argv_max)
		return -ENOBUFS;
	made = (uint8_t *)(argv + req->argc);
	for (uint32_t i = 0; i < req->argc; i++) {
		struct leat_reader start;

		reader_skip_spaces(&r);
		start = r;
		word.out = NULL;
		ret = word_read(&word, &r);
		LEAT_VERIFY(ret == 0);
		argv[i] = (struct leat_slice){ word.verbatim, word.len };
		if (word.is_verbatim)
			continue;
		word.out = made;
		ret = word_read(&word, &start);
		LEAT_VERIFY(ret == 0);
		argv[i].data = made;
		made += word.len;
	}
	return 0;
}
