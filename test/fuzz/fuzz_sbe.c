/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frames of SBE: lib/sbe's parts of them, their way to a command's arguments, and replies
 * of the same bytes. The first bytes of an input choose the limit, pieces, windows and the
 * kind of reply; the rest is a stream of frames.
 */

#include <errno.h>
#include <stdlib.h>

#include <leat_protocol.h>
#include <leat_sbe_messages.h>

#include "fuzz_sbe_again.h"
#include "fuzz_support.h"

#define HEAD_LEN   4u
#define ARGV_MAX   1024u
#define FRAMES_MAX 256u
#define REPLY_MAX  65536u
#define PIECES_MAX 64u

/* What was written, in windows of so many bytes. */
struct windows {
	struct leat_writer w;
	uint32_t step;
	uint32_t used;
	uint8_t bytes[REPLY_MAX];
};

static int
windows_more(struct leat_writer *w)
{
	struct windows *windows = LEAT_CONTAINER_OF(w, struct windows, w);

	if (REPLY_MAX - windows->used < windows->step)
		return -ENOBUFS;
	w->pos = windows->bytes + windows->used;
	w->end = w->pos + windows->step;
	windows->used += windows->step;
	return 0;
}

static bool
lies_in(struct leat_slice s, const void *data, size_t len)
{
	const uint8_t *first = data;

	return s.data >= first && s.data <= first + len && s.len <= (size_t)(first + len - s.data);
}

static uint32_t
hash_bytes(uint32_t hash, struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		hash = hash * 31 + s.data[i];
	return hash * 31 + (uint32_t)s.len;
}

/* Everything that a message holds; all of it must lie within the frame. */
static uint32_t
message_hash(const struct leat_sbe_message *msg, struct leat_slice frame)
{
	const struct leat_sbe_layout *layout = msg->layout;
	struct leat_slice block = { msg->block, layout->block_len };
	struct leat_sbe_group group = msg->group;
	struct leat_sbe_entry entry;
	uint32_t hash = layout->template_id;

	LEAT_VERIFY(lies_in(block, frame.data, frame.len));
	hash = hash_bytes(hash, block);
	while (leat_sbe_group_next(&group, &entry)) {
		block = (struct leat_slice){ entry.block, layout->entry_len };
		LEAT_VERIFY(lies_in(block, frame.data, frame.len));
		hash = hash_bytes(hash, block);
		for (uint32_t i = 0; i < layout->entry_nb_data; i++) {
			LEAT_VERIFY(lies_in(entry.data[i], frame.data, frame.len));
			hash = hash_bytes(hash, entry.data[i]);
		}
	}
	for (uint32_t i = 0; i < layout->nb_data; i++) {
		LEAT_VERIFY(lies_in(msg->data[i], frame.data, frame.len));
		hash = hash_bytes(hash, msg->data[i]);
	}
	return hash;
}

/* A message that is written again is the same but for what a later version put into it. */
static void
check_round_trip(const struct leat_sbe_message *msg, uint32_t hash)
{
	static const struct fuzz_sbe_over none = { 0 };
	static uint8_t bytes[REPLY_MAX];
	struct leat_sbe_message again;
	struct leat_sbe_frame frame;
	enum leat_sbe_refusal refusal;
	struct leat_slice out = { bytes, 0 };
	struct leat_writer w;

	leat_writer_init(&w, bytes, sizeof(bytes));
	LEAT_VERIFY(fuzz_sbe_again(&w, msg, &none) == 0);
	if (w.failed)
		return;
	out.len = (size_t)(w.pos - bytes);
	LEAT_VERIFY(leat_sbe_parse_frame(out, out.len, &frame, &refusal) == (ssize_t)out.len);
	LEAT_VERIFY(frame.template_id == msg->layout->template_id);
	LEAT_VERIFY(leat_sbe_decode(msg->layout, &frame, &again) == LEAT_SBE_OK);
	LEAT_VERIFY(message_hash(&again, out) == hash);
}

