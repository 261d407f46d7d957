// SPDX-License-Identifier: BSD-3-Clause

// ICMP errors of our segments: RFC 792, RFC 1122 section 4.2.3.9, RFC 1191, RFC 5927.

#include <cerrno>

#include "inet_lab.h"

namespace
{

using namespace inet_lab;

constexpr uint8_t kNet = 0;
constexpr uint8_t kHost = 1;
constexpr uint8_t kProtocol = 2;
constexpr uint8_t kClosedPort = 3;
constexpr uint8_t kFragNeeded = 4;

class InetIcmpError : public InetLab
{
      protected:
	static constexpr uint32_t kRouter = kThirdAddr;

	// What a router says of a packet that we sent; of its segment @p nb_bytes come back.
	Frame Error(uint8_t code, uint16_t mtu, const SeenTcp &of, size_t nb_bytes = 8,
		size_t options_len = 0)
	{
		Frame icmp(8), quoted(20 + options_len), segment(8);

		icmp[0] = type_;
		icmp[1] = code;
		leat_be16_put(&icmp[6], mtu);
		quoted[0] = (uint8_t)(0x40 | (20 + options_len) / 4);
		leat_be16_put(&quoted[2], of.ip.total_len);
		leat_be16_put(&quoted[6], (uint16_t)(0x4000 | of.ip.frag_off / 8)); // DF
		quoted[8] = 7;
		quoted[9] = of.ip.proto;
		leat_be32_put(&quoted[12], of.ip.src);
		leat_be32_put(&quoted[16], of.ip.dst);
		leat_be16_put(&segment[0], of.ports.src);
		leat_be16_put(&segment[2], of.ports.dst);
		leat_be32_put(&segment[4], of.seg.seq);
		icmp.insert(icmp.end(), quoted.begin(), quoted.end());
		icmp.insert(icmp.end(), segment.begin(), segment.begin() + (long)nb_bytes);
		leat_be16_put(&icmp[2], (uint16_t)~SlowSum(icmp));

		Ip ip;
		ip.proto = LEAT_IPV4_PROTO_ICMP;
		ip.src = kRouter;
		ip.eth_src = kThirdMac;
		return ip.Build(icmp);
	}

	// A connection with segments of 1460 bytes in flight; returns the first of them.
	SeenTcp SendFullSegments(size_t len = 3 * 1460)
	{
		Open();
		Meet();
		EXPECT_EQ(0, leat_inet_listen(inet_, V4(0), kPort, &listener_));
		conn_ = Accept();
		rte_mbuf *head = nullptr;
		for (size_t left = len; left > 0;) {
			rte_mbuf *text = Text(std::string(std::min<size_t>(left, 1000), 'x'));

			left -= text->pkt_len;
			if (head == nullptr)
				head = text;
			else
				EXPECT_EQ(0, rte_pktmbuf_chain(head, text));
		}
		EXPECT_EQ(0, leat_inet_send(inet_, conn_, head));
		std::vector<SeenTcp> sent = OutputTcp();
		EXPECT_EQ((len + 1459) / 1460, sent.size());
		return sent.empty() ? SeenTcp{} : sent[0];
	}

	// The longest text of what is sent now; 0: nothing is.
	size_t LongestText()
	{
		size_t len = 0;

		for (const SeenTcp &sent : OutputTcp())
			len = std::max(len, sent.text.size());
		return len;
	}

