// SPDX-License-Identifier: BSD-3-Clause

// The record of POST /rpc, request and response: decoded from ZAP beside simdjson's on-demand
// parser on the same values as JSON, encoded to ZAP beside rapidjson's writer.
//
// Each side ends with the same: every field checked and copied out, the hexadecimal digits of
// the JSON decoded; or all bytes of both messages in a buffer.
// A row of scripts/perf.sh: perf_row.h tells what is measured.

#include <array>
#include <cstring>
#include <string_view>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <leat_zap.h>
#include <leat_zap_balance.h>

#include "perf_row.h"

#define SIMDJSON_TEXT_OF(version) #version
#define SIMDJSON_TEXT(version)    SIMDJSON_TEXT_OF(version)

namespace
{

using perf::Barrier;
using perf::Stop;

constexpr size_t kAccountLen = 20;
constexpr size_t kHashLen = 32;
constexpr char kMethod[] = "eth_getBalance";

struct Record {
	uint64_t id;
	uint64_t block;
	uint64_t response_id;
	uint64_t balance;
	uint64_t nonce;
	uint8_t account[kAccountLen];
	uint8_t hash[kHashLen];
};

const Record kRecord = { 1, 68943, 1, 1000000000000000000, 42,
	{ 0xde, 0xad, 0xbe, 0xef, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa,
		0xbb, 0xcc, 0xdd, 0xee, 0xff },
	{ 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32,
		0x10, 0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x69, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3,
		0xd2, 0xe1, 0xf0 } };

struct Buffer {
	uint8_t bytes[512];
	size_t request_len;
	size_t len;
};

bool
EncodeZap(const Record &record, Buffer *out)
{
	leat_zap_balance_request req;
	leat_zap_balance_response res;
	leat_writer w;

	leat_writer_init(&w, out->bytes, sizeof(out->bytes));
	req.id = record.id;
	req.block = record.block;
	req.method = { (const uint8_t *)kMethod, sizeof(kMethod) - 1 };
	req.account = { record.account, kAccountLen };
	if (leat_zap_balance_request_emit(&w, &req) < 0)
		return false;
	out->request_len = (size_t)(w.pos - out->bytes);
	res.id = record.response_id;
	res.balance = record.balance;
	res.nonce = record.nonce;
	res.block_hash = { record.hash, kHashLen };
	if (leat_zap_balance_response_emit(&w, &res) < 0)
		return false;
	out->len = (size_t)(w.pos - out->bytes);
	return !w.failed;
}

bool
DecodeZap(const Buffer &in, Record *record)
{
	leat_zap_balance_request req;
	leat_zap_balance_response res;
	leat_zap_message msg;

	if (leat_zap_parse({ in.bytes, in.request_len }, &msg) < 0)
		return false;
	leat_zap_balance_request_read(leat_zap_root(&msg), &req);
	if (req.method.len != sizeof(kMethod) - 1 ||
		memcmp(req.method.data, kMethod, sizeof(kMethod) - 1) != 0 ||
		req.account.len != kAccountLen)
		return false;
	record->id = req.id;
	record->block = req.block;
	memcpy(record->account, req.account.data, kAccountLen);
	if (leat_zap_parse({ in.bytes + in.request_len, in.len - in.request_len }, &msg) < 0)
		return false;
	leat_zap_balance_response_read(leat_zap_root(&msg), &res);
	if (res.block_hash.len != kHashLen)
		return false;
	record->response_id = res.id;
	record->balance = res.balance;
	record->nonce = res.nonce;
	memcpy(record->hash, res.block_hash.data, kHashLen);
	return true;
}

size_t
HexPut(char *text, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	text[0] = '0';
	text[1] = 'x';
	for (size_t i = 0; i < len; i++) {
		text[2 + 2 * i] = digits[bytes[i] >> 4];
		text[3 + 2 * i] = digits[bytes[i] & 15];
	}
	return 2 + 2 * len;
}

// Digits by a table, as one who cares for speed does it.
bool
HexGet(std::string_view text, uint8_t *bytes, size_t len)
{
	static const auto values = [] {
		std::array<int8_t, 256> table;

		table.fill(-1);
		for (int i = 0; i < 10; i++)
			table[(size_t)('0' + i)] = (int8_t)i;
		for (int i = 0; i < 6; i++)
			table[(size_t)('a' + i)] = table[(size_t)('A' + i)] = (int8_t)(10 + i);
		return table;
	}();
	int bad = 0;

	if (text.size() != 2 + 2 * len || text[0] != '0' || text[1] != 'x')
		return false;
	for (size_t i = 0; i < len; i++) {
		int high = values[(uint8_t)text[2 + 2 * i]];
		int low = values[(uint8_t)text[3 + 2 * i]];

		bad |= high | low;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return bad >= 0;
}

class Json
{
      public:
	bool Encode(const Record &record)
	{
		char hex[2 + 2 * kHashLen];

		out_.Clear();
		writer_.Reset(out_);
		writer_.StartObject();
		writer_.Key("method", 6);
		writer_.String(kMethod, sizeof(kMethod) - 1);
		writer_.Key("account", 7);
		writer_.String(hex, (unsigned int)HexPut(hex, record.account, kAccountLen));
		writer_.Key("block", 5);
		writer_.Uint64(record.block);
		writer_.Key("id", 2);
		writer_.Uint64(record.id);
		writer_.EndObject();
		request_len_ = out_.GetSize();
		writer_.Reset(out_);
		writer_.StartObject();
		writer_.Key("id", 2);
		writer_.Uint64(record.response_id);
		writer_.Key("balance", 7);
		writer_.Uint64(record.balance);
		writer_.Key("nonce", 5);
		writer_.Uint64(record.nonce);
		writer_.Key("blockHash", 9);
		writer_.String(hex, (unsigned int)HexPut(hex, record.hash, kHashLen));
		return writer_.EndObject();
	}

	// Keep what was encoded with the room behind it that the parser wants.
	void Load()
	{
		request_ = simdjson::padded_string(out_.GetString(), request_len_);
		response_ = simdjson::padded_string(
			out_.GetString() + request_len_, out_.GetSize() - request_len_);
	}

	size_t Len() const
	{
		return out_.GetSize();
	}

	bool Decode(Record *record)
	{
		std::string_view text;
		simdjson::ondemand::document doc;

		if (parser_.iterate(request_).get(doc) != simdjson::SUCCESS ||
			doc["method"].get_string().get(text) != simdjson::SUCCESS ||
			text != kMethod ||
			doc["account"].get_string().get(text) != simdjson::SUCCESS ||
			!HexGet(text, record->account, kAccountLen) ||
			doc["block"].get_uint64().get(record->block) != simdjson::SUCCESS ||
			doc["id"].get_uint64().get(record->id) != simdjson::SUCCESS)
			return false;
		return parser_.iterate(response_).get(doc) == simdjson::SUCCESS &&
		       doc["id"].get_uint64().get(record->response_id) == simdjson::SUCCESS &&
		       doc["balance"].get_uint64().get(record->balance) == simdjson::SUCCESS &&
		       doc["nonce"].get_uint64().get(record->nonce) == simdjson::SUCCESS &&
		       doc["blockHash"].get_string().get(text) == simdjson::SUCCESS &&
		       HexGet(text, record->hash, kHashLen);
	}

      private:
	rapidjson::StringBuffer out_;
	rapidjson::Writer<rapidjson::StringBuffer> writer_{ out_ };
	size_t request_len_ = 0;
	simdjson::padded_string request_;
	simdjson::padded_string response_;
	simdjson::ondemand::parser parser_;
};

void
Check(bool ok)
{
	if (!ok)
		Stop("a row does not do its work");
}

bool
Wants(const char *wanted, const char *row)
{
	return wanted == nullptr || strcmp(wanted, row) == 0;
}

} // namespace

int
main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : nullptr;
	Record record = {};
	Record in = kRecord;
	Buffer buffer = {};
	Json json;

