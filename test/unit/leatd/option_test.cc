// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>

#include "leatd_test.h"

namespace
{

std::string
PortError(const std::string &text)
{
	Parsed p = ParseArgs({ "--port", text });

	EXPECT_LT(p.ret, 0) << text;
	return p.error;
}

std::string
ListenError(const std::string &text)
{
	Parsed p = ParseArgs({ "--listen", text });

	EXPECT_LT(p.ret, 0) << text;
	return p.error;
}

TEST(PortOption, TakesEveryKeyAndTheDevicesArguments)
{
	Parsed p = ParseArgs({ "--port",
		"p0,dev=net_af_packet0,addr=10.77.0.1/24,addr=10.78.0.1/16,"
		"gw=10.77.0.254,vlan=7,mtu=1400,no-offload=rx-ip-cksum;iface=veth1,qpairs=1;x" });

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(1u, p.conf->nb_ports);
	const leatd_port_conf &port = p.conf->ports[0];
	EXPECT_STREQ("p0", port.name);
	EXPECT_STREQ("net_af_packet0", port.dev);
	ASSERT_EQ(2u, port.addrs.nb);
	EXPECT_EQ(0x0a4d0001u, leat_ip_addr_ipv4(port.addrs.list[0].addr));
	EXPECT_EQ(24u, port.addrs.list[0].prefix_len);
	EXPECT_EQ(0x0a4e0001u, leat_ip_addr_ipv4(port.addrs.list[1].addr));
	EXPECT_EQ(16u, port.addrs.list[1].prefix_len);
	EXPECT_EQ(0x0a4d00feu, leat_ip_addr_ipv4(port.gateway));
	EXPECT_EQ(7u, port.vlan_id);
	EXPECT_EQ(1400u, port.mtu);
	EXPECT_EQ(1u << LEATD_OFFLOAD_RX_IP_CKSUM, port.refused);
	EXPECT_STREQ("iface=veth1,qpairs=1;x", port.args);
}

TEST(PortOption, HasDefaults)
{
	Parsed p = ParseArgs({ "--port", kPort });

	ASSERT_EQ(0, p.ret) << p.error;
	EXPECT_TRUE(leat_ip_addr_is_none(p.conf->ports[0].gateway));
	EXPECT_EQ(0u, p.conf->ports[0].vlan_id);
	EXPECT_EQ(0u, p.conf->ports[0].mtu);
	EXPECT_EQ(0u, p.conf->ports[0].refused);
	EXPECT_STREQ("", p.conf->ports[0].args);
}

TEST(PortOption, SaysWhatIsMissing)
{
	EXPECT_EQ("--port p0: addr is missing: an IPv4 or IPv6 address of the port and its prefix "
		  "length; "
		  "may be repeated",
		PortError("p0,dev=net_tap0"));
	EXPECT_EQ(
		"--port p0: dev is missing: the NIC's PCI address, or the name of a virtual device",
		PortError("p0,addr=10.77.0.1/24"));
}

TEST(PortOption, SaysWhichKeyWasMeant)
{
	EXPECT_EQ("--port p0: unknown key 'adr'; did you mean 'addr'?",
		PortError("p0,dev=net_tap0,adr=10.77.0.1/24"));
	EXPECT_EQ("--port p0: unknown key 'colour'; see leatd --help",
		PortError(kPort + ",colour=red"));
	EXPECT_EQ("--port p0: unknown key 'idle'; it belongs to section [worker]",
		PortError(kPort + ",idle=poll"));
}

TEST(PortOption, SaysWhatAValueMustBe)
{
	EXPECT_EQ("--port p0: vlan '4095' is not allowed; it must be a number from 1 to 4094",
		PortError(kPort + ",vlan=4095"));
	EXPECT_EQ("--port p0: addr '10.77.0.300/24' is not allowed; it must be an address and "
		  "prefix length, such as 10.77.0.1/24 or fd77::1/64",
		PortError("p0,dev=net_tap0,addr=10.77.0.300/24"));
}

TEST(PortOption, RefusesWhatIsNotKeyAndValue)
{
	EXPECT_EQ("--port p0: 'promiscuous' is not key=value", PortError(kPort + ",promiscuous"));
	EXPECT_EQ("--port p0: '' is not key=value", PortError(kPort + ","));
	EXPECT_EQ("--port p0: mtu is given twice", PortError(kPort + ",mtu=1400,mtu=1400"));
	EXPECT_EQ("--port p0: args is given twice", PortError(kPort + ",args=iface=a;iface=b"));
}

TEST(PortOption, RefusesBadNames)
{
	for (const char *bad : { "", "p 0", "p/0", "abcdefghijklmnop", "dev=net_tap0" })
		EXPECT_NE(std::string::npos,
			PortError(std::string(bad) + ",dev=net_tap0,addr=10.77.0.1/24")
				.find("it must be 1 to 15 of a-z, A-Z, 0-9, _ and -"))
			<< bad;
	EXPECT_EQ(0, ParseArgs({ "--port", "abcdefghijkl-_9,dev=net_tap0,addr=10.77.0.1/24" }).ret);
}

TEST(PortOption, RefusesTheSameNameTwice)
{
	Parsed p = ParseArgs({ "--port", kPort, "--port", kPort });

	EXPECT_EQ(-EEXIST, p.ret);
	EXPECT_EQ("--port p0: port p0 is given twice", p.error);
}

TEST(PortOption, RefusesOneOverTheLimit)
{
	std::vector<std::string> words;

	for (int i = 0; i < LEATD_PORTS_MAX; i++) {
		words.push_back("--port");
		words.push_back("p" + std::to_string(i) + ",dev=net_tap0,addr=10.77.0.1/24");
	}
	EXPECT_EQ(0, ParseArgs(words).ret);
	words.push_back("--port");
	words.push_back("p99,dev=net_tap0,addr=10.77.0.1/24");
	EXPECT_EQ("--port p99: there may be 8 ports at most", ParseArgs(words).error);
}

TEST(PortOption, RefusesAnEndlessText)
{
	EXPECT_NE(std::string::npos, PortError(std::string(100000, 'a')).find("more than"));
}

TEST(ListenOption, TakesItsFourPlaces)
{
	Parsed p = ParseArgs({ "--listen", "http,kernel,unix:/run/leat.sock,0" });

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(1u, p.conf->nb_listens);
	EXPECT_STREQ("http", p.conf->listens[0].protocol);
	EXPECT_STREQ("kernel", p.conf->listens[0].transport);
	EXPECT_STREQ("unix:/run/leat.sock", p.conf->listens[0].address);
	EXPECT_EQ(0u, p.conf->listens[0].port);
}

TEST(ListenOption, SaysWhatIsMissing)
{
	EXPECT_EQ(
		"--listen resp,dpdk,10.77.0.1: port is missing: the TCP port; 0 is for transports "
		"that have none",
		ListenError("resp,dpdk,10.77.0.1"));
}

TEST(ListenOption, RefusesBadPorts)
{
	EXPECT_EQ("--listen resp,dpdk,10.77.0.1,65536: port '65536' is not allowed; it must be a "
		  "number from 0 to 65535",
		ListenError("resp,dpdk,10.77.0.1,65536"));
	EXPECT_EQ(0, ParseArgs({ "--listen", "resp,dpdk,10.77.0.1,65535" }).ret);
}

TEST(ListenOption, RefusesKeysThatItDoesNotHave)
{
	EXPECT_EQ("--listen sbe,fabric,10.0.0.1,7000,provider=tcp: unknown key 'provider'; "
		  "see leatd --help",
		ListenError("sbe,fabric,10.0.0.1,7000,provider=tcp"));
	EXPECT_EQ("--listen resp,dpdk,10.77.0.1,1,port=2: port is given twice",
		ListenError("resp,dpdk,10.77.0.1,1,port=2"));
}

TEST(ListenOption, RefusesTheSameTwice)
{
	EXPECT_EQ(-EEXIST, ParseArgs({ "--listen", kListen, "--listen", kListen }).ret);
}

TEST(ListenOption, RefusesOneOverTheLimit)
{
	std::vector<std::string> words;

	for (int i = 0; i < LEATD_LISTENS_MAX; i++) {
		words.push_back("--listen");
		words.push_back("resp,dpdk,10.77.0.1," + std::to_string(1000 + i));
	}
	EXPECT_EQ(0, ParseArgs(words).ret);
	words.push_back("--listen");
	words.push_back("resp,dpdk,10.77.0.1,999");
	EXPECT_EQ(-ENOSPC, ParseArgs(words).ret);
}

} // namespace
