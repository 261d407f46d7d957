/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * COMMAND and HELP: what the table says of itself.
 */

#include <stdio.h>

#include "command_priv.h"
#include "command_run.h"

#define HELP_LINE_MAX 256 /* bytes of one line of a HELP */

static void
reply_text(struct leat_reply *reply, const char *text)
{
	leat_reply_bytes(reply, leat_slice_str(text));
}

/* A list of words as a list of statuses, each behind a prefix such as "@". */
static void
reply_words(struct leat_reply *reply, const struct command_strings *strings, const char *prefix)
{
	char word[LEAT_COMMAND_NAME_MAX + 1];

	leat_reply_set(reply, strings->nb_words);
	for (uint32_t i = 0; i < strings->nb_words; i++) {
		int len = snprintf(word, sizeof(word), "%s%s", prefix, strings->words[i]);

		LEAT_VERIFY(len > 0);
		LEAT_VERIFY((size_t)len < sizeof(word));
		leat_reply_status(reply, (struct leat_slice){ (const uint8_t *)word, (size_t)len });
	}
}

static void
reply_number(struct leat_reply *reply, const char *name, int64_t value)
{
	reply_text(reply, name);
	leat_reply_integer(reply, value);
}

static void
reply_key_spec(struct leat_reply *reply, const struct command_key_spec *key)
{
	leat_reply_map(reply, 3);
	reply_text(reply, "flags");
	reply_words(reply, &key->flags, "");
	reply_text(reply, "begin_search");
	leat_reply_map(reply, 2);
	reply_text(reply, "type");
	reply_text(reply, "index");
	reply_text(reply, "spec");
	leat_reply_map(reply, 1);
	reply_number(reply, "index", key->begin);
	reply_text(reply, "find_keys");
	leat_reply_map(reply, 2);
	reply_text(reply, "type");
	reply_text(reply, "range");
	reply_text(reply, "spec");
	leat_reply_map(reply, 3);
	reply_number(reply, "lastkey", key->last);
	reply_number(reply, "keystep", key->step);
	reply_number(reply, "limit", key->limit);
}

static void reply_info(struct leat_reply *reply, const struct leat_command *command);

/* Subcommands have none themselves, so that this goes one level deep. */
static void
reply_sub_infos(struct leat_reply *reply, const struct leat_command *command)
{
	leat_reply_set(reply, command->nb_subcommands);
	for (uint32_t i = 0; i < command->nb_subcommands; i++)
		reply_info(reply, &command->subcommands[i]);
}

/* The ten parts that Redis 7 tells of a command. */
static void
reply_info(struct leat_reply *reply, const struct leat_command *command)
{
	const struct leat_command_doc *doc = command->doc;

	leat_reply_array(reply, 10);
	reply_text(reply, command->name);
	leat_reply_integer(reply, command->arity);
	reply_words(reply, &doc->flags, "");
	leat_reply_integer(reply, command->first_key);
	leat_reply_integer(reply, command->last_key);
	leat_reply_integer(reply, command->key_step);
	reply_words(reply, &doc->acl, "@");
	leat_reply_set(reply, doc->tips.nb_words);
	for (uint32_t i = 0; i < doc->tips.nb_words; i++)
		reply_text(reply, doc->tips.words[i]);
	leat_reply_set(reply, doc->nb_keys);
	for (uint32_t i = 0; i < doc->nb_keys; i++)
		reply_key_spec(reply, &doc->keys[i]);
	reply_sub_infos(reply, command);
}

static void
reply_all_infos(struct leat_reply *reply)
{
	leat_reply_array(reply, command_table_len);
	for (uint32_t i = 0; i < command_table_len; i++)
		reply_info(reply, &command_table[i]);
}

/* Find "get" or "client|id". */
static const struct leat_command *
find_full_name(struct leat_slice name)
{
	const uint8_t *bar = name.len > 0 ? memchr(name.data, '|', name.len) : NULL;
	const struct leat_command *command;
	size_t len;

	if (bar == NULL)
		return leat_command_find(name);
	len = (size_t)(bar - name.data);
	command = leat_command_find((struct leat_slice){ name.data, len });
	if (command == NULL)
		return NULL;
	return command_find_sub(command, (struct leat_slice){ bar + 1, name.len - len - 1 });
}

void
cmd_command(struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* the table is const */
	(void)req; /* had it arguments, it would be a subcommand */
	reply_all_infos(reply);
}

