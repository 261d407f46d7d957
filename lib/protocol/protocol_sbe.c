/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Requests in SBE to commands. A template's data are the arguments in the order that the
 * command wants, but for options and numbers, which become words and text as RESP's clients
 * would write them: the commands know nothing of SBE.
 *
 * GOBLINS! asks for nothing, wherever a frame could begin. As a length it is over every
 * limit, so that no frame begins with it.
 */

#include <errno.h>
#include <stdio.h>

#include <leat_sbe_messages.h>

#include "protocol_priv.h"

/* A number's text lies in the memory of so many slices. */
#define SBE_NUMBER_SLICES   2u
#define SBE_NUMBER_TEXT_MAX (SBE_NUMBER_SLICES * sizeof(struct leat_slice))

/* Sign, "0x1.", 13 digits, "p", sign and 4 digits of the exponent. */
#define SBE_DOUBLE_TEXT_MAX 24u

#define SBE_FRACTION_BITS   52u
#define SBE_EXPONENT_MAX    0x7ffu
#define SBE_EXPONENT_BIAS   1023

static_assert(SBE_DOUBLE_TEXT_MAX <= SBE_NUMBER_TEXT_MAX, "a double fits");
static_assert(LEAT_INT64_TEXT_MAX <= SBE_NUMBER_TEXT_MAX, "an integer fits");

/* Flags of Set, and modes of its expiry. */
#define SET_NX          0x01u
#define SET_XX          0x02u
#define SET_GET         0x04u
#define SET_KEEPTTL     0x08u
#define SET_FLAGS       0x0fu
#define SET_EXPIRE_NONE 0u

/* Flags of ZAdd; the first four are those of Expire too. */
#define ZADD_NX      0x01u
#define ZADD_XX      0x02u
#define ZADD_GT      0x04u
#define ZADD_LT      0x08u
#define ZADD_INCR    0x20u
#define ZADD_FLAGS   0x3fu
#define EXPIRE_FLAGS 0x0fu

/* Refusals beside those of lib/sbe. But for the last one the connection goes on. */
enum sbe_refusal {
	SBE_UNKNOWN_TEMPLATE = LEAT_SBE_REFUSALS,
	SBE_SYNTAX,
	SBE_TOO_MANY,
	SBE_GUEST_FRAME, /* over LEAT_PROTOCOL_GUEST_MAX */
};

/* In leat_request.refusal the template is above the reason. */
#define SBE_TEMPLATE_SHIFT 8

/* Where the arguments of a request go. */
struct sbe_args {
	struct leat_slice *argv;
	uint32_t argc;
	uint8_t *text; /* memory of argv behind all arguments, for the numbers' text */
};

/* How a template becomes a command. */
struct sbe_binding {
	const char *command;
	/* Add the arguments behind the command's name; false: a syntax error. */
	bool (*add)(struct sbe_args *args, const struct leat_sbe_message *msg);
	uint8_t nb_words;         /* options, at most */
	uint8_t nb_numbers;       /* at most */
	uint8_t nb_entry_numbers; /* in each entry of its group */
};

static void
add_slice(struct sbe_args *args, struct leat_slice arg)
{
	args->argv[args->argc++] = arg;
}

/* Add the words whose bits are set, from the lowest bit on. */
static void
add_words(struct sbe_args *args, uint32_t flags, const char *const *words)
{
	for (uint32_t i = 0; flags >> i != 0; i++) {
		if ((flags >> i & 1) != 0)
			add_slice(args, leat_slice_str(words[i]));
	}
}

static void
add_text(struct sbe_args *args, size_t len)
{
	add_slice(args, (struct leat_slice){ args->text, len });
	args->text += SBE_NUMBER_TEXT_MAX;
}

static void
add_int64(struct sbe_args *args, int64_t value)
{
	add_text(args, leat_format_int64(value, (char *)args->text));
}

/* In hexadecimal, as "%a" has it: exact, and neither here nor in strtod() costly. */
static size_t
format_double(double value, char *text)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t bits = leat_double_bits(value);
	char *p = text;
	uint32_t exponent;

	exponent = (uint32_t)(bits >> SBE_FRACTION_BITS) & SBE_EXPONENT_MAX;
	if (bits >> 63 != 0)
		*p++ = '-';
	bits &= (UINT64_C(1) << SBE_FRACTION_BITS) - 1;
	if (exponent == SBE_EXPONENT_MAX) { /* the command refuses what is no number */
		memcpy(p, bits != 0 ? "nan" : "inf", 3);
		return (size_t)(p + 3 - text);
	}
	*p++ = '0';
	*p++ = 'x';
	*p++ = exponent != 0 ? '1' : '0';
	*p++ = '.';
	for (int shift = SBE_FRACTION_BITS - 4; shift >= 0; shift -= 4)
		*p++ = digits[bits >> shift & 0xf];
	*p++ = 'p';
	/* What is smaller than the smallest of full precision has its exponent. */
	p += leat_format_int64((int64_t)(exponent != 0 ? exponent : 1) - SBE_EXPONENT_BIAS, p);
	return (size_t)(p - text);
}

