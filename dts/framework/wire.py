# SPDX-License-Identifier: BSD-3-Clause
"""Frames as bytes: built field by field, so that wrong ones can be built too, and taken apart."""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass, field

ETH_IPV4, ETH_ARP, ETH_IPV6 = 0x0800, 0x0806, 0x86DD
PROTO_ICMP, PROTO_TCP, PROTO_ICMP6 = 1, 6, 58
FRAME_LEN_MIN = 60
BROADCAST = b"\xff" * 6
_HEADERS6 = {0: "hopopts", 43: "routing", 44: "frag", 60: "dstopts"}
_NEXT6 = {name: number for number, name in _HEADERS6.items()}
_FLAGS = "FSRP.UEW"

# Options of TCP as (kind, value): a number, a pair for timestamps, pairs for SACK, or raw bytes.
OptValue = int | tuple[int, ...] | tuple[tuple[int, int], ...] | bytes | None
Opt = tuple[str, OptValue]
_OPT_NAMES = {2: "mss", 3: "wscale", 4: "sackOK", 5: "sack", 8: "TS"}


def checksum(data: bytes) -> int:
    """Sum 16-bit words in ones' complement.

    Args:
        data: What to sum; an odd byte is followed by a zero.

    Returns:
        The checksum; 0 when data holds its own right one.
    """
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _pseudo(src: bytes, dst: bytes, proto: int, length: int) -> bytes:
    if len(src) == 4:
        return src + dst + struct.pack("!BBH", 0, proto, length)
    return src + dst + struct.pack("!II", length, proto)


def flags_text(bits: int) -> str:
    """Write TCP's flags as packetdrill does.

    Args:
        bits: The flags.

    Returns:
        Letters, "." for ACK and "-" for none.
    """
    order = "FSRPUEW."
    return "".join(one for one in order if bits >> _FLAGS.index(one) & 1) or "-"


def flags_bits(text: str) -> int:
    """Read what flags_text() writes.

    Args:
        text: The letters.

    Returns:
        The flags.

    Raises:
        ValueError: A letter is none of a flag.
    """
    return sum(1 << _FLAGS.index(one) for one in set(text) if one != "-")


def emit_opts(opts: list[Opt]) -> bytes:
    """Write options as they are, padded to a multiple of four bytes.

    Args:
        opts: The options in order.

    Returns:
        The bytes.
    """
    out = b""
    for name, value in opts:
        if name == "nop":
            out += b"\1"
        elif name == "eol":
            out += b"\0"
        elif name == "raw":
            assert isinstance(value, bytes)
            out += value
        elif name == "mss":
            out += struct.pack("!BBH", 2, 4, value)
        elif name == "wscale":
            out += struct.pack("!BBB", 3, 3, value)
        elif name == "sackOK":
            out += b"\4\2"
        elif name == "TS":
            assert isinstance(value, tuple)
            out += struct.pack("!BBII", 8, 10, *value)
        elif name == "sack":
            assert isinstance(value, tuple)
            out += struct.pack("!BB", 5, 2 + 8 * len(value))
            for block in value:
                assert isinstance(block, tuple)
                out += struct.pack("!II", *block)
    return out + b"\0" * (-len(out) % 4)


def parse_opts(data: bytes) -> list[Opt]:
    """Take options apart; padding is left out.

    Args:
        data: What follows the header's fixed part.

    Returns:
        The options in order; "bad" when the list is malformed.
    """
    found: list[Opt] = []
    while data and data[0] != 0:
        if data[0] == 1:
            data = data[1:]
            continue
        if len(data) < 2 or data[1] < 2 or data[1] > len(data):
            return [*found, ("bad", data)]
        kind, body, data = data[0], data[2 : data[1]], data[data[1] :]
        name = _OPT_NAMES.get(kind, f"kind {kind}")
        value: OptValue = body
        if (name, len(body)) in (("mss", 2), ("wscale", 1)):
            value = int.from_bytes(body, "big")
        elif (name, len(body)) == ("sackOK", 0):
            value = None
        elif (name, len(body)) == ("TS", 8):
            value = struct.unpack("!II", body)
        elif name == "sack" and body and len(body) % 8 == 0:
            edges = struct.unpack(f"!{len(body) // 4}I", body)
            value = tuple(zip(edges[::2], edges[1::2], strict=True))
        else:
            name = f"kind {kind}"
        found.append((name, value))
    return found


