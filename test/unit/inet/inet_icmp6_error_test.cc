// SPDX-License-Identifier: BSD-3-Clause

// What routers tell of our segments over IPv6: RFC 4443 section 3, RFC 8201, RFC 5927.

#include "inet_lab6.h"

namespace
{

using namespace inet_lab;

class InetIcmp6Error : public InetLab6
{
      protected:
	// A connection with 2,000 bytes under way, in segments of 1,440 and 560.
	void OpenSending()
	{
		Open();
		ASSERT_EQ(0, leat_inet_listen(inet_, V6("::"), kPort, &listener_));
		Meet6();
		Tcp syn = { LEAT_TCP_SYN, 1000 };
		syn.mss = 1440;
		Input({ BuildTcp6(syn) });
		uint32_t ack = OutputTcp6().seg.seq + 1;
		Input({ BuildTcp6({ LEAT_TCP_ACK, 1001, ack }) });
		conn_ = Events().at(0).conn;
		ASSERT_EQ(0, leat_inet_send(inet_, conn_, Text(std::string(2000, 'x'))));
		sent_ = Output();
		ASSERT_EQ(2u, sent_.size());
	}

	// An error that quotes so many bytes of a frame of ours from its IPv6 header on.
	Frame Error(uint8_t type, uint8_t code, uint32_t value, const Frame &frame,
		size_t quote_len = 48)
	{
		Frame message = { type, code, 0, 0 };
		Ip6 ip;

		message.resize(8);
		leat_be32_put(&message[4], value);
		message.insert(message.end(), frame.begin() + 14, frame.begin() + 14 + quote_len);
		ip.src = V6("fd77::9"); // a router
		ip.next = LEAT_IPV6_PROTO_ICMP;
		return ip.BuildSummed(message, LEAT_ICMP_CKSUM_OFF);
	}

	Frame TooBig(uint32_t mtu)
	{
		return Error(LEAT_ICMP6_TYPE_PACKET_TOO_BIG, 0, mtu, sent_[0]);
	}

