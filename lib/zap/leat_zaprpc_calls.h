/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_ZAPRPC_CALLS_H
#define LEAT_ZAPRPC_CALLS_H

/**
 * @file
 * Calls that build on the answers of others: the promises of one connection.
 *
 * A call may name, as its target, the promise of another call of the same connection; the
 * answer's body is then its parameter. It may come before that other one, and waits for it. No
 * message of the wire says that an answer is needed no longer, so what is kept has limits, and a
 * target that was let go breaks the promise: the call is answered 400, it never waits for what
 * cannot come.
 *
 * The last LEAT_ZAPRPC_ANSWERS_MAX answers are kept. Whether a target that is not among them was
 * let go or has yet to come is told by its number, since callers count their promises up: once an
 * answer to it or to a later one was let go, it will not come, unless it is a call that waits
 * itself. So a target that was never sent holds up who waits for it until the numbers are past
 * it. A caller who gives two calls that wait one promise leaves open which of them it names.
 */

#include <stdbool.h>
#include <stdint.h>

#include <leat_bytes.h>
#include <leat_zaprpc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LEAT_ZAPRPC_ANSWERS_MAX    64u  /**< answers of one connection that are kept */
#define LEAT_ZAPRPC_ANSWER_LEN_MAX 248u /**< bytes of a body that is kept; a longer one is not */
#define LEAT_ZAPRPC_WAITING_MAX    32u  /**< calls of one connection that wait */

/** What becomes of a call. */
enum leat_zaprpc_fate {
	LEAT_ZAPRPC_RUN,    /**< dispatch it */
	LEAT_ZAPRPC_BROKEN, /**< answer it with LEAT_ZAPRPC_BAD_REQUEST */
	LEAT_ZAPRPC_WAIT,   /**< nothing now: leat_zaprpc_calls_next() gives it back */
};

/** An answer that is kept. */
struct leat_zaprpc_kept {
	uint32_t promise;
	uint16_t status; /**< 0: the body was too long */
	uint16_t len;
	uint8_t body[LEAT_ZAPRPC_ANSWER_LEN_MAX];
};

/** A call that waits. Its payload would be replaced, so it is not kept. */
struct leat_zaprpc_waiting {
	uint32_t method;
	uint32_t promise;
	uint32_t target;
	bool is_due; /**< the target has been answered, or never will be */
};

/** The promises of one connection. All of its members are private. */
struct leat_zaprpc_calls {
	uint32_t nb_kept;
	uint32_t
		next_kept; /**< where the next answer goes: the oldest one, once there are enough */
	uint32_t nb_waiting;
	uint32_t nb_due;
	uint32_t dropped; /**< the latest promise whose answer was let go */
	bool has_dropped;
	struct leat_zaprpc_waiting waiting[LEAT_ZAPRPC_WAITING_MAX]; /**< in their order */
	struct leat_zaprpc_kept kept[LEAT_ZAPRPC_ANSWERS_MAX];
};

/** A connection begins. */
void leat_zaprpc_calls_init(struct leat_zaprpc_calls *calls);

/**
 * A call has come.
 *
 * It is broken when its target was answered otherwise than LEAT_ZAPRPC_OK, was let go, or waits for
 * this call itself, by way of others or not; and when LEAT_ZAPRPC_WAITING_MAX wait already.
 *
 * @param req
 *   Where it has a target and is to run, its payload becomes the target's body, which stays put
 *   until the next answer is kept.
 */
enum leat_zaprpc_fate leat_zaprpc_calls_admit(
	struct leat_zaprpc_calls *calls, struct leat_zaprpc_request *req);

/**
 * A call was answered: keep the answer, and wake who waits for it.
 *
 * Each one that was admitted and does not wait, and each that leat_zaprpc_calls_next() gave, is
 * answered exactly once, also where its fate was to be broken.
 *
 * @param res
 *   A promise of 0 is not kept. Of two answers to one promise the later one counts. The body may
 *   be one that is kept.
 */
void leat_zaprpc_calls_answer(
	struct leat_zaprpc_calls *calls, const struct leat_zaprpc_response *res);

/**
 * Take the next call that waited and need not any longer. The caller goes on until there is
 * none, before it admits another.
 *
 * @param req
 *   Filled as by leat_zaprpc_calls_admit(); the capability is empty.
 * @param fate
 *   LEAT_ZAPRPC_RUN or LEAT_ZAPRPC_BROKEN.
 * @return
 *   Whether there was one.
 */
bool leat_zaprpc_calls_next(struct leat_zaprpc_calls *calls, struct leat_zaprpc_request *req,
	enum leat_zaprpc_fate *fate);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_ZAPRPC_CALLS_H */
