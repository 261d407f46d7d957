// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <map>
#include <set>

#include "leatd_test.h"

namespace
{

// Room for the struct of any section.
union AnySection {
	leatd_conf conf;
	leatd_port_conf port;
	leatd_listen_conf listen;
};

class KeyValue : public testing::Test
{
      protected:
	int Set(const leatd_key *key, const std::string &value)
	{
		leat_error error = {};
		int ret = leatd_key_set(key, any.get(), "here", value.c_str(), &error);

		text = error.text;
		EXPECT_EQ(ret == 0, text.empty()) << text;
		return ret;
	}
	int Set(const char *section, const char *name, const std::string &value)
	{
		const leatd_key *key = leatd_key_find(section, name);

		EXPECT_NE(nullptr, key) << name;
		return key == nullptr ? -ENOENT : Set(key, value);
	}
	std::string Get(const leatd_key *key)
	{
		char value[LEATD_VALUE_LEN];

		return leatd_key_format(key, any.get(), value);
	}
	std::string Get(const char *section, const char *name)
	{
		return Get(leatd_key_find(section, name));
	}
	std::vector<const leatd_key *> Keys(std::set<leatd_key_type> types)
	{
		std::vector<const leatd_key *> found;
		uint32_t nb;
		const leatd_key *keys = leatd_key_table(&nb);

		for (uint32_t i = 0; i < nb; i++)
			if (types.count(keys[i].type) != 0)
				found.push_back(&keys[i]);
		return found;
	}

