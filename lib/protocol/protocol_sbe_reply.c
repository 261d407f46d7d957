/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Replies of commands as messages of SBE. A scalar is one frame at once. An aggregate's
 * frame is begun with its header and gets each value as it comes; what stands before them
 * on the wire and is known only behind them, its length above all, is a hole until then.
 */

#include <errno.h>

#include <leat_resp.h>
#include <leat_sbe_messages.h>

#include "protocol_priv.h"

/* Kinds of PubSubPush. */
enum push_kind {
	PUSH_MESSAGE,
	PUSH_PMESSAGE,
	PUSH_SUBSCRIBE,
	PUSH_PSUBSCRIBE,
	PUSH_UNSUBSCRIBE,
	PUSH_PUNSUBSCRIBE,
};

/* An aggregate that lacks values; nothing else of it holds while nb_left is 0. */
struct aggregate {
	uint32_t nb_left;
	uint16_t template_id; /* 0: the values of an error, which are dropped */
	uint8_t push_kind;
	uint8_t nb_done; /* values of a push */
	uint64_t frame_len;
	struct leat_sbe_hole len;
	struct leat_sbe_hole field; /* a score, or the count of a push */
};

static_assert(sizeof(struct aggregate) <= LEAT_REPLY_STATE_WORDS * 8, "it fits in a reply");
static_assert(offsetof(struct aggregate, nb_left) == 0, "it is in the word that starts as 0");

/* Whether a value belongs to an aggregate. */
static bool
is_open(const struct leat_reply *reply)
{
	return reply->state[0] != 0;
}

/* Copied, since the state's words may not be read as another type. */
static struct aggregate
aggregate_load(const struct leat_reply *reply)
{
	struct aggregate agg;

	memcpy(&agg, reply->state, sizeof(agg));
	return agg;
}

/* Behind the last value the frame's length is known, and nothing is open. */
static void
aggregate_store(struct leat_reply *reply, const struct aggregate *agg)
{
	if (agg->nb_left > 0) {
		memcpy(reply->state, agg, sizeof(*agg));
		return;
	}
	reply->state[0] = 0;
	if (agg->template_id == 0)
		return;
	if (agg->frame_len > LEAT_SBE_FRAME_MAX) /* half of it would mislead, so nothing counts */
		reply->writer->failed = true;
	leat_sbe_fill_u32(&agg->len, (uint32_t)agg->frame_len - LEAT_SBE_LEN_LEN);
}

/* A single message over the limit is no reply; the connection cannot go on without one. */
static void
sent(struct leat_reply *reply, int ret)
{
	if (ret < 0)
		reply->writer->failed = true;
}

/* Begin a frame whose length is not known. */
static void
put_head(struct leat_writer *w, struct aggregate *agg, uint16_t block_len)
{
	uint8_t head[LEAT_SBE_HEAD_LEN];

	leat_sbe_store_head(head, agg->template_id, block_len, LEAT_SBE_HEAD_LEN);
	leat_sbe_put_hole(w, &agg->len, LEAT_SBE_LEN_LEN);
	leat_writer_put(w, head + LEAT_SBE_LEN_LEN, LEAT_SBE_HEADER_LEN);
	agg->frame_len = LEAT_SBE_HEAD_LEN;
}

static void
put_data(struct leat_writer *w, struct aggregate *agg, struct leat_slice data)
{
	leat_sbe_put_data(w, data);
	agg->frame_len += leat_sbe_data_len(data);
}

static void
begin_items(struct leat_reply *reply, uint16_t template_id, uint32_t nb_values, uint32_t nb_entries)
{
	struct aggregate agg = { .nb_left = nb_values, .template_id = template_id };
	const struct leat_sbe_layout *layout = leat_sbe_layout_find(template_id);
	uint8_t dimension[LEAT_SBE_DIMENSION_LEN];

	LEAT_VERIFY(!is_open(reply)); /* no command with a template has arrays in arrays */
	if (nb_entries > LEAT_SBE_ENTRIES_MAX) {
		protocol_sbe_error(reply, "reply has too many entries");
		agg.template_id = 0;
	} else {
		leat_le16_put(dimension, layout->entry_len);
		leat_le16_put(dimension + 2, (uint16_t)nb_entries);
		put_head(reply->writer, &agg, layout->block_len);
		leat_writer_put(reply->writer, dimension, sizeof(dimension));
		agg.frame_len += sizeof(dimension);
	}
	aggregate_store(reply, &agg);
}

