// SPDX-License-Identifier: BSD-3-Clause

// The bytes are those of test/golden/zap/record.txt, made by the reference implementation.

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include <leat_hex.h>
#include <leat_json.h>
#include <leat_rpc.h>
#include <leat_zap_balance.h>

#include "golden.h"
#include "rpc_record.h"

namespace
{

using golden::Copy;
using golden::Slice;
using golden::String;
using rpc_record::kJson;
using rpc_record::kJsonAnswer;

using Call = int (*)(leat_slice body, leat_writer *out);

std::string
GoldenBytes(const std::string &name)
{
	return golden::Bytes(golden::Find("record.txt", name).Line("bytes"));
}

// The answer to a body in memory of exactly its size, into room for exactly the longest answer.
std::string
Answer(Call call, const std::string &body, int want = 0)
{
	Copy copy(body);
	std::unique_ptr<uint8_t[]> room(new uint8_t[LEAT_RPC_ANSWER_MAX]);
	leat_writer w;

	leat_writer_init(&w, room.get(), LEAT_RPC_ANSWER_MAX);
	EXPECT_EQ(want, call(copy.Slice(), &w)) << body;
	EXPECT_FALSE(w.failed);
	return std::string(room.get(), w.pos);
}

std::string
Json(const std::string &body)
{
	return Answer(leat_rpc_call_json, body);
}

void
ExpectBadJson(const std::string &body)
{
	EXPECT_EQ("", Answer(leat_rpc_call_json, body, -EBADMSG)) << body;
}

std::string
Replaced(std::string text, const std::string &what, const std::string &with)
{
	size_t at = text.find(what);

	EXPECT_NE(std::string::npos, at) << what;
	return text.replace(at, what.size(), with);
}

std::string
ZapRequest(uint64_t id, uint64_t block, const std::string &method, const std::string &account)
{
	leat_zap_balance_request req = { id, block, Slice(method), Slice(account) };

	return golden::Written(
		[&](leat_writer *w) { EXPECT_EQ(0, leat_zap_balance_request_emit(w, &req)); });
}

leat_zap_balance_response
Balance(uint64_t id, uint64_t block, const std::string &method, const std::string &account)
{
	leat_zap_balance_request req = { id, block, Slice(method), Slice(account) };
	leat_zap_balance_response res;

	leat_rpc_balance(&req, &res);
	return res;
}

TEST(RpcBalance, PutsEachPartOfTheRequestIntoTheBalance)
{
	const uint64_t all = 1000000000000000000;

	EXPECT_EQ(all, Balance(7, 0, "", "").balance);
	EXPECT_EQ(all ^ 68943, Balance(7, 68943, "", "").balance);
	EXPECT_EQ(all ^ 14, Balance(7, 0, "eth_getBalance", "").balance);
	EXPECT_EQ(all ^ 2 ^ 0xff, Balance(7, 0, "", "\xff\x01").balance);
	EXPECT_EQ(all ^ UINT64_MAX, Balance(7, UINT64_MAX, "", "").balance);
	EXPECT_EQ(7u, Balance(7, 0, "", "").id);
	EXPECT_EQ(42u, Balance(7, 0, "", "").nonce);
	EXPECT_EQ(32u, Balance(7, 0, "", "").block_hash.len);
}

TEST(RpcZap, AnswersTheRecordByteForByte)
{
	const std::string request = GoldenBytes("request");
	const std::string answer = Answer(leat_rpc_call_zap, request);

	EXPECT_EQ(82u, request.size());
	EXPECT_EQ(80u, answer.size());
	EXPECT_EQ(GoldenBytes("response_computed"), answer);
}

TEST(RpcZap, RefusesEachProperPrefix)
{
	const std::string request = GoldenBytes("request");

	for (size_t len = 0; len < request.size(); len++)
		Answer(leat_rpc_call_zap, request.substr(0, len), -EBADMSG);
}

TEST(RpcZap, IgnoresWhatIsBehindTheMessage)
{
	EXPECT_EQ(GoldenBytes("response_computed"),
		Answer(leat_rpc_call_zap, GoldenBytes("request") + "behind it"));
}

TEST(RpcZap, TakesBothVersions)
{
	std::string request = GoldenBytes("request");

	request[4] = 2;
	EXPECT_EQ(GoldenBytes("response_computed"), Answer(leat_rpc_call_zap, request));
	request[4] = 3;
	Answer(leat_rpc_call_zap, request, -EBADMSG);
}

TEST(RpcZap, RefusesWhatIsNoMessage)
{
	for (const std::string &body : { std::string(), std::string("{\"id\":1}"), kJson,
		     std::string(82, '\0'), Replaced(GoldenBytes("request"), "ZAP", "ZIP") })
		Answer(leat_rpc_call_zap, body, -EBADMSG);
}

// A reader of ZAP reads what is not there as zero: lists of fields grow.
TEST(RpcZap, ReadsAFieldThatIsNotThereAsNothing)
{
	std::string header = GoldenBytes("request").substr(0, 16);

	header[12] = 16; // the size, and the root is behind it
	EXPECT_EQ(Answer(leat_rpc_call_zap, ZapRequest(0, 0, "", "")),
		Answer(leat_rpc_call_zap, header));
}

TEST(RpcZap, TakesABodyAtTheLimitAndNotOneByteMore)
{
	const std::string request = ZapRequest(1, 2, std::string(LEAT_RPC_BODY_MAX - 48, 'm'), "");

	ASSERT_EQ(LEAT_RPC_BODY_MAX, request.size());
	EXPECT_EQ(80u, Answer(leat_rpc_call_zap, request).size());
	EXPECT_EQ("", Answer(leat_rpc_call_zap, request + "x", -EMSGSIZE));
}

TEST(RpcJson, AnswersTheRecordByteForByte)
{
	EXPECT_EQ(103u, kJson.size());
	EXPECT_EQ(130u, kJsonAnswer.size());
	EXPECT_EQ(kJsonAnswer, Json(kJson));
}

TEST(RpcJson, RefusesEachProperPrefix)
{
	for (size_t len = 0; len < kJson.size(); len++)
		ExpectBadJson(kJson.substr(0, len));
}

TEST(RpcJson, TakesMembersInAnyOrderAndOthersAmongThem)
{
	EXPECT_EQ(kJsonAnswer,
		Json(" { \"jsonrpc\" : \"2.0\" , \"id\" : 1, \"params\": [{\"id\": 2}],"
		     "\"block\":68943, \"account\":"
		     "\"0xDEADBEEF00112233445566778899AABBCCDDEEFF\",\r\n"
		     "\t\"method\":\"eth_getBalance\"}\n"));
}

TEST(RpcJson, KnowsEscapedNamesAndTexts)
{
	std::string body = Replaced(kJson, "\"method\"", "\"\\u006dethod\"");

	body = Replaced(body, "eth_", "\\u0065th\\u005f");
	body = Replaced(body, "0xde", "\\u0030\\u0078d\\u0065");
	EXPECT_EQ(kJsonAnswer, Json(body));
}

TEST(RpcJson, TakesIdAndBlockInTheirWholeRangeExactly)
{
	std::string body = Replaced(kJson, "\"id\":1", "\"id\":18446744073709551615");

	EXPECT_EQ(Replaced(kJsonAnswer, "\"id\":1", "\"id\":18446744073709551615"), Json(body));
	// 2^53 + 1, which no double is.
	body = Replaced(kJson, "\"id\":1", "\"id\":9007199254740993");
	EXPECT_EQ(Replaced(kJsonAnswer, "\"id\":1", "\"id\":9007199254740993"), Json(body));
	body = Replaced(kJson, "68943", "18446744073709551615");
	uint64_t balance =
		Balance(1, UINT64_MAX, "eth_getBalance", std::string(20, '\xde')).balance;
	EXPECT_EQ(
		Replaced(kJsonAnswer, "1000000000000069003", std::to_string(balance)), Json(body));
}

TEST(RpcJson, RefusesANumberThatIsNoneOfTheseIntegers)
{
	for (const char *number : { "18446744073709551616", "-1", "-0", "1.0", "1e3", "01", "\"1\"",
		     "\"0x1\"", "null", "true", "[1]", "{}", "" }) {
		ExpectBadJson(Replaced(kJson, "\"id\":1", std::string("\"id\":") + number));
		ExpectBadJson(Replaced(kJson, "68943", number));
	}
}

TEST(RpcJson, RefusesAMissingMember)
{
	ExpectBadJson(Replaced(kJson, "\"method\"", "\"Method\""));
	ExpectBadJson(Replaced(kJson, "\"account\"", "\"address\""));
	ExpectBadJson(Replaced(kJson, ",\"id\":1", ""));
	ExpectBadJson(Replaced(kJson, "\"block\":68943,", ""));
	ExpectBadJson("{}");
	ExpectBadJson("{\"params\":" + kJson + "}");
}

TEST(RpcJson, RefusesAMemberThatComesTwice)
{
	ExpectBadJson(Replaced(kJson, "\"id\":1", "\"id\":1,\"id\":1"));
	ExpectBadJson(Replaced(kJson, "\"id\":1", "\"id\":1,\"\\u0069d\":1"));
}

TEST(RpcJson, RefusesAnotherTypeOfMethodOrAccount)
{
	for (const char *other : { "1", "null", "true", "[]", "{}" }) {
		ExpectBadJson(Replaced(kJson, "\"eth_getBalance\"", other));
		ExpectBadJson(
			Replaced(kJson, "\"0xdeadbeef00112233445566778899aabbccddeeff\"", other));
	}
}

TEST(RpcJson, RefusesAnAccountThatIsNotHexadecimal)
{
	for (const char *account : { "", "0", "x", "de", "deadbeef", "0X00", "0xd", "0x0", "0xdea",
		     "0xdg", "0x de", "0xde ", " 0xde", "0x0x", "0x-1", "0x\\u0000" })
		ExpectBadJson(
			Replaced(kJson, "0xdeadbeef00112233445566778899aabbccddeeff", account));
}

TEST(RpcJson, RefusesWhatIsNoObject)
{
	for (const std::string &body : { std::string(), std::string(" "), std::string("null"),
		     std::string("1"), std::string("\"id\""), "[" + kJson + "]", kJson + kJson,
		     kJson + "x", GoldenBytes("request") })
		ExpectBadJson(body);
}

// It goes into the balance and nowhere else.
TEST(RpcBalance, IsTheSameInBothEncodingsForAnyMethodAndAccount)
{
	const std::string accounts[] = { "", "\x01", "\xff\xfe", std::string(1000, '\x42') };
	const std::string methods[] = { "", "m", "eth_call", std::string(2000, 'x') };

	for (const std::string &method : methods) {
		for (const std::string &account : accounts) {
			leat_zap_balance_response res = Balance(1, 68943, method, account);
			std::string hex = "0x";
			leat_zap_message msg;

			hex += golden::Written(
				[&](leat_writer *w) { leat_hex_put(w, Slice(account)); });
			std::string json = Json(Replaced(Replaced(kJson, "eth_getBalance", method),
				"0xdeadbeef00112233445566778899aabbccddeeff", hex));
			std::string zap =
				Answer(leat_rpc_call_zap, ZapRequest(1, 68943, method, account));

			EXPECT_EQ(Replaced(kJsonAnswer, "1000000000000069003",
					  std::to_string(res.balance)),
				json);
			ASSERT_EQ(0, leat_zap_parse(Slice(zap), &msg));
			EXPECT_EQ(res.balance,
				leat_zap_balance_response_get_balance(leat_zap_root(&msg)));
		}
	}
}

TEST(RpcJson, WritesTheLongestAnswerThereIs)
{
	std::string body = Replaced(kJson, "\"id\":1", "\"id\":18446744073709551615");

	EXPECT_EQ(
		LEAT_RPC_ANSWER_MAX, Json(Replaced(body, "68943", "18446744073709551615")).size());
}

TEST(RpcJson, TakesABodyAtTheLimitAndNotOneByteMore)
{
	const std::string body = kJson + std::string(LEAT_RPC_BODY_MAX - kJson.size(), ' ');

	EXPECT_EQ(kJsonAnswer, Json(body));
	EXPECT_EQ("", Answer(leat_rpc_call_json, body + " ", -EMSGSIZE));
}

TEST(RpcJson, SaysWhenALimitOfTheReaderIsPassed)
{
	std::string values;

	for (unsigned int i = 0; i < LEAT_JSON_TOKENS_MAX; i++)
		values += ",1";
	EXPECT_EQ("", Answer(leat_rpc_call_json, Replaced(kJson, "{", "{\"v\":[1" + values + "],"),
			      -EMSGSIZE));
}

} // namespace