static void
add_double(struct sbe_args *args, double value)
{
	char text[SBE_DOUBLE_TEXT_MAX + LEAT_INT64_TEXT_MAX];
	size_t len = format_double(value, text);

	LEAT_VERIFY(len <= SBE_DOUBLE_TEXT_MAX);
	memcpy(args->text, text, len);
	add_text(args, len);
}

/* The data, then that of each entry. */
static bool
add_data(struct sbe_args *args, const struct leat_sbe_message *msg)
{
	struct leat_sbe_group group = msg->group;
	struct leat_sbe_entry entry;

	for (uint32_t i = 0; i < msg->layout->nb_data; i++)
		add_slice(args, msg->data[i]);
	while (leat_sbe_group_next(&group, &entry)) {
		for (uint32_t i = 0; i < msg->layout->entry_nb_data; i++)
			add_slice(args, entry.data[i]);
	}
	return true;
}

/* IncrBy and DecrBy, which are alike. */
static bool
add_incr_by(struct sbe_args *args, const struct leat_sbe_message *msg)
{
	add_slice(args, leat_sbe_incr_by_key(msg));
	add_int64(args, leat_sbe_incr_by_delta(msg));
	return true;
}

/* The four of the Expire family, which are alike. */
static bool
add_expire(struct sbe_args *args, const struct leat_sbe_message *msg)
{
	static const char *const words[] = { "nx", "xx", "gt", "lt" };
	uint8_t flags = leat_sbe_expire_flags(msg);

	if ((flags & ~EXPIRE_FLAGS) != 0)
		return false;
	add_slice(args, leat_sbe_expire_key(msg));
	add_int64(args, leat_sbe_expire_amount(msg));
	add_words(args, flags, words);
	return true;
}

static bool
add_set(struct sbe_args *args, const struct leat_sbe_message *msg)
{
	static const char *const words[] = { "nx", "xx", "get", "keepttl" };
	static const char *const modes[] = { NULL, "ex", "px", "exat", "pxat" };
	uint8_t flags = leat_sbe_set_flags(msg);
	uint8_t mode = leat_sbe_set_expire_mode(msg);

	if ((flags & ~SET_FLAGS) != 0 || mode >= LEAT_DIM(modes))
		return false;
	(void)add_data(args, msg);
	add_words(args, flags, words);
	if (mode != SET_EXPIRE_NONE) {
		add_slice(args, leat_slice_str(modes[mode]));
		add_int64(args, leat_sbe_set_expire_value(msg));
	}
	return true;
}

/* What is a syntax error by itself; the command has other words for some of it. */
static bool
zadd_is_valid(uint8_t flags, uint32_t nb_members)
{
	bool has_nx = (flags & ZADD_NX) != 0;

	if ((flags & ~ZADD_FLAGS) != 0 || nb_members == 0)
		return false;
	if (has_nx && (flags & (ZADD_XX | ZADD_GT | ZADD_LT)) != 0)
		return false;
	if ((flags & ZADD_GT) != 0 && (flags & ZADD_LT) != 0)
		return false;
	return (flags & ZADD_INCR) == 0 || nb_members == 1;
}

static bool
add_zadd(struct sbe_args *args, const struct leat_sbe_message *msg)
{
	static const char *const words[] = { "nx", "xx", "gt", "lt", "ch", "incr" };
	uint8_t flags = leat_sbe_zadd_flags(msg);
	struct leat_sbe_group members = msg->group;
	struct leat_sbe_entry member;

	if (!zadd_is_valid(flags, members.nb_left))
		return false;
	add_slice(args, leat_sbe_zadd_key(msg));
	add_words(args, flags, words);
	while (leat_sbe_group_next(&members, &member)) {
		add_double(args, leat_sbe_zadd_members_score(&member));
		add_slice(args, leat_sbe_zadd_members_member(&member));
	}
	return true;
}

