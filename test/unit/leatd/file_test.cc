// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>

#include "leatd_test.h"

namespace
{

const std::string kPortSection = "[port p0]\n"
				 "dev = net_af_packet0\n"
				 "addr = 10.77.0.1/24\n";
const std::string kListenSection = "[listen cache]\n"
				   "protocol = resp\n"
				   "transport = dpdk\n"
				   "address = 10.77.0.1\n"
				   "port = 6379\n";

TEST(ConfFile, FillsEverySection)
{
	Parsed p =
		ParseFile("# leatd\n\n" + kPortSection +
			  "addr = 10.78.0.1/24\ngw = 10.77.0.254\nvlan = 7\nmtu = 1400\n"
			  "args = iface=veth1,qpairs=1\n" +
			  kListenSection +
			  "[worker]\nidle = poll\ncpus = 1\n[memory]\nmemory = 256\nno-huge = yes\n"
			  "[limits]\ndrain-timeout = 3\n");

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(1u, p.conf->nb_ports);
	EXPECT_STREQ("p0", p.conf->ports[0].name);
	EXPECT_EQ(2u, p.conf->ports[0].addrs.nb);
	EXPECT_EQ(0x0a4d00feu, leat_ip_addr_ipv4(p.conf->ports[0].gateway));
	EXPECT_EQ(7u, p.conf->ports[0].vlan_id);
	EXPECT_EQ(1400u, p.conf->ports[0].mtu);
	EXPECT_STREQ("iface=veth1,qpairs=1", p.conf->ports[0].args);
	ASSERT_EQ(1u, p.conf->nb_listens);
	EXPECT_STREQ("resp", p.conf->listens[0].protocol);
	EXPECT_EQ(6379u, p.conf->listens[0].port);
	EXPECT_EQ((uint64_t)LEATD_IDLE_POLL, p.conf->idle);
	EXPECT_EQ(1u, p.conf->cpus.nb);
	EXPECT_EQ(256u, p.conf->memory_mb);
	EXPECT_TRUE(p.conf->no_huge);
	EXPECT_EQ(3u, p.conf->drain_timeout_s);
}

TEST(ConfFile, BlanksCommentsAndLineEndsDoNotCount)
{
	Parsed p = ParseFile("\r\n  ; a comment\r\n\t[memory] ; why\r\n"
			     "   memory=256 ; enough\r\n\t  no-huge  =  yes");

	ASSERT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(256u, p.conf->memory_mb);
	EXPECT_TRUE(p.conf->no_huge);
}

TEST(ConfFile, AnEmptyFileChangesNothing)
{
	Parsed p = ParseFile("");

	EXPECT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(512u, p.conf->memory_mb);
}

struct Wrong {
	std::string text;
	const char *error;
};

TEST(ConfFile, TheFirstWrongLineIsTold)
{
	const Wrong table[] = {
		{ "[memory]\nmemori = 1\nmemory = 0\n", "FILE:2: unknown key 'memori' in section "
							"[memory]; did you mean 'memory'?" },
		{ kPortSection + "addresses = 1\n",
			"FILE:4: unknown key 'addresses' in section [port p0]; see leatd --help" },
		{ kPortSection + "\n\ngww = 10.77.0.9\n",
			"FILE:6: unknown key 'gww' in section [port p0]; did you mean 'gw'?" },
		{ "[worker]\nmemory = 256\n",
			"FILE:2: unknown key 'memory' in section [worker]; it "
			"belongs to section [memory]" },
		{ "[memory]\n# fine\nmemory = 63\n",
			"FILE:3: memory '63' is not allowed; it must be "
			"a number from 64 to 1048576" },
		{ "[memory]\nmemory =\n", "FILE:2: memory '' is not allowed; it must be a number "
					  "from 64 to 1048576" },
		{ "[memory]\nmemory = 100\nmemory = 100\n",
			"FILE:3: memory is given twice in section [memory]" },
		{ "[memory]\nmemory = 100\n[worker]\n[memory]\nmemory = 100\n",
			"FILE:5: memory is given twice in section [memory]" },
		{ "memory = 100\n", "FILE:1: 'memory' stands before the first [section]" },
		{ "[memory]\nno-huge\n", "FILE:2: neither 'key = value' nor [section]" },
		{ "[memory]\nmemory: 100\n", "FILE:2: neither 'key = value' nor [section]" },
		{ "\n[memroy]\n", "FILE:2: unknown section [memroy]; did you mean [memory]?" },
		{ "[tunnel t0]\n", "FILE:1: unknown section [tunnel t0]; there are: port, listen, "
				   "route, worker, memory, limits, server, control, tcp" },
		{ "[port]\n", "FILE:1: section [port] needs a name, such as [port port0]" },
		{ "[memory m0]\n", "FILE:1: section [memory] takes no name" },
		{ "[port p/0]\n",
			"FILE:1: name 'p/0' is not allowed; it must be 1 to 15 of a-z, A-Z, "
			"0-9, _ and -" },
		{ "[memory\n", "FILE:1: a section is [name], alone in its line" },
		{ "[memory] memory = 100\n", "FILE:1: a section is [name], alone in its line" },
		{ "[port p0]\n", "FILE:1: dev is missing: the NIC's PCI address, or the name of a "
				 "virtual device" },
		{ "\n[port p0]\ndev = net_tap0\n[memory]\n",
			"FILE:2: addr is missing: an IPv4 or IPv6 address of the port and its "
			"prefix "
			"length; "
			"may be repeated" },
		{ kPortSection + kPortSection, "FILE:4: port p0 is given twice" },
		{ kListenSection + kListenSection, "FILE:6: listener cache is given twice" },
	};

	for (const Wrong &wrong : table) {
		Parsed p = ParseFile(wrong.text);

		EXPECT_LT(p.ret, 0) << wrong.text;
		EXPECT_EQ(wrong.error, p.error) << wrong.text;
	}
}

TEST(ConfFile, TwoListenersOfOneAddressAreTold)
{
	std::string other = kListenSection;

	other.replace(other.find("cache"), 5, "again");
	Parsed p = ParseFile(kListenSection + other);

	EXPECT_EQ(-EEXIST, p.ret);
	EXPECT_EQ(0u, p.error.find("FILE:6: 10.77.0.1 port 6379 is listened to twice, see "))
		<< p.error;
}

TEST(ConfFile, ALineIsTakenAtItsLongestAndRefusedOneOver)
{
	std::string longest = "#" + std::string(LEATD_LINE_LEN_MAX - 1, 'x');
	std::string args = "args = ";

	EXPECT_EQ(0, ParseFile(longest + "\n").ret);
	EXPECT_EQ("FILE:2: a line of more than 197 bytes", ParseFile("\n" + longest + "x\n").error);
	args += std::string(LEATD_LINE_LEN_MAX - args.size(), 'x');
	Parsed p = ParseFile(kPortSection + args + "\n");
	ASSERT_EQ(0, p.ret) << p.error;
	EXPECT_EQ((size_t)LEATD_LINE_LEN_MAX - 7, strlen(p.conf->ports[0].args));
	EXPECT_EQ("FILE:4: a line of more than 197 bytes",
		ParseFile(kPortSection + args + "x\n").error);
}

TEST(ConfFile, AZeroByteIsTold)
{
	EXPECT_EQ("FILE:2: a zero byte",
		ParseFile(std::string("[memory]\nmemory = 100\0\n", 22)).error);
}

TEST(ConfFile, AFileThatCannotBeReadIsTold)
{
	auto conf = std::make_unique<leatd_conf>();
	leat_error error = {};

	EXPECT_EQ(-ENOENT, leatd_conf_load(conf.get(), "/nonexistent/leatd.conf", &error));
	EXPECT_STREQ("cannot read configuration file /nonexistent/leatd.conf: No such file or "
		     "directory",
		error.text);
	error = {};
	EXPECT_EQ(-EIO, leatd_conf_load(conf.get(), "/tmp", &error));
	EXPECT_STREQ("cannot read configuration file /tmp: Is a directory", error.text);
}

TEST(ConfFile, EveryKeyIsTakenInItsSection)
{
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	for (uint32_t i = 0; i < nb; i++) {
		const leatd_key &key = keys[i];

		if (leatd_section_has_name(key.section) || key.default_text[0] == '\0')
			continue;
		Parsed p = ParseFile("[" + std::string(key.section) + "]\n" + key.name + " = " +
				     key.default_text + "\n");
		EXPECT_EQ(0, p.ret) << p.error;
	}
}

} // namespace
