/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_COMMAND_H
#define LEAT_COMMAND_H

/**
 * @file
 * Waist 2, asking half: one request, the table of commands, and their execution.
 *
 * Every codec produces a leat_request and every command consumes one: each codec
 * and each command is written once. The table is generated from commands/<name>.json.
 */

#include <leat_bytes.h>
#include <leat_pubsub.h>
#include <leat_reply.h>
#include <leat_store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_command_ctx;
struct leat_command_doc; /**< what COMMAND tells of a command; private */
struct leat_protocol;
struct leat_request;

#define LEAT_COMMAND_NAME_MAX 32 /**< bytes of a command's or subcommand's name */
#define LEAT_CLIENT_NAME_MAX  64 /**< bytes of a client's name and of its library's */

/** Names or patterns in one CONFIG GET, COMMAND INFO or COMMAND DOCS: they multiply replies. */
#define LEAT_COMMAND_QUERIES_MAX 64
#define LEAT_COMMAND_PATTERN_MAX 256 /**< bytes of a pattern; a longer one matches nothing */

/** Bytes of one end of a connection as text, the zero included. */
#define LEAT_CLIENT_END_MAX 128

/** The release of Redis whose replies, errors and COMMAND output are matched. */
#define LEAT_COMMAND_REDIS_VERSION "7.0.15"

/** One entry of the command table; const. */
struct leat_command {
	const char *name;  /**< lower case, as in commands/<name>.json: "get", "client|id" */
	int16_t arity;     /**< as in Redis: the name counts; negative: at least so many */
	int16_t first_key; /**< argv index of the first key, 0: takes no key */
	int16_t last_key;  /**< argv index of the last key; negative counts from the end */
	int16_t key_step;
	uint32_t flags; /**< LEAT_COMMAND_... */
	/** Called by leat_command_execute(), which has checked name, arity and mode. */
	void (*run)(struct leat_command_ctx *ctx, const struct leat_request *req,
		struct leat_reply *reply);
	const struct leat_command *subcommands; /**< chosen by argv[1]; NULL: none */
	uint32_t nb_subcommands;
	const struct leat_command_doc *doc; /**< NULL: not in the table, see below */
};

#define LEAT_COMMAND_WRITE   0x01u /**< may change the key space */
#define LEAT_COMMAND_READ    0x02u /**< reads the key space */
#define LEAT_COMMAND_FAST    0x04u /**< constant or logarithmic time */
#define LEAT_COMMAND_PUBSUB  0x08u /**< belongs to publish and subscribe */
#define LEAT_COMMAND_IN_SUBS 0x10u /**< allowed to a RESP2 client that has subscriptions */
#define LEAT_COMMAND_ADMIN   0x20u /**< about the server or the connection */
#define LEAT_COMMAND_NO_AUTH 0x40u /**< allowed before the password was given */

/** One request. Everything points into received bytes or const tables. */
struct leat_request {
	const struct leat_command *command; /**< NULL: no such command, see argv[0] */
	uint32_t argc;                      /**< at least 1 unless refusal is set */
	uint32_t argv_len; /**< slices of the decoder's array in use, at least argc */
	struct leat_slice *argv;
	int32_t refusal;        /**< not 0: the codec answers by itself; its own meaning */
	uint32_t reply_flags;   /**< the codec's own, handed to the reply */
	bool close;             /**< close the connection after the reply */
	bool has_marked_pushes; /**< they are no replies to this client: a subscriber may ask on */
	const struct leat_protocol *speaks; /**< of the connection from now on; NULL: as before */
	struct leat_store_hint hint; /**< of the first key; filled by the worker's bulk lookup */
};

/** Bytes of the memory that the protocol of a few connections needs for each of them. */
#define LEAT_ANNEX_LEN 17408

/** That memory. The protocol's own struct begins with this. */
struct leat_annex {
	struct leat_annex *next; /**< free, too; NULL: none */
};

/** What the commands know of one connection. The session contains it. */
struct leat_client {
	uint64_t id; /**< unique in the process, never reused */
	uint64_t opened_us;
	struct leat_annex *annex; /**< NULL: has none */
	bool is_annexless;        /**< asked for one when there was none, and gets none any more */
	bool close;               /**< a command asked for the connection to end after its reply */
	bool is_authenticated;    /**< has given the password */
	uint8_t resp;             /**< RESP version the client speaks, 2 or 3 */
	uint16_t name_len;
	uint16_t lib_name_len;
	uint16_t lib_ver_len;
	uint8_t name[LEAT_CLIENT_NAME_MAX];     /**< by CLIENT SETNAME or HELLO */
	uint8_t lib_name[LEAT_CLIENT_NAME_MAX]; /**< by CLIENT SETINFO */
	uint8_t lib_ver[LEAT_CLIENT_NAME_MAX];
	struct leat_pubsub_subscriber subscriber;
};

/** Facts that INFO and CONFIG GET tell; the control thread writes them before start. */
struct leat_command_server {
	const char *version;
	const char *run_id; /**< 40 hexadecimal digits */
	uint16_t tcp_port;  /**< of the first RESP listener, 0 without one */
	uint16_t nb_workers;
	uint32_t nb_conns_max;
	size_t request_max; /**< bytes of one request */
	uint64_t start_us;  /**< monotonic */
	uint32_t pid;
	const char *config_path; /**< "" without a file */
	const char *requirepass; /**< the password of the user "default"; NULL or "": none */
	size_t bulk_max;         /**< bytes of one argument; 0: request_max */
	size_t query_max;        /**< bytes of one whole request of RESP; 0: request_max */
};