/* By template id; each request of the schema has its own. */
static const struct sbe_binding bindings[LEAT_SBE_TEMPLATE_ID_MAX + 1] = {
	[LEAT_SBE_PING] = { "ping", add_data, 0, 0, 0 },
	[LEAT_SBE_ZADD] = { "zadd", add_zadd, 6, 0, 1 },
	[LEAT_SBE_ZCARD] = { "zcard", add_data, 0, 0, 0 },
	[LEAT_SBE_ZSCORE] = { "zscore", add_data, 0, 0, 0 },
	[LEAT_SBE_GET] = { "get", add_data, 0, 0, 0 },
	[LEAT_SBE_SET] = { "set", add_set, 5, 1, 0 },
	[LEAT_SBE_INCR] = { "incr", add_data, 0, 0, 0 },
	[LEAT_SBE_DECR] = { "decr", add_data, 0, 0, 0 },
	[LEAT_SBE_INCR_BY] = { "incrby", add_incr_by, 0, 1, 0 },
	[LEAT_SBE_DECR_BY] = { "decrby", add_incr_by, 0, 1, 0 },
	[LEAT_SBE_DEL] = { "del", add_data, 0, 0, 0 },
	[LEAT_SBE_EXISTS] = { "exists", add_data, 0, 0, 0 },
	[LEAT_SBE_TYPE] = { "type", add_data, 0, 0, 0 },
	[LEAT_SBE_EXPIRE] = { "expire", add_expire, 4, 1, 0 },
	[LEAT_SBE_PEXPIRE] = { "pexpire", add_expire, 4, 1, 0 },
	[LEAT_SBE_EXPIRE_AT] = { "expireat", add_expire, 4, 1, 0 },
	[LEAT_SBE_PEXPIRE_AT] = { "pexpireat", add_expire, 4, 1, 0 },
	[LEAT_SBE_TTL] = { "ttl", add_data, 0, 0, 0 },
	[LEAT_SBE_PTTL] = { "pttl", add_data, 0, 0, 0 },
	[LEAT_SBE_PERSIST] = { "persist", add_data, 0, 0, 0 },
	[LEAT_SBE_HSET] = { "hset", add_data, 0, 0, 0 },
	[LEAT_SBE_HGET] = { "hget", add_data, 0, 0, 0 },
	[LEAT_SBE_HDEL] = { "hdel", add_data, 0, 0, 0 },
	[LEAT_SBE_HGET_ALL] = { "hgetall", add_data, 0, 0, 0 },
	[LEAT_SBE_HLEN] = { "hlen", add_data, 0, 0, 0 },
	[LEAT_SBE_ECHO] = { "echo", add_data, 0, 0, 0 },
	[LEAT_SBE_INFO] = { "info", add_data, 0, 0, 0 },
	[LEAT_SBE_SUBSCRIBE] = { "subscribe", add_data, 0, 0, 0 },
	[LEAT_SBE_UNSUBSCRIBE] = { "unsubscribe", add_data, 0, 0, 0 },
	[LEAT_SBE_PUBLISH] = { "publish", add_data, 0, 0, 0 },
};

/*
 * Fill in a request for a message that is whole. Returns 0, -ENOBUFS, or above 0 a refusal
 * of this message alone.
 */
static int
request_fill(struct leat_request *req, const struct leat_protocol_limits *limits,
	const struct leat_sbe_message *msg, struct leat_slice *argv, uint32_t argv_max)
{
	const struct sbe_binding *binding = &bindings[msg->layout->template_id];
	const struct leat_sbe_layout *layout = msg->layout;
	uint32_t nb_entries = msg->group.nb_left;
	uint32_t nb_numbers = binding->nb_numbers + nb_entries * binding->nb_entry_numbers;
	uint32_t argc_max = 1 + layout->nb_data + nb_entries * layout->entry_nb_data +
			    binding->nb_words + nb_numbers;
	uint32_t argv_len = argc_max + SBE_NUMBER_SLICES * nb_numbers;
	struct sbe_args args = { .argv = argv };

	if (limits->argc_max != 0 && argv_len > limits->argc_max)
		return SBE_TOO_MANY;
	if (argv_len > argv_max)
		return -ENOBUFS;
	args.text = (uint8_t *)(argv + argc_max);
	add_slice(&args, leat_slice_str(binding->command));
	if (!binding->add(&args, msg))
		return SBE_SYNTAX;
	LEAT_VERIFY(args.argc <= argc_max);
	req->command = leat_command_find(argv[0]);
	req->argc = args.argc;
	req->argv_len = argv_len;
	req->argv = argv;
	req->has_marked_pushes = true;
	return 0;
}

