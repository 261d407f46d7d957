# SPDX-License-Identifier: BSD-3-Clause
"""Play one packet script: send what it says, and hold what comes against it."""

from __future__ import annotations

import ipaddress
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

from dts.framework import messages
from dts.framework.rules import Rules
from dts.framework.script import ANY, Event, Message, Script, Segment
from dts.framework.show import show_packet
from dts.framework.wire import (
    PROTO_TCP,
    Ip,
    Opt,
    Packet,
    Tcp,
    ethernet,
    flags_bits,
)

EARLY_S = 0.012  # timers of the other side tick, and clocks are read at different places
DISTURBED_S = 0.015  # a send of ours this late may have run into a timer of the other side
_WORD = 1 << 32
_FIN, _SYN, _RST, _PSH, _ACK = 1, 2, 4, 8, 16


@dataclass
class Ends:
    """Who speaks with whom.

    Attributes:
        mac: Our MAC address.
        addr: Our address.
        port: Our port.
        srv_mac: The server's MAC address.
        srv_addr: The server's address.
        srv_port: The server's port.
    """

    mac: bytes
    addr: bytes
    port: int
    srv_mac: bytes
    srv_addr: bytes
    srv_port: int


@dataclass
class Received:
    """A packet and when it came."""

    at: float
    packet: Packet


def reset_frame(ends: Ends, port: int, seq: int) -> bytes:
    """Write a reset to the server.

    Args:
        ends: The two ends.
        port: Our port.
        seq: Its number, an absolute one.

    Returns:
        The frame.
    """
    tcp = Tcp(port, ends.srv_port, seq, 0, _RST, 0)
    body = tcp.emit(ends.addr, ends.srv_addr)
    return ethernet(ends.mac, ends.srv_mac, Ip(ends.addr, ends.srv_addr, PROTO_TCP).emit(body))


class ScriptFailure(Exception):
    """The server did not do what the script says.

    Attributes:
        is_late: It may only have been too slow.
    """

    def __init__(self, text: str, is_late: bool = False) -> None:
        """Tell what went wrong.

        Args:
            text: A few lines.
            is_late: It may only have been too slow.
        """
        super().__init__(text)
        self.is_late = is_late


@dataclass
class Connection:
    """What is known of one pair of ports.

    Attributes:
        port: Our port.
        iss: Our initial sequence number.
        irs: The server's, once it is known.
        srv_ack: The highest acknowledgment of the server; an absolute number.
        srv_tsval: The latest timestamp of the server.
        rules: What each segment has to obey.
    """

    port: int
    iss: int
    irs: int | None = None
    srv_ack: int | None = None
    srv_tsval: int = 0
    rules: Rules = field(default_factory=Rules)


# A player runs until it wants to wait: it yields until when, and is sent what comes before.
Play = Generator[float, Received | None, None]


