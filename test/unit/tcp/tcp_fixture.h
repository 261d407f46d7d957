// SPDX-License-Identifier: BSD-3-Clause

#ifndef TCP_FIXTURE_H
#define TCP_FIXTURE_H

// A connection in each state, segments from its peer, and what it sends.

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <leat_tcp.h>

#include "tcp_priv.h"

namespace tcp_test
{

constexpr uint32_t kIss = 0xfffffff0u; // both sides wrap within a test
constexpr uint32_t kIrs = 0xffffff00u;
constexpr uint64_t kStart = UINT64_C(1000000000);
constexpr uint16_t kMss = 1000;
constexpr unsigned int kMbufs = 4095;

constexpr uint8_t kFin = LEAT_TCP_FIN;
constexpr uint8_t kSyn = LEAT_TCP_SYN;
constexpr uint8_t kRst = LEAT_TCP_RST;
constexpr uint8_t kPsh = LEAT_TCP_PSH;
constexpr uint8_t kAck = LEAT_TCP_ACK;

inline rte_mempool *
Pool()
{
	static rte_mempool *pool = rte_pktmbuf_pool_create(
		"tcp_test", kMbufs, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);

	return pool;
}

// One packet: mbufs of these lengths, then as many as it takes.
inline rte_mbuf *
Packet(const std::string &bytes, const std::vector<size_t> &parts = {})
{
	rte_mbuf *head = nullptr;
	size_t pos = 0;

	for (size_t i = 0; pos < bytes.size(); i++) {
		rte_mbuf *mbuf = rte_pktmbuf_alloc(Pool());
		size_t len = i < parts.size() ? parts[i] : rte_pktmbuf_tailroom(mbuf);

		len = std::min(len, bytes.size() - pos);
		memcpy(rte_pktmbuf_append(mbuf, (uint16_t)len), bytes.data() + pos, len);
		pos += len;
		if (head == nullptr)
			head = mbuf;
		else
			EXPECT_EQ(0, rte_pktmbuf_chain(head, mbuf));
	}
	return head;
}

inline std::string
BytesOf(const rte_mbuf *mbuf, uint32_t off, uint32_t len)
{
	std::string bytes;

	for (; mbuf != nullptr && len > 0; mbuf = mbuf->next) {
		if (off >= mbuf->data_len) {
			off -= mbuf->data_len;
			continue;
		}
		uint32_t n = std::min<uint32_t>(len, mbuf->data_len - off);

		bytes.append(rte_pktmbuf_mtod_offset(mbuf, const char *, off), n);
		len -= n;
		off = 0;
	}
	EXPECT_EQ(0u, len) << "the chain is shorter than its description";
	return bytes;
}

// The memory that a stack lends its connections.
class EnginePool
{
      public:
	EnginePool(uint32_t nb_records, uint32_t nb_reass)
	    : nb_records_(nb_records), nb_reass_(nb_reass),
	      mem_(aligned_alloc(64, leat_tcp_pool_mem_len(nb_records, nb_reass)), &free),
	      pool_(leat_tcp_pool_init(mem_.get(), nb_records, nb_reass))
	{
	}

	leat_tcp_pool *get() const
	{
		return pool_;
	}

	// All that was lent came back.
	bool IsWhole() const
	{
		const struct leat_tcp_pool_stats *stats = leat_tcp_pool_stats(pool_);

		return stats->records_free == nb_records_ && stats->reass_free == nb_reass_;
	}

      private:
	uint32_t nb_records_;
	uint32_t nb_reass_;
	std::unique_ptr<void, decltype(&free)> mem_;
	leat_tcp_pool *pool_;
};

// A segment that the engine sent, its text copied.
struct Sent {
	uint32_t seq;
	uint32_t ack;
	uint16_t wnd;
	uint8_t flags;
	leat_tcp_opts opts;
	std::string text;
	bool is_rtx;
};

class TcpTest : public testing::Test
{
      protected:
	EnginePool engine_pool{ 4000, 10 };
	leat_tcp_conf conf;
	uint32_t tso_len_max = 0; // of leat_tcp_output()
	leat_tcb tcb = {};
	uint64_t now = kStart;
	std::string received; // all text that the user took
	uint32_t peer_ts = 0; // on each segment of the peer, if tcb.ts_on
	bool with_ts = false; // Enter() turns them on

	void SetUp() override
	{
		ASSERT_NE(nullptr, Pool());
		leat_tcp_conf_init(&conf, kMss);
		conf.wscale = 0;
		conf.rcv_wnd_max = 10000;
		conf.snd_len_max = 100000;
		conf.pool = engine_pool.get();
	}

	void TearDown() override
	{
		leat_tcp_fini(&tcb);
		EXPECT_EQ(0u, rte_mempool_in_use_count(Pool())) << "mbufs leaked";
		EXPECT_TRUE(engine_pool.IsWhole()) << "records leaked";
	}

	// The next segment from the peer, in order, that acknowledges all we sent.
	leat_tcp_seg Seg(uint8_t flags, uint32_t len = 0)
	{
		leat_tcp_seg seg = {};

		seg.seq = tcb.rcv_nxt;
		seg.ack = tcb.snd_max;
		seg.wnd = 20000;
		seg.flags = flags;
		seg.len = len;
		seg.opts.has_ts = tcb.ts_on;
		seg.opts.ts_val = peer_ts;
		return seg;
	}

	leat_tcp_seg Syn()
	{
		leat_tcp_seg syn = {};

		syn.seq = kIrs;
		syn.wnd = 20000;
		syn.flags = kSyn;
		syn.opts.mss = kMss;
		syn.opts.has_ts = with_ts;
		syn.opts.ts_val = peer_ts;
		return syn;
	}

