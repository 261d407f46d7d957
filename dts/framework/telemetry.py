# SPDX-License-Identifier: BSD-3-Clause
"""What a running daemon tells of itself over DPDK's telemetry socket."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

from dts.framework.leatd import Leatd

_ANSWER_LEN_MAX = 1 << 16
_TIMEOUT_S = 10.0
_POLL_S = 0.1


class Telemetry:
    """A client of one daemon's."""

    def __init__(self, leatd: Leatd) -> None:
        """Connect.

        Args:
            leatd: The daemon; it is ready.
        """
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sock.settimeout(_TIMEOUT_S)
        self._sock.connect(f"/var/run/dpdk/leat-{leatd.pid}/dpdk_telemetry.v2")
        self._sock.recv(_ANSWER_LEN_MAX)  # the greeting

    def close(self) -> None:
        """Let go of the socket."""
        self._sock.close()

    def ask(self, command: str) -> Any:
        """Ask one thing.

        Args:
            command: A path with its arguments, "/leat/stats,worker0" for example.

        Returns:
            The answer, out of its wrapping.
        """
        self._sock.send(command.encode())
        answer = json.loads(self._sock.recv(_ANSWER_LEN_MAX))
        return answer[command.partition(",")[0]]

    def stats(self) -> dict[str, dict[str, int]]:
        """Read all counters.

        Returns:
            By group and name.
        """
        answer: dict[str, dict[str, int]] = self.ask("/leat/stats")
        return answer

    def mbufs_left(self, timeout_s: float) -> dict[str, int]:
        """Wait until no packet buffer is in use, as when nothing is under way.

        A device of software holds none for frames that are still to come.

        Args:
            timeout_s: How long to wait.

        Returns:
            What is in use when the time is over, by pool; pools with none in use are not named.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            pools = self.ask("/leat/pools")["pools"]
            left = {name: pool["in_use"] for name, pool in pools.items() if pool["in_use"] > 0}
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(_POLL_S)

    def wait_until(self, group: str, name: str, value: int, timeout_s: float) -> int:
        """Wait until a counter has a value.

        Args:
            group: Of counters.
            name: Of the counter.
            value: What is wanted.
            timeout_s: How long to wait.

        Returns:
            What it has, which is something else when the time was over.
        """
        deadline = time.monotonic() + timeout_s
        while (now := self.stats()[group][name]) != value and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return now