	leat_inet_conn *conn_ = nullptr;
	std::vector<Frame> sent_;
};

// RFC 8201 section 4.
TEST_F(InetIcmp6Error, PacketTooBigLowersTheSegmentsOfItsConnection)
{
	OpenSending();
	Input({ TooBig(1400) });
	EXPECT_EQ(1u, Stats().rx_icmp_errors);
	EXPECT_EQ(1u, Stats().tcp_pmtu_lowered);
	std::vector<Frame> out = Output();
	for (int i = 0; i < 4 && out.empty(); i++) {
		Wait(kSecondUs);
		out = Output();
	}
	ASSERT_FALSE(out.empty());
	EXPECT_LE(out[0].size(), 14u + 1400u);
}

// RFC 8201 section 4, RFC 1191 section 6.5: all that was too big goes again at once.
TEST_F(InetIcmp6Error, WholeOfWhatWasTooBigGoesAgain)
{
	OpenSending();
	size_t hdrs_len = sent_[0].size() - 1440;

	Input({ TooBig(1300) });
	std::vector<Frame> out = Output();
	ASSERT_EQ(2u, out.size());
	EXPECT_EQ(hdrs_len + 1240, out[0].size());
	EXPECT_EQ(hdrs_len + 200, out[1].size());
}

TEST_F(InetIcmp6Error, MtuOf1280IsTheLeast)
{
	OpenSending();
	Input({ TooBig(LEAT_IPV6_MTU_MIN - 1), TooBig(0) });
	EXPECT_EQ(2u, Stats().rx_icmp_ignored);
	EXPECT_EQ(0u, Stats().tcp_pmtu_lowered);
	Input({ TooBig(LEAT_IPV6_MTU_MIN) });
	EXPECT_EQ(1u, Stats().tcp_pmtu_lowered);
}

TEST_F(InetIcmp6Error, MtuThatTakesThePacketIsNoReason)
{
	OpenSending();
	Input({ TooBig(1500), TooBig(UINT32_MAX), TooBig(0x10000 + 1400) });
	EXPECT_EQ(3u, Stats().rx_icmp_ignored);
	Input({ TooBig(1499) });
	EXPECT_EQ(1u, Stats().tcp_pmtu_lowered);
}

// RFC 5927 section 4.1.
TEST_F(InetIcmp6Error, SequenceNumberThatIsNotInFlightIsIgnored)
{
	OpenSending();
	Frame stale = sent_[0], other = sent_[0];

	leat_be32_put(&stale[14 + 40 + 4], leat_be32_get(&stale[14 + 40 + 4]) - 1);
	other[14 + 39]++; // of the peer's address
	Input({ Error(LEAT_ICMP6_TYPE_PACKET_TOO_BIG, 0, 1300, stale),
		Error(LEAT_ICMP6_TYPE_PACKET_TOO_BIG, 0, 1300, other) });
	EXPECT_EQ(2u, Stats().rx_icmp_error_stale);
	EXPECT_EQ(0u, Stats().tcp_pmtu_lowered);
}

TEST_F(InetIcmp6Error, QuoteThatIsCutIsMalformed)
{
	OpenSending();
	for (size_t len = 0; len < 48; len++)
		Input({ Error(LEAT_ICMP6_TYPE_PACKET_TOO_BIG, 0, 1300, sent_[0], len) });
	EXPECT_EQ(48u, Stats().rx_icmp_malformed);
	EXPECT_EQ(0u, Stats().rx_icmp_errors);
}

TEST_F(InetIcmp6Error, QuoteOfAnotherProtocolIsIgnored)
{
	OpenSending();
	sent_[0][14 + 6] = 17;
	Input({ TooBig(1300) });
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
}

// RFC 4443 section 3.1; RFC 1122 section 4.2.3.9 on what is hard.
TEST_F(InetIcmp6Error, ClosedPortEndsAConnectAndOtherReasonsWait)
{
	for (uint8_t code = 0; code <= 7; code++) {
		Open();
		Meet6();
		leat_inet_conn *conn;

		ASSERT_EQ(0, leat_inet_connect(inet_, V6("fd77::2"), kPort, now_us_, &conn));
		std::vector<Frame> syn = Output();
		ASSERT_EQ(1u, syn.size());
		Input({ Error(LEAT_ICMP6_TYPE_UNREACHABLE, code, 0, syn[0]) });
		std::vector<leat_inet_event> events = Events();
		ASSERT_EQ(code == 4 ? 1u : 0u, events.size()) << (int)code;
		if (code == 4) {
			EXPECT_EQ(-ECONNREFUSED, events[0].error);
		}
		EXPECT_EQ(code <= 6 ? 1u : 0u, Stats().tcp_unreachable) << (int)code;
		Close();
	}
}

// RFC 4443 sections 3.3 and 3.4, and RFC 1122 section 4.2.3.9.
TEST_F(InetIcmp6Error, TimeExceededAndParameterProblemAreSoft)
{
	for (uint8_t type : { LEAT_ICMP6_TYPE_TIME_EXCEEDED, LEAT_ICMP6_TYPE_PARAMETER }) {
		for (uint8_t code : { 0, 1, 2, 4 }) {
			Open();
			Meet6();
			leat_inet_conn *conn;

			ASSERT_EQ(
				0, leat_inet_connect(inet_, V6("fd77::2"), kPort, now_us_, &conn));
			std::vector<Frame> syn = Output();
			ASSERT_EQ(1u, syn.size());
			Input({ Error(type, code, 0, syn[0]) });
			EXPECT_TRUE(Events().empty());
			EXPECT_EQ(1u, Stats().tcp_unreachable) << (int)type << (int)code;
			Close();
		}
	}
}

} // namespace
