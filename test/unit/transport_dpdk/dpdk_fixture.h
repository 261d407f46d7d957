// SPDX-License-Identifier: BSD-3-Clause

#ifndef DPDK_FIXTURE_H
#define DPDK_FIXTURE_H

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rte_dev.h>
#include <rte_eth_ring.h>
#include <rte_ring.h>

#include <leat_transport_dpdk.h>

constexpr uint32_t kClientAddr = 0x0a4d0001;
constexpr uint32_t kServerAddr = 0x0a4d0002;
constexpr uint16_t kPort = 6379;
constexpr uint16_t kBurst = 64;

// A conf whose pools are as small as they may be.
inline leat_dpdk_port_conf
PortConf(const char *name, const char *dev)
{
	leat_dpdk_port_conf conf = {};

	conf.name = name;
	conf.dev = dev;
	conf.socket_id = -1;
	conf.nb_queues = 1;
	conf.nb_desc = 64;
	conf.nb_rx_mbufs = 512;
	conf.nb_tx_mbufs = 512;
	return conf;
}

// Opens and expects a refusal.
inline std::string
Refusal(const leat_dpdk_port_conf &conf, int ret)
{
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	EXPECT_EQ(ret, leat_dpdk_port_open(&conf, &port, &error));
	EXPECT_EQ(nullptr, port);
	return error.text;
}

// A number that a transport tells people.
inline uint64_t
Told(const leat_transport *xp, const std::string &set_name, const std::string &name)
{
	leat_stat_set sets[LEAT_TRANSPORT_STATS_MAX];
	uint32_t nb = xp->ops->stats(xp, sets);

	for (uint32_t s = 0; s < nb; s++)
		for (uint32_t i = 0; i < sets[s].nb_defs; i++)
			if (sets[s].name == set_name && sets[s].defs[i].name == name)
				return leat_stat_read(&sets[s], &sets[s].defs[i]);
	ADD_FAILURE() << "no " << set_name << "/" << name;
	return 0;
}

// Two ports whose ends are joined by two rings of rte_ring, with one transport on each.
class Wire : public testing::Test
{
      protected:
	// Frames that are on the wire in one direction.
	void Join(unsigned int nb_frames)
	{
		rings[0] = rte_ring_create("wire_there", nb_frames, SOCKET_ID_ANY, RING_F_EXACT_SZ);
		rings[1] = rte_ring_create("wire_back", nb_frames, SOCKET_ID_ANY, RING_F_EXACT_SZ);
		ASSERT_NE(nullptr, rings[0]);
		ASSERT_NE(nullptr, rings[1]);
		ASSERT_LE(0, rte_eth_from_rings("a", &rings[1], 1, &rings[0], 1, 0));
		ASSERT_LE(0, rte_eth_from_rings("b", &rings[0], 1, &rings[1], 1, 0));
		OpenPort(0, "client", "net_ring_a", kClientAddr);
		OpenPort(1, "server", "net_ring_b", kServerAddr);
	}

	void OpenPort(int i, const char *name, const char *dev, uint32_t addr)
	{
		leat_dpdk_port_conf conf = PortConf(name, dev);
		leat_error error = {};

		conf.nb_addrs = 1;
		conf.addrs[0] = { leat_ip_addr_from_ipv4(addr), 24 };
		conf.refused = refused;
		conf.mtu = mtu;
		ASSERT_EQ(0, leat_dpdk_port_open(&conf, &ports[i], &error)) << error.text;
		ASSERT_EQ(0, OpenQueue(i, 0, &xps[i], &error)) << error.text;
	}

	int OpenQueue(int i, uint16_t queue_id, leat_transport **xp, leat_error *error)
	{
		leat_dpdk_conf own = {};
		leat_transport_conf conf = {};

		own.port = ports[i];
		own.queue_id = queue_id;
		conf.socket_id = -1;
		conf.nb_conns_max = 16;
		conf.seed[0] = 1;
		conf.seed[1] = 2;
		conf.now_us = now_us;
		conf.driver_conf = &own;
		return leat_transport_dpdk_ops.open(&conf, xp, error);
	}

	void TearDown() override
	{
		for (leat_transport *xp : xps)
			if (xp != nullptr)
				xp->ops->close(xp);
		for (rte_ring *ring : rings)
			DrainWire(ring);
		for (leat_dpdk_port *port : ports) {
			if (port == nullptr)
				continue;
			ExpectWholePools(leat_dpdk_port_info(port)->port_id);
			leat_dpdk_port_close(port);
		}
		(void)rte_eal_hotplug_remove("vdev", "net_ring_a"); // its ethdev is closed already
		(void)rte_eal_hotplug_remove("vdev", "net_ring_b"); // as above
		for (rte_ring *ring : rings)
			rte_ring_free(ring);
	}

	static void DrainWire(rte_ring *ring)
	{
		void *frame;

		while (ring != nullptr && rte_ring_dequeue(ring, &frame) == 0)
			rte_pktmbuf_free((rte_mbuf *)frame);
	}

	static void ExpectWholePools(uint16_t port_id)
	{
		for (const char *kind : { "_rx", "_text", "_ctl" }) {
			std::string name = "leat" + std::to_string(port_id) + kind;
			rte_mempool *pool = rte_mempool_lookup(name.c_str());

			ASSERT_NE(nullptr, pool) << name;
			EXPECT_EQ(pool->size, rte_mempool_avail_count(pool)) << name;
		}
	}

	// One turn of one side.
	std::vector<leat_transport_event> Turn(int i)
	{
		std::vector<leat_transport_event> events(kBurst);

		events.resize(leat_transport_rx_burst(xps[i], now_us, events.data(), kBurst));
		return events;
	}

	void Flush(int i)
	{
		leat_transport_tx_flush(xps[i], now_us);
	}

	rte_mbuf *Text(int i, const std::string &text)
	{
		rte_mbuf *mbuf = leat_transport_tx_alloc(xps[i]);

		EXPECT_NE(nullptr, mbuf);
		memcpy(rte_pktmbuf_append(mbuf, (uint16_t)text.size()), text.data(), text.size());
		return mbuf;
	}

	static std::string Take(rte_mbuf *chain)
	{
		std::string s;

		for (const rte_mbuf *m = chain; m != nullptr; m = m->next)
			s.append(rte_pktmbuf_mtod(m, const char *), m->data_len);
		rte_pktmbuf_free(chain);
		return s;
	}

	leat_endpoint Server()
	{
		leat_endpoint endpoint = {};

		endpoint.type = LEAT_ENDPOINT_IPV4;
		endpoint.ipv4 = kServerAddr;
		endpoint.port = kPort;
		return endpoint;
	}

	leat_inet_offloads refused = {};
	uint16_t mtu = 0;
	uint64_t now_us = 1000000;
	rte_ring *rings[2] = {};
	leat_dpdk_port *ports[2] = {};
	leat_transport *xps[2] = {};
};

#endif // DPDK_FIXTURE_H