class Player:
    """One run of one script.

    Attributes:
        script: The script.
        ends: The two ends.
        log: All that was sent and came, one line each.
        is_disturbed: We sent late ourselves.
    """

    def __init__(self, script: Script, ends: Ends, send: Callable[[bytes], object]) -> None:
        """Prepare a run.

        Args:
            script: The script.
            ends: The two ends.
            send: Puts a frame on the wire.
        """
        self.script = script
        self.ends = ends
        self.log: list[str] = []
        self.is_disturbed = False
        self._send_frame = send
        self._queue: deque[Received] = deque()
        self._options: dict[Event, int] = {}
        self._conn = Connection(ends.port, int(script.head.get("iss", "1000000")))
        self._conns = {ends.port: self._conn}
        self._begin = self._last = time.time()
        self._noted, self._nb_same = "", 0

    def play(self) -> Play:
        """Run the script.

        Yields:
            Until when to wait; a packet that comes before is sent back in.

        Raises:
            ScriptFailure: The server did something else.
        """
        self._begin = self._last = time.time()
        try:
            for event in self.script.events:
                if event.kind == "connection":
                    self._new_connection(event)
                elif event.kind == "send":
                    yield from self._send(event)
                elif event.kind == "expect":
                    yield from self._expect(event)
                elif event.kind == "option":
                    self._options[event] = event.nb[1]
                else:
                    yield from self._expect_nothing(event)
        finally:
            self._leave()

    # Sending

    def _send(self, event: Event) -> Play:
        self._last += event.lo
        for idx in range(event.nb[0]):
            if idx > 0:
                self._last += event.every
            yield from self._wait_until(self._last)
            now = time.time()
            self.is_disturbed |= now - self._last > DISTURBED_S
            if idx == 0:
                self._drop_optional(event)
            frame = self._frame(event, idx)
            try:
                self._send_frame(frame)
            except OSError as error:
                raise self._failure(event, f"cannot be sent: {error}", 0) from error
            self._last = now
            if idx in (0, event.nb[0] - 1):
                count = f" ({idx + 1} of {event.nb[0]})" if event.nb[0] > 1 else ""
                self._note(now, "<" + event.source.partition("<")[2] + count)

    def _frame(self, event: Event, idx: int) -> bytes:
        if isinstance(event.what, Message):
            conn = self._conn
            context = messages.Context(self.ends, conn.port, conn.iss, conn.irs or 0)
            return messages.build(event.what, event.attrs, context)
        assert isinstance(event.what, Segment)
        return self._segment_frame(event.what, event.attrs, idx * event.step)

    def _segment_frame(self, seg: Segment, attrs: dict[str, str], further: int) -> bytes:
        conn = self._conn_of(attrs)
        ends = self.ends
        assert seg.seq is not None and seg.length is not None
        seq = seg.seq + further
        text = seg.text
        if text is None and seg.length > 0:
            off = seq - (0 if "S" in seg.flags else 1)
            text = bytes(self.script.sends.data[off : off + seg.length])
            if off < 0 or len(text) != seg.length:
                raise ScriptFailure(f"the script has no text at {seq}")
        flags = flags_bits(seg.flags)
        ack = ((conn.irs or 0) + (seg.ack or 0)) % _WORD if flags & _ACK or seg.ack else 0
        tcp = Tcp(
            conn.port,
            int(attrs.get("port", ends.srv_port)),
            (conn.iss + seq) % _WORD,
            ack,
            flags,
            seg.win[0] if seg.win else 65535,
            self._opts_to_send(seg.opts or [], conn),
            text or b"",
            seg.urg,
            int(attrs["doff"]) if "doff" in attrs else None,
            0x5555 if "bad checksum" in attrs else 0,
        )
        if flags & _SYN:
            conn.rules.take_our_syn(tcp, len(ends.addr) == 16)
        dst = ipaddress.ip_address(attrs["to"]).packed if "to" in attrs else ends.srv_addr
        ip = Ip(ends.addr, dst, PROTO_TCP, int(attrs.get("ttl", "64")))
        ip.opts = bytes.fromhex(attrs.get("ipopt", ""))
        ip.length = int(attrs["length"]) if "length" in attrs else None
        ip.cksum_xor = 0x5555 if "bad ip" in attrs else 0
        ip.exts = tuple(attrs.get("ext", "").split())
        if "frag" in attrs:
            ip.frag = (int(attrs["frag"].rstrip("+")), attrs["frag"].endswith("+"))
        body = tcp.emit(ends.addr, dst)
        if "cut" in attrs:  # a fragment has a part of the whole segment
            first, _, last = attrs["cut"].partition("-")
            body = body[int(first) : int(last) if last else None]
        tail = bytes.fromhex(attrs.get("tail", ""))
        return ethernet(messages.our_mac(ends, attrs), ends.srv_mac, ip.emit(body), tail)

    def _opts_to_send(self, opts: list[Opt], conn: Connection) -> list[Opt]:
        out: list[Opt] = []
        for name, value in opts:
            if name == "TS":
                assert isinstance(value, bytes)
                val, ecr = value.decode().split()
                echo = int(ecr) if ecr[0] != "*" else conn.srv_tsval + int(ecr[1:] or 0)
                value = (int(val) % _WORD, echo % _WORD)
            elif name == "sack":
                assert isinstance(value, tuple)
                base = conn.irs or 0
                blocks = [b for b in value if isinstance(b, tuple)]
                value = tuple(((a + base) % _WORD, (b + base) % _WORD) for a, b in blocks)
            out.append((name, value))
        return out

    # Expecting

    def _expect(self, event: Event) -> Play:
        since = self._last
        least, most = event.nb
        nb = 0
        while nb < most:
            got = yield from self._next(since + event.hi)
            if got is None:
                if nb >= least:
                    self._last = since + event.hi
                    break
                raise self._failure(event, "nothing came in time", nb, is_late=True)
            reason = self._mismatch(event, got.packet, nb)
            if reason is not None:
                if self._is_optional(event, got.packet):
                    continue
                raise self._failure(event, reason, nb, got)
            self._check_time(event, since, got, nb)
            self._split_fin(event, got)
            self._last = got.at
            nb += 1
        self._options.clear()

    def _check_time(self, event: Event, since: float, got: Received, nb: int) -> None:
        took = got.at - since
        if nb == 0 and 0 < event.lo and took < event.lo - EARLY_S:
            raise self._failure(event, f"came {event.lo - took:.3f} s too early", nb, got)
        if took > event.hi:
            raise self._failure(event, f"came {took - event.hi:.3f} s too late", nb, got, True)

    def _expect_nothing(self, event: Event) -> Play:
        until = self._last + event.lo
        while (got := (yield from self._next(until))) is not None:
            if got.at < until and not self._is_optional(event, got.packet):
                raise self._failure(event, "there should be silence", 0, got)
        self._last = until

    def _mismatch(self, event: Event, packet: Packet, nb: int) -> str | None:
        """Say in what a packet is not the expected one; None if it is."""
        if isinstance(event.what, Message):
            conn = self._conn
            context = messages.Context(self.ends, conn.port, conn.iss, conn.irs or 0)
            return messages.mismatch(event.what, event.attrs, packet, context)
        seg, tcp = event.what, packet.tcp
        assert isinstance(seg, Segment)
        conn = self._conn_of(event.attrs)
        if tcp is None or tcp.dport != conn.port:
            return "another packet"
        if tcp.sport != int(event.attrs.get("port", self.ends.srv_port)):
            return "another port"
        wanted = flags_bits(seg.flags)
        has_fin_too = tcp.flags & ~wanted & _FIN and seg.length != 0
        ignored = (0 if wanted & _PSH else _PSH) | (_FIN if has_fin_too else 0)
        if tcp.flags & ~ignored != wanted & ~ignored:
            return "other flags"
        if seg.length is not None and len(tcp.text) != seg.length:
            return "another length"
        irs, iss = conn.irs or 0, conn.iss
        further = nb * event.step
        if seg.seq is not None and tcp.seq != (irs + seg.seq + further) % _WORD:
            return "another sequence number"
        if seg.ack is not None and (tcp.ack - iss - seg.ack) % _WORD != 0:
            return "another acknowledgment number"
        if seg.win is not None and not seg.win[0] <= tcp.win <= seg.win[1]:
            return "another window"
        return self._opts_mismatch(seg.opts, tcp, iss) or messages.odd(event.attrs, packet)

    def _opts_mismatch(self, wanted: list[Opt] | None, tcp: Tcp, iss: int) -> str | None:
        if wanted is None:
            return None
        left = list(tcp.opts)
        for name, value in wanted:
            if name in ("nop", "eol"):
                continue
            match = next((one for one in left if one[0] == name), None)
            if match is None:
                return f"no option {name}"
            left.remove(match)
            got = match[1]
            if name == "sack":
                assert isinstance(value, tuple)
                blocks = [b for b in value if isinstance(b, tuple)]
                value = tuple(((a + iss) % _WORD, (b + iss) % _WORD) for a, b in blocks)
            elif name == "TS":
                assert isinstance(value, bytes) and isinstance(got, tuple)
                val, ecr = value.decode().split()
                words = zip((val, ecr), got, strict=True)
                if all(word == "*" or int(word) == number for word, number in words):
                    continue
            if value not in (got, ANY):
                return f"another value of option {name}"
        return f"option {left[0][0]} too" if left else None

    def _is_optional(self, event: Event, packet: Packet) -> bool:
        """What may come before what is expected, without being said or as said."""
        for option in self._options:
            if self._mismatch(option, packet, 0) is None:
                self._options[option] -= 1
                if self._options[option] == 0:
                    del self._options[option]
                return True
        seg, tcp = event.what, packet.tcp
        if event.kind != "expect" or self.script.get("acks") == "exact":
            return False
        if not isinstance(seg, Segment) or tcp is None:
            return False
        # The acknowledgment that rides on text here may go ahead of it elsewhere.
        rides = seg.length != 0 or "F" in seg.flags
        if not rides or tcp.flags != _ACK or tcp.text or tcp.dport != self._conn.port:
            return False
        return seg.ack is not None and (tcp.ack - self._conn.iss - seg.ack) % _WORD == 0

    def _drop_optional(self, event: Event) -> None:
        """Before we send: what came and was not asked for is a fault."""
        while self._queue:
            got = self._queue.popleft()
            if not self._is_optional(event, got.packet):
                raise self._failure(event, "this came before, and nobody asked", 0, got)
        self._options.clear()

    def _split_fin(self, event: Event, got: Received) -> None:
        """A FIN may ride on the last text: what is left of the segment is looked at next."""
        seg, tcp = event.what, got.packet.tcp
        if not isinstance(seg, Segment) or tcp is None:
            return
        if not tcp.flags & _FIN or "F" in seg.flags:
            return
        seq = (tcp.seq + len(tcp.text)) % _WORD
        rest = replace(tcp, seq=seq, text=b"", flags=tcp.flags & ~_PSH)
        self._queue.appendleft(Received(got.at, replace(got.packet, tcp=rest)))

    # Receiving

    def _next(self, until: float) -> Generator[float, Received | None, Received | None]:
        while not self._queue:
            # The wire's clock tells when a packet came; we may wake up later than it.
            if time.time() >= until + EARLY_S:
                return None
            got = yield until + EARLY_S
            if got is not None:
                self._take(got)
        return self._queue.popleft()

    def _wait_until(self, until: float) -> Play:
        while time.time() < until:
            got = yield until
            if got is not None:
                self._take(got)

    def _take(self, got: Received) -> None:
        """A packet comes in: answer for our address, learn, judge, and queue it."""
        packet = got.packet
        if self.script.get("neighbour") == "automatic":
            answer = messages.answer_neighbour(self.ends, packet)
            if answer is not None:
                if answer:
                    self._send_frame(answer)
                return
        tcp = packet.tcp
        conn = self._conns.get(tcp.dport) if tcp is not None else None
        if tcp is not None and conn is not None:
            if tcp.flags & _SYN and conn.irs is None:
                conn.irs = tcp.seq
            if tcp.flags & _ACK and not tcp.flags & _RST:
                conn.srv_ack = tcp.ack
        self._note(got.at, "> " + self._show(packet))
        faults = list(packet.faults)
        if tcp is not None and conn is not None:
            faults += conn.rules.judge(packet, tcp)
            if tcp.flags & _RST == 0:
                faults += self._text_faults(conn, tcp)
            for name, value in tcp.opts:
                if name == "TS" and isinstance(value, tuple) and isinstance(value[0], int):
                    conn.srv_tsval = value[0]
        if packet.eth_src != self.ends.srv_mac:
            faults.append("sent from another MAC address")
        if faults:
            raise ScriptFailure(f"{'; '.join(faults)}: {self._show(packet)}")
        self._queue.append(got)

    def _text_faults(self, conn: Connection, tcp: Tcp) -> list[str]:
        if not tcp.text or not self.script.replies.data:
            return []
        off = (tcp.seq - (conn.irs or 0) - 1) % _WORD
        wrong = self.script.replies.differs(off, tcp.text)
        return ["the text is not that of the reply"] if wrong else []

    # Connections

    def _conn_of(self, attrs: dict[str, str]) -> Connection:
        if "sport" not in attrs:
            return self._conn
        port = self.ends.port + int(attrs["sport"])
        return self._conns.setdefault(port, Connection(port, self._conn.iss, self._conn.irs))

    def _new_connection(self, event: Event) -> None:
        same = "same port" in event.attrs
        port = self._conn.port if same else self._conn.port + 1
        iss = (self._conn.iss + int(event.attrs.get("iss", "+100000"))) % _WORD
        if not same:
            self._leave()
        self._conn = Connection(port, iss)
        self._conns[port] = self._conn

    def _leave(self) -> None:
        """Reset what is open: it would go on to send to an address of ours."""
        for conn in self._conns.values():
            if conn.srv_ack is not None:
                self._send_frame(reset_frame(self.ends, conn.port, conn.srv_ack))

    # Telling

    def _show(self, packet: Packet) -> str:
        conn = self._conns.get(packet.tcp.dport) if packet.tcp is not None else None
        conn = conn or self._conn
        return show_packet(packet, conn.iss, conn.irs or 0)

    def _note(self, at: float, text: str) -> None:
        if text != self._noted:
            self.log.append(f"{at - self._begin:9.4f} {text}")
            self._noted, self._nb_same = text, 0
            return
        if self._nb_same > 0:
            self.log.pop()
        self._nb_same += 1
        self.log.append(f"{'':9} {self._nb_same} more like it until {at - self._begin:.4f}")

    def _failure(
        self, event: Event, reason: str, nb: int, got: Received | None = None, is_late: bool = False
    ) -> ScriptFailure:
        count = f" ({nb} of {event.nb[0]} came)" if event.nb[1] > 1 else ""
        lines = [
            f"{self.script.path}:{event.line}: {reason}{count}",
            f"  line:  {event.source}",
        ]
        if got is not None:
            came = f"at {got.at - self._begin:.4f}, {got.at - self._last:+.4f} after the line before"
            lines.append(f"  came:  {self._show(got.packet)}  {came}")
        return ScriptFailure("\n".join(lines), is_late)
