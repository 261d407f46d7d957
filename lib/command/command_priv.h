/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef COMMAND_PRIV_H
#define COMMAND_PRIV_H

/*
 * Private to lib/command: the generated table's types, and what the commands share.
 */

#include "leat_command.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slots of the perfect hash over the names of the table. */
#define COMMAND_HASH_BITS 8
#define COMMAND_NO_SLOT   255

struct command_strings {
	const char *const *words;
	uint32_t nb_words;
};

#define COMMAND_ARG_OPTIONAL       0x1u
#define COMMAND_ARG_MULTIPLE       0x2u
#define COMMAND_ARG_MULTIPLE_TOKEN 0x4u

/* One argument in the syntax of a command; absent texts are NULL. */
struct command_arg {
	const char *name;
	const char *type;
	const char *token;
	const char *since;
	uint32_t flags;
	int32_t key_spec; /* index of its key specification, -1: not a key */
	const struct command_arg *args;
	uint32_t nb_args;
};

/* Where keys stand among the arguments. */
struct command_key_spec {
	struct command_strings flags;
	int32_t begin;
	int32_t last; /* from begin on; negative: from the end */
	int32_t step;
	int32_t limit;
};

struct leat_command_doc {
	const char *summary;
	const char *since;
	const char *group;
	const char *complexity;
	struct command_strings flags;
	struct command_strings acl;
	struct command_strings tips;
	const struct command_key_spec *keys;
	uint32_t nb_keys;
	const struct command_arg *args;
	uint32_t nb_args;
};

/* Generated, sorted by name. */
extern const struct leat_command command_table[];
extern const uint32_t command_table_len;
extern const uint64_t command_hash_multiplier;
extern const uint8_t command_slots[1 << COMMAND_HASH_BITS];

/* Returns the subcommand of that name, any case, or NULL. */
const struct leat_command *command_find_sub(
	const struct leat_command *command, struct leat_slice name);

/* Whether an argument is that word, any case. */
static inline bool
command_arg_is(struct leat_slice arg, const char *word)
{
	return leat_slice_is_equal_nocase(arg, leat_slice_str(word));
}

/* An argument up to its first zero byte, as C strings are cut in Redis' error lines. */
struct leat_slice command_arg_text(struct leat_slice arg, size_t len_max);

/* What stands at fmt "%.*s". */
#define COMMAND_TEXT_ARGS(s) (int)(s).len, (const char *)(s).data

/* Whether a request asks for more at once than LEAT_COMMAND_QUERIES_MAX; argv[2] is the first. */
static inline bool
command_has_too_many(const struct leat_request *req)
{
	return req->argc > 2 + LEAT_COMMAND_QUERIES_MAX;
}

/* Errors, counted. */
void command_error(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *text);
void command_errorf(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *fmt, ...)
	LEAT_PRINTF(3, 4);
void command_error_syntax(struct leat_command_ctx *ctx, struct leat_reply *reply);
void command_error_integer(struct leat_command_ctx *ctx, struct leat_reply *reply);
void command_error_arity(struct leat_command_ctx *ctx, struct leat_reply *reply, const char *name);

/* The words for what a function of the store returned. */
void command_error_store(struct leat_command_ctx *ctx, struct leat_reply *reply, int64_t ret);

static inline void
command_ok(struct leat_reply *reply)
{
	leat_reply_status(reply, LEAT_SLICE("OK"));
}

/* Returns the entry of the request's first key, or NULL. */
struct leat_store_entry *command_find_key(
	struct leat_command_ctx *ctx, const struct leat_request *req);

/* As command_read_key(), of an entry that was found, or NULL. */
int command_read_entry(struct leat_command_ctx *ctx, const struct leat_store_entry *entry,
	enum leat_store_type type, struct leat_reply *reply);

/*
 * Find the first key for a command that reads a value of that type, and count a hit or
 * a miss. Returns 0 and the entry (NULL: no such key), or -EPROTOTYPE after having
 * answered WRONGTYPE.
 */
int command_read_key(struct leat_command_ctx *ctx, const struct leat_request *req,
	enum leat_store_type type, struct leat_reply *reply, struct leat_store_entry **entry);

/*
 * A time that a client gave, in seconds or milliseconds from @p base_ms on, as Unix time.
 * Returns false when it is out of range.
 */
bool command_unix_ms(int64_t value, bool is_seconds, int64_t base_ms, int64_t *unix_ms);

/* A moment of Unix time as the store's clock tells it; saturates both ways. */
uint64_t command_expires_us(const struct leat_command_ctx *ctx, int64_t unix_ms);

/* The Unix time in milliseconds at which an entry that expires does so. */
int64_t command_expires_ms(
	const struct leat_command_ctx *ctx, const struct leat_store_entry *entry);

/* Match a pattern of * ? [a-z] [^x] and backslash, in any case. */
bool command_glob_match(struct leat_slice pattern, struct leat_slice text);

#ifdef __cplusplus
}
#endif

#endif /* COMMAND_PRIV_H */
