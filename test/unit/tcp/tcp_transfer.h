// SPDX-License-Identifier: BSD-3-Clause

#ifndef TCP_TRANSFER_H
#define TCP_TRANSFER_H

// One engine sends to another over a link of 10 Gbit/s and 1 ms each way that loses and
// reorders, by a virtual clock: the figures do not depend on the machine.

#include <deque>
#include <map>
#include <random>

#include "tcp_fixture.h"

namespace tcp_test
{

constexpr uint16_t kEthernetMss = 1460;
constexpr uint32_t kSegLen = 1448; // with timestamps
constexpr uint32_t kTextLen = 8u << 20;
constexpr uint64_t kDelayNs = 1000000;
constexpr uint64_t kLateNs = 500000; // what is reordered comes so much later
constexpr uint64_t kByteNs10 = 8;    // tenths of a nanosecond

struct Path {
	double loss;
	double reorder;
	uint64_t seed;
};

struct Figures {
	double mbit_s = 0;
	uint64_t nb_segs = 0;
	uint64_t nb_rtx = 0;
	uint64_t nb_lost = 0;    // of text that left for the first time
	uint64_t nb_reduced = 0; // times that the sender took less of the path
	uint64_t nb_missed = 0;  // losses after which it did not
	uint64_t nb_undone = 0;
	uint64_t nb_needless = 0; // times that it did, and nothing was lost since it last did
	double wnd_segs = 0;      // mean of cwnd over time, in segments
};

class Transfer
{
      public:
	explicit Transfer(Path path, uint8_t congestion, uint32_t tso_len_max = 0)
	    : path_(path), tso_len_max_(tso_len_max), rng_(path.seed), pool_(4000, 4)
	{
		for (int i = 0; i < 2; i++) {
			leat_tcp_conf_init(&confs_[i], kEthernetMss);
			confs_[i].pool = pool_.get();
			confs_[i].congestion = congestion;
		}
	}

	~Transfer()
	{
		for (leat_tcb &tcb : tcbs_)
			leat_tcp_fini(&tcb);
		for (auto &[at, wire] : wires_)
			rte_pktmbuf_free(wire.text);
	}

	Figures Run()
	{
		leat_tcp_open_active(&tcbs_[0], &confs_[0], NowUs(), 1);
		while (nb_received_ < kTextLen && now_ns_ < (kStart + 600000000) * 1000) {
			Turn(0);
			Turn(1);
			uint64_t next_ns = std::max(now_ns_, NextNs());

			wnd_ns_ += (double)tcbs_[0].cwnd * (double)(next_ns - now_ns_);
			now_ns_ = next_ns;
			while (!wires_.empty() && wires_.begin()->first <= now_ns_) {
				Deliver();
				Watch();
			}
			for (leat_tcb &tcb : tcbs_)
				if (tcb.state != LEAT_TCP_CLOSED)
					leat_tcp_timeout(&tcb, NowUs());
			Watch();
		}
		EXPECT_EQ(kTextLen, nb_received_) << "seed " << path_.seed;
		figures_.mbit_s = 8e3 * nb_received_ / (double)(now_ns_ - kStart * 1000);
		figures_.wnd_segs = wnd_ns_ / (double)(now_ns_ - kStart * 1000) / kSegLen;
		return figures_;
	}

      private:
	struct Wire {
		int to;
		leat_tcp_seg seg;
		rte_mbuf *text;
	};

	struct Loss {
		uint32_t seq;
		uint64_t sent_ns;
	};

	Path path_;
	uint32_t tso_len_max_;
	std::mt19937_64 rng_;
	EnginePool pool_;
	leat_tcp_conf confs_[2];
	leat_tcb tcbs_[2] = {};
	std::multimap<uint64_t, Wire> wires_;
	uint64_t now_ns_ = kStart * 1000;
	uint64_t free_ns_[2] = {}; // when the link has sent what was given to it
	uint32_t nb_queued_ = 0;
	uint32_t nb_received_ = 0;
	Figures figures_;
	std::deque<Loss> losses_; // that no ACK covers yet
	uint64_t reduced_ns_ = 0;
	uint64_t prior_ns_ = 0;
	uint64_t lost_ns_ = 0; // anything that holds text, last
	uint32_t recover_ = 0;
	uint32_t ssthresh_ = UINT32_MAX;
	double wnd_ns_ = 0;

	uint64_t NowUs() const
	{
		return now_ns_ / 1000;
	}

	bool Chance(double p)
	{
		return p > 0 && (double)(rng_() >> 11) * 0x1p-53 < p;
	}

