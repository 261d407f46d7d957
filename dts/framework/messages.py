# SPDX-License-Identifier: BSD-3-Clause
"""Messages of ICMP, ICMPv6, ARP and ND for packet scripts."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dts.framework.script import Message
from dts.framework.wire import (
    BROADCAST,
    ETH_ARP,
    PROTO_ICMP,
    PROTO_ICMP6,
    PROTO_TCP,
    Ip,
    Packet,
    Tcp,
    arp,
    ethernet,
    icmp,
    solicited_node,
)

if TYPE_CHECKING:
    from dts.framework.player import Ends

ND_HOPS = 255
ND_SOLICIT, ND_ADVERT = 135, 136
_ND_SOURCE, _ND_TARGET = 1, 2
_ND_SOLICITED, _ND_OVERRIDE = 0x40, 0x20
_ECHO = ("echo_request", "echo_reply")
_QUOTE_LEN = 20  # bytes of the TCP header in a quoted packet
_WORD = 1 << 32

# Type and code by name.
_ICMP = {
    "echo_reply": (0, 0),
    "unreachable net": (3, 0),
    "unreachable host": (3, 1),
    "unreachable protocol": (3, 2),
    "unreachable port": (3, 3),
    "unreachable frag_needed": (3, 4),
    "unreachable admin": (3, 13),
    "source_quench": (4, 0),
    "echo_request": (8, 0),
    "time_exceeded": (11, 0),
    "parameter_problem": (12, 0),
}
_ICMP6 = {
    "unreachable net": (1, 0),
    "unreachable admin": (1, 1),
    "unreachable host": (1, 3),
    "unreachable port": (1, 4),
    "packet_too_big": (2, 0),
    "time_exceeded": (3, 0),
    "parameter_problem": (4, 0),
    "parameter_problem next_header": (4, 1),
    "echo_request": (128, 0),
    "echo_reply": (129, 0),
}


@dataclass
class Context:
    """The connection that a message is about.

    Attributes:
        ends: The two ends.
        port: Our port.
        iss: Our initial sequence number.
        irs: The server's.
    """

    ends: Ends
    port: int
    iss: int
    irs: int


def our_mac(ends: Ends, attrs: dict[str, str]) -> bytes:
    """Give our MAC address, or another one of ours.

    Args:
        ends: The two ends.
        attrs: "mac N" asks for the N-th other one.

    Returns:
        The address.
    """
    return ends.mac[:1] + bytes([int(attrs.get("mac", "0"))]) + ends.mac[2:]


def _data(message: Message) -> bytes:
    return bytes(idx & 255 for idx in range(int(message.fields.get("len", "0"))))


def _quote(message: Message, attrs: dict[str, str], context: Context) -> bytes:
    """The packet of the server that a message is about."""
    if message.quoted is None:
        return b""
    ends = context.ends
    seq, length = message.quoted
    port = context.port + int(attrs.get("quoted port", "0"))
    tcp = Tcp(ends.srv_port, port, (context.irs + seq) % _WORD, context.iss, 16, 65535)
    body = tcp.emit(ends.srv_addr, ends.addr)
    whole = Ip(ends.srv_addr, ends.addr, PROTO_TCP).emit(body + bytes(length))
    cut = int(attrs.get("quote", _QUOTE_LEN))
    return whole[: len(whole) - len(body) - length + cut]


def build(message: Message, attrs: dict[str, str], context: Context) -> bytes:
    """Write a message of ours.

    Args:
        message: What the script says.
        attrs: What is odd about it.
        context: The connection.

    Returns:
        The frame.
    """
    ends = context.ends
    mac = our_mac(ends, attrs)
    if message.proto == "arp":
        target = bytes(map(int, attrs["for"].split("."))) if "for" in attrs else ends.srv_addr
        return arp(1 if message.name == "request" else 2, mac, ends.addr, ends.srv_mac, target)
    if message.proto == "nd":
        return _build_nd(message, attrs, ends, mac)
    ids = struct.pack(
        "!HH", int(message.fields.get("id", "1")), int(message.fields.get("seq", "1"))
    )
    if message.name in _ECHO:
        rest = ids + _data(message)
    elif message.proto == "icmp":
        rest = struct.pack("!HH", 0, int(message.fields.get("mtu", "0")))
        rest += _quote(message, attrs, context)
    else:
        rest = struct.pack("!I", int(message.fields.get("mtu", "0")))
        rest += _quote(message, attrs, context)
    table, proto = (_ICMP, PROTO_ICMP) if message.proto == "icmp" else (_ICMP6, PROTO_ICMP6)
    body = icmp(ends.addr, ends.srv_addr, *table[message.name], rest)
    if "bad checksum" in attrs:
        body = body[:2] + bytes([body[2] ^ 0x55]) + body[3:]
    ip = Ip(ends.addr, ends.srv_addr, proto, int(attrs.get("ttl", "64")))
    ip.exts = tuple(attrs.get("ext", "").split())
    ip.opts = bytes.fromhex(attrs.get("ipopt", ""))
    return ethernet(mac, ends.srv_mac, ip.emit(body), bytes.fromhex(attrs.get("tail", "")))


def _build_nd(message: Message, attrs: dict[str, str], ends: Ends, mac: bytes) -> bytes:
    if message.name == "solicit":
        eth_dst, dst = solicited_node(ends.srv_addr)
        if "unicast" in attrs:
            eth_dst, dst = ends.srv_mac, ends.srv_addr
        option = b"" if "no option" in attrs else bytes([_ND_SOURCE, 1]) + mac
        body = icmp(ends.addr, dst, ND_SOLICIT, 0, bytes(4) + ends.srv_addr + option)
    else:
        eth_dst, dst = ends.srv_mac, ends.srv_addr
        bits = _ND_OVERRIDE | (0 if "unsolicited" in attrs else _ND_SOLICITED)
        rest = bytes([bits, 0, 0, 0]) + ends.addr + bytes([_ND_TARGET, 1]) + mac
        body = icmp(ends.addr, dst, ND_ADVERT, 0, rest)
    ip = Ip(ends.addr, dst, PROTO_ICMP6, int(attrs.get("ttl", str(ND_HOPS))))
    return ethernet(mac, eth_dst, ip.emit(body))


def answer_neighbour(ends: Ends, packet: Packet) -> bytes | None:
    """Answer who asks for our address, as a kernel does behind a script's back.

    Args:
        ends: The two ends.
        packet: What came.

    Returns:
        The answer; nothing for other packets of ARP and ND; None for all other packets.
    """
    if packet.eth_type == ETH_ARP:
        if packet.body[6:8] == b"\0\1":
            return arp(2, ends.mac, ends.addr, packet.eth_src, packet.src)
        return b""
    if packet.proto == PROTO_ICMP6 and packet.body[:1] == bytes([ND_SOLICIT]):
        message = Message("nd", "advert", {}, None)
        return _build_nd(message, {}, ends, ends.mac)
    if packet.proto == PROTO_ICMP6 and packet.body[:1] == bytes([ND_ADVERT]):
        return b""
    return None


def mismatch(
    message: Message, attrs: dict[str, str], packet: Packet, context: Context
) -> str | None:
    """Say in what a packet is not the expected message.

    Args:
        message: What the script says.
        attrs: What is odd about it.
        packet: What came.
        context: The connection.

    Returns:
        A few words; None if it is the one.
    """
    if message.proto == "arp":
        op = 1 if message.name == "request" else 2
        if packet.eth_type != ETH_ARP or int.from_bytes(packet.body[6:8], "big") != op:
            return "another packet"
        if op == 2 and packet.body[8:14] != context.ends.srv_mac:
            return "another MAC address in the reply"
        if "broadcast" in attrs and packet.eth_dst != BROADCAST:
            return "not broadcast"
        return odd(attrs, packet)
    if message.proto == "nd":
        return _mismatch_nd(message, attrs, packet, context.ends) or odd(attrs, packet)
    table, proto = (_ICMP, PROTO_ICMP) if message.proto == "icmp" else (_ICMP6, PROTO_ICMP6)
    if packet.proto != proto or tuple(packet.body[:2]) != table[message.name]:
        return "another packet"
    if message.name in _ECHO:
        wanted = int(message.fields.get("id", "1")), int(message.fields.get("seq", "1"))
        if struct.unpack("!HH", packet.body[4:8]) != wanted:
            return "another identifier or number"
        if packet.body[8:] != _data(message):
            return "other data"
    return odd(attrs, packet)


def _mismatch_nd(
    message: Message, attrs: dict[str, str], packet: Packet, ends: Ends
) -> str | None:
    kind = ND_SOLICIT if message.name == "solicit" else ND_ADVERT
    if packet.proto != PROTO_ICMP6 or packet.body[0] != kind:
        return "another packet"
    if packet.ttl != ND_HOPS:
        return "another hop limit"
    target = ends.addr if kind == ND_SOLICIT else ends.srv_addr
    if packet.body[8:24] != target:
        return "another target"
    option = _ND_SOURCE if kind == ND_SOLICIT else _ND_TARGET
    if "no option" not in attrs and packet.body[24:32] != bytes([option, 1]) + ends.srv_mac:
        return "no link-layer address of the server"
    return None


def odd(attrs: dict[str, str], packet: Packet) -> str | None:
    """Hold what a script says of the frame against it.

    Args:
        attrs: What it says.
        packet: What came.

    Returns:
        A few words; None if all of it is right.
    """
    if "mac" in attrs and packet.eth_dst[1] != int(attrs["mac"]):
        return "to another MAC address"
    if "frame" in attrs and packet.frame_len != int(attrs["frame"]):
        return f"a frame of {packet.frame_len} bytes"
    return None
