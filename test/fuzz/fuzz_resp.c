/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The request parser of lib/resp. The first bytes of an input choose limits, room
 * and pieces; the rest is a stream of requests.
 */

#include <errno.h>
#include <stdlib.h>

#include <leat_resp_client.h>

#include "fuzz_support.h"

#define ARGV_MAX      64u
#define REQUESTS_MAX  4096u
#define HEAD_LEN      4u
#define PIECES_MAX    256u /* of one stream, nearly */
#define REQUEST_EXTRA 32u  /* bytes of a count line, or around an argument */
#define FLAGS_MIN     128u /* of the byte for the room: from here on its bits are limits */

/* What came of one request; arguments as a hash, since they may lie anywhere. */
struct outcome {
	ssize_t ret;
	uint32_t argc;
	uint32_t argv_len;
	uint32_t args_hash;
	enum leat_resp_refusal refusal;
	uint8_t got;
};

static bool
lies_in(struct leat_slice s, const void *data, size_t len)
{
	const uint8_t *first = data;

	return s.data >= first && s.data <= first + len && s.len <= (size_t)(first + len - s.data);
}

/* What a client makes of the arguments is the same request. */
static void
check_round_trip(const struct leat_slice *argv, uint32_t argc)
{
	const struct leat_resp_limits limits = { .request_max = SIZE_MAX >> 1,
		.argc_max = ARGV_MAX };
	struct leat_resp_parser parser = { 0 };
	struct leat_slice again[ARGV_MAX];
	struct leat_resp_request req;
	struct leat_writer w;
	size_t room = REQUEST_EXTRA;
	uint8_t *buf;
	size_t len;

	for (uint32_t i = 0; i < argc; i++)
		room += argv[i].len + REQUEST_EXTRA;
	buf = malloc(room);
	LEAT_VERIFY(buf != NULL);
	leat_writer_init(&w, buf, room);
	leat_resp_emit_request(&w, argv, argc);
	LEAT_VERIFY(!w.failed);
	len = (size_t)(w.pos - buf);
	LEAT_VERIFY(leat_resp_parse_request(&parser, &limits, (struct leat_slice){ buf, len },
			    again, ARGV_MAX, &req) == (ssize_t)len);
	LEAT_VERIFY(req.argc == argc);
	for (uint32_t i = 0; i < argc; i++)
		LEAT_VERIFY(leat_slice_is_equal(argv[i], again[i]));
	free(buf);
}

static struct outcome
parse_step(struct leat_resp_parser *parser, const struct leat_resp_limits *limits,
	struct leat_slice in, uint32_t argv_max)
{
	struct leat_slice argv[ARGV_MAX];
	struct leat_resp_request req;
	struct outcome outcome = { 0 };

	outcome.ret = leat_resp_parse_request(parser, limits, in, argv, argv_max, &req);
	LEAT_VERIFY(outcome.ret <= (ssize_t)in.len);
	if (outcome.ret == 0 || outcome.ret == -ENOBUFS)
		return outcome;
	LEAT_VERIFY(parser->pos == 0);
	LEAT_VERIFY(parser->nb_seen == 0);
	LEAT_VERIFY(parser->arg_idx == 0);
	LEAT_VERIFY((outcome.ret < 0) == (req.refusal != LEAT_RESP_OK));
	outcome.refusal = req.refusal;
	outcome.got = req.got;
	if (outcome.ret < 0) {
		char text[LEAT_RESP_REFUSAL_TEXT_MAX];
		size_t len = leat_resp_refusal_text(req.refusal, req.got, text);

		LEAT_VERIFY((len == 0) == (req.refusal == LEAT_RESP_BIG_QUERY));
		LEAT_VERIFY(len <= sizeof(text));
		return outcome;
	}
	LEAT_VERIFY(req.argc <= req.argv_len);
	LEAT_VERIFY(req.argv_len <= argv_max);
	LEAT_VERIFY(req.argv_len <= limits->argc_max);
	outcome.argc = req.argc;
	outcome.argv_len = req.argv_len;
	check_round_trip(argv, req.argc);
	for (uint32_t i = 0; i < req.argc; i++) {
		LEAT_VERIFY(lies_in(argv[i], in.data, (size_t)outcome.ret) ||
			    lies_in(argv[i], argv + req.argc,
				    (req.argv_len - req.argc) * sizeof(*argv)));
		for (size_t j = 0; j < argv[i].len; j++)
			outcome.args_hash = outcome.args_hash * 31 + argv[i].data[j];
		outcome.args_hash = outcome.args_hash * 31 + (uint32_t)argv[i].len;
	}
	return outcome;
}

/* The first request, its bytes coming in pieces, each time elsewhere in memory. */
static struct outcome
parse_in_pieces(const struct leat_resp_limits *limits, struct leat_slice in, uint32_t argv_max,
	uint8_t seed)
{
	struct fuzz_pieces pieces = {
		.in = in, .nb_max = PIECES_MAX, .seed = seed, .random = seed
	};
	struct leat_resp_parser parser = { 0 };
	struct outcome outcome;

	do {
		uint8_t *copy = fuzz_pieces_copy(&pieces);

		outcome = parse_step(
			&parser, limits, (struct leat_slice){ copy, pieces.len }, argv_max);
		if (outcome.ret == 0) /* and so for ever, until more comes */
			LEAT_VERIFY(parse_step(&parser, limits,
					    (struct leat_slice){ copy, pieces.len }, argv_max)
					    .ret == 0);
		free(copy);
	} while (outcome.ret == 0 && fuzz_pieces_next(&pieces));
	return outcome;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_resp_limits limits;
	struct leat_slice in;
	uint32_t argv_max;
	uint8_t seed;

	if (len < HEAD_LEN)
		return 0;
	memset(&limits, 0, sizeof(limits));
	limits.request_max = data[0] == 0 ? 1u << 20 : data[0];
	limits.argc_max = data[1] == 0 ? ARGV_MAX : data[1];
	argv_max = LEAT_MIN((uint32_t)data[2], ARGV_MAX);
	if (data[2] >= FLAGS_MIN) {
		limits.is_guest = (data[2] & 1) != 0;
		limits.bulk_max = (data[2] & 2) != 0 ? 8 : 0;
		limits.query_max = (data[2] & 4) != 0 ? 32 : 0;
	}
	seed = data[3];
	in = (struct leat_slice){ data + HEAD_LEN, len - HEAD_LEN };
	for (unsigned int i = 0; i < REQUESTS_MAX; i++) {
		struct leat_resp_parser parser = { 0 };
		struct outcome at_once = parse_step(&parser, &limits, in, argv_max);
		struct outcome pieces = parse_in_pieces(&limits, in, argv_max, seed);

		LEAT_VERIFY(at_once.ret == pieces.ret);
		LEAT_VERIFY(at_once.argc == pieces.argc);
		LEAT_VERIFY(at_once.argv_len == pieces.argv_len);
		LEAT_VERIFY(at_once.args_hash == pieces.args_hash);
		LEAT_VERIFY(at_once.refusal == pieces.refusal);
		LEAT_VERIFY(at_once.got == pieces.got);
		if (at_once.ret <= 0)
			break;
		in.data += at_once.ret;
		in.len -= (size_t)at_once.ret;
	}
	return 0;
}
