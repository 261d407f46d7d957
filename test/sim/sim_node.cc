// SPDX-License-Identifier: BSD-3-Clause

#include "sim_world.h"

namespace sim
{

namespace
{

constexpr size_t kFrameMin = 60;
constexpr size_t kTagOff = 12;
constexpr size_t kTagLen = 4;
constexpr uint32_t kReassShare = 4; // of the pool: text out of order
constexpr uint64_t kRetryUs = 1000; // when mbufs were short

leat_ip_addr
NodeAddr(int idx, bool is_ipv6)
{
	leat_ip_addr addr = {};

	if (!is_ipv6)
		return leat_ip_addr_from_ipv4(0x0a4d0001u + (uint32_t)idx);
	addr.bytes[0] = 0xfd; // fd00::4d:1
	addr.bytes[13] = 0x4d;
	addr.bytes[15] = (uint8_t)(1 + idx);
	return addr;
}

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

Node::Node(Sim *sim, int idx)
    : sim_(sim), plan_(sim->plan.nodes[idx]), idx_(idx), name_("sim" + std::to_string(idx))
{
	leat_error error = {};

	conf_.name = name_.c_str();
	conf_.mac[0] = 2;
	conf_.mac[5] = (uint8_t)(1 + idx);
	conf_.mtu = sim->plan.mtu;
	conf_.vlan_id = sim->plan.vlan_id;
	conf_.nb_addrs = 1;
	conf_.addrs[0] = { NodeAddr(idx, false), 24 };
	if (sim->plan.mtu >= LEAT_IPV6_MTU_MIN)
		conf_.addrs[conf_.nb_addrs++] = { NodeAddr(idx, true), 64 };
	conf_.offloads = plan_.offloads;
	conf_.trust_offloads = plan_.trusts_offloads;
	conf_.cookies = sim->plan.cookies;
	conf_.nb_conns_max = 16 * kConnsMax; // so that no peer is answered with a cookie
	conf_.nb_time_waits_max = 16 * kConnsMax;
	conf_.nb_neighbours_max = 64;
	conf_.conn_priv_len = sizeof(Side *);
	conf_.pool = sim->pools[idx];
	conf_.seed[0] = sim->rng.In(0, UINT64_MAX - 1);
	conf_.seed[1] = sim->rng.In(0, UINT64_MAX - 1);
	conf_.now_us = sim->now_us;
	leat_tcp_conf_init(&conf_.tcp, plan_.mss);
	conf_.tcp.wscale = plan_.wscale;
	conf_.tcp.rcv_wnd_max = plan_.rcv_wnd_max;
	conf_.tcp.snd_len_max = plan_.snd_len_max;
	conf_.tcp.ack_delay_us = plan_.ack_delay_us;
	conf_.tcp.nb_reass_max = plan_.nb_reass_max;
	conf_.tcp.ts_offset = plan_.ts_offset;
	conf_.tcp.time_wait_us = sim->plan.time_wait_us;
	conf_.tcp.nb_retries_max = 40;
	conf_.tcp.nb_syn_retries_max = 20;
	conf_.tcp.nb_synack_retries_max = 20;
	conf_.tcp.fin_wait_2_us = 3600 * kSecondUs;
	nb_reass_left_ = plan_.nb_mbufs / kReassShare;
	conf_.tcp.reass_budget = &nb_reass_left_;
	if (leat_inet_open(&conf_, &inet_, &error) < 0)
		Fail("open: %s", error.text);
	if (leat_inet_listen(inet_, leat_ip_addr_from_ipv4(0), kPort, nullptr) < 0 ||
		leat_inet_listen(inet_, leat_ip_addr_none(), kPort, nullptr) < 0)
		Fail("listen");
	Hold();
}

Node::~Node()
{
	leat_inet_close(inet_);
	for (rte_mbuf *mbuf : held_)
		rte_pktmbuf_free(mbuf);
}

// Somebody else takes of the pool what the plan says, and gives back the rest.
void
Node::Hold()
{
	uint32_t nb_wanted =
		IsWithin(plan_.droughts, sim_->now_us) ? kNbMbufs : kNbMbufs - plan_.nb_mbufs;

	while (held_.size() > nb_wanted) {
		rte_pktmbuf_free(held_.back());
		held_.pop_back();
	}
	while (held_.size() < nb_wanted) {
		rte_mbuf *mbuf = rte_pktmbuf_alloc(conf_.pool);

		if (mbuf == nullptr)
			return;
		held_.push_back(mbuf);
	}
}

void
Node::Connect(Pair *pair)
{
	leat_inet_conn *conn;
	leat_ip_addr addr;
	uint16_t port, rport;

	if (leat_inet_connect(
		    inet_, NodeAddr(1 - idx_, pair->is_ipv6), kPort, sim_->now_us, &conn) < 0)
		Fail("connect");
	if (sim_->plan.reuses_ports)
		ReusePort(inet_);
	leat_inet_conn_ends(conn, &addr, &port, &addr, &rport);
	Attach(conn, &pair->sides[0]);
	by_port[PortKey(pair->is_ipv6, port)] = pair;
	pair->port = port;
	sides_.push_back(&pair->sides[0]);
}

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
			if (mbufs[n] != nullptr)
				n++;
			else
				sim_->Lost(1 - idx_, frame);
		}
		leat_inet_input(inet_, sim_->now_us, mbufs, n);
	}
}

