# SPDX-License-Identifier: BSD-3-Clause
"""The oracle itself: it must see each fault in captures that have one, and none in one that has not."""

from __future__ import annotations

from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import ICMPv6EchoReply, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import wrpcap

from dts.framework.lab import CLI_ADDR, CLI_ADDR6, SRV_ADDR, SRV_ADDR6
from dts.framework.oracle import judge

STEP_S = 0.001


def _conversation() -> list[Packet]:
    """A handshake, a request and three segments of a reply."""
    cli = Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") / IP(src=CLI_ADDR, dst=SRV_ADDR)
    srv = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src=SRV_ADDR, dst=CLI_ADDR)
    ask, tell = TCP(sport=40000, dport=6379), TCP(sport=6379, dport=40000)

    def seg(base: Packet, ports: TCP, flags: str, seq: int, ack: int, data: bytes = b"") -> Packet:
        layer = ports.copy()
        layer.flags, layer.seq, layer.ack = flags, seq, ack
        return base / layer / data

    packets = [
        seg(cli, ask, "S", 100, 0),
        seg(srv, tell, "SA", 500, 101),
        seg(cli, ask, "A", 101, 501),
        seg(cli, ask, "PA", 101, 501, b"x" * 20),
        seg(srv, tell, "A", 501, 121, b"a" * 1000),
        seg(srv, tell, "A", 1501, 121, b"b" * 1000),
        seg(srv, tell, "PA", 2501, 121, b"c" * 1000),
        seg(cli, ask, "A", 121, 3501),
    ]
    for idx, packet in enumerate(packets):
        packet.time = 1_700_000_000 + idx * STEP_S
    return packets


def _faults(tmp_path: Path, packets: list[Packet]) -> list[str]:
    wrpcap(str(tmp_path / "one.pcap"), packets)
    return judge(tmp_path / "one.pcap").faults


def test_right_conversation_has_no_fault(tmp_path: Path) -> None:
    """Nothing is found where nothing is wrong.

    Steps:
        Judge a right conversation.

    Verify:
        Four packets of the daemon, no fault.
    """
    wrpcap(str(tmp_path / "one.pcap"), _conversation())
    verdict = judge(tmp_path / "one.pcap")
    assert (verdict.nb_packets, verdict.faults, verdict.notes) == (4, [], [])


@pytest.mark.parametrize(("layer", "field"), [(TCP, "tcp"), (IP, "ip")])
def test_bad_checksum_is_seen(tmp_path: Path, layer: type[Packet], field: str) -> None:
    """A wrong checksum.

    Steps:
        Spoil the checksum of a segment of the daemon.

    Verify:
        One fault.
    """
    packets = _conversation()
    packets[5][layer].chksum = 0x1234
    assert _faults(tmp_path, packets) == [f"frame 6: {field}.checksum.status"]


@pytest.mark.parametrize("good", [True, False])
def test_bad_checksum_over_ipv6_is_seen(tmp_path: Path, good: bool) -> None:
    """Packets of IPv6 are judged too.

    Steps:
        Judge an echo reply and a segment of the daemon, with right and with wrong checksums.

    Verify:
        No fault; a fault of each.
    """
    head = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IPv6(
        src=SRV_ADDR6, dst=CLI_ADDR6
    )
    spoilt = {} if good else {"cksum": 0x1234}
    segment = TCP(sport=6379, dport=40000, flags="A", seq=1, ack=1)
    if not good:
        segment.chksum = 0x1234
    faults = _faults(tmp_path, [head / ICMPv6EchoReply(id=1, **spoilt), head / segment])
    wanted = ["frame 1: icmpv6.checksum.status", "frame 2: tcp.checksum.status"]
    assert faults == ([] if good else wanted)


def test_bad_checksum_of_the_peer_is_not_ours(tmp_path: Path) -> None:
    """Only what the daemon sent is judged.

    Steps:
        Spoil the checksum of a segment of the peer.

    Verify:
        No fault.
    """
    packets = _conversation()
    packets[3][TCP].chksum = 0x1234
    assert _faults(tmp_path, packets) == []


