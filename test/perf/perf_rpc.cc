// SPDX-License-Identifier: BSD-3-Clause

// What a call of POST /rpc costs in ZAP and in JSON: the same values in, the same function
// between, the same values out. "call" is the body alone, decoded, computed and encoded; the JSON
// of others is read by simdjson's on-demand parser and written by rapidjson. "serve" is the whole of
// it in a worker, from the bytes of a request to the bytes of its answer, over HTTP/1.1, HTTP over
// ZAP, and the calls of ZAP.
// A row of scripts/perf.sh: perf_row.h tells what is measured.

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <leat_hex.h>
#include <leat_protocol.h>
#include <leat_rpc.h>
#include <leat_zap_balance.h>
#include <leat_zaphttp.h>
#include <leat_zaprpc.h>

#include "perf_row.h"
#include "rpc_record.h"

namespace
{

using perf::Barrier;
using perf::Stop;
using rpc_record::kJson;
using rpc_record::kJsonAnswer;

const std::string kAccount(
	"\xde\xad\xbe\xef\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd"
	"\xee\xff",
	20);

uint8_t room[1024];

leat_slice
Slice(std::string_view text)
{
	return { (const uint8_t *)text.data(), text.size() };
}

// What was written.
std::string_view
Written(const leat_writer &w)
{
	return { (char *)room, (size_t)(w.pos - room) };
}

std::string
ZapRequest()
{
	leat_zap_balance_request req = { 1, 68943, LEAT_SLICE("eth_getBalance"), Slice(kAccount) };
	leat_writer w;

	leat_writer_init(&w, room, sizeof(room));
	if (leat_zap_balance_request_emit(&w, &req) < 0)
		Stop("no request");
	return std::string(Written(w));
}

std::string_view
Call(int (*call)(leat_slice body, leat_writer *out), const std::string &body)
{
	leat_writer w;

	leat_writer_init(&w, room, sizeof(room));
	if (call(Slice(body), &w) < 0)
		Stop("refused");
	return Written(w);
}

// The same with libraries that are known to be fast. What they allocate is kept for the next call.
class Others
{
      public:
	explicit Others(const std::string &body) : body_(body)
	{
	}

	std::string_view Call()
	{
		leat_zap_balance_request req = {};
		leat_zap_balance_response res;

		Decode(&req);
		leat_rpc_balance(&req, &res);
		Encode(res);
		return { out_.GetString(), out_.GetSize() };
	}

      private:
	void Decode(leat_zap_balance_request *req)
	{
		simdjson::ondemand::document doc;
		std::string_view method;
		std::string_view account;

		if (parser_.iterate(body_).get(doc) != simdjson::SUCCESS ||
			doc["method"].get_string().get(method) != simdjson::SUCCESS ||
			doc["account"].get_string().get(account) != simdjson::SUCCESS ||
			doc["block"].get_uint64().get(req->block) != simdjson::SUCCESS ||
			doc["id"].get_uint64().get(req->id) != simdjson::SUCCESS ||
			account.size() > 2 * sizeof(account_) || account.substr(0, 2) != "0x" ||
			leat_hex_parse(Slice(account.substr(2)), account_) < 0)
			Stop("refused");
		req->method = Slice(method);
		req->account = { account_, (account.size() - 2) / 2 };
	}

	void Encode(const leat_zap_balance_response &res)
	{
		char hex[2 + 2 * 32] = { '0', 'x' };
		leat_writer w;

		leat_writer_init(&w, (uint8_t *)hex + 2, sizeof(hex) - 2);
		leat_hex_put(&w, res.block_hash);
		out_.Clear();
		writer_.Reset(out_);
		writer_.StartObject();
		writer_.Key("id", 2);
		writer_.Uint64(res.id);
		writer_.Key("balance", 7);
		writer_.Uint64(res.balance);
		writer_.Key("nonce", 5);
		writer_.Uint64(res.nonce);
		writer_.Key("blockHash", 9);
		writer_.String(hex, sizeof(hex));
		writer_.EndObject();
	}

