/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>

#include <leat_common.h>
#include <leat_http_client.h>

#define FUZZ_MESSAGES_MAX 64 /* of one input */
#define FUZZ_PIECES_MAX   64
#define FUZZ_FROM_SERVER  0x80u /* a bit of the first byte */
#define FUZZ_OUT_MAX      65536 /* bytes of a message that is written */

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
body_pieces_compare(const struct leat_http_body *a, const struct leat_http_body *b)
{
	LEAT_VERIFY(a->len == b->len);
	LEAT_VERIFY(a->nb_pieces == b->nb_pieces);
	for (uint32_t i = 0; i < a->nb_pieces; i++)
		LEAT_VERIFY(leat_slice_is_equal(a->pieces[i], b->pieces[i]));
}

static void
body_compare(const struct leat_http_body *a, const struct leat_http_body *b)
{
	LEAT_VERIFY(a->is_chunked == b->is_chunked);
	body_pieces_compare(a, b);
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
		if (ret == 0) /* and so for ever, until more comes */
			LEAT_VERIFY(leat_http_parse_request(&parser, limits, prefix, &req) == 0);
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

/* The head first, and then all of it: the same request. */
static void
request_head_verify(const struct leat_http_limits *limits, struct leat_slice in, ssize_t whole_ret,
	const struct leat_http_request *whole)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];
	struct leat_http_request req = { .body = { .pieces = pieces,
						 .pieces_max = whole->body.pieces_max } };
	struct leat_http_parser parser = { 0 };
	ssize_t head_len = leat_http_parse_head(&parser, limits, in, &req);

	if (head_len <= 0) {
		LEAT_VERIFY(head_len == whole_ret);
		if (head_len < 0)
			request_compare(head_len, &req, whole);
		return;
	}
	LEAT_VERIFY((size_t)head_len <= in.len);
	LEAT_VERIFY(req.status == 0);
	slice_verify(req.path, in, (size_t)head_len);
	fields_verify(req.fields, in, (size_t)head_len);
	LEAT_VERIFY(leat_http_parse_request(&parser, limits, in, &req) == whole_ret);
	if (whole_ret != 0 && whole_ret != -ENOBUFS)
		request_compare(whole_ret, &req, whole);
}

/* The fields of a head but for those that the writer sets by itself. */
static size_t
fields_collect(struct leat_http_fields fields, struct leat_http_field *all)
{
	static const struct leat_slice own[] = {
		{ (const uint8_t *)"Host", 4 },
		{ (const uint8_t *)"Content-Length", 14 },
		{ (const uint8_t *)"Transfer-Encoding", 17 },
		{ (const uint8_t *)"Connection", 10 },
		{ (const uint8_t *)"Expect", 6 },
	};
	struct leat_http_field field;
	size_t nb = 0;

	while (leat_http_fields_next(&fields, &field)) {
		bool is_own = false;

		for (size_t i = 0; i < LEAT_DIM(own); i++)
			is_own = is_own || leat_slice_is_equal_nocase(field.name, own[i]);
		if (!is_own)
			all[nb++] = field;
	}
	return nb;
}

static void
body_emit(struct leat_writer *w, const struct leat_http_body *body)
{
	for (uint32_t i = 0; i < body->nb_pieces; i++) {
		if (body->is_chunked)
			leat_http_emit_chunk_begin(w, body->pieces[i].len);
		leat_writer_put_slice(w, body->pieces[i]);
		if (body->is_chunked)
			leat_http_emit_chunk_end(w);
	}
	if (body->is_chunked)
		leat_http_emit_last_chunk(w, NULL, 0);
}

/* The head alone: whether 100 (Continue) is due is what it asks for, if there is a body. */
static void
continue_verify(const struct leat_http_limits *limits, struct leat_slice head, bool is_due)
{
	struct leat_http_request req = { .body = { .pieces_max = 0 } };
	struct leat_http_parser parser = { 0 };
	ssize_t ret = leat_http_parse_request(&parser, limits, head, &req);

	LEAT_VERIFY(ret >= 0 || ret == -EMSGSIZE);
	if (ret >= 0)
		LEAT_VERIFY(leat_http_take_continue(&parser) == is_due);
}

