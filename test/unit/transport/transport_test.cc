// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <leat_transport.h>

namespace
{

std::string
Format(const leat_endpoint &endpoint)
{
	char text[LEAT_ENDPOINT_TEXT_MAX];

	return leat_endpoint_format(&endpoint, text);
}

TEST(Endpoint, Ipv4RoundTrips)
{
	leat_endpoint endpoint = {};

	endpoint.port = 6379;
	ASSERT_EQ(0, leat_endpoint_parse_address(&endpoint, "10.77.0.1"));
	EXPECT_EQ(LEAT_ENDPOINT_IPV4, endpoint.type);
	EXPECT_EQ(0x0a4d0001u, endpoint.ipv4);
	EXPECT_EQ("10.77.0.1:6379", Format(endpoint));
}

TEST(Endpoint, Ipv6RoundTripsInBrackets)
{
	leat_endpoint endpoint = {};

	endpoint.port = 80;
	ASSERT_EQ(0, leat_endpoint_parse_address(&endpoint, "fd00::7"));
	EXPECT_EQ(LEAT_ENDPOINT_IPV6, endpoint.type);
	EXPECT_EQ(0xfd, endpoint.ipv6[0]);
	EXPECT_EQ(7, endpoint.ipv6[15]);
	EXPECT_EQ("[fd00::7]:80", Format(endpoint));
}

TEST(Endpoint, LongestIpv6Fits)
{
	leat_endpoint endpoint = {};

	endpoint.port = 65535;
	ASSERT_EQ(0,
		leat_endpoint_parse_address(&endpoint, "fd00:1111:2222:3333:4444:5555:6666:7777"));
	EXPECT_EQ("[fd00:1111:2222:3333:4444:5555:6666:7777]:65535", Format(endpoint));
}

TEST(Endpoint, UnixPathRoundTrips)
{
	leat_endpoint endpoint = {};

	endpoint.port = 9;
	ASSERT_EQ(0, leat_endpoint_parse_address(&endpoint, "unix:/run/leat/admin"));
	EXPECT_EQ(LEAT_ENDPOINT_UNIX, endpoint.type);
	EXPECT_EQ(0, endpoint.port);
	EXPECT_EQ("/run/leat/admin", Format(endpoint));
}

TEST(Endpoint, UnixPathAtItsLimitAndOneOver)
{
	leat_endpoint endpoint = {};
	std::string path(LEAT_ENDPOINT_PATH_MAX - 1, 'p');

	ASSERT_EQ(0, leat_endpoint_parse_address(&endpoint, ("unix:" + path).c_str()));
	EXPECT_EQ(path, Format(endpoint));
	EXPECT_EQ(-EINVAL, leat_endpoint_parse_address(&endpoint, ("unix:" + path + "p").c_str()));
}

TEST(Endpoint, RefusesWhatIsNoAddressAndLeavesTheEndpoint)
{
	const char *bad[] = { "", "10.77.0", "10.77.0.256", "010.0.0.1", "10.77.0.1 ",
		"10.77.0.1:6379", "localhost", "::g", "[::1]", "unix:", "unix", "/run/leat" };

	for (const char *text : bad) {
		leat_endpoint endpoint;
		leat_endpoint before;

		memset(&endpoint, 0x5a, sizeof(endpoint));
		memset(&before, 0x5a, sizeof(before));
		EXPECT_EQ(-EINVAL, leat_endpoint_parse_address(&endpoint, text)) << text;
		EXPECT_EQ(0, memcmp(&before, &endpoint, sizeof(endpoint))) << text;
	}
}

// Every member after the name is a function pointer, so the table can be filled
// and holed by position.
constexpr size_t kNbOps = (sizeof(leat_transport_ops) - sizeof(const char *)) / sizeof(void (*)());

void
Op()
{
}

leat_transport_ops
WholeOps()
{
	void (*op)() = Op;
	leat_transport_ops ops = {};

	ops.name = "test";
	for (size_t i = 0; i < kNbOps; i++)
		memcpy((char *)&ops + sizeof(const char *) + i * sizeof(op), &op, sizeof(op));
	return ops;
}

TEST(TransportCheck, AcceptsAWholeTable)
{
	leat_transport_ops ops = WholeOps();

	EXPECT_EQ(0, leat_transport_check(&ops));
}

TEST(TransportCheck, RefusesAHoleAtEveryPlace)
{
	leat_transport_ops ops = WholeOps();

	ops.name = nullptr;
	EXPECT_EQ(-EINVAL, leat_transport_check(&ops));
	for (size_t i = 0; i < kNbOps; i++) {
		ops = WholeOps();
		memset((char *)&ops + sizeof(const char *) + i * sizeof(void (*)()), 0,
			sizeof(void (*)()));
		EXPECT_EQ(-EINVAL, leat_transport_check(&ops)) << "operation " << i;
	}
}

} // namespace
