// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include "dpdk_fixture.h"

TEST(DpdkPortOpen, TellsWhatTheDeviceIs)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
	const struct leat_dpdk_port_info *info = leat_dpdk_port_info(port);
	EXPECT_STREQ("p0", info->name);
	EXPECT_STREQ("net_null", info->driver);
	EXPECT_EQ(1500, info->mtu);
	EXPECT_EQ(1, info->nb_queues);
	EXPECT_EQ(64, info->nb_rx_desc);
	EXPECT_STREQ("none", info->offloads_text);
	EXPECT_FALSE(info->rx_intr);
	EXPECT_LT(512u, info->nb_rx_mbufs);
	EXPECT_LT(512u * RTE_MBUF_DEFAULT_BUF_SIZE, info->rx_pool_len);
	leat_dpdk_port_close(port);
}

TEST(DpdkPortOpen, OpensAClosedDeviceAgain)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");
	leat_error error = {};

	for (int i = 0; i < 3; i++) {
		leat_dpdk_port *port = nullptr;

		ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
		leat_dpdk_port_close(port);
	}
}

TEST(DpdkPortOpen, RefusesADeviceThatAnotherPortHas)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
	conf.name = "p1";
	EXPECT_EQ("port p1: device net_null0 is already that of port p0", Refusal(conf, -EBUSY));
	leat_dpdk_port_close(port);
}

TEST(DpdkPortOpen, NamesAMissingInterface)
{
	EXPECT_EQ("port p0: there is no interface leat-none in this network namespace "
		  "(see `ip link`)",
		Refusal(PortConf("p0", "net_af_packet0,iface=leat-none"), -ENODEV));
	EXPECT_EQ("port p0: there is no interface leat-none in this network namespace "
		  "(see `ip link`)",
		Refusal(PortConf("p0", "net_af_xdp0,iface=leat-none,force_copy=1"), -ENODEV));
}

TEST(DpdkPortOpen, AsksForAnInterface)
{
	EXPECT_EQ("port p0: net_af_packet0 needs an interface: write "
		  "dev=net_af_packet0,iface=NAME",
		Refusal(PortConf("p0", "net_af_packet0"), -EINVAL));
}

TEST(DpdkPortOpen, RefusesAnInterfaceNameOfSixteenBytes)
{
	EXPECT_NE(std::string::npos,
		Refusal(PortConf("p0", "net_af_packet0,iface=0123456789abcde"), -ENODEV)
			.find("there is no interface 0123456789abcde"));
	EXPECT_NE(std::string::npos,
		Refusal(PortConf("p0", "net_af_packet0,iface=0123456789abcdef"), -EINVAL)
			.find("more than 15 bytes"));
}

TEST(DpdkPortOpen, NamesADeviceWithoutDriver)
{
	EXPECT_NE(std::string::npos,
		Refusal(PortConf("p0", "net_nosuch0"), -ENODEV)
			.find("\"net_nosuch0\" is neither a PCI address nor begins with the name "
			      "of a DPDK driver"));
}

TEST(DpdkPortOpen, NamesAMissingPciDevice)
{
	EXPECT_NE(std::string::npos, Refusal(PortConf("p0", "ffff:ff:1f.7"), -ENODEV)
					     .find("there is no PCI device ffff:ff:1f.7"));
}

TEST(DpdkPortOpen, TakesTheDriversOwnReason)
{
	EXPECT_NE(std::string::npos,
		Refusal(PortConf("p0", "net_null0,nosuch=1"), -EIO)
			.find("port p0: device net_null0,nosuch=1 cannot be opened: "));
}

