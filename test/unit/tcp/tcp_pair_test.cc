// SPDX-License-Identifier: BSD-3-Clause

// Two engines that talk to each other over a seeded link that loses, repeats, delays
// and reorders segments. Headers travel as bytes. All text must arrive, both sides must
// close, no invariant may break.

#include <map>
#include <random>

#include "tcp_fixture.h"

using namespace tcp_test;

namespace
{

struct Link {
	double loss = 0;
	double repeat = 0;
	uint64_t delay_us = 1000;
	uint64_t jitter_us = 0;
};

struct Wire {
	std::string header;
	std::string text;
};

uint8_t
ByteAt(uint64_t off, uint8_t salt)
{
	return (uint8_t)((off * 2654435761u >> 7) + salt);
}

struct End {
	leat_tcp_conf conf;
	uint32_t tso_len_max = 0;
	leat_tcb tcb = {};
	std::unique_ptr<EnginePool> pool;
	uint32_t budget = 100;
	uint8_t salt = 0;
	uint64_t to_send = 0;
	uint64_t sent = 0;
	uint64_t received = 0;
	uint32_t unread = 0;
	bool eof = false;
	bool closed = false;
	bool passive = false;
	bool has_edge = false;
	uint32_t edge = 0; // the right edge of the window as the wire tells it
	uint64_t nb_segs = 0;
	uint64_t nb_text = 0;
};

class Pair
{
      public:
	std::mt19937_64 rng;
	Link link;
	End ends[2];
	uint64_t now = kStart;
	std::multimap<uint64_t, std::pair<int, Wire>> in_flight;

	explicit Pair(uint64_t seed) : rng(seed)
	{
		for (End &end : ends) {
			leat_tcp_conf_init(&end.conf, 1000);
			end.conf.reass_budget = &end.budget;
			end.pool = std::make_unique<EnginePool>(1000, 1);
			end.conf.pool = end.pool->get();
			end.conf.ts_offset = (uint32_t)rng();
			end.conf.nb_retries_max = 100;
			end.conf.nb_syn_retries_max = 100;
			end.conf.nb_synack_retries_max = 100;
			end.conf.fin_wait_2_us = 4000000000u;
		}
		ends[1].salt = 77;
		ends[1].passive = true;
	}

	~Pair()
	{
		for (End &end : ends) {
			leat_tcp_fini(&end.tcb);
			EXPECT_TRUE(end.pool->IsWhole());
		}
	}

	bool Chance(double p)
	{
		return std::uniform_real_distribution<double>(0, 1)(rng) < p;
	}

	void Transmit(int to, const Wire &wire)
	{
		if (Chance(link.loss))
			return;
		for (int i = 0; i < (Chance(link.repeat) ? 2 : 1); i++) {
			uint64_t at = now + link.delay_us +
				      (link.jitter_us > 0 ? rng() % link.jitter_us : 0);

			in_flight.emplace(at, std::make_pair(to, wire));
		}
	}

	// As a port does for TSO.
	void Cut(int i, const leat_tcp_out &out)
	{
		std::string text = BytesOf(out.text, out.off, out.len);
		size_t off = 0;

		do {
			leat_tcp_out seg = out;
			uint8_t header[LEAT_TCP_HDR_LEN_MAX];

			seg.seq += (uint32_t)off;
			seg.len = (uint32_t)std::min<size_t>(out.mss, text.size() - off);
			if (off + seg.len < text.size())
				seg.flags &= (uint8_t) ~(LEAT_TCP_FIN | LEAT_TCP_PSH);
			size_t len = leat_tcp_hdr_emit(header, { 1, 2 }, &seg);

			ends[i].nb_segs++;
			Transmit(1 - i,
				{ std::string((char *)header, len), text.substr(off, seg.len) });
			off += seg.len;
		} while (off < text.size());
	}

	void Output(int i)
	{
		End &end = ends[i];
		leat_tcp_out out;

		while (leat_tcp_output(&end.tcb, now, end.tso_len_max, &out)) {
			if (out.flags & LEAT_TCP_ACK)
				CheckEdge(end, out);
			end.nb_text += out.len;
			if (out.mss == 0) {
				ASSERT_LE(out.len + leat_tcp_hdr_len(&out), 1020u);
				out.mss = 1000;
			} else {
				ASSERT_GT(out.len, out.mss);
				ASSERT_LE(out.len, end.tso_len_max);
				ASSERT_EQ(1020u, out.mss + leat_tcp_hdr_len(&out));
			}
			Cut(i, out);
		}
	}