void
cmd_command_count(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* the table is const */
	(void)req; /* has no arguments */
	leat_reply_integer(reply, command_table_len);
}

void
cmd_command_info(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	if (req->argc == 2) {
		reply_all_infos(reply);
		return;
	}
	if (command_has_too_many(req)) {
		command_error_arity(ctx, reply, "command|info");
		return;
	}
	leat_reply_array(reply, req->argc - 2);
	for (uint32_t i = 2; i < req->argc; i++) {
		const struct leat_command *command = find_full_name(req->argv[i]);

		if (command != NULL)
			reply_info(reply, command);
		else
			leat_reply_null(reply);
	}
}

static void
reply_arg_flags(struct leat_reply *reply, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} words[] = { { COMMAND_ARG_OPTIONAL, "optional" }, { COMMAND_ARG_MULTIPLE, "multiple" },
		{ COMMAND_ARG_MULTIPLE_TOKEN, "multiple_token" } };
	uint32_t nb_flags = 0;

	for (unsigned int i = 0; i < LEAT_DIM(words); i++)
		nb_flags += (flags & words[i].flag) != 0;
	reply_text(reply, "flags");
	leat_reply_set(reply, nb_flags);
	for (unsigned int i = 0; i < LEAT_DIM(words); i++) {
		if ((flags & words[i].flag) != 0)
			leat_reply_status(reply, leat_slice_str(words[i].word));
	}
}

/* Arguments nest a few levels: as deep as the const table does. */
static void
reply_args(struct leat_reply *reply, const struct command_arg *args, uint32_t nb_args)
{
	leat_reply_array(reply, nb_args);
	for (uint32_t i = 0; i < nb_args; i++) {
		const struct command_arg *arg = &args[i];

		leat_reply_map(reply, 2u + (arg->key_spec >= 0) + (arg->token != NULL) +
					      (arg->since != NULL) + (arg->flags != 0) +
					      (arg->nb_args > 0));
		reply_text(reply, "name");
		reply_text(reply, arg->name);
		reply_text(reply, "type");
		reply_text(reply, arg->type);
		if (arg->key_spec >= 0)
			reply_number(reply, "key_spec_index", arg->key_spec);
		if (arg->token != NULL) {
			reply_text(reply, "token");
			reply_text(reply, arg->token);
		}
		if (arg->since != NULL) {
			reply_text(reply, "since");
			reply_text(reply, arg->since);
		}
		if (arg->flags != 0)
			reply_arg_flags(reply, arg->flags);
		if (arg->nb_args > 0) {
			reply_text(reply, "arguments");
			reply_args(reply, arg->args, arg->nb_args);
		}
	}
}

/* Name and documentation, then those of the subcommands within. */
static void
reply_doc(struct leat_reply *reply, const struct leat_command *command)
{
	const struct leat_command_doc *doc = command->doc;

	reply_text(reply, command->name);
	leat_reply_map(reply, 4u + (doc->nb_args > 0) + (command->nb_subcommands > 0));
	reply_text(reply, "summary");
	reply_text(reply, doc->summary);
	reply_text(reply, "since");
	reply_text(reply, doc->since);
	reply_text(reply, "group");
	reply_text(reply, doc->group);
	reply_text(reply, "complexity");
	reply_text(reply, doc->complexity);
	if (doc->nb_args > 0) {
		reply_text(reply, "arguments");
		reply_args(reply, doc->args, doc->nb_args);
	}
	if (command->nb_subcommands > 0) {
		reply_text(reply, "subcommands");
		leat_reply_map(reply, command->nb_subcommands);
		for (uint32_t i = 0; i < command->nb_subcommands; i++)
			reply_doc(reply, &command->subcommands[i]);
	}
}

void
cmd_command_docs(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	uint32_t nb_found = 0;

	if (req->argc == 2) {
		leat_reply_map(reply, command_table_len);
		for (uint32_t i = 0; i < command_table_len; i++)
			reply_doc(reply, &command_table[i]);
		return;
	}
	if (command_has_too_many(req)) {
		command_error_arity(ctx, reply, "command|docs");
		return;
	}
	for (uint32_t i = 2; i < req->argc; i++)
		nb_found += find_full_name(req->argv[i]) != NULL;
	leat_reply_map(reply, nb_found);
	for (uint32_t i = 2; i < req->argc; i++) {
		const struct leat_command *command = find_full_name(req->argv[i]);

		if (command != NULL)
			reply_doc(reply, command);
	}
}