TEST(DpdkPortOpen, RefusesMoreQueuesThanTheDeviceHas)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_ring_one");
	rte_ring *ring = rte_ring_create("one", 64, SOCKET_ID_ANY, 0);

	ASSERT_NE(nullptr, ring);
	ASSERT_LE(0, rte_eth_from_rings("one", &ring, 1, &ring, 1, 0));
	conf.nb_queues = 2;
	EXPECT_EQ("port p0: 2 queues are asked for, one per worker, and device net_ring_one has "
		  "1: ask for fewer workers, or for more queues in the device's arguments",
		Refusal(conf, -EINVAL));
	(void)rte_eal_hotplug_remove("vdev", "net_ring_one"); // its ethdev is closed already
	rte_ring_free(ring);
}

TEST(DpdkPortOpen, RefusesNoQueueAndOneTooMany)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");

	conf.nb_queues = 0;
	EXPECT_EQ("port p0: 0 queues: 1 to 64 can be had", Refusal(conf, -EINVAL));
	conf.nb_queues = LEAT_DPDK_QUEUES_MAX + 1;
	EXPECT_EQ("port p0: 65 queues: 1 to 64 can be had", Refusal(conf, -EINVAL));
}

TEST(DpdkPortOpen, RefusesANameOverTheLimit)
{
	leat_dpdk_port_conf conf = PortConf("0123456789abcdef", "net_null0");
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	EXPECT_NE(std::string::npos, Refusal(conf, -EINVAL).find("a name has 1 to 15 bytes"));
	conf.name = "";
	EXPECT_NE(std::string::npos, Refusal(conf, -EINVAL).find("a name has 1 to 15 bytes"));
	conf.name = "0123456789abcde";
	ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
	leat_dpdk_port_close(port);
}

TEST(DpdkPortOpen, RefusesAnMtuOutOfRange)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");

	conf.mtu = LEAT_INET_MTU_MIN - 1;
	EXPECT_EQ("port p0: MTU 575 is not in 576 to 9216", Refusal(conf, -EINVAL));
	conf.mtu = LEAT_DPDK_MTU_MAX + 1;
	EXPECT_EQ("port p0: MTU 9217 is not in 576 to 9216", Refusal(conf, -EINVAL));
}

TEST(DpdkPortOpen, FramesOfAJumboMtuFitIntoItsMbufs)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0"); // without scattered receive
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	conf.mtu = LEAT_DPDK_MTU_MAX;
	ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
	std::string head = "leat" + std::to_string(leat_dpdk_port_info(port)->port_id);
	EXPECT_FALSE(leat_dpdk_port_info(port)->rx_scatter);
	for (const char *kind : { "_rx", "_ctl" })
		EXPECT_LE(RTE_PKTMBUF_HEADROOM + 18 + LEAT_DPDK_MTU_MAX,
			rte_pktmbuf_data_room_size(rte_mempool_lookup((head + kind).c_str())));
	leat_dpdk_port_close(port);
}

TEST(DpdkPortOpen, TakesTheMtuThatIsAskedFor)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");
	leat_error error = {};
	leat_dpdk_port *port = nullptr;

	conf.mtu = LEAT_INET_MTU_MIN;
	ASSERT_EQ(0, leat_dpdk_port_open(&conf, &port, &error)) << error.text;
	EXPECT_EQ(LEAT_INET_MTU_MIN, leat_dpdk_port_info(port)->mtu);
	leat_dpdk_port_close(port);
}

TEST(DpdkPortOpen, RefusesMoreDescriptorsThanTheLimit)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");

	conf.nb_desc = LEAT_DPDK_DESCS_MAX + 1;
	EXPECT_EQ("port p0: 4097 descriptors: at most 4096 can be had", Refusal(conf, -EINVAL));
}

TEST(DpdkPortOpen, TellsWhenMbufsDoNotFit)
{
	leat_dpdk_port_conf conf = PortConf("p0", "net_null0");

	conf.nb_rx_mbufs = LEAT_DPDK_MBUFS_MAX;
	EXPECT_NE(std::string::npos,
		Refusal(conf, -ENOMEM).find("mbufs for rx do not fit into DPDK's memory"));
}
