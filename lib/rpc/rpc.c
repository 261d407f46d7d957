/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>

#include <leat_hex.h>
#include <leat_json.h>
#include <leat_json_writer.h>
#include <leat_zap_balance.h>

#include "leat_rpc.h"

#define BALANCE_OF_ALL UINT64_C(1000000000000000000) /* before the request goes into it */
#define NONCE          42u

static const uint8_t block_hash[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc,
	0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87,
	0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0 };

/* What a request in JSON is read into, where it does not stand in the text as it is. */
struct json_room {
	struct leat_json json;
	uint8_t strings[LEAT_RPC_BODY_MAX]; /* with escapes */
	uint8_t account[LEAT_RPC_BODY_MAX / 2];
};

void
leat_rpc_balance(const struct leat_zap_balance_request *req, struct leat_zap_balance_response *res)
{
	uint8_t first = req->account.len > 0 ? req->account.data[0] : 0;

	res->id = req->id;
	res->balance = BALANCE_OF_ALL ^ req->block ^ req->method.len ^ req->account.len ^ first;
	res->nonce = NONCE;
	res->block_hash = (struct leat_slice){ block_hash, sizeof(block_hash) };
}

int
leat_rpc_call_zap(struct leat_slice body, struct leat_writer *out)
{
	struct leat_zap_balance_response res;
	struct leat_zap_balance_request req;
	struct leat_zap_message msg;

	if (body.len > LEAT_RPC_BODY_MAX)
		return -EMSGSIZE;
	if (leat_zap_parse(body, &msg) < 0)
		return -EBADMSG;
	leat_zap_balance_request_read(leat_zap_root(&msg), &req);
	leat_rpc_balance(&req, &res);
	return leat_zap_balance_response_emit(out, &res);
}

/* Read "0x" and digits. */
static int
account_read(struct json_room *room, const struct leat_json_token *value, struct leat_slice *bytes)
{
	struct leat_slice text;
	int ret = leat_json_get_string(value, &text);

	if (ret < 0)
		return ret;
	if (text.len < 2 || text.data[0] != '0' || text.data[1] != 'x')
		return -EINVAL;
	text.data += 2;
	text.len -= 2;
	*bytes = (struct leat_slice){ room->account, text.len / 2 };
	return leat_hex_parse(text, room->account);
}

static int
json_read(struct json_room *room, struct leat_zap_balance_request *req)
{
	const struct leat_json *json = &room->json;
	const struct leat_json_token *root = json->tokens;
	int ret;

	ret = leat_json_get_string(leat_json_find(json, root, LEAT_SLICE("method")), &req->method);
	if (ret == 0)
		ret = account_read(
			room, leat_json_find(json, root, LEAT_SLICE("account")), &req->account);
	if (ret == 0)
		ret = leat_json_get_u64(
			leat_json_find(json, root, LEAT_SLICE("block")), &req->block);
	if (ret == 0)
		ret = leat_json_get_u64(leat_json_find(json, root, LEAT_SLICE("id")), &req->id);
	return ret;
}

static void
json_write(const struct leat_zap_balance_response *res, struct leat_writer *out)
{
	struct leat_json_writer json;

	leat_json_write(&json, out);
	leat_json_begin_object(&json);
	leat_json_put_name(&json, LEAT_SLICE("id"));
	leat_json_put_u64(&json, res->id);
	leat_json_put_name(&json, LEAT_SLICE("balance"));
	leat_json_put_u64(&json, res->balance);
	leat_json_put_name(&json, LEAT_SLICE("nonce"));
	leat_json_put_u64(&json, res->nonce);
	leat_json_put_name(&json, LEAT_SLICE("blockHash"));
	leat_json_put_hex(&json, res->block_hash);
	leat_json_end_object(&json);
	LEAT_VERIFY(leat_json_is_whole(&json));
}

int
leat_rpc_call_json(struct leat_slice body, struct leat_writer *out)
{
	struct leat_zap_balance_response res;
	struct leat_zap_balance_request req;
	struct json_room room;
	int ret;

	if (body.len > LEAT_RPC_BODY_MAX)
		return -EMSGSIZE;
	ret = leat_json_parse(body, room.strings, &room.json);
	if (ret < 0)
		return ret;
	if (json_read(&room, &req) < 0)
		return -EBADMSG;
	leat_rpc_balance(&req, &res);
	json_write(&res, out);
	return 0;
}
