// SPDX-License-Identifier: BSD-3-Clause

#ifndef TCP_LOSS_FIXTURE_H
#define TCP_LOSS_FIXTURE_H

// A connection with SACK and segments of kMss bytes in flight, named a, b, c and so on.

#include "tcp_fixture.h"

namespace tcp_test
{

using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;

class TcpLossTest : public TcpTest
{
      protected:
	static constexpr uint64_t kRttUs = 100000;
	bool with_ts = false;
	uint32_t echo = 0; // the timestamp that ACKs echo

	void Open()
	{
		leat_tcp_seg syn = Syn();

		syn.opts.has_sack_ok = true;
		syn.opts.has_ts = with_ts;
		syn.opts.mss = (uint16_t)(kMss + (with_ts ? 12 : 0));
		conf.mss = syn.opts.mss;
		conf.rcv_wnd_max = 20000;
		peer_ts = syn.opts.ts_val;
		leat_tcp_open_passive(&tcb, &conf, now, kIss, &syn, conf.mss);
		Output();
		now += kRttUs;
		Input(Seg(kAck));
		Events();
	}

	// In flight from now on; returns how many segments left.
	size_t SendSegs(int nb)
	{
		for (int i = 0; i < nb; i++)
			Send(std::string(kMss, (char)('a' + nb_queued_++ % 26)));
		return Output().size();
	}

	// An ACK of all before segment @p una, with blocks of segments [left, right).
	void AckSegs(uint32_t una, const Blocks &blocks = {})
	{
		leat_tcp_seg seg = Seg(kAck);

		seg.ack = At(una);
		seg.opts.ts_ecr = echo;
		for (auto [left, right] : blocks)
			seg.opts.sacks[seg.opts.nb_sacks++] = { At(left), At(right) };
		Input(seg);
	}

	// Where segment @p i starts.
	static uint32_t At(uint32_t i)
	{
		return kIss + 1 + i * kMss;
	}

	// The segments that leave now, by name; those sent before in capitals.
	std::string Leaving()
	{
		std::string names;

		for (const Sent &sent : Output()) {
			if (sent.text.empty())
				continue;
			EXPECT_EQ(std::string(sent.text.size(), sent.text[0]), sent.text);
			names.push_back((char)(sent.is_rtx ? toupper(sent.text[0]) : sent.text[0]));
		}
		return names;
	}

	uint32_t Pipe() const
	{
		return tcp_pipe(&tcb);
	}

      private:
	int nb_queued_ = 0;
};

} // namespace tcp_test

#endif // TCP_LOSS_FIXTURE_H