static void
sbe_array(struct leat_reply *reply, uint32_t nb_values)
{
	bool has_pairs =
		reply->flags == LEAT_SBE_SCORED_ARRAY_REPLY || reply->flags == LEAT_SBE_MAP_REPLY;

	begin_items(reply, reply->flags != 0 ? (uint16_t)reply->flags : LEAT_SBE_ARRAY_REPLY,
		nb_values, has_pairs ? nb_values / 2 : nb_values);
}

/* Only a template that asks for MapReply gets one; to others a map is an array. */
static void
sbe_map(struct leat_reply *reply, uint32_t nb_pairs)
{
	LEAT_VERIFY(nb_pairs <= UINT32_MAX / 2);
	sbe_array(reply, 2 * nb_pairs);
}

static void
sbe_push(struct leat_reply *reply, uint32_t nb_values)
{
	struct aggregate agg = { .nb_left = nb_values, .template_id = LEAT_SBE_PUB_SUB_PUSH };

	LEAT_VERIFY(!is_open(reply));
	LEAT_VERIFY(nb_values > 0);
	aggregate_store(reply, &agg);
}

static enum push_kind
push_kind_of(struct leat_slice word)
{
	static const char *const words[] = {
		[PUSH_MESSAGE] = "message",
		[PUSH_PMESSAGE] = "pmessage",
		[PUSH_SUBSCRIBE] = "subscribe",
		[PUSH_PSUBSCRIBE] = "psubscribe",
		[PUSH_UNSUBSCRIBE] = "unsubscribe",
		[PUSH_PUNSUBSCRIBE] = "punsubscribe",
	};
	uint32_t kind = 0;

	while (kind < LEAT_DIM(words) && !leat_slice_is_equal(word, leat_slice_str(words[kind])))
		kind++;
	LEAT_VERIFY(kind < LEAT_DIM(words)); /* the commands push nothing else */
	return (enum push_kind)kind;
}

/*
 * The values of a push are its kind, names, and a payload or the count of subscriptions.
 * On the wire they are kind, count, pattern, channel, payload; what there is not is empty.
 */
static void
push_bytes(struct leat_writer *w, struct aggregate *agg, struct leat_slice value)
{
	const struct leat_slice none = { NULL, 0 };
	bool is_ack;
	bool is_of_pattern;

	if (agg->nb_done == 0) {
		agg->push_kind = (uint8_t)push_kind_of(value);
		put_head(w, agg, 5);
		leat_writer_put_u8(w, agg->push_kind);
		leat_sbe_put_hole(w, &agg->field, sizeof(uint32_t));
		agg->frame_len += 5;
		return;
	}
	is_ack = agg->push_kind >= PUSH_SUBSCRIBE;
	is_of_pattern = agg->push_kind == PUSH_PMESSAGE || agg->push_kind == PUSH_PSUBSCRIBE ||
			agg->push_kind == PUSH_PUNSUBSCRIBE;
	if (agg->nb_done == 1 && !is_of_pattern)
		put_data(w, agg, none);
	put_data(w, agg, value);
	if (is_ack && is_of_pattern)
		put_data(w, agg, none);
	if (is_ack)
		put_data(w, agg, none);
}

/* Write one value of the open aggregate. */
static void
put_value(struct leat_reply *reply, struct leat_slice value, bool is_null)
{
	struct aggregate agg = aggregate_load(reply);
	struct leat_writer *w = reply->writer;

	if (agg.template_id == LEAT_SBE_PUB_SUB_PUSH) {
		push_bytes(w, &agg, value);
		agg.nb_done++;
	} else if (agg.template_id != 0) {
		if (agg.template_id == LEAT_SBE_NULLABLE_ARRAY_REPLY) {
			leat_writer_put_u8(w, !is_null);
			agg.frame_len += 1;
		}
		if (agg.template_id == LEAT_SBE_SCORED_ARRAY_REPLY) { /* its score follows */
			leat_sbe_put_hole(w, &agg.field, sizeof(double));
			agg.frame_len += sizeof(double);
		}
		put_data(w, &agg, value);
	}
	agg.nb_left--;
	aggregate_store(reply, &agg);
}