/* What was read, written by the client's side and read again: the same request. */
static void
request_again_verify(const struct leat_http_request *req)
{
	static uint8_t buf[FUZZ_OUT_MAX];
	struct leat_http_field fields[LEAT_HTTP_FIELDS_MAX];
	struct leat_slice pieces[FUZZ_PIECES_MAX];
	struct leat_http_limits limits = { .message_max = FUZZ_OUT_MAX };
	struct leat_http_client_request out = {
		.method = req->method_name,
		.target = req->target,
		.host = req->host,
		.has_content = req->body.len > 0 || req->body.is_chunked,
		.is_chunked = req->body.is_chunked,
		.content_len = req->body.is_chunked ? 0 : req->body.len,
		.fields = fields,
		.nb_fields = fields_collect(req->fields, fields),
	};
	struct leat_http_request again = { .body = { .pieces = pieces,
						   .pieces_max = FUZZ_PIECES_MAX } };
	struct leat_http_parser parser = { 0 };
	struct leat_slice value;
	struct leat_writer w;
	ssize_t ret;

	if (out.nb_fields > LEAT_HTTP_FIELDS_MAX - 3)
		return; /* Host, a length and Expect may make it one too many */
	out.expects_continue = leat_http_fields_find(req->fields, LEAT_SLICE("expect"), &value);
	leat_writer_init(&w, buf, sizeof(buf));
	leat_http_emit_request(&w, &out);
	if (!w.failed)
		continue_verify(&limits, (struct leat_slice){ buf, (size_t)(w.pos - buf) },
			out.expects_continue && out.has_content);
	body_emit(&w, &req->body);
	if (w.failed)
		return;
	ret = leat_http_parse_request(
		&parser, &limits, (struct leat_slice){ buf, (size_t)(w.pos - buf) }, &again);
	if (ret == -EMSGSIZE)
		return; /* blanks make the head longer */
	LEAT_VERIFY(ret == w.pos - buf);
	LEAT_VERIFY(again.method == req->method);
	LEAT_VERIFY(again.form == req->form);
	LEAT_VERIFY(leat_slice_is_equal(again.target, req->target));
	LEAT_VERIFY(leat_slice_is_equal(again.host, req->host));
	body_pieces_compare(&again.body, &req->body);
}

static void
fuzz_requests(const struct leat_http_limits *limits, struct leat_slice in, uint32_t random)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];

	for (int i = 0; i < FUZZ_MESSAGES_MAX; i++) {
		struct leat_http_request req = { .body = { .pieces = pieces,
							 .pieces_max = random % 8 } };
		struct leat_http_parser parser = { 0 };
		ssize_t ret = leat_http_parse_request(&parser, limits, in, &req);

		if (ret != 0)
			request_verify(ret, &req, in);
		request_head_verify(limits, in, ret, &req);
		request_steps_verify(limits, in, &random, ret, &req);
		if (ret <= 0)
			break;
		request_again_verify(&req);
		in.data += ret;
		in.len -= (size_t)ret;
	}
}

static void
response_verify(ssize_t ret, const struct leat_http_client_response *res, struct leat_slice in)
{
	if (ret < 0)
		return;
	LEAT_VERIFY((size_t)ret <= in.len);
	LEAT_VERIFY(res->status >= 100);
	LEAT_VERIFY(res->status <= 999);
	slice_verify(res->reason, in, (size_t)ret);
	fields_verify(res->fields, in, (size_t)ret);
	body_verify(&res->body, in, (size_t)ret);
	LEAT_VERIFY(res->body.nb_pieces == 0 || leat_http_status_has_content(res->status));
}