	simdjson::padded_string body_;
	simdjson::ondemand::parser parser_;
	rapidjson::StringBuffer out_;
	rapidjson::Writer<rapidjson::StringBuffer> writer_{ out_ };
	uint8_t account_[64];
};

void
CallRow(const std::string &with)
{
	const std::string zap = ZapRequest();
	const std::string row = "call /rpc";
	Others others(kJson);

	// Each does its work, and all do the same.
	if (Call(leat_rpc_call_json, kJson) != kJsonAnswer || others.Call() != kJsonAnswer ||
		Call(leat_rpc_call_zap, zap).size() != 80)
		Stop("an answer is wrong");
	if (with == "zap")
		perf::Measure(row, "zap", zap.size(), [&] {
			Barrier(zap.data());
			Barrier(Call(leat_rpc_call_zap, zap).data());
		});
	else if (with == "json")
		perf::Measure(row, "json", kJson.size(), [&] {
			Barrier(kJson.data());
			Barrier(Call(leat_rpc_call_json, kJson).data());
		});
	else
		perf::Measure(row, "json: simdjson, rapidjson", kJson.size(),
			[&] { Barrier(others.Call().data()); });
}

std::string
HttpRequest(const std::string &media_type, const std::string &body)
{
	return "POST /rpc HTTP/1.1\r\nHost: 10.77.0.1:8080\r\nContent-Type: " + media_type +
	       "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string
ZapHttpRequest(const std::string &media_type, const std::string &body)
{
	const leat_zaphttp_field fields[] = {
		{ LEAT_SLICE("Host"), LEAT_SLICE("10.77.0.1:9653"), false, false },
		{ LEAT_SLICE("Content-Type"), Slice(media_type), false, false },
	};
	leat_zaphttp_out_request req = {};
	leat_writer w;

	req.method = LEAT_SLICE("POST");
	req.target = LEAT_SLICE("/rpc");
	req.headers = { fields, LEAT_DIM(fields) };
	req.body = Slice(body);
	leat_writer_init(&w, room, sizeof(room));
	if (leat_zaphttp_emit_request(&w, LEAT_ZAPHTTP_BINARY, &req) < 0)
		Stop("no request");
	return std::string(Written(w));
}

std::string
ZapRpcRequest(const std::string &body)
{
	leat_zaprpc_request req = {};
	leat_writer w;

	req.method = LEAT_RPC_METHOD_BALANCE;
	req.payload = Slice(body);
	leat_writer_init(&w, room, sizeof(room));
	if (leat_zaprpc_emit_request(&w, LEAT_ZAPRPC_REQUEST, &req) < 0)
		Stop("no request");
	return std::string(Written(w));
}

// One request of a client who keeps his connection, as a session has it done.
class Client
{
      public:
	Client(const char *protocol, const std::string &request)
	    : protocol_(leat_protocol_find(protocol)), request_(request)
	{
		leat_client_init(&client_, 1, 0);
		ctx_.server = &server_;
		ctx_.stats = &stats_;
		ctx_.client = &client_;
	}

	std::string_view Serve()
	{
		static const leat_protocol_limits limits = { 1 << 20, 1024, 0, 0, false, nullptr,
			nullptr };
		leat_request req;
		leat_reply reply;
		leat_writer w;

		if (protocol_->decode(
			    &state_, &limits, Slice(request_), &req, argv_, LEAT_DIM(argv_)) <= 0)
			Stop("refused");
		leat_writer_init(&w, room, sizeof(room));
		reply.ops = protocol_->reply;
		reply.writer = &w;
		reply.flags = req.reply_flags;
		reply.wall_ms = 1790000000000;
		reply.date = &date_;
		reply.state[0] = 0;
		leat_command_execute(&ctx_, &req, &reply);
		return Written(w);
	}

	size_t Len() const
	{
		return request_.size();
	}

      private:
	const leat_protocol *protocol_;
	const std::string request_;
	leat_protocol_state state_ = {};
	leat_slice argv_[64];
	leat_client client_;
	leat_command_server server_ = {};
	leat_command_stats stats_ = {};
	leat_command_ctx ctx_ = {};
	leat_http_date date_ = {};
};

void
ServeRow(const std::string &with, const std::string &carrier)
{
	const bool is_zap = with == "zap";
	const std::string media_type = "application/" + with;
	const std::string body = is_zap ? ZapRequest() : kJson;
	const std::string request = carrier == "http"  ? HttpRequest(media_type, body)
				    : carrier == "zap" ? ZapHttpRequest(media_type, body)
						       : ZapRpcRequest(body);
	const std::string answer = std::string(
		is_zap ? Call(leat_rpc_call_zap, body) : Call(leat_rpc_call_json, body));
	Client client(carrier.c_str(), request);
	std::string_view served = client.Serve();

	// The answer ends in every carrier with that of the call.
	if (served.size() <= answer.size() ||
		served.substr(served.size() - answer.size()) != answer)
		Stop("an answer is wrong");
	perf::Measure("serve /rpc", with + " over " + carrier, client.Len(),
		[&] { Barrier(client.Serve().data()); });
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string with = argc > 1 ? argv[1] : "";
	const std::string row = argc > 2 ? argv[2] : "";

	if (with == "--list") {
		puts("zap call\njson call\nothers call\nzap zap-rpc\nzap zap\njson zap\nzap http\n"
		     "json http");
		return EXIT_SUCCESS;
	}
	if (row == "call" && (with == "zap" || with == "json" || with == "others"))
		CallRow(with);
	else if ((row == "http" || row == "zap") && (with == "zap" || with == "json"))
		ServeRow(with, row);
	else if (row == "zap-rpc" && with == "zap")
		ServeRow(with, row);
	else
		Stop("zap|json|others call, zap|json http|zap, zap zap-rpc, or --list");
	return EXIT_SUCCESS;
}