void
Node::TakeOpen(leat_inet_conn *conn)
{
	leat_ip_addr laddr, raddr;
	uint16_t lport, rport;
	Side *side;

	memcpy(&side, leat_inet_conn_priv(conn), sizeof(side));
	leat_inet_conn_ends(conn, &laddr, &lport, &raddr, &rport);
	if (side == nullptr) { // accepted
		Node &peer = *sim_->nodes[1 - idx_];
		auto it = peer.by_port.find(PortKey(!leat_ip_addr_is_ipv4(raddr), rport));

		if (lport != kPort || it == peer.by_port.end())
			Fail("node %d: OPEN by nobody", idx_);
		side = &it->second->sides[1];
		Attach(conn, side);
		sides_.push_back(side);
	}
	if (side->is_open)
		Fail("node %d: OPEN twice", idx_);
	side->is_open = true;
}

void
Node::TakeData(Side *side, rte_mbuf *mbuf)
{
	uint32_t len = 0;

	for (rte_mbuf *seg = mbuf; seg != nullptr; seg = seg->next) {
		const uint8_t *data = rte_pktmbuf_mtod(seg, const uint8_t *);

		if (seg->data_len == 0)
			Fail("node %d: empty segment", idx_);
		for (uint16_t i = 0; i < seg->data_len; i++) {
			if (data[i] != StreamByte(side->rx_seed, side->nb_received + len + i))
				Fail("node %d: wrong byte %" PRIu64 " of %" PRIu64, idx_,
					side->nb_received + len + i, side->rx_len);
		}
		len += seg->data_len;
	}
	if (len != mbuf->pkt_len)
		Fail("node %d: pkt_len", idx_);
	rte_pktmbuf_free(mbuf);
	side->nb_received += len;
	side->nb_unread += len;
	sim_->nb_bytes += len;
	if (side->nb_received > side->rx_len)
		Fail("node %d: more than was sent", idx_);
	if (side->nb_unread > conf_.tcp.rcv_wnd_max)
		Fail("node %d: more than the window", idx_);
	side->read_at_us = sim_->now_us + side->pause_us;
}

void
Node::TakeClosed(Side *side, int error)
{
	Pair *pair = sim_->PairOf(side);

	// A cookie's ACK that comes out of order is nobody's, and is answered with a reset.
	if (error == -ECONNRESET && sim_->plan.cookies == LEAT_INET_COOKIES_ALWAYS &&
		side == &pair->sides[0] && side->nb_received == 0)
		pair->is_aborted = true;
	bool was_aborted = pair->is_aborted;

	if (error != 0 && !was_aborted)
		Fail("node %d: closed with error %d: sent %" PRIu64 "/%" PRIu64 " received %" PRIu64
		     "/%" PRIu64 " eof %d shut %d",
			idx_, error, side->nb_sent, side->tx_len, side->nb_received, side->rx_len,
			side->has_eof, side->is_shut);
	if ((!side->has_eof || !side->is_shut) && !was_aborted)
		Fail("node %d: closed too early", idx_);
	side->is_closed = true;
	side->conn = nullptr;
}