	if (wanted != nullptr && strcmp(wanted, "--list") == 0) {
		puts("decode_zap\ndecode_simdjson\nencode_zap\nencode_rapidjson");
		return EXIT_SUCCESS;
	}
	Check(EncodeZap(kRecord, &buffer) && json.Encode(kRecord));
	json.Load();
	Check(DecodeZap(buffer, &record) && memcmp(&record, &kRecord, sizeof(record)) == 0);
	memset(&record, 0, sizeof(record));
	Check(json.Decode(&record) && memcmp(&record, &kRecord, sizeof(record)) == 0);
	if (Wants(wanted, "decode_zap"))
		perf::Measure("decode a record", "leat", buffer.len, [&] {
			Barrier(&buffer);
			Check(DecodeZap(buffer, &record));
			Barrier(&record);
		});
	if (Wants(wanted, "decode_simdjson"))
		perf::Measure("decode a record", "simdjson " SIMDJSON_TEXT(SIMDJSON_VERSION),
			json.Len(), [&] {
				Check(json.Decode(&record));
				Barrier(&record);
			});
	if (Wants(wanted, "encode_zap"))
		perf::Measure("encode a record", "leat", buffer.len, [&] {
			Barrier(&in);
			Check(EncodeZap(in, &buffer));
			Barrier(&buffer);
		});
	if (Wants(wanted, "encode_rapidjson"))
		perf::Measure(
			"encode a record", "rapidjson " RAPIDJSON_VERSION_STRING, json.Len(), [&] {
				Barrier(&in);
				Check(json.Encode(in));
				Barrier(&json);
			});
	return EXIT_SUCCESS;
}
