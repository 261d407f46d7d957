// SPDX-License-Identifier: BSD-3-Clause

// The port of a node: mbufs become frames on the link and frames become mbufs, as hardware
// may do it.

#include "sim_world.h"

namespace sim
{

namespace
{

constexpr size_t kFrameMin = 60;
constexpr size_t kTagOff = 12;
constexpr size_t kTagLen = 4;

bool
IsTagged(const Frame &frame)
{
	return frame[kTagOff] == 0x81 && frame[kTagOff + 1] == 0x00;
}

void
Record(FILE *pcap, uint64_t now_us, const Frame &frame)
{
	uint32_t len = (uint32_t)frame.size();
	uint32_t head[4] = { (uint32_t)(now_us / kSecondUs), (uint32_t)(now_us % kSecondUs), len,
		len };

	(void)fwrite(head, sizeof(head), 1, pcap);
	(void)fwrite(frame.data(), len, 1, pcap);
}

} // namespace

// A frame as a port may hand it over: in one mbuf, or cut anywhere, with or without its tag.
rte_mbuf *
Node::Mbufs(const Frame &frame)
{
	const Layout layout(frame);
	Frame bytes = frame;
	rte_mbuf *head = nullptr;
	size_t off = 0;
	bool cut = sim_->rng.OneIn(8);
	uint64_t flags = 0;

	if (plan_.offloads.rx_ip_cksum && layout.IsIp())
		flags |= IsIpSumGood(frame, layout) ? RTE_MBUF_F_RX_IP_CKSUM_GOOD
						    : RTE_MBUF_F_RX_IP_CKSUM_BAD;
	if (plan_.offloads.rx_tcp_cksum && layout.IsTcp())
		flags |= IsTcpSumGood(frame, layout) ? RTE_MBUF_F_RX_L4_CKSUM_GOOD
						     : RTE_MBUF_F_RX_L4_CKSUM_BAD;
	if (IsTagged(bytes) && sim_->rng.OneIn(2)) {
		flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		bytes.erase(bytes.begin() + kTagOff, bytes.begin() + kTagOff + kTagLen);
	}
	while (off < bytes.size()) {
		rte_mbuf *seg = rte_pktmbuf_alloc(conf_.pool);
		size_t len = bytes.size() - off;

		if (seg == nullptr) {
			rte_pktmbuf_free(head);
			return nullptr; // as a port without buffers: lost
		}
		if (cut)
			len = std::min<size_t>(len, sim_->rng.In(1, 700));
		memcpy(rte_pktmbuf_append(seg, (uint16_t)len), bytes.data() + off, len);
		off += len;
		if (head == nullptr)
			head = seg;
		else if (rte_pktmbuf_chain(head, seg) < 0)
			Fail("chain");
	}
	head->ol_flags |= flags;
	head->vlan_tci = (uint16_t)(frame[kTagOff + 2] << 8 | frame[kTagOff + 3]);
	return head;
}

void
Node::Receive()
{
	Link &link = sim_->links[1 - idx_];
	rte_mbuf *mbufs[LEAT_INET_BURST_MAX];

	while (link.NextUs() <= sim_->now_us) {
		uint16_t nb_max = (uint16_t)sim_->rng.In(1, LEAT_INET_BURST_MAX);
		uint16_t n = 0;

		while (n < nb_max && link.NextUs() <= sim_->now_us) {
			const Frame frame = link.Take();

			mbufs[n] = Mbufs(frame);
			if (mbufs[n] != nullptr) {
				n++;
				sim_->middle.Arrived(idx_, frame);
			} else {
				sim_->Lost(1 - idx_, frame);
			}
		}
		leat_inet_input(inet_, sim_->now_us, mbufs, n);
	}
}

// What a stack sends is right in every byte that a peer may check.
void
Node::CheckSent(const Frame &frame)
{
	const Layout layout(frame);

	if (!layout.IsIp())
		return;
	if (!IsIpSumGood(frame, layout))
		Fail("node %d: it sent a bad IP checksum", idx_);
	if (!layout.IsTcp())
		return;
	if (!IsTcpSumGood(frame, layout))
		Fail("node %d: it sent a bad TCP checksum", idx_);
	uint32_t end = layout.seq + (uint32_t)(layout.end_off - layout.text_off) +
		       ((layout.flags & LEAT_TCP_SYN) != 0) + ((layout.flags & LEAT_TCP_FIN) != 0);
	uint64_t ports = (uint64_t)PortKey(layout.is_ipv6, layout.sport) << 16 | layout.dport;
	auto it = sent_max_.find(ports);

	if (it == sent_max_.end() || (layout.flags & LEAT_TCP_SYN) != 0) {
		sent_max_[ports] = end;
		return;
	}
	// The last segment once more is a probe of the tail: where little is in flight, the
	// peer's ACK is delayed for longer than that waits (RFC 8985 section 7.2).
	bool is_sent_again = end != layout.seq && (int32_t)(end - it->second) < 0;
	if (is_sent_again) { // to one whose connection is gone and who says nothing, perhaps
		const Pair *pair = sim_->PairOf(idx_, layout);

		nb_retransmitted_ += pair == nullptr || !pair->is_aborted;
	}
	if ((int32_t)(end - it->second) > 0)
		it->second = end;
}

// A frame as it is on the wire.
void
Node::Leave(Frame bytes)
{
	if (bytes.size() > kEthLen + (IsTagged(bytes) ? kTagLen : 0) + conf_.mtu)
		Fail("node %d: a frame of %zu bytes", idx_, bytes.size());
	CheckSent(bytes);
	if (sim_->options.pcap != nullptr)
		Record(sim_->options.pcap, sim_->now_us, bytes);
	sim_->middle.Carry(idx_, std::move(bytes));
}

// As hardware does it: it looks at nothing but what it was told.
void
Node::TransmitCut(const rte_mbuf *mbuf, const Frame &bytes)
{
	const uint64_t ipv4 = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
	const size_t l4_off = mbuf->l2_len + mbuf->l3_len;
	const uint64_t nb_lost = sim_->links[idx_].NbLost();

	if (!conf_.offloads.tx_tso || mbuf->tso_segsz == 0)
		Fail("node %d: text that the port shall cut, and cannot", idx_);
	if ((mbuf->ol_flags & ipv4) != ipv4 && (mbuf->ol_flags & RTE_MBUF_F_TX_IPV6) == 0)
		Fail("node %d: text that the port shall cut, of no family", idx_);
	for (Frame &seg :
		PortCut(bytes, mbuf->l2_len, l4_off, l4_off + mbuf->l4_len, mbuf->tso_segsz))
		Leave(std::move(seg));
	sim_->features.SawIf(sim_->links[idx_].NbLost() != nb_lost, Feature::kTsoSegmentLost);
}

void
Node::TransmitOne(rte_mbuf *mbuf)
{
	const bool is_cut = (mbuf->ol_flags & RTE_MBUF_F_TX_TCP_SEG) != 0;
	const uint16_t nb_segs_max = is_cut ? plan_.nb_tso_segs_max : plan_.nb_tx_segs_max;
	Frame bytes(mbuf->pkt_len);
	size_t off = 0;

	if (mbuf->nb_segs > 1 && !conf_.offloads.tx_multi_seg)
		Fail("node %d: a chain that the port cannot send", idx_);
	if (nb_segs_max != 0 && mbuf->nb_segs > nb_segs_max)
		Fail("node %d: a chain of %u mbufs", idx_, mbuf->nb_segs);
	for (rte_mbuf *seg = mbuf; seg != nullptr; seg = seg->next) {
		memcpy(bytes.data() + off, rte_pktmbuf_mtod(seg, void *), seg->data_len);
		off += seg->data_len;
	}
	if (off != bytes.size())
		Fail("node %d: pkt_len of a frame", idx_);
	if (is_cut) {
		TransmitCut(mbuf, bytes);
		rte_pktmbuf_free(mbuf);
		return;
	}
	if (bytes.size() < kFrameMin)
		bytes.resize(kFrameMin, 0xee);
	PortSum(&bytes, (mbuf->ol_flags & RTE_MBUF_F_TX_IP_CKSUM) != 0,
		(mbuf->ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM);
	rte_pktmbuf_free(mbuf);
	Leave(std::move(bytes));
}

void
Node::Transmit()
{
	rte_mbuf *mbufs[32];
	uint16_t nb = (uint16_t)sim_->rng.In(1, 32);
	uint16_t n;

	do {
		n = leat_inet_output(inet_, sim_->now_us, mbufs, nb);
		for (uint16_t i = 0; i < n; i++)
			TransmitOne(mbufs[i]);
	} while (n == nb);
	const struct leat_inet_stats *stats = leat_inet_stats(inet_);
	uint64_t nb_dry = stats->tx_no_mbuf + stats->tx_no_mbuf_new + stats->tx_no_mbuf_control;
	is_dry_ = nb_dry != nb_dry_;
	nb_dry_ = nb_dry;
	if (is_dry_)
		sim_->Trouble();
}

} // namespace sim