/* Decode the body of a frame. Returns 0, -ENOBUFS or a refusal. */
static int
frame_decode(const struct leat_sbe_frame *frame, struct leat_request *req,
	const struct leat_protocol_limits *limits, struct leat_slice *argv, uint32_t argv_max)
{
	const struct leat_sbe_layout *layout = leat_sbe_layout_find(frame->template_id);
	struct leat_sbe_message msg;
	enum leat_sbe_refusal refusal;

	if (layout == NULL || layout->is_reply)
		return SBE_UNKNOWN_TEMPLATE;
	refusal = leat_sbe_decode(layout, frame, &msg);
	if (refusal != LEAT_SBE_OK)
		return (int)refusal;
	return request_fill(req, limits, &msg, argv, argv_max);
}

/* Why a frame is none: to a guest its length is what he may not have yet. */
static int
frame_refusal(const struct leat_protocol_limits *limits, enum leat_sbe_refusal refusal)
{
	return refusal == LEAT_SBE_BIG_FRAME && limits->is_guest ? SBE_GUEST_FRAME : (int)refusal;
}

static ssize_t
sbe_decode(struct leat_protocol_state *state, const struct leat_protocol_limits *limits,
	struct leat_slice in, struct leat_request *req, struct leat_slice *argv, uint32_t argv_max)
{
	size_t magic_len = LEAT_MIN(in.len, (size_t)LEAT_SBE_MAGIC_LEN);
	enum leat_sbe_refusal refusal = LEAT_SBE_OK;
	struct leat_sbe_frame frame = { 0 };
	ssize_t len;
	int ret;

	(void)state; /* a frame's head is enough to know how much to wait for */
	if (magic_len >= LEAT_SBE_LEN_LEN && memcmp(in.data, LEAT_SBE_MAGIC, magic_len) == 0) {
		memset(req, 0, sizeof(*req));
		return magic_len == LEAT_SBE_MAGIC_LEN ? (ssize_t)magic_len : 0;
	}
	len = leat_sbe_parse_frame(in, protocol_frame_max(limits), &frame, &refusal);
	if (len == 0)
		return 0;
	memset(req, 0, sizeof(*req));
	ret = len < 0 ? frame_refusal(limits, refusal)
		      : frame_decode(&frame, req, limits, argv, argv_max);
	if (ret < 0)
		return ret;
	req->refusal = ret != 0 ? (int32_t)frame.template_id << SBE_TEMPLATE_SHIFT | ret : 0;
	if (len > 0 && (ret == 0 || ret >= LEAT_SBE_REFUSALS))
		return len;
	req->close = true;
	return len < 0 ? len : -EBADMSG;
}

static void
sbe_rewind(struct leat_protocol_state *state)
{
	(void)state; /* remembers nothing */
}

static struct leat_slice
sbe_interim(struct leat_protocol_state *state)
{
	(void)state; /* a client of SBE never waits in the middle of a request */
	return (struct leat_slice){ NULL, 0 };
}

static void
sbe_refuse(const struct leat_request *req, struct leat_reply *reply)
{
	uint32_t reason = (uint32_t)req->refusal & ((1u << SBE_TEMPLATE_SHIFT) - 1);
	char text[LEAT_REPLY_ERROR_MAX];

	switch (reason) {
	case SBE_UNKNOWN_TEMPLATE:
		(void)snprintf(text, sizeof(text), "unknown template id %u",
			(uint32_t)req->refusal >> SBE_TEMPLATE_SHIFT);
		protocol_sbe_error(reply, text);
		break;
	case SBE_SYNTAX:
		protocol_sbe_error(reply, "syntax error");
		break;
	case SBE_TOO_MANY:
		protocol_sbe_error(reply, "too many entries in a request");
		break;
	case SBE_GUEST_FRAME:
		protocol_sbe_error(reply, "Protocol error: unauthenticated frame length");
		break;
	default: /* of lib/sbe, all of which have a text */
		(void)snprintf(text, sizeof(text), "Protocol error: %s",
			leat_sbe_refusal_text((enum leat_sbe_refusal)reason));
		protocol_sbe_error(reply, text);
	}
}

const struct leat_protocol protocol_sbe = {
	.name = "sbe",
	.decode = sbe_decode,
	.rewind = sbe_rewind,
	.interim = sbe_interim,
	.waits_for = protocol_waits_for_more,
	.refuse = sbe_refuse,
	.reply = &protocol_sbe_reply_ops,
};
