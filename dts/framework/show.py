# SPDX-License-Identifier: BSD-3-Clause
"""Packets in the words of the scripts, for people who look for a fault."""

from __future__ import annotations

import ipaddress

from dts.framework.wire import ETH_ARP, PROTO_ICMP, PROTO_ICMP6, Opt, Packet, flags_text

_HALF = 1 << 31
_WORD = 1 << 32
_TEXT_MAX = 24


def _relative(number: int, base: int) -> int:
    """A number as scripts write it: a little below the base is negative."""
    number = (number - base) % _WORD
    return number - _WORD if number >= _HALF else number


def _show_opt(opt: Opt, iss: int) -> str:
    name, value = opt
    if name == "sack" and isinstance(value, tuple):
        blocks = [block for block in value if isinstance(block, tuple)]
        edges = " ".join(f"{_relative(a, iss)}:{_relative(b, iss)}" for a, b in blocks)
        return f"sack {edges}"
    if name == "TS" and isinstance(value, tuple):
        return f"TS val {value[0]} ecr {value[1]}"
    if isinstance(value, bytes):
        return f"{name} {value.hex()}"
    return name if value is None else f"{name} {value}"


def show_packet(packet: Packet, iss: int, irs: int) -> str:
    """Write a packet of the server as a script would.

    Args:
        packet: The packet.
        iss: Our initial sequence number.
        irs: The server's.

    Returns:
        One line.
    """
    tcp = packet.tcp
    if packet.eth_type == ETH_ARP:
        op = int.from_bytes(packet.body[6:8], "big")
        src, dst = ipaddress.ip_address(packet.src), ipaddress.ip_address(packet.dst)
        return f"arp {'request' if op == 1 else 'reply'}, {src} to {dst}"
    if packet.proto in (PROTO_ICMP, PROTO_ICMP6):
        return f"icmp type {packet.body[0]} code {packet.body[1]}, {len(packet.body)} bytes"
    if tcp is None:
        return f"{len(packet.body)} bytes of protocol {packet.proto}"
    seq, length = _relative(tcp.seq, irs), len(tcp.text)
    text = f"{flags_text(tcp.flags)} {seq}:{seq + length}({length})"
    if tcp.flags & 16:
        text += f" ack {_relative(tcp.ack, iss)}"
    text += f" win {tcp.win}"
    if tcp.opts:
        text += f" <{','.join(_show_opt(one, iss) for one in tcp.opts)}>"
    if tcp.text:
        more = "..." if length > _TEXT_MAX else ""
        text += f" {tcp.text[:_TEXT_MAX]!r}{more}"
    return text