/** Counters of one worker that INFO tells; written by the session layer and the commands. */
struct leat_command_stats {
	uint64_t nb_commands;
	uint64_t nb_conns_accepted;
	uint64_t nb_conns; /**< now open */
	uint64_t nb_key_hits;
	uint64_t nb_key_misses;
	uint64_t nb_errors;
	uint64_t nb_annexes_full; /**< connections that found no annex */
};

/** What a command works on: one worker's. */
struct leat_command_ctx {
	struct leat_store *store;
	struct leat_pubsub *pubsub;
	const struct leat_command_server *server;
	struct leat_command_stats *stats;
	struct leat_client *client; /**< who asks */
	struct leat_annex *annexes; /**< the free ones */
	uint64_t now_us;            /**< monotonic, of this turn */
	uint64_t wall_ms;           /**< Unix time in milliseconds, of this turn */

	/**
	 * Begin a message to another (or the same) client, outside its replies: a
	 * reply to write one push value into, or NULL when that client cannot take
	 * it; push_end() sends it. Supplied by the session layer.
	 */
	struct leat_reply *(*push_begin)(struct leat_command_ctx *ctx, struct leat_client *to);
	void (*push_end)(struct leat_command_ctx *ctx, struct leat_client *to);

	/**
	 * Both ends of a client's connection as text: "10.77.0.1:6379", "[fd77::1]:6379".
	 * Supplied by the session layer.
	 */
	void (*client_ends)(struct leat_command_ctx *ctx, const struct leat_client *client,
		char local[LEAT_CLIENT_END_MAX], char peer[LEAT_CLIENT_END_MAX]);
};

/**
 * Find a command of the table.
 *
 * @param name
 *   Any bytes, any case; without a subcommand's.
 * @return
 *   The command, or NULL.
 */
const struct leat_command *leat_command_find(struct leat_slice name);

/**
 * Answer as GET does, for who has a key and no request of a command.
 *
 * @param hint
 *   Of the key.
 * @param reply
 *   Receives the value, null, or the error of a key that is no string.
 */
void leat_command_get(struct leat_command_ctx *ctx, struct leat_slice key,
	struct leat_store_hint hint, struct leat_reply *reply);

/**
 * The whole table, sorted by name.
 *
 * @param nb
 *   Receives the number of entries.
 * @return
 *   The first entry.
 */
const struct leat_command *leat_command_table(uint32_t *nb);

/**
 * Execute one request that is not refused: checks name, subcommand, arity, password and
 * subscription mode, then runs it. Exactly one reply is written, in Redis' words; but
 * SUBSCRIBE and UNSUBSCRIBE write one for each channel, and what looks like HTTP, a
 * command POST or Host:, has none and is asked to close: a browser was tricked into it.
 *
 * @param ctx
 *   Every pointer set. ctx->client may be asked to close, and its state changes.
 * @param req
 *   argc at least 1, refusal 0. Only read; what it points to must not change until the
 *   reply is written.
 * @param reply
 *   Of the codec that decoded @p req. A full writer fails silently: see its failed.
 */
void leat_command_execute(
	struct leat_command_ctx *ctx, const struct leat_request *req, struct leat_reply *reply);

/** Whether a client still has to give the password before it may ask for more than that. */
static inline bool
leat_client_is_guest(const struct leat_client *client, const struct leat_command_server *server)
{
	return !client->is_authenticated && server->requirepass != NULL &&
	       server->requirepass[0] != '\0';
}

/**
 * Whether @p given is the server's password, which it must have, in a time that does not
 * tell how much of it is right.
 */
bool leat_command_is_password(const struct leat_command_server *server, struct leat_slice given);

/**
 * A connection starts.
 *
 * @param id
 *   Its own, never used before in this process.
 * @param now_us
 *   Of the clock of leat_command_ctx.
 */
void leat_client_init(struct leat_client *client, uint64_t id, uint64_t now_us);

/** A connection has ended: forget its subscriptions. */
void leat_client_fini(struct leat_client *client, struct leat_pubsub *pubsub);

/**
 * Set up the annexes.
 *
 * @param mem
 *   Room for @p nb of LEAT_ANNEX_LEN bytes each, aligned to 8; the caller's, until the context is
 *   dead. NULL if there are none.
 */
void leat_annexes_init(struct leat_command_ctx *ctx, void *mem, uint32_t nb);

/**
 * The annex of who asks.
 *
 * @param is_new
 *   Set to whether it was taken now, with any bytes in it behind struct leat_annex.
 * @return
 *   The annex, or NULL: all were in use when the client asked first. He is never given one then,
 *   so that none begins in the middle of a connection.
 */
struct leat_annex *leat_annex_take(struct leat_command_ctx *ctx, bool *is_new);

/** A connection has ended: give its annex back. */
void leat_annex_give(struct leat_command_ctx *ctx, struct leat_client *client);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_COMMAND_H */