	leat_inet_conn *conn_ = nullptr;
	uint8_t type_ = LEAT_ICMP_TYPE_UNREACHABLE;
};

TEST_F(InetIcmpError, SmallerPathMtuIsUsedAtOnce)
{
	SeenTcp sent = SendFullSegments();

	Input({ Error(kFragNeeded, 1400, sent) });
	EXPECT_EQ(1360u, LongestText());
	EXPECT_EQ(1u, Stats().rx_icmp_errors);
	EXPECT_EQ(1u, Stats().tcp_pmtu_lowered);
	Input({ Error(kFragNeeded, 1400, sent) }); // of the other segments
	EXPECT_EQ(0u, LongestText());
	EXPECT_EQ(1u, Stats().tcp_pmtu_lowered);
}

TEST_F(InetIcmpError, PathMtuOfOneConnectionIsNotThatOfOthers)
{
	SeenTcp sent = SendFullSegments();

	Input({ Error(kFragNeeded, 1400, sent) });
	(void)Output();
	leat_inet_conn *other = Accept(kPeerPort + 1);
	ASSERT_EQ(0, leat_inet_send(inet_, other, Text(std::string(1460, 'y'))));
	EXPECT_EQ(1460u, LongestText());
}

// RFC 5927 section 7: who is not on the path does not know what is in flight.
TEST_F(InetIcmpError, NumberThatIsNotInFlightIsNotBelieved)
{
	SeenTcp sent = SendFullSegments();
	const uint32_t first = sent.seg.seq;

	for (uint32_t off : { UINT32_MAX, 3 * 1460u, 0x10000u, 0x80000000u }) {
		sent.seg.seq = first + off;
		Input({ Error(kFragNeeded, 600, sent) });
	}
	EXPECT_EQ(0u, LongestText());
	EXPECT_EQ(4u, Stats().rx_icmp_error_stale);
	EXPECT_EQ(0u, Stats().tcp_pmtu_lowered);
	sent.seg.seq = first + 3 * 1460 - 1;
	Input({ Error(kFragNeeded, 600, sent) });
	EXPECT_EQ(560u, LongestText());
}

TEST_F(InetIcmpError, NoOtherConnectionIsMeant)
{
	SeenTcp sent = SendFullSegments();
	SeenTcp other = sent;

	other.ports.dst++;
	Input({ Error(kFragNeeded, 600, other) });
	other = sent;
	other.ports.src++;
	Input({ Error(kFragNeeded, 600, other) });
	other = sent;
	other.ip.dst++;
	Input({ Error(kFragNeeded, 600, other) });
	EXPECT_EQ(3u, Stats().rx_icmp_error_stale);
	EXPECT_EQ(0u, LongestText());
}

// RFC 1191 section 5: routers of old tell no MTU; the next lower that is usual is tried.
TEST_F(InetIcmpError, WithoutAnMtuTheNextPlateauIsTaken)
{
	SeenTcp sent = SendFullSegments();

	Input({ Error(kFragNeeded, 0, sent) }); // of 1500 bytes
	EXPECT_EQ(1492u - 40, LongestText());
	sent.ip.total_len = 1492;
	Input({ Error(kFragNeeded, 0, sent) });
	EXPECT_EQ(1006u - 40, LongestText());
	sent.ip.total_len = 1006;
	Input({ Error(kFragNeeded, 0, sent) });
	EXPECT_EQ(576u - 40, LongestText());
}

TEST_F(InetIcmpError, MtuBelow576IsTakenFor576)
{
	SeenTcp sent = SendFullSegments();

	Input({ Error(kFragNeeded, 68, sent) });
	EXPECT_EQ(576u - 40, LongestText());
}

// It cannot be what it says.
TEST_F(InetIcmpError, MtuThatThePacketFitsIsIgnored)
{
	SeenTcp sent = SendFullSegments();

	for (uint16_t mtu : { 1500, 1501, 65535 })
		Input({ Error(kFragNeeded, mtu, sent) });
	EXPECT_EQ(3u, Stats().rx_icmp_ignored);
	EXPECT_EQ(0u, LongestText());
}

TEST_F(InetIcmpError, QuotedIpOptionsAreSkipped)
{
	SeenTcp sent = SendFullSegments();

	Input({ Error(kFragNeeded, 1400, sent, 8, 40) });
	EXPECT_EQ(1360u, LongestText());
}

TEST_F(InetIcmpError, QuoteThatIsTooShortIsMalformed)
{
	SeenTcp sent = SendFullSegments();

	for (size_t nb_bytes = 0; nb_bytes < 8; nb_bytes++)
		Input({ Error(kFragNeeded, 1400, sent, nb_bytes) });
	EXPECT_EQ(8u, Stats().rx_icmp_malformed);
	EXPECT_EQ(0u, LongestText());
}

TEST_F(InetIcmpError, OfAnotherProtocolIsIgnored)
{
	SeenTcp sent = SendFullSegments();

	sent.ip.proto = 17;
	Input({ Error(kClosedPort, 0, sent) });
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
	EXPECT_EQ(0u, Stats().rx_icmp_errors);
}

// We send none: what stands where a TCP header would be is something else.
TEST_F(InetIcmpError, OfALaterFragmentIsIgnored)
{
	SeenTcp sent = SendFullSegments();

	sent.ip.frag_off = 8;
	Input({ Error(kFragNeeded, 600, sent) });
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
	EXPECT_EQ(0u, Stats().rx_icmp_errors);
}

// RFC 5927 section 5.2.
TEST_F(InetIcmpError, NoErrorEndsAnEstablishedConnection)
{
	SeenTcp sent = SendFullSegments();

	for (uint8_t code = 0; code <= 15; code++)
		if (code != kFragNeeded)
			Input({ Error(code, 0, sent) });
	EXPECT_EQ(15u, Stats().tcp_unreachable);
	EXPECT_TRUE(Events().empty());
	EXPECT_EQ(1u, leat_inet_nb_conns(inet_));
	Input({ Error(16, 0, sent) });
	EXPECT_EQ(1u, Stats().rx_icmp_ignored);
}

TEST_F(InetIcmpError, HardErrorRefusesAConnect)
{
	for (uint8_t code : { kProtocol, kClosedPort }) {
		leat_inet_conn *conn;

		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
		std::vector<SeenTcp> sent = OutputTcp();
		ASSERT_EQ(1u, sent.size());
		Input({ Error(code, 0, sent[0]) });
		std::vector<leat_inet_event> events = Events();
		ASSERT_EQ(1u, events.size());
		EXPECT_EQ(LEAT_INET_CLOSED, events[0].type);
		EXPECT_EQ(-ECONNREFUSED, events[0].error);
		Close();
	}
}

TEST_F(InetIcmpError, SoftErrorIsTheReasonOfAConnectThatTimesOut)
{
	const struct {
		uint8_t code;
		int error;
	} cases[] = { { kNet, -ENETUNREACH }, { kHost, -EHOSTUNREACH } };

	for (const auto &c : cases) {
		leat_inet_conn *conn;

		Open();
		Meet();
		ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
		std::vector<SeenTcp> sent = OutputTcp();
		ASSERT_EQ(1u, sent.size());
		Input({ Error(c.code, 0, sent[0]) });
		EXPECT_TRUE(Events().empty());
		for (int i = 0; i < 300; i++) {
			leat_arp arp;

			Wait(kSecondUs);
			for (const Frame &frame : Output()) // the next hop is there
				if (IsArp(frame, &arp))
					Input({ BuildArp(LEAT_ARP_OP_REPLY, kPeerMac, kPeerAddr,
						kOurMac, kOurAddr, kOurMac) });
		}
		std::vector<leat_inet_event> events = Events();
		ASSERT_EQ(1u, events.size());
		EXPECT_EQ(c.error, events[0].error);
		Close();
	}
}

// RFC 1122 section 4.2.3.9: of these none is hard, whatever its code.
TEST_F(InetIcmpError, TimeExceededAndParameterProblemAreSoft)
{
	for (uint8_t type : { LEAT_ICMP_TYPE_TIME_EXCEEDED, LEAT_ICMP_TYPE_PARAMETER }) {
		for (uint8_t code : { 0, 1, 2, 3, 4 }) {
			leat_inet_conn *conn;

			Open();
			Meet();
			ASSERT_EQ(0, leat_inet_connect(inet_, V4(kPeerAddr), 80, now_us_, &conn));
			std::vector<SeenTcp> sent = OutputTcp();
			ASSERT_EQ(1u, sent.size());
			type_ = type;
			Input({ Error(code, 0, sent[0]) });
			EXPECT_TRUE(Events().empty());
			EXPECT_EQ(1u, Stats().tcp_unreachable) << (int)type << (int)code;
			EXPECT_EQ(0u, Stats().tcp_pmtu_lowered);
			Close();
		}
	}
}

TEST_F(InetIcmpError, TimeWaitIsNotConcerned)
{
	SeenTcp sent = SendFullSegments(1460);

	leat_inet_shutdown(inet_, conn_);
	(void)Output();
	peer_ack_ += 1461;
	Input({ FromPeer(LEAT_TCP_FIN | LEAT_TCP_ACK).Build() });
	(void)Output();
	ASSERT_EQ(1u, leat_inet_nb_time_waits(inet_));
	Input({ Error(kFragNeeded, 600, sent) });
	EXPECT_EQ(1u, Stats().rx_icmp_error_stale);
	(void)Events();
}

TEST_F(InetIcmpError, AreLimited)
{
	SeenTcp sent = SendFullSegments();

	sent.seg.seq--;
	for (uint32_t i = 0; i < LEAT_INET_ICMP_ERROR_BURST + 5; i++)
		Input({ Error(kFragNeeded, 600, sent) });
	EXPECT_EQ(LEAT_INET_ICMP_ERROR_BURST, Stats().rx_icmp_error_stale);
	EXPECT_EQ(5u, Stats().rx_icmp_error_limited);
	sent.seg.seq++;
	now_us_ += kSecondUs;
	Input({ Error(kFragNeeded, 600, sent) });
	EXPECT_EQ(560u, LongestText());
}

} // namespace
