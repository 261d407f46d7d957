/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_RPC_H
#define LEAT_RPC_H

/**
 * @file
 * The call that is offered in every encoding: the balance of an account at a block.
 *
 * One function computes it, whichever way a request came: as the body of POST /rpc in ZAP or in
 * JSON, or as method 1 of the RPC envelope of ZAP. The record's ZAP layout is
 * lib/zap/schema/balance.zap; as JSON it is
 *
 *     {"method":"eth_getBalance","account":"0xdeadbeef...","block":68943,"id":1}
 *     {"id":1,"balance":1000000000000069003,"nonce":42,"blockHash":"0x01234567..."}
 *
 * with the members of a request in any order, others among them, and bytes as hexadecimal digits
 * of either case behind "0x". Method and account may be any text and any bytes, also none: they go
 * into the balance, and there is no other method that could be meant.
 */

#include <leat_bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_zap_balance_request; /* both of the generated leat_zap_balance.h */
struct leat_zap_balance_response;

#define LEAT_RPC_METHOD_BALANCE                                                                    \
	1u /**< ordinal of the call in its interface, as the envelope has it */
#define LEAT_RPC_BODY_MAX   4096u /**< bytes of a request in either encoding */
#define LEAT_RPC_ANSWER_MAX 150u  /**< bytes of an answer: JSON with the largest numbers */

/**
 * Compute the answer.
 *
 * @param req
 *   Any values.
 * @param res
 *   Filled; its hash is const for ever.
 */
void leat_rpc_balance(
	const struct leat_zap_balance_request *req, struct leat_zap_balance_response *res);

/**
 * Answer a request in ZAP.
 *
 * @param body
 *   The message, and perhaps bytes behind it. A field that is not in it is zero or empty.
 * @param out
 *   The answer is written here: at most LEAT_RPC_ANSWER_MAX bytes.
 * @return
 *   - 0: answered.
 *   - -EBADMSG: not a ZAP message.
 *   - -EMSGSIZE: over LEAT_RPC_BODY_MAX.
 */
int leat_rpc_call_zap(struct leat_slice body, struct leat_writer *out);

/**
 * Answer a request in JSON.
 *
 * @param body
 *   The whole text.
 * @param out
 *   As leat_rpc_call_zap().
 * @return
 *   - 0: answered.
 *   - -EBADMSG: not JSON, no object, a member is missing or of another type: a number that is
 *     no integer or above UINT64_MAX, an account without "0x" or with half a byte.
 *   - -EMSGSIZE: over LEAT_RPC_BODY_MAX, or over a limit of leat_json_parse().
 */
int leat_rpc_call_json(struct leat_slice body, struct leat_writer *out);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_RPC_H */