def test_malformed_packet_is_seen(tmp_path: Path) -> None:
    """A header that ends too early.

    Steps:
        Cut a segment of the daemon within its TCP header.

    Verify:
        A fault.
    """
    packets = _conversation()
    ether = packets[4]
    cut = Ether(bytes(ether[Ether])[:14]) / IP(src=SRV_ADDR, dst=CLI_ADDR, proto=6) / b"\x18\xeb"
    cut.time = ether.time
    packets[4] = cut
    assert "frame 5: _ws.malformed" in _faults(tmp_path, packets)


def test_retransmission_is_seen(tmp_path: Path) -> None:
    """Text that is sent twice on a link that loses nothing.

    Steps:
        Repeat a segment of the daemon four milliseconds later.

    Verify:
        A fault.
    """
    packets = _conversation()
    again = packets[5].copy()
    again.time = packets[6].time + 4 * STEP_S
    assert any("retransmission" in fault for fault in _faults(tmp_path, packets[:7] + [again]))


def test_lost_segment_is_seen(tmp_path: Path) -> None:
    """A hole in what the daemon sent, and an acknowledgment of what nobody sent.

    Steps:
        Leave a segment of the daemon out; leave the request out.

    Verify:
        A fault each.
    """
    packets = _conversation()
    assert _faults(tmp_path, packets[:5] + packets[6:]) == ["frame 6: tcp.analysis.lost_segment"]
    assert _faults(tmp_path, packets[:3] + packets[4:]) == ["frame 4: tcp.analysis.ack_lost_segment"]


def test_bad_link_excuses_what_is_sent_again(tmp_path: Path) -> None:
    """On a link that loses frames text is sent again; to acknowledge what never came is a fault.

    Steps:
        Judge, as of a bad link: a conversation with a segment sent twice and one not captured; one
        without the request.

    Verify:
        No fault; the acknowledgment.
    """
    packets = _conversation()
    again = packets[5].copy()
    again.time = packets[6].time + 4 * STEP_S
    wrpcap(str(tmp_path / "one.pcap"), packets[:4] + packets[5:7] + [again])
    assert judge(tmp_path / "one.pcap", clean_link=False).faults == []
    wrpcap(str(tmp_path / "two.pcap"), packets[:3] + packets[4:])
    faults = judge(tmp_path / "two.pcap", clean_link=False).faults
    assert faults == ["frame 4: tcp.analysis.ack_lost_segment"]


@pytest.mark.parametrize("has_come", [True, False])
def test_damaged_segment_of_the_peer_has_sent_nothing(tmp_path: Path, has_come: bool) -> None:
    """A flipped bit in a sequence number moves no stream, which tshark thinks it does.

    Steps:
        Judge, as of a bad link: behind a conversation an ACK whose number is 2 too high, with a
        wrong checksum; a second request; the daemon's ACK of it. Then the same without the request.

    Verify:
        No fault, as what the daemon acknowledges has come; then one.
    """
    packets = _conversation()
    ack, request, reply = packets[7], packets[3].copy(), packets[4].copy()
    damaged = ack.copy()
    damaged[TCP].seq, damaged[TCP].chksum = ack[TCP].seq + 2, 0x1234
    request[TCP].seq, request[TCP].ack = ack[TCP].seq, ack[TCP].ack
    reply[TCP].seq, reply[TCP].ack = ack[TCP].ack, ack[TCP].seq + 20
    packets += [damaged, ack.copy(), request, reply] if has_come else [damaged, ack.copy(), reply]
    for idx, packet in enumerate(packets):
        packet.time = 1_700_000_000 + idx * STEP_S
    wrpcap(str(tmp_path / "one.pcap"), packets)
    faults = judge(tmp_path / "one.pcap", clean_link=False).faults
    assert faults == ([] if has_come else ["frame 11: tcp.analysis.ack_lost_segment"])


def test_one_retransmission_after_silence_is_a_stall(tmp_path: Path) -> None:
    """A machine that stood still makes any stack resend: once, it is noted and no fault.

    Steps:
        Repeat a segment after 6 ms without any packet; then another one after 6 ms more.

    Verify:
        The first is a note, the second a fault.
    """
    packets = _conversation()[:7]
    for _ in range(2):
        again = packets[6].copy()
        again.time = packets[-1].time + 0.006
        packets.append(again)
    wrpcap(str(tmp_path / "one.pcap"), packets)
    verdict = judge(tmp_path / "one.pcap")
    assert len(verdict.notes) == 1
    assert "frame 8" in verdict.notes[0]
    assert verdict.faults
    assert all("frame 9" in fault for fault in verdict.faults)