	void CheckEdge(End &end, const leat_tcp_out &out)
	{
		uint8_t shift = out.flags & LEAT_TCP_SYN ? 0 : end.tcb.rcv_wscale;
		uint32_t edge = out.ack + ((uint32_t)out.wnd << shift);

		// RFC 7323 section 2.4: less than one unit, and what was offered holds.
		if (end.has_edge) {
			ASSERT_GT((int32_t)(edge - end.edge), -(1 << shift));
		}
		if (!end.has_edge || (int32_t)(edge - end.edge) > 0)
			end.edge = edge;
		end.has_edge = true;
		ASSERT_LE(end.tcb.rcv_unread + (end.tcb.rcv_adv - end.tcb.rcv_nxt),
			end.conf.rcv_wnd_max + 1);
	}

	void Reset(int i, const leat_tcp_seg &seg)
	{
		leat_tcp_out rst = {};
		uint8_t header[LEAT_TCP_HDR_LEN_MAX];

		rst.seq = seg.ack;
		rst.flags = LEAT_TCP_RST;
		size_t len = leat_tcp_hdr_emit(header, { 1, 2 }, &rst);

		Transmit(1 - i, { std::string((char *)header, len), "" });
	}

	void Deliver(int i, const Wire &wire)
	{
		End &end = ends[i];
		leat_tcp_seg seg;
		leat_tcp_ports ports;
		leat_slice in = { (const uint8_t *)wire.header.data(), wire.header.size() };

		ASSERT_EQ((ssize_t)wire.header.size(), leat_tcp_hdr_parse(in, &ports, &seg));
		seg.len = (uint32_t)wire.text.size();
		if (end.tcb.state == LEAT_TCP_CLOSED) {
			if (end.passive && !end.closed && seg.flags == LEAT_TCP_SYN)
				leat_tcp_open_passive(
					&end.tcb, &end.conf, now, (uint32_t)rng(), &seg, 1000);
			else if (!(seg.flags & LEAT_TCP_RST) && (seg.flags & LEAT_TCP_ACK))
				Reset(i, seg);
			return;
		}
		if (leat_tcp_input(&end.tcb, now, &seg, Packet(wire.text)) == LEAT_TCP_REFUSED)
			Reset(i, seg);
	}

	void Use(int i)
	{
		End &end = ends[i];
		uint8_t events = end.tcb.events;

		end.tcb.events = 0;
		if (events & LEAT_TCP_EV_DATA)
			Receive(end, ends[1 - i].salt);
		if (events & LEAT_TCP_EV_EOF) {
			ASSERT_FALSE(end.eof);
			ASSERT_EQ(ends[1 - i].to_send, end.received);
			end.eof = true;
		}
		if (events & LEAT_TCP_EV_CLOSED)
			end.closed = true;
		if (end.unread > 0 && Chance(0.5)) {
			uint32_t len = 1 + (uint32_t)(rng() % end.unread);

			leat_tcp_consumed(&end.tcb, len);
			end.unread -= len;
		}
		while (!end.closed && end.tcb.state >= LEAT_TCP_ESTABLISHED &&
			end.sent < end.to_send && Chance(0.8) && Send(end))
			continue;
		if (!end.closed && end.sent == end.to_send && end.tcb.state >= LEAT_TCP_ESTABLISHED)
			leat_tcp_shutdown(&end.tcb);
	}

	void Receive(End &end, uint8_t salt)
	{
		rte_mbuf *text = leat_tcp_take_text(&end.tcb);

		if (text == nullptr)
			return;
		ASSERT_EQ(0, rte_mbuf_check(text, 1, nullptr));
		for (char c : BytesOf(text, 0, text->pkt_len)) {
			ASSERT_EQ(ByteAt(end.received, salt), (uint8_t)c);
			end.received++;
		}
		end.unread += text->pkt_len;
		rte_pktmbuf_free(text);
	}

	bool Send(End &end)
	{
		std::string bytes;
		size_t len = 1 + rng() % (Chance(0.5) ? 20 : 1900);

		len = std::min<size_t>(len, end.to_send - end.sent);
		for (size_t i = 0; i < len; i++)
			bytes.push_back((char)ByteAt(end.sent + i, end.salt));
		rte_mbuf *chain = Packet(bytes);

		if (leat_tcp_send(&end.tcb, chain) != 0) {
			rte_pktmbuf_free(chain);
			return false;
		}
		end.sent += len;
		return true;
	}

