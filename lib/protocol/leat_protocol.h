/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_PROTOCOL_H
#define LEAT_PROTOCOL_H

/**
 * @file
 * Codec to command and back: one file per protocol, one const struct each.
 */

#include <sys/types.h>

#include <leat_command.h>
#include <leat_route.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_PROTOCOL_STATE_LEN 64 /**< bytes of one connection's decoder state */

/**
 * Bytes of one frame, as its protocol counts them, of a guest: who has not given the password
 * that is asked for. It is as much as RESP grants one argument, LEAT_RESP_GUEST_BULK_MAX.
 */
#define LEAT_PROTOCOL_GUEST_MAX 16384u

/** One connection's decoder state; all zero when the connection opens. */
struct leat_protocol_state {
	uint64_t words[LEAT_PROTOCOL_STATE_LEN / 8];
};

/** What decode() may use, and the limits it holds. Configuration, const. */
struct leat_protocol_limits {
	size_t request_max; /**< bytes of one request, head and body */
	uint32_t argc_max; /**< slices of argv that one request may use, 0: the codec's own limit */
	size_t bulk_max;   /**< bytes of one argument of RESP; 0: request_max */
	size_t query_max; /**< bytes of one request of RESP, closed without words; 0: request_max */
	bool is_guest;    /**< the client has not given the password, and is held shorter */
	const struct leat_route_table *routes; /**< of HTTP; NULL: leat_route_builtin */
	/** Whose password a guest's request may bring; NULL only where nobody is a guest. */
	const struct leat_command_server *server;
};

/** What a connection waits for, as far as its decoder knows. */
enum leat_protocol_wait {
	LEAT_PROTOCOL_WAITS_MORE,   /**< any bytes, for as long as an idle client may take */
	LEAT_PROTOCOL_WAITS_HEAD,   /**< the rest of a request's head */
	LEAT_PROTOCOL_WAITS_BODY,   /**< the rest of its body */
	LEAT_PROTOCOL_WAITS_CHOICE, /**< the request that tells which protocol is spoken */
};

/** What a protocol supplies; every pointer is set. */
struct leat_protocol {
	const char *name; /**< "resp", "http": the protocol of a listener */
	/** A request may give the password for those that follow, which are then read otherwise. */
	bool has_login;

	/**
	 * Decode one request at the start of @p in.
	 *
	 * While it returns 0 the caller comes again with the same bytes, perhaps
	 * elsewhere in memory, and more behind them: @p state remembers how far it
	 * looked, in offsets. After > 0 the state is ready for the next request.
	 *
	 * @param argv
	 *   Room for the arguments, @p argv_max slices; req->argv will point here.
	 * @return
	 *   - > 0: bytes consumed; @p req is filled, or all zero (argc 0, no refusal):
	 *     bytes to skip that ask for nothing. req->speaks may say which protocol the
	 *     connection has chosen: that one answers, and decodes what follows.
	 *   - 0: incomplete.
	 *   - -ENOBUFS: more arguments than argv_max (the caller may have more room
	 *     in the next turn); nothing was consumed.
	 *   - -EBADMSG, -EMSGSIZE: the stream cannot be read on. @p req is a refusal
	 *     with close set: answer, then close.
	 */
	ssize_t (*decode)(struct leat_protocol_state *state,
		const struct leat_protocol_limits *limits, struct leat_slice in,
		struct leat_request *req, struct leat_slice *argv, uint32_t argv_max);

	/**
	 * The caller could not go on (its turn was full) and will come again from
	 * the start of the same request: forget how far we looked.
	 */
	void (*rewind)(struct leat_protocol_state *state);

	/**
	 * After decode() returned 0: bytes that the peer waits for before it sends the
	 * rest of its request, such as HTTP's 100 (Continue). They are given once and
	 * come from const memory; an empty slice means nothing.
	 *
	 * The caller asks when every earlier request of the connection is answered, so
	 * that they leave behind those replies.
	 */
	struct leat_slice (*interim)(struct leat_protocol_state *state);

	/**
	 * What is waited for, after decode() returned 0; a connection that has no bytes of a
	 * request waits for more, whatever this says but CHOICE.
	 *
	 * @param refusal
	 *   Filled where it is HEAD or BODY: what refuse() is called with if that does not come
	 *   in time.
	 */
	enum leat_protocol_wait (*waits_for)(
		const struct leat_protocol_state *state, struct leat_request *refusal);

	/** Write the codec's own answer to a refused request. */
	void (*refuse)(const struct leat_request *req, struct leat_reply *reply);

	/** How replies look; leat_reply.flags = leat_request.reply_flags. */
	const struct leat_reply_ops *reply;
};

/**
 * The protocol "zap" for listeners whose clients write header fields as JSON, and want them so. A
 * frame does not say how its fields are written, so that its listener has to know.
 */
extern const struct leat_protocol leat_protocol_zap_json;

/** @return the protocol of that name, or NULL. */
const struct leat_protocol *leat_protocol_find(const char *name);

/** All protocols, NULL at the end: for messages that list what there is. */
const struct leat_protocol *const *leat_protocol_all(void);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_PROTOCOL_H */
