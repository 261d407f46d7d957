# SPDX-License-Identifier: BSD-3-Clause
"""A peer without a kernel: frames are written and read as they are."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

from dts.framework.lab import SRV_ADDR, Lab

ADDR = "10.77.0.3"  # nobody's, so that Linux does not answer for us
_MAC = "02:00:00:00:77:03"
_ETH_P_ALL = 3
_PACKET_OUTGOING = 4
_BROADCAST = "ff:ff:ff:ff:ff:ff"
_RECV_LEN = 1 << 16


class RawStation:
    """A station of its own on the peer's end of the veth."""

    def __init__(self, lab: Lab, ethertype: int) -> None:
        """Join the link.

        Args:
            lab: The lab, with the daemon running.
            ethertype: What is received.
        """
        self._sock = lab.open_socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._sock.bind((lab.cli_iface, ethertype))

    def close(self) -> None:
        """Leave the link."""
        self._sock.close()

    def send(self, frame: Packet | bytes) -> None:
        """Send a frame.

        Args:
            frame: What to send; fields that were left open are filled in.
        """
        self._sock.send(bytes(frame))

    def ask(
        self, frame: Packet | bytes, wanted: Callable[[Packet], bool], timeout_s: float = 1
    ) -> Packet | None:
        """Send a frame and wait for an answer.

        Args:
            frame: What to send.
            wanted: Whether a frame from the daemon is the answer.
            timeout_s: How long to wait.

        Returns:
            The answer, or None.
        """
        self.send(frame)
        return self.wait(wanted, timeout_s)

    def wait(self, wanted: Callable[[Packet], bool], timeout_s: float = 1) -> Packet | None:
        """Wait for a frame from the daemon; who asks for our MAC address is answered meanwhile.

        Args:
            wanted: Whether it is the one.
            timeout_s: How long to wait.

        Returns:
            The frame, or None.
        """
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            self._sock.settimeout(left_s)
            try:
                data, where = self._sock.recvfrom(_RECV_LEN)
            except TimeoutError:
                return None
            if where[2] == _PACKET_OUTGOING:
                continue
            got = Ether(data)
            self._resolve(got)
            if wanted(got):
                return got
        return None

    def _resolve(self, got: Packet) -> None:
        """Answer a frame that asks for our MAC address."""
        raise NotImplementedError


class RawPeer(RawStation):
    """A station that speaks IPv4.

    Attributes:
        srv_mac: The daemon's MAC address, learnt by ARP.
    """

    def __init__(self, lab: Lab) -> None:
        """Join the link and learn the daemon's MAC address.

        Args:
            lab: The lab, with the daemon running.
        """
        super().__init__(lab, _ETH_P_ALL)
        self.srv_mac = _BROADCAST
        reply = self.ask(
            Ether(src=_MAC, dst=_BROADCAST) / ARP(op=1, hwsrc=_MAC, psrc=ADDR, pdst=SRV_ADDR),
            lambda got: ARP in got and got[ARP].op == 2 and got[ARP].psrc == SRV_ADDR,
        )
        assert reply is not None, "no reply to ARP"
        self.srv_mac = str(reply[ARP].hwsrc)

    def ether(self) -> Ether:
        """Begin a frame to the daemon.

        Returns:
            The Ethernet header.
        """
        return Ether(src=_MAC, dst=self.srv_mac)

    def ip(self) -> Packet:
        """Begin a packet to the daemon.

        Returns:
            Ethernet and IPv4 headers.
        """
        return self.ether() / IP(src=ADDR, dst=SRV_ADDR)

    def _resolve(self, got: Packet) -> None:
        if ARP in got and got[ARP].op == 1 and got[ARP].pdst == ADDR:
            to = {"hwdst": got[ARP].hwsrc, "pdst": got[ARP].psrc}
            mine = ARP(op=2, hwsrc=_MAC, psrc=ADDR, **to)
            self.send(Ether(src=_MAC, dst=got.src) / mine)

    def wait_tcp(self, port: int, timeout_s: float = 1) -> Packet | None:
        """Wait for a TCP segment to one of our ports.

        Args:
            port: Our port.
            timeout_s: How long to wait.

        Returns:
            The frame, or None.
        """
        return self.wait(
            lambda got: TCP in got and got[IP].dst == ADDR and got[TCP].dport == port, timeout_s
        )
