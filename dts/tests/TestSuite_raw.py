# SPDX-License-Identifier: BSD-3-Clause
"""Frames that no kernel would send, by a raw socket: who is answered, and who must not be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Padding

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT
from dts.framework.raw import ADDR, RawPeer

CLOSED_PORT = 9
SILENCE_S = 0.3
ISS = 0xFFFFFFFA  # the sequence number wraps within each conversation
PING = b"*1\r\n$4\r\nPING\r\n"
PONG = b"+PONG\r\n"

_ports = itertools.count(20000)


@pytest.fixture
def peer(lab: Lab, leatd: object) -> Iterator[RawPeer]:
    """A station of our own beside Linux."""
    one = RawPeer(lab)
    yield one
    one.close()


class Talk:
    """One TCP connection, by hand."""

    def __init__(self, peer: RawPeer) -> None:
        """Shake hands.

        Args:
            peer: Our station.
        """
        self.peer = peer
        self.port = next(_ports)
        self.seq = ISS
        peer.send(self.seg("S"))
        reply = self.wait()
        assert reply is not None, "no answer to SYN"
        assert str(reply[TCP].flags) == "SA"
        assert reply[TCP].ack == (ISS + 1) % (1 << 32)
        self.seq = reply[TCP].ack
        self.ack = (reply[TCP].seq + 1) % (1 << 32)
        peer.send(self.seg("A"))

    def seg(self, flags: str, data: bytes = b"") -> Packet:
        """Write the next segment.

        Args:
            flags: Its flags.
            data: Its text.

        Returns:
            The frame.
        """
        ack = getattr(self, "ack", 0)
        head = TCP(sport=self.port, dport=RESP_PORT, flags=flags, seq=self.seq, ack=ack)
        return self.peer.ip() / head / data

    def wait(self, timeout_s: float = 1) -> Packet | None:
        """Wait for the next segment of the daemon.

        Args:
            timeout_s: How long.

        Returns:
            The frame, or None.
        """
        return self.peer.wait_tcp(self.port, timeout_s)

    def read(self) -> bytes:
        """Wait for the next text of the daemon, past acknowledgments without text.

        Returns:
            The text; none if none comes.
        """
        while (got := self.wait()) is not None:
            if text := text_of(got):
                return text
        return b""

    def end(self) -> None:
        """Leave the connection with a reset, as nothing more is of interest."""
        self.peer.send(self.seg("R"))


def text_of(frame: Packet) -> bytes:
    """Take the text out of a TCP segment, the padding of the frame left out.

    Args:
        frame: The frame.

    Returns:
        The text.
    """
    layer = frame[TCP].copy()
    return b"" if isinstance(layer.payload, Padding) else bytes(layer.payload)[: _text_len(frame)]


def _text_len(frame: Packet) -> int:
    return int(frame[IP].len - frame[IP].ihl * 4 - frame[TCP].dataofs * 4)


def test_arp_is_answered_for_our_address_only(peer: RawPeer) -> None:
    """ARP speaks for the port's address and for no other.

    Steps:
        Ask for the daemon's address, and for a neighbour's.

    Verify:
        A reply to us alone; silence.
    """

    def is_reply(got: Packet) -> bool:
        return ARP in got and got[ARP].op == 2 and got.dst == peer.ether().src

    broadcast = Ether(src=peer.ether().src, dst="ff:ff:ff:ff:ff:ff")
    ask = ARP(op=1, hwsrc=broadcast.src, psrc=ADDR)
    ask.pdst = SRV_ADDR
    reply = peer.ask(broadcast / ask, is_reply)
    assert reply is not None
    assert reply[ARP].psrc == SRV_ADDR
    assert reply[ARP].hwdst == broadcast.src
    ask.pdst = "10.77.0.77"
    assert peer.ask(broadcast / ask, is_reply, SILENCE_S) is None


def _is_echo_reply(got: Packet) -> bool:
    return ICMP in got and got[IP].dst == ADDR and got[ICMP].type == 0


def test_icmp_echo_gives_id_sequence_and_data_back(peer: RawPeer) -> None:
    """An echo reply is the request with two fields changed.

    Steps:
        Send an echo request with 33 bytes of data.

    Verify:
        Identifier, sequence number and data of the reply.
    """
    request = peer.ip() / ICMP(id=0x1234, seq=7) / bytes(range(33))
    reply = peer.ask(request, _is_echo_reply)
    assert reply is not None
    assert (reply[ICMP].id, reply[ICMP].seq) == (0x1234, 7)
    assert bytes(reply[ICMP].payload)[:33] == bytes(range(33))


def _bad_frames(peer: RawPeer) -> dict[str, Packet]:
    ping = ICMP(id=1, seq=1) / b"data"
    elsewhere = peer.ether() / IP(src=ADDR, dst="10.77.0.77")
    other_mac = peer.ip() / ping
    other_mac.dst = "02:00:00:00:99:99"
    return {
        "icmp-checksum": peer.ip() / ICMP(id=1, seq=1, chksum=0x1234) / b"data",
        "ip-checksum": peer.ether() / IP(src=ADDR, dst=SRV_ADDR, chksum=0x1234) / ping,
        "ip-version": peer.ether() / IP(src=ADDR, dst=SRV_ADDR, version=5) / ping,
        "ip-header-length": peer.ether() / IP(src=ADDR, dst=SRV_ADDR, ihl=4) / ping,
        "ip-length": peer.ether() / IP(src=ADDR, dst=SRV_ADDR, len=1400) / ping,
        "another-host": elsewhere / ping,
        "another-mac": other_mac,
    }


@pytest.mark.parametrize(
    "fault",
    [
        "icmp-checksum",
        "ip-checksum",
        "ip-version",
        "ip-header-length",
        "ip-length",
        "another-host",
        "another-mac",
    ],
)
def test_bad_packet_is_not_answered(peer: RawPeer, fault: str) -> None:
    """What is broken, or is somebody else's, is dropped.

    Steps:
        Send an echo request with a fault.

    Verify:
        Silence; a right one is answered afterwards.
    """
    assert peer.ask(_bad_frames(peer)[fault], _is_echo_reply, SILENCE_S) is None
    assert peer.ask(peer.ip() / ICMP(id=2, seq=2) / b"data", _is_echo_reply) is not None


def test_closed_port_answers_with_the_right_reset(peer: RawPeer) -> None:
    """RFC 9293, 3.10.7.1: a SYN to nobody gives <SEQ=0><ACK=SEG.SEQ+1><CTL=RST,ACK>.

    Steps:
        Send a SYN to a port where nobody listens.

    Verify:
        The fields of the reset.
    """
    port = next(_ports)
    peer.send(peer.ip() / TCP(sport=port, dport=CLOSED_PORT, flags="S", seq=ISS))
    reply = peer.wait_tcp(port)
    assert reply is not None
    assert str(reply[TCP].flags) == "RA"
    assert (reply[TCP].seq, reply[TCP].ack) == (0, ISS + 1)


def test_ack_to_nobody_is_reset_from_its_acknowledgment(peer: RawPeer) -> None:
    """RFC 9293, 3.10.7.1: a segment with ACK gives <SEQ=SEG.ACK><CTL=RST>; a reset gives nothing.

    Steps:
        Send an ACK, and then a RST, that belong to no connection.

    Verify:
        A reset with the right number; silence.
    """
    port = next(_ports)
    head = TCP(sport=port, dport=RESP_PORT, seq=1, ack=77, flags="A")
    peer.send(peer.ip() / head)
    reply = peer.wait_tcp(port)
    assert reply is not None
    assert str(reply[TCP].flags) == "R"
    assert reply[TCP].seq == 77
    head.flags = "R"
    peer.send(peer.ip() / head)
    assert peer.wait_tcp(port, SILENCE_S) is None


def test_padding_is_no_text(peer: RawPeer) -> None:
    """Short frames are padded to 60 bytes, and the padding is neither text nor summed.

    Steps:
        Shake hands; send an ACK padded with commands, and then PING in a frame with a tail.

    Verify:
        One PONG, and the right number acknowledged.
    """
    talk = Talk(peer)
    peer.send(bytes(talk.seg("A")) + PING[:6])
    peer.send(bytes(talk.seg("PA", PING)) + b"\xff\xff\xff")
    got = talk.wait()
    assert got is not None
    assert got[TCP].ack == (talk.seq + len(PING)) % (1 << 32)
    text = text_of(got) or talk.read()
    assert text == PONG
    talk.seq = (talk.seq + len(PING)) % (1 << 32)
    talk.end()


def test_segment_with_a_bad_checksum_is_dropped(peer: RawPeer) -> None:
    """A damaged segment neither counts nor harms.

    Steps:
        Send PING with a wrong checksum, then with the right one.

    Verify:
        Silence, then one PONG.
    """
    talk = Talk(peer)
    bad = talk.seg("PA", PING)
    bad[TCP].chksum = 0x1234
    peer.send(bad)
    assert talk.wait(SILENCE_S) is None
    peer.send(talk.seg("PA", PING))
    assert talk.read() == PONG
    talk.seq = (talk.seq + len(PING)) % (1 << 32)
    talk.end()


def test_segments_out_of_order_make_one_stream(peer: RawPeer) -> None:
    """The second half of a command comes first.

    Steps:
        Send the second half of PING, then the first.

    Verify:
        An acknowledgment of nothing new at once, then PONG and an acknowledgment of all.
    """
    talk = Talk(peer)
    begin, half = talk.seq, 6
    end = (begin + len(PING)) % (1 << 32)
    talk.seq = (begin + half) % (1 << 32)
    peer.send(talk.seg("PA", PING[half:]))
    got = talk.wait()
    assert got is not None
    assert got[TCP].ack == begin
    talk.seq = begin
    peer.send(talk.seg("PA", PING[:half]))
    got = talk.wait()
    assert got is not None
    assert got[TCP].ack == end
    assert (text_of(got) or talk.read()) == PONG
    talk.seq = end
    talk.end()


def test_reset_ends_the_connection(peer: RawPeer) -> None:
    """After a reset the connection is nobody's.

    Steps:
        Shake hands, reset, send PING.

    Verify:
        A reset in answer.
    """
    talk = Talk(peer)
    peer.send(talk.seg("R"))
    peer.send(talk.seg("PA", PING))
    got = talk.wait()
    assert got is not None
    assert "R" in str(got[TCP].flags)
