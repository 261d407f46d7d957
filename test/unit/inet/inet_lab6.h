// SPDX-License-Identifier: BSD-3-Clause

#ifndef INET_LAB6_H
#define INET_LAB6_H

// The lab with an IPv6 address beside that of IPv4.

#include <leat_ipv6.h>
#include <leat_nd.h>

#include "inet_lab.h"
#include "ip_text.h"

namespace inet_lab
{

constexpr uint8_t kAllNodesMac[] = { 0x33, 0x33, 0, 0, 0, 0x01 };
constexpr uint8_t kOurGroupMac[] = { 0x33, 0x33, 0xff, 0, 0, 0x01 };

constexpr auto V6 = ip_text::Addr;
constexpr auto TextOf = ip_text::Text;

// fe80::/64 and the EUI-64 of kOurMac.
inline leat_ip_addr
OurLocal()
{
	return V6("fe80::ff:fe00:1");
}

// Ethernet and IPv6 around a payload; every field may be changed.
struct Ip6 {
	const uint8_t *eth_dst = kOurMac;
	const uint8_t *eth_src = kPeerMac;
	leat_ip_addr src = V6("fd77::2");
	leat_ip_addr dst = V6("fd77::1");
	uint8_t next = LEAT_IPV6_PROTO_TCP; // of the payload
	uint8_t hop_limit = 64;
	uint8_t first_ext = LEAT_IPV6_PROTO_DSTOPTS; // kind of exts
	Frame exts = {};                             // their own next headers filled in

	Frame Build(const Frame &payload) const;
	// As above, and the checksum at @p off of the payload filled in.
	Frame BuildSummed(Frame payload, size_t off) const;
};

Frame BuildTcp6(Tcp tcp, const Ip6 &ip = {});
Frame BuildEcho6(const std::string &text, Ip6 ip = {});
// A solicitation or an advertisement as it should be; then changed by the test.
struct Nd6 {
	Ip6 ip = {};
	leat_nd nd = {};

	Frame Build() const;
};
Nd6 Solicit(const char *target, const uint8_t *mac = kPeerMac);
Nd6 Advert(const char *target, const uint8_t *mac = kPeerMac);

// A frame of ours, taken apart; its checksum was right.
struct Seen6 {
	leat_eth_hdr eth;
	leat_ipv6_hdr ip;
	leat_nd nd;
	leat_tcp_ports ports;
	leat_tcp_seg seg;
	Frame payload;
};
bool IsIp6(const Frame &frame, uint8_t proto, Seen6 *seen);
bool IsNd(const Frame &frame, Seen6 *seen);
bool IsTcp6(const Frame &frame, Seen6 *seen);

class InetLab6 : public InetLab
{
      protected:
	void SetUp() override;

	// The peer is known and confirmed, and the announcements are gone.
	void Meet6();
	Seen6 OutputNd();   // the output is one message of neighbour discovery
	Seen6 OutputTcp6(); // the output is one segment
};

} // namespace inet_lab

#endif // INET_LAB6_H