void
Node::TakeEvent(const leat_inet_event &event)
{
	if (event.type == LEAT_INET_OPEN) {
		TakeOpen(event.conn);
		return;
	}
	Side *side = SideOf(event.conn);
	if (side->is_closed)
		Fail("node %d: event after CLOSED", idx_);
	if (!side->is_open && event.type != LEAT_INET_CLOSED)
		Fail("node %d: event before OPEN", idx_);
	switch (event.type) {
	case LEAT_INET_DATA:
		if (side->has_eof)
			Fail("node %d: DATA after EOF", idx_);
		TakeData(side, event.mbuf);
		break;
	case LEAT_INET_WRITABLE:
		if (!side->is_blocked)
			Fail("node %d: WRITABLE that nobody waits for", idx_);
		side->is_blocked = false;
		break;
	case LEAT_INET_EOF:
		if (side->has_eof || side->nb_received != side->rx_len)
			Fail("node %d: EOF after %" PRIu64 " of %" PRIu64, idx_, side->nb_received,
				side->rx_len);
		side->has_eof = true;
		break;
	default: // CLOSED; OPEN was above
		TakeClosed(side, event.error);
		break;
	}
}

void
Node::TakeEvents()
{
	leat_inet_event events[16];
	uint16_t nb = (uint16_t)sim_->rng.In(1, 16);
	uint16_t n;

	do {
		n = leat_inet_events(inet_, events, nb);
		for (uint16_t i = 0; i < n; i++) {
			TakeEvent(events[i]);
		}
	} while (n == nb);
}

rte_mbuf *
Node::Chunk(Side *side, uint32_t len)
{
	rte_mbuf *head = nullptr;
	uint64_t pos = side->nb_sent;

	while (len > 0) {
		rte_mbuf *seg = leat_inet_tx_alloc(inet_);
		uint32_t n = (uint32_t)std::min<uint64_t>(len, sim_->rng.In(1, 2000));

		if (seg == nullptr) {
			rte_pktmbuf_free(head);
			return nullptr;
		}
		n = std::min<uint32_t>(n, rte_pktmbuf_tailroom(seg));
		uint8_t *data = (uint8_t *)rte_pktmbuf_append(seg, (uint16_t)n);
		for (uint32_t i = 0; i < n; i++)
			data[i] = StreamByte(side->tx_seed, pos++);
		len -= n;
		if (head == nullptr)
			head = seg;
		else if (rte_pktmbuf_chain(head, seg) < 0)
			Fail("chain");
	}
	return head;
}

void
Node::Write(Side *side)
{
	// Frames and ACKs must find mbufs too: an application reserves, as the worker does.
	while (side->nb_sent < side->tx_len && !side->is_blocked &&
		rte_mempool_avail_count(conf_.pool) > plan_.nb_mbufs / 2) {
		uint64_t left = side->tx_len - side->nb_sent;
		uint32_t len = (uint32_t)std::min(left, sim_->rng.In(1, side->chunk_max));
		rte_mbuf *chain = Chunk(side, len);
		int ret;

		if (chain == nullptr)
			return;
		ret = leat_inet_send(inet_, side->conn, chain);
		if (ret == 0) {
			side->nb_sent += len;
			continue;
		}
		rte_pktmbuf_free(chain);
		if (ret == -EPIPE && sim_->PairOf(side)->is_aborted)
			return;
		if (ret != -ENOBUFS)
			Fail("node %d: send gives %d", idx_, ret);
		side->is_blocked = true;
	}
}

void
Node::Read(Side *side)
{
	uint32_t len = side->nb_unread;

	if (side->pause_us > 0 && len > 1 && !side->has_eof)
		len = (uint32_t)sim_->rng.In(1, len);
	leat_inet_consumed(inet_, side->conn, len);
	side->nb_unread -= len;
	sim_->PairOf(side)->trouble_us = sim_->now_us; // which he has held up until now
	side->read_at_us = sim_->now_us + side->pause_us;
}

void
Node::Close(Side *side)
{
	if (side->close_at_us == kNever)
		side->close_at_us = sim_->now_us + side->close_delay_us;
	if (sim_->now_us < side->close_at_us)
		return;
	leat_inet_shutdown(inet_, side->conn);
	side->is_shut = true;
}

// Without a word to the peer, and whatever is under way.
void
Node::Abort(Side *side)
{
	sim_->PairOf(side)->is_aborted = true;
	leat_inet_abort(inet_, side->conn);
}

