// SPDX-License-Identifier: BSD-3-Clause

#include "inet_lab.h"

#include <rte_mempool.h>

namespace inet_lab
{

uint16_t
SlowSum(const Frame &bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bytes.size(); i++) {
		sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

static Frame
Pseudo(uint32_t src, uint32_t dst, uint8_t proto, size_t len)
{
	Frame bytes(12);

	leat_be32_put(&bytes[0], src);
	leat_be32_put(&bytes[4], dst);
	bytes[9] = proto;
	leat_be16_put(&bytes[10], (uint16_t)len);
	return bytes;
}

static void
Append(Frame *frame, const void *data, size_t len)
{
	const uint8_t *bytes = (const uint8_t *)data;

	frame->insert(frame->end(), bytes, bytes + len);
}

Frame
Ip::Build(const Frame &payload) const
{
	leat_eth_hdr eth = {};
	uint8_t eth_bytes[LEAT_ETH_HDR_LEN_MAX];
	Frame ip(20), frame;

	memcpy(eth.dst, eth_dst, 6);
	memcpy(eth.src, eth_src, 6);
	eth.type = LEAT_ETH_TYPE_IPV4;
	eth.vlan_id = vlan_id;
	Append(&frame, eth_bytes, leat_eth_emit(&eth, eth_bytes));

	ip[0] = (uint8_t)(0x40 | (20 + options.size()) / 4);
	leat_be16_put(&ip[2], (uint16_t)(20 + options.size() + payload.size()));
	ip[8] = 64;
	ip[9] = proto;
	leat_be32_put(&ip[12], src);
	leat_be32_put(&ip[16], dst);
	Append(&ip, options.data(), options.size());
	leat_be16_put(&ip[10], (uint16_t)~SlowSum(ip));
	Append(&frame, ip.data(), ip.size());
	Append(&frame, payload.data(), payload.size());
	if (frame.size() < LEAT_ETH_FRAME_LEN_MIN) // padding of another kind than zeros
		frame.resize(LEAT_ETH_FRAME_LEN_MIN, 0xee);
	return frame;
}

Frame
Tcp::Payload() const
{
	leat_tcp_out out = {};
	Frame bytes(60);

	out.seq = seq;
	out.ack = ack;
	out.flags = flags;
	out.wnd = wnd;
	out.opts.mss = mss;
	out.opts.has_ts = has_ts;
	out.opts.ts_val = ts_val;
	out.opts.ts_ecr = ts_ecr;
	out.opts.has_sack_ok = has_sack_ok;
	out.opts.has_wscale = wscale >= 0;
	out.opts.wscale = (uint8_t)(wscale >= 0 ? wscale : 0);
	bytes.resize(leat_tcp_hdr_emit(bytes.data(), { sport, dport }, &out));
	Append(&bytes, text.data(), text.size());
	Frame sum = Pseudo(ip.src, ip.dst, LEAT_IPV4_PROTO_TCP, bytes.size());
	Append(&sum, bytes.data(), bytes.size());
	leat_be16_put(&bytes[16], (uint16_t)~SlowSum(sum));
	return bytes;
}

Frame
BuildArp(uint16_t op, const uint8_t *sha, uint32_t spa, const uint8_t *tha, uint32_t tpa,
	const uint8_t *eth_dst)
{
	leat_eth_hdr eth = {};
	leat_arp arp = {};
	Frame frame(LEAT_ETH_HDR_LEN + LEAT_ARP_LEN);

	memcpy(eth.dst, eth_dst, 6);
	memcpy(eth.src, sha, 6);
	eth.type = LEAT_ETH_TYPE_ARP;
	arp.op = op;
	memcpy(arp.sha, sha, 6);
	memcpy(arp.tha, tha, 6);
	arp.spa = spa;
	arp.tpa = tpa;
	(void)leat_eth_emit(&eth, frame.data());
	(void)leat_arp_emit(&arp, frame.data() + LEAT_ETH_HDR_LEN);
	frame.resize(LEAT_ETH_FRAME_LEN_MIN, 0);
	return frame;
}

Frame
BuildEcho(uint16_t seq, const std::string &text, Ip ip)
{
	leat_icmp_hdr icmp = { LEAT_ICMP_TYPE_ECHO, 0, 0x1234, seq };
	Frame bytes(LEAT_ICMP_HDR_LEN);

	(void)leat_icmp_emit(&icmp, bytes.data());
	Append(&bytes, text.data(), text.size());
	leat_be16_put(&bytes[LEAT_ICMP_CKSUM_OFF], (uint16_t)~SlowSum(bytes));
	ip.proto = LEAT_IPV4_PROTO_ICMP;
	return ip.Build(bytes);
}

bool
IsArp(const Frame &frame, leat_arp *arp)
{
	leat_eth_hdr eth;
	ssize_t n = leat_eth_parse({ frame.data(), frame.size() }, &eth);

	return n > 0 && eth.type == LEAT_ETH_TYPE_ARP &&
	       leat_arp_parse({ frame.data() + n, frame.size() - n }, arp) > 0;
}

bool
IsTcp(const Frame &padded, SeenTcp *tcp)
{
	Frame frame = padded;
	ssize_t off = leat_eth_parse({ frame.data(), frame.size() }, &tcp->eth);

	if (off < 0 || tcp->eth.type != LEAT_ETH_TYPE_IPV4 ||
		leat_ipv4_parse({ frame.data() + off, frame.size() - off }, frame.size() - off,
			&tcp->ip) < 0 ||
		tcp->ip.proto != LEAT_IPV4_PROTO_TCP)
		return false;
	EXPECT_EQ(0xffff, SlowSum({ frame.begin() + off, frame.begin() + off + 20 }));
	frame.resize(off + (size_t)tcp->ip.total_len);
	EXPECT_EQ(padded.size(), std::max<size_t>(frame.size(), LEAT_ETH_FRAME_LEN_MIN));
	off += tcp->ip.hdr_len;
	Frame sum = Pseudo(tcp->ip.src, tcp->ip.dst, LEAT_IPV4_PROTO_TCP, frame.size() - off);
	Append(&sum, frame.data() + off, frame.size() - off);
	EXPECT_EQ(0xffff, SlowSum(sum));
	ssize_t n = leat_tcp_hdr_parse(
		{ frame.data() + off, frame.size() - off }, &tcp->ports, &tcp->seg);
	EXPECT_GT(n, 0);
	tcp->text.assign(frame.begin() + off + n, frame.end());
	tcp->seg.len = (uint32_t)tcp->text.size();
	return n > 0;
}

void
InetLab::SetUp()
{
	pool_ = rte_pktmbuf_pool_create("inet_lab", kNbMbufs, 0, 0, 2176, 0);
	ASSERT_NE(nullptr, pool_);
	conf_.name = "lab";
	conf_.socket_id = 0;
	memcpy(conf_.mac, kOurMac, 6);
	conf_.mtu = 1500;
	conf_.nb_addrs = 1;
	conf_.addrs[0] = { V4(kOurAddr), 24 };
	conf_.nb_conns_max = 64;
	conf_.nb_time_waits_max = 16;
	conf_.nb_neighbours_max = 8;
	conf_.conn_priv_len = 24;
	conf_.pool = pool_;
	conf_.trust_offloads = true;
	conf_.seed[0] = 1;
	conf_.seed[1] = 2;
	conf_.now_us = now_us_;
	leat_tcp_conf_init(&conf_.tcp, 1460);
}

void
InetLab::TearDown()
{
	Close();
	EXPECT_EQ(kNbMbufs, rte_mempool_avail_count(pool_)) << "mbufs leaked";
	rte_mempool_free(pool_);
}

void
InetLab::Open()
{
	leat_error error = {};

	ASSERT_EQ(0, leat_inet_open(&conf_, &inet_, &error)) << error.text;
}

void
InetLab::Close()
{
	leat_inet_close(inet_);
	inet_ = nullptr;
}

rte_mbuf *
InetLab::Mbuf(const Frame &frame, size_t segment_len)
{
	rte_mbuf *head = nullptr;

	for (size_t off = 0; off < frame.size(); off += segment_len) {
		rte_mbuf *seg = rte_pktmbuf_alloc(pool_);
		size_t len = LEAT_MIN(segment_len, frame.size() - off);

		EXPECT_NE(nullptr, seg);
		memcpy(rte_pktmbuf_append(seg, (uint16_t)len), frame.data() + off, len);
		if (head == nullptr)
			head = seg;
		else
			EXPECT_EQ(0, rte_pktmbuf_chain(head, seg));
		if (segment_len == SIZE_MAX)
			break;
	}
	return head;
}

void
InetLab::Input(const std::vector<Frame> &frames, size_t segment_len)
{
	std::vector<rte_mbuf *> mbufs;

	for (const Frame &frame : frames)
		mbufs.push_back(Mbuf(frame, segment_len));
	leat_inet_input(inet_, now_us_, mbufs.data(), (uint16_t)mbufs.size());
}

std::vector<Frame>
InetLab::Output()
{
	std::vector<Frame> frames;
	rte_mbuf *mbufs[8];
	uint16_t n;

	do {
		n = leat_inet_output(inet_, now_us_, mbufs, 8);
		for (uint16_t i = 0; i < n; i++) {
			Frame frame(mbufs[i]->pkt_len);

			rte_mbuf_sanity_check(mbufs[i], 1);
			uint32_t off = 0;
			for (rte_mbuf *seg = mbufs[i]; seg != nullptr; seg = seg->next) {
				memcpy(frame.data() + off, rte_pktmbuf_mtod(seg, void *),
					seg->data_len);
				off += seg->data_len;
			}
			EXPECT_EQ(frame.size(), off);
			EXPECT_GE(off, LEAT_ETH_FRAME_LEN_MIN);
			frames.push_back(frame);
			rte_pktmbuf_free(mbufs[i]);
		}
	} while (n == 8);
	return frames;
}

std::vector<SeenTcp>
InetLab::OutputTcp()
{
	std::vector<SeenTcp> segs;

	for (const Frame &frame : Output()) {
		SeenTcp seg;

		EXPECT_TRUE(IsTcp(frame, &seg));
		segs.push_back(seg);
	}
	return segs;
}

std::vector<leat_inet_event>
InetLab::Events(uint16_t nb)
{
	std::vector<leat_inet_event> events(nb);

	events.resize(leat_inet_events(inet_, events.data(), nb));
	return events;
}

void
InetLab::Wait(uint64_t us)
{
	now_us_ += us;
	for (int i = 0; i < 64 && leat_inet_deadline(inet_) <= now_us_; i++)
		leat_inet_timers(inet_, now_us_);
}

void
InetLab::Meet()
{
	Input({ BuildArp(
		LEAT_ARP_OP_REQUEST, kPeerMac, kPeerAddr, kPeerMac, kOurAddr, kBroadcastMac) });
	(void)Output();
}

leat_inet_conn *
InetLab::Accept(uint16_t sport)
{
	Tcp syn = { LEAT_TCP_SYN };

	sport_ = sport;
	syn.seq = 1000;
	syn.sport = sport;
	syn.mss = 1460;
	Input({ syn.Build() });
	std::vector<SeenTcp> out = OutputTcp();
	EXPECT_EQ(1u, out.size());
	if (out.size() != 1)
		return nullptr;
	EXPECT_EQ(LEAT_TCP_SYN | LEAT_TCP_ACK, out[0].seg.flags);
	peer_seq_ = 1001;
	peer_ack_ = out[0].seg.seq + 1;
	Input({ FromPeer(LEAT_TCP_ACK).Build() });
	std::vector<leat_inet_event> events = Events();
	EXPECT_EQ(1u, events.size());
	if (events.size() != 1)
		return nullptr;
	EXPECT_EQ(LEAT_INET_OPEN, events[0].type);
	return events[0].conn;
}

Tcp
InetLab::FromPeer(uint8_t flags, const std::string &text)
{
	Tcp seg;

	seg.flags = flags;
	seg.seq = peer_seq_;
	seg.ack = peer_ack_;
	seg.sport = sport_;
	seg.text = text;
	peer_seq_ += (uint32_t)text.size() + ((flags & LEAT_TCP_FIN) != 0);
	return seg;
}

rte_mbuf *
InetLab::Text(const std::string &text)
{
	return Mbuf(Frame(text.begin(), text.end()));
}

} // namespace inet_lab