@dataclass
class Tcp:
    """One segment.

    Attributes:
        sport: Source port.
        dport: Destination port.
        seq: Sequence number.
        ack: Acknowledgment number.
        flags: As flags_bits() gives them.
        win: Window as on the wire.
        urg: Urgent pointer.
        opts: Options.
        text: The text.
        doff: Header length in words; None for the right one.
        cksum_xor: Spoils the checksum.
    """

    sport: int
    dport: int
    seq: int
    ack: int
    flags: int
    win: int
    opts: list[Opt] = field(default_factory=list)
    text: bytes = b""
    urg: int = 0
    doff: int | None = None
    cksum_xor: int = 0

    def emit(self, src: bytes, dst: bytes) -> bytes:
        """Write it.

        Args:
            src: Source address, 4 or 16 bytes.
            dst: Destination address.

        Returns:
            Header and text, with the checksum.
        """
        opts = emit_opts(self.opts)
        doff = 5 + len(opts) // 4 if self.doff is None else self.doff
        ports = struct.pack("!HHII", self.sport, self.dport, self.seq, self.ack)
        head = ports + struct.pack("!BBHHH", (doff & 15) << 4, self.flags, self.win, 0, self.urg)
        whole = head + opts + self.text
        cksum = checksum(_pseudo(src, dst, PROTO_TCP, len(whole)) + whole) ^ self.cksum_xor
        return whole[:16] + struct.pack("!H", cksum) + whole[18:]


def parse_tcp(data: bytes) -> Tcp:
    """Take a segment apart.

    Args:
        data: Header and text.

    Returns:
        The segment.

    Raises:
        ValueError: It is shorter than its header.
    """
    if len(data) < 20 or not 20 <= (data[12] >> 4) * 4 <= len(data):
        raise ValueError("TCP header cut short")
    sport, dport, seq, ack = struct.unpack("!HHII", data[:12])
    flags, win, urg = data[13], *struct.unpack("!H2xH", data[14:20])
    end = (data[12] >> 4) * 4
    return Tcp(sport, dport, seq, ack, flags, win, parse_opts(data[20:end]), data[end:], urg)


