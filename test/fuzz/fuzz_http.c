/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>

#include <leat_common.h>
#include <leat_http.h>

#define FUZZ_REQUESTS_MAX 64 /* of one input */

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

/* Whatever the bytes: a result keeps its promises. */
static void
result_verify(ssize_t ret, const struct leat_http_request *req, struct leat_slice in)
{
	if (ret < 0) {
		LEAT_VERIFY(req->status >= 400);
		LEAT_VERIFY(leat_http_reason(req->status).len > 0);
		return;
	}
	LEAT_VERIFY((size_t)ret <= in.len);
	LEAT_VERIFY(req->status == 0);
	LEAT_VERIFY(req->path.len > 0);
	LEAT_VERIFY(req->body.len <= (size_t)ret);
	slice_verify(req->target, in, (size_t)ret);
	slice_verify(req->path, in, (size_t)ret);
	slice_verify(req->query, in, (size_t)ret);
	slice_verify(req->body, in, (size_t)ret);
}

static void
result_compare(const struct leat_http_request *a, const struct leat_http_request *b)
{
	LEAT_VERIFY(a->status == b->status);
	LEAT_VERIFY(a->method == b->method);
	LEAT_VERIFY(a->minor == b->minor);
	LEAT_VERIFY(a->is_keep_alive == b->is_keep_alive);
	LEAT_VERIFY(leat_slice_is_equal(a->target, b->target));
	LEAT_VERIFY(leat_slice_is_equal(a->path, b->path));
	LEAT_VERIFY(leat_slice_is_equal(a->query, b->query));
	LEAT_VERIFY(leat_slice_is_equal(a->body, b->body));
}

/*
 * The same request in pieces, each call with the bytes elsewhere and no byte behind
 * them: the same result.
 */
static void
pieces_verify(const struct leat_http_limits *limits, struct leat_slice in, uint32_t *random,
	ssize_t whole_ret, const struct leat_http_request *whole)
{
	struct leat_http_parser parser = { 0 };
	struct leat_http_request req;
	uint8_t *copy = NULL;
	ssize_t ret = 0;
	size_t len = 0;

	while (ret == 0 && len < in.len) {
		*random = *random * 1664525u + 1013904223u;
		len += 1 + (*random >> 16) % ((*random >> 8 & 7) == 0 ? 4096 : 40);
		len = LEAT_MIN(len, in.len);
		free(copy);
		copy = malloc(len);
		LEAT_VERIFY(copy != NULL);
		memcpy(copy, in.data, len);
		ret = leat_http_parse_request(
			&parser, limits, (struct leat_slice){ copy, len }, &req);
		if (leat_http_take_continue(&parser))
			LEAT_VERIFY(ret == 0);
	}
	LEAT_VERIFY(ret == whole_ret);
	if (ret != 0)
		result_compare(&req, whole);
	free(copy);
}

/* The first two bytes choose the limit and the pieces; the rest is a connection's input. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_http_limits limits;
	struct leat_slice in;
	uint32_t random;

	if (len < 2)
		return 0;
	limits.request_max = (size_t)1 << (6 + data[0] % 16);
	random = (uint32_t)data[0] << 8 | data[1];
	in = (struct leat_slice){ data + 2, len - 2 };
	for (int i = 0; i < FUZZ_REQUESTS_MAX; i++) {
		struct leat_http_parser parser = { 0 };
		struct leat_http_request req;
		ssize_t ret = leat_http_parse_request(&parser, &limits, in, &req);

		if (ret != 0)
			result_verify(ret, &req, in);
		pieces_verify(&limits, in, &random, ret, &req);
		if (ret <= 0)
			break;
		in.data += ret;
		in.len -= (size_t)ret;
	}
	return 0;
}
