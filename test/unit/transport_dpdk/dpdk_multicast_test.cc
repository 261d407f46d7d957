// SPDX-License-Identifier: BSD-3-Clause

// Which multicast a port asks its device for: the linker puts us in front of the device.

#include <cerrno>
#include <string>
#include <vector>

#include <rte_ethdev.h>

#include "dpdk_fixture.h"

namespace
{

struct World {
	int list = 0, all = 0, promiscuous = 0; // what the device says to each
	std::vector<std::string> asked;         // of it, in order
} world;

class DpdkMulticast : public testing::Test
{
      protected:
	DpdkMulticast()
	{
		world = World();
	}

	// Open a port with an address. @return how it says that it lets multicast through.
	static std::string Open(const char *addr)
	{
		leat_dpdk_port_conf conf = PortConf("p0", "net_null0");
		leat_error error = {};
		leat_dpdk_port *port = nullptr;

		conf.nb_addrs = 1;
		conf.addrs[0].prefix_len = 24;
		EXPECT_EQ(0, leat_ip_addr_parse(addr, &conf.addrs[0].addr));
		EXPECT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
		if (port == nullptr)
			return "";
		std::string how = leat_dpdk_port_info(port)->multicast;

		leat_dpdk_port_close(port);
		return how;
	}
};

} // namespace

extern "C" {
int
__wrap_rte_eth_dev_set_mc_addr_list(uint16_t, rte_ether_addr *groups, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++) {
		char text[RTE_ETHER_ADDR_FMT_SIZE];

		rte_ether_format_addr(text, sizeof(text), &groups[i]);
		world.asked.push_back(text);
	}
	return world.list;
}

int
__wrap_rte_eth_allmulticast_enable(uint16_t)
{
	world.asked.push_back("all");
	return world.all;
}

int
__wrap_rte_eth_promiscuous_enable(uint16_t)
{
	world.asked.push_back("promiscuous");
	return world.promiscuous;
}
}

TEST_F(DpdkMulticast, OfAnIpv4AddressThereIsNone)
{
	EXPECT_EQ("none", Open("10.77.0.1"));
	EXPECT_TRUE(world.asked.empty());
}

// RFC 4291 section 2.7.1, RFC 2464 section 7.
TEST_F(DpdkMulticast, TheGroupsOfAnIpv6AddressAreAskedForByName)
{
	EXPECT_EQ("joined", Open("fd77::12:3456"));
	ASSERT_EQ(3u, world.asked.size()) << "all nodes, that of the address, that of the link";
	EXPECT_EQ("33:33:00:00:00:01", world.asked[0]);
	EXPECT_EQ("33:33:FF:12:34:56", world.asked[1]);
	EXPECT_EQ("33:33:FF", world.asked[2].substr(0, 8));
}

TEST_F(DpdkMulticast, ElseAllMulticastIsAskedForElseEverything)
{
	world.list = -ENOTSUP;
	EXPECT_EQ("all, since the device does not take groups by name", Open("fd77::1"));
	EXPECT_EQ("all", world.asked.back());
	world.all = -ENOTSUP;
	EXPECT_EQ("promiscuous mode, since the device has no other way", Open("fd77::1"));
	EXPECT_EQ("promiscuous", world.asked.back());
	world.promiscuous = -ENOTSUP;
	EXPECT_EQ("as the device lets through: it cannot be told", Open("fd77::1"));
}
