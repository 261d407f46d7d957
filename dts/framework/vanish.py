# SPDX-License-Identifier: BSD-3-Clause
"""A host of several connections that goes away without a word."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from dts.framework.lab import SRV_ADDR, SRV_ADDR6, Lab
from dts.framework.resp import RespClient

_HOSTS = {SRV_ADDR: "10.77.0.50/24", SRV_ADDR6: "fd77::50/64"}
_CONNECT_S = 5.0


class Host:
    """An address of its own on the side of the peers."""

    def __init__(self, lab: Lab, srv_addr: str) -> None:
        """Come up.

        Args:
            lab: Where.
            srv_addr: The address of the daemon that it connects to, which gives the family.
        """
        self._lab = lab
        self._srv_addr = srv_addr
        self._prefix = _HOSTS[srv_addr]
        self._is_there = True
        self._socks: list[socket.socket] = []
        more = ["nodad"] if ":" in srv_addr else []
        self._ip("add", *more)

    def _ip(self, verb: str, *more: str) -> None:
        done = self._lab.run("ip", "address", verb, self._prefix, "dev", self._lab.cli_iface, *more)
        assert done.returncode == 0, done.stderr

    def connect(self, port: int, receive_len: int = 0) -> RespClient:
        """Open a connection.

        Args:
            port: To which port.
            receive_len: Of the receive buffer, 0 for what is usual.

        Returns:
            A client on it; close() of the host closes it.
        """
        sock = self._lab.open_socket(socket.AF_INET6 if ":" in self._srv_addr else socket.AF_INET)
        self._socks.append(sock)
        if receive_len > 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_len)
        sock.settimeout(_CONNECT_S)
        sock.bind((self._prefix.partition("/")[0], 0))
        sock.connect((self._srv_addr, port))
        return RespClient(sock)

    def vanish(self) -> None:
        """Go, as in a power cut: nothing is sent, and what comes is nobody's."""
        self._ip("del")
        self._is_there = False

    def close(self) -> None:
        """Let go of what is left; where it has vanished, nobody hears of it."""
        for sock in self._socks:
            sock.close()
        if self._is_there:
            self._ip("del")


@contextlib.contextmanager
def host(lab: Lab, srv_addr: str) -> Iterator[Host]:
    """Have a host for the length of a with block.

    Args:
        lab: Where.
        srv_addr: The address of the daemon that it connects to.

    Yields:
        The host.
    """
    one = Host(lab, srv_addr)
    try:
        yield one
    finally:
        one.close()