	void CheckInvariants(const End &end)
	{
		const leat_tcb &tcb = end.tcb;
		uint32_t len = 0;
		uint32_t to_pos = UINT32_MAX;
		uint32_t nb_reass = 0;

		for (rte_mbuf *m = tcb.tx_head; m != nullptr; m = m->next) {
			if (m == tcb.tx_pos)
				to_pos = len + tcb.tx_pos_off - tcb.tx_head_off;
			len += m->data_len;
		}
		len -= tcb.tx_head != nullptr ? tcb.tx_head_off : 0;
		ASSERT_EQ(tcb.snd_len, len);
		if (tcb.state >= LEAT_TCP_ESTABLISHED) {
			ASSERT_LE(tcb.snd_max - tcb.snd_una, tcb.snd_len + 1);
			if (tcb.tx_pos == nullptr)
				to_pos = std::max(tcb.snd_len, tcb.snd_max - tcb.snd_una);
			ASSERT_EQ(tcb.snd_max - tcb.snd_una, to_pos);
			// Nothing waits without a timer: both sides would wait for ever.
			bool waits = tcb.snd_una != tcb.snd_max || tcb.snd_len > 0;

			ASSERT_TRUE(!waits || tcb.rtx_at_us != UINT64_MAX);
		}
		CheckRecords(tcb);
		if (const tcp_reass *reass = tcp_reass_of(&tcb); reass != nullptr) {
			uint32_t nb_runs = 0;

			for (rte_mbuf *m = reass->head; m != nullptr;
				m = (rte_mbuf *)m->tx_offload) {
				nb_reass += m->nb_segs;
				nb_runs++;
			}
			ASSERT_EQ(reass->nb_mbufs, nb_reass);
			ASSERT_EQ(reass->nb_runs, nb_runs);
		}
		ASSERT_EQ(100u, end.budget + nb_reass);
		ASSERT_LE(tcb.rcv_unread, end.conf.rcv_wnd_max);
		ASSERT_EQ(end.unread, tcb.rcv_unread);
	}

	// In sequence, within what is in flight, each at its text; the sums are right.
	void CheckRecords(const leat_tcb &tcb)
	{
		uint32_t seq = tcb.snd_una, sacked = 0, lost = 0, nb = 0, last = 0;

		for (uint32_t i = tcb.rec_head; i != 0; i = tcp_rec_at(&tcb, i)->next) {
			const tcp_rec *rec = tcp_rec_at(&tcb, i);
			uint32_t len = rec->end - rec->seq;
			uint32_t off = rec->seq - tcb.snd_una;
			rte_mbuf *m = tcb.tx_head;

			ASSERT_LE((int32_t)(seq - rec->seq), 0);
			ASSERT_GT((int32_t)len, 0);
			ASSERT_LE((int32_t)(rec->end - tcb.snd_max), 0);
			sacked += rec->flags & TCP_REC_SACKED ? len : 0;
			lost += rec->flags & TCP_REC_LOST ? len : 0;
			if (off < tcb.snd_len) {
				for (off += tcb.tx_head_off; off >= m->data_len; m = m->next)
					off -= m->data_len;
				ASSERT_EQ(m, rec->text);
				ASSERT_EQ(off, rec->off);
			}
			seq = rec->end;
			last = i;
			nb++;
		}
		ASSERT_EQ(tcb.rec_tail, last);
		ASSERT_EQ(tcb.nb_recs, nb);
		ASSERT_EQ(tcb.snd_sacked, sacked);
		ASSERT_EQ(tcb.snd_lost, lost);
		ASSERT_LE(sacked + lost, tcb.snd_max - tcb.snd_una);
	}