static void
sbe_null(struct leat_reply *reply)
{
	if (is_open(reply))
		put_value(reply, (struct leat_slice){ NULL, 0 }, true);
	else
		sent(reply, leat_sbe_put_nil_reply(reply->writer));
}

static void
sbe_status(struct leat_reply *reply, struct leat_slice text)
{
	if (is_open(reply))
		put_value(reply, text, false);
	else
		sent(reply, leat_sbe_put_status_reply(reply->writer, text));
}

static void
sbe_bytes(struct leat_reply *reply, struct leat_slice value)
{
	if (is_open(reply))
		put_value(reply, value, false);
	else
		sent(reply, leat_sbe_put_bulk_reply(reply->writer, value));
}

static void
sbe_integer(struct leat_reply *reply, int64_t value)
{
	char text[LEAT_INT64_TEXT_MAX];
	struct aggregate agg;

	if (!is_open(reply)) {
		sent(reply, leat_sbe_put_int_reply(reply->writer, value));
		return;
	}
	agg = aggregate_load(reply);
	if (agg.template_id != LEAT_SBE_PUB_SUB_PUSH) {
		size_t len = leat_format_int64(value, text);

		put_value(reply, (struct leat_slice){ (const uint8_t *)text, len }, false);
		return;
	}
	leat_sbe_fill_u32(&agg.field, (uint32_t)value);
	agg.nb_left--;
	aggregate_store(reply, &agg);
}

static void
sbe_score(struct leat_reply *reply, double value)
{
	char text[LEAT_RESP_DOUBLE_TEXT_MAX];
	struct aggregate agg;

	if (!is_open(reply)) {
		sent(reply, leat_sbe_put_double_reply(reply->writer, value));
		return;
	}
	agg = aggregate_load(reply);
	if (agg.template_id != LEAT_SBE_SCORED_ARRAY_REPLY) {
		size_t len = leat_resp_format_double(value, text);

		put_value(reply, (struct leat_slice){ (const uint8_t *)text, len }, false);
		return;
	}
	leat_sbe_fill_f64(&agg.field, value);
	agg.nb_left--;
	aggregate_store(reply, &agg);
}

/* The first word of the line is the code. */
static void
sbe_error(struct leat_reply *reply, struct leat_slice text)
{
	struct leat_slice code = text;
	struct leat_slice message = { NULL, 0 };
	const uint8_t *space = text.len > 0 ? memchr(text.data, ' ', text.len) : NULL;

	if (is_open(reply)) {
		put_value(reply, text, false);
		return;
	}
	if (space != NULL) {
		code.len = (size_t)(space - text.data);
		message.data = space + 1;
		message.len = text.len - code.len - 1;
	}
	sent(reply, leat_sbe_put_error_reply(reply->writer, code, message));
}

void
protocol_sbe_error(struct leat_reply *reply, const char *text)
{
	sent(reply,
		leat_sbe_put_error_reply(reply->writer, LEAT_SLICE("ERR"), leat_slice_str(text)));
}

static void
sbe_answer(struct leat_reply *reply, const struct leat_web_answer *answer)
{
	/* No request of this codec leads to a route. */
	(void)reply;
	(void)answer;
	LEAT_VERIFY(false);
}

const struct leat_reply_ops protocol_sbe_reply_ops = {
	.null = sbe_null,
	.status = sbe_status,
	.integer = sbe_integer,
	.score = sbe_score,
	.bytes = sbe_bytes,
	.verbatim = sbe_bytes,
	.array = sbe_array,
	.map = sbe_map,
	.set = sbe_array,
	.push = sbe_push,
	.error = sbe_error,
	.answer = sbe_answer,
};