	leat_tcp_verdict Input(leat_tcp_seg seg, const std::string &text = "")
	{
		seg.len = (uint32_t)text.size();
		return leat_tcp_input(&tcb, now, &seg, Packet(text));
	}

	// A packet of the peer's text, at an offset from what is expected.
	leat_tcp_verdict InputAt(int32_t off, const std::string &text, uint8_t flags = 0)
	{
		leat_tcp_seg seg = Seg((uint8_t)(kAck | flags));

		seg.seq += (uint32_t)off;
		return Input(seg, text);
	}

	leat_tcp_verdict InputAck(uint32_t ack, uint32_t wnd = 20000)
	{
		leat_tcp_seg seg = Seg(kAck);

		seg.ack = ack;
		seg.wnd = wnd;
		return Input(seg);
	}

	std::vector<Sent> Output()
	{
		std::vector<Sent> all;
		leat_tcp_out out;

		while (leat_tcp_output(&tcb, now, tso_len_max, &out)) {
			all.push_back({ out.seq, out.ack, out.wnd, out.flags, out.opts,
				BytesOf(out.text, out.off, out.len), out.is_rtx });
			if (all.size() > 1000) {
				ADD_FAILURE() << "output does not end";
				break;
			}
		}
		EXPECT_FALSE(leat_tcp_wants_output(&tcb));
		return all;
	}

	int Send(const std::string &text, std::vector<size_t> parts = {})
	{
		rte_mbuf *chain = Packet(text, parts);
		int ret = leat_tcp_send(&tcb, chain);

		if (ret != 0)
			rte_pktmbuf_free(chain);
		return ret;
	}

	// What the user takes, and consumes at once.
	std::string Take(bool consume = true)
	{
		rte_mbuf *text = leat_tcp_take_text(&tcb);

		if (text == nullptr)
			return "";
		EXPECT_EQ(0, rte_mbuf_check(text, 1, nullptr));
		std::string bytes = BytesOf(text, 0, text->pkt_len);

		rte_pktmbuf_free(text);
		if (consume)
			leat_tcp_consumed(&tcb, (uint32_t)bytes.size());
		received += bytes;
		return bytes;
	}

	uint32_t NbReass() const
	{
		const tcp_reass *reass = tcp_reass_of(&tcb);

		return reass == nullptr ? 0 : reass->nb_mbufs;
	}

	uint8_t Events()
	{
		uint8_t events = tcb.events;

		tcb.events = 0;
		return events;
	}

	// Let the next timer fire exactly at its time.
	void Fire()
	{
		ASSERT_NE(UINT64_MAX, leat_tcp_deadline(&tcb));
		now = leat_tcp_deadline(&tcb);
		leat_tcp_timeout(&tcb, now);
	}

	void OpenPassive(const leat_tcp_seg &syn)
	{
		leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, kMss);
		std::vector<Sent> sent = Output();

		ASSERT_EQ(1u, sent.size());
		ASSERT_EQ(kSyn | kAck, sent[0].flags);
	}

	void Establish(leat_tcp_seg syn)
	{
		peer_ts = syn.opts.ts_val;
		OpenPassive(syn);
		ASSERT_EQ(LEAT_TCP_DONE, Input(Seg(kAck)));
		ASSERT_EQ(LEAT_TCP_ESTABLISHED, tcb.state);
		ASSERT_EQ(LEAT_TCP_EV_OPEN, Events());
	}

	void Establish()
	{
		Establish(Syn());
	}

	// By the shortest way that a peer and a user can take.
	void Enter(leat_tcp_state state)
	{
		leat_tcp_out out;
		leat_tcp_seg ack_of_text;

		leat_tcp_fini(&tcb);
		tcb = {};
		switch (state) {
		case LEAT_TCP_CLOSED:
		case LEAT_TCP_LISTEN:
		case LEAT_TCP_STATES:
			FAIL() << "no connection in this state";
			return;
		case LEAT_TCP_SYN_SENT:
			leat_tcp_open_active(&tcb, &conf, now, kIss);
			Output();
			tcb.rcv_nxt = kIrs;
			break;
		case LEAT_TCP_SYN_RECEIVED:
			OpenPassive(Syn());
			break;
		case LEAT_TCP_ESTABLISHED:
			Establish();
			break;
		case LEAT_TCP_FIN_WAIT_1:
			Establish();
			leat_tcp_shutdown(&tcb);
			Output();
			break;
		case LEAT_TCP_FIN_WAIT_2:
			Enter(LEAT_TCP_FIN_WAIT_1);
			Input(Seg(kAck));
			break;
		case LEAT_TCP_CLOSE_WAIT:
			Establish();
			Input(Seg(kAck | kFin));
			Output();
			break;
		case LEAT_TCP_CLOSING:
			Enter(LEAT_TCP_FIN_WAIT_1);
			ack_of_text = Seg(kAck | kFin);
			ack_of_text.ack = tcb.snd_max - 1;
			Input(ack_of_text);
			Output();
			break;
		case LEAT_TCP_LAST_ACK:
			Enter(LEAT_TCP_CLOSE_WAIT);
			leat_tcp_shutdown(&tcb);
			Output();
			break;
		case LEAT_TCP_TIME_WAIT:
			Enter(LEAT_TCP_FIN_WAIT_2);
			Input(Seg(kAck | kFin));
			Output();
			break;
		}
		(void)out;
		ASSERT_EQ(state, tcb.state) << leat_tcp_state_name(state);
		tcb.events = 0;
	}
};

} // namespace tcp_test

#endif // TCP_FIXTURE_H