// A reset may be lost: who has nothing to send never learns of it.
bool
Node::GivesUp(Side *side)
{
	if (side->nb_received >= side->abort_at)
		return true;
	if (!sim_->PairOf(side)->is_aborted)
		return false;
	if (side->give_up_us == kNever)
		side->give_up_us = sim_->now_us + kPatienceUs;
	return side->give_up_us <= sim_->now_us;
}

void
Node::Pump(Side *side)
{
	if (!side->is_open || side->is_closed)
		return;
	if (GivesUp(side)) {
		Abort(side);
		return;
	}
	if (side->nb_unread > 0 && side->read_at_us <= sim_->now_us)
		Read(side);
	Write(side);
	if (side->nb_sent == side->tx_len && !side->is_shut &&
		(side->has_eof || !side->closes_after_eof))
		Close(side);
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
	nb_retransmitted_ += end != layout.seq && (int32_t)(end - it->second) < 0;
	if ((int32_t)(end - it->second) > 0)
		it->second = end;
}

void
Node::TransmitOne(rte_mbuf *mbuf)
{
	Frame bytes(mbuf->pkt_len);
	size_t off = 0;

	if (!conf_.offloads.tx_multi_seg && mbuf->nb_segs > 1)
		Fail("node %d: a chain that the port cannot send", idx_);
	for (rte_mbuf *seg = mbuf; seg != nullptr; seg = seg->next) {
		memcpy(bytes.data() + off, rte_pktmbuf_mtod(seg, void *), seg->data_len);
		off += seg->data_len;
	}
	if (off != bytes.size() || off > kTagOff + kTagLen + 2 + conf_.mtu)
		Fail("node %d: a frame of %zu bytes", idx_, off);
	if (bytes.size() < kFrameMin)
		bytes.resize(kFrameMin, 0xee);
	PortSum(&bytes, (mbuf->ol_flags & RTE_MBUF_F_TX_IP_CKSUM) != 0,
		(mbuf->ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM);
	rte_pktmbuf_free(mbuf);
	CheckSent(bytes);
	if (sim_->options.pcap != nullptr)
		Record(sim_->options.pcap, sim_->now_us, bytes);
	sim_->links[idx_].Send(sim_->now_us, std::move(bytes));
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

void
Node::Turn()
{
	Hold();
	Receive();
	if (leat_inet_deadline(inet_) <= sim_->now_us)
		leat_inet_timers(inet_, sim_->now_us);
	TakeEvents();
	for (size_t i = 0; i < sides_.size(); i++)
		Pump(sides_[i]);
	Transmit();
}

uint64_t
Node::WakeUs() const
{
	uint64_t at_us = std::min(leat_inet_deadline(inet_), sim_->links[1 - idx_].NextUs());

	if (is_dry_)
		at_us = std::min(at_us, sim_->now_us + kRetryUs);
	for (const Side *side : sides_) {
		if (side->is_closed || !side->is_open)
			continue;
		at_us = std::min(at_us, side->give_up_us);
		if (side->nb_unread > 0)
			at_us = std::min(at_us, side->read_at_us);
		if (!side->is_shut)
			at_us = std::min(at_us, side->close_at_us);
		if (side->nb_sent < side->tx_len && !side->is_blocked) // the pool was short
			at_us = std::min(at_us, sim_->now_us + kRetryUs);
	}
	return at_us;
}

void
Node::CheckEnd()
{
	const struct leat_inet_stats *stats = leat_inet_stats(inet_);

	CheckIdle(inet_, name_.c_str());
	uint64_t nb_bad = stats->rx_tcp_cksum + stats->rx_tcp_cksum_partial +
			  stats->rx_tcp_malformed + stats->rx_ipv4_cksum + stats->rx_ipv4_malformed;
	if (nb_bad > sim_->links[1 - idx_].NbDamaged())
		Fail("%s: its peer sent bad checksums or headers", name_.c_str());
	if (nb_reass_left_ != plan_.nb_mbufs / kReassShare)
		Fail("%s: the budget of text out of order is not back", name_.c_str());
	Hold();
	if (rte_mempool_avail_count(conf_.pool) != plan_.nb_mbufs)
		Fail("%s: %u of %u mbufs are back", name_.c_str(),
			rte_mempool_avail_count(conf_.pool), plan_.nb_mbufs);
	if (sim_->plan.IsClean() && nb_retransmitted_ > 0)
		Fail("%s: %" PRIu64 " segments were sent again over a clean link", name_.c_str(),
			nb_retransmitted_);
}

} // namespace sim