	std::unique_ptr<AnySection> any = std::make_unique<AnySection>();
	std::string text;
};

TEST_F(KeyValue, EveryNumberIsTakenAtItsLimitsAndRefusedOneOver)
{
	for (const leatd_key *key : Keys({ LEATD_KEY_NUMBER, LEATD_KEY_SIZE })) {
		SCOPED_TRACE(key->name);
		EXPECT_EQ(0, Set(key, std::to_string(key->min)));
		EXPECT_EQ(0, Set(key, std::to_string(key->max)));
		std::string before = Get(key);
		EXPECT_EQ(-EINVAL, Set(key, std::to_string(key->max + 1)));
		if (key->min > 0) {
			EXPECT_EQ(-EINVAL, Set(key, std::to_string(key->min - 1)));
		}
		EXPECT_EQ(before, Get(key));
	}
}

TEST_F(KeyValue, EveryNumberRefusesWhatIsNotADecimalNumber)
{
	for (const leatd_key *key : Keys({ LEATD_KEY_NUMBER, LEATD_KEY_SIZE }))
		for (const char *bad : { "", " 1", "-1", "+1", "0x10", "1.5", "1e3", "one", "1 ",
			     "18446744073709551616", "99999999999999999999999999" })
			EXPECT_EQ(-EINVAL, Set(key, bad)) << key->name << " '" << bad << "'";
}

TEST_F(KeyValue, EveryDefaultIsAllowedAndPrintsAsItIsWritten)
{
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	for (uint32_t i = 0; i < nb; i++) {
		if (keys[i].default_text == nullptr || keys[i].default_text[0] == '\0')
			continue;
		EXPECT_EQ(0, Set(&keys[i], keys[i].default_text)) << keys[i].name;
		EXPECT_EQ(keys[i].default_text, Get(&keys[i])) << keys[i].name;
	}
}

TEST_F(KeyValue, EveryTextIsTakenAtItsLongestAndRefusedOneOver)
{
	for (const leatd_key *key : Keys({ LEATD_KEY_TEXT })) {
		EXPECT_EQ(0, Set(key, std::string(key->max, 'a'))) << key->name;
		EXPECT_EQ(std::string(key->max, 'a'), Get(key)) << key->name;
		EXPECT_EQ(-EINVAL, Set(key, std::string(key->max + 1, 'a'))) << key->name;
		if (key->min > 0) {
			EXPECT_EQ(-EINVAL, Set(key, "")) << key->name;
		}
	}
	std::string longest = "net_" + std::string(LEATD_DEV_LEN - 5, 'a');
	EXPECT_EQ(0, Set("port", "dev", longest));
	EXPECT_EQ(-EINVAL, Set("port", "dev", longest + "a"));
}

TEST_F(KeyValue, APasswordIsTakenAtItsLongestAndNeverPrinted)
{
	const leatd_key *key = leatd_key_find("server", "requirepass");
	leat_error error = {};

	EXPECT_EQ("", Get(key));
	EXPECT_EQ(0, Set(key, std::string(128, 'p')));
	EXPECT_EQ(std::string(128, 'p'), any->conf.requirepass);
	EXPECT_EQ("(hidden)", Get(key));
	EXPECT_EQ(-EINVAL,
		leatd_key_set(key, any.get(), "here", std::string(129, 'p').c_str(), &error));
	EXPECT_EQ("here: requirepass '(hidden)' is not allowed; it must be text of 0 to 128 bytes",
		std::string(error.text));
}

TEST_F(KeyValue, TextRefusesControlCharacters)
{
	EXPECT_EQ(-EINVAL, Set("port", "args", "iface=\033[2J"));
}

TEST_F(KeyValue, SizesTakeSuffixes)
{
	EXPECT_EQ(0, Set("limits", "request-max", "64K"));
	EXPECT_EQ(65536u, any->conf.request_max);
	EXPECT_EQ(0, Set("limits", "request-max", "64m"));
	EXPECT_EQ(64u << 20, any->conf.request_max);
	for (const char *bad : { "65M", "1G", "K", "1KB", "1T", "9223372036854775807G" })
		EXPECT_EQ(-EINVAL, Set("limits", "request-max", bad)) << bad;
}

TEST_F(KeyValue, SizesPrintWithTheLargestExactSuffix)
{
	for (const char *size : { "1025", "1K", "1536K", "2M" }) {
		EXPECT_EQ(0, Set("limits", "request-max", size));
		EXPECT_EQ(size, Get("limits", "request-max"));
	}
}

TEST_F(KeyValue, BoolsAreYesOrNo)
{
	EXPECT_EQ(0, Set("memory", "no-huge", "yes"));
	EXPECT_TRUE(any->conf.no_huge);
	EXPECT_EQ(0, Set("memory", "no-huge", "no"));
	EXPECT_FALSE(any->conf.no_huge);
	for (const char *bad : { "", "true", "1", "YES" })
		EXPECT_EQ(-EINVAL, Set("memory", "no-huge", bad)) << bad;
}

TEST_F(KeyValue, ChoicesAreOneOfTheirWords)
{
	EXPECT_EQ(0, Set("worker", "idle", "poll"));
	EXPECT_EQ((uint64_t)LEATD_IDLE_POLL, any->conf.idle);
	EXPECT_EQ(0, Set("worker", "idle", "adaptive"));
	EXPECT_EQ((uint64_t)LEATD_IDLE_ADAPTIVE, any->conf.idle);
	EXPECT_EQ(-EINVAL, Set("worker", "idle", "spin"));
	EXPECT_EQ("here: idle 'spin' is not allowed; it must be poll or adaptive", text);
}

TEST_F(KeyValue, SetsAddUp)
{
	EXPECT_EQ("", Get("port", "no-offload"));
	EXPECT_EQ(0, Set("port", "no-offload", "tx-tcp-cksum"));
	EXPECT_EQ(0, Set("port", "no-offload", "tx-ip-cksum"));
	EXPECT_EQ(0, Set("port", "no-offload", "tx-tcp-cksum"));
	EXPECT_EQ("tx-ip-cksum tx-tcp-cksum", Get("port", "no-offload"));
	EXPECT_EQ(-EINVAL, Set("port", "no-offload", "tx"));
	EXPECT_EQ("here: no-offload 'tx' is not allowed; it must be tx-ip-cksum, tx-tcp-cksum, "
		  "rx-ip-cksum, rx-tcp-cksum, tx-multi-seg or tx-tso",
		text);
}

TEST_F(KeyValue, DevicesArePciAddressesOrNetworkVdevs)
{
	for (const char *good : { "0000:01:00.0", "01:00.0", "abcd:EF:1f.7", "net_tap0",
		     "net_af_packet0", "net_af_xdp_veth1", "virtio_user0", "net_memif0" })
		EXPECT_EQ(0, Set("port", "dev", good)) << good;
	for (const char *bad : { "", "eth0", "0000:01:00", "0000:01:00.0.1", "0000:01:00.x",
		     "1:00.0", "net_tap0 ", "net_tap0;x", "/dev/null", "crypto_null" })
		EXPECT_EQ(-EINVAL, Set("port", "dev", bad)) << bad;
}

TEST_F(KeyValue, AddressesAreFourDecimalNumbers)
{
	EXPECT_EQ(0, Set("port", "gw", "10.77.0.254"));
	EXPECT_EQ(0x0a4d00feu, leat_ip_addr_ipv4(any->port.gateway));
	EXPECT_EQ(0, Set("port", "gw", "255.255.255.255"));
	for (const char *bad : { "", "10.77.0", "10.77.0.256", "10.77.0.1.2", "10.77.00.1",
		     "a.b.c.d", "10.77.0.1 ", "10..0.1", "10.77.0.-1", "010.77.0.1" })
		EXPECT_EQ(-EINVAL, Set("port", "gw", bad)) << bad;
}

TEST_F(KeyValue, GatewaysAreEachOfTheirFamily)
{
	EXPECT_EQ("", Get("port", "gw6"));
	EXPECT_EQ(0, Set("port", "gw6", "FE80:0::1"));
	EXPECT_EQ("fe80::1", Get("port", "gw6"));
	EXPECT_EQ("", Get("port", "gw"));
	for (const char *bad : { "", "10.77.0.1", "::ffff:10.77.0.1", "fe80::1%eth0", "[fe80::1]",
		     "fe80::1/64", "fe80:", "::" })
		EXPECT_EQ(-EINVAL, Set("port", "gw6", bad)) << bad;
	EXPECT_EQ(-EINVAL, Set("port", "gw", "fe80::1"));
}

TEST_F(KeyValue, PrefixesOfBothFamiliesAddUp)
{
	EXPECT_EQ(0, Set("port", "addr", "10.77.0.1/24"));
	EXPECT_EQ(0, Set("port", "addr", "fd77:0::1/64"));
	EXPECT_EQ(0, Set("port", "addr", "2001:db8:1:2:3:4:5:6/128"));
	EXPECT_EQ("10.77.0.1/24 fd77::1/64 2001:db8:1:2:3:4:5:6/128", Get("port", "addr"));
	for (const char *bad : { "fd77::1", "fd77::1/129", "fd77::1/64x", "::ffff:10.0.0.1/96",
		     "1111:1111:1111:1111:1111:1111:1111:1111:1111:1111/64", "/64" })
		EXPECT_EQ(-EINVAL, Set("port", "addr", bad)) << bad;
}

TEST_F(KeyValue, PrefixesAddUpInOrder)
{
	EXPECT_EQ(0, Set("port", "addr", "10.77.0.1/24"));
	EXPECT_EQ(0, Set("port", "addr", "192.0.2.1/32"));
	EXPECT_EQ(0, Set("port", "addr", "192.0.2.2/0"));
	EXPECT_EQ("10.77.0.1/24 192.0.2.1/32 192.0.2.2/0", Get("port", "addr"));
	for (const char *bad : { "", "10.77.0.1", "10.77.0.1/", "10.77.0.1/33", "10.77.0.1/-1",
		     "10.77.0.1/24/1", "/24", "10.77.0/24" })
		EXPECT_EQ(-EINVAL, Set("port", "addr", bad)) << bad;
	EXPECT_EQ(3u, any->port.addrs.nb);
}

TEST_F(KeyValue, APortHasEightAddressesAndNotNine)
{
	for (int i = 1; i <= LEATD_ADDRS_MAX; i++)
		EXPECT_EQ(0, Set("port", "addr", "10.77.0." + std::to_string(i) + "/24"));
	EXPECT_EQ(-EINVAL, Set("port", "addr", "10.77.0.99/24"));
	EXPECT_EQ("here: addr is given more than 8 times", text);
}

TEST_F(KeyValue, CpuListsKeepTheirOrder)
{
	EXPECT_EQ(0, Set("worker", "cpus", "3,0-1,1023"));
	EXPECT_EQ("3,0,1,1023", Get("worker", "cpus"));
	for (const char *bad : { "", ",", "1,", "1-", "-1", "2-1", "1,1", "0-3,2", "1024", "a" })
		EXPECT_EQ(-EINVAL, Set("worker", "cpus", bad)) << bad;
	EXPECT_EQ("3,0,1,1023", Get("worker", "cpus"));
}

TEST_F(KeyValue, ACpuListHoldsAsManyAsItsLimitAndNotOneMore)
{
	EXPECT_EQ(0, Set("worker", "cpus", "0-" + std::to_string(LEATD_CPUS_MAX - 1)));
	EXPECT_EQ(-EINVAL, Set("worker", "cpus", "0-" + std::to_string(LEATD_CPUS_MAX)));
}

TEST(KeyTable, NamesAreUniqueAmongTheOptionsAndWithinASection)
{
	std::set<std::string> options;
	std::set<std::string> names;
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	for (uint32_t i = 0; i < nb; i++) {
		EXPECT_TRUE(names.insert(std::string(keys[i].section) + "." + keys[i].name).second);
		if (!leatd_section_has_name(keys[i].section)) {
			EXPECT_TRUE(options.insert(keys[i].name).second) << keys[i].name;
		}
	}
}

TEST(KeyTable, DefaultsAreInPlaceAfterInit)
{
	auto conf = std::make_unique<leatd_conf>();

	leatd_conf_init(conf.get());
	EXPECT_EQ(0u, conf->nb_ports);
	EXPECT_EQ(0u, conf->nb_listens);
	EXPECT_EQ(1u, conf->nb_workers);
	EXPECT_EQ((uint64_t)LEATD_IDLE_ADAPTIVE, conf->idle);
	EXPECT_EQ(512u, conf->memory_mb);
	EXPECT_FALSE(conf->no_huge);
	EXPECT_EQ(16u << 20, conf->request_max);
	EXPECT_EQ(512u << 20, conf->bulk_max);
	EXPECT_EQ(1u << 30, conf->query_max);
	EXPECT_EQ(5u, conf->drain_timeout_s);
}

} // namespace
