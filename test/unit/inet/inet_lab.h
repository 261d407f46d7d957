// SPDX-License-Identifier: BSD-3-Clause

#ifndef INET_LAB_H
#define INET_LAB_H

// A stack under test: frames in as bytes, frames out as bytes.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <leat_arp.h>
#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_eth.h>
#include <leat_icmp.h>
#include <leat_inet.h>
#include <leat_ip.h>
#include <leat_ipv4.h>

namespace inet_lab
{

using Frame = std::vector<uint8_t>;

constexpr uint8_t kOurMac[] = { 0x02, 0, 0, 0, 0, 0x01 };
constexpr uint8_t kPeerMac[] = { 0x02, 0, 0, 0, 0, 0x02 };
constexpr uint8_t kThirdMac[] = { 0x02, 0, 0, 0, 0, 0x03 };
constexpr uint8_t kBroadcastMac[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
constexpr uint32_t kOurAddr = 0x0a4d0001; // 10.77.0.1
constexpr uint32_t kPeerAddr = 0x0a4d0002;
constexpr uint32_t kThirdAddr = 0x0a4d0003;
constexpr uint32_t kFarAddr = 0xc0000201; // 192.0.2.1
constexpr uint16_t kPort = 6379;
constexpr uint16_t kPeerPort = 40000;
constexpr uint32_t kNbMbufs = 1023;
constexpr uint32_t kSecondUs = 1000000;

inline leat_ip_addr
V4(uint32_t addr)
{
	return leat_ip_addr_from_ipv4(addr);
}

// Ethernet and IPv4 around a payload; every field may be changed.
struct Ip {
	const uint8_t *eth_dst = kOurMac;
	const uint8_t *eth_src = kPeerMac;
	uint16_t vlan_id = 0;
	uint32_t src = kPeerAddr;
	uint32_t dst = kOurAddr;
	uint8_t proto = LEAT_IPV4_PROTO_TCP;
	std::vector<uint8_t> options = {}; // a multiple of 4

	Frame Build(const Frame &payload) const;
};

// A segment from the peer.
struct Tcp {
	uint8_t flags = LEAT_TCP_ACK;
	uint32_t seq = 0;
	uint32_t ack = 0;
	std::string text = "";
	uint16_t sport = kPeerPort;
	uint16_t dport = kPort;
	uint16_t wnd = 65535;
	uint16_t mss = 0;
	bool has_ts = false;
	uint32_t ts_val = 0;
	uint32_t ts_ecr = 0;
	bool has_sack_ok = false;
	int wscale = -1; // -1: none
	Ip ip = {};

	Frame Payload() const; // checksum filled in
	Frame Build() const
	{
		return ip.Build(Payload());
	}
};

// A frame of ours that holds a segment, taken apart; its checksums were right.
struct SeenTcp {
	leat_eth_hdr eth;
	leat_ipv4_hdr ip;
	leat_tcp_ports ports;
	leat_tcp_seg seg;
	std::string text;
};

Frame BuildArp(uint16_t op, const uint8_t *sha, uint32_t spa, const uint8_t *tha, uint32_t tpa,
	const uint8_t *eth_dst);
Frame BuildEcho(uint16_t seq, const std::string &text, Ip ip = {});
bool IsArp(const Frame &frame, leat_arp *arp);
bool IsTcp(const Frame &padded, SeenTcp *tcp);
// One's complement sum by the definition.
uint16_t SlowSum(const Frame &bytes);

class InetLab : public testing::Test
{
      protected:
	void SetUp() override;
	void TearDown() override; // every mbuf must be back

	// Open with conf as the test changed it.
	void Open();
	void Close();

	rte_mbuf *Mbuf(const Frame &frame, size_t segment_len = SIZE_MAX);
	void Input(const std::vector<Frame> &frames, size_t segment_len = SIZE_MAX);
	std::vector<Frame> Output();
	std::vector<SeenTcp> OutputTcp(); // all of the output are segments
	std::vector<leat_inet_event> Events(uint16_t nb = 32);
	void Wait(uint64_t us); // time passes, timers run

	// The peer is known, and the announcements are gone.
	void Meet();
	// A connection from the peer; its numbers are then in snd_ and rcv_.
	leat_inet_conn *Accept(uint16_t sport = kPeerPort);
	Tcp FromPeer(uint8_t flags, const std::string &text = "");
	rte_mbuf *Text(const std::string &text);

	// A number that the stack tells people.
	uint64_t Told(const std::string &set_name, const std::string &name) const
	{
		leat_stat_set sets[LEAT_INET_STAT_SETS];

		leat_inet_stat_sets(inet_, sets);
		for (const leat_stat_set &set : sets)
			for (uint32_t i = 0; i < set.nb_defs; i++)
				if (set.name == set_name && set.defs[i].name == name)
					return leat_stat_read(&set, &set.defs[i]);
		ADD_FAILURE() << "no " << set_name << "/" << name;
		return 0;
	}

	const struct leat_inet_stats &Stats() const
	{
		return *leat_inet_stats(inet_);
	}

	leat_inet_conf conf_ = {};
	leat_inet *inet_ = nullptr;
	rte_mempool *pool_ = nullptr;
	uint64_t now_us_ = 10 * kSecondUs;
	int listener_ = 0; // its address is the listener pointer
	uint16_t sport_ = kPeerPort;
	uint32_t peer_seq_ = 0; // next of the peer
	uint32_t peer_ack_ = 0; // next of ours that the peer expects
};

} // namespace inet_lab

// Whether an echo in this packet is answered.
#define EXPECT_ECHO(answered, ip)                                                                  \
	do {                                                                                       \
		Input({ BuildEcho(1, "x", ip) });                                                  \
		EXPECT_EQ(answered ? 1u : 0u, Output().size());                                    \
	} while (0)

#endif // INET_LAB_H
