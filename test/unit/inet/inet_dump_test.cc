// SPDX-License-Identifier: BSD-3-Clause

// What a stack tells people: connections, neighbours and counters.

#include <cerrno>
#include <map>
#include <set>

#include "inet_lab.h"
#include "inet_priv.h"

namespace
{

using namespace inet_lab;

class InetDump : public InetLab
{
      protected:
	void SetUp() override
	{
		InetLab::SetUp();
		conf_.nb_conns_max = 8;
		conf_.nb_time_waits_max = 4;
		conf_.nb_neighbours_max = 4;
		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
	}

	// All that is found in a walk, and the place behind the last.
	std::vector<leat_inet_conn_info> Walk()
	{
		std::vector<leat_inet_conn_info> found;

		for (place_end_ = 0;; place_end_++) {
			leat_inet_conn_info info;
			int ret = leat_inet_conn_at(inet_, place_end_, &info);

			if (ret < 0) {
				EXPECT_EQ(-ENOENT, ret);
				return found;
			}
			if (ret > 0)
				found.push_back(info);
		}
	}

	static uint64_t Value(const leat_inet_conn_info &info, const std::string &name)
	{
		for (uint32_t i = 0; i < info.nb_stats; i++)
			if (info.stats[i].name == name)
				return info.stats[i].value;
		ADD_FAILURE() << "no " << name;
		return 0;
	}

	uint32_t place_end_ = 0;
};

TEST_F(InetDump, AnOpenConnectionIsToldWithItsEndsAndNumbers)
{
	leat_inet_conn *conn = Accept();

	now_us_ += 1500000;
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("hello")));
	(void)Output();
	std::vector<leat_inet_conn_info> found = Walk();
	ASSERT_EQ(1u, found.size());
	EXPECT_TRUE(leat_ip_addr_is_equal(V4(kOurAddr), found[0].laddr));
	EXPECT_TRUE(leat_ip_addr_is_equal(V4(kPeerAddr), found[0].raddr));
	EXPECT_EQ(kPort, found[0].lport);
	EXPECT_EQ(kPeerPort, found[0].rport);
	EXPECT_STREQ("ESTABLISHED", found[0].state);
	EXPECT_EQ(&listener_, found[0].listener);
	EXPECT_EQ(5u, Value(found[0], "queued"));
	EXPECT_EQ(5u, Value(found[0], "unacked"));
	EXPECT_EQ(1500u, Value(found[0], "age_ms"));
}

TEST_F(InetDump, BytesAreThoseOfTextInBothDirections)
{
	leat_inet_conn *conn = Accept();

	Input({ FromPeer(LEAT_TCP_ACK, "four").Build() });
	peer_seq_ += 4;
	for (leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("reply!")));
	(void)Output();
	EXPECT_EQ(4u, Value(Walk()[0], "bytes_received"));
	EXPECT_EQ(0u, Value(Walk()[0], "bytes_acked"));
	now_us_ += 700000;
	EXPECT_EQ(0u, Value(Walk()[0], "idle_ms")) << "the stack has not heard of the time";
	peer_ack_ += 6;
	Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
	EXPECT_EQ(6u, Value(Walk()[0], "bytes_acked"));
	EXPECT_EQ(4u, Value(Walk()[0], "bytes_received")) << "a FIN is no text";
	Wait(300000);
	EXPECT_EQ(300u, Value(Walk()[0], "idle_ms"));
	(void)Events();
	(void)Output();
}

TEST_F(InetDump, BytesBeyond32BitsAreCounted)
{
	leat_inet_conn *conn = Accept();

	conn->in_len = 0xfffffffeu; // as after nearly 4 GiB
	Input({ FromPeer(LEAT_TCP_ACK, "four").Build() });
	for (leat_inet_event &event : Events())
		rte_pktmbuf_free(event.mbuf);
	EXPECT_EQ(0xfffffffeull + 4, Value(Walk()[0], "bytes_received"));
}

TEST_F(InetDump, AHalfOpenConnectionIsToldToo)
{
	Tcp syn = { LEAT_TCP_SYN };

	Input({ syn.Build() });
	(void)Output();
	std::vector<leat_inet_conn_info> found = Walk();
	ASSERT_EQ(1u, found.size());
	EXPECT_STREQ("SYN-RECEIVED", found[0].state);
}

TEST_F(InetDump, TimeWaitStandsBehindAllSlots)
{
	leat_inet_conn *conn = Accept();
	leat_inet_conn_info info;

	leat_inet_shutdown(inet_, conn);
	(void)Output();
	peer_ack_++;
	Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
	(void)Output();
	(void)Events();
	std::vector<leat_inet_conn_info> found = Walk();
	ASSERT_EQ(1u, found.size()) << "told once";
	EXPECT_STREQ("TIME-WAIT", found[0].state);
	EXPECT_EQ(kPeerPort, found[0].rport);
	EXPECT_EQ(conf_.tcp.time_wait_us / 1000, Value(found[0], "left_ms"));
	for (uint32_t place = 0; place < conf_.nb_conns_max; place++)
		EXPECT_EQ(0, leat_inet_conn_at(inet_, place, &info));
}

TEST_F(InetDump, ThereAreAsManyPlacesAsSlotsOfBothKinds)
{
	EXPECT_TRUE(Walk().empty());
	EXPECT_EQ(conf_.nb_conns_max + conf_.nb_time_waits_max, place_end_);
}