/* What was read, written by the server's side and read again: the same response. */
static void
response_again_verify(const struct leat_http_client_response *res, uint32_t random)
{
	static uint8_t buf[FUZZ_OUT_MAX];
	struct leat_http_field fields[LEAT_HTTP_FIELDS_MAX];
	struct leat_slice pieces[FUZZ_PIECES_MAX];
	struct leat_http_limits limits = { .message_max = FUZZ_OUT_MAX };
	struct leat_http_date date = { 0 };
	struct leat_http_response out = {
		.status = res->status,
		.connection = (enum leat_http_connection)(random % 3),
		.wall_ms = (uint64_t)random << (random % 24),
		.is_chunked = res->body.is_chunked,
		.content_len = res->body.is_chunked ? 0 : res->body.len,
		.allow = leat_http_method_name((enum leat_http_method)(random % LEAT_HTTP_METHODS)),
		.fields = fields,
		.nb_fields = fields_collect(res->fields, fields),
	};
	struct leat_http_client_response again = { .body = { .pieces = pieces,
							   .pieces_max = FUZZ_PIECES_MAX } };
	struct leat_http_parser parser;
	struct leat_writer w;
	ssize_t ret;

	(void)leat_http_fields_find(res->fields, LEAT_SLICE("content-type"), &out.content_type);
	if (random % 2 == 0)
		out.date = leat_http_date_text(&date, out.wall_ms);
	if (out.nb_fields > LEAT_HTTP_FIELDS_MAX - 5)
		return; /* what the writer adds may make it one too many */
	leat_writer_init(&w, buf, sizeof(buf));
	leat_writer_put_slice(&w, leat_http_continue());
	leat_http_emit_head(&w, &out);
	body_emit(&w, &res->body);
	if (w.failed)
		return;
	leat_http_begin_response(&parser, LEAT_HTTP_GET);
	ret = leat_http_parse_response(
		&parser, &limits, (struct leat_slice){ buf, (size_t)(w.pos - buf) }, &again);
	LEAT_VERIFY(ret == (ssize_t)leat_http_continue().len);
	ret = leat_http_parse_response(&parser, &limits,
		(struct leat_slice){ buf + ret, (size_t)(w.pos - buf - ret) }, &again);
	if (ret == -EMSGSIZE)
		return; /* blanks make the head longer */
	LEAT_VERIFY(ret == w.pos - buf - (ssize_t)leat_http_continue().len);
	LEAT_VERIFY(again.status == res->status);
	body_pieces_compare(&again.body, &res->body);
}

static void
response_compare(
	const struct leat_http_client_response *a, const struct leat_http_client_response *b)
{
	LEAT_VERIFY(a->status == b->status);
	LEAT_VERIFY(a->minor == b->minor);
	LEAT_VERIFY(a->is_keep_alive == b->is_keep_alive);
	LEAT_VERIFY(leat_slice_is_equal(a->reason, b->reason));
	fields_compare(a->fields, b->fields);
	body_compare(&a->body, &b->body);
}

/* As request_steps_verify(); what is left may end with the connection. */
static void
response_steps_verify(const struct leat_http_limits *limits, struct leat_slice in, uint32_t *random,
	enum leat_http_method method, ssize_t whole_ret,
	const struct leat_http_client_response *whole)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];
	struct leat_http_client_response res = { .body = { .pieces = pieces,
							 .pieces_max = whole->body.pieces_max } };
	struct leat_http_parser parser;
	struct leat_slice prefix = { NULL, 0 };
	ssize_t ret = 0;

	leat_http_begin_response(&parser, method);
	while (ret == 0 && prefix.len < in.len) {
		prefix = prefix_grow(in, prefix, random);
		ret = leat_http_parse_response(&parser, limits, prefix, &res);
		if (ret == 0)
			LEAT_VERIFY(leat_http_parse_response(&parser, limits, prefix, &res) == 0);
	}
	LEAT_VERIFY(ret == whole_ret);
	if (ret > 0)
		response_compare(&res, whole);
	if (ret == 0) {
		ret = leat_http_end_response(&parser, prefix, &res);
		LEAT_VERIFY(ret < 0 || (size_t)ret == prefix.len);
		response_verify(ret, &res, prefix);
	}
	free((void *)(uintptr_t)prefix.data);
}

static void
fuzz_responses(const struct leat_http_limits *limits, struct leat_slice in, uint32_t random)
{
	struct leat_slice pieces[FUZZ_PIECES_MAX];

	for (int i = 0; i < FUZZ_MESSAGES_MAX; i++) {
		enum leat_http_method method = (enum leat_http_method)(random % LEAT_HTTP_METHODS);
		struct leat_http_client_response res = { .body = { .pieces = pieces,
								 .pieces_max = random >> 4 & 7 } };
		struct leat_http_parser parser;
		ssize_t ret;

		leat_http_begin_response(&parser, method);
		ret = leat_http_parse_response(&parser, limits, in, &res);
		if (ret != 0)
			response_verify(ret, &res, in);
		response_steps_verify(limits, in, &random, method, ret, &res);
		if (ret <= 0)
			break;
		response_again_verify(&res, random);
		in.data += ret;
		in.len -= (size_t)ret;
	}
}

/* The first two bytes choose side, limits and steps; the rest is a connection's input. */
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
	if ((data[0] & FUZZ_FROM_SERVER) != 0)
		fuzz_responses(&limits, in, random);
	else
		fuzz_requests(&limits, in, random);
	return 0;
}
