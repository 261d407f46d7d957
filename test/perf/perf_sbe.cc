// SPDX-License-Identifier: BSD-3-Clause

// What a SET costs in SBE beside RESP: its bytes to slices, its slices to bytes, and its
// bytes to the arguments of a command. The same key and value in both.
//
// Prints a JSON object for each row, or for the one that is named. Under callgrind with
// --collect-atstart=no only the operations are counted, so that its total divided by
// nb_operations is the instructions of one. Never judges the figures.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <valgrind/callgrind.h>

#include <leat_protocol.h>
#include <leat_resp.h>
#include <leat_sbe_messages.h>

static uint64_t nb_allocs;

extern "C" {
void *__real_malloc(size_t len);
void *__real_calloc(size_t nb, size_t len);
void *__real_realloc(void *old, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t nb, size_t len);
void *__wrap_realloc(void *old, size_t len);

void *
__wrap_malloc(size_t len)
{
	nb_allocs++;
	return __real_malloc(len);
}

void *
__wrap_calloc(size_t nb, size_t len)
{
	nb_allocs++;
	return __real_calloc(nb, len);
}

void *
__wrap_realloc(void *old, size_t len)
{
	nb_allocs++;
	return __real_realloc(old, len);
}
}

namespace
{

constexpr uint32_t kNbOperations = 1u << 20;
constexpr uint32_t kNbCounted = 1000; // under callgrind
const leat_slice kSet = LEAT_SLICE("SET");
const leat_slice kKey = LEAT_SLICE("key:000042");
const leat_slice kValue = LEAT_SLICE("value-0000000001");

uint8_t buf[256];

[[noreturn]] void
Stop(const char *why)
{
	(void)fprintf(stderr, "perf_sbe: %s\n", why);
	exit(EXIT_FAILURE);
}

// What the optimizer must believe to be used.
void
Use(const void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

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
	Use(&fields);
	Use(&key);
	Use(&value);
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
	Use(argv);
}

void
Request(const leat_protocol *protocol, leat_slice in)
{
	static const leat_protocol_limits limits = { 1 << 20, 1024, 0, 0, false };
	leat_protocol_state state = {};
	leat_slice argv[16];
	leat_request req;

	if (protocol->decode(&state, &limits, in, &req, argv, 16) <= 0 || req.command == nullptr)
		Stop("refused");
	Use(argv);
}

template <typename Operation>
void
Row(const char *row, const char *with, size_t len, Operation operation)
{
	uint32_t nb = RUNNING_ON_VALGRIND ? kNbCounted : kNbOperations;
	struct timespec from = {};
	struct timespec to = {};
	uint64_t nb_allocs_before;
	double ns;

	for (uint32_t i = 0; i < kNbCounted; i++)
		operation();
	nb_allocs_before = nb_allocs;
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	CALLGRIND_TOGGLE_COLLECT;
	for (uint32_t i = 0; i < nb; i++)
		operation();
	CALLGRIND_TOGGLE_COLLECT;
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
	(void)printf("{\"row\": \"%s SET\", \"with\": \"%s\", \"bytes\": %zu, \"ns\": %.1f, "
		     "\"allocations\": %.2f, \"nb_ops\": %u}\n",
		row, with, len, ns / nb, (double)(nb_allocs - nb_allocs_before) / nb, nb);
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
		Row("encode", "sbe", sbe_len, [] { Use((void *)EncodeSbe()); });
	else if (row == "encode" && with == "resp")
		Row("encode", "resp", resp_len, [] { Use((void *)EncodeResp()); });
	else if (row == "decode" && with == "sbe")
		Row("decode", "sbe", sbe_len, [&] { DecodeSbe(sbe_bytes); });
	else if (row == "decode" && with == "resp")
		Row("decode", "resp", resp_len, [&] { DecodeResp(resp_bytes); });
	else if (row == "request" && with == "sbe")
		Row("request", "sbe", sbe_len, [&] { Request(sbe, sbe_bytes); });
	else if (row == "request" && with == "resp")
		Row("request", "resp", resp_len, [&] { Request(resp, resp_bytes); });
	else
		Stop("sbe|resp encode|decode|request, or --list");
	return EXIT_SUCCESS;
}
