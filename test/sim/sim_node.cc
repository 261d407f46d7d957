// SPDX-License-Identifier: BSD-3-Clause

#include "sim_loan.h"
#include "sim_world.h"

namespace sim
{

namespace
{

constexpr uint32_t kReassShare = 4; // of the pool: text out of order
constexpr uint64_t kRetryUs = 1000; // when mbufs were short

} // namespace

Node::Node(Sim *sim, int idx)
    : sim_(sim), plan_(sim->plan.nodes[idx]), idx_(idx), name_("sim" + std::to_string(idx))
{
	leat_error error = {};

	conf_.name = name_.c_str();
	conf_.mac[0] = 2;
	conf_.mac[5] = NodeMac(idx);
	conf_.mtu = sim->plan.mtu;
	conf_.vlan_id = sim->plan.vlan_id;
	conf_.nb_addrs = 1;
	conf_.addrs[0] = { NodeAddr(idx, false), 24 };
	if (sim->plan.HasIpv6())
		conf_.addrs[conf_.nb_addrs++] = { NodeAddr(idx, true), 64 };
	if (sim->plan.flood.target == idx) {
		conf_.gateway = GatewayAddr(false);
		if (sim->plan.HasIpv6())
			conf_.gateway6 = GatewayAddr(true);
	}
	conf_.offloads = plan_.offloads;
	conf_.nb_tx_segs_max = plan_.nb_tx_segs_max;
	conf_.nb_tso_segs_max = plan_.nb_tso_segs_max;
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
	InitTcp();
	nb_reass_left_ = plan_.nb_mbufs / kReassShare;
	conf_.tcp.reass_budget = &nb_reass_left_;
	if (leat_inet_open(&conf_, &inet_, &error) < 0)
		Fail("open: %s", error.text);
	Listen(leat_ip_addr_from_ipv4(0));
	Listen(leat_ip_addr_none());
	Hold();
}

void
Node::InitTcp()
{
	leat_tcp_conf_init(&conf_.tcp, plan_.mss);
	conf_.tcp.wscale = plan_.wscale;
	conf_.tcp.rcv_wnd_max = plan_.rcv_wnd_max;
	conf_.tcp.snd_len_max = plan_.snd_len_max;
	conf_.tcp.ack_delay_us = plan_.ack_delay_us;
	conf_.tcp.nb_reass_max = plan_.nb_reass_max;
	conf_.tcp.ts_offset = plan_.ts_offset;
	conf_.tcp.time_wait_us = sim_->plan.time_wait_us;
	conf_.tcp.nb_retries_max = 40;
	conf_.tcp.nb_syn_retries_max = 20;
	conf_.tcp.nb_synack_retries_max = 20;
	conf_.tcp.fin_wait_2_us = kFinWait2Us;
	conf_.tcp.congestion = plan_.congestion;
	if (plan_.keep.idle_s == 0)
		return;
	conf_.tcp.keep_idle_s = plan_.keep.idle_s;
	conf_.tcp.keep_interval_s = plan_.keep.interval_s;
	conf_.tcp.nb_keep_probes_max = plan_.keep.nb_probes;
}

void
Node::Listen(leat_ip_addr addr)
{
	if (leat_inet_listen(inet_, addr, kPort, nullptr) < 0)
		Fail("listen");
	if (plan_.keeps_by_listener && leat_inet_set_keepalive(inet_, addr, kPort, &plan_.keep) < 0)
		Fail("keep-alive");
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
	sim_->features.SawIf(!leat_ip_addr_is_ipv4(raddr), Feature::kIpv6);
	sim_->Met(sim_->PairOf(side));
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
	sim_->features.SawIf(side->is_shut, Feature::kHalfClose);
	side->nb_received += len;
	side->nb_unread += len;
	sim_->nb_bytes += len;
	if (side->nb_received > side->rx_len)
		Fail("node %d: more than was sent", idx_);
	if (side->nb_unread > conf_.tcp.rcv_wnd_max)
		Fail("node %d: more than the window", idx_);
	side->read_at_us = sim_->now_us + side->pause_us;
}

// Whether there is a reason for its end.
bool
Node::MayEndBy(const Side *side, const Pair &pair, int error) const
{
	bool is_told = plan_.forged > 0 && error == -ECONNREFUSED; // by whoever forges, and late

	if (error == 0)
		return side->has_eof && side->is_shut;
	if (side->is_reset)
		return error == -ECONNRESET;
	// A cookie's ACK that comes out of order is nobody's, and is answered with a reset.
	if (error == -ECONNRESET && sim_->plan.HasCookies() && side == &pair.sides[0] &&
		side->nb_received == 0)
		return true;
	if (pair.meets_gone)
		return error == -ETIMEDOUT || error == -EHOSTUNREACH || is_told ||
		       (error == -ECONNRESET && sim_->plan.vanish.back_us <= sim_->now_us);
	// A neighbour without mbufs says nothing for longer than it is asked.
	if (error == -EHOSTUNREACH && !side->is_open &&
		!sim_->plan.nodes[1 - idx_].droughts.empty())
		return true;
	return pair.is_swallowed && (error == -ETIMEDOUT || is_told);
}

// One side is over by an error. The other may never hear of it, and its user loses patience.
void
Node::EndPair(Pair *pair)
{
	pair->is_aborted = true;
	if (pair->meets_gone)
		return;
	for (Side &side : pair->sides)
		side.give_up_us = std::min(side.give_up_us, sim_->now_us + kPatienceUs);
}

void
Node::TakeClosed(Side *side, int error)
{
	Pair *pair = sim_->PairOf(side);

	if (!pair->is_aborted && !MayEndBy(side, *pair, error))
		Fail("node %d: closed with error %d: sent %" PRIu64 "/%" PRIu64 " received %" PRIu64
		     "/%" PRIu64 " eof %d shut %d",
			idx_, error, side->nb_sent, side->tx_len, side->nb_received, side->rx_len,
			side->has_eof, side->is_shut);
	if (side->is_reset && error != -ECONNRESET)
		Fail("node %d: reset, and closed with error %d", idx_, error);
	sim_->features.SawIf(side->is_reset, Feature::kReset);
	sim_->features.SawIf(pair->is_swallowed && error == -ETIMEDOUT, Feature::kBlackHole);
	if (pair->meets_gone && error == -ETIMEDOUT) {
		sim_->features.Saw(Feature::kVanishedEnd);
		WatchTimedOut(side->conn, &sim_->features);
	}
	sim_->features.SawIf(pair->meets_gone && error == -ECONNRESET, Feature::kCameBack);
	// A segment of his that comes late has a cookie that is still good: it opens what was reset
	// once more, and takes the place of whoever has the same port.
	if (error == -ECONNRESET && side == &pair->sides[0] && sim_->plan.HasCookies())
		SkipPorts(inet_);
	if (error != 0)
		EndPair(pair);
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

namespace
{

// Few bytes take less memory as a copy, which TCP puts together with others.
constexpr uint32_t kLoanLenMin = 1000;

// Where in a stream.
struct Stream {
	uint64_t seed;
	uint64_t pos;
};

void
StreamFill(uint8_t *bytes, uint16_t len, void *arg)
{
	Stream *stream = static_cast<Stream *>(arg);

	for (uint16_t i = 0; i < len; i++)
		bytes[i] = StreamByte(stream->seed, stream->pos++);
}

} // namespace

rte_mbuf *
Node::Chunk(Side *side, uint32_t len)
{
	rte_mbuf *head = nullptr;
	Stream stream = { side->tx_seed, side->nb_sent };

	while (len > 0) {
		rte_mbuf *seg = rte_pktmbuf_alloc(conf_.pool);
		uint32_t n = (uint32_t)std::min<uint64_t>(len, sim_->rng.In(1, 2000));

		if (seg == nullptr) {
			rte_pktmbuf_free(head);
			return nullptr;
		}
		if (plan_.lends && len >= kLoanLenMin) {
			n = std::min<uint32_t>(len, UINT16_MAX);
			AttachLoan(seg, (uint16_t)n, StreamFill, &stream);
		} else {
			n = std::min<uint32_t>(n, rte_pktmbuf_tailroom(seg));
			StreamFill((uint8_t *)rte_pktmbuf_append(seg, (uint16_t)n), (uint16_t)n,
				&stream);
		}
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
	if (side->nb_sent >= side->idle_at && side->idle_until_us == kNever) {
		side->idle_until_us = sim_->now_us + side->idle_us;
		sim_->features.SawIf(side->idle_us > kSecondUs, Feature::kIdle);
	}
	while (side->NbWilling(sim_->now_us) > 0) {
		uint64_t left = side->NbWilling(sim_->now_us);
		rte_mbuf *chain = nullptr;
		uint32_t len = 0;
		int ret;

		if (rte_mempool_avail_count(conf_.pool) > plan_.nb_mbufs / 2) {
			len = (uint32_t)std::min(left, sim_->rng.In(1, side->chunk_max));
			chain = Chunk(side, len);
		}
		side->is_starved = chain == nullptr;
		if (side->is_starved)
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
	sim_->features.Saw(Feature::kAbort);
	leat_inet_abort(inet_, side->conn);
}

// A reset may be lost: who has nothing to send never learns of it.
bool
Node::GivesUp(Side *side)
{
	if (side->nb_received >= side->abort_at)
		return true;
	if (!sim_->PairOf(side)->is_aborted || sim_->PairOf(side)->meets_gone)
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
	if (side->nb_received >= side->reset_at && !side->is_reset) {
		Reset(side);
		return;
	}
	if (side->nb_unread > 0 && side->read_at_us <= sim_->now_us)
		Read(side);
	Write(side);
	if (side->nb_sent == side->tx_len && !side->is_shut &&
		(side->has_eof || !side->closes_after_eof))
		Close(side);
}

void
Node::Turn()
{
	Hold();
	Receive();
	Attack();
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
		if (side->NbWilling(sim_->now_us) > 0 ||
			(side->nb_received >= side->reset_at && !side->is_reset)) // no mbufs
			at_us = std::min(at_us, sim_->now_us + kRetryUs);
		if (side->nb_sent < side->tx_len && side->idle_until_us > sim_->now_us)
			at_us = std::min(at_us, side->idle_until_us);
	}
	return at_us;
}

void
Node::Watch()
{
	for (const Side *side : sides_) {
		if (side->conn != nullptr && side->is_open)
			sim::Watch(side->conn, &sim_->features);
	}
}

// What the counters tell of its life.
void
Node::WatchEnd()
{
	const struct leat_inet_stats *stats = leat_inet_stats(inet_);
	Features *features = &sim_->features;
	bool is_flooded =
		sim_->plan.flood.target == idx_ && sim_->plan.cookies != LEAT_INET_COOKIES_ALWAYS;

	features->SawIf(nb_dry_ > 0, Feature::kDrought);
	features->SawIf(stats->tx_tso > 0, Feature::kTso);
	features->SawIf(stats->tx_tso > 0 && !plan_.trusts_offloads, Feature::kTsoTrial);
	features->SawIf(stats->tx_cut > 0, Feature::kCut);
	features->SawIf(is_flooded && stats->tcp_cookies_sent > 0, Feature::kFloodCookie);
	features->SawIf(is_flooded && stats->tcp_cookies_accepted > 0, Feature::kFloodAccepted);
	features->SawIf(stats->time_wait_added > 0, Feature::kTimeWait);
	features->SawIf(stats->time_wait_reopened > 0, Feature::kTimeWaitReopened);
	features->SawIf(stats->time_wait_rst_ignored > 0, Feature::kTimeWaitRst);
}

void
Node::CheckEnd()
{
	const struct leat_inet_stats *stats = leat_inet_stats(inet_);

	WatchEnd();
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