/* What is over a limit is refused before a byte of it is written or read. */
static void
check_limits(const struct leat_sbe_message *msg)
{
	static const struct fuzz_sbe_over none = { 0 };
	static const struct fuzz_sbe_over many = { .nb_entries = LEAT_SBE_ENTRIES_MAX + 1 };
	static const struct fuzz_sbe_over large = { .entry_len = LEAT_SBE_FRAME_MAX };
	const struct leat_sbe_layout *layout = msg->layout;
	struct leat_sbe_message over = *msg;
	struct leat_writer w = { .pos = NULL }; /* fails when it is written to */

	if (layout->has_group)
		LEAT_VERIFY(fuzz_sbe_again(&w, msg, &many) == -EMSGSIZE);
	if (layout->entry_nb_data > 0 && msg->group.nb_left > 0)
		LEAT_VERIFY(fuzz_sbe_again(&w, msg, &large) == -EMSGSIZE);
	for (uint32_t i = 0; i < layout->nb_data; i++) {
		over.data[i].len = LEAT_SBE_FRAME_MAX;
		LEAT_VERIFY(fuzz_sbe_again(&w, &over, &none) == -EMSGSIZE);
		over.data[i].len = msg->data[i].len;
	}
	LEAT_VERIFY(!w.failed);
}

/* What came of one frame. */
struct outcome {
	ssize_t ret;
	enum leat_sbe_refusal refusal;
	uint32_t hash;
};

static struct outcome
parse_step(struct leat_slice in, size_t frame_max)
{
	struct outcome outcome = { .refusal = LEAT_SBE_OK };
	const struct leat_sbe_layout *layout;
	struct leat_sbe_message msg;
	struct leat_sbe_frame frame;

	outcome.ret = leat_sbe_parse_frame(in, frame_max, &frame, &outcome.refusal);
	LEAT_VERIFY(outcome.ret <= (ssize_t)in.len);
	LEAT_VERIFY((outcome.ret < 0) == (outcome.refusal != LEAT_SBE_OK));
	if (outcome.ret <= 0)
		return outcome;
	LEAT_VERIFY((size_t)outcome.ret <= frame_max);
	LEAT_VERIFY(frame.version >= LEAT_SBE_SCHEMA_VERSION);
	layout = leat_sbe_layout_find(frame.template_id);
	if (layout == NULL)
		return outcome;
	outcome.refusal = leat_sbe_decode(layout, &frame, &msg);
	if (outcome.refusal != LEAT_SBE_OK)
		return outcome;
	outcome.hash = message_hash(&msg, (struct leat_slice){ in.data, (size_t)outcome.ret });
	check_round_trip(&msg, outcome.hash);
	check_limits(&msg);
	return outcome;
}

/* The same frame, its bytes coming in pieces, each time elsewhere in memory. */
static struct outcome
parse_in_pieces(struct leat_slice in, size_t frame_max, uint8_t seed)
{
	struct fuzz_pieces pieces = {
		.in = in, .nb_max = PIECES_MAX, .seed = seed, .random = seed
	};
	struct outcome outcome;

	do {
		uint8_t *copy = fuzz_pieces_copy(&pieces);

		outcome = parse_step((struct leat_slice){ copy, pieces.len }, frame_max);
		free(copy);
	} while (outcome.ret == 0 && fuzz_pieces_next(&pieces));
	return outcome;
}

/* Whole frames, each of a reply. */
static void
check_replies(struct windows *windows)
{
	size_t len = windows->used - (size_t)(windows->w.end - windows->w.pos);
	struct leat_slice out = { windows->bytes, len };

	while (out.len > 0) {
		struct outcome outcome = parse_step(out, LEAT_SBE_FRAME_MAX);

		LEAT_VERIFY(outcome.ret > 0);
		LEAT_VERIFY(outcome.refusal == LEAT_SBE_OK);
		out.data += outcome.ret;
		out.len -= (size_t)outcome.ret;
	}
}

