# SPDX-License-Identifier: BSD-3-Clause
"""What every segment of a server has to obey, whatever a script asks."""

from __future__ import annotations

from dataclasses import dataclass

from dts.framework.wire import Packet, Tcp, emit_opts, parse_opts

_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_HALF = 1 << 31
_WORD = 1 << 32
TTL = 64
MSS_DEFAULT, MSS_DEFAULT6 = 536, 1220  # RFC 9293 section 3.7.1
MSS_MIN = 88  # of leat and, with timestamps, about that of Linux: less is not obeyed


def _older(one: int, other: int) -> bool:
    return (one - other) % _WORD >= _HALF


@dataclass
class Rules:
    """The memory of one connection.

    Attributes:
        asked: Names of the options of our SYN.
        answered: Names of the options of the server's SYN-ACK; None before it.
        wscale: Shift of the server's windows.
        mss: Largest segment that our SYN allows, text and options.
        tsval: The server's latest timestamp.
        edge: The right edge of the server's window.
    """

    asked: frozenset[str] = frozenset()
    answered: frozenset[str] | None = None
    wscale: int = 0
    mss: int = MSS_DEFAULT
    tsval: int | None = None
    edge: int | None = None

    def take_our_syn(self, tcp: Tcp, is_ipv6: bool) -> None:
        """Remember what we offered; only the first SYN counts.

        Args:
            tcp: The SYN.
            is_ipv6: What carried it.
        """
        if self.answered is not None:
            return
        opts = parse_opts(emit_opts(tcp.opts))  # malformed lists hide some of them
        self.asked = frozenset(name for name, _ in opts)
        self.mss = MSS_DEFAULT if not is_ipv6 else MSS_DEFAULT6
        for name, value in opts:
            if name == "mss" and isinstance(value, int) and value > 0:
                self.mss = max(value, MSS_MIN)

    def judge(self, packet: Packet, tcp: Tcp) -> list[str]:
        """Judge a segment of the server.

        Args:
            packet: The packet that holds it.
            tcp: The segment.

        Returns:
            The rules that it breaks.
        """
        faults = []
        if packet.ttl != TTL or not packet.df:
            faults.append(f"TTL {packet.ttl}, DF {packet.df}")
        names = [name for name, _ in tcp.opts]
        if "bad" in names or len(set(names)) < len(names):
            faults.append("malformed options")
        if tcp.urg != 0 or tcp.flags & 0xE0:
            faults.append("urgent or ECN bits that nobody negotiated")
        head_len = packet.body[12] // 16 * 4 - 20
        if tcp.text and len(tcp.text) + head_len > self.mss:
            faults.append(f"more than the MSS of {self.mss} bytes (RFC 6691)")
        if tcp.flags & _SYN:
            self._take_syn_ack(tcp, faults)
        elif not tcp.flags & _RST:
            self._judge_opts(names, faults)
            self._judge_edge(tcp, faults)
            if not tcp.flags & _ACK:
                faults.append("no ACK bit (RFC 9293 section 3.10.7.4)")
        self._judge_ts(tcp, faults)
        return faults

    def _take_syn_ack(self, tcp: Tcp, faults: list[str]) -> None:
        names = {name for name, _ in tcp.opts}
        for name in ("sackOK", "wscale", "TS"):
            if name in names and name not in self.asked:
                faults.append(f"{name} in the SYN-ACK without one in the SYN")
        if "mss" not in names:
            faults.append("no MSS in the SYN-ACK")
        self.answered = frozenset(names)
        self.wscale = next((v for n, v in tcp.opts if n == "wscale" and isinstance(v, int)), 0)
        self.edge = (tcp.ack + tcp.win) % _WORD

    def _judge_opts(self, names: list[str], faults: list[str]) -> None:
        if self.answered is None:
            return
        if "TS" in self.answered and "TS" not in names:
            faults.append("no timestamp (RFC 7323 section 3.2)")
        for name in ("mss", "wscale", "sackOK"):
            if name in names:
                faults.append(f"{name} without SYN")
        for name, needs in (("TS", "TS"), ("sack", "sackOK")):
            if name in names and needs not in self.answered:
                faults.append(f"{name} was not negotiated")

    def _judge_edge(self, tcp: Tcp, faults: list[str]) -> None:
        edge = (tcp.ack + (tcp.win << self.wscale)) % _WORD
        # A scaled window is rounded, so that its edge may go back by less than one unit.
        if self.edge is not None and _older(edge + (1 << self.wscale) - 1, self.edge):
            faults.append("the right edge of the window went back (RFC 9293 section 3.8.6)")
        if self.edge is None or _older(self.edge, edge):
            self.edge = edge

    def _judge_ts(self, tcp: Tcp, faults: list[str]) -> None:
        for name, value in tcp.opts:
            if name != "TS" or not isinstance(value, tuple) or not isinstance(value[0], int):
                continue
            if self.tsval is not None and _older(value[0], self.tsval):
                faults.append("the timestamp went back (RFC 7323 section 4.1)")
            self.tsval = value[0]
