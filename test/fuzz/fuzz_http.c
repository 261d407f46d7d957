/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>

#include <leat_common.h>
#include <leat_http.h>

#define FUZZ_REQUESTS_MAX 64 /* of one input */
#define FUZZ_PIECES_MAX   64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
slice_verify(struct leat_slice s, struct leat_slice in, size_t len)
{
	if (s.len == 0)
		return;
	if (s.len == 1 && s.data[0] == '/' && (s.data < in.data || s.data >= in.data + in.len))
		return; /* the path that a target without one stands for */
	LEAT_VERIFY(s.data >= in.data);
	LEAT_VERIFY(s.len <= len - (size_t)(s.data - in.data));
}

static void
fields_verify(struct leat_http_fields fields, struct leat_slice in, size_t len)
{
	struct leat_http_field field;
	unsigned int nb = 0;

	while (leat_http_fields_next(&fields, &field)) {
		LEAT_VERIFY(leat_http_field_is_valid(&field));
		slice_verify(field.name, in, len);
		slice_verify(field.value, in, len);
		nb++;
	}
	LEAT_VERIFY(nb <= LEAT_HTTP_FIELDS_MAX);
}

static void
body_verify(const struct leat_http_body *body, struct leat_slice in, size_t len)
{
	size_t sum = 0;

	LEAT_VERIFY(body->nb_pieces <= body->pieces_max);
	for (uint32_t i = 0; i < body->nb_pieces; i++) {
		LEAT_VERIFY(body->pieces[i].len > 0);
		slice_verify(body->pieces[i], in, len);
		sum += body->pieces[i].len;
	}
	LEAT_VERIFY(sum == body->len);
	fields_verify(body->trailers, in, len);
}

/* Whatever the bytes: a result keeps its promises. */
static void
request_verify(ssize_t ret, const struct leat_http_request *req, struct leat_slice in)
{
	if (ret == -ENOBUFS)
		return;
	if (ret < 0) {
		LEAT_VERIFY(req->status >= 400);
		LEAT_VERIFY(leat_http_reason(req->status).len > 0);
		return;
	}
	LEAT_VERIFY((size_t)ret <= in.len);
	LEAT_VERIFY(req->status == 0);
	LEAT_VERIFY(req->path.len > 0);
	LEAT_VERIFY(leat_http_method_find(req->method_name) == req->method);
	slice_verify(req->target, in, (size_t)ret);
	slice_verify(req->path, in, (size_t)ret);
	slice_verify(req->query, in, (size_t)ret);
	slice_verify(req->host, in, (size_t)ret);
	fields_verify(req->fields, in, (size_t)ret);
	body_verify(&req->body, in, (size_t)ret);
}

static void
fields_compare(struct leat_http_fields a, struct leat_http_fields b)
{
	struct leat_slice all_a = { a.pos, (size_t)(a.end - a.pos) };
	struct leat_slice all_b = { b.pos, (size_t)(b.end - b.pos) };

	LEAT_VERIFY(leat_slice_is_equal(all_a, all_b));
}

static void
body_compare(const struct leat_http_body *a, const struct leat_http_body *b)
{
	LEAT_VERIFY(a->nb_pieces == b->nb_pieces);
	LEAT_VERIFY(a->len == b->len);
	LEAT_VERIFY(a->is_chunked == b->is_chunked);
	for (uint32_t i = 0; i < a->nb_pieces; i++)
		LEAT_VERIFY(leat_slice_is_equal(a->pieces[i], b->pieces[i]));
	fields_compare(a->trailers, b->trailers);
}

static void
request_compare(ssize_t ret, const struct leat_http_request *a, const struct leat_http_request *b)
{
	LEAT_VERIFY(a->status == b->status);
	LEAT_VERIFY(a->method == b->method);
	LEAT_VERIFY(a->minor == b->minor);
	if (ret < 0)
		return;
	LEAT_VERIFY(a->form == b->form);
	LEAT_VERIFY(a->is_keep_alive == b->is_keep_alive);
	LEAT_VERIFY(leat_slice_is_equal(a->target, b->target));
	LEAT_VERIFY(leat_slice_is_equal(a->path, b->path));
	LEAT_VERIFY(leat_slice_is_equal(a->query, b->query));
	LEAT_VERIFY(leat_slice_is_equal(a->host, b->host));
	fields_compare(a->fields, b->fields);
	body_compare(&a->body, &b->body);
}

/* The beginning of @p in, grown by a random step, as a copy of exactly its bytes. */
static struct leat_slice
prefix_grow(struct leat_slice in, struct leat_slice prefix, uint32_t *random)
{
	size_t len = prefix.len;
	uint8_t *copy;

	*random = *random * 1664525u + 1013904223u;
	len += 1 + (*random >> 16) % ((*random >> 8 & 7) == 0 ? 4096 : 40);
	len = LEAT_MIN(len, in.len);
	free((void *)(uintptr_t)prefix.data);
	copy = malloc(len);
	LEAT_VERIFY(copy != NULL);
	memcpy(copy, in.data, len);
	return (struct leat_slice){ copy, len };
}

/*
 * The same request in steps, each call with the bytes elsewhere and no byte behind
 * them: the same result.
 */
static void
request_steps_verify(const struct leat_http_limits *limits, struct leat_slice in, uint32_t *random,
	ssize_t whole_ret, const struct leat_http_request *whole)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];
	struct leat_http_request req = { .body = { .pieces = pieces,
						 .pieces_max = whole->body.pieces_max } };
	struct leat_http_parser parser = { 0 };
	struct leat_slice prefix = { NULL, 0 };
	ssize_t ret = 0;

	while (ret == 0 && prefix.len < in.len) {
		prefix = prefix_grow(in, prefix, random);
		ret = leat_http_parse_request(&parser, limits, prefix, &req);
		if (leat_http_take_continue(&parser))
			LEAT_VERIFY(ret == 0);
	}
	LEAT_VERIFY(ret == whole_ret);
	if (ret == -ENOBUFS) { /* more room is all that it needs */
		req.body.pieces_max = FUZZ_PIECES_MAX;
		ret = leat_http_parse_request(&parser, limits, prefix, &req);
		request_verify(ret, &req, prefix);
		LEAT_VERIFY(ret > 0 || ret == -ENOBUFS);
	} else if (ret != 0) {
		request_compare(ret, &req, whole);
	}
	free((void *)(uintptr_t)prefix.data);
}

static void
fuzz_requests(const struct leat_http_limits *limits, struct leat_slice in, uint32_t random)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];

	for (int i = 0; i < FUZZ_REQUESTS_MAX; i++) {
		struct leat_http_request req = { .body = { .pieces = pieces,
							 .pieces_max = random % 8 } };
		struct leat_http_parser parser = { 0 };
		ssize_t ret = leat_http_parse_request(&parser, limits, in, &req);

		if (ret != 0)
			request_verify(ret, &req, in);
		request_steps_verify(limits, in, &random, ret, &req);
		if (ret <= 0)
			break;
		in.data += ret;
		in.len -= (size_t)ret;
	}
}

/* The first two bytes choose limits and steps; the rest is a connection's input. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_http_limits limits = { 0 };
	struct leat_slice in;
	uint32_t random;

	if (len < 2)
		return 0;
	limits.message_max = (size_t)1 << (6 + data[0] % 16);
	limits.pieces_max = data[1] % 16 == 15 ? 2 : 0;
	random = (uint32_t)data[0] << 8 | data[1];
	in = (struct leat_slice){ data + 2, len - 2 };
	fuzz_requests(&limits, in, random);
	return 0;
}