TEST_F(InetDump, TheNumbersHaveNamesOfTheirOwn)
{
	std::set<std::string> names;

	(void)Accept();
	std::vector<leat_inet_conn_info> found = Walk();
	ASSERT_EQ(1u, found.size());
	for (uint32_t i = 0; i < found[0].nb_stats; i++)
		EXPECT_TRUE(names.insert(found[0].stats[i].name).second) << found[0].stats[i].name;
}

TEST_F(InetDump, NeighboursAreToldWithTheirState)
{
	leat_inet_nbr_info info;
	leat_inet_conn *conn;
	std::map<std::string, std::string> states;

	ASSERT_EQ(0, leat_inet_connect(inet_, V4(kThirdAddr), kPort, now_us_, &conn));
	(void)Output();
	for (uint32_t place = 0; place < conf_.nb_neighbours_max; place++) {
		char text[LEAT_IP_ADDR_TEXT_MAX];

		if (leat_inet_nbr_at(inet_, place, &info) == 0)
			continue;
		states[leat_ip_addr_format(info.addr, text)] = info.state;
		if (leat_ip_addr_is_equal(info.addr, V4(kPeerAddr)))
			EXPECT_EQ(0, memcmp(info.mac, kPeerMac, sizeof(info.mac)));
		else
			EXPECT_EQ(1u, info.nb_queued);
	}
	EXPECT_EQ((std::map<std::string, std::string>{
			  { "10.77.0.2", "REACHABLE" }, { "10.77.0.3", "INCOMPLETE" } }),
		states);
	EXPECT_EQ(-ENOENT, leat_inet_nbr_at(inet_, conf_.nb_neighbours_max, &info));
}

TEST_F(InetDump, EveryCounterHasANameOfItsOwn)
{
	leat_stat_set sets[LEAT_INET_STAT_SETS];
	std::set<std::string> names;

	leat_inet_stat_sets(inet_, sets);
	for (const leat_stat_set &set : sets)
		for (uint32_t i = 0; i < set.nb_defs; i++)
			EXPECT_TRUE(names.insert(set.name + std::string("/") + set.defs[i].name)
					    .second);
	EXPECT_TRUE(names.count("inet/rx_tcp_cksum"));
	EXPECT_TRUE(names.count("now/nb_half_open"));
}

TEST_F(InetDump, CountersAndWhatIsInUseAreReadByName)
{
	std::map<std::string, uint64_t> values;
	leat_stat_set sets[LEAT_INET_STAT_SETS];

	(void)Accept();
	leat_inet_stat_sets(inet_, sets);
	for (const leat_stat_set &set : sets)
		for (uint32_t i = 0; i < set.nb_defs; i++)
			values[set.defs[i].name] = leat_stat_read(&set, &set.defs[i]);
	EXPECT_EQ(1u, values["tcp_opens_passive"]);
	EXPECT_EQ(Stats().rx_frames, values["rx_frames"]);
	EXPECT_EQ(1u, values["nb_conns"]);
	EXPECT_EQ(0u, values["nb_half_open"]);
	EXPECT_EQ(1u, values["nb_neighbours"]);
}

TEST_F(InetDump, WhatConnectionsInMotionHaveLentIsTold)
{
	leat_inet_conn *conn = Accept();
	uint64_t records = Told("tcp_pool", "records");

	EXPECT_EQ(conf_.pool->size, records);
	EXPECT_EQ(records, Told("tcp_pool", "records_free"));
	ASSERT_EQ(0, leat_inet_send(inet_, conn, Text("hello")));
	(void)Output();
	EXPECT_EQ(records - 1, Told("tcp_pool", "records_free"));
	EXPECT_EQ(records - 1, Told("tcp_pool", "records_low"));
	EXPECT_EQ(0u, Told("tcp_pool", "records_dry"));
	EXPECT_EQ(Told("tcp_pool", "reass"), Told("tcp_pool", "reass_free"));
}

TEST_F(InetDump, OffloadsAreToldAsPromisedUsedOrGivenUp)
{
	conf_.offloads.tx_tcp_cksum = true;
	conf_.offloads.rx_tcp_cksum = true;
	conf_.offloads.rx_ip_cksum = true;
	conf_.trust_offloads = false;
	Close();
	Open();
	for (const char *offload : { "tx_tcp_cksum", "rx_tcp_cksum", "rx_ip_cksum" }) {
		EXPECT_EQ(1u, Told("offload_promised", offload));
		EXPECT_EQ(0u, Told("offload_given_up", offload));
	}
	EXPECT_EQ(0u, Told("offload_promised", "tx_tso"));
	EXPECT_EQ(0u, Told("offload_used", "tx_tcp_cksum")) << "its trial is to come";
	EXPECT_EQ(1u, Told("offload_used", "rx_tcp_cksum"));
	inet_offload_rx_tcp_lie(inet_, INET_IPV4);
	EXPECT_EQ(0u, Told("offload_used", "rx_tcp_cksum"));
	EXPECT_EQ(1u, Told("offload_given_up", "rx_tcp_cksum"));
	EXPECT_EQ(1u, Told("offload_used", "rx_ip_cksum"));
	inet_offload_rx_ip_lie(inet_);
	EXPECT_EQ(0u, Told("offload_used", "rx_ip_cksum"));
	EXPECT_EQ(1u, Told("offload_given_up", "rx_ip_cksum"));
}

} // namespace
