// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>

#include "leatd_test.h"

namespace
{

std::string
CheckError(const std::vector<std::string> &more)
{
	Parsed p = CheckArgs(more);

	EXPECT_EQ(-EINVAL, p.ret);
	return p.error;
}

// The error of one port alone, with a listener that fits.
std::string
PortError(const std::string &port, const std::string &address)
{
	Parsed p = ParseArgs({ "--port", port, "--listen", "resp,dpdk," + address + ",6379" });
	leat_error error = {};

	EXPECT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(-EINVAL, leatd_conf_check(p.conf.get(), TestParts(), &error)) << port;
	return error.text;
}

TEST(Check, AGoodConfigurationIsGoodAndItsAddressResolved)
{
	Parsed p = CheckArgs({});

	EXPECT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(0x0a4d0001u, leat_ip_addr_ipv4(p.conf->listens[0].addr));
}

TEST(Check, WithoutAPortOrAListenerThereIsNothingToDo)
{
	leat_error error = {};
	Parsed p = ParseArgs({ "--listen", kListen });

	EXPECT_EQ(-EINVAL, leatd_conf_check(p.conf.get(), TestParts(), &error));
	EXPECT_EQ(0u, std::string(error.text).find("no port is given; add --port")) << error.text;
	p = ParseArgs({ "--port", kPort });
	error = {};
	EXPECT_EQ(-EINVAL, leatd_conf_check(p.conf.get(), TestParts(), &error));
	EXPECT_EQ(0u, std::string(error.text).find("no listener is given; add --listen"))
		<< error.text;
}

TEST(Check, UnknownTransportsAndProtocolsListWhatThereIs)
{
	EXPECT_EQ("--listen http,kernel,unix:/x,0: transport kernel is not built into this leatd; "
		  "there are: dpdk",
		CheckError({ "--listen", "http,kernel,unix:/x,0" }));
	EXPECT_EQ("--listen sbe,dpdk,10.77.0.1,1: protocol sbe is not built into this leatd; there "
		  "are: resp, http, zap",
		CheckError({ "--listen", "sbe,dpdk,10.77.0.1,1" }));
}

TEST(Check, AListenersAddressMustBeAPorts)
{
	EXPECT_EQ("--listen resp,dpdk,10.77.0.2,1: address 10.77.0.2 is not an address of any port",
		CheckError({ "--listen", "resp,dpdk,10.77.0.2,1" }));
	EXPECT_EQ("--listen resp,dpdk,cache.example,1: address 'cache.example' is not an address "
		  "such as 10.77.0.1 or fd77::1",
		CheckError({ "--listen", "resp,dpdk,cache.example,1" }));
	EXPECT_EQ(0, CheckArgs({ "--listen", "http,dpdk,0.0.0.0,80" }).ret);
}

TEST(Check, ADpdkListenerNeedsAPortNumber)
{
	EXPECT_EQ("--listen resp,dpdk,10.77.0.1,0: port must be a number from 1 to 65535",
		CheckError({ "--listen", "resp,dpdk,10.77.0.1,0" }));
	EXPECT_EQ(0, CheckArgs({ "--listen", "resp,dpdk,10.77.0.1,1" }).ret);
	EXPECT_EQ(0, CheckArgs({ "--listen", "resp,dpdk,10.77.0.1,65535" }).ret);
}

TEST(Check, KeepAlivesAreAskedForByTheirIdleTime)
{
	for (const std::string key : { "keepalive-interval", "keepalive-probes" }) {
		std::string listen = "resp,dpdk,10.77.0.1,7000," + key + "=3";

		EXPECT_EQ(
			"--listen " + listen + ": " + key + " says nothing without keepalive-idle",
			CheckError({ "--listen", listen }));
		EXPECT_EQ(0, CheckArgs({ "--listen", listen + ",keepalive-idle=60" }).ret);
	}
}

TEST(Check, HeaderFieldsOfZapAreForListenersOfZap)
{
	EXPECT_EQ("--listen http,dpdk,10.77.0.1,7000,zap-headers=json: zap-headers says nothing "
		  "with protocol http",
		CheckError({ "--listen", "http,dpdk,10.77.0.1,7000,zap-headers=json" }));
	EXPECT_EQ(0, CheckArgs({ "--listen", "http,dpdk,10.77.0.1,7000,zap-headers=binary" }).ret);
}

TEST(Check, BuiltinRoutesAreForListenersWithRoutes)
{
	EXPECT_EQ(
		"--listen resp,dpdk,10.77.0.1,7000,builtin-route=none: builtin-route says nothing "
		"with protocol resp",
		CheckError({ "--listen", "resp,dpdk,10.77.0.1,7000,builtin-route=none" }));
	for (const char *protocol : { "http", "zap" }) {
		const std::string listen =
			std::string(protocol) +
			",dpdk,10.77.0.1,7000,builtin-route=health,builtin-route=kv";

		EXPECT_EQ(0, CheckArgs({ "--listen", listen.c_str() }).ret);
	}
}

TEST(Check, NoBuiltinRouteAndOneAreTooMany)
{
	EXPECT_EQ("--listen http,dpdk,10.77.0.1,7000,builtin-route=none,builtin-route=kv: "
		  "builtin-route is none, or one or more names",
		CheckError({ "--listen",
			"http,dpdk,10.77.0.1,7000,builtin-route=none,builtin-route=kv" }));
	EXPECT_EQ("--listen http,dpdk,10.77.0.1,7000,builtin-route=all: builtin-route 'all' is not "
		  "allowed; it must be none, echo, headers, health, kv or rpc",
		CheckError({ "--listen", "http,dpdk,10.77.0.1,7000,builtin-route=all" }));
}

TEST(Check, TheAnyAddressOverlapsEveryOther)
{
	EXPECT_EQ("--listen http,dpdk,0.0.0.0,6379: port 6379 is already that of resp 10.77.0.1",
		CheckError({ "--listen", "http,dpdk,0.0.0.0,6379" }));
	EXPECT_EQ("--listen resp,dpdk,10.77.0.1,80: port 80 is already that of http 0.0.0.0",
		CheckError({ "--listen", "http,dpdk,0.0.0.0,80", "--listen",
			"resp,dpdk,10.77.0.1,80" }));
}

TEST(Check, AddressesThatCannotBeAHostsAreTold)
{
	const struct {
		const char *addr;
		bool good;
	} table[] = {
		{ "10.77.0.0/24", false },
		{ "10.77.0.255/24", false },
		{ "10.77.0.1/24", true },
		{ "10.77.0.254/24", true },
		{ "10.77.0.0/31", true },
		{ "10.77.0.1/31", true },
		{ "10.77.0.0/32", true },
		{ "10.77.0.0/30", false },
		{ "0.0.0.1/24", false },
		{ "127.0.0.1/8", false },
		{ "223.255.255.1/24", true },
		{ "224.0.0.1/24", false },
		{ "255.255.255.255/32", false },
		{ "10.0.0.1/0", true },
		{ "fd77::1/64", true },
		{ "fd77::/64", false },
		{ "fd77::ffff:ffff:ffff:ffff/64", true },
		{ "fd77::/126", false },
		{ "fd77::/127", true },
		{ "fd77::/128", true },
		{ "fe80::1/64", true },
		{ "::2/0", true },
		{ "::/0", false },
		{ "::/128", false },
		{ "::1/128", false },
		{ "ff02::1/64", false },
	};

	for (auto &row : table) {
		std::string addr(row.addr);
		std::string host = addr.substr(0, addr.find('/'));
		Parsed p = ParseArgs({ "--port", "p0,dev=net_tap0,addr=" + addr, "--listen",
			"resp,dpdk," + host + ",1" });
		leat_error error = {};

		EXPECT_EQ(
			row.good ? 0 : -EINVAL, leatd_conf_check(p.conf.get(), TestParts(), &error))
			<< addr << " " << error.text;
	}
}

TEST(Check, AGatewayIsAnotherHostOfThePortsNetworks)
{
	const std::string port = "p0,dev=net_tap0,addr=10.77.0.1/24,gw=";

	EXPECT_EQ("--port p0: gw 10.78.0.1 is on none of the port's networks",
		PortError(port + "10.78.0.1", "10.77.0.1"));
	EXPECT_EQ("--port p0: gw 10.77.0.1 is the port's own address",
		PortError(port + "10.77.0.1", "10.77.0.1"));
	EXPECT_EQ("--port p0: gw 10.77.0.255 is on none of the port's networks",
		PortError(port + "10.77.0.255", "10.77.0.1"));
}

TEST(Check, AGatewayOfIpv6MayBeLinkLocal)
{
	const std::string port = "p0,dev=net_tap0,addr=10.77.0.1/24,addr=fd77::1/64,gw6=";

	EXPECT_EQ("--port p0: gw6 fd78::1 is on none of the port's networks",
		PortError(port + "fd78::1", "10.77.0.1"));
	EXPECT_EQ("--port p0: gw6 fd77::1 is the port's own address",
		PortError(port + "fd77::1", "10.77.0.1"));
	EXPECT_EQ("--port p0: gw6 fd77:: is on none of the port's networks",
		PortError(port + "fd77::", "10.77.0.1"));
	EXPECT_EQ("--port p0: gw6 fe80::1 is on none of the port's networks",
		PortError("p0,dev=net_tap0,addr=10.77.0.1/24,gw6=fe80::1", "10.77.0.1"));
	for (const char *good : { "fd77::2", "fe80::1" }) {
		leat_error error = {};
		Parsed p =
			ParseArgs({ "--port", port + good, "--listen", "resp,dpdk,fd77::1,6379" });

		EXPECT_EQ(0, leatd_conf_check(p.conf.get(), TestParts(), &error)) << error.text;
	}
}

// RFC 8200 section 5.
TEST(Check, Ipv6NeedsAnMtuOf1280)
{
	EXPECT_EQ("--port p0: mtu is 1279, and IPv6 needs 1280 or more",
		PortError("p0,dev=net_tap0,addr=fd77::1/64,mtu=1279", "fd77::1"));
	EXPECT_EQ(0, CheckArgs({ "--port", "p1,dev=net_tap1,addr=10.78.0.1/24,mtu=1279" }).ret);
	EXPECT_EQ(0, CheckArgs({ "--port", "p1,dev=net_tap1,addr=fd77::1/64,mtu=1280" }).ret);
}

TEST(Check, EachWildcardIsThatOfItsFamily)
{
	EXPECT_EQ("--listen http,dpdk,::,80: no port has an IPv6 address",
		CheckError({ "--listen", "http,dpdk,::,80" }));
	const std::vector<std::string> both = { "--port", "p1,dev=net_tap1,addr=fd77::1/64",
		"--listen", "http,dpdk,0.0.0.0,80", "--listen", "http,dpdk,::,80" };
	EXPECT_EQ(0, CheckArgs(both).ret) << "one port number for each family";
	EXPECT_EQ("--listen http,dpdk,fd77::1,80: port 80 is already that of http ::",
		CheckError({ "--port", "p1,dev=net_tap1,addr=fd77::1/64", "--listen",
			"http,dpdk,::,80", "--listen", "http,dpdk,fd77::1,80" }));
}

TEST(Check, OneAddressBelongsToOnePortOnce)
{
	EXPECT_EQ("--port p0: addr 10.77.0.1 is given twice",
		PortError("p0,dev=net_tap0,addr=10.77.0.1/24,addr=10.77.0.1/16", "10.77.0.1"));
	EXPECT_EQ("--port p1: addr 10.77.0.1 is already that of port p0",
		CheckError({ "--port", "p1,dev=net_tap1,addr=10.77.0.1/24" }));
}

TEST(Check, OneDeviceBelongsToOnePort)
{
	EXPECT_EQ("--port p1: device net_tap0 is already that of port p0",
		CheckError({ "--port", "p1,dev=net_tap0,addr=10.78.0.1/24" }));
	EXPECT_EQ("--port b: device 0A:00.0 is already that of port a",
		CheckError({ "--port", "a,dev=0000:0a:00.0,addr=10.78.0.1/24", "--port",
			"b,dev=0A:00.0,addr=10.79.0.1/24" }));
	EXPECT_EQ(0, CheckArgs({ "--port", "a,dev=0001:0a:00.0,addr=10.78.0.1/24", "--port",
				       "b,dev=0a:00.0,addr=10.79.0.1/24" })
			     .ret);
}

TEST(Check, ThisReleaseRunsOneWorker)
{
	EXPECT_EQ(0, CheckArgs({ "--workers", "1" }).ret);
	EXPECT_EQ("workers is 2, but this release runs 1 worker", CheckError({ "--workers", "2" }));
}

TEST(Check, TheCarryRegionHoldsOneRequest)
{
	EXPECT_EQ(0, CheckArgs({ "--carry-memory", "16", "--request-max", "16M" }).ret);
	EXPECT_EQ("carry-memory (16 MB) cannot hold one request of request-max (16777217 bytes)",
		CheckError({ "--carry-memory", "16", "--request-max", "16777217" }));
}

TEST(Check, ThePartsFitIntoTheMemory)
{
	EXPECT_EQ("memory is 100 MB, but store-memory (90) and carry-memory (20) alone take that "
		  "much",
		CheckError({ "--memory", "100", "--store-memory", "90", "--carry-memory", "20" }));
}

TEST(Check, TheSummaryShowsWhatWasChosen)
{
	Parsed p = CheckArgs({ "--no-huge" });
	char *text = nullptr;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	leatd_conf_print(p.conf.get(), out);
	fclose(out);
	std::string summary(text, len);
	free(text);
	EXPECT_NE(std::string::npos, summary.find("port p0: dev net_tap0, addr 10.77.0.1/24\n"))
		<< summary;
	EXPECT_NE(std::string::npos,
		summary.find(
			"listen: protocol resp, transport dpdk, address 10.77.0.1, port 6379\n"));
	EXPECT_NE(std::string::npos, summary.find("worker: workers 1, idle adaptive\n"));
	EXPECT_NE(std::string::npos, summary.find("memory 512 MB, no-huge yes,"));
}

} // namespace