/* FILTERBY of COMMAND LIST: one of three kinds, which Redis knows too. */
static bool
list_is_asked(const struct leat_command *command, const struct leat_request *req)
{
	const struct command_strings *acl = &command->doc->acl;

	if (req->argc == 2)
		return true;
	if (command_arg_is(req->argv[3], "pattern"))
		return command_glob_match(req->argv[4], leat_slice_str(command->name));
	for (uint32_t i = 0; command_arg_is(req->argv[3], "aclcat") && i < acl->nb_words; i++) {
		if (command_arg_is(req->argv[4], acl->words[i]))
			return true;
	}
	return false;
}

/* Count the names that are asked for, and reply them if @p reply is not NULL. */
static uint32_t
list_names(const struct leat_request *req, struct leat_reply *reply)
{
	uint32_t nb_names = 0;

	for (uint32_t i = 0; i < command_table_len; i++) {
		const struct leat_command *command = &command_table[i];

		for (uint32_t j = 0; j <= command->nb_subcommands; j++) {
			const struct leat_command *one =
				j == 0 ? command : &command->subcommands[j - 1];

			if (!list_is_asked(one, req))
				continue;
			if (reply != NULL)
				reply_text(reply, one->name);
			nb_names++;
		}
	}
	return nb_names;
}

void
cmd_command_list(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	bool has_filter = req->argc == 5 && command_arg_is(req->argv[2], "filterby") &&
			  (command_arg_is(req->argv[3], "pattern") ||
				  command_arg_is(req->argv[3], "aclcat") ||
				  command_arg_is(req->argv[3], "module"));

	if (req->argc != 2 && !has_filter) {
		command_error_syntax(ctx, reply);
		return;
	}
	leat_reply_array(reply, list_names(req, NULL));
	(void)list_names(req, reply); /* as many as announced */
}

void
cmd_command_getkeys(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	const struct leat_command *command = leat_command_find(req->argv[2]);
	uint32_t argc = req->argc - 2;
	uint32_t last;
	uint32_t nb_keys;

	if (command == NULL) {
		command_error(ctx, reply, "ERR Invalid command specified");
		return;
	}
	if (command->first_key == 0) {
		command_error(ctx, reply, "ERR The command has no key arguments");
		return;
	}
	if (command->arity >= 0 ? argc != (uint32_t)command->arity
				: argc < (uint32_t)-command->arity) {
		command_error(ctx, reply, "ERR Invalid number of arguments specified for command");
		return;
	}
	last = command->last_key >= 0 ? (uint32_t)command->last_key
				      : argc - (uint32_t)-command->last_key;
	nb_keys = (last - (uint32_t)command->first_key) / (uint32_t)command->key_step + 1;
	leat_reply_array(reply, nb_keys);
	for (uint32_t i = 0; i < nb_keys; i++)
		leat_reply_bytes(
			reply, req->argv[2 + command->first_key + i * (uint32_t)command->key_step]);
}

/* The last part of "client|id", in capitals: "ID". */
static void
reply_help_name(struct leat_reply *reply, const char *name, size_t prefix_len)
{
	char line[LEAT_COMMAND_NAME_MAX + 1];
	size_t len = 0;

	for (const char *c = name + prefix_len; *c != '\0'; c++)
		line[len++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	leat_reply_status(reply, (struct leat_slice){ (const uint8_t *)line, len });
}

/* HELP of any command with subcommands: for each one its name, then a line about it. */
static void
reply_help(struct leat_reply *reply, const struct leat_command *command)
{
	size_t prefix_len = strlen(command->name) + 1;
	char line[HELP_LINE_MAX];

	leat_reply_array(reply, 1 + 2 * command->nb_subcommands);
	leat_reply_status(reply, LEAT_SLICE("Subcommands are:"));
	for (uint32_t i = 0; i < command->nb_subcommands; i++) {
		const struct leat_command *sub = &command->subcommands[i];
		int len = snprintf(line, sizeof(line), "    %s", sub->doc->summary);

		LEAT_VERIFY(len > 0);
		LEAT_VERIFY((size_t)len < sizeof(line));
		reply_help_name(reply, sub->name, prefix_len);
		leat_reply_status(reply, (struct leat_slice){ (const uint8_t *)line, (size_t)len });
	}
}

void
cmd_client_help(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* the table is const */
	reply_help(reply, req->command);
}

void
cmd_command_help(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* the table is const */
	reply_help(reply, req->command);
}

void
cmd_config_help(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply)
{
	(void)ctx; /* the table is const */
	reply_help(reply, req->command);
}
