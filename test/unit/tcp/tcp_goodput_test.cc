// SPDX-License-Identifier: BSD-3-Clause

// Goodput of one engine towards another over a link of 10 Gbit/s and 1 ms each way that
// loses and reorders, by a virtual clock: the figures do not depend on the machine. A link
// that is clean must be filled as far as the windows allow; a bad one to a floor.

#include <cstdio>
#include <map>
#include <random>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

constexpr uint16_t kEthernetMss = 1460;
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
			now_ns_ = std::max(now_ns_, NextNs());
			while (!wires_.empty() && wires_.begin()->first <= now_ns_)
				Deliver();
			for (leat_tcb &tcb : tcbs_)
				if (tcb.state != LEAT_TCP_CLOSED)
					leat_tcp_timeout(&tcb, NowUs());
		}
		EXPECT_EQ(kTextLen, nb_received_) << "seed " << path_.seed;
		figures_.mbit_s = 8e3 * nb_received_ / (double)(now_ns_ - kStart * 1000);
		return figures_;
	}

      private:
	struct Wire {
		int to;
		leat_tcp_seg seg;
		rte_mbuf *text;
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

	uint64_t NowUs() const
	{
		return now_ns_ / 1000;
	}

	bool Chance(double p)
	{
		return p > 0 && (double)(rng_() >> 11) * 0x1p-53 < p;
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
			Put(from, seg, text.substr(off, seg.len));
			off += seg.len;
		} while (off < out.len);
	}

	void Put(int from, const leat_tcp_seg &seg, const std::string &text)
	{
		free_ns_[from] =
			std::max(free_ns_[from], now_ns_) + (seg.len + 78) * kByteNs10 / 10;
		if (Chance(path_.loss))
			return;
		wires_.emplace(free_ns_[from] + kDelayNs + (Chance(path_.reorder) ? kLateNs : 0),
			Wire{ 1 - from, seg, Packet(text) });
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

class TcpGoodput : public TcpTest
{
      protected:
	// The mean over some seeds.
	double MbitPerS(double loss, double reorder, uint8_t congestion = LEAT_TCP_CUBIC)
	{
		constexpr int kSeeds = 5;
		Figures sum;

		for (uint64_t seed = 1; seed <= kSeeds; seed++) {
			Figures one = Transfer({ loss, reorder, seed }, congestion).Run();

			sum.mbit_s += one.mbit_s / kSeeds;
			sum.nb_segs += one.nb_segs;
			sum.nb_rtx += one.nb_rtx;
		}
		printf("loss %.2f reorder %.2f %s: %.0f Mbit/s, %.2f %% sent again\n", loss,
			reorder, congestion == LEAT_TCP_CUBIC ? "cubic" : "newreno", sum.mbit_s,
			100.0 * (double)sum.nb_rtx / (double)sum.nb_segs);
		last_rtx_share_ = (double)sum.nb_rtx / (double)sum.nb_segs;
		return sum.mbit_s;
	}

	double last_rtx_share_ = 0;
};

// 256 KiB for each 2 ms and what the link takes to send them are 950 Mbit/s.
TEST_F(TcpGoodput, CleanLinkIsFilledAsTheWindowAllows)
{
	EXPECT_GT(MbitPerS(0, 0), 700);
	EXPECT_EQ(0, last_rtx_share_);
	EXPECT_GT(MbitPerS(0, 0, LEAT_TCP_NEWRENO), 700);
}

TEST_F(TcpGoodput, ReorderingIsNotTakenForLoss)
{
	EXPECT_GT(MbitPerS(0, 0.02), 500);
	EXPECT_LT(last_rtx_share_, 0.01);
}

TEST_F(TcpGoodput, LossOfOnePercent)
{
	EXPECT_GT(MbitPerS(0.01, 0), 60);
	EXPECT_LT(last_rtx_share_, 0.015);
	EXPECT_GT(MbitPerS(0.01, 0.02), 60);
	EXPECT_GT(MbitPerS(0.01, 0, LEAT_TCP_NEWRENO), 50);
}

TEST_F(TcpGoodput, LossOfFivePercent)
{
	EXPECT_GT(MbitPerS(0.05, 0), 15);
	EXPECT_LT(last_rtx_share_, 0.07);
	EXPECT_GT(MbitPerS(0.05, 0.02), 15);
}

TEST_F(TcpGoodput, SeveralSegmentsAtOnceAreAsFast)
{
	Figures one = Transfer({ 0.01, 0, 1 }, LEAT_TCP_CUBIC, 65000).Run();

	EXPECT_GT(one.mbit_s, 60);
	one = Transfer({ 0, 0, 1 }, LEAT_TCP_CUBIC, 65000).Run();
	EXPECT_GT(one.mbit_s, 700);
	EXPECT_EQ(0u, one.nb_rtx);
}

} // namespace
