// SPDX-License-Identifier: BSD-3-Clause

// Very many connections between two stacks in one process: all are opened, stay idle for
// an hour of the virtual clock, and are closed. Says how much memory each takes, by the
// stack's own account and by what the process has got, and how long each step took. In the
// end nothing may be left: no slot, no TIME-WAIT, no flow, no timer, no mbuf.
//
// A stack has 28,232 ephemeral ports for each peer's address and port, so the peer has
// several of both. Half of its addresses are of IPv6.

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <rte_errno.h>
#include <rte_mbuf.h>

#include <leat_inet.h>

#include "sim_hooks.h"
#include "sim_rng.h"
#include "test_eal.h"

namespace
{

using sim::Fail;
using sim::kSecondUs;

constexpr uint32_t kNbMbufs = 8191;
constexpr uint32_t kConnsOfPeerMax = 25000; // below the ports that there are
constexpr uint8_t kNbAddrs = LEAT_INET_ADDRS_MAX;
constexpr uint16_t kPort = 7;
constexpr uint64_t kIdleUs = 3600 * kSecondUs;
constexpr uint16_t kMtu = 1500;
constexpr uint32_t kBurst = LEAT_INET_BURST_MAX;

uint64_t now_us = 1000 * kSecondUs;

// Every second one is of IPv6: fd00::end:idx.
leat_ip_addr
Addr(int end, uint32_t idx)
{
	leat_ip_addr addr = {};

	if (idx % 2 == 0)
		return leat_ip_addr_from_ipv4(0x0a4d0001u + ((uint32_t)end << 8) + idx);
	addr.bytes[0] = 0xfd;
	addr.bytes[13] = (uint8_t)(1 + end);
	addr.bytes[15] = (uint8_t)idx;
	return addr;
}

uint64_t
RssBytes()
{
	std::ifstream file("/proc/self/statm");
	uint64_t nb_pages = 0, nb_resident = 0;

	file >> nb_pages >> nb_resident;
	return nb_resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

// One stack. Who has accepted closes when the peer has closed.
class End
{
      public:
	End(int idx, uint32_t nb_conns, rte_mempool *pool)
	    : name_("many" + std::to_string(idx)), pool_(pool)
	{
		leat_error error = {};

		conf_.name = name_.c_str();
		conf_.mac[0] = 2;
		conf_.mac[5] = (uint8_t)(1 + idx);
		conf_.mtu = kMtu;
		conf_.nb_addrs = idx == 0 ? 2 : kNbAddrs;
		for (uint8_t i = 0; i < conf_.nb_addrs; i++)
			conf_.addrs[i] = { Addr(idx, i), 16 };
		conf_.offloads.tx_multi_seg = true;
		conf_.nb_conns_max = nb_conns;
		conf_.nb_time_waits_max = idx == 0 ? nb_conns : 1024; // who closes first needs them
		conf_.nb_neighbours_max = 16;
		conf_.pool = pool_;
		conf_.seed[0] = 1;
		conf_.seed[1] = (uint64_t)idx;
		conf_.now_us = now_us;
		leat_tcp_conf_init(&conf_.tcp, kMtu - 40);
		if (leat_inet_open(&conf_, &inet_, &error) < 0)
			Fail("%s", error.text);
	}

	~End()
	{
		leat_inet_close(inet_);
	}

	End(const End &) = delete;
	End &operator=(const End &) = delete;

	void Listen(uint16_t port)
	{
		if (leat_inet_listen(inet_, leat_ip_addr_from_ipv4(0), port, nullptr) < 0 ||
			leat_inet_listen(inet_, leat_ip_addr_none(), port, nullptr) < 0)
			Fail("listen");
	}

	leat_inet_conn *Connect(leat_ip_addr addr, uint16_t port)
	{
		leat_inet_conn *conn;
		int ret = leat_inet_connect(inet_, addr, port, now_us, &conn);

		if (ret < 0)
			Fail("connect: %s", strerror(-ret));
		return conn;
	}

	void Shutdown(leat_inet_conn *conn)
	{
		leat_inet_shutdown(inet_, conn);
	}

	// Take a burst and say what is to be sent then; the same mbufs go to the other end.
	uint16_t Turn(rte_mbuf **frames, uint16_t nb)
	{
		if (nb > 0)
			leat_inet_input(inet_, now_us, frames, nb);
		TakeEvents();
		nb = leat_inet_output(inet_, now_us, frames, kBurst);
		nb_sent += nb;
		return nb;
	}

	void Timers()
	{
		leat_inet_timers(inet_, now_us);
		TakeEvents();
	}

	uint64_t DeadlineUs() const
	{
		return leat_inet_deadline(inet_);
	}
	const leat_inet *Inet() const
	{
		return inet_;
	}
	const leat_inet_conf &Conf() const
	{
		return conf_;
	}
	// Of what should never have happened, and of what may be left.
	void CheckEnd() const
	{
		const struct leat_inet_stats *stats = leat_inet_stats(inet_);
		uint64_t nb_bad = stats->rx_tcp_dropped + stats->rx_tcp_no_conn +
				  stats->tcp_conns_full + stats->tcp_half_open_evicted +
				  stats->tcp_cookies_sent + stats->time_wait_evicted +
				  stats->nbr_queue_full + stats->nbr_unreachable +
				  stats->tx_no_mbuf + stats->tx_no_mbuf_control + stats->tx_rst;

		if (nb_bad != 0)
			Fail("%s:%s", name_.c_str(), sim::StatsOf(inet_).c_str());
		sim::CheckIdle(inet_, name_.c_str());
		if (rte_mempool_avail_count(pool_) != kNbMbufs)
			Fail("%s: mbufs leaked", name_.c_str());
	}

	uint32_t nb_open = 0;
	uint32_t nb_closed = 0;
	uint64_t nb_sent = 0;

      private:
	void TakeEvents()
	{
		leat_inet_event events[kBurst];
		uint16_t n;

		do {
			n = leat_inet_events(inet_, events, kBurst);
			for (uint16_t i = 0; i < n; i++)
				Take(events[i]);
		} while (n == kBurst);
	}

	void Take(const leat_inet_event &event)
	{
		switch (event.type) {
		case LEAT_INET_OPEN:
			nb_open++;
			break;
		case LEAT_INET_EOF:
			leat_inet_shutdown(inet_, event.conn);
			break;
		case LEAT_INET_CLOSED:
			if (event.error != 0)
				Fail("%s: %s", name_.c_str(), strerror(-event.error));
			nb_closed++;
			break;
		default:
			Fail("%s: nobody has sent text", name_.c_str());
		}
	}

	std::string name_;
	leat_inet_conf conf_ = {};
	rte_mempool *pool_;
	leat_inet *inet_ = nullptr;
};

// Both ends talk until they have nothing to say.
void
Talk(End *client, End *server)
{
	rte_mbuf *frames[kBurst];
	uint16_t nb = 0, nb_before;

	do {
		nb_before = nb;
		nb = server->Turn(frames, client->Turn(frames, nb));
		now_us += 10;
	} while (nb > 0 || nb_before > 0);
}

rte_mempool *
MakePool(const char *name)
{
	rte_mempool *pool =
		rte_pktmbuf_pool_create(name, kNbMbufs, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);

	if (pool == nullptr)
		Fail("pool: %s", rte_strerror(rte_errno));
	return pool;
}

class Stopwatch
{
      public:
	double Seconds()
	{
		auto end = std::chrono::steady_clock::now();
		double seconds = std::chrono::duration<double>(end - begin_).count();

		begin_ = end;
		return seconds;
	}

      private:
	std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void
Open(End *client, End *server, std::vector<leat_inet_conn *> *conns)
{
	const uint32_t nb_conns = (uint32_t)conns->size();

	for (uint32_t i = 0; i < nb_conns; i++) {
		uint32_t peer = i / kConnsOfPeerMax;

		(*conns)[i] = client->Connect(
			Addr(1, peer % kNbAddrs), (uint16_t)(kPort + peer / kNbAddrs));
		// One by one until the neighbour is known.
		if (i % kConnsOfPeerMax == 0 || i % kBurst == 0 || i + 1 == nb_conns)
			Talk(client, server);
	}
	if (client->nb_open != nb_conns || server->nb_open != nb_conns)
		Fail("%u and %u of %u are open", client->nb_open, server->nb_open, nb_conns);
}

// Nothing may be sent, and no timer fire.
void
Idle(End *client, End *server, uint64_t len_us)
{
	uint64_t nb_sent = client->nb_sent + server->nb_sent;
	uint64_t end_us = now_us + len_us;

	for (;;) {
		uint64_t next_us = std::min(client->DeadlineUs(), server->DeadlineUs());

		if (next_us > end_us)
			break;
		now_us = std::max(now_us, next_us);
		client->Timers();
		server->Timers();
		Talk(client, server);
	}
	now_us = end_us;
	if (client->nb_sent + server->nb_sent != nb_sent)
		Fail("%" PRIu64 " frames were sent meanwhile",
			client->nb_sent + server->nb_sent - nb_sent);
}

void
Close(End *client, End *server, const std::vector<leat_inet_conn *> &conns)
{
	for (size_t i = 0; i < conns.size(); i++) {
		client->Shutdown(conns[i]);
		if (i % kBurst == 0 || i + 1 == conns.size())
			Talk(client, server);
	}
	if (client->nb_closed != conns.size() || server->nb_closed != conns.size())
		Fail("%u and %u of %zu are closed", client->nb_closed, server->nb_closed,
			conns.size());
}

void
Run(uint32_t nb_conns)
{
	rte_mempool *pools[2] = { MakePool("many0"), MakePool("many1") };
	std::vector<leat_inet_conn *> conns(nb_conns);
	uint64_t rss_before = RssBytes(); // what an mbuf or a test takes is not a connection's
	Stopwatch watch;
	End client(0, nb_conns, pools[0]);
	End server(1, nb_conns, pools[1]);

	for (uint32_t i = 0; i * kConnsOfPeerMax * kNbAddrs < nb_conns; i++)
		server.Listen((uint16_t)(kPort + i));
	(void)printf("set up in %.1f s\n", watch.Seconds());
	Open(&client, &server, &conns);
	(void)printf("%u opened in %.1f s, over both families\n", nb_conns, watch.Seconds());
	uint64_t rss = RssBytes() - rss_before;
	(void)printf("memory: %zu bytes for a connection by the stack's account, %.0f MiB for both "
		     "stacks; the process has got %.0f MiB, %.0f bytes for each of %u ends\n",
		leat_inet_conn_len(&server.Conf()),
		(double)(leat_inet_mem_len(&client.Conf()) + leat_inet_mem_len(&server.Conf())) /
			(1 << 20),
		(double)rss / (1 << 20), (double)rss / (2.0 * nb_conns), 2 * nb_conns);
	Idle(&client, &server, kIdleUs);
	(void)printf("idle for an hour in %.1f s\n", watch.Seconds());
	Close(&client, &server, conns);
	(void)printf("closed in %.1f s, %u in TIME-WAIT\n", watch.Seconds(),
		leat_inet_nb_time_waits(client.Inet()));
	Idle(&client, &server, 2 * client.Conf().tcp.time_wait_us);
	(void)printf("TIME-WAIT over in %.1f s\n", watch.Seconds());
	client.CheckEnd();
	server.CheckEnd();
	(void)printf("nothing is left, and no counter of what went wrong\n");
}

} // namespace

int
main(int argc, char **argv)
{
	uint32_t nb_conns = argc == 2 ? (uint32_t)strtoul(argv[1], nullptr, 10) : 0;

	if (nb_conns == 0 || nb_conns > LEAT_INET_CONNS_MAX) {
		(void)fprintf(stderr, "inet_many NUMBER: so many connections\n");
		return 2;
	}
	TestEal eal(argv[0], 256 + nb_conns / 512);

	try {
		Run(nb_conns);
	} catch (const sim::Failure &failure) {
		(void)printf("failed: %s\n", failure.what());
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
