# SPDX-License-Identifier: BSD-3-Clause
"""Adaptive idling: little of a core, and no late first answer."""

from __future__ import annotations

import os
import socket
import statistics
import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd
from dts.framework.resp import encode

WATCH_S = 3.0
SETTLE_S = 0.5
IDLE_SHARE_MAX = 0.10
NB_FIRST_PACKETS = 200
SILENCE_S = 0.1
MEDIAN_MAX_US = 250
PING = encode("PING")
PONG = b"+PONG\r\n"


def _cpu_share(leatd: Leatd) -> float:
    time.sleep(SETTLE_S)
    before, begin = leatd.cpu_s(), time.monotonic()
    time.sleep(WATCH_S)
    return (leatd.cpu_s() - before) / (time.monotonic() - begin)


@pytest.fixture
def away_from_the_worker() -> Iterator[None]:
    """Leave the last CPU, which the daemon takes for its worker, to the daemon."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) > 1:
        os.sched_setaffinity(0, allowed - {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


def _spin_for_reply(sock: socket.socket) -> bytes:
    while True:
        try:
            return sock.recv(64)
        except BlockingIOError:
            pass


def test_idle_daemon_uses_little_of_a_core(leatd: Leatd) -> None:
    """Nothing to do costs next to nothing.

    Steps:
        Leave the daemon alone for three seconds.

    Verify:
        All of its threads together used less than a tenth of a core.
    """
    share = _cpu_share(leatd)
    print(f"idle: {share:.1%} of a core")
    assert share < IDLE_SHARE_MAX


def test_idle_connections_cost_nothing(lab: Lab, leatd: Leatd) -> None:
    """Open connections are no work.

    Steps:
        Open a hundred connections and leave them alone.

    Verify:
        Less than a tenth of a core.
    """
    connections = [lab.connect(RESP_PORT) for _ in range(50)]
    connections += [lab.connect(HTTP_PORT) for _ in range(50)]
    share = _cpu_share(leatd)
    for one in connections:
        one.close()
    print(f"idle with 100 connections: {share:.1%} of a core")
    assert share < IDLE_SHARE_MAX


@pytest.mark.usefixtures("away_from_the_worker")
def test_first_packet_after_silence_is_answered_soon(lab: Lab, leatd: Leatd) -> None:
    """Sleep must not cost latency.

    Steps:
        200 times: be silent for 100 ms, then send PING and take the time to its reply.

    Verify:
        The median is at most 250 us.
    """
    sock = lab.connect(RESP_PORT)
    sock.setblocking(False)  # a client that sleeps would add the time of its own waking up
    took_us = []
    for _ in range(NB_FIRST_PACKETS):
        time.sleep(SILENCE_S)
        begin = time.perf_counter_ns()
        sock.sendall(PING)
        reply = _spin_for_reply(sock)
        took_us.append((time.perf_counter_ns() - begin) / 1000)
        assert reply == PONG
    sock.close()
    median, worst = statistics.median(took_us), max(took_us)
    print(f"first packet after silence: median {median:.0f} us, worst {worst:.0f} us")
    assert median <= MEDIAN_MAX_US
