# SPDX-License-Identifier: BSD-3-Clause
"""A peer without a kernel on an IPv6 link."""

from __future__ import annotations

from scapy.layers.inet import TCP
from scapy.layers.inet6 import (
    ICMPv6EchoReply,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from dts.framework.lab import SRV_ADDR6, Lab
from dts.framework.raw import RawStation

ADDR6 = "fd77::3"  # nobody's, so that Linux does not answer for us
MAC6 = "02:00:00:00:77:03"
GROUP6 = "ff02::1:ff00:1"  # of SRV_ADDR6
GROUP6_MAC = "33:33:ff:00:00:01"
_ETH_P_IPV6 = 0x86DD


class RawPeer6(RawStation):
    """A station that speaks IPv6.

    Attributes:
        addr: Our address.
        mac: Our MAC address, which a test may change.
        answers: Whether solicitations for our address are answered.
        nb_asked: How many of them there were.
        srv_mac: The daemon's MAC address, learnt by a solicitation.
    """

    def __init__(self, lab: Lab, addr: str = ADDR6) -> None:
        """Join the link and learn the daemon's MAC address.

        Args:
            lab: The lab, with the daemon running.
            addr: Our address.
        """
        super().__init__(lab, _ETH_P_IPV6)
        self.addr, self.mac, self.answers, self.nb_asked = addr, MAC6, True, 0
        self.srv_mac = GROUP6_MAC
        got = self.ask(self.solicit(), lambda one: ICMPv6ND_NA in one)
        assert got is not None, "no answer to a neighbour solicitation"
        self.srv_mac = str(got[Ether].src)

    def solicit(self, hlim: int = 255, src: str | None = None, with_mac: bool = True) -> Packet:
        """Write a question for the daemon's address.

        Args:
            hlim: The hop limit.
            src: Who asks, without it we.
            with_mac: Tell our MAC address.

        Returns:
            The frame.
        """
        ip = IPv6(src=self.addr if src is None else src, dst=GROUP6, hlim=hlim)
        question = ICMPv6ND_NS(tgt=SRV_ADDR6)
        if with_mac:
            question = question / ICMPv6NDOptSrcLLAddr(lladdr=self.mac)
        return Ether(src=self.mac, dst=GROUP6_MAC) / ip / question

    def advert(self, hlim: int = 255, dst: str = SRV_ADDR6, solicited: int = 1) -> Packet:
        """Write an answer, whoever asked.

        Args:
            hlim: The hop limit.
            dst: Whom it is for.
            solicited: Whether it says that it was asked for.

        Returns:
            The frame.
        """
        mac = self.srv_mac if dst == SRV_ADDR6 else "33:33:00:00:00:01"
        answer = ICMPv6ND_NA(tgt=self.addr, R=0, S=solicited, O=1)
        ip = IPv6(src=self.addr, dst=dst, hlim=hlim)
        return Ether(src=self.mac, dst=mac) / ip / answer / ICMPv6NDOptDstLLAddr(lladdr=self.mac)

    def ip(self) -> Packet:
        """Begin a packet to the daemon.

        Returns:
            Ethernet and IPv6 headers.
        """
        return Ether(src=self.mac, dst=self.srv_mac) / IPv6(src=self.addr, dst=SRV_ADDR6)

    def _resolve(self, got: Packet) -> None:
        if ICMPv6ND_NS in got and got[ICMPv6ND_NS].tgt == self.addr:
            self.nb_asked += 1
            if self.answers:
                self.send(self.advert())

    def ask_echo(self, frame: Packet, timeout_s: float = 1) -> Packet | None:
        """Send a frame and wait for an echo reply to us.

        Args:
            frame: What to send.
            timeout_s: How long to wait.

        Returns:
            The reply, or None.
        """
        return self.ask(
            frame, lambda got: ICMPv6EchoReply in got and got[IPv6].dst == self.addr, timeout_s
        )

    def ask_tcp(self, frame: Packet, timeout_s: float = 1) -> Packet | None:
        """Send a segment and wait for the daemon's next to the same port.

        Args:
            frame: What to send.
            timeout_s: How long to wait.

        Returns:
            The segment, or None.
        """
        port = frame[TCP].sport
        return self.ask(frame, lambda got: TCP in got and got[TCP].dport == port, timeout_s)