	// Until both are closed; false after too long a time.
	bool Run(uint64_t limit_us)
	{
		leat_tcp_open_active(&ends[0].tcb, &ends[0].conf, now, (uint32_t)rng());
		if (!ends[1].passive)
			leat_tcp_open_active(&ends[1].tcb, &ends[1].conf, now, (uint32_t)rng());
		for (int turns = 0; turns < 1000000; turns++) {
			uint64_t next = UINT64_MAX;

			for (int i = 0; i < 2; i++) {
				Use(i);
				Output(i);
				CheckInvariants(ends[i]);
				if (testing::Test::HasFatalFailure())
					return false;
				if (ends[i].tcb.state != LEAT_TCP_CLOSED)
					next = std::min(next, leat_tcp_deadline(&ends[i].tcb));
				if (ends[i].unread > 0 ||
					(ends[i].sent < ends[i].to_send && !ends[i].closed &&
						!ends[i].tcb.is_blocked &&
						ends[i].tcb.state >= LEAT_TCP_ESTABLISHED))
					next = std::min(next, now + 777);
			}
			if (ends[0].tcb.state == LEAT_TCP_CLOSED && ends[0].closed &&
				ends[1].tcb.state == LEAT_TCP_CLOSED && ends[1].closed)
				return true;
			if (!in_flight.empty())
				next = std::min(next, in_flight.begin()->first);
			if (next == UINT64_MAX || next > kStart + limit_us)
				return false;
			now = std::max(now, next);
			while (!in_flight.empty() && in_flight.begin()->first <= now) {
				auto [i, wire] = in_flight.begin()->second;

				in_flight.erase(in_flight.begin());
				Deliver(i, wire);
			}
			for (End &end : ends)
				if (end.tcb.state != LEAT_TCP_CLOSED)
					leat_tcp_timeout(&end.tcb, now);
		}
		return false;
	}
};

class TcpPair : public TcpTest
{
      protected:
	void Expect(Pair &pair, uint64_t limit_us, uint64_t seed)
	{
		ASSERT_TRUE(pair.Run(limit_us))
			<< "seed " << seed << ": "
			<< leat_tcp_state_name((leat_tcp_state)pair.ends[0].tcb.state) << ", "
			<< leat_tcp_state_name((leat_tcp_state)pair.ends[1].tcb.state)
			<< ", received " << pair.ends[0].received << " and "
			<< pair.ends[1].received << " at " << pair.now;
		for (int i = 0; i < 2; i++) {
			EXPECT_EQ(pair.ends[1 - i].to_send, pair.ends[i].received) << seed;
			EXPECT_TRUE(pair.ends[i].eof) << "seed " << seed;
		}
	}
};

constexpr uint64_t kHour = UINT64_C(3600000000);

TEST_F(TcpPair, CleanLinkRetransmitsNothing)
{
	Pair pair(1);

	pair.ends[0].to_send = 200000;
	pair.ends[1].to_send = 100000;
	Expect(pair, kHour, 1);
	EXPECT_EQ(200000u, pair.ends[0].nb_text);
	EXPECT_EQ(100000u, pair.ends[1].nb_text);
}

TEST_F(TcpPair, SimultaneousOpen)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		Pair pair(seed);

		pair.ends[1].passive = false;
		pair.link.loss = seed > 1 ? 0.2 : 0;
		pair.ends[0].to_send = 2000;
		pair.ends[1].to_send = 1000;
		Expect(pair, 10 * kHour, seed);
	}
}

TEST_F(TcpPair, BadLinksDeliverEverything)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		Pair pair(seed);

		pair.link.loss = 0.01 * (double)(seed % 31);
		pair.link.repeat = seed % 3 == 0 ? 0.1 : 0;
		pair.link.jitter_us = seed % 2 == 0 ? 5000 : 0;
		for (End &end : pair.ends) {
			end.to_send = pair.rng() % 60000;
			end.conf.wscale = (uint8_t)(pair.rng() % 8);
			end.conf.rcv_wnd_max = 2000 + (uint32_t)(pair.rng() % 30000);
			end.conf.snd_len_max = 1 + (uint32_t)(pair.rng() % 30000);
			end.conf.ack_delay_us = pair.rng() % 2 == 0 ? 0 : 40000;
			end.conf.nb_reass_max = (uint16_t)(pair.rng() % 60);
			end.tso_len_max = seed % 4 == 1 ? 16000 : 0;
			if (seed % 5 == 0) // runs dry at once
				end.pool = std::make_unique<EnginePool>(1 + seed / 5 % 8, 1);
			end.conf.pool = seed % 25 == 0 ? nullptr : end.pool->get();
		}
		Expect(pair, 100 * kHour, seed);
		if (HasFatalFailure())
			return;
	}
}

} // namespace
