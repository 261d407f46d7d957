# SPDX-License-Identifier: BSD-3-Clause
"""What a running daemon tells of itself over DPDK's telemetry socket."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from typing import Any

from dts.framework.leatd import Leatd

ANSWER_LEN_MAX = 16384  # of DPDK; what is over is dropped
_TIMEOUT_S = 10.0
_POLL_S = 0.1


class Telemetry:
    """A client of one daemon's.

    Attributes:
        path: Where the socket is.
    """

    def __init__(self, leatd: Leatd) -> None:
        """Connect.

        Args:
            leatd: The daemon; it is ready.
        """
        self.path = socket_path(leatd.text())
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sock.settimeout(_TIMEOUT_S)
        self._sock.connect(self.path)
        self._sock.recv(2 * ANSWER_LEN_MAX)  # the greeting

    def close(self) -> None:
        """Let go of the socket."""
        self._sock.close()

    def __enter__(self) -> Telemetry:
        """Use it in a with block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect at the end of the block."""
        self.close()

    def ask(self, command: str) -> Any:
        """Ask one thing.

        Args:
            command: A path with its arguments, "/leat/stats,worker0" for example.

        Returns:
            The answer, out of its wrapping.
        """
        self._sock.send(command.encode())
        reply = self._sock.recv(2 * ANSWER_LEN_MAX)
        assert len(reply) <= ANSWER_LEN_MAX, len(reply)
        answer = json.loads(reply)
        return answer[command.partition(",")[0]]

    def pages(self, command: str, kind: str, conn_filter: str = "") -> Iterator[dict[str, Any]]:
        """Walk through the pages of a list.

        Args:
            command: "/leat/conn" or "/leat/neighbours".
            kind: The name of the list in the answer.
            conn_filter: Which entries.

        Yields:
            Each page's entries by their place.
        """
        start = 0
        while True:
            answer = self.ask(f"{command},{start}" + (f",{conn_filter}" if conn_filter else ""))
            assert "error" not in answer, answer
            yield answer[kind]
            if "next" not in answer:
                return
            assert answer["next"] > start, answer
            start = answer["next"]

    def conns(self, conn_filter: str = "") -> list[dict[str, Any]]:
        """List connections.

        Args:
            conn_filter: Which ones; "" for all.

        Returns:
            Every one, in the order of their places; none twice.
        """
        found: dict[int, dict[str, Any]] = {}
        for page in self.pages("/leat/conn", "conns", conn_filter):
            for place, conn in page.items():
                assert int(place) not in found, place
                found[int(place)] = conn
        return [found[place] for place in sorted(found)]

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

    def conns_left(self, timeout_s: float) -> dict[str, int]:
        """Wait until nothing is left of any connection, TIME-WAIT excepted.

        Args:
            timeout_s: How long to wait, for each of them.

        Returns:
            What is left when the time is over: connections, sessions, half-open ones, packet
            buffers by pool, and how many more were opened than closed; nothing is right.
        """
        for group in ("now", "command"):
            self.wait_until(group, "nb_conns", 0, timeout_s)
        left = self.mbufs_left(timeout_s)
        stats = self.stats()
        left["conns"] = stats["now"]["nb_conns"]
        left["half-open"] = stats["now"]["nb_half_open"]
        left["sessions"] = stats["command"]["nb_conns"]
        left["unclosed"] = stats["inet"]["tcp_opens_passive"] - stats["inet"]["tcp_closed"]
        left["listed"] = sum(one["state"] != "TIME-WAIT" for one in self.conns())
        return {name: nb for name, nb in left.items() if nb != 0}

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


def socket_path(log: str) -> str:
    """Find the socket of a daemon.

    Args:
        log: What it said at its start.

    Returns:
        The path.

    Raises:
        ValueError: It is not there.
    """
    match = re.search(r"^control: telemetry socket (\S+)$", log, re.MULTILINE)
    if match is None:
        raise ValueError("the daemon does not say where its socket is")
    return match.group(1)
