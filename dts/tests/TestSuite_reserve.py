# SPDX-License-Identifier: BSD-3-Clause
"""Packet buffers run out by the doing of some peers, and the others go on."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient, Status
from dts.framework.run import SNAP_LEN_LOAD, serve

REFERRED_LEN = 200_000  # sent from where it lies
COPIED_LEN = 4000  # short enough to be copied into buffers
NB_READERS = 24
NB_HALVES = 400
ASKED_LEN = 1_600_000  # for each reader
HALF = b"*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$100000\r\n"  # and its value never comes whole
HALF_LEN = 4000
ANSWER_MAX_S = 3.0
SIEGE_S = 6.0


@pytest.fixture
def served(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """A daemon with as few packet buffers as may be."""
    conf = LeatdConf(
        port=af_port("net_af_packet"), extra=["--rx-mbufs", "256", "--tx-mbufs", "512"]
    )
    name = request.node.name.removeprefix("test_")
    # text that finds no buffer, here or there, is sent again
    with serve(lab, conf, f"reserve-{name}", SNAP_LEN_LOAD, clean_link=False) as one:
        yield one


def hostile(lab: Lab) -> socket.socket | None:
    """Connect as a peer that will not behave.

    Args:
        lab: Where.

    Returns:
        The connection, or None when it was turned away, which is what it deserves.
    """
    sock = lab.open_socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(0.2)
    try:
        sock.connect(("10.77.0.1", RESP_PORT))
    except OSError:
        sock.close()
        return None
    return sock


def siege(honest: RespClient, lab: Lab) -> None:
    """Ask again and again while others hold what buffers they can.

    Args:
        honest: A client that was there before them.
        lab: Where.
    """
    until = time.monotonic() + SIEGE_S
    slowest = 0.0
    while time.monotonic() < until:
        began = time.monotonic()
        assert honest.command("PING") == Status("PONG")
        assert honest.command("SET", "small", b"v" * 100) == Status("OK")
        assert honest.command("GET", "small") == b"v" * 100
        slowest = max(slowest, time.monotonic() - began)
    print(f"slowest answer after {slowest:.3f} s")
    newcomer = RespClient(lab.connect(RESP_PORT, timeout_s=10))
    assert newcomer.command("PING") == Status("PONG")
    newcomer.close()


@pytest.mark.parametrize("value_len", [REFERRED_LEN, COPIED_LEN])
def test_readers_that_do_not_read(lab: Lab, served: Leatd, value_len: int) -> None:
    """Peers that ask for much and take nothing hold text to be sent.

    Steps:
        Set a value; from many connections ask for it again and again and read nothing.

    Verify:
        A client that was there before is answered all the while, in time; one that comes later
        gets in.
    """
    honest = RespClient(lab.connect(RESP_PORT, timeout_s=ANSWER_MAX_S))
    assert honest.command("SET", "large", b"x" * value_len) == Status("OK")
    socks = [hostile(lab) for _ in range(NB_READERS)]
    for sock in socks:
        if sock is not None:
            sock.send(b"GET large\r\n" * (ASKED_LEN // value_len))
    siege(honest, lab)
    for sock in socks:
        if sock is not None:
            sock.close()
    honest.close()
    assert served.is_running()


def test_requests_that_do_not_end(lab: Lab, served: Leatd) -> None:
    """Peers that send the beginning of a request hold what was received.

    Steps:
        From many connections send the beginning of a large request, and no more.

    Verify:
        As above.
    """
    honest = RespClient(lab.connect(RESP_PORT, timeout_s=ANSWER_MAX_S))
    assert honest.command("PING") == Status("PONG")
    socks = [hostile(lab) for _ in range(NB_HALVES)]
    for sock in socks:
        if sock is not None:
            sock.send(HALF + b"h" * HALF_LEN)
    siege(honest, lab)
    for sock in socks:
        if sock is not None:
            sock.close()
    honest.close()
    assert served.is_running()
