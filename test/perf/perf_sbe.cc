// SPDX-License-Identifier: BSD-3-Clause

// What a SET costs in SBE beside RESP: its bytes to slices, its slices to bytes, and its
// bytes to the arguments of a command. The same key and value in both.
// The rows of scripts/perf.sh: perf_row.h tells what is measured.

#include <string>

#include <leat_protocol.h>
#include <leat_resp.h>
#include <leat_sbe_messages.h>

#include "perf_row.h"

namespace
{

using perf::Barrier;
using perf::Stop;

const leat_slice kSet = LEAT_SLICE("SET");
const leat_slice kKey = LEAT_SLICE("key:000042");
const leat_slice kValue = LEAT_SLICE("value-0000000001");

uint8_t buf[256];

size_t
EncodeSbe()
{
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	if (leat_sbe_put_set(&w, 0, 0, 0, kKey, kValue) < 0)
		Stop("too long");
	return (size_t)(w.pos - buf);
}

size_t
EncodeResp()
{
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_resp_emit_array(&w, 3);
	leat_resp_emit_bulk(&w, kSet);
	leat_resp_emit_bulk(&w, kKey);
	leat_resp_emit_bulk(&w, kValue);
	return (size_t)(w.pos - buf);
}

void
DecodeSbe(leat_slice in)
{
	leat_sbe_message msg;
	leat_sbe_frame frame;
	leat_sbe_refusal refusal;

	if (leat_sbe_parse_frame(in, LEAT_SBE_FRAME_MAX, &frame, &refusal) <= 0 ||
		leat_sbe_decode(leat_sbe_layout_find(frame.template_id), &frame, &msg) !=
			LEAT_SBE_OK)
		Stop("refused");
	int64_t fields = leat_sbe_set_flags(&msg) + leat_sbe_set_expire_mode(&msg) +
			 leat_sbe_set_expire_value(&msg);
	leat_slice key = leat_sbe_set_key(&msg);
	leat_slice value = leat_sbe_set_value(&msg);
	Barrier(&fields);
	Barrier(&key);
	Barrier(&value);
}

void
DecodeResp(leat_slice in)
{
	static const leat_resp_limits limits = { 1 << 20, 1024, 0, 0, false };
	leat_resp_parser parser = {};
	leat_resp_request req;
	leat_slice argv[4];

	if (leat_resp_parse_request(&parser, &limits, in, argv, 4, &req) <= 0)
		Stop("refused");
	Barrier(argv);
}

void
Request(const leat_protocol *protocol, leat_slice in)
{
	static const leat_protocol_limits limits = { 1 << 20, 1024, 0, 0, false, nullptr, nullptr };
	leat_protocol_state state = {};
	leat_slice argv[16];
	leat_request req;

	if (protocol->decode(&state, &limits, in, &req, argv, 16) <= 0 || req.command == nullptr)
		Stop("refused");
	Barrier(argv);
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string with = argc > 1 ? argv[1] : "";
	const std::string row = argc > 2 ? argv[2] : "";
	const leat_protocol *sbe = leat_protocol_find("sbe");
	const leat_protocol *resp = leat_protocol_find("resp");
	size_t sbe_len = EncodeSbe();
	const std::string sbe_text((char *)buf, sbe_len);
	size_t resp_len = EncodeResp();
	const std::string resp_text((char *)buf, resp_len);
	const leat_slice sbe_bytes = { (const uint8_t *)sbe_text.data(), sbe_len };
	const leat_slice resp_bytes = { (const uint8_t *)resp_text.data(), resp_len };

	if (with == "--list") {
		for (const char *name : { "encode", "decode", "request" })
			printf("sbe %s\nresp %s\n", name, name);
		return EXIT_SUCCESS;
	}
	if (row == "encode" && with == "sbe")
		perf::Measure("encode SET", "sbe", sbe_len, [] { Barrier((void *)EncodeSbe()); });
	else if (row == "encode" && with == "resp")
		perf::Measure(
			"encode SET", "resp", resp_len, [] { Barrier((void *)EncodeResp()); });
	else if (row == "decode" && with == "sbe")
		perf::Measure("decode SET", "sbe", sbe_len, [&] { DecodeSbe(sbe_bytes); });
	else if (row == "decode" && with == "resp")
		perf::Measure("decode SET", "resp", resp_len, [&] { DecodeResp(resp_bytes); });
	else if (row == "request" && with == "sbe")
		perf::Measure("request SET", "sbe", sbe_len, [&] { Request(sbe, sbe_bytes); });
	else if (row == "request" && with == "resp")
		perf::Measure("request SET", "resp", resp_len, [&] { Request(resp, resp_bytes); });
	else
		Stop("sbe|resp encode|decode|request, or --list");
	return EXIT_SUCCESS;
}