@dataclass
class Ip:
    """How to write an IP header.

    Attributes:
        src: Source address, 4 or 16 bytes.
        dst: Destination address.
        proto: What follows.
        ttl: Time to live or hop limit.
        opts: IPv4 options, or names of IPv6 extension headers in order.
        frag: Offset in bytes and whether more fragments follow; None for a whole packet.
        length: Length as claimed; None for the right one.
        cksum_xor: Spoils the header's checksum.
    """

    src: bytes
    dst: bytes
    proto: int
    ttl: int = 64
    opts: bytes = b""
    exts: tuple[str, ...] = ()
    frag: tuple[int, bool] | None = None
    length: int | None = None
    cksum_xor: int = 0

    def emit(self, body: bytes) -> bytes:
        """Write it in front of a body.

        Args:
            body: What the packet carries.

        Returns:
            The packet.
        """
        return self._emit4(body) if len(self.src) == 4 else self._emit6(body)

    def _emit4(self, body: bytes) -> bytes:
        opts = self.opts + b"\0" * (-len(self.opts) % 4)
        length = 20 + len(opts) + len(body) if self.length is None else self.length
        off, more = self.frag or (0, False)
        frag = 0x4000 if self.frag is None else (off // 8) | (0x2000 if more else 0)
        version = 0x45 + len(opts) // 4
        head = struct.pack("!BBHHH", version, 0, length, 1, frag)
        head += struct.pack("!BBH", self.ttl, self.proto, 0) + self.src + self.dst + opts
        cksum = checksum(head) ^ self.cksum_xor
        return head[:10] + struct.pack("!H", cksum) + head[12:] + body

    def _emit6(self, body: bytes) -> bytes:
        follows = self.proto
        for name in reversed(self.exts):
            number, follows = follows, _NEXT6[name]
            if name == "frag":
                off, more = self.frag or (0, False)
                ext = struct.pack("!BBHI", number, 0, off | more, 1)
            elif name == "routing":  # no segment is left, RFC 8200 section 4.4
                ext = struct.pack("!BBBBI", number, 0, 0, 0, 0)
            else:  # padding only
                ext = struct.pack("!BBBB4x", number, 0, 1, 4)
            body = ext + body
        length = len(body) if self.length is None else self.length
        head = struct.pack("!IHBB", 6 << 28, length, follows, self.ttl)
        return head + self.src + self.dst + body


@dataclass
class Packet:
    """A frame taken apart as far as it is known.

    Attributes:
        eth_src: Source MAC address.
        eth_dst: Destination MAC address.
        eth_type: Ethernet type.
        frame_len: Bytes of the frame.
        src: Source address of IP, or the sender's of ARP.
        dst: Destination address of IP, or the target of ARP.
        proto: IP protocol; 0 for ARP.
        ttl: Time to live or hop limit.
        df: Don't fragment, always true for IPv6.
        body: What the IP packet carries, or the ARP packet.
        tcp: The segment, if it is one.
        faults: What is wrong with it.
    """

    eth_src: bytes
    eth_dst: bytes
    eth_type: int
    frame_len: int
    src: bytes = b""
    dst: bytes = b""
    proto: int = 0
    ttl: int = 0
    df: bool = True
    body: bytes = b""
    tcp: Tcp | None = None
    faults: list[str] = field(default_factory=list)


def parse_frame(data: bytes) -> Packet | None:
    """Take a frame apart.

    Args:
        data: The frame.

    Returns:
        What is in it; None if it is neither ARP nor IP.
    """
    if len(data) < 14:
        return None
    packet = Packet(data[6:12], data[:6], int.from_bytes(data[12:14], "big"), len(data))
    rest = data[14:]
    if packet.eth_type == ETH_ARP and len(rest) >= 28:
        packet.src, packet.dst, packet.body = rest[14:18], rest[24:28], rest[:28]
    elif packet.eth_type == ETH_IPV4 and len(rest) >= 20:
        _parse_ipv4(packet, rest)
    elif packet.eth_type == ETH_IPV6 and len(rest) >= 40:
        length = int.from_bytes(rest[4:6], "big")
        packet.proto, packet.ttl = rest[6], rest[7]
        packet.src, packet.dst = rest[8:24], rest[24:40]
        packet.body = rest[40 : 40 + length]
    else:
        return None
    _parse_body(packet)
    return packet


def _parse_ipv4(packet: Packet, rest: bytes) -> None:
    length, frag = struct.unpack("!2xH2xH", rest[:8])
    packet.df = bool(frag & 0x4000)
    packet.ttl, packet.proto = rest[8], rest[9]
    packet.src, packet.dst = rest[12:16], rest[16:20]
    head_len = (rest[0] & 15) * 4
    packet.body = rest[head_len:length]
    if checksum(rest[:head_len]) != 0:
        packet.faults.append("bad IP checksum")
    if length > len(rest):
        packet.faults.append("IP packet cut short")


def _parse_body(packet: Packet) -> None:
    body, proto = packet.body, packet.proto
    if proto in (PROTO_TCP, PROTO_ICMP6):
        body = _pseudo(packet.src, packet.dst, proto, len(body)) + body
    if proto in (PROTO_TCP, PROTO_ICMP6, PROTO_ICMP) and checksum(body) != 0:
        packet.faults.append("bad checksum")
    if proto == PROTO_TCP:
        try:
            packet.tcp = parse_tcp(packet.body)
        except ValueError as error:
            packet.faults.append(str(error))


def ethernet(src: bytes, dst: bytes, packet: bytes, tail: bytes = b"") -> bytes:
    """Write a frame.

    Args:
        src: Source MAC address.
        dst: Destination MAC address.
        packet: An IP packet.
        tail: Bytes behind the packet; without them short frames are padded with zeros.

    Returns:
        The frame.
    """
    kind = ETH_IPV4 if packet[0] >> 4 == 4 else ETH_IPV6
    frame = dst + src + struct.pack("!H", kind) + packet + tail
    return frame + b"\0" * max(0, FRAME_LEN_MIN - len(frame))


def arp(op: int, mac: bytes, addr: bytes, to_mac: bytes, to_addr: bytes) -> bytes:
    """Write a frame of ARP; a request is broadcast.

    Args:
        op: 1 to ask, 2 to tell.
        mac: The sender's MAC address.
        addr: The sender's address.
        to_mac: The target's MAC address.
        to_addr: The target's address.

    Returns:
        The frame.
    """
    head = struct.pack("!HHBBH", 1, ETH_IPV4, 6, 4, op)
    dst, target = (BROADCAST, b"\0" * 6) if op == 1 else (to_mac, to_mac)
    frame = dst + mac + struct.pack("!H", ETH_ARP) + head + mac + addr + target + to_addr
    return frame + b"\0" * (FRAME_LEN_MIN - len(frame))


def icmp(src: bytes, dst: bytes, kind: int, code: int, rest: bytes) -> bytes:
    """Write a message of ICMP or ICMPv6.

    Args:
        src: Source address, 4 or 16 bytes.
        dst: Destination address.
        kind: Type.
        code: Code.
        rest: What follows the checksum.

    Returns:
        The message.
    """
    head = struct.pack("!BBH", kind, code, 0)
    pseudo = b"" if len(src) == 4 else _pseudo(src, dst, PROTO_ICMP6, len(rest) + 4)
    return struct.pack("!BBH", kind, code, checksum(pseudo + head + rest)) + rest


def solicited_node(addr: bytes) -> tuple[bytes, bytes]:
    """Give the multicast group of an IPv6 address, RFC 4291 section 2.7.1.

    Args:
        addr: The address.

    Returns:
        Its MAC address and its address.
    """
    group = ipaddress.IPv6Address("ff02::1:ff00:0").packed[:13] + addr[13:]
    return b"\x33\x33" + group[12:], group
