// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>

#include "leatd_test.h"

namespace
{

TEST(Args, NothingMeansRunWithTheDefaults)
{
	Parsed p = ParseArgs({});

	EXPECT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(LEATD_RUN, p.args.action);
	EXPECT_EQ(nullptr, p.args.config_path);
	EXPECT_EQ(512u, p.conf->memory_mb);
}

TEST(Args, TheLastOfTwoEqualOptionsWins)
{
	Parsed p = ParseArgs({ "--memory", "100", "--memory=200" });

	EXPECT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(200u, p.conf->memory_mb);
}

TEST(Args, EveryKeyOfTheTableIsAnOption)
{
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	for (uint32_t i = 0; i < nb; i++) {
		const leatd_key &key = keys[i];
		std::vector<std::string> words = { std::string("--") + key.name };

		if (leatd_section_has_name(key.section))
			continue;
		if (key.type != LEATD_KEY_BOOL)
			words.push_back(key.default_text[0] != '\0' ? key.default_text : "0");
		Parsed p = ParseArgs(words);
		EXPECT_EQ(0, p.ret) << key.name << ": " << p.error;
	}
}

TEST(Args, AFlagTakesNoValue)
{
	EXPECT_TRUE(ParseArgs({ "--no-huge" }).conf->no_huge);
	EXPECT_EQ("option --no-huge takes no value", ParseArgs({ "--no-huge=yes" }).error);
}

TEST(Args, UnknownOptionsAreToldWithTheNearest)
{
	EXPECT_EQ("unknown option '--porr'; did you mean '--port'?",
		ParseArgs({ "--porr", "x" }).error);
	EXPECT_EQ("unknown option '--adptive'; see leatd --help", ParseArgs({ "--adptive" }).error);
	EXPECT_EQ("unknown option '-x'; see leatd --help", ParseArgs({ "-x" }).error);
	EXPECT_EQ("unknown option '--memry'; did you mean '--memory'?",
		ParseArgs({ "--memry=3" }).error);
}

TEST(Args, AKeyOfASectionThatIsNoOptionIsToldWithItsPlace)
{
	EXPECT_EQ("unknown option '--keepalive-idle'; it is a key of --listen, such as "
		  "--listen ...,keepalive-idle=SECONDS",
		ParseArgs({ "--keepalive-idle", "10" }).error);
	EXPECT_EQ("unknown option '--vlan'; it is a key of --port, such as --port ...,vlan=N",
		ParseArgs({ "--vlan=7" }).error);
}

TEST(Args, AMissingValueIsTold)
{
	EXPECT_EQ("option --memory needs a value", ParseArgs({ "--memory" }).error);
}

TEST(Args, AWordThatIsNoOptionIsTold)
{
	EXPECT_EQ("unexpected argument 'start'", ParseArgs({ "start" }).error);
	EXPECT_EQ("unexpected argument 'start'", ParseArgs({ "--no-huge", "--", "start" }).error);
}

TEST(Args, AWrongValueNamesItsOption)
{
	EXPECT_EQ("--idle: idle 'never' is not allowed; it must be poll or adaptive",
		ParseArgs({ "--idle", "never" }).error);
}

TEST(Args, HelpAndVersionDoNotReadTheFile)
{
	EXPECT_EQ(LEATD_HELP, ParseArgs({ "--config", "/nonexistent", "--help" }).args.action);
	EXPECT_EQ(0, ParseArgs({ "--config", "/nonexistent", "--help" }).ret);
	EXPECT_EQ(LEATD_VERSION, ParseArgs({ "--version" }).args.action);
}

TEST(Args, CheckReadsTheFile)
{
	Parsed p = ParseArgs({ "--check", "--config", "/nonexistent/leatd.conf" });

	EXPECT_EQ(-ENOENT, p.ret);
}

TEST(Args, OptionsOverrideTheFileWhereverTheyStand)
{
	TempFile file("[memory]\nmemory = 100\nstore-memory = 7\n");

	for (auto words : { std::vector<std::string>{ "--memory", "200", "--config", file.path },
		     std::vector<std::string>{ "--config", file.path, "--memory", "200" } }) {
		Parsed p = ParseArgs(words);

		EXPECT_EQ(0, p.ret) << p.error;
		EXPECT_EQ(200u, p.conf->memory_mb);
		EXPECT_EQ(7u, p.conf->store_mb);
	}
}

TEST(Args, APortReplacesThatOfTheFileWithItsName)
{
	TempFile file("[port p0]\ndev = net_tap0\naddr = 10.1.0.1/24\nmtu = 1400\n"
		      "[port p1]\ndev = net_tap1\naddr = 10.2.0.1/24\n");
	Parsed p = ParseArgs({ "--config", file.path, "--port", kPort });

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(2u, p.conf->nb_ports);
	EXPECT_EQ(0x0a4d0001u, leat_ip_addr_ipv4(p.conf->ports[0].addrs.list[0].addr));
	EXPECT_EQ(1u, p.conf->ports[0].addrs.nb);
	EXPECT_EQ(0u, p.conf->ports[0].mtu);
	EXPECT_STREQ("p1", p.conf->ports[1].name);
}

TEST(Args, AListenerReplacesThatOfTheFileWithItsAddressAndPort)
{
	TempFile file(
		"[listen a]\nprotocol = http\ntransport = dpdk\naddress = 10.77.0.1\nport = 6379\n"
		"[listen b]\nprotocol = http\ntransport = dpdk\naddress = 10.77.0.1\nport = 80\n");
	Parsed p = ParseArgs({ "--config", file.path, "--listen", kListen });

	ASSERT_EQ(0, p.ret) << p.error;
	ASSERT_EQ(2u, p.conf->nb_listens);
	EXPECT_STREQ("resp", p.conf->listens[0].protocol);
	EXPECT_STREQ("http", p.conf->listens[1].protocol);
}

TEST(Args, HelpNamesEveryOptionAndKeyWithItsDefault)
{
	char *text = nullptr;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	leatd_args_help(out);
	fclose(out);
	std::string help(text, len);
	free(text);
	for (const char *name :
		{ "--config FILE", "--check", "--version", "--help", "--port ", "--listen " })
		EXPECT_NE(std::string::npos, help.find(name)) << name;
	for (uint32_t i = 0; i < nb; i++) {
		EXPECT_NE(std::string::npos, help.find(keys[i].help)) << keys[i].name;
		if (!leatd_section_has_name(keys[i].section)) {
			EXPECT_NE(std::string::npos, help.find(std::string("  --") + keys[i].name));
		}
	}
	size_t start = 0;
	for (size_t end; (end = help.find('\n', start)) != std::string::npos; start = end + 1)
		EXPECT_LE(end - start, 110u) << help.substr(start, end - start);
}

} // namespace
