// SPDX-License-Identifier: BSD-3-Clause

#include "inet_lab6.h"

namespace inet_lab
{

static Frame
Pseudo6(leat_ip_addr src, leat_ip_addr dst, uint8_t proto, const Frame &payload)
{
	Frame bytes(src.bytes, src.bytes + 16);

	bytes.insert(bytes.end(), dst.bytes, dst.bytes + 16);
	bytes.insert(bytes.end(),
		{ 0, 0, (uint8_t)(payload.size() >> 8), (uint8_t)payload.size(), 0, 0, 0, proto });
	bytes.insert(bytes.end(), payload.begin(), payload.end());
	return bytes;
}

Frame
Ip6::Build(const Frame &payload) const
{
	leat_eth_hdr eth = {};
	leat_ipv6_hdr ip = {};
	Frame frame(LEAT_ETH_HDR_LEN + LEAT_IPV6_HDR_LEN);

	memcpy(eth.dst, eth_dst, 6);
	memcpy(eth.src, eth_src, 6);
	eth.type = LEAT_ETH_TYPE_IPV6;
	(void)leat_eth_emit(&eth, frame.data());
	ip.src = src;
	ip.dst = dst;
	ip.payload_len = (uint16_t)(exts.size() + payload.size());
	ip.next = exts.empty() ? next : first_ext;
	ip.hop_limit = hop_limit;
	(void)leat_ipv6_emit(&ip, frame.data() + LEAT_ETH_HDR_LEN);
	frame.insert(frame.end(), exts.begin(), exts.end());
	frame.insert(frame.end(), payload.begin(), payload.end());
	if (frame.size() < LEAT_ETH_FRAME_LEN_MIN)
		frame.resize(LEAT_ETH_FRAME_LEN_MIN, 0xee);
	return frame;
}

Frame
Ip6::BuildSummed(Frame payload, size_t off) const
{
	leat_be16_put(&payload[off], 0);
	leat_be16_put(&payload[off], (uint16_t)~SlowSum(Pseudo6(src, dst, next, payload)));
	return Build(payload);
}

Frame
BuildTcp6(Tcp tcp, const Ip6 &ip)
{
	return ip.BuildSummed(tcp.Payload(), 16);
}

Frame
BuildEcho6(const std::string &text, Ip6 ip)
{
	leat_icmp_hdr icmp = { LEAT_ICMP6_TYPE_ECHO, 0, 0x1234, 7 };
	Frame bytes(LEAT_ICMP_HDR_LEN);

	(void)leat_icmp_emit(&icmp, bytes.data());
	bytes.insert(bytes.end(), text.begin(), text.end());
	ip.next = LEAT_IPV6_PROTO_ICMP;
	return ip.BuildSummed(bytes, LEAT_ICMP_CKSUM_OFF);
}

Frame
Nd6::Build() const
{
	Frame bytes(LEAT_ND_EMIT_LEN_MAX);

	bytes.resize(leat_nd_emit(&nd, bytes.data()));
	return ip.BuildSummed(bytes, LEAT_ICMP_CKSUM_OFF);
}

Nd6
Solicit(const char *target, const uint8_t *mac)
{
	static uint8_t group_mac[LEAT_ETH_ADDR_LEN];
	Nd6 nd;

	nd.nd.target = V6(target);
	nd.nd.has_mac = true;
	memcpy(nd.nd.mac, mac, 6);
	nd.ip.dst = leat_ipv6_addr_solicited_node(nd.nd.target);
	leat_ipv6_multicast_mac(nd.ip.dst, group_mac);
	nd.ip.eth_dst = group_mac;
	nd.ip.eth_src = mac;
	nd.ip.next = LEAT_IPV6_PROTO_ICMP;
	nd.ip.hop_limit = 255;
	return nd;
}

Nd6
Advert(const char *target, const uint8_t *mac)
{
	Nd6 nd;

	nd.nd.target = V6(target);
	nd.nd.is_advert = true;
	nd.nd.is_solicited = true;
	nd.nd.is_override = true;
	nd.nd.has_mac = true;
	memcpy(nd.nd.mac, mac, 6);
	nd.ip.src = nd.nd.target;
	nd.ip.eth_src = mac;
	nd.ip.next = LEAT_IPV6_PROTO_ICMP;
	nd.ip.hop_limit = 255;
	return nd;
}

bool
IsIp6(const Frame &frame, uint8_t proto, Seen6 *seen)
{
	ssize_t off = leat_eth_parse({ frame.data(), frame.size() }, &seen->eth);

	if (off < 0 || seen->eth.type != LEAT_ETH_TYPE_IPV6 ||
		leat_ipv6_parse({ frame.data() + off, frame.size() - off }, frame.size() - off,
			&seen->ip) < 0 ||
		seen->ip.next != proto)
		return false;
	EXPECT_EQ(frame.size(), off + (size_t)LEAT_IPV6_HDR_LEN + seen->ip.payload_len);
	seen->payload.assign(frame.begin() + off + LEAT_IPV6_HDR_LEN, frame.end());
	EXPECT_EQ(0xffff, SlowSum(Pseudo6(seen->ip.src, seen->ip.dst, proto, seen->payload)));
	return true;
}

bool
IsNd(const Frame &frame, Seen6 *seen)
{
	return IsIp6(frame, LEAT_IPV6_PROTO_ICMP, seen) &&
	       leat_nd_parse({ seen->payload.data(), seen->payload.size() }, &seen->nd) > 0;
}

bool
IsTcp6(const Frame &frame, Seen6 *seen)
{
	if (!IsIp6(frame, LEAT_IPV6_PROTO_TCP, seen))
		return false;
	ssize_t n = leat_tcp_hdr_parse(
		{ seen->payload.data(), seen->payload.size() }, &seen->ports, &seen->seg);
	seen->seg.len = (uint32_t)(seen->payload.size() - n);
	return n > 0;
}

void
InetLab6::SetUp()
{
	InetLab::SetUp();
	conf_.nb_addrs = 2;
	conf_.addrs[1] = { V6("fd77::1"), 64 };
}

void
InetLab6::Meet6()
{
	(void)Output();
	Input({ Solicit("fd77::1").Build(), Advert("fd77::2").Build() });
	(void)Output();
}

Seen6
InetLab6::OutputNd()
{
	std::vector<Frame> out = Output();
	Seen6 seen = {};

	EXPECT_EQ(1u, out.size());
	if (!out.empty()) {
		EXPECT_TRUE(IsNd(out[0], &seen));
	}
	return seen;
}

Seen6
InetLab6::OutputTcp6()
{
	std::vector<Frame> out = Output();
	Seen6 seen = {};

	EXPECT_EQ(1u, out.size());
	if (!out.empty()) {
		EXPECT_TRUE(IsTcp6(out[0], &seen));
	}
	return seen;
}

} // namespace inet_lab
