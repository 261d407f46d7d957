// SPDX-License-Identifier: BSD-3-Clause

// What one segment costs that is received and answered: a small request comes in, a small
// reply goes out, which acknowledges it, and the next request acknowledges the reply.
//
// Two stacks in one process; each of 32 connections has one request under way, so that a
// burst is 32 segments of 32 connections. Only the work of the stack that answers is
// counted, from leat_inet_input() to leat_inet_output(), and only by callgrind, which
// scripts/perf.sh runs: instructions do not depend on what else the machine does.
// Prints one JSON object and never judges the figures.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <rte_mbuf.h>
#include <valgrind/callgrind.h>

#include "perf_inet.h"
#include "test_eal.h"

namespace
{

using perf_inet::Addr;
using perf_inet::Conf;

constexpr uint32_t kNbConns = LEAT_INET_BURST_MAX;
constexpr uint32_t kNbWarmRounds = 200;
constexpr uint32_t kNbRounds = 1000;
constexpr uint64_t kRoundUs = 100; // far below the delay of an ACK: it rides on text
constexpr uint16_t kPort = 6379;
constexpr uint32_t kNbMbufs = 4095;
const std::string kRequest = "*2\r\n$3\r\nGET\r\n$10\r\nkey:000042\r\n";
const std::string kReply = "$3\r\nxyz\r\n";

[[noreturn]] void
Stop(const char *why)
{
	(void)fprintf(stderr, "perf_segment: %s\n", why);
	exit(EXIT_FAILURE);
}

// One end: a stack and what it says on each connection.
class End
{
      public:
	End(int idx, bool port_sums, bool has_record, const std::string *text, uint64_t now_us)
	    : text_(text)
	{
		leat_inet_conf conf = Conf(idx, port_sums, now_us);
		leat_error error = {};
		const std::string name = "perf" + std::to_string(idx);

		pool_ = rte_pktmbuf_pool_create(
			name.c_str(), kNbMbufs, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
		if (pool_ == nullptr)
			Stop("no pool");
		conf.name = name.c_str();
		conf.nb_conns_max = 1024;
		conf.nb_time_waits_max = 1024;
		conf.nb_record_segs = has_record ? 512 : 0; // as the daemon, unless asked
		conf.pool = pool_;
		if (leat_inet_open(&conf, &inet_, &error) < 0)
			Stop(error.text);
	}

	~End()
	{
		leat_inet_close(inet_);
		rte_mempool_free(pool_);
	}

	End(const End &) = delete;
	End &operator=(const End &) = delete;

	// Take a burst, say something on each connection that has heard something, send.
	uint16_t Turn(uint64_t now_us, rte_mbuf **frames, uint16_t nb)
	{
		leat_inet_event events[kNbConns];
		uint16_t n;

		leat_inet_input(inet_, now_us, frames, nb);
		do {
			n = leat_inet_events(inet_, events, kNbConns);
			for (uint16_t i = 0; i < n; i++)
				Take(&events[i]);
		} while (n == kNbConns);
		return leat_inet_output(inet_, now_us, frames, kNbConns);
	}

	leat_inet *Inet()
	{
		return inet_;
	}

	uint64_t nb_segments = 0; // that held text

      private:
	void Take(leat_inet_event *event)
	{
		if (event->type == LEAT_INET_DATA) {
			uint32_t len = event->mbuf->pkt_len;

			rte_pktmbuf_free(event->mbuf);
			leat_inet_consumed(inet_, event->conn, len);
			nb_segments++;
			Say(event->conn);
		} else if (event->type == LEAT_INET_OPEN && text_ == &kRequest) {
			Say(event->conn);
		} else if (event->type == LEAT_INET_CLOSED) {
			Stop("a connection has ended");
		}
	}

	void Say(leat_inet_conn *conn)
	{
		rte_mbuf *mbuf = rte_pktmbuf_alloc(pool_);

		if (mbuf == nullptr)
			Stop("the pool is dry");
		memcpy(rte_pktmbuf_append(mbuf, (uint16_t)text_->size()), text_->data(),
			text_->size());
		if (leat_inet_send(inet_, conn, mbuf) < 0)
			Stop("send");
	}

	const std::string *text_;
	rte_mempool *pool_ = nullptr;
	leat_inet *inet_ = nullptr;
};

// The link: what a port says of a frame that it received.
void
Receive(rte_mbuf **frames, uint16_t nb, bool port_sums)
{
	for (uint16_t i = 0; i < nb; i++)
		frames[i]->ol_flags =
			port_sums ? RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0;
}

void
Run(bool port_sums, bool has_record)
{
	uint64_t now_us = 1000000;
	End client(0, port_sums, has_record, &kRequest, now_us);
	End server(1, port_sums, has_record, &kReply, now_us);
	rte_mbuf *frames[kNbConns];
	uint16_t nb = 0;

	if (leat_inet_listen(server.Inet(), leat_ip_addr_from_ipv4(0), kPort, nullptr) < 0)
		Stop("listen");
	uint64_t nb_begin = 0;
	for (uint32_t round = 0; round < kNbWarmRounds + kNbRounds; round++) {
		bool counts = round >= kNbWarmRounds;
		leat_inet_conn *conn;

		// One by one: not more than a few SYNs wait for the neighbour's address.
		if (round < kNbConns &&
			leat_inet_connect(client.Inet(), Addr(1), kPort, now_us, &conn) < 0)
			Stop("connect");
		now_us += kRoundUs;
		nb = client.Turn(now_us, frames, nb);
		Receive(frames, nb, port_sums);
		if (round == kNbWarmRounds)
			nb_begin = server.nb_segments;
		if (counts)
			CALLGRIND_TOGGLE_COLLECT;
		nb = server.Turn(now_us, frames, nb);
		if (counts)
			CALLGRIND_TOGGLE_COLLECT;
		Receive(frames, nb, port_sums);
	}
	(void)client.Turn(now_us, frames, nb);
	if (server.nb_segments - nb_begin != (uint64_t)kNbRounds * kNbConns)
		Stop("not every connection had a request in every burst");
	(void)printf("{\"row\": \"answer a segment, sums by the %s\", \"with\": \"leat%s\", "
		     "\"bytes\": %zu, \"nb_ops\": %llu}\n",
		port_sums ? "port" : "software", has_record ? "" : " without recorder",
		kRequest.size() + kReply.size(),
		(unsigned long long)(server.nb_segments - nb_begin));
}

} // namespace

int
main(int argc, char **argv)
{
	const std::string mode = argc >= 2 ? argv[1] : "";
	const std::string record = argc == 3 ? argv[2] : "record";

	if (mode == "--list") {
		puts("software\nsoftware no-record\nport\nport no-record");
		return EXIT_SUCCESS;
	}
	if (argc > 3 || (mode != "software" && mode != "port") ||
		(record != "record" && record != "no-record")) {
		(void)fprintf(stderr, "perf_segment software|port [no-record]: who computes the "
				      "checksums, and without the flight recorder\n");
		return 2;
	}
	TestEal eal(argv[0]);

	Run(mode == "port", record == "record");
	return EXIT_SUCCESS;
}