/* Answer with the arguments, as an array of the kind that the input wants. */
static void
answer(const struct leat_request *req, struct leat_reply *reply, uint8_t kind)
{
	static const uint16_t templates[] = { 0, LEAT_SBE_ARRAY_REPLY, LEAT_SBE_SCORED_ARRAY_REPLY,
		LEAT_SBE_NULLABLE_ARRAY_REPLY, LEAT_SBE_MAP_REPLY };
	uint32_t nb_pairs = req->argc / 2;

	reply->flags = templates[kind % LEAT_DIM(templates)];
	leat_reply_map(reply, nb_pairs);
	for (uint32_t i = 0; i < nb_pairs; i++) {
		if ((kind & 0x80) != 0 && reply->flags != LEAT_SBE_SCORED_ARRAY_REPLY)
			leat_reply_null(reply);
		else
			leat_reply_bytes(reply, req->argv[2 * i]);
		leat_reply_score(reply, (double)req->argv[2 * i + 1].len);
	}
	leat_reply_push(reply, 3);
	leat_reply_bytes(reply, LEAT_SLICE("subscribe"));
	leat_reply_bytes(reply, req->argv[0]);
	leat_reply_integer(reply, req->argc);
	leat_reply_error(reply, req->argv[req->argc - 1]);
	leat_reply_status(reply, req->argv[0]);
	leat_reply_bytes(reply, req->argv[req->argc - 1]);
	leat_reply_integer(reply, -(int64_t)req->argc);
	leat_reply_score(reply, 1.0 / req->argc);
	leat_reply_null(reply);
}

/* What the protocol makes of the first frame. */
static void
serve(struct leat_slice in, const uint8_t *choice, size_t frame_max)
{
	static struct windows windows;
	const struct leat_protocol_limits limits = { .request_max = frame_max,
		.argc_max = ARGV_MAX };
	const struct leat_protocol *sbe = leat_protocol_find("sbe");
	struct leat_protocol_state state = { { 0 } };
	struct leat_slice argv[ARGV_MAX];
	struct leat_reply reply = { .ops = sbe->reply, .writer = &windows.w };
	struct leat_request req;
	ssize_t ret;

	windows.w = (struct leat_writer){ .more = windows_more };
	windows.step = 1 + choice[2];
	windows.used = 0;
	ret = sbe->decode(&state, &limits, in, &req, argv, ARGV_MAX);
	LEAT_VERIFY(ret != -ENOBUFS);
	sbe->rewind(&state);
	LEAT_VERIFY(sbe->interim(&state).len == 0);
	if (ret == 0)
		return;
	LEAT_VERIFY((ret < 0) == req.close);
	LEAT_VERIFY(ret > 0 || req.refusal != 0);
	LEAT_VERIFY(req.argc <= req.argv_len);
	for (uint32_t i = 1; req.refusal == 0 && i < req.argc; i++)
		for (size_t j = 0; j < req.argv[i].len; j++)
			LEAT_VERIFY(req.argv[i].data[j] <= UINT8_MAX); /* may be read */
	if (req.refusal != 0)
		sbe->refuse(&req, &reply);
	else if (req.argc > 0)
		answer(&req, &reply, choice[3]);
	LEAT_VERIFY(reply.state[0] == 0);
	if (!windows.w.failed)
		check_replies(&windows);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct leat_slice in;
	size_t frame_max;

	if (len < HEAD_LEN)
		return 0;
	frame_max = data[0] == 0 ? LEAT_SBE_FRAME_MAX : data[0];
	in = (struct leat_slice){ data + HEAD_LEN, len - HEAD_LEN };
	for (unsigned int i = 0; i < FRAMES_MAX; i++) {
		struct outcome at_once = parse_step(in, frame_max);
		struct outcome pieces = parse_in_pieces(in, frame_max, data[1]);

		LEAT_VERIFY(at_once.ret == pieces.ret);
		LEAT_VERIFY(at_once.refusal == pieces.refusal);
		LEAT_VERIFY(at_once.hash == pieces.hash);
		LEAT_VERIFY(leat_sbe_refusal_text(at_once.refusal) != NULL);
		serve(in, data, frame_max);
		if (at_once.ret <= 0)
			break;
		in.data += at_once.ret;
		in.len -= (size_t)at_once.ret;
	}
	return 0;
}