	// What the sender has made of the losses: RFC 5681 section 4.3 wants each window that
	// lost something to lower cwnd once.
	void Watch()
	{
		const leat_tcb &tcb = tcbs_[0];

		if (recover_ != 0 && (tcb.recover != recover_ || tcb.ssthresh < ssthresh_)) {
			figures_.nb_reduced++;
			figures_.nb_needless += lost_ns_ < reduced_ns_;
			prior_ns_ = reduced_ns_;
			reduced_ns_ = now_ns_;
		} else if (recover_ != 0 && tcb.ssthresh > ssthresh_) { // it was a mistake
			figures_.nb_undone++;
			reduced_ns_ = prior_ns_;
		}
		recover_ = tcb.recover;
		ssthresh_ = tcb.ssthresh;
		while (!tcb.tlp_on && !losses_.empty() &&
			seq_lt(losses_.front().seq, tcb.snd_una)) {
			figures_.nb_missed += reduced_ns_ <= losses_.front().sent_ns;
			losses_.pop_front();
		}
	}

	uint64_t NextNs() const
	{
		uint64_t next = wires_.empty() ? UINT64_MAX : wires_.begin()->first;

		for (const leat_tcb &tcb : tcbs_) {
			if (tcb.state == LEAT_TCP_CLOSED || leat_tcp_deadline(&tcb) == UINT64_MAX)
				continue;
			next = std::min(next, leat_tcp_deadline(&tcb) * 1000);
		}
		return next;
	}

	void Turn(int i)
	{
		leat_tcb *tcb = &tcbs_[i];
		leat_tcp_out out;

		tcb->events = 0;
		if (rte_mbuf *text = leat_tcp_take_text(tcb); text != nullptr) {
			leat_tcp_consumed(tcb, text->pkt_len);
			nb_received_ += text->pkt_len;
			rte_pktmbuf_free(text);
		}
		while (i == 0 && nb_queued_ < kTextLen && tcb->state == LEAT_TCP_ESTABLISHED) {
			rte_mbuf *text = rte_pktmbuf_alloc(Pool());
			uint32_t len = std::min(kTextLen - nb_queued_, 2048u);

			ASSERT_NE(nullptr, rte_pktmbuf_append(text, (uint16_t)len));
			if (leat_tcp_send(tcb, text) != 0) {
				rte_pktmbuf_free(text);
				break;
			}
			nb_queued_ += len;
		}
		while (tcb->state != LEAT_TCP_CLOSED &&
			leat_tcp_output(tcb, NowUs(), tso_len_max_, &out))
			Transmit(i, out);
	}

	void Transmit(int from, const leat_tcp_out &out)
	{
		std::string text = BytesOf(out.text, out.off, out.len);
		uint32_t mss = out.mss != 0 ? out.mss : kEthernetMss;
		uint32_t off = 0;

		do {
			leat_tcp_seg seg = {};

			seg.seq = out.seq + off;
			seg.ack = out.ack;
			seg.wnd = out.wnd;
			seg.flags = out.flags;
			seg.opts = out.opts;
			seg.len = std::min<uint32_t>(mss, out.len - off);
			figures_.nb_segs += seg.len > 0;
			figures_.nb_rtx += out.is_rtx;
			Put(from, seg, text.substr(off, seg.len), out.is_rtx);
			off += seg.len;
		} while (off < out.len);
	}

	void Put(int from, const leat_tcp_seg &seg, const std::string &text, bool is_rtx)
	{
		free_ns_[from] =
			std::max(free_ns_[from], now_ns_) + (seg.len + 78) * kByteNs10 / 10;
		if (Chance(path_.loss)) {
			if (seg.len > 0)
				Lose(seg, is_rtx);
			return;
		}
		wires_.emplace(free_ns_[from] + kDelayNs + (Chance(path_.reorder) ? kLateNs : 0),
			Wire{ 1 - from, seg, Packet(text) });
	}

	void Lose(const leat_tcp_seg &seg, bool is_rtx)
	{
		lost_ns_ = now_ns_;
		if (is_rtx)
			return;
		figures_.nb_lost++;
		losses_.push_back({ seg.seq, now_ns_ });
	}

	void Deliver()
	{
		Wire wire = wires_.begin()->second;
		leat_tcb *tcb = &tcbs_[wire.to];

		wires_.erase(wires_.begin());
		if (tcb->state == LEAT_TCP_CLOSED) {
			ASSERT_EQ(1, wire.to);
			leat_tcp_open_passive(tcb, &confs_[1], NowUs(), 5, &wire.seg, kEthernetMss);
			return;
		}
		(void)leat_tcp_input(tcb, NowUs(), &wire.seg, wire.text);
	}
};

} // namespace tcp_test

#endif // TCP_TRANSFER_H
